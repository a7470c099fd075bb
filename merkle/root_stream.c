#include "config/error.h"
#include "merkle/edge.h"
#include "merkle/stream.h"

#include <string.h>

struct root_stream {
    pleach__stream stream; /* first: fold() finds the rest by it */
    pleach__edge folded;   /* full windows, and the last one unless it is full too: its root and that one's level */
    uint8_t last[PLEACH_DIGEST_SIZE];
    unsigned last_level;
    bool has_last;
};

static pleach_status fold(pleach__stream *stream)
{
    struct root_stream *root_stream = (struct root_stream *)stream;
    const size_t leaves = stream->row.count + (stream->row.tail != NULL);
    const unsigned level = pleach__levels(leaves) - 1;
    uint8_t root[PLEACH_DIGEST_SIZE];
    pleach_status status = pleach__fold_root(&stream->call, &stream->row, root);
    if (status != PLEACH_OK)
        return status;
    root_stream->has_last = leaves < stream->window;
    root_stream->last_level = level;
    if (root_stream->has_last)
        memcpy(root_stream->last, root, sizeof root);
    else
        pleach__edge_append(&root_stream->folded, &stream->row.hashing, stream->backend, root, level);
    return PLEACH_OK;
}

static pleach_status find_root(const struct root_stream *root_stream, uint8_t *root)
{
    const pleach__stream *stream = &root_stream->stream;
    pleach_status status = pleach__scheme_check_count(stream->scheme, stream->leaves);
    if (status != PLEACH_OK)
        return status;
    if (stream->leaves == 0)
        return pleach__scheme_empty_root(stream->scheme, stream->pool, root);
    pleach__edge_root(&root_stream->folded, &stream->row.hashing, stream->backend,
                      root_stream->has_last ? root_stream->last : NULL, root_stream->last_level, root);
    return PLEACH_OK;
}

pleach_status pleach__root_stream(pleach_pool *pool, const pleach_scheme *scheme, size_t leaf_size,
                                  size_t window_leaves, pleach_read read, void *context, uint64_t total_bytes,
                                  pleach_monitor *monitor, pleach_stream_result *result)
{
    struct root_stream root_stream = {.stream = {.pool = pool,
                                                 .scheme = scheme,
                                                 .call = {.monitor = monitor},
                                                 .leaf_size = leaf_size,
                                                 .window = window_leaves,
                                                 .read = read,
                                                 .context = context,
                                                 .expected = total_bytes,
                                                 .fold = fold}};
    pleach__stream *stream = &root_stream.stream;
    pleach_stream_result found;
    pleach_status status = pleach__scheme_hashing(scheme, leaf_size, 0, &stream->row.hashing);
    if (status == PLEACH_OK)
        status = pleach__stream_run(stream);
    if (status == PLEACH_OK)
        status = find_root(&root_stream, found.root);
    if (status != PLEACH_OK)
        return status;
    found.leaves = stream->leaves;
    found.bytes = stream->bytes;
    *result = found;
    return PLEACH_OK;
}

pleach_status pleach_merkle_root_stream(pleach_pool *pool, const pleach_scheme *scheme, size_t leaf_size,
                                        pleach_read read, void *context, uint64_t total_bytes, pleach_monitor *monitor,
                                        pleach_stream_result *result)
{
    if (!result)
        return pleach__fail(PLEACH_EINVAL, "result = NULL");
    pleach_status status = pleach__stream_check(read, leaf_size);
    if (status != PLEACH_OK)
        return status;
    return pleach__root_stream(pool, scheme, leaf_size, 0, read, context, total_bytes, monitor, result);
}
