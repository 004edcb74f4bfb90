/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/timeline/sink.h"

#include "base/file/fsutil.h"
#include "base/file/large.h"
#include "base/search.h"
#include "base/strbuf.h"
#include "exporters/timeline/event_json.h"
#include "exporters/timeline/perfetto.h"
#include "exporters/timeline/speedscope.h"
#include "exporters/timeline/squeeze.h"
#include "features/answers/load/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX ((size_t)256 * 1024 * 1024) /* bytes of one event */
#define PATH_LIMIT 8192

/* ---- cuts: which part of a file an event is in. A capture's timelines are drawn as often as their parts need it,
 * CUTS_AT_ONCE of them each time ---- */

#define CUTS_AT_ONCE 16
#define CUTS_MAX 1000

/* How many bytes events have, by their time. */
#define CUT_BINS 4096
struct cut_bins {
    int64_t width_ns; /* of each, from 0 on; 0: nothing is there */
    uint64_t bytes[CUT_BINS], all;
};

/* Borders of one file, by its path. */
struct file_cuts {
    char *path;
    struct cut_borders borders;
};

/* State of one export. */
struct trace_cuts {
    size_t first;  /* of the parts that are being written */
    size_t parts;  /* so many have been met */
    bool counting; /* nothing is written: bytes are counted, by time */
    struct cut_borders steps;
    struct ARRAY_OF(struct file_cuts) files; /* of --split size */
};

/* Parts are planned a little smaller: bytes are not spread evenly over the time of a bin, and each has a head. */
#define PLANNED 0.95

static void cut_bins_add(struct cut_bins *bins, int64_t time_ns, size_t bytes)
{
    const int64_t time = time_ns > 0 ? time_ns : 0;
    if (bins->width_ns == 0)
        bins->width_ns = 1;
    while (time / bins->width_ns >= CUT_BINS) {
        for (size_t i = 0; i < CUT_BINS / 2; i++)
            bins->bytes[i] = bins->bytes[2 * i] + bins->bytes[2 * i + 1];
        memset(bins->bytes + CUT_BINS / 2, 0, sizeof bins->bytes / 2);
        bins->width_ns *= 2;
    }
    bins->bytes[time / bins->width_ns] += bytes;
    bins->all += bytes;
}

static int add_border(struct cut_borders *borders, int64_t time_ns, struct err *err)
{
    if (array_reserve(borders, 1, err) < 0)
        return err_status(err);
    borders->items[borders->count++] = time_ns;
    return 0;
}

