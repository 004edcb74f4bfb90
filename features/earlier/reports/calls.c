/* SPDX-License-Identifier: Apache-2.0 */
/* acl_statistic: time in functions of ACL, as Ascend's tool of 2022 has it. */
#include "base/number.h"
#include "db/query/query_plain_calls.h"
#include "exporters/reports/cann/device_2022.h"
#include "exporters/table/report.h"

struct shown {
    struct call_total total;
    struct report_value share, mean;
};

static const struct report_column columns[] = {
    {"Name", SHOWN(total.name), .doc = "The function."},
    {"Type", SHOWN(total.api_type), .names = api_types_2022, .doc = "The part of ACL that it belongs to."},
    {"Time(%)", SHOWN(share), .flags = REPORT_NUMBER, .id = "share", .doc = "Share of the time in all functions."},
    {"Time(us)", SHOWN(total.total_ns), FORM_SCALED, 3, .id = "time", .doc = "Total time of its calls."},
    {"Count", SHOWN(total.count), .flags = REPORT_NUMBER, .doc = "Number of calls."},
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

static int put_totals(struct report_run *run, enum plain_layers layer,
                      int (*put)(void *arg, const struct call_total *total, struct err *err), struct err *err)
{
    struct plain_calls *calls = device_2022_calls(run, err);
    return calls != NULL ? plain_calls_each_total(calls, layer, put, run, err) : err_status(err);
}

static int put_rows(struct report_run *run, struct err *err)
{
    return put_totals(run, PLAIN_ACL, put_total, err);
}

const struct report report_acl_statistic_2022 = {
    .name = "acl_statistic",
    .title = "Functions of ACL",
    .doc = "Count and time of each ACL function's calls.",
    .families = FAMILY_2022,
    .narrowed = {"acl_call"},
    .of_device = true,
    .columns = columns,
    .rows = put_rows,
};

/* acl: every call of a function of ACL, as Ascend's tool of 2022 has it. */
#define SHOWN_CALL(member) REPORT_FIELD(struct shown_call, member)
struct shown_call {
    struct plain_call call;
    int64_t duration_ns;
};

static int put_call(void *arg, const struct plain_call *call, struct err *err)
{
    const struct shown_call row = {*call, call->start_ns != DB_NULL && call->end_ns != DB_NULL
                                              ? number_subtract(call->end_ns, call->start_ns)
                                              : DB_NULL};
    return report_put((struct report_run *)arg, &row, err);
}

static int put_calls(struct report_run *run, struct err *err)
{
    struct plain_calls *calls = device_2022_calls(run, err);
    return calls != NULL ? plain_calls_each(calls, PLAIN_ACL, put_call, run, err) : err_status(err);
}

const struct report report_acl_2022 = {
    .name = "acl",
    .title = "Calls of ACL",
    .doc = "Start and time of every call of an ACL function.",
    .families = FAMILY_2022,
    .of_device = true,
    .columns = VALUE_LIST(
        {"Name", SHOWN_CALL(call.name), .doc = "The function."},
        {"Type", SHOWN_CALL(call.api_type), .names = api_types_2022, .doc = "The part of ACL that it belongs to."},
        {"Start Time", SHOWN_CALL(call.start_ns), .flags = REPORT_NUMBER | REPORT_START, .unit = UNIT_NS,
         .doc = "Time of the call, in ns."},
        {"Duration(us)", SHOWN_CALL(duration_ns), FORM_SCALED, 3, .doc = "Its time."},
        {"Process ID", SHOWN_CALL(call.process_id), .flags = REPORT_NUMBER, .doc = "The process."},
        {"Thread ID", SHOWN_CALL(call.thread_id), .flags = REPORT_NUMBER, .doc = "The thread."}),
    .rows = put_calls,
};

/* runtime_api: time in functions of the runtime, as Ascend's tool of 2022 has it. */
#define SHOWN_RUNTIME(member) REPORT_FIELD(struct shown_runtime, member)
struct shown_runtime {
    struct call_total total;
    struct report_value share;
    int64_t mean_ns;
};

#define NO_STREAM 65535

static int put_total_runtime(void *arg, const struct call_total *total, struct err *err)
{
    struct report_run *run = arg;
    const struct device_2022 *device = run->state;
    struct shown_runtime row = {*total, percent_2022((double)total->total_ns, (double)total->all_ns),
                                total->total_ns / total->count};
    row.total.process_id = device->part->process_id;
    if (total->stream_id == NO_STREAM)
        row.total.stream_id = DB_NULL;
    return report_put(run, &row, err);
}

static int put_rows_runtime(struct report_run *run, struct err *err)
{
    int status = device_2022_of(run->state, run, err);
    return status == 0 ? put_totals(run, PLAIN_RUNTIME, put_total_runtime, err) : status;
}

const struct report report_runtime_api_2022 = {
    .name = "runtime_api",
    .title = "Functions of the runtime",
    .doc = "Count and time of each runtime function's calls.",
    .families = FAMILY_2022,
    .narrowed = {"runtime_api"},
    .of_device = true,
    .columns = VALUE_LIST(
        {"Name", SHOWN_RUNTIME(total.name), .doc = "The function."},
        {"Stream ID", SHOWN_RUNTIME(total.stream_id), .flags = REPORT_NUMBER, .doc = "The stream of one of its calls."},
        {"Time(%)", SHOWN_RUNTIME(share), .flags = REPORT_NUMBER, .id = "share",
         .doc = "Share of the time in all functions."},
        {"Time(ns)", SHOWN_RUNTIME(total.total_ns), .flags = REPORT_NUMBER, .id = "time",
         .doc = "Total time of its calls."},
        {"Calls", SHOWN_RUNTIME(total.count), .flags = REPORT_NUMBER, .doc = "Number of calls."},
        {"Avg(ns)", SHOWN_RUNTIME(mean_ns), .flags = REPORT_NUMBER, .doc = "Their mean, cut to nanoseconds."},
        {"Min(ns)", SHOWN_RUNTIME(total.min_ns), .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "The shortest."},
        {"Max(ns)", SHOWN_RUNTIME(total.max_ns), .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "The longest."},
        {"Process ID", SHOWN_RUNTIME(total.process_id), .flags = REPORT_NUMBER,
         .doc = "The process that was profiled."},
        {"Thread ID", SHOWN_RUNTIME(total.thread_id), .flags = REPORT_NUMBER | REPORT_NARROW,
         .doc = "The thread of one of them."}),
    .state_size = sizeof(struct device_2022),
    .rows = put_rows_runtime,
};
