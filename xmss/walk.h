/*
 * Verification over the lanes of any instruction set. Its file has included compress_lanes.h, and defines:
 *   VEC_AND(a, b), VEC_OR(a, b), VEC_MULTIPLY(a, b)
 *   VEC_SHIFT_LEFT(a, n), VEC_SHIFT_RIGHT(a, n)  n is a constant
 *   VEC_SELECT(test, a, b)    a in lanes where test is not zero, else b
 *   ROW(l)                    the place of lane l among rows of 16 bytes
 *   rows_to_lanes(w, r)       4 words of each lane, from the rows of all, lowest bytes first; its own inverse
 *   LANES_TO_RECORDS(r, w)    rows of such words in the byte order of the host
 *   merge_rows(w, r, test)    the same in lanes where test is not zero
 *   GATHER_ROWS(r, FROM)      rows from FROM(l), any alignment
 *
 * Every valid signature walks 99 steps. So a lane walks one signature, its 42 chains end to end: no lane is ever idle,
 * all end together, nothing is sorted, and a lane's public parameter and epoch stay, so that most of the first columns
 * are prepared. Claims without a valid encoding walk made-up digits, which have the same sum.
 *
 * Where a chain enters its lane is known once the digits are. The plan moves each chain value of the signature to the
 * row of the step where it enters; each step takes such values in, and overwrites its row with what it computed; the
 * leaf reads the ends of the chains from the rows. Moves leave the vector units alone, but only some hundred of them
 * hide behind a compression: each step of a group's walk carries a piece of the next group's plan, in its middle, where
 * most vector work is at hand.
 */
#ifndef PLEACH_XMSS_WALK_H
#define PLEACH_XMSS_WALK_H

#include "xmss/verify.h"

#include <string.h>

enum {
    STEPS = PLEACH__XMSS_WALK,
    CHAINS = PLEACH_XMSS_CHAINS,
    HASH = PLEACH__XMSS_HASH,
    PIECES = LANES > 1 ? 2 : 1, /* of the plan of a chain */
};

/* Values that enter at a step; then what the step computed. */
typedef struct walk_row {
    vec value[4]; /* 16 bytes of lane l at ROW(l) */
    vec start;    /* word 0 of the tweak, plus one, in lanes where a chain begins; else 0 */
} walk_row;

/* A claim in each lane. */
typedef struct group {
    vec m[16];
    pleach__blake2s_prepared chain, node;
    vec epoch;
    vec digest[4];                /* the encoding; once planned, what is left of it; in the end, the root */
    vec invalid;                  /* not 0: the lane has no valid encoding */
    vec offset;                   /* plan: of the row where the next chain enters */
    vec enters, begins;           /* plan: of the current chain, that offset, and word 0 of its tweak, plus one */
    vec end[CHAINS];              /* offset of the row with the end of each chain */
    walk_row row[STEPS + CHAINS]; /* a chain of no steps has a row of its own behind those of the steps */
    const uint8_t *signature[LANES], *message[LANES], *key[LANES];
    bool sized[LANES];
    size_t first, live; /* claims of the batch */
} group;

typedef struct scratch {
    group group[2];
} scratch;

#include "xmss/walk_trace.h"

/* --- Before the walk --- */

INLINE void load_lanes(vec w[4], const uint8_t *const *from, size_t at)
{
    vec r[4];
#define FROM(l) (from[l] + at)
    GATHER_ROWS(r, FROM);
#undef FROM
    rows_to_lanes(w, r);
}

/* The chaining value that every hash begins with. */
INLINE const vec *initial(const group *g)
{
    return (const vec *)g->chain.word + 16;
}

