/* Rows that add items to a state of LtHash on the calling thread, straight through a backend. */
#include "bench/row.h"

#include "config/error.h"
#include "kernels/blake3/blake3.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = PLEACH__BLAKE3_BLOCK, OUTPUT_BLOCKS = 4 * PLEACH__LTHASH_WORDS / BLOCK, ITEMS = 128 };

/* One operation in so many of a compression for output is the same in all lanes, and done once. */
#define SHARED_OPERATIONS 15.0

struct adding {
    const char *backend; /* NULL = as the settings choose */
    size_t size, spread; /* items have from size - spread to size bytes */
    size_t n;
    bool together; /* the row's value is how much faster than one by one */
};

struct call {
    const struct adding *work;
    const pleach__blake3_backend *backend;
    uint8_t *bytes;
    pleach_input *items;
    pleach__blake3_root *roots;
    uint32_t *state;
};

static void add_some(const struct call *call, size_t first, size_t n)
{
    pleach__blake3_roots_list(call->backend, &pleach__blake3_unkeyed, call->items + first, n, call->roots);
    call->backend->lthash(call->roots, n, false, call->state);
}

static pleach_status add(void *context)
{
    const struct call *call = context;
    add_some(call, 0, call->work->n);
    return PLEACH_OK;
}

static pleach_status add_one_by_one(void *context)
{
    const struct call *call = context;
    for (size_t i = 0; i < call->work->n; i++)
        add_some(call, i, 1);
    return PLEACH_OK;
}

static bool right(const struct call *call, pleach_status (*run)(void *context))
{
    uint16_t want[PLEACH__LTHASH_LIMBS] = {0}, got[PLEACH__LTHASH_LIMBS];
    struct call copy = *call;
    memset(call->state, 0, sizeof(uint32_t) * PLEACH__LTHASH_WORDS);
    (void)run(&copy);
    for (size_t i = 0; i < call->work->n; i++)
        pleach__blake3_reference_lthash(&pleach__blake3_unkeyed, call->items[i].bytes, call->items[i].size, false,
                                        want);
    pleach__blake3_reference_limbs(call->state, got);
    return memcmp(got, want, sizeof got) == 0;
}

/* Of one item after the other in memory. */
static void place_items(const struct call *call)
{
    const struct adding *work = call->work;
    const uint8_t *at = call->bytes;
    pleach__bench_fill(call->bytes, work->n * work->size);
    for (size_t i = 0; i < work->n; i++) {
        const size_t shorter = (size_t)((UINT64_C(2654435761) * (i + 1) & UINT32_MAX) * (work->spread + 1) >> 32);
        call->items[i] = (pleach_input){at, work->size - shorter};
        at += call->items[i].size;
    }
}

static pleach__bench_cost cost_of(const struct call *call)
{
    pleach__hash_plan plan = {.form.size = BLOCK};
    const pleach__bench_cost each = pleach__bench_cost_of(PLEACH_BLAKE3, &call->backend->hashes, &plan);
    pleach__bench_cost cost = {0, 0};
    pleach__bench_add_cost(&cost, each, (double)(call->work->n * OUTPUT_BLOCKS));
    cost.cycles *= 1 - 1 / SHARED_OPERATIONS;
    for (size_t i = 0; i < call->work->n; i++)
        pleach__bench_add_cost(&cost, each, call->items[i].size > 0 ? (double)((call->items[i].size - 1) / BLOCK) : 0);
    return cost;
}

static pleach_status time_call(struct call *call, pleach__bench_result *result)
{
    struct call scalar = *call;
    scalar.backend = &pleach__blake3_portable;
    const pleach__bench_subject subject[] = {
        {.run = add, .context = call}, {.run = add, .context = &scalar}, {.run = add_one_by_one, .context = call}};
    pleach__bench_timing timing[3];
    result->wrong = !right(call, add) || !right(&scalar, add) || !right(call, add_one_by_one);
    if (result->wrong)
        return PLEACH_OK;
    pleach_status status = pleach__bench_time(subject, call->work->together ? 3 : 2, timing);
    if (status != PLEACH_OK)
        return status;
    result->value = call->work->together ? timing[2].ns / timing[0].ns : timing[0].ns / (double)call->work->n;
    result->scalar = timing[1].ns / timing[0].ns;
    pleach__bench_note(result, &timing[0], cost_of(call));
    return PLEACH_OK;
}

