/* Calls that are refused, watched, or cancelled. */
#include "xmss_test.h"

#include "xmss/trace.h"

#include <string.h>

enum { FEW = 10, MANY = 2000 };

static void assert_refused(pleach_status status, pleach_status expected, const char *text)
{
    assert_int_equal(status, expected);
    if (!strstr(pleach_last_error(), text))
        fail_msg("\"%s\" does not say %s", pleach_last_error(), text);
}

static void single_claims(void **state)
{
    const record *valid = valid_record(0);
    pleach_xmss_claim claim = claim_of(valid);
    (void)state;
    assert_refused(pleach_xmss_verify(NULL), PLEACH_EINVAL, "claim = NULL");
    assert_int_equal(pleach_xmss_verify(&claim), PLEACH_OK);
    claim.message = NULL;
    assert_refused(pleach_xmss_verify(&claim), PLEACH_EINVAL, "message = NULL");
    claim = claim_of(valid);
    claim.signature = NULL;
    assert_refused(pleach_xmss_verify(&claim), PLEACH_EINVAL, "signature = NULL");
    claim = claim_of(valid);
    claim.public_key = NULL;
    assert_refused(pleach_xmss_verify(&claim), PLEACH_EINVAL, "public_key = NULL");
    claim = claim_of(valid);
    claim.signature = untouchable();
    static const size_t sizes[] = {0, 1, 1207, 1209, 2416, SIZE_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        claim.signature_size = sizes[i];
        assert_refused(pleach_xmss_verify(&claim), PLEACH_EXMSSSIZE, "1208");
    }
    claim = claim_of(valid);
    claim.epoch ^= 1;
    assert_refused(pleach_xmss_verify(&claim), PLEACH_EXMSSENCODING, "epoch");
    record other = *valid;
    other.key[0] ^= 1;
    claim = claim_of(&other);
    assert_refused(pleach_xmss_verify(&claim), PLEACH_EXMSSROOT, "root");
}

static void batches(void **state)
{
    batch b = batch_of(3);
    (void)state;
    assert_int_equal(pleach_xmss_verify_many(NULL, NULL, 0, NULL, NULL), PLEACH_OK);
    assert_refused(pleach_xmss_verify_many(NULL, NULL, 3, b.results, NULL), PLEACH_EINVAL, "claims = NULL");
    assert_refused(pleach_xmss_verify_many(NULL, b.claims, 3, NULL, NULL), PLEACH_EINVAL, "results = NULL");
    b.claims[2].public_key = NULL;
    assert_refused(pleach_xmss_verify_many(NULL, b.claims, 3, b.results, NULL), PLEACH_EINVAL,
                   "claims[2].public_key = NULL");
    batch_free(&b);
}

static void one_message(void **state)
{
    const record *r = valid_record(0);
    pleach_status results[2];
    (void)state;
#define VERIFY(message, keys, key_stride, signatures, stride, n, results) \
    pleach_xmss_verify_same(NULL, message, r->epoch, keys, key_stride, signatures, stride, n, results, NULL)
    assert_int_equal(VERIFY(NULL, NULL, 0, NULL, 0, 0, NULL), PLEACH_OK);
    assert_int_equal(VERIFY(r->message, r->key, 0, r->signature, 0, 2, results), PLEACH_OK);
    assert_true(results[0] == PLEACH_OK && results[1] == PLEACH_OK);
    assert_refused(VERIFY(NULL, r->key, 0, r->signature, 0, 2, results), PLEACH_EINVAL, "message = NULL");
    assert_refused(VERIFY(r->message, NULL, 0, r->signature, 0, 2, results), PLEACH_EINVAL, "public_keys = NULL");
    assert_refused(VERIFY(r->message, r->key, 0, NULL, 0, 2, results), PLEACH_EINVAL, "signatures = NULL");
    assert_refused(VERIFY(r->message, r->key, 0, r->signature, 0, 2, NULL), PLEACH_EINVAL, "results = NULL");
    assert_refused(VERIFY(r->message, r->key, SIZE_MAX, r->signature, 0, 2, results), PLEACH_ERANGE, "key_stride");
    assert_refused(VERIFY(r->message, r->key, 0, r->signature, SIZE_MAX / 2 - 1000, 2, results), PLEACH_ERANGE,
                   "signature_stride");
#undef VERIFY
}

