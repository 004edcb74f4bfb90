/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder as the API's functions use it: its errors become codes and messages, its reports lines of the log. */
#include "acl/call_target.h"
#include "acl/message.h"
#include "acl/mode.h"
#include "acl/mstx_target.h"
#include "acl/recorder/recorder.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static atomic_bool reports_wanted;

/* Neither getenv nor stdio: a signal handler may be the caller. */
static void report(const char *text)
{
    if (!atomic_load(&reports_wanted))
        return;
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    if (written >= 0)
        written = write(STDERR_FILENO, "\n", 1);
    (void)written;
}

/* The preload library stands in front of _exit() and flushes there. */
static bool is_preloaded(void)
{
    return dlvsym(RTLD_DEFAULT, PRELOAD_ATTACH_SYMBOL, PRELOAD_ATTACH_VERSION) != NULL;
}

aclError acl_recorder_begin(struct recorder_options *options)
{
    struct err err = ERR_INIT;
    atomic_store(&reports_wanted, acl_log_wanted());
    options->report = report;
    options->children_at_once = !is_preloaded();
    acl_mstx_choose(options->sample.domains_include, options->sample.domains_exclude);
    pthread_mutex_lock(&acl_capture_lock);
    int result = recorder_start(options, &err);
    pthread_mutex_unlock(&acl_capture_lock);
    if (result < 0)
        return acl_fail_err(ACL_ERROR_PROFILING_FAILURE, &err);
    return ACL_SUCCESS;
}

aclError acl_recorder_end(void)
{
    struct err err = ERR_INIT;
    if (recorder_stop(&err) < 0 && err.code != ERR_NOT_FOUND)
        return acl_fail_err(ACL_ERROR_PROFILING_FAILURE, &err);
    return ACL_SUCCESS;
}

size_t msprof_acl_capture_path(char *path, size_t size)
{
    pthread_mutex_lock(&acl_capture_lock);
    const char *directory = recorder_capture_directory();
    size_t length = strlen(directory);
    if (path != NULL && size > 0) {
        size_t kept = length < size ? length : size - 1;
        memcpy(path, directory, kept);
        path[kept] = '\0';
    }
    pthread_mutex_unlock(&acl_capture_lock);
    return length;
}

aclError msprof_acl_flush(void)
{
    if (!recorder_flush())
        return acl_fail(ACL_ERROR_PROFILING_FAILURE, "EK9999",
                        "The files of the capture were in use for more than two seconds.");
    return ACL_SUCCESS;
}

uint64_t msprof_acl_now(void)
{
    return (uint64_t)recorder_now();
}
