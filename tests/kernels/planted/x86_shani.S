/* Each VEX-encoded instruction but vzeroupper is a fault here. */
    .text
legacy:
    vzeroupper
    pxor %xmm0, %xmm0
    sha256rnds2 %xmm0, %xmm1, %xmm2
    ret

vex:
    vpxor %xmm0, %xmm0, %xmm0
    ret

    .section .data.rel.ro, "aw"
    .quad legacy, vex
    .section .note.GNU-stack, "", @progbits
