/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One entry for each function of the list, and the way they all take. The list names functions only, so nothing here
 * knows a signature: every register that can carry an argument is kept and restored, so is every register that can
 * carry a result, and STACK_BYTES of what lies behind the return address are handed on, which is where further
 * arguments and structs are. The frame is an ordinary one, so exceptions, backtraces and cancellation work through it.
 */
#define STACK_BYTES 128
#define PAGE_BYTES 4096

#if defined(__x86_64__)

/* Below the frame pointer: rbx, r12, r13, nothing; then, from the lower end, 8 vector and 8 integer registers. */
#define SAVED_INTEGERS 128
#define SAVED_BYTES 192

    .macro entry name, index
    .balign 16
    .globl \name
    .type \name, @function
\name:
.Lentry_\index:
    .cfi_startproc
    endbr64
    movl $\index, %r11d
    jmp trampoline
    .cfi_endproc
    .size \name, . - \name
    .endm

    .macro spare index
    .balign 16
.Lentry_\index:
    .cfi_startproc
    endbr64
    movl $\index, %r11d
    jmp trampoline
    .cfi_endproc
    .endm

    .text
    .balign 16
    .type trampoline, @function
trampoline:
    .cfi_startproc
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    pushq %rbx
    .cfi_offset %rbx, -24
    pushq %r12
    .cfi_offset %r12, -32
    pushq %r13
    .cfi_offset %r13, -40
    subq $(8 + SAVED_BYTES), %rsp
    movaps %xmm0, (%rsp)
    movaps %xmm1, 16(%rsp)
    movaps %xmm2, 32(%rsp)
    movaps %xmm3, 48(%rsp)
    movaps %xmm4, 64(%rsp)
    movaps %xmm5, 80(%rsp)
    movaps %xmm6, 96(%rsp)
    movaps %xmm7, 112(%rsp)
    movq %rdi, SAVED_INTEGERS(%rsp)
    movq %rsi, (SAVED_INTEGERS + 8)(%rsp)
    movq %rdx, (SAVED_INTEGERS + 16)(%rsp)
    movq %rcx, (SAVED_INTEGERS + 24)(%rsp)
    movq %r8, (SAVED_INTEGERS + 32)(%rsp)
    movq %r9, (SAVED_INTEGERS + 40)(%rsp)
    movq %rax, (SAVED_INTEGERS + 48)(%rsp)
    movq %r10, (SAVED_INTEGERS + 56)(%rsp)
    movl %r11d, %ebx
    movq %rdi, %rsi
    movl %r11d, %edi
    movq 8(%rbp), %rdx
    call preload_begin
    movq %rax, %r12
    movq %rdx, %r13
    subq $STACK_BYTES, %rsp
    leaq 16(%rbp), %rsi
    movl %esi, %eax
    andl $(PAGE_BYTES - 1), %eax
    cmpl $(PAGE_BYTES - STACK_BYTES), %eax
    ja 2f
    .irp offset, 0, 16, 32, 48, 64, 80, 96, 112
    movups \offset(%rsi), %xmm0
    movaps %xmm0, \offset(%rsp)
    .endr
1:
    movaps STACK_BYTES(%rsp), %xmm0
    movaps (STACK_BYTES + 16)(%rsp), %xmm1
    movaps (STACK_BYTES + 32)(%rsp), %xmm2
    movaps (STACK_BYTES + 48)(%rsp), %xmm3
    movaps (STACK_BYTES + 64)(%rsp), %xmm4
    movaps (STACK_BYTES + 80)(%rsp), %xmm5
    movaps (STACK_BYTES + 96)(%rsp), %xmm6
    movaps (STACK_BYTES + 112)(%rsp), %xmm7
    movq (STACK_BYTES + SAVED_INTEGERS)(%rsp), %rdi
    movq (STACK_BYTES + SAVED_INTEGERS + 8)(%rsp), %rsi
    movq (STACK_BYTES + SAVED_INTEGERS + 16)(%rsp), %rdx
    movq (STACK_BYTES + SAVED_INTEGERS + 24)(%rsp), %rcx
    movq (STACK_BYTES + SAVED_INTEGERS + 32)(%rsp), %r8
    movq (STACK_BYTES + SAVED_INTEGERS + 40)(%rsp), %r9
    movq (STACK_BYTES + SAVED_INTEGERS + 48)(%rsp), %rax
    movq (STACK_BYTES + SAVED_INTEGERS + 56)(%rsp), %r10
    call *%r12
    movq %rax, STACK_BYTES(%rsp)
    movq %rdx, (STACK_BYTES + 8)(%rsp)
    movaps %xmm0, (STACK_BYTES + 16)(%rsp)
    movaps %xmm1, (STACK_BYTES + 32)(%rsp)
    movl %ebx, %edi
    movq %r13, %rsi
    call preload_end
    movq STACK_BYTES(%rsp), %rax
    movq (STACK_BYTES + 8)(%rsp), %rdx
    movaps (STACK_BYTES + 16)(%rsp), %xmm0
    movaps (STACK_BYTES + 32)(%rsp), %xmm1
    leaq -24(%rbp), %rsp
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    .cfi_remember_state
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_restore_state
2:  /* what is behind the return address reaches into the next page, which may not be there */
    movq %rsi, %rdi
    call preload_readable_words
    movq %rax, %rcx
    leaq 16(%rbp), %rsi
    movq %rsp, %rdi
    rep movsq
    jmp 1b
    .cfi_endproc
    .size trampoline, . - trampoline

