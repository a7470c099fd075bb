/* Proofs by generalized index: of every node of small trees, of sets of nodes, and as deep as indices reach. */
#include "ssz_test.h"

#include "merkle/ssz.h"

#include <string.h>

enum { D = PLEACH_DIGEST_SIZE, CHUNKS = 64, MANY = 64 };

static uint8_t data[CHUNKS * D];

static pleach_tree *open_tree(pleach_pool *pool, unsigned depth, const uint8_t *chunks, size_t count)
{
    pleach_scheme scheme = pleach_scheme_ssz;
    pleach_tree *tree = NULL;
    scheme.depth = depth;
    assert_int_equal(pleach_tree_create(&tree, pool, &scheme), PLEACH_OK);
    const pleach_leaves leaves = {.data = chunks, .size = D, .stride = D, .count = count};
    assert_int_equal(pleach_tree_build(tree, &leaves, NULL), PLEACH_OK);
    return tree;
}

/* A tree over the first chunks of `data`, perhaps with a length mixed in, and what its nodes are. */
struct subject {
    pleach_tree *tree;
    const uint64_t *length;
    unsigned depth; /* of the chunks below their root */
    size_t count;
};

/* Levels below the root. */
static unsigned depth_of(uint64_t index)
{
    unsigned depth = 0;
    while (index >> depth > 1)
        depth++;
    return depth;
}

static bool has_node(const struct subject *subject, uint64_t index)
{
    const unsigned depth = depth_of(index);
    if (!subject->length)
        return index > 0 && depth <= subject->depth;
    return index > 0 && depth <= subject->depth + 1 && (depth < 2 || index >> (depth - 1) == 2);
}

static void node_of(const struct subject *subject, uint64_t index, uint8_t *node)
{
    unsigned depth = depth_of(index);
    uint8_t left[D], right[D];
    if (!subject->length) {
        node_of_level(data, subject->count, subject->depth - depth, index ^ (uint64_t)1 << depth, node);
        return;
    }
    chunk_of(*subject->length, right);
    if (index == 3) {
        memcpy(node, right, D);
    } else if (depth > 0) {
        depth--;
        node_of_level(data, subject->count, subject->depth - depth, index ^ (uint64_t)2 << depth, node);
    } else {
        node_of_level(data, subject->count, subject->depth, 0, left);
        naive_node(PLEACH_SCHEME_SSZ, left, right, node);
    }
}

/* Everything that is not this proof is refused. */
static void assert_alone(uint64_t index, const uint8_t *node, const uint8_t *path, size_t nodes, const uint8_t *root)
{
    uint8_t bad[(PLEACH_SSZ_PATH_MAX + 1) * D], other[D];
    memcpy(bad, path, D * nodes);
    for (size_t i = 0; i < D * nodes; i++) {
        bad[i] ^= (uint8_t)(1U << i % 8);
        assert_int_equal(pleach_ssz_verify(index, node, bad, nodes, root), PLEACH_EPROOFROOT);
        bad[i] = path[i];
    }
    for (size_t i = 0; i < D; i++) {
        memcpy(other, node, D);
        other[i] ^= 0x80;
        assert_int_equal(pleach_ssz_verify(index, other, path, nodes, root), PLEACH_EPROOFROOT);
        memcpy(other, root, D);
        other[i] ^= 1;
        assert_int_equal(pleach_ssz_verify(index, node, path, nodes, other), PLEACH_EPROOFROOT);
    }
    for (size_t i = 1; i < nodes; i++) {
        memcpy(bad, path, D * nodes);
        memcpy(bad + D * i, path + D * (i - 1), D);
        memcpy(bad + D * (i - 1), path + D * i, D);
        const bool same = memcmp(path + D * i, path + D * (i - 1), D) == 0;
        assert_int_equal(pleach_ssz_verify(index, node, bad, nodes, root), same ? PLEACH_OK : PLEACH_EPROOFROOT);
    }
    memcpy(bad, path, D * nodes);
    memcpy(bad + D * nodes, root, D);
    assert_int_equal(pleach_ssz_verify(index, node, bad, nodes + 1, root), PLEACH_EPROOFLENGTH);
    if (nodes > 0)
        assert_int_equal(pleach_ssz_verify(index, node, bad, nodes - 1, root), PLEACH_EPROOFLENGTH);
}

