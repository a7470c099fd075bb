#define _GNU_SOURCE
#include "config/error.h"
#include "engine/service.h"
#include "merkle/tile.h"
#include "pool/memory.h"

#include <string.h>

/* --- gathering --- */

/* The height that comes next; any if there is none yet. */
static pleach_status check_height(const pleach_engine_view *newest, uint64_t height)
{
    const unsigned long long asked = height, sealed = newest->height;
    if (height == PLEACH_ENGINE_LATEST)
        return pleach__fail(PLEACH_EBLOCKHEIGHT, "height = %llu: at most %llu", asked, asked - 1);
    if (newest->sealed && height != newest->height + 1)
        return pleach__fail(PLEACH_EBLOCKHEIGHT, "height = %llu: after %llu comes %llu", asked, sealed, sealed + 1);
    return PLEACH_OK;
}

pleach_status pleach_engine_block_begin(pleach_engine *engine, uint64_t height)
{
    if (engine == NULL)
        return pleach__fail(PLEACH_EINVAL, "engine = NULL");
    pleach__block *block = &engine->block;
    if (block->open)
        return pleach__fail(PLEACH_EBLOCKOPEN, "height = %llu: block %llu is open", (unsigned long long)height,
                            (unsigned long long)block->height);
    const pleach_engine_view *newest = pleach__newest(engine);
    pleach_status status = check_height(newest, height);
    if (status != PLEACH_OK)
        return status;
    const size_t size = newest->count * sizeof(pleach__changes);
    pleach__changes *changes = pleach__allocate(engine->pool, size);
    if (changes == NULL)
        return pleach__fail(PLEACH_ENOMEM, "%zu bytes for a block could not be had", size);
    memset(changes, 0, size);
    *block = (pleach__block){.open = true, .height = height, .count = newest->count, .changes = changes};
    return PLEACH_OK;
}

void pleach__block_drop(pleach_engine *engine)
{
    pleach__block *block = &engine->block;
    for (uint32_t i = 0; i < block->count; i++)
        pleach__changes_clear(engine->pool, &block->changes[i]);
    pleach__release(engine->pool, block->changes, block->count * sizeof(pleach__changes));
    *block = (pleach__block){0};
}

static pleach_status check_open(const pleach_engine *engine)
{
    if (engine == NULL)
        return pleach__fail(PLEACH_EINVAL, "engine = NULL");
    return engine->block.open ? PLEACH_OK : pleach__fail(PLEACH_EBLOCK, "no block is open");
}

/* Finds the object that a change is for. */
static pleach_status find(const pleach_engine *engine, uint32_t index, pleach__object_kind kind,
                          const pleach__object **object)
{
    static const char *const names[] = {"tree", "accumulator"};
    pleach_status status = check_open(engine);
    if (status != PLEACH_OK)
        return status;
    const pleach_engine_view *newest = pleach__newest(engine);
    if (index >= newest->count || newest->objects[index]->kind != kind)
        return pleach__fail(PLEACH_EOBJECT, "%s = %lu: none has that number", names[kind], (unsigned long)index);
    *object = newest->objects[index];
    return PLEACH_OK;
}

pleach_status pleach_engine_append(pleach_engine *engine, uint32_t tree, const pleach_leaves *leaves)
{
    const pleach__object *object = NULL;
    pleach_status status = find(engine, tree, PLEACH__TREE, &object);
    return status == PLEACH_OK
               ? pleach__changes_leaves(engine->pool, &engine->block.changes[tree], object->tree, NULL, leaves)
               : status;
}

pleach_status pleach_engine_update(pleach_engine *engine, uint32_t tree, const uint64_t *index,
                                   const pleach_leaves *leaves)
{
    const pleach__object *object = NULL;
    pleach_status status = find(engine, tree, PLEACH__TREE, &object);
    if (status == PLEACH_OK && index == NULL && leaves != NULL && leaves->count > 0)
        return pleach__fail(PLEACH_EINVAL, "index = NULL");
    return status == PLEACH_OK
               ? pleach__changes_leaves(engine->pool, &engine->block.changes[tree], object->tree, index, leaves)
               : status;
}

pleach_status pleach_engine_apply(pleach_engine *engine, uint32_t accumulator, const pleach_lthash_op *ops, size_t n)
{
    const pleach__object *object = NULL;
    pleach_status status = find(engine, accumulator, PLEACH__ACCUMULATOR, &object);
    return status == PLEACH_OK ? pleach__changes_ops(engine->pool, &engine->block.changes[accumulator], object, ops, n)
                               : status;
}

/* --- sealing --- */

struct sealing {
    pleach_engine *engine;
    pleach_engine_view *state; /* its touched objects are copies */
    pleach_monitor *monitor;   /* of the caller, or NULL */
};

/* What a task has of the caller's monitor: progress is for the caller's thread. */
struct watched {
    pleach_monitor monitor;
    const pleach_monitor *caller;
};

