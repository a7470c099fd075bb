/* Frontiers against naive roots, in batches of every kind, and what is refused. */
#include "frontier_test.h"

#include "../scarce.h"

#include <stdlib.h>
#include <string.h>

enum { D = PLEACH_DIGEST_SIZE, SMALL = 300 };

uint8_t leaf_data[LEAVES * SIZE];

static uint8_t hashes[LEAVES * D];

int open_frontiers(void **state)
{
    fill_stream(leaf_data, sizeof leaf_data);
    return open_trials(state);
}

pleach_frontier *open_frontier(pleach_pool *pool, const pleach_scheme *scheme)
{
    pleach_frontier *frontier = NULL;
    assert_int_equal(pleach_frontier_create(&frontier, pool, scheme), PLEACH_OK);
    assert_int_equal(pleach_frontier_size(frontier), 0);
    return frontier;
}

void hash_leaves(const pleach_scheme *scheme, size_t size)
{
    for (size_t i = 0; i < LEAVES; i++)
        naive_leaf(scheme, leaf_data + SIZE * i, size, 0, hashes + D * i);
}

void append(pleach_frontier *frontier, size_t size, size_t first, size_t count)
{
    pleach_input list[64];
    pleach_leaves leaves = {.data = leaf_data + SIZE * first, .size = size, .stride = SIZE, .count = count};
    if (count <= 64 && (first + count) % 2 == 0) {
        for (size_t i = 0; i < count; i++)
            list[i] = (pleach_input){leaf_data + SIZE * (first + i), size};
        leaves = (pleach_leaves){.list = list, .count = count};
    }
    assert_int_equal(pleach_frontier_append(frontier, &leaves, NULL), PLEACH_OK);
}

void assert_frontier(const pleach_frontier *frontier, const pleach_scheme *scheme, size_t count)
{
    uint8_t root[D], expected[D], peaks[64 * D];
    assert_int_equal(pleach_frontier_size(frontier), count);
    if (is_accepted(scheme, count)) {
        naive_root(scheme, hashes, count, expected);
        assert_int_equal(pleach_frontier_root(frontier, root), PLEACH_OK);
        assert_memory_equal(root, expected, D);
    } else {
        assert_int_equal(pleach_frontier_root(frontier, root), PLEACH_EINVAL);
    }
    assert_int_equal(pleach_frontier_peaks(frontier, peaks, 64), (size_t)__builtin_popcountll(count));
    pleach_scheme perfect = *scheme;
    perfect.depth = 0;
    size_t first = 0, n = 0;
    for (size_t subtree = (size_t)1 << 13; subtree > 0; subtree /= 2) {
        if ((count & subtree) == 0)
            continue;
        naive_root(&perfect, hashes + D * first, subtree, expected);
        assert_memory_equal(peaks + D * n++, expected, D);
        first += subtree;
    }
}

size_t encode(const pleach_frontier *frontier, uint8_t *bytes)
{
    size_t size = 0;
    assert_int_equal(pleach_frontier_serialise(frontier, bytes, PLEACH_FRONTIER_SERIALISED_MAX, &size), PLEACH_OK);
    return size;
}

/* One leaf after the other, looked at after each. */
static void every_small_size(void **state)
{
    const size_t most = quick() ? 70 : SMALL;
    (void)state;
    for (size_t s = 0; s < scheme_count(); s++) {
        const pleach_scheme *scheme = every_scheme[s];
        const size_t size = leaf_size_of(scheme, 33);
        hash_leaves(scheme, size);
        pleach_frontier *frontier = open_frontier(NULL, scheme);
        for (size_t count = 0;; count++) {
            assert_frontier(frontier, scheme, count);
            if (count == most)
                break;
            append(frontier, size, count, 1);
        }
        pleach_frontier_destroy(frontier);
    }
}

