/*
 * Inclusion proofs that climb to the root together, level by level, so that the nodes of a level fill the lanes.
 *
 * A step of a proof is a pair: the node that was reached and its sibling, which the path gives. Where a level has no
 * sibling for it, the scheme's lone rule says what becomes of it, and what the path must say there.
 */
#ifndef PLEACH_CLIMB_H
#define PLEACH_CLIMB_H

#include "merkle/proof.h"
#include "merkle/scheme.h"

/* Most proofs of one climb. */
enum { PLEACH__CLIMB_MOST = 256 };

/* What all proofs of a climb share. The scheme is checked and has trees of so many leaves. */
typedef struct pleach__climb {
    const pleach__hashing *hashing; /* of the scheme's nodes */
    unsigned levels;                /* of the tree; 0 if there are no leaves */
    uint64_t count;
    const uint8_t *root;
} pleach__climb;

/*
 * Checks n proofs, n <= PLEACH__CLIMB_MOST: those at order[0], order[1], ... of `proofs`, or, if `order` is NULL, the
 * first n. statuses[i] becomes that of proofs[i]: PLEACH_OK, PLEACH_EPROOFINDEX, PLEACH_EPROOFLENGTH,
 * PLEACH_EPROOFMUTATED or PLEACH_EPROOFROOT. Sets no error text. Equal steps of proofs that follow each other in the
 * order are taken once.
 */
void pleach__climb_all(const pleach__climb *climb, const pleach__backend *backend, const pleach_proof *proofs,
                       const size_t *order, size_t n, pleach_status *statuses);

#endif
