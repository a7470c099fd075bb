#include "aarch64_test.h"

#include "kernels/blake2s/compress.h"

#include <string.h>

enum { INPUTS = 3 * LANES + 1, STRIDE = 131, HEIGHT = 6, LEAVES = 1 << HEIGHT };

static uint8_t in[LEAVES * STRIDE];

__attribute__((constructor)) static void fill_in(void)
{
    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (uint8_t)(i * 37 + i / 251);
}

static pleach__hash_plan plan_of(size_t size, size_t zeros)
{
    pleach__hash_plan plan;
    const pleach__hash_form form = {.size = size, .zeros = zeros, .prefix = PLEACH__NO_PREFIX};
    (void)pleach__blake2s.plan(&plan, &form);
    return plan;
}

static bool hash_inputs(const pleach__backend *backend, size_t n)
{
    static const size_t sizes[] = {0, 1, 63, 64, 65, 128, 131};
    uint8_t got[INPUTS * DIGEST], want[INPUTS * DIGEST];
    bool right = true;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const pleach__hash_plan plan = plan_of(sizes[i], i % 2 * 17);
        backend->hash_many(&plan, in, STRIDE, n, got);
        pleach__blake2s_portable.hash_many(&plan, in, STRIDE, n, want);
        right = right && memcmp(got, want, n * DIGEST) == 0;
    }
    return right;
}

static bool fold_leaves(const pleach__backend *backend, unsigned height)
{
    const pleach__hash_plan leaf = plan_of(100, 0), node = plan_of(64, 0);
    uint8_t got[2 * LEAVES * DIGEST] = {0}, want[2 * LEAVES * DIGEST] = {0};
    uint8_t *got_level[HEIGHT + 1], *want_level[HEIGHT + 1];
    for (unsigned l = 0, at = 0; l <= height; at += (unsigned)DIGEST << (height - l), l++) {
        got_level[l] = got + at;
        want_level[l] = want + at;
    }
    backend->fold(&(pleach__fold){&leaf, &node, in, STRIDE, height, got_level});
    pleach__blake2s_portable.fold(&(pleach__fold){&leaf, &node, in, STRIDE, height, want_level});
    return memcmp(got, want, sizeof got) == 0;
}

static bool hash_list(const pleach__backend *backend, size_t n)
{
    const pleach__hash_form form = {.prefix = PLEACH__NO_PREFIX};
    pleach_input inputs[INPUTS];
    uint8_t got[INPUTS * DIGEST], want[INPUTS * DIGEST];
    for (size_t i = 0; i < n; i++)
        inputs[i] = (pleach_input){in + i, 65 + i};
    (void)pleach__hash_list(&pleach__blake2s, backend, &form, inputs, n, got);
    (void)pleach__hash_list(&pleach__blake2s, &pleach__blake2s_portable, &form, inputs, n, want);
    return memcmp(got, want, n * DIGEST) == 0;
}

void do_work(void *work)
{
    ((struct work *)work)->right =
        hash_inputs(&pleach__blake2s_sme, INPUTS) && hash_inputs(&pleach__blake2s_sme, LANES) &&
        fold_leaves(&pleach__blake2s_sme, HEIGHT) && hash_list(&pleach__blake2s_sme, INPUTS) &&
        pleach__blake2s_probe(pleach__blake2s_sme.compress_lanes, 1);
}

void do_small_work(void *work)
{
    ((struct work *)work)->right = hash_inputs(&pleach__blake2s_sme, LANES - 1) &&
                                   hash_inputs(&pleach__blake2s_sme, 1) && fold_leaves(&pleach__blake2s_sme, 3) &&
                                   hash_list(&pleach__blake2s_sme, LANES - 1);
}
