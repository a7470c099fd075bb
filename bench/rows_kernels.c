/* Rows that hash inputs in cache on the calling thread, straight through a backend. */
#include "bench/row.h"

#include "config/error.h"

#include <stdlib.h>

enum { LINE = 64, SHORTEST = 150 }; /* the shortest input of a list; the form has the longest */

enum value {
    PER_HASH,   /* ns */
    PER_CALL,   /* us */
    PER_BYTE,   /* GB/s */
    PER_LISTED, /* ns, of inputs of differing sizes */
    /* ratios */
    AFTER_DIRT,      /* times as long as without */
    LISTED_TOGETHER, /* times as fast as one input at a time */
    AGAINST_SHANI,   /* times as fast as that backend */
    AGAINST_PORTABLE,
};

struct hashing {
    pleach_family family;
    const char *backend; /* NULL = as the settings choose */
    pleach__hash_form form;
    size_t n;
    enum value value;
};

/* One way to run it. */
struct call {
    const struct hashing *work;
    const pleach__backend *backend;
    pleach__hash_plan plan;
    pleach_input *inputs;
    uint8_t *in, *out;
};

static bool is_list(const struct hashing *work)
{
    return work->value == PER_LISTED || work->value == LISTED_TOGETHER;
}

static pleach_status hash(void *context)
{
    const struct call *call = context;
    const struct hashing *work = call->work;
    if (is_list(work))
        return pleach__hash_list(pleach__family_of(work->family), call->backend, &work->form, call->inputs, work->n,
                                 call->out);
    call->backend->hash_many(&call->plan, call->in, call->plan.form.size, work->n, call->out);
    return PLEACH_OK;
}

static pleach__hash_form form_of(const struct call *call, size_t i)
{
    pleach__hash_form form = call->work->form;
    form.size = call->inputs[i].size;
    return form;
}

static pleach_status hash_one_by_one(void *context)
{
    const struct call *call = context;
    pleach_status status = PLEACH_OK;
    for (size_t i = 0; status == PLEACH_OK && i < call->work->n; i++) {
        const pleach__hash_form form = form_of(call, i);
        pleach__hash_plan plan;
        status = pleach__family_of(call->work->family)->plan(&plan, &form);
        call->backend->hash_many(&plan, call->inputs[i].bytes, 0, 1, call->out + i * PLEACH_DIGEST_SIZE);
    }
    return status;
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
    bool all = hash(call) == PLEACH_OK;
    for (size_t i = 0; all && i < call->work->n; i++) {
        const pleach__hash_form form = form_of(call, i);
        all = pleach__bench_right(call->work->family, &form, call->inputs[i].bytes, 0, 1,
                                  call->out + i * PLEACH_DIGEST_SIZE);
    }
    return all;
}

/* One after the other in memory, as in a block of transactions. */
static void place_inputs(struct call *call)
{
    const struct hashing *work = call->work;
    const uint8_t *at = call->in;
    const size_t spread = is_list(work) ? work->form.size - SHORTEST + 1 : 1;
    for (size_t i = 0; i < work->n; i++) {
        const size_t shorter = (size_t)((UINT64_C(2654435761) * (i + 1) & UINT32_MAX) * spread >> 32);
        call->inputs[i] = (pleach_input){at, work->form.size - shorter};
        at += call->inputs[i].size;
    }
}

static void close_call(struct call *call)
{
    free(call->inputs);
    free(call->in);
}

/* Memory for a call, its inputs filled; on success there is something to close. */
static pleach_status open_call(struct call *call, const struct hashing *work, const pleach__backend *backend)
{
    const size_t inputs = (work->n * work->form.size + LINE - 1) / LINE * LINE;
    *call = (struct call){.work = work, .backend = backend};
    pleach_status status = pleach__family_of(work->family)->plan(&call->plan, &work->form);
    if (status != PLEACH_OK)
        return status;
    call->in = aligned_alloc(LINE, (inputs + work->n * PLEACH_DIGEST_SIZE + LINE - 1) / LINE * LINE);
    call->inputs = calloc(work->n, sizeof *call->inputs);
    if (!call->in || !call->inputs) {
        close_call(call);
        return pleach__fail(PLEACH_ENOMEM, "no memory for %zu inputs of %zu bytes", work->n, work->form.size);
    }
    call->out = call->in + inputs;
    pleach__bench_fill(call->in, inputs);
    place_inputs(call);
    return PLEACH_OK;
}

/* `beside` is what the row's ratio is to, if it is a ratio. */
static double value_of(const struct hashing *work, const pleach__bench_timing *timing,
                       const pleach__bench_timing *beside)
{
    switch (work->value) {
    case PER_HASH:
    case PER_LISTED:
        return timing->ns / (double)work->n;
    case PER_CALL:
        return timing->ns / 1e3;
    case PER_BYTE:
        return (double)(work->n * work->form.size) / timing->ns;
    default:
        return beside->ns / timing->ns;
    }
}

