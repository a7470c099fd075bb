#define _GNU_SOURCE
#include "pool_test.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE_SECONDS = 900 };

_Atomic int thread_starts_left = 1 << 30;
const struct affinity *affinity;

/* The linker puts these in the place of the system's. */
int __real_uv_thread_create_ex(uv_thread_t *thread, const uv_thread_options_t *options, uv_thread_cb entry, void *arg);
int __wrap_uv_thread_create_ex(uv_thread_t *thread, const uv_thread_options_t *options, uv_thread_cb entry, void *arg);
int __real_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *mask);
int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *mask);

int __wrap_uv_thread_create_ex(uv_thread_t *thread, const uv_thread_options_t *options, uv_thread_cb entry, void *arg)
{
    if (atomic_fetch_sub(&thread_starts_left, 1) <= 0)
        return UV_EAGAIN;
    return __real_uv_thread_create_ex(thread, options, entry, arg);
}

int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *mask)
{
    if (affinity == NULL)
        return __real_sched_getaffinity(pid, size, mask);
    if (size * 8 < affinity->bits) {
        errno = EINVAL;
        return -1;
    }
    memset(mask, 0, size);
    for (size_t i = 0; i < affinity->count; i++)
        CPU_SET_S(affinity->numbers[i], size, mask);
    return 0;
}

pleach_config settings_for(int workers)
{
    pleach_config config;
    pleach_config_init(&config);
    config.workers = workers;
    return config;
}

pleach_pool *make_pool(int workers)
{
    pleach_pool *pool = NULL;
    pleach_config config = settings_for(workers);
    assert_int_equal(pleach_pool_create(&pool, &config), PLEACH_OK);
    assert_int_equal(pleach_pool_width(pool), workers);
    return pool;
}

pleach__topology make_machine(unsigned processors, unsigned units)
{
    pleach__topology topology = {.streaming_units = 0};
    assert_int_equal(pleach__topology_uniform(&topology, processors), PLEACH_OK);
    for (unsigned i = 0; i < units; i++)
        topology.order[i].unit_id = topology.order[i].unit = i;
    topology.streaming_units = units;
    return topology;
}

pleach__topology make_clustered_machine(void)
{
    pleach__found found[9];
    pleach__topology topology = {.quota = 0};
    for (unsigned i = 0; i < 9; i++) {
        const unsigned cluster = i < 3 ? 0 : i < 5 ? 1 : 2;
        found[i] = (pleach__found){
            .number = i, .capacity = cluster < 2 ? 100 : 30, .units = 1, .group = cluster, .cluster = cluster};
    }
    assert_int_equal(pleach__topology_arrange(&topology, found, 9), PLEACH_OK);
    return topology;
}

pleach_pool *make_streaming_pool(int workers, int sme_workers, unsigned units)
{
    pleach_pool *pool = NULL;
    pleach_config config = settings_for(workers);
    config.sme_workers = sme_workers;
    pleach__topology topology = make_machine(units + 1, units);
    assert_int_equal(pleach__pool_create_on(&pool, &config, &topology), PLEACH_OK);
    return pool;
}

void wait_until_parked(const pleach_pool *pool)
{
    for (unsigned i = 1; i < pleach_pool_width(pool); i++)
        while (atomic_load(&pool->workers[i].counted.parks) == 0)
            uv_sleep(1);
}

pleach_status run(pleach_pool *pool, pleach_task task, void *context, size_t items)
{
    return pleach_pool_run(pool, &(pleach_job){.task = task, .context = context, .items = items});
}

struct meeting {
    void (*each)(void *context, const pleach_worker *worker);
    void *context;
    _Atomic unsigned arrived;
    unsigned expected;
};

static pleach_status meet(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    struct meeting *meeting = context;
    if (end - begin != 1)
        return PLEACH_ETASK;
    atomic_fetch_add(&meeting->arrived, 1);
    while (atomic_load(&meeting->arrived) < meeting->expected)
        sched_yield();
    meeting->each(meeting->context, worker);
    return PLEACH_OK;
}

void run_on_all(pleach_pool *pool, void (*each)(void *context, const pleach_worker *worker), void *context)
{
    struct meeting meeting = {.each = each, .context = context, .expected = pleach_pool_width(pool)};
    assert_int_equal(run(pool, meet, &meeting, meeting.expected), PLEACH_OK);
}

int main(void)
{
    (void)alarm(PATIENCE_SECONDS); /* a hang is a failure */
    return run_topology_tests() + run_tree_tests() + run_sysctl_tests() + run_job_tests() + run_priority_tests() +
           run_denial_tests() + run_counter_tests() + run_worker_tests() + run_streaming_tests() + run_life_tests() +
           run_describe_tests();
}
