#define _GNU_SOURCE
#include "pool/quota.h"
#include "pool_test.h"

#include "../emulated.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pleach_status nothing(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    (void)context, (void)worker, (void)begin, (void)end;
    return PLEACH_OK;
}

static void bad_settings_make_no_pool(void **state)
{
    (void)state;
    pleach_pool *const untouched = (pleach_pool *)state, *pool = untouched;
    pleach_config config = settings_for(2);
    assert_int_equal(pleach_pool_create(NULL, &config), PLEACH_EINVAL);
    assert_string_equal(pleach_last_error(), "pool is NULL");
    config.workers = -3;
    assert_int_equal(pleach_pool_create(&pool, &config), PLEACH_ESETTING);
    assert_non_null(strstr(pleach_last_error(), "PLEACH_WORKERS=\"-3\""));
    config = settings_for(2);
    (void)strcpy(config.backend, "no_such_backend");
    assert_int_equal(pleach_pool_create(&pool, &config), PLEACH_EBACKEND);
    assert_non_null(strstr(pleach_last_error(), "no_such_backend"));
    assert_int_equal(setenv("PLEACH_WORKERS", "2x", 1), 0);
    assert_int_equal(pleach_pool_create(&pool, NULL), PLEACH_ESETTING);
    assert_non_null(strstr(pleach_last_error(), "PLEACH_WORKERS=\"2x\""));
    assert_ptr_equal(pool, untouched);
    assert_int_equal(setenv("PLEACH_WORKERS", "3", 1), 0);
    assert_int_equal(pleach_pool_create(&pool, NULL), PLEACH_OK);
    assert_int_equal(pleach_pool_width(pool), 3);
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
    assert_int_equal(unsetenv("PLEACH_WORKERS"), 0);
}

