#include "merkle/leaves.h"

#include "config/error.h"

/* Compressions of the longest call that is a latency job: a few milliseconds on a few workers. */
enum { LATENCY_MOST = 1 << 20 };

static pleach_status check_span(const pleach_leaves *leaves)
{
    if (leaves->stride < leaves->size)
        return pleach__fail(PLEACH_EINVAL, "leaves: stride = %zu: at least their size, %zu", leaves->stride,
                            leaves->size);
    if (leaves->count > PTRDIFF_MAX / (4 * PLEACH_DIGEST_SIZE))
        return pleach__fail(PLEACH_ERANGE, "leaves: count = %zu: their tree would not fit the address space",
                            leaves->count);
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

pleach_status pleach__leaves_accept(const pleach_scheme *scheme, const pleach_leaves *leaves, pleach__row *row)
{
    if (!leaves)
        return pleach__fail(PLEACH_EINVAL, "leaves = NULL");
    pleach__hashing hashing;
    pleach_status status = pleach__scheme_hashing(scheme, leaves->size, leaves->zeros, &hashing);
    if (status == PLEACH_OK)
        status = check_span(leaves);
    if (status == PLEACH_OK)
        status = pleach__scheme_check_count(scheme, leaves->count);
    if (status != PLEACH_OK)
        return status;
    bool stored = leaves->size > 0; /* no address is computed from a null pointer */
    *row = (pleach__row){.hashing = hashing,
                         .inputs = stored ? leaves->data : (const uint8_t *)"",
                         .stride = stored ? leaves->stride : 0,
                         .count = leaves->count};
    return PLEACH_OK;
}

pleach__call pleach__leaves_call(pleach_pool *pool, const pleach__row *row, pleach_monitor *monitor)
{
    bool is_short = row->count <= LATENCY_MOST / pleach__row_cost(row);
    return (pleach__call){.pool = pool,
                          .priority = is_short ? PLEACH_LATENCY : PLEACH_BULK,
                          .monitor = monitor,
                          .unit = 1,
                          .total = row->count};
}
