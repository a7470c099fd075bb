/* Calls that are watched, cancelled, refused by their pool, or made at once. */
#define _GNU_SOURCE
#include "lthash_test.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FEW = 10, MANY = 2000 };

struct record {
    uint64_t done, calls;
    pleach_monitor *cancels; /* at the first call, if given */
};

static void watch(void *context, uint64_t done, uint64_t total)
{
    struct record *record = context;
    assert_true(done >= record->done && done <= total);
    record->done = done;
    record->calls++;
    if (record->cancels)
        pleach_monitor_cancel(record->cancels);
}

static void progress_ends_at_the_end(void **context)
{
    (void)context;
    for (size_t n = FEW; n <= MANY; n *= MANY / FEW)
        for (size_t t = 0; t < trial_count; t++) {
            struct changes changes = random_changes(150, n, 100, 1);
            struct record record = {0};
            pleach_monitor monitor = {.progress = watch, .context = &record};
            pleach_lthash state = {.keyed = 0};
            assert_int_equal(pleach_lthash_apply(trials[t].pool, &state, changes.ops, n, HASHED, &monitor), PLEACH_OK);
            assert_int_equal(record.done, n);
            assert_true(record.calls > 0);
            changes_free(&changes);
        }
}

static void cancelled_calls_change_nothing(void **context)
{
    (void)context;
    struct changes changes = random_changes(160, MANY, 100, 3);
    for (size_t n = FEW; n <= MANY; n *= MANY / FEW)
        for (size_t t = 0; t < trial_count; t++)
            for (int late = 0; late < 2; late++) {
                pleach_monitor monitor = {.progress = watch};
                struct record record = {.cancels = &monitor};
                pleach_lthash states[3] = {{.words = {1}}, {.words = {2}}, {.words = {3}}}, total = {.words = {4}},
                              were[3], was = total;
                pleach_lthash *const pointers[] = {&states[0], &states[1], &states[2]};
                memcpy(were, states, sizeof were);
                monitor.context = &record;
                if (late && n == FEW)
                    continue;
                if (!late)
                    pleach_monitor_cancel(&monitor);
                const pleach_status status =
                    pleach_lthash_apply_many(trials[t].pool, pointers, 3, &total, changes.ops, n, HASHED, &monitor);
                if (late && status == PLEACH_OK && pleach_pool_width(trials[t].pool) > 1)
                    continue; /* all had been claimed */
                assert_int_equal(status, PLEACH_ECANCELED);
                assert_memory_equal(states, were, sizeof were);
                assert_memory_equal(&total, &was, sizeof was);
            }
    changes_free(&changes);
}

static void a_forked_child_is_refused(void **context)
{
    (void)context;
    pleach_pool *pool = open_pool(2, "");
    struct changes changes = random_changes(170, MANY, 100, 1);
    pleach_lthash state = {.words = {5}};
    const pleach_lthash was = state;
    int status = 0;
    (void)fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        const pleach_status got = pleach_lthash_apply(pool, &state, changes.ops, MANY, HASHED, NULL);
        _exit(got == PLEACH_EFORKED && memcmp(&state, &was, sizeof was) == 0 ? 0 : 1);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
    changes_free(&changes);
}

/* A thread of its own state, and of a pool that others use too. */
struct caller {
    pleach_pool *pool;
    struct changes changes;
    pleach_lthash state;
    pthread_t thread;
};

static void *apply_often(void *context)
{
    struct caller *caller = context;
    for (int i = 0; i < 8; i++)
        if (pleach_lthash_apply(caller->pool, &caller->state, caller->changes.ops, caller->changes.n, HASHED, NULL) !=
            PLEACH_OK)
            return caller;
    return NULL;
}

static void callers_do_not_disturb_each_other(void **context)
{
    enum { CALLERS = 4 };
    (void)context;
    for (size_t t = 0; t < trial_count; t++) {
        struct caller callers[CALLERS];
        for (size_t c = 0; c < CALLERS; c++) {
            callers[c] = (struct caller){.pool = trials[t].pool,
                                         .changes = random_changes(180 + c,
                                                                   c % 2     ? 100
                                                                   : quick() ? 200
                                                                             : 700,
                                                                   100, 1)};
            assert_int_equal(pthread_create(&callers[c].thread, NULL, apply_often, &callers[c]), 0);
        }
        for (size_t c = 0; c < CALLERS; c++) {
            void *failed = &callers[c];
            naive once = {{0}};
            assert_int_equal(pthread_join(callers[c].thread, &failed), 0);
            assert_null(failed);
            naive_apply(&once, NULL, &callers[c].changes, ALL);
            for (size_t i = 0; i < NUMBERS; i++)
                once.number[i] = (uint16_t)(8 * once.number[i]);
            assert_state(&callers[c].state, &once);
            changes_free(&callers[c].changes);
        }
    }
}

/* Tasks of a job that run jobs of their own. */
struct nest {
    pleach_pool *pool;
    const struct changes *changes;
    pleach_lthash states[8];
};

static pleach_status apply_inside(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    struct nest *nest = context;
    pleach_status status = PLEACH_OK;
    (void)worker;
    for (size_t i = begin; i < end && status == PLEACH_OK; i++)
        status = pleach_lthash_apply(nest->pool, &nest->states[i], nest->changes->ops, nest->changes->n, HASHED, NULL);
    return status;
}

static void tasks_may_apply(void **context)
{
    (void)context;
    struct changes changes = random_changes(190, quick() ? 200 : 600, 100, 1);
    naive expected = {{0}};
    naive_apply(&expected, NULL, &changes, ALL);
    for (size_t t = 0; t < trial_count; t++) {
        struct nest nest = {.pool = trials[t].pool, .changes = &changes};
        const pleach_job job = {.task = apply_inside, .context = &nest, .items = 8};
        assert_int_equal(pleach_pool_run(nest.pool, &job), PLEACH_OK);
        for (size_t i = 0; i < 8; i++)
            assert_state(&nest.states[i], &expected);
    }
    changes_free(&changes);
}

int test_calls(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(progress_ends_at_the_end),  cmocka_unit_test(cancelled_calls_change_nothing),
        cmocka_unit_test(a_forked_child_is_refused), cmocka_unit_test(callers_do_not_disturb_each_other),
        cmocka_unit_test(tasks_may_apply),
    };
    return cmocka_run_group_tests_name("calls", tests, open_trials, close_trials);
}
