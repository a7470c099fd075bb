/* Verification in the lanes of vectors: what a backend of BLAKE2s offers to it. */
#ifndef PLEACH_XMSS_VERIFY_H
#define PLEACH_XMSS_VERIFY_H

#include "kernels/backend.h"
#include "xmss/search.h"

/* Claims, and what becomes of them. */
typedef struct pleach__xmss_batch {
    const pleach_xmss_claim *claims; /* or NULL: claim i is `first` with key and signature moved on by i strides */
    pleach_xmss_claim first;
    size_t key_stride, signature_stride;
    size_t n;
    pleach_status *results;
    uint8_t *trace; /* or NULL */
    pleach_xmss_layout layout;
} pleach__xmss_batch;

typedef struct pleach__xmss_walk {
    size_t scratch; /* bytes, aligned to 64 */
    /* Claims [begin, end). `begin` is a multiple of PLEACH_XMSS_TILE, `end` too or it is the number of claims. */
    void (*run)(void *scratch, const pleach__xmss_batch *batch, size_t begin, size_t end);
    /* The least counter from `counter` on, below `end`, that gives a valid encoding, or `end`. Both are multiples of
       the lanes, of which there are at most PLEACH__LANES_MAX. */
    uint64_t (*search)(const pleach__xmss_search *search, uint64_t counter, uint64_t end);
} pleach__xmss_walk;

extern const pleach__xmss_walk pleach__xmss_portable, pleach__xmss_avx2, pleach__xmss_avx512, pleach__xmss_neon;

/* That of kernels. */
const pleach__xmss_walk *pleach__xmss_walk_of(const pleach_kernels *kernels);

/* Words of a compression in a layout. */
size_t pleach__xmss_words(pleach_xmss_layout layout);

/* By the portable walk, on the stack. */
void pleach__xmss_verify_one(const pleach_xmss_claim *claim, pleach_status *result);

/* Checks all claims. */
pleach_status pleach__xmss_run(pleach_pool *pool, const pleach__xmss_batch *batch, pleach_monitor *monitor);

/* Every claim has its pointers, and results are there if there are claims. */
pleach_status pleach__xmss_check_claims(const pleach_xmss_claim *claims, size_t n, const pleach_status *results);

/* With a text. */
pleach_status pleach__xmss_fail_size(const pleach_xmss_claim *claim);

/* Read in place of a signature of the wrong size. */
extern const uint8_t pleach__xmss_zeros[PLEACH_XMSS_SIGNATURE_SIZE];

static inline pleach_xmss_claim pleach__xmss_claim_at(const pleach__xmss_batch *batch, size_t i)
{
    pleach_xmss_claim claim = batch->claims ? batch->claims[i] : batch->first;
    if (!batch->claims) {
        claim.public_key += i * batch->key_stride;
        claim.signature += i * batch->signature_stride;
    }
    return claim;
}

#endif
