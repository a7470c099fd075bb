#define _GNU_SOURCE
#include "pool/memory_source.h"

#include <jemalloc/jemalloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#ifdef __ELF__
/*
 * Whether there is a jemalloc is the program's choice: it would take the place of a program's malloc, and a library
 * that brings it along can often not be loaded into a running program, for want of thread-local memory.
 */
#pragma weak mallctl
#pragma weak mallocx
#pragma weak dallocx
#endif

struct arena {
    extent_hooks_t hooks; /* first: jemalloc hands its address to them */
    extent_hooks_t *original;
    unsigned index;
    pleach_huge_pages huge_pages;
};

static extent_hooks_t *original_hooks(void)
{
    extent_hooks_t *hooks = NULL;
    size_t size = sizeof hooks;
    return mallctl("arena.0.extent_hooks", &hooks, &size, NULL, 0) == 0 ? hooks : NULL;
}

bool pleach__jemalloc_usable(void)
{
    return mallctl != NULL && mallocx != NULL && dallocx != NULL && original_hooks() != NULL;
}

/* Memory that jemalloc takes from the system, of which it makes buffers, and which it asks for in growing pieces. */
static void *new_extent(extent_hooks_t *hooks, void *at, size_t size, size_t alignment, bool *zero, bool *commit,
                        unsigned index)
{
    const struct arena *arena = (const struct arena *)hooks;
    if (at == NULL)
        alignment = pleach__memory_alignment(arena->huge_pages, size, alignment);
    void *extent = arena->original->alloc(arena->original, at, size, alignment, zero, commit, index);
    if (extent != NULL)
        pleach__memory_advise(arena->huge_pages, extent, size);
    return extent;
}

/* Comes when the arena is destroyed. Left to itself, jemalloc would keep the addresses of every arena there was. */
static bool give_back(extent_hooks_t *hooks, void *extent, size_t size, bool committed, unsigned index)
{
    (void)hooks, (void)committed, (void)index;
    return munmap(extent, size) != 0;
}

static int control(const struct arena *arena, const char *what, ssize_t *value)
{
    char name[64];
    (void)snprintf(name, sizeof name, "arena.%u.%s", arena->index, what);
    return mallctl(name, NULL, NULL, value, value != NULL ? sizeof *value : 0);
}

/* Thread caches would hide buffers from the arena when it is destroyed. */
static void *allocate(void *context, size_t size, size_t alignment)
{
    const struct arena *arena = context;
    return mallocx(size, MALLOCX_ARENA(arena->index) | MALLOCX_TCACHE_NONE |
                             MALLOCX_ALIGN(pleach__memory_alignment(arena->huge_pages, size, alignment)));
}

static void deallocate(void *context, void *memory, size_t size)
{
    (void)context, (void)size;
    dallocx(memory, MALLOCX_TCACHE_NONE);
}

static void close_arena(void *context)
{
    (void)control(context, "destroy", NULL);
    free(context);
}

static bool create_arena(struct arena *arena)
{
    extent_hooks_t *hooks = &arena->hooks;
    size_t size = sizeof arena->index;
    ssize_t never = -1;
    if (mallctl("arenas.create", &arena->index, &size, &hooks, sizeof(extent_hooks_t *)) != 0)
        return false;
    if (control(arena, "dirty_decay_ms", &never) == 0 && control(arena, "muzzy_decay_ms", &never) == 0)
        return true;
    (void)control(arena, "destroy", NULL);
    return false;
}

static bool open_arena(pleach_huge_pages huge_pages, pleach_allocator *memory)
{
    struct arena *arena = pleach__process_allocate(sizeof *arena, _Alignof(max_align_t));
    if (arena == NULL)
        return false;
    *arena = (struct arena){.original = original_hooks(), .huge_pages = huge_pages};
    arena->hooks = *arena->original;
    arena->hooks.alloc = new_extent;
    arena->hooks.dalloc = give_back;
    if (!create_arena(arena)) {
        free(arena);
        return false;
    }
    *memory = (pleach_allocator){.allocate = allocate, .release = deallocate, .context = arena};
    return true;
}

static size_t read_size(const char *name)
{
    size_t value = 0, size = sizeof value;
    return mallctl(name, &value, &size, NULL, 0) == 0 ? value : 0;
}

static size_t statistic(const struct arena *arena, const char *what)
{
    char name[64];
    (void)snprintf(name, sizeof name, "stats.arenas.%u.%s", arena->index, what);
    return read_size(name);
}

static void measure(void *context, uint64_t *mapped, uint64_t *kept)
{
    uint64_t epoch = 1; /* statistics are as of the last time it was written */
    (void)mallctl("epoch", NULL, NULL, &epoch, sizeof epoch);
    *mapped = statistic(context, "mapped");
    *kept = (statistic(context, "pdirty") + statistic(context, "pmuzzy")) * (uint64_t)read_size("arenas.page");
}

const pleach__source pleach__jemalloc = {
    .name = "jemalloc", .open = open_arena, .close = close_arena, .measure = measure};
