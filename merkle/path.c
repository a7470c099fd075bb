#include "merkle/path.h"

#include "config/error.h"

#include <string.h>

pleach_status pleach__check_place(const pleach_scheme *scheme, uint64_t index, uint64_t count)
{
    pleach_status status = pleach__scheme_check(scheme);
    if (status != PLEACH_OK)
        return status;
    if (index >= count)
        return pleach__fail(PLEACH_EPROOFINDEX, "index = %llu: of %llu leaves", (unsigned long long)index,
                            (unsigned long long)count);
    return pleach__scheme_check_count(scheme, count);
}

/*
 * Up to the level where the leaf's ancestor becomes the last node of its level, every level has a sibling. From there
 * on only left ones are met, one for each bit of the position that is set.
 */
static size_t siblings(uint64_t position, uint64_t last)
{
    const unsigned inner = pleach__bit_length(position ^ last);
    return inner + (inner < 64 ? (size_t)__builtin_popcountll(position >> inner) : 0);
}

size_t pleach__path_length(pleach_lone_node lone, unsigned levels, uint64_t index, uint64_t count)
{
    return lone == PLEACH_LONE_PROMOTED ? siblings(index, count - 1) : levels - 1;
}

pleach_status pleach__check_promotes(const pleach_scheme *scheme)
{
    pleach_status status = pleach__scheme_check(scheme);
    if (status == PLEACH_OK && scheme->lone != PLEACH_LONE_PROMOTED)
        return pleach__fail(PLEACH_EINVAL, "scheme %s: lone = %d: consistency is proved where lone nodes are promoted",
                            pleach__scheme_name(scheme), (int)scheme->lone);
    return status;
}

pleach_status pleach__check_ages(const pleach_scheme *scheme, uint64_t older, uint64_t newer)
{
    pleach_status status = pleach__check_promotes(scheme);
    if (status != PLEACH_OK)
        return status;
    if (older == 0)
        return pleach__fail(PLEACH_EPROOFEMPTY, "older = 0: every tree begins with no leaves");
    if (older > newer)
        return pleach__fail(PLEACH_EPROOFORDER, "older = %llu: the newer tree has %llu leaves",
                            (unsigned long long)older, (unsigned long long)newer);
    return PLEACH_OK;
}

/*
 * The path of the largest perfect subtree that ends where the older tree does, and before it that subtree's root unless
 * it is all of the older tree.
 */
size_t pleach__consistency_length(uint64_t older, uint64_t newer)
{
    if (older == newer)
        return 0;
    const unsigned level = (unsigned)__builtin_ctzll(older);
    return (older >> level != 1) + siblings((older - 1) >> level, (newer - 1) >> level);
}

pleach_status pleach__check_nodes(size_t nodes, size_t expected)
{
    if (nodes != expected)
        return pleach__fail(PLEACH_EPROOFLENGTH, "nodes = %zu: a proof of this shape has %zu", nodes, expected);
    return PLEACH_OK;
}

pleach_status pleach__check_capacity(size_t capacity, size_t nodes)
{
    if (nodes > capacity)
        return pleach__fail(PLEACH_ERANGE, "capacity = %zu: the proof has %zu nodes", capacity, nodes);
    return PLEACH_OK;
}

/* The sibling that the scheme makes for a node that has none; NULL = it is promoted. */
static const uint8_t *made_sibling(const pleach_tree *tree, const pleach__hashing *zeros, unsigned level, size_t node)
{
    switch (pleach_tree_scheme(tree)->lone) {
    case PLEACH_LONE_DUPLICATED:
        return pleach_tree_nodes(tree, level, node, NULL);
    case PLEACH_LONE_ZERO_PADDED:
        return zeros->zero[level];
    default:
        return NULL;
    }
}

uint8_t *pleach__copy_siblings(const pleach_tree *tree, const pleach__hashing *zeros, unsigned level, uint64_t position,
                               uint8_t *path)
{
    const unsigned levels = pleach_tree_levels(tree);
    for (; level + 1 < levels; level++, position /= 2) {
        const uint8_t *sibling = pleach_tree_nodes(tree, level, (size_t)position ^ 1, NULL);
        if (!sibling)
            sibling = made_sibling(tree, zeros, level, (size_t)position);
        if (!sibling)
            continue;
        memcpy(path, sibling, PLEACH_DIGEST_SIZE);
        path += PLEACH_DIGEST_SIZE;
    }
    return path;
}
