/* Roots of sources: windows, short reads, failures, cancellation, and what the calling thread does. */
#include "merkle_test.h"

#include "merkle/stream.h"

#include <stdlib.h>
#include <string.h>

enum { D = PLEACH_DIGEST_SIZE, BYTES = 1 << 16 };

static uint8_t data[BYTES], hashes[D * BYTES];

/* The root of the first `size` bytes in leaves of `leaf_size`, the last as short as it comes; the number of leaves. */
static size_t expect(const pleach_scheme *scheme, size_t size, size_t leaf_size, uint8_t *root)
{
    size_t leaves = 0;
    for (size_t at = 0; at < size; at += leaf_size, leaves++)
        naive_leaf(scheme, data + at, size - at < leaf_size ? size - at : leaf_size, 0, hashes + D * leaves);
    naive_root(scheme, hashes, leaves, root);
    return leaves;
}

static void check_in(size_t trial, const pleach_scheme *scheme, size_t size, size_t leaf_size, size_t window,
                     const uint8_t *root, size_t leaves)
{
    for (uint64_t pieces = 0; pieces < 2; pieces++) {
        pleach_stream_result result = {.leaves = 99};
        struct source source = source_of(data, size, pieces * (size + 1));
        assert_int_equal(pleach__root_stream(trials[trial].pool, scheme, leaf_size, window, read_source, &source,
                                             size * (trial % 2), NULL, &result),
                         PLEACH_OK);
        assert_memory_equal(result.root, root, D);
        assert_int_equal(result.leaves, leaves);
        assert_int_equal(result.bytes, size);
        assert_int_equal(source.at, size);
    }
}

static void check(const pleach_scheme *scheme, size_t size, size_t leaf_size, size_t window)
{
    uint8_t root[D];
    size_t leaves = expect(scheme, size, leaf_size, root);
    for (size_t t = 0; t < trial_count; t++)
        check_in(t, scheme, size, leaf_size, window, root, leaves);
}

/* Every size up to several windows, byte by byte: leaf ends, window ends and short leaves all occur. */
static void window_edges(void **state)
{
    (void)state;
    for (size_t window = 1; window <= 8; window *= 2)
        for (size_t leaf_size = 1; leaf_size <= 7; leaf_size += 3)
            for (size_t size = 0; size <= 5 * window * leaf_size + 1; size++)
                check(PLEACH_SCHEME_RFC6962, size, leaf_size, window);
}

/* What any scheme makes of full and partial windows, of short leaves, of few leaves in much room. */
static void every_scheme_by_windows(void **state)
{
    (void)state;
    for (size_t s = 0; s < scheme_count(); s++) {
        const pleach_scheme *scheme = every_scheme[s];
        const size_t leaf_size = leaf_size_of(scheme, 5);
        const bool is_short = !scheme->leaf_given && scheme->lone != PLEACH_LONE_REFUSED;
        for (size_t window = 1; window <= 8; window *= 2) {
            for (size_t leaves = 0; leaves <= 5 * window + 1; leaves++) {
                for (size_t rest = 0; rest <= is_short && rest <= leaves; rest++) {
                    const size_t size = leaves * leaf_size - 2 * rest, turn = s + leaves + window;
                    uint8_t root[D];
                    if (!is_accepted(scheme, leaves))
                        continue;
                    (void)expect(scheme, size, leaf_size, root);
                    check_in(turn % trial_count, scheme, size, leaf_size, window, root, leaves);
                    check_in((turn + 5) % trial_count, scheme, size, leaf_size, window, root, leaves);
                }
            }
        }
    }
}

static void larger_windows(void **state)
{
    static const size_t sizes[] = {BYTES - 1, BYTES, 3 * 1024 * 16 - 5, 1024 * 32};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        check(PLEACH_SCHEME_RFC6962, sizes[i], 16, 1024);
        check(&promoting_blake2s, sizes[i], 100, 128);
        check(PLEACH_SCHEME_SSZ, sizes[i] / D * D, D, 256);
        check(PLEACH_SCHEME_BITCOIN, sizes[i] / D * D, D, 128);
    }
    for (size_t leaves = 1; leaves <= 1024; leaves *= 2)
        check(PLEACH_SCHEME_BLAKE2S, leaves * 64, 64, 128);
}

