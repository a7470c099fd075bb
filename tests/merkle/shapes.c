/* Trees of every shape, from leaves of many forms, against the recursive definition. */
#include "merkle_test.h"

#include <stdlib.h>
#include <string.h>

enum { D = PLEACH_DIGEST_SIZE, MOST = 5000 };

static const size_t edges[] = {255,  256,  257,  511,  512,  513,  1023, 1024,
                               1025, 2047, 2048, 2049, 4095, 4096, 4097, MOST};

/* The form of the leaves of a test. */
struct form {
    const pleach_scheme *scheme;
    size_t size, gap, offset, zeros; /* gap: bytes between leaves; offset: of the first from an aligned address */
    size_t every, most;              /* all counts up to the first are tested, and some up to the other */
};

static size_t next_count(const struct form *form, size_t count)
{
    if (count < form->every)
        return count + 1;
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++)
        if (edges[i] > count && edges[i] <= form->most)
            return edges[i];
    return form->most + 1;
}

static void assert_tree(const pleach_tree *tree, const uint8_t *const *level, unsigned levels, size_t count)
{
    const uint8_t *first = pleach_tree_nodes(tree, 0, 0, NULL);
    bool is_power = (count & (count - 1)) == 0;
    assert_int_equal(pleach_tree_size(tree), count);
    assert_int_equal(pleach_tree_levels(tree), levels);
    for (unsigned l = 0; l < levels; l++) {
        size_t nodes, expected = (size_t)(((uint64_t)count - 1) >> l) + 1;
        assert_int_equal(pleach_tree_level_size(tree, l), expected);
        const uint8_t *digests = pleach_tree_nodes(tree, l, 0, &nodes);
        assert_int_equal(nodes, expected);
        assert_int_equal((uintptr_t)digests % 64, 0);
        assert_memory_equal(digests, level[l], D * nodes);
        if (is_power && (uint64_t)count >> l > 0)
            assert_ptr_equal(digests, first + D * (2 * count - (2 * count >> l)));
    }
    size_t none = 1;
    assert_null(pleach_tree_nodes(tree, levels, 0, &none));
    assert_int_equal(none, 0);
}

/* All trials see the small trees and the largest, and take turns at the others. */
static bool takes_part(size_t number, size_t count)
{
    return count <= 20 || count == MOST || count % trial_count == number;
}

static void check_count(const struct form *form, const pleach_leaves *leaves, const uint8_t *hashes,
                        pleach_tree *const *trees)
{
    static uint8_t nodes[D * (2 * MOST + LEVELS)];
    const uint8_t *level[LEVELS];
    uint8_t expected[D], root[D];
    unsigned levels = naive_levels(form->scheme, hashes, leaves->count, nodes, level);
    memcpy(expected, level[levels - 1], D);
    if (leaves->count <= 70 || leaves->count == MOST) {
        naive_root(form->scheme, hashes, leaves->count, root);
        assert_memory_equal(root, expected, D);
    }
    for (size_t t = 0; t < trial_count; t++) {
        if (!takes_part(t, leaves->count))
            continue;
        assert_int_equal(pleach_merkle_root(trials[t].pool, form->scheme, leaves, NULL, root), PLEACH_OK);
        assert_memory_equal(root, expected, D);
        assert_int_equal(pleach_tree_build(trees[t], leaves, NULL), PLEACH_OK);
        assert_tree(trees[t], level, levels, leaves->count);
        memset(root, 0, D);
        assert_int_equal(pleach_tree_root(trees[t], root), PLEACH_OK);
        assert_memory_equal(root, expected, D);
    }
}

static void check_empty(const struct form *form, pleach_tree *const *trees)
{
    uint8_t expected[D], root[D];
    naive_root(form->scheme, NULL, 0, expected);
    for (size_t t = 0; t < trial_count; t++) {
        const pleach_leaves none = {.size = form->size, .stride = form->size};
        assert_int_equal(pleach_merkle_root(trials[t].pool, form->scheme, &none, NULL, root), PLEACH_OK);
        assert_memory_equal(root, expected, D);
        assert_int_equal(pleach_tree_build(trees[t], &none, NULL), PLEACH_OK);
        assert_int_equal(pleach_tree_size(trees[t]), 0);
        assert_int_equal(pleach_tree_levels(trees[t]), 0);
        memset(root, 0xab, D);
        assert_int_equal(pleach_tree_root(trees[t], root), PLEACH_OK);
        assert_memory_equal(root, expected, D);
    }
}

