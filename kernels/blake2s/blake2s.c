#include "kernels/blake2s/blake2s.h"

#include "config/error.h"

static pleach_status plan(pleach__hash_plan *plan, const pleach__hash_form *form)
{
    static const uint8_t zeros[PLEACH__BLAKE2S_BLOCK];
    if (form->prefix != PLEACH__NO_PREFIX)
        return pleach__fail(PLEACH_EINVAL, "prefix = %d: blake2s has no rule with a prefix", form->prefix);
    if (form->twice)
        return pleach__fail(PLEACH_EINVAL, "twice = true: blake2s has no rule that hashes twice");
    if (form->size > PTRDIFF_MAX || form->zeros > PTRDIFF_MAX - form->size)
        return pleach__fail(PLEACH_ERANGE, "size = %zu, zeros = %zu: an input has at most %td bytes", form->size,
                            form->zeros, PTRDIFF_MAX);
    *plan = (pleach__hash_plan){
        .form = *form,
        .state = BLAKE2S_INITIAL,
        .lead = form->zeros,
    };
    /* The last block is left to the kernels, even if it is all zeros. */
    while (plan->lead > sizeof zeros || (plan->lead == sizeof zeros && form->size > 0)) {
        plan->lead -= sizeof zeros;
        plan->hashed += sizeof zeros;
        pleach__blake2s_compress(plan->state, zeros, plan->hashed, false);
    }
    return PLEACH_OK;
}

static const pleach__backend *const backends[] = {
#if defined(__x86_64__)
    &pleach__blake2s_avx512,
    &pleach__blake2s_avx2,
#elif defined(__aarch64__)
    &pleach__blake2s_sme,      &pleach__blake2s_sve2,
    &pleach__blake2s_neon,
#endif
    &pleach__blake2s_portable,
    NULL,
};

const pleach__family pleach__blake2s = {
    .name = "blake2s",
    .plan = plan,
    .reference = pleach__blake2s_reference,
    .backends = backends,
};
