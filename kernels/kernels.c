#include "config/error.h"
#include "kernels/backend.h"

#include <pthread.h>

static const pleach__family *const families[PLEACH_FAMILIES] = {
    [PLEACH_BLAKE2S] = &pleach__blake2s,
    [PLEACH_SHA256] = &pleach__sha256,
    [PLEACH_BLAKE3] = &pleach__blake3,
    [PLEACH_URM] = &pleach__urm,
};

const pleach__family *pleach__family_of(pleach_family family)
{
    return (unsigned)family < PLEACH_FAMILIES ? families[family] : NULL;
}

const pleach__family *pleach__hash_family_of(pleach_family family)
{
    return (unsigned)family < PLEACH_HASH_FAMILIES ? pleach__family_of(family) : NULL;
}

const char *pleach_family_name(pleach_family family)
{
    const pleach__family *known = pleach__family_of(family);
    return known ? known->name : NULL;
}

const char *pleach_kernels_backend(const pleach_kernels *kernels, pleach_family family)
{
    return kernels && pleach__family_of(family) ? kernels->backend[family]->name : NULL;
}

static pleach_kernels default_kernels;
static bool default_chosen;

static void choose_default(void)
{
    pleach_config config;
    pleach_config_init(&config);
    default_chosen = pleach__kernels_select(&default_kernels, &config, false) == PLEACH_OK;
}

const pleach_kernels *pleach_kernels_default(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, choose_default);
    return default_chosen ? &default_kernels : NULL;
}

static pleach_status no_such_family(pleach_family family)
{
    return pleach__fail(PLEACH_EINVAL, "family = %d: there are %d that hash", (int)family, (int)PLEACH_HASH_FAMILIES);
}

/* NULL, with the error set, if there are none. */
static const pleach_kernels *kernels_or_default(const pleach_kernels *kernels)
{
    if (!kernels)
        kernels = pleach_kernels_default();
    if (!kernels)
        (void)pleach__fail(PLEACH_EBACKEND, "kernels = NULL, and no backend gives right digests on this host");
    return kernels;
}

static pleach_status check_digests(size_t n)
{
    if (n <= PTRDIFF_MAX / PLEACH_DIGEST_SIZE)
        return PLEACH_OK;
    return pleach__fail(PLEACH_ERANGE, "n = %zu: at most %td digests fit the address space", n,
                        PTRDIFF_MAX / PLEACH_DIGEST_SIZE);
}

static pleach_status check_span(size_t size, size_t stride, size_t n)
{
    pleach_status status = check_digests(n);
    if (status != PLEACH_OK)
        return status;
    if (size > PTRDIFF_MAX || (n > 1 && stride > (PTRDIFF_MAX - size) / (n - 1)))
        return pleach__fail(PLEACH_ERANGE, "n = %zu, stride = %zu, size = %zu: the inputs must fit %td bytes", n,
                            stride, size, PTRDIFF_MAX);
    return PLEACH_OK;
}

pleach_status pleach_hash_many(const pleach_kernels *kernels, pleach_family family, const uint8_t *in, size_t size,
                               size_t stride, size_t n, uint8_t *out)
{
    const pleach__hash_form form = {.size = size, .prefix = PLEACH__NO_PREFIX};
    const pleach__family *known = pleach__hash_family_of(family);
    pleach__hash_plan plan;
    if (!known)
        return no_such_family(family);
    if (n == 0)
        return PLEACH_OK;
    if ((!in && size > 0) || !out)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL, n = %zu, size = %zu", out ? "in" : "out", n, size);
    pleach_status status = check_span(size, stride, n);
    if (status == PLEACH_OK)
        status = known->plan(&plan, &form);
    if (status != PLEACH_OK)
        return status;
    if (!(kernels = kernels_or_default(kernels)))
        return PLEACH_EBACKEND;
    if (size == 0) { /* no address is computed from a null pointer */
        in = out;
        stride = 0;
    }
    kernels->backend[family]->hash_many(&plan, in, stride, n, out);
    return PLEACH_OK;
}

pleach_status pleach_hash_list(const pleach_kernels *kernels, pleach_family family, const pleach_input *inputs,
                               size_t n, uint8_t *out)
{
    const pleach__hash_form form = {.prefix = PLEACH__NO_PREFIX};
    const pleach__family *known = pleach__hash_family_of(family);
    if (!known)
        return no_such_family(family);
    if (n == 0)
        return PLEACH_OK;
    if (!inputs || !out)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL, n = %zu", out ? "inputs" : "out", n);
    pleach_status status = check_digests(n);
    for (size_t i = 0; status == PLEACH_OK && i < n; i++)
        if (!inputs[i].bytes && inputs[i].size > 0)
            status = pleach__fail(PLEACH_EINVAL, "inputs[%zu].bytes = NULL, size = %zu", i, inputs[i].size);
        else if (inputs[i].size > PTRDIFF_MAX)
            status = pleach__fail(PLEACH_ERANGE, "inputs[%zu].size = %zu: an input must fit %td bytes", i,
                                  inputs[i].size, PTRDIFF_MAX);
    if (status != PLEACH_OK)
        return status;
    if (!(kernels = kernels_or_default(kernels)))
        return PLEACH_EBACKEND;
    return pleach__hash_list(known, kernels->backend[family], &form, inputs, n, out);
}
