/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/recorder/capture_config.h"

#include "base/number.h"
#include "base/utf8.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define NAME_MAX_BYTES 64
#define REASON_MAX_BYTES 128

void losses_add_left(struct losses *losses, uint64_t key, const char *name, int64_t change)
{
    size_t i = name != NULL ? 0 : losses->left_count;
    while (i < losses->left_count && losses->left[i].key != key)
        i++;
    if (name != NULL && i == losses->left_count && i < LOSSES_MOST_NAMES)
        losses->left[losses->left_count++] = (struct left_call){.key = key, .name = name};
    int64_t *count = i < losses->left_count ? &losses->left[i].count : &losses->left_other;
    *count += change; /* one that went on in another thread may return before it is missed: less than none */
}

void range_losses_add_open(struct range_losses *ranges, const char *message, size_t length)
{
    char text[LOSSES_RANGE_BYTES] = "";
    size_t i = 0;
    ranges->open++;
    memcpy(text, message, length < sizeof text ? length : sizeof text - 1);
    utf8_mask(text);
    for (char *p = text; *p != '\0'; p++)
        if (*p == '"' || *p == '\\')
            *p = '\'';
    while (i < ranges->name_count && strcmp(ranges->names[i].text, text) != 0)
        i++;
    if (i == LOSSES_MOST_RANGES)
        return;
    if (i == ranges->name_count) {
        memcpy(ranges->names[i].text, text, sizeof text);
        ranges->name_count++;
    }
    ranges->names[i].count++;
}

static bool ranges_equal(const struct range_losses *a, const struct range_losses *b)
{
    if (a->open != b->open || a->not_open != b->not_open || a->other_domain != b->other_domain ||
        a->no_domain != b->no_domain || a->name_count != b->name_count)
        return false;
    for (size_t i = 0; i < a->name_count; i++)
        if (a->names[i].count != b->names[i].count || strcmp(a->names[i].text, b->names[i].text) != 0)
            return false;
    return true;
}

bool losses_equal(const struct losses *a, const struct losses *b)
{
    if (a->calls != b->calls || a->tx != b->tx || a->failure != b->failure || a->left_count != b->left_count ||
        a->left_other != b->left_other || a->ended != b->ended || !ranges_equal(&a->ranges, &b->ranges))
        return false;
    for (size_t i = 0; i < a->left_count; i++)
        if (a->left[i].count != b->left[i].count)
            return false;
    return true;
}

static char *put(char *p, const char *text, size_t most)
{
    size_t length = strnlen(text, most);
    memcpy(p, text, length);
    return p + length;
}

static char *put_number(char *p, const char *key, uint64_t number)
{
    p = put(p, "\"", 1);
    p = put(p, key, NAME_MAX_BYTES);
    p = put(p, "\": ", 3);
    return number_put_unsigned(p, number);
}

const char *losses_reason(const struct losses *losses)
{
    if (losses->failure == LOSSES_NO_STAMP)
        return "all 100 stamps were in use at once";
    if (losses->failure == LOSSES_NO_NAME)
        return "a text has more than 4095 bytes, or the process more than 65536 texts";
    if (losses->failure == LOSSES_NO_RANGE)
        return "65535 ranges were open at once";
    return losses->failure != 0 ? strerrordesc_np(losses->failure) : NULL;
}

static char *put_ranges(char *p, const struct range_losses *ranges)
{
    p = put_number(put(p, ", \"ranges\": {", NAME_MAX_BYTES), "open", ranges->open);
    p = put_number(put(p, ", ", 2), "not_open", ranges->not_open);
    p = put_number(put(p, ", ", 2), "other_domain", ranges->other_domain);
    p = put_number(put(p, ", ", 2), "no_domain", ranges->no_domain);
    p = put(p, ", \"messages\": {", NAME_MAX_BYTES);
    for (size_t i = 0; i < ranges->name_count; i++)
        p = put_number(put(p, i == 0 ? "" : ", ", 2), ranges->names[i].text, ranges->names[i].count);
    return put(p, "}}", 2);
}

