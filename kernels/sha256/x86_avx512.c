#include "kernels/sha256/x86_avx512.h"
#include "kernels/sha256/x86_avx512_eight.h"

#include <string.h>

/*
 * Largest remainders that SHA-NI takes, by form, and the largest of pairs that eight lanes take. Above, a group is
 * padded by its last input; where there is no SHA-NI, always.
 */
enum { PAIRS_SHANI = 5, PAIRS_X8 = 8, PREFIXED_SHANI = 7, DOUBLE_SHANI = 5, SHORT_SHANI = 5, ANY_SHANI = 7 };

static bool prefixed(const pleach__hash_form *form)
{
    return form->prefix != PLEACH__NO_PREFIX;
}

/* The last n inputs, the last of them repeated up to a full group. */
static void pad(uint8_t *buffer, const uint8_t *in, size_t size, size_t stride, size_t n)
{
    for (size_t i = 0; i < LANES; i++)
        memcpy(buffer + i * size, in + (i < n ? i : n - 1) * stride, size);
}

/* The first n digests of lanes that were loaded from rows_flat. */
static void store_some(const vec s[8], size_t n, uint8_t *out)
{
    uint8_t digests[LANES * PLEACH_DIGEST_SIZE];
    if (n == LANES) {
        store_flat(s, out);
    } else {
        store_flat(s, digests);
        memcpy(out, digests, n * PLEACH_DIGEST_SIZE);
    }
}

/* Inputs of 64 bytes; each group is loaded while the one before is hashed. */
static void hash_pairs(const pleach__hash_form *form, const uint8_t *in, size_t stride, size_t n, uint8_t *out)
{
    const size_t full = n / LANES, groups = (n + LANES - 1) / LANES;
    const uint32_t prefix = (uint32_t)form->prefix;
    uint8_t buffer[LANES * 64];
    vec m[16], s[8];
    if (n == 0)
        return;
    if (groups > full)
        pad(buffer, in + full * LANES * stride, 64, stride, n % LANES);
    load_rows(full > 0 ? rows_flat(in, stride) : rows_flat(buffer, 64), m);
    for (size_t g = 0; g < groups; g++) {
        const bool last = g + 1 == groups;
        const lane_rows next = g + 1 < full ? rows_flat(in + (g + 1) * LANES * stride, stride) : rows_flat(buffer, 64);
        if (prefixed(form))
            last ? pleach__sha256_x16_prefixed(m, s, &prefix)
                 : pleach__sha256_x16_prefixed_next(m, s, &prefix, next, m);
        else
            last ? pleach__sha256_x16_pair(m, s) : pleach__sha256_x16_pair_next(m, s, next, m);
        if (form->twice)
            pleach__sha256_x16_digest(s, s);
        store_some(s, g < full ? LANES : n % LANES, out + g * LANES * PLEACH_DIGEST_SIZE);
    }
}

/* Inputs 2j and 2j + 1 of 32 bytes. */
INLINE vec load_two(const uint8_t *in, size_t stride, size_t j)
{
    const __m256i *first = (const void *)(in + 2 * j * stride), *second = (const void *)(in + (2 * j + 1) * stride);
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256(first)), _mm256_loadu_si256(second), 1);
}

/* Eight words of sixteen inputs of 32 bytes, in the lanes of rows_flat. */
INLINE void load_rows32(const uint8_t *in, size_t stride, vec m[8])
{
    const vec byte_swap = BYTE_SWAP_MASK;
#define TWO(in, j) BYTE_SWAP(load_two(in, stride, j))
    vec w0, w1, w2, w3, w4, w5, w6, w7;
    LOAD_QUAD(TWO, in, 0, w0, w1, w2, w3);
    LOAD_QUAD(TWO, in, 4, w4, w5, w6, w7);
#undef TWO
    QUAD(w0, w1, w2, w3);
    QUAD(w4, w5, w6, w7);
    UNPACK128(w0, w4);
    UNPACK128(w1, w5);
    UNPACK128(w2, w6);
    UNPACK128(w3, w7);
    const vec words[8] = {w0, w1, w2, w3, w4, w5, w6, w7};
    memcpy(m, words, sizeof words);
}

