/* Every allocation of every call that leaves no object behind fails once, and what it would have written is as it was.
 */
#include "merkle_test.h"

#include "../scarce.h"
#include "merkle/bitcoin.h"
#include "merkle/cometbft.h"
#include "merkle/multiproof.h"
#include "merkle/ssz.h"

#include <string.h>

enum {
    D = PLEACH_DIGEST_SIZE,
    COUNT = 9000, /* leaves: more than a caller folds alone */
    SIZE = 64,
    ASKED = 100, /* of them */
    STRIDE = D * 16
};

static uint8_t data[COUNT * SIZE];
static uint64_t ascending[ASKED], descending[ASKED], anyhow[ASKED];
static const pleach_leaves leaves = {.data = data, .size = SIZE, .stride = SIZE, .count = COUNT};
static pleach_input inputs[COUNT];
static pleach_cometbft_entry entries[ASKED];

/* What calls write, all of it in one place. */
struct output {
    uint8_t bytes[4 * ASKED * STRIDE];
    size_t size, sizes[ASKED];
    bool flag;
    pleach_status statuses[ASKED];
    const uint8_t *rows[ASKED];
    pleach_stream_result stream;
    pleach_bitcoin_partial_tree partial;
};

/* What they read: trees on one pool, or on none, and what was written about them with all the memory there is. */
struct subject {
    pleach_pool *pool;
    pleach_tree *rfc6962, *bitcoin, *ssz;
    pleach_status (*call)(struct subject *subject, struct output *output);
    struct output *output;
    const char *name;
};

/* --- roots --- */

static pleach_status root(struct subject *subject, struct output *output)
{
    return pleach_merkle_root(subject->pool, PLEACH_SCHEME_RFC6962, &leaves, NULL, output->bytes);
}

static pleach_status root_of_few(struct subject *subject, struct output *output)
{
    const pleach_leaves few = {.data = data, .size = SIZE, .stride = SIZE, .count = 3};
    return pleach_merkle_root(subject->pool, PLEACH_SCHEME_RFC6962, &few, NULL, output->bytes);
}

static pleach_status root_of_stream(struct subject *subject, struct output *output)
{
    struct source source = source_of(data, sizeof data, 0);
    return pleach_merkle_root_stream(subject->pool, PLEACH_SCHEME_RFC6962, 100, read_source, &source, 0, NULL,
                                     &output->stream);
}

static pleach_status leaf(struct subject *subject, struct output *output)
{
    (void)subject;
    return pleach_merkle_leaf(PLEACH_SCHEME_BLAKE2S, data, SIZE, 100, output->bytes);
}

static pleach_status bitcoin_root(struct subject *subject, struct output *output)
{
    return pleach_bitcoin_root(subject->pool, data, COUNT, output->bytes, &output->flag);
}

static pleach_status bitcoin_witness(struct subject *subject, struct output *output)
{
    return pleach_bitcoin_witness_commitment(subject->pool, data, COUNT, data, output->bytes);
}

static pleach_status cometbft_hashes(struct subject *subject, struct output *output)
{
    return pleach_cometbft_hash_transactions(subject->pool, inputs, ASKED, output->bytes);
}

static pleach_status cometbft_root(struct subject *subject, struct output *output)
{
    return pleach_cometbft_transactions_root(subject->pool, inputs, COUNT, output->bytes);
}

static pleach_status cometbft_map(struct subject *subject, struct output *output)
{
    return pleach_cometbft_map_root(subject->pool, entries, ASKED, output->bytes);
}

static pleach_status ssz_root(struct subject *subject, struct output *output)
{
    return pleach_ssz_root(subject->pool, data, COUNT, 1 << 20, output->bytes);
}

static pleach_status ssz_progressive(struct subject *subject, struct output *output)
{
    return pleach_ssz_progressive_root(subject->pool, data, COUNT, output->bytes);
}

/* --- proofs --- */

static pleach_status prove_many(struct subject *subject, struct output *output)
{
    return pleach_tree_prove_many(subject->rfc6962, anyhow, ASKED, output->bytes, STRIDE, output->sizes);
}

static pleach_status prove_consistency(struct subject *subject, struct output *output)
{
    return pleach_tree_prove_consistency(subject->rfc6962, 777, output->bytes, 32, &output->size);
}

static pleach_status prove_set(struct subject *subject, struct output *output)
{
    return pleach_multiproof_prove(subject->rfc6962, ascending, ASKED, output->bytes, ASKED * 16, &output->size);
}

static pleach_status measure_set(struct subject *subject, struct output *output)
{
    (void)subject;
    return pleach_multiproof_length(PLEACH_SCHEME_RFC6962, COUNT, ascending, ASKED, &output->size);
}

