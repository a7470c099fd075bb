/* Inputs of differing sizes. */
#include "kernels_test.h"

#include <stdlib.h>
#include <string.h>

enum { INPUTS_MAX = 5000, SHORT = 300, LONG = 1 << 20, BLOCKS_ALONE = UINT16_MAX };

static pleach_input inputs[INPUTS_MAX];
static uint8_t want[INPUTS_MAX * DIGEST], around[(INPUTS_MAX + 2) * DIGEST];
static guarded memory; /* of LONG bytes */

/* Each begins behind memory that must not be touched, or ends before such memory, or lies between others. */
static pleach_input place(size_t i, size_t size)
{
    if (size == 0 && i % 2)
        return (pleach_input){NULL, 0};
    if (i % 3 == 0)
        return (pleach_input){memory.last + LONG - size, size};
    return (pleach_input){memory.first + (i % 3 == 1 || size == LONG ? 0 : i * 5 % 1000), size};
}

static void check_list(const subject *s, const pleach__hash_form *rule, size_t n)
{
    uint8_t *out = around + DIGEST - 1; /* not aligned */
    pleach__hash_form form = *rule;
    for (size_t i = 0; i < n; i++) {
        form.size = inputs[i].size;
        s->family->reference(&form, inputs[i].bytes, want + DIGEST * i);
    }
    memset(around, CANARY, sizeof around);
    assert_int_equal(pleach__hash_list(s->family, s->backend, rule, inputs, n, out), PLEACH_OK);
    for (size_t i = 0; i < n; i++)
        if (memcmp(out + DIGEST * i, want + DIGEST * i, DIGEST) != 0)
            fail_msg("zeros %zu prefix %d twice %d n %zu: digest %zu, of %zu bytes, differs", rule->zeros, rule->prefix,
                     rule->twice, n, i, inputs[i].size);
    memset(out, CANARY, DIGEST * n);
    for (const uint8_t *p = around; p < around + sizeof around; p++)
        if (*p != CANARY)
            fail_msg("n %zu: wrote beside the digests", n);
}

/* Calls `check` for every rule that the family has. */
static void for_every_rule(const subject *s, void (*check)(const subject *s, const pleach__hash_form *rule))
{
    const pleach__hash_form rules[] = {
        form_of(0, 0, PLEACH__NO_PREFIX, false),   form_of(0, 0, 0, false),
        form_of(0, 0, PLEACH__NO_PREFIX, true),    form_of(0, 0, 255, true),
        form_of(0, 24, PLEACH__NO_PREFIX, false),  form_of(0, 64, PLEACH__NO_PREFIX, false),
        form_of(0, 200, PLEACH__NO_PREFIX, false),
    };
    skip_unless_usable(s);
    size_t tried = 0;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        pleach__hash_plan plan;
        if (!plan_of(s->family, &rules[i], &plan))
            continue;
        check(s, &rules[i]);
        tried++;
    }
    assert_in_range(tried, s->family == &pleach__blake3 ? 1 : 4, SIZE_MAX);
}

static void check_random_sizes(const subject *s, const pleach__hash_form *rule)
{
    for (size_t n = 0; n <= COUNT_MAX; n = quick() ? n + 7 : n + 1) {
        for (size_t i = 0; i < n; i++)
            inputs[i] = place(i, random_below(SHORT + 1));
        check_list(s, rule, n);
    }
}

static void random_sizes(void **state)
{
    for_every_rule(*state, check_random_sizes);
}

static void check_equal_sizes(const subject *s, const pleach__hash_form *rule)
{
    for (size_t size = 0; size <= SHORT; size = quick() ? size + 37 : size + 13)
        for (size_t n = 0; n <= COUNT_MAX; n = size % 64 < 13 && !quick() ? n + 1 : n + 12) {
            for (size_t i = 0; i < n; i++)
                inputs[i] = place(i, size);
            check_list(s, rule, n);
        }
}

static void equal_sizes(void **state)
{
    for_every_rule(*state, check_equal_sizes);
}

/* Counts of inputs that have as many blocks, but each another size: every size meets every lane. */
static void check_one_block_count(const subject *s, const pleach__hash_form *rule)
{
    for (size_t from = 0; from <= 1024; from += from < 192 ? 64 : 832)
        for (size_t n = 1; n <= COUNT_MAX; n = quick() ? n + 16 : n + 1) {
            for (size_t i = 0; i < n; i++)
                inputs[i] = place(i, from + random_below(64));
            check_list(s, rule, n);
        }
}