/* n inputs of 32 bytes, 1 <= n <= 16. */
static void hash_group32(const pleach__hash_form *form, const uint8_t *in, size_t stride, size_t n, vec s[8])
{
    const uint32_t prefix = (uint32_t)form->prefix;
    uint8_t buffer[LANES * 32];
    vec m[8];
    if (n < LANES) {
        pad(buffer, in, 32, stride, n);
        load_rows32(buffer, 32, m);
    } else {
        load_rows32(in, stride, m);
    }
    if (prefixed(form))
        pleach__sha256_x16_prefixed32(m, s, &prefix);
    else
        pleach__sha256_x16_digest(m, s);
}

static void hash_group_any(const pleach__sha256_message *message, const uint8_t *in, size_t stride, size_t n, vec s[8])
{
    const uint8_t *row[LANES];
    for (unsigned l = 0; l < LANES; l++) {
        const size_t input = flat_input(l);
        row[l] = in + (input < n ? input : n - 1) * stride;
    }
    pleach__sha256_x16_any(message, row, s);
}

static void hash_groups(const pleach__hash_form *form, const uint8_t *in, size_t stride, size_t n, uint8_t *out)
{
    pleach__sha256_message message;
    if (form->size != 32)
        pleach__sha256_cut(&message, form);
    while (n > 0) {
        const size_t group = n < LANES ? n : LANES;
        vec s[8];
        if (form->size == 32)
            hash_group32(form, in, stride, group, s);
        else
            hash_group_any(&message, in, stride, group, s);
        if (form->twice)
            pleach__sha256_x16_digest(s, s);
        store_some(s, group, out);
        in += group * stride;
        out += group * PLEACH_DIGEST_SIZE;
        n -= group;
    }
}

static size_t largest_for_shani(const pleach__hash_form *form)
{
    if (form->size == 64)
        return prefixed(form) ? PREFIXED_SHANI : form->twice ? DOUBLE_SHANI : PAIRS_SHANI;
    return form->size == 32 ? SHORT_SHANI : ANY_SHANI;
}

static void hash_many(const pleach__hash_plan *plan, const uint8_t *in, size_t stride, size_t n, uint8_t *out)
{
    const pleach__hash_form *form = &plan->form;
    size_t rest = n % LANES;
    const bool shani = pleach__cpu_features()->sha_ni && rest <= largest_for_shani(form);
    const bool eight = form->size == 64 && !prefixed(form) && !form->twice && rest <= PAIRS_X8;
    if (!shani && !eight)
        rest = 0;
    n -= rest;
    if (form->size == 64)
        hash_pairs(form, in, stride, n, out);
    else
        hash_groups(form, in, stride, n, out);
    _mm256_zeroupper();
    if (rest == 0)
        return;
    in += n * stride;
    out += n * PLEACH_DIGEST_SIZE;
    if (shani)
        pleach__sha256_shani.hash_many(plan, in, stride, rest, out);
    else
        pleach__sha256_x8_pairs(in, stride, rest, out);
}

static void hash_list(const pleach__list *list)
{
    const pleach__hash_form *form = &list->plan->form;
    const bool sha_ni = pleach__cpu_features()->sha_ni;
    const size_t singles = sha_ni ? ANY_SHANI : 1;
    pleach__list left = *list;
    while (left.n > singles) {
        const size_t group = left.n < LANES ? left.n : LANES;
        const pleach_input *in[LANES];
        vec s[8];
        uint8_t digests[LANES * PLEACH_DIGEST_SIZE];
        for (unsigned l = 0; l < LANES; l++) {
            const size_t input = flat_input(l);
            in[l] = &left.inputs[left.order[input < group ? input : group - 1]];
        }
        pleach__sha256_x16_listed(form, in, s);
        if (form->twice)
            pleach__sha256_x16_digest(s, s);
        store_flat(s, digests);
        pleach__list_store(&left, digests, group);
        left = pleach__list_rest(&left, group);
    }
    _mm256_zeroupper();
    if (sha_ni)
        pleach__sha256_shani.hash_list(&left);
    else
        pleach__list_singly(&left, &pleach__sha256_portable);
}

static bool usable(const pleach__cpu *cpu)
{
    return cpu->avx512 && cpu->avx512_vbmi2;
}

const pleach__backend pleach__sha256_avx512 = {
    .name = "avx512",
    .needs = "AVX-512 F, BW, VL, DQ, VBMI2",
    .lanes = LANES,
    .usable = usable,
    .hash_many = hash_many,
    .fold = pleach__sha256_x16_fold,
    .hash_list = hash_list,
};
