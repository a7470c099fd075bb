/*
 * A pool's memory: buffers aligned to 64 bytes, on huge pages where the settings allow, kept by the pool when they are
 * released, so that a buffer that is needed for every block does not fault its pages in every time. Or else what the
 * host's allocator makes of it.
 */
#ifndef PLEACH_MEMORY_H
#define PLEACH_MEMORY_H

#include "pool/pool.h"

/* NULL if it could not be had; the contents are indeterminate. A pool of NULL uses the process's own allocator. */
void *pleach__allocate(pleach_pool *pool, size_t size);

/* `size` is what was asked for. NULL is allowed. */
void pleach__release(pleach_pool *pool, void *memory, size_t size);

/* Where a pool's memory comes from, the pool's own included. */
typedef struct pleach__arena pleach__arena;

/* NULL if it could not be had. */
pleach__arena *pleach__arena_create(const pleach_config *config);

/* Everything was released. NULL is allowed. */
void pleach__arena_destroy(pleach__arena *arena);

/* As pleach__allocate() and pleach__release(), with an alignment of at least 64. */
void *pleach__arena_allocate(pleach__arena *arena, size_t size, size_t alignment);
void pleach__arena_release(pleach__arena *arena, void *memory, size_t size);

/* "host", "jemalloc", "own", or for NULL "process". */
const char *pleach__arena_allocator(const pleach__arena *arena);

#endif
