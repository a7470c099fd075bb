#include "merkle/deposit.h"

#include "config/error.h"
#include "config/little_endian.h"
#include "merkle/scheme.h"
#include "merkle/ssz.h"
#include "pool/memory.h"

#include <string.h>

enum { D = PLEACH_DIGEST_SIZE, DEPTH = PLEACH_DEPOSIT_DEPTH, ROOM_LEAST = 16 };

/*
 * Of each level those nodes are kept that stand above deposits only, from the last even one on that has a finalized
 * deposit, or borders on one: so every sibling that a proof needs is there, and so are the finalized roots, which are
 * left siblings.
 */
struct pleach_deposit_tree {
    pleach_pool *pool;
    pleach__hashing hashing;
    const pleach__backend *backend;
    uint64_t size, finalized;
    bool has_block;
    uint8_t block_hash[D];
    uint64_t block_height;
    struct level {
        uint8_t *nodes; /* from index first_kept() on */
        size_t room;    /* nodes */
    } level[DEPTH];
};

static uint64_t first_kept(uint64_t finalized, unsigned level)
{
    return (finalized >> level) & ~(uint64_t)1;
}

static uint8_t *node_at(const pleach_deposit_tree *tree, unsigned level, uint64_t index)
{
    return tree->level[level].nodes + D * (index - first_kept(tree->finalized, level));
}

static void release_levels(pleach_pool *pool, const struct level *level)
{
    for (unsigned l = 0; l < DEPTH; l++)
        pleach__release(pool, level[l].nodes, D * level[l].room);
}

pleach_status pleach_deposit_create(pleach_deposit_tree **tree, pleach_pool *pool)
{
    if (!tree)
        return pleach__fail(PLEACH_EINVAL, "tree = NULL");
    pleach_deposit_tree *made = pleach__allocate(pool, sizeof *made);
    if (!made)
        return pleach__fail(PLEACH_ENOMEM, "memory for a deposit tree could not be had");
    *made = (pleach_deposit_tree){.pool = pool};
    pleach_status status = pleach__scheme_nodes(PLEACH_SCHEME_SSZ, &made->hashing);
    if (status == PLEACH_OK)
        status = pleach__backend_of(pool, PLEACH_SHA256, &made->backend);
    if (status == PLEACH_OK)
        *tree = made;
    else
        pleach_deposit_destroy(made);
    return status;
}

void pleach_deposit_destroy(pleach_deposit_tree *tree)
{
    if (!tree)
        return;
    release_levels(tree->pool, tree->level);
    pleach__release(tree->pool, tree, sizeof *tree);
}

/* Levels with room for a tree of `size` deposits, where those there are have too little. */
static pleach_status allocate_levels(const pleach_deposit_tree *tree, uint64_t size, struct level *larger)
{
    for (unsigned l = 0; l < DEPTH; l++) {
        const size_t needed = (size_t)((size >> l) - first_kept(tree->finalized, l)), had = tree->level[l].room;
        if (needed <= had)
            continue;
        const size_t doubled = 2 * had > ROOM_LEAST ? 2 * had : ROOM_LEAST, room = needed > doubled ? needed : doubled;
        larger[l].nodes = pleach__allocate(tree->pool, D * room);
        if (!larger[l].nodes)
            return pleach__fail(PLEACH_ENOMEM, "memory for %zu nodes could not be had", room);
        larger[l].room = room;
    }
    return PLEACH_OK;
}

/* Makes room for a tree of `size` deposits. */
static pleach_status reserve(pleach_deposit_tree *tree, uint64_t size)
{
    struct level larger[DEPTH] = {{NULL, 0}};
    pleach_status status = allocate_levels(tree, size, larger);
    for (unsigned l = 0; l < DEPTH && status == PLEACH_OK; l++) {
        if (!larger[l].nodes)
            continue;
        const struct level old = tree->level[l];
        const size_t kept = (size_t)((tree->size >> l) - first_kept(tree->finalized, l));
        if (kept > 0)
            memcpy(larger[l].nodes, old.nodes, D * kept);
        tree->level[l] = larger[l];
        larger[l] = old;
    }
    release_levels(tree->pool, larger);
    return status;
}

