/*
 * Inputs of one whole block, four at a time: beside one group's state the registers have room for its message, which
 * two groups read from memory. Only the low halves of the lanes are used; compilers leave out what makes the high ones.
 * Message words are added from registers from here on, so this comes behind everything else that has the round body.
 */
#ifndef PLEACH_BLAKE2S_ARM_FOURS_H
#define PLEACH_BLAKE2S_ARM_FOURS_H

#include "kernels/blake2s/entries.h"

#undef VEC_ADD_WORD
#undef VEC_TO_MEMORY
#undef VEC_FROM_MEMORY
/* In assembly, or compilers add the word to the other addend first, which is known later. */
#define VEC_ADD_WORD(a, m, i) __asm__("add %0.4s, %0.4s, %1.4s" : "+w"((a).low) : "w"((m)[i].low))
#define VEC_TO_MEMORY(c, a)   ((c) = (a))
#define VEC_FROM_MEMORY(a, c) ((a) = (c))

enum { FOUR = 4, FOURS_AHEAD = 8 /* how many fours ahead of the current one inputs are fetched into the cache */ };

INLINE bool whole_blocks(const pleach__hash_plan *plan)
{
    return plan->lead == 0 && plan->form.size == BLOCK;
}

INLINE void fetch_four(const uint8_t *in, size_t stride)
{
    const uintptr_t p = (uintptr_t)in + FOURS_AHEAD * FOUR * stride;
    __builtin_prefetch((const void *)p);
    __builtin_prefetch((const void *)(p + stride));
    __builtin_prefetch((const void *)(p + 2 * stride));
    __builtin_prefetch((const void *)(p + 3 * stride));
}

INLINE void load_four(vec *m, const uint8_t *in, size_t stride)
{
    LOAD4(m, low, in, stride);
    LOAD4(m + 4, low, in + 16, stride);
    LOAD4(m + 8, low, in + 32, stride);
    LOAD4(m + 12, low, in + 48, stride);
}

/* `start` is the state before the first round, of which the first half is the chaining value. */
__attribute__((noinline)) static void hash_fours(const vec *start, const uint8_t *in, size_t stride, size_t fours,
                                                 uint8_t *out)
{
    for (; fours > 0; fours--, in += FOUR * stride, out += FOUR * PLEACH_DIGEST_SIZE) {
        const vec *before = start;
        vec m[16], h[8];
        /* Or compilers keep the chaining value, and spill it, instead of reading it again. */
        __asm__("" : "+r"(before));
        load_four(m, in, stride);
        fetch_four(in, stride);
        vec v0 = start[0], v1 = start[1], v2 = start[2], v3 = start[3];
        vec v4 = start[4], v5 = start[5], v6 = start[6], v7 = start[7];
        vec v8 = start[8], v9 = start[9], va = start[10], vb = start[11];
        vec vc = start[12], vd = start[13], ve = start[14], vf = start[15];
        BLAKE2S_ROUND_0(m);
        BLAKE2S_ROUNDS_1_TO_9(m);
        BLAKE2S_RESULT(h, before, true);
        STORE_GROUP(h, low, out);
    }
}

/* At least two inputs. */
__attribute__((noinline)) static void hash_whole_blocks(const pleach__hash_plan *plan, const uint8_t *in, size_t stride,
                                                        size_t n, uint8_t *out)
{
    const size_t rest = n % FOUR, fours = n / FOUR;
    uint8_t staged[FOUR * BLOCK] = {0}, last[FOUR * PLEACH_DIGEST_SIZE];
    vec start[16];
    inputs s;
    step st;
    inputs_init(&s, plan, stride);
    describe_step(&st, &s, 0);
    for (int i = 0; i < 8; i++) {
        start[i] = s.start.word[i];
        start[8 + i] = i == 4 ? st.own : VEC_SPLAT(st.tail[i]);
    }
    hash_fours(start, in, stride, fours, out);
    in += fours * FOUR * stride;
    out += fours * FOUR * PLEACH_DIGEST_SIZE;
    if (rest <= SCALAR_INPUTS) {
        pleach__blake2s_portable.hash_many(plan, in, stride, rest, out);
        return;
    }
    for (size_t i = 0; i < rest; i++)
        memcpy(staged + i * BLOCK, in + i * stride, BLOCK);
    hash_fours(start, staged, BLOCK, 1, last);
    memcpy(out, last, rest * PLEACH_DIGEST_SIZE);
}

static void hash_many_by_fours(const pleach__hash_plan *plan, const uint8_t *in, size_t stride, size_t n, uint8_t *out)
{
    if (n > SCALAR_INPUTS && whole_blocks(plan))
        hash_whole_blocks(plan, in, stride, n, out);
    else
        hash_many(plan, in, stride, n, out);
}

INLINE void fold_by_fours(const pleach__fold *fold, const pleach__backend *backend)
{
    if (whole_blocks(fold->node))
        pleach__fold_levels(fold, backend);
    else
        blake2s_fold(fold, backend);
}

#endif
