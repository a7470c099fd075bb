#ifndef PLEACH_XMSS_H
#define PLEACH_XMSS_H

/**
 * XMSS over BLAKE2s, byte-compatible with leanVM-b: hash-based signatures that are aggregated by proving many
 * verifications at once.
 *
 * A public key is the root of a tree of 2^32 one-time keys, one for each epoch. A signature reveals a value from each
 * of 42 chains of 8; how far along each chain is the digit of an encoding of the message, and the digits of a valid
 * encoding sum to 195, so that a verifier always walks 99 steps. A signer never uses an epoch twice: whoever sees two
 * signatures of one epoch can make a third.
 *
 * Numbers are little-endian. All hashes are the first 16 bytes of BLAKE2s (32-byte digests, no key) over a type (1
 * byte), a and b (4 bytes each), 7 zero bytes, the public parameter, and:
 *
 *     chain step    type 0  a = 8 chain + step    b = epoch            the value before (16 bytes), steps 0 .. 6
 *     leaf          type 1  a = 0                 b = epoch            the ends of the 42 chains
 *     node          type 2  a = level, 1 .. 32    b = index in it      left child, right child
 *     encoding      type 3  a = 0                 b = epoch            message, randomness, 8 zero bytes
 *
 * An encoding is two numbers of 64 bits. Bit 63 of both must be 0; digit i is bits 3 i .. 3 i + 2 of the first one, and
 * digit 21 + i of the second. A signature's chain value i has gone as many steps as digit i says.
 *
 * Sources: RFC 8391 (XMSS); Drake, Khovratovich, Kudinov, Wagner, "Hash-Based Multi-Signatures for Post-Quantum
 * Ethereum" (2025), for target-sum encodings.
 */

#include "pool/pool.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PLEACH_XMSS_CHAINS          42
#define PLEACH_XMSS_HEIGHT          32
#define PLEACH_XMSS_SEED_SIZE       32
#define PLEACH_XMSS_MESSAGE_SIZE    32
#define PLEACH_XMSS_RANDOMNESS_SIZE 24

/** Root, then public parameter, 16 bytes each. */
#define PLEACH_XMSS_PUBLIC_KEY_SIZE 32

/** 42 chain values of 16 bytes, randomness, 32 siblings of 16 bytes from level 0 upwards. */
#define PLEACH_XMSS_SIGNATURE_SIZE 1208

/** A signature and what it is said to sign. */
typedef struct pleach_xmss_claim {
    const uint8_t *public_key; /**< PLEACH_XMSS_PUBLIC_KEY_SIZE bytes */
    const uint8_t *message;    /**< PLEACH_XMSS_MESSAGE_SIZE bytes */
    const uint8_t *signature;  /**< signature_size bytes, any alignment */
    size_t signature_size;     /**< anything but PLEACH_XMSS_SIGNATURE_SIZE is PLEACH_EXMSSSIZE */
    uint32_t epoch;
} pleach_xmss_claim;

/**
 * Check one signature.
 *
 * @retval PLEACH_OK             The holder of the key signed the message for that epoch.
 * @retval PLEACH_EINVAL         A pointer is NULL.
 * @retval PLEACH_EXMSSSIZE      The signature has another size than PLEACH_XMSS_SIGNATURE_SIZE.
 * @retval PLEACH_EXMSSENCODING  Message and randomness give no valid encoding.
 * @retval PLEACH_EXMSSROOT      The signature leads to another root than the public key's.
 *
 * Threads: safe from any number at once.
 */
PLEACH_API pleach_status pleach_xmss_verify(const pleach_xmss_claim *claim);

/**
 * Check n signatures, each on its own: what pleach_xmss_verify() would return for claims[i] goes to results[i].
 *
 * Signatures share the lanes of vectors and the workers of the pool; invalid ones do not slow the others.
 *
 * @param pool          NULL = the calling thread alone.
 * @param claims        n of them; may be NULL if n is 0.
 * @param[out] results  n of them; indeterminate after an error.
 * @param monitor       May be NULL. Progress is in claims.
 *
 * @retval PLEACH_OK      Every claim was checked: look at results.
 * @retval PLEACH_EINVAL  A required pointer is NULL, of a claim too.
 * @retval PLEACH_ENOMEM  Scratch memory could not be had.
 * @retval other          As pleach_pool_run().
 *
 * Threads: safe from any number at once.
 */
PLEACH_API pleach_status pleach_xmss_verify_many(pleach_pool *pool, const pleach_xmss_claim *claims, size_t n,
                                                 pleach_status *results, pleach_monitor *monitor);

/**
 * Check the signatures of n keys on one message for one epoch, the input of an aggregation.
 *
 * @param public_keys  Key i is the PLEACH_XMSS_PUBLIC_KEY_SIZE bytes at public_keys + i * key_stride.
 * @param signatures   Signature i is the PLEACH_XMSS_SIGNATURE_SIZE bytes at signatures + i * signature_stride.
 *
 * @retval PLEACH_ERANGE  Keys or signatures would not fit the address space.
 *
 * Everything else as pleach_xmss_verify_many().
 */
PLEACH_API pleach_status pleach_xmss_verify_same(pleach_pool *pool, const uint8_t *message, uint32_t epoch,
                                                 const uint8_t *public_keys, size_t key_stride,
                                                 const uint8_t *signatures, size_t signature_stride, size_t n,
                                                 pleach_status *results, pleach_monitor *monitor);

#ifdef __cplusplus
}
#endif
#endif
