/* The deposit contract's tree: known answers, every proof of small trees, finalization and snapshots. */
#define _GNU_SOURCE
#include "ssz_test.h"

#include "../scarce.h"
#include "merkle/deposit.h"

#include <stdlib.h>
#include <string.h>

enum { D = PLEACH_DIGEST_SIZE, DEPTH = PLEACH_DEPOSIT_DEPTH, NODES = PLEACH_DEPOSIT_PROOF_NODES, LEAVES = 5000 };

static uint8_t data[LEAVES * D];
static const uint8_t block_hash[D] = {0xb1, 0x0c};

static pleach_deposit_tree *open_deposits(const uint8_t *leaves, size_t count)
{
    pleach_deposit_tree *tree = NULL;
    assert_int_equal(pleach_deposit_create(&tree, trials[count % trial_count].pool), PLEACH_OK);
    assert_int_equal(pleach_deposit_append(tree, leaves, count), PLEACH_OK);
    assert_int_equal(pleach_deposit_size(tree), count);
    assert_int_equal(pleach_deposit_finalized(tree), 0);
    return tree;
}

/* --- the definition --- */

static void deposit_root(const uint8_t *leaves, size_t count, uint8_t *root)
{
    uint8_t length[D];
    node_of_level(leaves, count, DEPTH, 0, root);
    chunk_of(count, length);
    naive_node(PLEACH_SCHEME_SSZ, root, length, root);
}

static void assert_root(const pleach_deposit_tree *tree, const uint8_t *leaves, size_t count)
{
    uint8_t root[D], expected[D];
    deposit_root(leaves, count, expected);
    assert_int_equal(pleach_deposit_root(tree, count, root), PLEACH_OK);
    assert_memory_equal(root, expected, D);
}

/* --- sha256-merkle.txt --- */

static pleach_deposit_tree *published;

static void check_root(char **token, size_t count)
{
    uint8_t root[D];
    const uint64_t size = strtoull(token[1], NULL, 10);
    assert_int_equal(count, 3);
    assert_int_equal(pleach_deposit_size(published), size);
    assert_int_equal(pleach_deposit_root(published, size, root), PLEACH_OK);
    assert_hex(root, token[2]);
}

static void check_leaf(char **token, size_t count)
{
    uint8_t leaf[D];
    assert_int_equal(count, 3);
    assert_int_equal(pleach_deposit_size(published), strtoull(token[1], NULL, 10));
    assert_int_equal(from_hex(token[2], leaf, D), D);
    assert_int_equal(pleach_deposit_append(published, leaf, 1), PLEACH_OK);
}

static void check_snapshot(char **token, size_t count)
{
    uint8_t root[D];
    const uint64_t size = strtoull(token[1], NULL, 10);
    pleach_deposit_snapshot snapshot;
    assert_int_equal(count, 3);
    assert_int_equal(strncmp(token[2], "finalized=", 10), 0);
    assert_int_equal(pleach_deposit_root(published, size, root), PLEACH_OK);
    assert_int_equal(pleach_deposit_finalize(published, size, block_hash, 7), PLEACH_OK);
    assert_int_equal(pleach_deposit_take_snapshot(published, &snapshot), PLEACH_OK);
    assert_int_equal(snapshot.deposit_count, size);
    assert_int_equal(snapshot.finalized_count, (size_t)__builtin_popcountll(size));
    assert_int_equal(strlen(token[2]), 10 + snapshot.finalized_count * (2 * D + 1) - 1);
    for (size_t i = 0; i < snapshot.finalized_count; i++)
        assert_hex(snapshot.finalized[i], token[2] + 10 + i * (2 * D + 1));
    assert_memory_equal(snapshot.deposit_root, root, D);
    assert_memory_equal(snapshot.execution_block_hash, block_hash, D);
    assert_int_equal(snapshot.execution_block_height, 7);
}

static void known_answers(void **state)
{
    static const struct line_kind kinds[] = {
        {"deposit.root", check_root, 10}, {"deposit.leaf", check_leaf, 9}, {"deposit.snapshot", check_snapshot, 1}};
    (void)state;
    published = open_deposits(NULL, 0);
    check_lines("sha256-merkle.txt", kinds, 3);
    pleach_deposit_destroy(published);
}

/* --- roots and proofs --- */