static void traces(void **state)
{
    batch b = batch_of(2);
    size_t size = 77;
    static uint8_t trace[2 * PLEACH_XMSS_COMPRESSIONS * sizeof(pleach_xmss_compression)];
    (void)state;
#define TRACE(claims, n, layout, trace, size, results) \
    pleach_xmss_trace(NULL, claims, n, layout, trace, size, results, NULL)
    assert_int_equal(TRACE(NULL, 0, PLEACH_XMSS_LANES, NULL, 0, NULL), PLEACH_OK);
    assert_refused(TRACE(b.claims, 2, (pleach_xmss_layout)4, trace, sizeof trace, b.results), PLEACH_EINVAL,
                   "layout = 4");
    assert_refused(TRACE(b.claims, 2, (pleach_xmss_layout)-1, trace, sizeof trace, b.results), PLEACH_EINVAL,
                   "layout = -1");
    assert_refused(TRACE(b.claims, 2, PLEACH_XMSS_ROWS, NULL, sizeof trace, b.results), PLEACH_EINVAL, "trace = NULL");
    assert_refused(TRACE(b.claims, 2, PLEACH_XMSS_ROWS, trace, sizeof trace - 1, b.results), PLEACH_ERANGE,
                   "trace_size");
    assert_refused(TRACE(NULL, 2, PLEACH_XMSS_ROWS, trace, sizeof trace, b.results), PLEACH_EINVAL, "claims = NULL");
    assert_refused(TRACE(b.claims, 2, PLEACH_XMSS_ROWS, trace, sizeof trace, NULL), PLEACH_EINVAL, "results = NULL");
#undef TRACE
    assert_refused(pleach_xmss_trace_size(PLEACH_XMSS_ROWS, 1, NULL), PLEACH_EINVAL, "size = NULL");
    assert_refused(pleach_xmss_trace_size((pleach_xmss_layout)4, 1, &size), PLEACH_EINVAL, "layout = 4");
    for (int layout = PLEACH_XMSS_LANES; layout <= PLEACH_XMSS_ROWS; layout++) {
        assert_refused(pleach_xmss_trace_size((pleach_xmss_layout)layout, SIZE_MAX, &size), PLEACH_ERANGE, "n = ");
        assert_refused(pleach_xmss_trace_size((pleach_xmss_layout)layout, SIZE_MAX / 2 / 4608 + 16, &size),
                       PLEACH_ERANGE, "n = ");
    }
    assert_int_equal(size, 77);
    batch_free(&b);
}

struct watching {
    uint64_t done, calls;
    pleach_monitor *cancels; /* at the first call, if given */
};

static void watch(void *context, uint64_t done, uint64_t total)
{
    struct watching *watching = context;
    assert_true(done >= watching->done && done <= total);
    watching->done = done;
    watching->calls++;
    if (watching->cancels)
        pleach_monitor_cancel(watching->cancels);
}

static void progress_ends_at_the_end(void **state)
{
    (void)state;
    for (size_t n = FEW; n <= MANY; n += quick() ? MANY : MANY - FEW - 3) {
        batch b = batch_of(n);
        for (size_t t = 0; t < trial_count; t++) {
            struct watching watching = {0};
            pleach_monitor monitor = {.progress = watch, .context = &watching};
            assert_int_equal(pleach_xmss_verify_many(trials[t].pool, b.claims, n, b.results, &monitor), PLEACH_OK);
            assert_int_equal(watching.done, n);
            assert_true(watching.calls > 0);
        }
        batch_free(&b);
    }
}

static void cancelled_calls_stop(void **state)
{
    (void)state;
    batch b = batch_of(MANY);
    for (size_t t = 0; t < trial_count; t++) {
        pleach_monitor monitor = {.progress = watch};
        struct watching watching = {.cancels = &monitor};
        monitor.context = &watching;
        const pleach_status status =
            quick() ? PLEACH_ECANCELED : pleach_xmss_verify_many(trials[t].pool, b.claims, b.n, b.results, &monitor);
        /* others may have claimed all before the caller saw to its monitor */
        assert_true(status == PLEACH_ECANCELED || (status == PLEACH_OK && pleach_pool_width(trials[t].pool) > 1));
        pleach_monitor_cancel(&monitor);
        assert_int_equal(pleach_xmss_verify_many(trials[t].pool, b.claims, 1, b.results, &monitor), PLEACH_ECANCELED);
        assert_true(status == PLEACH_OK || watching.calls <= 1);
    }
    batch_free(&b);
}

int test_calls(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_claims),
        cmocka_unit_test(batches),
        cmocka_unit_test(one_message),
        cmocka_unit_test(traces),
        cmocka_unit_test(progress_ends_at_the_end),
        cmocka_unit_test(cancelled_calls_stop),
    };
    return cmocka_run_group_tests(tests, open_trials, close_trials);
}
