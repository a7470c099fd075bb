/*
 * Eight inputs in the lanes of two 128-bit vectors, in order; for AArch64. See lanes.h.
 *
 * A vec is a register of each of two groups of four inputs, and every operation is made on both: each operation of a
 * group waits for the one before, and one group alone would leave most of a wide core idle.
 */
#ifndef PLEACH_LANES_NEON_H
#define PLEACH_LANES_NEON_H

#include "kernels/lanes_copy.h"

#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))

enum { LANES_LOG2 = 3, LANES = 1 << LANES_LOG2, MASKED_LOADS = 0 };

/* The lane of an input. */
#define LANE(i) (i)

typedef struct vec {
    uint32x4_t low, high;
} vec;

typedef struct message {
    vec word[16];
} message;

INLINE vec vec_splat(uint32_t word)
{
    const uint32x4_t all = vdupq_n_u32(word);
    return (vec){all, all};
}

INLINE vec vec_add(vec a, vec b)
{
    return (vec){vaddq_u32(a.low, b.low), vaddq_u32(a.high, b.high)};
}

INLINE vec vec_xor(vec a, vec b)
{
    return (vec){veorq_u32(a.low, b.low), veorq_u32(a.high, b.high)};
}

INLINE vec vec_add_limbs(vec a, vec b)
{
#define AS_LIMBS(x) vreinterpretq_u16_u32(x)
    return (vec){vreinterpretq_u32_u16(vaddq_u16(AS_LIMBS(a.low), AS_LIMBS(b.low))),
                 vreinterpretq_u32_u16(vaddq_u16(AS_LIMBS(a.high), AS_LIMBS(b.high)))};
}

INLINE vec vec_subtract_limbs(vec a, vec b)
{
    return (vec){vreinterpretq_u32_u16(vsubq_u16(AS_LIMBS(a.low), AS_LIMBS(b.low))),
                 vreinterpretq_u32_u16(vsubq_u16(AS_LIMBS(a.high), AS_LIMBS(b.high)))};
#undef AS_LIMBS
}

INLINE uint32x4_t rotate_16(uint32x4_t x)
{
    return vreinterpretq_u32_u16(vrev32q_u16(vreinterpretq_u16_u32(x)));
}

INLINE uint32x4_t rotate_8(uint32x4_t x)
{
    static const uint8_t from[16] = {1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12};
    return vreinterpretq_u32_u8(vqtbl1q_u8(vreinterpretq_u8_u32(x), vld1q_u8(from)));
}

#define VEC_ADD(a, b) ((a) = vec_add(a, b))
#define VEC_XOR(a, b) ((a) = vec_xor(a, b))
/* Both registers are loaded or stored at once. */
#define VEC_ADD_MEMORY(a, b)                                                             \
    do {                                                                                 \
        uint32x4_t low_, high_;                                                          \
        __asm__("ldp %q2, %q3, %4\n\tadd %0.4s, %0.4s, %2.4s\n\tadd %1.4s, %1.4s, %3.4s" \
                : "+w"((a).low), "+w"((a).high), "=&w"(low_), "=&w"(high_)               \
                : PAIR_IN_MEMORY("", b));                                                \
    } while (0)
#define VEC_TO_MEMORY(c, a) \
    __asm__("stp %q[low], %q[high], %[pair]" : PAIR_IN_MEMORY("=", c) : [low] "w"((a).low), [high] "w"((a).high))
#define VEC_FROM_MEMORY(a, c) __asm__("ldp %q0, %q1, %2" : "=w"((a).low), "=w"((a).high) : PAIR_IN_MEMORY("", c))
#if defined(__clang__)
#define PAIR_IN_MEMORY(access, b) [pair] access "Q"(b)
#else
#define PAIR_IN_MEMORY(access, b) [pair] access "Ump"((b).low), access "m"((b).high)
#endif
#define VEC_ADD_WORD(a, m, i) VEC_ADD_MEMORY(a, VEC_WORD(m, i))
/* An element of an array that is a member has no address of its own, which gcc would keep in a register. */
#define VEC_WORD(m, i)       (((const message *)(m))->word[i])
#define VEC_ADD_XOR(c, d, b) (VEC_ADD(c, d), VEC_XOR(b, c))
#define VEC_ROTR(a, n)       VEC_ROTR_##n(a)
#define VEC_ROTR_16(a)       ((a) = (vec){rotate_16((a).low), rotate_16((a).high)})
#define VEC_ROTR_8(a)        ((a) = (vec){rotate_8((a).low), rotate_8((a).high)})
#define VEC_ROTR_12(a)       VEC_ROTATE(a, "20", "12")
#define VEC_ROTR_7(a)        VEC_ROTATE(a, "25", "7")
/* In assembly, or compilers copy a first: the insertion reads what it writes. */
#define VEC_ROTATE(a, left, right)                                                                        \
    do {                                                                                                  \
        uint32x4_t low_, high_;                                                                           \
        __asm__("shl %0.4s, %1.4s, " left "\n\tsri %0.4s, %1.4s, " right : "=&w"(low_) : "w"((a).low));   \
        __asm__("shl %0.4s, %1.4s, " left "\n\tsri %0.4s, %1.4s, " right : "=&w"(high_) : "w"((a).high)); \
        (a) = (vec){low_, high_};                                                                         \
    } while (0)
