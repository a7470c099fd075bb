/*
 * The protocol, and why no worker touches a job after its caller has returned:
 *
 * A published job lives in an entry of a table that belongs to the pool. The entry's `unclaimed` is the claim: whoever
 * lowers it by k owns k items, and the value it was lowered from says which ones. Nothing else of a job is read before
 * a claim has succeeded, and `unclaimed` is pool memory, so a worker that looks at an entry and is then descheduled for
 * an hour has done no harm: either its compare-exchange fails, or it makes a valid claim on whichever job the entry
 * holds by then. `pending` counts the items that are not checked in. A claim that is not checked in keeps it above
 * zero, and the caller leaves at zero.
 *
 * `unclaimed` is published by a sequentially consistent store and changed by read-modify-writes only, so that a claim's
 * acquire always meets that store. `pending` is initialised before it, lowered by workers with release, read by the
 * caller with acquire. Who sees BLOCKED alone in `pending` posts `done`; the caller is then bound to consume that post
 * before it leaves, so it is for this job and the only one. `limit` and `ticket` are hints on which no safety rests.
 * tests/pool/model.pml is a model of all this.
 */
#define _GNU_SOURCE
#include "pool/workers.h"

#include <stdio.h>

enum {
    CLAIMS_PER_SEAT = 4, /* a first claim is this fraction of a fair share */
    BULK_CLAIM_NS = 1000000
};

/* Bit 0 of `pending`: the caller sleeps, or is about to, until the last check-in posts `done`. */
#define BLOCKED ((size_t)1)
/* Bit 0 of `callers`. */
#define CLOSING ((size_t)1)

/* The pools whose tasks or workers this thread is inside of, innermost first. */
struct frame {
    struct pleach__worker *worker;
    struct frame *outer;
    uint64_t claims, parks; /* not counted yet */
    uint64_t ticket;        /* of the job that a worker came to last */
};
static _Thread_local struct frame *frames;

static struct frame *find_frame(const pleach_pool *pool)
{
    struct frame *frame = frames;
    while (frame != NULL && frame->worker->pool != pool)
        frame = frame->outer;
    return frame;
}

bool pleach__inside(const pleach_pool *pool)
{
    return find_frame(pool) != NULL;
}

struct pleach__entry *pleach__pick(pleach_pool *pool)
{
    for (int priority = 0; priority < PLEACH__PRIORITIES; priority++) {
        struct pleach__entry *oldest = NULL;
        uint64_t oldest_ticket = UINT64_MAX;
        for (uint64_t bits = atomic_load(&pool->used[priority]); bits != 0; bits &= bits - 1) {
            struct pleach__entry *entry = &pool->entries[priority][__builtin_ctzll(bits)];
            uint64_t ticket = atomic_load_explicit(&entry->ticket, relaxed);
            if (atomic_load(&entry->unclaimed) != 0 && ticket < oldest_ticket) {
                oldest = entry;
                oldest_ticket = ticket;
            }
        }
        if (oldest != NULL)
            return oldest;
    }
    return NULL;
}

struct claim {
    size_t begin, count, left; /* left: unclaimed after it */
};

static size_t share(unsigned width, size_t left, size_t limit)
{
    size_t count = left / (CLAIMS_PER_SEAT * (size_t)width);
    if (count > limit)
        count = limit;
    return count == 0 ? 1 : count;
}

/* On success the job stays alive until the claim is checked in. */
static bool take_claim(const pleach_pool *pool, struct pleach__entry *entry, struct claim *claim)
{
    size_t left = atomic_load_explicit(&entry->unclaimed, relaxed), count;
    size_t limit = atomic_load_explicit(&entry->limit, relaxed);
    do {
        if (left == 0)
            return false;
        count = share(pool->width, left, limit);
    } while (!atomic_compare_exchange_weak_explicit(&entry->unclaimed, &left, left - count, acquire, relaxed));
    *claim = (struct claim){.begin = entry->job.items - left, .count = count, .left = left - count};
    return true;
}

static size_t first_limit(pleach_priority priority)
{
    return priority == PLEACH_BULK ? 1 : SIZE_MAX;
}

