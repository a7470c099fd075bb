/*
 * The functions of a backend that has a message in each lane of its vectors. The including file defines what compress.h
 * asks for, LANES, loads of message words, splat() and store_digests(), and fold() and usable() for its table.
 */
#ifndef PLEACH_SHA256_ENTRIES_H
#define PLEACH_SHA256_ENTRIES_H

#include "kernels/sha256/compress.h"
#include "kernels/sha256/sha256.h"

#include <string.h>

/* Largest remainder that is hashed one by one. */
enum { SINGLES = 1 };

/* What is common to the inputs of a call. */
typedef struct common {
    int prefix;
    pleach__sha256_message message;
} common;

/* Hashes LANES inputs. */
typedef void hash_group(const common *c, const void *const *row, vec s[8]);

static void hash_pairs(const common *c, const void *const *row, vec s[8])
{
    vec m[16];
    (void)c;
    load_blocks(m, row, 0);
    compress(s, m, true);
    compress_known(s, pleach__sha256_known64);
}

/* The second block of 65-byte messages. */
static __attribute__((noinline)) void compress_byte(vec s[8], vec byte, const vec x[48])
{
    HIDDEN(kw, pleach__sha256_known65);
    V_STATE;
    LOAD_STATE(s);
    V_KEEP(b, c);
    h = V_ADD(h, byte);
    CONST8(kw);
    CONST8(kw + 8);
    for (int i = 0; i < 48; i += 8)
        SUM8(x + i);
    CHAIN(s);
}

static void hash_prefixed_pairs(const common *c, const void *const *row, vec s[8])
{
    vec m[16], x[48];
    const void *table[LANES];
    load_first_prefixed(m, row, c->prefix);
    load_words(m + 4, row, 15);
    load_words(m + 8, row, 31);
    load_words(m + 12, row, 47);
    compress(s, m, true);
    for (int l = 0; l < LANES; l++)
        table[l] = pleach__sha256_rows65[((const uint8_t *)row[l])[63]];
    for (size_t i = 0; i < 12; i++)
        load_four(x + 4 * i, table, 16 * i);
    compress_byte(s, load_byte(row, 63), x);
}

static void hash_prefixed_digests(const common *c, const void *const *row, vec s[8])
{
    vec m[16];
    load_first_prefixed(m, row, c->prefix);
    load_words(m + 4, row, 15);
    m[8] = load_byte(row, 31) | splat(0x800000);
    for (int i = 9; i < 15; i++)
        m[i] = splat(0);
    m[15] = splat(33 * 8);
    compress(s, m, true);
}

static void hash_any(const common *c, const void *const *row, vec s[8])
{
    const pleach__sha256_message *message = &c->message;
    const size_t varying = message->head + message->whole + message->tail;
    for (int i = 0; i < 8; i++)
        s[i] = splat(pleach__sha256_iv[i]);
    for (size_t b = 0; b < varying; b++) {
        vec m[16];
        if (b >= message->head && b - message->head < message->whole) {
            load_blocks(m, row, message->offset + 64 * (b - message->head));
        } else {
            const pleach__sha256_edge *edge = &message->edge[b < message->head ? b : b - message->whole];
            uint8_t bytes[LANES][64];
            const void *block[LANES];
            for (int l = 0; l < LANES; l++) {
                block[l] = memcpy(bytes[l], edge->fill, 64);
                memcpy(bytes[l] + edge->first, (const uint8_t *)row[l] + edge->offset, edge->count);
            }
            load_blocks(m, block, 0);
        }
        compress(s, m, false);
    }
    if (message->known)
        compress_known(s, message->known);
}

static void hash_again(vec s[8])
{
    vec m[16];
    memcpy(m, s, 8 * sizeof *m);
    for (int i = 8; i < 16; i++)
        m[i] = splat(pleach__sha256_load(pleach__sha256_digest_padding + 4 * (i - 8)));
    compress(s, m, true);
}

static hash_group *choose(const pleach__hash_form *form)
{
    const bool prefixed = form->prefix != PLEACH__NO_PREFIX;
    if (form->size == 64)
        return prefixed ? hash_prefixed_pairs : hash_pairs;
    return form->size == 32 && prefixed ? hash_prefixed_digests : hash_any;
}

static void hash_many(const pleach__hash_plan *plan, const uint8_t *in, size_t stride, size_t n, uint8_t *out)
{
    hash_group *const hash = choose(&plan->form);
    common c;
    c.prefix = plan->form.prefix;
    if (hash == hash_any)
        pleach__sha256_cut(&c.message, &plan->form);
    while (n > SINGLES) {
        const size_t group = n < LANES ? n : LANES;
        const void *row[LANES];
        vec s[8];
        for (size_t l = 0; l < LANES; l++)
            row[l] = in + (l < group ? l : group - 1) * stride;
        hash(&c, row, s);
        if (plan->form.twice)
            hash_again(s);
        if (group == LANES) {
            store_digests(s, out);
        } else {
            uint8_t digests[LANES * PLEACH_DIGEST_SIZE];
            store_digests(s, digests);
            memcpy(out, digests, group * PLEACH_DIGEST_SIZE);
        }
        in += group * stride;
        out += group * PLEACH_DIGEST_SIZE;
        n -= group;
    }
    leave();
    pleach__sha256_portable.hash_many(plan, in, stride, n, out);
}

/* LANES inputs of the same number of blocks, but each of its own size. */
static void hash_listed(const pleach__hash_form *form, const pleach_input *const *in, vec s[8])
{
    const size_t blocks = pleach__sha256_blocks(form);
    for (size_t b = 0; b < blocks; b++) {
        vec m[16];
        uint8_t bytes[LANES][64];
        const void *row[LANES];
        for (int l = 0; l < LANES; l++)
            row[l] = pleach__sha256_block(form, in[l], b, blocks, bytes[l]);
        load_blocks(m, row, 0);
        compress(s, m, b == 0);
    }
    if (form->twice)
        hash_again(s);
}

static void hash_list(const pleach__list *list)
{
    pleach__list left = *list;
    while (left.n > SINGLES) {
        const size_t group = left.n < LANES ? left.n : LANES;
        const pleach_input *in[LANES];
        vec s[8];
        uint8_t digests[LANES * PLEACH_DIGEST_SIZE];
        for (size_t l = 0; l < LANES; l++)
            in[l] = &left.inputs[left.order[l < group ? l : group - 1]];
        hash_listed(&left.plan->form, in, s);
        store_digests(s, digests);
        pleach__list_store(&left, digests, group);
        left = pleach__list_rest(&left, group);
    }
    leave();
    pleach__list_singly(&left, &pleach__sha256_portable);
}

#endif
