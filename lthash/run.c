/*
 * The workers of a job claim ranges of changes. Each adds up those of one state at a time, and hands a sum over when it
 * comes to those of another state. Additions commute, so nothing depends on who claimed what. The states change only
 * when all is done.
 */
#define _GNU_SOURCE
#include "lthash/run.h"

#include "config/error.h"
#include "pool/memory.h"

#include <string.h>
#include <uv.h>

/* Amounts of work, in compressions. */
enum {
    OUTPUT_COST = PLEACH_LTHASH_SIZE / PLEACH__BLAKE3_BLOCK,
    ALONE_MOST = 4096,      /* that a caller does sooner than others could be woken, and waited for, to help */
    LATENCY_MOST = 1 << 20, /* for which somebody waits */
    CHUNK_COST = PLEACH__BLAKE3_CHUNK / PLEACH__BLAKE3_BLOCK,
};

enum { UNIT = 16 }; /* changes that are claimed together: enough for their items to fill the lanes */

/* What has been handed over of a state while the job runs. */
struct handed {
    pleach__lthash_words sum;
    bool any;
};

/* One participant's. */
struct seat {
    pleach__lthash_words words;
    pleach__lthash_sum sum;
};

struct job {
    const pleach__lthash_batch *batch;
    pleach_monitor *monitor; /* of the call; or NULL */
    size_t unit;             /* changes of an item of the job */
    unsigned width;
    struct seat *seats;
    struct handed *handed; /* of each state; guarded by the lock */
    uv_mutex_t *lock;
};

static void add_to_target(const pleach__lthash_target *target, size_t state, const uint32_t *words)
{
    pleach__lthash_add_words(target->states[state]->words, words);
    if (target->total)
        pleach__lthash_add_words(target->total->words, words);
}

static void hand_to_target(const void *context, const pleach__lthash_sum *sum)
{
    add_to_target(context, sum->state, sum->words);
}

static void hand_over(const void *context, const pleach__lthash_sum *sum)
{
    const struct job *job = context;
    struct handed *handed = &job->handed[sum->state];
    uv_mutex_lock(job->lock);
    if (handed->any)
        pleach__lthash_add_words(handed->sum.word, sum->words);
    else
        memcpy(handed->sum.word, sum->words, sizeof handed->sum);
    handed->any = true;
    uv_mutex_unlock(job->lock);
}

static pleach_status check_cancel(const pleach_monitor *monitor, size_t n)
{
    if (monitor && __atomic_load_n(&monitor->cancelled, __ATOMIC_RELAXED))
        return pleach__fail(PLEACH_ECANCELED, "cancelled through the monitor of %zu changes", n);
    return PLEACH_OK;
}

/* Changes before item i of a job. */
static size_t changes_before(const struct job *job, size_t i)
{
    return i <= job->batch->n / job->unit ? i * job->unit : job->batch->n;
}

static pleach_status sum_up(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    const struct job *job = context;
    pleach_status status = check_cancel(job->monitor, job->batch->n);
    if (status == PLEACH_OK)
        pleach__lthash_sum_up(job->batch, pleach__blake3_backend_of(worker->kernels), begin * job->unit,
                              changes_before(job, end), &job->seats[worker->index].sum);
    return status;
}

static void report(void *context, uint64_t done, uint64_t items)
{
    const struct job *job = context;
    (void)items;
    if (job->monitor->progress)
        job->monitor->progress(job->monitor->context, changes_before(job, (size_t)done), job->batch->n);
}

static void finish(const struct job *job, const pleach__lthash_target *target)
{
    for (unsigned w = 0; w < job->width; w++)
        if (job->seats[w].sum.state != PLEACH__LTHASH_NONE)
            hand_to_target(target, &job->seats[w].sum);
    for (size_t s = 0; s < target->count; s++)
        if (job->handed[s].any)
            add_to_target(target, s, job->handed[s].sum.word);
}

