/*
 * The functions of a backend whose instructions make several rounds of one message, with messages interleaved: one
 * alone waits for their latency. The including file defines
 *   LANES, STEP(step, t)     how many messages at most; step(i, t) for i = 0 .. n - 1, n being in scope
 *   four                     a vector of four words
 *   state                    a chaining value, in the order of the instructions
 *   four_rounds(), four_known_rounds(), initial(), plus(), unpack()
 *   load16(), load16_prefixed(), swap_bytes(), of_words(), end_of_digest()
 *   begin()                  called before anything else
 * and fold(), hash_list() and usable() for its table.
 */
#ifndef PLEACH_SHA256_STREAMS_H
#define PLEACH_SHA256_STREAMS_H

#include "kernels/sha256/sha256.h"
#include "kernels/sha256/tables.h"

#include <string.h>

/* The four vectors of a block. */
typedef struct words {
    four v[4];
} words;

/* The address made opaque, or clang keeps the table's words in the registers that the states need, or on the stack. */
INLINE const uint32_t *hidden(const uint32_t *table)
{
    __asm__ volatile("" : "+r"(table));
    return table;
}

/* Sixteen steps of each of the n messages in turn. Spelled out: unrolled loops leave the arrays in memory. */
#define STEPS(step)     \
    do {                \
        STEP(step, 0);  \
        STEP(step, 1);  \
        STEP(step, 2);  \
        STEP(step, 3);  \
        STEP(step, 4);  \
        STEP(step, 5);  \
        STEP(step, 6);  \
        STEP(step, 7);  \
        STEP(step, 8);  \
        STEP(step, 9);  \
        STEP(step, 10); \
        STEP(step, 11); \
        STEP(step, 12); \
        STEP(step, 13); \
        STEP(step, 14); \
        STEP(step, 15); \
    } while (0)

/* One block of each of n messages; w is destroyed. */
INLINE void compress(state *s, words *w, int n)
{
    state chain[LANES];
    for (int i = 0; i < n; i++)
        chain[i] = s[i];
    const uint32_t *k = hidden(pleach__sha256_k);
#define COMPRESS(i, t) four_rounds(&s[i], w[i].v, k, t)
    STEPS(COMPRESS);
#undef COMPRESS
    for (int i = 0; i < n; i++)
        s[i] = plus(s[i], chain[i]);
}

/* A block whose K + W are known: rounds 0 .. 15 from kw, with byte[i] << 24 added to the first, the others from
 * rest[i]. */
INLINE void compress_known(state *s, const uint32_t *kw, const uint8_t *byte, const uint32_t *const *rest, int n)
{
    state chain[LANES];
    for (int i = 0; i < n; i++)
        chain[i] = s[i];
#define COMPRESS(i, t) \
    four_known_rounds(&s[i], t < 4 ? kw + 4 * t : rest[i] + 4 * t - 16, t == 0 && byte ? (uint32_t)byte[i] << 24 : 0)
    STEPS(COMPRESS);
#undef COMPRESS
    for (int i = 0; i < n; i++)
        s[i] = plus(s[i], chain[i]);
}

INLINE void compress_same(state *s, const uint32_t kw[64], int n)
{
    const uint32_t *rest[LANES];
    kw = hidden(kw);
    for (int i = 0; i < n; i++)
        rest[i] = kw + 16;
    compress_known(s, kw, NULL, rest, n);
}

INLINE words load_block(const uint8_t *p)
{
    words w;
    for (int j = 0; j < 4; j++)
        w.v[j] = swap_bytes(load16(p + 16 * j));
    return w;
}

/* A block that begins with a prefix, and then has 63 bytes of input. */
INLINE words load_prefixed(const uint8_t *p, int prefix)
{
    words w;
    w.v[0] = swap_bytes(load16_prefixed(p, prefix));
    for (int j = 1; j < 4; j++)
        w.v[j] = swap_bytes(load16(p + 16 * j - 1));
    return w;
}

/* What is common to the inputs of a call. */
typedef struct common {
    int prefix;
    bool twice;
    pleach__sha256_message message;
} common;

/* Functions of this type hash n inputs, n a constant where they are inlined. */
typedef void hash_some(const common *c, state *s, const uint8_t *const *in, int n);

INLINE void hash_pairs(const common *c, state *s, const uint8_t *const *in, int n)
{
    words w[LANES];
    (void)c;
    for (int i = 0; i < n; i++)
        w[i] = load_block(in[i]);
    compress(s, w, n);
    compress_same(s, pleach__sha256_known64, n);
}

INLINE void hash_prefixed_pairs(const common *c, state *s, const uint8_t *const *in, int n)
{
    words w[LANES];
    uint8_t byte[LANES];
    const uint32_t *rest[LANES];
    for (int i = 0; i < n; i++) {
        w[i] = load_prefixed(in[i], c->prefix);
        byte[i] = in[i][63];
        rest[i] = pleach__sha256_rows65[byte[i]];
    }
    compress(s, w, n);
    compress_known(s, hidden(pleach__sha256_known65), byte, rest, n);
}

