// Functions that are wrong in one way each, but the first.

        .arch   armv8-a+sve+sve2+sme

        .text

        .macro  BEGIN name
        .globl  \name
        .type   \name, %function
\name:
        .endm

        .macro  END name
        .size   \name, . - \name
        .endm

        BEGIN   right
        cbz     x0, 2f
        smstart
1:      add     z0.s, z0.s, z1.s
        mov     z0.s, p0/m, za0v.s[w12, 0]
        subs    x0, x0, #1
        b.ne    1b
        smstop
2:      add     v0.4s, v0.4s, v1.4s
        ret
        END     right

        BEGIN   neon_in_streaming_mode
        smstart sm
        add     v0.4s, v0.4s, v1.4s
        smstop  sm
        ret
        END     neon_in_streaming_mode

        BEGIN   gather_in_streaming_mode
        smstart
        ld1w    {z0.s}, p0/z, [x0]
        ldff1w  {z0.s}, p0/z, [x0, x1, lsl #2]
        smstop
        ret
        END     gather_in_streaming_mode

        BEGIN   call_in_streaming_mode
        smstart
        bl      right
        smstop
        ret
        END     call_in_streaming_mode

        BEGIN   returns_in_streaming_mode       // two faults: the return, and the end
        smstart
        ret
        END     returns_in_streaming_mode

        BEGIN   sve_outside
        add     z0.s, z0.s, z1.s
        ret
        END     sve_outside

        BEGIN   length_outside
        .inst   0x04bf5820
        ret
        END     length_outside

        BEGIN   sme_outside
        mov     z0.s, p0/m, za0v.s[w12, 0]
        ret
        END     sme_outside

        BEGIN   branch_past_the_end
        smstart
        cbz     x0, 1f
        add     z0.s, z0.s, z1.s
        smstop
1:      ret
        END     branch_past_the_end

        BEGIN   leaves_twice
        smstop
        ret
        END     leaves_twice

        .section .note.GNU-stack, "", %progbits
