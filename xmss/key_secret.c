#include "xmss/key_secret.h"

#include "config/error.h"
#include "config/little_endian.h"
#include "kernels/blake2s/blake2s.h"
#include "kernels/blake2s/keyed.h"

#include <string.h>

enum {
    HASH = PLEACH__XMSS_HASH,
    CHAINS = PLEACH_XMSS_CHAINS,
    STEPS = PLEACH__XMSS_STEPS,
    MOST = PLEACH__LANES_MAX,
    BLOCK = PLEACH__BLAKE2S_BLOCK,
    VALUE = 4,     /* words of a hash */
    LEAF_HEAD = 8, /* words of a tweak and the public parameter */
    INPUT = 8,     /* where the input is in the words of a chain step */
    SUB = 8,       /* where sub is in the first word of a tweak */
    NEXT_STEP = 1 << SUB,
    PRF_SIZE = 20,
};

/* Lane-major, as the compressions take it. */
typedef struct work {
    pleach__blake2s_prepared prf, chain;
    _Alignas(PLEACH__LANES_ALIGNMENT) uint32_t initial[8 * MOST];
    _Alignas(PLEACH__LANES_ALIGNMENT) uint32_t state[8 * MOST];
    _Alignas(PLEACH__LANES_ALIGNMENT) uint32_t input[16 * MOST]; /* of the pseudorandom function */
    _Alignas(PLEACH__LANES_ALIGNMENT) uint32_t words[16 * MOST]; /* of a chain step */
    _Alignas(PLEACH__LANES_ALIGNMENT) uint32_t kept[VALUE * MOST];
    _Alignas(PLEACH__LANES_ALIGNMENT) uint32_t leaf[(LEAF_HEAD + VALUE * CHAINS) * MOST];
    const pleach__compress_lanes *c;
    const pleach__xmss_secret *secret;
} work;

void pleach__xmss_wipe(void *memory, size_t size)
{
    memset(memory, 0, size);
    __asm__ volatile("" : : "r"(memory) : "memory");
}

const pleach__compress_lanes *pleach__xmss_lanes(const pleach_kernels *kernels)
{
    if (kernels)
        return kernels->backend[PLEACH_BLAKE2S]->compress_lanes;
    (void)pleach__fail(PLEACH_EBACKEND, "pool = NULL, and no backend gives right digests on this host");
    return NULL;
}

static void begin(work *w, const pleach__compress_lanes *c, const pleach__xmss_secret *secret)
{
    static const uint32_t initial[8] = BLAKE2S_INITIAL;
    const pleach__blake2s_tail tail = pleach__blake2s_tail_of(BLOCK + PRF_SIZE, true);
    memset(w->input, 0, sizeof w->input);
    memset(w->words, 0, sizeof w->words);
    w->c = c;
    w->secret = secret;
    c->spread(w->initial, initial, 8);
    c->spread(w->state, secret->state, 8);
    c->prepare(&w->prf, PLEACH__BLAKE2S_PRF, w->state, w->input, &tail);
}

/* 16 bytes of each of the first n lanes. */
static void store(const work *w, const uint32_t *words, size_t n, uint8_t *out)
{
    for (size_t l = 0; l < n; l++)
        for (size_t i = 0; i < VALUE; i++)
            pleach__put32(out + HASH * l + 4 * i, words[i * w->c->lanes + l]);
}

/* Tweaks of an epoch in each lane, but for the word with type and sub; then the public parameter. */
static void begin_epochs(const work *w, uint32_t *words, uint32_t first, uint32_t increment)
{
    const size_t lanes = w->c->lanes;
    uint32_t parameter[VALUE], epoch = first;
    for (size_t l = 0; l < lanes; l++, epoch += increment) {
        words[lanes + l] = epoch << 8;
        words[2 * lanes + l] = epoch >> 24;
        words[3 * lanes + l] = 0;
    }
    for (size_t i = 0; i < VALUE; i++)
        parameter[i] = pleach__get32(w->secret->parameter + 4 * i);
    w->c->spread(words + VALUE * lanes, parameter, VALUE);
}

static void begin_chains(work *w, uint32_t first, uint32_t increment)
{
    const pleach__blake2s_tail tail = pleach__blake2s_tail_of(3 * HASH, true);
    const size_t lanes = w->c->lanes;
    begin_epochs(w, w->words, first, increment);
    w->c->prepare(&w->chain, PLEACH__BLAKE2S_CHAIN, w->initial, w->words, &tail);
    for (size_t l = 0; l < lanes; l++) {
        w->input[l] = PLEACH__XMSS_START;
        w->input[lanes + l] = first + (uint32_t)l * increment;
    }
}

/* Starts of the chains, ready for the first step: `chain` in the first lane, `increment` more from lane to lane. */
static void start_chains(work *w, uint32_t chain, uint32_t increment)
{
    const size_t lanes = w->c->lanes;
    for (size_t l = 0; l < lanes; l++, chain += increment) {
        w->input[3 * lanes + l] = chain;
        w->words[l] = chain * 8 << SUB | PLEACH__XMSS_CHAIN;
    }
    w->c->compress_prepared[PLEACH__BLAKE2S_PRF](w->words + INPUT * lanes, false, &w->prf, w->input);
}

