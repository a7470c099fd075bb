/* Bitcoin: roots, mutations, witness commitments and partial trees, with the blocks of tests/vectors. */
#include "merkle_test.h"

#include "merkle/bitcoin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { D = PLEACH_DIGEST_SIZE, MOST = 70 };

static void assert_bitcoin_root(const uint8_t *txids, size_t count, const char *hex, bool mutates)
{
    const pleach_leaves leaves = {.data = txids, .size = D, .stride = D, .count = count};
    for (size_t t = 0; t < trial_count; t++) {
        uint8_t root[D];
        bool mutated = !mutates;
        pleach_tree *tree = NULL;
        assert_int_equal(pleach_bitcoin_root(trials[t].pool, txids, count, root, &mutated), PLEACH_OK);
        assert_hex(root, hex);
        assert_int_equal(mutated, mutates);
        memset(root, 0, D);
        assert_int_equal(pleach_bitcoin_root(trials[t].pool, txids, count, root, NULL), PLEACH_OK);
        assert_hex(root, hex);
        assert_int_equal(pleach_tree_create(&tree, trials[t].pool, PLEACH_SCHEME_BITCOIN), PLEACH_OK);
        assert_int_equal(pleach_tree_build(tree, &leaves, NULL), PLEACH_OK);
        assert_int_equal(pleach_tree_root(tree, root), PLEACH_OK);
        assert_hex(root, hex);
        assert_int_equal(pleach_tree_mutated(tree), mutates);
        pleach_tree_destroy(tree);
    }
}

/* --- sha256-merkle.txt --- */

static uint8_t txids[MOST * D]; /* of the block being read, and after it */
static size_t transactions, block_size;

static void begin_block(char **token, size_t count)
{
    assert_true(count >= 4);
    transactions = 0;
    for (size_t i = 2; i < count; i++)
        if (sscanf(token[i], "ntx=%zu", &block_size) == 1)
            return;
    fail();
}

static void take_txid(char **token, size_t count)
{
    assert_true(count == 2 && transactions < MOST);
    assert_int_equal(from_hex(token[1], txids + D * transactions++, D), D);
}

static void check_block(char **token, size_t count)
{
    assert_true(count == 3 && transactions == block_size);
    assert_string_equal(token[2], "mutated=0");
    assert_bitcoin_root(txids, transactions, token[1], false);
}

/* clean=1,2 root=... mutated=0 | list=1,2,2 root=... mutated=1: leaf i is the byte i, 32 times */
static void check_mutation(char **token, size_t count)
{
    uint8_t list[MOST * D];
    size_t leaves = 0, checked = 0;
    const char *root = NULL;
    for (size_t i = 1; i < count; i++) {
        const char *value = strchr(token[i], '=');
        if (strncmp(token[i], "clean=", 6) == 0 || strncmp(token[i], "list=", 5) == 0) {
            for (leaves = 0; value; value = strchr(value, ',')) {
                const unsigned long byte = strtoul(++value, NULL, 10);
                memset(list + D * leaves++, (int)byte, D);
            }
        } else if (strncmp(token[i], "root=", 5) == 0) {
            root = value + 1;
        } else if (strncmp(token[i], "mutated=", 8) == 0) {
            assert_non_null(root);
            assert_bitcoin_root(list, leaves, root, value[1] == '1');
            checked++;
        }
    }
    assert_true(checked > 0);
}

static void check_empty(char **token, size_t count)
{
    assert_true(count == 3);
    assert_bitcoin_root(NULL, 0, strchr(token[1], '=') + 1, false);
}

/* --- blocks: a line of transaction id and witness transaction id each --- */

struct block {
    char root[2 * D + 1], commitment[2 * D + 1], reserved[2 * D + 1];
    uint8_t *txids, *wtxids;
    size_t count;
};

static void read_block(struct block *block, const char *name)
{
    char path[512], line[512], first[128], second[128];
    *block = (struct block){.txids = malloc(2500 * D), .wtxids = malloc(2500 * D)};
    (void)snprintf(path, sizeof path, "%s/%s", PLEACH_VECTORS, name);
    FILE *file = fopen(path, "r");
    assert_true(file && block->txids && block->wtxids);
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#' || sscanf(line, "%127s %127s", first, second) != 2)
            continue;
        if (strcmp(first, "root") == 0) {
            memcpy(block->root, second, sizeof block->root);
        } else if (strcmp(first, "commitment") == 0) {
            memcpy(block->commitment, second, sizeof block->commitment);
        } else if (strcmp(first, "reserved") == 0) {
            memcpy(block->reserved, second, sizeof block->reserved);
        } else if (strlen(first) == 2 * (size_t)D) {
            assert_true(block->count < 2500);
            assert_int_equal(from_hex(first, block->txids + D * block->count, D), D);
            assert_int_equal(from_hex(second, block->wtxids + D * block->count++, D), D);
        }
    }
    (void)fclose(file);
}

