/* Rows about the pool: what a job costs, what a second worker brings, and what a busy neighbour takes. */
#define _POSIX_C_SOURCE 200809L /* fork, kill */
#include "bench/building.h"

#include "config/error.h"
#include "pool/memory.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORKERS_LEAST = 2, BUILDS = 500 };

/* The settings of the bench, but at least two workers. */
static pleach_config several(const pleach__bench *bench)
{
    const unsigned width = pleach_pool_width(bench->pool);
    return pleach__bench_with_workers(bench, width > WORKERS_LEAST ? width : WORKERS_LEAST);
}

/* A job of one item a worker. */
struct gathering {
    pleach_pool *pool;
    pleach_task task;
    atomic_size_t begun; /* items, over all jobs */
    size_t expected;     /* of them, once every item of this job has begun */
};

static pleach_status pass(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    struct gathering *gathering = context;
    (void)worker;
    atomic_fetch_add(&gathering->begun, end - begin);
    return PLEACH_OK;
}

/* Who runs an item waits for all the others: no worker can run two. */
static pleach_status meet(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    struct gathering *gathering = context;
    pleach_status status = pass(context, worker, begin, end);
    while (atomic_load(&gathering->begun) < gathering->expected)
        continue;
    return status;
}

static pleach_status gather(void *context)
{
    struct gathering *gathering = context;
    const size_t items = pleach_pool_width(gathering->pool);
    gathering->expected = atomic_load(&gathering->begun) + items;
    return pleach_pool_run(gathering->pool,
                           &(pleach_job){.task = gathering->task, .context = gathering, .items = items});
}

static pleach_status time_gathering(struct gathering *gathering, pleach__bench_result *result)
{
    const pleach__bench_subject subject = {.run = gather, .context = gathering, .waits = true};
    pleach__bench_timing timing;
    result->workers = pleach_pool_width(gathering->pool);
    pleach_status status = gather(gathering);
    result->wrong = status == PLEACH_OK && gathering->begun != result->workers;
    if (status == PLEACH_OK && !result->wrong)
        status = pleach__bench_time(&subject, 1, &timing);
    if (status == PLEACH_OK && !result->wrong) {
        result->value = timing.ns / 1e3;
        pleach__bench_note(result, &timing, (pleach__bench_cost){NAN, NAN});
    }
    return status;
}

static pleach_status measure_gathering(const pleach__bench_row *row, const pleach__bench *bench,
                                       pleach__bench_result *result)
{
    const pleach_config config = several(bench);
    struct gathering gathering = {.task = *(const pleach_task *)row->work};
    pleach_status status = pleach_pool_create(&gathering.pool, &config);
    if (status != PLEACH_OK)
        return status;
    status = time_gathering(&gathering, result);
    (void)pleach_pool_destroy(gathering.pool);
    return status;
}

/* Times two subjects that differ in one thing; notes the second, and how many times as long the first takes. */
static pleach_status time_ratio(const pleach__bench_subject subject[2], const pleach__bench_building *building,
                                pleach__bench_result *result)
{
    pleach__bench_timing timing[2];
    pleach__bench_cost cost;
    pleach_status status = pleach__bench_building_cost(building, &cost);
    status = status == PLEACH_OK ? pleach__bench_time(subject, 2, timing) : status;
    if (status != PLEACH_OK)
        return status;
    result->value = timing[0].ns / timing[1].ns;
    pleach__bench_note(result, &timing[1], cost);
    result->disturbed |= timing[0].disturbed;
    return PLEACH_OK;
}

static pleach_status open_verified(pleach__bench_building *building, const pleach_config *config,
                                   const pleach__bench_shape *shape, const uint8_t *inputs,
                                   pleach__bench_result *result)
{
    bool right = true;
    pleach_status status = pleach__bench_open(building, config, shape, inputs);
    if (status != PLEACH_OK)
        return status;
    result->backend = pleach__bench_building_backend(building)->name;
    result->workers = pleach_pool_width(building->pool);
    status = pleach__bench_verify(building, &right);
    result->wrong = result->wrong || !right;
    if (status != PLEACH_OK)
        pleach__bench_close(building);
    return status;
}

/* Builds with one worker and with several. */
static pleach_status compare_workers(const pleach__bench *bench, const pleach__bench_shape *shape,
                                     const uint8_t *inputs, pleach__bench_result *result)
{
    const pleach_config alone_config = pleach__bench_with_workers(bench, 1), config = several(bench);
    pleach__bench_building alone, helped;
    pleach_status status = open_verified(&alone, &alone_config, shape, inputs, result);
    if (status != PLEACH_OK)
        return status;
    status = open_verified(&helped, &config, shape, inputs, result);
    if (status == PLEACH_OK) {
        pleach__bench_subject subject[] = {pleach__bench_building_subject(&alone),
                                           pleach__bench_building_subject(&helped)};
        subject[0].waits = true; /* both by the wall clock, whatever happens */
        if (!result->wrong)
            status = time_ratio(subject, &helped, result);
        pleach__bench_close(&helped);
    }
    pleach__bench_close(&alone);
    return status;
}

