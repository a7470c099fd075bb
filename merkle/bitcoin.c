#include "merkle/bitcoin.h"

#include "config/error.h"
#include "merkle/leaves.h"
#include "pool/memory.h"

#include <string.h>

pleach_status pleach_bitcoin_root(pleach_pool *pool, const uint8_t *txids, size_t count, uint8_t *root, bool *mutated)
{
    if (!root)
        return pleach__fail(PLEACH_EINVAL, "root = NULL");
    const pleach_leaves leaves = {
        .data = txids, .size = PLEACH_DIGEST_SIZE, .stride = PLEACH_DIGEST_SIZE, .count = count};
    pleach__row row;
    bool found = false;
    pleach_status status = pleach__leaves_accept(PLEACH_SCHEME_BITCOIN, &leaves, &row);
    if (status != PLEACH_OK)
        return status;
    if (count == 0) {
        status = pleach__scheme_empty_root(PLEACH_SCHEME_BITCOIN, pool, root);
    } else {
        pleach__call call = pleach__leaves_call(pool, &row, NULL);
        call.mutated = mutated ? &found : NULL;
        status = pleach__fold_root(&call, &row, root);
    }
    if (status == PLEACH_OK && mutated)
        *mutated = found;
    return status;
}

static pleach_status commit(pleach_pool *pool, const uint8_t *root, const uint8_t *reserved, uint8_t *commitment)
{
    const pleach__backend *backend = NULL;
    pleach__hashing hashing;
    pleach_status status = pleach__scheme_nodes(PLEACH_SCHEME_BITCOIN, &hashing);
    if (status == PLEACH_OK)
        status = pleach__backend_of(pool, hashing.family, &backend);
    if (status == PLEACH_OK)
        pleach__hash_pair(&hashing, backend, root, reserved, commitment);
    return status;
}

pleach_status pleach_bitcoin_witness_commitment(pleach_pool *pool, const uint8_t *wtxids, size_t count,
                                                const uint8_t *reserved, uint8_t *commitment)
{
    if (!wtxids || !reserved || !commitment)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", !wtxids ? "wtxids" : !reserved ? "reserved" : "commitment");
    if (count == 0)
        return pleach__fail(PLEACH_EINVAL, "count = 0: a block has a coinbase transaction");
    if (count > PTRDIFF_MAX / PLEACH_DIGEST_SIZE)
        return pleach__fail(PLEACH_ERANGE, "count = %zu: the ids would not fit the address space", count);
    const size_t size = PLEACH_DIGEST_SIZE * count;
    uint8_t *leaves = pleach__allocate(pool, size), root[PLEACH_DIGEST_SIZE];
    if (!leaves)
        return pleach__fail(PLEACH_ENOMEM, "%zu bytes for ids could not be had", size);
    memcpy(leaves, wtxids, size);
    memset(leaves, 0, PLEACH_DIGEST_SIZE);
    pleach_status status = pleach_bitcoin_root(pool, leaves, count, root, NULL);
    pleach__release(pool, leaves, size);
    return status == PLEACH_OK ? commit(pool, root, reserved, commitment) : status;
}
