/* SPDX-License-Identifier: Apache-2.0 */
/* api_statistic: time of the host's calls by name and level. */
#include "base/array.h"
#include "db/query/cann_version.h"
#include "exporters/table/groups.h"
#include "exporters/table/report.h"

struct shown {
    struct group group;
    struct report_value device;
    struct report_value level; /* its number, or a name of its own */
    int64_t mean_ns, variance; /* variance: of 10^-3 us^2 */
};

static const struct report_column columns[] = {
    {"Device_id", SHOWN(device), .doc = "Always host; until CANN 8.0.RC1 the device."},
    {"Level", SHOWN(level), .names = level_names, .doc = "The part of the software that was called."},
    {"API Name", SHOWN(group.key.name_id), FORM_NAME, .doc = "The function."},
    {"Time(us)", SHOWN(group.total_ns), FORM_SCALED, 3, .doc = "Total time of the calls."},
    {"Count", SHOWN(group.count), .flags = REPORT_NUMBER, .doc = "Count."},
    {"Avg(us)", SHOWN(mean_ns), FORM_SCALED, 3, .doc = "Their mean."},
    {"Min(us)", SHOWN(group.min_ns), FORM_SCALED, 3, .flags = REPORT_NARROW, .doc = "The shortest."},
    {"Max(us)", SHOWN(group.max_ns), FORM_SCALED, 3, .flags = REPORT_NARROW, .doc = "The longest."},
    {"Variance", SHOWN(variance), FORM_SCALED, 3, .flags = REPORT_NARROW,
     .doc = "Mean of the squared distances from the mean, in us^2."},
    {.title = NULL},
};

static int compare(const struct group *x, const struct group *y, const struct cann_texts *names)
{
    const int order = group_compare_names(x, y, names);
    return order != 0 ? order : array_order(x->key.major, y->key.major);
}

/* Mean of the squared distances from the mean, in thousandths of us^2. */
static int64_t variance(const struct group *group)
{
    const uint128 total = (uint128)group->total_ticks, count = (uint128)group->count, mean = total / count;
    /* From the mean in whole ticks: sum of (t - m)^2 = sum of t^2 - 2 m sum of t + n m^2, never negative. */
    const uint128 squares = group->squares + count * mean * mean - 2 * mean * total;
    const long double rest = (long double)(total % count) / (long double)count; /* of the mean, below a tick */
    const long double ticks = (long double)squares / (long double)count - rest * rest,
                      hz = (long double)ticks_hz(group->hz);
    const long double thousandths = roundl(ticks * 1e15L / (hz * hz));
    return thousandths >= 0x1p63L ? INT64_MAX : thousandths > 0 ? (int64_t)thousandths : 0;
}

/* In nanoseconds, of the exact sum. */
static int64_t mean(const struct group *group)
{
    return group->hz == TICKS_OF_NS
               ? number_ratio(group->total_ticks, group->count, 0)
               : number_rescale(group->total_ticks, TICKS_OF_NS, ticks_hz(group->hz) * group->count);
}

/* Until 8.0.RC1 the device whose host it is, where there is one. */
static int find_device(struct report_run *run, struct report_value *ret, struct err *err)
{
    const struct cann_parts *parts = report_parts(run->session, err);
    int64_t device_id = DB_NULL;
    size_t devices = 0;
    *ret = value_text("host");
    for (size_t i = 0; parts != NULL && i < parts->count; i++) {
        devices += !parts->parts[i].is_host;
        device_id = parts->parts[i].is_host ? device_id : parts->parts[i].device_id;
    }
    if (devices == 1 && device_id != DB_NULL &&
        cann_version_has(run->session->options->cann_version, NAMING_HOST_NUMBER))
        *ret = value_integer(device_id);
    return parts != NULL ? 0 : err_status(err);
}

static int put_group(struct report_run *run, const struct group *group, struct report_value device, struct err *err)
{
    enum { COMMUNICATION_LEVEL = 5500 };
    bool hccl =
        group->key.major == COMMUNICATION_LEVEL && cann_version_has(run->session->options->cann_version, NAMING_HCCL);
    const struct shown row = {
        .group = *group,
        .device = device,
        .level = hccl ? value_text("hccl") : value_integer(group->key.major),
        .mean_ns = mean(group),
        .variance = variance(group),
    };
    return report_put(run, &row, err);
}

static int put_rows(struct report_run *run, struct err *err)
{
    SCOPED(groups_release) struct groups groups = {.items = NULL};
    struct report_value device;
    int status = find_device(run, &device, err);
    if (status == 0)
        status = groups_load(run->session, GROUPS_OF_CALLS, compare, &groups, err);
    for (size_t i = 0; status == 0 && i < groups.count; i++)
        status = put_group(run, &groups.items[i], device, err);
    return status;
}

const struct report report_api_statistic = {
    .name = "api_statistic",
    .title = "Calls of the host",
    .doc = "Count and time of the host's calls by function.",
    .families = FAMILY_CANN,
    .windowed = true,
    .columns = columns,
    .rows = put_rows,
};
