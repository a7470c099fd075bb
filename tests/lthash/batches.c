/* Batches of one state, compared with the definition. */
#include "lthash_test.h"

#include <stdlib.h>
#include <string.h>

static void apply(const struct trial *trial, pleach_lthash *state, const struct changes *changes)
{
    assert_int_equal(pleach_lthash_apply(trial->pool, state, changes->ops, changes->n, HASHED, NULL), PLEACH_OK);
}

/* The same in every trial, whatever was in the state before. */
static void assert_changes(const struct changes *changes)
{
    naive expected = {{0}};
    naive_apply(&expected, NULL, changes, ALL);
    for (size_t t = 0; t < trial_count; t++) {
        pleach_lthash state = {.keyed = 0};
        apply(&trials[t], &state, changes);
        assert_state(&state, &expected);
    }
}

static void random_batches(void **context)
{
    static const size_t sizes[] = {0, 1, 2, 15, 16, 17, 63, 64, 65, 127, 128, 129, 300, 1000};
    (void)context;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] - 2 * quick(); i++) {
        struct changes changes = random_changes(10 + i, sizes[i], i % 2 ? 90 : 1500, 1);
        assert_changes(&changes);
        changes_free(&changes);
    }
}

/* One item of each size, alone and together. */
static void every_length(void **context)
{
    (void)context;
    const size_t most = 2100, step = quick() ? 50 : 1;
    struct changes changes = changes_of(most + 1, most * (most + 1));
    for (size_t size = 0; size <= most; size += step) {
        naive expected = {{0}};
        fill_random(change(&changes, ADD, size), size, size);
        const pleach_lthash_op *op = &changes.ops[changes.n - 1];
        naive_change(&expected, NULL, ADD, op->item.bytes, size);
        for (size_t t = 0; t < trial_count; t++) {
            pleach_lthash state = {.keyed = 0};
            assert_int_equal(pleach_lthash_apply(trials[t].pool, &state, op, 1, HASHED, NULL), PLEACH_OK);
            assert_state(&state, &expected);
        }
    }
    assert_changes(&changes);
    changes_free(&changes);
}

static void long_items(void **context)
{
    static const size_t sizes[] = {(1 << 20) - 1, 1 << 20, 70000, (1 << 20) + 1, 3, 300000, 16384, 16385};
    (void)context;
    struct changes changes = changes_of(8, 4 << 20);
    for (size_t i = quick() ? 6 : 0; i < sizeof sizes / sizeof sizes[0]; i++)
        fill_random(change(&changes, i % 3 == 2 ? REMOVE : ADD, sizes[i]), sizes[i], i);
    assert_changes(&changes);
    changes_free(&changes);
}

static void at_any_alignment(void **context)
{
    (void)context;
    uint8_t *memory = malloc(sizeof(pleach_lthash) + 64);
    struct changes changes = random_changes(30, 40, 200, 1);
    naive expected = {{0}};
    assert_non_null(memory);
    naive_apply(&expected, NULL, &changes, ALL);
    for (size_t offset = 0; offset < 64; offset += _Alignof(pleach_lthash))
        for (size_t t = 0; t < trial_count; t++) {
            pleach_lthash *state = (pleach_lthash *)(void *)(memory + offset);
            assert_int_equal(pleach_lthash_init(state), PLEACH_OK);
            apply(&trials[t], state, &changes);
            assert_state(state, &expected);
        }
    changes_free(&changes);
    free(memory);
}

static void in_any_order(void **context)
{
    (void)context;
    struct changes changes = random_changes(40, quick() ? 200 : 700, 150, 1);
    for (uint64_t seed = 0; seed < 3; seed++) {
        assert_changes(&changes);
        shuffle(&changes, seed);
    }
    changes_free(&changes);
}

static void what_is_added_and_removed_is_nothing(void **context)
{
    (void)context;
    struct changes changes = random_changes(50, 400, 150, 1);
    for (size_t t = 0; t < trial_count; t++) {
        pleach_lthash state = {.words = {7}};
        const pleach_lthash was = state;
        apply(&trials[t], &state, &changes);
        assert_memory_not_equal(&state, &was, sizeof was);
        for (size_t i = 0; i < changes.n; i++)
            changes.ops[i].action = changes.ops[i].action == ADD ? REMOVE : ADD;
        apply(&trials[t], &state, &changes);
        assert_memory_equal(&state, &was, sizeof was);
    }
    changes_free(&changes);
}

/* Items at a stride, and the list of them. */
static void assert_items(const pleach_lthash_items *items)
{
    struct changes changes = changes_of(items->count, items->count * items->size);
    for (size_t i = 0; i < items->count; i++)
        memcpy(change(&changes, REMOVE, items->size), items->data + items->stride * i, items->size);
    naive expected = {{0}};
    naive_apply(&expected, NULL, &changes, ALL);
    for (size_t t = 0; t < trial_count; t++) {
        pleach_lthash state = {.keyed = 0};
        assert_int_equal(pleach_lthash_apply_items(trials[t].pool, &state, REMOVE, items, HASHED, NULL), PLEACH_OK);
        assert_state(&state, &expected);
    }
    changes_free(&changes);
}

