// BLAKE2s compressions of sixteen lanes in streaming mode (SME). Callers see to it that vectors have 512 bits there, that
// ZA is off, and that no lazy save of it is pending.
//
// Only instructions of SME1 that need no FEAT_SME_FA64. z0-z15 hold the state, z16-z31 the message words, each vector a
// word of every lane. x18 is the platform's.

#if defined(__APPLE__)
#define FUNCTION(name) _##name
#else
#define FUNCTION(name) name
#endif

        .arch   armv8-a+sve+sve2+sme    // some assemblers do not know that SME brings the others along

        .macro  BEGIN name
        .p2align 6
        .globl  \name
#if defined(__APPLE__)
        .private_extern \name
#else
        .hidden \name
        .type   \name, %function
#endif
\name:
        .endm

        .macro  END name
#if !defined(__APPLE__)
        .size   \name, . - \name
#endif
        .endm

        // Entering and leaving zeroes all vector registers and changes FPSR: what callers expect to be kept goes to the
        // stack. Nothing of a message stays behind: LEAVE zeroes the vectors, and the next user of ZA finds it zeroed.
        .macro  ENTER
        sub     sp, sp, #80
        stp     d8, d9, [sp]
        stp     d10, d11, [sp, #16]
        stp     d12, d13, [sp, #32]
        stp     d14, d15, [sp, #48]
        mrs     x16, fpsr
        str     x16, [sp, #64]
        smstart
        ptrue   p0.s
        .endm

        .macro  LEAVE
        smstop
        ldr     x16, [sp, #64]
        msr     fpsr, x16
        ldp     d8, d9, [sp]
        ldp     d10, d11, [sp, #16]
        ldp     d12, d13, [sp, #32]
        ldp     d14, d15, [sp, #48]
        add     sp, sp, #80
        ret
        .endm

        // Vectors from and to lane-major words.
        .macro  LOAD4 a, b, c, d, base, i, j, k, l
        ldr     z\a, [\base, #\i, mul vl]
        ldr     z\b, [\base, #\j, mul vl]
        ldr     z\c, [\base, #\k, mul vl]
        ldr     z\d, [\base, #\l, mul vl]
        .endm

        .macro  STORE4 a, b, c, d, base, i, j, k, l
        str     z\a, [\base, #\i, mul vl]
        str     z\b, [\base, #\j, mul vl]
        str     z\c, [\base, #\k, mul vl]
        str     z\d, [\base, #\l, mul vl]
        .endm

        // Half of G in four columns or diagonals, step by step, so that their dependency chains overlap even where
        // instructions are issued in order.
        .macro  HALF_G a0, b0, c0, d0, a1, b1, c1, d1, a2, b2, c2, d2, a3, b3, c3, d3, m0, m1, m2, m3, r, s
        add     z\a0\().s, z\a0\().s, z\b0\().s
        add     z\a1\().s, z\a1\().s, z\b1\().s
        add     z\a2\().s, z\a2\().s, z\b2\().s
        add     z\a3\().s, z\a3\().s, z\b3\().s
        add     z\a0\().s, z\a0\().s, z\m0\().s
        add     z\a1\().s, z\a1\().s, z\m1\().s
        add     z\a2\().s, z\a2\().s, z\m2\().s
        add     z\a3\().s, z\a3\().s, z\m3\().s
        xar     z\d0\().s, z\d0\().s, z\a0\().s, #\r
        xar     z\d1\().s, z\d1\().s, z\a1\().s, #\r
        xar     z\d2\().s, z\d2\().s, z\a2\().s, #\r
        xar     z\d3\().s, z\d3\().s, z\a3\().s, #\r
        add     z\c0\().s, z\c0\().s, z\d0\().s
        add     z\c1\().s, z\c1\().s, z\d1\().s
        add     z\c2\().s, z\c2\().s, z\d2\().s
        add     z\c3\().s, z\c3\().s, z\d3\().s
        xar     z\b0\().s, z\b0\().s, z\c0\().s, #\s
        xar     z\b1\().s, z\b1\().s, z\c1\().s, #\s
        xar     z\b2\().s, z\b2\().s, z\c2\().s, #\s
        xar     z\b3\().s, z\b3\().s, z\c3\().s, #\s
        .endm

        .macro  COLUMNS m0, m1, m2, m3, m4, m5, m6, m7
        HALF_G  0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, \m0, \m2, \m4, \m6, 16, 12
        HALF_G  0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, \m1, \m3, \m5, \m7, 8, 7
        .endm

        .macro  DIAGONALS m0, m1, m2, m3, m4, m5, m6, m7
        HALF_G  0, 5, 10, 15, 1, 6, 11, 12, 2, 7, 8, 13, 3, 4, 9, 14, \m0, \m2, \m4, \m6, 16, 12
        HALF_G  0, 5, 10, 15, 1, 6, 11, 12, 2, 7, 8, 13, 3, 4, 9, 14, \m1, \m3, \m5, \m7, 8, 7
        .endm

        // The registers of the message words in the round's order.
        .macro  ROUND m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, ma, mb, mc, md, me, mf
        COLUMNS \m0, \m1, \m2, \m3, \m4, \m5, \m6, \m7
        DIAGONALS \m8, \m9, \ma, \mb, \mc, \md, \me, \mf
        .endm

        .macro  ROUNDS
        ROUND   16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
        ROUND   30, 26, 20, 24, 25, 31, 29, 22, 17, 28, 16, 18, 27, 23, 21, 19
        ROUND   27, 24, 28, 16, 21, 18, 31, 29, 26, 30, 19, 22, 23, 17, 25, 20
        ROUND   23, 25, 19, 17, 29, 28, 27, 30, 18, 22, 21, 26, 20, 16, 31, 24
        ROUND   25, 16, 21, 23, 18, 20, 26, 31, 30, 17, 27, 28, 22, 24, 19, 29
        ROUND   18, 28, 22, 26, 16, 27, 24, 19, 20, 29, 23, 21, 31, 30, 17, 25
        ROUND   28, 21, 17, 31, 30, 29, 20, 26, 16, 23, 22, 19, 25, 18, 24, 27
        ROUND   29, 27, 23, 30, 28, 17, 19, 25, 21, 16, 31, 20, 24, 22, 18, 26
        ROUND   22, 31, 30, 25, 27, 19, 16, 24, 28, 18, 29, 23, 17, 20, 26, 21
        ROUND   26, 18, 24, 20, 23, 22, 17, 21, 31, 27, 25, 30, 19, 28, 29, 16
        .endm

        .text

// void pleach__blake2s_sme_run(const job *jobs, size_t n)
//
// Each job is one compression, as kernels/lanes_job.h describes it. Rows of a message are loaded as rows of ZA, whose
// columns are then words of all lanes; a digest is stored the other way. ZA0H.S[i] is ZA0H.B[4 i], so that bytes which
// are not stored are left out by a predicate of bytes, and are zero.
        BEGIN   FUNCTION(pleach__blake2s_sme_run)
        cbz     x1, 9f
        ENTER
        ptrue   p1.s, vl8               // the words of a digest
        mov     x8, #8
        mov     x9, #16
        mov     x10, #24

1:      ldp     x2, x3, [x0], #16       // out, in
        ldp     x4, x5, [x0], #16       // step, digests
        ldp     x6, x7, [x0], #24       // block, left
        cbnz    x6, 2f

        // two groups of nodes: the even ones are left children, the odd ones right children
        ldur    x6, [x0, #-8]           // right
        LOAD4   0, 1, 2, 3, x7, 0, 1, 2, 3
        LOAD4   8, 9, 10, 11, x6, 0, 1, 2, 3
        LOAD4   4, 5, 6, 7, x7, 4, 5, 6, 7
        LOAD4   12, 13, 14, 15, x6, 4, 5, 6, 7
        uzp1    z16.s, z0.s, z8.s
        uzp2    z24.s, z0.s, z8.s
        uzp1    z17.s, z1.s, z9.s
        uzp2    z25.s, z1.s, z9.s
        uzp1    z18.s, z2.s, z10.s
        uzp2    z26.s, z2.s, z10.s
        uzp1    z19.s, z3.s, z11.s
        uzp2    z27.s, z3.s, z11.s
        uzp1    z20.s, z4.s, z12.s
        uzp2    z28.s, z4.s, z12.s
        uzp1    z21.s, z5.s, z13.s
        uzp2    z29.s, z5.s, z13.s
        uzp1    z22.s, z6.s, z14.s
        uzp2    z30.s, z6.s, z14.s
        uzp1    z23.s, z7.s, z15.s
        uzp2    z31.s, z7.s, z15.s
        mov     w12, #0
        mov     w13, #4
        mov     w14, #8
        mov     w15, #12
        b       3f

        // a block of sixteen rows
2:      ldr     x7, [x4, #32]           // stride
        ldr     p2, [x4, #5, mul vl]    // mask
        mov     w12, #0
        mov     w13, #16
        mov     w14, #32
        mov     w15, #48
        add     x11, x7, x7
        add     x16, x11, x7
        .irp    w, 12, 13, 14, 15
        ld1b    {za0h.b[w\w, 0]}, p2/z, [x6]
        ld1b    {za0h.b[w\w, 4]}, p2/z, [x6, x7]
        ld1b    {za0h.b[w\w, 8]}, p2/z, [x6, x11]
        ld1b    {za0h.b[w\w, 12]}, p2/z, [x6, x16]
        add     x6, x6, x7, lsl #2
        .endr
        mov     w13, #4
        mov     w14, #8
        mov     w15, #12
        mov     z16.s, p0/m, za0v.s[w12, 0]
        mov     z17.s, p0/m, za0v.s[w12, 1]
        mov     z18.s, p0/m, za0v.s[w12, 2]
        mov     z19.s, p0/m, za0v.s[w12, 3]
        mov     z20.s, p0/m, za0v.s[w13, 0]
        mov     z21.s, p0/m, za0v.s[w13, 1]
        mov     z22.s, p0/m, za0v.s[w13, 2]
        mov     z23.s, p0/m, za0v.s[w13, 3]
        mov     z24.s, p0/m, za0v.s[w14, 0]
        mov     z25.s, p0/m, za0v.s[w14, 1]
        mov     z26.s, p0/m, za0v.s[w14, 2]
        mov     z27.s, p0/m, za0v.s[w14, 3]
        mov     z28.s, p0/m, za0v.s[w15, 0]
        mov     z29.s, p0/m, za0v.s[w15, 1]
        mov     z30.s, p0/m, za0v.s[w15, 2]
        mov     z31.s, p0/m, za0v.s[w15, 3]

3:      LOAD4   0, 1, 2, 3, x3, 0, 1, 2, 3
        LOAD4   4, 5, 6, 7, x3, 4, 5, 6, 7
        ld1rw   {z8.s}, p0/z, [x4]      // tail
        ld1rw   {z9.s}, p0/z, [x4, #4]
        ld1rw   {z10.s}, p0/z, [x4, #8]
        ld1rw   {z11.s}, p0/z, [x4, #12]
        ldr     z12, [x4, #1, mul vl]   // own
        ld1rw   {z13.s}, p0/z, [x4, #20]
        ld1rw   {z14.s}, p0/z, [x4, #24]
        ld1rw   {z15.s}, p0/z, [x4, #28]
        ROUNDS
        LOAD4   16, 17, 18, 19, x3, 0, 1, 2, 3
        LOAD4   20, 21, 22, 23, x3, 4, 5, 6, 7
        eor3    z0.d, z0.d, z8.d, z16.d
        eor3    z1.d, z1.d, z9.d, z17.d
        eor3    z2.d, z2.d, z10.d, z18.d
        eor3    z3.d, z3.d, z11.d, z19.d
        eor3    z4.d, z4.d, z12.d, z20.d
        eor3    z5.d, z5.d, z13.d, z21.d
        eor3    z6.d, z6.d, z14.d, z22.d
        eor3    z7.d, z7.d, z15.d, z23.d
        cbz     x2, 4f
        STORE4  0, 1, 2, 3, x2, 0, 1, 2, 3
        STORE4  4, 5, 6, 7, x2, 4, 5, 6, 7
4:      cbz     x5, 5f
        mov     za0v.s[w12, 0], p0/m, z0.s
        mov     za0v.s[w12, 1], p0/m, z1.s
        mov     za0v.s[w12, 2], p0/m, z2.s
        mov     za0v.s[w12, 3], p0/m, z3.s
        mov     za0v.s[w13, 0], p0/m, z4.s
        mov     za0v.s[w13, 1], p0/m, z5.s
        mov     za0v.s[w13, 2], p0/m, z6.s
        mov     za0v.s[w13, 3], p0/m, z7.s
        .irp    w, 12, 13, 14, 15
        st1w    {za0h.s[w\w, 0]}, p1, [x5]
        st1w    {za0h.s[w\w, 1]}, p1, [x5, x8, lsl #2]
        st1w    {za0h.s[w\w, 2]}, p1, [x5, x9, lsl #2]
        st1w    {za0h.s[w\w, 3]}, p1, [x5, x10, lsl #2]
        add     x5, x5, #128
        .endr
5:      subs    x1, x1, #1
        b.ne    1b
        LEAVE
9:      ret
        END     FUNCTION(pleach__blake2s_sme_run)

// void pleach__blake2s_sme_chain(uint32_t *out, const uint32_t *prepared, const uint32_t *words, uint32_t increment,
//                                size_t steps)
//
// All lane-major. At least one compression of `words`, from the 16 words in `prepared` and the chaining value behind
// them. Between two, the first 4 words of the result become words 8 .. 11, and word 0 grows by `increment`. The last
// result goes to `out`, all 8 words of it.
        BEGIN   FUNCTION(pleach__blake2s_sme_chain)
        ENTER
        LOAD4   16, 17, 18, 19, x2, 0, 1, 2, 3
        LOAD4   20, 21, 22, 23, x2, 4, 5, 6, 7
        LOAD4   24, 25, 26, 27, x2, 8, 9, 10, 11
        LOAD4   28, 29, 30, 31, x2, 12, 13, 14, 15
1:      LOAD4   0, 1, 2, 3, x1, 0, 1, 2, 3
        LOAD4   4, 5, 6, 7, x1, 4, 5, 6, 7
        LOAD4   8, 9, 10, 11, x1, 8, 9, 10, 11
        LOAD4   12, 13, 14, 15, x1, 12, 13, 14, 15
        ROUNDS
        eor     z0.d, z0.d, z8.d
        eor     z1.d, z1.d, z9.d
        eor     z2.d, z2.d, z10.d
        eor     z3.d, z3.d, z11.d
        eor     z4.d, z4.d, z12.d
        eor     z5.d, z5.d, z13.d
        eor     z6.d, z6.d, z14.d
        eor     z7.d, z7.d, z15.d
        LOAD4   8, 9, 10, 11, x1, 16, 17, 18, 19
        eor     z0.d, z0.d, z8.d
        eor     z1.d, z1.d, z9.d
        eor     z2.d, z2.d, z10.d
        eor     z3.d, z3.d, z11.d
        subs    x4, x4, #1
        b.eq    2f
        mov     z24.d, z0.d
        mov     z25.d, z1.d
        mov     z26.d, z2.d
        mov     z27.d, z3.d
        mov     z8.s, w3
        add     z16.s, z16.s, z8.s
        b       1b
2:      LOAD4   12, 13, 14, 15, x1, 20, 21, 22, 23
        eor     z4.d, z4.d, z12.d
        eor     z5.d, z5.d, z13.d
        eor     z6.d, z6.d, z14.d
        eor     z7.d, z7.d, z15.d
        STORE4  0, 1, 2, 3, x0, 0, 1, 2, 3
        STORE4  4, 5, 6, 7, x0, 4, 5, 6, 7
        LEAVE
        END     FUNCTION(pleach__blake2s_sme_chain)

#if defined(__ELF__)
        .section .note.GNU-stack, "", %progbits
#endif
