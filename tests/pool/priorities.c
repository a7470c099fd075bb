/* Which job a worker comes to, and when. */
#define _GNU_SOURCE
#include "pool_test.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

/* A job of two items, of which the caller runs one; both wait until they are let go. */
struct held {
    pleach_pool *pool;
    pleach_priority priority;
    pthread_t thread;
    atomic_bool caller_is_in, worker_is_in, caller_may_go, worker_may_go;
};

static pleach_status hold(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    struct held *held = context;
    const bool is_caller = worker->index == 0;
    (void)begin, (void)end;
    atomic_store(is_caller ? &held->caller_is_in : &held->worker_is_in, true);
    while (!atomic_load(is_caller ? &held->caller_may_go : &held->worker_may_go))
        sched_yield();
    return PLEACH_OK;
}

static void *run_held(void *context)
{
    struct held *held = context;
    const pleach_job job = {.task = hold, .context = held, .items = 2, .priority = held->priority};
    return pleach_pool_run(held->pool, &job) == PLEACH_OK ? context : NULL;
}

static void wait_for(atomic_bool *flag)
{
    while (!atomic_load(flag))
        sched_yield();
}

/* Returns when workers can see the job. */
static void begin_held(struct held *held, pleach_pool *pool, pleach_priority priority)
{
    *held = (struct held){.pool = pool, .priority = priority};
    assert_int_equal(pthread_create(&held->thread, NULL, run_held, held), 0);
    wait_for(&held->caller_is_in);
}

static void end_held(struct held *held)
{
    void *result;
    atomic_store(&held->caller_may_go, true);
    atomic_store(&held->worker_may_go, true);
    assert_int_equal(pthread_join(held->thread, &result), 0);
    assert_ptr_equal(result, held);
}

