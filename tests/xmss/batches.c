/* Many claims at once, wherever they lie in memory and whatever is wrong with some. */
#include "xmss_test.h"

#include <pthread.h>
#include <string.h>

enum { TILE = PLEACH_XMSS_TILE, HASH = PLEACH__XMSS_HASH };

static void every_count(void **state)
{
    (void)state;
    for (size_t n = 0; n <= 3 * TILE + 1; n += quick() && n >= 2 ? 15 : 1) {
        batch b = batch_of(n);
        for (size_t t = 0; t < trial_count; t++) {
            set_random_faults(&b, 100 * n + t);
            assert_results(&b, &trials[t]);
        }
        batch_free(&b);
    }
}

/* One claim is wrong, or all but one. */
static void every_position(void **state)
{
    batch b = batch_of(TILE + 3);
    (void)state;
    for (size_t at = 0; at < b.n; at += quick() ? 6 : 1)
        for (int fault = NO_FAULT + 1; fault < FAULTS; fault++) {
            const struct trial *trial = &trials[(at + (size_t)fault) % trial_count];
            for (int others = 0; others < 2; others++) {
                for (size_t i = 0; i < b.n; i++)
                    set_fault(&b, i, (i == at) != others ? (enum fault)fault : NO_FAULT);
                assert_results(&b, trial);
            }
        }
    batch_free(&b);
}

static void agrees_with_the_reference(void **state)
{
    batch b = batch_of(quick() ? 20 : 200);
    (void)state;
    for (size_t i = 0; i < b.n; i++) { /* most encodings are not valid */
        fill_random((uint8_t *)&b.records[i], sizeof *b.records, 1000 + i);
        if (i % 3 == 0)
            memcpy(b.records[i].signature + PLEACH__XMSS_RANDOMNESS,
                   valid_record(i)->signature + PLEACH__XMSS_RANDOMNESS, PLEACH_XMSS_RANDOMNESS_SIZE);
        b.expected[i] = pleach__xmss_reference_verify(&b.claims[i]);
        assert_int_equal(pleach_xmss_verify(&b.claims[i]), b.expected[i]);
    }
    for (size_t t = 0; t < trial_count; t++)
        assert_results(&b, &trials[t]);
    batch_free(&b);
}

/* Encodings that are almost valid. */
static void near_misses(void **state)
{
    static const struct {
        unsigned sum, top_bits;
    } misses[] = {{194, 0}, {196, 0}, {195, 1}, {195, 2}, {195, 3}, {193, 0}, {197, 0}, {199, 0}};
    batch b = batch_of(sizeof misses / sizeof *misses);
    (void)state;
    for (size_t i = 0; i < b.n; i++) {
        find_encoding(&b.records[i], misses[i].sum, misses[i].top_bits);
        b.expected[i] = PLEACH_EXMSSENCODING;
        assert_int_equal(pleach__xmss_reference_verify(&b.claims[i]), PLEACH_EXMSSENCODING);
        assert_int_equal(pleach_xmss_verify(&b.claims[i]), PLEACH_EXMSSENCODING);
    }
    for (size_t t = 0; t < trial_count; t++)
        assert_results(&b, &trials[t]);
    batch_free(&b);
}

static void many_claims(void **state)
{
    batch b = batch_of(quick() ? 150 : 1500);
    (void)state;
    set_random_faults(&b, 7);
    for (size_t t = 0; t < trial_count; t++)
        assert_results(&b, &trials[t]);
    batch_free(&b);
}

static void single_claims(void **state)
{
    batch b = batch_of(quick() ? 6 : 60);
    (void)state;
    set_random_faults(&b, 8);
    for (size_t i = 0; i < b.n; i++)
        assert_int_equal(pleach_xmss_verify(&b.claims[i]), b.expected[i]);
    batch_free(&b);
}

static void copy_out(uint8_t **to, size_t shift, size_t size, const uint8_t *from)
{
    *to = guarded(size + shift);
    memcpy(*to, from, size);
}

