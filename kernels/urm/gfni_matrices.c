#include "kernels/urm/gfni_matrices.h"

#include <pthread.h>

static pleach__gfni_matrices matrices;

/* The matrix that takes bit t to column[t]. Byte 7 - i of it is row i. */
static uint64_t matrix_of(const uint8_t column[8])
{
    uint64_t matrix = 0;
    for (unsigned i = 0; i < 8; i++)
        for (unsigned t = 0; t < 8; t++)
            matrix |= (uint64_t)(column[t] >> i & 1) << (8 * (7 - i) + t);
    return matrix;
}

static void make_extend(void)
{
    const pleach__urm_column *m = pleach__urm_matrix();
    for (unsigned k = 0; k < 8; k++)
        for (unsigned bits = 0; bits < 8; bits++)
            for (unsigned q = 0; q < 8; q++) {
                uint8_t column[8] = {0};
                for (unsigned g = 0; g < 8; g++)
                    for (unsigned t = 0; t < 8 && (g & bits) == g; t++)
                        column[t] ^= pleach__f8_mul((uint8_t)(1 << k), m[t][8 * g + q]);
                matrices.extend[k][bits][q] = matrix_of(column);
            }
}

/* The matrices of the bytes of eight elements, one for each bit. */
static void make_bytes(uint64_t words[2][8], const pleach__f128 element[8])
{
    for (unsigned byte = 0; byte < 16; byte++) {
        uint8_t column[8];
        for (unsigned t = 0; t < 8; t++)
            column[t] = (uint8_t)((byte < 8 ? element[t].lo : element[t].hi) >> byte % 8 * 8);
        words[byte / 8][byte % 8] = matrix_of(column);
    }
}

static pleach__f128 lifted(unsigned block, unsigned bit)
{
    return pleach__f128_mul(pleach__f128_power_of_x(block), pleach__f128_embed((uint8_t)(1 << bit)));
}

static void make_lift(void)
{
    pleach__f128 element[8];
    for (unsigned b = 0; b < PLEACH__URM_BLOCKS; b++) {
        for (unsigned t = 0; t < 8; t++)
            element[t] = lifted(b, t);
        make_bytes(matrices.lift[b], element);
    }
    for (unsigned parity = 0; parity < 2; parity++)
        for (unsigned pair = 0; pair < PLEACH__URM_BLOCKS / 2; pair++) {
            for (unsigned t = 0; t < 8; t++)
                element[t] = lifted(2 * pair + t / 4, parity + 2 * (t % 4));
            make_bytes(matrices.lift_bits[parity][pair], element);
        }
}

static void make_orders(void)
{
    for (unsigned i = 0; i < 64; i++)
        matrices.transpose[i] = (uint8_t)(i % 8 * 8 + i / 8);
    for (unsigned parity = 0; parity < 2; parity++)
        for (unsigned g = 0; g < 8; g++)
            for (unsigned t = 0; t < 8; t++)
                matrices.gather[parity][8 * g + 7 - t] = (uint8_t)(t / 4 * 64 + (parity + 2 * (t % 4)) * 8 + g);
}

static void make_matrices(void)
{
    make_extend();
    make_lift();
    make_orders();
}

const pleach__gfni_matrices *pleach__gfni_look_up(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, make_matrices);
    return &matrices;
}
