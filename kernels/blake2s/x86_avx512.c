#include "kernels/lanes_avx512.h"

#include "kernels/blake2s/entries.h"

static void fold(const pleach__fold *fold)
{
    blake2s_fold(fold, &pleach__blake2s_avx512);
}

static bool usable(const pleach__cpu *cpu)
{
    return cpu->avx512;
}

const pleach__backend pleach__blake2s_avx512 = BLAKE2S_BACKEND("avx512", "AVX-512 F, BW, VL, DQ", hash_many);
