#include "exporters/svp_summary.h"

#include "base/interrupt.h"
#include "exporters/report_name.h"
#include "exporters/summary.h"
#include "exporters/svp_walk.h"

#include <inttypes.h>

#define ITERATION 1 /* the iter_id in file names: the vendor's tool never writes another */

struct svp_summary {
    const struct export_options *options;
    struct export_result *result;
    uint64_t tasks_done, tasks_total; /* for the progress */
    struct strbuf name;               /* of the file to be opened next */
    /* op_summary */
    struct column_titles summary_titles;
    struct summary_file summary;
    struct strbuf summary_name; /* of the open file */
    struct svp_layer_lists lists;
    const struct svp_walk_stop *stop; /* the inference under way */
    /* op_statistic */
    struct column_titles statistic_titles;
    /* acl_statistic */
    struct column_titles acl_titles;
    struct summary_file acl;
    int64_t acl_device_id, acl_model_id;
};

static int check_name(const struct strbuf *name, struct err *err)
{
    return name->failed ? err_set(err, ERR_NO_MEMORY, "no room for the name of a report file") : 0;
}

/* ---- op_summary ---- */

/* op_summary_{device}.{model}.{model_id}.{batch}.{input}.{picture}.{icache_miss_rate}.{frequency}.csv into state->name.
 */
static int name_summary(struct svp_summary *state, const struct svp_inference *inference, struct err *err)
{
    struct strbuf tail;
    int64_t miss = svp_icache_miss_millionths(inference);
    const int64_t numbers[] = {inference->model_id, inference->batch_num, inference->input_pic_num,
                               inference->current_pic_count};
    strbuf_init(&tail, REPORT_NAME_MAX);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        strbuf_addc(&tail, '.');
        report_name_number(&tail, numbers[i]);
    }
    strbuf_addf(&tail, ".%" PRId64 ".%06" PRId64 ".%" PRId64 "%s", miss / 1000000, miss % 1000000,
                svp_frequency_mhz(inference->core_khz), table_suffix(state->options->format));

    struct strbuf *name = &state->name;
    strbuf_clear(name);
    strbuf_adds(name, "op_summary_");
    report_name_number(name, inference->device_id);
    strbuf_addc(name, '.');
    report_name_model(name, inference->model, tail.length);
    strbuf_add(name, tail.data, tail.length);
    name->failed = name->failed || tail.failed;
    strbuf_release(&tail);
    return check_name(name, err);
}

static int write_task(void *arg, const struct svp_task *task, struct err *err)
{
    struct svp_summary *state = arg;
    const struct svp_walk_stop *stop = state->stop;
    struct table_cell cells[TABLE_MAX_COLUMNS];
    size_t first = 0, count = svp_layers_of_task(stop->layers, task->task_id, false, &first);
    if (interrupted())
        return interrupt_error(err);
    int result = svp_layer_lists_set(&state->lists, stop->layers->layers + first, count, ',', err);
    if (result < 0)
        return result;
    op_summary_cells(state->options->columns, task, &state->lists, stop->network, stop->inference->core_khz, cells);
    table_row(&state->summary.table, cells);
    return 0;
}

static int commit_summary(struct svp_summary *state, struct err *err)
{
    return state->summary.path == NULL ? 0 : summary_commit(&state->summary, err);
}

/* Opens the inference's file, unless the open one has its name already: then that one covers both. */
static int open_summary(struct svp_summary *state, const struct svp_inference *inference, struct err *err)
{
    int result = name_summary(state, inference, err);
    if (result < 0)
        return result;
    if (state->summary.path != NULL && strcmp(state->name.data, state->summary_name.data) == 0)
        return 0;
    if ((result = commit_summary(state, err)) < 0)
        return result;
    strbuf_clear(&state->summary_name);
    strbuf_add(&state->summary_name, state->name.data, state->name.length);
    if ((result = check_name(&state->summary_name, err)) < 0)
        return result;
    return summary_open(&state->summary, state->options, state->result, "op_summary", state->name.data,
                        &state->summary_titles, err);
}

static int summarize_inference(void *arg, const struct svp_walk_stop *stop, struct err *err)
{
    struct svp_summary *state = arg;
    struct table_cell cells[TABLE_MAX_COLUMNS];
    if (stop->inference->tasks == 0)
        return 0;
    int result = open_summary(state, stop->inference, err);
    if (result < 0)
        return result;
    state->stop = stop;
    op_summary_cells(state->options->columns, stop->network, NULL, stop->network, stop->inference->core_khz, cells);
    table_row(&state->summary.table, cells);
    if ((result = svp_read_tasks(stop->tasks, stop->inference->id, write_task, state, err)) < 0)
        return result;
    state->tasks_done += (uint64_t)stop->inference->tasks;
    progress_update(state->options->progress, "summary", state->tasks_done, state->tasks_total);
    return 0;
}

