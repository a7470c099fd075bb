/* What three systems do with the transactions of a block, one stage after the other, and how long each takes. */
#include "engine/cli/block.h"

#include "bench/clock.h"
#include "bench/timing.h"
#include "config/error.h"

#include <stdlib.h>
#include <string.h>

enum {
    GROUP = 64,
    ROUNDS_LEAST = 3,     /* of both, for each stage, */
    STAGE_NS = 100000000, /* and as many as begin in this time */
};

/* A block on one pool. What a stage makes stays for the next. */
struct hashing {
    const pleach__chain_block *block;
    pleach_pool *pool;
    uint8_t *ids, *witness_ids, *fresh; /* one for each transaction; fresh: those of the witnessed, together */
    pleach_input *witnessed;            /* those of them that have witnesses */
    uint8_t *writes;                    /* Sei: key and value of each */
    pleach_lthash_op *ops;
    uint8_t root[PLEACH_DIGEST_SIZE], commitment[PLEACH_DIGEST_SIZE], checksum[PLEACH_DIGEST_SIZE];
    bool mutated;
};

/* --- Bitcoin --- */

struct twice {
    const pleach_input *inputs;
    size_t n;
    uint8_t *digests;
};

static pleach_status hash_groups_twice(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    const struct twice *twice = context;
    uint8_t once[GROUP * PLEACH_DIGEST_SIZE];
    const size_t first = GROUP * begin, last = GROUP * end < twice->n ? GROUP * end : twice->n;
    pleach_status status = pleach_hash_list(worker->kernels, PLEACH_SHA256, twice->inputs + first, last - first,
                                            twice->digests + PLEACH_DIGEST_SIZE * first);
    for (size_t i = first; status == PLEACH_OK && i < last; i += GROUP) {
        const size_t n = last - i < GROUP ? last - i : GROUP;
        uint8_t *digests = twice->digests + PLEACH_DIGEST_SIZE * i;
        memcpy(once, digests, PLEACH_DIGEST_SIZE * n);
        status =
            pleach_hash_many(worker->kernels, PLEACH_SHA256, once, PLEACH_DIGEST_SIZE, PLEACH_DIGEST_SIZE, n, digests);
    }
    return status;
}

static pleach_status hash_twice(pleach_pool *pool, const pleach_input *inputs, size_t n, uint8_t *digests)
{
    struct twice twice = {.inputs = inputs, .n = n, .digests = digests};
    const pleach_job job = {.task = hash_groups_twice, .context = &twice, .items = (n + GROUP - 1) / GROUP};
    return pleach_pool_run(pool, &job);
}

static pleach_status make_ids(void *context)
{
    struct hashing *h = context;
    return hash_twice(h->pool, h->block->bases, h->block->count, h->ids);
}

/* A transaction without witnesses has one id for both. */
static pleach_status make_witness_ids(void *context)
{
    struct hashing *h = context;
    const pleach__chain_block *block = h->block;
    pleach_status status = hash_twice(h->pool, h->witnessed, block->witnesses, h->fresh);
    if (status != PLEACH_OK)
        return status;
    memcpy(h->witness_ids, h->ids, PLEACH_DIGEST_SIZE * block->count);
    for (size_t i = 0; i < block->witnesses; i++)
        memcpy(h->witness_ids + PLEACH_DIGEST_SIZE * block->witnessed[i], h->fresh + PLEACH_DIGEST_SIZE * i,
               PLEACH_DIGEST_SIZE);
    return PLEACH_OK;
}

static pleach_status make_bitcoin_root(void *context)
{
    struct hashing *h = context;
    return pleach_bitcoin_root(h->pool, h->ids, h->block->count, h->root, &h->mutated);
}

static pleach_status make_commitment(void *context)
{
    struct hashing *h = context;
    return pleach_bitcoin_witness_commitment(h->pool, h->witness_ids, h->block->count, h->block->reserved,
                                             h->commitment);
}

/* --- CometBFT and Sei --- */

static pleach_status make_hashes(void *context)
{
    struct hashing *h = context;
    return pleach_cometbft_hash_transactions(h->pool, h->block->transactions, h->block->count, h->ids);
}

