/*
 * Inputs in the lanes of vectors: the loop over rows, and the fold. Included after the header of an instruction set
 * (lanes_avx2.h, ...) by each file that has a compression for it. What runs the compressions is lanes_pipeline.h, or
 * lanes_queue.h where the header of the instruction set defines LANES_QUEUED.
 */
#ifndef PLEACH_LANES_H
#define PLEACH_LANES_H

#ifdef LANES_QUEUED
#include "kernels/lanes_queue.h"
#else
#include "kernels/lanes_pipeline.h"
#endif

enum { FETCH_BLOCKS = 4 /* how many blocks of its lane ahead of the current one an input is fetched into the cache */ };

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
    step only; /* if jobs are queued and there is one block: that of all groups */
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

/* Before the first group is hashed. */
INLINE void describe_only(inputs *s)
{
    if (!PIPELINED && s->blocks == 1)
        describe_step(&s->only, s, 0);
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
INLINE void stage(pipeline *p, step *st, const uint8_t **block, unsigned groups, size_t rows)
{
    for (unsigned i = 0; i < groups; i++) {
        uint8_t *staged = staging(p, i);
        for (size_t row = 0; row < rows; row++)
            copy_block(staged + BLOCK * row, block[i] + st->stride * row, st->mask);
        block[i] = staged;
    }
    st->stride = BLOCK;
    st->mask = UINT64_MAX;
    st->fetch_step = 0;
}

INLINE void submit_block(pipeline *p, const step *st, const lanes *in, const uint8_t *block, lanes *out,
                         uint8_t *digests)
{
    job *j = next_job(p);
    j->out = out;
    j->in = in;
    j->step = st;
    j->digests = digests;
    j->block = block;
    j->left = NULL;
    submit(p);
}

__attribute__((noinline)) static void hash_blocks(pipeline *p, const inputs *s, const group *g, unsigned groups,
                                                  size_t rows)
{
    for (size_t block = 0; block < s->blocks; block++) {
        step *st = next_step(p);
        const uint8_t *rows_of[2] = {g[0].block + BLOCK * block, groups == 2 ? g[1].block + BLOCK * block : NULL};
        describe_step(st, s, block);
        if (rows < LANES || (!MASKED_LOADS && st->mask != UINT64_MAX))
            stage(p, st, rows_of, groups, rows);
        for (unsigned i = 0; i < groups; i++)
            submit_block(p, st, block == 0 ? &s->start : g[i].h, rows_of[i], g[i].h,
                         block + 1 == s->blocks ? g[i].digests : NULL);
    }
}

/* Hashes one or two groups side by side. What is in h and digests is complete after drain(). */
INLINE void hash_groups(pipeline *p, const inputs *s, const group *g, unsigned groups, size_t rows)
{
    if (PIPELINED || s->blocks > 1 || rows < LANES) {
        hash_blocks(p, s, g, groups, rows);
        return;
    }
    for (unsigned i = 0; i < groups; i++)
        submit_block(p, &s->only, &s->start, g[i].block, g[i].h, g[i].digests);
}

/* n inputs: full groups two by two, then one, then one with spare lanes. */
static void hash_rows(const pleach__hash_plan *plan, const uint8_t *in, size_t stride, size_t n, uint8_t *out)
{
    pipeline p;
    inputs s;
    lanes h[4];
    uint8_t last[LANES * PLEACH_DIGEST_SIZE];
    unsigned turn = 0;
    pipeline_init(&p);
    inputs_init(&s, plan, stride);
    describe_only(&s);
    const bool kept = PIPELINED || s.blocks > 1;
    if (n >= 4 * LANES)
        fetch_ahead(&s, 2);
    in = first_block(&s, in);
    for (; n >= LANES; turn ^= 2) {
        const unsigned groups = n >= 2 * LANES ? 2 : 1;
        const group g[2] = {{kept ? &h[turn] : NULL, in, out},
                            {kept ? &h[turn + 1] : NULL, in + LANES * stride, out + LANES * PLEACH_DIGEST_SIZE}};
        if (groups == 1)
            s.fetch_step = 0;
        hash_groups(&p, &s, g, groups, LANES);
        n -= groups * LANES;
        in += groups * LANES * stride;
        out += groups * LANES * PLEACH_DIGEST_SIZE;
    }
    if (n > 0) {
        clear_staging(&p);
        hash_groups(&p, &s, &(group){&h[turn], in, last}, 1, n);
    }
    drain(&p);
    if (n > 0)
        memcpy(out, last, PLEACH_DIGEST_SIZE * n);
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
    uint8_t top[LANES_LOG2 + 1][LANES * PLEACH_DIGEST_SIZE];
    const unsigned cursors = fold->height > LANES_LOG2 ? 2 : 1;
    const size_t groups = ((size_t)1 << (fold->height - LANES_LOG2)) / cursors; /* of each cursor */
    unsigned level = 0;
    pipeline_init(&p);
    inputs_init(&s, fold->leaf, fold->stride);
    inputs_init(&node, fold->node, 0);
    describe_only(&s);
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
    const unsigned first = level + 1;
    while (level < fold->height) {
        lanes *out = &c[0].now[++level & 1];
        submit_nodes(&p, &node, &node_step, left, right, out, top[level - first]);
        if (PIPELINED)
            drain(&p);
        left = right = out;
    }
    drain(&p);
    for (level = first; level <= fold->height; level++)
        if (fold->level[level])
            memcpy(fold->level[level], top[level - first], (size_t)PLEACH_DIGEST_SIZE << (fold->height - level));
}

#endif
