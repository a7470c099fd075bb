/* Rows that verify signatures. */
#include "bench/row.h"

#include "config/error.h"
#include "pool/memory.h"
#include "xmss/key.h"
#include "xmss/trace.h"

#include <math.h>
#include <string.h>

enum { CLAIMS = 1024, SIGNED = 256, WORKERS_LEAST = 2, NO_TRACE = -1 };

/* Of the operations of a verification's compressions, those that zero words and prepared columns leave. */
#define OPERATIONS_LEFT 0.93

enum value {
    PER_SECOND, /* thousands */
    PER_CLAIM,  /* ns */
    ALONE,      /* ns, each in a call of its own */
    SEVERAL,    /* times as fast as one worker */
};

struct verifying {
    enum value value;
    const char *backend; /* NULL = as the settings choose */
    int layout;          /* of the trace, or NO_TRACE */
};

/* SIGNED signatures of one key, again and again. */
struct claims {
    uint8_t key[PLEACH_XMSS_PUBLIC_KEY_SIZE];
    uint8_t message[SIGNED][PLEACH_XMSS_MESSAGE_SIZE];
    uint8_t signature[SIGNED][PLEACH_XMSS_SIGNATURE_SIZE];
    pleach_xmss_claim claim[CLAIMS];
};

struct call {
    const struct verifying *work;
    const struct claims *claims;
    pleach_pool *pool;
    void *trace;
    size_t trace_size;
    pleach_status results[CLAIMS];
};

static pleach_status verify(void *context)
{
    struct call *call = context;
    const pleach_xmss_claim *claims = call->claims->claim;
    if (call->work->layout != NO_TRACE)
        return pleach_xmss_trace(call->pool, claims, CLAIMS, (pleach_xmss_layout)call->work->layout, call->trace,
                                 call->trace_size, call->results, NULL);
    if (call->work->value != ALONE)
        return pleach_xmss_verify_many(call->pool, claims, CLAIMS, call->results, NULL);
    for (size_t i = 0; i < CLAIMS; i++)
        call->results[i] = pleach_xmss_verify(&claims[i]);
    return PLEACH_OK;
}

/* One signature is not of its message. */
static bool right(struct call *call)
{
    bool all = verify(call) == PLEACH_OK;
    for (size_t i = 0; i < CLAIMS; i++)
        all &= (call->results[i] == PLEACH_OK) == (i != CLAIMS - 1);
    return all;
}

static pleach_status sign(pleach_pool *pool, struct claims *claims)
{
    uint8_t seed[PLEACH_XMSS_SEED_SIZE];
    pleach_xmss_key *key = NULL;
    pleach__bench_fill(seed, sizeof seed);
    pleach__bench_fill(claims->message[0], sizeof claims->message);
    pleach_status status = pleach_xmss_keygen(pool, seed, 0, SIGNED - 1, NULL, &key);
    status = status == PLEACH_OK ? pleach_xmss_key_public(key, claims->key) : status;
    for (uint32_t i = 0; i < SIGNED && status == PLEACH_OK; i++)
        status = pleach_xmss_sign(pool, key, i, claims->message[i], PLEACH_XMSS_DETERMINISTIC, claims->signature[i]);
    pleach_xmss_key_destroy(key);
    for (uint32_t i = 0; i < CLAIMS; i++)
        claims->claim[i] = (pleach_xmss_claim){.public_key = claims->key,
                                               .message = claims->message[i % SIGNED],
                                               .signature = claims->signature[i % SIGNED],
                                               .signature_size = PLEACH_XMSS_SIGNATURE_SIZE,
                                               .epoch = i % SIGNED};
    claims->claim[CLAIMS - 1].message = claims->message[0];
    return status;
}

static pleach__bench_cost cost_of(const pleach__backend *backend)
{
    const pleach__hash_plan plan = {.form = {.size = 64, .prefix = PLEACH__NO_PREFIX}};
    pleach__bench_cost cost = {0, 0};
    pleach__bench_add_cost(&cost, pleach__bench_cost_of(PLEACH_BLAKE2S, backend, &plan),
                           (double)CLAIMS * PLEACH_XMSS_COMPRESSIONS);
    cost.cycles *= OPERATIONS_LEFT;
    return cost;
}

static pleach_status time_both(struct call call[2], pleach__bench_result *result)
{
    const struct verifying *work = call[0].work;
    const bool waits = work->value == SEVERAL;
    const pleach__bench_subject subject[] = {{.run = verify, .context = &call[0], .waits = waits},
                                             {.run = verify, .context = &call[1], .waits = waits}};
    pleach__bench_timing timing[2];
    result->wrong = !right(&call[0]) || !right(&call[1]);
    if (result->wrong)
        return PLEACH_OK;
    pleach_status status = pleach__bench_time(subject, 2, timing);
    if (status != PLEACH_OK)
        return status;
    const double each = timing[0].ns / CLAIMS, faster = timing[1].ns / timing[0].ns;
    result->value = waits ? faster : work->value == PER_SECOND ? 1e6 / each : each;
    result->scalar = waits ? NAN : faster;
    pleach__bench_note(result, &timing[0], cost_of(pleach_pool_kernels(call[0].pool)->backend[PLEACH_BLAKE2S]));
    return PLEACH_OK;
}