/* Everything that is not this proof is refused. */
static void assert_alone(uint64_t index, const uint8_t *leaf, const uint8_t *proof, const uint8_t *root)
{
    uint8_t bad[(NODES + 1) * D], other[D];
    memcpy(bad, proof, NODES * (size_t)D);
    memcpy(bad + NODES * (size_t)D, root, D);
    for (size_t i = 0; i < NODES * (size_t)D; i++) {
        bad[i] ^= (uint8_t)(1U << i % 8);
        assert_int_equal(pleach_deposit_verify(index, leaf, bad, NODES, root), PLEACH_EPROOFROOT);
        bad[i] = proof[i];
    }
    for (size_t i = 0; i < D; i++) {
        memcpy(other, leaf, D);
        other[i] ^= 0x40;
        assert_int_equal(pleach_deposit_verify(index, other, proof, NODES, root), PLEACH_EPROOFROOT);
        memcpy(other, root, D);
        other[i] ^= 0x40;
        assert_int_equal(pleach_deposit_verify(index, leaf, proof, NODES, other), PLEACH_EPROOFROOT);
    }
    for (size_t i = 1; i < NODES; i++) {
        memcpy(bad, proof, NODES * (size_t)D);
        memcpy(bad + D * i, proof + D * (i - 1), D);
        memcpy(bad + D * (i - 1), proof + D * i, D);
        assert_int_equal(pleach_deposit_verify(index, leaf, bad, NODES, root), PLEACH_EPROOFROOT);
    }
    for (unsigned bit = 0; bit < DEPTH; bit++) {
        const uint64_t wrong = index ^ (uint64_t)1 << bit;
        assert_int_equal(pleach_deposit_verify(wrong, leaf, proof, NODES, root),
                         wrong < PLEACH_DEPOSIT_MAX ? PLEACH_EPROOFROOT : PLEACH_EPROOFINDEX);
    }
    assert_int_equal(pleach_deposit_verify(index | (uint64_t)1 << 32, leaf, proof, NODES, root), PLEACH_EPROOFINDEX);
    assert_int_equal(pleach_deposit_verify(UINT64_MAX, leaf, proof, NODES, root), PLEACH_EPROOFINDEX);
    assert_int_equal(pleach_deposit_verify(index, leaf, proof, NODES - 1, root), PLEACH_EPROOFLENGTH);
    memcpy(bad, proof, NODES * (size_t)D);
    assert_int_equal(pleach_deposit_verify(index, leaf, bad, NODES + 1, root), PLEACH_EPROOFLENGTH);
}

static void check_proof(const pleach_deposit_tree *tree, size_t index, size_t count, bool thoroughly)
{
    uint8_t leaf[D], proof[NODES * D], expected[D], root[D];
    assert_int_equal(pleach_deposit_prove(tree, index, count, leaf, proof), PLEACH_OK);
    assert_memory_equal(leaf, data + D * index, D);
    for (unsigned l = 0; l < DEPTH; l++) {
        node_of_level(data, count, l, index >> l ^ 1, expected);
        assert_memory_equal(proof + D * l, expected, D);
    }
    chunk_of(count, expected);
    assert_memory_equal(proof + DEPTH * (size_t)D, expected, D);
    deposit_root(data, count, root);
    assert_int_equal(pleach_deposit_verify(index, leaf, proof, NODES, root), PLEACH_OK);
    if (thoroughly)
        assert_alone(index, leaf, proof, root);
}

/* For each number of deposits and of those finalized: every proof against every deposit root that is known. */
static void every_proof(void **state)
{
    const size_t most = quick() ? 9 : 18;
    (void)state;
    for (size_t size = 0; size <= most; size++) {
        for (size_t finalized = 0; finalized <= size; finalized++) {
            uint8_t root[D], proof[NODES * D];
            pleach_deposit_tree *tree = open_deposits(data, size);
            assert_int_equal(pleach_deposit_finalize(tree, finalized, block_hash, 0), PLEACH_OK);
            assert_int_equal(pleach_deposit_finalized(tree), finalized);
            for (size_t count = 0; count <= size + 1; count++) {
                const bool known = count >= finalized && count <= size;
                if (known)
                    assert_root(tree, data, count);
                else
                    assert_int_equal(pleach_deposit_root(tree, count, root), PLEACH_ERANGE);
                for (size_t index = 0; index <= count; index++) {
                    if (known && index >= finalized && index < count)
                        check_proof(tree, index, count, size == 11 && count >= 9);
                    else
                        assert_int_equal(pleach_deposit_prove(tree, index, count, NULL, proof),
                                         known ? PLEACH_EPROOFINDEX : PLEACH_ERANGE);
                }
            }
            pleach_deposit_destroy(tree);
        }
    }
}

