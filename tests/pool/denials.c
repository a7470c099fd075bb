/* Workers that hold a slot and find that the system does not grant what streaming needs. */
#define _GNU_SOURCE
#include "pool_test.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Bit w: worker w is denied; bit 0: threads that are no workers. */
static _Atomic unsigned denied;

bool __wrap_pleach__streaming_begin(pleach__streaming *before, bool quiet);

bool __wrap_pleach__streaming_begin(pleach__streaming *before, bool quiet)
{
    char name[16] = "";
    (void)quiet;
    (void)pthread_getname_np(pthread_self(), name, sizeof name);
    const unsigned worker = strncmp(name, "pleach-", 7) == 0 ? (unsigned)atoi(name + 7) : 0;
    if (before != NULL)
        *before = (pleach__streaming){.length = -1};
    return !(atomic_load(&denied) >> worker & 1);
}

static pleach_pool *make_pool_denying(unsigned workers, const char *count)
{
    pleach_pool *pool = NULL;
    pleach_config config = settings_for(0);
    pleach__topology topology = make_clustered_machine();
    atomic_store(&denied, workers);
    assert_int_equal(pleach_config_set(&config, "PLEACH_WORKERS", count), PLEACH_OK);
    assert_int_equal(pleach__pool_create_on(&pool, &config, &topology), PLEACH_OK);
    return pool;
}

static void note_seat(void *context, const pleach_worker *worker)
{
    ((char *)context)[worker->index] = worker->streaming ? 's' : '.';
}

static void expect(pleach_pool *pool, const char *holders, unsigned slots, bool some_denied)
{
    char found[16] = "", text[8192];
    assert_int_equal(pleach_pool_width(pool), strlen(holders));
    run_on_all(pool, note_seat, found);
    assert_string_equal(found, holders);
    assert_int_equal(pool->plan.slots, slots);
    for (unsigned i = 1; i < pleach_pool_width(pool); i++) {
        const bool streaming = holders[i] == 's';
        assert_int_equal(pool->plan.place[i].streaming, streaming);
        assert_ptr_equal(pool->workers[i].seat.kernels, &pool->kernels[streaming]);
        assert_int_equal(pool->workers[i].binding != PLEACH__FREE, streaming && pool->topology.numbered);
    }
    assert_true(pleach_pool_describe(pool, text, sizeof text) < sizeof text);
    assert_int_equal(strstr(text, "to which the system grants the vectors") != NULL, some_denied);
}

static void workers_lose_their_slots(void **state)
{
    (void)state;
    /* Without denials workers 1, 2 and 4 hold slots. */
    static const struct {
        unsigned denied;
        const char *holders;
        unsigned slots;
    } cases[] = {{0, ".ss.s...", 3},
                 {1 << 2, ".s..s...", 2},
                 {1 << 1 | 1 << 4, "..s.....", 1},
                 {1 << 3, ".ss.s...", 3},
                 {1 << 1 | 1 << 2 | 1 << 4, "........", 0},
                 {1, "........", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pleach_pool *pool = make_pool_denying(cases[i].denied, "auto");
        expect(pool, cases[i].holders, cases[i].slots, cases[i].slots < 3);
        assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
    }
}

static void a_lost_slot_is_another_pools(void **state)
{
    (void)state;
    pleach_pool *first = make_pool_denying(1 << 1, "2"), *second = make_pool_denying(0, "2");
    expect(first, "..", 0, true);
    expect(second, ".s", 1, false);
    assert_int_equal(pleach_pool_destroy(first), PLEACH_OK);
    assert_int_equal(pleach_pool_destroy(second), PLEACH_OK);
}

/* Its thread may be another one at every call. */
static void a_caller_that_is_alone_may_be_denied(void **state)
{
    (void)state;
    pleach_pool *pool = make_pool_denying(0, "1");
    for (unsigned round = 0; round < 4; round++) {
        char found[16] = "";
        atomic_store(&denied, round % 2);
        run_on_all(pool, note_seat, found);
        assert_string_equal(found, round % 2 ? "." : "s");
    }
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
    pool = make_pool_denying(1, "1");
    assert_null(pool->alone);
    expect(pool, ".", 0, true);
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

static int deny_nobody(void **state)
{
    (void)state;
    atomic_store(&denied, 0);
    return 0;
}

int run_denial_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_lose_their_slots),
        cmocka_unit_test(a_lost_slot_is_another_pools),
        cmocka_unit_test(a_caller_that_is_alone_may_be_denied),
    };
    return cmocka_run_group_tests_name("denials", tests, NULL, deny_nobody);
}
