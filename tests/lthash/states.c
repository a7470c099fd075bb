/* States: what they are, their algebra, their keys, their bytes. */
#include "lthash_test.h"

#include <string.h>

enum { SIZE = PLEACH_LTHASH_SIZE };

static const uint8_t one_key[PLEACH_LTHASH_KEY_SIZE] = {1}, other_key[PLEACH_LTHASH_KEY_SIZE] = {[31] = 1},
                     no_key[PLEACH_LTHASH_KEY_SIZE] = {0};

/* A state of some items, and what it should be. */
static void fill(pleach_lthash *state, naive *expected, uint64_t seed)
{
    struct changes changes = random_changes(seed, 20, 100, 1);
    memset(expected, 0, sizeof *expected);
    assert_int_equal(pleach_lthash_init(state), PLEACH_OK);
    assert_int_equal(pleach_lthash_apply(NULL, state, changes.ops, changes.n, HASHED, NULL), PLEACH_OK);
    naive_apply(expected, NULL, &changes, ALL);
    changes_free(&changes);
}

static void bytes_of_zero_are_the_empty_set(void **context)
{
    (void)context;
    static pleach_lthash zeros;
    pleach_lthash state;
    memset(&state, 0xa5, sizeof state);
    assert_int_equal(pleach_lthash_init(&state), PLEACH_OK);
    assert_memory_equal(&state, &zeros, sizeof state);
    assert_true(pleach_lthash_is_zero(&zeros));
    assert_same(&state, &zeros);
}

static void every_number_counts(void **context)
{
    (void)context;
    static const pleach_lthash zeros;
    pleach_lthash state;
    uint8_t bytes[SIZE] = {0}, again[SIZE];
    assert_int_equal(pleach_lthash_init(&state), PLEACH_OK);
    for (size_t i = 0; i < SIZE; i++) {
        bool equal = true;
        bytes[i] = 0x80;
        assert_int_equal(pleach_lthash_parse(&state, bytes, SIZE), PLEACH_OK);
        assert_false(pleach_lthash_is_zero(&state));
        assert_int_equal(pleach_lthash_equal(&state, &zeros, &equal), PLEACH_OK);
        assert_false(equal);
        assert_int_equal(pleach_lthash_serialise(&state, again), PLEACH_OK);
        assert_memory_equal(again, bytes, SIZE);
        assert_int_equal(pleach_lthash_zero(&state), PLEACH_OK);
        assert_true(pleach_lthash_is_zero(&state));
        bytes[i] = 0;
    }
}

static void sums_and_differences(void **context)
{
    (void)context;
    pleach_lthash a, b, result;
    naive x, y, expected;
    fill(&a, &x, 1);
    fill(&b, &y, 2);
    result = a;
    assert_int_equal(pleach_lthash_combine(&result, &b), PLEACH_OK);
    for (size_t i = 0; i < NUMBERS; i++)
        expected.number[i] = (uint16_t)(x.number[i] + y.number[i]);
    assert_state(&result, &expected);
    assert_int_equal(pleach_lthash_subtract(&result, &b), PLEACH_OK);
    assert_state(&result, &x);
    assert_int_equal(pleach_lthash_subtract(&result, &b), PLEACH_OK);
    for (size_t i = 0; i < NUMBERS; i++)
        expected.number[i] = (uint16_t)(x.number[i] - y.number[i]);
    assert_state(&result, &expected);
    assert_state(&b, &y);
}

