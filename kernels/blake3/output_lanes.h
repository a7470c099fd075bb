/* The output of roots, one block to a lane: as bytes, word by word, or added to the state of LtHash. */
#ifndef PLEACH_BLAKE3_OUTPUT_LANES_H
#define PLEACH_BLAKE3_OUTPUT_LANES_H

#include "kernels/blake3/subtrees.h"
#include "kernels/blake3/xof.h"

enum { GROUP = PLEACH__BLAKE3_GROUP, LTHASH_BLOCKS = PLEACH__LTHASH_WORDS / 16 };

/* In the rounds below a message word is the same in every lane. An instruction set that adds one word of memory to all
   lanes need not spread it. */
#undef VEC_ADD_WORD
#ifdef VEC_ADD_SPLAT
typedef uint32_t shared_word;
#define SHARED_WORD(word)     (word)
#define VEC_ADD_WORD(a, m, i) VEC_ADD_SPLAT(a, (m)[i])
#else
typedef vec shared_word;
#define SHARED_WORD(word)     VEC_SPLAT(word)
#define VEC_ADD_WORD(a, m, i) VEC_ADD_MEMORY(a, (m)[i])
#endif

/* What the blocks of output of one root have in common. */
typedef struct xof_common {
    shared_word message[16];
    xof_start start;
} xof_common;

INLINE void xof_begin(xof_common *x, const pleach__blake3_root *root, uint64_t first)
{
#define SHARE(i) x->message[i] = SHARED_WORD(root->block[i])
    SHARE(0), SHARE(1), SHARE(2), SHARE(3), SHARE(4), SHARE(5), SHARE(6), SHARE(7);
    SHARE(8), SHARE(9), SHARE(10), SHARE(11), SHARE(12), SHARE(13), SHARE(14), SHARE(15);
#undef SHARE
    xof_prepare(&x->start, root, (uint32_t)(first >> 32));
}

/* The state of the lanes whose counters are in vc, after three rounds and after all. */
#define XOF_ROUNDS_0_TO_2(s, m)   \
    do {                          \
        BLAKE3_XOF_ROUND_0(s, m); \
        BLAKE3_ROUND_1(m);        \
        BLAKE3_ROUND_2(m);        \
    } while (0)
#define XOF_ROUNDS_3_TO_6(m) \
    do {                     \
        BLAKE3_ROUND_3(m);   \
        BLAKE3_ROUND_4(m);   \
        BLAKE3_ROUND_5(m);   \
        BLAKE3_ROUND_6(m);   \
    } while (0)

/* put(w, x): x is word w of each lane's block. */
#define XOF_OUTPUT(s, put)                         \
    do {                                           \
        put(0, VEC_XOR(v0, v8));                   \
        put(1, VEC_XOR(v1, v9));                   \
        put(2, VEC_XOR(v2, va));                   \
        put(3, VEC_XOR(v3, vb));                   \
        put(4, VEC_XOR(v4, vc));                   \
        put(5, VEC_XOR(v5, vd));                   \
        put(6, VEC_XOR(v6, ve));                   \
        put(7, VEC_XOR(v7, vf));                   \
        put(8, VEC_XOR(v8, VEC_SPLAT(s->cv[0])));  \
        put(9, VEC_XOR(v9, VEC_SPLAT(s->cv[1])));  \
        put(10, VEC_XOR(va, VEC_SPLAT(s->cv[2]))); \
        put(11, VEC_XOR(vb, VEC_SPLAT(s->cv[3]))); \
        put(12, VEC_XOR(vc, VEC_SPLAT(s->cv[4]))); \
        put(13, VEC_XOR(vd, VEC_SPLAT(s->cv[5]))); \
        put(14, VEC_XOR(ve, VEC_SPLAT(s->cv[6]))); \
        put(15, VEC_XOR(vf, VEC_SPLAT(s->cv[7]))); \
    } while (0)

/* Lane l gets block `first` + numbers[l]; the upper halves of all these are that of xof_begin(). */
__attribute__((noinline)) static void xof_lanes(const xof_common *x, uint64_t first, const uint32_t *numbers,
                                                lanes out[2])
{
    const xof_start *s = &x->start;
    const shared_word *m = x->message;
    vec v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, va, vb, vc, vd, ve, vf;
    memcpy(&vc, numbers, sizeof vc);
    VEC_ADD(vc, VEC_SPLAT(first));
    XOF_ROUNDS_0_TO_2(s, m);
    XOF_ROUNDS_3_TO_6(m);
#define PUT(w, x) out[(w) / 8].word[(w) % 8] = (x)
    XOF_OUTPUT(s, PUT);
#undef PUT
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
    VEC_LEAVE();
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

static const uint32_t in_order[LTHASH_BLOCKS] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                                 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

static void xof_groups(const pleach__blake3_root *root, uint64_t first, size_t groups, uint32_t *words)
{
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
    VEC_LEAVE();
}

/* One step of adding roots to a state. */
typedef struct lthash_step {
    const xof_common *now;
    const uint32_t *numbers; /* of the lanes' blocks */
    uint32_t *state;         /* where word 0 of the first of these is */
    bool subtract;
    const pleach__blake3_root *next; /* prepared in next_x, if there is one */
    xof_common *next_x;
} lthash_step;

/*
 * What the first round of the next root begins with is computed between the rounds of this one, where scalar
 * instructions find their ports idle. One pointer to everything costs fewer registers across the rounds than its parts.
 */
__attribute__((noinline)) static void lthash_lanes(const lthash_step *to)
{
    const xof_start *s = &to->now->start;
    const shared_word *m = to->now->message;
    vec v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, va, vb, vc, vd, ve, vf, limbs;
    memcpy(&vc, to->numbers, sizeof vc);
    XOF_ROUNDS_0_TO_2(s, m);
    if (to->next)
        xof_begin(to->next_x, to->next, 0);
    XOF_ROUNDS_3_TO_6(m);
    uint32_t *state = to->state;
#define PUT_BY(combine, w, x)                              \
    do {                                                   \
        memcpy(&limbs, state + GROUP * (w), sizeof limbs); \
        limbs = combine(limbs, x);                         \
        memcpy(state + GROUP * (w), &limbs, sizeof limbs); \
    } while (0)
#define ADD(w, x)      PUT_BY(VEC_ADD_LIMBS, w, x)
#define SUBTRACT(w, x) PUT_BY(VEC_SUBTRACT_LIMBS, w, x)
    if (to->subtract)
        XOF_OUTPUT(s, SUBTRACT);
    else
        XOF_OUTPUT(s, ADD);
#undef SUBTRACT
#undef ADD
#undef PUT_BY
}

static void lthash(const pleach__blake3_root *roots, size_t n, bool subtract, uint32_t state[PLEACH__LTHASH_WORDS])
{
    xof_common x[2];
    lthash_step to = {.subtract = subtract};
    if (n > 0)
        xof_begin(&x[0], roots, 0);
    for (size_t i = 0; i < n; i++) {
        to.now = &x[i % 2];
        to.next_x = &x[(i + 1) % 2];
        for (size_t block = 0; block < LTHASH_BLOCKS; block += LANES) {
            to.numbers = in_order + block;
            to.state = state + 16 * (block - block % GROUP) + block % GROUP;
            to.next = block + LANES == LTHASH_BLOCKS && i + 1 < n ? &roots[i + 1] : NULL;
            lthash_lanes(&to);
        }
    }
    VEC_LEAVE();
}

#endif
