/* Inclusion proofs: those of every leaf of every small tree of every scheme, and all that is wrong with altered ones.
 */
#include "merkle_test.h"

#include "merkle/path.h"
#include "merkle/shape.h"

#include <stdlib.h>
#include <string.h>

enum {
    D = PLEACH_DIGEST_SIZE,
    MOST = 70,
    LEAF = 5,
    ALTERED = PATH + D, /* bytes of a path and a leaf hash, at most */
};

static uint8_t data[MOST * D];

struct proof {
    const pleach_scheme *scheme;
    uint64_t index, count;
    uint8_t leaf[D], root[D], path[PATH + 2 * D];
    size_t nodes;
};

static pleach_status verify(const void *context)
{
    const struct proof *proof = context;
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

/* --- what the proofs must be: from all levels of a naive tree --- */

struct naive_tree {
    const pleach_scheme *scheme;
    size_t count;
    uint8_t leaf[D * MOST];                 /* hashes of all leaves there may be */
    uint8_t nodes[D * (2 * MOST + LEVELS)]; /* of the first `count` */
    const uint8_t *level[LEVELS];
    uint8_t zero[LEVELS][D];
    unsigned levels;
};

static void plant(struct naive_tree *tree, const pleach_scheme *scheme)
{
    const size_t size = leaf_size_of(scheme, LEAF);
    tree->scheme = scheme;
    for (size_t i = 0; i < MOST; i++)
        naive_leaf(scheme, data + size * i, size, 0, tree->leaf + D * i);
    memset(tree->zero[0], 0, D);
    for (unsigned l = 1; l < LEVELS; l++)
        naive_node(scheme, tree->zero[l - 1], tree->zero[l - 1], tree->zero[l]);
}

static void grow(struct naive_tree *tree, size_t count)
{
    tree->count = count;
    tree->levels = naive_levels(tree->scheme, tree->leaf, count, tree->nodes, tree->level);
}

static const uint8_t *naive_sibling(const struct naive_tree *tree, unsigned level, size_t node)
{
    if ((node ^ 1) < pleach__level_size(tree->count, level))
        return tree->level[level] + D * (node ^ 1);
    if (tree->scheme->lone == PLEACH_LONE_DUPLICATED)
        return tree->level[level] + D * node;
    return tree->scheme->lone == PLEACH_LONE_ZERO_PADDED ? tree->zero[level] : NULL;
}

static struct proof expected_proof(const struct naive_tree *tree, size_t index)
{
    struct proof proof = {.scheme = tree->scheme, .index = index, .count = tree->count};
    memcpy(proof.leaf, tree->leaf + D * index, D);
    memcpy(proof.root, tree->level[tree->levels - 1], D);
    for (unsigned l = 0; l + 1 < tree->levels; l++) {
        const uint8_t *sibling = naive_sibling(tree, l, index >> l);
        if (sibling)
            memcpy(proof.path + D * proof.nodes++, sibling, D);
    }
    return proof;
}

/* Whether the sibling of each step is made by the scheme: 0 or 1, in the order of the path. */
static void find_made(const struct proof *proof, bool *made)
{
    size_t at = 0;
    for (unsigned l = 0; at < proof->nodes; l++) {
        const bool has_none = ((proof->index >> l) ^ 1) >= pleach__level_size(proof->count, l);
        if (!has_none || proof->scheme->lone != PLEACH_LONE_PROMOTED)
            made[at++] = has_none;
    }
}

/* --- what is wrong with altered ones --- */

/* Every byte of path and leaf hash changed, one at a time, checked by one call; and of the root, for some leaves. */
static void alter_bytes(const struct proof *good)
{
    static uint8_t copies[ALTERED][PATH + D];
    static pleach_proof altered[ALTERED];
    static pleach_status statuses[ALTERED];
    const size_t bytes = D * good->nodes + D;
    for (size_t i = 0; i < bytes; i++) {
        memcpy(copies[i], good->leaf, D);
        memcpy(copies[i] + D, good->path, D * good->nodes);
        copies[i][i] ^= (uint8_t)(1 << i % 8);
        altered[i] = (pleach_proof){good->index, copies[i], copies[i] + D, good->nodes};
    }
    assert_int_equal(pleach_merkle_verify_many(NULL, good->scheme, good->count, good->root, altered, bytes, statuses),
                     PLEACH_EPROOFROOT);
    for (size_t i = 0; i < bytes; i++)
        assert_int_equal(statuses[i], PLEACH_EPROOFROOT);
    struct proof bad = *good;
    for (size_t i = good->index % D; i < D; i += good->index < 2 ? 1 : D) {
        bad.root[i] ^= (uint8_t)(1 << i % 8);
        assert_int_equal(verify(&bad), PLEACH_EPROOFROOT);
        bad.root[i] = good->root[i];
    }
}

/* One byte of each node changed, one proof a call. */
static void alter_nodes_singly(const struct proof *good)
{
    struct proof bad = *good;
    for (size_t i = 0; i < good->nodes; i++) {
        const size_t at = D * i + (good->index + i) % D;
        bad.path[at] ^= 0x80;
        assert_int_equal(verify(&bad), PLEACH_EPROOFROOT);
        bad.path[at] = good->path[at];
    }
    bad.leaf[good->index % D] ^= 1;
    assert_int_equal(verify(&bad), PLEACH_EPROOFROOT);
}

/* The node that a proof reaches after some steps. */
static void reach(const struct proof *proof, size_t steps, uint8_t *node)
{
    uint64_t position = proof->index;
    size_t at = 0;
    memcpy(node, proof->leaf, D);
    for (unsigned l = 0; at < steps; l++, position >>= 1) {
        const uint8_t *sibling = proof->path + D * at;
        if (proof->scheme->lone == PLEACH_LONE_PROMOTED && (position ^ 1) >= pleach__level_size(proof->count, l))
            continue;
        naive_node(proof->scheme, position % 2 == 0 ? node : sibling, position % 2 == 0 ? sibling : node, node);
        at++;
    }
}

/* Each sibling replaced by the node itself. */
static void repeat_nodes(const struct proof *good)
{
    bool made[PLEACH_PATH_MAX] = {false};
    find_made(good, made);
    for (size_t i = 0; i < good->nodes; i++) {
        struct proof bad = *good;
        reach(good, i, bad.path + D * i);
        pleach_status expected = PLEACH_EPROOFROOT;
        if (good->scheme->lone == PLEACH_LONE_DUPLICATED)
            expected = made[i] ? PLEACH_OK : PLEACH_EPROOFMUTATED;
        assert_int_equal(verify(&bad), expected);
    }
}

/* Another index of the same tree, or another number of leaves. */
static pleach_status expected_elsewhere(const struct proof *good, uint64_t index, uint64_t count)
{
    uint8_t sides[PLEACH_PATH_MAX], others[PLEACH_PATH_MAX];
    bool made[PLEACH_PATH_MAX] = {false}, others_made[PLEACH_PATH_MAX] = {false};
    size_t length = 0, other = 0;
    if (!is_accepted(good->scheme, count))
        return good->scheme->depth > 0 ? PLEACH_ERANGE : PLEACH_EINVAL;
    assert_int_equal(pleach_merkle_path_length(good->scheme, index, count, &other), PLEACH_OK);
    if (other != good->nodes)
        return PLEACH_EPROOFLENGTH;
    const struct proof there = {.scheme = good->scheme, .index = index, .count = count, .nodes = other};
    find_made(good, made);
    find_made(&there, others_made);
    if (good->scheme->lone == PLEACH_LONE_PROMOTED) {
        length = naive_sides(good->count, good->index, sides);
        (void)naive_sides(count, index, others);
        return memcmp(sides, others, length) == 0 ? PLEACH_OK : PLEACH_EPROOFROOT;
    }
    /* Where the sides are the same, what is made there must be what is given here: the other way round nobody can see
       it, unless a real pair may not be equal. */
    for (size_t i = 0; i < other; i++) {
        if (made[i] && !others_made[i] && good->scheme->lone == PLEACH_LONE_DUPLICATED)
            return PLEACH_EPROOFMUTATED;
        if ((index >> i & 1) != (good->index >> i & 1) || (others_made[i] && !made[i]))
            return PLEACH_EPROOFROOT;
    }
    return PLEACH_OK;
}

/* Refused unless they have the very same steps, which is why both must be trusted. */
static void alter_place(const struct proof *good)
{
    for (uint64_t count = good->count > 20 ? good->count - 2 : 1; count <= good->count + 3; count++) {
        pleach_proof proofs[MOST + 3];
        pleach_status statuses[MOST + 3];
        const bool accepted = is_accepted(good->scheme, count);
        for (uint64_t index = 0; index < count; index++)
            proofs[index] = (pleach_proof){index, good->leaf, good->path, good->nodes};
        (void)pleach_merkle_verify_many(NULL, good->scheme, count, good->root, proofs, (size_t)count, statuses);
        for (uint64_t index = 0; index < count; index++) {
            const pleach_status expected = expected_elsewhere(good, index, count);
            if (accepted)
                assert_int_equal(statuses[index], expected);
            if (!accepted || index % 16 == good->index % 16)
                assert_int_equal(verify_as(good, index, count), expected);
        }
        assert_int_equal(verify_as(good, count, count), PLEACH_EPROOFINDEX);
        assert_int_equal(verify_as(good, UINT64_MAX, count), PLEACH_EPROOFINDEX);
    }
    assert_int_equal(verify_as(good, good->index, 0), PLEACH_EPROOFINDEX);
}

/* Whether every alteration is tried: of the presets always; other schemes differ from those in what is hashed, and
   deep ones in padding alone. */
static bool is_small(const struct proof *proof)
{
    return (pleach_scheme_find(proof->scheme->name) && !quick()) || proof->count <= (proof->scheme->depth > 0 ? 9 : 20);
}

static void check_proof(const pleach_tree *tree, const struct naive_tree *naive, size_t index)
{
    const struct proof expected = expected_proof(naive, index);
    struct proof good = expected;
    size_t length = 99;
    assert_int_equal(pleach_merkle_path_length(good.scheme, index, good.count, &length), PLEACH_OK);
    assert_int_equal(length, expected.nodes);
    memset(good.path, 0xab, sizeof good.path);
    assert_int_equal(pleach_tree_prove(tree, index, good.path, length, &good.nodes), PLEACH_OK);
    assert_int_equal(good.nodes, expected.nodes);
    assert_memory_equal(good.path, expected.path, D * expected.nodes);
    assert_int_equal(good.path[D * good.nodes], 0xab);
    assert_int_equal(pleach_tree_root(tree, good.root), PLEACH_OK);
    assert_memory_equal(good.root, expected.root, D);
    assert_int_equal(verify(&good), PLEACH_OK);
    const bool all = is_small(&good) || good.count == 33 || (good.count == MOST && !quick());
    if (all)
        alter_bytes(&good);
    if (all || index % 8 == 1) {
        alter_nodes_singly(&good);
        alter_nodes(&(struct altered){good.path, &good.nodes, verify, &good});
        repeat_nodes(&good);
    }
    if (all ? index % 8 == good.count % 8 : index == 0)
        alter_place(&good);
}

/* All of them at once are the same. */
static void check_proofs_together(const pleach_tree *tree, const struct naive_tree *naive)
{
    static uint8_t paths[MOST * (PATH + 8)];
    uint64_t index[MOST];
    size_t nodes[MOST];
    const size_t stride = D * (naive->levels - 1) + 8;
    for (size_t i = 0; i < naive->count; i++)
        index[i] = i * 37 % naive->count; /* some again, where 37 divides it */
    memset(paths, 0xab, sizeof paths);
    assert_int_equal(pleach_tree_prove_many(tree, index, naive->count, paths, stride, nodes), PLEACH_OK);
    for (size_t i = 0; i < naive->count; i++) {
        const struct proof expected = expected_proof(naive, (size_t)index[i]);
        assert_int_equal(nodes[i], expected.nodes);
        assert_memory_equal(paths + stride * i, expected.path, D * expected.nodes);
        assert_int_equal(paths[stride * i + D * expected.nodes], 0xab);
    }
}

static void every_proof(void **state)
{
    static struct naive_tree naive;
    (void)state;
    for (size_t s = 0; s < scheme_count(); s++) {
        const size_t size = leaf_size_of(every_scheme[s], LEAF);
        pleach_tree *tree = NULL;
        assert_int_equal(pleach_tree_create(&tree, NULL, every_scheme[s]), PLEACH_OK);
        plant(&naive, every_scheme[s]);
        for (size_t count = 1; count <= MOST; count += quick() && count > 8 ? 31 : 1) {
            const pleach_leaves leaves = {.data = data, .size = size, .stride = size, .count = count};
            if (!is_accepted(every_scheme[s], count))
                continue;
            assert_int_equal(pleach_tree_build(tree, &leaves, NULL), PLEACH_OK);
            grow(&naive, count);
            for (size_t index = 0; index < count; index++)
                check_proof(tree, &naive, index);
            check_proofs_together(tree, &naive);
        }
        pleach_tree_destroy(tree);
    }
}

/* The oracle above against the recursive definition. */
static void naive_paths_agree(void **state)
{
    static struct naive_tree naive;
    (void)state;
    for (size_t s = 0; s < scheme_count(); s++) {
        plant(&naive, every_scheme[s]);
        for (size_t count = 1; count <= 9; count++) {
            if (!is_accepted(every_scheme[s], count))
                continue;
            grow(&naive, count);
            for (size_t index = 0; index<count; index += every_scheme[s]->depth> 20 ? 4 : 1) {
                uint8_t path[PATH], sides[PLEACH_PATH_MAX];
                const struct proof proof = expected_proof(&naive, index);
                assert_int_equal(naive_path(every_scheme[s], naive.leaf, count, index, path, sides), proof.nodes);
                assert_memory_equal(path, proof.path, D * proof.nodes);
            }
        }
    }
}

/* A proof of a tree far too large to be there: what its path gives is anything, but for what the scheme makes. */
static struct proof imagine(const pleach_scheme *scheme, uint64_t index, uint64_t count, uint64_t *seed)
{
    struct proof proof = {.scheme = scheme, .index = index, .count = count};
    bool made[PLEACH_PATH_MAX] = {false};
    uint8_t zero[D] = {0};
    assert_int_equal(pleach_merkle_path_length(scheme, index, count, &proof.nodes), PLEACH_OK);
    for (size_t i = 0; i < D * proof.nodes; i++)
        proof.path[i] = (uint8_t)random_below(seed, 256);
    memcpy(proof.leaf, data, D);
    find_made(&proof, made);
    for (size_t i = 0; i < proof.nodes; i++) {
        if (made[i] && scheme->lone == PLEACH_LONE_DUPLICATED)
            reach(&proof, i, proof.path + D * i);
        else if (made[i])
            memcpy(proof.path + D * i, zero, D);
        naive_node(scheme, zero, zero, zero);
    }
    reach(&proof, proof.nodes, proof.root);
    return proof;
}

/* Indices and counts of up to 64 bits. */
static void large_trees(void **state)
{
    uint64_t seed = 9;
    (void)state;
    for (size_t trial = 0; trial < (quick() ? 40 : 400); trial++) {
        const pleach_scheme *scheme = every_scheme[trial % scheme_count()];
        const unsigned height = scheme->depth > 0 ? scheme->depth : 8 + (unsigned)random_below(&seed, 56);
        uint64_t count = ((uint64_t)1 << height) - random_below(&seed, (uint64_t)1 << (height - 1));
        if (scheme->lone == PLEACH_LONE_REFUSED)
            count = (uint64_t)1 << height;
        else if (trial % 7 == 0 && scheme->depth == 0)
            count = UINT64_MAX - random_below(&seed, 1000);
        const uint64_t index = trial % 3 == 0 ? count - 1 - random_below(&seed, 3) : random_below(&seed, count);
        const struct proof proof = imagine(scheme, index, count, &seed);
        assert_int_equal(verify(&proof), PLEACH_OK);
        for (unsigned bit = 0; bit < 64; bit += quick() ? 9 : 1) {
            const uint64_t other = index ^ (uint64_t)1 << bit, more = count ^ (uint64_t)1 << bit;
            if (other < count)
                assert_int_equal(verify_as(&proof, other, count), expected_elsewhere(&proof, other, count));
            if (index < more)
                assert_int_equal(verify_as(&proof, index, more), expected_elsewhere(&proof, index, more));
        }
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
        size_t expected = 0, all = 0, nodes = 0;
        for (uint64_t i = index, last = count - 1; last > 0; i >>= 1, last >>= 1, all++)
            expected += (i ^ 1) <= last;
        assert_int_equal(pleach_merkle_path_length(PLEACH_SCHEME_RFC6962, index, count, &nodes), PLEACH_OK);
        assert_int_equal(nodes, expected);
        assert_true(nodes <= PLEACH_PATH_MAX && pleach__levels(count) >= nodes);
        assert_int_equal(pleach_merkle_path_length(PLEACH_SCHEME_BITCOIN, index, count, &nodes), PLEACH_OK);
        assert_int_equal(nodes, all);
        pleach_scheme deep = *PLEACH_SCHEME_SSZ;
        deep.depth = 63;
        if (count > (uint64_t)1 << 63) {
            assert_int_equal(pleach_merkle_path_length(&deep, index, count, &nodes), PLEACH_ERANGE);
            continue;
        }
        assert_int_equal(pleach_merkle_path_length(&deep, index, count, &nodes), PLEACH_OK);
        assert_int_equal(nodes, 63);
    }
}

/* --- known answers --- */

static uint8_t known_leaf[8][D], known_root[9][D];

static void take_leaf(char **token, size_t count)
{
    uint8_t leaf[64];
    size_t size = from_hex(token[2], leaf, sizeof leaf), index = strtoul(token[1], NULL, 10);
    assert_true(count == 3 && index < 8);
    assert_int_equal(pleach_merkle_leaf(PLEACH_SCHEME_RFC6962, leaf, size, 0, known_leaf[index]), PLEACH_OK);
}

static void take_root(char **token, size_t count)
{
    size_t leaves = strtoul(token[1], NULL, 10);
    assert_true(count == 3 && leaves < 9);
    assert_int_equal(from_hex(token[2], known_root[leaves], D), D);
}

static void check_known(char **token, size_t count)
{
    struct proof proof = {.scheme = PLEACH_SCHEME_RFC6962, .index = strtoul(token[1], NULL, 10)};
    proof.count = strtoul(token[2], NULL, 10);
    assert_true(proof.count <= 8 && proof.index < proof.count);
    for (size_t i = 3; i < count; i++)
        proof.nodes += from_hex(token[i], proof.path + D * proof.nodes, D) / D;
    memcpy(proof.leaf, known_leaf[proof.index], D);
    memcpy(proof.root, known_root[proof.count], D);
    assert_int_equal(verify(&proof), PLEACH_OK);
    alter_bytes(&proof);
    alter_nodes(&(struct altered){proof.path, &proof.nodes, verify, &proof});
    alter_place(&proof);
}

static void known_proofs(void **state)
{
    static const struct line_kind kinds[] = {
        {"rfc6962.leaf", take_leaf, 8}, {"rfc6962.root", take_root, 9}, {"rfc6962.incl", check_known, 36}};
    (void)state;
    check_lines("sha256-merkle.txt", kinds, sizeof kinds / sizeof kinds[0]);
}

static int fill_data(void **state)
{
    (void)state;
    fill_stream(data, sizeof data);
    return 0;
}

int test_proofs(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_proof), cmocka_unit_test(naive_paths_agree),
                                       cmocka_unit_test(large_trees), cmocka_unit_test(path_lengths),
                                       cmocka_unit_test(known_proofs)};
    return cmocka_run_group_tests_name("proofs", tests, fill_data, NULL);
}
