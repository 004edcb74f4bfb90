/* SPDX-License-Identifier: Apache-2.0 */
/* mstx: the tool that programs find under this library. Marks go where calls go, into the capture of a program that
 * makes its own, or into this library's. */
#include "acl/mstx/mstx.h"
#include "acl/call_target.h"
#include "acl/preload/preload.h"
#include "acl/recorder/forks.h"
#include "acl/recorder/recorder_state.h"
#include "acl/recorder/shield.h"
#include "base/file/fsutil.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INJECTION "InitInjectionMstx"

/* ---- where they go ---- */

static bool wants(const char *domain)
{
    return mstx_is_chosen(marks_domains(), NULL, domain);
}

static const struct mstx_sink own = {
    .session = recorder_session,
    .wants = wants,
    .name = recorder_name_id,
    .tx = recorder_tx,
    .heap = recorder_heap,
    .lose_range = recorder_lose_range,
};

/* Recordings of both recorders have numbers of their own. */
static uint64_t key_of(uint32_t session, bool is_target)
{
    return (uint64_t)session << 1 | is_target;
}

const struct mstx_sink *mstx_destination(uint64_t *ret_key)
{
    const struct call_target *program = call_target();
    forks_notice();
    uint32_t session = program != NULL ? program->marks->session() : 0;
    if (session != 0) {
        *ret_key = key_of(session, true);
        return program->marks;
    }
    session = recording_takes_marks() ? recorder_session() : 0;
    *ret_key = key_of(session, false);
    return session != 0 ? &own : NULL;
}

static void describe_own(uint32_t session, struct range_losses *ret)
{
    mstx_describe_ranges(key_of(session, false), ret);
}

static void describe_target(uint32_t session, struct range_losses *ret)
{
    mstx_describe_ranges(key_of(session, true), ret);
}

__attribute__((visibility("default"))) preload_attach_function msprof_preload_attach;

/* libmsprof_acl announces itself. */
void msprof_preload_attach(const struct call_target *target)
{
    functions_name_types(target->name_type);
    target->watch_ranges(describe_target);
    call_target_set(target);
}

/* ---- the tool ---- */

/* Whether LD_PRELOAD names a library, by its file's name. */
static bool is_preloaded(const char *path)
{
    const char *list = getenv("LD_PRELOAD"), *name = path_name(path);
    size_t length = strlen(name);
    while (list != NULL && *list != '\0') {
        size_t part = strcspn(list, ": ");
        if (part >= length && memcmp(list + part - length, name, length) == 0 &&
            (part == length || list[part - length - 1] == '/'))
            return true;
        list += part + (list[part] != '\0' ? 1 : 0);
    }
    return false;
}

struct other_tool {
    mstxInitInjectionFunc init; /* NULL: there is none */
    char path[1024];
};

/* Another one that is preloaded has its place. One that comes with the program's libraries is what would record them
 * without this library. */
static void find_other(void *arg)
{
    struct other_tool *other = arg;
    Dl_info info;
    if (preload_system_dlsym == NULL)
        system_find_dlsym();
    void *found = preload_system_dlsym(RTLD_NEXT, INJECTION);
    if (found == NULL || dladdr(found, &info) == 0 || info.dli_fname == NULL ||
        strncmp(path_name(info.dli_fname), "libmsprof_acl", strlen("libmsprof_acl")) == 0 ||
        !is_preloaded(info.dli_fname))
        return;
    *(void **)(void *)&other->init = found;
    (void)snprintf(other->path, sizeof other->path, "%s", info.dli_fname);
}

__attribute__((visibility("default"))) int InitInjectionMstx(mstxGetModuleFuncTableFunc get);

int InitInjectionMstx(mstxGetModuleFuncTableFunc get)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    struct other_tool other = {.init = NULL};
    struct shield before;
    shield_raise(&before);
    shield_run_apart(find_other, &other);
    shield_drop(&before);
    if (other.init != NULL) {
        if (!atomic_flag_test_and_set(&told))
            marks_tell_unrecorded("'", other.path, "' is preloaded, too, and receives them");
        return other.init(get);
    }
    recorder_watch_ranges(describe_own);
    return mstx_fill(get);
}
