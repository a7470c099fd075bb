/*
 * Compressions in their order, a list of them at a time: for streaming mode, which costs much to enter. Messages are
 * loaded and digests stored by what runs them.
 */
#ifndef PLEACH_LANES_QUEUE_H
#define PLEACH_LANES_QUEUE_H

#include "kernels/lanes_job.h"

enum { PIPELINED = 0, JOBS = 32 };

/* A job's step and its staged inputs are left alone until it has run: each job that waits has taken at most one of
   either, and those of a job that is being described are taken already. */
typedef struct pipeline {
    job queue[JOBS];
    step step[JOBS];
    unsigned jobs, steps, stagings; /* jobs: that wait */
    _Alignas(64) uint8_t staged[JOBS + 1][LANES * BLOCK];
} pipeline;

/* Runs jobs in their order. Defined by each hash. */
static void run_jobs(const job *jobs, size_t n);

static void pipeline_init(pipeline *p)
{
    p->jobs = p->steps = p->stagings = 0;
}

INLINE job *next_job(pipeline *p)
{
    return &p->queue[p->jobs];
}

/* Runs what is queued and stores all digests. */
__attribute__((noinline)) static void drain(pipeline *p)
{
    run_jobs(p->queue, p->jobs);
    p->jobs = 0;
}

INLINE void submit(pipeline *p)
{
    if (++p->jobs == JOBS)
        drain(p);
}

INLINE step *next_step(pipeline *p)
{
    return &p->step[p->steps++ % JOBS];
}

/* Where a block of each input of a group is put; spare lanes read zeros. */
INLINE uint8_t *staging(pipeline *p, unsigned group)
{
    (void)group;
    return memset(p->staged[p->stagings++ % (JOBS + 1)], 0, LANES * BLOCK);
}

INLINE void clear_staging(pipeline *p)
{
    (void)p;
}

#endif
