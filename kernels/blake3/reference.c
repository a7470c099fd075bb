/* BLAKE3 as its specification writes it (sections 2.1 to 2.6): what every backend is compared with. */
#include "kernels/blake3/blake3.h"

#include <string.h>

static const uint32_t iv[8] = {0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A,
                               0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19};

static const uint8_t permutation[16] = {2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8};

static uint32_t rotate_right(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

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

/* One compression, kept open: it gives a chaining value or, with other counters, the output. */
typedef struct node {
    uint32_t h[8];
    uint8_t block[64];
    uint64_t counter;
    uint32_t size, flags;
} node;

static void compress(const node *n, uint64_t t, uint32_t d, uint32_t out[16])
{
    uint32_t v[16], m[16], permuted[16];
    for (unsigned i = 0; i < 16; i++)
        m[i] = (uint32_t)n->block[4 * i] | (uint32_t)n->block[4 * i + 1] << 8 | (uint32_t)n->block[4 * i + 2] << 16 |
               (uint32_t)n->block[4 * i + 3] << 24;
    for (unsigned i = 0; i < 8; i++) {
        v[i] = n->h[i];
        v[i + 8] = iv[i];
    }
    v[12] = (uint32_t)t;
    v[13] = (uint32_t)(t >> 32);
    v[14] = n->size;
    v[15] = d;
    for (unsigned r = 0; r < 7; r++) {
        mix(v, 0, 4, 8, 12, m[0], m[1]);
        mix(v, 1, 5, 9, 13, m[2], m[3]);
        mix(v, 2, 6, 10, 14, m[4], m[5]);
        mix(v, 3, 7, 11, 15, m[6], m[7]);
        mix(v, 0, 5, 10, 15, m[8], m[9]);
        mix(v, 1, 6, 11, 12, m[10], m[11]);
        mix(v, 2, 7, 8, 13, m[12], m[13]);
        mix(v, 3, 4, 9, 14, m[14], m[15]);
        for (unsigned i = 0; i < 16; i++)
            permuted[i] = m[permutation[i]];
        memcpy(m, permuted, sizeof m);
    }
    for (unsigned i = 0; i < 8; i++) {
        out[i] = v[i] ^ v[i + 8];
        out[i + 8] = v[i + 8] ^ n->h[i];
    }
}

static uint8_t byte_of(const uint32_t *words, size_t i)
{
    return (uint8_t)(words[i / 4] >> (8 * (i % 4)));
}

static void chunk(node *n, const uint8_t *in, size_t size)
{
    n->flags |= BLAKE3_CHUNK_START;
    while (size > 64) {
        uint32_t out[16];
        memcpy(n->block, in, 64);
        n->size = 64;
        compress(n, n->counter, n->flags, out);
        memcpy(n->h, out, sizeof n->h);
        n->flags &= ~(uint32_t)BLAKE3_CHUNK_START;
        in += 64;
        size -= 64;
    }
    memset(n->block, 0, 64);
    if (size > 0)
        memcpy(n->block, in, size);
    n->size = (uint32_t)size;
    n->flags |= BLAKE3_CHUNK_END;
}

static void subtree(node *n, const pleach__blake3_mode *mode, const uint8_t *in, size_t size, uint64_t first)
{
    memcpy(n->h, mode->key, sizeof n->h);
    n->flags = mode->flags;
    n->counter = first;
    if (size <= 1024) {
        chunk(n, in, size);
        return;
    }
    size_t left = 1024;
    while (2 * left < size)
        left *= 2;
    for (unsigned side = 0; side < 2; side++) {
        node child;
        uint32_t out[16];
        if (side == 0)
            subtree(&child, mode, in, left, first);
        else
            subtree(&child, mode, in + left, size - left, first + left / 1024);
        compress(&child, child.counter, child.flags, out);
        for (unsigned i = 0; i < 32; i++)
            n->block[32 * side + i] = byte_of(out, i);
    }
    n->counter = 0;
    n->size = 64;
    n->flags |= BLAKE3_PARENT;
}

void pleach__blake3_reference_output(const pleach__blake3_mode *mode, const uint8_t *in, size_t size, uint64_t offset,
                                     uint8_t *out, size_t out_size)
{
    node root;
    subtree(&root, mode, in, size, 0);
    for (size_t i = 0; i < out_size; i++) {
        uint32_t words[16];
        const uint64_t at = offset + i;
        if (i == 0 || at % 64 == 0)
            compress(&root, at / 64, root.flags | BLAKE3_ROOT, words);
        out[i] = byte_of(words, at % 64);
    }
}

void pleach__blake3_reference_lthash(const pleach__blake3_mode *mode, const uint8_t *in, size_t size, bool subtract,
                                     uint16_t limbs[PLEACH__LTHASH_LIMBS])
{
    uint8_t out[2 * PLEACH__LTHASH_LIMBS];
    pleach__blake3_reference_output(mode, in, size, 0, out, sizeof out);
    for (size_t i = 0; i < PLEACH__LTHASH_LIMBS; i++) {
        const unsigned limb = out[2 * i] | (unsigned)out[2 * i + 1] << 8;
        limbs[i] = (uint16_t)(subtract ? limbs[i] - limb : limbs[i] + limb);
    }
}

void pleach__blake3_reference_limbs(const uint32_t state[PLEACH__LTHASH_WORDS], uint16_t limbs[PLEACH__LTHASH_LIMBS])
{
    for (size_t i = 0; i < PLEACH__LTHASH_LIMBS; i++) {
        const size_t block = i / 32, word = i % 32 / 2;
        limbs[i] = (uint16_t)(state[256 * (block / 16) + 16 * word + block % 16] >> 16 * (i % 2));
    }
}

void pleach__blake3_reference_chain(const pleach__blake3_mode *mode, const uint8_t *in, size_t size, uint64_t number,
                                    uint32_t cv[8])
{
    node top;
    uint32_t words[16];
    subtree(&top, mode, in, size, number);
    compress(&top, top.counter, top.flags, words);
    memcpy(cv, words, 32);
}

void pleach__blake3_reference(const pleach__hash_form *form, const uint8_t *in, uint8_t digest[PLEACH_DIGEST_SIZE])
{
    pleach__blake3_mode mode = {.flags = 0};
    memcpy(mode.key, iv, sizeof mode.key);
    pleach__blake3_reference_output(&mode, in, form->size, 0, digest, PLEACH_DIGEST_SIZE);
}
