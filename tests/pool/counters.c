#define _GNU_SOURCE
#include "pool_test.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

enum { WIDTH = 3, JOBS = 20, CALLERS = 8, NAP_US = 500, PATIENCE = 20000 };

static pleach_pool_counters count_of(const pleach_pool *pool, unsigned index)
{
    pleach_pool_counters counters;
    assert_int_equal(pleach_pool_count_worker(pool, index, &counters), PLEACH_OK);
    return counters;
}

static pleach_status nothing(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    (void)context, (void)worker, (void)begin, (void)end;
    return PLEACH_OK;
}

static void take_a_nap(void *context, const pleach_worker *worker)
{
    (void)context, (void)worker;
    (void)usleep(NAP_US);
}

static uint64_t busy_once_idle(const pleach_pool *pool, unsigned index, uint64_t least)
{
    uint64_t busy = 0;
    for (int wait = 0; wait < PATIENCE && (busy = count_of(pool, index).busy_ns) < least; wait++)
        uv_sleep(1);
    return busy;
}

static void every_participant_has_its_own(void **state)
{
    (void)state;
    pleach_pool *pool = make_pool(WIDTH);
    const uint64_t begin = uv_hrtime();
    for (int job = 0; job < JOBS; job++)
        run_on_all(pool, take_a_nap, NULL);
    for (unsigned i = 0; i < WIDTH; i++) {
        assert_int_equal(count_of(pool, i).jobs, JOBS);
        assert_int_equal(count_of(pool, i).claims, JOBS);
    }
    const uint64_t least = (uint64_t)JOBS * NAP_US * 1000;
    for (unsigned i = 1; i < WIDTH; i++) {
        const uint64_t busy = busy_once_idle(pool, i, least), elapsed = uv_hrtime() - begin;
        assert_in_range(busy, least, elapsed);
    }
    assert_int_equal(count_of(pool, 0).busy_ns, 0);
    pleach_pool_counters sum;
    pleach_pool_count(pool, &sum);
    assert_int_equal(sum.jobs, (WIDTH - 1) * JOBS);
    assert_int_equal(sum.claims, (WIDTH - 1) * JOBS);
    assert_true(sum.busy_ns == count_of(pool, 1).busy_ns + count_of(pool, 2).busy_ns);
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

static void call_inside(void *context, const pleach_worker *worker)
{
    (void)worker;
    (void)run(context, nothing, NULL, 1);
}

static void nested_jobs_count_where_they_run(void **state)
{
    (void)state;
    pleach_pool *pool = make_pool(WIDTH);
    for (int job = 0; job < JOBS; job++)
        run_on_all(pool, call_inside, pool);
    for (unsigned i = 0; i < WIDTH; i++) {
        assert_int_equal(count_of(pool, i).jobs, 2 * JOBS);
        assert_int_equal(count_of(pool, i).claims, 2 * JOBS);
    }
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

/* The caller waits in its first claim until the worker has come back for several. */
struct visits {
    _Atomic unsigned claims[2];
    unsigned expected;
};

static pleach_status visit(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    struct visits *visits = context;
    (void)begin, (void)end;
    atomic_fetch_add(&visits->claims[worker->index], 1);
    while (worker->index == 0 && atomic_load(&visits->claims[1]) < visits->expected)
        sched_yield();
    (void)usleep(worker->index == 0 ? 0 : NAP_US); /* slow enough for claims of an item or two */
    return PLEACH_OK;
}

static void a_bulk_job_is_one_job(void **state)
{
    (void)state;
    pleach_pool *pool = make_pool(2);
    struct visits visits = {.expected = 5};
    const pleach_job job = {.task = visit, .context = &visits, .items = 60, .priority = PLEACH_BULK};
    assert_int_equal(pleach_pool_run(pool, &job), PLEACH_OK);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(count_of(pool, i).jobs, 1);
        assert_int_equal(count_of(pool, i).claims, atomic_load(&visits.claims[i]));
    }
    visits.expected += atomic_load(&visits.claims[1]);
    assert_int_equal(pleach_pool_run(pool, &job), PLEACH_OK);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(count_of(pool, i).jobs, 2);
        assert_int_equal(count_of(pool, i).claims, atomic_load(&visits.claims[i]));
    }
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

static void what_did_not_run_is_no_claim(void **state)
{
    (void)state;
    pleach_pool *pool = make_pool(2);
    pleach_monitor monitor = {.cancelled = 0};
    pleach_monitor_cancel(&monitor);
    const pleach_job cancelled = {.task = nothing, .items = 100, .monitor = &monitor}, wrong = {.items = 1};
    assert_int_equal(pleach_pool_run(pool, &cancelled), PLEACH_ECANCELED);
    assert_int_equal(pleach_pool_run(pool, &wrong), PLEACH_EINVAL);
    assert_int_equal(count_of(pool, 0).jobs, 1);
    assert_int_equal(count_of(pool, 0).claims + count_of(pool, 1).claims, 0);
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

static void *call_often(void *pool)
{
    for (int job = 0; job < 100; job++)
        if (run(pool, nothing, NULL, 1) != PLEACH_OK)
            return NULL;
    return pool;
}

static void callers_are_counted_together(void **state)
{
    (void)state;
    for (int workers = 1; workers <= 2; workers++) {
        pleach_pool *pool = make_pool(workers);
        pthread_t callers[CALLERS];
        for (int i = 0; i < CALLERS; i++)
            assert_int_equal(pthread_create(&callers[i], NULL, call_often, pool), 0);
        for (int i = 0; i < CALLERS; i++) {
            void *result;
            assert_int_equal(pthread_join(callers[i], &result), 0);
            assert_ptr_equal(result, pool);
        }
        assert_int_equal(count_of(pool, 0).jobs, CALLERS * 100);
        assert_int_equal(count_of(pool, 0).claims, CALLERS * 100);
        assert_int_equal(count_of(pool, 0).parks, 0);
        assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
    }
}

static pleach_status keep_the_caller_waiting(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    (void)context, (void)begin, (void)end;
    (void)usleep(worker->index == 0 ? 0 : 2 * NAP_US);
    return PLEACH_OK;
}

static void callers_that_sleep_are_counted(void **state)
{
    (void)state;
    pleach_config config = settings_for(2);
    config.spin_us = 0;
    pleach_pool *pool;
    assert_int_equal(pleach_pool_create(&pool, &config), PLEACH_OK);
    for (int round = 0; round < PATIENCE && count_of(pool, 0).parks == 0; round++)
        assert_int_equal(run(pool, keep_the_caller_waiting, NULL, 2), PLEACH_OK);
    assert_true(count_of(pool, 0).parks > 0);
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

static void wrong_questions_are_refused(void **state)
{
    (void)state;
    pleach_pool *pool = make_pool(2);
    pleach_pool_counters counters = {1, 2, 3, 4};
    assert_int_equal(pleach_pool_count_worker(pool, 0, NULL), PLEACH_EINVAL);
    assert_string_equal(pleach_last_error(), "counters is NULL");
    assert_int_equal(pleach_pool_count_worker(pool, 2, &counters), PLEACH_EINVAL);
    assert_string_equal(pleach_last_error(), "index = 2: the pool has a width of 2");
    assert_int_equal(pleach_pool_count_worker(NULL, 1, &counters), PLEACH_EINVAL);
    assert_true(counters.jobs == 1 && counters.claims == 2 && counters.parks == 3 && counters.busy_ns == 4);
    pleach_pool_count(NULL, &counters);
    assert_true(counters.jobs == 0 && counters.claims == 0 && counters.parks == 0 && counters.busy_ns == 0);
    counters.jobs = 1;
    assert_int_equal(pleach_pool_count_worker(NULL, 0, &counters), PLEACH_OK);
    assert_int_equal(counters.jobs, 0);
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

int run_counter_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_participant_has_its_own), cmocka_unit_test(nested_jobs_count_where_they_run),
        cmocka_unit_test(a_bulk_job_is_one_job),         cmocka_unit_test(what_did_not_run_is_no_claim),
        cmocka_unit_test(callers_are_counted_together),  cmocka_unit_test(callers_that_sleep_are_counted),
        cmocka_unit_test(wrong_questions_are_refused),
    };
    return cmocka_run_group_tests_name("counters", tests, NULL, NULL);
}
