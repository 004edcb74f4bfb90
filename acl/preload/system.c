/* SPDX-License-Identifier: Apache-2.0 */
/* The system below this library: its dlsym, its functions, and the end of the process. */
#include "acl/preload/preload.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

system_dlsym_function *preload_system_dlsym;

static void say(const char *text)
{
    ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
    (void)ignored;
}

void system_fail(const char *name)
{
    say(program_invocation_name);
    say(": symbol lookup error: undefined symbol: ");
    say(name);
    say(" (looked up by libmsprof_preload)\n");
    exits_process(127);
}

/* dlsym is this library's own, so the system's is asked for by its version; the older one is first on architectures
 * that have two. */
void system_find_dlsym(void)
{
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"};
    for (size_t i = 0; preload_system_dlsym == NULL && i < sizeof versions / sizeof versions[0]; i++) {
        void *found = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
        *(void **)(void *)&preload_system_dlsym = found;
    }
    if (preload_system_dlsym == NULL)
        system_fail("dlsym");
}

void *system_function(const char *name)
{
    if (preload_system_dlsym == NULL)
        system_find_dlsym();
    int saved_errno = errno;
    void *function = preload_system_dlsym(RTLD_NEXT, name);
    errno = saved_errno;
    if (function == NULL)
        system_fail(name);
    return function;
}
