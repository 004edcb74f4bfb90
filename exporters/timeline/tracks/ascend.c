/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of devices, by stream, and where the arrows from the host's calls end. */
#include "base/number.h"
#include "exporters/cann_report.h"
#include "exporters/timeline/tracks/put.h"
#include "parsers/record.h"

#include <stdlib.h>

struct tasks {
    struct trace_lanes lanes;
    bool begun;
    struct placed_rows placed;
};

static int begin(struct track_run *run, void *opaque, struct err *err)
{
    struct tasks *tasks = opaque;
    int status = 0;
    trace_lanes_init(&tasks->lanes, &run->trace.style, "Stream ", track_first_free_stream, run->run->db);
    tasks->lanes.next = &run->next_hardware_thread;
    tasks->begun = true;
    for (size_t i = 0; i < run->parts.count && status == 0; i++) {
        const struct cann_part *part = &run->parts.parts[i];
        int64_t pid;
        if (!part->is_host)
            status = track_process(run, LAYER_HARDWARE, part->device_id != DB_NULL ? part->device_id : 0,
                                   "Ascend Hardware", &pid, err);
    }
    return status;
}

static int take_task(struct track_run *run, void *opaque, const struct cann_span *span, struct err *err)
{
    struct tasks *tasks = opaque;
    return placed_rows_take(&tasks->placed, &tasks->lanes, track_pid(run, LAYER_HARDWARE, span->device_id), span, err);
}

static int take_range(struct track_run *run, void *opaque, int64_t first, int64_t end, struct err *err)
{
    struct tasks *tasks = opaque;
    return placed_rows_submit(&tasks->placed, run, opaque, first, end, err);
}

static int name_threads(struct track_run *run, void *opaque, struct err *err)
{
    struct tasks *tasks = opaque;
    return trace_lanes_name(&tasks->lanes, &run->trace, NULL, NULL, err);
}

static void release(void *opaque)
{
    struct tasks *tasks = opaque;
    if (tasks->begun)
        trace_lanes_release(&tasks->lanes);
}

/* ---- workers ---- */

struct worker {
    struct track_run *run;
    struct cann_reader *reader;
    struct parallel_output *output;
    const struct track_unit *unit;
    size_t next_placed;
    uint64_t drawn; /* events of the unit */
};

static void worker_free(void *opaque)
{
    struct worker *worker = opaque;
    cann_reader_free(worker->reader);
    free(worker);
}

static void *worker_new(struct track_run *run, void *tasks, sqlite3 *db, struct err *err)
{
    struct worker *worker = calloc(1, sizeof *worker);
    (void)tasks;
    if (worker == NULL) {
        err_no_memory(err);
        return NULL;
    }
    worker->run = run;
    worker->reader = cann_reader_new(db, CANN_TASKS, err);
    if (worker->reader == NULL) {
        worker_free(worker);
        return NULL;
    }
    return worker;
}

/* ---- events ---- */

/* Whether the host's text says what a task is. */
static bool is_told_by_host(const struct cann_task *task)
{
    return task->op_name_id == DB_NULL && task->host_type_id != DB_NULL;
}

/* The type of other tasks: what the operator was compiled for, or what the device ran. */
static const char *type_of(const struct cann_task *task)
{
    return task->op_name_id != DB_NULL ? value_name_find(core_names_or_unknown, task->op_task_type)
                                       : cann_device_type(task->type);
}

static char *begin_task(char *p, const struct track_run *run, const struct cann_task *task)
{
    const struct trace_style *style = &run->trace.style;
    if (task->op_name_id != DB_NULL)
        return begin_named(p, style, "", slice_name(&run->operators, &run->names, task->op_name_id));
    return is_told_by_host(task) ? begin_named(p, style, "", cann_text(&run->names, task->host_type_id, 0))
                                 : trace_begin_named(p, style, type_of(task), "", 0);
}

static char *put_copy(char *p, const struct trace_style *style, const struct cann_task *task)
{
    p = trace_put_integer(p, style, ",\"size(B)\":", task->copy_bytes);
    p = trace_put_decimals(p, style, ",\"bandwidth(GB/s)\":", /* bytes a nanosecond */
                           number_ratio(task->copy_bytes, task->duration_ns, 3), 3);
    return trace_put_value_word(p, style, ",\"operation\":", cann_copy_direction(task->copy_direction));
}

