/*
 * BLAKE3 over the lanes of any instruction set. Included after the header of the instruction set and the definition of
 * input_of_lane[LANES].
 */
#ifndef PLEACH_BLAKE3_LANES_H
#define PLEACH_BLAKE3_LANES_H

#include "kernels/blake3/blake3.h"
#include "kernels/lanes_list.h"

enum { CHUNK = PLEACH__BLAKE3_CHUNK };

/* A plan, and what BLAKE3 needs beside it: the functions of kernels/lanes.h hand it on. */
typedef struct blake3_plan {
    pleach__hash_plan plan;      /* first: set_tail() finds the rest by it */
    uint32_t every, first, last; /* flags of every compression of an input, of its first one and of its last one */
    bool chunks;                 /* lanes hold consecutive chunks of one input */
    uint64_t counter;            /* chunks: the address that chunk 0 has or would have; otherwise: that of every lane */
} blake3_plan;

INLINE blake3_plan plan_of(const pleach__blake3_mode *mode, size_t size, uint32_t first, uint32_t last)
{
    blake3_plan p = {.plan.form.size = size, .every = mode->flags, .first = first, .last = last};
    memcpy(p.plan.state, mode->key, sizeof p.plan.state);
    return p;
}

INLINE blake3_plan parent_plan(const pleach__blake3_mode *mode)
{
    return plan_of(mode, BLOCK, BLAKE3_PARENT, 0);
}

/* What the tail of a step says. */
typedef struct blake3_tail {
    uint64_t counter;
    uint32_t chunks, flags;
} blake3_tail;

_Static_assert(sizeof(blake3_tail) <= sizeof(((step *)NULL)->tail), "a step has room for it");

/* Bytes of the block. */
static uint32_t own_word(const inputs *s, size_t block, size_t bytes)
{
    (void)s;
    (void)block;
    return (uint32_t)bytes;
}

static void set_tail(step *st, const inputs *s, size_t block)
{
    const blake3_plan *p = (const blake3_plan *)s->plan;
    const blake3_tail tail = {
        .counter = p->counter,
        .chunks = p->chunks,
        .flags = p->every | (block == 0 ? p->first : 0) | (block + 1 == s->blocks ? p->last : 0),
    };
    memcpy(st->tail, &tail, sizeof tail);
}

/*
 * Consecutive chunks lie at consecutive addresses, so a group's block tells which chunks it has; the first is a
 * multiple of LANES. Constants come from memory that the compiler cannot see through: it would build them from general
 * registers otherwise, at a shuffle apiece.
 */
__attribute__((noinline)) static void compress(const job *now, const vec *m, const shadow *s)
{
    static const uint32_t none[LANES];
    const uint32_t *c = pleach__blake3_unkeyed.key, *numbers = none;
    const lanes *in = now->in;
    vec v0 = in->word[0], v1 = in->word[1], v2 = in->word[2], v3 = in->word[3];
    vec v4 = in->word[4], v5 = in->word[5], v6 = in->word[6], v7 = in->word[7];
    vec v8 = VEC_SPLAT(c[0]), v9 = VEC_SPLAT(c[1]), va = VEC_SPLAT(c[2]), vb = VEC_SPLAT(c[3]);
    blake3_tail tail;
    memcpy(&tail, now->step->tail, sizeof tail);
    if (tail.chunks) {
        tail.counter = ((uintptr_t)now->block - tail.counter) / CHUNK;
        numbers = input_of_lane;
    }
    vec vc, vd = VEC_SPLAT(tail.counter >> 32), ve = now->step->own, vf = VEC_SPLAT(tail.flags);
    memcpy(&vc, numbers, sizeof vc);
    VEC_ADD(vc, VEC_SPLAT(tail.counter));
    BLAKE3_ROUND_0(m);
    shadow_half(s, 0);
    BLAKE3_ROUND_1(m);
    BLAKE3_ROUND_2(m);
    shadow_half(s, 1);
    BLAKE3_ROUND_3(m);
    BLAKE3_ROUND_4(m);
    shadow_store(s);
    BLAKE3_ROUND_5(m);
    BLAKE3_ROUND_6(m);
    lanes *out = now->out;
    out->word[0] = VEC_XOR(v0, v8);
    out->word[1] = VEC_XOR(v1, v9);
    out->word[2] = VEC_XOR(v2, va);
    out->word[3] = VEC_XOR(v3, vb);
    out->word[4] = VEC_XOR(v4, vc);
    out->word[5] = VEC_XOR(v5, vd);
    out->word[6] = VEC_XOR(v6, ve);
    out->word[7] = VEC_XOR(v7, vf);
}

#endif
