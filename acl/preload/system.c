/* SPDX-License-Identifier: Apache-2.0 */
/* The system below this library: its dlsym, its functions, and the end of the process. */
#include "acl/preload/preload.h"
#include "acl/preload/symbols.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

system_dlsym_function *preload_system_dlsym;
system_dlvsym_function *preload_system_dlvsym;
typedef int system_dlclose_function(void *handle);

void system_say(const char *text)
{
    ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
    (void)ignored;
}

static _Atomic(void (*)(void)) call_first;

void system_call_before_end(void (*first)(void))
{
    atomic_store(&call_first, first);
}

static _Noreturn void end_process(int status)
{
    void (*first)(void) = atomic_load(&call_first);
    if (first != NULL)
        first();
    for (;;)
        syscall(SYS_exit_group, status);
}

EXPORT _Noreturn void _exit(int status)
{
    end_process(status);
}

EXPORT _Noreturn void _Exit(int status)
{
    end_process(status);
}

void system_fail(const char *name)
{
    system_say(program_invocation_name);
    system_say(": symbol lookup error: undefined symbol: ");
    system_say(name);
    system_say(" (looked up by libmsprof_preload)\n");
    end_process(127);
}

static bool is_late; /* the system's functions stand in front of this library */

/* The function of the first library behind this one that has it: that is what a lookup by RTLD_NEXT finds, but dlsym
 * and dlvsym are this library's own, and cannot be asked for themselves. Where this library is loaded late, as
 * MSTX_INJECTION_PATH has it, that is the first of those in front of it. */
static void *find_behind(const char *name)
{
    bool is_behind = false;
    void *front = NULL;
    for (const struct link_map *map = _r_debug.r_map; map != NULL; map = map->l_next) {
        const bool is_own = map->l_ld == _DYNAMIC;
        void *found = is_own || (front != NULL && !is_behind) ? NULL : symbols_function(map, name);
        if (found != NULL && is_behind)
            return found;
        front = front != NULL ? front : found;
        is_behind |= is_own;
    }
    if (front == NULL)
        system_fail(name);
    is_late = true;
    return front;
}

void system_find_dlsym(void)
{
    void *versioned = find_behind("dlvsym"), *plain = find_behind("dlsym");
    *(void **)(void *)&preload_system_dlvsym = versioned; /* as POSIX has it for functions */
    *(void **)(void *)&preload_system_dlsym = plain;
}

void *system_function(const char *name)
{
    if (preload_system_dlsym == NULL)
        system_find_dlsym();
    int saved_errno = errno;
    void *function = preload_system_dlsym(is_late ? RTLD_DEFAULT : RTLD_NEXT, name);
    errno = saved_errno;
    if (function == NULL)
        system_fail(name);
    return function;
}

int system_dlclose(void *handle)
{
    static _Atomic(system_dlclose_function *) next;
    system_dlclose_function *function = atomic_load(&next);
    if (function == NULL) {
        void *found = system_function("dlclose");
        *(void **)(void *)&function = found;
        atomic_store(&next, function);
    }
    return function(handle);
}