static void a_state_with_itself_and_its_opposite(void **context)
{
    (void)context;
    pleach_lthash state, opposite;
    naive x, expected;
    fill(&state, &x, 3);
    opposite = state;
    assert_int_equal(pleach_lthash_negate(&opposite), PLEACH_OK);
    for (size_t i = 0; i < NUMBERS; i++)
        expected.number[i] = (uint16_t)-x.number[i];
    assert_state(&opposite, &expected);
    assert_int_equal(pleach_lthash_combine(&opposite, &state), PLEACH_OK);
    assert_true(pleach_lthash_is_zero(&opposite));
    assert_int_equal(pleach_lthash_negate(&opposite), PLEACH_OK);
    assert_true(pleach_lthash_is_zero(&opposite));
    assert_int_equal(pleach_lthash_combine(&state, &state), PLEACH_OK);
    for (size_t i = 0; i < NUMBERS; i++)
        expected.number[i] = (uint16_t)(2 * x.number[i]);
    assert_state(&state, &expected);
    assert_int_equal(pleach_lthash_subtract(&state, &state), PLEACH_OK);
    assert_true(pleach_lthash_is_zero(&state));
}

/* Both fail, with their states unchanged. */
static void refuse_pair(pleach_lthash *a, pleach_lthash *b)
{
    const pleach_lthash was = *a;
    pleach_lthash *const states[] = {a, b};
    pleach_lthash_stream *stream = NULL;
    bool equal = true;
    const pleach_lthash_op op = {.item = {one_key, 1}};
    assert_int_equal(pleach_lthash_combine(a, b), PLEACH_EKEY);
    assert_int_equal(pleach_lthash_subtract(a, b), PLEACH_EKEY);
    assert_int_equal(pleach_lthash_equal(a, b, &equal), PLEACH_EKEY);
    assert_true(equal);
    assert_int_equal(pleach_lthash_apply_many(NULL, states, 2, NULL, &op, 1, HASHED, NULL), PLEACH_EKEY);
    assert_int_equal(pleach_lthash_apply_many(NULL, states, 1, b, &op, 1, HASHED, NULL), PLEACH_EKEY);
    assert_int_equal(pleach_lthash_begin(&stream, NULL, b), PLEACH_OK);
    assert_int_equal(pleach_lthash_part(stream, one_key, 1), PLEACH_OK);
    assert_int_equal(pleach_lthash_end(stream, a, ADD, HASHED), PLEACH_EKEY);
    assert_memory_equal(a, &was, sizeof was);
    assert_int_equal(pleach_lthash_end(stream, b, ADD, HASHED), PLEACH_OK);
    pleach_lthash_stream_destroy(stream);
}

static void keys_do_not_mix(void **context)
{
    (void)context;
    const uint8_t *const keys[] = {NULL, no_key, one_key, other_key};
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++) {
            pleach_lthash a, b;
            assert_int_equal(keys[i] ? pleach_lthash_init_keyed(&a, keys[i]) : pleach_lthash_init(&a), PLEACH_OK);
            assert_int_equal(keys[j] ? pleach_lthash_init_keyed(&b, keys[j]) : pleach_lthash_init(&b), PLEACH_OK);
            if (i != j)
                refuse_pair(&a, &b);
            else
                assert_int_equal(pleach_lthash_combine(&a, &b), PLEACH_OK);
        }
}

