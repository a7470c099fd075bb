/* Every allocation of every call on trees fails once, and the tree is as it was. */
#include "merkle_test.h"

#include "../scarce.h"
#include "merkle/tree.h"

#include <stdlib.h>
#include <string.h>

enum { D = PLEACH_DIGEST_SIZE, MOST = 9000, SIZE = 24, FILE_MOST = D * (MOST + 3) };

static uint8_t data[MOST * SIZE], file[FILE_MOST];
static uint64_t index[MOST];

/* A call on a tree, and what that tree must be as long as the call fails. */
struct call {
    pleach_pool *pool;
    pleach_tree *tree, *other, *untouched;
    pleach_status (*change)(struct call *call);
    size_t count, file_size;
    uint8_t nodes[D * (2 * MOST + LEVELS)];
};

static size_t copy_nodes(const pleach_tree *tree, uint8_t *nodes)
{
    size_t size = 0, run = 0;
    for (unsigned l = 0; l < pleach_tree_levels(tree); l++)
        for (size_t i = 0; i < pleach_tree_level_size(tree, l); i += run) {
            const uint8_t *some = pleach_tree_nodes(tree, l, i, &run);
            memcpy(nodes + D * size, some, D * run);
            size += run;
        }
    return size;
}

static pleach_leaves leaves_of(size_t first, size_t end)
{
    return (pleach_leaves){.data = data + SIZE * first, .size = SIZE, .stride = SIZE, .count = end - first};
}

static pleach_status create(struct call *call)
{
    return pleach_tree_create(&call->other, call->pool, PLEACH_SCHEME_RFC6962);
}

static pleach_status build(struct call *call)
{
    const pleach_leaves leaves = leaves_of(0, MOST);
    return pleach_tree_build(call->tree, &leaves, NULL);
}

static pleach_status build_few(struct call *call)
{
    const pleach_leaves leaves = leaves_of(0, 3);
    return pleach_tree_build(call->tree, &leaves, NULL);
}

static pleach_status build_stream(struct call *call)
{
    struct source source = source_of(data, sizeof data, 0);
    return pleach_tree_build_stream(call->tree, SIZE, read_source, &source, 0, NULL);
}

static pleach_status append_one(struct call *call)
{
    const pleach_leaves leaves = leaves_of(0, 1);
    return pleach_tree_append(call->tree, &leaves, NULL);
}

static pleach_status append_many(struct call *call)
{
    const pleach_leaves leaves = leaves_of(call->count, MOST);
    return pleach_tree_append(call->tree, &leaves, NULL);
}

static pleach_status update(struct call *call)
{
    const pleach_leaves leaves = leaves_of(0, call->count / 2);
    return pleach_tree_update(call->tree, index, &leaves, NULL);
}

static pleach_status truncate_tree(struct call *call)
{
    return pleach_tree_truncate(call->tree, call->count / 3);
}

static pleach_status take_snapshot(struct call *call)
{
    return pleach_tree_snapshot(call->tree, &call->other);
}

static pleach_status parse(struct call *call)
{
    struct source source = source_of(file, call->file_size, 0);
    return pleach_tree_parse(&call->other, call->pool, read_source, &source, NULL);
}

static pleach_status attempt(void *context)
{
    struct call *call = context;
    return call->change(call);
}

static void unchanged(void *context)
{
    static uint8_t nodes[D * (2 * MOST + LEVELS)];
    const struct call *call = context;
    assert_ptr_equal(call->other, call->untouched);
    assert_int_equal(pleach_tree_size(call->tree), call->count);
    assert_memory_equal(nodes, call->nodes, D * copy_nodes(call->tree, nodes));
}

static pleach_status write_file(void *context, const uint8_t *bytes, size_t size)
{
    struct call *call = context;
    memcpy(file + call->file_size, bytes, size);
    call->file_size += size;
    return PLEACH_OK;
}

/* A call on a tree of so many leaves, with a snapshot or alone; how many allocations it needed at least and at most. */
struct trial_call {
    const char *name;
    pleach_status (*change)(struct call *call);
    size_t count;
    bool shared;
    unsigned least, most;
};