static void free_block(struct block *block)
{
    free(block->txids);
    free(block->wtxids);
}

static void check_raw_block(char **token, size_t count)
{
    struct block block;
    uint8_t reserved[D], commitment[D];
    size_t expected = 0;
    assert_true(count >= 6);
    read_block(&block, token[1]);
    assert_int_equal(sscanf(token[2], "ntx=%zu", &expected), 1);
    assert_int_equal(block.count, expected);
    assert_string_equal(token[3] + strlen("root="), block.root);
    assert_string_equal(token[5] + strlen("commitment="), block.commitment);
    assert_bitcoin_root(block.txids, block.count, block.root, false);
    assert_int_equal(from_hex(block.reserved, reserved, D), D);
    for (size_t t = 0; t < trial_count; t++) {
        assert_int_equal(
            pleach_bitcoin_witness_commitment(trials[t].pool, block.wtxids, block.count, reserved, commitment),
            PLEACH_OK);
        assert_hex(commitment, block.commitment);
    }
    free_block(&block);
}

/* A header of 80 bytes, whose bytes 36 to 67 are the root, and a partial tree of block_13b8a, whose ids were read last.
 */
static void check_merkle_block(char **token, size_t count)
{
    enum { HEADER = 80, ROOT_AT = 36 };
    uint8_t bytes[1024], again[1024];
    uint64_t indices[MOST];
    pleach_bitcoin_partial_tree partial;
    pleach_bitcoin_match matches[MOST];
    pleach_tree *tree = NULL;
    const size_t size = from_hex(token[1], bytes, sizeof bytes) - HEADER;
    size_t written = 0;
    assert_true(count >= 2 && transactions == 9);
    assert_int_equal(pleach_bitcoin_partial_tree_read(bytes + HEADER, size, &partial, matches, MOST), PLEACH_OK);
    assert_memory_equal(partial.root, bytes + ROOT_AT, D);
    assert_int_equal(partial.transactions, 9);
    assert_int_equal(partial.matches, 1);
    for (size_t i = 0; i < partial.matches; i++) {
        assert_memory_equal(matches[i].txid, txids + (size_t)D * matches[i].index, D);
        indices[i] = matches[i].index;
    }
    const pleach_leaves leaves = {.data = txids, .size = D, .stride = D, .count = 9};
    assert_int_equal(pleach_tree_create(&tree, NULL, PLEACH_SCHEME_BITCOIN), PLEACH_OK);
    assert_int_equal(pleach_tree_build(tree, &leaves, NULL), PLEACH_OK);
    assert_int_equal(pleach_bitcoin_partial_tree_write(tree, indices, partial.matches, again, sizeof again, &written),
                     PLEACH_OK);
    assert_int_equal(written, size);
    assert_memory_equal(again, bytes + HEADER, size);
    pleach_tree_destroy(tree);
}

static void published_blocks(void **state)
{
    static const struct line_kind kinds[] = {
        {"btc.block", begin_block, 4},
        {"btc.txid", take_txid, 16},
        {"btc.root", check_block, 4},
        {"btc.mut", check_mutation, 8},
        {"btc.empty", check_empty, 1},
        {"btc.rawblock", check_raw_block, 2},
        {"btc.merkleblock", check_merkle_block, 1},
    };
    (void)state;
    check_lines("sha256-merkle.txt", kinds, sizeof kinds / sizeof kinds[0]);
}

/* --- CVE-2012-2459: at every level, the last nodes repeated in place of a lone one --- */

static void mutation_at_every_level(void **state)
{
    enum { LARGE = 33000 };
    uint8_t *list = malloc((size_t)LARGE * 2 * D), clean[D], repeated[D];
    bool mutated;
    (void)state;
    assert_non_null(list);
    for (unsigned level = 0; level < 14; level++) {
        /* The node at `level` above the last 2^level leaves is lone: its left neighbours are even in number. */
        const size_t below = (size_t)1 << level, count = (level < 12 ? 11u : 3u) * below;
        assert_true(count + below <= LARGE);
        fill_stream(list, D * count);
        memcpy(list + D * count, list + D * (count - below), D * below);
        for (size_t t = 0; t < trial_count; t++) {
            assert_int_equal(pleach_bitcoin_root(trials[t].pool, list, count, clean, &mutated), PLEACH_OK);
            assert_false(mutated);
            assert_int_equal(pleach_bitcoin_root(trials[t].pool, list, count + below, repeated, &mutated), PLEACH_OK);
            assert_true(mutated);
            assert_memory_equal(clean, repeated, D);
        }
    }
    free(list);
}