/* Cuts a file, whose size will be of size_bytes as a whole, so that its parts have about limit bytes at most. */
static int trace_cuts_by_size(struct trace_cuts *cuts, const char *path, const struct cut_bins *bins,
                              uint64_t size_bytes, uint64_t limit, struct err *err)
{
    if (array_reserve(&cuts->files, 1, err) < 0)
        return err_status(err);
    struct file_cuts *file = &cuts->files.items[cuts->files.count];
    *file = (struct file_cuts){.path = strdup(path)};
    if (file->path == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for the parts of '%s'", path);
    cuts->files.count++;
    const double each = bins->all > 0 ? (double)size_bytes / (double)bins->all : 0;
    double part = 0;
    for (size_t i = 0; i < CUT_BINS; i++) {
        const double bytes = (double)bins->bytes[i] * each;
        if (part > 0 && part + bytes > PLANNED * (double)limit) {
            if (add_border(&file->borders, (int64_t)i * bins->width_ns, err) < 0)
                return err_status(err);
            part = 0;
        }
        part += bytes;
    }
    return 0;
}

/* The borders of a file; NULL: none. */
static const struct cut_borders *trace_cuts_of(const struct trace_cuts *cuts, const struct export_options *options,
                                               const char *path)
{
    if (options->split == SPLIT_STEPS)
        return &cuts->steps;
    for (size_t i = 0; i < cuts->files.count; i++) {
        if (strcmp(cuts->files.items[i].path, path) == 0)
            return &cuts->files.items[i].borders;
    }
    return NULL;
}

/* The part of an event that begins then, from 0. */
static size_t trace_cuts_part(const struct cut_borders *borders, const struct export_options *options, int64_t time_ns)
{
    if (options->split == SPLIT_TIME) {
        return time_ns > options->from_ns ? (size_t)((time_ns - options->from_ns) / options->split_value) : 0;
    }
    return borders != NULL ? search_until(borders->items, borders->count, sizeof *borders->items, 0, time_ns) : 0;
}

/* ---- formats ---- */

enum trace_way { WAY_PLAIN, WAY_GZIP, WAY_PACKETS, WAY_NOWHERE };

static const struct event_writer taker_writer;

static const struct trace_form {
    const char *ending;
    const struct event_writer *writer;
    enum trace_way way; /* of the bytes */
} forms[] = {[TRACE_JSON] = {".json", &json_writer, WAY_PLAIN},
             [TRACE_JSON_GZ] = {".json.gz", &json_writer, WAY_GZIP},
             [TRACE_PFTRACE] = {".pftrace", &perfetto_writer, WAY_PACKETS},
             [TRACE_PFTRACE_RAW] = {".pftrace", &perfetto_writer, WAY_PLAIN},
             [TRACE_SPEEDSCOPE] = {".speedscope.json", &speedscope_writer, WAY_PLAIN},
             [TRACE_TAKEN] = {".json", &taker_writer, WAY_NOWHERE}};

/* A document of JSON. */
struct json_document {
    struct outfile *out;
    bool any; /* an event or metadata is there */
    struct trace_place place;
    char *own;
    size_t own_size; /* memory of events that the buffer has no room for */
};

static void *json_open(struct outfile *out, const struct export_options *options, struct err *err)
{
    struct json_document *document = calloc(1, sizeof *document);
    (void)options;
    if (document == NULL)
        err_no_memory(err);
    else
        document->out = out;
    return document;
}

static void json_free(void *opaque)
{
    struct json_document *document = opaque;
    if (document != NULL)
        free(document->own);
    free(document);
}

static int json_add(void *opaque, const struct event *event, struct err *err)
{
    struct json_document *document = opaque;
    const size_t room = event_json_room(event);
    char *start;
    if (room <= OUTFILE_RESERVE_MAX)
        start = outfile_reserve(document->out, room);
    else if (room <= document->own_size || array_grow(&document->own, &document->own_size, 0, room, 1, err) == 0)
        start = document->own;
    else
        return err_status(err);
    const size_t length = (size_t)(event_put_json(start, &trace_style_msprof, event, &document->place) - start);
    if (!document->any)
        *start = '['; /* in the place of the comma */
    document->any = true;
    if (start == document->own)
        outfile_write(document->out, start, length);
    else
        outfile_advance(document->out, length);
    return outfile_failed(document->out) ? err_set(err, ERR_IO, "cannot write '%s'", document->out->path) : 0;
}

/* The last event is a metadata event with the name that catapult knows for such facts. */
void trace_put_end(struct outfile *out, const struct trace_about *about)
{
    char *start = outfile_reserve(out, TRACE_EVENT_MAX), *p = start;
    if (about->facts->length > 0) {
        p = trace_put_literal(p, ",\n{\"name\":\"TraceConfig\",\"ph\":\"M\",\"pid\":");
        p = trace_put_literal(number_put_signed(p, about->first_pid), ",\"tid\":0,\"args\":{\"value\":");
        outfile_advance(out, (size_t)(p - start));
        outfile_add(out, about->facts);
        start = p = outfile_reserve(out, TRACE_EVENT_MAX);
        p = trace_put_literal(p, "}}");
    }
    outfile_advance(out, (size_t)(trace_put_literal(p, "\n]\n") - start));
}

static int json_end(void *opaque, const struct trace_about *about, const char *name, struct err *err)
{
    (void)name;
    (void)err;
    trace_put_end(((struct json_document *)opaque)->out, about);
    return 0;
}

const struct event_writer json_writer = {.open = json_open, .add = json_add, .end = json_end, .free = json_free};

/* Of TRACE_TAKEN: the options' taker, which gets the events as they are. */
struct taking {
    const struct event_taker *taker;
};

static void *taker_open(struct outfile *out, const struct export_options *options, struct err *err)
{
    struct taking *taking = calloc(1, sizeof *taking);
    (void)out;
    if (taking == NULL) {
        err_no_memory(err);
        return NULL;
    }
    taking->taker = options->taker;
    if (options->taker->begin(options->taker->arg, err) == 0)
        return taking;
    free(taking);
    return NULL;
}

static int taker_add(void *opaque, const struct event *event, struct err *err)
{
    const struct event_taker *taker = ((const struct taking *)opaque)->taker;
    return taker->take(taker->arg, event, err);
}

static int taker_end(void *opaque, const struct trace_about *about, const char *name, struct err *err)
{
    (void)opaque;
    (void)about;
    (void)name;
    (void)err;
    return 0;
}

static const struct event_writer taker_writer = {.open = taker_open, .add = taker_add, .end = taker_end, .free = free};

/* ---- the sink ---- */

/* A file. */
struct part {
    struct outfile file;
    struct squeeze *squeeze; /* NULL: not compressed */
    struct outfile *out;     /* where its bytes go */
    void *writer;            /* of the format; NULL: the events are not wanted */
    uint64_t events;         /* without metadata and arrows */
};

struct trace_sink {
    const struct export_options *options;
    const struct trace_form *form;
    struct trace_cuts *cuts; /* NULL: all is one part */
    const struct cut_borders *borders;
    bool is_wanted; /* a taker has the events of the timeline of everything alone */
    char *path;
    struct strbuf rest; /* an event whose end has not come */
    struct event event; /* that is being taken */
    struct part parts[CUTS_AT_ONCE];
    size_t part_count;
    struct cut_bins *bins; /* of counting */
    struct err err;
};

/* ---- names ---- */

static bool chooses(const struct export_options *options)
{
    return options->from_ns > 0 || options->until_ns > 0;
}

bool trace_sink_needed(const struct export_options *options)
{
    return options->trace_format != TRACE_JSON || options->split != SPLIT_NONE || chooses(options);
}

const char *export_trace_ending(enum trace_format format)
{
    return forms[format].ending;
}

/* part: 0: of the whole. */
static char *path_of(const struct export_options *options, const char *path, size_t part)
{
    struct strbuf text;
    size_t length = strlen(path);
    static const char json[] = ".json";
    if (length >= sizeof json && strcmp(path + length - (sizeof json - 1), json) == 0)
        length -= sizeof json - 1;
    strbuf_init(&text, PATH_LIMIT);
    strbuf_add(&text, path, length);
    if (part > 0)
        strbuf_addf(&text, "_part_%04zu", part);
    strbuf_adds(&text, export_trace_ending(options->trace_format));
    return strbuf_detach(&text);
}

char *trace_sink_path(const struct export_options *options, const char *path)
{
    return path_of(options, path, 0);
}

/* ---- parts ---- */

static void part_abort(const struct trace_sink *sink, struct part *part)
{
    sink->form->writer->free(part->writer);
    squeeze_abort(part->squeeze);
    outfile_abort(&part->file);
    *part = (struct part){.file = {.fd = -1, .lock_fd = -1}};
}

static int part_open(struct part *part, const struct trace_sink *sink, const char *path, struct err *err)
{
    const enum trace_way way = sink->form->way;
    *part = (struct part){.file = {.fd = -1, .lock_fd = -1}, .out = &part->file};
    if (path == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for the name of a timeline");
    if (way == WAY_GZIP || way == WAY_PACKETS) {
        part->squeeze = squeeze_open(path, way == WAY_GZIP ? SQUEEZE_GZIP : SQUEEZE_PACKETS, err);
        part->out = part->squeeze != NULL ? squeeze_input(part->squeeze) : NULL;
    } else if (way == WAY_PLAIN && outfile_open(&part->file, path, err) < 0) {
        part->out = NULL;
    }
    if (part->out == NULL || !sink->is_wanted)
        return part->out != NULL ? 0 : err_status(err);
    part->writer = sink->form->writer->open(part->out, sink->options, err);
    return part->writer != NULL ? 0 : err_status(err);
}

static int open_parts(struct trace_sink *sink, struct err *err)
{
    static const char nowhere[] = "/dev/null";
    const bool counting = sink->cuts != NULL && sink->cuts->counting;
    const size_t count = sink->cuts != NULL && !counting ? CUTS_AT_ONCE : 1;
    for (; sink->part_count < count; sink->part_count++) {
        if (sink->cuts != NULL && !counting && sink->cuts->first + sink->part_count >= sink->cuts->parts)
            break;
        char *path = counting ? strdup(nowhere)
                              : path_of(sink->options, sink->path,
                                        sink->cuts != NULL ? sink->cuts->first + sink->part_count + 1 : 0);
        int status = part_open(&sink->parts[sink->part_count], sink, path, err);
        free(path);
        if (status < 0) {
            part_abort(sink, &sink->parts[sink->part_count]);
            return status;
        }
    }
    return 0;
}

/* Gives an event to a part. */
static int part_add(const struct trace_sink *sink, struct part *part, const struct event *event, struct err *err)
{
    const char phase = event->head.phase;
    part->events += phase == 'X' || (!sink->form->writer->slices_alone && (phase == 'i' || phase == 'C'));
    return part->writer != NULL ? sink->form->writer->add(part->writer, event, err) : 0;
}

/* ---- events ---- */

/* Whether something of an event is in the time that is asked for. */
static bool is_wanted(const struct export_options *options, const struct event_head *event)
{
    return (options->until_ns == 0 || event->start_ns < options->until_ns) &&
           (options->from_ns == 0 || event->start_ns >= options->from_ns ||
            span_end(event->start_ns, event->duration_ns) > options->from_ns);
}

/* An event is as long as it becomes, or where its format writes all at the end, as it was handed over. */
static int count_event(struct trace_sink *sink, struct err *err)
{
    enum { BETWEEN = 2 }; /* bytes before an event of JSON that are no part of it */
    const int64_t start_ns = sink->event.head.start_ns;
    const size_t part = trace_cuts_part(sink->borders, sink->options, start_ns);
    const struct outfile *out = sink->parts[0].out;
    const uint64_t before = out->written + out->used;
    if (part >= sink->cuts->parts)
        sink->cuts->parts = part + 1;
    if (sink->options->split == SPLIT_TIME)
        return 0;
    if (part_add(sink, &sink->parts[0], &sink->event, err) < 0)
        return err_status(err);
    const size_t bytes = (size_t)(out->written + out->used - before);
    cut_bins_add(sink->bins, start_ns, bytes > BETWEEN ? bytes - BETWEEN : sink->event.head.size);
    return 0;
}

static int take_event(struct trace_sink *sink, const char *packed, struct err *err)
{
    const struct event *event = &sink->event;
    event_unpack(&sink->event, packed);
    if (event->head.phase == 'M') {
        int status = 0;
        for (size_t i = 0; i < sink->part_count && status == 0; i++)
            status = part_add(sink, &sink->parts[i], event, err);
        return status;
    }
    if (!is_wanted(sink->options, &event->head))
        return 0;
    if (sink->cuts == NULL)
        return part_add(sink, &sink->parts[0], event, err);
    if (sink->cuts->counting)
        return count_event(sink, err);
    const size_t part = trace_cuts_part(sink->borders, sink->options, event->head.start_ns);
    if (part < sink->cuts->first || part >= sink->cuts->first + sink->part_count)
        return 0;
    return part_add(sink, &sink->parts[part - sink->cuts->first], event, err);
}

/* Takes what is missing of the event whose beginning is kept; returns how many bytes, 0: err is set. */
static size_t take_rest(struct trace_sink *sink, const char *bytes, size_t length, struct err *err)
{
    struct strbuf *rest = &sink->rest;
    const bool has_size = rest->length >= sizeof(uint32_t);
    const size_t missing = (has_size ? event_packed_size(rest->data) : sizeof(uint32_t)) - rest->length;
    const size_t taken = missing < length ? missing : length;
    if (strbuf_add(rest, bytes, taken) < 0) {
        err_set(err, ERR_LIMIT, "an event is too long for a timeline");
        return 0;
    }
    if (has_size && taken == missing) {
        if (take_event(sink, rest->data, err) < 0)
            return 0;
        strbuf_clear(rest);
    }
    return taken;
}

static int take_bytes(struct trace_sink *sink, const char *bytes, size_t length, struct err *err)
{
    for (size_t taken; length > 0; bytes += taken, length -= taken) {
        if (sink->rest.length == 0 && length >= sizeof(uint32_t) && length >= event_packed_size(bytes)) {
            taken = event_packed_size(bytes);
            if (take_event(sink, bytes, err) < 0)
                return err_status(err);
        } else if ((taken = take_rest(sink, bytes, length, err)) == 0) {
            return err_status(err);
        }
    }
    return 0;
}

/* Whether its bytes are compressed as they are. */
static bool is_plain(const struct trace_sink *sink)
{
    return sink->options->trace_format == TRACE_JSON_GZ && sink->options->split == SPLIT_NONE &&
           !chooses(sink->options);
}

bool trace_sink_takes_events(const struct trace_sink *sink)
{
    return !is_plain(sink);
}

int trace_sink_take(void *opaque, const char *bytes, size_t length)
{
    struct trace_sink *sink = opaque;
    if (sink->err.code != ERR_NONE)
        return EIO;
    if (is_plain(sink)) {
        outfile_write(sink->parts[0].out, bytes, length);
        return outfile_failed(sink->parts[0].out) ? sink->parts[0].out->failure : 0;
    }
    return take_bytes(sink, bytes, length, &sink->err) < 0 ? EIO : 0;
}

void trace_sink_forget_texts(struct trace_sink *sink)
{
    for (size_t i = 0; i < sink->part_count && sink->form->writer->forget_texts != NULL; i++)
        sink->form->writer->forget_texts(sink->parts[i].writer);
}

/* ---- the whole ---- */

struct trace_sink *trace_sink_open(const struct export_options *options, const char *path, const char *report,
                                   struct err *err)
{
    struct trace_sink *sink = calloc(1, sizeof *sink);
    if (sink == NULL) {
        err_set(err, ERR_NO_MEMORY, "out of memory for a timeline");
        return NULL;
    }
    sink->options = options;
    sink->form = &forms[options->trace_format];
    sink->is_wanted = sink->form->way != WAY_NOWHERE || strcmp(report, "msprof") == 0;
    sink->cuts = options->split != SPLIT_NONE ? options->cuts : NULL;
    sink->err = (struct err)ERR_INIT;
    strbuf_init(&sink->rest, LINE_MAX);
    sink->path = strdup(path);
    sink->bins = sink->cuts != NULL && sink->cuts->counting ? calloc(1, sizeof *sink->bins) : NULL;
    if (sink->cuts != NULL)
        sink->borders = trace_cuts_of(sink->cuts, options, path);
    if (sink->path == NULL || (sink->cuts != NULL && sink->cuts->counting && sink->bins == NULL))
        err_set(err, ERR_NO_MEMORY, "out of memory for a timeline");
    else if (open_parts(sink, err) == 0)
        return sink;
    trace_sink_abort(sink);
    return NULL;
}

int trace_sink_failed(const struct trace_sink *sink, struct err *err)
{
    if (sink->err.code != ERR_NONE)
        *err = sink->err;
    return -(int)sink->err.code;
}

/* Ends what is in the format. The name of the whole is that of its file, without the ending of JSON. */
static int end_writer(const struct trace_sink *sink, struct part *part, const struct trace_about *about,
                      struct err *err)
{
    const char *file = path_name(sink->path);
    SCOPED_FREE char *name = scoped_text(file, strlen(file) - strlen(".json"));
    return name != NULL ? sink->form->writer->end(part->writer, about, name, err) : err_no_memory(err);
}

/* Completes a file that has events; *ret_bytes: how long it is. */
static int part_commit(const struct trace_sink *sink, struct part *part, const struct trace_about *about,
                       uint64_t *ret_bytes, struct err *err)
{
    *ret_bytes = 0;
    if (trace_sink_takes_events(sink) && part->writer != NULL && end_writer(sink, part, about, err) < 0)
        return err_status(err);
    if (sink->form->way == WAY_NOWHERE)
        return 0;
    if (part->squeeze == NULL) {
        *ret_bytes = part->file.written + part->file.used;
        return outfile_commit(&part->file, err);
    }
    struct squeeze *squeeze = part->squeeze;
    part->squeeze = NULL;
    return squeeze_commit(squeeze, ret_bytes, err);
}

static int tell_part(const struct trace_sink *sink, size_t i, uint64_t events, const char *report,
                     struct export_result *result, struct err *err)
{
    char *path = path_of(sink->options, sink->path, sink->cuts != NULL ? sink->cuts->first + i + 1 : 0);
    if (path == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for the name of a timeline");
    result->files++;
    result->rows += events;
    if (sink->options->written != NULL)
        sink->options->written(sink->options->written_arg, report, path);
    free(path);
    return 0;
}

/* Ends the counting of a file. */
static int count_file(struct trace_sink *sink, uint64_t bytes, struct err *err)
{
    struct trace_cuts *cuts = sink->cuts;
    if (sink->options->split != SPLIT_SIZE)
        return 0;
    if (trace_cuts_by_size(cuts, sink->path, sink->bins, bytes, (uint64_t)sink->options->split_value, err) < 0)
        return err_status(err);
    const size_t parts = cuts->files.items[cuts->files.count - 1].borders.count + 1;
    cuts->parts = parts > cuts->parts ? parts : cuts->parts;
    return 0;
}

int trace_sink_commit(struct trace_sink *sink, uint64_t drawn, const char *report, const struct trace_about *about,
                      struct export_result *result, struct err *err)
{
    const bool counting = sink->cuts != NULL && sink->cuts->counting, plain = is_plain(sink);
    int status = 0;
    for (size_t i = 0; i < sink->part_count && status == 0; i++) {
        const uint64_t events = plain ? drawn : sink->parts[i].events;
        uint64_t bytes;
        if (events == 0)
            continue;
        if (part_commit(sink, &sink->parts[i], about, &bytes, err) < 0)
            status = err_status(err);
        else
            status = counting ? count_file(sink, bytes, err) : tell_part(sink, i, events, report, result, err);
    }
    trace_sink_abort(sink);
    return status;
}

void trace_sink_abort(struct trace_sink *sink)
{
    if (sink == NULL)
        return;
    for (size_t i = 0; i < sink->part_count; i++)
        part_abort(sink, &sink->parts[i]);
    strbuf_release(&sink->rest);
    free(sink->path);
    free(sink->bins);
    free(sink);
}

/* ---- as often as there are parts ---- */

static int by_number(const void *a, const void *b)
{
    const struct workload_step *one = *(const struct workload_step *const *)a;
    const struct workload_step *other = *(const struct workload_step *const *)b;
    int order = array_order(one->model_id, other->model_id);
    order = order != 0 ? order : array_order(one->number, other->number);
    return order != 0 ? order : array_order(one->start_ns, other->start_ns);
}

/* Whether another device goes through the same step. */
static bool is_same(const struct workload_step *first, const struct workload_step *step)
{
    return first != NULL && first->model_id == step->model_id && first->number == step->number &&
           first->device != step->device && step->start_ns < first->end_ns;
}

static int take_steps(const struct workload *workload, int64_t origin_ns, struct cut_borders *ret, struct err *err)
{
    SCOPED_FREE const struct workload_step **steps = scoped_memory(workload->step_count + 1, sizeof *steps);
    const struct workload_step *first = NULL;
    if (steps == NULL || array_reserve(ret, workload->step_count, err) < 0)
        return err_no_memory(err);
    for (size_t i = 0; i < workload->step_count; i++)
        steps[i] = &workload->steps[i];
    qsort((void *)steps, workload->step_count, sizeof *steps, by_number);
    for (size_t i = 0; i < workload->step_count; large_pass(i++)) {
        if (steps[i]->source != (uint8_t)workload->step_source || is_same(first, steps[i]))
            continue;
        first = steps[i];
        ret->items[ret->count++] = time_since(first->start_ns, origin_ns);
    }
    return 0;
}

int trace_cuts_read_steps(sqlite3 *db, int64_t origin_ns, struct cut_borders *ret, struct err *err)
{
    struct workload workload;
    int status = workload_load(db, WITHOUT_COUNTERS, &workload, err);
    if (status < 0)
        return status;
    status = take_steps(&workload, origin_ns, ret, err);
    workload_release(&workload);
    return status;
}

static void trace_cuts_release(struct trace_cuts *cuts)
{
    for (size_t i = 0; i < cuts->files.count; i++) {
        free(cuts->files.items[i].path);
        free(cuts->files.items[i].borders.items);
    }
    free(cuts->files.items);
    free(cuts->steps.items);
    *cuts = (struct trace_cuts){0};
}

/* The first step is in the first part, with what came before it. */
static int prepare_steps(struct trace_cuts *cuts, int (*steps)(void *arg, struct cut_borders *ret, struct err *err),
                         void *arg, struct err *err)
{
    struct cut_borders *borders = &cuts->steps;
    size_t count = 0;
    if (steps(arg, borders, err) < 0)
        return err_status(err);
    array_sort(borders->items, borders->count, sizeof *borders->items, array_compare_numbers);
    for (size_t i = 1; i < borders->count; i++) {
        if (borders->items[i] != borders->items[i - 1])
            borders->items[count++] = borders->items[i];
    }
    borders->count = count;
    return 0;
}

static int check_parts(const struct trace_cuts *cuts, struct err *err)
{
    if (cuts->parts <= CUTS_MAX)
        return 0;
    err_set(err, ERR_USAGE, "--split makes more than %d parts", CUTS_MAX);
    err_hint_caller(err, "choose longer parts, or a time range");
    return err_hint(err, "choose longer parts, or a time range with --from and --until");
}

int trace_cuts_draw(const struct export_options *options,
                    int (*draw)(void *arg, const struct export_options *options, struct err *err),
                    int (*steps)(void *arg, struct cut_borders *ret, struct err *err), void *arg, struct err *err)
{
    struct trace_cuts cuts = {.first = 0};
    struct export_options parts = *options;
    int status = 0;
    parts.cuts = &cuts;
    if (options->split == SPLIT_NONE)
        return draw(arg, options, err);
    if (options->split == SPLIT_STEPS)
        status = prepare_steps(&cuts, steps, arg, err);
    if (options->split != SPLIT_STEPS && status == 0) {
        cuts.counting = true;
        status = draw(arg, &parts, err);
        cuts.counting = false;
    } else {
        cuts.parts = cuts.steps.count + 1;
    }
    if (status == 0)
        status = check_parts(&cuts, err);
    for (; status == 0 && cuts.first < cuts.parts; cuts.first += CUTS_AT_ONCE)
        status = draw(arg, &parts, err);
    trace_cuts_release(&cuts);
    return status;
}
