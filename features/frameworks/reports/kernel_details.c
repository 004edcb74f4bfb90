/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_details.csv: op_summary with the step of each operator and the framework's operator that launched it. */
#include "features/frameworks/reports/analysis.h"

#include "base/strbuf.h"
#include "db/query/cann_version.h"

#include <stdlib.h>
#include <string.h>

#define NAME_LIMIT ((size_t)8 * 1024 * 1024)

extern const struct report report_op_summary;

struct renaming {
    const char *from, *to; /* to NULL: the column is left out */
};

/* Columns of op_summary that the table has beside the metrics. Others, which op_summary may get, stay there. */
static const struct renaming all_titles[] = {{"Device_id", "Device_id"},
                                             {"Model ID", "Model ID"},
                                             {"Task ID", "Task ID"},
                                             {"Stream ID", "Stream ID"},
                                             {"Op Name", "Name"},
                                             {"OP Type", "Type"},
                                             {"OP State", "OP State"},
                                             {"Task Type", "Accelerator Core"},
                                             {"Task Start Time(us)", "Start Time(us)"},
                                             {"Task Duration(us)", "Duration(us)"},
                                             {"Task Wait Time(us)", "Wait Time(us)"},
                                             {"Block Num", "Block Num"},
                                             {"Mix Block Num", "Mix Block Num"},
                                             {"HF32 Eligible", "HF32 Eligible"},
                                             {"Input Shapes", "Input Shapes"},
                                             {"Input Data Types", "Input Data Types"},
                                             {"Input Formats", "Input Formats"},
                                             {"Output Shapes", "Output Shapes"},
                                             {"Output Data Types", "Output Data Types"},
                                             {"Output Formats", "Output Formats"},
                                             {"Context ID", "Context ID"},
                                             {NULL, NULL}};
/* The device is there in PyTorch's alone, since CANN 8.1. */
static const struct renaming without_device[] = {{"Device_id", NULL}, {NULL, NULL}};
/* The columns that level 0 does not have besides. */
static const struct renaming level_0_titles[] = {
    {"HF32 Eligible", NULL},  {"Input Shapes", NULL},  {"Input Data Types", NULL},
    {"Input Formats", NULL},  {"Output Shapes", NULL}, {"Output Data Types", NULL},
    {"Output Formats", NULL}, {"Context ID", NULL},    {NULL, NULL}};
/* By the name that it had in these versions of CANN. */
static const struct renaming level_0_mix_block_dim[] = {{"Mix Block Num", NULL}, {NULL, NULL}};
static const struct renaming pytorch_level_0_titles[] = {
    {"Model ID", NULL},      {"Task ID", NULL},       {"Stream ID", NULL},  {"OP State", NULL},
    {"Mix Block Num", NULL}, {"HF32 Eligible", NULL}, {"Context ID", NULL}, {NULL, NULL}};

/* Which columns of op_summary the rows are made from. */
struct places {
    size_t device, name, start, connection, step;
};

struct details {
    const struct cann_texts *names;
    struct places places;
};

struct own_worker {
    struct strbuf name;
    struct framework_passed passed;
    bool begun;
};

static size_t place_of(const struct report_column *columns, const char *title)
{
    size_t place = 0;
    while (columns[place].title != NULL && strcmp(columns[place].title, title) != 0)
        place++;
    return place;
}

/* ---- columns ---- */

static bool wants_step(const struct framework_analysis *analysis)
{
    const struct framework *framework = analysis->framework;
    return framework->info.scheduled && !framework->info.graph_compiled && framework->steps.count > 0;
}

static int open_details(struct report_run *run, struct err *err)
{
    struct framework_analysis *analysis = report_analysis(run);
    struct details *details = run->variant;
    static const struct report_column connection = {"connection", "connection_id", .flags = REPORT_INPUT};
    const struct report_column step = {analysis->framework->info.kind == FRAMEWORK_PYTORCH ? "Step Id" : "Step ID",
                                       .flags = REPORT_FIRST};
    int status = report_op_summary.open(run, err);
    details->names = status == 0 ? report_names(run->session, true, err) : NULL;
    if (details->names == NULL)
        return err_status(err);
    details->places = (struct places){
        .device = place_of(report_op_summary.columns, "Device_id"),
        .name = place_of(report_op_summary.columns, "Op Name"),
        .start = place_of(report_op_summary.columns, "Task Start Time(us)"),
        .connection = run->plan.column_count,
        .step = run->plan.column_count + 1,
    };
    status = report_plan_add(&run->plan, &connection, err);
    run->plan.columns[run->plan.column_count - 1].there = false;
    if (status == 0)
        status = report_plan_add(&run->plan, &step, err);
    if (status == 0)
        run->plan.columns[details->places.step].there = wants_step(analysis);
    return status;
}

/* ---- rows ---- */

static const struct framework_step *step_of(const struct framework_analysis *analysis,
                                            const struct framework_launch *launch, int64_t start_ns,
                                            struct framework_passed *passed)
{
    const struct framework *framework = analysis->framework;
    if (framework->info.kind == FRAMEWORK_MINDSPORE && (!framework->info.with_cpu || framework->launch_count == 0))
        return NULL;
    if (framework->torch != NULL)
        return framework_device_step_at(framework, start_ns, passed);
    const struct framework_step *step = launch != NULL ? framework_step_at(framework, launch->start_ns) : NULL;
    return step != NULL ? step : framework_step_at(framework, start_ns);
}

