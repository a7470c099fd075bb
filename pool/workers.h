/* What a pool is made of, and what its files do for each other. */
#ifndef PLEACH_WORKERS_H
#define PLEACH_WORKERS_H

#include "config/error.h"
#include "kernels/backend.h"
#include "kernels/streaming.h"
#include "pool/memory.h"
#include "pool/process.h"

#include <stdatomic.h>
#include <uv.h>

enum { relaxed = memory_order_relaxed, acquire = memory_order_acquire, release = memory_order_release };

#ifndef PLEACH_POOL_ENTRIES
#define PLEACH_POOL_ENTRIES 64 /* jobs of one priority that workers can see at a time */
#endif

enum {
    PLEACH__PRIORITIES = PLEACH_BULK + 1,
    PLEACH__PARKED_WORDS = PLEACH_WORKERS_MAX / 64,
    PLEACH__LINE = 128 /* x86 prefetches lines in pairs; Apple's are this long */
};

/* A place in the pool's table where workers find a job. job.c says how it is used. */
struct pleach__entry {
    _Alignas(PLEACH__LINE) _Atomic size_t unclaimed; /* 0 unless a job is published */
    _Atomic size_t limit;                            /* most items of one claim */
    _Atomic uint64_t ticket;                         /* age */
    pleach_job job;                                  /* read only by holders of a claim */
    _Alignas(PLEACH__LINE) _Atomic size_t pending;   /* 2 x items not checked in, + 1 if the caller sleeps */
    _Atomic int status;
    uv_sem_t done;
    char error[PLEACH__ERROR_SIZE]; /* written by the claim that set the status, before it checks in */
};

/* What pleach_pool_counters sums up; of one worker, or of all callers that are none. */
struct pleach__counters {
    _Atomic uint64_t jobs, claims, parks, busy_ns;
};

/* The processors that a worker may run on: those of the process, all that reach its streaming unit, or one. */
typedef enum pleach__binding { PLEACH__FREE, PLEACH__TO_UNIT, PLEACH__TO_CORE } pleach__binding;

struct pleach__worker {
    _Alignas(PLEACH__LINE) pleach_worker seat;
    pleach_pool *pool;
    uv_thread_t thread;
    uv_sem_t wake; /* one post for each bit that a waker cleared in `parked` */
    pleach__binding binding;
    struct pleach__counters counted; /* by that thread alone */
};

struct pleach_pool {
    struct pleach__worker *workers; /* [0] stands for callers that are not workers */
    struct pleach__worker *alone;   /* for one caller at a time if the pool has no threads, but a slot; else NULL */
    unsigned width;                 /* workers read it only once they have seen a job */
    uint64_t spin_ns;
    unsigned forks;
    /* What idle workers poll. */
    _Alignas(
        PLEACH__LINE) _Atomic uint64_t used[PLEACH__PRIORITIES]; /* bit e: entry e was published once; never cleared */
    atomic_bool stopping;
    /* What only callers touch. */
    _Alignas(PLEACH__LINE) _Atomic size_t callers; /* 2 x threads inside, + 1 if the pool is closing */
    atomic_bool alone_taken;
    _Atomic uint64_t taken[PLEACH__PRIORITIES]; /* bit e: entry e has an owner */
    _Atomic uint64_t tickets;
    struct pleach__counters by_callers;
    pleach__streaming alone_before; /* what the thread of the caller who took the seat alone had */
    _Alignas(PLEACH__LINE) _Atomic uint64_t parked[PLEACH__PARKED_WORDS]; /* who clears bit w posts worker w's `wake` */
    struct pleach__entry entries[PLEACH__PRIORITIES][PLEACH_POOL_ENTRIES];
    /* What is read only. */
    pleach_config config;
    pleach__topology topology;
    pleach__plan plan;
    pleach_kernels kernels[2]; /* [1]: of workers that hold a streaming slot; only if there are slots */
    pleach__arena *arena;
};

/* Starts a pool on a machine that is described, of which it takes possession if it succeeds. */
pleach_status pleach__pool_create_on(pleach_pool **pool, const pleach_config *config, pleach__topology *topology);

/* --- park.c --- */

/* True until `ns` have passed since the first call; the clock is read now and then only. Zero-initialised. */
struct pleach__spin {
    unsigned polls;
    uint64_t since;
};
bool pleach__spin(struct pleach__spin *spin, uint64_t ns);

/* Adds to a counter with one writer. */
void pleach__count(_Atomic uint64_t *counter, uint64_t more);

/* Wakes the parked worker with the lowest index; false if none is parked. */
bool pleach__wake_one(pleach_pool *pool);

/* For a claim that leaves items behind: wakes one more helper, who will do the same; none before `*not_before`. */
void pleach__wake_another(pleach_pool *pool, uint64_t *not_before);

/* Sleeps until there is something to do or the pool stops. */
void pleach__park(pleach_pool *pool, struct pleach__worker *self);

/* --- job.c --- */

/* The oldest latency job with unclaimed items, or else the oldest such bulk job, or else NULL. */
struct pleach__entry *pleach__pick(pleach_pool *pool);

/* What a worker's thread does until the pool stops. */
void pleach__work(struct pleach__worker *self);

/* Whether this thread is inside of the pool: runs one of its tasks, or is one of its workers. */
bool pleach__inside(const pleach_pool *pool);

/* Refuses new jobs and returns when no caller is inside any more. */
void pleach__close(pleach_pool *pool);

/* --- bind.c --- */

/* Binds workers to the cores that they are meant for: all where the settings say so, else those that stream, to the
 * cores of their unit. Those that cannot be bound run anywhere, and the log says so. */
void pleach__bind(pleach_pool *pool);

/* --- pool.c --- */

/* Whether this process is a fork of the one that made the pool. */
bool pleach__forked(const pleach_pool *pool);

#endif
