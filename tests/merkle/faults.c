/* What is refused, with what status, and that nothing changes then; cancellation and progress of builds. */
#define _GNU_SOURCE
#include "merkle_test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { D = PLEACH_DIGEST_SIZE, LEAVES = 1 << 15, SIZE = 64 };

static uint8_t data[LEAVES * SIZE];

/* Sanitizers take an allocation that is too large for a fault unless they are told. */
const char *__asan_default_options(void);
const char *__tsan_default_options(void);

const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

const char *__tsan_default_options(void)
{
    return "allocator_may_return_null=1";
}

static void presets(void **state)
{
    size_t count = 0;
    (void)state;
    for (const pleach_scheme *scheme; (scheme = pleach_scheme_preset(count)) != NULL; count++)
        assert_ptr_equal(pleach_scheme_find(scheme->name), scheme);
    assert_int_equal(count, 5);
    assert_ptr_equal(pleach_scheme_find("blake2s"), PLEACH_SCHEME_BLAKE2S);
    assert_ptr_equal(pleach_scheme_find("rfc6962"), PLEACH_SCHEME_RFC6962);
    assert_ptr_equal(pleach_scheme_find("bitcoin"), PLEACH_SCHEME_BITCOIN);
    assert_ptr_equal(pleach_scheme_find("ssz"), PLEACH_SCHEME_SSZ);
    assert_ptr_equal(pleach_scheme_find("blake3"), PLEACH_SCHEME_BLAKE3);
    assert_null(pleach_scheme_find("rfc"));
    assert_null(pleach_scheme_find(""));
    assert_null(pleach_scheme_find(NULL));
    assert_null(pleach_scheme_preset(SIZE_MAX));
}

/* Leaves that no tree is made of. */
struct fault {
    const char *says; /* is part of the error text */
    pleach_status status;
    const pleach_scheme *scheme;
    pleach_leaves leaves;
};

static void assert_refused(const struct fault *fault)
{
    uint8_t root[D], before[D], kept[D];
    const pleach_leaves good = {.data = data, .size = D, .stride = D, .count = 4};
    pleach_tree *tree = NULL;
    memset(root, 0xab, D);
    memset(before, 0xab, D);
    assert_int_equal(pleach_merkle_root(NULL, fault->scheme, &fault->leaves, NULL, root), fault->status);
    assert_non_null(strstr(pleach_last_error(), fault->says));
    assert_memory_equal(root, before, D);
    assert_int_equal(pleach_tree_create(&tree, NULL, fault->scheme), PLEACH_OK);
    assert_int_equal(pleach_tree_build(tree, &good, NULL), PLEACH_OK);
    assert_int_equal(pleach_tree_root(tree, kept), PLEACH_OK);
    assert_int_equal(pleach_tree_build(tree, &fault->leaves, NULL), fault->status);
    assert_non_null(strstr(pleach_last_error(), fault->says));
    assert_int_equal(pleach_tree_size(tree), 4);
    assert_int_equal(pleach_tree_root(tree, root), PLEACH_OK);
    assert_memory_equal(root, kept, D);
    pleach_tree_destroy(tree);
}

/* A scheme that would do if not for the fields given. */
#define SCHEME(its_family, ...) (&(const pleach_scheme){.name = "bad", .family = (its_family), __VA_ARGS__})
#define PLAIN                   .leaf_prefix = PLEACH_NO_PREFIX, .node_prefix = PLEACH_NO_PREFIX
#define ZERO_PADDED             .lone = PLEACH_LONE_ZERO_PADDED

