#include "kernels/blake3/hasher.h"

#include "config/error.h"

#include <string.h>

enum { CHUNKS = PLEACH__BLAKE3_BATCH / PLEACH__BLAKE3_CHUNK, CV = PLEACH_DIGEST_SIZE };

pleach_status pleach__blake3_begin(pleach__blake3_hasher *hasher, const pleach_kernels *kernels,
                                   const pleach__blake3_mode *mode)
{
    const pleach__blake3_backend *backend = pleach__blake3_backend_of(kernels);
    if (!backend)
        return pleach__fail(PLEACH_EBACKEND, "kernels = NULL, and no backend gives right digests on this host");
    hasher->backend = backend;
    hasher->mode = *mode;
    pleach__blake3_restart(hasher);
    return PLEACH_OK;
}

void pleach__blake3_restart(pleach__blake3_hasher *hasher)
{
    hasher->batches = 0;
    hasher->held = 0;
    hasher->filled = 0;
}

/* The compression over the smallest subtree held but `skipped` ones, and what is right of it. */
static pleach__blake3_root join(const pleach__blake3_hasher *hasher, unsigned skipped, const uint32_t right[8])
{
    pleach__blake3_root top = {.size = PLEACH__BLAKE3_BLOCK, .flags = hasher->mode.flags | BLAKE3_PARENT};
    memcpy(top.cv, hasher->mode.key, CV);
    memcpy(top.block, hasher->cv[hasher->held - 1 - skipped], CV);
    memcpy(top.block + 8, right, CV);
    return top;
}

static void chain_buffer(const pleach__blake3_hasher *hasher, uint32_t cv[8])
{
    hasher->backend->chain(&hasher->mode, hasher->buffer, hasher->filled, hasher->batches * CHUNKS, cv);
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

void pleach__blake3_root_of(const pleach__blake3_hasher *hasher, pleach__blake3_root *root)
{
    uint32_t cv[8];
    if (hasher->held == 0) {
        hasher->backend->roots(&hasher->mode, hasher->buffer, hasher->filled, 0, 1, root);
        return;
    }
    chain_buffer(hasher, cv);
    for (unsigned joined = 0; joined < hasher->held; joined++) {
        if (joined > 0)
            pleach__blake3_chain(root, cv);
        *root = join(hasher, joined, cv);
    }
    root->flags |= BLAKE3_ROOT;
}

void pleach__blake3_end(const pleach__blake3_hasher *hasher, uint8_t digest[PLEACH_DIGEST_SIZE])
{
    pleach__blake3_root root;
    pleach__blake3_root_of(hasher, &root);
    pleach__blake3_output(hasher->backend, &root, 0, digest, PLEACH_DIGEST_SIZE);
}
