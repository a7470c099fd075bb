/* A proof says what it is about; what it says counts for nothing unless it is what the user knows from elsewhere. */
#include "config/error.h"
#include "engine/cli/leaf_input.h"
#include "engine/cli/proof.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct checking {
    pleach_pool *pool;
    const pleach__options *known;
    const pleach__proof *proof;
    pleach__leaf_form form;
} checking;

/* Whether an option that needs another kind of proof is there: usage. */
static bool fits_kind(const pleach__options *known, pleach__proof_kind kind)
{
    const char *leaf = known->leaves > 0 ? "--leaf" : known->leaf_files > 0 ? "--leaf-file" : "--file";
    if (kind != PLEACH__PROOF_OLDER && (known->has_older || known->has_older_root))
        pleach__complain("%s: the proof is about leaves, not about an older tree",
                         known->has_older ? "--older" : "--older-root");
    else if (kind == PLEACH__PROOF_OLDER && (known->leaves > 0 || known->leaf_files > 0 || known->file != NULL))
        pleach__complain("%s: the proof is about an older tree, not about leaves", leaf);
    else if (kind == PLEACH__PROOF_OLDER && !known->has_older_root)
        pleach__complain("--older-root HEX is missing: the older root you trust, from elsewhere than the proof");
    else
        return true;
    return false;
}

/*
 * Where leaves and nodes are hashed alike, a node can be shown as a leaf of a smaller tree, and where a depth can be
 * chosen, of one less deep: such a proof says nothing to someone who knows neither.
 */
static bool knows_enough(const pleach__options *known, const pleach__proof *proof)
{
    const pleach_scheme *scheme = &proof->scheme;
    bool older = proof->kind == PLEACH__PROOF_OLDER;
    if (scheme->leaf_prefix != scheme->node_prefix || known->file != NULL)
        return true;
    if (!known->has_count || (older && !known->has_older))
        pleach__complain("scheme %s tells leaves from nodes by their depth alone: give --count %s", scheme->name,
                         older ? "and --older" : "or --file");
    else if (scheme->lone == PLEACH_LONE_ZERO_PADDED && !known->has_depth)
        pleach__complain("a tree of scheme %s can be deeper than its leaves need: give --depth (0 if not) or --file",
                         scheme->name);
    else
        return true;
    return false;
}

/* How the files that hold leaves are to be read: usage. */
static bool find_form(checking *c)
{
    const pleach__proof *proof = c->proof;
    const pleach__options *known = c->known;
    if (!pleach__leaf_form_of(known, &proof->scheme, &c->form))
        return false;
    if (c->form.kind != PLEACH__LEAF_BYTES)
        return true;
    if (known->file != NULL && proof->leaf_size == 0 && !known->has_leaf_size && !proof->scheme.leaf_given) {
        pleach__complain("the proof does not say how %s is cut into leaves: give --leaf-size or --lines", known->file);
        return false;
    }
    if (!known->has_leaf_size && proof->leaf_size > 0)
        c->form.size = proof->leaf_size;
    return true;
}

static pleach_status check_tree(const pleach__options *known, const pleach__proof *proof)
{
    if (known->has_scheme && strcmp(known->scheme.name, proof->scheme.name) != 0)
        return pleach__fail(PLEACH_EINVAL, "the proof is for scheme %s", proof->scheme.name);
    if (known->has_depth && known->depth != proof->scheme.depth)
        return pleach__fail(PLEACH_EPROOFLENGTH, "the proof is for a tree of depth %u", proof->scheme.depth);
    if (known->has_leaf_size && proof->leaf_size > 0 && known->leaf_size != proof->leaf_size)
        return pleach__fail(PLEACH_EINVAL, "the proof is for leaves of %zu bytes", proof->leaf_size);
    if (known->has_count && known->count != proof->count)
        return pleach__fail(PLEACH_EPROOFLENGTH, "the proof is for %" PRIu64 " leaves", proof->count);
    if (known->has_older && known->older != proof->older)
        return pleach__fail(PLEACH_EPROOFLENGTH, "the proof is for an older tree of %" PRIu64 " leaves", proof->older);
    if (memcmp(known->root, proof->root, PLEACH_DIGEST_SIZE) != 0)
        return pleach__fail(PLEACH_EPROOFROOT, "the proof is for another root");
    if (known->has_older_root && memcmp(known->older_root, proof->older_root, PLEACH_DIGEST_SIZE) != 0)
        return pleach__fail(PLEACH_EPROOFROOT, "the proof is for another older root");
    return PLEACH_OK;
}

