/* What proofs have been forged by, and what is refused before anything is proved. */
#include "merkle_test.h"

#include <string.h>

enum { D = PLEACH_DIGEST_SIZE, LEAF = 5, LEAVES = 16 };

static uint8_t data[LEAVES * D];

struct proof {
    const pleach_scheme *scheme;
    uint64_t index, count;
    uint8_t leaf[D], root[D], path[PATH];
    size_t nodes;
};

static pleach_status verify_as(const struct proof *proof, uint64_t index, uint64_t count)
{
    return pleach_merkle_verify(proof->scheme, index, count, proof->leaf, proof->path, proof->nodes, proof->root);
}

static pleach_status verify(const struct proof *proof)
{
    return verify_as(proof, proof->index, proof->count);
}

static struct proof prove(const pleach_tree *tree, uint64_t index)
{
    struct proof proof = {.scheme = pleach_tree_scheme(tree), .index = index, .count = pleach_tree_size(tree)};
    assert_int_equal(pleach_tree_prove(tree, index, proof.path, PLEACH_PATH_MAX, &proof.nodes), PLEACH_OK);
    assert_int_equal(pleach_tree_root(tree, proof.root), PLEACH_OK);
    memcpy(proof.leaf, pleach_tree_nodes(tree, 0, (size_t)index, NULL), D);
    return proof;
}

/* Leaf 2 of 3 is promoted: its path, one left sibling, is also that of leaf 1 of 2. Only the true count tells. */
static void promoted_leaf_at_two_indices(void **state)
{
    (void)state;
    pleach_tree *tree = plant_tree(PLEACH_SCHEME_RFC6962, data, LEAF, 3);
    struct proof proof = prove(tree, 2);
    assert_int_equal(proof.nodes, 1);
    assert_int_equal(verify(&proof), PLEACH_OK);
    assert_int_equal(verify_as(&proof, 0, 3), PLEACH_EPROOFLENGTH);
    assert_non_null(strstr(pleach_last_error(), "nodes = 1: a proof of this shape has 2"));
    assert_int_equal(verify_as(&proof, 1, 3), PLEACH_EPROOFLENGTH);
    assert_int_equal(verify_as(&proof, 3, 3), PLEACH_EPROOFINDEX);
    assert_int_equal(verify_as(&proof, 2, 4), PLEACH_EPROOFLENGTH);
    /* with a count that was not bound to the root it would pass */
    assert_int_equal(verify_as(&proof, 1, 2), PLEACH_OK);
    pleach_tree_destroy(tree);
}

/* An inner node shown as a leaf: of a tree of the true number of leaves there is no such proof. */
static void count_not_bound(void **state)
{
    (void)state;
    pleach_tree *tree = plant_tree(PLEACH_SCHEME_BLAKE2S, data, LEAF, 8);
    struct proof proof = prove(tree, 5), shorter = proof;
    memcpy(shorter.leaf, pleach_tree_nodes(tree, 1, 2, NULL), D);
    memmove(shorter.path, proof.path + D, D * 2);
    shorter.nodes = 2;
    assert_int_equal(verify_as(&shorter, 2, 8), PLEACH_EPROOFLENGTH);
    assert_int_equal(verify_as(&shorter, 5, 8), PLEACH_EPROOFLENGTH);
    assert_int_equal(verify_as(&shorter, 2, 4), PLEACH_OK);
    pleach_tree_destroy(tree);
}

/* A leaf of 64 bytes is the pair below an inner node: with one prefix or none it hashes to that node; with two it does
   not. */
static void leaf_of_64_bytes_as_inner_node(void **state)
{
    const pleach_scheme *const schemes[] = {&promoting_blake2s, PLEACH_SCHEME_RFC6962};
    (void)state;
    for (size_t s = 0; s < 2; s++) {
        pleach_tree *tree = plant_tree(schemes[s], data, LEAF, 4);
        struct proof proof = prove(tree, 0), forged = proof;
        uint8_t pair[2 * D];
        memcpy(pair, pleach_tree_nodes(tree, 0, 0, NULL), D);
        memcpy(pair + D, pleach_tree_nodes(tree, 0, 1, NULL), D);
        assert_int_equal(pleach_merkle_leaf(schemes[s], pair, sizeof pair, 0, forged.leaf), PLEACH_OK);
        memmove(forged.path, proof.path + D, D);
        forged.nodes = 1;
        assert_int_equal(verify_as(&forged, 0, 4), PLEACH_EPROOFLENGTH);
        assert_int_equal(verify_as(&forged, 0, 2), s == 0 ? PLEACH_OK : PLEACH_EPROOFROOT);
        pleach_tree_destroy(tree);
    }
}

/* Nothing is in an empty tree, whatever its root. */
static void nothing_in_an_empty_tree(void **state)
{
    uint8_t root[D] = {0};
    (void)state;
    for (size_t s = 0; s < scheme_count(); s++) {
        if (is_accepted(every_scheme[s], 0))
            assert_int_equal(pleach_merkle_root(NULL, every_scheme[s], &(pleach_leaves){.count = 0}, NULL, root),
                             PLEACH_OK);
        assert_int_equal(pleach_merkle_verify(every_scheme[s], 0, 0, root, NULL, 0, root), PLEACH_EPROOFINDEX);
        assert_int_equal(pleach_merkle_verify(every_scheme[s], 0, 0, root, root, 1, root), PLEACH_EPROOFINDEX);
    }
}

