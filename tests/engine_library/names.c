/* Trees and accumulators by name, and the arguments that are refused. */
#include "engine_test.h"

#include <stdio.h>

static void objects_are_found_again(void **state)
{
    pleach_engine *engine = chain_open(NULL, 0);
    pleach_scheme mine = *PLEACH_SCHEME_RFC6962;
    uint32_t object = 99;
    (void)state;
    assert_int_equal(chain_objects(engine), PLEACH_OK);
    mine.name = "mine"; /* the rules count */
    assert_int_equal(pleach_engine_tree(engine, object_names[TRANSACTIONS], &mine, &object), PLEACH_OK);
    assert_int_equal(object, TRANSACTIONS);
    assert_int_equal(pleach_engine_accumulator(engine, object_names[STORE], &accumulator_rules[1], &object), PLEACH_OK);
    assert_int_equal(object, STORE);
    expect_height(engine, 0);
    expect_failure(pleach_engine_tree(engine, object_names[TRANSACTIONS], PLEACH_SCHEME_SSZ, &object),
                   PLEACH_EOBJECTNAME, "transactions: there is another");
    expect_failure(pleach_engine_tree(engine, object_names[BANK], PLEACH_SCHEME_SSZ, &object), PLEACH_EOBJECTNAME,
                   "bank");
    expect_failure(pleach_engine_accumulator(engine, object_names[IDS], &accumulator_rules[0], &object),
                   PLEACH_EOBJECTNAME, "ids");
    for (int i = 0; i < 3; i++) {
        pleach_engine_accumulator_rules other = accumulator_rules[0];
        other.states += i == 0;
        other.total ^= i == 1;
        other.empty = i == 2 ? PLEACH_LTHASH_EMPTY_SKIPPED : other.empty;
        expect_failure(pleach_engine_accumulator(engine, object_names[BANK], &other, &object), PLEACH_EOBJECTNAME,
                       "bank");
    }
    assert_int_equal(object, STORE);
    assert_int_equal(pleach_engine_block_begin(engine, 1), PLEACH_OK);
    assert_int_equal(pleach_engine_tree(engine, object_names[IDS], PLEACH_SCHEME_BITCOIN, &object), PLEACH_OK);
    expect_failure(pleach_engine_tree(engine, "new", PLEACH_SCHEME_SSZ, &object), PLEACH_EBLOCKOPEN, "block 1");
    assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
}

static void names_have_limits(void **state)
{
    pleach_engine *engine = chain_open(NULL, 0);
    char name[PLEACH_ENGINE_NAME_MAX + 2];
    uint32_t object = 99;
    (void)state;
    memset(name, 'n', sizeof name);
    name[PLEACH_ENGINE_NAME_MAX + 1] = '\0';
    expect_failure(pleach_engine_tree(engine, name, PLEACH_SCHEME_SSZ, &object), PLEACH_EOBJECTNAME, "65 characters");
    expect_failure(pleach_engine_tree(engine, "", PLEACH_SCHEME_SSZ, &object), PLEACH_EOBJECTNAME, "0 characters");
    expect_failure(pleach_engine_tree(engine, "a/b", PLEACH_SCHEME_SSZ, &object), PLEACH_EOBJECTNAME, "0x2f");
    expect_failure(pleach_engine_tree(engine, "\xc3\xa4", PLEACH_SCHEME_SSZ, &object), PLEACH_EOBJECTNAME, "0xc3");
    assert_int_equal(object, 99);
    name[PLEACH_ENGINE_NAME_MAX] = '\0';
    assert_int_equal(pleach_engine_tree(engine, name, PLEACH_SCHEME_SSZ, &object), PLEACH_OK);
    assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
}

static void there_is_a_most_of_objects(void **state)
{
    const pleach_engine_accumulator_rules one = {.states = 1}, none = {0},
                                          many = {.states = PLEACH_ENGINE_STATES_MAX + 1},
                                          odd = {.states = 1, .empty = (pleach_lthash_empty)2};
    pleach_engine *engine = chain_open(NULL, 0);
    uint32_t object = 0;
    (void)state;
    expect_failure(pleach_engine_accumulator(engine, "a", &none, &object), PLEACH_EINVAL, "states = 0");
    expect_failure(pleach_engine_accumulator(engine, "a", &many, &object), PLEACH_EINVAL, "states = 1025");
    expect_failure(pleach_engine_accumulator(engine, "a", &odd, &object), PLEACH_EINVAL, "empty = 2");
    for (uint32_t i = 0; i < PLEACH_ENGINE_OBJECTS_MAX; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "tree-%u", i);
        assert_int_equal(pleach_engine_tree(engine, name, PLEACH_SCHEME_SSZ, &object), PLEACH_OK);
        assert_int_equal(object, i);
    }
    expect_failure(pleach_engine_accumulator(engine, "a", &one, &object), PLEACH_ERANGE, "1024");
    assert_int_equal(pleach_engine_tree(engine, "tree-7", PLEACH_SCHEME_SSZ, &object), PLEACH_OK);
    assert_int_equal(object, 7);
    assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
}

int test_names(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_are_found_again),
        cmocka_unit_test(names_have_limits),
        cmocka_unit_test(there_is_a_most_of_objects),
    };
    return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
