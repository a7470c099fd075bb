/* Proofs of sets of leaves: every set of small trees, openings of leanvm-b.txt, and all that is wrong with altered
 * ones.
 */
#include "merkle_test.h"

#include "merkle/multiproof.h"

#include <stdlib.h>
#include <string.h>

enum { D = PLEACH_DIGEST_SIZE, MOST = 70, WORD = 8, LEAF = 24 };

static uint8_t data[MOST * D];

/* --- sets --- */

struct set {
    const pleach_scheme *scheme;
    uint64_t count, index[MOST];
    size_t n, siblings;
    uint8_t leaf[MOST * D], sibling[MOST * D + D], root[D];
};

static pleach_status verify(const struct set *set)
{
    return pleach_multiproof_verify(NULL, set->scheme, set->count, set->index, set->leaf, set->n, set->sibling,
                                    set->siblings, set->root);
}

/* Whether a node of a level has a leaf of the set below it. */
static bool is_above(const struct set *set, unsigned level, uint64_t index)
{
    for (size_t i = 0; i < set->n; i++)
        if (set->index[i] >> level == index)
            return true;
    return false;
}

/* The siblings by their definition: one level after the other, of all its nodes those that are needed. */
static size_t naive_siblings(const struct set *set, const uint8_t *const *level, uint8_t *sibling)
{
    size_t siblings = 0;
    uint64_t nodes = set->count;
    for (unsigned l = 0; nodes > 1; l++, nodes = (nodes + 1) / 2)
        for (uint64_t i = 0; i < nodes; i++)
            if (is_above(set, l, i ^ 1) && !is_above(set, l, i))
                memcpy(sibling + D * siblings++, level[l] + D * i, D);
    return siblings;
}

struct planted {
    pleach_tree *tree;
    uint8_t leaf[MOST * D], nodes[D * (2 * MOST + LEVELS)];
    const uint8_t *level[LEVELS];
};

static void plant(struct planted *planted, const pleach_scheme *scheme, size_t count)
{
    const size_t size = leaf_size_of(scheme, LEAF);
    const pleach_leaves leaves = {.data = data, .size = size, .stride = size, .count = count};
    for (size_t i = 0; i < count; i++)
        naive_leaf(scheme, data + size * i, size, 0, planted->leaf + D * i);
    (void)naive_levels(scheme, planted->leaf, count, planted->nodes, planted->level);
    assert_int_equal(pleach_tree_create(&planted->tree, NULL, scheme), PLEACH_OK);
    assert_int_equal(pleach_tree_build(planted->tree, &leaves, NULL), PLEACH_OK);
}

/* Takes those leaves of a tree whose bits are set, and checks that what proves them is what the definition says. */
static void prove(struct set *set, const struct planted *planted, uint64_t bits)
{
    uint8_t expected[MOST * D];
    set->scheme = pleach_tree_scheme(planted->tree);
    set->count = pleach_tree_size(planted->tree);
    set->n = 0;
    for (uint64_t i = 0; i < set->count; i++) {
        if ((bits >> (i % 64) & 1) != 0) {
            memcpy(set->leaf + D * set->n, planted->leaf + D * i, D);
            set->index[set->n++] = i;
        }
    }
    const size_t siblings = naive_siblings(set, planted->level, expected);
    size_t length = 77;
    assert_int_equal(pleach_multiproof_length(set->scheme, set->count, set->index, set->n, &length), PLEACH_OK);
    assert_int_equal(length, siblings);
    assert_int_equal(pleach_multiproof_prove(planted->tree, set->index, set->n, set->sibling, siblings, &set->siblings),
                     PLEACH_OK);
    assert_int_equal(set->siblings, siblings);
    assert_memory_equal(set->sibling, expected, D * siblings);
    assert_int_equal(pleach_tree_root(planted->tree, set->root), PLEACH_OK);
    assert_int_equal(verify(set), PLEACH_OK);
}

