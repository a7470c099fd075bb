#define _GNU_SOURCE
#include "pool/memory.h"
#include "pool/workers.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#ifdef PLEACH_JEMALLOC
#include <jemalloc/jemalloc.h>
#endif

#define ALIGNMENT ((size_t)64)
#define HUGE_PAGE ((size_t)2 << 20)
#define HUGE_AUTO \
    (2 * HUGE_PAGE) /* for less, a huge page's memory is likelier wasted than its translations are missed */

struct pleach__arena {
#ifdef PLEACH_JEMALLOC
    extent_hooks_t hooks; /* first: jemalloc hands its address to new_extent() */
    extent_hooks_t *original;
    unsigned index;
#endif
    pleach_huge_pages huge_pages;
};

static bool wants_huge_pages(const pleach__arena *arena, size_t size)
{
    return arena->huge_pages != PLEACH_HUGE_PAGES_OFF &&
           size >= (arena->huge_pages == PLEACH_HUGE_PAGES_ON ? HUGE_PAGE : HUGE_AUTO);
}

static size_t alignment_of(const pleach__arena *arena, size_t size)
{
    return arena != NULL && wants_huge_pages(arena, size) ? HUGE_PAGE : ALIGNMENT;
}

/* For whole pages. A system without huge pages refuses, which is no fault. */
static void advise(const pleach__arena *arena, void *memory, size_t size)
{
#ifdef MADV_HUGEPAGE
    if (wants_huge_pages(arena, size))
        (void)madvise(memory, size, MADV_HUGEPAGE);
    else if (arena->huge_pages == PLEACH_HUGE_PAGES_OFF)
        (void)madvise(memory, size, MADV_NOHUGEPAGE);
#else
    (void)arena, (void)memory, (void)size;
#endif
}

/* No object is larger; an allocator that is asked for more may take it for a mistake, and end the process. */
static bool is_too_large(size_t size)
{
    return size > PTRDIFF_MAX - HUGE_PAGE;
}

static void *allocate_from_process(size_t size, size_t alignment)
{
    size_t whole = (size + alignment - 1) / alignment * alignment;
    return aligned_alloc(alignment, whole != 0 ? whole : alignment);
}

#ifdef PLEACH_JEMALLOC
/* Memory that jemalloc takes from the system, of which it makes buffers, and which it asks for in growing pieces. */
static void *new_extent(extent_hooks_t *hooks, void *at, size_t size, size_t alignment, bool *zero, bool *commit,
                        unsigned index)
{
    pleach__arena *arena = (pleach__arena *)hooks;
    if (at == NULL && alignment < alignment_of(arena, size))
        alignment = alignment_of(arena, size);
    void *extent = arena->original->alloc(arena->original, at, size, alignment, zero, commit, index);
    if (extent != NULL)
        advise(arena, extent, size);
    return extent;
}

static int control_arena(const pleach__arena *arena, const char *what, ssize_t *value)
{
    char name[64];
    (void)snprintf(name, sizeof name, "arena.%u.%s", arena->index, what);
    return mallctl(name, NULL, NULL, value, value != NULL ? sizeof *value : 0);
}

pleach__arena *pleach__arena_create(pleach_huge_pages huge_pages)
{
    pleach__arena *arena = malloc(sizeof *arena);
    if (arena == NULL)
        return NULL;
    arena->huge_pages = huge_pages;
    extent_hooks_t *hooks = &arena->hooks;
    size_t size = sizeof arena->original;
    if (mallctl("arena.0.extent_hooks", &arena->original, &size, NULL, 0) != 0) {
        free(arena);
        return NULL;
    }
    arena->hooks = *arena->original;
    arena->hooks.alloc = new_extent;
    size = sizeof arena->index;
    if (mallctl("arenas.create", &arena->index, &size, &hooks, sizeof(extent_hooks_t *)) != 0) {
        free(arena);
        return NULL;
    }
    ssize_t never = -1;
    if (control_arena(arena, "dirty_decay_ms", &never) != 0 || control_arena(arena, "muzzy_decay_ms", &never) != 0) {
        pleach__arena_destroy(arena);
        return NULL;
    }
    return arena;
}

void pleach__arena_destroy(pleach__arena *arena)
{
    if (arena != NULL)
        (void)control_arena(arena, "destroy", NULL);
    free(arena);
}

const char *pleach__arena_allocator(void)
{
    return "jemalloc";
}

void *pleach__allocate(pleach_pool *pool, size_t size)
{
    if (is_too_large(size))
        return NULL;
    if (pool == NULL)
        return allocate_from_process(size, ALIGNMENT);
    /* Thread caches would hide buffers from the arena when it is destroyed. */
    int flags = MALLOCX_ARENA(pool->arena->index) | MALLOCX_TCACHE_NONE;
    return mallocx(size != 0 ? size : 1, flags | MALLOCX_ALIGN(alignment_of(pool->arena, size)));
}

void pleach__release(pleach_pool *pool, void *memory, size_t size)
{
    (void)size;
    if (pool == NULL || memory == NULL)
        free(memory);
    else
        dallocx(memory, MALLOCX_TCACHE_NONE);
}
#else
pleach__arena *pleach__arena_create(pleach_huge_pages huge_pages)
{
    pleach__arena *arena = malloc(sizeof *arena);
    if (arena != NULL)
        arena->huge_pages = huge_pages;
    return arena;
}

void pleach__arena_destroy(pleach__arena *arena)
{
    free(arena);
}

const char *pleach__arena_allocator(void)
{
    return "process";
}

void *pleach__allocate(pleach_pool *pool, size_t size)
{
    if (is_too_large(size))
        return NULL;
    size_t alignment = alignment_of(pool != NULL ? pool->arena : NULL, size);
    void *memory = allocate_from_process(size, alignment);
    if (memory != NULL && alignment == HUGE_PAGE)
        advise(pool->arena, memory, size);
    return memory;
}

void pleach__release(pleach_pool *pool, void *memory, size_t size)
{
    (void)pool, (void)size;
    free(memory);
}
#endif
