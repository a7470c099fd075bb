/*
 * Hashes blocks beside a libuv loop that must not wait: the engine works on threads of its own and calls back on the
 * loop. Each block's data hash becomes a leaf of a tree over all blocks.
 */
#define _GNU_SOURCE /* uv.h wants pthread_rwlock_t */
#include <pleach/pleach.h>
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

enum { BLOCKS = 3, TRANSACTIONS = 2500, SIZE = 400, TICK_MS = 1 };

struct block {
    uint64_t height;
    uint8_t bytes[TRANSACTIONS][SIZE];
    pleach_input transactions[TRANSACTIONS];
    uint8_t data_hash[PLEACH_DIGEST_SIZE];
    pleach_engine_digest root; /* of the tree over all blocks so far */
};

static pleach_engine *engine;
static uint32_t tree;
static uv_timer_t ticks;
static unsigned long tick_count;

static void check(pleach_status status, const char *what)
{
    if (status == PLEACH_OK)
        return;
    fprintf(stderr, "%s: %s: %s\n", what, pleach_status_text(status), pleach_last_error());
    exit(EXIT_FAILURE);
}

static void check_uv(int error, const char *what)
{
    if (error == 0)
        return;
    fprintf(stderr, "%s: %s\n", what, uv_strerror(error));
    exit(EXIT_FAILURE);
}

static void print(const char *what, const uint8_t *digest)
{
    printf("%s ", what);
    for (int i = 0; i < PLEACH_DIGEST_SIZE; i++)
        printf("%02x", digest[i]);
    printf("\n");
}

/* On the engine's thread. What it fails with goes to report(). */
static pleach_status hash(void *context, pleach_engine *e, pleach_monitor *monitor)
{
    struct block *block = context;
    pleach_leaves leaf = {
        .data = block->data_hash, .size = PLEACH_DIGEST_SIZE, .stride = PLEACH_DIGEST_SIZE, .count = 1};
    pleach_status status =
        pleach_cometbft_transactions_root(pleach_engine_pool(e), block->transactions, TRANSACTIONS, block->data_hash);
    if (status == PLEACH_OK)
        status = pleach_engine_block_begin(e, block->height);
    if (status == PLEACH_OK)
        status = pleach_engine_append(e, tree, &leaf);
    return status == PLEACH_OK ? pleach_engine_block_seal(e, monitor, &block->root, 1, NULL) : status;
}

/* From here on on the loop's thread. */
static void stop(void *context, pleach_status status)
{
    (void)context;
    check(status, "close");
    uv_close((uv_handle_t *)&ticks, NULL);
}

static void report(void *context, pleach_status status)
{
    struct block *block = context;
    check(status, "block");
    printf("block %d\n", (int)block->height);
    print("  data hash", block->data_hash);
    print("  root of all", block->root.digest);
    if (block->height == BLOCKS)
        check(pleach_engine_close_queue(engine, uv_default_loop(), stop, NULL), "close");
}

/* What else the loop has to do. */
static void tick(uv_timer_t *timer)
{
    (void)timer;
    tick_count++;
}

static void fill(struct block *block)
{
    for (int i = 0; i < TRANSACTIONS; i++) {
        int length = snprintf((char *)block->bytes[i], SIZE, "block %d, transaction %d", (int)block->height, i);
        for (int j = length; j < SIZE; j++)
            block->bytes[i][j] = (uint8_t)j;
        block->transactions[i] = (pleach_input){block->bytes[i], SIZE};
    }
}

int main(void)
{
    static struct block blocks[BLOCKS];
    uv_loop_t *loop = uv_default_loop();
    check(pleach_engine_open(&engine, NULL, NULL), "engine");
    check(pleach_engine_tree(engine, "blocks", PLEACH_SCHEME_RFC6962, &tree), "tree");
    check_uv(uv_timer_init(loop, &ticks), "uv_timer_init");
    check_uv(uv_timer_start(&ticks, tick, 0, TICK_MS), "uv_timer_start");
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i].height = (uint64_t)i + 1;
        fill(&blocks[i]);
        check(pleach_engine_queue(engine, loop, hash, report, &blocks[i], NULL), "queue");
    }
    check_uv(uv_run(loop, UV_RUN_DEFAULT), "uv_run");
    fprintf(stderr, "the loop went on: %lu ticks\n", tick_count);
    check_uv(uv_loop_close(loop), "uv_loop_close");
    return EXIT_SUCCESS;
}