static pleach__bench_cost cost_of(const struct call *call)
{
    pleach__bench_cost cost = {0, 0};
    for (size_t i = 0; i < call->work->n; i++) {
        pleach__hash_plan plan = call->plan;
        plan.form.size = call->inputs[i].size;
        pleach__bench_add_cost(&cost, pleach__bench_cost_of(call->work->family, call->backend, &plan), 1);
    }
    return cost;
}

static pleach_status time_calls(struct call *call, struct call *scalar, struct call *other,
                                pleach__bench_result *result)
{
    const struct hashing *work = call->work;
    pleach__bench_subject subject[] = {
        {.run = hash, .context = call}, {.run = hash, .context = scalar}, {.run = hash, .context = other}};
    if (work->value == AFTER_DIRT)
        subject[2].run = hash_after_dirt;
    if (work->value == LISTED_TOGETHER)
        subject[2].run = hash_one_by_one;
    pleach__bench_timing timing[3];
    pleach_status status = pleach__bench_time(subject, work->value >= AFTER_DIRT ? 3 : 2, timing);
    if (status != PLEACH_OK)
        return status;
    result->value = value_of(work, &timing[0], &timing[2]);
    result->scalar = timing[1].ns / timing[0].ns;
    pleach__bench_note(result, &timing[0], cost_of(call));
    return PLEACH_OK;
}

/* NULL, and why in the result, if this host cannot run it. */
static const pleach__backend *usable(const pleach__backend *backend, pleach__bench_result *result)
{
    if (!backend)
        result->skipped = "another processor";
    else if (!backend->usable(pleach__cpu_features()))
        result->skipped = backend->needs;
    return result->skipped ? NULL : backend;
}

static const pleach__backend *backend_of(const struct hashing *work, const pleach__bench *bench,
                                         pleach__bench_result *result)
{
    const pleach__backend *backend = pleach_pool_kernels(bench->pool)->backend[work->family];
    if (work->backend)
        backend = pleach__bench_backend(work->family, work->backend);
    if (work->value == AFTER_DIRT && !pleach__cpu_features()->avx2)
        result->skipped = "AVX2";
    return usable(backend, result);
}

/* The backend that the row's ratio is to. */
static const pleach__backend *other_of(const struct hashing *work, const pleach__backend *backend)
{
    return work->value == AGAINST_SHANI      ? pleach__bench_backend(work->family, "shani")
           : work->value == AGAINST_PORTABLE ? pleach__bench_backend(work->family, "portable")
                                             : backend;
}

static struct call by(const pleach__backend *backend, struct call call)
{
    call.backend = backend;
    return call;
}

static pleach_status measure(const pleach__bench_row *row, const pleach__bench *bench, pleach__bench_result *result)
{
    const struct hashing *work = row->work;
    const pleach__backend *backend = backend_of(work, bench, result);
    const pleach__backend *other = backend ? usable(other_of(work, backend), result) : NULL;
    if (!other)
        return PLEACH_OK;
    result->backend = backend->name;
    result->workers = 1;
    struct call call;
    pleach_status status = open_call(&call, work, backend);
    if (status != PLEACH_OK)
        return status;
    struct call scalar = by(pleach__bench_backend(work->family, "portable"), call), beside = by(other, call);
    result->wrong = !right(&call) || !right(&scalar) || !right(&beside);
    if (!result->wrong)
        status = time_calls(&call, &scalar, &beside, result);
    close_call(&call);
    return status;
}

#define PREFIXED(bytes, byte)             \
    {                                     \
        .size = (bytes), .prefix = (byte) \
    }
#define PLAIN(bytes) PREFIXED(bytes, PLEACH__NO_PREFIX)
#define TWICE(bytes)                                                \
    {                                                               \
        .size = (bytes), .prefix = PLEACH__NO_PREFIX, .twice = true \
    }
#define ROW(number, name, unit, bound, target, ...) \
    PLEACH__BENCH_ROW(number, name, unit, bound, target, measure, &(const struct hashing){__VA_ARGS__})
#define LIST(name, family)                                                                                   \
    ROW(106, name ", 2500 transactions of 150 to 800 B", "ns", NO_TARGET, 0, family, NULL, PLAIN(800), 2500, \
        PER_LISTED),                                                                                         \
        ROW(106, name ", these against one by one", "x", AT_LEAST, 1, family, NULL, PLAIN(800), 2500, LISTED_TOGETHER)
/* The smallest remainders of a call that vector backends hash in lanes. */
#define CROSSOVER(name, family, backend) \
    ROW(107, name ", " backend " against portable", "x", AT_LEAST, 1, family, backend, PLAIN(64), 2, AGAINST_PORTABLE)
#define SHA256_CROSSOVER(name, ...) \
    ROW(107, name ", avx512 against shani", "x", AT_LEAST, 1, PLEACH_SHA256, "avx512", __VA_ARGS__, AGAINST_SHANI)

