#include "xmss/verify.h"

#include "config/error.h"
#include "kernels/blake2s/blake2s.h"
#include "pool/memory.h"

#include <inttypes.h>

enum {
    TILE = PLEACH_XMSS_TILE,
    LINE = 64,
    LATENCY_MOST = 1 << 10, /* claims for which somebody waits */
};

const uint8_t pleach__xmss_zeros[PLEACH_XMSS_SIGNATURE_SIZE];

const pleach__xmss_walk *pleach__xmss_walk_of(const pleach_kernels *kernels)
{
    const pleach__backend *backend = kernels->backend[PLEACH_BLAKE2S];
#if defined(__x86_64__)
    if (backend == &pleach__blake2s_avx512)
        return &pleach__xmss_avx512;
    if (backend == &pleach__blake2s_avx2)
        return &pleach__xmss_avx2;
#elif defined(__aarch64__)
    if (backend != &pleach__blake2s_portable)
        return &pleach__xmss_neon;
#endif
    (void)backend;
    return &pleach__xmss_portable;
}

struct job {
    const pleach__xmss_batch *batch;
    pleach_monitor *monitor; /* of the call; or NULL */
    uint8_t *scratch;        /* of each participant */
    size_t scratch_size;
};

static pleach_status check_cancel(const pleach_monitor *monitor, size_t n)
{
    if (monitor && __atomic_load_n(&monitor->cancelled, __ATOMIC_RELAXED))
        return pleach__fail(PLEACH_ECANCELED, "cancelled through the monitor of %zu claims", n);
    return PLEACH_OK;
}

/* Claims before a tile. */
static size_t claims_before(const pleach__xmss_batch *batch, size_t tile)
{
    return tile <= batch->n / TILE ? tile * TILE : batch->n;
}

static pleach_status verify_tiles(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    const struct job *job = context;
    const pleach_status status = check_cancel(job->monitor, job->batch->n);
    if (status == PLEACH_OK)
        pleach__xmss_walk_of(worker->kernels)
            ->run(job->scratch + worker->index * job->scratch_size, job->batch, claims_before(job->batch, begin),
                  claims_before(job->batch, end));
    return status;
}

static void report(void *context, uint64_t done, uint64_t tiles)
{
    const struct job *job = context;
    (void)tiles;
    if (job->monitor->progress)
        job->monitor->progress(job->monitor->context, claims_before(job->batch, (size_t)done), job->batch->n);
}

/* Enough for the walk of any worker. */
static size_t scratch_size(void)
{
    size_t size = pleach__xmss_portable.scratch;
#if defined(__x86_64__)
    size = pleach__xmss_avx512.scratch;
#elif defined(__aarch64__)
    size = pleach__xmss_neon.scratch;
#endif
    return (size + LINE - 1) / LINE * LINE;
}

pleach_status pleach__xmss_run(pleach_pool *pool, const pleach__xmss_batch *batch, pleach_monitor *monitor)
{
    if (batch->n == 0)
        return PLEACH_OK;
    struct job job = {.batch = batch, .monitor = monitor, .scratch_size = scratch_size()};
    const size_t size = pleach_pool_width(pool) * job.scratch_size;
    job.scratch = pleach__allocate(pool, size);
    if (!job.scratch)
        return pleach__fail(PLEACH_ENOMEM, "no memory for the groups of %u workers: %zu bytes", pleach_pool_width(pool),
                            size);
    pleach_monitor tiles = {.progress = report, .context = &job};
    const pleach_status status =
        pleach_pool_run(pool, &(pleach_job){.task = verify_tiles,
                                            .context = &job,
                                            .items = (batch->n - 1) / TILE + 1,
                                            .monitor = monitor ? &tiles : NULL,
                                            .priority = batch->n <= LATENCY_MOST ? PLEACH_LATENCY : PLEACH_BULK});
    pleach__release(pool, job.scratch, size);
    return status;
}

