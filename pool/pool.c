/* Life and death of a pool. */
#define _GNU_SOURCE
#include "pool/workers.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STACK_BYTES = 1 << 20 };

static _Atomic unsigned forks;

static void count_fork(void)
{
    atomic_fetch_add_explicit(&forks, 1, relaxed);
}

/* Where the library is unloaded, the system forgets the handler. */
static bool watch_forks(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool watched;
    (void)pthread_mutex_lock(&lock);
    watched = watched || pthread_atfork(NULL, NULL, count_fork) == 0;
    bool result = watched;
    (void)pthread_mutex_unlock(&lock);
    return result;
}

bool pleach__forked(const pleach_pool *pool)
{
    return atomic_load_explicit(&forks, relaxed) != pool->forks;
}

/* A caller that is the only worker may stream, but two such callers at once may not: hence a seat more. */
static size_t workers_size(const pleach__plan *plan)
{
    return (plan->workers + plan->place[0].streaming) * sizeof(struct pleach__worker);
}

static size_t order_size(const pleach__topology *topology)
{
    return topology->processors * sizeof *topology->order;
}

static void free_pool(pleach_pool *pool)
{
    pleach__arena *arena = pool->arena;
    pleach__arena_release(arena, pool->topology.order, order_size(&pool->topology));
    pleach__arena_release(arena, pool->workers, workers_size(&pool->plan));
    pleach__arena_release(arena, pool, sizeof *pool);
    pleach__arena_destroy(arena);
}

static void *allocate_zeroed(pleach__arena *arena, size_t size)
{
    void *memory = pleach__arena_allocate(arena, size, PLEACH__LINE);
    return memory != NULL ? memset(memory, 0, size) : NULL;
}

static void seat(pleach_pool *pool, struct pleach__worker *worker, unsigned index, bool streaming)
{
    worker->pool = pool;
    worker->seat = (pleach_worker){.index = index, .streaming = streaming, .kernels = &pool->kernels[streaming]};
}

static pleach_status seat_workers(pleach_pool *pool)
{
    const unsigned workers = pool->plan.workers;
    const bool caller_streams = pool->plan.place[0].streaming;
    pool->workers = allocate_zeroed(pool->arena, workers_size(&pool->plan));
    if (pool->workers == NULL)
        return pleach__fail(PLEACH_ENOMEM, "no memory for %u workers", workers);
    seat(pool, &pool->workers[0], 0, false);
    for (unsigned i = 1; i < workers; i++)
        seat(pool, &pool->workers[i], i, pool->plan.place[i].streaming);
    if (caller_streams) {
        pool->alone = &pool->workers[workers];
        seat(pool, pool->alone, 0, true);
    }
    return PLEACH_OK;
}

static pleach_status select_kernels(pleach_pool *pool)
{
    pleach_status status = pleach__kernels_select(&pool->kernels[0], &pool->config, false);
    if (status == PLEACH_OK && pool->plan.slots != 0)
        status = pleach__kernels_select(&pool->kernels[1], &pool->config, true);
    return status;
}

static void destroy_semaphores(pleach_pool *pool, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        uv_sem_destroy(&pool->entries[i / PLEACH_POOL_ENTRIES][i % PLEACH_POOL_ENTRIES].done);
}

static bool create_semaphores(pleach_pool *pool)
{
    for (unsigned i = 0; i < PLEACH__PRIORITIES * PLEACH_POOL_ENTRIES; i++) {
        if (uv_sem_init(&pool->entries[i / PLEACH_POOL_ENTRIES][i % PLEACH_POOL_ENTRIES].done, 0) != 0) {
            destroy_semaphores(pool, i);
            return false;
        }
    }
    return true;
}

static void worker_main(void *argument)
{
    struct pleach__worker *self = argument;
    char name[16];
    (void)snprintf(name, sizeof name, "pleach-%u", self->seat.index);
#if UV_VERSION_HEX >= 0x013200
    (void)uv_thread_setname(name);
#elif defined(__linux__)
    (void)pthread_setname_np(pthread_self(), name);
#endif
    pleach__work(self);
}

static int start(struct pleach__worker *worker)
{
    int error = uv_sem_init(&worker->wake, 0);
    if (error != 0)
        return error;
    sigset_t all, old;
    sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &old); /* inherited: no handler of the host ever runs on a worker */
    uv_thread_options_t options = {.flags = UV_THREAD_HAS_STACK_SIZE, .stack_size = STACK_BYTES};
    error = uv_thread_create_ex(&worker->thread, &options, worker_main, worker);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (error != 0)
        uv_sem_destroy(&worker->wake);
    return error;
}

/* The pool has as many workers as could be started. */
static void start_workers(pleach_pool *pool)
{
    pleach__plan *plan = &pool->plan;
    unsigned started = 1;
    int error = 0;
    while (started < plan->workers && (error = start(&pool->workers[started])) == 0)
        started++;
    pool->width = started;
    if (started == plan->workers)
        return;
    pleach__log(&pool->config, PLEACH_LOG_WARN, "%u of %u workers: no more threads could be started: %s", started,
                plan->workers, uv_strerror(error));
    for (unsigned i = started; i < plan->workers; i++)
        plan->slots -= plan->place[i].streaming;
    plan->slots_reason = "those of the workers that could be started";
}

#ifdef __linux__
static int bind_thread(pthread_t thread, unsigned processor)
{
    size_t size = CPU_ALLOC_SIZE(processor + 1);
    cpu_set_t *mask = CPU_ALLOC(processor + 1);
    if (mask == NULL)
        return UV_ENOMEM;
    CPU_ZERO_S(size, mask);
    CPU_SET_S(processor, size, mask);
    int error = pthread_setaffinity_np(thread, size, mask);
    CPU_FREE(mask);
    return -error;
}
#else
static int bind_thread(pthread_t thread, unsigned processor)
{
    (void)thread, (void)processor;
    return UV_ENOTSUP;
}
#endif

