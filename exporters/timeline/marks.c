/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/timeline/marks.h"

#include "base/file/fsutil.h"
#include "db/database.h"
#include "db/query/query_tx.h"
#include "exporters/report_scopes.h"
#include "parsers/record.h"

#include <stdlib.h>

#define TEXT_MAX ((size_t)1024 * 1024)       /* bytes of one escaped text */
#define FIRST_CONNECTION INT64_C(4000000001) /* of mark 0 */

static const struct trace_flow program_to_device = {.name = "MsTx_", .category = "MsTx", .numbered = true};

void marks_init(struct marks *marks, struct trace *trace, const char *word,
                int (*first_free)(void *arg, int64_t *ret, struct err *err), void *arg)
{
    *marks = (struct marks){.trace = trace};
    trace_lanes_init(&marks->lanes, &trace->style, word, first_free, arg);
    strbuf_init(&marks->text, TEXT_MAX);
}

void marks_release(struct marks *marks)
{
    trace_lanes_release(&marks->lanes);
    strbuf_release(&marks->text);
}

int marks_layer_name_threads(struct track_run *run, void *opaque, struct err *err)
{
    struct marks_layer *layer = opaque;
    return trace_lanes_name(&layer->marks.lanes, &run->trace, NULL, NULL, err);
}

void marks_layer_release(void *opaque)
{
    struct marks_layer *layer = opaque;
    if (layer->begun)
        marks_release(&layer->marks);
}

/* The text as a JSON string in marks->text. */
static int escape(struct marks *marks, const char *text, size_t length, struct err *err)
{
    strbuf_clear(&marks->text);
    return trace_text(&marks->text, text, length) == 0
               ? 0
               : err_set(err, ERR_LIMIT, "a message of %zu bytes is too long for a timeline", length);
}

/* Finds the place of an event and writes all up to its args. */
static int begin_event(struct marks *marks, const char *name, size_t length, int64_t number, struct trace_slice *slice,
                       struct err *err)
{
    int status = escape(marks, name, length, err);
    if (status == 0)
        status = trace_lanes_place(&marks->lanes, number, slice, err);
    if (status < 0)
        return status;
    trace_write_name(marks->trace, &marks->text);
    char *start = trace_reserve(marks->trace, TRACE_EVENT_MAX);
    trace_advance(marks->trace, start, trace_put_slice(start, &marks->trace->style, slice));
    marks->trace->events++;
    return 0;
}

static void put_arrow(struct marks *marks, char phase, int64_t mark_id, const struct trace_slice *slice)
{
    if (!marks->arrows)
        return;
    char *start = trace_reserve(marks->trace, TRACE_EVENT_MAX);
    trace_advance(marks->trace, start,
                  trace_put_flow(start, &marks->trace->style, &program_to_device, phase,
                                 (int64_t)((uint64_t)mark_id + FIRST_CONNECTION), slice->pid, slice->tid,
                                 slice->start_ns));
}

/* ---- of the program ---- */

static char *put_event_type(char *p, int64_t event_type)
{
    const char *name = value_name_find(mark_names, event_type);
    p = trace_put_literal(p, "\"event_type\":\"");
    if (name != NULL)
        p = trace_put_word(p, name);
    else
        p = event_type == DB_NULL ? trace_put_literal(p, "N/A") : number_put_signed(p, event_type);
    return trace_put_literal(p, "\"");
}

/* Stamps have a category, a payload and a type of message; ex records have a mark and a domain. */
static char *put_stamp_arguments(char *p, const struct tx_event *event)
{
    p = trace_put_literal(p, "\"Category\":\"");
    p = number_put_signed(p, event->category);
    p = trace_put_literal(p, "\",\"Payload_type\":");
    p = trace_put_id(p, event->payload_type);
    p = trace_put_literal(p, ",\"Payload_value\":");
    p = number_put_unsigned(p, (uint64_t)event->payload_value);
    p = trace_put_literal(p, ",\"Message_type\":");
    p = trace_put_id(p, event->message_type);
    return trace_put_literal(p, ",");
}

static int put_arguments(struct marks *marks, const struct tx_event *event, const struct trace_slice *slice,
                         struct err *err)
{
    int status = event->domain != NULL ? escape(marks, event->domain, event->domain_length, err) : 0;
    if (status < 0)
        return status;
    char *start = trace_reserve(marks->trace, TRACE_EVENT_MAX), *p = start;
    if (event->category != DB_NULL)
        p = put_stamp_arguments(p, event);
    if (event->mark_id != DB_NULL) {
        p = trace_put_literal(p, "\"mark_id\":");
        p = number_put_signed(p, event->mark_id);
        p = trace_put_literal(p, ",");
    }
    p = put_event_type(p, event->event_type);
    if (event->domain != NULL)
        p = trace_put_literal(p, ",\"domain\":");
    trace_advance(marks->trace, start, p);
    if (event->domain != NULL)
        outfile_add(&marks->trace->out, &marks->text);
    start = trace_reserve(marks->trace, TRACE_EVENT_MAX);
    trace_advance(marks->trace, start, trace_end_slice(start, &marks->trace->style, slice));
    return 0;
}

