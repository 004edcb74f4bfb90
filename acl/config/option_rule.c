#include "acl/config/option_rule.h"

#include "acl/config/path_check.h"
#include "acl/message.h"
#include "base/number.h"

#include <stdio.h>
#include <string.h>

#define SWITCH OPTION_WORD, "on,off", 0, 0
#define METRICS                                                                                                        \
    OPTION_WORD,                                                                                                       \
        "ArithmeticUtilization,PipeUtilization,Memory,MemoryL0,ResourceConflictRatio,MemoryUB,L2Cache,"                \
        "PipelineExecuteUtilization,MemoryAccess,None",                                                                \
        0, 0

static const struct option_rule rules[] = {
    {"switch", ACL_PROF_ARGS_MIN, OPTION_NAMES, NULL, 0, 0}, /* anything but "on" means off */
    {"output", ACL_PROF_PATH, OPTION_PATH, NULL, 0, 0},
    {"storage_limit", ACL_PROF_STORAGE_LIMIT, OPTION_SIZE, NULL, 200, 4294967295},
    {"aic_metrics", ACL_PROF_ARGS_MIN, METRICS},
    {"aac_metrics", ACL_PROF_ARGS_MIN, METRICS}, /* aac and aa: the spelling of guides for SVP boards */
    {"aicpu", ACL_PROF_ARGS_MIN, SWITCH},
    {"aacpu", ACL_PROF_ARGS_MIN, SWITCH},
    {"l2", ACL_PROF_ARGS_MIN, SWITCH},
    {"hccl", ACL_PROF_ARGS_MIN, SWITCH},
    {"msproftx", ACL_PROF_ARGS_MIN, SWITCH},
    {"instr_profiling", ACL_PROF_ARGS_MIN, SWITCH},
    {"instr_profiling_freq", ACL_PROF_ARGS_MIN, OPTION_RANGE, NULL, 300, 30000},
    {"task_tsfw", ACL_PROF_ARGS_MIN, SWITCH},
    {"ascendcl", ACL_PROF_ARGS_MIN, SWITCH},
    {"acl_api", ACL_PROF_ARGS_MIN, SWITCH},
    {"task_time", ACL_PROF_ARGS_MIN, OPTION_WORD, "on,off,l0,l1,l2,l3", 0, 0},
    {"runtime_api", ACL_PROF_ARGS_MIN, SWITCH},
    {"ge_api", ACL_PROF_ARGS_MIN, OPTION_WORD, "on,off,l0,l1", 0, 0},
    {"task_memory", ACL_PROF_ARGS_MIN, SWITCH},
    {"interval", ACL_PROF_ARGS_MIN, OPTION_RANGE, NULL, 0, 9999},
    {"sys_hardware_mem_freq", ACL_PROF_SYS_HARDWARE_MEM_FREQ, OPTION_RANGE, NULL, 1, 100},
    {"llc_profiling", ACL_PROF_LLC_MODE, OPTION_WORD, "read,write", 0, 0},
    {"sys_io_sampling_freq", ACL_PROF_SYS_IO_FREQ, OPTION_RANGE, NULL, 1, 100},
    {"sys_interconnection_freq", ACL_PROF_SYS_INTERCONNECTION_FREQ, OPTION_RANGE, NULL, 1, 50},
    {"dvpp_freq", ACL_PROF_DVPP_FREQ, OPTION_RANGE, NULL, 1, 100},
    {"host_sys", ACL_PROF_HOST_SYS, OPTION_LIST, "cpu,mem,disk,network,osrt,numa", 0, 0},
    {"host_sys_usage", ACL_PROF_HOST_SYS_USAGE, OPTION_LIST, "cpu,mem", 0, 0},
    {"host_sys_usage_freq", ACL_PROF_HOST_SYS_USAGE_FREQ, OPTION_RANGE, NULL, 1, 50},
    {"sys_lp_freq", ACL_PROF_LOW_POWER_FREQ, OPTION_RANGE, NULL, 1, 100},
    {"sys_mem_serviceflow", ACL_PROF_SYS_MEM_SERVICEFLOW, OPTION_NAMES, NULL, 0, 0},
    {"sys_cpu_freq", ACL_PROF_SYS_CPU_FREQ, OPTION_RANGE, NULL, 1, 50},
    {"optype", ACL_PROF_OPTYPE, OPTION_NAMES, NULL, 0, 0},
    {NULL, ACL_PROF_NTS_METRICS, OPTION_WORD, "PipeUtilization", 0, 0},
};

