/*
 * The rounds of SHA-256 for independent messages, one in each 32-bit lane of a vector; from FIPS 180-4.
 *
 * The including file first defines
 *   vec                       a vector of 32-bit words
 *   V_ADD(x, y)               lane-wise sum
 *   V_ROR(x, n), V_SHR(x, n)  rotation and shift right
 *   V_XOR3(x, y, z)           three-way exclusive or
 *   V_CH(e, f, g)             e ? f : g, bit by bit
 *   V_MAJ(x, a, b, c)         a statement: x = majority, bit by bit
 *   V_KEEP(b, c)              a statement: called before the first V_MAJ of a block; where majority is not one
 * operation, it is cheaper with b ^ c, which is a ^ b of the round before V_ALL(p)                  every lane = *p: a
 * load, so that it becomes a broadcasting memory operand V_PIN(x)                  an empty volatile asm statement that
 * reads and writes x, or nothing
 *
 * The macros work on variables a .. h and w0 .. w15 of the caller: gcc keeps arrays of vectors in memory.
 *
 * Why every result is pinned: a vector sum is an ordinary sum to gcc and clang, so both reassociate the seven terms of
 * a round and lengthen the chain from round to round; and both move operations about. Volatile asm statements keep
 * their order, so a pinned round comes out in the order written here, the same from both compilers, without spills. The
 * order itself was found by a hill climb on AVX-512 hardware: rotations run on one vector port only, and where they
 * stand decides how well the other operations are dealt out to the two ports.
 */
#ifndef PLEACH_SHA256_ROUNDS_H
#define PLEACH_SHA256_ROUNDS_H

#include "kernels/sha256/tables.h"

/*
 * The address of a constant table, made opaque. Otherwise the compiler knows the values, puts each into a general
 * register and broadcasts it from there: an operation on the shuffle port for every round.
 */
#define HIDDEN(name, table)       \
    const uint32_t *name = table; \
    __asm__("" : "+r"(name))

#define DO(x, value) \
    do {             \
        x = (value); \
        V_PIN(x);    \
    } while (0)

/* One round. add_k and add_w are statements that add K and W, or K + W, or nothing, to h. */
#define ROUND(a, b, c, d, e, f, g, h, add_k, add_w) \
    do {                                            \
        vec r25, r6, r11, ch, r2, r13, r22, maj;    \
        DO(r25, V_ROR(e, 25));                      \
        add_k;                                      \
        DO(r6, V_ROR(e, 6));                        \
        DO(ch, V_CH(e, f, g));                      \
        DO(r11, V_ROR(e, 11));                      \
        add_w;                                      \
        DO(h, V_ADD(h, ch));                        \
        DO(r25, V_XOR3(r25, r6, r11));              \
        DO(h, V_ADD(h, r25));                       \
        DO(d, V_ADD(d, h));                         \
        DO(r2, V_ROR(a, 2));                        \
        DO(r13, V_ROR(a, 13));                      \
        DO(r22, V_ROR(a, 22));                      \
        DO(r2, V_XOR3(r2, r13, r22));               \
        V_MAJ(maj, a, b, c);                        \
        DO(r2, V_ADD(r2, maj));                     \
        DO(h, V_ADD(h, r2));                        \
    } while (0)

/* 17 operations with a variable word w; 16 where K + W is a vector x or one constant; 15 where h holds K + W already.
 */
#define ROUND_WORD(a, b, c, d, e, f, g, h, k, w) \
    ROUND(a, b, c, d, e, f, g, h, DO(h, V_ADD(h, V_ALL(k))), DO(h, V_ADD(h, w)))
#define ROUND_SUM(a, b, c, d, e, f, g, h, x)    ROUND(a, b, c, d, e, f, g, h, DO(h, V_ADD(h, x)), )
#define ROUND_CONST(a, b, c, d, e, f, g, h, kw) ROUND(a, b, c, d, e, f, g, h, DO(h, V_ADD(h, V_ALL(kw))), )
#define ROUND_READY(a, b, c, d, e, f, g, h)     ROUND(a, b, c, d, e, f, g, h, , )

