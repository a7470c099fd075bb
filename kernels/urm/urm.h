/*
 * The window kernel of the univariate-skip round of a zerocheck: what the files of the family share.
 *
 * A window is 8192 bits of each of a, b and c: 16 blocks of 8 rows of 64 bits. Row K of block `b` is the 8 bytes at
 * 64 b + 8 K, bits lowest first. A row of a or b becomes 64 elements A(lambda) of F8 by the matrix M that takes the
 * values of a polynomial at the elements 0 .. 63 to those at 64 .. 127. Of a window are wanted
 *
 *     ab[lambda] = sum over b of gamma^b * embed(sum over K of x^K * A(lambda) * B(lambda))
 *     even[s], odd[s] = sum over b of gamma^b * embed(sum over even, odd K of x^K * bit s of row K of c)
 *
 * with gamma the x of F128.
 */
#ifndef PLEACH_URM_PRIVATE_H
#define PLEACH_URM_PRIVATE_H

#include "kernels/backend.h"
#include "kernels/urm/field.h"

enum {
    PLEACH__URM_WINDOW = 1024, /* bytes */
    PLEACH__URM_LANES = 64,
    PLEACH__URM_BLOCKS = 16,
    PLEACH__URM_BLOCK = 64, /* bytes */
    PLEACH__URM_ROW = 8
};

typedef struct pleach__urm_sums {
    pleach__f128 ab[PLEACH__URM_LANES], even[PLEACH__URM_LANES], odd[PLEACH__URM_LANES];
} pleach__urm_sums;

/* Consecutive windows of one outer index. */
typedef struct pleach__urm_windows {
    const uint8_t *a, *b, *c;   /* n windows each, aligned to 64 bytes */
    const pleach__f128 *weight; /* n */
    const uint8_t *blocks;      /* n: how many blocks of a window are not padding; others are not read */
    size_t n;
    pleach__f128 scale;
    bool split; /* else even gets what belongs to even and to odd, and odd is left alone */
} pleach__urm_windows;

typedef struct pleach__urm_backend {
    pleach__backend backend; /* first; without the functions that hash */

    /* Adds to *sums: scale * sum over w of weight[w] * what is wanted of window w. */
    void (*add)(pleach__urm_sums *sums, const pleach__urm_windows *windows);
} pleach__urm_backend;

extern const pleach__urm_backend pleach__urm_portable, pleach__urm_avx2, pleach__urm_avx512, pleach__urm_gfni,
    pleach__urm_neon, pleach__urm_sha3;

/* For measurements: pleach__urm_avx512 with two exclusive ors in the place of each ternary one. */
extern const pleach__urm_backend pleach__urm_avx512_binary;

static inline const pleach__urm_backend *pleach__urm_backend_of(const pleach_kernels *kernels)
{
    return (const pleach__urm_backend *)kernels->backend[PLEACH_URM];
}

/* M by columns: [s][lambda] is Lagrange's basis polynomial of s at lambda + 64. Made at the first call. */
typedef uint8_t pleach__urm_column[PLEACH__URM_LANES];
const pleach__urm_column *pleach__urm_matrix(void);

/* What `add` does, from the definition above. */
void pleach__urm_reference_add(pleach__urm_sums *sums, const pleach__urm_windows *windows);

#endif
