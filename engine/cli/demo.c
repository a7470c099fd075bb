/* The main job on data that every machine has, beside the plain scalar code in the same run. */
#define _GNU_SOURCE /* uv.h wants pthread_rwlock_t */
#include "engine/cli/block.h"
#include "engine/cli/progress.h"
#include "engine/cli/proof.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

enum { DATA_MAX = 256 << 20, RUNS = 3, TRANSACTIONS = 2500, TRANSACTION_SIZE = 400 };

typedef struct data {
    uint8_t *bytes;
    size_t size, files;
} data;

/* What one scheme made of the data. */
typedef struct outcome {
    const pleach_scheme *scheme;
    size_t size; /* bytes that were hashed */
    uint64_t leaves;
    double seconds, scalar_seconds;
    uint8_t root[PLEACH_DIGEST_SIZE];
} outcome;

static pleach_status collect(void *context, const char *name, int file, uint64_t size)
{
    (void)size;
    data *d = context;
    pleach__span span = {.file = file, .left = UINT64_MAX};
    size_t got;
    if (d->size == DATA_MAX)
        return PLEACH_ECANCELED;
    if (pleach__span_read(&span, d->bytes + d->size, DATA_MAX - d->size, &got) != PLEACH_OK) {
        pleach__complain("%s: %s", name, pleach_last_error());
        return PLEACH_EIO;
    }
    d->size += got;
    d->files++;
    return PLEACH_OK;
}

static double seconds_since(uint64_t start)
{
    return (double)(uv_hrtime() - start) / 1e9;
}

static bool hash(pleach_pool *pool, const data *d, const outcome *o, size_t leaf_size, pleach_stream_result *result,
                 double *seconds)
{
    pleach__span span = {.file = -1, .data = d->bytes, .left = o->size};
    uint64_t start = uv_hrtime();
    if (pleach_merkle_root_stream(pool, o->scheme, leaf_size, pleach__span_read, &span, 0, NULL, result) == PLEACH_OK) {
        double taken = seconds_since(start);
        *seconds = *seconds == 0 || taken < *seconds ? taken : *seconds;
        return true;
    }
    pleach__complain("%s: %s", o->scheme->name, pleach_last_error());
    return false;
}

static bool measure(pleach_pool *pool, pleach_pool *scalar, const data *d, size_t leaf_size, outcome *o)
{
    pleach_stream_result result, expected;
    for (int run = 0; run < RUNS; run++)
        if (!hash(pool, d, o, leaf_size, &result, &o->seconds) ||
            !hash(scalar, d, o, leaf_size, &expected, &o->scalar_seconds))
            return false;
    if (memcmp(result.root, expected.root, PLEACH_DIGEST_SIZE) != 0) {
        pleach__complain("%s: the kernels' root differs from that of the scalar code", o->scheme->name);
        return false;
    }
    o->leaves = result.leaves;
    memcpy(o->root, result.root, PLEACH_DIGEST_SIZE);
    return true;
}

/* The longest prefix that the scheme accepts. */
static size_t accepted_size(const pleach_scheme *scheme, size_t size, size_t leaf_size)
{
    size_t leaves = 1;
    if (scheme->lone != PLEACH_LONE_REFUSED)
        return size;
    while (leaves <= size / leaf_size / 2)
        leaves *= 2;
    return size < leaf_size ? 0 : leaves * leaf_size;
}

static void print_outcome(const outcome *o, pleach_pool *pool, size_t data_size)
{
    char root[PLEACH__HEX_SIZE];
    double gigabytes = (double)o->size / 1e9;
    pleach__hex(o->root, root);
    (void)printf("  %-9s %-9s %8" PRIu64 " %9.3f s %7.2f GB/s %11.2f GB/s %6.1f x\n  %9s %s\n", o->scheme->name,
                 pleach_kernels_backend(pleach_pool_kernels(pool), o->scheme->family), o->leaves, o->seconds,
                 gigabytes / o->seconds, gigabytes / o->scalar_seconds, o->scalar_seconds / o->seconds, "root", root);
    if (o->size < data_size)
        (void)printf("  %9s the scheme takes a power of two of leaves: the last %zu bytes are left out\n", "",
                     data_size - o->size);
}

static pleach_status verify(const pleach__proof *proof, const uint8_t *leaf, const uint8_t *root)
{
    uint8_t leaf_hash[PLEACH_DIGEST_SIZE];
    pleach_status status = pleach_merkle_leaf(&proof->scheme, leaf, proof->leaf_size, 0, leaf_hash);
    if (status != PLEACH_OK)
        return status;
    return pleach_merkle_verify(&proof->scheme, proof->indices[0], proof->count, leaf_hash, proof->path, proof->nodes,
                                root);
}

