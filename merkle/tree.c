#include "config/error.h"
#include "merkle/leaves.h"
#include "merkle/stored.h"
#include "pool/memory.h"

#include <string.h>

static pleach_status make_tree(pleach_pool *pool, pleach_tree **tree)
{
    pleach_tree *made = pleach__allocate(pool, sizeof *made);
    if (!made)
        return pleach__fail(PLEACH_ENOMEM, "%zu bytes for a tree could not be had", sizeof *made);
    made->pages = (pleach__pages){.pool = pool};
    *tree = made;
    return PLEACH_OK;
}

pleach_status pleach_tree_create(pleach_tree **tree, pleach_pool *pool, const pleach_scheme *scheme)
{
    if (!tree)
        return pleach__fail(PLEACH_EINVAL, "tree = NULL");
    pleach__hashing hashing;
    pleach_tree *made = NULL;
    pleach_status status = pleach__scheme_nodes(scheme, &hashing);
    if (status == PLEACH_OK)
        status = make_tree(pool, &made);
    if (status != PLEACH_OK)
        return status;
    made->scheme = *scheme;
    made->hashing = hashing;
    *tree = made;
    return PLEACH_OK;
}

void pleach_tree_destroy(pleach_tree *tree)
{
    if (!tree)
        return;
    pleach_pool *pool = tree->pages.pool;
    pleach__pages_clear(&tree->pages);
    pleach__release(pool, tree, sizeof *tree);
}

pleach_status pleach_tree_snapshot(const pleach_tree *tree, pleach_tree **snapshot)
{
    if (!tree || !snapshot)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", tree ? "snapshot" : "tree");
    pleach_tree *made = NULL;
    pleach_status status = make_tree(tree->pages.pool, &made);
    if (status != PLEACH_OK)
        return status;
    made->scheme = tree->scheme;
    made->hashing = tree->hashing;
    status = pleach__pages_share(&tree->pages, &made->pages);
    if (status == PLEACH_OK)
        *snapshot = made;
    else
        pleach_tree_destroy(made);
    return status;
}

/* Folds a row into a tree that was laid for it. */
static pleach_status fold(const pleach_tree *tree, const pleach__row *row, pleach_monitor *monitor)
{
    const pleach__backend *backend = NULL;
    const pleach__call call = pleach__leaves_call(tree->pages.pool, row, monitor);
    const unsigned levels = pleach__levels(row->count);
    uint8_t *level[PLEACH__LEVELS_MAX];
    for (unsigned l = 0; l < levels; l++)
        level[l] = pleach__pages_at(&tree->pages, l, 0);
    pleach_status status = pleach__backend_of(tree->pages.pool, tree->scheme.family, &backend);
    if (status == PLEACH_OK)
        status = pleach__fold_row(&call, row, level);
    if (status == PLEACH_OK)
        pleach__rise(&tree->pages, &tree->hashing, backend, 0, row->count, levels, tree->pages.levels - 1);
    return status;
}

pleach_status pleach_tree_build(pleach_tree *tree, const pleach_leaves *leaves, pleach_monitor *monitor)
{
    if (!tree)
        return pleach__fail(PLEACH_EINVAL, "tree = NULL");
    pleach__row row;
    pleach_status status = pleach__leaves_accept(&tree->scheme, leaves, &row);
    if (status == PLEACH_OK && row.count > 0)
        status = pleach__pages_lay(&tree->pages, row.count, pleach__scheme_levels(&tree->scheme, row.count));
    if (status != PLEACH_OK)
        return status;
    if (row.count > 0)
        status = fold(tree, &row, monitor);
    if (status != PLEACH_OK || row.count == 0)
        pleach__pages_publish(&tree->pages, 0, 0);
    return status;
}

const pleach_scheme *pleach_tree_scheme(const pleach_tree *tree)
{
    return tree ? &tree->scheme : NULL;
}

size_t pleach_tree_size(const pleach_tree *tree)
{
    return tree ? tree->pages.count : 0;
}

unsigned pleach_tree_levels(const pleach_tree *tree)
{
    return tree ? tree->pages.levels : 0;
}

size_t pleach_tree_level_size(const pleach_tree *tree, unsigned level)
{
    return level < pleach_tree_levels(tree) ? (size_t)pleach__level_size(tree->pages.count, level) : 0;
}

const uint8_t *pleach_tree_nodes(const pleach_tree *tree, unsigned level, size_t index, size_t *run)
{
    const size_t size = pleach_tree_level_size(tree, level);
    const bool exists = index < size;
    if (run)
        *run = exists ? pleach__pages_run(&tree->pages, level, index, size) : 0;
    return exists ? pleach__pages_at(&tree->pages, level, index) : NULL;
}

pleach_status pleach_tree_root(const pleach_tree *tree, uint8_t *root)
{
    if (!tree || !root)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", tree ? "root" : "tree");
    if (tree->pages.count > 0) {
        memcpy(root, pleach__pages_at(&tree->pages, tree->pages.levels - 1, 0), PLEACH_DIGEST_SIZE);
        return PLEACH_OK;
    }
    pleach_status status = pleach__scheme_check_count(&tree->scheme, 0);
    return status == PLEACH_OK ? pleach__scheme_empty_root(&tree->scheme, tree->pages.pool, root) : status;
}

bool pleach_tree_mutated(const pleach_tree *tree)
{
    for (unsigned l = 0; l < pleach_tree_levels(tree); l++) {
        size_t run;
        const uint8_t *nodes;
        for (size_t index = 0; (nodes = pleach_tree_nodes(tree, l, index, &run)) != NULL; index += run)
            if (pleach__has_equal_pair(nodes, run))
                return true;
    }
    return false;
}
