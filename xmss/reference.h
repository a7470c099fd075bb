/*
 * XMSS one compression at a time, as its specification writes it: what everything faster is compared with.
 *
 * Functions that take a trace write a record for each compression to *trace and advance it; NULL: none.
 */
#ifndef PLEACH_XMSS_REFERENCE_H
#define PLEACH_XMSS_REFERENCE_H

#include "xmss/format.h"

/* `in` may be `out`. size <= 672. */
void pleach__xmss_reference_hash(uint8_t out[16], const uint8_t parameter[16], pleach__xmss_tweak tweak,
                                 const uint8_t *in, size_t size, pleach_xmss_compression **trace);

void pleach__xmss_reference_prf(uint8_t out[16], const uint8_t seed[PLEACH_XMSS_SEED_SIZE], uint32_t domain, uint64_t a,
                                uint64_t b);

/* From `from` steps behind the start of a chain to `to`. */
void pleach__xmss_reference_steps(uint8_t value[16], const uint8_t parameter[16], uint32_t epoch, unsigned chain,
                                  unsigned from, unsigned to, pleach_xmss_compression **trace);

/* Of the ends of all chains, 16 bytes each. */
void pleach__xmss_reference_leaf(uint8_t leaf[16], const uint8_t parameter[16], uint32_t epoch, const uint8_t *ends,
                                 pleach_xmss_compression **trace);

/* The same from the secret seed. */
void pleach__xmss_reference_secret_leaf(uint8_t leaf[16], const uint8_t seed[PLEACH_XMSS_SEED_SIZE],
                                        const uint8_t parameter[16], uint32_t epoch);

/* `level` and `index` are the parent's. `parent` may be a child. */
void pleach__xmss_reference_node(uint8_t parent[16], const uint8_t parameter[16], unsigned level, uint32_t index,
                                 const uint8_t left[16], const uint8_t right[16], pleach_xmss_compression **trace);

/* Whether the encoding is valid; its digits if so, or else made-up ones. */
bool pleach__xmss_reference_encode(uint8_t digits[PLEACH_XMSS_CHAINS], const uint8_t parameter[16], uint32_t epoch,
                                   const uint8_t message[PLEACH_XMSS_MESSAGE_SIZE],
                                   const uint8_t randomness[PLEACH_XMSS_RANDOMNESS_SIZE],
                                   pleach_xmss_compression **trace);

/* The root that a signature of the right size leads to, and whether its encoding is valid. */
bool pleach__xmss_reference_root(uint8_t root[16], const pleach_xmss_claim *claim, pleach_xmss_compression **trace);

/* As pleach_xmss_verify() of a claim without NULL, but for the last error. */
pleach_status pleach__xmss_reference_verify(const pleach_xmss_claim *claim);

#endif
