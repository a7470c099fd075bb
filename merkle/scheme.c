#include "merkle/scheme.h"

#include "config/error.h"

#include <pthread.h>
#include <string.h>

enum { ZEROS_MAX = 16384, DEPTH_MAX = 63 };

const pleach_scheme pleach_scheme_blake2s = {
    .name = "blake2s",
    .family = PLEACH_BLAKE2S,
    .leaf_prefix = PLEACH_NO_PREFIX,
    .node_prefix = PLEACH_NO_PREFIX,
    .lone = PLEACH_LONE_REFUSED,
};

const pleach_scheme pleach_scheme_rfc6962 = {
    .name = "rfc6962",
    .family = PLEACH_SHA256,
    .leaf_prefix = 0,
    .node_prefix = 1,
    .lone = PLEACH_LONE_PROMOTED,
    .empty = PLEACH_EMPTY_HASH,
};

const pleach_scheme pleach_scheme_bitcoin = {
    .name = "bitcoin",
    .family = PLEACH_SHA256,
    .leaf_given = true,
    .leaf_prefix = PLEACH_NO_PREFIX,
    .node_prefix = PLEACH_NO_PREFIX,
    .node_twice = true,
    .lone = PLEACH_LONE_DUPLICATED,
    .empty = PLEACH_EMPTY_ZEROS,
};

const pleach_scheme pleach_scheme_ssz = {
    .name = "ssz",
    .family = PLEACH_SHA256,
    .leaf_given = true,
    .leaf_prefix = PLEACH_NO_PREFIX,
    .node_prefix = PLEACH_NO_PREFIX,
    .lone = PLEACH_LONE_ZERO_PADDED,
    .empty = PLEACH_EMPTY_ZEROS,
};

const pleach_scheme pleach_scheme_blake3 = {
    .name = "blake3",
    .family = PLEACH_BLAKE3,
    .leaf_prefix = PLEACH_NO_PREFIX,
    .node_prefix = PLEACH_NO_PREFIX,
    .lone = PLEACH_LONE_PROMOTED,
    .empty = PLEACH_EMPTY_HASH,
};

static const pleach_scheme *const presets[] = {PLEACH_SCHEME_BLAKE2S, PLEACH_SCHEME_RFC6962, PLEACH_SCHEME_BITCOIN,
                                               PLEACH_SCHEME_SSZ, PLEACH_SCHEME_BLAKE3};

const pleach_scheme *pleach_scheme_preset(size_t index)
{
    return index < sizeof presets / sizeof presets[0] ? presets[index] : NULL;
}

const pleach_scheme *pleach_scheme_find(const char *name)
{
    const pleach_scheme *scheme;
    for (size_t i = 0; name && (scheme = pleach_scheme_preset(i)) != NULL; i++)
        if (strcmp(scheme->name, name) == 0)
            return scheme;
    return NULL;
}

const char *pleach__scheme_name(const pleach_scheme *scheme)
{
    return scheme->name ? scheme->name : "unnamed";
}

static bool is_prefix(int prefix)
{
    return prefix >= PLEACH_NO_PREFIX && prefix <= UINT8_MAX;
}

static pleach_status refuse(const pleach_scheme *scheme, const char *field, int value, const char *limit)
{
    return pleach__fail(PLEACH_EINVAL, "scheme %s: %s = %d: %s", pleach__scheme_name(scheme), field, value, limit);
}

static pleach_status check_leaf_rule(const pleach_scheme *scheme)
{
    if (!is_prefix(scheme->leaf_prefix))
        return refuse(scheme, "leaf_prefix", scheme->leaf_prefix, "a byte, 0 to 255, or PLEACH_NO_PREFIX");
    if (scheme->leaf_given && scheme->leaf_prefix != PLEACH_NO_PREFIX)
        return refuse(scheme, "leaf_prefix", scheme->leaf_prefix, "given leaves are not hashed: PLEACH_NO_PREFIX");
    if (scheme->leaf_given && scheme->leaf_twice)
        return refuse(scheme, "leaf_twice", scheme->leaf_twice, "given leaves are not hashed: false");
    return PLEACH_OK;
}

