#include "config/error.h"
#include "merkle/scheme.h"
#include "merkle/shape.h"

#include <string.h>

/*
 * Up to the level where the leaf's ancestor becomes the last node of its level, every level has a sibling: left or
 * right as the bits of the index say. From there on only left ones are met, one for each bit that is set.
 */
static unsigned inner_levels(uint64_t index, uint64_t count)
{
    return pleach__bit_length(index ^ (count - 1));
}

static pleach_status check_index(const pleach_scheme *scheme, uint64_t index, uint64_t count)
{
    pleach_status status = pleach__scheme_check(scheme);
    if (status != PLEACH_OK)
        return status;
    if (index >= count)
        return pleach__fail(PLEACH_EPROOFINDEX, "index = %llu: of %llu leaves", (unsigned long long)index,
                            (unsigned long long)count);
    return pleach__scheme_check_count(scheme, count);
}

static size_t path_length(uint64_t index, uint64_t count)
{
    unsigned inner = inner_levels(index, count);
    return inner + (inner < 64 ? (size_t)__builtin_popcountll(index >> inner) : 0);
}

pleach_status pleach_merkle_path_length(const pleach_scheme *scheme, uint64_t index, uint64_t count, size_t *nodes)
{
    if (!nodes)
        return pleach__fail(PLEACH_EINVAL, "nodes = NULL");
    pleach_status status = check_index(scheme, index, count);
    if (status == PLEACH_OK)
        *nodes = path_length(index, count);
    return status;
}

pleach_status pleach_merkle_verify(const pleach_scheme *scheme, uint64_t index, uint64_t count,
                                   const uint8_t *leaf_hash, const uint8_t *path, size_t nodes, const uint8_t *root)
{
    if (!leaf_hash || !root || (!path && nodes > 0))
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", !leaf_hash ? "leaf_hash" : !root ? "root" : "path");
    pleach__hashing hashing;
    const pleach__backend *backend = NULL;
    pleach_status status = check_index(scheme, index, count);
    if (status != PLEACH_OK)
        return status;
    if (nodes != path_length(index, count))
        return pleach__fail(PLEACH_EPROOFLENGTH, "nodes = %zu: index %llu of %llu leaves has %zu", nodes,
                            (unsigned long long)index, (unsigned long long)count, path_length(index, count));
    status = pleach__scheme_hashing(scheme, 0, 0, &hashing);
    if (status == PLEACH_OK)
        status = pleach__backend_of(NULL, scheme->family, &backend);
    if (status != PLEACH_OK)
        return status;

    uint8_t pair[2 * PLEACH_DIGEST_SIZE], node[PLEACH_DIGEST_SIZE];
    const unsigned inner = inner_levels(index, count);
    memcpy(node, leaf_hash, sizeof node);
    for (size_t i = 0; i < nodes; i++) {
        bool is_right = i >= inner || (index >> i & 1) != 0;
        memcpy(pair + (is_right ? PLEACH_DIGEST_SIZE : 0), node, PLEACH_DIGEST_SIZE);
        memcpy(pair + (is_right ? 0 : PLEACH_DIGEST_SIZE), path + PLEACH_DIGEST_SIZE * i, PLEACH_DIGEST_SIZE);
        backend->hash_many(&hashing.node, pair, sizeof pair, 1, node);
    }
    if (memcmp(node, root, sizeof node) != 0)
        return pleach__fail(PLEACH_EPROOFROOT, "the proof of index %llu of %llu leaves leads to another root",
                            (unsigned long long)index, (unsigned long long)count);
    return PLEACH_OK;
}
