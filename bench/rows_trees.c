/* Rows that build whole trees. */
#include "bench/building.h"

#include "config/error.h"
#include "pool/memory.h"

#include <math.h>
#include <string.h>

enum { TREES_MAX = 7, SCALAR_HEIGHT = 14, TILE_HEIGHT = 12 };

/* Trees that are built one after the other. */
struct trees {
    enum { PER_BUILD, PER_LEAF } value; /* milliseconds for all; nanoseconds */
    unsigned count;
    pleach__bench_shape shape[TREES_MAX];
};

/* What is known of them so far. */
struct sums {
    pleach__bench_timing timing;
    pleach__bench_cost cost;
    double scalar_ns;
};

static pleach_status time_pair(pleach__bench_building *building, pleach__bench_building *scalar, struct sums *sums)
{
    const pleach__bench_subject subject[] = {pleach__bench_building_subject(building),
                                             pleach__bench_building_subject(scalar)};
    pleach__bench_timing timing[2];
    pleach__bench_cost cost, scalar_cost;
    pleach_status status = pleach__bench_building_cost(building, &cost);
    status = status == PLEACH_OK ? pleach__bench_building_cost(scalar, &scalar_cost) : status;
    status = status == PLEACH_OK ? pleach__bench_time(subject, 2, timing) : status;
    if (status != PLEACH_OK)
        return status;
    pleach__bench_add_timing(&sums->timing, &timing[0]);
    pleach__bench_add_cost(&sums->cost, cost, 1);
    sums->scalar_ns += timing[1].ns * cost.compressions / scalar_cost.compressions;
    return PLEACH_OK;
}

/* The same work by the scalar code, on a smaller tree. */
static pleach_status open_scalar(pleach__bench_building *scalar, const pleach__bench *bench,
                                 const pleach__bench_shape *shape, const uint8_t *inputs)
{
    const pleach_config config = pleach__bench_scalar(bench);
    pleach__bench_shape small = *shape;
    small.height = small.height < SCALAR_HEIGHT ? small.height : SCALAR_HEIGHT;
    return pleach__bench_open(scalar, &config, &small, inputs);
}

static pleach_status measure_tree(const pleach__bench *bench, const pleach__bench_shape *shape, const uint8_t *inputs,
                                  struct sums *sums, pleach__bench_result *result)
{
    pleach__bench_building building, scalar;
    pleach_status status = pleach__bench_open(&building, &bench->config, shape, inputs);
    if (status != PLEACH_OK)
        return status;
    result->backend = pleach__bench_building_backend(&building)->name;
    result->workers = pleach_pool_width(building.pool);
    status = open_scalar(&scalar, bench, shape, inputs);
    if (status == PLEACH_OK) {
        bool right = false, scalar_right = false;
        status = pleach__bench_verify(&building, &right);
        status = status == PLEACH_OK ? pleach__bench_verify(&scalar, &scalar_right) : status;
        result->wrong = status == PLEACH_OK && !(right && scalar_right);
        if (status == PLEACH_OK && !result->wrong)
            status = time_pair(&building, &scalar, sums);
        pleach__bench_close(&scalar);
    }
    pleach__bench_close(&building);
    return status;
}

static pleach_status measure_trees(const pleach__bench_row *row, const pleach__bench *bench,
                                   pleach__bench_result *result)
{
    const struct trees *trees = row->work;
    size_t size = 0;
    for (unsigned i = 0; i < trees->count; i++) {
        const size_t leaves = pleach__bench_leaves_size(&trees->shape[i]);
        size = leaves > size ? leaves : size;
    }
    uint8_t *inputs = pleach__allocate(bench->pool, size);
    if (!inputs)
        return pleach__fail(PLEACH_ENOMEM, "no memory for %zu bytes of leaves", size);
    pleach__bench_fill(inputs, size);
    struct sums sums = {0};
    pleach_status status = PLEACH_OK;
    for (unsigned i = 0; status == PLEACH_OK && !result->wrong && i < trees->count; i++)
        status = measure_tree(bench, &trees->shape[i], inputs, &sums, result);
    pleach__release(bench->pool, inputs, size);
    if (status != PLEACH_OK || result->wrong)
        return status;
    const double leaves = (double)((size_t)1 << trees->shape[0].height);
    result->value = trees->value == PER_LEAF ? sums.timing.ns / leaves : sums.timing.ns / 1e6;
    result->scalar = sums.scalar_ns / sums.timing.ns;
    pleach__bench_note(result, &sums.timing, sums.cost);
    return PLEACH_OK;
}

