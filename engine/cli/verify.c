#include "engine/cli/cli.h"
#include "engine/cli/proof.h"

#include "config/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PROOF_SIZE_MAX = 1 << 16 };

/* A proof that is read, or PLEACH_EIO. */
typedef struct proof_text {
    char bytes[PROOF_SIZE_MAX + 1];
    size_t size;
} proof_text;

static pleach_status read_text(void *context, const char *name, int file, uint64_t size)
{
    (void)size;
    proof_text *text = context;
    pleach__span span = {.file = file, .left = UINT64_MAX};
    pleach_status status = pleach__span_read(&span, (uint8_t *)text->bytes, sizeof text->bytes, &text->size);
    if (status != PLEACH_OK)
        pleach__complain("%s: %s", name, pleach_last_error());
    return status;
}

/* Hashes the bytes of a leaf, which must be the whole span, and compares them with the proof. */
static pleach_status check_leaf(pleach_pool *pool, const pleach__proof *proof, pleach__span *span, const char *name)
{
    pleach_stream_result result;
    pleach_status status =
        pleach_merkle_root_stream(pool, proof->scheme, proof->leaf_size, pleach__span_read, span, 0, NULL, &result);
    if (status != PLEACH_OK)
        return status;
    if (result.leaves != 1)
        return pleach__fail(PLEACH_EINVAL, "%s holds %" PRIu64 " leaves of %zu bytes instead of one", name,
                            result.leaves, proof->leaf_size);
    if (memcmp(result.root, proof->leaf_hash, PLEACH_DIGEST_SIZE) != 0)
        return pleach__fail(PLEACH_EPROOFROOT, "the leaf in %s is not the one that was proved", name);
    return PLEACH_OK;
}

static pleach_status check_in_file(pleach_pool *pool, const pleach__proof *proof, const pleach__span *whole,
                                   const char *name)
{
    uint64_t count = pleach__leaf_count(whole->left, proof->leaf_size);
    if (count != proof->count)
        return pleach__fail(PLEACH_EPROOFLENGTH, "%s has %" PRIu64 " leaves of %zu bytes, the proof is for %" PRIu64,
                            name, count, proof->leaf_size, proof->count);
    if (proof->index >= count)
        return pleach__fail(PLEACH_EPROOFINDEX, "leaf %" PRIu64 " of %" PRIu64, proof->index, count);
    uint64_t offset = proof->index * proof->leaf_size;
    uint64_t size = whole->left - offset < proof->leaf_size ? whole->left - offset : proof->leaf_size;
    pleach__span leaf;
    pleach_status status = pleach__span_part(whole, offset, size, &leaf);
    return status != PLEACH_OK ? status : check_leaf(pool, proof, &leaf, name);
}

/* Checks what the caller knows from elsewhere, then the proof itself. */
static pleach_status check(const pleach__options *options, const pleach__proof *proof)
{
    if (options->has_leaf && options->leaf != proof->index)
        return pleach__fail(PLEACH_EPROOFINDEX, "the proof is for leaf %" PRIu64, proof->index);
    if (options->has_count && options->count != proof->count)
        return pleach__fail(PLEACH_EPROOFLENGTH, "the proof is for %" PRIu64 " leaves", proof->count);
    if (memcmp(options->root, proof->root, PLEACH_DIGEST_SIZE) != 0)
        return pleach__fail(PLEACH_EPROOFROOT, "the proof is for another root");
    return pleach_merkle_verify(proof->scheme, proof->index, proof->count, proof->leaf_hash, proof->path[0],
                                proof->nodes, options->root);
}

/* The same with the leaf's data, if they are given. False after a message if they cannot be read. */
static bool check_data(pleach_pool *pool, const pleach__options *options, const pleach__proof *proof,
                       pleach_status *status)
{
    const char *const paths[] = {options->leaf_file, options->file};
    for (size_t i = 0; i < 2 && *status == PLEACH_OK; i++) {
        pleach__span span;
        if (paths[i] == NULL)
            continue;
        if (pleach__span_open(paths[i], &span) != PLEACH_OK) {
            pleach__complain("%s: %s", paths[i], pleach_last_error());
            return false;
        }
        *status = paths[i] == options->file ? check_in_file(pool, proof, &span, paths[i])
                                            : check_leaf(pool, proof, &span, paths[i]);
        (void)close(span.file);
    }
    return true;
}

/*
 * Where leaves and nodes are hashed alike, a node can be shown as a leaf of a smaller tree: such a proof says nothing
 * to someone who does not know the number of leaves.
 */
static bool knows_enough(const pleach__options *options, const pleach_scheme *scheme)
{
    if (scheme->leaf_prefix != scheme->node_prefix || options->has_count || options->file != NULL)
        return true;
    pleach__complain("scheme %s tells leaves from nodes by their depth alone: give --count or --file", scheme->name);
    return false;
}

static void print_ok(const pleach__options *options, const pleach__proof *proof)
{
    char leaf_hash[PLEACH__HEX_SIZE];
    pleach__hex(proof->leaf_hash, leaf_hash);
    bool known = options->has_leaf && (options->has_count || options->file != NULL);
    (void)printf("ok: leaf %" PRIu64 " of %" PRIu64 "%s, leaf hash %s\n", proof->index, proof->count,
                 known ? "" : " by the proof's own account", leaf_hash);
}

static int verify(pleach_pool *pool, const pleach__options *options, char **operands)
{
    static proof_text text;
    pleach__proof proof;
    if (pleach__visit_files(1, operands, read_text, &text) != PLEACH_OK)
        return PLEACH__EXIT_FAILED;
    pleach_status status = text.size > PROOF_SIZE_MAX
                               ? pleach__fail(PLEACH_EINVAL, "longer than %d bytes, which no proof is", PROOF_SIZE_MAX)
                               : pleach__proof_parse(&proof, text.bytes, text.size);
    if (status == PLEACH_OK) {
        if (!knows_enough(options, proof.scheme))
            return PLEACH__EXIT_USAGE;
        status = check(options, &proof);
        if (!check_data(pool, options, &proof, &status))
            return PLEACH__EXIT_FAILED;
    }
    if (status == PLEACH_OK)
        print_ok(options, &proof);
    else
        (void)printf("refused: %s\n", pleach_last_error());
    return status == PLEACH_OK ? PLEACH__EXIT_OK : PLEACH__EXIT_FAILED;
}

int pleach__verify(const pleach__options *options, int count, char **operands)
{
    (void)count;
    if (!options->has_root) {
        pleach__complain("--root HEX is missing: the root you trust, from elsewhere than the proof");
        return PLEACH__EXIT_USAGE;
    }
    int code = PLEACH__EXIT_OK;
    pleach_pool *pool = pleach__open_pool(&options->config, &code);
    if (pool == NULL)
        return code;
    code = verify(pool, options, operands);
    (void)pleach_pool_destroy(pool);
    return code;
}