static int draw_event(void *arg, const struct tx_event *event, struct err *err)
{
    struct marks *marks = arg;
    /* What a layout does not give is process 0, thread 0, or not drawn when it is the time. */
    int64_t pid, process_id = event->process_id != DB_NULL ? event->process_id : 0;
    if (event->start_ns == DB_NULL)
        return 0;
    int status = marks->process(marks->arg, process_id, &pid, err);
    struct trace_slice slice = {
        .pid = pid, .start_ns = event->start_ns, .duration_ns = time_since(event->end_ns, event->start_ns)};
    if (status == 0)
        status = begin_event(marks, event->message, event->message_length,
                             event->thread_id != DB_NULL ? event->thread_id : 0, &slice, err);
    if (status == 0)
        status = put_arguments(marks, event, &slice, err);
    if (status == 0 && event->device_id != DB_NULL)
        put_arrow(marks, 's', event->mark_id, &slice);
    return status;
}

int marks_write_events(struct marks *marks, sqlite3 *db, bool with_devices, struct err *err)
{
    return tx_each_event(db, TX_BY_THREAD, with_devices, draw_event, marks, err);
}

/* ---- of devices ---- */

static int draw_mark(void *arg, const struct tx_device_mark *mark, struct err *err)
{
    struct marks *marks = arg;
    const char *message = mark->message != NULL ? mark->message : "N/A";
    size_t length = mark->message != NULL ? mark->message_length : strlen(message);
    int64_t pid;
    int status = marks->process(marks->arg, mark->device_id, &pid, err);
    struct trace_slice slice = {
        .pid = pid,
        .start_ns = mark->start_ns,
        .duration_ns = mark->end_ns != DB_NULL ? time_since(mark->end_ns, mark->start_ns) : 0,
    };
    if (status == 0)
        status = begin_event(marks, message, length, mark->stream_id, &slice, err);
    if (status < 0)
        return status;
    char *start = trace_reserve(marks->trace, TRACE_EVENT_MAX);
    char *p = trace_put_literal(start, "\"Physic Stream Id\":");
    p = number_put_signed(p, mark->stream_id);
    p = trace_put_literal(p, ",\"Task Id\":");
    p = number_put_signed(p, mark->task_id);
    trace_advance(marks->trace, start, trace_end_slice(p, &marks->trace->style, &slice));
    if (mark->message != NULL || marks->trace->style.as_recorded) /* else it begins nowhere */
        put_arrow(marks, 'f', mark->mark_id, &slice);
    return 0;
}

int marks_write_device_marks(struct marks *marks, sqlite3 *db, struct err *err)
{
    return tx_each_device_mark(db, draw_mark, marks, err);
}

/* ---- captures before 2023: a file of its own ---- */

struct processes {
    struct trace *trace;
    bool any;
    int64_t last; /* they come one after the other */
};

static int name_process(void *arg, int64_t number, int64_t *ret_pid, struct err *err)
{
    struct processes *processes = arg;
    enum { PLACE = 6 }; /* above what the host and the devices did */
    (void)err;
    if (!processes->any || processes->last != number)
        trace_name_process(processes->trace, number, PLACE, MARKS_PROCESS, "CPU");
    processes->any = true;
    processes->last = *ret_pid = number;
    return 0;
}

int marks_first_free_thread(void *db, int64_t *ret, struct err *err)
{
    int status = tx_largest_thread(db, ret, err);
    *ret = number_add(*ret, 1);
    return status;
}

int marks_timeline(struct timeline_run *run, struct err *err)
{
    const struct trace_info info = {.clock = "system monotonic", .device_id = DB_NULL};
    char name[TX_REPORT_NAME_MAX];
    struct trace trace;
    struct marks marks;
    int status = tx_report_name(name, run->db, run->options, ".json", err);
    if (status == 0)
        status = trace_open(&trace, run, run->options->trace_compat ? &trace_style_2022 : &trace_style_msprof,
                            "msprof_tx", name, err);
    if (status < 0)
        return status;
    struct processes processes = {.trace = &trace};
    marks_init(&marks, &trace, "Thread ", marks_first_free_thread, run->db);
    marks.process = name_process;
    marks.arg = &processes;
    status = marks_write_events(&marks, run->db, false, err);
    if (status == 0)
        status = trace_lanes_name(&marks.lanes, &trace, NULL, NULL, err);
    marks_release(&marks);
    return trace_close(&trace, status, &info, err);
}