static void refused_schemes(void **state)
{
    static const pleach_leaves leaves = {data, 32, 32, 4, 0, NULL};
    const struct {
        const char *says;
        const pleach_scheme *scheme;
    } faults[] = {
        {"scheme = NULL", NULL},
        {"family = 3", SCHEME(PLEACH_URM, PLAIN)},
        {"family", SCHEME((pleach_family)-1, PLAIN)},
        {"leaf_prefix = 256", SCHEME(PLEACH_SHA256, .leaf_prefix = 256)},
        {"leaf_prefix = -2", SCHEME(PLEACH_SHA256, .leaf_prefix = -2)},
        {"node_prefix = -2", SCHEME(PLEACH_SHA256, .node_prefix = -2)},
        {"node_prefix = 256", SCHEME(PLEACH_SHA256, .node_prefix = 256)},
        {"prefix", SCHEME(PLEACH_BLAKE2S, .leaf_prefix = 0, .node_prefix = PLEACH_NO_PREFIX)},
        {"prefix", SCHEME(PLEACH_BLAKE3, .leaf_prefix = PLEACH_NO_PREFIX, .node_prefix = 1)},
        {"leaf_prefix = 0", SCHEME(PLEACH_SHA256, .leaf_given = true)},
        {"leaf_twice = 1", SCHEME(PLEACH_SHA256, PLAIN, .leaf_given = true, .leaf_twice = true)},
        {"hashed twice", SCHEME(PLEACH_BLAKE2S, PLAIN, .leaf_twice = true)},
        {"hashed twice", SCHEME(PLEACH_BLAKE3, PLAIN, .node_twice = true)},
        {"lone = 7", SCHEME(PLEACH_SHA256, .lone = (pleach_lone_node)7)},
        {"lone = 4", SCHEME(PLEACH_SHA256, .lone = (pleach_lone_node)4)},
        {"lone = -1", SCHEME(PLEACH_SHA256, .lone = (pleach_lone_node)-1)},
        {"empty = 3", SCHEME(PLEACH_SHA256, .empty = (pleach_empty_tree)3)},
        {"depth = 5", SCHEME(PLEACH_SHA256, .lone = PLEACH_LONE_PROMOTED, .depth = 5)},
        {"depth = 5", SCHEME(PLEACH_SHA256, .lone = PLEACH_LONE_DUPLICATED, .depth = 5)},
        {"depth = 5", SCHEME(PLEACH_SHA256, .lone = PLEACH_LONE_REFUSED, .depth = 5)},
        {"depth = 64", SCHEME(PLEACH_SHA256, ZERO_PADDED, .depth = 64)},
        {"depth = 4294967295", SCHEME(PLEACH_SHA256, ZERO_PADDED, .depth = UINT32_MAX)},
    };
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        uint8_t digest[D], before[D];
        pleach_tree *tree = NULL;
        pleach_stream_result result;
        struct source source = source_of(data, 64, 0);
        memset(digest, 0xab, D);
        memset(before, 0xab, D);
        assert_int_equal(pleach_merkle_leaf(faults[i].scheme, data, 32, 0, digest), PLEACH_EINVAL);
        assert_int_equal(pleach_merkle_root(NULL, faults[i].scheme, &leaves, NULL, digest), PLEACH_EINVAL);
        assert_int_equal(pleach_merkle_root_stream(NULL, faults[i].scheme, 32, read_source, &source, 0, NULL, &result),
                         PLEACH_EINVAL);
        assert_int_equal(source.reads, 0);
        assert_int_equal(pleach_tree_create(&tree, NULL, faults[i].scheme), PLEACH_EINVAL);
        assert_non_null(strstr(pleach_last_error(), faults[i].says));
        assert_null(tree);
        assert_memory_equal(digest, before, D);
    }
}