static void random_growth(void **state)
{
    uint64_t random = 5;
    (void)state;
    for (size_t trial = 0; trial < 12; trial++) {
        pleach_deposit_tree *tree = open_deposits(NULL, 0);
        size_t size = 0, finalized = 0;
        while (size < LEAVES) {
            const size_t batch = (size_t)random_below(&random, (size_t)1 << random_below(&random, 12));
            const size_t count = batch < LEAVES - size ? batch : LEAVES - size;
            assert_int_equal(pleach_deposit_append(tree, data + D * size, count), PLEACH_OK);
            size += count;
            if (random_below(&random, 4) == 0) {
                finalized += (size_t)random_below(&random, size - finalized + 1);
                assert_int_equal(pleach_deposit_finalize(tree, finalized, block_hash, size), PLEACH_OK);
            }
        }
        assert_int_equal(pleach_deposit_size(tree), LEAVES);
        assert_root(tree, data, LEAVES);
        for (unsigned i = 0; i < 4 && finalized < LEAVES; i++) {
            const size_t count = finalized + 1 + (size_t)random_below(&random, LEAVES - finalized);
            check_proof(tree, finalized + (size_t)random_below(&random, count - finalized), count, false);
        }
        pleach_deposit_destroy(tree);
    }
}

/* A deposit whose hash is zero is one; a place that is free is none, though its hash is zero too. */
static void zeros_are_values(void **state)
{
    uint8_t leaves[5 * D], proof[NODES * D], leaf[D], root[D], four[D];
    (void)state;
    memcpy(leaves, data, sizeof leaves);
    memset(leaves + 4 * (size_t)D, 0, D);
    pleach_deposit_tree *tree = open_deposits(leaves, 5);
    assert_root(tree, leaves, 5);
    assert_int_equal(pleach_deposit_root(tree, 4, four), PLEACH_OK);
    assert_int_equal(pleach_deposit_root(tree, 5, root), PLEACH_OK);
    assert_memory_not_equal(root, four, D);
    assert_int_equal(pleach_deposit_prove(tree, 4, 5, leaf, proof), PLEACH_OK);
    assert_memory_equal(leaf, zero_root[0], D);
    assert_int_equal(pleach_deposit_verify(4, zero_root[0], proof, NODES, root), PLEACH_OK);
    /* The free place 4 below the root of four. */
    chunk_of(4, proof + DEPTH * (size_t)D);
    assert_int_equal(pleach_deposit_verify(4, zero_root[0], proof, NODES, four), PLEACH_EPROOFINDEX);
    /* Finalized, and still there. */
    assert_int_equal(pleach_deposit_finalize(tree, 5, block_hash, 0), PLEACH_OK);
    assert_root(tree, leaves, 5);
    pleach_deposit_snapshot snapshot;
    assert_int_equal(pleach_deposit_take_snapshot(tree, &snapshot), PLEACH_OK);
    assert_int_equal(snapshot.finalized_count, 2);
    assert_memory_equal(snapshot.finalized[1], zero_root[0], D);
    pleach_deposit_destroy(tree);
}

/* --- snapshots --- */

static pleach_deposit_snapshot snapshot_at(size_t size, size_t finalized)
{
    pleach_deposit_snapshot snapshot;
    pleach_deposit_tree *tree = open_deposits(data, size);
    assert_int_equal(pleach_deposit_finalize(tree, finalized, block_hash, 1000 + finalized), PLEACH_OK);
    assert_int_equal(pleach_deposit_take_snapshot(tree, &snapshot), PLEACH_OK);
    pleach_deposit_destroy(tree);
    return snapshot;
}

