/* SPDX-License-Identifier: Apache-2.0 */
/* At what frequency the AI cores of devices run, of the chips that say it. */
#include "exporters/timeline/track.h"

static const struct report_column values[] = {
    {"MHz", "f.mhz", .form = FORM_TEXT},
    {.title = NULL},
};

static const struct series_counter events[] = {
    {.name = "'AI Core Freq'",
     .values = values,
     .query = {.from = "capture_part p JOIN core_frequency_report f ON f.device_id = coalesce(p.device_id, 0)",
               .where = "NOT p.is_host AND (p.chip IN (5, 7) OR EXISTS"
                        " (SELECT 1 FROM core_frequency_report m WHERE m.measured AND m.device_id = p.device_id))",
               .order_by = "p.id, f.device_id, f.time_ns"},
     .time = "f.time_ns",
     .device = "f.device_id"},
    {.name = NULL},
};

const struct track track_freq = {
    .name = "freq",
    .process = "AI Core Freq",
    .doc = "Frequencies of the AI cores.",
    .number = LAYER_FREQUENCY,
    .events = events,
};
