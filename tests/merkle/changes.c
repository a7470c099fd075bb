/* Trees that change, after each step against the recursive definition, and snapshots of them. */
#include "content.h"

#include <stdlib.h>
#include <string.h>

enum { D = PLEACH_DIGEST_SIZE, MOST = CONTENT_MOST, DATA = CONTENT_DATA, SNAPSHOTS = 3, STEPS = 40 };

static uint8_t *const data = content_data;

/* A tree for every trial, all of the same content, and snapshots that were taken of them. */
struct forest {
    const pleach_scheme *scheme;
    size_t leaf_size;
    uint64_t random;
    struct content now, kept[SNAPSHOTS];
    pleach_tree **trees, **snapshots[SNAPSHOTS];
};

static size_t below(struct forest *forest, size_t bound)
{
    return (size_t)random_below(&forest->random, bound);
}

static void assert_forest(const struct forest *forest)
{
    for (size_t t = 0; t < trial_count; t++)
        assert_content(forest->trees[t], &forest->now);
}

/* Leaves anywhere in the data, as rows or as a list. */
struct batch {
    pleach_leaves leaves;
    pleach_input list[MOST];
};

static void make_batch(struct forest *forest, size_t count, struct batch *batch)
{
    const size_t size = forest->leaf_size, stride = size + below(forest, 3);
    if (below(forest, 3) > 0) {
        const size_t room = DATA - (count > 0 ? stride * (count - 1) + size : 0);
        batch->leaves =
            (pleach_leaves){.data = data + below(forest, room + 1), .size = size, .stride = stride, .count = count};
        return;
    }
    batch->leaves = (pleach_leaves){.list = batch->list, .count = count};
    for (size_t i = 0; i < count; i++) {
        batch->list[i].size = leaf_size_of(forest->scheme, below(forest, 2 * size + 1));
        batch->list[i].bytes = data + below(forest, DATA - batch->list[i].size + 1);
    }
}

static void hash_leaf(const struct forest *forest, const struct batch *batch, size_t i, uint8_t *digest)
{
    const pleach_leaves *leaves = &batch->leaves;
    if (leaves->list)
        naive_leaf(forest->scheme, leaves->list[i].bytes, leaves->list[i].size, 0, digest);
    else
        naive_leaf(forest->scheme, leaves->data + leaves->stride * i, leaves->size, leaves->zeros, digest);
}

/* Few leaves, or as many as there may be; but a number that is accepted. */
static size_t choose_count(struct forest *forest, size_t least)
{
    static const size_t bounds[] = {4, 70, 300, MOST};
    for (int tries = 0; tries < 20; tries++) {
        const size_t bound = bounds[below(forest, 4)];
        size_t count = least + below(forest, bound < MOST - least ? bound + 1 : MOST - least + 1);
        while (!is_accepted(forest->scheme, count) && count < MOST)
            count++;
        if (is_accepted(forest->scheme, count))
            return count;
    }
    return least > 0 ? least : 1;
}

static void build_forest(struct forest *forest, struct batch *batch)
{
    make_batch(forest, choose_count(forest, 0), batch);
    forest->now.count = batch->leaves.count;
    for (size_t i = 0; i < forest->now.count; i++)
        hash_leaf(forest, batch, i, forest->now.hashes + D * i);
    for (size_t t = 0; t < trial_count; t++)
        assert_int_equal(pleach_tree_build(forest->trees[t], &batch->leaves, NULL), PLEACH_OK);
}

static void build_forest_from_source(struct forest *forest)
{
    const size_t count = choose_count(forest, 0), size = forest->leaf_size > 0 ? forest->leaf_size : 1;
    const bool may_be_short = !forest->scheme->leaf_given && forest->scheme->lone != PLEACH_LONE_REFUSED;
    const size_t missing = count > 0 && may_be_short ? below(forest, size) : 0;
    forest->now.count = count;
    for (size_t i = 0; i < count; i++)
        naive_leaf(forest->scheme, data + size * i, i + 1 < count ? size : size - missing, 0,
                   forest->now.hashes + D * i);
    for (size_t t = 0; t < trial_count; t++) {
        struct source source = source_of(data, size * count - missing, below(forest, 2));
        assert_int_equal(pleach_tree_build_stream(forest->trees[t], size, read_source, &source, 0, NULL), PLEACH_OK);
    }
}

