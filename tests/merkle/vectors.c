/* Known answers: leanvm-b.txt [tree ...] and [padded ...], sha256-merkle.txt rfc6962.* and tm.*. */
#define _GNU_SOURCE
#include "merkle_test.h"

#include "merkle/frontier.h"
#include "merkle/scheme.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { D = PLEACH_DIGEST_SIZE, TOKENS = 24 };

static size_t from_hex(const char *text, uint8_t *bytes, size_t capacity)
{
    size_t size = 0;
    unsigned byte;
    if (strcmp(text, "-") == 0)
        return 0;
    for (; sscanf(text, "%2x", &byte) == 1; text += 2) {
        assert_true(size < capacity);
        bytes[size++] = (uint8_t)byte;
    }
    return size;
}

static void assert_hex(const uint8_t *digest, const char *hex)
{
    uint8_t expected[D];
    assert_int_equal(from_hex(hex, expected, D), D);
    assert_memory_equal(digest, expected, D);
}

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
            continue;
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

struct section {
    char kind[16];
    size_t leaves, leaf_size, row_words, leaf_words;
    char root[2 * D + 1], first[2 * D + 1], last[2 * D + 1], nodes_hash[2 * D + 1];
    char *nodes;
};

static void take_entry(struct section *section, char *line)
{
    char *value = strstr(line, " = ");
    if (!value)
        return;
    *value = '\0';
    value += 3;
    value[strcspn(value, "\n")] = '\0';
    const struct {
        const char *key;
        size_t *number;
        char *digest;
    } entries[] = {{"num_leaves", &section->leaves, NULL},
                   {"leaf_size", &section->leaf_size, NULL},
                   {"row_words", &section->row_words, NULL},
                   {"leaf_words", &section->leaf_words, NULL},
                   {"root", NULL, section->root},
                   {"leaf[0]", NULL, section->first},
                   {"leaf[last]", NULL, section->last},
                   {"nodes_hash", NULL, section->nodes_hash}};
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        if (strcmp(line, entries[i].key) == 0 && entries[i].number)
            *entries[i].number = strtoul(value, NULL, 10);
        else if (strcmp(line, entries[i].key) == 0)
            memcpy(entries[i].digest, value, 2 * D + 1);
    }
    if (strcmp(line, "nodes") == 0)
        section->nodes = strdup(value);
}

static void assert_nodes(const struct section *section, const uint8_t *nodes)
{
    size_t count = 2 * section->leaves - 1;
    const pleach__hash_form all = {.size = D * count, .prefix = PLEACH_NO_PREFIX};
    uint8_t digest[D];
    pleach__blake2s.reference(&all, nodes, digest);
    assert_hex(digest, section->nodes_hash);
    assert_hex(nodes, section->first);
    assert_hex(nodes + D * (section->leaves - 1), section->last);
    if (!section->nodes)
        return;
    const char *hex = section->nodes;
    assert_int_equal(strlen(hex), count * (2 * D + 1) - 1);
    for (size_t i = 0; i < count; i++, hex += 2 * D + 1) {
        char digits[2 * D + 1] = "";
        memcpy(digits, hex, 2 * D);
        assert_hex(nodes + D * i, digits);
    }
}

static void check_tree(const struct section *section)
{
    size_t size = section->leaves * section->leaf_size;
    uint8_t *data = malloc(size);
    assert_non_null(data);
    fill_stream(data, size);
    const pleach_leaves leaves = {
        .data = data, .size = section->leaf_size, .stride = section->leaf_size, .count = section->leaves};
    assert_roots(PLEACH_SCHEME_BLAKE2S, &leaves, section->root);
    for (size_t t = 0; t < trial_count; t++) {
        pleach_tree *tree = NULL;
        size_t count;
        assert_int_equal(pleach_tree_create(&tree, trials[t].pool, PLEACH_SCHEME_BLAKE2S), PLEACH_OK);
        assert_int_equal(pleach_tree_build(tree, &leaves, NULL), PLEACH_OK);
        assert_nodes(section, pleach_tree_level(tree, 0, &count));
        pleach_tree_destroy(tree);
    }
    free(data);
}

static void check_padded(const struct section *section)
{
    size_t size = 8 * section->row_words;
    uint8_t *data = malloc(section->leaves * size), digest[D];
    assert_non_null(data);
    fill_stream(data, section->leaves * size);
    const pleach_leaves leaves = {.data = data,
                                  .size = size,
                                  .stride = size,
                                  .count = section->leaves,
                                  .zeros = 8 * (section->leaf_words - section->row_words)};
    assert_roots(PLEACH_SCHEME_BLAKE2S, &leaves, section->root);
    assert_int_equal(pleach_merkle_leaf(PLEACH_SCHEME_BLAKE2S, data, size, leaves.zeros, digest), PLEACH_OK);
    assert_hex(digest, section->first);
    free(data);
}

static size_t check_section(struct section *section)
{
    bool is_tree = strcmp(section->kind, "tree") == 0, is_padded = strcmp(section->kind, "padded") == 0;
    if (is_tree)
        check_tree(section);
    if (is_padded)
        check_padded(section);
    free(section->nodes);
    *section = (struct section){.kind = ""};
    return is_tree || is_padded;
}

static void leanvm_b(void **state)
{
    FILE *file = fopen(PLEACH_VECTORS "/leanvm-b.txt", "r");
    char *line = NULL;
    size_t room = 0, checked = 0;
    struct section section = {.kind = ""};
    (void)state;
    assert_non_null(file);
    while (getline(&line, &room, file) > 0) {
        if (line[0] == '[') {
            checked += check_section(&section);
            (void)sscanf(line, "[%15[a-z]", section.kind);
        } else {
            take_entry(&section, line);
        }
    }
    checked += check_section(&section);
    assert_int_equal(checked, 17 + 9);
    free(line);
    (void)fclose(file);
}

