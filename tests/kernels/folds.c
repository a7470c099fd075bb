#include "kernels_test.h"

#include <string.h>

enum { HEIGHT_MAX = PLEACH__FOLD_HEIGHT_MAX, NODES_MAX = 2 << HEIGHT_MAX };

/* Nodes of the reference and of the backend, level by level, a digest's room between levels. */
static uint8_t want[(NODES_MAX + HEIGHT_MAX + 1) * DIGEST], got[sizeof want];

static uint8_t *level_of(uint8_t *nodes, unsigned height, unsigned level)
{
    return nodes + DIGEST * (((size_t)2 << height) - ((size_t)2 << (height - level)) + level);
}

static void reference_fold(const pleach__family *family, const pleach__hash_form tree[2], const uint8_t *leaves,
                           size_t stride, unsigned height)
{
    memset(want, CANARY, sizeof want);
    reference_many(family, &tree[0], leaves, stride, (size_t)1 << height, level_of(want, height, 0));
    for (unsigned l = 0; l < height; l++)
        reference_many(family, &tree[1], level_of(want, height, l), 2 * DIGEST, (size_t)1 << (height - l - 1),
                       level_of(want, height, l + 1));
}

/* stored: bit l asks for level l; the root is always stored. */
static void check_fold(const subject *s, const pleach__hash_form tree[2], const uint8_t *leaves, size_t stride,
                       unsigned height, unsigned stored)
{
    pleach__hash_plan leaf, node;
    uint8_t *level[HEIGHT_MAX + 1];
    memset(got, CANARY, sizeof got);
    for (unsigned l = 0; l <= height; l++)
        level[l] = stored >> l & 1 || l == height ? level_of(got, height, l) : NULL;
    assert_true(plan_of(s->family, &tree[0], &leaf) && plan_of(s->family, &tree[1], &node));
    s->backend->fold(&(pleach__fold){&leaf, &node, leaves, stride, height, level});
    for (unsigned l = 0; l <= height; l++) {
        const size_t size = (size_t)DIGEST << (height - l);
        uint8_t *nodes = level_of(got, height, l);
        if (memcmp(nodes, level_of(want, height, l), level[l] ? size : 0) != 0)
            fail_msg("leaf size %zu height %u stored %x: level %u differs", tree[0].size, height, stored, l);
        for (size_t i = level[l] ? size : 0; i < size + DIGEST; i++)
            if (nodes[i] != CANARY)
                fail_msg("leaf size %zu height %u stored %x: wrote beside level %u", tree[0].size, height, stored, l);
    }
}

/* Leaves that end before memory that must not be touched, and that begin behind such memory. */
static void check_shape(const subject *s, const pleach__hash_form tree[2], size_t stride, unsigned height)
{
    static const unsigned stored[] = {0, ~0u, 0x5555, 0x2aaa, 1};
    guarded g = guarded_stream((((size_t)1 << height) - 1) * stride + tree[0].size);
    reference_fold(s->family, tree, g.first, stride, height);
    for (size_t i = 0; i < (quick() ? 2 : sizeof stored / sizeof *stored); i++) {
        check_fold(s, tree, g.first, stride, height, stored[i]);
        check_fold(s, tree, g.last, stride, height, stored[i]);
    }
    guarded_free(&g);
}

static void check_heights(const subject *s, const pleach__hash_form tree[2], size_t stride)
{
    for (unsigned height = 0; height <= (quick() ? 7 : 10); height++)
        check_shape(s, tree, stride, height);
}

static void plain_leaves(void **state)
{
    const subject *s = *state;
    skip_unless_usable(s);
    static const size_t sizes[] = {0, 1, 32, 64, 100, 192, 200};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const pleach__hash_form tree[2] = {form_of(sizes[i], 0, PLEACH__NO_PREFIX, false),
                                           form_of(64, 0, PLEACH__NO_PREFIX, false)};
        check_heights(s, tree, sizes[i] + i % 2 * 3);
    }
}

static void other_rules(void **state)
{
    const subject *s = *state;
    skip_unless_usable(s);
    const pleach__hash_form trees[][2] = {
        {form_of(296, 216, PLEACH__NO_PREFIX, false), form_of(64, 0, PLEACH__NO_PREFIX, false)},
        {form_of(40, 24, PLEACH__NO_PREFIX, false), form_of(64, 0, PLEACH__NO_PREFIX, false)},
        {form_of(32, 0, 0, false), form_of(64, 0, 1, false)},
        {form_of(64, 0, 0, false), form_of(64, 0, 1, false)},
        {form_of(200, 0, 0, false), form_of(64, 0, 1, false)},
        {form_of(64, 0, 1, false), form_of(64, 0, 1, false)},
        {form_of(64, 0, 2, false), form_of(64, 0, 3, false)},
        {form_of(64, 0, PLEACH__NO_PREFIX, true), form_of(64, 0, PLEACH__NO_PREFIX, true)},
        {form_of(80, 0, PLEACH__NO_PREFIX, true), form_of(64, 0, 255, false)},
    };
    size_t tried = 0;
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        pleach__hash_plan plan;
        if (!plan_of(s->family, &trees[i][0], &plan) || !plan_of(s->family, &trees[i][1], &plan))
            continue;
        check_heights(s, trees[i], trees[i][0].size);
        tried++;
    }
    assert_in_range(tried, s->family == &pleach__blake3 ? 0 : 2, SIZE_MAX);
}

static void highest(void **state)
{
    const subject *s = *state;
    skip_unless_usable(s);
    const pleach__hash_form tree[2] = {form_of(64, 0, PLEACH__NO_PREFIX, false),
                                       form_of(64, 0, PLEACH__NO_PREFIX, false)};
    for (unsigned height = quick() ? HEIGHT_MAX : 11; height <= HEIGHT_MAX; height++)
        check_shape(s, tree, 64, height);
}

int run_fold_tests(void)
{
    return run_for_all("fold of plain leaves", plain_leaves) + run_for_all("fold by other rules", other_rules) +
           run_for_all("highest fold", highest);
}
