/* SPDX-License-Identifier: Apache-2.0 */
#include "features/options/finding.h"

#include "base/array.h"
#include "base/language.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "base/suggest.h"
#include "base/words.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CANN (SWITCH_GE | SWITCH_ACL)
#define C(number) SWITCH_CHIP(number)
#define TO_4 (C(0) | C(1) | C(2) | C(3) | C(4))
#define STARS (C(5) | C(7) | C(8) | C(11))
#define NEWEST (C(15) | C(16))
#define ALL SWITCH_EVERY_CHIP

/* A row; its other fields stand behind the kinds. */
#define EFFECT(option, who, where, words, ...)                                                                         \
    {                                                                                                                  \
        .key = option, .writers = who, .chips = where, .what = words, .kinds = __VA_ARGS__                             \
    }

const struct switch_effect switch_effects[] = {
    {"task_time", CANN, ALL, "start and end of every task of the device, and what the host launched",
     .kinds = "task_track,hwts,stars_soc", .reports = "op_summary,task_time,fusion_op",
     .layers = "Ascend Hardware,Communication,Overlap Analysis,Analysis", .setting = "taskTime"},
    {"task_time", CANN, C(9), "start, end and counters of every task of the device", .kinds = "nano_stars_profile",
     .reports = "nano_task"},
    {"task_time", CANN, ALL, "shapes and types of operators, and the parts of communication operators", .value = "l1",
     .kinds = "node_basic_info,tensor_info,hccl_info,hccl_op_info", .reports = "op_statistic,communication_statistic",
     .files = "communication,communication_matrix", .setting = "taskTime"},
    {"hccl", CANN, ALL, "the parts of communication operators, timed by task_time", .kinds = "hccl_info,hccl_op_info",
     .reports = "communication_statistic", .layers = "Communication", .files = "communication,communication_matrix",
     .with = "task_time"},
    {"training_trace", SWITCH_GE, ALL, "iterations: forward, backward, refresh and reduction of gradients",
     .kinds = "ts_track", .reports = "step_trace", .layers = "Ascend Hardware,Analysis", .files = "step_trace"},
    {"task_time", SWITCH_ACL, ALL, "iterations of models", .kinds = "ts_track", .reports = "step_trace",
     .layers = "Ascend Hardware,Analysis", .files = "step_trace"},
    {"ascendcl", SWITCH_ACL, ALL, "calls of the ACL API", .kinds = "api_event", .reports = "api_statistic",
     .layers = "CANN", .setting = "ascendcl"},
    {"runtime_api", CANN, ALL, "calls of the runtime", .kinds = "api_event", .reports = "api_statistic",
     .layers = "CANN", .setting = "runtimeApi"},
    {"ge_api", CANN, ALL, "calls of the graph engine", .kinds = "api_event", .reports = "api_statistic",
     .layers = "CANN", .setting = "ge_api"},
    {"task_time", CANN, ALL, "calls that launch operators", .kinds = "api_event", .reports = "api_statistic",
     .layers = "CANN"},
    {"hccl", CANN, ALL, "calls of collective communication", .kinds = "api_event", .reports = "api_statistic",
     .layers = "CANN"},
    {"aic_metrics", CANN, ALL, "counters of the AI core for each task", .kinds = "aicore_pmu,aiv_pmu,ffts_profile",
     .reports = "op_summary", .with = "task_time"},
    {"aic_mode", CANN, ALL, "counters of the AI core at intervals", .value = "sample-based",
     .kinds = "aicore_pmu,aiv_pmu", .setting = "ai_core_profiling_mode", .setting_value = "sample-based"},
    {"aicpu", CANN, ALL, "AI CPU operators and data queues", .kinds = "aicpu_node,data_queue,data_wait"},
    {"l2", CANN, C(1) | C(2) | C(3) | C(4) | STARS | NEWEST, "events of the L2 cache for each task",
     .kinds = "l2_cache", .setting = "l2CacheTaskProfiling"},
    {"l2", CANN, C(5) | NEWEST, "translations of addresses for each task, and page faults",
     .kinds = "soc_pmu,page_fault", .setting = "l2CacheTaskProfiling"},
    {"msproftx", CANN, ALL, "marks and ranges that the program sets", .kinds = "msproftx", .reports = "msprof_tx",
     .layers = "MsprofTx", .files = "msprof_tx", .setting = "msproftx"},
    {"task_memory", CANN, ALL, "memory of operators", .kinds = "task_memory_info,static_op_mem"},
    {"sys_hardware_mem_freq", CANN, TO_4 | STARS | NEWEST, "bandwidth of the memory on the chip", .kinds = "hbm",
     .setting = "hbmProfiling"},
    {"sys_hardware_mem_freq", CANN, TO_4 | C(7) | C(8) | C(11), "bandwidth of DDR memory", .kinds = "ddr",
     .setting = "ddr_profiling"},
    {"sys_hardware_mem_freq", CANN, C(1) | C(2) | C(3) | C(4) | STARS | NEWEST,
     "hits and throughput of the last level cache", .kinds = "llc", .setting = "hardware_mem"},
    {"sys_hardware_mem_freq", CANN, C(0), "bandwidth of the last level cache, or the share of each CPU",
     .kinds = "llc_perf", .setting = "hardware_mem"},
    {"sys_hardware_mem_freq", CANN, C(0) | C(1) | C(3) | C(4) | STARS | NEWEST, "memory in use on the device",
     .kinds = "npu_mem", .setting = "hardware_mem"},
    {"sys_hardware_mem_freq", CANN, C(1) | C(2) | C(3) | C(4) | STARS | NEWEST, "memory in use by component",
     .kinds = "npu_module_mem", .setting = "hardware_mem"},
    {"sys_hardware_mem_freq", CANN, STARS | NEWEST, "bandwidth of bus masters, of accelerators and inside the chip",
     .kinds = "qos,die_qos,acc_pmu,soc_bandwidth_level", .setting = "hardware_mem"},
    {"sys_io_sampling_freq", CANN, C(0) | C(1) | STARS, "traffic of network cards", .kinds = "nic",
     .setting = "nicProfiling"},
    {"sys_io_sampling_freq", CANN, C(0) | C(1) | C(5), "traffic of RoCE", .kinds = "roce,netdev_stats",
     .setting = "roceProfiling"},
    {"sys_interconnection_freq", CANN, TO_4 | C(5) | NEWEST, "traffic of the PCIe link", .kinds = "pcie",
     .setting = "pcieProfiling"},
    {"sys_interconnection_freq", CANN, TO_4 | C(5), "traffic of the links between chips", .kinds = "hccs",
     .setting = "hccsProfiling"},
    {"sys_interconnection_freq", CANN, STARS | NEWEST, "traffic between chips and dies",
     .kinds = "chip_transmission,sio", .setting = "pcieProfiling"},
    {"sys_interconnection_freq", CANN, NEWEST, "traffic of the unified bus, and communication channels",
     .kinds = "ub,ccu_channel"},
    {"task_time", CANN, NEWEST, "instructions of communication", .kinds = "ccu_mission"},
    {"dvpp_freq", CANN, C(0) | C(1) | STARS | NEWEST, "image and video engines (DVPP)", .kinds = "dvpp",
     .setting = "dvpp_profiling"},
    {"sys_cpu_freq", CANN, ALL, "functions and events of the device's CPUs", .kinds = "cpu_sample,ts_cpu",
     .setting = "cpu_profiling"},
    {"sys_lp_freq", CANN, STARS | NEWEST, "frequency and voltage of the cores",
     .kinds = "core_frequency,core_voltage,low_power"},
    {"host_sys", CANN, ALL, "use of the host's CPUs", .value = "cpu", .kinds = "host_cpu", .setting = "host_sys",
     .setting_value = "cpu"},
    {"host_sys", CANN, ALL, "use of the host's memory", .value = "mem", .kinds = "host_mem", .setting = "host_sys",
     .setting_value = "mem"},
    {"host_sys", CANN, ALL, "traffic of the host's disks", .value = "disk", .kinds = "host_disk", .setting = "host_sys",
     .setting_value = "disk"},
    {"host_sys", CANN, ALL, "traffic of the host's network", .value = "network", .kinds = "host_network",
     .setting = "host_sys", .setting_value = "network"},
    {"host_sys", CANN, ALL, "system calls and calls of pthreads", .value = "osrt",
     .kinds = "host_syscall,host_pthreadcall", .setting = "host_sys", .setting_value = "osrt"},
    {"host_sys_usage", CANN, ALL, "use of CPUs by system and processes", .value = "cpu",
     .kinds = "system_cpu,process_cpu"},
    {"host_sys_usage", CANN, ALL, "use of memory by system and processes", .value = "mem",
     .kinds = "system_memory,process_memory"},
    {"instr_profiling", CANN, STARS, "traffic and instructions of single cores", .kinds = "biu_aic,biu_aiv",
     .setting = "instr_profiling_freq"},
    {"instr_profiling", CANN, NEWEST, "instructions of single cores", .kinds = "biu_state"},
    {"aic_metrics", SWITCH_SVP, ALL, "operators on the AI core, and its counters for each",
     .value = SWITCH_BOARD_METRICS, .kinds = "svp_pmu", .reports = "op_summary,op_statistic",
     .files = "task_time,msprof"},
    {"aicpu", SWITCH_SVP, ALL, "operators on the AI CPU", .kinds = "aicpu_task", .reports = "op_statistic",
     .files = "task_time,msprof"},
    {"ascendcl", SWITCH_SVP, ALL, "calls of the ACL API", .kinds = "acl_call", .reports = "acl_statistic",
     .files = "acl,msprof"},
    {.key = NULL},
};

