#ifndef PLEACH_POOL_H
#define PLEACH_POOL_H

/**
 * A fixed set of workers that help any number of callers at once.
 *
 * A job is a number of independent items. Its caller and every worker that has nothing better to do claim ranges of
 * items until none is left, so a slow core simply claims less. The caller always works on its own job: it makes
 * progress even if every worker is busy elsewhere, which is why tasks may run jobs of their own. Workers prefer latency
 * jobs to bulk jobs and old jobs to new ones.
 */

#include "config/config.h"
#include "kernels/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pleach_pool pleach_pool;

/** Who runs a claim. */
typedef struct pleach_worker {
    unsigned index;                /**< below pleach_pool_width(); unique among the participants of one job */
    bool streaming;                /**< holds a streaming slot */
    const pleach_kernels *kernels; /**< what this worker must hash with */
} pleach_worker;

/**
 * Runs items [begin, end). Anything but PLEACH_OK fails the job and skips what nobody has claimed yet; the text that
 * pleach_last_error() has on this thread then goes to the job's caller.
 */
typedef pleach_status (*pleach_task)(void *context, const pleach_worker *worker, size_t begin, size_t end);

typedef enum pleach_priority {
    PLEACH_LATENCY, /**< somebody waits for it, such as a block */
    PLEACH_BULK     /**< long; claims are sized to about a millisecond so that workers stay available */
} pleach_priority;

/** Optional companion of a long call; must outlive it. Zero-initialise it. */
typedef struct pleach_monitor {
    void (*progress)(void *context, uint64_t done, uint64_t total); /**< on the calling thread; may be NULL */
    void *context;
    int cancelled; /**< set with pleach_monitor_cancel() only */
} pleach_monitor;

/** Ask the call to stop, from any thread. Claims that have begun are finished. */
PLEACH_API void pleach_monitor_cancel(pleach_monitor *monitor);

typedef struct pleach_job {
    pleach_task task;
    void *context;
    size_t items; /**< at most SIZE_MAX / 2 */
    pleach_monitor *monitor;
    pleach_priority priority;
} pleach_job;

/**
 * Start a pool: as many workers as the settings say, each with its kernels chosen, probed and pinned. The first pool of
 * a process takes some milliseconds, for the probes; what they found is kept.
 *
 * A streaming unit has one slot, however many pools the process has: a pool gets those that others leave, until these
 * are destroyed. A worker that holds one is bound to the cores of its unit where the system can do that (Linux), or to
 * one of them if the settings say PLEACH_PIN. Callers are never bound.
 *
 * @param[out] pool  The pool; the caller's, until pleach_pool_destroy().
 * @param config     Settings; NULL = defaults and environment. Copied.
 *
 * @retval PLEACH_OK        *pool is ready. It has fewer workers than asked for, and the log says so, if not all threads
 *                          could be started.
 * @retval PLEACH_EINVAL    pool is NULL.
 * @retval PLEACH_ESETTING  A setting is not accepted; the text names it.
 * @retval PLEACH_EBACKEND  A pinned backend does not exist, or this host cannot run it.
 * @retval PLEACH_ENOMEM    Memory or a semaphore could not be had.
 */
PLEACH_API pleach_status pleach_pool_create(pleach_pool **pool, const pleach_config *config);

/** Number of participants one job can have: the bound of pleach_worker.index. 1 for NULL. */
PLEACH_API unsigned pleach_pool_width(const pleach_pool *pool);

/** The kernels of callers that are no workers of the pool; those of pleach_kernels_default() for NULL. */
PLEACH_API const pleach_kernels *pleach_pool_kernels(const pleach_pool *pool);

/**
 * Run all items of a job; blocks until none is running any more.
 *
 * Everything the tasks wrote is visible to the caller afterwards, and neither the context nor the monitor is touched
 * again. May be called by any number of threads at once, and by tasks.
 *
 * @param pool  NULL = the calling thread alone, with pleach_kernels_default().
 *
 * @retval PLEACH_OK         Every item ran.
 * @retval PLEACH_ECANCELED  The monitor was cancelled before every item was claimed.
 * @retval PLEACH_EFORKED    This process is a fork of the one that made the pool.
 * @retval PLEACH_ECLOSED    The pool is being destroyed.
 * @retval PLEACH_EINVAL     A pointer is NULL, or items or priority is out of range.
 * @retval other             What the first failing task returned.
 */