pleach_status pleach__scheme_check(const pleach_scheme *scheme)
{
    if (!scheme)
        return pleach__fail(PLEACH_EINVAL, "scheme = NULL");
    if (!pleach__hash_family_of(scheme->family))
        return pleach__fail(PLEACH_EINVAL, "scheme %s: family = %d: there are %d that hash",
                            pleach__scheme_name(scheme), (int)scheme->family, (int)PLEACH_HASH_FAMILIES);
    if (!is_prefix(scheme->node_prefix))
        return refuse(scheme, "node_prefix", scheme->node_prefix, "a byte, 0 to 255, or PLEACH_NO_PREFIX");
    pleach_status status = check_leaf_rule(scheme);
    if (status != PLEACH_OK)
        return status;
    if ((scheme->leaf_twice || scheme->node_twice) && scheme->family != PLEACH_SHA256)
        return refuse(scheme, "family", (int)scheme->family, "only SHA-256 is hashed twice");
    if ((scheme->leaf_prefix != PLEACH_NO_PREFIX || scheme->node_prefix != PLEACH_NO_PREFIX) &&
        scheme->family != PLEACH_SHA256)
        return refuse(scheme, "family", (int)scheme->family, "only SHA-256 is hashed with a prefix");
    if ((unsigned)scheme->lone > PLEACH_LONE_ZERO_PADDED)
        return refuse(scheme, "lone", (int)scheme->lone, "not a pleach_lone_node");
    if ((unsigned)scheme->empty > PLEACH_EMPTY_ZEROS)
        return refuse(scheme, "empty", (int)scheme->empty, "not a pleach_empty_tree");
    if (scheme->depth > DEPTH_MAX)
        return pleach__fail(PLEACH_EINVAL, "scheme %s: depth = %u: at most %d", pleach__scheme_name(scheme),
                            scheme->depth, DEPTH_MAX);
    if (scheme->depth > 0 && scheme->lone != PLEACH_LONE_ZERO_PADDED)
        return refuse(scheme, "depth", (int)scheme->depth, "only zero-padded schemes have one");
    return PLEACH_OK;
}

pleach_status pleach__scheme_check_count(const pleach_scheme *scheme, uint64_t count)
{
    if (count == 0 && scheme->empty == PLEACH_EMPTY_REFUSED)
        return pleach__fail(PLEACH_EINVAL, "count = 0: scheme %s has no tree without leaves",
                            pleach__scheme_name(scheme));
    if (scheme->lone == PLEACH_LONE_REFUSED && (count & (count - 1)) != 0)
        return pleach__fail(PLEACH_EINVAL, "count = %llu: scheme %s takes powers of two only",
                            (unsigned long long)count, pleach__scheme_name(scheme));
    if (scheme->depth > 0 && count > (uint64_t)1 << scheme->depth)
        return pleach__fail(PLEACH_ERANGE, "count = %llu: scheme %s has a depth of %u", (unsigned long long)count,
                            pleach__scheme_name(scheme), scheme->depth);
    return PLEACH_OK;
}

unsigned pleach__scheme_levels(const pleach_scheme *scheme, uint64_t count)
{
    return count > 0 && scheme->depth > 0 ? scheme->depth + 1 : pleach__levels(count);
}

/* Of the plans, those that the nodes need. */
static pleach_status plan_nodes(const pleach_scheme *scheme, pleach__hashing *hashing)
{
    const pleach__hash_form node = {
        .size = 2 * PLEACH_DIGEST_SIZE, .prefix = scheme->node_prefix, .twice = scheme->node_twice};
    hashing->family = scheme->family;
    hashing->given = scheme->leaf_given;
    hashing->lone = scheme->lone;
    hashing->depth = scheme->depth;
    return pleach__family_of(scheme->family)->plan(&hashing->node, &node);
}

