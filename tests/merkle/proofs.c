/* Inclusion proofs: those of every leaf of every small tree, and all that is wrong with altered ones. */
#include "merkle_test.h"

#include "merkle/shape.h"

#include <string.h>

enum { D = PLEACH_DIGEST_SIZE, MOST = 70 };

static uint8_t hashes[D * MOST];

struct proof {
    const pleach_scheme *scheme;
    uint64_t index, count;
    uint8_t leaf[D], root[D], path[PATH];
    size_t nodes;
};

static pleach_status verify(const struct proof *proof)
{
    return pleach_merkle_verify(proof->scheme, proof->index, proof->count, proof->leaf, proof->path, proof->nodes,
                                proof->root);
}

static pleach_status verify_as(const struct proof *good, uint64_t index, uint64_t count)
{
    struct proof other = *good;
    other.index = index;
    other.count = count;
    return verify(&other);
}

/* A changed byte anywhere in the digests. */
static void alter_bytes(const struct proof *good)
{
    struct proof bad = *good;
    for (size_t i = 0; i < D * good->nodes; i++) {
        bad.path[i] ^= (uint8_t)(1 << i % 8);
        assert_int_equal(verify(&bad), PLEACH_EPROOFROOT);
        bad.path[i] = good->path[i];
    }
    for (size_t i = 0; i < D; i++) {
        bad.leaf[i] ^= (uint8_t)(1 << i % 8);
        assert_int_equal(verify(&bad), PLEACH_EPROOFROOT);
        bad.leaf[i] = good->leaf[i];
        bad.root[i] ^= (uint8_t)(1 << i % 8);
        assert_int_equal(verify(&bad), PLEACH_EPROOFROOT);
        bad.root[i] = good->root[i];
    }
    assert_int_equal(verify(&bad), PLEACH_OK);
}

/* A node dropped, doubled or swapped with the next. */
static void alter_nodes(const struct proof *good)
{
    struct proof bad = *good;
    bad.nodes = good->nodes + 1;
    assert_int_equal(verify(&bad), PLEACH_EPROOFLENGTH);
    for (size_t i = 0; i < good->nodes; i++) {
        bad = *good;
        bad.nodes--;
        memmove(bad.path + D * i, bad.path + D * (i + 1), D * (good->nodes - i - 1));
        assert_int_equal(verify(&bad), PLEACH_EPROOFLENGTH);
        bad = *good;
        bad.nodes++;
        memmove(bad.path + D * (i + 1), bad.path + D * i, D * (good->nodes - i));
        assert_int_equal(verify(&bad), PLEACH_EPROOFLENGTH);
    }
    for (size_t i = 0; i + 1 < good->nodes; i++) {
        bad = *good;
        memcpy(bad.path + D * i, good->path + D * (i + 1), D);
        memcpy(bad.path + D * (i + 1), good->path + D * i, D);
        assert_int_equal(verify(&bad), PLEACH_EPROOFROOT);
    }
}

/* Other indices and counts: refused unless they have the very same sides, which is why they must be trusted. */
static void alter_place(const struct proof *good)
{
    uint8_t sides[PLEACH_PATH_MAX], others[PLEACH_PATH_MAX];
    size_t length = naive_sides(good->count, good->index, sides);
    for (uint64_t count = good->count > 20 ? good->count - 2 : 1; count <= good->count + 3; count++) {
        bool is_power = (count & (count - 1)) == 0;
        for (uint64_t index = 0; index < count; index++) {
            size_t other = naive_sides(count, index, others);
            pleach_status expected = PLEACH_EPROOFROOT;
            if (good->scheme->lone == PLEACH_LONE_REFUSED && !is_power)
                expected = PLEACH_EINVAL;
            else if (other != length)
                expected = PLEACH_EPROOFLENGTH;
            else if (memcmp(sides, others, length) == 0)
                expected = PLEACH_OK;
            assert_int_equal(verify_as(good, index, count), expected);
        }
        assert_int_equal(verify_as(good, count, count), PLEACH_EPROOFINDEX);
        assert_int_equal(verify_as(good, UINT64_MAX, count), PLEACH_EPROOFINDEX);
    }
    assert_int_equal(verify_as(good, good->index, 0), PLEACH_EPROOFINDEX);
}

