#include "merkle/frontier.h"

#include <string.h>

static void join(const pleach__frontier *frontier, const uint8_t *left, const uint8_t *right, uint8_t *parent)
{
    uint8_t pair[2 * PLEACH_DIGEST_SIZE];
    memcpy(pair, left, PLEACH_DIGEST_SIZE);
    memcpy(pair + PLEACH_DIGEST_SIZE, right, PLEACH_DIGEST_SIZE);
    frontier->backend->hash_many(frontier->node, pair, sizeof pair, 1, parent);
}

void pleach__frontier_append(pleach__frontier *frontier, const uint8_t *root)
{
    uint8_t grown[PLEACH_DIGEST_SIZE];
    memcpy(grown, root, sizeof grown);
    for (uint64_t carry = frontier->count++; carry & 1; carry >>= 1)
        join(frontier, frontier->roots[--frontier->held], grown, grown);
    memcpy(frontier->roots[frontier->held++], grown, sizeof grown);
}

void pleach__frontier_root(const pleach__frontier *frontier, uint8_t *root)
{
    unsigned left = frontier->held;
    uint8_t grown[PLEACH_DIGEST_SIZE];
    memcpy(grown, frontier->roots[--left], sizeof grown);
    while (left > 0)
        join(frontier, frontier->roots[--left], grown, grown);
    memcpy(root, grown, sizeof grown);
}
