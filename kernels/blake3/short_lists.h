/*
 * Inputs of at most a chunk and of differing sizes, up to their last blocks. All compressions before the last block are
 * alike, so inputs of differing numbers of blocks share lanes, and each takes its chaining value when it is through.
 */
#ifndef PLEACH_BLAKE3_SHORT_LISTS_H
#define PLEACH_BLAKE3_SHORT_LISTS_H

#include "kernels/blake3/subtrees.h"

enum { CHAINED_MAX = CHUNK / BLOCK - 1 };

/* Blocks of an input before its last one. */
INLINE size_t chained_blocks(size_t size)
{
    return size > 0 ? (size - 1) / BLOCK : 0;
}

/* The root of an input of at most a chunk, with the mode's key in place of a chaining value. */
INLINE void end_root(const pleach__blake3_mode *mode, const uint8_t *in, size_t size, pleach__blake3_root *root)
{
    const size_t chained = chained_blocks(size);
    root->size = (uint32_t)(size - BLOCK * chained);
    root->flags = mode->flags | (chained > 0 ? 0 : BLAKE3_CHUNK_START) | BLAKE3_CHUNK_END | BLAKE3_ROOT;
    memcpy(root->cv, mode->key, sizeof root->cv);
    /* no address is computed from a null pointer */
    copy_block((uint8_t *)root->block, chained > 0 ? in + BLOCK * chained : in, low_bits(root->size));
}

/* The inputs in the lanes of a group; spare lanes repeat the last one. */
typedef struct chain_group {
    lanes h;
    const uint16_t *order;
    size_t n;
    const uint8_t *row[LANES];
    size_t blocks[LANES];                                 /* that each chains; none has more than the next */
    uint32_t ends;                                        /* bit b: some lane is through after block b */
    uint8_t cvs[CHAINED_MAX][LANES * PLEACH_DIGEST_SIZE]; /* after those blocks, of all lanes */
} chain_group;

static void take_chained(chain_group *g, const pleach_input *list, const uint16_t *order, size_t n)
{
    g->order = order;
    g->n = n;
    g->ends = 0;
    for (size_t i = 0; i < LANES; i++) {
        const pleach_input *input = &list[order[i < n ? i : n - 1]];
        g->row[i] = input->bytes;
        g->blocks[i] = chained_blocks(input->size);
        g->ends |= UINT32_C(1) << (g->blocks[i] - 1);
    }
}

/* Whoever is through repeats its last block. */
INLINE void stage_chained(uint8_t *staged, const chain_group *g, size_t block)
{
    for (size_t i = 0; i < LANES; i++) {
        const size_t own = block < g->blocks[i] ? block : g->blocks[i] - 1;
        copy_block(staged + BLOCK * i, g->row[i] + BLOCK * own, UINT64_MAX);
    }
}

/* One or two groups side by side; the second has no fewer blocks. */
static void chain_groups(pipeline *p, const pleach__blake3_mode *mode, chain_group *g, unsigned groups)
{
    const size_t blocks = g[groups - 1].blocks[LANES - 1];
    const blake3_plan plan = plan_of(mode, BLOCK * blocks, BLAKE3_CHUNK_START, 0);
    inputs s;
    inputs_init(&s, &plan.plan, 0);
    for (size_t block = 0; block < blocks; block++) {
        step *st = next_step(p);
        describe_step(st, &s, block);
        st->stride = BLOCK;
        for (unsigned i = 0; i < groups; i++) {
            if (block >= g[i].blocks[LANES - 1])
                continue;
            job *j = next_job(p);
            uint8_t *staged = staging(p, i);
            stage_chained(staged, &g[i], block);
            j->out = &g[i].h;
            j->in = block == 0 ? &s.start : &g[i].h;
            j->step = st;
            j->digests = g[i].ends >> block & 1 ? g[i].cvs[block] : NULL;
            j->block = staged;
            j->left = NULL;
            submit(p);
        }
    }
    drain(p);
}

static void store_chained(const chain_group *g, pleach__blake3_root *roots)
{
    for (size_t i = 0; i < g->n; i++)
        memcpy(roots[g->order[i]].cv, g->cvs[g->blocks[i] - 1] + PLEACH_DIGEST_SIZE * i, PLEACH_DIGEST_SIZE);
}

/* The chaining values of the n inputs list[order[0]], ..., none of which has more blocks than the next. What does not
   fill the lanes are those of the fewest blocks. */
static void chain_list(const pleach__blake3_mode *mode, const pleach_input *list, const uint16_t *order, size_t n,
                       pleach__blake3_root *roots)
{
    pipeline p;
    chain_group g[2];
    for (; n % LANES > 0 && n % LANES <= SCALAR_LANES; n--, order++)
        pleach__blake3_portable.roots_list(mode, &list[*order], 1, &roots[*order]);
    pipeline_init(&p);
    while (n > 0) {
        unsigned groups = 0;
        for (; groups < 2 && n > 0; groups++) {
            const size_t some = n % LANES > 0 ? n % LANES : LANES;
            take_chained(&g[groups], list, order, some);
            order += some;
            n -= some;
        }
        chain_groups(&p, mode, g, groups);
        for (unsigned i = 0; i < groups; i++)
            store_chained(&g[i], roots);
    }
    VEC_LEAVE();
}

/* The roots of those of n <= PLEACH__LIST_BATCH inputs that have at most a chunk. */
static void short_roots_list(const pleach__blake3_mode *mode, const pleach_input *list, size_t n,
                             pleach__blake3_root *roots)
{
    uint16_t blocks[PLEACH__LIST_BATCH], order[PLEACH__LIST_BATCH];
    size_t several = 0;
    for (size_t i = 0; i < n; i++) {
        if (list[i].size > CHUNK)
            continue;
        end_root(mode, list[i].bytes, list[i].size, &roots[i]);
        blocks[i] = (uint16_t)chained_blocks(list[i].size);
        if (blocks[i] > 0)
            order[several++] = (uint16_t)i;
    }
    VEC_LEAVE();
    pleach__list_sort(blocks, order, several);
    chain_list(mode, list, order, several, roots);
}

#endif