static void one_block_count(void **state)
{
    for_every_rule(*state, check_one_block_count);
}

/* Counts of inputs around multiples of `unit`, where the number of blocks, or of chunks, changes. */
static void check_around(const subject *s, const pleach__hash_form *rule, size_t unit, const int *from, size_t count)
{
    for (size_t times = 1; times <= 8; times += quick() ? 5 : 1)
        for (size_t n = 1; n <= COUNT_MAX; n = quick() ? n + 16 : n + times) {
            for (size_t i = 0; i < n; i++)
                inputs[i] = place(i, (size_t)((ptrdiff_t)(times * unit) + from[i % count]));
            check_list(s, rule, n);
        }
}

static void check_around_blocks(const subject *s, const pleach__hash_form *rule)
{
    static const int from[] = {-9, 0, 1, -8, 9, -1, 8};
    check_around(s, rule, 64, from, sizeof from / sizeof *from);
}

static void around_blocks(void **state)
{
    for_every_rule(*state, check_around_blocks);
}

static void around_chunks(void **state)
{
    static const int from[] = {1, -1, 0};
    const subject *s = *state;
    const pleach__hash_form plain = form_of(0, 0, PLEACH__NO_PREFIX, false);
    skip_unless_usable(s);
    check_around(s, &plain, 1024, from, sizeof from / sizeof *from);
}

static void check_every_size(const subject *s, const pleach__hash_form *rule)
{
    for (size_t i = 0; i <= SHORT; i++)
        inputs[i] = place(i, 7 * i % (SHORT + 1));
    check_list(s, rule, SHORT + 1);
}

static void every_size(void **state)
{
    for_every_rule(*state, check_every_size);
}

static void check_straggler(const subject *s, const pleach__hash_form *rule)
{
    for (size_t at = 0; at < 40; at += 13) {
        for (size_t i = 0; i < 40; i++)
            inputs[i] = place(i, i == at ? (quick() ? 20000 : LONG) - at : random_below(SHORT + 1));
        check_list(s, rule, 40);
    }
}

static void straggler(void **state)
{
    for_every_rule(*state, check_straggler);
}

/* More than are sorted together, and sizes of several chunks. */
static void many_inputs(void **state)
{
    const subject *s = *state;
    const pleach__hash_form plain = form_of(0, 0, PLEACH__NO_PREFIX, false);
    const size_t n = quick() ? 200 : INPUTS_MAX;
    skip_unless_usable(s);
    for (size_t i = 0; i < n; i++)
        inputs[i] = place(i, i % 50 ? random_below(200) : 900 + random_below(20000));
    check_list(s, &plain, n);
}

/* Beyond the number of blocks by which inputs are sorted. */
static void very_long_inputs(void **state)
{
    enum { EXTRA = 300 };
    const subject *s = *state;
    skip_unless_usable(s);
    const size_t block = 64, size = block * BLOCKS_ALONE;
    uint8_t *bytes = malloc(size + EXTRA);
    assert_non_null(bytes);
    fill_stream(bytes, size + EXTRA);
    const size_t sizes[] = {size, 5, size + EXTRA, size - 1, size, size - block, 70, size - block};
    const pleach__hash_form plain = form_of(0, 0, PLEACH__NO_PREFIX, false);
    const pleach__hash_form padded = form_of(0, size, PLEACH__NO_PREFIX, false);
    const size_t n = quick() ? 2 : sizeof sizes / sizeof *sizes;
    pleach__hash_plan plan;
    for (size_t i = 0; i < n; i++)
        inputs[i] = (pleach_input){bytes + (sizes[i] <= size ? i : 0), sizes[i]};
    check_list(s, &plain, n);
    if (!quick() && plan_of(s->family, &padded, &plan)) {
        for (size_t i = 0; i < 4; i++)
            inputs[i] = (pleach_input){bytes, i % 2 * 30};
        check_list(s, &padded, 4);
    }
    free(bytes);
}

