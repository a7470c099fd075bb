/*
 * Windows by bit matrices: no look-ups. The eight bytes of a word of a vector are eight blocks, or eight lanes; an
 * affine instruction applies one matrix to each word.
 */
#include "kernels/urm/gfni_matrices.h"

#include <immintrin.h>
#include <string.h>

#ifndef AFFINE_CONSTANT
#define AFFINE_CONSTANT 0 /* what is added to every byte */
#endif

#define INLINE static inline __attribute__((always_inline))

typedef __m512i vec;

enum { HALF = 8, GROUPS = 8 }; /* blocks of half a window; lanes 8 g .. 8 g + 7 are group g */
enum { AB, EVEN, ODD, KINDS };

#define LOAD(p)         _mm512_load_si512(p)
#define STORE(p, x)     _mm512_store_si512(p, x)
#define XOR(x, y)       _mm512_xor_si512(x, y)
#define XOR3(x, y, z)   _mm512_ternarylogic_epi64(x, y, z, 0x96)
#define AFFINE(x, m)    _mm512_gf2p8affine_epi64_epi8(x, m, AFFINE_CONSTANT)
#define BROADCAST(word) _mm512_set1_epi64((long long)(word))

/* Eight vectors of eight words, transposed. */
INLINE void transpose_words(vec r[8])
{
    vec t[8], u[8];
    for (int i = 0; i < 8; i += 2) {
        t[i] = _mm512_unpacklo_epi64(r[i], r[i + 1]);
        t[i + 1] = _mm512_unpackhi_epi64(r[i], r[i + 1]);
    }
    for (int half = 0; half < 8; half += 4)
        for (int i = 0; i < 2; i++) {
            u[half + i] = _mm512_shuffle_i64x2(t[half + i], t[half + 2 + i], 0x88);
            u[half + 2 + i] = _mm512_shuffle_i64x2(t[half + i], t[half + 2 + i], 0xdd);
        }
    for (int i = 0; i < 2; i++) {
        r[i] = _mm512_shuffle_i64x2(u[i], u[4 + i], 0x88);
        r[4 + i] = _mm512_shuffle_i64x2(u[i], u[4 + i], 0xdd);
        r[2 + i] = _mm512_shuffle_i64x2(u[2 + i], u[6 + i], 0x88);
        r[6 + i] = _mm512_shuffle_i64x2(u[2 + i], u[6 + i], 0xdd);
    }
}

/* rows[K] has, as word j, byte j of row K of eight blocks. */
INLINE void load_rows(uint64_t rows[8][8], const uint8_t *blocks, vec transpose)
{
    vec r[8];
    for (int i = 0; i < 8; i++)
        r[i] = _mm512_loadu_si512(blocks + PLEACH__URM_BLOCK * i);
    transpose_words(r);
    for (int k = 0; k < 8; k++)
        STORE(rows[k], _mm512_permutexvar_epi8(transpose, r[k]));
}

/* sums[bits][j]: the sum of the words whose index differs from j within `bits`. */
INLINE void sum_words(uint64_t sums[8][8], const uint64_t words[8])
{
    vec sum[8];
    sum[0] = LOAD(words);
    sum[4] = XOR(sum[0], _mm512_shuffle_i64x2(sum[0], sum[0], 0x4e));
    sum[2] = XOR(sum[0], _mm512_shuffle_i64x2(sum[0], sum[0], 0xb1));
    sum[6] = XOR(sum[4], _mm512_shuffle_i64x2(sum[4], sum[4], 0xb1));
    for (int bits = 0; bits < 8; bits += 2)
        sum[bits + 1] = XOR(sum[bits], _mm512_shuffle_epi32(sum[bits], 0x4e));
    for (int bits = 0; bits < 8; bits++)
        STORE(sums[bits], sum[bits]);
}

