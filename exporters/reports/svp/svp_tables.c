/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/reports/svp/svp_tables.h"

#include "exporters/parallel.h"
#include "exporters/report_name.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define WALK_GIVEN_UP 1 /* a visitor's result: another worker has failed */

int svp_suffix(struct strbuf *suffix, const int64_t *numbers, size_t count, struct err *err)
{
    strbuf_clear(suffix);
    for (size_t i = 0; i < count; i++) {
        strbuf_addc(suffix, '_');
        report_name_number(suffix, numbers[i]);
    }
    return suffix->failed ? err_set(err, ERR_NO_MEMORY, "no room for the name of a report file") : 0;
}

/* ---- one table alone ---- */

static const struct svp_table *table_of(const struct report_run *run)
{
    return run->report->walk_visitor;
}

static int take_inference(void *arg, const struct svp_walk_stop *stop, struct err *err)
{
    struct report_run *run = arg;
    return table_of(run)->inference(run, stop, err);
}

static int take_report(void *arg, const struct svp_report *report, const struct svp_statistic *statistic,
                       struct err *err)
{
    struct report_run *run = arg;
    return table_of(run)->report(run, report, statistic, err);
}

static int put_rows(struct report_run *run, struct err *err)
{
    const struct svp_visitor visitor = {
        .inference = table_of(run)->inference != NULL ? take_inference : NULL,
        .report = table_of(run)->report != NULL ? take_report : NULL,
        .arg = run,
    };
    return svp_walk(run->session->db, &visitor, err);
}

/* ---- files of several ---- */

/* What all workers share. */
struct job {
    const struct report_session *session; /* the caller's */
    const struct report_scope *scope;
    const struct report *const *reports;
    size_t count;
    atomic_bool failed;
    pthread_mutex_t mutex; /* for what follows, and for the callbacks of options */
    uint64_t tasks_done, tasks_total;
};

/* Writes the files of one report after another. */
struct worker {
    struct job *job;
    sqlite3 *db;
    struct export_options options; /* those of the job, but for `written` */
    struct export_result result;   /* of the report under way */
    struct report_session session;
    struct report_run *runs; /* one for each table */
    size_t open_runs;
    struct svp_visitor visitor;
    struct svp_walker *walker;
    int64_t tasks; /* of the inference under way */
};

/* The inference under way is done. */
static void tell_progress(struct worker *worker)
{
    struct job *job = worker->job;
    pthread_mutex_lock(&job->mutex);
    job->tasks_done += (uint64_t)worker->tasks;
    progress_update(job->session->options->progress, "summary", job->tasks_done, job->tasks_total);
    pthread_mutex_unlock(&job->mutex);
    worker->tasks = 0;
}

static int visit_inference(void *arg, const struct svp_walk_stop *stop, struct err *err)
{
    struct worker *worker = arg;
    int result = 0;
    if (atomic_load_explicit(&worker->job->failed, memory_order_relaxed))
        return WALK_GIVEN_UP;
    tell_progress(worker);
    worker->tasks = stop->inference->tasks;
    for (size_t i = 0; result == 0 && i < worker->open_runs; i++) {
        if (table_of(&worker->runs[i])->inference != NULL)
            result = take_inference(&worker->runs[i], stop, err);
    }
    return result;
}

static int end_parts(struct worker *worker, struct err *err)
{
    int result = 0;
    for (size_t i = 0; result == 0 && i < worker->open_runs; i++)
        result = report_end_part(&worker->runs[i], err);
    return result;
}

static int visit_report(void *arg, const struct svp_report *report, const struct svp_statistic *statistic,
                        struct err *err)
{
    struct worker *worker = arg;
    int result = end_parts(worker, err);
    tell_progress(worker);
    for (size_t i = 0; result == 0 && i < worker->open_runs; i++) {
        if (table_of(&worker->runs[i])->report != NULL)
            result = take_report(&worker->runs[i], report, statistic, err);
    }
    return result == 0 ? end_parts(worker, err) : result;
}

