/* Tasks of captures of JOB: a thread for each stream. */
#include "exporters/earlier/draw.h"

#include "db/database.h"

static int count_task(void *arg, const struct execution *task, struct err *err)
{
    struct draw_2022 *draw = arg;
    (void)err;
    if (task->stream_id < INT32_MAX / 2)
        draw_2022_count_thread(draw, task->stream_id);
    draw->run->total++;
    return 0;
}

static int draw_task(void *arg, const struct execution *task, struct err *err)
{
    struct draw_2022 *draw = arg;
    struct trace_slice slice = {.start_ns = task->start_ns, .duration_ns = task->duration_ns};
    if (task->start_ns == DB_NULL || task->duration_ns == DB_NULL || task->duration_ns < 0)
        return 0;
    int status = draw_2022_begin(draw, task->op_name, &draw->lanes, task->stream_id, &slice, err);
    if (status < 0)
        return status;
    draw_2022_task(draw, task->op_name != NULL ? "AI_CORE" : "UNKNOWN", task->stream_id, task->task_id);
    if (task->op_type != NULL)
        draw_2022_text(draw, "op_type", task->op_type);
    return draw_2022_end(draw, &slice, err);
}

int draw_job_tasks(struct draw_2022 *draw, struct err *err)
{
    const struct execution_query query = {.range = draw->device->range.ticks};
    draw_2022_begin_layer(draw, "Stream ");
    draw->lanes.in_turn = true;
    int status = execution_each(draw->run->db, &query, count_task, draw, err);
    if (status == 0)
        draw_2022_name_process(draw, 0, "Task Scheduler");
    if (status == 0)
        status = execution_each(draw->run->db, &query, draw_task, draw, err);
    return draw_2022_end_layer(draw, status, NULL, err);
}
