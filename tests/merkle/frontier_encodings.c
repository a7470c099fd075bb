/* Encodings of frontiers: round trips, what is refused, and frontiers so large that only an encoding makes them. */
#include "frontier_test.h"

#include <string.h>

enum { D = PLEACH_DIGEST_SIZE };

static void round_trips(void **state)
{
    static const size_t sizes[] = {0, 1, 2, 3, 7, 64, 100, 255, 1023};
    (void)state;
    for (size_t s = 0; s < scheme_count(); s++) {
        const pleach_scheme *scheme = every_scheme[s];
        const size_t size = leaf_size_of(scheme, SIZE);
        hash_leaves(scheme, size);
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            uint8_t bytes[PLEACH_FRONTIER_SERIALISED_MAX], again[PLEACH_FRONTIER_SERIALISED_MAX];
            pleach_frontier *first = open_frontier(trials[i % trial_count].pool, scheme), *second = NULL;
            append(first, size, 0, sizes[i]);
            const size_t encoded = encode(first, bytes);
            assert_int_equal(encoded, 64 + D * (size_t)__builtin_popcountll(sizes[i]));
            assert_int_equal(pleach_frontier_parse(&second, trials[s % trial_count].pool, bytes, encoded), PLEACH_OK);
            pleach_frontier_destroy(first);
            assert_frontier(second, scheme, sizes[i]);
            assert_int_equal(encode(second, again), encoded);
            assert_memory_equal(again, bytes, encoded);
            append(second, size, sizes[i], 77);
            assert_frontier(second, scheme, sizes[i] + 77);
            pleach_frontier_destroy(second);
        }
    }
}

static void assert_parse(const uint8_t *bytes, size_t size, pleach_status status)
{
    pleach_frontier *frontier = NULL;
    uint8_t *copy = guarded(size);
    if (size > 0)
        memcpy(copy, bytes, size);
    assert_int_equal(pleach_frontier_parse(&frontier, NULL, copy, size), status);
    assert_null(frontier);
    guarded_free(copy, size);
}

/* Of a flipped bit at `at`: what it may be taken for. */
static bool fits(size_t at, pleach_status status)
{
    const bool is_altered = status == PLEACH_ECHECKSUM;
    if (at < 8)
        return status == PLEACH_EFORMAT;
    if (at < 12)
        return status == PLEACH_EVERSION;
    if (at < 24)
        return status == PLEACH_EFORMAT || is_altered;
    if (at < 32)
        return status == PLEACH_EFORMAT || status == PLEACH_ETRUNCATED || status == PLEACH_ETRAILING || is_altered;
    return is_altered;
}

static void altered_encodings(void **state)
{
    uint8_t bytes[PLEACH_FRONTIER_SERIALISED_MAX + 1] = {0};
    (void)state;
    for (size_t s = 0; s < scheme_count(); s++) {
        pleach_frontier *frontier = open_frontier(NULL, every_scheme[s]), *parsed = NULL;
        append(frontier, leaf_size_of(every_scheme[s], SIZE), 0, 22);
        const size_t size = encode(frontier, bytes);
        pleach_frontier_destroy(frontier);
        for (size_t bit = 0; bit < 8 * size; bit++) {
            bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
            assert_true(fits(bit / 8, pleach_frontier_parse(&parsed, NULL, bytes, size)));
            assert_null(parsed);
            bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
        }
        for (size_t cut = 0; cut < size; cut++)
            assert_parse(bytes, cut, PLEACH_ETRUNCATED);
        assert_parse(bytes, size + 1, PLEACH_ETRAILING);
        assert_int_equal(pleach_frontier_parse(&parsed, NULL, bytes, size), PLEACH_OK);
        pleach_frontier_destroy(parsed);
    }
}