const struct switch_meaning switch_meanings[] = {
    {SWITCH_GE, "task_trace", NULL, "task_time=*"},
    {SWITCH_ACL | SWITCH_SVP, "aac_metrics", NULL, "aic_metrics=*"},
    {SWITCH_ACL | SWITCH_SVP, "aacpu", NULL, "aicpu=*"},
    {SWITCH_ACL | SWITCH_SVP, "acl_api", NULL, "ascendcl=*"},
    {SWITCH_MINDSPORE | SWITCH_PYTORCH, "profiler_level", "Level0", "task_time=l0 ascendcl=on"},
    {SWITCH_MINDSPORE | SWITCH_PYTORCH, "profiler_level", "Level1", "task_time=l1 ascendcl=on hccl=on"},
    {SWITCH_MINDSPORE | SWITCH_PYTORCH, "profiler_level", "Level2",
     "task_time=l1 ascendcl=on hccl=on aicpu=on runtime_api=on"},
    {SWITCH_MINDSPORE, "aicore_metrics", NULL, "aic_metrics=*"},
    {SWITCH_MINDSPORE | SWITCH_PYTORCH, "l2_cache", NULL, "l2=on"},
    {SWITCH_MINDSPORE | SWITCH_PYTORCH, "profile_memory", NULL, "task_memory=on sys_hardware_mem_freq=100"},
    {SWITCH_MINDSPORE, "hbm_ddr", NULL, "sys_hardware_mem_freq=100"},
    {SWITCH_MINDSPORE, "pcie", NULL, "sys_interconnection_freq=50"},
    {SWITCH_MINDSPORE | SWITCH_PYTORCH, "sys_interconnection", NULL, "sys_interconnection_freq=50"},
    {SWITCH_MINDSPORE | SWITCH_PYTORCH, "sys_io", NULL, "sys_io_sampling_freq=100"},
    {SWITCH_MINDSPORE | SWITCH_PYTORCH, "mstx", NULL, "msproftx=on"},
    {SWITCH_PYTORCH, "msprof_tx", NULL, "msproftx=on"},
    {SWITCH_MINDSPORE, "op_time", "false", "task_time=off hccl=off"}, /* MindSpore 2.0 to 2.4 */
    {0, NULL, NULL, NULL},
};

