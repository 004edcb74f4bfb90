/* SPDX-License-Identifier: Apache-2.0 */
/* op_summary: every execution of an operator with its counters, as Ascend's tool of 2022 has it. */
#include "exporters/reports/earlier/device_2022.h"

#include <math.h>
#include <stdio.h>

#define WITH_TENSORS                                                                                                   \
    "EXISTS (SELECT 1 FROM device_task t JOIN tensor_set x ON x.id = t.tensor_set_id"                                  \
    " WHERE x.input_shapes IS NOT NULL OR x.output_shapes IS NOT NULL)"
#define TENSOR_TEXT(title, number, what)                                                                               \
    {                                                                                                                  \
        title, .when = WITH_TENSORS, .flags = REPORT_NO_TERMINAL, .doc = what, SHOWN(tensors[number])                  \
    }

struct shown {
    int64_t model_id, task_id, stream_id, block_num;
    const char *name, *type, *task_type;
    struct report_value start, duration, wait;
    struct report_value tensors[EXECUTION_TENSOR_TEXTS], metrics[PMU_MAX_COLUMNS];
};

static const struct report_column columns[] = {
    {"Model ID", SHOWN(model_id), .flags = REPORT_NUMBER | REPORT_NO_TERMINAL,
     .doc = "The model; 4294967295: of none."},
    {"Task ID", SHOWN(task_id), .flags = REPORT_NUMBER, .doc = "The task that it was, by its number in the stream."},
    {"Stream ID", SHOWN(stream_id), .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "The stream."},
    {"Op Name", SHOWN(name), .doc = "The operator."},
    {"OP Type", SHOWN(type), .flags = REPORT_NARROW, .doc = "Its type."},
    {"Task Type", SHOWN(task_type), .flags = REPORT_NARROW, .doc = "The core that it ran on."},
    {"Task Start Time", SHOWN(start), .flags = REPORT_NUMBER, .doc = "When it began, in ns."},
    {"Task Duration(us)", SHOWN(duration), .flags = REPORT_NUMBER, .doc = "How long it ran."},
    {"Task Wait Time(us)", SHOWN(wait), .flags = REPORT_NUMBER | REPORT_NARROW,
     .doc = "Since the end of the task before, of whatever it was."},
    {"Block Dim", SHOWN(block_num), .flags = REPORT_NUMBER | REPORT_NARROW,
     .doc = "How many blocks it was split into."},
    TENSOR_TEXT("Input Shapes", 0, "Shapes of its inputs."),
    TENSOR_TEXT("Input Data Types", 1, "Their data types."),
    TENSOR_TEXT("Input Formats", 2, "Their formats."),
    TENSOR_TEXT("Output Shapes", 3, "Shapes of its outputs."),
    TENSOR_TEXT("Output Data Types", 4, "Their data types."),
    TENSOR_TEXT("Output Formats", 5, "Their formats."),
    {.title = NULL},
};

struct summary {
    struct device_2022 device;
    struct counters_2022 counters;
    struct execution_counts counts;
    double last_end; /* of the task before; NAN: there is none */
};

static int open_summary(struct report_run *run, struct err *err)
{
    struct summary *summary = run->state;
    summary->last_end = NAN;
    int status = device_2022_of(&summary->device, run, err);
    if (status == 0)
        status = execution_count(run->session->db, &summary->device.range.ticks, &summary->counts, err);
    if (status == 0)
        counters_2022_init(&summary->counters, &summary->device, &summary->counts);
    for (size_t i = 0; status == 0 && i < summary->counters.plan.count; i++) {
        const struct report_column column = {summary->counters.plan.columns[i].title, SHOWN(metrics[i]),
                                             .flags = REPORT_NUMBER | REPORT_NO_TERMINAL};
        status = report_plan_add(&run->plan, &column, err);
    }
    return status;
}

#define SHAPES_MAX 4096

/* The shapes of all tensors stand in quotes of their own. */
static struct report_value quoted(const char *shapes, char buffer[SHAPES_MAX])
{
    if (shapes == NULL)
        return value_none();
    int length = snprintf(buffer, SHAPES_MAX, "\"%s\"", shapes);
    return value_text_of(buffer, length > 0 && length < SHAPES_MAX ? (size_t)length : 0);
}

static void set_metrics(const struct summary *summary, const struct execution *run, struct report_value *values)
{
    struct pmu_value metrics[PMU_MAX_COLUMNS];
    if (run->counted)
        task_2022_values(&summary->counters, run, metrics);
    for (size_t i = 0; i < summary->counters.plan.count; i++) {
        if (!run->counted)
            values[i] = value_none();
        else if (metrics[i].value == DB_NULL) /* what could not be divided is empty */
            values[i] = value_text("");
        else
            values[i] = value_scaled(metrics[i].value, metrics[i].decimals);
    }
}

static int put_operator(struct report_run *run, const struct execution *operator_, const struct task_2022 *task,
                        struct err *err)
{
    const struct summary *summary = run->state;
    char inputs[SHAPES_MAX], outputs[SHAPES_MAX];
    double wait = isnan(summary->last_end) ? 0 : trunc(task->start) - summary->last_end;
    struct shown row = {
        .model_id = operator_->model_id != DB_NULL ? operator_->model_id : NO_MODEL_2022,
        .task_id = operator_->task_id,
        .stream_id = operator_->stream_id,
        .block_num = operator_->block_num,
        .name = operator_->op_name,
        .type = operator_->op_type,
        .task_type = task_2022_type(&summary->device, operator_),
        .start = nanoseconds_2022(task->start),
        .duration = microseconds_2022(task->end - task->start),
        .wait = microseconds_2022(wait > 0 ? wait : 0),
    };
    for (size_t i = 0; i < EXECUTION_TENSOR_TEXTS; i++)
        row.tensors[i] = value_text(operator_->tensors[i]);
    row.tensors[0] = quoted(operator_->tensors[0], inputs);
    row.tensors[3] = quoted(operator_->tensors[3], outputs);
    set_metrics(summary, operator_, row.metrics);
    return report_put(run, &row, err);
}

static int put_execution(void *arg, const struct execution *execution, struct err *err)
{
    struct report_run *run = arg;
    struct summary *summary = run->state;
    const struct task_2022 task = task_2022_of(&summary->device, execution);
    int status = execution->op_name != NULL ? put_operator(run, execution, &task, err) : 0;
    summary->last_end = task.end;
    return status;
}

static int put_rows(struct report_run *run, struct err *err)
{
    const struct summary *summary = run->state;
    const struct execution_query query = {
        .range = summary->device.range.ticks,
        .parts = EXECUTION_COUNTED | (summary->counts.tensors ? EXECUTION_TENSORS : 0),
    };
    return execution_each(run->session->db, &query, put_execution, run, err);
}

const struct report report_op_summary_2022 = {
    .name = "op_summary",
    .title = "Operators",
    .doc = "Every operator that ran on a device in an iteration, in the order of their starts, with what was counted.",
    .families = FAMILY_2022,
    .of_device = true,
    .columns = columns,
    .state_size = sizeof(struct summary),
    .open = open_summary,
    .rows = put_rows,
};
