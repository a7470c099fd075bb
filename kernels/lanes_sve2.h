/*
 * The lanes of lanes_neon.h, with an instruction of SVE2 that makes an exclusive or and a rotation. It works on all of
 * a vector, of whatever length, of which a register of NEON is the first 128 bits; the others are not looked at.
 */
#ifndef PLEACH_LANES_SVE2_H
#define PLEACH_LANES_SVE2_H

#include "kernels/lanes_neon.h"

/* Only clang has a way to write an operand's register by its name in SVE. */
#if defined(__clang__)
#define SVE_WORDS(operand) "%z" #operand ".s"
#else
__asm__(".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n\t"
        "sve_v\\n .req z\\n\n\t.endr");
#define SVE_WORDS(operand) "sve_%" #operand ".s"
#endif
#define XOR_ROTR(a, b, n) \
    __asm__(".arch_extension sve2\n\txar " SVE_WORDS(0) ", " SVE_WORDS(0) ", " SVE_WORDS(1) ", #" #n : "+w"(a) : "w"(b))

#define BLAKE_MIX(a, b, c, d, rot_d, rot_b)  \
    do {                                     \
        XOR_ROTR((d).low, (a).low, rot_d);   \
        XOR_ROTR((d).high, (a).high, rot_d); \
        VEC_ADD(c, d);                       \
        XOR_ROTR((b).low, (c).low, rot_b);   \
        XOR_ROTR((b).high, (c).high, rot_b); \
    } while (0)

#endif