pleach_status pleach_deposit_append(pleach_deposit_tree *tree, const uint8_t *leaves, size_t count)
{
    if (!tree || (!leaves && count > 0))
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", tree ? "leaves" : "tree");
    if (count > PLEACH_DEPOSIT_MAX - tree->size)
        return pleach__fail(PLEACH_ERANGE, "count = %zu: there are %llu deposits already and can be %llu", count,
                            (unsigned long long)tree->size, (unsigned long long)PLEACH_DEPOSIT_MAX);
    const uint64_t size = tree->size + count;
    pleach_status status = count > 0 ? reserve(tree, size) : PLEACH_OK;
    if (status != PLEACH_OK || count == 0)
        return status;
    memcpy(node_at(tree, 0, tree->size), leaves, D * count);
    for (unsigned l = 1; l < DEPTH && size >> l > tree->size >> l; l++) {
        const uint64_t first = tree->size >> l;
        tree->backend->hash_many(&tree->hashing.node, node_at(tree, l - 1, 2 * first), 2 * D,
                                 (size_t)((size >> l) - first), node_at(tree, l, first));
    }
    tree->size = size;
    return PLEACH_OK;
}

uint64_t pleach_deposit_size(const pleach_deposit_tree *tree)
{
    return tree ? tree->size : 0;
}

uint64_t pleach_deposit_finalized(const pleach_deposit_tree *tree)
{
    return tree ? tree->finalized : 0;
}

static pleach_status check_count(const pleach_deposit_tree *tree, uint64_t count)
{
    if (count < tree->finalized || count > tree->size)
        return pleach__fail(PLEACH_ERANGE, "count = %llu: %llu to %llu are known", (unsigned long long)count,
                            (unsigned long long)tree->finalized, (unsigned long long)tree->size);
    return PLEACH_OK;
}

/*
 * Of a tree of `count` deposits, the nodes of each level that stand above the first place that is free: edge[l] is node
 * count >> l. The last one is the root.
 */
static void find_edge(const pleach_deposit_tree *tree, uint64_t count, uint8_t edge[DEPTH + 1][D])
{
    memset(edge[0], 0, D);
    for (unsigned l = 0; l < DEPTH; l++) {
        const uint64_t index = count >> l;
        if (index % 2 != 0)
            pleach__hash_pair(&tree->hashing, tree->backend, node_at(tree, l, index - 1), edge[l], edge[l + 1]);
        else
            pleach__hash_lone(&tree->hashing, tree->backend, l, edge[l], edge[l + 1]);
    }
}

pleach_status pleach_deposit_root(const pleach_deposit_tree *tree, uint64_t count, uint8_t *root)
{
    if (!tree || !root)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", tree ? "root" : "tree");
    pleach_status status = check_count(tree, count);
    if (status != PLEACH_OK)
        return status;
    uint8_t edge[DEPTH + 1][D], length[D] = {0};
    find_edge(tree, count, edge);
    pleach__put64(length, count);
    pleach__hash_pair(&tree->hashing, tree->backend, edge[DEPTH], length, root);
    return PLEACH_OK;
}

pleach_status pleach_deposit_prove(const pleach_deposit_tree *tree, uint64_t index, uint64_t count, uint8_t *leaf,
                                   uint8_t *proof)
{
    if (!tree || !proof)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", tree ? "proof" : "tree");
    pleach_status status = check_count(tree, count);
    if (status != PLEACH_OK)
        return status;
    if (index < tree->finalized || index >= count)
        return pleach__fail(PLEACH_EPROOFINDEX, "index = %llu: of %llu deposits, those from %llu on are not finalized",
                            (unsigned long long)index, (unsigned long long)count, (unsigned long long)tree->finalized);
    uint8_t edge[DEPTH + 1][D];
    find_edge(tree, count, edge);
    if (leaf)
        memcpy(leaf, node_at(tree, 0, index), D);
    for (unsigned l = 0; l < DEPTH; l++) {
        const uint64_t sibling = index >> l ^ 1, filled = count >> l;
        const uint8_t *node = sibling < filled    ? node_at(tree, l, sibling)
                              : sibling == filled ? edge[l]
                                                  : tree->hashing.zero[l];
        memcpy(proof + D * l, node, D);
    }
    memset(proof + D * DEPTH, 0, D);
    pleach__put64(proof + D * DEPTH, count);
    return PLEACH_OK;
}

