#include "exporters/job_timeline.h"

#include "base/interrupt.h"
#include "db/database.h"
#include "db/query.h"
#include "exporters/lanes.h"

#include <stdio.h>
#include <string.h>

#define EVENTS_PER_POLL 4096
#define EVENT_NAME_MAX (1024 * 1024) /* bytes of one event's name, escaped */

struct device_timeline {
    struct timeline_run *run;
    struct timeline_file file;
    struct stream_set streams;
    struct tid_pool tids;
    struct stream_threads threads;
    struct strbuf name;
    uint64_t tasks, events;
};

static bool can_be_drawn(const struct job_task *task)
{
    return task->start_ns != DB_NULL && task->duration_ns != DB_NULL && task->duration_ns >= 0;
}

static int collect_stream(void *arg, const struct job_task *task, struct err *err)
{
    struct device_timeline *device = arg;
    stream_set_add(&device->streams, task->stream_id);
    return ++device->tasks % EVENTS_PER_POLL == 0 && interrupted() ? interrupt_error(err) : 0;
}

static int write_name(struct device_timeline *device, const char *name, struct err *err)
{
    strbuf_clear(&device->name);
    if (name == NULL)
        name = "N/A";
    if (trace_append_name(&device->name, name, strlen(name)) < 0)
        return err_set(err, ERR_LIMIT, "the name of an operator has %zu bytes: too long for a timeline", strlen(name));
    outfile_write(&device->file.out, device->name.data, device->name.length);
    return 0;
}

static void write_task(struct outfile *out, const struct job_task *task, const struct trace_slice *slice)
{
    char *start = outfile_reserve(out, TRACE_SLICE_MAX);
    char *p = trace_put_slice(start, slice);
    const char *type = task->name == NULL ? "UNKNOWN" : "AI_CORE";
    p = trace_put_task_args(p, type, task->stream_id, task->task_id);
    p = trace_put_end(p, slice);
    outfile_advance(out, (size_t)(p - start));
}

static int draw_task(void *arg, const struct job_task *task, struct err *err)
{
    struct device_timeline *device = arg;
    struct timeline_run *run = device->run;
    if (!can_be_drawn(task))
        return 0;
    struct trace_slice slice = {.start_ns = time_since(task->start_ns, run->origin_ns),
                                .duration_ns = task->duration_ns,
                                .touches = task->touches};
    int result = stream_threads_place(&device->threads, task->stream_id, slice.start_ns, slice.duration_ns, &slice.tid,
                                      &slice.instant, err);
    if (result < 0)
        return result;
    result = write_name(device, task->name, err);
    if (result < 0)
        return result;
    write_task(&device->file.out, task, &slice);
    device->events++;
    if (device->events % EVENTS_PER_POLL != 0)
        return 0;
    timeline_progress(run, EVENTS_PER_POLL);
    if (interrupted())
        return interrupt_error(err);
    return outfile_failed(&device->file.out) ? err_set(err, ERR_IO, "cannot write '%s'", device->file.path) : 0;
}

static int write_events(struct device_timeline *device, int64_t device_id, struct err *err)
{
    int result = stream_threads_init(&device->threads, &device->streams, NULL, &device->tids, err);
    if (result < 0)
        return result;
    result = job_each_task(device->run->db, device_id, false, draw_task, device, err);
    if (result == 0)
        stream_threads_write(&device->threads, &device->file.out, 0, "");
    stream_threads_release(&device->threads);
    return result;
}

static int write_device(void *arg, int64_t device_id, struct err *err)
{
    struct timeline_run *run = arg;
    struct device_timeline device = {.run = run};
    int result = job_each_task(run->db, device_id, false, collect_stream, &device, err);
    if (result < 0)
        return result;
    tid_pool_init(&device.tids, &device.streams, NULL);
    strbuf_init(&device.name, EVENT_NAME_MAX);
    run->total += device.tasks;

    char name[64];
    snprintf(name, sizeof(name), "task_time_%lld.json", (long long)device_id);
    result = timeline_file_open(&device.file, run, "task_time", name, err);
    if (result < 0)
        goto out;
    result = write_events(&device, device_id, err);
    struct trace_info info = {.clock = "system counter", .origin_ns = run->origin_ns, .device_id = device_id};
    result = timeline_file_close(&device.file, result, &info, device.events, err);
out:
    strbuf_release(&device.name);
    return result;
}

int job_timeline(struct timeline_run *run, struct err *err)
{
    return job_each_device(run->db, write_device, run, err);
}
