/* Going back. */
#include "engine_test.h"

enum { KEPT = 8, BLOCKS = 20 };

static void going_back_gives_the_state_of_a_fresh_build(void **state)
{
    (void)state;
    for (uint64_t height = BLOCKS - KEPT; height <= BLOCKS; height++) {
        pleach_engine *engine = chain_open(NULL, KEPT);
        assert_int_equal(chain_objects(engine), PLEACH_OK);
        chain_blocks(engine, 1, BLOCKS);
        assert_int_equal(pleach_engine_rollback(engine, height), PLEACH_OK);
        expect_height(engine, height);
        chain_blocks(engine, height + 1, BLOCKS + 2);
        expect_height(engine, BLOCKS + 2);
        assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
    }
}

/* Over and over: each step back is to a block sealed on the way. */
static void reorganisations_may_follow_each_other(void **state)
{
    pleach_engine *engine = chain_open(NULL, KEPT);
    uint64_t height = KEPT, seed = 7;
    (void)state;
    assert_int_equal(chain_objects(engine), PLEACH_OK);
    chain_blocks(engine, 1, height);
    for (int i = 0; i < 30; i++) {
        const uint64_t back = random_below(&seed, KEPT), on = back + random_below(&seed, 3);
        assert_int_equal(pleach_engine_rollback(engine, height - back), PLEACH_OK);
        chain_blocks(engine, height - back + 1, height - back + on);
        height += on - back;
        if (i % 5 == 0)
            expect_height(engine, height);
        chain_blocks(engine, height + 1, height + KEPT); /* so that there is something to go back to */
        height += KEPT;
    }
    expect_height(engine, height);
    assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
}

static void heights_that_are_not_kept_are_refused(void **state)
{
    pleach_engine *engine = chain_open(NULL, KEPT);
    pleach_engine_view *view = NULL;
    (void)state;
    assert_int_equal(chain_objects(engine), PLEACH_OK);
    expect_failure(pleach_engine_rollback(engine, 0), PLEACH_EROLLBACK, "no block was sealed");
    chain_blocks(engine, 1, 3);
    expect_failure(pleach_engine_rollback(engine, 0), PLEACH_EROLLBACK, "1..3");
    chain_blocks(engine, 4, BLOCKS);
    expect_failure(pleach_engine_rollback(engine, BLOCKS - KEPT - 1), PLEACH_EROLLBACK, "12..20");
    expect_failure(pleach_engine_rollback(engine, BLOCKS + 1), PLEACH_EROLLBACK, "12..20");
    expect_failure(pleach_engine_view_open(engine, BLOCKS + 1, &view), PLEACH_EROLLBACK, "12..20");
    assert_null(view);
    assert_int_equal(pleach_engine_block_begin(engine, BLOCKS + 1), PLEACH_OK);
    expect_failure(pleach_engine_rollback(engine, BLOCKS), PLEACH_EBLOCKOPEN, "block 21 is open");
    assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
}

static void an_engine_may_keep_nothing(void **state)
{
    pleach_engine *engine = chain_open(NULL, 0);
    (void)state;
    assert_int_equal(chain_objects(engine), PLEACH_OK);
    chain_blocks(engine, 1, 3);
    assert_int_equal(pleach_engine_rollback(engine, 3), PLEACH_OK);
    expect_failure(pleach_engine_rollback(engine, 2), PLEACH_EROLLBACK, "3..3");
    expect_height(engine, 3);
    assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
}

/* What was made after a block is gone before it. */
static void objects_are_part_of_the_state(void **state)
{
    pleach_engine *engine = chain_open(NULL, KEPT);
    pleach_engine_view *view = NULL;
    uint32_t object = 0;
    (void)state;
    assert_int_equal(chain_objects(engine), PLEACH_OK);
    chain_blocks(engine, 1, 2);
    assert_int_equal(pleach_engine_tree(engine, "late", PLEACH_SCHEME_SSZ, &object), PLEACH_OK);
    assert_int_equal(object, OBJECTS);
    chain_blocks(engine, 3, 4);
    assert_int_equal(pleach_engine_rollback(engine, 2), PLEACH_OK);
    assert_int_equal(pleach_engine_view_open(engine, 2, &view), PLEACH_OK);
    assert_int_equal(pleach_engine_view_find(view, "late", &object), PLEACH_OK);
    pleach_engine_view_close(engine, view);
    assert_int_equal(pleach_engine_rollback(engine, 1), PLEACH_OK);
    assert_int_equal(pleach_engine_view_open(engine, 1, &view), PLEACH_OK);
    expect_failure(pleach_engine_view_find(view, "late", &object), PLEACH_EOBJECT, "late");
    pleach_engine_view_close(engine, view);
    expect_height(engine, 1);
    assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
}

/* A view outlives its state. */
static void views_stay_what_they_are(void **state)
{
    pleach_engine *engine = chain_open(NULL, KEPT);
    pleach_engine_view *views[5];
    struct model model;
    (void)state;
    assert_int_equal(chain_objects(engine), PLEACH_OK);
    for (uint64_t i = 0; i < 5; i++) {
        chain_blocks(engine, i + 1, i + 1);
        assert_int_equal(pleach_engine_view_open(engine, PLEACH_ENGINE_LATEST, &views[i]), PLEACH_OK);
    }
    assert_int_equal(pleach_engine_rollback(engine, 2), PLEACH_OK);
    chain_blocks(engine, 3, 2 * KEPT);
    expect_failure(pleach_engine_close(engine), PLEACH_EINUSE, "5 views");
    for (uint64_t i = 0; i < 5; i++) {
        model_build(&model, i + 1);
        assert_true(model_is(&model, views[i]));
        model_close(&model);
        pleach_engine_view_close(engine, views[i]);
    }
    assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
}

int test_rollback(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(going_back_gives_the_state_of_a_fresh_build),
        cmocka_unit_test(reorganisations_may_follow_each_other),
        cmocka_unit_test(heights_that_are_not_kept_are_refused),
        cmocka_unit_test(an_engine_may_keep_nothing),
        cmocka_unit_test(objects_are_part_of_the_state),
        cmocka_unit_test(views_stay_what_they_are),
    };
    return cmocka_run_group_tests_name("rollback", tests, NULL, NULL);
}
