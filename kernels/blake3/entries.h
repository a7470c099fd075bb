/* The functions of a backend over the lanes of any instruction set. */
#ifndef PLEACH_BLAKE3_ENTRIES_H
#define PLEACH_BLAKE3_ENTRIES_H

#include "kernels/blake3/output_lanes.h"
#include "kernels/blake3/short_lists.h"
#include "kernels/blake3/subtrees.h"

enum { BATCH = 4 * LANES /* inputs whose chaining values wait for their last blocks */ };

/* n inputs of several chunks, n <= LANES. */
static void long_roots(const pleach__blake3_mode *mode, const uint8_t *in, size_t size, size_t stride, size_t n,
                       pleach__blake3_root *roots)
{
    const size_t chunks = (size + CHUNK - 1) / CHUNK;
    if (chunks > ROW_CHUNKS || chunks > n * ((chunks + LANES - 1) / LANES)) {
        for (size_t i = 0; i < n; i++) {
            top_of(mode, in + i * stride, size, 0, &roots[i]);
            roots[i].flags |= BLAKE3_ROOT;
        }
        return;
    }
    uint8_t children[LANES][BLOCK];
    top_rows(mode, in, size, stride, n, children);
    for (size_t i = 0; i < n; i++) {
        roots[i] = (pleach__blake3_root){.size = BLOCK, .flags = mode->flags | BLAKE3_PARENT | BLAKE3_ROOT};
        memcpy(roots[i].cv, mode->key, sizeof roots[i].cv);
        memcpy(roots[i].block, children[i], BLOCK);
    }
}

/* n inputs of at most a chunk, n <= BATCH: all blocks but the last over lanes, if there are more. */
static void short_roots(const pleach__blake3_mode *mode, const uint8_t *in, size_t size, size_t stride, size_t n,
                        pleach__blake3_root *roots)
{
    const size_t chained = chained_blocks(size);
    for (size_t i = 0; i < n; i++)
        end_root(mode, in + i * stride, size, &roots[i]);
    if (chained == 0)
        return;
    const blake3_plan plan = plan_of(mode, BLOCK * chained, BLAKE3_CHUNK_START, 0);
    uint8_t cvs[BATCH * PLEACH_DIGEST_SIZE];
    hash_by_plan(&plan, in, stride, n, cvs);
    for (size_t i = 0; i < n; i++)
        memcpy(roots[i].cv, cvs + PLEACH_DIGEST_SIZE * i, PLEACH_DIGEST_SIZE);
}

static void roots(const pleach__blake3_mode *mode, const uint8_t *in, size_t size, size_t stride, size_t n,
                  pleach__blake3_root *roots)
{
    const size_t batch = size > CHUNK ? LANES : BATCH;
    for (size_t done = 0; done < n; done += batch) {
        const size_t some = n - done < batch ? n - done : batch;
        const uint8_t *rows = in + done * stride;
        if (size > CHUNK)
            long_roots(mode, rows, size, stride, some, roots + done);
        else if (some <= SCALAR_LANES && size > BLOCK)
            pleach__blake3_portable.roots(mode, rows, size, stride, some, roots + done);
        else
            short_roots(mode, rows, size, stride, some, roots + done);
    }
}

static void hash_long(const uint8_t *in, size_t size, size_t stride, size_t n, uint8_t *out)
{
    const pleach__blake3_mode *mode = &pleach__blake3_unkeyed;
    const blake3_plan top = plan_of(mode, BLOCK, BLAKE3_PARENT | BLAKE3_ROOT, 0);
    for (size_t done = 0; done < n; done += LANES) {
        const size_t some = n - done < LANES ? n - done : LANES;
        pleach__blake3_root tops[LANES];
        long_roots(mode, in + done * stride, size, stride, some, tops);
        hash_by_plan(&top, (const uint8_t *)tops[0].block, sizeof tops[0], some, out + PLEACH_DIGEST_SIZE * done);
    }
}