static void check_node(const struct subject *subject, uint64_t index, bool thoroughly)
{
    uint8_t path[PLEACH_SSZ_PATH_MAX * D], node[D], expected[D], root[D];
    size_t nodes = 0;
    node_of(subject, 1, root);
    assert_int_equal(pleach_ssz_prove(subject->tree, subject->length, index, node, path, PLEACH_SSZ_PATH_MAX, &nodes),
                     PLEACH_OK);
    assert_int_equal(nodes, depth_of(index));
    node_of(subject, index, expected);
    assert_memory_equal(node, expected, D);
    for (size_t i = 0; i < nodes; i++) {
        node_of(subject, index >> i ^ 1, expected);
        assert_memory_equal(path + D * i, expected, D);
    }
    assert_int_equal(pleach_ssz_verify(index, node, path, nodes, root), PLEACH_OK);
    if (thoroughly)
        assert_alone(index, node, path, nodes, root);
    /* At another index it holds only where that is another node's too. */
    for (size_t i = 0; i < nodes; i++) {
        const uint64_t wrong = index ^ (uint64_t)1 << i;
        uint8_t at_path[D], at_wrong[D];
        node_of(subject, index >> i, at_path);
        node_of(subject, index >> i ^ 1, at_wrong);
        const bool same = memcmp(at_path, at_wrong, D) == 0;
        assert_int_equal(pleach_ssz_verify(wrong, node, path, nodes, root), same ? PLEACH_OK : PLEACH_EPROOFROOT);
    }
}

static void every_node(void **state)
{
    static const uint64_t length = 12345;
    (void)state;
    for (size_t count = 0; count <= 17; count++) {
        for (unsigned extra = 0; extra <= 2; extra++) {
            const unsigned least = naive_height(PLEACH_SCHEME_SSZ, count), depth = extra == 0 ? 0 : least + extra - 1;
            for (int is_list = 0; is_list <= 1; is_list++) {
                struct subject subject = {.tree = open_tree(trials[count % trial_count].pool, depth, data, count),
                                          .length = is_list ? &length : NULL,
                                          .depth = depth > 0 ? depth : least,
                                          .count = count};
                uint8_t path[16 * D];
                size_t nodes = 77;
                for (uint64_t index = 0; index < (uint64_t)8 << subject.depth; index++) {
                    if (has_node(&subject, index))
                        check_node(&subject, index, count % 4 == 3);
                    else
                        assert_int_equal(pleach_ssz_prove(subject.tree, subject.length, index, NULL, path, 16, &nodes),
                                         PLEACH_EPROOFINDEX);
                }
                assert_int_equal(nodes, 77);
                pleach_tree_destroy(subject.tree);
            }
        }
    }
}

/* As deep as indices reach. */
static void deep_trees(void **state)
{
    static const uint64_t length = UINT64_MAX;
    (void)state;
    for (unsigned depth = quick() ? 63 : 61; depth <= 63; depth++) {
        for (int is_list = 0; is_list <= 1; is_list++) {
            struct subject subject = {.tree = open_tree(NULL, depth, data, 21),
                                      .length = is_list ? &length : NULL,
                                      .depth = depth,
                                      .count = 21};
            for (unsigned level = 0; level <= depth; level++) {
                if (depth - level + (unsigned)is_list > 63)
                    continue;
                const uint64_t first = (uint64_t)(is_list ? 2 : 1) << (depth - level);
                const uint64_t last = first + (((uint64_t)1 << (depth - level)) - 1);
                check_node(&subject, first, level == 0);
                check_node(&subject, last, false);
                if ((uint64_t)20 >> level > 0)
                    check_node(&subject, first + ((uint64_t)20 >> level), false);
            }
            if (is_list)
                check_node(&subject, 3, true);
            pleach_tree_destroy(subject.tree);
        }
    }
}

/* A chunk of zeros is a value like any other; so is one that is not there. */
static void zeros_are_values(void **state)
{
    uint8_t chunks[4 * D], path[3 * D], node[D], root[D];
    size_t nodes;
    (void)state;
    memcpy(chunks, data, sizeof chunks);
    memset(chunks + D, 0, D);
    pleach_tree *tree = open_tree(NULL, 3, chunks, 4);
    assert_int_equal(pleach_tree_root(tree, root), PLEACH_OK);
    assert_int_equal(pleach_ssz_prove(tree, NULL, 8 + 1, node, path, 3, &nodes), PLEACH_OK);
    assert_memory_equal(node, zero_root[0], D);
    assert_int_equal(pleach_ssz_verify(8 + 1, zero_root[0], path, nodes, root), PLEACH_OK);
    assert_int_equal(pleach_ssz_verify(8 + 1, chunks, path, nodes, root), PLEACH_EPROOFROOT);
    assert_int_equal(pleach_ssz_prove(tree, NULL, 8 + 6, node, path, 3, &nodes), PLEACH_OK);
    assert_memory_equal(node, zero_root[0], D);
    assert_int_equal(pleach_ssz_verify(8 + 6, zero_root[0], path, nodes, root), PLEACH_OK);
    assert_int_equal(pleach_ssz_prove(tree, NULL, 3, node, path, 3, &nodes), PLEACH_OK);
    assert_memory_equal(node, zero_root[2], D);
    pleach_tree_destroy(tree);
}

