/* What is said of a block that was hashed. */
#include "engine/cli/block.h"
#include "engine/cli/progress.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

enum { PRECISION = 6, ROOT_IN_HEADER = 36 };

pleach_status pleach__chain_block_hash(const pleach__chain_block *block, uint8_t hash[PLEACH_DIGEST_SIZE])
{
    uint8_t once[PLEACH_DIGEST_SIZE];
    pleach_status status = pleach_hash_many(NULL, PLEACH_SHA256, block->header, PLEACH__BITCOIN_HEADER_SIZE,
                                            PLEACH__BITCOIN_HEADER_SIZE, 1, once);
    return status == PLEACH_OK
               ? pleach_hash_many(NULL, PLEACH_SHA256, once, PLEACH_DIGEST_SIZE, PLEACH_DIGEST_SIZE, 1, hash)
               : status;
}

bool pleach__chain_block_agrees(const pleach__chain_block *block, const pleach__chain_block_outcome *outcome)
{
    char text[PLEACH__HEX_SIZE];
    const bool claims = outcome->system == PLEACH__BITCOIN && block->header != NULL;
    if (claims && memcmp(outcome->root, block->header + ROOT_IN_HEADER, PLEACH_DIGEST_SIZE) != 0) {
        pleach__hex_ordered(block->header + ROOT_IN_HEADER, true, text);
        pleach__complain("refused: the header has another Merkle root: %s", text);
        return false;
    }
    if (outcome->mutated) {
        pleach__complain("refused: transactions are repeated: others have the same Merkle root (CVE-2012-2459)");
        return false;
    }
    if (outcome->has_commitment && memcmp(outcome->commitment, block->commitment, PLEACH_DIGEST_SIZE) != 0) {
        pleach__hex(block->commitment, text);
        pleach__complain("refused: the coinbase commits to other witnesses: %s", text);
        return false;
    }
    return true;
}

static void print_stage(const char *name, const char *backend, double ns, double scalar_ns)
{
    (void)printf("  %-20s  %-8s  %9.1f us  %9.1f us  %6.1f x\n", name, backend, ns / 1e3, scalar_ns / 1e3,
                 scalar_ns / ns);
}

static void print_digest(const char *name, const uint8_t *digest, bool reversed, const char *note)
{
    char text[PLEACH__HEX_SIZE];
    pleach__hex_ordered(digest, reversed, text);
    (void)printf("  %-20s  %s%s\n", name, text, note);
}

static const char *tree_name(pleach__system system)
{
    return system == PLEACH__BITCOIN ? "Merkle root" : "data hash";
}

static bool same_root(const pleach__chain_block *block, const pleach__chain_block_outcome *outcome)
{
    return memcmp(outcome->root, block->header + ROOT_IN_HEADER, PLEACH_DIGEST_SIZE) == 0;
}

static void print_digests(const pleach__chain_block *block, const pleach__chain_block_outcome *outcome)
{
    const bool bitcoin = outcome->system == PLEACH__BITCOIN, real = bitcoin && block->header != NULL;
    uint8_t hash[PLEACH_DIGEST_SIZE];
    if (real && pleach__chain_block_hash(block, hash) == PLEACH_OK)
        print_digest("block", hash, true, "");
    print_digest(tree_name(outcome->system), outcome->root, bitcoin,
                 real && same_root(block, outcome) ? "  as in the header" : "");
    if (outcome->has_commitment)
        print_digest("witness commitment", outcome->commitment, false,
                     memcmp(outcome->commitment, block->commitment, PLEACH_DIGEST_SIZE) == 0 ? "  as in the coinbase"
                                                                                             : "");
    if (outcome->has_checksum)
        print_digest("state checksum", outcome->checksum, false, "");
}

void pleach__chain_block_print(const pleach__chain_block *block, const pleach__chain_block_outcome *outcome,
                               pleach_pool *pool)
{
    double ns = 0, scalar_ns = 0;
    pleach__progress_clear();
    (void)printf("  %zu transactions, %zu bytes, hashed as %s does; workers %u\n\n  %-20s  %-8s  %12s  %12s  %8s\n",
                 block->count, block->bytes, pleach__system_title(outcome->system), pleach_pool_width(pool), "stage",
                 "kernel", "time", "scalar code", "ratio");
    for (size_t i = 0; i < outcome->stages; i++) {
        const pleach__stage_time *stage = &outcome->stage[i];
        print_stage(stage->name, pleach_kernels_backend(pleach_pool_kernels(pool), stage->family), stage->ns,
                    stage->scalar_ns);
        ns += stage->ns;
        scalar_ns += stage->scalar_ns;
    }
    print_stage("together", "", ns, scalar_ns);
    (void)putchar('\n');
    print_digests(block, outcome);
}

static json_t *describe_digest(const uint8_t *digest, bool reversed)
{
    char text[PLEACH__HEX_SIZE];
    pleach__hex_ordered(digest, reversed, text);
    return json_string(text);
}

static json_t *describe_stages(const pleach__chain_block_outcome *outcome, pleach_pool *pool)
{
    json_t *stages = json_array();
    for (size_t i = 0; i < outcome->stages; i++) {
        const pleach__stage_time *stage = &outcome->stage[i];
        (void)json_array_append_new(stages, json_pack("{s:s, s:s, s:s, s:f, s:f, s:f}", "name", stage->name, "family",
                                                      pleach_family_name(stage->family), "backend",
                                                      pleach_kernels_backend(pleach_pool_kernels(pool), stage->family),
                                                      "time_ns", stage->ns, "scalar_ns", stage->scalar_ns, "ratio",
                                                      stage->scalar_ns / stage->ns));
    }
    if (json_array_size(stages) == outcome->stages)
        return stages;
    json_decref(stages);
    return NULL;
}

bool pleach__chain_block_print_json(const pleach__chain_block *block, const pleach__chain_block_outcome *outcome,
                                    pleach_pool *pool)
{
    const bool bitcoin = outcome->system == PLEACH__BITCOIN;
    uint8_t hash[PLEACH_DIGEST_SIZE];
    const bool named = bitcoin && block->header != NULL && pleach__chain_block_hash(block, hash) == PLEACH_OK;
    json_t *object = json_pack(
        "{s:s, s:s, s:i, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "version", pleach_version(), "as",
        pleach__system_name(outcome->system), "workers", (int)pleach_pool_width(pool), "transactions",
        (json_int_t)block->count, "bytes", (json_int_t)block->bytes, "with_witnesses", (json_int_t)block->witnesses,
        "stages", describe_stages(outcome, pool), "block", named ? describe_digest(hash, true) : json_null(), "root",
        describe_digest(outcome->root, bitcoin), "witness_commitment",
        outcome->has_commitment ? describe_digest(outcome->commitment, false) : json_null(), "checksum",
        outcome->has_checksum ? describe_digest(outcome->checksum, false) : json_null());
    pleach__progress_clear();
    const bool done =
        object != NULL && json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(PRECISION)) == 0;
    json_decref(object);
    (void)putchar('\n');
    return done;
}
