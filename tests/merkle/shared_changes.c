/* Changes that the workers of a pool make, and those beside snapshots that others read; what memory they need. */
#define _GNU_SOURCE
#include "content.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { D = PLEACH_DIGEST_SIZE, MOST = CONTENT_MOST };

static uint8_t *const data = content_data;

enum { MANY = 1 << 15, MANY_SIZE = 40 };

static void assert_same(const pleach_tree *tree, const pleach_tree *expected)
{
    assert_int_equal(pleach_tree_levels(tree), pleach_tree_levels(expected));
    for (unsigned l = 0; l < pleach_tree_levels(expected); l++) {
        size_t run = 0, of_expected = 0;
        assert_int_equal(pleach_tree_level_size(tree, l), pleach_tree_level_size(expected, l));
        for (size_t index = 0; index < pleach_tree_level_size(tree, l);) {
            const uint8_t *nodes = pleach_tree_nodes(tree, l, index, &run);
            const uint8_t *those = pleach_tree_nodes(expected, l, index, &of_expected);
            run = run < of_expected ? run : of_expected;
            assert_memory_equal(nodes, those, D * run);
            index += run;
        }
    }
}

static pleach_leaves many_leaves(const uint8_t *bytes, size_t first, size_t end)
{
    return (pleach_leaves){
        .data = bytes + MANY_SIZE * first, .size = MANY_SIZE, .stride = MANY_SIZE, .count = end - first};
}

/* A large tree in two parts, with what lies before and after whole pieces of the second, and with pages that were used
   before and so lie anywhere. */
static void large_appends(void **state)
{
    static const size_t cuts[] = {0, 1, 65, 4096, 10000, MANY / 2, MANY / 2 + 77, MANY - 64, MANY - 1};
    uint8_t *bytes = malloc((size_t)MANY * MANY_SIZE);
    assert_non_null(bytes);
    fill_stream(bytes, (size_t)MANY * MANY_SIZE);
    const pleach_leaves all = many_leaves(bytes, 0, MANY);
    (void)state;
    for (size_t t = 0; t < trial_count; t++) {
        pleach_tree *expected = NULL, *tree = NULL, *kept = NULL;
        assert_int_equal(pleach_tree_create(&expected, trials[t].pool, PLEACH_SCHEME_RFC6962), PLEACH_OK);
        assert_int_equal(pleach_tree_create(&tree, trials[t].pool, PLEACH_SCHEME_RFC6962), PLEACH_OK);
        assert_int_equal(pleach_tree_build(expected, &all, NULL), PLEACH_OK);
        for (size_t c = t % 2; c < sizeof cuts / sizeof cuts[0]; c += 2) {
            const pleach_leaves first = many_leaves(bytes, 0, cuts[c]), second = many_leaves(bytes, cuts[c], MANY);
            struct record record = {0};
            pleach_monitor monitor = {.progress = watch, .context = &record};
            assert_int_equal(pleach_tree_truncate(tree, c % 3 == 0 ? 0 : pleach_tree_size(tree) / 3), PLEACH_OK);
            assert_int_equal(pleach_tree_snapshot(tree, &kept), PLEACH_OK);
            assert_int_equal(pleach_tree_truncate(tree, 0), PLEACH_OK);
            assert_int_equal(pleach_tree_append(tree, &first, NULL), PLEACH_OK);
            assert_int_equal(pleach_tree_append(tree, &second, &monitor), PLEACH_OK);
            assert_int_equal(record.done, MANY - cuts[c]);
            assert_int_equal(record.total, MANY - cuts[c]);
            assert_same(tree, expected);
            pleach_tree_destroy(kept);
        }
        pleach_tree_destroy(tree);
        pleach_tree_destroy(expected);
    }
    free(bytes);
}

