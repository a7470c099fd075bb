/* Known answers: leanvm-b.txt [tree ...] and [padded ...], the roots of sha256-merkle.txt. */
#define _GNU_SOURCE
#include "merkle_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { D = PLEACH_DIGEST_SIZE };

/* The root by every way there is, in every trial; leaves one after the other. */
static void assert_roots(const pleach_scheme *scheme, const pleach_leaves *leaves, const char *hex)
{
    for (size_t t = 0; t < trial_count; t++) {
        uint8_t root[D];
        assert_int_equal(pleach_merkle_root(trials[t].pool, scheme, leaves, NULL, root), PLEACH_OK);
        assert_hex(root, hex);
        pleach_tree *tree = NULL;
        assert_int_equal(pleach_tree_create(&tree, trials[t].pool, scheme), PLEACH_OK);
        assert_int_equal(pleach_tree_build(tree, leaves, NULL), PLEACH_OK);
        memset(root, 0, D);
        assert_int_equal(pleach_tree_root(tree, root), PLEACH_OK);
        assert_hex(root, hex);
        pleach_tree_destroy(tree);
        if (leaves->size == 0 || leaves->zeros != 0)
            continue; /* no stream of these */
        pleach_stream_result result;
        struct source source = source_of(leaves->data, leaves->size * leaves->count, 0);
        assert_int_equal(
            pleach_merkle_root_stream(trials[t].pool, scheme, leaves->size, read_source, &source, 0, NULL, &result),
            PLEACH_OK);
        assert_hex(result.root, hex);
        assert_int_equal(result.leaves, leaves->count);
        assert_int_equal(result.bytes, leaves->size * leaves->count);
    }
}

/* --- leanvm-b.txt --- */

static void assert_nodes(const struct section *section, const uint8_t *nodes)
{
    size_t leaves = section_number(section, "num_leaves"), count = 2 * leaves - 1;
    const char *hex = section_text(section, "nodes");
    const pleach__hash_form all = {.size = D * count, .prefix = PLEACH_NO_PREFIX};
    uint8_t digest[D];
    pleach__blake2s.reference(&all, nodes, digest);
    assert_hex(digest, section_text(section, "nodes_hash"));
    assert_hex(nodes, section_text(section, "leaf[0]"));
    assert_hex(nodes + D * (leaves - 1), section_text(section, "leaf[last]"));
    if (!hex)
        return;
    assert_int_equal(strlen(hex), count * (2 * D + 1) - 1);
    for (size_t i = 0; i < count; i++, hex += 2 * D + 1) {
        char digits[2 * D + 1] = "";
        memcpy(digits, hex, 2 * D);
        assert_hex(nodes + D * i, digits);
    }
}

static void check_tree(const struct section *section)
{
    size_t count = section_number(section, "num_leaves"), leaf_size = section_number(section, "leaf_size");
    uint8_t *data = malloc(count * leaf_size);
    assert_non_null(data);
    fill_stream(data, count * leaf_size);
    const pleach_leaves leaves = {.data = data, .size = leaf_size, .stride = leaf_size, .count = count};
    assert_roots(PLEACH_SCHEME_BLAKE2S, &leaves, section_text(section, "root"));
    for (size_t t = 0; t < trial_count; t++) {
        pleach_tree *tree = NULL;
        assert_int_equal(pleach_tree_create(&tree, trials[t].pool, PLEACH_SCHEME_BLAKE2S), PLEACH_OK);
        assert_int_equal(pleach_tree_build(tree, &leaves, NULL), PLEACH_OK);
        assert_nodes(section, pleach_tree_nodes(tree, 0, 0, NULL));
        pleach_tree_destroy(tree);
    }
    free(data);
}

static void check_padded(const struct section *section)
{
    size_t count = section_number(section, "num_leaves"), row_words = section_number(section, "row_words");
    size_t size = 8 * row_words;
    uint8_t *data = malloc(count * size), digest[D];
    assert_non_null(data);
    fill_stream(data, count * size);
    const pleach_leaves leaves = {.data = data,
                                  .size = size,
                                  .stride = size,
                                  .count = count,
                                  .zeros = 8 * (section_number(section, "leaf_words") - row_words)};
    assert_roots(PLEACH_SCHEME_BLAKE2S, &leaves, section_text(section, "root"));
    assert_int_equal(pleach_merkle_leaf(PLEACH_SCHEME_BLAKE2S, data, size, leaves.zeros, digest), PLEACH_OK);
    assert_hex(digest, section_text(section, "leaf[0]"));
    free(data);
}

