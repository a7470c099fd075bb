#include "config/error.h"
#include "lthash/run.h"
#include "pool/memory.h"

#include <string.h>

static pleach_status check_op(const pleach_lthash_op *op, size_t i, size_t count, pleach_lthash_empty empty)
{
    if (!op->item.bytes && op->item.size > 0)
        return pleach__fail(PLEACH_EINVAL, "ops[%zu].item: bytes = NULL, size = %zu", i, op->item.size);
    if (op->item.size > PTRDIFF_MAX)
        return pleach__fail(PLEACH_ERANGE, "ops[%zu].item: size = %zu: it would not fit the address space", i,
                            op->item.size);
    if (op->state >= count)
        return pleach__fail(PLEACH_EINVAL, "ops[%zu].state = %lu: there are %zu states", i, (unsigned long)op->state,
                            count);
    return pleach__lthash_check_choices(op->action, empty);
}

/* Adds up what the changes cost, and finds whether they come in the order of their states. */
static pleach_status check_ops(const pleach_lthash_op *ops, size_t n, size_t count, pleach_lthash_empty empty,
                               uint64_t *cost, bool *ascend)
{
    pleach_status status = pleach__lthash_check_choices(PLEACH_LTHASH_ADD, empty);
    if (status == PLEACH_OK && !ops && n > 0)
        return pleach__fail(PLEACH_EINVAL, "ops = NULL, n = %zu", n);
    for (size_t i = 0; status == PLEACH_OK && i < n; i++) {
        status = check_op(&ops[i], i, count, empty);
        if (ops[i].item.size > 0 || empty == PLEACH_LTHASH_EMPTY_HASHED)
            *cost += pleach__lthash_cost(ops[i].item.size);
        *ascend &= i == 0 || ops[i - 1].state <= ops[i].state;
    }
    return status;
}

/* A stable sort by state. Returns NULL if there is no memory for it; the order begins at its result. */
static size_t *sort(pleach_pool *pool, const pleach_lthash_op *ops, size_t n, size_t count, size_t size)
{
    size_t *order = pleach__allocate(pool, size);
    if (!order)
        return NULL;
    size_t *place = order + n;
    memset(place, 0, (count + 1) * sizeof *place);
    for (size_t i = 0; i < n; i++)
        place[ops[i].state + 1]++;
    for (size_t s = 0; s < count; s++)
        place[s + 1] += place[s];
    for (size_t i = 0; i < n; i++)
        order[place[ops[i].state]++] = i;
    return order;
}

static pleach_status run_ops(pleach_pool *pool, const pleach__lthash_target *target, const pleach_lthash_op *ops,
                             size_t n, pleach_lthash_empty empty, pleach_monitor *monitor)
{
    uint64_t cost = 0;
    bool ascend = true;
    pleach_status status = check_ops(ops, n, target->count, empty, &cost, &ascend);
    if (status != PLEACH_OK || n == 0)
        return status;
    pleach__lthash_batch batch = {.mode = pleach__lthash_mode(target->states[0]),
                                  .n = n,
                                  .ops = ops,
                                  .skips_empty = empty == PLEACH_LTHASH_EMPTY_SKIPPED};
    if (ascend)
        return pleach__lthash_run(pool, &batch, cost, target, monitor);
    const size_t size = (n + target->count + 1) * sizeof *batch.order;
    size_t *order = sort(pool, ops, n, target->count, size);
    if (!order)
        return pleach__fail(PLEACH_ENOMEM, "no memory to sort %zu changes by state", n);
    batch.order = order;
    status = pleach__lthash_run(pool, &batch, cost, target, monitor);
    pleach__release(pool, order, size);
    return status;
}

pleach_status pleach_lthash_apply(pleach_pool *pool, pleach_lthash *state, const pleach_lthash_op *ops, size_t n,
                                  pleach_lthash_empty empty, pleach_monitor *monitor)
{
    if (!state)
        return pleach__fail(PLEACH_EINVAL, "state = NULL");
    return run_ops(pool, &(const pleach__lthash_target){.states = &state, .count = 1}, ops, n, empty, monitor);
}

static pleach_status check_items(const pleach_lthash_items *items)
{
    const size_t size = items->size, stride = size > 0 ? items->stride : 0, n = items->count;
    if (n > SIZE_MAX / 2)
        return pleach__fail(PLEACH_ERANGE, "items: count = %zu: at most %zu", n, SIZE_MAX / 2);
    if (!items->data && size > 0 && n > 0)
        return pleach__fail(PLEACH_EINVAL, "items: data = NULL, count = %zu, size = %zu", n, size);
    const size_t above = (size_t)(UINTPTR_MAX - (uintptr_t)items->data),
                 room = above < PTRDIFF_MAX ? above : PTRDIFF_MAX;
    if (size > room || (n > 1 && stride > (room - size) / (n - 1)))
        return pleach__fail(PLEACH_ERANGE, "items: count = %zu, stride = %zu: they would not fit the address space", n,
                            stride);
    return PLEACH_OK;
}

pleach_status pleach_lthash_apply_items(pleach_pool *pool, pleach_lthash *state, pleach_lthash_action action,
                                        const pleach_lthash_items *items, pleach_lthash_empty empty,
                                        pleach_monitor *monitor)
{
    if (!state || !items)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", state ? "items" : "state");
    pleach_status status = pleach__lthash_check_choices(action, empty);
    if (status == PLEACH_OK)
        status = check_items(items);
    const bool stored = items->size > 0; /* no address is computed from a null pointer */
    if (status != PLEACH_OK || items->count == 0 || (!stored && empty == PLEACH_LTHASH_EMPTY_SKIPPED))
        return status;
    const pleach__lthash_batch batch = {.mode = pleach__lthash_mode(state),
                                        .n = items->count,
                                        .items = stored ? items->data : (const uint8_t *)"",
                                        .size = items->size,
                                        .stride = stored ? items->stride : 0,
                                        .action = action};
    const pleach__lthash_target target = {.states = &state, .count = 1};
    const uint64_t each = pleach__lthash_cost(items->size);
    const uint64_t cost = batch.n <= UINT64_MAX / each ? batch.n * each : UINT64_MAX;
    return pleach__lthash_run(pool, &batch, cost, &target, monitor);
}

static pleach_status check_states(const pleach__lthash_target *target)
{
    if (!target->states && target->count > 0)
        return pleach__fail(PLEACH_EINVAL, "states = NULL, count = %zu", target->count);
    pleach_status status = PLEACH_OK;
    for (size_t s = 0; status == PLEACH_OK && s < target->count; s++) {
        const pleach_lthash *state = target->states[s];
        if (!state)
            return pleach__fail(PLEACH_EINVAL, "states[%zu] = NULL", s);
        if (state == target->total)
            return pleach__fail(PLEACH_EINVAL, "total = states[%zu]: it would take its changes twice", s);
        status = pleach__lthash_check_keys(state, target->total ? target->total : target->states[0]);
    }
    return status;
}

pleach_status pleach_lthash_apply_many(pleach_pool *pool, pleach_lthash *const *states, size_t count,
                                       pleach_lthash *total, const pleach_lthash_op *ops, size_t n,
                                       pleach_lthash_empty empty, pleach_monitor *monitor)
{
    const pleach__lthash_target target = {.states = states, .count = count, .total = total};
    pleach_status status = check_states(&target);
    return status == PLEACH_OK ? run_ops(pool, &target, ops, n, empty, monitor) : status;
}
