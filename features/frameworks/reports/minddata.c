/* SPDX-License-Identifier: Apache-2.0 */
/* minddata_pipeline_raw_<rank>.csv and minddata_pipeline_summary_<rank>.{csv,json}. */

#include "features/frameworks/mindspore/minddata.h"
#include "base/file/fsutil.h"
#include "base/number.h"
#include "exporters/json_text.h"
#include "exporters/output_file.h"
#include "features/frameworks/reports/analysis.h"

#include <inttypes.h>
#include <stdarg.h>
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
    {"output_queue_size", SHOWN(sizes), .doc = "Length of its output queue at each sample."},
    {"output_queue_average_size", SHOWN(mean), FORM_FLOAT, .doc = "Their mean."},
    {"output_queue_length", SHOWN(length), .doc = "Capacity of the queue."},
    {"output_queue_usage_rate", SHOWN(usage), FORM_FLOAT, .doc = "The mean's part of that."},
    {"sample_interval", SHOWN(interval), .doc = "Between two samples."},
    {"parent_id", SHOWN(parent), .doc = "The stage that reads from it."},
    {"children_id", SHOWN(children), .doc = "The stage that it reads from."},
    {.title = NULL},
};

/* As Python prints a list. */
static void add_list(struct strbuf *buf, const int64_t *items, size_t count)
{
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
static void expand(const struct raw *raw, const struct minddata_op *op, int64_t *ret, size_t *ret_count, int depth)
{
    enum { MOST_CHILDREN = 1024, DEEPEST = 64 };
    for (size_t i = 0; i < op->child_count; i++) {
        const struct minddata_op *child = minddata_op_of(raw->data, op->children[i]);
        if (child != NULL && !child->has_queue && depth < DEEPEST)
            expand(raw, child, ret, ret_count, depth + 1);
        else if (*ret_count < MOST_CHILDREN)
            ret[(*ret_count)++] = op->children[i];
    }
}

static int put_raw(struct raw *raw, const struct minddata_op *op, int64_t parent, struct err *err)
{
    int64_t children[1024];
    size_t count = 0;
    expand(raw, op, children, &count, 0);
    strbuf_clear(&raw->sizes);
    strbuf_clear(&raw->children);
    add_list(&raw->sizes, op->queue, op->queue_count);
    add_list(&raw->children, children, count);
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
    const struct minddata *data = report_analysis(run)->minddata;
    struct raw raw = {.run = run, .data = data, .capacity = data->op_count};
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
                               .doc = "Items that the queues of the data pipeline held."};
    snprintf(name, sizeof name, "minddata_pipeline_raw_%" PRId64, analysis->framework->info.rank);
    for (size_t i = 0; i < data->op_count; i++) {
        if (!queue_is_sound(&data->ops[i]))
            return err_set(err, ERR_FORMAT, "the queue of operator %" PRId64 " has no length or no samples",
                           data->ops[i].id);
    }
    analysis->minddata = data;
    int status = framework_write_report(analysis, &raw, err);
    analysis->minddata = NULL;
    return status;
}

/* minddata_pipeline_summary_<rank>: what the data pipeline's numbers mean. */

#define TEXT_LIMIT ((size_t)64 * 1024 * 1024)
#define UNKNOWN (-1.0)

/* A key with its values, as JSON has them; texts keep their quotes there and lose them in CSV. */
struct line {
    const char *key;
    struct strbuf values;
    size_t count;
};