static void leanvm_b(void **state)
{
    (void)state;
    assert_int_equal(check_sections("leanvm-b.txt", "tree", check_tree), 17);
    assert_int_equal(check_sections("leanvm-b.txt", "padded", check_padded), 9);
}

/* --- sha256-merkle.txt --- */

static pleach_input inputs[14]; /* of rfc6962.leaf, then of tm.header.leaf */
static uint8_t leaf_bytes[14][128];
static char *roots[9]; /* rfc6962.root */

static void take_leaf(char **token, size_t count)
{
    const size_t index = strtoul(token[1], NULL, 10);
    assert_true(count == 3 && index < 14);
    inputs[index] = (pleach_input){leaf_bytes[index], from_hex(token[2], leaf_bytes[index], sizeof leaf_bytes[index])};
}

static void check_root(char **token, size_t count)
{
    const size_t size = strtoul(token[1], NULL, 10);
    assert_true(count == 3 && size < 9);
    roots[size] = strdup(token[2]);
    assert_roots(PLEACH_SCHEME_RFC6962, &(pleach_leaves){.list = inputs, .count = size}, token[2]);
}

static void check_inclusion(char **token, size_t count)
{
    uint8_t path[PATH], root[D];
    uint8_t hash[D];
    size_t index = strtoul(token[1], NULL, 10), size = strtoul(token[2], NULL, 10), nodes = 0;
    for (size_t i = 3; i < count; i++)
        nodes += from_hex(token[i], path + D * nodes, D) / D;
    assert_int_equal(from_hex(roots[size], root, D), D);
    assert_int_equal(pleach_merkle_leaf(PLEACH_SCHEME_RFC6962, inputs[index].bytes, inputs[index].size, 0, hash),
                     PLEACH_OK);
    assert_int_equal(pleach_merkle_verify(PLEACH_SCHEME_RFC6962, index, size, hash, path, nodes, root), PLEACH_OK);
    root[index]++;
    assert_int_equal(pleach_merkle_verify(PLEACH_SCHEME_RFC6962, index, size, hash, path, nodes, root),
                     PLEACH_EPROOFROOT);
}

static void check_leaf_hash(char **token, size_t count)
{
    uint8_t bytes[64], digest[D];
    size_t size = from_hex(token[1], bytes, sizeof bytes);
    assert_true(count == 3);
    assert_int_equal(pleach_merkle_leaf(PLEACH_SCHEME_RFC6962, bytes, size, 0, digest), PLEACH_OK);
    assert_hex(digest, token[2]);
}

/* Of children that are no digests: the node rule as a rule for leaves. */
static void check_node_hash(char **token, size_t count)
{
    const pleach_scheme scheme = {.family = PLEACH_SHA256, .leaf_prefix = PLEACH_SCHEME_RFC6962->node_prefix};
    uint8_t pair[64], digest[D];
    size_t size = from_hex(token[1], pair, sizeof pair);
    size += from_hex(token[2], pair + size, sizeof pair - size);
    assert_true(count == 4);
    assert_int_equal(pleach_merkle_leaf(&scheme, pair, size, 0, digest), PLEACH_OK);
    assert_hex(digest, token[3]);
}

static uint8_t *numbers(size_t count)
{
    uint8_t *bytes = malloc(4 * count);
    assert_non_null(bytes);
    for (size_t i = 0; i < 4 * count; i++)
        bytes[i] = (uint8_t)(i / 4 >> 8 * (3 - i % 4));
    return bytes;
}

static void check_numbers(char **token, size_t count)
{
    size_t leaves = strtoul(token[1], NULL, 10);
    uint8_t *data = numbers(leaves);
    assert_true(count == 3);
    assert_roots(PLEACH_SCHEME_RFC6962, &(pleach_leaves){.data = data, .size = 4, .stride = 4, .count = leaves},
                 token[2]);
    free(data);
}

static void check_hashed_numbers(char **token, size_t count)
{
    size_t leaves = strtoul(token[1], NULL, 10);
    uint8_t *data = numbers(leaves), *digests = malloc(D * leaves);
    assert_true(count == 3 && digests);
    assert_int_equal(pleach_hash_many(NULL, PLEACH_SHA256, data, 4, 4, leaves, digests), PLEACH_OK);
    assert_roots(PLEACH_SCHEME_RFC6962, &(pleach_leaves){.data = digests, .size = D, .stride = D, .count = leaves},
                 token[2]);
    free(digests);
    free(data);
}