static pleach_status open_set(struct subject *subject, struct output *output)
{
    return pleach_multiproof_open(subject->rfc6962, &leaves, anyhow, ASKED, output->bytes, sizeof output->bytes,
                                  &output->size);
}

static pleach_status ssz_prove(struct subject *subject, struct output *output)
{
    return pleach_ssz_prove_many(subject->ssz, NULL, descending, ASKED, output->bytes,
                                 output->bytes + D * (size_t)ASKED, ASKED * 16, &output->size);
}

static pleach_status partial_tree(struct subject *subject, struct output *output)
{
    return pleach_bitcoin_partial_tree_write(subject->bitcoin, ascending, ASKED, output->bytes, sizeof output->bytes,
                                             &output->size);
}

/* Written once for each subject, while there is memory. */
static struct output paths, set, opening, ssz_set, partial;
static uint8_t set_hashes[D * ASKED], root_of_tree[D], root_of_chunks[D];

static pleach_status verify_many(struct subject *subject, struct output *output)
{
    static pleach_proof proofs[ASKED];
    for (size_t i = 0; i < ASKED; i++)
        proofs[i] = (pleach_proof){.index = anyhow[i],
                                   .leaf_hash = pleach_tree_nodes(subject->rfc6962, 0, (size_t)anyhow[i], NULL),
                                   .path = paths.bytes + STRIDE * i,
                                   .nodes = paths.sizes[i]};
    return pleach_merkle_verify_many(subject->pool, PLEACH_SCHEME_RFC6962, COUNT, root_of_tree, proofs, ASKED,
                                     output->statuses);
}

static pleach_status verify_set(struct subject *subject, struct output *output)
{
    (void)output;
    return pleach_multiproof_verify(subject->pool, PLEACH_SCHEME_RFC6962, COUNT, ascending, set_hashes, ASKED,
                                    set.bytes, set.size, root_of_tree);
}

static pleach_status check_opening(struct subject *subject, struct output *output)
{
    pleach_commitment commitment = {.scheme = PLEACH_SCHEME_RFC6962, .count = COUNT, .size = SIZE};
    memcpy(commitment.root, root_of_tree, D);
    return pleach_multiproof_check(subject->pool, &commitment, anyhow, ASKED, opening.bytes, opening.size, output->rows,
                                   output->bytes, STRIDE);
}

static pleach_status ssz_verify(struct subject *subject, struct output *output)
{
    (void)subject, (void)output;
    return pleach_ssz_verify_many(descending, ssz_set.bytes, ASKED, ssz_set.bytes + D * (size_t)ASKED, ssz_set.size,
                                  root_of_chunks);
}

static pleach_status read_partial_tree(struct subject *subject, struct output *output)
{
    (void)subject;
    return pleach_bitcoin_partial_tree_read(partial.bytes, partial.size, &output->partial, NULL, 0);
}

static void write_proofs(struct subject *subject)
{
    assert_int_equal(pleach_tree_root(subject->rfc6962, root_of_tree), PLEACH_OK);
    assert_int_equal(pleach_tree_root(subject->ssz, root_of_chunks), PLEACH_OK);
    for (size_t i = 0; i < ASKED; i++)
        memcpy(set_hashes + D * i, pleach_tree_nodes(subject->rfc6962, 0, (size_t)ascending[i], NULL), D);
    assert_int_equal(prove_many(subject, &paths), PLEACH_OK);
    assert_int_equal(prove_set(subject, &set), PLEACH_OK);
    assert_int_equal(open_set(subject, &opening), PLEACH_OK);
    assert_int_equal(ssz_prove(subject, &ssz_set), PLEACH_OK);
    assert_int_equal(partial_tree(subject, &partial), PLEACH_OK);
}

/* --- */

static void write_over(struct output *output)
{
    memset(output, 0xa5, sizeof *output);
}

static pleach_status attempt(void *context)
{
    struct subject *subject = context;
    return subject->call(subject, subject->output);
}

static void unchanged(void *context)
{
    static struct output untouched;
    const struct subject *subject = context;
    write_over(&untouched);
    if (memcmp(subject->output, &untouched, sizeof untouched) != 0)
        fail_msg("%s has written something and failed", subject->name);
}

/* A call, how many allocations it makes at least, and whether they are asked of the pool its tree or argument has. */
struct sparse_call {
    const char *name;
    pleach_status (*call)(struct subject *subject, struct output *output);
    unsigned least;
    bool without_pool, spares;
};

/* On memory of the process's, the pool's own, or the host's. Its own, which it keeps, may be there already. */
enum memory { OF_PROCESS, OWN, HOSTED, MEMORIES };

