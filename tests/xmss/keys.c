/* Keys against a tree that is computed as its specification says, and keys in bytes. */
#include "keys_test.h"

#include "xmss/key_object.h"

#include <stdlib.h>
#include <string.h>

const uint8_t seed_of_tests[SEED] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                     16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

pleach_xmss_key *make_key(pleach_pool *pool, const uint8_t *seed, uint32_t first, uint32_t last)
{
    pleach_xmss_key *key = NULL;
    assert_int_equal(pleach_xmss_keygen(pool, seed, first, last, NULL, &key), PLEACH_OK);
    assert_non_null(key);
    return key;
}

struct naive {
    const uint8_t *seed;
    uint64_t first, last;
    uint8_t parameter[HASH];
};

static void naive_node(const struct naive *n, unsigned level, uint64_t index, uint8_t node[HASH])
{
    uint8_t left[HASH], right[HASH];
    if (index < n->first >> level || index > n->last >> level) {
        pleach__xmss_reference_prf(node, n->seed, PLEACH__XMSS_FILLER, level, index);
    } else if (level == 0) {
        pleach__xmss_reference_secret_leaf(node, n->seed, n->parameter, (uint32_t)index);
    } else {
        naive_node(n, level - 1, 2 * index, left);
        naive_node(n, level - 1, 2 * index + 1, right);
        pleach__xmss_reference_node(node, n->parameter, level, (uint32_t)index, left, right, NULL);
    }
}

void naive_public_key(const uint8_t seed[SEED], uint32_t first, uint32_t last, uint8_t public_key[KEY])
{
    struct naive n = {seed, first, last, {0}};
    pleach__xmss_reference_prf(n.parameter, seed, PLEACH__XMSS_PUBLIC, 0, 0);
    naive_node(&n, PLEACH_XMSS_HEIGHT, 0, public_key);
    memcpy(public_key + HASH, n.parameter, HASH);
}

/* Ranges of one epoch, of all alignments, across the borders of subtrees and of bytes of the epoch, and at the end. */
static const struct range {
    uint32_t first, last;
} ranges[] = {
    {0, 0},
    {7, 7},
    {UINT32_MAX, UINT32_MAX},
    {0, 1},
    {1, 2},
    {0, 15},
    {15, 16},
    {3, 40},
    {UINT32_MAX - 1, UINT32_MAX},
    {UINT32_MAX - 20, UINT32_MAX},
    {0xfffffa, 0x1000005},
    {0x7fffffff, 0x80000001},
    {1021, 1029},
    {30, 95},
    {17, 320},
};

static void roots_are_those_of_the_tree(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges - quick(); i++) {
        uint8_t expected[KEY], actual[KEY], seed[SEED];
        fill_random(seed, sizeof seed, i);
        naive_public_key(seed, ranges[i].first, ranges[i].last, expected);
        for (size_t t = 0; t < trial_count; t++) {
            uint32_t first = 0, last = 0;
            pleach_xmss_key *key = make_key(trials[t].pool, seed, ranges[i].first, ranges[i].last);
            assert_int_equal(pleach_xmss_key_public(key, actual), PLEACH_OK);
            assert_memory_equal(actual, expected, KEY);
            assert_int_equal(pleach_xmss_key_range(key, &first, &last), PLEACH_OK);
            assert_int_equal(first, ranges[i].first);
            assert_int_equal(last, ranges[i].last);
            pleach_xmss_key_destroy(key);
        }
    }
}

static void seeds_of_the_system_differ(void **state)
{
    uint8_t a[KEY], b[KEY];
    (void)state;
    pleach_xmss_key *one = make_key(NULL, NULL, 0, 0), *other = make_key(NULL, NULL, 0, 0);
    assert_int_equal(pleach_xmss_key_public(one, a), PLEACH_OK);
    assert_int_equal(pleach_xmss_key_public(other, b), PLEACH_OK);
    assert_memory_not_equal(a, b, KEY);
    assert_memory_not_equal(a + HASH, b + HASH, HASH);
    pleach_xmss_key_destroy(one);
    pleach_xmss_key_destroy(other);
}

