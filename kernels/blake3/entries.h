/* The functions of a backend over the lanes of any instruction set. */
#ifndef PLEACH_BLAKE3_ENTRIES_H
#define PLEACH_BLAKE3_ENTRIES_H

#include "kernels/blake3/subtrees.h"
#include "kernels/blake3/xof.h"

enum {
    BATCH = 4 * LANES, /* inputs whose chaining values wait for their last blocks */
    GROUP = PLEACH__BLAKE3_GROUP
};

/* n inputs of several chunks, n <= LANES. */
static void long_roots(const pleach__blake3_mode *mode, const uint8_t *in, size_t size, size_t stride, size_t n,
                       pleach__blake3_root *roots)
{
    const size_t chunks = (size + CHUNK - 1) / CHUNK;
    if (chunks > ROW_CHUNKS || chunks > n * ((chunks + LANES - 1) / LANES)) {
        for (size_t i = 0; i < n; i++) {
            top_of(mode, in + i * stride, size, 0, &roots[i]);
            roots[i].flags |= BLAKE3_ROOT;
        }
        return;
    }
    uint8_t children[LANES][BLOCK];
    top_rows(mode, in, size, stride, n, children);
    for (size_t i = 0; i < n; i++) {
        roots[i] = (pleach__blake3_root){.size = BLOCK, .flags = mode->flags | BLAKE3_PARENT | BLAKE3_ROOT};
        memcpy(roots[i].cv, mode->key, sizeof roots[i].cv);
        memcpy(roots[i].block, children[i], BLOCK);
    }
}

/* n inputs of at most a chunk, n <= BATCH: all blocks but the last over lanes, if there are more. */
static void short_roots(const pleach__blake3_mode *mode, const uint8_t *in, size_t size, size_t stride, size_t n,
                        pleach__blake3_root *roots)
{
    const size_t chained = size > BLOCK ? (size - 1) / BLOCK * BLOCK : 0;
    uint8_t cvs[BATCH * PLEACH_DIGEST_SIZE];
    uint32_t flags = mode->flags | BLAKE3_CHUNK_END | BLAKE3_ROOT;
    if (chained > 0) {
        const blake3_plan plan = plan_of(mode, chained, BLAKE3_CHUNK_START, 0);
        hash_by_plan(&plan, in, stride, n, cvs);
    } else {
        flags |= BLAKE3_CHUNK_START;
    }
    for (size_t i = 0; i < n; i++) {
        roots[i].size = (uint32_t)(size - chained);
        roots[i].flags = flags;
        memcpy(roots[i].cv, chained ? cvs + PLEACH_DIGEST_SIZE * i : (const uint8_t *)mode->key, PLEACH_DIGEST_SIZE);
        memset(roots[i].block, 0, BLOCK);
        if (size > chained)
            memcpy(roots[i].block, in + i * stride + chained, size - chained);
    }
}

static void roots(const pleach__blake3_mode *mode, const uint8_t *in, size_t size, size_t stride, size_t n,
                  pleach__blake3_root *roots)
{
    const size_t batch = size > CHUNK ? LANES : BATCH;
    for (size_t done = 0; done < n; done += batch) {
        const size_t some = n - done < batch ? n - done : batch;
        const uint8_t *rows = in + done * stride;
        if (size > CHUNK)
            long_roots(mode, rows, size, stride, some, roots + done);
        else if (some <= SCALAR_LANES)
            pleach__blake3_portable.roots(mode, rows, size, stride, some, roots + done);
        else
            short_roots(mode, rows, size, stride, some, roots + done);
    }
}

static void hash_long(const uint8_t *in, size_t size, size_t stride, size_t n, uint8_t *out)
{
    const pleach__blake3_mode *mode = &pleach__blake3_unkeyed;
    const blake3_plan top = plan_of(mode, BLOCK, BLAKE3_PARENT | BLAKE3_ROOT, 0);
    for (size_t done = 0; done < n; done += LANES) {
        const size_t some = n - done < LANES ? n - done : LANES;
        pleach__blake3_root tops[LANES];
        long_roots(mode, in + done * stride, size, stride, some, tops);
        hash_by_plan(&top, (const uint8_t *)tops[0].block, sizeof tops[0], some, out + PLEACH_DIGEST_SIZE * done);
    }
}