/* What does not depend on the digits. Lanes beyond the batch repeat its last claim. */
static void set_up(group *g, const pleach__xmss_batch *batch, size_t first)
{
    static const uint32_t start[8] = BLAKE2S_INITIAL;
    const pleach__blake2s_tail chain_tail = pleach__blake2s_tail_of(48, true),
                               node_tail = pleach__blake2s_tail_of(64, true);
    vec in[8];
    g->first = first;
    g->live = first >= batch->n ? 0 : batch->n - first < LANES ? batch->n - first : LANES;
    for (size_t l = 0; l < LANES; l++) {
        const pleach_xmss_claim c = pleach__xmss_claim_at(batch, first + l < batch->n ? first + l : batch->n - 1);
        g->sized[l] = c.signature_size == PLEACH_XMSS_SIGNATURE_SIZE;
        g->signature[l] = g->sized[l] ? c.signature : pleach__xmss_zeros;
        g->message[l] = c.message;
        g->key[l] = c.public_key;
        ((uint32_t *)&g->epoch)[l] = c.epoch;
    }
    for (int i = 0; i < 8; i++)
        in[i] = VEC_SPLAT(start[i]);
    g->m[1] = VEC_SHIFT_LEFT(g->epoch, 8);
    g->m[2] = VEC_SHIFT_RIGHT(g->epoch, 24);
    g->m[3] = VEC_SPLAT(0);
    load_lanes(g->m + 4, g->key, PLEACH__XMSS_PARAMETER);
    prepare_lanes(ZERO_CHAIN, COMPUTED_CHAIN, (vec *)g->chain.word, in, g->m, &chain_tail);
    prepare_lanes(ZERO_NODE, COMPUTED_NODE, (vec *)g->node.word, in, g->m, &node_tail);
}

/*
 * Not 0 where bit 63 of a half is set or the digits have another sum. A half is two words: ten digits lie in 30 bits of
 * each, and one between them.
 */
INLINE vec invalid_encoding(const vec d[4])
{
    const vec ten = VEC_SPLAT(0x3fffffff), even = VEC_SPLAT(0x071c71c7), third = VEC_SPLAT(0x3f03f03f);
    vec sum = VEC_SPLAT(0), sixes = sum; /* fields of 6 bits, then of 12 */
    for (int i = 0; i < 4; i++) {
        const vec digits = VEC_AND(i % 2 ? VEC_SHIFT_RIGHT(d[i], 1) : d[i], ten);
        VEC_ADD(sixes, VEC_AND(digits, even));
        VEC_ADD(sixes, VEC_AND(VEC_SHIFT_RIGHT(digits, 3), even));
        VEC_ADD(sum, i % 2 ? VEC_SHIFT_LEFT(VEC_AND(d[i], VEC_SPLAT(1)), 2) : VEC_SHIFT_RIGHT(d[i], 30));
    }
    vec twelves = VEC_AND(sixes, third);
    VEC_ADD(twelves, VEC_AND(VEC_SHIFT_RIGHT(sixes, 6), third));
    VEC_ADD(sum, VEC_AND(twelves, VEC_SPLAT(0xfff)));
    VEC_ADD(sum, VEC_AND(VEC_SHIFT_RIGHT(twelves, 12), VEC_SPLAT(0xfff)));
    VEC_ADD(sum, VEC_SHIFT_RIGHT(twelves, 24));
    VEC_XOR(sum, VEC_SPLAT(PLEACH__XMSS_SUM));
    return VEC_OR(sum, VEC_SHIFT_RIGHT(VEC_OR(d[1], d[3]), 31));
}

static void encode(group *g, const pleach__xmss_batch *batch)
{
    const pleach__blake2s_tail tail = pleach__blake2s_tail_of(64, false), last = pleach__blake2s_tail_of(96, true);
    vec first[8], second[8], random[16], *m = g->m;
    m[0] = VEC_SPLAT(PLEACH__XMSS_ENCODING);
    load_lanes(m + 8, g->message, 0);
    load_lanes(m + 12, g->message, HASH);
    compress_block(ZERO_NODE, first, initial(g), m, &tail);
    load_lanes(random, g->signature, PLEACH__XMSS_RANDOMNESS);
    load_lanes(random + 4, g->signature, PLEACH__XMSS_RANDOMNESS + HASH);
    for (int i = 6; i < 16; i++) /* the path begins there */
        random[i] = VEC_SPLAT(0);
    compress_block(ZERO_BLOCK_SHORT, second, first, random, &last);
    if (batch->trace) {
        note(g, batch, 0, initial(g), m, 64, false, first);
        note(g, batch, 1, first, random, 96, true, second);
    }
    memcpy(g->digest, second, sizeof g->digest);
    g->invalid = invalid_encoding(g->digest);
    for (int i = 12; i < 16; i++)
        m[i] = VEC_SPLAT(0);
    m[0] = VEC_SPLAT(PLEACH__XMSS_CHAIN);
}