void losses_text(const struct losses *losses, char text[LOSSES_SIZE])
{
    const char *reason = losses_reason(losses);
    bool first = true;
    char *p = text;
    _Static_assert(512 + REASON_MAX_BYTES + LOSSES_MOST_NAMES * (NAME_MAX_BYTES + 32) +
                           LOSSES_MOST_RANGES * (LOSSES_RANGE_BYTES + 32) <
                       LOSSES_SIZE,
                   "all names must fit");
    memset(text, ' ', LOSSES_SIZE);
    text[LOSSES_SIZE - 1] = '\n';
    p = put_number(put(p, "{", 1), "calls", losses->calls);
    p = put_number(put(p, ", ", 2), "tx", losses->tx);
    p = put(p, ", \"reason\": \"", REASON_MAX_BYTES);
    p = put(p, reason != NULL ? reason : "", REASON_MAX_BYTES);
    p = put(p, "\", \"left\": {", REASON_MAX_BYTES);
    for (size_t i = 0; i < losses->left_count; i++) {
        const struct left_call *left = &losses->left[i];
        if (left->count <= 0)
            continue;
        p = put_number(put(p, first ? "" : ", ", 2), left->name, (uint64_t)left->count);
        first = false;
    }
    p = put_number(put(p, "}, ", 3), "left_other", losses->left_other > 0 ? (uint64_t)losses->left_other : 0);
    p = put_ranges(p, &losses->ranges);
    put(p, losses->ended ? ", \"ended\": true}" : ", \"ended\": false}", NAME_MAX_BYTES);
}

/* ---- clocks and dates ---- */

static int64_t unix_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

struct clock_pair clock_pair_read(void)
{
    struct clock_pair best = {0, 0};
    int64_t shortest = INT64_MAX;
    for (int i = 0; i < 8; i++) { /* the closest of some: the thread may have been interrupted between two readings */
        int64_t before = recorder_now(), now = unix_now(), after = recorder_now();
        if (after - before < shortest) {
            shortest = after - before;
            best = (struct clock_pair){.unix_ns = now, .monotonic_ns = before + (after - before) / 2};
        }
    }
    int64_t rest = best.unix_ns % 1000;
    return (struct clock_pair){best.unix_ns - rest, best.monotonic_ns - rest};
}

int64_t capture_utc_offset(void)
{
    time_t now = time(NULL);
    struct tm local;
    return localtime_r(&now, &local) != NULL ? local.tm_gmtoff : 0;
}

struct civil {
    int64_t year;
    unsigned month, day, hour, minute, second;
};

/* Days are counted from 0000-03-01, so that the leap day is a year's last. */
static struct civil civil_time(int64_t seconds)
{
    int64_t days = seconds / 86400, rest = seconds % 86400;
    if (rest < 0) {
        rest += 86400;
        days--;
    }
    days += 719468;
    int64_t era = days / 146097, day_of_era = days % 146097;
    int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t shifted_month = (5 * day_of_year + 2) / 153;
    return (struct civil){
        .year = era * 400 + year_of_era + (shifted_month >= 10),
        .month = (unsigned)(shifted_month < 10 ? shifted_month + 3 : shifted_month - 9),
        .day = (unsigned)(day_of_year - (153 * shifted_month + 2) / 5 + 1),
        .hour = (unsigned)(rest / 3600),
        .minute = (unsigned)(rest / 60 % 60),
        .second = (unsigned)(rest % 60),
    };
}

static char *put_digits(char *p, int64_t value, int digits)
{
    for (int i = digits; i-- > 0; value /= 10)
        p[i] = (char)('0' + value % 10);
    return p + digits;
}

