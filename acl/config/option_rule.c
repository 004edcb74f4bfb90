/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/config/option_rule.h"

#include "acl/message.h"

#include <stdio.h>

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

const struct switch_rule *option_rule_of_type(aclprofConfigType type)
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
