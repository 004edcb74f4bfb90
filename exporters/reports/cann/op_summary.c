/* SPDX-License-Identifier: Apache-2.0 */
/* op_summary: every operator that ran on a device, tasks and communication in one order, with what was counted of it.
 */
#include "base/number.h"
#include "db/query/cann_version.h"
#include "exporters/cann_report.h"
#include "exporters/reports/cann/device_2022.h"
#include "exporters/table/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_METRICS 192 /* columns of metrics of all devices together; there are not as many different ones */
#define NOT_THERE SIZE_MAX

/* A chip that splits tasks: their context and the other core's blocks are columns. */
#define ON_STARS "EXISTS (SELECT 1 FROM capture_part WHERE NOT is_host AND chip >= 5)"

enum {
    DEVICE,
    MODEL,
    TASK,
    STREAM,
    NAME,
    TYPE,
    STATE,
    TASK_TYPE,
    START,
    DURATION,
    WAIT,
    BLOCKS,
    MIX_BLOCKS,
    HF32,
    TENSORS,
    CONTEXT = TENSORS + CANN_TENSOR_COLUMNS,
    /* what the metrics are made of */
    CORE,
    AIC,
    AIV = AIC + 2 + CANN_COUNTERS,
    COUNTERS_END = AIV + 2 + CANN_COUNTERS
};

static const struct value_name states[] = {{0, "static"}, {1, "dynamic"}, {0, NULL}};
static const struct value_name answers[] = {{0, "NO"}, {1, "YES"}, {0, NULL}};

#define RAW(expression)                                                                                                \
    {                                                                                                                  \
        "", expression, .flags = REPORT_INPUT | REPORT_RAW                                                             \
    }
#define COUNTERS(core)                                                                                                 \
    RAW(core "_total_cycle"), RAW(core "_event0"), RAW(core "_event1"), RAW(core "_event2"), RAW(core "_event3"),      \
        RAW(core "_event4"), RAW(core "_event5"), RAW(core "_event6"), RAW(core "_event7"), RAW(core "_event8"),       \
        RAW(core "_event9"), RAW(core "_time_ns")

static const struct report_column columns[] = {
    [DEVICE] = {"Device_id", "device_id", .flags = REPORT_NUMBER, .doc = "The device."},
    [MODEL] = {"Model ID", "model_id", .flags = REPORT_NUMBER | REPORT_NO_TERMINAL,
               .doc = "The model; 4294967295: none."},
    [TASK] = {"Task ID", "task_id", .flags = REPORT_NUMBER,
              .doc = "The task that it was, by its number in the stream."},
    [STREAM] = {"Stream ID", "stream_id", .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "The stream."},
    [NAME] = {"Op Name", "op_name_id", FORM_NAME, .doc = "The operator."},
    [TYPE] = {"OP Type", "op_type_id", FORM_NAME, .flags = REPORT_NARROW, .doc = "Its type."},
    [STATE] = {"OP State", "op_state", .names = states, .flags = REPORT_NO_TERMINAL,
               .doc = "Whether its shapes were known at compile time."},
    [TASK_TYPE] = {"Task Type", "op_task_type", .names = core_names_or_unknown, .flags = REPORT_NARROW,
                   .doc = "The core it ran on."},
    [START] = {"Task Start Time(us)", "start_ns", FORM_TIME, .doc = "Start, since 1970."},
    [DURATION] = {"Task Duration(us)", "duration_ns", FORM_SCALED, 3, .doc = "Its duration."},
    [WAIT] = {"Task Wait Time(us)", NULL, FORM_SCALED, 3, .flags = REPORT_NARROW,
              .doc = "Time since the end of the previous row on the same device."},
    [BLOCKS] = {"Block Num", "block_num", .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "Number of blocks."},
    [MIX_BLOCKS] = {"Mix Block Num", "mix_block_num", .when = ON_STARS, .flags = REPORT_NUMBER | REPORT_NO_TERMINAL,
                    .doc = "The blocks on the other core, of an operator that runs on both."},
    [HF32] = {"HF32 Eligible", "op_flag", .names = answers, .flags = REPORT_NO_TERMINAL,
              .doc = "Whether it may calculate with HF32."},
    [TENSORS] = {"Input Shapes", "tensor_set_id", FORM_TENSORS, 0, .flags = REPORT_NO_TERMINAL,
                 .doc = "Shapes of its inputs."},
    {"Input Data Types", "tensor_set_id", FORM_TENSORS, 1, .flags = REPORT_NO_TERMINAL, .doc = "Their data types."},
    {"Input Formats", "tensor_set_id", FORM_TENSORS, 2, .flags = REPORT_NO_TERMINAL, .doc = "Their formats."},
    {"Output Shapes", "tensor_set_id", FORM_TENSORS, 3, .flags = REPORT_NO_TERMINAL, .doc = "Shapes of its outputs."},
    {"Output Data Types", "tensor_set_id", FORM_TENSORS, 4, .flags = REPORT_NO_TERMINAL, .doc = "Their data types."},
    {"Output Formats", "tensor_set_id", FORM_TENSORS, 5, .flags = REPORT_NO_TERMINAL, .doc = "Their formats."},
    [CONTEXT] = {"Context ID", "context_id", .when = ON_STARS, .flags = REPORT_NUMBER | REPORT_NO_TERMINAL,
                 .doc = "The part of a split task; 4294967295: the whole task."},
    [CORE] = {"", "op_task_type", .flags = REPORT_INPUT},
    [AIC] = COUNTERS("aic"),
    [AIV] = COUNTERS("aiv"),
    {.title = NULL},
};
enum { METRICS = sizeof columns / sizeof *columns - 1 }; /* those of the devices stand behind */

