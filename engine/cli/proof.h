/* Inclusion proofs: made from a source that is read once, written and read as JSON. */
#ifndef PLEACH_PROOF_H
#define PLEACH_PROOF_H

#include "engine/cli/input.h"
#include "merkle/merkle.h"

#include <stdio.h>

typedef struct pleach__proof {
    const pleach_scheme *scheme;
    size_t leaf_size;
    uint64_t index, count;
    uint8_t leaf_hash[PLEACH_DIGEST_SIZE];
    uint8_t path[PLEACH_PATH_MAX][PLEACH_DIGEST_SIZE]; /* from the leaf upwards */
    size_t nodes;
    uint8_t root[PLEACH_DIGEST_SIZE];
} pleach__proof;

/* Leaves that a source of `size` bytes has, the last one as short as it comes. */
uint64_t pleach__leaf_count(uint64_t size, size_t leaf_size);

/*
 * Completes a proof whose scheme, leaf size and index are set. Needs memory for a read window, not for a tree.
 * `name` is for the progress bar.
 */
pleach_status pleach__proof_make(pleach__proof *proof, pleach_pool *pool, const pleach__span *source, const char *name);

/* False if memory ran out or the file cannot be written. */
bool pleach__proof_write(const pleach__proof *proof, FILE *file);

/* Accepts what pleach__proof_write() writes, whatever the order and the spacing, and nothing else. */
pleach_status pleach__proof_parse(pleach__proof *proof, const char *text, size_t size);

#endif