/* separators: one before each of month, day, hour, minute and second; "" for none. */
static char *put_civil(char *p, const struct civil *civil, const char *separators)
{
    const unsigned parts[] = {civil->month, civil->day, civil->hour, civil->minute, civil->second};
    p = put_digits(p, civil->year, 4);
    for (size_t i = 0; i < 5; i++) {
        if (*separators != '\0')
            *p++ = *separators++;
        p = put_digits(p, parts[i], 2);
    }
    return p;
}

/* "YYYY-mm-dd HH:MM:SS.uuuuuu". Needs no time zone data: may be called in signal handlers. */
static void format_date(int64_t unix_ns, int64_t utc_offset, char text[DATE_TEXT_SIZE])
{
    struct civil civil = civil_time(unix_ns / 1000000000 + utc_offset);
    char *p = put_civil(text, &civil, "-- ::");
    *p++ = '.';
    *put_digits(p, unix_ns % 1000000000 / 1000, 6) = '\0';
}

void capture_date_text(int64_t unix_ns, int64_t utc_offset, char text[DATE_TEXT_SIZE])
{
    struct civil civil = civil_time(unix_ns / 1000000000 + utc_offset);
    char *p = put_civil(text, &civil, "");
    *put_digits(p, unix_ns % 1000000000 / 1000000, 3) = '\0';
}

/* ---- files ---- */

/* "text" with what JSON asks for; bytes that are no UTF-8 become '?'. */
static void add_json_string(struct strbuf *buf, const char *text)
{
    size_t left = strlen(text);
    strbuf_addc(buf, '"');
    while (left > 0) {
        size_t length = utf8_character(text, left);
        if (length == 0)
            strbuf_addc(buf, '?');
        else if ((unsigned char)*text < 0x20 || *text == 0x7f)
            strbuf_addf(buf, "\\u%04x", (unsigned)(unsigned char)*text);
        else if (*text == '"' || *text == '\\')
            strbuf_addf(buf, "\\%c", *text);
        else
            strbuf_add(buf, text, length);
        length += length == 0;
        text += length;
        left -= length;
    }
    strbuf_addc(buf, '"');
}

static void add_member(struct strbuf *buf, const char *key, const char *text)
{
    strbuf_addf(buf, "\"%s\":", key);
    add_json_string(buf, text);
    strbuf_addc(buf, ',');
}

/* "0,1,3" */
static void add_devices(struct strbuf *buf, const struct recorder_options *options)
{
    strbuf_adds(buf, "\"devices\":\"");
    for (size_t i = 0; i < options->device_count; i++)
        strbuf_addf(buf, "%s%" PRIu32, i > 0 ? "," : "", options->devices[i]);
    strbuf_adds(buf, "\",");
}

/* The processor is described without a frequency: the records' times are nanoseconds already
 * (docs/formats/cann.md 2.1). */
static void add_processor(struct strbuf *buf, const struct utsname *system, long processors)
{
    strbuf_adds(buf, "\"CPU\":[{\"Id\":0,\"Name\":");
    add_json_string(buf, system->machine);
    strbuf_addf(buf, ",\"Frequency\":\"\",\"Logical_CPU_Count\":%ld,\"Type\":", processors);
    add_json_string(buf, system->machine);
    strbuf_adds(buf, "}],");
}

void capture_info_json(struct strbuf *buf, const struct recorder_options *options)
{
    struct utsname system = {.sysname = ""};
    long processors = sysconf(_SC_NPROCESSORS_CONF), pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    char pid[NUMBER_MAX];
    uname(&system);
    *number_put_signed(pid, getpid()) = '\0';
    strbuf_adds(buf, "{\"jobInfo\":\"NA\",\"version\":\"1.0\",\"OS\":");
    add_json_string(buf, system.sysname);
    strbuf_addf(buf, ",\"cpuCores\":1,\"cpuNums\":%ld,\"sysClockFreq\":%ld,\"memoryTotal\":%lld,", processors,
                sysconf(_SC_CLK_TCK), (long long)pages * (page / 1024));
    add_member(buf, "hostname", system.nodename);
    add_member(buf, "hwtype", system.machine);
    add_devices(buf, options);
    add_member(buf, "platform", "");
    add_member(buf, "platform_version", ""); /* there may be no chip at all */
    add_member(buf, "pid", pid);
    add_member(buf, "pid_name", program_invocation_short_name);
    add_member(buf, "collector", "libmsprof_acl " MSPROF_VERSION);
    add_processor(buf, &system, processors);
    if (options->form == RECORDER_JOB)
        strbuf_addf(buf, "\"DeviceInfo\":[{\"id\":%" PRIu32 "}]}", options->device_count > 0 ? options->devices[0] : 0);
    else
        strbuf_adds(buf, "\"DeviceInfo\":[]}");
}