static void arguments_are_checked(void **state)
{
    pleach_xmss_key *none = (pleach_xmss_key *)untouchable(), *key = none;
    uint8_t bytes[KEY];
    uint32_t epoch;
    uint64_t next;
    (void)state;
    assert_int_equal(pleach_xmss_keygen(NULL, seed_of_tests, 2, 1, NULL, &key), PLEACH_EINVAL);
    assert_int_equal(pleach_xmss_keygen(NULL, seed_of_tests, 0, 0, NULL, NULL), PLEACH_EINVAL);
    assert_ptr_equal(key, none);
    key = make_key(NULL, seed_of_tests, 3, 5);
    assert_int_equal(pleach_xmss_key_public(NULL, bytes), PLEACH_EINVAL);
    assert_int_equal(pleach_xmss_key_public(key, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_xmss_key_range(NULL, &epoch, &epoch), PLEACH_EINVAL);
    assert_int_equal(pleach_xmss_key_range(key, NULL, &epoch), PLEACH_EINVAL);
    assert_int_equal(pleach_xmss_key_range(key, &epoch, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_xmss_key_next(NULL, &next), PLEACH_EINVAL);
    assert_int_equal(pleach_xmss_key_next(key, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_xmss_key_skip(NULL, 4), PLEACH_EINVAL);
    assert_int_equal(pleach_xmss_key_skip(key, 7), PLEACH_EXMSSEPOCH);
    assert_int_equal(pleach_xmss_key_prepare(NULL, NULL, 4, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_xmss_key_prepare(NULL, key, 2, NULL), PLEACH_EXMSSEPOCH);
    assert_int_equal(pleach_xmss_key_prepare(NULL, key, 6, NULL), PLEACH_EXMSSEPOCH);
    assert_int_equal(pleach_xmss_key_serialise(NULL, bytes), PLEACH_EINVAL);
    assert_int_equal(pleach_xmss_key_serialise(key, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_xmss_key_parse(NULL, NULL, 0, &key), PLEACH_EINVAL);
    assert_int_equal(pleach_xmss_key_parse(NULL, bytes, 0, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_xmss_key_size(NULL), 0);
    assert_int_equal(pleach_xmss_key_neighbourhood(NULL), 0);
    pleach_xmss_key_destroy(key);
    pleach_xmss_key_destroy(NULL);
}

struct progress {
    pleach_monitor monitor;
    uint64_t done, total, cancel_at;
    unsigned calls;
};

static void note_progress(void *context, uint64_t done, uint64_t total)
{
    struct progress *p = context;
    assert_true(done >= p->done && done <= total);
    p->done = done;
    p->total = total;
    p->calls++;
    if (done >= p->cancel_at)
        pleach_monitor_cancel(&p->monitor);
}

static void long_keys_report_progress(void **state)
{
    const uint32_t last = quick() ? 1023 : 65535;
    struct progress p = {.monitor = {.progress = note_progress, .context = &p}, .cancel_at = UINT64_MAX};
    pleach_xmss_key *key = NULL;
    uint8_t signature[SIGNATURE];
    (void)state;
    pleach_pool *pool = open_pool(2, "");
    assert_int_equal(pleach_xmss_keygen(pool, seed_of_tests, 0, last, &p.monitor, &key), PLEACH_OK);
    assert_int_equal(p.done, p.total);
    assert_true(p.calls > 1);
    assert_int_equal(sign(key, last, 1, signature), PLEACH_OK);
    assert_signed(key, last, 1, signature);
    assert_true(pleach_xmss_key_size(key) <= 256 + 16 * 256);
    pleach_xmss_key_destroy(key);
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

static void work_can_be_cancelled(void **state)
{
    enum { MANY = (1 << 20) - 1 };
    (void)state;
    for (size_t t = 0; t < trial_count; t++) {
        struct progress p = {.monitor = {.progress = note_progress, .context = &p}, .cancel_at = 1};
        pleach_xmss_key *none = (pleach_xmss_key *)untouchable(), *key = none;
        uint8_t signature[SIGNATURE];
        assert_int_equal(pleach_xmss_keygen(trials[t].pool, seed_of_tests, 0, MANY, &p.monitor, &key),
                         PLEACH_ECANCELED);
        assert_ptr_equal(key, none);
        key = make_key(trials[t].pool, seed_of_tests, 0, 3);
        assert_int_equal(pleach_xmss_key_prepare(trials[t].pool, key, 1, &p.monitor), PLEACH_ECANCELED);
        assert_int_equal(sign(key, 1, 1, signature), PLEACH_OK);
        pleach_xmss_key_destroy(key);
    }
}

/* --- Keys in bytes --- */

static uint8_t *serialise(pleach_xmss_key *key, size_t *size)
{
    *size = pleach_xmss_key_size(key);
    uint8_t *bytes = guarded(*size);
    assert_int_equal(pleach_xmss_key_serialise(key, bytes), PLEACH_OK);
    return bytes;
}

static void keys_in_bytes_come_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        const uint32_t first = ranges[i].first, last = ranges[i].last;
        uint8_t expected[KEY], actual[KEY], signature[SIGNATURE], again[SIGNATURE];
        size_t size, size_again;
        uint64_t next;
        pleach_xmss_key *key = make_key(NULL, seed_of_tests, first, last), *back = NULL;
        assert_int_equal(pleach_xmss_key_public(key, expected), PLEACH_OK);
        assert_int_equal(sign(key, first, i, signature), PLEACH_OK);
        uint8_t *bytes = serialise(key, &size);
        assert_int_equal(pleach_xmss_key_parse(trials[i % trial_count].pool, bytes, size, &back), PLEACH_OK);
        assert_int_equal(pleach_xmss_key_public(back, actual), PLEACH_OK);
        assert_memory_equal(actual, expected, KEY);
        uint8_t *bytes_again = serialise(back, &size_again);
        assert_int_equal(size_again, size);
        assert_memory_equal(bytes_again, bytes, size);
        assert_int_equal(pleach_xmss_key_next(back, &next), PLEACH_OK);
        assert_true(next == (uint64_t)first + 1);
        assert_int_equal(sign(back, first, i + 1, again), PLEACH_EXMSSUSED);
        assert_int_equal(sign(back, first, i, again), PLEACH_OK);
        assert_memory_equal(again, signature, SIGNATURE);
        guarded_free(bytes, size);
        guarded_free(bytes_again, size);
        pleach_xmss_key_destroy(key);
        pleach_xmss_key_destroy(back);
    }
}

static void assert_no_key(const uint8_t *bytes, size_t size, size_t real_size)
{
    pleach_xmss_key *none = (pleach_xmss_key *)untouchable(), *key = none;
    uint8_t *exact = guarded(size);
    memcpy(exact, bytes, size < real_size ? size : real_size);
    if (size > real_size)
        memset(exact + real_size, 0, size - real_size);
    const pleach_status status = pleach_xmss_key_parse(NULL, exact, size, &key);
    if (size < real_size)
        assert_int_equal(status, PLEACH_ETRUNCATED);
    else if (size > real_size)
        assert_int_equal(status, PLEACH_ETRAILING);
    else
        assert_true(status >= PLEACH_EFORMAT && status <= PLEACH_ECHECKSUM);
    assert_ptr_equal(key, none);
    guarded_free(exact, size);
}

static void altered_bytes_are_no_key(void **state)
{
    size_t size;
    uint8_t signature[SIGNATURE];
    (void)state;
    pleach_xmss_key *key = make_key(NULL, seed_of_tests, 15, 16);
    assert_int_equal(sign(key, 15, 1, signature), PLEACH_OK);
    uint8_t *bytes = serialise(key, &size);
    for (size_t i = 0; i < size; i++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            bytes[i] ^= (uint8_t)(1 << bit);
            assert_no_key(bytes, size, size);
            bytes[i] ^= (uint8_t)(1 << bit);
        }
        assert_no_key(bytes, i, size);
    }
    assert_no_key(bytes, size + 1, size);
    guarded_free(bytes, size);
    pleach_xmss_key_destroy(key);
}

/* Bytes whose checksum is right. */
static void malformed_keys_are_refused(void **state)
{
    enum { WHERE = 12, FIRST = 16, LAST = 20, SEED_AT = 24, PUBLIC = 56, USED = 88, NODES = 152, CHECKSUM = 32 };
    static const struct {
        size_t at;
        uint8_t value;
        pleach_status status;
    } cases[] = {
        {WHERE, 1, PLEACH_EXMSSSTATE},    {WHERE, 2, PLEACH_EFORMAT},     {FIRST, 17, PLEACH_EFORMAT},
        {LAST, 14, PLEACH_EFORMAT},       {SEED_AT, 1, PLEACH_EFORMAT},   {PUBLIC, 1, PLEACH_EFORMAT},
        {PUBLIC + 16, 1, PLEACH_EFORMAT}, {USED, 14, PLEACH_EFORMAT},     {USED, 18, PLEACH_EFORMAT},
        {USED + 4, 1, PLEACH_EFORMAT},    {USED + 8, 1, PLEACH_EFORMAT},  {USED + 8, 2, PLEACH_EFORMAT},
        {USED + 12, 1, PLEACH_EFORMAT},   {USED + 16, 1, PLEACH_EFORMAT}, {USED + 63, 1, PLEACH_EFORMAT},
        {NODES, 1, PLEACH_EFORMAT},
    };
    size_t size;
    (void)state;
    pleach_xmss_key *key = make_key(NULL, seed_of_tests, 15, 16), *none = (pleach_xmss_key *)untouchable();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pleach_xmss_key *got = none;
        uint8_t *bytes = serialise(key, &size);
        assert_int_not_equal(bytes[cases[i].at], cases[i].value);
        bytes[cases[i].at] = cases[i].value;
        pleach__xmss_checksum(bytes, size - CHECKSUM, bytes + size - CHECKSUM);
        assert_int_equal(pleach_xmss_key_parse(NULL, bytes, size, &got), cases[i].status);
        assert_ptr_equal(got, none);
        guarded_free(bytes, size);
    }
    pleach_xmss_key_destroy(key);
}

int test_keys(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_are_those_of_the_tree), cmocka_unit_test(seeds_of_the_system_differ),
        cmocka_unit_test(arguments_are_checked),       cmocka_unit_test(long_keys_report_progress),
        cmocka_unit_test(work_can_be_cancelled),       cmocka_unit_test(keys_in_bytes_come_back),
        cmocka_unit_test(altered_bytes_are_no_key),    cmocka_unit_test(malformed_keys_are_refused),
    };
    return cmocka_run_group_tests(tests, open_trials, close_trials);
}
