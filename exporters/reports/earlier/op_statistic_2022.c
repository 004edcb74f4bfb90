/* SPDX-License-Identifier: Apache-2.0 */
/* op_statistic: time of operators by their type and core, as Ascend's tool of 2022 has it. */
#include "base/array.h"
#include "base/intern.h"
#include "base/map.h"
#include "exporters/reports/earlier/device_2022.h"

#include <math.h>
#include <stdlib.h>

/* The executions of one type of operators on one kind of core. */
struct group {
    const char *type, *core;
    int64_t task_type, count;
    double total, min, max;
};
struct shown {
    struct group group;
    struct report_value total, min, mean, max, share;
};

static const struct report_column columns[] = {
    {"OP Type", SHOWN(group.type), .doc = "The type of the operators."},
    {"Core Type", SHOWN(group.core), .doc = "The core that they ran on."},
    {"Count", SHOWN(group.count), .flags = REPORT_NUMBER, .doc = "How many there were."},
    {"Total Time(us)", SHOWN(total), .flags = REPORT_NUMBER, .doc = "How long they ran together."},
    {"Min Time(us)", SHOWN(min), .flags = REPORT_NUMBER, .doc = "The shortest."},
    {"Avg Time(us)", SHOWN(mean), .flags = REPORT_NUMBER, .doc = "Their mean."},
    {"Max Time(us)", SHOWN(max), .flags = REPORT_NUMBER, .doc = "The longest."},
    {"Ratio(%)", SHOWN(share), .flags = REPORT_NUMBER, .doc = "Their share of the time of all operators."},
    {.title = NULL},
};

struct group_place {
    struct group_key {
        int64_t type, task_type; /* type: number in types */
    } key;
    size_t place;
};
struct groups {
    struct device_2022 device;
    struct map places; /* struct group_place */
    struct intern types;
    struct group *items;
    size_t count, capacity;
};

/* The group of an execution; NULL with err set. */
static struct group *find_group(struct groups *groups, const struct execution *run, struct err *err)
{
    struct group_key key = {.task_type = run->op_task_type};
    const char *text = run->op_type != NULL ? run->op_type : "N/A";
    uint32_t type;
    bool added;
    if (intern_add(&groups->types, text, strlen(text), &type, err) < 0)
        return NULL;
    key.type = type;
    struct group_place *place = map_add(&groups->places, &key, &added, err);
    if (place == NULL || (added && array_reserve(groups, 1, err) < 0))
        return NULL;
    if (added) {
        place->place = groups->count++;
        groups->items[place->place] = (struct group){.type = groups->types.items[type].bytes,
                                                     .core = task_2022_type(&groups->device, run),
                                                     .task_type = run->op_task_type,
                                                     .min = INFINITY,
                                                     .max = -INFINITY};
    }
    return &groups->items[place->place];
}

static int add_up(void *arg, const struct execution *run, struct err *err)
{
    struct groups *groups = arg;
    double duration = time_2022(&groups->device, run->end_tick) - time_2022(&groups->device, run->start_tick);
    struct group *group = find_group(groups, run, err);
    if (group == NULL)
        return -(int)err->code;
    group->count++;
    group->total += duration;
    group->min = fmin(group->min, duration);
    group->max = fmax(group->max, duration);
    return 0;
}

static int by_total(const void *x, const void *y)
{
    const struct group *a = x, *b = y;
    int order = (a->total < b->total) - (a->total > b->total);
    if (order == 0)
        order = strcmp(a->type, b->type);
    return order != 0 ? order : (a->task_type > b->task_type) - (a->task_type < b->task_type);
}

/* The tool divided whole numbers as such. */
static double mean(const struct group *group)
{
    double value = group->total / (double)group->count;
    return group->total == floor(group->total) ? floor(value) : value;
}

static int put_group(struct report_run *run, const struct group *group, double all, struct err *err)
{
    const struct shown row = {
        *group,
        microseconds_2022(group->total),
        microseconds_2022(group->min),
        microseconds_2022(mean(group)),
        microseconds_2022(group->max),
        percent_2022(group->total, all),
    };
    return report_put(run, &row, err);
}

static int put_rows(struct report_run *run, struct err *err)
{
    struct groups *groups = run->state;
    double all = 0;
    int status = device_2022_of(&groups->device, run, err);
    const struct execution_query query = {.range = groups->device.range.ticks, .operators_only = true};
    groups->places = (struct map)MAP_OF(struct group_place, key);
    if (status == 0)
        status = execution_each(run->session->db, &query, add_up, groups, err);
    if (status == 0 && groups->count > 1)
        array_sort(groups->items, groups->count, sizeof *groups->items, by_total);
    for (size_t i = 0; i < groups->count; i++)
        all += groups->items[i].total;
    for (size_t i = 0; status == 0 && i < groups->count; i++)
        status = put_group(run, &groups->items[i], all, err);
    return status;
}

static void close_groups(struct report_run *run)
{
    struct groups *groups = run->state;
    free(groups->items);
    map_release(&groups->places);
    intern_release(&groups->types);
}

const struct report report_op_statistic_2022 = {
    .name = "op_statistic",
    .title = "Types of operators",
    .doc = "How often operators of each type ran on each kind of core in an iteration, and how long.",
    .families = FAMILY_2022,
    .of_device = true,
    .columns = columns,
    .state_size = sizeof(struct groups),
    .close = close_groups,
    .rows = put_rows,
};
