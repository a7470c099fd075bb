/* Pools on a machine of two core clusters, each with a streaming unit. */
#define _GNU_SOURCE
#include "aarch64_test.h"

#include "merkle/merkle.h"
#include "pool/workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { LEAVES = 1 << 14, LEAF = 64, ROUNDS_MAX = 300 };

static uint8_t leaves[LEAVES * LEAF];

static pleach__topology make_machine(void)
{
    pleach__found found[4];
    pleach__topology topology = {.quota = 0};
    for (unsigned i = 0; i < 4; i++)
        found[i] = (pleach__found){.number = i, .capacity = 100, .units = 1, .group = i / 2, .cluster = i / 2};
    assert_int_equal(pleach__topology_arrange(&topology, found, 4), PLEACH_OK);
    return topology;
}

static pleach_pool *make_pool(const char *workers, const char *sme_workers, const char *backend)
{
    pleach_pool *pool = NULL;
    pleach_config config;
    pleach__topology topology = make_machine();
    pleach_config_init(&config);
    assert_int_equal(pleach_config_set(&config, "PLEACH_WORKERS", workers), PLEACH_OK);
    assert_int_equal(pleach_config_set(&config, "PLEACH_SME_WORKERS", sme_workers), PLEACH_OK);
    assert_int_equal(pleach_config_set(&config, "PLEACH_BACKEND", backend), PLEACH_OK);
    assert_int_equal(pleach__pool_create_on(&pool, &config, &topology), PLEACH_OK);
    return pool;
}

static void root_of(pleach_pool *pool, size_t size, uint8_t root[DIGEST])
{
    const pleach_leaves all = {.data = leaves, .size = size, .stride = LEAF, .count = LEAVES};
    assert_int_equal(pleach_merkle_root(pool, &pleach_scheme_blake2s, &all, NULL, root), PLEACH_OK);
}

static const size_t sizes[] = {64, 1, 55};

static void expected_roots(uint8_t roots[][DIGEST])
{
    pleach_pool *pool = make_pool("1", "0", "portable");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        root_of(pool, sizes[i], roots[i]);
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

static void check_roots(pleach_pool *pool, uint8_t expected[][DIGEST])
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint8_t root[DIGEST];
        root_of(pool, sizes[i], root);
        assert_memory_equal(root, expected[i], DIGEST);
    }
}

static void *call_from_elsewhere(void *pool)
{
    static uint8_t out[LANES * DIGEST];
    root_of(pool, LEAF, out);
    (void)pleach_hash_many(pleach_pool_kernels(pool), PLEACH_BLAKE2S, leaves, LEAF, LEAF, LANES, out);
    (void)pleach_hash_many(NULL, PLEACH_BLAKE2S, leaves, LEAF, LEAF, LANES, out);
    root_of(NULL, LEAF, out);
    return NULL;
}

