/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/call_target.h"
#include "acl/preload/preload.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* dlsym: programs that look ACL's functions up themselves get the entries that record, when the functions exist. */

int32_t preload_find(void *handle, const char *name);
void *preload_dlsym(void *handle, const char *name, uint32_t index, const void *caller);

system_dlsym_function *preload_system_dlsym;

static void say(const char *text)
{
    ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
    (void)ignored;
}

static void (*before_end)(void);

void system_end(int status)
{
    if (before_end != NULL)
        before_end();
    for (;;)
        syscall(SYS_exit_group, status);
}

void system_fail(const char *name)
{
    say(program_invocation_name);
    say(": symbol lookup error: undefined symbol: ");
    say(name);
    say(" (looked up by libmsprof_preload)\n");
    system_end(127);
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

/* Whether dlsym is about a function of the list: its index, else -1. A search for the next definition behind
 * the caller's is the system's affair: the first one is this library's already. */
int32_t preload_find(void *handle, const char *name)
{
    if (preload_system_dlsym == NULL)
        system_find_dlsym();
    return handle == RTLD_NEXT || name == NULL ? -1 : functions_find(name);
}

/* Finds what a lookup from the caller's library finds in the libraries that were loaded with it. */
static void *find_beside(const void *caller, const char *name)
{
    Dl_info info;
    if (dladdr(caller, &info) == 0 || info.dli_fname == NULL)
        return NULL;
    void *handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == NULL)
        return NULL;
    void *found = preload_system_dlsym(handle, name);
    dlclose(handle);
    return found;
}

/* The search of all libraries, and that of the program's, come upon this library's entry first. It only counts when the
 * function is there without it. dlerror() tells of the last lookup that failed. */
void *preload_dlsym(void *handle, const char *name, uint32_t index, const void *caller)
{
    const void *ours = preload_entries[index];
    void *found = preload_system_dlsym(handle, name);
    if (found == ours)
        found = preload_system_dlsym(RTLD_NEXT, name);
    else if (found == NULL)
        return NULL;
    if (found == NULL && handle == RTLD_DEFAULT)
        found = find_beside(caller, name);
    if (found == NULL || found == ours) /* ours: beside the caller is the program itself */
        return preload_system_dlsym(RTLD_NEXT, name) == NULL ? NULL : (void *)(uintptr_t)ours; /* sets the error */
    return function_bind(index, found);
}

void system_before_end(void (*before)(void))
{
    before_end = before;
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

/* Whose recorder calls go to: that of libmsprof_acl, once it is in the process and has announced itself. */

__attribute__((visibility("default"))) preload_attach_function msprof_preload_attach;

static _Atomic(const struct call_target *) target;

const struct call_target *call_target(void)
{
    return atomic_load_explicit(&target, memory_order_acquire);
}

void msprof_preload_attach(const struct call_target *new_target)
{
    functions_name_types(new_target->name_type);
    atomic_store(&target, new_target);
}

void call_target_set(const struct call_target *new_target)
{
    atomic_store(&target, new_target);
}