INLINE void hash_prefixed_digests(const common *c, state *s, const uint8_t *const *in, int n)
{
    words w[LANES];
    for (int i = 0; i < n; i++) {
        const uint8_t *p = in[i];
        w[i].v[0] = swap_bytes(load16_prefixed(p, c->prefix));
        w[i].v[1] = swap_bytes(load16(p + 15));
        w[i].v[2] = end_of_digest(p);
        w[i].v[3] = of_words(0, 0, 0, 33 * 8);
    }
    compress(s, w, n);
}

INLINE void hash_any(const common *c, state *s, const uint8_t *const *in, int n)
{
    const pleach__sha256_message *m = &c->message;
    const size_t blocks = m->head + m->whole + m->tail;
    for (size_t b = 0; b < blocks; b++) {
        const bool whole = b >= m->head && b - m->head < m->whole;
        uint8_t bytes[LANES][64];
        words w[LANES];
        for (int i = 0; i < n && !whole; i++) {
            const pleach__sha256_edge *edge = &m->edge[b < m->head ? b : b - m->whole];
            memcpy(bytes[i], edge->fill, 64);
            memcpy(bytes[i] + edge->first, in[i] + edge->offset, edge->count);
        }
        for (int i = 0; i < n; i++)
            w[i] = load_block(whole ? in[i] + m->offset + 64 * (b - m->head) : bytes[i]);
        compress(s, w, n);
    }
    if (m->known)
        compress_same(s, m->known, n);
}

/* Inputs of the same number of blocks, but each of its own size. */
INLINE void hash_listed(const pleach__hash_form *form, state *s, const pleach_input *const *in, int n)
{
    const size_t blocks = pleach__sha256_blocks(form);
    for (size_t b = 0; b < blocks; b++) {
        uint8_t bytes[LANES][64];
        words w[LANES];
        for (int i = 0; i < n; i++)
            w[i] = load_block(pleach__sha256_block(form, in[i], b, blocks, bytes[i]));
        compress(s, w, n);
    }
}

INLINE void hash_again(state *s, int n)
{
    words w[LANES];
    for (int i = 0; i < n; i++) {
        unpack(s[i], &w[i].v[0], &w[i].v[1]);
        w[i].v[2] = of_words(0x80000000, 0, 0, 0);
        w[i].v[3] = of_words(0, 0, 0, 32 * 8);
        s[i] = initial();
    }
    compress(s, w, n);
}

INLINE void store_digest(state s, uint8_t *out)
{
    four abcd, efgh;
    unpack(s, &abcd, &efgh);
    store16(out, swap_bytes(abcd));
    store16(out + 16, swap_bytes(efgh));
}

INLINE void hash_group(hash_some *hash, const common *c, const uint8_t *in, size_t stride, uint8_t *out, int n)
{
    const uint8_t *row[LANES];
    state s[LANES];
    for (int i = 0; i < n; i++) {
        row[i] = in + (size_t)i * stride;
        s[i] = initial();
    }
    hash(c, s, row, n);
    if (c->twice)
        hash_again(s, n);
    for (int i = 0; i < n; i++)
        store_digest(s[i], out + PLEACH_DIGEST_SIZE * i);
}

INLINE void hash_all(hash_some *hash, const common *c, const uint8_t *in, size_t stride, size_t n, uint8_t *out)
{
    for (; n >= LANES; n -= LANES, in += LANES * stride, out += LANES * PLEACH_DIGEST_SIZE)
        hash_group(hash, c, in, stride, out, LANES);
    for (; LANES > 2 && n >= 2; n -= 2, in += 2 * stride, out += 2 * PLEACH_DIGEST_SIZE)
        hash_group(hash, c, in, stride, out, 2);
    for (; n > 0; n--, in += stride, out += PLEACH_DIGEST_SIZE)
        hash_group(hash, c, in, stride, out, 1);
}

static void hash_many(const pleach__hash_plan *plan, const uint8_t *in, size_t stride, size_t n, uint8_t *out)
{
    const pleach__hash_form *form = &plan->form;
    const bool prefixed = form->prefix != PLEACH__NO_PREFIX;
    common c;
    c.prefix = form->prefix;
    c.twice = form->twice;
    begin();
    if (form->size == 64 && !prefixed) {
        hash_all(hash_pairs, &c, in, stride, n, out);
    } else if (form->size == 64) {
        hash_all(hash_prefixed_pairs, &c, in, stride, n, out);
    } else if (form->size == 32 && prefixed) {
        hash_all(hash_prefixed_digests, &c, in, stride, n, out);
    } else {
        pleach__sha256_cut(&c.message, form);
        hash_all(hash_any, &c, in, stride, n, out);
    }
}

INLINE void list_streams(const pleach__list *list, const pleach__backend *backend)
{
    const pleach__hash_form *form = &list->plan->form;
    size_t i = 0;
    begin();
    for (; i + LANES <= list->n; i += LANES) {
        const uint16_t *order = list->order + i;
        const pleach_input *in[LANES];
        state s[LANES];
        for (int l = 0; l < LANES; l++) {
            in[l] = &list->inputs[order[l]];
            s[l] = initial();
        }
        hash_listed(form, s, in, LANES);
        if (form->twice)
            hash_again(s, LANES);
        for (int l = 0; l < LANES; l++)
            store_digest(s[l], list->out + (size_t)PLEACH_DIGEST_SIZE * order[l]);
    }
    const pleach__list rest = pleach__list_rest(list, i);
    pleach__list_singly(&rest, backend);
}

#endif
