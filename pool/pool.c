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

static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, count_fork);
}

bool pleach__forked(const pleach_pool *pool)
{
    return atomic_load_explicit(&forks, relaxed) != pool->forks;
}

static void free_pool(pleach_pool *pool)
{
    pleach__arena_destroy(pool->arena);
    pleach__topology_free(&pool->topology);
    free(pool->workers);
    free(pool);
}

static void *allocate_zeroed(size_t size)
{
    void *memory = aligned_alloc(PLEACH__LINE, size);
    return memory != NULL ? memset(memory, 0, size) : NULL;
}

/* How many workers, of which kinds. The first worker is the caller, which may only hold a slot if it is alone. */
static void plan(pleach_pool *pool)
{
    const pleach_config *config = &pool->config;
    unsigned performance = config->workers != 0 ? (unsigned)config->workers : pleach__topology_workers(&pool->topology);
    unsigned efficiency = config->efficiency_workers > 0 ? (unsigned)config->efficiency_workers : 0;
    if (efficiency > PLEACH_WORKERS_MAX - performance)
        efficiency = PLEACH_WORKERS_MAX - performance;
    unsigned slots = pool->topology.streaming_units, width = performance + efficiency;
    if (config->sme_workers != PLEACH_AUTO && (unsigned)config->sme_workers < slots)
        slots = (unsigned)config->sme_workers;
    unsigned holders = width > 1 ? width - 1 : 1;
    pool->asked = width;
    pool->efficiency = efficiency;
    pool->slots = slots < holders ? slots : holders;
}

static void seat_workers(pleach_pool *pool)
{
    unsigned first = pool->asked > 1 ? 1 : 0;
    for (unsigned i = 0; i < pool->asked; i++) {
        bool streaming = i >= first && i - first < pool->slots;
        pool->workers[i].pool = pool;
        pool->workers[i].seat =
            (pleach_worker){.index = i, .streaming = streaming, .kernels = &pool->kernels[streaming]};
    }
}

static pleach_status select_kernels(pleach_pool *pool)
{
    pleach_status status = pleach__kernels_select(&pool->kernels[0], &pool->config, false);
    if (status == PLEACH_OK && pool->slots != 0)
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
    unsigned started = 1;
    int error = 0;
    while (started < pool->asked && (error = start(&pool->workers[started])) == 0)
        started++;
    pool->width = started;
    if (started < pool->asked)
        pleach__log(&pool->config, PLEACH_LOG_WARN, "%u of %u workers: no more threads could be started: %s", started,
                    pool->asked, uv_strerror(error));
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
        if (topology->numbers != NULL)
            error = bind_thread(pool->workers[i].thread, topology->numbers[i % topology->processors]);
        if (error != 0)
            pleach__log(&pool->config, PLEACH_LOG_WARN, "worker %u is not bound to a core: %s", i, uv_strerror(error));
    }
}

/* What cannot be undone by free_pool() comes last. */
static pleach_status furnish(pleach_pool *pool)
{
    plan(pool);
    pleach_status status = select_kernels(pool);
    if (status != PLEACH_OK)
        return status;
    pool->workers = allocate_zeroed(pool->asked * sizeof *pool->workers);
    if (pool->workers == NULL)
        return pleach__fail(PLEACH_ENOMEM, "no memory for %u workers", pool->asked);
    seat_workers(pool);
    pool->arena = pleach__arena_create(pool->config.huge_pages);
    if (pool->arena == NULL)
        return pleach__fail(PLEACH_ENOMEM, "no memory arena for the pool's buffers");
    if (!create_semaphores(pool))
        return pleach__fail(PLEACH_ENOMEM, "no semaphores for the pool's jobs");
    return PLEACH_OK;
}

pleach_status pleach__pool_create_on(pleach_pool **out, const pleach_config *config, pleach__topology *topology)
{
    static uv_once_t once = UV_ONCE_INIT;
    uv_once(&once, watch_forks);
    pleach_pool *pool = allocate_zeroed(sizeof *pool);
    if (pool == NULL)
        return pleach__fail(PLEACH_ENOMEM, "no memory for a pool");
    pool->config = *config;
    pool->topology = *topology;
    pool->spin_ns = (uint64_t)config->spin_us * 1000;
    pool->forks = atomic_load_explicit(&forks, relaxed);
    pleach_status status = furnish(pool);
    if (status != PLEACH_OK) {
        pool->topology = (pleach__topology){0};
        free_pool(pool);
        return status;
    }
    *topology = (pleach__topology){0};
    start_workers(pool);
    if (config->pin_threads)
        bind_workers(pool);
    pleach__log(config, PLEACH_LOG_INFO, "pool of %u workers, %u with a streaming slot", pool->width, pool->slots);
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
