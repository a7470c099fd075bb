/* Verification of one claim at a time. */
#include "config/little_endian.h"
#include "kernels/lanes_one.h"

#include "kernels/blake2s/compress_lanes.h"

#include <string.h>

#define VEC_AND(a, b)          ((a) & (b))
#define VEC_OR(a, b)           ((a) | (b))
#define VEC_MULTIPLY(a, b)     ((a) * (b))
#define VEC_SHIFT_LEFT(a, n)   ((a) << (n))
#define VEC_SHIFT_RIGHT(a, n)  ((a) >> (n))
#define VEC_SELECT(test, a, b) ((test) ? (a) : (b))
#define ROW(l)                 (l)
#define GATHER_ROWS(r, FROM)   memcpy(r, FROM(0), 4 * sizeof *(r))
#define LANES_TO_RECORDS(r, w) memcpy(r, w, 4 * sizeof *(r))

INLINE void rows_to_lanes(vec w[4], const vec r[4])
{
    for (int i = 0; i < 4; i++)
        w[i] = pleach__get32((const uint8_t *)&r[i]);
}

INLINE void merge_rows(vec w[4], const vec r[4], vec test)
{
    if (test)
        rows_to_lanes(w, r);
}

#include "xmss/walk.h"

const pleach__xmss_walk pleach__xmss_portable = XMSS_WALK;

void pleach__xmss_verify_one(const pleach_xmss_claim *claim, pleach_status *result)
{
    scratch s;
    run(&s, &(pleach__xmss_batch){.claims = claim, .n = 1, .results = result}, 0, 1);
}