/* Two workers with slots, two without: the first two stream, no other worker and no caller. */
static void a_whole_tree(void **state)
{
    (void)state;
    uint8_t expected[3][DIGEST];
    pthread_t thread;
    expected_roots(expected);
    pleach_pool *pool = make_pool("5", "auto", "");
    assert_int_equal(pool->plan.slots, can_stream || !pleach__cpu_features()->sme ? 2 : 0);
    forget_stays();
    for (int round = 0; round < ROUNDS_MAX; round++) {
        check_roots(pool, expected);
        if (!can_stream || (atomic_load(&stays[1]) > 0 && atomic_load(&stays[2]) > 0))
            break;
    }
    assert_int_equal(atomic_load(&stays[1]) > 0, can_stream);
    assert_int_equal(atomic_load(&stays[2]) > 0, can_stream);
    assert_int_equal(pthread_create(&thread, NULL, call_from_elsewhere, pool), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    for (unsigned i = 0; i <= WORKERS; i++)
        assert_true(i == 1 || i == 2 || atomic_load(&stays[i]) == 0);
    for (unsigned i = 1; i < 5; i++) {
        pleach_pool_counters counted;
        assert_int_equal(pleach_pool_count_worker(pool, i, &counted), PLEACH_OK);
        assert_true(counted.claims > 0 || atomic_load(&stays[i]) == 0);
    }
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

static void the_description_tells(void **state)
{
    (void)state;
    pleach_pool *pool = make_pool("5", "auto", "");
    const size_t size = pleach_pool_describe(pool, NULL, 0) + 1;
    char *text = malloc(size);
    assert_non_null(text);
    (void)pleach_pool_describe(pool, text, size);
    if (can_stream) {
        assert_non_null(strstr(text, "\"slots\":2,"));
        assert_non_null(strstr(text, "\"streaming_backend\":\"sme\""));
        assert_null(strstr(text, "\"backend\":\"sme\""));
    } else if (pleach__cpu_features()->sme) {
        assert_non_null(strstr(text, "\"slots\":0,\"reason\":\"those of the workers to which the system grants"));
        assert_non_null(strstr(text, "\"holders\":[]"));
    } else {
        assert_null(strstr(text, "\"streaming_backend\":\"sme\""));
    }
    free(text);
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

static pleach_status note_signals(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    (void)begin, (void)end;
    if (worker->index != 0 && !all_signals_are_blocked())
        atomic_fetch_add((_Atomic unsigned *)context, 1);
    return PLEACH_OK;
}

static void workers_block_all_signals(void **state)
{
    (void)state;
    _Atomic unsigned open = 0;
    pleach_pool *pool = make_pool("5", "auto", "");
    for (int i = 0; i < 20; i++)
        assert_int_equal(pleach_pool_run(pool, &(pleach_job){.task = note_signals, .context = &open, .items = 100}),
                         PLEACH_OK);
    assert_int_equal(atomic_load(&open), 0);
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

static void a_caller_that_is_alone_streams(void **state)
{
    (void)state;
    uint8_t expected[3][DIGEST];
    expected_roots(expected);
    pleach_pool *pool = make_pool("1", "auto", "");
    forget_stays();
    check_roots(pool, expected);
    assert_int_equal(atomic_load(&stays[OTHERS]) > 0, can_stream);
    forget_stays();
    (void)call_from_elsewhere(NULL);
    assert_int_equal(all_stays(), 0);
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

static void without_slots_nothing_streams(void **state)
{
    (void)state;
    uint8_t expected[3][DIGEST];
    static const char *const workers[] = {"1", "5"};
    expected_roots(expected);
    forget_stays();
    for (int i = 0; i < 2; i++) {
        pleach_pool *pool = make_pool(workers[i], "0", "");
        check_roots(pool, expected);
        assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
    }
    assert_int_equal(all_stays(), 0);
}

/* A pin to the streaming backend leaves other workers theirs. */
static void pinned(void **state)
{
    (void)state;
    uint8_t expected[3][DIGEST];
    skip_unless_streaming();
    expected_roots(expected);
    pleach_pool *pool = make_pool("5", "1", "blake2s:sme");
    assert_int_equal(pool->plan.slots, 1);
    assert_string_equal(pleach_kernels_backend(&pool->kernels[1], PLEACH_BLAKE2S), "sme");
    assert_string_not_equal(pleach_kernels_backend(&pool->kernels[0], PLEACH_BLAKE2S), "sme");
    check_roots(pool, expected);
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

static int fill_leaves(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof leaves; i++)
        leaves[i] = (uint8_t)(i * 2654435761u >> 24);
    return 0;
}

int run_slot_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_tree),
        cmocka_unit_test(the_description_tells),
        cmocka_unit_test(workers_block_all_signals),
        cmocka_unit_test(a_caller_that_is_alone_streams),
        cmocka_unit_test(without_slots_nothing_streams),
        cmocka_unit_test(pinned),
    };
    return cmocka_run_group_tests_name("slots", tests, fill_leaves, NULL);
}
