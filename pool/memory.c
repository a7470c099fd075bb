#define _GNU_SOURCE
#include "pool/memory_source.h"
#include "pool/workers.h"

#include <stdlib.h>
#include <sys/mman.h>

#define ALIGNMENT ((size_t)64)
#define HUGE_PAGE ((size_t)2 << 20)
#define HUGE_AUTO \
    (2 * HUGE_PAGE) /* for less, a huge page's memory is likelier wasted than its translations are missed */

struct pleach__arena {
    pleach_allocator memory;
    const pleach__source *source; /* NULL: the host's */
    _Atomic uint64_t allocations, used, peak;
};

static bool wants_huge_pages(pleach_huge_pages huge_pages, size_t size)
{
    return huge_pages != PLEACH_HUGE_PAGES_OFF && size >= (huge_pages == PLEACH_HUGE_PAGES_ON ? HUGE_PAGE : HUGE_AUTO);
}

size_t pleach__memory_alignment(pleach_huge_pages huge_pages, size_t size, size_t alignment)
{
    return wants_huge_pages(huge_pages, size) && alignment < HUGE_PAGE ? HUGE_PAGE : alignment;
}

/* A system without huge pages refuses, which is no fault. */
void pleach__memory_advise(pleach_huge_pages huge_pages, void *pages, size_t size)
{
#ifdef MADV_HUGEPAGE
    if (wants_huge_pages(huge_pages, size))
        (void)madvise(pages, size, MADV_HUGEPAGE);
    else if (huge_pages == PLEACH_HUGE_PAGES_OFF)
        (void)madvise(pages, size, MADV_NOHUGEPAGE);
#else
    (void)huge_pages, (void)pages, (void)size;
#endif
}

void *pleach__process_allocate(size_t size, size_t alignment)
{
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static const pleach__source *choose_source(void)
{
#ifdef PLEACH_JEMALLOC
    if (pleach__jemalloc_usable())
        return &pleach__jemalloc;
#endif
    return &pleach__mappings;
}

static void close_source(const pleach__source *source, void *context)
{
    if (source != NULL)
        source->close(context);
}

pleach__arena *pleach__arena_create(const pleach_config *config)
{
    pleach_allocator memory = config->allocator;
    const pleach__source *source = memory.allocate == NULL ? choose_source() : NULL;
    if (source != NULL && !source->open(config->huge_pages, &memory))
        return NULL;
    pleach__arena *arena = memory.allocate(memory.context, sizeof *arena, ALIGNMENT);
    if (arena != NULL)
        *arena = (pleach__arena){.memory = memory, .source = source};
    else
        close_source(source, memory.context);
    return arena;
}

void pleach__arena_destroy(pleach__arena *arena)
{
    if (arena == NULL)
        return;
    pleach_allocator memory = arena->memory;
    const pleach__source *source = arena->source;
    memory.release(memory.context, arena, sizeof *arena);
    close_source(source, memory.context);
}

void pleach__memory_raise(_Atomic uint64_t *most, uint64_t value)
{
    uint64_t before = atomic_load_explicit(most, relaxed);
    while (before < value && !atomic_compare_exchange_weak_explicit(most, &before, value, relaxed, relaxed)) {
    }
}

static void count_allocation(pleach__arena *arena, size_t size)
{
    atomic_fetch_add_explicit(&arena->allocations, 1, relaxed);
    pleach__memory_raise(&arena->peak, atomic_fetch_add_explicit(&arena->used, size, relaxed) + size);
}

/* No object is larger; an allocator that is asked for more may take it for a mistake, and end the process. */
static bool is_too_large(size_t size)
{
    return size > PTRDIFF_MAX - HUGE_PAGE;
}

void *pleach__arena_allocate(pleach__arena *arena, size_t size, size_t alignment)
{
    if (is_too_large(size))
        return NULL;
    size_t least = size != 0 ? size : 1;
    if (arena == NULL)
        return pleach__process_allocate(least, alignment);
    void *memory = arena->memory.allocate(arena->memory.context, least, alignment);
    if (memory != NULL)
        count_allocation(arena, size);
    return memory;
}

void pleach__arena_release(pleach__arena *arena, void *memory, size_t size)
{
    if (arena == NULL || memory == NULL) {
        free(memory);
        return;
    }
    atomic_fetch_sub_explicit(&arena->used, size, relaxed);
    arena->memory.release(arena->memory.context, memory, size != 0 ? size : 1);
}

const char *pleach__arena_allocator(const pleach__arena *arena)
{
    if (arena == NULL)
        return "process";
    return arena->source != NULL ? arena->source->name : "host";
}

static pleach__arena *arena_of(const pleach_pool *pool)
{
    return pool != NULL ? pool->arena : NULL;
}

void *pleach__allocate(pleach_pool *pool, size_t size)
{
    return pleach__arena_allocate(arena_of(pool), size, ALIGNMENT);
}

void pleach__release(pleach_pool *pool, void *memory, size_t size)
{
    pleach__arena_release(arena_of(pool), memory, size);
}

void pleach_pool_memory(const pleach_pool *pool, pleach_memory_use *use)
{
    pleach__arena *arena = arena_of(pool);
    *use = (pleach_memory_use){0};
    if (arena == NULL)
        return;
    use->allocations = atomic_load_explicit(&arena->allocations, relaxed);
    use->used = atomic_load_explicit(&arena->used, relaxed);
    use->peak = atomic_load_explicit(&arena->peak, relaxed);
    if (arena->source != NULL)
        arena->source->measure(arena->memory.context, &use->mapped, &use->kept);
}