/* Runs a range, and in a bulk job steers the next claims towards BULK_CLAIM_NS. */
static pleach_status run_range(struct frame *frame, const pleach_job *job, size_t begin, size_t count, size_t *limit)
{
    const pleach_worker *seat = &frame->worker->seat;
    if (job->monitor != NULL && __atomic_load_n(&job->monitor->cancelled, __ATOMIC_RELAXED))
        return pleach__fail(PLEACH_ECANCELED, "cancelled through the monitor of a job of %zu items", job->items);
    frame->claims++;
    if (job->priority != PLEACH_BULK)
        return job->task(job->context, seat, begin, begin + count);
    uint64_t start = uv_hrtime();
    pleach_status status = job->task(job->context, seat, begin, begin + count);
    uint64_t ns = uv_hrtime() - start;
    if (ns < BULK_CLAIM_NS / 2 && count == *limit && *limit <= SIZE_MAX / 2)
        *limit *= 2;
    else if (ns > BULK_CLAIM_NS && count > 1)
        *limit = count / 2;
    return status;
}

/* A task may fail without a text of its own. Then none that was left before its job, when the count was `errors`, may
 * stand for it. */
static void explain_failure(pleach_status status, unsigned errors)
{
    if (errors == pleach__error_count())
        (void)pleach__fail(status, "a task returned %d (%s)", (int)status, pleach_status_text(status));
}

/* Runs a claim; returns the items it settles. A failure settles all unclaimed ones too: nobody will run them. */
static size_t run_claim(struct frame *frame, struct pleach__entry *entry, const struct claim *claim, unsigned errors)
{
    size_t before = atomic_load_explicit(&entry->limit, relaxed), limit = before;
    pleach_status status = run_range(frame, &entry->job, claim->begin, claim->count, &limit);
    if (limit != before)
        atomic_store_explicit(&entry->limit, limit, relaxed);
    if (status == PLEACH_OK)
        return claim->count;
    int none = PLEACH_OK;
    if (atomic_compare_exchange_strong_explicit(&entry->status, &none, (int)status, relaxed, relaxed)) {
        explain_failure(status, errors);
        (void)snprintf(entry->error, sizeof entry->error, "%s", pleach_last_error());
    }
    return claim->count + atomic_exchange_explicit(&entry->unclaimed, 0, relaxed);
}

static void report(const pleach_job *job, size_t done)
{
    if (job->monitor != NULL && job->monitor->progress != NULL)
        job->monitor->progress(job->monitor->context, done, job->items);
}

/* What a job's caller knows to be done; exact, since skipped items are checked in after the status is set. */
static void report_entry(const struct pleach__entry *entry, size_t settled)
{
    if (entry->job.monitor == NULL)
        return;
    size_t pending = atomic_load_explicit(&entry->pending, acquire) / 2;
    if (atomic_load_explicit(&entry->status, relaxed) == PLEACH_OK)
        report(&entry->job, entry->job.items - pending + settled);
}

static bool any_parked(pleach_pool *pool)
{
    uint64_t any = 0;
    for (unsigned word = 0; word * 64 < pool->width; word++)
        any |= atomic_load(&pool->parked[word]);
    return any != 0;
}

/*
 * Works on a job from a claim on and returns how many items that settled. Callers stay to the end, and workers do in a
 * latency job; after a bulk claim a worker looks around.
 */
static size_t run_claims(struct frame *frame, struct pleach__entry *entry, struct claim claim, bool is_caller)
{
    pleach_pool *pool = frame->worker->pool;
    uint64_t not_before = 0;
    unsigned errors = pleach__error_count();
    size_t settled = 0;
    do {
        if (claim.left != 0 && any_parked(pool))
            pleach__wake_another(pool, &not_before);
        settled += run_claim(frame, entry, &claim, errors);
        if (is_caller)
            report_entry(entry, settled);
    } while ((is_caller || entry->job.priority == PLEACH_LATENCY) && take_claim(pool, entry, &claim));
    return settled;
}

/* What is in a frame goes to its worker's counters, or to those that all callers share. */
static void count(struct frame *frame, bool is_new_job)
{
    struct pleach__counters *own = &frame->worker->counted, *shared = &frame->worker->pool->by_callers;
    if (frame->worker->seat.index != 0) {
        pleach__count(&own->jobs, is_new_job);
        pleach__count(&own->claims, frame->claims);
        pleach__count(&own->parks, frame->parks);
    } else {
        atomic_fetch_add_explicit(&shared->jobs, is_new_job, relaxed);
        atomic_fetch_add_explicit(&shared->claims, frame->claims, relaxed);
        if (frame->parks != 0)
            atomic_fetch_add_explicit(&shared->parks, frame->parks, relaxed);
    }
    frame->claims = frame->parks = 0;
}

