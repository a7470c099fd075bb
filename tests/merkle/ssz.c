/* SSZ: known answers; roots against the definition. */
#include "ssz_test.h"

#include "merkle/ssz.h"

#include <stdlib.h>
#include <string.h>

enum { D = PLEACH_DIGEST_SIZE, CHUNKS = 100 };

static uint8_t data[CHUNKS * D];

uint8_t zero_root[65][D];

/* --- the definition --- */

void make_zero_roots(void)
{
    for (size_t i = 0; i < 64; i++)
        naive_node(PLEACH_SCHEME_SSZ, zero_root[i], zero_root[i], zero_root[i + 1]);
}

void node_of_level(const uint8_t *chunks, size_t count, unsigned level, uint64_t index, uint8_t *node)
{
    uint8_t left[D], right[D];
    if (count == 0 || index > (uint64_t)(count - 1) >> level) {
        memcpy(node, zero_root[level], D);
    } else if (level == 0) {
        memcpy(node, chunks + D * index, D);
    } else {
        node_of_level(chunks, count, level - 1, 2 * index, left);
        node_of_level(chunks, count, level - 1, 2 * index + 1, right);
        naive_node(PLEACH_SCHEME_SSZ, left, right, node);
    }
}

void chunk_of(uint64_t number, uint8_t *chunk)
{
    memset(chunk, 0, D);
    for (size_t i = 0; i < 8; i++)
        chunk[i] = (uint8_t)(number >> 8 * i);
}

static unsigned depth_of_limit(uint64_t limit)
{
    unsigned depth = 0;
    while (depth < 64 && limit > (uint64_t)1 << depth)
        depth++;
    return depth;
}

static void definition(const uint8_t *chunks, size_t count, uint64_t limit, uint8_t *root)
{
    node_of_level(chunks, count, depth_of_limit(limit == PLEACH_SSZ_NO_LIMIT ? count : limit), 0, root);
}

static void progressive_definition(const uint8_t *chunks, size_t count, size_t subtree, uint8_t *root)
{
    uint8_t first[D], rest[D];
    const size_t taken = count < subtree ? count : subtree;
    memset(root, 0, D);
    if (count == 0)
        return;
    progressive_definition(chunks + D * taken, count - taken, subtree * 4, rest);
    definition(chunks, taken, subtree, first);
    naive_node(PLEACH_SCHEME_SSZ, rest, first, root);
}

/* --- sha256-merkle.txt --- */

static void assert_root(const uint8_t *chunks, size_t count, uint64_t limit, const char *hex)
{
    for (size_t t = 0; t < trial_count; t++) {
        uint8_t root[D];
        assert_int_equal(pleach_ssz_root(trials[t].pool, chunks, count, limit, root), PLEACH_OK);
        assert_hex(root, hex);
    }
}

/* The number after `key` and '='; 2^ is a power, None no limit. */
static uint64_t number_after(const char *token, const char *key)
{
    const size_t length = strlen(key);
    assert_true(strncmp(token, key, length) == 0 && token[length] == '=');
    const char *text = token + length + 1;
    if (strcmp(text, "None") == 0)
        return PLEACH_SSZ_NO_LIMIT;
    return strncmp(text, "2^", 2) == 0 ? (uint64_t)1 << strtoul(text + 2, NULL, 10) : strtoull(text, NULL, 10);
}

static size_t hex_after(const char *token, const char *key, uint8_t *bytes, size_t capacity)
{
    const size_t length = strlen(key);
    assert_true(strncmp(token, key, length) == 0 && token[length] == '=');
    return from_hex(token + length + 1, bytes, capacity);
}

static void check_zero_hash(char **token, size_t count)
{
    assert_int_equal(count, 3);
    assert_root(NULL, 0, (uint64_t)1 << strtoul(token[1], NULL, 10), token[2]);
}

static void check_merkleize(char **token, size_t count)
{
    uint8_t chunks[8 * D];
    assert_int_equal(count, 5);
    assert_int_equal(strncmp(token[2], "chunk=0x", 8), 0);
    memset(chunks, (int)strtoul(token[2] + 8, NULL, 16), sizeof chunks);
    assert_root(chunks, (size_t)number_after(token[3], "n"), number_after(token[1], "limit"), token[4]);
}

/* SHA-256 of the numbers from 0 on, big-endian. */
static void hash_numbers(uint8_t *chunks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint8_t number[4] = {0, 0, (uint8_t)(i >> 8), (uint8_t)i};
        assert_int_equal(pleach_hash_many(NULL, PLEACH_SHA256, number, 4, 4, 1, chunks + D * i), PLEACH_OK);
    }
}

static void check_sequence(char **token, size_t count)
{
    uint8_t chunks[17 * D];
    assert_int_equal(count, 4);
    hash_numbers(chunks, 17);
    assert_root(chunks, (size_t)number_after(token[1], "n"), number_after(token[2], "limit"), token[3]);
}