#define VEC_SPLAT(word)          vec_splat((uint32_t)(word))
#define VEC_XOR3(a, b, c)        vec_xor(vec_xor(a, b), c)
#define VEC_ADD_LIMBS(a, b)      vec_add_limbs(a, b)
#define VEC_SUBTRACT_LIMBS(a, b) vec_subtract_limbs(a, b)
#define VEC_LEAVE()              ((void)0)

/* Eight words of eight inputs: digests, chaining values or half a message. */
typedef struct lanes {
    vec word[8];
} lanes;

/* One group of four: rows of words a b c d -> vectors of words a, b, c and d. */
#define TRANSPOSE4(t, group, r0, r1, r2, r3)                                                              \
    do {                                                                                                  \
        const uint64x2_t even01 = TRANSPOSED(vtrn1q_u32, r0, r1), odd01 = TRANSPOSED(vtrn2q_u32, r0, r1); \
        const uint64x2_t even23 = TRANSPOSED(vtrn1q_u32, r2, r3), odd23 = TRANSPOSED(vtrn2q_u32, r2, r3); \
        (t)[0].group = vreinterpretq_u32_u64(vtrn1q_u64(even01, even23));                                 \
        (t)[1].group = vreinterpretq_u32_u64(vtrn1q_u64(odd01, odd23));                                   \
        (t)[2].group = vreinterpretq_u32_u64(vtrn2q_u64(even01, even23));                                 \
        (t)[3].group = vreinterpretq_u32_u64(vtrn2q_u64(odd01, odd23));                                   \
    } while (0)
#define TRANSPOSED(trn, a, b) vreinterpretq_u64_u32(trn(a, b))

/* Four words of four rows. */
#define LOAD4(t, group, p, stride) \
    TRANSPOSE4(t, group, load16(p), load16((p) + (stride)), load16((p) + 2 * (stride)), load16((p) + 3 * (stride)))

INLINE uint32x4_t load16(const uint8_t *p)
{
    return vreinterpretq_u32_u8(vld1q_u8(p));
}

/* Words 0 .. 7 (half 0) or 8 .. 15 (half 1) of the message; m is the half's place. */
INLINE void load_half(vec *m, const uint8_t *block, size_t stride, uint64_t mask, int half)
{
    (void)mask;
    const uint8_t *p = block + 32 * half, *q = p + 4 * stride;
    LOAD4(m, low, p, stride);
    LOAD4(m, high, q, stride);
    LOAD4(m + 4, low, p + 16, stride);
    LOAD4(m + 4, high, q + 16, stride);
}

/* Two groups of eight nodes -> half of the messages of their parents: the left children, or the right ones. */
INLINE void pair_half(vec *m, const lanes *left, const lanes *right, int half)
{
#define CHILDREN(pick, i) \
    (m[i] = (vec){pick(left->word[i].low, left->word[i].high), pick(right->word[i].low, right->word[i].high)})
#define ALL_CHILDREN(pick)                                                                                             \
    (CHILDREN(pick, 0), CHILDREN(pick, 1), CHILDREN(pick, 2), CHILDREN(pick, 3), CHILDREN(pick, 4), CHILDREN(pick, 5), \
     CHILDREN(pick, 6), CHILDREN(pick, 7))
    if (half)
        ALL_CHILDREN(vuzp2q_u32);
    else
        ALL_CHILDREN(vuzp1q_u32);
#undef ALL_CHILDREN
#undef CHILDREN
}

/* The digests of one group, whose words h has. */
#define STORE_GROUP(h, group, out)                                                         \
    do {                                                                                   \
        vec first_[4], last_[4];                                                           \
        TRANSPOSE4(first_, group, (h)[0].group, (h)[1].group, (h)[2].group, (h)[3].group); \
        TRANSPOSE4(last_, group, (h)[4].group, (h)[5].group, (h)[6].group, (h)[7].group);  \
        STORE_DIGEST(out, first_[0].group, last_[0].group);                                \
        STORE_DIGEST((out) + 32, first_[1].group, last_[1].group);                         \
        STORE_DIGEST((out) + 64, first_[2].group, last_[2].group);                         \
        STORE_DIGEST((out) + 96, first_[3].group, last_[3].group);                         \
    } while (0)
#define STORE_DIGEST(out, first, last) \
    (vst1q_u8(out, vreinterpretq_u8_u32(first)), vst1q_u8((out) + 16, vreinterpretq_u8_u32(last)))

/* Eight digests in input order. */
INLINE void store_digests(uint8_t *out, const lanes *h)
{
    STORE_GROUP(h->word, low, out);
    STORE_GROUP(h->word, high, out + 4 * 32);
}

#endif
