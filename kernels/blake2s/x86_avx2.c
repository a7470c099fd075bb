#include "kernels/lanes_avx2.h"

#include "kernels/blake2s/lanes.h"

#include "kernels/blake2s/compress_lanes.h"

enum { SCALAR_INPUTS = 1 };

static void hash_many(const pleach__hash_plan *plan, const uint8_t *in, size_t stride, size_t n, uint8_t *out)
{
    blake2s_hash_many(plan, in, stride, n, out, SCALAR_INPUTS);
}

static void fold(const pleach__fold *fold)
{
    blake2s_fold(fold, &pleach__blake2s_avx2);
}

static void hash_list(const pleach__list *list)
{
    blake2s_hash_list(list, SCALAR_INPUTS);
}

static bool usable(const pleach__cpu *cpu)
{
    return cpu->avx2;
}

const pleach__backend pleach__blake2s_avx2 = {
    .name = "avx2",
    .needs = "AVX2",
    .lanes = LANES,
    .usable = usable,
    .hash_many = hash_many,
    .fold = fold,
    .hash_list = hash_list,
    .compress_lanes = &compress_lanes,
};
