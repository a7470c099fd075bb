/*
 * A key in bytes. Numbers are little-endian.
 *
 *   8   "PLEACHXK"
 *   4   version: 1
 *   4   where what was used is to be found: 0 = below, 1 = in a file of its own, and below is that of a new key
 *   4   first epoch of the range
 *   4   last epoch
 *   32  seed
 *   32  public key
 *   64  what was used: 8 least epoch that was not; 4 whether the one before was signed for; 4 zero; then, or zeros,
 *       32 its message and 16 the end of its randomness
 *   16  each node of the level that divides the range, first to last
 *   32  BLAKE2s digest of all that comes before
 */
#include "xmss/key_object.h"

#include "config/error.h"
#include "config/little_endian.h"
#include "kernels/blake2s/blake2s.h"

#include <string.h>

enum {
    HASH = PLEACH__XMSS_HASH,
    MAGIC = 8,
    VERSION_AT = MAGIC,
    WHERE_AT = VERSION_AT + 4,
    FIRST_AT = WHERE_AT + 4,
    LAST_AT = FIRST_AT + 4,
    SEED_AT = LAST_AT + 4,
    PUBLIC_AT = SEED_AT + PLEACH_XMSS_SEED_SIZE,
    USED_AT = PUBLIC_AT + PLEACH_XMSS_PUBLIC_KEY_SIZE,
    NODES_AT = USED_AT + PLEACH__XMSS_USED_SIZE,
    CHECKSUM = PLEACH_DIGEST_SIZE,
    VERSION = 1,
};

static const uint8_t magic[MAGIC] = {'P', 'L', 'E', 'A', 'C', 'H', 'X', 'K'};

void pleach__xmss_used_put(const pleach__xmss_used *used, uint8_t bytes[PLEACH__XMSS_USED_SIZE])
{
    pleach__put64(bytes, used->next);
    pleach__put32(bytes + 8, used->has_last);
    pleach__put32(bytes + 12, 0);
    memcpy(bytes + 16, used->message, sizeof used->message);
    memcpy(bytes + 48, used->suffix, sizeof used->suffix);
}

bool pleach__xmss_used_get(pleach__xmss_used *used, const uint8_t bytes[PLEACH__XMSS_USED_SIZE], uint32_t first,
                           uint32_t last)
{
    static const uint8_t zeros[48];
    *used = (pleach__xmss_used){.next = pleach__get64(bytes), .has_last = pleach__get32(bytes + 8) == 1};
    memcpy(used->message, bytes + 16, sizeof used->message);
    memcpy(used->suffix, bytes + 48, sizeof used->suffix);
    return used->next >= first && used->next <= (uint64_t)last + 1 && pleach__get32(bytes + 8) <= 1 &&
           pleach__get32(bytes + 12) == 0 && (!used->has_last || used->next > first) &&
           (used->has_last || memcmp(bytes + 16, zeros, sizeof zeros) == 0);
}

void pleach__xmss_checksum(const uint8_t *bytes, size_t size, uint8_t digest[PLEACH_DIGEST_SIZE])
{
    pleach__hash_plan plan;
    (void)pleach__blake2s.plan(&plan, &(pleach__hash_form){.size = size, .prefix = PLEACH__NO_PREFIX});
    pleach__blake2s_portable.hash_many(&plan, bytes, size, 1, digest);
}

/* Nodes of the level that divides the range. */
static size_t nodes_of(uint32_t first, uint32_t last)
{
    const unsigned split = pleach__xmss_split(first, last);
    return (size_t)(last >> split) - (first >> split) + 1;
}

static size_t size_of(uint32_t first, uint32_t last)
{
    return NODES_AT + HASH * nodes_of(first, last) + CHECKSUM;
}

size_t pleach_xmss_key_size(const pleach_xmss_key *key)
{
    return key ? size_of(key->first, key->last) : 0;
}

void pleach__xmss_key_put(const pleach_xmss_key *key, uint32_t where, uint8_t *bytes)
{
    const pleach__xmss_used unused = {.next = key->first};
    const size_t nodes = nodes_of(key->first, key->last);
    memcpy(bytes, magic, sizeof magic);
    pleach__put32(bytes + VERSION_AT, VERSION);
    pleach__put32(bytes + WHERE_AT, where);
    pleach__put32(bytes + FIRST_AT, key->first);
    pleach__put32(bytes + LAST_AT, key->last);
    memcpy(bytes + SEED_AT, key->secret.seed, sizeof key->secret.seed);
    memcpy(bytes + PUBLIC_AT, key->public_key, sizeof key->public_key);
    pleach__xmss_used_put(where == PLEACH__XMSS_USED_HERE ? &key->used : &unused, bytes + USED_AT);
    memcpy(bytes + NODES_AT, pleach__xmss_tree_node(&key->top, key->split, key->top.first), HASH * nodes);
    pleach__xmss_checksum(bytes, NODES_AT + HASH * nodes, bytes + NODES_AT + HASH * nodes);
}

