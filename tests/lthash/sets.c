/* A large set that changes is the set that it became, and its parts are the whole, whoever adds them up. */
#include "lthash_test.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE = 40 };

/* Item i of a version of the set. */
static void put_item(uint8_t *item, uint64_t i, uint64_t version)
{
    memset(item, 0, SIZE);
    memcpy(item, &i, sizeof i);
    memcpy(item + sizeof i, &version, sizeof version);
}

static uint8_t *set_of(size_t n)
{
    uint8_t *items = malloc(n * SIZE);
    assert_non_null(items);
    for (size_t i = 0; i < n; i++)
        put_item(items + SIZE * i, i, 0);
    return items;
}

static void add_all(pleach_pool *pool, pleach_lthash *state, const uint8_t *items, size_t n)
{
    const pleach_lthash_items all = {.data = items, .size = SIZE, .stride = SIZE, .count = n};
    assert_int_equal(pleach_lthash_apply_items(pool, state, ADD, &all, HASHED, NULL), PLEACH_OK);
}

static void a_tenth_is_updated(void **context)
{
    (void)context;
    const size_t n = quick() ? 5000 : 1000000, tenth = n / 10;
    uint8_t *items = set_of(n);
    struct changes changes = changes_of(2 * tenth, 2 * tenth * SIZE);
    pleach_pool *pool = open_pool(2, "");
    pleach_lthash state = {.keyed = 0}, anew = {.keyed = 0};
    uint64_t seed = 140;
    add_all(pool, &state, items, n);
    for (size_t i = 0; i < tenth; i++) {
        uint8_t *item = items + SIZE * (10 * i + (size_t)random_below(&seed, 10));
        memcpy(change(&changes, REMOVE, SIZE), item, SIZE);
        put_item(item, 10 * i, 1);
        memcpy(change(&changes, ADD, SIZE), item, SIZE);
    }
    assert_int_equal(pleach_lthash_apply(pool, &state, changes.ops, changes.n, HASHED, NULL), PLEACH_OK);
    add_all(pool, &anew, items, n);
    assert_same(&state, &anew);
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
    changes_free(&changes);
    free(items);
}

static void parts_are_the_whole(void **context)
{
    static const size_t cuts[] = {0, 1, 100, 3000, 3017, 10000};
    (void)context;
    const size_t n = quick() ? 2000 : 20000;
    uint8_t *items = set_of(n);
    pleach_lthash whole = {.keyed = 0};
    add_all(NULL, &whole, items, n);
    for (size_t t = 0; t < trial_count; t++) {
        pleach_lthash at_once = {.keyed = 0}, sum = {.keyed = 0};
        add_all(trials[t].pool, &at_once, items, n);
        assert_same(&at_once, &whole);
        for (size_t c = 0; c < sizeof cuts / sizeof cuts[0] && cuts[c] < n; c++) {
            const size_t end = c + 1 < sizeof cuts / sizeof cuts[0] && cuts[c + 1] < n ? cuts[c + 1] : n;
            pleach_lthash part = {.keyed = 0};
            add_all(trials[t].pool, &part, items + SIZE * cuts[c], end - cuts[c]);
            assert_int_equal(pleach_lthash_combine(&sum, &part), PLEACH_OK);
        }
        assert_same(&sum, &whole);
    }
    free(items);
}

int test_sets(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_tenth_is_updated), cmocka_unit_test(parts_are_the_whole)};
    return cmocka_run_group_tests_name("sets", tests, open_trials, close_trials);
}
