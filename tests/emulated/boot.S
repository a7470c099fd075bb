/*
 * A ROM that starts an unpacked Linux kernel with no firmware, boot loader or decompressor, which in an emulator cost
 * more time than the kernel itself.  The emulator has put the kernel at 16 MiB, followed by the initramfs; the 64-bit
 * boot protocol (Documentation/arch/x86/boot.rst) wants paging on and the address of boot_params in rsi.
 */
#define ROM 0xf0000
#define AT(label) (ROM + label - rom)
#define PAGES 0x1000
#define KERNEL 0x1000000

        .code16
        .globl rom
rom:                                    /* boot_params */
        .org 0x1e8
        .byte 2                         /* entries in the memory map */
        .org 0x1fe
        .word 0xaa55
        .org 0x202
        .ascii "HdrS"
        .word 0x20f                     /* protocol version */
        .org 0x210
        .byte 0xff, 1                   /* unnamed loader; loaded high */
        .org 0x218
        .long KERNEL + KERNEL_SIZE, INITRAMFS_SIZE
        .org 0x228
        .long AT(command_line)
        .org 0x2d0
        .quad 0, 0x9f000
        .long 1
        .quad 0x100000, (MEGABYTES << 20) - 0x100000
        .long 1

        .org 0x1000
command_line:
        .asciz COMMAND_LINE

        .balign 8
gdt:
        .quad 0, 0
        .quad 0x00af9b000000ffff        /* 0x10: 64-bit code */
        .quad 0x00cf93000000ffff        /* 0x18: data */
        .quad 0x00cf9b000000ffff        /* 0x20: 32-bit code */
gdt_pointer:
        .word . - gdt - 1
        .long AT(gdt)

start:
        cli
        movw $(ROM >> 4), %ax
        movw %ax, %ds
        lgdtl gdt_pointer - rom
        movl %cr0, %eax
        orl $1, %eax
        movl %eax, %cr0
        ljmpl $0x20, $AT(protected)

        .code32
protected:
        movl $0x18, %eax
        movl %eax, %ds
        movl %eax, %es
        movl %eax, %ss
        /*
         * Bochs 2.7 gives the guest its memory in blocks, in the order in which the guest touches them, but loads a
         * RAM image as if they lay in a row.  So the image is the first memory touched, from its start to its end.
         */
        movl $KERNEL, %esi
1:      movl (%esi), %eax
        addl $0x1000, %esi
        cmpl $KERNEL + KERNEL_SIZE + INITRAMFS_SIZE, %esi
        jb 1b
        /* The first GiB, mapped to itself in 2 MiB pages. */
        xorl %eax, %eax
        movl $PAGES, %edi
        movl $0x3000 / 4, %ecx
        cld
        rep stosl
        movl $PAGES + 0x1003, PAGES
        movl $PAGES + 0x2003, PAGES + 0x1000
        movl $PAGES + 0x2000, %edi
        movl $0x83, %eax
1:      movl %eax, (%edi)
        addl $0x200000, %eax
        addl $8, %edi
        cmpl $PAGES + 0x3000, %edi
        jb 1b
        movl $PAGES, %eax
        movl %eax, %cr3
        movl %cr4, %eax
        orl $0x20, %eax                 /* PAE */
        movl %eax, %cr4
        movl $0xc0000080, %ecx          /* EFER */
        rdmsr
        orl $0x100, %eax                /* LME */
        wrmsr
        movl %cr0, %eax
        orl $0x80000000, %eax           /* PG */
        movl %eax, %cr0
        ljmpl $0x10, $AT(long_mode)

        .code64
long_mode:
        movl $ROM, %esi
        movl $KERNEL, %eax
        jmp *%rax

        .code16
        .org 0xfff0
        ljmpw $(ROM >> 4), $start - rom
        .org 0x10000