static void assert_list(const uint8_t *chunks, size_t count, uint64_t limit, uint64_t length, const char *hex)
{
    uint8_t root[D];
    assert_int_equal(pleach_ssz_root(NULL, chunks, count, limit, root), PLEACH_OK);
    assert_int_equal(pleach_ssz_mix_in_length(root, length, root), PLEACH_OK);
    assert_hex(root, hex);
}

static void check_list_of_numbers(char **token, size_t count)
{
    uint8_t chunks[2 * D] = {0};
    const uint64_t limit = number_after(token[1], "limit_elems") / 4;
    assert_int_equal(count, 5);
    if (strcmp(token[2], "empty") == 0) {
        assert_list(NULL, 0, limit, 0, token[4]);
        return;
    }
    assert_string_equal(token[2], "values=32000000000..+4");
    for (size_t i = 0; i < 5; i++) {
        uint8_t value[D];
        chunk_of(32000000000 + i, value);
        memcpy(chunks + 8 * i, value, 8);
    }
    assert_list(chunks, 2, limit, 5, token[4]);
}

static void check_list_of_roots(char **token, size_t count)
{
    assert_int_equal(count, 5);
    assert_list(NULL, 0, number_after(token[1], "limit"), 0, token[4]);
}

static void check_fork_data(char **token, size_t count)
{
    uint8_t chunks[2 * D] = {0}, root[D];
    assert_int_equal(count, 5);
    assert_int_equal(hex_after(token[1], "version", chunks, 4), 4);
    assert_int_equal(hex_after(token[2], "genesis_validators_root", chunks + D, D), D);
    assert_root(chunks, 2, 2, token[3] + strlen("root="));
    assert_int_equal(hex_after(token[3], "root", root, D), D);
    uint8_t digest[4];
    assert_int_equal(hex_after(token[4], "digest", digest, 4), 4);
    assert_memory_equal(digest, root, 4);
}

/* A container of BLS public key, withdrawal credentials, amount and signature. */
static void check_deposit_data(char **token, size_t count)
{
    uint8_t fields[4 * D] = {0}, chunks[3 * D] = {0};
    assert_int_equal(count, 6);
    assert_int_equal(hex_after(token[1], "pubkey", chunks, 48), 48);
    assert_int_equal(pleach_ssz_root(NULL, chunks, 2, 2, fields), PLEACH_OK);
    assert_int_equal(hex_after(token[2], "wc", fields + D, D), D);
    chunk_of(number_after(token[3], "amount"), fields + 2 * (size_t)D);
    assert_int_equal(hex_after(token[4], "sig", chunks, sizeof chunks), 96);
    assert_int_equal(pleach_ssz_root(NULL, chunks, 3, 3, fields + 3 * (size_t)D), PLEACH_OK);
    assert_root(fields, 4, 4, token[5] + strlen("root="));
}

static void check_progressive(char **token, size_t count)
{
    uint8_t chunks[22 * D], root[D];
    assert_int_equal(count, 3);
    hash_numbers(chunks, 22);
    const size_t n = (size_t)number_after(token[1], "n");
    for (size_t t = 0; t < trial_count; t++) {
        assert_int_equal(pleach_ssz_progressive_root(trials[t].pool, chunks, n, root), PLEACH_OK);
        assert_hex(root, token[2]);
    }
}

static void known_answers(void **state)
{
    static const struct line_kind kinds[] = {
        {"ssz.zerohash", check_zero_hash, 49},          {"ssz.merkleize", check_merkleize, 6},
        {"ssz.merkleize.seq", check_sequence, 11},      {"ssz.list.uint64", check_list_of_numbers, 2},
        {"ssz.list.composite", check_list_of_roots, 1}, {"ssz.forkdata", check_fork_data, 5},
        {"ssz.progressive", check_progressive, 7},      {"ssz.depositdata", check_deposit_data, 1},
    };
    (void)state;
    check_lines("sha256-merkle.txt", kinds, sizeof kinds / sizeof kinds[0]);
}

/* --- roots --- */

static void roots(void **state)
{
    uint8_t root[D], expected[D];
    (void)state;
    for (size_t count = 0; count <= CHUNKS; count++) {
        const uint64_t limits[] = {PLEACH_SSZ_NO_LIMIT,
                                   0,
                                   1,
                                   2,
                                   3,
                                   count,
                                   count + 1,
                                   2 * count,
                                   100,
                                   (uint64_t)1 << 40,
                                   (uint64_t)1 << 62,
                                   ((uint64_t)1 << 62) + 1,
                                   (uint64_t)1 << 63};
        for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
            pleach_pool *pool = trials[(count + i) % trial_count].pool;
            memset(root, 0xab, D);
            memset(expected, 0xab, D);
            const bool fits = count <= limits[i];
            if (fits)
                definition(data, count, limits[i], expected);
            assert_int_equal(pleach_ssz_root(pool, data, count, limits[i], root), fits ? PLEACH_OK : PLEACH_ERANGE);
            assert_memory_equal(root, expected, D);
        }
        progressive_definition(data, count, 1, expected);
        assert_int_equal(pleach_ssz_progressive_root(trials[count % trial_count].pool, data, count, root), PLEACH_OK);
        assert_memory_equal(root, expected, D);
    }
}