/* A tree over digests as given: level 0 is the digests, and every node above is stored. */
struct folding {
    const pleach__backend *backend;
    pleach__hash_plan node;
    unsigned height;
    const uint8_t *digests;
    uint8_t *level[sizeof(size_t) * 8]; /* from level 1 on */
};

static void fold(const struct folding *folding, const uint8_t *leaves, unsigned height, uint8_t *const *level)
{
    const pleach__fold part = {
        .leaf = &folding->node,
        .node = &folding->node,
        .leaves = leaves,
        .stride = 2 * PLEACH_DIGEST_SIZE,
        .height = height,
        .level = level,
    };
    folding->backend->fold(&part);
}

/* Tiles, and then their roots, which are a small tree of the same kind. */
static pleach_status fold_all(void *context)
{
    const struct folding *folding = context;
    const unsigned pairs = folding->height - 1, tile = pairs < TILE_HEIGHT ? pairs : TILE_HEIGHT;
    for (size_t i = 0; i < (size_t)1 << (pairs - tile); i++) {
        uint8_t *level[TILE_HEIGHT + 1];
        for (unsigned l = 0; l <= tile; l++)
            level[l] = folding->level[l] + ((i << (tile - l)) * PLEACH_DIGEST_SIZE);
        fold(folding, folding->digests + ((i << tile) * 2 * PLEACH_DIGEST_SIZE), tile, level);
    }
    if (pairs > tile)
        fold(folding, folding->level[tile], pairs - tile - 1, folding->level + tile + 1);
    return PLEACH_OK;
}

static bool fold_right(struct folding *folding)
{
    (void)fold_all(folding);
    const uint8_t *below = folding->digests;
    for (unsigned l = 0; l < folding->height; l++) {
        const size_t nodes = (size_t)1 << (folding->height - 1 - l);
        if (!pleach__bench_right(PLEACH_SHA256, &folding->node.form, below, 2 * PLEACH_DIGEST_SIZE, nodes,
                                 folding->level[l]))
            return false;
        below = folding->level[l];
    }
    return true;
}

/* Bytes of all levels. */
static size_t folding_size(unsigned height)
{
    return ((size_t)2 << height) * PLEACH_DIGEST_SIZE;
}

static pleach_status open_folding(struct folding *folding, const pleach__backend *backend, unsigned height,
                                  uint8_t *memory)
{
    const pleach__hash_form form = {.size = 2 * PLEACH_DIGEST_SIZE, .prefix = PLEACH__NO_PREFIX};
    *folding = (struct folding){.backend = backend, .height = height, .digests = memory};
    pleach__bench_fill(memory, folding_size(height));
    for (unsigned l = 0; l < height; l++)
        folding->level[l] = memory + folding_size(height) - folding_size(height - 1 - l);
    return pleach__sha256.plan(&folding->node, &form);
}

static pleach_status time_foldings(struct folding *folding, struct folding *scalar, pleach__bench_result *result)
{
    const pleach__bench_subject subject[] = {{.run = fold_all, .context = folding},
                                             {.run = fold_all, .context = scalar}};
    const double nodes = (double)(((size_t)1 << folding->height) - 1);
    const double scalar_nodes = (double)(((size_t)1 << scalar->height) - 1);
    pleach__bench_timing timing[2];
    pleach_status status = pleach__bench_time(subject, 2, timing);
    if (status != PLEACH_OK)
        return status;
    pleach__bench_cost cost = {0, 0};
    pleach__bench_add_cost(&cost, pleach__bench_cost_of(PLEACH_SHA256, folding->backend, &folding->node), nodes);
    result->value = timing[0].ns / nodes;
    result->scalar = timing[1].ns / scalar_nodes / result->value;
    pleach__bench_note(result, &timing[0], cost);
    return PLEACH_OK;
}

