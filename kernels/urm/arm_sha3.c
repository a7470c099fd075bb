/* The three-input exclusive or came with the instructions for SHA-3. */

#define QUAD_XOR3(x, y, z) veor3q_u8(x, y, z)
#include "kernels/urm/arm_neon.h"
#include "kernels/urm/windows.h"

URM_ADD(add, true)

static bool usable(const pleach__cpu *cpu)
{
    return cpu->pmull && cpu->sha3;
}

const pleach__urm_backend pleach__urm_sha3 = {
    .backend = {.name = "sha3", .needs = "NEON, PMULL, SHA3", .lanes = 16, .usable = usable}, .add = add};
