/*
 * The fields of the zerocheck. F8 is GF(2)[x] / (x^8 + x^4 + x^3 + x + 1), an element a byte, bit i the coefficient of
 * x^i. F128 is GF(2)[x] / (x^128 + x^7 + x^2 + x + 1), the field of GHASH with its bits in plain order. F8 lies in
 * F128: the embedding takes x to a root of F8's polynomial there. Additions are exclusive ors.
 *
 * Nothing here is secret: time and memory accesses depend on the values.
 */
#ifndef PLEACH_URM_FIELD_H
#define PLEACH_URM_FIELD_H

#include <stdint.h>

typedef struct pleach__f128 {
    uint64_t lo, hi; /* of the coefficients of x^0 .. x^63, and of x^64 .. x^127 */
} pleach__f128;

uint8_t pleach__f8_mul(uint8_t a, uint8_t b);
uint8_t pleach__f8_inverse(uint8_t a); /* of 0: 0 */

static inline pleach__f128 pleach__f128_add(pleach__f128 a, pleach__f128 b)
{
    return (pleach__f128){a.lo ^ b.lo, a.hi ^ b.hi};
}

pleach__f128 pleach__f128_mul(pleach__f128 a, pleach__f128 b);
pleach__f128 pleach__f128_inverse(pleach__f128 a); /* of 0: 0 */

/* x^n, n below 128. */
static inline pleach__f128 pleach__f128_power_of_x(unsigned n)
{
    return (pleach__f128){n < 64 ? (uint64_t)1 << n : 0, n < 64 ? 0 : (uint64_t)1 << (n - 64)};
}

/* The image of an element of F8. */
pleach__f128 pleach__f128_embed(uint8_t a);

/* A polynomial of degree below 256, its coefficients 64 to a word, reduced. */
static inline pleach__f128 pleach__f128_reduce(uint64_t r0, uint64_t r1, uint64_t r2, uint64_t r3)
{
    const uint64_t over = r3 >> 63 ^ r3 >> 62 ^ r3 >> 57; /* what x^7, x^2 and x push out once more */
    const uint64_t low = r2 ^ r2 << 1 ^ r2 << 2 ^ r2 << 7;
    const uint64_t high = r3 ^ (r3 << 1 | r2 >> 63) ^ (r3 << 2 | r2 >> 62) ^ (r3 << 7 | r2 >> 57);
    return (pleach__f128){r0 ^ low ^ over ^ over << 1 ^ over << 2 ^ over << 7, r1 ^ high};
}

/* Sixteen bytes, lowest coefficients first. */
pleach__f128 pleach__f128_load(const uint8_t bytes[16]);
void pleach__f128_store(uint8_t bytes[16], pleach__f128 a);

#endif