/*
 * out[g] = sum over j of x[j] * m[g ^ j], halved at bit after bit of the index. With x = (x0, x1) and m = (m0, m1) at
 * one bit: out0 = (x0 + x1) m0 + x1 (m0 + m1) and out1 = (x0 + x1) m0 + x0 (m0 + m1). `bits`: of x, those summed over;
 * `j`: its others; `m_bits`: of m. `start`, unless NULL, is added.
 */
INLINE void convolve_2(vec out[2], const vec *start, const uint64_t x[8][8], const uint64_t m[8][8], int bits, int j,
                       int m_bits)
{
    const vec shared = AFFINE(BROADCAST(x[bits | 1][j]), LOAD(m[m_bits]));
    const vec one = AFFINE(BROADCAST(x[bits][j | 1]), LOAD(m[m_bits | 1]));
    const vec zero = AFFINE(BROADCAST(x[bits][j]), LOAD(m[m_bits | 1]));
    out[0] = start ? XOR3(start[0], shared, one) : XOR(shared, one);
    out[1] = start ? XOR3(start[1], shared, zero) : XOR(shared, zero);
}

INLINE void convolve_4(vec out[4], const vec *start, const uint64_t x[8][8], const uint64_t m[8][8], int bits, int j,
                       int m_bits)
{
    vec shared[2], both[4];
    convolve_2(shared, NULL, x, m, bits | 2, j, m_bits);
    for (int i = 0; i < 4; i++)
        both[i] = start ? XOR(start[i], shared[i % 2]) : shared[i % 2];
    convolve_2(out, both, x, m, bits, j | 2, m_bits | 2);
    convolve_2(out + 2, both + 2, x, m, bits, j, m_bits | 2);
}

INLINE void convolve_8(vec out[8], const uint64_t x[8][8], const uint64_t m[8][8])
{
    vec shared[4];
    convolve_4(shared, NULL, x, m, 4, 0, 0);
    convolve_4(out, shared, x, m, 0, 4, 4);
    convolve_4(out + 4, shared, x, m, 0, 0, 4);
}

/* products[g][b]: of the eight lanes of a group, what belongs to block b of eight. */
INLINE void multiply_half(uint64_t (*products)[PLEACH__URM_BLOCKS], const pleach__gfni_matrices *t, const uint8_t *a,
                          const uint8_t *b)
{
    _Alignas(64) uint64_t rows_a[8][8], rows_b[8][8], x[8][8];
    const vec transpose = LOAD(t->transpose);
    vec sum[GROUPS], values_a[GROUPS], values_b[GROUPS];
    load_rows(rows_a, a, transpose);
    load_rows(rows_b, b, transpose);
    for (int g = 0; g < GROUPS; g++)
        sum[g] = _mm512_setzero_si512();
    for (int k = 0; k < 8; k++) {
        sum_words(x, rows_a[k]);
        convolve_8(values_a, x, t->extend[k]);
        sum_words(x, rows_b[k]);
        convolve_8(values_b, x, t->extend[0]);
        for (int g = 0; g < GROUPS; g++)
            sum[g] = XOR(sum[g], _mm512_gf2p8mul_epi8(values_a[g], values_b[g]));
    }
    for (int g = 0; g < GROUPS; g++)
        STORE(products[g], _mm512_permutexvar_epi8(transpose, sum[g]));
}

/* bits[parity][pair][g]: of the eight lanes of a group, the bits of rows of a parity in a pair of blocks. */
INLINE void gather_bits(uint64_t bits[2][PLEACH__URM_BLOCKS / 2][8], const pleach__gfni_matrices *t, const uint8_t *c)
{
    const vec identity = BROADCAST(0x8040201008040201);
    for (int pair = 0; pair < PLEACH__URM_BLOCKS / 2; pair++) {
        const vec x = _mm512_loadu_si512(c + 2 * PLEACH__URM_BLOCK * pair);
        const vec y = _mm512_loadu_si512(c + 2 * PLEACH__URM_BLOCK * pair + PLEACH__URM_BLOCK);
        for (int parity = 0; parity < 2; parity++)
            STORE(bits[parity][pair], AFFINE(identity, _mm512_permutex2var_epi8(x, LOAD(t->gather[parity]), y)));
    }
}

