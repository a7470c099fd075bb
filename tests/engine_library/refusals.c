/* Calls that are refused, and leave everything as it is. */
#include "engine_test.h"

static const uint8_t some[64];

static void blocks_have_an_order(void **state)
{
    pleach_engine *engine = chain_open(NULL, 2);
    const pleach_leaves leaves = {.data = some, .size = 32, .stride = 32, .count = 2};
    (void)state;
    assert_int_equal(chain_objects(engine), PLEACH_OK);
    expect_failure(pleach_engine_append(engine, IDS, &leaves), PLEACH_EBLOCK, "no block");
    expect_failure(pleach_engine_update(engine, IDS, (const uint64_t[]){0, 1}, &leaves), PLEACH_EBLOCK, "no block");
    expect_failure(pleach_engine_apply(engine, BANK, NULL, 0), PLEACH_EBLOCK, "no block");
    expect_failure(pleach_engine_block_seal(engine, NULL, NULL, 0, NULL), PLEACH_EBLOCK, "no block");
    expect_failure(pleach_engine_block_abort(engine), PLEACH_EBLOCK, "no block");
    expect_failure(pleach_engine_block_begin(engine, UINT64_MAX), PLEACH_EBLOCKHEIGHT, "18446744073709551615");
    chain_blocks(engine, 1, 3);
    expect_failure(pleach_engine_block_begin(engine, 3), PLEACH_EBLOCKHEIGHT, "after 3 comes 4");
    expect_failure(pleach_engine_block_begin(engine, 5), PLEACH_EBLOCKHEIGHT, "after 3 comes 4");
    assert_int_equal(pleach_engine_block_begin(engine, 4), PLEACH_OK);
    expect_failure(pleach_engine_block_begin(engine, 4), PLEACH_EBLOCKOPEN, "block 4 is open");
    assert_int_equal(pleach_engine_block_abort(engine), PLEACH_OK);
    expect_height(engine, 3);
    assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
}

static void changes_are_checked_when_they_come(void **state)
{
    pleach_engine *engine = chain_open(NULL, 0);
    const pleach_leaves odd = {.data = some, .size = 31, .stride = 31, .count = 2},
                        padded = {.data = some, .size = 32, .stride = 32, .count = 2, .zeros = 1},
                        huge = {.data = some, .size = 200, .stride = 200, .count = SIZE_MAX / 300},
                        fine = {.data = some, .size = 32, .stride = 32, .count = 2};
    pleach_lthash_op op = {.item = {some, 5}};
    uint32_t powers = 0;
    (void)state;
    assert_int_equal(chain_objects(engine), PLEACH_OK);
    assert_int_equal(pleach_engine_tree(engine, "powers", PLEACH_SCHEME_BLAKE2S, &powers), PLEACH_OK);
    assert_int_equal(pleach_engine_block_begin(engine, 1), PLEACH_OK);
    expect_failure(pleach_engine_append(engine, BANK, &fine), PLEACH_EOBJECT, "tree = 3");
    expect_failure(pleach_engine_append(engine, 99, &fine), PLEACH_EOBJECT, "tree = 99");
    expect_failure(pleach_engine_apply(engine, IDS, &op, 1), PLEACH_EOBJECT, "accumulator = 1");
    expect_failure(pleach_engine_append(engine, IDS, &odd), PLEACH_EINVAL, "31");
    expect_failure(pleach_engine_append(engine, powers, &padded), PLEACH_EINVAL, "zeros = 1");
    expect_failure(pleach_engine_append(engine, RARE, &huge), PLEACH_ERANGE, "leaves");
    expect_failure(pleach_engine_update(engine, IDS, NULL, &fine), PLEACH_EINVAL, "index");
    expect_failure(pleach_engine_update(engine, IDS, (const uint64_t[]){0, 0}, &fine), PLEACH_ERANGE, "0 leaves");
    op.state = MODULES;
    expect_failure(pleach_engine_apply(engine, BANK, &op, 1), PLEACH_EINVAL, "state = 3");
    op = (pleach_lthash_op){.item = {some, 5}, .action = (pleach_lthash_action)2};
    expect_failure(pleach_engine_apply(engine, BANK, &op, 1), PLEACH_EINVAL, "action = 2");
    op = (pleach_lthash_op){.item = {NULL, 5}};
    expect_failure(pleach_engine_apply(engine, BANK, &op, 1), PLEACH_EINVAL, "bytes = NULL");
    op = (pleach_lthash_op){.item = {some, SIZE_MAX}};
    expect_failure(pleach_engine_apply(engine, BANK, &op, 1), PLEACH_ERANGE, "size");
    expect_failure(pleach_engine_apply(engine, BANK, NULL, 1), PLEACH_EINVAL, "ops = NULL");
    size_t n = 99;
    assert_int_equal(pleach_engine_block_seal(engine, NULL, NULL, 0, &n), PLEACH_OK);
    assert_int_equal(n, 0); /* nothing of all that was taken */
    assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
}