/* void *dlsym(void *handle, const char *name): what it finds depends on who calls, so other names, and what asks for the
 * next definition behind the caller's, go on to the system's with the caller's return address in place. */
    .globl dlsym
    .type dlsym, @function
    .balign 16
dlsym:
    .cfi_startproc
    endbr64
    pushq %rdi
    .cfi_def_cfa_offset 16
    pushq %rsi
    .cfi_def_cfa_offset 24
    subq $8, %rsp
    .cfi_def_cfa_offset 32
    call preload_find
    movl %eax, %edx
    addq $8, %rsp
    .cfi_def_cfa_offset 24
    popq %rsi
    .cfi_def_cfa_offset 16
    popq %rdi
    .cfi_def_cfa_offset 8
    testl %edx, %edx
    js 1f
    movq (%rsp), %rcx
    jmp preload_dlsym
1:  jmp *preload_system_dlsym(%rip)
    .cfi_endproc
    .size dlsym, . - dlsym

/* void *dlvsym(void *handle, const char *name, const char *version), likewise. */
    .globl dlvsym
    .type dlvsym, @function
    .balign 16
dlvsym:
    .cfi_startproc
    endbr64
    pushq %rdi
    .cfi_def_cfa_offset 16
    pushq %rsi
    .cfi_def_cfa_offset 24
    pushq %rdx
    .cfi_def_cfa_offset 32
    call preload_find
    movl %eax, %ecx
    popq %rdx
    .cfi_def_cfa_offset 24
    popq %rsi
    .cfi_def_cfa_offset 16
    popq %rdi
    .cfi_def_cfa_offset 8
    testl %ecx, %ecx
    js 1f
    movq (%rsp), %r8
    jmp preload_dlvsym
1:  jmp *preload_system_dlvsym(%rip)
    .cfi_endproc
    .size dlvsym, . - dlvsym

#define ADDRESS .quad

#elif defined(__aarch64__)

/* Above the stack pointer: 8 vector registers, x0 to x8. Frame record, x19 to x22 above them. */
#define SAVED_INTEGERS 128
#define SAVED_BYTES 208
#define FRAME_BYTES 48

    .macro entry name, index
    .balign 16
    .globl \name
    .type \name, %function
\name:
.Lentry_\index:
    .cfi_startproc
    hint #34 /* bti c */
    mov w17, #\index
    b trampoline
    .cfi_endproc
    .size \name, . - \name
    .endm

    .macro spare index
    .balign 16
.Lentry_\index:
    .cfi_startproc
    hint #34
    mov w17, #\index
    b trampoline
    .cfi_endproc
    .endm

    .text
    .balign 16
    .type trampoline, %function
