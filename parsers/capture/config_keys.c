/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/capture/config_keys.h"

#include "base/format/json_in.h"
#include "base/number.h"
#include "base/suggest.h"
#include "base/words.h"
#include "parsers/capture/capture_files.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define MAX_HZ INT64_C(100000000000)  /* 100 GHz */
#define TIME_LIMIT_NS (INT64_MAX / 2) /* 146 years: sums of two times are times */
#define SHORTEST_MISSPELT ((size_t)4) /* bytes: shorter names have too many neighbours */
#define SHOWN_BYTES 40                /* of what was found */
#define KEY_SIZE 64                   /* more than any known key has */

/* ---- values ---- */

static int64_t parse_megahertz(const char *text)
{
    int64_t value = 0;
    int decimals = -1;
    for (; *text != '\0'; text++) {
        if (*text == '.' && decimals < 0) {
            decimals = 0;
        } else if (!isdigit((unsigned char)*text)) {
            return -1;
        } else if (decimals < 6) {
            value = value * 10 + (*text - '0');
            decimals += decimals >= 0;
            if (value > MAX_HZ)
                return -1;
        }
    }
    for (int i = decimals < 0 ? 0 : decimals; i < 6; i++)
        value *= 10;
    return value <= MAX_HZ ? value : -1;
}

int64_t config_hertz(const struct json *value)
{
    const char *text = json_string(value);
    int64_t whole;
    if (text != NULL)
        return parse_megahertz(text);
    return json_integer(value, &whole) && whole >= 0 && whole <= MAX_HZ / 1000000 ? whole * 1000000 : -1;
}

/* "0x8,0xa" */
static bool is_list_of_events(const char *text)
{
    bool digit = *text == '\0';
    for (; *text != '\0'; text++) {
        if (*text == ' ')
            continue;
        if (*text == ',' ? !digit : !isxdigit((unsigned char)*text) && (*text != 'x' || !digit))
            return false;
        digit = *text != ',';
    }
    return digit;
}

enum value_type {
    ANYTHING,
    STRING,
    WHOLE,
    WHOLE_OR_EMPTY, /* some tools leave a number empty that they do not know */
    COUNT,
    TRUTH,
    FREQUENCY,
    HOST_FREQUENCY, /* 0: its counter counts nanoseconds */
    UNIX_US,
    MONOTONIC_NS,
    DATE,
    EVENTS,
    LIST,
    GROUP,
};

static const char *const expected_values[] = {
    [ANYTHING] = "anything",
    [STRING] = "a text",
    [WHOLE] = "a whole number",
    [WHOLE_OR_EMPTY] = "a whole number, or \"\"",
    [COUNT] = "a whole number from 0 on",
    [TRUTH] = "true or false",
    [FREQUENCY] = "MHz as a string, such as \"600\"",
    [HOST_FREQUENCY] = "MHz as a string, such as \"100.000000\"",
    [UNIX_US] = "microseconds since 1970",
    [MONOTONIC_NS] = "nanoseconds",
    [DATE] = "a date, such as \"2025-01-01 00:00:00.000000\"",
    [EVENTS] = "numbers of events, such as \"0x8,0xa\"",
    [LIST] = "a list",
    [GROUP] = "an object",
};

static bool is_of_type(enum value_type type, const struct json *value)
{
    const char *text = json_string(value);
    const bool empty = text != NULL && *text == '\0';
    int64_t number = 0;
    bool truth, whole = json_integer(value, &number);
    switch (type) {
    case STRING:
        return text != NULL;
    case WHOLE:
        return whole;
    case WHOLE_OR_EMPTY:
        return whole || empty;
    case COUNT:
        return whole && number >= 0;
    case TRUTH:
        return json_boolean(value, &truth);
    case FREQUENCY:
        return config_hertz(value) > 0 || empty;
    case HOST_FREQUENCY:
        return config_hertz(value) >= 0;
    case UNIX_US:
        return whole && number > 0 && number < TIME_LIMIT_NS / 1000;
    case MONOTONIC_NS:
        return whole && number >= 0 && number < TIME_LIMIT_NS;
    case DATE:
        return text != NULL && text[strspn(text, "0123456789-:. TZ+")] == '\0';
    case EVENTS:
        return text != NULL && is_list_of_events(text);
    case LIST:
        return json_is_array(value);
    case GROUP:
        return json_is_object(value);
    case ANYTHING:
    default:
        return true;
    }
}

