/* SPDX-License-Identifier: Apache-2.0 */
#include "features/options/rule.h"

#include "base/language.h"
#include "base/number.h"
#include "base/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define EVERY_ACL (SWITCH_ACL | SWITCH_SVP)
#define CANN (SWITCH_GE | SWITCH_ACL)
#define BOTH_FRAMEWORKS (SWITCH_MINDSPORE | SWITCH_PYTORCH)
#define ON_OFF .check = SWITCH_WORD, .words = "on,off"
#define FLAG .check = SWITCH_FLAG
#define ANY .check = SWITCH_ANY
#define FREQUENCY(least, most) .check = SWITCH_RANGE, .low = (least), .high = (most), .as_number = true
#define METRICS                                                                                                        \
    "ArithmeticUtilization,PipeUtilization,Memory,MemoryL0,ResourceConflictRatio,MemoryUB,L2Cache,"                    \
    "PipelineExecuteUtilization,MemoryAccess"
#define NO_METRICS ",AiCoreNone,AicoreNone"

const struct switch_rule switch_rules[] = {
    {"switch", EVERY_ACL, .check = SWITCH_NAMES}, /* anything but "on" means off */
    {"output", CANN, .check = SWITCH_PATH, .may_be_empty = true},
    {"output", SWITCH_SVP, .check = SWITCH_BOARD_PATH},
    {"storage_limit", CANN, .check = SWITCH_SIZE, .low = 200, .high = 4294967295},
    {"training_trace", SWITCH_GE, ON_OFF, .may_be_empty = true},
    {"task_trace", SWITCH_GE, .check = SWITCH_WORD, .words = "on,off,l0,l1,l2,l3", .usual = "on", .may_be_empty = true},
    {"task_time", SWITCH_GE, .check = SWITCH_WORD, .words = "on,off,l0,l1,l2,l3", .may_be_empty = true},
    {"task_trace", EVERY_ACL, .check = SWITCH_WORD, .words = "on,off,l0,l1,l2,l3",
     .may_be_empty = true}, /* older name */
    {"scale", SWITCH_ACL, .check = SWITCH_TEXT},
    {"task_time", EVERY_ACL, .check = SWITCH_WORD, .words = "on,off,l0,l1,l2,l3", .usual = "on"},
    {"aic_metrics", SWITCH_ACL, .check = SWITCH_WORD, .words = METRICS ",None,Custom:", .usual = "PipeUtilization",
     .may_be_empty = true},
    {"aic_metrics", SWITCH_SVP, .check = SWITCH_TEXT}, /* any but SWITCH_BOARD_METRICS means none */
    {"aic_metrics", SWITCH_GE, .check = SWITCH_WORD, .words = METRICS ",Custom:", .may_be_empty = true},
    {"aac_metrics", SWITCH_SVP, .check = SWITCH_TEXT}, /* aac and aa: the spelling of guides for SVP boards */
    {"aicpu", EVERY_ACL, ON_OFF},
    {"aicpu", SWITCH_GE, ON_OFF, .may_be_empty = true},
    {"aacpu", EVERY_ACL, ON_OFF},
    {"l2", EVERY_ACL, ON_OFF},
    {"l2", SWITCH_GE, ON_OFF, .may_be_empty = true},
    {"hccl", EVERY_ACL, ON_OFF},
    {"hccl", SWITCH_GE, ON_OFF, .may_be_empty = true},
    {"fp_point", SWITCH_GE, .check = SWITCH_NAMES, .may_be_empty = true},
    {"bp_point", SWITCH_GE, .check = SWITCH_NAMES, .may_be_empty = true},
    {"msproftx", EVERY_ACL, ON_OFF},
    {"msproftx", SWITCH_GE, ON_OFF, .may_be_empty = true},
    {"mstx_domain_include", SWITCH_ACL, .check = SWITCH_NAMES, .may_be_empty = true},
    {"mstx_domain_exclude", SWITCH_ACL, .check = SWITCH_NAMES, .may_be_empty = true},
    {"instr_profiling", EVERY_ACL, ON_OFF},
    {"instr_profiling", SWITCH_GE, ON_OFF, .may_be_empty = true},
    {"instr_profiling_freq", CANN | SWITCH_SVP, FREQUENCY(300, 30000)},
    {"task_tsfw", EVERY_ACL, ON_OFF},
    {"task_tsfw", SWITCH_GE, ON_OFF, .may_be_empty = true},
    {"task_block", SWITCH_GE, ON_OFF, .may_be_empty = true},
    {"ascendcl", EVERY_ACL, ON_OFF, .usual = "on"},
    {"acl_api", EVERY_ACL, ON_OFF},
    {"runtime_api", EVERY_ACL, ON_OFF, .usual = "on"},
    {"runtime_api", SWITCH_GE, ON_OFF, .may_be_empty = true},
    {"ge_api", EVERY_ACL, .check = SWITCH_WORD, .words = "on,off,l0,l1"},
    {"ge_api", SWITCH_GE, .check = SWITCH_WORD, .words = "off,l0,l1", .may_be_empty = true},
    {"task_memory", EVERY_ACL, ON_OFF},
    {"task_memory", SWITCH_GE, ON_OFF, .may_be_empty = true},
    {"interval", EVERY_ACL, .check = SWITCH_RANGE, .low = 0, .high = 9999},
    {"sys_hardware_mem_freq", CANN, FREQUENCY(1, 10000)}, /* 100 but on Ascend 950: see outcome_warn */
    {"sys_hardware_mem_freq", SWITCH_SVP, FREQUENCY(1, 100)},
    {"llc_profiling", CANN | SWITCH_SVP, .check = SWITCH_WORD, .words = "read,write"},
    {"sys_io_sampling_freq", CANN | SWITCH_SVP, FREQUENCY(1, 100)},
    {"sys_interconnection_freq", CANN | SWITCH_SVP, FREQUENCY(1, 50)},
    {"dvpp_freq", CANN | SWITCH_SVP, FREQUENCY(1, 100)},
    {"host_sys", CANN | SWITCH_SVP, .check = SWITCH_LIST, .words = "cpu,mem,disk,network,osrt,numa"},
    {"host_sys_usage", CANN | SWITCH_SVP, .check = SWITCH_LIST, .words = "cpu,mem"},
    {"host_sys_usage_freq", CANN | SWITCH_SVP, FREQUENCY(1, 50)},
    {"sys_lp_freq", CANN | SWITCH_SVP, FREQUENCY(1, 100)},
    {"sys_mem_serviceflow", CANN | SWITCH_SVP, .check = SWITCH_NAMES},
    {"sys_cpu_freq", CANN | SWITCH_SVP, FREQUENCY(1, 50)},
    {"optype", CANN | SWITCH_SVP, .check = SWITCH_NAMES},
    {"enable_profiling", SWITCH_GE, ANY}, /* of TensorFlow's ProfilingConfig */

    {"profiler_level", SWITCH_MINDSPORE, .check = SWITCH_WORD, .words = "LevelNone,Level0,Level1,Level2,0,1,2",
     .usual = "Level0"},
    {"profiler_level", SWITCH_PYTORCH, .check = SWITCH_WORD, .words = "Level_none,LevelNone,Level0,Level1,Level2",
     .usual = "Level0"},
    {"aic_metrics", SWITCH_MINDSPORE, .check = SWITCH_WORD, .words = METRICS NO_METRICS, .usual = "AiCoreNone"},
    {"aicore_metrics", SWITCH_MINDSPORE, .check = SWITCH_WORD, .words = METRICS NO_METRICS ",-1,0,1,2,3,4,5,6"},
    {"aic_metrics", SWITCH_PYTORCH, .check = SWITCH_WORD,
     .words = "ACL_AICORE_PIPE_UTILIZATION,ACL_AICORE_ARITHMETIC_UTILIZATION,ACL_AICORE_MEMORY_BANDWIDTH,"
              "ACL_AICORE_L0B_AND_WIDTH,ACL_AICORE_RESOURCE_CONFLICT_RATIO,ACL_AICORE_MEMORY_UB,ACL_AICORE_L2_CACHE,"
              "ACL_AICORE_MEMORY_ACCESS,ACL_AICORE_NONE," METRICS NO_METRICS,
     .usual = "AiCoreNone"},
    {"activities", SWITCH_MINDSPORE, .check = SWITCH_LIST, .words = "CPU,NPU,GPU", .usual = "CPU,NPU"},
    {"activities", SWITCH_PYTORCH, .check = SWITCH_LIST, .words = "CPU,NPU", .usual = "CPU,NPU"},
    {"l2_cache", BOTH_FRAMEWORKS, FLAG},
    {"profile_memory", BOTH_FRAMEWORKS, FLAG},
    {"hbm_ddr", SWITCH_MINDSPORE, FLAG},
    {"pcie", SWITCH_MINDSPORE, FLAG},
    {"sys_io", BOTH_FRAMEWORKS, FLAG},
    {"sys_interconnection", BOTH_FRAMEWORKS, FLAG},
    {"host_sys", BOTH_FRAMEWORKS, .check = SWITCH_LIST, .words = "cpu,mem,disk,network,osrt", .may_be_empty = true},
    {"mstx", BOTH_FRAMEWORKS, FLAG},
    {"msprof_tx", SWITCH_PYTORCH, FLAG},
    {"op_attr", SWITCH_PYTORCH, FLAG},
    {"with_stack", BOTH_FRAMEWORKS, FLAG},
    {"record_shapes", BOTH_FRAMEWORKS, FLAG},
    {"with_flops", SWITCH_PYTORCH, FLAG},
    {"with_modules", SWITCH_PYTORCH, FLAG},
    {"data_simplification", BOTH_FRAMEWORKS, FLAG},
    {"data_process", SWITCH_MINDSPORE, FLAG},
    {"parallel_strategy", SWITCH_MINDSPORE, FLAG},
    {"sync_enable", SWITCH_MINDSPORE, FLAG},
    {"start", SWITCH_MINDSPORE, FLAG}, /* of MS_PROFILER_OPTIONS, which starts nothing without it */
    {"start_profile", SWITCH_MINDSPORE, FLAG},
    {"profile_communication", SWITCH_MINDSPORE, FLAG},
    {"profile_framework", SWITCH_MINDSPORE, .check = SWITCH_WORD, .words = "all,time,memory,None"},
    {"is_detail", SWITCH_MINDSPORE, ANY},
    {"is_show_op_path", SWITCH_MINDSPORE, ANY},
    {"subgraph", SWITCH_MINDSPORE, ANY},
    {"op_time", SWITCH_MINDSPORE, FLAG},
    {"timeline_limit", SWITCH_MINDSPORE, ANY}, /* MB of the timeline that it writes */
    {"profile", SWITCH_MINDSPORE, ANY},        /* of MindFormers: this and the next four */
    {"profile_start_step", SWITCH_MINDSPORE, ANY},
    {"profile_stop_step", SWITCH_MINDSPORE, ANY},
    {"profile_rank_ids", SWITCH_MINDSPORE, ANY},
    {"init_start_profile", SWITCH_MINDSPORE, ANY},
    {"experimental_config", BOTH_FRAMEWORKS, ANY}, /* what is in it counts by itself */
    {"prof_dir", SWITCH_PYTORCH, ANY},
    {"analyse", SWITCH_PYTORCH, FLAG},
    {"active", SWITCH_PYTORCH, ANY},
    {"warmup", SWITCH_PYTORCH, ANY},
    {"start_step", SWITCH_PYTORCH, ANY},
    {"async_mode", SWITCH_PYTORCH, FLAG},
    {"is_rank", SWITCH_PYTORCH, FLAG},
    {"rank_list", SWITCH_PYTORCH, ANY},
    {"metadata", SWITCH_PYTORCH, ANY},
    {"record_op_args", SWITCH_PYTORCH, FLAG},
    {"is_set_schedule", SWITCH_MINDSPORE, FLAG},
    {"schedule", BOTH_FRAMEWORKS, ANY},
    {"on_trace_ready", BOTH_FRAMEWORKS, ANY},
    {"output_path", SWITCH_MINDSPORE, ANY},
    {"export_type", BOTH_FRAMEWORKS, ANY},
    {"gc_detect_threshold", SWITCH_PYTORCH, ANY},
    {"mstx_domain_include", BOTH_FRAMEWORKS, ANY},
    {"mstx_domain_exclude", BOTH_FRAMEWORKS, ANY},
    {.key = NULL},
};

