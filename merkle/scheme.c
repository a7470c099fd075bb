#include "merkle/scheme.h"

#include "config/error.h"

#include <string.h>

enum { ZEROS_MAX = 16384 };

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
    .empty_tree = true,
};

static const pleach_scheme *const presets[] = {PLEACH_SCHEME_BLAKE2S, PLEACH_SCHEME_RFC6962};

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

pleach_status pleach__scheme_check(const pleach_scheme *scheme)
{
    if (!scheme)
        return pleach__fail(PLEACH_EINVAL, "scheme = NULL");
    if (!pleach__family_of(scheme->family))
        return pleach__fail(PLEACH_EINVAL, "scheme %s: family = %d: there are %d", pleach__scheme_name(scheme),
                            (int)scheme->family, (int)PLEACH_FAMILIES);
    if (!is_prefix(scheme->leaf_prefix) || !is_prefix(scheme->node_prefix))
        return pleach__fail(PLEACH_EINVAL, "scheme %s: prefixes %d and %d: a byte, 0 to 255, or PLEACH_NO_PREFIX",
                            pleach__scheme_name(scheme), scheme->leaf_prefix, scheme->node_prefix);
    if (scheme->lone != PLEACH_LONE_REFUSED && scheme->lone != PLEACH_LONE_PROMOTED)
        return pleach__fail(PLEACH_EINVAL, "scheme %s: lone = %d: not a pleach_lone_node", pleach__scheme_name(scheme),
                            (int)scheme->lone);
    return PLEACH_OK;
}

pleach_status pleach__scheme_check_count(const pleach_scheme *scheme, uint64_t count)
{
    if (count == 0 && !scheme->empty_tree)
        return pleach__fail(PLEACH_EINVAL, "count = 0: scheme %s has no tree without leaves",
                            pleach__scheme_name(scheme));
    if (scheme->lone == PLEACH_LONE_REFUSED && (count & (count - 1)) != 0)
        return pleach__fail(PLEACH_EINVAL, "count = %llu: scheme %s takes powers of two only",
                            (unsigned long long)count, pleach__scheme_name(scheme));
    return PLEACH_OK;
}

pleach_status pleach__scheme_hashing(const pleach_scheme *scheme, size_t size, size_t zeros, pleach__hashing *hashing)
{
    pleach_status status = pleach__scheme_check(scheme);
    if (status != PLEACH_OK)
        return status;
    if (zeros > (scheme->family == PLEACH_BLAKE2S ? ZEROS_MAX : 0))
        return pleach__fail(PLEACH_EINVAL, "zeros = %zu: scheme %s takes at most %d", zeros,
                            pleach__scheme_name(scheme), scheme->family == PLEACH_BLAKE2S ? ZEROS_MAX : 0);
    const pleach__family *family = pleach__family_of(scheme->family);
    const pleach__hash_form leaf = {.size = size, .zeros = zeros, .prefix = scheme->leaf_prefix};
    const pleach__hash_form node = {.size = 2 * PLEACH_DIGEST_SIZE, .prefix = scheme->node_prefix};
    hashing->family = scheme->family;
    status = family->plan(&hashing->leaf, &leaf);
    return status == PLEACH_OK ? family->plan(&hashing->node, &node) : status;
}

pleach_status pleach__backend_of(pleach_pool *pool, pleach_family family, const pleach__backend **backend)
{
    const pleach_kernels *kernels = pleach_pool_kernels(pool);
    if (!kernels)
        return pleach__fail(PLEACH_EBACKEND, "no backend gives right digests on this host");
    *backend = kernels->backend[family];
    return PLEACH_OK;
}

pleach_status pleach__scheme_empty_root(const pleach_scheme *scheme, pleach_pool *pool, uint8_t *root)
{
    const pleach__hash_form nothing = {.prefix = PLEACH_NO_PREFIX};
    const pleach__backend *backend = NULL;
    pleach__hash_plan plan;
    pleach_status status = pleach__backend_of(pool, scheme->family, &backend);
    if (status == PLEACH_OK)
        status = pleach__family_of(scheme->family)->plan(&plan, &nothing);
    if (status == PLEACH_OK)
        backend->hash_many(&plan, (const uint8_t *)"", 0, 1, root);
    return status;
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
    if (status == PLEACH_OK)
        backend->hash_many(&hashing.leaf, size > 0 ? leaf : (const uint8_t *)"", size, 1, digest);
    return status;
}
