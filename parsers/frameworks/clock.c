/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/frameworks/clock.h"

#include "base/file/fsutil.h"
#include "base/format/json_in.h"
#include "base/number.h"

#include <stdlib.h>
#include <string.h>

#define CONFIG_LIMIT ((size_t)1024 * 1024)
#define NS_PER_SECOND INT64_C(1000000000)

__extension__ typedef __int128 wide;

static int load_json(const char *directory, const char *name, struct json **ret, struct err *err)
{
    char *path = path_join(directory, name), *text = NULL;
    size_t length;
    if (path == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    int status = read_whole_file(path, CONFIG_LIMIT, &text, &length, err);
    if (status == 0 && (*ret = json_parse(text, length, err)) == NULL)
        status = err_wrap(err, "cannot read '%s'", path);
    free(text);
    free(path);
    return status;
}

/* "name: number" on a line of its own. */
static bool find_number(const char *text, const char *name, int64_t *ret)
{
    size_t length = strlen(name);
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, length) != 0 || line[length] != ':')
            continue;
        const char *digits = line + length + 1;
        digits += strspn(digits, " \t");
        return number_parse_integer(digits, strspn(digits, "0123456789"), ret) == 0 && *ret > 0;
    }
    return false;
}

static int load_start_log(const char *host, int64_t *ret_monotonic_ns, int64_t *ret_tick, struct err *err)
{
    char *path = path_join(host, "host_start.log"), *text = NULL;
    size_t length;
    if (path == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    int status = read_whole_file(path, CONFIG_LIMIT, &text, &length, err);
    if (status == 0 &&
        (!find_number(text, "clock_monotonic_raw", ret_monotonic_ns) || !find_number(text, "cntvct", ret_tick)))
        status = err_set(err, ERR_FORMAT, "'%s' does not say clock_monotonic_raw and cntvct, both above 0", path);
    free(text);
    free(path);
    return status;
}

static int load_start_info(const char *host, int64_t *ret_begin_us, int64_t *ret_monotonic_ns, struct err *err)
{
    struct json *root = NULL;
    int status = load_json(host, "start_info", &root, err);
    if (status == 0 && (!json_integer(json_member(root, "collectionTimeBegin"), ret_begin_us) ||
                        !json_integer(json_member(root, "clockMonotonicRaw"), ret_monotonic_ns)))
        status =
            err_set(err, ERR_FORMAT, "'%s/start_info' does not say collectionTimeBegin and clockMonotonicRaw", host);
    json_free(root);
    return status;
}

/* MHz of the first processor; 100 where it is left empty. */
static int load_frequency(const char *host, int64_t *ret_hz, struct err *err)
{
    struct json *root = NULL;
    int status = load_json(host, "info.json", &root, err);
    if (status < 0)
        return status;
    const char *text = json_string(json_member(json_first(json_member(root, "CPU")), "Frequency"));
    int64_t khz = text == NULL || *text == '\0' ? 100000 : number_parse_thousandths(text, strlen(text));
    json_free(root);
    if (khz <= 0)
        return err_set(err, ERR_FORMAT, "'%s/info.json' says no frequency of its counter", host);
    *ret_hz = khz * 1000;
    return 0;
}

int framework_clock_load(const char *prof, struct framework_clock *ret, struct err *err)
{
    int64_t log_ns = 0, tick = 0, begin_us = 0, info_ns = 0, hz = 0;
    char *host = path_join(prof, "host");
    int status =
        host != NULL ? load_start_log(host, &log_ns, &tick, err) : err_set(err, ERR_NO_MEMORY, "out of memory");
    if (status == 0)
        status = load_start_info(host, &begin_us, &info_ns, err);
    if (status == 0)
        status = load_frequency(host, &hz, err);
    if (status == 0)
        ret->monotonic_offset_ns = number_subtract(number_multiply(begin_us, 1000), info_ns);
    if (status == 0)
        *ret =
            (struct framework_clock){tick, hz, number_add(log_ns, ret->monotonic_offset_ns), ret->monotonic_offset_ns};
    free(host);
    return status;
}

/* What is left of the division goes to *ret_rest, below hz. */
static int64_t whole_ns(const struct framework_clock *clock, uint64_t tick, int64_t *ret_rest)
{
    wide product = ((wide)tick - clock->tick) * NS_PER_SECOND, ns = product / clock->hz;
    if (ns * clock->hz > product)
        ns--;
    *ret_rest = (int64_t)(product - ns * clock->hz);
    return ns > INT64_MAX ? INT64_MAX : ns < INT64_MIN ? INT64_MIN : (int64_t)ns;
}

static int64_t plain_ns(uint64_t tick)
{
    return tick > INT64_MAX ? INT64_MAX : (int64_t)tick;
}

int64_t framework_clock_ns(const struct framework_clock *clock, uint64_t tick)
{
    int64_t rest;
    if (clock->hz <= 0)
        return number_add(plain_ns(tick), clock->offset_ns);
    int64_t ns = whole_ns(clock, tick, &rest);
    if (2 * rest > clock->hz || (2 * rest == clock->hz && (ns & 1) != 0))
        ns = number_add(ns, 1);
    return number_add(ns, clock->offset_ns);
}

int64_t framework_clock_ns_cut(const struct framework_clock *clock, uint64_t tick)
{
    int64_t rest;
    if (clock->hz <= 0)
        return number_add(plain_ns(tick), clock->offset_ns);
    int64_t ns = whole_ns(clock, tick, &rest);
    if (ns < 0 && rest > 0) /* cut towards 0 */
        ns++;
    return number_add(ns, clock->offset_ns);
}
