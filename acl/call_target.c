#include "acl/call_target.h"

#include "acl/recorder_state.h"

#include <dlfcn.h>

static const struct call_target target = {
    .recording = recorder_wants_calls,
    .call = recorder_call,
    .name_type = recorder_name_type,
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
