/* SPDX-License-Identifier: Apache-2.0 */
/* acl_statistic: time in functions of ACL, as Ascend's tool of 2022 has it. */
#include "db/query/query_plain_calls.h"
#include "exporters/reports/earlier/device_2022.h"

struct shown {
    struct call_total total;
    struct report_value share, mean;
};

static const struct report_column columns[] = {
    {"Name", SHOWN(total.name), .doc = "The function."},
    {"Type", SHOWN(total.api_type), .names = api_types_2022, .doc = "The part of ACL that it belongs to."},
    {"Time(%)", SHOWN(share), .flags = REPORT_NUMBER, .id = "share", .doc = "Its share of the time in all functions."},
    {"Time(us)", SHOWN(total.total_ns), FORM_SCALED, 3, .id = "time", .doc = "How long its calls took together."},
    {"Count", SHOWN(total.count), .flags = REPORT_NUMBER, .doc = "How often it was called."},
    {"Avg(us)", SHOWN(mean), .flags = REPORT_NUMBER, .doc = "Their mean."},
    {"Min(us)", SHOWN(total.min_ns), FORM_SCALED, 3, .flags = REPORT_NARROW, .doc = "The shortest."},
    {"Max(us)", SHOWN(total.max_ns), FORM_SCALED, 3, .flags = REPORT_NARROW, .doc = "The longest."},
    {"Process ID", SHOWN(total.process_id), .flags = REPORT_NUMBER, .doc = "The process of one of them."},
    {"Thread ID", SHOWN(total.thread_id), .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "The thread of one of them."},
    {.title = NULL},
};

static int put_total(void *arg, const struct call_total *total, struct err *err)
{
    const struct shown row = {*total, percent_2022((double)total->total_ns, (double)total->all_ns),
                              microseconds_2022((double)total->total_ns / (double)total->count)};
    return report_put((struct report_run *)arg, &row, err);
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

/* acl: every call of a function of ACL, as Ascend's tool of 2022 has it. */
static const struct report_column columns_calls[] = {
    {"Name", "c.name", .doc = "The function."},
    {"Type", "c.api_type", .names = api_types_2022, .doc = "The part of ACL that it belongs to."},
    {"Start Time", "c.start_ns", .flags = REPORT_NUMBER, .unit = UNIT_NS, .doc = "When it was called, in ns."},
    {"Duration(us)", "c.end_ns - c.start_ns", FORM_SCALED, 3, .doc = "How long it took."},
    {"Process ID", "c.process_id", .flags = REPORT_NUMBER, .doc = "The process."},
    {"Thread ID", "c.thread_id", .flags = REPORT_NUMBER, .doc = "The thread."},
    {.title = NULL},
};

const struct report report_acl_2022 = {
    .name = "acl",
    .title = "Calls of ACL",
    .doc = "When every function of ACL was called, and how long it took.",
    .families = FAMILY_2022,
    .of_device = true,
    .query = {.from = "acl_call c JOIN source_file f ON f.id = c.file_id",
              .where = "f.device_id = :device",
              .order_by = "c.start_ns, c.id"},
    .columns = columns_calls,
};
