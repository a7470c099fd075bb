/*
 * Sixteen messages in the lanes of 512-bit vectors: what the files of the AVX-512 backend share. F, BW, VL, DQ, VBMI2.
 *
 * Lane-major: vector i of a message holds word i of sixteen messages, so the digests of a left and a right node, stored
 * one after the other (8 + 8 vectors), are the message of the parent. Nothing is transposed between levels of a tree.
 */
#ifndef PLEACH_SHA256_X86_AVX512_H
#define PLEACH_SHA256_X86_AVX512_H

#include "kernels/sha256/sha256.h"

#include <immintrin.h>

typedef __m512i vec;
#define V_ADD(x, y)       _mm512_add_epi32(x, y)
#define V_ROR(x, n)       _mm512_ror_epi32(x, n)
#define V_SHR(x, n)       _mm512_srli_epi32(x, n)
#define V_XOR3(x, y, z)   _mm512_ternarylogic_epi32(x, y, z, 0x96)
#define V_CH(e, f, g)     _mm512_ternarylogic_epi32(e, f, g, 0xca)
#define V_MAJ(x, a, b, c) DO(x, _mm512_ternarylogic_epi32(a, b, c, 0xe8))
#define V_KEEP(b, c)
#define V_ALL(p) _mm512_set1_epi32((int)*(p))
#define V_PIN(x) __asm__ volatile("" : "+v"(x))
#include "kernels/sha256/rounds.h"

#define INLINE static inline __attribute__((always_inline))

enum { LANES = 16 };

#define V_STATE vec a, b, c, d, e, f, g, h

#define BYTE_SWAP(x)   _mm512_shuffle_epi8(x, byte_swap)
#define BYTE_SWAP_MASK _mm512_broadcast_i32x4(_mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12))

/*
 * A 16 x 16 transpose in place, 64 shuffles. Each four rows r .. r + 3 come in the variables r, r + 2, r + 1, r + 3
 * (the middle two exchanged) and go through QUAD_1, QUAD_2; then w(i), w(4 + i), w(8 + i), w(12 + i) go through
 * QUARTERS_1, QUARTERS_2; then w(j) is word j of all sixteen rows.
 */
#define EXCHANGE(low, high, x, y) \
    do {                          \
        vec low_ = low(x, y);     \
        y = high(x, y);           \
        x = low_;                 \
        V_PIN(x);                 \
        V_PIN(y);                 \
    } while (0)
#define EVEN_QUARTERS(x, y) _mm512_shuffle_i32x4(x, y, 0x88)
#define ODD_QUARTERS(x, y)  _mm512_shuffle_i32x4(x, y, 0xdd)
#define UNPACK32(x, y)      EXCHANGE(_mm512_unpacklo_epi32, _mm512_unpackhi_epi32, x, y)
#define UNPACK64(x, y)      EXCHANGE(_mm512_unpacklo_epi64, _mm512_unpackhi_epi64, x, y)
#define UNPACK128(x, y)     EXCHANGE(EVEN_QUARTERS, ODD_QUARTERS, x, y)
#define BOTH(first, second) \
    do {                    \
        first;              \
        second;             \
    } while (0)
#define QUAD_1(r0, r1, r2, r3) BOTH(UNPACK32(r0, r2), UNPACK32(r1, r3))
#define QUAD_2(r0, r1, r2, r3) BOTH(UNPACK64(r0, r1), UNPACK64(r2, r3))
#define QUARTERS_1(a, b, c, d) BOTH(UNPACK128(a, b), UNPACK128(c, d))
#define QUARTERS_2(a, b, c, d) BOTH(UNPACK128(a, c), UNPACK128(b, d))
#define QUAD(r0, r1, r2, r3)   BOTH(QUAD_1(r0, r1, r2, r3), QUAD_2(r0, r1, r2, r3))
#define QUARTERS(a, b, c, d)   BOTH(QUARTERS_1(a, b, c, d), QUARTERS_2(a, b, c, d))
#define PUT4(m, i, a, b, c, d) \
    do {                       \
        (m)[i] = a;            \
        (m)[4 + (i)] = b;      \
        (m)[8 + (i)] = c;      \
        (m)[12 + (i)] = d;     \
    } while (0)

