/* Signatures: the known answers, every epoch of a key, and epochs that are asked for twice. */
#define _GNU_SOURCE
#include "xmss/verify.h" /* before a type of the same name as an argument there */

#include "keys_test.h"

#include "config/little_endian.h"
#include "xmss/key_object.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const uint8_t *message_of(uint64_t i)
{
    static _Thread_local uint8_t message[MESSAGE];
    fill_random(message, sizeof message, i);
    return message;
}

pleach_status sign(pleach_xmss_key *key, uint32_t epoch, uint64_t message, uint8_t signature[SIGNATURE])
{
    return pleach_xmss_sign(NULL, key, epoch, message_of(message), PLEACH_XMSS_DETERMINISTIC, signature);
}

void assert_signed(pleach_xmss_key *key, uint32_t epoch, uint64_t message, const uint8_t *signature)
{
    uint8_t public_key[KEY];
    assert_int_equal(pleach_xmss_key_public(key, public_key), PLEACH_OK);
    const pleach_xmss_claim claim = {public_key, message_of(message), signature, SIGNATURE, epoch};
    assert_int_equal(pleach__xmss_reference_verify(&claim), PLEACH_OK);
}

/* --- Known answers --- */

struct reading {
    uint8_t seed[SEED], public_key[KEY], message[MESSAGE];
    uint32_t first, last, epoch;
    uint64_t counter;
    unsigned keys, signatures, refused;
};

static void check_key(struct reading *r)
{
    uint8_t actual[KEY];
    for (size_t t = 0; t < trial_count; t++) {
        pleach_xmss_key *key = make_key(trials[t].pool, r->seed, r->first, r->last);
        assert_int_equal(pleach_xmss_key_public(key, actual), PLEACH_OK);
        assert_memory_equal(actual, r->public_key, KEY);
        pleach_xmss_key_destroy(key);
    }
    r->keys++;
}

static void check_signature(struct reading *r, const char *value)
{
    uint8_t expected[SIGNATURE], actual[SIGNATURE];
    from_hex(value, expected, SIGNATURE);
    for (size_t t = 0; t < trial_count; t++) {
        pleach_xmss_key *key = make_key(trials[t].pool, r->seed, r->first, r->last);
        assert_int_equal(pleach_xmss_sign(trials[t].pool, key, r->epoch, r->message, PLEACH_XMSS_DETERMINISTIC, actual),
                         PLEACH_OK);
        assert_memory_equal(actual, expected, SIGNATURE);
        if (r->counter != UINT64_MAX)
            assert_int_equal(pleach__get64(actual + PLEACH__XMSS_RANDOMNESS), r->counter);
        pleach_xmss_key_destroy(key);
    }
    r->signatures++;
}

static void check_refusal(struct reading *r)
{
    uint8_t actual[SIGNATURE];
    pleach_xmss_key *key = make_key(NULL, r->seed, r->first, r->last);
    assert_int_equal(pleach_xmss_sign(NULL, key, 16, r->message, PLEACH_XMSS_DETERMINISTIC, actual), PLEACH_EXMSSEPOCH);
    pleach_xmss_key_destroy(key);
    r->refused++;
}

static void read_entry(struct reading *r, const char *key, const char *value)
{
    if (strcmp(key, "seed") == 0)
        from_hex(value, r->seed, SEED);
    else if (strcmp(key, "epoch_start") == 0)
        r->first = (uint32_t)strtoul(value, NULL, 10);
    else if (strcmp(key, "epoch_end") == 0)
        r->last = (uint32_t)strtoul(value, NULL, 10);
    else if (strcmp(key, "message") == 0)
        from_hex(value, r->message, MESSAGE);
    else if (strcmp(key, "epoch") == 0 || strcmp(key, "sign.epoch") == 0)
        r->epoch = (uint32_t)strtoul(value, NULL, 10);
    else if (strcmp(key, "sign.counter") == 0)
        r->counter = strtoull(value, NULL, 10);
    else if (strcmp(key, "public_key") == 0)
        from_hex(value, r->public_key, KEY), check_key(r);
    else if (strcmp(key, "signature") == 0 || strcmp(key, "sign.signature") == 0)
        check_signature(r, value);
    else if (strcmp(key, "sign_at_epoch_16") == 0)
        check_refusal(r);
}

