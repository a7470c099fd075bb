/*
 * A node: blocks of 200 transactions and 400 changes of state are worked off beside a loop, while clients on threads of
 * their own ask for proofs. Prints how long the loop was busy, and how late it came to a timer of a millisecond;
 * asserts that memory stays flat, and that proofs and the result are right.
 *
 * engine_node [blocks]
 */
#define _GNU_SOURCE
#include "chain.h"
#include "loop_watch.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

enum {
    BLOCKS = 2000,
    QUICK_BLOCKS = 100,
    ACCOUNTS = 1 << 16,
    LEAVES = 200,
    LEAF_SIZE = 250,
    MUTATIONS = 400,
    ITEM_SIZE = 80,
    STATES = 4,
    IN_FLIGHT = 3,
    SNAPSHOT_EVERY = 500,
    MEGABYTE = 1 << 20,
    CLIENTS = 8,
    CLIENT_NS = 2000000 /* between two questions */
};

/* Sanitizers keep memory that was freed. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RESIDENT_IS_OURS 0
#elif defined(__has_feature)
#define RESIDENT_IS_OURS !(__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define RESIDENT_IS_OURS 1
#endif

/* Those that ask for proofs. */
struct clients {
    uv_thread_t threads[CLIENTS];
    pleach_engine *engine;
    uint32_t accounts;
    _Atomic bool over;
    _Atomic uint64_t came, answers, faults;
};

struct node {
    uv_loop_t loop;
    struct loop_watch watch;
    pleach_engine *engine;
    uint32_t accounts, stores;
    uint64_t blocks, queued, done, height;
    uint64_t longest_call;
    uint64_t warm_used, warm_resident;
    uint8_t root[PLEACH_DIGEST_SIZE]; /* of the last block's transactions */
};

/* Of one block; only the engine's thread has it. */
static struct {
    uint8_t leaves[LEAVES * LEAF_SIZE], items[MUTATIONS * ITEM_SIZE];
    uint64_t index[LEAVES];
    pleach_lthash_op ops[MUTATIONS];
} work_of;

static uint64_t blocks_asked;

