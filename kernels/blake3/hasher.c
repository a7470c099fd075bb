#include "kernels/blake3/hasher.h"

#include "config/error.h"

#include <string.h>

enum { CHUNKS = PLEACH__BLAKE3_BATCH / PLEACH__BLAKE3_CHUNK, CV = PLEACH_DIGEST_SIZE };

pleach_status pleach__blake3_begin(pleach__blake3_hasher *hasher, const pleach_kernels *kernels)
{
    const pleach__blake3_backend *backend = pleach__blake3_backend_of(kernels);
    if (!backend)
        return pleach__fail(PLEACH_EBACKEND, "kernels = NULL, and no backend gives right digests on this host");
    hasher->backend = backend;
    hasher->batches = 0;
    hasher->held = 0;
    hasher->filled = 0;
    return PLEACH_OK;
}

/* The compression over the smallest subtree held but `skipped` ones, and what is right of it. */
static pleach__blake3_root join(const pleach__blake3_hasher *hasher, unsigned skipped, const uint32_t right[8])
{
    pleach__blake3_root top = {.size = PLEACH__BLAKE3_BLOCK, .flags = pleach__blake3_unkeyed.flags | BLAKE3_PARENT};
    memcpy(top.cv, pleach__blake3_unkeyed.key, CV);
    memcpy(top.block, hasher->cv[hasher->held - 1 - skipped], CV);
    memcpy(top.block + 8, right, CV);
    return top;
}

static void chain_buffer(const pleach__blake3_hasher *hasher, uint32_t cv[8])
{
    hasher->backend->chain(&pleach__blake3_unkeyed, hasher->buffer, hasher->filled, hasher->batches * CHUNKS, cv);
}

static void close_batch(pleach__blake3_hasher *hasher)
{
    uint32_t cv[8];
    chain_buffer(hasher, cv);
    for (uint64_t left = hasher->batches++; left & 1; left >>= 1, hasher->held--) {
        const pleach__blake3_root top = join(hasher, 0, cv);
        pleach__blake3_chain(&top, cv);
    }
    memcpy(hasher->cv[hasher->held++], cv, CV);
    hasher->filled = 0;
}

void pleach__blake3_add(pleach__blake3_hasher *hasher, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        if (hasher->filled == sizeof hasher->buffer) /* now it is known not to be the last */
            close_batch(hasher);
        const size_t room = sizeof hasher->buffer - hasher->filled, part = size < room ? size : room;
        memcpy(hasher->buffer + hasher->filled, bytes, part);
        hasher->filled += part;
        bytes += part;
        size -= part;
    }
}

void pleach__blake3_end(const pleach__blake3_hasher *hasher, uint8_t digest[PLEACH_DIGEST_SIZE])
{
    pleach__blake3_root top;
    uint32_t cv[8];
    if (hasher->held == 0) {
        hasher->backend->roots(&pleach__blake3_unkeyed, hasher->buffer, hasher->filled, 0, 1, &top);
    } else {
        chain_buffer(hasher, cv);
        for (unsigned joined = 0; joined < hasher->held; joined++) {
            if (joined > 0)
                pleach__blake3_chain(&top, cv);
            top = join(hasher, joined, cv);
        }
        top.flags |= BLAKE3_ROOT;
    }
    pleach__blake3_output(hasher->backend, &top, 0, digest, PLEACH_DIGEST_SIZE);
}
