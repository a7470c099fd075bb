/*
 * Released blocks wait in slots by size for the next buffer of about that size. There are no locks, so a forked child
 * finds nothing locked, and what is in a slot has one owner: who takes it out. What is in use and what is kept are
 * together never more than the most that was in use at once.
 */
#define _GNU_SOURCE
#include "pool/memory_source.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    LARGE_BITS = 17, /* from 128 KiB on; for less the process's allocator is no slower */
    STEPS = 4,       /* block sizes between two powers of two */
    CLASSES = (64 - LARGE_BITS) * STEPS,
    SLOTS = 8 /* of a class */
};
#define LARGE ((size_t)1 << LARGE_BITS)

struct mappings {
    pleach_huge_pages huge_pages;
    _Atomic uint64_t small;            /* bytes from the process */
    _Atomic uint64_t used, kept, most; /* bytes of blocks; most: that were in use at once */
    _Atomic(void *) slots[CLASSES][SLOTS];
};

static uint64_t load(_Atomic uint64_t *bytes)
{
    return atomic_load_explicit(bytes, memory_order_relaxed);
}

static uint64_t add(_Atomic uint64_t *bytes, size_t size)
{
    return atomic_fetch_add_explicit(bytes, size, memory_order_relaxed) + size;
}

static void subtract(_Atomic uint64_t *bytes, size_t size)
{
    (void)atomic_fetch_sub_explicit(bytes, size, memory_order_relaxed);
}

/* What is mapped for sizes of a class. */
struct block {
    size_t size, alignment;
};

static unsigned class_of(size_t size)
{
    unsigned bits = 63 - (unsigned)__builtin_clzll(size - 1); /* 2^bits < size <= 2^(bits + 1) */
    unsigned steps = (unsigned)((size - 1) / (((size_t)1 << bits) / STEPS)) + 1;
    return (bits + 1 - LARGE_BITS) * STEPS + steps - STEPS - 1;
}

static struct block block_of(const struct mappings *mappings, unsigned size_class)
{
    size_t step = ((LARGE >> 1) / STEPS) << (size_class / STEPS);
    struct block block = {.size = step * (STEPS + 1 + size_class % STEPS)};
    block.alignment = pleach__memory_alignment(mappings->huge_pages, block.size, 1);
    block.size = (block.size + block.alignment - 1) / block.alignment * block.alignment;
    return block;
}

static void *map(const struct mappings *mappings, struct block block)
{
    size_t spare = block.alignment > 1 ? block.alignment : 0;
    char *start = mmap(NULL, block.size + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED)
        return NULL;
    size_t before = (block.alignment - (uintptr_t)start % block.alignment) % block.alignment;
    if (before > 0)
        (void)munmap(start, before);
    if (spare > before)
        (void)munmap(start + before + block.size, spare - before);
    pleach__memory_advise(mappings->huge_pages, start + before, block.size);
    return start + before;
}

static void *take(struct mappings *mappings, unsigned size_class)
{
    for (int i = 0; i < SLOTS; i++) {
        _Atomic(void *) *slot = &mappings->slots[size_class][i];
        void *kept = NULL;
        if (atomic_load_explicit(slot, memory_order_relaxed) != NULL)
            kept = atomic_exchange_explicit(slot, NULL, memory_order_acquire);
        if (kept != NULL)
            return kept;
    }
    return NULL;
}

static bool keep(struct mappings *mappings, unsigned size_class, void *memory)
{
    for (int i = 0; i < SLOTS; i++) {
        void *none = NULL;
        if (atomic_compare_exchange_strong_explicit(&mappings->slots[size_class][i], &none, memory,
                                                    memory_order_release, memory_order_relaxed))
            return true;
    }
    return false;
}

/* Gives one kept block of a class back to the system. */
static bool drop(struct mappings *mappings, unsigned size_class)
{
    void *memory = take(mappings, size_class);
    if (memory == NULL)
        return false;
    size_t size = block_of(mappings, size_class).size;
    subtract(&mappings->kept, size);
    (void)munmap(memory, size);
    return true;
}

/* Gives blocks back until no more than `most` bytes are kept. */
static void drop_to(struct mappings *mappings, uint64_t most)
{
    for (unsigned size_class = 0; size_class < CLASSES; size_class++)
        while (load(&mappings->kept) > most && drop(mappings, size_class)) {
        }
}

/* For a new block. Where memory is short, what is kept may be had. */
static void *map_or_drop(struct mappings *mappings, struct block block)
{
    void *memory = map(mappings, block);
    if (memory == NULL && load(&mappings->kept) != 0) {
        drop_to(mappings, 0);
        memory = map(mappings, block);
    }
    return memory;
}

static void *allocate_large(struct mappings *mappings, unsigned size_class)
{
    struct block block = block_of(mappings, size_class);
    void *memory = take(mappings, size_class);
    if (memory != NULL)
        subtract(&mappings->kept, block.size);
    else if ((memory = map_or_drop(mappings, block)) == NULL)
        return NULL;
    uint64_t used = add(&mappings->used, block.size);
    pleach__memory_raise(&mappings->most, used);
    drop_to(mappings, load(&mappings->most) - used);
    return memory;
}

static void release_large(struct mappings *mappings, unsigned size_class, void *memory)
{
    size_t size = block_of(mappings, size_class).size;
    subtract(&mappings->used, size);
    (void)add(&mappings->kept, size);
    if (!keep(mappings, size_class, memory)) {
        subtract(&mappings->kept, size);
        (void)munmap(memory, size);
    }
}

static void *allocate(void *context, size_t size, size_t alignment)
{
    struct mappings *mappings = context;
    if (size >= LARGE)
        return allocate_large(mappings, class_of(size));
    void *memory = pleach__process_allocate(size, alignment);
    if (memory != NULL)
        (void)add(&mappings->small, size);
    return memory;
}

static void deallocate(void *context, void *memory, size_t size)
{
    struct mappings *mappings = context;
    if (size >= LARGE) {
        release_large(mappings, class_of(size), memory);
    } else {
        subtract(&mappings->small, size);
        free(memory);
    }
}

static bool open_mappings(pleach_huge_pages huge_pages, pleach_allocator *memory)
{
    struct mappings *mappings = pleach__process_allocate(sizeof *mappings, _Alignof(max_align_t));
    if (mappings == NULL)
        return false;
    memset(mappings, 0, sizeof *mappings);
    mappings->huge_pages = huge_pages;
    *memory = (pleach_allocator){.allocate = allocate, .release = deallocate, .context = mappings};
    return true;
}

static void close_mappings(void *context)
{
    drop_to(context, 0);
    free(context);
}

static void measure(void *context, uint64_t *mapped, uint64_t *kept)
{
    struct mappings *mappings = context;
    *kept = load(&mappings->kept);
    *mapped = load(&mappings->small) + load(&mappings->used) + *kept;
}

const pleach__source pleach__mappings = {
    .name = "own", .open = open_mappings, .close = close_mappings, .measure = measure};