/* At every size a second batch of every size. */
static void every_pair_of_batches(void **state)
{
    const pleach_scheme *scheme = PLEACH_SCHEME_RFC6962;
    uint8_t expected[41][D], root[D];
    (void)state;
    hash_leaves(scheme, SIZE);
    for (size_t n = 0; n <= 40; n++)
        naive_root(scheme, hashes, n, expected[n]);
    for (size_t n = 0; n <= 40; n++) {
        for (size_t first = 0; first <= n; first++) {
            pleach_frontier *frontier = open_frontier(NULL, scheme);
            append(frontier, SIZE, 0, first);
            append(frontier, SIZE, first, n - first);
            assert_int_equal(pleach_frontier_root(frontier, root), PLEACH_OK);
            assert_memory_equal(root, expected[n], D);
            pleach_frontier_destroy(frontier);
        }
    }
}

static size_t random_batch(uint64_t *random, size_t most)
{
    const size_t bound = (size_t)1 << random_below(random, 14);
    const size_t batch = (size_t)random_below(random, bound + 1);
    return batch < most ? batch : most;
}

static void random_batches(void **state)
{
    static const size_t sizes[] = {511, 512, 513, 1024, 2047, 2049, 4095, 4096, 4097, LEAVES};
    uint64_t random = 1;
    (void)state;
    for (size_t s = 0; s < scheme_count(); s++) {
        const pleach_scheme *scheme = every_scheme[s];
        const size_t size = leaf_size_of(scheme, s % 2 == 0 ? SIZE : 1);
        hash_leaves(scheme, size);
        for (size_t t = 0; t < trial_count; t += quick() ? 3 : 1) {
            pleach_frontier *frontier = open_frontier(trials[t].pool, scheme);
            const size_t end = sizes[random_below(&random, sizeof sizes / sizeof sizes[0])];
            for (size_t count = 0; count < end;) {
                const size_t batch = random_batch(&random, end - count);
                append(frontier, size, count, batch);
                count += batch;
                if (random_below(&random, 8) == 0 || count == end)
                    assert_frontier(frontier, scheme, count);
            }
            pleach_frontier_destroy(frontier);
        }
    }
}

/* Leaves so large that each is a chunk of its own, and padded ones. */
static void large_leaves(void **state)
{
    enum { LARGE = 100000, COUNT = 9 };
    const pleach_scheme *scheme = &promoting_blake2s;
    uint8_t *large = malloc(LARGE + COUNT), root[D], expected[D], digests[COUNT * D];
    (void)state;
    assert_non_null(large);
    fill_stream(large, LARGE + COUNT);
    for (size_t zeros = 0; zeros <= 320; zeros += 320) {
        for (size_t i = 0; i < COUNT; i++)
            naive_leaf(scheme, large + i, LARGE, zeros, digests + D * i);
        naive_root(scheme, digests, COUNT, expected);
        for (size_t t = 0; t < trial_count; t++) {
            pleach_frontier *frontier = open_frontier(trials[t].pool, scheme);
            for (size_t i = 0; i < COUNT; i += 3) {
                pleach_input list[3] = {{large + i, LARGE}, {large + i + 1, LARGE}, {large + i + 2, LARGE}};
                for (size_t k = 0; k < 3 && zeros > 0; k++) {
                    const pleach_leaves leaf = {
                        .data = large + i + k, .size = LARGE, .stride = LARGE, .count = 1, .zeros = zeros};
                    assert_int_equal(pleach_frontier_append(frontier, &leaf, NULL), PLEACH_OK);
                }
                const pleach_leaves leaves = {.list = list, .count = zeros > 0 ? 0 : 3};
                assert_int_equal(pleach_frontier_append(frontier, &leaves, NULL), PLEACH_OK);
            }
            assert_int_equal(pleach_frontier_root(frontier, root), PLEACH_OK);
            assert_memory_equal(root, expected, D);
            pleach_frontier_destroy(frontier);
        }
    }
    free(large);
}

