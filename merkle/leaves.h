/* From leaves as a caller describes them to a row that can be folded. */
#ifndef PLEACH_LEAVES_H
#define PLEACH_LEAVES_H

#include "merkle/tile.h"

/* Checks everything but whether the scheme has a tree of so many leaves. On failure *row is indeterminate. */
pleach_status pleach__leaves_plan(const pleach_scheme *scheme, const pleach_leaves *leaves, pleach__row *row);

/* Checks everything that a tree of `leaves` needs. Errors as pleach_merkle_root(). */
pleach_status pleach__leaves_accept(const pleach_scheme *scheme, const pleach_leaves *leaves, pleach__row *row);

/* What a call that folds them from memory is to its pool: somebody waits, or it is long. */
pleach__call pleach__leaves_call(pleach_pool *pool, const pleach__row *row, pleach_monitor *monitor);

#endif