trampoline:
    .cfi_startproc
    stp x29, x30, [sp, #-FRAME_BYTES]!
    .cfi_def_cfa_offset FRAME_BYTES
    .cfi_offset x29, -FRAME_BYTES
    .cfi_offset x30, -(FRAME_BYTES - 8)
    mov x29, sp
    .cfi_def_cfa x29, FRAME_BYTES
    stp x19, x20, [sp, #16]
    .cfi_offset x19, -(FRAME_BYTES - 16)
    .cfi_offset x20, -(FRAME_BYTES - 24)
    str x21, [sp, #32]
    .cfi_offset x21, -(FRAME_BYTES - 32)
    sub sp, sp, #SAVED_BYTES
    stp q0, q1, [sp]
    stp q2, q3, [sp, #32]
    stp q4, q5, [sp, #64]
    stp q6, q7, [sp, #96]
    stp x0, x1, [sp, #SAVED_INTEGERS]
    stp x2, x3, [sp, #(SAVED_INTEGERS + 16)]
    stp x4, x5, [sp, #(SAVED_INTEGERS + 32)]
    stp x6, x7, [sp, #(SAVED_INTEGERS + 48)]
    str x8, [sp, #(SAVED_INTEGERS + 64)]
    mov w19, w17
    mov x1, x0
    mov w0, w17
    mov x2, x30
    bl preload_begin
    mov x20, x0
    mov x21, x1
    sub sp, sp, #STACK_BYTES
    add x9, x29, #FRAME_BYTES
    and x10, x9, #(PAGE_BYTES - 1)
    cmp x10, #(PAGE_BYTES - STACK_BYTES)
    b.hi 2f
    .irp offset, 0, 32, 64, 96
    ldp q0, q1, [x9, #\offset]
    stp q0, q1, [sp, #\offset]
    .endr
1:
    ldp q0, q1, [sp, #STACK_BYTES]
    ldp q2, q3, [sp, #(STACK_BYTES + 32)]
    ldp q4, q5, [sp, #(STACK_BYTES + 64)]
    ldp q6, q7, [sp, #(STACK_BYTES + 96)]
    ldp x0, x1, [sp, #(STACK_BYTES + SAVED_INTEGERS)]
    ldp x2, x3, [sp, #(STACK_BYTES + SAVED_INTEGERS + 16)]
    ldp x4, x5, [sp, #(STACK_BYTES + SAVED_INTEGERS + 32)]
    ldp x6, x7, [sp, #(STACK_BYTES + SAVED_INTEGERS + 48)]
    ldr x8, [sp, #(STACK_BYTES + SAVED_INTEGERS + 64)]
    blr x20
    stp q0, q1, [sp, #STACK_BYTES]
    stp q2, q3, [sp, #(STACK_BYTES + 32)]
    stp x0, x1, [sp, #(STACK_BYTES + SAVED_INTEGERS)]
    mov w0, w19
    mov x1, x21
    bl preload_end
    ldp q0, q1, [sp, #STACK_BYTES]
    ldp q2, q3, [sp, #(STACK_BYTES + 32)]
    ldp x0, x1, [sp, #(STACK_BYTES + SAVED_INTEGERS)]
    mov sp, x29
    ldr x21, [sp, #32]
    ldp x19, x20, [sp, #16]
    .cfi_remember_state
    ldp x29, x30, [sp], #FRAME_BYTES
    .cfi_def_cfa sp, 0
    .cfi_restore x29
    .cfi_restore x30
    ret
    .cfi_restore_state
2:  /* what is behind the frame reaches into the next page, which may not be there */
    mov x0, x9
    bl preload_readable_words
    add x9, x29, #FRAME_BYTES
    mov x10, sp
3:  cbz x0, 1b
    ldr x11, [x9], #8
    str x11, [x10], #8
    sub x0, x0, #1
    b 3b
    .cfi_endproc
    .size trampoline, . - trampoline

/* As for x86-64 above. */
    .globl dlsym
    .type dlsym, %function
    .balign 16
dlsym:
    .cfi_startproc
    hint #34
    stp x29, x30, [sp, #-32]!
    .cfi_def_cfa_offset 32
    .cfi_offset x29, -32
    .cfi_offset x30, -24
    mov x29, sp
    stp x0, x1, [sp, #16]
    bl preload_find
    mov w2, w0
    ldp x0, x1, [sp, #16]
    ldp x29, x30, [sp], #32
    .cfi_def_cfa_offset 0
    .cfi_restore x29
    .cfi_restore x30
    tbnz w2, #31, 1f
    mov x3, x30
    b preload_dlsym
1:  adrp x16, preload_system_dlsym
    ldr x16, [x16, #:lo12:preload_system_dlsym]
    br x16
    .cfi_endproc
    .size dlsym, . - dlsym

    .globl dlvsym
    .type dlvsym, %function
    .balign 16
dlvsym:
    .cfi_startproc
    hint #34
    stp x29, x30, [sp, #-48]!
    .cfi_def_cfa_offset 48
    .cfi_offset x29, -48
    .cfi_offset x30, -40
    mov x29, sp
    stp x0, x1, [sp, #16]
    str x2, [sp, #32]
    bl preload_find
    mov w3, w0
    ldr x2, [sp, #32]
    ldp x0, x1, [sp, #16]
    ldp x29, x30, [sp], #48
    .cfi_def_cfa_offset 0
    .cfi_restore x29
    .cfi_restore x30
    tbnz w3, #31, 1f
    mov x4, x30
    b preload_dlvsym
1:  adrp x16, preload_system_dlvsym
    ldr x16, [x16, #:lo12:preload_system_dlvsym]
    br x16
    .cfi_endproc
    .size dlvsym, . - dlvsym

#define ADDRESS .xword

#else
#error "the preload library knows x86-64 and aarch64 only"
#endif

#define FUNCTION(index, group, name) entry name, index;
#define SPARE(index) spare index;
#include "preload_functions.h"
#undef FUNCTION
#undef SPARE

    .section .data.rel.ro, "aw"
    .balign 8
    .globl preload_entries
    .hidden preload_entries
preload_entries:
#define FUNCTION(index, group, name) ADDRESS .Lentry_##index;
#define SPARE(index) ADDRESS .Lentry_##index;
#include "preload_functions.h"

    .section .note.GNU-stack, "", %progbits