struct op_summary {
    const struct cann_communications *communications;
    const struct cann_clocks *clocks;
    struct device_columns {
        int64_t device_id;
        const struct cann_part *part;
        struct pmu_columns pmu;
        size_t metric[MAX_METRICS]; /* which of its values each column shows; NOT_THERE: none */
    } * devices;
    size_t device_count;
    struct cann_frequencies frequencies;
    const char *metrics[MAX_METRICS]; /* titles; those of the first device, then what others have besides */
    size_t metric_count;
};

/* ---- columns of metrics ---- */

/* Whether Ascend's own tool prints a column: no metrics of tasks when cores were sampled, and neither the
 * bandwidth of L2 nor that of the MTE but on chip 0, and of L2 on chip 5. */
static bool is_of_vendor(const struct cann_part *part, const char *title)
{
    enum { CHIP_310 = 0, CHIP_910B = 5 };
    bool of_l2 =
        strncmp(title, "l2_", 3) == 0 || strncmp(title, "aic_l2_", 7) == 0 || strncmp(title, "aiv_l2_", 7) == 0;
    bool of_mte = strncmp(title, "ub_", 3) == 0 && strstr(title, "_bw_mte") != NULL;
    if (part->samples_cores)
        return false;
    if (of_l2 && strstr(title, "_bw") != NULL)
        return part->chip == CHIP_310 || part->chip == CHIP_910B;
    return !of_mte || part->chip == CHIP_310;
}

/* Metrics that chips 7, 8 and 11 count nothing for: Ascend's table has N/A there. */
static bool is_missing_on(int64_t chip, const char *title)
{
    static const char *const titles[] = {
        "vec_time(us)",        "vec_ratio",        "vec_fp32_ratio",      "vec_fp16_ratio",
        "vec_int32_ratio",     "vec_misc_ratio",   "vec_bank_cflt_ratio", "vec_bankgroup_cflt_ratio",
        "vec_resc_cflt_ratio", "ub_read_bw(GB/s)", "ub_write_bw(GB/s)",   "l0c_write_bw(GB/s)",
        "l2_write_bw(GB/s)"};
    if (chip != 7 && chip != 8 && chip != 11)
        return false;
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        if (strcmp(titles[i], title) == 0)
            return true;
    }
    return false;
}

/* Devices of different chips, or that counted different groups, have different metrics: each title is one column. */
static int unite_metrics(struct op_summary *summary, struct device_columns *device, enum column_set wanted,
                         struct err *err)
{
    for (size_t i = 0; i < MAX_METRICS; i++)
        device->metric[i] = NOT_THERE;
    for (size_t i = 0; i < device->pmu.count; i++) {
        size_t place = 0;
        if (wanted == COLUMNS_VENDOR && !is_of_vendor(device->part, device->pmu.titles[i]))
            continue;
        while (place < summary->metric_count && strcmp(summary->metrics[place], device->pmu.titles[i]) != 0)
            place++;
        if (place == MAX_METRICS)
            return err_set(err, ERR_LIMIT, "more than %d different metrics", MAX_METRICS);
        if (place == summary->metric_count)
            summary->metrics[summary->metric_count++] = device->pmu.titles[i];
        if (!is_missing_on(device->part->chip, device->pmu.titles[i]))
            device->metric[place] = i;
    }
    return 0;
}