/* The whole transpose into m. LOAD(l, r0, r1, r2, r3) brings the rows of lanes l .. l + 3. */
#define TRANSPOSE(m, LOAD)                                                        \
    do {                                                                          \
        vec w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13, w14, w15; \
        LOAD(0, w0, w1, w2, w3);                                                  \
        QUAD(w0, w1, w2, w3);                                                     \
        LOAD(4, w4, w5, w6, w7);                                                  \
        QUAD(w4, w5, w6, w7);                                                     \
        LOAD(8, w8, w9, w10, w11);                                                \
        QUAD(w8, w9, w10, w11);                                                   \
        LOAD(12, w12, w13, w14, w15);                                             \
        QUAD(w12, w13, w14, w15);                                                 \
        QUARTERS(w0, w4, w8, w12);                                                \
        PUT4(m, 0, w0, w4, w8, w12);                                              \
        QUARTERS(w1, w5, w9, w13);                                                \
        PUT4(m, 1, w1, w5, w9, w13);                                              \
        QUARTERS(w2, w6, w10, w14);                                               \
        PUT4(m, 2, w2, w6, w10, w14);                                             \
        QUARTERS(w3, w7, w11, w15);                                               \
        PUT4(m, 3, w3, w7, w11, w15);                                             \
    } while (0)

/* Where the bytes of each lane lie: lane l at p + (l & 3) * one + (l & 4) / 4 * four + (l & 8) / 8 * eight. */
typedef struct lane_rows {
    const uint8_t *p;
    size_t one, four, eight;
} lane_rows;

/* Lane l has input l. */
INLINE lane_rows rows_in_order(const uint8_t *p, size_t stride)
{
    return (lane_rows){p, stride, 4 * stride, 8 * stride};
}

/* Lanes l and l + 4 have neighbours, so that two digests leave in one store of 64 bytes. */
INLINE size_t flat_input(unsigned lane)
{
    return (lane & 8) | (lane & 3) << 1 | (lane >> 2 & 1);
}

INLINE lane_rows rows_flat(const uint8_t *p, size_t stride)
{
    return (lane_rows){p, 2 * stride, stride, 8 * stride};
}

/* Where the two digests of lane l go: p + l * stride. */
typedef struct places {
    uint8_t *p;
    size_t stride;
} places;

INLINE const uint8_t *row_of(lane_rows r, unsigned lane)
{
    return r.p + (lane & 3) * r.one + (lane >> 2 & 1) * r.four + (lane >> 3) * r.eight;
}

#define ROW(r, l) BYTE_SWAP(_mm512_loadu_si512(row_of(r, l)))
#define LOAD_QUAD(ROW, r, l, r0, r1, r2, r3) \
    do {                                     \
        r0 = ROW(r, l);                      \
        r2 = ROW(r, (l) + 1);                \
        r1 = ROW(r, (l) + 2);                \
        r3 = ROW(r, (l) + 3);                \
    } while (0)
#define LOAD_ROWS(l, r0, r1, r2, r3) LOAD_QUAD(ROW, rows, l, r0, r1, r2, r3)

INLINE void load_rows(lane_rows rows, vec m[16])
{
    const vec byte_swap = BYTE_SWAP_MASK;
    TRANSPOSE(m, LOAD_ROWS);
}

/*
 * Sixteen digests: 8 byte swaps, 16 + 8 shuffles. STORE(x, y, r) takes the digests of lanes r, 4 + r from x and of
 * lanes 8 + r, 12 + r from y.
 */
