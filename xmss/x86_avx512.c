#include "kernels/lanes_avx512.h"

#include "kernels/blake2s/compress_lanes.h"

#define VEC_AND(a, b)          _mm512_and_si512(a, b)
#define VEC_OR(a, b)           _mm512_or_si512(a, b)
#define VEC_MULTIPLY(a, b)     _mm512_mullo_epi32(a, b)
#define VEC_SHIFT_LEFT(a, n)   _mm512_slli_epi32(a, n)
#define VEC_SHIFT_RIGHT(a, n)  _mm512_srli_epi32(a, n)
#define VEC_SELECT(test, a, b) _mm512_mask_mov_epi32(b, _mm512_test_epi32_mask(test, test), a)

/* Lane 4 e + j is part e of row vector j. */
#define ROW(l)                 (4 * ((l)&3) + ((l) >> 2))
#define LANES_TO_RECORDS(r, w) rows_to_lanes(r, w)
#define GATHER_ROWS(r, FROM)                                 \
    do {                                                     \
        (r)[0] = four(FROM(0), FROM(4), FROM(8), FROM(12));  \
        (r)[1] = four(FROM(1), FROM(5), FROM(9), FROM(13));  \
        (r)[2] = four(FROM(2), FROM(6), FROM(10), FROM(14)); \
        (r)[3] = four(FROM(3), FROM(7), FROM(11), FROM(15)); \
    } while (0)

INLINE vec four(const uint8_t *a, const uint8_t *b, const uint8_t *c, const uint8_t *d)
{
    vec r = _mm512_castsi128_si512(_mm_loadu_si128((const void *)a));
    r = _mm512_inserti32x4(r, _mm_loadu_si128((const void *)b), 1);
    r = _mm512_inserti32x4(r, _mm_loadu_si128((const void *)c), 2);
    return _mm512_inserti32x4(r, _mm_loadu_si128((const void *)d), 3);
}

INLINE void rows_to_lanes(vec w[4], const vec r[4])
{
    TRANSPOSE4(w, r);
}

/* The one shuffle that ends such a transpose and can leave lanes of 32 bits alone is that of floats. */
INLINE void merge_rows(vec w[4], const vec r[4], vec test)
{
#define FLOATS(a) _mm512_castsi512_ps(a)
#define MERGE(k, a, b, pick) \
    (w[k] = _mm512_castps_si512(_mm512_mask_shuffle_ps(FLOATS(w[k]), begins, FLOATS(a), FLOATS(b), pick)))
    const __mmask16 begins = _mm512_test_epi32_mask(test, test);
    const vec low01 = _mm512_unpacklo_epi64(r[0], r[1]), high01 = _mm512_unpackhi_epi64(r[0], r[1]);
    const vec low23 = _mm512_unpacklo_epi64(r[2], r[3]), high23 = _mm512_unpackhi_epi64(r[2], r[3]);
    MERGE(0, low01, low23, 0x88);
    MERGE(1, low01, low23, 0xdd);
    MERGE(2, high01, high23, 0x88);
    MERGE(3, high01, high23, 0xdd);
#undef MERGE
#undef FLOATS
}

#include "xmss/walk.h"

const pleach__xmss_walk pleach__xmss_avx512 = XMSS_WALK;
