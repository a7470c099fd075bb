#include "kernels/sha256/x86_avx512.h"

/* The chaining value after a block that began at the initial value: into a .. h, and into s for the next block's end.
 */
#define CHAIN_FROM_IV(iv, s)                    \
    do {                                        \
        (s)[0] = a = V_ADD(a, V_ALL((iv) + 0)); \
        (s)[1] = b = V_ADD(b, V_ALL((iv) + 1)); \
        (s)[2] = c = V_ADD(c, V_ALL((iv) + 2)); \
        (s)[3] = d = V_ADD(d, V_ALL((iv) + 3)); \
        (s)[4] = e = V_ADD(e, V_ALL((iv) + 4)); \
        (s)[5] = f = V_ADD(f, V_ALL((iv) + 5)); \
        (s)[6] = g = V_ADD(g, V_ALL((iv) + 6)); \
        (s)[7] = h = V_ADD(h, V_ALL((iv) + 7)); \
    } while (0)

/*
 * Rounds with other work woven in. A transpose by itself keeps one port busy and leaves the other idle; between rounds
 * whose words need no registers it fills gaps. LOAD(l, r0, r1, r2, r3) brings vectors l .. l + 3 of the transpose,
 * PUT(i, a, b, c, d) takes away its results i, 4 + i, 8 + i, 12 + i.
 */
#define CONST_ROUND(role, kw) role(ROUND_CONST, (kw))
#define SUM_ROUND(role, x)    role(ROUND_SUM, (x)[0])

/* Sixteen rounds, four shuffles after each. */
#define WEAVE16(ONE, x, LOAD, PUT)    \
    do {                              \
        LOAD(0, w0, w1, w2, w3);      \
        ONE(ROLE0, x);                \
        QUAD_1(w0, w1, w2, w3);       \
        LOAD(4, w4, w5, w6, w7);      \
        ONE(ROLE1, (x) + 1);          \
        QUAD_2(w0, w1, w2, w3);       \
        ONE(ROLE2, (x) + 2);          \
        QUAD_1(w4, w5, w6, w7);       \
        LOAD(8, w8, w9, w10, w11);    \
        ONE(ROLE3, (x) + 3);          \
        QUAD_2(w4, w5, w6, w7);       \
        ONE(ROLE4, (x) + 4);          \
        QUAD_1(w8, w9, w10, w11);     \
        LOAD(12, w12, w13, w14, w15); \
        ONE(ROLE5, (x) + 5);          \
        QUAD_2(w8, w9, w10, w11);     \
        ONE(ROLE6, (x) + 6);          \
        QUAD_1(w12, w13, w14, w15);   \
        ONE(ROLE7, (x) + 7);          \
        QUAD_2(w12, w13, w14, w15);   \
        ONE(ROLE0, (x) + 8);          \
        QUARTERS_1(w0, w4, w8, w12);  \
        ONE(ROLE1, (x) + 9);          \
        QUARTERS_2(w0, w4, w8, w12);  \
        PUT(0, w0, w4, w8, w12);      \
        ONE(ROLE2, (x) + 10);         \
        QUARTERS_1(w1, w5, w9, w13);  \
        ONE(ROLE3, (x) + 11);         \
        QUARTERS_2(w1, w5, w9, w13);  \
        PUT(1, w1, w5, w9, w13);      \
        ONE(ROLE4, (x) + 12);         \
        QUARTERS_1(w2, w6, w10, w14); \
        ONE(ROLE5, (x) + 13);         \
        QUARTERS_2(w2, w6, w10, w14); \
        PUT(2, w2, w6, w10, w14);     \
        ONE(ROLE6, (x) + 14);         \
        QUARTERS_1(w3, w7, w11, w15); \
        ONE(ROLE7, (x) + 15);         \
        QUARTERS_2(w3, w7, w11, w15); \
        PUT(3, w3, w7, w11, w15);     \
    } while (0)

