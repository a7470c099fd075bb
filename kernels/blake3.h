#ifndef PLEACH_BLAKE3_H
#define PLEACH_BLAKE3_H

/**
 * BLAKE3 of one input: hash, keyed hash and key derivation, with output of any length from any position.
 *
 * The digest that other software shows is 32 bytes from position 0. An input longer than a kilobyte is hashed in
 * chunks, one per vector lane. For many inputs see pleach_hash_many().
 *
 * Source: the BLAKE3 specification, chapter 2.
 */

#include "kernels/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Size of a key. */
#define PLEACH_BLAKE3_KEY_SIZE 32

/**
 * Hash an input on the calling thread.
 *
 * @param kernels   NULL = pleach_kernels_default().
 * @param in        size bytes, any alignment; may be NULL if size is 0.
 * @param offset    Position of the first byte wanted in the output, which has 2^64 - 1 bytes. A shorter output is the
 *                  beginning of a longer one.
 * @param[out] out  out_size bytes; must not overlap the input; may be NULL if out_size is 0.
 *
 * @retval PLEACH_EINVAL    A required pointer is NULL.
 * @retval PLEACH_ERANGE    The input or out would not fit the address space, or the output ends before
 *                          offset + out_size.
 * @retval PLEACH_EBACKEND  pleach_kernels_default() is NULL.
 *
 * Threads: safe from any number at once.
 */
PLEACH_API pleach_status pleach_blake3_hash(const pleach_kernels *kernels, const uint8_t *in, size_t size,
                                            uint64_t offset, uint8_t *out, size_t out_size);

/**
 * Hash an input under a key: a message authentication code or a pseudorandom function.
 *
 * @param key  PLEACH_BLAKE3_KEY_SIZE bytes.
 *
 * Everything else as pleach_blake3_hash().
 */
PLEACH_API pleach_status pleach_blake3_keyed(const pleach_kernels *kernels, const uint8_t *key, const uint8_t *in,
                                             size_t size, uint64_t offset, uint8_t *out, size_t out_size);

/**
 * Derive a key.
 *
 * @param context  context_size bytes that say what the key is for: a constant of the program that nothing else uses,
 *                 without a terminator. May be NULL if context_size is 0.
 * @param in       The key material, size bytes.
 *
 * Everything else as pleach_blake3_hash().
 */
PLEACH_API pleach_status pleach_blake3_derive_key(const pleach_kernels *kernels, const uint8_t *context,
                                                  size_t context_size, const uint8_t *in, size_t size, uint64_t offset,
                                                  uint8_t *out, size_t out_size);

#ifdef __cplusplus
}
#endif
#endif
