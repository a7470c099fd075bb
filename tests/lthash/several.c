/* Several states in one call, and calls on each. */
#include "lthash_test.h"

#include <stdlib.h>
#include <string.h>

enum { STATES_MOST = 200 };

static _Alignas(64) pleach_lthash states[STATES_MOST]; /* the first can be added to where it is */
static pleach_lthash *pointers[STATES_MOST];
static naive expected[STATES_MOST + 1];

/* In every trial, each state is what its changes make of it, and the total what all do. */
static void assert_all(const struct changes *changes, size_t count)
{
    memset(expected, 0, sizeof expected);
    for (size_t i = 0; i < changes->n; i++) {
        const pleach_lthash_op *op = &changes->ops[i];
        naive_change(&expected[op->state], NULL, op->action, op->item.bytes, op->item.size);
    }
    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < NUMBERS; i++)
            expected[STATES_MOST].number[i] = (uint16_t)(expected[STATES_MOST].number[i] + expected[s].number[i]);
    for (size_t t = 0; t < trial_count; t++) {
        pleach_lthash total = {.keyed = 0};
        memset(states, 0, sizeof states);
        assert_int_equal(pleach_lthash_apply_many(trials[t].pool, pointers, count, t % 2 ? &total : NULL, changes->ops,
                                                  changes->n, HASHED, NULL),
                         PLEACH_OK);
        for (size_t s = 0; s < count; s++)
            assert_state(&states[s], &expected[s]);
        if (t % 2)
            assert_state(&total, &expected[STATES_MOST]);
    }
}

static int by_state(const void *a, const void *b)
{
    const pleach_lthash_op *x = a, *y = b;
    return (x->state > y->state) - (x->state < y->state);
}

/* As they come, and ordered by state. */
static void assert_both_orders(struct changes *changes, size_t count)
{
    assert_all(changes, count);
    qsort(changes->ops, changes->n, sizeof *changes->ops, by_state);
    assert_all(changes, count);
    changes_free(changes);
}

static int open_states(void **context)
{
    for (size_t s = 0; s < STATES_MOST; s++)
        pointers[s] = &states[s];
    return open_trials(context);
}

static void random_states(void **context)
{
    static const struct {
        size_t n;
        uint32_t count;
    } cases[] = {{1, 1}, {20, 1}, {1, 200}, {10, 2}, {100, 3}, {129, 200}, {400, 7}, {1000, 200}, {3000, 2}};
    (void)context;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0] - 2 * quick(); c++) {
        struct changes changes = random_changes(70 + c, cases[c].n, 140, cases[c].count);
        assert_both_orders(&changes, cases[c].count);
    }
}

/* Nearly all changes of one state, which the workers share all the same. */
static void one_state_has_nearly_all(void **context)
{
    (void)context;
    struct changes changes = random_changes(80, quick() ? 300 : 1500, 140, 1);
    for (size_t i = 0; i < changes.n; i += 97)
        changes.ops[i].state = i % 2 ? 3 : 9;
    assert_both_orders(&changes, 10);
}

static void long_items_of_several(void **context)
{
    (void)context;
    struct changes changes = random_changes(90, quick() ? 8 : 40, 60000, 5);
    assert_both_orders(&changes, 5);
}

/* A state that is given twice has the changes of both. */
static void a_state_under_two_indices(void **context)
{
    (void)context;
    struct changes changes = random_changes(100, 500, 140, 2);
    naive both = {{0}};
    naive_apply(&both, NULL, &changes, ALL);
    for (size_t t = 0; t < trial_count; t++) {
        pleach_lthash state = {.keyed = 0};
        pleach_lthash *const same[] = {&state, &state};
        assert_int_equal(pleach_lthash_apply_many(trials[t].pool, same, 2, NULL, changes.ops, changes.n, HASHED, NULL),
                         PLEACH_OK);
        assert_state(&state, &both);
    }
    changes_free(&changes);
}

int test_several(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_states),
        cmocka_unit_test(one_state_has_nearly_all),
        cmocka_unit_test(long_items_of_several),
        cmocka_unit_test(a_state_under_two_indices),
    };
    return cmocka_run_group_tests_name("several states", tests, open_states, close_trials);
}
