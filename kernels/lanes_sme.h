/* Sixteen inputs in the lanes of 512-bit vectors of streaming mode, in order: what is done outside. See lanes.h. */
#ifndef PLEACH_LANES_SME_H
#define PLEACH_LANES_SME_H

#include "kernels/lanes_copy.h"

#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))

#define LANES_QUEUED

enum { LANES_LOG2 = 4, LANES = 1 << LANES_LOG2, MASKED_LOADS = 1 };

/* The lane of an input. */
#define LANE(i) (i)

/* In memory only. */
typedef struct vec {
    _Alignas(64) uint32x4_t quarter[4];
} vec;

INLINE vec vec_splat(uint32_t word)
{
    const uint32x4_t all = vdupq_n_u32(word);
    return (vec){{all, all, all, all}};
}

#define VEC_SPLAT(word) vec_splat(word)
#define VEC_LEAVE()     ((void)0)

/* Eight words of sixteen inputs: digests, chaining values or half a message. */
typedef struct lanes {
    vec word[8];
} lanes;

#endif
