#ifndef PLEACH_URM_H
#define PLEACH_URM_H

/**
 * The first message of a zerocheck with univariate skip over packed bits, as Flock's prover sends it: six of the m
 * variables of a, b and c are bound at once, at 64 points that an additive transform of F8 reaches.
 *
 * With F8 = GF(2)[x]/(x^8+x^4+x^3+x+1), F128 = GF(2)[x]/(x^128+x^7+x^2+x+1) and the embedding phi of the one in the
 * other, A_y(lambda) is the value at 64 + lambda of the polynomial over F8 that has the 64 bits of row y of a as its
 * values at 0 .. 63; likewise B and C. The message is, up to one constant of the protocol,
 *
 *     ab[lambda] = sum over y of eq(r[6..], y) phi(A_y(lambda) B_y(lambda))
 *     c[lambda]  = sum over y of eq(r[6..], y) phi(C_y(lambda))
 *
 * and, where it is asked for, the 128 values of the multilinear extension of c whose variables from the eighth on are
 * bound to r.
 *
 * An element of F128 is 16 bytes, lowest coefficients first.
 *
 * Sources: A. Gruen, "Some Improvements for the PIOP for ZeroCheck" (2024), section 5; the format is described in
 * README.md.
 */

#include "pool/pool.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PLEACH_F128_SIZE 16

/** Fewest and most variables. */
#define PLEACH_URM_VARIABLES_MIN 13
#define PLEACH_URM_VARIABLES_MAX 48

/** Points of the message. */
#define PLEACH_URM_POINTS 64

/** First of the coordinates of a challenge that the protocol fixes, and how many it fixes. */
#define PLEACH_URM_FIXED_FIRST 6
#define PLEACH_URM_FIXED       7

/** Alignment of a, b and c. */
#define PLEACH_URM_ALIGNMENT 64

/**
 * Rows of a repeated instance: of each 2^k_log bits only the first useful_bits, rounded up to whole blocks of 512, are
 * not padding. Padding is not read and counts as zeros.
 */
typedef struct pleach_urm_padding {
    unsigned k_log;       /**< from PLEACH_URM_VARIABLES_MIN up to the number of variables */
    uint64_t useful_bits; /**< at most 2^k_log */
} pleach_urm_padding;

typedef struct pleach_urm_message {
    uint8_t ab[PLEACH_URM_POINTS][PLEACH_F128_SIZE];
    uint8_t c[PLEACH_URM_POINTS][PLEACH_F128_SIZE];
    uint8_t s_hat_v_c[2 * PLEACH_URM_POINTS][PLEACH_F128_SIZE]; /**< only if it is asked for */
} pleach_urm_message;

/** Write the coordinates of a challenge that are fixed, PLEACH_URM_FIXED elements; no effect if fixed is NULL. */
PLEACH_API void pleach_urm_fixed_challenge(uint8_t (*fixed)[PLEACH_F128_SIZE]);

/**
 * Compute the message.
 *
 * @param pool          NULL = the calling thread alone.
 * @param a             2^variables bits, lowest bit of a byte first, aligned to PLEACH_URM_ALIGNMENT; likewise b and c.
 *                      In the protocol c is a & b; nothing here depends on that.
 * @param size          Bytes of each; 2^variables / 8.
 * @param variables     PLEACH_URM_VARIABLES_MIN to PLEACH_URM_VARIABLES_MAX.
 * @param challenge     r: `variables` elements. The first six are not read.
 * @param padding       NULL = none.
 * @param with_s_hat_v  Whether message->s_hat_v_c is computed too; it is left alone otherwise.
 * @param monitor       May be NULL. Progress is in outer indices, of which there are at most 128.
 *
 * @retval PLEACH_EINVAL  A required pointer is NULL, a buffer is not aligned, or the challenge has another value than
 *                        the protocol's where that is fixed.
 * @retval PLEACH_ERANGE  variables, size or the padding is out of range.
 * @retval PLEACH_ENOMEM  Memory could not be had.
 * @retval other          As pleach_pool_run().
 * On error *message is unchanged.
 *
 * Threads: safe from any number at once.
 */
PLEACH_API pleach_status pleach_urm_round1(pleach_pool *pool, const uint8_t *a, const uint8_t *b, const uint8_t *c,
                                           size_t size, unsigned variables,
                                           const uint8_t (*challenge)[PLEACH_F128_SIZE],
                                           const pleach_urm_padding *padding, bool with_s_hat_v,
                                           pleach_urm_message *message, pleach_monitor *monitor);

#ifdef __cplusplus
}
#endif
#endif
