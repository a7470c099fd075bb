#include "config/error.h"
#include "merkle/leaves.h"
#include "merkle/shape.h"
#include "pool/memory.h"

#include <string.h>

enum { LEVEL_ALIGNMENT = 64 };

struct pleach_tree {
    pleach_pool *pool;
    pleach_scheme scheme;
    uint8_t *memory; /* of all levels */
    size_t capacity;
    size_t count;
    uint8_t *level[PLEACH__LEVELS_MAX];
};

/* Bytes that a level takes, up to where the next begins; the whole tree's fit since its leaves were accepted. */
static size_t level_span(size_t count, unsigned level)
{
    size_t bytes = PLEACH_DIGEST_SIZE * (size_t)pleach__level_size(count, level);
    return (bytes + LEVEL_ALIGNMENT - 1) / LEVEL_ALIGNMENT * LEVEL_ALIGNMENT;
}

pleach_status pleach_tree_create(pleach_tree **tree, pleach_pool *pool, const pleach_scheme *scheme)
{
    if (!tree)
        return pleach__fail(PLEACH_EINVAL, "tree = NULL");
    pleach__hashing hashing;
    pleach_status status = pleach__scheme_hashing(scheme, 0, 0, &hashing);
    if (status != PLEACH_OK)
        return status;
    pleach_tree *made = pleach__allocate(pool, sizeof *made);
    if (!made)
        return pleach__fail(PLEACH_ENOMEM, "%zu bytes for a tree could not be had", sizeof *made);
    *made = (pleach_tree){.pool = pool, .scheme = *scheme};
    *tree = made;
    return PLEACH_OK;
}

void pleach_tree_destroy(pleach_tree *tree)
{
    if (!tree)
        return;
    pleach__release(tree->pool, tree->memory, tree->capacity);
    pleach__release(tree->pool, tree, sizeof *tree);
}

/* Makes room for a tree of `count` leaves. The old content is lost if that succeeds. */
static pleach_status make_room(pleach_tree *tree, size_t count)
{
    size_t size = 0;
    for (unsigned l = 0; l < pleach__levels(count); l++)
        size += level_span(count, l);
    if (size > tree->capacity) {
        uint8_t *memory = pleach__allocate(tree->pool, size);
        if (!memory)
            return pleach__fail(PLEACH_ENOMEM, "%zu bytes for the nodes of %zu leaves could not be had", size, count);
        pleach__release(tree->pool, tree->memory, tree->capacity);
        tree->memory = memory;
        tree->capacity = size;
    }
    uint8_t *start = tree->memory;
    for (unsigned l = 0; l < pleach__levels(count); l++) {
        tree->level[l] = start;
        start += level_span(count, l);
    }
    tree->count = 0;
    return PLEACH_OK;
}

pleach_status pleach_tree_build(pleach_tree *tree, const pleach_leaves *leaves, pleach_monitor *monitor)
{
    if (!tree)
        return pleach__fail(PLEACH_EINVAL, "tree = NULL");
    pleach__row row;
    pleach_status status = pleach__leaves_accept(&tree->scheme, leaves, &row);
    if (status == PLEACH_OK)
        status = make_room(tree, row.count);
    if (status != PLEACH_OK || row.count == 0)
        return status;
    const pleach__call call = pleach__leaves_call(tree->pool, &row, monitor);
    status = pleach__fold_row(&call, &row, tree->level);
    if (status == PLEACH_OK)
        tree->count = row.count;
    return status;
}

size_t pleach_tree_size(const pleach_tree *tree)
{
    return tree ? tree->count : 0;
}

unsigned pleach_tree_levels(const pleach_tree *tree)
{
    return pleach__levels(pleach_tree_size(tree));
}

const uint8_t *pleach_tree_level(const pleach_tree *tree, unsigned level, size_t *count)
{
    bool exists = level < pleach_tree_levels(tree);
    if (count)
        *count = exists ? (size_t)pleach__level_size(tree->count, level) : 0;
    return exists ? tree->level[level] : NULL;
}

pleach_status pleach_tree_root(const pleach_tree *tree, uint8_t *root)
{
    if (!tree || !root)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", tree ? "root" : "tree");
    if (tree->count > 0) {
        memcpy(root, tree->level[pleach_tree_levels(tree) - 1], PLEACH_DIGEST_SIZE);
        return PLEACH_OK;
    }
    pleach_status status = pleach__scheme_check_count(&tree->scheme, 0);
    return status == PLEACH_OK ? pleach__scheme_empty_root(&tree->scheme, tree->pool, root) : status;
}

pleach_status pleach_tree_prove(const pleach_tree *tree, uint64_t index, uint8_t *path, size_t capacity, size_t *nodes)
{
    if (!tree || !nodes || (!path && capacity > 0))
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", !tree ? "tree" : !nodes ? "nodes" : "path");
    if (index >= tree->count)
        return pleach__fail(PLEACH_EPROOFINDEX, "index = %llu: the tree has %zu leaves", (unsigned long long)index,
                            tree->count);
    size_t length = 0;
    pleach_status status = pleach_merkle_path_length(&tree->scheme, index, tree->count, &length);
    if (status != PLEACH_OK)
        return status;
    if (length > capacity)
        return pleach__fail(PLEACH_ERANGE, "capacity = %zu: the proof has %zu nodes", capacity, length);
    for (unsigned l = 0; l + 1 < pleach_tree_levels(tree); l++) {
        size_t sibling = (size_t)(index >> l) ^ 1;
        if (sibling < pleach__level_size(tree->count, l)) {
            memcpy(path, tree->level[l] + PLEACH_DIGEST_SIZE * sibling, PLEACH_DIGEST_SIZE);
            path += PLEACH_DIGEST_SIZE;
        }
    }
    *nodes = length;
    return PLEACH_OK;
}
