/* Four messages in the lanes of 128-bit vectors, for AArch64 processors without instructions for SHA-256. */
#include "kernels/sha256/sha256.h"

#include <arm_neon.h>

typedef uint32x4_t vec;
#define V_STATE         vec a, b, c, d, e, f, g, h
#define V_ADD(x, y)     vaddq_u32(x, y)
#define V_ROR(x, n)     vsriq_n_u32(vshlq_n_u32(x, 32 - (n)), x, n)
#define V_SHR(x, n)     vshrq_n_u32(x, n)
#define V_XOR3(x, y, z) veorq_u32(veorq_u32(x, y), z)
#define V_CH(e, f, g)   vbslq_u32(e, f, g)
/* Where a and b agree, either; otherwise c. */
#define V_MAJ(x, a, b, c) DO(x, vbslq_u32(veorq_u32(a, b), c, b))
#define V_KEEP(b, c)
#define V_ALL(p) vld1q_dup_u32(p)
#define V_PIN(x) __asm__ volatile("" : "+w"(x))

#include "kernels/sha256/compress.h"

#define INLINE static inline __attribute__((always_inline))

enum { LANES = 4 };

INLINE vec splat(uint32_t word)
{
    return vdupq_n_u32(word);
}

INLINE void leave(void)
{
}

INLINE vec swap_bytes(vec x)
{
    return vreinterpretq_u32_u8(vrev32q_u8(vreinterpretq_u8_u32(x)));
}

INLINE vec load16(const void *p)
{
    return vreinterpretq_u32_u8(vld1q_u8(p));
}

/* t[k] becomes the words k of the four vectors. */
INLINE void transpose4(vec t[4], vec x0, vec x1, vec x2, vec x3)
{
    const uint64x2_t even01 = vreinterpretq_u64_u32(vtrn1q_u32(x0, x1));
    const uint64x2_t odd01 = vreinterpretq_u64_u32(vtrn2q_u32(x0, x1));
    const uint64x2_t even23 = vreinterpretq_u64_u32(vtrn1q_u32(x2, x3));
    const uint64x2_t odd23 = vreinterpretq_u64_u32(vtrn2q_u32(x2, x3));
    t[0] = vreinterpretq_u32_u64(vtrn1q_u64(even01, even23));
    t[1] = vreinterpretq_u32_u64(vtrn1q_u64(odd01, odd23));
    t[2] = vreinterpretq_u32_u64(vtrn2q_u64(even01, even23));
    t[3] = vreinterpretq_u32_u64(vtrn2q_u64(odd01, odd23));
}

/* Four words of each row from byte `at` on, as they lie in memory. */
INLINE void load_four(vec m[4], const void *const *row, size_t at)
{
#define ROW(l) load16((const char *)row[l] + at)
    transpose4(m, ROW(0), ROW(1), ROW(2), ROW(3));
#undef ROW
}

#include "kernels/sha256/load_words.h"

/* The first 16 bytes of blocks that begin with a prefix. */
INLINE void load_first_prefixed(vec m[4], const void *const *row, int prefix)
{
    const uint8x16_t before = vdupq_n_u8((uint8_t)prefix);
    vec t[4];
#define SHIFTED(l) vreinterpretq_u32_u8(vextq_u8(before, vld1q_u8(row[l]), 15))
    transpose4(t, SHIFTED(0), SHIFTED(1), SHIFTED(2), SHIFTED(3));
#undef SHIFTED
    swap_four(m, t);
}

/* Byte `at` of each row, in the highest byte of its lane. */
INLINE vec load_byte(const void *const *row, size_t at)
{
#define BYTE(l) (uint32_t)((const uint8_t *)row[l])[at] << 24
    return (vec){BYTE(0), BYTE(1), BYTE(2), BYTE(3)};
#undef BYTE
}

INLINE void store_digests(const vec s[8], uint8_t *out)
{
    vec first[4], last[4];
    transpose4(first, swap_bytes(s[0]), swap_bytes(s[1]), swap_bytes(s[2]), swap_bytes(s[3]));
    transpose4(last, swap_bytes(s[4]), swap_bytes(s[5]), swap_bytes(s[6]), swap_bytes(s[7]));
    for (int l = 0; l < LANES; l++) {
        vst1q_u8(out + PLEACH_DIGEST_SIZE * l, vreinterpretq_u8_u32(first[l]));
        vst1q_u8(out + PLEACH_DIGEST_SIZE * l + 16, vreinterpretq_u8_u32(last[l]));
    }
}

#include "kernels/sha256/entries.h"

static void fold(const pleach__fold *work)
{
    pleach__fold_levels(work, &pleach__sha256_neon);
}

static bool usable(const pleach__cpu *cpu)
{
    (void)cpu;
    return true;
}

const pleach__backend pleach__sha256_neon = SHA256_BACKEND("neon", "NEON, which AArch64 always has");
