#include "kernels/urm/field.h"

#include "config/little_endian.h"

enum { F8_FEEDBACK = 0x1b, F128_FEEDBACK = 0x87 };

uint8_t pleach__f8_mul(uint8_t a, uint8_t b)
{
    unsigned product = 0, shifted = a;
    for (; b; b >>= 1) {
        if (b & 1)
            product ^= shifted;
        shifted = (shifted << 1 ^ (shifted & 0x80 ? F8_FEEDBACK : 0)) & 0xff;
    }
    return (uint8_t)product;
}

/* a^254 */
uint8_t pleach__f8_inverse(uint8_t a)
{
    uint8_t square = a, inverse = 1;
    for (int i = 1; i < 8; i++) {
        square = pleach__f8_mul(square, square);
        inverse = pleach__f8_mul(inverse, square);
    }
    return inverse;
}

static pleach__f128 times_x(pleach__f128 a)
{
    return (pleach__f128){a.lo << 1 ^ (a.hi >> 63 ? F128_FEEDBACK : 0), a.hi << 1 | a.lo >> 63};
}

pleach__f128 pleach__f128_mul(pleach__f128 a, pleach__f128 b)
{
    pleach__f128 product = {0, 0};
    for (unsigned i = 0; i < 128; i++) {
        if ((i < 64 ? b.lo >> i : b.hi >> (i - 64)) & 1)
            product = pleach__f128_add(product, a);
        a = times_x(a);
    }
    return product;
}

/* a^(2^128 - 2) */
pleach__f128 pleach__f128_inverse(pleach__f128 a)
{
    pleach__f128 square = a, inverse = {1, 0};
    for (int i = 1; i < 128; i++) {
        square = pleach__f128_mul(square, square);
        inverse = pleach__f128_mul(inverse, square);
    }
    return inverse;
}

pleach__f128 pleach__f128_embed(uint8_t a)
{
    /* The powers 0 to 7 of the root that x becomes. */
    static const pleach__f128 power[8] = {
        {0x0000000000000001, 0x0000000000000000}, {0x6b8330483c2e9849, 0x0dcb364640a222fe},
        {0x7573da4a5f7710ed, 0x3d5bd35c94646a24}, {0x41a12db1f974f3ac, 0x6d58c4e181f9199f},
        {0x5e2f716f4ede412f, 0xa72ec17764d7ced5}, {0x5cb10fbabcf00118, 0x4d52354a3a3d8c86},
        {0x95ed1f57f3632d4d, 0x553e92e8bc0ae9a7}, {0x512625b1f09fa87e, 0x93252331bf042b11},
    };
    pleach__f128 image = {0, 0};
    for (int i = 0; i < 8; i++)
        if (a >> i & 1)
            image = pleach__f128_add(image, power[i]);
    return image;
}

pleach__f128 pleach__f128_load(const uint8_t bytes[16])
{
    return (pleach__f128){pleach__get64(bytes), pleach__get64(bytes + 8)};
}

void pleach__f128_store(uint8_t bytes[16], pleach__f128 a)
{
    pleach__put64(bytes, a.lo);
    pleach__put64(bytes + 8, a.hi);
}
