/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/capture/config_keys.h"

#include "base/format/json_in.h"
#include "base/number.h"
#include "base/suggest.h"
#include "parsers/capture/capture_files.h"

#include <ctype.h>
#include <string.h>

#define MAX_HZ INT64_C(100000000000)  /* 100 GHz */
#define TIME_LIMIT_NS (INT64_MAX / 2) /* 146 years: sums of two times are times */
#define SHORTEST_MISSPELT ((size_t)4) /* bytes: shorter names have too many neighbours */
#define SHOWN_BYTES 40                /* of what was found */

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

static bool is_text(const struct json *value)
{
    return json_string(value) != NULL;
}

static bool is_whole(const struct json *value)
{
    int64_t number;
    return json_integer(value, &number);
}

/* Some tools leave a number empty that they do not know. */
static bool is_whole_or_empty(const struct json *value)
{
    const char *text = json_string(value);
    return (text != NULL && *text == '\0') || is_whole(value);
}

static bool is_count(const struct json *value)
{
    int64_t number;
    return json_integer(value, &number) && number >= 0;
}

static bool is_truth(const struct json *value)
{
    bool truth;
    return json_boolean(value, &truth);
}

static bool is_frequency(const struct json *value)
{
    int64_t hz = config_hertz(value);
    const char *text = json_string(value);
    return hz > 0 || (text != NULL && *text == '\0');
}

static bool is_host_frequency(const struct json *value)
{
    return config_hertz(value) >= 0; /* 0: its counter counts nanoseconds */
}

static bool is_unix_us(const struct json *value)
{
    int64_t number;
    return json_integer(value, &number) && number > 0 && number < TIME_LIMIT_NS / 1000;
}

static bool is_monotonic_ns(const struct json *value)
{
    int64_t number;
    return json_integer(value, &number) && number >= 0 && number < TIME_LIMIT_NS;
}

static bool is_date(const char *text)
{
    return text[strspn(text, "0123456789-:. TZ+")] == '\0';
}

static bool is_date_value(const struct json *value)
{
    const char *text = json_string(value);
    return text != NULL && is_date(text);
}

/* "0x8,0xa" */
static bool is_list_of_events(const struct json *value)
{
    const char *text = json_string(value);
    bool digit = false;
    if (text == NULL || *text == '\0')
        return text != NULL;
    for (; *text != '\0'; text++) {
        if (*text == ' ')
            continue;
        if (*text == ',' ? !digit : !isxdigit((unsigned char)*text) && (*text != 'x' || !digit))
            return false;
        digit = *text != ',';
    }
    return digit;
}

static bool is_list(const struct json *value)
{
    return json_is_array(value);
}

static bool is_group(const struct json *value)
{
    return json_is_object(value);
}

struct value_type {
    bool (*is_valid)(const struct json *value);
    const char *expected;
};

static const struct value_type string = {is_text, "a text"}, whole = {is_whole, "a whole number"},
                               whole_or_empty = {is_whole_or_empty, "a whole number, or \"\""},
                               count = {is_count, "a whole number from 0 on"}, truth = {is_truth, "true or false"},
                               frequency = {is_frequency, "MHz as a string, such as \"600\""},
                               host_frequency = {is_host_frequency, "MHz as a string, such as \"100.000000\""},
                               unix_us = {is_unix_us, "microseconds since 1970"},
                               monotonic_ns = {is_monotonic_ns, "nanoseconds"},
                               date = {is_date_value, "a date, such as \"2025-01-01 00:00:00.000000\""},
                               events = {is_list_of_events, "numbers of events, such as \"0x8,0xa\""},
                               list = {is_list, "a list"}, group = {is_group, "an object"};

/* ---- keys ---- */

struct known_key {
    const char *name;
    const struct value_type *type; /* NULL: anything */
    bool needed;                   /* in a part */
};

/* Up to eight keys of one type that no part needs. */
#define KEYS(type, ...) KEYS_PICK(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1, 0)(type, __VA_ARGS__)
#define KEYS_PICK(a, b, c, d, e, f, g, h, count, ...) KEYS_##count
#define KEYS_1(type, name)                                                                                             \
    {                                                                                                                  \
        name, type, false                                                                                              \
    }
