/*
 * The gfni backend for processors whose affine instruction complements its result, as that of an emulator does: it is
 * told to complement it once more. Everything else of the backend is tested as it is.
 */
#define AFFINE_CONSTANT  0xff
#define pleach__urm_gfni urm_gfni_complementing
#include "kernels/urm/x86_gfni.c"

#include "urm_gfni.h"

bool affine_complements(void)
{
    const __m512i zero = _mm512_setzero_si512();
    return usable(pleach__cpu_features()) &&
           _mm512_test_epi8_mask(_mm512_gf2p8affine_epi64_epi8(zero, zero, 0), _mm512_set1_epi8(-1)) != 0;
}
