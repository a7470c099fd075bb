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

/* A machine of which only the number of its processors is known; the first of them have a streaming unit each. */
pleach__topology make_machine(unsigned processors, unsigned units);

/* Two clusters of performance cores, of three and two, and one of four efficiency cores; each has a streaming unit. */
pleach__topology make_clustered_machine(void);

/* Returns when every worker of a new pool has parked: its counters rest from then on. */
void wait_until_parked(const pleach_pool *pool);

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

/* --- root.c --- */

/* A directory in place of the system's, for one test. */
extern char root[64];
int make_root(void **state);
int remove_root(void **state);
#define IN_A_ROOT(test) cmocka_unit_test_setup_teardown(test, make_root, remove_root)

/* A file below it, with the directories it needs. */
void put(const char *path, const char *text);

/* --- topology_plans.c --- */

/* What a pool is to be under some settings, which are written as in the environment. */
struct expected_plan {
    const char *workers, *efficiency_workers, *sme_workers;
    unsigned all, efficiency;
    const char *holders; /* such as "1:P0 11:E1": worker, and kind and cluster of its core */
};

struct expected_machine {
    unsigned processors, efficiency, performance_clusters, efficiency_clusters, units;
    struct expected_plan plans[12]; /* up to one without settings */
};

void expect_machine(const pleach__topology *topology, const struct expected_machine *expected);

/* Apple's M4 Max, 12 performance cores in two clusters and 4 efficiency cores, and M4, 4 and 6 of them. */
extern const struct expected_machine m4_max, m4;

int run_counter_tests(void);
int run_denial_tests(void);
int run_describe_tests(void);
int run_job_tests(void);
int run_life_tests(void);
int run_priority_tests(void);
int run_streaming_tests(void);
int run_sysctl_tests(void);
int run_topology_tests(void);
int run_tree_tests(void);
int run_worker_tests(void);

#endif
