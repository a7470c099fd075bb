/*
 * Tests on emulated systems, which do not do all that real ones do. The environment says so: PLEACH_EMULATOR. To be
 * included after cmocka.h.
 */
#ifndef PLEACH_EMULATED_H
#define PLEACH_EMULATED_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define SKIP_IF_EMULATED(reason)               \
    do {                                       \
        if (getenv("PLEACH_EMULATOR")) {       \
            printf("SKIPPED: %s\n", (reason)); \
            skip();                            \
        }                                      \
    } while (0)

/* True if the environment asks for a small share of the cases: emulated processors are slow. */
static inline bool quick(void)
{
    const char *value = getenv("PLEACH_TEST_QUICK");
    return value && *value;
}

/* How many bytes lie between an input and memory that must not be touched: qemu reads what masked loads of AVX2 leave
   out. */
static inline size_t emulated_overrun(void)
{
#if defined(__x86_64__)
    if (getenv("PLEACH_EMULATOR") && __builtin_cpu_supports("avx2"))
        return 63;
#endif
    return 0;
}

#endif
