/* Trees that change, after each step against the recursive definition; snapshots; what is refused, and changes nothing.
 */
#define _GNU_SOURCE
#include "merkle_test.h"

#include "merkle/tree.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { D = PLEACH_DIGEST_SIZE, MOST = 5000, SNAPSHOTS = 3, DATA = 1 << 19, STEPS = 40 };

static uint8_t data[DATA];

/* What a tree must be. */
struct content {
    uint8_t hashes[D * MOST], nodes[D * (2 * MOST + LEVELS)];
    uint8_t root[D];
    size_t count;
    const uint8_t *level[LEVELS];
    unsigned levels;
    bool mutated;
};

static size_t level_size(const struct content *content, unsigned level)
{
    return ((content->count - 1) >> level) + 1;
}

static void find_nodes(const pleach_scheme *scheme, struct content *content)
{
    content->levels = 0;
    content->mutated = false;
    naive_root(scheme, content->hashes, content->count, content->root);
    if (content->count > 0)
        content->levels = naive_levels(scheme, content->hashes, content->count, content->nodes, content->level);
    for (unsigned l = 0; l < content->levels; l++)
        for (size_t i = 0; i + 1 < level_size(content, l); i += 2)
            content->mutated |= memcmp(content->level[l] + D * i, content->level[l] + D * (i + 1), D) == 0;
}

static void copy_content(struct content *copy, const struct content *content)
{
    *copy = *content;
    for (unsigned l = 0; l < content->levels; l++)
        copy->level[l] = copy->nodes + (content->level[l] - content->nodes);
}

static void assert_level(const pleach_tree *tree, const struct content *content, unsigned level)
{
    const size_t size = level_size(content, level);
    size_t run = 0;
    assert_int_equal(pleach_tree_level_size(tree, level), size);
    for (size_t index = 0; index < size; index += run) {
        const uint8_t *nodes = pleach_tree_nodes(tree, level, index, &run);
        assert_non_null(nodes);
        assert_in_range(run, 1, size - index);
        assert_memory_equal(nodes, content->level[level] + D * index, D * run);
    }
    assert_null(pleach_tree_nodes(tree, level, size, &run));
    assert_int_equal(run, 0);
}

static void assert_content(const pleach_tree *tree, const struct content *content)
{
    uint8_t root[D];
    assert_int_equal(pleach_tree_size(tree), content->count);
    assert_int_equal(pleach_tree_levels(tree), content->levels);
    for (unsigned l = 0; l < content->levels; l++)
        assert_level(tree, content, l);
    assert_null(pleach_tree_nodes(tree, content->levels, 0, NULL));
    assert_int_equal(pleach_tree_level_size(tree, content->levels), 0);
    assert_int_equal(pleach_tree_mutated(tree), content->mutated);
    pleach_status status = pleach_tree_root(tree, root);
    const bool has_root = content->count > 0 || is_accepted(pleach_tree_scheme(tree), 0);
    assert_int_equal(status, has_root ? PLEACH_OK : PLEACH_EINVAL);
    if (has_root)
        assert_memory_equal(root, content->root, D);
}

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

/* --- what the pool does when there is much to do --- */

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

/* --- threads --- */

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

/* --- what is refused, or stopped --- */

static pleach_tree *make_tree(pleach_pool *pool, const pleach_scheme *scheme, struct content *content, size_t count)
{
    const size_t size = leaf_size_of(scheme, 24);
    const pleach_leaves leaves = {.data = data, .size = size, .stride = size, .count = count};
    pleach_tree *tree = NULL;
    content->count = count;
    for (size_t i = 0; i < count; i++)
        naive_leaf(scheme, data + size * i, size, 0, content->hashes + D * i);
    find_nodes(scheme, content);
    assert_int_equal(pleach_tree_create(&tree, pool, scheme), PLEACH_OK);
    assert_int_equal(pleach_tree_build(tree, &leaves, NULL), PLEACH_OK);
    return tree;
}

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

static int open_changes(void **state)
{
    fill_stream(data, DATA);
    return open_trials(state);
}

int test_changes(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_changes),   cmocka_unit_test(large_appends),
        cmocka_unit_test(refused_changes),  cmocka_unit_test(refused_counts),
        cmocka_unit_test(refused_sources),  cmocka_unit_test(cancelled_changes),
        cmocka_unit_test(pages_are_reused), cmocka_unit_test(readers_beside_a_writer),
        cmocka_unit_test(large_updates),
    };
    return cmocka_run_group_tests_name("changes", tests, open_changes, close_trials);
}