const struct switch_rule *switch_rule_find(const char *key, unsigned writers)
{
    for (const struct switch_rule *rule = switch_rules; rule->key != NULL; rule++) {
        if ((rule->writers & writers) != 0 && strcmp(rule->key, key) == 0)
            return rule;
    }
    return NULL;
}

bool switch_is_of_board(const char *key)
{
    return words_list_has("aacpu,aac_metrics,interval", key, strlen(key));
}

/* A word that ends in ':' stands for itself with something behind it: events that the user chose. */
#define MOST_CUSTOM_LENGTH 70
static bool is_one_of(const char *list, const char *value)
{
    size_t head = strcspn(value, ":");
    if (value[head] == ':')
        return value[head + 1] != '\0' && strlen(value) <= MOST_CUSTOM_LENGTH && words_list_has(list, value, head + 1);
    return words_list_has(list, value, head);
}

static bool are_some_of(const char *list, const char *words)
{
    for (;;) {
        size_t length = strcspn(list, ",");
        if (length == 0 || (words != NULL && !words_list_has(words, list, length)))
            return false;
        if (list[length] == '\0')
            return true;
        list += length + 1;
    }
}

static bool is_in_range(const struct switch_rule *rule, const char *digits, size_t length)
{
    int64_t number;
    return number_parse_integer(digits, length, &number) == 0 && number >= rule->low && number <= rule->high;
}

