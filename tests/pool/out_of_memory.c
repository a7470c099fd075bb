/* Every allocation of every call of this room and those below it fails once; of the calls that need none, none is made.
 */
#define _GNU_SOURCE
#include "../scarce.h"
#include "kernels/blake3.h"
#include "memory_test.h"

#include <string.h>

struct creation {
    pleach_config config;
    pleach_pool *pool, *untouched;
};

static pleach_status create(void *context)
{
    struct creation *creation = context;
    return pleach_pool_create(&creation->pool, &creation->config);
}

static void expect_no_pool(void *context)
{
    const struct creation *creation = context;
    assert_ptr_equal(creation->pool, creation->untouched);
}

/* The first pools of the process are made here. */
static void pools(void **state)
{
    for (int hosted = 0; hosted < 2; hosted++) {
        for (int workers = 1; workers <= 5; workers += 2) {
            const size_t held = scarce_held();
            struct creation creation = {.config = memory_settings(workers, hosted),
                                        .pool = (pleach_pool *)state,
                                        .untouched = (pleach_pool *)state};
            const struct scarce_call call = {.attempt = create, .unchanged = expect_no_pool, .context = &creation};
            assert_in_range(scarce_run(&call), 5, 100);
            assert_int_equal(pleach_pool_width(creation.pool), workers);
            assert_int_equal(pleach_pool_destroy(creation.pool), PLEACH_OK);
            assert_int_equal(scarce_held(), held);
        }
    }
}

struct buffer {
    pleach_pool *pool;
    size_t size;
    void *memory;
    pleach_memory_use before;
};

static pleach_status allocate(void *context)
{
    struct buffer *buffer = context;
    buffer->memory = pleach__allocate(buffer->pool, buffer->size);
    return buffer->memory != NULL ? PLEACH_OK : pleach__fail(PLEACH_ENOMEM, "no buffer");
}

static void expect_no_use(void *context)
{
    const struct buffer *buffer = context;
    pleach_memory_use use;
    pleach_pool_memory(buffer->pool, &use);
    assert_int_equal(use.allocations, buffer->before.allocations);
    assert_int_equal(use.used, buffer->before.used);
    assert_int_equal(use.peak, buffer->before.peak);
}

static void buffers(void **state)
{
    const size_t sizes[] = {0, 1, 64, 100000, 1 << 20, 9 << 20};
    const pleach_config own = memory_settings(2, false), hosted = memory_settings(2, true);
    pleach_pool *pools[] = {NULL, pool_under(&own), pool_under(&hosted)};
    (void)state;
    for (int p = 0; p < 3; p++) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            const size_t held = scarce_held();
            struct buffer buffer = {.pool = pools[p], .size = sizes[i]};
            const struct scarce_call call = {.attempt = allocate, .unchanged = expect_no_use, .context = &buffer};
            pleach_pool_memory(buffer.pool, &buffer.before);
            assert_int_equal(scarce_run(&call), 1);
            memset(buffer.memory, 1, buffer.size);
            pleach__release(buffer.pool, buffer.memory, buffer.size);
            assert_int_equal(scarce_held(), held);
        }
        assert_int_equal(pleach_pool_destroy(pools[p]), PLEACH_OK);
    }
}

/* --- calls that have all they need --- */

enum { INPUTS = 9000, SIZE = 200 };

struct sparing {
    pleach_pool *pool;
    pleach_status (*call)(const struct sparing *sparing);
};

static uint8_t bytes[INPUTS * SIZE], digests[INPUTS * PLEACH_DIGEST_SIZE];

static pleach_status attempt_sparing(void *context)
{
    const struct sparing *sparing = context;
    return sparing->call(sparing);
}

static pleach_status hash_item(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    (void)context;
    return pleach_hash_many(worker->kernels, PLEACH_SHA256, bytes + begin * SIZE, SIZE, SIZE, end - begin,
                            digests + begin * PLEACH_DIGEST_SIZE);
}

static pleach_status run_jobs(const struct sparing *sparing)
{
    pleach_status status = PLEACH_OK;
    for (int priority = PLEACH_LATENCY; priority <= PLEACH_BULK && status == PLEACH_OK; priority++) {
        const pleach_job job = {.task = hash_item, .items = INPUTS, .priority = (pleach_priority)priority};
        status = pleach_pool_run(sparing->pool, &job);
    }
    return status;
}

static pleach_status ask(const struct sparing *sparing)
{
    char text[256];
    pleach_pool_counters counters;
    pleach_memory_use use;
    pleach_pool_count(sparing->pool, &counters);
    pleach_pool_memory(sparing->pool, &use);
    return pleach_pool_describe(sparing->pool, text, sizeof text) > sizeof text &&
                   pleach_pool_kernels(sparing->pool) != NULL && pleach_pool_width(sparing->pool) > 0
               ? PLEACH_OK
               : PLEACH_ETASK;
}

static pleach_status hash(const struct sparing *sparing)
{
    static pleach_input inputs[INPUTS];
    const pleach_kernels *kernels = pleach_pool_kernels(sparing->pool);
    pleach_status status = PLEACH_OK;
    for (size_t i = 0; i < INPUTS; i++)
        inputs[i] = (pleach_input){bytes + i, i % 7 == 0 ? 3000 : i % SIZE};
    for (int family = 0; family < PLEACH_HASH_FAMILIES && status == PLEACH_OK; family++) {
        status = pleach_hash_many(kernels, (pleach_family)family, bytes, SIZE, SIZE, INPUTS, digests);
        if (status == PLEACH_OK)
            status = pleach_hash_list(kernels, (pleach_family)family, inputs, INPUTS, digests);
    }
    return status;
}

static pleach_status hash_blake3(const struct sparing *sparing)
{
    const pleach_kernels *kernels = pleach_pool_kernels(sparing->pool);
    pleach_status status = pleach_blake3_hash(kernels, bytes, sizeof bytes, 3, digests, 5000);
    if (status == PLEACH_OK)
        status = pleach_blake3_keyed(kernels, bytes, bytes, sizeof bytes, 0, digests, 32);
    if (status == PLEACH_OK)
        status = pleach_blake3_derive_key(kernels, bytes, 40, bytes, 3000, 0, digests, 32);
    return status;
}

static pleach_status configure(const struct sparing *sparing)
{
    pleach_config config;
    (void)sparing;
    pleach_config_init(&config);
    pleach_status status = pleach_config_from_env(&config);
    if (status == PLEACH_OK)
        status = pleach_config_set(&config, "PLEACH_BACKEND", "blake2s:portable,sha256:portable");
    return status == PLEACH_OK ? pleach_config_validate(&config) : status;
}

static void sparing_calls(void **state)
{
    pleach_status (*const calls[])(const struct sparing *) = {run_jobs, ask, hash, hash_blake3, configure};
    const pleach_config own = memory_settings(3, false), hosted = memory_settings(3, true);
    pleach_pool *pools[] = {NULL, pool_under(&own), pool_under(&hosted)};
    (void)state;
    for (int p = 0; p < 3; p++) {
        for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
            struct sparing sparing = {.pool = pools[p], .call = calls[i]};
            const struct scarce_call call = {.attempt = attempt_sparing, .context = &sparing};
            assert_int_equal(scarce_run(&call), 0);
        }
        assert_int_equal(pleach_pool_destroy(pools[p]), PLEACH_OK);
    }
}

int run_out_of_memory_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pools),
        cmocka_unit_test(buffers),
        cmocka_unit_test(sparing_calls),
    };
    return cmocka_run_group_tests_name("out of memory", tests, NULL, NULL);
}
