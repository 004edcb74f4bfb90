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

int64_t parse_megahertz(const char *text)
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

static const struct known_key device_keys[] = {{"id", &count, true},
                                               {"env_type", &whole, false},
                                               {"ctrl_cpu_id", NULL, false},
                                               {"ctrl_cpu_core_num", &whole, false},
                                               {"ctrl_cpu_endian_little", &whole, false},
                                               {"ts_cpu_core_num", &whole, false},
                                               {"ai_cpu_core_num", &whole, false},
                                               {"ai_core_num", &whole, false},
                                               {"ai_cpu_core_id", &whole, false},
                                               {"ai_core_id", &whole, false},
                                               {"aicpu_occupy_bitmap", &whole, false},
                                               {"ctrl_cpu", &string, false},
                                               {"ai_cpu", &string, false},
                                               {"aiv_num", &whole, false},
                                               {"hwts_frequency", &frequency, false},
                                               {"aic_frequency", &frequency, false},
                                               {"aiv_frequency", &frequency, false},
                                               {NULL, NULL, false}};

static const struct known_key processor_keys[] = {{"Id", &whole, false},
                                                  {"Name", &string, false},
                                                  {"Frequency", &host_frequency, false},
                                                  {"Logical_CPU_Count", &whole, false},
                                                  {"Type", &string, false},
                                                  {NULL, NULL, false}};

static const struct known_key card_keys[] = {
    {"netCardName", &string, false}, {"speed", &whole, false}, {NULL, NULL, false}};

static const struct known_key info_keys[] = {{"jobInfo", &string, false},
                                             {"version", &string, false},
                                             {"mac", &string, false},
                                             {"OS", &string, false},
                                             {"cpuCores", &whole, false},
                                             {"hostname", &string, false},
                                             {"hwtype", &string, false},
                                             {"devices", &string, false},
                                             {"platform", &string, false},
                                             {"platform_version", &whole_or_empty, true},
                                             {"pid", &whole_or_empty, false},
                                             {"memoryTotal", &whole, false},
                                             {"cpuNums", &whole, false},
                                             {"sysClockFreq", &whole, false},
                                             {"upTime", &string, false},
                                             {"netCardNums", &whole, false},
                                             {"netCard", &list, false},
                                             {"rank_id", &whole, false},
                                             {"pid_name", &string, false},
                                             {"drvVersion", &whole, false},
                                             {"hostUid", &string, false},
                                             {"cannVersion", &string, false},
                                             {"CPU", &list, false},
                                             {"DeviceInfo", NULL, false}, /* who reads it says it */
                                             {NULL, NULL, false}};

