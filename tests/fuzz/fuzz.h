/* What the fuzz targets share: one program each, whose input is what a peer or a damaged file could hand to a decoder.
 */
#ifndef PLEACH_FUZZ_H
#define PLEACH_FUZZ_H

#include "engine/pleach.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* What must hold for every input. */
#define EXPECT(condition) \
    do {                  \
        if (!(condition)) \
            abort();      \
    } while (0)

/* An input on its way through a decoder and back. */
struct bytes {
    const uint8_t *at;
    size_t left;
};

static inline pleach_status read_bytes(void *context, uint8_t *buffer, size_t size, size_t *got)
{
    struct bytes *bytes = context;
    *got = size < bytes->left ? size : bytes->left;
    if (*got > 0)
        memcpy(buffer, bytes->at, *got);
    bytes->at += *got;
    bytes->left -= *got;
    return PLEACH_OK;
}

/* Compares instead of writing. */
static inline pleach_status expect_bytes(void *context, const uint8_t *written, size_t size)
{
    struct bytes *bytes = context;
    EXPECT(size <= bytes->left && memcmp(bytes->at, written, size) == 0);
    bytes->at += size;
    bytes->left -= size;
    return PLEACH_OK;
}

/* Checks an encoding that ends with its BLAKE3 digest, as it comes and with the digest set right, in room for `most`
   bytes. */
static inline void check_both(void (*check)(const uint8_t *bytes, size_t size), const uint8_t *bytes, size_t size,
                              uint8_t *set_right, size_t most)
{
    check(bytes, size);
    if (size < PLEACH_DIGEST_SIZE || size > most)
        return;
    const size_t body = size - PLEACH_DIGEST_SIZE;
    memcpy(set_right, bytes, body);
    EXPECT(pleach_blake3_hash(NULL, bytes, body, 0, set_right + body, PLEACH_DIGEST_SIZE) == PLEACH_OK);
    check(set_right, size);
}

#endif