static pleach_status check_indices(const pleach__options *known, const pleach__proof *proof)
{
    if (known->leaves == 0)
        return PLEACH_OK;
    for (size_t i = 0; i < proof->leaves; i++)
        if (i >= known->leaves || known->asked[i].index != proof->indices[i])
            return pleach__fail(PLEACH_EPROOFINDEX, "the proof is for leaf %" PRIu64, proof->indices[i]);
    if (proof->leaves < known->leaves)
        return pleach__fail(PLEACH_EPROOFINDEX, "the proof is not for leaf %" PRIu64,
                            known->asked[proof->leaves].index);
    return PLEACH_OK;
}

static pleach_status check_nodes(const checking *c)
{
    const pleach__proof *proof = c->proof;
    const pleach_scheme *scheme = &proof->scheme;
    switch (proof->kind) {
    case PLEACH__PROOF_LEAF:
        return pleach_merkle_verify(scheme, proof->indices[0], proof->count, proof->leaf_hashes, proof->path,
                                    proof->nodes, c->known->root);
    case PLEACH__PROOF_LEAVES:
        return pleach_multiproof_verify(c->pool, scheme, proof->count, proof->indices, proof->leaf_hashes,
                                        proof->leaves, proof->path, proof->nodes, c->known->root);
    default:
        return pleach_merkle_verify_consistency(scheme, proof->older, proof->count, proof->path, proof->nodes,
                                                c->known->older_root, c->known->root);
    }
}

/* Hashes the bytes of a leaf and compares them with what was proved. */
static pleach_status compare_leaf(const pleach__proof *proof, size_t i, const uint8_t *leaf, size_t size,
                                  const char *name)
{
    uint8_t digest[PLEACH_DIGEST_SIZE];
    pleach_status status = pleach_merkle_leaf(&proof->scheme, leaf, size, 0, digest);
    if (status == PLEACH_OK && memcmp(digest, proof->leaf_hashes + PLEACH_DIGEST_SIZE * i, sizeof digest) != 0)
        return pleach__fail(PLEACH_EPROOFROOT, "leaf %" PRIu64 " in %s is not the one that was proved",
                            proof->indices[i], name);
    return status;
}

/* The files that hold a leaf each. PLEACH_EIO if one cannot be read. */
static pleach_status check_leaf_files(const checking *c)
{
    const pleach__options *known = c->known;
    if (known->leaf_files > 0 && known->leaf_files != c->proof->leaves)
        return pleach__fail(PLEACH_EINVAL, "the proof is for %zu leaves, --leaf-file is given %zu times",
                            c->proof->leaves, known->leaf_files);
    for (size_t i = 0; i < known->leaf_files; i++) {
        const char *path = known->asked[i].file;
        uint8_t *leaf;
        size_t size;
        pleach_status status = pleach__leaf_load(&c->form, path, &leaf, &size);
        if (status != PLEACH_OK)
            return pleach__fail(status, "%s: %s", path, pleach_last_error());
        if (c->proof->leaf_size > 0 && (size == 0 || size > c->proof->leaf_size))
            status = pleach__fail(PLEACH_EINVAL, "%s holds %zu bytes instead of one leaf of %zu", path, size,
                                  c->proof->leaf_size);
        if (status == PLEACH_OK)
            status = compare_leaf(c->proof, i, leaf, size, path);
        free(leaf);
        if (status != PLEACH_OK)
            return status;
    }
    return PLEACH_OK;
}

/* All leaves, in a file that is cut into leaves: only those of the proof are read. */
static pleach_status check_parts(const checking *c, const pleach__span *whole)
{
    const pleach__proof *proof = c->proof;
    const size_t leaf_size = c->form.size;
    uint64_t count = pleach__leaf_count(whole->left, leaf_size);
    if (count != proof->count)
        return pleach__fail(PLEACH_EPROOFLENGTH, "%s has %" PRIu64 " leaves of %zu bytes, the proof is for %" PRIu64,
                            c->known->file, count, leaf_size, proof->count);
    for (size_t i = 0; i < proof->leaves; i++) {
        uint64_t offset = proof->indices[i] * leaf_size;
        uint64_t size = whole->left - offset < leaf_size ? whole->left - offset : leaf_size;
        pleach__span part;
        uint8_t *leaf;
        size_t loaded;
        pleach_status status = pleach__span_part(whole, offset, size, &part);
        if (status == PLEACH_OK)
            status = pleach__span_load(&part, leaf_size, &leaf, &loaded);
        if (status != PLEACH_OK)
            return status;
        status = compare_leaf(proof, i, leaf, loaded, c->known->file);
        free(leaf);
        if (status != PLEACH_OK)
            return status;
    }
    return PLEACH_OK;
}

