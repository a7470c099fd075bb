/*
 * Buffers of a pool: aligned to 64 bytes, on huge pages where the settings allow, kept by the pool's own arena when
 * they are freed, so that a buffer that is needed for every block does not fault its pages in every time.
 */
#ifndef PLEACH_MEMORY_H
#define PLEACH_MEMORY_H

#include "pool/pool.h"

/* NULL if it could not be had; the contents are indeterminate. A pool of NULL uses the process's own allocator. */
void *pleach__allocate(pleach_pool *pool, size_t size);

/* `size` is what was asked for. NULL is allowed. */
void pleach__release(pleach_pool *pool, void *memory, size_t size);

/* Where a pool's buffers come from. */
typedef struct pleach__arena pleach__arena;

/* NULL if it could not be had. */
pleach__arena *pleach__arena_create(pleach_huge_pages huge_pages);

/* Frees every buffer that is left in it. NULL is allowed. */
void pleach__arena_destroy(pleach__arena *arena);

/* "jemalloc", or "process" where buffers come from the process's own allocator. */
const char *pleach__arena_allocator(void);

#endif
