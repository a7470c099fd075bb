#include "kernels/sha256/x86_avx512.h"

#include <string.h>

/*
 * Lane l owns the l-th contiguous run of leaves, so two neighbouring digests, left and right in one array of sixteen
 * vectors, are the parents' message as they stand. The runs are folded depth first, with one such array a level, down
 * to sixteen subtree roots; the small top of the tree is folded level by level.
 */
enum { LANE_LEVELS = 4, HEIGHT_MIN = LANE_LEVELS + 1, PREFETCH_AHEAD = 2 };

typedef enum leaf_kind {
    LEAF_PAIR,  /* 64 bytes, no prefix */
    LEAF_SHORT, /* a prefix and 32 bytes, one after the other, under nodes that have a prefix: a row is two leaves */
    LEAF_ANY
} leaf_kind;

typedef struct folding {
    const pleach__fold *work;
    leaf_kind kind;
    uint32_t leaf_prefix, node_prefix;
    size_t run;  /* leaves of a lane */
    size_t rows; /* rows of 64 bytes of a lane, where the kind has them */
    pleach__sha256_message message;
    vec m[16]; /* the next row, transposed */
    vec stack[PLEACH__FOLD_HEIGHT_MAX - LANE_LEVELS + 1][16];
} folding;

/* Row number `index` of all lanes. Past the last one comes the last again: it is loaded, but not used. */
static lane_rows next_rows(const folding *f, size_t index)
{
    const pleach__fold *work = f->work;
    const size_t step = f->kind == LEAF_SHORT ? 64 : work->stride;
    const size_t ahead = index + PREFETCH_AHEAD;
    const lane_rows rows = rows_in_order(work->leaves, f->run * work->stride);
    for (unsigned l = 0; ahead < f->rows && l < LANES; l++)
        __builtin_prefetch(row_of(rows, l) + ahead * step);
    return rows_in_order(rows.p + ((index < f->rows ? index : f->rows - 1) * step), rows.one);
}

static void digest_again(const pleach__hash_plan *plan, vec out[8])
{
    if (plan->form.twice)
        pleach__sha256_x16_digest(out, out);
}

static void hash_leaf(folding *f, size_t index, vec out[8])
{
    const pleach__fold *work = f->work;
    if (f->kind == LEAF_PAIR) {
        pleach__sha256_x16_pair_next(f->m, out, next_rows(f, index + 1), f->m);
    } else if (f->kind == LEAF_SHORT) {
        pleach__sha256_x16_prefixed32(f->m + 8 * (index & 1), out, &f->leaf_prefix);
    } else {
        const uint8_t *row[LANES];
        for (size_t l = 0; l < LANES; l++)
            row[l] = work->leaves + (l * f->run + index) * work->stride;
        pleach__sha256_x16_any(&f->message, row, out);
    }
    digest_again(work->leaf, out);
}

/* Parents number `index` of the lanes, at `level` + 1, of the children in the stack; stores those. */
static void hash_node(folding *f, unsigned level, size_t index)
{
    const vec *m = f->stack[level];
    vec *out = &f->stack[level + 1][8 * (index & 1)];
    const uint32_t *prefix = &f->node_prefix;
    const bool next = level == 0 && f->kind == LEAF_SHORT, store = f->work->level[level] != NULL;
    places to = {NULL, PLEACH_DIGEST_SIZE * (f->run >> level)};
    if (store)
        to.p = f->work->level[level] + PLEACH_DIGEST_SIZE * 2 * index;
    if (f->work->node->form.prefix == PLEACH__NO_PREFIX)
        store ? pleach__sha256_x16_pair_store(m, out, to) : pleach__sha256_x16_pair(m, out);
    else if (next)
        store ? pleach__sha256_x16_prefixed_store_next(m, out, prefix, to, next_rows(f, index + 1), f->m)
              : pleach__sha256_x16_prefixed_next(m, out, prefix, next_rows(f, index + 1), f->m);
    else
        store ? pleach__sha256_x16_prefixed_store(m, out, prefix, to) : pleach__sha256_x16_prefixed(m, out, prefix);
    digest_again(f->work->node, out);
}

static void begin(folding *f, const pleach__fold *work)
{
    const pleach__hash_form *leaf = &work->leaf->form, *node = &work->node->form;
    f->work = work;
    f->run = (size_t)1 << (work->height - LANE_LEVELS);
    f->leaf_prefix = (uint32_t)leaf->prefix;
    f->node_prefix = (uint32_t)node->prefix;
    f->kind = LEAF_ANY;
    if (leaf->size == 64 && leaf->prefix == PLEACH__NO_PREFIX)
        f->kind = LEAF_PAIR;
    else if (leaf->size == 32 && leaf->prefix != PLEACH__NO_PREFIX && work->stride == 32 &&
             node->prefix != PLEACH__NO_PREFIX)
        f->kind = LEAF_SHORT;
    f->rows = f->kind == LEAF_SHORT ? f->run / 2 : f->run;
    if (f->kind == LEAF_ANY)
        pleach__sha256_cut(&f->message, leaf);
    else
        load_rows(next_rows(f, 0), f->m);
}

void pleach__sha256_x16_fold(const pleach__fold *work)
{
    if (work->height < HEIGHT_MIN) {
        pleach__fold_levels(work, &pleach__sha256_avx512);
        return;
    }
    const unsigned depth = work->height - LANE_LEVELS;
    folding f;
    begin(&f, work);
    for (size_t i = 0; i < f.run; i++) {
        hash_leaf(&f, i, &f.stack[0][8 * (i & 1)]);
        size_t index = i;
        for (unsigned l = 0; index & 1; l++) { /* a right node completes its parent */
            index >>= 1;
            hash_node(&f, l, index);
        }
    }
    uint8_t roots[LANES * PLEACH_DIGEST_SIZE];
    store_in_order(f.stack[depth], roots);
    if (work->level[depth])
        memcpy(work->level[depth], roots, sizeof roots);
    const pleach__fold top = {
        work->node, work->node, roots, 2 * PLEACH_DIGEST_SIZE, LANE_LEVELS - 1, work->level + depth + 1};
    pleach__fold_levels(&top, &pleach__sha256_avx512);
}
