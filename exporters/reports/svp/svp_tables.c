/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/reports/svp/svp_tables.h"

#include "base/array.h"
#include "base/number.h"
#include "base/progress.h"
#include "exporters/export.h"
#include "exporters/output_file.h"
#include "exporters/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define TEXTS_MAX (1 << 20) /* bytes that are kept for one table; there are a few tables for every worker */

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_NO_MEMORY, "out of memory for a layer table");
}

static int find_tasks(struct svp_layer_table *table, struct err *err)
{
    const struct svp_layers *layers = &table->layers;
    table->tasks = calloc(layers->count + 1, sizeof *table->tasks);
    if (table->tasks == NULL)
        return out_of_memory(err);
    for (size_t i = 0; i < layers->count; i++) {
        struct svp_task_layers task = {.task_id = layers->layers[i].task_id};
        if (i > 0 && layers->layers[i - 1].task_id == task.task_id)
            continue;
        task.count = svp_layers_of_task(layers, task.task_id, false, &task.first);
        if (task.count > 0)
            table->tasks[table->task_count++] = task;
    }
    return 0;
}

/* Layers without a type have number 1. */
static int number_types(struct svp_layer_table *table, struct err *err)
{
    const struct svp_layers *layers = &table->layers;
    SCOPED(intern_release) struct intern types = {.count = 0};
    table->types = calloc(layers->count + 1, sizeof *table->types);
    if (table->types == NULL)
        return out_of_memory(err);
    for (size_t i = 0; i < layers->count; i++) {
        const char *type = layers->layers[i].type;
        if (type != NULL && intern_text(&types, type, &table->types[i], err) < 0)
            return err_status(err);
        table->types[i] += type != NULL ? 2 : 1;
    }
    table->memos = calloc(types.count + 2, sizeof *table->memos);
    return table->memos == NULL ? out_of_memory(err) : 0;
}

int svp_layer_table_load(sqlite3 *db, const char *model, int64_t model_id, struct svp_layer_table *ret, struct err *err)
{
    *ret = (struct svp_layer_table){.task_count = 0};
    strbuf_init(&ret->texts, TEXTS_MAX);
    if (svp_layers_load(db, model, model_id, &ret->layers, err) == 0 && find_tasks(ret, err) == 0 &&
        number_types(ret, err) == 0)
        return 0;
    svp_layer_table_release(ret);
    return err_status(err);
}

void svp_layer_table_release(struct svp_layer_table *table)
{
    svp_layers_release(&table->layers);
    free(table->tasks);
    free(table->types);
    free(table->memos);
    strbuf_release(&table->texts);
    *table = (struct svp_layer_table){.tasks = NULL};
}

ARRAY_COMPARE(compare_task_id, struct svp_task_layers, ARRAY_BY(task_id))

struct svp_task_layers *svp_layer_table_find(struct svp_layer_table *table, int64_t task_id)
{
    if (table->task_count == 0)
        return NULL;
    size_t next = table->found + 1 < table->task_count ? table->found + 1 : 0;
    struct svp_task_layers *task = &table->tasks[next];
    if (task->task_id != task_id)
        task = bsearch(&(struct svp_task_layers){.task_id = task_id}, table->tasks, table->task_count,
                       sizeof *table->tasks, compare_task_id);
    if (task != NULL)
        table->found = (size_t)(task - table->tasks);
    return task;
}

void svp_layer_table_keep(struct svp_layer_table *table, struct svp_task_layers *task, const char *text, size_t length)
{
    size_t offset = table->texts.length;
    if (strbuf_add(&table->texts, text, length) < 0)
        return;
    task->text = offset;
    task->length = length;
}

int svp_layer_table_credit(struct svp_layer_table *table, const struct svp_task_layers *task,
                           struct svp_statistic *statistic, int64_t stream_id, int64_t centi_us, struct err *err)
{
    if (task == NULL)
        return svp_statistic_credit(statistic, &table->memos[0], NULL, false, stream_id, centi_us, err);
    for (size_t i = task->first; i < task->first + task->count; i++) {
        if (svp_statistic_credit(statistic, &table->memos[table->types[i]], table->layers.layers[i].type, false,
                                 stream_id, centi_us, err) < 0)
            return err_status(err);
    }
    return 0;
}

/* ---- svp layer lists ---- */

#define LIST_MAX (16 << 20) /* bytes; a layer table itself is not read beyond a few megabytes */

void svp_layer_lists_init(struct svp_layer_lists *lists)
{
    strbuf_init(&lists->ids, LIST_MAX);
    strbuf_init(&lists->names, LIST_MAX);
    strbuf_init(&lists->types, LIST_MAX);
    strbuf_init(&lists->ori_names, LIST_MAX);
    lists->layers = 0;
    lists->first_id = DB_NULL;
}