static pleach_status make_data_hash(void *context)
{
    struct hashing *h = context;
    const pleach_leaves leaves = {
        .data = h->ids, .size = PLEACH_DIGEST_SIZE, .stride = PLEACH_DIGEST_SIZE, .count = h->block->count};
    return pleach_merkle_root(h->pool, PLEACH_SCHEME_RFC6962, &leaves, NULL, h->root);
}

/* Not timed: each transaction writes one key, its hash, with its bytes as the value. */
static pleach_status make_writes(struct hashing *h)
{
    const pleach__chain_block *block = h->block;
    const size_t room = block->bytes + block->count * (PLEACH_DIGEST_SIZE + 8);
    h->ops = calloc(block->count, sizeof *h->ops);
    h->writes = malloc(room);
    if (h->ops == NULL || h->writes == NULL)
        return pleach__fail(PLEACH_ENOMEM, "no memory for the writes of %zu transactions", block->count);
    pleach_status status = PLEACH_OK;
    size_t used = 0;
    for (size_t i = 0; status == PLEACH_OK && i < block->count; i++) {
        const pleach_input key = {h->ids + PLEACH_DIGEST_SIZE * i, PLEACH_DIGEST_SIZE};
        size_t size = 0;
        status = pleach_sei_pair(&key, &block->transactions[i], h->writes + used, room - used, &size);
        h->ops[i].item = (pleach_input){h->writes + used, size};
        used += size;
    }
    return status;
}

static pleach_status make_checksum(void *context)
{
    struct hashing *h = context;
    pleach_lthash state;
    pleach_status status = pleach_lthash_init(&state);
    if (status == PLEACH_OK)
        status = pleach_lthash_apply(h->pool, &state, h->ops, h->block->count, PLEACH_LTHASH_EMPTY_SKIPPED, NULL);
    return status == PLEACH_OK ? pleach_lthash_checksum(h->pool, &state, h->checksum) : status;
}

/* --- whatever it is --- */

/* Who has a stage: everybody, or only blocks that have witnesses and a commitment to them. */
static const struct stage {
    const char *name;
    pleach_family family;
    bool of_witnesses;
    pleach_status (*run)(void *context);
    pleach_status (*prepare)(struct hashing *h); /* before the first run; or NULL */
} stages[PLEACH__SYSTEMS][PLEACH__STAGES_MAX] = {
    [PLEACH__BITCOIN] = {{"transaction ids", PLEACH_SHA256, false, make_ids, NULL},
                         {"Merkle root", PLEACH_SHA256, false, make_bitcoin_root, NULL},
                         {"witness ids", PLEACH_SHA256, true, make_witness_ids, NULL},
                         {"witness commitment", PLEACH_SHA256, true, make_commitment, NULL}},
    [PLEACH__COMETBFT] = {{"transaction hashes", PLEACH_SHA256, false, make_hashes, NULL},
                          {"data hash", PLEACH_SHA256, false, make_data_hash, NULL}},
    [PLEACH__SEI] = {{"transaction hashes", PLEACH_SHA256, false, make_hashes, NULL},
                     {"data hash", PLEACH_SHA256, false, make_data_hash, NULL},
                     {"LtHash of the writes", PLEACH_BLAKE3, false, make_checksum, make_writes}},
};

const char *pleach__system_name(pleach__system system)
{
    static const char *const names[PLEACH__SYSTEMS] = {"bitcoin", "cometbft", "sei"};
    return names[system];
}

const char *pleach__system_title(pleach__system system)
{
    static const char *const titles[PLEACH__SYSTEMS] = {"Bitcoin", "CometBFT", "Sei"};
    return titles[system];
}

static pleach_status open_hashing(struct hashing *h, const pleach__chain_block *block, pleach_pool *pool)
{
    *h = (struct hashing){.block = block, .pool = pool};
    h->ids = calloc(block->count, PLEACH_DIGEST_SIZE);
    h->witness_ids = calloc(block->count, PLEACH_DIGEST_SIZE);
    h->fresh = calloc(block->count, PLEACH_DIGEST_SIZE);
    h->witnessed = calloc(block->count, sizeof *h->witnessed);
    if (h->ids == NULL || h->witness_ids == NULL || h->fresh == NULL || h->witnessed == NULL)
        return pleach__fail(PLEACH_ENOMEM, "no memory for the ids of %zu transactions", block->count);
    for (size_t i = 0; i < block->witnesses; i++)
        h->witnessed[i] = block->transactions[block->witnessed[i]];
    return PLEACH_OK;
}

