/* BLAKE2s over the lanes of any instruction set, whose header is included before. */
#ifndef PLEACH_BLAKE2S_LANES_H
#define PLEACH_BLAKE2S_LANES_H

#include "kernels/blake2s/blake2s.h"
#include "kernels/lanes_list.h"

#ifndef LANES_QUEUED
/*
 * All constants reach this function through pointers on purpose: known to the compiler, gcc would build each from a
 * general register, which costs a shuffle apiece.
 */
__attribute__((noinline)) static void compress(const job *now, const vec *m, const shadow *s)
{
    const uint32_t *tail = now->step->tail;
    const lanes *in = now->in;
    vec v0 = in->word[0], v1 = in->word[1], v2 = in->word[2], v3 = in->word[3];
    vec v4 = in->word[4], v5 = in->word[5], v6 = in->word[6], v7 = in->word[7];
    vec v8 = VEC_SPLAT(tail[0]), v9 = VEC_SPLAT(tail[1]), va = VEC_SPLAT(tail[2]), vb = VEC_SPLAT(tail[3]);
    vec vc = now->step->own, vd = VEC_SPLAT(tail[5]), ve = VEC_SPLAT(tail[6]), vf = VEC_SPLAT(tail[7]);
    BLAKE2S_ROUND_0(m);
    BLAKE2S_ROUND_1(m);
    shadow_half(s, 0);
    BLAKE2S_ROUND_2(m);
    BLAKE2S_ROUND_3(m);
    BLAKE2S_ROUND_4(m);
    shadow_half(s, 1);
    BLAKE2S_ROUND_5(m);
    BLAKE2S_ROUND_6(m);
    BLAKE2S_ROUND_7(m);
    shadow_store(s);
    BLAKE2S_ROUND_8(m);
    BLAKE2S_ROUND_9(m);
    lanes *out = now->out;
    out->word[0] = VEC_XOR3(v0, v8, in->word[0]);
    out->word[1] = VEC_XOR3(v1, v9, in->word[1]);
    out->word[2] = VEC_XOR3(v2, va, in->word[2]);
    out->word[3] = VEC_XOR3(v3, vb, in->word[3]);
    out->word[4] = VEC_XOR3(v4, vc, in->word[4]);
    out->word[5] = VEC_XOR3(v5, vd, in->word[5]);
    out->word[6] = VEC_XOR3(v6, ve, in->word[6]);
    out->word[7] = VEC_XOR3(v7, vf, in->word[7]);
}
#endif

/* Low half of the counter of bytes. */
static uint32_t own_word(const inputs *s, size_t block, size_t bytes)
{
    return BLAKE_IV4 ^ (uint32_t)(s->plan->hashed + BLOCK * block + bytes);
}

static void set_tail(step *st, const inputs *s, size_t block)
{
    static const uint32_t tail[8] = {BLAKE_IV0, BLAKE_IV1, BLAKE_IV2, BLAKE_IV3,
                                     BLAKE_IV4, BLAKE_IV5, BLAKE_IV6, BLAKE_IV7};
    const uint64_t hashed = s->plan->hashed + BLOCK * block + block_bytes(s, block);
    memcpy(st->tail, tail, sizeof tail);
    st->tail[5] ^= (uint32_t)(hashed >> 32);
    if (block + 1 == s->blocks)
        st->tail[6] = ~st->tail[6];
}

/* `scalar`: the most inputs beyond whole groups that are hashed faster one by one. */
INLINE void blake2s_hash_many(const pleach__hash_plan *plan, const uint8_t *in, size_t stride, size_t n, uint8_t *out,
                              size_t scalar)
{
    const size_t rest = n % LANES <= scalar ? n % LANES : 0, rows = n - rest;
    if (rows > 0)
        hash_rows(plan, in, stride, rows, out);
    VEC_LEAVE();
    if (rest > 0)
        pleach__blake2s_portable.hash_many(plan, in + rows * stride, stride, rest, out + PLEACH_DIGEST_SIZE * rows);
}

INLINE void blake2s_hash_list(const pleach__list *list, size_t scalar)
{
    const size_t rest = list->n % LANES <= scalar ? list->n % LANES : 0, rows = list->n - rest;
    const pleach__list first = pleach__list_first(list, rows), others = pleach__list_rest(list, rows);
    if (rows > 0)
        list_rows(&first);
    VEC_LEAVE();
    pleach__list_singly(&others, &pleach__blake2s_portable);
}

INLINE void blake2s_fold(const pleach__fold *fold, const pleach__backend *backend)
{
    if (fold->height < LANES_LOG2) {
        pleach__fold_levels(fold, backend);
        return;
    }
    fold_lanes(fold);
    VEC_LEAVE();
}

#endif
