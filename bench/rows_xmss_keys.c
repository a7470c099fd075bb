/* Rows that make keys and search encodings, on the calling thread. */
#include "bench/row.h"

#include "xmss/key.h"
#include "xmss/reference.h"
#include "xmss/verify.h"

#include <string.h>

enum { EPOCHS = 1024, TRIES = 1 << 12 };

/* Of the operations of compressions, those that zero words and prepared columns leave. */
#define OPERATIONS_LEFT 0.92

/* Compressions of a key: of an epoch, 42 chains of a start and 7 steps, and a leaf; and of every node. */
#define KEY_COMPRESSIONS (EPOCHS * (42 * 8 + 11) + EPOCHS + 22)

struct call {
    pleach_pool *pool;
    uint8_t seed[PLEACH_XMSS_SEED_SIZE];
    uint8_t public_key[PLEACH_XMSS_PUBLIC_KEY_SIZE];
    pleach__xmss_search search;
    uint64_t found;
};

static pleach_status make_key(void *context)
{
    struct call *call = context;
    pleach_xmss_key *key = NULL;
    pleach_status status = pleach_xmss_keygen(call->pool, call->seed, 0, EPOCHS - 1, NULL, &key);
    if (status == PLEACH_OK)
        status = pleach_xmss_key_public(key, call->public_key);
    pleach_xmss_key_destroy(key);
    return status;
}

/* Tries that are known to fail: as many as asked for. */
static pleach_status search(void *context)
{
    struct call *call = context;
    call->found = pleach__xmss_walk_of(pleach_pool_kernels(call->pool))->search(&call->search, 0, TRIES);
    return PLEACH_OK;
}

/* Finds a message of which none of the tries is valid, by the reference. */
static void choose_message(struct call call[2])
{
    uint8_t message[PLEACH_XMSS_MESSAGE_SIZE] = {0}, randomness[PLEACH_XMSS_RANDOMNESS_SIZE] = {0};
    uint8_t digits[PLEACH_XMSS_CHAINS];
    const uint8_t *parameter = call->public_key + PLEACH__XMSS_PARAMETER;
    for (uint32_t tries = 0; tries < TRIES; tries++) {
        if (tries == 0)
            message[0]++;
        randomness[0] = (uint8_t)tries;
        randomness[1] = (uint8_t)(tries >> 8);
        if (pleach__xmss_reference_encode(digits, parameter, 0, message, randomness, NULL))
            tries = UINT32_MAX; /* the next message, from its first try */
    }
    for (int i = 0; i < 2; i++)
        pleach__xmss_search_begin(&call[i].search, parameter, 0, message, randomness + 8);
}

static pleach__bench_cost cost_of(const pleach_pool *pool, double compressions)
{
    const pleach__hash_plan plan = {.form = {.size = 64, .prefix = PLEACH__NO_PREFIX}};
    pleach__bench_cost cost = {0, 0};
    pleach__bench_add_cost(
        &cost, pleach__bench_cost_of(PLEACH_BLAKE2S, pleach_pool_kernels(pool)->backend[PLEACH_BLAKE2S], &plan),
        compressions);
    cost.cycles *= OPERATIONS_LEFT;
    return cost;
}

static pleach_status time_both(struct call call[2], bool searches, pleach__bench_result *result)
{
    pleach_status (*const run)(void *) = searches ? search : make_key;
    const pleach__bench_subject subject[] = {{.run = run, .context = &call[0]}, {.run = run, .context = &call[1]}};
    pleach__bench_timing timing[2];
    pleach_status status = PLEACH_OK;
    for (int i = 0; i < 2 && status == PLEACH_OK; i++)
        status = make_key(&call[i]);
    if (status != PLEACH_OK)
        return status;
    choose_message(call);
    for (int i = 0; i < 2; i++)
        (void)search(&call[i]);
    result->wrong = call[0].found != TRIES || call[1].found != TRIES ||
                    memcmp(call[0].public_key, call[1].public_key, sizeof call[0].public_key) != 0;
    if (result->wrong)
        return PLEACH_OK;
    status = pleach__bench_time(subject, 2, timing);
    if (status != PLEACH_OK)
        return status;
    result->value = searches ? timing[0].ns / TRIES : timing[0].ns * 1e-6;
    result->scalar = timing[1].ns / timing[0].ns;
    pleach__bench_note(result, &timing[0], cost_of(call[0].pool, searches ? TRIES : KEY_COMPRESSIONS));
    return PLEACH_OK;
}

static pleach_status measure(const pleach__bench_row *row, const pleach__bench *bench, pleach__bench_result *result)
{
    const pleach_config one = pleach__bench_with_workers(bench, 1), scalar = pleach__bench_scalar(bench);
    struct call call[2];
    memset(call, 0, sizeof call);
    pleach_status status = pleach_pool_create(&call[0].pool, &one);
    status = status == PLEACH_OK ? pleach_pool_create(&call[1].pool, &scalar) : status;
    if (status == PLEACH_OK) {
        result->workers = 1;
        result->backend = pleach_kernels_backend(pleach_pool_kernels(call[0].pool), PLEACH_BLAKE2S);
        status = time_both(call, *(const bool *)row->work, result);
    }
    for (int i = 0; i < 2; i++)
        (void)pleach_pool_destroy(call[i].pool);
    return status;
}

#define ROW(number, name, unit, target, searches) \
    PLEACH__BENCH_ROW(number, name, unit, AT_MOST, target, measure, &(const bool){searches})

const pleach__bench_row pleach__bench_rows_xmss_keys[] = {
    ROW(19, "XMSS key, 2^10 epochs", "ms", 4, false),
    ROW(20, "XMSS encoding, a try", "ns", 9.5, true),
    {0},
};
