/* Arguments that are refused, and that nothing has changed then. */
#include "lthash_test.h"

#include <string.h>

enum { MANY = 300 };

static const uint8_t some[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static pleach_lthash_op ops[MANY];
static pleach_lthash state, was;

static int open_ops(void **context)
{
    for (size_t i = 0; i < MANY; i++)
        ops[i] = (pleach_lthash_op){.item = {some, i % sizeof some}};
    memset(&state, 0, sizeof state);
    state.words[5] = 5;
    was = state;
    return open_trials(context);
}

static void refuse(pleach_status expected, const pleach_lthash_op *list, size_t n, pleach_lthash_empty empty)
{
    for (size_t t = 0; t < trial_count; t++) {
        pleach_lthash *const states[] = {&state};
        assert_int_equal(pleach_lthash_apply(trials[t].pool, &state, list, n, empty, NULL), expected);
        assert_true(pleach_last_error()[0] != '\0');
        assert_int_equal(pleach_lthash_apply_many(trials[t].pool, states, 1, NULL, list, n, empty, NULL), expected);
        assert_memory_equal(&state, &was, sizeof was);
    }
}

static void a_bad_change_anywhere(void **context)
{
    static const size_t places[] = {0, 7, MANY - 1};
    static const pleach_lthash_op bad[] = {
        {.item = {NULL, 1}},
        {.item = {some, (size_t)PTRDIFF_MAX + 1}},
        {.item = {some, 1}, .state = 1},
        {.item = {some, 1}, .state = UINT32_MAX},
        {.item = {some, 1}, .action = (pleach_lthash_action)2},
        {.item = {some, 1}, .action = (pleach_lthash_action)-1},
    };
    (void)context;
    for (size_t b = 0; b < sizeof bad / sizeof bad[0]; b++)
        for (size_t p = 0; p < 3; p++) {
            const pleach_lthash_op good = ops[places[p]];
            ops[places[p]] = bad[b];
            refuse(b == 1 ? PLEACH_ERANGE : PLEACH_EINVAL, ops, MANY, HASHED);
            if (places[p] < 8)
                refuse(b == 1 ? PLEACH_ERANGE : PLEACH_EINVAL, ops, 8, SKIPPED);
            ops[places[p]] = good;
        }
}

static void no_list_and_no_such_choice(void **context)
{
    (void)context;
    refuse(PLEACH_EINVAL, NULL, 1, HASHED);
    refuse(PLEACH_EINVAL, ops, 1, (pleach_lthash_empty)2);
    refuse(PLEACH_EINVAL, ops, 0, (pleach_lthash_empty)2);
    refuse(PLEACH_EINVAL, NULL, 0, (pleach_lthash_empty)-1);
    assert_int_equal(pleach_lthash_apply(NULL, NULL, ops, 1, HASHED, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_lthash_apply(NULL, &state, NULL, 0, HASHED, NULL), PLEACH_OK);
    assert_memory_equal(&state, &was, sizeof was);
}

static void refuse_items(pleach_status expected, pleach_lthash_items items)
{
    assert_int_equal(pleach_lthash_apply_items(NULL, &state, ADD, &items, HASHED, NULL), expected);
    assert_memory_equal(&state, &was, sizeof was);
}

static void bad_items(void **context)
{
    (void)context;
    const pleach_lthash_items good = {.data = some, .size = 1, .stride = 1, .count = 8};
    refuse_items(PLEACH_EINVAL, (pleach_lthash_items){.size = 1, .stride = 1, .count = 1});
    refuse_items(PLEACH_ERANGE, (pleach_lthash_items){.data = some, .size = 8, .stride = 8, .count = SIZE_MAX / 8});
    refuse_items(PLEACH_ERANGE, (pleach_lthash_items){.data = some, .size = 8, .stride = SIZE_MAX / 2, .count = 4});
    refuse_items(PLEACH_ERANGE, (pleach_lthash_items){.data = some, .size = (size_t)PTRDIFF_MAX + 1, .count = 1});
    refuse_items(PLEACH_ERANGE, (pleach_lthash_items){.count = SIZE_MAX});
    refuse_items(PLEACH_ERANGE, (pleach_lthash_items){.data = some, .size = 1, .count = SIZE_MAX});
    assert_int_equal(pleach_lthash_apply_items(NULL, &state, (pleach_lthash_action)2, &good, HASHED, NULL),
                     PLEACH_EINVAL);
    assert_int_equal(pleach_lthash_apply_items(NULL, &state, ADD, &good, (pleach_lthash_empty)2, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_lthash_apply_items(NULL, &state, ADD, NULL, HASHED, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_lthash_apply_items(NULL, NULL, ADD, &good, HASHED, NULL), PLEACH_EINVAL);
    assert_memory_equal(&state, &was, sizeof was);
    refuse_items(PLEACH_OK, (pleach_lthash_items){.size = 8, .stride = 8});
    refuse_items(PLEACH_OK, (pleach_lthash_items){.data = some});
}

static void bad_lists_of_states(void **context)
{
    (void)context;
    pleach_lthash other = {.keyed = 0}, total = {.keyed = 0};
    pleach_lthash *states[] = {&state, &other, NULL};
    assert_int_equal(pleach_lthash_apply_many(NULL, NULL, 1, NULL, ops, 1, HASHED, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_lthash_apply_many(NULL, states, 3, NULL, ops, 1, HASHED, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_lthash_apply_many(NULL, states, 2, &state, ops, 1, HASHED, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_lthash_apply_many(NULL, states, 2, &other, ops, 1, HASHED, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_lthash_apply_many(NULL, states, 0, &total, ops, 1, HASHED, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_lthash_apply_many(NULL, NULL, 0, &total, NULL, 0, HASHED, NULL), PLEACH_OK);
    assert_int_equal(pleach_lthash_apply_many(NULL, NULL, 0, NULL, NULL, 0, HASHED, NULL), PLEACH_OK);
    assert_memory_equal(&state, &was, sizeof was);
    assert_true(pleach_lthash_is_zero(&other) && pleach_lthash_is_zero(&total));
}

int test_refusals(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bad_change_anywhere),
        cmocka_unit_test(no_list_and_no_such_choice),
        cmocka_unit_test(bad_items),
        cmocka_unit_test(bad_lists_of_states),
    };
    return cmocka_run_group_tests_name("refusals", tests, open_ops, close_trials);
}
