/* The tables of a new CANN capture. */
#include "exporters/cann_report.h"
#include "exporters/tx_report.h"

#include <stdlib.h>

#define FIRST_STARS_CHIP 5
#define HF32_FLAG 1

static size_t text_length(struct cann_text text)
{
    return text.length;
}

/* ---- op_summary ---- */

#define MAX_METRICS 192 /* columns of metrics of all devices together; there are not as many different ones */
#define NOT_THERE SIZE_MAX

struct op_summary {
    const struct cann_texts *names, *tensors;
    bool stars; /* a chip splits tasks: their context and the other core's blocks are columns */
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

const char *const cann_operator_titles[CANN_OPERATOR_COLUMNS] = {"Device_id",
                                                                 "Model ID",
                                                                 "Task ID",
                                                                 "Stream ID",
                                                                 "Op Name",
                                                                 "OP Type",
                                                                 "OP State",
                                                                 "Task Type",
                                                                 "Task Start Time(us)",
                                                                 "Task Duration(us)",
                                                                 "Task Wait Time(us)",
                                                                 "Block Num"};
static const char *const tensor_titles[] = {"HF32 Eligible", "Input Shapes",      "Input Data Types", "Input Formats",
                                            "Output Shapes", "Output Data Types", "Output Formats"};
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static size_t collect_titles(const struct op_summary *summary, const char *titles[ROW_MAX_COLUMNS])
{
    size_t count = 0;
    for (size_t i = 0; i < CANN_OPERATOR_COLUMNS; i++)
        titles[count++] = cann_operator_titles[i];
    if (summary->stars)
        titles[count++] = "Mix Block Num";
    for (size_t i = 0; i < COUNT_OF(tensor_titles); i++)
        titles[count++] = tensor_titles[i];
    if (summary->stars)
        titles[count++] = "Context ID";
    for (size_t i = 0; i < summary->metric_count; i++)
        titles[count++] = summary->metrics[i];
    return count;
}

static const struct device_columns *columns_of_device(const struct op_summary *summary, int64_t device_id)
{
    for (size_t i = 0; i < summary->device_count; i++) {
        if (summary->devices[i].device_id == device_id)
            return &summary->devices[i];
    }
    return NULL;
}

static void put_metrics(const struct op_summary *summary, struct row_put *put, const struct cann_task *task)
{
    struct pmu_value values[2 * PMU_MAX_COLUMNS + 1];
    const struct device_columns *device = columns_of_device(summary, task->device_id);
    bool counted = device != NULL && (task->has_aic || task->has_aiv);
    if (counted) {
        const struct pmu_task counters = cann_pmu_task(task, device->part, &summary->frequencies);
        pmu_columns_values(&device->pmu, &counters, values);
    }
    for (size_t i = 0; i < summary->metric_count; i++) {
        if (counted && device->metric[i] != NOT_THERE)
            row_decimal(put, values[device->metric[i]].value, values[device->metric[i]].decimals);
        else
            row_missing(put);
    }
}

void cann_put_operator(struct row_put *put, const struct cann_texts *names, const struct cann_task *task,
                       int64_t wait_ns)
{
    row_integer(put, task->device_id);
    row_integer(put, task->model_id != DB_NULL ? task->model_id : CANN_NO_ID);
    row_integer(put, task->task_id);
    row_integer(put, task->stream_id);
    row_text(put, cann_text(names, task->op_name_id, 0));
    row_text(put, cann_text(names, task->op_type_id, 0));
    row_word(put, task->op_state == 0 ? "static" : task->op_state == 1 ? "dynamic" : "N/A");
    row_word(put, cann_core_type(task->op_task_type));
    row_time(put, task->start_ns);
    row_decimal(put, task->duration_ns, 3);
    row_decimal(put, wait_ns, 3);
    row_integer(put, task->block_num);
}

static void put_operator(const void *arg, struct row_put *put, const struct cann_task *task, int64_t wait_ns)
{
    const struct op_summary *summary = arg;
    cann_put_operator(put, summary->names, task, wait_ns);
    if (summary->stars)
        row_integer(put, task->mix_block_num);
    row_word(put, task->op_flag != DB_NULL && (task->op_flag & HF32_FLAG) != 0 ? "YES" : "NO");
    for (size_t i = 0; i < CANN_TENSOR_COLUMNS; i++)
        row_text(put, cann_text(summary->tensors, task->tensor_set_id, i));
    if (summary->stars)
        row_integer(put, task->context_id);
    put_metrics(summary, put, task);
}

size_t cann_task_text_room(const struct cann_texts *names, const struct cann_task *task)
{
    return text_length(cann_text(names, task->op_name_id, 0)) + text_length(cann_text(names, task->op_type_id, 0)) +
           text_length(cann_text(names, task->kernel_name_id, 0)) +
           text_length(cann_text(names, task->host_type_id, 0));
}

static size_t operator_text_room(const void *arg, const struct cann_task *task)
{
    const struct op_summary *summary = arg;
    size_t room = text_length(cann_text(summary->names, task->op_name_id, 0)) +
                  text_length(cann_text(summary->names, task->op_type_id, 0));
    for (size_t i = 0; i < CANN_TENSOR_COLUMNS; i++)
        room += text_length(cann_text(summary->tensors, task->tensor_set_id, i));
    return room;
}

void cann_put_communication(struct row_put *put, const struct cann_texts *names,
                            const struct cann_communication *communication, int64_t wait_ns)
{
    row_integer(put, communication->device_id);
    row_integer(put, communication->model_id);
    row_missing(put);
    row_missing(put);
    row_text(put, cann_text(names, communication->name_id, 0));
    row_text(put, cann_text(names, communication->type_id, 0));
    row_missing(put);
    row_word(put, "COMMUNICATION");
    row_time(put, communication->start_ns);
    row_decimal(put, communication->duration_ns, 3);
    row_decimal(put, wait_ns, 3);
    row_integer(put, 0);
}

static void put_communication(const void *arg, struct row_put *put, const struct cann_communication *communication,
                              int64_t wait_ns)
{
    const struct op_summary *summary = arg;
    cann_put_communication(put, summary->names, communication, wait_ns);
    while (put->column < put->format->columns)
        row_missing(put);
}

size_t cann_communication_text_room(const struct cann_texts *names, const struct cann_communication *communication)
{
    return text_length(cann_text(names, communication->name_id, 0)) +
           text_length(cann_text(names, communication->type_id, 0));
}

static size_t communication_text_room(const void *arg, const struct cann_communication *communication)
{
    const struct op_summary *summary = arg;
    return cann_communication_text_room(summary->names, communication);
}

/* Devices of different chips, or that counted different groups, have different metrics: each title is one column. */
static int unite_metrics(struct op_summary *summary, struct device_columns *device, struct err *err)
{
    for (size_t i = 0; i < MAX_METRICS; i++)
        device->metric[i] = NOT_THERE;
    for (size_t i = 0; i < device->pmu.count; i++) {
        size_t place = 0;
        while (place < summary->metric_count && strcmp(summary->metrics[place], device->pmu.titles[i]) != 0)
            place++;
        if (place == MAX_METRICS)
            return err_set(err, ERR_LIMIT, "more than %d different metrics", MAX_METRICS);
        if (place == summary->metric_count)
            summary->metrics[summary->metric_count++] = device->pmu.titles[i];
        device->metric[place] = i;
    }
    return 0;
}

static int prepare_devices(struct op_summary *summary, const struct cann_parts *parts, struct err *err)
{
    summary->devices = calloc(parts->count + 1, sizeof *summary->devices);
    if (summary->devices == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    int status = 0;
    for (size_t i = 0; status == 0 && i < parts->count; i++) {
        const struct cann_part *part = &parts->parts[i];
        if (part->is_host)
            continue;
        struct device_columns *device = &summary->devices[summary->device_count++];
        const struct pmu_input input = cann_pmu_input(part);
        device->device_id = part->device_id != DB_NULL ? part->device_id : 0;
        device->part = part;
        pmu_columns_init(&device->pmu, &input);
        status = unite_metrics(summary, device, err);
        summary->stars |= part->chip >= FIRST_STARS_CHIP;
    }
    return status;
}

static int write_op_summary(sqlite3 *db, const struct cann_texts *names,
                            const struct cann_communications *communications, const struct export_options *options,
                            struct export_result *result, struct err *err)
{
    static const char *const marks[CANN_TENSOR_COLUMNS] = {"\"", "", "", "\"", "", ""};
    struct op_summary summary = {.names = names};
    struct cann_parts parts = {.parts = NULL};
    struct cann_texts tensors = {.items = NULL};
    struct row_format format = {.columns = 0};
    const char *titles[ROW_MAX_COLUMNS];
    int status = cann_parts_load(db, &parts, err);
    if (status == 0)
        status = prepare_devices(&summary, &parts, err);
    if (status == 0)
        status = cann_frequencies_load(db, &summary.frequencies, err);
    if (status == 0)
        status = cann_tensor_sets_load(db, &tensors, err);
    size_t columns = status == 0 ? collect_titles(&summary, titles) : 0;
    if (status == 0)
        status = row_format_init(&format, options->format, titles, columns, err);
    if (status == 0)
        status = row_format_encode(&format, &tensors, marks, err);
    summary.tensors = &tensors;
    const struct task_report report = {
        .name = "op_summary",
        .titles = titles,
        .columns = columns,
        .with_counters = true,
        .operators_only = true,
        .arg = &summary,
        .put = put_operator,
        .text_room = operator_text_room,
        .communications = communications,
        .put_communication = put_communication,
        .communication_text_room = communication_text_room,
    };
    if (status == 0)
        status = task_report_write(db, &report, &format, options, result, err);
    row_format_release(&format);
    cann_texts_release(&tensors);
    cann_parts_release(&parts);
    cann_frequencies_release(&summary.frequencies);
    free(summary.devices);
    return status;
}

/* ---- task_time ---- */

const char *const cann_task_time_titles[CANN_TASK_TIME_COLUMNS] = {"Device_id",      "kernel_name",  "kernel_type",
                                                                   "stream_id",      "task_id",      "task_time(us)",
                                                                   "task_start(us)", "task_stop(us)"};

void cann_put_task_time(struct row_put *put, const struct cann_texts *names, const struct cann_task *task)
{
    row_integer(put, task->device_id);
    row_text(put, cann_text(names, task->kernel_name_id != DB_NULL ? task->kernel_name_id : task->op_name_id, 0));
    if (task->op_name_id != DB_NULL)
        row_word(put, cann_core_type(task->op_task_type));
    else if (task->host_type_id != DB_NULL)
        row_text(put, cann_text(names, task->host_type_id, 0));
    else
        row_word(put, cann_device_type(task->type));
    row_integer(put, task->stream_id);
    row_integer(put, task->task_id);
    row_decimal(put, task->duration_ns, 3);
    row_time(put, task->start_ns);
    row_time(put, task->start_ns + task->duration_ns);
}

static void put_task_time(const void *arg, struct row_put *put, const struct cann_task *task, int64_t wait_ns)
{
    (void)wait_ns;
    cann_put_task_time(put, arg, task);
}

static size_t task_time_text_room(const void *arg, const struct cann_task *task)
{
    return cann_task_text_room(arg, task);
}

static int write_task_time(sqlite3 *db, const struct cann_texts *names, const struct export_options *options,
                           struct export_result *result, struct err *err)
{
    struct row_format format;
    const struct task_report report = {
        .name = "task_time",
        .titles = cann_task_time_titles,
        .columns = CANN_TASK_TIME_COLUMNS,
        .arg = (void *)(uintptr_t)names,
        .put = put_task_time,
        .text_room = task_time_text_room,
    };
    int status = row_format_init(&format, options->format, cann_task_time_titles, CANN_TASK_TIME_COLUMNS, err);
    if (status == 0)
        status = task_report_write(db, &report, &format, options, result, err);
    row_format_release(&format);
    return status;
}

int cann_summary(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err)
{
    struct cann_texts names;
    struct cann_communications communications = {.items = NULL};
    struct row_format format;
    static const char *const any_title[] = {""};
    int status = cann_names_load(db, &names, err);
    if (status < 0)
        return status;
    status = row_format_init(&format, options->format, any_title, 1, err);
    if (status == 0)
        status = row_format_encode(&format, &names, NULL, err);
    row_format_release(&format);
    if (status == 0)
        status = cann_communications_load(db, &communications, err);
    if (status == 0)
        status = write_op_summary(db, &names, &communications, options, ret, err);
    if (status == 0)
        status = cann_op_statistic(db, &names, options, ret, err);
    if (status == 0)
        status = cann_communication_statistic(&communications, &names, options, ret, err);
    if (status == 0)
        status = cann_api_statistic(db, &names, options, ret, err);
    if (status == 0)
        status = write_task_time(db, &names, options, ret, err);
    if (status == 0)
        status = cann_fusions(db, &names, options, ret, err);
    if (status == 0)
        status = cann_step_table(db, options, ret, err);
    if (status == 0)
        status = tx_summary(db, options, ret, err);
    cann_communications_release(&communications);
    cann_texts_release(&names);
    return status;
}
