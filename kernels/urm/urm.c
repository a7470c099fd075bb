#include "kernels/urm/urm.h"

#include <string.h>

static const pleach__backend *const backends[] = {
#if defined(__x86_64__)
    &pleach__urm_gfni.backend,     &pleach__urm_avx512.backend,
    &pleach__urm_avx2.backend,
#elif defined(__aarch64__)
    &pleach__urm_sha3.backend,
    &pleach__urm_neon.backend,
#endif
    &pleach__urm_portable.backend, NULL,
};

/* A window whose blocks and rows all differ, in both ways, once with padding. */
static bool probe(const pleach__backend *backend)
{
    _Alignas(64) uint8_t bits[3][PLEACH__URM_WINDOW];
    const pleach__f128 weight = {0x0123456789abcdef, 0xfedcba9876543210};
    const uint8_t blocks[] = {3, PLEACH__URM_BLOCKS};
    uint32_t state = 1;
    for (size_t i = 0; i < sizeof bits; i++) {
        state = state * 1664525 + 1013904223;
        bits[i / sizeof bits[0]][i % sizeof bits[0]] = (uint8_t)(state >> 24);
    }
    for (int split = 0; split < 2; split++) {
        const pleach__urm_windows windows = {.a = bits[0],
                                             .b = bits[1],
                                             .c = bits[2],
                                             .weight = &weight,
                                             .blocks = &blocks[split],
                                             .n = 1,
                                             .scale = {5, 7},
                                             .split = split};
        pleach__urm_sums got, want;
        memset(&got, 1, sizeof got);
        memset(&want, 1, sizeof want);
        ((const pleach__urm_backend *)backend)->add(&got, &windows);
        pleach__urm_reference_add(&want, &windows);
        if (memcmp(&got, &want, sizeof got) != 0)
            return false;
    }
    return true;
}

const pleach__family pleach__urm = {.name = "urm", .backends = backends, .probe = probe};
