/* The linear maps of the window kernel as 8 x 8 bit matrices, as affine instructions take them. */
#ifndef PLEACH_URM_GFNI_MATRICES_H
#define PLEACH_URM_GFNI_MATRICES_H

#include "kernels/urm/urm.h"

/*
 * Eight matrices make a vector: of eight outputs, or of the eight bytes of a word of an output.
 *
 * A row's byte j gives lanes 8 g .. 8 g + 7 its bits' share by the matrices of g ^ j, by the symmetry of M: the values
 * of a row are a dyadic convolution of its bytes with the matrices. Karatsuba's way needs sums of matrices over bits of
 * the index.
 */
typedef struct pleach__gfni_matrices {
    /* [K][bits][q]: the sum over all g within `bits` of x^K * columns 0 .. 7 of M in row 8 g + q. */
    _Alignas(64) uint64_t extend[8][8][8];
    /* [b][word][byte]: v to gamma^b * embed(v). */
    _Alignas(64) uint64_t lift[PLEACH__URM_BLOCKS][2][8];
    /* [parity][pair][word][byte]: four rows' bits of block 2 pair in the lower half of a byte, of the next block in the
       upper one; rows of one parity. */
    _Alignas(64) uint64_t lift_bits[2][PLEACH__URM_BLOCKS / 2][2][8];
    /* Bytes of two blocks of c to the matrices whose transposes are the bytes above, by parity. */
    _Alignas(64) uint8_t gather[2][64];
    /* The 8 x 8 bytes of a vector, transposed. */
    _Alignas(64) uint8_t transpose[64];
} pleach__gfni_matrices;

/* Made at the first call. */
const pleach__gfni_matrices *pleach__gfni_look_up(void);

#endif
