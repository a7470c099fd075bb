/* Functions that a table names: tests/machine_code.sh is to find fault with those whose name begins with "dirty". */
    .text
clean:
    vpxor %ymm0, %ymm0, %ymm0
    test %edi, %edi
    je 1f
    vzeroupper
    ret
1:  vzeroupper
    ret

clean_by_call:
    vpxor %ymm0, %ymm0, %ymm0
    call clean
    ret

clean_by_tail_call:
    vpxor %ymm0, %ymm0, %ymm0
    jmp clean

clean_without_vectors:
    vpxor %xmm0, %xmm0, %xmm0
    ret

dirty:
    vpxor %ymm0, %ymm0, %ymm0
    ret

dirty_on_one_path:
    vpxor %ymm0, %ymm0, %ymm0
    test %edi, %edi
    je 1f
    vzeroupper
1:  ret

dirty_again:
    vzeroupper
    vpaddd (%rdi), %ymm0, %ymm0
    ret

dirty_in_a_loop:
    vzeroupper
1:  dec %edi
    je 2f
    vpxor %ymm0, %ymm0, %ymm0
    jmp 1b
2:  ret

helper:
    vpxor %ymm0, %ymm0, %ymm0
    ret

dirty_by_call:
    vzeroupper
    call helper
    ret

dirty_by_tail_call:
    vzeroupper
    jmp helper

dirty_before_other_code:
    vpxor %ymm0, %ymm0, %ymm0
    jmp *(%rdi)

    .section .data.rel.ro, "aw"
    .quad clean, clean_by_call, clean_by_tail_call, clean_without_vectors
    .quad dirty, dirty_on_one_path, dirty_again, dirty_in_a_loop, dirty_by_call, dirty_by_tail_call
    .quad dirty_before_other_code
    .section .note.GNU-stack, "", @progbits
