/*
 * Random jobs by many callers on pools of all sizes, and jobs that end only if every sleeping worker is woken:
 * stress [seed]. Meant for ThreadSanitizer. Built with few PLEACH_POOL_ENTRIES it also covers callers that find no free
 * entry. PLEACH_STRESS_SECONDS and PLEACH_STRESS_PARKS make it longer.
 */
#define _GNU_SOURCE
#include "pool/workers.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK(condition)   \
    ((condition) ? (void)0 \
                 : (fprintf(stderr, "%s:%d: %s (seed %llu)\n", __FILE__, __LINE__, #condition, seed), abort()))

enum {
    MOST_WORKERS = 8,
    MOST_ITEMS = 3000,
    MOST_CALLERS = 64,
    FEW_CALLERS = 12,
    JOBS_PER_CALLER = 100,
    JOBS = 10000,
    PARKS = 100000,
    FEW_PARKS = 2000,
    ALIVE = 0x600d,
    DEAD = 0xdead,
    PATIENCE_SECONDS = 600
};
static unsigned long long seed;
static uint64_t deadline; /* 0 = none */
static _Atomic uint64_t succeeded, failed, cancelled, nested;

static uint64_t draw(uint64_t *state) /* splitmix64 */
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

struct context {
    int life; /* ALIVE while the caller is inside pleach_pool_run */
    pleach_pool *pool;
    uint64_t seed;
    size_t items, fail_at, cancel_at;
    unsigned nest_every, spin;
    int depth;
    pleach_monitor *monitor;
    _Atomic int busy[MOST_WORKERS]; /* two claims of one job never run under one index */
    _Atomic int failed;
    uint32_t *ran; /* plain: the claims must not overlap, and the caller must see them */
    uint64_t seen;
};

static void run_random(pleach_pool *pool, uint64_t seed_of_job, int depth);

/* A caller without workers holds the slot unless another such caller does. */
static bool may_stream(const pleach_pool *pool, const pleach_worker *worker)
{
    bool holds = pool->plan.place[worker->index].streaming;
    return worker->streaming == holds || (pool->width == 1 && holds);
}

static pleach_status random_task(void *argument, const pleach_worker *worker, size_t begin, size_t end)
{
    struct context *c = argument;
    CHECK(c->life == ALIVE);
    CHECK(begin < end && end <= c->items);
    CHECK(worker->index < pleach_pool_width(c->pool));
    CHECK(may_stream(c->pool, worker));
    CHECK(worker->kernels == &c->pool->kernels[worker->streaming]);
    CHECK(atomic_fetch_add(&c->busy[worker->index], 1) == 0);
    pleach_status status = PLEACH_OK;
    for (size_t i = begin; i < end && status == PLEACH_OK; i++) {
        c->ran[i]++;
        for (volatile unsigned k = 0; k < c->spin; k++) {
        }
        if (i == c->cancel_at)
            pleach_monitor_cancel(c->monitor);
        if (c->nest_every != 0 && i % c->nest_every == 0)
            run_random(c->pool, c->seed + i, c->depth + 1);
        if (i == c->fail_at) {
            atomic_store(&c->failed, 1);
            status = pleach__fail(PLEACH_ETASK, "%zu of %llu", i, (unsigned long long)c->seed);
        }
    }
    CHECK(atomic_fetch_sub(&c->busy[worker->index], 1) == 1);
    CHECK(c->life == ALIVE);
    return status;
}

static void watch_progress(void *argument, uint64_t done, uint64_t total)
{
    struct context *c = argument;
    CHECK(c->life == ALIVE && total == c->items && done >= c->seen && done <= total);
    c->seen = done;
}

static void count_outcome(const struct context *c, pleach_status status)
{
    atomic_fetch_add(status == PLEACH_OK ? &succeeded : status == PLEACH_ETASK ? &failed : &cancelled, 1);
    atomic_fetch_add(&nested, c->depth > 0);
}

static void check_outcome(const struct context *c, pleach_status status)
{
    size_t sum = 0;
    for (size_t i = 0; i < c->items; i++) {
        CHECK(c->ran[i] <= 1);
        sum += c->ran[i];
    }
    if (status == PLEACH_OK) {
        CHECK(sum == c->items && !atomic_load(&c->failed));
        CHECK(c->monitor == NULL || c->items == 0 || c->seen == c->items);
    } else if (status == PLEACH_ETASK) {
        char expected[64];
        (void)snprintf(expected, sizeof expected, "%zu of %llu", c->fail_at, (unsigned long long)c->seed);
        CHECK(atomic_load(&c->failed) && strcmp(pleach_last_error(), expected) == 0);
    } else {
        CHECK(status == PLEACH_ECANCELED && c->cancel_at < c->items && c->ran[c->cancel_at] == 1 && sum < c->items);
    }
}

static void run_random(pleach_pool *pool, uint64_t seed_of_job, int depth)
{
    static const size_t most[] = {4, 40, 400, MOST_ITEMS};
    uint64_t state = seed_of_job;
    struct context c = {.life = ALIVE, .pool = pool, .seed = draw(&state), .depth = depth};
    c.items = (size_t)(draw(&state) % (depth > 0 ? 8 : most[draw(&state) % 4]));
    c.fail_at = c.cancel_at = SIZE_MAX;
    c.spin = (unsigned)(draw(&state) % 64);
    uint64_t kind = draw(&state) % 16;
    if (kind == 0)
        c.fail_at = (size_t)(draw(&state) % (c.items + 1));
    if (depth < 2 && kind >= 13)
        c.nest_every = 1 + (unsigned)(draw(&state) % 50);
    pleach_monitor monitor = {.progress = watch_progress, .context = &c};
    if (kind <= 4) {
        c.monitor = &monitor;
        if (kind == 1)
            c.cancel_at = (size_t)(draw(&state) % (c.items + 1));
    }
    uint32_t small[8] = {0};
    c.ran = c.items <= 8 ? small : calloc(c.items, sizeof *c.ran);
    CHECK(c.ran != NULL);
    pleach_job job = {.task = random_task, .context = &c, .items = c.items, .monitor = c.monitor};
    job.priority = draw(&state) % 3 == 0 ? PLEACH_BULK : PLEACH_LATENCY;
    pleach_status status = pleach_pool_run(pool, &job);
    c.life = DEAD;
    check_outcome(&c, status);
    count_outcome(&c, status);
    if (c.ran != small)
        free(c.ran);
}

struct caller {
    pleach_pool *pool;
    uint64_t state;
};

static bool in_time(void)
{
    return deadline == 0 || uv_hrtime() < deadline;
}

static void *call_often(void *argument)
{
    struct caller *caller = argument;
    for (int job = 0; job < JOBS_PER_CALLER && in_time(); job++) {
        run_random(caller->pool, draw(&caller->state), 0);
        if (draw(&caller->state) % 64 == 0)
            (void)usleep((useconds_t)(draw(&caller->state) % 300)); /* let workers park */
    }
    return NULL;
}

static pleach_pool *make_pool(unsigned workers, unsigned spin_us, unsigned streaming_units)
{
    pleach_config config;
    pleach_config_init(&config);
    config.workers = (int)workers;
    config.spin_us = spin_us;
    pleach__topology topology = {.quota = 0};
    pleach_pool *pool;
    CHECK(pleach__topology_uniform(&topology, streaming_units + 1) == PLEACH_OK);
    for (unsigned i = 0; i < streaming_units; i++)
        topology.order[i].unit_id = topology.order[i].unit = i;
    topology.streaming_units = streaming_units;
    CHECK(pleach__pool_create_on(&pool, &config, &topology) == PLEACH_OK && pleach_pool_width(pool) == workers);
    return pool;
}

static void run_callers(pleach_pool *pool, unsigned callers, uint64_t *state)
{
    struct caller caller[MOST_CALLERS];
    pthread_t thread[MOST_CALLERS];
    for (unsigned i = 0; i < callers; i++) {
        caller[i] = (struct caller){.pool = pool, .state = draw(state)};
        CHECK(pthread_create(&thread[i], NULL, call_often, &caller[i]) == 0);
    }
    for (unsigned i = 0; i < callers; i++)
        CHECK(pthread_join(thread[i], NULL) == 0);
}

static void print_counts(const pleach_pool_counters *total)
{
    (void)printf(
        "random: %llu jobs succeeded, %llu failed, %llu were cancelled, %llu of all nested; workers: %llu claims, "
        "%llu parks\n",
        (unsigned long long)succeeded, (unsigned long long)failed, (unsigned long long)cancelled,
        (unsigned long long)nested, (unsigned long long)total->claims, (unsigned long long)total->parks);
}

static void test_random(uint64_t seconds)
{
    uint64_t state = seed;
    pleach_pool_counters total = {0};
    deadline = seconds != 0 ? uv_hrtime() + seconds * 1000000000 : 0;
    for (uint64_t round = 0, jobs = 0; deadline != 0 ? in_time() : jobs < JOBS; round++) {
        unsigned workers = 1 + (unsigned)(draw(&state) % MOST_WORKERS);
        unsigned callers = round % 4 == 0 ? MOST_CALLERS : 1 + (unsigned)(draw(&state) % FEW_CALLERS);
        pleach_pool *pool = make_pool(workers, (unsigned)(draw(&state) % 3 * 5), (unsigned)(draw(&state) % 3));
        run_callers(pool, callers, &state);
        jobs += (uint64_t)callers * JOBS_PER_CALLER;
        pleach_pool_counters counters;
        pleach_pool_count(pool, &counters);
        total.claims += counters.claims;
        total.parks += counters.parks;
        CHECK(pleach_pool_destroy(pool) == PLEACH_OK);
    }
    print_counts(&total);
    CHECK(total.claims > 0 && total.parks > 0 && succeeded > 0 && failed > 0 && cancelled > 0 && nested > 0);
}

struct meeting {
    _Atomic unsigned arrived;
    unsigned expected;
};

static pleach_status meet(void *argument, const pleach_worker *worker, size_t begin, size_t end)
{
    (void)worker;
    struct meeting *meeting = argument;
    atomic_fetch_add(&meeting->arrived, (unsigned)(end - begin));
    while (atomic_load(&meeting->arrived) < meeting->expected)
        (void)sched_yield();
    return PLEACH_OK;
}

/* Every participant must arrive, or the job never ends: a lost wake-up is a hang. */
static void test_wakes(unsigned workers, uint64_t parks)
{
    pleach_pool *pool = make_pool(workers, 0, 0);
    pleach_pool_counters counters = {0};
    uint64_t jobs = 0, state = seed;
    do {
        struct meeting meeting = {.expected = workers};
        pleach_job job = {.task = meet, .context = &meeting, .items = workers, .priority = PLEACH_LATENCY};
        CHECK(pleach_pool_run(pool, &job) == PLEACH_OK);
        for (volatile uint64_t k = draw(&state) % 4096; k != 0; k--) { /* sweep the moment of the next publication */
        }
        if (jobs++ % 256 == 0)
            pleach_pool_count(pool, &counters);
    } while (counters.parks < parks);
    (void)printf("wakes: %u workers, %llu jobs, %llu parks\n", workers, (unsigned long long)jobs,
                 (unsigned long long)counters.parks);
    CHECK(pleach_pool_destroy(pool) == PLEACH_OK);
}

static uint64_t setting(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
    seed = argc > 1 ? strtoull(argv[1], NULL, 0) : (unsigned long long)uv_hrtime();
    const uint64_t seconds = setting("PLEACH_STRESS_SECONDS", 0);
    const uint64_t parks = setting("PLEACH_STRESS_PARKS", getenv("PLEACH_TEST_QUICK") != NULL ? FEW_PARKS : PARKS);
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    (void)printf("seed %llu\n", seed);
    (void)alarm(PATIENCE_SECONDS + (unsigned)(seconds + parks / 1000));
    test_wakes(2, parks);
    test_wakes(4, parks);
    test_random(seconds);
    return 0;
}
