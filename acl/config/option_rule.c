/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/config/option_rule.h"

#include "acl/message.h"
#include "acl/mode.h"
#include "base/file/fsutil.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static aclError refuse_character(const char *path, const char *parameter, char c)
{
    char reason[64];
    if (c > ' ' && c < 0x7f)
        (void)snprintf(reason, sizeof reason, "the path must not hold the character '%c'", c);
    else
        (void)snprintf(reason, sizeof reason, "the path must not hold the character 0x%02x",
                       (unsigned)(unsigned char)c);
    return acl_fail_value(ACL_ERROR_INVALID_FILE, parameter, path, reason);
}

aclError acl_path_prepare(const char *path, const char *parameter, bool svp, char **ret_absolute)
{
    struct err err = ERR_INIT;
    char forbidden = switch_path_forbidden(path, svp);
    if (forbidden != '\0')
        return refuse_character(path, parameter, forbidden);
    if (path_make_directories(path, &err) < 0)
        return acl_fail_err(ACL_ERROR_INVALID_FILE, &err);
    if (access(path, W_OK | X_OK) < 0)
        return acl_fail_value(ACL_ERROR_INVALID_FILE, parameter, path, strerror(errno));
    char *absolute = path_absolute(path, &err);
    if (absolute == NULL)
        return acl_fail_err(err.code == ERR_NO_MEMORY ? ACL_ERROR_BAD_ALLOC : ACL_ERROR_INVALID_FILE, &err);
    *ret_absolute = absolute;
    return ACL_SUCCESS;
}

static const char *const keys_of_types[ACL_PROF_ARGS_MAX] = {
    [ACL_PROF_PATH] = "output",
    [ACL_PROF_STORAGE_LIMIT] = "storage_limit",
    [ACL_PROF_SYS_HARDWARE_MEM_FREQ] = "sys_hardware_mem_freq",
    [ACL_PROF_LLC_MODE] = "llc_profiling",
    [ACL_PROF_SYS_IO_FREQ] = "sys_io_sampling_freq",
    [ACL_PROF_SYS_INTERCONNECTION_FREQ] = "sys_interconnection_freq",
    [ACL_PROF_DVPP_FREQ] = "dvpp_freq",
    [ACL_PROF_HOST_SYS] = "host_sys",
    [ACL_PROF_HOST_SYS_USAGE] = "host_sys_usage",
    [ACL_PROF_HOST_SYS_USAGE_FREQ] = "host_sys_usage_freq",
    [ACL_PROF_LOW_POWER_FREQ] = "sys_lp_freq",
    [ACL_PROF_SYS_MEM_SERVICEFLOW] = "sys_mem_serviceflow",
    [ACL_PROF_SYS_CPU_FREQ] = "sys_cpu_freq",
    [ACL_PROF_OPTYPE] = "optype",
};

/* It has no key in an acl.json. */
static const struct switch_rule nts_metrics = {.key = "nts_metrics", .check = SWITCH_WORD, .words = "PipeUtilization"};

/* NULL when there is none. */
static const struct switch_rule *option_rule_of_type(aclprofConfigType type)
{
    if (type == ACL_PROF_NTS_METRICS)
        return &nts_metrics;
    if (type <= ACL_PROF_ARGS_MIN || type >= ACL_PROF_ARGS_MAX || keys_of_types[type] == NULL)
        return NULL;
    return switch_rule_find(keys_of_types[type], SWITCH_ACL);
}

const struct switch_rule *option_rule_of_key(const char *key, bool svp)
{
    const struct switch_rule *rule = switch_rule_find(key, svp ? SWITCH_SVP : SWITCH_ACL);
    return rule != NULL ? rule : switch_rule_find(key, SWITCH_ACL | SWITCH_SVP);
}

aclError option_check_value(const struct switch_rule *rule, const char *value)
{
    char allowed[SWITCH_REASON_SIZE], reason[SWITCH_REASON_SIZE + 16];
    if (switch_rule_allows(rule, value))
        return ACL_SUCCESS;
    switch_rule_tell(rule, allowed);
    (void)snprintf(reason, sizeof reason, "it must be %s", allowed);
    return acl_fail_value(ACL_ERROR_INVALID_PROFILING_CONFIG, rule->key, value, reason);
}

static char values[ACL_PROF_ARGS_MAX][ACL_OPTION_MAX + 1];

aclError aclprofSetConfig(aclprofConfigType configType, const char *config, size_t configLength)
{
    const struct switch_rule *rule = option_rule_of_type(configType);
    if (rule == NULL)
        return acl_fail_number(ACL_ERROR_INVALID_PARAM, "configType", configType, "there is no such type");
    if (config == NULL)
        return acl_fail_null("config");
    if (configLength > ACL_OPTION_MAX)
        return acl_fail_number(ACL_ERROR_INVALID_PARAM, "configLength", configLength, "it is more than 256");
    if (strnlen(config, configLength + 1) != configLength)
        return acl_fail_number(ACL_ERROR_INVALID_PARAM, "configLength", configLength,
                               "it is not the length of the value");
    aclError code = option_check_value(rule, config);
    if (code != ACL_SUCCESS)
        return code;
    pthread_mutex_lock(&acl_option_lock);
    memcpy(values[configType], config, configLength + 1);
    pthread_mutex_unlock(&acl_option_lock);
    return ACL_SUCCESS;
}

void acl_option_get(int type, char *ret)
{
    pthread_mutex_lock(&acl_option_lock);
    memcpy(ret, values[type], sizeof values[type]);
    pthread_mutex_unlock(&acl_option_lock);
}

uint64_t acl_option_storage_limit(void)
{
    char value[ACL_OPTION_MAX + 1];
    acl_option_get(ACL_PROF_STORAGE_LIMIT, value);
    return *value == '\0' ? 0 : switch_size_bytes(value);
}

void acl_options_clear(void)
{
    pthread_mutex_lock(&acl_option_lock);
    memset(values, 0, sizeof values);
    pthread_mutex_unlock(&acl_option_lock);
}
