/* What the backends of SHA-256 share. */
#ifndef PLEACH_SHA256_H
#define PLEACH_SHA256_H

#include "kernels/backend.h"

extern const pleach__backend pleach__sha256_portable, pleach__sha256_shani, pleach__sha256_avx2, pleach__sha256_avx512,
    pleach__sha256_armsha2, pleach__sha256_neon;

void pleach__sha256_reference(const pleach__hash_form *form, const uint8_t *in, uint8_t digest[PLEACH_DIGEST_SIZE]);

/* A block of a padded message that is not input only. */
typedef struct pleach__sha256_edge {
    size_t offset;         /* in the input, of the first byte of it */
    unsigned first, count; /* bytes first .. first + count - 1 of the block are input; count < 64 */
    uint8_t fill[64];      /* the other bytes, the same for all inputs, and zeros */
} pleach__sha256_edge;

/*
 * How the padded message of a form is cut into blocks: `head` edges, `whole` blocks of input, `tail` edges, and, if
 * known is not NULL, a block that is the same for all inputs.
 */
typedef struct pleach__sha256_message {
    size_t head, whole, tail;
    size_t offset; /* in the input, of the first whole block */
    pleach__sha256_edge edge[3];
    const uint32_t *known; /* K + W of the last block */
    uint32_t kw[64];
} pleach__sha256_message;

/* known may point into the message: it is not to be copied. */
void pleach__sha256_cut(pleach__sha256_message *message, const pleach__hash_form *form);

/* Block `index` of an input's padded message, which has `blocks` blocks. */
void pleach__sha256_make_block(const pleach__hash_form *form, const pleach_input *input, size_t index, size_t blocks,
                               uint8_t block[64]);

/* Where that block lies: in the input, or, if it is not input only, in `copy`, where it is made. */
static inline const uint8_t *pleach__sha256_block(const pleach__hash_form *form, const pleach_input *input,
                                                  size_t index, size_t blocks, uint8_t copy[64])
{
    const size_t prefixed = form->prefix != PLEACH__NO_PREFIX, begin = 64 * index;
    if (begin >= prefixed && begin + 64 <= prefixed + input->size)
        return input->bytes + (begin - prefixed);
    pleach__sha256_make_block(form, input, index, blocks, copy);
    return copy;
}

/* The table of a backend whose functions have these names. */
#define SHA256_BACKEND(its_name, its_needs)                                                                 \
    {                                                                                                       \
        .name = (its_name), .needs = (its_needs), .lanes = LANES, .usable = usable, .hash_many = hash_many, \
        .fold = fold, .hash_list = hash_list,                                                               \
    }

/* How many blocks the padded message of a form has. */
size_t pleach__sha256_blocks(const pleach__hash_form *form);

/* The digest as it is hashed again: bytes 32 .. 63 of its only block. */
extern const uint8_t pleach__sha256_digest_padding[32];

static inline uint32_t pleach__sha256_load(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline void pleach__sha256_store(uint8_t *p, uint32_t x)
{
    p[0] = (uint8_t)(x >> 24);
    p[1] = (uint8_t)(x >> 16);
    p[2] = (uint8_t)(x >> 8);
    p[3] = (uint8_t)x;
}

#endif
