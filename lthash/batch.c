#include "lthash/batch.h"

#include <string.h>

enum { BLOCK = 64 }; /* changes whose roots are found together: enough to fill the lanes whatever their sizes */

/* Changes of a block that are of one state and one action. */
struct run {
    size_t state, n;
    pleach_lthash_action action;
};

struct block {
    size_t runs, items;
    struct run run[BLOCK];
    pleach_input item[BLOCK];
    pleach__blake3_root root[BLOCK];
};

static const pleach_lthash_op *op_at(const pleach__lthash_batch *batch, size_t i)
{
    return &batch->ops[batch->order ? batch->order[i] : i];
}

/* Takes the items that changes begin .. end - 1, all of a state, add or remove. */
static void take_run(const pleach__lthash_batch *batch, size_t begin, size_t end, pleach_lthash_action action,
                     struct block *block)
{
    struct run run = {.state = op_at(batch, begin)->state, .action = action};
    for (size_t i = begin; i < end; i++) {
        const pleach_lthash_op *op = op_at(batch, i);
        if (op->action != action || (op->item.size == 0 && batch->skips_empty))
            continue;
        block->item[block->items] = op->item;
        if (op->item.size == 0)
            block->item[block->items].bytes = (const uint8_t *)"";
        block->items++;
        run.n++;
    }
    if (run.n > 0)
        block->run[block->runs++] = run;
}

static void take_ops(const pleach__lthash_batch *batch, const pleach__blake3_backend *backend, size_t begin, size_t end,
                     struct block *block)
{
    for (size_t next; begin < end; begin = next) {
        for (next = begin + 1; next < end && op_at(batch, next)->state == op_at(batch, begin)->state;)
            next++;
        take_run(batch, begin, next, PLEACH_LTHASH_ADD, block);
        take_run(batch, begin, next, PLEACH_LTHASH_REMOVE, block);
    }
    pleach__blake3_roots_list(backend, &batch->mode, block->item, block->items, block->root);
}

static void take_items(const pleach__lthash_batch *batch, const pleach__blake3_backend *backend, size_t begin,
                       size_t end, struct block *block)
{
    block->run[block->runs++] = (struct run){.n = end - begin, .action = batch->action};
    backend->roots(&batch->mode, batch->items + batch->stride * begin, batch->size, batch->stride, end - begin,
                   block->root);
}

static void turn_to(pleach__lthash_sum *sum, size_t state)
{
    if (sum->state == state)
        return;
    if (sum->state != PLEACH__LTHASH_NONE)
        sum->flush(sum->context, sum);
    memset(sum->words, 0, sizeof(pleach__lthash_words));
    sum->state = state;
}

void pleach__lthash_sum_up(const pleach__lthash_batch *batch, const pleach__blake3_backend *backend, size_t begin,
                           size_t end, pleach__lthash_sum *sum)
{
    struct block block;
    for (size_t next; begin < end; begin = next) {
        next = end - begin < BLOCK ? end : begin + BLOCK;
        block.runs = block.items = 0;
        (batch->ops ? take_ops : take_items)(batch, backend, begin, next, &block);
        const pleach__blake3_root *root = block.root;
        for (size_t r = 0; r < block.runs; root += block.run[r++].n) {
            turn_to(sum, block.run[r].state);
            backend->lthash(root, block.run[r].n, block.run[r].action == PLEACH_LTHASH_REMOVE, sum->words);
        }
    }
}