/* Encodings that somebody made up, with the right checksum. */
static void made_up_encodings(void **state)
{
    static const struct {
        size_t at;
        uint8_t value;
        pleach_status status;
    } made_up[] = {
        {12, PLEACH_FAMILIES, PLEACH_EFORMAT}, /* no such family */
        {12, PLEACH_BLAKE2S, PLEACH_EFORMAT},  /* which takes no prefixes */
        {13, 8, PLEACH_EFORMAT},               /* a flag that means nothing */
        {13, 1, PLEACH_EFORMAT},               /* a given leaf with a prefix */
        {15, 1, PLEACH_EFORMAT},               /* a prefix of 256 */
        {15, 0xff, PLEACH_EFORMAT},
        {17, 2, PLEACH_EFORMAT},
        {18, 4, PLEACH_EFORMAT}, /* no such lone rule */
        {19, 3, PLEACH_EFORMAT}, /* no such empty rule */
        {20, 1, PLEACH_EFORMAT}, /* a depth, but lone nodes promoted */
        {21, 1, PLEACH_EFORMAT}, /* bytes that mean nothing */
        {23, 1, PLEACH_EFORMAT},
        {31, 0x80, PLEACH_EFORMAT}, /* 2^63 leaves and more */
    };
    uint8_t bytes[PLEACH_FRONTIER_SERIALISED_MAX];
    pleach_frontier *frontier = open_frontier(NULL, PLEACH_SCHEME_RFC6962), *parsed = NULL;
    (void)state;
    append(frontier, SIZE, 0, 1);
    const size_t size = encode(frontier, bytes);
    pleach_frontier_destroy(frontier);
    for (size_t i = 0; i < sizeof made_up / sizeof made_up[0]; i++) {
        const uint8_t before = bytes[made_up[i].at];
        bytes[made_up[i].at] = made_up[i].value;
        const pleach__hash_form form = {.size = size - D, .prefix = PLEACH_NO_PREFIX};
        pleach__blake3.reference(&form, bytes, bytes + size - D);
        assert_int_equal(pleach_frontier_parse(&parsed, NULL, bytes, size), made_up[i].status);
        assert_null(parsed);
        bytes[made_up[i].at] = before;
    }
    /* A depth of 2 has no place for 5 leaves. */
    pleach_scheme scheme = pleach_scheme_ssz;
    scheme.depth = 3;
    frontier = open_frontier(NULL, &scheme);
    append(frontier, D, 0, 5);
    const size_t deep = encode(frontier, bytes);
    pleach_frontier_destroy(frontier);
    bytes[20] = 2;
    const pleach__hash_form form = {.size = deep - D, .prefix = PLEACH_NO_PREFIX};
    pleach__blake3.reference(&form, bytes, bytes + deep - D);
    assert_int_equal(pleach_frontier_parse(&parsed, NULL, bytes, deep), PLEACH_EFORMAT);
    assert_non_null(strstr(pleach_last_error(), "at most 4"));
}

/* An encoding of roots that no leaves were hashed for. */
static pleach_frontier *made_up(pleach_pool *pool, uint64_t count)
{
    uint8_t bytes[PLEACH_FRONTIER_SERIALISED_MAX];
    pleach_frontier *frontier = open_frontier(NULL, PLEACH_SCHEME_RFC6962);
    (void)encode(frontier, bytes);
    pleach_frontier_destroy(frontier);
    const size_t roots = (size_t)__builtin_popcountll(count), size = 32 + D * roots;
    for (size_t i = 0; i < 8; i++)
        bytes[24 + i] = (uint8_t)(count >> 8 * i);
    memcpy(bytes + 32, leaf_data, D * roots);
    const pleach__hash_form form = {.size = size, .prefix = PLEACH_NO_PREFIX};
    pleach__blake3.reference(&form, bytes, bytes + size);
    assert_int_equal(pleach_frontier_parse(&frontier, pool, bytes, size + D), PLEACH_OK);
    return frontier;
}