static void check_form(const struct form *form)
{
    const size_t stride = form->size + form->gap, size = form->offset + stride * form->most;
    uint8_t *data = malloc(size), *hashes = malloc(D * form->most);
    pleach_tree **trees = calloc(trial_count, sizeof(pleach_tree *));
    assert_true(data && hashes && trees);
    fill_stream(data, size);
    for (size_t i = 0; i < form->most; i++)
        naive_leaf(form->scheme, data + form->offset + stride * i, form->size, form->zeros, hashes + D * i);
    for (size_t t = 0; t < trial_count; t++)
        assert_int_equal(pleach_tree_create(&trees[t], trials[t].pool, form->scheme), PLEACH_OK);
    for (size_t count = 0; count <= form->most; count = next_count(form, count)) {
        const pleach_leaves leaves = {
            .data = data + form->offset, .size = form->size, .stride = stride, .count = count, .zeros = form->zeros};
        if (!is_accepted(form->scheme, count))
            continue;
        if (count == 0)
            check_empty(form, trees);
        else
            check_count(form, &leaves, hashes, trees);
    }
    for (size_t t = 0; t < trial_count; t++)
        pleach_tree_destroy(trees[t]);
    free(trees);
    free(hashes);
    free(data);
}

static void every_form(void **state)
{
    static const struct {
        size_t size, gap, offset, zeros;
    } leaves[] = {{0, 0, 0, 0},  {0, 7, 1, 0},  {1, 0, 0, 0},   {31, 2, 3, 0},   {32, 0, 0, 0},    {33, 0, 1, 0},
                  {64, 0, 0, 0}, {64, 5, 7, 0}, {100, 1, 1, 0}, {320, 64, 0, 0}, {296, 0, 0, 216}, {24, 0, 8, 16}};
    const pleach_scheme *const schemes[] = {PLEACH_SCHEME_BLAKE2S, PLEACH_SCHEME_RFC6962, &promoting_blake2s,
                                            &refusing_sha256};
    (void)state;
    for (size_t s = 0; s < sizeof schemes / sizeof schemes[0]; s++) {
        for (size_t l = 0; l < sizeof leaves / sizeof leaves[0]; l++) {
            const struct form form = {schemes[s],
                                      leaves[l].size,
                                      leaves[l].gap,
                                      leaves[l].offset,
                                      leaves[l].zeros,
                                      40,
                                      quick() ? 257 : l % 3 ? 1025 : MOST};
            if (form.zeros == 0 || form.scheme->family == PLEACH_BLAKE2S)
                check_form(&form);
        }
    }
}

/* All schemes, with leaves one after the other and with bytes between them. */
static void every_rule(void **state)
{
    (void)state;
    for (size_t s = 0; s < scheme_count(); s++) {
        struct form close = {every_scheme[s], leaf_size_of(every_scheme[s], 65), 0, 0, 0, 300, MOST};
        struct form apart = {every_scheme[s], leaf_size_of(every_scheme[s], 40), 7, 1, 0, 20, 1025};
        if (quick()) {
            close.every = apart.every = 20;
            close.most = apart.most = 257;
        }
        check_form(&close);
        check_form(&apart);
    }
}

/* Every depth there is use for: as many leaves as fit, and few in much room. */
static void every_depth(void **state)
{
    static uint8_t data[D * 70], hashes[D * 70], nodes[D * (2 * 70 + LEVELS)];
    (void)state;
    fill_stream(data, sizeof data);
    for (unsigned depth = 1; depth <= 63; depth += depth < 40 && !quick() ? 1 : 23) {
        const pleach_scheme *kinds[] = {PLEACH_SCHEME_SSZ, every_scheme[SCHEMES - 1]};
        pleach_scheme scheme = *kinds[depth % 2];
        scheme.depth = depth;
        for (size_t i = 0; i < 70; i++)
            naive_leaf(&scheme, data + D * i, D, 0, hashes + D * i);
        for (size_t count = 0; count <= 70; count += count < 9 || (count > 30 && count < 34) ? 1 : 5) {
            const uint8_t *level[LEVELS];
            uint8_t expected[D], root[D];
            const pleach_leaves leaves = {.data = data, .size = D, .stride = D, .count = count};
            pleach_pool *pool = trials[(count + depth) % trial_count].pool;
            pleach_tree *tree = NULL;
            if (!is_accepted(&scheme, count)) {
                assert_int_equal(pleach_merkle_root(pool, &scheme, &leaves, NULL, root), PLEACH_ERANGE);
                continue;
            }
            naive_root(&scheme, hashes, count, expected);
            assert_int_equal(pleach_merkle_root(pool, &scheme, &leaves, NULL, root), PLEACH_OK);
            assert_memory_equal(root, expected, D);
            assert_int_equal(pleach_tree_create(&tree, pool, &scheme), PLEACH_OK);
            assert_int_equal(pleach_tree_build(tree, &leaves, NULL), PLEACH_OK);
            assert_int_equal(pleach_tree_root(tree, root), PLEACH_OK);
            assert_memory_equal(root, expected, D);
            if (count > 0)
                assert_tree(tree, level, naive_levels(&scheme, hashes, count, nodes, level), count);
            pleach_tree_destroy(tree);
        }
    }
}