/* Elements of eight lanes: their lower words and their upper ones, each made of its bytes 0 of all lanes, bytes 1, ...
 */
typedef struct element_bytes {
    vec low, high;
} element_bytes;

INLINE void add_lifted(element_bytes *sum, uint64_t x, const uint64_t m[2][8], uint64_t y, const uint64_t n[2][8])
{
    const vec first = BROADCAST(x), second = BROADCAST(y);
    sum->low = XOR3(sum->low, AFFINE(first, LOAD(m[0])), AFFINE(second, LOAD(n[0])));
    sum->high = XOR3(sum->high, AFFINE(first, LOAD(m[1])), AFFINE(second, LOAD(n[1])));
}

/* Products of degree below 255 that are not reduced yet, of the even lanes of eight and of the odd ones; the middle one
   is that of the sums of the words. */
typedef struct product {
    vec low[2], high[2], middle[2];
} product;

typedef struct weight {
    vec words, sum;
} weight;

INLINE weight weight_of(pleach__f128 w)
{
    return (weight){_mm512_broadcast_i64x2(_mm_set_epi64x((long long)w.hi, (long long)w.lo)), BROADCAST(w.lo ^ w.hi)};
}

INLINE void add_product(product *p, const element_bytes *element, const weight *w, vec transpose)
{
    const vec low = _mm512_permutexvar_epi8(transpose, element->low);
    const vec high = _mm512_permutexvar_epi8(transpose, element->high), middle = XOR(low, high);
    p->low[0] = XOR(p->low[0], _mm512_clmulepi64_epi128(low, w->words, 0x00));
    p->low[1] = XOR(p->low[1], _mm512_clmulepi64_epi128(low, w->words, 0x01));
    p->high[0] = XOR(p->high[0], _mm512_clmulepi64_epi128(high, w->words, 0x10));
    p->high[1] = XOR(p->high[1], _mm512_clmulepi64_epi128(high, w->words, 0x11));
    p->middle[0] = XOR(p->middle[0], _mm512_clmulepi64_epi128(middle, w->sum, 0x00));
    p->middle[1] = XOR(p->middle[1], _mm512_clmulepi64_epi128(middle, w->sum, 0x01));
}

INLINE void add_window(const bool split, product sums[KINDS][GROUPS], const pleach__gfni_matrices *t, const uint8_t *a,
                       const uint8_t *b, const uint8_t *c, const weight *w)
{
    _Alignas(64) uint64_t products[GROUPS][PLEACH__URM_BLOCKS], bits[2][PLEACH__URM_BLOCKS / 2][8];
    const vec transpose = LOAD(t->transpose), zero = _mm512_setzero_si512();
    for (int half = 0; half < 2; half++)
        multiply_half((uint64_t(*)[PLEACH__URM_BLOCKS]) & products[0][HALF * half], t,
                      a + HALF * PLEACH__URM_BLOCK * half, b + HALF * PLEACH__URM_BLOCK * half);
    gather_bits(bits, t, c);
    for (int g = 0; g < GROUPS; g++) {
        element_bytes sum = {zero, zero};
        for (int i = 0; i < PLEACH__URM_BLOCKS; i += 2)
            add_lifted(&sum, products[g][i], t->lift[i], products[g][i + 1], t->lift[i + 1]);
        add_product(&sums[AB][g], &sum, w, transpose);
        sum = (element_bytes){zero, zero};
        for (int parity = 0; parity < 2; parity++) {
            for (int pair = 0; pair < PLEACH__URM_BLOCKS / 2; pair += 2)
                add_lifted(&sum, bits[parity][pair][g], t->lift_bits[parity][pair], bits[parity][pair + 1][g],
                           t->lift_bits[parity][pair + 1]);
            if (split) {
                add_product(&sums[EVEN + parity][g], &sum, w, transpose);
                sum = (element_bytes){zero, zero};
            }
        }
        if (!split)
            add_product(&sums[EVEN][g], &sum, w, transpose);
    }
}