static int put_name(struct report_worker *worker, const struct framework *framework,
                    const struct framework_launch *launch, struct report_value *name, struct err *err)
{
    struct own_worker *own = worker->variant;
    struct details *details = worker->run->variant;
    if (launch == NULL || name->kind != VALUE_INTEGER)
        return 0;
    if (!own->begun)
        strbuf_init(&own->name, NAME_LIMIT);
    own->begun = true;
    struct cann_text op = cann_text(details->names, name->integer, 0);
    strbuf_clear(&own->name);
    strbuf_adds(&own->name, framework_text(framework, framework->ranges.items[launch->range].name));
    strbuf_addc(&own->name, '/');
    strbuf_add(&own->name, op.text != NULL ? op.text : "N/A", op.text != NULL ? op.length : 3);
    if (own->name.failed)
        return err_set(err, ERR_LIMIT, "a name of more than %zu bytes", NAME_LIMIT);
    *name = value_text_of(own->name.data, own->name.length);
    return 0;
}

static int finish_row(struct report_worker *worker, struct report_value *values, int64_t connection_id, struct err *err)
{
    const struct framework_analysis *analysis = report_analysis(worker->run);
    const struct details *details = worker->run->variant;
    const struct framework *framework = analysis->framework;
    const struct framework_launch *launch = relation_launch(&analysis->relation, framework, connection_id);
    struct own_worker *worker_own = worker->variant;
    const struct framework_step *step =
        step_of(analysis, launch, values[details->places.start].integer, &worker_own->passed);
    if (analysis->steps.count > 0 &&
        (step == NULL || !framework_wants_step(analysis, framework_text(framework, step->id))))
        return REPORT_SKIP;
    values[details->places.step] = value_text(step != NULL ? framework_text(framework, step->id) : "");
    return framework->info.kind == FRAMEWORK_MINDSPORE
               ? put_name(worker, framework, launch, &values[details->places.name], err)
               : 0;
}

static int take_task(struct report_worker *worker, struct report_value *values, struct err *err)
{
    const struct details *details = worker->run->variant;
    const struct report_value connection = values[details->places.connection];
    int status = report_op_summary.scan->row(worker, values, err);
    return status == 0
               ? finish_row(worker, values, connection.kind == VALUE_INTEGER ? connection.integer : DB_NULL, err)
               : status;
}

static int take_communication(struct report_worker *worker, size_t i, struct report_value *values, struct err *err)
{
    const struct cann_communications *communications = report_launched_communications(worker->run->session, err);
    if (communications == NULL)
        return err_status(err);
    int status = report_op_summary.scan->between(worker, i, values, err);
    return status == 0 ? finish_row(worker, values, communications->items[i].connection_id, err) : status;
}

static void end_worker(struct report_worker *worker)
{
    struct own_worker *own = worker->variant;
    if (own->begun)
        strbuf_release(&own->name);
}

/* ---- the report ---- */

/* Whether the column is among them. */
static bool rename_column(struct report_column *column, const struct renaming *renaming)
{
    while (renaming->from != NULL && strcmp(renaming->from, column->title) != 0)
        renaming++;
    if (renaming->from == NULL)
        return false;
    if (renaming->to != NULL)
        column->title = renaming->to;
    else
        column->flags |= REPORT_INPUT;
    return true;
}

static struct report_column *make_columns(const struct framework_analysis *analysis, struct err *err)
{
    const struct framework_info *info = &analysis->framework->info;
    bool names_device = framework_names_device(analysis);
    bool hides_shapes = cann_version_has(analysis->options->cann_version, NAMING_NO_DEVICE);
    size_t count = 0;
    while (report_op_summary.columns[count].title != NULL)
        count++;
    struct report_column *columns = calloc(count + 1, sizeof *columns);
    if (columns == NULL) {
        err_no_memory(err);
        return NULL;
    }
    memcpy(columns, report_op_summary.columns, count * sizeof *columns);
    for (size_t i = 0; i < count; i++) {
        if (info->level == 0 && hides_shapes)
            rename_column(&columns[i], level_0_titles);
        if (info->level == 0 && cann_version_has(analysis->options->cann_version, NAMING_BLOCK_DIM))
            rename_column(&columns[i], level_0_mix_block_dim);
        if (info->level == 0)
            rename_column(&columns[i], info->kind == FRAMEWORK_PYTORCH ? pytorch_level_0_titles : level_0_titles);
        if (!names_device)
            rename_column(&columns[i], without_device);
        if (!rename_column(&columns[i], all_titles))
            columns[i].flags |= REPORT_INPUT;
    }
    return columns;
}

int framework_write_kernel_details(struct framework_analysis *analysis, struct err *err)
{
    SCOPED_FREE struct report_column *columns = make_columns(analysis, err);
    struct report_scan scan = *report_op_summary.scan;
    struct report details = report_op_summary;
    if (columns == NULL)
        return err_status(err);
    scan.row = take_task;
    scan.between = take_communication;
    scan.end = end_worker;
    scan.variant_worker_size = sizeof(struct own_worker);
    details.name = "kernel_details";
    details.columns = columns;
    details.scan = &scan;
    details.variant_size = sizeof(struct details);
    details.open = open_details;
    return framework_write_report(analysis, &details, err);
}
