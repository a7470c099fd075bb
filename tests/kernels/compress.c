/* Lane-major compressions of BLAKE2s. */
#include "kernels/blake2s/compress.h"

#include "kernels/blake2s/blake2s.h"
#include "kernels_test.h"

#include <string.h>

enum { ROW = PLEACH__LANES_MAX, IN = 8, WORDS = 16, OUT = 8 };

/* Places that are aligned no better than they must be, with a row in front and one behind. */
typedef struct arrays {
    _Alignas(2 * PLEACH__LANES_ALIGNMENT) uint32_t room[(IN + WORDS + OUT + 4) * ROW];
    uint32_t *in, *words, *out;
} arrays;

static void set_up(arrays *a, size_t lanes)
{
    fill_stream((uint8_t *)a->room, sizeof a->room);
    a->in = a->room + lanes;
    a->words = a->in + (IN + 1) * lanes;
    a->out = a->words + (WORDS + 1) * lanes;
}

static const pleach__compress_lanes *lanes_of(void **state)
{
    const subject *s = *state;
    skip_unless_usable(s);
    assert_non_null(s->backend->compress_lanes);
    return s->backend->compress_lanes;
}

static void agrees_with_the_reference(void **state)
{
    const pleach__compress_lanes *c = lanes_of(state);
    assert_in_range(c->lanes, 1, PLEACH__LANES_MAX);
    for (uint32_t seed = 1; seed <= (quick() ? 4 : 300); seed++)
        if (!pleach__blake2s_probe(c, seed))
            fail_msg("seed %u", (unsigned)seed);
}

/* A word of each lane, from one place of each lane's input. */
static void set_word(uint32_t *words, size_t lanes, size_t word, uint8_t inputs[ROW][64])
{
    for (size_t lane = 0; lane < lanes; lane++) {
        const uint8_t *p = inputs[lane] + 4 * word;
        words[word * lanes + lane] = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    }
}

/* The words of one block's inputs, hashed as a whole. Words that are zero hold something else and are not read. */
static void gives_hashes(void **state)
{
    enum { BLOCKS = PLEACH__BLAKE2S_BLOCK_COUNT };
    static const struct {
        size_t size;
        unsigned zero; /* bits of words within that size */
    } cases[] = {[PLEACH__BLAKE2S_FULL] = {64, 0},
                 [PLEACH__BLAKE2S_HALF] = {32, 0},
                 [PLEACH__BLAKE2S_SHORT] = {24, 0},
                 [BLOCKS + PLEACH__BLAKE2S_CHAIN] = {48, 1 << 3},
                 [BLOCKS + PLEACH__BLAKE2S_NODE] = {64, 1 << 3},
                 [BLOCKS + PLEACH__BLAKE2S_SEARCH] = {24, 0},
                 [BLOCKS + PLEACH__BLAKE2S_PRF] = {20, 1 << 2 | 1 << 4}};
    static const uint32_t start[8] = {BLAKE2S_H0, BLAKE_IV1, BLAKE_IV2, BLAKE_IV3,
                                      BLAKE_IV4,  BLAKE_IV5, BLAKE_IV6, BLAKE_IV7};
    const pleach__compress_lanes *c = lanes_of(state);
    const size_t lanes = c->lanes;
    assert_int_equal(sizeof cases / sizeof *cases, BLOCKS + PLEACH__BLAKE2S_FORM_COUNT);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const pleach__hash_form form = form_of(cases[i].size, 0, PLEACH__NO_PREFIX, false);
        const pleach__blake2s_tail tail = pleach__blake2s_tail_of(form.size, true);
        uint8_t inputs[ROW][64], digests[ROW][64] = {{0}};
        uint32_t want[OUT * ROW];
        arrays a;
        set_up(&a, lanes);
        fill_stream(inputs[0], sizeof inputs);
        for (size_t w = 0; w < form.size / 4; w++)
            if (cases[i].zero >> w & 1)
                for (size_t lane = 0; lane < lanes; lane++)
                    memset(inputs[lane] + 4 * w, 0, 4);
            else
                set_word(a.words, lanes, w, inputs);
        c->spread(a.in, start, 8);
        if (i < BLOCKS) {
            c->compress[i](a.out, a.in, a.words, &tail);
        } else {
            pleach__blake2s_prepared p;
            c->prepare(&p, (pleach__blake2s_form)(i - BLOCKS), a.in, a.words, &tail);
            c->compress_prepared[i - BLOCKS](a.out, true, &p, a.words);
        }
        for (size_t lane = 0; lane < lanes; lane++)
            pleach__blake2s_reference(&form, inputs[lane], digests[lane]);
        for (size_t w = 0; w < OUT; w++)
            set_word(want, lanes, w, digests);
        if (memcmp(a.out, want, OUT * lanes * sizeof *want) != 0)
            fail_msg("case %zu", i);
    }
}

