#include "merkle/pages.h"

#include "config/error.h"
#include "pool/memory.h"

#include <string.h>

enum {
    PAGE = PLEACH__PAGE_DIGESTS,
    PAGE_BYTES = PAGE * PLEACH_DIGEST_SIZE,
    PAIR = 2,       /* levels are laid from address to address aligned to two digests */
    MADE_SHARE = 4, /* when a few pages are missing, this part of those so far is made, */
    MADE_MOST = 64, /* but no more than so many */
    ALONE = 64      /* fewer pages are copied sooner than others could be woken to help */
};

/* Whether everything may be written since no other tree has the store. */
static bool is_alone(const pleach__pages *pages)
{
    return pages->store && atomic_load_explicit(&pages->store->trees, memory_order_acquire) == 1;
}

static void push_spare(pleach__pages *pages, pleach__page *page)
{
    page->next = pages->spare;
    pages->spare = page;
    pages->spares++;
}

static void take_returned(pleach__pages *pages)
{
    for (pleach__page *page = pleach__store_take(pages->store), *next; page; page = next) {
        next = page->next;
        push_spare(pages, page);
    }
}

/* Stops using a page. */
static void drop(pleach__pages *pages, pleach__page *page)
{
    if (page && atomic_fetch_sub_explicit(&page->sharers, 1, memory_order_acq_rel) == 1 && page->capacity == PAGE)
        push_spare(pages, page);
}

static pleach_status no_memory(size_t pages)
{
    return pleach__fail(PLEACH_ENOMEM, "%zu pages of %d bytes for nodes could not be had", pages, (int)PAGE_BYTES);
}

static pleach_status make_spares(pleach__pages *pages, size_t n)
{
    const pleach__page_block *block = pleach__store_add(pages->pool, pages->store, PAGE * n, n);
    if (!block)
        return no_memory(n);
    for (size_t i = n; i-- > 0;) { /* taken in the order of their addresses */
        pleach__page *page = &block->pages[i];
        page->digests = block->digests + PAGE_BYTES * i;
        page->capacity = PAGE;
        atomic_init(&page->sharers, 0);
        push_spare(pages, page);
    }
    return PLEACH_OK;
}

/* How many pages are made if some are missing: more, so that a growing tree does not need memory for every leaf. */
static size_t missing_spares(const pleach__pages *pages, size_t needed)
{
    const size_t made = atomic_load_explicit(&pages->store->made, memory_order_relaxed);
    const size_t least = made / MADE_SHARE < MADE_MOST ? made / MADE_SHARE : MADE_MOST;
    return needed - pages->spares > least ? needed - pages->spares : least;
}

/* Sees to it that there are so many spare pages, the first ones together if that is asked for. */
static pleach_status find_spares(pleach__pages *pages, size_t needed, bool together)
{
    const bool is_first = !pages->store;
    if (needed == 0)
        return PLEACH_OK;
    if (is_first && !(pages->store = pleach__store_create(pages->pool)))
        return no_memory(needed);
    if (pages->spares < needed)
        take_returned(pages);
    if (pages->spares >= needed && !together)
        return PLEACH_OK;
    pleach_status status = make_spares(pages, together ? needed : missing_spares(pages, needed));
    if (status != PLEACH_OK && is_first) {
        pleach__store_free(pages->pool, pages->store);
        pages->store = NULL;
    }
    return status;
}

/* --- tables --- */

static size_t entries_of(unsigned room)
{
    const pleach__pages table = {.room = room};
    return pleach__pages_entry(&table, PLEACH__LEVELS_MAX);
}

static pleach__page **make_table(pleach_pool *pool, size_t entries)
{
    return pleach__allocate(pool, entries * sizeof(pleach__page *));
}

static void free_table(pleach__pages *pages)
{
    pleach__release(pages->pool, pages->table, pages->entries * sizeof *pages->table);
}

