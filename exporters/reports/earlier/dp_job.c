/* SPDX-License-Identifier: Apache-2.0 */
/* dp of captures of 2020: the queues of data for models. */
#include "exporters/table/report.h"

static const struct report_column columns[] = {
    {"Timestamp(us)", "time_ns", FORM_SCALED, 3, .unit = UNIT_NS, .doc = "When, on the counter of the device."},
    {"Action", "action", .doc = "What was done."},
    {"Source", "source", .flags = REPORT_NARROW, .doc = "The queue."},
    {"Index", "item", .flags = REPORT_NUMBER, .doc = "Which item of data."},
    {"Cached Buffer Size", "size", .flags = REPORT_NUMBER, .doc = "How many items were in the queue."},
    {.title = NULL},
};

const struct report report_dp_job = {
    .name = "dp",
    .title = "Queues of data",
    .doc = "What was put into the queues of data for models, and taken out.",
    .families = FAMILY_JOB,
    .of_device = true,
    .query = {.from = "data_queue_log", .where = "device_id IS :device", .order_by = "id"},
    .columns = columns,
};
