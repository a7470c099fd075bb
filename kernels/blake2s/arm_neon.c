#include "kernels/lanes_neon.h"

#include "kernels/blake2s/arm_fours.h"

static void fold(const pleach__fold *fold)
{
    fold_by_fours(fold, &pleach__blake2s_neon);
}

static bool usable(const pleach__cpu *cpu)
{
    (void)cpu;
    return true;
}

const pleach__backend pleach__blake2s_neon =
    BLAKE2S_BACKEND("neon", "NEON, which AArch64 always has", hash_many_by_fours);