static int prepare_devices(struct op_summary *summary, const struct cann_parts *parts,
                           const struct export_options *options, struct err *err)
{
    summary->devices = calloc(parts->count + 1, sizeof *summary->devices);
    if (summary->devices == NULL)
        return err_no_memory(err);
    int status = 0;
    for (size_t i = 0; status == 0 && i < parts->count; i++) {
        const struct cann_part *part = &parts->parts[i];
        if (part->is_host)
            continue;
        struct device_columns *device = &summary->devices[summary->device_count++];
        struct pmu_input input = cann_pmu_input(part);
        input.both_fops = cann_version_has(options->cann_version, NAMING_FOPS);
        device->device_id = part->device_id != DB_NULL ? part->device_id : 0;
        device->part = part;
        pmu_columns_init(&device->pmu, &input);
        status = unite_metrics(summary, device, options->columns, err);
    }
    return status;
}

/* Says that counters are shown as they are which the user did not choose as such. group: of the plan. */
static void note_raw_counters(const struct report_run *run, const struct pmu_plan *plan, const char *group)
{
    if (plan->extra)
        run->session->result->note = "op_summary: counters of no metric of their group: each is shown as it was "
                                     "counted, in a column named r and the event's number";
    else if (plan->raw && group[0] != '\0' && strncmp(group, PMU_CUSTOM, sizeof PMU_CUSTOM - 1) != 0)
        run->session->result->note = "op_summary: unknown group of counters: each counter is shown as it was "
                                     "counted, in a column named r and the event's number";
}

static int open_summary(struct report_run *run, struct err *err)
{
    struct op_summary *summary = run->state;
    const struct cann_parts *parts = report_parts(run->session, err);
    summary->communications = report_launched_communications(run->session, err);
    summary->clocks = report_clocks(run->session, err);
    if (parts == NULL || summary->communications == NULL || summary->clocks == NULL)
        return err_status(err);
    bool failed = prepare_devices(summary, parts, run->session->options, err) < 0 ||
                  cann_frequencies_load(run->session->db, &summary->frequencies, err) < 0;
    for (size_t i = 0; !failed && i < summary->device_count; i++) {
        const struct device_columns *device = &summary->devices[i];
        note_raw_counters(run, &device->pmu.aic, device->part->metrics);
        note_raw_counters(run, &device->pmu.aiv, device->part->aiv_metrics);
    }
    for (size_t i = 0; !failed && i < summary->metric_count; i++) {
        const struct report_column metric = {summary->metrics[i], .form = FORM_SCALED,
                                             .flags = REPORT_NUMBER | REPORT_NO_TERMINAL};
        failed = report_plan_add(&run->plan, &metric, err) < 0;
    }
    return failed ? err_status(err) : 0;
}

static void close_summary(struct report_run *run)
{
    struct op_summary *summary = run->state;
    cann_frequencies_release(&summary->frequencies);
    free(summary->devices);
}

/* ---- rows ---- */

/* Whether any metric is shown, filtered or sorted by. */
static bool needs_metrics(const struct report_run *run)
{
    const struct op_summary *summary = run->state;
    bool needs = false;
    for (size_t i = 0; i < summary->metric_count; i++)
        needs |= report_needs(run, METRICS + i);
    return needs;
}

static bool needs_column(const struct report_run *run, size_t column)
{
    return column < AIC || column >= COUNTERS_END || needs_metrics(run);
}

/* The row before, of an operator or of communication. */
struct last_row {
    int64_t device_id, end_ns; /* DB_NULL: there is none */
    bool metrics;              /* are needed */
};

static void keep_row(struct last_row *last, const struct report_value *values)
{
    last->device_id = values[DEVICE].integer;
    last->end_ns = number_add(values[START].integer, values[DURATION].integer);
}

static int begin_range(struct report_worker *worker, const struct report_value *previous, struct err *err)
{
    struct last_row *last = worker->state;
    (void)err;
    *last = (struct last_row){DB_NULL, DB_NULL, needs_metrics(worker->run)};
    if (previous != NULL)
        keep_row(last, previous);
    return 0;
}

