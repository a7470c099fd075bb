/* What blocks make of trees and accumulators. */
#include "engine_test.h"

enum { BLOCKS = 40 };

/* Whether a tree, or a state, is among the digests. */
static const pleach_engine_digest *find_digest(const pleach_engine_digest *digests, size_t n, uint32_t object,
                                               uint32_t state)
{
    for (size_t i = 0; i < n; i++)
        if (digests[i].object == object && digests[i].state == state)
            return &digests[i];
    return NULL;
}

/* Those that are there are right, those that are not have not changed. */
static void check_digests(const struct model *old, const pleach_engine_view *view, const pleach_engine_digest *digests,
                          size_t n)
{
    uint8_t digest[PLEACH_DIGEST_SIZE], before[PLEACH_DIGEST_SIZE];
    size_t found = 0;
    for (uint32_t t = 0; t < TREES; t++) {
        const pleach_engine_digest *given = find_digest(digests, n, t, 0);
        if (pleach_tree_size(pleach_engine_view_tree(view, t)) == 0)
            continue;
        assert_int_equal(pleach_engine_view_root(view, t, digest), PLEACH_OK);
        if (given == NULL)
            assert_int_equal(pleach_tree_root(old->trees[t], before), PLEACH_OK);
        assert_memory_equal(given != NULL ? given->digest : before, digest, sizeof digest);
        found += given != NULL;
    }
    for (uint32_t s = 0; s < MODULES + 2; s++) {
        const uint32_t object = s <= MODULES ? BANK : STORE;
        const uint32_t index = s < MODULES ? s : s == MODULES ? PLEACH_ENGINE_TOTAL : 0;
        const pleach_engine_digest *given = find_digest(digests, n, object, index);
        assert_int_equal(pleach_engine_view_checksum(view, object, index, digest), PLEACH_OK);
        assert_int_equal(pleach_lthash_checksum(NULL, &old->states[s], before), PLEACH_OK);
        assert_memory_equal(given != NULL ? given->digest : before, digest, sizeof digest);
        found += given != NULL;
    }
    assert_int_equal(found, n);
    for (size_t i = 1; i < n; i++)
        assert_true(digests[i - 1].object < digests[i].object ||
                    (digests[i - 1].object == digests[i].object && digests[i - 1].state < digests[i].state));
}

static void blocks_are_what_single_changes_come_to(void **state)
{
    pleach_engine *engine = chain_open(NULL, 0);
    struct model model;
    size_t digested = 0;
    (void)state;
    assert_int_equal(chain_objects(engine), PLEACH_OK);
    model_open(&model);
    for (uint64_t height = 1; height <= BLOCKS; height++) {
        pleach_engine_digest digests[OBJECTS + MODULES];
        pleach_engine_view *view = NULL;
        size_t n = 99;
        assert_int_equal(chain_fill(engine, height), PLEACH_OK);
        assert_int_equal(pleach_engine_block_seal(engine, NULL, digests, OBJECTS + MODULES, &n), PLEACH_OK);
        assert_int_equal(pleach_engine_view_open(engine, height, &view), PLEACH_OK);
        check_digests(&model, view, digests, n);
        model_block(&model);
        assert_true(model_is(&model, view));
        pleach_engine_view_close(engine, view);
        digested += n;
    }
    assert_in_range(digested, BLOCKS, BLOCKS * (OBJECTS + MODULES) - 1);
    model_close(&model);
    assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
}

static void an_aborted_block_changes_nothing(void **state)
{
    pleach_engine *engine = chain_open(NULL, 2);
    (void)state;
    assert_int_equal(chain_objects(engine), PLEACH_OK);
    chain_blocks(engine, 1, 5);
    assert_int_equal(chain_fill(engine, 6), PLEACH_OK);
    assert_int_equal(pleach_engine_block_abort(engine), PLEACH_OK);
    expect_height(engine, 5);
    chain_blocks(engine, 6, 6);
    expect_height(engine, 6);
    assert_int_equal(chain_fill(engine, 7), PLEACH_OK);
    assert_int_equal(pleach_engine_close(engine), PLEACH_OK); /* with a block open */
}