/* Nothing beyond the first and the last leaf is read: memory that must not be touched lies there. */
static void guard_pages(void **state)
{
    static const size_t sizes[] = {0, 1, 31, 32, 33, 64, 65, 100, 128, 320};
    static const size_t counts[] = {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 128, 1000, 5000};
    static const struct {
        const pleach_scheme *scheme;
        size_t zeros;
    } rules[] = {{PLEACH_SCHEME_RFC6962, 0}, {&promoting_blake2s, 0},    {&promoting_blake2s, 24},
                 {&promoting_blake2s, 216},  {PLEACH_SCHEME_BITCOIN, 0}, {PLEACH_SCHEME_SSZ, 0}};
    (void)state;
    for (size_t c = 0; c < sizeof counts / sizeof counts[0] - (quick() ? 2 : 0); c++) {
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            const size_t bytes = counts[c] * sizes[s];
            uint8_t *data = guarded(bytes), expected[D], root[D];
            fill_stream(data, bytes);
            for (size_t r = 0; r < sizeof rules / sizeof rules[0]; r++) {
                const pleach_scheme *scheme = rules[r].scheme;
                const pleach_leaves leaves = {
                    .data = data, .size = sizes[s], .stride = sizes[s], .count = counts[c], .zeros = rules[r].zeros};
                if (leaf_size_of(scheme, sizes[s]) != sizes[s])
                    continue;
                uint8_t *hashes = guarded(D * counts[c]);
                for (size_t i = 0; i < counts[c]; i++)
                    naive_leaf(scheme, data + sizes[s] * i, sizes[s], leaves.zeros, hashes + D * i);
                naive_root(scheme, hashes, counts[c], expected);
                guarded_free(hashes, D * counts[c]);
                for (size_t t = 0; t < trial_count; t++) {
                    assert_int_equal(pleach_merkle_root(trials[t].pool, scheme, &leaves, NULL, root), PLEACH_OK);
                    assert_memory_equal(root, expected, D);
                }
            }
            guarded_free(data, bytes);
        }
    }
}

/* The memory of a larger tree serves a smaller one, and the other way round; content is replaced. */
static void tree_reuse(void **state)
{
    static const size_t counts[] = {1000, 10, 0, 3, 999, 1, 5000, 4096, 2};
    static uint8_t data[5000 * 8], hashes[D * 5000], nodes[D * (2 * 5000 + LEVELS)];
    pleach_tree *tree = NULL;
    const uint8_t *before = NULL;
    (void)state;
    fill_stream(data, sizeof data);
    for (size_t i = 0; i < 5000; i++)
        naive_leaf(PLEACH_SCHEME_RFC6962, data + 8 * i, 8, 0, hashes + D * i);
    assert_int_equal(pleach_tree_create(&tree, trials[2].pool, PLEACH_SCHEME_RFC6962), PLEACH_OK);
    assert_int_equal(pleach_tree_size(tree), 0);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        const pleach_leaves leaves = {.data = data, .size = 8, .stride = 8, .count = counts[i]};
        const uint8_t *level[LEVELS];
        assert_int_equal(pleach_tree_build(tree, &leaves, NULL), PLEACH_OK);
        assert_int_equal(pleach_tree_size(tree), counts[i]);
        if (counts[i] == 0)
            continue;
        unsigned levels = naive_levels(PLEACH_SCHEME_RFC6962, hashes, counts[i], nodes, level);
        assert_tree(tree, level, levels, counts[i]);
        if (before && counts[i] < 1000)
            assert_ptr_equal(pleach_tree_nodes(tree, 0, 0, NULL), before);
        before = pleach_tree_nodes(tree, 0, 0, NULL);
    }
    pleach_tree_destroy(tree);
    pleach_tree_destroy(NULL);
}

int test_shapes(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_form), cmocka_unit_test(every_rule),
                                       cmocka_unit_test(every_depth), cmocka_unit_test(guard_pages),
                                       cmocka_unit_test(tree_reuse)};
    return cmocka_run_group_tests_name("shapes", tests, open_trials, close_trials);
}
