#include "kernels/lanes_avx2.h"

#include "kernels/blake2s/compress_lanes.h"

#define VEC_AND(a, b)          _mm256_and_si256(a, b)
#define VEC_OR(a, b)           _mm256_or_si256(a, b)
#define VEC_MULTIPLY(a, b)     _mm256_mullo_epi32(a, b)
#define VEC_SHIFT_LEFT(a, n)   _mm256_slli_epi32(a, n)
#define VEC_SHIFT_RIGHT(a, n)  _mm256_srli_epi32(a, n)
#define VEC_SELECT(test, a, b) _mm256_blendv_epi8(a, b, _mm256_cmpeq_epi32(test, _mm256_setzero_si256()))

/* Lane 4 e + j is part e of row vector j. */
#define ROW(l)                 (2 * ((l)&3) + ((l) >> 2))
#define LANES_TO_RECORDS(r, w) rows_to_lanes(r, w)
#define GATHER_ROWS(r, FROM)            \
    do {                                \
        (r)[0] = two(FROM(0), FROM(4)); \
        (r)[1] = two(FROM(1), FROM(5)); \
        (r)[2] = two(FROM(2), FROM(6)); \
        (r)[3] = two(FROM(3), FROM(7)); \
    } while (0)

INLINE void rows_to_lanes(vec w[4], const vec r[4])
{
    TRANSPOSE4(w, r[0], r[1], r[2], r[3]);
}

INLINE void merge_rows(vec w[4], const vec r[4], vec test)
{
    const vec stays = _mm256_cmpeq_epi32(test, _mm256_setzero_si256());
    vec new[4];
    rows_to_lanes(new, r);
    for (int i = 0; i < 4; i++)
        w[i] = _mm256_blendv_epi8(new[i], w[i], stays);
}

#include "xmss/walk.h"

const pleach__xmss_walk pleach__xmss_avx2 = XMSS_WALK;
