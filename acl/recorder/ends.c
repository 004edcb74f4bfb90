/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/recorder/ends.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static _Atomic(void (*)(void)) call_first;

void ends_call_first(void (*first)(void))
{
    atomic_store(&call_first, first);
}

void ends_process(int status)
{
    void (*first)(void) = atomic_load(&call_first);
    if (first != NULL)
        first();
    for (;;)
        syscall(SYS_exit_group, status);
}

EXPORT _Noreturn void _exit(int status)
{
    ends_process(status);
}

EXPORT _Noreturn void _Exit(int status)
{
    ends_process(status);
}