static pleach_status check_claim(const pleach_xmss_claim *claim, size_t i)
{
    const char *missing = !claim->public_key  ? "public_key"
                          : !claim->message   ? "message"
                          : !claim->signature ? "signature"
                                              : NULL;
    return missing ? pleach__fail(PLEACH_EINVAL, "claims[%zu].%s = NULL", i, missing) : PLEACH_OK;
}

pleach_status pleach__xmss_fail_size(const pleach_xmss_claim *claim)
{
    return pleach__fail(PLEACH_EXMSSSIZE, "signature_size = %zu: a signature has %d bytes", claim->signature_size,
                        PLEACH_XMSS_SIGNATURE_SIZE);
}

pleach_status pleach__xmss_check_claims(const pleach_xmss_claim *claims, size_t n, const pleach_status *results)
{
    if (n > 0 && (!claims || !results))
        return pleach__fail(PLEACH_EINVAL, "%s = NULL for n = %zu", claims ? "results" : "claims", n);
    pleach_status status = PLEACH_OK;
    for (size_t i = 0; i < n && status == PLEACH_OK; i++)
        status = check_claim(&claims[i], i);
    return status;
}

pleach_status pleach_xmss_verify_many(pleach_pool *pool, const pleach_xmss_claim *claims, size_t n,
                                      pleach_status *results, pleach_monitor *monitor)
{
    const pleach_status status = pleach__xmss_check_claims(claims, n, results);
    const pleach__xmss_batch batch = {.claims = claims, .n = n, .results = results};
    return status == PLEACH_OK ? pleach__xmss_run(pool, &batch, monitor) : status;
}

/* Whether n pieces of memory of `size` bytes at a stride fit the address space. */
static bool fits(size_t n, size_t stride, size_t size)
{
    return n < 2 || stride <= (PTRDIFF_MAX - size) / (n - 1);
}

pleach_status pleach_xmss_verify_same(pleach_pool *pool, const uint8_t *message, uint32_t epoch,
                                      const uint8_t *public_keys, size_t key_stride, const uint8_t *signatures,
                                      size_t signature_stride, size_t n, pleach_status *results,
                                      pleach_monitor *monitor)
{
    const char *missing = !message       ? "message"
                          : !public_keys ? "public_keys"
                          : !signatures  ? "signatures"
                          : !results     ? "results"
                                         : NULL;
    if (n > 0 && missing)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL for n = %zu", missing, n);
    if (!fits(n, key_stride, PLEACH_XMSS_PUBLIC_KEY_SIZE))
        return pleach__fail(PLEACH_ERANGE, "key_stride = %zu for n = %zu: beyond the address space", key_stride, n);
    if (!fits(n, signature_stride, PLEACH_XMSS_SIGNATURE_SIZE))
        return pleach__fail(PLEACH_ERANGE, "signature_stride = %zu for n = %zu: beyond the address space",
                            signature_stride, n);
    const pleach__xmss_batch batch = {.first = {.public_key = public_keys,
                                                .message = message,
                                                .signature = signatures,
                                                .signature_size = PLEACH_XMSS_SIGNATURE_SIZE,
                                                .epoch = epoch},
                                      .key_stride = key_stride,
                                      .signature_stride = signature_stride,
                                      .n = n,
                                      .results = results};
    return pleach__xmss_run(pool, &batch, monitor);
}

pleach_status pleach_xmss_verify(const pleach_xmss_claim *claim)
{
    if (!claim)
        return pleach__fail(PLEACH_EINVAL, "claim = NULL");
    pleach_status result = check_claim(claim, 0);
    if (result != PLEACH_OK)
        return result;
    pleach__xmss_verify_one(claim, &result);
    switch (result) {
    case PLEACH_EXMSSSIZE:
        return pleach__xmss_fail_size(claim);
    case PLEACH_EXMSSENCODING:
        return pleach__fail(result, "message and randomness give no valid encoding for epoch %" PRIu32, claim->epoch);
    case PLEACH_EXMSSROOT:
        return pleach__fail(result, "the signature leads to another root than the public key's for epoch %" PRIu32,
                            claim->epoch);
    default:
        return result;
    }
}