/* `since` is when the worker was last known to be at work; 0 = it was idle. */
static bool serve(struct frame *frame, struct pleach__entry *entry, uint64_t *since)
{
    struct pleach__worker *self = frame->worker;
    struct claim claim;
    if (!take_claim(self->pool, entry, &claim))
        return false;
    if (*since == 0)
        *since = uv_hrtime();
    size_t settled = run_claims(frame, entry, claim, false);
    const uint64_t ticket = atomic_load_explicit(&entry->ticket, relaxed);
    count(frame, ticket != frame->ticket);
    frame->ticket = ticket;
    /* From here on the job may be gone. If its caller sleeps, it cannot leave before this post. */
    if (atomic_fetch_sub_explicit(&entry->pending, 2 * settled, release) == 2 * settled + BLOCKED)
        uv_sem_post(&entry->done);
    uint64_t now = uv_hrtime();
    pleach__count(&self->counted.busy_ns, now - *since);
    *since = now;
    return true;
}

void pleach__work(struct pleach__worker *self)
{
    pleach_pool *pool = self->pool;
    struct frame frame = {.worker = self, .ticket = UINT64_MAX};
    struct pleach__spin spin = {0};
    uint64_t since = 0;
    frames = &frame;
    while (!atomic_load_explicit(&pool->stopping, relaxed)) {
        struct pleach__entry *entry = pleach__pick(pool);
        if (entry != NULL && serve(&frame, entry, &since)) {
            spin.polls = 0;
            continue;
        }
        since = 0;
        if (!pleach__spin(&spin, pool->spin_ns)) {
            pleach__park(pool, self);
            spin.polls = 0;
        }
    }
    frames = NULL;
}

/* Acquire pairs with the release of the previous owner: its job has no readers left. */
static struct pleach__entry *take_entry(pleach_pool *pool, pleach_priority priority)
{
    const uint64_t all = UINT64_MAX >> (64 - PLEACH_POOL_ENTRIES);
    uint64_t taken = atomic_load_explicit(&pool->taken[priority], relaxed);
    while (taken != all) {
        uint64_t bit = ~taken & (taken + 1);
        if (atomic_compare_exchange_weak_explicit(&pool->taken[priority], &taken, taken | bit, acquire, relaxed))
            return &pool->entries[priority][__builtin_ctzll(bit)];
    }
    return NULL;
}

static uint64_t entry_bit(const pleach_pool *pool, const struct pleach__entry *entry, pleach_priority priority)
{
    return (uint64_t)1 << (entry - pool->entries[priority]);
}

/* What comes after the caller's own first claim. */
static void publish(pleach_pool *pool, struct pleach__entry *entry, const pleach_job *job, struct claim claim,
                    size_t limit)
{
    uint64_t bit = entry_bit(pool, entry, job->priority);
    if (!(atomic_load_explicit(&pool->used[job->priority], relaxed) & bit))
        atomic_fetch_or(&pool->used[job->priority], bit);
    entry->job = *job;
    atomic_store_explicit(&entry->limit, limit, relaxed);
    atomic_store_explicit(&entry->ticket, atomic_fetch_add_explicit(&pool->tickets, 1, relaxed), relaxed);
    atomic_store_explicit(&entry->status, PLEACH_OK, relaxed);
    atomic_store_explicit(&entry->pending, 2 * (claim.count + claim.left), relaxed);
    atomic_store(&entry->unclaimed, claim.left); /* sequentially consistent for park, release for take_claim */
}

/* Checks the caller in and waits for the others; false in a child forked by a task. */
static bool finish(struct frame *frame, struct pleach__entry *entry, size_t settled)
{
    const pleach_pool *pool = frame->worker->pool;
    if (atomic_fetch_sub_explicit(&entry->pending, 2 * settled, acquire) == 2 * settled)
        return true;
    for (struct pleach__spin spin = {0}; pleach__spin(&spin, pool->spin_ns);)
        if (atomic_load_explicit(&entry->pending, acquire) == 0)
            return true;
    if (pleach__forked(pool))
        return false;
    if (atomic_fetch_or_explicit(&entry->pending, BLOCKED, acquire) != 0) {
        frame->parks++;
        uv_sem_wait(&entry->done);
        (void)atomic_load_explicit(&entry->pending, acquire); /* after every check-in, not only the one that posted */
    }
    return true;
}

static pleach_status fail_forked(void)
{
    return pleach__fail(PLEACH_EFORKED, "this process was forked from the one that made the pool");
}