/* --- partial trees --- */

static pleach_tree *plant(size_t count)
{
    const pleach_leaves leaves = {.data = txids, .size = D, .stride = D, .count = count};
    pleach_tree *tree = NULL;
    assert_int_equal(pleach_tree_create(&tree, NULL, PLEACH_SCHEME_BITCOIN), PLEACH_OK);
    assert_int_equal(pleach_tree_build(tree, &leaves, NULL), PLEACH_OK);
    return tree;
}

static size_t take_bits(uint64_t bits, size_t count, uint64_t *indices)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if ((bits >> (i % 64) & 1) != 0)
            indices[n++] = i;
    return n;
}

static size_t write_partial(const pleach_tree *tree, const uint64_t *indices, size_t n, uint8_t **bytes)
{
    size_t size = 0, again = 0;
    assert_int_equal(pleach_bitcoin_partial_tree_write(tree, indices, n, NULL, 0, &size), PLEACH_OK);
    *bytes = guarded(size);
    assert_int_equal(pleach_bitcoin_partial_tree_write(tree, indices, n, *bytes, size - 1, &again), PLEACH_ERANGE);
    assert_int_equal(pleach_bitcoin_partial_tree_write(tree, indices, n, *bytes, size, &again), PLEACH_OK);
    assert_int_equal(again, size);
    return size;
}

static void assert_partial(const pleach_tree *tree, const uint64_t *indices, size_t n)
{
    uint8_t *bytes, root[D];
    pleach_bitcoin_partial_tree partial;
    pleach_bitcoin_match matches[MOST];
    const size_t size = write_partial(tree, indices, n, &bytes);
    assert_int_equal(pleach_tree_root(tree, root), PLEACH_OK);
    assert_int_equal(pleach_bitcoin_partial_tree_read(bytes, size, &partial, matches, MOST), PLEACH_OK);
    assert_memory_equal(partial.root, root, D);
    assert_int_equal(partial.transactions, pleach_tree_size(tree));
    assert_int_equal(partial.matches, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(matches[i].index, indices[i]);
        assert_memory_equal(matches[i].txid, txids + (size_t)D * indices[i], D);
    }
    assert_int_equal(pleach_bitcoin_partial_tree_read(bytes, size, &partial, NULL, 0), PLEACH_OK);
    assert_int_equal(partial.matches, n);
    if (n > 1)
        assert_int_equal(pleach_bitcoin_partial_tree_read(bytes, size, &partial, matches, n - 1), PLEACH_ERANGE);
    guarded_free(bytes, size);
}

static void every_partial_tree(void **state)
{
    uint64_t random = 8, indices[MOST];
    (void)state;
    fill_stream(txids, sizeof txids);
    for (size_t count = 1; count <= MOST; count++) {
        pleach_tree *tree = plant(count);
        for (uint64_t bits = 0; bits < (count <= 8 ? 1u << count : 40u); bits++) {
            const uint64_t taken = count <= 8  ? bits
                                   : bits == 0 ? 0
                                               : random_below(&random, UINT64_MAX) & random_below(&random, UINT64_MAX);
            assert_partial(tree, indices, take_bits(taken, count, indices));
        }
        pleach_tree_destroy(tree);
    }
}

