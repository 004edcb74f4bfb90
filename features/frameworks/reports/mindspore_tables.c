/* SPDX-License-Identifier: Apache-2.0 */
/* MindSpore's own tables: shapes of operators, stages of the data pipeline. */
#include "base/number.h"
#include "features/frameworks/mindspore/mindspore.h"
#include "features/frameworks/reports/analysis.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- operator_details.csv ---- */

struct shape {
    struct report_value name, shapes;
};

static int put_shape(void *arg, const struct framework_text *name, const struct framework_text *shapes, struct err *err)
{
    const struct shape row = {value_text_of(name->text != NULL ? name->text : "", name->length),
                              value_text_of(shapes->text != NULL ? shapes->text : "", shapes->length)};
    return report_put((struct report_run *)arg, &row, err);
}

static int put_shapes(struct report_run *run, struct err *err)
{
    struct framework_analysis *analysis = report_analysis(run);
    return mindspore_each_shape(analysis->directory, put_shape, run, analysis->diag, err);
}

static const struct report operator_details = {
    .name = "operator_details",
    .title = "Shapes of operators",
    .doc = "The shapes that operators were called with.",
    .columns = VALUE_LIST({"Name", REPORT_FIELD(struct shape, name), .doc = "The operator."},
                          {"Input Shapes", REPORT_FIELD(struct shape, shapes), .doc = "Shapes of its inputs."}),
    .rows = put_shapes,
};

/* ---- dataset.csv ---- */

struct stage {
    const char *operation, *stage, *custom;
    int64_t count;
    double mean_us;
};

/* To two decimals, as the nearest double: what Python's round gives. */
static double rounded(double value)
{
    char text[64];
    snprintf(text, sizeof text, "%.2f", value);
    return strtod(text, NULL);
}

struct runs {
    int64_t count, total_ns;
};

static int put_dataset(struct report_run *run, const struct framework_dataset *dataset, const struct runs *runs,
                       struct err *err)
{
    const struct framework *framework = report_analysis(run)->framework;
    const struct stage row = {
        .operation = framework_text(framework, dataset->event),
        .stage = framework_text(framework, dataset->operation),
        .custom = framework_text(framework, dataset->custom),
        .count = runs->count,
        .mean_us = rounded((double)runs->total_ns / 1000.0 / (double)runs->count),
    };
    return report_put(run, &row, err);
}

static int put_datasets(struct report_run *run, struct err *err)
{
    const struct framework_analysis *analysis = report_analysis(run);
    const struct framework *framework = analysis->framework;
    SCOPED_FREE struct runs *runs = scoped_memory(framework->datasets.count + 1, sizeof *runs);
    int status = runs != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory for the data pipeline");
    for (size_t i = 0; status == 0 && i < framework->dataset_runs.count; i++) {
        const struct framework_dataset_run *one = &framework->dataset_runs.items[i];
        if (!framework_wants_time(analysis, one->start_ns))
            continue;
        runs[one->dataset].count++;
        runs[one->dataset].total_ns = number_add(runs[one->dataset].total_ns, one->duration_ns);
    }
    for (size_t i = 0; status == 0 && i < framework->datasets.count; i++) {
        if (runs[i].count > 0)
            status = put_dataset(run, &framework->datasets.items[i], &runs[i], err);
    }
    return status;
}

static const struct report dataset = {
    .name = "dataset",
    .title = "Data pipeline",
    .doc = "Time of the operations of the data pipeline.",
    .columns =
        VALUE_LIST({"Operation", REPORT_FIELD(struct stage, operation), .doc = "The operation of the data pipeline."},
                   {"Stage", REPORT_FIELD(struct stage, stage), .doc = "The part."},
                   {"Occurrences", REPORT_FIELD(struct stage, count), .flags = REPORT_NUMBER, .doc = "Count."},
                   {"Avg. time (us)", REPORT_FIELD(struct stage, mean_us), FORM_FLOAT, .doc = "Mean time."},
                   {"Custom Info", REPORT_FIELD(struct stage, custom), .doc = "Text of the operation about itself."}),
    .rows = put_datasets,
};

int mindspore_write_tables(struct framework_analysis *analysis, struct err *err)
{
    const struct framework_info *info = &analysis->framework->info;
    int status = info->record_shapes ? framework_write_report(analysis, &operator_details, err) : 0;
    return status == 0 ? framework_write_report(analysis, &dataset, err) : status;
}