/* Every set of trees of up to eight leaves, random ones of larger trees. */
static void every_set(void **state)
{
    uint64_t random = 5;
    struct set set;
    (void)state;
    for (size_t s = 0; s < scheme_count(); s++) {
        for (size_t count = 1; count <= MOST; count++) {
            if (!is_accepted(every_scheme[s], count))
                continue;
            struct planted planted;
            plant(&planted, every_scheme[s], count);
            for (uint64_t bits = 1; bits < (count <= 8 ? 1u << count : 12u); bits++)
                prove(&set, &planted, count <= 8 ? bits : random_below(&random, UINT64_MAX) | 1);
            pleach_tree_destroy(planted.tree);
        }
    }
}

static bool is_duplicating(const struct set *set)
{
    return set->scheme->lone == PLEACH_LONE_DUPLICATED;
}

/* Any byte, one node more or less, two in the other order. */
static void altered_sets(void **state)
{
    uint64_t random = 6;
    struct set good, bad;
    (void)state;
    for (size_t s = 0; s < scheme_count(); s++) {
        const size_t count = is_accepted(every_scheme[s], 37) ? 37 : 32;
        struct planted planted;
        plant(&planted, every_scheme[s], count);
        prove(&good, &planted, (random_below(&random, UINT64_MAX) & random_below(&random, UINT64_MAX)) | 4);
        for (size_t i = 0; i < D * good.siblings; i++) {
            bad = good;
            bad.sibling[i] ^= (uint8_t)(1 + random_below(&random, 255));
            assert_int_equal(verify(&bad), PLEACH_EPROOFROOT);
        }
        for (size_t i = 0; i < D * good.n; i++) {
            bad = good;
            bad.leaf[i] ^= 0x40;
            assert_int_equal(verify(&bad), PLEACH_EPROOFROOT);
        }
        for (size_t i = 0; i < D; i++) {
            bad = good;
            bad.root[i] ^= 1;
            assert_int_equal(verify(&bad), PLEACH_EPROOFROOT);
        }
        for (size_t i = 0; i + 1 < good.siblings; i++) {
            bad = good;
            memcpy(bad.sibling + D * i, good.sibling + D * (i + 1), D);
            memcpy(bad.sibling + D * (i + 1), good.sibling + D * i, D);
            assert_int_equal(verify(&bad), PLEACH_EPROOFROOT);
        }
        for (size_t siblings = 0; siblings < good.siblings + 2; siblings++) {
            bad = good;
            bad.siblings = siblings;
            assert_int_equal(verify(&bad), siblings < good.siblings   ? PLEACH_EPROOFMISSING
                                           : siblings > good.siblings ? PLEACH_EPROOFUNUSED
                                                                      : PLEACH_OK);
        }
        pleach_tree_destroy(planted.tree);
    }
}