static void progress_and_cancel(void **state)
{
    const pleach_scheme *scheme = PLEACH_SCHEME_RFC6962;
    const pleach_leaves some = {.data = leaf_data, .size = SIZE, .stride = SIZE, .count = 77},
                        all = {
                            .data = leaf_data + (size_t)SIZE * 77, .size = SIZE, .stride = SIZE, .count = LEAVES - 77};
    (void)state;
    hash_leaves(scheme, SIZE);
    for (size_t t = 0; t < trial_count; t++) {
        struct record record = {0};
        pleach_monitor monitor = {.progress = watch, .context = &record};
        pleach_frontier *frontier = open_frontier(trials[t].pool, scheme);
        assert_int_equal(pleach_frontier_append(frontier, &some, &monitor), PLEACH_OK);
        assert_int_equal(record.done, 77);
        assert_int_equal(record.total, 77);
        pleach_monitor_cancel(&monitor);
        assert_int_equal(pleach_frontier_append(frontier, &some, &monitor), PLEACH_ECANCELED);
        assert_int_equal(pleach_frontier_append(frontier, &all, &monitor), PLEACH_ECANCELED);
        assert_frontier(frontier, scheme, 77);
        record = (struct record){.cancels = &monitor};
        monitor = (pleach_monitor){.progress = watch, .context = &record};
        pleach_status status = pleach_frontier_append(frontier, &all, &monitor);
        assert_true(status == PLEACH_ECANCELED || status == PLEACH_OK);
        assert_frontier(frontier, scheme, status == PLEACH_OK ? LEAVES : 77);
        if (status != PLEACH_OK)
            assert_int_equal(pleach_frontier_append(frontier, &all, NULL), PLEACH_OK);
        assert_frontier(frontier, scheme, LEAVES);
        pleach_frontier_destroy(frontier);
    }
}

