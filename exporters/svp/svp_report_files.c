#include "exporters/svp/svp_report_files.h"

#include "db/database.h"
#include "exporters/parallel.h"
#include "exporters/report_name.h"
#include "exporters/svp/summary_file.h"
#include "exporters/svp/svp_walk.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define WALK_GIVEN_UP 1 /* a visitor's result: another worker has failed */

/* What all workers share. */
struct run {
    const struct export_options *options;
    struct column_titles summary_titles, statistic_titles;
    atomic_bool failed;
    pthread_mutex_t mutex; /* for what follows, and for the callbacks of options */
    struct export_result *result;
    uint64_t tasks_done, tasks_total;
};

/* Writes the files of one report after another. */
struct worker {
    struct run *run;
    sqlite3 *db;
    struct svp_visitor visitor;
    struct svp_walker *walker;
    struct export_options options; /* those of the run, but for `written` */
    struct export_result result;   /* of the report under way */
    struct strbuf name;            /* of the file to be opened next */
    struct summary_file summary;
    struct strbuf summary_name; /* of the open file */
    size_t identity_columns;
    struct svp_layer_lists lists;
    struct table_cell cells[TABLE_MAX_COLUMNS];
    /* the inference under way */
    const struct svp_task *network;
    int64_t core_khz;
    int64_t tasks;
};

static int check_name(const struct strbuf *name, struct err *err)
{
    return name->failed ? err_set(err, ERR_NO_MEMORY, "no room for the name of a report file") : 0;
}

/* ---- op_summary ---- */

/* op_summary_{device}.{model}.{model_id}.{batch}.{input}.{picture}.{icache_miss_rate}.{frequency}.csv into name. */
static int name_summary(struct strbuf *name, const struct svp_inference *inference, enum table_format format,
                        struct err *err)
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
                svp_frequency_mhz(inference->core_khz), table_suffix(format));

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

static int commit_summary(struct worker *worker, struct err *err)
{
    return worker->summary.path == NULL ? 0 : summary_commit(&worker->summary, err);
}

/* Opens the inference's file, unless the open one has its name already: then that one covers both. */
static int open_summary(struct worker *worker, const struct svp_inference *inference, struct err *err)
{
    int result = name_summary(&worker->name, inference, worker->options.format, err);
    if (result < 0)
        return result;
    if (worker->summary.path != NULL && strcmp(worker->name.data, worker->summary_name.data) == 0)
        return 0;
    if ((result = commit_summary(worker, err)) < 0)
        return result;
    strbuf_clear(&worker->summary_name);
    strbuf_add(&worker->summary_name, worker->name.data, worker->name.length);
    if ((result = check_name(&worker->summary_name, err)) < 0)
        return result;
    return summary_open(&worker->summary, &worker->options, &worker->result, "op_summary", worker->name.data,
                        &worker->run->summary_titles, err);
}

/* The inference under way is done. */
static void tell_progress(struct worker *worker)
{
    struct run *run = worker->run;
    pthread_mutex_lock(&run->mutex);
    run->tasks_done += (uint64_t)worker->tasks;
    progress_update(run->options->progress, "summary", run->tasks_done, run->tasks_total);
    pthread_mutex_unlock(&run->mutex);
    worker->tasks = 0;
}

static int begin_inference(void *arg, const struct svp_walk_stop *stop, struct err *err)
{
    struct worker *worker = arg;
    if (atomic_load_explicit(&worker->run->failed, memory_order_relaxed))
        return WALK_GIVEN_UP;
    tell_progress(worker);
    int result = open_summary(worker, stop->inference, err);
    if (result < 0)
        return result;
    worker->tasks = stop->inference->tasks;
    worker->network = stop->network;
    worker->core_khz = stop->inference->core_khz;
    op_summary_network(worker->options.columns, worker->network, worker->core_khz, worker->cells);
    table_row(&worker->summary.table, worker->cells);
    return 0;
}

static int render_identity(void *arg, int64_t task_id, const struct svp_layer *layers, size_t count,
                           struct strbuf *text, struct err *err)
{
    struct worker *worker = arg;
    const struct export_options *options = &worker->options;
    int result = svp_layer_lists_set(&worker->lists, layers, count, ',', err);
    if (result < 0)
        return result;
    op_summary_identity(options->columns, task_id, &worker->lists, worker->cells);
    table_render(text, options->format, worker->run->summary_titles.texts, worker->cells, worker->identity_columns);
    return 0;
}

static int write_task(void *arg, const struct svp_task *task, const char *text, size_t length, struct err *err)
{
    struct worker *worker = arg;
    const struct table_beginning identity = {.text = text, .length = length, .cells = worker->identity_columns};
    (void)err;
    op_summary_metrics(worker->options.columns, task, worker->network, worker->core_khz, worker->cells);
    table_row_after(&worker->summary.table, &identity, worker->cells);
    return 0;
}

/* ---- op_statistic ---- */

