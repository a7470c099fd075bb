/* Rows of every kind, cut into tiles of every size, levels stored or not; equal siblings; what the caller does aside.
 */
#include "merkle_test.h"

#include "merkle/shape.h"
#include "merkle/tile.h"

#include <string.h>

enum { D = PLEACH_DIGEST_SIZE, MOST = 200, SIZE = 40, LEVELS_MOST = 9 };

static uint8_t data[MOST * SIZE];

/* What the inputs are. */
enum { UNIFORM, LIST, GIVEN_CLOSE, GIVEN_APART, GIVEN_LIST, KINDS };

/* Which levels are stored. */
enum { ALL, EVERY_SECOND, LOWER, STORINGS };

struct inputs {
    const pleach_scheme *scheme;
    pleach__row row;
    pleach_input list[MOST];
    uint8_t hashes[D * MOST];
    const uint8_t *level[LEVELS]; /* of the first so many */
    uint8_t nodes[D * (2 * MOST + LEVELS)];
};

static void prepare(struct inputs *inputs, const pleach_scheme *scheme, int kind)
{
    const size_t stride = kind == GIVEN_CLOSE ? D : SIZE;
    const bool is_list = kind == LIST || kind == GIVEN_LIST;
    inputs->scheme = scheme;
    inputs->row = (pleach__row){.inputs = data, .stride = stride};
    for (size_t i = 0; i < MOST; i++) {
        size_t size = kind == LIST ? i % SIZE : leaf_size_of(scheme, SIZE);
        inputs->list[i] = (pleach_input){data + stride * i, size};
        inputs->row.list_bytes += is_list ? size : 0;
        naive_leaf(scheme, data + stride * i, size, 0, inputs->hashes + D * i);
    }
    assert_int_equal(pleach__scheme_hashing(scheme, leaf_size_of(scheme, SIZE), 0, &inputs->row.hashing), PLEACH_OK);
    if (is_list) {
        inputs->row.list = inputs->list;
        inputs->row.inputs = (const uint8_t *)"";
        inputs->row.stride = 0;
    }
}

static bool is_stored(int storing, unsigned level, unsigned levels)
{
    return level + 1 == levels || storing == ALL || (storing == EVERY_SECOND ? level % 2 == 0 : level < 2);
}

static void check_storing(const pleach__call *call, const pleach__row *row, const uint8_t *const *expected,
                          size_t nodes, int storing)
{
    static uint8_t store[LEVELS_MOST][D * (MOST + 1)];
    uint8_t *level[LEVELS_MOST];
    const unsigned levels = pleach__levels(nodes);
    assert_true(levels <= LEVELS_MOST);
    memset(store, 0xee, sizeof store);
    for (unsigned l = 0; l < levels; l++)
        level[l] = is_stored(storing, l, levels) ? store[l] : NULL;
    assert_int_equal(pleach__fold_row(call, row, level), PLEACH_OK);
    for (unsigned l = 0; l < levels; l++) {
        size_t size = D * (size_t)pleach__level_size(nodes, l);
        if (level[l])
            assert_memory_equal(level[l], expected[l], size);
        assert_int_equal(store[l][level[l] ? size : 0], 0xee);
    }
}

/* A row of nodes of a level of the tree, and one that is folded where it is. */
static void check_upper(const pleach__call *call, const struct inputs *inputs, size_t count, unsigned from)
{
    uint8_t store[D * (2 * MOST + LEVELS)], *level[LEVELS_MOST], root[D];
    const size_t nodes = (size_t)pleach__level_size(count, from);
    const unsigned levels = pleach__levels(nodes);
    pleach__row row = {
        .hashing = inputs->row.hashing, .inputs = inputs->level[from], .stride = D, .count = nodes, .level = from};
    row.hashing.given = true;
    assert_int_equal(pleach__fold_root(call, &row, root), PLEACH_OK);
    assert_memory_equal(root, inputs->level[from + levels - 1], D);
    level[0] = store;
    for (unsigned l = 1; l < levels; l++)
        level[l] = level[l - 1] + D * (size_t)pleach__level_size(nodes, l - 1);
    memcpy(store, row.inputs, D * nodes);
    row.inputs = store;
    assert_int_equal(pleach__fold_row(call, &row, level), PLEACH_OK);
    for (unsigned l = 0; l < levels; l++)
        assert_memory_equal(level[l], inputs->level[from + l], D * (size_t)pleach__level_size(nodes, l));
}

