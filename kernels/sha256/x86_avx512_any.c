#include "kernels/sha256/x86_avx512.h"

#include "kernels/sha256/compress.h"

#define WHOLE(at, l)                  BYTE_SWAP(_mm512_loadu_si512(row[l] + (at)))
#define LOAD_WHOLE(l, r0, r1, r2, r3) LOAD_QUAD(WHOLE, at, l, r0, r1, r2, r3)

INLINE void load_whole(const uint8_t *const row[LANES], size_t at, vec m[16])
{
    const vec byte_swap = BYTE_SWAP_MASK;
    TRANSPOSE(m, LOAD_WHOLE);
}

/* Reads only the bytes in the mask; `at` may be before the row. */
INLINE vec load_masked(vec fill, __mmask64 mask, const uint8_t *row, size_t at)
{
    return _mm512_mask_loadu_epi8(fill, mask, (const void *)((uintptr_t)row + at));
}

#define EDGE(at, l)                  BYTE_SWAP(load_masked(fill, mask, row[l], at))
#define LOAD_EDGE(l, r0, r1, r2, r3) LOAD_QUAD(EDGE, at, l, r0, r1, r2, r3)

INLINE void load_edge(const uint8_t *const row[LANES], const pleach__sha256_edge *edge, vec m[16])
{
    const vec byte_swap = BYTE_SWAP_MASK, fill = _mm512_loadu_si512(edge->fill);
    const __mmask64 mask = ((UINT64_C(1) << edge->count) - 1) << edge->first;
    const size_t at = edge->offset - edge->first;
    TRANSPOSE(m, LOAD_EDGE);
}

void pleach__sha256_x16_any(const pleach__sha256_message *message, const uint8_t *const row[LANES], vec out[8])
{
    const size_t varying = message->head + message->whole + message->tail;
    for (int i = 0; i < 8; i++)
        out[i] = V_ALL(pleach__sha256_iv + i);
    for (size_t b = 0; b < varying; b++) {
        vec m[16];
        if (b >= message->head && b - message->head < message->whole)
            load_whole(row, message->offset + 64 * (b - message->head), m);
        else
            load_edge(row, &message->edge[b < message->head ? b : b - message->whole], m);
        compress(out, m, b == 0);
    }
    if (message->known)
        compress_known(out, message->known);
}

void pleach__sha256_x16_listed(const pleach__hash_form *form, const pleach_input *const in[LANES], vec out[8])
{
    const size_t blocks = pleach__sha256_blocks(form);
    for (size_t b = 0; b < blocks; b++) {
        vec m[16];
        uint8_t bytes[LANES][64];
        const uint8_t *row[LANES];
        for (int l = 0; l < LANES; l++)
            row[l] = pleach__sha256_block(form, in[l], b, blocks, bytes[l]);
        load_whole(row, 0, m);
        compress(out, m, b == 0);
    }
}
