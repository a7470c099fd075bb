/* Many proofs at once: what pleach_merkle_verify_many() says of each is what pleach_merkle_verify() does. */
#define _GNU_SOURCE
#include "merkle_test.h"

#include "merkle/climb.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { D = PLEACH_DIGEST_SIZE, LEAF = 9, LEAVES = 1000, MANY = 3 * PLEACH__CLIMB_MOST + 77, FEW = 3 * 16 + 1 };

static uint8_t data[LEAVES * D];

/* Proofs in memory of their own, so that each can be altered. */
struct batch {
    const pleach_scheme *scheme;
    pleach_tree *tree;
    uint64_t count;
    uint8_t root[D];
    pleach_proof proof[MANY];
    uint8_t leaf[MANY][D];
    uint8_t path[MANY][PATH + D];
    pleach_status expected[MANY];
};

static struct batch *open_batch(const pleach_scheme *scheme, size_t count)
{
    struct batch *batch = calloc(1, sizeof *batch);
    assert_non_null(batch);
    batch->scheme = scheme;
    batch->count = count;
    batch->tree = plant_tree(scheme, data, leaf_size_of(scheme, LEAF), count);
    assert_int_equal(pleach_tree_root(batch->tree, batch->root), PLEACH_OK);
    return batch;
}

static void close_batch(struct batch *batch)
{
    pleach_tree_destroy(batch->tree);
    free(batch);
}

/* Good proofs, their leaves in the order of `step` times their place. */
static void fill(struct batch *batch, size_t n, uint64_t step)
{
    for (size_t i = 0; i < n; i++) {
        pleach_proof *proof = &batch->proof[i];
        *proof = (pleach_proof){i * step % batch->count, batch->leaf[i], batch->path[i], 0};
        memcpy(batch->leaf[i], pleach_tree_nodes(batch->tree, 0, (size_t)proof->index, NULL), D);
        assert_int_equal(pleach_tree_prove(batch->tree, proof->index, batch->path[i], PLEACH_PATH_MAX, &proof->nodes),
                         PLEACH_OK);
    }
}

/* Makes a proof bad in one of many ways; some leave it good. */
static void spoil(struct batch *batch, size_t i, uint64_t *seed)
{
    pleach_proof *proof = &batch->proof[i];
    const size_t node = proof->nodes > 0 ? (size_t)random_below(seed, proof->nodes) : 0;
    switch (random_below(seed, 8)) {
    case 0:
        batch->leaf[i][random_below(seed, D)] ^= 4;
        break;
    case 1:
        batch->path[i][D * node + random_below(seed, D)] ^= 4;
        break;
    case 2:
        proof->nodes += 1;
        break;
    case 3:
        proof->nodes -= proof->nodes > 0;
        break;
    case 4:
        proof->index = batch->count + random_below(seed, 3);
        break;
    case 5:
        proof->index ^= 1;
        break;
    case 6: /* the node itself for its sibling */
        memcpy(batch->path[i], batch->leaf[i], D);
        break;
    default:
        proof->index = UINT64_MAX;
        break;
    }
}

/* What each proof is by itself; returns that of the first bad one. */
static pleach_status verify_singly(struct batch *batch, size_t n)
{
    pleach_status first = PLEACH_OK;
    for (size_t i = 0; i < n; i++) {
        const pleach_proof *proof = &batch->proof[i];
        batch->expected[i] = pleach_merkle_verify(batch->scheme, proof->index, batch->count, proof->leaf_hash,
                                                  proof->path, proof->nodes, batch->root);
        if (first == PLEACH_OK)
            first = batch->expected[i];
    }
    return first;
}

static void check_batch(struct batch *batch, pleach_pool *pool, size_t n, pleach_status first)
{
    static pleach_status statuses[MANY + 1];
    for (size_t i = 0; i <= n; i++)
        statuses[i] = PLEACH_ETASK;
    assert_int_equal(
        pleach_merkle_verify_many(pool, batch->scheme, batch->count, batch->root, batch->proof, n, statuses), first);
    assert_memory_equal(statuses, batch->expected, n * sizeof statuses[0]);
    assert_int_equal(statuses[n], PLEACH_ETASK);
}

static void check_everywhere(struct batch *batch, size_t n)
{
    const pleach_status first = verify_singly(batch, n);
    for (size_t t = 0; t < trial_count; t++)
        check_batch(batch, trials[t].pool, n, first);
}

