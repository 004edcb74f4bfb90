/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/timeline/timeline_earlier.h"

#include "base/interrupt.h"
#include "db/database.h"
#include "exporters/json_text.h"
#include "exporters/timeline/track.h"

#include <stdio.h>
#include <stdlib.h>

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
    draw->finder = operator_finder_new(db, device->part->device_id, err);
    status = draw->finder != NULL ? write_files(draw, err) : -(int)err->code;
    operator_finder_free(draw->finder);
    draw->finder = NULL;
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

/* ---- layers ---- */

#define EVENTS_PER_POLL 4096

static int first_free_thread(void *arg, int64_t *ret, struct err *err)
{
    const struct draw_2022 *draw = arg;
    (void)err;
    *ret = draw->first_free;
    return 0;
}

void draw_2022_begin_layer(struct draw_2022 *draw, const char *word)
{
    trace_lanes_init(&draw->lanes, &draw->trace.style, word, first_free_thread, draw);
    draw->first_free = 0;
}

int draw_2022_end_layer(struct draw_2022 *draw, int status,
                        void (*name)(void *arg, int64_t pid, int64_t number, struct strbuf *ret), struct err *err)
{
    if (status == 0 && !draw->compat)
        status = trace_lanes_name(&draw->lanes, &draw->trace, name, draw, err);
    trace_lanes_release(&draw->lanes);
    return status;
}

void draw_2022_count_thread(struct draw_2022 *draw, int64_t number)
{
    if (number >= draw->first_free && number < INT64_MAX / 2)
        draw->first_free = number + 1;
}

int64_t draw_2022_pid(const struct draw_2022 *draw, int64_t process)
{
    if (draw->compat)
        return draw->layer != 0 && process >= 0 ? trace_tagged(draw->layer, process) : process;
    process &= UINT32_MAX; /* 0 when it is not known */
    return draw->layer != 0 ? track_pid_of(process, draw->layer, draw->device->part->device_id) : process;
}

void draw_2022_name_process(struct draw_2022 *draw, int64_t process, const char *name)
{
    draw->trace.style.unplaced = draw->compat && draw->layer == 0;
    trace_name_process(&draw->trace, draw_2022_pid(draw, process), draw->layer, name, NULL);
}

void draw_2022_name_thread(struct draw_2022 *draw, int64_t process, int64_t tid, const char *name, bool placed)
{
    draw->trace.style.unplaced = !placed;
    trace_name_thread(&draw->trace, draw_2022_pid(draw, process), tid, tid, name);
}

static int too_long(struct err *err)
{
    return err_set(err, ERR_LIMIT, "the texts of an event are too long for a timeline");
}

int draw_2022_name(struct draw_2022 *draw, const char *prefix, const char *name, struct err *err)
{
    struct strbuf *text = &draw->text;
    if (name == NULL)
        name = "N/A";
    strbuf_clear(text);
    strbuf_addc(text, '"');
    strbuf_adds(text, prefix);
    json_text_append(text, name, strlen(name));
    strbuf_addc(text, '"');
    if (text->failed)
        return too_long(err);
    trace_write_name(&draw->trace, text);
    strbuf_clear(text);
    return 0;
}

int draw_2022_begin(struct draw_2022 *draw, const char *name, struct trace_lanes *lanes, int64_t number,
                    struct trace_slice *slice, struct err *err)
{
    if (trace_lanes_place(lanes, number, slice, err) < 0 || draw_2022_name(draw, "", name, err) < 0)
        return -(int)err->code;
    char *start = trace_reserve(&draw->trace, TRACE_EVENT_MAX);
    trace_advance(&draw->trace, start, trace_put_slice(start, &draw->trace.style, slice));
    return 0;
}

int draw_2022_begin_operator(struct draw_2022 *draw, const char *name, struct trace_lanes *lanes, int64_t number,
                             struct trace_slice *slice, struct err *err)
{
    return draw_2022_begin(draw, short_names_get(&draw->names, name), lanes, number, slice, err);
}

void draw_2022_whole_name(struct draw_2022 *draw, const char *name)
{
    if (short_names_get(&draw->names, name) != name)
        draw_2022_text(draw, "Op Name", name);
}

void draw_2022_operator(struct draw_2022 *draw, const struct execution *task)
{
    enum { INPUT_SHAPES = 0, OUTPUT_SHAPES = 3 };
    if (!draw->facts || task->op_name == NULL)
        return;
    const char *bound = operator_bounds_find(&draw->bounds, task->op_name, strlen(task->op_name));
    draw_2022_whole_name(draw, task->op_name);
    if (task->op_type != NULL)
        draw_2022_text(draw, "OP Type", task->op_type);
    if (bound != NULL)
        draw_2022_text(draw, "Bound", bound);
    if (task->block_num != DB_NULL)
        draw_2022_integer(draw, ",\"Block Num\":", task->block_num);
    if (task->tensors[INPUT_SHAPES] != NULL)
        draw_2022_text(draw, "Input Shapes", task->tensors[INPUT_SHAPES]);
    if (task->tensors[OUTPUT_SHAPES] != NULL)
        draw_2022_text(draw, "Output Shapes", task->tensors[OUTPUT_SHAPES]);
}

