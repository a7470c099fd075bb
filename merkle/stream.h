/* The root of a source that is read window by window. */
#ifndef PLEACH_STREAM_H
#define PLEACH_STREAM_H

#include "merkle/merkle.h"

/* pleach_merkle_root_stream() with windows of so many leaves, a power of two. */
pleach_status pleach__root_stream(pleach_pool *pool, const pleach_scheme *scheme, size_t leaf_size,
                                  size_t window_leaves, pleach_read read, void *context, uint64_t total,
                                  pleach_monitor *monitor, pleach_stream_result *result);

#endif