/* Numbers of proofs around those of the lanes; good ones, then ever more bad ones among them. */
static void few(void **state)
{
    uint64_t seed = 5;
    (void)state;
    for (size_t s = 0; s < scheme_count(); s++) {
        if (every_scheme[s]->depth > 20)
            continue;
        struct batch *batch = open_batch(every_scheme[s], every_scheme[s]->lone == PLEACH_LONE_REFUSED ? 64 : 41);
        for (size_t n = 0; n <= FEW; n++) {
            fill(batch, n, 1 + n % 29);
            check_everywhere(batch, n);
            for (size_t i = 0; i < n; i++)
                if (random_below(&seed, 4) == 0)
                    spoil(batch, i, &seed);
            check_everywhere(batch, n);
        }
        close_batch(batch);
    }
}

/* Enough for workers to help: in order, in none, and each leaf many times. */
static void many(void **state)
{
    static const uint64_t steps[] = {1, 389, 0};
    uint64_t seed = 6;
    (void)state;
    for (size_t s = 0; s < scheme_count(); s++) {
        if (every_scheme[s]->depth > 20)
            continue;
        struct batch *batch =
            open_batch(every_scheme[s], every_scheme[s]->lone == PLEACH_LONE_REFUSED ? 512 : LEAVES - 1);
        for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
            fill(batch, MANY, steps[i]);
            check_everywhere(batch, MANY);
            for (size_t p = 0; p < MANY; p += 1 + (size_t)random_below(&seed, 5))
                spoil(batch, p, &seed);
            check_everywhere(batch, MANY);
        }
        close_batch(batch);
    }
}

/* Bad proofs of the same leaf around a good one, and of its neighbour: none is taken for another. */
static void alike(void **state)
{
    (void)state;
    struct batch *batch = open_batch(PLEACH_SCHEME_RFC6962, 64);
    for (size_t level = 0; level < 6; level++) {
        fill(batch, 12, 0);
        for (size_t i = 0; i < 12; i++) {
            if (i % 3 == 1)
                batch->path[i][D * level + i] ^= 1;
            if (i % 3 == 2)
                batch->leaf[i][i] ^= 1;
        }
        check_everywhere(batch, 12);
        for (size_t i = 0; i < 12; i++)
            assert_int_equal(batch->expected[i], i % 3 == 0 ? PLEACH_OK : PLEACH_EPROOFROOT);
    }
    close_batch(batch);
}

static size_t hashed; /* by a backend that counts */

static void count_and_hash(const pleach__hash_plan *plan, const uint8_t *in, size_t stride, size_t n, uint8_t *out)
{
    hashed += n;
    for (size_t i = 0; i < n; i++)
        pleach__blake2s.reference(&plan->form, in + stride * i, out + D * i);
}

/* Of all leaves in their order every node is hashed once; of every other one, and of a leaf again and again, too. */
static void shared_steps(void **state)
{
    enum { COUNT = 128 };
    const pleach__backend counting = {.name = "counting", .hash_many = count_and_hash};
    static const struct {
        size_t n;
        uint64_t step;
        size_t nodes;
    } trials_of[] = {{COUNT, 1, COUNT - 1}, {COUNT / 2, 2, COUNT - 1}, {PLEACH__CLIMB_MOST, 0, 7}, {1, 1, 7}};
    pleach__hashing hashing;
    (void)state;
    struct batch *batch = open_batch(PLEACH_SCHEME_BLAKE2S, COUNT);
    assert_int_equal(pleach__scheme_nodes(batch->scheme, &hashing), PLEACH_OK);
    const pleach__climb climb = {.hashing = &hashing, .levels = 8, .count = COUNT, .root = batch->root};
    for (size_t t = 0; t < sizeof trials_of / sizeof trials_of[0]; t++) {
        pleach_status statuses[PLEACH__CLIMB_MOST];
        fill(batch, trials_of[t].n, trials_of[t].step);
        hashed = 0;
        pleach__climb_all(&climb, &counting, batch->proof, NULL, trials_of[t].n, statuses);
        assert_int_equal(hashed, trials_of[t].nodes);
        for (size_t i = 0; i < trials_of[t].n; i++)
            assert_int_equal(statuses[i], PLEACH_OK);
    }
    close_batch(batch);
}

/* A pair of equal nodes, met from both sides and from far. */
static void mutated(void **state)
{
    uint8_t leaves[8 * D];
    (void)state;
    memcpy(leaves, data, 6 * D);
    memcpy(leaves + 6 * D, data + 4 * D, 2 * D);
    struct batch *batch = open_batch(PLEACH_SCHEME_BITCOIN, 8);
    assert_int_equal(pleach_tree_build(batch->tree, &(pleach_leaves){leaves, D, D, 8, 0, NULL}, NULL), PLEACH_OK);
    assert_int_equal(pleach_tree_root(batch->tree, batch->root), PLEACH_OK);
    fill(batch, 8, 1);
    check_everywhere(batch, 8);
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(batch->expected[i], i < 4 ? PLEACH_OK : PLEACH_EPROOFMUTATED);
    close_batch(batch);
}

