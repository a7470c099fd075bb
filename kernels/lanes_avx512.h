/*
 * Sixteen inputs in the lanes of 512-bit vectors. Compile with -mavx512f -mavx512bw -mavx512vl -mavx512dq. See lanes.h.
 *
 * Lanes 0-3 hold inputs 0 2 4 6, lanes 4-7 hold 1 3 5 7, lanes 8-11 hold 8 10 12 14, lanes 12-15 hold 9 11 13 15. Two
 * digests that share a 64-byte line are then four lanes apart, and one two-source permutation builds the line.
 */
#ifndef PLEACH_LANES_AVX512_H
#define PLEACH_LANES_AVX512_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))

enum { LANES_LOG2 = 4, LANES = 1 << LANES_LOG2, MASKED_LOADS = 1 };

/* The lane of an input. */
#define LANE(i) ((((i) >> 3) * 2 + ((i)&1)) * 4 + (((i) >> 1) & 3))

typedef __m512i vec;

#define VEC_ADD(a, b)         ((a) = _mm512_add_epi32(a, b))
#define VEC_XOR(a, b)         ((a) = _mm512_xor_si512(a, b))
#define VEC_ADD_XOR(c, d, b)  (VEC_ADD(c, d), VEC_XOR(b, c))
#define VEC_ROTR(a, n)        ((a) = _mm512_ror_epi32(a, n))
#define VEC_ADD_MEMORY(a, b)  __asm__("vpaddd %1, %0, %0" : "+v"(a) : "m"(b))
#define VEC_ADD_WORD(a, m, i) VEC_ADD_MEMORY(a, (m)[i])
#define VEC_ADD_SPLAT(a, b)   __asm__("vpaddd %1%{1to16%}, %0, %0" : "+v"(a) : "m"(b))
#define VEC_SPLAT(word)       _mm512_set1_epi32((int)(word))
#define VEC_XOR3(a, b, c)     _mm512_ternarylogic_epi32(a, b, c, 0x96)
#define VEC_LEAVE()           _mm256_zeroupper()
/* Two limbs of 16 bits to a lane. */
#define VEC_ADD_LIMBS(a, b)      _mm512_add_epi16(a, b)
#define VEC_SUBTRACT_LIMBS(a, b) _mm512_sub_epi16(a, b)

/* Eight words of sixteen inputs: digests, chaining values or half a message. */
typedef struct lanes {
    vec word[8];
} lanes;

/* Four vectors of words a b c d | ... -> t[k] holds word k of each 128-bit part. */
#define TRANSPOSE4(t, r)                                                                                      \
    do {                                                                                                      \
        const vec lo01 = _mm512_unpacklo_epi32((r)[0], (r)[1]), hi01 = _mm512_unpackhi_epi32((r)[0], (r)[1]); \
        const vec lo23 = _mm512_unpacklo_epi32((r)[2], (r)[3]), hi23 = _mm512_unpackhi_epi32((r)[2], (r)[3]); \
        (t)[0] = _mm512_unpacklo_epi64(lo01, lo23);                                                           \
        (t)[1] = _mm512_unpackhi_epi64(lo01, lo23);                                                           \
        (t)[2] = _mm512_unpacklo_epi64(hi01, hi23);                                                           \
        (t)[3] = _mm512_unpackhi_epi64(hi01, hi23);                                                           \
    } while (0)

/* r[j]: 32 bytes each of inputs 2j and 2j + 1 -> eight message words. */
INLINE void transpose(vec *m, const vec r[8])
{
    vec a[4], b[4];
    TRANSPOSE4(a, r);
    TRANSPOSE4(b, r + 4);
    m[0] = _mm512_shuffle_i32x4(a[0], b[0], 0x88);
    m[1] = _mm512_shuffle_i32x4(a[1], b[1], 0x88);
    m[2] = _mm512_shuffle_i32x4(a[2], b[2], 0x88);
    m[3] = _mm512_shuffle_i32x4(a[3], b[3], 0x88);
    m[4] = _mm512_shuffle_i32x4(a[0], b[0], 0xdd);
    m[5] = _mm512_shuffle_i32x4(a[1], b[1], 0xdd);
    m[6] = _mm512_shuffle_i32x4(a[2], b[2], 0xdd);
    m[7] = _mm512_shuffle_i32x4(a[3], b[3], 0xdd);
}

/* 32 bytes each of two inputs. The masked form reads only the bytes named; their neighbours need not exist. */
INLINE vec two(const uint8_t *a, const uint8_t *b)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256((const void *)a)),
                              _mm256_loadu_si256((const void *)b), 1);
}

INLINE vec two_masked(const uint8_t *a, const uint8_t *b, __mmask32 mask)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_maskz_loadu_epi8(mask, a)),
                              _mm256_maskz_loadu_epi8(mask, b), 1);
}