/* Eight rounds, eight shuffles after each. */
#define WEAVE8(ONE, x, LOAD, PUT)     \
    do {                              \
        LOAD(0, w0, w1, w2, w3);      \
        ONE(ROLE0, x);                \
        QUAD(w0, w1, w2, w3);         \
        LOAD(4, w4, w5, w6, w7);      \
        ONE(ROLE1, (x) + 1);          \
        QUAD(w4, w5, w6, w7);         \
        LOAD(8, w8, w9, w10, w11);    \
        ONE(ROLE2, (x) + 2);          \
        QUAD(w8, w9, w10, w11);       \
        LOAD(12, w12, w13, w14, w15); \
        ONE(ROLE3, (x) + 3);          \
        QUAD(w12, w13, w14, w15);     \
        ONE(ROLE4, (x) + 4);          \
        QUARTERS(w0, w4, w8, w12);    \
        PUT(0, w0, w4, w8, w12);      \
        ONE(ROLE5, (x) + 5);          \
        QUARTERS(w1, w5, w9, w13);    \
        PUT(1, w1, w5, w9, w13);      \
        ONE(ROLE6, (x) + 6);          \
        QUARTERS(w2, w6, w10, w14);   \
        PUT(2, w2, w6, w10, w14);     \
        ONE(ROLE7, (x) + 7);          \
        QUARTERS(w3, w7, w11, w15);   \
        PUT(3, w3, w7, w11, w15);     \
    } while (0)

/* Rows of the next message, to `next`. */
#define PUT_NEXT(i, a, b, c, d) PUT4(next, i, a, b, c, d)

/* The message, which is two digests a lane, to its places. */
#define DIGEST(m, l)                    BYTE_SWAP((m)[l])
#define LOAD_DIGESTS(l, r0, r1, r2, r3) LOAD_QUAD(DIGEST, m, l, r0, r1, r2, r3)
#define PUT_PLACE(i, x)                 _mm512_storeu_si512(to.p + (i)*to.stride, x)
#define PUT_PLACES(i, a, b, c, d) \
    do {                          \
        PUT_PLACE(i, a);          \
        PUT_PLACE((i) + 4, b);    \
        PUT_PLACE((i) + 8, c);    \
        PUT_PLACE((i) + 12, d);   \
    } while (0)

/* Stores go to lines that are not in the cache when a tree is large; asked for a block ahead, they do not stall. */
INLINE void prefetch_places(places to)
{
    for (size_t l = 0; l < LANES; l++)
        __builtin_prefetch(to.p + l * to.stride, 1, 3);
}

/*
 * 64 bytes: 1598 operations for the first block, 1024 for the padding block, 16 for the two chaining values. The last
 * rounds of the padding block come after these, eight at a time.
 */
#define PAIR_TABLES                      \
    HIDDEN(k, pleach__sha256_k);         \
    HIDDEN(start, pleach__sha256_start); \
    HIDDEN(iv, pleach__sha256_iv);       \
    HIDDEN(kw, pleach__sha256_known64)
#define PAIR_ROUNDS(times)                         \
    do {                                           \
        FIRST4(start, iv);                         \
        REST60(k);                                 \
        CHAIN_FROM_IV(iv, out);                    \
        for (int i = 0; i < (times); i++, kw += 8) \
            CONST8(kw);                            \
    } while (0)

void pleach__sha256_x16_pair(const vec m[16], vec out[8])
{
    PAIR_TABLES;
    V_STATE;
    vec WORDS(m);
    PAIR_ROUNDS(8);
    CHAIN(out);
}

void pleach__sha256_x16_pair_next(const vec m[16], vec out[8], lane_rows rows, vec next[16])
{
    PAIR_TABLES;
    const vec byte_swap = BYTE_SWAP_MASK;
    V_STATE;
    vec WORDS(m);
    PAIR_ROUNDS(7);
    WEAVE8(CONST_ROUND, kw, LOAD_ROWS, PUT_NEXT);
    CHAIN(out);
}

void pleach__sha256_x16_pair_store(const vec m[16], vec out[8], places to)
{
    PAIR_TABLES;
    const vec byte_swap = BYTE_SWAP_MASK;
    prefetch_places(to);
    V_STATE;
    vec WORDS(m);
    PAIR_ROUNDS(7);
    WEAVE8(CONST_ROUND, kw, LOAD_DIGESTS, PUT_PLACES);
    CHAIN(out);
}

