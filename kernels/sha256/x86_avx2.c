#include "kernels/sha256/sha256.h"

#include <immintrin.h>
#include <string.h>

typedef __m256i vec;
#define V_STATE         vec a, b, c, d, e, f, g, h, kept
#define V_ADD(x, y)     _mm256_add_epi32(x, y)
#define V_ROR(x, n)     rotate(x, n)
#define V_SHR(x, n)     _mm256_srli_epi32(x, n)
#define V_XOR3(x, y, z) exclusive_or(exclusive_or(x, y), z)
#define V_CH(e, f, g)   _mm256_xor_si256(_mm256_and_si256(_mm256_xor_si256(f, g), e), g)
#define V_MAJ(x, a, b, c)                                       \
    do {                                                        \
        vec ab = _mm256_xor_si256(a, b);                        \
        DO(x, _mm256_xor_si256(_mm256_and_si256(kept, ab), b)); \
        kept = ab;                                              \
    } while (0)
#define V_KEEP(b, c) (kept = _mm256_xor_si256(b, c))
#define V_ALL(p)     _mm256_set1_epi32((int)*(p))
#define V_PIN(x)     __asm__ volatile("" : "+x"(x))

/*
 * Between two pins clang takes the operations of floating point, xor and or, whose results reach those of integers a
 * cycle later; hence this, and a sum in rotate().
 */
static inline __attribute__((always_inline)) vec exclusive_or(vec x, vec y)
{
    vec z;
    __asm__("vpxor %2, %1, %0" : "=x"(z) : "x"(x), "x"(y));
    return z;
}

/* Only two ports take shifts: these crowd where compilers are free to move one of the two among other operations. */
static inline __attribute__((always_inline)) vec rotate(vec x, int n)
{
    vec low = _mm256_srli_epi32(x, n), high;
    V_PIN(low);
    high = _mm256_slli_epi32(x, 32 - n);
    V_PIN(high);
    return _mm256_add_epi32(low, high);
}

#include "kernels/sha256/x86_lanes8.h"

/* The first 16 bytes of blocks that begin with a prefix. */
INLINE void load_first_prefixed(vec m[4], const void *const *row, int prefix)
{
    const vec before = _mm256_set1_epi32((int)((unsigned)prefix << 24));
    vec t[4];
#define SHIFTED(l) _mm256_alignr_epi8(ROW_HALVES(row, l, 0), before, 15)
    transpose4(t, SHIFTED(0), SHIFTED(1), SHIFTED(2), SHIFTED(3));
#undef SHIFTED
    swap_four(m, t);
}

/* Byte `at` of each row, in the highest byte of its lane. */
INLINE vec load_byte(const void *const *row, size_t at)
{
#define BYTE(l) (int)((uint32_t)((const uint8_t *)row[l])[at] << 24)
    return _mm256_setr_epi32(BYTE(0), BYTE(1), BYTE(2), BYTE(3), BYTE(4), BYTE(5), BYTE(6), BYTE(7));
#undef BYTE
}

INLINE vec splat(uint32_t word)
{
    return _mm256_set1_epi32((int)word);
}

INLINE void leave(void)
{
    _mm256_zeroupper();
}

#include "kernels/sha256/entries.h"

static void fold(const pleach__fold *work)
{
    pleach__fold_levels(work, &pleach__sha256_avx2);
}

static bool usable(const pleach__cpu *cpu)
{
    return cpu->avx2;
}

const pleach__backend pleach__sha256_avx2 = SHA256_BACKEND("avx2", "AVX2");
