/* Trees as bytes: there and back, and every alteration refused for what it is. */
#include "merkle_test.h"

#include "kernels/blake3.h"
#include "merkle/scheme_format.h"
#include "merkle/tree.h"

#include <stdlib.h>
#include <string.h>

enum {
    D = PLEACH_DIGEST_SIZE,
    PREAMBLE = PLEACH__PREAMBLE_SIZE,
    COUNT = PREAMBLE - 8,
    FILE_MOST = PREAMBLE + D * 5002
};

static uint8_t data[D * 5000];

/* Bytes that a tree wrote. */
struct file {
    uint8_t bytes[FILE_MOST];
    size_t size, fail_at;
};

static pleach_status write_file(void *context, const uint8_t *bytes, size_t size)
{
    struct file *file = context;
    assert_in_range(size, 1, FILE_MOST - file->size);
    memcpy(file->bytes + file->size, bytes, size);
    file->size += size;
    return file->size > file->fail_at ? (pleach_status)(PLEACH_ETASK + 3) : PLEACH_OK;
}

static void save(const pleach_tree *tree, struct file *file)
{
    file->size = 0;
    file->fail_at = SIZE_MAX;
    assert_int_equal(pleach_tree_serialise(tree, write_file, file), PLEACH_OK);
    assert_int_equal(pleach_tree_serialised_size(tree), file->size);
}

static pleach_tree *make_tree(pleach_pool *pool, const pleach_scheme *scheme, size_t count)
{
    const size_t size = leaf_size_of(scheme, 20);
    const pleach_leaves leaves = {.data = data, .size = size, .stride = size, .count = count};
    pleach_tree *tree = NULL;
    assert_int_equal(pleach_tree_create(&tree, pool, scheme), PLEACH_OK);
    if (count > 0)
        assert_int_equal(pleach_tree_build(tree, &leaves, NULL), PLEACH_OK);
    return tree;
}

static pleach_status parse(pleach_tree **tree, pleach_pool *pool, const uint8_t *bytes, size_t size, uint64_t pieces)
{
    struct source source = source_of(bytes, size, pieces);
    return pleach_tree_parse(tree, pool, read_source, &source, NULL);
}

/* What the file must be, from its specification. */
static void assert_layout(const pleach_scheme *scheme, const pleach_tree *tree, const struct file *file)
{
    const size_t count = pleach_tree_size(tree), leaves = D * count;
    uint8_t expected[PREAMBLE] = "pleachTR\1", root[D] = {0};
    const int leaf_prefix = scheme->leaf_prefix, node_prefix = scheme->node_prefix;
    const uint8_t rules[12] = {
        (uint8_t)scheme->family, (uint8_t)(scheme->leaf_given + 2 * scheme->leaf_twice + 4 * scheme->node_twice),
        (uint8_t)leaf_prefix,    leaf_prefix < 0 ? 0xff : 0,
        (uint8_t)node_prefix,    node_prefix < 0 ? 0xff : 0,
        (uint8_t)scheme->lone,   (uint8_t)scheme->empty,
        (uint8_t)scheme->depth};
    memcpy(expected + 12, rules, sizeof rules);
    for (size_t i = 0; i < 8; i++)
        expected[COUNT + i] = (uint8_t)((uint64_t)count >> 8 * i);
    assert_int_equal(file->size, PREAMBLE + leaves + 2 * D);
    assert_memory_equal(file->bytes, expected, PREAMBLE);
    for (size_t i = 0; i < count; i++)
        assert_memory_equal(file->bytes + PREAMBLE + D * i, pleach_tree_nodes(tree, 0, i, NULL), D);
    if (count > 0 || is_accepted(scheme, 0))
        assert_int_equal(pleach_tree_root(tree, root), PLEACH_OK);
    assert_memory_equal(file->bytes + PREAMBLE + leaves, root, D);
    assert_int_equal(pleach_blake3_hash(NULL, file->bytes, file->size - D, 0, root, D), PLEACH_OK);
    assert_memory_equal(file->bytes + file->size - D, root, D);
}

static void assert_same_tree(const pleach_tree *tree, const pleach_tree *expected)
{
    static struct file files[2];
    assert_int_equal(pleach_tree_levels(tree), pleach_tree_levels(expected));
    for (unsigned l = 0; l < pleach_tree_levels(tree); l++) {
        assert_int_equal(pleach_tree_level_size(tree, l), pleach_tree_level_size(expected, l));
        for (size_t i = 0; i < pleach_tree_level_size(tree, l); i++)
            assert_memory_equal(pleach_tree_nodes(tree, l, i, NULL), pleach_tree_nodes(expected, l, i, NULL), D);
    }
    save(tree, &files[0]);
    save(expected, &files[1]);
    assert_int_equal(files[0].size, files[1].size);
    assert_memory_equal(files[0].bytes, files[1].bytes, files[0].size);
}

