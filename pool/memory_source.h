/* Where an arena's memory comes from, unless the host brings its own. */
#ifndef PLEACH_MEMORY_SOURCE_H
#define PLEACH_MEMORY_SOURCE_H

#include "pool/memory.h"

#include <stdatomic.h>

typedef struct pleach__source {
    const char *name;
    /* What it gives has the setting's pages. False if memory is short. */
    bool (*open)(pleach_huge_pages huge_pages, pleach_allocator *memory);
    /* Takes the context of what open() made; everything was released. */
    void (*close)(void *context);
    /* Bytes taken from the system, and how many of them are kept for what comes. */
    void (*measure)(void *context, uint64_t *mapped, uint64_t *kept);
} pleach__source;

/* An arena of jemalloc's, usable if the process has a jemalloc. */
extern const pleach__source pleach__jemalloc;
bool pleach__jemalloc_usable(void);

/* Mappings of the pool's own for large buffers; small ones come from the process. */
extern const pleach__source pleach__mappings;

/* `size` need not be a multiple of the alignment. Goes back with free(). */
void *pleach__process_allocate(size_t size, size_t alignment);

/* The alignment of whole pages that hold `size` bytes: at least `alignment`, more where huge pages are wanted. */
size_t pleach__memory_alignment(pleach_huge_pages huge_pages, size_t size, size_t alignment);

/* Tells the system which pages are wanted. */
void pleach__memory_advise(pleach_huge_pages huge_pages, void *pages, size_t size);

/* Makes it at least `value`. */
void pleach__memory_raise(_Atomic uint64_t *most, uint64_t value);

#endif
