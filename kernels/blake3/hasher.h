/* BLAKE3 of an input that comes in pieces. */
#ifndef PLEACH_BLAKE3_HASHER_H
#define PLEACH_BLAKE3_HASHER_H

#include "kernels/blake3/blake3.h"

enum { PLEACH__BLAKE3_BATCH = 16 * PLEACH__BLAKE3_CHUNK }; /* a power of two that fills the lanes */

typedef struct pleach__blake3_hasher {
    const pleach__blake3_backend *backend;
    pleach__blake3_mode mode;
    uint64_t batches; /* before what is in the buffer */
    unsigned held;    /* chaining values of perfect subtrees of these, largest first: one for each bit of `batches` */
    uint32_t cv[64][8];
    size_t filled;
    uint8_t buffer[PLEACH__BLAKE3_BATCH];
} pleach__blake3_hasher;

/* PLEACH_EBACKEND if no backend gives right digests on this host. NULL = pleach_kernels_default(). */
pleach_status pleach__blake3_begin(pleach__blake3_hasher *hasher, const pleach_kernels *kernels,
                                   const pleach__blake3_mode *mode);

/* Begins another input, in the same mode. */
void pleach__blake3_restart(pleach__blake3_hasher *hasher);

void pleach__blake3_add(pleach__blake3_hasher *hasher, const uint8_t *bytes, size_t size);

/* The root of all that was added. */
void pleach__blake3_root_of(const pleach__blake3_hasher *hasher, pleach__blake3_root *root);

/* The digest of all that was added. */
void pleach__blake3_end(const pleach__blake3_hasher *hasher, uint8_t digest[PLEACH_DIGEST_SIZE]);

#endif
