/* Leaves of differing sizes. */
#include "merkle_test.h"

#include <stdlib.h>
#include <string.h>

enum { D = PLEACH_DIGEST_SIZE, SIZES = 301, LARGE = 1 << 20, MOST = 5000 };

/* Leaves of 0 to 300 bytes, each up to the end of the memory there is, in no order; of a scheme of given leaves,
 * digests. */
static void choose_leaves(const pleach_scheme *scheme, const uint8_t *bytes, pleach_input *list, size_t count)
{
    uint64_t random = 1;
    for (size_t i = 0; i < count; i++) {
        size_t size = leaf_size_of(scheme, (size_t)random_below(&random, SIZES));
        size_t before = i % 16 == 0 ? 0 : (size_t)random_below(&random, LARGE - SIZES);
        list[i] = (pleach_input){bytes + LARGE - size - before, size};
    }
}

static void check_list(const pleach_scheme *scheme, const pleach_input *list, const uint8_t *hashes, size_t count)
{
    const pleach_leaves leaves = {.list = list, .count = count};
    uint8_t expected[D], root[D];
    pleach_tree *tree = NULL;
    naive_root(scheme, hashes, count, expected);
    for (size_t t = count % 3; t < trial_count; t += 3) {
        assert_int_equal(pleach_merkle_root(trials[t].pool, scheme, &leaves, NULL, root), PLEACH_OK);
        assert_memory_equal(root, expected, D);
        assert_int_equal(pleach_tree_create(&tree, trials[t].pool, scheme), PLEACH_OK);
        assert_int_equal(pleach_tree_build(tree, &leaves, NULL), PLEACH_OK);
        assert_int_equal(pleach_tree_size(tree), count);
        assert_int_equal(pleach_tree_root(tree, root), PLEACH_OK);
        assert_memory_equal(root, expected, D);
        for (size_t i = 0, run = 0; i < count; i += run) {
            const uint8_t *nodes = pleach_tree_nodes(tree, 0, i, &run);
            assert_true(nodes && run > 0 && run <= count - i);
            assert_memory_equal(nodes, hashes + D * i, D * run);
        }
        pleach_tree_destroy(tree);
    }
}

/* A list is the tree of its leaves hashed one by one. */
static void every_list(void **state)
{
    static const size_t counts[] = {0, 1, 2, 3, 4, 5, 7, 8, 16, 31, 33, 64, 100, 128, 300, 1023, 1024, 4096, MOST};
    uint8_t *bytes = guarded(LARGE), *hashes = malloc(D * MOST);
    pleach_input *list = malloc(MOST * sizeof *list);
    (void)state;
    assert_true(hashes && list);
    fill_stream(bytes, LARGE);
    for (size_t s = 0; s < scheme_count(); s++) {
        const size_t most = s < 8 ? MOST : 300;
        choose_leaves(every_scheme[s], bytes, list, most);
        for (size_t i = 0; i < most; i++)
            naive_leaf(every_scheme[s], list[i].bytes, list[i].size, 0, hashes + D * i);
        for (size_t c = 0; c < sizeof counts / sizeof counts[0] && counts[c] <= most; c++)
            if (is_accepted(every_scheme[s], counts[c]))
                check_list(every_scheme[s], list, hashes, counts[c]);
    }
    free(list);
    free(hashes);
    guarded_free(bytes, LARGE);
}

/* One leaf of every size, and among them a long one; sizes of the same number of blocks, and without any byte. */
static void one_long_leaf(void **state)
{
    static pleach_input list[SIZES + 1];
    static uint8_t hashes[D * (SIZES + 1)];
    const pleach_scheme *const schemes[] = {PLEACH_SCHEME_RFC6962, PLEACH_SCHEME_BLAKE3, &promoting_blake2s};
    uint8_t *bytes = guarded(LARGE);
    (void)state;
    fill_stream(bytes, LARGE);
    for (size_t s = 0; s < 3; s++) {
        for (size_t i = 0; i < SIZES; i++)
            list[i] = (pleach_input){i == 0 ? NULL : bytes + 3 * i, i};
        list[SIZES] = list[100];
        list[100] = (pleach_input){bytes, LARGE};
        for (size_t i = 0; i <= SIZES; i++)
            naive_leaf(schemes[s], list[i].size > 0 ? list[i].bytes : bytes, list[i].size, 0, hashes + D * i);
        check_list(schemes[s], list, hashes, SIZES + 1);
        check_list(schemes[s], list, hashes, 1);
        for (size_t i = 0; i <= SIZES; i++)
            list[i] = (pleach_input){NULL, 0};
        for (size_t i = 0; i <= SIZES; i++)
            naive_leaf(schemes[s], bytes, 0, 0, hashes + D * i);
        check_list(schemes[s], list, hashes, SIZES + 1);
    }
    guarded_free(bytes, LARGE);
}

