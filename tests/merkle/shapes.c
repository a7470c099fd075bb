/* Trees of every shape, from leaves of many forms, against the recursive definition. */
#include "merkle_test.h"

#include "merkle/shape.h"
#include "merkle/tile.h"

#include <stdlib.h>
#include <string.h>

enum { D = PLEACH_DIGEST_SIZE, EVERY = 300, MOST = 5000 };

static const size_t edges[] = {511, 512, 513, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097, MOST};

/* The form of the leaves of a test. */
struct form {
    const pleach_scheme *scheme;
    size_t size, gap, offset, zeros; /* gap: bytes between leaves; offset: of the first from an aligned address */
};

static size_t next_count(size_t count)
{
    if (count < EVERY)
        return count + 1;
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++)
        if (edges[i] > count)
            return edges[i];
    return MOST + 1;
}

static bool is_accepted(const pleach_scheme *scheme, size_t count)
{
    return count == 0 ? scheme->empty_tree : scheme->lone == PLEACH_LONE_PROMOTED || (count & (count - 1)) == 0;
}

static void assert_tree(const pleach_tree *tree, const uint8_t *const *level, unsigned levels, size_t count)
{
    const uint8_t *first = pleach_tree_level(tree, 0, NULL);
    bool is_power = (count & (count - 1)) == 0;
    assert_int_equal(pleach_tree_size(tree), count);
    assert_int_equal(pleach_tree_levels(tree), levels);
    for (unsigned l = 0; l < levels; l++) {
        size_t nodes, expected = ((count - 1) >> l) + 1;
        const uint8_t *digests = pleach_tree_level(tree, l, &nodes);
        assert_int_equal(nodes, expected);
        assert_int_equal((uintptr_t)digests % 64, 0);
        assert_memory_equal(digests, level[l], D * nodes);
        if (is_power)
            assert_ptr_equal(digests, first + D * (2 * count - (2 * count >> l)));
    }
    size_t none = 1;
    assert_null(pleach_tree_level(tree, levels, &none));
    assert_int_equal(none, 0);
}

/* All trials see the small trees and the largest, and take turns at the others. */
static bool takes_part(size_t number, size_t count)
{
    return count <= 40 || count == MOST || count % trial_count == number;
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
    const pleach__hash_form nothing = {.prefix = PLEACH_NO_PREFIX};
    uint8_t expected[D], root[D];
    pleach__family_of(form->scheme->family)->reference(&nothing, (const uint8_t *)"", expected);
    for (size_t t = 0; t < trial_count; t++) {
        const pleach_leaves none = {.size = form->size, .stride = form->size};
        assert_int_equal(pleach_merkle_root(trials[t].pool, form->scheme, &none, NULL, root), PLEACH_OK);
        assert_memory_equal(root, expected, D);
        assert_int_equal(pleach_tree_build(trees[t], &none, NULL), PLEACH_OK);
        assert_int_equal(pleach_tree_size(trees[t]), 0);
        assert_int_equal(pleach_tree_levels(trees[t]), 0);
        memset(root, 0, D);
        assert_int_equal(pleach_tree_root(trees[t], root), PLEACH_OK);
        assert_memory_equal(root, expected, D);
    }
}

static void check_form(const struct form *form)
{
    const size_t stride = form->size + form->gap, size = form->offset + stride * MOST;
    uint8_t *data = malloc(size), *hashes = malloc(D * MOST);
    pleach_tree **trees = calloc(trial_count, sizeof(pleach_tree *));
    assert_true(data && hashes && trees);
    fill_stream(data, size);
    for (size_t i = 0; i < MOST; i++)
        naive_leaf(form->scheme, data + form->offset + stride * i, form->size, form->zeros, hashes + D * i);
    for (size_t t = 0; t < trial_count; t++)
        assert_int_equal(pleach_tree_create(&trees[t], trials[t].pool, form->scheme), PLEACH_OK);
    for (size_t count = 0; count <= MOST; count = next_count(count)) {
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
            const struct form form = {schemes[s], leaves[l].size, leaves[l].gap, leaves[l].offset, leaves[l].zeros};
            if (form.zeros == 0 || form.scheme->family == PLEACH_BLAKE2S)
                check_form(&form);
        }
    }
}

enum { TILED = 200, TILED_SIZE = 40, TILED_LEVELS = 9 };

/* Which levels are stored. */
enum { ALL, EVERY_SECOND, LOWER, STORINGS };

static bool is_stored(int storing, unsigned level, unsigned levels)
{
    return level + 1 == levels || storing == ALL || (storing == EVERY_SECOND ? level % 2 == 0 : level < 2);
}

