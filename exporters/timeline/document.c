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

static void write_literal(struct outfile *out, const char *text)
{
    outfile_write(out, text, strlen(text));
}

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
    trace->style.coded = trace->sink != NULL && trace_sink_codes(trace->sink);
    write_literal(&trace->out, "[");
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

static int write_end(struct trace *trace, const struct trace_info *info, struct err *err)
{
    struct strbuf facts;
    if (trace->style.as_recorded) {
        write_literal(&trace->out, "\n]\n");
        return 0;
    }
    strbuf_init(&facts, FACTS_MAX);
    strbuf_addf(&facts, ",\n" TRACE_FACTS_BEGIN ",\"pid\":%lld,\"tid\":0,\"args\":{" TRACE_FACTS_KEY,
                (long long)trace->first_pid);
    strbuf_addf(&facts, "{\"tool\":\"msprof\",\"version\":\"%s\",\"clock\":\"%s\"", MSPROF_VERSION, info->clock);
    append_time(&facts, "origin_ns", trace->run->origin.origin_ns);
    append_time(&facts, "origin_unix_ns", trace->run->origin.origin_unix_ns);
    append_number(&facts, "device_id", info->device_id);
    if (info->model != NULL) {
        strbuf_adds(&facts, ",\"model\":");
        json_text_quote(&facts, info->model, strlen(info->model));
        append_number(&facts, "model_id", info->model_id);
        append_number(&facts, "batch_num", info->batch_num);
    }
    if (info->tasks_before > 0)
        append_number(&facts, "tasks_before", (int64_t)info->tasks_before);
    strbuf_adds(&facts, "}" TRACE_FACTS_END);
    int status = 0;
    if (facts.failed)
        status = err_set(err, ERR_NO_MEMORY, "out of memory while ending a timeline");
    else
        outfile_add(&trace->out, &facts);
    strbuf_release(&facts);
    return status;
}

/* Hands the last bytes to the sink, and completes its files. */
static int close_sink(struct trace *trace, int status, struct err *err)
{
    const bool whole = status == 0 && trace->events > 0;
    if (whole)
        outfile_flush(&trace->out);
    if (trace_sink_failed(trace->sink, whole, err) < 0)
        status = err_status(err);
    outfile_abort(&trace->out);
    if (whole && status == 0)
        return trace_sink_commit(trace->sink, trace->events, trace->report, trace->run->origin.origin_unix_ns,
                                 trace->run->result, err);
    trace_sink_abort(trace->sink);
    return status;
}