static void close_hashing(struct hashing *h)
{
    free(h->ids);
    free(h->witness_ids);
    free(h->fresh);
    free(h->witnessed);
    free(h->writes);
    free(h->ops);
}

static pleach_status run_once(const struct stage *stage, struct hashing *h)
{
    pleach_status status = stage->prepare != NULL ? stage->prepare(h) : PLEACH_OK;
    return status == PLEACH_OK ? stage->run(h) : status;
}

static bool is_enough(void *context, unsigned rounds)
{
    const double *start = context;
    return rounds >= ROUNDS_LEAST && pleach__bench_now() - *start >= STAGE_NS;
}

/* The fast one first. */
static pleach_status run_stage(const struct stage *stage, struct hashing both[2], pleach__chain_block_outcome *outcome)
{
    pleach__bench_timing timing[2];
    const pleach__bench_subject subject[2] = {
        {.run = stage->run, .context = &both[0], .waits = pleach_pool_width(both[0].pool) > 1},
        {.run = stage->run, .context = &both[1]}};
    pleach_status status = run_once(stage, &both[0]);
    if (status == PLEACH_OK)
        status = run_once(stage, &both[1]);
    double start = pleach__bench_now();
    if (status == PLEACH_OK)
        status = pleach__bench_time_until(subject, 2, is_enough, &start, timing);
    if (status == PLEACH_OK)
        outcome->stage[outcome->stages++] = (pleach__stage_time){
            .name = stage->name, .family = stage->family, .ns = timing[0].ns, .scalar_ns = timing[1].ns};
    return status;
}

static bool same(const struct hashing *a, const struct hashing *b)
{
    const size_t size = PLEACH_DIGEST_SIZE * a->block->count;
    return memcmp(a->ids, b->ids, size) == 0 && memcmp(a->witness_ids, b->witness_ids, size) == 0 &&
           memcmp(a->root, b->root, PLEACH_DIGEST_SIZE) == 0 &&
           memcmp(a->commitment, b->commitment, PLEACH_DIGEST_SIZE) == 0 &&
           memcmp(a->checksum, b->checksum, PLEACH_DIGEST_SIZE) == 0;
}

static pleach_status take(const struct hashing both[2], pleach__chain_block_outcome *outcome)
{
    const struct hashing *h = &both[0];
    if (!same(h, &both[1]))
        return pleach__fail(PLEACH_EBACKEND, "the kernels' digests differ from those of the scalar code");
    memcpy(outcome->root, h->root, PLEACH_DIGEST_SIZE);
    memcpy(outcome->commitment, h->commitment, PLEACH_DIGEST_SIZE);
    memcpy(outcome->checksum, h->checksum, PLEACH_DIGEST_SIZE);
    outcome->mutated = h->mutated;
    return PLEACH_OK;
}

pleach_status pleach__chain_block_measure(const pleach__chain_block *block, pleach__system system, pleach_pool *pool,
                                          pleach_pool *scalar, pleach__chain_block_outcome *outcome)
{
    struct hashing both[2] = {{0}, {0}};
    *outcome = (pleach__chain_block_outcome){.system = system,
                                             .has_commitment = system == PLEACH__BITCOIN && block->committed,
                                             .has_checksum = system == PLEACH__SEI};
    pleach_status status = open_hashing(&both[0], block, pool);
    if (status == PLEACH_OK)
        status = open_hashing(&both[1], block, scalar);
    for (size_t i = 0; status == PLEACH_OK && i < PLEACH__STAGES_MAX; i++)
        if (stages[system][i].run != NULL && (!stages[system][i].of_witnesses || block->committed))
            status = run_stage(&stages[system][i], both, outcome);
    if (status == PLEACH_OK)
        status = take(both, outcome);
    close_hashing(&both[0]);
    close_hashing(&both[1]);
    return status;
}
