#define _GNU_SOURCE
#include "pool_test.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ITEMS = 1000, CALLERS = 8 };

/* Counts how often every item runs. */
struct tally {
    pleach_pool *pool;
    _Atomic unsigned char ran[ITEMS];
    _Atomic unsigned outside; /* claims that no participant may make */
};

static pleach_status tally_task(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    struct tally *tally = context;
    if (begin >= end || end > ITEMS || worker->index >= pleach_pool_width(tally->pool) || worker->kernels == NULL)
        atomic_fetch_add(&tally->outside, 1);
    for (size_t i = begin; i < end; i++)
        atomic_fetch_add(&tally->ran[i], 1);
    return PLEACH_OK;
}

static bool all_ran_once(struct tally *tally, size_t items)
{
    for (size_t i = 0; i < ITEMS; i++)
        if (atomic_load(&tally->ran[i]) != (i < items))
            return false;
    return atomic_load(&tally->outside) == 0;
}

static void every_item_runs_once(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 3, 7, 64, ITEMS};
    for (int workers = 0; workers <= 5; workers++) {
        pleach_pool *pool = workers != 0 ? make_pool(workers) : NULL;
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            for (int priority = PLEACH_LATENCY; priority <= PLEACH_BULK; priority++) {
                struct tally tally = {.pool = pool};
                pleach_job job = {
                    .task = tally_task, .context = &tally, .items = sizes[i], .priority = (pleach_priority)priority};
                assert_int_equal(pleach_pool_run(pool, &job), PLEACH_OK);
                assert_true(all_ran_once(&tally, sizes[i]));
            }
        }
        assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
    }
}

struct calling_thread {
    pthread_t thread;
    const pleach_kernels *kernels;
    unsigned calls;
};

static pleach_status only_here(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    struct calling_thread *expected = context;
    (void)begin, (void)end;
    expected->calls++;
    return pthread_equal(pthread_self(), expected->thread) && worker->index == 0 && !worker->streaming &&
                   worker->kernels == expected->kernels
               ? PLEACH_OK
               : PLEACH_ETASK;
}

static void without_workers_the_caller_does_it_all(void **state)
{
    (void)state;
    pleach_pool *pool = make_pool(1);
    struct calling_thread here = {.thread = pthread_self(), .kernels = pleach_pool_kernels(pool)};
    assert_int_equal(run(pool, only_here, &here, 100), PLEACH_OK);
    here.kernels = pleach_kernels_default();
    assert_ptr_equal(pleach_pool_kernels(NULL), here.kernels);
    assert_int_equal(run(NULL, only_here, &here, 100), PLEACH_OK);
    assert_true(here.calls >= 2);
    assert_int_equal(pleach_pool_width(NULL), 1);
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
    assert_int_equal(pleach_pool_destroy(NULL), PLEACH_OK);
}

static void wrong_jobs_are_refused(void **state)
{
    (void)state;
    pleach_pool *pool = make_pool(2);
    struct tally tally = {.pool = pool};
    const pleach_job good = {.task = tally_task, .context = &tally, .items = 1};
    pleach_job job = good;
    assert_int_equal(pleach_pool_run(pool, NULL), PLEACH_EINVAL);
    assert_string_equal(pleach_last_error(), "job is NULL");
    job.task = NULL;
    assert_int_equal(pleach_pool_run(pool, &job), PLEACH_EINVAL);
    assert_string_equal(pleach_last_error(), "job->task is NULL");
    job = good;
    char text[64];
    job.items = SIZE_MAX / 2 + 1;
    snprintf(text, sizeof text, "job->items is %zu, at most", job.items);
    assert_int_equal(pleach_pool_run(pool, &job), PLEACH_EINVAL);
    assert_non_null(strstr(pleach_last_error(), text));
    job = good;
    job.priority = (pleach_priority)2;
    assert_int_equal(pleach_pool_run(pool, &job), PLEACH_EINVAL);
    assert_non_null(strstr(pleach_last_error(), "job->priority is 2"));
    assert_true(all_ran_once(&tally, 0));
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

/* Fails at one item, with a text of the library's or without one. */
struct failing {
    size_t at;
    bool with_text;
    _Atomic size_t ran;
};

static pleach_status fail_at(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    struct failing *failing = context;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        atomic_fetch_add(&failing->ran, 1);
        if (i == failing->at && failing->with_text)
            return pleach__fail(PLEACH_EIO, "item %zu is bad", i);
        if (i == failing->at)
            return (pleach_status)(PLEACH_ETASK + 5);
    }
    return PLEACH_OK;
}

