/* Life and death of a pool. */
#define _GNU_SOURCE
#include "pool/qos_macos.h"
#include "pool/workers.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STACK_BYTES = 1 << 20 };

bool pleach__forked(const pleach_pool *pool)
{
    return pleach__process_forks() != pool->forks;
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
    pleach__process_forget(&pool->plan);
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

static void deny_slot(pleach_pool *pool, unsigned worker)
{
    if (!pool->plan.place[worker].streaming)
        return;
    pleach__log(&pool->config, PLEACH_LOG_WARN,
                "worker %u does not stream: the system does not grant the vectors for that", worker);
    pleach__process_deny(&pool->plan, worker);
}

/* Kernels that stream are probed on this thread, which is prepared for that time. */
static pleach_status select_kernels(pleach_pool *pool)
{
    pleach__plan *plan = &pool->plan;
    pleach__streaming before;
    pleach_status status = pleach__kernels_select(&pool->kernels[0], &pool->config, false);
    if (status != PLEACH_OK || plan->slots == 0)
        return status;
    if (pleach__streaming_begin(&before, true)) {
        status = pleach__kernels_select(&pool->kernels[1], &pool->config, true);
        pleach__streaming_end(&before);
        return status;
    }
    for (unsigned i = 0; i < plan->workers; i++)
        deny_slot(pool, i);
    return PLEACH_OK;
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

/* Posted by each worker that has a slot, once it knows whether it can use it: a semaphore that no job needs yet. */
static uv_sem_t *slot_tried(pleach_pool *pool)
{
    return &pool->entries[0][0].done;
}

static void await_slots(pleach_pool *pool)
{
    for (unsigned i = 1; i < pool->width; i++)
        if (pool->plan.place[i].streaming)
            uv_sem_wait(slot_tried(pool));
    for (unsigned i = 1; i < pool->width; i++)
        if (!pool->workers[i].seat.streaming)
            deny_slot(pool, i);
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
#ifdef __APPLE__
    const pleach_pool *pool = self->pool;
    pleach__qos_take(pool->topology.order[pool->plan.place[self->seat.index].processor].efficiency);
#endif
    if (self->seat.streaming) {
        if (!pleach__streaming_begin(NULL, true))
            seat(self->pool, self, self->seat.index, false);
        uv_sem_post(slot_tried(self->pool));
    }
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
    await_slots(pool);
    if (started == plan->workers)
        return;
    pleach__log(&pool->config, PLEACH_LOG_WARN, "%u of %u workers: no more threads could be started: %s", started,
                plan->workers, uv_strerror(error));
    pleach__process_cut(plan, started);
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
    pleach__process_plan(&pool->plan, &pool->config, &pool->topology);
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
    if (!pleach__process_watch())
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
    pool->forks = pleach__process_forks();
    pleach_status status = furnish(pool, topology);
    if (status != PLEACH_OK) {
        free_pool(pool);
        return status;
    }
    pleach__topology_free(topology);
    start_workers(pool);
    pleach__bind(pool);
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

static void add_counters(pleach_pool_counters *sum, const struct pleach__counters *counted)
{
    sum->jobs += atomic_load_explicit(&counted->jobs, relaxed);
    sum->claims += atomic_load_explicit(&counted->claims, relaxed);
    sum->parks += atomic_load_explicit(&counted->parks, relaxed);
    sum->busy_ns += atomic_load_explicit(&counted->busy_ns, relaxed);
}

void pleach_pool_count(const pleach_pool *pool, pleach_pool_counters *counters)
{
    *counters = (pleach_pool_counters){0};
    for (unsigned i = 1; i < pleach_pool_width(pool); i++)
        add_counters(counters, &pool->workers[i].counted);
}

pleach_status pleach_pool_count_worker(const pleach_pool *pool, unsigned index, pleach_pool_counters *counters)
{
    const unsigned width = pleach_pool_width(pool);
    if (counters == NULL)
        return pleach__fail(PLEACH_EINVAL, "counters is NULL");
    if (index >= width)
        return pleach__fail(PLEACH_EINVAL, "index = %u: the pool has a width of %u", index, width);
    *counters = (pleach_pool_counters){0};
    if (pool != NULL)
        add_counters(counters, index != 0 ? &pool->workers[index].counted : &pool->by_callers);
    return PLEACH_OK;
}
