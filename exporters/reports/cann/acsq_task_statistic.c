/* SPDX-License-Identifier: Apache-2.0 */
/* acsq_task_statistic: the whole tasks of chips with STARS, and what ran them. */
#include "exporters/table/report.h"
#include "parsers/record.h"

static const struct report_column columns[] = {
    {"Device_id", "device_id", .flags = REPORT_NUMBER, .doc = "The device."},
    {"Stream Id", "stream_id", .flags = REPORT_NUMBER, .doc = "The stream."},
    {"Task Id", "task_id", .flags = REPORT_NUMBER, .doc = "Its number in the stream."},
    {"AccId", "accelerator_id", .flags = REPORT_NUMBER, .doc = "The accelerator that ran it."},
    {"Task Type", "type", .names = device_task_names, .doc = "What kind of task it is."},
    {"Start Time(us)", "start_ns", FORM_TIME, .doc = "When it began, since 1970."},
    {"End Time(us)", "start_ns + duration_ns", FORM_TIME, .flags = REPORT_NARROW, .doc = "When it ended."},
    {"Task Duration(us)", "duration_ns", FORM_SCALED, 3, .unit = UNIT_NS, .doc = "How long it ran."},
    {.title = NULL},
};

const struct report report_acsq_task_statistic = {
    .name = "acsq_task_statistic",
    .title = "Tasks of the scheduler STARS",
    .doc = "When every whole task of a chip with STARS ran, and on which accelerator.",
    .needs = "stars_soc.data",
    .families = FAMILY_CANN,
    .shown_only = true,
    .query = {.from = "device_task", .where = "accelerator_id IS NOT NULL", .order_by = "device_id, start_ns, id"},
    .columns = columns,
};

/* acsq_task_statistic: the whole tasks of chips with STARS, as Ascend's tool of 2022 has them. */
static const struct report_column columns_2022[] = {
    {"Stream Id", "stream_id", .flags = REPORT_NUMBER, .doc = "The stream."},
    {"Task Id", "task_id", .flags = REPORT_NUMBER, .doc = "Its number in the stream."},
    {"AccId", "accelerator_id", .flags = REPORT_NUMBER, .doc = "The accelerator that ran it."},
    {"Task Type", "type", .names = device_task_names, .doc = "What kind of task it is."},
    {"Start Time(us)", "start_ns", FORM_SCALED, 3, .unit = UNIT_NS, .doc = "When it began."},
    {"End Time(us)", "start_ns + duration_ns", FORM_SCALED, 3, .unit = UNIT_NS, .flags = REPORT_NARROW,
     .doc = "When it ended."},
    {"Task Duration(us)", "duration_ns", FORM_SCALED, 3, .unit = UNIT_NS, .doc = "How long it ran."},
    {.title = NULL},
};

const struct report report_acsq_task_statistic_2022 = {
    .name = "acsq_task_statistic",
    .title = "Tasks of the scheduler STARS",
    .doc = "When every whole task of a chip with STARS ran, and on which accelerator.",
    .needs = "stars_soc.data",
    .families = FAMILY_2022,
    .of_device = true,
    .query = {.from = "device_task",
              .where = "device_id IS :device AND accelerator_id IS NOT NULL",
              .order_by = "start_ns, id"},
    .columns = columns_2022,
};
