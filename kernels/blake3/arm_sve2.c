#include "kernels/lanes_sve2.h"

static const uint32_t input_of_lane[LANES] = {0, 1, 2, 3, 4, 5, 6, 7};

#include "kernels/blake3/entries.h"

static void fold(const pleach__fold *fold)
{
    fold_inputs(fold, &pleach__blake3_sve2.hashes);
}

static bool usable(const pleach__cpu *cpu)
{
    return cpu->sve2;
}

const pleach__blake3_backend pleach__blake3_sve2 = BLAKE3_BACKEND("sve2", "SVE2");
