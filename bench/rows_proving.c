/* Rows about what a prover calls: the message of a zerocheck, and what a fold of two look-ups at once gains. */
#include "bench/row.h"

#include "config/error.h"
#include "kernels/urm/urm.h"
#include "pool/memory.h"
#include "proving/urm.h"

#include <math.h>
#include <string.h>

enum { VARIABLES = 26, WINDOWS = 64 };

/* --- The whole message, on one worker --- */

struct message_call {
    const uint8_t *bits[3];
    bool with_s_hat_v;
    pleach_pool *pool;
    pleach_urm_message message;
};

static uint8_t challenge[VARIABLES][PLEACH_F128_SIZE];

static pleach_status compute(void *context)
{
    struct message_call *call = context;
    return pleach_urm_round1(call->pool, call->bits[0], call->bits[1], call->bits[2], (size_t)1 << (VARIABLES - 3),
                             VARIABLES, (const uint8_t(*)[PLEACH_F128_SIZE])challenge, NULL, call->with_s_hat_v,
                             &call->message, NULL);
}

static pleach_status time_message(struct message_call call[2], pleach__bench_result *result)
{
    const pleach__bench_subject subject[] = {{.run = compute, .context = &call[0]},
                                             {.run = compute, .context = &call[1]}};
    pleach__bench_timing timing[2];
    pleach_status status = compute(&call[0]);
    status = status == PLEACH_OK ? compute(&call[1]) : status;
    if (status != PLEACH_OK)
        return status;
    result->wrong = memcmp(&call[0].message, &call[1].message, sizeof call[0].message) != 0;
    status = result->wrong ? PLEACH_OK : pleach__bench_time(subject, 2, timing);
    if (status != PLEACH_OK || result->wrong)
        return status;
    result->value = timing[0].ns / 1e6;
    result->scalar = timing[1].ns / timing[0].ns;
    pleach__bench_note(result, &timing[0], (pleach__bench_cost){NAN, NAN});
    return PLEACH_OK;
}

static pleach_status measure_message(const pleach__bench_row *row, const pleach__bench *bench,
                                     pleach__bench_result *result)
{
    const size_t size = (size_t)1 << (VARIABLES - 3);
    const pleach_config one = pleach__bench_with_workers(bench, 1), scalar = pleach__bench_scalar(bench);
    pleach_pool *pool[2] = {NULL, NULL};
    uint8_t *bits = pleach__allocate(bench->pool, 3 * size);
    if (!bits)
        return pleach__fail(PLEACH_ENOMEM, "no memory for 3 times 2^%d bits", VARIABLES);
    pleach__bench_fill(bits, 2 * size);
    for (size_t i = 0; i < size; i++)
        bits[2 * size + i] = bits[i] & bits[size + i];
    pleach__bench_fill(challenge[0], sizeof challenge);
    pleach_urm_fixed_challenge(challenge + PLEACH_URM_FIXED_FIRST);
    pleach_status status = pleach_pool_create(&pool[0], &one);
    status = status == PLEACH_OK ? pleach_pool_create(&pool[1], &scalar) : status;
    if (status == PLEACH_OK) {
        struct message_call call[2];
        memset(call, 0, sizeof call);
        for (int i = 0; i < 2; i++) {
            call[i].with_s_hat_v = *(const bool *)row->work;
            call[i].pool = pool[i];
            for (int part = 0; part < 3; part++)
                call[i].bits[part] = bits + (size_t)part * size;
        }
        result->workers = 1;
        result->backend = pleach_kernels_backend(pleach_pool_kernels(pool[0]), PLEACH_URM);
        status = time_message(call, result);
    }
    (void)pleach_pool_destroy(pool[0]);
    (void)pleach_pool_destroy(pool[1]);
    pleach__release(bench->pool, bits, 3 * size);
    return status;
}

/* --- Windows in the cache, two look-ups to a fold and one --- */