/* Verifies a proof, and shows that a changed leaf is refused. */
static bool show_verification(const pleach__proof *proof, const data *d, const outcome *o)
{
    uint8_t *leaf = d->bytes + proof->indices[0] * proof->leaf_size;
    uint64_t start = uv_hrtime();
    pleach_status status = verify(proof, leaf, o->root);
    double seconds = seconds_since(start);
    *leaf ^= 1;
    pleach_status tampered = verify(proof, leaf, o->root);
    *leaf ^= 1;
    pleach__progress_clear();
    (void)printf("  %-9s leaf %" PRIu64 ", %zu nodes: %s in %.0f us; with one bit of the leaf changed: %s\n",
                 o->scheme->name, proof->indices[0], proof->nodes, status == PLEACH_OK ? "verified" : "NOT VERIFIED",
                 seconds * 1e6, tampered == PLEACH_EPROOFROOT ? "refused" : "NOT REFUSED");
    return status == PLEACH_OK && tampered == PLEACH_EPROOFROOT;
}

static bool show_proof(pleach_pool *pool, const data *d, size_t leaf_size, const outcome *o)
{
    pleach__span whole = {.file = -1, .data = d->bytes, .left = o->size};
    pleach__proof proof = {.scheme = *o->scheme, .leaf_size = leaf_size};
    bool good = pleach__proof_make(&proof, pool, &whole, o->leaves / 3, "proof") == PLEACH_OK;
    if (good)
        good = show_verification(&proof, d, o);
    else
        pleach__complain("%s", pleach_last_error());
    pleach__proof_release(&proof);
    return good;
}

static bool show(pleach_pool *pool, pleach_pool *scalar, const data *d, size_t leaf_size)
{
    outcome outcomes[] = {{.scheme = PLEACH_SCHEME_RFC6962}, {.scheme = PLEACH_SCHEME_BLAKE2S}};
    bool good = true;
    (void)printf("\n  %-9s %-9s %8s %11s %12s %16s %8s\n", "scheme", "kernel", "leaves", "best time", "throughput",
                 "scalar code", "ratio");
    for (size_t i = 0; i < sizeof outcomes / sizeof *outcomes; i++) {
        outcomes[i].size = accepted_size(outcomes[i].scheme, d->size, leaf_size);
        if (outcomes[i].size == 0 || !measure(pool, scalar, d, leaf_size, &outcomes[i]))
            good = false;
        else
            print_outcome(&outcomes[i], pool, d->size);
    }
    (void)printf("\n  scalar code: backend portable on one thread, in the same run; its roots are the same\n\n  "
                 "inclusion proofs\n");
    for (size_t i = 0; i < sizeof outcomes / sizeof *outcomes && good; i++)
        good = show_proof(pool, d, leaf_size, &outcomes[i]);
    return good;
}

/* Transactions that are made up, as two systems hash them. */
static bool show_blocks(pleach_pool *pool, pleach_pool *scalar)
{
    static const pleach__system systems[] = {PLEACH__BITCOIN, PLEACH__SEI};
    pleach__chain_block block;
    pleach__chain_block_outcome hashed;
    pleach_status status = pleach__chain_block_make(&block, TRANSACTIONS, TRANSACTION_SIZE);
    (void)printf("\n  blocks\n");
    for (size_t i = 0; i < sizeof systems / sizeof *systems && status == PLEACH_OK; i++) {
        status = pleach__chain_block_measure(&block, systems[i], pool, scalar, &hashed);
        (void)putchar('\n');
        if (status == PLEACH_OK)
            pleach__chain_block_print(&block, &hashed, pool);
    }
    pleach__chain_block_release(&block);
    if (status != PLEACH_OK)
        pleach__complain("%s", pleach_last_error());
    return status == PLEACH_OK;
}

static int demo(const pleach__options *options, pleach_pool *pool, const data *d, const char *path)
{
    int code = PLEACH__EXIT_FAILED;
    pleach_pool *scalar = pleach__open_scalar_pool(&options->config, &code);
    if (scalar == NULL)
        return code;
    (void)printf("Pleach %s\n\n  input     %s%s, %zu %s, %.1f MB\n  leaves    %zu bytes each\n  workers   %u\n",
                 pleach_version(), d->size == DATA_MAX ? "the first 256 MiB of " : "", path, d->files,
                 d->files == 1 ? "file" : "files", (double)d->size / 1e6, options->leaf_size, pleach_pool_width(pool));
    code =
        show(pool, scalar, d, options->leaf_size) && show_blocks(pool, scalar) ? PLEACH__EXIT_OK : PLEACH__EXIT_FAILED;
    (void)pleach_pool_destroy(scalar);
    return code;
}

int pleach__demo(const pleach__options *options, int count, char **operands)
{
    char *path = count > 0 ? operands[0] : (char[]){"/usr/lib"};
    data d = {0};
    int code = PLEACH__EXIT_FAILED;
    pleach_pool *pool = pleach__open_pool(&options->config, &code);
    if (pool == NULL)
        return code;
    d.bytes = malloc(DATA_MAX);
    if (d.bytes != NULL)
        (void)pleach__visit_files(1, &path, collect, &d);
    if (d.bytes == NULL)
        pleach__complain("no memory for %d bytes", DATA_MAX);
    else if (d.size < options->leaf_size)
        pleach__complain("%s: less than one leaf of %zu bytes", path, options->leaf_size);
    else
        code = demo(options, pool, &d, path);
    free(d.bytes);
    (void)pleach_pool_destroy(pool);
    return code;
}