static void check_storing(const pleach__call *call, const pleach__row *row, const uint8_t *const *expected,
                          size_t nodes, int storing)
{
    static uint8_t store[TILED_LEVELS][D * (TILED + 1)];
    uint8_t *level[TILED_LEVELS];
    const unsigned levels = pleach__levels(nodes);
    assert_true(levels <= TILED_LEVELS);
    memset(store, 0xee, sizeof store);
    for (unsigned l = 0; l < levels; l++)
        level[l] = is_stored(storing, l, levels) ? store[l] : NULL;
    assert_int_equal(pleach__fold_row(call, row, level), PLEACH_OK);
    for (unsigned l = 0; l < levels; l++) {
        size_t size = D * (size_t)pleach__level_size(nodes, l);
        if (level[l])
            assert_memory_equal(level[l], expected[l], size);
        assert_int_equal(store[l][level[l] ? size : 0], 0xee);
    }
}

static void check_tiling(pleach__row *row, uint8_t *hashes, size_t tile, size_t nodes, bool has_tail)
{
    static uint8_t naive[D * (2 * TILED + LEVELS)];
    const uint8_t *level[LEVELS];
    uint8_t root[D];
    unsigned levels = naive_levels(PLEACH_SCHEME_RFC6962, hashes, nodes, naive, level);
    assert_int_equal(levels, pleach__levels(nodes));
    row->count = nodes - has_tail;
    row->tail = has_tail ? hashes + D * row->count : NULL;
    for (size_t t = 0; t < trial_count; t++) {
        const pleach__call call = {.pool = trials[t].pool, .tile = tile};
        assert_int_equal(pleach__fold_root(&call, row, root), PLEACH_OK);
        assert_memory_equal(root, level[levels - 1], D);
        if (t % STORINGS == nodes % STORINGS)
            for (int storing = 0; storing < STORINGS; storing++)
                check_storing(&call, row, level, nodes, storing);
    }
}

/* Small tiles: rows upon rows, with whole and partial tiles, tails, and levels stored or not. */
static void every_tiling(void **state)
{
    static uint8_t data[TILED * TILED_SIZE], hashes[D * TILED];
    pleach__row row = {.stride = TILED_SIZE, .inputs = data};
    (void)state;
    fill_stream(data, sizeof data);
    for (size_t i = 0; i < TILED; i++)
        naive_leaf(PLEACH_SCHEME_RFC6962, data + TILED_SIZE * i, TILED_SIZE, 0, hashes + D * i);
    assert_int_equal(pleach__scheme_hashing(PLEACH_SCHEME_RFC6962, TILED_SIZE, 0, &row.hashing), PLEACH_OK);
    for (size_t tile = 1; tile <= 64; tile *= 2) {
        for (size_t nodes = 1; nodes <= TILED; nodes += nodes < 70 ? 1 : 13) {
            check_tiling(&row, hashes, tile, nodes, false);
            check_tiling(&row, hashes, tile, nodes, true);
        }
    }
}

/* Nothing beyond the first and the last leaf is read: memory that must not be touched lies there. */
static void guard_pages(void **state)
{
    static const size_t sizes[] = {0, 1, 31, 32, 33, 64, 65, 100, 128, 320}, zeros[] = {0, 24, 216};
    static const size_t counts[] = {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 128, 1000, 5000};
    const pleach_scheme *const schemes[] = {PLEACH_SCHEME_RFC6962, &promoting_blake2s};
    (void)state;
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            const size_t bytes = counts[c] * sizes[s];
            uint8_t *data = guarded(bytes), expected[D], root[D];
            fill_stream(data, bytes);
            for (size_t z = 0; z < 4; z++) {
                const pleach_scheme *scheme = schemes[z > 0];
                const pleach_leaves leaves = {.data = data,
                                              .size = sizes[s],
                                              .stride = sizes[s],
                                              .count = counts[c],
                                              .zeros = z > 0 ? zeros[z - 1] : 0};
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
            assert_ptr_equal(pleach_tree_level(tree, 0, NULL), before);
        before = pleach_tree_level(tree, 0, NULL);
    }
    pleach_tree_destroy(tree);
    pleach_tree_destroy(NULL);
}

int test_shapes(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_form), cmocka_unit_test(every_tiling),
                                       cmocka_unit_test(guard_pages), cmocka_unit_test(tree_reuse)};
    return cmocka_run_group_tests_name("shapes", tests, open_trials, close_trials);
}