static pleach_status fill_zero_subtrees(pleach__hashing *hashing)
{
    const pleach__backend *backend = NULL;
    pleach_status status = pleach__backend_of(NULL, hashing->family, &backend);
    memset(hashing->zero[0], 0, PLEACH_DIGEST_SIZE);
    for (unsigned level = 0; status == PLEACH_OK && level + 1 < PLEACH__LEVELS_MAX; level++)
        pleach__hash_pair(hashing, backend, hashing->zero[level], hashing->zero[level], hashing->zero[level + 1]);
    return status;
}

/* Those of SSZ are kept: small trees would spend most of their time on them. */
static pleach__hashing ssz;
static pleach_status ssz_status;

static void fill_ssz(void)
{
    ssz_status = plan_nodes(PLEACH_SCHEME_SSZ, &ssz);
    if (ssz_status == PLEACH_OK)
        ssz_status = fill_zero_subtrees(&ssz);
}

static pleach_status find_zero_subtrees(const pleach_scheme *scheme, pleach__hashing *hashing)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const pleach_scheme *kept = PLEACH_SCHEME_SSZ;
    if (scheme->family != kept->family || scheme->node_prefix != kept->node_prefix ||
        scheme->node_twice != kept->node_twice || pthread_once(&once, fill_ssz) != 0 || ssz_status != PLEACH_OK)
        return fill_zero_subtrees(hashing);
    memcpy(hashing->zero, ssz.zero, sizeof ssz.zero);
    return PLEACH_OK;
}

pleach_status pleach__scheme_nodes(const pleach_scheme *scheme, pleach__hashing *hashing)
{
    pleach_status status = pleach__scheme_check(scheme);
    if (status == PLEACH_OK)
        status = plan_nodes(scheme, hashing);
    if (status == PLEACH_OK && scheme->lone == PLEACH_LONE_ZERO_PADDED)
        status = find_zero_subtrees(scheme, hashing);
    return status;
}

pleach_status pleach__scheme_hashing(const pleach_scheme *scheme, size_t size, size_t zeros, pleach__hashing *hashing)
{
    pleach_status status = pleach__scheme_nodes(scheme, hashing);
    if (status != PLEACH_OK)
        return status;
    const size_t most = scheme->family == PLEACH_BLAKE2S && !scheme->leaf_given ? ZEROS_MAX : 0;
    if (zeros > most)
        return pleach__fail(PLEACH_EINVAL, "zeros = %zu: scheme %s takes at most %zu", zeros,
                            pleach__scheme_name(scheme), most);
    if (scheme->leaf_given && size != PLEACH_DIGEST_SIZE)
        return pleach__fail(PLEACH_EINVAL, "size = %zu: leaves of scheme %s are digests of %d bytes", size,
                            pleach__scheme_name(scheme), PLEACH_DIGEST_SIZE);
    if (scheme->leaf_given)
        return PLEACH_OK;
    const pleach__hash_form leaf = {
        .size = size, .zeros = zeros, .prefix = scheme->leaf_prefix, .twice = scheme->leaf_twice};
    return pleach__family_of(scheme->family)->plan(&hashing->leaf, &leaf);
}

pleach_status pleach__backend_of(pleach_pool *pool, pleach_family family, const pleach__backend **backend)
{
    const pleach_kernels *kernels = pleach_pool_kernels(pool);
    if (!kernels)
        return pleach__fail(PLEACH_EBACKEND, "no backend gives right digests on this host");
    *backend = kernels->backend[family];
    return PLEACH_OK;
}