/* A tree from a snapshot goes on as the one it was taken from. */
static void restored_trees(void **state)
{
    enum { SIZE = 40 };
    (void)state;
    for (size_t finalized = 0; finalized <= SIZE; finalized++) {
        const pleach_deposit_snapshot snapshot = snapshot_at(SIZE, finalized);
        pleach_deposit_tree *tree = NULL;
        pleach_deposit_snapshot again;
        uint8_t root[D];
        deposit_root(data, finalized, root);
        assert_memory_equal(snapshot.deposit_root, root, D);
        assert_int_equal(snapshot.execution_block_height, 1000 + finalized);
        assert_int_equal(pleach_deposit_from_snapshot(&tree, trials[finalized % trial_count].pool, &snapshot),
                         PLEACH_OK);
        assert_int_equal(pleach_deposit_size(tree), finalized);
        assert_int_equal(pleach_deposit_finalized(tree), finalized);
        assert_root(tree, data, finalized);
        assert_int_equal(pleach_deposit_take_snapshot(tree, &again), PLEACH_OK);
        assert_memory_equal(again.finalized, snapshot.finalized, D * snapshot.finalized_count);
        for (size_t size = finalized; size < SIZE; size++) {
            assert_int_equal(pleach_deposit_append(tree, data + D * size, 1), PLEACH_OK);
            assert_root(tree, data, size + 1);
        }
        for (size_t index = finalized; index < SIZE; index++)
            check_proof(tree, index, SIZE, false);
        pleach_deposit_destroy(tree);
    }
}

static void assert_restore(const pleach_deposit_snapshot *snapshot, pleach_status status)
{
    pleach_deposit_tree *tree = NULL;
    assert_int_equal(pleach_deposit_from_snapshot(&tree, NULL, snapshot), status);
    assert_int_equal(tree != NULL, status == PLEACH_OK);
    pleach_deposit_destroy(tree);
}

static void refused_snapshots(void **state)
{
    const pleach_deposit_snapshot good = snapshot_at(40, 11);
    pleach_deposit_snapshot bad = good;
    (void)state;
    assert_restore(&bad, PLEACH_OK);
    bad.finalized_count--;
    assert_restore(&bad, PLEACH_EFORMAT);
    bad.finalized_count = SIZE_MAX;
    assert_restore(&bad, PLEACH_EFORMAT);
    bad = good;
    bad.deposit_count = 13; /* as many roots, of other subtrees */
    assert_restore(&bad, PLEACH_EPROOFROOT);
    bad.deposit_count = (uint64_t)11 << 32;
    assert_restore(&bad, PLEACH_EFORMAT);
    bad = good;
    memcpy(bad.finalized[0], good.finalized[1], D);
    memcpy(bad.finalized[1], good.finalized[0], D);
    assert_restore(&bad, PLEACH_EPROOFROOT);
    for (size_t i = 0; i < D; i++) {
        for (size_t f = 0; f < 3; f++) {
            bad = good;
            bad.finalized[f][i] ^= 4;
            assert_restore(&bad, PLEACH_EPROOFROOT);
        }
        bad = good;
        bad.deposit_root[i] ^= 4;
        assert_restore(&bad, PLEACH_EPROOFROOT);
    }
    assert_restore(NULL, PLEACH_EINVAL);
    assert_int_equal(pleach_deposit_from_snapshot(NULL, NULL, &good), PLEACH_EINVAL);
}

/* What a snapshot's finalized roots lead to: EIP-4881's calculate_root. */
static void lead(pleach_deposit_snapshot *snapshot)
{
    uint8_t root[D] = {0}, length[D];
    size_t next = snapshot->finalized_count;
    for (unsigned l = 0; l < DEPTH; l++) {
        if ((snapshot->deposit_count >> l & 1) != 0)
            naive_node(PLEACH_SCHEME_SSZ, snapshot->finalized[--next], root, root);
        else
            naive_node(PLEACH_SCHEME_SSZ, root, zero_root[l], root);
    }
    chunk_of(snapshot->deposit_count, length);
    naive_node(PLEACH_SCHEME_SSZ, root, length, snapshot->deposit_root);
}

