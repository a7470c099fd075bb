/* Which processors workers may run on. */
#define _GNU_SOURCE
#include "pool/workers.h"

#ifdef __linux__
#include <pthread.h>
#include <sched.h>

/* The processors of a worker's place: its own one, or all that reach the same streaming unit. */
static void fill(cpu_set_t *mask, size_t size, const pleach__topology *topology, const pleach__processor *own,
                 pleach__binding binding)
{
    CPU_ZERO_S(size, mask);
    for (unsigned i = 0; i < topology->processors; i++)
        if (&topology->order[i] == own || (binding == PLEACH__TO_UNIT && topology->order[i].unit == own->unit))
            CPU_SET_S(topology->order[i].number, size, mask);
}

static int bind_thread(pthread_t thread, const pleach__topology *topology, unsigned place, pleach__binding binding)
{
    unsigned end = 0;
    if (!topology->numbered)
        return UV_ENOTSUP;
    for (unsigned i = 0; i < topology->processors; i++)
        end = topology->order[i].number >= end ? topology->order[i].number + 1 : end;
    const size_t size = CPU_ALLOC_SIZE(end);
    cpu_set_t *mask = CPU_ALLOC(end);
    if (mask == NULL)
        return UV_ENOMEM;
    fill(mask, size, topology, &topology->order[place], binding);
    int error = pthread_setaffinity_np(thread, size, mask);
    CPU_FREE(mask);
    return -error;
}
#else
static int bind_thread(uv_thread_t thread, const pleach__topology *topology, unsigned place, pleach__binding binding)
{
    (void)thread, (void)topology, (void)place, (void)binding;
    return UV_ENOTSUP;
}
#endif

static pleach__binding wanted(const pleach_pool *pool, unsigned worker)
{
    if (pool->config.pin_threads)
        return PLEACH__TO_CORE;
    return pool->plan.place[worker].streaming && pool->topology.numbered ? PLEACH__TO_UNIT : PLEACH__FREE;
}

void pleach__bind(pleach_pool *pool)
{
    for (unsigned i = 1; i < pool->width; i++) {
        struct pleach__worker *worker = &pool->workers[i];
        const pleach__binding binding = wanted(pool, i);
        int error = 0;
        if (binding != PLEACH__FREE)
            error = bind_thread(worker->thread, &pool->topology, pool->plan.place[i].processor, binding);
        worker->binding = error == 0 ? binding : PLEACH__FREE;
        if (error != 0)
            pleach__log(&pool->config, PLEACH_LOG_WARN, "worker %u is not bound to %s: %s", i,
                        binding == PLEACH__TO_CORE ? "a core" : "the cores of its streaming unit", uv_strerror(error));
    }
}