/* The hash of nothing. */
static pleach_status hash_nothing(const pleach_scheme *scheme, const pleach__backend *backend, uint8_t *root)
{
    const pleach__hash_form nothing = {.prefix = PLEACH_NO_PREFIX};
    pleach__hash_plan plan;
    pleach_status status = pleach__family_of(scheme->family)->plan(&plan, &nothing);
    if (status == PLEACH_OK)
        backend->hash_many(&plan, (const uint8_t *)"", 0, 1, root);
    return status;
}

pleach_status pleach__scheme_empty_root(const pleach_scheme *scheme, pleach_pool *pool, uint8_t *root)
{
    const pleach__backend *backend = NULL;
    pleach__hashing hashing;
    pleach_status status = pleach__backend_of(pool, scheme->family, &backend);
    if (status != PLEACH_OK)
        return status;
    if (scheme->empty == PLEACH_EMPTY_HASH)
        return hash_nothing(scheme, backend, root);
    if (scheme->depth > 0)
        status = pleach__scheme_nodes(scheme, &hashing);
    if (status != PLEACH_OK)
        return status;
    if (scheme->depth > 0)
        memcpy(root, hashing.zero[scheme->depth], PLEACH_DIGEST_SIZE);
    else
        memset(root, 0, PLEACH_DIGEST_SIZE);
    return PLEACH_OK;
}

pleach_status pleach_merkle_leaf(const pleach_scheme *scheme, const uint8_t *leaf, size_t size, size_t zeros,
                                 uint8_t *digest)
{
    if ((!leaf && size > 0) || !digest)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", digest ? "leaf" : "digest");
    pleach__hashing hashing;
    const pleach__backend *backend = NULL;
    pleach_status status = pleach__scheme_hashing(scheme, size, zeros, &hashing);
    if (status == PLEACH_OK)
        status = pleach__backend_of(NULL, scheme->family, &backend);
    if (status != PLEACH_OK)
        return status;
    if (hashing.given)
        memmove(digest, leaf, PLEACH_DIGEST_SIZE);
    else
        backend->hash_many(&hashing.leaf, size > 0 ? leaf : (const uint8_t *)"", size, 1, digest);
    return PLEACH_OK;
}

void pleach__hash_pair(const pleach__hashing *hashing, const pleach__backend *backend, const uint8_t *left,
                       const uint8_t *right, uint8_t *parent)
{
    uint8_t pair[2 * PLEACH_DIGEST_SIZE];
    memcpy(pair, left, PLEACH_DIGEST_SIZE);
    memcpy(pair + PLEACH_DIGEST_SIZE, right, PLEACH_DIGEST_SIZE);
    backend->hash_many(&hashing->node, pair, sizeof pair, 1, parent);
}

void pleach__hash_lone(const pleach__hashing *hashing, const pleach__backend *backend, unsigned level,
                       const uint8_t *node, uint8_t *parent)
{
    if (hashing->lone == PLEACH_LONE_DUPLICATED)
        pleach__hash_pair(hashing, backend, node, node, parent);
    else if (hashing->lone == PLEACH_LONE_ZERO_PADDED)
        pleach__hash_pair(hashing, backend, node, hashing->zero[level], parent);
    else
        memmove(parent, node, PLEACH_DIGEST_SIZE);
}

void pleach__raise(const pleach__hashing *hashing, const pleach__backend *backend, unsigned from, unsigned to,
                   uint8_t *node)
{
    for (unsigned level = from; level < to; level++)
        pleach__hash_lone(hashing, backend, level, node, node);
}

void pleach__hash_parents(const pleach__hashing *hashing, const pleach__backend *backend, unsigned level,
                          const uint8_t *nodes, size_t count, uint8_t *parents)
{
    const size_t pairs = count / 2;
    backend->hash_many(&hashing->node, nodes, 2 * PLEACH_DIGEST_SIZE, pairs, parents);
    if (count % 2 != 0)
        pleach__hash_lone(hashing, backend, level, nodes + PLEACH_DIGEST_SIZE * 2 * pairs,
                          parents + PLEACH_DIGEST_SIZE * pairs);
}
