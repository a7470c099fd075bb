/* A set of leaves whose hashes are known climbs to the root, the nodes of a level together over the lanes. */
#ifndef PLEACH_SET_CLIMB_H
#define PLEACH_SET_CLIMB_H

#include "merkle/scheme.h"
#include "merkle/set.h"

typedef struct pleach__set_climb {
    pleach_pool *pool;
    const pleach__backend *backend;
    pleach__hashing hashing;
    pleach__set set;
    size_t capacity;  /* leaves that there is memory for */
    uint8_t *digests; /* of the nodes of the set */
    uint8_t *pairs;   /* of these and their siblings */
    size_t *parent;   /* of each node: its place among the parents */
} pleach__set_climb;

/* Leaves that were asked for, and their inclusion proofs, which are written on the way. */
typedef struct pleach__set_paths {
    size_t *place; /* of each leaf, and then of the node above it, in the set; n of them */
    size_t n;
    uint8_t **path; /* where the next node of each goes */
} pleach__set_paths;

/*
 * Takes memory for a set of n leaves. The caller fills digests.
 *
 * PLEACH_ENOMEM, PLEACH_ERANGE, PLEACH_EBACKEND. The scheme, the count and the indices are checked.
 */
pleach_status pleach__set_climb_begin(pleach__set_climb *climb, pleach_pool *pool, const pleach_scheme *scheme,
                                      uint64_t count, const uint64_t *indices, size_t n);

/*
 * Climbs with the siblings that belong to the set, and compares. `paths` may be NULL.
 *
 * PLEACH_EPROOFROOT, PLEACH_EPROOFMUTATED.
 */
pleach_status pleach__set_climb_to(pleach__set_climb *climb, const uint8_t *siblings, const pleach__set_paths *paths,
                                   const uint8_t *root);

void pleach__set_climb_end(pleach__set_climb *climb);

#endif
