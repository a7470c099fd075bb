/* Rows about inclusion proofs: checked one by one and all at once, and made. */
#include "bench/building.h"

#include "config/error.h"
#include "merkle/scheme.h"
#include "pool/memory.h"

#include <math.h>
#include <string.h>

enum { PROOFS = 1000, HEIGHT = 20, LEAF = 32, STRIDE = HEIGHT * PLEACH_DIGEST_SIZE };

enum way { ONE_BY_ONE, AT_ONCE, MADE };

struct work {
    const pleach_scheme *scheme;
    enum way way;
};

/* Proofs of leaves all over a tree, in no order. */
struct proofs {
    const struct work *work;
    pleach__bench_building building;
    pleach_pool *scalar;
    uint8_t root[PLEACH_DIGEST_SIZE];
    uint64_t index[PROOFS];
    size_t nodes[PROOFS];
    pleach_proof proof[PROOFS];
    pleach_status statuses[PROOFS];
    uint8_t paths[PROOFS * STRIDE];
};

static pleach_status make(void *context)
{
    struct proofs *proofs = context;
    return pleach_tree_prove_many(proofs->building.tree, proofs->index, PROOFS, proofs->paths, STRIDE, proofs->nodes);
}

static pleach_status check_many(struct proofs *proofs, pleach_pool *pool, const pleach_proof *proof, size_t n)
{
    return pleach_merkle_verify_many(pool, proofs->work->scheme, proofs->building.leaves.count, proofs->root, proof, n,
                                     proofs->statuses);
}

static pleach_status check_at_once(void *context)
{
    struct proofs *proofs = context;
    return check_many(proofs, proofs->building.pool, proofs->proof, PROOFS);
}

static pleach_status check_one_by_one(void *context)
{
    const struct proofs *proofs = context;
    pleach_status status = PLEACH_OK;
    for (size_t i = 0; status == PLEACH_OK && i < PROOFS; i++) {
        const pleach_proof *proof = &proofs->proof[i];
        status = pleach_merkle_verify(proofs->work->scheme, proof->index, proofs->building.leaves.count,
                                      proof->leaf_hash, proof->path, proof->nodes, proofs->root);
    }
    return status;
}

/* By the portable code. */
static pleach_status check_scalar(void *context)
{
    struct proofs *proofs = context;
    pleach_status status = PLEACH_OK;
    for (size_t i = 0; status == PLEACH_OK && i < PROOFS; i++)
        status = check_many(proofs, proofs->scalar, &proofs->proof[i], 1);
    return status;
}

static pleach_status prove(struct proofs *proofs)
{
    for (size_t i = 0; i < PROOFS; i++) /* the upper bits of multiples of the golden ratio: no two are the same */
        proofs->index[i] = (i + 1) * UINT64_C(0x9E3779B97F4A7C15) >> (64 - HEIGHT);
    pleach_status status = make(proofs);
    for (size_t i = 0; status == PLEACH_OK && i < PROOFS; i++)
        proofs->proof[i] = (pleach_proof){
            .index = proofs->index[i],
            .leaf_hash = pleach_tree_nodes(proofs->building.tree, 0, (size_t)proofs->index[i], NULL),
            .path = proofs->paths + STRIDE * i,
            .nodes = proofs->nodes[i],
        };
    return status;
}

/* Every way accepts all proofs, and all but one with a byte changed. */
static pleach_status check_ways(struct proofs *proofs, bool *right)
{
    pleach_status (*const ways[])(void *) = {check_at_once, check_one_by_one, check_scalar};
    bool all_right = true;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        pleach_status status = ways[i](proofs);
        if (status != PLEACH_OK && status != PLEACH_EPROOFROOT)
            return status;
        proofs->paths[STRIDE * PROOFS / 2] ^= 1;
        all_right = all_right && status == PLEACH_OK && ways[i](proofs) == PLEACH_EPROOFROOT;
        proofs->paths[STRIDE * PROOFS / 2] ^= 1;
    }
    *right = all_right;
    return PLEACH_OK;
}

