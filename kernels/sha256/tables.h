/* Constants of SHA-256, and what is known of some blocks before the message is. */
#ifndef PLEACH_SHA256_TABLES_H
#define PLEACH_SHA256_TABLES_H

#include <stdint.h>

extern const uint32_t pleach__sha256_iv[8], pleach__sha256_k[64];

/* From the initial value: round 0 is e = W0 + [0] and a = W0 + [1]; rounds 1 to 3 have h + K = [2], [3], [4]. */
extern const uint32_t pleach__sha256_start[5];

/* K + W of the second block of a 64-byte message: the padding bit and the length. */
extern const uint32_t pleach__sha256_known64[64];

/*
 * One-block messages of 32 and 33 bytes: sigma1(length), length, sigma0(length), padding bit, sigma0(padding bit); and
 * K + W of the rounds from 8, or from 9, to 15.
 */
extern const uint32_t pleach__sha256_short32[5], pleach__sha256_short33[5];
extern const uint32_t pleach__sha256_short_k32[8], pleach__sha256_short_k33[7];

/*
 * The second block of a 65-byte message, a prefix and 64 bytes: its last byte, padding bit and length, so one byte of
 * it varies. K + W of rounds 0 to 15 if that byte is zero (otherwise byte << 24 is to be added to the first), and of
 * rounds 16 to 63 for each byte. Filled by pleach__sha256_plan() before it returns the plan of such a form.
 */
extern uint32_t pleach__sha256_known65[16], pleach__sha256_rows65[256][48];

#endif