/* All leaves of a large tree are replaced at once, in an order of their own, beside a snapshot. */
static void large_updates(void **state)
{
    uint8_t *bytes = malloc((size_t)MANY * MANY_SIZE);
    uint64_t *index = malloc(MANY * sizeof *index);
    pleach_input *list = malloc(MANY * sizeof *list);
    assert_true(bytes && index && list);
    fill_stream(bytes, (size_t)MANY * MANY_SIZE);
    const pleach_leaves all = many_leaves(bytes, 0, MANY);
    const pleach_leaves zeros = {.data = memset(data, 0, 64), .size = 0, .stride = 0, .count = MANY};
    const pleach_leaves listed = {.list = list, .count = MANY};
    (void)state;
    for (size_t i = 0; i < MANY; i++) {
        index[i] = i * 0x9E3779B1 % MANY;
        list[i] = (pleach_input){bytes + MANY_SIZE * index[i], MANY_SIZE};
    }
    for (size_t t = 0; t < trial_count; t++) {
        pleach_tree *expected = NULL, *before = NULL, *tree = NULL, *snapshot = NULL;
        struct record record = {0};
        pleach_monitor monitor = {.progress = watch, .context = &record};
        assert_int_equal(pleach_tree_create(&expected, trials[t].pool, PLEACH_SCHEME_RFC6962), PLEACH_OK);
        assert_int_equal(pleach_tree_create(&before, trials[t].pool, PLEACH_SCHEME_RFC6962), PLEACH_OK);
        assert_int_equal(pleach_tree_create(&tree, trials[t].pool, PLEACH_SCHEME_RFC6962), PLEACH_OK);
        assert_int_equal(pleach_tree_build(expected, &all, NULL), PLEACH_OK);
        assert_int_equal(pleach_tree_build(before, &zeros, NULL), PLEACH_OK);
        assert_int_equal(pleach_tree_build(tree, &zeros, NULL), PLEACH_OK);
        assert_true(pleach_tree_mutated(tree));
        assert_int_equal(pleach_tree_snapshot(tree, &snapshot), PLEACH_OK);
        assert_int_equal(pleach_tree_update(tree, index, &listed, &monitor), PLEACH_OK);
        assert_int_equal(record.done, MANY);
        assert_same(tree, expected);
        assert_same(snapshot, before);
        assert_false(pleach_tree_mutated(tree));
        pleach_tree_destroy(tree);
        pleach_tree_destroy(snapshot);
        pleach_tree_destroy(before);
        pleach_tree_destroy(expected);
    }
    free(list);
    free(index);
    free(bytes);
}

enum { READERS = 4, ROUNDS = 40, SHARED = 3000 };

struct reader {
    pthread_t thread;
    pleach_tree *snapshot;
    const pleach_leaves *leaves;
    size_t count;
    uint8_t root[D];
    bool right;
};

/* Whether the nodes of a level are made of those below. */
static bool is_made(const pleach_tree *tree, unsigned level)
{
    for (size_t i = 0; i < pleach_tree_level_size(tree, level); i++) {
        const uint8_t *node = pleach_tree_nodes(tree, level, i, NULL);
        const uint8_t *left = pleach_tree_nodes(tree, level - 1, 2 * i, NULL);
        const uint8_t *right = pleach_tree_nodes(tree, level - 1, 2 * i + 1, NULL);
        uint8_t expected[D];
        if (right)
            naive_node(pleach_tree_scheme(tree), left, right, expected);
        if (memcmp(node, right ? expected : left, D) != 0)
            return false;
    }
    return true;
}

/* Reads its snapshot, changes it, and destroys it. */
static void *read_snapshot(void *context)
{
    struct reader *reader = context;
    uint8_t root[D];
    reader->right = pleach_tree_size(reader->snapshot) == reader->count;
    for (unsigned l = 1; l < pleach_tree_levels(reader->snapshot); l++)
        reader->right = reader->right && is_made(reader->snapshot, l);
    reader->right = reader->right && pleach_tree_root(reader->snapshot, root) == PLEACH_OK &&
                    memcmp(root, reader->root, D) == 0 &&
                    pleach_tree_append(reader->snapshot, reader->leaves, NULL) == PLEACH_OK &&
                    pleach_tree_truncate(reader->snapshot, reader->count) == PLEACH_OK &&
                    pleach_tree_root(reader->snapshot, root) == PLEACH_OK && memcmp(root, reader->root, D) == 0;
    pleach_tree_destroy(reader->snapshot);
    return NULL;
}