pleach_status pleach_deposit_verify(uint64_t index, const uint8_t *leaf, const uint8_t *proof, size_t nodes,
                                    const uint8_t *root)
{
    if (!leaf || !proof || !root)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", !leaf ? "leaf" : !proof ? "proof" : "root");
    if (nodes != PLEACH_DEPOSIT_PROOF_NODES)
        return pleach__fail(PLEACH_EPROOFLENGTH, "nodes = %zu: %d belong to a proof", nodes,
                            PLEACH_DEPOSIT_PROOF_NODES);
    if (index >= PLEACH_DEPOSIT_MAX)
        return pleach__fail(PLEACH_EPROOFINDEX, "index = %llu: below %llu", (unsigned long long)index,
                            (unsigned long long)PLEACH_DEPOSIT_MAX);
    pleach_status status = pleach_ssz_verify((uint64_t)2 << DEPTH | index, leaf, proof, nodes, root);
    const uint64_t count = pleach__get64(proof + D * DEPTH);
    if (status == PLEACH_OK && index >= count)
        return pleach__fail(PLEACH_EPROOFINDEX, "index = %llu: the root is of %llu deposits", (unsigned long long)index,
                            (unsigned long long)count);
    return status;
}

pleach_status pleach_deposit_finalize(pleach_deposit_tree *tree, uint64_t count, const uint8_t *block_hash,
                                      uint64_t block_height)
{
    if (!tree || !block_hash)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", tree ? "block_hash" : "tree");
    pleach_status status = check_count(tree, count);
    if (status != PLEACH_OK)
        return status;
    for (unsigned l = 0; l < DEPTH; l++) {
        const uint64_t first = first_kept(count, l), kept = (tree->size >> l) - first;
        if (kept > 0)
            memmove(tree->level[l].nodes, node_at(tree, l, first), D * (size_t)kept);
    }
    tree->finalized = count;
    memcpy(tree->block_hash, block_hash, D);
    tree->block_height = block_height;
    tree->has_block = true;
    return PLEACH_OK;
}

pleach_status pleach_deposit_take_snapshot(const pleach_deposit_tree *tree, pleach_deposit_snapshot *snapshot)
{
    if (!tree || !snapshot)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", tree ? "snapshot" : "tree");
    if (!tree->has_block)
        return pleach__fail(PLEACH_EINVAL, "tree: nothing was finalized");
    pleach_deposit_snapshot taken = {.deposit_count = tree->finalized, .execution_block_height = tree->block_height};
    for (unsigned l = DEPTH; l-- > 0;)
        if ((tree->finalized >> l & 1) != 0)
            memcpy(taken.finalized[taken.finalized_count++], node_at(tree, l, (tree->finalized >> l) - 1), D);
    memcpy(taken.execution_block_hash, tree->block_hash, D);
    pleach_status status = pleach_deposit_root(tree, tree->finalized, taken.deposit_root);
    if (status == PLEACH_OK)
        *snapshot = taken;
    return status;
}

static pleach_status check_deposit_count(uint64_t count)
{
    if (count > PLEACH_DEPOSIT_MAX)
        return pleach__fail(PLEACH_EFORMAT, "snapshot: deposit_count = %llu: at most %llu", (unsigned long long)count,
                            (unsigned long long)PLEACH_DEPOSIT_MAX);
    return PLEACH_OK;
}

static size_t roots_of(uint64_t count)
{
    return (size_t)__builtin_popcountll(count);
}

static pleach_status check_snapshot(const pleach_deposit_snapshot *snapshot)
{
    pleach_status status = check_deposit_count(snapshot->deposit_count);
    if (status == PLEACH_OK && snapshot->finalized_count != roots_of(snapshot->deposit_count))
        return pleach__fail(PLEACH_EFORMAT, "snapshot: finalized_count = %zu: %zu belong to %llu deposits",
                            snapshot->finalized_count, roots_of(snapshot->deposit_count),
                            (unsigned long long)snapshot->deposit_count);
    return status;
}

/* Fills an empty tree with a checked snapshot. */
static pleach_status restore(pleach_deposit_tree *tree, const pleach_deposit_snapshot *snapshot)
{
    const uint64_t count = snapshot->deposit_count;
    size_t next = snapshot->finalized_count;
    tree->size = tree->finalized = count;
    for (unsigned l = 0; l < DEPTH; l++) {
        if ((count >> l & 1) == 0)
            continue;
        struct level *level = &tree->level[l];
        level->nodes = pleach__allocate(tree->pool, D * ROOM_LEAST);
        if (!level->nodes)
            return pleach__fail(PLEACH_ENOMEM, "memory for %d nodes could not be had", ROOM_LEAST);
        level->room = ROOM_LEAST;
        memcpy(level->nodes, snapshot->finalized[--next], D);
    }
    uint8_t root[D];
    pleach_status status = pleach_deposit_root(tree, count, root);
    if (status == PLEACH_OK && memcmp(root, snapshot->deposit_root, D) != 0)
        return pleach__fail(PLEACH_EPROOFROOT, "snapshot: its finalized roots lead to another deposit root");
    return status;
}

