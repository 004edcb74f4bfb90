/* SPDX-License-Identifier: Apache-2.0 */
#include "features/frameworks/framework.h"

#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/file/large.h"
#include "base/format/json_in.h"
#include "base/number.h"
#include "base/search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DAY_NS INT64_C(86400000000000)

bool framework_time_fits(const struct framework *framework, int64_t time_ns)
{
    return framework->begin_ns == 0 || (time_ns > number_add(framework->begin_ns, -DAY_NS) &&
                                        time_ns < number_add(framework->begin_ns, DURATION_LIMIT_NS));
}

#define CONFIG_LIMIT ((size_t)1024 * 1024)
#define NS_PER_SECOND INT64_C(1000000000)

__extension__ typedef __int128 wide;

static int load_json(const char *directory, const char *name, struct json **ret, struct err *err)
{
    SCOPED_FREE char *path = path_join(directory, name), *text = NULL;
    size_t length;
    if (path == NULL)
        return err_no_memory(err);
    return path_read_file(path, CONFIG_LIMIT, &text, &length, err) < 0 ||
                   ((*ret = json_parse(text, length, err)) == NULL && err_wrap(err, "cannot read '%s'", path) < 0)
               ? err_status(err)
               : 0;
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
    SCOPED_FREE char *path = path_join(host, "host_start.log"), *text = NULL;
    size_t length;
    if (path == NULL)
        return err_no_memory(err);
    return path_read_file(path, CONFIG_LIMIT, &text, &length, err) < 0 ||
                   ((!find_number(text, "clock_monotonic_raw", ret_monotonic_ns) ||
                     !find_number(text, "cntvct", ret_tick)) &&
                    err_set(err, ERR_FORMAT, "'%s' lacks clock_monotonic_raw and cntvct, expected both above 0", path) <
                        0)
               ? err_status(err)
               : 0;
}

static int load_start_info(const char *host, int64_t *ret_begin_us, int64_t *ret_monotonic_ns, struct err *err)
{
    SCOPED_JSON struct json *root = NULL;
    bool failed =
        load_json(host, "start_info", &root, err) < 0 ||
        ((!json_integer(json_member(root, "collectionTimeBegin"), ret_begin_us) ||
          !json_integer(json_member(root, "clockMonotonicRaw"), ret_monotonic_ns)) &&
         err_set(err, ERR_FORMAT, "'%s/start_info' lacks collectionTimeBegin and clockMonotonicRaw", host) < 0);
    return failed ? err_status(err) : 0;
}

/* MHz of the first processor; 100 where it is left empty. */
static int load_frequency(const char *host, int64_t *ret_hz, struct err *err)
{
    SCOPED_JSON struct json *root = NULL;
    if (load_json(host, "info.json", &root, err) < 0)
        return err_status(err);
    const char *text = json_string(json_member(json_first(json_member(root, "CPU")), "Frequency"));
    int64_t khz = text == NULL || *text == '\0' ? 100000 : number_parse_thousandths(text, strlen(text));
    if (khz <= 0)
        return err_set(err, ERR_FORMAT, "'%s/info.json' lacks the frequency of its counter", host);
    *ret_hz = khz * 1000;
    return 0;
}

int framework_clock_load(const char *prof, struct framework_clock *ret, struct err *err)
{
    int64_t log_ns = 0, tick = 0, begin_us = 0, info_ns = 0, hz = 0;
    SCOPED_FREE char *host = path_join(prof, "host");
    if (host != NULL && access(host, F_OK) < 0 && errno == ENOENT)
        return err_set(err, ERR_NOT_FOUND,
                       "host data is missing: '%s' has no directory 'host', whose clocks the framework's records need; "
                       "copy it into the capture, or collect again",
                       prof);
    if ((host != NULL ? load_start_log(host, &log_ns, &tick, err) : err_no_memory(err)) < 0 ||
        load_start_info(host, &begin_us, &info_ns, err) < 0 || load_frequency(host, &hz, err) < 0)
        return err_status(err);
    ret->monotonic_offset_ns = number_subtract(number_multiply(begin_us, 1000), info_ns);
    *ret = (struct framework_clock){tick, hz, number_add(log_ns, ret->monotonic_offset_ns), ret->monotonic_offset_ns,
                                    number_multiply(begin_us, 1000)};
    return 0;
}

/* The rest of the division goes to *ret_rest, below hz. */
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

/* Compares by id, then by place: MindSpore's later one wins. */
ARRAY_COMPARE(compare_ids, struct framework_step, ARRAY_BY(id), ARRAY_BY(start_ns))

ARRAY_COMPARE(compare_starts, struct framework_step, ARRAY_BY(start_ns), ARRAY_BY(end_ns))

