#include "merkle/page_store.h"

#include "pool/memory.h"

pleach__store *pleach__store_create(pleach_pool *pool)
{
    pleach__store *store = pleach__allocate(pool, sizeof *store);
    if (!store)
        return NULL;
    atomic_init(&store->trees, 1);
    atomic_init(&store->made, 0);
    atomic_init(&store->blocks, NULL);
    atomic_init(&store->returned, NULL);
    return store;
}

void pleach__store_free(pleach_pool *pool, pleach__store *store)
{
    if (store)
        pleach__store_keep(pool, store, NULL);
    pleach__release(pool, store, sizeof *store);
}

pleach__page_block *pleach__store_add(pleach_pool *pool, pleach__store *store, size_t digests, size_t pages)
{
    const size_t size = PLEACH_DIGEST_SIZE * digests + sizeof(pleach__page) * pages + sizeof(pleach__page_block);
    uint8_t *memory = pleach__allocate(pool, size);
    if (!memory)
        return NULL;
    pleach__page *first = (pleach__page *)(void *)(memory + PLEACH_DIGEST_SIZE * digests);
    pleach__page_block *block = (pleach__page_block *)(void *)(first + pages);
    *block = (pleach__page_block){.digests = memory, .size = size, .pages = first};
    atomic_fetch_add_explicit(&store->made, pages, memory_order_relaxed);
    block->next = atomic_load_explicit(&store->blocks, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&store->blocks, &block->next, block, memory_order_release,
                                                  memory_order_relaxed))
        continue;
    return block;
}

void pleach__store_keep(pleach_pool *pool, pleach__store *store, pleach__page_block *kept)
{
    pleach__page_block *block = atomic_load_explicit(&store->blocks, memory_order_acquire), *next;
    for (; block; block = next) {
        next = block->next;
        if (block != kept)
            pleach__release(pool, block->digests, block->size);
    }
    if (kept)
        kept->next = NULL;
    atomic_store_explicit(&store->blocks, kept, memory_order_relaxed);
    atomic_store_explicit(&store->returned, NULL, memory_order_relaxed);
    atomic_store_explicit(&store->made, 0, memory_order_relaxed);
}

void pleach__store_give(pleach__store *store, pleach__page *first)
{
    pleach__page *last = first;
    if (!first)
        return;
    while (last->next)
        last = last->next;
    last->next = atomic_load_explicit(&store->returned, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&store->returned, &last->next, first, memory_order_release,
                                                  memory_order_relaxed))
        continue;
}

pleach__page *pleach__store_take(pleach__store *store)
{
    return atomic_exchange_explicit(&store->returned, NULL, memory_order_acquire);
}
