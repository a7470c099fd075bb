#include "fakes.h"

#include <string.h>

enum { FAKE_LANES = 8 };

static void right(const pleach__hash_plan *plan, const uint8_t *in, size_t stride, size_t n, uint8_t *out)
{
    for (size_t i = 0; i < n; i++)
        pleach__blake2s.reference(&plan->form, in + i * stride, out + DIGEST * i);
}

static void fold(const pleach__fold *f)
{
    pleach__fold_levels(f, &fake_right);
}

static void swaps_lanes(const pleach__hash_plan *plan, const uint8_t *in, size_t stride, size_t n, uint8_t *out)
{
    right(plan, in, stride, n, out);
    for (uint8_t *group = out; group + FAKE_LANES * DIGEST <= out + n * DIGEST; group += FAKE_LANES * DIGEST) {
        uint8_t digest[DIGEST];
        memcpy(digest, group + 2 * DIGEST, DIGEST);
        memcpy(group + 2 * DIGEST, group + 5 * DIGEST, DIGEST);
        memcpy(group + 5 * DIGEST, digest, DIGEST);
    }
}

static void last_lane(const pleach__hash_plan *plan, const uint8_t *in, size_t stride, size_t n, uint8_t *out)
{
    right(plan, in, stride, n, out);
    for (size_t i = FAKE_LANES - 1; i < n; i += FAKE_LANES)
        out[DIGEST * i + 31] ^= 0x80;
}

static void spare_lane(const pleach__hash_plan *plan, const uint8_t *in, size_t stride, size_t n, uint8_t *out)
{
    right(plan, in, stride, n, out);
    if (n % FAKE_LANES)
        out[DIGEST * (n - 1)] ^= 1;
}

static void many_blocks(const pleach__hash_plan *plan, const uint8_t *in, size_t stride, size_t n, uint8_t *out)
{
    right(plan, in, stride, n, out);
    if (n > 1 && plan->form.size > 64)
        out[DIGEST + 1] ^= 1;
}

static void padded(const pleach__hash_plan *plan, const uint8_t *in, size_t stride, size_t n, uint8_t *out)
{
    right(plan, in, stride, n, out);
    if (n > 0 && plan->form.zeros >= 64)
        out[0] ^= 1;
}

static void fold_root(const pleach__fold *f)
{
    fold(f);
    f->level[f->height][31] ^= 1;
}

static void fold_level(const pleach__fold *f)
{
    fold(f);
    if (f->height > 2 && f->level[2])
        f->level[2][DIGEST * 2] ^= 1;
}

static void list(const pleach__list *l)
{
    pleach__list_singly(l, &fake_right);
}

static void list_order(const pleach__list *l)
{
    list(l);
    if (l->n > 1) {
        uint8_t *one = l->out + (size_t)DIGEST * l->order[0], *other = l->out + (size_t)DIGEST * l->order[l->n - 1];
        uint8_t digest[DIGEST];
        memcpy(digest, one, DIGEST);
        memcpy(one, other, DIGEST);
        memcpy(other, digest, DIGEST);
    }
}

static void list_size(const pleach__list *l)
{
    list(l);
    for (size_t i = 0; i < l->n; i++)
        if (l->inputs[l->order[i]].size != l->plan->form.size)
            l->out[(size_t)DIGEST * l->order[i]] ^= 1;
}

unsigned fake_streaming_calls;

static void streaming(const pleach__hash_plan *plan, const uint8_t *in, size_t stride, size_t n, uint8_t *out)
{
    fake_streaming_calls++;
    right(plan, in, stride, n, out);
}

static bool everywhere(const pleach__cpu *cpu)
{
    (void)cpu;
    return true;
}

static bool nowhere(const pleach__cpu *cpu)
{
    (void)cpu;
    return false;
}

const pleach__backend fake_right = {"right", "nothing", FAKE_LANES, false, everywhere, right, fold, list, NULL};
const pleach__backend fake_swaps_lanes = {"swaps",     "nothing", FAKE_LANES, false, everywhere,
                                          swaps_lanes, fold,      list,       NULL};
const pleach__backend fake_last_lane = {"last", "nothing", FAKE_LANES, false, everywhere, last_lane, fold, list, NULL};
const pleach__backend fake_spare_lane = {"spare",    "nothing", FAKE_LANES, false, everywhere,
                                         spare_lane, fold,      list,       NULL};
const pleach__backend fake_many_blocks = {"blocks",    "nothing", FAKE_LANES, false, everywhere,
                                          many_blocks, fold,      list,       NULL};
const pleach__backend fake_padded = {"padded", "nothing", FAKE_LANES, false, everywhere, padded, fold, list, NULL};
const pleach__backend fake_fold_root = {"root", "nothing", FAKE_LANES, false, everywhere, right, fold_root, list, NULL};
const pleach__backend fake_fold_level = {"level", "nothing",  FAKE_LANES, false, everywhere,
                                         right,   fold_level, list,       NULL};
const pleach__backend fake_list_order = {"order", "nothing", FAKE_LANES, false, everywhere,
                                         right,   fold,      list_order, NULL};
const pleach__backend fake_list_size = {"size", "nothing", FAKE_LANES, false, everywhere, right, fold, list_size, NULL};
const pleach__backend fake_unusable = {"unusable", "a quantum annealer", FAKE_LANES, false, nowhere, right, fold, list,
                                       NULL};
const pleach__backend fake_streaming = {"streaming", "nothing", FAKE_LANES, true, everywhere,
                                        streaming,   fold,      list,       NULL};

pleach__family fake_family(const pleach__backend *const *backends)
{
    pleach__family family = pleach__blake2s;
    family.name = "fake";
    family.backends = backends;
    return family;
}
