/*
 * Windows by table look-ups, over the vectors of any instruction set. Included after the definition of
 *
 *   bytes, BYTES_PARTS             a vector of bytes, and how many of them have the 64 lanes
 *   BYTES_XOR(x, y)                x + y
 *   BYTES_MUL(x, y)                products in F8
 *   BYTES_DOUBLE(x)                x times the x of F8
 *   BYTES_STORE(p, x)              to an aligned place
 *   bytes_row(parts, rows, row)    the 64 values of a row, an inline function
 *
 *   quad                           128 bits, an element of F128
 *   QUAD_LOAD(p), QUAD_STORE(p, x) a pleach__f128, aligned to 16 bytes
 *   QUAD_STORE_BYTES(p, x)         its bytes in order, to an aligned place
 *   QUAD_ROW(p)                    8 bytes, and zeros above
 *   QUAD_XOR(x, y), QUAD_AND(x, y)
 *   QUAD_KEEP(x)                   nothing, but x is made before it and is not combined with what follows
 *   QUAD_SPLAT(word)               a word of 64 bits twice
 *   QUAD_LEFT(x, n), QUAD_RIGHT(x, n)  shifts of each 64 bits
 *   QUAD_ZIP_LOW8(x, y), QUAD_ZIP_LOW16, QUAD_ZIP_HIGH16, QUAD_ZIP_LOW32, QUAD_ZIP_HIGH32
 *                                  what unpack instructions make of the elements of the lower or upper halves
 *   QUAD_MUL(x, i, y, j)           product of half i of x and half j of y, as polynomials
 *
 *   LEAVE()                        before returning to other code
 */
#ifndef PLEACH_URM_WINDOWS_H
#define PLEACH_URM_WINDOWS_H

#include "kernels/urm/tables.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* Three sums of each lane. */
enum { AB, EVEN, ODD, KINDS };

/* Polynomials of degree below 255: products that are not reduced yet. The middle one belongs 64 bits above the low. */
typedef struct product {
    quad low, middle, high;
} product;

/* What is looked up: of each block and lane one byte. */
typedef struct window_bytes {
    _Alignas(64) uint8_t of[2][PLEACH__URM_BLOCKS][PLEACH__URM_LANES]; /* of A B, and of c */
} window_bytes;

INLINE void multiply_row(bytes products[BYTES_PARTS], const pleach__urm_tables *t, const uint8_t *a, const uint8_t *b)
{
    bytes x[BYTES_PARTS], y[BYTES_PARTS];
    bytes_row(x, t->rows, a);
    bytes_row(y, t->rows, b);
    for (int i = 0; i < BYTES_PARTS; i++)
        products[i] = BYTES_MUL(x[i], y[i]);
}

/* Horner's rule over the rows, highest power first. */
INLINE void multiply_block(uint8_t *out, const pleach__urm_tables *t, const uint8_t *a, const uint8_t *b)
{
    bytes sum[BYTES_PARTS], products[BYTES_PARTS];
    multiply_row(sum, t, a + PLEACH__URM_ROW * 7, b + PLEACH__URM_ROW * 7);
    for (int k = 6; k >= 0; k--) {
        multiply_row(products, t, a + PLEACH__URM_ROW * k, b + PLEACH__URM_ROW * k);
        for (int i = 0; i < BYTES_PARTS; i++)
            sum[i] = BYTES_XOR(BYTES_DOUBLE(sum[i]), products[i]);
    }
    for (int i = 0; i < BYTES_PARTS; i++)
        BYTES_STORE(out + 64 / BYTES_PARTS * i, sum[i]);
}

/* The transposes of two 8 x 8 bit matrices. */
INLINE quad transpose_bits(quad x)
{
    quad t = QUAD_AND(QUAD_XOR(x, QUAD_RIGHT(x, 7)), QUAD_SPLAT(0x00aa00aa00aa00aa));
    x = QUAD_XOR(x, QUAD_XOR(t, QUAD_LEFT(t, 7)));
    t = QUAD_AND(QUAD_XOR(x, QUAD_RIGHT(x, 14)), QUAD_SPLAT(0x0000cccc0000cccc));
    x = QUAD_XOR(x, QUAD_XOR(t, QUAD_LEFT(t, 14)));
    t = QUAD_AND(QUAD_XOR(x, QUAD_RIGHT(x, 28)), QUAD_SPLAT(0x00000000f0f0f0f0));
    return QUAD_XOR(x, QUAD_XOR(t, QUAD_LEFT(t, 28)));
}

/* Byte s of the result has bit s of row K as its bit K. */
INLINE void gather_bits(uint8_t *out, const uint8_t *c)
{
    quad r[4];
    for (int i = 0; i < 4; i++)
        r[i] = QUAD_ZIP_LOW8(QUAD_ROW(c + 16 * i), QUAD_ROW(c + 16 * i + 8));
    const quad low_a = QUAD_ZIP_LOW16(r[0], r[1]), low_b = QUAD_ZIP_LOW16(r[2], r[3]);
    const quad high_a = QUAD_ZIP_HIGH16(r[0], r[1]), high_b = QUAD_ZIP_HIGH16(r[2], r[3]);
    QUAD_STORE_BYTES(out, transpose_bits(QUAD_ZIP_LOW32(low_a, low_b)));
    QUAD_STORE_BYTES(out + 16, transpose_bits(QUAD_ZIP_HIGH32(low_a, low_b)));
    QUAD_STORE_BYTES(out + 32, transpose_bits(QUAD_ZIP_LOW32(high_a, high_b)));
    QUAD_STORE_BYTES(out + 48, transpose_bits(QUAD_ZIP_HIGH32(high_a, high_b)));
}

