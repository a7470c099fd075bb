/* Inputs of any length over lanes that hold chunks of one input or, of many inputs, one chunk each. */
#ifndef PLEACH_BLAKE3_SUBTREES_H
#define PLEACH_BLAKE3_SUBTREES_H

#include "kernels/blake3/lanes.h"

enum {
    SCALAR_LANES = 1,         /* at most so many inputs, chunks or blocks beyond whole groups are faster one by one */
    SMALL_CHUNKS = 2 * LANES, /* larger subtrees are folded in lanes if they are perfect, or split */
    ROW_CHUNKS = 8 * LANES,   /* longer inputs fill the lanes with their own chunks well enough */
    ROW_DEPTH = LANES_LOG2 + 4
};

/* n inputs of at most a chunk, or nodes. */
static void hash_by_plan(const blake3_plan *p, const uint8_t *in, size_t stride, size_t n, uint8_t *out)
{
    hash_rows(&p->plan, in, stride, n, out);
    VEC_LEAVE();
}

/* The chaining values of n whole chunks, at most SMALL_CHUNKS. */
static void chain_chunks(const pleach__blake3_mode *mode, const uint8_t *in, size_t n, uint64_t number, uint8_t *cvs)
{
    blake3_plan chunk = plan_of(mode, CHUNK, BLAKE3_CHUNK_START, BLAKE3_CHUNK_END);
    pipeline p;
    inputs s;
    lanes h[3];
    uint8_t last[LANES * PLEACH_DIGEST_SIZE];
    const size_t rest = n % LANES, whole = n - rest;
    const group g[3] = {{&h[0], in, cvs},
                        {&h[1], in + LANES * CHUNK, cvs + LANES * PLEACH_DIGEST_SIZE},
                        {&h[2], in + whole * CHUNK, last}};
    chunk.chunks = true;
    chunk.counter = (uintptr_t)in - number * CHUNK;
    pipeline_init(&p);
    inputs_init(&s, &chunk.plan, CHUNK);
    if (whole > 0)
        hash_groups(&p, &s, g, (unsigned)(whole / LANES), LANES);
    if (rest > 0) {
        chunk.counter = (uintptr_t)staging(&p, 0) - (number + whole) * CHUNK;
        clear_staging(&p);
        hash_groups(&p, &s, &g[2], 1, rest);
    }
    drain(&p);
    if (rest > 0)
        memcpy(cvs + whole * PLEACH_DIGEST_SIZE, last, rest * PLEACH_DIGEST_SIZE);
    VEC_LEAVE();
}

/* The children of the top node of a subtree of 2 .. SMALL_CHUNKS chunks. */
static void small_subtree(const pleach__blake3_mode *mode, const uint8_t *in, size_t size, uint64_t number,
                          uint8_t children[BLOCK])
{
    const blake3_plan parent = parent_plan(mode);
    _Alignas(64) uint8_t cvs[SMALL_CHUNKS * PLEACH_DIGEST_SIZE];
    size_t done = size / CHUNK, n = (size + CHUNK - 1) / CHUNK;
    if (done % LANES <= SCALAR_LANES)
        done -= done % LANES;
    if (done > 0)
        chain_chunks(mode, in, done, number, cvs);
    for (; done < n; done++) {
        const size_t left = size - done * CHUNK;
        uint32_t cv[8];
        pleach__blake3_portable.chain(mode, in + done * CHUNK, left < CHUNK ? left : CHUNK, number + done, cv);
        memcpy(cvs + done * PLEACH_DIGEST_SIZE, cv, PLEACH_DIGEST_SIZE);
    }
    for (; n > 2; n = (n + 1) / 2) {
        hash_by_plan(&parent, cvs, BLOCK, n / 2, cvs);
        if (n % 2)
            memmove(cvs + n / 2 * PLEACH_DIGEST_SIZE, cvs + (n - 1) * PLEACH_DIGEST_SIZE, PLEACH_DIGEST_SIZE);
    }
    memcpy(children, cvs, BLOCK);
}

