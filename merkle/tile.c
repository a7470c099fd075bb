#include "merkle/tile.h"

#include "config/error.h"
#include "merkle/shape.h"
#include "pool/memory.h"

#include <string.h>

/* Amounts of work, in compressions. */
enum {
    ALONE_MOST = 8192,  /* a row that its caller folds sooner than others could be woken, and waited for, to help */
    TILE_LEAST = 4096,  /* a tile whose top levels, too narrow to fill the lanes, do not show */
    TILE_MOST = 32768,  /* a tile that keeps its worker no longer than it should be kept */
    TILES_A_WORKER = 8, /* so that a slow worker can claim less than the others */
};

static _Thread_local char thread; /* its address is another on every thread */

struct tiling {
    const pleach__call *call;
    const pleach__row *row;
    uint8_t *const *level;
    unsigned height;    /* of a tile */
    size_t whole;       /* tiles of 2^height inputs; where something is left, one more follows them */
    size_t tiles;       /* with that one */
    uint8_t *roots;     /* of the tiles */
    uint8_t *scratch;   /* for what is left, one digest each; unused if all levels are stored */
    const char *caller; /* its `thread` */
    bool acted;         /* the aside is done */
};

size_t pleach__row_cost(const pleach__row *row)
{
    size_t bytes = row->hashing.leaf.lead + row->hashing.leaf.form.size;
    return (bytes == 0 ? 1 : (bytes - 1) / 64 + 1) + 1;
}

pleach_status pleach__check_cancel(const pleach_monitor *monitor)
{
    if (monitor && __atomic_load_n(&monitor->cancelled, __ATOMIC_RELAXED))
        return pleach__fail(PLEACH_ECANCELED, "cancelled");
    return PLEACH_OK;
}

/* `lanes`: inputs that are hashed at the price of one. */
static unsigned choose_height(const pleach__call *call, size_t nodes, size_t cost, unsigned lanes)
{
    const unsigned width = pleach_pool_width(call->pool);
    const unsigned whole = pleach__levels(nodes) - 1, least = pleach__bit_length(lanes) - 1;
    if (call->tile > 0)
        return whole < pleach__levels(call->tile) ? whole : pleach__levels(call->tile) - 1;
    if (nodes <= ALONE_MOST / cost)
        return whole;
    unsigned height = whole < PLEACH__FOLD_HEIGHT_MAX ? whole : PLEACH__FOLD_HEIGHT_MAX;
    while (height > least && cost > (size_t)TILE_MOST >> height)
        height--;
    while (height > least && nodes >> height < (size_t)TILES_A_WORKER * width &&
           cost >= (size_t)TILE_LEAST >> (height - 1))
        height--;
    return height;
}

/* Where the digests of a level go from that above input `first` on. */
static uint8_t *place(const struct tiling *tiling, unsigned level, size_t first)
{
    uint8_t *digests = level == tiling->height ? tiling->roots : tiling->level[level];
    return digests ? digests + PLEACH_DIGEST_SIZE * (first >> level) : NULL;
}

static void fold_whole(const struct tiling *tiling, const pleach__backend *backend, size_t first)
{
    const pleach__row *row = tiling->row;
    uint8_t *level[PLEACH__FOLD_HEIGHT_MAX + 1];
    for (unsigned l = 0; l <= tiling->height; l++)
        level[l] = place(tiling, l, first);
    backend->fold(&(pleach__fold){.leaf = &row->hashing.leaf,
                                  .node = &row->hashing.node,
                                  .leaves = row->inputs + first * row->stride,
                                  .stride = row->stride,
                                  .height = tiling->height,
                                  .level = level});
}

/* What whole tiles leave: level by level, a lone node going up as it is. */
static void fold_rest(const struct tiling *tiling, const pleach__backend *backend, size_t first)
{
    const pleach__row *row = tiling->row;
    size_t nodes = row->count - first;
    uint8_t *from = place(tiling, 0, first);
    if (!from)
        from = tiling->scratch;
    backend->hash_many(&row->hashing.leaf, row->inputs + first * row->stride, row->stride, nodes, from);
    if (row->tail)
        memcpy(from + PLEACH_DIGEST_SIZE * nodes++, row->tail, PLEACH_DIGEST_SIZE);
    for (unsigned l = 1; l <= tiling->height; l++) {
        size_t pairs = nodes / 2;
        uint8_t *to = place(tiling, l, first);
        if (!to)
            to = tiling->scratch;
        backend->hash_many(&row->hashing.node, from, 2 * PLEACH_DIGEST_SIZE, pairs, to);
        if (nodes % 2 != 0)
            memmove(to + PLEACH_DIGEST_SIZE * pairs, from + PLEACH_DIGEST_SIZE * 2 * pairs, PLEACH_DIGEST_SIZE);
        nodes -= pairs;
        from = to;
    }
}

static pleach_status fold_tile(const struct tiling *tiling, const pleach__backend *backend, size_t tile)
{
    (tile < tiling->whole ? fold_whole : fold_rest)(tiling, backend, tile << tiling->height);
    return PLEACH_OK;
}