/* The end of the report: its last op_summary is complete, its op_statistic can be written. */
static int end_report(void *arg, const struct svp_report *report, const struct svp_statistic *statistic,
                      struct err *err)
{
    struct worker *worker = arg;
    int64_t total = svp_statistic_total(statistic);
    int result = commit_summary(worker, err);
    tell_progress(worker);
    if (result < 0 || statistic->count == 0)
        return result;
    const int64_t numbers[] = {report->device_id, report->model_id, report->current_pic_count, REPORT_ITERATION};
    result = summary_name(&worker->name, "op_statistic", numbers, sizeof numbers / sizeof numbers[0],
                          worker->options.format, err);
    if (result < 0)
        return result;
    struct summary_file file;
    result = summary_open(&file, &worker->options, &worker->result, "op_statistic", worker->name.data,
                          &worker->run->statistic_titles, err);
    if (result < 0)
        return result;
    for (size_t i = 0; i < statistic->count; i++) {
        op_statistic_cells(worker->options.columns, &statistic->rows[i], (int64_t)i, total, worker->cells);
        table_row(&file.table, worker->cells);
    }
    return summary_commit(&file, err);
}

/* ---- workers ---- */

static void tell_written(void *arg, const char *report, const char *path)
{
    const struct worker *worker = arg;
    struct run *run = worker->run;
    pthread_mutex_lock(&run->mutex);
    run->options->written(run->options->written_arg, report, path);
    pthread_mutex_unlock(&run->mutex);
}

static void worker_free(void *arg)
{
    struct worker *worker = arg;
    svp_walker_free(worker->walker);
    database_close(worker->db);
    strbuf_release(&worker->name);
    strbuf_release(&worker->summary_name);
    svp_layer_lists_release(&worker->lists);
    free(worker);
}

static void *worker_new(void *arg, struct err *err)
{
    struct worker *worker = calloc(1, sizeof *worker);
    if (worker == NULL) {
        err_set(err, ERR_NO_MEMORY, "out of memory for a worker");
        return NULL;
    }
    worker->run = arg;
    worker->options = *worker->run->options;
    if (worker->options.written != NULL)
        worker->options.written = tell_written;
    worker->options.written_arg = worker;
    worker->identity_columns = op_summary_identity_columns(worker->options.columns);
    worker->visitor = (struct svp_visitor){.inference = begin_inference,
                                           .describe = render_identity,
                                           .task = write_task,
                                           .report = end_report,
                                           .arg = worker};
    strbuf_init(&worker->name, REPORT_NAME_MAX);
    strbuf_init(&worker->summary_name, REPORT_NAME_MAX);
    svp_layer_lists_init(&worker->lists);
    if (database_open(worker->run->options->database, &worker->db, err) == 0)
        worker->walker = svp_walker_new(worker->db, &worker->visitor, err);
    if (worker->walker != NULL)
        return worker;
    worker_free(worker);
    return NULL;
}

static int write_report(void *arg, void *report, struct parallel_output *output, struct err *err)
{
    struct worker *worker = arg;
    struct run *run = worker->run;
    (void)output;
    int result = svp_walk_report(worker->walker, report, err);
    summary_abort(&worker->summary); /* still open after a failure only */
    if (result < 0)
        atomic_store(&run->failed, true);
    pthread_mutex_lock(&run->mutex);
    run->result->files += worker->result.files;
    run->result->rows += worker->result.rows;
    pthread_mutex_unlock(&run->mutex);
    worker->result = (struct export_result){.files = 0};
    return result < 0 ? result : 0; /* of one that gave up only the other's failure is told */
}

/* ---- all reports ---- */

static int count_tasks(void *arg, const struct svp_model *model, struct err *err)
{
    uint64_t *total = arg;
    (void)err;
    *total += (uint64_t)model->ai_core_tasks;
    return 0;
}

static int submit_report(void *arg, const struct svp_report *report, struct err *err)
{
    struct parallel *parallel = arg;
    struct svp_report *unit = parallel_unit(parallel, err);
    if (unit == NULL)
        return -(int)err->code;
    *unit = *report;
    parallel_submit(parallel);
    return 0;
}

int svp_report_files(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err)
{
    struct run run = {.options = options, .result = ret};
    const struct parallel_work work = {.unit_size = sizeof(struct svp_report),
                                       .arg = &run,
                                       .worker_new = worker_new,
                                       .worker_free = worker_free,
                                       .process = write_report};
    op_summary_titles(options->columns, &run.summary_titles);
    op_statistic_titles(options->columns, &run.statistic_titles);
    int result = svp_each_model(db, count_tasks, &run.tasks_total, err);
    if (result < 0)
        return result;
    pthread_mutex_init(&run.mutex, NULL);
    struct parallel *parallel = parallel_new(&work, NULL, err);
    result = parallel == NULL ? -(int)err->code : svp_each_report(db, submit_report, parallel, err);
    if (result == 0)
        result = parallel_finish(parallel, err);
    if (result < 0)
        atomic_store(&run.failed, true);
    parallel_free(parallel);
    pthread_mutex_destroy(&run.mutex);
    return result;
}
