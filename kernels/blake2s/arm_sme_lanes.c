/*
 * Lane-major compressions in streaming mode. All are chains, most of one step: a chain keeps its message in registers
 * from step to step. Nothing of a first round is computed beforehand, and words that are zero are added like others:
 * both would take code of its own for every form, and save a thirtieth.
 */
#include "kernels/blake2s/arm_sme.h"
#include "kernels/streaming.h"

#include <string.h>

enum { LANES = 16, ROW = LANES * sizeof(uint32_t) };
_Static_assert((int)LANES <= (int)PLEACH__LANES_MAX && (int)ROW <= (int)PLEACH__LANES_ALIGNMENT, "callers have room");

typedef struct rows {
    _Alignas(PLEACH__LANES_ALIGNMENT) uint32_t word[16][LANES];
} rows;

void pleach__blake2s_sme_chain(uint32_t *out, const uint32_t *prepared, const uint32_t *words, uint32_t increment,
                               size_t steps);

/* The same for one lane, outside of streaming mode. */
static void chain_lane(uint32_t *out, const uint32_t *prepared, const uint32_t *words, uint32_t increment, size_t steps)
{
    const pleach__compress_lanes *one = pleach__blake2s_portable.compress_lanes;
    pleach__blake2s_tail tail = {.own = NULL};
    uint32_t in[8], h[8], m[16];
    for (size_t w = 0; w < 16; w++)
        m[w] = words[LANES * w];
    for (size_t w = 0; w < 8; w++) {
        tail.word[w] = prepared[LANES * (8 + w)];
        in[w] = prepared[LANES * (16 + w)];
    }
    for (; steps > 0; steps--) {
        one->compress[PLEACH__BLAKE2S_FULL](h, in, m, &tail);
        memcpy(m + 8, h, 4 * sizeof *h);
        m[0] += increment;
    }
    for (size_t w = 0; w < 8; w++)
        out[LANES * w] = h[w];
}

/* At least one step. */
static void run_chain(rows *out, const pleach__blake2s_prepared *prepared, const rows *words, uint32_t increment,
                      size_t steps)
{
    if (pleach__streaming_ready()) {
        pleach__signals signals;
        pleach__streaming_enter(&signals);
        pleach__blake2s_sme_chain(out->word[0], prepared->word, words->word[0], increment, steps);
        pleach__streaming_leave(&signals);
        return;
    }
    for (size_t lane = 0; lane < LANES; lane++)
        chain_lane(out->word[0] + lane, prepared->word + lane, words->word[0] + lane, increment, steps);
}

/* A message without what stands where words are zero. */
static void copy_words(rows *m, const uint32_t *words, unsigned zero)
{
    for (size_t w = 0; w < 16; w++) {
        if (zero >> w & 1)
            memset(m->word[w], 0, ROW);
        else
            memcpy(m->word[w], words + LANES * w, ROW);
    }
}

static void prepare(pleach__blake2s_prepared *prepared, pleach__blake2s_form form, const uint32_t *in,
                    const uint32_t *words, const pleach__blake2s_tail *tail)
{
    (void)form, (void)words;
    memcpy(prepared->word, in, 8 * ROW);
    memcpy(prepared->word + 16 * LANES, in, 8 * ROW);
    for (size_t i = 0; i < 8 * LANES; i++)
        prepared->word[8 * LANES + i] = tail->word[i / LANES];
    for (size_t i = 0; i < 3 * LANES && tail->own; i++)
        prepared->word[12 * LANES + i] ^= tail->own[i];
}

static void compress_prepared(uint32_t *out, bool whole, const pleach__blake2s_prepared *prepared,
                              const uint32_t *words, unsigned zero)
{
    rows m, result;
    copy_words(&m, words, zero);
    run_chain(&result, prepared, &m, 0, 1);
    memcpy(out, result.word, (whole ? 8 : 4) * ROW);
}

#define BLOCK_FUNCTION(name, zero)                                                        \
    static void compress_##name(uint32_t *out, const uint32_t *in, const uint32_t *words, \
                                const pleach__blake2s_tail *tail)                         \
    {                                                                                     \
        pleach__blake2s_prepared prepared;                                                \
        prepare(&prepared, PLEACH__BLAKE2S_CHAIN, in, words, tail);                       \
        compress_prepared(out, true, &prepared, words, zero);                             \
    }
#define FORM_FUNCTION(name, zero, computed)                                                                   \
    static void compress_prepared_##name(uint32_t *out, bool whole, const pleach__blake2s_prepared *prepared, \
                                         const uint32_t *words)                                               \
    {                                                                                                         \
        compress_prepared(out, whole, prepared, words, zero);                                                 \
    }
PLEACH__BLAKE2S_BLOCKS(BLOCK_FUNCTION)
PLEACH__BLAKE2S_FORMS(FORM_FUNCTION)

#define FORM_MASK(name, zero, computed) ZERO_##name = (zero),
enum { PLEACH__BLAKE2S_FORMS(FORM_MASK) };

static void chain(uint32_t *words, const pleach__blake2s_prepared *prepared, uint32_t increment, size_t steps)
{
    rows m, result;
    if (steps == 0)
        return;
    copy_words(&m, words, ZERO_CHAIN);
    run_chain(&result, prepared, &m, increment, steps);
    memcpy(words + 8 * LANES, result.word, 4 * ROW);
    for (size_t lane = 0; lane < LANES; lane++)
        words[lane] += increment * (uint32_t)steps;
}

static void spread(uint32_t *words, const uint32_t *equal, size_t n)
{
    for (size_t i = 0; i < n * LANES; i++)
        words[i] = equal[i / LANES];
}

#define BLOCK_ENTRY(name, zero)          compress_##name,
#define FORM_ENTRY(name, zero, computed) compress_prepared_##name,
const pleach__compress_lanes pleach__blake2s_sme_lanes = {
    .lanes = LANES,
    .compress = {PLEACH__BLAKE2S_BLOCKS(BLOCK_ENTRY)},
    .prepare = prepare,
    .compress_prepared = {PLEACH__BLAKE2S_FORMS(FORM_ENTRY)},
    .chain = chain,
    .spread = spread,
};
