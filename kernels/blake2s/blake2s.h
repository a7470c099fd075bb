/* BLAKE2s (RFC 7693), unkeyed, 32-byte digests: what its files share. */
#ifndef PLEACH_BLAKE2S_H
#define PLEACH_BLAKE2S_H

#include "kernels/backend.h"
#include "kernels/blake_rounds.h"

enum { PLEACH__BLAKE2S_BLOCK = 64 };

/* The first word of the parameter block: digest size 32, no key, fanout and depth 1. */
#define BLAKE2S_H0 (BLAKE_IV0 ^ 0x01010020u)

/* The chaining value of a first block. */
#define BLAKE2S_INITIAL                                                                         \
    {                                                                                           \
        BLAKE2S_H0, BLAKE_IV1, BLAKE_IV2, BLAKE_IV3, BLAKE_IV4, BLAKE_IV5, BLAKE_IV6, BLAKE_IV7 \
    }

extern const pleach__backend pleach__blake2s_portable, pleach__blake2s_avx2, pleach__blake2s_avx512,
    pleach__blake2s_neon, pleach__blake2s_sve2, pleach__blake2s_sme;

/* One block into a chaining value; `hashed` counts the bytes up to its end. */
void pleach__blake2s_compress(uint32_t state[8], const uint8_t block[PLEACH__BLAKE2S_BLOCK], uint64_t hashed,
                              bool last);

/* As RFC 7693 names them: t bytes are hashed up to the block's end. */
void pleach__blake2s_reference_compress(uint32_t h[8], const uint8_t block[PLEACH__BLAKE2S_BLOCK], uint64_t t,
                                        bool last);

void pleach__blake2s_reference(const pleach__hash_form *form, const uint8_t *in, uint8_t digest[PLEACH_DIGEST_SIZE]);

#endif