static void vectors(void **state)
{
    struct reading r = {.keys = 0};
    FILE *file = fopen(PLEACH_VECTORS "/leanvm-b.txt", "r");
    char *line = NULL;
    size_t room = 0;
    bool is_ours = false;
    (void)state;
    assert_non_null(file);
    while (getline(&line, &room, file) > 0) {
        char *equals = strstr(line, " = ");
        if (line[0] == '[')
            is_ours = strncmp(line, "[xmss", 5) == 0;
        if (strncmp(line, "[xmss-negative]", 15) == 0) { /* a comment there says of what key */
            memset(r.seed, 9, SEED);
            r.first = 0, r.last = 15, r.counter = UINT64_MAX;
        }
        if (line[0] == '#' || !equals || !is_ours)
            continue;
        line[strcspn(line, "\n")] = '\0';
        *equals = '\0';
        read_entry(&r, line, equals + 3);
    }
    free(line);
    (void)fclose(file);
    assert_int_equal(r.keys, 6);
    assert_int_equal(r.signatures, 11);
    assert_int_equal(r.refused, 1);
}

/* --- Epochs --- */

static void every_epoch_is_signed_for(void **state)
{
    static const uint32_t ranges[][2] = {{0, 40}, {13, 36}, {UINT32_MAX - 17, UINT32_MAX}};
    uint8_t signature[SIGNATURE];
    (void)state;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        pleach_xmss_key *key = make_key(NULL, seed_of_tests, ranges[i][0], ranges[i][1]);
        uint64_t next = 0;
        for (uint64_t epoch = ranges[i][0]; epoch <= ranges[i][1]; epoch += quick() ? 3 : 1) {
            assert_int_equal(sign(key, (uint32_t)epoch, epoch, signature), PLEACH_OK);
            assert_signed(key, (uint32_t)epoch, epoch, signature);
            assert_int_equal(pleach_xmss_key_next(key, &next), PLEACH_OK);
            assert_true(next == epoch + 1);
        }
        assert_int_equal(sign(key, ranges[i][0], 0, signature), PLEACH_EXMSSUSED);
        pleach_xmss_key_destroy(key);
    }
}

static void epochs_are_used_once(void **state)
{
    uint8_t first[SIGNATURE], again[SIGNATURE], untouched[SIGNATURE];
    (void)state;
    pleach_xmss_key *key = make_key(NULL, seed_of_tests, 10, 20);
    memset(again, 0xee, sizeof again);
    memcpy(untouched, again, sizeof untouched);
    assert_int_equal(sign(key, 12, 1, first), PLEACH_OK);
    assert_int_equal(sign(key, 12, 2, again), PLEACH_EXMSSUSED);
    assert_int_equal(sign(key, 11, 2, again), PLEACH_EXMSSUSED);
    assert_int_equal(sign(key, 9, 2, again), PLEACH_EXMSSEPOCH);
    assert_int_equal(sign(key, 21, 2, again), PLEACH_EXMSSEPOCH);
    assert_memory_equal(again, untouched, SIGNATURE);
    assert_int_equal(sign(key, 12, 1, again), PLEACH_OK);
    assert_memory_equal(again, first, SIGNATURE);
    assert_int_equal(sign(key, 13, 1, again), PLEACH_OK);
    assert_int_equal(sign(key, 12, 1, again), PLEACH_EXMSSUSED);
    assert_int_equal(pleach_xmss_key_skip(key, 16), PLEACH_OK);
    assert_int_equal(sign(key, 13, 1, again), PLEACH_EXMSSUSED);
    assert_int_equal(sign(key, 15, 1, again), PLEACH_EXMSSUSED);
    assert_int_equal(pleach_xmss_key_skip(key, 12), PLEACH_OK);
    assert_int_equal(sign(key, 15, 1, again), PLEACH_EXMSSUSED);
    assert_int_equal(sign(key, 16, 1, again), PLEACH_OK);
    assert_int_equal(pleach_xmss_key_skip(key, 21), PLEACH_OK);
    assert_int_equal(sign(key, 20, 1, again), PLEACH_EXMSSUSED);
    pleach_xmss_key_destroy(key);
}

