#include "kernels/cpu_aarch64.h"

#include <sys/auxv.h>

#ifndef AT_HWCAP2
#define AT_HWCAP2 26
#endif

/* Bits of the kernel's interface: headers may be older than the system that is run on. */
enum { PMULL = 4, SHA2 = 6, SHA3 = 17 }; /* of AT_HWCAP */
enum { SVE2 = 1, SME = 23 };             /* of AT_HWCAP2 */

static bool has(unsigned long set, unsigned bit)
{
    return set >> bit & 1;
}

void pleach__cpu_read_aarch64(pleach__cpu *cpu)
{
    const unsigned long first = getauxval(AT_HWCAP), second = getauxval(AT_HWCAP2);
    cpu->pmull = has(first, PMULL);
    cpu->sha2 = has(first, SHA2);
    cpu->sha3 = has(first, SHA3);
    cpu->sve2 = has(second, SVE2);
    cpu->sme = has(second, SME);
}