/*
 * 65 bytes: the words shifted by one byte, one operation a word, then a block of which one byte varies. K + W of its
 * rounds 16 .. 63 is a row of a table: transposing sixteen rows costs 4 operations a word, computing the schedule costs
 * 8.4 on average even when all that is constant is left out, and the sum with K comes on top.
 */
#define SHIFT_BYTE(before, x) _mm512_shrdi_epi32(x, before, 8)
#define SHIFTED_WORDS(m)                                                                                      \
    w0 = SHIFT_BYTE(V_ALL(prefix), (m)[0]), w1 = SHIFT_BYTE((m)[0], (m)[1]), w2 = SHIFT_BYTE((m)[1], (m)[2]), \
    w3 = SHIFT_BYTE((m)[2], (m)[3]), w4 = SHIFT_BYTE((m)[3], (m)[4]), w5 = SHIFT_BYTE((m)[4], (m)[5]),        \
    w6 = SHIFT_BYTE((m)[5], (m)[6]), w7 = SHIFT_BYTE((m)[6], (m)[7])

/* Four table rows, chosen by the last bytes of lanes l .. l + 3. */
#define TABLE_ROW(at, l)                _mm512_load_si512((const char *)table + 192 * last_byte[4 * (l)] + (at))
#define LOAD_TABLE_0(l, r0, r1, r2, r3) LOAD_QUAD(TABLE_ROW, 0, l, r0, r1, r2, r3)
#define LOAD_TABLE_1(l, r0, r1, r2, r3) LOAD_QUAD(TABLE_ROW, 64, l, r0, r1, r2, r3)
#define LOAD_TABLE_2(l, r0, r1, r2, r3) LOAD_QUAD(TABLE_ROW, 128, l, r0, r1, r2, r3)
#define PUT_TABLE_0(i, a, b, c, d)      PUT4(x, i, a, b, c, d)
#define PUT_TABLE_1(i, a, b, c, d)      PUT4(x + 16, i, a, b, c, d)
#define PUT_TABLE_2(i, a, b, c, d)      PUT4(x + 32, i, a, b, c, d)

/* All but the last sixteen rounds, whose K + W are x[32] .. x[47] then. Byte 4 * l of last_byte is that of lane l. */
#define PREFIXED_BODY                                                                                              \
    HIDDEN(k, pleach__sha256_k);                                                                                   \
    HIDDEN(start, pleach__sha256_start);                                                                           \
    HIDDEN(iv, pleach__sha256_iv);                                                                                 \
    HIDDEN(first, pleach__sha256_known65);                                                                         \
    HIDDEN(table, pleach__sha256_rows65[0]);                                                                       \
    vec last = m[15], x[48];                                                                                       \
    const uint8_t *last_byte = (const uint8_t *)(m + 15);                                                          \
    __asm__("" : "+r"(last_byte)); /* loads, not extractions from a vector register */                             \
    V_STATE;                                                                                                       \
    vec SHIFTED_WORDS(m), w8 = SHIFT_BYTE(m[7], m[8]), w9 = SHIFT_BYTE(m[8], m[9]), w10 = SHIFT_BYTE(m[9], m[10]), \
                          w11 = SHIFT_BYTE(m[10], m[11]), w12 = SHIFT_BYTE(m[11], m[12]),                          \
                          w13 = SHIFT_BYTE(m[12], m[13]), w14 = SHIFT_BYTE(m[13], m[14]),                          \
                          w15 = SHIFT_BYTE(m[14], m[15]);                                                          \
    FIRST4(start, iv);                                                                                             \
    REST60(k);                                                                                                     \
    CHAIN_FROM_IV(iv, out);                                                                                        \
    h = V_ADD(h, _mm512_slli_epi32(last, 24));                                                                     \
    WEAVE16(CONST_ROUND, first, LOAD_TABLE_0, PUT_TABLE_0);                                                        \
    WEAVE16(SUM_ROUND, x, LOAD_TABLE_1, PUT_TABLE_1);                                                              \
    WEAVE16(SUM_ROUND, x + 16, LOAD_TABLE_2, PUT_TABLE_2)