/* --- The plan --- */

/* Takes the next digit of each lane off the encoding. */
INLINE vec take_digit(group *g, unsigned chain)
{
    vec *half = g->digest + (chain < CHAINS / 2 ? 0 : 2);
    const vec digit = VEC_AND(half[0], VEC_SPLAT(7));
    half[0] = VEC_OR(VEC_SHIFT_RIGHT(half[0], 3), VEC_SHIFT_LEFT(half[1], 29));
    half[1] = VEC_SHIFT_RIGHT(half[1], 3);
    return VEC_SELECT(g->invalid, VEC_SPLAT(pleach__xmss_substitute(chain)), digit);
}

INLINE void plan_chain(group *g, unsigned chain)
{
    enum { ROW_SIZE = sizeof(walk_row) };
    if (chain == 0)
        g->offset = VEC_SPLAT(0);
    vec digit = take_digit(g, chain), steps = digit, before = VEC_SPLAT(0u - ROW_SIZE), next = g->offset;
    const vec own = VEC_SPLAT((STEPS + chain) * ROW_SIZE);
    VEC_XOR(steps, VEC_SPLAT(PLEACH__XMSS_STEPS)); /* 7 - digit */
    VEC_ADD(next, VEC_MULTIPLY(steps, VEC_SPLAT(ROW_SIZE)));
    VEC_ADD(before, next);
    g->enters = VEC_SELECT(steps, g->offset, own);
    g->end[chain] = VEC_SELECT(steps, before, own);
    g->offset = next;
    g->begins = VEC_OR(VEC_SHIFT_LEFT(digit, 8), VEC_SPLAT(chain << 11 | 1));
}

INLINE void plan_moves(group *g, unsigned chain, unsigned piece)
{
    const uint32_t *enters = (const uint32_t *)&g->enters, *begins = (const uint32_t *)&g->begins;
    for (unsigned i = 0; i < LANES / PIECES; i++) {
        const unsigned l = piece * (LANES / PIECES) + i;
        walk_row *row = (walk_row *)((uint8_t *)g->row + enters[l]);
        memcpy((uint8_t *)row->value + HASH * ROW(l), g->signature[l] + HASH * chain, HASH);
        ((uint32_t *)&row->start)[l] = begins[l];
    }
}

INLINE void plan_piece(group *g, unsigned piece)
{
    if (piece % PIECES == 0)
        plan_chain(g, piece / PIECES);
    plan_moves(g, piece / PIECES, piece % PIECES);
}

/* --- The walk --- */

