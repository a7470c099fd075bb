#include "merkle_test.h"

#include <string.h>

enum { D = PLEACH_DIGEST_SIZE };

void naive_leaf(const pleach_scheme *scheme, const uint8_t *leaf, size_t size, size_t zeros, uint8_t *digest)
{
    const pleach__hash_form form = {.size = size, .zeros = zeros, .prefix = scheme->leaf_prefix};
    pleach__family_of(scheme->family)->reference(&form, leaf, digest);
}

static void naive_node(const pleach_scheme *scheme, const uint8_t *left, const uint8_t *right, uint8_t *node)
{
    const pleach__hash_form form = {.size = 2 * D, .prefix = scheme->node_prefix};
    uint8_t pair[2 * D];
    memcpy(pair, left, D);
    memcpy(pair + D, right, D);
    pleach__family_of(scheme->family)->reference(&form, pair, node);
}

static uint64_t split(uint64_t n)
{
    uint64_t left = 1;
    while (left < n - left)
        left *= 2;
    return left;
}

void naive_root(const pleach_scheme *scheme, const uint8_t *hashes, size_t n, uint8_t *root)
{
    if (n == 1) {
        memcpy(root, hashes, D);
        return;
    }
    uint8_t left[D], right[D];
    size_t k = (size_t)split(n);
    naive_root(scheme, hashes, k, left);
    naive_root(scheme, hashes + D * k, n - k, right);
    naive_node(scheme, left, right, root);
}

size_t naive_path(const pleach_scheme *scheme, const uint8_t *hashes, size_t n, size_t index, uint8_t *path,
                  uint8_t *sides)
{
    if (n == 1)
        return 0;
    size_t k = (size_t)split(n), length;
    if (index < k) {
        length = naive_path(scheme, hashes, k, index, path, sides);
        naive_root(scheme, hashes + D * k, n - k, path + D * length);
    } else {
        length = naive_path(scheme, hashes + D * k, n - k, index - k, path, sides);
        naive_root(scheme, hashes, k, path + D * length);
    }
    sides[length] = index < k ? 'R' : 'L';
    return length + 1;
}

size_t naive_sides(uint64_t n, uint64_t index, uint8_t *sides)
{
    if (n == 1)
        return 0;
    uint64_t k = split(n);
    size_t length = index < k ? naive_sides(k, index, sides) : naive_sides(n - k, index - k, sides);
    sides[length] = index < k ? 'R' : 'L';
    return length + 1;
}

unsigned naive_levels(const pleach_scheme *scheme, const uint8_t *hashes, size_t n, uint8_t *nodes,
                      const uint8_t *level[LEVELS])
{
    unsigned levels = 0;
    memcpy(nodes, hashes, D * n);
    for (;; n = (n + 1) / 2) {
        level[levels++] = nodes;
        if (n == 1)
            return levels;
        uint8_t *parents = nodes + D * n;
        for (size_t i = 0; i < n / 2; i++)
            naive_node(scheme, nodes + 2 * D * i, nodes + 2 * D * i + D, parents + D * i);
        if (n % 2 != 0)
            memcpy(parents + D * (n / 2), nodes + D * (n - 1), D);
        nodes = parents;
    }
}
