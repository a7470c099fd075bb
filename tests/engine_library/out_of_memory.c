/* Every allocation of every call fails once, and the engine is as it was. */
#define _GNU_SOURCE
#include "../scarce.h"
#include "chain.h"

#include <string.h>
#include <unistd.h>
#include <uv.h>

struct attempt {
    pleach_engine *engine;
    pleach_engine_options options;
    uint64_t height; /* that the engine must still have */
};

static void unchanged(void *context)
{
    const struct attempt *attempt = context;
    pleach_engine_view *view = NULL;
    uint64_t height = 0;
    assert_int_equal(pleach_engine_view_open(attempt->engine, PLEACH_ENGINE_LATEST, &view), PLEACH_OK);
    (void)pleach_engine_view_height(view, &height);
    assert_int_equal(height, attempt->height);
    pleach_engine_view_close(attempt->engine, view);
}

static unsigned run(pleach_status (*call)(void *context), struct attempt *attempt)
{
    return scarce_run_as(&(struct scarce_call){.attempt = call, .unchanged = unchanged, .context = attempt},
                         SCARCE_SPARED);
}

static pleach_status seal(void *context)
{
    return pleach_engine_block_seal(((struct attempt *)context)->engine, NULL, NULL, 0, NULL);
}

/* Trees keep pages that a failed seal was to write, for the next one; nothing is left when the engine is closed. */
static unsigned run_seal(struct attempt *attempt)
{
    return scarce_run_as(&(struct scarce_call){.attempt = seal, .unchanged = unchanged, .context = attempt},
                         SCARCE_SPARED | SCARCE_KEPT);
}

static pleach_status open_engine(void *context)
{
    struct attempt *attempt = context;
    const pleach_config config = chain_settings();
    return pleach_engine_open(&attempt->engine, &config, &attempt->options);
}

static void expect_no_engine(void *context)
{
    assert_null(((const struct attempt *)context)->engine);
}

static void opening(void **state)
{
    struct attempt attempt = {.options = {.directory = directory, .rollback_blocks = 3}};
    const struct scarce_call call = {.attempt = open_engine, .unchanged = expect_no_engine, .context = &attempt};
    (void)state;
    for (uint64_t height = 0; height < 3; height++) {
        const size_t held = scarce_held();
        assert_in_range(scarce_run_as(&call, SCARCE_SPARED), 5, 400);
        assert_int_equal(chain_objects(attempt.engine), PLEACH_OK);
        expect_height(attempt.engine, height);
        chain_blocks(attempt.engine, height + 1, height + 1);
        assert_int_equal(pleach_engine_snapshot(attempt.engine), PLEACH_OK);
        assert_int_equal(pleach_engine_close(attempt.engine), PLEACH_OK);
        attempt.engine = NULL;
        assert_int_equal(scarce_held(), held);
    }
}

static pleach_status make_tree(void *context)
{
    uint32_t object;
    return pleach_engine_tree(((struct attempt *)context)->engine, "one", PLEACH_SCHEME_SSZ, &object);
}

static pleach_status make_accumulator(void *context)
{
    const pleach_engine_accumulator_rules rules = {.states = 5, .total = true};
    uint32_t object;
    return pleach_engine_accumulator(((struct attempt *)context)->engine, "two", &rules, &object);
}

static uint8_t bytes[4096];

static pleach_status begin(void *context)
{
    struct attempt *attempt = context;
    return pleach_engine_block_begin(attempt->engine, attempt->height + 1);
}

static pleach_status append(void *context)
{
    const pleach_leaves leaves = {.data = bytes, .size = 32, .stride = 32, .count = 100};
    return pleach_engine_append(((struct attempt *)context)->engine, IDS, &leaves);
}

static pleach_status update(void *context)
{
    const pleach_leaves leaves = {.data = bytes, .size = 32, .stride = 32, .count = 3};
    return pleach_engine_update(((struct attempt *)context)->engine, IDS, (const uint64_t[]){0, 1, 2}, &leaves);
}

static pleach_status apply(void *context)
{
    const pleach_lthash_op ops[] = {{.item = {bytes, 2000}}, {.item = {bytes, 9}, .state = 2}};
    return pleach_engine_apply(((struct attempt *)context)->engine, BANK, ops, 2);
}

static pleach_status snapshot(void *context)
{
    return pleach_engine_snapshot(((struct attempt *)context)->engine);
}