/* All leaves, in lines: a tree of them is built. */
static pleach_status check_lines(const checking *c)
{
    const pleach__proof *proof = c->proof;
    pleach__leaf_source source;
    pleach_tree *tree = NULL;
    pleach_status status = pleach__leaf_source_open(&source, &c->form, c->known->file);
    if (status != PLEACH_OK)
        return pleach__fail(status, "%s: %s", c->known->file, pleach_last_error());
    status = pleach_tree_create(&tree, c->pool, &proof->scheme);
    if (status == PLEACH_OK)
        status = pleach__leaf_source_append(&source, tree, c->known->file);
    if (status != PLEACH_OK)
        status = pleach__fail(status, "%s: %s", c->known->file, pleach_last_error());
    if (status == PLEACH_OK && pleach_tree_size(tree) != proof->count)
        status = pleach__fail(PLEACH_EPROOFLENGTH, "%s has %zu lines, the proof is for %" PRIu64 " leaves",
                              c->known->file, pleach_tree_size(tree), proof->count);
    for (size_t i = 0; i < proof->leaves && status == PLEACH_OK; i++)
        if (memcmp(pleach_tree_nodes(tree, 0, (size_t)proof->indices[i], NULL),
                   proof->leaf_hashes + PLEACH_DIGEST_SIZE * i, PLEACH_DIGEST_SIZE) != 0)
            status = pleach__fail(PLEACH_EPROOFROOT, "leaf %" PRIu64 " in %s is not the one that was proved",
                                  proof->indices[i], c->known->file);
    pleach_tree_destroy(tree);
    pleach__leaf_source_close(&source);
    return status;
}

static pleach_status check_file(const checking *c)
{
    pleach__span whole;
    if (c->known->file == NULL)
        return PLEACH_OK;
    if (c->form.kind != PLEACH__LEAF_BYTES)
        return check_lines(c);
    pleach_status status = pleach__span_open(c->known->file, &whole);
    if (status == PLEACH_OK) {
        status = check_parts(c, &whole);
        pleach__span_close(&whole);
    }
    return status == PLEACH_EIO ? pleach__fail(status, "%s: %s", c->known->file, pleach_last_error()) : status;
}

static void print_ok(const checking *c)
{
    const pleach__options *known = c->known;
    const pleach__proof *proof = c->proof;
    const bool older = proof->kind == PLEACH__PROOF_OLDER;
    bool counted = known->has_count || known->file != NULL;
    const char *account =
        counted && (older ? known->has_older : known->leaves > 0) ? "" : " by the proof's own account";
    if (older)
        (void)printf("ok: the tree of %" PRIu64 " leaves begins with the older one of %" PRIu64 "%s\n", proof->count,
                     proof->older, account);
    for (size_t i = 0; i < proof->leaves; i++) {
        char leaf_hash[PLEACH__HEX_SIZE];
        pleach__hex_ordered(proof->leaf_hashes + PLEACH_DIGEST_SIZE * i, known->reversed, leaf_hash);
        (void)printf("ok: leaf %" PRIu64 " of %" PRIu64 "%s, leaf hash %s\n", proof->indices[i], proof->count, account,
                     leaf_hash);
    }
}

int pleach__proof_check(pleach_pool *pool, const pleach__options *known, const pleach__proof *proof)
{
    checking c = {.pool = pool, .known = known, .proof = proof};
    if (!fits_kind(known, proof->kind) || !knows_enough(known, proof) || !find_form(&c))
        return PLEACH__EXIT_USAGE;
    pleach_status status = check_tree(known, proof);
    if (status == PLEACH_OK)
        status = check_indices(known, proof);
    if (status == PLEACH_OK)
        status = check_nodes(&c);
    if (status == PLEACH_OK)
        status = check_leaf_files(&c);
    if (status == PLEACH_OK)
        status = check_file(&c);
    if (status == PLEACH_EIO || status == PLEACH_ENOMEM)
        pleach__complain("%s", pleach_last_error());
    else if (status == PLEACH_OK)
        print_ok(&c);
    else
        (void)printf("refused: %s\n", pleach_last_error());
    return status == PLEACH_OK ? PLEACH__EXIT_OK : PLEACH__EXIT_FAILED;
}