static void refused_lists(void **state)
{
    static const uint8_t bytes[64] = {0};
    static const pleach_input good[] = {{bytes, 5}, {NULL, 0}}, null[] = {{bytes, 5}, {NULL, 1}},
                              long_[] = {{bytes, PTRDIFF_MAX}, {bytes, 1}}, too_long[] = {{bytes, SIZE_MAX}},
                              digests[] = {{bytes, D}, {bytes + D, D}}, no_digest[] = {{bytes, D}, {bytes, D - 1}};
#if SIZE_MAX >> 61 != 0
    static const pleach_input huge[] = {{bytes, (size_t)1 << 61}};
#endif
    const struct {
        const char *says;
        pleach_status status;
        const pleach_scheme *scheme;
        pleach_leaves leaves;
    } faults[] = {
        {"data = 0x", PLEACH_EINVAL, PLEACH_SCHEME_RFC6962, {.list = good, .count = 2, .data = bytes}},
        {"size = 5", PLEACH_EINVAL, PLEACH_SCHEME_RFC6962, {.list = good, .count = 2, .size = 5, .stride = 5}},
        {"stride = 5", PLEACH_EINVAL, PLEACH_SCHEME_RFC6962, {.list = good, .count = 2, .stride = 5}},
        {"zeros = 8", PLEACH_EINVAL, PLEACH_SCHEME_BLAKE2S, {.list = good, .count = 2, .zeros = 8}},
        {"list[1].bytes = NULL", PLEACH_EINVAL, PLEACH_SCHEME_RFC6962, {.list = null, .count = 2}},
        {"list[1].size = 1", PLEACH_ERANGE, PLEACH_SCHEME_RFC6962, {.list = long_, .count = 2}},
        {"list[0].size = ", PLEACH_ERANGE, PLEACH_SCHEME_BLAKE3, {.list = too_long, .count = 1}},
#if SIZE_MAX >> 61 != 0
        {"", PLEACH_ERANGE, PLEACH_SCHEME_RFC6962, {.list = huge, .count = 1}},
#endif
        {"list[1].size = 31", PLEACH_EINVAL, PLEACH_SCHEME_SSZ, {.list = no_digest, .count = 2}},
        {"list[0].size = 5", PLEACH_EINVAL, PLEACH_SCHEME_BITCOIN, {.list = good, .count = 2}},
        {"count = 3", PLEACH_EINVAL, PLEACH_SCHEME_BLAKE2S, {.list = (const pleach_input[3]){{bytes, 1}}, .count = 3}},
        {"address space", PLEACH_ERANGE, PLEACH_SCHEME_RFC6962, {.list = good, .count = SIZE_MAX}},
        {"scheme = NULL", PLEACH_EINVAL, NULL, {.list = good, .count = 2}},
    };
    uint8_t root[D], before[D];
    (void)state;
    memset(root, 0xab, D);
    memset(before, 0xab, D);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        assert_int_equal(pleach_merkle_root(NULL, faults[i].scheme, &faults[i].leaves, NULL, root), faults[i].status);
        assert_non_null(strstr(pleach_last_error(), faults[i].says));
        assert_memory_equal(root, before, D);
    }
    const pleach_leaves given = {.list = digests, .count = 2}, none = {.list = good};
    assert_int_equal(pleach_merkle_root(NULL, PLEACH_SCHEME_SSZ, &given, NULL, root), PLEACH_OK);
    assert_int_equal(pleach_merkle_root(NULL, PLEACH_SCHEME_SSZ, &none, NULL, root), PLEACH_OK);
}

int test_lists(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_list), cmocka_unit_test(one_long_leaf),
                                       cmocka_unit_test(refused_lists)};
    return cmocka_run_group_tests_name("lists", tests, open_trials, close_trials);
}
