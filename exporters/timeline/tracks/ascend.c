/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of devices, by stream, and where the arrows from the host's calls end. */
#include "base/number.h"
#include "exporters/cann_report.h"
#include "exporters/timeline/track.h"
#include "parsers/record.h"

static int begin(struct track_run *run, void *lanes, struct err *err)
{
    ((struct trace_lanes *)lanes)->next = &run->next_hardware_thread;
    for (size_t i = 0; i < run->parts.count; i++) {
        const struct cann_part *part = &run->parts.parts[i];
        int64_t pid;
        if (!part->is_host && track_process(run, LAYER_HARDWARE, part->device_id != DB_NULL ? part->device_id : 0,
                                            "Ascend Hardware", &pid, err) < 0)
            return err_status(err);
    }
    return 0;
}

/* ---- events ---- */

/* Whether the host's text says the type of a task: of one that is no operator, or one that no record describes. */
static bool is_told_by_host(const struct cann_task *task)
{
    return (task->op_name_id == DB_NULL || task->op_type_id == DB_NULL) && task->host_type_id != DB_NULL;
}

/* The type of other tasks: what the operator was compiled for, or what the device ran. */
static const char *type_of(const struct track_run *run, const struct cann_task *task)
{
    return task->op_name_id != DB_NULL ? cann_core_type(run->run->options->cann_version, task->op_task_type)
                                       : cann_device_type(task->type, task->context_id != DB_NULL);
}

static void set_name(struct event *event, const struct track_run *run, const struct cann_task *task)
{
    if (task->op_name_id != DB_NULL)
        event_cann_name(event, "", slice_name(&run->operators, &run->names, task->op_name_id));
    else if (is_told_by_host(task))
        event_cann_name(event, "", cann_text(&run->names, task->host_type_id, 0));
    else
        event_name_word(event, type_of(run, task));
}

static void add_copy(struct event *event, const struct track_run *run, const struct cann_task *task)
{
    const int64_t ns = ticks_span_ns(cann_clock_hz(&run->clocks, task->device_id), task->start_ns, task->duration_ns);
    event_integer(event, "size(B)", task->copy_bytes);
    event_decimals(event, "bandwidth(GB/s)", /* bytes a nanosecond */
                   number_ratio(task->copy_bytes, ns, 3), 3);
    event_word(event, "operation", cann_copy_direction(task->copy_direction));
}

static void add_arguments(struct event *event, const struct track_run *run, const struct cann_task *task,
                          int64_t connection)
{
    event_integer(event, "Model Id", task->model_id != DB_NULL ? task->model_id : CANN_NO_ID);
    if (is_told_by_host(task))
        event_cann(event, "Task Type", cann_text(&run->names, task->host_type_id, 0));
    else
        event_word(event, "Task Type", type_of(run, task));
    event_integer(event, "Physic Stream Id", task->stream_id);
    event_integer(event, "Task Id", task->task_id);
    event_integer(event, "Batch Id", task->batch_id);
    event_integer(event, "Subtask Id", task->context_id != DB_NULL ? task->context_id : CANN_NO_ID);
    if (connection != DB_NULL)
        event_integer(event, "connection_id", connection);
    if (task->grid_dim_id != DB_NULL) {
        event_cann(event, "Grid Dim", cann_text(&run->names, task->grid_dim_id, 0));
        event_cann(event, "Block Dim", cann_text(&run->names, task->block_dim_id, 0));
    }
    if (task->copy_bytes != DB_NULL)
        add_copy(event, run, task);
    slice_operator(event, &run->operators, &run->names, task);
}

/* What ends at a task. */
static int draw_arrows(struct track_worker *worker, struct event *event, const struct cann_task *task,
                       const struct trace_slice *slice, const struct trace_launch *launch, struct err *err)
{
    const struct track_run *run = worker->run;
    const int64_t connection = track_connection(run, task->connection_id);
    for (const char *phase = launch != NULL ? "sf" : ""; *phase != '\0'; phase++) {
        trace_guest_arrow(event, run->guest, *phase, launch, slice, TRACE_ROW_TASK, task->id);
        if (track_put(worker, event, err) < 0)
            return err_status(err);
    }
    if (connection == DB_NULL || !track_shows_launch(run, task->connection_id))
        return 0;
    event_flow(event, &run->trace.style, &host_to_device, 'f', connection, slice->pid, slice->tid, slice->start_ns);
    return track_put(worker, event, err);
}

static int draw_task(void *arg, const struct cann_task *task, struct err *err)
{
    struct track_worker *worker = arg;
    const struct track_run *run = worker->run;
    if (!trace_guest_shows(run->guest, task->start_ns) || cann_stands_elsewhere(task))
        return 0;
    struct trace_launch launch;
    struct event event;
    const bool launched = task->op_name_id != DB_NULL && trace_guest_knows(run->guest, task->connection_id, &launch);
    struct trace_slice slice = {
        .pid = track_pid(run, LAYER_HARDWARE, task->device_id),
        .tid = task->stream_id,
        .start_ns = task->start_ns,
        .duration_ns = task->duration_ns,
        .exact_ns = ticks_span_ns(cann_clock_hz(&run->clocks, task->device_id), task->start_ns, task->duration_ns)};
    track_place_row(worker, task->id, &slice);
    event_slice(&event, &slice);
    set_name(&event, run, task);
    add_arguments(&event, run, task, track_connection(run, task->connection_id));
    if (launched)
        trace_guest_argument(&event, run->guest, &launch);
    worker->drawn++;
    return track_put(worker, &event, err) < 0
               ? err_status(err)
               : draw_arrows(worker, &event, task, &slice, launched ? &launch : NULL, err);
}

const struct track track_ascend = {
    .name = "ascend",
    .process = "Ascend Hardware",
    .doc = "Tasks of devices, by stream.",
    .number = LAYER_HARDWARE,
    .rows = TRACK_TASKS,
    .state_size = sizeof(struct trace_lanes),
    .word = "Stream ",
    .first_free = track_first_free_stream,
    .begin = begin,
    .draw_task = draw_task,
};