/* The chaining value of 2^height chunks. */
static void fold_chunks(const pleach__blake3_mode *mode, const uint8_t *in, unsigned height, uint64_t number,
                        uint32_t cv[8])
{
    blake3_plan chunk = plan_of(mode, CHUNK, BLAKE3_CHUNK_START, BLAKE3_CHUNK_END), parent = parent_plan(mode);
    uint8_t *level[PLEACH__FOLD_HEIGHT_MAX + 1] = {NULL};
    level[height] = (uint8_t *)cv;
    chunk.chunks = true;
    chunk.counter = (uintptr_t)in - number * CHUNK;
    fold_lanes(&(pleach__fold){&chunk.plan, &parent.plan, in, CHUNK, height, level});
    VEC_LEAVE();
}

static void top_of(const pleach__blake3_mode *mode, const uint8_t *in, size_t size, uint64_t number,
                   pleach__blake3_root *top);

static void chain(const pleach__blake3_mode *mode, const uint8_t *in, size_t size, uint64_t number, uint32_t cv[8])
{
    const bool perfect = (size & (size - 1)) == 0;
    if (perfect && size > SMALL_CHUNKS * CHUNK / 2 && size <= (size_t)CHUNK << PLEACH__FOLD_HEIGHT_MAX) {
        fold_chunks(mode, in, (unsigned)__builtin_ctzll(size / CHUNK), number, cv);
        return;
    }
    if (size <= CHUNK) {
        pleach__blake3_portable.chain(mode, in, size, number, cv);
        return;
    }
    pleach__blake3_root top;
    top_of(mode, in, size, number, &top);
    pleach__blake3_chain(&top, cv);
}

/* The last compression of a subtree of several chunks. */
static void top_of(const pleach__blake3_mode *mode, const uint8_t *in, size_t size, uint64_t number,
                   pleach__blake3_root *top)
{
    memcpy(top->cv, mode->key, sizeof top->cv);
    top->size = BLOCK;
    top->flags = mode->flags | BLAKE3_PARENT;
    if (size <= SMALL_CHUNKS * CHUNK) {
        small_subtree(mode, in, size, number, (uint8_t *)top->block);
        return;
    }
    const size_t left = pleach__blake3_left_size(size);
    chain(mode, in, left, number, top->block);
    chain(mode, in + left, size - left, number + left / CHUNK, top->block + 8);
}

/* Lanes that hold subtrees of different inputs; the last one gives way to their parents. */
INLINE void merge(pipeline *p, const inputs *node, const step *st, lanes *left)
{
    static const job nothing;
    const job j = {.out = left, .in = &node->start, .step = st};
    vec *m = p->message[0];
    memcpy(m, left, 2 * sizeof *left);
    compress(&j, m, &(shadow){.next = &nothing});
}

/* The children of the top nodes of n <= LANES inputs of 2 .. ROW_CHUNKS chunks, a lane for each input. */
static void top_rows(const pleach__blake3_mode *mode, const uint8_t *in, size_t size, size_t stride, size_t n,
                     uint8_t children[][BLOCK])
{
    blake3_plan chunk = plan_of(mode, CHUNK, BLAKE3_CHUNK_START, BLAKE3_CHUNK_END), parent = parent_plan(mode);
    pipeline p;
    inputs s, node;
    step node_step;
    lanes subtree[ROW_DEPTH];
    uint8_t cvs[2][LANES * PLEACH_DIGEST_SIZE];
    unsigned depth = 0;
    pipeline_init(&p);
    clear_staging(&p);
    inputs_init(&node, &parent.plan, 0);
    describe_step(&node_step, &node, 0);
    for (size_t at = 0; at < size; at += CHUNK, chunk.counter++) {
        for (size_t merged = chunk.counter; merged > 0 && merged % 2 == 0; merged /= 2, depth--)
            merge(&p, &node, &node_step, &subtree[depth - 2]);
        chunk.plan.form.size = size - at < CHUNK ? size - at : CHUNK;
        inputs_init(&s, &chunk.plan, stride);
        hash_groups(&p, &s, &(group){&subtree[depth++], in + at, NULL}, 1, n);
        drain(&p);
    }
    for (; depth > 2; depth--)
        merge(&p, &node, &node_step, &subtree[depth - 2]);
    store_digests(cvs[0], &subtree[0]);
    store_digests(cvs[1], &subtree[1]);
    VEC_LEAVE();
    for (size_t i = 0; i < n; i++)
        for (unsigned side = 0; side < 2; side++)
            memcpy(children[i] + PLEACH_DIGEST_SIZE * side, cvs[side] + PLEACH_DIGEST_SIZE * i, PLEACH_DIGEST_SIZE);
}

#endif