/* Nothing outside of the claims is touched, and they may lie anywhere: `shift` bytes before the end of memory. */
static void any_alignment(void **state)
{
    enum { N = TILE + 5 };
    (void)state;
    for (size_t shift = 0; shift < 4; shift++) {
        batch b = batch_of(N);
        uint8_t *part[N][3];
        set_random_faults(&b, shift);
        for (size_t i = 0; i < N; i++) {
            copy_out(&part[i][0], shift, KEY, b.records[i].key);
            copy_out(&part[i][1], shift, MESSAGE, b.records[i].message);
            copy_out(&part[i][2], shift, SIGNATURE, b.records[i].signature);
            b.claims[i].public_key = part[i][0];
            b.claims[i].message = part[i][1];
            if (b.claims[i].signature_size == SIGNATURE)
                b.claims[i].signature = part[i][2];
        }
        for (size_t t = 0; t < trial_count; t++)
            assert_results(&b, &trials[t]);
        for (size_t i = 0; i < N; i++) {
            guarded_free(part[i][0], KEY + shift);
            guarded_free(part[i][1], MESSAGE + shift);
            guarded_free(part[i][2], SIGNATURE + shift);
        }
        batch_free(&b);
    }
}

/* The input of an aggregation: keys and signatures at strides, in memory that ends with them. */
static void one_message(void **state)
{
    enum { MOST = 2 * TILE + 1, KEY_STRIDE = KEY + 5, SIGNATURE_STRIDE = SIGNATURE + 3 };
    static record signer[3];
    pleach_status results[MOST + 1];
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        fill_random((uint8_t *)&signer[i], sizeof signer[i], 300 + i);
        memcpy(signer[i].message, signer[0].message, MESSAGE);
        signer[i].epoch = 0xfedcba98;
        complete(&signer[i]);
    }
    for (size_t n = 1; n <= MOST; n += quick() ? TILE : 1) {
        const size_t key_size = (n - 1) * KEY_STRIDE + KEY, size = (n - 1) * SIGNATURE_STRIDE + SIGNATURE;
        uint8_t *keys = guarded(key_size), *signatures = guarded(size);
        for (size_t i = 0; i < n; i++) {
            memcpy(keys + i * KEY_STRIDE, signer[i % 3].key, KEY);
            memcpy(signatures + i * SIGNATURE_STRIDE, signer[i % 3].signature, SIGNATURE);
        }
        signatures[n / 2 * SIGNATURE_STRIDE + n % 600] ^= 4;
        results[n] = PLEACH_EBUSY;
        for (size_t t = 0; t < trial_count; t++) {
            assert_int_equal(pleach_xmss_verify_same(trials[t].pool, signer[0].message, signer[0].epoch, keys,
                                                     KEY_STRIDE, signatures, SIGNATURE_STRIDE, n, results, NULL),
                             PLEACH_OK);
            for (size_t i = 0; i < n; i++)
                assert_int_equal(results[i], i == n / 2 ? PLEACH_EXMSSROOT : PLEACH_OK);
            assert_int_equal(results[n], PLEACH_EBUSY);
        }
        guarded_free(keys, key_size);
        guarded_free(signatures, size);
    }
}

struct caller {
    pthread_t thread;
    const struct trial *trial;
    batch batch;
};

static void *call(void *context)
{
    struct caller *c = context;
    for (int round = 0; round < 3; round++)
        (void)pleach_xmss_verify_many(c->trial->pool, c->batch.claims, c->batch.n, c->batch.results, NULL);
    return NULL;
}

static void several_callers(void **state)
{
    enum { CALLERS = 3 };
    (void)state;
    for (size_t t = 0; t < trial_count; t++) {
        struct caller callers[CALLERS];
        for (size_t i = 0; i < CALLERS; i++) {
            callers[i] = (struct caller){.trial = &trials[t], .batch = batch_of(40 + i)};
            set_random_faults(&callers[i].batch, i);
            assert_int_equal(pthread_create(&callers[i].thread, NULL, call, &callers[i]), 0);
        }
        for (size_t i = 0; i < CALLERS; i++) {
            batch *b = &callers[i].batch;
            assert_int_equal(pthread_join(callers[i].thread, NULL), 0);
            assert_memory_equal(b->results, b->expected, b->n * sizeof *b->results);
            batch_free(b);
        }
    }
}

int test_batches(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_count),   cmocka_unit_test(every_position), cmocka_unit_test(agrees_with_the_reference),
        cmocka_unit_test(near_misses),   cmocka_unit_test(many_claims),    cmocka_unit_test(single_claims),
        cmocka_unit_test(any_alignment), cmocka_unit_test(one_message),    cmocka_unit_test(several_callers),
    };
    return cmocka_run_group_tests(tests, open_trials, close_trials);
}
