#include "kernels/lanes_avx512.h"

static const uint32_t input_of_lane[LANES] = {0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15};

#include "kernels/blake3/entries.h"

static void fold(const pleach__fold *fold)
{
    fold_inputs(fold, &pleach__blake3_avx512.hashes);
}

static bool usable(const pleach__cpu *cpu)
{
    return cpu->avx512;
}

const pleach__blake3_backend pleach__blake3_avx512 = BLAKE3_BACKEND("avx512", "AVX-512 F, BW, VL, DQ");
