/* Compressions of the lanes of vectors, as they are handed to what runs them. See lanes.h. */
#ifndef PLEACH_LANES_JOB_H
#define PLEACH_LANES_JOB_H

#include "kernels/backend.h"

#include <string.h>

enum { BLOCK = 64 };

/* What concurrent groups have in common in a compression. */
typedef struct step {
    uint32_t tail[8];  /* what else the compression starts with beside the chaining value */
    size_t stride;     /* from an input to the next one */
    uint64_t mask;     /* which bytes of the block are stored; no others are read */
    size_t fetch;      /* from the block to the first of LANES lines to fetch into the cache, fetch_step apart */
    size_t fetch_step; /* 0: fetch nothing */
    vec own;           /* the word of the state that depends on the size of a lane's input */
} step;

typedef struct job {
    lanes *out; /* NULL: nothing to run; if jobs are queued: not wanted */
    const lanes *in;
    const step *step;
    uint8_t *digests; /* where the results go, or NULL */
    /* where the message comes from: this block of the first input, or two groups of nodes */
    const uint8_t *block;
    const lanes *left, *right;
} job;

#endif
