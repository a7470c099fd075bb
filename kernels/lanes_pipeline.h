/*
 * One compression, and what is done in its shadow. Transposing a message or storing digests keeps the shuffle ports
 * busy and leaves others idle; a compression has room on all, and the core looks only about a hundred operations ahead,
 * too few to overlap them by itself. So the next compression's message is prepared, and the digests of an earlier one
 * are stored, between the rounds of the current one. For the same reason as little as possible is done between two
 * compressions: what concurrent groups have in common is described once, in a `step`.
 */
#ifndef PLEACH_LANES_PIPELINE_H
#define PLEACH_LANES_PIPELINE_H

#include "kernels/lanes_job.h"

enum { PIPELINED = 1 };

/* What is done in the shadow of a compression. One pointer to it costs fewer registers than its parts. */
typedef struct shadow {
    const job *next; /* its message is prepared in next_m */
    vec *next_m;
    const lanes *finished; /* stored at digests, if that is not NULL */
    uint8_t *digests;
} shadow;

INLINE void fetch_half(const uint8_t *block, const step *st, int half)
{
    const size_t s = st->fetch_step;
    if (s == 0)
        return;
    const uintptr_t p = (uintptr_t)block + st->fetch + (half ? LANES / 2 * s : 0);
#define FETCH(n) __builtin_prefetch((const void *)(p + (n)*s))
    FETCH(0), FETCH(1), FETCH(2), FETCH(3);
    if (LANES == 16)
        FETCH(4), FETCH(5), FETCH(6), FETCH(7);
#undef FETCH
}

INLINE void shadow_half(const shadow *s, int half)
{
    const job *j = s->next;
    vec *m = s->next_m + 8 * half;
    if (j->block) {
        load_half(m, j->block, j->step->stride, j->step->mask, half);
        fetch_half(j->block, j->step, half);
    } else if (j->left) {
        pair_half(m, j->left, j->right, half);
    }
}

INLINE void shadow_store(const shadow *s)
{
    if (s->digests)
        store_digests(s->digests, s->finished);
}

/* Runs `now` on message m. Defined by each hash. */
static void compress(const job *now, const vec *m, const shadow *s);

/*
 * The queue that gives every compression a shadow: `submit` runs the job before the submitted one. A job may therefore
 * use the results of any job but its immediate predecessor; callers alternate between two independent streams.
 */
typedef struct pipeline {
    vec message[2][16];
    job queue[2];
    unsigned turn; /* slot of the job being described */
    step step[2];
    unsigned step_turn;
    shadow shadow;
    _Alignas(64) uint8_t staged[2][LANES * BLOCK];
} pipeline;

static void pipeline_init(pipeline *p)
{
    memset(p->queue, 0, sizeof p->queue);
    p->turn = 0;
    p->step_turn = 0;
    p->shadow.digests = NULL;
}

INLINE job *next_job(pipeline *p)
{
    return &p->queue[p->turn];
}

INLINE void submit(pipeline *p)
{
    job *now = &p->queue[p->turn ^ 1];
    const vec *m = p->message[p->turn ^ 1];
    p->shadow.next = &p->queue[p->turn];
    p->shadow.next_m = p->message[p->turn];
    p->turn ^= 1;
    if (now->out == NULL) {
        shadow_half(&p->shadow, 0);
        shadow_half(&p->shadow, 1);
        return;
    }
    compress(now, m, &p->shadow);
    p->shadow.finished = now->out;
    p->shadow.digests = now->digests;
    now->out = NULL;
}

INLINE step *next_step(pipeline *p)
{
    return &p->step[p->step_turn ^= 1];
}

/* Where a block of each input of a group is put: one of two places. */
INLINE uint8_t *staging(pipeline *p, unsigned group)
{
    return p->staged[group];
}

/* So that spare lanes of the first group read zeros. */
INLINE void clear_staging(pipeline *p)
{
    memset(p->staged[0], 0, sizeof p->staged[0]);
}

/* Runs what is queued and stores all digests. */
__attribute__((noinline)) static void drain(pipeline *p)
{
    *next_job(p) = (job){.out = NULL};
    submit(p);
    shadow_store(&p->shadow);
    p->shadow.digests = NULL;
}

#endif