/* Both by the ticks of the device's clock; the row itself is kept as it is. */
static void set_lengths(struct report_worker *worker, struct report_value *values)
{
    const struct op_summary *summary = worker->run->state;
    struct last_row *last = worker->state;
    const int64_t start_ns = values[START].integer, hz = cann_clock_hz(summary->clocks, values[DEVICE].integer);
    bool waited = last->device_id == values[DEVICE].integer && last->end_ns != DB_NULL && start_ns > last->end_ns;
    values[WAIT] = value_integer(waited ? ticks_span_ns(hz, last->end_ns, number_subtract(start_ns, last->end_ns)) : 0);
    keep_row(last, values);
    if (values[DURATION].kind != VALUE_MISSING)
        values[DURATION].integer = ticks_span_ns(hz, start_ns, values[DURATION].integer);
}

static const struct device_columns *columns_of_device(const struct op_summary *summary, int64_t device_id)
{
    for (size_t i = 0; i < summary->device_count; i++) {
        if (summary->devices[i].device_id == device_id)
            return &summary->devices[i];
    }
    return NULL;
}

static int64_t known(const struct report_value *value)
{
    return value->kind != VALUE_MISSING ? value->integer : 0;
}

/* Takes what a core counted, if anything. *ret_ns: how long it counted; 0: not measured. */
static void take_counters(const int64_t *raw, bool *ret_has, int64_t *ret_total, int64_t *counters, int64_t *ret_ns)
{
    *ret_has = raw[0] != DB_NULL;
    if (!*ret_has)
        return;
    *ret_total = raw[0];
    for (size_t i = 0; i < CANN_COUNTERS; i++)
        counters[i] = raw[1 + i] != DB_NULL ? raw[1 + i] : 0;
    *ret_ns = raw[1 + CANN_COUNTERS] != DB_NULL ? raw[1 + CANN_COUNTERS] : 0;
}

static int64_t integer_or_null(const struct report_value *value)
{
    return value->kind != VALUE_MISSING ? value->integer : DB_NULL;
}

/* loose: of a mixed kernel the counters of the other core's blocks are left out. */
static void set_metrics(const struct report_worker *worker, bool loose, struct report_value *values)
{
    const struct op_summary *summary = worker->run->state;
    const int64_t *raw = worker->raw;
    const struct device_columns *device = columns_of_device(summary, values[DEVICE].integer);
    struct pmu_value metrics[2 * PMU_MAX_COLUMNS + 1];
    struct pmu_task task = {.has_aic = false};
    take_counters(raw, &task.has_aic, &task.aic_total_cycle, task.aic_counters, &task.aic_time_ns);
    take_counters(raw + AIV - AIC, &task.has_aiv, &task.aiv_total_cycle, task.aiv_counters, &task.aiv_time_ns);
    const int64_t core = integer_or_null(&values[CORE]);
    task.has_aic = task.has_aic && (!loose || core == TASK_MIX_AIC);
    task.has_aiv = task.has_aiv && (!loose || core == TASK_MIX_AIV);
    bool counted = device != NULL && (task.has_aic || task.has_aiv);
    if (counted) {
        task.block_num = known(&values[BLOCKS]);
        task.mix_block_num = known(&values[MIX_BLOCKS]);
        task.began_on_aiv = core == TASK_MIX_AIV;
        task.duration_ns = values[DURATION].integer;
        task.tick_hz = device->part->device_hz != DB_NULL ? device->part->device_hz : 0;
        if (cann_measures_frequency(device->part))
            task.time_hz = cann_frequency_hz(&summary->frequencies, values[DEVICE].integer,
                                             ((const struct last_row *)worker->state)->end_ns);
        pmu_columns_values(&device->pmu, &task, metrics);
    }
    for (size_t i = 0; i < summary->metric_count; i++) {
        size_t metric = counted ? device->metric[i] : NOT_THERE;
        values[METRICS + i] =
            metric != NOT_THERE ? value_scaled(metrics[metric].value, metrics[metric].decimals) : value_none();
    }
}

static int take_task(struct report_worker *worker, struct report_value *values, struct err *err)
{
    (void)err;
    const bool named_alone = values[TYPE].kind == VALUE_MISSING; /* collected at level 0 */
    const bool loose = cann_has_loose_blocks(integer_or_null(&values[CORE]), integer_or_null(&values[STATE]),
                                             integer_or_null(&values[MIX_BLOCKS]));
    if (values[MODEL].kind == VALUE_MISSING)
        values[MODEL] = value_integer(CANN_NO_ID);
    if (values[STATE].kind != VALUE_MISSING && values[STATE].integer != 0 && values[STATE].integer != 1)
        values[STATE] = value_none();
    if (named_alone)
        values[TASK_TYPE] = value_none();
    else if (values[TASK_TYPE].kind == VALUE_MISSING)
        values[TASK_TYPE] = value_integer(-1);
    values[BLOCKS] = value_integer(known(&values[BLOCKS]));
    values[MIX_BLOCKS] = value_integer(known(&values[MIX_BLOCKS]));
    if (values[HF32].kind != VALUE_MISSING)
        values[HF32] = value_integer(values[HF32].integer != 0);
    set_lengths(worker, values);
    if (((const struct last_row *)worker->state)->metrics)
        set_metrics(worker, loose, values);
    return 0;
}

