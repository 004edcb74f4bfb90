/* SPDX-License-Identifier: Apache-2.0 */
/* op_summary of captures of 2020: every execution of an operator. */
#include "exporters/table/report.h"

static const struct report_column columns[] = {
    {"Op Name", "op_name_id", FORM_NAME, .doc = "The operator."},
    {"OP Type", "op_type_id", FORM_NAME, .flags = REPORT_NARROW, .doc = "Its type."},
    {"Stream ID", "stream_id", .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "The stream."},
    {"Task ID", "task_id", .flags = REPORT_NUMBER, .doc = "The task that it was."},
    {"Task Start Time(us)", "start_ns", FORM_SCALED_FIXED, 3, .unit = UNIT_NS, .doc = "When it began."},
    {"Task Duration(us)", "duration_ns", FORM_SCALED_FIXED, 3, .unit = UNIT_NS, .doc = "How long it ran."},
    {"Task Wait Time(us)", "max(coalesce(start_ns - end_before, 0), 0)", FORM_SCALED_FIXED, 3, .unit = UNIT_NS,
     .flags = REPORT_NARROW, .doc = "Since the end of the task before on the same device."},
    {"Input Shapes", "input_shapes", .flags = REPORT_NO_TERMINAL, .doc = "Shapes of its inputs."},
    {"Input Data Types", "input_data_types", .flags = REPORT_NO_TERMINAL, .doc = "Their data types."},
    {"Input Formats", "input_formats", .flags = REPORT_NO_TERMINAL, .doc = "Their formats."},
    {"Output Shapes", "output_shapes", .flags = REPORT_NO_TERMINAL, .doc = "Shapes of its outputs."},
    {"Output Data Types", "output_data_types", .flags = REPORT_NO_TERMINAL, .doc = "Their data types."},
    {"Output Formats", "output_formats", .flags = REPORT_NO_TERMINAL, .doc = "Their formats."},
    {.title = NULL},
};

const struct report report_op_summary_job = {
    .name = "op_summary",
    .title = "Operators",
    .doc = "Every operator that ran on a device, in the order of their starts, with its shapes, types and formats.",
    .families = FAMILY_JOB,
    .of_device = true,
    .query = {.with = "run AS (SELECT *, lag(start_ns + duration_ns) OVER (ORDER BY id) AS end_before"
                      "  FROM device_task WHERE device_id IS :device)",
              .from = "run r LEFT JOIN tensor_set s ON s.id = r.tensor_set_id",
              .where = "op_name_id IS NOT NULL",
              .order_by = "r.id"},
    .columns = columns,
};