static void a_failure_reaches_the_caller_with_its_text(void **state)
{
    (void)state;
    for (int workers = 0; workers <= 4; workers++) {
        pleach_pool *pool = workers != 0 ? make_pool(workers) : NULL;
        for (size_t at = 0; at < ITEMS; at += 37) {
            char expected[64];
            struct failing failing = {.at = at, .with_text = true};
            (void)snprintf(expected, sizeof expected, "item %zu is bad", at);
            pleach__set_last_error("old");
            assert_int_equal(run(pool, fail_at, &failing, ITEMS), PLEACH_EIO);
            assert_string_equal(pleach_last_error(), expected);
            failing = (struct failing){.at = at};
            assert_int_equal(run(pool, fail_at, &failing, ITEMS), PLEACH_ETASK + 5);
            assert_string_equal(pleach_last_error(), "a task returned 1005 (a task failed)");
        }
        assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
    }
}

static pleach_status fail_first_and_dawdle(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        atomic_fetch_add((_Atomic size_t *)context, 1);
        if (i == 0)
            return PLEACH_ETASK;
        (void)usleep(200);
    }
    return PLEACH_OK;
}

static void a_failure_skips_what_nobody_claimed(void **state)
{
    (void)state;
    enum { MANY = 2000 };
    for (int workers = 1; workers <= 2; workers++) {
        pleach_pool *pool = make_pool(workers);
        _Atomic size_t ran = 0;
        assert_int_equal(run(pool, fail_first_and_dawdle, (void *)&ran, MANY), PLEACH_ETASK);
        assert_in_range(atomic_load(&ran), 1, workers == 1 ? 1 : MANY / 2);
        assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
    }
}

/* Every participant fails with a status and a text that belong together. */
struct race {
    _Atomic unsigned arrived;
    unsigned expected;
};

static pleach_status fail_together(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    struct race *race = context;
    (void)begin, (void)end;
    atomic_fetch_add(&race->arrived, 1);
    while (atomic_load(&race->arrived) < race->expected)
        sched_yield();
    return pleach__fail((pleach_status)(PLEACH_ETASK + worker->index), "fault of participant %u", worker->index);
}