/* A building, and a process that takes processor time from it, or not. */
struct street {
    pleach__bench_building building;
    pid_t neighbour; /* 0 = none */
};

static pleach_status drive_away(void *context)
{
    struct street *street = context;
    if (street->neighbour > 0) {
        (void)kill(street->neighbour, SIGKILL);
        (void)waitpid(street->neighbour, NULL, 0);
        street->neighbour = 0;
    }
    return PLEACH_OK;
}

static pleach_status move_in(void *context)
{
    struct street *street = context;
    const pid_t parent = getpid(), neighbour = street->neighbour > 0 ? street->neighbour : fork();
    if (neighbour < 0)
        return pleach__fail(PLEACH_ENOMEM, "fork: %s", strerror(errno));
    if (neighbour == 0) {
        while (getppid() == parent)
            continue;
        _exit(0);
    }
    street->neighbour = neighbour;
    return PLEACH_OK;
}

static pleach_status build_often(void *context)
{
    const struct street *street = context;
    pleach_status status = PLEACH_OK;
    for (int i = 0; status == PLEACH_OK && i < BUILDS; i++)
        status = pleach_tree_build(street->building.tree, &street->building.leaves, NULL);
    return status;
}

/* Builds on all processors, with and without a neighbour. */
static pleach_status compare_neighbours(const pleach__bench *bench, const pleach__bench_shape *shape,
                                        const uint8_t *inputs, pleach__bench_result *result)
{
    const pleach_config config =
        pleach_pool_width(bench->pool) > 1 ? several(bench) : pleach__bench_with_workers(bench, 0);
    struct street street = {.neighbour = 0};
    const pleach__bench_subject subject[] = {
        {.prepare = move_in, .run = build_often, .context = &street, .waits = true, .disturbs = true},
        {.prepare = drive_away, .run = build_often, .context = &street, .waits = true},
    };
    pleach_status status = open_verified(&street.building, &config, shape, inputs, result);
    if (status != PLEACH_OK)
        return status;
    if (!result->wrong)
        status = time_ratio(subject, &street.building, result);
    result->cycles = NAN; /* of many builds */
    result->share = NAN;
    (void)drive_away(&street);
    pleach__bench_close(&street.building);
    return status;
}

typedef pleach_status comparison(const pleach__bench *bench, const pleach__bench_shape *shape, const uint8_t *inputs,
                                 pleach__bench_result *result);

struct compared {
    comparison *compare;
    pleach__bench_shape shape;
};

static pleach_status measure_ratio(const pleach__bench_row *row, const pleach__bench *bench,
                                   pleach__bench_result *result)
{
    const struct compared *compared = row->work;
    const size_t size = pleach__bench_leaves_size(&compared->shape);
    uint8_t *inputs = pleach__allocate(bench->pool, size);
    if (!inputs)
        return pleach__fail(PLEACH_ENOMEM, "no memory for %zu bytes of leaves", size);
    pleach__bench_fill(inputs, size);
    pleach_status status = compared->compare(bench, &compared->shape, inputs, result);
    pleach__release(bench->pool, inputs, size);
    return status;
}

#define TWICE(name, ...)                                           \
    PLEACH__BENCH_ROW(23, name, "x", AT_LEAST, 1.9, measure_ratio, \
                      &(const struct compared){compare_workers, __VA_ARGS__})

/* Small trees, which should not pay for workers, and the first that gain by them. */
#define SMALL(height)                                                                                        \
    PLEACH__BENCH_ROW(                                                                                       \
        111, "several workers against one: 2^" #height " leaves", "x", AT_LEAST, (height) > 12 ? 1.2 : 0.95, \
        measure_ratio,                                                                                       \
        &(const struct compared){compare_workers, {PLEACH_SCHEME_RFC6962, PLEACH__BENCH_KEPT, height, 32, 0}})

const pleach__bench_row pleach__bench_rows_pool[] = {
    PLEACH__BENCH_ROW(22, "empty job on warm workers", "us", AT_MOST, 0.5, measure_gathering,
                      &(const pleach_task){pass}),
    PLEACH__BENCH_ROW(104, "job of an item a worker, all at once", "us", AT_MOST, 0.5, measure_gathering,
                      &(const pleach_task){meet}),
    TWICE("several workers against one: row 4", {PLEACH_SCHEME_BLAKE2S, PLEACH__BENCH_KEPT, 20, 64, 0}),
    TWICE("several workers against one: row 6", {PLEACH_SCHEME_BLAKE2S, PLEACH__BENCH_KEPT, 16, 1024, 0}),
    TWICE("several workers against one: row 13", {PLEACH_SCHEME_RFC6962, PLEACH__BENCH_KEPT, 20, 32, 0}),
    SMALL(4),
    SMALL(8),
    SMALL(12),
    SMALL(13),
    SMALL(14),
    SMALL(16),
    PLEACH__BENCH_ROW(
        24, "2^12-leaf tree beside a busy process", "x", AT_MOST, 2, measure_ratio,
        &(const struct compared){compare_neighbours, {PLEACH_SCHEME_BLAKE2S, PLEACH__BENCH_KEPT, 12, 64, 0}}),
    {0},
};
