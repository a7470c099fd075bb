/* Changes that are refused, or stopped, and leave the tree as it was. */
#include "content.h"

#include <string.h>

enum { D = PLEACH_DIGEST_SIZE, MOST = CONTENT_MOST, DATA = CONTENT_DATA };

static uint8_t *const data = content_data;

static void assert_says(const char *text)
{
    if (!strstr(pleach_last_error(), text))
        fail_msg("\"%s\" says nothing of \"%s\"", pleach_last_error(), text);
}

static void refused_changes(void **state)
{
    static struct content content;
    const uint64_t index[] = {0, 100, 99}, last[] = {99, 0};
    const pleach_leaves some = {.data = data, .size = 8, .stride = 8, .count = 3},
                        two = {.data = data, .size = 8, .stride = 8, .count = 2},
                        nowhere = {.size = 8, .stride = 8, .count = 3},
                        padded = {.data = data, .size = 8, .stride = 8, .count = 3, .zeros = 1},
                        many = {.count = PTRDIFF_MAX / (4 * D)};
    (void)state;
    pleach_tree *tree = make_tree(NULL, PLEACH_SCHEME_RFC6962, &content, 100), *untouched = tree, *snapshot = tree;
    assert_int_equal(pleach_tree_append(NULL, &some, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_tree_append(tree, NULL, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_tree_append(tree, &nowhere, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_tree_append(tree, &padded, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_tree_append(tree, &many, NULL), PLEACH_ERANGE);
    assert_says("the tree has 100");
    assert_int_equal(pleach_tree_update(NULL, index, &some, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_tree_update(tree, NULL, &some, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_tree_update(tree, index, NULL, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_tree_update(tree, index, &nowhere, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_tree_update(tree, index, &padded, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_tree_update(tree, index, &some, NULL), PLEACH_ERANGE);
    assert_says("index[1] = 100");
    assert_int_equal(pleach_tree_truncate(NULL, 0), PLEACH_EINVAL);
    assert_int_equal(pleach_tree_truncate(tree, 101), PLEACH_ERANGE);
    assert_int_equal(pleach_tree_truncate(tree, UINT64_MAX), PLEACH_ERANGE);
    assert_int_equal(pleach_tree_truncate(tree, 100), PLEACH_OK);
    assert_int_equal(pleach_tree_snapshot(NULL, &snapshot), PLEACH_EINVAL);
    assert_int_equal(pleach_tree_snapshot(tree, NULL), PLEACH_EINVAL);
    assert_ptr_equal(snapshot, untouched);
    assert_null(pleach_tree_scheme(NULL));
    assert_int_equal(pleach_tree_level_size(NULL, 0), 0);
    assert_false(pleach_tree_mutated(NULL));
    assert_content(tree, &content);
    assert_int_equal(pleach_tree_update(tree, last, &two, NULL), PLEACH_OK);
    pleach_tree_destroy(tree);
}

/* Numbers of leaves that a scheme refuses, coming from both sides. */
static void refused_counts(void **state)
{
    static struct content content;
    const pleach_leaves three = {.data = data, .size = D, .stride = D, .count = 3},
                        four = {.data = data, .size = D, .stride = D, .count = 4}, none = {.size = D, .stride = D};
    pleach_scheme shallow = *PLEACH_SCHEME_SSZ;
    (void)state;
    pleach_tree *tree = make_tree(NULL, PLEACH_SCHEME_BLAKE2S, &content, 4);
    assert_int_equal(pleach_tree_append(tree, &three, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_tree_truncate(tree, 3), PLEACH_EINVAL);
    assert_int_equal(pleach_tree_truncate(tree, 0), PLEACH_EINVAL);
    assert_content(tree, &content);
    assert_int_equal(pleach_tree_append(tree, &four, NULL), PLEACH_OK);
    assert_int_equal(pleach_tree_size(tree), 8);
    assert_int_equal(pleach_tree_truncate(tree, 4), PLEACH_OK);
    assert_content(tree, &content);
    pleach_tree_destroy(tree);
    assert_int_equal(pleach_tree_create(&tree, NULL, PLEACH_SCHEME_BLAKE2S), PLEACH_OK);
    assert_int_equal(pleach_tree_append(tree, &none, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_tree_update(tree, NULL, &none, NULL), PLEACH_OK);
    pleach_tree_destroy(tree);
    shallow.depth = 2;
    tree = make_tree(NULL, &shallow, &content, 2);
    assert_int_equal(pleach_tree_append(tree, &three, NULL), PLEACH_ERANGE);
    assert_content(tree, &content);
    pleach_tree_destroy(tree);
}

/* Cancelled at the first call of progress; with several workers that may be too late. */
static void cancelled_changes(void **state)
{
    static struct content content;
    static uint64_t index[MOST];
    const pleach_leaves leaves = {.data = data, .size = 100, .stride = 100, .count = MOST};
    (void)state;
    for (size_t i = 0; i < MOST; i++)
        index[i] = MOST - 1 - i;
    for (size_t t = 0; t < trial_count; t++) {
        for (int step = 0; step < 6; step++) {
            pleach_tree *tree = make_tree(trials[t].pool, PLEACH_SCHEME_RFC6962, &content, step < 2 ? MOST : MOST - 37);
            pleach_monitor monitor = {0};
            struct record record = {.cancels = &monitor};
            struct source source = source_of(data, DATA, 0);
            if (step % 2 == 0)
                monitor = (pleach_monitor){.progress = watch, .context = &record};
            else
                pleach_monitor_cancel(&monitor);
            pleach_status status = step / 2 == 0 ? pleach_tree_update(tree, index, &leaves, &monitor)
                                   : step / 2 == 1
                                       ? pleach_tree_append(tree, &leaves, &monitor)
                                       : pleach_tree_build_stream(tree, 64, read_source, &source, 0, &monitor);
            assert_true(status == PLEACH_ECANCELED || (status == PLEACH_OK && step % 2 == 0));
            if (status == PLEACH_ECANCELED)
                assert_content(tree, &content);
            pleach_tree_destroy(tree);
        }
    }
}

/* A source that fails, or a last leaf or a number of leaves that the scheme refuses, leaves the tree as it was. */
static void refused_sources(void **state)
{
    static struct content content;
    (void)state;
    pleach_tree *tree = make_tree(NULL, PLEACH_SCHEME_BLAKE2S, &content, 8);
    const struct {
        size_t size, fail_at, leaf_size;
        pleach_status status;
    } sources[] = {{640, 320, 64, (pleach_status)(PLEACH_ETASK + 7)},
                   {640, SIZE_MAX, 64, PLEACH_EINVAL},
                   {630, SIZE_MAX, 64, PLEACH_EINVAL},
                   {0, SIZE_MAX, 64, PLEACH_EINVAL},
                   {640, SIZE_MAX, 0, PLEACH_EINVAL},
                   {640, SIZE_MAX, SIZE_MAX, PLEACH_ERANGE}};
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        struct source source = source_of(data, sources[i].size, 1);
        source.fail_at = sources[i].fail_at;
        assert_int_equal(pleach_tree_build_stream(tree, sources[i].leaf_size, read_source, &source, 0, NULL),
                         sources[i].status);
        assert_content(tree, &content);
    }
    assert_int_equal(pleach_tree_build_stream(tree, 64, NULL, NULL, 0, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_tree_build_stream(NULL, 64, read_source, NULL, 0, NULL), PLEACH_EINVAL);
    assert_content(tree, &content);
    pleach_tree_destroy(tree);
}

int test_refused_changes(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(refused_changes), cmocka_unit_test(refused_counts),
                                       cmocka_unit_test(refused_sources), cmocka_unit_test(cancelled_changes)};
    return cmocka_run_group_tests_name("refused changes", tests, open_contents, close_trials);
}