static void efficiency_workers_are_added(void **state)
{
    (void)state;
    pleach_config config = settings_for(2);
    config.efficiency_workers = 3;
    pleach_pool *pool;
    assert_int_equal(pleach_pool_create(&pool, &config), PLEACH_OK);
    assert_int_equal(pleach_pool_width(pool), 5);
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

static void the_automatic_number_is_that_of_the_processors(void **state)
{
    (void)state;
    const unsigned numbers[] = {0, 1, 2, 3, 4};
    const struct affinity cases[] = {{64, 1, numbers}, {64, 5, numbers}};
    const unsigned quota = pleach__quota_read("");
    pleach_config config = settings_for(0);
    config.efficiency_workers = 0; /* a host that has such cores holds one of the others back */
    for (int i = 0; i < 2; i++) {
        pleach__topology topology;
        affinity = &cases[i];
        assert_int_equal(pleach__topology_read(&topology, ""), PLEACH_OK);
        const unsigned performance = topology.processors - topology.efficiency;
        const unsigned expected = performance - (topology.efficiency != 0 && performance > 1);
        pleach__topology_free(&topology);
        pleach_pool *pool = NULL;
        assert_int_equal(pleach_pool_create(&pool, &config), PLEACH_OK);
        affinity = NULL;
        assert_int_equal(pleach_pool_width(pool), quota != 0 && quota < expected ? quota : expected);
        assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
    }
}

struct warning {
    unsigned count;
    char line[PLEACH__ERROR_SIZE];
};

static void take_warning(void *context, pleach_log_level level, const char *line)
{
    struct warning *warning = context;
    warning->count += level == PLEACH_LOG_WARN;
    (void)snprintf(warning->line, sizeof warning->line, "%s", line);
}

static void threads_that_cannot_start_leave_a_smaller_pool(void **state)
{
    (void)state;
    for (int left = 0; left < 3; left++) {
        struct warning warning = {0};
        char expected[64];
        pleach_config config = settings_for(4);
        config.log = take_warning;
        config.log_context = &warning;
        pleach_pool *pool;
        atomic_store(&thread_starts_left, left);
        assert_int_equal(pleach_pool_create(&pool, &config), PLEACH_OK);
        atomic_store(&thread_starts_left, 1 << 30);
        assert_int_equal(pleach_pool_width(pool), left + 1);
        assert_int_equal(warning.count, 1);
        (void)snprintf(expected, sizeof expected, "%d of 4 workers: no more threads could be started", left + 1);
        assert_memory_equal(warning.line, expected, strlen(expected));
        for (int round = 0; round < 50; round++)
            assert_int_equal(run(pool, nothing, NULL, 100), PLEACH_OK);
        assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
    }
}

static void a_sequential_pool_starts_no_thread(void **state)
{
    (void)state;
    atomic_store(&thread_starts_left, 0);
    pleach_pool *pool = make_pool(1);
    assert_int_equal(atomic_load(&thread_starts_left), 0);
    atomic_store(&thread_starts_left, 1 << 30);
    assert_int_equal(run(pool, nothing, NULL, 100), PLEACH_OK);
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

static pleach_status destroy_inside(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    (void)worker, (void)begin, (void)end;
    return pleach_pool_destroy(context);
}

static void a_task_may_not_destroy_its_pool(void **state)
{
    (void)state;
    for (int workers = 1; workers <= 3; workers++) {
        pleach_pool *pool = make_pool(workers);
        for (size_t items = 1; items <= 64; items *= 2) {
            assert_int_equal(run(pool, destroy_inside, pool, items), PLEACH_EBUSY);
            assert_string_equal(pleach_last_error(), "a task may not destroy the pool it runs on");
        }
        assert_int_equal(run(pool, nothing, NULL, 64), PLEACH_OK);
        pleach_pool *other = make_pool(2); /* of another pool it may */
        assert_int_equal(run(pool, destroy_inside, other, 1), PLEACH_OK);
        assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
    }
}

/* A caller inside while the pool is destroyed: its task may start jobs, others may not. */
struct inside {
    pleach_pool *pool;
    _Atomic int begun, refused, ended;
    _Atomic int nested, outer;
};

enum { OUTSIDE = 8 };

static pleach_status wait_until_closing(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    struct inside *inside = context;
    (void)worker, (void)begin, (void)end;
    atomic_store(&inside->begun, 1);
    while (atomic_load(&inside->refused) < OUTSIDE)
        sched_yield();
    pleach_status status = run(inside->pool, nothing, NULL, 10);
    atomic_store(&inside->nested, (int)status);
    return status;
}

static void *call_inside(void *context)
{
    struct inside *inside = context;
    atomic_store(&inside->outer, (int)run(inside->pool, wait_until_closing, inside, 1));
    atomic_store(&inside->ended, 1);
    return NULL;
}

static pleach_status count_items(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    (void)worker;
    atomic_fetch_add((_Atomic size_t *)context, end - begin);
    return PLEACH_OK;
}

/* The caller inside keeps the pool alive until these have been refused. Until then their jobs run as a whole. */
static void *call_outside(void *context)
{
    struct inside *inside = context;
    _Atomic size_t ran;
    bool right = true;
    pleach_status status;
    do {
        atomic_store(&ran, 0);
        status = run(inside->pool, count_items, (void *)&ran, 20);
        right = right && atomic_load(&ran) == (status == PLEACH_OK ? 20 : 0);
    } while (status == PLEACH_OK);
    right = right && status == PLEACH_ECLOSED &&
            strcmp(pleach_last_error(), "the pool is being destroyed and takes no new jobs") == 0;
    atomic_fetch_add(&inside->refused, 1);
    return right ? context : NULL;
}

static void destroying_waits_for_callers(void **state)
{
    (void)state;
    struct inside inside = {.pool = make_pool(3), .nested = -1, .outer = -1};
    pthread_t in, out[OUTSIDE];
    assert_int_equal(pthread_create(&in, NULL, call_inside, &inside), 0);
    while (!atomic_load(&inside.begun))
        sched_yield();
    for (int i = 0; i < OUTSIDE; i++)
        assert_int_equal(pthread_create(&out[i], NULL, call_outside, &inside), 0);
    assert_int_equal(pleach_pool_destroy(inside.pool), PLEACH_OK);
    for (int i = 0; i < OUTSIDE; i++) {
        void *result;
        assert_int_equal(pthread_join(out[i], &result), 0);
        assert_non_null(result);
    }
    assert_int_equal(pthread_join(in, NULL), 0);
    assert_true(atomic_load(&inside.ended));
    assert_int_equal(atomic_load(&inside.nested), PLEACH_OK);
    assert_int_equal(atomic_load(&inside.outer), PLEACH_OK);
}

static int exit_status(pid_t child)
{
    int status;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

static void a_child_finds_the_pool_gone(void **state)
{
    (void)state;
    SKIP_IF_EMULATED("an emulated child of a process that has threads cannot start its own");
    for (int workers = 1; workers <= 3; workers++) {
        pleach_pool *pool = make_pool(workers);
        (void)fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            (void)alarm(10);
            bool right = run(pool, nothing, NULL, 5) == PLEACH_EFORKED &&
                         strstr(pleach_last_error(), "forked") != NULL && pleach_pool_destroy(pool) == PLEACH_OK;
            pleach_config config = settings_for(CHILDREN_MAY_START_THREADS ? 2 : 1); /* it may have one of its own */
            right = right && pleach_pool_create(&pool, &config) == PLEACH_OK &&
                    run(pool, nothing, NULL, 5) == PLEACH_OK && pleach_pool_destroy(pool) == PLEACH_OK;
            _exit(right ? 7 : 8);
        }
        assert_int_equal(exit_status(child), 7);
        assert_int_equal(run(pool, nothing, NULL, 50), PLEACH_OK);
        assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
    }
}

struct busy {
    pleach_pool *pool;
    atomic_bool stop;
};

static void *keep_busy(void *context)
{
    struct busy *busy = context;
    while (!atomic_load(&busy->stop))
        (void)run(busy->pool, nothing, NULL, 30);
    return NULL;
}

static void children_of_a_busy_process_find_it_gone_too(void **state)
{
    (void)state;
    SKIP_IF_EMULATED("an emulated process that has threads cannot be forked");
    struct busy busy = {.pool = make_pool(3)};
    pthread_t callers[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&callers[i], NULL, keep_busy, &busy), 0);
    for (int round = 0; round < 20; round++) {
        (void)fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            (void)alarm(10);
            _exit(run(busy.pool, nothing, NULL, 5) == PLEACH_EFORKED && pleach_pool_destroy(busy.pool) == PLEACH_OK
                      ? 7
                      : 8);
        }
        assert_int_equal(exit_status(child), 7);
    }
    atomic_store(&busy.stop, true);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_join(callers[i], NULL), 0);
    assert_int_equal(pleach_pool_destroy(busy.pool), PLEACH_OK);
}