#define KEYS_2(type, name, ...) KEYS_1(type, name), KEYS_1(type, __VA_ARGS__)
#define KEYS_3(type, name, ...) KEYS_1(type, name), KEYS_2(type, __VA_ARGS__)
#define KEYS_4(type, name, ...) KEYS_1(type, name), KEYS_3(type, __VA_ARGS__)
#define KEYS_5(type, name, ...) KEYS_1(type, name), KEYS_4(type, __VA_ARGS__)
#define KEYS_6(type, name, ...) KEYS_1(type, name), KEYS_5(type, __VA_ARGS__)
#define KEYS_7(type, name, ...) KEYS_1(type, name), KEYS_6(type, __VA_ARGS__)
#define KEYS_8(type, name, ...) KEYS_1(type, name), KEYS_7(type, __VA_ARGS__)

static const struct known_key device_keys[] = {
    {"id", &count, true},
    {"env_type", &whole, false},
    {"ctrl_cpu_id", NULL, false},
    KEYS(&whole, "ctrl_cpu_core_num", "ctrl_cpu_endian_little", "ts_cpu_core_num", "ai_cpu_core_num", "ai_core_num",
         "ai_cpu_core_id", "ai_core_id", "aicpu_occupy_bitmap"),
    KEYS(&string, "ctrl_cpu", "ai_cpu"),
    {"aiv_num", &whole, false},
    KEYS(&frequency, "hwts_frequency", "aic_frequency", "aiv_frequency"),
    {NULL, NULL, false},
};

static const struct known_key processor_keys[] = {{"Id", &whole, false},
                                                  {"Name", &string, false},
                                                  {"Frequency", &host_frequency, false},
                                                  {"Logical_CPU_Count", &whole, false},
                                                  {"Type", &string, false},
                                                  {NULL, NULL, false}};

static const struct known_key card_keys[] = {
    {"netCardName", &string, false}, {"speed", &whole, false}, {NULL, NULL, false}};

static const struct known_key info_keys[] = {
    KEYS(&string, "jobInfo", "version", "mac", "OS"),
    {"cpuCores", &whole, false},
    KEYS(&string, "hostname", "hwtype", "devices", "platform"),
    {"platform_version", &whole_or_empty, true},
    {"pid", &whole_or_empty, false},
    KEYS(&whole, "memoryTotal", "cpuNums", "sysClockFreq"),
    {"upTime", &string, false},
    {"netCardNums", &whole, false},
    {"netCard", &list, false},
    {"rank_id", &whole, false},
    {"pid_name", &string, false},
    {"drvVersion", &whole, false},
    KEYS(&string, "hostUid", "cannVersion"),
    {"CPU", &list, false},
    {"DeviceInfo", NULL, false}, /* who reads it says it */
    {NULL, NULL, false},
};

