/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of MindSpore and PyTorch on the device, above its tasks. The timeline that a framework's own analysis makes has
 * them already; Ascend's tool knows none. */
#include "exporters/timeline/track.h"
#include "features/frameworks/reports/host_side.h"

static const struct report_column values[] = {
    {"Step", "s.number", .form = FORM_TEXT},
    {.title = NULL},
};

static const struct series_counter events[] = {
    {.name = "'ProfilerStep#' || s.number",
     .values = values,
     .query = {.from = "capture_part p CROSS JOIN temp.framework_step s",
               .where = "NOT p.is_host AND s.end_ns >= s.start_ns",
               .order_by = "p.id, s.start_ns, s.end_ns DESC, s.number"},
     .time = "s.start_ns",
     .duration = "s.end_ns - s.start_ns",
     .device = "p.device_id",
     .thread = "p.device_id",
     .thread_name = "'Framework Steps'",
     .beside = true,
     .when = FRAMEWORK_ATTACHED,
     .only = COUNTER_ALONE},
    {.name = NULL},
};

const struct track track_framework_steps = {
    .name = "framework_steps",
    .process = "Ascend Hardware",
    .doc = "Steps of MindSpore and PyTorch on the device, of a capture in their directory.",
    .number = LAYER_HARDWARE,
    .events = events,
};
