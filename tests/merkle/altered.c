/* Trees to prove things about, and what proofs are altered by. */
#include "merkle_test.h"

#include <string.h>

enum { D = PLEACH_DIGEST_SIZE };

pleach_tree *plant_tree(const pleach_scheme *scheme, const uint8_t *bytes, size_t size, size_t count)
{
    pleach_tree *tree = NULL;
    const pleach_leaves leaves = {.data = bytes, .size = size, .stride = size, .count = count};
    assert_int_equal(pleach_tree_create(&tree, NULL, scheme), PLEACH_OK);
    assert_int_equal(pleach_tree_build(tree, &leaves, NULL), PLEACH_OK);
    return tree;
}

/* Node i of a path of some nodes is dropped, then doubled. */
static void change_number(const struct altered *proof, const uint8_t *path, size_t nodes, size_t i)
{
    *proof->nodes = nodes - 1;
    memmove(proof->path + D * i, path + D * (i + 1), D * (nodes - i - 1));
    assert_int_equal(proof->verify(proof->context), PLEACH_EPROOFLENGTH);
    *proof->nodes = nodes + 1;
    memcpy(proof->path, path, D * nodes);
    memmove(proof->path + D * (i + 1), path + D * i, D * (nodes - i));
    assert_int_equal(proof->verify(proof->context), PLEACH_EPROOFLENGTH);
    *proof->nodes = nodes;
    memcpy(proof->path, path, D * nodes);
}

void alter_nodes(const struct altered *proof)
{
    const size_t nodes = *proof->nodes;
    uint8_t path[D * (PLEACH_CONSISTENCY_MAX + 1)];
    memcpy(path, proof->path, D * nodes);
    *proof->nodes = nodes + 1;
    assert_int_equal(proof->verify(proof->context), PLEACH_EPROOFLENGTH);
    *proof->nodes = nodes;
    for (size_t i = 0; i < nodes; i++)
        change_number(proof, path, nodes, i);
    for (size_t i = 0; i + 1 < nodes; i++) {
        memcpy(proof->path + D * i, path + D * (i + 1), D);
        memcpy(proof->path + D * (i + 1), path + D * i, D);
        assert_int_equal(proof->verify(proof->context), PLEACH_EPROOFROOT);
        memcpy(proof->path, path, D * nodes);
    }
    assert_int_equal(proof->verify(proof->context), PLEACH_OK);
}
