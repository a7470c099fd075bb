/* What a block has gathered for one object. */
#ifndef PLEACH_CHANGES_H
#define PLEACH_CHANGES_H

#include "engine/state.h"

/* Leaves or items, copied one after another. */
typedef struct pleach__gathered {
    uint8_t *bytes;
    size_t used, room;
    struct pleach__piece *pieces;
    size_t count, places;
} pleach__gathered;

typedef struct pleach__changes {
    pleach__gathered added;                          /* leaves; of an accumulator, all changes */
    pleach__gathered replaced;                       /* leaves */
    uint64_t touched[PLEACH_ENGINE_STATES_MAX / 64]; /* bits of the states that change */
} pleach__changes;

/* Whether anything would change. */
static inline bool pleach__changes_any(const pleach__changes *changes)
{
    return changes->added.count + changes->replaced.count > 0;
}

/* Takes leaves that are added or, where there is `index`, replaced. Errors as pleach_engine_append(). */
pleach_status pleach__changes_leaves(pleach_pool *pool, pleach__changes *changes, const pleach_tree *tree,
                                     const uint64_t *index, const pleach_leaves *leaves);

/* Errors as pleach_engine_apply(). */
pleach_status pleach__changes_ops(pleach_pool *pool, pleach__changes *changes, const pleach__object *accumulator,
                                  const pleach_lthash_op *ops, size_t n);

/* Makes the object what it is after the changes; after an error it is good for nothing but to be released. */
pleach_status pleach__changes_make(pleach_pool *pool, const pleach__changes *changes, pleach__object *object,
                                   pleach_monitor *monitor);

/* Whether they touch a state of that object, if it is an accumulator; its total is touched by any. */
static inline bool pleach__changes_touch(const pleach__changes *changes, const pleach__object *object, uint32_t index)
{
    return index == object->rules.states || (changes->touched[index / 64] >> index % 64 & 1) != 0;
}

void pleach__changes_clear(pleach_pool *pool, pleach__changes *changes);

#endif