static void check_tendermint_root(char **token, size_t count)
{
    uint8_t bytes[64];
    pleach_input list[8];
    size_t size = strtoul(token[2] + 2, NULL, 10), used = 0;
    assert_true(strncmp(token[2], "n=", 2) == 0 && count == 3 + size && size <= 8);
    for (size_t i = 0; i < size; i++) {
        list[i] = (pleach_input){bytes + used, from_hex(token[3 + i], bytes + used, sizeof bytes - used)};
        used += list[i].size;
    }
    assert_roots(PLEACH_SCHEME_RFC6962, &(pleach_leaves){.list = list, .count = size}, token[1]);
}

/* The root of n leaves is the node over the roots of the first so many and of the others. */
static void check_split(char **token, size_t count)
{
    uint8_t *data = numbers(300), roots_of[2 * D], root[D], node[D];
    for (size_t i = 1; i < count; i++) {
        const char *equals = strchr(token[i], '=');
        assert_non_null(equals);
        const size_t n = strtoul(token[i], NULL, 10), left = strtoul(equals + 1, NULL, 10);
        const pleach_leaves all = {.data = data, .size = 4, .stride = 4, .count = n};
        pleach_leaves first = all, rest = all;
        first.count = left;
        rest.count = n - left;
        rest.data += 4 * left;
        assert_int_equal(pleach_merkle_root(NULL, PLEACH_SCHEME_RFC6962, &all, NULL, root), PLEACH_OK);
        assert_int_equal(pleach_merkle_root(NULL, PLEACH_SCHEME_RFC6962, &first, NULL, roots_of), PLEACH_OK);
        assert_int_equal(pleach_merkle_root(NULL, PLEACH_SCHEME_RFC6962, &rest, NULL, roots_of + D), PLEACH_OK);
        naive_node(PLEACH_SCHEME_RFC6962, roots_of, roots_of + D, node);
        assert_memory_equal(root, left > 0 ? node : roots_of + D, D);
    }
    free(data);
}

/* Simple-map leaf: uvarint(len k) || k || uvarint(32) || SHA-256(v). Keys have four bytes here. */
static void check_tendermint_map(char **token, size_t count)
{
    enum { KEY = 4, SIZE = 1 + KEY + 1 + D };
    uint8_t data[8 * SIZE];
    for (size_t i = 2; i < count; i++) {
        uint8_t *leaf = data + SIZE * (i - 2);
        const char *value = token[i] + KEY + 1;
        assert_true(i < 10 && token[i][KEY] == '=');
        leaf[0] = KEY;
        memcpy(leaf + 1, token[i], KEY);
        leaf[1 + KEY] = D;
        assert_int_equal(
            pleach_hash_many(NULL, PLEACH_SHA256, (const uint8_t *)value, strlen(value), 0, 1, leaf + 2 + KEY),
            PLEACH_OK);
    }
    assert_roots(PLEACH_SCHEME_RFC6962,
                 &(pleach_leaves){.data = data, .size = SIZE, .stride = SIZE, .count = count - 2}, token[1]);
}

static void check_tendermint_header(char **token, size_t count)
{
    assert_true(count == 2);
    assert_roots(PLEACH_SCHEME_RFC6962, &(pleach_leaves){.list = inputs, .count = 14}, token[1]);
}

/* A proof for an empty tree never holds, whatever root is claimed. */
static void check_empty_root_attack(char **token, size_t count)
{
    uint8_t hash[D], root[D] = {0};
    size_t size = 0;
    for (size_t i = 1; i < count; i++)
        if (strncmp(token[i], "leafhash=", 9) == 0)
            size = from_hex(token[i] + 9, hash, D);
    assert_int_equal(size, D);
    assert_int_equal(pleach_merkle_verify(PLEACH_SCHEME_RFC6962, 0, 0, hash, NULL, 0, root), PLEACH_EPROOFINDEX);
    assert_int_equal(pleach_merkle_verify(PLEACH_SCHEME_RFC6962, 0, 0, hash, NULL, 0, hash), PLEACH_EPROOFINDEX);
}

static uint8_t digests[32 * D]; /* btc.txid since the last btc.root */
static size_t digest_count;

static void assert_digests_root(const pleach_scheme *scheme, size_t count, const char *hex)
{
    assert_roots(scheme, &(pleach_leaves){.data = digests, .size = D, .stride = D, .count = count}, hex);
}

static void take_transaction(char **token, size_t count)
{
    assert_true(count == 2 && digest_count < 32);
    assert_int_equal(from_hex(token[1], digests + D * digest_count++, D), D);
}

static void check_bitcoin_root(char **token, size_t count)
{
    assert_int_equal(count, 3);
    assert_digests_root(PLEACH_SCHEME_BITCOIN, digest_count, token[1]);
    digest_count = 0;
}

