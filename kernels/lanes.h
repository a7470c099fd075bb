/*
 * Inputs in the lanes of vectors: the queue that hides loading messages, pairing nodes and storing digests behind
 * compressions, and the loop over rows. Included after the header of an instruction set (lanes_avx2.h, ...) by each
 * file that has a compression for it.
 */
#ifndef PLEACH_LANES_H
#define PLEACH_LANES_H

#include "kernels/backend.h"

#include <string.h>

enum {
    BLOCK = 64,
    FETCH_BLOCKS = 4 /* how many blocks of its lane ahead of the current one an input is fetched into the cache */
};

/*
 * One compression, and what is done in its shadow. Transposing a message or storing digests keeps the shuffle ports
 * busy and leaves others idle; a compression has room on all, and the core looks only about a hundred operations ahead,
 * too few to overlap them by itself. So the next compression's message is prepared, and the digests of an earlier one
 * are stored, between the rounds of the current one. For the same reason as little as possible is done between two
 * compressions: what concurrent groups have in common is described once, in a `step`.
 */
typedef struct step {
    uint32_t tail[8];  /* what else the compression starts with beside the chaining value */
    size_t stride;     /* from an input to the next one */
    uint64_t mask;     /* which bytes of the block are stored; no others are read */
    size_t fetch;      /* from the block to the first of LANES lines to fetch into the cache, fetch_step apart */
    size_t fetch_step; /* 0: fetch nothing */
    vec own;           /* the word of the state that depends on the size of a lane's input */
} step;

typedef struct job {
    lanes *out; /* NULL: nothing to run */
    const lanes *in;
    const step *step;
    uint8_t *digests; /* where the results go, or NULL */
    /* where the message comes from: this block of the first input, or two groups of nodes */
    const uint8_t *block;
    const lanes *left, *right;
} job;

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
#define FETCH(n) _mm_prefetch((const char *)(p + (n)*s), _MM_HINT_T0)
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

/* Runs what is queued and stores all digests. */
__attribute__((noinline)) static void drain(pipeline *p)
{
    *next_job(p) = (job){.out = NULL};
    submit(p);
    shadow_store(&p->shadow);
    p->shadow.digests = NULL;
}

/* What is common to the inputs of a call. */
typedef struct inputs {
    lanes start; /* chaining value before the first block */
    const pleach__hash_plan *plan;
    size_t size; /* bytes of an input, the zeros that lead its first block included */
    size_t blocks;
    size_t stride;     /* from an input to the next one */
    size_t fetch_step; /* 0: fetch nothing */
    size_t fetch_ahead;
    bool scattered;
} inputs;

INLINE void inputs_init(inputs *s, const pleach__hash_plan *plan, size_t stride)
{
    for (int i = 0; i < 8; i++)
        s->start.word[i] = VEC_SPLAT(plan->state[i]);
    s->plan = plan;
    s->size = plan->lead + plan->form.size;
    s->blocks = s->size ? (s->size + BLOCK - 1) / BLOCK : 1;
    s->stride = stride;
    s->fetch_step = 0;
}

/*
 * `groups` are hashed side by side. Of contiguous inputs, a block's share of a later group is fetched in address order,
 * which memory likes best; of scattered ones, the same block of each input of a later group.
 */
static void fetch_ahead(inputs *s, size_t groups)
{
    const size_t stride = s->stride, blocks = s->blocks;
    s->scattered = stride > BLOCK * blocks;
    s->fetch_step = s->scattered ? stride : (stride + blocks - 1) / blocks;
    s->fetch_ahead = (blocks >= FETCH_BLOCKS ? 1 : FETCH_BLOCKS / blocks) * LANES * stride * groups;
}

/* How many bytes of a block there are, leading zeros included. */
INLINE size_t block_bytes(const inputs *s, size_t block)
{
    return s->size - BLOCK * block > BLOCK ? BLOCK : s->size - BLOCK * block;
}

