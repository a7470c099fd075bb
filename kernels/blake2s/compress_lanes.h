/*
 * What compress.h declares, over the lanes of any instruction set, whose header is included before. Code that keeps
 * vectors from one compression to the next, or has other work between rounds, uses the functions and macros below.
 *
 * Message words are added from here on only if the constant `zero` that is in scope lacks their bits. So this comes
 * behind everything else that has the round body.
 */
#ifndef PLEACH_BLAKE2S_COMPRESS_LANES_H
#define PLEACH_BLAKE2S_COMPRESS_LANES_H

#include "kernels/blake2s/blake2s.h"
#include "kernels/blake2s/compress.h"

#ifndef VEC_WORD
#define VEC_WORD(m, i) (m)[i]
#endif
#undef VEC_ADD_WORD
#define VEC_ADD_WORD(a, m, i)                  \
    do {                                       \
        if (!((zero) >> (i)&1))                \
            VEC_ADD_MEMORY(a, VEC_WORD(m, i)); \
    } while (0)

/* The first 4 words of the result, or all. */
#define BLAKE2S_RESULT(out, in, whole)            \
    do {                                          \
        (out)[0] = VEC_XOR3(v0, v8, (in)[0]);     \
        (out)[1] = VEC_XOR3(v1, v9, (in)[1]);     \
        (out)[2] = VEC_XOR3(v2, va, (in)[2]);     \
        (out)[3] = VEC_XOR3(v3, vb, (in)[3]);     \
        if (whole) {                              \
            (out)[4] = VEC_XOR3(v4, vc, (in)[4]); \
            (out)[5] = VEC_XOR3(v5, vd, (in)[5]); \
            (out)[6] = VEC_XOR3(v6, ve, (in)[6]); \
            (out)[7] = VEC_XOR3(v7, vf, (in)[7]); \
        }                                         \
    } while (0)

INLINE void compress_block(const unsigned zero, vec *out, const vec *in, const vec *m, const pleach__blake2s_tail *tail)
{
    const uint32_t *t = tail->word;
    vec v0 = in[0], v1 = in[1], v2 = in[2], v3 = in[3], v4 = in[4], v5 = in[5], v6 = in[6], v7 = in[7];
    vec vc = VEC_SPLAT(t[4]), vd = VEC_SPLAT(t[5]), ve = VEC_SPLAT(t[6]);
    if (tail->own) {
        const vec *own = (const vec *)tail->own;
        VEC_XOR(vc, own[0]);
        VEC_XOR(vd, own[1]);
        VEC_XOR(ve, own[2]);
    }
    vec v8 = VEC_SPLAT(t[0]), v9 = VEC_SPLAT(t[1]), va = VEC_SPLAT(t[2]), vb = VEC_SPLAT(t[3]), vf = VEC_SPLAT(t[7]);
    BLAKE2S_ROUND_0(m);
    BLAKE2S_ROUNDS_1_TO_9(m);
    BLAKE2S_RESULT(out, in, true);
}

/*
 * The first half of diagonal i has columns i, i + 1, i + 2 and i + 3 as its a, b, c and d. With a and b prepared, so is
 * their sum, in the place of a, and with d too and a zero word, d up to its rotation.
 */
INLINE bool sum_prepared(unsigned computed, unsigned i)
{
    return !(computed >> i & 1) && !(computed >> (i + 1) % 4 & 1);
}

INLINE bool d_prepared(unsigned zero, unsigned computed, unsigned i)
{
    return sum_prepared(computed, i) && !(computed >> (i + 3) % 4 & 1) && (zero >> (8 + 2 * i) & 1);
}

/* Of the first round, what is not prepared. Column i from its first sum on, which is in any case. */
#define FIRST_COLUMN(m, i, a, b, c, d)                      \
    do {                                                    \
        if (computed >> (i)&1) {                            \
            VEC_ADD_WORD(a, m, 2 * (i));                    \
            BLAKE_MIX(a, b, c, d, 16, 12);                  \
            BLAKE_HALF_G(m, a, b, c, d, 2 * (i) + 1, 8, 7); \
        }                                                   \
    } while (0)

#define FIRST_DIAGONAL(m, i, a, b, c, d)       \
    do {                                       \
        VEC_ADD_WORD(a, m, 8 + 2 * (i));       \
        REST_OF_FIRST_DIAGONAL(i, a, b, c, d); \
    } while (0)

/* After its word is added. */
#define REST_OF_FIRST_DIAGONAL(i, a, b, c, d) \
    do {                                      \
        if (!sum_prepared(computed, i))       \
            VEC_ADD(a, b);                    \
        if (!d_prepared(zero, computed, i)) { \
            VEC_XOR(d, a);                    \
            VEC_ROTR(d, 16);                  \
        }                                     \
        VEC_ADD_XOR(c, d, b);                 \
        VEC_ROTR(b, 12);                      \
    } while (0)

#define SECOND_DIAGONALS(m)                        \
    do {                                           \
        BLAKE_HALF_G(m, v0, v5, va, vf, 9, 8, 7);  \
        BLAKE_HALF_G(m, v1, v6, vb, vc, 11, 8, 7); \
        BLAKE_HALF_G(m, v2, v7, v8, vd, 13, 8, 7); \
        BLAKE_HALF_G(m, v3, v4, v9, ve, 15, 8, 7); \
    } while (0)

#define PREPARED_ROUND_0(m)                   \
    do {                                      \
        FIRST_COLUMN(m, 0, v0, v4, v8, vc);   \
        FIRST_COLUMN(m, 1, v1, v5, v9, vd);   \
        FIRST_COLUMN(m, 2, v2, v6, va, ve);   \
        FIRST_COLUMN(m, 3, v3, v7, vb, vf);   \
        FIRST_DIAGONAL(m, 0, v0, v5, va, vf); \
        FIRST_DIAGONAL(m, 1, v1, v6, vb, vc); \
        FIRST_DIAGONAL(m, 2, v2, v7, v8, vd); \
        FIRST_DIAGONAL(m, 3, v3, v4, v9, ve); \
        SECOND_DIAGONALS(m);                  \
    } while (0)

