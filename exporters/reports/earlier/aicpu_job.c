/* SPDX-License-Identifier: Apache-2.0 */
/* aicpu of captures of 2020: what the AI CPU told of the operators that it ran. */
#include "exporters/table/report.h"

static const struct report_column columns[] = {
    {"Node", "node", .doc = "The operator; not every log names it."},
    {"OP Type", "op_type", .flags = REPORT_NARROW, .doc = "Its type."},
    {"Run Start", "run_start", .flags = REPORT_NUMBER, .doc = "When it began, on a counter of the AI CPU's own."},
    {"Run End", "run_end", .flags = REPORT_NUMBER, .doc = "When it was done, by the same."},
    {"Dispatch Time(us)", "dispatch_ns", FORM_SCALED, 3, .unit = UNIT_NS, .doc = "Time to hand the task over."},
    {"Total Time(us)", "total_ns", FORM_SCALED, 3, .unit = UNIT_NS, .doc = "From its submission to its completion."},
    {"Task Start Time(us)", "start_ns", FORM_SCALED_FIXED, 3, .unit = UNIT_NS,
     .doc = "When it began, on the counter of the device."},
    {"Task Duration(us)", "duration_ns", FORM_SCALED_FIXED, 3, .unit = UNIT_NS, .doc = "How long it ran, by the same."},
    {"Thread ID", "thread_id", .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "The thread of the AI CPU."},
    {.title = NULL},
};

const struct report report_aicpu_job = {
    .name = "aicpu",
    .title = "Operators of the AI CPU",
    .doc = "Every operator that the AI CPU ran, as it told it.",
    .families = FAMILY_JOB,
    .of_device = true,
    .query = {.from = "aicpu_log", .where = "device_id IS :device", .order_by = "id"},
    .columns = columns,
};