/* ---- workers ---- */

static void tell_written(void *arg, const char *report, const char *path)
{
    const struct worker *worker = arg;
    const struct export_options *options = worker->job->session->options;
    pthread_mutex_lock(&worker->job->mutex);
    options->written(options->written_arg, report, path);
    pthread_mutex_unlock(&worker->job->mutex);
}

/* What is still open is what a failure left. */
static void worker_free(void *arg)
{
    struct worker *worker = arg;
    struct err ignored = ERR_INIT;
    for (size_t i = 0; i < worker->open_runs; i++)
        report_close(&worker->runs[i], -1, &ignored);
    svp_walker_free(worker->walker);
    report_session_release(&worker->session);
    database_close(worker->db);
    free(worker->runs);
    free(worker);
}

static int open_tables(struct worker *worker, struct err *err)
{
    const struct job *job = worker->job;
    int status = database_open(job->session->options->database, &worker->db, err);
    if (status == 0)
        status = report_session_open(&worker->session, worker->db, &worker->options, &worker->result, err);
    while (status == 0 && worker->open_runs < job->count) {
        struct report_run *run = &worker->runs[worker->open_runs];
        status = report_open(run, &worker->session, job->reports[worker->open_runs++], job->scope, err);
    }
    if (status == 0)
        worker->walker = svp_walker_new(worker->db, &worker->visitor, err);
    return status == 0 && worker->walker == NULL ? -(int)err->code : status;
}

static void *worker_new(void *arg, struct err *err)
{
    struct job *job = arg;
    struct worker *worker = calloc(1, sizeof *worker);
    struct report_run *runs = calloc(job->count, sizeof *runs);
    if (worker == NULL || runs == NULL) {
        err_set(err, ERR_NO_MEMORY, "out of memory for a worker");
        free(worker);
        free(runs);
        return NULL;
    }
    worker->job = job;
    worker->runs = runs;
    worker->options = *job->session->options;
    if (worker->options.written != NULL)
        worker->options.written = tell_written;
    worker->options.written_arg = worker;
    worker->visitor = (struct svp_visitor){.inference = visit_inference, .report = visit_report, .arg = worker};
    if (open_tables(worker, err) == 0)
        return worker;
    worker_free(worker);
    return NULL;
}

static int write_report(void *arg, void *report, struct parallel_output *output, struct err *err)
{
    struct worker *worker = arg;
    struct job *job = worker->job;
    (void)output;
    int result = svp_walk_report(worker->walker, report, err);
    if (result < 0)
        atomic_store(&job->failed, true);
    pthread_mutex_lock(&job->mutex);
    job->session->result->files += worker->result.files;
    job->session->result->rows += worker->result.rows;
    pthread_mutex_unlock(&job->mutex);
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

static int write_files(struct report_session *session, const struct report_scope *scope,
                       const struct report *const *reports, size_t count, struct err *err)
{
    struct job job = {.session = session, .scope = scope, .reports = reports, .count = count};
    const struct parallel_work work = {.unit_size = sizeof(struct svp_report),
                                       .arg = &job,
                                       .worker_new = worker_new,
                                       .worker_free = worker_free,
                                       .process = write_report};
    int result = svp_each_model(session->db, count_tasks, &job.tasks_total, err);
    if (result < 0)
        return result;
    pthread_mutex_init(&job.mutex, NULL);
    struct parallel *parallel = parallel_new(&work, NULL, err);
    result = parallel == NULL ? -(int)err->code : svp_each_report(session->db, submit_report, parallel, err);
    if (result == 0)
        result = parallel_finish(parallel, err);
    if (result < 0)
        atomic_store(&job.failed, true);
    parallel_free(parallel);
    pthread_mutex_destroy(&job.mutex);
    return result;
}

const struct report_walk svp_tables = {.rows = put_rows, .files = write_files};
