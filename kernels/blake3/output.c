#include "kernels/blake3.h"

#include "config/error.h"
#include "kernels/blake3/blake3.h"

#include <string.h>

enum { BLOCK = PLEACH__BLAKE3_BLOCK };

_Static_assert((int)PLEACH_BLAKE3_KEY_SIZE == (int)PLEACH__BLAKE3_KEY, "the size of a key is announced as it is");

/* Part of one block; returns its size. */
static size_t output_part(const pleach__blake3_backend *backend, const pleach__blake3_root *root, uint64_t offset,
                          uint8_t *out, size_t size)
{
    uint8_t block[BLOCK];
    const size_t skipped = offset % BLOCK, part = size < BLOCK - skipped ? size : BLOCK - skipped;
    backend->xof(root, offset / BLOCK, 1, block);
    memcpy(out, block + skipped, part);
    return part;
}

void pleach__blake3_output(const pleach__blake3_backend *backend, const pleach__blake3_root *root, uint64_t offset,
                           uint8_t *out, size_t size)
{
    if (size > 0 && offset % BLOCK > 0) {
        const size_t part = output_part(backend, root, offset, out, size);
        offset += part;
        out += part;
        size -= part;
    }
    const size_t rest = size % BLOCK;
    backend->xof(root, offset / BLOCK, size / BLOCK, out);
    if (rest > 0)
        (void)output_part(backend, root, offset + (size - rest), out + (size - rest), rest);
}

static pleach_status check_input(const char *name, const uint8_t *in, size_t size)
{
    if (!in && size > 0)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL, %zu bytes", name, size);
    if (size > PTRDIFF_MAX)
        return pleach__fail(PLEACH_ERANGE, "%s: %zu bytes: at most %td fit the address space", name, size, PTRDIFF_MAX);
    return PLEACH_OK;
}

static pleach_status output(const pleach_kernels *kernels, const pleach__blake3_mode *mode, const uint8_t *in,
                            size_t size, uint64_t offset, uint8_t *out, size_t out_size)
{
    static const uint8_t nothing[1];
    pleach__blake3_root root;
    pleach_status status = check_input("in", in, size);
    if (status == PLEACH_OK)
        status = check_input("out", out, out_size);
    if (status != PLEACH_OK)
        return status;
    if (out_size > UINT64_MAX - offset)
        return pleach__fail(PLEACH_ERANGE, "offset = %llu, out_size = %zu: the output has 2^64 - 1 bytes",
                            (unsigned long long)offset, out_size);
    const pleach__blake3_backend *backend = pleach__blake3_backend_of(kernels);
    if (!backend)
        return pleach__fail(PLEACH_EBACKEND, "kernels = NULL, and no backend gives right digests on this host");
    backend->roots(mode, size > 0 ? in : nothing, size, 0, 1, &root);
    pleach__blake3_output(backend, &root, offset, out, out_size);
    return PLEACH_OK;
}

pleach_status pleach_blake3_hash(const pleach_kernels *kernels, const uint8_t *in, size_t size, uint64_t offset,
                                 uint8_t *out, size_t out_size)
{
    return output(kernels, &pleach__blake3_unkeyed, in, size, offset, out, out_size);
}

pleach_status pleach_blake3_keyed(const pleach_kernels *kernels, const uint8_t *key, const uint8_t *in, size_t size,
                                  uint64_t offset, uint8_t *out, size_t out_size)
{
    if (!key)
        return pleach__fail(PLEACH_EINVAL, "key = NULL");
    const pleach__blake3_mode mode = pleach__blake3_keyed(key);
    return output(kernels, &mode, in, size, offset, out, out_size);
}

pleach_status pleach_blake3_derive_key(const pleach_kernels *kernels, const uint8_t *context, size_t context_size,
                                       const uint8_t *in, size_t size, uint64_t offset, uint8_t *out, size_t out_size)
{
    const pleach_status status = check_input("context", context, context_size);
    if (status != PLEACH_OK)
        return status;
    const pleach__blake3_mode mode = pleach__blake3_deriving(context, context_size);
    return output(kernels, &mode, in, size, offset, out, out_size);
}