/*
 * Words 0 .. 7 (half 0) or 8 .. 15 (half 1) of the message, to m, from inputs at a stride: six registers address all
 * rows. The empty asm keeps gcc from computing sixteen addresses for both halves at once, which it would then spill.
 */
INLINE void load_half(vec *m, const uint8_t *block, size_t stride, uint64_t mask, int half)
{
    const uint8_t *p = block + 32 * half;
    size_t s = stride;
    __asm__("" : "+r"(p), "+r"(s));
    const size_t s3 = 3 * s, s5 = 5 * s, s7 = 7 * s;
    const uint8_t *q = p + 8 * s;
    if (mask == UINT64_MAX) {
        const vec r[8] = {two(p, p + s), two(p + 2 * s, p + s3), two(p + 4 * s, p + s5), two(p + 2 * s3, p + s7),
                          two(q, q + s), two(q + 2 * s, q + s3), two(q + 4 * s, q + s5), two(q + 2 * s3, q + s7)};
        transpose(m, r);
    } else {
        const __mmask32 k = (__mmask32)(mask >> 32 * half);
        const vec r[8] = {two_masked(p, p + s, k),          two_masked(p + 2 * s, p + s3, k),
                          two_masked(p + 4 * s, p + s5, k), two_masked(p + 2 * s3, p + s7, k),
                          two_masked(q, q + s, k),          two_masked(q + 2 * s, q + s3, k),
                          two_masked(q + 4 * s, q + s5, k), two_masked(q + 2 * s3, q + s7, k)};
        transpose(m, r);
    }
}

/* Those bytes of a block that `mask` has, and zeros for the others. */
static inline void copy_block(uint8_t *to, const uint8_t *block, uint64_t mask)
{
    _mm512_storeu_si512(to, _mm512_maskz_loadu_epi8(mask, block));
}

/* Where the left child of the parent in lane LANE(p) is, in two groups of nodes. */
#define LEFT(p) (LANE((2 * (p)) & 15) + ((p) >= 8 ? 16 : 0))

/* Two groups of sixteen nodes -> half of the messages of their parents: the left children, or the right ones. */
INLINE void pair_half(vec *m, const lanes *left, const lanes *right, int half)
{
    _Alignas(64) static const int left_child[LANES] = {LEFT(0), LEFT(2),  LEFT(4),  LEFT(6),  LEFT(1),  LEFT(3),
                                                       LEFT(5), LEFT(7),  LEFT(8),  LEFT(10), LEFT(12), LEFT(14),
                                                       LEFT(9), LEFT(11), LEFT(13), LEFT(15)};
    vec child = _mm512_load_si512(left_child);
    if (half)
        child = _mm512_add_epi32(child, _mm512_set1_epi32(4));
    m[0] = _mm512_permutex2var_epi32(left->word[0], child, right->word[0]);
    m[1] = _mm512_permutex2var_epi32(left->word[1], child, right->word[1]);
    m[2] = _mm512_permutex2var_epi32(left->word[2], child, right->word[2]);
    m[3] = _mm512_permutex2var_epi32(left->word[3], child, right->word[3]);
    m[4] = _mm512_permutex2var_epi32(left->word[4], child, right->word[4]);
    m[5] = _mm512_permutex2var_epi32(left->word[5], child, right->word[5]);
    m[6] = _mm512_permutex2var_epi32(left->word[6], child, right->word[6]);
    m[7] = _mm512_permutex2var_epi32(left->word[7], child, right->word[7]);
}

/* Sixteen digests in input order. */
INLINE void store_digests(uint8_t *out, const lanes *h)
{
    static const long long low_quads[8] = {0, 1, 8, 9, 2, 3, 10, 11}, high_quads[8] = {4, 5, 12, 13, 6, 7, 14, 15};
    const vec low = _mm512_loadu_si512(low_quads), high = _mm512_loadu_si512(high_quads);
    vec a[4], b[4];
    TRANSPOSE4(a, h->word);
    TRANSPOSE4(b, h->word + 4);
    _mm512_storeu_si512(out, _mm512_permutex2var_epi64(a[0], low, b[0]));
    _mm512_storeu_si512(out + 64, _mm512_permutex2var_epi64(a[1], low, b[1]));
    _mm512_storeu_si512(out + 128, _mm512_permutex2var_epi64(a[2], low, b[2]));
    _mm512_storeu_si512(out + 192, _mm512_permutex2var_epi64(a[3], low, b[3]));
    _mm512_storeu_si512(out + 256, _mm512_permutex2var_epi64(a[0], high, b[0]));
    _mm512_storeu_si512(out + 320, _mm512_permutex2var_epi64(a[1], high, b[1]));
    _mm512_storeu_si512(out + 384, _mm512_permutex2var_epi64(a[2], high, b[2]));
    _mm512_storeu_si512(out + 448, _mm512_permutex2var_epi64(a[3], high, b[3]));
}

#endif