bool switch_has_effect(const struct switch_effect *effect, const char *key, const char *value)
{
    if (strcmp(effect->key, key) != 0 || *value == '\0')
        return false;
    if (effect->value == NULL)
        return strcmp(value, "off") != 0 && strcmp(value, "None") != 0;
    if (strcmp(effect->value, "l1") == 0) /* as every level above the lowest */
        return words_list_has("on,l1,l2,l3", value, strlen(value));
    return words_list_has(value, effect->value, strlen(effect->value));
}

bool switch_was_on(const struct switch_effect *effect, const char *setting)
{
    if (effect->setting_value != NULL)
        return words_list_has(setting, effect->setting_value, strlen(effect->setting_value));
    if (effect->value != NULL && strcmp(effect->value, "l1") == 0 && strcmp(setting, "l0") == 0)
        return false; /* a level below it */
    return *setting != '\0' && strcmp(setting, "off") != 0 && strcmp(setting, "0") != 0;
}

bool switch_effect_on_chip(const struct switch_effect *effect, int64_t chip)
{
    return chip >= 0 && chip <= SWITCH_MOST_CHIP && (effect->chips >> chip & 1) != 0;
}

static char *copy_of(const char *text)
{
    return text != NULL ? strdup(text) : NULL;
}

static void release_problem(struct switch_problem *problem)
{
    free(problem->key);
    free(problem->value);
    free(problem->message);
    free(problem->suggestion);
}

static void release_problems(struct switch_problems *problems)
{
    for (size_t i = 0; i < problems->count; i++)
        release_problem(&problems->items[i]);
    free(problems->items);
}

int switch_problem_add(struct switch_problems *problems, const char *key, const char *value, const char *suggestion,
                       struct err *err, const char *format, ...)
{
    char message[ERR_TEXT_SIZE];
    va_list args;
    va_start(args, format);
    err_format(message, sizeof message, language_shown(format), args);
    va_end(args);
    struct switch_problem problem = {copy_of(key), copy_of(value != NULL ? value : ""), copy_of(message),
                                     copy_of(suggestion)};
    if (problem.key == NULL || problem.value == NULL || problem.message == NULL ||
        (suggestion != NULL && problem.suggestion == NULL) || array_reserve(problems, 1, err) < 0) {
        release_problem(&problem);
        return err_no_memory(err);
    }
    problems->items[problems->count++] = problem;
    return 0;
}

static struct switch_option *find(const struct switch_finding *finding, const char *key)
{
    for (size_t i = 0; i < finding->options.count; i++) {
        if (strcmp(finding->options.items[i].key, key) == 0)
            return &finding->options.items[i];
    }
    return NULL;
}

const char *switch_option_value(const struct switch_finding *finding, const char *key)
{
    const struct switch_option *option = find(finding, key);
    return option != NULL ? option->value : NULL;
}

static void take_out(struct switch_finding *finding, struct switch_option *option)
{
    struct switch_option *end = finding->options.items + finding->options.count;
    free(option->key);
    free(option->value);
    memmove(option, option + 1, (size_t)(end - option - 1) * sizeof *option);
    finding->options.count--;
}

/* Sets an option, or changes it; value NULL takes it out. */
static int finding_set(struct switch_finding *finding, const char *key, const char *value, struct err *err)
{
    struct switch_option *option = find(finding, key);
    if (value == NULL) {
        if (option != NULL)
            take_out(finding, option);
        return 0;
    }
    char *copy = strdup(value), *name = option == NULL ? strdup(key) : NULL;
    if (copy == NULL || (option == NULL && (name == NULL || array_reserve(&finding->options, 1, err) < 0))) {
        free(copy);
        free(name);
        return err_no_memory(err);
    }
    if (option == NULL) {
        option = &finding->options.items[finding->options.count++];
        *option = (struct switch_option){.key = name};
    }
    free(option->value);
    option->value = copy;
    return 0;
}

void switch_finding_release(struct switch_finding *finding)
{
    release_problems(&finding->problems);
    release_problems(&finding->warnings);
    while (finding->options.count > 0)
        take_out(finding, &finding->options.items[finding->options.count - 1]);
    free(finding->options.items);
    *finding = (struct switch_finding){.writer = 0};
}

/* ---- what one option needs of others ---- */

static const struct need {
    const char *key;     /* where it is given with ... */
    const char *value;   /* ... this value; NULL: any but "off", "false" and what else means nothing */
    const char *needs;   /* this key must be given, too, */
    const char *allowed; /* with one of these values; NULL: any but those */
    const char *suggestion;
} needs[] = {
    {"fp_point", NULL, "training_trace", "on", "on"},
    {"bp_point", NULL, "training_trace", "on", "on"},
    {"llc_profiling", NULL, "sys_hardware_mem_freq", NULL, "100"},
    {"sys_mem_serviceflow", NULL, "sys_hardware_mem_freq", NULL, "100"},
    {"host_sys_usage_freq", NULL, "host_sys_usage", NULL, "cpu,mem"},
    {"instr_profiling_freq", NULL, "instr_profiling", "on", "on"},
    {"profiler_level", "LevelNone", "mstx", "true", "true"},
    {NULL, NULL, NULL, NULL, NULL},
};

static bool means_nothing(const char *value)
{
    return value == NULL || *value == '\0' ||
           words_list_has("off,false,None,AiCoreNone,AicoreNone,ACL_AICORE_NONE,-1", value, strlen(value));
}

