/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/recorder/shield.h"

#include <pthread.h>
#include <sys/mman.h>

void shield_raise(struct shield *shield)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &shield->signals);
    sigpending(&shield->pending);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &shield->cancellation);
}

/* A write beyond RLIMIT_FSIZE raises a signal, too, which is not the program's affair: not one that was there before.
 */
static void take_file_size_signal(const struct shield *shield)
{
    const struct timespec at_once = {0, 0};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    if (sigismember(&shield->pending, SIGXFSZ) == 0)
        sigtimedwait(&set, NULL, &at_once);
}

void shield_drop(const struct shield *shield)
{
    int ours;
    take_file_size_signal(shield);
    pthread_setcancelstate(shield->cancellation, &ours);
    pthread_sigmask(SIG_SETMASK, &shield->signals, NULL);
}

#if defined(__x86_64__)

__asm__(".text\n"
        ".balign 16\n"
        ".hidden msprof_switch_stack\n"
        ".globl msprof_switch_stack\n"
        ".type msprof_switch_stack, @function\n"
        "msprof_switch_stack:\n"
        ".cfi_startproc\n"
        "endbr64\n"
        "pushq %rbp\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset %rbp, -16\n"
        "movq %rsp, %rbp\n"
        ".cfi_def_cfa_register %rbp\n"
        "movq %rdx, %rsp\n"
        "movq %rdi, %rax\n"
        "movq %rsi, %rdi\n"
        "call *%rax\n"
        "movq %rbp, %rsp\n"
        "popq %rbp\n"
        ".cfi_def_cfa %rsp, 8\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size msprof_switch_stack, . - msprof_switch_stack\n");

#elif defined(__aarch64__)

__asm__(".text\n"
        ".balign 16\n"
        ".hidden msprof_switch_stack\n"
        ".globl msprof_switch_stack\n"
        ".type msprof_switch_stack, %function\n"
        "msprof_switch_stack:\n"
        ".cfi_startproc\n"
        "hint #34\n" /* bti c */
        "stp x29, x30, [sp, #-16]!\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset x29, -16\n"
        ".cfi_offset x30, -8\n"
        "mov x29, sp\n"
        ".cfi_def_cfa_register x29\n"
        "mov sp, x2\n"
        "mov x9, x0\n"
        "mov x0, x1\n"
        "blr x9\n"
        "mov sp, x29\n"
        ".cfi_def_cfa_register sp\n"
        "ldp x29, x30, [sp], #16\n"
        ".cfi_def_cfa_offset 0\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size msprof_switch_stack, . - msprof_switch_stack\n");

#else

static void switch_stack(void (*run)(void *arg), void *arg, char *top)
{
    (void)top;
    run(arg);
}

#endif

/* switch_stack(run, arg, top): the caller's stack pointer is kept in the frame pointer's register, which run keeps. */
#if defined(__x86_64__) || defined(__aarch64__)
void switch_stack(void (*run)(void *arg), void *arg, char *top) __asm__("msprof_switch_stack")
    __attribute__((visibility("hidden")));
#endif

void shield_run(struct room *room, void (*run)(void *arg), void *arg)
{
    switch_stack(run, arg, room->stack + sizeof room->stack);
}

void shield_run_apart(void (*run)(void *arg), void *arg)
{
    void *pages =
        mmap(NULL, sizeof(struct room), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) {
        run(arg);
        return;
    }
    shield_run(pages, run, arg);
    munmap(pages, sizeof(struct room));
}