/* The rest of a job from the caller's claim on, with the help of workers. */
static pleach_status run_published(struct frame *frame, struct pleach__entry *entry, const pleach_job *job,
                                   struct claim claim, size_t limit)
{
    pleach_pool *pool = frame->worker->pool;
    publish(pool, entry, job, claim, limit);
    size_t settled = run_claims(frame, entry, claim, true);
    pleach_status status;
    if (!finish(frame, entry, settled))
        status = fail_forked();
    else if ((status = (pleach_status)atomic_load_explicit(&entry->status, relaxed)) != PLEACH_OK)
        pleach__set_last_error(entry->error);
    else
        report(job, job->items);
    atomic_fetch_and_explicit(&pool->taken[job->priority], ~entry_bit(pool, entry, job->priority), release);
    return status;
}

/* Alone, one claim at a time, as long as there is one claim, no worker, or no free entry. */
static pleach_status run_job(struct frame *frame, const pleach_job *job)
{
    pleach_pool *pool = frame->worker->pool;
    unsigned width = pleach_pool_width(pool);
    struct claim claim = {.left = job->items};
    size_t limit = first_limit(job->priority);
    unsigned errors = pleach__error_count();
    while (claim.left != 0) {
        struct pleach__entry *entry;
        claim.count = share(width, claim.left, limit);
        claim.left -= claim.count;
        if (claim.left != 0 && width > 1 && (entry = take_entry(pool, job->priority)) != NULL)
            return run_published(frame, entry, job, claim, limit);
        pleach_status status = run_range(frame, job, claim.begin, claim.count, &limit);
        if (status != PLEACH_OK) {
            explain_failure(status, errors);
            return status;
        }
        claim.begin += claim.count;
        report(job, claim.begin);
    }
    return PLEACH_OK;
}

static pleach_status check(const pleach_job *job)
{
    if (job == NULL || job->task == NULL)
        return pleach__fail(PLEACH_EINVAL, "%s is NULL", job == NULL ? "job" : "job->task");
    if (job->items > SIZE_MAX / 2)
        return pleach__fail(PLEACH_EINVAL, "job->items is %zu, at most %zu are accepted", job->items, SIZE_MAX / 2);
    if ((unsigned)job->priority >= PLEACH__PRIORITIES)
        return pleach__fail(PLEACH_EINVAL, "job->priority is %d, neither latency nor bulk", (int)job->priority);
    return PLEACH_OK;
}

/* What a caller that is no worker works as. */
static struct pleach__worker *take_seat(pleach_pool *pool)
{
    if (pool->alone == NULL || atomic_exchange_explicit(&pool->alone_taken, true, acquire))
        return &pool->workers[0];
    /* Signals stay the caller's: kernels block them for as long as they stream. */
    if (pleach__streaming_begin(&pool->alone_before, false))
        return pool->alone;
    atomic_store_explicit(&pool->alone_taken, false, release);
    return &pool->workers[0];
}

static void leave_seat(struct pleach__worker *worker)
{
    pleach_pool *pool = worker->pool;
    if (worker != pool->alone)
        return;
    pleach__streaming_end(&pool->alone_before);
    atomic_store_explicit(&pool->alone_taken, false, release);
}

pleach_status pleach_pool_run(pleach_pool *pool, const pleach_job *job)
{
    pleach_status status = check(job);
    if (status != PLEACH_OK)
        return status;
    if (pool == NULL)
        return run_job(&(struct frame){.worker = &(struct pleach__worker){.seat.kernels = pleach_kernels_default()}},
                       job);
    if (pleach__forked(pool))
        return fail_forked();
    const struct frame *outer = find_frame(pool);
    /* A task may finish what it began. */
    if (!(atomic_fetch_add_explicit(&pool->callers, 2, acquire) & CLOSING) || outer != NULL) {
        struct frame frame = {.worker = outer != NULL ? outer->worker : take_seat(pool), .outer = frames};
        frames = &frame;
        status = run_job(&frame, job);
        frames = frame.outer;
        count(&frame, true);
        if (outer == NULL)
            leave_seat(frame.worker);
    } else {
        status = pleach__fail(PLEACH_ECLOSED, "the pool is being destroyed and takes no new jobs");
    }
    atomic_fetch_sub_explicit(&pool->callers, 2, release); /* the last touch: the pool may be gone now */
    return status;
}

void pleach__close(pleach_pool *pool)
{
    atomic_fetch_or_explicit(&pool->callers, CLOSING, relaxed);
    while (atomic_load_explicit(&pool->callers, acquire) != CLOSING)
        uv_sleep(1); /* polled: a leaving caller must not touch the pool after its last decrement */
}

void pleach_monitor_cancel(pleach_monitor *monitor)
{
    __atomic_store_n(&monitor->cancelled, 1, __ATOMIC_RELAXED);
}
