#include "xmss/key_tree.h"

#include "config/little_endian.h"
#include "kernels/blake2s/blake2s.h"

#include <string.h>

enum { HASH = PLEACH__XMSS_HASH, MOST = PLEACH__LANES_MAX, VALUE = 4 };

static uint64_t first_of(const pleach__xmss_tree *tree, unsigned level)
{
    return tree->first >> (level - tree->bottom);
}

static uint64_t last_of(const pleach__xmss_tree *tree, unsigned level)
{
    return tree->last >> (level - tree->bottom);
}

size_t pleach__xmss_tree_shape(pleach__xmss_tree *tree, uint64_t first, uint64_t last, unsigned bottom, unsigned top)
{
    *tree = (pleach__xmss_tree){.first = first, .last = last, .bottom = bottom, .top = top};
    uint64_t nodes = 0;
    for (unsigned level = bottom; level <= top; level++) {
        tree->at[level - bottom] = (size_t)nodes;
        nodes += (last_of(tree, level) | 1) + 1 - (first_of(tree, level) & ~UINT64_C(1));
    }
    if (nodes > SIZE_MAX / 2 / HASH)
        return 0;
    return tree->at[top - bottom + 1] = (size_t)nodes;
}

uint8_t *pleach__xmss_tree_node(const pleach__xmss_tree *tree, unsigned level, uint64_t index)
{
    return tree->node[tree->at[level - tree->bottom] + (size_t)(index - (first_of(tree, level) & ~UINT64_C(1)))];
}

/* A level has a filler where its range begins with a right child, and where it ends with a left one. */
static void fill(const pleach__compress_lanes *c, const pleach__xmss_secret *secret, const pleach__xmss_tree *tree)
{
    pleach__xmss_filler fillers[2 * PLEACH_XMSS_HEIGHT];
    size_t n = 0;
    for (unsigned level = tree->bottom; level < tree->top; level++) {
        const uint64_t first = first_of(tree, level), last = last_of(tree, level);
        if (first % 2 == 1)
            fillers[n++] =
                (pleach__xmss_filler){level, (uint32_t)(first - 1), pleach__xmss_tree_node(tree, level, first - 1)};
        if (last % 2 == 0)
            fillers[n++] =
                (pleach__xmss_filler){level, (uint32_t)(last + 1), pleach__xmss_tree_node(tree, level, last + 1)};
    }
    pleach__xmss_fill(c, secret, fillers, n);
}

/* Lane-major, as the compressions take it. */
typedef struct work {
    pleach__blake2s_prepared node;
    _Alignas(PLEACH__LANES_ALIGNMENT) uint32_t initial[8 * MOST];
    _Alignas(PLEACH__LANES_ALIGNMENT) uint32_t words[16 * MOST];
    _Alignas(PLEACH__LANES_ALIGNMENT) uint32_t parents[VALUE * MOST];
    const pleach__compress_lanes *c;
} work;

static void begin(work *w, const pleach__compress_lanes *c, const uint8_t parameter[HASH])
{
    static const uint32_t initial[8] = BLAKE2S_INITIAL;
    const pleach__blake2s_tail tail = pleach__blake2s_tail_of(4 * HASH, true);
    uint32_t words[VALUE];
    memset(w->words, 0, sizeof w->words);
    w->c = c;
    for (size_t i = 0; i < VALUE; i++)
        words[i] = pleach__get32(parameter + 4 * i);
    c->spread(w->words + VALUE * c->lanes, words, VALUE);
    c->spread(w->initial, initial, 8);
    c->prepare(&w->node, PLEACH__BLAKE2S_NODE, w->initial, w->words, &tail);
}

/* As many nodes as there are lanes, or fewer. */
static void hash_nodes(work *w, unsigned level, uint32_t index, const uint8_t *children, size_t n, uint8_t *parents)
{
    const size_t lanes = w->c->lanes;
    for (size_t l = 0; l < n; l++) {
        const uint32_t its_index = index + (uint32_t)l;
        w->words[l] = level << 8 | PLEACH__XMSS_NODE;
        w->words[lanes + l] = its_index << 8;
        w->words[2 * lanes + l] = its_index >> 24;
        for (size_t i = 0; i < 2 * VALUE; i++)
            w->words[(8 + i) * lanes + l] = pleach__get32(children + 2 * HASH * l + 4 * i);
    }
    w->c->compress_prepared[PLEACH__BLAKE2S_NODE](w->parents, false, &w->node, w->words);
    for (size_t l = 0; l < n; l++)
        for (size_t i = 0; i < VALUE; i++)
            pleach__put32(parents + HASH * l + 4 * i, w->parents[i * lanes + l]);
}

void pleach__xmss_tree_rise(const pleach__compress_lanes *c, const pleach__xmss_secret *secret,
                            const pleach__xmss_tree *tree)
{
    work w;
    fill(c, secret, tree);
    begin(&w, c, secret->parameter);
    for (unsigned level = tree->bottom + 1; level <= tree->top; level++) {
        const uint64_t last = last_of(tree, level);
        for (uint64_t i = first_of(tree, level); i <= last; i += c->lanes)
            hash_nodes(&w, level, (uint32_t)i, pleach__xmss_tree_node(tree, level - 1, 2 * i),
                       last - i < c->lanes ? (size_t)(last - i + 1) : c->lanes, pleach__xmss_tree_node(tree, level, i));
    }
}
