#include "config/error.h"
#include "kernels/backend.h"
#include "kernels/blake2s/compress.h"

#include <stdio.h>
#include <string.h>

enum {
    INPUTS_MIN = 16,
    INPUTS_MAX = 64,
    FOLD_HEIGHT = 6, /* two vectors of parents at the widest */
    SIZE_MAX_PROBED = 200,
    STRIDE = 67 /* inputs overlap, are distinct, and have every alignment */
};

/* A family that has no such form is not asked for it. */
static const pleach__hash_form forms[] = {
    {0, 0, PLEACH__NO_PREFIX, false},
    {31, 0, PLEACH__NO_PREFIX, false},
    {64, 0, PLEACH__NO_PREFIX, false},
    {65, 0, PLEACH__NO_PREFIX, false},
    {200, 0, PLEACH__NO_PREFIX, false},
    {40, 24, PLEACH__NO_PREFIX, false},
    {96, 152, PLEACH__NO_PREFIX, false},
    {64, 0, 1, false},
    {120, 0, 0, false},
    {64, 0, PLEACH__NO_PREFIX, true},
};

/* What leaves and nodes look like in the trees that are folded. */
static const pleach__hash_form trees[][2] = {
    {{64, 0, PLEACH__NO_PREFIX, false}, {64, 0, PLEACH__NO_PREFIX, false}},
    {{100, 28, PLEACH__NO_PREFIX, false}, {64, 0, PLEACH__NO_PREFIX, false}},
    {{32, 0, 0, false}, {64, 0, 1, false}},
    {{64, 0, PLEACH__NO_PREFIX, true}, {64, 0, PLEACH__NO_PREFIX, true}},
};

/* The sizes are the list's. */
static const pleach__hash_form lists[] = {
    {0, 0, PLEACH__NO_PREFIX, false}, {0, 0, 0, true}, {0, 100, PLEACH__NO_PREFIX, false}};

typedef struct probe {
    uint8_t in[(INPUTS_MAX - 1) * STRIDE + SIZE_MAX_PROBED];
    uint8_t got[2 * INPUTS_MAX * PLEACH_DIGEST_SIZE];
    uint8_t want[2 * INPUTS_MAX * PLEACH_DIGEST_SIZE];
} probe;

static void fill(uint8_t *bytes, size_t size)
{
    uint32_t state = 1;
    for (size_t i = 0; i < size; i++) {
        state = state * 1664525 + 1013904223;
        bytes[i] = (uint8_t)(state >> 24);
    }
}

static void refer(const pleach__family *family, const pleach__hash_form *form, const uint8_t *in, size_t stride,
                  size_t n, uint8_t *out)
{
    for (size_t i = 0; i < n; i++)
        family->reference(form, in + i * stride, out + PLEACH_DIGEST_SIZE * i);
}

static bool probe_form(probe *p, const pleach__family *family, const pleach__backend *backend,
                       const pleach__hash_form *form)
{
    pleach__hash_plan plan;
    size_t n = 2 * backend->lanes + 1;
    n = n < INPUTS_MIN ? INPUTS_MIN : n > INPUTS_MAX ? INPUTS_MAX : n;
    if (family->plan(&plan, form) != PLEACH_OK)
        return true;
    refer(family, form, p->in, STRIDE, n, p->want);
    memset(p->got, 0, sizeof p->got);
    backend->hash_many(&plan, p->in, STRIDE, n, p->got);
    return memcmp(p->got, p->want, n * PLEACH_DIGEST_SIZE) == 0;
}

static bool probe_fold(probe *p, const pleach__family *family, const pleach__backend *backend,
                       const pleach__hash_form tree[2])
{
    const size_t leaves = (size_t)1 << FOLD_HEIGHT, nodes = 2 * leaves - 1;
    pleach__hash_plan leaf, node;
    uint8_t *level[FOLD_HEIGHT + 1], *want = p->want;
    if (family->plan(&leaf, &tree[0]) != PLEACH_OK || family->plan(&node, &tree[1]) != PLEACH_OK)
        return true;
    refer(family, &tree[0], p->in, STRIDE, leaves, want);
    for (unsigned l = 0; l <= FOLD_HEIGHT; l++) {
        level[l] = p->got + (want - p->want);
        refer(family, &tree[1], want, 2 * PLEACH_DIGEST_SIZE, leaves >> l >> 1,
              want + PLEACH_DIGEST_SIZE * (leaves >> l));
        want += PLEACH_DIGEST_SIZE * (leaves >> l);
    }
    memset(p->got, 0, sizeof p->got);
    backend->fold(&(pleach__fold){&leaf, &node, p->in, STRIDE, FOLD_HEIGHT, level});
    return memcmp(p->got, p->want, nodes * PLEACH_DIGEST_SIZE) == 0;
}

/* Inputs of every size from 0 on, and thrice: groups are filled, and have inputs of several sizes. */
static bool probe_list(probe *p, const pleach__family *family, const pleach__backend *backend, pleach__hash_form form)
{
    enum { SIZES = 67, INPUTS = 2 * INPUTS_MAX };
    pleach_input inputs[INPUTS];
    for (size_t i = 0; i < INPUTS; i++) {
        inputs[i] = (pleach_input){p->in + i, 3 * i % SIZES + (i % 2 ? SIZES : 0)};
        form.size = inputs[i].size;
        family->reference(&form, inputs[i].bytes, p->want + PLEACH_DIGEST_SIZE * i);
    }
    memset(p->got, 0, sizeof p->got);
    return pleach__hash_list(family, backend, &form, inputs, INPUTS, p->got) != PLEACH_OK ||
           memcmp(p->got, p->want, sizeof p->got) == 0;
}

bool pleach__probe(const pleach__family *family, const pleach__backend *backend)
{
    if (!family->reference)
        return family->probe(backend);
    probe p;
    char error[PLEACH__ERROR_SIZE]; /* forms that the family refuses leave a text that is not the caller's concern */
    (void)snprintf(error, sizeof error, "%s", pleach_last_error());
    bool agrees = true;
    fill(p.in, sizeof p.in);
    for (size_t i = 0; agrees && i < sizeof forms / sizeof *forms; i++)
        agrees = probe_form(&p, family, backend, &forms[i]);
    for (size_t i = 0; agrees && i < sizeof trees / sizeof *trees; i++)
        agrees = probe_fold(&p, family, backend, trees[i]);
    for (size_t i = 0; agrees && i < sizeof lists / sizeof *lists; i++)
        agrees = probe_list(&p, family, backend, lists[i]);
    if (agrees && backend->compress_lanes)
        agrees = pleach__blake2s_probe(backend->compress_lanes, 1);
    if (agrees && family->probe)
        agrees = family->probe(backend);
    pleach__set_last_error(error);
    return agrees;
}
