#include "bench/building.h"

#include "merkle/scheme.h"

#include <string.h>

size_t pleach__bench_leaves_size(const pleach__bench_shape *shape)
{
    return shape->size << shape->height;
}

static pleach_status acquire(pleach__bench_building *building)
{
    pleach_status status = pleach_pool_create(&building->pool, &building->config);
    if (status != PLEACH_OK)
        return status;
    status = pleach_tree_create(&building->tree, building->pool, building->shape.scheme);
    if (status != PLEACH_OK) {
        (void)pleach_pool_destroy(building->pool);
        building->pool = NULL;
    }
    return status;
}

void pleach__bench_close(pleach__bench_building *building)
{
    pleach_tree_destroy(building->tree);
    (void)pleach_pool_destroy(building->pool);
    building->tree = NULL;
    building->pool = NULL;
}

pleach_status pleach__bench_open(pleach__bench_building *building, const pleach_config *config,
                                 const pleach__bench_shape *shape, const uint8_t *inputs)
{
    *building = (pleach__bench_building){
        .shape = *shape,
        .config = *config,
        .leaves = {inputs, shape->size, shape->size, (size_t)1 << shape->height, shape->zeros, NULL},
    };
    return acquire(building);
}

/* A pool of its own is what makes memory fresh: a pool keeps what it once had. */
static pleach_status refresh(void *context)
{
    pleach__bench_close(context);
    return acquire(context);
}

static pleach_status build(void *context)
{
    pleach__bench_building *building = context;
    return pleach_tree_build(building->tree, &building->leaves, NULL);
}

static pleach_status find_root(void *context)
{
    pleach__bench_building *building = context;
    return pleach_merkle_root(building->pool, building->shape.scheme, &building->leaves, NULL, building->root);
}

pleach__bench_subject pleach__bench_building_subject(pleach__bench_building *building)
{
    return (pleach__bench_subject){
        .prepare = building->shape.manner == PLEACH__BENCH_FRESH ? refresh : NULL,
        .run = building->shape.manner == PLEACH__BENCH_ROOT ? find_root : build,
        .context = building,
        .waits = pleach_pool_width(building->pool) > 1,
    };
}

static pleach_status hashing_of(const pleach__bench_building *building, pleach__hashing *hashing)
{
    return pleach__scheme_hashing(building->shape.scheme, building->shape.size, building->shape.zeros, hashing);
}

/* Leaves that are given are level 0. */
static bool leaves_right(const pleach__bench_building *building, const pleach__hashing *hashing, const uint8_t *digests)
{
    const pleach_leaves *leaves = &building->leaves;
    return hashing->given ? memcmp(digests, leaves->data, PLEACH_DIGEST_SIZE * leaves->count) == 0
                          : pleach__bench_right(hashing->family, &hashing->leaf.form, leaves->data, leaves->stride,
                                                leaves->count, digests);
}

static bool levels_right(const pleach__bench_building *building, const pleach__hashing *hashing)
{
    const uint8_t *below = NULL;
    for (unsigned level = 0; level <= building->shape.height; level++) {
        size_t count;
        const uint8_t *digests = pleach_tree_nodes(building->tree, level, 0, &count);
        if (count != building->leaves.count >> level ||
            !(below ? pleach__bench_right(hashing->family, &hashing->node.form, below, 2 * PLEACH_DIGEST_SIZE, count,
                                          digests)
                    : leaves_right(building, hashing, digests)))
            return false;
        below = digests;
    }
    return true;
}

pleach_status pleach__bench_verify(pleach__bench_building *building, bool *right)
{
    pleach__hashing hashing;
    uint8_t root[PLEACH_DIGEST_SIZE];
    pleach_status status = hashing_of(building, &hashing);
    status = status == PLEACH_OK ? build(building) : status;
    status = status == PLEACH_OK ? pleach_tree_root(building->tree, root) : status;
    if (status == PLEACH_OK && building->shape.manner == PLEACH__BENCH_ROOT)
        status = find_root(building);
    if (status != PLEACH_OK)
        return status;
    *right = levels_right(building, &hashing);
    if (building->shape.manner == PLEACH__BENCH_ROOT)
        *right = *right && memcmp(building->root, root, sizeof root) == 0;
    return PLEACH_OK;
}

const pleach__backend *pleach__bench_building_backend(const pleach__bench_building *building)
{
    return pleach_pool_kernels(building->pool)->backend[building->shape.scheme->family];
}

pleach_status pleach__bench_building_cost(const pleach__bench_building *building, pleach__bench_cost *cost)
{
    pleach__hashing hashing;
    pleach_status status = hashing_of(building, &hashing);
    if (status != PLEACH_OK)
        return status;
    const pleach__backend *backend = pleach__bench_building_backend(building);
    const double leaves = (double)building->leaves.count;
    *cost = (pleach__bench_cost){0, 0};
    if (!hashing.given)
        pleach__bench_add_cost(cost, pleach__bench_cost_of(hashing.family, backend, &hashing.leaf), leaves);
    pleach__bench_add_cost(cost, pleach__bench_cost_of(hashing.family, backend, &hashing.node), leaves - 1);
    return PLEACH_OK;
}
