#include "merkle/proof.h"

#include "config/error.h"
#include "merkle/climb.h"
#include "merkle/path.h"

pleach_status pleach_merkle_path_length(const pleach_scheme *scheme, uint64_t index, uint64_t count, size_t *nodes)
{
    if (!nodes)
        return pleach__fail(PLEACH_EINVAL, "nodes = NULL");
    pleach_status status = pleach__check_place(scheme, index, count);
    if (status == PLEACH_OK)
        *nodes = pleach__path_length(scheme->lone, pleach__scheme_levels(scheme, count), index, count);
    return status;
}

static size_t length_in(const pleach_tree *tree, uint64_t index)
{
    return pleach__path_length(pleach_tree_scheme(tree)->lone, pleach_tree_levels(tree), index, pleach_tree_size(tree));
}

static pleach_status check_leaf(const pleach_tree *tree, uint64_t index)
{
    if (index >= pleach_tree_size(tree))
        return pleach__fail(PLEACH_EPROOFINDEX, "index = %llu: the tree has %zu leaves", (unsigned long long)index,
                            pleach_tree_size(tree));
    return PLEACH_OK;
}

/* The zero subtrees of a tree that pads with them. */
static pleach_status find_zeros(const pleach_tree *tree, pleach__hashing *zeros)
{
    const pleach_scheme *scheme = pleach_tree_scheme(tree);
    return scheme->lone == PLEACH_LONE_ZERO_PADDED ? pleach__scheme_nodes(scheme, zeros) : PLEACH_OK;
}

pleach_status pleach_tree_prove(const pleach_tree *tree, uint64_t index, uint8_t *path, size_t capacity, size_t *nodes)
{
    if (!tree || !nodes || (!path && capacity > 0))
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", !tree ? "tree" : !nodes ? "nodes" : "path");
    pleach__hashing zeros;
    pleach_status status = check_leaf(tree, index);
    if (status == PLEACH_OK)
        status = pleach__check_capacity(capacity, length_in(tree, index));
    if (status == PLEACH_OK)
        status = find_zeros(tree, &zeros);
    if (status != PLEACH_OK)
        return status;
    (void)pleach__copy_siblings(tree, &zeros, 0, index, path);
    *nodes = length_in(tree, index);
    return PLEACH_OK;
}

static pleach_status check_room(const pleach_tree *tree, const uint64_t *index, size_t n, const uint8_t *paths,
                                size_t stride)
{
    if (n > 1 && stride > (size_t)(UINTPTR_MAX - (uintptr_t)paths) / n)
        return pleach__fail(PLEACH_ERANGE, "n = %zu, stride = %zu: the paths would not fit the address space", n,
                            stride);
    for (size_t i = 0; i < n; i++) {
        pleach_status status = check_leaf(tree, index[i]);
        if (status != PLEACH_OK)
            return pleach__fail(status, "index[%zu]: %s", i, pleach_last_error());
        if (length_in(tree, index[i]) > stride / PLEACH_DIGEST_SIZE)
            return pleach__fail(PLEACH_ERANGE, "stride = %zu: path %zu has %zu nodes of %d bytes", stride, i,
                                length_in(tree, index[i]), PLEACH_DIGEST_SIZE);
    }
    return PLEACH_OK;
}

pleach_status pleach_tree_prove_many(const pleach_tree *tree, const uint64_t *index, size_t n, uint8_t *paths,
                                     size_t stride, size_t *nodes)
{
    if (!tree || (n > 0 && (!index || !paths || !nodes)))
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", !tree ? "tree" : !index ? "index" : !paths ? "paths" : "nodes");
    pleach__hashing zeros;
    pleach_status status = check_room(tree, index, n, paths, stride);
    if (status == PLEACH_OK)
        status = find_zeros(tree, &zeros);
    if (status != PLEACH_OK)
        return status;
    for (size_t i = 0; i < n; i++) {
        (void)pleach__copy_siblings(tree, &zeros, 0, index[i], paths + i * stride);
        nodes[i] = length_in(tree, index[i]);
    }
    return PLEACH_OK;
}

static pleach_status explain(pleach_status status, uint64_t index, uint64_t count)
{
    return pleach__fail(status, "the proof of index %llu of %llu leaves %s", (unsigned long long)index,
                        (unsigned long long)count,
                        status == PLEACH_EPROOFMUTATED ? "gives a node as its own sibling" : "leads to another root");
}

pleach_status pleach_merkle_verify(const pleach_scheme *scheme, uint64_t index, uint64_t count,
                                   const uint8_t *leaf_hash, const uint8_t *path, size_t nodes, const uint8_t *root)
{
    if (!leaf_hash || !root || (!path && nodes > 0))
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", !leaf_hash ? "leaf_hash" : !root ? "root" : "path");
    pleach__hashing hashing;
    const pleach__backend *backend = NULL;
    pleach_status status = pleach__check_place(scheme, index, count);
    if (status != PLEACH_OK)
        return status;
    const unsigned levels = pleach__scheme_levels(scheme, count);
    status = pleach__check_nodes(nodes, pleach__path_length(scheme->lone, levels, index, count));
    if (status == PLEACH_OK)
        status = pleach__scheme_nodes(scheme, &hashing);
    if (status == PLEACH_OK)
        status = pleach__backend_of(NULL, scheme->family, &backend);
    if (status != PLEACH_OK)
        return status;
    const pleach__climb climb = {.hashing = &hashing, .levels = levels, .count = count, .root = root};
    const pleach_proof proof = {.index = index, .leaf_hash = leaf_hash, .path = path, .nodes = nodes};
    pleach__climb_all(&climb, backend, &proof, NULL, 1, &status);
    return status == PLEACH_OK ? status : explain(status, index, count);
}
