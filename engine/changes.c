#include "engine/changes.h"

#include "config/error.h"
#include "merkle/leaves.h"
#include "merkle/stored.h"
#include "pool/memory.h"

#include <string.h>

/* A leaf or an item. */
struct pleach__piece {
    size_t size;
    uint64_t place; /* index of the leaf that is replaced, or of the state that changes */
    pleach_lthash_action action;
};

enum { LEAST_BYTES = 4096, LEAST_PIECES = 64 };

/* --- gathering --- */

/* Memory that grows: `used` bytes of `room` are moved. */
struct growth {
    uint8_t *old, *grown;
    size_t used, room, larger;
};

/* Gets memory of at least twice the room, unless what is needed fits. */
static bool grow(pleach_pool *pool, struct growth *growth, size_t needed, size_t least)
{
    const size_t twice = growth->room > PTRDIFF_MAX / 2 ? PTRDIFF_MAX : growth->room * 2;
    growth->grown = growth->old;
    growth->larger = growth->room;
    if (needed <= growth->room)
        return true;
    growth->larger = needed < twice ? twice : needed;
    growth->larger = growth->larger < least ? least : growth->larger;
    growth->grown = pleach__allocate(pool, growth->larger);
    if (growth->grown != NULL && growth->used > 0)
        memcpy(growth->grown, growth->old, growth->used);
    return growth->grown != NULL;
}

/* Lets go of one of the two. */
static void settle(pleach_pool *pool, const struct growth *growth, bool keep)
{
    if (growth->grown != growth->old)
        pleach__release(pool, keep ? growth->old : growth->grown, keep ? growth->room : growth->larger);
}

/* Makes room for so many more. */
static pleach_status reserve(pleach_pool *pool, pleach__gathered *gathered, size_t count, size_t bytes)
{
    const size_t each = sizeof(struct pleach__piece), most = PTRDIFF_MAX / each;
    if (bytes > PTRDIFF_MAX - gathered->used || count > most - gathered->count)
        return pleach__fail(PLEACH_ERANGE, "%zu changes of %zu bytes: they would not fit the address space", count,
                            bytes);
    struct growth content = {.old = gathered->bytes, .used = gathered->used, .room = gathered->room};
    struct growth pieces = {
        .old = (uint8_t *)gathered->pieces, .used = gathered->count * each, .room = gathered->places * each};
    bool had = grow(pool, &content, gathered->used + bytes, LEAST_BYTES);
    if (had && !grow(pool, &pieces, (gathered->count + count) * each, LEAST_PIECES * each)) {
        settle(pool, &content, false);
        had = false;
    }
    if (!had)
        return pleach__fail(PLEACH_ENOMEM, "memory for %zu changes of %zu bytes could not be had", count, bytes);
    settle(pool, &content, true);
    settle(pool, &pieces, true);
    gathered->bytes = content.grown;
    gathered->room = content.larger;
    gathered->pieces = (struct pleach__piece *)(void *)pieces.grown;
    gathered->places = pieces.larger / each;
    return PLEACH_OK;
}

/* There is room. */
static void put(pleach__gathered *gathered, struct pleach__piece piece, const uint8_t *bytes)
{
    if (piece.size > 0)
        memcpy(gathered->bytes + gathered->used, bytes, piece.size);
    gathered->used += piece.size;
    gathered->pieces[gathered->count++] = piece;
}

/* An index may be that of a leaf which the block adds. */
static pleach_status check_indices(const pleach__changes *changes, const pleach_tree *tree, const uint64_t *index,
                                   size_t n)
{
    const size_t count = pleach_tree_size(tree) + changes->added.count;
    for (size_t i = 0; i < n; i++)
        if (index[i] >= count)
            return pleach__fail(PLEACH_ERANGE, "index[%zu] = %llu: the tree has %zu leaves", i,
                                (unsigned long long)index[i], count);
    return PLEACH_OK;
}

