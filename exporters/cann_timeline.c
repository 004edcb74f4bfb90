/* msprof_<timestamp>.json of a new CANN capture: the host's calls, the device's tasks, arrows from the launching call
 * to the task, what the device did over time. One array with an event a line; ranges of rows become events in several
 * threads and are written in order. */
#include "exporters/cann_trace.h"
#include "exporters/tx_report.h"

#include <stdlib.h>

#define ROWS_PER_UNIT 1024

enum unit_kind { UNIT_CALLS, UNIT_TASKS, UNIT_SPANS };

struct unit {
    enum unit_kind kind;
    int64_t first, end; /* row ids */
    struct overlap_span spans[ROWS_PER_UNIT];
    size_t span_count;
};

struct worker {
    struct cann_trace *trace;
    sqlite3 *db;
    struct cann_task_reader *tasks;
    struct cann_call_reader *calls, *calls_around; /* around: while calls is being read */
    struct parallel_output *output;
    struct call_window window;
    int64_t last_pid, last_tid; /* registered the last time */
};

static void worker_free(void *opaque)
{
    struct worker *worker = opaque;
    if (worker == NULL)
        return;
    cann_task_reader_free(worker->tasks);
    cann_call_reader_free(worker->calls);
    cann_call_reader_free(worker->calls_around);
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
    worker->trace = arg;
    worker->last_pid = -1;
    if (database_open(worker->trace->database, &worker->db, err) == 0) {
        worker->tasks = cann_task_reader_new(worker->db, false, err);
        worker->calls = worker->tasks != NULL ? cann_call_reader_new(worker->db, err) : NULL;
        worker->calls_around = worker->calls != NULL ? cann_call_reader_new(worker->db, err) : NULL;
    }
    if (worker->calls_around == NULL) {
        worker_free(worker);
        return NULL;
    }
    return worker;
}

static void register_thread(struct worker *worker, int64_t pid, int64_t tid)
{
    if (worker->last_pid == pid && worker->last_tid == tid)
        return;
    trace_threads_add(&worker->trace->threads, pid, tid);
    worker->last_pid = pid;
    worker->last_tid = tid;
}

/* Where the arrow to what a call launched begins: at the node-level launch around it, else at the call itself. */
static int find_launch(struct worker *worker, const struct cann_call *call, int64_t *ret_start_ns, struct err *err)
{
    struct cann_call around = *call;
    int status = 0;
    *ret_start_ns = call->start_ns;
    while (status == 0 && !is_launch(&around) && around.parent_id != DB_NULL && around.parent_id < around.id) {
        const struct cann_call *kept = call_window_find(&worker->window, around.parent_id);
        bool found = kept != NULL;
        if (found)
            around = *kept;
        else
            status = cann_get_call(worker->calls_around, around.parent_id, &around, &found, err);
        if (!found)
            break;
    }
    if (status == 0 && is_launch(&around))
        *ret_start_ns = around.start_ns;
    return status;
}

static int draw_call(void *arg, const struct cann_call *call, struct err *err)
{
    struct worker *worker = arg;
    const struct cann_trace *trace = worker->trace;
    int64_t launch_ns = 0;
    int status = call->launches > 0 ? find_launch(worker, call, &launch_ns, err) : 0;
    if (status < 0)
        return status;
    call_window_add(&worker->window, call);
    register_thread(worker, trace->cann_pid, call->thread_id);
    char *start = parallel_reserve(worker->output, trace_call_room(trace, call), err);
    if (start == NULL)
        return -(int)err->code;
    char *p = trace_put_call(start, trace, call);
    if (call->launches > 0 && trace_shows(trace, TIMELINE_TASKS))
        p = trace_put_flow(p, trace, 's', call->connection_id, trace->cann_pid, call->thread_id, launch_ns);
    parallel_advance(worker->output, (size_t)(p - start));
    return 0;
}

static int draw_task(void *arg, const struct cann_task *task, struct err *err)
{
    struct worker *worker = arg;
    const struct cann_trace *trace = worker->trace;
    int64_t pid = trace_pid(trace, LAYER_HARDWARE, task->device_id);
    register_thread(worker, pid, task->stream_id);
    char *start = parallel_reserve(worker->output, trace_task_room(trace, task), err);
    if (start == NULL)
        return -(int)err->code;
    char *p = trace_put_task(start, trace, task, pid);
    if (task->connection_id != DB_NULL && trace_shows(trace, TIMELINE_CALLS))
        p = trace_put_flow(p, trace, 'f', task->connection_id, pid, task->stream_id, task->start_ns);
    parallel_advance(worker->output, (size_t)(p - start));
    return 0;
}

static int draw_spans(struct worker *worker, const struct unit *unit, struct err *err)
{
    for (size_t i = 0; i < unit->span_count; i++) {
        char *start = parallel_reserve(worker->output, TRACE_EVENT_MAX, err);
        if (start == NULL)
            return -(int)err->code;
        parallel_advance(worker->output, (size_t)(trace_put_overlap(start, worker->trace, &unit->spans[i]) - start));
    }
    return 0;
}

static int process(void *opaque, void *opaque_unit, struct parallel_output *output, struct err *err)
{
    struct worker *worker = opaque;
    const struct unit *unit = opaque_unit;
    worker->output = output;
    if (unit->kind == UNIT_CALLS)
        return cann_read_calls(worker->calls, unit->first, unit->end, draw_call, worker, err);
    return unit->kind == UNIT_TASKS ? cann_read_tasks(worker->tasks, unit->first, unit->end, draw_task, worker, err)
                                    : draw_spans(worker, unit, err);
}