/* `p` is what prepare() made, `computed` the columns that it left. */
INLINE void compress_prepared(const unsigned zero, const unsigned computed, vec *out, const bool whole, const vec *p,
                              const vec *m)
{
    vec v0 = p[0], v1 = p[1], v2 = p[2], v3 = p[3], v4 = p[4], v5 = p[5], v6 = p[6], v7 = p[7];
    vec v8 = p[8], v9 = p[9], va = p[10], vb = p[11], vc = p[12], vd = p[13], ve = p[14], vf = p[15];
    PREPARED_ROUND_0(m);
    BLAKE2S_ROUNDS_1_TO_9(m);
    BLAKE2S_RESULT(out, p + 16, whole);
}

INLINE void prepare_lanes(const unsigned zero, const unsigned computed, vec *p, const vec *in, const vec *m,
                          const pleach__blake2s_tail *tail)
{
    for (int i = 0; i < 8; i++) {
        p[i] = p[16 + i] = in[i];
        p[8 + i] = VEC_SPLAT(tail->word[i]);
    }
    for (int i = 0; i < 3 && tail->own; i++)
        VEC_XOR(p[12 + i], ((const vec *)tail->own)[i]);
    for (unsigned i = 0; i < 4; i++) {
        vec v0 = p[i], v4 = p[4 + i], v8 = p[8 + i], vc = p[12 + i];
        if (computed >> i & 1) {
            VEC_ADD(v0, v4);
        } else {
            BLAKE_HALF_G(m, v0, v4, v8, vc, 2 * i, 16, 12);
            BLAKE_HALF_G(m, v0, v4, v8, vc, 2 * i + 1, 8, 7);
        }
        p[i] = v0, p[4 + i] = v4, p[8 + i] = v8, p[12 + i] = vc;
    }
    for (unsigned i = 0; i < 4; i++) {
        vec a = p[i], d = p[12 + (i + 3) % 4];
        if (!sum_prepared(computed, i))
            continue;
        VEC_ADD(a, p[4 + (i + 1) % 4]);
        p[i] = a;
        if (!d_prepared(zero, computed, i))
            continue;
        VEC_XOR(d, a);
        VEC_ROTR(d, 16);
        p[12 + (i + 3) % 4] = d;
    }
}

#define BLOCK_MASK(name, its_zero)               ZERO_BLOCK_##name = (its_zero),
#define FORM_MASKS(name, its_zero, its_computed) ZERO_##name = (its_zero), COMPUTED_##name = (its_computed),
enum { PLEACH__BLAKE2S_BLOCKS(BLOCK_MASK) PLEACH__BLAKE2S_FORMS(FORM_MASKS) };

#define BLOCK_FUNCTION(name, ...)                                                                 \
    static void compress_##name(uint32_t *out, const uint32_t *in, const uint32_t *words,         \
                                const pleach__blake2s_tail *tail)                                 \
    {                                                                                             \
        compress_block(ZERO_BLOCK_##name, (vec *)out, (const vec *)in, (const vec *)words, tail); \
        VEC_LEAVE();                                                                              \
    }

#define FORM_FUNCTION(name, ...)                                                                              \
    static void compress_prepared_##name(uint32_t *out, bool whole, const pleach__blake2s_prepared *prepared, \
                                         const uint32_t *words)                                               \
    {                                                                                                         \
        compress_prepared(ZERO_##name, COMPUTED_##name, (vec *)out, whole, (const vec *)prepared->word,       \
                          (const vec *)words);                                                                \
        VEC_LEAVE();                                                                                          \
    }

PLEACH__BLAKE2S_BLOCKS(BLOCK_FUNCTION)
PLEACH__BLAKE2S_FORMS(FORM_FUNCTION)

static void prepare(pleach__blake2s_prepared *prepared, pleach__blake2s_form form, const uint32_t *in,
                    const uint32_t *words, const pleach__blake2s_tail *tail)
{
#define MASKS(name, ...) {ZERO_##name, COMPUTED_##name},
    static const unsigned masks[][2] = {PLEACH__BLAKE2S_FORMS(MASKS)};
#undef MASKS
    prepare_lanes(masks[form][0], masks[form][1], (vec *)prepared->word, (const vec *)in, (const vec *)words, tail);
    VEC_LEAVE();
}

static void chain(uint32_t *words, const pleach__blake2s_prepared *prepared, uint32_t increment, size_t steps)
{
    vec *m = (vec *)words;
    for (; steps > 0; steps--) {
        compress_prepared_CHAIN((uint32_t *)(m + 8), false, prepared, words);
        vec first = m[0];
        VEC_ADD(first, VEC_SPLAT(increment));
        m[0] = first;
    }
    VEC_LEAVE();
}

static void spread(uint32_t *words, const uint32_t *equal, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((vec *)words)[i] = VEC_SPLAT(equal[i]);
    VEC_LEAVE();
}

#define BLOCK_ENTRY(name, its_zero)              compress_##name,
#define FORM_ENTRY(name, its_zero, its_computed) compress_prepared_##name,
static const pleach__compress_lanes compress_lanes = {
    .lanes = LANES,
    .compress = {PLEACH__BLAKE2S_BLOCKS(BLOCK_ENTRY)},
    .prepare = prepare,
    .compress_prepared = {PLEACH__BLAKE2S_FORMS(FORM_ENTRY)},
    .chain = chain,
    .spread = spread,
};

#endif