pleach_status pleach_deposit_from_snapshot(pleach_deposit_tree **tree, pleach_pool *pool,
                                           const pleach_deposit_snapshot *snapshot)
{
    if (!tree || !snapshot)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", tree ? "snapshot" : "tree");
    pleach_deposit_tree *made = NULL;
    pleach_status status = check_snapshot(snapshot);
    if (status == PLEACH_OK)
        status = pleach_deposit_create(&made, pool);
    if (status == PLEACH_OK)
        status = restore(made, snapshot);
    if (status == PLEACH_OK)
        status = pleach_deposit_finalize(made, snapshot->deposit_count, snapshot->execution_block_hash,
                                         snapshot->execution_block_height);
    if (status == PLEACH_OK)
        *tree = made;
    else
        pleach_deposit_destroy(made);
    return status;
}

/* --- SSZ: where the fields of the container are --- */

enum { ROOT_AT = 4, COUNT_AT = 36, HASH_AT = 44, HEIGHT_AT = 76, FINALIZED_AT = 84 };

pleach_status pleach_deposit_snapshot_serialise(const pleach_deposit_snapshot *snapshot, uint8_t *bytes,
                                                size_t capacity, size_t *size)
{
    if (!snapshot || !size || (!bytes && capacity > 0))
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", !snapshot ? "snapshot" : !size ? "size" : "bytes");
    pleach_status status = check_snapshot(snapshot);
    if (status != PLEACH_OK)
        return status;
    const size_t roots = D * snapshot->finalized_count;
    if (capacity < FINALIZED_AT + roots)
        return pleach__fail(PLEACH_ERANGE, "capacity = %zu: %zu bytes are needed", capacity, FINALIZED_AT + roots);
    pleach__put32(bytes, FINALIZED_AT);
    memcpy(bytes + ROOT_AT, snapshot->deposit_root, D);
    pleach__put64(bytes + COUNT_AT, snapshot->deposit_count);
    memcpy(bytes + HASH_AT, snapshot->execution_block_hash, D);
    pleach__put64(bytes + HEIGHT_AT, snapshot->execution_block_height);
    memcpy(bytes + FINALIZED_AT, snapshot->finalized, roots);
    *size = FINALIZED_AT + roots;
    return PLEACH_OK;
}

pleach_status pleach_deposit_snapshot_parse(const uint8_t *bytes, size_t size, pleach_deposit_snapshot *snapshot)
{
    if (!bytes || !snapshot)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", bytes ? "snapshot" : "bytes");
    if (size < FINALIZED_AT)
        return pleach__fail(PLEACH_ETRUNCATED, "snapshot: %zu bytes: at least %d", size, FINALIZED_AT);
    if (pleach__get32(bytes) != FINALIZED_AT)
        return pleach__fail(PLEACH_EFORMAT, "snapshot: finalized: offset = %u: only %d", (unsigned)pleach__get32(bytes),
                            FINALIZED_AT);
    const uint64_t count = pleach__get64(bytes + COUNT_AT);
    pleach_status status = check_deposit_count(count);
    if (status != PLEACH_OK)
        return status;
    const size_t roots = D * roots_of(count);
    if (size != FINALIZED_AT + roots)
        return pleach__fail(size < FINALIZED_AT + roots ? PLEACH_ETRUNCATED : PLEACH_ETRAILING,
                            "snapshot: %zu bytes: %zu belong to %llu deposits", size, FINALIZED_AT + roots,
                            (unsigned long long)count);
    *snapshot = (pleach_deposit_snapshot){.finalized_count = roots / D,
                                          .deposit_count = count,
                                          .execution_block_height = pleach__get64(bytes + HEIGHT_AT)};
    memcpy(snapshot->deposit_root, bytes + ROOT_AT, D);
    memcpy(snapshot->execution_block_hash, bytes + HASH_AT, D);
    memcpy(snapshot->finalized, bytes + FINALIZED_AT, roots);
    return PLEACH_OK;
}