static void check_tiling(struct inputs *inputs, size_t count, size_t tile, bool has_tail)
{
    static size_t turn;
    const unsigned levels = pleach__levels(count);
    const pleach__call call = {.pool = trials[turn++ % trial_count].pool, .tile = tile};
    uint8_t root[D];
    pleach__row *row = &inputs->row;
    row->count = count - has_tail;
    row->tail = has_tail ? inputs->hashes + D * row->count : NULL;
    if (row->count == 0)
        return; /* a row has inputs */
    uint8_t *after = data + (inputs->list[row->count % MOST].bytes - data);
    *after ^= has_tail; /* which the tail is not */
    assert_int_equal(pleach__fold_root(&call, row, root), PLEACH_OK);
    assert_memory_equal(root, inputs->level[levels - 1], D);
    check_storing(&call, row, inputs->level, count, (int)(turn / trial_count % STORINGS));
    if (!has_tail && levels > 1)
        check_upper(&call, inputs, count, 1 + (unsigned)(turn % (levels - 1)));
    *after ^= has_tail;
}

static void check_rows(const pleach_scheme *scheme, int kind)
{
    static struct inputs inputs;
    prepare(&inputs, scheme, kind);
    for (size_t count = 1; count <= MOST; count += count < 70 ? 1 : 13) {
        if (!is_accepted(scheme, count))
            continue;
        (void)naive_levels(scheme, inputs.hashes, count, inputs.nodes, inputs.level);
        for (size_t tile = (size_t)1 << count % 3; tile <= 64; tile *= 8) {
            check_tiling(&inputs, count, tile, false);
            check_tiling(&inputs, count, tile, true);
        }
    }
}

/* Rows upon rows, with whole and partial tiles and tails. */
static void every_tiling(void **state)
{
    (void)state;
    fill_stream(data, sizeof data);
    for (size_t s = 0; s < scheme_count(); s++) {
        const bool given = every_scheme[s]->leaf_given;
        for (int kind = given ? GIVEN_CLOSE : UNIFORM; kind < (given ? KINDS : GIVEN_CLOSE); kind++)
            check_rows(every_scheme[s], kind);
    }
}

/* By the definition: at some level, before anything is made up, two siblings are equal. */
static bool naive_mutated(const uint8_t *const *level, size_t count)
{
    for (unsigned l = 0; count > 1; l++, count = (count + 1) / 2)
        for (size_t i = 0; i + 1 < count; i += 2)
            if (memcmp(level[l] + D * i, level[l] + D * (i + 1), D) == 0)
                return true;
    return false;
}

static void check_mutated(struct inputs *inputs, size_t count, size_t tile, bool expected)
{
    static size_t turn;
    const unsigned levels = pleach__levels(count);
    for (int has_tail = 0; has_tail <= 1 && count > (size_t)has_tail; has_tail++) {
        bool mutated = false;
        uint8_t root[D];
        const pleach__call call = {.pool = trials[turn++ % trial_count].pool, .tile = tile, .mutated = &mutated};
        inputs->row.count = count - (size_t)has_tail;
        inputs->row.tail = has_tail ? inputs->hashes + D * inputs->row.count : NULL;
        assert_int_equal(pleach__fold_root(&call, &inputs->row, root), PLEACH_OK);
        assert_memory_equal(root, inputs->level[levels - 1], D);
        assert_int_equal(mutated, expected);
        mutated = false;
        check_storing(&call, &inputs->row, inputs->level, count, (int)(turn / trial_count % STORINGS));
        assert_int_equal(mutated, expected);
    }
}

