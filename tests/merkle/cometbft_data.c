/* Roots of transactions and of maps as CometBFT has them. */
#include "merkle_test.h"

#include "merkle/cometbft.h"

#include <stdlib.h>
#include <string.h>

enum { D = PLEACH_DIGEST_SIZE, TRANSACTIONS = 3000 };

static uint8_t data[64];

/* Of all sizes, some of none; together as many as `size` bytes have. */
static size_t cut_transactions(const uint8_t *bytes, size_t size, pleach_input *transactions, uint64_t seed)
{
    size_t n = 0;
    for (size_t at = 0; at < size && n < TRANSACTIONS; n++) {
        size_t piece = (size_t)random_below(&seed, n % 50 == 0 ? 3000 : 400);
        piece = piece < size - at ? piece : size - at;
        transactions[n] = (pleach_input){piece > 0 ? bytes + at : NULL, piece};
        at += piece;
    }
    return n;
}

/* Numbers of them for which one thread is enough, and for which it is not; their proofs. */
static void transactions(void **state)
{
    static uint8_t bytes[700000];
    static pleach_input list[TRANSACTIONS];
    static uint8_t expected[TRANSACTIONS * D], hashes[TRANSACTIONS * D + 1], leaves[TRANSACTIONS * D];
    static const size_t sizes[] = {0, 1, 100, 5000, 60000, sizeof bytes};
    const pleach__hash_form form = {.size = 0, .prefix = PLEACH_NO_PREFIX};
    (void)state;
    fill_stream(bytes, sizeof bytes);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        const size_t n = cut_transactions(bytes, sizes[s], list, s);
        uint8_t root[D], expected_root[D];
        for (size_t i = 0; i < n; i++) {
            pleach__hash_form sized = form;
            sized.size = list[i].size;
            pleach__sha256.reference(&sized, list[i].size > 0 ? list[i].bytes : bytes, expected + D * i);
            naive_leaf(PLEACH_SCHEME_RFC6962, expected + D * i, D, 0, leaves + D * i);
        }
        naive_root(PLEACH_SCHEME_RFC6962, leaves, n, expected_root);
        for (size_t t = 0; t < trial_count; t++) {
            memset(hashes, 0xab, sizeof hashes);
            assert_int_equal(pleach_cometbft_hash_transactions(trials[t].pool, list, n, hashes), PLEACH_OK);
            assert_memory_equal(hashes, expected, D * n);
            assert_int_equal(hashes[D * n], 0xab);
            assert_int_equal(pleach_cometbft_transactions_root(trials[t].pool, list, n, root), PLEACH_OK);
            assert_memory_equal(root, expected_root, D);
        }
        if (n == 0)
            continue;
        pleach_tree *tree = plant_tree(PLEACH_SCHEME_RFC6962, hashes, D, n);
        pleach_cometbft_proof proof;
        assert_int_equal(pleach_cometbft_prove(tree, n / 2, &proof), PLEACH_OK);
        assert_int_equal(pleach_cometbft_verify(&proof, root, D, hashes + D * (n / 2), D), PLEACH_OK);
        pleach_tree_destroy(tree);
    }
}