/* Makes the table large enough for a tree of `count` leaves. */
static pleach_status make_room(pleach__pages *pages, size_t count)
{
    const unsigned room = pleach__bit_length((count - 1) / PAGE);
    if (pages->table && room <= pages->room)
        return PLEACH_OK;
    pleach__pages grown = *pages;
    grown.room = room;
    grown.entries = entries_of(room);
    grown.table = make_table(pages->pool, grown.entries);
    if (!grown.table)
        return pleach__fail(PLEACH_ENOMEM, "a table of %zu pages could not be had", grown.entries);
    memset(grown.table, 0, grown.entries * sizeof *grown.table);
    for (unsigned l = 0; pages->table && l < PLEACH__LEVELS_MAX; l++) {
        const size_t begin = pleach__pages_entry(pages, l), end = pleach__pages_entry(pages, l + 1);
        memcpy(grown.table + pleach__pages_entry(&grown, l), pages->table + begin, (end - begin) * sizeof *grown.table);
    }
    free_table(pages);
    *pages = grown;
    return PLEACH_OK;
}

static size_t pages_of(size_t digests)
{
    return (digests + PAGE - 1) / PAGE;
}

size_t pleach__pages_run(const pleach__pages *pages, unsigned level, size_t index, size_t end)
{
    pleach__page *const *entry = pages->table + pleach__pages_entry(pages, level) + index / PAGE;
    size_t run = PAGE - index % PAGE;
    for (; run < end - index && entry[1]->digests == entry[0]->digests + PAGE_BYTES; entry++)
        run += PAGE;
    return run < end - index ? run : end - index;
}

/* --- laying --- */

static size_t level_span(size_t count, unsigned level)
{
    return ((size_t)pleach__level_size(count, level) + PAIR - 1) / PAIR * PAIR;
}

/* A store with one block, for a tree of `count` leaves. */
static pleach__store *create_laid_store(pleach_pool *pool, size_t count, unsigned levels)
{
    size_t digests = 0, pages = 0;
    for (unsigned l = 0; l < levels; l++) {
        digests += level_span(count, l);
        pages += pages_of((size_t)pleach__level_size(count, l));
    }
    pleach__store *store = pleach__store_create(pool);
    pleach__page_block *block = store ? pleach__store_add(pool, store, digests, pages) : NULL;
    if (!block) {
        pleach__store_free(pool, store);
        return NULL;
    }
    block->leaves = count;
    return store;
}

/* Puts the pages of a tree that has none into a block, level after level. */
static void lay(pleach__pages *pages, const pleach__page_block *block)
{
    uint8_t *digests = block->digests;
    pleach__page *page = block->pages;
    for (unsigned l = 0; l < pages->levels; l++) {
        pleach__page **entry = pages->table + pleach__pages_entry(pages, l);
        const size_t span = level_span(pages->count, l);
        for (size_t first = 0; first < span; first += PAGE, page++) {
            page->digests = digests + PLEACH_DIGEST_SIZE * first;
            page->capacity = (unsigned)(span - first < PAGE ? span - first : PAGE);
            atomic_init(&page->sharers, 1);
            *entry++ = page;
        }
        digests += PLEACH_DIGEST_SIZE * span;
    }
}

/* The block that the tree may be laid in once more. */
static pleach__page_block *find_laid_block(const pleach__pages *pages, size_t count)
{
    if (!is_alone(pages))
        return NULL;
    pleach__page_block *block = atomic_load_explicit(&pages->store->blocks, memory_order_acquire);
    while (block && block->leaves < count)
        block = block->next;
    return block;
}

/* Clears the table of a tree that alone has its store. */
static void clear_table(pleach__pages *pages)
{
    for (unsigned l = 0; l < pages->levels; l++)
        memset(pages->table + pleach__pages_entry(pages, l), 0,
               pages_of((size_t)pleach__level_size(pages->count, l)) * sizeof *pages->table);
}

/* Forgets all pages of a store that nobody else uses, and frees all blocks but one. */
static void start_again(pleach__pages *pages, pleach__page_block *kept)
{
    pleach__store_keep(pages->pool, pages->store, kept);
    clear_table(pages);
    pages->spare = NULL;
    pages->spares = 0;
}

