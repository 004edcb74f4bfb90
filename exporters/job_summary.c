#include "exporters/job_summary.h"

#include "base/interrupt.h"
#include "exporters/report_name.h"
#include "exporters/summary_file.h"

#define SUMMARY_COLUMNS 13
#define PROGRESS_ROWS 8192

static const struct column_titles summary_titles = {
    SUMMARY_COLUMNS,
    {"Op Name", "OP Type", "Stream ID", "Task ID", "Task Start Time(us)", "Task Duration(us)", "Task Wait Time(us)",
     "Input Shapes", "Input Data Types", "Input Formats", "Output Shapes", "Output Data Types", "Output Formats"}};

const struct column_titles job_statistic_titles = {
    7, {"OP Type", "Count", "Total Time(us)", "Min Time(us)", "Avg Time(us)", "Max Time(us)", "Ratio(%)"}};

struct job_summary {
    sqlite3 *db;
    const struct export_options *options;
    struct export_result *result;
    int64_t device_id;
    uint64_t operators; /* of the device */
    struct summary_file file;
};

/* A report's file appears with its first row. */
static int open_once(struct job_summary *state, const char *report, const struct column_titles *titles, struct err *err)
{
    struct strbuf name;
    if (state->file.path != NULL)
        return 0;
    strbuf_init(&name, REPORT_NAME_MAX);
    strbuf_addf(&name, "%s_", report);
    report_name_number(&name, state->device_id);
    strbuf_adds(&name, table_suffix(state->options->format));
    int result = name.failed
                     ? err_set(err, ERR_NO_MEMORY, "no room for the name of a report file")
                     : summary_open(&state->file, state->options, state->result, report, name.data, titles, err);
    strbuf_release(&name);
    return result;
}

/* Completes the file when there is one and all went well. */
static int close_file(struct job_summary *state, int result, struct err *err)
{
    if (result == 0 && state->file.path != NULL)
        return summary_commit(&state->file, err);
    summary_abort(&state->file);
    return result;
}

void job_statistic_cells(const struct job_statistic *row, struct table_cell *cells)
{
    cells[0] = cell_text(row->type);
    cells[1] = cell_number(row->count, 0);
    cells[2] = cell_microseconds(row->total_ns);
    cells[3] = cell_microseconds(row->min_ns);
    cells[4] = cell_microseconds(number_ratio(row->total_ns, row->count, 0));
    cells[5] = cell_microseconds(row->max_ns);
    cells[6] = cell_number(number_ratio(row->total_ns, row->report_total_ns, 2 + 4), 4);
}

static int write_statistic(void *arg, const struct job_statistic *row, struct err *err)
{
    struct job_summary *state = arg;
    struct table_cell cells[TABLE_MAX_COLUMNS];
    if (interrupted())
        return interrupt_error(err);
    int result = open_once(state, "op_statistic", &job_statistic_titles, err);
    if (result < 0)
        return result;
    job_statistic_cells(row, cells);
    table_row(&state->file.table, cells);
    state->operators += (uint64_t)row->count;
    return 0;
}

static int write_task(void *arg, const struct job_task *task, struct err *err)
{
    struct job_summary *state = arg;
    const struct table_cell cells[] = {
        cell_text(task->name),
        cell_text(task->type),
        cell_number(task->stream_id, 0),
        cell_number(task->task_id, 0),
        cell_microseconds(task->start_ns),
        cell_microseconds(task->duration_ns),
        cell_microseconds(task->wait_ns),
        cell_text(task->input_shapes),
        cell_text(task->input_types),
        cell_text(task->input_formats),
        cell_text(task->output_shapes),
        cell_text(task->output_types),
        cell_text(task->output_formats),
    };
    _Static_assert(sizeof cells / sizeof cells[0] == SUMMARY_COLUMNS, "a cell for each title");
    if (interrupted())
        return interrupt_error(err);
    int result = open_once(state, "op_summary", &summary_titles, err);
    if (result < 0)
        return result;
    table_row(&state->file.table, cells);
    if (state->file.table.rows % PROGRESS_ROWS == 0)
        progress_update(state->options->progress, "summary", state->file.table.rows, state->operators);
    return 0;
}

static int write_device(void *arg, int64_t device_id, struct err *err)
{
    struct job_summary *state = arg;
    state->device_id = device_id;
    state->operators = 0;
    int result = job_each_statistic(state->db, device_id, write_statistic, state, err);
    result = close_file(state, result, err);
    if (result != 0)
        return result;
    result = job_each_task(state->db, device_id, true, write_task, state, err);
    return close_file(state, result, err);
}

int job_summary(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err)
{
    struct job_summary state = {.db = db, .options = options, .result = ret};
    return job_each_device(db, write_device, &state, err);
}