/* Round with word w that also makes the next word: w16 becomes w16 + s0(w15) + w7 + s1(w2). 28 operations. */
#define ROUND_NEXT(a, b, c, d, e, f, g, h, k, w, w16, w15, w7, w2)                 \
    do {                                                                           \
        vec r25, r6, r11, ch, r2, r13, r22, maj, p10, p17, p19, q7, q18, q3, word; \
        DO(r25, V_ROR(e, 25));                                                     \
        DO(p10, V_SHR(w2, 10));                                                    \
        DO(h, V_ADD(h, V_ALL(k)));                                                 \
        DO(r6, V_ROR(e, 6));                                                       \
        DO(ch, V_CH(e, f, g));                                                     \
        DO(r11, V_ROR(e, 11));                                                     \
        DO(h, V_ADD(h, w));                                                        \
        DO(h, V_ADD(h, ch));                                                       \
        DO(r25, V_XOR3(r25, r6, r11));                                             \
        DO(p17, V_ROR(w2, 17));                                                    \
        DO(h, V_ADD(h, r25));                                                      \
        DO(d, V_ADD(d, h));                                                        \
        DO(r2, V_ROR(a, 2));                                                       \
        DO(r13, V_ROR(a, 13));                                                     \
        DO(r22, V_ROR(a, 22));                                                     \
        DO(r2, V_XOR3(r2, r13, r22));                                              \
        DO(q7, V_ROR(w15, 7));                                                     \
        V_MAJ(maj, a, b, c);                                                       \
        DO(p19, V_ROR(w2, 19));                                                    \
        DO(r2, V_ADD(r2, maj));                                                    \
        DO(word, V_ADD(w16, w7));                                                  \
        DO(q18, V_ROR(w15, 18));                                                   \
        DO(h, V_ADD(h, r2));                                                       \
        DO(q3, V_SHR(w15, 3));                                                     \
        DO(q7, V_XOR3(q7, q18, q3));                                               \
        DO(word, V_ADD(word, q7));                                                 \
        DO(p17, V_XOR3(p17, p19, p10));                                            \
        DO(word, V_ADD(word, p17));                                                \
        w16 = word;                                                                \
    } while (0)

/* The eight roles of the variables a .. h: ROLEn(ROUND_..., arguments) is round n modulo 8. */
#define ROLE0(round, ...) round(a, b, c, d, e, f, g, h, __VA_ARGS__)
#define ROLE1(round, ...) round(h, a, b, c, d, e, f, g, __VA_ARGS__)
#define ROLE2(round, ...) round(g, h, a, b, c, d, e, f, __VA_ARGS__)
#define ROLE3(round, ...) round(f, g, h, a, b, c, d, e, __VA_ARGS__)
#define ROLE4(round, ...) round(e, f, g, h, a, b, c, d, __VA_ARGS__)
#define ROLE5(round, ...) round(d, e, f, g, h, a, b, c, __VA_ARGS__)
#define ROLE6(round, ...) round(c, d, e, f, g, h, a, b, __VA_ARGS__)
#define ROLE7(round, ...) round(b, c, d, e, f, g, h, a, __VA_ARGS__)

/* Eight rounds whose K + W are constants, or vectors. */
#define CONST8(kw)                    \
    do {                              \
        ROLE0(ROUND_CONST, (kw));     \
        ROLE1(ROUND_CONST, (kw) + 1); \
        ROLE2(ROUND_CONST, (kw) + 2); \
        ROLE3(ROUND_CONST, (kw) + 3); \
        ROLE4(ROUND_CONST, (kw) + 4); \
        ROLE5(ROUND_CONST, (kw) + 5); \
        ROLE6(ROUND_CONST, (kw) + 6); \
        ROLE7(ROUND_CONST, (kw) + 7); \
    } while (0)

#define SUM8(x)                   \
    do {                          \
        ROLE0(ROUND_SUM, (x)[0]); \
        ROLE1(ROUND_SUM, (x)[1]); \
        ROLE2(ROUND_SUM, (x)[2]); \
        ROLE3(ROUND_SUM, (x)[3]); \
        ROLE4(ROUND_SUM, (x)[4]); \
        ROLE5(ROUND_SUM, (x)[5]); \
        ROLE6(ROUND_SUM, (x)[6]); \
        ROLE7(ROUND_SUM, (x)[7]); \
    } while (0)

/* Sixteen rounds with the schedule one word ahead: w0 is ready on entry; NEXT16 leaves the next w0 ready. */
#define NEXT15(k)                                            \
    do {                                                     \
        ROLE0(ROUND_NEXT, (k), w0, w1, w2, w10, w15);        \
        ROLE1(ROUND_NEXT, (k) + 1, w1, w2, w3, w11, w0);     \
        ROLE2(ROUND_NEXT, (k) + 2, w2, w3, w4, w12, w1);     \
        ROLE3(ROUND_NEXT, (k) + 3, w3, w4, w5, w13, w2);     \
        ROLE4(ROUND_NEXT, (k) + 4, w4, w5, w6, w14, w3);     \
        ROLE5(ROUND_NEXT, (k) + 5, w5, w6, w7, w15, w4);     \
        ROLE6(ROUND_NEXT, (k) + 6, w6, w7, w8, w0, w5);      \
        ROLE7(ROUND_NEXT, (k) + 7, w7, w8, w9, w1, w6);      \
        ROLE0(ROUND_NEXT, (k) + 8, w8, w9, w10, w2, w7);     \
        ROLE1(ROUND_NEXT, (k) + 9, w9, w10, w11, w3, w8);    \
        ROLE2(ROUND_NEXT, (k) + 10, w10, w11, w12, w4, w9);  \
        ROLE3(ROUND_NEXT, (k) + 11, w11, w12, w13, w5, w10); \
        ROLE4(ROUND_NEXT, (k) + 12, w12, w13, w14, w6, w11); \
        ROLE5(ROUND_NEXT, (k) + 13, w13, w14, w15, w7, w12); \
        ROLE6(ROUND_NEXT, (k) + 14, w14, w15, w0, w8, w13);  \
    } while (0)
