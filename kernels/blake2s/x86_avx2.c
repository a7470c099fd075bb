#include "kernels/lanes_avx2.h"

#include "kernels/blake2s/entries.h"

static void fold(const pleach__fold *fold)
{
    blake2s_fold(fold, &pleach__blake2s_avx2);
}

static bool usable(const pleach__cpu *cpu)
{
    return cpu->avx2;
}

const pleach__backend pleach__blake2s_avx2 = BLAKE2S_BACKEND("avx2", "AVX2", hash_many);