static void refused_transactions(void **state)
{
    pleach_input list[] = {{data, 3}, {NULL, 0}, {data, 5}};
    uint8_t hashes[3 * D], root[D], before[3 * D];
    (void)state;
    memset(hashes, 0xab, sizeof hashes);
    memset(root, 0xab, sizeof root);
    memset(before, 0xab, sizeof before);
    assert_int_equal(pleach_cometbft_hash_transactions(NULL, NULL, 3, hashes), PLEACH_EINVAL);
    assert_int_equal(pleach_cometbft_hash_transactions(NULL, list, 3, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_cometbft_hash_transactions(NULL, NULL, 0, NULL), PLEACH_OK);
    assert_int_equal(pleach_cometbft_transactions_root(NULL, NULL, 3, root), PLEACH_EINVAL);
    assert_int_equal(pleach_cometbft_transactions_root(NULL, list, 3, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_cometbft_transactions_root(NULL, list, SIZE_MAX, root), PLEACH_ERANGE);
    list[1].size = 1;
    assert_int_equal(pleach_cometbft_hash_transactions(NULL, list, 3, hashes), PLEACH_EINVAL);
    assert_int_equal(pleach_cometbft_transactions_root(NULL, list, 3, root), PLEACH_EINVAL);
    assert_non_null(strstr(pleach_last_error(), "input 1: bytes = NULL"));
    list[1] = (pleach_input){data, PTRDIFF_MAX - 5};
    assert_int_equal(pleach_cometbft_hash_transactions(NULL, list, 3, hashes), PLEACH_ERANGE);
    assert_memory_equal(hashes, before, sizeof hashes);
    assert_memory_equal(root, before, sizeof root);
}

/* --- maps --- */

static int shuffled(const void *a, const void *b)
{
    const pleach_cometbft_entry *left = a, *right = b;
    return memcmp(left->value.bytes, right->value.bytes, D);
}

/* Keys that are prefixes of each other, of one byte and of more than 127, with high bytes; entries in any order. */
static void maps(void **state)
{
    enum { ENTRIES = 400, KEY = 300 };
    static uint8_t keys[ENTRIES][KEY], values[ENTRIES][D], hashes[ENTRIES * D];
    static pleach_cometbft_entry entries[ENTRIES];
    (void)state;
    fill_stream(values[0], sizeof values);
    for (size_t i = 0; i < ENTRIES; i++) { /* ascending: by the first byte, then by size */
        memset(keys[i], (int)(i / 2 + 50), KEY);
        entries[i] =
            (pleach_cometbft_entry){{keys[i], i % 2 == 0 ? 1 + i % 128 : KEY - 80 + i % 80}, {values[i], i % D}};
        uint8_t leaf[KEY + PLEACH_COMETBFT_ENTRY_EXTRA];
        size_t size = 0;
        assert_int_equal(pleach_cometbft_entry_leaf(&entries[i], leaf, sizeof leaf, &size), PLEACH_OK);
        naive_leaf(PLEACH_SCHEME_RFC6962, leaf, size, 0, hashes + D * i);
    }
    for (size_t n = 0; n <= ENTRIES; n = n < 9 ? n + 1 : n * 2 + n % 3) {
        pleach_cometbft_entry mixed[ENTRIES];
        uint8_t root[D], expected[D];
        memcpy(mixed, entries, sizeof mixed);
        qsort(mixed, n, sizeof mixed[0], shuffled);
        naive_root(PLEACH_SCHEME_RFC6962, hashes, n, expected);
        for (size_t t = 0; t < trial_count; t++) {
            assert_int_equal(pleach_cometbft_map_root(trials[t].pool, mixed, n, root), PLEACH_OK);
            assert_memory_equal(root, expected, D);
        }
    }
}

static void map_leaves(void **state)
{
    uint8_t key[400], leaf[sizeof key + PLEACH_COMETBFT_ENTRY_EXTRA], hash[D];
    (void)state;
    memset(key, 'k', sizeof key);
    pleach__sha256.reference(&(pleach__hash_form){.size = 5, .prefix = PLEACH_NO_PREFIX}, data, hash);
    for (size_t size = 1; size <= sizeof key; size++) {
        const pleach_cometbft_entry entry = {{key, size}, {data, 5}};
        const size_t digits = size < 128 ? 1 : 2, expected = digits + size + 1 + D;
        size_t got = 77;
        memset(leaf, 0xab, sizeof leaf);
        assert_int_equal(pleach_cometbft_entry_leaf(&entry, leaf, expected - 1, &got), PLEACH_ERANGE);
        assert_int_equal(got, 77);
        assert_int_equal(leaf[0], 0xab);
        assert_int_equal(pleach_cometbft_entry_leaf(&entry, leaf, expected, &got), PLEACH_OK);
        assert_int_equal(got, expected);
        assert_int_equal(leaf[0], digits == 1 ? size : 128 + size % 128);
        assert_true(digits == 1 || leaf[1] == size / 128);
        assert_memory_equal(leaf + digits, key, size);
        assert_int_equal(leaf[digits + size], 32);
        assert_memory_equal(leaf + digits + size + 1, hash, D);
        assert_int_equal(leaf[expected], 0xab);
    }
}

static void refused_maps(void **state)
{
    pleach_cometbft_entry entries[] = {{{data, 2}, {data, 3}}, {{data, 1}, {NULL, 0}}, {{data + 1, 2}, {data, 9}}};
    uint8_t root[D], before[D], leaf[64];
    size_t size = 77;
    (void)state;
    memset(root, 0xab, D);
    memset(before, 0xab, D);
    entries[2].key = entries[0].key;
    assert_int_equal(pleach_cometbft_map_root(NULL, entries, 3, root), PLEACH_EINVAL);
    assert_non_null(strstr(pleach_last_error(), "same key"));
    entries[2].key = (pleach_input){data, 0};
    assert_int_equal(pleach_cometbft_map_root(NULL, entries, 3, root), PLEACH_EINVAL);
    assert_non_null(strstr(pleach_last_error(), "entry 2: key: size = 0"));
    assert_int_equal(pleach_cometbft_entry_leaf(&entries[2], leaf, sizeof leaf, &size), PLEACH_EINVAL);
    entries[2].key = (pleach_input){NULL, 4};
    assert_int_equal(pleach_cometbft_map_root(NULL, entries, 3, root), PLEACH_EINVAL);
    entries[2].key = (pleach_input){data, PTRDIFF_MAX - 100};
    assert_int_equal(pleach_cometbft_map_root(NULL, entries, 3, root), PLEACH_ERANGE);
    entries[2].key = (pleach_input){data, SIZE_MAX};
    assert_int_equal(pleach_cometbft_map_root(NULL, entries, 3, root), PLEACH_ERANGE);
    assert_int_equal(pleach_cometbft_entry_leaf(&entries[2], leaf, sizeof leaf, &size), PLEACH_ERANGE);
    entries[2] = (pleach_cometbft_entry){{data, 3}, {NULL, 1}};
    assert_int_equal(pleach_cometbft_map_root(NULL, entries, 3, root), PLEACH_EINVAL);
    assert_int_equal(pleach_cometbft_entry_leaf(&entries[2], leaf, sizeof leaf, &size), PLEACH_EINVAL);
    assert_int_equal(pleach_cometbft_map_root(NULL, NULL, 3, root), PLEACH_EINVAL);
    assert_int_equal(pleach_cometbft_map_root(NULL, entries, SIZE_MAX, root), PLEACH_ERANGE);
    assert_int_equal(pleach_cometbft_map_root(NULL, entries, 2, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_cometbft_entry_leaf(NULL, leaf, sizeof leaf, &size), PLEACH_EINVAL);
    assert_int_equal(pleach_cometbft_entry_leaf(entries, NULL, sizeof leaf, &size), PLEACH_EINVAL);
    assert_int_equal(pleach_cometbft_entry_leaf(entries, leaf, sizeof leaf, NULL), PLEACH_EINVAL);
    assert_int_equal(size, 77);
    assert_memory_equal(root, before, D);
}

static int fill_data(void **state)
{
    fill_stream(data, sizeof data);
    return open_trials(state);
}

int test_cometbft_data(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(transactions), cmocka_unit_test(refused_transactions),
                                       cmocka_unit_test(maps), cmocka_unit_test(map_leaves),
                                       cmocka_unit_test(refused_maps)};
    return cmocka_run_group_tests_name("cometbft data", tests, fill_data, close_trials);
}