/* CVE-2012-2459 through proofs: a tree whose last leaves are repeated has the same root, at every level at which that
   can be done. The leaves that were not there are not proved. */
static void repeated_leaves(void **state)
{
    enum { ALL = 16 };
    uint8_t repeated[ALL * D];
    (void)state;
    for (unsigned level = 0; level < 3; level++) {
        const size_t run = (size_t)1 << level, count = ALL - run; /* leaves repeated; those there are */
        memcpy(repeated, data, D * count);
        memcpy(repeated + D * count, data + D * (count - run), D * run);
        pleach_tree *honest = plant_tree(PLEACH_SCHEME_BITCOIN, repeated, D, count);
        pleach_tree *mutated = plant_tree(PLEACH_SCHEME_BITCOIN, repeated, D, ALL);
        for (size_t i = 0; i < ALL; i++) {
            struct proof proof = prove(mutated, i);
            const bool above = i >= count - run; /* the pair is on its way */
            if (i < count) {
                const struct proof good = prove(honest, i);
                assert_memory_equal(good.root, proof.root, D);
                assert_int_equal(verify(&good), PLEACH_OK);
                assert_int_equal(verify_as(&proof, i, count), PLEACH_OK);
            } else {
                assert_int_equal(verify_as(&proof, i, count), PLEACH_EPROOFINDEX);
            }
            assert_int_equal(verify(&proof), above ? PLEACH_EPROOFMUTATED : PLEACH_OK);
        }
        pleach_tree_destroy(mutated);
        pleach_tree_destroy(honest);
    }
}

/* A zero hash is a value: a proof of it is like any other, and of padding there is none. */
static void zero_leaves(void **state)
{
    const uint8_t zeros[3 * D] = {0};
    (void)state;
    pleach_tree *tree = plant_tree(PLEACH_SCHEME_SSZ, zeros, D, 3);
    for (uint64_t i = 0; i < 3; i++) {
        struct proof proof = prove(tree, i);
        assert_int_equal(verify(&proof), PLEACH_OK);
        assert_int_equal(verify_as(&proof, 3, 3), PLEACH_EPROOFINDEX);
    }
    pleach_tree_destroy(tree);
}

static void refused_batches(void **state)
{
    pleach_tree *tree = plant_tree(PLEACH_SCHEME_RFC6962, data, LEAF, 5);
    uint8_t paths[3 * 3 * D], before[3 * 3 * D];
    uint64_t index[] = {4, 0, 5};
    size_t nodes[] = {77, 77, 77};
    (void)state;
    memset(paths, 0xab, sizeof paths);
    memset(before, 0xab, sizeof before);
    assert_int_equal(pleach_tree_prove_many(tree, index, 3, paths, 3 * D, nodes), PLEACH_EPROOFINDEX);
    assert_non_null(strstr(pleach_last_error(), "index[2]: index = 5"));
    assert_int_equal(pleach_tree_prove_many(tree, index, 2, paths, 3 * D - 1, nodes), PLEACH_ERANGE);
    assert_non_null(strstr(pleach_last_error(), "path 1 has 3 nodes"));
    assert_int_equal(pleach_tree_prove_many(tree, index, 2, paths, SIZE_MAX, nodes), PLEACH_ERANGE);
    assert_int_equal(pleach_tree_prove_many(NULL, index, 2, paths, 3 * D, nodes), PLEACH_EINVAL);
    assert_int_equal(pleach_tree_prove_many(tree, NULL, 2, paths, 3 * D, nodes), PLEACH_EINVAL);
    assert_int_equal(pleach_tree_prove_many(tree, index, 2, NULL, 3 * D, nodes), PLEACH_EINVAL);
    assert_int_equal(pleach_tree_prove_many(tree, index, 2, paths, 3 * D, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_tree_prove_many(tree, NULL, 0, NULL, 0, NULL), PLEACH_OK);
    assert_int_equal(nodes[0], 77);
    assert_memory_equal(paths, before, sizeof paths);
    assert_int_equal(pleach_tree_prove_many(tree, index, 1, paths, D, nodes), PLEACH_OK);
    assert_int_equal(nodes[0], 1);
    assert_int_equal(nodes[1], 77);
    assert_memory_equal(paths + D, before, sizeof paths - D);
    pleach_tree_destroy(tree);
}

static int fill_data(void **state)
{
    (void)state;
    fill_stream(data, sizeof data);
    return 0;
}

int test_forgeries(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(promoted_leaf_at_two_indices),
                                       cmocka_unit_test(count_not_bound),
                                       cmocka_unit_test(leaf_of_64_bytes_as_inner_node),
                                       cmocka_unit_test(nothing_in_an_empty_tree),
                                       cmocka_unit_test(repeated_leaves),
                                       cmocka_unit_test(zero_leaves),
                                       cmocka_unit_test(refused_batches)};
    return cmocka_run_group_tests_name("forged proofs", tests, fill_data, NULL);
}