pleach_status pleach__changes_leaves(pleach_pool *pool, pleach__changes *changes, const pleach_tree *tree,
                                     const uint64_t *index, const pleach_leaves *leaves)
{
    pleach__gathered *gathered = index != NULL ? &changes->replaced : &changes->added;
    pleach__row row;
    pleach_status status = pleach__leaves_plan(pleach_tree_scheme(tree), leaves, &row);
    if (status == PLEACH_OK && leaves->zeros > 0)
        return pleach__fail(PLEACH_EINVAL, "leaves: zeros = %zu: an engine takes whole leaves", leaves->zeros);
    if (status == PLEACH_OK && index != NULL)
        status = check_indices(changes, tree, index, row.count);
    if (status != PLEACH_OK)
        return status;
    if (row.list == NULL && leaves->size > 0 && row.count > PTRDIFF_MAX / leaves->size)
        return pleach__fail(PLEACH_ERANGE, "leaves: count = %zu, size = %zu: their copy would not fit", row.count,
                            leaves->size);
    status = reserve(pool, gathered, row.count, row.list != NULL ? row.list_bytes : leaves->size * row.count);
    for (size_t i = 0; status == PLEACH_OK && i < row.count; i++) {
        const pleach_input leaf =
            row.list != NULL ? row.list[i] : (pleach_input){row.inputs + i * row.stride, leaves->size};
        put(gathered, (struct pleach__piece){.size = leaf.size, .place = index != NULL ? index[i] : 0}, leaf.bytes);
    }
    return status;
}

static pleach_status check_op(const pleach__object *accumulator, const pleach_lthash_op *op, size_t i, size_t *bytes)
{
    if (op->item.bytes == NULL && op->item.size > 0)
        return pleach__fail(PLEACH_EINVAL, "ops[%zu].item: bytes = NULL, size = %zu", i, op->item.size);
    if (op->action != PLEACH_LTHASH_ADD && op->action != PLEACH_LTHASH_REMOVE)
        return pleach__fail(PLEACH_EINVAL, "ops[%zu].action = %d: no such action", i, (int)op->action);
    if (op->state >= accumulator->rules.states)
        return pleach__fail(PLEACH_EINVAL, "ops[%zu].state = %lu: %s has %lu", i, (unsigned long)op->state,
                            accumulator->name, (unsigned long)accumulator->rules.states);
    if (op->item.size > PTRDIFF_MAX - *bytes)
        return pleach__fail(PLEACH_ERANGE, "ops[%zu].item: size = %zu: together they would not fit the address space",
                            i, op->item.size);
    *bytes += op->item.size;
    return PLEACH_OK;
}

pleach_status pleach__changes_ops(pleach_pool *pool, pleach__changes *changes, const pleach__object *accumulator,
                                  const pleach_lthash_op *ops, size_t n)
{
    size_t bytes = 0;
    pleach_status status = PLEACH_OK;
    if (ops == NULL && n > 0)
        return pleach__fail(PLEACH_EINVAL, "ops = NULL, n = %zu", n);
    for (size_t i = 0; status == PLEACH_OK && i < n; i++)
        status = check_op(accumulator, &ops[i], i, &bytes);
    if (status == PLEACH_OK)
        status = reserve(pool, &changes->added, n, bytes);
    for (size_t i = 0; status == PLEACH_OK && i < n; i++) {
        put(&changes->added,
            (struct pleach__piece){.size = ops[i].item.size, .place = ops[i].state, .action = ops[i].action},
            ops[i].item.bytes);
        changes->touched[ops[i].state / 64] |= UINT64_C(1) << ops[i].state % 64;
    }
    return status;
}

/* --- making --- */

static void list_leaves(const pleach__gathered *gathered, pleach_input *list, uint64_t *index)
{
    const uint8_t *at = gathered->bytes;
    for (size_t i = 0; i < gathered->count; at += gathered->pieces[i++].size) {
        list[i] = (pleach_input){at, gathered->pieces[i].size};
        index[i] = gathered->pieces[i].place;
    }
}