/* A partial tree that was altered is refused, or is one of another root or of other transactions. */
static void altered_partial_trees(void **state)
{
    enum { COUNT = 11 };
    uint64_t indices[MOST];
    uint8_t *bytes, root[D];
    (void)state;
    fill_stream(txids, sizeof txids);
    pleach_tree *tree = plant(COUNT);
    const size_t n = take_bits(0x284, COUNT, indices), size = write_partial(tree, indices, n, &bytes);
    const size_t hashes = bytes[4], flags_at = 5 + D * hashes;
    uint8_t *altered = malloc(size + 1);
    pleach_bitcoin_partial_tree partial;
    assert_non_null(altered);
    assert_int_equal(pleach_tree_root(tree, root), PLEACH_OK);
    for (size_t at = 0; at < size; at++) {
        for (unsigned flip = 1; flip < 256; flip *= 2) {
            memcpy(altered, bytes, size);
            altered[at] ^= (uint8_t)flip;
            const pleach_status status = pleach_bitcoin_partial_tree_read(altered, size, &partial, NULL, 0);
            const bool is_hash = at >= 5 && at < flags_at;
            if (is_hash)
                assert_int_equal(status, PLEACH_OK);
            /* Of another number of transactions, the root can be the same; flags of leaves say only which match. */
            if (status == PLEACH_OK && at >= 4)
                assert_true(memcmp(partial.root, root, D) != 0 || (!is_hash && partial.matches != n));
        }
    }
    for (size_t cut = 0; cut < size; cut++)
        assert_int_equal(pleach_bitcoin_partial_tree_read(bytes, cut, &partial, NULL, 0), PLEACH_ETRUNCATED);
    memcpy(altered, bytes, size);
    altered[size] = 0;
    assert_int_equal(pleach_bitcoin_partial_tree_read(altered, size + 1, &partial, NULL, 0), PLEACH_ETRAILING);
    free(altered);
    guarded_free(bytes, size);
    pleach_tree_destroy(tree);
}

struct bad_partial {
    const char *hex;
    size_t hashes; /* so many hashes of the byte 1, 2, ... follow, each 32 times; UINT8_MAX: all alike */
    const char *flags;
    pleach_status status;
};

static void refused_partial_trees(void **state)
{
    static const struct bad_partial bad[] = {
        {"0000000001", 1, "0101", PLEACH_EPROOFEMPTY},   /* no transactions */
        {"1b41000001", 1, "0101", PLEACH_EPROOFLIMIT},   /* 16,667 */
        {"ffffffff01", 1, "0100", PLEACH_EPROOFLIMIT},   /* many */
        {"0100000002", 2, "0101", PLEACH_EPROOFLIMIT},   /* more hashes than transactions */
        {"0100000001", 1, "0101", PLEACH_OK},            /* one, and it matches */
        {"0100000001", 1, "0100", PLEACH_OK},            /* one that does not */
        {"0100000001", 1, "0103", PLEACH_EPROOFBITS},    /* padding is not zero */
        {"0100000001", 1, "020100", PLEACH_EPROOFBITS},  /* a byte of flags too much */
        {"0100000001", 1, "00", PLEACH_EPROOFBITS},      /* none */
        {"0100000000", 0, "0101", PLEACH_EPROOFMISSING}, /* no hash */
        {"0200000002", 2, "0100", PLEACH_EPROOFUNUSED},  /* the root alone is used */
        {"0200000002", 2, "0103", PLEACH_OK},            /* root and left leaf match */
        {"0200000001", 1, "0103", PLEACH_EPROOFMISSING}, /* the right leaf lacks */
        {"0a0000000a", 10, "01ff", PLEACH_EPROOFBITS},   /* flag bits of ten hashes in one byte */
        {"01000000fd0100", 1, "0101", PLEACH_EFORMAT},   /* a long compact size of 1 */
        {"01000000fe01000000", 1, "0101", PLEACH_EFORMAT},
        {"01000000ff0100000000000000", 1, "0101", PLEACH_EFORMAT},
        {"01000000ffffffffffffffffff", 1, "0101", PLEACH_EPROOFLIMIT},
        {"0100000001", 1, "ffffffffffffffffff", PLEACH_EPROOFBITS}, /* as many bytes of flags */
        {"0100000001", 1,
         "fd0100"
         "01",
         PLEACH_EFORMAT},
    };
    uint8_t bytes[512];
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        pleach_bitcoin_partial_tree partial = {.transactions = 77};
        size_t size = from_hex(bad[i].hex, bytes, sizeof bytes);
        for (size_t h = 0; h < bad[i].hashes; h++, size += D)
            memset(bytes + size, (int)h + 1, D);
        size += from_hex(bad[i].flags, bytes + size, sizeof bytes - size);
        assert_int_equal(pleach_bitcoin_partial_tree_read(bytes, size, &partial, NULL, 0), bad[i].status);
        assert_int_equal(partial.transactions == 77, bad[i].status != PLEACH_OK);
    }
}