int trace_close(struct trace *trace, int status, const struct trace_info *info, struct err *err)
{
    const struct export_options *options = trace->run->options;
    free(trace->own);
    if (status == 0 && trace->events > 0)
        status = write_end(trace, info, err);
    const bool sunk = trace->sink != NULL;
    if (sunk) {
        status = close_sink(trace, status, err);
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
    if (!trace->style.coded)
        return;
    outfile_flush(&trace->out);
    trace_sink_forget_texts(trace->sink);
}

/* ---- metadata ---- */

/* text: the inside of a JSON string; NULL: the value is the number. */
static void write_metadata(struct trace *trace, const char *event, int64_t pid, int64_t tid, const char *key,
                           const char *text, size_t length, int64_t number)
{
    const struct trace_style *style = &trace->style;
    char *start = trace_reserve(trace, TRACE_EVENT_MAX), *p = start;
    if (!trace->named)
        trace->first_pid = pid;
    p = trace_put_word(p, trace->named ? ",\n" : "\n");
    p = trace_put_word(trace_put_literal(p, "{\"name\":\""), event);
    *p++ = '"';
    if (style->phase == PHASE_SECOND)
        p = trace_put_phase(p, 'M');
    p = trace_put_place(p, style, pid, tid);
    if (style->phase == PHASE_BEFORE_ARGS)
        p = trace_put_phase(p, 'M');
    p = trace_put_word(trace_put_literal(p, ",\"args\":{\""), key);
    p = trace_put_literal(p, "\":");
    if (text == NULL) {
        p = number_put_signed(p, number);
    } else {
        *p++ = '"';
        trace_advance(trace, start, p);
        outfile_write(&trace->out, text, length);
        start = p = trace_reserve(trace, TRACE_EVENT_MAX);
        *p++ = '"';
    }
    trace_advance(trace, start, trace_end_args(p, style, 'M'));
    trace->named = true;
}

static void write_text(struct trace *trace, const char *event, int64_t pid, int64_t tid, const char *key,
                       const char *text)
{
    char escaped[TRACE_THREAD_NAME_MAX * JSON_TEXT_EXPANSION];
    size_t length = json_text_piece(text, strlen(text), TRACE_THREAD_NAME_MAX);
    write_metadata(trace, event, pid, tid, key, escaped, json_text_escape(escaped, text, length), 0);
}

static void write_place(struct trace *trace, const char *event, int64_t pid, int64_t tid, int64_t sort_index)
{
    if (!trace->style.unplaced)
        write_metadata(trace, event, pid, tid, "sort_index", NULL, 0, sort_index);
}

void trace_name_process(struct trace *trace, int64_t pid, int64_t sort_index, const char *name, const char *label)
{
    write_text(trace, "process_name", pid, 0, "name", name);
    if (label != NULL)
        write_text(trace, "process_labels", pid, 0, "labels", label);
    write_place(trace, "process_sort_index", pid, 0, sort_index);
}

void trace_name_thread(struct trace *trace, int64_t pid, int64_t tid, int64_t sort_index, const char *name)
{
    write_text(trace, "thread_name", pid, tid, "name", name);
    write_place(trace, "thread_sort_index", pid, tid, sort_index);
}

void trace_name_thread_json(struct trace *trace, int64_t pid, int64_t tid, int64_t sort_index,
                            const struct strbuf *name)
{
    outfile_check(&trace->out, name);
    write_metadata(trace, "thread_name", pid, tid, "name", name->data, name->length, 0);
    write_place(trace, "thread_sort_index", pid, tid, sort_index);
}

/* ---- pieces of events ---- */

char *trace_put_string(char *p, const char *text)
{
    *p++ = '"';
    p += json_text_escape(p, text, strlen(text));
    *p++ = '"';
    return p;
}

char *trace_put_name_of(char *p, const struct trace_style *style, const char *key, size_t key_length, const char *text)
{
    if (!style->coded)
        return trace_put_string(trace_put_bytes(p, key, key_length), text);
    char *copy = p + sizeof(struct event_value);
    const size_t plain = strlen(text), length = json_text_escape(copy, text, plain);
    char *end = trace_put_coded_text(p, CODE_TEXT, key, key_length, text, length);
    if (length == plain && memcmp(copy, text, length) == 0)
        return end;
    *p = CODE_COPY;
    return copy + length;
}

char *trace_event_room(struct trace *trace, size_t texts, struct err *err)
{
    const size_t room = 4 * (size_t)TRACE_EVENT_MAX + texts;
    trace->start = NULL;
    if (room <= OUTFILE_RESERVE_MAX)
        trace->start = trace_reserve(trace, room);
    else if (room <= trace->own_size || array_grow(&trace->own, &trace->own_size, 0, room, 1, err) == 0)
        trace->start = trace->own;
    return trace->start;
}

int trace_event_done(struct trace *trace, const char *end, struct err *err)
{
    const size_t comma = trace->named ? 0 : 1; /* none stands before the first */
    const size_t length = (size_t)(end - trace->start) - comma;
    if (trace->start == trace->own) {
        outfile_write(&trace->out, trace->start + comma, length);
    } else {
        if (comma > 0)
            memmove(trace->start, trace->start + comma, length);
        outfile_advance(&trace->out, length);
    }
    trace->named = true;
    if (++trace->events % TRACE_EVENTS_PER_POLL != 0)
        return 0;
    if (trace->tells_progress)
        timeline_progress(trace->run, TRACE_EVENTS_PER_POLL);
    if (interrupted())
        return interrupt_error(err);
    return outfile_failed(&trace->out) ? err_set(err, ERR_IO, "cannot write '%s'", trace->path) : 0;
}

void timeline_progress(struct timeline_run *run, uint64_t events)
{
    run->done += events;
    progress_update(run->options->progress, "timeline", run->done, run->total);
}

/* ---- guests ---- */

size_t trace_guest_room(const struct trace_guest *guest, const struct trace_launch *launch)
{
    return 2 * (size_t)TRACE_EVENT_MAX + (guest->argument != NULL ? JSON_TEXT_EXPANSION * strlen(launch->name) : 0);
}

char *trace_guest_put_argument(char *p, const struct trace_guest *guest, const struct trace_launch *launch)
{
    if (guest->argument == NULL)
        return p;
    p = trace_put_literal(p, ",\"");
    p = trace_put_word(p, guest->argument);
    return trace_put_string(trace_put_literal(p, "\":"), launch->name);
}

static char *put_end(char *p, const struct trace_guest *guest, const struct trace_style *style, char phase, int64_t id,
                     const struct trace_launch *at)
{
    p = trace_begin_event(p);
    p = trace_put_literal(p, "\"");
    p = trace_put_word(p, guest->flow.name);
    p = trace_put_literal(p, "\",\"ph\":\"");
    *p++ = phase;
    p = trace_put_literal(p, "\",\"bp\":\"e\",\"id\":");
    if (guest->flow_of_text) {
        *p++ = '"';
        p = number_put_signed(p, id);
        *p++ = '"';
    } else {
        p = number_put_signed(p, id);
    }
    p = trace_put_place(p, style, at->pid, at->tid);
    p = trace_put_time(p, style, at->time_ns);
    p = trace_put_literal(p, ",\"cat\":\"");
    p = trace_put_word(p, guest->flow.category);
    return trace_put_literal(p, "\"}");
}

char *trace_guest_put_arrow(char *p, const struct trace_guest *guest, const struct trace_launch *launch,
                            const struct trace_style *style, const struct trace_slice *slice, enum trace_row kind,
                            int64_t row)
{
    const int64_t id = row * TRACE_ROW_KINDS + kind;
    const struct trace_launch end = {slice->pid, slice->tid, slice->start_ns, NULL};
    p = put_end(p, guest, style, 's', id, launch);
    return put_end(p, guest, style, 'f', id, &end);
}
