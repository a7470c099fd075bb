/*
 * A source of leaves that is read window by window: the calling thread reads the next window while others fold the last
 * one.
 */
#ifndef PLEACH_STREAM_H
#define PLEACH_STREAM_H

#include "merkle/tile.h"

/* What a caller sets: everything up to `fold`, of the row the hashing, of the call its monitor. */
typedef struct pleach__stream {
    pleach_pool *pool;
    const pleach_scheme *scheme;
    pleach__row row;   /* then the leaves of a window, */
    pleach__call call; /* and what folds it */
    size_t leaf_size;
    size_t window; /* leaves of one, a power of two; 0 = as many as suit */
    pleach_read read;
    void *context;
    uint64_t expected; /* bytes, 0 if unknown */
    /* Takes a window, which begins with leaf number `leaves`: folds its row by its call. */
    pleach_status (*fold)(struct pleach__stream *stream);
    const pleach__backend *backend;
    uint8_t *next;          /* the window being read, */
    size_t filled;          /* the bytes it holds */
    bool ended;             /* and whether the source has no more */
    uint64_t bytes, leaves; /* read; folded */
} pleach__stream;

/* Checks what a caller of a public function has to set. */
pleach_status pleach__stream_check(pleach_read read, size_t leaf_size);

/* Reads and folds everything. Errors as pleach_merkle_root_stream(), but for those of the number of leaves. */
pleach_status pleach__stream_run(pleach__stream *stream);

/* Reads some bytes, at least one unless the source ends; `before`: bytes read so far, for error texts. */
pleach_status pleach__read_some(pleach_read read, void *context, uint64_t before, uint8_t *buffer, size_t size,
                                size_t *got);

/* pleach_merkle_root_stream() with windows of so many leaves, a power of two. */
pleach_status pleach__root_stream(pleach_pool *pool, const pleach_scheme *scheme, size_t leaf_size,
                                  size_t window_leaves, pleach_read read, void *context, uint64_t total,
                                  pleach_monitor *monitor, pleach_stream_result *result);

#endif