static void there_and_back(void **state)
{
    static const size_t counts[] = {0, 1, 2, 3, 64, 65, 127, 1000, 4096, 5000};
    static struct file file;
    (void)state;
    for (size_t s = 0; s < scheme_count(); s++) {
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            const pleach_scheme *scheme = every_scheme[s];
            pleach_pool *pool = trials[(s + c) % trial_count].pool;
            if (counts[c] > 0 && !is_accepted(scheme, counts[c]))
                continue;
            pleach_tree *tree = make_tree(pool, scheme, counts[c]), *parsed = NULL;
            save(tree, &file);
            assert_layout(scheme, tree, &file);
            assert_int_equal(parse(&parsed, pool, file.bytes, file.size, c % 2), PLEACH_OK);
            assert_same_tree(parsed, tree);
            const pleach_scheme *preset = pleach_scheme_find(scheme->name);
            assert_string_equal(pleach_tree_scheme(parsed)->name, preset ? preset->name : "custom");
            pleach_tree_destroy(parsed);
            pleach_tree_destroy(tree);
        }
    }
}

/* A tree of many pages that lie here and there. */
static void changed_trees(void **state)
{
    static struct file file;
    const pleach_leaves leaves = {.data = data, .size = 3, .stride = 3, .count = 777};
    pleach_tree *tree = make_tree(NULL, PLEACH_SCHEME_RFC6962, 1000), *snapshot = NULL, *parsed = NULL;
    (void)state;
    assert_int_equal(pleach_tree_snapshot(tree, &snapshot), PLEACH_OK);
    assert_int_equal(pleach_tree_append(tree, &leaves, NULL), PLEACH_OK);
    save(tree, &file);
    assert_layout(PLEACH_SCHEME_RFC6962, tree, &file);
    assert_int_equal(parse(&parsed, NULL, file.bytes, file.size, 5), PLEACH_OK);
    assert_same_tree(parsed, tree);
    assert_int_equal(pleach_tree_append(parsed, &leaves, NULL), PLEACH_OK);
    assert_int_equal(pleach_tree_append(tree, &leaves, NULL), PLEACH_OK);
    assert_same_tree(parsed, tree);
    pleach_tree_destroy(parsed);
    pleach_tree_destroy(snapshot);
    pleach_tree_destroy(tree);
}

static void assert_refused(const struct file *file, size_t size, pleach_status status)
{
    pleach_tree *tree = (pleach_tree *)(uintptr_t)file;
    pleach_status got = parse(&tree, NULL, file->bytes, size, 0);
    if (got != status)
        fail_msg("%s instead of %s: %s", pleach_status_name(got), pleach_status_name(status), pleach_last_error());
    assert_ptr_equal(tree, file);
}

/* What is wrong with a file whose byte at `at` was changed. */
static pleach_status fault_of(size_t at, const uint8_t *bytes)
{
    const uint64_t count = 5;
    uint64_t claimed = 0;
    for (size_t i = 0; i < 8; i++)
        claimed |= (uint64_t)bytes[COUNT + i] << 8 * i;
    if (at < 8)
        return PLEACH_EFORMAT;
    if (at < 12)
        return PLEACH_EVERSION;
    if (at < COUNT)
        return PLEACH_OK; /* it depends */
    if (at >= PREAMBLE || claimed < count)
        return PLEACH_ECHECKSUM;
    return claimed > (uint64_t)PTRDIFF_MAX / (4 * D) ? PLEACH_EFORMAT : PLEACH_ETRUNCATED;
}

static void every_byte_changed(void **state)
{
    static struct file file;
    pleach_tree *tree = make_tree(NULL, PLEACH_SCHEME_RFC6962, 5);
    (void)state;
    save(tree, &file);
    pleach_tree_destroy(tree);
    for (size_t at = 0; at < file.size; at++) {
        for (unsigned change = 1; change < 256; change++) {
            file.bytes[at] ^= (uint8_t)change;
            const pleach_status fault = fault_of(at, file.bytes);
            if (fault != PLEACH_OK) {
                assert_refused(&file, file.size, fault);
            } else { /* another scheme, whose root is another, or none */
                tree = NULL;
                const pleach_status status = parse(&tree, NULL, file.bytes, file.size, 0);
                assert_true(status == PLEACH_EFORMAT || status == PLEACH_ECHECKSUM);
                assert_null(tree);
            }
            file.bytes[at] ^= (uint8_t)change;
        }
    }
}