static void change_once(pleach_tree *tree, uint64_t *random, const pleach_leaves *leaves)
{
    uint64_t index[8];
    const pleach_leaves few = {.data = leaves->data, .size = 32, .stride = 33, .count = 8};
    const uint64_t size = pleach_tree_size(tree);
    for (size_t i = 0; i < 8; i++)
        index[i] = random_below(random, size);
    assert_int_equal(pleach_tree_update(tree, index, &few, NULL), PLEACH_OK);
    if (random_below(random, 4) == 0)
        assert_int_equal(pleach_tree_truncate(tree, size - random_below(random, size / 2)), PLEACH_OK);
    assert_int_equal(pleach_tree_append(tree, random_below(random, 4) == 0 ? leaves : &few, NULL), PLEACH_OK);
}

static void readers_beside_a_writer(void **state)
{
    pleach_pool *pool = open_pool(2, "");
    const pleach_leaves leaves = {.data = data, .size = 16, .stride = 16, .count = SHARED};
    static struct reader readers[READERS];
    pleach_tree *tree = NULL;
    uint64_t random = 1;
    (void)state;
    assert_int_equal(pleach_tree_create(&tree, pool, PLEACH_SCHEME_RFC6962), PLEACH_OK);
    assert_int_equal(pleach_tree_build(tree, &leaves, NULL), PLEACH_OK);
    for (int round = 0; round < ROUNDS; round++) {
        struct reader *reader = &readers[round % READERS];
        if (round >= READERS) {
            assert_int_equal(pthread_join(reader->thread, NULL), 0);
            assert_true(reader->right);
        }
        reader->leaves = &leaves;
        reader->count = pleach_tree_size(tree);
        assert_int_equal(pleach_tree_root(tree, reader->root), PLEACH_OK);
        assert_int_equal(pleach_tree_snapshot(tree, &reader->snapshot), PLEACH_OK);
        assert_int_equal(pthread_create(&reader->thread, NULL, read_snapshot, reader), 0);
        change_once(tree, &random, &leaves);
        if (round % 8 == 7)
            assert_int_equal(pleach_tree_build(tree, &leaves, NULL), PLEACH_OK);
    }
    pleach_tree_destroy(tree);
    for (int i = 0; i < READERS; i++) {
        assert_int_equal(pthread_join(readers[i].thread, NULL), 0);
        assert_true(readers[i].right);
    }
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

/* What a snapshot costs, and that pages which it leaves behind are used again: by the memory of the pool. */
static void pages_are_reused(void **state)
{
    static struct content content;
    pleach_pool *pool = open_pool(1, "");
    pleach_tree *tree = make_tree(pool, PLEACH_SCHEME_RFC6962, &content, MOST), *snapshot = NULL;
    const pleach_leaves leaf = {.data = data, .size = 9, .stride = 9, .count = 1};
    pleach_memory_use use = {0};
    uint64_t peak = 0, random = 1;
    (void)state;
    for (int round = 0; round < 400; round++) {
        const uint64_t index = random_below(&random, MOST);
        assert_int_equal(pleach_tree_snapshot(tree, &snapshot), PLEACH_OK);
        assert_int_equal(pleach_tree_update(tree, &index, &leaf, NULL), PLEACH_OK);
        assert_int_equal(pleach_tree_append(tree, &leaf, NULL), PLEACH_OK);
        assert_int_equal(pleach_tree_truncate(tree, MOST), PLEACH_OK);
        pleach_tree_destroy(snapshot);
        pleach_pool_memory(pool, &use);
        if (round == 100)
            peak = use.peak;
    }
    assert_true(use.peak == peak);
    pleach_tree_destroy(tree);
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

int test_shared_changes(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(large_appends), cmocka_unit_test(pages_are_reused),
                                       cmocka_unit_test(readers_beside_a_writer), cmocka_unit_test(large_updates)};
    return cmocka_run_group_tests_name("shared changes", tests, open_contents, close_trials);
}