/* Compares all memory of `a` with that of `want`. */
static void check_memory(const arrays *a, const arrays *want, const char *what, int which)
{
    for (size_t i = 0; i < sizeof a->room / sizeof *a->room; i++)
        if (a->room[i] != want->room[i])
            fail_msg("%s %d: row %zu", what, which, i / ROW);
}

static void copy_rows(uint32_t *to, const uint32_t *from, size_t rows, size_t lanes)
{
    memmove(to, from, rows * lanes * sizeof *to);
}

/* What is written, and nothing else, also over words that go in. */
static void writes_results_only(void **state)
{
    const pleach__compress_lanes *c = lanes_of(state);
    const size_t lanes = c->lanes;
    const pleach__blake2s_tail tail = pleach__blake2s_tail_of(64, true);
    uint32_t result[OUT * ROW];
    arrays a, want;
    for (int b = 0; b < PLEACH__BLAKE2S_BLOCK_COUNT; b++) {
        set_up(&a, lanes);
        set_up(&want, lanes);
        c->compress[b](a.out, a.in, a.words, &tail);
        copy_rows(result, a.out, OUT, lanes);
        copy_rows(want.out, result, OUT, lanes);
        check_memory(&a, &want, "block", b);
        c->compress[b](a.words + lanes, a.in, a.words, &tail);
        copy_rows(want.words + lanes, result, OUT, lanes);
        check_memory(&a, &want, "block over words", b);
        set_up(&a, lanes);
        set_up(&want, lanes);
        c->compress[b](a.in, a.in, a.words, &tail);
        copy_rows(want.in, result, IN, lanes);
        check_memory(&a, &want, "block in place", b);
    }
    for (int f = 0; f < PLEACH__BLAKE2S_FORM_COUNT; f++)
        for (int whole = 0; whole <= 1; whole++) {
            pleach__blake2s_prepared p;
            set_up(&a, lanes);
            set_up(&want, lanes);
            c->prepare(&p, (pleach__blake2s_form)f, a.in, a.words, &tail);
            check_memory(&a, &want, "prepare", f);
            c->compress_prepared[f](a.out, whole, &p, a.words);
            copy_rows(result, a.out, OUT, lanes);
            copy_rows(want.out, result, whole ? 8 : 4, lanes);
            check_memory(&a, &want, "form", f);
            c->compress_prepared[f](a.words + 8 * lanes, whole, &p, a.words);
            copy_rows(want.words + 8 * lanes, result, whole ? 8 : 4, lanes);
            check_memory(&a, &want, "form over words", f);
        }
}

static void chains(void **state)
{
    const pleach__compress_lanes *c = lanes_of(state);
    const size_t lanes = c->lanes;
    const pleach__blake2s_tail tail = pleach__blake2s_tail_of(48, true);
    pleach__blake2s_prepared p;
    arrays a, want;
    for (size_t steps = 0; steps <= 8; steps++) {
        set_up(&a, lanes);
        set_up(&want, lanes);
        c->prepare(&p, PLEACH__BLAKE2S_CHAIN, a.in, a.words, &tail);
        c->chain(a.words, &p, 0x80000100, steps);
        for (size_t step = 0; step < steps; step++) {
            c->compress_prepared[PLEACH__BLAKE2S_CHAIN](want.words + 8 * lanes, false, &p, want.words);
            for (size_t lane = 0; lane < lanes; lane++)
                want.words[lane] += 0x80000100;
        }
        check_memory(&a, &want, "steps", (int)steps);
    }
}

static void spreads(void **state)
{
    const pleach__compress_lanes *c = lanes_of(state);
    const uint32_t equal[WORDS] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0x80000000};
    arrays a, want;
    for (size_t n = 0; n <= WORDS; n++) {
        set_up(&a, c->lanes);
        set_up(&want, c->lanes);
        c->spread(a.words, equal, n);
        for (size_t i = 0; i < n * c->lanes; i++)
            want.words[i] = equal[i / c->lanes];
        check_memory(&a, &want, "spread", (int)n);
    }
}

/* Tables that are wrong in one way each, made of the best one that runs here. */
static const pleach__compress_lanes *right;

static void flips_a_lane(uint32_t *out, const uint32_t *in, const uint32_t *words, const pleach__blake2s_tail *tail)
{
    right->compress[PLEACH__BLAKE2S_HALF](out, in, words, tail);
    out[8 * right->lanes - 1] ^= 1;
}

static void reads_zeros(uint32_t *out, const uint32_t *in, const uint32_t *words, const pleach__blake2s_tail *tail)
{
    right->compress[PLEACH__BLAKE2S_FULL](out, in, words, tail);
}

