/* Every entry of the known answers that a verifier can check, and everything next to a valid signature. */
#define _GNU_SOURCE
#include "xmss_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HASH = PLEACH__XMSS_HASH, CHAINS = PLEACH_XMSS_CHAINS, LAST = CHAINS - 1, SIGNATURES_MOST = 16 };

/* What the lines so far say. */
struct reading {
    char section[32];
    uint8_t seed[PLEACH_XMSS_SEED_SIZE];
    uint64_t last_epoch;
    record now;
    unsigned lines, signatures, values, flips;
    record all[SIGNATURES_MOST];
};

static void assert_hex(const uint8_t *bytes, size_t size, const char *hex)
{
    uint8_t expected[SIGNATURE];
    from_hex(hex, expected, size);
    assert_memory_equal(bytes, expected, size);
}

static void assert_verdict(const record *r, pleach_status expected)
{
    const pleach_xmss_claim claim = claim_of(r);
    assert_int_equal(pleach__xmss_reference_verify(&claim), expected);
    assert_int_equal(pleach_xmss_verify(&claim), expected);
    for (size_t t = 0; t < trial_count; t++) {
        pleach_status result;
        assert_int_equal(pleach_xmss_verify_many(trials[t].pool, &claim, 1, &result, NULL), PLEACH_OK);
        assert_int_equal(result, expected);
    }
}

static void check_encoding(const struct reading *r, const char *value)
{
    uint8_t digits[CHAINS];
    assert_true(pleach__xmss_reference_encode(digits, r->now.key + HASH, r->now.epoch, r->now.message,
                                              r->now.signature + PLEACH__XMSS_RANDOMNESS, NULL));
    for (int i = 0; i < CHAINS; i++)
        assert_int_equal(digits[i], value[2 * i] - '0');
}

static void check_signature(struct reading *r, const char *value)
{
    uint8_t before[PLEACH_XMSS_RANDOMNESS_SIZE];
    memcpy(before, r->now.signature + PLEACH__XMSS_RANDOMNESS, sizeof before);
    from_hex(value, r->now.signature, SIGNATURE);
    if (strcmp(r->section, "xmss-negative") != 0)
        assert_memory_equal(r->now.signature + PLEACH__XMSS_RANDOMNESS, before, sizeof before);
    assert_verdict(&r->now, PLEACH_OK);
    assert_true(r->signatures < SIGNATURES_MOST);
    r->all[r->signatures++] = r->now;
}

static void check_one_time_key(const struct reading *r, const char *key, const char *value)
{
    const uint8_t *parameter = r->now.key + HASH;
    const unsigned chain = strstr(key, "41") ? LAST : 0;
    uint8_t hash[HASH];
    pleach__xmss_reference_prf(hash, r->seed, PLEACH__XMSS_START, r->now.epoch, chain);
    if (strstr(key, "step"))
        pleach__xmss_reference_steps(hash, parameter, r->now.epoch, chain, 0, 1, NULL);
    if (strstr(key, "tip"))
        pleach__xmss_reference_steps(hash, parameter, r->now.epoch, chain, 0, PLEACH__XMSS_STEPS, NULL);
    if (strstr(key, "leaf"))
        pleach__xmss_reference_secret_leaf(hash, r->seed, parameter, r->now.epoch);
    assert_hex(hash, HASH, value);
}

static void check_filler(const struct reading *r, const char *key, const char *value)
{
    const bool top = strstr(key, "31") != NULL;
    uint8_t hash[HASH];
    pleach__xmss_reference_prf(hash, r->seed, PLEACH__XMSS_FILLER, top ? 31 : 0, top ? 1 : r->last_epoch + 1);
    assert_hex(hash, HASH, value);
}

static void check_parameter(const struct reading *r, const char *value)
{
    uint8_t hash[HASH];
    pleach__xmss_reference_prf(hash, r->seed, PLEACH__XMSS_PUBLIC, 0, 0);
    assert_hex(hash, HASH, value);
}

static void check_flip(struct reading *r, size_t at, const char *value)
{
    record flipped = r->now;
    flipped.signature[at] ^= 1;
    assert_verdict(&flipped, strcmp(value, "InvalidWots") == 0 ? PLEACH_EXMSSENCODING : PLEACH_EXMSSROOT);
    r->flips++;
}

