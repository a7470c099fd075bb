#include "kernels/lanes_neon.h"

static const uint32_t input_of_lane[LANES] = {0, 1, 2, 3, 4, 5, 6, 7};

#include "kernels/blake3/entries.h"

static void fold(const pleach__fold *fold)
{
    fold_inputs(fold, &pleach__blake3_neon.hashes);
}

static bool usable(const pleach__cpu *cpu)
{
    (void)cpu;
    return true;
}

const pleach__blake3_backend pleach__blake3_neon = BLAKE3_BACKEND("neon", "NEON, which AArch64 always has");