/* --- sha256-merkle.txt --- */

static uint8_t hashes[14][D]; /* of rfc6962.leaf, then of tm.header.leaf */
static char *roots[9];        /* rfc6962.root */

static void hash_leaf(char **token, size_t count)
{
    uint8_t leaf[128];
    size_t size = from_hex(token[2], leaf, sizeof leaf);
    assert_true(count == 3);
    assert_int_equal(pleach_merkle_leaf(PLEACH_SCHEME_RFC6962, leaf, size, 0, hashes[strtoul(token[1], NULL, 10)]),
                     PLEACH_OK);
}

/* Leaves of differing sizes: their hashes grow a frontier. */
static void check_frontier(size_t leaves, const char *hex)
{
    pleach__hashing hashing;
    pleach__frontier frontier = {.node = &hashing.node};
    uint8_t root[D];
    assert_int_equal(pleach__scheme_hashing(PLEACH_SCHEME_RFC6962, 0, 0, &hashing), PLEACH_OK);
    assert_int_equal(pleach__backend_of(NULL, PLEACH_SHA256, &frontier.backend), PLEACH_OK);
    for (size_t i = 0; i < leaves; i++)
        pleach__frontier_append(&frontier, hashes[i]);
    pleach__frontier_root(&frontier, root);
    assert_hex(root, hex);
}

static void check_root(char **token, size_t count)
{
    size_t leaves = strtoul(token[1], NULL, 10);
    assert_true(count == 3 && leaves < 9);
    roots[leaves] = strdup(token[2]);
    if (leaves <= 1)
        assert_roots(PLEACH_SCHEME_RFC6962, &(pleach_leaves){.count = leaves}, token[2]);
    if (leaves > 0)
        check_frontier(leaves, token[2]);
}

static void check_inclusion(char **token, size_t count)
{
    uint8_t path[PATH], root[D];
    size_t index = strtoul(token[1], NULL, 10), leaves = strtoul(token[2], NULL, 10), nodes = 0;
    for (size_t i = 3; i < count; i++)
        nodes += from_hex(token[i], path + D * nodes, D) / D;
    assert_int_equal(from_hex(roots[leaves], root, D), D);
    assert_int_equal(pleach_merkle_verify(PLEACH_SCHEME_RFC6962, index, leaves, hashes[index], path, nodes, root),
                     PLEACH_OK);
    root[index]++;
    assert_int_equal(pleach_merkle_verify(PLEACH_SCHEME_RFC6962, index, leaves, hashes[index], path, nodes, root),
                     PLEACH_EPROOFROOT);
}

static void check_leaf_hash(char **token, size_t count)
{
    uint8_t leaf[64], digest[D];
    size_t size = from_hex(token[1], leaf, sizeof leaf);
    assert_true(count == 3);
    assert_int_equal(pleach_merkle_leaf(PLEACH_SCHEME_RFC6962, leaf, size, 0, digest), PLEACH_OK);
    assert_hex(digest, token[2]);
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
    uint8_t data[64];
    size_t leaves = strtoul(token[2] + 2, NULL, 10), size = 0;
    assert_true(strncmp(token[2], "n=", 2) == 0 && count == 3 + leaves);
    for (size_t i = 3; i < count; i++)
        size += from_hex(token[i], data + size, sizeof data - size);
    size = leaves > 0 ? size / leaves : 0;
    assert_roots(PLEACH_SCHEME_RFC6962, &(pleach_leaves){.data = data, .size = size, .stride = size, .count = leaves},
                 token[1]);
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
    check_frontier(14, token[1]);
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

static void sha256_merkle(void **state)
{
    static const struct {
        const char *key;
        void (*check)(char **token, size_t count);
        unsigned lines;
    } kinds[] = {
        {"rfc6962.leaf", hash_leaf, 8},
        {"rfc6962.root", check_root, 9},
        {"rfc6962.incl", check_inclusion, 36},
        {"rfc6962.leafhash", check_leaf_hash, 1},
        {"rfc6962.be32root", check_numbers, 17},
        {"rfc6962.h32root", check_hashed_numbers, 12},
        {"tm.root", check_tendermint_root, 5},
        {"tm.kvmap", check_tendermint_map, 4},
        {"tm.header.leaf", hash_leaf, 14},
        {"tm.header.root", check_tendermint_header, 1},
        {"tm.attack.emptyroot", check_empty_root_attack, 1},
    };
    enum { KINDS = sizeof kinds / sizeof kinds[0] };
    unsigned lines[KINDS] = {0};
    FILE *file = fopen(PLEACH_VECTORS "/sha256-merkle.txt", "r");
    char *line = NULL, *token[TOKENS];
    size_t room = 0;
    (void)state;
    assert_non_null(file);
    while (getline(&line, &room, file) > 0) {
        size_t count = 0;
        line[strcspn(line, "#[\n")] = '\0';
        for (char *at = strtok(line, " "); at && count < TOKENS; at = strtok(NULL, " "))
            token[count++] = at;
        for (size_t k = 0; k < KINDS && count > 0; k++) {
            if (strcmp(token[0], kinds[k].key) == 0) {
                kinds[k].check(token, count);
                lines[k]++;
            }
        }
    }
    for (size_t k = 0; k < KINDS; k++)
        assert_int_equal(lines[k], kinds[k].lines);
    for (size_t i = 0; i < 9; i++)
        free(roots[i]);
    free(line);
    (void)fclose(file);
}

int test_vectors(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(leanvm_b), cmocka_unit_test(sha256_merkle)};
    return cmocka_run_group_tests_name("known answers", tests, open_trials, close_trials);
}
