#include "kernels/cpu_aarch64.h"

#include <stddef.h>
#include <sys/sysctl.h>
#include <sys/types.h>

static bool has(const char *feature)
{
    int value = 0;
    size_t size = sizeof value;
    return sysctlbyname(feature, &value, &size, NULL, 0) == 0 && size == sizeof value && value != 0;
}

/* No SVE2: Apple's processors have its instructions in streaming mode only. */
void pleach__cpu_read_aarch64(pleach__cpu *cpu)
{
    cpu->pmull = has("hw.optional.arm.FEAT_PMULL");
    cpu->sha2 = has("hw.optional.arm.FEAT_SHA256");
    cpu->sha3 = has("hw.optional.arm.FEAT_SHA3");
    cpu->sme = has("hw.optional.arm.FEAT_SME");
}
