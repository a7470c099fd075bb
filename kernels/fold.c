#include "kernels/backend.h"

#include <string.h>

/* Leaves are folded in blocks of 2^8, whose nodes fit the first-level cache; then the blocks' roots are. */
enum { BLOCK_HEIGHT = 8, BLOCK_LEAVES = 1 << BLOCK_HEIGHT };
_Static_assert((int)PLEACH__FOLD_HEIGHT_MAX <= 2 * (int)BLOCK_HEIGHT, "a block holds the roots of all blocks");

static uint8_t *place(const pleach__fold *fold, unsigned level, size_t index, uint8_t *otherwise)
{
    uint8_t *digests = fold->level[level];
    return digests ? digests + PLEACH_DIGEST_SIZE * index : otherwise;
}

/* Folds the 2^height digests at `nodes`, which are those of `level` from block * 2^height on, to the one it returns. */
static const uint8_t *fold_nodes(const pleach__fold *fold, const pleach__backend *backend, const uint8_t *nodes,
                                 unsigned level, unsigned height, size_t block, uint8_t *scratch)
{
    while (height > 0) {
        size_t count = (size_t)1 << --height;
        uint8_t *parents = place(fold, ++level, block * count, scratch);
        backend->hash_many(fold->node, nodes, 2 * PLEACH_DIGEST_SIZE, count, parents);
        nodes = parents;
    }
    return nodes;
}

void pleach__fold_levels(const pleach__fold *fold, const pleach__backend *backend)
{
    uint8_t scratch[BLOCK_LEAVES * PLEACH_DIGEST_SIZE], roots[BLOCK_LEAVES * PLEACH_DIGEST_SIZE];
    unsigned height = fold->height < BLOCK_HEIGHT ? fold->height : BLOCK_HEIGHT, rest = fold->height - height;
    size_t leaves = (size_t)1 << height, blocks = (size_t)1 << rest;
    for (size_t block = 0; block < blocks; block++) {
        uint8_t *hashes = place(fold, 0, block * leaves, scratch);
        backend->hash_many(fold->leaf, fold->leaves + block * leaves * fold->stride, fold->stride, leaves, hashes);
        const uint8_t *root = fold_nodes(fold, backend, hashes, 0, height, block, scratch);
        memcpy(roots + PLEACH_DIGEST_SIZE * block, root, PLEACH_DIGEST_SIZE);
    }
    (void)fold_nodes(fold, backend, roots, height, rest, 0, scratch);
}
