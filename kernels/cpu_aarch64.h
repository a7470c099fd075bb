/* How an operating system on AArch64 tells what may be used. */
#ifndef PLEACH_CPU_AARCH64_H
#define PLEACH_CPU_AARCH64_H

#include "kernels/cpu.h"

/* Sets the flags of AArch64; the others are false already. */
void pleach__cpu_read_aarch64(pleach__cpu *cpu);

#endif
