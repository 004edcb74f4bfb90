/* SPDX-License-Identifier: Apache-2.0 */
/* ffts_sub_task_time: the parts of split tasks. */
#include "exporters/table/report.h"
#include "parsers/record.h"

static const struct report_column columns[] = {
    {"Device_id", "device_id", .flags = REPORT_NUMBER, .doc = "The device."},
    {"Op Name", "op_name_id", FORM_NAME, .doc = "The operator."},
    {"Stream Id", "stream_id", .flags = REPORT_NUMBER, .doc = "The stream."},
    {"Task Id", "task_id", .flags = REPORT_NUMBER, .doc = "The number of the whole task in the stream."},
    {"Subtask Id", "context_id", .flags = REPORT_NUMBER, .doc = "Which part of it."},
    {"Subtask Type", "type", .names = device_part_names, .doc = "What kind of part it is."},
    {"Start Time(us)", "start_ns", FORM_TIME, .doc = "When it began, since 1970."},
    {"Duration(us)", "duration_ns", FORM_SCALED, 3, .unit = UNIT_NS, .doc = "How long it ran."},
    {.title = NULL},
};

const struct report report_ffts_sub_task_time = {
    .name = "ffts_sub_task_time",
    .title = "Parts of split tasks",
    .doc = "When every part of a split task ran.",
    .needs = "split tasks (FFTS+)",
    .families = FAMILY_CANN,
    .shown_only = true,
    .query = {.from = "device_task",
              .where = "context_id IS NOT NULL AND accelerator_id IS NULL",
              .order_by = "device_id, start_ns, id"},
    .columns = columns,
};

/* ffts_sub_task_time: the parts of split tasks, of captures of 2022. */
static const struct report_column columns_2022[] = {
    {"Stream Id", "stream_id", .flags = REPORT_NUMBER, .doc = "The stream."},
    {"Task Id", "task_id", .flags = REPORT_NUMBER, .doc = "The number of the whole task in the stream."},
    {"Subtask Id", "context_id", .flags = REPORT_NUMBER, .doc = "Which part of it."},
    {"Subtask Type", "type", .names = device_part_names, .doc = "What kind of part it is."},
    {"Start Time(us)", "start_ns", FORM_SCALED, 3, .unit = UNIT_NS, .doc = "When it began."},
    {"Duration(us)", "duration_ns", FORM_SCALED, 3, .unit = UNIT_NS, .doc = "How long it ran."},
    {"Total Cycles", "coalesce(aic_total_cycle, aiv_total_cycle)", .flags = REPORT_NUMBER,
     .doc = "What its cores counted."},
    {.title = NULL},
};

const struct report report_ffts_sub_task_time_2022 = {
    .name = "ffts_sub_task_time",
    .title = "Parts of split tasks",
    .doc = "When every part of a split task ran.",
    .needs = "split tasks (FFTS+)",
    .families = FAMILY_2022,
    .of_device = true,
    .query = {.from = "device_task",
              .where = "device_id IS :device AND context_id IS NOT NULL",
              .order_by = "start_ns, id"},
    .columns = columns_2022,
};
