/*
 * Eight messages in the lanes of 256-bit vectors, for AVX2 and for AVX-512VL. The including file defines what
 * compress.h asks for.
 */
#ifndef PLEACH_SHA256_X86_LANES8_H
#define PLEACH_SHA256_X86_LANES8_H

#include "kernels/sha256/compress.h"

#include <immintrin.h>
#include <stddef.h>

#define INLINE static inline __attribute__((always_inline))

enum { LANES = 8 };

INLINE vec swap_bytes(vec x)
{
    return _mm256_shuffle_epi8(
        x, _mm256_broadcastsi128_si256(_mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12)));
}

/* The low one in the low half. The second comes by an inserting load, which is not a shuffle. */
INLINE vec load_halves(const void *low, const void *high)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(low)), _mm_loadu_si128(high), 1);
}

/* t[k] becomes the words k of the four vectors, in each half. */
INLINE void transpose4(vec t[4], vec x0, vec x1, vec x2, vec x3)
{
    vec low01 = _mm256_unpacklo_epi32(x0, x1), high01 = _mm256_unpackhi_epi32(x0, x1);
    vec low23 = _mm256_unpacklo_epi32(x2, x3), high23 = _mm256_unpackhi_epi32(x2, x3);
    t[0] = _mm256_unpacklo_epi64(low01, low23);
    t[1] = _mm256_unpackhi_epi64(low01, low23);
    t[2] = _mm256_unpacklo_epi64(high01, high23);
    t[3] = _mm256_unpackhi_epi64(high01, high23);
}

#define ROW_HALVES(row, l, at) load_halves((const char *)(row)[l] + (at), (const char *)(row)[(l) + 4] + (at))

/* Four words of each row from byte `at` on, as they lie in memory. */
INLINE void load_four(vec m[4], const void *const *row, size_t at)
{
    transpose4(m, ROW_HALVES(row, 0, at), ROW_HALVES(row, 1, at), ROW_HALVES(row, 2, at), ROW_HALVES(row, 3, at));
}

#include "kernels/sha256/load_words.h"

INLINE void store_digests(const vec s[8], uint8_t *out)
{
    vec low[4], high[4];
    transpose4(low, swap_bytes(s[0]), swap_bytes(s[1]), swap_bytes(s[2]), swap_bytes(s[3]));
    transpose4(high, swap_bytes(s[4]), swap_bytes(s[5]), swap_bytes(s[6]), swap_bytes(s[7]));
#define STORE(l)                                                                                     \
    _mm256_storeu_si256((void *)(out + 32 * (l)), _mm256_permute2x128_si256(low[l], high[l], 0x20)); \
    _mm256_storeu_si256((void *)(out + 32 * ((l) + 4)), _mm256_permute2x128_si256(low[l], high[l], 0x31))
    STORE(0);
    STORE(1);
    STORE(2);
    STORE(3);
#undef STORE
}

#endif