static void refused_sets(void **state)
{
    struct planted planted;
    struct set good, bad;
    uint8_t sibling[MOST * D];
    size_t written = 77;
    (void)state;
    plant(&planted, PLEACH_SCHEME_RFC6962, 37);
    prove(&good, &planted, 0x1234567);
    bad = good;
    bad.index[2] = bad.index[1];
    assert_int_equal(verify(&bad), PLEACH_EPROOFDUPLICATE);
    bad.index[2] = bad.index[1] - 1;
    assert_int_equal(verify(&bad), PLEACH_EPROOFUNSORTED);
    bad = good;
    bad.index[bad.n - 1] = 37;
    assert_int_equal(verify(&bad), PLEACH_EPROOFINDEX);
    bad.index[bad.n - 1] = UINT64_MAX;
    assert_int_equal(verify(&bad), PLEACH_EPROOFINDEX);
    bad = good;
    bad.n = 0;
    assert_int_equal(verify(&bad), PLEACH_EPROOFEMPTY);
    bad = good;
    bad.scheme = NULL;
    assert_int_equal(verify(&bad), PLEACH_EINVAL);
    bad = good;
    bad.scheme = PLEACH_SCHEME_BLAKE2S; /* of powers of two */
    assert_int_equal(verify(&bad), PLEACH_EINVAL);
    memset(sibling, 0xab, sizeof sibling);
    assert_int_equal(pleach_multiproof_prove(planted.tree, good.index, good.n, sibling, good.siblings - 1, &written),
                     PLEACH_ERANGE);
    assert_non_null(strstr(pleach_last_error(), "capacity"));
    assert_int_equal(pleach_multiproof_prove(NULL, good.index, good.n, sibling, MOST, &written), PLEACH_EINVAL);
    assert_int_equal(pleach_multiproof_prove(planted.tree, NULL, good.n, sibling, MOST, &written), PLEACH_EINVAL);
    assert_int_equal(pleach_multiproof_prove(planted.tree, good.index, good.n, NULL, MOST, &written), PLEACH_EINVAL);
    assert_int_equal(pleach_multiproof_prove(planted.tree, good.index, good.n, sibling, MOST, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_multiproof_prove(planted.tree, good.index, 0, sibling, MOST, &written), PLEACH_EPROOFEMPTY);
    assert_int_equal(sibling[0], 0xab);
    assert_int_equal(written, 77);
    pleach_tree_destroy(planted.tree);
}

/* Leaves 4 and 5 of five, where leaf 4 is lone and stands in for 5: with a count of six the same nodes would do. */
static void mutated_set(void **state)
{
    struct planted planted;
    struct set set;
    (void)state;
    plant(&planted, PLEACH_SCHEME_BITCOIN, 5);
    prove(&set, &planted, 1u << 4);
    assert_true(is_duplicating(&set));
    set.count = 6;
    set.n = 2;
    set.index[1] = 5;
    memcpy(set.leaf + D, set.leaf, D);
    assert_int_equal(verify(&set), PLEACH_EPROOFMUTATED);
    pleach_tree_destroy(planted.tree);
}

/* --- openings --- */

struct opening {
    pleach_commitment commitment;
    uint64_t query[MOST];
    size_t n, size;
    uint8_t *bytes;
};

static pleach_status check(const struct opening *opening)
{
    return pleach_multiproof_check(NULL, &opening->commitment, opening->query, opening->n, opening->bytes,
                                   opening->size, NULL, NULL, 0);
}

/* Rows and paths come back for every query, in the order of the queries. */
static void assert_restored(const struct opening *opening, const pleach_tree *tree, const pleach_leaves *leaves)
{
    enum { STRIDE = PATH + 16 };
    const uint8_t *rows[MOST];
    uint8_t *paths = malloc(MOST * STRIDE), path[PATH];
    assert_non_null(paths);
    for (size_t t = 0; t < trial_count; t++) {
        memset(paths, 0xab, MOST * STRIDE);
        assert_int_equal(pleach_multiproof_check(trials[t].pool, &opening->commitment, opening->query, opening->n,
                                                 opening->bytes, opening->size, rows, paths, STRIDE),
                         PLEACH_OK);
        for (size_t q = 0; q < opening->n; q++) {
            size_t nodes = 0;
            assert_int_equal(pleach_tree_prove(tree, opening->query[q], path, PLEACH_PATH_MAX, &nodes), PLEACH_OK);
            assert_memory_equal(paths + STRIDE * q, path, D * nodes);
            assert_int_equal(paths[STRIDE * q + D * nodes], 0xab);
            assert_memory_equal(rows[q], leaves->data + leaves->stride * opening->query[q], leaves->size);
        }
    }
    free(paths);
}

/* Opens the queries of a tree of `leaves`. */
static void open_queries(struct opening *opening, const pleach_tree *tree, const pleach_leaves *leaves)
{
    size_t size = 0;
    opening->commitment = (pleach_commitment){
        .scheme = pleach_tree_scheme(tree), .count = leaves->count, .size = leaves->size, .zeros = leaves->zeros};
    assert_int_equal(pleach_tree_root(tree, opening->commitment.root), PLEACH_OK);
    assert_int_equal(pleach_multiproof_open(tree, leaves, opening->query, opening->n, NULL, 0, &opening->size),
                     PLEACH_OK);
    opening->bytes = malloc(opening->size);
    assert_non_null(opening->bytes);
    memset(opening->bytes, 0xab, opening->size);
    assert_int_equal(
        pleach_multiproof_open(tree, leaves, opening->query, opening->n, opening->bytes, opening->size - 1, &size),
        PLEACH_ERANGE);
    assert_int_equal(opening->bytes[0], 0xab);
    assert_int_equal(
        pleach_multiproof_open(tree, leaves, opening->query, opening->n, opening->bytes, opening->size, &size),
        PLEACH_OK);
    assert_int_equal(size, opening->size);
    assert_restored(opening, tree, leaves);
}

static void put_rows(const struct section *section, uint8_t *rows, size_t words)
{
    if (strstr(section_text(section, "rule"), "word(") != NULL) {
        fill_stream(rows, WORD * words);
        return;
    }
    for (size_t i = 0; i < words; i++)
        for (unsigned b = 0; b < WORD; b++)
            rows[WORD * i + b] = (uint8_t)((uint64_t)i >> 8 * b);
}

static void check_section(const struct section *section)
{
    const size_t count = section_number(section, "num_leaves"), words = section_number(section, "row_words");
    const size_t zeros = WORD * (section_number(section, "leaf_words") - words);
    const size_t expected_size = section_number(section, "encoded_len");
    uint8_t *rows = malloc(WORD * words * count), *expected = malloc(expected_size);
    struct opening opening = {.n = 0};
    pleach_tree *tree = NULL;
    assert_true(rows && expected);
    put_rows(section, rows, words * count);
    const pleach_leaves leaves = {
        .data = rows, .size = WORD * words, .stride = WORD * words, .count = count, .zeros = zeros};
    for (const char *at = section_text(section, "queries"); at; at = strchr(at, ',')) {
        at += *at == ',';
        opening.query[opening.n++] = strtoul(at, NULL, 10);
    }
    assert_int_equal(pleach_tree_create(&tree, NULL, PLEACH_SCHEME_BLAKE2S), PLEACH_OK);
    assert_int_equal(pleach_tree_build(tree, &leaves, NULL), PLEACH_OK);
    open_queries(&opening, tree, &leaves);
    assert_hex(opening.commitment.root, section_text(section, "root"));
    assert_int_equal(from_hex(section_text(section, "encoded"), expected, expected_size), expected_size);
    assert_int_equal(opening.size, expected_size);
    assert_memory_equal(opening.bytes, expected, expected_size);
    pleach_tree_destroy(tree);
    free(opening.bytes);
    free(expected);
    free(rows);
}

static void published_openings(void **state)
{
    (void)state;
    assert_int_equal(check_sections("leanvm-b.txt", "multiproof", check_section), 7);
}

static void every_scheme_opens(void **state)
{
    uint64_t random = 7;
    (void)state;
    for (size_t s = 0; s < scheme_count(); s++) {
        for (size_t count = 1; count < MOST; count += 1 + count / 3) {
            const size_t size = leaf_size_of(every_scheme[s], LEAF);
            const pleach_leaves leaves = {.data = data, .size = size, .stride = size, .count = count};
            struct opening opening = {.n = 1 + (size_t)random_below(&random, 40)};
            pleach_tree *tree = NULL;
            if (!is_accepted(every_scheme[s], count))
                continue;
            for (size_t q = 0; q < opening.n; q++)
                opening.query[q] = random_below(&random, count);
            assert_int_equal(pleach_tree_create(&tree, NULL, every_scheme[s]), PLEACH_OK);
            assert_int_equal(pleach_tree_build(tree, &leaves, NULL), PLEACH_OK);
            open_queries(&opening, tree, &leaves);
            pleach_tree_destroy(tree);
            free(opening.bytes);
        }
    }
}

/* An opening of leaves 1, 2, 6 and 11 of sixteen. */
static void open_four(struct opening *opening)
{
    const pleach_leaves leaves = {.data = data, .size = LEAF, .stride = LEAF, .count = 16};
    pleach_tree *tree = NULL;
    *opening = (struct opening){.query = {6, 1, 11, 2, 6}, .n = 5};
    assert_int_equal(pleach_tree_create(&tree, NULL, PLEACH_SCHEME_BLAKE2S), PLEACH_OK);
    assert_int_equal(pleach_tree_build(tree, &leaves, NULL), PLEACH_OK);
    open_queries(opening, tree, &leaves);
    pleach_tree_destroy(tree);
    opening->commitment.scheme = PLEACH_SCHEME_BLAKE2S; /* the tree's own copy is gone */
}

enum { FOUR = 4, ROW = WORD + LEAF, SIBLINGS_AT = WORD + FOUR * ROW };

/* What is wrong with an opening of four leaves one byte of which, at `at`, was changed. */
static pleach_status fault_at(const struct opening *good, const struct opening *bad, size_t at)
{
    if (at < WORD)
        return PLEACH_EPROOFROWS;
    if (at < SIBLINGS_AT)
        return (at - WORD) % ROW < WORD ? PLEACH_EPROOFROWSIZE : PLEACH_EPROOFROOT;
    if (at < SIBLINGS_AT + WORD)
        return bad->bytes[at] > good->bytes[at] ? PLEACH_EPROOFUNUSED : PLEACH_EPROOFMISSING;
    return PLEACH_EPROOFROOT;
}

static void altered_openings(void **state)
{
    struct opening good, bad;
    (void)state;
    open_four(&good);
    bad = good;
    bad.bytes = malloc(good.size + 1);
    assert_non_null(bad.bytes);
    for (size_t at = 0; at < good.size; at++) {
        for (unsigned flip = 1; flip < 256; flip *= 2) {
            memcpy(bad.bytes, good.bytes, good.size);
            bad.bytes[at] ^= (uint8_t)flip;
            assert_int_equal(check(&bad), fault_at(&good, &bad, at));
        }
    }
    memcpy(bad.bytes, good.bytes, good.size);
    bad.bytes[good.size] = 0;
    bad.size = good.size + 1;
    assert_int_equal(check(&bad), PLEACH_ETRAILING);
    bad.size = good.size;
    assert_int_equal(check(&bad), PLEACH_OK);
    free(bad.bytes);
    for (size_t size = 0; size < good.size; size++) {
        bad.bytes = guarded(size);
        memcpy(bad.bytes, good.bytes, size);
        bad.size = size;
        assert_int_equal(check(&bad), PLEACH_ETRUNCATED);
        guarded_free(bad.bytes, size);
    }
    free(good.bytes);
}

static void refused_openings(void **state)
{
    const pleach_leaves leaves = {.data = data, .size = LEAF, .stride = LEAF, .count = 16};
    struct opening good, bad;
    uint8_t paths[16 * PATH];
    (void)state;
    open_four(&good);
    const struct {
        size_t n;
        uint64_t query;
        pleach_status status;
    } asks[] = {
        {0, 6, PLEACH_EPROOFEMPTY}, {5, 16, PLEACH_EPROOFINDEX}, {5, 7, PLEACH_EPROOFROWS}, {3, 6, PLEACH_EPROOFROWS}};
    for (size_t i = 0; i < sizeof asks / sizeof asks[0]; i++) {
        bad = good;
        bad.n = asks[i].n;
        bad.query[0] = asks[i].query;
        assert_int_equal(check(&bad), asks[i].status);
    }
    bad = good;
    bad.query[1] = 0; /* as many leaves, others */
    assert_int_equal(check(&bad), PLEACH_EPROOFROOT);
    bad = good;
    bad.commitment.count = 0;
    assert_int_equal(check(&bad), PLEACH_EINVAL);
    bad.commitment.count = 17;
    assert_int_equal(check(&bad), PLEACH_EINVAL);
    bad.commitment.count = 32;
    assert_int_equal(check(&bad), PLEACH_EPROOFMISSING);
    bad = good;
    bad.commitment.size = LEAF + 1;
    assert_int_equal(check(&bad), PLEACH_EINVAL);
    bad.commitment.size = 0;
    assert_int_equal(check(&bad), PLEACH_EINVAL);
    bad.commitment.size = LEAF + WORD;
    assert_int_equal(check(&bad), PLEACH_EPROOFROWSIZE);
    memset(paths, 0xab, sizeof paths);
    assert_int_equal(pleach_multiproof_check(NULL, &good.commitment, good.query, good.n, good.bytes, good.size, NULL,
                                             paths, 4 * D - 1),
                     PLEACH_ERANGE);
    good.bytes[good.size - 1] ^= 1;
    assert_int_equal(
        pleach_multiproof_check(NULL, &good.commitment, good.query, good.n, good.bytes, good.size, NULL, paths, 4 * D),
        PLEACH_EPROOFROOT);
    assert_int_equal(paths[0], 0xab); /* unchanged on error */

    pleach_tree *tree = NULL;
    size_t size = 77;
    assert_int_equal(pleach_tree_create(&tree, NULL, PLEACH_SCHEME_BLAKE2S), PLEACH_OK);
    assert_int_equal(pleach_tree_build(tree, &leaves, NULL), PLEACH_OK);
    pleach_leaves other = leaves;
    other.count = 8;
    assert_int_equal(pleach_multiproof_open(tree, &other, good.query, 5, NULL, 0, &size), PLEACH_EINVAL);
    other = leaves;
    other.size = LEAF - 1;
    assert_int_equal(pleach_multiproof_open(tree, &other, good.query, 5, NULL, 0, &size), PLEACH_EINVAL);
    assert_int_equal(pleach_multiproof_open(tree, &leaves, good.query, 0, NULL, 0, &size), PLEACH_EPROOFEMPTY);
    good.query[4] = 16;
    assert_int_equal(pleach_multiproof_open(tree, &leaves, good.query, 5, NULL, 0, &size), PLEACH_EPROOFINDEX);
    assert_int_equal(pleach_multiproof_open(NULL, &leaves, good.query, 4, NULL, 0, &size), PLEACH_EINVAL);
    assert_int_equal(pleach_multiproof_open(tree, NULL, good.query, 4, NULL, 0, &size), PLEACH_EINVAL);
    assert_int_equal(pleach_multiproof_open(tree, &leaves, NULL, 4, NULL, 0, &size), PLEACH_EINVAL);
    assert_int_equal(pleach_multiproof_open(tree, &leaves, good.query, 4, NULL, 0, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_multiproof_check(NULL, NULL, good.query, 4, good.bytes, good.size, NULL, NULL, 0),
                     PLEACH_EINVAL);
    assert_int_equal(size, 77);
    pleach_tree_destroy(tree);
    free(good.bytes);
}

int test_multiproofs(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_set),        cmocka_unit_test(altered_sets),       cmocka_unit_test(refused_sets),
        cmocka_unit_test(mutated_set),      cmocka_unit_test(published_openings), cmocka_unit_test(every_scheme_opens),
        cmocka_unit_test(altered_openings), cmocka_unit_test(refused_openings),
    };
    fill_stream(data, sizeof data);
    return cmocka_run_group_tests_name("multiproofs", tests, open_trials, close_trials);
}