static const struct known_key sample_keys[] = {
    KEYS(&string, "ai_core_metrics", "aiv_metrics"),
    KEYS(&events, "ai_core_profiling_events", "aiv_profiling_events"),
    KEYS(&string, "ai_core_profiling_mode", "aiv_profiling_mode"),
    KEYS(&whole_or_empty, "aicore_sampling_interval", "aiv_sampling_interval", "host_disk_freq",
         "hardware_mem_sampling_interval", "hostProfilingSamplingInterval", "instr_profiling_freq", "npuModuleMemFreq",
         "ddr_master_id"),
    {"host_sys_pid", &whole_or_empty, false},
    KEYS(&string, "l2CacheTaskProfilingEvents", "llc_profiling_events", "hbm_profiling_events", "ddr_profiling_events",
         "ai_ctrl_cpu_profiling_events", "ctrl_cpu_profiling_events", "ai_cpu_profiling_events",
         "ts_cpu_profiling_events"),
    KEYS(&string, "qosEvents", "npuEvents"),
    KEYS(&whole_or_empty, "dvpp_sampling_interval", "hccsInterval", "pcieInterval", "ubInterval", "roceInterval",
         "nicInterval", "llc_interval", "memInterval"),
    KEYS(&whole_or_empty, "ddr_interval", "hbmInterval", "profiling_period", "sysLpFreq", "msprofBinPid",
         "cpu_sampling_interval", "sys_sampling_interval", "pid_sampling_interval"),
    KEYS(&whole_or_empty, "io_sampling_interval", "interconnection_sampling_interval"),
    /* switches */
    KEYS(NULL, "acl", "aiCtrlCpuProfiling", "ai_core_lpm", "ai_core_profiling", "ai_core_profiling_metrics",
         "ai_core_status", "ai_vector_status", "aicScale"),
    KEYS(NULL, "aicpuTrace", "aiv_profiling", "aiv_profiling_metrics", "app", "appMemProfiling", "app_dir", "app_env",
         "app_location"),
    KEYS(NULL, "app_parameters", "ascendcl", "ccuInstr", "cpu_profiling", "ddr_profiling", "delayTime", "devices",
         "durationTime"),
    KEYS(NULL, "dvpp_profiling", "geApi", "ge_api", "hardware_mem", "hbmProfiling", "hbm_profiling", "hccl",
         "hcclTrace"),
    KEYS(NULL, "hccsProfiling", "hostAllPidCpuProfiling", "hostAllPidMemProfiling", "hostProfiling", "hostSysUsage",
         "host_cpu_profiling", "host_disk_profiling", "host_mem_profiling"),
    KEYS(NULL, "host_network_profiling", "host_osrt_profiling", "host_platform_profiling", "host_sys", "hscb",
         "hwts_log", "hwts_log1", "instrProfiling"),
    KEYS(NULL, "instrProfilingFreq", "interconnection_profiling", "io_profiling", "isCancel", "jobInfo", "job_id",
         "l2CacheTaskProfiling", "llc_profiling"),
    KEYS(NULL, "memProfiling", "memServiceflow", "modelExecution", "msprof", "msprof_llc_profiling", "msproftx",
         "mstxDomainExclude", "mstxDomainInclude"),
    KEYS(NULL, "nicProfiling", "ntsMetrics", "ntsPmuEvents", "opType", "pcSampling", "pcieProfiling", "pid_profiling",
         "profLevel"),
    KEYS(NULL, "profMode", "prof_level", "profiling_mode", "profiling_options", "pureCpu", "qosProfiling", "result_dir",
         "roceProfiling"),
    KEYS(NULL, "runtimeApi", "runtimeTrace", "stars_acsq_task", "storageLimit", "sysLp", "sys_profiling", "taskBlock",
         "taskBlockShink"),
    KEYS(NULL, "taskMemory", "taskTime", "taskTrace", "taskTsfw", "tsCpuProfiling", "ts_cpu_hot_function",
         "ts_cpu_usage", "ts_fw_training"),
    KEYS(NULL, "ts_keypoint", "ts_memcpy", "ts_task_time", "ts_task_track", "ts_timeline", "ubProfiling"),
    {NULL, NULL, false},
};

static const struct known_key start_keys[] = {{"collectionDateBegin", &date, false},
                                              {"collectionTimeBegin", &unix_us, true},
                                              {"clockMonotonicRaw", &monotonic_ns, true},
                                              {NULL, NULL, false}};

static const struct known_key end_keys[] = {{"collectionDateEnd", &date, false},
                                            {"collectionTimeEnd", &unix_us, true},
                                            {"clockMonotonicRaw", &monotonic_ns, false},
                                            {NULL, NULL, false}};

static const struct known_key loss_keys[] = {
    {"calls", &count, true},       {"tx", &count, true},     {"reason", &string, false}, {"left", &group, false},
    {"left_other", &count, false}, {"ended", &truth, false}, {NULL, NULL, false}};

static const struct known_key net_keys[] = {
    {"model_name", &string, false}, {"model_id", &count, false}, {"batch_num", &count, false}, {NULL, NULL, false}};

