/*
 * How the encodings of trees and frontiers begin: 32 bytes that say what follows, by which rules and of how many
 * leaves.
 *
 *     offset  bytes
 *          0      8  kind, such as "pleachFR"
 *          8      4  version, 1
 *         12     12  scheme: family, leaf given (bit 0) / leaf twice (1) / node twice (2), leaf prefix (2 bytes, 0xffff
 *                    = none), node prefix (2 bytes), lone rule, empty rule, depth, and three zero bytes
 *         24      8  number of leaves
 *
 * Numbers are little-endian; families and rules have the values of their enumerations.
 */
#ifndef PLEACH_SCHEME_FORMAT_H
#define PLEACH_SCHEME_FORMAT_H

#include "merkle/merkle.h"

enum { PLEACH__KIND_SIZE = 8, PLEACH__SCHEME_SIZE = 12, PLEACH__PREAMBLE_SIZE = 32, PLEACH__FORMAT_VERSION = 1 };

/* A checked scheme to PLEACH__SCHEME_SIZE bytes. */
void pleach__scheme_encode(const pleach_scheme *scheme, uint8_t *bytes);

/* The other way round: a scheme that can be computed, named as the preset with the same rules or "custom";
   PLEACH_EFORMAT for anything else. */
pleach_status pleach__scheme_decode(const uint8_t *bytes, pleach_scheme *scheme);

/* `kind` has PLEACH__KIND_SIZE characters. */
void pleach__preamble_encode(const char *kind, const pleach_scheme *scheme, uint64_t count, uint8_t *bytes);

/*
 * `size`: bytes there are, at least PLEACH__PREAMBLE_SIZE unless the encoding ends early. PLEACH_EFORMAT, also if the
 * scheme has no place for so many leaves; PLEACH_EVERSION; PLEACH_ETRUNCATED.
 */
pleach_status pleach__preamble_decode(const char *kind, const uint8_t *bytes, size_t size, pleach_scheme *scheme,
                                      uint64_t *count);

#endif
