/* Traces of all layouts against that of the reference. */
#include "xmss_test.h"

#include "xmss/trace.h"

#include <stdlib.h>
#include <string.h>

enum {
    COMPRESSIONS = PLEACH_XMSS_COMPRESSIONS,
    TILE = PLEACH_XMSS_TILE,
    LAYOUTS = PLEACH_XMSS_ROWS + 1,
    WORDS = sizeof(pleach_xmss_compression) / 4,
    CANARY = 0xc7,
    SHIFT_MOST = 3,
};

/* Of the words of a compression, which a layout has. */
static const struct {
    size_t first, words, results;
} parts[LAYOUTS] = {{0, WORDS, 0}, {8, 16, 8}, {28, 8, 0}, {0, WORDS, 0}};

static void trace_reference(const pleach_xmss_claim *claim, pleach_xmss_compression *trace)
{
    static const uint8_t zeros[SIGNATURE];
    pleach_xmss_claim read = *claim;
    uint8_t root[PLEACH__XMSS_HASH];
    pleach_xmss_compression *end = trace;
    if (claim->signature_size != SIGNATURE)
        read.signature = zeros;
    (void)pleach__xmss_reference_root(root, &read, &end);
    assert_int_equal(end - trace, COMPRESSIONS);
}

/* A compression in the words of a layout. */
static size_t layout_words(pleach_xmss_layout layout, const pleach_xmss_compression *c, uint32_t *words)
{
    uint32_t all[WORDS];
    memcpy(all, c, sizeof all);
    memcpy(words, all + parts[layout].first, parts[layout].words * 4);
    memcpy(words + parts[layout].words, c->result, parts[layout].results * 4);
    return parts[layout].words + parts[layout].results;
}

static void assert_trace(pleach_xmss_layout layout, const uint8_t *trace, size_t i, size_t lane_of,
                         const pleach_xmss_compression *expected, const struct trial *trial)
{
    for (size_t c = 0; c < COMPRESSIONS; c++) {
        uint32_t words[WORDS];
        const size_t count = layout_words(layout, &expected[c], words);
        for (size_t w = 0; w < count; w++) {
            size_t at = (lane_of / TILE * COMPRESSIONS + c) * count * TILE + w * TILE + lane_of % TILE;
            uint32_t word;
            if (layout == PLEACH_XMSS_ROWS)
                at = (i * COMPRESSIONS + c) * count + w;
            memcpy(&word, trace + 4 * at, 4);
            if (word != words[w])
                fail_msg("claim %zu, compression %zu, word %zu, layout %d, %s", i, c, w, layout, trial->name);
        }
    }
}

static void check_trace(batch *b, pleach_xmss_layout layout, const pleach_xmss_compression (*expected)[COMPRESSIONS],
                        const struct trial *trial, size_t shift)
{
    size_t size;
    assert_int_equal(pleach_xmss_trace_size(layout, b->n, &size), PLEACH_OK);
    uint8_t *memory = malloc(size + SHIFT_MOST + 1), *trace = memory + shift;
    assert_non_null(memory);
    memset(memory, CANARY, size + SHIFT_MOST + 1);
    assert_int_equal(
        pleach_xmss_trace(trial->pool, b->claims, b->n, layout, trace, size + SHIFT_MOST - shift, b->results, NULL),
        PLEACH_OK);
    assert_memory_equal(b->results, b->expected, b->n * sizeof *b->results);
    for (size_t i = 0; i < b->n; i++)
        assert_trace(layout, trace, i, i, expected[i], trial);
    for (size_t i = b->n; layout != PLEACH_XMSS_ROWS && i % TILE != 0; i++)
        assert_trace(layout, trace, b->n - 1, i, expected[b->n - 1], trial);
    assert_int_equal(trace[size], CANARY);
    for (size_t i = 0; i < shift; i++)
        assert_int_equal(memory[i], CANARY);
    free(memory);
}

static void every_layout(void **state)
{
    static const size_t counts[] = {1, 17, 8, 9, 15, 16, 33, 40};
    static pleach_xmss_compression expected[40][COMPRESSIONS];
    (void)state;
    for (size_t c = 0; c < (quick() ? 2 : sizeof counts / sizeof *counts); c++) {
        batch b = batch_of(counts[c]);
        set_random_faults(&b, c);
        for (size_t i = 0; i < b.n; i++)
            trace_reference(&b.claims[i], expected[i]);
        for (size_t t = 0; t < trial_count; t++)
            for (int layout = 0; layout < LAYOUTS; layout++)
                check_trace(&b, (pleach_xmss_layout)layout, (const pleach_xmss_compression(*)[COMPRESSIONS])expected,
                            &trials[t], (c + t) % (SHIFT_MOST + 1));
        batch_free(&b);
    }
}

static void sizes(void **state)
{
    (void)state;
    for (int layout = 0; layout < LAYOUTS; layout++) {
        const size_t words = parts[layout].words + parts[layout].results;
        for (size_t n = 0; n <= 3 * TILE; n++) {
            const size_t claims = layout == PLEACH_XMSS_ROWS ? n : (n + TILE - 1) / TILE * TILE;
            size_t size;
            assert_int_equal(pleach_xmss_trace_size((pleach_xmss_layout)layout, n, &size), PLEACH_OK);
            assert_int_equal(size, claims * COMPRESSIONS * words * 4);
        }
    }
}

int test_traces(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layout),
        cmocka_unit_test(sizes),
    };
    return cmocka_run_group_tests(tests, open_trials, close_trials);
}
