#ifndef PLEACH_POOL_TEST_H
#define PLEACH_POOL_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pool/workers.h"

/* ThreadSanitizer cannot follow threads that a forked child starts. */
#if defined(__SANITIZE_THREAD__)
#define CHILDREN_MAY_START_THREADS 0
#elif defined(__has_feature)
#define CHILDREN_MAY_START_THREADS !__has_feature(thread_sanitizer)
#else
#define CHILDREN_MAY_START_THREADS 1
#endif

/* Settings that ask for some workers and take nothing from the environment. */
pleach_config settings_for(int workers);

/* A pool with those settings, on a machine with some processors and streaming units; fails the test if it cannot be. */
pleach_pool *make_pool(int workers);
pleach_pool *make_streaming_pool(int workers, int sme_workers, unsigned units);

/* Runs a latency job. */
pleach_status run(pleach_pool *pool, pleach_task task, void *context, size_t items);

/* Runs `each` once on every participant of the pool: none is done before all have begun. */
void run_on_all(pleach_pool *pool, void (*each)(void *context, const pleach_worker *worker), void *context);

/* How many more threads uv_thread_create_ex() may start. */
extern _Atomic int thread_starts_left;

/* What sched_getaffinity() says, if not NULL: `numbers[0..count)` are set, and the system's mask has `bits`. */
struct affinity {
    size_t bits, count;
    const unsigned *numbers;
};
extern const struct affinity *affinity;

int run_describe_tests(void);
int run_job_tests(void);
int run_life_tests(void);
int run_memory_tests(void);
int run_topology_tests(void);
int run_worker_tests(void);

#endif
