/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/timeline/timeline_earlier.h"

#include "db/database.h"

#include <stdio.h>

#define TEXT_MAX ((size_t)1024 * 1024) /* bytes of the texts of one event */

/* msprof: the layers in their places. */
static int draw_msprof(struct draw_2022 *draw, struct err *err)
{
    static const struct {
        int64_t place;
        int (*draw)(struct draw_2022 *draw, struct err *err);
    } layers[] = {{2, draw_2022_acl},
                  {4, draw_2022_models},
                  {5, draw_2022_host_steps},
                  {6, draw_2022_runtime},
                  {7, draw_2022_tasks}};
    int status = 0;
    draw->flows = true;
    map_clear(&draw->begun_flows);
    for (size_t i = 0; i < sizeof layers / sizeof *layers && status == 0; i++) {
        draw->layer = layers[i].place;
        status = layers[i].draw(draw, err);
    }
    draw->layer = 0;
    draw->flows = false;
    return status;
}

/* suffix: of the file's name; clock: what its times are told by. */
static int write_file(struct draw_2022 *draw, const char *report, const char *suffix, const char *clock,
                      int (*draw_layer)(struct draw_2022 *draw, struct err *err), struct err *err)
{
    char name[SUFFIX_2022_MAX + 64];
    const int64_t device_id = draw->device->range.ticks.device_id;
    snprintf(name, sizeof name, "%s%s.json", report, suffix);
    int status =
        trace_open(&draw->trace, draw->run, draw->compat ? &trace_style_2022 : &trace_style_msprof, report, name, err);
    if (status < 0)
        return status;
    draw->tasks_before = 0;
    status = draw_layer(draw, err);
    const struct trace_info info = {.clock = clock, .device_id = device_id, .tasks_before = draw->tasks_before};
    if (draw->compat && draw->trace.named && draw->trace.events == 0)
        draw->trace.events = 1; /* the tool wrote files of names alone */
    return trace_close(&draw->trace, status, &info, err);
}

static int write_files(struct draw_2022 *draw, struct err *err)
{
    static const struct {
        const char *report;
        int (*draw)(struct draw_2022 *draw, struct err *err);
    } files[] = {
        {"acl", draw_2022_acl},         {"runtime_api", draw_2022_runtime},
        {"task_time", draw_2022_tasks}, {"ai_stack_time", draw_2022_stack},
        {"msprof", draw_msprof},        {"thread_group", draw_2022_thread_group},
        {"ge", draw_2022_models},       {"ge_op_execute", draw_2022_host_steps},
    };
    char suffix[SUFFIX_2022_MAX];
    int status = 0;
    device_2022_suffix(draw->device, suffix);
    for (size_t i = 0; i < sizeof files / sizeof *files && status == 0; i++)
        status = write_file(draw, files[i].report, suffix, "system monotonic", files[i].draw, err);
    return status;
}

static int write_device(void *arg, const struct device_2022 *device, struct err *err)
{
    struct draw_2022 *draw = arg;
    sqlite3 *db = draw->run->db;
    draw->device = device;
    int status = execution_count(db, &device->range.ticks, &draw->counts, err);
    if (status < 0)
        return status;
    counters_2022_init(&draw->counters, device, &draw->counts);
    draw->calls = plain_calls_new(db, device->part->device_id, err);
    status = draw->calls != NULL ? write_files(draw, err) : -(int)err->code;
    plain_calls_free(draw->calls);
    return status;
}

static int begin(struct draw_2022 *draw, struct err *err)
{
    strbuf_init(&draw->text, TEXT_MAX);
    draw->begun_flows = (struct map)MAP_OF(struct begun_flow, id);
    draw->facts = !draw->run->options->trace_compat;
    int status = draw->facts ? short_names_load(draw->run->db, &draw->names, err) : 0;
    return status == 0 && draw->facts ? operator_bounds_load(draw->run->db, &draw->bounds, err) : status;
}

static void release(struct draw_2022 *draw)
{
    short_names_release(&draw->names);
    operator_bounds_release(&draw->bounds);
    map_release(&draw->begun_flows);
    strbuf_release(&draw->text);
}

int timeline_of_2022(struct timeline_run *run, struct err *err)
{
    struct draw_2022 draw = {.run = run, .compat = run->options->trace_compat};
    int status = begin(&draw, err);
    if (status == 0)
        status = device_2022_each(run->db, run->options, write_device, &draw, err);
    release(&draw);
    return status;
}

/* ---- captures of JOB ---- */

static int draw_job(struct draw_2022 *draw, struct err *err)
{
    int status = draw_job_tasks(draw, err);
    return status == 0 ? draw_job_iterations(draw, err) : status;
}

static int write_job_device(void *arg, int64_t device_id, struct err *err)
{
    struct draw_2022 *draw = arg;
    char suffix[SUFFIX_2022_MAX];
    const struct device_2022 device = {.db = draw->run->db,
                                       .range = {.model_id = DB_NULL, .ticks = {device_id, INT64_MIN, INT64_MAX}}};
    draw->device = &device;
    snprintf(suffix, sizeof suffix, "_%lld", (long long)device_id);
    return write_file(draw, "task_time", suffix, "system counter", draw_job, err);
}

int timeline_of_job(struct timeline_run *run, struct err *err)
{
    struct draw_2022 draw = {.run = run};
    int status = begin(&draw, err);
    if (status == 0)
        status = execution_each_device(run->db, write_job_device, &draw, err);
    release(&draw);
    return status;
}
