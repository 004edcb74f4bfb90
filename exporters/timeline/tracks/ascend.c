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

static char *begin_task(char *p, const struct track_run *run, const struct cann_task *task)
{
    const struct trace_style *style = &run->trace.style;
    if (task->op_name_id != DB_NULL)
        return begin_named(p, style, "", slice_name(&run->operators, &run->names, task->op_name_id));
    return is_told_by_host(task) ? begin_named(p, style, "", cann_text(&run->names, task->host_type_id, 0))
                                 : trace_begin_named(p, style, type_of(run, task), "", 0);
}

static char *put_copy(char *p, const struct track_run *run, const struct cann_task *task)
{
    const struct trace_style *style = &run->trace.style;
    const int64_t ns = ticks_span_ns(cann_clock_hz(&run->clocks, task->device_id), task->start_ns, task->duration_ns);
    p = trace_put_integer(p, style, ",\"size(B)\":", task->copy_bytes);
    p = trace_put_decimals(p, style, ",\"bandwidth(GB/s)\":", /* bytes a nanosecond */
                           number_ratio(task->copy_bytes, ns, 3), 3);
    return trace_put_value_word(p, style, ",\"operation\":", cann_copy_direction(task->copy_direction));
}

static char *put_arguments(char *p, const struct track_run *run, const struct cann_task *task)
{
    const struct trace_style *style = &run->trace.style;
    const int64_t connection = track_connection(run, task->connection_id);
    p = trace_put_integer(p, style, "\"Model Id\":", task->model_id != DB_NULL ? task->model_id : CANN_NO_ID);
    p = is_told_by_host(task)
            ? put_text_argument(p, style, ",\"Task Type\":", cann_text(&run->names, task->host_type_id, 0))
            : trace_put_value_word(p, style, ",\"Task Type\":", type_of(run, task));
    p = trace_put_integer(p, style, ",\"Physic Stream Id\":", task->stream_id);
    p = trace_put_integer(p, style, ",\"Task Id\":", task->task_id);
    p = trace_put_integer(p, style, ",\"Batch Id\":", task->batch_id);
    p = trace_put_integer(p, style, ",\"Subtask Id\":", task->context_id != DB_NULL ? task->context_id : CANN_NO_ID);
    if (connection != DB_NULL)
        p = trace_put_integer(p, style, ",\"connection_id\":", connection);
    if (task->grid_dim_id != DB_NULL) {
        p = put_text_argument(p, style, ",\"Grid Dim\":", cann_text(&run->names, task->grid_dim_id, 0));
        p = put_text_argument(p, style, ",\"Block Dim\":", cann_text(&run->names, task->block_dim_id, 0));
    }
    return task->copy_bytes != DB_NULL ? put_copy(p, run, task) : p;
}

static int draw_task(void *arg, const struct cann_task *task, struct err *err)
{
    struct track_worker *worker = arg;
    const struct track_run *run = worker->run;
    const struct trace_style *style = &run->trace.style;
    if (!trace_guest_shows(run->guest, task->start_ns) || cann_stands_elsewhere(task))
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
        return err_status(err);
    struct trace_slice slice = {
        .pid = track_pid(run, LAYER_HARDWARE, task->device_id),
        .tid = task->stream_id,
        .start_ns = task->start_ns,
        .duration_ns = task->duration_ns,
        .exact_ns = ticks_span_ns(cann_clock_hz(&run->clocks, task->device_id), task->start_ns, task->duration_ns)};
    track_place_row(worker, task->id, &slice);
    char *p = begin_task(start, run, task);
    p = trace_put_slice(p, style, &slice);
    p = put_arguments(p, run, task);
    p = slice_put_operator(p, style, &run->operators, &run->names, task);
    if (launched)
        p = trace_guest_put_argument(p, run->guest, &launch);
    p = trace_end_slice(p, style, &slice);
    if (launched)
        p = trace_guest_put_arrow(p, run->guest, &launch, style, &slice, TRACE_ROW_TASK, task->id);
    const int64_t connection = track_connection(run, task->connection_id);
    if (connection != DB_NULL && track_shows_launch(run, task->connection_id))
        p = trace_put_flow(p, style, &host_to_device, 'f', connection, slice.pid, slice.tid, slice.start_ns);
    parallel_advance(worker->output, (size_t)(p - start));
    worker->drawn++;
    return 0;
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
