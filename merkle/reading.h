/* A source whose bytes are counted, and hashed for the checksum behind them, as an encoding is read from it. */
#ifndef PLEACH_READING_H
#define PLEACH_READING_H

#include "kernels/blake3/hasher.h"
#include "merkle/merkle.h"

typedef struct pleach__reading {
    pleach_read read;
    void *context;
    pleach__blake3_hasher hasher;
    uint64_t bytes; /* read so far */
    uint64_t left;  /* of what pleach__read_left() reads */
} pleach__reading;

/* Reads as many bytes as there are, but no more than size. They are not hashed. */
pleach_status pleach__read_part(pleach__reading *reading, uint8_t *buffer, size_t size, size_t *filled);

/* Reads and hashes some of the bytes that are left; none if none are left, or if the source has no more. */
pleach_status pleach__read_left(pleach__reading *reading, uint8_t *buffer, size_t size, size_t *got);

#endif