static void check_proof(const pleach_tree *tree, const pleach_scheme *scheme, size_t index, size_t count)
{
    struct proof good = {.scheme = scheme, .index = index, .count = count};
    uint8_t path[PATH], sides[PLEACH_PATH_MAX];
    size_t nodes = naive_path(scheme, hashes, count, index, path, sides), length = 99;
    assert_int_equal(pleach_merkle_path_length(scheme, index, count, &length), PLEACH_OK);
    assert_int_equal(length, nodes);
    assert_int_equal(pleach_tree_prove(tree, index, good.path, nodes, &good.nodes), PLEACH_OK);
    assert_int_equal(good.nodes, nodes);
    assert_memory_equal(good.path, path, D * nodes);
    memcpy(good.leaf, hashes + D * index, D);
    assert_int_equal(pleach_tree_root(tree, good.root), PLEACH_OK);
    assert_int_equal(verify(&good), PLEACH_OK);
    alter_bytes(&good);
    alter_nodes(&good);
    alter_place(&good);
}

static void every_proof(void **state)
{
    const pleach_scheme *const schemes[] = {PLEACH_SCHEME_BLAKE2S, PLEACH_SCHEME_RFC6962};
    static uint8_t data[MOST * 5];
    (void)state;
    fill_stream(data, sizeof data);
    for (size_t s = 0; s < sizeof schemes / sizeof schemes[0]; s++) {
        pleach_tree *tree = NULL;
        assert_int_equal(pleach_tree_create(&tree, NULL, schemes[s]), PLEACH_OK);
        for (size_t i = 0; i < MOST; i++)
            assert_int_equal(pleach_merkle_leaf(schemes[s], data + 5 * i, 5, 0, hashes + D * i), PLEACH_OK);
        for (size_t count = 1; count <= MOST; count++) {
            const pleach_leaves leaves = {.data = data, .size = 5, .stride = 5, .count = count};
            if (schemes[s]->lone == PLEACH_LONE_REFUSED && (count & (count - 1)) != 0)
                continue;
            assert_int_equal(pleach_tree_build(tree, &leaves, NULL), PLEACH_OK);
            for (size_t index = 0; index < count; index++)
                check_proof(tree, schemes[s], index, count);
        }
        pleach_tree_destroy(tree);
    }
}

/* Lengths by going up level by level, also where counts have all 64 bits. */
static void path_lengths(void **state)
{
    uint64_t seed = 1;
    (void)state;
    for (int trial = 0; trial < 20000; trial++) {
        uint64_t count = (random_below(&seed, UINT64_MAX) >> random_below(&seed, 64)) + 1;
        if (trial < 64)
            count = (uint64_t)1 << trial;
        else if (trial < 128)
            count = UINT64_MAX >> (trial - 64);
        uint64_t index = trial % 3 == 0 ? count - 1 : random_below(&seed, count);
        size_t expected = 0, nodes = 0;
        for (uint64_t i = index, last = count - 1; last > 0; i >>= 1, last >>= 1)
            expected += (i ^ 1) <= last;
        assert_int_equal(pleach_merkle_path_length(PLEACH_SCHEME_RFC6962, index, count, &nodes), PLEACH_OK);
        assert_int_equal(nodes, expected);
        assert_true(nodes <= PLEACH_PATH_MAX && pleach__levels(count) >= nodes);
    }
}

int test_proofs(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_proof), cmocka_unit_test(path_lengths)};
    return cmocka_run_group_tests_name("proofs", tests, NULL, NULL);
}
