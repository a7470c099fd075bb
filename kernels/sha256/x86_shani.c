/*
 * SHA-256 with SHA-NI, messages interleaved: one alone waits for the latency of sha256rnds2, each depending on the one
 * before. Compiled without AVX: legacy-encoded instructions are slow while the upper halves of the vector registers are
 * dirty, so no code here may touch those.
 */
#include "kernels/sha256/sha256.h"
#include "kernels/sha256/tables.h"

#include <immintrin.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum { LANES = 2 };

/* In the order of the instructions. */
typedef struct state {
    __m128i abef, cdgh;
} state;

/* The four vectors of a block. */
typedef struct words {
    __m128i v[4];
} words;

/* The address made opaque, or clang keeps the table's words in the registers that the states need, or on the stack. */
INLINE const uint32_t *hidden(const uint32_t *table)
{
    __asm__ volatile("" : "+r"(table));
    return table;
}

INLINE __m128i load16(const void *p)
{
    return _mm_loadu_si128(p);
}

INLINE __m128i swap_bytes(__m128i x)
{
    return _mm_shuffle_epi8(x, _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));
}

INLINE state initial(void)
{
    __m128i badc = _mm_shuffle_epi32(load16(pleach__sha256_iv), 0xb1);
    __m128i hgfe = _mm_shuffle_epi32(load16(pleach__sha256_iv + 4), 0x1b);
    return (state){_mm_alignr_epi8(badc, hgfe, 8), _mm_blend_epi16(hgfe, badc, 0xf0)};
}

INLINE void unpack(state s, __m128i *abcd, __m128i *efgh)
{
    __m128i feba = _mm_shuffle_epi32(s.abef, 0x1b), dchg = _mm_shuffle_epi32(s.cdgh, 0xb1);
    *abcd = _mm_blend_epi16(feba, dchg, 0xf0);
    *efgh = _mm_alignr_epi8(dchg, feba, 8);
}

INLINE state plus(state x, state y)
{
    return (state){_mm_add_epi32(x.abef, y.abef), _mm_add_epi32(x.cdgh, y.cdgh)};
}

/* Rounds 4t .. 4t + 3 of a message; v becomes words 4t .. 4t + 3 in place of those of 16 rounds before. */
INLINE void four_rounds(state *s, __m128i *v, const uint32_t *k, int t)
{
    if (t >= 4) {
        __m128i x = _mm_sha256msg1_epu32(v[t & 3], v[(t + 1) & 3]);
        x = _mm_add_epi32(x, _mm_alignr_epi8(v[(t + 3) & 3], v[(t + 2) & 3], 4));
        v[t & 3] = _mm_sha256msg2_epu32(x, v[(t + 3) & 3]);
    }
    __m128i kw = _mm_add_epi32(v[t & 3], _mm_load_si128((const void *)(k + 4 * t)));
    s->cdgh = _mm_sha256rnds2_epu32(s->cdgh, s->abef, kw);
    s->abef = _mm_sha256rnds2_epu32(s->abef, s->cdgh, _mm_shuffle_epi32(kw, 0x0e));
}

/* The same with K + W at p: each instruction loads its own two words, so there are no message instructions or shuffles.
 */
INLINE void four_known_rounds(state *s, const uint32_t *p, uint32_t first_word)
{
    __m128i low = _mm_loadl_epi64((const void *)p), high = _mm_loadl_epi64((const void *)(p + 2));
    low = _mm_add_epi32(low, _mm_cvtsi32_si128((int)first_word));
    s->cdgh = _mm_sha256rnds2_epu32(s->cdgh, s->abef, low);
    s->abef = _mm_sha256rnds2_epu32(s->abef, s->cdgh, high);
}

/*
 * Sixteen steps of each of the n messages in turn. Spelled out: unrolled loops leave the arrays in memory. The empty
 * asm keeps the messages side by side: clang would hash one after the other to save registers.
 */
#define STEP(step, t)   \
    do {                \
        step(0, t);     \
        if (n > 1) {    \
            step(1, t); \
        }               \
    } while (0)
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
    const state chain[LANES] = {s[0], s[n - 1]};
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
    const state chain[LANES] = {s[0], s[n - 1]};
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
    w.v[0] = swap_bytes(_mm_alignr_epi8(load16(p), _mm_slli_si128(_mm_cvtsi32_si128(prefix), 15), 15));
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
        __m128i end = _mm_insert_epi16(_mm_srli_si128(load16(p + 16), 15), 0, 1);
        w[i].v[0] = swap_bytes(_mm_alignr_epi8(load16(p), _mm_slli_si128(_mm_cvtsi32_si128(c->prefix), 15), 15));
        w[i].v[1] = swap_bytes(load16(p + 15));
        w[i].v[2] = swap_bytes(_mm_or_si128(end, _mm_cvtsi32_si128(0x8000)));
        w[i].v[3] = _mm_setr_epi32(0, 0, 0, 33 * 8);
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
        w[i].v[2] = _mm_setr_epi32((int)0x80000000, 0, 0, 0);
        w[i].v[3] = _mm_setr_epi32(0, 0, 0, 32 * 8);
        s[i] = initial();
    }
    compress(s, w, n);
}

INLINE void store_digest(state s, uint8_t *out)
{
    __m128i abcd, efgh;
    unpack(s, &abcd, &efgh);
    _mm_storeu_si128((void *)out, swap_bytes(abcd));
    _mm_storeu_si128((void *)(out + 16), swap_bytes(efgh));
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
    for (; n > 0; n--, in += stride, out += PLEACH_DIGEST_SIZE)
        hash_group(hash, c, in, stride, out, 1);
}

/* The host may have left upper halves dirty. */
static void clean_upper_halves(void)
{
    if (pleach__cpu_features()->avx2)
        __asm__ volatile("vzeroupper");
}

static void hash_many(const pleach__hash_plan *plan, const uint8_t *in, size_t stride, size_t n, uint8_t *out)
{
    const pleach__hash_form *form = &plan->form;
    const bool prefixed = form->prefix != PLEACH__NO_PREFIX;
    common c;
    c.prefix = form->prefix;
    c.twice = form->twice;
    clean_upper_halves();
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

static void fold(const pleach__fold *work)
{
    pleach__fold_levels(work, &pleach__sha256_shani);
}

static void hash_list(const pleach__list *list)
{
    const pleach__hash_form *form = &list->plan->form;
    size_t i = 0;
    clean_upper_halves();
    for (; i + LANES <= list->n; i += LANES) {
        const uint16_t *order = list->order + i;
        const pleach_input *const in[LANES] = {&list->inputs[order[0]], &list->inputs[order[1]]};
        state s[LANES] = {initial(), initial()};
        hash_listed(form, s, in, LANES);
        if (form->twice)
            hash_again(s, LANES);
        store_digest(s[0], list->out + (size_t)PLEACH_DIGEST_SIZE * order[0]);
        store_digest(s[1], list->out + (size_t)PLEACH_DIGEST_SIZE * order[1]);
    }
    const pleach__list rest = pleach__list_rest(list, i);
    pleach__list_singly(&rest, &pleach__sha256_shani);
}

static bool usable(const pleach__cpu *cpu)
{
    return cpu->sha_ni && cpu->sse41;
}

const pleach__backend pleach__sha256_shani = {
    .name = "shani",
    .needs = "SHA-NI, SSE4.1",
    .lanes = LANES,
    .usable = usable,
    .hash_many = hash_many,
    .fold = fold,
    .hash_list = hash_list,
};