/* ---- communication ---- */

static size_t count_communications(const struct report_run *run)
{
    const struct op_summary *summary = run->state;
    return summary->communications->count;
}

static bool communication_before(const struct report_run *run, size_t i, const struct report_value *values)
{
    const struct op_summary *summary = run->state;
    return cann_stands_before(&summary->communications->items[i], values[DEVICE].integer, values[START].integer);
}

static int take_communication(struct report_worker *worker, size_t i, struct report_value *values, struct err *err)
{
    const struct op_summary *summary = worker->run->state;
    const struct cann_communication *communication = &summary->communications->items[i];
    (void)err;
    for (size_t k = 0; k < worker->run->plan.column_count; k++)
        values[k] = value_none();
    values[DEVICE] = value_integer(communication->device_id);
    values[MODEL] = value_integer(communication->model_id);
    values[NAME] = value_integer(communication->name_id);
    values[TYPE] = value_integer(communication->type_id);
    values[TASK_TYPE] = value_text(cann_version_communication(worker->run->session->options->cann_version));
    values[START] = value_integer(communication->start_ns);
    values[DURATION] = value_integer(communication->duration_ns);
    values[BLOCKS] = value_integer(0);
    set_lengths(worker, values);
    return 0;
}

static const struct report_scan scan = {
    .table = "device_task",
    .where = CANN_IS_OPERATOR,
    .worker_size = sizeof(struct last_row),
    .needs = needs_column,
    .begin = begin_range,
    .row = take_task,
    .between_count = count_communications,
    .between_before = communication_before,
    .between = take_communication,
};

const struct report report_op_summary = {
    .name = "op_summary",
    .title = "Operators",
    .doc = "Every operator that ran on a device, of tasks and of communication, by device and start; with the metrics "
           "that the profiled counters make.",
    .families = FAMILY_CANN,
    .columns = columns,
    .state_size = sizeof(struct op_summary),
    .open = open_summary,
    .close = close_summary,
    .scan = &scan,
};

/* op_summary: every execution of an operator with its counters, as Ascend's tool of 2022 has it. */
#define WITH_TENSORS                                                                                                   \
    "EXISTS (SELECT 1 FROM device_task t JOIN tensor_set x ON x.id = t.tensor_set_id"                                  \
    " WHERE x.input_shapes IS NOT NULL OR x.output_shapes IS NOT NULL)"
#define TENSOR_TEXT(title, number, what)                                                                               \
    {                                                                                                                  \
        title, SHOWN(tensors_id), FORM_TENSORS, number, .when = WITH_TENSORS, .flags = REPORT_NO_TERMINAL, .doc = what \
    }

struct shown {
    int64_t model_id, task_id, stream_id, name_id, type_id, block_num, tensors_id;
    const char *task_type;
    struct report_value start, duration, wait, metrics[PMU_MAX_COLUMNS];
};

static const struct report_column columns_2022[] = {
    {"Model ID", SHOWN(model_id), .flags = REPORT_NUMBER | REPORT_NO_TERMINAL, .doc = "The model; 4294967295: none."},
    {"Task ID", SHOWN(task_id), .flags = REPORT_NUMBER, .doc = "The task that it was, by its number in the stream."},
    {"Stream ID", SHOWN(stream_id), .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "The stream."},
    {"Op Name", SHOWN(name_id), FORM_NAME, .doc = "The operator."},
    {"OP Type", SHOWN(type_id), FORM_NAME, .flags = REPORT_NARROW, .doc = "Its type."},
    {"Task Type", SHOWN(task_type), .flags = REPORT_NARROW, .doc = "The core it ran on."},
    {"Task Start Time", SHOWN(start), .flags = REPORT_NUMBER, .doc = "Start, in ns."},
    {"Task Duration(us)", SHOWN(duration), .flags = REPORT_NUMBER, .doc = "Its duration."},
    {"Task Wait Time(us)", SHOWN(wait), .flags = REPORT_NUMBER | REPORT_NARROW,
     .doc = "Time since the end of the previous task of any kind."},
    {"Block Dim", SHOWN(block_num), .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "Number of blocks."},
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
    struct spool *spans;
    double last_end; /* of the task before; NAN: there is none */
    bool metrics;    /* are needed */
    struct query_window window;
};

