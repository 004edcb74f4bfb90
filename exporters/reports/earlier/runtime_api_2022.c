/* SPDX-License-Identifier: Apache-2.0 */
/* runtime_api: time in functions of the runtime, as Ascend's tool of 2022 has it. */
#include "db/query/query_plain_calls.h"
#include "exporters/reports/earlier/device_2022.h"

struct shown {
    struct call_total total;
    struct report_value share;
    int64_t mean_ns;
};

static const struct report_column columns[] = {
    {"Name", SHOWN(total.name), .doc = "The function."},
    {"Stream ID", SHOWN(total.stream_id), .flags = REPORT_NUMBER, .doc = "The stream of one of its calls."},
    {"Time(%)", SHOWN(share), .flags = REPORT_NUMBER, .id = "share", .doc = "Its share of the time in all functions."},
    {"Time(ns)", SHOWN(total.total_ns), .flags = REPORT_NUMBER, .id = "time",
     .doc = "How long its calls took together."},
    {"Calls", SHOWN(total.count), .flags = REPORT_NUMBER, .doc = "How often it was called."},
    {"Avg(ns)", SHOWN(mean_ns), .flags = REPORT_NUMBER, .doc = "Their mean, cut to nanoseconds."},
    {"Min(ns)", SHOWN(total.min_ns), .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "The shortest."},
    {"Max(ns)", SHOWN(total.max_ns), .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "The longest."},
    {"Process ID", SHOWN(total.process_id), .flags = REPORT_NUMBER, .doc = "The process that was profiled."},
    {"Thread ID", SHOWN(total.thread_id), .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "The thread of one of them."},
    {.title = NULL},
};

#define NO_STREAM 65535

static int put_total(void *arg, const struct call_total *total, struct err *err)
{
    struct report_run *run = arg;
    const struct device_2022 *device = run->state;
    struct shown row = {*total, percent_2022((double)total->total_ns, (double)total->all_ns),
                        total->total_ns / total->count};
    row.total.process_id = device->part->process_id;
    if (total->stream_id == NO_STREAM)
        row.total.stream_id = DB_NULL;
    return report_put(run, &row, err);
}

static int put_rows(struct report_run *run, struct err *err)
{
    int status = device_2022_of(run->state, run, err);
    return status == 0 ? plain_each_runtime_total(run->session->db, run->scope->device_id, put_total, run, err)
                       : status;
}

const struct report report_runtime_api_2022 = {
    .name = "runtime_api",
    .title = "Functions of the runtime",
    .doc = "How often each function of the runtime was called, and how long it took.",
    .families = FAMILY_2022,
    .of_device = true,
    .columns = columns,
    .state_size = sizeof(struct device_2022),
    .rows = put_rows,
};