static pleach_status run_prepared(pleach_pool *pool, struct job *job, const pleach__lthash_target *target,
                                  pleach_priority priority)
{
    uv_mutex_t lock;
    if (uv_mutex_init(&lock) != 0)
        return pleach__fail(PLEACH_ENOMEM, "no memory for a lock");
    job->lock = &lock;
    for (unsigned w = 0; w < job->width; w++)
        job->seats[w].sum = (pleach__lthash_sum){
            .state = PLEACH__LTHASH_NONE, .words = job->seats[w].words.word, .flush = hand_over, .context = job};
    for (size_t s = 0; s < target->count; s++)
        job->handed[s].any = false;
    pleach_monitor monitor = {.progress = report, .context = job};
    pleach_status status = pleach_pool_run(pool, &(pleach_job){.task = sum_up,
                                                               .context = job,
                                                               .items = (job->batch->n - 1) / job->unit + 1,
                                                               .monitor = job->monitor ? &monitor : NULL,
                                                               .priority = priority});
    if (status == PLEACH_OK)
        finish(job, target);
    uv_mutex_destroy(&lock);
    return status;
}

static pleach_status run_shared(pleach_pool *pool, const pleach__lthash_batch *batch, uint64_t cost,
                                const pleach__lthash_target *target, pleach_monitor *monitor)
{
    const bool is_long = cost / batch->n > OUTPUT_COST + CHUNK_COST; /* an item fills the lanes by itself */
    struct job job = {.batch = batch, .monitor = monitor, .unit = is_long ? 1 : UNIT, .width = pleach_pool_width(pool)};
    const size_t seats = job.width * sizeof *job.seats;
    if (target->count > (PTRDIFF_MAX - seats) / sizeof *job.handed)
        return pleach__fail(PLEACH_ENOMEM, "no memory for the sums of %zu states", target->count);
    const size_t size = seats + target->count * sizeof *job.handed;
    job.seats = pleach__allocate(pool, size);
    if (!job.seats)
        return pleach__fail(PLEACH_ENOMEM, "no memory for sums: %zu bytes", size);
    job.handed = (struct handed *)(job.seats + job.width);
    pleach_status status = run_prepared(pool, &job, target, cost <= LATENCY_MOST ? PLEACH_LATENCY : PLEACH_BULK);
    pleach__release(pool, job.seats, size);
    return status;
}

static void run_alone(const pleach__lthash_batch *batch, const pleach__blake3_backend *backend,
                      const pleach__lthash_target *target, pleach_monitor *monitor)
{
    pleach__lthash_words words;
    pleach__lthash_sum sum = {
        .state = PLEACH__LTHASH_NONE, .words = words.word, .flush = hand_to_target, .context = target};
    const bool in_place = target->count == 1 && !target->total && pleach__lthash_is_aligned(target->states[0]);
    if (in_place)
        sum = (pleach__lthash_sum){.state = 0, .words = target->states[0]->words};
    pleach__lthash_sum_up(batch, backend, 0, batch->n, &sum);
    if (!in_place && sum.state != PLEACH__LTHASH_NONE)
        hand_to_target(target, &sum);
    if (monitor && monitor->progress)
        monitor->progress(monitor->context, batch->n, batch->n);
}

uint64_t pleach__lthash_cost(size_t size)
{
    return OUTPUT_COST + (uint64_t)size / PLEACH__BLAKE3_BLOCK;
}

pleach_status pleach__lthash_run(pleach_pool *pool, const pleach__lthash_batch *batch, uint64_t cost,
                                 const pleach__lthash_target *target, pleach_monitor *monitor)
{
    const pleach__blake3_backend *backend = pleach__blake3_backend_of(pleach_pool_kernels(pool));
    if (!backend)
        return pleach__fail(PLEACH_EBACKEND, "pool = NULL, and no backend gives right digests on this host");
    if (cost > ALONE_MOST)
        return run_shared(pool, batch, cost, target, monitor);
    pleach_status status = check_cancel(monitor, batch->n);
    if (status == PLEACH_OK)
        run_alone(batch, backend, target, monitor);
    return status;
}