static void randomness_of_the_system(void **state)
{
    uint8_t one[SIGNATURE], other[SIGNATURE], again[SIGNATURE], encoded[PLEACH_XMSS_RANDOMNESS_SIZE];
    uint8_t digits[PLEACH_XMSS_CHAINS], public_key[KEY];
    const uint8_t zeros[16] = {0};
    (void)state;
    pleach_xmss_key *a = make_key(NULL, seed_of_tests, 0, 3), *b = make_key(NULL, seed_of_tests, 0, 3);
    assert_int_equal(pleach_xmss_sign(NULL, a, 1, message_of(1), PLEACH_XMSS_RANDOM, one), PLEACH_OK);
    assert_int_equal(pleach_xmss_sign(NULL, b, 1, message_of(1), PLEACH_XMSS_RANDOM, other), PLEACH_OK);
    assert_signed(a, 1, 1, one);
    assert_signed(b, 1, 1, other);
    assert_memory_not_equal(one + PLEACH__XMSS_RANDOMNESS + 8, zeros, 16);
    assert_memory_not_equal(one + PLEACH__XMSS_RANDOMNESS + 8, other + PLEACH__XMSS_RANDOMNESS + 8, 16);
    assert_int_equal(sign(a, 1, 1, again), PLEACH_OK);
    assert_memory_equal(again, one, SIGNATURE);
    assert_int_equal(sign(b, 2, 1, one), PLEACH_OK);
    assert_int_equal(pleach_xmss_sign(NULL, b, 2, message_of(1), PLEACH_XMSS_RANDOM, again), PLEACH_OK);
    assert_memory_equal(again, one, SIGNATURE);
    assert_int_equal(pleach_xmss_sign(NULL, b, 3, message_of(1), (pleach_xmss_randomness)2, again), PLEACH_EINVAL);
    assert_int_equal(pleach_xmss_key_public(a, public_key), PLEACH_OK);
    memcpy(encoded, other + PLEACH__XMSS_RANDOMNESS, sizeof encoded);
    for (uint64_t counter = pleach__get64(encoded); counter-- > 0 && !quick();) { /* none below is valid */
        pleach__put64(encoded, counter);
        assert_false(pleach__xmss_reference_encode(digits, public_key + HASH, 1, message_of(1), encoded, NULL));
    }
    pleach_xmss_key_destroy(a);
    pleach_xmss_key_destroy(b);
}

/* Of each backend, across the border of the words of the counter, where no signature comes. */
static void searches_find_the_least(void **state)
{
    enum { TRIES = 1 << 12, BEFORE = 64 };
    const uint64_t first = (UINT64_C(1) << 32) - BEFORE, end = first + (quick() ? TRIES : 16 * TRIES);
    uint8_t randomness[PLEACH_XMSS_RANDOMNESS_SIZE], digits[PLEACH_XMSS_CHAINS], parameter[HASH];
    (void)state;
    fill_random(parameter, sizeof parameter, 1);
    fill_random(randomness, sizeof randomness, 2);
    for (uint64_t i = 0; i < (quick() ? 2 : 8); i++) {
        pleach__xmss_search search;
        uint64_t expected = first;
        for (; expected < end; expected++) {
            pleach__put64(randomness, expected);
            if (pleach__xmss_reference_encode(digits, parameter, UINT32_MAX, message_of(i), randomness, NULL))
                break;
        }
        pleach__xmss_search_begin(&search, parameter, UINT32_MAX, message_of(i), randomness + 8);
        for (size_t t = 0; t < trial_count; t++) {
            const pleach__xmss_walk *walk = pleach__xmss_walk_of(pleach_pool_kernels(trials[t].pool));
            assert_true(walk->search(&search, first, end) == expected);
        }
    }
}