/* The proof of a node of an inner tree is one in the outer tree. */
static void nested_trees(void **state)
{
    static const uint64_t length = 5;
    uint8_t fields[4 * D], root[D], node[D], path[8 * D];
    size_t inner = 0, outer = 0;
    uint64_t index = 0;
    (void)state;
    memcpy(fields, data, sizeof fields);
    pleach_tree *list = open_tree(NULL, 4, data, 5);
    assert_int_equal(pleach_tree_root(list, root), PLEACH_OK);
    assert_int_equal(pleach_ssz_mix_in_length(root, length, fields + 2 * (size_t)D), PLEACH_OK);
    pleach_tree *container = open_tree(NULL, 2, fields, 4);
    assert_int_equal(pleach_tree_root(container, root), PLEACH_OK);
    for (uint64_t chunk = 0; chunk < 5; chunk++) {
        assert_int_equal(pleach_ssz_prove(list, &length, 32 + chunk, node, path, 8, &inner), PLEACH_OK);
        assert_memory_equal(node, data + D * chunk, D);
        assert_int_equal(pleach_ssz_prove(container, NULL, 6, NULL, path + D * inner, 8 - inner, &outer), PLEACH_OK);
        assert_int_equal(pleach_ssz_concat(6, 32 + chunk, &index), PLEACH_OK);
        assert_int_equal(index, 6 * 32 + chunk);
        assert_int_equal(pleach_ssz_verify(index, node, path, inner + outer, root), PLEACH_OK);
    }
    pleach_tree_destroy(list);
    pleach_tree_destroy(container);
}

/* --- proofs of many nodes --- */

/* By the definition: siblings of nodes on the ways to the root that are not on one of these themselves. */
static size_t helpers_of(const uint64_t *index, size_t count, uint64_t *helpers)
{
    bool on_way[256] = {false}, helps[256] = {false};
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        for (uint64_t k = index[i]; k > 1; k /= 2)
            on_way[k] = helps[k ^ 1] = true;
    for (size_t k = 256; k-- > 2;)
        if (helps[k] && !on_way[k])
            helpers[found++] = k;
    return found;
}

struct many {
    uint64_t index[MANY];
    size_t count, nodes;
    uint8_t found[MANY * D], path[MANY * D], root[D];
};

static pleach_status verify(const struct many *many)
{
    return pleach_ssz_verify_many(many->index, many->found, many->count, many->path, many->nodes, many->root);
}

/* A change of a byte, or another number of nodes. */
static void assert_many_alone(struct many *many, uint64_t *random)
{
    for (size_t i = 0; i < 8; i++) {
        uint8_t *found = &many->found[random_below(random, D * many->count)];
        *found ^= 0x10;
        assert_int_equal(verify(many), PLEACH_EPROOFROOT);
        *found ^= 0x10;
        many->root[i] ^= 1;
        assert_int_equal(verify(many), PLEACH_EPROOFROOT);
        many->root[i] ^= 1;
        if (many->nodes == 0)
            continue;
        uint8_t *path = &many->path[random_below(random, D * many->nodes)];
        *path ^= 0x10;
        assert_int_equal(verify(many), PLEACH_EPROOFROOT);
        *path ^= 0x10;
    }
    many->nodes++;
    assert_int_equal(verify(many), PLEACH_EPROOFUNUSED);
    many->nodes -= 2;
    if (many->nodes + 1 > 0)
        assert_int_equal(verify(many), PLEACH_EPROOFMISSING);
    many->nodes++;
    assert_int_equal(verify(many), PLEACH_OK);
}