/* clean= and list= are lists of bytes that make up a digest each; root= is that of the last list, or of none. */
static void check_bitcoin_lists(char **token, size_t count)
{
    size_t size = 0, checked = 0;
    for (size_t i = 1; i < count; i++) {
        char *value = strchr(token[i], '=');
        if (!value)
            continue;
        value++;
        if (strncmp(token[i], "root=", 5) == 0) {
            assert_digests_root(PLEACH_SCHEME_BITCOIN, size, value);
            checked++;
        } else if (strncmp(token[i], "mutated=", 8) != 0) {
            for (size = 0; *value != '\0'; value += *value == ',') {
                assert_true(size < 32);
                memset(digests + D * size++, (int)strtoul(value, &value, 10), D);
            }
        }
    }
    assert_true(checked > 0);
}

/* SSZ for a limit: the next power of two is 2^depth. One chunk needs no depth. */
static pleach_scheme limited(uint64_t limit)
{
    pleach_scheme scheme = *PLEACH_SCHEME_SSZ;
    while (limit > (uint64_t)1 << scheme.depth)
        scheme.depth++;
    return scheme;
}

static void check_zero_hash(char **token, size_t count)
{
    const unsigned long height = strtoul(token[1], NULL, 10);
    const pleach_scheme scheme = limited((uint64_t)1 << height);
    assert_true(count == 3);
    memset(digests, 0, sizeof digests);
    assert_digests_root(&scheme, 0, token[2]);
    assert_digests_root(&scheme, 1, token[2]);
    if (height > 1)
        assert_digests_root(&scheme, 3, token[2]);
}

static void check_merkleize(char **token, size_t count)
{
    unsigned long long limit = 0;
    unsigned long byte = 0, chunks = 0;
    assert_true(count == 5 && sscanf(token[1], "limit=%llu", &limit) == 1);
    assert_true(sscanf(token[2], "chunk=0x%lx*32", &byte) == 1 && sscanf(token[3], "n=%lu", &chunks) == 1);
    const pleach_scheme scheme = limited(limit);
    memset(digests, (int)byte, sizeof digests);
    assert_digests_root(&scheme, chunks, token[4]);
}

static void check_merkleize_sequence(char **token, size_t count)
{
    unsigned long long limit = 0;
    unsigned long chunks = 0;
    assert_true(count == 4 && sscanf(token[1], "n=%lu", &chunks) == 1 && chunks <= 32);
    assert_true(strcmp(token[2], "limit=None") == 0 || sscanf(token[2], "limit=%llu", &limit) == 1);
    const pleach_scheme scheme = limited(limit);
    uint8_t *data = numbers(32);
    assert_int_equal(pleach_hash_many(NULL, PLEACH_SHA256, data, 4, 4, 32, digests), PLEACH_OK);
    assert_digests_root(&scheme, chunks, token[3]);
    free(data);
}

static void sha256_merkle(void **state)
{
    static const struct line_kind kinds[] = {
        {"rfc6962.leaf", take_leaf, 8},
        {"rfc6962.root", check_root, 9},
        {"rfc6962.incl", check_inclusion, 36},
        {"rfc6962.leafhash", check_leaf_hash, 1},
        {"rfc6962.nodehash", check_node_hash, 1},
        {"rfc6962.be32root", check_numbers, 17},
        {"rfc6962.h32root", check_hashed_numbers, 12},
        {"tm.root", check_tendermint_root, 5},
        {"tm.split", check_split, 1},
        {"tm.kvmap", check_tendermint_map, 4},
        {"tm.header.leaf", take_leaf, 14},
        {"tm.header.root", check_tendermint_header, 1},
        {"tm.attack.emptyroot", check_empty_root_attack, 1},
        {"btc.txid", take_transaction, 16},
        {"btc.root", check_bitcoin_root, 4},
        {"btc.mut", check_bitcoin_lists, 8},
        {"btc.empty", check_bitcoin_lists, 1},
        {"ssz.zerohash", check_zero_hash, 49},
        {"ssz.merkleize", check_merkleize, 6},
        {"ssz.merkleize.seq", check_merkleize_sequence, 11},
    };
    (void)state;
    check_lines("sha256-merkle.txt", kinds, sizeof kinds / sizeof kinds[0]);
    for (size_t i = 0; i < 9; i++)
        free(roots[i]);
}

int test_vectors(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(leanvm_b), cmocka_unit_test(sha256_merkle)};
    return cmocka_run_group_tests_name("known answers", tests, open_trials, close_trials);
}
