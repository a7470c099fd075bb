/* The functions of a backend over the lanes of any instruction set, whose header is included before. */
#ifndef PLEACH_BLAKE2S_ENTRIES_H
#define PLEACH_BLAKE2S_ENTRIES_H

#include "kernels/blake2s/lanes.h"

#include "kernels/blake2s/compress_lanes.h"

enum { SCALAR_INPUTS = 1 };

static void hash_many(const pleach__hash_plan *plan, const uint8_t *in, size_t stride, size_t n, uint8_t *out)
{
    blake2s_hash_many(plan, in, stride, n, out, SCALAR_INPUTS);
}

static void hash_list(const pleach__list *list)
{
    blake2s_hash_list(list, SCALAR_INPUTS);
}

/* The table of an instruction set, whose file defines usable() and fold() beside what is above. */
#define BLAKE2S_BACKEND(its_name, its_needs, its_hash_many)                                                     \
    {                                                                                                           \
        .name = (its_name), .needs = (its_needs), .lanes = LANES, .usable = usable, .hash_many = its_hash_many, \
        .fold = fold, .hash_list = hash_list, .compress_lanes = &compress_lanes,                                \
    }

#endif
