/*
 * The memory of pages. A tree has a store in common with its snapshots and theirs, which any threads may change: pages
 * that nobody uses any more are given back and serve the next copies; all memory is freed with the last tree.
 */
#ifndef PLEACH_PAGE_STORE_H
#define PLEACH_PAGE_STORE_H

#include "pool/pool.h"

#include <stdatomic.h>

typedef struct pleach__page {
    uint8_t *digests;
    struct pleach__page *next; /* of a list of pages that nobody uses */
    atomic_uint sharers;       /* trees that use it */
    unsigned capacity; /* digests it has room for: fewer than a page's only if it was laid at the end of a level */
} pleach__page;

/* Memory of some pages. */
typedef struct pleach__page_block {
    struct pleach__page_block *next;
    uint8_t *digests; /* where the memory begins: then come the pages, and then this */
    size_t size;
    pleach__page *pages;
    size_t leaves; /* of the largest tree that can be laid in it; 0: pages of full size */
} pleach__page_block;

typedef struct pleach__store {
    atomic_size_t trees; /* that have it */
    atomic_size_t made;  /* pages */
    _Atomic(pleach__page_block *) blocks;
    _Atomic(pleach__page *) returned; /* a list */
} pleach__store;

/* For one tree; NULL if there is no memory. */
pleach__store *pleach__store_create(pleach_pool *pool);

/* NULL is allowed. */
void pleach__store_free(pleach_pool *pool, pleach__store *store);

/* Memory for so many digests and pages, which are the caller's to set up; NULL if there is none. */
pleach__page_block *pleach__store_add(pleach_pool *pool, pleach__store *store, size_t digests, size_t pages);

/* Frees all blocks but one, of a store whose pages nobody uses. */
void pleach__store_keep(pleach_pool *pool, pleach__store *store, pleach__page_block *kept);

/* Gives back a list of pages; takes all that are there. */
void pleach__store_give(pleach__store *store, pleach__page *first);
pleach__page *pleach__store_take(pleach__store *store);

#endif
