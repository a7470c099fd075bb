/* Rows that apply batches to the state of an accumulator, by the public calls. */
#include "bench/row.h"

#include "config/error.h"
#include "kernels/blake3/blake3.h"
#include "lthash/lthash.h"
#include "pool/memory.h"

#include <math.h>

enum { WORKERS_LEAST = 2 };

struct batch {
    size_t n, size; /* items, and the bytes of one */
    bool compared;  /* several workers against one, not nanoseconds an item */
};

/* A batch that is applied again and again. */
struct applying {
    const struct batch *batch;
    pleach_pool *pool; /* its own */
    pleach_lthash_op *ops;
    _Alignas(64) pleach_lthash state;
};

static pleach_status apply(void *context)
{
    struct applying *applying = context;
    return pleach_lthash_apply(applying->pool, &applying->state, applying->ops, applying->batch->n,
                               PLEACH_LTHASH_EMPTY_HASHED, NULL);
}

/* Applies it once to nothing, and compares the state with the reference. */
static bool right(struct applying *applying)
{
    uint16_t limbs[PLEACH__LTHASH_LIMBS] = {0};
    uint8_t bytes[PLEACH_LTHASH_SIZE];
    bool same = pleach_lthash_zero(&applying->state) == PLEACH_OK && apply(applying) == PLEACH_OK &&
                pleach_lthash_serialise(&applying->state, bytes) == PLEACH_OK;
    for (size_t i = 0; i < applying->batch->n; i++) {
        const pleach_lthash_op *op = &applying->ops[i];
        pleach__blake3_reference_lthash(&pleach__blake3_unkeyed, op->item.bytes, op->item.size,
                                        op->action == PLEACH_LTHASH_REMOVE, limbs);
    }
    for (size_t i = 0; same && i < PLEACH__LTHASH_LIMBS; i++)
        same = (bytes[2 * i] | bytes[2 * i + 1] << 8) == limbs[i];
    return same;
}

/* How an item is hashed is not compared with the limit of ports: lanes that are counters spare a part of a round. */
static pleach__bench_cost cost_of(const struct batch *batch)
{
    const size_t chained = batch->size > 0 ? (batch->size - 1) / PLEACH__BLAKE3_BLOCK : 0;
    const size_t each = PLEACH_LTHASH_SIZE / PLEACH__BLAKE3_BLOCK + chained;
    return (pleach__bench_cost){.compressions = (double)(batch->n * each), .cycles = NAN};
}

/* By some pool, then by one worker: of the portable code, or of the same. */
static pleach_status time_both(struct applying *applying, pleach__bench_result *result)
{
    const struct batch *batch = applying->batch;
    const unsigned width = pleach_pool_width(applying[0].pool);
    const pleach__bench_subject subject[] = {
        {.run = apply, .context = &applying[0], .waits = batch->compared || width > 1},
        {.run = apply, .context = &applying[1], .waits = batch->compared}};
    pleach__bench_timing timing[2];
    result->backend = pleach_kernels_backend(pleach_pool_kernels(applying[0].pool), PLEACH_BLAKE3);
    result->workers = width;
    result->wrong = !right(&applying[0]) || !right(&applying[1]);
    if (result->wrong)
        return PLEACH_OK;
    pleach_status status = pleach__bench_time(subject, 2, timing);
    if (status != PLEACH_OK)
        return status;
    const double faster = timing[1].ns / timing[0].ns;
    result->value = batch->compared ? faster : timing[0].ns / (double)batch->n;
    result->scalar = batch->compared ? NAN : faster;
    pleach__bench_note(result, &timing[0], cost_of(batch));
    return PLEACH_OK;
}

static void fill_ops(const struct batch *batch, pleach_lthash_op *ops, uint8_t *bytes)
{
    pleach__bench_fill(bytes, batch->n * batch->size);
    for (size_t i = 0; i < batch->n; i++)
        ops[i] = (pleach_lthash_op){.item = {bytes + batch->size * i, batch->size},
                                    .action = i % 2 ? PLEACH_LTHASH_REMOVE : PLEACH_LTHASH_ADD};
}

static pleach_status measure_batch(const pleach__bench_row *row, const pleach__bench *bench,
                                   pleach__bench_result *result)
{
    const struct batch *batch = row->work;
    const unsigned width = pleach_pool_width(bench->pool);
    const pleach_config several = pleach__bench_with_workers(bench, width > WORKERS_LEAST ? width : WORKERS_LEAST),
                        one = pleach__bench_with_workers(bench, 1), scalar = pleach__bench_scalar(bench);
    const size_t listed = batch->n * sizeof(pleach_lthash_op), size = listed + batch->n * batch->size;
    struct applying applying[2] = {{.batch = batch}, {.batch = batch}};
    pleach_lthash_op *ops = pleach__allocate(bench->pool, size);
    if (!ops)
        return pleach__fail(PLEACH_ENOMEM, "no memory for %zu bytes of changes", size);
    fill_ops(batch, ops, (uint8_t *)(ops + batch->n));
    applying[0].ops = applying[1].ops = ops;
    pleach_status status = pleach_pool_create(&applying[0].pool, batch->compared ? &several : &one);
    if (status == PLEACH_OK)
        status = pleach_pool_create(&applying[1].pool, batch->compared ? &one : &scalar);
    if (status == PLEACH_OK)
        status = time_both(applying, result);
    (void)pleach_pool_destroy(applying[1].pool);
    (void)pleach_pool_destroy(applying[0].pool);
    pleach__release(bench->pool, ops, size);
    return status;
}

#define APPLY(number, its_n, its_size)                                                                              \
    PLEACH__BENCH_ROW(number, "LtHash, batch of " #its_n ", items of " #its_size " B, an item", "ns", NO_TARGET, 0, \
                      measure_batch, &(const struct batch){.n = (its_n), .size = (its_size)})
#define TWICE(its_size)                                                                                              \
    PLEACH__BENCH_ROW(23, "several workers against one: row 16, " #its_size " B", "x", AT_LEAST, 1.9, measure_batch, \
                      &(const struct batch){.n = 2500, .size = (its_size), .compared = true})

const pleach__bench_row pleach__bench_rows_accumulators[] = {
    TWICE(200),
    TWICE(1000),
    APPLY(130, 1, 200),
    APPLY(131, 15, 200),
    APPLY(132, 16, 200),
    APPLY(133, 17, 200),
    APPLY(134, 2500, 200),
    APPLY(135, 1, 64),
    APPLY(136, 2500, 64),
    APPLY(137, 1, 1000),
    APPLY(138, 16, 1000),
    APPLY(139, 2500, 1000),
    {0},
};
