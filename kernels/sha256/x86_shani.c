/*
 * SHA-256 with SHA-NI, messages interleaved: one alone waits for the latency of sha256rnds2, each depending on the one
 * before. Compiled without AVX: legacy-encoded instructions are slow while the upper halves of the vector registers are
 * dirty, so no code here may touch those.
 */
#include "kernels/sha256/tables.h"

#include "kernels/cpu.h"

#include <immintrin.h>
#include <stdbool.h>
#include <stddef.h>

#define INLINE static inline __attribute__((always_inline))

enum { LANES = 2 };

typedef __m128i four;

/* In the order of the instructions. */
typedef struct state {
    __m128i abef, cdgh;
} state;

INLINE __m128i load16(const void *p)
{
    return _mm_loadu_si128(p);
}

INLINE void store16(void *p, __m128i x)
{
    _mm_storeu_si128(p, x);
}

INLINE __m128i swap_bytes(__m128i x)
{
    return _mm_shuffle_epi8(x, _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));
}

/* The first 16 bytes of a block that begins with a prefix. */
INLINE __m128i load16_prefixed(const uint8_t *p, int prefix)
{
    return _mm_alignr_epi8(load16(p), _mm_slli_si128(_mm_cvtsi32_si128(prefix), 15), 15);
}

INLINE __m128i of_words(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    return _mm_setr_epi32((int)a, (int)b, (int)c, (int)d);
}

/* Byte 31, the padding bit, and zeros. */
INLINE __m128i end_of_digest(const uint8_t *p)
{
    __m128i end = _mm_insert_epi16(_mm_srli_si128(load16(p + 16), 15), 0, 1);
    return swap_bytes(_mm_or_si128(end, _mm_cvtsi32_si128(0x8000)));
}

INLINE state initial(void)
{
    __m128i badc = _mm_shuffle_epi32(load16(pleach__sha256_iv), 0xb1);
    __m128i hgfe = _mm_shuffle_epi32(load16(pleach__sha256_iv + 4), 0x1b);
    return (state){_mm_alignr_epi8(badc, hgfe, 8), _mm_blend_epi16(hgfe, badc, 0xf0)};
}

INLINE void unpack(state s, __m128i *abcd, __m128i *efgh)
{
    __m128i feba = _mm_shuffle_epi32(s.abef, 0x1b), dchg = _mm_shuffle_epi32(s.cdgh, 0xb1);
    *abcd = _mm_blend_epi16(feba, dchg, 0xf0);
    *efgh = _mm_alignr_epi8(dchg, feba, 8);
}

INLINE state plus(state x, state y)
{
    return (state){_mm_add_epi32(x.abef, y.abef), _mm_add_epi32(x.cdgh, y.cdgh)};
}

/* Rounds 4t .. 4t + 3 of a message; v becomes words 4t .. 4t + 3 in place of those of 16 rounds before. */
INLINE void four_rounds(state *s, __m128i *v, const uint32_t *k, int t)
{
    if (t >= 4) {
        __m128i x = _mm_sha256msg1_epu32(v[t & 3], v[(t + 1) & 3]);
        x = _mm_add_epi32(x, _mm_alignr_epi8(v[(t + 3) & 3], v[(t + 2) & 3], 4));
        v[t & 3] = _mm_sha256msg2_epu32(x, v[(t + 3) & 3]);
    }
    __m128i kw = _mm_add_epi32(v[t & 3], _mm_load_si128((const void *)(k + 4 * t)));
    s->cdgh = _mm_sha256rnds2_epu32(s->cdgh, s->abef, kw);
    s->abef = _mm_sha256rnds2_epu32(s->abef, s->cdgh, _mm_shuffle_epi32(kw, 0x0e));
}

/* The same with K + W at p: each instruction loads its own two words, so there are no message instructions or shuffles.
 */
INLINE void four_known_rounds(state *s, const uint32_t *p, uint32_t first_word)
{
    __m128i low = _mm_loadl_epi64((const void *)p), high = _mm_loadl_epi64((const void *)(p + 2));
    low = _mm_add_epi32(low, _mm_cvtsi32_si128((int)first_word));
    s->cdgh = _mm_sha256rnds2_epu32(s->cdgh, s->abef, low);
    s->abef = _mm_sha256rnds2_epu32(s->abef, s->cdgh, high);
}

#define STEP(step, t)   \
    do {                \
        step(0, t);     \
        if (n > 1) {    \
            step(1, t); \
        }               \
    } while (0)
/* The host may have left upper halves dirty. */
static void begin(void)
{
    if (pleach__cpu_features()->avx2)
        __asm__ volatile("vzeroupper");
}

#include "kernels/sha256/streams.h"

static void fold(const pleach__fold *work)
{
    pleach__fold_levels(work, &pleach__sha256_shani);
}

static void hash_list(const pleach__list *list)
{
    list_streams(list, &pleach__sha256_shani);
}

static bool usable(const pleach__cpu *cpu)
{
    return cpu->sha_ni && cpu->sse41;
}

const pleach__backend pleach__sha256_shani = SHA256_BACKEND("shani", "SHA-NI, SSE4.1");