/* The middle one 64 bits above the low one. */
INLINE pleach__f128 reduce(__m128i low, __m128i middle, __m128i high)
{
    uint64_t l[2], m[2], h[2];
    _mm_storeu_si128((__m128i *)l, low);
    _mm_storeu_si128((__m128i *)m, middle);
    _mm_storeu_si128((__m128i *)h, high);
    return pleach__f128_reduce(l[0], l[1] ^ m[0], h[0] ^ m[1], h[1]);
}

INLINE __m128i quarter(const vec *v, int i)
{
    return _mm_loadu_si128((const __m128i *)v + i);
}

INLINE void add_scaled(pleach__f128 *sums, const product products[GROUPS], pleach__f128 scale)
{
    const __m128i by = _mm_set_epi64x((long long)scale.hi, (long long)scale.lo);
    for (int i = 0; i < PLEACH__URM_LANES; i++) {
        const product *p = &products[i / 8];
        const int odd = i % 2, at = i % 8 / 2;
        const __m128i low = quarter(&p->low[odd], at), high = quarter(&p->high[odd], at);
        const __m128i both = _mm_xor_si128(low, high), middle = _mm_xor_si128(quarter(&p->middle[odd], at), both);
        const pleach__f128 sum = reduce(low, middle, high);
        const __m128i x = _mm_set_epi64x((long long)sum.hi, (long long)sum.lo);
        const __m128i cross = _mm_xor_si128(_mm_clmulepi64_si128(x, by, 0x01), _mm_clmulepi64_si128(x, by, 0x10));
        sums[i] = pleach__f128_add(sums[i],
                                   reduce(_mm_clmulepi64_si128(x, by, 0x00), cross, _mm_clmulepi64_si128(x, by, 0x11)));
    }
}

INLINE void add_windows(const bool split, pleach__urm_sums *sums, const pleach__urm_windows *windows)
{
    const pleach__gfni_matrices *t = pleach__gfni_look_up();
    _Alignas(64) uint8_t padded[3][PLEACH__URM_WINDOW];
    product products[KINDS][GROUPS];
    memset(products, 0, sizeof products);
    for (size_t i = 0; i < windows->n; i++) {
        const size_t at = PLEACH__URM_WINDOW * i, stored = (size_t)PLEACH__URM_BLOCK * windows->blocks[i];
        const uint8_t *a = windows->a + at, *b = windows->b + at, *c = windows->c + at;
        const weight w = weight_of(windows->weight[i]);
        if (stored == 0)
            continue;
        if (stored < PLEACH__URM_WINDOW) {
            memset(padded, 0, sizeof padded);
            a = memcpy(padded[0], a, stored);
            b = memcpy(padded[1], b, stored);
            c = memcpy(padded[2], c, stored);
        }
        add_window(split, products, t, a, b, c, &w);
    }
    add_scaled(sums->ab, products[AB], windows->scale);
    add_scaled(sums->even, products[EVEN], windows->scale);
    if (split)
        add_scaled(sums->odd, products[ODD], windows->scale);
}

static void add(pleach__urm_sums *sums, const pleach__urm_windows *windows)
{
    if (windows->split)
        add_windows(true, sums, windows);
    else
        add_windows(false, sums, windows);
    _mm256_zeroupper();
}

static bool usable(const pleach__cpu *cpu)
{
    return cpu->avx512_vbmi && cpu->gfni && cpu->vpclmul;
}

const pleach__urm_backend pleach__urm_gfni = {.backend = {.name = "gfni",
                                                          .needs = "AVX-512 F, BW, VL, DQ, VBMI, GFNI, VPCLMULQDQ",
                                                          .lanes = 64,
                                                          .usable = usable},
                                              .add = add};