/* ---- op_statistic ---- */

static int write_statistic(void *arg, const struct svp_report *report, const struct svp_statistic *statistic,
                           struct err *err)
{
    struct svp_summary *state = arg;
    struct table_cell cells[TABLE_MAX_COLUMNS];
    int64_t total = svp_statistic_total(statistic);
    int result = commit_summary(state, err);
    if (result < 0 || statistic->count == 0)
        return result;
    const int64_t numbers[] = {report->device_id, report->model_id, report->current_pic_count, ITERATION};
    strbuf_clear(&state->name);
    strbuf_adds(&state->name, "op_statistic");
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        strbuf_addc(&state->name, '_');
        report_name_number(&state->name, numbers[i]);
    }
    strbuf_adds(&state->name, table_suffix(state->options->format));
    if ((result = check_name(&state->name, err)) < 0)
        return result;
    struct summary_file file;
    result = summary_open(&file, state->options, state->result, "op_statistic", state->name.data,
                          &state->statistic_titles, err);
    if (result < 0)
        return result;
    for (size_t i = 0; i < statistic->count; i++) {
        op_statistic_cells(state->options->columns, &statistic->rows[i], (int64_t)i, total, cells);
        table_row(&file.table, cells);
    }
    return summary_commit(&file, err);
}

/* ---- acl_statistic ---- */

static int open_acl(struct svp_summary *state, const struct acl_statistic *row, struct err *err)
{
    const int64_t numbers[] = {row->device_id, row->model_id, ITERATION};
    strbuf_clear(&state->name);
    strbuf_adds(&state->name, "acl_statistic");
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        strbuf_addc(&state->name, '_');
        report_name_number(&state->name, numbers[i]);
    }
    strbuf_adds(&state->name, table_suffix(state->options->format));
    int result = check_name(&state->name, err);
    if (result < 0)
        return result;
    state->acl_device_id = row->device_id;
    state->acl_model_id = row->model_id;
    return summary_open(&state->acl, state->options, state->result, "acl_statistic", state->name.data,
                        &state->acl_titles, err);
}

static int write_acl_row(void *arg, const struct acl_statistic *row, struct err *err)
{
    struct svp_summary *state = arg;
    struct table_cell cells[TABLE_MAX_COLUMNS];
    bool same =
        state->acl.path != NULL && state->acl_device_id == row->device_id && state->acl_model_id == row->model_id;
    int result = 0;
    if (interrupted())
        return interrupt_error(err);
    if (!same && state->acl.path != NULL)
        result = summary_commit(&state->acl, err);
    if (!same && result == 0)
        result = open_acl(state, row, err);
    if (result < 0)
        return result;
    acl_statistic_cells(state->options->columns, row, cells);
    table_row(&state->acl.table, cells);
    return 0;
}

/* ---- all of them ---- */

static int count_tasks(void *arg, const struct svp_model *model, struct err *err)
{
    uint64_t *total = arg;
    (void)err;
    *total += (uint64_t)model->ai_core_tasks;
    return 0;
}

static int write_operator_reports(struct svp_summary *state, sqlite3 *db, struct err *err)
{
    const struct svp_visitor visitor = {.inference = summarize_inference, .report = write_statistic, .arg = state};
    int result = svp_each_model(db, count_tasks, &state->tasks_total, err);
    if (result == 0)
        result = svp_walk(db, &visitor, err);
    summary_abort(&state->summary);
    return result;
}

static int write_acl_reports(struct svp_summary *state, sqlite3 *db, struct err *err)
{
    int result = acl_each_statistic(db, write_acl_row, state, err);
    if (result == 0 && state->acl.path != NULL)
        result = summary_commit(&state->acl, err);
    summary_abort(&state->acl);
    return result;
}

int svp_summary(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err)
{
    struct svp_summary state = {.options = options, .result = ret};
    strbuf_init(&state.name, REPORT_NAME_MAX);
    strbuf_init(&state.summary_name, REPORT_NAME_MAX);
    svp_layer_lists_init(&state.lists);
    op_summary_titles(options->columns, &state.summary_titles);
    op_statistic_titles(options->columns, &state.statistic_titles);
    acl_statistic_titles(options->columns, &state.acl_titles);

    int result = write_operator_reports(&state, db, err);
    if (result == 0)
        result = write_acl_reports(&state, db, err);

    strbuf_release(&state.name);
    strbuf_release(&state.summary_name);
    svp_layer_lists_release(&state.lists);
    return result;
}
