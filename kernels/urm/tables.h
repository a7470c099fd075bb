/* What the look-ups look up. */
#ifndef PLEACH_URM_TABLES_H
#define PLEACH_URM_TABLES_H

#include "kernels/urm/urm.h"

/*
 * M has the symmetry M[lambda][8 j + t] = M[lambda ^ 8 j][t]: the subsets that a byte of a row can select of its eight
 * columns need one table for all eight bytes.
 */
typedef struct pleach__urm_tables {
    /* [byte][lambda]: the sum of the columns t < 8 whose bits are set in the byte. */
    _Alignas(64) uint8_t rows[256][PLEACH__URM_LANES];
    /* [b][v] = gamma^b * embed(v). */
    _Alignas(64) pleach__f128 lifted[PLEACH__URM_BLOCKS][256];
} pleach__urm_tables;

/* Made at the first call. */
const pleach__urm_tables *pleach__urm_look_up(void);

#endif