/* A refused or cancelled seal can be tried again. */
static void a_block_that_cannot_be_sealed_stays_open(void **state)
{
    pleach_engine *engine = chain_open(NULL, 2);
    pleach_engine_digest digests[2] = {{.object = 77}};
    pleach_monitor monitor = {0};
    size_t n = 99;
    (void)state;
    assert_int_equal(chain_objects(engine), PLEACH_OK);
    chain_blocks(engine, 1, 8);
    assert_int_equal(chain_fill(engine, 9), PLEACH_OK);
    expect_failure(pleach_engine_block_seal(engine, NULL, digests, 2, &n), PLEACH_ERANGE, "room = 2");
    pleach_monitor_cancel(&monitor);
    assert_int_equal(pleach_engine_block_seal(engine, &monitor, NULL, 0, &n), PLEACH_ECANCELED);
    assert_int_equal(n, 99);
    assert_int_equal(digests[0].object, 77);
    expect_height(engine, 8);
    assert_int_equal(pleach_engine_block_seal(engine, &(pleach_monitor){0}, NULL, 0, &n), PLEACH_OK);
    expect_height(engine, 9);
    assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
}

static uint8_t leaf[8][64];

static void append(pleach_engine *engine, uint32_t tree, size_t first, size_t n)
{
    const pleach_leaves leaves = {.data = leaf[first], .size = 64, .stride = 64, .count = n};
    assert_int_equal(pleach_engine_append(engine, tree, &leaves), PLEACH_OK);
}

static void expect_root(pleach_engine *engine, uint32_t tree, const pleach_leaves *leaves)
{
    uint8_t root[PLEACH_DIGEST_SIZE], expected[PLEACH_DIGEST_SIZE];
    pleach_engine_view *view = NULL;
    assert_int_equal(pleach_engine_view_open(engine, PLEACH_ENGINE_LATEST, &view), PLEACH_OK);
    assert_int_equal(pleach_engine_view_root(view, tree, root), PLEACH_OK);
    assert_int_equal(
        pleach_merkle_root(NULL, pleach_tree_scheme(pleach_engine_view_tree(view, tree)), leaves, NULL, expected),
        PLEACH_OK);
    assert_memory_equal(root, expected, sizeof root);
    pleach_engine_view_close(engine, view);
}

/* Only what a block comes to counts, not what it is in between. */
static void schemes_see_the_end_of_a_block(void **state)
{
    pleach_engine *engine = chain_open(NULL, 0);
    uint32_t tree = 0;
    (void)state;
    fill_random(leaf[0], sizeof leaf, 1);
    assert_int_equal(pleach_engine_tree(engine, "powers", PLEACH_SCHEME_BLAKE2S, &tree), PLEACH_OK);
    assert_int_equal(pleach_engine_block_begin(engine, 5), PLEACH_OK);
    append(engine, tree, 0, 3);
    expect_failure(pleach_engine_block_seal(engine, NULL, NULL, 0, NULL), PLEACH_EINVAL, "powers of two");
    append(engine, tree, 3, 5);
    assert_int_equal(pleach_engine_block_seal(engine, NULL, NULL, 0, NULL), PLEACH_OK);
    expect_root(engine, tree, &(pleach_leaves){.data = leaf[0], .size = 64, .stride = 64, .count = 8});
    assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
}

