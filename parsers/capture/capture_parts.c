/* SPDX-License-Identifier: Apache-2.0 */
#include "base/array.h"
#include "base/diag.h"
#include "base/format/json_in.h"
#include "base/number.h"
#include "parsers/capture/capture_files.h"
#include "parsers/capture/config_keys.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* losses.json: what a recorder of the host says its own capture lacks (docs/formats/acl-api.md Losses). */

#define UNWRITTEN_MS 200 /* how long records wait for being written (docs/formats/acl-api.md) */

/* A count; 0 when there is none that makes sense. */
static int64_t count_of(const struct json *value)
{
    int64_t count;
    return json_integer(value, &count) && count > 0 ? count : 0;
}

/* Reports ranges of mstx that a program did not end, or not as it is meant. */
static void report_ranges(const struct json *ranges, const struct place *place, struct diagnostics *diag)
{
    static const struct {
        const char *key, *text;
    } misuses[] = {
        {"not_open", "ends of ranges that were not open: ended twice, or never begun"},
        {"other_domain", "ends of ranges in another domain; recorded in the domain where they began"},
        {"no_domain", "marks and ranges in a domain that was destroyed or never created; not recorded"},
    };
    int64_t open = count_of(json_member(ranges, "open")), named = 0;
    const struct json *messages = json_member(ranges, "messages");
    for (const struct json *message = json_first(messages); message != NULL; message = json_next(message)) {
        diag_report(diag, DIAG_RANGE_OPEN, place, "'%.64s': %" PRId64 " that did not end",
                    json_key(message) != NULL ? json_key(message) : "", count_of(message));
        named = number_add(named, count_of(message));
    }
    if (open > named)
        diag_report(diag, DIAG_RANGE_OPEN, place, "ranges of other messages: %" PRId64 " that did not end",
                    open - named);
    for (size_t i = 0; i < sizeof misuses / sizeof *misuses; i++) {
        int64_t count = count_of(json_member(ranges, misuses[i].key));
        if (count > 0)
            diag_report(diag, DIAG_RANGE_MISUSED, place, "%s: %" PRId64, misuses[i].text, count);
    }
}

/* Reports each loss; root NULL or no object: that the file says nothing. */
static void capture_report_losses(const char *file, const struct json *root, struct diagnostics *diag)
{
    struct place place = {file, -1, -1, NULL};
    const char *reason = json_string(json_member(root, "reason"));
    bool ended;
    int64_t calls = count_of(json_member(root, "calls")), tx = count_of(json_member(root, "tx"));
    if (reason != NULL && *reason == '\0')
        reason = NULL;
    if (calls == 0 && tx == 0 && reason != NULL)
        diag_report(diag, DIAG_RECORDING_LOST, &place, "names of what was recorded were lost: %s", reason);
    else if (calls > 0 || tx > 0)
        diag_report(diag, DIAG_RECORDING_LOST, &place,
                    "%" PRId64 " calls and %" PRId64 " msproftx records were lost while recording: %s", calls, tx,
                    reason != NULL ? reason : "no memory");
    if (json_boolean(json_member(root, "ended"), &ended) && !ended)
        diag_report(diag, DIAG_RECORDING_OPEN, &place,
                    "\"ended\" is false: up to %d ms of the end may be missing; expected true", UNWRITTEN_MS);
    for (const struct json *left = json_first(json_member(root, "left")); left != NULL; left = json_next(left)) {
        const char *name = json_key(left);
        int64_t count = count_of(left);
        if (count > 0 && name != NULL)
            diag_report(diag, DIAG_CALL_LEFT, &place, "'%.64s': %" PRId64 " that did not return", name, count);
    }
    if (count_of(json_member(root, "left_other")) > 0)
        diag_report(diag, DIAG_CALL_LEFT, &place, "calls of unknown functions: %" PRId64 " that did not return",
                    count_of(json_member(root, "left_other")));
    report_ranges(json_member(root, "ranges"), &place, diag);
}

/* The parts of a PROF capture: host and devices, their chips and clocks. */

#define NANOSECONDS INT64_C(1000000000)

/* ---- names ---- */

