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
    size_t nodes;       /* of the row: its inputs and the tail */
    size_t tiles;       /* of 2^height nodes, but for the last one */
    uint8_t *roots;     /* of the tiles */
    uint8_t *scratch;   /* for digests that are not stored */
    size_t share;       /* bytes of it that each participant has; 0 if only the last tile needs any */
    const char *caller; /* its `thread` */
    bool acted;         /* the aside is done */
};

/* A part of the row. */
struct tile {
    const pleach__backend *backend;
    size_t first, inputs; /* of the row */
    size_t nodes;         /* these, and the tail if it follows them */
    uint8_t *scratch;
};

size_t pleach__row_cost(const pleach__row *row)
{
    const pleach__hashing *hashing = &row->hashing;
    const size_t node = 1 + hashing->node.form.twice;
    if (hashing->given)
        return node;
    size_t bytes = row->list ? row->list_bytes / row->count : hashing->leaf.lead + hashing->leaf.form.size;
    return (bytes == 0 ? 1 : (bytes - 1) / 64 + 1) + hashing->leaf.form.twice + node;
}

pleach_status pleach__check_cancel(const pleach_monitor *monitor)
{
    if (monitor && __atomic_load_n(&monitor->cancelled, __ATOMIC_RELAXED))
        return pleach__fail(PLEACH_ECANCELED, "cancelled");
    return PLEACH_OK;
}

