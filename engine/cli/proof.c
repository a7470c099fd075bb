#include "engine/cli/proof.h"

#include "config/error.h"
#include "engine/cli/progress.h"
#include "merkle/scheme_format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* calloc() may return NULL for nothing, and it multiplies with care. */
static void *reserve(size_t count, size_t size)
{
    return calloc(count + (count == 0), size);
}

pleach_status pleach__proof_reserve_leaves(pleach__proof *proof, size_t leaves)
{
    proof->indices = reserve(leaves, sizeof *proof->indices);
    proof->leaf_hashes = reserve(leaves, PLEACH_DIGEST_SIZE);
    if (proof->indices == NULL || proof->leaf_hashes == NULL)
        return pleach__fail(PLEACH_ENOMEM, "no memory for a proof of %zu leaves", leaves);
    proof->leaves = leaves;
    return PLEACH_OK;
}

pleach_status pleach__proof_reserve_nodes(pleach__proof *proof, size_t nodes)
{
    proof->path = reserve(nodes, PLEACH_DIGEST_SIZE);
    if (proof->path == NULL)
        return pleach__fail(PLEACH_ENOMEM, "no memory for a proof of %zu nodes", nodes);
    proof->nodes = nodes;
    return PLEACH_OK;
}

void pleach__proof_release(pleach__proof *proof)
{
    free(proof->indices);
    free(proof->leaf_hashes);
    free(proof->path);
}

bool pleach__scheme_equal(const pleach_scheme *a, const pleach_scheme *b)
{
    uint8_t rules[2][PLEACH__SCHEME_SIZE];
    pleach__scheme_encode(a, rules[0]);
    pleach__scheme_encode(b, rules[1]);
    return memcmp(rules[0], rules[1], PLEACH__SCHEME_SIZE) == 0;
}

const pleach_scheme *pleach__scheme_preset(const pleach_scheme *scheme)
{
    const pleach_scheme *preset;
    for (size_t i = 0; (preset = pleach_scheme_preset(i)) != NULL; i++) {
        pleach_scheme deep = *preset;
        if (preset->lone == PLEACH_LONE_ZERO_PADDED)
            deep.depth = scheme->depth;
        if (pleach__scheme_equal(&deep, scheme))
            break;
    }
    return preset;
}

void pleach__scheme_describe(const pleach_scheme *scheme, char *text, size_t size)
{
    const pleach_scheme *preset = pleach__scheme_preset(scheme);
    const char *name = preset != NULL ? preset->name : "of its own";
    if (scheme->depth > 0)
        (void)snprintf(text, size, "%s, depth %u", name, scheme->depth);
    else
        (void)snprintf(text, size, "%s", name);
}

/* What every proof says of its tree. */
static pleach_status describe_tree(pleach__proof *proof, const pleach_tree *tree)
{
    const pleach_scheme *scheme = pleach_tree_scheme(tree), *preset = pleach__scheme_preset(scheme);
    if (preset == NULL)
        return pleach__fail(PLEACH_EINVAL, "its scheme has rules of its own and no name, which a proof has to give");
    proof->scheme = *preset;
    proof->scheme.depth = scheme->depth;
    proof->count = pleach_tree_size(tree);
    return pleach_tree_root(tree, proof->root);
}

static pleach_status take_leaves(pleach__proof *proof, const pleach_tree *tree, const pleach__asked *asked,
                                 size_t leaves)
{
    pleach_status status = pleach__proof_reserve_leaves(proof, leaves);
    for (size_t i = 0; i < leaves && status == PLEACH_OK; i++) {
        const uint8_t *leaf_hash =
            asked[i].index < proof->count ? pleach_tree_nodes(tree, 0, (size_t)asked[i].index, NULL) : NULL;
        if (leaf_hash == NULL)
            return pleach__fail(PLEACH_EPROOFINDEX, "no leaf %" PRIu64 ": there are %" PRIu64 " leaves", asked[i].index,
                                proof->count);
        proof->indices[i] = asked[i].index;
        memcpy(proof->leaf_hashes + PLEACH_DIGEST_SIZE * i, leaf_hash, PLEACH_DIGEST_SIZE);
    }
    return status;
}

pleach_status pleach__proof_of_leaves(pleach__proof *proof, const pleach_tree *tree, const pleach__asked *asked,
                                      size_t leaves)
{
    size_t nodes;
    bool one = leaves == 1;
    proof->kind = one ? PLEACH__PROOF_LEAF : PLEACH__PROOF_LEAVES;
    pleach_status status = describe_tree(proof, tree);
    if (status == PLEACH_OK)
        status = take_leaves(proof, tree, asked, leaves);
    if (status == PLEACH_OK)
        status = one ? pleach_merkle_path_length(&proof->scheme, proof->indices[0], proof->count, &nodes)
                     : pleach_multiproof_length(&proof->scheme, proof->count, proof->indices, leaves, &nodes);
    if (status == PLEACH_OK)
        status = pleach__proof_reserve_nodes(proof, nodes);
    if (status != PLEACH_OK)
        return status;
    return one ? pleach_tree_prove(tree, proof->indices[0], proof->path, nodes, &nodes)
               : pleach_multiproof_prove(tree, proof->indices, leaves, proof->path, nodes, &nodes);
}

pleach_status pleach__older_root(const pleach_tree *tree, uint64_t count, uint8_t root[PLEACH_DIGEST_SIZE])
{
    pleach_tree *older = NULL;
    pleach_status status = pleach_tree_snapshot(tree, &older);
    if (status == PLEACH_OK)
        status = pleach_tree_truncate(older, count);
    if (status == PLEACH_OK)
        status = pleach_tree_root(older, root);
    pleach_tree_destroy(older);
    return status;
}

pleach_status pleach__proof_of_older(pleach__proof *proof, const pleach_tree *tree, uint64_t older)
{
    size_t nodes;
    proof->kind = PLEACH__PROOF_OLDER;
    proof->older = older;
    pleach_status status = describe_tree(proof, tree);
    if (status == PLEACH_OK)
        status = pleach_merkle_consistency_length(&proof->scheme, older, proof->count, &nodes);
    if (status == PLEACH_OK)
        status = pleach__proof_reserve_nodes(proof, nodes);
    if (status == PLEACH_OK)
        status = pleach_tree_prove_consistency(tree, older, proof->path, nodes, &nodes);
    if (status == PLEACH_OK)
        status = pleach__older_root(tree, older, proof->older_root);
    return status;
}

bool pleach__asks_for_leaf(const pleach__options *options)
{
    if (options->leaves == 0)
        pleach__complain("--leaf INDEX is missing: which leaf to prove, from 0");
    return options->leaves > 0;
}

int pleach__proof_finish(pleach__proof *proof, pleach_status status, const char *path)
{
    bool written = false;
    if (status != PLEACH_OK)
        pleach__complain("%s: %s", path, pleach_last_error());
    pleach__progress_clear();
    if (status == PLEACH_OK)
        written = pleach__proof_write(proof, stdout);
    pleach__proof_release(proof);
    return written ? PLEACH__EXIT_OK : PLEACH__EXIT_FAILED;
}
