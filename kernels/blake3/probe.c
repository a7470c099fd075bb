#include "kernels/blake3/blake3.h"

#include <string.h>

enum {
    INPUTS = 3 * PLEACH__BLAKE3_GROUP + 1, /* of several blocks: two groups of lanes and a part of one at least */
    SIZE_LIMIT = 2 * PLEACH__BLAKE3_CHUNK,
    SIZE_STEP = 419, /* sizes of every number of blocks, in no order */
    SUMMANDS = 5
};

typedef struct probe {
    uint8_t bytes[SIZE_LIMIT + INPUTS];
    pleach_input inputs[INPUTS];
    pleach__blake3_root roots[INPUTS];
    _Alignas(64) uint32_t state[PLEACH__LTHASH_WORDS];
    uint16_t limbs[PLEACH__LTHASH_LIMBS];
} probe;

static const pleach__blake3_mode keyed = {{1, 2, 3, 4, 5, 6, 7, 0x80000008}, BLAKE3_KEYED_HASH};

static bool right_roots(const probe *p)
{
    for (size_t i = 0; i < INPUTS; i++) {
        uint8_t got[PLEACH_DIGEST_SIZE], want[PLEACH_DIGEST_SIZE];
        pleach__blake3_output(&pleach__blake3_portable, &p->roots[i], 0, got, sizeof got);
        pleach__blake3_reference_output(&keyed, p->inputs[i].bytes, p->inputs[i].size, 0, want, sizeof want);
        if (memcmp(got, want, sizeof got) != 0)
            return false;
    }
    return true;
}

/* The limbs of both begin as the same numbers, so that carries show. */
static bool right_sum(probe *p, const pleach__blake3_backend *backend, bool subtract)
{
    for (size_t i = 0; i < PLEACH__LTHASH_WORDS; i++)
        p->state[i] = 0x9E3779B9u * (uint32_t)(i + 1);
    pleach__blake3_reference_limbs(p->state, p->limbs);
    backend->lthash(p->roots, SUMMANDS, subtract, p->state);
    for (size_t i = 0; i < SUMMANDS; i++)
        pleach__blake3_reference_lthash(&keyed, p->inputs[i].bytes, p->inputs[i].size, subtract, p->limbs);
    uint16_t got[PLEACH__LTHASH_LIMBS];
    pleach__blake3_reference_limbs(p->state, got);
    return memcmp(got, p->limbs, sizeof got) == 0;
}

bool pleach__blake3_probe(const pleach__backend *backend)
{
    const pleach__blake3_backend *b = (const pleach__blake3_backend *)backend;
    probe p;
    for (size_t i = 0; i < sizeof p.bytes; i++)
        p.bytes[i] = (uint8_t)(0x9E3779B97F4A7C15u * (i + 1) >> 56);
    for (size_t i = 0; i < INPUTS; i++)
        p.inputs[i] = (pleach_input){p.bytes + i, SIZE_STEP * i % (i % 8 ? PLEACH__BLAKE3_CHUNK + 1 : SIZE_LIMIT)};
    memset(p.roots, 0, sizeof p.roots);
    pleach__blake3_roots_list(b, &keyed, p.inputs, INPUTS, p.roots);
    return right_roots(&p) && right_sum(&p, b, false) && right_sum(&p, b, true);
}
