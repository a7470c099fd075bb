/* BLAKE2s as RFC 7693 writes it: what every backend is compared with. */
#include "kernels/blake2s/blake2s.h"
#include "kernels/blake2s/keyed.h"

/* RFC 7693 section 2.6. */
static const uint32_t iv[8] = {0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A,
                               0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19};

/* RFC 7693 section 2.7. */
static const uint8_t sigma[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

static uint32_t rotate_right(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

/* RFC 7693 section 3.1. */
static void mix(uint32_t *v, unsigned a, unsigned b, unsigned c, unsigned d, uint32_t x, uint32_t y)
{
    v[a] += v[b] + x;
    v[d] = rotate_right(v[d] ^ v[a], 16);
    v[c] += v[d];
    v[b] = rotate_right(v[b] ^ v[c], 12);
    v[a] += v[b] + y;
    v[d] = rotate_right(v[d] ^ v[a], 8);
    v[c] += v[d];
    v[b] = rotate_right(v[b] ^ v[c], 7);
}

/* RFC 7693 section 3.2. */
void pleach__blake2s_reference_compress(uint32_t h[8], const uint8_t block[PLEACH__BLAKE2S_BLOCK], uint64_t t,
                                        bool last)
{
    uint32_t v[16], m[16];
    for (unsigned i = 0; i < 16; i++)
        m[i] = (uint32_t)block[4 * i] | (uint32_t)block[4 * i + 1] << 8 | (uint32_t)block[4 * i + 2] << 16 |
               (uint32_t)block[4 * i + 3] << 24;
    for (unsigned i = 0; i < 8; i++) {
        v[i] = h[i];
        v[i + 8] = iv[i];
    }
    v[12] ^= (uint32_t)t;
    v[13] ^= (uint32_t)(t >> 32);
    if (last)
        v[14] = ~v[14];
    for (unsigned r = 0; r < 10; r++) {
        const uint8_t *s = sigma[r];
        mix(v, 0, 4, 8, 12, m[s[0]], m[s[1]]);
        mix(v, 1, 5, 9, 13, m[s[2]], m[s[3]]);
        mix(v, 2, 6, 10, 14, m[s[4]], m[s[5]]);
        mix(v, 3, 7, 11, 15, m[s[6]], m[s[7]]);
        mix(v, 0, 5, 10, 15, m[s[8]], m[s[9]]);
        mix(v, 1, 6, 11, 12, m[s[10]], m[s[11]]);
        mix(v, 2, 7, 8, 13, m[s[12]], m[s[13]]);
        mix(v, 3, 4, 9, 14, m[s[14]], m[s[15]]);
    }
    for (unsigned i = 0; i < 8; i++)
        h[i] ^= v[i] ^ v[i + 8];
}

/* RFC 7693 section 3.3. What is hashed is: the key and zeros up to a block, if there is a key, zeros, and the input. */
static void hash(const uint8_t *key, size_t key_size, size_t zeros, const uint8_t *in, size_t size,
                 uint8_t digest[PLEACH_DIGEST_SIZE])
{
    const uint64_t before = (uint64_t)zeros + (key_size > 0 ? 64 : 0), end = before + size;
    uint32_t h[8];
    uint64_t t = 0;
    for (unsigned i = 0; i < 8; i++)
        h[i] = iv[i];
    h[0] ^= 0x01010000 ^ (uint32_t)key_size << 8 ^ PLEACH_DIGEST_SIZE;
    do {
        uint8_t block[64] = {0};
        for (unsigned i = 0; i < 64 && t < end; i++, t++)
            if (t >= before)
                block[i] = in[t - before];
            else if (t < key_size)
                block[i] = key[t];
        pleach__blake2s_reference_compress(h, block, t, t == end);
    } while (t < end);
    for (unsigned i = 0; i < PLEACH_DIGEST_SIZE; i++)
        digest[i] = (uint8_t)(h[i / 4] >> (8 * (i % 4)));
}

void pleach__blake2s_reference(const pleach__hash_form *form, const uint8_t *in, uint8_t digest[PLEACH_DIGEST_SIZE])
{
    hash(NULL, 0, form->zeros, in, form->size, digest);
}

void pleach__blake2s_reference_keyed(const uint8_t *key, size_t key_size, const uint8_t *in, size_t size,
                                     uint8_t digest[PLEACH_DIGEST_SIZE])
{
    hash(key, key_size, 0, in, size, digest);
}