static size_t match_part(const char *name)
{
    static const char device[] = "device_";
    size_t length = sizeof device - 1, digits = 0;
    if (strncmp(name, "host", 4) == 0 && (name[4] == '\0' || name[4] == '/'))
        return 4;
    if (strncmp(name, device, length) != 0)
        return 0;
    while (isdigit((unsigned char)name[length + digits]))
        digits++;
    length += digits;
    return digits > 0 && digits < 10 && (name[length] == '\0' || name[length] == '/') ? length : 0;
}

size_t part_prefix(const char *name)
{
    size_t length = match_part(name);
    return length > 0 && name[length] == '/' ? length : 0;
}

bool capture_is_part_directory(const char *name)
{
    size_t length = match_part(name);
    return length > 0 && name[length] == '\0';
}

/* Products say it as profLevel, boards as prof_level; the host's part comes first. */
bool capture_is_level_0(const struct capture *capture)
{
    for (size_t i = 0; i < capture->part_count; i++) {
        const struct capture_settings *settings = &capture->parts[i].settings;
        const char *level = capture_setting_text(settings, "profLevel");
        level = level != NULL ? level : capture_setting_text(settings, "prof_level");
        if (level != NULL)
            return strcmp(level, "l0") == 0 || strcmp(level, "level0") == 0;
    }
    return false;
}

static const struct capture_part unknown_part = {
    .device_id = -1,
    .chip = -1,
    .host_hz = -1,
    .device_hz = -1,
    .host_tick = -1,
    .host_monotonic_ns = -1,
    .device_tick = -1,
    .device_monotonic_ns = -1,
    .start_monotonic_ns = -1,
    .start_unix_ns = -1,
    .end_unix_ns = -1,
    .end_monotonic_ns = -1,
    .host_unix_ns = -1,
    .aic_hz = -1,
    .aiv_hz = -1,
    .ai_core_num = -1,
    .aiv_num = -1,
    .process_id = -1,
    .driver_version = -1,
    .rank_id = -1,
};

int capture_add_part(struct capture *capture, const char *name, size_t *ret, struct err *err)
{
    const bool in_tree = capture->tree != NULL;
    size_t length = in_tree ? capture->tree->part(name) : part_prefix(name);
    for (size_t i = capture->part_count; i-- > 0;) { /* names come sorted: it is mostly the last */
        const char *directory = capture->parts[i].directory;
        if (strlen(directory) == length && strncmp(directory, name, length) == 0) {
            *ret = i;
            return 0;
        }
    }
    if (capture->part_count == CAPTURE_MAX_PARTS)
        return err_set(err, ERR_LIMIT, "more than %d sub-directories of devices or launches", CAPTURE_MAX_PARTS);
    if (capture->part_count == capture->part_capacity &&
        array_grow(&capture->parts, &capture->part_capacity, capture->part_count, 1, sizeof *capture->parts, err) < 0)
        return err_status(err);
    char *directory = strndup(name, length);
    if (directory == NULL)
        return err_no_memory(err);
    struct capture_part *part = &capture->parts[capture->part_count];
    *part = unknown_part;
    part->directory = directory;
    part->is_host = !in_tree && strcmp(directory, "host") == 0;
    if (!in_tree && length > 7)
        number_parse_integer(directory + 7, length - 7, &part->device_id);
    *ret = capture->part_count++;
    return 0;
}

/* ---- configuration files ---- */

static void read_hertz(const struct json *object, const char *key, int64_t *ret)
{
    int64_t hz = config_hertz(json_member(object, key));
    if (hz >= 0)
        *ret = hz;
}

static void read_number(const struct json *object, const char *key, int64_t *ret)
{
    int64_t value;
    if (json_integer(json_member(object, key), &value))
        *ret = value;
}

static void read_string(const struct json *object, const char *key, char *buffer, size_t size)
{
    const char *text = json_string(json_member(object, key));
    if (text != NULL)
        snprintf(buffer, size, "%s", text);
}

