// What only instructions of SME tell about the calling thread. See streaming.c.

#if defined(__APPLE__)
#define FUNCTION(name) _##name
#define HIDDEN         .private_extern
#else
#define FUNCTION(name) name
#define HIDDEN         .hidden
#endif

        .arch   armv8-a+sve+sve2+sme    // some assemblers do not know that SME brings the others along

        .text
        .p2align 4
        HIDDEN  FUNCTION(pleach__streaming_length)
        .globl  FUNCTION(pleach__streaming_length)
FUNCTION(pleach__streaming_length):
        .inst   0x04bf5820              // rdsvl x0, #1: not every assembler that knows SME knows it
        ret

        .p2align 4
        HIDDEN  FUNCTION(pleach__streaming_unused)
        .globl  FUNCTION(pleach__streaming_unused)
FUNCTION(pleach__streaming_unused):
        mrs     x0, svcr
        mrs     x1, tpidr2_el0
        orr     x0, x0, x1
        cmp     x0, #0
        cset    w0, eq
        ret

#if defined(__ELF__)
        .section .note.GNU-stack, "", %progbits
#endif
