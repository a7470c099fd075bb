/*
 * The output of one root, one block to a lane: the message and all of the state but v12 are the same in every lane.
 * What the first round makes of those alone is computed once, by scalar code, and the lanes start from the partial sums
 * below. Included after the header of an instruction set.
 */
#ifndef PLEACH_BLAKE3_XOF_H
#define PLEACH_BLAKE3_XOF_H

#include "kernels/blake3/blake3.h"

#include <string.h>

/* Named for the variables of the first round that start from them, and for the message word in the sum, if any. */
typedef struct xof_start {
    uint32_t cv[8];
    uint32_t a0, a0_m1, iv0;      /* first column: only d differs between lanes */
    uint32_t b5, b5_m8, c10, d15; /* first diagonal: a differs */
    uint32_t a1, a1_m11, b6, c11; /* second: d */
    uint32_t a2_m13, b7, d13;     /* third: c; its d is past the first rotation */
    uint32_t a3_m14, c9, d14;     /* fourth: b */
} xof_start;

static inline uint32_t xof_rotate(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

static inline __attribute__((always_inline)) void xof_column(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d,
                                                             uint32_t x, uint32_t y)
{
    *a += *b + x;
    *d = xof_rotate(*d ^ *a, 16);
    *c += *d;
    *b = xof_rotate(*b ^ *c, 12);
    *a += *b + y;
    *d = xof_rotate(*d ^ *a, 8);
    *c += *d;
    *b = xof_rotate(*b ^ *c, 7);
}

/* `high` is the upper half of the counters of all lanes. */
static inline __attribute__((always_inline)) void xof_prepare(xof_start *s, const pleach__blake3_root *root,
                                                              uint32_t high)
{
    const uint32_t *m = root->block, *cv = root->cv;
    uint32_t a1 = cv[1], b5 = cv[5], c9 = BLAKE_IV1, d13 = high;
    uint32_t a2 = cv[2], b6 = cv[6], c10 = BLAKE_IV2, d14 = root->size;
    uint32_t a3 = cv[3], b7 = cv[7], c11 = BLAKE_IV3, d15 = root->flags;
    xof_column(&a1, &b5, &c9, &d13, m[2], m[3]);
    xof_column(&a2, &b6, &c10, &d14, m[4], m[5]);
    xof_column(&a3, &b7, &c11, &d15, m[6], m[7]);
    memcpy(s->cv, cv, sizeof s->cv);
    s->iv0 = BLAKE_IV0;
    s->a0 = cv[0] + cv[4] + m[0];
    s->a0_m1 = s->a0 + m[1];
    s->b5 = b5;
    s->b5_m8 = b5 + m[8];
    s->c10 = c10;
    s->d15 = d15;
    s->a1 = a1 + b6 + m[10];
    s->a1_m11 = s->a1 + m[11];
    s->b6 = b6;
    s->c11 = c11;
    a2 += b7 + m[12];
    s->a2_m13 = a2 + m[13];
    s->b7 = b7;
    s->d13 = xof_rotate(d13 ^ a2, 16);
    s->a3_m14 = a3 + m[14];
    s->c9 = c9;
    s->d14 = d14;
}

/* The first round; vc holds the lower halves of the counters, m the message, each word in every lane. */
#define BLAKE3_XOF_ROUND_0(s, m)                   \
    do {                                           \
        v0 = VEC_SPLAT((s)->a0);                   \
        VEC_XOR(vc, v0);                           \
        VEC_ROTR(vc, 16);                          \
        v8 = VEC_SPLAT((s)->iv0);                  \
        v4 = VEC_SPLAT((s)->cv[4]);                \
        VEC_ADD_XOR(v8, vc, v4);                   \
        VEC_ROTR(v4, 12);                          \
        v0 = VEC_SPLAT((s)->a0_m1);                \
        VEC_ADD(v0, v4);                           \
        VEC_XOR(vc, v0);                           \
        VEC_ROTR(vc, 8);                           \
        VEC_ADD_XOR(v8, vc, v4);                   \
        VEC_ROTR(v4, 7);                           \
        v5 = VEC_SPLAT((s)->b5_m8);                \
        VEC_ADD(v0, v5);                           \
        vf = VEC_SPLAT((s)->d15);                  \
        VEC_XOR(vf, v0);                           \
        VEC_ROTR(vf, 16);                          \
        va = VEC_SPLAT((s)->c10);                  \
        v5 = VEC_SPLAT((s)->b5);                   \
        VEC_ADD_XOR(va, vf, v5);                   \
        VEC_ROTR(v5, 12);                          \
        v1 = VEC_SPLAT((s)->a1);                   \
        VEC_XOR(vc, v1);                           \
        VEC_ROTR(vc, 16);                          \
        vb = VEC_SPLAT((s)->c11);                  \
        v6 = VEC_SPLAT((s)->b6);                   \
        VEC_ADD_XOR(vb, vc, v6);                   \
        VEC_ROTR(v6, 12);                          \
        vd = VEC_SPLAT((s)->d13);                  \
        v7 = VEC_SPLAT((s)->b7);                   \
        VEC_ADD_XOR(v8, vd, v7);                   \
        VEC_ROTR(v7, 12);                          \
        v3 = VEC_SPLAT((s)->a3_m14);               \
        VEC_ADD(v3, v4);                           \
        ve = VEC_SPLAT((s)->d14);                  \
        VEC_XOR(ve, v3);                           \
        VEC_ROTR(ve, 16);                          \
        v9 = VEC_SPLAT((s)->c9);                   \
        VEC_ADD_XOR(v9, ve, v4);                   \
        VEC_ROTR(v4, 12);                          \
        v1 = VEC_SPLAT((s)->a1_m11);               \
        VEC_ADD(v1, v6);                           \
        VEC_XOR(vc, v1);                           \
        VEC_ROTR(vc, 8);                           \
        VEC_ADD_XOR(vb, vc, v6);                   \
        VEC_ROTR(v6, 7);                           \
        v2 = VEC_SPLAT((s)->a2_m13);               \
        VEC_ADD(v2, v7);                           \
        VEC_XOR(vd, v2);                           \
        VEC_ROTR(vd, 8);                           \
        VEC_ADD_XOR(v8, vd, v7);                   \
        VEC_ROTR(v7, 7);                           \
        BLAKE_HALF_G(m, v0, v5, va, vf, 9, 8, 7);  \
        BLAKE_HALF_G(m, v3, v4, v9, ve, 15, 8, 7); \
    } while (0)

#endif
