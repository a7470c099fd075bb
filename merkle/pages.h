/*
 * Where stored trees keep their digests: in pages, which trees share until one of them writes.
 *
 * Every level is a row of pages. A page counts the trees that use it: whoever is alone with it writes in place, anybody
 * else to a copy.
 */
#ifndef PLEACH_PAGES_H
#define PLEACH_PAGES_H

#include "merkle/page_store.h"
#include "merkle/shape.h"

enum { PLEACH__PAGE_DIGESTS = 64 };

/* The digests of one tree, as far as that has to do with its shape. Zero but for its pool: a tree without leaves. */
typedef struct pleach__pages {
    pleach_pool *pool;
    pleach__store *store;
    pleach__page **table; /* level after level; NULL where there is no page */
    unsigned room;        /* level 0 has 2^room entries of the table, */
    size_t entries;       /* all levels so many */
    pleach__page *spare;  /* a list of pages for the next copies, */
    size_t spares;        /* and its length */
    size_t count;         /* leaves */
    unsigned levels;
} pleach__pages;

/* Where in the table the pages of a level begin: each has half as many as the one below, and at least one. */
static inline size_t pleach__pages_entry(const pleach__pages *pages, unsigned level)
{
    const size_t all = (size_t)2 << pages->room;
    return level < pages->room ? all - (all >> level) : all - 2 + (level - pages->room);
}

/* A digest that is there; to be written only by whoever made its page writable. */
static inline uint8_t *pleach__pages_at(const pleach__pages *pages, unsigned level, size_t index)
{
    const pleach__page *page = pages->table[pleach__pages_entry(pages, level) + index / PLEACH__PAGE_DIGESTS];
    return page->digests + PLEACH_DIGEST_SIZE * (index % PLEACH__PAGE_DIGESTS);
}

/* How many digests of a level follow each other in memory from `index` on, up to `end` > index. */
size_t pleach__pages_run(const pleach__pages *pages, unsigned level, size_t index, size_t end);

/*
 * Makes place for a tree of `count` > 0 leaves whose levels each are one run from an address aligned to 64 bytes on,
 * and of a power of two without gaps; all of it may be written. Memory is used again where nobody shares it and it
 * suffices. The old content is lost, unless this fails: PLEACH_ENOMEM.
 */
pleach_status pleach__pages_lay(pleach__pages *pages, size_t count, unsigned levels);

/*
 * Makes the nodes that a tree of `count` leaves has above the leaves from `first` on writable, and place for those that
 * are not there yet. Content and shape stay as they are. PLEACH_ENOMEM. What was made for nodes beyond the tree's shape
 * is given up by the next pleach__pages_publish().
 *
 * together: the pages that a level gains follow each other in memory. Otherwise those that nobody uses come first.
 */
pleach_status pleach__pages_reserve(pleach__pages *pages, size_t first, size_t count, unsigned levels, bool together);

/* Makes the nodes that are there above n leaves, which are in the order of their indices, writable. PLEACH_ENOMEM. */
pleach_status pleach__pages_own(pleach__pages *pages, const size_t *leaves, size_t n);

/* Gives the tree another shape, for which all nodes are there. */
void pleach__pages_publish(pleach__pages *pages, size_t count, unsigned levels);

/* Makes `copy`, which is zero, the same tree on shared pages. PLEACH_ENOMEM. */
pleach_status pleach__pages_share(const pleach__pages *pages, pleach__pages *copy);

/* Leaves the spare pages of a tree that will not change any more to those that share its store. */
void pleach__pages_give_spares(pleach__pages *pages);

/* Gives up everything. */
void pleach__pages_clear(pleach__pages *pages);

#endif