static void arguments_of_sign_are_checked(void **state)
{
    uint8_t signature[SIGNATURE];
    uint64_t next;
    (void)state;
    pleach_xmss_key *key = make_key(NULL, seed_of_tests, 0, 0);
    assert_int_equal(pleach_xmss_sign(NULL, NULL, 0, message_of(0), PLEACH_XMSS_RANDOM, signature), PLEACH_EINVAL);
    assert_int_equal(pleach_xmss_sign(NULL, key, 0, NULL, PLEACH_XMSS_RANDOM, signature), PLEACH_EINVAL);
    assert_int_equal(pleach_xmss_sign(NULL, key, 0, message_of(0), PLEACH_XMSS_RANDOM, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_xmss_key_next(key, &next), PLEACH_OK);
    assert_true(next == 0);
    pleach_xmss_key_destroy(key);
}

/* A processor that computes something wrong would show more of a chain than it should. */
static void wrong_signatures_are_kept_back(void **state)
{
    uint8_t signature[SIGNATURE], before[SIGNATURE];
    (void)state;
    pleach_xmss_key *key = make_key(NULL, seed_of_tests, 0, 3);
    memset(signature, 0xee, sizeof signature);
    memcpy(before, signature, sizeof before);
    assert_int_equal(pleach_xmss_key_prepare(NULL, key, 0, NULL), PLEACH_OK);
    key->secret.state[0] ^= 1;
    assert_int_equal(sign(key, 1, 1, signature), PLEACH_EXMSSROOT);
    assert_memory_equal(signature, before, SIGNATURE);
    key->secret.state[0] ^= 1;
    assert_int_equal(sign(key, 1, 2, signature), PLEACH_EXMSSUSED);
    assert_int_equal(sign(key, 1, 1, signature), PLEACH_OK);
    pleach_xmss_key_destroy(key);
}

/* --- Several at once --- */

enum { SIGNERS = 6, ROUNDS = 24 };

struct signer {
    pthread_t thread;
    pthread_barrier_t *barrier;
    pleach_xmss_key *key;
    uint64_t message;
    pleach_status status[ROUNDS];
    uint8_t signature[ROUNDS][SIGNATURE];
};

static void *sign_along(void *context)
{
    struct signer *s = context;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        (void)pthread_barrier_wait(s->barrier);
        if (s->message == 0)
            (void)pleach_xmss_key_prepare(NULL, s->key, round + 1, NULL);
        s->status[round] = sign(s->key, round, s->message, s->signature[round]);
    }
    return NULL;
}

static void one_of_many_signs(void **state)
{
    static struct signer signers[SIGNERS];
    pthread_barrier_t barrier;
    (void)state;
    pleach_xmss_key *key = make_key(NULL, seed_of_tests, 0, ROUNDS);
    assert_int_equal(pthread_barrier_init(&barrier, NULL, SIGNERS), 0);
    for (size_t i = 0; i < SIGNERS; i++) {
        signers[i] = (struct signer){.barrier = &barrier, .key = key, .message = i};
        assert_int_equal(pthread_create(&signers[i].thread, NULL, sign_along, &signers[i]), 0);
    }
    for (size_t i = 0; i < SIGNERS; i++)
        assert_int_equal(pthread_join(signers[i].thread, NULL), 0);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        unsigned signatures = 0;
        for (size_t i = 0; i < SIGNERS; i++) {
            if (signers[i].status[round] == PLEACH_OK) {
                assert_signed(key, round, i, signers[i].signature[round]);
                signatures++;
            } else {
                assert_int_equal(signers[i].status[round], PLEACH_EXMSSUSED);
            }
        }
        assert_int_equal(signatures, 1);
    }
    assert_int_equal(pthread_barrier_destroy(&barrier), 0);
    pleach_xmss_key_destroy(key);
}

static void forks_do_not_sign(void **state)
{
    int status;
    (void)state;
    pleach_xmss_key *key = make_key(NULL, seed_of_tests, 0, 3);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        uint8_t signature[SIGNATURE];
        const bool refused = sign(key, 0, 1, signature) == PLEACH_EFORKED &&
                             pleach_xmss_key_skip(key, 1) == PLEACH_EFORKED &&
                             pleach_xmss_key_prepare(NULL, key, 1, NULL) == PLEACH_EFORKED;
        _exit(refused ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    pleach_xmss_key_destroy(key);
}

int test_signing(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors),
        cmocka_unit_test(every_epoch_is_signed_for),
        cmocka_unit_test(epochs_are_used_once),
        cmocka_unit_test(randomness_of_the_system),
        cmocka_unit_test(searches_find_the_least),
        cmocka_unit_test(arguments_of_sign_are_checked),
        cmocka_unit_test(wrong_signatures_are_kept_back),
        cmocka_unit_test(one_of_many_signs),
        cmocka_unit_test(forks_do_not_sign),
    };
    return cmocka_run_group_tests(tests, open_trials, close_trials);
}
