/* BLAKE2s under a key (RFC 7693 section 2.9): a message authentication code or a pseudorandom function. */
#ifndef PLEACH_BLAKE2S_KEYED_H
#define PLEACH_BLAKE2S_KEYED_H

#include "kernels/backend.h"

enum { PLEACH__BLAKE2S_KEY_MAX = 32 };

/* What can be computed once for inputs of one size under one key. As secret as the key. */
typedef struct pleach__blake2s_keyed {
    pleach__hash_plan plan; /* of the inputs, continued from the block of the key; if they are empty, of that block */
    uint8_t key[64];        /* that block */
} pleach__blake2s_keyed;

/* Fails with PLEACH_EINVAL if the key is empty or longer than PLEACH__BLAKE2S_KEY_MAX, PLEACH_ERANGE if the inputs
   would be too long; nothing is written then. */
pleach_status pleach__blake2s_key(pleach__blake2s_keyed *keyed, const uint8_t *key, size_t key_size, size_t size);

/* As the backend's hash_many. */
void pleach__blake2s_hash_keyed(const pleach__blake2s_keyed *keyed, const pleach__backend *backend, const uint8_t *in,
                                size_t stride, size_t n, uint8_t *out);

void pleach__blake2s_reference_keyed(const uint8_t *key, size_t key_size, const uint8_t *in, size_t size,
                                     uint8_t digest[PLEACH_DIGEST_SIZE]);

#endif