/* ---- keys ---- */

/* Keys of one type. */
struct known_keys {
    const char *names; /* with commas between them; NULL ends the list */
    enum value_type type;
    bool needed; /* in a part */
};

static const struct known_keys device_keys[] = {
    {"id", COUNT, true},
    {"ctrl_cpu_id", ANYTHING, false},
    {"env_type,ctrl_cpu_core_num,ctrl_cpu_endian_little,ts_cpu_core_num,ai_cpu_core_num,ai_core_num,ai_cpu_core_id,"
     "ai_core_id,aicpu_occupy_bitmap,aiv_num",
     WHOLE, false},
    {"ctrl_cpu,ai_cpu", STRING, false},
    {"hwts_frequency,aic_frequency,aiv_frequency", FREQUENCY, false},
    {NULL, ANYTHING, false},
};

static const struct known_keys processor_keys[] = {{"Id,Logical_CPU_Count", WHOLE, false},
                                                   {"Name,Type", STRING, false},
                                                   {"Frequency", HOST_FREQUENCY, false},
                                                   {NULL, ANYTHING, false}};

static const struct known_keys card_keys[] = {
    {"netCardName", STRING, false}, {"speed", WHOLE, false}, {NULL, ANYTHING, false}};

static const struct known_keys info_keys[] = {
    {"jobInfo,version,mac,OS,hostname,hwtype,devices,platform,upTime,pid_name,hostUid,cannVersion", STRING, false},
    {"platform_version", WHOLE_OR_EMPTY, true},
    {"pid", WHOLE_OR_EMPTY, false},
    {"cpuCores,memoryTotal,cpuNums,sysClockFreq,netCardNums,rank_id,drvVersion", WHOLE, false},
    {"netCard,CPU", LIST, false},
    {"DeviceInfo", ANYTHING, false}, /* who reads it says it */
    {NULL, ANYTHING, false},
};

static const struct known_keys sample_keys[] = {
    {"ai_core_metrics,aiv_metrics,ai_core_profiling_mode,aiv_profiling_mode,l2CacheTaskProfilingEvents,"
     "llc_profiling_events,hbm_profiling_events,ddr_profiling_events,ai_ctrl_cpu_profiling_events,"
     "ctrl_cpu_profiling_events,ai_cpu_profiling_events,ts_cpu_profiling_events,qosEvents,npuEvents",
     STRING, false},
    {"ai_core_profiling_events,aiv_profiling_events", EVENTS, false},
    {"aicore_sampling_interval,aiv_sampling_interval,host_disk_freq,hardware_mem_sampling_interval,"
     "hostProfilingSamplingInterval,instr_profiling_freq,npuModuleMemFreq,ddr_master_id,host_sys_pid,"
     "dvpp_sampling_interval,hccsInterval,pcieInterval,ubInterval,roceInterval,nicInterval,llc_interval,memInterval,"
     "ddr_interval,hbmInterval,profiling_period,sysLpFreq,msprofBinPid,cpu_sampling_interval,sys_sampling_interval,"
     "pid_sampling_interval,io_sampling_interval,interconnection_sampling_interval",
     WHOLE_OR_EMPTY, false},
    /* switches */
    {"acl,aiCtrlCpuProfiling,ai_core_lpm,ai_core_profiling,ai_core_profiling_metrics,ai_core_status,"
     "ai_vector_status,aicScale,aicpuTrace,aiv_profiling,aiv_profiling_metrics,app,appMemProfiling,app_dir,"
     "app_env,app_location,app_parameters,ascendcl,ccuInstr,cpu_profiling,ddr_profiling,delayTime,devices,"
     "durationTime,dvpp_profiling,geApi,ge_api,hardware_mem,hbmProfiling,hbm_profiling,hccl,hcclTrace,"
     "hccsProfiling,hostAllPidCpuProfiling,hostAllPidMemProfiling,hostProfiling,hostSysUsage,host_cpu_profiling,"
     "host_disk_profiling,host_mem_profiling,host_network_profiling,host_osrt_profiling,host_platform_profiling,"
     "host_sys,hscb,hwts_log,hwts_log1,instrProfiling,instrProfilingFreq,interconnection_profiling,io_profiling,"
     "isCancel,jobInfo,job_id,l2CacheTaskProfiling,llc_profiling,memProfiling,memServiceflow,modelExecution,"
     "msprof,msprof_llc_profiling,msproftx,mstxDomainExclude,mstxDomainInclude,nicProfiling,ntsMetrics,"
     "ntsPmuEvents,opType,pcSampling,pcieProfiling,pid_profiling,profLevel,profMode,prof_level,profiling_mode,"
     "profiling_options,pureCpu,qosProfiling,result_dir,roceProfiling,runtimeApi,runtimeTrace,stars_acsq_task,"
     "storageLimit,sysLp,sys_profiling,taskBlock,taskBlockShink,taskMemory,taskTime,taskTrace,taskTsfw,"
     "tsCpuProfiling,ts_cpu_hot_function,ts_cpu_usage,ts_fw_training,ts_keypoint,ts_memcpy,ts_task_time,"
     "ts_task_track,ts_timeline,ubProfiling",
     ANYTHING, false},
    {NULL, ANYTHING, false},
};