const struct option_rule *option_rule_of_type(aclprofConfigType type)
{
    for (size_t i = 0; type != ACL_PROF_ARGS_MIN && i < sizeof rules / sizeof *rules; i++) {
        if (rules[i].type == type)
            return &rules[i];
    }
    return NULL;
}

const struct option_rule *option_rule_of_key(const char *key)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (rules[i].key != NULL && strcmp(rules[i].key, key) == 0)
            return &rules[i];
    }
    return NULL;
}

static bool is_one_of(const char *word, size_t length, const char *words)
{
    for (const char *at = words; *at != '\0';) {
        size_t candidate = strcspn(at, ",");
        if (candidate == length && memcmp(at, word, length) == 0)
            return true;
        at += candidate + (at[candidate] == ',');
    }
    return false;
}

static bool are_some_of(const char *list, const char *words)
{
    for (;;) {
        size_t length = strcspn(list, ",");
        if (length == 0 || (words != NULL && !is_one_of(list, length, words)))
            return false;
        if (list[length] == '\0')
            return true;
        list += length + 1;
    }
}

static bool is_in_range(const struct option_rule *rule, const char *digits, size_t length)
{
    int64_t number;
    return number_parse_integer(digits, length, &number) == 0 && number >= rule->low && number <= rule->high;
}

static bool has_megabytes(const char *value)
{
    size_t length = strlen(value);
    return length > 2 && strcmp(value + length - 2, "MB") == 0;
}

static bool is_allowed(const struct option_rule *rule, const char *value)
{
    switch (rule->check) {
    case OPTION_WORD:
        return is_one_of(value, strlen(value), rule->words);
    case OPTION_LIST:
        return are_some_of(value, rule->words);
    case OPTION_RANGE:
        return is_in_range(rule, value, strlen(value));
    case OPTION_SIZE:
        return has_megabytes(value) && is_in_range(rule, value, strlen(value) - 2);
    case OPTION_NAMES:
        return are_some_of(value, NULL);
    case OPTION_PATH:
        return *value != '\0' && acl_path_forbidden(value, false) == '\0';
    }
    return false;
}

aclError option_check_value(const struct option_rule *rule, const char *parameter, const char *value)
{
    if (is_allowed(rule, value))
        return ACL_SUCCESS;
    char reason[256];
    switch (rule->check) {
    case OPTION_WORD:
        (void)snprintf(reason, sizeof reason, "it must be one of %s", rule->words);
        break;
    case OPTION_LIST:
        (void)snprintf(reason, sizeof reason, "it must be a list of %s", rule->words);
        break;
    case OPTION_RANGE:
    case OPTION_SIZE:
        (void)snprintf(reason, sizeof reason, "it must be a number from %lld to %lld%s", (long long)rule->low,
                       (long long)rule->high, rule->check == OPTION_SIZE ? " followed by MB" : "");
        break;
    case OPTION_NAMES:
        (void)snprintf(reason, sizeof reason, "it must be names divided by commas");
        break;
    case OPTION_PATH:
        (void)snprintf(reason, sizeof reason, "it must be a path without control characters and \"'\\%%><|&$;`");
        break;
    }
    return acl_fail_value(ACL_ERROR_INVALID_PROFILING_CONFIG, parameter, value, reason);
}

uint64_t option_size_bytes(const char *value)
{
    int64_t megabytes = 0;
    (void)number_parse_integer(value, strlen(value) - 2, &megabytes);
    return (uint64_t)megabytes * 1024 * 1024;
}
