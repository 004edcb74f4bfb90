#include "exporters/job_timeline.h"

#include "base/interrupt.h"
#include "db/database.h"
#include "db/query/query_executions.h"
#include "exporters/trace/lanes.h"

#include <stdio.h>

#define EVENTS_PER_POLL 4096
#define EVENT_NAME_MAX (1024 * 1024) /* bytes of one event's name, escaped */

struct device_timeline {
    struct timeline_run *run;
    struct trace trace;
    struct trace_lanes lanes;
    struct strbuf name;
    int64_t first_free; /* a number above all of streams */
    uint64_t tasks;
};

static int count_task(void *arg, const struct execution *task, struct err *err)
{
    struct device_timeline *device = arg;
    if (task->stream_id >= device->first_free && task->stream_id < INT32_MAX / 2)
        device->first_free = task->stream_id + 1;
    return ++device->tasks % EVENTS_PER_POLL == 0 && interrupted() ? interrupt_error(err) : 0;
}

static int first_free_stream(void *arg, int64_t *ret, struct err *err)
{
    const struct device_timeline *device = arg;
    (void)err;
    *ret = device->first_free;
    return 0;
}

static int write_task(struct device_timeline *device, const struct execution *task, const struct trace_slice *slice,
                      struct err *err)
{
    struct trace *trace = &device->trace;
    const char *name = task->op_name != NULL ? task->op_name : "N/A";
    strbuf_clear(&device->name);
    if (trace_text(&device->name, name, strlen(name)) < 0)
        return err_set(err, ERR_LIMIT, "the name of an operator has %zu bytes: too long for a timeline", strlen(name));
    trace_write_name(trace, &device->name);
    strbuf_clear(&device->name);
    if (task->op_type != NULL && trace_text(&device->name, task->op_type, strlen(task->op_type)) < 0)
        return err_set(err, ERR_LIMIT, "the type of an operator is too long for a timeline");
    char *start = trace_reserve(trace, TRACE_EVENT_MAX);
    char *p = trace_put_slice(start, &trace->style, slice);
    p = trace_put_literal(p, "\"Task Type\":\"");
    p = trace_put_word(p, task->op_name == NULL ? "UNKNOWN" : "AI_CORE");
    p = trace_put_literal(p, "\",\"Stream Id\":");
    p = trace_put_id(p, task->stream_id);
    p = trace_put_literal(p, ",\"Task Id\":");
    p = trace_put_id(p, task->task_id);
    if (task->op_type != NULL) {
        trace_advance(trace, start, trace_put_literal(p, ",\"op_type\":"));
        outfile_write(&trace->out, device->name.data, device->name.length);
        p = start = trace_reserve(trace, TRACE_EVENT_MAX);
    }
    trace_advance(trace, start, trace_end_slice(p, &trace->style, slice));
    return 0;
}

static int draw_task(void *arg, const struct execution *task, struct err *err)
{
    struct device_timeline *device = arg;
    if (task->start_ns == DB_NULL || task->duration_ns == DB_NULL || task->duration_ns < 0)
        return 0;
    struct trace_slice slice = {.start_ns = task->start_ns, .duration_ns = task->duration_ns};
    if (trace_lanes_place(&device->lanes, task->stream_id, &slice, err) < 0 ||
        write_task(device, task, &slice, err) < 0)
        return -(int)err->code;
    if (++device->trace.events % EVENTS_PER_POLL != 0)
        return 0;
    timeline_progress(device->run, EVENTS_PER_POLL);
    if (interrupted())
        return interrupt_error(err);
    return outfile_failed(&device->trace.out) ? err_set(err, ERR_IO, "cannot write '%s'", device->trace.path) : 0;
}

static int write_events(struct device_timeline *device, int64_t device_id, struct err *err)
{
    trace_name_process(&device->trace, 0, 0, "Task Scheduler", NULL);
    const struct execution_query query = {.range = {device_id, INT64_MIN, INT64_MAX}};
    int result = execution_each(device->run->db, &query, draw_task, device, err);
    return result == 0 ? trace_lanes_name(&device->lanes, &device->trace, NULL, NULL, err) : result;
}

static int write_device(void *arg, int64_t device_id, struct err *err)
{
    struct timeline_run *run = arg;
    struct device_timeline device = {.run = run};
    const struct trace_info info = {.clock = "system counter", .device_id = device_id};
    const struct execution_query query = {.range = {device_id, INT64_MIN, INT64_MAX}};
    int result = execution_each(run->db, &query, count_task, &device, err);
    if (result < 0)
        return result;
    strbuf_init(&device.name, EVENT_NAME_MAX);
    trace_lanes_init(&device.lanes, "Stream ", first_free_stream, &device);
    device.lanes.in_turn = true;
    run->total += device.tasks;

    char name[64];
    snprintf(name, sizeof(name), "task_time_%lld.json", (long long)device_id);
    result = trace_open(&device.trace, run, &trace_style_msprof, "task_time", name, err);
    if (result == 0)
        result = trace_close(&device.trace, write_events(&device, device_id, err), &info, err);
    trace_lanes_release(&device.lanes);
    strbuf_release(&device.name);
    return result;
}

int job_timeline(struct timeline_run *run, struct err *err)
{
    return execution_each_device(run->db, write_device, run, err);
}
