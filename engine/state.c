#include "engine/state.h"

#include "config/error.h"
#include "merkle/scheme_format.h"
#include "pool/memory.h"

#include <string.h>

static bool may_be_named(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
}

pleach_status pleach__check_name(const char *name, size_t size)
{
    if (size == 0 || size > PLEACH_ENGINE_NAME_MAX)
        return pleach__fail(PLEACH_EOBJECTNAME, "name: %zu characters: 1..%d", size, PLEACH_ENGINE_NAME_MAX);
    for (size_t i = 0; i < size; i++)
        if (!may_be_named(name[i]))
            return pleach__fail(PLEACH_EOBJECTNAME, "name: character %zu is 0x%02x: letters, digits, '.', '_', '-'", i,
                                (unsigned char)name[i]);
    return PLEACH_OK;
}

pleach_status pleach__check_rules(const pleach_engine_accumulator_rules *rules)
{
    if (rules->states < 1 || rules->states > PLEACH_ENGINE_STATES_MAX)
        return pleach__fail(PLEACH_EINVAL, "rules: states = %lu: 1..%d", (unsigned long)rules->states,
                            PLEACH_ENGINE_STATES_MAX);
    if (rules->empty != PLEACH_LTHASH_EMPTY_HASHED && rules->empty != PLEACH_LTHASH_EMPTY_SKIPPED)
        return pleach__fail(PLEACH_EINVAL, "rules: empty = %d: no such rule", (int)rules->empty);
    return PLEACH_OK;
}

/* The checksums stand behind the states. */
static size_t size_of(uint32_t all_states)
{
    return sizeof(pleach__object) + all_states * (sizeof(pleach_lthash) + PLEACH_DIGEST_SIZE);
}

static pleach_status make(pleach_pool *pool, const char *name, uint32_t all_states, pleach__object **object)
{
    const size_t size = size_of(all_states);
    pleach__object *made = pleach__allocate(pool, size);
    if (made == NULL)
        return pleach__fail(PLEACH_ENOMEM, "%zu bytes for %s could not be had", size, name);
    memset(made, 0, size);
    atomic_init(&made->uses, 1);
    (void)strcpy(made->name, name);
    made->checksums = (uint8_t(*)[PLEACH_DIGEST_SIZE])(made->states + all_states);
    *object = made;
    return PLEACH_OK;
}

pleach_status pleach__object_tree(pleach_pool *pool, const char *name, const pleach_scheme *scheme,
                                  pleach__object **object)
{
    pleach__object *made = NULL;
    pleach_status status = make(pool, name, 0, &made);
    if (status != PLEACH_OK)
        return status;
    uint8_t rules[PLEACH__SCHEME_SIZE];
    pleach_scheme named; /* as constants are, not as the caller's */
    made->kind = PLEACH__TREE;
    pleach__scheme_encode(scheme, rules);
    status = pleach__scheme_decode(rules, &named);
    if (status == PLEACH_OK)
        status = pleach_tree_create(&made->tree, pool, &named);
    if (status == PLEACH_OK)
        *object = made;
    else
        pleach__object_release(pool, made);
    return status;
}

pleach_status pleach__object_accumulator(pleach_pool *pool, const char *name,
                                         const pleach_engine_accumulator_rules *rules, pleach__object **object)
{
    pleach__object *made = NULL;
    pleach_status status = make(pool, name, rules->states + (rules->total ? 1 : 0), &made);
    if (status != PLEACH_OK)
        return status;
    made->kind = PLEACH__ACCUMULATOR;
    made->rules = *rules;
    for (uint32_t i = 0; i < pleach__all_states(made) && status == PLEACH_OK; i++)
        status = pleach__object_checksum(pool, made, i);
    if (status == PLEACH_OK)
        *object = made;
    else
        pleach__object_release(pool, made);
    return status;
}

pleach_status pleach__object_copy(pleach_pool *pool, const pleach__object *object, pleach__object **copy)
{
    const uint32_t all = object->kind == PLEACH__TREE ? 0 : pleach__all_states(object);
    pleach__object *made = NULL;
    pleach_status status = make(pool, object->name, all, &made);
    if (status != PLEACH_OK)
        return status;
    made->kind = object->kind;
    made->rules = object->rules;
    memcpy(made->states, object->states, size_of(all) - sizeof *made);
    if (object->kind == PLEACH__TREE)
        status = pleach_tree_snapshot(object->tree, &made->tree);
    if (status == PLEACH_OK)
        *copy = made;
    else
        pleach__object_release(pool, made);
    return status;
}

pleach_status pleach__object_checksum(pleach_pool *pool, pleach__object *object, uint32_t index)
{
    return pleach_lthash_checksum(pool, &object->states[index], object->checksums[index]);
}

pleach__object *pleach__object_use(pleach__object *object)
{
    atomic_fetch_add_explicit(&object->uses, 1, memory_order_relaxed);
    return object;
}

/* Whoever lets go last must see what others did before they let go. */
static bool was_last(atomic_uint *uses)
{
    return atomic_fetch_sub_explicit(uses, 1, memory_order_acq_rel) == 1;
}

void pleach__object_release(pleach_pool *pool, pleach__object *object)
{
    if (object == NULL || !was_last(&object->uses))
        return;
    const size_t size = size_of(object->kind == PLEACH__TREE ? 0 : pleach__all_states(object));
    pleach_tree_destroy(object->tree);
    pleach__release(pool, object, size);
}

static size_t size_of_state(uint32_t count)
{
    return sizeof(pleach_engine_view) + count * sizeof(pleach__object *);
}

pleach_status pleach__state_create(pleach_pool *pool, uint32_t count, const pleach_engine_view *from,
                                   pleach_engine_view **state)
{
    const size_t size = size_of_state(count);
    pleach_engine_view *made = pleach__allocate(pool, size);
    if (made == NULL)
        return pleach__fail(PLEACH_ENOMEM, "%zu bytes for a state could not be had", size);
    memset(made, 0, size);
    atomic_init(&made->uses, 1);
    made->pool = pool;
    made->count = count;
    if (from != NULL) {
        made->sealed = from->sealed;
        made->height = from->height;
        for (uint32_t i = 0; i < from->count; i++)
            made->objects[i] = pleach__object_use(from->objects[i]);
    }
    *state = made;
    return PLEACH_OK;
}

pleach_engine_view *pleach__state_use(pleach_engine_view *state)
{
    atomic_fetch_add_explicit(&state->uses, 1, memory_order_relaxed);
    return state;
}

void pleach__state_release(pleach_engine_view *state)
{
    if (state == NULL || !was_last(&state->uses))
        return;
    for (uint32_t i = 0; i < state->count; i++)
        pleach__object_release(state->pool, state->objects[i]);
    pleach__release(state->pool, state, size_of_state(state->count));
}

void pleach__states_release(pleach_engine_view *list)
{
    while (list != NULL) {
        pleach_engine_view *state = list;
        list = state->next;
        pleach__state_release(state);
    }
}
