/* Rows that hash inputs in cache on the calling thread, straight through a backend. */
#include "bench/row.h"

#include "config/error.h"

#include <stdlib.h>

enum { LINE = 64 };

struct hashing {
    pleach_family family;
    const char *backend; /* NULL = as the settings choose */
    pleach__hash_form form;
    size_t n;
    enum { PER_HASH, PER_CALL, PER_BYTE, AFTER_DIRT } value; /* ns; us; GB/s; times as long as without */
};

/* One way to run it. */
struct call {
    const struct hashing *work;
    const pleach__backend *backend;
    pleach__hash_plan plan;
    uint8_t *in, *out;
};

static pleach_status hash(void *context)
{
    const struct call *call = context;
    call->backend->hash_many(&call->plan, call->in, call->plan.form.size, call->work->n, call->out);
    return PLEACH_OK;
}

/*
 * As after AVX code that does not clean up. SHA-NI instructions leave the upper halves of registers alone, so where
 * those are dirty each may have to wait for the one before.
 */
static pleach_status hash_after_dirt(void *context)
{
#if defined(__x86_64__)
    __asm__ volatile("vpcmpeqd %%ymm15, %%ymm15, %%ymm15\n" ::: "xmm15");
#endif
    return hash(context);
}

static bool right(struct call *call)
{
    const struct hashing *work = call->work;
    (void)hash(call);
    return pleach__bench_right(work->family, &work->form, call->in, work->form.size, work->n, call->out);
}

/* Memory for a call, its inputs filled; the caller frees call->in. */
static pleach_status open_call(struct call *call, const struct hashing *work, const pleach__backend *backend)
{
    const size_t inputs = (work->n * work->form.size + LINE - 1) / LINE * LINE;
    *call = (struct call){.work = work, .backend = backend};
    pleach_status status = pleach__family_of(work->family)->plan(&call->plan, &work->form);
    if (status != PLEACH_OK)
        return status;
    call->in = aligned_alloc(LINE, (inputs + work->n * PLEACH_DIGEST_SIZE + LINE - 1) / LINE * LINE);
    if (!call->in)
        return pleach__fail(PLEACH_ENOMEM, "no memory for %zu inputs of %zu bytes", work->n, work->form.size);
    call->out = call->in + inputs;
    pleach__bench_fill(call->in, inputs);
    return PLEACH_OK;
}

static double value_of(const struct hashing *work, const pleach__bench_timing *timing,
                       const pleach__bench_timing *dirty)
{
    switch (work->value) {
    case PER_CALL:
        return timing->ns / 1e3;
    case PER_BYTE:
        return (double)(work->n * work->form.size) / timing->ns;
    case AFTER_DIRT:
        return dirty->ns / timing->ns;
    default:
        return timing->ns / (double)work->n;
    }
}

static pleach_status time_calls(struct call *call, struct call *scalar, pleach__bench_result *result)
{
    const struct hashing *work = call->work;
    const pleach__bench_subject subject[] = {
        {.run = hash, .context = call}, {.run = hash, .context = scalar}, {.run = hash_after_dirt, .context = call}};
    pleach__bench_timing timing[3];
    pleach_status status = pleach__bench_time(subject, work->value == AFTER_DIRT ? 3 : 2, timing);
    if (status != PLEACH_OK)
        return status;
    pleach__bench_cost cost = {0, 0};
    pleach__bench_add_cost(&cost, pleach__bench_cost_of(work->family, call->backend, &call->plan), (double)work->n);
    result->value = value_of(work, &timing[0], &timing[2]);
    result->scalar = timing[1].ns / timing[0].ns;
    pleach__bench_note(result, &timing[0], cost);
    return PLEACH_OK;
}

/* The backend of the row; NULL if this host has no such row. */
static const pleach__backend *backend_of(const struct hashing *work, const pleach__bench *bench,
                                         pleach__bench_result *result)
{
    const pleach__backend *backend = pleach_pool_kernels(bench->pool)->backend[work->family];
    if (work->backend)
        backend = pleach__bench_backend(work->family, work->backend);
    if (!backend)
        result->skipped = "another processor";
    else if (!backend->usable(pleach__cpu_features()))
        result->skipped = backend->needs;
    else if (work->value == AFTER_DIRT && !pleach__cpu_features()->avx2)
        result->skipped = "AVX2";
    return result->skipped ? NULL : backend;
}

