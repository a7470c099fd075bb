#include "kernels/urm/urm.h"

#include <pthread.h>
#include <string.h>

enum { LANES = PLEACH__URM_LANES, ROWS = 8 };

static pleach__urm_column matrix[LANES];

/* The product of (point + t) over t = 0 .. 63, without the factor that is zero if the point is one of them. */
static uint8_t product_at(unsigned point)
{
    uint8_t product = 1;
    for (unsigned t = 0; t < LANES; t++)
        if (t != point)
            product = pleach__f8_mul(product, (uint8_t)(point ^ t));
    return product;
}

/* Numerators are the products at 64 + lambda without the factor of s. */
static void make_matrix(void)
{
    uint8_t product[LANES];
    for (unsigned lambda = 0; lambda < LANES; lambda++)
        product[lambda] = product_at(64 ^ lambda);
    for (unsigned s = 0; s < LANES; s++) {
        const uint8_t denominator = product_at(s);
        for (unsigned lambda = 0; lambda < LANES; lambda++) {
            const uint8_t divisor = pleach__f8_mul((uint8_t)(64 ^ lambda ^ s), denominator);
            matrix[s][lambda] = pleach__f8_mul(product[lambda], pleach__f8_inverse(divisor));
        }
    }
}

const pleach__urm_column *pleach__urm_matrix(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, make_matrix);
    return (const pleach__urm_column *)matrix;
}

static unsigned bit_of(const uint8_t *row, unsigned s)
{
    return row[s / 8] >> s % 8 & 1;
}

/* The 64 values of a row's polynomial. */
static void extend(uint8_t values[LANES], const uint8_t *row)
{
    const pleach__urm_column *column = pleach__urm_matrix();
    memset(values, 0, LANES);
    for (unsigned s = 0; s < LANES; s++)
        for (unsigned lambda = 0; lambda < LANES && bit_of(row, s); lambda++)
            values[lambda] ^= column[s][lambda];
}

/* *sum += weight * embed(value); `powers` are the products of the weight with the images of x^0 .. x^7. */
static void add_scaled(pleach__f128 *sum, const pleach__f128 powers[8], uint8_t value)
{
    for (unsigned t = 0; t < 8; t++)
        if (value >> t & 1)
            *sum = pleach__f128_add(*sum, powers[t]);
}

/* One block of 64 bytes of each. */
static void add_block(pleach__urm_sums *sums, pleach__f128 weight, bool split, const uint8_t *a, const uint8_t *b,
                      const uint8_t *c)
{
    uint8_t ab[LANES] = {0}, even[LANES] = {0}, odd[LANES] = {0};
    pleach__f128 powers[8];
    for (unsigned t = 0; t < 8; t++)
        powers[t] = pleach__f128_mul(weight, pleach__f128_embed((uint8_t)(1 << t)));
    for (unsigned k = 0; k < ROWS; k++) {
        const size_t row = PLEACH__URM_ROW * k;
        const uint8_t power = (uint8_t)(1 << k);
        uint8_t values_a[LANES], values_b[LANES];
        extend(values_a, a + row);
        extend(values_b, b + row);
        for (unsigned i = 0; i < LANES; i++) {
            ab[i] ^= pleach__f8_mul(power, pleach__f8_mul(values_a[i], values_b[i]));
            if (bit_of(c + row, i))
                (split && k % 2 ? odd : even)[i] ^= power;
        }
    }
    for (unsigned i = 0; i < LANES; i++) {
        add_scaled(&sums->ab[i], powers, ab[i]);
        add_scaled(&sums->even[i], powers, even[i]);
        if (split)
            add_scaled(&sums->odd[i], powers, odd[i]);
    }
}

void pleach__urm_reference_add(pleach__urm_sums *sums, const pleach__urm_windows *windows)
{
    for (size_t w = 0; w < windows->n; w++)
        for (unsigned block = 0; block < windows->blocks[w]; block++) {
            const size_t at = PLEACH__URM_WINDOW * w + PLEACH__URM_BLOCK * block;
            const pleach__f128 weight = pleach__f128_mul(windows->scale, windows->weight[w]);
            add_block(sums, pleach__f128_mul(weight, pleach__f128_power_of_x(block)), windows->split, windows->a + at,
                      windows->b + at, windows->c + at);
        }
}
