/*
 * A set of nodes of one level, and where the siblings of its nodes come from on the way to the root: the shape of
 * multiproofs.
 */
#ifndef PLEACH_SET_H
#define PLEACH_SET_H

#include "merkle/merkle.h"
#include "merkle/shape.h"

typedef struct pleach__set {
    unsigned level;
    uint64_t level_size; /* nodes of the tree there */
    uint64_t *index;     /* of the nodes of the set: ascending, each once */
    size_t n;
} pleach__set;

typedef enum pleach__sibling {
    PLEACH__SIBLING_MEMBER, /* the node that follows it in the set, or precedes it */
    PLEACH__SIBLING_GIVEN,  /* not in the set: a proof has to give it */
    PLEACH__SIBLING_NONE    /* the node is lone: it is the last one of its level, and so of the set */
} pleach__sibling;

/* Of node i of the set; of two members that are siblings, i is the left one. */
static inline pleach__sibling pleach__set_sibling(const pleach__set *set, size_t i)
{
    const uint64_t sibling = set->index[i] ^ 1;
    if (i + 1 < set->n && set->index[i + 1] == sibling)
        return PLEACH__SIBLING_MEMBER;
    return sibling < set->level_size ? PLEACH__SIBLING_GIVEN : PLEACH__SIBLING_NONE;
}

/* Whether there are levels above. */
static inline bool pleach__set_rises(const pleach__set *set)
{
    return set->level_size > 1;
}

/* The set becomes that of the parents; returns how many of its nodes' siblings have to be given. */
static inline size_t pleach__set_rise(pleach__set *set)
{
    size_t parents = 0, given = 0;
    for (size_t i = 0; i < set->n; i++) {
        const pleach__sibling sibling = pleach__set_sibling(set, i);
        set->index[parents++] = set->index[i] >> 1;
        given += sibling == PLEACH__SIBLING_GIVEN;
        i += sibling == PLEACH__SIBLING_MEMBER;
    }
    set->n = parents;
    set->level++;
    set->level_size = (set->level_size + 1) / 2;
    return given;
}

/* PLEACH_EPROOFEMPTY, PLEACH_EPROOFINDEX, PLEACH_EPROOFDUPLICATE, PLEACH_EPROOFUNSORTED: not a set of leaves of
 * `count`. */
pleach_status pleach__set_check(const uint64_t *indices, size_t n, uint64_t count);

/* pleach_multiproof_length() with the memory of a pool. */
pleach_status pleach__set_siblings(pleach_pool *pool, const pleach_scheme *scheme, uint64_t count,
                                   const uint64_t *indices, size_t n, size_t *siblings);

#endif
