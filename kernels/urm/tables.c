#include "kernels/urm/tables.h"

#include <pthread.h>

static pleach__urm_tables tables;

static void make_tables(void)
{
    const pleach__urm_column *column = pleach__urm_matrix();
    for (unsigned byte = 0; byte < 256; byte++)
        for (unsigned t = 0; t < 8; t++)
            for (unsigned lambda = 0; lambda < PLEACH__URM_LANES && byte >> t & 1; lambda++)
                tables.rows[byte][lambda] ^= column[t][lambda];
    for (unsigned b = 0; b < PLEACH__URM_BLOCKS; b++) {
        pleach__f128 basis[8];
        for (unsigned t = 0; t < 8; t++)
            basis[t] = pleach__f128_mul(pleach__f128_power_of_x(b), pleach__f128_embed((uint8_t)(1 << t)));
        for (unsigned v = 0; v < 256; v++)
            for (unsigned t = 0; t < 8; t++)
                if (v >> t & 1)
                    tables.lifted[b][v] = pleach__f128_add(tables.lifted[b][v], basis[t]);
    }
}

const pleach__urm_tables *pleach__urm_look_up(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, make_tables);
    return &tables;
}
