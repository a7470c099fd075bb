#include "config/error.h"
#include "merkle/leaves.h"
#include "merkle/stored.h"
#include "pool/memory.h"

#include <string.h>

enum {
    DIGIT_BITS = 8, /* of the numbers by which changes are sorted */
    DIGITS = 1 << DIGIT_BITS,
    GROUP = 64,         /* pairs that are gathered before they are hashed */
    PART_LEAST = 64,    /* changes of a part: enough to fill the lanes at its lower levels */
    PARTS_A_WORKER = 8, /* so that a slow worker can claim less than the others */
};

/* A leaf of the tree, and which of those given replaces it. */
struct change {
    size_t leaf, from;
};

/*
 * Leaves that are replaced. The changes below each node of level `height` are a part: what stands above them, up to
 * that node, is made by whoever claims it, and what stands above the parts by the caller.
 */
struct update {
    const pleach__pages *pages;
    const pleach__row *row;
    const pleach__call *call;
    struct change *changes; /* in the order of their leaves, each once */
    size_t count;
    uint8_t *digests; /* of the leaves given */
    size_t *nodes;    /* the changes' ancestors at one level: those of a part are where its changes are */
    unsigned height;
};

/* --- what is changed --- */

/* One pass of a radix sort. */
static void sort_by(unsigned shift, const struct change *from, struct change *to, size_t n)
{
    size_t place[DIGITS + 1] = {0};
    for (size_t i = 0; i < n; i++)
        place[(from[i].leaf >> shift) % DIGITS + 1]++;
    for (size_t digit = 0; digit < DIGITS; digit++)
        place[digit + 1] += place[digit];
    for (size_t i = 0; i < n; i++)
        to[place[(from[i].leaf >> shift) % DIGITS]++] = from[i];
}

/* Sorts the changes of a tree of `leaves`, equal ones in the order they were given; `other` is room for as many. */
static void sort_changes(struct update *update, struct change *other, size_t leaves)
{
    const unsigned bits = pleach__bit_length(leaves - 1);
    bool sorted = true;
    for (size_t i = 1; i < update->count; i++)
        sorted = sorted && update->changes[i - 1].leaf <= update->changes[i].leaf;
    for (unsigned shift = 0; shift < bits && !sorted; shift += DIGIT_BITS) {
        struct change *from = update->changes;
        sort_by(shift, from, other, update->count);
        update->changes = other;
        other = from;
    }
    update->nodes = (size_t *)(void *)other;
}

/* Of changes of one leaf, only the last counts. Lists the leaves that are left, as nodes. */
static void drop_repeated(struct update *update)
{
    size_t kept = 0;
    for (size_t i = 0; i < update->count; i++) {
        const struct change change = update->changes[i];
        if (i + 1 < update->count && change.leaf == update->changes[i + 1].leaf)
            continue;
        update->changes[kept] = change;
        update->nodes[kept++] = change.leaf;
    }
    update->count = kept;
}

/* --- the new nodes --- */

static pleach_status hash_leaves(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    const struct update *update = context;
    const pleach__row *row = update->row;
    const pleach__backend *backend = worker->kernels->backend[row->hashing.family];
    pleach_status status = PLEACH_OK;
    for (size_t item = begin; item < end && status == PLEACH_OK; item++) {
        const size_t first = item << update->height, size = (size_t)1 << update->height;
        status = pleach__check_cancel(update->call->monitor);
        if (status == PLEACH_OK)
            status = pleach__hash_inputs(row, backend, first, row->count - first < size ? row->count - first : size,
                                         update->digests + PLEACH_DIGEST_SIZE * first);
    }
    return status;
}

/* The last step that can fail. */
static pleach_status hash_all(struct update *update, const pleach__backend *backend)
{
    const pleach__row *row = update->row;
    pleach__watch watch;
    update->height = pleach__tile_height(update->call, row, row->count, backend->lanes);
    return pleach_pool_run(update->call->pool,
                           &(pleach_job){.task = hash_leaves,
                                         .context = update,
                                         .items = ((row->count - 1) >> update->height) + 1,
                                         .monitor = pleach__watch_leaves(&watch, update->call->monitor, row->count),
                                         .priority = update->call->priority});
}

/* Turns the n nodes of a list, in order and each once, into their parents at `level`; returns the number of these. */
static size_t find_parents(size_t *nodes, size_t n)
{
    size_t parents = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t parent = nodes[i] / 2;
        if (parents == 0 || nodes[parents - 1] != parent)
            nodes[parents++] = parent;
    }
    return parents;
}

/* Makes the n nodes of a list at `level` from their children. */
static void make_nodes(const struct update *update, const pleach__backend *backend, unsigned level, const size_t *nodes,
                       size_t n)
{
    const pleach__pages *pages = update->pages;
    const pleach__hashing *hashing = &update->row->hashing;
    const size_t children = (size_t)pleach__level_size(pages->count, level - 1);
    uint8_t pairs[GROUP * 2 * PLEACH_DIGEST_SIZE];
    if (2 * nodes[n - 1] + 1 == children) {
        n--;
        pleach__hash_lone(hashing, backend, level - 1, pleach__pages_at(pages, level - 1, 2 * nodes[n]),
                          pleach__pages_at(pages, level, nodes[n]));
    }
    for (size_t done = 0, some; done < n; done += some) {
        some = n - done < GROUP ? n - done : GROUP;
        for (size_t i = 0; i < some; i++)
            memcpy(pairs + 2 * PLEACH_DIGEST_SIZE * i, pleach__pages_at(pages, level - 1, 2 * nodes[done + i]),
                   2 * PLEACH_DIGEST_SIZE);
        backend->hash_many(&hashing->node, pairs, 2 * PLEACH_DIGEST_SIZE, some, pairs);
        for (size_t i = 0; i < some; i++)
            memcpy(pleach__pages_at(pages, level, nodes[done + i]), pairs + PLEACH_DIGEST_SIZE * i, PLEACH_DIGEST_SIZE);
    }
}

