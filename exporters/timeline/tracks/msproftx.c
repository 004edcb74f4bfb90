/* SPDX-License-Identifier: Apache-2.0 */
/* Marks and ranges of programs, above the calls of the host: of the program that made the mark, which need not be the
 * one that was profiled. */
#include "exporters/timeline/track.h"

/* Stamps have a category, a payload and a type of message; ex records have a mark and a domain. */
#define OF_STAMPS(value) "iif(m.category IS NULL, NULL, coalesce(" value ", 'N/A'))"
static const struct report_column values[] = {
    {"Category", "CAST(m.category AS TEXT)", .form = FORM_TEXT},
    {"Payload_type", OF_STAMPS("m.payload_type"), .form = FORM_TEXT},
    {"Payload_value", OF_STAMPS("m.payload_value"), .form = FORM_UNSIGNED},
    {"Message_type", OF_STAMPS("m.message_type"), .form = FORM_TEXT},
    {"mark_id", "m.mark_id", .form = FORM_TEXT},
    {"event_type", "coalesce(m.event_type, 'N/A')", .form = FORM_TEXT, .names = mark_names},
    {"domain", "n.text", .form = FORM_TEXT},
    {.title = NULL},
};

#define ARROW(number)                                                                                                  \
    {                                                                                                                  \
        "MsTx_", "MsTx", true, 's', (number),                                                                          \
        {                                                                                                              \
            "device_tx"                                                                                                \
        }                                                                                                              \
    }
/* Ours do not begin where none ends. Ascend's tool has one for each mark that has a number. */
static const struct series_arrow arrow = ARROW("iif(d.device_id IS NOT NULL, m.mark_id + 4000000001, NULL)"),
                                 vendor_arrow = ARROW("m.mark_id + 4000000001");

#define MARKS                                                                                                          \
    "msproftx m LEFT JOIN name n ON n.id = m.domain_id LEFT JOIN device_mark d"                                        \
    " ON d.id = (SELECT min(id) FROM device_mark WHERE mark_id = m.mark_id)"

/* Each domain has threads of its own beside those of what is in none: no thread of a system has so high a number. */
#define THREADS_OF_SYSTEM "4194304"
#define NAMED_DOMAINS                                                                                                  \
    "SELECT DISTINCT m.domain_id FROM msproftx m JOIN name n ON n.id = m.domain_id WHERE n.text <> 'default'"
#define BY_DOMAIN                                                                                                      \
    "o AS MATERIALIZED (SELECT domain_id, row_number() OVER (ORDER BY domain_id) AS place FROM (" NAMED_DOMAINS "))"
#define LAST_OF_DOMAINS                                                                                                \
    "(SELECT coalesce(max(thread_id), -1) FROM msproftx) + " THREADS_OF_SYSTEM                                         \
    " * (SELECT count(*) FROM (" NAMED_DOMAINS "))"

#define EVENTS(which, arrow_from_it, common, tables, number, name_of, last)                                            \
    {                                                                                                                  \
        .name = "coalesce(m.message, '')", .values = values,                                                           \
        .query = {.with = (common),                                                                                    \
                  .from = MARKS tables,                                                                                \
                  .order_by = "m.process_id, " number ", m.start_ns, m.end_ns DESC, m.id"},                            \
        .time = "m.start_ns", .duration = "coalesce(m.end_ns - m.start_ns, 0)", .ticks = true, .device = "NULL",       \
        .thread = number, .thread_name = name_of, .last_thread = last, .program = "coalesce(m.process_id, 0)",         \
        .process = "(SELECT process_name FROM capture_part WHERE process_name <> '' ORDER BY id LIMIT 1)",             \
        .arrow = &(arrow_from_it), .only = (which)                                                                     \
    }

static const struct series_counter events[] = {
    EVENTS(COUNTER_VENDOR, vendor_arrow, NULL, "", "coalesce(m.thread_id, 0)", "'Thread ' || coalesce(m.thread_id, 0)",
           "coalesce(max(thread_id), -1) FROM msproftx"),
    EVENTS(COUNTER_OURS, arrow, BY_DOMAIN, " LEFT JOIN o ON o.domain_id = m.domain_id",
           "coalesce(m.thread_id, 0) + " THREADS_OF_SYSTEM " * coalesce(o.place, 0)",
           "'Thread ' || coalesce(m.thread_id, 0) || iif(o.place IS NULL, '', ', domain ' || n.text)", LAST_OF_DOMAINS),
    {.name = NULL},
};

const struct track track_msproftx = {
    .name = "msproftx",
    .process = "MsprofTx",
    .doc = "Marks and ranges of programs.",
    .report = "msprof_tx",
    .number = LAYER_PROGRAM,
    .events = events,
};
