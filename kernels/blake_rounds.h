/*
 * The round body of BLAKE2s (RFC 7693) and BLAKE3, written once for every instruction set.
 *
 * The including file defines, for its vector type:
 *   VEC_ADD(a, b)          a += b, per 32-bit lane
 *   VEC_XOR(a, b)          a ^= b
 *   VEC_ROTR(a, n)         a >>>= n, with n one of 16, 12, 8, 7
 *   VEC_ADD_WORD(a, m, i)  a += message word i of m, read from memory; none if that is known to be zero
 *   VEC_ADD_XOR(c, d, b)   c += d, then b ^= c; c is one of v8 .. vb, by that name
 * and, if the registers have no room for both the state and what else a step needs:
 *   VEC_TO_MEMORY(c, a)    c = a, where c is kept in memory
 *   VEC_FROM_MEMORY(a, c)  a = c, where c is kept in memory
 *
 * Both compilers reach the port limit only if the sixteen message words stay in memory (registers hold the
 * state) and if `a + word + b` is not reassociated to `a + (word + b)`. On x86 VEC_ADD_WORD is therefore one
 * `vpaddd` with a memory operand, written as a non-volatile asm statement.
 * The state is sixteen named variables v0 .. vf, never an array: an array is unrolled away only at -O3.
 * Each half of G is written out alone; the interleaving is left to the compiler's scheduler and the core.
 */
#ifndef PLEACH_BLAKE_ROUNDS_H
#define PLEACH_BLAKE_ROUNDS_H

/* The initial value of both hashes. */
#define BLAKE_IV0 0x6A09E667u
#define BLAKE_IV1 0xBB67AE85u
#define BLAKE_IV2 0x3C6EF372u
#define BLAKE_IV3 0xA54FF53Au
#define BLAKE_IV4 0x510E527Fu
#define BLAKE_IV5 0x9B05688Cu
#define BLAKE_IV6 0x1F83D9ABu
#define BLAKE_IV7 0x5BE0CD19u

/* Half of G, after its additions to a. Instruction sets with one instruction for exclusive or and rotation
   define it themselves. */
#ifndef BLAKE_MIX
#define BLAKE_MIX(a, b, c, d, rot_d, rot_b) \
    do {                                    \
        VEC_XOR(d, a);                      \
        VEC_ROTR(d, rot_d);                 \
        VEC_ADD_XOR(c, d, b);               \
        VEC_ROTR(b, rot_b);                 \
    } while (0)
#endif

#define BLAKE_HALF_G(m, a, b, c, d, word, rot_d, rot_b) \
    do {                                                \
        VEC_ADD_WORD(a, m, word);                       \
        VEC_ADD(a, b);                                  \
        BLAKE_MIX(a, b, c, d, rot_d, rot_b);            \
    } while (0)

#define BLAKE_COLUMNS(m, s0, s1, s2, s3, s4, s5, s6, s7) \
    do {                                                 \
        BLAKE_HALF_G(m, v0, v4, v8, vc, s0, 16, 12);     \
        BLAKE_HALF_G(m, v1, v5, v9, vd, s2, 16, 12);     \
        BLAKE_HALF_G(m, v2, v6, va, ve, s4, 16, 12);     \
        BLAKE_HALF_G(m, v3, v7, vb, vf, s6, 16, 12);     \
        BLAKE_HALF_G(m, v0, v4, v8, vc, s1, 8, 7);       \
        BLAKE_HALF_G(m, v1, v5, v9, vd, s3, 8, 7);       \
        BLAKE_HALF_G(m, v2, v6, va, ve, s5, 8, 7);       \
        BLAKE_HALF_G(m, v3, v7, vb, vf, s7, 8, 7);       \
    } while (0)

#define BLAKE_DIAGONALS(m, s8, s9, sa, sb, sc, sd, se, sf) \
    do {                                                   \
        BLAKE_HALF_G(m, v0, v5, va, vf, s8, 16, 12);       \
        BLAKE_HALF_G(m, v1, v6, vb, vc, sa, 16, 12);       \
        BLAKE_HALF_G(m, v2, v7, v8, vd, sc, 16, 12);       \
        BLAKE_HALF_G(m, v3, v4, v9, ve, se, 16, 12);       \
        BLAKE_HALF_G(m, v0, v5, va, vf, s9, 8, 7);         \
        BLAKE_HALF_G(m, v1, v6, vb, vc, sb, 8, 7);         \
        BLAKE_HALF_G(m, v2, v7, v8, vd, sd, 8, 7);         \
        BLAKE_HALF_G(m, v3, v4, v9, ve, sf, 8, 7);         \
    } while (0)

/* s0 .. sf is the round's permutation of the message words. */
#ifndef VEC_TO_MEMORY
#define BLAKE_ROUND(m, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, sa, sb, sc, sd, se, sf) \
    do {                                                                               \
        BLAKE_COLUMNS(m, s0, s1, s2, s3, s4, s5, s6, s7);                              \
        BLAKE_DIAGONALS(m, s8, s9, sa, sb, sc, sd, se, sf);                            \
    } while (0)