static void take_info(struct capture_part *part, const struct json *root)
{
    const struct json *device = json_first(json_member(root, "DeviceInfo"));
    read_number(root, "platform_version", &part->chip);
    read_number(root, "pid", &part->process_id);
    read_number(root, "drvVersion", &part->driver_version);
    read_number(root, "rank_id", &part->rank_id);
    read_string(root, "jobInfo", part->job, sizeof part->job);
    read_string(root, "hostname", part->host_name, sizeof part->host_name);
    read_string(root, "hostUid", part->host_uid, sizeof part->host_uid);
    read_string(root, "pid_name", part->process_name, sizeof part->process_name);
    read_hertz(json_first(json_member(root, "CPU")), "Frequency", &part->host_hz);
    if (device == NULL)
        return;
    if (part->device_id < 0)
        read_number(device, "id", &part->device_id);
    read_hertz(device, "hwts_frequency", &part->device_hz);
    read_hertz(device, "aic_frequency", &part->aic_hz);
    read_hertz(device, "aiv_frequency", &part->aiv_hz);
    read_number(device, "ai_core_num", &part->ai_core_num);
    read_number(device, "aiv_num", &part->aiv_num);
}

static void take_sample(struct capture_part *part, const struct json *root)
{
    read_string(root, "ai_core_metrics", part->metrics, sizeof part->metrics);
    read_string(root, "ai_core_profiling_events", part->events, sizeof part->events);
    read_string(root, "aiv_metrics", part->aiv_metrics, sizeof part->aiv_metrics);
    read_string(root, "aiv_profiling_events", part->aiv_events, sizeof part->aiv_events);
}

/* Microseconds since 1970 as a string, which is what a start or end file says. */
static void read_unix_time(const struct json *root, const char *key, int64_t *ret_ns)
{
    int64_t us = -1;
    read_number(root, key, &us);
    if (us > 0 && us < INT64_MAX / 2000)
        *ret_ns = us * 1000;
}

static void take_start(struct capture_part *part, const struct json *root)
{
    read_unix_time(root, "collectionTimeBegin", &part->start_unix_ns);
    read_number(root, "clockMonotonicRaw", &part->start_monotonic_ns);
    read_string(root, "collectionDateBegin", part->begin_date, sizeof part->begin_date);
}

static void take_end(struct capture_part *part, const struct json *root)
{
    read_unix_time(root, "collectionTimeEnd", &part->end_unix_ns);
    read_number(root, "clockMonotonicRaw", &part->end_monotonic_ns);
}

/* The section of a device in a log of the host, which may have one for each; the whole when it has none of that name.
 */
static const char *find_section(const char *text, int64_t device_id)
{
    char heading[40];
    snprintf(heading, sizeof heading, "[Device%lld]", (long long)device_id);
    const char *section = device_id >= 0 ? strstr(text, heading) : NULL;
    return section != NULL ? section + 1 : text;
}

/* Lines "key: number" or "key = number" of one section; headings in front of it are passed over. NULL: there is none.
 */
static const char *find_value(const char *section, const char *key)
{
    size_t key_length = strlen(key);
    bool begun = false;
    for (const char *line = section; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (*line == '[' && begun)
            return NULL;
        begun |= *line != '[' && *line != '\n' && line != section;
        if (strncmp(line, key, key_length) != 0)
            continue;
        const char *value = line + key_length + strspn(line + key_length, " \t");
        if (*value == ':' || *value == '=')
            return value + 1 + strspn(value + 1, " \t");
    }
    return NULL;
}

/* A file that is read later wins: the one that names its device comes after the one that does not. */
static void take_clock_log(const struct config_file *file, const char *section, const char *key, int64_t *ret)
{
    int64_t number;
    const char *value = find_value(section, key);
    if (value == NULL)
        return;
    size_t length = strcspn(value, " \t\r\n");
    bool reported = part_prefix(file->name) > 0; /* captures of other families need none of it */
    if (number_parse_integer(value, length, &number) != 0)
        return;
    if (reported && *ret > 0 && *ret != number)
        diag_report(file->diag, DIAG_CONFIG_INVALID, FILE_PLACE(file->name, key),
                    "%lld, but another start log says %lld; the former is used", (long long)number, (long long)*ret);
    *ret = number;
}