#if defined(__x86_64__)
#define THREE_INPUTS (&pleach__urm_avx512)
#define TWO_INPUTS   (&pleach__urm_avx512_binary)
#elif defined(__aarch64__)
#define THREE_INPUTS (&pleach__urm_sha3)
#define TWO_INPUTS   (&pleach__urm_neon)
#else
#define THREE_INPUTS NULL
#define TWO_INPUTS   NULL
#endif

struct windows_call {
    const pleach__urm_backend *backend;
    pleach__urm_windows windows;
    pleach__urm_sums sums;
};

static pleach_status add_windows(void *context)
{
    struct windows_call *call = context;
    call->backend->add(&call->sums, &call->windows);
    return PLEACH_OK;
}

static pleach_status measure_windows(const pleach__bench_row *row, const pleach__bench *bench,
                                     pleach__bench_result *result)
{
    enum { SIZE = WINDOWS * PLEACH__URM_WINDOW };
    static pleach__f128 weight[WINDOWS];
    static uint8_t blocks[WINDOWS];
    const pleach__urm_backend *backend = *(const bool *)row->work ? THREE_INPUTS : TWO_INPUTS;
    result->skipped = "an instruction for the exclusive or of three vectors";
    if (!backend)
        return PLEACH_OK;
    result->skipped = backend->backend.needs;
    if (!backend->backend.usable(pleach__cpu_features()))
        return PLEACH_OK;
    result->skipped = NULL;
    uint8_t *bits = pleach__allocate(bench->pool, 3 * SIZE);
    if (!bits)
        return pleach__fail(PLEACH_ENOMEM, "no memory for %d windows", WINDOWS);
    pleach__bench_fill(bits, 3 * SIZE);
    pleach__bench_fill((uint8_t *)weight, sizeof weight);
    memset(blocks, PLEACH__URM_BLOCKS, sizeof blocks);
    struct windows_call call[2];
    memset(call, 0, sizeof call);
    for (int i = 0; i < 2; i++) {
        call[i].backend = i == 0 ? backend : &pleach__urm_portable;
        call[i].windows = (pleach__urm_windows){.a = bits,
                                                .b = bits + SIZE,
                                                .c = bits + 2 * SIZE,
                                                .weight = weight,
                                                .blocks = blocks,
                                                .n = WINDOWS,
                                                .scale = {1, 1},
                                                .split = true};
        (void)add_windows(&call[i]);
    }
    const pleach__bench_subject subject[] = {{.run = add_windows, .context = &call[0]},
                                             {.run = add_windows, .context = &call[1]}};
    pleach__bench_timing timing[2];
    result->workers = 1;
    result->backend = backend->backend.name;
    result->wrong = memcmp(&call[0].sums, &call[1].sums, sizeof call[0].sums) != 0;
    pleach_status status = result->wrong ? PLEACH_OK : pleach__bench_time(subject, 2, timing);
    if (status == PLEACH_OK && !result->wrong) {
        result->value = timing[0].ns / WINDOWS;
        result->scalar = timing[1].ns / timing[0].ns;
        pleach__bench_note(result, &timing[0], (pleach__bench_cost){NAN, NAN});
    }
    pleach__release(bench->pool, bits, 3 * SIZE);
    return status;
}

static const bool yes = true, no = false;

const pleach__bench_row pleach__bench_rows_proving[] = {
    PLEACH__BENCH_ROW(21, "URM message of 2^26 bits, with s_hat_v", "ms", AT_MOST, 6.3, measure_message, &yes),
    PLEACH__BENCH_ROW(140, "URM message of 2^26 bits", "ms", NO_TARGET, 0, measure_message, &no),
    PLEACH__BENCH_ROW(141, "URM window by tables, three-input xor", "ns", NO_TARGET, 0, measure_windows, &yes),
    PLEACH__BENCH_ROW(142, "URM window by tables, two-input xor", "ns", NO_TARGET, 0, measure_windows, &no),
    {0},
};
