/* Tables with a row for each task: ranges of tasks go to several threads, each with its own connection, and come back
 * in order. */
#include "exporters/cann_report.h"

#include "base/interrupt.h"

#include <stdlib.h>

#define TASKS_PER_UNIT 2048

struct unit {
    int64_t first, end; /* task ids */
    bool last;          /* of the file: takes the communication operators that are left */
};

/* Communication operators stand in front of the first operator that begins later, by device and start. */
struct run {
    const struct task_report *report;
    const struct row_format *format;
    const char *database;
    int64_t first_row;                             /* id of the first task of the file */
    size_t first_communication, end_communication; /* of the file, in the report's list */
};

struct worker {
    const struct run *run;
    sqlite3 *db;
    struct cann_task_reader *reader;
    struct parallel_output *output;
    struct cann_row last; /* the row before, of an operator or of communication; DB_NULL: there is none */
    size_t communication; /* the next one */
    bool first;           /* of the file */
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

/* Since the end of the row before on the same device. */
static int64_t wait_of(struct worker *worker, int64_t device_id, int64_t start_ns, int64_t duration_ns)
{
    int64_t wait_ns = 0;
    if (worker->last.device_id == device_id && worker->last.end_ns != DB_NULL && start_ns > worker->last.end_ns)
        wait_ns = start_ns - worker->last.end_ns;
    worker->last = (struct cann_row){device_id, start_ns, start_ns + duration_ns};
    return wait_ns;
}

/* Room for a row whose texts have so many bytes; NULL with err set. */
static char *reserve_row(struct worker *worker, size_t text_bytes, struct err *err)
{
    size_t room = row_room(worker->run->format, text_bytes);
    if (room > PARALLEL_BUFFER_SIZE) {
        err_set(err, ERR_LIMIT, "a row of %zu bytes in %s; at most %d are possible", room, worker->run->report->name,
                PARALLEL_BUFFER_SIZE);
        return NULL;
    }
    return parallel_reserve(worker->output, room, err);
}

static void end_row(struct worker *worker, struct row_put *put, const char *start)
{
    parallel_advance(worker->output, (size_t)(row_end(put) - start));
    worker->first = false;
}

bool cann_stands_before(const struct cann_communication *communication, int64_t device_id, int64_t start_ns)
{
    return communication->device_id < device_id ||
           (communication->device_id == device_id && communication->start_ns < start_ns);
}

/* The communication operators in front of a place. */
static int put_communications(struct worker *worker, int64_t device_id, int64_t start_ns, struct err *err)
{
    const struct task_report *report = worker->run->report;
    for (; worker->communication < worker->run->end_communication; worker->communication++) {
        const struct cann_communication *communication = &report->communications->items[worker->communication];
        if (!cann_stands_before(communication, device_id, start_ns))
            break;
        char *start = reserve_row(worker, report->communication_text_room(report->arg, communication), err);
        if (start == NULL)
            return -(int)err->code;
        struct row_put put = row_begin(worker->run->format, start, worker->first);
        int64_t wait_ns =
            wait_of(worker, communication->device_id, communication->start_ns, communication->duration_ns);
        report->put_communication(report->arg, &put, communication, wait_ns);
        end_row(worker, &put, start);
    }
    return 0;
}

static int put_task(void *arg, const struct cann_task *task, struct err *err)
{
    struct worker *worker = arg;
    const struct task_report *report = worker->run->report;
    if (report->operators_only && !cann_is_operator(task))
        return 0;
    int status = put_communications(worker, task->device_id, task->start_ns, err);
    char *start = status == 0 ? reserve_row(worker, report->text_room(report->arg, task), err) : NULL;
    if (start == NULL)
        return -(int)err->code;
    struct row_put put = row_begin(worker->run->format, start, worker->first);
    report->put(report->arg, &put, task, wait_of(worker, task->device_id, task->start_ns, task->duration_ns));
    end_row(worker, &put, start);
    return 0;
}

/* The first communication operator that does not stand in front of the row before. */
static size_t first_communication(const struct run *run, const struct cann_row *before)
{
    size_t low = run->first_communication, high = run->end_communication;
    while (before->device_id != DB_NULL && low < high) {
        size_t middle = (low + high) / 2;
        if (cann_stands_before(&run->report->communications->items[middle], before->device_id, before->start_ns))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What the rows of a unit go on from. */
static int begin_unit(struct worker *worker, const struct unit *unit, struct err *err)
{
    const struct run *run = worker->run;
    worker->first = unit->first == run->first_row;
    worker->last = (struct cann_row){DB_NULL, DB_NULL, DB_NULL};
    worker->communication = run->end_communication;
    if (!run->report->operators_only)
        return 0;
    int status = cann_operator_before(worker->reader, unit->first, &worker->last, err);
    if (status < 0 || run->report->communications == NULL)
        return status;
    worker->communication = first_communication(run, &worker->last);
    if (worker->communication == run->first_communication && worker->communication > 0) {
        /* The file before may have ended in the middle of communication operators. */
        const struct cann_communication *before = &run->report->communications->items[worker->communication - 1];
        if (worker->last.device_id == DB_NULL ||
            !cann_stands_before(before, worker->last.device_id, worker->last.start_ns))
            worker->last =
                (struct cann_row){before->device_id, before->start_ns, before->start_ns + before->duration_ns};
    }
    return 0;
}

static int process(void *opaque, void *opaque_unit, struct parallel_output *output, struct err *err)
{
    struct worker *worker = opaque;
    const struct unit *unit = opaque_unit;
    worker->output = output;
    int status = begin_unit(worker, unit, err);
    if (status == 0)
        status = cann_read_tasks(worker->reader, unit->first, unit->end, put_task, worker, err);
    return status == 0 && unit->last ? put_communications(worker, INT64_MAX, INT64_MAX, err) : status;
}

static int submit_ranges(struct parallel *parallel, int64_t first, int64_t end, struct err *err)
{
    int64_t id = first;
    do {
        struct unit *unit = parallel_unit(parallel, err);
        if (unit == NULL)
            return -(int)err->code;
        *unit = (struct unit){id, end - id > TASKS_PER_UNIT ? id + TASKS_PER_UNIT : end, end - id <= TASKS_PER_UNIT};
        parallel_submit(parallel);
        id += TASKS_PER_UNIT;
    } while (id < end);
    return parallel_finish(parallel, err);
}

/* One file: the tasks with run->first_row <= id < end. */
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

/* ---- where files begin ---- */

struct boundary {
    int64_t task;         /* the first one of the file */
    size_t communication; /* likewise */
};

/* Goes over all operators when communication stands between them. */
struct boundaries {
    const struct cann_communications *communications;
    struct boundary *items; /* of each file, and the end of the last */
    size_t count;
    size_t communication; /* the next one */
    uint64_t row;
};

static void count_row(struct boundaries *boundaries, int64_t task)
{
    if (boundaries->row % ROWS_PER_FILE == 0)
        boundaries->items[boundaries->count++] = (struct boundary){task, boundaries->communication};
    boundaries->row++;
}

static int count_task(void *arg, const struct cann_task *task, struct err *err)
{
    struct boundaries *boundaries = arg;
    (void)err;
    if (!cann_is_operator(task))
        return 0;
    while (boundaries->communication < boundaries->communications->count &&
           cann_stands_before(&boundaries->communications->items[boundaries->communication], task->device_id,
                              task->start_ns)) {
        count_row(boundaries, task->id);
        boundaries->communication++;
    }
    count_row(boundaries, task->id);
    return 0;
}

static int find_boundaries(sqlite3 *db, const struct task_report *report, uint64_t total, int64_t end,
                           struct boundaries *ret, struct err *err)
{
    int status = 0;
    struct cann_task_reader *reader = NULL;
    *ret = (struct boundaries){.communications = report->communications};
    ret->items = calloc((size_t)(total / ROWS_PER_FILE) + 2, sizeof *ret->items);
    if (ret->items == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    if (report->communications != NULL && total > ROWS_PER_FILE) {
        reader = cann_task_reader_new(db, false, err);
        status = reader != NULL ? cann_read_tasks(reader, 1, INT64_MAX, count_task, ret, err) : -(int)err->code;
        for (; status == 0 && ret->communication < report->communications->count; ret->communication++)
            count_row(ret, end);
    } else {
        for (uint64_t row = 0; row < total; row += ROWS_PER_FILE) {
            int64_t task = cann_row_id(db, report->operators_only, (int64_t)row);
            ret->items[ret->count++].task = task != 0 ? task : end; /* 0: there is only communication */
        }
    }
    ret->items[ret->count] = (struct boundary){end, report->communications != NULL ? report->communications->count : 0};
    cann_task_reader_free(reader);
    return status;
}

int task_report_write(sqlite3 *db, const struct task_report *report, const struct row_format *format,
                      const struct export_options *options, struct export_result *result, struct err *err)
{
    struct boundaries boundaries;
    int64_t end = cann_task_count(db) + 1;
    uint64_t total = (uint64_t)(report->operators_only ? cann_operator_count(db) : end - 1);
    total += report->communications != NULL ? report->communications->count : 0;
    int status = find_boundaries(db, report, total, end, &boundaries, err);
    for (size_t i = 0; status == 0 && i < boundaries.count; i++) {
        const struct run run = {
            .report = report,
            .format = format,
            .database = options->database,
            .first_row = boundaries.items[i].task,
            .first_communication = boundaries.items[i].communication,
            .end_communication = boundaries.items[i + 1].communication,
        };
        uint64_t done = (uint64_t)i * ROWS_PER_FILE, rows = total - done < ROWS_PER_FILE ? total - done : ROWS_PER_FILE;
        char *path = cann_report_path(options, report->name, total > ROWS_PER_FILE ? (int64_t)i : -1,
                                      format->format == TABLE_JSON ? ".json" : ".csv", err);
        status = path != NULL ? write_file(&run, path, boundaries.items[i + 1].task, rows, options, result, err)
                              : -(int)err->code;
        free(path);
    }
    free(boundaries.items);
    return status;
}
