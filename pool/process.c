#include "pool/process.h"

#include <pthread.h>
#include <stdatomic.h>

static _Atomic unsigned forks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pleach__plan *plans; /* of pools that hold streaming units */

static void acquire_lock(void)
{
    (void)pthread_mutex_lock(&lock);
}

static void release_lock(void)
{
    (void)pthread_mutex_unlock(&lock);
}

static void begin_child(void)
{
    plans = NULL;
    atomic_fetch_add_explicit(&forks, 1, memory_order_relaxed);
    release_lock();
}

/* Where the library is unloaded, the system forgets the handlers. */
bool pleach__process_watch(void)
{
    static bool watched;
    acquire_lock();
    watched = watched || pthread_atfork(acquire_lock, release_lock, begin_child) == 0;
    bool result = watched;
    release_lock();
    return result;
}

unsigned pleach__process_forks(void)
{
    return atomic_load_explicit(&forks, memory_order_relaxed);
}

void pleach__process_plan(pleach__plan *plan, const pleach_config *config, const pleach__topology *topology)
{
    acquire_lock();
    pleach__plan_make(plan, config, topology, plans);
    if (plan->slots != 0) {
        plan->next = plans;
        plans = plan;
    }
    release_lock();
}

void pleach__process_cut(pleach__plan *plan, unsigned workers)
{
    acquire_lock();
    pleach__plan_cut(plan, workers);
    release_lock();
}

void pleach__process_deny(pleach__plan *plan, unsigned worker)
{
    acquire_lock();
    pleach__plan_deny(plan, worker);
    release_lock();
}

void pleach__process_forget(pleach__plan *plan)
{
    acquire_lock();
    pleach__plan **link = &plans;
    while (*link != NULL && *link != plan)
        link = &(*link)->next;
    if (*link != NULL)
        *link = plan->next;
    release_lock();
}