static pleach_status measure(const pleach__bench_row *row, const pleach__bench *bench, pleach__bench_result *result)
{
    const struct hashing *work = row->work;
    const pleach__backend *backend = backend_of(work, bench, result);
    if (!backend)
        return PLEACH_OK;
    result->backend = backend->name;
    result->workers = 1;
    struct call call;
    pleach_status status = open_call(&call, work, backend);
    if (status != PLEACH_OK)
        return status;
    struct call scalar = call;
    scalar.backend = pleach__bench_backend(work->family, "portable");
    result->wrong = !right(&call) || !right(&scalar);
    if (!result->wrong)
        status = time_calls(&call, &scalar, result);
    free(call.in);
    return status;
}

#define PLAIN(bytes)                                 \
    {                                                \
        .size = (bytes), .prefix = PLEACH__NO_PREFIX \
    }
#define ROW(number, name, unit, bound, target, ...) \
    PLEACH__BENCH_ROW(number, name, unit, bound, target, measure, &(const struct hashing){__VA_ARGS__})

const pleach__bench_row pleach__bench_rows_kernels[] = {
    ROW(1, "BLAKE2s, 64 B", "ns", AT_MOST, 10.0, PLEACH_BLAKE2S, NULL, PLAIN(64), 256, PER_HASH),
    ROW(2, "BLAKE2s, 31 inputs of 64 B", "us", AT_MOST, 0.40, PLEACH_BLAKE2S, NULL, PLAIN(64), 31, PER_CALL),
    ROW(3, "BLAKE2s, 320 B", "GB/s", AT_LEAST, 5.5, PLEACH_BLAKE2S, NULL, PLAIN(320), 48, PER_BYTE),
    ROW(9, "SHA-256, 64 B, n = 1024", "ns", AT_MOST, 22.0, PLEACH_SHA256, NULL, PLAIN(64), 1024, PER_HASH),
    ROW(10, "SHA-256, 64 B, n = 17", "ns", AT_MOST, 28.0, PLEACH_SHA256, NULL, PLAIN(64), 17, PER_HASH),
    ROW(10, "SHA-256, 64 B, n = 31", "ns", AT_MOST, 24.0, PLEACH_SHA256, NULL, PLAIN(64), 31, PER_HASH),
    ROW(12, "RFC 6962 node", "ns", AT_MOST, 24.5, PLEACH_SHA256, NULL, {.size = 64, .prefix = 1}, 1024, PER_HASH),
    ROW(14, "SHA-256d, 64 B: Bitcoin node", "ns", AT_MOST, 34.0, PLEACH_SHA256, NULL,
        {.size = 64, .prefix = PLEACH__NO_PREFIX, .twice = true}, 1024, PER_HASH),
    ROW(17, "BLAKE3, 1 MiB", "GB/s", AT_LEAST, 8.0, PLEACH_BLAKE3, NULL, PLAIN(1 << 20), 1, PER_BYTE),
    ROW(101, "BLAKE2s, 64 B, avx512", "ns", AT_MOST, 10.0, PLEACH_BLAKE2S, "avx512", PLAIN(64), 256, PER_HASH),
    ROW(101, "BLAKE2s, 64 B, avx2", "ns", AT_MOST, 21.0, PLEACH_BLAKE2S, "avx2", PLAIN(64), 256, PER_HASH),
    ROW(101, "BLAKE2s, 64 B, portable", "ns", NO_TARGET, 0, PLEACH_BLAKE2S, "portable", PLAIN(64), 256, PER_HASH),
    ROW(102, "SHA-256, 64 B, avx512", "ns", AT_MOST, 22.0, PLEACH_SHA256, "avx512", PLAIN(64), 1024, PER_HASH),
    ROW(102, "SHA-256, 64 B, avx2", "ns", AT_MOST, 60.0, PLEACH_SHA256, "avx2", PLAIN(64), 1024, PER_HASH),
    ROW(102, "SHA-256, 64 B, shani", "ns", NO_TARGET, 0, PLEACH_SHA256, "shani", PLAIN(64), 1024, PER_HASH),
    ROW(102, "SHA-256, 64 B, portable", "ns", NO_TARGET, 0, PLEACH_SHA256, "portable", PLAIN(64), 1024, PER_HASH),
    ROW(103, "SHA-NI after AVX code, upper halves dirty", "x", AT_MOST, 1.1, PLEACH_SHA256, "shani", PLAIN(64), 16,
        AFTER_DIRT),
    {0},
};
