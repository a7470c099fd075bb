/* Eight inputs in the lanes of 256-bit vectors, in order. Compile with -mavx2. See lanes.h. */
#ifndef PLEACH_LANES_AVX2_H
#define PLEACH_LANES_AVX2_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum { LANES_LOG2 = 3, LANES = 1 << LANES_LOG2, MASKED_LOADS = 0 };

/* The lane of an input. */
#define LANE(i) (i)

typedef __m256i vec;

#define VEC_ADD(a, b)         ((a) = _mm256_add_epi32(a, b))
#define VEC_XOR(a, b)         ((a) = _mm256_xor_si256(a, b))
#define VEC_ADD_MEMORY(a, b)  __asm__("vpaddd %1, %0, %0" : "+x"(a) : "m"(b))
#define VEC_ADD_WORD(a, m, i) VEC_ADD_MEMORY(a, (m)[i])
/*
 * Sixteen registers hold the state, and a rotation needs one more. gcc makes room by spilling what the next operation
 * waits for, unless it is told to keep in memory a word that can wait; clang chooses well by itself.
 */
#if defined(__clang__)
#define VEC_ADD_XOR(c, d, b) (VEC_ADD(c, d), VEC_XOR(b, c))
#else
#define VEC_ADD_XOR(c, d, b)    VEC_ADD_XOR_##c(c, d, b)
#define VEC_ADD_XOR_v8(c, d, b) (VEC_ADD(c, d), VEC_XOR(b, c))
#define VEC_ADD_XOR_v9          VEC_ADD_XOR_v8
#define VEC_ADD_XOR_va          VEC_ADD_XOR_v8
#define VEC_ADD_XOR_vb(c, d, b)                                                       \
    do {                                                                              \
        vec sum;                                                                      \
        __asm__("vpaddd %0, %2, %1\n\tvmovdqa %1, %0" : "+m"(c), "=x"(sum) : "x"(d)); \
        VEC_XOR(b, sum);                                                              \
    } while (0)
#endif
#define VEC_ROTR(a, n) VEC_ROTR_##n(a)
/* The shuffle masks are memory operands: registers hold the state and nothing else. */
#define VEC_ROTR_16(a)    __asm__("vpshufb %1, %0, %0" : "+x"(a) : "m"(rotate_16))
#define VEC_ROTR_8(a)     __asm__("vpshufb %1, %0, %0" : "+x"(a) : "m"(rotate_8))
#define VEC_ROTR_12(a)    ((a) = _mm256_or_si256(_mm256_srli_epi32(a, 12), _mm256_slli_epi32(a, 20)))
#define VEC_ROTR_7(a)     ((a) = _mm256_or_si256(_mm256_srli_epi32(a, 7), _mm256_slli_epi32(a, 25)))
#define VEC_SPLAT(word)   _mm256_set1_epi32((int)(word))
#define VEC_XOR3(a, b, c) _mm256_xor_si256(_mm256_xor_si256(a, b), c)
#define VEC_LEAVE()       _mm256_zeroupper()
/* Two limbs of 16 bits to a lane. */
#define VEC_ADD_LIMBS(a, b)      _mm256_add_epi16(a, b)
#define VEC_SUBTRACT_LIMBS(a, b) _mm256_sub_epi16(a, b)

typedef struct mask256 {
    _Alignas(32) uint8_t byte[32];
} mask256;

static const mask256 rotate_16 = {
    {2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13}};
static const mask256 rotate_8 = {
    {1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12, 1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12}};

/* Eight words of eight inputs: digests, chaining values or half a message. */
typedef struct lanes {
    vec word[8];
} lanes;

/* Four vectors of words a b c d | ... -> t[k] holds word k of each 128-bit part. */
#define TRANSPOSE4(t, r0, r1, r2, r3)                                                         \
    do {                                                                                      \
        const vec lo01 = _mm256_unpacklo_epi32(r0, r1), hi01 = _mm256_unpackhi_epi32(r0, r1); \
        const vec lo23 = _mm256_unpacklo_epi32(r2, r3), hi23 = _mm256_unpackhi_epi32(r2, r3); \
        (t)[0] = _mm256_unpacklo_epi64(lo01, lo23);                                           \
        (t)[1] = _mm256_unpackhi_epi64(lo01, lo23);                                           \
        (t)[2] = _mm256_unpacklo_epi64(hi01, hi23);                                           \
        (t)[3] = _mm256_unpackhi_epi64(hi01, hi23);                                           \
    } while (0)

