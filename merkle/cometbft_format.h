/* What CometBFT's encodings share. */
#ifndef PLEACH_COMETBFT_FORMAT_H
#define PLEACH_COMETBFT_FORMAT_H

#include "merkle/cometbft.h"

enum { PLEACH__VARINT_MAX = 10 }; /* bytes of 64 bits */

/* Seven bits a byte, the lowest first, all but the last one marked; returns what follows. */
uint8_t *pleach__put_varint(uint8_t *bytes, uint64_t value);

/* A size as a varint, and so many bytes; returns what follows. */
uint8_t *pleach__put_bytes(uint8_t *bytes, const uint8_t *data, size_t size);

/* PLEACH_EPROOFLIMIT: negative numbers, or too many aunts. */
pleach_status pleach__cometbft_check(const pleach_cometbft_proof *proof);

#endif