/* `x` is where the chains of the lanes are, kept in registers where there are enough. */
INLINE void walk_step(const bool traced, group *g, vec x[4], unsigned step, group *next,
                      const pleach__xmss_batch *batch)
{
    const unsigned zero = ZERO_CHAIN, computed = COMPUTED_CHAIN;
    const vec *p = (const vec *)g->chain.word;
    vec *m = g->m, out[8];
    walk_row *row = &g->row[step];
    vec start = row->start, tweak = m[0];
    row->start = VEC_SPLAT(0);
    merge_rows(x, row->value, start);
    VEC_ADD(tweak, VEC_SPLAT(1 << 8));
    vec first = start;
    VEC_ADD(first, VEC_SPLAT(UINT32_MAX));
    m[0] = VEC_SELECT(start, first, tweak);
    for (int i = 0; i < 4; i++)
        m[8 + i] = x[i];
    vec v0 = p[0], v1 = p[1], v2 = p[2], v3 = p[3], v4 = p[4], v5 = p[5], v6 = p[6], v7 = p[7];
    vec v8 = p[8], v9 = p[9], va = p[10], vb = p[11], vc = p[12], vd = p[13], ve = p[14], vf = p[15];
    FIRST_COLUMN(m, 0, v0, v4, v8, vc);
    VEC_ADD(v0, x[0]); /* not from memory, which would be slower */
    VEC_ADD(v1, x[2]);
    REST_OF_FIRST_DIAGONAL(0, v0, v5, va, vf);
    REST_OF_FIRST_DIAGONAL(1, v1, v6, vb, vc);
    REST_OF_FIRST_DIAGONAL(2, v2, v7, v8, vd);
    REST_OF_FIRST_DIAGONAL(3, v3, v4, v9, ve);
    SECOND_DIAGONALS(m);
    BLAKE2S_ROUND_1(m);
    BLAKE2S_ROUND_2(m);
    BLAKE2S_ROUND_3(m);
    BLAKE2S_ROUND_4(m);
    if (next && step < PIECES * CHAINS)
        plan_piece(next, step);
    BLAKE2S_ROUND_5(m);
    BLAKE2S_ROUND_6(m);
    BLAKE2S_ROUND_7(m);
    BLAKE2S_ROUND_8(m);
    BLAKE2S_ROUND_9(m);
    BLAKE2S_RESULT(out, p + 16, traced);
    if (traced)
        note(g, batch, 2 + step, initial(g), m, 48, true, out);
    memcpy(x, out, 4 * sizeof *x);
    rows_to_lanes(row->value, x);
}

/* Claims travel to the second-level cache two groups ahead. */
INLINE void fetch_ahead(const pleach__xmss_batch *batch, size_t first, unsigned step)
{
    enum { LINE = 64, PARTS = 6, LINES = 4 };
    const size_t i = first + step / PARTS;
    const unsigned part = step % PARTS;
    if (step >= LANES * PARTS || i >= batch->n)
        return;
    const pleach_xmss_claim c = pleach__xmss_claim_at(batch, i);
    if (part == 0) {
        __builtin_prefetch(c.public_key, 0, 2);
        __builtin_prefetch(c.message, 0, 2);
        return;
    }
    for (unsigned line = 0; line < LINES; line++)
        __builtin_prefetch(c.signature + LINE * (LINES * (part - 1) + line), 0, 2);
}

INLINE void walk_chains(const bool traced, group *g, group *next, const pleach__xmss_batch *batch)
{
    vec x[4];
    for (int i = 0; i < 4; i++)
        x[i] = VEC_SPLAT(0);
    for (unsigned step = 0; step < STEPS; step++) {
        walk_step(traced, g, x, step, next, batch);
        if (next)
            fetch_ahead(batch, g->first + 2 * LANES, step);
    }
}

/* --- From the ends of the chains to the root --- */

INLINE void load_end(vec w[4], const group *g, unsigned chain)
{
    const uint32_t *end = (const uint32_t *)&g->end[chain];
    vec r[4];
#define FROM(l) ((const uint8_t *)g->row + end[l] + HASH * ROW(l))
    GATHER_ROWS(r, FROM);
#undef FROM
    rows_to_lanes(w, r);
}

static void hash_leaf(group *g, const pleach__xmss_batch *batch, vec leaf[8])
{
    enum { BLOCKS = 11, LEAF_NOTE = 2 + STEPS };
    pleach__blake2s_tail tail = pleach__blake2s_tail_of(64, false);
    vec w[16], before[8];
    g->m[0] = VEC_SPLAT(PLEACH__XMSS_LEAF);
    load_end(g->m + 8, g, 0);
    load_end(g->m + 12, g, 1);
    compress_block(ZERO_NODE, leaf, initial(g), g->m, &tail);
    if (batch->trace)
        note(g, batch, LEAF_NOTE, initial(g), g->m, 64, false, leaf);
    for (unsigned block = 1; block < BLOCKS; block++) {
        const bool last = block + 1 == BLOCKS;
        for (unsigned i = 0; i < 4; i++)
            load_end(w + 4 * i, g, 4 * block - 2 + i);
        tail = pleach__blake2s_tail_of(64 * (block + 1), last);
        memcpy(before, leaf, sizeof before);
        compress_block(ZERO_BLOCK_FULL, leaf, before, w, &tail);
        if (batch->trace)
            note(g, batch, LEAF_NOTE + block, before, w, 64 * (block + 1), last, leaf);
    }
}