static void every_bit_of_a_key_counts(void **context)
{
    (void)context;
    uint8_t key[PLEACH_LTHASH_KEY_SIZE];
    pleach_lthash a, b;
    memcpy(key, one_key, sizeof key);
    assert_int_equal(pleach_lthash_init_keyed(&a, key), PLEACH_OK);
    for (size_t bit = 0; bit < 8 * sizeof key; bit++) {
        key[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_equal(pleach_lthash_init_keyed(&b, key), PLEACH_OK);
        assert_int_equal(pleach_lthash_combine(&a, &b), PLEACH_EKEY);
        key[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
}

static void a_key_changes_what_items_are(void **context)
{
    (void)context;
    struct changes changes = random_changes(4, 200, 300, 1);
    for (size_t t = 0; t < trial_count; t++) {
        pleach_lthash state;
        naive expected = {{0}};
        assert_int_equal(pleach_lthash_init_keyed(&state, other_key), PLEACH_OK);
        assert_int_equal(pleach_lthash_apply(trials[t].pool, &state, changes.ops, changes.n, HASHED, NULL), PLEACH_OK);
        naive_apply(&expected, other_key, &changes, ALL);
        assert_state(&state, &expected);
        assert_memory_equal(state.key, other_key, sizeof other_key);
    }
    changes_free(&changes);
}

static void a_key_outlives_changes_and_not_the_state(void **context)
{
    (void)context;
    static const uint8_t bytes[SIZE] = {1};
    pleach_lthash state, fresh;
    assert_int_equal(pleach_lthash_init_keyed(&state, one_key), PLEACH_OK);
    fresh = state;
    assert_int_equal(pleach_lthash_parse(&state, bytes, SIZE), PLEACH_OK);
    assert_int_equal(pleach_lthash_combine(&state, &fresh), PLEACH_OK);
    assert_int_equal(pleach_lthash_zero(&state), PLEACH_OK);
    assert_same(&state, &fresh);
    assert_int_equal(pleach_lthash_init(&state), PLEACH_OK);
    for (size_t i = 0; i < sizeof state; i++)
        assert_int_equal(((const uint8_t *)&state)[i], 0);
}

static void only_whole_states_are_read(void **context)
{
    (void)context;
    static uint8_t bytes[2 * SIZE];
    pleach_lthash state, was;
    naive x;
    fill(&state, &x, 5);
    was = state;
    for (size_t size = 0; size <= sizeof bytes; size += size < SIZE - 2 || size > SIZE + 2 ? 7 : 1)
        if (size != SIZE)
            assert_int_equal(pleach_lthash_parse(&state, bytes, size),
                             size < SIZE ? PLEACH_ETRUNCATED : PLEACH_ETRAILING);
    assert_int_equal(pleach_lthash_parse(&state, NULL, 0), PLEACH_ETRUNCATED);
    assert_int_equal(pleach_lthash_parse(&state, NULL, SIZE), PLEACH_EINVAL);
    assert_memory_equal(&state, &was, sizeof was);
}

static void null_is_refused(void **context)
{
    (void)context;
    pleach_lthash state = {.keyed = 0};
    uint8_t bytes[SIZE];
    bool equal;
    assert_int_equal(pleach_lthash_init(NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_lthash_init_keyed(NULL, one_key), PLEACH_EINVAL);
    assert_int_equal(pleach_lthash_init_keyed(&state, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_lthash_zero(NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_lthash_combine(NULL, &state), PLEACH_EINVAL);
    assert_int_equal(pleach_lthash_combine(&state, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_lthash_subtract(NULL, &state), PLEACH_EINVAL);
    assert_int_equal(pleach_lthash_subtract(&state, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_lthash_negate(NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_lthash_equal(NULL, &state, &equal), PLEACH_EINVAL);
    assert_int_equal(pleach_lthash_equal(&state, NULL, &equal), PLEACH_EINVAL);
    assert_int_equal(pleach_lthash_equal(&state, &state, NULL), PLEACH_EINVAL);
    assert_false(pleach_lthash_is_zero(NULL));
    assert_int_equal(pleach_lthash_checksum(NULL, NULL, bytes), PLEACH_EINVAL);
    assert_int_equal(pleach_lthash_checksum(NULL, &state, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_lthash_serialise(NULL, bytes), PLEACH_EINVAL);
    assert_int_equal(pleach_lthash_serialise(&state, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_lthash_parse(NULL, bytes, SIZE), PLEACH_EINVAL);
    assert_true(pleach_lthash_is_zero(&state));
}

int test_states(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_of_zero_are_the_empty_set),
        cmocka_unit_test(every_number_counts),
        cmocka_unit_test(sums_and_differences),
        cmocka_unit_test(a_state_with_itself_and_its_opposite),
        cmocka_unit_test(keys_do_not_mix),
        cmocka_unit_test(every_bit_of_a_key_counts),
        cmocka_unit_test(a_key_changes_what_items_are),
        cmocka_unit_test(a_key_outlives_changes_and_not_the_state),
        cmocka_unit_test(only_whole_states_are_read),
        cmocka_unit_test(null_is_refused),
    };
    return cmocka_run_group_tests_name("states", tests, open_trials, close_trials);
}
