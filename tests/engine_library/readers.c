/* Readers of sealed states beside the writer. */
#define _GNU_SOURCE
#include "engine_test.h"

#include <stdatomic.h>
#include <uv.h>

enum { READERS = 4, BLOCKS = 60, KEPT = 4 };

struct reading {
    pleach_engine *engine;
    _Atomic bool over;
    _Atomic unsigned faults, read, exports;
    uint8_t roots[BLOCKS + 1][PLEACH_DIGEST_SIZE]; /* of TRANSACTIONS by height */
};

/* A proof of the last leaf leads to the root that a view of this height must have. */
static bool prove(const struct reading *reading, const pleach_engine_view *view)
{
    const size_t size = pleach_tree_size(pleach_engine_view_tree(view, TRANSACTIONS));
    uint64_t height = 0;
    return !pleach_engine_view_height(view, &height) || size == 0 ||
           leads_to(view, TRANSACTIONS, tree_schemes[TRANSACTIONS], size - 1, reading->roots[height]);
}

static pleach_status count_bytes(void *context, const uint8_t *bytes, size_t size)
{
    (void)bytes;
    *(uint64_t *)context += size;
    return PLEACH_OK;
}

static void read_on(void *context)
{
    struct reading *reading = context;
    for (unsigned i = 0; !atomic_load(&reading->over) || i < 3; i++) {
        pleach_engine_view *view = NULL;
        uint64_t bytes = 0;
        bool fine =
            pleach_engine_view_open(reading->engine, PLEACH_ENGINE_LATEST, &view) == PLEACH_OK && prove(reading, view);
        if (fine && i % 16 == 0) {
            fine = pleach_engine_state_export(view, count_bytes, &bytes) == PLEACH_OK &&
                   bytes == pleach_engine_state_size(view);
            atomic_fetch_add(&reading->exports, 1);
        }
        pleach_engine_view_close(reading->engine, view);
        atomic_fetch_add(&reading->faults, !fine);
        atomic_fetch_add(&reading->read, 1);
    }
}

static void compute_roots(struct reading *reading)
{
    struct model model;
    model_open(&model);
    for (uint64_t height = 1; height <= BLOCKS; height++) {
        model_block(&model);
        assert_int_equal(pleach_tree_root(model.trees[TRANSACTIONS], reading->roots[height]), PLEACH_OK);
    }
    model_close(&model);
}

static void readers_do_not_disturb_the_writer(void **state)
{
    static struct reading reading;
    uv_thread_t threads[READERS];
    (void)state;
    reading.engine = chain_open(NULL, KEPT);
    compute_roots(&reading);
    assert_int_equal(chain_objects(reading.engine), PLEACH_OK);
    for (int i = 0; i < READERS; i++)
        assert_int_equal(uv_thread_create(&threads[i], read_on, &reading), 0);
    for (uint64_t height = 1; height <= BLOCKS; height++) {
        chain_blocks(reading.engine, height, height);
        if (height % 10 == 0) {
            assert_int_equal(pleach_engine_rollback(reading.engine, height - KEPT), PLEACH_OK);
            chain_blocks(reading.engine, height - KEPT + 1, height);
        }
    }
    atomic_store(&reading.over, true);
    for (int i = 0; i < READERS; i++)
        assert_int_equal(uv_thread_join(&threads[i]), 0);
    assert_int_equal(atomic_load(&reading.faults), 0);
    assert_true(atomic_load(&reading.read) >= 3 * READERS && atomic_load(&reading.exports) >= READERS);
    expect_height(reading.engine, BLOCKS);
    assert_int_equal(pleach_engine_close(reading.engine), PLEACH_OK);
}

/* A snapshot is written beside the writer, and is one of the states that were sealed meanwhile. */
static void write_snapshots(void *context)
{
    struct reading *reading = context;
    while (!atomic_load(&reading->over))
        atomic_fetch_add(&reading->faults, pleach_engine_snapshot(reading->engine) != PLEACH_OK);
}

static void snapshots_do_not_disturb_the_writer(void **state)
{
    static struct reading reading;
    uv_thread_t threads[2];
    struct model model;
    pleach_engine_view *view = NULL;
    uint64_t height = 0;
    (void)state;
    reading.engine = chain_open(directory, 0);
    assert_int_equal(chain_objects(reading.engine), PLEACH_OK);
    chain_blocks(reading.engine, 1, 1);
    assert_int_equal(pleach_engine_snapshot(reading.engine), PLEACH_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(uv_thread_create(&threads[i], write_snapshots, &reading), 0);
    chain_blocks(reading.engine, 2, BLOCKS);
    atomic_store(&reading.over, true);
    for (int i = 0; i < 2; i++)
        assert_int_equal(uv_thread_join(&threads[i]), 0);
    assert_int_equal(atomic_load(&reading.faults), 0);
    assert_int_equal(pleach_engine_close(reading.engine), PLEACH_OK);
    pleach_engine *again = chain_open(directory, 0);
    assert_int_equal(pleach_engine_view_open(again, PLEACH_ENGINE_LATEST, &view), PLEACH_OK);
    assert_true(pleach_engine_view_height(view, &height));
    model_build(&model, height);
    assert_true(model_is(&model, view));
    model_close(&model);
    pleach_engine_view_close(again, view);
    assert_int_equal(pleach_engine_close(again), PLEACH_OK);
}

int test_readers(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readers_do_not_disturb_the_writer),
        cmocka_unit_test_setup_teardown(snapshots_do_not_disturb_the_writer, make_directory, remove_directory),
    };
    return cmocka_run_group_tests_name("readers", tests, NULL, NULL);
}
