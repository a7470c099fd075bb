/* What a call changes states by, and how ranges of that are added up. */
#ifndef PLEACH_LTHASH_BATCH_H
#define PLEACH_LTHASH_BATCH_H

#include "lthash/state.h"

/* n changes: listed, or all alike of items at a stride. */
typedef struct pleach__lthash_batch {
    pleach__blake3_mode mode;
    size_t n;
    const pleach_lthash_op *ops; /* or NULL: */
    const uint8_t *items;        /* of state 0 */
    size_t size, stride;
    pleach_lthash_action action;
    const size_t *order; /* of ops, so that those of a state follow each other; NULL = as they are */
    bool skips_empty;
} pleach__lthash_batch;

/* What one thread has added up of one state's changes. */
typedef struct pleach__lthash_sum {
    size_t state; /* PLEACH__LTHASH_NONE before the first */
    uint32_t *words;
    void (*flush)(const void *context,
                  const struct pleach__lthash_sum *sum); /* takes the sum before another state's begins */
    const void *context;
} pleach__lthash_sum;

#define PLEACH__LTHASH_NONE SIZE_MAX

/* Adds changes begin .. end - 1 to a sum. */
void pleach__lthash_sum_up(const pleach__lthash_batch *batch, const pleach__blake3_backend *backend, size_t begin,
                           size_t end, pleach__lthash_sum *sum);

#endif