/* A pool that keeps memory may need less of it than it would otherwise. */
static void run_call(pleach_pool *pool, const struct trial_call *trial, bool keeps)
{
    static struct call call;
    const pleach_leaves leaves = leaves_of(0, trial->count);
    const size_t held = scarce_held();
    pleach_tree *snapshot = NULL;
    call.pool = pool;
    call.change = trial->change;
    call.count = trial->count;
    call.file_size = 0;
    call.other = call.untouched = (pleach_tree *)(void *)&call;
    assert_int_equal(pleach_tree_create(&call.tree, pool, PLEACH_SCHEME_RFC6962), PLEACH_OK);
    if (trial->count > 0)
        assert_int_equal(pleach_tree_build(call.tree, &leaves, NULL), PLEACH_OK);
    if (trial->shared)
        assert_int_equal(pleach_tree_snapshot(call.tree, &snapshot), PLEACH_OK);
    assert_int_equal(pleach_tree_serialise(call.tree, write_file, &call), PLEACH_OK);
    (void)copy_nodes(call.tree, call.nodes);
    const struct scarce_call scarce = {.attempt = attempt, .unchanged = unchanged, .context = &call};
    const unsigned needed = scarce_run(&scarce);
    if ((needed < trial->least && !keeps) || needed > trial->most)
        fail_msg("%s: %u allocations, expected %u to %u", trial->name, needed, trial->least, trial->most);
    if (snapshot) {
        pleach_tree *tree = call.tree;
        call.tree = snapshot;
        if (call.other == call.untouched)
            unchanged(&call);
        call.tree = tree;
    }
    if (call.other != call.untouched)
        pleach_tree_destroy(call.other);
    pleach_tree_destroy(snapshot);
    pleach_tree_destroy(call.tree);
    assert_int_equal(scarce_held(), held);
}

#define CALL(call, its_count, is_shared, its_least, its_most)                                                         \
    {                                                                                                                 \
        .name = #call ", " #its_count ", " #is_shared, .change = (call), .count = (its_count), .shared = (is_shared), \
        .least = (its_least), .most = (its_most),                                                                     \
    }

static void trees(void **state)
{
    static const struct trial_call calls[] = {
        CALL(create, 0, false, 1, 1),          CALL(create, 100, false, 1, 1),
        CALL(build, 0, false, 3, 4),           CALL(build, 100, false, 3, 4),
        CALL(build, 100, true, 3, 4),          CALL(build_few, 100, false, 0, 0),
        CALL(build_few, 100, true, 2, 3),      CALL(build_stream, 0, false, 4, 9),
        CALL(build_stream, 70, true, 4, 9),    CALL(append_one, 0, false, 3, 3),
        CALL(append_one, 1, false, 1, 1),      CALL(append_one, 4096, false, 1, 2),
        CALL(append_one, 4000, true, 1, 1),    CALL(append_many, 0, false, 3, 3),
        CALL(append_many, 1, true, 1, 2),      CALL(append_many, 4500, false, 1, 2),
        CALL(append_many, 4500, true, 1, 2),   CALL(update, 2, false, 1, 1),
        CALL(update, MOST, false, 1, 1),       CALL(update, MOST, true, 3, 3),
        CALL(truncate_tree, 100, false, 0, 0), CALL(truncate_tree, MOST, true, 1, 1),
        CALL(take_snapshot, 0, false, 1, 1),   CALL(take_snapshot, 100, false, 2, 2),
        CALL(take_snapshot, 100, true, 2, 2),  CALL(parse, 0, false, 1, 1),
        CALL(parse, 100, false, 5, 9),         CALL(parse, MOST, false, 5, 9),
    };
    pleach_config config;
    pleach_pool *pools[] = {NULL, open_pool(1, ""), open_pool(2, ""), NULL};
    (void)state;
    pleach_config_init(&config);
    config.workers = 2;
    config.allocator = scarce_allocator;
    assert_int_equal(pleach_pool_create(&pools[3], &config), PLEACH_OK);
    for (size_t p = 0; p < 4; p++)
        for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
            run_call(pools[p], &calls[i], p == 1 || p == 2);
    for (size_t p = 0; p < 4; p++)
        assert_int_equal(pleach_pool_destroy(pools[p]), PLEACH_OK);
}

static int fill(void **state)
{
    (void)state;
    fill_stream(data, sizeof data);
    for (size_t i = 0; i < MOST; i++)
        index[i] = i;
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(trees)};
    return cmocka_run_group_tests_name("out of memory", tests, fill, NULL);
}