static void blocks(void **state)
{
    const size_t held = scarce_held();
    struct attempt attempt = {.engine = chain_open(directory, 2)};
    (void)state;
    assert_int_equal(chain_objects(attempt.engine), PLEACH_OK);
    chain_blocks(attempt.engine, 1, 6);
    attempt.height = 6;
    assert_in_range(run(make_tree, &attempt), 2, 50);
    assert_in_range(run(make_accumulator, &attempt), 2, 50);
    for (; attempt.height < 9; attempt.height++) {
        assert_in_range(run(begin, &attempt), 1, 5);
        assert_in_range(run(append, &attempt), 1, 5);
        assert_in_range(run(update, &attempt), 1, 5);
        assert_in_range(run(apply, &attempt), 1, 5);
        assert_in_range(run_seal(&attempt), 5, 200);
    }
    assert_int_equal(run(snapshot, &attempt), 0);
    assert_int_equal(pleach_engine_close(attempt.engine), PLEACH_OK);
    assert_int_equal(scarce_held(), held);
}

/* What was refused is not half done: after all faults the state is that of a run without any. */
static void sealing_after_faults(void **state)
{
    const size_t held = scarce_held();
    struct attempt attempt = {.engine = chain_open(NULL, 2)};
    (void)state;
    assert_int_equal(chain_objects(attempt.engine), PLEACH_OK);
    for (; attempt.height < 5; attempt.height++) {
        assert_int_equal(chain_fill(attempt.engine, attempt.height + 1), PLEACH_OK);
        (void)run_seal(&attempt);
    }
    expect_height(attempt.engine, 5);
    assert_int_equal(pleach_engine_close(attempt.engine), PLEACH_OK);
    assert_int_equal(scarce_held(), held);
}

/* --- states as bytes --- */

static struct {
    uint8_t at[1 << 16];
    size_t size, read;
} kept;

static pleach_status keep(void *context, const uint8_t *some, size_t size)
{
    (void)context;
    assert_true(size <= sizeof kept.at - kept.size);
    memcpy(kept.at + kept.size, some, size);
    kept.size += size;
    return PLEACH_OK;
}

static pleach_status give(void *context, uint8_t *buffer, size_t size, size_t *got)
{
    (void)context;
    *got = size < kept.size - kept.read ? size : kept.size - kept.read;
    memcpy(buffer, kept.at + kept.read, *got);
    kept.read += *got;
    return PLEACH_OK;
}

static pleach_status import(void *context)
{
    kept.read = 0;
    return pleach_engine_state_import(((struct attempt *)context)->engine, give, NULL, NULL);
}

static void importing(void **state)
{
    struct attempt attempt = {.engine = chain_open(NULL, 2)};
    pleach_engine_view *view = NULL;
    (void)state;
    assert_int_equal(chain_objects(attempt.engine), PLEACH_OK);
    chain_blocks(attempt.engine, 1, 3);
    assert_int_equal(pleach_engine_view_open(attempt.engine, PLEACH_ENGINE_LATEST, &view), PLEACH_OK);
    assert_int_equal(pleach_engine_state_export(view, keep, NULL), PLEACH_OK);
    pleach_engine_view_close(attempt.engine, view);
    chain_blocks(attempt.engine, 4, 5);
    attempt.height = 5;
    assert_in_range(run(import, &attempt), 8, 400);
    expect_height(attempt.engine, 3);
    assert_int_equal(pleach_engine_close(attempt.engine), PLEACH_OK);
}

/* --- the queue --- */

static uv_loop_t loop;
static unsigned worked;

static pleach_status work(void *context, pleach_engine *engine, pleach_monitor *monitor)
{
    (void)context, (void)engine, (void)monitor;
    worked++;
    return PLEACH_OK;
}

static pleach_status queue(void *context)
{
    return pleach_engine_queue(((struct attempt *)context)->engine, &loop, work, NULL, NULL, NULL);
}

static void queueing(void **state)
{
    struct attempt attempt = {.engine = chain_open(NULL, 2)};
    (void)state;
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(queue(&attempt), PLEACH_OK); /* starts the thread, with memory of the system's */
    assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
    assert_in_range(run(queue, &attempt), 2, 5);
    assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(worked, 2);
    assert_int_equal(pleach_engine_close(attempt.engine), PLEACH_OK);
    assert_int_equal(uv_loop_close(&loop), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(opening, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(blocks, make_directory, remove_directory),
        cmocka_unit_test(sealing_after_faults),
        cmocka_unit_test(importing),
        cmocka_unit_test(queueing),
    };
    (void)alarm(900); /* a hang is a failure */
    return cmocka_run_group_tests_name("out of memory", tests, NULL, NULL);
}