/* The leaves of one subtree repeat those of its left sibling, as far as there are any. */
static void check_repeated(const pleach_scheme *scheme, int kind, size_t count, unsigned level, size_t pair)
{
    static struct inputs inputs;
    const size_t stride = kind == GIVEN_CLOSE ? D : SIZE, half = stride << level;
    const size_t left = 2 * half * pair, end = stride * count;
    fill_stream(data, sizeof data);
    if (left + half < end)
        memcpy(data + left + half, data + left, left + 2 * half < end ? half : end - left - half);
    prepare(&inputs, scheme, kind);
    (void)naive_levels(scheme, inputs.hashes, count, inputs.nodes, inputs.level);
    check_mutated(&inputs, count, (size_t)1 << (count + pair) % 7, naive_mutated(inputs.level, count));
}

/* CVE-2012-2459 at every level. */
static void equal_siblings(void **state)
{
    static const struct {
        const pleach_scheme *scheme;
        int kind;
    } rows[] = {{PLEACH_SCHEME_BITCOIN, GIVEN_CLOSE},
                {PLEACH_SCHEME_BITCOIN, GIVEN_LIST},
                {PLEACH_SCHEME_SSZ, GIVEN_APART},
                {PLEACH_SCHEME_RFC6962, UNIFORM}};
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        for (size_t count = 1; count <= 70; count += count < 20 ? 1 : 9)
            for (unsigned level = 0; count >> level > 0; level++)
                for (size_t pair = 0; pair == 0 || (2 * pair + 1) << level < count; pair += 1 + pair / 4)
                    check_repeated(rows[r].scheme, rows[r].kind, count, level, pair);
}

static void equal_pairs(void **state)
{
    uint8_t nodes[D * 9];
    (void)state;
    fill_stream(nodes, sizeof nodes);
    for (size_t count = 0; count <= 9; count++)
        assert_false(pleach__has_equal_pair(nodes, count));
    memcpy(nodes + D * 3, nodes + D * 4, D); /* neighbours, but no siblings */
    assert_false(pleach__has_equal_pair(nodes, 9));
    for (size_t byte = 0; byte < D; byte++) {
        memcpy(nodes + D * 7, nodes + D * 6, D);
        assert_true(pleach__has_equal_pair(nodes, 8));
        assert_false(pleach__has_equal_pair(nodes, 7));
        nodes[D * 7 + byte] ^= 1;
        assert_false(pleach__has_equal_pair(nodes, 8));
    }
}

/* The aside of a fold runs once, on the calling thread, whoever comes to its place in the queue. */
static _Thread_local char thread;

struct errand {
    const char *thread;
    unsigned calls, elsewhere;
    pleach_status returns;
};

static pleach_status run_errand(void *context)
{
    struct errand *errand = context;
    errand->calls++;
    errand->elsewhere += errand->thread != &thread;
    return errand->returns;
}

static void asides(void **state)
{
    pleach__row row = {.inputs = data, .stride = 8};
    (void)state;
    assert_int_equal(pleach__scheme_hashing(PLEACH_SCHEME_RFC6962, 8, 0, &row.hashing), PLEACH_OK);
    for (size_t t = 0; t < 4 && t < trial_count; t++) {
        for (row.count = 1; row.count < 300; row.count++) {
            for (int priority = PLEACH_LATENCY; priority <= PLEACH_BULK; priority++) {
                uint8_t root[D];
                struct errand errand = {.thread = &thread};
                const pleach__call call = {.pool = trials[t].pool,
                                           .priority = (pleach_priority)priority,
                                           .tile = 2,
                                           .aside = run_errand,
                                           .context = &errand};
                assert_int_equal(pleach__fold_root(&call, &row, root), PLEACH_OK);
                assert_int_equal(errand.calls, 1);
                assert_int_equal(errand.elsewhere, 0);
                errand.returns = PLEACH_EIO;
                assert_int_equal(pleach__fold_root(&call, &row, root), PLEACH_EIO);
                assert_int_equal(errand.calls, 2);
            }
        }
    }
}

int test_tiles(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_tiling), cmocka_unit_test(equal_siblings),
                                       cmocka_unit_test(equal_pairs), cmocka_unit_test(asides)};
    return cmocka_run_group_tests_name("tiles", tests, open_trials, close_trials);
}
