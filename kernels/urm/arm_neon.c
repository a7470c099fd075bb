#define QUAD_XOR3(x, y, z) veorq_u8(veorq_u8(x, y), z)
#include "kernels/urm/arm_neon.h"
#include "kernels/urm/windows.h"

URM_ADD(add, false)

static bool usable(const pleach__cpu *cpu)
{
    return cpu->pmull;
}

const pleach__urm_backend pleach__urm_neon = {
    .backend = {.name = "neon", .needs = "NEON, PMULL", .lanes = 16, .usable = usable}, .add = add};
