#ifndef PLEACH_KERNELS_H
#define PLEACH_KERNELS_H

/**
 * Hash families and their kernels: hashing many independent inputs at once, one per vector lane.
 *
 * A family has several backends, one per instruction set. All give the same digests; which one runs is chosen once per
 * pool, or once per process for calls without a pool.
 */

#include "config/config.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * What there are kernels for. Hash families come first, BLAKE2s: RFC 7693, unkeyed, 32-byte digests; SHA-256: FIPS
 * 180-4; BLAKE3: its specification, unkeyed, 32-byte digests. PLEACH_URM is no hash: the windows of a zerocheck, see
 * proving/urm.h; whatever hashes refuses it.
 */
typedef enum pleach_family {
    PLEACH_BLAKE2S,
    PLEACH_SHA256,
    PLEACH_BLAKE3,
    PLEACH_HASH_FAMILIES,
    PLEACH_URM = PLEACH_HASH_FAMILIES,
    PLEACH_FAMILIES
} pleach_family;

/** Size of a digest of any family. */
#define PLEACH_DIGEST_SIZE 32

/** "blake2s", "sha256", "blake3", "urm"; NULL for anything else. */
PLEACH_API const char *pleach_family_name(pleach_family family);

/** The backends chosen for one kind of worker, one for each family. Immutable; lives as long as its pool. */
typedef struct pleach_kernels pleach_kernels;

/** Name of the backend chosen for a family, such as "avx2"; NULL if there is no such family. */
PLEACH_API const char *pleach_kernels_backend(const pleach_kernels *kernels, pleach_family family);

/**
 * The kernels for calls without a pool: the best this host can run, settings aside. Chosen at the first call.
 *
 * NULL if a family has no backend that gives right digests here: the build or the processor is broken.
 *
 * Threads: safe from any number at once.
 */
PLEACH_API const pleach_kernels *pleach_kernels_default(void);

/**
 * Hash n inputs of one size on the calling thread.
 *
 * Input i is the size bytes at in + i * stride; its digest goes to out + 32 * i.
 *
 * @param kernels  NULL = pleach_kernels_default().
 * @param in       Any alignment; may be NULL if n or size is 0.
 * @param stride   Bytes from one input to the next; smaller than size is allowed: inputs may overlap.
 * @param[out] out 32 * n bytes; must not overlap the inputs.
 *
 * @retval PLEACH_EINVAL    A required pointer is NULL, or there is no such family.
 * @retval PLEACH_ERANGE    The inputs or the digests would not fit the address space.
 * @retval PLEACH_EBACKEND  pleach_kernels_default() is NULL.
 *
 * Threads: safe from any number at once.
 */
PLEACH_API pleach_status pleach_hash_many(const pleach_kernels *kernels, pleach_family family, const uint8_t *in,
                                          size_t size, size_t stride, size_t n, uint8_t *out);

/** An input of its own size. */
typedef struct pleach_input {
    const uint8_t *bytes; /**< Any alignment; may be NULL if size is 0. */
    size_t size;
} pleach_input;

/**
 * Hash n inputs of differing sizes, such as transactions, on the calling thread.
 *
 * The digest of inputs[i] goes to out + 32 * i. Inputs of about one size share the lanes of vectors, wherever they
 * stand among the others; a few long ones among many short ones do not hold these back.
 *
 * @param kernels  NULL = pleach_kernels_default().
 * @param inputs   May be NULL if n is 0.
 * @param[out] out 32 * n bytes; must not overlap the inputs.
 *
 * @retval PLEACH_EINVAL    A required pointer is NULL, or there is no such family.
 * @retval PLEACH_ERANGE    An input or the digests would not fit the address space.
 * @retval PLEACH_EBACKEND  pleach_kernels_default() is NULL.
 * On error out is unchanged.
 *
 * Threads: safe from any number at once.
 */
PLEACH_API pleach_status pleach_hash_list(const pleach_kernels *kernels, pleach_family family,
                                          const pleach_input *inputs, size_t n, uint8_t *out);

#ifdef __cplusplus
}
#endif
#endif
