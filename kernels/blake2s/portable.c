/* BLAKE2s, one input at a time, from the round body of the vector kernels: a vector of one lane. */
#include "kernels/lanes_one.h"

#include "kernels/blake2s/compress_lanes.h"

#include <string.h>

static uint32_t load32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

void pleach__blake2s_compress(uint32_t state[8], const uint8_t block[PLEACH__BLAKE2S_BLOCK], uint64_t hashed, bool last)
{
    const pleach__blake2s_tail tail = pleach__blake2s_tail_of(hashed, last);
    uint32_t m[16];
    for (int i = 0; i < 16; i++)
        m[i] = load32(block + 4 * i);
    compress_block(ZERO_BLOCK_FULL, state, state, m, &tail);
}

static void hash_one(const pleach__hash_plan *plan, const uint8_t *in, uint8_t *digest)
{
    const size_t size = plan->lead + plan->form.size;
    size_t at = 0, lead = plan->lead;
    uint32_t h[8];
    memcpy(h, plan->state, sizeof h);
    do {
        uint8_t copy[PLEACH__BLAKE2S_BLOCK];
        const uint8_t *block = in;
        const size_t here = size - at < sizeof copy ? size - at : sizeof copy, stored = here - lead;
        if (stored < sizeof copy) {
            memset(copy, 0, sizeof copy);
            if (stored > 0)
                memcpy(copy + lead, in, stored);
            block = copy;
        }
        at += here;
        in += stored;
        lead = 0;
        pleach__blake2s_compress(h, block, plan->hashed + at, at == size);
    } while (at < size);
    for (int i = 0; i < PLEACH_DIGEST_SIZE; i++)
        digest[i] = (uint8_t)(h[i / 4] >> (8 * (i % 4)));
}

static void hash_many(const pleach__hash_plan *plan, const uint8_t *in, size_t stride, size_t n, uint8_t *out)
{
    for (size_t i = 0; i < n; i++)
        hash_one(plan, in + i * stride, out + PLEACH_DIGEST_SIZE * i);
}

static void fold(const pleach__fold *fold)
{
    pleach__fold_levels(fold, &pleach__blake2s_portable);
}

static void hash_list(const pleach__list *list)
{
    pleach__list_singly(list, &pleach__blake2s_portable);
}

static bool usable(const pleach__cpu *cpu)
{
    (void)cpu;
    return true;
}

const pleach__backend pleach__blake2s_portable = {
    .name = "portable",
    .needs = "nothing but C",
    .lanes = 1,
    .usable = usable,
    .hash_many = hash_many,
    .fold = fold,
    .hash_list = hash_list,
    .compress_lanes = &compress_lanes,
};
