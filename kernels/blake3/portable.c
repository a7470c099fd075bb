/* BLAKE3, one input at a time, from the round body of the vector kernels: a vector of one lane. */
#include "kernels/blake3/xof.h"

#include <string.h>

#define VEC_ADD(a, b)         ((a) += (b))
#define VEC_XOR(a, b)         ((a) ^= (b))
#define VEC_ROTR(a, n)        ((a) = (a) >> (n) | (a) << (32 - (n)))
#define VEC_ADD_WORD(a, m, i) ((a) += (m)[i])
#define VEC_ADD_XOR(c, d, b)  ((c) += (d), (b) ^= (c))
#define VEC_SPLAT(word)       (word)

enum { BLOCK = PLEACH__BLAKE3_BLOCK, CHUNK = PLEACH__BLAKE3_CHUNK, GROUP = PLEACH__BLAKE3_GROUP };

static uint32_t load32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void load_words(uint32_t m[16], const uint8_t *block)
{
    for (int i = 0; i < 16; i++)
        m[i] = load32(block + 4 * i);
}

static void store_words(uint8_t *out, const uint32_t *words, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        out[i] = (uint8_t)(words[i / 4] >> (8 * (i % 4)));
}

/* The rounds after the first, and the output to out; h is the chaining value. */
#define FINISH(m, h, out)                                          \
    do {                                                           \
        BLAKE3_ROUND_1(m);                                         \
        BLAKE3_ROUND_2(m);                                         \
        BLAKE3_ROUND_3(m);                                         \
        BLAKE3_ROUND_4(m);                                         \
        BLAKE3_ROUND_5(m);                                         \
        BLAKE3_ROUND_6(m);                                         \
        const uint32_t low[8] = {v0, v1, v2, v3, v4, v5, v6, v7};  \
        const uint32_t high[8] = {v8, v9, va, vb, vc, vd, ve, vf}; \
        for (int i = 0; i < 8; i++) {                              \
            (out)[i] = low[i] ^ high[i];                           \
            (out)[i + 8] = high[i] ^ (h)[i];                       \
        }                                                          \
    } while (0)

/* All of the output; its first half is the chaining value. */
static void compress(const pleach__blake3_root *r, uint64_t counter, uint32_t out[16])
{
    const uint32_t *h = r->cv, *m = r->block;
    uint32_t v0 = h[0], v1 = h[1], v2 = h[2], v3 = h[3], v4 = h[4], v5 = h[5], v6 = h[6], v7 = h[7];
    uint32_t v8 = BLAKE_IV0, v9 = BLAKE_IV1, va = BLAKE_IV2, vb = BLAKE_IV3;
    uint32_t vc = (uint32_t)counter, vd = (uint32_t)(counter >> 32), ve = r->size, vf = r->flags;
    BLAKE3_ROUND_0(m);
    FINISH(m, h, out);
}

/* The same after xof_prepare(). */
static void compress_prepared(const pleach__blake3_root *r, const xof_start *s, uint32_t counter, uint32_t out[16])
{
    const uint32_t *h = r->cv, *m = r->block;
    uint32_t v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, va, vb, vc = counter, vd, ve, vf;
    BLAKE3_XOF_ROUND_0(s, m);
    FINISH(m, h, out);
}

static void chain_at(const pleach__blake3_root *top, uint64_t counter, uint32_t cv[8])
{
    uint32_t out[16];
    compress(top, counter, out);
    memcpy(cv, out, 8 * sizeof *cv);
}

void pleach__blake3_chain(const pleach__blake3_root *top, uint32_t cv[8])
{
    chain_at(top, 0, cv);
}

size_t pleach__blake3_left_size(size_t size)
{
    size_t left = CHUNK;
    while (left < size - left)
        left *= 2;
    return left;
}

static void chunk(const pleach__blake3_mode *mode, const uint8_t *in, size_t size, uint64_t number,
                  pleach__blake3_root *last)
{
    last->size = BLOCK;
    last->flags = mode->flags | BLAKE3_CHUNK_START;
    while (size > BLOCK) {
        load_words(last->block, in);
        chain_at(last, number, last->cv);
        last->flags = mode->flags;
        in += BLOCK;
        size -= BLOCK;
    }
    uint8_t block[BLOCK] = {0};
    if (size > 0)
        memcpy(block, in, size);
    load_words(last->block, block);
    last->size = (uint32_t)size;
    last->flags |= BLAKE3_CHUNK_END;
}

static void chain(const pleach__blake3_mode *mode, const uint8_t *in, size_t size, uint64_t number, uint32_t cv[8]);