static void append_to_forest(struct forest *forest, struct batch *batch)
{
    const size_t before = forest->now.count;
    make_batch(forest, choose_count(forest, before) - before, batch);
    forest->now.count += batch->leaves.count;
    for (size_t i = 0; i < batch->leaves.count; i++)
        hash_leaf(forest, batch, i, forest->now.hashes + D * (before + i));
    const bool accepted = is_accepted(forest->scheme, forest->now.count);
    for (size_t t = 0; t < trial_count; t++)
        assert_int_equal(pleach_tree_append(forest->trees[t], &batch->leaves, NULL),
                         accepted ? PLEACH_OK : PLEACH_EINVAL);
}

/* Indices in any order, some of them several times, and the same leaves at some of them. */
static void update_forest(struct forest *forest, struct batch *batch)
{
    static uint64_t index[MOST];
    static const size_t bounds[] = {3, 100, 1000, MOST};
    const size_t count = forest->now.count > 0 ? below(forest, bounds[below(forest, 4)] + 1) : 0;
    make_batch(forest, count, batch);
    const size_t near = below(forest, 2) > 0 ? forest->now.count : 1 + forest->now.count / 16;
    for (size_t i = 0; i < count; i++) {
        index[i] = below(forest, near);
        if (below(forest, 8) == 0 && i > 0)
            index[i] = index[i - 1] ^ (index[i - 1] + 1 < forest->now.count);
        if (batch->leaves.list && below(forest, 4) == 0 && i > 0)
            batch->list[i] = batch->list[i - 1];
        hash_leaf(forest, batch, i, forest->now.hashes + D * index[i]);
    }
    for (size_t t = 0; t < trial_count; t++)
        assert_int_equal(pleach_tree_update(forest->trees[t], index, &batch->leaves, NULL), PLEACH_OK);
}

static void truncate_forest(struct forest *forest)
{
    size_t count = below(forest, forest->now.count + 1);
    while (!is_accepted(forest->scheme, count) && count < forest->now.count)
        count++;
    const bool accepted = is_accepted(forest->scheme, count);
    for (size_t t = 0; t < trial_count; t++)
        assert_int_equal(pleach_tree_truncate(forest->trees[t], count), accepted ? PLEACH_OK : PLEACH_EINVAL);
    forest->now.count = accepted ? count : forest->now.count;
}

static void destroy_trees(pleach_tree **trees)
{
    for (size_t t = 0; t < trial_count; t++) {
        pleach_tree_destroy(trees[t]);
        trees[t] = NULL;
    }
}

static void take_snapshots(struct forest *forest)
{
    const size_t s = below(forest, SNAPSHOTS);
    destroy_trees(forest->snapshots[s]);
    copy_content(&forest->kept[s], &forest->now);
    for (size_t t = 0; t < trial_count; t++)
        assert_int_equal(pleach_tree_snapshot(forest->trees[t], &forest->snapshots[s][t]), PLEACH_OK);
}

/* Goes on with trees from snapshots, which become snapshots themselves, or are destroyed. */
static void go_back(struct forest *forest)
{
    const size_t s = below(forest, SNAPSHOTS);
    const bool destroys = below(forest, 2) > 0;
    static struct content content;
    if (!forest->snapshots[s][0])
        return;
    copy_content(&content, &forest->kept[s]);
    copy_content(&forest->kept[s], &forest->now);
    copy_content(&forest->now, &content);
    pleach_tree **trees = forest->trees;
    forest->trees = forest->snapshots[s];
    forest->snapshots[s] = trees;
    if (destroys)
        destroy_trees(trees);
}

static void assert_snapshots(const struct forest *forest)
{
    for (size_t s = 0; s < SNAPSHOTS; s++)
        for (size_t t = 0; t < trial_count; t++)
            if (forest->snapshots[s][t])
                assert_content(forest->snapshots[s][t], &forest->kept[s]);
}

