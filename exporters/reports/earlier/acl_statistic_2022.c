/* SPDX-License-Identifier: Apache-2.0 */
/* acl_statistic: time in functions of ACL, as Ascend's tool of 2022 has it. */
#include "db/query/query_plain_calls.h"
#include "exporters/reports/earlier/device_2022.h"

enum { NAME, TYPE, SHARE, TIME, COUNT, MEAN, MIN, MAX, PROCESS, THREAD, COLUMNS };

static const struct report_column columns[] = {
    [NAME] = {"Name", .doc = "The function."},
    [TYPE] = {"Type", .names = api_types_2022, .doc = "The part of ACL that it belongs to."},
    [SHARE] = {"Time(%)", .flags = REPORT_NUMBER, .id = "share", .doc = "Its share of the time in all functions."},
    [TIME] = {"Time(us)", NULL, FORM_SCALED, 3, .id = "time", .doc = "How long its calls took together."},
    [COUNT] = {"Count", .flags = REPORT_NUMBER, .doc = "How often it was called."},
    [MEAN] = {"Avg(us)", .flags = REPORT_NUMBER, .doc = "Their mean."},
    [MIN] = {"Min(us)", NULL, FORM_SCALED, 3, .flags = REPORT_NARROW, .doc = "The shortest."},
    [MAX] = {"Max(us)", NULL, FORM_SCALED, 3, .flags = REPORT_NARROW, .doc = "The longest."},
    [PROCESS] = {"Process ID", .flags = REPORT_NUMBER, .doc = "The process of one of them."},
    [THREAD] = {"Thread ID", .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "The thread of one of them."},
    {.title = NULL},
};

static int put_total(void *arg, const struct call_total *total, struct err *err)
{
    struct report_run *run = arg;
    const struct report_value values[COLUMNS] = {
        [NAME] = value_text(total->name),
        [TYPE] = value_integer(total->api_type),
        [SHARE] = percent_2022((double)total->total_ns, (double)total->all_ns),
        [TIME] = value_integer(total->total_ns),
        [COUNT] = value_integer(total->count),
        [MEAN] = microseconds_2022((double)total->total_ns / (double)total->count),
        [MIN] = value_integer(total->min_ns),
        [MAX] = value_integer(total->max_ns),
        [PROCESS] = value_integer(total->process_id),
        [THREAD] = value_integer(total->thread_id),
    };
    return report_row(run, values, err);
}

static int put_rows(struct report_run *run, struct err *err)
{
    return plain_each_acl_total(run->session->db, run->scope->device_id, put_total, run, err);
}

const struct report report_acl_statistic_2022 = {
    .name = "acl_statistic",
    .title = "Functions of ACL",
    .doc = "How often each function of ACL was called, and how long it took.",
    .families = FAMILY_2022,
    .of_device = true,
    .columns = columns,
    .rows = put_rows,
};