static char *put_arguments(char *p, const struct track_run *run, const struct cann_task *task)
{
    const struct trace_style *style = &run->trace.style;
    p = trace_put_integer(p, style, "\"Model Id\":", task->model_id != DB_NULL ? task->model_id : CANN_NO_ID);
    p = is_told_by_host(task)
            ? put_text_argument(p, style, ",\"Task Type\":", cann_text(&run->names, task->host_type_id, 0))
            : trace_put_value_word(p, style, ",\"Task Type\":", type_of(task));
    p = trace_put_integer(p, style, ",\"Physic Stream Id\":", task->stream_id);
    p = trace_put_integer(p, style, ",\"Task Id\":", task->task_id);
    p = trace_put_integer(p, style, ",\"Batch Id\":", task->batch_id);
    p = trace_put_integer(p, style, ",\"Subtask Id\":", task->context_id != DB_NULL ? task->context_id : CANN_NO_ID);
    if (task->connection_id != DB_NULL)
        p = trace_put_integer(p, style, ",\"connection_id\":", task->connection_id);
    return task->copy_bytes != DB_NULL ? put_copy(p, style, task) : p;
}

static int draw_task(void *arg, const struct cann_task *task, struct err *err)
{
    struct worker *worker = arg;
    const struct track_run *run = worker->run;
    const struct trace_style *style = &run->trace.style;
    if (!trace_guest_shows(run->guest, task->start_ns))
        return 0;
    struct cann_text name = cann_text(&run->names, task->op_name_id, 0),
                     type = cann_text(&run->names, task->host_type_id, 0);
    struct trace_launch launch;
    bool launched = task->op_name_id != DB_NULL && trace_guest_knows(run->guest, task->connection_id, &launch);
    char *start = parallel_reserve(worker->output,
                                   2 * TRACE_EVENT_MAX + name.length + (size_t)2 * type.length +
                                       slice_operator_room(&run->operators, &run->names, task) +
                                       (launched ? trace_guest_room(run->guest, &launch) : 0),
                                   err);
    if (start == NULL)
        return -(int)err->code;
    struct trace_slice slice = {.pid = track_pid(run, LAYER_HARDWARE, task->device_id),
                                .tid = task->stream_id,
                                .start_ns = task->start_ns,
                                .duration_ns = task->duration_ns};
    placed_rows_find(worker->unit, &worker->next_placed, task->id, &slice);
    char *p = begin_task(start, run, task);
    p = trace_put_slice(p, style, &slice);
    p = put_arguments(p, run, task);
    p = slice_put_operator(p, style, &run->operators, &run->names, task);
    if (launched)
        p = trace_guest_put_argument(p, run->guest, &launch);
    p = trace_end_slice(p, style, &slice);
    if (launched)
        p = trace_guest_put_arrow(p, run->guest, &launch, style, &slice);
    if (task->connection_id != DB_NULL && run->shows_calls)
        p = trace_put_flow(p, style, &host_to_device, 'f', task->connection_id, slice.pid, slice.tid, slice.start_ns);
    parallel_advance(worker->output, (size_t)(p - start));
    worker->drawn++;
    return 0;
}

static int draw(void *opaque, const struct track_unit *unit, struct parallel_output *output, struct err *err)
{
    struct worker *worker = opaque;
    worker->unit = unit;
    worker->output = output;
    worker->next_placed = 0;
    worker->drawn = 0;
    int status = cann_read_tasks(worker->reader, unit->first, unit->end, draw_task, worker, err);
    atomic_fetch_add(&worker->run->drawn, worker->drawn);
    return status;
}

const struct track track_ascend = {
    .name = "ascend",
    .process = "Ascend Hardware",
    .doc = "Tasks of devices, by stream.",
    .order = LAYER_HARDWARE,
    .rows = TRACK_TASKS,
    .state_size = sizeof(struct tasks),
    .begin = begin,
    .span = take_task,
    .range = take_range,
    .name_threads = name_threads,
    .release = release,
    .worker_new = worker_new,
    .worker_free = worker_free,
    .draw = draw,
};