static void bind_workers(const pleach_pool *pool)
{
    const pleach__topology *topology = &pool->topology;
    for (unsigned i = 1; i < pool->width; i++) {
        int error = UV_ENOTSUP;
        if (topology->numbered)
            error = bind_thread(pool->workers[i].thread, topology->order[pool->plan.place[i].processor].number);
        if (error != 0)
            pleach__log(&pool->config, PLEACH_LOG_WARN, "worker %u is not bound to a core: %s", i, uv_strerror(error));
    }
}

static pleach_status copy_topology(pleach_pool *pool, const pleach__topology *topology)
{
    const size_t size = order_size(topology);
    pool->topology = *topology;
    pool->topology.order = pleach__arena_allocate(pool->arena, size, PLEACH__LINE);
    if (pool->topology.order == NULL)
        return pleach__fail(PLEACH_ENOMEM, "no memory for a description of %u processors", topology->processors);
    memcpy(pool->topology.order, topology->order, size);
    return PLEACH_OK;
}

/* What cannot be undone by free_pool() comes last. */
static pleach_status furnish(pleach_pool *pool, const pleach__topology *topology)
{
    pleach_status status = copy_topology(pool, topology);
    if (status != PLEACH_OK)
        return status;
    pleach__plan_make(&pool->plan, &pool->config, &pool->topology);
    status = select_kernels(pool);
    if (status == PLEACH_OK)
        status = seat_workers(pool);
    if (status != PLEACH_OK)
        return status;
    if (!create_semaphores(pool))
        return pleach__fail(PLEACH_ENOMEM, "no semaphores for the pool's jobs");
    return PLEACH_OK;
}

pleach_status pleach__pool_create_on(pleach_pool **out, const pleach_config *config, pleach__topology *topology)
{
    if (!watch_forks())
        return pleach__fail(PLEACH_ENOMEM, "no memory to notice forks of this process");
    pleach__arena *arena = pleach__arena_create(config);
    pleach_pool *pool = arena != NULL ? allocate_zeroed(arena, sizeof *pool) : NULL;
    if (pool == NULL) {
        pleach__arena_destroy(arena);
        return pleach__fail(PLEACH_ENOMEM, "no memory for a pool");
    }
    pool->arena = arena;
    pool->config = *config;
    pool->spin_ns = (uint64_t)config->spin_us * 1000;
    pool->forks = atomic_load_explicit(&forks, relaxed);
    pleach_status status = furnish(pool, topology);
    if (status != PLEACH_OK) {
        free_pool(pool);
        return status;
    }
    pleach__topology_free(topology);
    start_workers(pool);
    if (config->pin_threads)
        bind_workers(pool);
    pleach__log(config, PLEACH_LOG_INFO, "pool of %u workers, %u with a streaming slot", pool->width, pool->plan.slots);
    for (int i = 0; i < PLEACH_FAMILIES; i++)
        pleach__log(config, PLEACH_LOG_INFO, "%s: backend %s", pleach_family_name((pleach_family)i),
                    pleach_kernels_backend(&pool->kernels[0], (pleach_family)i));
    *out = pool;
    return PLEACH_OK;
}

pleach_status pleach_pool_create(pleach_pool **pool, const pleach_config *config)
{
    if (pool == NULL)
        return pleach__fail(PLEACH_EINVAL, "pool is NULL");
    pleach_config settings;
    pleach_status status = PLEACH_OK;
    if (config != NULL) {
        settings = *config;
    } else {
        pleach_config_init(&settings);
        status = pleach_config_from_env(&settings);
    }
    if (status == PLEACH_OK)
        status = pleach_config_validate(&settings);
    pleach__topology topology;
    if (status != PLEACH_OK || (status = pleach__topology_read(&topology, "")) != PLEACH_OK)
        return status;
    status = pleach__pool_create_on(pool, &settings, &topology);
    pleach__topology_free(&topology);
    return status;
}

unsigned pleach_pool_width(const pleach_pool *pool)
{
    return pool != NULL ? pool->width : 1;
}

const pleach_kernels *pleach_pool_kernels(const pleach_pool *pool)
{
    return pool != NULL ? &pool->kernels[0] : pleach_kernels_default();
}

pleach_status pleach_pool_destroy(pleach_pool *pool)
{
    if (pool == NULL)
        return PLEACH_OK;
    if (pleach__forked(pool)) { /* its threads are gone, and so may be the sense of its semaphores */
        free_pool(pool);
        return PLEACH_OK;
    }
    if (pleach__inside(pool))
        return pleach__fail(PLEACH_EBUSY, "a task may not destroy the pool it runs on");
    pleach__close(pool);
    atomic_store(&pool->stopping, true);
    while (pleach__wake_one(pool)) {
    }
    for (unsigned i = 1; i < pool->width; i++) {
        (void)uv_thread_join(&pool->workers[i].thread);
        uv_sem_destroy(&pool->workers[i].wake);
    }
    destroy_semaphores(pool, PLEACH__PRIORITIES * PLEACH_POOL_ENTRIES);
    free_pool(pool);
    return PLEACH_OK;
}

void pleach_pool_count(const pleach_pool *pool, pleach_pool_counters *counters)
{
    *counters = (pleach_pool_counters){0};
    for (unsigned i = 1; i < pleach_pool_width(pool); i++) {
        counters->claims += atomic_load_explicit(&pool->workers[i].claims, relaxed);
        counters->parks += atomic_load_explicit(&pool->workers[i].parks, relaxed);
    }
}
