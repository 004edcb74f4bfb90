/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/timeline/document.h"

#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/progress.h"
#include "db/database.h"
#include "exporters/timeline/sink.h"

#include <stdlib.h>

/* Facts with a model name that came from one file name, escaped, fit many times over. */
#define FACTS_MAX (1024 * 1024)

/* ---- the file ---- */

/* Puts a sink between the events and the files. */
static int open_sink(struct trace *trace, struct err *err)
{
    const struct export_options *options = trace->run->options;
    char *path = trace_sink_path(options, trace->path);
    if (path == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for the name of a timeline");
    trace->sink = trace_sink_open(options, trace->path, trace->report, err);
    free(trace->path);
    trace->path = path;
    if (trace->sink == NULL)
        return err_status(err);
    int status = outfile_open_pipe(&trace->out, path, trace_sink_take, trace->sink, err);
    if (status < 0)
        trace_sink_abort(trace->sink);
    return status;
}

int trace_open_path(struct trace *trace, struct timeline_run *run, const struct trace_style *style, const char *report,
                    char *path, struct err *err)
{
    *trace = (struct trace){.run = run, .style = *style, .report = report, .path = path};
    if (!style->as_recorded)
        trace->style.origin_ns = run->origin.time_ns;
    if (path == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for the name of a timeline");
    int status = trace_sink_needed(run->options) ? open_sink(trace, err) : outfile_open(&trace->out, path, err);
    if (status < 0) {
        free(trace->path);
        return status;
    }
    trace->style.packed = trace->sink != NULL && trace_sink_takes_events(trace->sink);
    return 0;
}

int trace_open(struct trace *trace, struct timeline_run *run, const struct trace_style *style, const char *report,
               const char *name, struct err *err)
{
    return trace_open_path(trace, run, style, report, path_join(run->options->directory, name), err);
}

static void append_number(struct strbuf *buf, const char *key, int64_t value)
{
    if (value != DB_NULL && value != -1)
        strbuf_addf(buf, ",\"%s\":%lld", key, (long long)value);
}

/* As a text: viewers would round the number. */
static void append_time(struct strbuf *buf, const char *key, int64_t ns)
{
    if (ns != DB_NULL)
        strbuf_addf(buf, ",\"%s\":\"%lld\"", key, (long long)ns);
    else
        strbuf_addf(buf, ",\"%s\":null", key);
}

/* Facts of the whole, as an object. */
static void make_facts(struct strbuf *facts, const struct trace *trace, const struct trace_info *info)
{
    strbuf_addf(facts, "{\"tool\":\"msprof\",\"version\":\"%s\",\"clock\":\"%s\"", MSPROF_VERSION, info->clock);
    append_time(facts, "origin_ns", trace->run->origin.origin_ns);
    append_time(facts, "origin_unix_ns", trace->run->origin.origin_unix_ns);
    append_number(facts, "device_id", info->device_id);
    if (info->model != NULL) {
        strbuf_adds(facts, ",\"model\":");
        json_text_quote(facts, info->model, strlen(info->model));
        append_number(facts, "model_id", info->model_id);
        append_number(facts, "batch_num", info->batch_num);
    }
    if (info->tasks_before > 0)
        append_number(facts, "tasks_before", (int64_t)info->tasks_before);
    strbuf_addc(facts, '}');
}

/* Hands the last bytes to the sink, and completes its files. */
static int close_sink(struct trace *trace, int status, const struct trace_about *about, struct err *err)
{
    const bool whole = status == 0 && trace->events > 0;
    if (whole)
        outfile_flush(&trace->out);
    if (trace_sink_failed(trace->sink, err) < 0)
        status = err_status(err);
    outfile_abort(&trace->out);
    if (whole && status == 0)
        return trace_sink_commit(trace->sink, trace->events, trace->report, about, trace->run->result, err);
    trace_sink_abort(trace->sink);
    return status;
}

int trace_close(struct trace *trace, int status, const struct trace_info *info, struct err *err)
{
    const struct export_options *options = trace->run->options;
    SCOPED(strbuf_release) struct strbuf facts;
    const bool sunk = trace->sink != NULL;
    free(trace->own);
    strbuf_init(&facts, FACTS_MAX);
    if (!trace->style.as_recorded)
        make_facts(&facts, trace, info);
    if (facts.failed && status == 0)
        status = err_set(err, ERR_NO_MEMORY, "out of memory while ending a timeline");
    const struct trace_about about = {&facts, trace->first_pid, trace->run->origin.origin_unix_ns};
    if (status == 0 && trace->events > 0 && !trace->style.packed)
        trace_put_end(&trace->out, &about);
    if (sunk) {
        status = close_sink(trace, status, &about, err);
    } else if ((status == 0 && trace->events > 0) || outfile_failed(&trace->out)) {
        status = outfile_commit(&trace->out, err);
    } else {
        outfile_abort(&trace->out);
        trace->events = 0;
    }
    if (!sunk && status == 0 && trace->events > 0) {
        trace->run->result->files++;
        trace->run->result->rows += trace->events;
        if (options->written != NULL)
            options->written(options->written_arg, trace->report, trace->path);
    }
    free(trace->path);
    trace->path = NULL;
    return status;
}

void trace_forget_texts(struct trace *trace)
{
    if (!trace->style.packed)
        return;
    outfile_flush(&trace->out);
    trace_sink_forget_texts(trace->sink);
}

/* ---- metadata ---- */

static void put_metadata(struct trace *trace, const struct event *event)
{
    struct err err = ERR_INIT; /* of memory, or of the file, which fails it */
    if (!trace->named)
        trace->first_pid = event->head.pid;
    if (trace_put(trace, event, &err) < 0 && !outfile_failed(&trace->out))
        trace->out.failure = ENOMEM;
}

/* text: the inside of a JSON string. */
static void write_name(struct trace *trace, const char *word, int64_t pid, int64_t tid, struct event_key key,
                       const char *text, size_t length)
{
    struct event event;
    event_begin(&event, 'M', pid, tid, 0);
    event_name_word(&event, word);
    event_text_of(&event, key, text, length)->copied = EVENT_COPY_TEXT;
    event.head.flags |= EVENT_COPIES;
    put_metadata(trace, &event);
}

static void write_text(struct trace *trace, const char *word, int64_t pid, int64_t tid, struct event_key key,
                       const char *text)
{
    char escaped[TRACE_THREAD_NAME_MAX * JSON_TEXT_EXPANSION];
    size_t length = json_text_piece(text, strlen(text), TRACE_THREAD_NAME_MAX);
    write_name(trace, word, pid, tid, key, escaped, json_text_escape(escaped, text, length));
}

static void write_place(struct trace *trace, const char *word, int64_t pid, int64_t tid, int64_t sort_index)
{
    struct event event;
    if (trace->style.unplaced)
        return;
    event_begin(&event, 'M', pid, tid, 0);
    event_name_word(&event, word);
    event_integer(&event, "sort_index", sort_index);
    put_metadata(trace, &event);
}

void trace_name_process(struct trace *trace, int64_t pid, int64_t sort_index, const char *name, const char *label)
{
    write_text(trace, "process_name", pid, 0, EVENT_KEY("name"), name);
    if (label != NULL)
        write_text(trace, "process_labels", pid, 0, EVENT_KEY("labels"), label);
    write_place(trace, "process_sort_index", pid, 0, sort_index);
}

void trace_name_thread(struct trace *trace, int64_t pid, int64_t tid, int64_t sort_index, const char *name)
{
    write_text(trace, "thread_name", pid, tid, EVENT_KEY("name"), name);
    write_place(trace, "thread_sort_index", pid, tid, sort_index);
}

void trace_name_thread_json(struct trace *trace, int64_t pid, int64_t tid, int64_t sort_index,
                            const struct strbuf *name)
{
    outfile_check(&trace->out, name);
    write_name(trace, "thread_name", pid, tid, EVENT_KEY("name"), name->data, name->length);
    write_place(trace, "thread_sort_index", pid, tid, sort_index);
}

/* ---- events ---- */

static char *reserve(struct trace *trace, size_t room, struct err *err)
{
    trace->start = NULL;
    if (room <= OUTFILE_RESERVE_MAX)
        trace->start = outfile_reserve(&trace->out, room);
    else if (room <= trace->own_size || array_grow(&trace->own, &trace->own_size, 0, room, 1, err) == 0)
        trace->start = trace->own;
    return trace->start;
}

char *trace_event_room(struct trace *trace, size_t texts, struct err *err)
{
    return reserve(trace, 4 * (size_t)TRACE_EVENT_MAX + texts, err);
}

int trace_event_done(struct trace *trace, const char *end, bool counted, struct err *err)
{
    const size_t length = (size_t)(end - trace->start);
    if (!trace->named && !trace->style.packed)
        *trace->start = '['; /* in the place of the comma */
    trace->named = true;
    if (trace->start == trace->own)
        outfile_write(&trace->out, trace->start, length);
    else
        outfile_advance(&trace->out, length);
    if (!counted || ++trace->events % TRACE_EVENTS_PER_POLL != 0)
        return 0;
    if (trace->tells_progress)
        timeline_progress(trace->run, TRACE_EVENTS_PER_POLL);
    if (interrupted())
        return interrupt_error(err);
    return outfile_failed(&trace->out) ? err_set(err, ERR_IO, "cannot write '%s'", trace->path) : 0;
}

int trace_put(struct trace *trace, const struct event *event, struct err *err)
{
    const char phase = event->head.phase;
    char *p = reserve(trace, event_room(event), err);
    if (p == NULL)
        return err_status(err);
    return trace_event_done(trace, event_put(p, &trace->style, event, &trace->place),
                            phase == 'X' || phase == 'i' || phase == 'C', err);
}

/* A long event is made in memory of its own. */
int trace_put_long(struct parallel_output *output, const struct trace_style *style, const struct event *event,
                   struct trace_place *place, struct err *err)
{
    SCOPED_FREE char *start = scoped_memory(event_room(event), 1);
    if (start == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for an event of %zu bytes", event_room(event));
    return parallel_write(output, start, (size_t)(event_put(start, style, event, place) - start), err);
}

void timeline_progress(struct timeline_run *run, uint64_t events)
{
    run->done += events;
    progress_update(run->options->progress, "timeline", run->done, run->total);
}

/* ---- guests ---- */

void trace_guest_argument(struct event *event, const struct trace_guest *guest, const struct trace_launch *launch)
{
    if (guest->argument != NULL)
        event_plain_of(event, *guest->argument, launch->name, strlen(launch->name));
}

void trace_guest_arrow(struct event *event, const struct trace_guest *guest, char phase,
                       const struct trace_launch *launch, const struct trace_slice *slice, enum trace_row kind,
                       int64_t row)
{
    if (phase == 's')
        event_begin(event, phase, launch->pid, launch->tid, launch->time_ns);
    else
        event_begin(event, phase, slice->pid, slice->tid, slice->start_ns);
    event_name_word(event, guest->flow.name);
    event_category(event, guest->flow.category);
    event->head.id = row * TRACE_ROW_KINDS + kind;
    event->head.id_form = guest->flow_of_text ? EVENT_ID_TEXT : EVENT_ID_NUMBER;
    event->head.flags |= EVENT_GUEST;
}
