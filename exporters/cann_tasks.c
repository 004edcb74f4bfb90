/* Tables with a row for each task: ranges of tasks go to several threads, each with its own connection, and come back
 * in order. */
#include "exporters/cann_report.h"

#include "base/interrupt.h"

#include <stdlib.h>

#define TASKS_PER_UNIT 2048

struct unit {
    int64_t first, end; /* task ids */
};

struct run {
    const struct task_report *report;
    const struct row_format *format;
    const char *database;
    int64_t first_row; /* id of the first task of the file */
};

struct worker {
    const struct run *run;
    sqlite3 *db;
    struct cann_task_reader *reader;
    struct parallel_output *output;
    int64_t device_id, last_end_ns; /* of the operator before */
};

static void worker_free(void *opaque)
{
    struct worker *worker = opaque;
    if (worker == NULL)
        return;
    cann_task_reader_free(worker->reader);
    database_close(worker->db);
    free(worker);
}

static void *worker_new(void *arg, struct err *err)
{
    struct worker *worker = calloc(1, sizeof *worker);
    if (worker == NULL) {
        err_set(err, ERR_NO_MEMORY, "out of memory");
        return NULL;
    }
    worker->run = arg;
    if (database_open(worker->run->database, &worker->db, err) == 0)
        worker->reader = cann_task_reader_new(worker->db, worker->run->report->with_counters, err);
    if (worker->reader == NULL) {
        worker_free(worker);
        return NULL;
    }
    return worker;
}

/* Since the end of the operator before on the same device. */
static int64_t wait_of(struct worker *worker, const struct cann_task *task)
{
    int64_t wait_ns = 0;
    if (worker->device_id == task->device_id && worker->last_end_ns != DB_NULL && task->start_ns > worker->last_end_ns)
        wait_ns = task->start_ns - worker->last_end_ns;
    worker->device_id = task->device_id;
    worker->last_end_ns = task->start_ns + task->duration_ns;
    return wait_ns;
}

static int put_task(void *arg, const struct cann_task *task, struct err *err)
{
    struct worker *worker = arg;
    const struct task_report *report = worker->run->report;
    if (report->operators_only && !cann_is_operator(task))
        return 0;
    int64_t wait_ns = wait_of(worker, task);
    size_t room = row_room(worker->run->format, report->text_room(report->arg, task));
    if (room > PARALLEL_BUFFER_SIZE)
        return err_set(err, ERR_LIMIT, "a row of %zu bytes in %s; at most %d are possible", room, report->name,
                       PARALLEL_BUFFER_SIZE);
    char *start = parallel_reserve(worker->output, room, err);
    if (start == NULL)
        return -(int)err->code;
    struct row_put put = row_begin(worker->run->format, start, task->id == worker->run->first_row);
    report->put(report->arg, &put, task, wait_ns);
    parallel_advance(worker->output, (size_t)(row_end(&put) - start));
    return 0;
}

static int process(void *opaque, void *opaque_unit, struct parallel_output *output, struct err *err)
{
    struct worker *worker = opaque;
    const struct unit *unit = opaque_unit;
    int status = 0;
    worker->output = output;
    worker->device_id = DB_NULL;
    if (worker->run->report->operators_only) {
        status = cann_operator_before(worker->reader, unit->first, &worker->device_id, &worker->last_end_ns, err);
        if (status < 0)
            return status;
    }
    return cann_read_tasks(worker->reader, unit->first, unit->end, put_task, worker, err);
}

static int submit_ranges(struct parallel *parallel, int64_t first, int64_t end, struct err *err)
{
    for (int64_t id = first; id < end; id += TASKS_PER_UNIT) {
        struct unit *unit = parallel_unit(parallel, err);
        if (unit == NULL)
            return -(int)err->code;
        *unit = (struct unit){id, id + TASKS_PER_UNIT < end ? id + TASKS_PER_UNIT : end};
        parallel_submit(parallel);
    }
    return parallel_finish(parallel, err);
}

/* One file: the tasks with first <= id < end. */
static int write_file(const struct run *run, const char *path, int64_t end, uint64_t rows,
                      const struct export_options *options, struct export_result *result, struct err *err)
{
    struct outfile out;
    struct run local = *run;
    const struct parallel_work work = {
        .unit_size = sizeof(struct unit),
        .arg = &local,
        .worker_new = worker_new,
        .worker_free = worker_free,
        .process = process,
    };
    int status = outfile_open(&out, path, err);
    if (status < 0)
        return status;
    row_format_head(run->format, run->report->titles, &out);
    struct parallel *parallel = parallel_new(&work, &out, err);
    status = parallel != NULL ? submit_ranges(parallel, run->first_row, end, err) : -(int)err->code;
    parallel_free(parallel);
    if (status < 0) {
        outfile_abort(&out);
        return status;
    }
    row_format_tail(run->format, rows > 0, &out);
    return cann_report_done(&out, run->report->name, path, rows, options, result, err);
}

int task_report_write(sqlite3 *db, const struct task_report *report, const struct row_format *format,
                      const struct export_options *options, struct export_result *result, struct err *err)
{
    struct run run = {.report = report, .format = format, .database = options->database};
    int64_t last = cann_task_count(db), total = report->operators_only ? cann_operator_count(db) : last;
    int status = 0;
    int64_t end = total > 0 ? cann_row_id(db, report->operators_only, 0) : 0;
    for (int64_t done = 0, slice = 0; status == 0 && done < total; slice++) {
        int64_t rows = total - done < ROWS_PER_FILE ? total - done : ROWS_PER_FILE;
        run.first_row = end;
        end = done + rows < total ? cann_row_id(db, report->operators_only, done + rows) : last + 1;
        char *path = cann_report_path(options, report->name, total > ROWS_PER_FILE ? slice : -1,
                                      format->format == TABLE_JSON ? ".json" : ".csv", err);
        if (path == NULL)
            return -(int)err->code;
        status = write_file(&run, path, end, (uint64_t)rows, options, result, err);
        free(path);
        done += rows;
    }
    return status;
}