/* The public call chooses its windows; here from a leaf that is larger than a window to leaves of one byte. */
static void chosen_windows(void **state)
{
    static const size_t leaf_sizes[] = {1, 33, 1000, BYTES - 1, BYTES, BYTES + 1, (size_t)3 << 20};
    (void)state;
    for (size_t i = 0; i < sizeof leaf_sizes / sizeof leaf_sizes[0]; i++) {
        uint8_t root[D];
        size_t leaves = expect(PLEACH_SCHEME_RFC6962, BYTES, leaf_sizes[i], root);
        for (uint64_t total = 0; total <= 2 * BYTES; total += BYTES / 2) { /* unknown, too small, right, too large */
            pleach_stream_result result;
            struct source source = source_of(data, BYTES, 5);
            assert_int_equal(pleach_merkle_root_stream(trials[2].pool, PLEACH_SCHEME_RFC6962, leaf_sizes[i],
                                                       read_source, &source, total, NULL, &result),
                             PLEACH_OK);
            assert_memory_equal(result.root, root, D);
            assert_int_equal(result.leaves, leaves);
        }
    }
}

static void assert_failure(pleach_pool *pool, const pleach_scheme *scheme, size_t leaf_size, struct source *source,
                           pleach_status expected)
{
    pleach_stream_result result, before;
    memset(&result, 0xab, sizeof result);
    memset(&before, 0xab, sizeof before);
    assert_int_equal(pleach__root_stream(pool, scheme, leaf_size, 16, read_source, source, 0, source->monitor, &result),
                     expected);
    assert_memory_equal(&result, &before, sizeof before);
}

static void failing_reads(void **state)
{
    (void)state;
    for (size_t t = 0; t < trial_count; t++) {
        for (size_t fail_at = 0; fail_at <= 4000; fail_at += 250) {
            struct source source = source_of(data, 4000, 3);
            source.fail_at = fail_at;
            assert_failure(trials[t].pool, PLEACH_SCHEME_RFC6962, 20, &source, (pleach_status)(PLEACH_ETASK + 7));
            assert_non_null(strstr(pleach_last_error(), "read failed after"));
        }
    }
}

static pleach_status read_too_much(void *context, uint8_t *buffer, size_t size, size_t *got)
{
    (void)context, (void)buffer;
    *got = size + 1;
    return PLEACH_OK;
}

static void impossible_read(void **state)
{
    pleach_stream_result result;
    (void)state;
    assert_int_equal(pleach_merkle_root_stream(NULL, PLEACH_SCHEME_RFC6962, 8, read_too_much, NULL, 0, NULL, &result),
                     PLEACH_EINVAL);
}

static void refused_sources(void **state)
{
    pleach_scheme shallow = *PLEACH_SCHEME_SSZ;
    (void)state;
    shallow.depth = 5;
    for (size_t t = 0; t < trial_count; t++) {
        const size_t sizes[] = {0, 63, 65, 3 * 64, 16 * 64 + 1, 17 * 64, 33 * 64, 48 * 64};
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            struct source source = source_of(data, sizes[i], 0);
            assert_failure(trials[t].pool, PLEACH_SCHEME_BLAKE2S, 64, &source, PLEACH_EINVAL);
        }
        /* Of given leaves, none is short; none has another size. */
        const size_t shorts[] = {1, 31, 33, 16 * 32 + 1, 40 * 32 - 1};
        for (size_t i = 0; i < sizeof shorts / sizeof shorts[0]; i++) {
            struct source source = source_of(data, shorts[i], 0);
            assert_failure(trials[t].pool, i % 2 ? PLEACH_SCHEME_SSZ : PLEACH_SCHEME_BITCOIN, 32, &source,
                           PLEACH_EINVAL);
        }
        struct source wide = source_of(data, 640, 0), endless = source_of(data, BYTES, 0);
        assert_failure(trials[t].pool, PLEACH_SCHEME_SSZ, 64, &wide, PLEACH_EINVAL);
        assert_int_equal(wide.reads, 0);
        /* More than a depth has room for is refused before the end. */
        assert_failure(trials[t].pool, &shallow, 32, &endless, PLEACH_ERANGE);
        assert_true(endless.at < BYTES / 2);
    }
}

