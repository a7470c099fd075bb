/*
 * The right edge of a growing tree: the roots of the perfect subtrees that its leaves so far fall into, largest first.
 * Their sizes are the bits of the number of leaves, here counted in subtrees of one size.
 */
#ifndef PLEACH_FRONTIER_H
#define PLEACH_FRONTIER_H

#include "merkle/scheme.h"

typedef struct pleach__frontier {
    const pleach__backend *backend;
    const pleach__hash_plan *node;
    uint64_t count; /* subtrees appended */
    unsigned held;  /* their roots below: one for each bit of count */
    uint8_t roots[64][PLEACH_DIGEST_SIZE];
} pleach__frontier;

/* Appends the root of a perfect subtree, as large as all before it. The last of all may be of any smaller tree. */
void pleach__frontier_append(pleach__frontier *frontier, const uint8_t *root);

/* The root of everything appended, which is something. */
void pleach__frontier_root(const pleach__frontier *frontier, uint8_t *root);

#endif