static pleach_status open_pools(const struct verifying *work, const pleach__bench *bench, struct call call[2])
{
    const unsigned width = pleach_pool_width(bench->pool);
    const pleach_config one = pleach__bench_with_workers(bench, 1), scalar = pleach__bench_scalar(bench);
    const pleach_config several = pleach__bench_with_workers(bench, width > WORKERS_LEAST ? width : WORKERS_LEAST);
    pleach_config config = work->value == SEVERAL ? several : one;
    pleach_status status = work->backend ? pleach_config_set(&config, "PLEACH_BACKEND", work->backend) : PLEACH_OK;
    status = status == PLEACH_OK ? pleach_pool_create(&call[0].pool, &config) : status;
    return status == PLEACH_OK ? pleach_pool_create(&call[1].pool, work->value == SEVERAL ? &one : &scalar) : status;
}

/* Memory of both calls: claims, then a trace. */
static pleach_status measure_in(void *memory, const struct verifying *work, const pleach__bench *bench,
                                size_t trace_size, pleach__bench_result *result)
{
    static struct call call[2];
    struct claims *claims = memory;
    pleach_status status = sign(bench->pool, claims);
    for (int i = 0; i < 2; i++)
        call[i] =
            (struct call){.work = work, .claims = claims, .trace = claims + 1, .trace_size = trace_size, .pool = NULL};
    status = status == PLEACH_OK ? open_pools(work, bench, call) : status;
    if (status == PLEACH_OK) {
        result->backend = pleach_kernels_backend(pleach_pool_kernels(call[0].pool), PLEACH_BLAKE2S);
        result->workers = pleach_pool_width(call[0].pool);
        status = time_both(call, result);
    }
    (void)pleach_pool_destroy(call[0].pool);
    (void)pleach_pool_destroy(call[1].pool);
    return status;
}

static pleach_status measure(const pleach__bench_row *row, const pleach__bench *bench, pleach__bench_result *result)
{
    const struct verifying *work = row->work;
    const pleach__backend *backend = work->backend ? pleach__bench_backend(PLEACH_BLAKE2S, work->backend) : NULL;
    size_t trace_size = 0;
    if (work->backend && (!backend || !backend->usable(pleach__cpu_features()))) {
        result->skipped = backend ? backend->needs : "another processor";
        return PLEACH_OK;
    }
    pleach_status status = PLEACH_OK;
    if (work->layout != NO_TRACE)
        status = pleach_xmss_trace_size((pleach_xmss_layout)work->layout, CLAIMS, &trace_size);
    const size_t size = sizeof(struct claims) + trace_size;
    void *memory = status == PLEACH_OK ? pleach__allocate(bench->pool, size) : NULL;
    if (!memory)
        return pleach__fail(PLEACH_ENOMEM, "no memory for %d signatures and their trace: %zu bytes", CLAIMS, size);
    status = measure_in(memory, work, bench, trace_size, result);
    pleach__release(bench->pool, memory, size);
    return status;
}

#define ROW(number, name, unit, bound, target, ...) \
    PLEACH__BENCH_ROW(number, name, unit, bound, target, measure, &(const struct verifying){__VA_ARGS__})
#define BY(backend) \
    ROW(150, "XMSS verifications a second, " backend, "k/s", NO_TARGET, 0, PER_SECOND, backend, NO_TRACE)
#define TRACED(what, layout) ROW(152, "XMSS verification and trace, " what, "ns", NO_TARGET, 0, PER_CLAIM, NULL, layout)

const pleach__bench_row pleach__bench_rows_xmss[] = {
    ROW(18, "XMSS verifications a second", "k/s", AT_LEAST, 650, PER_SECOND, NULL, NO_TRACE),
    ROW(23, "several workers against one: row 18", "x", AT_LEAST, 1.9, SEVERAL, NULL, NO_TRACE),
    BY("avx512"),
    BY("avx2"),
    BY("neon"),
    BY("portable"),
    ROW(151, "XMSS verification, a call each", "ns", NO_TARGET, 0, ALONE, NULL, NO_TRACE),
    TRACED("results by lanes", PLEACH_XMSS_LANES_RESULTS),
    TRACED("blocks and results by lanes", PLEACH_XMSS_LANES_BLOCKS),
    TRACED("all by lanes", PLEACH_XMSS_LANES),
    TRACED("all by rows", PLEACH_XMSS_ROWS),
    {0},
};