static void stream_progress(void **state)
{
    (void)state;
    for (size_t t = 0; t < trial_count; t++) {
        for (uint64_t total = 0; total <= 5001; total += 5001) {
            struct record record = {0};
            pleach_monitor monitor = {.progress = watch, .context = &record};
            pleach_stream_result result;
            struct source source = source_of(data, 5001, 0);
            assert_int_equal(pleach__root_stream(trials[t].pool, PLEACH_SCHEME_RFC6962, 10, 64, read_source, &source,
                                                 total, &monitor, &result),
                             PLEACH_OK);
            assert_int_equal(record.done, 5001);
            assert_int_equal(record.total, 5001);
            assert_true(record.calls >= 8);
        }
    }
}

static void cancelled_streams(void **state)
{
    (void)state;
    for (size_t t = 0; t < trial_count; t++) {
        pleach_monitor monitor = {0};
        struct source before = source_of(data, 4000, 0), later = source_of(data, 4000, 9);
        pleach_monitor_cancel(&monitor);
        before.monitor = &monitor;
        assert_failure(trials[t].pool, PLEACH_SCHEME_RFC6962, 20, &before, PLEACH_ECANCELED);
        assert_int_equal(before.reads, 0);
        monitor = (pleach_monitor){0};
        later.monitor = &monitor;
        later.cancel_at = 2000;
        assert_failure(trials[t].pool, PLEACH_SCHEME_RFC6962, 20, &later, PLEACH_ECANCELED);
        assert_true(later.at < 4000);
        struct record record = {0};
        monitor = (pleach_monitor){.progress = watch, .context = &record};
        record.cancels = &monitor;
        struct source source = source_of(data, 4000, 0);
        source.monitor = &monitor;
        assert_failure(trials[t].pool, PLEACH_SCHEME_RFC6962, 20, &source, PLEACH_ECANCELED);
    }
}

/* A stream within a stream's read, on the same pool. */
struct nest {
    struct source source;
    pleach_pool *pool;
};

static pleach_status read_nested(void *context, uint8_t *buffer, size_t size, size_t *got)
{
    struct nest *nest = context;
    pleach_stream_result result;
    struct source inner = source_of(data, 1000, 2);
    pleach_status status =
        pleach__root_stream(nest->pool, PLEACH_SCHEME_RFC6962, 10, 8, read_source, &inner, 0, NULL, &result);
    return status == PLEACH_OK ? read_source(&nest->source, buffer, size, got) : status;
}

static void nested_streams(void **state)
{
    (void)state;
    for (size_t t = 0; t < trial_count; t++) {
        uint8_t root[D];
        struct nest nest = {.source = source_of(data, 3000, 0), .pool = trials[t].pool};
        pleach_stream_result result;
        (void)expect(PLEACH_SCHEME_RFC6962, 3000, 10, root);
        assert_int_equal(
            pleach__root_stream(nest.pool, PLEACH_SCHEME_RFC6962, 10, 32, read_nested, &nest, 0, NULL, &result),
            PLEACH_OK);
        assert_memory_equal(result.root, root, D);
    }
}

static int open_streams(void **state)
{
    fill_stream(data, sizeof data);
    return open_trials(state);
}

int test_streams(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(window_edges),      cmocka_unit_test(every_scheme_by_windows),
        cmocka_unit_test(larger_windows),    cmocka_unit_test(chosen_windows),
        cmocka_unit_test(failing_reads),     cmocka_unit_test(impossible_read),
        cmocka_unit_test(refused_sources),   cmocka_unit_test(stream_progress),
        cmocka_unit_test(cancelled_streams), cmocka_unit_test(nested_streams),
    };
    return cmocka_run_group_tests_name("streams", tests, open_streams, close_trials);
}