static void calls(void **state)
{
    static uint8_t out[COUNT_MAX * DIGEST];
    (void)state;
    for (int f = 0; f < PLEACH_HASH_FAMILIES; f++) {
        for (size_t i = 0; i < COUNT_MAX; i++) {
            inputs[i] = place(i, random_below(SHORT + 1));
            const pleach__hash_form form = form_of(inputs[i].size, 0, PLEACH__NO_PREFIX, false);
            pleach__family_of((pleach_family)f)->reference(&form, inputs[i].bytes, want + DIGEST * i);
        }
        assert_int_equal(pleach_hash_list(NULL, (pleach_family)f, inputs, COUNT_MAX, out), PLEACH_OK);
        assert_memory_equal(out, want, sizeof out);
        assert_int_equal(pleach_hash_list(NULL, (pleach_family)f, NULL, 0, NULL), PLEACH_OK);
    }
}

static void refused(pleach_status status, const char *argument, int family, const pleach_input *list, size_t n,
                    uint8_t *out)
{
    static uint8_t before[2 * DIGEST];
    if (out)
        memcpy(before, out, sizeof before);
    assert_int_equal(pleach_hash_list(NULL, (pleach_family)family, list, n, out), status);
    if (!strstr(pleach_last_error(), argument))
        fail_msg("\"%s\" does not name %s", pleach_last_error(), argument);
    if (out)
        assert_memory_equal(before, out, sizeof before);
}

static void refuses(void **state)
{
    static uint8_t out[2 * DIGEST];
    const pleach_input good = {memory.first, 5};
    (void)state;
    memset(out, CANARY, sizeof out);
    for (int f = 0; f < PLEACH_HASH_FAMILIES; f++) {
        refused(PLEACH_EINVAL, "inputs = NULL", f, NULL, 1, out);
        refused(PLEACH_EINVAL, "out = NULL", f, &good, 1, NULL);
        refused(PLEACH_EINVAL, "inputs[1].bytes = NULL", f, (pleach_input[]){good, {NULL, 1}}, 2, out);
        refused(PLEACH_ERANGE, "inputs[1].size", f, (pleach_input[]){good, {memory.first, SIZE_MAX}}, 2, out);
        refused(PLEACH_ERANGE, "n = ", f, &good, PTRDIFF_MAX / DIGEST + 1, out);
    }
#if SIZE_MAX >> 61 != 0
    refused(PLEACH_ERANGE, "size", PLEACH_SHA256, (pleach_input[]){good, {memory.first, PTRDIFF_MAX}}, 2, out);
#endif
    refused(PLEACH_EINVAL, "family = 99", 99, &good, 1, out);
    refused(PLEACH_EINVAL, "family = -1", -1, NULL, 0, out);
}

/* Any indices; those of equal numbers stay in their order. */
static void sorts(void **state)
{
    enum { MOST = PLEACH__LIST_BATCH };
    static const size_t counts[] = {0, 1, 2, 31, 32, 33, 100, MOST}, limits[] = {1, 3, 256, 257, 65536};
    static uint16_t blocks[2 * MOST], order[MOST];
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts * (sizeof limits / sizeof *limits); i++) {
        const size_t n = counts[i % 8], limit = limits[i / 8];
        bool there[2 * MOST] = {false};
        for (size_t k = 0; k < n; k++) {
            order[k] = (uint16_t)(2 * k + 1);
            blocks[order[k]] = (uint16_t)random_below(limit);
        }
        pleach__list_sort(blocks, order, n);
        for (size_t k = 0; k < n; k++) {
            assert_false(there[order[k]]);
            there[order[k]] = true;
            assert_in_range(order[k], 1, 2 * n);
            assert_int_equal(order[k] % 2, 1);
            if (k > 0 && (blocks[order[k - 1]] > blocks[order[k]] ||
                          (blocks[order[k - 1]] == blocks[order[k]] && order[k - 1] > order[k])))
                fail_msg("n %zu, numbers below %zu: %zu is out of order", n, limit, k);
        }
    }
}

int run_list_tests(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(calls), cmocka_unit_test(refuses), cmocka_unit_test(sorts)};
    memory = guarded_stream(LONG);
    const int failed =
        RUN_GROUP(tests) + run_for_all("list of random sizes", random_sizes) +
        run_for_all("list of equal sizes", equal_sizes) + run_for_all("list of one block count", one_block_count) +
        run_for_all("list around blocks", around_blocks) + run_for_all("list around chunks", around_chunks) +
        run_for_all("list of every size", every_size) + run_for_all("list with a straggler", straggler) +
        run_for_all("list of many inputs", many_inputs) + run_for_all("list of very long inputs", very_long_inputs);
    guarded_free(&memory);
    return failed;
}