void pleach__sha256_x16_prefixed(const vec m[16], vec out[8], const uint32_t *prefix)
{
    PREFIXED_BODY;
    SUM8(x + 32);
    SUM8(x + 40);
    CHAIN(out);
}

void pleach__sha256_x16_prefixed_next(const vec m[16], vec out[8], const uint32_t *prefix, lane_rows rows, vec next[16])
{
    const vec byte_swap = BYTE_SWAP_MASK;
    PREFIXED_BODY;
    WEAVE16(SUM_ROUND, x + 32, LOAD_ROWS, PUT_NEXT);
    CHAIN(out);
}

void pleach__sha256_x16_prefixed_store(const vec m[16], vec out[8], const uint32_t *prefix, places to)
{
    const vec byte_swap = BYTE_SWAP_MASK;
    prefetch_places(to);
    PREFIXED_BODY;
    WEAVE16(SUM_ROUND, x + 32, LOAD_DIGESTS, PUT_PLACES);
    CHAIN(out);
}

void pleach__sha256_x16_prefixed_store_next(const vec m[16], vec out[8], const uint32_t *prefix, places to,
                                            lane_rows rows, vec next[16])
{
    const vec byte_swap = BYTE_SWAP_MASK;
    prefetch_places(to);
    PREFIXED_BODY;
    WEAVE8(SUM_ROUND, x + 32, LOAD_DIGESTS, PUT_PLACES);
    WEAVE8(SUM_ROUND, x + 40, LOAD_ROWS, PUT_NEXT);
    CHAIN(out);
}

/*
 * Messages of one block with 32 bytes of input. Words 9 .. 14 are zero and word 15 is the length, so much of words
 * 16 .. 31 is constant or missing. con is pleach__sha256_short32 or pleach__sha256_short33.
 */
#define V_SIGMA0(x) V_XOR3(V_ROR(x, 7), V_ROR(x, 18), V_SHR(x, 3))
#define V_SIGMA1(x) V_XOR3(V_ROR(x, 17), V_ROR(x, 19), V_SHR(x, 10))
#define PLUS(w, x)  DO(w, V_ADD(w, x))

#define FIRST8(k, start, iv)            \
    do {                                \
        FIRST4(start, iv);              \
        ROLE4(ROUND_WORD, (k) + 4, w4); \
        ROLE5(ROUND_WORD, (k) + 5, w5); \
        ROLE6(ROUND_WORD, (k) + 6, w6); \
        ROLE7(ROUND_WORD, (k) + 7, w7); \
    } while (0)

/* Words 16 .. 22 into w0 .. w6, with their rounds. */
#define SHORT_16_TO_22(k, con)           \
    do {                                 \
        PLUS(w0, V_SIGMA0(w1));          \
        ROLE0(ROUND_WORD, (k) + 16, w0); \
        PLUS(w1, V_SIGMA0(w2));          \
        PLUS(w1, V_ALL(con));            \
        ROLE1(ROUND_WORD, (k) + 17, w1); \
        PLUS(w2, V_SIGMA0(w3));          \
        PLUS(w2, V_SIGMA1(w0));          \
        ROLE2(ROUND_WORD, (k) + 18, w2); \
        PLUS(w3, V_SIGMA0(w4));          \
        PLUS(w3, V_SIGMA1(w1));          \
        ROLE3(ROUND_WORD, (k) + 19, w3); \
        PLUS(w4, V_SIGMA0(w5));          \
        PLUS(w4, V_SIGMA1(w2));          \
        ROLE4(ROUND_WORD, (k) + 20, w4); \
        PLUS(w5, V_SIGMA0(w6));          \
        PLUS(w5, V_SIGMA1(w3));          \
        ROLE5(ROUND_WORD, (k) + 21, w5); \
        PLUS(w6, V_ALL((con) + 1));      \
        PLUS(w6, V_SIGMA0(w7));          \
        PLUS(w6, V_SIGMA1(w4));          \
        ROLE6(ROUND_WORD, (k) + 22, w6); \
    } while (0)

