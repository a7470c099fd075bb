#include "config/error.h"
#include "merkle/climb.h"
#include "pool/memory.h"

/* Amounts of work, in nodes. */
enum {
    ALONE_MOST = 4096,      /* that a caller hashes sooner than others could be woken, and waited for, to help */
    LATENCY_MOST = 1 << 20, /* for which somebody waits */
};

enum {
    BLOCK = 16,       /* proofs of an item: enough to fill the lanes */
    SORTED_LEAST = 8, /* proofs that are worth sorting */
};

struct batch {
    const pleach__climb *climb;
    pleach_family family;
    const pleach_proof *proofs;
    const size_t *order; /* NULL = as they are */
    size_t n;
    pleach_status *statuses;
};

static void climb(const struct batch *batch, const pleach__backend *backend, size_t begin, size_t end)
{
    for (size_t at = begin; at < end; at += PLEACH__CLIMB_MOST) {
        const size_t n = end - at < PLEACH__CLIMB_MOST ? end - at : PLEACH__CLIMB_MOST;
        const size_t skipped = batch->order ? 0 : at;
        pleach__climb_all(batch->climb, backend, batch->proofs + skipped, batch->order ? batch->order + at : NULL, n,
                          batch->statuses + skipped);
    }
}

static pleach_status climb_blocks(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    const struct batch *batch = context;
    climb(batch, worker->kernels->backend[batch->family], BLOCK * begin,
          BLOCK * end < batch->n ? BLOCK * end : batch->n);
    return PLEACH_OK;
}

static pleach_status run(pleach_pool *pool, struct batch *batch)
{
    const size_t nodes = batch->climb->levels < SIZE_MAX / batch->n ? batch->climb->levels * batch->n : SIZE_MAX;
    if (pleach_pool_width(pool) > 1 && nodes > ALONE_MOST)
        return pleach_pool_run(pool, &(pleach_job){.task = climb_blocks,
                                                   .context = batch,
                                                   .items = (batch->n - 1) / BLOCK + 1,
                                                   .priority = nodes <= LATENCY_MOST ? PLEACH_LATENCY : PLEACH_BULK});
    const pleach__backend *backend = NULL;
    pleach_status status = pleach__backend_of(pool, batch->family, &backend);
    if (status == PLEACH_OK)
        climb(batch, backend, 0, batch->n);
    return status;
}

static bool ascends(const pleach_proof *proofs, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (proofs[i - 1].index > proofs[i].index)
            return false;
    return true;
}

/* One pass of a radix sort, by eight bits of the indices. */
static void sort_by(const pleach_proof *proofs, unsigned shift, const size_t *from, size_t *to, size_t n)
{
    size_t place[257] = {0};
    for (size_t i = 0; i < n; i++)
        place[(proofs[i].index >> shift & 255) + 1]++;
    for (size_t digit = 0; digit < 256; digit++)
        place[digit + 1] += place[digit];
    for (size_t i = 0; i < n; i++)
        to[place[proofs[from[i]].index >> shift & 255]++] = from[i];
}

/* Puts the order of their indices into one of two arrays of n; indices at `count` and above stand anywhere. */
static const size_t *sort(const pleach_proof *proofs, size_t n, uint64_t count, size_t *order, size_t *other)
{
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    for (unsigned shift = 0; shift < pleach__bit_length(count); shift += 8) {
        sort_by(proofs, shift, order, other, n);
        size_t *sorted = other;
        other = order;
        order = sorted;
    }
    return order;
}

static pleach_status check_pointers(const uint8_t *root, const pleach_proof *proofs, size_t n,
                                    const pleach_status *statuses)
{
    if (!root || (n > 0 && (!proofs || !statuses)))
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", !root ? "root" : !proofs ? "proofs" : "statuses");
    for (size_t i = 0; i < n; i++)
        if (!proofs[i].leaf_hash || (!proofs[i].path && proofs[i].nodes > 0))
            return pleach__fail(PLEACH_EINVAL, "proofs[%zu]: %s = NULL", i, proofs[i].leaf_hash ? "path" : "leaf_hash");
    return PLEACH_OK;
}

/* The first that is not good. */
static pleach_status summarise(const pleach_proof *proofs, size_t n, const pleach_status *statuses)
{
    for (size_t i = 0; i < n; i++)
        if (statuses[i] != PLEACH_OK)
            return pleach__fail(statuses[i], "proofs[%zu], index = %llu: %s", i, (unsigned long long)proofs[i].index,
                                pleach_status_text(statuses[i]));
    return PLEACH_OK;
}

pleach_status pleach_merkle_verify_many(pleach_pool *pool, const pleach_scheme *scheme, uint64_t count,
                                        const uint8_t *root, const pleach_proof *proofs, size_t n,
                                        pleach_status *statuses)
{
    pleach__hashing hashing;
    pleach_status status = check_pointers(root, proofs, n, statuses);
    if (status == PLEACH_OK)
        status = pleach__scheme_check(scheme);
    if (status == PLEACH_OK)
        status = pleach__scheme_check_count(scheme, count);
    if (status == PLEACH_OK)
        status = pleach__scheme_nodes(scheme, &hashing);
    if (status != PLEACH_OK || n == 0)
        return status;
    const pleach__climb climb = {
        .hashing = &hashing, .levels = pleach__scheme_levels(scheme, count), .count = count, .root = root};
    struct batch batch = {.climb = &climb, .family = scheme->family, .proofs = proofs, .n = n, .statuses = statuses};
    size_t *memory = NULL;
    if (n >= SORTED_LEAST && !ascends(proofs, n))
        memory = pleach__allocate(pool, 2 * n * sizeof *memory); /* without it they climb in the order given */
    if (memory)
        batch.order = sort(proofs, n, count, memory, memory + n);
    status = run(pool, &batch);
    pleach__release(pool, memory, 2 * n * sizeof *memory);
    return status == PLEACH_OK ? summarise(proofs, n, statuses) : status;
}