/* The last compression of a subtree. */
static void top_of(const pleach__blake3_mode *mode, const uint8_t *in, size_t size, uint64_t number,
                   pleach__blake3_root *top)
{
    memcpy(top->cv, mode->key, sizeof top->cv);
    if (size <= CHUNK) {
        chunk(mode, in, size, number, top);
        return;
    }
    const size_t left = pleach__blake3_left_size(size);
    chain(mode, in, left, number, top->block);
    chain(mode, in + left, size - left, number + left / CHUNK, top->block + 8);
    top->size = BLOCK;
    top->flags = mode->flags | BLAKE3_PARENT;
}

static void chain(const pleach__blake3_mode *mode, const uint8_t *in, size_t size, uint64_t number, uint32_t cv[8])
{
    pleach__blake3_root top;
    top_of(mode, in, size, number, &top);
    chain_at(&top, size > CHUNK ? 0 : number, cv);
}

static void root_of(const pleach__blake3_mode *mode, const uint8_t *in, size_t size, pleach__blake3_root *root)
{
    top_of(mode, in, size, 0, root);
    root->flags |= BLAKE3_ROOT;
}

static void roots(const pleach__blake3_mode *mode, const uint8_t *in, size_t size, size_t stride, size_t n,
                  pleach__blake3_root *roots)
{
    for (size_t i = 0; i < n; i++)
        root_of(mode, in + i * stride, size, &roots[i]);
}

static void roots_list(const pleach__blake3_mode *mode, const pleach_input *inputs, size_t n,
                       pleach__blake3_root *roots)
{
    for (size_t i = 0; i < n; i++)
        root_of(mode, inputs[i].bytes, inputs[i].size, &roots[i]);
}

static void xof(const pleach__blake3_root *root, uint64_t first, size_t blocks, uint8_t *out)
{
    for (size_t i = 0; i < blocks; i++) {
        uint32_t words[16];
        compress(root, first + i, words);
        store_words(out + BLOCK * i, words, BLOCK);
    }
}

static void xof_groups(const pleach__blake3_root *root, uint64_t first, size_t groups, uint32_t *words)
{
    for (size_t i = 0; i < GROUP * groups; i++) {
        uint32_t block[16];
        compress(root, first + i, block);
        for (size_t w = 0; w < 16; w++)
            words[16 * GROUP * (i / GROUP) + GROUP * w + i % GROUP] = block[w];
    }
}

/* Two limbs at once. */
static uint32_t add_limbs(uint32_t a, uint32_t b)
{
    const uint32_t top = 0x80008000;
    return ((a & ~top) + (b & ~top)) ^ ((a ^ b) & top);
}

static uint32_t subtract_limbs(uint32_t a, uint32_t b)
{
    return ~add_limbs(~a, b);
}

static void lthash(const pleach__blake3_root *roots, size_t n, bool subtract, uint32_t state[PLEACH__LTHASH_WORDS])
{
    for (size_t i = 0; i < n; i++) {
        xof_start start;
        xof_prepare(&start, &roots[i], 0);
        for (uint32_t block = 0; block < PLEACH__LTHASH_WORDS / 16; block++) {
            uint32_t out[16], *to = state + 16 * GROUP * (block / GROUP) + block % GROUP;
            compress_prepared(&roots[i], &start, block, out);
            for (size_t w = 0; w < 16; w++, to += GROUP)
                *to = subtract ? subtract_limbs(*to, out[w]) : add_limbs(*to, out[w]);
        }
    }
}

static void hash_many(const pleach__hash_plan *plan, const uint8_t *in, size_t stride, size_t n, uint8_t *out)
{
    for (size_t i = 0; i < n; i++) {
        pleach__blake3_root root;
        uint32_t words[16];
        roots(&pleach__blake3_unkeyed, in + i * stride, plan->form.size, 0, 1, &root);
        compress(&root, 0, words);
        store_words(out + PLEACH_DIGEST_SIZE * i, words, PLEACH_DIGEST_SIZE);
    }
}

static void fold(const pleach__fold *fold)
{
    pleach__fold_levels(fold, &pleach__blake3_portable.hashes);
}

static void hash_list(const pleach__list *list)
{
    pleach__list_singly(list, &pleach__blake3_portable.hashes);
}

static bool usable(const pleach__cpu *cpu)
{
    (void)cpu;
    return true;
}

const pleach__blake3_backend pleach__blake3_portable = {
    .hashes =
        {
            .name = "portable",
            .needs = "nothing but C",
            .lanes = 1,
            .usable = usable,
            .hash_many = hash_many,
            .fold = fold,
            .hash_list = hash_list,
        },
    .roots = roots,
    .chain = chain,
    .xof = xof,
    .xof_groups = xof_groups,
    .lthash = lthash,
    .roots_list = roots_list,
};
