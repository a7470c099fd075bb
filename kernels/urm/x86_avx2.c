#include "kernels/urm/x86_quads.h"

#include "kernels/urm/urm.h"

typedef __m256i bytes;

enum { BYTES_PARTS = 2 };

#define QUAD_XOR3(x, y, z) _mm_xor_si128(_mm_xor_si128(x, y), z)

#define BYTES_XOR(x, y)   _mm256_xor_si256(x, y)
#define BYTES_MUL(x, y)   bytes_mul(x, y)
#define BYTES_DOUBLE(x)   bytes_double(x)
#define BYTES_STORE(p, x) _mm256_store_si256((__m256i *)(p), x)

static inline __m256i bytes_double(__m256i x)
{
    const __m256i over = _mm256_cmpgt_epi8(_mm256_setzero_si256(), x);
    return _mm256_xor_si256(_mm256_add_epi8(x, x), _mm256_and_si256(over, _mm256_set1_epi8(0x1b)));
}

/* Highest bit of y first. */
static inline __m256i bytes_mul(__m256i x, __m256i y)
{
    const __m256i zero = _mm256_setzero_si256();
    __m256i product = _mm256_and_si256(_mm256_cmpgt_epi8(zero, y), x);
    for (int i = 0; i < 7; i++) {
        y = _mm256_add_epi8(y, y);
        product = _mm256_xor_si256(bytes_double(product), _mm256_and_si256(_mm256_cmpgt_epi8(zero, y), x));
    }
    return product;
}

/* Byte j of the row moves the table's words from i to i ^ j: bit 2 swaps halves, bit 1 quarters, bit 0 words. */
static inline void bytes_row(__m256i parts[2], const uint8_t (*rows)[64], const uint8_t *row)
{
#define HALF(j) _mm256_load_si256((const __m256i *)(rows[row[j]] + 32 * (h ^ (j) >> 2)))
    for (int h = 0; h < 2; h++) {
        const __m256i w0 = _mm256_xor_si256(HALF(0), HALF(4)), w1 = _mm256_xor_si256(HALF(1), HALF(5));
        const __m256i w2 = _mm256_xor_si256(HALF(2), HALF(6)), w3 = _mm256_xor_si256(HALF(3), HALF(7));
        const __m256i even = _mm256_xor_si256(w0, _mm256_permute2x128_si256(w2, w2, 1));
        const __m256i odd = _mm256_xor_si256(w1, _mm256_permute2x128_si256(w3, w3, 1));
        parts[h] = _mm256_xor_si256(even, _mm256_shuffle_epi32(odd, 0x4e));
    }
#undef HALF
}

#include "kernels/urm/windows.h"

URM_ADD(add, false)

static bool usable(const pleach__cpu *cpu)
{
    return cpu->avx2 && cpu->pclmul;
}

const pleach__urm_backend pleach__urm_avx2 = {
    .backend = {.name = "avx2", .needs = "AVX2, PCLMULQDQ", .lanes = 32, .usable = usable}, .add = add};