INLINE quad fold(const bool ternary, quad x, quad y, quad z)
{
    if (ternary)
        return QUAD_XOR3(x, y, z);
    x = QUAD_XOR(x, y);
    QUAD_KEEP(x);
    x = QUAD_XOR(x, z);
    QUAD_KEEP(x);
    return x;
}

INLINE void add_product(product *sum, quad x, quad weight)
{
    sum->low = QUAD_XOR(sum->low, QUAD_MUL(x, 0, weight, 0));
    sum->high = QUAD_XOR(sum->high, QUAD_MUL(x, 1, weight, 1));
    sum->middle = QUAD_XOR(sum->middle, QUAD_XOR(QUAD_MUL(x, 0, weight, 1), QUAD_MUL(x, 1, weight, 0)));
}

/* The sum over `blocks` blocks of what lane i looks up; two at a time, so that a fold takes both. */
INLINE quad look_up(const bool ternary, const pleach__urm_tables *t, const uint8_t (*of)[PLEACH__URM_LANES], unsigned i,
                    unsigned mask, unsigned blocks)
{
    quad sum = QUAD_SPLAT(0);
    unsigned b = 0;
    for (; b + 1 < blocks; b += 2)
        sum = fold(ternary, sum, QUAD_LOAD(&t->lifted[b][of[b][i] & mask]),
                   QUAD_LOAD(&t->lifted[b + 1][of[b + 1][i] & mask]));
    if (b < blocks)
        sum = QUAD_XOR(sum, QUAD_LOAD(&t->lifted[b][of[b][i] & mask]));
    return sum;
}

/* One window; `blocks` and `split` are constants where that matters. */
INLINE void add_window(const bool ternary, const bool split, const unsigned blocks, product sums[KINDS][64],
                       const pleach__urm_tables *t, const window_bytes *w, quad weight)
{
    for (unsigned i = 0; i < PLEACH__URM_LANES; i++) {
        add_product(&sums[AB][i], look_up(ternary, t, w->of[0], i, 0xff, blocks), weight);
        add_product(&sums[EVEN][i], look_up(ternary, t, w->of[1], i, split ? 0x55 : 0xff, blocks), weight);
        if (split)
            add_product(&sums[ODD][i], look_up(ternary, t, w->of[1], i, 0xaa, blocks), weight);
    }
}

INLINE pleach__f128 reduce(const product *p)
{
    _Alignas(16) pleach__f128 low, middle, high;
    QUAD_STORE(&low, p->low);
    QUAD_STORE(&middle, p->middle);
    QUAD_STORE(&high, p->high);
    return pleach__f128_reduce(low.lo, low.hi ^ middle.lo, high.lo ^ middle.hi, high.hi);
}

/* sums[i] += scale * products[i] */
INLINE void add_scaled(pleach__f128 *sums, const product *products, const pleach__f128 *scale)
{
    for (unsigned i = 0; i < PLEACH__URM_LANES; i++) {
        _Alignas(16) pleach__f128 reduced = reduce(&products[i]);
        product scaled;
        memset(&scaled, 0, sizeof scaled);
        add_product(&scaled, QUAD_LOAD(&reduced), QUAD_LOAD(scale));
        sums[i] = pleach__f128_add(sums[i], reduce(&scaled));
    }
}

INLINE void add_windows(const bool ternary, const bool split, pleach__urm_sums *sums,
                        const pleach__urm_windows *windows)
{
    const pleach__urm_tables *t = pleach__urm_look_up();
    const _Alignas(16) pleach__f128 scale = windows->scale;
    product products[KINDS][PLEACH__URM_LANES];
    window_bytes w;
    memset(products, 0, sizeof products);
    for (size_t i = 0; i < windows->n; i++) {
        const unsigned blocks = windows->blocks[i];
        const size_t at = PLEACH__URM_WINDOW * i;
        const _Alignas(16) pleach__f128 weight = windows->weight[i];
        for (unsigned b = 0; b < blocks; b++) {
            const size_t block = at + PLEACH__URM_BLOCK * b;
            multiply_block(w.of[0][b], t, windows->a + block, windows->b + block);
            gather_bits(w.of[1][b], windows->c + block);
        }
        if (blocks == PLEACH__URM_BLOCKS)
            add_window(ternary, split, PLEACH__URM_BLOCKS, products, t, &w, QUAD_LOAD(&weight));
        else
            add_window(ternary, split, blocks, products, t, &w, QUAD_LOAD(&weight));
    }
    add_scaled(sums->ab, products[AB], &scale);
    add_scaled(sums->even, products[EVEN], &scale);
    if (split)
        add_scaled(sums->odd, products[ODD], &scale);
}

/* A function of a backend: pleach__urm_backend's add. */
#define URM_ADD(name, ternary)                                                   \
    static void name(pleach__urm_sums *sums, const pleach__urm_windows *windows) \
    {                                                                            \
        if (windows->split)                                                      \
            add_windows(ternary, true, sums, windows);                           \
        else                                                                     \
            add_windows(ternary, false, sums, windows);                          \
        LEAVE();                                                                 \
    }

#endif
