/*
 * The tree over one row of inputs, by tiles.
 *
 * The inputs are cut into tiles of 2^height. Each tile is an item of a pool job and is folded to its root by the
 * kernels of the worker that claims it. The roots are a row of digests that are given, which is folded the same way:
 *
 *     level 5                .               root; four roots are one tile of height 2
 *     level 4        .               .
 *     level 3    .       .       .       .   the roots of four tiles of height 3: level 0 of the second row
 *               / \     / \     / \     / \
 *     level 0  8 leaves each                 level 0 of the first row
 */
#ifndef PLEACH_TILE_H
#define PLEACH_TILE_H

#include "merkle/scheme.h"

/* Inputs that become level 0 of a tree, and perhaps one digest after those that is ready. Not empty. */
typedef struct pleach__row {
    pleach__hashing hashing;  /* if its leaves are given, the inputs are digests already */
    const uint8_t *inputs;    /* input i at inputs + i * stride, */
    const pleach_input *list; /* or list[i], unless that is NULL; pleach__scheme_hashing() was asked for the largest */
    size_t list_bytes;        /* sum of the list's sizes */
    size_t stride, count;
    const uint8_t *tail; /* the digest, or NULL */
    unsigned level;      /* of a larger tree, if the row is part of one: of zero padding */
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
    bool *mutated; /* becomes true if a node equals its right sibling, not one that a lone rule made; or NULL */
} pleach__call;

/* About how many compressions an input of the row costs, its share of the nodes included. */
size_t pleach__row_cost(const pleach__row *row);

/* PLEACH_ECANCELED once the call that has this monitor should stop. NULL is allowed. */
pleach_status pleach__check_cancel(const pleach_monitor *monitor);

/* Height of the tiles that a row of `nodes`, its tail included, is cut into for a call; all of it is one for a caller
   that does better alone. `lanes`: inputs that are hashed at the price of one. */
unsigned pleach__tile_height(const pleach__call *call, const pleach__row *row, size_t nodes, unsigned lanes);

/*
 * Folds a row up to the first level of one node, whatever the scheme's depth. level[l] takes all digests of level l of
 * the row or is NULL: not stored; that of the root must be given. level[0] may be the inputs of a row of given digests
 * that lie one after the other. Indeterminate on failure. No memory is allocated if every level is given.
 *
 * Errors as pleach_pool_run(); PLEACH_ECANCELED, PLEACH_ENOMEM, PLEACH_EBACKEND; what `aside` returns.
 */
pleach_status pleach__fold_row(const pleach__call *call, const pleach__row *row, uint8_t *const *level);

/* Folds a row to its root alone, which may lie anywhere and is unchanged on failure. */
pleach_status pleach__fold_root(const pleach__call *call, const pleach__row *row, uint8_t *root);

/* Makes the digests of level 0 of `count` inputs from `first` on, on the calling thread; the tail is not looked at.
   Errors as pleach__hash_list(). */
pleach_status pleach__hash_inputs(const pleach__row *row, const pleach__backend *backend, size_t first, size_t count,
                                  uint8_t *digests);

/* Whether, of `count` nodes from an even index on, one equals its right sibling. */
bool pleach__has_equal_pair(const uint8_t *nodes, size_t count);

#endif