#define LINES_OF(LINE)                                                                                                 \
    LINE(OP_IDS, "op_ids")                                                                                             \
    LINE(OP_NAMES, "op_names")                                                                                         \
    LINE(PIPELINE_OPS, "pipeline_ops")                                                                                 \
    LINE(NUM_WORKERS, "num_workers")                                                                                   \
    LINE(QUEUE_AVERAGE, "queue_average_size")                                                                          \
    LINE(QUEUE_UTILIZATION, "queue_utilization_pct")                                                                   \
    LINE(QUEUE_EMPTY, "queue_empty_freq_pct")                                                                          \
    LINE(CHILDREN, "children_ids")                                                                                     \
    LINE(PARENT, "parent_id")                                                                                          \
    LINE(AVG_CPU, "avg_cpu_pct")                                                                                       \
    LINE(PIPELINE_TIME, "per_pipeline_time")                                                                           \
    LINE(PUSH_TIME, "per_push_queue_time")                                                                             \
    LINE(BATCH_TIME, "per_batch_time")                                                                                 \
    LINE(CPU_PER_WORKER, "avg_cpu_pct_per_worker")                                                                     \
    LINE(CPU_DETAILS, "cpu_analysis_details")                                                                          \
    LINE(QUEUE_DETAILS, "queue_analysis_details")                                                                      \
    LINE(WARNING, "bottleneck_warning")                                                                                \
    LINE(SUGGESTION, "bottleneck_suggestion")
#define LINE_NUMBER(number, key) number,
#define LINE_KEY(number, key) key,
enum { LINES_OF(LINE_NUMBER) LINES };
static const char *const keys[LINES] = {LINES_OF(LINE_KEY)};

struct summary {
    const struct minddata *data;
    struct minddata_stage *ops;
    size_t count;
    bool per_worker; /* both files have equally many operators */
    struct line lines[LINES];
};

static double rounded(double value, int decimals)
{
    char text[400];
    snprintf(text, sizeof text, "%.*f", decimals, value);
    return strtod(text, NULL);
}

/* As Python prints a float; -1 where there is nothing. */
static size_t print_real(char text[REAL_SHORTEST_MAX], double value)
{
    if (value != UNKNOWN)
        return number_print_float(text, value);
    memcpy(text, "-1", 2);
    return 2;
}

static struct strbuf *next_value(struct summary *summary, int line)
{
    struct line *item = &summary->lines[line];
    if (item->count++ > 0)
        strbuf_adds(&item->values, "\n"); /* between values */
    return &item->values;
}

static void add_real(struct summary *summary, int line, double value)
{
    char text[REAL_SHORTEST_MAX];
    strbuf_add(next_value(summary, line), text, print_real(text, value));
}

static void add_integer(struct summary *summary, int line, int64_t value)
{
    strbuf_addf(next_value(summary, line), "%" PRId64, value);
}