static void take_step(struct forest *forest)
{
    static struct batch batch;
    switch (below(forest, 12)) {
    case 0:
        build_forest(forest, &batch);
        break;
    case 1:
        build_forest_from_source(forest);
        break;
    case 2:
        truncate_forest(forest);
        break;
    case 3:
    case 4:
    case 5:
        update_forest(forest, &batch);
        break;
    case 6:
    case 7:
        take_snapshots(forest);
        break;
    case 8:
        go_back(forest);
        break;
    default:
        append_to_forest(forest, &batch);
    }
}

static pleach_tree **make_trees(const pleach_scheme *scheme)
{
    pleach_tree **trees = calloc(trial_count, sizeof(pleach_tree *));
    assert_non_null(trees);
    for (size_t t = 0; t < trial_count && scheme; t++)
        assert_int_equal(pleach_tree_create(&trees[t], trials[t].pool, scheme), PLEACH_OK);
    return trees;
}

static void change_at_random(const pleach_scheme *scheme, size_t leaf_size, uint64_t seed)
{
    static struct forest forest;
    forest.scheme = scheme;
    forest.leaf_size = leaf_size_of(scheme, leaf_size);
    forest.random = seed;
    forest.now.count = 0;
    find_nodes(scheme, &forest.now);
    forest.trees = make_trees(scheme);
    for (size_t s = 0; s < SNAPSHOTS; s++)
        forest.snapshots[s] = make_trees(NULL);
    const int steps = quick() ? STEPS / 4 : STEPS;
    for (int step = 0; step < steps; step++) {
        take_step(&forest);
        find_nodes(scheme, &forest.now);
        assert_forest(&forest);
        if (step % 8 == 7 || step + 1 == steps)
            assert_snapshots(&forest);
    }
    destroy_trees(forest.trees);
    free(forest.trees);
    for (size_t s = 0; s < SNAPSHOTS; s++) {
        destroy_trees(forest.snapshots[s]);
        free(forest.snapshots[s]);
    }
}

static void random_changes(void **state)
{
    static const size_t sizes[] = {33, 64, 0, 100, 1};
    (void)state;
    for (size_t s = 0; s < scheme_count(); s++) {
        print_message("%s: seed %zu\n", every_scheme[s]->name, s + 1);
        change_at_random(every_scheme[s], sizes[s % 5], s + 1);
    }
}

/* Windows of every size: their nodes lie together, or what stands above them is made of them. */
static void every_window(void **state)
{
    static const size_t counts[] = {1, 2, 3, 31, 64, 65, 127, 129, 700, 1000, 1025, 4097};
    static const pleach_scheme *const schemes[] = {PLEACH_SCHEME_RFC6962, PLEACH_SCHEME_SSZ, PLEACH_SCHEME_BITCOIN};
    static struct content content;
    (void)state;
    for (size_t window = 1; window <= 8192; window *= 2) {
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            const pleach_scheme *scheme = schemes[c % 3];
            pleach_tree *tree = NULL;
            struct source source = source_of(data, D * counts[c], c % 2);
            pleach__hashing hashing;
            content.count = counts[c];
            for (size_t i = 0; i < content.count; i++)
                naive_leaf(scheme, data + D * i, D, 0, content.hashes + D * i);
            find_nodes(scheme, &content);
            assert_int_equal(pleach_tree_create(&tree, trials[(c + window) % trial_count].pool, scheme), PLEACH_OK);
            assert_int_equal(pleach__scheme_hashing(scheme, D, 0, &hashing), PLEACH_OK);
            assert_int_equal(
                pleach__pages_stream(&tree->pages, scheme, &hashing, D, window, read_source, &source, 0, NULL),
                PLEACH_OK);
            assert_content(tree, &content);
            pleach_tree_destroy(tree);
        }
    }
}

int test_changes(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_changes), cmocka_unit_test(every_window)};
    return cmocka_run_group_tests_name("changes", tests, open_contents, close_trials);
}