unsigned pleach__tile_height(const pleach__call *call, const pleach__row *row, size_t nodes, unsigned lanes)
{
    const unsigned width = pleach_pool_width(call->pool), whole = pleach__levels(nodes) - 1;
    const unsigned least = pleach__bit_length(lanes) - 1 + row->hashing.given; /* pairs fill the lanes, or leaves do */
    const size_t cost = pleach__row_cost(row);
    if (call->tile > 0 && whole > 0) {
        unsigned asked = pleach__levels(call->tile) - 1;
        asked = asked > row->hashing.given ? asked : row->hashing.given; /* rows must become shorter */
        return whole < asked ? whole : asked;
    }
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

static bool is_contiguous(const pleach__row *row)
{
    return row->hashing.given && !row->list && row->stride == PLEACH_DIGEST_SIZE;
}

/* Of one size, to be hashed. */
static bool is_uniform(const pleach__row *row)
{
    return !row->hashing.given && !row->list;
}

/* The perfect subtree over inputs, or over pairs of digests. */
static void fold_perfect(const struct tiling *tiling, const struct tile *tile, const uint8_t *digests)
{
    const pleach__row *row = tiling->row;
    const unsigned skipped = digests != NULL;
    uint8_t *level[PLEACH__FOLD_HEIGHT_MAX + 1];
    if (tiling->height < skipped)
        return;
    for (unsigned l = skipped; l <= tiling->height; l++)
        level[l - skipped] = place(tiling, l, tile->first);
    tile->backend->fold(&(pleach__fold){.leaf = digests ? &row->hashing.node : &row->hashing.leaf,
                                        .node = &row->hashing.node,
                                        .leaves = digests ? digests : row->inputs + tile->first * row->stride,
                                        .stride = digests ? 2 * PLEACH_DIGEST_SIZE : row->stride,
                                        .height = tiling->height - skipped,
                                        .level = level});
}

/* The same of anything else, level by level. */
static void fold_levels(const struct tiling *tiling, const struct tile *tile, const uint8_t *digests)
{
    const pleach__call *call = tiling->call;
    size_t nodes = tile->nodes;
    for (unsigned l = 0; l < tiling->height; l++) {
        uint8_t *parents = place(tiling, l + 1, tile->first);
        if (!parents)
            parents = tile->scratch;
        if (call->mutated && pleach__has_equal_pair(digests, nodes))
            __atomic_store_n(call->mutated, true, __ATOMIC_RELAXED);
        pleach__hash_parents(&tiling->row->hashing, tile->backend, tiling->row->level + l, digests, nodes, parents);
        nodes -= nodes / 2;
        digests = parents;
    }
}

pleach_status pleach__hash_inputs(const pleach__row *row, const pleach__backend *backend, size_t first, size_t count,
                                  uint8_t *digests)
{
    const pleach__hashing *hashing = &row->hashing;
    const uint8_t *inputs = row->inputs + first * row->stride;
    const pleach_input *list = row->list ? row->list + first : NULL;
    if (is_contiguous(row))
        memmove(digests, inputs, PLEACH_DIGEST_SIZE * count); /* perhaps where they are */
    else if (hashing->given)
        for (size_t i = 0; i < count; i++)
            memcpy(digests + PLEACH_DIGEST_SIZE * i, list ? list[i].bytes : inputs + row->stride * i,
                   PLEACH_DIGEST_SIZE);
    else if (list)
        return pleach__hash_list(pleach__family_of(hashing->family), backend, &hashing->leaf.form, list, count,
                                 digests);
    else
        backend->hash_many(&hashing->leaf, inputs, row->stride, count, digests);
    return PLEACH_OK;
}

/* Finds or makes the digests of level 0. */
static pleach_status take_inputs(const struct tiling *tiling, const struct tile *tile, const uint8_t **digests)
{
    const pleach__row *row = tiling->row;
    const uint8_t *inputs = row->inputs + tile->first * row->stride;
    uint8_t *to = place(tiling, 0, tile->first);
    if (is_contiguous(row) && tile->nodes == tile->inputs && (!to || to == inputs)) {
        *digests = inputs;
        return PLEACH_OK;
    }
    if (!to)
        to = tile->scratch;
    *digests = to;
    if (tile->nodes > tile->inputs)
        memcpy(to + PLEACH_DIGEST_SIZE * tile->inputs, row->tail, PLEACH_DIGEST_SIZE);
    return pleach__hash_inputs(row, tile->backend, tile->first, tile->inputs, to);
}

static pleach_status fold_tile(const struct tiling *tiling, const pleach_worker *worker, size_t index)
{
    const pleach__row *row = tiling->row;
    const size_t first = index << tiling->height, most = (size_t)1 << tiling->height;
    const struct tile tile = {
        .backend = worker->kernels->backend[row->hashing.family],
        .first = first,
        .inputs = row->count - first < most ? row->count - first : most,
        .nodes = tiling->nodes - first < most ? tiling->nodes - first : most,
        .scratch = tiling->scratch ? tiling->scratch + tiling->share * worker->index : NULL,
    };
    const bool is_perfect = tile.inputs == most && !tiling->call->mutated;
    const uint8_t *digests = NULL;
    pleach_status status = PLEACH_OK;
    if (!is_perfect || !is_uniform(row))
        status = take_inputs(tiling, &tile, &digests);
    if (status == PLEACH_OK)
        (is_perfect ? fold_perfect : fold_levels)(tiling, &tile, digests);
    return status;
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
    const size_t asides = tiling->call->aside != NULL;
    pleach_status status = PLEACH_OK;
    for (size_t item = begin; item < end && status == PLEACH_OK; item++) {
        status = pleach__check_cancel(tiling->call->monitor);
        if (status == PLEACH_OK)
            status = item < asides ? act_if_caller(tiling) : fold_tile(tiling, worker, item - asides);
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
    const pleach__call call = {.pool = tiling->call->pool,
                               .priority = tiling->call->priority,
                               .tile = tiling->call->tile,
                               .mutated = tiling->call->mutated};
    pleach__row roots = {.hashing = tiling->row->hashing,
                         .inputs = tiling->roots,
                         .stride = PLEACH_DIGEST_SIZE,
                         .count = tiling->tiles,
                         .level = tiling->row->level + tiling->height};
    roots.hashing.given = true;
    return pleach__fold_row(&call, &roots, tiling->level + tiling->height);
}

/* Bytes of scratch for all participants, of which tiling->share becomes each one's. */
static size_t plan_scratch(struct tiling *tiling)
{
    const pleach__row *row = tiling->row;
    const size_t most = (size_t)1 << tiling->height, rest = tiling->nodes % most;
    bool all_stored = true;
    for (unsigned l = 0; l < tiling->height; l++)
        all_stored = all_stored && tiling->level[l];
    if (all_stored)
        return 0;
    const bool is_made = !is_uniform(row) && !is_contiguous(row) && !tiling->level[0];
    if (!is_made && !tiling->call->mutated)
        return PLEACH_DIGEST_SIZE * (row->tail && rest == 0 ? most : rest);
    tiling->share = PLEACH_DIGEST_SIZE * (tiling->nodes < most ? tiling->nodes : most);
    return tiling->share * (tiling->tiles > 1 ? pleach_pool_width(tiling->call->pool) : 1);
}

pleach_status pleach__fold_row(const pleach__call *call, const pleach__row *row, uint8_t *const *level)
{
    const pleach__backend *backend = NULL;
    pleach_status status = pleach__backend_of(call->pool, row->hashing.family, &backend);
    if (status != PLEACH_OK)
        return status;
    struct tiling tiling = {.call = call, .row = row, .level = level, .nodes = row->count + (row->tail != NULL)};
    tiling.height = pleach__tile_height(call, row, tiling.nodes, backend->lanes);
    tiling.tiles = (size_t)pleach__level_size(tiling.nodes, tiling.height);

    size_t scratch = plan_scratch(&tiling);
    size_t size = scratch + PLEACH_DIGEST_SIZE * (level[tiling.height] ? 0 : tiling.tiles);
    uint8_t *memory = NULL;
    if (size > 0 && !(memory = pleach__allocate(call->pool, size)))
        return pleach__fail(PLEACH_ENOMEM, "%zu bytes for digests could not be had", size);
    tiling.scratch = memory;
    tiling.roots = level[tiling.height] ? level[tiling.height] : memory + scratch;

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

bool pleach__has_equal_pair(const uint8_t *nodes, size_t count)
{
    for (size_t i = 0; i + 1 < count; i += 2, nodes += 2 * PLEACH_DIGEST_SIZE)
        if (memcmp(nodes, nodes + PLEACH_DIGEST_SIZE, PLEACH_DIGEST_SIZE) == 0)
            return true;
    return false;
}
