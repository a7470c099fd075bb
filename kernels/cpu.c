#include "kernels/cpu.h"

#include <pthread.h>

static pleach__cpu features;

#if defined(__x86_64__)
#include <cpuid.h>
#include <stdint.h>

/* XCR0: the register files that the operating system saves for a thread. */
enum { XMM_YMM = 0x06, MASKS_ZMM = 0xe0 };

static uint32_t enabled_state(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

static void read_features(void)
{
    unsigned a, b, c, d, b7 = 0, c7 = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d))
        return;
    features.ssse3 = c & bit_SSSE3;
    features.sse41 = c & bit_SSE4_1;
    features.pclmul = c & bit_PCLMUL;
    uint32_t state = c & bit_OSXSAVE ? enabled_state() : 0;
    if (!__get_cpuid_count(7, 0, &a, &b7, &c7, &d))
        return;
    const unsigned avx512 = bit_AVX512F | bit_AVX512BW | bit_AVX512VL | bit_AVX512DQ;
    features.sha_ni = b7 & bit_SHA;
    features.avx2 = (c & bit_AVX) && (b7 & bit_AVX2) && (state & XMM_YMM) == XMM_YMM;
    features.avx512 = features.avx2 && (b7 & avx512) == avx512 && (state & MASKS_ZMM) == MASKS_ZMM;
    features.avx512_vbmi = features.avx512 && (c7 & bit_AVX512VBMI);
    features.avx512_vbmi2 = features.avx512 && (c7 & bit_AVX512VBMI2);
    features.gfni = features.avx512 && (c7 & bit_GFNI);
    features.vpclmul = features.avx512 && (c7 & bit_VPCLMULQDQ);
}
#elif defined(__aarch64__) && (defined(__linux__) || defined(__APPLE__))
#include "kernels/cpu_aarch64.h"

static void read_features(void)
{
    pleach__cpu_read_aarch64(&features);
}
#else
static void read_features(void)
{
}
#endif

const pleach__cpu *pleach__cpu_features(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, read_features);
    return &features;
}
