/* SPDX-License-Identifier: Apache-2.0 */
/* Places, names and events of layers of captures before 2023. */
#include "exporters/timeline/timeline_earlier.h"

#include "base/progress.h"
#include "db/database.h"
#include "exporters/json_text.h"
#include "exporters/timeline/track.h"

#include <string.h>

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
    trace_advance(&draw->trace, start, trace_end_call(p, &draw->trace.style, slice));
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
