#include "config/error.h"
#include "merkle/leaves.h"
#include "merkle/stored.h"

#include <string.h>

/*
 * Leaves that are added, in pieces that begin and end at multiples of 2^height. All nodes above a whole piece, up to
 * that height, are new to the tree: any worker may make them, and if the call fails nothing has changed. Above a first
 * piece that is not whole at its left stand nodes that are there already: it only gets its digests of level 0.
 */
struct addition {
    const pleach__pages *pages;
    const pleach__row *row;
    const pleach__call *call;
    size_t first, end; /* leaves */
    unsigned height, top;
};

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static pleach_status hash_leaves(const struct addition *addition, const pleach__backend *backend, size_t first,
                                 size_t end)
{
    pleach_status status = PLEACH_OK;
    for (size_t run; first < end && status == PLEACH_OK; first += run) {
        run = pleach__pages_run(addition->pages, 0, first, end);
        status = pleach__hash_inputs(addition->row, backend, first - addition->first, run,
                                     pleach__pages_at(addition->pages, 0, first));
    }
    return status;
}

/* Leaves of one size whose nodes follow each other are hashed and folded by the kernels at once. */
static bool fold_piece(const struct addition *addition, const pleach__backend *backend, size_t first, size_t end)
{
    const pleach__row *row = addition->row;
    uint8_t *level[PLEACH__FOLD_HEIGHT_MAX + 1];
    if (row->hashing.given || row->list || addition->height > PLEACH__FOLD_HEIGHT_MAX ||
        end - first != (size_t)1 << addition->height ||
        !pleach__find_places(addition->pages, first, addition->height, level))
        return false;
    backend->fold(&(pleach__fold){.leaf = &row->hashing.leaf,
                                  .node = &row->hashing.node,
                                  .leaves = row->inputs + (first - addition->first) * row->stride,
                                  .stride = row->stride,
                                  .height = addition->height,
                                  .level = level});
    return true;
}

static pleach_status add_piece(const struct addition *addition, const pleach__backend *backend, size_t piece)
{
    const size_t begin = piece << addition->height, size = (size_t)1 << addition->height;
    const size_t first = begin > addition->first ? begin : addition->first;
    const size_t end = smaller(addition->end - begin, size) + begin;
    if (fold_piece(addition, backend, first, end))
        return PLEACH_OK;
    pleach_status status = hash_leaves(addition, backend, first, end);
    if (status == PLEACH_OK && begin == first)
        pleach__rise(addition->pages, &addition->row->hashing, backend, first, end, 1,
                     addition->height < addition->top ? addition->height : addition->top);
    return status;
}

static pleach_status add_pieces(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    const struct addition *addition = context;
    const pleach__backend *backend = worker->kernels->backend[addition->row->hashing.family];
    pleach_status status = PLEACH_OK;
    for (size_t item = begin; item < end && status == PLEACH_OK; item++) {
        status = pleach__check_cancel(addition->call->monitor);
        if (status == PLEACH_OK)
            status = add_piece(addition, backend, (addition->first >> addition->height) + item);
    }
    return status;
}

/* Adds all leaves, and makes all nodes that the tree does not have yet. */
static pleach_status add_all(struct addition *addition)
{
    const pleach__call *call = addition->call;
    pleach__watch watch;
    const size_t pieces = ((addition->end - 1) >> addition->height) - (addition->first >> addition->height) + 1;
    return pleach_pool_run(call->pool,
                           &(pleach_job){.task = add_pieces,
                                         .context = addition,
                                         .items = pieces,
                                         .monitor = pleach__watch_leaves(&watch, call->monitor, addition->row->count),
                                         .priority = call->priority});
}

/* Makes the nodes above what add_all() left. */
static void finish(const struct addition *addition, const pleach__backend *backend)
{
    const size_t first = addition->first, size = (size_t)1 << addition->height, done = first % size;
    const unsigned height = addition->height < addition->top ? addition->height : addition->top;
    if (done > 0)
        pleach__rise(addition->pages, &addition->row->hashing, backend, first,
                     smaller(addition->end - first, size - done) + first, 1, height);
    pleach__rise(addition->pages, &addition->row->hashing, backend, first, addition->end, height + 1, addition->top);
}

static pleach_status check_growth(const pleach_tree *tree, size_t more)
{
    const size_t most = PTRDIFF_MAX / (4 * PLEACH_DIGEST_SIZE), count = tree->pages.count;
    if (more > most - count)
        return pleach__fail(PLEACH_ERANGE, "leaves: count = %zu, and the tree has %zu: at most %zu", more, count, most);
    return pleach__scheme_check_count(&tree->scheme, count + more);
}

pleach_status pleach_tree_append(pleach_tree *tree, const pleach_leaves *leaves, pleach_monitor *monitor)
{
    if (!tree)
        return pleach__fail(PLEACH_EINVAL, "tree = NULL");
    pleach__pages *pages = &tree->pages;
    const pleach__backend *backend = NULL;
    pleach__row row;
    pleach_status status = pleach__leaves_plan(&tree->scheme, leaves, &row);
    if (status == PLEACH_OK)
        status = check_growth(tree, row.count);
    if (status == PLEACH_OK)
        status = pleach__backend_of(pages->pool, tree->scheme.family, &backend);
    if (status != PLEACH_OK || row.count == 0)
        return status;
    const pleach__call call = pleach__leaves_call(pages->pool, &row, monitor);
    const size_t count = pages->count + row.count;
    const unsigned levels = pleach__scheme_levels(&tree->scheme, count);
    unsigned height = pleach__tile_height(&call, &row, row.count, backend->lanes);
    if (height == pleach__levels(row.count) - 1) /* the caller does better alone: a single piece */
        height = pleach__bit_length(pages->count ^ (count - 1));
    struct addition addition = {.pages = pages,
                                .row = &row,
                                .call = &call,
                                .first = pages->count,
                                .end = count,
                                .height = height,
                                .top = levels - 1};
    status = pleach__pages_reserve(pages, pages->count, count, levels, false);
    if (status == PLEACH_OK)
        status = add_all(&addition);
    if (status == PLEACH_OK)
        finish(&addition, backend);
    pleach__pages_publish(pages, status == PLEACH_OK ? count : pages->count,
                          status == PLEACH_OK ? levels : pages->levels);
    return status;
}

pleach_status pleach_tree_truncate(pleach_tree *tree, uint64_t count)
{
    if (!tree)
        return pleach__fail(PLEACH_EINVAL, "tree = NULL");
    pleach__pages *pages = &tree->pages;
    if (count > pages->count)
        return pleach__fail(PLEACH_ERANGE, "count = %llu: the tree has %zu leaves", (unsigned long long)count,
                            pages->count);
    const size_t kept = (size_t)count;
    const unsigned levels = pleach__scheme_levels(&tree->scheme, count);
    const pleach__backend *backend = NULL;
    pleach_status status = pleach__scheme_check_count(&tree->scheme, count);
    if (status == PLEACH_OK)
        status = pleach__backend_of(pages->pool, tree->scheme.family, &backend);
    if (status == PLEACH_OK && kept > 0 && kept < pages->count)
        status = pleach__pages_reserve(pages, kept, kept, levels, false);
    if (status != PLEACH_OK || kept == pages->count)
        return status;
    if (kept > 0)
        pleach__rise(pages, &tree->hashing, backend, kept, kept, 1, levels - 1);
    pleach__pages_publish(pages, kept, levels);
    return PLEACH_OK;
}