static void mix_ins(void **state)
{
    static const uint64_t numbers[] = {0, 1, 255, 256, UINT32_MAX, UINT64_MAX};
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        uint8_t chunk[D], expected[D], mixed[D];
        chunk_of(numbers[i], chunk);
        naive_node(PLEACH_SCHEME_SSZ, data, chunk, expected);
        assert_int_equal(pleach_ssz_mix_in_length(data, numbers[i], mixed), PLEACH_OK);
        assert_memory_equal(mixed, expected, D);
        memcpy(mixed, data, D);
        assert_int_equal(pleach_ssz_mix_in_length(mixed, numbers[i], mixed), PLEACH_OK);
        assert_memory_equal(mixed, expected, D);
        if (numbers[i] <= UINT8_MAX) {
            assert_int_equal(pleach_ssz_mix_in_selector(data, (uint8_t)numbers[i], mixed), PLEACH_OK);
            assert_memory_equal(mixed, expected, D);
        }
    }
}

static void concatenation(void **state)
{
    uint64_t index = 77;
    (void)state;
    for (uint64_t outer = 1; outer < 40; outer++) {
        for (uint64_t inner = 1; inner < 40; inner++) {
            uint64_t power = 1;
            while (2 * power <= inner)
                power *= 2;
            assert_int_equal(pleach_ssz_concat(outer, inner, &index), PLEACH_OK);
            assert_int_equal(index, outer * power + inner - power);
        }
    }
    assert_int_equal(pleach_ssz_concat(UINT64_MAX, 1, &index), PLEACH_OK);
    assert_int_equal(index, UINT64_MAX);
    assert_int_equal(pleach_ssz_concat(1, UINT64_MAX, &index), PLEACH_OK);
    assert_int_equal(index, UINT64_MAX);
    index = 77;
    assert_int_equal(pleach_ssz_concat((uint64_t)1 << 62, 4, &index), PLEACH_ERANGE);
    assert_int_equal(pleach_ssz_concat(UINT64_MAX, 2, &index), PLEACH_ERANGE);
    assert_int_equal(pleach_ssz_concat(0, 1, &index), PLEACH_EINVAL);
    assert_int_equal(pleach_ssz_concat(1, 0, &index), PLEACH_EINVAL);
    assert_int_equal(pleach_ssz_concat(1, 1, NULL), PLEACH_EINVAL);
    assert_int_equal(index, 77);
}

static void arguments(void **state)
{
    uint8_t out[D], before[D];
    pleach_scheme scheme = {.depth = 77};
    (void)state;
    memset(out, 0xab, D);
    memset(before, 0xab, D);
    assert_int_equal(pleach_ssz_scheme(1, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_ssz_scheme(((uint64_t)1 << 63) + 1, &scheme), PLEACH_ERANGE);
    assert_int_equal(scheme.depth, 77);
    assert_int_equal(pleach_ssz_scheme((uint64_t)1 << 63, &scheme), PLEACH_OK);
    assert_int_equal(scheme.depth, 63);
    assert_int_equal(pleach_ssz_root(NULL, data, 1, 1, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_ssz_root(NULL, NULL, 1, 1, out), PLEACH_EINVAL);
    assert_int_equal(pleach_ssz_root(NULL, data, 1, ((uint64_t)1 << 63) + 1, out), PLEACH_ERANGE);
    assert_int_equal(pleach_ssz_root(NULL, data, SIZE_MAX, PLEACH_SSZ_NO_LIMIT, out), PLEACH_ERANGE);
    assert_int_equal(pleach_ssz_progressive_root(NULL, data, 1, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_ssz_progressive_root(NULL, NULL, 1, out), PLEACH_EINVAL);
    assert_int_equal(pleach_ssz_progressive_root(NULL, data, SIZE_MAX, out), PLEACH_ERANGE);
    assert_int_equal(pleach_ssz_mix_in_length(NULL, 1, out), PLEACH_EINVAL);
    assert_int_equal(pleach_ssz_mix_in_length(data, 1, NULL), PLEACH_EINVAL);
    assert_memory_equal(out, before, D);
}

static int open_ssz(void **state)
{
    fill_stream(data, sizeof data);
    make_zero_roots();
    return open_trials(state);
}

int test_ssz(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers), cmocka_unit_test(roots),     cmocka_unit_test(mix_ins),
        cmocka_unit_test(concatenation), cmocka_unit_test(arguments),
    };
    return cmocka_run_group_tests_name("ssz", tests, open_ssz, close_trials);
}