static pleach_status measure(const pleach__bench_row *row, const pleach__bench *bench, pleach__bench_result *result)
{
    const struct adding *work = row->work;
    const pleach__backend *backend = pleach_pool_kernels(bench->pool)->backend[PLEACH_BLAKE3];
    if (work->backend)
        backend = pleach__bench_backend(PLEACH_BLAKE3, work->backend);
    if (!backend || !backend->usable(pleach__cpu_features())) {
        result->skipped = backend ? backend->needs : "another processor";
        return PLEACH_OK;
    }
    _Alignas(64) uint32_t state[PLEACH__LTHASH_WORDS];
    struct call call = {
        .work = work,
        .backend = (const pleach__blake3_backend *)backend,
        .bytes = malloc(work->n * work->size),
        .items = calloc(work->n, sizeof *call.items),
        .roots = calloc(work->n, sizeof *call.roots),
        .state = state,
    };
    result->backend = backend->name;
    result->workers = 1;
    pleach_status status = PLEACH_ENOMEM;
    if (call.bytes && call.items && call.roots) {
        place_items(&call);
        status = time_call(&call, result);
    } else {
        (void)pleach__fail(PLEACH_ENOMEM, "no memory for %zu items of %zu bytes", work->n, work->size);
    }
    free(call.bytes);
    free(call.items);
    free(call.roots);
    return status;
}

#define ROW(number, name, bound, target, backend, size, n) \
    PLEACH__BENCH_ROW(number, name, "ns", bound, target, measure, &(const struct adding){backend, size, 0, n, false})
#define TOGETHER(name, size, spread, n)                                           \
    PLEACH__BENCH_ROW(109, name " against one by one", "x", AT_LEAST, 1, measure, \
                      &(const struct adding){NULL, size, spread, n, true})

const pleach__bench_row pleach__bench_rows_lthash[] = {
    ROW(15, "LtHash add, 64 B", AT_MOST, 205, NULL, 64, ITEMS),
    ROW(16, "LtHash add, 200 B", AT_MOST, 240, NULL, 200, ITEMS),
    ROW(16, "LtHash add, 1000 B", AT_MOST, 320, NULL, 1000, ITEMS),
    ROW(108, "LtHash add, 32 B", NO_TARGET, 0, NULL, 32, ITEMS),
    ROW(108, "LtHash add, 128 B", NO_TARGET, 0, NULL, 128, ITEMS),
    ROW(108, "LtHash add, 64 B, avx2", NO_TARGET, 0, "avx2", 64, ITEMS),
    ROW(108, "LtHash add, 64 B, n = 1", NO_TARGET, 0, NULL, 64, 1),
    ROW(108, "LtHash add, 64 B, n = 15", NO_TARGET, 0, NULL, 64, 15),
    ROW(108, "LtHash add, 64 B, n = 16", NO_TARGET, 0, NULL, 64, 16),
    ROW(108, "LtHash add, 64 B, n = 17", NO_TARGET, 0, NULL, 64, 17),
    ROW(108, "LtHash add, 200 B, n = 1", NO_TARGET, 0, NULL, 200, 1),
    ROW(108, "LtHash add, 200 B, n = 15", NO_TARGET, 0, NULL, 200, 15),
    ROW(108, "LtHash add, 200 B, n = 16", NO_TARGET, 0, NULL, 200, 16),
    ROW(108, "LtHash add, 200 B, n = 17", NO_TARGET, 0, NULL, 200, 17),
    TOGETHER("LtHash add, 200 B, n = 2", 200, 0, 2),
    TOGETHER("LtHash add, 65 to 1000 B, n = 32", 1000, 935, 32),
    {0},
};