static const struct known_keys start_keys[] = {{"collectionDateBegin", DATE, false},
                                               {"collectionTimeBegin", UNIX_US, true},
                                               {"clockMonotonicRaw", MONOTONIC_NS, true},
                                               {NULL, ANYTHING, false}};

static const struct known_keys end_keys[] = {{"collectionDateEnd", DATE, false},
                                             {"collectionTimeEnd", UNIX_US, true},
                                             {"clockMonotonicRaw", MONOTONIC_NS, false},
                                             {NULL, ANYTHING, false}};

static const struct known_keys loss_keys[] = {
    {"calls", COUNT, true},       {"tx", COUNT, true},      {"reason", STRING, false}, {"left", GROUP, false},
    {"left_other", COUNT, false}, {"ranges", GROUP, false}, {"ended", TRUTH, false},   {NULL, ANYTHING, false}};

static const struct known_keys net_keys[] = {
    {"model_name", STRING, false}, {"model_id,batch_num", COUNT, false}, {NULL, ANYTHING, false}};

/* layer_id, task_id and engine: who reads them says it */
static const struct known_keys layer_keys[] = {
    {"layer_id,task_id,engine", ANYTHING, false}, {"name,type,ori_name", STRING, false}, {NULL, ANYTHING, false}};

/* Lists of objects inside a file. */
struct known_list {
    const char *name;
    const struct known_keys *keys;
};

static const struct known_list info_lists[] = {
    {"DeviceInfo", device_keys}, {"CPU", processor_keys}, {"netCard", card_keys}, {NULL, NULL}};

static const struct known_file {
    const char *name;
    bool is_suffix; /* else the name begins so, and a device's number may follow */
    const struct known_keys *keys;
    const struct known_list *lists; /* may be NULL */
} known_files[] = {
    {"info.json", false, info_keys, info_lists}, {"sample.json", false, sample_keys, NULL},
    {"start_info", false, start_keys, NULL},     {"end_info", false, end_keys, NULL},
    {"losses.json", false, loss_keys, NULL},     {".net.info", true, net_keys, NULL},
    {".layer.info", true, layer_keys, NULL},
};

static const struct known_file *find_file(const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof known_files / sizeof *known_files; i++) {
        const struct known_file *file = &known_files[i];
        size_t part = strlen(file->name);
        if (length >= part && memcmp(file->is_suffix ? name + length - part : name, file->name, part) == 0)
            return file;
    }
    return NULL;
}

bool config_is_json(const char *name)
{
    return find_file(name) != NULL;
}

/* ---- the check ---- */

struct check {
    const char *file;
    bool in_part;
    struct diagnostics *diag;
};

static const struct known_keys *find_key(const struct known_keys *keys, const char *name)
{
    while (keys->names != NULL &&
           (strstr(keys->names, name) == NULL || !words_list_has(keys->names, name, strlen(name))))
        keys++;
    return keys->names != NULL ? keys : NULL;
}

/* The known key that is not in the object and becomes this one by one edit. False: there is none. */
static bool find_misspelt(const struct known_keys *keys, const struct json *object, const char *name,
                          char ret[KEY_SIZE])
{
    size_t length = strlen(name);
    for (; keys->names != NULL; keys++) {
        size_t known;
        for (const char *at = keys->names; *at != '\0'; at += known + (at[known] == ',')) {
            known = strcspn(at, ",");
            if ((length == known || (length >= SHORTEST_MISSPELT && known >= SHORTEST_MISSPELT)) &&
                suggestion_edit_distance(name, length, at, known) == 1) {
                snprintf(ret, KEY_SIZE, "%.*s", (int)known, at);
                if (json_member(object, ret) == NULL)
                    return true;
            }
        }
    }
    return false;
}