static void look(void *context, uint64_t done, uint64_t total)
{
    struct watched *watched = context;
    (void)done;
    (void)total;
    if (pleach__check_cancel(watched->caller) != PLEACH_OK)
        pleach_monitor_cancel(&watched->monitor);
}

static pleach_status make_object(const struct sealing *sealing, uint32_t index)
{
    const pleach_engine *engine = sealing->engine;
    const pleach__changes *changes = &engine->block.changes[index];
    struct watched watched = {.caller = sealing->monitor};
    watched.monitor = (pleach_monitor){.progress = look, .context = &watched};
    pleach_status status = pleach__check_cancel(sealing->monitor);
    return status == PLEACH_OK ? pleach__changes_make(engine->pool, changes, sealing->state->objects[index],
                                                      sealing->monitor != NULL ? &watched.monitor : NULL)
                               : status;
}

static pleach_status make_objects(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    const struct sealing *sealing = context;
    const pleach__changes *changes = sealing->engine->block.changes;
    pleach_status status = PLEACH_OK;
    (void)worker;
    for (size_t i = begin; i < end && status == PLEACH_OK; i++)
        if (pleach__changes_any(&changes[i]))
            status = make_object(sealing, (uint32_t)i);
    return status;
}

/* Puts copies of the touched objects into a state. */
static pleach_status copy_touched(const pleach_engine *engine, pleach_engine_view *state)
{
    pleach_status status = PLEACH_OK;
    for (uint32_t i = 0; i < state->count && status == PLEACH_OK; i++) {
        pleach__object *copy = NULL;
        if (!pleach__changes_any(&engine->block.changes[i]))
            continue;
        status = pleach__object_copy(engine->pool, state->objects[i], &copy);
        if (status == PLEACH_OK) {
            pleach__object_release(engine->pool, state->objects[i]);
            state->objects[i] = copy;
        }
    }
    return status;
}

/* Makes the state that the block leaves. */
static pleach_status make_state(pleach_engine *engine, pleach_monitor *monitor, pleach_engine_view **state)
{
    pleach_engine_view *made = NULL;
    pleach_status status = pleach__state_create(engine->pool, engine->block.count, pleach__newest(engine), &made);
    if (status == PLEACH_OK)
        status = copy_touched(engine, made);
    struct sealing sealing = {.engine = engine, .state = made, .monitor = monitor};
    if (status == PLEACH_OK)
        status = pleach_pool_run(engine->pool, &(pleach_job){.task = make_objects,
                                                             .context = &sealing,
                                                             .items = made->count,
                                                             .monitor = monitor,
                                                             .priority = PLEACH_LATENCY});
    if (status != PLEACH_OK) {
        pleach__state_release(made);
        return status;
    }
    made->sealed = true;
    made->height = engine->block.height;
    *state = made;
    return PLEACH_OK;
}

/* Counts the digests of what the block touches, and copies those for which there is room. */
static size_t list_digests(const pleach__block *block, const pleach_engine_view *state, pleach_engine_digest *digests,
                           size_t room)
{
    size_t n = 0;
    for (uint32_t i = 0; i < state->count; i++) {
        const pleach__object *object = state->objects[i];
        const bool is_tree = object->kind == PLEACH__TREE;
        const uint32_t all = is_tree ? 1 : pleach__all_states(object);
        for (uint32_t s = 0; pleach__changes_any(&block->changes[i]) && s < all; s++) {
            if (!is_tree && !pleach__changes_touch(&block->changes[i], object, s))
                continue;
            if (n++ >= room)
                continue;
            pleach_engine_digest *digest = &digests[n - 1];
            *digest = (pleach_engine_digest){.object = i,
                                             .state = !is_tree && s == object->rules.states ? PLEACH_ENGINE_TOTAL : s};
            if (is_tree)
                (void)pleach_tree_root(object->tree, digest->digest); /* it has leaves */
            else
                memcpy(digest->digest, object->checksums[s], PLEACH_DIGEST_SIZE);
        }
    }
    return n;
}

pleach_status pleach_engine_block_seal(pleach_engine *engine, pleach_monitor *monitor, pleach_engine_digest *digests,
                                       size_t room, size_t *count)
{
    pleach_engine_view *made = NULL;
    pleach_status status = check_open(engine);
    if (status != PLEACH_OK)
        return status;
    const size_t n = list_digests(&engine->block, pleach__newest(engine), NULL, 0);
    if (digests != NULL && room < n)
        return pleach__fail(PLEACH_ERANGE, "room = %zu: the block touches %zu", room, n);
    status = make_state(engine, monitor, &made);
    if (status != PLEACH_OK)
        return status;
    (void)list_digests(&engine->block, made, digests, digests != NULL ? room : 0);
    if (count != NULL)
        *count = n;
    pleach__publish(engine, made, PLEACH__AFTER);
    pleach__block_drop(engine);
    return PLEACH_OK;
}

pleach_status pleach_engine_block_abort(pleach_engine *engine)
{
    pleach_status status = check_open(engine);
    if (status == PLEACH_OK)
        pleach__block_drop(engine);
    return status;
}
