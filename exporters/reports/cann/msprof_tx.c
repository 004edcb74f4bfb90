/* SPDX-License-Identifier: Apache-2.0 */
/* msprof_tx: what programs say of themselves with msproftx, marks and ranges with messages. */
#include "exporters/table/report.h"

static const struct report_column columns[] = {
    {"Device_id", "coalesce(d.device_id, 'host')", .flags = REPORT_NUMBER, .doc = "The device that saw it, or host."},
    {"pid", "m.process_id", .flags = REPORT_NUMBER, .doc = "The process."},
    {"tid", "m.thread_id", .flags = REPORT_NUMBER, .doc = "The thread."},
    {"category", "m.category", .flags = REPORT_NUMBER, .doc = "The program's own number of a category."},
    {"event_type", "m.event_type", .names = mark_names, .doc = "A mark, or the kind of range."},
    {"payload_type", "m.payload_type", .flags = REPORT_NUMBER, .doc = "The type of the program's own value."},
    {"payload_value", "CASE WHEN m.category IS NOT NULL THEN coalesce(m.payload_value, 0) END", FORM_UNSIGNED,
     .flags = REPORT_NUMBER, .doc = "The value of a stamp."},
    {"Start_time(us)", "m.start_ns", FORM_TIME, .doc = "Start, since 1970."},
    {"End_time(us)", "m.end_ns", FORM_TIME, .doc = "End, since 1970."},
    {"message_type", "m.message_type", .flags = REPORT_NUMBER, .doc = "The type of the message."},
    {"message", "coalesce(m.message, '')", .doc = "The message."},
    {"domain", "m.domain_id", FORM_NAME, .doc = "The domain of the mark."},
    {"mark_id", "m.mark_id", .flags = REPORT_NUMBER, .doc = "Its number."},
    {"Device Start_time(us)", "d.start_ns", FORM_TIME, .doc = "Start on the device."},
    {"Device End_time(us)", "d.end_ns", FORM_TIME, .doc = "End on the device."},
    {.title = NULL},
};

/* A mark of a captured graph has a row for each replay. Where marks share a number, as those of several processes may,
 * each has the first that a device saw. */
#define MARKS_OF_NUMBER                                                                                                \
    "(SELECT mark_id AS number, count(*) AS marks FROM msproftx WHERE mark_id IS NOT NULL GROUP BY mark_id)"

const struct report report_msprof_tx = {
    .name = "msprof_tx",
    .title = "Marks and ranges of programs",
    .doc = "Every mark and range of msproftx by start, with message, domain and the time on the device. A mark "
           "captured into a graph has one row per replay. Missing values are N/A; the device of a mark that no device "
           "recorded is host.",
    .families = FAMILY_CANN,
    .query = {.from = "msproftx m LEFT JOIN " MARKS_OF_NUMBER " u ON u.number = m.mark_id LEFT JOIN device_mark d"
                      " ON d.mark_id = m.mark_id AND (u.marks = 1 OR d.id ="
                      " (SELECT min(id) FROM device_mark WHERE mark_id = m.mark_id))",
              .order_by = "m.start_ns, m.process_id, m.thread_id, m.end_ns DESC, m.id, d.id"},
    .columns = columns,
};

/* The marks and ranges that programs record with msproftx, by message; for the terminal. */
#define TOTAL "ticks_ns(NULL, sum(ticks(NULL, start_ns, end_ns - start_ns)))"

const struct report report_msprof_tx_statistic = {
    .name = "msprof_tx_statistic",
    .title = "Messages of programs",
    .doc = "Count of each msproftx message, and the time of its ranges.",
    .families = FAMILY_ANY,
    .shown_only = true,
    .narrowed = {"msproftx"},
    .query = {.from = "msproftx", .group_by = "event_type, message", .order_by = TOTAL " DESC, event_type, message"},
    .columns = VALUE_LIST(
        {"event_type", "event_type", .names = mark_names, .doc = "A mark, or the kind of range."},
        {"message", "coalesce(message, '')", .doc = "The message."},
        {"Count", "count(*)", .flags = REPORT_NUMBER, .doc = "Count."},
        {"Total Time(us)", TOTAL, FORM_SCALED, 3, .doc = "Total time."},
        {"Min Time(us)", "min(exact_ns(NULL, start_ns, end_ns - start_ns))", FORM_SCALED, 3, .doc = "The shortest."},
        {"Avg Time(us)", "scaled_ratio(" TOTAL ", count(*), 0)", FORM_SCALED, 3, .flags = REPORT_NARROW,
         .doc = "Their mean."},
        {"Max Time(us)", "max(exact_ns(NULL, start_ns, end_ns - start_ns))", FORM_SCALED, 3, .flags = REPORT_NARROW,
         .doc = "The longest."}),
};

/* msprof_tx of captures before 2023, as Ascend's tool of 2022 has it. */
const struct report report_msprof_tx_2022 = {
    .name = "msprof_tx",
    .title = "Marks and ranges of programs",
    .doc = "The marks and ranges that programs recorded with msproftx.",
    .families = FAMILY_SVP | FAMILY_JOB | FAMILY_2022,
    .query = {.from = "msproftx", .order_by = "start_ns, process_id, thread_id, end_ns DESC, id"},
    .columns = VALUE_LIST(
        {"pid", "process_id", .flags = REPORT_NUMBER, .doc = "The process."},
        {"tid", "thread_id", .flags = REPORT_NUMBER, .doc = "The thread."},
        {"category", "category", .flags = REPORT_NUMBER, .doc = "The program's own number of a category."},
        {"event_type", "event_type", .names = mark_names, .doc = "A mark, or the kind of range."},
        {"payload_type", "payload_type", .flags = REPORT_NUMBER, .doc = "The type of the program's own value."},
        {"payload_value", "CASE WHEN category IS NOT NULL THEN coalesce(payload_value, 0) END", FORM_UNSIGNED,
         .flags = REPORT_NUMBER, .doc = "The value of a stamp."},
        {"Start_time(ns)", "start_ns", .flags = REPORT_NUMBER | REPORT_START, .unit = UNIT_NS, .doc = "Start."},
        {"End_time(ns)", "end_ns", .flags = REPORT_NUMBER, .unit = UNIT_NS, .doc = "End."},
        {"message_type", "message_type", .flags = REPORT_NUMBER, .doc = "The type of the message."},
        {"message", "coalesce(message, '')", .doc = "The message."}),
};
