// What C cannot say of registers.

        .arch   armv8-a+sve+sve2+sme

        .text

// void call_with_registers(void (*call)(void *), void *context, uint64_t registers[9])
//
// d8 .. d15 and FPSR are those of `registers` when `call` begins, and `registers` has what they are when it returns.
        .p2align 4
        .globl  call_with_registers
        .type   call_with_registers, %function
call_with_registers:
        stp     x29, x30, [sp, #-112]!
        mov     x29, sp
        stp     x19, x20, [sp, #16]
        stp     d8, d9, [sp, #32]
        stp     d10, d11, [sp, #48]
        stp     d12, d13, [sp, #64]
        stp     d14, d15, [sp, #80]
        mrs     x20, fpsr
        str     x20, [sp, #96]
        mov     x19, x2
        mov     x9, x0
        mov     x0, x1
        ldp     d8, d9, [x19]
        ldp     d10, d11, [x19, #16]
        ldp     d12, d13, [x19, #32]
        ldp     d14, d15, [x19, #48]
        ldr     x20, [x19, #64]
        msr     fpsr, x20
        blr     x9
        mrs     x20, fpsr
        str     x20, [x19, #64]
        stp     d8, d9, [x19]
        stp     d10, d11, [x19, #16]
        stp     d12, d13, [x19, #32]
        stp     d14, d15, [x19, #48]
        ldr     x20, [sp, #96]
        msr     fpsr, x20
        ldp     d8, d9, [sp, #32]
        ldp     d10, d11, [sp, #48]
        ldp     d12, d13, [sp, #64]
        ldp     d14, d15, [sp, #80]
        ldp     x19, x20, [sp, #16]
        ldp     x29, x30, [sp], #112
        ret
        .size   call_with_registers, . - call_with_registers

// void call_with_za(void (*call)(void *), void *context, uint8_t row[256])
//
// ZA is on meanwhile, and its first row is that of `row`, which has what it is when `call` returns.
        .p2align 4
        .globl  call_with_za
        .type   call_with_za, %function
call_with_za:
        stp     x29, x30, [sp, #-32]!
        mov     x29, sp
        str     x19, [sp, #16]
        mov     x19, x2
        mov     x9, x0
        mov     x0, x1
        smstart za
        mov     w12, #0
        ldr     za[w12, 0], [x19]
        blr     x9
        mov     w12, #0
        str     za[w12, 0], [x19]
        smstop  za
        ldr     x19, [sp, #16]
        ldp     x29, x30, [sp], #32
        ret
        .size   call_with_za, . - call_with_za

// void call_with_lazy_save(void (*call)(void *), void *context): TPIDR2_EL0 is not zero meanwhile.
        .p2align 4
        .globl  call_with_lazy_save
        .type   call_with_lazy_save, %function
call_with_lazy_save:
        stp     x29, x30, [sp, #-16]!
        mov     x29, sp
        mov     x9, x0
        mov     x0, x1
        msr     tpidr2_el0, x29
        blr     x9
        msr     tpidr2_el0, xzr
        ldp     x29, x30, [sp], #16
        ret
        .size   call_with_lazy_save, . - call_with_lazy_save

// uint64_t streaming_state(void): SVCR
        .p2align 4
        .globl  streaming_state
        .type   streaming_state, %function
streaming_state:
        mrs     x0, svcr
        ret
        .size   streaming_state, . - streaming_state

        .section .note.GNU-stack, "", %progbits