char switch_path_forbidden(const char *path, bool svp)
{
    static const char svp_allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./";
    size_t sound = svp ? strspn(path, svp_allowed) : strcspn(path, "\n\f\r\b\t\v\x7f\"'\\%><|&$;`");
    return path[sound];
}

#define MOST_PATH 4000 /* of 4095, so that the capture's name fits behind it */
bool switch_rule_allows(const struct switch_rule *rule, const char *value)
{
    if (*value == '\0' && rule->may_be_empty)
        return true;
    switch (rule->check) {
    case SWITCH_WORD:
        return is_one_of(rule->words, value);
    case SWITCH_LIST:
        return are_some_of(value, rule->words);
    case SWITCH_RANGE:
        return is_in_range(rule, value, strlen(value));
    case SWITCH_SIZE:
        return words_end_in(value, "MB") && is_in_range(rule, value, strlen(value) - 2);
    case SWITCH_NAMES:
        return are_some_of(value, NULL);
    case SWITCH_PATH:
    case SWITCH_BOARD_PATH:
        return *value != '\0' && strlen(value) <= MOST_PATH &&
               switch_path_forbidden(value, rule->check == SWITCH_BOARD_PATH) == '\0';
    case SWITCH_FLAG:
        return words_list_has("true,false", value, strlen(value));
    case SWITCH_TEXT:
    case SWITCH_ANY:
        return true;
    }
    return false;
}

