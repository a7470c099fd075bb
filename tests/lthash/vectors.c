/* Every entry of the known answers. */
#define _GNU_SOURCE
#include "lthash_test.h"

#include "lthash/sei.h"
#include "lthash/solana.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ACCOUNT = 8 + 64 + 1 + 64 };

static void assert_hex(const uint8_t *bytes, size_t size, const char *hex)
{
    unsigned byte;
    assert_int_equal(strlen(hex), 2 * size);
    for (size_t i = 0; i < size; i++) {
        assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
        assert_int_equal(bytes[i], byte);
    }
}

/* --- what the names of entries mean --- */

static void say(struct changes *changes, pleach_lthash_action action, const char *text)
{
    memcpy(change(changes, action, strlen(text)), text, strlen(text));
}

/* Item v(i,n). */
static void count_up(struct changes *changes, pleach_lthash_action action, size_t i, size_t n)
{
    uint8_t *bytes = change(changes, action, n);
    for (size_t j = 0; j < n; j++)
        bytes[j] = (uint8_t)(j < 8 ? (uint64_t)i >> 8 * j : i + j);
}

static pleach_input text_of(const char *text)
{
    return (pleach_input){(const uint8_t *)text, strlen(text)};
}

static void pair(struct changes *changes, const char *key, const char *old_value, const char *new_value)
{
    const pleach_input its_key = text_of(key), was = text_of(old_value ? old_value : ""),
                       is = text_of(new_value ? new_value : "");
    size_t n = 0;
    assert_int_equal(pleach_sei_update(&its_key, old_value ? &was : NULL, new_value ? &is : NULL,
                                       changes->bytes + changes->used, changes->size - changes->used,
                                       changes->ops + changes->n, &n),
                     PLEACH_OK);
    for (; n > 0; n--)
        changes->used += changes->ops[changes->n++].item.size;
}

static void pairs(struct changes *changes, bool later)
{
    for (int i = 0; i < 500; i++) {
        char key[16], value[16], next[16];
        (void)snprintf(key, sizeof key, "key-%d", i);
        (void)snprintf(value, sizeof value, "val-%d", i);
        (void)snprintf(next, sizeof next, "new-%d", i);
        pair(changes, key, NULL, value);
        if (later && i % 3 < 2)
            pair(changes, key, value, i % 3 == 0 ? NULL : next);
    }
}

static void accounts(struct changes *changes, size_t n)
{
    uint8_t data[64], owner[32], public_key[32];
    memset(data, 0xaa, sizeof data);
    memset(owner, 2, sizeof owner);
    memset(public_key, 1, sizeof public_key);
    for (size_t i = 0; i < n; i++) {
        const pleach_solana_account account = {
            .lamports = 1000 + i, .data = {data, sizeof data}, .owner = owner, .public_key = public_key};
        size_t size = 0;
        data[0] = (uint8_t)i;
        assert_int_equal(pleach_solana_account_item(&account, change(changes, ADD, ACCOUNT), ACCOUNT, &size),
                         PLEACH_OK);
        assert_int_equal(size, ACCOUNT);
    }
}

/* Entries "SUM(i<n) H(v(i,m))" and their like, where m is a size or "i". */
static void sum(struct changes *changes, size_t n, size_t m, bool thirds)
{
    for (size_t i = 0; i < n; i++)
        count_up(changes, ADD, i, m == SIZE_MAX ? i : m);
    for (size_t i = 0; thirds && i < n; i += 3)
        count_up(changes, REMOVE, i, i);
}

static void pattern(struct changes *changes, size_t n)
{
    uint8_t *bytes = change(changes, ADD, n);
    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)(i % 251);
}

static bool ends(const char *name, int end)
{
    return end > 0 && name[end] == '\0';
}

/* Those with numbers in their names. */
static bool build_numbered(const char *name, struct changes *changes)
{
    size_t n = 0, m = 0;
    int end = 0;
    if (sscanf(name, "H(pat[%zu])%n", &n, &end) == 1 && ends(name, end)) {
        pattern(changes, n);
    } else if (sscanf(name, "SUM(i<%zu) H(v(i,%zu))%n", &n, &m, &end) == 2 && ends(name, end)) {
        sum(changes, n, m, false);
    } else if (sscanf(name, "SUM(i<%zu) ACCT(i)%n", &n, &end) == 1 && ends(name, end)) {
        accounts(changes, n);
    } else if (sscanf(name, "%zu*H(\"hello\")%n", &n, &end) == 1 && ends(name, end)) {
        if (n == 0)
            return false;
        for (; n > 0; n--)
            say(changes, ADD, "hello");
    } else {
        return false;
    }
    return true;
}