/* Six transactions, the last two of which are repeated in place of a lone pair: both pairs are given. */
static void mutated_partial_tree(void **state)
{
    uint64_t indices[2] = {4, 6};
    uint8_t *bytes;
    pleach_bitcoin_partial_tree partial;
    (void)state;
    fill_stream(txids, sizeof txids);
    memcpy(txids + (size_t)D * 6, txids + (size_t)D * 4, (size_t)2 * D);
    pleach_tree *tree = plant(8);
    const size_t size = write_partial(tree, indices, 2, &bytes);
    assert_int_equal(pleach_bitcoin_partial_tree_read(bytes, size, &partial, NULL, 0), PLEACH_EPROOFMUTATED);
    guarded_free(bytes, size);
    pleach_tree_destroy(tree);
}

static void refused_arguments(void **state)
{
    enum { LARGE = PLEACH_BITCOIN_TRANSACTIONS_MAX + 1 };
    uint8_t *list = calloc(LARGE, D), bytes[64], root[D];
    uint64_t indices[3] = {1, 1, 0};
    size_t size = 77;
    pleach_bitcoin_partial_tree partial;
    pleach_tree *tree = plant(5), *other = NULL;
    (void)state;
    assert_non_null(list);
    assert_int_equal(pleach_bitcoin_partial_tree_write(tree, indices, 2, NULL, 0, &size), PLEACH_EPROOFDUPLICATE);
    assert_int_equal(pleach_bitcoin_partial_tree_write(tree, indices + 1, 2, NULL, 0, &size), PLEACH_EPROOFUNSORTED);
    indices[0] = 5;
    assert_int_equal(pleach_bitcoin_partial_tree_write(tree, indices, 1, NULL, 0, &size), PLEACH_EPROOFINDEX);
    assert_int_equal(pleach_bitcoin_partial_tree_write(NULL, indices, 1, NULL, 0, &size), PLEACH_EINVAL);
    assert_int_equal(pleach_bitcoin_partial_tree_write(tree, NULL, 1, NULL, 0, &size), PLEACH_EINVAL);
    assert_int_equal(pleach_bitcoin_partial_tree_write(tree, indices, 1, NULL, 0, NULL), PLEACH_EINVAL);
    pleach_leaves leaves = {.data = list, .size = D, .stride = D, .count = LARGE};
    assert_int_equal(pleach_tree_build(tree, &leaves, NULL), PLEACH_OK);
    assert_int_equal(pleach_bitcoin_partial_tree_write(tree, indices, 1, NULL, 0, &size), PLEACH_EPROOFLIMIT);
    leaves.count = 0;
    assert_int_equal(pleach_tree_build(tree, &leaves, NULL), PLEACH_OK);
    assert_int_equal(pleach_bitcoin_partial_tree_write(tree, NULL, 0, NULL, 0, &size), PLEACH_EPROOFEMPTY);
    assert_int_equal(pleach_tree_create(&other, NULL, PLEACH_SCHEME_SSZ), PLEACH_OK);
    assert_int_equal(pleach_bitcoin_partial_tree_write(other, NULL, 0, NULL, 0, &size), PLEACH_EINVAL);
    assert_int_equal(size, 77);
    assert_int_equal(pleach_bitcoin_partial_tree_read(NULL, 1, &partial, NULL, 0), PLEACH_EINVAL);
    assert_int_equal(pleach_bitcoin_partial_tree_read(bytes, 1, NULL, NULL, 0), PLEACH_EINVAL);
    assert_int_equal(pleach_bitcoin_partial_tree_read(bytes, 1, &partial, NULL, 1), PLEACH_EINVAL);
    assert_int_equal(pleach_bitcoin_root(NULL, list, 5, NULL, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_bitcoin_root(NULL, NULL, 5, root, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_bitcoin_witness_commitment(NULL, list, 0, list, root), PLEACH_EINVAL);
    assert_int_equal(pleach_bitcoin_witness_commitment(NULL, NULL, 5, list, root), PLEACH_EINVAL);
    assert_int_equal(pleach_bitcoin_witness_commitment(NULL, list, 5, NULL, root), PLEACH_EINVAL);
    assert_int_equal(pleach_bitcoin_witness_commitment(NULL, list, 5, list, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_bitcoin_witness_commitment(NULL, list, SIZE_MAX, list, root), PLEACH_ERANGE);
    pleach_tree_destroy(other);
    pleach_tree_destroy(tree);
    free(list);
}

int test_bitcoin(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_blocks),      cmocka_unit_test(mutation_at_every_level),
        cmocka_unit_test(every_partial_tree),    cmocka_unit_test(altered_partial_trees),
        cmocka_unit_test(refused_partial_trees), cmocka_unit_test(mutated_partial_tree),
        cmocka_unit_test(refused_arguments),
    };
    return cmocka_run_group_tests_name("bitcoin", tests, open_trials, close_trials);
}