/* Of an epoch in each lane. */
static void hash_leaves(work *w, uint32_t first)
{
    enum { LEAF = HASH * (2 + CHAINS) };
    const size_t lanes = w->c->lanes;
    begin_chains(w, first, 1);
    begin_epochs(w, w->leaf, first, 1);
    for (size_t l = 0; l < lanes; l++)
        w->leaf[l] = PLEACH__XMSS_LEAF;
    for (uint32_t chain = 0; chain < CHAINS; chain++) {
        start_chains(w, chain, 0);
        w->c->chain(w->words, &w->chain, NEXT_STEP, STEPS);
        memcpy(w->leaf + (LEAF_HEAD + VALUE * chain) * lanes, w->words + INPUT * lanes,
               VALUE * lanes * sizeof *w->leaf);
    }
    for (size_t at = 0; at < LEAF; at += BLOCK) {
        const pleach__blake2s_tail tail = pleach__blake2s_tail_of(at + BLOCK, at + BLOCK == LEAF);
        w->c->compress[PLEACH__BLAKE2S_FULL](w->state, at == 0 ? w->initial : w->state, w->leaf + at / 4 * lanes,
                                             &tail);
    }
}

void pleach__xmss_leaves(const pleach__compress_lanes *c, const pleach__xmss_secret *secret, uint32_t first, size_t n,
                         uint8_t *leaves)
{
    work w;
    begin(&w, c, secret);
    for (size_t i = 0; i < n; i += c->lanes) {
        hash_leaves(&w, first + (uint32_t)i);
        store(&w, w.state, n - i < c->lanes ? n - i : c->lanes, leaves + HASH * i);
    }
    pleach__xmss_wipe(&w, sizeof w);
}

/* Keeps the values that are `step` steps behind their starts, where that is the digit of the lane. */
static void keep(work *w, const uint32_t *digits, uint32_t step)
{
    const size_t lanes = w->c->lanes;
    for (size_t l = 0; l < lanes; l++) {
        const uint32_t differs = digits[l] ^ step, mask = (differs | (0 - differs)) >> 31;
        for (size_t i = 0; i < VALUE; i++) {
            uint32_t *kept = &w->kept[i * lanes + l];
            *kept ^= (*kept ^ w->words[(INPUT + i) * lanes + l]) & (mask - 1);
        }
    }
}

void pleach__xmss_reveal(const pleach__compress_lanes *c, const pleach__xmss_secret *secret, uint32_t epoch,
                         const uint8_t digits[PLEACH_XMSS_CHAINS], uint8_t *values)
{
    work w;
    begin(&w, c, secret);
    begin_chains(&w, epoch, 0);
    for (size_t chain = 0; chain < CHAINS; chain += c->lanes) {
        const size_t n = CHAINS - chain < c->lanes ? CHAINS - chain : c->lanes;
        uint32_t its_digits[MOST] = {0};
        for (size_t l = 0; l < n; l++)
            its_digits[l] = digits[chain + l];
        memset(w.kept, 0, sizeof w.kept);
        start_chains(&w, (uint32_t)chain, 1);
        keep(&w, its_digits, 0);
        for (uint32_t step = 1; step <= STEPS; step++) {
            c->chain(w.words, &w.chain, NEXT_STEP, 1);
            keep(&w, its_digits, step);
        }
        store(&w, w.kept, n, values + HASH * chain);
    }
    pleach__xmss_wipe(&w, sizeof w);
}

/* Of whole lanes: domain, a and b, the latter two below 2^32. */
static void expand(work *w, uint32_t domain, const pleach__xmss_filler *fillers, size_t n)
{
    const size_t lanes = w->c->lanes;
    for (size_t l = 0; l < n; l++) {
        w->input[l] = domain;
        w->input[lanes + l] = fillers[l].level;
        w->input[3 * lanes + l] = fillers[l].index;
    }
    w->c->compress_prepared[PLEACH__BLAKE2S_PRF](w->state, false, &w->prf, w->input);
    for (size_t l = 0; l < n; l++)
        for (size_t i = 0; i < VALUE; i++)
            pleach__put32(fillers[l].to + 4 * i, w->state[i * lanes + l]);
}

void pleach__xmss_fill(const pleach__compress_lanes *c, const pleach__xmss_secret *secret,
                       const pleach__xmss_filler *fillers, size_t n)
{
    work w;
    begin(&w, c, secret);
    for (size_t i = 0; i < n; i += c->lanes)
        expand(&w, PLEACH__XMSS_FILLER, fillers + i, n - i < c->lanes ? n - i : c->lanes);
    pleach__xmss_wipe(&w, sizeof w);
}

void pleach__xmss_secret_of(pleach__xmss_secret *secret, const uint8_t seed[PLEACH_XMSS_SEED_SIZE])
{
    pleach__blake2s_keyed keyed;
    uint8_t input[BLOCK] = {0};
    uint32_t h[8];
    memcpy(secret->seed, seed, sizeof secret->seed);
    (void)pleach__blake2s_key(&keyed, seed, sizeof secret->seed, PRF_SIZE); /* as long as a key may be */
    memcpy(secret->state, keyed.plan.state, sizeof secret->state);
    memcpy(h, secret->state, sizeof h);
    pleach__put32(input, PLEACH__XMSS_PUBLIC);
    pleach__blake2s_compress(h, input, BLOCK + PRF_SIZE, true);
    for (size_t i = 0; i < VALUE; i++)
        pleach__put32(secret->parameter + 4 * i, h[i]);
    pleach__xmss_wipe(&keyed, sizeof keyed);
    pleach__xmss_wipe(h, sizeof h);
}