static int open_summary_2022(struct report_run *run, struct err *err)
{
    struct summary *summary = run->state;
    summary->last_end = NAN;
    run->session->quoted_shapes = true; /* as the tool wrote them */
    bool failed = query_window_read(run->session->db, &summary->window, err) < 0 ||
                  device_2022_of(&summary->device, run, err) < 0 ||
                  counters_2022_init(&summary->counters, &summary->device, err) < 0;
    if (!failed && summary->counters.plan.count > 0)
        note_raw_counters(run, &summary->counters.plan, summary->device.part->metrics);
    for (size_t i = 0; !failed && i < summary->counters.plan.count; i++) {
        const struct report_column column = {summary->counters.plan.columns[i].title, SHOWN(metrics[i]),
                                             .flags = REPORT_NUMBER | REPORT_NO_TERMINAL};
        failed = report_plan_add(&run->plan, &column, err) < 0;
    }
    return failed ? err_status(err) : 0;
}

static void set_metrics_2022(const struct summary *summary, const struct cann_task *task, struct report_value *values)
{
    const bool counted = task_2022_counted(task);
    struct pmu_value metrics[PMU_MAX_COLUMNS];
    if (counted)
        task_2022_values(&summary->counters, task, metrics);
    for (size_t i = 0; i < summary->counters.plan.count; i++) {
        if (!counted)
            values[i] = value_none();
        else if (metrics[i].value == DB_NULL) /* what could not be divided is empty */
            values[i] = value_text("");
        else
            values[i] = value_scaled(metrics[i].value, metrics[i].decimals);
    }
}

static int put_operator(struct report_run *run, const struct cann_task *operator_, const struct span_2022 *span,
                        struct err *err)
{
    const struct summary *summary = run->state;
    double wait = isnan(summary->last_end) ? 0 : trunc(span->start) - summary->last_end;
    struct shown row = {
        .model_id = operator_->model_id != DB_NULL ? operator_->model_id : NO_MODEL_2022,
        .task_id = operator_->task_id,
        .stream_id = operator_->stream_id,
        .name_id = operator_->op_name_id,
        .type_id = operator_->op_type_id,
        .block_num = operator_->block_num,
        .tensors_id = operator_->tensor_set_id,
        .task_type = task_2022_type(&summary->device, operator_),
        .start = nanoseconds_2022(span->start),
        .duration = microseconds_2022(span->end - span->start),
        .wait = microseconds_2022(wait > 0 ? wait : 0),
    };
    if (summary->metrics)
        set_metrics_2022(summary, operator_, row.metrics);
    return report_put(run, &row, err);
}

static int put_execution(void *arg, const struct cann_task *execution, struct err *err)
{
    struct report_run *run = arg;
    struct summary *summary = run->state;
    struct span_2022 span;
    if (span_2022_next(&span, summary->spans, &summary->device, execution, err) < 0)
        return err_status(err);
    const bool chosen = execution->op_name_id != DB_NULL &&
                        query_window_has(&summary->window, execution->device_id, execution->start_ns);
    int status = chosen ? put_operator(run, execution, &span, err) : 0;
    summary->last_end = span.end;
    return status;
}

static int put_rows(struct report_run *run, struct err *err)
{
    enum { METRICS_2022 = sizeof columns_2022 / sizeof *columns_2022 - 1 };
    struct summary *summary = run->state;
    for (size_t i = 0; i < summary->counters.plan.count; i++)
        summary->metrics |= report_needs(run, METRICS_2022 + i);
    if (device_2022_spans(&summary->spans, run, err) < 0)
        return err_status(err);
    return execution_each(run->session->db, &summary->device.range.ticks,
                          summary->metrics ? CANN_TICKS_COUNTED : CANN_TICKS, put_execution, run, err);
}

const struct report report_op_summary_2022 = {
    .name = "op_summary",
    .title = "Operators",
    .doc = "Every operator of a device in an iteration, by start, with its counters.",
    .families = FAMILY_2022,
    .of_device = true,
    .windowed = true,
    .columns = columns_2022,
    .state_size = sizeof(struct summary),
    .open = open_summary_2022,
    .rows = put_rows,
};
