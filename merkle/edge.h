/*
 * The right edge of a growing tree: the roots of the perfect subtrees that its leaves so far fall into, largest first.
 * Their sizes are the bits of the number of leaves.
 */
#ifndef PLEACH_EDGE_H
#define PLEACH_EDGE_H

#include "merkle/scheme.h"

typedef struct pleach__edge {
    uint64_t count; /* leaves below the roots */
    unsigned held;  /* roots: one for each bit of count */
    uint8_t roots[64][PLEACH_DIGEST_SIZE];
} pleach__edge;

/* Appends the root of a perfect subtree of 2^level leaves, of which count must be a multiple. */
void pleach__edge_append(pleach__edge *edge, const pleach__hashing *hashing, const pleach__backend *backend,
                         const uint8_t *root, unsigned level);

/*
 * The root of everything appended and then, unless `last` is NULL, of a subtree of fewer leaves than the smallest so
 * far whose own root, without what the scheme's depth asks for, is `last`, at level `last_level`. There is something.
 * The scheme's depth is heeded.
 */
void pleach__edge_root(const pleach__edge *edge, const pleach__hashing *hashing, const pleach__backend *backend,
                       const uint8_t *last, unsigned last_level, uint8_t *root);

#endif
