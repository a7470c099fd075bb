/*
 * A sibling in a proof is the root of a range of leaves. Taking these roots one by one from the source needs no tree in
 * memory, and a short last leaf falls into place by itself.
 */
#include "engine/cli/proof.h"

#include "config/error.h"
#include "engine/cli/progress.h"

#include <inttypes.h>
#include <string.h>

typedef struct prover {
    pleach__proof *proof;
    uint64_t index;
    pleach_pool *pool;
    const pleach__span *source;
    pleach_monitor *monitor;
} prover;

uint64_t pleach__leaf_count(uint64_t size, size_t leaf_size)
{
    return size / leaf_size + (size % leaf_size != 0);
}

/* Root of the leaves [begin, end). */
static pleach_status range_root(const prover *p, uint64_t begin, uint64_t end, uint8_t *root)
{
    pleach__span part;
    pleach_stream_result result;
    uint64_t first = begin * p->proof->leaf_size;
    uint64_t past = end == p->proof->count ? p->source->left : end * p->proof->leaf_size;
    pleach_status status = pleach__span_part(p->source, first, past - first, &part);
    if (status != PLEACH_OK)
        return status;
    status = pleach_merkle_root_stream(p->pool, &p->proof->scheme, p->proof->leaf_size, pleach__span_read, &part,
                                       past - first, p->monitor, &result);
    if (status != PLEACH_OK)
        return status;
    if (result.bytes != past - first)
        return pleach__fail(PLEACH_EIO, "the file became shorter while it was read");
    memcpy(root, result.root, PLEACH_DIGEST_SIZE);
    pleach__progress_add(result.bytes);
    return PLEACH_OK;
}

static pleach_status node_hash(const pleach_scheme *scheme, const uint8_t *left, const uint8_t *right, uint8_t *node)
{
    uint8_t message[1 + 2 * PLEACH_DIGEST_SIZE];
    size_t size = 0;
    if (scheme->node_prefix != PLEACH_NO_PREFIX)
        message[size++] = (uint8_t)scheme->node_prefix;
    memcpy(message + size, left, PLEACH_DIGEST_SIZE);
    memcpy(message + size + PLEACH_DIGEST_SIZE, right, PLEACH_DIGEST_SIZE);
    size += 2 * PLEACH_DIGEST_SIZE;
    return pleach_hash_many(NULL, scheme->family, message, size, size, 1, node);
}

static uint64_t largest_power_of_two_below(uint64_t n)
{
    uint64_t power = 1;
    while (power < n - power)
        power *= 2;
    return power;
}

/* Root of the leaves [begin, end), one of which is proved: its siblings are appended to the path from below. */
static pleach_status prove_range(const prover *p, uint64_t begin, uint64_t end, uint8_t *root)
{
    pleach__proof *proof = p->proof;
    if (end - begin == 1) {
        pleach_status status = range_root(p, begin, end, root);
        memcpy(proof->leaf_hashes, root, PLEACH_DIGEST_SIZE);
        return status;
    }
    uint64_t middle = begin + largest_power_of_two_below(end - begin);
    bool is_left = p->index < middle;
    uint8_t child[PLEACH_DIGEST_SIZE], sibling[PLEACH_DIGEST_SIZE];
    pleach_status status = is_left ? prove_range(p, begin, middle, child) : prove_range(p, middle, end, child);
    if (status == PLEACH_OK)
        status = is_left ? range_root(p, middle, end, sibling) : range_root(p, begin, middle, sibling);
    if (status != PLEACH_OK)
        return status;
    memcpy(proof->path + PLEACH_DIGEST_SIZE * proof->nodes++, sibling, PLEACH_DIGEST_SIZE);
    return node_hash(&proof->scheme, is_left ? child : sibling, is_left ? sibling : child, root);
}

pleach_status pleach__proof_make(pleach__proof *proof, pleach_pool *pool, const pleach__span *source, uint64_t index,
                                 const char *name)
{
    const pleach_scheme *scheme = &proof->scheme;
    const uint64_t count = pleach__leaf_count(source->left, proof->leaf_size);
    if (index >= count)
        return pleach__fail(PLEACH_EPROOFINDEX, "no leaf %" PRIu64 ": there are %" PRIu64 " leaves of %zu bytes", index,
                            count, proof->leaf_size);
    if (scheme->lone == PLEACH_LONE_REFUSED && (source->left % proof->leaf_size != 0 || (count & (count - 1)) != 0))
        return pleach__fail(PLEACH_EINVAL,
                            "%" PRIu64 " bytes: scheme %s accepts a power of two of whole leaves of %zu bytes",
                            source->left, scheme->name, proof->leaf_size);
    pleach_status status = pleach__proof_reserve_leaves(proof, 1);
    if (status == PLEACH_OK)
        status = pleach__proof_reserve_nodes(proof, PLEACH_PATH_MAX);
    if (status != PLEACH_OK)
        return status;
    prover p = {.proof = proof, .index = index, .pool = pool, .source = source};
    p.monitor = pleach__progress(name, source->left);
    proof->kind = PLEACH__PROOF_LEAF;
    proof->indices[0] = index;
    proof->count = count;
    proof->nodes = 0;
    status = prove_range(&p, 0, count, proof->root);
    if (status != PLEACH_OK)
        return status;
    return pleach_merkle_verify(scheme, index, count, proof->leaf_hashes, proof->path, proof->nodes, proof->root);
}
