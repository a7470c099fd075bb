/* Rows that change a tree of 2^20 leaves. */
#include "bench/building.h"

#include "config/error.h"
#include "merkle/tree.h"
#include "pool/memory.h"

#include <math.h>
#include <string.h>

enum { CHANGES_MOST = 2500 };

static const pleach__bench_shape shape = {PLEACH_SCHEME_RFC6962, PLEACH__BENCH_KEPT, 20, 32, 0};

struct work {
    enum { APPEND, UPDATE, UPDATE_SHARED, SNAPSHOT } change;
    size_t leaves; /* that are appended or replaced */
};

/* A tree that is changed again and again. */
struct changing {
    const struct work *work;
    pleach__bench_building building;
    pleach_leaves more; /* that are appended, or replace others */
    uint64_t index[CHANGES_MOST];
    pleach_tree *snapshot;
};

/* Back to where the change begins. */
static pleach_status prepare(void *context)
{
    struct changing *changing = context;
    pleach_tree *tree = changing->building.tree;
    pleach_tree_destroy(changing->snapshot);
    changing->snapshot = NULL;
    pleach_status status = pleach_tree_truncate(tree, changing->building.leaves.count);
    if (status == PLEACH_OK && changing->work->change == UPDATE_SHARED)
        status = pleach_tree_snapshot(tree, &changing->snapshot);
    return status;
}

static pleach_status change(void *context)
{
    struct changing *changing = context;
    pleach_tree *tree = changing->building.tree;
    switch (changing->work->change) {
    case APPEND:
        return pleach_tree_append(tree, &changing->more, NULL);
    case SNAPSHOT:
        return pleach_tree_snapshot(tree, &changing->snapshot);
    default:
        return pleach_tree_update(tree, changing->index, &changing->more, NULL);
    }
}

static pleach_status open_changing(struct changing *changing, const pleach_config *config, const struct work *work,
                                   const uint8_t *inputs)
{
    changing->work = work;
    changing->snapshot = NULL;
    changing->more = (pleach_leaves){.data = inputs + pleach__bench_leaves_size(&shape),
                                     .size = shape.size,
                                     .stride = shape.size,
                                     .count = work->leaves};
    for (size_t i = 0; i < CHANGES_MOST; i++) /* the upper bits of multiples of the golden ratio: in no order */
        changing->index[i] = (i + 1) * UINT64_C(0x9E3779B97F4A7C15) >> (64 - shape.height);
    pleach_status status = pleach__bench_open(&changing->building, config, &shape, inputs);
    if (status == PLEACH_OK)
        status = pleach_tree_build(changing->building.tree, &changing->building.leaves, NULL);
    if (status != PLEACH_OK)
        pleach__bench_close(&changing->building);
    return status;
}

static void close_changing(struct changing *changing)
{
    pleach_tree_destroy(changing->snapshot);
    pleach__bench_close(&changing->building);
}

/* Leaves as they are after one change. */
static pleach_leaves change_leaves(const struct changing *changing, uint8_t *inputs)
{
    pleach_leaves leaves = changing->building.leaves;
    if (changing->work->change == APPEND)
        leaves.count += changing->more.count; /* which follow them */
    else
        for (size_t i = 0; i < changing->more.count; i++)
            memcpy(inputs + shape.size * changing->index[i], changing->more.data + shape.size * i, shape.size);
    return leaves;
}

static pleach_status verify(struct changing *changing, uint8_t *inputs, bool *right)
{
    uint8_t root[PLEACH_DIGEST_SIZE], expected[PLEACH_DIGEST_SIZE];
    pleach_status status = prepare(changing);
    status = status == PLEACH_OK ? change(changing) : status;
    const pleach_tree *changed =
        changing->snapshot && changing->work->change == SNAPSHOT ? changing->snapshot : changing->building.tree;
    status = status == PLEACH_OK ? pleach_tree_root(changed, root) : status;
    const pleach_leaves leaves = change_leaves(changing, inputs);
    if (status == PLEACH_OK)
        status = pleach_merkle_root(changing->building.pool, shape.scheme, &leaves, NULL, expected);
    *right = status == PLEACH_OK && memcmp(root, expected, sizeof root) == 0;
    return status;
}

