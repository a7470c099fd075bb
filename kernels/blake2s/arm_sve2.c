#include "kernels/lanes_sve2.h"

#include "kernels/blake2s/arm_fours.h"

static void fold(const pleach__fold *fold)
{
    fold_by_fours(fold, &pleach__blake2s_sve2);
}

static bool usable(const pleach__cpu *cpu)
{
    return cpu->sve2;
}

const pleach__backend pleach__blake2s_sve2 = BLAKE2S_BACKEND("sve2", "SVE2", hash_many_by_fours);