/* ---- making units ---- */

struct producer {
    struct cann_trace *trace;
    struct parallel *parallel;
    struct cann_span_reader *reader;
    struct overlap overlap;
    struct overlap_span spans[ROWS_PER_UNIT]; /* complete, not handed over yet */
    size_t span_count;
};

static int submit_rows(struct producer *producer, enum unit_kind kind, int64_t first, struct err *err)
{
    struct unit *unit = parallel_unit(producer->parallel, err);
    if (unit == NULL)
        return -(int)err->code;
    unit->kind = kind;
    unit->first = first;
    unit->end = first + ROWS_PER_UNIT;
    parallel_submit(producer->parallel);
    return 0;
}

static int submit_spans(struct producer *producer, struct err *err)
{
    struct unit *unit = producer->span_count > 0 ? parallel_unit(producer->parallel, err) : NULL;
    if (unit == NULL)
        return producer->span_count > 0 ? -(int)err->code : 0;
    unit->kind = UNIT_SPANS;
    unit->span_count = producer->span_count;
    memcpy(unit->spans, producer->spans, producer->span_count * sizeof *producer->spans);
    producer->trace->events += producer->span_count;
    producer->span_count = 0;
    parallel_submit(producer->parallel);
    return 0;
}

static int keep_span(void *arg, const struct overlap_span *span, struct err *err)
{
    struct producer *producer = arg;
    int status = producer->span_count == ROWS_PER_UNIT ? submit_spans(producer, err) : 0;
    if (status == 0)
        producer->spans[producer->span_count++] = *span;
    return status;
}

static int take_span(void *arg, const struct cann_span *span, struct err *err)
{
    struct producer *producer = arg;
    return overlap_take(&producer->overlap, span, err);
}

static int submit_calls(struct producer *producer, int64_t count, struct err *err)
{
    int status = 0;
    for (int64_t id = 1; status == 0 && id <= count; id += ROWS_PER_UNIT)
        status = submit_rows(producer, UNIT_CALLS, id, err);
    return status;
}

static int submit_tasks(struct producer *producer, int64_t count, struct err *err)
{
    int status = 0;
    overlap_init(&producer->overlap, &producer->trace->communications, keep_span, producer);
    for (int64_t id = 1; status == 0 && id <= count; id += ROWS_PER_UNIT) {
        if (trace_shows(producer->trace, TIMELINE_TASKS))
            status = submit_rows(producer, UNIT_TASKS, id, err);
        if (status == 0 && trace_shows(producer->trace, TIMELINE_OVERLAP))
            status = cann_read_spans(producer->reader, id, id + ROWS_PER_UNIT, take_span, producer, err);
    }
    if (status == 0)
        status = overlap_end(&producer->overlap, err);
    return status == 0 ? submit_spans(producer, err) : status;
}

static int write_events(sqlite3 *db, struct cann_trace *trace, struct outfile *out, struct err *err)
{
    const struct parallel_work work = {
        .unit_size = sizeof(struct unit),
        .arg = trace,
        .worker_new = worker_new,
        .worker_free = worker_free,
        .process = process,
    };
    struct producer producer = {.trace = trace, .reader = cann_span_reader_new(db, err)};
    if (producer.reader == NULL)
        return -(int)err->code;
    int64_t calls = trace_shows(trace, TIMELINE_CALLS) ? cann_call_count(db) : 0, tasks = cann_task_count(db);
    producer.parallel = parallel_new(&work, out, err);
    int status = producer.parallel != NULL ? submit_calls(&producer, calls, err) : -(int)err->code;
    if (status == 0)
        status = submit_tasks(&producer, tasks, err);
    if (status == 0)
        status = parallel_finish(producer.parallel, err);
    parallel_free(producer.parallel);
    cann_span_reader_free(producer.reader);
    trace->events += (uint64_t)calls + (trace_shows(trace, TIMELINE_TASKS) ? (uint64_t)tasks : 0);
    return status;
}

int cann_timeline(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err)
{
    struct cann_trace trace;
    struct outfile out;
    uint64_t marks = 0, steps = 0;
    int status = cann_trace_init(&trace, db, options, err);
    if (status < 0)
        return status;
    char *path = cann_report_path(options, "msprof", -1, ".json", err);
    status = path != NULL ? outfile_open(&out, path, err) : -(int)err->code;
    if (status < 0)
        goto out;
    trace_write_head(&trace, &out);
    if (trace_shows(&trace, TIMELINE_COMMUNICATION))
        status = trace_write_communication(&trace, db, &out, err);
    if (status == 0)
        status = write_events(db, &trace, &out, err);
    if (status == 0)
        status = tx_trace_write(db, &trace, &out, &marks, err);
    trace.events += marks;
    if (status == 0 && trace_shows(&trace, TIMELINE_STEPS))
        status = cann_step_trace_write(db, &trace, &out, !trace_shows(&trace, TIMELINE_TASKS), &steps, err);
    trace.events += steps;
    if (status == 0)
        trace_write_tail(&trace, &out);
    if (status == 0 && trace.events > 0)
        status = cann_report_done(&out, "msprof", path, trace.events, options, ret, err);
    else
        outfile_abort(&out);
    trace.hidden = 0; /* the other files have one layer each */
    if (status == 0)
        status = tx_timeline(db, &trace, options, ret, err);
    if (status == 0)
        status = cann_step_timeline(db, &trace, options, ret, err);
out:
    free(path);
    cann_trace_release(&trace);
    return status;
}