static void hash_many(const pleach__hash_plan *plan, const uint8_t *in, size_t stride, size_t n, uint8_t *out)
{
    const size_t size = plan->form.size, rest = n % LANES <= SCALAR_LANES ? n % LANES : 0, rows = n - rest;
    if (size > CHUNK) {
        hash_long(in, size, stride, n, out);
        return;
    }
    if (rows > 0) {
        const blake3_plan input =
            plan_of(&pleach__blake3_unkeyed, size, BLAKE3_CHUNK_START, BLAKE3_CHUNK_END | BLAKE3_ROOT);
        hash_by_plan(&input, in, stride, rows, out);
    }
    pleach__blake3_portable.hashes.hash_many(plan, in + rows * stride, stride, rest, out + PLEACH_DIGEST_SIZE * rows);
}

static void hash_list(const pleach__list *list)
{
    const size_t size = list->plan->form.size, rest = list->n % LANES <= SCALAR_LANES ? list->n % LANES : 0;
    const size_t rows = list->n - rest;
    if (size > CHUNK) { /* its own chunks fill the lanes */
        for (size_t i = 0; i < list->n; i++) {
            const pleach_input *in = &list->inputs[list->order[i]];
            hash_long(in->bytes, in->size, 0, 1, list->out + (size_t)PLEACH_DIGEST_SIZE * list->order[i]);
        }
        return;
    }
    const blake3_plan input =
        plan_of(&pleach__blake3_unkeyed, size, BLAKE3_CHUNK_START, BLAKE3_CHUNK_END | BLAKE3_ROOT);
    const pleach__list others = pleach__list_rest(list, rows);
    pleach__list first = pleach__list_first(list, rows);
    first.plan = &input.plan;
    if (rows > 0)
        list_rows(&first);
    _mm256_zeroupper();
    pleach__list_singly(&others, &pleach__blake3_portable.hashes);
}

INLINE void fold_inputs(const pleach__fold *fold, const pleach__backend *backend)
{
    if (fold->height < LANES_LOG2 || fold->leaf->form.size > CHUNK) {
        pleach__fold_levels(fold, backend);
        return;
    }
    const pleach__blake3_mode *mode = &pleach__blake3_unkeyed;
    const uint32_t last = BLAKE3_CHUNK_END | BLAKE3_ROOT;
    const blake3_plan leaf = plan_of(mode, fold->leaf->form.size, BLAKE3_CHUNK_START, last),
                      node = plan_of(mode, BLOCK, BLAKE3_CHUNK_START, last);
    pleach__fold over = *fold;
    over.leaf = &leaf.plan;
    over.node = &node.plan;
    fold_lanes(&over);
    _mm256_zeroupper();
}

/* What the blocks of output of one root have in common. */
typedef struct xof_common {
    vec message[16];
    xof_start start;
} xof_common;

INLINE void xof_begin(xof_common *x, const pleach__blake3_root *root, uint64_t first)
{
    for (int i = 0; i < 16; i++)
        x->message[i] = VEC_SPLAT(root->block[i]);
    xof_prepare(&x->start, root, (uint32_t)(first >> 32));
}