static void counts_in_32_bits(uint32_t *out, const uint32_t *in, const uint32_t *words,
                              const pleach__blake2s_tail *tail)
{
    pleach__blake2s_tail low = *tail;
    if (!low.own)
        low.word[5] = BLAKE_IV5;
    right->compress[PLEACH__BLAKE2S_FULL](out, in, words, &low);
}

static void counts_for_all_lanes(uint32_t *out, const uint32_t *in, const uint32_t *words,
                                 const pleach__blake2s_tail *tail)
{
    pleach__blake2s_tail common = *tail;
    common.own = NULL;
    right->compress[PLEACH__BLAKE2S_FULL](out, in, words, &common);
}

static void prepares_for_all_lanes(pleach__blake2s_prepared *prepared, pleach__blake2s_form form, const uint32_t *in,
                                   const uint32_t *words, const pleach__blake2s_tail *tail)
{
    pleach__blake2s_tail common = *tail;
    common.own = NULL;
    right->prepare(prepared, form, in, words, &common);
}

static void prepares_another_form(pleach__blake2s_prepared *prepared, pleach__blake2s_form form, const uint32_t *in,
                                  const uint32_t *words, const pleach__blake2s_tail *tail)
{
    right->prepare(prepared, form == PLEACH__BLAKE2S_PRF ? PLEACH__BLAKE2S_NODE : form, in, words, tail);
}

static void never_whole(uint32_t *out, bool whole, const pleach__blake2s_prepared *prepared, const uint32_t *words)
{
    (void)whole;
    right->compress_prepared[PLEACH__BLAKE2S_NODE](out, false, prepared, words);
}

static void stops_early(uint32_t *words, const pleach__blake2s_prepared *prepared, uint32_t increment, size_t steps)
{
    right->chain(words, prepared, increment, steps > 2 ? 2 : steps);
}

static void stays_at_one_place(uint32_t *words, const pleach__blake2s_prepared *prepared, uint32_t increment,
                               size_t steps)
{
    (void)increment;
    right->chain(words, prepared, 0, steps);
}

static void spreads_one(uint32_t *words, const uint32_t *equal, size_t n)
{
    right->spread(words, equal, n > 0);
}

static void probe_catches_each_fault(void **state)
{
    (void)state;
    const pleach__backend *backend = NULL;
    for (const pleach__backend *const *b = pleach__blake2s.backends; *b && !backend; b++)
        if ((*b)->usable(pleach__cpu_features()) && !(*b)->streaming) /* that one prepares all forms alike */
            backend = *b;
    assert_non_null(backend);
    right = backend->compress_lanes;
    enum { FAULTS = 10 };
    pleach__compress_lanes wrong[FAULTS];
    for (size_t i = 0; i < FAULTS; i++)
        wrong[i] = *right;
    wrong[0].compress[PLEACH__BLAKE2S_HALF] = flips_a_lane;
    wrong[1].compress[PLEACH__BLAKE2S_SHORT] = reads_zeros;
    wrong[2].compress[PLEACH__BLAKE2S_FULL] = counts_in_32_bits;
    wrong[3].compress[PLEACH__BLAKE2S_FULL] = counts_for_all_lanes;
    wrong[4].prepare = prepares_for_all_lanes;
    wrong[5].prepare = prepares_another_form;
    wrong[6].compress_prepared[PLEACH__BLAKE2S_NODE] = never_whole;
    wrong[7].chain = stops_early;
    wrong[8].chain = stays_at_one_place;
    wrong[9].spread = spreads_one;
    for (size_t i = 0; i < FAULTS; i++) {
        pleach__backend with = *backend;
        with.compress_lanes = &wrong[i];
        if (pleach__probe(&pleach__blake2s, &with))
            fail_msg("fault %zu was not caught", i);
    }
    assert_true(pleach__probe(&pleach__blake2s, backend));
}

static void comes_with_the_choice(void **state)
{
    (void)state;
    const pleach_kernels *kernels = pleach_kernels_default();
    assert_non_null(kernels);
    assert_non_null(kernels->backend[PLEACH_BLAKE2S]->compress_lanes);
    assert_null(kernels->backend[PLEACH_SHA256]->compress_lanes);
    assert_null(kernels->backend[PLEACH_BLAKE3]->compress_lanes);
}

int run_compress_tests(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(probe_catches_each_fault),
                                       cmocka_unit_test(comes_with_the_choice)};
    return RUN_GROUP(tests) +
           run_for_family(&pleach__blake2s, "compressions agree with the reference", agrees_with_the_reference) +
           run_for_family(&pleach__blake2s, "compressions give hashes", gives_hashes) +
           run_for_family(&pleach__blake2s, "compressions write results only", writes_results_only) +
           run_for_family(&pleach__blake2s, "chains", chains) + run_for_family(&pleach__blake2s, "spreads", spreads);
}