static void refused(void **state)
{
    const pleach_scheme *scheme = PLEACH_SCHEME_RFC6962;
    const pleach_input absent = {NULL, 4};
    pleach_frontier *frontier = NULL;
    uint8_t root[D], kept[D];
    (void)state;
    assert_int_equal(pleach_frontier_create(NULL, NULL, scheme), PLEACH_EINVAL);
    assert_int_equal(pleach_frontier_create(&frontier, NULL, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_frontier_create(&frontier, NULL, &(pleach_scheme){.family = PLEACH_FAMILIES}),
                     PLEACH_EINVAL);
    assert_null(frontier);
    pleach_frontier_destroy(NULL);
    assert_int_equal(pleach_frontier_size(NULL), 0);
    assert_int_equal(pleach_frontier_peaks(NULL, NULL, 0), 0);
    assert_int_equal(pleach_frontier_root(NULL, root), PLEACH_EINVAL);

    frontier = open_frontier(NULL, scheme);
    append(frontier, SIZE, 0, 7);
    assert_int_equal(pleach_frontier_root(frontier, kept), PLEACH_OK);
    const struct {
        pleach_status status;
        pleach_leaves leaves;
    } bad[] = {
        {PLEACH_EINVAL, {.data = NULL, .size = 8, .stride = 8, .count = 1}},
        {PLEACH_EINVAL, {.data = leaf_data, .size = 8, .stride = 7, .count = 2}},
        {PLEACH_EINVAL, {.data = leaf_data, .size = 8, .stride = 8, .count = 2, .zeros = 1}},
        {PLEACH_EINVAL, {.list = &absent, .count = 1}},
        {PLEACH_ERANGE, {.data = leaf_data, .size = 8, .stride = 8, .count = SIZE_MAX}},
        {PLEACH_ERANGE, {.data = leaf_data, .size = SIZE_MAX, .stride = SIZE_MAX, .count = 1}},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(pleach_frontier_append(frontier, &bad[i].leaves, NULL), bad[i].status);
    assert_int_equal(pleach_frontier_append(frontier, NULL, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_frontier_append(NULL, &(pleach_leaves){.count = 0}, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_frontier_root(frontier, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_frontier_root(frontier, root), PLEACH_OK);
    assert_memory_equal(root, kept, D);
    pleach_frontier_destroy(frontier);
}

/* A scheme of a depth is full at 2^depth leaves. */
static void full(void **state)
{
    pleach_scheme scheme = pleach_scheme_ssz;
    (void)state;
    for (scheme.depth = 1; scheme.depth <= 12; scheme.depth++) {
        const size_t most = (size_t)1 << scheme.depth;
        hash_leaves(&scheme, D);
        pleach_frontier *frontier = open_frontier(NULL, &scheme);
        const pleach_leaves one = {.data = leaf_data, .size = D, .stride = D, .count = 1};
        append(frontier, D, 0, most - 1);
        assert_int_equal(pleach_frontier_append(
                             frontier, &(pleach_leaves){.data = leaf_data, .size = D, .stride = D, .count = 2}, NULL),
                         PLEACH_ERANGE);
        assert_frontier(frontier, &scheme, most - 1);
        append(frontier, D, most - 1, 1);
        assert_frontier(frontier, &scheme, most);
        assert_int_equal(pleach_frontier_append(frontier, &one, NULL), PLEACH_ERANGE);
        assert_non_null(strstr(pleach_last_error(), "2^"));
        assert_frontier(frontier, &scheme, most);
        pleach_frontier_destroy(frontier);
    }
}

static void few_peaks(void **state)
{
    uint8_t peaks[4 * D], all[4 * D];
    pleach_frontier *frontier = open_frontier(NULL, PLEACH_SCHEME_BLAKE3);
    (void)state;
    append(frontier, SIZE, 0, 11);
    assert_int_equal(pleach_frontier_peaks(frontier, NULL, 0), 3);
    assert_int_equal(pleach_frontier_peaks(frontier, all, 4), 3);
    memset(peaks, 0xab, sizeof peaks);
    assert_int_equal(pleach_frontier_peaks(frontier, peaks, 2), 3);
    assert_memory_equal(peaks, all, 2 * (size_t)D);
    assert_int_equal(peaks[2 * D], 0xab);
    pleach_frontier_destroy(frontier);
}

/* --- memory that runs out --- */

struct scarce {
    pleach_pool *pool;
    pleach_frontier *frontier;
    uint8_t bytes[PLEACH_FRONTIER_SERIALISED_MAX];
    size_t size;
};

static pleach_status try_create(void *context)
{
    const struct scarce *scarce = context;
    pleach_frontier *frontier = NULL;
    pleach_status status = pleach_frontier_create(&frontier, scarce->pool, PLEACH_SCHEME_SSZ);
    assert_int_equal(frontier != NULL, status == PLEACH_OK);
    pleach_frontier_destroy(frontier);
    return status;
}

static pleach_status try_append(void *context)
{
    const struct scarce *scarce = context;
    const pleach_leaves leaves = {
        .data = leaf_data + (size_t)SIZE * 77, .size = SIZE, .stride = SIZE, .count = LEAVES - 77};
    return pleach_frontier_append(scarce->frontier, &leaves, NULL);
}

static void assert_as_it_was(void *context)
{
    const struct scarce *scarce = context;
    assert_frontier(scarce->frontier, PLEACH_SCHEME_RFC6962, 77);
}

static pleach_status try_parse(void *context)
{
    const struct scarce *scarce = context;
    pleach_frontier *frontier = NULL;
    pleach_status status = pleach_frontier_parse(&frontier, scarce->pool, scarce->bytes, scarce->size);
    assert_int_equal(frontier != NULL, status == PLEACH_OK);
    pleach_frontier_destroy(frontier);
    return status;
}

static void scarce_memory(void **state)
{
    (void)state;
    hash_leaves(PLEACH_SCHEME_RFC6962, SIZE);
    for (size_t t = 0; t < 3; t++) {
        struct scarce scarce = {.pool = trials[t].pool,
                                .frontier = open_frontier(trials[t].pool, PLEACH_SCHEME_RFC6962)};
        append(scarce.frontier, SIZE, 0, 77);
        scarce.size = encode(scarce.frontier, scarce.bytes);
        assert_true(scarce_run(&(struct scarce_call){try_create, NULL, &scarce}) >= 1);
        assert_true(scarce_run(&(struct scarce_call){try_parse, NULL, &scarce}) >= 1);
        assert_true(scarce_run(&(struct scarce_call){try_append, assert_as_it_was, &scarce}) >= 1);
        assert_frontier(scarce.frontier, PLEACH_SCHEME_RFC6962, LEAVES);
        pleach_frontier_destroy(scarce.frontier);
    }
}

int test_frontiers(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_small_size),
        cmocka_unit_test(every_pair_of_batches),
        cmocka_unit_test(random_batches),
        cmocka_unit_test(large_leaves),
        cmocka_unit_test(progress_and_cancel),
        cmocka_unit_test(refused),
        cmocka_unit_test(full),
        cmocka_unit_test(few_peaks),
        cmocka_unit_test(scarce_memory),
    };
    return cmocka_run_group_tests_name("frontiers", tests, open_frontiers, close_trials);
}