/* The contract takes 2^32 - 1 deposits. */
static void full_tree(void **state)
{
    pleach_deposit_snapshot snapshot = {.deposit_count = UINT32_MAX - 2};
    pleach_deposit_tree *tree = NULL;
    uint8_t root[D], proof[NODES * D], leaf[D];
    (void)state;
    snapshot.finalized_count = (size_t)__builtin_popcountll(snapshot.deposit_count);
    memcpy(snapshot.finalized, data, D * snapshot.finalized_count);
    lead(&snapshot);
    assert_int_equal(pleach_deposit_from_snapshot(&tree, NULL, &snapshot), PLEACH_OK);
    assert_int_equal(pleach_deposit_append(tree, data, 3), PLEACH_ERANGE);
    assert_int_equal(pleach_deposit_append(tree, data, SIZE_MAX), PLEACH_ERANGE);
    assert_int_equal(pleach_deposit_append(tree, data, 2), PLEACH_OK);
    assert_int_equal(pleach_deposit_append(tree, data, 1), PLEACH_ERANGE);
    assert_int_equal(pleach_deposit_append(tree, NULL, 0), PLEACH_OK);
    assert_int_equal(pleach_deposit_size(tree), PLEACH_DEPOSIT_MAX);
    for (uint64_t index = UINT32_MAX - 2; index < UINT32_MAX; index++) {
        assert_int_equal(pleach_deposit_root(tree, UINT32_MAX, root), PLEACH_OK);
        assert_int_equal(pleach_deposit_prove(tree, index, UINT32_MAX, leaf, proof), PLEACH_OK);
        assert_memory_equal(leaf, data + D * (index - (UINT32_MAX - 2)), D);
        assert_int_equal(pleach_deposit_verify(index, leaf, proof, NODES, root), PLEACH_OK);
        assert_alone(index, leaf, proof, root);
    }
    assert_int_equal(pleach_deposit_finalize(tree, UINT32_MAX, block_hash, 1), PLEACH_OK);
    assert_int_equal(pleach_deposit_take_snapshot(tree, &snapshot), PLEACH_OK);
    assert_int_equal(snapshot.finalized_count, DEPTH);
    assert_memory_equal(snapshot.deposit_root, root, D);
    lead(&snapshot);
    assert_memory_equal(snapshot.deposit_root, root, D);
    pleach_deposit_destroy(tree);
    snapshot.deposit_count++;
    snapshot.finalized_count = 1;
    assert_restore(&snapshot, PLEACH_EFORMAT);
}

/* --- encoding --- */

static size_t encode(const pleach_deposit_snapshot *snapshot, uint8_t *bytes)
{
    size_t size = 0;
    assert_int_equal(pleach_deposit_snapshot_serialise(snapshot, bytes, PLEACH_DEPOSIT_SNAPSHOT_MAX, &size), PLEACH_OK);
    return size;
}

static void encoding(void **state)
{
    (void)state;
    for (size_t finalized = 0; finalized <= 33; finalized++) {
        const pleach_deposit_snapshot snapshot = snapshot_at(40, finalized);
        pleach_deposit_snapshot parsed;
        uint8_t bytes[PLEACH_DEPOSIT_SNAPSHOT_MAX], again[PLEACH_DEPOSIT_SNAPSHOT_MAX], fixed[84] = {84};
        const size_t size = encode(&snapshot, bytes);
        assert_int_equal(size, 84 + D * snapshot.finalized_count);
        memcpy(fixed + 4, snapshot.deposit_root, D);
        fixed[36] = (uint8_t)finalized;
        memcpy(fixed + 44, block_hash, D);
        fixed[76] = (uint8_t)(1000 + finalized);
        fixed[77] = (uint8_t)((1000 + finalized) >> 8);
        assert_memory_equal(bytes, fixed, sizeof fixed);
        assert_memory_equal(bytes + 84, snapshot.finalized, D * snapshot.finalized_count);
        assert_int_equal(pleach_deposit_snapshot_parse(bytes, size, &parsed), PLEACH_OK);
        assert_restore(&parsed, PLEACH_OK);
        assert_int_equal(encode(&parsed, again), size);
        assert_memory_equal(again, bytes, size);
    }
}

