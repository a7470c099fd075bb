/* Eight lanes of 256 bits: three ports take their operations, not two, so they cost less than half filled 512 bits. */
#include "kernels/sha256/x86_avx512_eight.h"
#include "kernels/sha256/sha256.h"

#include <immintrin.h>
#include <string.h>

typedef __m256i vec;
#define V_STATE           vec a, b, c, d, e, f, g, h
#define V_ADD(x, y)       _mm256_add_epi32(x, y)
#define V_ROR(x, n)       _mm256_ror_epi32(x, n)
#define V_SHR(x, n)       _mm256_srli_epi32(x, n)
#define V_XOR3(x, y, z)   _mm256_ternarylogic_epi32(x, y, z, 0x96)
#define V_CH(e, f, g)     _mm256_ternarylogic_epi32(e, f, g, 0xca)
#define V_MAJ(x, a, b, c) DO(x, _mm256_ternarylogic_epi32(a, b, c, 0xe8))
#define V_KEEP(b, c)
#define V_ALL(p) _mm256_set1_epi32((int)*(p))
#define V_PIN(x) __asm__ volatile("" : "+v"(x))
#include "kernels/sha256/x86_lanes8.h"

void pleach__sha256_x8_pairs(const uint8_t *in, size_t stride, size_t n, uint8_t *out)
{
    const void *row[LANES];
    uint8_t digests[LANES * PLEACH_DIGEST_SIZE];
    vec m[16], s[8];
    for (size_t l = 0; l < LANES; l++)
        row[l] = in + (l < n ? l : n - 1) * stride;
    load_blocks(m, row, 0);
    compress(s, m, true);
    compress_known(s, pleach__sha256_known64);
    store_digests(s, digests);
    _mm256_zeroupper();
    memcpy(out, digests, n * PLEACH_DIGEST_SIZE);
}