pleach_status pleach_xmss_key_serialise(pleach_xmss_key *key, uint8_t *bytes)
{
    if (!key || !bytes)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", key ? "bytes" : "key");
    (void)pthread_mutex_lock(&key->lock);
    const bool alone = key->file < 0 && !key->closed;
    if (alone)
        pleach__xmss_key_put(key, PLEACH__XMSS_USED_HERE, bytes);
    (void)pthread_mutex_unlock(&key->lock);
    return alone ? PLEACH_OK : pleach__fail(PLEACH_EINVAL, "key: it is in a file");
}

static pleach_status check(const uint8_t *bytes, size_t size, uint32_t where)
{
    uint8_t digest[CHECKSUM];
    if (size < NODES_AT + CHECKSUM)
        return pleach__fail(PLEACH_ETRUNCATED, "size = %zu: a key has more", size);
    if (memcmp(bytes, magic, sizeof magic) != 0)
        return pleach__fail(PLEACH_EFORMAT, "this is no key of XMSS");
    if (pleach__get32(bytes + VERSION_AT) != VERSION)
        return pleach__fail(PLEACH_EVERSION, "version = %lu: %d", (unsigned long)pleach__get32(bytes + VERSION_AT),
                            (int)VERSION);
    const uint32_t first = pleach__get32(bytes + FIRST_AT), last = pleach__get32(bytes + LAST_AT);
    if (first > last)
        return pleach__fail(PLEACH_EFORMAT, "first epoch = %lu: at most the last, %lu", (unsigned long)first,
                            (unsigned long)last);
    if (size != size_of(first, last))
        return pleach__fail(size < size_of(first, last) ? PLEACH_ETRUNCATED : PLEACH_ETRAILING, "size = %zu: %zu", size,
                            size_of(first, last));
    pleach__xmss_checksum(bytes, size - CHECKSUM, digest);
    if (memcmp(digest, bytes + size - CHECKSUM, sizeof digest) != 0)
        return pleach__fail(PLEACH_ECHECKSUM, "the key is damaged");
    if (pleach__get32(bytes + WHERE_AT) > PLEACH__XMSS_USED_IN_FILE)
        return pleach__fail(PLEACH_EFORMAT, "there is no such kind of key: %lu",
                            (unsigned long)pleach__get32(bytes + WHERE_AT));
    if (pleach__get32(bytes + WHERE_AT) != where)
        return pleach__fail(PLEACH_EXMSSSTATE, "what the key used is %s",
                            where == PLEACH__XMSS_USED_HERE ? "in a file of its own" : "not in a file of its own");
    return PLEACH_OK;
}

pleach_status pleach__xmss_key_get(pleach_pool *pool, const uint8_t *bytes, size_t size, uint32_t where,
                                   pleach_xmss_key **key)
{
    const pleach__compress_lanes *c = pleach__xmss_lanes(pleach_pool_kernels(pool));
    pleach_status status = c ? check(bytes, size, where) : PLEACH_EBACKEND;
    if (status != PLEACH_OK)
        return status;
    const uint32_t first = pleach__get32(bytes + FIRST_AT), last = pleach__get32(bytes + LAST_AT);
    pleach_xmss_key *got = pleach__xmss_key_new(bytes + SEED_AT, first, last);
    if (!got)
        return PLEACH_ENOMEM;
    memcpy(pleach__xmss_tree_node(&got->top, got->split, got->top.first), bytes + NODES_AT,
           HASH * nodes_of(first, last));
    pleach__xmss_key_finish(c, got);
    if (memcmp(got->public_key, bytes + PUBLIC_AT, sizeof got->public_key) != 0)
        status = pleach__fail(PLEACH_EFORMAT, "the public key is not that of the seed and the nodes");
    else if (!pleach__xmss_used_get(&got->used, bytes + USED_AT, first, last))
        status = pleach__fail(PLEACH_EFORMAT, "what was used is malformed");
    if (status == PLEACH_OK)
        *key = got;
    else
        pleach_xmss_key_destroy(got);
    return status;
}

pleach_status pleach_xmss_key_parse(pleach_pool *pool, const uint8_t *bytes, size_t size, pleach_xmss_key **key)
{
    if (!bytes || !key)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", bytes ? "key" : "bytes");
    return pleach__xmss_key_get(pool, bytes, size, PLEACH__XMSS_USED_HERE, key);
}