/* Makes what stands above the n nodes of a list, from level `low` up to `high`. */
static void make_ancestors(const struct update *update, const pleach__backend *backend, size_t *nodes, size_t n,
                           unsigned low, unsigned high)
{
    for (unsigned l = low; l <= high; l++) {
        n = find_parents(nodes, n);
        make_nodes(update, backend, l, nodes, n);
    }
}

/* The first change of a part, or of the parts after it. */
static size_t find_part(const struct update *update, size_t part)
{
    size_t low = 0, high = update->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (update->changes[middle].leaf >> update->height < part)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static pleach_status make_parts(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    const struct update *update = context;
    const pleach__backend *backend = worker->kernels->backend[update->row->hashing.family];
    for (size_t part = begin; part < end; part++) {
        const size_t first = find_part(update, part), n = find_part(update, part + 1) - first;
        for (size_t i = first; i < first + n; i++) {
            const struct change *change = &update->changes[i];
            memcpy(pleach__pages_at(update->pages, 0, change->leaf),
                   update->digests + PLEACH_DIGEST_SIZE * change->from, PLEACH_DIGEST_SIZE);
        }
        if (n > 0)
            make_ancestors(update, backend, update->nodes + first, n, 1, update->height);
    }
    return PLEACH_OK;
}

/* Levels that are cut off above parts: none if there are too few changes for several workers. */
static unsigned choose_split(const struct update *update)
{
    const size_t width = pleach_pool_width(update->call->pool);
    const size_t most = width > 1 ? PARTS_A_WORKER * width : 1;
    const size_t parts = update->count / PART_LEAST < most ? update->count / PART_LEAST : most;
    return parts > 1 ? pleach__bit_length(parts) - 1 : 0;
}

/* Cannot fail: a caller whom the pool refuses makes all parts. */
static void make_all(struct update *update, const pleach__backend *backend)
{
    const pleach__pages *pages = update->pages;
    update->height = pleach__levels(pages->count) - 1 - choose_split(update);
    const size_t parts = ((pages->count - 1) >> update->height) + 1;
    const pleach_job job = {.task = make_parts, .context = update, .items = parts, .priority = update->call->priority};
    if (pleach_pool_run(update->call->pool, &job) != PLEACH_OK) {
        const pleach_worker caller = {.kernels = pleach_pool_kernels(update->call->pool)};
        (void)make_parts(update, &caller, 0, parts);
    }
    size_t n = 0;
    for (size_t i = 0; i < update->count; i++) {
        const size_t node = update->changes[i].leaf >> update->height;
        if (n == 0 || update->nodes[n - 1] != node)
            update->nodes[n++] = node;
    }
    make_ancestors(update, backend, update->nodes, n, update->height + 1, pages->levels - 1);
}

/* --- the call --- */

static pleach_status check_indices(const pleach_tree *tree, const uint64_t *index, size_t n)
{
    if (!index && n > 0)
        return pleach__fail(PLEACH_EINVAL, "index = NULL");
    for (size_t i = 0; i < n; i++)
        if (index[i] >= tree->pages.count)
            return pleach__fail(PLEACH_ERANGE, "index[%zu] = %llu: the tree has %zu leaves", i,
                                (unsigned long long)index[i], tree->pages.count);
    return PLEACH_OK;
}

pleach_status pleach_tree_update(pleach_tree *tree, const uint64_t *index, const pleach_leaves *leaves,
                                 pleach_monitor *monitor)
{
    if (!tree)
        return pleach__fail(PLEACH_EINVAL, "tree = NULL");
    const pleach__backend *backend = NULL;
    pleach_pool *pool = tree->pages.pool;
    pleach__row row;
    pleach_status status = pleach__leaves_plan(&tree->scheme, leaves, &row);
    if (status == PLEACH_OK)
        status = check_indices(tree, index, row.count);
    if (status == PLEACH_OK)
        status = pleach__backend_of(pool, tree->scheme.family, &backend);
    if (status != PLEACH_OK || row.count == 0)
        return status;
    const size_t size = (2 * sizeof(struct change) + PLEACH_DIGEST_SIZE) * row.count;
    uint8_t *memory = pleach__allocate(pool, size);
    if (!memory)
        return pleach__fail(PLEACH_ENOMEM, "%zu bytes for changes of %zu leaves could not be had", size, row.count);
    const pleach__call call = pleach__leaves_call(pool, &row, monitor);
    struct update update = {.pages = &tree->pages, .row = &row, .call = &call, .count = row.count, .digests = memory};
    update.changes = (struct change *)(void *)(memory + PLEACH_DIGEST_SIZE * row.count);
    for (size_t i = 0; i < row.count; i++)
        update.changes[i] = (struct change){.leaf = (size_t)index[i], .from = i};
    sort_changes(&update, update.changes + row.count, tree->pages.count);
    drop_repeated(&update);
    status = pleach__pages_own(&tree->pages, update.nodes, update.count);
    if (status == PLEACH_OK)
        status = hash_all(&update, backend);
    if (status == PLEACH_OK)
        make_all(&update, backend);
    pleach__release(pool, memory, size);
    return status;
}