/* Words 25 .. 31 into w9 .. w15, with their rounds, and the next w0. */
#define SHORT_25_TO_31(k, con)                             \
    do {                                                   \
        DO(w9, V_ADD(w2, V_SIGMA1(w7)));                   \
        ROLE1(ROUND_WORD, (k) + 25, w9);                   \
        DO(w10, V_ADD(w3, V_SIGMA1(w8)));                  \
        ROLE2(ROUND_WORD, (k) + 26, w10);                  \
        DO(w11, V_ADD(w4, V_SIGMA1(w9)));                  \
        ROLE3(ROUND_WORD, (k) + 27, w11);                  \
        DO(w12, V_ADD(w5, V_SIGMA1(w10)));                 \
        ROLE4(ROUND_WORD, (k) + 28, w12);                  \
        DO(w13, V_ADD(w6, V_SIGMA1(w11)));                 \
        ROLE5(ROUND_WORD, (k) + 29, w13);                  \
        DO(w14, V_ADD(w7, V_ALL((con) + 2)));              \
        PLUS(w14, V_SIGMA1(w12));                          \
        ROLE6(ROUND_WORD, (k) + 30, w14);                  \
        DO(w15, V_ADD(w8, V_ALL((con) + 1)));              \
        PLUS(w15, V_SIGMA0(w0));                           \
        PLUS(w15, V_SIGMA1(w13));                          \
        ROLE7(ROUND_NEXT, (k) + 31, w15, w0, w1, w9, w14); \
    } while (0)

/* 1553 operations. */
void pleach__sha256_x16_prefixed32(const vec m[8], vec out[8], const uint32_t *prefix)
{
    HIDDEN(k, pleach__sha256_k);
    HIDDEN(start, pleach__sha256_start);
    HIDDEN(iv, pleach__sha256_iv);
    HIDDEN(kw, pleach__sha256_short_k33);
    HIDDEN(con, pleach__sha256_short33);
    V_STATE;
    vec SHIFTED_WORDS(m), w8 = SHIFT_BYTE(m[7], V_ALL(con + 3)), w9, w10, w11, w12, w13, w14, w15;
    FIRST8(k, start, iv);
    ROLE0(ROUND_WORD, k + 8, w8);
    ROLE1(ROUND_CONST, kw);
    ROLE2(ROUND_CONST, kw + 1);
    ROLE3(ROUND_CONST, kw + 2);
    ROLE4(ROUND_CONST, kw + 3);
    ROLE5(ROUND_CONST, kw + 4);
    ROLE6(ROUND_CONST, kw + 5);
    ROLE7(ROUND_CONST, kw + 6);
    SHORT_16_TO_22(k, con);
    PLUS(w7, V_SIGMA0(w8));
    PLUS(w7, w0);
    PLUS(w7, V_SIGMA1(w5));
    ROLE7(ROUND_WORD, k + 23, w7);
    PLUS(w8, w1);
    PLUS(w8, V_SIGMA1(w6));
    ROLE0(ROUND_WORD, k + 24, w8);
    SHORT_25_TO_31(k, con);
    LAST32(k);
    CHAIN_FROM_IV(iv, out);
}

/* 1539 operations. */
void pleach__sha256_x16_digest(const vec m[8], vec out[8])
{
    HIDDEN(k, pleach__sha256_k);
    HIDDEN(start, pleach__sha256_start);
    HIDDEN(iv, pleach__sha256_iv);
    HIDDEN(kw, pleach__sha256_short_k32);
    HIDDEN(con, pleach__sha256_short32);
    V_STATE;
    vec w0 = m[0], w1 = m[1], w2 = m[2], w3 = m[3], w4 = m[4], w5 = m[5], w6 = m[6], w7 = m[7];
    vec w8, w9, w10, w11, w12, w13, w14, w15;
    FIRST8(k, start, iv);
    CONST8(kw);
    SHORT_16_TO_22(k, con);
    PLUS(w7, V_ALL(con + 4));
    PLUS(w7, w0);
    PLUS(w7, V_SIGMA1(w5));
    ROLE7(ROUND_WORD, k + 23, w7);
    DO(w8, V_ADD(w1, V_ALL(con + 3)));
    PLUS(w8, V_SIGMA1(w6));
    ROLE0(ROUND_WORD, k + 24, w8);
    SHORT_25_TO_31(k, con);
    LAST32(k);
    CHAIN_FROM_IV(iv, out);
}
