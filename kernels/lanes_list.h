/* Inputs of differing sizes, but of equally many blocks, in the lanes of vectors. */
#ifndef PLEACH_LANES_LIST_H
#define PLEACH_LANES_LIST_H

#include "kernels/lanes.h"

/* Each lane's input; spare lanes repeat the last one. */
typedef struct listed {
    lanes h;
    pleach__list list; /* begins with these inputs */
    size_t n;
    uintptr_t row[LANES]; /* the first block, as if the zeros that lead it were stored */
    size_t size[LANES];   /* those zeros included */
    uint8_t digests[LANES * PLEACH_DIGEST_SIZE];
} listed;

static void take_listed(listed *g, const inputs *s, const pleach__list *list, size_t first)
{
    const size_t left = list->n - first, lead = s->plan->lead;
    g->list = pleach__list_rest(list, first);
    g->n = left < LANES ? left : LANES;
    for (size_t i = 0; i < LANES; i++) {
        const pleach_input *input = &list->inputs[g->list.order[i < g->n ? i : g->n - 1]];
        g->row[i] = (uintptr_t)input->bytes - lead;
        g->size[i] = lead + input->size;
    }
}

/* Copies a block of each input to `staged`, and describes what differs from lane to lane in the last one. */
INLINE void stage_listed(step *st, uint8_t *staged, const inputs *s, const listed *g, size_t block)
{
    const uint64_t stored = block == 0 ? ~low_bits(s->plan->lead) : UINT64_MAX;
    uint32_t own[LANES];
    describe_step(st, s, block);
    st->stride = BLOCK;
    st->mask = UINT64_MAX;
    if (block + 1 < s->blocks) {
        for (size_t i = 0; i < LANES; i++)
            copy_block(staged + BLOCK * i, (const uint8_t *)(g->row[i] + BLOCK * block), stored);
        return;
    }
    for (size_t i = 0; i < LANES; i++) {
        const size_t bytes = g->size[i] - BLOCK * block;
        const uint8_t *from = (const uint8_t *)(g->row[i] + BLOCK * block);
        copy_block(staged + BLOCK * i, from, stored & low_bits(bytes));
        own[LANE(i)] = own_word(s, block, bytes);
    }
    memcpy(&st->own, own, sizeof own);
}

static void hash_listed(pipeline *p, const inputs *s, listed *g, unsigned groups)
{
    for (size_t block = 0; block < s->blocks; block++)
        for (unsigned i = 0; i < groups; i++) {
            step *st = next_step(p);
            job *j = next_job(p);
            uint8_t *staged = staging(p, i);
            stage_listed(st, staged, s, &g[i], block);
            j->out = &g[i].h;
            j->in = block == 0 ? &s->start : &g[i].h;
            j->step = st;
            j->digests = block + 1 == s->blocks ? g[i].digests : NULL;
            j->block = staged;
            j->left = NULL;
            submit(p);
        }
}

static void store_listed(const listed *g, unsigned groups)
{
    for (; groups > 0; groups--, g++)
        pleach__list_store(&g->list, g->digests, g->n);
}

/* Groups two by two; the digests of two groups are complete when the next two are on their way. */
static void list_rows(const pleach__list *list)
{
    pipeline p;
    inputs s;
    listed g[2][2];
    unsigned turn = 0, groups, before = 0;
    pipeline_init(&p);
    inputs_init(&s, list->plan, 0);
    for (size_t first = 0; first < list->n; first += groups * LANES, turn ^= 1) {
        groups = list->n - first > LANES ? 2 : 1;
        for (unsigned i = 0; i < groups; i++)
            take_listed(&g[turn][i], &s, list, first + i * LANES);
        hash_listed(&p, &s, g[turn], groups);
        if (!PIPELINED || list->n - first <= groups * LANES)
            drain(&p);
        store_listed(g[turn ^ 1], before);
        before = groups;
    }
    store_listed(g[turn ^ 1], before);
}

#endif