static pleach_status time_ways(struct proofs *proofs, pleach__bench_result *result)
{
    pleach_status (*const ways[])(void *) = {[ONE_BY_ONE] = check_one_by_one, [AT_ONCE] = check_at_once, [MADE] = make};
    const enum way way = proofs->work->way;
    const pleach__bench_subject subject[] = {
        {.run = ways[way], .context = proofs, .waits = way == AT_ONCE && result->workers > 1},
        {.run = check_scalar, .context = proofs}};
    pleach__bench_timing timing[2];
    pleach__hashing hashing;
    pleach__bench_cost cost = {NAN, NAN}; /* at once, nodes that are shared are hashed once */
    pleach_status status = pleach__scheme_nodes(proofs->work->scheme, &hashing);
    status = status == PLEACH_OK ? pleach__bench_time(subject, way == MADE ? 1 : 2, timing) : status;
    if (status != PLEACH_OK)
        return status;
    if (way == ONE_BY_ONE) {
        const pleach__backend *backend = pleach_kernels_default()->backend[hashing.family];
        cost = (pleach__bench_cost){0, 0};
        pleach__bench_add_cost(&cost, pleach__bench_cost_of(hashing.family, backend, &hashing.node), PROOFS * HEIGHT);
    }
    result->value = timing[0].ns / PROOFS;
    result->scalar = way == MADE ? NAN : timing[1].ns / timing[0].ns;
    pleach__bench_note(result, &timing[0], cost);
    return PLEACH_OK;
}

static pleach_status measure_proofs(struct proofs *proofs, const pleach__bench *bench, pleach__bench_result *result)
{
    const pleach_config scalar = pleach__bench_scalar(bench);
    bool right = false, proved = false;
    const enum way way = proofs->work->way;
    result->backend = way == MADE ? NULL : pleach__bench_building_backend(&proofs->building)->name;
    result->workers = way == AT_ONCE ? pleach_pool_width(proofs->building.pool) : 1;
    pleach_status status = pleach_pool_create(&proofs->scalar, &scalar);
    if (status != PLEACH_OK)
        return status;
    status = pleach__bench_verify(&proofs->building, &right);
    status = status == PLEACH_OK ? pleach_tree_root(proofs->building.tree, proofs->root) : status;
    status = status == PLEACH_OK ? prove(proofs) : status;
    status = status == PLEACH_OK ? check_ways(proofs, &proved) : status;
    result->wrong = status == PLEACH_OK && !(right && proved);
    if (status == PLEACH_OK && !result->wrong)
        status = time_ways(proofs, result);
    (void)pleach_pool_destroy(proofs->scalar);
    return status;
}

static pleach_status measure(const pleach__bench_row *row, const pleach__bench *bench, pleach__bench_result *result)
{
    const struct work *work = row->work;
    const pleach__bench_shape shape = {work->scheme, PLEACH__BENCH_KEPT, HEIGHT, LEAF, 0};
    const size_t size = pleach__bench_leaves_size(&shape);
    uint8_t *inputs = pleach__allocate(bench->pool, size);
    struct proofs *proofs = pleach__allocate(bench->pool, sizeof *proofs);
    pleach_status status = PLEACH_OK;
    if (!inputs || !proofs) {
        status = pleach__fail(PLEACH_ENOMEM, "no memory for %zu bytes of leaves and their proofs", size);
    } else {
        pleach__bench_fill(inputs, size);
        proofs->work = work;
        status = pleach__bench_open(&proofs->building, &bench->config, &shape, inputs);
        if (status == PLEACH_OK) {
            status = measure_proofs(proofs, bench, result);
            pleach__bench_close(&proofs->building);
        }
    }
    pleach__release(bench->pool, proofs, sizeof *proofs);
    pleach__release(bench->pool, inputs, size);
    return status;
}

#define ROW(number, name, scheme, way) \
    PLEACH__BENCH_ROW(number, name, "ns", NO_TARGET, 0, measure, &(const struct work){PLEACH_SCHEME_##scheme, way})

const pleach__bench_row pleach__bench_rows_proofs[] = {
    ROW(120, "check a proof of 2^20 leaves, RFC 6962", RFC6962, ONE_BY_ONE),
    ROW(120, "check a proof of 2^20 leaves, BLAKE2s", BLAKE2S, ONE_BY_ONE),
    ROW(121, "check 1000 of them at once, each, RFC 6962", RFC6962, AT_ONCE),
    ROW(121, "check 1000 of them at once, each, BLAKE2s", BLAKE2S, AT_ONCE),
    ROW(122, "make 1000 proofs of 2^20 leaves, each", RFC6962, MADE),
    {0},
};