static pleach_status fork_inside(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    _Atomic pid_t *child = context;
    (void)begin, (void)end;
    uv_sleep(2); /* both items are claimed by now */
    if (worker->index == 0)
        atomic_store(child, fork()); /* the child returns into the pool */
    return PLEACH_OK;
}

static void a_child_of_a_task_leaves_the_pool(void **state)
{
    (void)state;
    pleach_pool *pool = make_pool(2);
    pid_t parent = getpid();
    _Atomic pid_t child = -1;
    (void)fflush(NULL);
    pleach_status status = run(pool, fork_inside, (void *)&child, 2);
    if (getpid() != parent)
        _exit(status == PLEACH_EFORKED || status == PLEACH_OK ? 9 : 10);
    assert_int_equal(status, PLEACH_OK);
    assert_true(atomic_load(&child) > 0);
    assert_int_equal(exit_status(atomic_load(&child)), 9);
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

static void many_pools_come_and_go(void **state)
{
    (void)state;
    for (int round = 0; round < 60; round++) {
        pleach_pool *first = make_pool(1 + round % 4), *second = make_pool(2);
        assert_int_equal(run(first, nothing, NULL, 100), PLEACH_OK);
        assert_int_equal(pleach_pool_destroy(first), PLEACH_OK);
        assert_int_equal(run(second, nothing, NULL, 100), PLEACH_OK);
        assert_int_equal(pleach_pool_destroy(second), PLEACH_OK);
    }
}

int run_life_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_settings_make_no_pool),
        cmocka_unit_test(efficiency_workers_are_added),
        cmocka_unit_test(the_automatic_number_is_that_of_the_processors),
        cmocka_unit_test(threads_that_cannot_start_leave_a_smaller_pool),
        cmocka_unit_test(a_sequential_pool_starts_no_thread),
        cmocka_unit_test(a_task_may_not_destroy_its_pool),
        cmocka_unit_test(destroying_waits_for_callers),
        cmocka_unit_test(a_child_finds_the_pool_gone),
        cmocka_unit_test(children_of_a_busy_process_find_it_gone_too),
        cmocka_unit_test(a_child_of_a_task_leaves_the_pool),
        cmocka_unit_test(many_pools_come_and_go),
    };
    return cmocka_run_group_tests_name("life and death", tests, NULL, NULL);
}
