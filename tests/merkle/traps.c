/* Known ways to get a tree of the right kind wrong, or to fool one. */
#include "merkle_test.h"

#include <string.h>

enum { D = PLEACH_DIGEST_SIZE, MOST = 70 };

static void assert_root(const pleach_scheme *scheme, const uint8_t *leaves, size_t size, size_t count,
                        const uint8_t *expected)
{
    const pleach_leaves these = {.data = leaves, .size = size, .stride = size, .count = count};
    for (size_t t = 0; t < trial_count; t++) {
        uint8_t root[D];
        assert_int_equal(pleach_merkle_root(trials[t].pool, scheme, &these, NULL, root), PLEACH_OK);
        assert_memory_equal(root, expected, D);
    }
}

/* Leaves that are zero bytes are leaves: none of them is taken for one that is not there. */
static void zero_hash_is_a_value(void **state)
{
    static uint8_t leaves[D * MOST];
    (void)state;
    for (size_t s = 0; s < scheme_count(); s++) {
        const pleach_scheme *scheme = every_scheme[s];
        if (!scheme->leaf_given)
            continue;
        for (size_t count = 1; count <= MOST; count += count < 9 ? 1 : 7) {
            const size_t zero[] = {0, count / 2, count - 1};
            uint8_t expected[D];
            if (!is_accepted(scheme, count))
                continue;
            for (size_t z = 0; z < 3; z++) {
                fill_stream(leaves, sizeof leaves);
                memset(leaves + D * zero[z], 0, D);
                naive_root(scheme, leaves, count, expected);
                assert_root(scheme, leaves, D, count, expected);
            }
            memset(leaves, 0, sizeof leaves);
            naive_root(scheme, leaves, count, expected);
            assert_root(scheme, leaves, D, count, expected);
        }
    }
}

/* The number of leaves of a zero-padded tree is not bound by its root: a zero leaf more is the same padding. */
static void zero_leaf_as_padding(void **state)
{
    uint8_t leaves[D * 8], expected[D], root[D];
    (void)state;
    fill_stream(leaves, sizeof leaves);
    memset(leaves + 5 * D, 0, 3 * D);
    const pleach_leaves few = {.data = leaves, .size = D, .stride = D, .count = 5};
    assert_int_equal(pleach_merkle_root(NULL, PLEACH_SCHEME_SSZ, &few, NULL, expected), PLEACH_OK);
    for (size_t count = 6; count <= 8; count++)
        assert_root(PLEACH_SCHEME_SSZ, leaves, D, count, expected);
    const pleach_leaves fewer = {.data = leaves, .size = D, .stride = D, .count = 4};
    assert_int_equal(pleach_merkle_root(NULL, PLEACH_SCHEME_SSZ, &fewer, NULL, root), PLEACH_OK);
    assert_memory_not_equal(root, expected, D);
}

/* Two leaf hashes, read as one leaf of 64 bytes. */
static bool leaf_can_be_node(const pleach_scheme *scheme)
{
    uint8_t leaves[2 * 40], pair[2 * D], root[D], forged[D];
    fill_stream(leaves, sizeof leaves);
    const pleach_leaves two = {.data = leaves, .size = 40, .stride = 40, .count = 2};
    const pleach_leaves one = {.data = pair, .size = 2 * D, .stride = 2 * D, .count = 1};
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(pleach_merkle_leaf(scheme, leaves + 40 * i, 40, 0, pair + D * i), PLEACH_OK);
    assert_int_equal(pleach_merkle_root(NULL, scheme, &two, NULL, root), PLEACH_OK);
    assert_int_equal(pleach_merkle_root(NULL, scheme, &one, NULL, forged), PLEACH_OK);
    return memcmp(root, forged, D) == 0;
}

static void leaf_as_inner_node(void **state)
{
    const pleach_lone_node rules[] = {PLEACH_LONE_REFUSED, PLEACH_LONE_PROMOTED, PLEACH_LONE_DUPLICATED,
                                      PLEACH_LONE_ZERO_PADDED};
    (void)state;
    assert_true(leaf_can_be_node(PLEACH_SCHEME_BLAKE2S)); /* whose statement binds the number of leaves */
    assert_true(leaf_can_be_node(PLEACH_SCHEME_BLAKE3));
    assert_false(leaf_can_be_node(PLEACH_SCHEME_RFC6962));
    for (size_t i = 0; i < 4; i++) {
        pleach_scheme scheme = {.family = PLEACH_SHA256, .leaf_prefix = 7, .node_prefix = 9, .lone = rules[i]};
        assert_false(leaf_can_be_node(&scheme));
        scheme.leaf_prefix = 9;
        assert_true(leaf_can_be_node(&scheme)); /* two prefixes, but the same */
        scheme.leaf_prefix = PLEACH_NO_PREFIX;
        assert_false(leaf_can_be_node(&scheme));
        scheme.node_prefix = PLEACH_NO_PREFIX;
        assert_true(leaf_can_be_node(&scheme));
        scheme.leaf_twice = true;
        assert_false(leaf_can_be_node(&scheme));
    }
}

int test_traps(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(zero_hash_is_a_value), cmocka_unit_test(zero_leaf_as_padding),
                                       cmocka_unit_test(leaf_as_inner_node)};
    return cmocka_run_group_tests_name("traps", tests, open_trials, close_trials);
}
