/* From a batch of changes to changed states. */
#ifndef PLEACH_LTHASH_RUN_H
#define PLEACH_LTHASH_RUN_H

#include "lthash/batch.h"

/* What a call changes: each state by its own changes, the total, if there is one, by all. */
typedef struct pleach__lthash_target {
    pleach_lthash *const *states;
    size_t count;
    pleach_lthash *total;
} pleach__lthash_target;

/* Compressions that an item costs. */
uint64_t pleach__lthash_cost(size_t size);

/* Applies a batch of such a cost that is not empty. After an error no state has changed. Errors as
   pleach_lthash_apply(), but for those of arguments. */
pleach_status pleach__lthash_run(pleach_pool *pool, const pleach__lthash_batch *batch, uint64_t cost,
                                 const pleach__lthash_target *target, pleach_monitor *monitor);

#endif