INLINE void climb(const bool traced, group *g, const pleach__xmss_batch *batch, vec node[8])
{
    enum { PATH_NOTE = PLEACH_XMSS_COMPRESSIONS - PLEACH_XMSS_HEIGHT };
    vec *m = g->m, index = g->epoch, sibling[4];
    for (unsigned level = 0; level < PLEACH_XMSS_HEIGHT; level++) {
        const vec right = VEC_AND(index, VEC_SPLAT(1));
        index = VEC_SHIFT_RIGHT(index, 1);
        load_lanes(sibling, g->signature, PLEACH__XMSS_PATH + HASH * level);
        m[0] = VEC_SPLAT(PLEACH__XMSS_NODE | (level + 1) << 8);
        m[1] = VEC_SHIFT_LEFT(index, 8);
        m[2] = VEC_SHIFT_RIGHT(index, 24);
        for (int i = 0; i < 4; i++) {
            m[8 + i] = VEC_SELECT(right, sibling[i], node[i]);
            m[12 + i] = VEC_SELECT(right, node[i], sibling[i]);
        }
        compress_prepared(ZERO_NODE, COMPUTED_NODE, node, traced, (const vec *)g->node.word, m);
        if (traced)
            note(g, batch, PATH_NOTE + level, initial(g), m, 64, true, node);
    }
}

INLINE void finish(const bool traced, group *g, const pleach__xmss_batch *batch)
{
    vec node[8], rows[4];
    hash_leaf(g, batch, node);
    climb(traced, g, batch, node);
    rows_to_lanes(rows, node);
    for (size_t l = 0; l < g->live; l++) {
        const bool same = memcmp((const uint8_t *)rows + HASH * ROW(l), g->key[l], HASH) == 0;
        batch->results[g->first + l] = !g->sized[l]                              ? PLEACH_EXMSSSIZE
                                       : ((const uint32_t *)&g->invalid)[l] != 0 ? PLEACH_EXMSSENCODING
                                       : same                                    ? PLEACH_OK
                                                                                 : PLEACH_EXMSSROOT;
    }
}

/* --- All --- */

INLINE void run_groups(const bool traced, scratch *s, const pleach__xmss_batch *batch, size_t begin, size_t end)
{
    group *g = &s->group[0], *next = &s->group[1];
    for (size_t step = 0; step < STEPS; step++)
        g->row[step].start = next->row[step].start = VEC_SPLAT(0);
    set_up(g, batch, begin);
    encode(g, batch);
    for (unsigned piece = 0; piece < PIECES * CHAINS; piece++)
        plan_piece(g, piece);
    for (size_t first = begin; first < end; first += LANES) {
        const bool more = end - first > LANES;
        if (more) {
            set_up(next, batch, first + LANES);
            encode(next, batch);
        }
        walk_chains(traced, g, more ? next : NULL, batch);
        finish(traced, g, batch);
        group *swap = g;
        g = next;
        next = swap;
    }
}

__attribute__((noinline)) static void run_plain(scratch *s, const pleach__xmss_batch *batch, size_t begin, size_t end)
{
    run_groups(false, s, batch, begin, end);
}

__attribute__((noinline)) static void run_traced(scratch *s, const pleach__xmss_batch *batch, size_t begin, size_t end)
{
    run_groups(true, s, batch, begin, end);
}

static void run(void *memory, const pleach__xmss_batch *batch, size_t begin, size_t end)
{
    enum { TILE = PLEACH_XMSS_TILE };
    if (!batch->trace)
        run_plain(memory, batch, begin, end);
    else if (batch->layout == PLEACH_XMSS_ROWS)
        run_traced(memory, batch, begin, end);
    else
        run_traced(memory, batch, begin, end + (TILE - end % TILE) % TILE); /* a tile is written whole */
    VEC_LEAVE();
}

#include "xmss/search_lanes.h"

#define XMSS_WALK                                                \
    {                                                            \
        .scratch = sizeof(scratch), .run = run, .search = search \
    }

#endif