static void altered_encodings(void **state)
{
    const pleach_deposit_snapshot good = snapshot_at(40, 22);
    uint8_t bytes[PLEACH_DEPOSIT_SNAPSHOT_MAX + 1] = {0}, again[PLEACH_DEPOSIT_SNAPSHOT_MAX];
    const size_t size = encode(&good, bytes);
    pleach_deposit_snapshot parsed = good;
    (void)state;
    for (size_t cut = 0; cut < size; cut++) {
        uint8_t *copy = guarded(cut);
        if (cut > 0)
            memcpy(copy, bytes, cut);
        assert_int_equal(pleach_deposit_snapshot_parse(copy, cut, &parsed), PLEACH_ETRUNCATED);
        guarded_free(copy, cut);
    }
    for (size_t extra = 1; extra <= D + 1; extra++)
        assert_int_equal(pleach_deposit_snapshot_parse(bytes, size + extra, &parsed), PLEACH_ETRAILING);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        const size_t at = bit / 8;
        bytes[at] ^= (uint8_t)(1U << bit % 8);
        const pleach_status status = pleach_deposit_snapshot_parse(bytes, size, &parsed);
        if (at < 4)
            assert_int_equal(status, PLEACH_EFORMAT);
        else if (at >= 36 && at < 44)
            assert_true(status == PLEACH_EFORMAT || status == PLEACH_ETRUNCATED || status == PLEACH_ETRAILING);
        else
            assert_int_equal(status, PLEACH_OK);
        if (status == PLEACH_OK) {
            assert_restore(&parsed, at >= 44 && at < 84 ? PLEACH_OK : PLEACH_EPROOFROOT);
            assert_int_equal(encode(&parsed, again), size);
            assert_memory_equal(again, bytes, size);
        }
        bytes[at] ^= (uint8_t)(1U << bit % 8);
        parsed = good;
    }
}

/* --- arguments --- */

