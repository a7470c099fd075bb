/* What a process has once, however many pools it makes. */
#ifndef PLEACH_PROCESS_H
#define PLEACH_PROCESS_H

#include "pool/plan.h"

/* From the first call on, forks are noticed. False if there is no memory for that. */
bool pleach__process_watch(void);

/* How many forks led to this process since. */
unsigned pleach__process_forks(void);

/*
 * Makes the plan of a pool. What it gives out of the process's streaming units, no other pool of this process gets
 * until the plan is forgotten; a child of this process has all units again.
 */
void pleach__process_plan(pleach__plan *plan, const pleach_config *config, const pleach__topology *topology);

/* pleach__plan_cut() and pleach__plan_deny() for such a plan. */
void pleach__process_cut(pleach__plan *plan, unsigned workers);
void pleach__process_deny(pleach__plan *plan, unsigned worker);

/* The plan may be another process's, or have been made by nobody. */
void pleach__process_forget(pleach__plan *plan);

#endif
