#include "kernels/blake2s/compress.h"

#include "kernels/blake2s/blake2s.h"

#include <string.h>

/* Words that differ from lane to lane, and what becomes of them. */
typedef struct trial {
    _Alignas(PLEACH__LANES_ALIGNMENT) uint32_t in[8 * PLEACH__LANES_MAX];
    _Alignas(PLEACH__LANES_ALIGNMENT) uint32_t words[16 * PLEACH__LANES_MAX];
    _Alignas(PLEACH__LANES_ALIGNMENT) uint32_t own[3 * PLEACH__LANES_MAX];
    _Alignas(PLEACH__LANES_ALIGNMENT) uint32_t out[8 * PLEACH__LANES_MAX];
    const pleach__compress_lanes *c;
    pleach__blake2s_tail tail;
    uint64_t hashed;
    bool last;
} trial;

static void fill(uint32_t *words, size_t n, uint32_t *seed)
{
    for (size_t i = 0; i < n; i++) {
        *seed ^= *seed << 13;
        *seed ^= *seed >> 17;
        *seed ^= *seed << 5;
        words[i] = *seed;
    }
}

/* The compression of one lane, by the reference. */
static void refer(const trial *t, size_t lane, unsigned zero, uint32_t h[8])
{
    const size_t lanes = t->c->lanes;
    uint8_t block[PLEACH__BLAKE2S_BLOCK] = {0};
    uint64_t hashed = t->hashed;
    bool last = t->last;
    for (size_t w = 0; w < 8; w++)
        h[w] = t->in[w * lanes + lane];
    for (size_t i = 0; i < sizeof block; i++)
        if (!(zero >> i / 4 & 1))
            block[i] = (uint8_t)(t->words[i / 4 * lanes + lane] >> 8 * (i % 4));
    if (t->tail.own) {
        hashed = t->own[lane] | (uint64_t)t->own[lanes + lane] << 32;
        last = t->own[2 * lanes + lane];
    }
    pleach__blake2s_reference_compress(h, block, hashed, last);
}

static bool agrees(const trial *t, unsigned zero, size_t n)
{
    const size_t lanes = t->c->lanes;
    for (size_t lane = 0; lane < lanes; lane++) {
        uint32_t h[8];
        refer(t, lane, zero, h);
        for (size_t w = 0; w < n; w++)
            if (t->out[w * lanes + lane] != h[w])
                return false;
    }
    return true;
}

static bool probe_block(trial *t, pleach__blake2s_block block, unsigned zero)
{
    t->c->compress[block](t->out, t->in, t->words, &t->tail);
    return agrees(t, zero, 8);
}

/* Prepared are words that stay; the others are not what they will be. */
static bool probe_form(trial *t, pleach__blake2s_form form, unsigned zero, unsigned computed)
{
    const size_t lanes = t->c->lanes;
    pleach__blake2s_prepared prepared;
    _Alignas(PLEACH__LANES_ALIGNMENT) uint32_t words[16 * PLEACH__LANES_MAX] = {0};
    for (size_t w = 0; w < 8; w++)
        if (!(computed >> w / 2 & 1))
            memcpy(words + w * lanes, t->words + w * lanes, lanes * sizeof *words);
    t->c->prepare(&prepared, form, t->in, words, &t->tail);
    t->c->compress_prepared[form](t->out, false, &prepared, t->words);
    if (!agrees(t, zero, 4))
        return false;
    t->c->compress_prepared[form](t->out, true, &prepared, t->words);
    return agrees(t, zero, 8);
}

static bool probe_chain(trial *t, unsigned zero)
{
    enum { STEPS = 3 };
    const size_t lanes = t->c->lanes;
    const uint32_t increment = t->words[0];
    pleach__blake2s_prepared prepared;
    _Alignas(PLEACH__LANES_ALIGNMENT) uint32_t words[16 * PLEACH__LANES_MAX];
    memcpy(words, t->words, sizeof words);
    t->c->prepare(&prepared, PLEACH__BLAKE2S_CHAIN, t->in, words, &t->tail);
    t->c->chain(words, &prepared, increment, STEPS);
    for (size_t lane = 0; lane < lanes; lane++)
        for (int step = 0; step < STEPS; step++) {
            uint32_t h[8];
            refer(t, lane, zero, h);
            for (size_t w = 0; w < 4; w++)
                t->words[(8 + w) * lanes + lane] = h[w];
            t->words[lane] += increment;
        }
    return memcmp(words, t->words, sizeof words) == 0;
}

static bool probe_spread(trial *t)
{
    enum { WORDS = 3 };
    t->c->spread(t->out, t->words, WORDS);
    for (size_t i = 0; i < WORDS * t->c->lanes; i++)
        if (t->out[i] != t->words[i / t->c->lanes])
            return false;
    return true;
}

bool pleach__blake2s_probe(const pleach__compress_lanes *c, uint32_t seed)
{
    static const uint64_t counts[] = {64, 0xffffffc0, 0x100000000, 0xfedcba9876543210};
    trial t = {.c = c};
    bool agree = true;
    for (size_t i = 0; agree && i < 2 * sizeof counts / sizeof *counts; i++) {
        fill(t.in, sizeof t.in / sizeof *t.in, &seed);
        fill(t.words, sizeof t.words / sizeof *t.words, &seed);
        fill(t.own, sizeof t.own / sizeof *t.own, &seed);
        for (size_t lane = 0; lane < c->lanes; lane++)
            t.own[2 * c->lanes + lane] = 0 - (t.own[lane] & 1);
        t.hashed = counts[i / 2];
        t.last = i / 2 % 2;
        t.tail = pleach__blake2s_tail_of(t.hashed, t.last);
        if (i % 2) {
            t.tail = pleach__blake2s_tail_of(0, false);
            t.tail.own = t.own;
        }
#define PROBE_BLOCK(name, zero)          agree = agree && probe_block(&t, PLEACH__BLAKE2S_##name, zero);
#define PROBE_FORM(name, zero, computed) agree = agree && probe_form(&t, PLEACH__BLAKE2S_##name, zero, computed);
        PLEACH__BLAKE2S_BLOCKS(PROBE_BLOCK)
        PLEACH__BLAKE2S_FORMS(PROBE_FORM)
#undef PROBE_BLOCK
#undef PROBE_FORM
        agree = agree && probe_chain(&t, 0xf008) && probe_spread(&t);
    }
    return agree;
}