static pleach_status act(struct tiling *tiling)
{
    tiling->acted = true;
    return tiling->call->aside(tiling->call->context);
}

/* Elsewhere than on the calling thread its place in the queue is passed over. */
static pleach_status act_if_caller(struct tiling *tiling)
{
    return tiling->caller == &thread ? act(tiling) : PLEACH_OK;
}

/* Items are the tiles and, if there is an aside, before them a place in the queue for it. */
static pleach_status fold_tiles(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    struct tiling *tiling = context;
    const pleach__backend *backend = worker->kernels->backend[tiling->row->hashing.family];
    const size_t asides = tiling->call->aside != NULL;
    pleach_status status = PLEACH_OK;
    for (size_t item = begin; item < end && status == PLEACH_OK; item++) {
        status = pleach__check_cancel(tiling->call->monitor);
        if (status == PLEACH_OK)
            status = item < asides ? act_if_caller(tiling) : fold_tile(tiling, backend, item - asides);
    }
    return status;
}

static void report(void *context, uint64_t done, uint64_t items)
{
    const struct tiling *tiling = context;
    const pleach__call *call = tiling->call;
    uint64_t tiles = done - (done > 0 && items > tiling->tiles);
    uint64_t inputs = tiles < tiling->tiles ? tiles << tiling->height : tiling->row->count;
    if (call->monitor->progress)
        call->monitor->progress(call->monitor->context, call->before + call->unit * inputs, call->total);
}

static pleach_status run(struct tiling *tiling)
{
    const pleach__call *call = tiling->call;
    pleach_monitor monitor = {.progress = report, .context = tiling};
    tiling->caller = &thread;
    pleach_status status = pleach_pool_run(call->pool, &(pleach_job){.task = fold_tiles,
                                                                     .context = tiling,
                                                                     .items = tiling->tiles + (call->aside != NULL),
                                                                     .monitor = call->monitor ? &monitor : NULL,
                                                                     .priority = call->priority});
    if (status == PLEACH_OK && call->aside && !tiling->acted)
        status = act(tiling); /* a worker came first to its place in the queue */
    return status;
}

static pleach_status fold_roots(const struct tiling *tiling)
{
    const pleach__hashing *hashing = &tiling->row->hashing;
    const pleach__call call = {
        .pool = tiling->call->pool, .priority = tiling->call->priority, .tile = tiling->call->tile};
    const pleach__row pairs = {
        .hashing = {.family = hashing->family, .leaf = hashing->node, .node = hashing->node},
        .inputs = tiling->roots,
        .stride = 2 * PLEACH_DIGEST_SIZE,
        .count = tiling->tiles / 2,
        .tail = tiling->tiles % 2 != 0 ? tiling->roots + PLEACH_DIGEST_SIZE * (tiling->tiles - 1) : NULL,
    };
    return pleach__fold_row(&call, &pairs, tiling->level + tiling->height + 1);
}

pleach_status pleach__fold_row(const pleach__call *call, const pleach__row *row, uint8_t *const *level)
{
    const pleach__backend *backend = NULL;
    pleach_status status = pleach__backend_of(call->pool, row->hashing.family, &backend);
    if (status != PLEACH_OK)
        return status;
    size_t nodes = row->count + (row->tail != NULL);
    struct tiling tiling = {.call = call, .row = row, .level = level};
    tiling.height = choose_height(call, nodes, pleach__row_cost(row), backend->lanes);
    tiling.tiles = (size_t)pleach__level_size(nodes, tiling.height);
    tiling.whole = row->count >> tiling.height;

    bool all_stored = true;
    for (unsigned l = 0; l < tiling.height; l++)
        all_stored = all_stored && level[l];
    size_t roots = level[tiling.height] ? 0 : tiling.tiles;
    size_t rest = all_stored ? 0 : nodes - (tiling.whole << tiling.height);
    size_t size = PLEACH_DIGEST_SIZE * (roots + rest);
    uint8_t *memory = NULL;
    if (size > 0 && !(memory = pleach__allocate(call->pool, size)))
        return pleach__fail(PLEACH_ENOMEM, "%zu bytes for digests could not be had", size);
    tiling.roots = roots > 0 ? memory : level[tiling.height];
    tiling.scratch = memory + PLEACH_DIGEST_SIZE * roots;

    status = run(&tiling);
    if (status == PLEACH_OK && tiling.tiles > 1)
        status = fold_roots(&tiling);
    pleach__release(call->pool, memory, size);
    return status;
}

pleach_status pleach__fold_root(const pleach__call *call, const pleach__row *row, uint8_t *root)
{
    uint8_t *level[PLEACH__LEVELS_MAX] = {NULL}, digest[PLEACH_DIGEST_SIZE];
    level[pleach__levels(row->count + (row->tail != NULL)) - 1] = digest;
    pleach_status status = pleach__fold_row(call, row, level);
    if (status == PLEACH_OK)
        memcpy(root, digest, sizeof digest);
    return status;
}
