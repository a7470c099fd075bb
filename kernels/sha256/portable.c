#include "kernels/sha256/sha256.h"

#include <string.h>

/* One lane: the compiler may order and keep things as it likes. */
typedef uint32_t vec;
#define V_ADD(x, y)     ((x) + (y))
#define V_ROR(x, n)     ((x) >> (n) | (x) << (32 - (n)))
#define V_SHR(x, n)     ((x) >> (n))
#define V_XOR3(x, y, z) ((x) ^ (y) ^ (z))
#define V_CH(e, f, g)   ((((f) ^ (g)) & (e)) ^ (g))
#define V_MAJ(x, a, b, c)    \
    do {                     \
        vec ab = a ^ b;      \
        x = (kept & ab) ^ b; \
        kept = ab;           \
    } while (0)
#define V_KEEP(b, c) (kept = b ^ c)
#define V_ALL(p)     (*(p))
#define V_PIN(x)
#include "kernels/sha256/rounds.h"

static void compress(uint32_t state[8], const uint8_t block[64])
{
    const uint32_t *k = pleach__sha256_k;
    vec a, b, c, d, e, f, g, h, kept;
    LOAD_STATE(state);
#define WORD(i) w##i = pleach__sha256_load(block + 4 * i)
    vec WORD(0), WORD(1), WORD(2), WORD(3), WORD(4), WORD(5), WORD(6), WORD(7);
    vec WORD(8), WORD(9), WORD(10), WORD(11), WORD(12), WORD(13), WORD(14), WORD(15);
#undef WORD
    WORD4(k);
    REST60(k);
    CHAIN(state);
}

/* A block whose K + W are known: rounds 0 .. 15 from kw, the others from rest. first_word is added to the first. */
static void compress_known(uint32_t state[8], const uint32_t *kw, const uint32_t *rest, uint32_t first_word)
{
    vec a, b, c, d, e, f, g, h, kept;
    LOAD_STATE(state);
    h += first_word;
    V_KEEP(b, c);
    CONST8(kw);
    CONST8(kw + 8);
    for (int i = 0; i < 48; i += 8)
        CONST8(rest + i);
    CHAIN(state);
}

static void compress_edge(uint32_t state[8], const pleach__sha256_edge *edge, const uint8_t *in)
{
    uint8_t block[64];
    memcpy(block, edge->fill, sizeof block);
    memcpy(block + edge->first, in + edge->offset, edge->count);
    compress(state, block);
}

static void store_digest(const uint32_t state[8], uint8_t *out)
{
    for (int i = 0; i < 8; i++)
        pleach__sha256_store(out + 4 * i, state[i]);
}

static void hash_again(uint8_t *digest)
{
    uint32_t state[8];
    uint8_t block[64];
    memcpy(state, pleach__sha256_iv, sizeof state);
    memcpy(block, digest, 32);
    memcpy(block + 32, pleach__sha256_digest_padding, 32);
    compress(state, block);
    store_digest(state, digest);
}

static void hash_many(const pleach__hash_plan *plan, const uint8_t *in, size_t stride, size_t n, uint8_t *out)
{
    pleach__sha256_message message;
    pleach__sha256_cut(&message, &plan->form);
    const bool prefixed64 = plan->form.size == 64 && plan->form.prefix != PLEACH__NO_PREFIX;
    const size_t edges = message.head + message.tail - prefixed64;
    for (; n > 0; n--, in += stride, out += PLEACH_DIGEST_SIZE) {
        uint32_t state[8];
        memcpy(state, pleach__sha256_iv, sizeof state);
        if (message.head)
            compress_edge(state, &message.edge[0], in);
        for (size_t i = 0; i < message.whole; i++)
            compress(state, in + message.offset + 64 * i);
        for (size_t i = message.head; i < edges; i++)
            compress_edge(state, &message.edge[i], in);
        if (message.known)
            compress_known(state, message.known, message.known + 16, 0);
        else if (prefixed64)
            compress_known(state, pleach__sha256_known65, pleach__sha256_rows65[in[63]], (uint32_t)in[63] << 24);
        store_digest(state, out);
        if (plan->form.twice)
            hash_again(out);
    }
}

static void fold(const pleach__fold *work)
{
    pleach__fold_levels(work, &pleach__sha256_portable);
}

static void hash_list(const pleach__list *list)
{
    pleach__list_singly(list, &pleach__sha256_portable);
}

static bool usable(const pleach__cpu *cpu)
{
    (void)cpu;
    return true;
}

const pleach__backend pleach__sha256_portable = {
    .name = "portable",
    .needs = "nothing but C",
    .lanes = 1,
    .usable = usable,
    .hash_many = hash_many,
    .fold = fold,
    .hash_list = hash_list,
};