void svp_layer_lists_release(struct svp_layer_lists *lists)
{
    strbuf_release(&lists->ids);
    strbuf_release(&lists->names);
    strbuf_release(&lists->types);
    strbuf_release(&lists->ori_names);
}

static void add_text(struct strbuf *list, const char *text)
{
    strbuf_adds(list, text == NULL ? TABLE_MISSING : text);
}

static void add_id(struct strbuf *list, int64_t id)
{
    char buffer[NUMBER_MAX];
    if (id == DB_NULL)
        strbuf_adds(list, TABLE_MISSING);
    else
        strbuf_add(list, buffer, (size_t)(number_put_signed(buffer, id) - buffer));
}

/* A name's own line break would look like the end of an item. */
static void add_line(struct strbuf *list, const char *text, bool split_commas)
{
    size_t begin = list->length;
    add_text(list, text);
    for (size_t i = begin; i < list->length; i++) {
        if (list->data[i] == '\n')
            list->data[i] = '?';
        else if (list->data[i] == ',' && split_commas)
            list->data[i] = '\n';
    }
}

int svp_layer_lists_set(struct svp_layer_lists *lists, const struct svp_layer *layers, size_t count, char separator,
                        struct err *err)
{
    struct strbuf *all[] = {&lists->ids, &lists->names, &lists->types, &lists->ori_names};
    for (size_t list = 0; list < sizeof all / sizeof all[0]; list++)
        strbuf_clear(all[list]);
    lists->layers = count;
    lists->first_id = count == 0 ? DB_NULL : layers[0].layer_id;
    for (size_t i = 0; i < count; i++) {
        for (size_t list = 0; i > 0 && list < sizeof all / sizeof all[0]; list++)
            strbuf_addc(all[list], separator);
        add_id(&lists->ids, layers[i].layer_id);
        if (separator == '\n') {
            add_line(&lists->names, layers[i].name, false);
            add_line(&lists->types, layers[i].type, false);
            add_line(&lists->ori_names, layers[i].ori_name, true);
        } else {
            add_text(&lists->names, layers[i].name);
            add_text(&lists->types, layers[i].type);
            add_text(&lists->ori_names, layers[i].ori_name);
        }
    }
    for (size_t list = 0; list < sizeof all / sizeof all[0]; list++)
        if (all[list]->failed)
            return err_set(err, ERR_LIMIT, "the names of the %zu layers of one task do not fit into %d bytes", count,
                           LIST_MAX);
    return 0;
}

struct report_value svp_layer_list_value(const struct svp_layer_lists *lists, const struct strbuf *list)
{
    return lists->layers == 0 ? value_none() : value_text_of(list->data, list->length);
}

struct report_value svp_layer_ids_value(const struct svp_layer_lists *lists)
{
    return lists->layers == 1 ? value_integer(lists->first_id) : svp_layer_list_value(lists, &lists->ids);
}

/* ---- svp walk ---- */

#define CACHED_MODELS 4 /* layer tables in memory: models may alternate within a report */

struct cached_model {
    char *name; /* NULL: free */
    int64_t model_id;
    struct svp_layer_table table;
};

struct svp_walker {
    sqlite3 *db;
    struct report_run *runs; /* of the tables that are made */
    size_t run_count;
    bool counts;           /* one of them is made of the statistic */
    struct worker *worker; /* that writes their files; NULL: a table alone */
    struct svp_task_reader *tasks;
    struct svp_report_reader *reports;
    struct cached_model models[CACHED_MODELS];
    size_t next_model; /* the entry to be replaced */
    struct svp_statistic statistic;
    const struct svp_report *report;
    bool credited; /* the tasks of the inference under way to the statistic, or it is not wanted */
};

#define WALK_GIVEN_UP 1 /* the result where another worker has failed */

/* The parts that all workers share. */
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

static const struct svp_table *table_of(const struct report_run *run)
{
    return run->report->visitor;
}

static int end_parts(struct worker *worker, struct err *err)
{
    int result = 0;
    for (size_t i = 0; result == 0 && i < worker->open_runs; i++)
        result = report_end_part(&worker->runs[i], err);
    return result;
}

static void forget_model(struct cached_model *model)
{
    if (model->name == NULL)
        return;
    svp_layer_table_release(&model->table);
    free(model->name);
    model->name = NULL;
}