void framework_unite_steps(struct framework *framework)
{
    struct framework_steps *steps = &framework->steps;
    size_t kept = 0;
    array_sort(steps->items, steps->count, sizeof *steps->items, compare_ids);
    for (size_t i = 0; i < steps->count; i++) {
        if (framework->info.kind == FRAMEWORK_PYTORCH || i + 1 == steps->count ||
            steps->items[i + 1].id != steps->items[i].id)
            steps->items[kept++] = steps->items[i];
    }
    steps->count = kept;
    array_sort(steps->items, steps->count, sizeof *steps->items, compare_starts);
    for (size_t i = 0; i < kept; i++) {
        int64_t before_ns = i > 0 ? steps->items[i - 1].latest_end_ns : INT64_MIN;
        steps->items[i].device_start_ns = steps->items[i].start_ns;
        steps->items[i].device_end_ns = steps->items[i].end_ns;
        steps->items[i].latest_end_ns = steps->items[i].end_ns > before_ns ? steps->items[i].end_ns : before_ns;
    }
}

ARRAY_COMPARE(compare_launches, struct framework_launch, ARRAY_BY(thread), ARRAY_BY(start_ns), ARRAY_BY(range))

static int find_launches(struct framework *framework, struct err *err)
{
    const struct framework_ranges *ranges = &framework->ranges;
    size_t count = 0;
    for (size_t i = 0; i < ranges->count; i++) {
        large_pass(i);
        count += (ranges->items[i].flags & RANGE_LAUNCH) != 0;
    }
    framework->launches = large_new(count + 1, sizeof *framework->launches, err);
    if (framework->launches == NULL)
        return err_status(err);
    for (size_t i = 0; i < ranges->count; i++) {
        const struct framework_range *range = &ranges->items[i];
        large_pass(i);
        if ((range->flags & RANGE_LAUNCH) != 0)
            framework->launches[framework->launch_count++] =
                (struct framework_launch){range->thread, range->start_ns, range->end_ns, range->end_ns, i};
    }
    struct framework_launch *launches = framework->launches;
    large_sort(launches, count, sizeof *launches, compare_launches);
    for (size_t i = 1; i < count; i++) {
        large_pass(i);
        if (launches[i].thread == launches[i - 1].thread && launches[i].latest_end_ns < launches[i - 1].latest_end_ns)
            launches[i].latest_end_ns = launches[i - 1].latest_end_ns;
    }
    return 0;
}

int framework_add_step(struct framework *framework, const char *name, int64_t start_ns, int64_t end_ns, struct err *err)
{
    const char *mark = strrchr(name, '#'), *id = mark != NULL ? mark + 1 : name;
    uint32_t number;
    if (intern_text(&framework->texts, id, &number, err) < 0 || array_reserve(&framework->steps, 1, err) < 0)
        return err_status(err);
    framework->steps.items[framework->steps.count++] =
        (struct framework_step){.id = number, .start_ns = start_ns, .end_ns = end_ns};
    return 0;
}

int framework_finish(struct framework *framework, struct err *err)
{
    framework_unite_steps(framework);
    return find_launches(framework, err);
}

ARRAY_COMPARE(compare_launch_ends, struct framework_launch, ARRAY_BY(thread), ARRAY_BY(end_ns), ARRAY_BY_MOST(start_ns))

void framework_sort_launches_by_end(struct framework *framework)
{
    large_sort(framework->launches, framework->launch_count, sizeof *framework->launches, compare_launch_ends);
}

const struct framework_step *framework_step_at(const struct framework *framework, int64_t time_ns)
{
    const struct framework_step *steps = framework->steps.items;
    const size_t low = search_from(steps, framework->steps.count, sizeof *steps,
                                   offsetof(struct framework_step, latest_end_ns), time_ns);
    return low < framework->steps.count && steps[low].start_ns <= time_ns ? &steps[low] : NULL;
}

const struct framework_step *framework_device_step_at(const struct framework *framework, int64_t time_ns,
                                                      struct framework_passed *passed)
{
    if (time_ns < passed->time_ns)
        passed->steps = 0;
    passed->time_ns = time_ns;
    while (passed->steps < framework->steps.count && framework->steps.items[passed->steps].device_end_ns < time_ns)
        passed->steps++;
    for (size_t i = passed->steps; i < framework->steps.count; i++) {
        const struct framework_step *step = &framework->steps.items[i];
        if (step->device_start_ns <= time_ns && time_ns <= step->device_end_ns)
            return step;
    }
    return NULL;
}

const struct framework_launch *framework_launch_at(const struct framework *framework, int64_t thread, int64_t time_ns)
{
    const struct framework_launch *launches = framework->launches;
    size_t low = 0, high = framework->launch_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (launches[middle].thread < thread ||
            (launches[middle].thread == thread && launches[middle].latest_end_ns < time_ns))
            low = middle + 1;
        else
            high = middle;
    }
    /* Sorted by start, what follows begins later still; sorted by end, what is around may follow. */
    for (; low < framework->launch_count && launches[low].thread == thread; low++) {
        if (launches[low].start_ns <= time_ns)
            return launches[low].end_ns >= time_ns ? &launches[low] : NULL;
        if (framework->torch == NULL)
            break;
    }
    return NULL;
}
