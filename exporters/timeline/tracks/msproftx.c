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

static const struct series_arrow arrow = {
    "MsTx_", "MsTx", true, 's', "iif(d.device_id IS NOT NULL, m.mark_id + 4000000001, NULL)", {"device_tx"}};

static const struct series_counter events[] = {
    {.name = "coalesce(m.message, '')",
     .values = values,
     .query = {.from = "msproftx m LEFT JOIN name n ON n.id = m.domain_id LEFT JOIN device_mark d"
                       " ON d.id = (SELECT min(id) FROM device_mark WHERE mark_id = m.mark_id)",
               .order_by = "m.process_id, m.thread_id, m.start_ns, m.end_ns DESC, m.id"},
     .time = "m.start_ns",
     .duration = "coalesce(m.end_ns - m.start_ns, 0)",
     .ticks = true,
     .device = "NULL",
     .thread = "coalesce(m.thread_id, 0)",
     .thread_name = "'Thread ' || coalesce(m.thread_id, 0)",
     .last_thread = "coalesce(max(thread_id), -1) FROM msproftx",
     .program = "coalesce(m.process_id, 0)",
     .process = "(SELECT process_name FROM capture_part WHERE process_name <> '' ORDER BY id LIMIT 1)",
     .arrow = &arrow},
    {.name = NULL},
};

const struct track track_msproftx = {
    .name = "msproftx",
    .process = "MsprofTx",
    .doc = "Marks and ranges of programs.",
    .report = "msprof_tx",
    .order = LAYER_PROGRAM,
    .events = events,
};
