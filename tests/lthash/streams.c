/* Items that come in pieces. */
#include "lthash_test.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 20 };

static uint8_t bytes[MOST + 1];
static const uint8_t key[PLEACH_LTHASH_KEY_SIZE] = "a key of the test";

static int fill_bytes(void **context)
{
    fill_random(bytes, sizeof bytes, 110);
    return open_trials(context);
}

static void feed(pleach_lthash_stream *stream, size_t size, uint64_t *cuts)
{
    for (size_t at = 0, piece; at < size; at += piece) {
        piece = 1 + (size_t)random_below(cuts, random_below(cuts, 4) == 0 ? 40000 : 700);
        piece = piece < size - at ? piece : size - at;
        assert_int_equal(pleach_lthash_part(stream, bytes + at, piece), PLEACH_OK);
        assert_int_equal(pleach_lthash_part(stream, NULL, 0), PLEACH_OK);
    }
}

static void random_cuts(void **context)
{
    static const size_t sizes[] = {0,    1,    63,    64,    65,    1023,  1024,      1025, 2048,
                                   2100, 3073, 16383, 16384, 16385, 99999, 3 * 16384, MOST, MOST + 1};
    (void)context;
    for (size_t t = 0; t < trial_count; t++)
        for (int keyed = 0; keyed < 2; keyed++) {
            pleach_lthash state;
            pleach_lthash_stream *stream = NULL;
            naive expected = {{0}};
            uint64_t cuts = 120 + t;
            assert_int_equal(keyed ? pleach_lthash_init_keyed(&state, key) : pleach_lthash_init(&state), PLEACH_OK);
            assert_int_equal(pleach_lthash_begin(&stream, trials[t].pool, &state), PLEACH_OK);
            for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] - 3 * quick(); i++) {
                const pleach_lthash_action action = i % 3 == 1 ? REMOVE : ADD;
                feed(stream, sizes[i], &cuts);
                assert_int_equal(pleach_lthash_end(stream, &state, action, HASHED), PLEACH_OK);
                naive_change(&expected, keyed ? key : NULL, action, bytes, sizes[i]);
                assert_state(&state, &expected);
            }
            pleach_lthash_stream_destroy(stream);
        }
}

static void one_stream_for_several_states(void **context)
{
    (void)context;
    pleach_lthash a = {.keyed = 0}, b = {.keyed = 0};
    naive x = {{0}}, y = {{0}};
    pleach_lthash_stream *stream = NULL;
    assert_int_equal(pleach_lthash_begin(&stream, NULL, &a), PLEACH_OK);
    assert_int_equal(pleach_lthash_part(stream, bytes, 100), PLEACH_OK);
    assert_int_equal(pleach_lthash_end(stream, &a, ADD, HASHED), PLEACH_OK);
    assert_int_equal(pleach_lthash_part(stream, bytes, 200), PLEACH_OK);
    assert_int_equal(pleach_lthash_end(stream, &b, REMOVE, HASHED), PLEACH_OK);
    naive_change(&x, NULL, ADD, bytes, 100);
    naive_change(&y, NULL, REMOVE, bytes, 200);
    assert_state(&a, &x);
    assert_state(&b, &y);
    pleach_lthash_stream_destroy(stream);
}

static void empty_streams(void **context)
{
    (void)context;
    pleach_lthash state = {.keyed = 0};
    naive expected = {{0}};
    pleach_lthash_stream *stream = NULL;
    assert_int_equal(pleach_lthash_begin(&stream, NULL, &state), PLEACH_OK);
    assert_int_equal(pleach_lthash_end(stream, &state, ADD, SKIPPED), PLEACH_OK);
    assert_true(pleach_lthash_is_zero(&state));
    assert_int_equal(pleach_lthash_end(stream, &state, ADD, HASHED), PLEACH_OK);
    naive_change(&expected, NULL, ADD, NULL, 0);
    assert_state(&state, &expected);
    pleach_lthash_stream_destroy(stream);
}

/* After a refusal the item goes on where it was. */
static void refused_calls(void **context)
{
    (void)context;
    pleach_lthash state = {.keyed = 0};
    naive expected = {{0}};
    pleach_lthash_stream *stream = NULL;
    assert_int_equal(pleach_lthash_begin(NULL, NULL, &state), PLEACH_EINVAL);
    assert_int_equal(pleach_lthash_begin(&stream, NULL, NULL), PLEACH_EINVAL);
    assert_null(stream);
    assert_int_equal(pleach_lthash_begin(&stream, NULL, &state), PLEACH_OK);
    assert_int_equal(pleach_lthash_part(stream, bytes, 100), PLEACH_OK);
    assert_int_equal(pleach_lthash_part(NULL, bytes, 1), PLEACH_EINVAL);
    assert_int_equal(pleach_lthash_part(stream, NULL, 1), PLEACH_EINVAL);
    assert_int_equal(pleach_lthash_end(NULL, &state, ADD, HASHED), PLEACH_EINVAL);
    assert_int_equal(pleach_lthash_end(stream, NULL, ADD, HASHED), PLEACH_EINVAL);
    assert_int_equal(pleach_lthash_end(stream, &state, (pleach_lthash_action)2, HASHED), PLEACH_EINVAL);
    assert_int_equal(pleach_lthash_end(stream, &state, ADD, (pleach_lthash_empty)2), PLEACH_EINVAL);
    assert_true(pleach_lthash_is_zero(&state));
    assert_int_equal(pleach_lthash_part(stream, bytes + 100, 50), PLEACH_OK);
    assert_int_equal(pleach_lthash_end(stream, &state, ADD, HASHED), PLEACH_OK);
    naive_change(&expected, NULL, ADD, bytes, 150);
    assert_state(&state, &expected);
    pleach_lthash_stream_destroy(stream);
    pleach_lthash_stream_destroy(NULL);
}

/* Batches in pieces: each to an empty state, all of these to the one they are for. */
static void batches_in_pieces(void **context)
{
    (void)context;
    struct changes changes = random_changes(130, 600, 100, 1);
    for (size_t t = 0; t < trial_count; t++) {
        pleach_lthash state, sum;
        naive expected = {{0}};
        uint64_t cuts = t;
        assert_int_equal(pleach_lthash_init_keyed(&state, key), PLEACH_OK);
        sum = state;
        for (size_t at = 0, piece; at < changes.n; at += piece) {
            piece = 1 + (size_t)random_below(&cuts, 200);
            piece = piece < changes.n - at ? piece : changes.n - at;
            assert_int_equal(pleach_lthash_apply(trials[t].pool, &sum, changes.ops + at, piece, HASHED, NULL),
                             PLEACH_OK);
        }
        assert_int_equal(pleach_lthash_combine(&state, &sum), PLEACH_OK);
        naive_apply(&expected, key, &changes, ALL);
        assert_state(&state, &expected);
    }
    changes_free(&changes);
}

int test_streams(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_cuts),       cmocka_unit_test(one_stream_for_several_states),
        cmocka_unit_test(empty_streams),     cmocka_unit_test(refused_calls),
        cmocka_unit_test(batches_in_pieces),
    };
    return cmocka_run_group_tests_name("streams", tests, fill_bytes, close_trials);
}