static void every_end(void **state)
{
    static struct file file;
    const size_t counts[] = {0, 1, 5, 100};
    (void)state;
    for (size_t c = 0; c < 4; c++) {
        pleach_tree *tree = make_tree(NULL, PLEACH_SCHEME_SSZ, counts[c]);
        save(tree, &file);
        pleach_tree_destroy(tree);
        for (size_t size = 0; size < file.size; size++)
            assert_refused(&file, size, PLEACH_ETRUNCATED);
        file.bytes[file.size] = 0;
        assert_refused(&file, file.size + 1, PLEACH_ETRAILING);
        assert_refused(&file, file.size + 1000, PLEACH_ETRAILING);
    }
}

static void set_count(struct file *file, uint64_t count)
{
    for (size_t i = 0; i < 8; i++)
        file->bytes[COUNT + i] = (uint8_t)(count >> 8 * i);
}

static void seal(struct file *file)
{
    assert_int_equal(pleach_blake3_hash(NULL, file->bytes, file->size - D, 0, file->bytes + file->size - D, D),
                     PLEACH_OK);
}

/* Files whose checksum is right, of trees that cannot be. */
static void sealed_lies(void **state)
{
    static struct file file;
    pleach_tree *tree = make_tree(NULL, PLEACH_SCHEME_BLAKE2S, 4);
    pleach_pool *pool = open_pool(1, "");
    pleach_memory_use before, after;
    (void)state;
    save(tree, &file);
    pleach_tree_destroy(tree);
    file.bytes[PREAMBLE + 4 * D] ^= 1;
    seal(&file);
    assert_refused(&file, file.size, PLEACH_EFORMAT);
    assert_non_null(strstr(pleach_last_error(), "root"));
    file.size -= D;
    set_count(&file, 3);
    seal(&file);
    assert_refused(&file, file.size, PLEACH_EFORMAT);
    assert_non_null(strstr(pleach_last_error(), "powers of two"));
    /* What is announced but not there costs no more memory than the windows it is read in. */
    set_count(&file, (SIZE_MAX >> 14) + 1);
    pleach_pool_memory(pool, &before);
    tree = NULL;
    assert_int_equal(parse(&tree, pool, file.bytes, file.size, 0), PLEACH_ETRUNCATED);
    pleach_pool_memory(pool, &after);
    assert_in_range(after.peak - before.used, 0, 4 << 20);
    assert_int_equal(after.used, before.used);
    set_count(&file, (SIZE_MAX >> 4) + 1);
    assert_refused(&file, file.size, PLEACH_EFORMAT);
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

static pleach_status read_too_much(void *context, uint8_t *buffer, size_t size, size_t *got)
{
    (void)context, (void)buffer;
    *got = size + 1;
    return PLEACH_OK;
}

/* Files that cannot be read or written, and arguments that are missing. */
static void failures(void **state)
{
    static struct file file;
    pleach_tree *tree = make_tree(NULL, PLEACH_SCHEME_RFC6962, 100), *parsed = NULL;
    (void)state;
    save(tree, &file);
    for (size_t at = 0; at < file.size; at += 31) {
        struct source source = source_of(file.bytes, file.size, 1);
        source.fail_at = at;
        assert_int_equal(pleach_tree_parse(&parsed, NULL, read_source, &source, NULL), PLEACH_ETASK + 7);
        static struct file other;
        other.size = 0;
        other.fail_at = at;
        assert_int_equal(pleach_tree_serialise(tree, write_file, &other), PLEACH_ETASK + 3);
        assert_non_null(strstr(pleach_last_error(), "write failed"));
    }
    pleach_monitor monitor = {0};
    pleach_monitor_cancel(&monitor);
    struct source source = source_of(file.bytes, file.size, 0);
    assert_int_equal(pleach_tree_parse(&parsed, NULL, read_source, &source, &monitor), PLEACH_ECANCELED);
    assert_int_equal(pleach_tree_parse(&parsed, NULL, read_too_much, NULL, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_tree_parse(NULL, NULL, read_source, &source, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_tree_parse(&parsed, NULL, NULL, &source, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_tree_serialise(NULL, write_file, &file), PLEACH_EINVAL);
    assert_int_equal(pleach_tree_serialise(tree, NULL, &file), PLEACH_EINVAL);
    assert_int_equal(pleach_tree_serialised_size(NULL), 0);
    assert_null(parsed);
    pleach_tree_destroy(tree);
}

static int open_files(void **state)
{
    fill_stream(data, sizeof data);
    return open_trials(state);
}

int test_tree_files(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(there_and_back),     cmocka_unit_test(changed_trees),
                                       cmocka_unit_test(every_byte_changed), cmocka_unit_test(every_end),
                                       cmocka_unit_test(sealed_lies),        cmocka_unit_test(failures)};
    return cmocka_run_group_tests_name("tree files", tests, open_files, close_trials);
}
