#include "config/error.h"
#include "merkle/path.h"
#include "merkle/proof.h"

#include <string.h>

pleach_status pleach_merkle_consistency_length(const pleach_scheme *scheme, uint64_t older, uint64_t newer,
                                               size_t *nodes)
{
    if (!nodes)
        return pleach__fail(PLEACH_EINVAL, "nodes = NULL");
    pleach_status status = pleach__check_ages(scheme, older, newer);
    if (status == PLEACH_OK)
        *nodes = pleach__consistency_length(older, newer);
    return status;
}

pleach_status pleach_tree_prove_consistency(const pleach_tree *tree, uint64_t older, uint8_t *path, size_t capacity,
                                            size_t *nodes)
{
    if (!tree || !nodes || (!path && capacity > 0))
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", !tree ? "tree" : !nodes ? "nodes" : "path");
    const uint64_t newer = pleach_tree_size(tree);
    pleach_status status = pleach__check_ages(pleach_tree_scheme(tree), older, newer);
    if (status == PLEACH_OK)
        status = pleach__check_capacity(capacity, pleach__consistency_length(older, newer));
    if (status != PLEACH_OK)
        return status;
    *nodes = pleach__consistency_length(older, newer);
    if (older == newer)
        return PLEACH_OK;
    const unsigned level = (unsigned)__builtin_ctzll(older);
    const uint64_t position = (older - 1) >> level;
    if (position > 0) {
        memcpy(path, pleach_tree_nodes(tree, level, (size_t)position, NULL), PLEACH_DIGEST_SIZE);
        path += PLEACH_DIGEST_SIZE;
    }
    (void)pleach__copy_siblings(tree, NULL, level, position, path);
    return PLEACH_OK;
}

static pleach_status expect_root(const uint8_t *found, const uint8_t *root, const char *tree, uint64_t count)
{
    if (memcmp(found, root, PLEACH_DIGEST_SIZE) != 0)
        return pleach__fail(PLEACH_EPROOFROOT, "the proof leads to another root of the %s tree, of %llu leaves", tree,
                            (unsigned long long)count);
    return PLEACH_OK;
}

/*
 * From the subtree that both trees share, up to either root: left siblings are in both trees, right ones in the newer
 * one only.
 */
static pleach_status climb_both(const pleach__hashing *hashing, const pleach__backend *backend, uint64_t older,
                                uint64_t newer, const uint8_t *path, const uint8_t *older_root,
                                const uint8_t *newer_root)
{
    const unsigned first = (unsigned)__builtin_ctzll(older);
    uint8_t older_node[PLEACH_DIGEST_SIZE], newer_node[PLEACH_DIGEST_SIZE];
    uint64_t position = (older - 1) >> first, last = (newer - 1) >> first;
    memcpy(older_node, position > 0 ? path : older_root, sizeof older_node);
    memcpy(newer_node, older_node, sizeof newer_node);
    if (position > 0)
        path += PLEACH_DIGEST_SIZE;
    for (; last > 0; position /= 2, last /= 2) {
        if (position % 2 != 0) {
            pleach__hash_pair(hashing, backend, path, older_node, older_node);
            pleach__hash_pair(hashing, backend, path, newer_node, newer_node);
        } else if (position < last) {
            pleach__hash_pair(hashing, backend, newer_node, path, newer_node);
        } else {
            continue;
        }
        path += PLEACH_DIGEST_SIZE;
    }
    pleach_status status = expect_root(older_node, older_root, "older", older);
    return status == PLEACH_OK ? expect_root(newer_node, newer_root, "newer", newer) : status;
}

pleach_status pleach_merkle_verify_consistency(const pleach_scheme *scheme, uint64_t older, uint64_t newer,
                                               const uint8_t *path, size_t nodes, const uint8_t *older_root,
                                               const uint8_t *newer_root)
{
    if (!older_root || !newer_root || (!path && nodes > 0))
        return pleach__fail(PLEACH_EINVAL, "%s = NULL",
                            !older_root   ? "older_root"
                            : !newer_root ? "newer_root"
                                          : "path");
    pleach__hashing hashing;
    const pleach__backend *backend = NULL;
    pleach_status status = pleach__check_ages(scheme, older, newer);
    if (status == PLEACH_OK)
        status = pleach__check_nodes(nodes, pleach__consistency_length(older, newer));
    if (status != PLEACH_OK || older == newer)
        return status == PLEACH_OK ? expect_root(older_root, newer_root, "newer", newer) : status;
    status = pleach__scheme_nodes(scheme, &hashing);
    if (status == PLEACH_OK)
        status = pleach__backend_of(NULL, scheme->family, &backend);
    return status == PLEACH_OK ? climb_both(&hashing, backend, older, newer, path, older_root, newer_root) : status;
}
