#include "merkle/ssz.h"

#include "config/error.h"
#include "config/little_endian.h"
#include "merkle/shape.h"

#include <string.h>

enum { D = PLEACH_DIGEST_SIZE, DEPTH_MAX = 63 };

pleach_status pleach_ssz_scheme(uint64_t limit, pleach_scheme *scheme)
{
    if (!scheme)
        return pleach__fail(PLEACH_EINVAL, "scheme = NULL");
    if (limit != PLEACH_SSZ_NO_LIMIT && limit > (uint64_t)1 << DEPTH_MAX)
        return pleach__fail(PLEACH_ERANGE, "limit = %llu: at most 2^%d", (unsigned long long)limit, DEPTH_MAX);
    *scheme = pleach_scheme_ssz;
    if (limit != PLEACH_SSZ_NO_LIMIT && limit > 1)
        scheme->depth = pleach__levels(limit) - 1;
    return PLEACH_OK;
}

pleach_status pleach_ssz_root(pleach_pool *pool, const uint8_t *chunks, size_t count, uint64_t limit, uint8_t *root)
{
    pleach_scheme scheme;
    pleach_status status = pleach_ssz_scheme(limit, &scheme);
    if (status != PLEACH_OK)
        return status;
    if (count > limit)
        return pleach__fail(PLEACH_ERANGE, "count = %zu: the limit is %llu", count, (unsigned long long)limit);
    return pleach_merkle_root(pool, &scheme, &(pleach_leaves){.data = chunks, .size = D, .stride = D, .count = count},
                              NULL, root);
}

/* parent = H(left || right); may be where either is. */
static pleach_status hash_pair(const uint8_t *left, const uint8_t *right, uint8_t *parent)
{
    uint8_t pair[2 * D];
    memcpy(pair, left, D);
    memcpy(pair + D, right, D);
    return pleach_hash_many(NULL, PLEACH_SHA256, pair, sizeof pair, sizeof pair, 1, parent);
}

pleach_status pleach_ssz_progressive_root(pleach_pool *pool, const uint8_t *chunks, size_t count, uint8_t *root)
{
    if ((!chunks && count > 0) || !root)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", root ? "chunks" : "root");
    if (count > PTRDIFF_MAX / D)
        return pleach__fail(PLEACH_ERANGE, "count = %zu: they would not fit the address space", count);
    uint8_t rest[D] = {0}, subtree[D];
    size_t begin = 0, limit = 1; /* of the last subtree that has chunks */
    for (; count - begin > limit; limit *= 4)
        begin += limit;
    pleach_status status = PLEACH_OK;
    for (size_t end = count; end > 0 && status == PLEACH_OK; end = begin, limit /= 4, begin -= limit) {
        status = pleach_ssz_root(pool, chunks + D * begin, end - begin, limit, subtree);
        if (status == PLEACH_OK)
            status = hash_pair(rest, subtree, rest);
    }
    if (status == PLEACH_OK)
        memcpy(root, rest, D);
    return status;
}

static pleach_status mix_in(const uint8_t *root, uint64_t number, uint8_t *mixed)
{
    if (!root || !mixed)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", root ? "mixed" : "root");
    uint8_t chunk[D] = {0};
    pleach__put64(chunk, number);
    return hash_pair(root, chunk, mixed);
}

pleach_status pleach_ssz_mix_in_length(const uint8_t *root, uint64_t length, uint8_t *mixed)
{
    return mix_in(root, length, mixed);
}

pleach_status pleach_ssz_mix_in_selector(const uint8_t *root, uint8_t selector, uint8_t *mixed)
{
    return mix_in(root, selector, mixed);
}

pleach_status pleach_ssz_concat(uint64_t outer, uint64_t inner, uint64_t *index)
{
    if (outer == 0 || inner == 0 || !index)
        return pleach__fail(PLEACH_EINVAL, "%s", !index ? "index = NULL" : outer == 0 ? "outer = 0" : "inner = 0");
    const unsigned depth = pleach__bit_length(inner) - 1;
    if (pleach__bit_length(outer) + depth > 64)
        return pleach__fail(PLEACH_ERANGE, "outer = %llu, inner = %llu: together more than 64 bits",
                            (unsigned long long)outer, (unsigned long long)inner);
    *index = outer << depth | (inner ^ (uint64_t)1 << depth);
    return PLEACH_OK;
}
