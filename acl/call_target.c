/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/call_target.h"

#include "acl/config/json_config.h"
#include "acl/mode.h"
#include "acl/mstx_target.h"
#include "acl/recorder/recorder.h"
#include "acl/recorder/recorder_state.h"

#include <dlfcn.h>

static int json_begin(const char *path, bool svp, const char *caller)
{
    if (acl_json_begin(path, svp ? RECORDER_JOB : RECORDER_PROF, caller) != ACL_SUCCESS)
        return -1;
    return acl_mode_active() == ACL_MODE_JSON ? 1 : 0;
}

static void json_end(void)
{
    (void)acl_json_end();
}

static const struct call_target target = {
    .recording = recorder_wants_calls,
    .call = recorder_call,
    .call_left = recorder_call_left,
    .name_type = recorder_name_type,
    .flush = recorder_flush,
    .json_begin = json_begin,
    .message = msprof_acl_message,
    .json_end = json_end,
    .marks = &acl_mstx_sink,
    .watch_ranges = recorder_watch_ranges,
};

/* When libmsprof_acl is loaded: the preload library, if there is one, is there before. */
__attribute__((constructor)) static void announce(void)
{
    preload_attach_function *attach;
    void *symbol = dlvsym(RTLD_DEFAULT, PRELOAD_ATTACH_SYMBOL, PRELOAD_ATTACH_VERSION);
    *(void **)(void *)&attach = symbol; /* as POSIX has it for functions */
    if (attach != NULL)
        attach(&target);
}
