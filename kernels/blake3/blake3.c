#include "kernels/blake3/blake3.h"

#include "config/error.h"

#include <string.h>

const pleach__blake3_mode pleach__blake3_unkeyed = {
    .key = {BLAKE_IV0, BLAKE_IV1, BLAKE_IV2, BLAKE_IV3, BLAKE_IV4, BLAKE_IV5, BLAKE_IV6, BLAKE_IV7},
};

pleach__blake3_mode pleach__blake3_keyed(const uint8_t key[PLEACH__BLAKE3_KEY])
{
    pleach__blake3_mode mode = {.flags = BLAKE3_KEYED_HASH};
    for (int i = 0; i < PLEACH__BLAKE3_KEY; i++)
        mode.key[i / 4] |= (uint32_t)key[i] << (8 * (i % 4));
    return mode;
}

pleach__blake3_mode pleach__blake3_deriving(const uint8_t *context, size_t size)
{
    pleach__blake3_mode naming = pleach__blake3_unkeyed, mode = {.flags = BLAKE3_DERIVE_KEY_MATERIAL};
    pleach__blake3_root root;
    naming.flags = BLAKE3_DERIVE_KEY_CONTEXT;
    pleach__blake3_portable.roots(&naming, context, size, 0, 1, &root);
    pleach__blake3_chain(&root, mode.key);
    return mode;
}

const pleach__blake3_backend *pleach__blake3_backend_of(const pleach_kernels *kernels)
{
    if (!kernels)
        kernels = pleach_kernels_default();
    return kernels ? (const pleach__blake3_backend *)kernels->backend[PLEACH_BLAKE3] : NULL;
}

void pleach__blake3_roots_list(const pleach__blake3_backend *backend, const pleach__blake3_mode *mode,
                               const pleach_input *inputs, size_t n, pleach__blake3_root *roots)
{
    backend->roots_list(mode, inputs, n, roots);
}

static pleach_status plan(pleach__hash_plan *plan, const pleach__hash_form *form)
{
    if (form->zeros > 0)
        return pleach__fail(PLEACH_EINVAL, "zeros = %zu: blake3 has no rule with leading zeros", form->zeros);
    if (form->prefix != PLEACH__NO_PREFIX)
        return pleach__fail(PLEACH_EINVAL, "prefix = %d: blake3 has no rule with a prefix", form->prefix);
    if (form->twice)
        return pleach__fail(PLEACH_EINVAL, "twice = true: blake3 has no rule that hashes twice");
    if (form->size > PTRDIFF_MAX)
        return pleach__fail(PLEACH_ERANGE, "size = %zu: an input has at most %td bytes", form->size, PTRDIFF_MAX);
    *plan = (pleach__hash_plan){.form = *form};
    memcpy(plan->state, pleach__blake3_unkeyed.key, sizeof plan->state);
    return PLEACH_OK;
}

static const pleach__backend *const backends[] = {
#if defined(__x86_64__)
    &pleach__blake3_avx512.hashes,
    &pleach__blake3_avx2.hashes,
#elif defined(__aarch64__)
    &pleach__blake3_sve2.hashes,
    &pleach__blake3_neon.hashes,
#endif
    &pleach__blake3_portable.hashes,
    NULL,
};

const pleach__family pleach__blake3 = {
    .name = "blake3",
    .plan = plan,
    .reference = pleach__blake3_reference,
    .backends = backends,
    .probe = pleach__blake3_probe,
};