static void hash_many(const pleach__hash_plan *plan, const uint8_t *in, size_t stride, size_t n, uint8_t *out)
{
    const size_t size = plan->form.size, rest = n % LANES <= SCALAR_LANES ? n % LANES : 0, rows = n - rest;
    if (size > CHUNK) {
        hash_long(in, size, stride, n, out);
        return;
    }
    if (rows > 0) {
        const blake3_plan input =
            plan_of(&pleach__blake3_unkeyed, size, BLAKE3_CHUNK_START, BLAKE3_CHUNK_END | BLAKE3_ROOT);
        hash_by_plan(&input, in, stride, rows, out);
    }
    pleach__blake3_portable.hashes.hash_many(plan, in + rows * stride, stride, rest, out + PLEACH_DIGEST_SIZE * rows);
}

static void hash_list(const pleach__list *list)
{
    const size_t size = list->plan->form.size, rest = list->n % LANES <= SCALAR_LANES ? list->n % LANES : 0;
    const size_t rows = list->n - rest;
    if (size > CHUNK) { /* its own chunks fill the lanes */
        for (size_t i = 0; i < list->n; i++) {
            const pleach_input *in = &list->inputs[list->order[i]];
            hash_long(in->bytes, in->size, 0, 1, list->out + (size_t)PLEACH_DIGEST_SIZE * list->order[i]);
        }
        return;
    }
    const blake3_plan input =
        plan_of(&pleach__blake3_unkeyed, size, BLAKE3_CHUNK_START, BLAKE3_CHUNK_END | BLAKE3_ROOT);
    const pleach__list others = pleach__list_rest(list, rows);
    pleach__list first = pleach__list_first(list, rows);
    first.plan = &input.plan;
    if (rows > 0)
        list_rows(&first);
    VEC_LEAVE();
    pleach__list_singly(&others, &pleach__blake3_portable.hashes);
}

INLINE void fold_inputs(const pleach__fold *fold, const pleach__backend *backend)
{
    if (fold->height < LANES_LOG2 || fold->leaf->form.size > CHUNK) {
        pleach__fold_levels(fold, backend);
        return;
    }
    const pleach__blake3_mode *mode = &pleach__blake3_unkeyed;
    const uint32_t last = BLAKE3_CHUNK_END | BLAKE3_ROOT;
    const blake3_plan leaf = plan_of(mode, fold->leaf->form.size, BLAKE3_CHUNK_START, last),
                      node = plan_of(mode, BLOCK, BLAKE3_CHUNK_START, last);
    pleach__fold over = *fold;
    over.leaf = &leaf.plan;
    over.node = &node.plan;
    fold_lanes(&over);
    VEC_LEAVE();
}

static void roots_list(const pleach__blake3_mode *mode, const pleach_input *list, size_t n, pleach__blake3_root *to)
{
    for (size_t done = 0, some; done < n; done += some) {
        some = n - done < PLEACH__LIST_BATCH ? n - done : PLEACH__LIST_BATCH;
        for (size_t i = done; i < done + some; i++)
            if (list[i].size > CHUNK)
                long_roots(mode, list[i].bytes, list[i].size, 0, 1, &to[i]);
        short_roots_list(mode, list + done, some, to + done);
    }
}

/* The table of an instruction set, whose file defines usable() and fold() beside what is above. */
#define BLAKE3_BACKEND(its_name, its_needs)                                                     \
    {                                                                                           \
        .hashes = {.name = (its_name),                                                          \
                   .needs = (its_needs),                                                        \
                   .lanes = LANES,                                                              \
                   .usable = usable,                                                            \
                   .hash_many = hash_many,                                                      \
                   .fold = fold,                                                                \
                   .hash_list = hash_list},                                                     \
        .roots = roots, .chain = chain, .xof = xof, .xof_groups = xof_groups, .lthash = lthash, \
        .roots_list = roots_list,                                                               \
    }

#endif