INLINE vec two(const uint8_t *a, const uint8_t *b)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const void *)a)),
                                   _mm_loadu_si128((const void *)b), 1);
}

/* Words 0 .. 7 (half 0) or 8 .. 15 (half 1) of the message; m is the half's place. */
INLINE void load_half(vec *m, const uint8_t *block, size_t stride, uint64_t mask, int half)
{
    (void)mask;
    const uint8_t *p = block + 32 * half;
    size_t s = stride;
    __asm__("" : "+r"(p), "+r"(s)); /* addresses are computed anew, not kept across rounds */
    const uint8_t *q = p + 4 * s;
    const size_t s3 = 3 * s;
    TRANSPOSE4(m, two(p, q), two(p + s, q + s), two(p + 2 * s, q + 2 * s), two(p + s3, q + s3));
    p += 16;
    q += 16;
    TRANSPOSE4(m + 4, two(p, q), two(p + s, q + s), two(p + 2 * s, q + 2 * s), two(p + s3, q + s3));
}

/* The first n bytes of a block, 4 <= n < 64, and zeros; no branches, as n is hard to predict in a list. */
static inline void copy_first(uint8_t *to, const uint8_t *block, size_t n)
{
    static const int32_t window[32] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
    const int32_t *words = window + 16 - n / 4;
    const vec low = _mm256_maskload_epi32((const int *)block, _mm256_loadu_si256((const void *)words));
    const vec high = _mm256_maskload_epi32((const int *)(block + 32), _mm256_loadu_si256((const void *)(words + 8)));
    uint32_t last;
    memcpy(&last, block + n - 4, sizeof last);
    last = (uint32_t)((uint64_t)last >> (32 - 8 * (n % 4)));
    _mm256_storeu_si256((void *)to, low);
    _mm256_storeu_si256((void *)(to + 32), high);
    memcpy(to + n / 4 * 4, &last, sizeof last);
}

/* Those bytes of a block that `mask` has, one run of them, and zeros for the others. */
static inline void copy_block(uint8_t *to, const uint8_t *block, uint64_t mask)
{
    if (mask == UINT64_MAX) {
        memcpy(to, block, 64);
        return;
    }
    if ((mask & 9) == 9) {
        copy_first(to, block, 64 - (size_t)__builtin_clzll(mask));
        return;
    }
    memset(to, 0, 64);
    if (mask) {
        const int begin = __builtin_ctzll(mask);
        memcpy(to + begin, block + begin, (size_t)(64 - __builtin_clzll(mask) - begin));
    }
}

/* Two groups of eight nodes -> half of the messages of their parents: the left children, or the right ones. */
INLINE void pair_half(vec *m, const lanes *left, const lanes *right, int half)
{
#define CHILDREN(i, pick)                                                                                              \
    m[i] = _mm256_permute4x64_epi64(_mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(left->word[i]),          \
                                                                          _mm256_castsi256_ps(right->word[i]), pick)), \
                                    0xd8)
#define ALL_CHILDREN(pick) \
    do {                   \
        CHILDREN(0, pick); \
        CHILDREN(1, pick); \
        CHILDREN(2, pick); \
        CHILDREN(3, pick); \
        CHILDREN(4, pick); \
        CHILDREN(5, pick); \
        CHILDREN(6, pick); \
        CHILDREN(7, pick); \
    } while (0)
    if (half)
        ALL_CHILDREN(0xdd);
    else
        ALL_CHILDREN(0x88);
#undef ALL_CHILDREN
#undef CHILDREN
}

/* Eight digests in input order. */
INLINE void store_digests(uint8_t *out, const lanes *h)
{
    vec a[4], b[4];
    TRANSPOSE4(a, h->word[0], h->word[1], h->word[2], h->word[3]);
    TRANSPOSE4(b, h->word[4], h->word[5], h->word[6], h->word[7]);
#define STORE(k)                                                                                          \
    do {                                                                                                  \
        _mm256_storeu_si256((void *)(out + 32 * (k)), _mm256_permute2x128_si256(a[k], b[k], 0x20));       \
        _mm256_storeu_si256((void *)(out + 32 * (k) + 128), _mm256_permute2x128_si256(a[k], b[k], 0x31)); \
    } while (0)
    STORE(0);
    STORE(1);
    STORE(2);
    STORE(3);
#undef STORE
}

#endif
