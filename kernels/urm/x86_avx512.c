#include "kernels/urm/x86_quads.h"

#include "kernels/urm/urm.h"

typedef __m512i bytes;

enum { BYTES_PARTS = 1, XOR3 = 0x96 };

#define QUAD_XOR3(x, y, z) _mm_ternarylogic_epi64(x, y, z, XOR3)

#define BYTES_XOR(x, y)   _mm512_xor_si512(x, y)
#define BYTES_MUL(x, y)   bytes_mul(x, y)
#define BYTES_DOUBLE(x)   bytes_double(x)
#define BYTES_STORE(p, x) _mm512_store_si512(p, x)

/* sum + x in the lanes whose byte of `select` is negative. */
static inline __m512i add_where_negative(__m512i sum, __m512i select, __m512i x)
{
    return _mm512_ternarylogic_epi64(sum, _mm512_movm_epi8(_mm512_movepi8_mask(select)), x, 0x78);
}

static inline __m512i bytes_double(__m512i x)
{
    return add_where_negative(_mm512_add_epi8(x, x), x, _mm512_set1_epi8(0x1b));
}

/* Highest bit of y first. */
static inline __m512i bytes_mul(__m512i x, __m512i y)
{
    __m512i product = _mm512_maskz_mov_epi8(_mm512_movepi8_mask(y), x);
    for (int i = 0; i < 7; i++) {
        y = _mm512_add_epi8(y, y);
        product = add_where_negative(bytes_double(product), y, x);
    }
    return product;
}

/* Byte j of the row moves the table's words from i to i ^ j: bits 2 and 1 permute quarters, bit 0 swaps their words. */
static inline void bytes_row(__m512i parts[1], const uint8_t (*rows)[64], const uint8_t *row)
{
#define ENTRY(j)           _mm512_load_si512(rows[row[j]])
#define QUARTERS(j, order) _mm512_shuffle_i64x2(ENTRY(j), ENTRY(j), order)
    const __m512i even = _mm512_ternarylogic_epi64(_mm512_xor_si512(ENTRY(0), QUARTERS(2, 0xb1)), QUARTERS(4, 0x4e),
                                                   QUARTERS(6, 0x1b), XOR3);
    const __m512i odd = _mm512_ternarylogic_epi64(_mm512_xor_si512(ENTRY(1), QUARTERS(3, 0xb1)), QUARTERS(5, 0x4e),
                                                  QUARTERS(7, 0x1b), XOR3);
    parts[0] = _mm512_xor_si512(even, _mm512_shuffle_epi32(odd, 0x4e));
#undef QUARTERS
#undef ENTRY
}

#include "kernels/urm/windows.h"

URM_ADD(add_ternary, true)
URM_ADD(add_binary, false)

static bool usable(const pleach__cpu *cpu)
{
    return cpu->avx512 && cpu->pclmul;
}

#define BACKEND                                                                                      \
    {                                                                                                \
        .name = "avx512", .needs = "AVX-512 F, BW, VL, DQ, PCLMULQDQ", .lanes = 64, .usable = usable \
    }
const pleach__urm_backend pleach__urm_avx512 = {.backend = BACKEND, .add = add_ternary};
const pleach__urm_backend pleach__urm_avx512_binary = {.backend = BACKEND, .add = add_binary};
