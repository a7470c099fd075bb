#ifndef PLEACH_XMSS_TRACE_H
#define PLEACH_XMSS_TRACE_H

/**
 * What a prover needs of verifications: every compression, and where its inputs come from.
 *
 * A verification is 144 compressions of BLAKE2s, in this order: 2 of the encoding, 99 of the chains, one chain after
 * the other and each from the value in the signature to its end, 11 of the leaf, 32 of the path from level 1 upwards.
 *
 * Where the encoding is not valid, the chains are walked as if the digits were 5 for the first 27 chains and 4 for the
 * others. A signature of a wrong size is not read: the trace is that of a signature of zero bytes.
 */

#include "xmss/xmss.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PLEACH_XMSS_COMPRESSIONS 144

/** Signatures of a tile of the layouts by lanes. */
#define PLEACH_XMSS_TILE 16

/** A compression: 36 words. */
typedef struct pleach_xmss_compression {
    uint32_t chaining_value[8];
    uint32_t block[16];
    uint32_t counter[2]; /**< bytes hashed up to the end of the block, lower half first */
    uint32_t flags[2];   /**< all ones in the first: the block is the last; the second is 0 */
    uint32_t result[8];
} pleach_xmss_compression;

/** Words are 32 bits in the byte order of the host. */
typedef enum pleach_xmss_layout {
    /** Tiles of 16 claims, each as uint32_t[144][36][16]: compression, word in the order of pleach_xmss_compression,
        claim. What the last tile lacks is filled by repeating the last claim. */
    PLEACH_XMSS_LANES,
    /** The same, but only block and result: uint32_t[144][24][16]. */
    PLEACH_XMSS_LANES_BLOCKS,
    /** The same, but only the result: uint32_t[144][8][16]. */
    PLEACH_XMSS_LANES_RESULTS,
    /** Claim after claim: pleach_xmss_compression[144]. */
    PLEACH_XMSS_ROWS
} pleach_xmss_layout;

/**
 * Bytes of the trace of n claims.
 *
 * @param[out] size  0 if n is 0.
 *
 * @retval PLEACH_EINVAL  size is NULL, or there is no such layout.
 * @retval PLEACH_ERANGE  The trace would not fit the address space.
 */
PLEACH_API pleach_status pleach_xmss_trace_size(pleach_xmss_layout layout, size_t n, size_t *size);

/**
 * Check n signatures as pleach_xmss_verify_many() does, and write down every compression. The trace depends on neither
 * kernels nor workers.
 *
 * @param[out] trace  Any alignment; 64 bytes are best. Indeterminate after an error.
 * @param trace_size  At least what pleach_xmss_trace_size() says; what is beyond is left alone.
 *
 * @retval PLEACH_EINVAL  A required pointer is NULL, or there is no such layout.
 * @retval PLEACH_ERANGE  trace_size is too small.
 *
 * Everything else as pleach_xmss_verify_many().
 */
PLEACH_API pleach_status pleach_xmss_trace(pleach_pool *pool, const pleach_xmss_claim *claims, size_t n,
                                           pleach_xmss_layout layout, void *trace, size_t trace_size,
                                           pleach_status *results, pleach_monitor *monitor);

/** What a word is. */
typedef enum pleach_xmss_source_kind {
    PLEACH_XMSS_CONSTANT,   /**< value, the same for every claim */
    PLEACH_XMSS_TWEAK,      /**< value, which the epoch and the digits of the encoding fix */
    PLEACH_XMSS_PUBLIC_KEY, /**< the 4 bytes at `at` of the public key, lowest first */
    PLEACH_XMSS_MESSAGE,    /**< of the message */
    PLEACH_XMSS_SIGNATURE,  /**< of the signature */
    PLEACH_XMSS_RESULT      /**< word `at` of the result of an earlier compression */
} pleach_xmss_source_kind;

typedef struct pleach_xmss_source {
    uint8_t kind;        /**< pleach_xmss_source_kind */
    uint8_t compression; /**< of a result; else 0 */
    uint16_t at;         /**< 0 for constants and tweaks */
    uint32_t value;      /**< of a constant or a tweak; else 0 */
} pleach_xmss_source;

/** Words that enter a compression: all of pleach_xmss_compression before the result, in its order. */
#define PLEACH_XMSS_INPUTS 28

/**
 * Where every word of every compression of a verification comes from. The path takes the result of compression 111, the
 * leaf; words 0 to 3 of the result of compression 143 are the root, which a valid signature's public key begins with;
 * words 0 to 3 of the result of compression 1 are the encoding.
 *
 * @param claim          Its public key, message, randomness and epoch fix the digits; the chains and the path are not
 *                       read.
 * @param[out] sources   PLEACH_XMSS_COMPRESSIONS rows, of the caller.
 *
 * @retval PLEACH_EINVAL     A pointer is NULL.
 * @retval PLEACH_EXMSSSIZE  As pleach_xmss_verify().
 *
 * An encoding that is not valid is no error here: the wiring is that of the trace.
 *
 * Threads: safe from any number at once.
 */
PLEACH_API pleach_status pleach_xmss_wiring(const pleach_xmss_claim *claim,
                                            pleach_xmss_source (*sources)[PLEACH_XMSS_INPUTS]);

#ifdef __cplusplus
}
#endif
#endif