static void add_text(struct summary *summary, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void add_text(struct summary *summary, int line, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    json_text_quote(next_value(summary, line), text, strlen(text));
}

/* ---- what is known of each operator ---- */

static int type_length(const struct minddata_op *op)
{
    size_t length = strlen(op->type);
    return (int)(length > 2 ? length - 2 : 0);
}

static void judge_queue(struct minddata_stage *stage)
{
    const struct minddata_op *op = stage->op;
    size_t empty = 0;
    stage->average = stage->utilization = stage->empty = UNKNOWN;
    if (!op->has_queue || op->queue_length <= 0 || op->queue_count == 0)
        return;
    for (size_t i = 0; i < op->queue_count; i++)
        empty += op->queue[i] == 0;
    stage->average = rounded(minddata_queue_mean(op), 2);
    stage->utilization = rounded(100 * stage->average / (double)op->queue_length, 2);
    stage->empty = rounded(100.0 * (double)empty / (double)op->queue_count, 2);
}

static struct minddata_stage *judged_of(struct summary *summary, int64_t id)
{
    for (size_t i = 0; i < summary->count; i++) {
        if (summary->ops[i].op->id == id)
            return &summary->ops[i];
    }
    return NULL;
}

/* The first child that has a queue, through those that have none. */
static const struct minddata_stage *input_of(struct summary *summary, const struct minddata_op *op, int depth)
{
    enum { DEEPEST = 64 };
    for (size_t i = 0; i < op->child_count && depth < DEEPEST; i++) {
        const struct minddata_stage *child = judged_of(summary, op->children[i]);
        if (child == NULL)
            continue;
        if (child->op->has_queue)
            return child;
        const struct minddata_stage *further = input_of(summary, child->op, depth + 1);
        if (further != NULL)
            return further;
    }
    return NULL;
}

static int judge_all(struct summary *summary, struct err *err)
{
    const struct minddata *data = summary->data;
    summary->count = data->op_count;
    summary->ops = calloc(data->op_count + 1, sizeof *summary->ops);
    if (summary->ops == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for the data pipeline");
    summary->per_worker = data->cpu_count == data->op_count;
    for (size_t i = 0; i < data->op_count; i++) {
        struct minddata_stage *stage = &summary->ops[i];
        const struct minddata_op *op = stage->op = &data->ops[i];
        snprintf(stage->name, sizeof stage->name, "%.*s(id=%" PRId64 ")", type_length(op), op->type, op->id);
        judge_queue(stage);
        stage->cpu = op->id >= 0 && (uint64_t)op->id < data->cpu_count ? rounded(data->cpu[op->id], 2) : UNKNOWN;
        stage->per_worker = op->workers > 0 ? rounded(stage->cpu / (double)op->workers, 2) : UNKNOWN;
    }
    for (size_t i = 0; i < summary->count; i++)
        summary->ops[i].input = input_of(summary, summary->ops[i].op, 0);
    return 0;
}

/* ---- what they mean ---- */

static bool is_never_judged(const struct minddata_op *op)
{
    static const char *const types[] = {"Barrier", "Concat", "EpochCtrl", "Rename", "Repeat",
                                        "Shuffle", "Skip",   "Take",      "Zip"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strlen(types[i]) == (size_t)type_length(op) && strncmp(op->type, types[i], strlen(types[i])) == 0)
            return true;
    }
    return false;
}

static bool is_type(const struct minddata_stage *stage, const char *type)
{
    return strlen(type) == (size_t)type_length(stage->op) && strncmp(stage->op->type, type, strlen(type)) == 0;
}

#define HIGH_CPU 75
#define LOW_CPU 20

static void number_text(char text[64], double value)
{
    text[print_real(text, value)] = '\0';
}

static void add_high_cpu(struct summary *summary, int line, const struct minddata_stage *stage)
{
    char cpu[64];
    number_text(cpu, stage->per_worker);
    add_text(summary, line,
             "%s is using %s%% CPU per worker. Setting num_parallel_workers>%" PRId64 " might bring extra performance.",
             stage->name, cpu, stage->op->workers);
}

static void judge_cpu(struct summary *summary, const struct minddata_stage *stage)
{
    char cpu[64];
    number_text(cpu, stage->per_worker);
    if (stage->per_worker > HIGH_CPU)
        add_high_cpu(summary, CPU_DETAILS, stage);
    else if (stage->per_worker < LOW_CPU && stage->op->workers > 1)
        add_text(summary, CPU_DETAILS,
                 "%s is using %s%% CPU per worker. Using num_parallel_workers=%" PRId64
                 " might not bring as much benefit due to low CPU usage per worker.",
                 stage->name, cpu, stage->op->workers);
}

static void judge_queues(struct summary *summary, const struct minddata_stage *stage)
{
    enum { LEAF_USED = 50, INPUT_EMPTY = 60, DIFFERENCE = 50 };
    const struct minddata_stage *input = stage->input;
    char a[64], b[64];
    if (is_type(stage, "DeviceQueue")) {
        if (input != NULL && input->empty > INPUT_EMPTY) {
            number_text(a, input->empty);
            add_text(summary, QUEUE_DETAILS,
                     "%s's input queue is empty %s%% of the time. This might indicate dataset bottlenecks. Hence host "
                     "cannot keep up with the device %s%% of the time. Device waits whenever input queue is empty.",
                     stage->name, a, a);
        }
        return;
    }
    if (input == NULL) {
        number_text(a, stage->utilization);
        if (stage->op->has_queue && !is_type(stage, "Batch") && stage->utilization < LEAF_USED)
            add_text(summary, QUEUE_DETAILS,
                     "Leaf op %s is using %s%% of its output queue. Setting num_parallel_workers>%" PRId64
                     " might speed up I/O.",
                     stage->name, a, stage->op->workers);
    } else if (stage->op->has_queue && input->utilization - stage->utilization > DIFFERENCE) {
        number_text(a, input->utilization);
        number_text(b, stage->utilization);
        add_text(
            summary, QUEUE_DETAILS,
            "%s's input queue usage=%s%% is greater than output queue usage=%s%%. This indicates child op %s might "
            "be producing faster than its parent %s can consume. If this op has low CPU utilization, try "
            "increasing prefetch_size or increasing num_workers.",
            stage->name, a, b, input->name, stage->name);
    }
}

/* Goes from the last operator to the first and takes the last that fits. */
static void find_bottleneck(struct summary *summary)
{
    enum { INPUT_USED = 10, DIFFERENCE = 50 };
    const struct minddata_stage *found = NULL;
    bool is_high = false;
    for (size_t i = summary->count; i-- > 0;) {
        const struct minddata_stage *stage = &summary->ops[i], *input = stage->input;
        if (is_never_judged(stage->op) || stage->per_worker == UNKNOWN)
            continue;
        bool queue = input != NULL && stage->op->has_queue &&
                     (input->utilization < INPUT_USED || stage->utilization - input->utilization > DIFFERENCE);
        if (stage->per_worker > HIGH_CPU || (stage->per_worker < LOW_CPU && queue)) {
            found = stage;
            is_high = stage->per_worker > HIGH_CPU;
        }
    }
    if (found == NULL)
        return;
    add_text(summary, WARNING, "%s", found->name);
    if (is_high) {
        add_high_cpu(summary, SUGGESTION, found);
    } else {
        char cpu[64];
        number_text(cpu, found->per_worker);
        add_text(summary, SUGGESTION,
                 "%s has low CPU utilization per worker of %s%% and abnormal queue usage. Try increasing "
                 "prefetch_size.",
                 found->name, cpu);
    }
}

static void make_lines(struct summary *summary)
{
    const struct minddata *data = summary->data;
    for (size_t i = 0; i < summary->count; i++) {
        const struct minddata_stage *stage = &summary->ops[i];
        const struct minddata_op *op = stage->op;
        add_integer(summary, OP_IDS, op->id);
        add_text(summary, OP_NAMES, "%.*s", type_length(op), op->type);
        add_text(summary, PIPELINE_OPS, "%s", stage->name);
        add_integer(summary, NUM_WORKERS, op->workers);
        add_real(summary, QUEUE_AVERAGE, stage->average);
        add_real(summary, QUEUE_UTILIZATION, stage->utilization);
        add_real(summary, QUEUE_EMPTY, stage->empty);
        add_list(next_value(summary, CHILDREN), op->children, op->child_count);
        add_integer(summary, PARENT, op->parent);
    }
    for (size_t i = 0; i < data->cpu_count; i++)
        add_real(summary, AVG_CPU, rounded(data->cpu[i], 2));
    add_real(summary, PIPELINE_TIME, data->pipeline_ms == UNKNOWN ? UNKNOWN : rounded(data->pipeline_ms, 3));
    add_real(summary, PUSH_TIME, data->push_ms == UNKNOWN ? UNKNOWN : rounded(data->push_ms, 3));
    add_real(summary, BATCH_TIME, data->batch_ms == UNKNOWN ? UNKNOWN : rounded(data->batch_ms, 3));
    if (!summary->per_worker)
        return;
    for (size_t i = 0; i < summary->count; i++) {
        const struct minddata_stage *stage = &summary->ops[i];
        add_real(summary, CPU_PER_WORKER, stage->per_worker);
        if (is_never_judged(stage->op))
            continue;
        if (stage->per_worker != UNKNOWN)
            judge_cpu(summary, stage);
        judge_queues(summary, stage);
    }
    find_bottleneck(summary);
}

int minddata_each_stage(const struct minddata *data,
                        int (*each)(void *arg, const struct minddata_stage *stage, struct err *err), void *arg,
                        struct err *err)
{
    struct summary summary = {.data = data};
    int status = judge_all(&summary, err);
    for (size_t i = 0; status == 0 && i < summary.count; i++)
        status = each(arg, &summary.ops[i], err);
    free(summary.ops);
    return status;
}

/* ---- files ---- */

static void put_document(const struct summary *summary, struct strbuf *text)
{
    strbuf_addc(text, '{');
    for (int i = 0, first = 1; i < LINES; i++) {
        const struct line *line = &summary->lines[i];
        if (line->count == 0)
            continue;
        strbuf_addf(text, "%s\"%s\": [", first ? "" : ", ", keys[i]);
        first = 0;
        for (const char *p = line->values.data; *p != '\0'; p++) {
            if (*p == '\n')
                strbuf_adds(text, ", ");
            else
                strbuf_addc(text, *p);
        }
        strbuf_addc(text, ']');
    }
    strbuf_addc(text, '}');
}

/* A text without its quotes, in quotes of CSV where it needs them; JSON's escapes stay. */
static void put_cell(struct strbuf *text, const char *value, size_t length)
{
    if (length >= 2 && value[0] == '"') {
        value++;
        length -= 2;
    }
    bool quoted = memchr(value, ',', length) != NULL || memchr(value, '"', length) != NULL;
    strbuf_adds(text, quoted ? ",\"" : ",");
    for (size_t i = 0; i < length; i++) {
        if (value[i] == '"')
            strbuf_addc(text, '"');
        strbuf_addc(text, value[i]);
    }
    if (quoted)
        strbuf_addc(text, '"');
}

static void put_csv(const struct summary *summary, struct strbuf *text)
{
    for (int i = 0; i < LINES; i++) {
        const struct line *line = &summary->lines[i];
        if (line->count == 0)
            continue;
        strbuf_adds(text, keys[i]);
        for (const char *p = line->values.data;;) {
            size_t length = strcspn(p, "\n");
            put_cell(text, p, length);
            if (p[length] == '\0')
                break;
            p += length + 1;
        }
        strbuf_addc(text, '\n');
    }
}

static int write_file(struct framework_analysis *analysis, const struct summary *summary, const char *suffix,
                      void (*put)(const struct summary *summary, struct strbuf *text), struct err *err)
{
    char name[96];
    SCOPED(strbuf_release) struct strbuf text;
    struct outfile out;
    snprintf(name, sizeof name, "minddata_pipeline_summary_%" PRId64 "%s", analysis->framework->info.rank, suffix);
    SCOPED_FREE char *path = path_join(analysis->options->directory, name);
    strbuf_init(&text, TEXT_LIMIT);
    put(summary, &text);
    if (path == NULL || text.failed)
        return err_set(err, ERR_NO_MEMORY, "out of memory for '%s'", name);
    if (outfile_open(&out, path, err) < 0)
        return err_status(err);
    outfile_add(&out, &text);
    return output_file_done(&out, name, LINES, analysis->options, analysis->result, err);
}

static int write_summary(struct framework_analysis *analysis, const struct minddata *data, struct err *err)
{
    struct summary summary = {.data = data};
    for (int i = 0; i < LINES; i++)
        strbuf_init(&summary.lines[i].values, TEXT_LIMIT);
    bool failed = judge_all(&summary, err) < 0;
    if (!failed) {
        make_lines(&summary);
        for (int i = 0; !failed && i < LINES; i++)
            failed = summary.lines[i].values.failed && err_set(err, ERR_NO_MEMORY, "out of memory for a summary") < 0;
    }
    failed = failed || write_file(analysis, &summary, ".json", put_document, err) < 0 ||
             write_file(analysis, &summary, ".csv", put_csv, err) < 0;
    for (int i = 0; i < LINES; i++)
        strbuf_release(&summary.lines[i].values);
    free(summary.ops);
    return failed ? err_status(err) : 0;
}

int mindspore_write_minddata(struct framework_analysis *analysis, struct err *err)
{
    SCOPED(minddata_release) struct minddata data = {.op_count = 0};
    if (!analysis->framework->info.data_process)
        return 0;
    return minddata_load(analysis->framework, analysis->directory, &data, analysis->diag, err) < 0 ||
                   (data.has_pipeline && write_raw(analysis, &data, err) < 0) ||
                   (data.has_pipeline && data.has_cpu && data.has_batches && write_summary(analysis, &data, err) < 0)
               ? err_status(err)
               : 0;
}
