/* SPDX-License-Identifier: Apache-2.0 */
/* minddata_pipeline_raw_<rank>.csv and minddata_pipeline_summary_<rank>.{csv,json}. */
#include "exporters/reports/framework/framework_tables.h"
#include "exporters/reports/framework/minddata_summary.h"

#include "parsers/frameworks/mindspore/minddata.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- raw ---- */

struct shown {
    int64_t id, workers, interval;
    const char *type;
    struct report_value sizes, mean, length, usage, parent, children; /* or nothing: empty */
};

static const struct report_column raw_columns[] = {
    {"op_id", SHOWN(id), .doc = "The operator."},
    {"op_type", SHOWN(type), .doc = "Its type."},
    {"num_workers", SHOWN(workers), .doc = "Its threads."},
    {"output_queue_size", SHOWN(sizes), .doc = "How long its output queue was, at each sample."},
    {"output_queue_average_size", SHOWN(mean), FORM_FLOAT, .doc = "Their mean."},
    {"output_queue_length", SHOWN(length), .doc = "How long it can be."},
    {"output_queue_usage_rate", SHOWN(usage), FORM_FLOAT, .doc = "The mean's part of that."},
    {"sample_interval", SHOWN(interval), .doc = "Between two samples."},
    {"parent_id", SHOWN(parent), .doc = "Who takes from it."},
    {"children_id", SHOWN(children), .doc = "From whom it takes."},
    {.title = NULL},
};

/* As Python prints a list. */
static void put_list(struct strbuf *buf, const int64_t *items, size_t count)
{
    strbuf_clear(buf);
    strbuf_addc(buf, '[');
    for (size_t i = 0; i < count; i++)
        strbuf_addf(buf, "%s%" PRId64, i > 0 ? ", " : "", items[i]);
    strbuf_addc(buf, ']');
}

static bool queue_is_sound(const struct minddata_op *op)
{
    return !op->has_queue || (op->queue_length > 0 && op->queue_count > 0);
}

struct raw {
    struct report_run *run;
    const struct minddata *data;
    struct strbuf sizes, children;
    struct pending {
        int64_t id, parent;
    } * pending; /* breadth first */
    size_t next, count, capacity;
};

/* Those of an operator, where one without a queue stands for its own children. */
static int expand(struct raw *raw, const struct minddata_op *op, int64_t *ret, size_t *ret_count, int depth)
{
    enum { MOST_CHILDREN = 1024, DEEPEST = 64 };
    for (size_t i = 0; i < op->child_count; i++) {
        const struct minddata_op *child = minddata_op_of(raw->data, op->children[i]);
        if (child != NULL && !child->has_queue && depth < DEEPEST)
            expand(raw, child, ret, ret_count, depth + 1);
        else if (*ret_count < MOST_CHILDREN)
            ret[(*ret_count)++] = op->children[i];
    }
    return 0;
}

static int put_raw(struct raw *raw, const struct minddata_op *op, int64_t parent, struct err *err)
{
    int64_t children[1024];
    size_t count = 0;
    expand(raw, op, children, &count, 0);
    put_list(&raw->sizes, op->queue, op->queue_count);
    put_list(&raw->children, children, count);
    if (raw->sizes.failed || raw->children.failed)
        return err_set(err, ERR_NO_MEMORY, "out of memory for a queue");
    double mean = minddata_queue_mean(op);
    const struct report_value empty = value_text("");
    const struct shown row = {
        .id = op->id,
        .workers = op->workers,
        .interval = raw->data->interval,
        .type = op->type,
        .sizes = op->has_queue ? value_text_of(raw->sizes.data, raw->sizes.length) : empty,
        .mean = op->has_queue ? value_real(mean) : empty,
        .length = op->has_queue ? value_integer(op->queue_length) : empty,
        .usage = op->has_queue ? value_real(mean / (double)op->queue_length) : empty,
        .parent = parent >= 0 ? value_integer(parent) : empty,
        .children = count > 0 ? value_text_of(raw->children.data, raw->children.length) : empty,
    };
    int status = report_put(raw->run, &row, err);
    for (size_t i = 0; status == 0 && i < count; i++) {
        if (raw->count == raw->capacity)
            return 0; /* every operator once: a circle ends here */
        raw->pending[raw->count++] = (struct pending){children[i], op->id};
    }
    return status;
}

static int put_raw_rows(struct report_run *run, struct err *err)
{
    struct minddata_report *report = report_analysis(run)->minddata;
    struct raw raw = {.run = run, .data = report->data, .capacity = report->data->op_count};
    int status = 0;
    raw.pending = calloc(raw.capacity + 1, sizeof *raw.pending);
    if (raw.pending == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for the data pipeline");
    strbuf_init(&raw.sizes, (size_t)64 * 1024 * 1024);
    strbuf_init(&raw.children, 1024 * 1024);
    raw.pending[raw.count++] = (struct pending){0, -1};
    for (; status == 0 && raw.next < raw.count; raw.next++) {
        const struct minddata_op *op = minddata_op_of(raw.data, raw.pending[raw.next].id);
        if (op != NULL)
            status = put_raw(&raw, op, raw.pending[raw.next].parent, err);
    }
    strbuf_release(&raw.sizes);
    strbuf_release(&raw.children);
    free(raw.pending);
    return status;
}

static int write_raw(struct framework_analysis *analysis, const struct minddata *data, struct err *err)
{
    char name[64];
    const struct report raw = {.name = name,
                               .title = "Data pipeline",
                               .columns = raw_columns,
                               .rows = put_raw_rows,
                               .doc = "What the queues of the data pipeline held."};
    struct minddata_report report = {data};
    snprintf(name, sizeof name, "minddata_pipeline_raw_%" PRId64, analysis->framework->info.rank);
    for (size_t i = 0; i < data->op_count; i++) {
        if (!queue_is_sound(&data->ops[i]))
            return err_set(err, ERR_FORMAT, "the queue of operator %" PRId64 " has no length or no samples",
                           data->ops[i].id);
    }
    analysis->minddata = &report;
    int status = framework_write_report(analysis, &raw, err);
    analysis->minddata = NULL;
    return status;
}

int mindspore_write_minddata(struct framework_analysis *analysis, struct err *err)
{
    struct minddata data;
    if (!analysis->framework->info.data_process)
        return 0;
    int status = minddata_load(analysis->framework, analysis->directory, &data, analysis->diag, err);
    if (status == 0 && data.has_pipeline)
        status = write_raw(analysis, &data, err);
    if (status == 0 && data.has_pipeline && data.has_cpu && data.has_batches)
        status = minddata_write_summary(analysis, &data, err);
    minddata_release(&data);
    return status;
}
