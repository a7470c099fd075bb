/*
 * The tree over one row of inputs, by tiles.
 *
 * The inputs are cut into tiles of 2^height. Each tile is an item of a pool job and is folded to its root by the
 * kernels of the worker that claims it. The roots, taken in pairs, are the inputs of the next row, which is folded the
 * same way:
 *
 *     level 5                .               root; two pairs of roots are one tile of height 1
 *     level 4        .               .       the hashes of the pairs: level 0 of the second row
 *     level 3    .       .       .       .   the roots of four tiles of height 3
 *               / \     / \     / \     / \
 *     level 0  8 leaves each                 level 0 of the first row
 */
#ifndef PLEACH_TILE_H
#define PLEACH_TILE_H

#include "merkle/scheme.h"

/* Inputs whose hashes are level 0 of a tree, and perhaps one digest after those that is ready. Not empty. */
typedef struct pleach__row {
    pleach__hashing hashing;
    const uint8_t *inputs; /* input i at inputs + i * stride */
    size_t stride, count;
    const uint8_t *tail; /* the digest, or NULL */
} pleach__row;

/* The call that a fold is part of. */
typedef struct pleach__call {
    pleach_pool *pool;
    pleach_priority priority;
    size_t tile;             /* inputs of a tile, a power of two; 0 = as many as suit their cost and the pool */
    pleach_monitor *monitor; /* is told `before`, and `unit` more for each input hashed, of `total`; or NULL */
    uint64_t before, unit, total;
    pleach_status (*aside)(void *context); /* done by the calling thread while others fold, once and on no other thread,
                                              unless the fold fails; or NULL */
    void *context;
} pleach__call;

/* About how many compressions an input of the row costs, its share of the nodes included. */
size_t pleach__row_cost(const pleach__row *row);

/* PLEACH_ECANCELED once the call that has this monitor should stop. NULL is allowed. */
pleach_status pleach__check_cancel(const pleach_monitor *monitor);

/*
 * Folds a row. level[l] takes all digests of level l or is NULL: not stored; that of the root must be given.
 * Indeterminate on failure. No memory is allocated if every level is given.
 *
 * Errors as pleach_pool_run(); PLEACH_ECANCELED, PLEACH_ENOMEM, PLEACH_EBACKEND; what `aside` returns.
 */
pleach_status pleach__fold_row(const pleach__call *call, const pleach__row *row, uint8_t *const *level);

/* Folds a row to its root alone, which may lie anywhere and is unchanged on failure. */
pleach_status pleach__fold_root(const pleach__call *call, const pleach__row *row, uint8_t *root);

#endif