/* layer_id, task_id and engine: who reads them says it */
static const struct known_key layer_keys[] = {
    {"layer_id", NULL, false}, {"name", &string, false}, {"type", &string, false}, {"ori_name", &string, false},
    {"task_id", NULL, false},  {"engine", NULL, false},  {NULL, NULL, false}};

/* Lists of objects inside a file. */
struct known_list {
    const char *name;
    const struct known_key *keys;
};

static const struct known_list info_lists[] = {
    {"DeviceInfo", device_keys}, {"CPU", processor_keys}, {"netCard", card_keys}, {NULL, NULL}};

static const struct known_file {
    const char *name;
    bool is_suffix; /* else the name begins so, and a device's number may follow */
    const struct known_key *keys;
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

bool is_json_config(const char *name)
{
    return find_file(name) != NULL;
}

/* ---- the check ---- */

struct check {
    const char *file;
    bool in_part;
    struct diagnostics *diag;
};

static const struct known_key *find_key(const struct known_key *keys, const char *name)
{
    while (keys->name != NULL && strcmp(keys->name, name) != 0)
        keys++;
    return keys->name != NULL ? keys : NULL;
}

/* The known key that is not in the object and becomes this one by one edit. */
static const struct known_key *find_misspelt(const struct known_key *keys, const struct json *object, const char *name)
{
    size_t length = strlen(name);
    for (; keys->name != NULL; keys++) {
        size_t known = strlen(keys->name);
        bool near = length >= SHORTEST_MISSPELT && known >= SHORTEST_MISSPELT
                        ? suggestion_edit_distance(name, length, keys->name, known) == 1
                        : length == known && suggestion_edit_distance(name, length, keys->name, known) == 1;
        if (near && json_member(object, keys->name) == NULL)
            return keys;
    }
    return NULL;
}

static void check_member(const struct check *check, const struct known_key *keys, const struct json *object,
                         const struct json *member)
{
    const char *name = json_key(member);
    const struct known_key *key = find_key(keys, name), *meant = key == NULL ? find_misspelt(keys, object, name) : NULL;
    struct place place = {check->file, -1, -1, name};
    if (meant != NULL)
        diag_report(check->diag, DIAG_CONFIG_INVALID, &place, "not a known key; expected '%s', which is not there",
                    meant->name);
    if (key == NULL)
        return;
    if (json_member(object, name) != member)
        diag_report(check->diag, DIAG_CONFIG_INVALID, &place, "there twice; the first is used");
    else if (key->type != NULL && !key->type->is_valid(member))
        diag_report(check->diag, DIAG_CONFIG_INVALID, &place, "'%.*s'; expected %s; it is ignored", SHOWN_BYTES,
                    json_string(member) != NULL ? json_string(member) : "another type", key->type->expected);
}

static void check_object(const struct check *check, const struct known_key *keys, const struct json *object)
{
    for (const struct json *member = json_first(object); member != NULL; member = json_next(member))
        check_member(check, keys, object, member);
    for (; check->in_part && keys->name != NULL; keys++) {
        struct place place = {check->file, -1, -1, keys->name};
        if (keys->needed && json_member(object, keys->name) == NULL)
            diag_report(check->diag, DIAG_CONFIG_INVALID, &place, "not there; expected %s", keys->type->expected);
    }
}

void config_keys_check(const char *file, const struct json *root, bool in_part, struct diagnostics *diag)
{
    struct check check = {file, in_part, diag};
    const struct known_file *known = find_file(base_name(file));
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

static const struct known_key clock_keys[] = {{"clock_realtime", NULL, false},
                                              {"clock_monotonic_raw", NULL, false},
                                              {"cntvct", NULL, false},
                                              {"cntvct_diff", NULL, false},
                                              {NULL, NULL, false}};

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
    for (const struct known_key *key = clock_keys; key->name != NULL; key++) {
        size_t distance = suggestion_edit_distance(line, key_length, key->name, strlen(key->name));
        if (distance == 0)
            return number_parse_integer(value, value_length, &number) == 0 && number < TIME_LIMIT_NS;
        if (distance == 1)
            return false;
    }
    return true;
}

void clock_log_check(const char *file, const char *text, struct diagnostics *diag)
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
