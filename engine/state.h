/*
 * Sealed states and what they hold. Neither changes once others can see it: states share the objects that a block did
 * not touch, and count who uses them.
 */
#ifndef PLEACH_STATE_H
#define PLEACH_STATE_H

#include "engine/engine.h"

#include <stdatomic.h>

/* Encoded by value. */
typedef enum pleach__object_kind { PLEACH__TREE = 0, PLEACH__ACCUMULATOR = 1 } pleach__object_kind;

typedef struct pleach__object {
    atomic_uint uses;
    pleach__object_kind kind;
    char name[PLEACH_ENGINE_NAME_MAX + 1];
    pleach_tree *tree; /* of a tree; or of an accumulator: */
    pleach_engine_accumulator_rules rules;
    uint8_t (*checksums)[PLEACH_DIGEST_SIZE];
    pleach_lthash states[]; /* and as many checksums: the total's is the last */
} pleach__object;

struct pleach_engine_view {
    atomic_uint uses;
    bool sealed; /* by a block, of this height; or else 0 */
    uint64_t height;
    pleach_pool *pool;
    pleach_engine_view *next; /* where a writer lists states that it drops */
    uint32_t count;
    pleach__object *objects[]; /* each used once by this state, or NULL while it is made */
};

/* States of an accumulator, its total included. */
static inline uint32_t pleach__all_states(const pleach__object *object)
{
    return object->rules.states + (object->rules.total ? 1 : 0);
}

/* PLEACH_EOBJECTNAME if it cannot be a name; `size` characters. */
pleach_status pleach__check_name(const char *name, size_t size);

/* PLEACH_EINVAL */
pleach_status pleach__check_rules(const pleach_engine_accumulator_rules *rules);

/* Objects of no leaves and of empty states, used once, under names and rules that were checked. */
pleach_status pleach__object_tree(pleach_pool *pool, const char *name, const pleach_scheme *scheme,
                                  pleach__object **object);
pleach_status pleach__object_accumulator(pleach_pool *pool, const char *name,
                                         const pleach_engine_accumulator_rules *rules, pleach__object **object);

/* One that is to change, of the same content. */
pleach_status pleach__object_copy(pleach_pool *pool, const pleach__object *object, pleach__object **copy);

/* After the state of that index changed. */
pleach_status pleach__object_checksum(pleach_pool *pool, pleach__object *object, uint32_t index);

pleach__object *pleach__object_use(pleach__object *object);
void pleach__object_release(pleach_pool *pool, pleach__object *object);

/* Room for `count` objects; those of `from`, which may be NULL, come first. Used once. */
pleach_status pleach__state_create(pleach_pool *pool, uint32_t count, const pleach_engine_view *from,
                                   pleach_engine_view **state);

pleach_engine_view *pleach__state_use(pleach_engine_view *state);
void pleach__state_release(pleach_engine_view *state);

/* Releases a list of them. */
void pleach__states_release(pleach_engine_view *list);

#endif
