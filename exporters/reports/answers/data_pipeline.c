/* SPDX-License-Identifier: Apache-2.0 */
/* The stages of MindSpore's data pipeline: which of them starves. */
#include "exporters/reports/framework/host_side.h"
#include "exporters/table/report.h"

#define PERCENT(title, sql, text)                                                                                      \
    {                                                                                                                  \
        title, sql, FORM_SHORTEST, 2, .doc = text                                                                      \
    }

static const struct report_column columns[] = {
    {"Stage", "name", .doc = "The operator of the pipeline, the last one first."},
    PERCENT("Input Empty(%)", "input_empty", "How often there was nothing for it to take: it starves."),
    {"Filled By", "input", .doc = "The stage that fills its input queue."},
    PERCENT("Queue Empty(%)", "empty", "How often the queue that it fills was empty."),
    PERCENT("Queue Used(%)", "used", "How full that queue was."),
    {"Queue Average", "average", FORM_SHORTEST, 2, .doc = "How much was in it."},
    {"Workers", "workers", .flags = REPORT_NUMBER, .doc = "Its workers."},
    PERCENT("CPU(%)", "cpu", "Of the host's processor."),
    PERCENT("CPU per Worker(%)", "cpu_per_worker", "Of that for each worker."),
    {.title = NULL},
};

const struct report report_data_pipeline = {
    .name = "data_pipeline",
    .title = "Data pipeline",
    .doc = "The stages of MindSpore's data pipeline with their queues. The capture is given as MindSpore's directory.",
    .needs = "the directory of MindSpore's profiler around the PROF capture, with data_process",
    .families = FAMILY_CANN,
    .is_short = true,
    .shown_only = true,
    .when = FRAMEWORK_ATTACHED,
    .query = {.from = "temp.framework_stage", .order_by = "rowid"},
    .columns = columns,
};