void switch_rule_tell(const struct switch_rule *rule, char ret[SWITCH_REASON_SIZE])
{
    switch (rule->check) {
    case SWITCH_WORD:
        (void)snprintf(ret, SWITCH_REASON_SIZE, language_shown("one of %s"), rule->words);
        break;
    case SWITCH_LIST:
        (void)snprintf(ret, SWITCH_REASON_SIZE, language_shown("a list of %s"), rule->words);
        break;
    case SWITCH_RANGE:
    case SWITCH_SIZE:
        (void)snprintf(ret, SWITCH_REASON_SIZE,
                       rule->check == SWITCH_SIZE
                           ? language_shown("a number from %" PRId64 " to %" PRId64 " followed by MB")
                           : language_shown("a number from %" PRId64 " to %" PRId64),
                       rule->low, rule->high);
        break;
    case SWITCH_NAMES:
        (void)snprintf(ret, SWITCH_REASON_SIZE, "%s", language_shown("names divided by commas"));
        break;
    case SWITCH_PATH:
        (void)snprintf(ret, SWITCH_REASON_SIZE,
                       language_shown("a path of at most %d bytes without control characters and \"'\\%%><|&$;`"),
                       MOST_PATH);
        break;
    case SWITCH_BOARD_PATH:
        (void)snprintf(ret, SWITCH_REASON_SIZE,
                       language_shown("a path of at most %d letters, digits, and '_', '-', '.', '/'"), MOST_PATH);
        break;
    case SWITCH_TEXT:
        (void)snprintf(ret, SWITCH_REASON_SIZE, "%s", language_shown("a text"));
        break;
    case SWITCH_FLAG:
        (void)snprintf(ret, SWITCH_REASON_SIZE, "%s", language_shown("true or false"));
        break;
    case SWITCH_ANY:
        *ret = '\0';
        break;
    }
}

uint64_t switch_size_bytes(const char *value)
{
    int64_t megabytes = 0;
    (void)number_parse_integer(value, strlen(value) - 2, &megabytes);
    return (uint64_t)megabytes * 1024 * 1024;
}