static void refused(void **state)
{
    pleach_status statuses[3] = {PLEACH_ETASK, PLEACH_ETASK, PLEACH_ETASK};
    (void)state;
    struct batch *batch = open_batch(PLEACH_SCHEME_BLAKE2S, 4);
    fill(batch, 3, 1);
    const pleach_proof *proofs = batch->proof;
    const pleach_scheme *scheme = batch->scheme;
    assert_int_equal(pleach_merkle_verify_many(NULL, NULL, 4, batch->root, proofs, 3, statuses), PLEACH_EINVAL);
    assert_int_equal(pleach_merkle_verify_many(NULL, scheme, 3, batch->root, proofs, 3, statuses), PLEACH_EINVAL);
    assert_int_equal(pleach_merkle_verify_many(NULL, scheme, 4, NULL, proofs, 3, statuses), PLEACH_EINVAL);
    assert_int_equal(pleach_merkle_verify_many(NULL, scheme, 4, batch->root, NULL, 3, statuses), PLEACH_EINVAL);
    assert_int_equal(pleach_merkle_verify_many(NULL, scheme, 4, batch->root, proofs, 3, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_merkle_verify_many(NULL, scheme, 4, batch->root, NULL, 0, NULL), PLEACH_OK);
    assert_int_equal(pleach_merkle_verify_many(NULL, scheme, 3, batch->root, NULL, 0, NULL), PLEACH_EINVAL);
    pleach_scheme shallow = *PLEACH_SCHEME_SSZ;
    shallow.depth = 1;
    assert_int_equal(pleach_merkle_verify_many(NULL, &shallow, 4, batch->root, proofs, 3, statuses), PLEACH_ERANGE);
    batch->proof[2].leaf_hash = NULL;
    assert_int_equal(pleach_merkle_verify_many(NULL, scheme, 4, batch->root, proofs, 3, statuses), PLEACH_EINVAL);
    assert_non_null(strstr(pleach_last_error(), "proofs[2]: leaf_hash"));
    batch->proof[2].leaf_hash = batch->leaf[2];
    batch->proof[1].path = NULL;
    assert_int_equal(pleach_merkle_verify_many(NULL, scheme, 4, batch->root, proofs, 3, statuses), PLEACH_EINVAL);
    assert_non_null(strstr(pleach_last_error(), "proofs[1]: path"));
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(statuses[i], PLEACH_ETASK);
    batch->proof[1].nodes = 0;
    assert_int_equal(pleach_merkle_verify_many(NULL, scheme, 4, batch->root, proofs, 3, statuses), PLEACH_EPROOFLENGTH);
    assert_non_null(strstr(pleach_last_error(), "proofs[1], index = 1"));
    assert_int_equal(statuses[0], PLEACH_OK);
    assert_int_equal(statuses[2], PLEACH_OK);
    close_batch(batch);
}

/* Of no leaves there are no proofs. */
static void nothing(void **state)
{
    pleach_status statuses[2] = {PLEACH_ETASK, PLEACH_ETASK};
    const pleach_proof proofs[2] = {{0, data, NULL, 0}, {7, data, data, 1}};
    (void)state;
    assert_int_equal(pleach_merkle_verify_many(NULL, PLEACH_SCHEME_RFC6962, 0, data, proofs, 2, statuses),
                     PLEACH_EPROOFINDEX);
    assert_int_equal(statuses[0], PLEACH_EPROOFINDEX);
    assert_int_equal(statuses[1], PLEACH_EPROOFINDEX);
}

/* A forked child has not the workers that a large batch needs: it is told, and nothing is written. */
static void forked(void **state)
{
    static pleach_status statuses[MANY];
    int status = 0;
    (void)state;
    pleach_pool *pool = open_pool(2, "");
    struct batch *batch = open_batch(PLEACH_SCHEME_RFC6962, LEAVES);
    fill(batch, MANY, 1);
    statuses[0] = PLEACH_ETASK;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const bool refused = pleach_merkle_verify_many(pool, batch->scheme, LEAVES, batch->root, batch->proof, MANY,
                                                       statuses) == PLEACH_EFORKED;
        _exit(refused && statuses[0] == PLEACH_ETASK ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close_batch(batch);
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

static int fill_data(void **state)
{
    fill_stream(data, sizeof data);
    return open_trials(state);
}

int test_batches(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few),     cmocka_unit_test(many),    cmocka_unit_test(alike),   cmocka_unit_test(shared_steps),
        cmocka_unit_test(mutated), cmocka_unit_test(refused), cmocka_unit_test(nothing), cmocka_unit_test(forked)};
    return cmocka_run_group_tests_name("batches", tests, fill_data, close_trials);
}