static void build(const char *name, struct changes *changes)
{
    if (build_numbered(name, changes) || strcmp(name, "ZERO") == 0)
        return;
    if (strcmp(name, "H(\"\")") == 0) {
        say(changes, ADD, "");
    } else if (strcmp(name, "H(\"hello\")") == 0) {
        say(changes, ADD, "hello");
    } else if (strcmp(name, "H(\"world!\")") == 0) {
        say(changes, ADD, "world!");
    } else if (strcmp(name, "H(\"hello\")+H(\"world!\")") == 0) {
        say(changes, ADD, "hello");
        say(changes, ADD, "world!");
    } else if (strcmp(name, "H(\"hello\")-H(\"world!\")") == 0) {
        say(changes, ADD, "hello");
        say(changes, REMOVE, "world!");
    } else if (strcmp(name, "0-H(\"hello\")") == 0) {
        say(changes, REMOVE, "hello");
    } else if (strcmp(name, "SUM(i<1000) H(v(i,i))") == 0) {
        sum(changes, 1000, SIZE_MAX, false);
    } else if (strcmp(name, "SUM(i<1000) H(v(i,i)) - SUM(i<1000,i%3==0) H(v(i,i))") == 0) {
        sum(changes, 1000, SIZE_MAX, true);
    } else if (strcmp(name, "KV(key1,value1)") == 0) {
        pair(changes, "key1", NULL, "value1");
    } else if (strcmp(name, "KV(a,bc)") == 0) {
        pair(changes, "a", NULL, "bc");
    } else if (strcmp(name, "KV(ab,c)") == 0) {
        pair(changes, "ab", NULL, "c");
    } else if (strcmp(name, "KVSUM(key-i,val-i;i<500)") == 0) {
        pairs(changes, false);
    } else if (strcmp(name, "KVSUM after delete i%3==0, update i%3==1 -> new-i") == 0) {
        pairs(changes, true);
    } else if (strcmp(name, "ACCT(0)") == 0) {
        accounts(changes, 1);
    } else if (strncmp(name, "BANKHASH", 8) == 0) {
        accounts(changes, 4);
    } else {
        fail_msg("no such entry: %s", name);
    }
}

/* --- what is said of them --- */

static void assert_bank_hash(const uint8_t *serialised, const char *hex)
{
    uint8_t inner[32 + 8 + 32], outer[32 + PLEACH_LTHASH_SIZE], digest[PLEACH_DIGEST_SIZE];
    memset(inner, 3, 32);
    memset(inner + 32, 0, 8);
    inner[32] = 7;
    memset(inner + 40, 4, 32);
    assert_int_equal(pleach_hash_many(NULL, PLEACH_SHA256, inner, sizeof inner, sizeof inner, 1, outer), PLEACH_OK);
    memcpy(outer + 32, serialised, PLEACH_LTHASH_SIZE);
    assert_int_equal(pleach_hash_many(NULL, PLEACH_SHA256, outer, sizeof outer, sizeof outer, 1, digest), PLEACH_OK);
    assert_hex(digest, sizeof digest, hex);
}

static void assert_line(const struct trial *trial, const pleach_lthash *state, const char *key, const char *value)
{
    uint8_t bytes[PLEACH_LTHASH_SIZE], digest[PLEACH_DIGEST_SIZE];
    assert_int_equal(pleach_lthash_serialise(state, bytes), PLEACH_OK);
    assert_int_equal(pleach_lthash_checksum(trial->pool, state, digest), PLEACH_OK);
    if (strcmp(key, "blake3") == 0)
        assert_hex(digest, sizeof digest, value);
    else if (strcmp(key, "first64") == 0)
        assert_hex(bytes, 64, value);
    else if (strcmp(key, "last16") == 0)
        assert_hex(bytes + sizeof bytes - 16, 16, value);
    else if (strcmp(key, "full2048") == 0)
        assert_hex(bytes, sizeof bytes, value);
    else if (strcmp(key, "sha256") == 0)
        assert_bank_hash(bytes, value);
    else
        fail_msg("no such line: %s", key);
}

static void apply_entry(const char *name, pleach_lthash *states)
{
    struct changes changes = changes_of(quick() ? 2000 : 101000, (size_t)(quick() ? 1 : 4) << 20);
    build(name, &changes);
    for (size_t t = 0; t < trial_count; t++) {
        assert_int_equal(pleach_lthash_init(&states[t]), PLEACH_OK);
        assert_int_equal(pleach_lthash_apply(trials[t].pool, &states[t], changes.ops, changes.n, HASHED, NULL),
                         PLEACH_OK);
    }
    changes_free(&changes);
}

static void every_entry(void **context)
{
    (void)context;
    FILE *file = fopen(PLEACH_VECTORS "/lthash.txt", "r");
    char line[2 * PLEACH_LTHASH_SIZE + 64], key[16];
    static char value[2 * PLEACH_LTHASH_SIZE + 1];
    static pleach_lthash states[16];
    unsigned entries = 0, lines = 0;
    bool skipped = false;
    assert_non_null(file);
    assert_true(trial_count <= 16);
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#')
            continue;
        if (line[0] == ' ') {
            assert_int_equal(sscanf(line, " %15s %4096s", key, value), 2);
            for (size_t t = 0; t < trial_count && !skipped; t++)
                assert_line(&trials[t], &states[t], key, value);
            lines++;
            continue;
        }
        if (strstr(line, "  # "))
            *strstr(line, "  # ") = '\0';
        skipped = quick() && (strstr(line, "i<100000") || strstr(line, "6553")); /* too long for emulated processors */
        if (!skipped)
            apply_entry(line, states);
        entries++;
    }
    assert_int_equal(entries, 53);
    assert_int_equal(lines, 52 + 49 + 49 + 3 + 1);
    (void)fclose(file);
}

int test_vectors(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_entry)};
    return cmocka_run_group_tests_name("known answers", tests, open_trials, close_trials);
}
