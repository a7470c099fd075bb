#include "merkle_test.h"

#include <string.h>

enum { D = PLEACH_DIGEST_SIZE };

void naive_leaf(const pleach_scheme *scheme, const uint8_t *leaf, size_t size, size_t zeros, uint8_t *digest)
{
    const pleach__hash_form form = {
        .size = size, .zeros = zeros, .prefix = scheme->leaf_prefix, .twice = scheme->leaf_twice};
    if (scheme->leaf_given)
        memcpy(digest, leaf, D);
    else
        pleach__family_of(scheme->family)->reference(&form, leaf, digest);
}

void naive_node(const pleach_scheme *scheme, const uint8_t *left, const uint8_t *right, uint8_t *node)
{
    const pleach__hash_form form = {.size = 2 * D, .prefix = scheme->node_prefix, .twice = scheme->node_twice};
    uint8_t pair[2 * D];
    memcpy(pair, left, D);
    memcpy(pair + D, right, D);
    pleach__family_of(scheme->family)->reference(&form, pair, node);
}

static void zero_subtree(const pleach_scheme *scheme, unsigned height, uint8_t *root)
{
    memset(root, 0, D);
    for (unsigned h = 0; h < height; h++)
        naive_node(scheme, root, root, root);
}

/* What stands right of a node of `level` that has no sibling; false if nothing does. */
static bool lone_sibling(const pleach_scheme *scheme, unsigned level, const uint8_t *node, uint8_t *sibling)
{
    if (scheme->lone == PLEACH_LONE_ZERO_PADDED)
        zero_subtree(scheme, level, sibling);
    else
        memcpy(sibling, node, D);
    return scheme->lone == PLEACH_LONE_DUPLICATED || scheme->lone == PLEACH_LONE_ZERO_PADDED;
}

unsigned naive_height(const pleach_scheme *scheme, uint64_t n)
{
    unsigned height = 0;
    while (height < 64 && n > (uint64_t)1 << height)
        height++;
    return scheme->depth > 0 ? scheme->depth : height;
}

/* The root over n leaf hashes, 0 < n <= 2^height, at that height. */
static void subtree_root(const pleach_scheme *scheme, const uint8_t *hashes, size_t n, unsigned height, uint8_t *root)
{
    uint8_t left[D], right[D];
    if (height == 0) {
        memcpy(root, hashes, D);
        return;
    }
    const uint64_t half = (uint64_t)1 << (height - 1);
    subtree_root(scheme, hashes, n < half ? n : (size_t)half, height - 1, left);
    if (n > half)
        subtree_root(scheme, hashes + D * half, n - (size_t)half, height - 1, right);
    else if (!lone_sibling(scheme, height - 1, left, right)) {
        memcpy(root, left, D);
        return;
    }
    naive_node(scheme, left, right, root);
}

void naive_root(const pleach_scheme *scheme, const uint8_t *hashes, size_t n, uint8_t *root)
{
    const pleach__hash_form nothing = {.prefix = PLEACH_NO_PREFIX};
    if (n > 0)
        subtree_root(scheme, hashes, n, naive_height(scheme, n), root);
    else if (scheme->empty == PLEACH_EMPTY_HASH)
        pleach__family_of(scheme->family)->reference(&nothing, (const uint8_t *)"", root);
    else
        zero_subtree(scheme, scheme->depth, root);
}

static size_t subtree_path(const pleach_scheme *scheme, const uint8_t *hashes, size_t n, unsigned height, size_t index,
                           uint8_t *path, uint8_t *sides)
{
    if (height == 0)
        return 0;
    const uint64_t half = (uint64_t)1 << (height - 1);
    const size_t left = n < half ? n : (size_t)half;
    uint8_t node[D];
    size_t length;
    bool has_sibling = true;
    if (index < half) {
        length = subtree_path(scheme, hashes, left, height - 1, index, path, sides);
        subtree_root(scheme, hashes, left, height - 1, node);
        if (n > half)
            subtree_root(scheme, hashes + D * half, n - left, height - 1, path + D * length);
        else
            has_sibling = lone_sibling(scheme, height - 1, node, path + D * length);
    } else {
        length = subtree_path(scheme, hashes + D * half, n - left, height - 1, index - left, path, sides);
        subtree_root(scheme, hashes, left, height - 1, path + D * length);
    }
    sides[length] = index < half ? 'R' : 'L';
    return length + has_sibling;
}

size_t naive_path(const pleach_scheme *scheme, const uint8_t *hashes, size_t n, size_t index, uint8_t *path,
                  uint8_t *sides)
{
    return subtree_path(scheme, hashes, n, naive_height(scheme, n), index, path, sides);
}

size_t naive_sides(uint64_t n, uint64_t index, uint8_t *sides)
{
    if (n == 1)
        return 0;
    uint64_t k = 1;
    while (k < n - k)
        k *= 2;
    size_t length = index < k ? naive_sides(k, index, sides) : naive_sides(n - k, index - k, sides);
    sides[length] = index < k ? 'R' : 'L';
    return length + 1;
}

unsigned naive_levels(const pleach_scheme *scheme, const uint8_t *hashes, size_t n, uint8_t *nodes,
                      const uint8_t *level[LEVELS])
{
    const unsigned height = naive_height(scheme, n);
    memcpy(nodes, hashes, D * n);
    for (unsigned l = 0;; l++) {
        level[l] = nodes;
        if (l == height)
            return height + 1;
        uint8_t *parents = nodes + D * n, sibling[D];
        const uint8_t *last = nodes + D * (n - 1);
        for (size_t i = 0; i < n / 2; i++)
            naive_node(scheme, nodes + 2 * D * i, nodes + 2 * D * i + D, parents + D * i);
        if (n % 2 != 0 && lone_sibling(scheme, l, last, sibling))
            naive_node(scheme, last, sibling, parents + D * (n / 2));
        else if (n % 2 != 0)
            memcpy(parents + D * (n / 2), last, D);
        nodes = parents;
        n = (n + 1) / 2;
    }
}