/* Keys that belong to the signer: not for this file. */
static bool is_signing(const char *key)
{
    static const char *const keys[] = {"epoch_start", "split_level", "merkle_root", "sign.counter", "sign_at_epoch_16"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return false;
}

static void read_entry(struct reading *r, const char *key, const char *value)
{
    size_t at;
    r->lines++;
    if (strcmp(key, "seed") == 0)
        from_hex(value, r->seed, sizeof r->seed);
    else if (strcmp(key, "epoch_end") == 0)
        r->last_epoch = strtoull(value, NULL, 10);
    else if (strcmp(key, "public_param") == 0)
        check_parameter(r, value);
    else if (strcmp(key, "public_key") == 0)
        from_hex(value, r->now.key, KEY);
    else if (strcmp(key, "message") == 0)
        from_hex(value, r->now.message, MESSAGE);
    else if (strcmp(key, "epoch") == 0 || strcmp(key, "sign.epoch") == 0)
        r->now.epoch = (uint32_t)strtoul(value, NULL, 10);
    else if (strcmp(key, "sign.randomness") == 0)
        from_hex(value, r->now.signature + PLEACH__XMSS_RANDOMNESS, PLEACH_XMSS_RANDOMNESS_SIZE);
    else if (strcmp(key, "sign.encoding") == 0)
        check_encoding(r, value);
    else if (strcmp(key, "signature") == 0 || strcmp(key, "sign.signature") == 0)
        check_signature(r, value);
    else if (strncmp(key, "wots.", 5) == 0)
        check_one_time_key(r, key, value), r->values++;
    else if (strncmp(key, "filler(", 7) == 0)
        check_filler(r, key, value), r->values++;
    else if (sscanf(key, "flip_bit0_of_byte_%zu", &at) == 1)
        check_flip(r, at, value);
    else if (strcmp(key, "verify_at_epoch_8") == 0) {
        record other = r->now;
        other.epoch = 8;
        assert_verdict(&other, PLEACH_EXMSSENCODING);
    } else if (!is_signing(key))
        fail_msg("no such entry: %s", key);
}

static void read_vectors(struct reading *r)
{
    FILE *file = fopen(PLEACH_VECTORS "/leanvm-b.txt", "r");
    char *line = NULL;
    size_t room = 0;
    memset(r, 0, sizeof *r);
    assert_non_null(file);
    while (getline(&line, &room, file) > 0) {
        char *equals = strstr(line, " = ");
        if (line[0] == '[')
            (void)sscanf(line, "[%31[^] \n]", r->section);
        if (line[0] == '#' || !equals || strncmp(r->section, "xmss", 4) != 0)
            continue;
        line[strcspn(line, "\n")] = '\0';
        *equals = '\0';
        read_entry(r, line, equals + 3);
    }
    free(line);
    (void)fclose(file);
}

static void vectors(void **state)
{
    static struct reading r;
    (void)state;
    read_vectors(&r);
    assert_int_equal(r.lines, 162);
    assert_int_equal(r.signatures, 11);
    assert_int_equal(r.values, 63);
    assert_int_equal(r.flips, 3);
}

/* Hashes of each type, of payloads that the file describes. */
static void tweaked_hashes(void **state)
{
    uint8_t parameter[HASH], hash[HASH], payload[CHAINS * HASH], stream[CHAINS * HASH];
    (void)state;
    fill_random(stream, sizeof stream, 0);
    memset(parameter, 0xA5, sizeof parameter);
    memset(payload, 0x5A, sizeof payload);
    pleach__xmss_reference_hash(hash, parameter, (pleach__xmss_tweak){PLEACH__XMSS_CHAIN, 1, 2}, payload, HASH, NULL);
    assert_hex(hash, HASH, "c6af070d08c12acdceca182f15c9a2ff");
    memset(payload, 0x3C, sizeof payload);
    pleach__xmss_reference_hash(hash, parameter, (pleach__xmss_tweak){PLEACH__XMSS_ENCODING, 3, 4}, payload, 64, NULL);
    assert_hex(hash, HASH, "c4a177827d939a1f3ba517634519f92c");
    pleach__xmss_reference_node(hash, parameter, 32, 0, stream, stream + HASH, NULL);
    assert_hex(hash, HASH, "f63288b64d2579aff95fa754d2554000");
    pleach__xmss_reference_leaf(hash, parameter, UINT32_MAX, stream, NULL);
    assert_hex(hash, HASH, "6d8e82bf39fc08538a3342a656555828");
}

static void flip(record *r, size_t bit)
{
    const uint8_t mask = (uint8_t)(1 << bit % 8);
    size_t at = bit / 8;
    if (at < SIGNATURE)
        r->signature[at] ^= mask;
    else if ((at -= SIGNATURE) < KEY)
        r->key[at] ^= mask;
    else if ((at -= KEY) < MESSAGE)
        r->message[at] ^= mask;
    else
        r->epoch ^= UINT32_C(1) << bit % 32;
}

/* The claims that differ from a valid one in one bit; of quick(), some. */
static void flipped_bits_are_refused(void **state)
{
    enum { BITS = 8 * (SIGNATURE + KEY + MESSAGE + 4), RANDOMNESS = PLEACH__XMSS_RANDOMNESS };
    static struct reading r;
    const size_t step = quick() ? 97 : 1;
    (void)state;
    read_vectors(&r);
    batch b = batch_of((BITS - 1) / step + 1);
    for (unsigned s = 0; s < r.signatures; s += quick() ? r.signatures : 1) {
        for (size_t i = 0; i < b.n; i++) {
            const size_t at = i * step / 8;
            b.records[i] = r.all[s];
            flip(&b.records[i], i * step);
            b.claims[i] = claim_of(&b.records[i]);
            const bool is_encoded =
                at < SIGNATURE ? at >= RANDOMNESS && at < PLEACH__XMSS_PATH : at >= SIGNATURE + HASH;
            b.expected[i] = is_encoded ? pleach__xmss_reference_verify(&b.claims[i]) : PLEACH_EXMSSROOT;
            assert_int_not_equal(b.expected[i], PLEACH_OK);
        }
        for (size_t t = s == 0 ? 0 : trial_count - 1; t < trial_count; t++)
            assert_results(&b, &trials[s == 0 ? t : s % trial_count]);
    }
    batch_free(&b);
}

int test_vectors(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors),
        cmocka_unit_test(tweaked_hashes),
        cmocka_unit_test(flipped_bits_are_refused),
    };
    return cmocka_run_group_tests(tests, open_trials, close_trials);
}