/* One leaf that joins all roots there can be, and is the last leaf there can be. */
static void joined_to_the_top(void **state)
{
    const uint64_t count = INT64_MAX;
    uint8_t root[D], peak[D], expected[D];
    pleach_frontier *frontier = made_up(NULL, count);
    (void)state;
    naive_leaf(PLEACH_SCHEME_RFC6962, leaf_data, SIZE, 0, expected);
    for (size_t i = 63; i-- > 0;)
        naive_node(PLEACH_SCHEME_RFC6962, leaf_data + D * i, expected, expected);
    append(frontier, SIZE, 0, 1);
    assert_int_equal(pleach_frontier_size(frontier), count + 1);
    assert_int_equal(pleach_frontier_peaks(frontier, peak, 1), 1);
    assert_memory_equal(peak, expected, D);
    assert_int_equal(pleach_frontier_root(frontier, root), PLEACH_OK);
    assert_memory_equal(root, expected, D);
    const pleach_leaves one = {.data = leaf_data, .size = SIZE, .stride = SIZE, .count = 1};
    assert_int_equal(pleach_frontier_append(frontier, &one, NULL), PLEACH_ERANGE);
    pleach_frontier_destroy(frontier);
}

/* Batches and single leaves across high powers of two. */
static void high_counts(void **state)
{
    uint64_t random = 7;
    (void)state;
    for (unsigned bit = 5; bit < 62; bit++) {
        const uint64_t count = ((uint64_t)3 << bit) - random_below(&random, 40);
        const size_t batch = (size_t)random_below(&random, bit % 8 == 0 ? LEAVES : 100);
        pleach_frontier *first = made_up(trials[bit % trial_count].pool, count), *second = made_up(NULL, count);
        uint8_t bytes[PLEACH_FRONTIER_SERIALISED_MAX], expected[PLEACH_FRONTIER_SERIALISED_MAX];
        append(first, SIZE, 0, batch);
        for (size_t i = 0; i < batch; i++)
            append(second, SIZE, i, 1);
        const size_t size = encode(second, expected);
        assert_int_equal(encode(first, bytes), size);
        assert_memory_equal(bytes, expected, size);
        pleach_frontier_destroy(first);
        pleach_frontier_destroy(second);
    }
}

static void encoding_arguments(void **state)
{
    uint8_t bytes[PLEACH_FRONTIER_SERIALISED_MAX], before[PLEACH_FRONTIER_SERIALISED_MAX];
    size_t size = 77;
    pleach_frontier *frontier = open_frontier(NULL, PLEACH_SCHEME_RFC6962), *parsed = NULL;
    (void)state;
    append(frontier, SIZE, 0, 5);
    memset(bytes, 0xab, sizeof bytes);
    memset(before, 0xab, sizeof before);
    assert_int_equal(pleach_frontier_serialise(NULL, bytes, sizeof bytes, &size), PLEACH_EINVAL);
    assert_int_equal(pleach_frontier_serialise(frontier, NULL, 1, &size), PLEACH_EINVAL);
    assert_int_equal(pleach_frontier_serialise(frontier, bytes, sizeof bytes, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_frontier_serialise(frontier, NULL, 0, &size), PLEACH_ERANGE);
    assert_non_null(strstr(pleach_last_error(), "128 bytes"));
    assert_int_equal(pleach_frontier_serialise(frontier, bytes, 127, &size), PLEACH_ERANGE);
    assert_int_equal(size, 77);
    assert_memory_equal(bytes, before, sizeof bytes);
    assert_int_equal(pleach_frontier_serialise(frontier, bytes, 128, &size), PLEACH_OK);
    assert_int_equal(size, 128);
    assert_int_equal(pleach_frontier_parse(NULL, NULL, bytes, size), PLEACH_EINVAL);
    assert_int_equal(pleach_frontier_parse(&parsed, NULL, NULL, size), PLEACH_EINVAL);
    assert_null(parsed);
    pleach_frontier_destroy(frontier);
}

int test_frontier_encodings(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trips),       cmocka_unit_test(altered_encodings), cmocka_unit_test(made_up_encodings),
        cmocka_unit_test(joined_to_the_top), cmocka_unit_test(high_counts),       cmocka_unit_test(encoding_arguments),
    };
    return cmocka_run_group_tests_name("encodings of frontiers", tests, open_frontiers, close_trials);
}
