/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/mode.h"

#include "acl/message.h"

#include <stddef.h>

pthread_mutex_t acl_json_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t acl_file_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t acl_parse_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t acl_config_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t acl_option_lock = PTHREAD_MUTEX_INITIALIZER;

static pthread_mutex_t acl_mode_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t acl_stack_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t acl_capture_lock = PTHREAD_MUTEX_INITIALIZER;

static pthread_mutex_t *const in_order[] = {
    &acl_json_lock,   &acl_file_lock, &acl_parse_lock, &acl_config_lock,
    &acl_option_lock, &acl_mode_lock, &acl_stack_lock, &acl_capture_lock,
};

#define LOCK_COUNT (sizeof in_order / sizeof *in_order)

static void before_fork(void)
{
    for (size_t i = 0; i < LOCK_COUNT; i++)
        pthread_mutex_lock(in_order[i]);
}

static void after_fork_in_parent(void)
{
    for (size_t i = LOCK_COUNT; i-- > 0;)
        pthread_mutex_unlock(in_order[i]);
}

static void after_fork_in_child(void)
{
    acl_stamps_in_forked_child();
    after_fork_in_parent();
}

__attribute__((constructor)) static void watch_forks(void)
{
    (void)pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

static enum acl_mode active = ACL_MODE_NONE;
static unsigned claims;

static const char *const mode_names[] = {
    [ACL_MODE_NONE] = "none",
    [ACL_MODE_API] = "profiling started by aclprofInit",
    [ACL_MODE_SVP_API] = "profiling started by svp_acl_prof_init",
    [ACL_MODE_JSON] = "profiling started by acl.json",
    [ACL_MODE_COMMAND] = "profiling started by msprof",
    [ACL_MODE_SUBSCRIBE] = "subscription by aclprofModelSubscribe",
};

/* The code for claiming wanted while holder is active. */
static aclError conflict(enum acl_mode holder, enum acl_mode wanted)
{
    if (holder == wanted)
        return ACL_ERROR_REPEAT_INITIALIZE;
    if (holder == ACL_MODE_SUBSCRIBE || wanted == ACL_MODE_SUBSCRIBE)
        return ACL_ERROR_PROF_API_CONFLICT;
    if (holder == ACL_MODE_JSON || holder == ACL_MODE_COMMAND || wanted == ACL_MODE_JSON || wanted == ACL_MODE_COMMAND)
        return ACL_ERROR_PROF_ALREADY_RUN;
    return ACL_ERROR_PROF_API_CONFLICT;
}

aclError acl_mode_claim(enum acl_mode mode, const char *caller)
{
    aclError code = ACL_SUCCESS;
    pthread_mutex_lock(&acl_mode_lock);
    enum acl_mode holder = active;
    if (holder == ACL_MODE_NONE || (holder == mode && mode == ACL_MODE_SUBSCRIBE)) {
        active = mode;
        claims++;
    } else {
        code = conflict(holder, mode);
    }
    pthread_mutex_unlock(&acl_mode_lock);
    if (code == ACL_SUCCESS)
        return code;
    if (code == ACL_ERROR_REPEAT_INITIALIZE)
        return acl_fail(code, "EK0002", "%s has been called already.", caller);
    return acl_fail(code, "EK0007", "%s is not possible: %s is active.", caller, mode_names[holder]);
}

void acl_mode_release(enum acl_mode mode)
{
    pthread_mutex_lock(&acl_mode_lock);
    if (active == mode && mode != ACL_MODE_NONE && --claims == 0)
        active = ACL_MODE_NONE;
    pthread_mutex_unlock(&acl_mode_lock);
}

enum acl_mode acl_mode_active(void)
{
    pthread_mutex_lock(&acl_mode_lock);
    enum acl_mode mode = active;
    pthread_mutex_unlock(&acl_mode_lock);
    return mode;
}
