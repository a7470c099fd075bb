/* Bytes and elements of F128 in NEON registers. Included after the definition of QUAD_XOR3(x, y, z). */
#ifndef PLEACH_URM_ARM_NEON_H
#define PLEACH_URM_ARM_NEON_H

#include "kernels/urm/urm.h"

#include <arm_neon.h>

typedef uint8x16_t bytes;
typedef uint8x16_t quad;

enum { BYTES_PARTS = 4 };

#define AS16(x) vreinterpretq_u16_u8(x)
#define AS32(x) vreinterpretq_u32_u8(x)
#define AS64(x) vreinterpretq_u64_u8(x)

#define BYTES_XOR(x, y)   veorq_u8(x, y)
#define BYTES_MUL(x, y)   bytes_mul(x, y)
#define BYTES_DOUBLE(x)   bytes_double(x)
#define BYTES_STORE(p, x) vst1q_u8(p, x)

#define QUAD_LOAD(p)           vld1q_u8((const uint8_t *)(p))
#define QUAD_STORE(p, x)       vst1q_u8((uint8_t *)(p), x)
#define QUAD_STORE_BYTES(p, x) vst1q_u8((uint8_t *)(p), x)
#define QUAD_ROW(p)            vcombine_u8(vld1_u8(p), vdup_n_u8(0))
#define QUAD_XOR(x, y)         veorq_u8(x, y)
#define QUAD_KEEP(x)           __asm__("" : "+w"(x))
#define QUAD_AND(x, y)         vandq_u8(x, y)
#define QUAD_SPLAT(word)       vreinterpretq_u8_u64(vdupq_n_u64(word))
#define QUAD_LEFT(x, n)        vreinterpretq_u8_u64(vshlq_n_u64(AS64(x), n))
#define QUAD_RIGHT(x, n)       vreinterpretq_u8_u64(vshrq_n_u64(AS64(x), n))
#define QUAD_ZIP_LOW8(x, y)    vzip1q_u8(x, y)
#define QUAD_ZIP_LOW16(x, y)   vreinterpretq_u8_u16(vzip1q_u16(AS16(x), AS16(y)))
#define QUAD_ZIP_HIGH16(x, y)  vreinterpretq_u8_u16(vzip2q_u16(AS16(x), AS16(y)))
#define QUAD_ZIP_LOW32(x, y)   vreinterpretq_u8_u32(vzip1q_u32(AS32(x), AS32(y)))
#define QUAD_ZIP_HIGH32(x, y)  vreinterpretq_u8_u32(vzip2q_u32(AS32(x), AS32(y)))
#define QUAD_MUL(x, i, y, j) \
    vreinterpretq_u8_p128(vmull_p64((poly64_t)vgetq_lane_u64(AS64(x), i), (poly64_t)vgetq_lane_u64(AS64(y), j)))

#define LEAVE() (void)0

static inline uint8x16_t bytes_double(uint8x16_t x)
{
    const uint8x16_t over = vreinterpretq_u8_s8(vshrq_n_s8(vreinterpretq_s8_u8(x), 7));
    return veorq_u8(vshlq_n_u8(x, 1), vandq_u8(over, vdupq_n_u8(0x1b)));
}

static inline uint8x16_t multiply_half(uint8x8_t x, uint8x8_t y)
{
    return vreinterpretq_u8_p16(vmull_p8(vreinterpret_p8_u8(x), vreinterpret_p8_u8(y)));
}

/*
 * Products of degree below 15, and their upper bytes h twice folded back: h x^8 = h (x^4 + x^3 + x + 1), whose own
 * upper part is below x^3.
 */
static inline uint8x16_t bytes_mul(uint8x16_t x, uint8x16_t y)
{
    const uint8x8_t feedback = vdup_n_u8(0x1b);
    const uint8x16_t a = multiply_half(vget_low_u8(x), vget_low_u8(y));
    const uint8x16_t b = multiply_half(vget_high_u8(x), vget_high_u8(y));
    const uint8x16_t low = vuzp1q_u8(a, b), high = vuzp2q_u8(a, b);
    const uint8x16_t c = multiply_half(vget_low_u8(high), feedback), d = multiply_half(vget_high_u8(high), feedback);
    const uint8x16_t folded = vuzp1q_u8(c, d), rest = vuzp2q_u8(c, d);
    const uint8x16_t e = multiply_half(vget_low_u8(rest), feedback), f = multiply_half(vget_high_u8(rest), feedback);
    return QUAD_XOR3(low, folded, vuzp1q_u8(e, f));
}

/* Byte j of the row moves the table's words from i to i ^ j: bits 2 and 1 permute quarters, bit 0 swaps their words. */
static inline void bytes_row(uint8x16_t parts[4], const uint8_t (*rows)[64], const uint8_t *row)
{
#define QUARTER(j) vld1q_u8(rows[row[j]] + 16 * (i ^ (j) >> 1))
    for (int i = 0; i < 4; i++) {
        const uint8x16_t odd = veorq_u8(QUAD_XOR3(QUARTER(1), QUARTER(3), QUARTER(5)), QUARTER(7));
        const uint8x16_t even = QUAD_XOR3(QUARTER(0), QUARTER(2), QUARTER(4));
        parts[i] = QUAD_XOR3(even, QUARTER(6), vextq_u8(odd, odd, 8));
    }
#undef QUARTER
}

#endif
