/* Elements of F128 in XMM registers. */
#ifndef PLEACH_URM_X86_QUADS_H
#define PLEACH_URM_X86_QUADS_H

#include <immintrin.h>

typedef __m128i quad;

#define QUAD_LOAD(p)           _mm_load_si128((const __m128i *)(p))
#define QUAD_STORE(p, x)       _mm_store_si128((__m128i *)(p), x)
#define QUAD_STORE_BYTES(p, x) _mm_store_si128((__m128i *)(p), x)
#define QUAD_ROW(p)            _mm_loadl_epi64((const __m128i *)(p))
#define QUAD_XOR(x, y)         _mm_xor_si128(x, y)
#define QUAD_KEEP(x)           __asm__("" : "+x"(x))
#define QUAD_AND(x, y)         _mm_and_si128(x, y)
#define QUAD_SPLAT(word)       _mm_set1_epi64x(word)
#define QUAD_LEFT(x, n)        _mm_slli_epi64(x, n)
#define QUAD_RIGHT(x, n)       _mm_srli_epi64(x, n)
#define QUAD_ZIP_LOW8(x, y)    _mm_unpacklo_epi8(x, y)
#define QUAD_ZIP_LOW16(x, y)   _mm_unpacklo_epi16(x, y)
#define QUAD_ZIP_HIGH16(x, y)  _mm_unpackhi_epi16(x, y)
#define QUAD_ZIP_LOW32(x, y)   _mm_unpacklo_epi32(x, y)
#define QUAD_ZIP_HIGH32(x, y)  _mm_unpackhi_epi32(x, y)
#define QUAD_MUL(x, i, y, j)   _mm_clmulepi64_si128(x, y, (i) | (j) << 4)

#define LEAVE() _mm256_zeroupper()

#endif