static int check_need(struct switch_finding *finding, const struct need *need, const char *value, const char *other,
                      struct err *err)
{
    if (need->value != NULL ? value == NULL || strcmp(value, need->value) != 0 : means_nothing(value))
        return 0;
    if (other != NULL && *other != '\0' &&
        (need->allowed != NULL ? strcmp(other, need->allowed) == 0 : !means_nothing(other)))
        return 0;
    char suggestion[64];
    (void)snprintf(suggestion, sizeof suggestion, "%s=%s", need->needs, need->suggestion);
    if (need->allowed != NULL)
        return switch_problem_add(&finding->problems, need->key, value, suggestion, err,
                                  "%s needs %s = %s, which is %s", need->key, need->needs, need->allowed,
                                  other != NULL ? other : "not given");
    return switch_problem_add(&finding->problems, need->key, value, suggestion, err, "%s has no effect without %s",
                              need->key, need->needs);
}

/* Two keys for one thing. */
static int check_twins(struct switch_finding *finding, finding_given *given, const void *file, struct err *err)
{
    static const char *const twins[][2] = {{"task_time", "task_trace"},
                                           {"aic_metrics", "aac_metrics"},
                                           {"aicpu", "aacpu"},
                                           {"ascendcl", "acl_api"},
                                           {"aic_metrics", "aicore_metrics"}};
    int status = 0;
    for (size_t i = 0; status == 0 && i < sizeof twins / sizeof *twins; i++) {
        const char *a = given(file, twins[i][0]), *b = given(file, twins[i][1]);
        if (a != NULL && b != NULL && strcmp(a, b) != 0)
            status = switch_problem_add(&finding->problems, twins[i][1], b, a, err,
                                        "%s means the same as %s, which is %s", twins[i][1], twins[i][0], a);
    }
    return status;
}

/* Checks for options that a framework's profiler does not do together: mindspore-profiler of the guides. */
static int check_framework(struct switch_finding *finding, finding_given *given, const void *file, struct err *err)
{
    static const struct {
        const char *key;
        bool cpu, npu;
    } parts[] = {{"aic_metrics", false, true},
                 {"aicore_metrics", false, true},
                 {"l2_cache", false, true},
                 {"profile_memory", true, true},
                 {"with_stack", true, false}};
    const char *activities = given(file, "activities"), *level = given(file, "profiler_level");
    int status = 0;
    for (size_t i = 0; status == 0 && activities != NULL && i < sizeof parts / sizeof *parts; i++) {
        const char *value = given(file, parts[i].key);
        const char *missing = parts[i].cpu && strstr(activities, "CPU") == NULL   ? "CPU"
                              : parts[i].npu && strstr(activities, "NPU") == NULL ? "NPU"
                                                                                  : NULL;
        if (!means_nothing(value) && missing != NULL)
            status = switch_problem_add(&finding->problems, parts[i].key, value, NULL, err,
                                        "%s needs %s among the activities", parts[i].key, missing);
    }
    const char *metrics = given(file, "aic_metrics") != NULL ? "aic_metrics" : "aicore_metrics";
    bool low = level != NULL && words_list_has("Level0,LevelNone,Level_none", level, strlen(level));
    if (status == 0 && low && !means_nothing(given(file, metrics)))
        status = switch_problem_add(&finding->problems, metrics, given(file, metrics), "profiler_level=Level1", err,
                                    "%s counts nothing: %s = %s has no metrics", metrics, "profiler_level", level);
    return status;
}

static int finding_relations(struct switch_finding *finding, finding_given *given, const void *file, struct err *err)
{
    bool failed = check_twins(finding, given, file, err) < 0;
    for (const struct need *need = needs; !failed && need->key != NULL; need++)
        if (switch_rule_find(need->key, finding->writer) != NULL && given(file, need->key) != NULL)
            failed = check_need(finding, need, given(file, need->key), given(file, need->needs), err) < 0;
    return failed || ((finding->writer & (SWITCH_MINDSPORE | SWITCH_PYTORCH)) != 0 &&
                      check_framework(finding, given, file, err) < 0)
               ? err_status(err)
               : 0;
}

#define MOST_OPTIONS 128  /* of one file; a file of options has some 50 */
#define MOST_TEXT 4096    /* bytes of one value */
#define MOST_GE_TEXT 2047 /* bytes of all that GE takes */
#define FRAMEWORKS (SWITCH_MINDSPORE | SWITCH_PYTORCH)

/* The options of a file as texts. */
struct option_file {
    const struct json *root;
    unsigned writer;
    bool is_without_profiler; /* an acl.json that has no object of that name */
    size_t count;
    struct given {
        const char *key; /* without the underscore that PyTorch's have */
        const struct json *value;
        struct strbuf text;
        bool sound;
    } given[MOST_OPTIONS];
};

const char *switch_writer_name(unsigned writer)
{
    switch (writer) {
    case SWITCH_ACL:
        return "acl.json";
    case SWITCH_SVP:
        return language_shown("acl.json of an SVP board");
    case SWITCH_MINDSPORE:
        return "MindSpore";
    case SWITCH_PYTORCH:
        return "PyTorch";
    default:
        return language_shown("TensorFlow and GE");
    }
}

/* ---- reading ---- */

static const char *plain_key(const char *key)
{
    return *key == '_' ? key + 1 : key;
}