/* Leaves of one size are hashed faster as such than as a list. */
static pleach_leaves describe(const pleach__gathered *gathered, const pleach_input *list)
{
    const size_t n = gathered->count, size = list[0].size;
    for (size_t i = 1; i < n; i++)
        if (list[i].size != size)
            return (pleach_leaves){.count = n, .list = list};
    return (pleach_leaves){.data = gathered->bytes, .size = size, .stride = size, .count = n};
}

static pleach_status change_tree(pleach_pool *pool, const pleach__gathered *gathered, bool replace, pleach_tree *tree,
                                 pleach_monitor *monitor)
{
    const size_t n = gathered->count, size = n * (sizeof(pleach_input) + sizeof(uint64_t));
    if (n == 0)
        return PLEACH_OK;
    pleach_input *list = pleach__allocate(pool, size);
    if (list == NULL)
        return pleach__fail(PLEACH_ENOMEM, "%zu bytes to list %zu leaves could not be had", size, n);
    uint64_t *index = (uint64_t *)(void *)(list + n);
    list_leaves(gathered, list, index);
    const pleach_leaves leaves = describe(gathered, list);
    pleach_status status =
        replace ? pleach_tree_update(tree, index, &leaves, monitor) : pleach_tree_append(tree, &leaves, monitor);
    pleach__release(pool, list, size);
    return status;
}

static pleach_status apply_ops(pleach_pool *pool, const pleach__gathered *gathered, pleach__object *object,
                               pleach_lthash_op *ops, pleach_lthash **states, pleach_monitor *monitor)
{
    const uint32_t count = object->rules.states;
    const uint8_t *at = gathered->bytes;
    for (size_t i = 0; i < gathered->count; at += gathered->pieces[i++].size) {
        const struct pleach__piece *piece = &gathered->pieces[i];
        ops[i] =
            (pleach_lthash_op){.item = {at, piece->size}, .action = piece->action, .state = (uint32_t)piece->place};
    }
    for (uint32_t i = 0; i < count; i++)
        states[i] = &object->states[i];
    return pleach_lthash_apply_many(pool, states, count, object->rules.total ? &object->states[count] : NULL, ops,
                                    gathered->count, object->rules.empty, monitor);
}

static pleach_status change_accumulator(pleach_pool *pool, const pleach__changes *changes, pleach__object *object,
                                        pleach_monitor *monitor)
{
    const size_t size =
        changes->added.count * sizeof(pleach_lthash_op) + object->rules.states * sizeof(pleach_lthash *);
    pleach_lthash_op *ops = pleach__allocate(pool, size);
    if (ops == NULL)
        return pleach__fail(PLEACH_ENOMEM, "%zu bytes to list %zu changes could not be had", size,
                            changes->added.count);
    pleach_lthash **states = (pleach_lthash **)(void *)(ops + changes->added.count);
    pleach_status status = apply_ops(pool, &changes->added, object, ops, states, monitor);
    pleach__release(pool, ops, size);
    for (uint32_t i = 0; status == PLEACH_OK && i < pleach__all_states(object); i++)
        if (pleach__changes_touch(changes, object, i))
            status = pleach__object_checksum(pool, object, i);
    return status;
}

pleach_status pleach__changes_make(pleach_pool *pool, const pleach__changes *changes, pleach__object *object,
                                   pleach_monitor *monitor)
{
    if (object->kind == PLEACH__ACCUMULATOR)
        return change_accumulator(pool, changes, object, monitor);
    pleach_status status = change_tree(pool, &changes->added, false, object->tree, monitor);
    if (status == PLEACH_OK)
        status = change_tree(pool, &changes->replaced, true, object->tree, monitor);
    pleach__pages_give_spares(&object->tree->pages);
    return status;
}

static void let_go(pleach_pool *pool, pleach__gathered *gathered)
{
    pleach__release(pool, gathered->bytes, gathered->room);
    pleach__release(pool, gathered->pieces, gathered->places * sizeof(struct pleach__piece));
    *gathered = (pleach__gathered){0};
}

void pleach__changes_clear(pleach_pool *pool, pleach__changes *changes)
{
    let_go(pool, &changes->added);
    let_go(pool, &changes->replaced);
    memset(changes->touched, 0, sizeof changes->touched);
}