static void refused_leaves(void **state)
{
    const pleach_scheme *blake2s = PLEACH_SCHEME_BLAKE2S, *rfc6962 = PLEACH_SCHEME_RFC6962, *ssz = PLEACH_SCHEME_SSZ;
    const pleach_scheme *shallow = SCHEME(PLEACH_SHA256, PLAIN, ZERO_PADDED, .depth = 2);
    const struct fault faults[] = {
        {"data = NULL", PLEACH_EINVAL, rfc6962, {NULL, 8, 8, 4, 0, NULL}},
        {"stride = 7", PLEACH_EINVAL, rfc6962, {data, 8, 7, 4, 0, NULL}},
        {"stride = 0", PLEACH_EINVAL, blake2s, {data, 8, 0, 4, 0, NULL}},
        {"zeros = 1", PLEACH_EINVAL, rfc6962, {data, 8, 8, 4, 1, NULL}},
        {"zeros = 1", PLEACH_EINVAL, PLEACH_SCHEME_BLAKE3, {data, 8, 8, 4, 1, NULL}},
        {"zeros = 16385", PLEACH_EINVAL, blake2s, {data, 8, 8, 4, 16385, NULL}},
        {"zeros = ", PLEACH_EINVAL, blake2s, {data, 8, 8, 4, SIZE_MAX, NULL}},
        {"count = 0", PLEACH_EINVAL, blake2s, {data, 8, 8, 0, 0, NULL}},
        {"count = 3", PLEACH_EINVAL, blake2s, {data, 8, 8, 3, 0, NULL}},
        {"powers of two", PLEACH_EINVAL, blake2s, {data, 8, 8, 4097, 0, NULL}},
        {"size = 31", PLEACH_EINVAL, ssz, {data, 31, 32, 4, 0, NULL}},
        {"size = 33", PLEACH_EINVAL, PLEACH_SCHEME_BITCOIN, {data, 33, 33, 4, 0, NULL}},
        {"zeros = 1", PLEACH_EINVAL, ssz, {data, 32, 32, 4, 1, NULL}},
        {"depth of 2", PLEACH_ERANGE, shallow, {data, 8, 8, 5, 0, NULL}},
        {"address space", PLEACH_ERANGE, rfc6962, {data, 8, 8, SIZE_MAX, 0, NULL}},
        {"address space", PLEACH_ERANGE, rfc6962, {data, 8, SIZE_MAX / 4 + 1, 3, 0, NULL}},
        {"address space", PLEACH_ERANGE, blake2s, {data, 8, SIZE_MAX, 2, 0, NULL}},
        {"address space", PLEACH_ERANGE, blake2s, {data, 1 << 20, 1 << 20, (SIZE_MAX >> 19) + 1, 0, NULL}},
        {"address space", PLEACH_ERANGE, ssz, {data, 32, SIZE_MAX / 4 + 1, 3, 0, NULL}},
        {"address space", PLEACH_ERANGE, rfc6962, {NULL, 0, 0, (SIZE_MAX >> 6) + 1, 0, NULL}},
        {"", PLEACH_ERANGE, rfc6962, {data, SIZE_MAX, SIZE_MAX, 1, 0, NULL}},
        {"", PLEACH_ERANGE, blake2s, {data, SIZE_MAX, SIZE_MAX, 1, 16384, NULL}},
#if SIZE_MAX >> 61 != 0
        {"", PLEACH_ERANGE, rfc6962, {data, (size_t)1 << 61, (size_t)1 << 61, 1, 0, NULL}},
#endif
    };
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        assert_refused(&faults[i]);
    /* The limits themselves are accepted. */
    uint8_t root[D];
    const pleach_leaves padded = {data, 8, 8, 4, 16384, NULL}, full = {data, 8, 8, 4, 0, NULL};
    assert_int_equal(pleach_merkle_root(NULL, blake2s, &padded, NULL, root), PLEACH_OK);
    assert_int_equal(pleach_merkle_root(NULL, shallow, &full, NULL, root), PLEACH_OK);
}