PLEACH_API pleach_status pleach_pool_run(pleach_pool *pool, const pleach_job *job);

/**
 * Refuse new jobs with PLEACH_ECLOSED, wait for the callers inside and for what their tasks still run, end the workers,
 * free the pool. It is the host's care that nobody calls any more once the last caller inside has left. In a fork of
 * the process that made the pool, only free the memory. NULL is allowed.
 *
 * @retval PLEACH_EBUSY  Called from a task of this pool: nothing happened.
 */
PLEACH_API pleach_status pleach_pool_destroy(pleach_pool *pool);

/** What was done since the pool was made. Counted when a job is left, so that it costs little. */
typedef struct pleach_pool_counters {
    uint64_t jobs;    /**< taken part in, those of one's own tasks included; a bulk job counts again for a worker that
                           served another in between */
    uint64_t claims;  /**< ranges of items run */
    uint64_t parks;   /**< times slept: until there was work, or until others were done with their claims */
    uint64_t busy_ns; /**< from the first claim in a job to leaving it; not measured for callers */
} pleach_pool_counters;

/** Sums over all workers, callers left out; exact only while the pool is idle. All 0 for NULL. Safe from any thread. */
PLEACH_API void pleach_pool_count(const pleach_pool *pool, pleach_pool_counters *counters);

/**
 * The same of one worker.
 *
 * @param index          Below pleach_pool_width(); 0 = all callers that are no workers of the pool, together.
 * @param[out] counters  All 0 for a pool of NULL.
 *
 * @retval PLEACH_EINVAL  counters is NULL, or index is out of range.
 */
PLEACH_API pleach_status pleach_pool_count_worker(const pleach_pool *pool, unsigned index,
                                                  pleach_pool_counters *counters);

typedef struct pleach_memory_use {
    uint64_t allocations; /**< made so far */
    uint64_t used;        /**< bytes asked for and not released: by the pool, by objects on it, by calls that run */
    uint64_t peak;        /**< most that was used at once */
    uint64_t mapped;      /**< bytes of the system's memory: used, kept, lost in between; 0 = only the host knows */
    uint64_t kept;        /**< of these, bytes kept for what comes */
} pleach_memory_use;

/** What the memory of a pool amounts to now; all 0 for NULL. Safe from any thread. */
PLEACH_API void pleach_pool_memory(const pleach_pool *pool, pleach_memory_use *use);

/**
 * What was chosen and why, as one JSON object with the keys version, processors (usable, quota: null = no limit,
 * performance, efficiency, performance_clusters and efficiency_clusters: groups that share an L2 cache), workers
 * (asked, running, efficiency, reason), streaming (units, slots, reason, and holders: of each slot the index of its
 * worker and the kind, cluster and unit of that worker's core), participants (of each worker, and at index 0 of all
 * callers together: index, kind: performance, efficiency or callers, cluster, bound: null, "unit" = to the cores of its
 * streaming unit, or "core", core: the number of that one, streaming, and what pleach_pool_count_worker() tells),
 * memory (allocator, allocations, used, peak, and unless it is the host's mapped, kept), settings (by variable name),
 * and families: for each its name, backend, streaming_backend (null = no slots) and all backends compiled in, best
 * first, each with name, needs, lanes, chosen and the reason.
 *
 * @param pool       NULL = the calling thread alone.
 * @param[out] text  Takes at most size bytes, terminator included; cut if it does not fit. May be NULL if size is 0.
 *
 * Returns the length of the whole text without its terminator, as snprintf() does. It may be longer the next time, when
 * counters have grown. Safe from any thread.
 */
PLEACH_API size_t pleach_pool_describe(const pleach_pool *pool, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