/* Lane l gets block `first` + numbers[l]; the upper halves of all these are that of xof_begin(). */
__attribute__((noinline)) static void xof_lanes(const xof_common *x, uint64_t first, const uint32_t *numbers,
                                                lanes out[2])
{
    const xof_start *s = &x->start;
    const vec *m = x->message;
    vec v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, va, vb, vc, vd, ve, vf;
    memcpy(&vc, numbers, sizeof vc);
    VEC_ADD(vc, VEC_SPLAT(first));
    BLAKE3_XOF_ROUND_0(s, m);
    BLAKE3_ROUND_1(m);
    BLAKE3_ROUND_2(m);
    BLAKE3_ROUND_3(m);
    BLAKE3_ROUND_4(m);
    BLAKE3_ROUND_5(m);
    BLAKE3_ROUND_6(m);
    out[0].word[0] = VEC_XOR(v0, v8);
    out[0].word[1] = VEC_XOR(v1, v9);
    out[0].word[2] = VEC_XOR(v2, va);
    out[0].word[3] = VEC_XOR(v3, vb);
    out[0].word[4] = VEC_XOR(v4, vc);
    out[0].word[5] = VEC_XOR(v5, vd);
    out[0].word[6] = VEC_XOR(v6, ve);
    out[0].word[7] = VEC_XOR(v7, vf);
    out[1].word[0] = VEC_XOR(v8, VEC_SPLAT(s->cv[0]));
    out[1].word[1] = VEC_XOR(v9, VEC_SPLAT(s->cv[1]));
    out[1].word[2] = VEC_XOR(va, VEC_SPLAT(s->cv[2]));
    out[1].word[3] = VEC_XOR(vb, VEC_SPLAT(s->cv[3]));
    out[1].word[4] = VEC_XOR(vc, VEC_SPLAT(s->cv[4]));
    out[1].word[5] = VEC_XOR(vd, VEC_SPLAT(s->cv[5]));
    out[1].word[6] = VEC_XOR(ve, VEC_SPLAT(s->cv[6]));
    out[1].word[7] = VEC_XOR(vf, VEC_SPLAT(s->cv[7]));
}

/* Blocks whose numbers have one upper half. */
static void xof_run(const pleach__blake3_root *root, uint64_t first, size_t blocks, uint8_t *out)
{
    xof_common x;
    lanes h[2];
    uint8_t half[2][LANES * PLEACH_DIGEST_SIZE];
    xof_begin(&x, root, first);
    for (size_t done = 0; done < blocks; done += LANES, out += LANES * BLOCK) {
        const size_t some = blocks - done < LANES ? blocks - done : LANES;
        xof_lanes(&x, first + done, input_of_lane, h);
        store_digests(half[0], &h[0]);
        store_digests(half[1], &h[1]);
        for (size_t i = 0; i < 2 * some; i++)
            memcpy(out + PLEACH_DIGEST_SIZE * i, half[i % 2] + PLEACH_DIGEST_SIZE * (i / 2), PLEACH_DIGEST_SIZE);
    }
    _mm256_zeroupper();
}

static void xof(const pleach__blake3_root *root, uint64_t first, size_t blocks, uint8_t *out)
{
    size_t run;
    for (; blocks > 0; first += run, blocks -= run, out += BLOCK * run) {
        const uint64_t before_carry = UINT64_C(0x100000000) - (uint32_t)first;
        run = blocks < before_carry ? blocks : (size_t)before_carry;
        const size_t rest = run % LANES <= SCALAR_LANES ? run % LANES : 0;
        if (run > rest)
            xof_run(root, first, run - rest, out);
        pleach__blake3_portable.xof(root, first + (run - rest), rest, out + BLOCK * (run - rest));
    }
}

static void xof_groups(const pleach__blake3_root *root, uint64_t first, size_t groups, uint32_t *words)
{
    static const uint32_t in_order[GROUP] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    xof_common x;
    lanes h[2];
    if (groups > 0 && (first + (GROUP * groups - 1)) >> 32 != first >> 32) {
        pleach__blake3_portable.xof_groups(root, first, groups, words);
        return;
    }
    xof_begin(&x, root, first);
    for (size_t g = 0; g < groups; g++, first += GROUP, words += 16 * GROUP)
        for (size_t i = 0; i < GROUP; i += LANES) {
            xof_lanes(&x, first, in_order + i, h);
            for (size_t w = 0; w < 16; w++)
                memcpy(words + GROUP * w + i, &h[w / 8].word[w % 8], sizeof(vec));
        }
    _mm256_zeroupper();
}

/* The table of an instruction set, whose file defines usable() and fold() beside what is above. */
#define BLAKE3_BACKEND(its_name, its_needs)                                   \
    {                                                                         \
        .hashes = {.name = (its_name),                                        \
                   .needs = (its_needs),                                      \
                   .lanes = LANES,                                            \
                   .usable = usable,                                          \
                   .hash_many = hash_many,                                    \
                   .fold = fold,                                              \
                   .hash_list = hash_list},                                   \
        .roots = roots, .chain = chain, .xof = xof, .xof_groups = xof_groups, \
    }

#endif