/* A single leaf is appended again and again: what is timed should not begin with the tree out of the caches. */
static pleach__bench_subject subject_of(struct changing *changing)
{
    return (pleach__bench_subject){.prepare = changing->work->leaves == 1 ? NULL : prepare,
                                   .run = change,
                                   .context = changing,
                                   .waits =
                                       changing->work->leaves > 1 && pleach_pool_width(changing->building.pool) > 1};
}

static pleach_status time_changes(struct changing *changing, uint8_t *inputs, pleach__bench_result *result)
{
    bool right = false, scalar_right = false;
    pleach__bench_timing timing[2];
    pleach_status status = verify(&changing[0], inputs, &right);
    status = status == PLEACH_OK ? verify(&changing[1], inputs, &scalar_right) : status;
    result->wrong = status == PLEACH_OK && !(right && scalar_right);
    if (status != PLEACH_OK || result->wrong)
        return status;
    const pleach__bench_subject subject[] = {subject_of(&changing[0]), subject_of(&changing[1])};
    status = pleach__bench_time(subject, 2, timing);
    if (status != PLEACH_OK)
        return status;
    result->value = timing[0].ns / 1e3;
    result->scalar = changing->work->change == SNAPSHOT ? NAN : timing[1].ns / timing[0].ns;
    pleach__bench_note(result, &timing[0], (pleach__bench_cost){NAN, NAN});
    return PLEACH_OK;
}

static pleach_status measure_changes(struct changing *changing, const pleach__bench *bench, const struct work *work,
                                     uint8_t *inputs, pleach__bench_result *result)
{
    const pleach_config scalar = pleach__bench_scalar(bench);
    pleach_status status = open_changing(&changing[0], &bench->config, work, inputs);
    if (status != PLEACH_OK)
        return status;
    result->backend = pleach__bench_building_backend(&changing->building)->name;
    result->workers = pleach_pool_width(changing->building.pool);
    status = open_changing(&changing[1], &scalar, work, inputs);
    if (status == PLEACH_OK) {
        status = time_changes(changing, inputs, result);
        close_changing(&changing[1]);
    }
    close_changing(&changing[0]);
    return status;
}

static pleach_status measure(const pleach__bench_row *row, const pleach__bench *bench, pleach__bench_result *result)
{
    const size_t inputs_size = pleach__bench_leaves_size(&shape) + shape.size * CHANGES_MOST;
    const size_t size = inputs_size + 2 * sizeof(struct changing);
    uint8_t *inputs = pleach__allocate(bench->pool, size);
    if (!inputs)
        return pleach__fail(PLEACH_ENOMEM, "no memory for %zu bytes of leaves", size);
    pleach__bench_fill(inputs, inputs_size);
    struct changing *changing = (struct changing *)(void *)(inputs + inputs_size);
    pleach_status status = measure_changes(changing, bench, row->work, inputs, result);
    pleach__release(bench->pool, inputs, size);
    return status;
}

#define ROW(number, name, change, leaves) \
    PLEACH__BENCH_ROW(number, name, "us", NO_TARGET, 0, measure, &(const struct work){change, leaves})

const pleach__bench_row pleach__bench_rows_changes[] = {
    ROW(115, "append a leaf to 2^20, RFC 6962", APPEND, 1),
    ROW(116, "append 2500 leaves to 2^20", APPEND, CHANGES_MOST),
    ROW(117, "update 2500 of 2^20 leaves", UPDATE, CHANGES_MOST),
    ROW(118, "update 2500 of 2^20 leaves beside a snapshot", UPDATE_SHARED, CHANGES_MOST),
    ROW(119, "snapshot of 2^20 leaves", SNAPSHOT, 0),
    {0},
};
