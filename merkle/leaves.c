#include "merkle/leaves.h"

#include "config/error.h"

/* Compressions of the longest call that is a latency job: a few milliseconds on a few workers. */
enum { LATENCY_MOST = 1 << 20 };

static pleach_status check_span(const pleach_leaves *leaves)
{
    if (leaves->stride < leaves->size)
        return pleach__fail(PLEACH_EINVAL, "leaves: stride = %zu: at least their size, %zu", leaves->stride,
                            leaves->size);
    if (leaves->size == 0 || leaves->count == 0)
        return PLEACH_OK;
    if (!leaves->data)
        return pleach__fail(PLEACH_EINVAL, "leaves: data = NULL, count = %zu, size = %zu", leaves->count, leaves->size);
    size_t above = (size_t)(UINTPTR_MAX - (uintptr_t)leaves->data);
    size_t room = above < PTRDIFF_MAX ? above : PTRDIFF_MAX;
    if (leaves->size > room || (leaves->count > 1 && leaves->stride > (room - leaves->size) / (leaves->count - 1)))
        return pleach__fail(PLEACH_ERANGE, "leaves: count = %zu, stride = %zu: they would not fit the address space",
                            leaves->count, leaves->stride);
    return PLEACH_OK;
}

/* Finds the largest leaf of a list, and the bytes of all. */
static pleach_status check_list(const pleach_scheme *scheme, const pleach_leaves *leaves, size_t *largest,
                                size_t *bytes)
{
    *largest = *bytes = 0;
    if (leaves->data || leaves->size > 0 || leaves->stride > 0 || leaves->zeros > 0)
        return pleach__fail(PLEACH_EINVAL,
                            "leaves: list, but data = %p, size = %zu, stride = %zu, zeros = %zu: only one form",
                            (const void *)leaves->data, leaves->size, leaves->stride, leaves->zeros);
    for (size_t i = 0; i < leaves->count; i++) {
        const pleach_input *leaf = &leaves->list[i];
        if (!leaf->bytes && leaf->size > 0)
            return pleach__fail(PLEACH_EINVAL, "leaves: list[%zu].bytes = NULL, size = %zu", i, leaf->size);
        if (scheme->leaf_given && leaf->size != PLEACH_DIGEST_SIZE)
            return pleach__fail(PLEACH_EINVAL,
                                "leaves: list[%zu].size = %zu: leaves of scheme %s are digests of %d bytes", i,
                                leaf->size, pleach__scheme_name(scheme), PLEACH_DIGEST_SIZE);
        if (leaf->size > PTRDIFF_MAX - *bytes)
            return pleach__fail(PLEACH_ERANGE,
                                "leaves: list[%zu].size = %zu: together they would not fit the address "
                                "space",
                                i, leaf->size);
        *bytes += leaf->size;
        *largest = leaf->size > *largest ? leaf->size : *largest;
    }
    return PLEACH_OK;
}

pleach_status pleach__leaves_plan(const pleach_scheme *scheme, const pleach_leaves *leaves, pleach__row *row)
{
    if (!leaves)
        return pleach__fail(PLEACH_EINVAL, "leaves = NULL");
    if (leaves->count > PTRDIFF_MAX / (4 * PLEACH_DIGEST_SIZE))
        return pleach__fail(PLEACH_ERANGE, "leaves: count = %zu: their tree would not fit the address space",
                            leaves->count);
    const bool stored = leaves->size > 0; /* no address is computed from a null pointer */
    size_t size = leaves->size;
    row->inputs = stored ? leaves->data : (const uint8_t *)"";
    row->stride = stored ? leaves->stride : 0;
    row->count = leaves->count;
    row->list = leaves->list;
    row->list_bytes = 0;
    row->tail = NULL;
    row->level = 0;
    pleach_status status = pleach__scheme_check(scheme);
    if (status == PLEACH_OK)
        status = leaves->list ? check_list(scheme, leaves, &size, &row->list_bytes) : check_span(leaves);
    if (status == PLEACH_OK && scheme->leaf_given && leaves->count == 0)
        size = PLEACH_DIGEST_SIZE; /* of none */
    return status == PLEACH_OK ? pleach__scheme_hashing(scheme, size, leaves->zeros, &row->hashing) : status;
}

pleach_status pleach__leaves_accept(const pleach_scheme *scheme, const pleach_leaves *leaves, pleach__row *row)
{
    pleach_status status = pleach__leaves_plan(scheme, leaves, row);
    return status == PLEACH_OK ? pleach__scheme_check_count(scheme, row->count) : status;
}

pleach__call pleach__leaves_call(pleach_pool *pool, const pleach__row *row, pleach_monitor *monitor)
{
    bool is_short = row->count == 0 || row->count <= LATENCY_MOST / pleach__row_cost(row);
    return (pleach__call){.pool = pool,
                          .priority = is_short ? PLEACH_LATENCY : PLEACH_BULK,
                          .monitor = monitor,
                          .unit = 1,
                          .total = row->count};
}