static void check_many(const struct subject *subject, struct many *many, uint64_t *random)
{
    uint64_t helpers[256];
    uint8_t expected[D];
    const size_t needed = helpers_of(many->index, many->count, helpers);
    if (needed >= MANY)
        return;
    memset(many->path, 0xab, sizeof many->path);
    many->nodes = 77;
    if (needed > 0)
        assert_int_equal(pleach_ssz_prove_many(subject->tree, subject->length, many->index, many->count, NULL,
                                               many->path, needed - 1, &many->nodes),
                         PLEACH_ERANGE);
    assert_int_equal(many->nodes, 77);
    assert_int_equal(many->path[0], 0xab);
    assert_int_equal(pleach_ssz_prove_many(subject->tree, subject->length, many->index, many->count, many->found,
                                           many->path, needed, &many->nodes),
                     PLEACH_OK);
    assert_int_equal(many->nodes, needed);
    for (size_t i = 0; i < many->count; i++) {
        node_of(subject, many->index[i], expected);
        assert_memory_equal(many->found + D * i, expected, D);
    }
    for (size_t i = 0; i < needed; i++) {
        node_of(subject, helpers[i], expected);
        assert_memory_equal(many->path + D * i, expected, D);
    }
    node_of(subject, 1, many->root);
    assert_int_equal(verify(many), PLEACH_OK);
    assert_many_alone(many, random);
}

/* Any set of nodes, ancestors of each other included. */
static void random_sets(void **state)
{
    static const uint64_t length = 9;
    uint64_t random = 3;
    (void)state;
    for (unsigned depth = 1; depth <= 6; depth++) {
        for (int is_list = 0; is_list <= 1; is_list++) {
            const size_t count = (size_t)1 + (size_t)random_below(&random, (size_t)1 << depth);
            const struct subject subject = {.tree = open_tree(NULL, depth, data, count),
                                            .length = is_list ? &length : NULL,
                                            .depth = depth,
                                            .count = count};
            for (unsigned trial = 0; trial < 200; trial++) {
                struct many many = {.count = 0};
                const uint64_t one_of = 1 + random_below(&random, 12);
                for (uint64_t index = (uint64_t)4 << depth; index-- > 1 && many.count < MANY;)
                    if (has_node(&subject, index) && random_below(&random, one_of) == 0)
                        many.index[many.count++] = index;
                if (many.count > 0)
                    check_many(&subject, &many, &random);
            }
            pleach_tree_destroy(subject.tree);
        }
    }
}

/* A node above another one is checked against it, not taken for it. */
static void ancestors(void **state)
{
    pleach_tree *tree = open_tree(NULL, 3, data, 8);
    struct many many = {.index = {9, 4, 1}, .count = 3};
    uint8_t forged[D];
    (void)state;
    assert_int_equal(pleach_ssz_prove_many(tree, NULL, many.index, 3, many.found, many.path, MANY, &many.nodes),
                     PLEACH_OK);
    assert_int_equal(pleach_tree_root(tree, many.root), PLEACH_OK);
    assert_int_equal(verify(&many), PLEACH_OK);
    memcpy(forged, many.found, D);
    memset(many.found, 0x5a, D);
    assert_int_equal(verify(&many), PLEACH_EPROOFROOT);
    memcpy(many.found, forged, D);
    many.found[2 * D] ^= 1;
    many.root[0] ^= 1;
    assert_int_equal(verify(&many), PLEACH_EPROOFROOT);
    pleach_tree_destroy(tree);
}

/* --- what is refused --- */

/* Verifiers hash pairs by SHA-256 and nothing else. */
static void other_schemes(void **state)
{
    static const uint64_t root[] = {1};
    pleach_scheme schemes[5];
    (void)state;
    for (size_t i = 0; i < 5; i++)
        schemes[i] = pleach_scheme_ssz;
    schemes[0].family = PLEACH_BLAKE3;
    schemes[1].leaf_given = false;
    schemes[2].node_prefix = 1;
    schemes[3].node_twice = true;
    schemes[4].lone = PLEACH_LONE_PROMOTED;
    for (size_t i = 0; i < 5; i++) {
        uint8_t node[D] = {0};
        size_t nodes = 77;
        pleach_tree *tree = NULL;
        assert_int_equal(pleach_tree_create(&tree, NULL, &schemes[i]), PLEACH_OK);
        assert_int_equal(pleach_ssz_prove(tree, NULL, 1, node, NULL, 0, &nodes), PLEACH_EINVAL);
        assert_int_equal(pleach_ssz_prove_many(tree, NULL, root, 1, node, NULL, 0, &nodes), PLEACH_EINVAL);
        assert_int_equal(nodes, 77);
        assert_memory_equal(node, zero_root[0], D);
        pleach_tree_destroy(tree);
    }
}