static pleach_status measure_folding(const pleach__bench_row *row, const pleach__bench *bench,
                                     pleach__bench_result *result)
{
    const unsigned height = *(const unsigned *)row->work;
    const size_t size = folding_size(height) + folding_size(SCALAR_HEIGHT);
    uint8_t *memory = pleach__allocate(bench->pool, size);
    if (!memory)
        return pleach__fail(PLEACH_ENOMEM, "no memory for %zu bytes of nodes", size);
    const pleach__backend *backend = pleach_pool_kernels(bench->pool)->backend[PLEACH_SHA256];
    const pleach__backend *portable = pleach__bench_backend(PLEACH_SHA256, "portable");
    result->backend = backend->name;
    result->workers = 1;
    struct folding folding, scalar;
    pleach_status status = open_folding(&folding, backend, height, memory);
    if (status == PLEACH_OK)
        status = open_folding(&scalar, portable, SCALAR_HEIGHT, memory + folding_size(height));
    if (status == PLEACH_OK)
        result->wrong = !fold_right(&folding) || !fold_right(&scalar);
    if (status == PLEACH_OK && !result->wrong)
        status = time_foldings(&folding, &scalar, result);
    pleach__release(bench->pool, memory, size);
    return status;
}

#define ROW(number, name, unit, target, ...) \
    PLEACH__BENCH_ROW(number, name, unit, AT_MOST, target, measure_trees, &(const struct trees){__VA_ARGS__})
#define BLAKE2S(manner, height, size, zeros)                               \
    {                                                                      \
        PLEACH_SCHEME_BLAKE2S, PLEACH__BENCH_##manner, height, size, zeros \
    }

/* Padded rows, then the trees of the rounds. */
static const struct trees proof = {
    PER_BUILD,
    7,
    {BLAKE2S(KEPT, 22, 296, 216), BLAKE2S(KEPT, 22, 192, 0), BLAKE2S(KEPT, 21, 192, 0), BLAKE2S(KEPT, 20, 192, 0),
     BLAKE2S(KEPT, 19, 192, 0), BLAKE2S(KEPT, 18, 192, 0), BLAKE2S(KEPT, 17, 192, 0)},
};

const pleach__bench_row pleach__bench_rows_trees[] = {
    ROW(4, "BLAKE2s tree, 2^20 x 64 B, all nodes", "ms", 23.5, PER_BUILD, 1, {BLAKE2S(KEPT, 20, 64, 0)}),
    ROW(5, "BLAKE2s tree, 2^20 x 64 B, root only", "ms", 21, PER_BUILD, 1, {BLAKE2S(ROOT, 20, 64, 0)}),
    ROW(6, "BLAKE2s tree, 2^16 x 1024 B, all nodes", "ms", 12.3, PER_BUILD, 1, {BLAKE2S(KEPT, 16, 1024, 0)}),
    ROW(7, "BLAKE2s tree, 2^20 x 64 B, fresh buffers", "ms", 32, PER_BUILD, 1, {BLAKE2S(FRESH, 20, 64, 0)}),
    PLEACH__BENCH_ROW(8, "Merkle work of one aggregation proof", "ms", AT_MOST, 600, measure_trees, &proof,
                      .heavy = true),
    PLEACH__BENCH_ROW(11, "SHA-256 tree, 2^20 x 32 B (SSZ), a node", "ns", AT_MOST, 23.5, measure_folding,
                      &(const unsigned){20}),
    ROW(13, "RFC 6962 tree, 2^20 x 32 B, a leaf", "ns", 39, PER_LEAF, 1,
        {{PLEACH_SCHEME_RFC6962, PLEACH__BENCH_KEPT, 20, 32, 0}}),
    {0},
};