int draw_2022_call(struct draw_2022 *draw, const char *prefix, const char *name, const char *category, int64_t number,
                   struct trace_slice *slice, struct err *err)
{
    if (trace_lanes_place(&draw->lanes, number, slice, err) < 0 || draw_2022_name(draw, prefix, name, err) < 0)
        return -(int)err->code;
    char *start = trace_reserve(&draw->trace, TRACE_EVENT_MAX);
    char *p = trace_put_times(start, &draw->trace.style, slice);
    if (category != NULL) {
        p = trace_put_word(trace_put_literal(p, ",\"cat\":\""), category);
        p = trace_put_literal(p, "\"");
    }
    trace_advance(&draw->trace, start, trace_end_call(p, slice));
    return draw_2022_finish(draw, err);
}

void draw_2022_time(struct draw_2022 *draw, const char *key, int64_t nanoseconds)
{
    char number[NUMBER_MAX];
    strbuf_adds(&draw->text, ",\"");
    strbuf_adds(&draw->text, key);
    strbuf_adds(&draw->text, "\":");
    strbuf_add(&draw->text, number, (size_t)(number_put_us(number, nanoseconds) - number));
}

void draw_2022_task(struct draw_2022 *draw, const char *type, int64_t stream_id, int64_t task_id)
{
    strbuf_adds(&draw->text, "\"Task Type\":\"");
    strbuf_adds(&draw->text, type);
    draw_2022_integer(draw, "\",\"Stream Id\":", stream_id);
    draw_2022_integer(draw, ",\"Task Id\":", task_id);
}

void draw_2022_integer(struct draw_2022 *draw, const char *key, int64_t value)
{
    strbuf_adds(&draw->text, key);
    strbuf_add_integer(&draw->text, value);
}

void draw_2022_text(struct draw_2022 *draw, const char *key, const char *text)
{
    strbuf_adds(&draw->text, ",\"");
    strbuf_adds(&draw->text, key);
    strbuf_adds(&draw->text, "\":\"");
    json_text_append(&draw->text, text, strlen(text));
    strbuf_addc(&draw->text, '"');
}

int draw_2022_finish(struct draw_2022 *draw, struct err *err)
{
    struct trace *trace = &draw->trace;
    if (draw->text.failed)
        return too_long(err);
    outfile_add(&trace->out, &draw->text);
    if (++trace->events % EVENTS_PER_POLL != 0)
        return 0;
    timeline_progress(draw->run, EVENTS_PER_POLL);
    if (interrupted())
        return interrupt_error(err);
    return outfile_failed(&trace->out) ? err_set(err, ERR_IO, "cannot write '%s'", trace->path) : 0;
}

int draw_2022_end(struct draw_2022 *draw, const struct trace_slice *slice, struct err *err)
{
    int status = draw_2022_finish(draw, err);
    char *start = trace_reserve(&draw->trace, TRACE_EVENT_MAX);
    trace_advance(&draw->trace, start, trace_end_slice(start, &draw->trace.style, slice));
    return status;
}

static int begin_flow(struct draw_2022 *draw, char phase, int64_t id, bool *ret_drawn, struct err *err)
{
    if (draw->compat || phase != 's') {
        *ret_drawn = draw->compat || map_get(&draw->begun_flows, &id) != NULL;
        return 0;
    }
    *ret_drawn = map_add(&draw->begun_flows, &id, NULL, err) != NULL;
    return *ret_drawn ? 0 : -(int)err->code;
}

int draw_2022_flow(struct draw_2022 *draw, char phase, int64_t stream_id, int64_t task_id,
                   const struct trace_slice *slice, struct err *err)
{
    static const struct trace_flow connect = {.name = "connect", .paired = true};
    int64_t id = (int64_t)((uint64_t)stream_id << 32 | ((uint64_t)task_id & UINT32_MAX));
    bool drawn;
    int status = begin_flow(draw, phase, id, &drawn, err);
    if (status < 0 || !drawn)
        return status;
    char *start = trace_reserve(&draw->trace, TRACE_EVENT_MAX);
    trace_advance(
        &draw->trace, start,
        trace_put_flow(start, &draw->trace.style, &connect, phase, id, slice->pid, slice->tid, slice->start_ns));
    return 0;
}
