#include "merkle/stream.h"

#include "config/error.h"
#include "merkle/frontier.h"
#include "merkle/tile.h"
#include "pool/memory.h"

enum {
    WINDOW_BYTES = 1 << 20,       /* a worker's share of a window */
    WINDOW_BYTES_MOST = 64 << 20, /* of all workers; more only for a leaf that is larger */
    WINDOW_LEAVES_LEAST = 32,     /* of large leaves: enough to fill the lanes of two workers, if they fit */
};

struct stream {
    const pleach_scheme *scheme;
    pleach__row row;   /* of the window being folded */
    pleach__call call; /* that folds it */
    pleach_read read;
    void *context;
    size_t leaf_size, window_size;
    uint8_t *next;           /* the window being read, */
    size_t filled;           /* the bytes it holds */
    bool ended;              /* and whether the source has no more */
    uint64_t bytes, leaves;  /* read; folded */
    uint64_t expected;       /* bytes, 0 if unknown */
    pleach__frontier folded; /* windows folded; only the last is not full */
};

static pleach_status read_some(struct stream *stream)
{
    size_t room = stream->window_size - stream->filled, got = 0;
    unsigned texts = pleach__error_count();
    pleach_status status = stream->read(stream->context, stream->next + stream->filled, room, &got);
    if (status != PLEACH_OK)
        return pleach__error_count() != texts
                   ? status
                   : pleach__fail(status, "read failed after %llu bytes", (unsigned long long)stream->bytes);
    if (got > room)
        return pleach__fail(PLEACH_EINVAL, "read: got = %zu bytes of at most %zu", got, room);
    stream->ended = got == 0;
    stream->filled += got;
    stream->bytes += got;
    return PLEACH_OK;
}

/* The aside of a fold: the calling thread reads the next window. */
static pleach_status fill_window(void *context)
{
    struct stream *stream = context;
    pleach_status status = PLEACH_OK;
    for (stream->filled = 0; stream->filled < stream->window_size && !stream->ended && status == PLEACH_OK;) {
        status = pleach__check_cancel(stream->call.monitor);
        if (status == PLEACH_OK)
            status = read_some(stream);
    }
    return status;
}

static pleach_status hash_short_leaf(struct stream *stream, const uint8_t *leaf, size_t size, uint8_t *digest)
{
    if (stream->scheme->lone == PLEACH_LONE_REFUSED)
        return pleach__fail(PLEACH_EINVAL, "the last leaf has %zu bytes: scheme %s takes leaves of %zu bytes only",
                            size, pleach__scheme_name(stream->scheme), stream->leaf_size);
    pleach__hashing hashing;
    pleach_status status = pleach__scheme_hashing(stream->scheme, size, 0, &hashing);
    if (status == PLEACH_OK)
        stream->folded.backend->hash_many(&hashing.leaf, leaf, size, 1, digest);
    return status;
}

static uint64_t total(const struct stream *stream)
{
    return stream->expected > stream->bytes ? stream->expected : stream->bytes;
}

/* Folds the `size` bytes of a window while the next one is read. */
static pleach_status fold_window(struct stream *stream, const uint8_t *window, size_t size)
{
    pleach_status status = PLEACH_OK;
    uint8_t root[PLEACH_DIGEST_SIZE], tail[PLEACH_DIGEST_SIZE];
    const size_t count = size / stream->leaf_size, rest = size % stream->leaf_size;
    stream->row.inputs = window;
    stream->row.count = count;
    stream->row.tail = rest > 0 ? tail : NULL;
    stream->call.total = total(stream);
    stream->call.aside = stream->ended ? NULL : fill_window;
    stream->filled = 0;
    if (rest > 0)
        status = hash_short_leaf(stream, window + size - rest, rest, tail);
    if (status == PLEACH_OK)
        status = pleach__fold_root(&stream->call, &stream->row, root);
    if (status != PLEACH_OK)
        return status;
    stream->call.before += size;
    stream->leaves += count + (rest > 0);
    pleach__frontier_append(&stream->folded, root);
    return PLEACH_OK;
}

