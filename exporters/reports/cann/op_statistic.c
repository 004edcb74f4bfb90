/* SPDX-License-Identifier: Apache-2.0 */
/* op_statistic: time of operators by their type and core. */
#include "base/number.h"
#include "exporters/cann_report.h"
#include "exporters/table/groups.h"
#include "exporters/table/report.h"

struct shown {
    struct group group;
    int64_t mean_ns, share; /* share: of 10^5 */
};

static const struct report_column columns[] = {
    {"Device_id", SHOWN(group.key.major), .flags = REPORT_NUMBER, .doc = "The device."},
    {"OP Type", SHOWN(group.key.name_id), FORM_NAME, .doc = "The type of the operators."},
    {"Core Type", SHOWN(group.key.minor), .names = core_names_or_unknown, .doc = "The core that they ran on."},
    {"Count", SHOWN(group.count), .flags = REPORT_NUMBER, .doc = "How many there were."},
    {"Total Time(us)", SHOWN(group.total_ns), FORM_SCALED, 3, .doc = "How long they ran together."},
    {"Min Time(us)", SHOWN(group.min_ns), FORM_SCALED, 3, .flags = REPORT_NARROW, .doc = "The shortest."},
    {"Avg Time(us)", SHOWN(mean_ns), FORM_SCALED, 3, .flags = REPORT_NARROW, .doc = "Their mean, cut to nanoseconds."},
    {"Max Time(us)", SHOWN(group.max_ns), FORM_SCALED, 3, .flags = REPORT_NARROW, .doc = "The longest."},
    {"Ratio(%)", SHOWN(share), FORM_SCALED, 3, .doc = "Their share of the time of all operators of the device."},
    {.title = NULL},
};

/* By device, the longest total first. */
static int compare(const struct group *x, const struct group *y, const struct cann_texts *names)
{
    if (x->key.major != y->key.major)
        return x->key.major < y->key.major ? -1 : 1;
    if (x->total_ns != y->total_ns)
        return x->total_ns > y->total_ns ? -1 : 1;
    int order = group_compare_names(x, y, names);
    return order != 0 ? order : (x->key.minor > y->key.minor) - (x->key.minor < y->key.minor);
}

static int64_t device_total(const struct groups *groups, int64_t device_id)
{
    int64_t total = 0;
    for (size_t i = 0; i < groups->count; i++)
        total = number_add(total, groups->items[i].key.major == device_id ? groups->items[i].total_ns : 0);
    return total;
}

static int put_group(struct report_run *run, const struct groups *groups, const struct group *group, struct err *err)
{
    const struct shown row = {
        .group = *group,
        .mean_ns = group->total_ns / group->count, /* as Ascend's tool does here */
        .share = number_ratio(group->total_ns, device_total(groups, group->key.major), 5),
    };
    return report_put(run, &row, err);
}

static int put_rows(struct report_run *run, struct err *err)
{
    struct groups groups = {.items = NULL};
    int status = groups_load(run->session, GROUPS_OF_OPERATORS, compare, &groups, err);
    for (size_t i = 0; status == 0 && i < groups.count; i++)
        status = put_group(run, &groups, &groups.items[i], err);
    groups_release(&groups);
    return status;
}

const struct report report_op_statistic = {
    .name = "op_statistic",
    .title = "Types of operators",
    .doc = "How often operators of each type ran on each kind of core of a device, and how long.",
    .families = FAMILY_CANN,
    .columns = columns,
    .rows = put_rows,
};
