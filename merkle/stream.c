#include "merkle/stream.h"

#include "config/error.h"
#include "pool/memory.h"

#include <string.h>

enum {
    WINDOW_BYTES = 1 << 20,       /* a worker's share of a window */
    WINDOW_BYTES_MOST = 64 << 20, /* of all workers; more only for a leaf that is larger */
    WINDOW_LEAVES_LEAST = 32,     /* of large leaves: enough to fill the lanes of two workers, if they fit */
};

pleach_status pleach__stream_check(pleach_read read, size_t leaf_size)
{
    if (!read)
        return pleach__fail(PLEACH_EINVAL, "read = NULL");
    if (leaf_size == 0)
        return pleach__fail(PLEACH_EINVAL, "leaf_size = 0: at least 1");
    if (leaf_size > PTRDIFF_MAX / 2)
        return pleach__fail(PLEACH_ERANGE, "leaf_size = %zu: two leaves would not fit the address space", leaf_size);
    return PLEACH_OK;
}

pleach_status pleach__read_some(pleach_read read, void *context, uint64_t before, uint8_t *buffer, size_t size,
                                size_t *got)
{
    unsigned texts = pleach__error_count();
    *got = 0;
    pleach_status status = read(context, buffer, size, got);
    if (status != PLEACH_OK)
        return pleach__error_count() != texts
                   ? status
                   : pleach__fail(status, "read failed after %llu bytes", (unsigned long long)before);
    if (*got > size)
        return pleach__fail(PLEACH_EINVAL, "read: got = %zu bytes of at most %zu", *got, size);
    return PLEACH_OK;
}

static size_t window_size(const pleach__stream *stream)
{
    return stream->window * stream->leaf_size;
}

/* The aside of a fold: the calling thread reads the next window. */
static pleach_status fill_window(void *context)
{
    pleach__stream *stream = context;
    pleach_status status = PLEACH_OK;
    for (stream->filled = 0; stream->filled < window_size(stream) && !stream->ended && status == PLEACH_OK;) {
        size_t got;
        status = pleach__check_cancel(stream->call.monitor);
        if (status == PLEACH_OK)
            status = pleach__read_some(stream->read, stream->context, stream->bytes, stream->next + stream->filled,
                                       window_size(stream) - stream->filled, &got);
        if (status != PLEACH_OK)
            break;
        stream->ended = got == 0;
        stream->filled += got;
        stream->bytes += got;
    }
    return status;
}

static pleach_status hash_short_leaf(const pleach__stream *stream, const uint8_t *leaf, size_t size, uint8_t *digest)
{
    if (stream->scheme->leaf_given || stream->scheme->lone == PLEACH_LONE_REFUSED)
        return pleach__fail(PLEACH_EINVAL, "the last leaf has %zu bytes: scheme %s takes leaves of %zu bytes only",
                            size, pleach__scheme_name(stream->scheme), stream->leaf_size);
    pleach__hashing hashing;
    pleach_status status = pleach__scheme_hashing(stream->scheme, size, 0, &hashing);
    if (status == PLEACH_OK)
        stream->backend->hash_many(&hashing.leaf, leaf, size, 1, digest);
    return status;
}

static uint64_t total(const pleach__stream *stream)
{
    return stream->expected > stream->bytes ? stream->expected : stream->bytes;
}

/* Folds the `size` bytes of a window while the next one is read. */
static pleach_status fold_window(pleach__stream *stream, const uint8_t *window, size_t size)
{
    pleach_status status = PLEACH_OK;
    uint8_t tail[PLEACH_DIGEST_SIZE];
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
        status = stream->fold(stream);
    stream->call.before += size;
    stream->leaves += count + (rest > 0);
    /* Too many leaves for a depth can only become more. */
    return status == PLEACH_OK && stream->scheme->depth > 0 ? pleach__scheme_check_count(stream->scheme, stream->leaves)
                                                            : status;
}

static pleach_status fold_source(pleach__stream *stream, uint8_t *windows)
{
    stream->next = windows;
    pleach_status status = fill_window(stream);
    while (status == PLEACH_OK && stream->filled > 0) {
        const uint8_t *window = stream->next;
        stream->next = window == windows ? windows + window_size(stream) : windows;
        status = fold_window(stream, window, stream->filled);
    }
    const pleach_monitor *monitor = stream->call.monitor;
    if (status == PLEACH_OK && monitor && monitor->progress)
        monitor->progress(monitor->context, stream->bytes, total(stream));
    return status;
}

/* Leaves of a window. One that holds all of a source of known size, and more, meets its end at once. */
static size_t choose_window(const pleach__stream *stream)
{
    const size_t leaf_size = stream->leaf_size;
    size_t leaves = 1, bytes = (size_t)WINDOW_BYTES * pleach_pool_width(stream->pool);
    if (bytes > WINDOW_BYTES_MOST)
        bytes = WINDOW_BYTES_MOST;
    while (leaves * 2 <= bytes / leaf_size ||
           (leaves < WINDOW_LEAVES_LEAST && leaves * 2 <= WINDOW_BYTES_MOST / leaf_size))
        leaves *= 2;
    while (stream->expected > 0 && leaves > 1 && leaves / 2 * leaf_size > stream->expected)
        leaves /= 2;
    return leaves;
}

pleach_status pleach__stream_run(pleach__stream *stream)
{
    if (stream->window == 0)
        stream->window = choose_window(stream);
    stream->row.stride = stream->leaf_size;
    stream->call.pool = stream->pool;
    stream->call.priority = PLEACH_BULK;
    stream->call.unit = stream->leaf_size;
    stream->call.context = stream;
    pleach_status status = pleach__backend_of(stream->pool, stream->scheme->family, &stream->backend);
    if (status != PLEACH_OK)
        return status;
    const size_t size = 2 * window_size(stream);
    uint8_t *windows = pleach__allocate(stream->pool, size);
    if (!windows)
        return pleach__fail(PLEACH_ENOMEM, "two read windows of %zu bytes could not be had", size / 2);
    status = fold_source(stream, windows);
    pleach__release(stream->pool, windows, size);
    return status;
}
