/* SPDX-License-Identifier: Apache-2.0 */
/* dlsym: programs that look ACL's functions up themselves get the entries that record, when the functions exist. */
#include "acl/preload/preload.h"

#include <dlfcn.h>
#include <link.h>

int32_t preload_find(void *handle, const char *name);
void *preload_dlsym(void *handle, const char *name, uint32_t index, const void *caller);

/* Whether dlsym is about a function of the list: its index, else -1. A lookup of the next definition behind the
 * caller's is left to the system: the first one is this library's already. */
int32_t preload_find(void *handle, const char *name)
{
    if (preload_system_dlsym == NULL)
        system_find_dlsym();
    return handle == RTLD_NEXT || name == NULL ? -1 : functions_find(name);
}

/* Finds a name in the libraries that were loaded with the caller's. */
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
