/* What is computed from the seed of a key, in the lanes of vectors. No branch and no address depends on secrets. */
#ifndef PLEACH_XMSS_KEY_SECRET_H
#define PLEACH_XMSS_KEY_SECRET_H

#include "kernels/blake2s/compress.h"
#include "xmss/format.h"

typedef struct pleach__xmss_secret {
    uint8_t seed[PLEACH_XMSS_SEED_SIZE];
    uint32_t state[8];                    /* chaining value after the block of the seed, which is the key of the hash */
    uint8_t parameter[PLEACH__XMSS_HASH]; /* public */
} pleach__xmss_secret;

/* A node outside of the range. */
typedef struct pleach__xmss_filler {
    uint32_t level, index;
    uint8_t *to;
} pleach__xmss_filler;

/* Those of the kernels, or NULL after a failure: PLEACH_EBACKEND. */
const pleach__compress_lanes *pleach__xmss_lanes(const pleach_kernels *kernels);

void pleach__xmss_secret_of(pleach__xmss_secret *secret, const uint8_t seed[PLEACH_XMSS_SEED_SIZE]);

/* Leaves of n epochs, 16 bytes each. */
void pleach__xmss_leaves(const pleach__compress_lanes *c, const pleach__xmss_secret *secret, uint32_t first, size_t n,
                         uint8_t *leaves);

/* The value of each chain that lies as many steps behind its start as its digit says. Walks every chain to its end. */
void pleach__xmss_reveal(const pleach__compress_lanes *c, const pleach__xmss_secret *secret, uint32_t epoch,
                         const uint8_t digits[PLEACH_XMSS_CHAINS], uint8_t *values);

void pleach__xmss_fill(const pleach__compress_lanes *c, const pleach__xmss_secret *secret,
                       const pleach__xmss_filler *fillers, size_t n);

/* Not left out by a compiler that sees nobody read what is written. */
void pleach__xmss_wipe(void *memory, size_t size);

#endif