static bool begins(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* Files of a device end with its number. */
static bool is_of_other_device(const struct capture_part *part, const char *name)
{
    const char *suffix = strrchr(name, '.');
    int64_t device_id;
    return !part->is_host && *part->directory != '\0' && suffix != NULL &&
           number_parse_integer(suffix + 1, strlen(suffix + 1), &device_id) == 0 && device_id != part->device_id;
}

static void take_clocks(struct capture_part *part, const struct config_file *file)
{
    const char *name = capture_base_name(file->name);
    if (begins(name, "host_start.log")) {
        const char *section = find_section(file->text, part->device_id);
        take_clock_log(file, section, "clock_realtime", &part->host_unix_ns);
        take_clock_log(file, section, "clock_monotonic_raw", &part->host_monotonic_ns);
        take_clock_log(file, section, "cntvct", &part->host_tick);
        take_clock_log(file, section, "cntvct_diff", &part->host_tick_diff);
    } else if (begins(name, "dev_start.log")) {
        take_clock_log(file, file->text, "cntvct", &part->device_tick);
        take_clock_log(file, file->text, "clock_monotonic_raw", &part->device_monotonic_ns);
    } else {
        return;
    }
    config_check_clock_log(file->name, file->text, file->diag);
}

static int take_object(struct capture_part *part, const struct config_file *file, struct err *err)
{
    static const struct {
        const char *prefix;
        void (*take)(struct capture_part *part, const struct json *root);
        bool has_settings;
    } files[] = {{"info.json", take_info, true},
                 {"sample.json", take_sample, true},
                 {"start_info", take_start, false},
                 {"end_info", take_end, false}};
    if (begins(capture_base_name(file->name), "losses.json")) {
        part->is_recorded = true;
        capture_report_losses(file->name, file->root, file->diag);
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (!begins(capture_base_name(file->name), files[i].prefix))
            continue;
        files[i].take(part, file->root);
        if (files[i].has_settings && capture_settings_take(&part->settings, file->root, err) < 0)
            return err_status(err);
    }
    return 0;
}

int part_read_config(struct capture_part *part, const struct config_file *file, struct err *err)
{
    if (is_of_other_device(part, capture_base_name(file->name))) {
        diag_report(file->diag, DIAG_CONFIG_INVALID, FILE_PLACE(file->name, NULL),
                    "a file of another device than %lld; it is ignored", (long long)part->device_id);
        return 0;
    }
    take_clocks(part, file);
    if (file->root == NULL)
        return 0;
    config_keys_check(file->name, file->root, *part->directory != '\0', file->diag);
    return take_object(part, file, err);
}

/* ---- the whole ---- */

ARRAY_COMPARE(compare_parts, struct capture_part, ARRAY_BY_MOST(is_host), ARRAY_BY(device_id), ARRAY_BY_TEXT(directory))

static void inherit(int64_t *value, int64_t from)
{
    if (*value < 0)
        *value = from;
}

static void fill_from(struct capture_part *part, const struct capture_part *other)
{
    inherit(&part->chip, other->chip);
    inherit(&part->host_hz, other->host_hz);
    inherit(&part->process_id, other->process_id);
    if (part->host_monotonic_ns < 0) {
        part->host_monotonic_ns = other->host_monotonic_ns;
        inherit(&part->host_tick, other->host_tick);
        part->host_tick_diff = other->host_tick_diff;
    }
    if (part->start_unix_ns < 0 || part->start_monotonic_ns < 0) {
        part->start_unix_ns = other->start_unix_ns;
        part->start_monotonic_ns = other->start_monotonic_ns;
    }
    inherit(&part->end_unix_ns, other->end_unix_ns);
}

int capture_settle_parts(struct capture *capture, struct err *err)
{
    if (capture->part_count == 0)
        return 0;
    SCOPED_FREE char **directories = scoped_memory(capture->part_count, sizeof *directories);
    SCOPED_FREE size_t *moved = scoped_memory(capture->part_count, sizeof *moved);
    if (directories == NULL || moved == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < capture->part_count; i++)
        directories[i] = capture->parts[i].directory;
    qsort(capture->parts, capture->part_count, sizeof *capture->parts, compare_parts);
    for (size_t i = 0; i < capture->part_count; i++) {
        for (size_t k = 0; k < capture->part_count; k++) {
            if (directories[i] == capture->parts[k].directory)
                moved[i] = k;
        }
    }
    for (size_t i = 0; i < capture->file_count; i++)
        capture->files[i].part = moved[capture->files[i].part];
    for (size_t i = 0; i < capture->part_count; i++)
        fill_from(&capture->parts[i], &capture->parts[i == 0 && capture->part_count > 1 ? 1 : 0]);
    return 0;
}

/* ---- conversion ---- */

__extension__ typedef __int128 wide;

/* ticks * 10^9 / hz, rounded to the nearest, plus base; saturates. */
static int64_t convert_wide(wide ticks, int64_t hz, wide base)
{
    wide scaled = ticks * NANOSECONDS + hz / 2, ns = scaled / hz;
    if (scaled < 0 && ns * hz != scaled)
        ns--;
    ns += base;
    return ns > INT64_MAX ? INT64_MAX : ns < INT64_MIN ? INT64_MIN : (int64_t)ns;
}

#define USUAL_HZ INT64_C(9000000000)    /* up to it a rest of ticks times 10^9 has 64 bits */
#define USUAL_TICKS (UINT64_C(1) << 52) /* in nanoseconds at 1 MHz 2^62 */
#define USUAL_NS ((uint64_t)5 * 1000000000 * 1000000000 / 2)

/* Nanoseconds of a tick of the counters that most machines have, whose conversion is no division; 0: of another. */
static inline int64_t whole_tick_ns(int64_t hz)
{
    return hz == 100000000 ? 10 : hz == 50000000 ? 20 : hz == NANOSECONDS ? 1 : 0;
}

/* convert_wide() of ticks since a start, without a division of 128 bits in the usual case; start >= 0. */
static inline int64_t convert_since(int64_t tick, int64_t start, int64_t late_ticks, int64_t hz, int64_t base_ns)
{
    uint64_t since = (uint64_t)tick - (uint64_t)start;
    if ((since | (uint64_t)late_ticks | (since + (uint64_t)late_ticks)) >= USUAL_TICKS ||
        (uint64_t)hz - 1000000 > USUAL_HZ - 1000000 || (uint64_t)base_ns > USUAL_NS)
        return convert_wide((wide)tick - start + late_ticks, hz, base_ns);
    int64_t ticks = (int64_t)since + late_ticks;
    const int64_t tick_ns = whole_tick_ns(hz);
    if (tick_ns > 0)
        return ticks * tick_ns + base_ns;
    if (ticks < USUAL_HZ)
        return (ticks * NANOSECONDS + hz / 2) / hz + base_ns;
    return ticks / hz * NANOSECONDS + (ticks % hz * NANOSECONDS + hz / 2) / hz + base_ns;
}

/* How a counter of a part counts. */
struct counter {
    int64_t start, late_ticks, hz;
    wide base_ns;
};

static struct counter host_counter(const struct capture_part *part)
{
    const int64_t base = part->host_monotonic_ns >= 0 ? part->host_monotonic_ns : 0;
    if (part->host_hz <= 0)
        return (struct counter){0, 0, NANOSECONDS, part->unix_offset_ns};
    return (struct counter){part->host_tick >= 0 ? part->host_tick : 0, part->host_tick_diff, part->host_hz,
                            (wide)base + part->unix_offset_ns};
}

static struct counter device_counter(const struct capture_part *part)
{
    const int64_t base = part->host_monotonic_ns >= 0 ? part->host_monotonic_ns : 0;
    /* The clocks of the host were read that much before the device's counter. */
    const int64_t late =
        part->host_hz > 0 && part->host_tick_diff != 0 ? convert_wide(part->host_tick_diff, part->host_hz, 0) : 0;
    return (struct counter){part->device_tick >= 0 ? part->device_tick : 0, 0,
                            part->device_hz > 0 ? part->device_hz : capture_usual_device_hz(part->chip),
                            (wide)base + late + part->unix_offset_ns};
}

static inline int64_t counter_ns(const struct counter *counter, int64_t tick)
{
    if (counter->base_ns > INT64_MAX || counter->base_ns < INT64_MIN)
        return convert_wide((wide)tick - counter->start + counter->late_ticks, counter->hz, counter->base_ns);
    return convert_since(tick, counter->start, counter->late_ticks, counter->hz, (int64_t)counter->base_ns);
}

int64_t part_host_ns(const struct capture_part *part, int64_t tick)
{
    const struct counter counter = host_counter(part);
    return counter_ns(&counter, tick);
}

int64_t part_device_ns(const struct capture_part *part, int64_t tick)
{
    const struct counter counter = device_counter(part);
    return counter_ns(&counter, tick);
}

int64_t part_origin_ns(const struct capture_part *part)
{
    const struct counter counter = part->is_host ? host_counter(part) : device_counter(part);
    return convert_wide(0, NANOSECONDS, counter.base_ns);
}

/* Within what convert_since() multiplies nothing overflows. */
static struct part_ticks ticks_of(const struct capture_part *part, const struct counter *counter,
                                  int64_t (*any)(const struct capture_part *part, int64_t tick))
{
    struct part_ticks ticks = {.part = part, .any = any, .first = (uint64_t)counter->start};
    ticks.tick_ns = whole_tick_ns(counter->hz);
    if (ticks.tick_ns == 0 || (uint64_t)counter->late_ticks >= USUAL_TICKS || counter->base_ns < 0 ||
        counter->base_ns > (wide)USUAL_NS)
        return ticks;
    ticks.count = USUAL_TICKS - (uint64_t)counter->late_ticks;
    ticks.base_ns = (int64_t)counter->base_ns + counter->late_ticks * ticks.tick_ns;
    return ticks;
}

struct part_ticks part_host_ticks(const struct capture_part *part)
{
    const struct counter counter = host_counter(part);
    return ticks_of(part, &counter, part_host_ns);
}

struct part_ticks part_device_ticks(const struct capture_part *part)
{
    const struct counter counter = device_counter(part);
    return ticks_of(part, &counter, part_device_ns);
}

int64_t capture_usual_device_hz(int64_t chip)
{
    switch (chip) {
    case 0:
        return 19200000;
    case 2:
    case 3:
    case 4:
        return 38400000;
    case 5:
        return 50000000;
    case 7:
    case 8:
    case 11:
        return 48000000;
    case 15:
    case 16:
        return NANOSECONDS;
    default:
        return 100000000;
    }
}

bool part_is_warm_up(const struct capture_part *part, int64_t end_ns)
{
    const bool clocks = part->host_monotonic_ns >= 0 && (part->is_host || part->device_tick >= 0);
    const bool known = part->start_monotonic_ns >= 0 && part->start_unix_ns >= part->start_monotonic_ns;
    const bool ends = part->end_unix_ns < 0 || part->start_unix_ns <= part->end_unix_ns;
    return clocks && known && ends && end_ns < part->start_unix_ns &&
           end_ns >= number_add(part->host_monotonic_ns, part->unix_offset_ns) - WARM_UP_SLACK_NS;
}

int64_t part_clock_ns(const struct capture_part *part, enum sample_clock clock, int64_t value)
{
    int64_t base = part->host_monotonic_ns >= 0 ? part->host_monotonic_ns : 0;
    switch (clock) {
    case CLOCK_START_US:
        return convert_wide((wide)value * 1000, NANOSECONDS, (wide)base + part->unix_offset_ns);
    case CLOCK_START_NS:
        return convert_wide((wide)value, NANOSECONDS, (wide)base + part->unix_offset_ns);
    case CLOCK_DEVICE_NS:
        return convert_wide((wide)value - (part->device_monotonic_ns >= 0 ? part->device_monotonic_ns : base),
                            NANOSECONDS, (wide)base + part->unix_offset_ns);
    case CLOCK_DEVICE_TICK:
        return part_device_ns(part, value);
    case CLOCK_HOST_NS:
        return convert_wide(value, NANOSECONDS, part->unix_offset_ns);
    case CLOCK_HOST_TICK:
        return part_host_ns(part, value);
    case CLOCK_UNIX_NS:
        break;
    }
    return value;
}