void pleach__pages_give_spares(pleach__pages *pages)
{
    if (pages->store)
        pleach__store_give(pages->store, pages->spare);
    pages->spare = NULL;
    pages->spares = 0;
}

/* Gives up all pages and the store, but not the table. */
static void leave(pleach__pages *pages)
{
    pleach__store *store = pages->store;
    if (!store)
        return;
    if (is_alone(pages)) {
        clear_table(pages);
    } else {
        pleach__pages_publish(pages, 0, 0);
        pleach__pages_give_spares(pages);
    }
    if (atomic_fetch_sub_explicit(&store->trees, 1, memory_order_acq_rel) == 1)
        pleach__store_free(pages->pool, store);
    pages->store = NULL;
    pages->spare = NULL;
    pages->spares = 0;
}

pleach_status pleach__pages_lay(pleach__pages *pages, size_t count, unsigned levels)
{
    pleach__store *store = NULL;
    pleach__page_block *block = find_laid_block(pages, count);
    if (!block && !(store = create_laid_store(pages->pool, count, levels)))
        return pleach__fail(PLEACH_ENOMEM, "memory for the nodes of %zu leaves could not be had", count);
    pleach_status status = make_room(pages, count);
    if (status != PLEACH_OK) {
        pleach__store_free(pages->pool, store);
        return status;
    }
    if (store) {
        leave(pages);
        pages->store = store;
        block = atomic_load_explicit(&store->blocks, memory_order_relaxed);
    } else {
        start_again(pages, block);
    }
    pages->count = count;
    pages->levels = levels;
    lay(pages, block);
    return PLEACH_OK;
}

/* --- changing --- */

static pleach__page *take_spare(pleach__pages *pages)
{
    pleach__page *page = pages->spare;
    pages->spare = page->next;
    pages->spares--;
    atomic_store_explicit(&page->sharers, 1, memory_order_relaxed);
    return page;
}

/* Puts a spare page in the place of one that may be absent, with its content. */
static void renew(pleach__pages *pages, pleach__page **entry)
{
    pleach__page *page = take_spare(pages), *old = *entry;
    if (old)
        memcpy(page->digests, old->digests, PLEACH_DIGEST_SIZE * old->capacity);
    *entry = page;
    drop(pages, old);
}

/* Whether a page is there, nobody else's, and has room for so many digests. */
static bool is_writable(const pleach__page *page, size_t digests)
{
    return page && atomic_load_explicit(&page->sharers, memory_order_acquire) == 1 && page->capacity >= digests;
}

/* Counts the pages that pleach__pages_reserve() must renew, and perhaps does it. */
static size_t renew_above(pleach__pages *pages, size_t first, size_t count, unsigned levels, bool does)
{
    size_t renewed = 0;
    for (unsigned l = 0; l < levels; l++) {
        const size_t size = (size_t)pleach__level_size(count, l);
        for (size_t node = pleach__node_above(first, l); node < size; node = (node / PAGE + 1) * PAGE) {
            pleach__page **entry = pages->table + pleach__pages_entry(pages, l) + node / PAGE;
            const size_t digests = size - node / PAGE * PAGE;
            if (is_writable(*entry, digests < PAGE ? digests : PAGE))
                continue;
            if (does)
                renew(pages, entry);
            renewed++;
        }
    }
    return renewed;
}

pleach_status pleach__pages_reserve(pleach__pages *pages, size_t first, size_t count, unsigned levels, bool together)
{
    const bool is_new = !pages->table;
    pleach_status status = make_room(pages, count);
    if (status == PLEACH_OK)
        status = find_spares(pages, renew_above(pages, first, count, levels, false), together);
    if (status == PLEACH_OK) {
        (void)renew_above(pages, first, count, levels, true);
    } else if (is_new) {
        free_table(pages);
        pages->table = NULL;
    }
    return status;
}