static void items_at_a_stride(void **context)
{
    static const size_t sizes[] = {0, 1, 32, 64, 65, 200, 1000, 1025};
    static const size_t counts[] = {0, 1, 15, 16, 17, 64, 65, 500};
    static uint8_t data[1200 * 500];
    (void)context;
    fill_random(data, sizeof data, 60);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (size_t c = 0; c < sizeof counts / sizeof counts[0] - quick(); c++) {
            const size_t strides[] = {sizes[s], sizes[s] + 13, sizes[s] / 2, 0};
            assert_items(&(pleach_lthash_items){
                .data = data, .size = sizes[s], .stride = strides[(s + c) % 4], .count = counts[c]});
        }
}

/* 2^16 times an item is nothing, whoever adds it. */
static void sums_wrap(void **context)
{
    (void)context;
    const size_t whole = 1 << 16, first = quick() ? whole - 900 : whole / 3;
    pleach_lthash_items items = {.data = (const uint8_t *)"hello", .size = 5};
    for (size_t t = 0; t < trial_count; t++) {
        pleach_lthash state = {.keyed = 0};
        if (quick()) { /* doubled by halves: few processors that are emulated have the time for so many */
            items.count = 1;
            assert_int_equal(pleach_lthash_apply_items(trials[t].pool, &state, ADD, &items, HASHED, NULL), PLEACH_OK);
            for (int i = 0; i < 16; i++) {
                assert_false(pleach_lthash_is_zero(&state));
                assert_int_equal(pleach_lthash_combine(&state, &state), PLEACH_OK);
            }
            assert_true(pleach_lthash_is_zero(&state));
            continue;
        }
        items.count = first;
        assert_int_equal(pleach_lthash_apply_items(trials[t].pool, &state, ADD, &items, HASHED, NULL), PLEACH_OK);
        assert_false(pleach_lthash_is_zero(&state));
        items.count = whole - first;
        assert_int_equal(pleach_lthash_apply_items(trials[t].pool, &state, ADD, &items, HASHED, NULL), PLEACH_OK);
        assert_true(pleach_lthash_is_zero(&state));
    }
}

static void empty_items_are_what_the_caller_says(void **context)
{
    (void)context;
    for (size_t n = 1; n <= 200; n += 199)
        for (size_t t = 0; t < trial_count; t++) {
            struct changes changes = changes_of(2 * n, 10 * n);
            pleach_lthash skipped = {.keyed = 0}, hashed = {.keyed = 0}, strided = {.keyed = 0};
            naive without = {{0}}, with;
            const pleach_lthash_items nothing = {.count = n};
            for (size_t i = 0; i < n; i++) {
                fill_random(change(&changes, ADD, 10), 10, i);
                naive_change(&without, NULL, ADD, changes.ops[2 * i].item.bytes, 10);
                (void)change(&changes, ADD, 0);
                changes.ops[2 * i + 1].item.bytes = NULL;
            }
            with = without;
            for (size_t i = 0; i < n; i++)
                naive_change(&with, NULL, ADD, NULL, 0);
            assert_int_equal(pleach_lthash_apply(trials[t].pool, &skipped, changes.ops, changes.n, SKIPPED, NULL),
                             PLEACH_OK);
            assert_state(&skipped, &without);
            apply(&trials[t], &hashed, &changes);
            assert_state(&hashed, &with);
            assert_int_equal(pleach_lthash_apply_items(trials[t].pool, &strided, ADD, &nothing, SKIPPED, NULL),
                             PLEACH_OK);
            assert_true(pleach_lthash_is_zero(&strided));
            assert_int_equal(pleach_lthash_apply_items(trials[t].pool, &strided, ADD, &nothing, HASHED, NULL),
                             PLEACH_OK);
            assert_int_equal(pleach_lthash_subtract(&hashed, &skipped), PLEACH_OK);
            assert_same(&strided, &hashed);
            changes_free(&changes);
        }
}

int test_batches(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_batches),
        cmocka_unit_test(every_length),
        cmocka_unit_test(long_items),
        cmocka_unit_test(at_any_alignment),
        cmocka_unit_test(in_any_order),
        cmocka_unit_test(what_is_added_and_removed_is_nothing),
        cmocka_unit_test(items_at_a_stride),
        cmocka_unit_test(sums_wrap),
        cmocka_unit_test(empty_items_are_what_the_caller_says),
    };
    return cmocka_run_group_tests_name("batches", tests, open_trials, close_trials);
}
