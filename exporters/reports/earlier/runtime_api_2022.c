/* SPDX-License-Identifier: Apache-2.0 */
/* runtime_api: time in functions of the runtime, as Ascend's tool of 2022 has it. */
#include "db/query/query_plain_calls.h"
#include "exporters/reports/earlier/device_2022.h"

enum { NAME, STREAM, SHARE, TIME, CALLS, MEAN, MIN, MAX, PROCESS, THREAD, COLUMNS };

static const struct report_column columns[] = {
    [NAME] = {"Name", .doc = "The function."},
    [STREAM] = {"Stream ID", .flags = REPORT_NUMBER, .doc = "The stream of one of its calls."},
    [SHARE] = {"Time(%)", .flags = REPORT_NUMBER, .id = "share", .doc = "Its share of the time in all functions."},
    [TIME] = {"Time(ns)", .flags = REPORT_NUMBER, .id = "time", .doc = "How long its calls took together."},
    [CALLS] = {"Calls", .flags = REPORT_NUMBER, .doc = "How often it was called."},
    [MEAN] = {"Avg(ns)", .flags = REPORT_NUMBER, .doc = "Their mean, cut to nanoseconds."},
    [MIN] = {"Min(ns)", .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "The shortest."},
    [MAX] = {"Max(ns)", .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "The longest."},
    [PROCESS] = {"Process ID", .flags = REPORT_NUMBER, .doc = "The process that was profiled."},
    [THREAD] = {"Thread ID", .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "The thread of one of them."},
    {.title = NULL},
};

#define NO_STREAM 65535

static int put_total(void *arg, const struct call_total *total, struct err *err)
{
    struct report_run *run = arg;
    const struct device_2022 *device = run->state;
    const struct report_value values[COLUMNS] = {
        [NAME] = value_text(total->name),
        [STREAM] = value_integer(total->stream_id == NO_STREAM ? DB_NULL : total->stream_id),
        [SHARE] = percent_2022((double)total->total_ns, (double)total->all_ns),
        [TIME] = value_integer(total->total_ns),
        [CALLS] = value_integer(total->count),
        [MEAN] = value_integer(total->total_ns / total->count),
        [MIN] = value_integer(total->min_ns),
        [MAX] = value_integer(total->max_ns),
        [PROCESS] = value_integer(device->part->process_id),
        [THREAD] = value_integer(total->thread_id),
    };
    return report_row(run, values, err);
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