const pleach__bench_row pleach__bench_rows_kernels[] = {
    ROW(1, "BLAKE2s, 64 B", "ns", AT_MOST, 10.0, PLEACH_BLAKE2S, NULL, PLAIN(64), 256, PER_HASH),
    ROW(2, "BLAKE2s, 31 inputs of 64 B", "us", AT_MOST, 0.40, PLEACH_BLAKE2S, NULL, PLAIN(64), 31, PER_CALL),
    ROW(3, "BLAKE2s, 320 B", "GB/s", AT_LEAST, 5.5, PLEACH_BLAKE2S, NULL, PLAIN(320), 48, PER_BYTE),
    ROW(9, "SHA-256, 64 B, n = 1024", "ns", AT_MOST, 22.0, PLEACH_SHA256, NULL, PLAIN(64), 1024, PER_HASH),
    ROW(10, "SHA-256, 64 B, n = 17", "ns", AT_MOST, 28.0, PLEACH_SHA256, NULL, PLAIN(64), 17, PER_HASH),
    ROW(10, "SHA-256, 64 B, n = 31", "ns", AT_MOST, 24.0, PLEACH_SHA256, NULL, PLAIN(64), 31, PER_HASH),
    ROW(12, "RFC 6962 node", "ns", AT_MOST, 24.5, PLEACH_SHA256, NULL, PREFIXED(64, 1), 1024, PER_HASH),
    ROW(14, "SHA-256d, 64 B: Bitcoin node", "ns", AT_MOST, 34.0, PLEACH_SHA256, NULL, TWICE(64), 1024, PER_HASH),
    ROW(17, "BLAKE3, 1 MiB", "GB/s", AT_LEAST, 8.0, PLEACH_BLAKE3, NULL, PLAIN(1 << 20), 1, PER_BYTE),
    ROW(101, "BLAKE2s, 64 B, avx512", "ns", AT_MOST, 10.0, PLEACH_BLAKE2S, "avx512", PLAIN(64), 256, PER_HASH),
    ROW(101, "BLAKE2s, 64 B, avx2", "ns", AT_MOST, 21.0, PLEACH_BLAKE2S, "avx2", PLAIN(64), 256, PER_HASH),
    ROW(101, "BLAKE2s, 64 B, portable", "ns", NO_TARGET, 0, PLEACH_BLAKE2S, "portable", PLAIN(64), 256, PER_HASH),
    ROW(102, "SHA-256, 64 B, avx512", "ns", AT_MOST, 22.0, PLEACH_SHA256, "avx512", PLAIN(64), 1024, PER_HASH),
    ROW(102, "SHA-256, 64 B, avx2", "ns", AT_MOST, 60.0, PLEACH_SHA256, "avx2", PLAIN(64), 1024, PER_HASH),
    ROW(102, "SHA-256, 64 B, shani", "ns", NO_TARGET, 0, PLEACH_SHA256, "shani", PLAIN(64), 1024, PER_HASH),
    ROW(102, "SHA-256, 64 B, portable", "ns", NO_TARGET, 0, PLEACH_SHA256, "portable", PLAIN(64), 1024, PER_HASH),
    ROW(102, "SHA-256, 40 B, avx2", "ns", NO_TARGET, 0, PLEACH_SHA256, "avx2", PLAIN(40), 1024, PER_HASH),
    ROW(103, "SHA-NI after AVX code, upper halves dirty", "x", AT_MOST, 1.1, PLEACH_SHA256, "shani", PLAIN(64), 16,
        AFTER_DIRT),
    ROW(105, "SHA-256, 40 B: one compression", "ns", NO_TARGET, 0, PLEACH_SHA256, NULL, PLAIN(40), 1024, PER_HASH),
    ROW(105, "RFC 6962 leaf, 32 B: one compression", "ns", NO_TARGET, 0, PLEACH_SHA256, NULL, PREFIXED(32, 0), 1024,
        PER_HASH),
    LIST("BLAKE2s", PLEACH_BLAKE2S),
    LIST("SHA-256", PLEACH_SHA256),
    LIST("BLAKE3", PLEACH_BLAKE3),
    SHA256_CROSSOVER("SHA-256, 64 B, n = 6", PLAIN(64), 6),
    SHA256_CROSSOVER("SHA-256, 64 B, n = 9", PLAIN(64), 9),
    SHA256_CROSSOVER("SHA-256, 32 B, n = 6", PLAIN(32), 6),
    SHA256_CROSSOVER("SHA-256, 100 B, n = 8", PLAIN(100), 8),
    SHA256_CROSSOVER("RFC 6962 node, n = 8", PREFIXED(64, 1), 8),
    SHA256_CROSSOVER("Bitcoin node, n = 6", TWICE(64), 6),
    CROSSOVER("SHA-256, 64 B, n = 2", PLEACH_SHA256, "avx2"),
    CROSSOVER("BLAKE2s, 64 B, n = 2", PLEACH_BLAKE2S, "avx512"),
    CROSSOVER("BLAKE2s, 64 B, n = 2", PLEACH_BLAKE2S, "avx2"),
    CROSSOVER("BLAKE3, 64 B, n = 2", PLEACH_BLAKE3, "avx512"),
    CROSSOVER("BLAKE3, 64 B, n = 2", PLEACH_BLAKE3, "avx2"),
    {0},
};