/* A text as it is, a number in digits, true or false, a list joined by commas. false: it is none of these. */
static bool put_value(struct strbuf *text, const struct json *value)
{
    const char *string = json_string(value);
    char digits[NUMBER_MAX];
    int64_t number;
    bool flag;
    if (string != NULL)
        return strbuf_adds(text, string) == 0;
    if (json_boolean(value, &flag))
        return strbuf_adds(text, flag ? "true" : "false") == 0;
    if (json_integer(value, &number)) {
        *number_put_signed(digits, number) = '\0';
        return strbuf_adds(text, digits) == 0;
    }
    if (!json_is_array(value))
        return false;
    for (const struct json *item = json_first(value); item != NULL; item = json_next(item)) {
        if (json_string(item) == NULL || strbuf_addf(text, "%s%s", text->length > 0 ? "," : "", json_string(item)) < 0)
            return false;
    }
    return true;
}

/* The length of a prefix that a value has in a script of Python: "torch_npu.profiler.ProfilerLevel." */
static size_t enumeration_length(const char *word, size_t length)
{
    static const char classes[] = "ProfilerLevel,ProfilerActivity,AicoreMetrics,AiCMetrics,AicMetrics,HostSystem";
    const char *dot = memrchr(word, '.', length);
    const char *before = dot != NULL ? memrchr(word, '.', (size_t)(dot - word)) : NULL;
    const char *name = before != NULL ? before + 1 : word;
    return dot != NULL && words_list_has(classes, name, (size_t)(dot - name)) ? (size_t)(dot + 1 - word) : 0;
}

/* Takes such prefixes out of a list divided by commas. HostSystem.CPU has the value "cpu". */
static void drop_enumerations(struct strbuf *text)
{
    size_t kept = 0;
    for (size_t at = 0; text->data != NULL && at < text->length;) {
        size_t length = strcspn(text->data + at, ",");
        size_t prefix = enumeration_length(text->data + at, length);
        const bool is_host = memmem(text->data + at, prefix, "HostSystem", strlen("HostSystem")) != NULL;
        size_t rest = length - prefix + (text->data[at + length] == ',');
        memmove(text->data + kept, text->data + at + prefix, rest);
        for (size_t i = 0; is_host && i < rest; i++)
            text->data[kept + i] = (char)tolower((unsigned char)text->data[kept + i]);
        kept += rest;
        at += length + (text->data[at + length] == ',');
    }
    strbuf_cut(text, kept);
}

static int take_options(struct option_file *file, const struct json *object, struct err *err)
{
    for (const struct json *member = json_first(object); member != NULL; member = json_next(member)) {
        if (file->count == MOST_OPTIONS)
            return err_set(err, ERR_FORMAT, "it has more than %d options", MOST_OPTIONS);
        struct given *given = &file->given[file->count++];
        given->key = plain_key(json_key(member));
        given->value = member;
        strbuf_init(&given->text, MOST_TEXT);
        given->sound = put_value(&given->text, member);
        drop_enumerations(&given->text);
    }
    return 0;
}

static const char *value_given(const void *arg, const char *key)
{
    const struct option_file *file = arg;
    for (size_t i = 0; i < file->count; i++) {
        if (file->given[i].sound && strcmp(file->given[i].key, key) == 0)
            return file->given[i].text.data;
    }
    return NULL;
}

static size_t count_known(const struct json *object, unsigned writer)
{
    size_t known = 0;
    for (const struct json *member = json_first(object); member != NULL; member = json_next(member))
        known += switch_rule_find(plain_key(json_key(member)), writer) != NULL;
    return known;
}

/* Options that stand in a file as they are belong to whom knows most of them, the likely one first. */
static unsigned plain_writer(const struct json *object, unsigned likely)
{
    static const unsigned writers[] = {SWITCH_GE, SWITCH_MINDSPORE, SWITCH_PYTORCH};
    unsigned best = likely != 0 ? likely : SWITCH_GE;
    size_t most = count_known(object, best);
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        size_t known = count_known(object, writers[i]);
        best = known > most ? writers[i] : best;
        most = known > most ? known : most;
    }
    return best;
}

static bool is_of_svp_board(const struct json *profiler)
{
    for (const struct json *member = json_first(profiler); member != NULL; member = json_next(member)) {
        if (switch_is_of_board(json_key(member)))
            return true;
    }
    return false;
}

/* An acl.json has other objects beside "profiler", which are not about profiling. */
static bool is_of_acl(const struct json *root)
{
    static const char *const others[] = {"dump", "max_opqueue_num", "err_msg_mode", "ops_cache", "acl_graph"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (json_member(root, others[i]) != NULL)
            return true;
    }
    return false;
}

/* The file that torch_npu's dynamic profiling watches has its options, and more of them in an object of their own. */
static int read_dynamic(struct option_file *file, const struct json *root, struct err *err)
{
    file->writer = SWITCH_PYTORCH;
    int status = take_options(file, root, err);
    return status == 0 ? take_options(file, json_member(root, "experimental_config"), err) : status;
}

/* Objects of something else: no member is an option, nor could it be a mistyped one. */
static bool has_only_objects(const struct json *root)
{
    for (const struct json *member = json_first(root); member != NULL; member = json_next(member)) {
        if (!json_is_object(member))
            return false;
    }
    return json_first(root) != NULL && count_known(root, SWITCH_GE | SWITCH_MINDSPORE | SWITCH_PYTORCH) == 0;
}