static uint64_t resident(void)
{
    unsigned long pages = 0, all = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu %lu", &all, &pages), 2);
    (void)fclose(file);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void draw_block(uint64_t height)
{
    uint64_t seed = height;
    fill_random(work_of.leaves, sizeof work_of.leaves, random_below(&seed, UINT64_MAX));
    fill_random(work_of.items, sizeof work_of.items, random_below(&seed, UINT64_MAX));
    for (size_t i = 0; i < LEAVES; i++)
        work_of.index[i] = random_below(&seed, ACCOUNTS);
    for (size_t i = 0; i < MUTATIONS; i++)
        work_of.ops[i] = (pleach_lthash_op){.item = {work_of.items + i * ITEM_SIZE, ITEM_SIZE},
                                            .action = i % 2 == 0 ? PLEACH_LTHASH_ADD : PLEACH_LTHASH_REMOVE,
                                            .state = (uint32_t)(i % STATES)};
}

static const pleach_leaves block_leaves = {
    .data = work_of.leaves, .size = LEAF_SIZE, .stride = LEAF_SIZE, .count = LEAVES};

static pleach_status seal_block(void *context, pleach_engine *engine, pleach_monitor *monitor)
{
    struct node *node = context;
    pleach_engine_digest digests[STATES + 2];
    draw_block(++node->height);
    pleach_status status = pleach_engine_block_begin(engine, node->height);
    if (status == PLEACH_OK)
        status =
            pleach_merkle_root(pleach_engine_pool(engine), PLEACH_SCHEME_RFC6962, &block_leaves, monitor, node->root);
    if (status == PLEACH_OK)
        status = pleach_engine_update(engine, node->accounts, work_of.index, &block_leaves);
    if (status == PLEACH_OK)
        status = pleach_engine_apply(engine, node->stores, work_of.ops, MUTATIONS);
    if (status == PLEACH_OK)
        status = pleach_engine_block_seal(engine, monitor, digests, STATES + 2, NULL);
    return status == PLEACH_OK && node->height % SNAPSHOT_EVERY == 0 ? pleach_engine_snapshot(engine) : status;
}

static void warm_up(struct node *node)
{
    pleach_memory_use use;
    pleach_pool_memory(pleach_engine_pool(node->engine), &use);
    node->warm_used = use.used;
    node->warm_resident = resident();
    loop_watch_skip(&node->watch); /* what this took is not the engine's */
}

static void queue_blocks(struct node *node);

static void note_block(void *context, pleach_status status)
{
    struct node *node = context;
    assert_int_equal(status, PLEACH_OK);
    if (++node->done == node->blocks / 4)
        warm_up(node);
    if (node->done == node->blocks)
        loop_watch_stop(&node->watch);
    queue_blocks(node);
}

static void queue_blocks(struct node *node)
{
    while (node->queued < node->blocks && node->queued - node->done < IN_FLIGHT) {
        const uint64_t begin = monotonic_time();
        assert_int_equal(pleach_engine_queue(node->engine, &node->loop, seal_block, note_block, node, NULL), PLEACH_OK);
        const uint64_t took = monotonic_time() - begin;
        node->longest_call = took > node->longest_call ? took : node->longest_call;
        node->queued++;
    }
}

static void end_watch(uv_timer_t *timer)
{
    loop_watch_stop(timer->data);
    uv_close((uv_handle_t *)timer, NULL);
}

/* What the machine does to a loop that has nothing else to do. */
static void run_idle(void)
{
    uv_loop_t loop;
    uv_timer_t end;
    struct loop_watch watch;
    assert_int_equal(uv_loop_init(&loop), 0);
    loop_watch_start(&watch, &loop);
    assert_int_equal(uv_timer_init(&loop, &end), 0);
    end.data = &watch;
    assert_int_equal(uv_timer_start(&end, end_watch, blocks_asked / 2, 0), 0);
    assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
    print_message("no engine, for %llu ms\n", (unsigned long long)blocks_asked / 2);
    loop_watch_print(&watch);
    assert_int_equal(uv_loop_close(&loop), 0);
}

static void open_node(struct node *node, int workers)
{
    static uint8_t accounts[ACCOUNTS][PLEACH_DIGEST_SIZE];
    const pleach_leaves leaves = {
        .data = accounts[0], .size = PLEACH_DIGEST_SIZE, .stride = PLEACH_DIGEST_SIZE, .count = ACCOUNTS};
    const pleach_engine_accumulator_rules rules = {.states = STATES, .total = true};
    pleach_config config = chain_settings();
    memset(node, 0, sizeof *node);
    config.workers = workers;
    node->blocks = blocks_asked;
    assert_int_equal(pleach_engine_open(&node->engine, &config,
                                        &(pleach_engine_options){.directory = directory, .rollback_blocks = 16}),
                     PLEACH_OK);
    assert_int_equal(pleach_engine_tree(node->engine, "accounts", PLEACH_SCHEME_BLAKE3, &node->accounts), PLEACH_OK);
    assert_int_equal(pleach_engine_accumulator(node->engine, "stores", &rules, &node->stores), PLEACH_OK);
    fill_random(accounts[0], sizeof accounts, 1);
    assert_int_equal(pleach_engine_block_begin(node->engine, 0), PLEACH_OK);
    assert_int_equal(pleach_engine_append(node->engine, node->accounts, &leaves), PLEACH_OK);
    assert_int_equal(pleach_engine_block_seal(node->engine, NULL, NULL, 0, NULL), PLEACH_OK);
    assert_int_equal(uv_loop_init(&node->loop), 0);
    loop_watch_start(&node->watch, &node->loop);
}

/* A proof of an account, from a view of the latest block, leads to the root of that view. */
static bool ask(const struct clients *clients, size_t account)
{
    pleach_engine_view *view = NULL;
    uint8_t root[PLEACH_DIGEST_SIZE];
    if (pleach_engine_view_open(clients->engine, PLEACH_ENGINE_LATEST, &view) != PLEACH_OK)
        return false;
    const bool right = pleach_tree_size(pleach_engine_view_tree(view, clients->accounts)) == ACCOUNTS &&
                       pleach_engine_view_root(view, clients->accounts, root) == PLEACH_OK &&
                       leads_to(view, clients->accounts, PLEACH_SCHEME_BLAKE3, account, root);
    pleach_engine_view_close(clients->engine, view);
    return right;
}

static void keep_asking(void *context)
{
    struct clients *clients = context;
    uint64_t seed = atomic_fetch_add(&clients->came, 1);
    while (!atomic_load(&clients->over)) {
        atomic_fetch_add(&clients->faults, !ask(clients, (size_t)random_below(&seed, ACCOUNTS)));
        atomic_fetch_add(&clients->answers, 1);
        (void)nanosleep(&(struct timespec){.tv_nsec = CLIENT_NS}, NULL);
    }
}

static void clients_come(struct clients *clients, const struct node *node)
{
    memset(clients, 0, sizeof *clients);
    clients->engine = node->engine;
    clients->accounts = node->accounts;
    for (int i = 0; i < CLIENTS; i++)
        assert_int_equal(uv_thread_create(&clients->threads[i], keep_asking, clients), 0);
}

static void clients_go(struct clients *clients, double seconds)
{
    atomic_store(&clients->over, true);
    for (int i = 0; i < CLIENTS; i++)
        assert_int_equal(uv_thread_join(&clients->threads[i]), 0);
    print_message("  %d clients: %.0f proofs a second\n", CLIENTS, (double)atomic_load(&clients->answers) / seconds);
    assert_int_equal(atomic_load(&clients->faults), 0);
}

/* The same changes on a tree and states of the test's own. */
static void check_result(const struct node *node)
{
    pleach_engine_view *view = NULL;
    pleach_tree *tree = NULL;
    pleach_lthash total = {.keyed = 0}, found;
    uint8_t root[PLEACH_DIGEST_SIZE], expected[PLEACH_DIGEST_SIZE];
    bool equal = false;
    static uint8_t accounts[ACCOUNTS][PLEACH_DIGEST_SIZE];
    fill_random(accounts[0], sizeof accounts, 1);
    assert_int_equal(pleach_tree_create(&tree, NULL, PLEACH_SCHEME_BLAKE3), PLEACH_OK);
    assert_int_equal(pleach_tree_build(tree,
                                       &(pleach_leaves){.data = accounts[0],
                                                        .size = PLEACH_DIGEST_SIZE,
                                                        .stride = PLEACH_DIGEST_SIZE,
                                                        .count = ACCOUNTS},
                                       NULL),
                     PLEACH_OK);
    for (uint64_t height = 1; height <= node->blocks; height++) {
        draw_block(height);
        assert_int_equal(pleach_tree_update(tree, work_of.index, &block_leaves, NULL), PLEACH_OK);
        for (size_t i = 0; i < MUTATIONS; i++)
            work_of.ops[i].state = 0;
        assert_int_equal(pleach_lthash_apply(NULL, &total, work_of.ops, MUTATIONS, PLEACH_LTHASH_EMPTY_HASHED, NULL),
                         PLEACH_OK);
    }
    assert_int_equal(pleach_engine_view_open(node->engine, node->blocks, &view), PLEACH_OK);
    assert_int_equal(pleach_engine_view_root(view, node->accounts, root), PLEACH_OK);
    assert_int_equal(pleach_tree_root(tree, expected), PLEACH_OK);
    assert_memory_equal(root, expected, sizeof root);
    assert_int_equal(pleach_engine_view_state(view, node->stores, PLEACH_ENGINE_TOTAL, &found), PLEACH_OK);
    assert_int_equal(pleach_lthash_equal(&found, &total, &equal), PLEACH_OK);
    assert_true(equal);
    pleach_engine_view_close(node->engine, view);
    assert_int_equal(pleach_merkle_root(NULL, PLEACH_SCHEME_RFC6962, &block_leaves, NULL, expected), PLEACH_OK);
    assert_memory_equal(node->root, expected, sizeof expected);
    pleach_tree_destroy(tree);
}

static void check_memory(const struct node *node)
{
    pleach_memory_use use;
    const uint64_t now = resident();
    pleach_pool_memory(pleach_engine_pool(node->engine), &use);
    print_message("  memory: %.1f MB used after warm-up, %.1f MB at the end, most %.1f MB, mapped %.1f MB; resident "
                  "%.1f MB, %.1f MB\n",
                  (double)node->warm_used / MEGABYTE, (double)use.used / MEGABYTE, (double)use.peak / MEGABYTE,
                  (double)use.mapped / MEGABYTE, (double)node->warm_resident / MEGABYTE, (double)now / MEGABYTE);
    assert_true(use.used <= node->warm_used + MEGABYTE + node->warm_used / 10);
    assert_true(!RESIDENT_IS_OURS || now <= node->warm_resident + node->warm_resident / 4 + 4 * MEGABYTE);
}

static void run_node(int workers)
{
    static struct node node;
    static struct clients clients;
    (void)make_directory(NULL);
    open_node(&node, workers);
    const uint64_t begin = monotonic_time();
    clients_come(&clients, &node);
    queue_blocks(&node);
    assert_int_equal(uv_run(&node.loop, UV_RUN_DEFAULT), 0);
    const double seconds = (double)(monotonic_time() - begin) / 1e9;
    assert_int_equal(node.done, node.blocks);
    print_message("%d workers: %llu blocks in %.2f s, %.0f a second\n", workers, (unsigned long long)node.blocks,
                  seconds, (double)node.blocks / seconds);
    loop_watch_print(&node.watch);
    print_message("        in a call at most %.3f ms\n", (double)node.longest_call / 1e6);
    clients_go(&clients, seconds);
    check_memory(&node);
    check_result(&node);
    assert_int_equal(uv_loop_close(&node.loop), 0);
    assert_int_equal(pleach_engine_close(node.engine), PLEACH_OK);
    assert_int_equal(remove_directory(NULL), 0);
}

static void a_node_runs_for_long(void **state)
{
    (void)state;
    run_idle();
    run_node(1);
    run_node(2);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_node_runs_for_long)};
    blocks_asked = count > 1 ? strtoull(arguments[1], NULL, 10) : quick() ? QUICK_BLOCKS : BLOCKS;
    (void)alarm(900); /* a hang is a failure */
    return cmocka_run_group_tests_name("node", tests, NULL, NULL);
}