static void the_first_failure_wins_with_its_own_text(void **state)
{
    (void)state;
    pleach_pool *pool = make_pool(4);
    for (int round = 0; round < 300; round++) {
        char expected[64];
        struct race race = {.expected = 4};
        int status = (int)run(pool, fail_together, &race, 4);
        assert_in_range(status, PLEACH_ETASK, PLEACH_ETASK + 3);
        (void)snprintf(expected, sizeof expected, "fault of participant %d", status - PLEACH_ETASK);
        assert_string_equal(pleach_last_error(), expected);
    }
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

static void a_success_leaves_the_last_error_alone(void **state)
{
    (void)state;
    pleach_pool *pool = make_pool(2);
    struct tally tally = {.pool = pool};
    pleach__set_last_error("old");
    assert_int_equal(run(pool, tally_task, &tally, ITEMS), PLEACH_OK);
    assert_string_equal(pleach_last_error(), "old");
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

struct watched {
    pleach_monitor monitor;
    pthread_t caller;
    uint64_t seen, total, calls;
    bool wrong;
    size_t cancel_at;
    _Atomic size_t ran;
    atomic_bool cancelled;
};

static void watch(void *context, uint64_t done, uint64_t total)
{
    struct watched *watched = context;
    if (done < watched->seen || done > total || total != watched->total ||
        !pthread_equal(pthread_self(), watched->caller))
        watched->wrong = true;
    watched->seen = done;
    watched->calls++;
}

/* Cancels in the claim that has an item; claims that have begun meanwhile wait for it, so that it never comes too late.
 */
static pleach_status cancel_at(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    struct watched *watched = context;
    (void)worker;
    atomic_fetch_add(&watched->ran, end - begin);
    if (begin <= watched->cancel_at && watched->cancel_at < end) {
        pleach_monitor_cancel(&watched->monitor);
        atomic_store(&watched->cancelled, true);
    }
    while (watched->cancel_at < ITEMS && !atomic_load(&watched->cancelled))
        (void)sched_yield();
    return PLEACH_OK;
}

static void run_watched(pleach_pool *pool, pleach_priority priority, struct watched *watched, pleach_status expected)
{
    watched->monitor = (pleach_monitor){.progress = watch, .context = watched, .cancelled = watched->monitor.cancelled};
    watched->caller = pthread_self();
    watched->total = ITEMS;
    pleach_job job = {
        .task = cancel_at, .context = watched, .items = ITEMS, .monitor = &watched->monitor, .priority = priority};
    assert_int_equal(pleach_pool_run(pool, &job), expected);
    assert_false(watched->wrong);
}

static void progress_grows_to_the_whole(void **state)
{
    (void)state;
    for (int workers = 0; workers <= 4; workers++) {
        pleach_pool *pool = workers != 0 ? make_pool(workers) : NULL;
        for (int priority = PLEACH_LATENCY; priority <= PLEACH_BULK; priority++) {
            struct watched watched = {.cancel_at = SIZE_MAX};
            run_watched(pool, (pleach_priority)priority, &watched, PLEACH_OK);
            assert_true(watched.seen == ITEMS && watched.calls >= 1 && atomic_load(&watched.ran) == ITEMS);
        }
        assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
    }
}

static void a_cancelled_job_stops(void **state)
{
    (void)state;
    for (int workers = 0; workers <= 4; workers++) {
        pleach_pool *pool = workers != 0 ? make_pool(workers) : NULL;
        for (int priority = PLEACH_LATENCY; priority <= PLEACH_BULK; priority++) {
            struct watched watched = {.cancel_at = 0};
            run_watched(pool, (pleach_priority)priority, &watched, PLEACH_ECANCELED);
            assert_true(atomic_load(&watched.ran) < ITEMS && watched.seen < ITEMS);
            assert_string_equal(pleach_last_error(), "cancelled through the monitor of a job of 1000 items");
            watched = (struct watched){.cancel_at = SIZE_MAX, .monitor.cancelled = 1};
            run_watched(pool, (pleach_priority)priority, &watched, PLEACH_ECANCELED);
            assert_int_equal(atomic_load(&watched.ran), 0);
        }
        assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
    }
}

/* A job in every item of a job, in every item of a job. */
struct nest {
    pleach_pool *pool;
    int depth;
    _Atomic unsigned *leaves;
};

static pleach_status nest_task(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    const struct nest *nest = context;
    struct nest inner = {.pool = nest->pool, .depth = nest->depth - 1, .leaves = nest->leaves};
    (void)worker;
    if (nest->depth == 0) {
        atomic_fetch_add(nest->leaves, (unsigned)(end - begin));
        return PLEACH_OK;
    }
    for (size_t i = begin; i < end; i++) {
        pleach_status status = run(nest->pool, nest_task, &inner, 6);
        if (status != PLEACH_OK)
            return status;
    }
    return PLEACH_OK;
}

static void jobs_nest(void **state)
{
    (void)state;
    for (int workers = 0; workers <= 3; workers++) {
        pleach_pool *pool = workers != 0 ? make_pool(workers) : NULL;
        for (int round = 0; round < 20; round++) {
            _Atomic unsigned leaves = 0;
            struct nest nest = {.pool = pool, .depth = 3, .leaves = &leaves};
            assert_int_equal(run(pool, nest_task, &nest, 6), PLEACH_OK);
            assert_int_equal(atomic_load(&leaves), 6 * 6 * 6 * 6);
        }
        assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
    }
}

static pleach_status fail_inside(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    struct failing failing = {.at = 3, .with_text = true};
    (void)worker, (void)begin, (void)end;
    return run(context, fail_at, &failing, 8);
}

static void a_nested_failure_keeps_its_text(void **state)
{
    (void)state;
    pleach_pool *pool = make_pool(3);
    for (int round = 0; round < 50; round++) {
        pleach__set_last_error("old");
        assert_int_equal(run(pool, fail_inside, pool, 5), PLEACH_EIO);
        assert_string_equal(pleach_last_error(), "item 3 is bad");
    }
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

/* More callers than a table has entries would need more threads than a test should have; the stress test covers them.
 */
static void *call_often(void *pool)
{
    for (int round = 0; round < 100; round++) {
        struct tally tally = {.pool = pool};
        size_t items = (size_t)(round * 13 % ITEMS);
        if (run(pool, tally_task, &tally, items) != PLEACH_OK || !all_ran_once(&tally, items))
            return NULL;
    }
    return pool;
}

static void many_callers_share_a_pool(void **state)
{
    (void)state;
    pleach_pool *pool = make_pool(3);
    pthread_t callers[CALLERS];
    for (int i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_create(&callers[i], NULL, call_often, pool), 0);
    for (int i = 0; i < CALLERS; i++) {
        void *result;
        assert_int_equal(pthread_join(callers[i], &result), 0);
        assert_ptr_equal(result, pool);
    }
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

struct endless {
    pleach_pool *pool;
    pleach_monitor monitor;
    _Atomic unsigned claims;
    _Atomic uint64_t seen;
    pleach_priority priority;
    bool went_back;
};

static void watch_endless(void *context, uint64_t done, uint64_t total)
{
    struct endless *endless = context;
    endless->went_back = endless->went_back || done < endless->seen || done >= total;
    endless->seen = done;
}

static pleach_status take_a_while(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    (void)worker, (void)begin, (void)end;
    atomic_fetch_add(&((struct endless *)context)->claims, 1);
    (void)usleep(200);
    return PLEACH_OK;
}

static void *run_endless(void *context)
{
    struct endless *endless = context;
    endless->monitor = (pleach_monitor){.progress = watch_endless, .context = endless};
    pleach_job job = {.task = take_a_while,
                      .context = endless,
                      .items = SIZE_MAX / 2,
                      .monitor = &endless->monitor,
                      .priority = endless->priority};
    return pleach_pool_run(endless->pool, &job) == PLEACH_ECANCELED ? context : NULL;
}

/* Nobody lives to see the end of these jobs. */
static void another_thread_may_cancel(void **state)
{
    (void)state;
    for (int priority = PLEACH_LATENCY; priority <= PLEACH_BULK; priority++) {
        struct endless endless = {.pool = make_pool(3), .priority = (pleach_priority)priority};
        pthread_t caller;
        void *result;
        assert_int_equal(pthread_create(&caller, NULL, run_endless, &endless), 0);
        while (atomic_load(&endless.claims) < 20 || atomic_load(&endless.seen) == 0)
            sched_yield();
        pleach_monitor_cancel(&endless.monitor);
        assert_int_equal(pthread_join(caller, &result), 0);
        assert_non_null(result);
        assert_true(endless.seen > 0 && !endless.went_back);
        assert_int_equal(pleach_pool_destroy(endless.pool), PLEACH_OK);
    }
}

int run_job_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_runs_once),
        cmocka_unit_test(without_workers_the_caller_does_it_all),
        cmocka_unit_test(wrong_jobs_are_refused),
        cmocka_unit_test(a_failure_reaches_the_caller_with_its_text),
        cmocka_unit_test(a_failure_skips_what_nobody_claimed),
        cmocka_unit_test(the_first_failure_wins_with_its_own_text),
        cmocka_unit_test(a_success_leaves_the_last_error_alone),
        cmocka_unit_test(progress_grows_to_the_whole),
        cmocka_unit_test(a_cancelled_job_stops),
        cmocka_unit_test(jobs_nest),
        cmocka_unit_test(a_nested_failure_keeps_its_text),
        cmocka_unit_test(many_callers_share_a_pool),
        cmocka_unit_test(another_thread_may_cancel),
    };
    return cmocka_run_group_tests_name("jobs", tests, NULL, NULL);
}