/* A page in the place of one that is shared, whose content it gets. */
struct renewal {
    pleach__page *page, *old;
};

/* Counts the pages that pleach__pages_own() must renew; puts others in their places if there is a list of these. */
static size_t list_renewals(pleach__pages *pages, const size_t *leaves, size_t n, struct renewal *list)
{
    size_t renewed = 0;
    for (unsigned l = 0; l < pages->levels; l++) {
        pleach__page **last = NULL;
        for (size_t i = 0; i < n; i++) {
            const size_t node = pleach__node_above(leaves[i], l);
            pleach__page **entry = pages->table + pleach__pages_entry(pages, l) + node / PAGE;
            if (entry == last || is_writable(*entry, 0))
                continue;
            last = entry;
            if (list) {
                list[renewed] = (struct renewal){.page = take_spare(pages), .old = *entry};
                *entry = list[renewed].page;
            }
            renewed++;
        }
    }
    return renewed;
}

static pleach_status copy_pages(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    const struct renewal *list = context;
    (void)worker;
    for (size_t i = begin; i < end; i++)
        memcpy(list[i].page->digests, list[i].old->digests, PLEACH_DIGEST_SIZE * list[i].old->capacity);
    return PLEACH_OK;
}

pleach_status pleach__pages_own(pleach__pages *pages, const size_t *leaves, size_t n)
{
    const size_t renewed = is_alone(pages) ? 0 : list_renewals(pages, leaves, n, NULL);
    if (renewed == 0)
        return PLEACH_OK;
    const size_t size = renewed * sizeof(struct renewal);
    struct renewal *list = pleach__allocate(pages->pool, size);
    pleach_status status = list ? find_spares(pages, renewed, false) : no_memory(renewed);
    if (status == PLEACH_OK) {
        (void)list_renewals(pages, leaves, n, list);
        const pleach_job job = {.task = copy_pages, .context = list, .items = renewed, .priority = PLEACH_LATENCY};
        if (renewed < ALONE || pleach_pool_run(pages->pool, &job) != PLEACH_OK)
            (void)copy_pages(list, NULL, 0, renewed);
        for (size_t i = 0; i < renewed; i++)
            drop(pages, list[i].old);
    }
    pleach__release(pages->pool, list, size);
    return status;
}

void pleach__pages_publish(pleach__pages *pages, size_t count, unsigned levels)
{
    pages->count = count;
    pages->levels = levels;
    for (unsigned l = 0; pages->table && l < PLEACH__LEVELS_MAX; l++) {
        const size_t kept = l < levels ? pages_of((size_t)pleach__level_size(count, l)) : 0;
        pleach__page **entry = pages->table + pleach__pages_entry(pages, l) + kept;
        pleach__page *const *end = pages->table + pleach__pages_entry(pages, l + 1);
        for (; entry < end && *entry; entry++) {
            drop(pages, *entry);
            *entry = NULL;
        }
    }
}

pleach_status pleach__pages_share(const pleach__pages *pages, pleach__pages *copy)
{
    pleach__pages shared = *pages;
    shared.spare = NULL;
    shared.spares = 0;
    if (pages->table) {
        shared.table = make_table(pages->pool, pages->entries);
        if (!shared.table)
            return pleach__fail(PLEACH_ENOMEM, "a table of %zu pages could not be had", pages->entries);
    }
    for (size_t i = 0; pages->table && i < pages->entries; i++) {
        shared.table[i] = pages->table[i];
        if (shared.table[i])
            atomic_fetch_add_explicit(&shared.table[i]->sharers, 1, memory_order_relaxed);
    }
    if (pages->store)
        atomic_fetch_add_explicit(&pages->store->trees, 1, memory_order_relaxed);
    *copy = shared;
    return PLEACH_OK;
}

void pleach__pages_clear(pleach__pages *pages)
{
    pleach_pool *pool = pages->pool;
    leave(pages);
    free_table(pages);
    *pages = (pleach__pages){.pool = pool};
}
