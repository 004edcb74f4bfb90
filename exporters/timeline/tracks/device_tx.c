/* SPDX-License-Identifier: Apache-2.0 */
/* Marks and ranges of programs as devices saw them: with the device's tasks, but on threads of their own, because a
 * range of a stream begins and ends inside of the tasks that record it. */
#include "exporters/timeline/track.h"

static const struct report_column values[] = {
    {"Physic Stream Id", "d.stream_id", .form = FORM_TEXT},
    {"Task Id", "d.task_id", .form = FORM_TEXT},
    {.title = NULL},
};

/* One of the program's marks for each: numbers that come twice must not show a mark twice. One that was captured into a
 * graph during warm-up (db/warm_up.h) names its replays. */
#define MARKS                                                                                                          \
    "device_mark d LEFT JOIN (SELECT mark_id, message, min(id) FROM main.msproftx WHERE mark_id IS NOT NULL"           \
    " GROUP BY mark_id) m ON m.mark_id = d.mark_id LEFT JOIN (SELECT DISTINCT mark_id FROM msproftx) shown"            \
    " ON shown.mark_id = d.mark_id"
#define EVENTS(which, arrow_to_it)                                                                                     \
    {                                                                                                                  \
        .name = "coalesce(m.message, 'N/A')", .values = values,                                                        \
        .query = {.from = MARKS, .order_by = "d.device_id, d.stream_id, d.start_ns, d.end_ns DESC, d.id"},             \
        .time = "d.start_ns", .duration = "coalesce(d.end_ns - d.start_ns, 0)", .ticks = true,                         \
        .device = "d.device_id", .thread = "d.stream_id",                                                              \
        .thread_name = "'Marks of stream ' || coalesce(d.stream_id, 'N/A')", .beside = true, .arrow = &(arrow_to_it),  \
        .only = (which)                                                                                                \
    }

/* Ours do not end where none begins, and of several replays at the first. */
static const struct series_arrow arrow =
                                     {"MsTx_",
                                      "MsTx",
                                      true,
                                      'f',
                                      "iif(shown.mark_id IS NOT NULL AND d.id = (SELECT min(id) FROM device_mark WHERE"
                                      " mark_id = d.mark_id), d.mark_id + 4000000001, NULL)",
                                      {"msproftx"}},
                                 vendor_arrow = {"MsTx_", "MsTx", true, 'f', "d.mark_id + 4000000001", {"msproftx"}};
static const struct series_counter events[] = {
    EVENTS(COUNTER_OURS, arrow),
    EVENTS(COUNTER_VENDOR, vendor_arrow),
    {.name = NULL},
};

const struct track track_device_tx = {
    .name = "device_tx",
    .process = "Ascend Hardware",
    .doc = "Marks and ranges of programs as devices saw them.",
    .report = "msprof_tx",
    .number = LAYER_HARDWARE,
    .events = events,
};