static void arguments(void **state)
{
    static const uint64_t descending[] = {9, 8}, twice[] = {9, 9}, ascending[] = {8, 9}, none[] = {9, 0},
                          absent[] = {16, 9};
    uint8_t out[D], before[D], path[4 * D];
    size_t nodes = 77;
    pleach_tree *tree = open_tree(NULL, 3, data, 5);
    (void)state;
    memset(out, 0xab, D);
    memset(before, 0xab, D);
    assert_int_equal(pleach_ssz_prove(NULL, NULL, 8, out, path, 4, &nodes), PLEACH_EINVAL);
    assert_int_equal(pleach_ssz_prove(tree, NULL, 8, out, NULL, 4, &nodes), PLEACH_EINVAL);
    assert_int_equal(pleach_ssz_prove(tree, NULL, 8, out, path, 4, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_ssz_prove(tree, NULL, 8, out, path, 2, &nodes), PLEACH_ERANGE);
    assert_non_null(strstr(pleach_last_error(), "3 nodes"));
    assert_int_equal(pleach_ssz_verify(0, data, NULL, 0, data), PLEACH_EPROOFINDEX);
    assert_int_equal(pleach_ssz_verify(1, NULL, NULL, 0, data), PLEACH_EINVAL);
    assert_int_equal(pleach_ssz_verify(1, data, NULL, 0, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_ssz_verify(2, data, NULL, 1, data), PLEACH_EINVAL);
    assert_int_equal(pleach_ssz_verify(1, data, NULL, 0, data), PLEACH_OK);
    assert_int_equal(pleach_ssz_verify(UINT64_MAX, data, path, SIZE_MAX, data), PLEACH_EPROOFLENGTH);
    const uint64_t *const wrong[] = {twice, ascending};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(pleach_ssz_prove_many(tree, NULL, wrong[i], 2, NULL, path, 4, &nodes), PLEACH_EINVAL);
        assert_int_equal(pleach_ssz_verify_many(wrong[i], data, 2, path, 4, data), PLEACH_EINVAL);
    }
    assert_int_equal(pleach_ssz_prove_many(tree, NULL, none, 2, NULL, path, 4, &nodes), PLEACH_EPROOFINDEX);
    assert_int_equal(pleach_ssz_prove_many(tree, NULL, absent, 2, NULL, path, 4, &nodes), PLEACH_EPROOFINDEX);
    assert_int_equal(pleach_ssz_prove_many(tree, NULL, descending, 0, NULL, path, 4, &nodes), PLEACH_EINVAL);
    assert_int_equal(pleach_ssz_prove_many(tree, NULL, NULL, 1, NULL, path, 4, &nodes), PLEACH_EINVAL);
    assert_int_equal(pleach_ssz_prove_many(tree, NULL, descending, 2, NULL, path, 4, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_ssz_prove_many(tree, NULL, descending, 2, NULL, NULL, 4, &nodes), PLEACH_EINVAL);
    assert_int_equal(pleach_ssz_verify_many(none, data, 2, path, 4, data), PLEACH_EPROOFINDEX);
    assert_int_equal(pleach_ssz_verify_many(NULL, data, 1, path, 4, data), PLEACH_EINVAL);
    assert_int_equal(pleach_ssz_verify_many(descending, NULL, 2, path, 4, data), PLEACH_EINVAL);
    assert_int_equal(pleach_ssz_verify_many(descending, data, 0, path, 4, data), PLEACH_EINVAL);
    assert_int_equal(pleach_ssz_verify_many(descending, data, 2, NULL, 4, data), PLEACH_EINVAL);
    assert_int_equal(pleach_ssz_verify_many(descending, data, 2, path, 4, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_ssz_verify_many(descending, data, SIZE_MAX, path, 4, data), PLEACH_ERANGE);
    assert_int_equal(nodes, 77);
    assert_memory_equal(out, before, D);
    pleach_tree_destroy(tree);
}

static int open_proofs(void **state)
{
    fill_stream(data, sizeof data);
    make_zero_roots();
    return open_trials(state);
}

int test_ssz_proofs(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_node),    cmocka_unit_test(deep_trees),  cmocka_unit_test(zeros_are_values),
        cmocka_unit_test(nested_trees),  cmocka_unit_test(random_sets), cmocka_unit_test(ancestors),
        cmocka_unit_test(other_schemes), cmocka_unit_test(arguments),
    };
    return cmocka_run_group_tests_name("proofs by generalized index", tests, open_proofs, close_trials);
}