#define STORE_DIGESTS(s, STORE)                                                                             \
    do {                                                                                                    \
        const vec byte_swap = BYTE_SWAP_MASK;                                                               \
        const vec low = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);                                        \
        const vec high = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);                                     \
        vec h0 = BYTE_SWAP((s)[0]), h1 = BYTE_SWAP((s)[1]), h2 = BYTE_SWAP((s)[2]), h3 = BYTE_SWAP((s)[3]); \
        vec h4 = BYTE_SWAP((s)[4]), h5 = BYTE_SWAP((s)[5]), h6 = BYTE_SWAP((s)[6]), h7 = BYTE_SWAP((s)[7]); \
        QUAD(h0, h2, h1, h3);                                                                               \
        QUAD(h4, h6, h5, h7);                                                                               \
        STORE(_mm512_permutex2var_epi64(h0, low, h4), _mm512_permutex2var_epi64(h0, high, h4), 0);          \
        STORE(_mm512_permutex2var_epi64(h2, low, h6), _mm512_permutex2var_epi64(h2, high, h6), 1);          \
        STORE(_mm512_permutex2var_epi64(h1, low, h5), _mm512_permutex2var_epi64(h1, high, h5), 2);          \
        STORE(_mm512_permutex2var_epi64(h3, low, h7), _mm512_permutex2var_epi64(h3, high, h7), 3);          \
    } while (0)

/* In the order of the inputs, where the lanes were loaded from rows_flat. */
INLINE void store_flat(const vec s[8], uint8_t *out)
{
#define STORE(x, y, r) BOTH(_mm512_storeu_si512(out + 64 * (r), x), _mm512_storeu_si512(out + 256 + 64 * (r), y))
    STORE_DIGESTS(s, STORE);
#undef STORE
}

/* In the order of the lanes. */
INLINE void store_in_order(const vec s[8], uint8_t *out)
{
#define HALF(x, half, lane) _mm256_storeu_si256((void *)(out + 32 * (lane)), _mm512_extracti64x4_epi64(x, half))
#define HALVES(x, lane)     BOTH(HALF(x, 0, lane), HALF(x, 1, (lane) + 4))
#define STORE(x, y, r)      BOTH(HALVES(x, r), HALVES(y, (r) + 8))
    STORE_DIGESTS(s, STORE);
#undef STORE
#undef HALVES
#undef HALF
}

/*
 * The kernels: one message in every lane. `out` does not overlap m, except where it says so. Names that end in _next
 * also load and transpose the rows of the next message, which may replace m; those with _store also store the two
 * digests of each lane that are the message: every node but the root of a tile leaves in this way, in whole lines, when
 * its parent is made.
 */
void pleach__sha256_x16_pair(const vec m[16], vec out[8]);
void pleach__sha256_x16_pair_next(const vec m[16], vec out[8], lane_rows rows, vec next[16]);
void pleach__sha256_x16_pair_store(const vec m[16], vec out[8], places to);

/* A prefix, *prefix, and 64 bytes. */
void pleach__sha256_x16_prefixed(const vec m[16], vec out[8], const uint32_t *prefix);
void pleach__sha256_x16_prefixed_next(const vec m[16], vec out[8], const uint32_t *prefix, lane_rows rows,
                                      vec next[16]);
void pleach__sha256_x16_prefixed_store(const vec m[16], vec out[8], const uint32_t *prefix, places to);
void pleach__sha256_x16_prefixed_store_next(const vec m[16], vec out[8], const uint32_t *prefix, places to,
                                            lane_rows rows, vec next[16]);

/* A prefix and 32 bytes; 32 bytes, where m may be out. */
void pleach__sha256_x16_prefixed32(const vec m[8], vec out[8], const uint32_t *prefix);
void pleach__sha256_x16_digest(const vec m[8], vec out[8]);

/* A message of any length: the rows of lane l are at row[l]. */
void pleach__sha256_x16_any(const pleach__sha256_message *message, const uint8_t *const row[LANES], vec out[8]);

/* Messages of the same number of blocks, but each of its own size. */
void pleach__sha256_x16_listed(const pleach__hash_form *form, const pleach_input *const in[LANES], vec out[8]);

void pleach__sha256_x16_fold(const pleach__fold *fold);

#endif
