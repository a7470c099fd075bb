/*
 * SHA-256 with the instructions of ARMv8, messages interleaved: each of one message waits for the one before. Compile
 * for AArch64 with the SHA-2 extension.
 */
#include "kernels/sha256/tables.h"

#include "kernels/cpu.h"

#include <arm_neon.h>
#include <stdbool.h>
#include <stddef.h>

#define INLINE static inline __attribute__((always_inline))

enum { LANES = 4 };

typedef uint32x4_t four;

typedef struct state {
    uint32x4_t abcd, efgh;
} state;

INLINE uint32x4_t load16(const void *p)
{
    return vreinterpretq_u32_u8(vld1q_u8(p));
}

INLINE void store16(void *p, uint32x4_t x)
{
    vst1q_u8(p, vreinterpretq_u8_u32(x));
}

INLINE uint32x4_t swap_bytes(uint32x4_t x)
{
    return vreinterpretq_u32_u8(vrev32q_u8(vreinterpretq_u8_u32(x)));
}

/* The first 16 bytes of a block that begins with a prefix. */
INLINE uint32x4_t load16_prefixed(const uint8_t *p, int prefix)
{
    return vreinterpretq_u32_u8(vextq_u8(vdupq_n_u8((uint8_t)prefix), vld1q_u8(p), 15));
}

INLINE uint32x4_t of_words(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    return (uint32x4_t){a, b, c, d};
}

/* Byte 31, the padding bit, and zeros. */
INLINE uint32x4_t end_of_digest(const uint8_t *p)
{
    return of_words((uint32_t)p[31] << 24 | 0x800000, 0, 0, 0);
}

INLINE state initial(void)
{
    return (state){vld1q_u32(pleach__sha256_iv), vld1q_u32(pleach__sha256_iv + 4)};
}

INLINE void unpack(state s, uint32x4_t *abcd, uint32x4_t *efgh)
{
    *abcd = s.abcd;
    *efgh = s.efgh;
}

INLINE state plus(state x, state y)
{
    return (state){vaddq_u32(x.abcd, y.abcd), vaddq_u32(x.efgh, y.efgh)};
}

INLINE void four_rounds_of(state *s, uint32x4_t kw)
{
    const uint32x4_t abcd = s->abcd;
    s->abcd = vsha256hq_u32(abcd, s->efgh, kw);
    s->efgh = vsha256h2q_u32(s->efgh, abcd, kw);
}

/* Rounds 4t .. 4t + 3 of a message; v becomes words 4t .. 4t + 3 in place of those of 16 rounds before. */
INLINE void four_rounds(state *s, uint32x4_t *v, const uint32_t *k, int t)
{
    if (t >= 4)
        v[t & 3] = vsha256su1q_u32(vsha256su0q_u32(v[t & 3], v[(t + 1) & 3]), v[(t + 2) & 3], v[(t + 3) & 3]);
    four_rounds_of(s, vaddq_u32(v[t & 3], vld1q_u32(k + 4 * t)));
}

/* The same with K + W at p. */
INLINE void four_known_rounds(state *s, const uint32_t *p, uint32_t first_word)
{
    four_rounds_of(s, vaddq_u32(vld1q_u32(p), of_words(first_word, 0, 0, 0)));
}

#define STEP(step, t)   \
    do {                \
        step(0, t);     \
        if (n > 1) {    \
            step(1, t); \
        }               \
        if (n > 2) {    \
            step(2, t); \
            step(3, t); \
        }               \
    } while (0)

INLINE void begin(void)
{
}

#include "kernels/sha256/streams.h"

static void fold(const pleach__fold *work)
{
    pleach__fold_levels(work, &pleach__sha256_armsha2);
}

static void hash_list(const pleach__list *list)
{
    list_streams(list, &pleach__sha256_armsha2);
}

static bool usable(const pleach__cpu *cpu)
{
    return cpu->sha2;
}

const pleach__backend pleach__sha256_armsha2 = SHA256_BACKEND("armsha2", "the SHA-256 instructions of ARMv8");