static void views_are_asked_for_what_there_is(void **state)
{
    pleach_engine *engine = chain_open(NULL, 0);
    pleach_engine_view *view = NULL;
    pleach_lthash sum;
    uint8_t digest[PLEACH_DIGEST_SIZE];
    uint64_t height = 99;
    uint32_t powers = 0;
    (void)state;
    assert_int_equal(chain_objects(engine), PLEACH_OK);
    assert_int_equal(pleach_engine_tree(engine, "powers", PLEACH_SCHEME_BLAKE2S, &powers), PLEACH_OK);
    assert_int_equal(pleach_engine_view_open(engine, PLEACH_ENGINE_LATEST, &view), PLEACH_OK);
    assert_false(pleach_engine_view_height(view, &height));
    assert_int_equal(height, 99);
    assert_null(pleach_engine_view_name(view, OBJECTS + 1));
    assert_null(pleach_engine_view_tree(view, BANK));
    assert_null(pleach_engine_view_tree(view, OBJECTS + 1));
    expect_failure(pleach_engine_view_root(view, BANK, digest), PLEACH_EOBJECT, "tree = 3");
    expect_failure(pleach_engine_view_root(view, powers, digest), PLEACH_EINVAL, "without leaves");
    expect_failure(pleach_engine_view_state(view, IDS, 0, &sum), PLEACH_EOBJECT, "accumulator = 1");
    expect_failure(pleach_engine_view_state(view, BANK, MODULES, &sum), PLEACH_ERANGE, "3 states and a total");
    expect_failure(pleach_engine_view_checksum(view, STORE, PLEACH_ENGINE_TOTAL, digest), PLEACH_ERANGE, "1 states");
    expect_failure(pleach_engine_view_find(view, "Bank", &(uint32_t){0}), PLEACH_EOBJECT, "Bank");
    pleach_engine_view_close(engine, view);
    assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
}

static void options_have_limits(void **state)
{
    const pleach_engine_options many = {.rollback_blocks = PLEACH_ENGINE_ROLLBACK_MAX + 1};
    pleach_config config = chain_settings();
    pleach_engine *engine = NULL;
    (void)state;
    expect_failure(pleach_engine_open(&engine, &config, &many), PLEACH_EINVAL, "rollback_blocks = 4097");
    config.workers = -5;
    expect_failure(pleach_engine_open(&engine, &config, NULL), PLEACH_ESETTING, "PLEACH_WORKERS");
    assert_null(engine);
}

static void pointers_are_checked(void **state)
{
    pleach_engine *engine = chain_open(NULL, 0);
    pleach_engine_view *view = NULL;
    uint32_t object;
    (void)state;
    expect_failure(pleach_engine_open(NULL, NULL, NULL), PLEACH_EINVAL, "engine");
    assert_int_equal(pleach_engine_close(NULL), PLEACH_OK);
    assert_null(pleach_engine_pool(NULL));
    assert_non_null(pleach_engine_pool(engine));
    expect_failure(pleach_engine_tree(NULL, "a", PLEACH_SCHEME_SSZ, &object), PLEACH_EINVAL, "engine");
    expect_failure(pleach_engine_tree(engine, NULL, PLEACH_SCHEME_SSZ, &object), PLEACH_EINVAL, "name");
    expect_failure(pleach_engine_tree(engine, "a", NULL, &object), PLEACH_EINVAL, "scheme");
    expect_failure(pleach_engine_tree(engine, "a", PLEACH_SCHEME_SSZ, NULL), PLEACH_EINVAL, "object");
    expect_failure(pleach_engine_accumulator(engine, "a", NULL, &object), PLEACH_EINVAL, "rules");
    expect_failure(pleach_engine_block_begin(NULL, 0), PLEACH_EINVAL, "engine");
    expect_failure(pleach_engine_block_seal(NULL, NULL, NULL, 0, NULL), PLEACH_EINVAL, "engine");
    expect_failure(pleach_engine_block_abort(NULL), PLEACH_EINVAL, "engine");
    expect_failure(pleach_engine_append(NULL, 0, NULL), PLEACH_EINVAL, "engine");
    expect_failure(pleach_engine_rollback(NULL, 0), PLEACH_EINVAL, "engine");
    expect_failure(pleach_engine_view_open(NULL, 0, &view), PLEACH_EINVAL, "engine");
    expect_failure(pleach_engine_view_open(engine, 0, NULL), PLEACH_EINVAL, "view");
    expect_failure(pleach_engine_view_root(NULL, 0, (uint8_t[32]){0}), PLEACH_EINVAL, "view");
    expect_failure(pleach_engine_view_state(NULL, 0, 0, NULL), PLEACH_EINVAL, "view");
    expect_failure(pleach_engine_view_find(NULL, "a", &object), PLEACH_EINVAL, "view");
    expect_failure(pleach_engine_state_export(NULL, append_bytes, NULL), PLEACH_EINVAL, "view");
    expect_failure(pleach_engine_state_import(engine, NULL, NULL, NULL), PLEACH_EINVAL, "read");
    expect_failure(pleach_engine_snapshot(NULL), PLEACH_EINVAL, "engine");
    expect_failure(pleach_engine_queue(engine, NULL, NULL, NULL, NULL, NULL), PLEACH_EINVAL, "loop");
    expect_failure(pleach_engine_close_queue(NULL, NULL, NULL, NULL), PLEACH_EINVAL, "engine");
    assert_int_equal(pleach_engine_state_size(NULL), 0);
    pleach_engine_view_close(engine, NULL);
    pleach_engine_cancel(NULL);
    assert_int_equal(pleach_engine_block_begin(engine, 0), PLEACH_OK);
    expect_failure(pleach_engine_append(engine, 0, NULL), PLEACH_EOBJECT, "tree = 0");
    assert_int_equal(pleach_engine_block_abort(engine), PLEACH_OK);
    assert_int_equal(pleach_engine_tree(engine, "a", PLEACH_SCHEME_SSZ, &object), PLEACH_OK);
    assert_int_equal(pleach_engine_block_begin(engine, 0), PLEACH_OK);
    expect_failure(pleach_engine_append(engine, object, NULL), PLEACH_EINVAL, "leaves");
    assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
}

int test_refusals(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_have_an_order),
        cmocka_unit_test(changes_are_checked_when_they_come),
        cmocka_unit_test(views_are_asked_for_what_there_is),
        cmocka_unit_test(options_have_limits),
        cmocka_unit_test(pointers_are_checked),
    };
    return cmocka_run_group_tests_name("refusals", tests, NULL, NULL);
}