#else
/*
 * Two Gs at a time are made from end to end, so two of v8 .. vb can be in memory: va and vb from the middle of the
 * diagonals to that of the columns, v8 and v9 otherwise. No variable could be away for longer.
 */
#define BLAKE_ROUND(m, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, sa, sb, sc, sd, se, sf) \
    do {                                                                               \
        vec v8_away, v9_away, va_here, vb_here;                                        \
        BLAKE_TWO_G(m, v0, v4, v8, vc, s0, s1, v1, v5, v9, vd, s2, s3);                \
        VEC_TO_MEMORY(v8_away, v8);                                                    \
        VEC_TO_MEMORY(v9_away, v9);                                                    \
        VEC_FROM_MEMORY(va_here, va);                                                  \
        VEC_FROM_MEMORY(vb_here, vb);                                                  \
        BLAKE_TWO_G(m, v2, v6, va_here, ve, s4, s5, v3, v7, vb_here, vf, s6, s7);      \
        BLAKE_TWO_G(m, v0, v5, va_here, vf, s8, s9, v1, v6, vb_here, vc, sa, sb);      \
        VEC_TO_MEMORY(va, va_here);                                                    \
        VEC_TO_MEMORY(vb, vb_here);                                                    \
        VEC_FROM_MEMORY(v8, v8_away);                                                  \
        VEC_FROM_MEMORY(v9, v9_away);                                                  \
        BLAKE_TWO_G(m, v2, v7, v8, vd, sc, sd, v3, v4, v9, ve, se, sf);                \
    } while (0)

#define BLAKE_TWO_G(m, a, b, c, d, s0, s1, e, f, g, h, s2, s3) \
    do {                                                       \
        BLAKE_HALF_G(m, a, b, c, d, s0, 16, 12);               \
        BLAKE_HALF_G(m, e, f, g, h, s2, 16, 12);               \
        BLAKE_HALF_G(m, a, b, c, d, s1, 8, 7);                 \
        BLAKE_HALF_G(m, e, f, g, h, s3, 8, 7);                 \
    } while (0)
#endif

#define BLAKE2S_ROUND_0(m) BLAKE_ROUND(m, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define BLAKE2S_ROUND_1(m) BLAKE_ROUND(m, 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3)
#define BLAKE2S_ROUND_2(m) BLAKE_ROUND(m, 11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4)
#define BLAKE2S_ROUND_3(m) BLAKE_ROUND(m, 7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8)
#define BLAKE2S_ROUND_4(m) BLAKE_ROUND(m, 9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13)
#define BLAKE2S_ROUND_5(m) BLAKE_ROUND(m, 2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9)
#define BLAKE2S_ROUND_6(m) BLAKE_ROUND(m, 12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11)
#define BLAKE2S_ROUND_7(m) BLAKE_ROUND(m, 13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10)
#define BLAKE2S_ROUND_8(m) BLAKE_ROUND(m, 6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5)
#define BLAKE2S_ROUND_9(m) BLAKE_ROUND(m, 10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0)

#define BLAKE2S_ROUNDS_1_TO_9(m) \
    do {                         \
        BLAKE2S_ROUND_1(m);      \
        BLAKE2S_ROUND_2(m);      \
        BLAKE2S_ROUND_3(m);      \
        BLAKE2S_ROUND_4(m);      \
        BLAKE2S_ROUND_5(m);      \
        BLAKE2S_ROUND_6(m);      \
        BLAKE2S_ROUND_7(m);      \
        BLAKE2S_ROUND_8(m);      \
        BLAKE2S_ROUND_9(m);      \
    } while (0)

/* BLAKE3 applies one fixed permutation between rounds; these are its powers. */
#define BLAKE3_ROUND_0(m) BLAKE_ROUND(m, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define BLAKE3_ROUND_1(m) BLAKE_ROUND(m, 2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)
#define BLAKE3_ROUND_2(m) BLAKE_ROUND(m, 3, 4, 10, 12, 13, 2, 7, 14, 6, 5, 9, 0, 11, 15, 8, 1)
#define BLAKE3_ROUND_3(m) BLAKE_ROUND(m, 10, 7, 12, 9, 14, 3, 13, 15, 4, 0, 11, 2, 5, 8, 1, 6)
#define BLAKE3_ROUND_4(m) BLAKE_ROUND(m, 12, 13, 9, 11, 15, 10, 14, 8, 7, 2, 5, 3, 0, 1, 6, 4)
#define BLAKE3_ROUND_5(m) BLAKE_ROUND(m, 9, 14, 11, 5, 8, 12, 15, 1, 13, 3, 0, 10, 2, 6, 4, 7)
#define BLAKE3_ROUND_6(m) BLAKE_ROUND(m, 11, 15, 5, 0, 1, 9, 8, 6, 14, 10, 2, 12, 3, 4, 7, 13)

#endif