static void run_call(struct subject *subject, const struct sparse_call *trial, enum memory memory)
{
    static struct output expected, output;
    const struct scarce_call call = {.attempt = attempt, .unchanged = unchanged, .context = subject};
    const unsigned what =
        (memory == HOSTED && !trial->without_pool ? SCARCE_HOSTED : 0u) | (trial->spares ? SCARCE_SPARED : 0u);
    write_over(&expected);
    write_over(&output);
    subject->call = trial->call;
    subject->output = &output;
    subject->name = trial->name;
    assert_int_equal(trial->call(subject, &expected), PLEACH_OK);
    const size_t held = scarce_held();
    const unsigned needed = scarce_run_as(&call, what);
    if ((needed < trial->least && memory != OWN) || (trial->least == 0 && needed != 0))
        fail_msg("%s: %u allocations, expected %u", trial->name, needed, trial->least);
    assert_int_equal(scarce_held(), held);
    assert_memory_equal(&output, &expected, sizeof output);
}

static pleach_tree *tree_of(pleach_pool *pool, const pleach_scheme *scheme, size_t size)
{
    pleach_tree *tree = NULL;
    const pleach_leaves all = {.data = data, .size = size, .stride = size, .count = COUNT};
    assert_int_equal(pleach_tree_create(&tree, pool, scheme), PLEACH_OK);
    assert_int_equal(pleach_tree_build(tree, &all, NULL), PLEACH_OK);
    return tree;
}

#define CALL(function, its_least)                                   \
    {                                                               \
        .name = #function, .call = (function), .least = (its_least) \
    }
#define WITHOUT_POOL(function, its_least)                                                 \
    {                                                                                     \
        .name = #function, .call = (function), .least = (its_least), .without_pool = true \
    }
#define SPARING(function, its_least)                                                \
    {                                                                               \
        .name = #function, .call = (function), .least = (its_least), .spares = true \
    }

static void calls(void **state)
{
    static const struct sparse_call all[] = {
        CALL(root, 1),
        CALL(root_of_few, 1),
        CALL(root_of_stream, 2),
        CALL(leaf, 0),
        CALL(bitcoin_root, 1),
        CALL(bitcoin_witness, 2),
        CALL(cometbft_hashes, 0),
        CALL(cometbft_root, 2),
        CALL(cometbft_map, 2),
        CALL(ssz_root, 1),
        CALL(ssz_progressive, 1),
        CALL(prove_many, 0),
        SPARING(verify_many, 1),
        CALL(prove_consistency, 0),
        CALL(prove_set, 1),
        WITHOUT_POOL(measure_set, 1),
        CALL(open_set, 1),
        CALL(verify_set, 1),
        CALL(check_opening, 1),
        CALL(partial_tree, 0),
        CALL(read_partial_tree, 0),
        CALL(ssz_prove, 1),
        WITHOUT_POOL(ssz_verify, 1),
    };
    pleach_config config;
    pleach_pool *pools[MEMORIES] = {[OWN] = open_pool(2, "")};
    (void)state;
    pleach_config_init(&config);
    config.workers = 2;
    config.allocator = scarce_allocator;
    assert_int_equal(pleach_pool_create(&pools[HOSTED], &config), PLEACH_OK);
    for (int p = 0; p < MEMORIES; p++) {
        struct subject subject = {.pool = pools[p],
                                  .rfc6962 = tree_of(pools[p], PLEACH_SCHEME_RFC6962, SIZE),
                                  .bitcoin = tree_of(pools[p], PLEACH_SCHEME_BITCOIN, D),
                                  .ssz = tree_of(pools[p], PLEACH_SCHEME_SSZ, D)};
        write_proofs(&subject);
        for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
            run_call(&subject, &all[i], (enum memory)p);
        pleach_tree_destroy(subject.rfc6962);
        pleach_tree_destroy(subject.bitcoin);
        pleach_tree_destroy(subject.ssz);
        assert_int_equal(pleach_pool_destroy(pools[p]), PLEACH_OK);
    }
}

static int fill(void **state)
{
    (void)state;
    fill_stream(data, sizeof data);
    for (size_t i = 0; i < COUNT; i++)
        inputs[i] = (pleach_input){.bytes = data + i, .size = i % 300};
    for (size_t i = 0; i < ASKED; i++) {
        ascending[i] = i * 89;
        anyhow[i] = i * i * 31 % COUNT;
        descending[i] = ((uint64_t)1 << 14) + (ASKED - i) * 89;
        entries[i] = (pleach_cometbft_entry){.key = {data + SIZE * i, 20}, .value = {data + i, 100}};
    }
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(calls)};
    return cmocka_run_group_tests_name("out of memory", tests, fill, NULL);
}