/* The tail of block `block`, and the own word of an input that has `bytes` bytes of it. Defined by each hash. */
static void set_tail(step *st, const inputs *s, size_t block);
static uint32_t own_word(const inputs *s, size_t block, size_t bytes);

INLINE uint64_t low_bits(size_t n)
{
    return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

INLINE void describe_step(step *st, const inputs *s, size_t block)
{
    const size_t lead = s->plan->lead;
    uint64_t mask = UINT64_MAX;
    if (block + 1 == s->blocks)
        mask = low_bits(block_bytes(s, block));
    if (block == 0 && lead)
        mask &= ~low_bits(lead);
    st->stride = s->stride;
    st->mask = mask;
    st->fetch_step = s->fetch_step;
    if (s->fetch_step)
        st->fetch = s->fetch_ahead + (s->scattered ? 0 : block * (LANES * s->fetch_step - BLOCK) + lead);
    st->own = VEC_SPLAT(own_word(s, block, block_bytes(s, block)));
    set_tail(st, s, block);
}

/* The first block of the input at `in`, as if the zeros that lead it were stored: those addresses are only computed. */
INLINE const uint8_t *first_block(const inputs *s, const uint8_t *in)
{
    return (const uint8_t *)((uintptr_t)in - s->plan->lead);
}

/* LANES inputs, or fewer in the last group of a call, on their way through their blocks. */
typedef struct group {
    lanes *h;
    const uint8_t *block; /* first_block() of the first input */
    uint8_t *digests;     /* where they go, or NULL */
} group;

/* Copies a block of each input to a place from which LANES blocks are loaded whole, and makes `st` say so. */
INLINE void stage(pipeline *p, step *st, const group *g, unsigned groups, size_t rows, size_t at)
{
    for (unsigned i = 0; i < groups; i++)
        for (size_t row = 0; row < rows; row++)
            copy_block(p->staged[i] + BLOCK * row, g[i].block + at + st->stride * row, st->mask);
    st->stride = BLOCK;
    st->mask = UINT64_MAX;
    st->fetch_step = 0;
}

/* Hashes one or two groups side by side. What is in h and digests is complete after drain(). */
__attribute__((noinline)) static void hash_groups(pipeline *p, const inputs *s, const group *g, unsigned groups,
                                                  size_t rows)
{
    for (size_t block = 0; block < s->blocks; block++) {
        step *st = &p->step[p->step_turn ^= 1];
        describe_step(st, s, block);
        const bool staged = rows < LANES || (!MASKED_LOADS && st->mask != UINT64_MAX);
        if (staged)
            stage(p, st, g, groups, rows, BLOCK * block);
        for (unsigned i = 0; i < groups; i++) {
            job *j = next_job(p);
            j->out = g[i].h;
            j->in = block == 0 ? &s->start : g[i].h;
            j->step = st;
            j->digests = block + 1 == s->blocks ? g[i].digests : NULL;
            j->block = staged ? p->staged[i] : g[i].block + BLOCK * block;
            j->left = NULL;
            submit(p);
        }
    }
}

static void store_some_digests(uint8_t *out, const lanes *h, size_t n)
{
    uint8_t all[LANES * PLEACH_DIGEST_SIZE];
    store_digests(all, h);
    memcpy(out, all, PLEACH_DIGEST_SIZE * n);
}

/* n inputs: full groups two by two, then one, then one with spare lanes. */
static void hash_rows(const pleach__hash_plan *plan, const uint8_t *in, size_t stride, size_t n, uint8_t *out)
{
    pipeline p;
    inputs s;
    lanes h[4];
    unsigned turn = 0;
    pipeline_init(&p);
    inputs_init(&s, plan, stride);
    if (n >= 4 * LANES)
        fetch_ahead(&s, 2);
    in = first_block(&s, in);
    for (; n >= LANES; turn ^= 2) {
        const unsigned groups = n >= 2 * LANES ? 2 : 1;
        const group g[2] = {{&h[turn], in, out}, {&h[turn + 1], in + LANES * stride, out + LANES * PLEACH_DIGEST_SIZE}};
        if (groups == 1)
            s.fetch_step = 0;
        hash_groups(&p, &s, g, groups, LANES);
        n -= groups * LANES;
        in += groups * LANES * stride;
        out += groups * LANES * PLEACH_DIGEST_SIZE;
    }
    if (n > 0) {
        memset(p.staged[0], 0, sizeof p.staged[0]);
        hash_groups(&p, &s, &(group){&h[turn], in, NULL}, 1, n);
    }
    drain(&p);
    if (n > 0)
        store_some_digests(out, &h[turn], n);
}

INLINE void submit_nodes(pipeline *p, const inputs *node, const step *st, const lanes *left, const lanes *right,
                         lanes *out, uint8_t *digests)
{
    job *j = next_job(p);
    j->out = out;
    j->in = &node->start;
    j->step = st;
    j->digests = digests;
    j->block = NULL;
    j->left = left;
    j->right = right;
    submit(p);
}

/* One of the two halves of a tree that are folded side by side. */
typedef struct cursor {
    lanes pending[PLEACH__FOLD_HEIGHT_MAX - LANES_LOG2 + 1]; /* the left sibling of each level, waiting for the right */
    lanes now[2];
    size_t first; /* index of its first group */
} cursor;

INLINE uint8_t *level_digests(const pleach__fold *fold, unsigned level, size_t first_group)
{
    return fold->level[level] ? fold->level[level] + first_group * LANES * PLEACH_DIGEST_SIZE : NULL;
}

/* Lanes hold consecutive nodes, not runs: every level is read and written in address order, whole lines at a time. */
static void fold_lanes(const pleach__fold *fold)
{
    pipeline p;
    inputs s, node;
    cursor c[2];
    step node_step;
    const unsigned cursors = fold->height > LANES_LOG2 ? 2 : 1;
    const size_t groups = ((size_t)1 << (fold->height - LANES_LOG2)) / cursors; /* of each cursor */
    unsigned level = 0;
    pipeline_init(&p);
    inputs_init(&s, fold->leaf, fold->stride);
    inputs_init(&node, fold->node, 0);
    fetch_ahead(&s, 1);
    describe_step(&node_step, &node, 0);
    for (unsigned i = 0; i < cursors; i++)
        c[i].first = i * groups;
    for (size_t n = 0; n < groups; n++) {
        group g[2];
        for (unsigned i = 0; i < cursors; i++) {
            const size_t index = c[i].first + n;
            g[i].h = n & 1 ? &c[i].now[0] : &c[i].pending[0];
            g[i].block = first_block(&s, fold->leaves) + index * LANES * fold->stride;
            g[i].digests = level_digests(fold, 0, index);
        }
        hash_groups(&p, &s, g, cursors, LANES);
        size_t index = n;
        for (level = 0; index & 1; level++) {
            index >>= 1;
            for (unsigned i = 0; i < cursors; i++)
                submit_nodes(&p, &node, &node_step, &c[i].pending[level], &c[i].now[level & 1],
                             index & 1 ? &c[i].now[~level & 1] : &c[i].pending[level + 1],
                             level_digests(fold, level + 1, (c[i].first >> (level + 1)) + index));
        }
    }
    drain(&p);
    /* The last group or two: LANES parents of both, then half a group, and so on. */
    const lanes *left = &c[0].pending[level], *right = cursors == 2 ? &c[1].pending[level] : left;
    for (size_t n = cursors == 2 ? LANES : LANES / 2; n >= 1; n /= 2) {
        lanes *out = &c[0].now[++level & 1];
        submit_nodes(&p, &node, &node_step, left, right, out, NULL);
        drain(&p);
        if (fold->level[level])
            store_some_digests(fold->level[level], out, n);
        left = right = out;
    }
}

#endif
