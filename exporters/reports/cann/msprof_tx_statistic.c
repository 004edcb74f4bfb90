/* SPDX-License-Identifier: Apache-2.0 */
/* What programs say of themselves with msproftx, by message; for the terminal. */
#include "exporters/table/report.h"

#define TOTAL "sum(end_ns - start_ns)"

static const struct report_column columns[] = {
    {"event_type", "event_type", .names = mark_names, .doc = "A mark, or the kind of range."},
    {"message", "coalesce(message, '')", .doc = "The message."},
    {"Count", "count(*)", .flags = REPORT_NUMBER, .doc = "How many there were."},
    {"Total Time(us)", TOTAL, FORM_SCALED, 3, .doc = "How long they took together."},
    {"Min Time(us)", "min(end_ns - start_ns)", FORM_SCALED, 3, .doc = "The shortest."},
    {"Avg Time(us)", "scaled_ratio(" TOTAL ", count(*), 0)", FORM_SCALED, 3, .flags = REPORT_NARROW,
     .doc = "Their mean."},
    {"Max Time(us)", "max(end_ns - start_ns)", FORM_SCALED, 3, .flags = REPORT_NARROW, .doc = "The longest."},
    {.title = NULL},
};

const struct report report_msprof_tx_statistic = {
    .name = "msprof_tx_statistic",
    .title = "Messages of programs",
    .doc = "How often programs recorded each message with msproftx, and how long its ranges took.",
    .families = FAMILY_ANY,
    .shown_only = true,
    .query = {.from = "msproftx", .group_by = "event_type, message", .order_by = TOTAL " DESC, event_type, message"},
    .columns = columns,
};
