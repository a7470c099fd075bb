#include "merkle/cometbft.h"

#include "config/error.h"
#include "merkle/cometbft_format.h"
#include "merkle/proof.h"
#include "merkle/scheme_format.h"

#include <string.h>

_Static_assert(PLEACH_COMETBFT_AUNTS_MAX >= PLEACH_PATH_MAX, "every proof of a tree has a place");

static bool has_rules(const pleach_tree *tree)
{
    uint8_t rules[PLEACH__SCHEME_SIZE], expected[PLEACH__SCHEME_SIZE];
    pleach__scheme_encode(pleach_tree_scheme(tree), rules);
    pleach__scheme_encode(PLEACH_SCHEME_RFC6962, expected);
    return memcmp(rules, expected, sizeof rules) == 0;
}

pleach_status pleach_cometbft_prove(const pleach_tree *tree, uint64_t index, pleach_cometbft_proof *proof)
{
    if (!tree || !proof)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", tree ? "proof" : "tree");
    if (!has_rules(tree))
        return pleach__fail(PLEACH_EINVAL, "tree: of another scheme than rfc6962");
    pleach_cometbft_proof made = {.total = (int64_t)pleach_tree_size(tree), .index = (int64_t)index};
    pleach_status status = pleach_tree_prove(tree, index, made.aunt[0], PLEACH_COMETBFT_AUNTS_MAX, &made.aunts);
    if (status != PLEACH_OK)
        return status;
    memcpy(made.leaf_hash, pleach_tree_nodes(tree, 0, (size_t)index, NULL), sizeof made.leaf_hash);
    *proof = made;
    return PLEACH_OK;
}

pleach_status pleach__cometbft_check(const pleach_cometbft_proof *proof)
{
    if (proof->total < 0 || proof->index < 0)
        return pleach__fail(PLEACH_EPROOFLIMIT, "proof: %s = %lld: not below 0", proof->total < 0 ? "total" : "index",
                            (long long)(proof->total < 0 ? proof->total : proof->index));
    if (proof->aunts > PLEACH_COMETBFT_AUNTS_MAX)
        return pleach__fail(PLEACH_EPROOFLIMIT, "proof: aunts = %zu: at most %d", proof->aunts,
                            PLEACH_COMETBFT_AUNTS_MAX);
    return PLEACH_OK;
}

static pleach_status check_leaf(const pleach_cometbft_proof *proof, const uint8_t *leaf, size_t leaf_size)
{
    uint8_t hash[PLEACH_DIGEST_SIZE];
    pleach_status status = pleach_merkle_leaf(PLEACH_SCHEME_RFC6962, leaf, leaf_size, 0, hash);
    if (status == PLEACH_OK && memcmp(hash, proof->leaf_hash, sizeof hash) != 0)
        return pleach__fail(PLEACH_EPROOFLEAF, "proof: leaf_hash is not that of the leaf's %zu bytes", leaf_size);
    return status;
}

/* Everything that can be said without hashing. */
static pleach_status check_shape(const pleach_cometbft_proof *proof)
{
    size_t aunts = 0;
    pleach_status status = pleach__cometbft_check(proof);
    if (status != PLEACH_OK)
        return status;
    if (proof->total == 0)
        return pleach__fail(PLEACH_EPROOFEMPTY, "proof: total = 0: nothing is in an empty tree");
    status = pleach_merkle_path_length(PLEACH_SCHEME_RFC6962, (uint64_t)proof->index, (uint64_t)proof->total, &aunts);
    if (status == PLEACH_OK && proof->aunts != aunts)
        return pleach__fail(PLEACH_EPROOFLENGTH, "proof: aunts = %zu: leaf %lld of %lld has %zu", proof->aunts,
                            (long long)proof->index, (long long)proof->total, aunts);
    return status;
}

pleach_status pleach_cometbft_verify(const pleach_cometbft_proof *proof, const uint8_t *root, size_t root_size,
                                     const uint8_t *leaf, size_t leaf_size)
{
    if (!proof || (!root && root_size > 0) || (!leaf && leaf_size > 0))
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", !proof ? "proof" : !root && root_size > 0 ? "root" : "leaf");
    pleach_status status = check_shape(proof);
    if (status == PLEACH_OK)
        status = check_leaf(proof, leaf, leaf_size);
    if (status != PLEACH_OK)
        return status;
    if (root_size != PLEACH_DIGEST_SIZE)
        return pleach__fail(PLEACH_EPROOFROOT, "root_size = %zu: proofs lead to roots of %d bytes", root_size,
                            PLEACH_DIGEST_SIZE);
    return pleach_merkle_verify(PLEACH_SCHEME_RFC6962, (uint64_t)proof->index, (uint64_t)proof->total, proof->leaf_hash,
                                proof->aunt[0], proof->aunts, root);
}