static int read_file(struct option_file *file, unsigned likely, struct err *err)
{
    const struct json *root = file->root, *profiler = json_member(root, "profiler");
    const struct json *mindspore = json_member(root, "profiler_parameters"), *pytorch = json_member(root, "config");
    if (!json_is_object(root))
        return err_set(err, ERR_FORMAT, "it is not a JSON object");
    if (profiler != NULL && !json_is_object(profiler))
        return err_set(err, ERR_FORMAT, "\"profiler\" is not a JSON object");
    if (profiler != NULL) {
        file->writer = is_of_svp_board(profiler) ? SWITCH_SVP : SWITCH_ACL;
        return take_options(file, profiler, err);
    }
    if (json_is_object(mindspore)) {
        file->writer = SWITCH_MINDSPORE;
        return take_options(file, mindspore, err);
    }
    if (json_is_object(pytorch)) {
        file->writer = SWITCH_PYTORCH;
        int status = take_options(file, json_member(pytorch, "common_config"), err);
        return status == 0 ? take_options(file, json_member(pytorch, "experimental_config"), err) : status;
    }
    if (json_is_object(json_member(root, "experimental_config")))
        return read_dynamic(file, root, err);
    if (likely == SWITCH_ACL || is_of_acl(root)) {
        file->writer = SWITCH_ACL;
        file->is_without_profiler = true;
        return 0;
    }
    if (has_only_objects(root))
        return err_set(err, ERR_FORMAT, "it has no profiling option");
    file->writer = plain_writer(root, likely);
    return take_options(file, root, err);
}

/* ---- each option by itself ---- */

/* The option that collects what a word of msprof's command line, or of another collector, does. NULL: there is none. */
static const char *name_of_command_line(const char *key, unsigned writer)
{
    static const char *const names[][2] = {
        {"l2_cache", "l2"},
        {"ai_core", "aic_metrics"},
        {"aicore", "aic_metrics"},
        {"sys_hardware_mem", "sys_hardware_mem_freq"},
        {"llc", "llc_profiling"},
        {"sys_io_profiling", "sys_io_sampling_freq"},
        {"sys_interconnection_profiling", "sys_interconnection_freq"},
        {"dvpp_profiling", "dvpp_freq"},
        {"sys_cpu_profiling", "sys_cpu_freq"},
        {"result_path", "output"},
        {"aclapi", "ascendcl"},
    };
    char plain[64] = "";
    for (size_t i = 0; key[i] != '\0' && i + 1 < sizeof plain; i++)
        plain[i] = (char)(key[i] == '-' ? '_' : tolower((unsigned char)key[i]));
    const struct switch_rule *same = switch_rule_find(plain, writer);
    for (size_t i = 0; same == NULL && i < sizeof names / sizeof *names; i++)
        if (strcmp(plain, names[i][0]) == 0)
            same = switch_rule_find(names[i][1], writer);
    return same != NULL ? same->key : NULL;
}

static int report_unknown(struct switch_finding *finding, const struct given *given, struct err *err)
{
    struct suggestion nearest;
    const char *named = name_of_command_line(given->key, finding->writer);
    suggestion_init(&nearest, given->key);
    for (const struct switch_rule *rule = switch_rules; rule->key != NULL; rule++) {
        if ((rule->writers & finding->writer) != 0)
            suggestion_offer(&nearest, rule->key);
    }
    const char *name = named != NULL ? named : nearest.nearest[0] != '\0' ? nearest.nearest : NULL;
    return switch_problem_add(&finding->problems, given->key, given->text.data, name, err,
                              name != NULL ? "unknown option; did you mean %s" : "unknown option", name);
}

/* Finds what is near to a wrong value: a word, or the end of the range that it is beyond. */
static const char *near_value(const struct switch_rule *rule, const char *value, struct suggestion *nearest,
                              char digits[NUMBER_MAX])
{
    int64_t number;
    const size_t count = rule->check == SWITCH_SIZE ? strspn(value, "0123456789") : strlen(value);
    if ((rule->check == SWITCH_RANGE || rule->check == SWITCH_SIZE) &&
        number_parse_integer(value, count, &number) == 0) {
        number = number < rule->low ? rule->low : number > rule->high ? rule->high : number;
        (void)snprintf(digits, NUMBER_MAX, "%" PRId64 "%s", number, rule->check == SWITCH_SIZE ? "MB" : "");
        return digits;
    }
    if (rule->check == SWITCH_FLAG)
        return words_list_has("1,on,True,yes", value, strlen(value))    ? "true"
               : words_list_has("0,off,False,no", value, strlen(value)) ? "false"
                                                                        : NULL;
    if (rule->check == SWITCH_WORD && strchr(value, ',') != NULL &&
        words_list_has(rule->words, value, strcspn(value, ","))) {
        (void)snprintf(nearest->nearest, sizeof nearest->nearest, "%.*s", (int)strcspn(value, ","), value);
        return nearest->nearest; /* one group of metrics at a time */
    }
    if (rule->words != NULL && words_list_has(rule->words, "on", 2)) {
        if (strcasecmp(value, "on") == 0 || strcasecmp(value, "true") == 0 || strcmp(value, "1") == 0)
            return "on";
        if (strcasecmp(value, "off") == 0 || strcasecmp(value, "false") == 0 || strcmp(value, "0") == 0)
            return "off";
    }
    suggestion_init(nearest, value);
    for (const char *word = rule->words; word != NULL && *word != '\0';) {
        char copy[SUGGESTION_SIZE] = "";
        size_t length = strcspn(word, ",");
        if (length < sizeof copy) {
            memcpy(copy, word, length);
            suggestion_offer(nearest, copy);
        }
        word += length + (word[length] == ',');
    }
    return nearest->nearest[0] != '\0' ? nearest->nearest : NULL;
}

static bool is_right_type(const struct switch_rule *rule, const struct given *given, unsigned writer)
{
    bool flag, is_text = json_string(given->value) != NULL, is_flag = json_boolean(given->value, &flag);
    if (rule->check == SWITCH_ANY)
        return true;
    if (!given->sound)
        return false;
    if (rule->check == SWITCH_FLAG)
        return is_flag;
    if (rule->as_number)
        return !is_text && !is_flag;
    if ((writer & FRAMEWORKS) == 0 && rule->check != SWITCH_RANGE)
        return is_text;
    return !is_flag;
}

