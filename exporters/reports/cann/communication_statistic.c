/* SPDX-License-Identifier: Apache-2.0 */
/* communication_statistic: time of communication operators by their type. */
#include "exporters/table/report.h"

#define TOTAL "sum(duration_ns)"

static const struct report_column columns[] = {
    {"Device_id", "device_id", .flags = REPORT_NUMBER, .doc = "The device."},
    {"OP Type", "type_id", FORM_NAME, .doc = "The type of the operators."},
    {"Count", "count(*)", .flags = REPORT_NUMBER, .doc = "How many there were."},
    {"Total Time(us)", TOTAL, FORM_SCALED, 3, .doc = "How long they took together."},
    {"Min Time(us)", "min(duration_ns)", FORM_SCALED, 3, .doc = "The shortest."},
    {"Avg Time(us)", "scaled_ratio(" TOTAL ", count(*), 0)", FORM_SCALED, 3, .doc = "Their mean."},
    {"Max Time(us)", "max(duration_ns)", FORM_SCALED, 3, .doc = "The longest."},
    {"Ratio(%)", "scaled_ratio(" TOTAL ", sum(" TOTAL ") OVER (PARTITION BY device_id), 5)", FORM_SCALED, 3,
     .doc = "Their share of the time of all communication of the device."},
    {.title = NULL},
};

const struct report report_communication_statistic = {
    .name = "communication_statistic",
    .title = "Types of communication",
    .doc = "How often communication operators of each type ran on a device, and how long. Not where none has a type.",
    .families = FAMILY_CANN,
    .when = "EXISTS (SELECT 1 FROM communication_op WHERE type_id IS NOT NULL)",
    .query = {.from = "communication_op",
              .group_by = "device_id, type_id",
              .order_by = "device_id, " TOTAL " DESC, (SELECT text FROM name WHERE id = type_id)"},
    .columns = columns,
};
