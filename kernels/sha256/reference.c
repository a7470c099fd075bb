#include "kernels/sha256/sha256.h"
#include "kernels/sha256/tables.h"

#include <string.h>

static uint32_t rotr(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

/* FIPS 180-4 section 6.2.2. */
static void process_block(uint32_t state[8], const uint8_t block[64])
{
    uint32_t w[64];
    for (int t = 0; t < 16; t++)
        w[t] = pleach__sha256_load(block + 4 * t);
    for (int t = 16; t < 64; t++) {
        uint32_t sigma0 = rotr(w[t - 15], 7) ^ rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
        uint32_t sigma1 = rotr(w[t - 2], 17) ^ rotr(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = sigma1 + w[t - 7] + sigma0 + w[t - 16];
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int t = 0; t < 64; t++) {
        uint32_t sum1 = rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25), ch = (e & f) ^ (~e & g);
        uint32_t sum0 = rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22), maj = (a & b) ^ (a & c) ^ (b & c);
        uint32_t t1 = h + sum1 + ch + pleach__sha256_k[t] + w[t], t2 = sum0 + maj;
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    const uint32_t end[8] = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; i++)
        state[i] += end[i];
}

typedef struct stream {
    uint32_t state[8];
    uint8_t block[64];
    uint64_t size; /* bytes taken so far */
} stream;

static void take(stream *s, uint8_t byte)
{
    s->block[s->size++ % 64] = byte;
    if (s->size % 64 == 0)
        process_block(s->state, s->block);
}

void pleach__sha256_reference(const pleach__hash_form *form, const uint8_t *in, uint8_t digest[PLEACH_DIGEST_SIZE])
{
    stream s = {.size = 0};
    memcpy(s.state, pleach__sha256_iv, sizeof s.state);
    if (form->prefix != PLEACH__NO_PREFIX)
        take(&s, (uint8_t)form->prefix);
    for (size_t i = 0; i < form->size; i++)
        take(&s, in[i]);
    const uint64_t bits = 8 * s.size;
    take(&s, 0x80);
    while (s.size % 64 != 56)
        take(&s, 0);
    for (int i = 0; i < 8; i++)
        take(&s, (uint8_t)(bits >> (56 - 8 * i)));
    uint8_t once[PLEACH_DIGEST_SIZE];
    for (int i = 0; i < 8; i++)
        pleach__sha256_store(once + 4 * i, s.state[i]);
    if (form->twice) {
        const pleach__hash_form again = {.size = sizeof once, .prefix = PLEACH__NO_PREFIX};
        pleach__sha256_reference(&again, once, digest);
    } else {
        memcpy(digest, once, sizeof once);
    }
}
