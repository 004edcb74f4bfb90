/* SPDX-License-Identifier: Apache-2.0 */
/* dlsym and dlvsym: programs that look ACL's functions up themselves get the entries that record. */
#include "acl/preload/preload.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>

int32_t preload_find(void *handle, const char *name);
void *preload_dlsym(void *handle, const char *name, uint32_t index, const void *caller);
void *preload_dlvsym(void *handle, const char *name, const char *version, uint32_t index, const void *caller);

#define PROFILING INT32_MAX /* instead of an index: a function of ACL's profiling */

static bool begins(const char *text, const char *head)
{
    for (; *head != '\0'; head++, text++)
        if (*text != *head)
            return false;
    return true;
}

/* Whether a lookup is about a function of the list or of profiling: its index, or PROFILING; else -1. A search for the
 * next definition behind the caller's is the system's affair: the first one is this library's already. */
int32_t preload_find(void *handle, const char *name)
{
    if (preload_system_dlsym == NULL)
        system_find_dlsym();
    if (handle == RTLD_NEXT || name == NULL)
        return -1;
    int32_t index = functions_find(name);
    return index < 0 && handle != RTLD_DEFAULT && begins(name, "aclprof") ? PROFILING : index;
}

static bool is_acl(void *handle)
{
    const struct link_map *library = NULL;
    if (dlinfo(handle, RTLD_DI_LINKMAP, (void *)&library) != 0 || library->l_name == NULL)
        return false;
    const char *slash = strrchr(library->l_name, '/');
    return begins(slash != NULL ? slash + 1 : library->l_name, "libascendcl.so");
}

/* Some programs look them up in libascendcl.so, whose versions of old had them: the recording library has them. */
static void *find_profiling(void *handle, const char *name, const char *version)
{
    void *found = version != NULL ? preload_system_dlvsym(handle, name, version) : preload_system_dlsym(handle, name);
    if (found != NULL || version != NULL || !is_acl(handle))
        return found;
    found = acl_json_profiling_function(name);
    return found != NULL ? found : preload_system_dlsym(handle, name); /* sets the error */
}

void *preload_dlvsym(void *handle, const char *name, const char *version, uint32_t index, const void *caller)
{
    if (index == PROFILING)
        return find_profiling(handle, name, version);
    return function_look_up(handle, name, version, index, caller);
}

void *preload_dlsym(void *handle, const char *name, uint32_t index, const void *caller)
{
    return preload_dlvsym(handle, name, NULL, index, caller);
}