static const struct known_key sample_keys[] = {{"ai_core_metrics", &string, false},
                                               {"aiv_metrics", &string, false},
                                               {"ai_core_profiling_events", &events, false},
                                               {"aiv_profiling_events", &events, false},
                                               {"ai_core_profiling_mode", &string, false},
                                               {"aiv_profiling_mode", &string, false},
                                               {"aicore_sampling_interval", &whole_or_empty, false},
                                               {"aiv_sampling_interval", &whole_or_empty, false},
                                               {"host_disk_freq", &whole_or_empty, false},
                                               {"hardware_mem_sampling_interval", &whole_or_empty, false},
                                               {"hostProfilingSamplingInterval", &whole_or_empty, false},
                                               {"instr_profiling_freq", &whole_or_empty, false},
                                               {"npuModuleMemFreq", &whole_or_empty, false},
                                               {"ddr_master_id", &whole_or_empty, false},
                                               {"host_sys_pid", &whole_or_empty, false},
                                               {"l2CacheTaskProfilingEvents", &string, false},
                                               {"llc_profiling_events", &string, false},
                                               {"hbm_profiling_events", &string, false},
                                               {"ddr_profiling_events", &string, false},
                                               {"ai_ctrl_cpu_profiling_events", &string, false},
                                               {"ctrl_cpu_profiling_events", &string, false},
                                               {"ai_cpu_profiling_events", &string, false},
                                               {"ts_cpu_profiling_events", &string, false},
                                               {"qosEvents", &string, false},
                                               {"npuEvents", &string, false},
                                               {"dvpp_sampling_interval", &whole_or_empty, false},
                                               {"hccsInterval", &whole_or_empty, false},
                                               {"pcieInterval", &whole_or_empty, false},
                                               {"ubInterval", &whole_or_empty, false},
                                               {"roceInterval", &whole_or_empty, false},
                                               {"nicInterval", &whole_or_empty, false},
                                               {"llc_interval", &whole_or_empty, false},
                                               {"memInterval", &whole_or_empty, false},
                                               {"ddr_interval", &whole_or_empty, false},
                                               {"hbmInterval", &whole_or_empty, false},
                                               {"profiling_period", &whole_or_empty, false},
                                               {"sysLpFreq", &whole_or_empty, false},
                                               {"msprofBinPid", &whole_or_empty, false},
                                               {"cpu_sampling_interval", &whole_or_empty, false},
                                               {"sys_sampling_interval", &whole_or_empty, false},
                                               {"pid_sampling_interval", &whole_or_empty, false},
                                               {"io_sampling_interval", &whole_or_empty, false},
                                               {"interconnection_sampling_interval", &whole_or_empty, false},
                                               /* switches */
                                               {"acl", NULL, false},
                                               {"aiCtrlCpuProfiling", NULL, false},
                                               {"ai_core_lpm", NULL, false},
                                               {"ai_core_profiling", NULL, false},
                                               {"ai_core_profiling_metrics", NULL, false},
                                               {"ai_core_status", NULL, false},
                                               {"ai_vector_status", NULL, false},
                                               {"aicScale", NULL, false},
                                               {"aicpuTrace", NULL, false},
                                               {"aiv_profiling", NULL, false},
                                               {"aiv_profiling_metrics", NULL, false},
                                               {"app", NULL, false},
                                               {"appMemProfiling", NULL, false},
                                               {"app_dir", NULL, false},
                                               {"app_env", NULL, false},
                                               {"app_location", NULL, false},
                                               {"app_parameters", NULL, false},
                                               {"ascendcl", NULL, false},
                                               {"ccuInstr", NULL, false},
                                               {"cpu_profiling", NULL, false},
                                               {"ddr_profiling", NULL, false},
                                               {"delayTime", NULL, false},
                                               {"devices", NULL, false},
                                               {"durationTime", NULL, false},
                                               {"dvpp_profiling", NULL, false},
                                               {"geApi", NULL, false},
                                               {"ge_api", NULL, false},
                                               {"hardware_mem", NULL, false},
                                               {"hbmProfiling", NULL, false},
                                               {"hbm_profiling", NULL, false},
                                               {"hccl", NULL, false},
                                               {"hcclTrace", NULL, false},
                                               {"hccsProfiling", NULL, false},
                                               {"hostAllPidCpuProfiling", NULL, false},
                                               {"hostAllPidMemProfiling", NULL, false},
                                               {"hostProfiling", NULL, false},
                                               {"hostSysUsage", NULL, false},
                                               {"host_cpu_profiling", NULL, false},
                                               {"host_disk_profiling", NULL, false},
                                               {"host_mem_profiling", NULL, false},
                                               {"host_network_profiling", NULL, false},
                                               {"host_osrt_profiling", NULL, false},
                                               {"host_platform_profiling", NULL, false},
                                               {"host_sys", NULL, false},
                                               {"hscb", NULL, false},
                                               {"hwts_log", NULL, false},
                                               {"hwts_log1", NULL, false},
                                               {"instrProfiling", NULL, false},
                                               {"instrProfilingFreq", NULL, false},
                                               {"interconnection_profiling", NULL, false},
                                               {"io_profiling", NULL, false},
                                               {"isCancel", NULL, false},
                                               {"jobInfo", NULL, false},
                                               {"job_id", NULL, false},
                                               {"l2CacheTaskProfiling", NULL, false},
                                               {"llc_profiling", NULL, false},
                                               {"memProfiling", NULL, false},
                                               {"memServiceflow", NULL, false},
                                               {"modelExecution", NULL, false},
                                               {"msprof", NULL, false},
                                               {"msprof_llc_profiling", NULL, false},
                                               {"msproftx", NULL, false},
                                               {"mstxDomainExclude", NULL, false},
                                               {"mstxDomainInclude", NULL, false},
                                               {"nicProfiling", NULL, false},
                                               {"ntsMetrics", NULL, false},
                                               {"ntsPmuEvents", NULL, false},
                                               {"opType", NULL, false},
                                               {"pcSampling", NULL, false},
                                               {"pcieProfiling", NULL, false},
                                               {"pid_profiling", NULL, false},
                                               {"profLevel", NULL, false},
                                               {"profMode", NULL, false},
                                               {"prof_level", NULL, false},
                                               {"profiling_mode", NULL, false},
                                               {"profiling_options", NULL, false},
                                               {"pureCpu", NULL, false},
                                               {"qosProfiling", NULL, false},
                                               {"result_dir", NULL, false},
                                               {"roceProfiling", NULL, false},
                                               {"runtimeApi", NULL, false},
                                               {"runtimeTrace", NULL, false},
                                               {"stars_acsq_task", NULL, false},
                                               {"storageLimit", NULL, false},
                                               {"sysLp", NULL, false},
                                               {"sys_profiling", NULL, false},
                                               {"taskBlock", NULL, false},
                                               {"taskBlockShink", NULL, false},
                                               {"taskMemory", NULL, false},
                                               {"taskTime", NULL, false},
                                               {"taskTrace", NULL, false},
                                               {"taskTsfw", NULL, false},
                                               {"tsCpuProfiling", NULL, false},
                                               {"ts_cpu_hot_function", NULL, false},
                                               {"ts_cpu_usage", NULL, false},
                                               {"ts_fw_training", NULL, false},
                                               {"ts_keypoint", NULL, false},
                                               {"ts_memcpy", NULL, false},
                                               {"ts_task_time", NULL, false},
                                               {"ts_task_track", NULL, false},
                                               {"ts_timeline", NULL, false},
                                               {"ubProfiling", NULL, false},
                                               {NULL, NULL, false}};

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
                        ? edit_distance(name, length, keys->name, known) == 1
                        : length == known && edit_distance(name, length, keys->name, known) == 1;
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
        size_t distance = edit_distance(line, key_length, key->name, strlen(key->name));
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