void capture_sample_json(struct strbuf *buf, const struct recorder_options *options, const char *directory)
{
    const struct recorder_sample *sample = &options->sample;
    const struct {
        const char *key;
        bool on;
    } switches[] = {
        {"ascendcl", sample->acl_calls},
        {"runtimeApi", sample->runtime_calls},
        {"taskTime", sample->task_time},
        {"hwts_log", sample->task_time},
        {"ts_timeline", sample->task_time},
        {"msproftx", sample->msproftx},
        {"ai_core_profiling", sample->metrics != NULL},
    };
    strbuf_addc(buf, '{');
    add_devices(buf, options);
    add_member(buf, "app", program_invocation_short_name);
    add_member(buf, "result_dir", directory);
    add_member(buf, "ai_core_profiling_mode", "task-based");
    add_member(buf, "ai_core_metrics", sample->metrics != NULL ? sample->metrics : "");
    if (sample->domains_include != NULL)
        add_member(buf, "mstxDomainInclude", sample->domains_include);
    if (sample->domains_exclude != NULL)
        add_member(buf, "mstxDomainExclude", sample->domains_exclude);
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        strbuf_addf(buf, "%s\"%s\":\"%s\"", i > 0 ? "," : "", switches[i].key, switches[i].on ? "on" : "off");
    strbuf_addc(buf, '}');
}

void capture_start_info(struct strbuf *buf, const struct clock_pair *start, int64_t utc_offset)
{
    char date[DATE_TEXT_SIZE];
    format_date(start->unix_ns, utc_offset, date);
    strbuf_addf(buf,
                "{\"collectionDateBegin\":\"%s\",\"collectionTimeBegin\":\"%" PRId64
                "\",\"clockMonotonicRaw\":\"%" PRId64 "\"}",
                date, start->unix_ns / 1000, start->monotonic_ns);
}

void capture_host_start_log(struct strbuf *buf, const struct recorder_options *options, const struct clock_pair *start)
{
    if (options->form == RECORDER_JOB)
        strbuf_addf(buf, "[Device%" PRIu32 "]\n", options->device_count > 0 ? options->devices[0] : 0);
    else
        strbuf_adds(buf, "[Host]\n");
    strbuf_addf(buf,
                "clock_realtime: %" PRId64 "\nclock_monotonic_raw: %" PRId64 "\ncntvct: %" PRId64 "\ncntvct_diff: 0\n",
                start->unix_ns, start->monotonic_ns, start->monotonic_ns);
}

size_t capture_end_info(char text[END_INFO_SIZE], const struct clock_pair *end, int64_t utc_offset)
{
    char date[DATE_TEXT_SIZE], *p = text;
    format_date(end->unix_ns, utc_offset, date);
    p = put(p, "{\"collectionDateEnd\":\"", SIZE_MAX);
    p = put(p, date, SIZE_MAX);
    p = put(p, "\",\"collectionTimeEnd\":\"", SIZE_MAX);
    p = number_put_signed(p, end->unix_ns / 1000);
    p = put(p, "\",\"clockMonotonicRaw\":\"", SIZE_MAX);
    p = number_put_signed(p, end->monotonic_ns);
    p = put(p, "\"}", SIZE_MAX);
    return (size_t)(p - text);
}
