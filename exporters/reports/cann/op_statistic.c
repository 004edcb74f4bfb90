/* SPDX-License-Identifier: Apache-2.0 */
/* op_statistic: time of operators by their type and core. */
#include "base/array.h"
#include "base/number.h"
#include "exporters/reports/cann/device_2022.h"
#include "exporters/table/groups.h"
#include "exporters/table/report.h"

#include <math.h>
#include <stdlib.h>

struct shown {
    struct group group;
    int64_t mean_ns, share; /* share: of 10^5 */
};

static const struct report_column columns[] = {
    {"Device_id", SHOWN(group.key.major), .flags = REPORT_NUMBER, .doc = "The device."},
    {"OP Type", SHOWN(group.key.name_id), FORM_NAME, .doc = "The type of the operators."},
    {"Core Type", SHOWN(group.key.minor), .names = core_names_or_unknown, .doc = "The core that they ran on."},
    {"Count", SHOWN(group.count), .flags = REPORT_NUMBER, .doc = "Count."},
    {"Total Time(us)", SHOWN(group.total_ns), FORM_SCALED, 3, .doc = "Total time."},
    {"Min Time(us)", SHOWN(group.min_ns), FORM_SCALED, 3, .flags = REPORT_NARROW, .doc = "The shortest."},
    {"Avg Time(us)", SHOWN(mean_ns), FORM_SCALED, 3, .flags = REPORT_NARROW, .doc = "Their mean, cut to nanoseconds."},
    {"Max Time(us)", SHOWN(group.max_ns), FORM_SCALED, 3, .flags = REPORT_NARROW, .doc = "The longest."},
    {"Ratio(%)", SHOWN(share), FORM_SCALED, 3,
     .doc = "Their share of the time of all operators of the device that compute; N/A: these communicate."},
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
    order = order != 0 ? order : array_order(x->key.minor, y->key.minor);
    return order != 0 ? order : array_order(x->key.communicates, y->key.communicates);
}

static int64_t device_total(const struct groups *groups, int64_t device_id)
{
    int64_t total = 0;
    for (size_t i = 0; i < groups->count; i++) {
        const struct group *group = &groups->items[i];
        total = number_add(total, group->key.major == device_id && !group->key.communicates ? group->total_ns : 0);
    }
    return total;
}

static int put_group(struct report_run *run, const struct groups *groups, const struct group *group, struct err *err)
{
    const struct shown row = {
        .group = *group,
        .mean_ns = group->total_ns / group->count, /* as Ascend's tool does here */
        .share = group->key.communicates ? DB_NULL
                                         : number_ratio(group->total_ns, device_total(groups, group->key.major), 5),
    };
    return report_put(run, &row, err);
}

static int put_rows(struct report_run *run, struct err *err)
{
    SCOPED(groups_release) struct groups groups = {.items = NULL};
    int status = groups_load(run->session, GROUPS_OF_OPERATORS, compare, &groups, err);
    for (size_t i = 0; status == 0 && i < groups.count; i++)
        status = put_group(run, &groups, &groups.items[i], err);
    return status;
}

const struct report report_op_statistic = {
    .name = "op_statistic",
    .title = "Types of operators",
    .doc = "Count and time of a device's operators by type and kind of core.",
    .families = FAMILY_CANN,
    .windowed = true,
    .columns = columns,
    .rows = put_rows,
};

/* op_statistic: time of operators by their type and core, as Ascend's tool of 2022 has it. */
#define SHOWN_2022(member) REPORT_FIELD(struct shown_2022, member)
struct shown_2022 {
    struct core_group group;
    struct report_value total, min, mean, max, share;
};

struct core_groups {
    struct core_group *items;
    size_t count;
};

ARRAY_COMPARE(by_total, struct core_group, ARRAY_BY_MOST(total), ARRAY_BY_TEXT(type), ARRAY_BY(key.task_type))

/* The tool divided whole numbers as such. */
static double mean(const struct core_group *group)
{
    double value = group->total / (double)group->count;
    return group->total == floor(group->total) ? floor(value) : value;
}

static int put_group_2022(struct report_run *run, const struct core_group *group, double all, struct err *err)
{
    const struct shown_2022 row = {
        *group,
        microseconds_2022(group->total),
        microseconds_2022(group->min),
        microseconds_2022(mean(group)),
        microseconds_2022(group->max),
        percent_2022(group->total, all),
    };
    return report_put(run, &row, err);
}

static int load_groups(struct report_run *run, struct core_groups *groups, struct err *err)
{
    const struct cann_texts *names = report_names(run->session, true, err);
    const struct sums_2022 *sums = names != NULL ? device_2022_sums(run, err) : NULL;
    if (sums == NULL)
        return err_status(err);
    groups->items = map_items(&sums->groups, err);
    if (groups->items == NULL)
        return err_status(err);
    groups->count = sums->groups.used;
    for (size_t i = 0; i < groups->count; i++) {
        const char *type = cann_text(names, groups->items[i].key.type_id, 0).text;
        groups->items[i].type = type != NULL ? type : "N/A";
    }
    array_sort(groups->items, groups->count, sizeof *groups->items, by_total);
    return 0;
}

static int put_rows_2022(struct report_run *run, struct err *err)
{
    struct core_groups *groups = run->state;
    double all = 0;
    bool failed = load_groups(run, groups, err) < 0;
    for (size_t i = 0; i < groups->count; i++)
        all += groups->items[i].total;
    for (size_t i = 0; !failed && i < groups->count; i++)
        failed = put_group_2022(run, &groups->items[i], all, err) < 0;
    return failed ? err_status(err) : 0;
}

static void close_groups(struct report_run *run)
{
    struct core_groups *groups = run->state;
    free(groups->items);
}

const struct report report_op_statistic_2022 = {
    .name = "op_statistic",
    .title = "Types of operators",
    .doc = "Count and time of operators in an iteration by type and kind of core.",
    .families = FAMILY_2022,
    .narrowed = {"device_task"},
    .of_device = true,
    .columns = VALUE_LIST(
        {"OP Type", SHOWN_2022(group.type), .doc = "The type of the operators."},
        {"Core Type", SHOWN_2022(group.core), .doc = "The core that they ran on."},
        {"Count", SHOWN_2022(group.count), .flags = REPORT_NUMBER, .doc = "Count."},
        {"Total Time(us)", SHOWN_2022(total), .flags = REPORT_NUMBER, .doc = "Total time."},
        {"Min Time(us)", SHOWN_2022(min), .flags = REPORT_NUMBER, .doc = "The shortest."},
        {"Avg Time(us)", SHOWN_2022(mean), .flags = REPORT_NUMBER, .doc = "Their mean."},
        {"Max Time(us)", SHOWN_2022(max), .flags = REPORT_NUMBER, .doc = "The longest."},
        {"Ratio(%)", SHOWN_2022(share), .flags = REPORT_NUMBER, .doc = "Their share of the time of all operators."}),
    .state_size = sizeof(struct core_groups),
    .close = close_groups,
    .rows = put_rows_2022,
};
