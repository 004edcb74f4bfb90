/* SPDX-License-Identifier: Apache-2.0 */
/* msprof_tx of captures before 2023, as Ascend's tool of 2022 has it. */
#include "exporters/table/report.h"

static const struct report_column columns[] = {
    {"pid", "process_id", .flags = REPORT_NUMBER, .doc = "The process."},
    {"tid", "thread_id", .flags = REPORT_NUMBER, .doc = "The thread."},
    {"category", "category", .flags = REPORT_NUMBER, .doc = "The program's own number of a category."},
    {"event_type", "event_type", .names = mark_names, .doc = "A mark, or the kind of range."},
    {"payload_type", "payload_type", .flags = REPORT_NUMBER, .doc = "The type of the program's own value."},
    {"payload_value", "CASE WHEN category IS NOT NULL THEN coalesce(payload_value, 0) END", FORM_UNSIGNED,
     .flags = REPORT_NUMBER, .doc = "That value, of stamps."},
    {"Start_time(ns)", "start_ns", .flags = REPORT_NUMBER, .unit = UNIT_NS, .doc = "When it began."},
    {"End_time(ns)", "end_ns", .flags = REPORT_NUMBER, .unit = UNIT_NS, .doc = "When it ended."},
    {"message_type", "message_type", .flags = REPORT_NUMBER, .doc = "The type of the message."},
    {"message", "coalesce(message, '')", .doc = "The message."},
    {.title = NULL},
};

const struct report report_msprof_tx_2022 = {
    .name = "msprof_tx",
    .title = "Marks and ranges of programs",
    .doc = "The marks and ranges that programs recorded with msproftx.",
    .families = FAMILY_SVP | FAMILY_JOB | FAMILY_2022,
    .query = {.from = "msproftx", .order_by = "start_ns, process_id, thread_id, end_ns DESC, id"},
    .columns = columns,
};