static void check_member(const struct check *check, const struct known_keys *keys, const struct json *object,
                         const struct json *member)
{
    const char *name = json_key(member);
    const struct known_keys *key = find_key(keys, name);
    struct place place = {check->file, -1, -1, name};
    char meant[KEY_SIZE];
    if (key == NULL && find_misspelt(keys, object, name, meant))
        diag_report(check->diag, DIAG_CONFIG_INVALID, &place, "unknown key; expected '%s', which is missing", meant);
    if (key == NULL)
        return;
    if (json_member(object, name) != member)
        diag_report(check->diag, DIAG_CONFIG_INVALID, &place, "duplicate; the first is used");
    else if (!is_of_type(key->type, member))
        diag_report(check->diag, DIAG_CONFIG_INVALID, &place, "'%.*s'; expected %s; it is ignored", SHOWN_BYTES,
                    json_string(member) != NULL ? json_string(member) : "another type", expected_values[key->type]);
}

static void check_object(const struct check *check, const struct known_keys *keys, const struct json *object)
{
    for (const struct json *member = json_first(object); member != NULL; member = json_next(member))
        check_member(check, keys, object, member);
    for (; check->in_part && keys->names != NULL; keys++) {
        if (keys->needed && json_member(object, keys->names) == NULL)
            diag_report(check->diag, DIAG_CONFIG_INVALID, FILE_PLACE(check->file, keys->names), "missing; expected %s",
                        expected_values[keys->type]);
    }
}

void config_keys_check(const char *file, const struct json *root, bool in_part, struct diagnostics *diag)
{
    struct check check = {file, in_part, diag};
    const struct known_file *known = find_file(capture_base_name(file));
    if (known == NULL)
        return;
    check_object(&check, known->keys, root);
    for (const struct known_list *part = known->lists; part != NULL && part->name != NULL; part++) {
        const struct json *items = json_member(root, part->name);
        for (const struct json *item = json_is_array(items) ? json_first(items) : NULL; item != NULL;
             item = json_next(item)) {
            if (json_is_object(item))
                check_object(&check, part->keys, item);
        }
    }
}

/* ---- logs of clocks ---- */

static const char *const clock_keys[] = {"clock_realtime", "clock_monotonic_raw", "cntvct", "cntvct_diff", NULL};

static size_t trim(const char **line, size_t length)
{
    while (length > 0 && isspace((unsigned char)**line)) {
        ++*line;
        length--;
    }
    while (length > 0 && isspace((unsigned char)(*line)[length - 1]))
        length--;
    return length;
}

/* Nothing of whole numbers of known clocks and of other keys that are not nearly known. */
static bool is_clock_line(const char *line, size_t length)
{
    size_t key_length = 0;
    int64_t number;
    while (key_length < length && line[key_length] != ':' && line[key_length] != '=')
        key_length++;
    if (key_length == length)
        return length >= 2 && *line == '[' && line[length - 1] == ']';
    const char *value = line + key_length + 1;
    size_t value_length = trim(&value, length - key_length - 1);
    key_length = trim(&line, key_length);
    for (const char *const *key = clock_keys; *key != NULL; key++) {
        size_t distance = suggestion_edit_distance(line, key_length, *key, strlen(*key));
        if (distance == 0)
            return number_parse_integer(value, value_length, &number) == 0 && number < TIME_LIMIT_NS;
        if (distance == 1)
            return false;
    }
    return true;
}

void config_check_clock_log(const char *file, const char *text, struct diagnostics *diag)
{
    int64_t number = 0;
    for (const char *line = text; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        const char *content = line;
        size_t content_length = trim(&content, length);
        struct place place = {file, ++number, line - text, NULL};
        if (content_length > 0 && !is_clock_line(content, content_length))
            diag_report(diag, DIAG_CONFIG_INVALID, &place,
                        "'%.*s'; expected a clock and a whole number, such as cntvct: 77000000000; it is ignored",
                        (int)(content_length < SHOWN_BYTES ? content_length : SHOWN_BYTES), content);
        line += length + (line[length] == '\n');
    }
}
