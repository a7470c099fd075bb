#include "kernels/lanes_neon.h"

#include "kernels/blake2s/compress_lanes.h"

#define EACH(op, a, b)         ((vec){op((a).low, (b).low), op((a).high, (b).high)})
#define VEC_AND(a, b)          vec_and(a, b)
#define VEC_OR(a, b)           vec_or(a, b)
#define VEC_MULTIPLY(a, b)     vec_multiply(a, b)
#define VEC_SHIFT_LEFT(a, n)   vec_shift_left(a, n)
#define VEC_SHIFT_RIGHT(a, n)  vec_shift_left(a, -(n))
#define VEC_SELECT(test, a, b) vec_select(test, a, b)

/* Lane 4 e + j is part e of row vector j. */
#define ROW(l)                 (2 * ((l)&3) + ((l) >> 2))
#define LANES_TO_RECORDS(r, w) rows_to_lanes(r, w)
#define GATHER_ROWS(r, FROM)                              \
    do {                                                  \
        (r)[0] = (vec){load16(FROM(0)), load16(FROM(4))}; \
        (r)[1] = (vec){load16(FROM(1)), load16(FROM(5))}; \
        (r)[2] = (vec){load16(FROM(2)), load16(FROM(6))}; \
        (r)[3] = (vec){load16(FROM(3)), load16(FROM(7))}; \
    } while (0)

INLINE vec vec_and(vec a, vec b)
{
    return EACH(vandq_u32, a, b);
}

INLINE vec vec_or(vec a, vec b)
{
    return EACH(vorrq_u32, a, b);
}

INLINE vec vec_multiply(vec a, vec b)
{
    return EACH(vmulq_u32, a, b);
}

/* To the right if n < 0. */
INLINE vec vec_shift_left(vec a, int n)
{
    const int32x4_t by = vdupq_n_s32(n);
    return (vec){vshlq_u32(a.low, by), vshlq_u32(a.high, by)};
}

INLINE vec vec_select(vec test, vec a, vec b)
{
    const vec set = EACH(vtstq_u32, test, test);
    return (vec){vbslq_u32(set.low, a.low, b.low), vbslq_u32(set.high, a.high, b.high)};
}

INLINE void rows_to_lanes(vec w[4], const vec r[4])
{
    TRANSPOSE4(w, low, r[0].low, r[1].low, r[2].low, r[3].low);
    TRANSPOSE4(w, high, r[0].high, r[1].high, r[2].high, r[3].high);
}

INLINE void merge_rows(vec w[4], const vec r[4], vec test)
{
    vec new[4];
    rows_to_lanes(new, r);
    for (int i = 0; i < 4; i++)
        w[i] = vec_select(test, new[i], w[i]);
}

#include "xmss/walk.h"

const pleach__xmss_walk pleach__xmss_neon = XMSS_WALK;