/* A value that a script completes: "%s", "{path}". */
static bool is_template(const char *value)
{
    const char *open = strchr(value, '{'), *percent = strchr(value, '%');
    return (percent != NULL && percent[1] != '\0' && strchr("sdr(", percent[1]) != NULL) ||
           (open != NULL && strchr(open, '}') != NULL);
}

/* A value of another type as it is to be written: true of JSON is "on" where a text is expected. */
static const char *typed_value(const struct switch_rule *rule, const char *value)
{
    if (rule->check == SWITCH_FLAG || rule->as_number)
        return value;
    return strcmp(value, "true") == 0 ? "on" : strcmp(value, "false") == 0 ? "off" : value;
}

static int check_option(struct switch_finding *finding, const struct given *given, struct err *err)
{
    const struct switch_rule *rule = switch_rule_find(given->key, finding->writer);
    const char *value = given->text.data;
    char allowed[SWITCH_REASON_SIZE], digits[NUMBER_MAX];
    struct suggestion nearest;
    if (rule == NULL)
        return report_unknown(finding, given, err);
    if (is_template(value))
        return switch_problem_add(&finding->warnings, given->key, value, NULL, err,
                                  "the script inserts this value when it runs; it is not checked");
    if (rule->check != SWITCH_ANY && !switch_rule_allows(rule, value)) {
        switch_rule_tell(rule, allowed);
        return switch_problem_add(&finding->problems, given->key, value, near_value(rule, value, &nearest, digits), err,
                                  "it must be %s", allowed);
    }
    if (!is_right_type(rule, given, finding->writer))
        return switch_problem_add(&finding->problems, given->key, value, given->sound ? typed_value(rule, value) : NULL,
                                  err, "it must be %s",
                                  rule->check == SWITCH_FLAG ? language_shown("true or false, without quotes")
                                  : rule->as_number          ? language_shown("a number, without quotes")
                                                             : language_shown("a text in quotes"));
    return 0;
}

/* ---- what holds ---- */

/* Sets what "key=value key=value" says; '*' is the option's own value. */
static int set_all(struct switch_finding *finding, const char *means, const char *own, struct err *err)
{
    char word[96], *sign;
    int status = 0;
    while (status == 0 && *means != '\0') {
        size_t length = strcspn(means, " ");
        if (length >= sizeof word)
            return err_set(err, ERR_LIMIT, "a meaning is too long");
        memcpy(word, means, length);
        word[length] = '\0';
        if ((sign = strchr(word, '=')) != NULL) {
            *sign = '\0';
            status = finding_set(finding, word, strcmp(sign + 1, "*") == 0 ? own : sign + 1, err);
        }
        means += length + (means[length] == ' ');
    }
    return status;
}

static int set_one(struct switch_finding *finding, const char *key, const char *value, struct err *err)
{
    bool known = false;
    int status = 0;
    for (const struct switch_meaning *meaning = switch_meanings; status == 0 && meaning->key != NULL; meaning++) {
        if ((meaning->writers & finding->writer) == 0 || strcmp(meaning->key, key) != 0)
            continue;
        known = true;
        if (meaning->value != NULL ? strcmp(value, meaning->value) == 0 : *value != '\0' && strcmp(value, "false") != 0)
            status = set_all(finding, meaning->means, value, err);
    }
    return known ? status : finding_set(finding, key, value, err);
}

/* Metrics have other words in frameworks, and depend on the level there. */
static int settle_metrics(struct switch_finding *finding, const struct option_file *file, struct err *err)
{
    static const char *const words[][2] = {{"ACL_AICORE_PIPE_UTILIZATION", "PipeUtilization"},
                                           {"ACL_AICORE_ARITHMETIC_UTILIZATION", "ArithmeticUtilization"},
                                           {"ACL_AICORE_MEMORY_BANDWIDTH", "Memory"},
                                           {"ACL_AICORE_L0B_AND_WIDTH", "MemoryL0"},
                                           {"ACL_AICORE_RESOURCE_CONFLICT_RATIO", "ResourceConflictRatio"},
                                           {"ACL_AICORE_MEMORY_UB", "MemoryUB"},
                                           {"ACL_AICORE_L2_CACHE", "L2Cache"},
                                           {"ACL_AICORE_MEMORY_ACCESS", "MemoryAccess"},
                                           {"ACL_AICORE_NONE", "None"},
                                           {"AiCoreNone", "None"},
                                           {"AicoreNone", "None"},
                                           {"-1", "None"},
                                           {"0", "ArithmeticUtilization"}, /* MindSpore's numbers */
                                           {"1", "PipeUtilization"},
                                           {"2", "Memory"},
                                           {"3", "MemoryL0"},
                                           {"4", "ResourceConflictRatio"},
                                           {"5", "MemoryUB"},
                                           {"6", "L2Cache"}};
    const char *metrics = switch_option_value(finding, "aic_metrics"), *level = value_given(file, "profiler_level");
    for (size_t i = 0; metrics != NULL && i < sizeof words / sizeof *words; i++) {
        if (strcmp(metrics, words[i][0]) == 0)
            metrics = words[i][1];
    }
    if (finding->writer == SWITCH_SVP)
        return 0;
    if ((finding->writer & FRAMEWORKS) != 0) {
        bool high = level != NULL && words_list_has("Level1,Level2", level, strlen(level));
        bool none = metrics == NULL || strcmp(metrics, "None") == 0;
        metrics = !high ? NULL : none ? "PipeUtilization" : metrics;
    } else if (metrics != NULL && *metrics == '\0') {
        metrics = "PipeUtilization";
    }
    return finding_set(finding, "aic_metrics", metrics, err);
}

