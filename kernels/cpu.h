/* What the processor can do and the operating system lets it do. */
#ifndef PLEACH_CPU_H
#define PLEACH_CPU_H

#include <stdbool.h>

/* A flag is set only if the instructions may be executed: CPUID and XGETBV on x86, what the system says
   on AArch64. */
typedef struct pleach__cpu {
    bool ssse3, sse41, sha_ni;
    bool avx2, pclmul;
    bool avx512;                    /* F, BW, VL, DQ and the state of 32 ZMM registers and the masks */
    bool avx512_vbmi, avx512_vbmi2; /* only with avx512, as are the next two */
    bool gfni, vpclmul;
    bool sha2, sha3, pmull; /* AArch64, which always has NEON: SHA-256; EOR3 and XAR; products of 64-bit polynomials */
    bool sve2;
    bool sme; /* streaming mode, whatever its vectors' length */
} pleach__cpu;

/* Read once per process; safe from any thread. */
const pleach__cpu *pleach__cpu_features(void);

#endif