static pleach_status fold_source(struct stream *stream, uint8_t *windows)
{
    stream->next = windows;
    pleach_status status = fill_window(stream);
    while (status == PLEACH_OK && stream->filled > 0) {
        const uint8_t *window = stream->next;
        stream->next = window == windows ? windows + stream->window_size : windows;
        status = fold_window(stream, window, stream->filled);
    }
    const pleach_monitor *monitor = stream->call.monitor;
    if (status == PLEACH_OK && monitor && monitor->progress)
        monitor->progress(monitor->context, stream->bytes, total(stream));
    return status;
}

static pleach_status find_root(const struct stream *stream, uint8_t *root)
{
    pleach_status status = pleach__scheme_check_count(stream->scheme, stream->leaves);
    if (status != PLEACH_OK)
        return status;
    if (stream->leaves == 0)
        return pleach__scheme_empty_root(stream->scheme, stream->call.pool, root);
    pleach__frontier_root(&stream->folded, root);
    return PLEACH_OK;
}

pleach_status pleach__root_stream(pleach_pool *pool, const pleach_scheme *scheme, size_t leaf_size,
                                  size_t window_leaves, pleach_read read, void *context, uint64_t total_bytes,
                                  pleach_monitor *monitor, pleach_stream_result *result)
{
    struct stream stream = {.scheme = scheme,
                            .row = {.stride = leaf_size},
                            .call = {.pool = pool, .priority = PLEACH_BULK, .monitor = monitor, .unit = leaf_size},
                            .read = read,
                            .context = context,
                            .leaf_size = leaf_size,
                            .window_size = window_leaves * leaf_size,
                            .expected = total_bytes};
    stream.call.context = &stream;
    stream.folded.node = &stream.row.hashing.node;
    pleach_status status = pleach__scheme_hashing(scheme, leaf_size, 0, &stream.row.hashing);
    if (status == PLEACH_OK)
        status = pleach__backend_of(pool, scheme->family, &stream.folded.backend);
    if (status != PLEACH_OK)
        return status;
    uint8_t *windows = pleach__allocate(pool, 2 * stream.window_size);
    if (!windows)
        return pleach__fail(PLEACH_ENOMEM, "two read windows of %zu bytes could not be had", stream.window_size);
    pleach_stream_result found;
    status = fold_source(&stream, windows);
    pleach__release(pool, windows, 2 * stream.window_size);
    if (status == PLEACH_OK)
        status = find_root(&stream, found.root);
    if (status != PLEACH_OK)
        return status;
    found.leaves = stream.leaves;
    found.bytes = stream.bytes;
    *result = found;
    return PLEACH_OK;
}

/* Leaves of a window, a power of two. One that holds all of a source of known size, and more, meets its end at once. */
static size_t choose_window(size_t leaf_size, unsigned width, uint64_t expected)
{
    size_t leaves = 1, bytes = (size_t)WINDOW_BYTES * width;
    if (bytes > WINDOW_BYTES_MOST)
        bytes = WINDOW_BYTES_MOST;
    while (leaves * 2 <= bytes / leaf_size ||
           (leaves < WINDOW_LEAVES_LEAST && leaves * 2 <= WINDOW_BYTES_MOST / leaf_size))
        leaves *= 2;
    while (expected > 0 && leaves > 1 && leaves / 2 * leaf_size > expected)
        leaves /= 2;
    return leaves;
}

pleach_status pleach_merkle_root_stream(pleach_pool *pool, const pleach_scheme *scheme, size_t leaf_size,
                                        pleach_read read, void *context, uint64_t total_bytes, pleach_monitor *monitor,
                                        pleach_stream_result *result)
{
    if (!read || !result)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", result ? "read" : "result");
    if (leaf_size == 0)
        return pleach__fail(PLEACH_EINVAL, "leaf_size = 0: at least 1");
    if (leaf_size > PTRDIFF_MAX / 2)
        return pleach__fail(PLEACH_ERANGE, "leaf_size = %zu: two leaves would not fit the address space", leaf_size);
    size_t leaves = choose_window(leaf_size, pleach_pool_width(pool), total_bytes);
    return pleach__root_stream(pool, scheme, leaf_size, leaves, read, context, total_bytes, monitor, result);
}
