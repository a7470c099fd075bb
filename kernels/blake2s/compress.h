/*
 * BLAKE2s compressions in the lanes of vectors, for what is not whole inputs in memory: chains, trees with rules of
 * their own, searches. A backend has them as its compress_lanes.
 *
 * Arrays of words are lane-major: word w of lane l is [w * lanes + l]. They are aligned to `lanes` words, as
 * PLEACH__LANES_ALIGNMENT is for any backend. A result may be written over words that it is made of: over `in`, or
 * anywhere in `words`.
 */
#ifndef PLEACH_BLAKE2S_COMPRESS_H
#define PLEACH_BLAKE2S_COMPRESS_H

#include "kernels/blake_rounds.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PLEACH__LANES_MAX = 16, PLEACH__LANES_ALIGNMENT = 64 };

/* What a compression starts with beside the chaining value. */
typedef struct pleach__blake2s_tail {
    uint32_t word[8]; /* v8 .. v15 */
    /* Three words of each lane that are xored to v12, v13 and v14, or NULL. Over a tail of no bytes, not last: the
       halves of the lane's count of bytes, lower one first, and all ones where its block is the last. */
    const uint32_t *own;
} pleach__blake2s_tail;

/* Of a block up to whose end `hashed` bytes are counted. */
static inline pleach__blake2s_tail pleach__blake2s_tail_of(uint64_t hashed, bool last)
{
    return (pleach__blake2s_tail){.word = {BLAKE_IV0, BLAKE_IV1, BLAKE_IV2, BLAKE_IV3, BLAKE_IV4 ^ (uint32_t)hashed,
                                           BLAKE_IV5 ^ (uint32_t)(hashed >> 32), last ? ~BLAKE_IV6 : BLAKE_IV6,
                                           BLAKE_IV7}};
}

/* Blocks, each with the words that are zero in it (bit i: word i). Those are not read, and their additions not made. */
#define PLEACH__BLAKE2S_BLOCKS(BLOCK)               \
    BLOCK(FULL, 0x0000)  /* 64 bytes */             \
    BLOCK(HALF, 0xff00)  /* 32 bytes, then zeros */ \
    BLOCK(SHORT, 0xffc0) /* 24 bytes, then zeros */

/*
 * Blocks most of whose words stay as they are from compression to compression, and the chaining value and the tail too.
 * The columns of the first round that such words enter alone are prepared once. After the words that are zero: the
 * columns that are not prepared (bit i: that of words 2i and 2i + 1). All words stay but those and words 8 .. 15.
 */
#define PLEACH__BLAKE2S_FORMS(FORM)                     \
    FORM(CHAIN, 0xf008, 1)  /* 48 bytes, word 3 zero */ \
    FORM(NODE, 0x0008, 3)   /* 64 bytes, word 3 zero */ \
    FORM(SEARCH, 0xffc0, 1) /* 24 bytes, then zeros */  \
    FORM(PRF, 0xfff4, 3)    /* 20 bytes, words 2 and 4 zero; then zeros */

#define PLEACH__BLAKE2S_NAME(name, ...) PLEACH__BLAKE2S_##name,
typedef enum pleach__blake2s_block {
    PLEACH__BLAKE2S_BLOCKS(PLEACH__BLAKE2S_NAME) PLEACH__BLAKE2S_BLOCK_COUNT
} pleach__blake2s_block;
typedef enum pleach__blake2s_form {
    PLEACH__BLAKE2S_FORMS(PLEACH__BLAKE2S_NAME) PLEACH__BLAKE2S_FORM_COUNT
} pleach__blake2s_form;
#undef PLEACH__BLAKE2S_NAME

/* Lane-major: what the first round starts from, in 16 words, and the 8 of the chaining value. */
typedef struct pleach__blake2s_prepared {
    _Alignas(PLEACH__LANES_ALIGNMENT) uint32_t word[24 * PLEACH__LANES_MAX];
} pleach__blake2s_prepared;

typedef struct pleach__compress_lanes {
    unsigned lanes;

    /* in, out: 8 words. */
    void (*compress[PLEACH__BLAKE2S_BLOCK_COUNT])(uint32_t *out, const uint32_t *in, const uint32_t *words,
                                                  const pleach__blake2s_tail *tail);

    /* Reads those of `words` that stay. */
    void (*prepare)(pleach__blake2s_prepared *prepared, pleach__blake2s_form form, const uint32_t *in,
                    const uint32_t *words, const pleach__blake2s_tail *tail);

    /* The first 4 words of the result, or all 8 if `whole`. */
    void (*compress_prepared[PLEACH__BLAKE2S_FORM_COUNT])(uint32_t *out, bool whole,
                                                          const pleach__blake2s_prepared *prepared,
                                                          const uint32_t *words);

    /* Compressions of the form CHAIN. Each takes what the one before left: the first 4 words of its result as words
       8 .. 11, and word 0 greater by `increment` in every lane. */
    void (*chain)(uint32_t *words, const pleach__blake2s_prepared *prepared, uint32_t increment, size_t steps);

    /* n words that are equal in all lanes. */
    void (*spread)(uint32_t *words, const uint32_t *equal, size_t n);
} pleach__compress_lanes;

/* Compares all of them with the reference, on words that differ from lane to lane; a seed is not 0. */
bool pleach__blake2s_probe(const pleach__compress_lanes *c, uint32_t seed);

#endif
