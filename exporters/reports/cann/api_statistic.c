/* SPDX-License-Identifier: Apache-2.0 */
/* api_statistic: time of the host's calls by level and name. */
#include "db/query/cann_version.h"
#include "exporters/cann_report.h"
#include "exporters/table/groups.h"
#include "exporters/table/report.h"

enum { DEVICE, LEVEL, NAME, TOTAL, COUNT, MEAN, MIN, MAX, VARIANCE, COLUMNS };

static const struct report_column columns[] = {
    [DEVICE] = {"Device_id", .doc = "Always host."},
    [LEVEL] = {"Level", .names = level_names, .doc = "The part of the software that was called."},
    [NAME] = {"API Name", NULL, FORM_NAME, .doc = "The function."},
    [TOTAL] = {"Time(us)", NULL, FORM_SCALED, 3, .doc = "How long all calls took together."},
    [COUNT] = {"Count", .flags = REPORT_NUMBER, .doc = "How many there were."},
    [MEAN] = {"Avg(us)", NULL, FORM_SCALED, 3, .doc = "Their mean."},
    [MIN] = {"Min(us)", NULL, FORM_SCALED, 3, .flags = REPORT_NARROW, .doc = "The shortest."},
    [MAX] = {"Max(us)", NULL, FORM_SCALED, 3, .flags = REPORT_NARROW, .doc = "The longest."},
    [VARIANCE] = {"Variance", NULL, FORM_SCALED, 3, .flags = REPORT_NARROW,
                  .doc = "Mean of the squared distances from the mean, in us^2."},
    {.title = NULL},
};

static int compare(const struct group *x, const struct group *y, const struct cann_texts *names)
{
    if (x->key.major != y->key.major)
        return x->key.major < y->key.major ? -1 : 1;
    return group_compare_names(x, y, names);
}

/* Mean of the squared distances from the mean, which is rounded to nanoseconds first; in thousandths of us^2. */
static int64_t variance(const struct group *group)
{
    uint128 mean = (uint128)number_ratio(group->total_ns, group->count, 0), count = (uint128)group->count;
    /* Sum of (d - m)^2 = sum of d^2 - 2 m sum of d + n m^2, never negative */
    uint128 sum = group->squares + count * mean * mean - 2 * mean * (uint128)group->total_ns;
    uint128 thousandths = (sum + count * 500) / (count * 1000);
    return thousandths > INT64_MAX ? INT64_MAX : (int64_t)thousandths;
}

static int put_group(struct report_run *run, const struct group *group, struct err *err)
{
    enum { COMMUNICATION_LEVEL = 5500 };
    bool hccl =
        group->key.major == COMMUNICATION_LEVEL && cann_version_has(run->session->options->cann_version, NAMING_HCCL);
    const struct report_value values[COLUMNS] = {
        [DEVICE] = value_text("host"),
        [LEVEL] = hccl ? value_text("hccl") : value_integer(group->key.major),
        [NAME] = value_integer(group->key.name_id),
        [TOTAL] = value_integer(group->total_ns),
        [COUNT] = value_integer(group->count),
        [MEAN] = value_integer(number_ratio(group->total_ns, group->count, 0)),
        [MIN] = value_integer(group->min_ns),
        [MAX] = value_integer(group->max_ns),
        [VARIANCE] = value_integer(variance(group)),
    };
    return report_row(run, values, err);
}

static int put_rows(struct report_run *run, struct err *err)
{
    struct groups groups = {.items = NULL};
    int status = groups_load(run->session, GROUPS_OF_CALLS, compare, &groups, err);
    for (size_t i = 0; status == 0 && i < groups.count; i++)
        status = put_group(run, &groups.items[i], err);
    groups_release(&groups);
    return status;
}

const struct report report_api_statistic = {
    .name = "api_statistic",
    .title = "Calls of the host",
    .doc = "How often the host called each function, and how long that took.",
    .families = FAMILY_CANN,
    .columns = columns,
    .rows = put_rows,
};
