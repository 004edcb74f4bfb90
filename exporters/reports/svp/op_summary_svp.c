/* SPDX-License-Identifier: Apache-2.0 */
/* op_summary: the tasks of the AI core in each sampled inference, behind the whole network, with their counters. */
#include "base/utf8.h"
#include "exporters/output_file.h"
#include "exporters/reports/svp/svp_metric.h"
#include "exporters/reports/svp/svp_tables.h"

#include <inttypes.h>
#include <stdlib.h>

#define TEXT_MAX (256 << 20) /* bytes of what a row says of one task */

/* The values of a row: which task it is, then the metrics by their numbers. */
enum { TASK, LAYER, NAME, TYPE, ORIGINAL, METRICS, VALUES = METRICS + METRIC_DDR_TOTAL_KB + 1 };

#define METRIC(metric, decimals_) .form = FORM_SCALED, .decimals = (decimals_), .value = METRICS + METRIC_##metric
#define RATIO(name, metric, vendor_flags, what)                                                                        \
    {name, METRIC(metric, 2), .flags = REPORT_GUIDE, .doc = what},                                                     \
    {                                                                                                                  \
        name "(%)", METRIC(metric, 2), .flags = REPORT_VENDOR | (vendor_flags), .doc = what                            \
    }
#define BYTES(name, metric, vendor_flags, what)                                                                        \
    {name "(byte)", METRIC(metric, 0), .flags = REPORT_GUIDE, .doc = what},                                            \
    {                                                                                                                  \
        name "(KB)", METRIC(metric##_KB, 2), .flags = REPORT_VENDOR | (vendor_flags), .doc = what                      \
    }

static const struct report_column columns[] = {
    {"Task ID", .value = TASK, .flags = REPORT_VENDOR | REPORT_NUMBER, .doc = "The task; '-': the whole network."},
    {"Layer Id", .value = LAYER, .flags = REPORT_GUIDE, .doc = "The layers that the task runs; '-': the network."},
    {"Layer ID", .value = LAYER, .flags = REPORT_VENDOR | REPORT_NO_TERMINAL, .doc = "The layers that the task runs."},
    {"Ori Layer Name", .value = ORIGINAL, .flags = REPORT_GUIDE, .doc = "Their names in the original model."},
    {"Layer Name", .value = NAME, .doc = "Their names."},
    {"Layer Type", .value = TYPE, .doc = "Their types."},
    {"Ori Layer Name", .value = ORIGINAL, .flags = REPORT_VENDOR, .doc = "Their names in the original model."},
    {"Time(us)", METRIC(TIME, 2), .doc = "Duration of the task."},
    RATIO("Time Ratio", TIME_RATIO, REPORT_JOINED, "Its share of the network's time."),
    RATIO("Mac Busy Ratio", MAC_BUSY, REPORT_NO_TERMINAL, "Share of that time in which the matrix unit was busy."),
    RATIO("Mac Ppen Ratio", MAC_PPEN, REPORT_NARROW, "When the matrix unit's pipeline was enabled."),
    RATIO("Vec Busy Ratio", VEC_BUSY, REPORT_NO_TERMINAL, "When the vector unit was busy."),
    RATIO("Vec Ppen Ratio", VEC_PPEN, REPORT_JOINED, "When the vector unit's pipeline was enabled."),
    RATIO("Dstr Ratio", DSTR, 0, "When data were stored."),
    RATIO("Dtrans Ratio", DTRANS, REPORT_JOINED, "When data were transformed."),
    RATIO("DLD Ratio", DLD, REPORT_JOINED, "When data were loaded."),
    RATIO("WLD Ratio", WLD, REPORT_JOINED, "When weights were loaded."),
    {"Memory Bound", METRIC(MEMORY_BOUND, 2),
     .doc = "The largest of these four over the larger one of the units; from 1 on, memory is the bottleneck."},
    {"BandWidth(GB/s)", METRIC(BANDWIDTH, 4), .flags = REPORT_TERMINAL | REPORT_JOINED,
     .doc = "GB of the DDR (2^30 bytes) times the whole inferences in a second."},
    BYTES("DDR Read", DDR_READ, REPORT_NARROW, "Read from the DDR."),
    BYTES("DDR Write", DDR_WRITE, REPORT_JOINED, "Written to it."),
    BYTES("DDR Total", DDR_TOTAL, REPORT_JOINED, "Both together."),
    {.title = NULL},
};

struct summary {
    bool planned;
    enum svp_metric metrics[VALUES - METRICS]; /* those that are needed */
    size_t metric_count;
    size_t leading; /* columns whose cells are made once for a task; 0: there are none */
    char separator; /* of lists of layers */
    struct svp_layer_lists lists;
    struct strbuf suffix, text;
    struct report_value values[VALUES];
    /* the inference under way */
    struct report_run *run;
    const struct svp_walk_stop *stop;
};

static int open_summary(struct report_run *run, struct err *err)
{
    struct summary *summary = run->state;
    (void)err;
    summary->separator = run->terminal != NULL ? '\n' : ',';
    svp_layer_lists_init(&summary->lists);
    strbuf_init(&summary->suffix, REPORT_NAME_MAX);
    strbuf_init(&summary->text, TEXT_MAX);
    return 0;
}

static void close_summary(struct report_run *run)
{
    struct summary *summary = run->state;
    svp_layer_lists_release(&summary->lists);
    strbuf_release(&summary->suffix);
    strbuf_release(&summary->text);
}

/* ---- rows ---- */

static void set_metrics(struct summary *summary, const struct svp_task *task)
{
    const struct svp_walk_stop *stop = summary->stop;
    for (size_t i = 0; i < summary->metric_count; i++) {
        enum svp_metric metric = summary->metrics[i];
        summary->values[METRICS + metric] =
            value_integer(svp_metric_value(metric, task, stop->network, stop->inference->core_khz));
    }
}

static int put_network(struct summary *summary, struct err *err)
{
    struct report_value *values = summary->values;
    bool vendor = summary->run->session->options->columns == COLUMNS_VENDOR;
    set_metrics(summary, summary->stop->network);
    for (size_t i = 0; i < METRICS; i++)
        values[i] = value_text("-");
    if (vendor) /* the vendor's tool gives a string in JSON */
        values[METRICS + METRIC_TIME_RATIO] = value_text("100");
    return report_row(summary->run, values, err);
}

static int set_texts(struct summary *summary, int64_t task_id, const struct svp_task_layers *layers, struct err *err)
{
    struct report_value *values = summary->values;
    const struct svp_layer *first = layers == NULL ? NULL : summary->stop->table->layers.layers + layers->first;
    int status =
        svp_layer_lists_set(&summary->lists, first, layers == NULL ? 0 : layers->count, summary->separator, err);
    values[TASK] = value_integer(task_id);
    values[LAYER] = svp_layer_ids_value(&summary->lists);
    values[NAME] = svp_layer_list_value(&summary->lists, &summary->lists.names);
    values[TYPE] = svp_layer_list_value(&summary->lists, &summary->lists.types);
    values[ORIGINAL] = svp_layer_list_value(&summary->lists, &summary->lists.ori_names);
    return status;
}

/* Makes the cells of a task's texts, in summary->text, and keeps them where there is room. */
static int make_cells(struct summary *summary, int64_t task_id, struct svp_task_layers *layers, struct err *err)
{
    int status = set_texts(summary, task_id, layers, err);
    strbuf_clear(&summary->text);
    if (status < 0)
        return status;
    if (report_plan_encode(&summary->run->plan, summary->values, summary->leading, &summary->text) < 0)
        return err_set(err, ERR_LIMIT, "the row of task %" PRId64 " with %zu layers does not fit into memory", task_id,
                       layers == NULL ? (size_t)0 : layers->count);
    if (layers != NULL)
        svp_layer_table_keep(summary->stop->table, layers, summary->text.data, summary->text.length);
    return 0;
}

static int set_cells(struct summary *summary, int64_t task_id, struct svp_task_layers *layers, struct err *err)
{
    const char *text = NULL;
    size_t length = 0;
    if (layers != NULL && layers->length > 0) {
        text = summary->stop->table->texts.data + layers->text;
        length = layers->length;
    } else {
        if (make_cells(summary, task_id, layers, err) < 0)
            return err_status(err);
        text = summary->text.data;
        length = summary->text.length;
    }
    summary->values[summary->run->plan.steps[0].value] = value_cells(text, length, summary->leading);
    return 0;
}

static int put_task(void *arg, const struct svp_task *task, struct svp_task_layers *layers, struct err *err)
{
    struct summary *summary = arg;
    int status = summary->leading > 0 ? set_cells(summary, task->task_id, layers, err)
                                      : set_texts(summary, task->task_id, layers, err);
    if (status < 0)
        return status;
    set_metrics(summary, task);
    return report_row(summary->run, summary->values, err);
}

/* Finds what the rows need, once it is known which columns are shown. */
static void plan_rows(struct summary *summary)
{
    if (summary->planned)
        return;
    summary->planned = true;
    summary->leading = report_leading_columns(summary->run, METRICS);
    for (size_t i = METRICS; i < VALUES; i++) {
        if (report_needs(summary->run, i))
            summary->metrics[summary->metric_count++] = (enum svp_metric)(i - METRICS);
    }
}

static int put_inference_rows(const void *arg, struct report_run *run, struct err *err)
{
    struct summary *summary = run->state;
    summary->run = run;
    summary->stop = arg;
    plan_rows(summary);
    int status = put_network(summary, err);
    return status == 0 ? svp_walk_tasks(summary->stop, put_task, summary, err) : status;
}

/* ---- parts ---- */

static int print_heading(const void *arg, struct show *show, struct err *err)
{
    const struct svp_walk_stop *stop = arg;
    const struct svp_inference *inference = stop->inference;
    char *model = strdup(inference->model);
    if (model == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for a model's name");
    utf8_mask(model);
    show_field(show, "Model name : ", model);
    free(model);
    show_number(show, "Model id : ", inference->model_id);
    show_number(show, "Batch num: ", inference->batch_num);
    show_number(show, "Current pic count: ", inference->current_pic_count);
    if (inference->input_pic_num != 1)
        show_number(show, "Input pic num: ", inference->input_pic_num);
    show_device(show, inference->device_id);
    show_end_line(show);
    show_number(show, "Fps : ", svp_frames_per_second(inference->batch_num, stop->network, inference->core_khz));
    show_field(show, " ", language_shown("(frames per second in model)"));
    show_end_line(show);
    return 0;
}

/* _{device}.{model}.{model_id}.{batch}.{input}.{picture}.{icache_miss_rate}.{frequency} into suffix. */
static int make_suffix(struct strbuf *suffix, const struct svp_inference *inference, enum table_format format,
                       struct err *err)
{
    SCOPED(strbuf_release) struct strbuf tail;
    int64_t miss = svp_icache_miss_millionths(inference);
    const int64_t numbers[] = {inference->model_id, inference->batch_num, inference->input_pic_num,
                               inference->current_pic_count};
    strbuf_init(&tail, REPORT_NAME_MAX);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        strbuf_addc(&tail, '.');
        report_name_number(&tail, numbers[i]);
    }
    strbuf_addf(&tail, ".%" PRId64 ".%06" PRId64 ".%" PRId64, miss / 1000000, miss % 1000000,
                svp_frequency_mhz(inference->core_khz));

    strbuf_clear(suffix);
    strbuf_addc(suffix, '_');
    report_name_number(suffix, inference->device_id);
    strbuf_addc(suffix, '.');
    report_name_model(suffix, inference->model, strlen("op_summary") + tail.length + strlen(report_suffix(format)));
    strbuf_add_built(suffix, &tail);
    return suffix->failed ? err_set(err, ERR_NO_MEMORY, "no room for the name of a report file") : 0;
}

static int put_inference(struct report_run *run, const struct svp_walk_stop *stop, struct err *err)
{
    struct summary *summary = run->state;
    int status = make_suffix(&summary->suffix, stop->inference, run->session->options->format, err);
    const struct report_part part = {
        .suffix = summary->suffix.data, .heading = print_heading, .rows = put_inference_rows, .arg = stop};
    return status == 0 ? report_put_part(run, &part, err) : status;
}

static const struct svp_table table = {.inference = put_inference};

const struct report report_op_summary_svp = {
    .name = "op_summary",
    .title = "Tasks of the AI core",
    .doc = "The tasks of each sampled inference in execution order, after a row of sums for the whole network.",
    .families = FAMILY_SVP,
    .narrowed = {"inference"},
    .parts = "_<device>.<model>.<model id>.<batch>.<input>.<picture>.<icache miss rate>.<MHz>",
    .whole = true,
    .columns = columns,
    .state_size = sizeof(struct summary),
    .open = open_summary,
    .close = close_summary,
    .walk = &svp_tables,
    .visitor = &table,
};
