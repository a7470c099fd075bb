/* Rows that build whole trees. */
#include "bench/building.h"

#include "config/error.h"
#include "merkle/tile.h"
#include "pool/memory.h"

#include <math.h>
#include <string.h>

enum { TREES_MAX = 7, SCALAR_HEIGHT = 14 };

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

/* A tree over digests as given, where they are: level 0 is the digests, and every node above is stored. */
struct folding {
    pleach_pool *pool; /* its own */
    pleach__row row;
    unsigned height;
    uint8_t *level[sizeof(size_t) * 8];
};

static pleach_status fold_all(void *context)
{
    const struct folding *folding = context;
    return pleach__fold_row(&(pleach__call){.pool = folding->pool}, &folding->row, folding->level);
}

static bool fold_right(struct folding *folding)
{
    if (fold_all(folding) != PLEACH_OK)
        return false;
    for (unsigned l = 0; l < folding->height; l++)
        if (!pleach__bench_right(PLEACH_SHA256, &folding->row.hashing.node.form, folding->level[l],
                                 2 * PLEACH_DIGEST_SIZE, folding->row.count >> (l + 1), folding->level[l + 1]))
            return false;
    return true;
}

/* Bytes of all levels. */
static size_t folding_size(unsigned height)
{
    return ((size_t)2 << height) * PLEACH_DIGEST_SIZE;
}

static pleach_status open_folding(struct folding *folding, const pleach_config *config, unsigned height,
                                  uint8_t *memory)
{
    *folding = (struct folding){.height = height};
    folding->row.inputs = memory;
    folding->row.stride = PLEACH_DIGEST_SIZE;
    folding->row.count = (size_t)1 << height;
    for (unsigned l = 0; l <= height; l++)
        folding->level[l] = memory + (folding_size(height) - folding_size(height - l));
    pleach__bench_fill(memory, folding_size(height));
    pleach_status status = pleach__scheme_hashing(PLEACH_SCHEME_SSZ, PLEACH_DIGEST_SIZE, 0, &folding->row.hashing);
    return status == PLEACH_OK ? pleach_pool_create(&folding->pool, config) : status;
}

static pleach_status time_foldings(struct folding *folding, struct folding *scalar, pleach__bench_result *result)
{
    const pleach__backend *backend = pleach_pool_kernels(folding->pool)->backend[PLEACH_SHA256];
    const pleach__bench_subject subject[] = {
        {.run = fold_all, .context = folding, .waits = pleach_pool_width(folding->pool) > 1},
        {.run = fold_all, .context = scalar}};
    const double nodes = (double)(folding->row.count - 1), scalar_nodes = (double)(scalar->row.count - 1);
    pleach__bench_timing timing[2];
    result->backend = backend->name;
    result->workers = pleach_pool_width(folding->pool);
    result->wrong = !fold_right(folding) || !fold_right(scalar);
    if (result->wrong)
        return PLEACH_OK;
    pleach_status status = pleach__bench_time(subject, 2, timing);
    if (status != PLEACH_OK)
        return status;
    pleach__bench_cost cost = {0, 0};
    pleach__bench_add_cost(&cost, pleach__bench_cost_of(PLEACH_SHA256, backend, &folding->row.hashing.node), nodes);
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
    const pleach_config scalar_config = pleach__bench_scalar(bench);
    uint8_t *memory = pleach__allocate(bench->pool, size);
    if (!memory)
        return pleach__fail(PLEACH_ENOMEM, "no memory for %zu bytes of nodes", size);
    struct folding folding, scalar;
    pleach_status status = open_folding(&folding, &bench->config, height, memory);
    if (status == PLEACH_OK) {
        status = open_folding(&scalar, &scalar_config, SCALAR_HEIGHT, memory + folding_size(height));
        if (status == PLEACH_OK) {
            status = time_foldings(&folding, &scalar, result);
            (void)pleach_pool_destroy(scalar.pool);
        }
        (void)pleach_pool_destroy(folding.pool);
    }
    pleach__release(bench->pool, memory, size);
    return status;
}

#define ROW(number, name, unit, target, ...) \
    PLEACH__BENCH_ROW(number, name, unit, AT_MOST, target, measure_trees, &(const struct trees){__VA_ARGS__})
#define BESIDE(number, name, ...)                                      \
    PLEACH__BENCH_ROW(number, name, "ns", NO_TARGET, 0, measure_trees, \
                      &(const struct trees){PER_LEAF, 1, {__VA_ARGS__}})
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
    BESIDE(110, "SSZ tree, 2^20 x 32 B, all nodes, a leaf", {PLEACH_SCHEME_SSZ, PLEACH__BENCH_KEPT, 20, 32, 0}),
    BESIDE(110, "Bitcoin tree, 2^12, root only, a leaf", {PLEACH_SCHEME_BITCOIN, PLEACH__BENCH_ROOT, 12, 32, 0}),
    {0},
};