static int find_table(struct svp_walker *walker, const char *name, int64_t model_id, struct svp_layer_table **ret,
                      struct err *err)
{
    for (size_t i = 0; i < CACHED_MODELS; i++) {
        struct cached_model *model = &walker->models[i];
        if (model->name != NULL && model->model_id == model_id && strcmp(model->name, name) == 0) {
            *ret = &model->table;
            return 0;
        }
    }
    struct cached_model *model = &walker->models[walker->next_model];
    forget_model(model);
    char *copy = strdup(name);
    if (copy == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for a layer table");
    if (svp_layer_table_load(walker->db, name, model_id, &model->table, err) < 0) {
        free(copy);
        return err_status(err);
    }
    model->name = copy;
    model->model_id = model_id;
    walker->next_model = (walker->next_model + 1) % CACHED_MODELS;
    *ret = &model->table;
    return 0;
}

struct task_visit {
    const struct svp_walk_stop *stop;
    int (*each)(void *arg, const struct svp_task *task, struct svp_task_layers *layers, struct err *err);
    void *arg;
    bool credits; /* to the statistic */
};

static int visit_task(void *arg, const struct svp_task *task, struct err *err)
{
    const struct task_visit *visit = arg;
    struct svp_layer_table *table = visit->stop->table;
    struct svp_task_layers *layers = svp_layer_table_find(table, task->task_id);
    int result = visit->each != NULL ? visit->each(visit->arg, task, layers, err) : 0;
    if (result != 0 || !visit->credits)
        return result;
    return svp_layer_table_credit(table, layers, &visit->stop->walker->statistic, task->stream_id,
                                  svp_time_centi_us(task->total_cycle, visit->stop->inference->core_khz), err);
}

int svp_walk_tasks(const struct svp_walk_stop *stop,
                   int (*each)(void *arg, const struct svp_task *task, struct svp_task_layers *layers, struct err *err),
                   void *arg, struct err *err)
{
    struct svp_walker *walker = stop->walker;
    struct task_visit visit = {stop, each, arg, !walker->credited};
    walker->credited = true;
    return svp_read_tasks(walker->tasks, stop->inference->id, visit_task, &visit, err);
}

static int visit_inference(void *arg, const struct svp_inference *inference, struct err *err)
{
    struct svp_walker *walker = arg;
    struct svp_task network;
    struct svp_layer_table *table;
    if (inference->tasks == 0)
        return 0;
    if (interrupted())
        return interrupt_error(err);
    int result = find_table(walker, inference->model, inference->model_id, &table, err);
    if (result < 0)
        return result;
    svp_network_of(inference, &network);
    const struct svp_walk_stop stop = {.inference = inference, .network = &network, .table = table, .walker = walker};
    walker->credited = !walker->counts;
    if (walker->worker != NULL && atomic_load_explicit(&walker->worker->job->failed, memory_order_relaxed))
        return WALK_GIVEN_UP;
    if (walker->worker != NULL) {
        tell_progress(walker->worker);
        walker->worker->tasks = inference->tasks;
    }
    for (size_t i = 0; result == 0 && i < walker->run_count; i++) {
        if (table_of(&walker->runs[i])->inference != NULL)
            result = table_of(&walker->runs[i])->inference(&walker->runs[i], &stop, err);
    }
    if (result != 0)
        return result;
    return walker->credited ? 0 : svp_walk_tasks(&stop, NULL, NULL, err);
}

static int visit_ai_cpu_task(void *arg, const char *model, const struct svp_ai_cpu_task *task, struct err *err)
{
    struct svp_walker *walker = arg;
    struct svp_layer_table *table;
    int result = find_table(walker, model, walker->report->model_id, &table, err);
    if (result < 0)
        return result;
    size_t first = 0, count = svp_layers_of_task(&table->layers, task->task_id, true, &first);
    int64_t centi_us = svp_ratio_known(task->duration_ns, 1000, 2);
    if (count == 0)
        return svp_statistic_credit(&walker->statistic, NULL, NULL, true, task->stream_id, centi_us, err);
    for (size_t i = first; i < first + count && result == 0; i++)
        result = svp_statistic_credit(&walker->statistic, NULL, table->layers.layers[i].type, true, task->stream_id,
                                      centi_us, err);
    return result;
}

/* Gives the rows, sorted, after the report's last inference. */
static int give_statistic(struct svp_walker *walker, const struct svp_report *report, struct err *err)
{
    struct worker *worker = walker->worker;
    int result = worker != NULL ? end_parts(worker, err) : 0;
    if (worker != NULL)
        tell_progress(worker);
    for (size_t i = 0; result == 0 && i < walker->run_count; i++) {
        if (table_of(&walker->runs[i])->report != NULL)
            result = table_of(&walker->runs[i])->report(&walker->runs[i], report, &walker->statistic, err);
    }
    return result == 0 && worker != NULL ? end_parts(worker, err) : result;
}

static int svp_walk_report(struct svp_walker *walker, const struct svp_report *report, struct err *err)
{
    walker->report = report;
    svp_statistic_clear(&walker->statistic);
    int result = svp_read_report_inferences(walker->reports, report, visit_inference, walker, err);
    if (result != 0 || !walker->counts)
        return result;
    result = svp_read_report_ai_cpu_tasks(walker->reports, report, visit_ai_cpu_task, walker, err);
    if (result != 0)
        return result;
    svp_statistic_sort(&walker->statistic);
    return give_statistic(walker, report, err);
}

static void svp_walker_free(struct svp_walker *walker)
{
    if (walker == NULL)
        return;
    for (size_t i = 0; i < CACHED_MODELS; i++)
        forget_model(&walker->models[i]);
    svp_statistic_release(&walker->statistic);
    svp_report_reader_free(walker->reports); /* NULL is fine */
    svp_task_reader_free(walker->tasks);
    free(walker);
}

static struct svp_walker *svp_walker_new(sqlite3 *db, struct report_run *runs, size_t count, struct worker *worker,
                                         struct err *err)
{
    struct svp_walker *walker = calloc(1, sizeof *walker);
    if (walker == NULL) {
        err_set(err, ERR_NO_MEMORY, "out of memory for reading the tasks");
        return NULL;
    }
    walker->db = db;
    walker->runs = runs;
    walker->run_count = count;
    walker->worker = worker;
    walker->counts = worker != NULL;
    for (size_t i = 0; i < count; i++)
        walker->counts |= table_of(&runs[i])->report != NULL;
    svp_statistic_init(&walker->statistic);
    walker->tasks = svp_task_reader_new(db, true, err);
    walker->reports = walker->tasks == NULL ? NULL : svp_report_reader_new(db, err);
    if (walker->reports != NULL)
        return walker;
    svp_walker_free(walker);
    return NULL;
}

static int walk_next_report(void *arg, const struct svp_report *report, struct err *err)
{
    return svp_walk_report(arg, report, err);
}

int svp_suffix(struct strbuf *suffix, const int64_t *numbers, size_t count, struct err *err)
{
    strbuf_clear(suffix);
    for (size_t i = 0; i < count; i++) {
        strbuf_addc(suffix, '_');
        report_name_number(suffix, numbers[i]);
    }
    return suffix->failed ? err_set(err, ERR_NO_MEMORY, "no room for the name of a report file") : 0;
}

static int put_rows(struct report_run *run, struct err *err)
{
    struct svp_walker *walker = svp_walker_new(run->session->db, run, 1, NULL, err);
    int result = walker == NULL ? err_status(err) : svp_each_report(run->session->db, walk_next_report, walker, err);
    svp_walker_free(walker);
    return result;
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

/* Closes what a failure left open, too. */
static void worker_close(void *arg)
{
    struct worker *worker = arg;
    struct err ignored = ERR_INIT;
    for (size_t i = 0; i < worker->open_runs; i++)
        report_close(&worker->runs[i], -1, &ignored);
    svp_walker_free(worker->walker);
    report_session_release(&worker->session);
    database_close(worker->db);
    free(worker->runs);
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
        worker->walker = svp_walker_new(worker->db, worker->runs, worker->open_runs, worker, err);
    return status == 0 && worker->walker == NULL ? err_status(err) : status;
}

static int worker_open(void *opaque, void *arg, struct err *err)
{
    struct job *job = arg;
    struct worker *worker = opaque;
    worker->job = job;
    worker->runs = calloc(job->count, sizeof *worker->runs);
    if (worker->runs == NULL)
        return err_no_memory(err);
    worker->options = *job->session->options;
    if (worker->options.written != NULL)
        worker->options.written = tell_written;
    worker->options.written_arg = worker;
    return open_tables(worker, err);
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
    return result < 0 ? result : 0; /* if it gave up, only the failure of the other is reported */
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
        return err_status(err);
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
                                       .worker_size = sizeof(struct worker),
                                       .worker_open = worker_open,
                                       .worker_close = worker_close,
                                       .process = write_report};
    if (svp_each_model(session->db, count_tasks, &job.tasks_total, err) < 0)
        return err_status(err);
    pthread_mutex_init(&job.mutex, NULL);
    struct parallel *parallel = parallel_new(&work, NULL, err);
    int result = parallel == NULL ? err_status(err) : svp_each_report(session->db, submit_report, parallel, err);
    if (result == 0)
        result = parallel_finish(parallel, err);
    if (result < 0)
        atomic_store(&job.failed, true);
    parallel_free(parallel);
    pthread_mutex_destroy(&job.mutex);
    return result;
}

const struct report_walk svp_tables = {.rows = put_rows, .files = write_files};
