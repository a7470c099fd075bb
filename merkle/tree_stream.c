#include "config/error.h"
#include "merkle/stored.h"
#include "merkle/stream.h"

/* A tree that grows by windows: each is folded in its place, and at the end what stands above them is made. */
struct tree_stream {
    pleach__stream stream; /* first: fold() finds the rest by it */
    pleach__pages pages;
    size_t last; /* the leaf with which the last window begins */
};

static pleach_status fold(pleach__stream *stream)
{
    struct tree_stream *tree_stream = (struct tree_stream *)stream;
    pleach__pages *pages = &tree_stream->pages;
    const size_t first = (size_t)stream->leaves, leaves = stream->row.count + (stream->row.tail != NULL);
    const size_t count = first + leaves;
    uint8_t *level[PLEACH__LEVELS_MAX];
    pleach_status status = pleach__pages_reserve(pages, first, count, pleach__levels(count), true);
    if (status != PLEACH_OK)
        return status;
    tree_stream->last = first;
    for (unsigned l = 0; l < pleach__levels(leaves); l++)
        level[l] = pleach__pages_at(pages, l, first >> l);
    return pleach__fold_row(&stream->call, &stream->row, level);
}

/* A window that is not full ends below the level of full ones. */
static pleach_status finish(struct tree_stream *tree_stream)
{
    const pleach__stream *stream = &tree_stream->stream;
    pleach__pages *pages = &tree_stream->pages;
    const size_t count = (size_t)stream->leaves, last = tree_stream->last;
    const unsigned levels = pleach__scheme_levels(stream->scheme, count);
    pleach_status status = pleach__scheme_check_count(stream->scheme, count);
    if (status != PLEACH_OK || count == 0)
        return status;
    status = pleach__pages_reserve(pages, last, count, levels, false);
    if (status != PLEACH_OK)
        return status;
    const unsigned height = pleach__levels(stream->window) - 1, top = levels - 1;
    pleach__rise(pages, &stream->row.hashing, stream->backend, last, count, pleach__levels(count - last),
                 height < top ? height : top);
    pleach__rise(pages, &stream->row.hashing, stream->backend, 0, count, height + 1, top);
    pleach__pages_publish(pages, count, levels);
    return PLEACH_OK;
}

pleach_status pleach__pages_stream(pleach__pages *pages, const pleach_scheme *scheme, const pleach__hashing *hashing,
                                   size_t leaf_size, size_t window, pleach_read read, void *context, uint64_t total,
                                   pleach_monitor *monitor)
{
    struct tree_stream tree_stream = {.stream = {.pool = pages->pool,
                                                 .scheme = scheme,
                                                 .row = {.hashing = *hashing},
                                                 .call = {.monitor = monitor},
                                                 .leaf_size = leaf_size,
                                                 .window = window,
                                                 .read = read,
                                                 .context = context,
                                                 .expected = total,
                                                 .fold = fold},
                                      .pages = {.pool = pages->pool}};
    pleach_status status = pleach__stream_run(&tree_stream.stream);
    if (status == PLEACH_OK)
        status = finish(&tree_stream);
    if (status != PLEACH_OK) {
        pleach__pages_clear(&tree_stream.pages);
        return status;
    }
    pleach__pages_clear(pages);
    *pages = tree_stream.pages;
    return PLEACH_OK;
}

pleach_status pleach_tree_build_stream(pleach_tree *tree, size_t leaf_size, pleach_read read, void *context,
                                       uint64_t total, pleach_monitor *monitor)
{
    if (!tree)
        return pleach__fail(PLEACH_EINVAL, "tree = NULL");
    pleach__hashing hashing;
    pleach_status status = pleach__stream_check(read, leaf_size);
    if (status == PLEACH_OK)
        status = pleach__scheme_hashing(&tree->scheme, leaf_size, 0, &hashing);
    if (status != PLEACH_OK)
        return status;
    return pleach__pages_stream(&tree->pages, &tree->scheme, &hashing, leaf_size, 0, read, context, total, monitor);
}