static void arguments(void **state)
{
    pleach_deposit_tree *tree = open_deposits(data, 9);
    pleach_deposit_snapshot snapshot = {.deposit_count = 77}, good = snapshot_at(9, 3);
    uint8_t out[NODES * D], before[NODES * D], bytes[PLEACH_DEPOSIT_SNAPSHOT_MAX];
    size_t size = 77;
    (void)state;
    memset(out, 0xab, sizeof out);
    memset(before, 0xab, sizeof before);
    assert_int_equal(pleach_deposit_create(NULL, NULL), PLEACH_EINVAL);
    pleach_deposit_destroy(NULL);
    assert_int_equal(pleach_deposit_size(NULL), 0);
    assert_int_equal(pleach_deposit_finalized(NULL), 0);
    assert_int_equal(pleach_deposit_append(NULL, data, 1), PLEACH_EINVAL);
    assert_int_equal(pleach_deposit_append(tree, NULL, 1), PLEACH_EINVAL);
    assert_int_equal(pleach_deposit_root(NULL, 0, out), PLEACH_EINVAL);
    assert_int_equal(pleach_deposit_root(tree, 9, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_deposit_root(tree, 10, out), PLEACH_ERANGE);
    assert_non_null(strstr(pleach_last_error(), "0 to 9"));
    assert_int_equal(pleach_deposit_prove(NULL, 0, 9, NULL, out), PLEACH_EINVAL);
    assert_int_equal(pleach_deposit_prove(tree, 0, 9, NULL, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_deposit_verify(0, NULL, out, NODES, out), PLEACH_EINVAL);
    assert_int_equal(pleach_deposit_verify(0, out, NULL, NODES, out), PLEACH_EINVAL);
    assert_int_equal(pleach_deposit_verify(0, out, out, NODES, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_deposit_take_snapshot(NULL, &snapshot), PLEACH_EINVAL);
    assert_int_equal(pleach_deposit_take_snapshot(tree, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_deposit_take_snapshot(tree, &snapshot), PLEACH_EINVAL);
    assert_non_null(strstr(pleach_last_error(), "nothing was finalized"));
    assert_int_equal(pleach_deposit_finalize(NULL, 1, block_hash, 1), PLEACH_EINVAL);
    assert_int_equal(pleach_deposit_finalize(tree, 1, NULL, 1), PLEACH_EINVAL);
    assert_int_equal(pleach_deposit_finalize(tree, 10, block_hash, 1), PLEACH_ERANGE);
    assert_int_equal(pleach_deposit_finalized(tree), 0);
    assert_int_equal(pleach_deposit_finalize(tree, 5, block_hash, 1), PLEACH_OK);
    assert_int_equal(pleach_deposit_finalize(tree, 4, block_hash, 1), PLEACH_ERANGE);
    assert_int_equal(pleach_deposit_finalize(tree, 5, data, 2), PLEACH_OK);
    assert_int_equal(pleach_deposit_finalized(tree), 5);
    assert_int_equal(pleach_deposit_snapshot_serialise(NULL, bytes, sizeof bytes, &size), PLEACH_EINVAL);
    assert_int_equal(pleach_deposit_snapshot_serialise(&good, NULL, 1, &size), PLEACH_EINVAL);
    assert_int_equal(pleach_deposit_snapshot_serialise(&good, bytes, sizeof bytes, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_deposit_snapshot_serialise(&good, bytes, 147, &size), PLEACH_ERANGE);
    assert_non_null(strstr(pleach_last_error(), "148 bytes"));
    assert_int_equal(pleach_deposit_snapshot_serialise(&snapshot, bytes, sizeof bytes, &size), PLEACH_EFORMAT);
    assert_int_equal(size, 77);
    assert_int_equal(pleach_deposit_snapshot_parse(NULL, 0, &snapshot), PLEACH_EINVAL);
    assert_int_equal(pleach_deposit_snapshot_parse(bytes, 84, NULL), PLEACH_EINVAL);
    assert_int_equal(snapshot.deposit_count, 77);
    assert_memory_equal(out, before, sizeof out);
    pleach_deposit_destroy(tree);
}

/* --- memory that runs out --- */

struct scarce {
    pleach_pool *pool;
    pleach_deposit_tree *tree;
    pleach_deposit_snapshot snapshot;
};

static pleach_status try_create(void *context)
{
    const struct scarce *scarce = context;
    pleach_deposit_tree *tree = NULL;
    pleach_status status = pleach_deposit_create(&tree, scarce->pool);
    assert_int_equal(tree != NULL, status == PLEACH_OK);
    pleach_deposit_destroy(tree);
    return status;
}

static pleach_status try_append(void *context)
{
    const struct scarce *scarce = context;
    return pleach_deposit_append(scarce->tree, data + (size_t)D * 77, 1000);
}

static void assert_as_it_was(void *context)
{
    const struct scarce *scarce = context;
    assert_int_equal(pleach_deposit_size(scarce->tree), 77);
    assert_root(scarce->tree, data, 77);
    check_proof(scarce->tree, 64, 77, false);
}

static pleach_status try_restore(void *context)
{
    const struct scarce *scarce = context;
    pleach_deposit_tree *tree = NULL;
    pleach_status status = pleach_deposit_from_snapshot(&tree, scarce->pool, &scarce->snapshot);
    assert_int_equal(tree != NULL, status == PLEACH_OK);
    pleach_deposit_destroy(tree);
    return status;
}

static void scarce_memory(void **state)
{
    (void)state;
    for (size_t t = 0; t < 3; t++) {
        struct scarce scarce = {.pool = trials[t].pool, .snapshot = snapshot_at(40, 22)};
        assert_int_equal(pleach_deposit_create(&scarce.tree, scarce.pool), PLEACH_OK);
        assert_int_equal(pleach_deposit_append(scarce.tree, data, 77), PLEACH_OK);
        assert_int_equal(pleach_deposit_finalize(scarce.tree, 64, block_hash, 1), PLEACH_OK);
        assert_true(scarce_run(&(struct scarce_call){try_create, NULL, &scarce}) >= 1);
        assert_true(scarce_run(&(struct scarce_call){try_restore, NULL, &scarce}) >= 4);
        assert_true(scarce_run(&(struct scarce_call){try_append, assert_as_it_was, &scarce}) >= 6);
        assert_root(scarce.tree, data, 1077);
        pleach_deposit_destroy(scarce.tree);
    }
}

static int open_deposit_tests(void **state)
{
    fill_stream(data, sizeof data);
    make_zero_roots();
    return open_trials(state);
}

int test_deposits(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers),    cmocka_unit_test(every_proof),    cmocka_unit_test(random_growth),
        cmocka_unit_test(zeros_are_values), cmocka_unit_test(restored_trees), cmocka_unit_test(refused_snapshots),
        cmocka_unit_test(full_tree),        cmocka_unit_test(encoding),       cmocka_unit_test(altered_encodings),
        cmocka_unit_test(arguments),        cmocka_unit_test(scarce_memory),
    };
    return cmocka_run_group_tests_name("deposits", tests, open_deposit_tests, close_trials);
}