static void null_arguments(void **state)
{
    const pleach_scheme *scheme = PLEACH_SCHEME_RFC6962;
    const pleach_leaves leaves = {data, SIZE, SIZE, 4, 0, NULL};
    uint8_t digest[D] = {0}, path[PATH];
    size_t nodes = 77;
    pleach_tree *tree = NULL;
    pleach_stream_result result;
    struct source source = source_of(data, 100, 0);
    (void)state;
    assert_int_equal(pleach_merkle_leaf(NULL, data, 8, 0, digest), PLEACH_EINVAL);
    assert_int_equal(pleach_merkle_leaf(scheme, NULL, 8, 0, digest), PLEACH_EINVAL);
    assert_int_equal(pleach_merkle_leaf(scheme, data, 8, 0, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_merkle_leaf(scheme, data, 8, 1, digest), PLEACH_EINVAL);
    assert_int_equal(pleach_merkle_leaf(scheme, NULL, 0, 0, digest), PLEACH_OK);
    assert_int_equal(pleach_merkle_root(NULL, scheme, NULL, NULL, digest), PLEACH_EINVAL);
    assert_int_equal(pleach_merkle_root(NULL, scheme, &leaves, NULL, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_merkle_root_stream(NULL, NULL, 8, read_source, &source, 0, NULL, &result), PLEACH_EINVAL);
    assert_int_equal(pleach_merkle_root_stream(NULL, scheme, 0, read_source, &source, 0, NULL, &result), PLEACH_EINVAL);
    assert_int_equal(pleach_merkle_root_stream(NULL, scheme, 8, NULL, &source, 0, NULL, &result), PLEACH_EINVAL);
    assert_int_equal(pleach_merkle_root_stream(NULL, scheme, 8, read_source, &source, 0, NULL, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_merkle_root_stream(NULL, scheme, SIZE_MAX, read_source, &source, 0, NULL, &result),
                     PLEACH_ERANGE);
    assert_int_equal(pleach_tree_create(NULL, NULL, scheme), PLEACH_EINVAL);
    assert_int_equal(pleach_tree_create(&tree, NULL, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_tree_build(NULL, &leaves, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_tree_size(NULL), 0);
    assert_int_equal(pleach_tree_levels(NULL), 0);
    assert_null(pleach_tree_nodes(NULL, 0, 0, &nodes));
    assert_int_equal(nodes, 0);
    assert_int_equal(pleach_tree_root(NULL, digest), PLEACH_EINVAL);
    assert_int_equal(pleach_tree_prove(NULL, 0, path, PLEACH_PATH_MAX, &nodes), PLEACH_EINVAL);
    assert_int_equal(pleach_merkle_path_length(NULL, 0, 1, &nodes), PLEACH_EINVAL);
    assert_int_equal(pleach_merkle_path_length(scheme, 0, 1, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_merkle_path_length(scheme, 1, 1, &nodes), PLEACH_EPROOFINDEX);
    assert_int_equal(pleach_merkle_path_length(PLEACH_SCHEME_BLAKE2S, 1, 3, &nodes), PLEACH_EINVAL);
    assert_int_equal(pleach_merkle_verify(NULL, 0, 1, digest, path, 0, digest), PLEACH_EINVAL);
    assert_int_equal(pleach_merkle_verify(scheme, 0, 1, NULL, path, 0, digest), PLEACH_EINVAL);
    assert_int_equal(pleach_merkle_verify(scheme, 0, 2, digest, NULL, 1, digest), PLEACH_EINVAL);
    assert_int_equal(pleach_merkle_verify(scheme, 0, 1, digest, path, 0, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_merkle_verify(scheme, 0, 1, digest, NULL, 0, digest), PLEACH_OK);
    assert_int_equal(source.reads, 0);
}

static void refused_proofs(void **state)
{
    const pleach_leaves leaves = {data, SIZE, SIZE, 5, 0, NULL};
    uint8_t path[PATH], before[PATH];
    size_t nodes = 77;
    pleach_tree *tree = NULL;
    (void)state;
    memset(path, 0xab, PATH);
    memset(before, 0xab, PATH);
    assert_int_equal(pleach_tree_create(&tree, NULL, PLEACH_SCHEME_RFC6962), PLEACH_OK);
    assert_int_equal(pleach_tree_prove(tree, 0, path, PLEACH_PATH_MAX, &nodes), PLEACH_EPROOFINDEX);
    assert_int_equal(pleach_tree_build(tree, &leaves, NULL), PLEACH_OK);
    assert_int_equal(pleach_tree_prove(tree, 5, path, PLEACH_PATH_MAX, &nodes), PLEACH_EPROOFINDEX);
    assert_int_equal(pleach_tree_prove(tree, UINT64_MAX, path, PLEACH_PATH_MAX, &nodes), PLEACH_EPROOFINDEX);
    assert_int_equal(pleach_tree_prove(tree, 0, path, 2, &nodes), PLEACH_ERANGE);
    assert_non_null(strstr(pleach_last_error(), "3 nodes"));
    assert_int_equal(pleach_tree_prove(tree, 0, NULL, 2, &nodes), PLEACH_EINVAL);
    assert_int_equal(pleach_tree_prove(tree, 0, NULL, 0, &nodes), PLEACH_ERANGE);
    assert_int_equal(pleach_tree_prove(tree, 0, path, 3, NULL), PLEACH_EINVAL);
    assert_int_equal(nodes, 77);
    assert_memory_equal(path, before, PATH);
    assert_int_equal(pleach_tree_prove(tree, 4, path, 1, &nodes), PLEACH_OK);
    assert_int_equal(nodes, 1);
    pleach_tree_destroy(tree);
    uint8_t root[D];
    assert_int_equal(pleach_tree_create(&tree, NULL, PLEACH_SCHEME_BLAKE2S), PLEACH_OK);
    assert_int_equal(pleach_tree_root(tree, root), PLEACH_EINVAL);
    pleach_tree_destroy(tree);
}

static void memory_that_is_not_there(void **state)
{
    const uint64_t beyond = (uint64_t)1 << 54;
    (void)state;
    if (beyond > SIZE_MAX) {
        print_message("SKIPPED: a machine of 32 bits may have the memory for all that it can count\n");
        skip();
    }
    const pleach_leaves good = {data, SIZE, SIZE, 4, 0, NULL}, many = {NULL, 0, 0, (size_t)beyond, 0, NULL};
    pleach_pool *pools[] = {NULL, open_pool(2, "")};
    for (size_t i = 0; i < 2; i++) {
        uint8_t kept[D], root[D];
        pleach_tree *tree = NULL;
        assert_int_equal(pleach_tree_create(&tree, pools[i], PLEACH_SCHEME_BLAKE2S), PLEACH_OK);
        assert_int_equal(pleach_tree_build(tree, &good, NULL), PLEACH_OK);
        assert_int_equal(pleach_tree_root(tree, kept), PLEACH_OK);
        assert_int_equal(pleach_tree_build(tree, &many, NULL), PLEACH_ENOMEM);
        assert_int_equal(pleach_tree_size(tree), 4);
        assert_int_equal(pleach_tree_root(tree, root), PLEACH_OK);
        assert_memory_equal(root, kept, D);
        pleach_tree_destroy(tree);
    }
    pleach_stream_result result;
    struct source source = source_of(data, 10, 0);
    assert_int_equal(pleach_merkle_root_stream(pools[1], PLEACH_SCHEME_RFC6962, (size_t)(beyond / 4), read_source,
                                               &source, 0, NULL, &result),
                     PLEACH_ENOMEM);
    assert_int_equal(pleach_pool_destroy(pools[1]), PLEACH_OK);
}

static void build_progress(void **state)
{
    const pleach_leaves leaves = {data, SIZE, SIZE, LEAVES - 1, 0, NULL};
    (void)state;
    for (int workers = 0; workers <= 2; workers++) {
        pleach_pool *pool = workers > 0 ? open_pool(workers, "") : NULL;
        pleach_tree *tree = NULL;
        struct record record = {0};
        pleach_monitor monitor = {.progress = watch, .context = &record};
        uint8_t root[D], tree_root[D];
        assert_int_equal(pleach_merkle_root(pool, PLEACH_SCHEME_RFC6962, &leaves, &monitor, root), PLEACH_OK);
        assert_int_equal(record.done, LEAVES - 1);
        assert_int_equal(record.total, LEAVES - 1);
        assert_true(record.calls >= 2);
        record.done = record.calls = 0;
        assert_int_equal(pleach_tree_create(&tree, pool, PLEACH_SCHEME_RFC6962), PLEACH_OK);
        assert_int_equal(pleach_tree_build(tree, &leaves, &monitor), PLEACH_OK);
        assert_int_equal(record.done, LEAVES - 1);
        assert_int_equal(pleach_tree_root(tree, tree_root), PLEACH_OK);
        assert_memory_equal(root, tree_root, D);
        pleach_tree_destroy(tree);
        assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
    }
}

static void build_cancelled(void **state)
{
    const pleach_leaves leaves = {data, SIZE, SIZE, LEAVES - 1, 0, NULL};
    (void)state;
    for (int workers = 0; workers <= 2; workers++) {
        pleach_pool *pool = workers > 0 ? open_pool(workers, "") : NULL;
        pleach_tree *tree = NULL;
        uint8_t root[D], before[D];
        pleach_monitor monitor = {0};
        memset(root, 0xab, D);
        memset(before, 0xab, D);
        pleach_monitor_cancel(&monitor);
        assert_int_equal(pleach_merkle_root(pool, PLEACH_SCHEME_RFC6962, &leaves, &monitor, root), PLEACH_ECANCELED);
        assert_memory_equal(root, before, D);
        struct record record = {.cancels = &monitor};
        monitor = (pleach_monitor){.progress = watch, .context = &record};
        assert_int_equal(pleach_tree_create(&tree, pool, PLEACH_SCHEME_RFC6962), PLEACH_OK);
        assert_int_equal(pleach_tree_build(tree, &leaves, NULL), PLEACH_OK);
        assert_int_equal(pleach_tree_size(tree), LEAVES - 1);
        /* Too late if another worker has claimed everything meanwhile. */
        pleach_status status = pleach_tree_build(tree, &leaves, &monitor);
        assert_true(status == PLEACH_ECANCELED || (status == PLEACH_OK && workers > 1));
        assert_int_equal(pleach_tree_size(tree), status == PLEACH_OK ? LEAVES - 1 : 0);
        assert_int_equal(pleach_tree_build(tree, &leaves, NULL), PLEACH_OK);
        assert_int_equal(pleach_tree_size(tree), LEAVES - 1);
        pleach_tree_destroy(tree);
        assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
    }
}

/* A forked child has the tree but not the workers. */
static void forked(void **state)
{
    const pleach_leaves leaves = {data, SIZE, SIZE, LEAVES - 1, 0, NULL};
    pleach_pool *pool = open_pool(2, "");
    pleach_tree *tree = NULL;
    int status = 0;
    (void)state;
    assert_int_equal(pleach_tree_create(&tree, pool, PLEACH_SCHEME_RFC6962), PLEACH_OK);
    assert_int_equal(pleach_tree_build(tree, &leaves, NULL), PLEACH_OK);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        bool was_there = pleach_tree_size(tree) == LEAVES - 1;
        bool refused = pleach_tree_build(tree, &leaves, NULL) == PLEACH_EFORKED;
        _exit(was_there && refused && pleach_tree_size(tree) == 0 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    pleach_tree_destroy(tree);
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

static int fill(void **state)
{
    (void)state;
    fill_stream(data, sizeof data);
    return 0;
}

int test_faults(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(presets),         cmocka_unit_test(refused_leaves), cmocka_unit_test(refused_schemes),
        cmocka_unit_test(null_arguments),  cmocka_unit_test(refused_proofs), cmocka_unit_test(build_progress),
        cmocka_unit_test(build_cancelled), cmocka_unit_test(forked),         cmocka_unit_test(memory_that_is_not_there),
    };
    return cmocka_run_group_tests_name("faults", tests, fill, NULL);
}
