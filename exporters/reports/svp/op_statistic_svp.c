/* SPDX-License-Identifier: Apache-2.0 */
/* op_statistic: time per type of layer. */
#include "exporters/output_file.h"
#include "exporters/reports/svp/svp_metric.h"
#include "exporters/reports/svp/svp_tables.h"

static const struct value_name engines[] = {{0, "AI_CORE"}, {1, "AI_CPU"}, {0, NULL}};

struct shown {
    struct op_statistic it;
    int64_t number, share, mean; /* share: of 10^4; mean: of 10^-4 us */
};

static const struct report_column columns[] = {
    {"Task ID", SHOWN(number), .flags = REPORT_NUMBER, .doc = "The row, from 0."},
    {"Stream ID", SHOWN(it.stream_id), .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "The stream."},
    {"OP Name", SHOWN(it.type), .flags = REPORT_GUIDE, .doc = "The type of the layers."},
    {"OP Type", SHOWN(it.type), .flags = REPORT_VENDOR, .doc = "The type of the layers."},
    {"Task Type", SHOWN(it.ai_cpu), .names = engines, .doc = "The engine that they ran on."},
    {"Total Time Ratio(%)", SHOWN(share), FORM_SCALED, 2, .flags = REPORT_GUIDE,
     .doc = "Their share of the time of all layers."},
    {"Total Time(us)", SHOWN(it.total_centi_us), FORM_SCALED, 2, .doc = "Total time."},
    {"Total Time Ratio(%)", SHOWN(share), FORM_SCALED, 2, .flags = REPORT_VENDOR | REPORT_NARROW,
     .doc = "Their share of the time of all layers."},
    {"Count", SHOWN(it.count), .flags = REPORT_NUMBER, .doc = "Count."},
    {"Avg(us)", SHOWN(mean), FORM_SCALED, 4, .doc = "Their mean."},
    {"Max(us)", SHOWN(it.max_centi_us), FORM_SCALED, 2, .flags = REPORT_NARROW, .doc = "The longest."},
    {"Min(us)", SHOWN(it.min_centi_us), FORM_SCALED, 2, .flags = REPORT_NARROW, .doc = "The shortest."},
    {.title = NULL},
};

struct part {
    const struct svp_report *report;
    const struct svp_statistic *statistic;
};

static int put_rows(const void *arg, struct report_run *run, struct err *err)
{
    const struct svp_statistic *statistic = ((const struct part *)arg)->statistic;
    int64_t total = svp_statistic_total(statistic);
    for (size_t i = 0; i < statistic->count; i++) {
        const struct op_statistic *it = &statistic->items[i];
        const struct shown row = {*it, (int64_t)i, svp_ratio_known(it->total_centi_us, total, 4),
                                  svp_ratio_known(it->total_centi_us, it->count, 2)};
        if (report_put(run, &row, err) < 0)
            return err_status(err);
    }
    return 0;
}

static int print_heading(const void *arg, struct show *show, struct err *err)
{
    const struct svp_report *report = ((const struct part *)arg)->report;
    (void)err;
    show_number(show, "Model id : ", report->model_id);
    if (report->current_pic_count != 0)
        show_number(show, "Current pic count: ", report->current_pic_count);
    show_device(show, report->device_id);
    show_end_line(show);
    return 0;
}

static int put_report(struct report_run *run, const struct svp_report *report, const struct svp_statistic *statistic,
                      struct err *err)
{
    const int64_t numbers[] = {report->device_id, report->model_id, report->current_pic_count, REPORT_ITERATION};
    const struct part part = {report, statistic};
    SCOPED(strbuf_release) struct strbuf suffix;
    strbuf_init(&suffix, REPORT_NAME_MAX);
    if (statistic->count == 0)
        return 0;
    if (svp_suffix(&suffix, numbers, sizeof numbers / sizeof numbers[0], err) < 0)
        return err_status(err);
    return report_put_part(
        run, &(struct report_part){.suffix = suffix.data, .heading = print_heading, .rows = put_rows, .arg = &part},
        err);
}

static const struct svp_table table = {.report = put_report};

const struct report report_op_statistic_svp = {
    .name = "op_statistic",
    .title = "Types of layers",
    .doc = "Count and time of layers by type, engine and stream.",
    .families = FAMILY_SVP,
    .narrowed = {"inference", "ai_cpu_task"},
    .parts = "_<device>_<model id>_<picture>_<iteration>",
    .whole = true,
    .columns = columns,
    .walk = &svp_tables,
    .visitor = &table,
};