static void latency_comes_first_and_age_next(void **state)
{
    (void)state;
    static const struct {
        pleach_priority older, newer;
        bool lower; /* the newer job gets a lower place in the table */
        bool newer_is_first;
    } cases[] = {
        {PLEACH_LATENCY, PLEACH_LATENCY, false, false}, {PLEACH_LATENCY, PLEACH_LATENCY, true, false},
        {PLEACH_BULK, PLEACH_BULK, false, false},       {PLEACH_BULK, PLEACH_BULK, true, false},
        {PLEACH_BULK, PLEACH_LATENCY, false, true},     {PLEACH_LATENCY, PLEACH_BULK, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pleach_pool *pool = make_pool(2);
        struct held busy, gap, older, newer;
        begin_held(&busy, pool, cases[i].older);
        wait_for(&busy.worker_is_in);
        if (cases[i].lower)
            begin_held(&gap, pool, cases[i].older);
        begin_held(&older, pool, cases[i].older);
        if (cases[i].lower)
            end_held(&gap);
        begin_held(&newer, pool, cases[i].newer);
        atomic_store(&busy.worker_may_go, true);
        while (!atomic_load(&older.worker_is_in) && !atomic_load(&newer.worker_is_in))
            sched_yield();
        assert_int_equal(atomic_load(&newer.worker_is_in), cases[i].newer_is_first);
        assert_int_equal(atomic_load(&older.worker_is_in), !cases[i].newer_is_first);
        end_held(&busy);
        end_held(&older);
        end_held(&newer);
        assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
    }
}

enum { WIDTH = 4, ROUNDS = 40 };

/* A bulk job that takes days, and how workers come from it to latency jobs, which are numbered from 1. */
struct flood {
    pleach_pool *pool;
    pleach_monitor monitor;
    _Atomic unsigned claims, newest; /* newest: the last latency job that workers could see */
    _Atomic unsigned helped[WIDTH];  /* by worker: the last latency job it ran an item of */
    _Atomic unsigned late[WIDTH];    /* bulk claims it began before that, though it could have seen the newest */
    _Atomic unsigned latest;         /* most of these */
};

static pleach_status flood_task(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    struct flood *flood = context;
    const unsigned w = worker->index;
    if (w != 0 && atomic_load(&flood->newest) != atomic_load(&flood->helped[w])) {
        unsigned late = atomic_fetch_add(&flood->late[w], 1) + 1, latest = atomic_load(&flood->latest);
        while (late > latest && !atomic_compare_exchange_weak(&flood->latest, &latest, late)) {
        }
    }
    atomic_fetch_add(&flood->claims, 1);
    for (size_t i = begin; i < end; i++)
        (void)usleep(300);
    return PLEACH_OK;
}

static void *run_flood(void *context)
{
    struct flood *flood = context;
    const pleach_job job = {.task = flood_task,
                            .context = flood,
                            .items = (size_t)1 << 30,
                            .monitor = &flood->monitor,
                            .priority = PLEACH_BULK};
    return pleach_pool_run(flood->pool, &job) == PLEACH_ECANCELED ? context : NULL;
}

struct rescue {
    struct flood *flood;
    unsigned number;
    _Atomic unsigned arrived;
};

/* Every participant must come: none is done before all are there. The caller's own item begins when all can see it. */
static pleach_status come(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    struct rescue *rescue = context;
    const unsigned w = worker->index;
    if (w == 0)
        atomic_store(&rescue->flood->newest, rescue->number);
    atomic_store(&rescue->flood->late[w], 0);
    atomic_store(&rescue->flood->helped[w], rescue->number);
    atomic_fetch_add(&rescue->arrived, (unsigned)(end - begin));
    while (atomic_load(&rescue->arrived) < WIDTH)
        sched_yield();
    return PLEACH_OK;
}

static void a_latency_job_waits_for_one_bulk_claim_at_most(void **state)
{
    (void)state;
    struct flood flood = {.pool = make_pool(WIDTH)};
    pthread_t bulk;
    void *result;
    assert_int_equal(pthread_create(&bulk, NULL, run_flood, &flood), 0);
    for (unsigned round = 1; round <= ROUNDS; round++) {
        struct rescue rescue = {.flood = &flood, .number = round};
        const unsigned claims = atomic_load(&flood.claims);
        while (atomic_load(&flood.claims) < claims + WIDTH)
            sched_yield();
        assert_int_equal(run(flood.pool, come, &rescue, WIDTH), PLEACH_OK);
    }
    pleach_monitor_cancel(&flood.monitor);
    assert_int_equal(pthread_join(bulk, &result), 0);
    assert_non_null(result);
    for (unsigned w = 0; w < WIDTH; w++)
        assert_int_equal(atomic_load(&flood.helped[w]), ROUNDS);
    assert_in_range(atomic_load(&flood.latest), 0, 1);
    assert_int_equal(pleach_pool_destroy(flood.pool), PLEACH_OK);
}

/* The claims of a bulk job grow while items are quick and shrink to one where each takes over a millisecond. */
struct paced {
    size_t quick, largest, largest_at_the_end;
};

static pleach_status take_pace(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    struct paced *paced = context;
    (void)worker;
    for (size_t i = begin; i < end; i++)
        if (i >= paced->quick)
            (void)usleep(1100);
    if (end - begin > paced->largest)
        paced->largest = end - begin;
    if (begin >= 2 * paced->quick && end - begin > paced->largest_at_the_end)
        paced->largest_at_the_end = end - begin;
    return PLEACH_OK;
}

static void bulk_claims_are_sized_by_time(void **state)
{
    (void)state;
    struct paced paced = {.quick = 100};
    pleach_job job = {.task = take_pace, .context = &paced, .items = 256, .priority = PLEACH_BULK};
    assert_int_equal(pleach_pool_run(NULL, &job), PLEACH_OK);
    assert_true(paced.largest > 1);
    assert_int_equal(paced.largest_at_the_end, 1);
}

int run_priority_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latency_comes_first_and_age_next),
        cmocka_unit_test(a_latency_job_waits_for_one_bulk_claim_at_most),
        cmocka_unit_test(bulk_claims_are_sized_by_time),
    };
    return cmocka_run_group_tests_name("priorities", tests, NULL, NULL);
}