/* The last change of a leaf counts, whether the block added it or not, and what follows does not matter. */
static void leaves_are_replaced_in_order(void **state)
{
    pleach_engine *engine = chain_open(NULL, 0);
    const pleach_leaves pair = {.data = leaf[6], .size = 64, .stride = 64, .count = 2}, none = {0};
    uint32_t tree = 0;
    (void)state;
    fill_random(leaf[0], sizeof leaf, 2);
    assert_int_equal(pleach_engine_tree(engine, "t", PLEACH_SCHEME_RFC6962, &tree), PLEACH_OK);
    assert_int_equal(pleach_engine_block_begin(engine, 0), PLEACH_OK);
    append(engine, tree, 0, 3);
    assert_int_equal(pleach_engine_update(engine, tree, (const uint64_t[]){2, 2}, &pair), PLEACH_OK);
    assert_int_equal(pleach_engine_update(engine, tree, NULL, &none), PLEACH_OK);
    expect_failure(pleach_engine_update(engine, tree, (const uint64_t[]){0, 3}, &pair), PLEACH_ERANGE, "3 leaves");
    append(engine, tree, 3, 1);
    assert_int_equal(pleach_engine_block_seal(engine, NULL, NULL, 0, NULL), PLEACH_OK);
    memcpy(leaf[2], leaf[7], sizeof leaf[2]);
    expect_root(engine, tree, &(pleach_leaves){.data = leaf[0], .size = 64, .stride = 64, .count = 4});
    assert_int_equal(pleach_engine_block_begin(engine, 1), PLEACH_OK);
    assert_int_equal(pleach_engine_update(engine, tree, (const uint64_t[]){0, 3}, &pair), PLEACH_OK);
    assert_int_equal(pleach_engine_block_seal(engine, NULL, NULL, 0, NULL), PLEACH_OK);
    memcpy(leaf[0], leaf[6], sizeof leaf[0]);
    memcpy(leaf[3], leaf[7], sizeof leaf[3]);
    expect_root(engine, tree, &(pleach_leaves){.data = leaf[0], .size = 64, .stride = 64, .count = 4});
    assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
}

static void blocks_may_be_empty(void **state)
{
    pleach_engine *engine = chain_open(NULL, 1);
    size_t n = 99;
    (void)state;
    assert_int_equal(pleach_engine_block_begin(engine, 1), PLEACH_OK);
    assert_int_equal(pleach_engine_block_seal(engine, NULL, NULL, 0, &n), PLEACH_OK);
    assert_int_equal(n, 0);
    assert_int_equal(chain_objects(engine), PLEACH_OK);
    assert_int_equal(pleach_engine_block_begin(engine, 2), PLEACH_OK);
    assert_int_equal(pleach_engine_apply(engine, BANK, NULL, 0), PLEACH_OK);
    assert_int_equal(pleach_engine_block_seal(engine, NULL, NULL, 0, &n), PLEACH_OK);
    assert_int_equal(n, 0);
    assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
}

/* A large batch is spread over the workers, and can be cancelled while it is. */
static void blocks_may_be_large(void **state)
{
    enum { LEAVES = 20000, SIZE = 100 };
    static uint8_t bytes[LEAVES * SIZE];
    pleach_engine *engine = chain_open(NULL, 0);
    const pleach_leaves leaves = {.data = bytes, .size = SIZE - 3, .stride = SIZE, .count = LEAVES};
    uint32_t tree = 0;
    (void)state;
    fill_random(bytes, sizeof bytes, 3);
    assert_int_equal(pleach_engine_tree(engine, "large", PLEACH_SCHEME_BLAKE3, &tree), PLEACH_OK);
    assert_int_equal(pleach_engine_block_begin(engine, 0), PLEACH_OK);
    assert_int_equal(pleach_engine_append(engine, tree, &leaves), PLEACH_OK);
    assert_int_equal(pleach_engine_block_seal(engine, &(pleach_monitor){0}, NULL, 0, NULL), PLEACH_OK);
    expect_root(engine, tree, &leaves);
    assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
}

int test_blocks(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_what_single_changes_come_to),
        cmocka_unit_test(an_aborted_block_changes_nothing),
        cmocka_unit_test(a_block_that_cannot_be_sealed_stays_open),
        cmocka_unit_test(schemes_see_the_end_of_a_block),
        cmocka_unit_test(leaves_are_replaced_in_order),
        cmocka_unit_test(blocks_may_be_empty),
        cmocka_unit_test(blocks_may_be_large),
    };
    return cmocka_run_group_tests_name("blocks", tests, NULL, NULL);
}