static int set_usual(struct switch_finding *finding, const struct option_file *file, struct err *err)
{
    for (const struct switch_rule *rule = switch_rules; rule->key != NULL; rule++)
        if ((rule->writers & file->writer) != 0 && rule->usual != NULL && value_given(file, rule->key) == NULL)
            if (set_one(finding, rule->key, rule->usual, err) < 0)
                return err_status(err);
    if (file->writer == SWITCH_SVP && set_all(finding, "aicpu=on aic_metrics=" SWITCH_BOARD_METRICS, "", err) < 0)
        return err_status(err);
    return 0;
}

/* Frameworks whose activities leave the device out start nothing of CANN. */
static bool is_without_device(const struct option_file *file)
{
    const char *activities = (file->writer & FRAMEWORKS) != 0 ? value_given(file, "activities") : NULL;
    return activities != NULL && !words_list_has(activities, "NPU", strlen("NPU"));
}

static bool is_switched_off(const struct option_file *file)
{
    const char *on = value_given(file, "switch");
    return (file->writer & (SWITCH_ACL | SWITCH_SVP)) != 0 && (on == NULL || strcmp(on, "on") != 0);
}

static int settle(struct switch_finding *finding, const struct option_file *file, struct err *err)
{
    if (is_switched_off(file) || is_without_device(file))
        return 0;
    if (file->writer == SWITCH_GE && file->count == 0)
        return set_all(finding, "training_trace=on task_time=on hccl=on aicpu=on aic_metrics=PipeUtilization", "", err);
    int status = set_usual(finding, file, err);
    for (size_t i = 0; status == 0 && i < file->count; i++) {
        const struct given *given = &file->given[i];
        const struct switch_rule *rule = switch_rule_find(given->key, file->writer);
        if (rule != NULL && rule->check != SWITCH_ANY && given->sound && switch_rule_allows(rule, given->text.data))
            status = set_one(finding, given->key, given->text.data, err);
    }
    return status == 0 ? settle_metrics(finding, file, err) : status;
}

/* ---- what holds otherwise than one may expect ---- */

static int warn_of_metrics(struct switch_finding *finding, const struct option_file *file, struct err *err)
{
    static const char *const keys[] = {"aic_metrics", "aac_metrics", "aicore_metrics"};
    const char *collected = switch_option_value(finding, "aic_metrics");
    int status = 0;
    for (size_t i = 0; status == 0 && i < sizeof keys / sizeof *keys; i++) {
        const char *value = value_given(file, keys[i]);
        if (value == NULL)
            continue;
        if (file->writer == SWITCH_SVP && strcmp(value, SWITCH_BOARD_METRICS) != 0)
            status = switch_problem_add(&finding->warnings, keys[i], value, NULL, err,
                                        "no metrics are collected: boards count only " SWITCH_BOARD_METRICS
                                        " and nothing else");
        else if ((file->writer & FRAMEWORKS) != 0 && collected != NULL && strcmp(collected, "PipeUtilization") == 0 &&
                 words_list_has("AiCoreNone,AicoreNone,ACL_AICORE_NONE", value, strlen(value)))
            status = switch_problem_add(&finding->warnings, keys[i], value, NULL, err,
                                        "%s still collects PipeUtilization at %s", switch_writer_name(file->writer),
                                        value_given(file, "profiler_level"));
    }
    return status;
}

static int warn(struct switch_finding *finding, const struct option_file *file, struct err *err)
{
    if (is_without_device(file))
        return switch_problem_add(&finding->warnings, "activities", value_given(file, "activities"), "CPU,NPU", err,
                                  "without NPU no CANN data is collected");
    return is_switched_off(file) ? 0 : warn_of_metrics(finding, file, err);
}

/* ---- the file as a whole ---- */

static int check_whole(struct switch_finding *finding, const struct option_file *file, struct err *err)
{
    const struct json *dump = json_member(file->root, "dump");
    const char *dump_switch = json_string(json_member(dump, "dump_switch"));
    bool dumps =
        json_first(json_member(dump, "dump_list")) != NULL || (dump_switch != NULL && strcmp(dump_switch, "on") == 0);
    size_t length = 2;
    int status = 0;
    const char *on = value_given(file, "switch");
    if (file->is_without_profiler)
        status = switch_problem_add(&finding->warnings, "profiler", NULL, NULL, err,
                                    "nothing is collected: acl.json has no object \"profiler\"");
    else if (is_switched_off(file))
        status = switch_problem_add(on != NULL && strcmp(on, "off") == 0 ? &finding->warnings : &finding->problems,
                                    "switch", on, "on", err, "nothing is collected unless switch is on");
    else if ((file->writer & (SWITCH_ACL | SWITCH_SVP)) != 0 && dumps)
        status =
            switch_problem_add(&finding->problems, "dump", "on", NULL, err, "dump and profiler exclude each other");
    for (size_t i = 0; i < file->count; i++)
        length += strlen(file->given[i].key) + file->given[i].text.length + strlen("\"\":\"\",");
    if (status == 0 && file->writer == SWITCH_GE && length > MOST_GE_TEXT)
        status = switch_problem_add(&finding->problems, "", NULL, NULL, err,
                                    "the options take %zu bytes; GE takes at most %d", length, MOST_GE_TEXT);
    return status;
}

int switch_check(const struct json *root, unsigned likely, struct switch_finding *ret, struct err *err)
{
    struct option_file file = {.root = root};
    bool failed = read_file(&file, likely, err) < 0;
    *ret = (struct switch_finding){.writer = file.writer};
    for (size_t i = 0; !failed && i < file.count; i++)
        failed = check_option(ret, &file.given[i], err) < 0;
    failed = failed || check_whole(ret, &file, err) < 0 || finding_relations(ret, value_given, &file, err) < 0 ||
             settle(ret, &file, err) < 0 || warn(ret, &file, err) < 0;
    for (size_t i = 0; i < file.count; i++)
        strbuf_release(&file.given[i].text);
    return failed ? err_status(err) : 0;
}