#define NEXT16(k)                                          \
    do {                                                   \
        NEXT15(k);                                         \
        ROLE7(ROUND_NEXT, (k) + 15, w15, w0, w1, w9, w14); \
    } while (0)

/* Rounds 32 .. 63, once w16 .. w31 are in w0 .. w15 and the next w0 is ready. Moves k. */
#define LAST32(k)                         \
    do {                                  \
        (k) += 32;                        \
        NEXT16(k);                        \
        (k) += 16;                        \
        NEXT15(k);                        \
        ROLE7(ROUND_WORD, (k) + 15, w15); \
    } while (0)

#define WORDS(m)                                                                                            \
    w0 = (m)[0], w1 = (m)[1], w2 = (m)[2], w3 = (m)[3], w4 = (m)[4], w5 = (m)[5], w6 = (m)[6], w7 = (m)[7], \
    w8 = (m)[8], w9 = (m)[9], w10 = (m)[10], w11 = (m)[11], w12 = (m)[12], w13 = (m)[13], w14 = (m)[14], w15 = (m)[15]
#define LOAD_STATE(s) \
    do {              \
        a = (s)[0];   \
        b = (s)[1];   \
        c = (s)[2];   \
        d = (s)[3];   \
        e = (s)[4];   \
        f = (s)[5];   \
        g = (s)[6];   \
        h = (s)[7];   \
    } while (0)
/* The end of a block: s is the chaining value it began with, and becomes the next one. */
#define CHAIN(s)                   \
    do {                           \
        (s)[0] = V_ADD(a, (s)[0]); \
        (s)[1] = V_ADD(b, (s)[1]); \
        (s)[2] = V_ADD(c, (s)[2]); \
        (s)[3] = V_ADD(d, (s)[3]); \
        (s)[4] = V_ADD(e, (s)[4]); \
        (s)[5] = V_ADD(f, (s)[5]); \
        (s)[6] = V_ADD(g, (s)[6]); \
        (s)[7] = V_ADD(h, (s)[7]); \
    } while (0)

/* Rounds 0 .. 3 of sixteen variable words. */
#define WORD4(k)                        \
    do {                                \
        V_KEEP(b, c);                   \
        ROLE0(ROUND_WORD, (k), w0);     \
        ROLE1(ROUND_WORD, (k) + 1, w1); \
        ROLE2(ROUND_WORD, (k) + 2, w2); \
        ROLE3(ROUND_WORD, (k) + 3, w3); \
    } while (0)

/*
 * The same from the initial value: round 0 is two sums and the next three have h + K in one constant, 18 operations
 * fewer.
 */
#define FIRST4(start, iv)                     \
    do {                                      \
        a = V_ALL((iv) + 0);                  \
        b = V_ALL((iv) + 1);                  \
        c = V_ALL((iv) + 2);                  \
        e = V_ALL((iv) + 4);                  \
        f = V_ALL((iv) + 5);                  \
        DO(d, V_ADD(w0, V_ALL(start)));       \
        DO(h, V_ADD(w0, V_ALL((start) + 1))); \
        DO(g, V_ADD(w1, V_ALL((start) + 2))); \
        V_KEEP(a, b);                         \
        ROUND_READY(h, a, b, c, d, e, f, g);  \
        DO(f, V_ADD(w2, V_ALL((start) + 3))); \
        ROUND_READY(g, h, a, b, c, d, e, f);  \
        DO(e, V_ADD(w3, V_ALL((start) + 4))); \
        ROUND_READY(f, g, h, a, b, c, d, e);  \
    } while (0)

/*
 * Rounds 4 .. 63 of sixteen variable words. With FIRST4 1598 operations, with WORD4 1616. Moves k. The last sixteen
 * leave the loop in its middle instead of having code of their own: all of it must fit a core's cache of decoded
 * instructions.
 */
#define REST60(k)                                              \
    do {                                                       \
        ROLE4(ROUND_WORD, (k) + 4, w4);                        \
        ROLE5(ROUND_WORD, (k) + 5, w5);                        \
        ROLE6(ROUND_WORD, (k) + 6, w6);                        \
        ROLE7(ROUND_WORD, (k) + 7, w7);                        \
        ROLE0(ROUND_WORD, (k) + 8, w8);                        \
        ROLE1(ROUND_WORD, (k) + 9, w9);                        \
        ROLE2(ROUND_WORD, (k) + 10, w10);                      \
        ROLE3(ROUND_WORD, (k) + 11, w11);                      \
        ROLE4(ROUND_WORD, (k) + 12, w12);                      \
        ROLE5(ROUND_WORD, (k) + 13, w13);                      \
        ROLE6(ROUND_WORD, (k) + 14, w14);                      \
        ROLE7(ROUND_NEXT, (k) + 15, w15, w0, w1, w9, w14);     \
        for (int left_ = 2;; left_--) {                        \
            (k) += 16;                                         \
            NEXT15(k);                                         \
            if (left_ == 0)                                    \
                break;                                         \
            ROLE7(ROUND_NEXT, (k) + 15, w15, w0, w1, w9, w14); \
        }                                                      \
        ROLE7(ROUND_WORD, (k) + 15, w15);                      \
    } while (0)

#endif
