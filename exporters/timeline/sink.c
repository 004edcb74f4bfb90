/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/timeline/sink.h"

#include "base/file/fsutil.h"
#include "base/file/large.h"
#include "base/search.h"
#include "base/strbuf.h"
#include "exporters/timeline/event.h"
#include "exporters/timeline/event_text.h"
#include "exporters/timeline/perfetto.h"
#include "exporters/timeline/speedscope.h"
#include "exporters/timeline/squeeze.h"
#include "features/answers/load/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX ((size_t)256 * 1024 * 1024) /* bytes of one event */
#define TEXT_MAX ((size_t)1024 * 1024)       /* bytes before the first event, and behind the last one */
#define REST_PIECE 1024
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

/* ---- the sink ---- */

/* A file. */
struct part {
    struct outfile file;
    struct squeeze *squeeze;       /* NULL: not compressed */
    struct outfile *out;           /* where its bytes go */
    struct perfetto *writer;       /* of Perfetto's format; NULL: of another one */
    struct speedscope *speedscope; /* NULL likewise */
    uint64_t events;               /* without metadata and arrows */
    bool any;                      /* an event or metadata is there */
};

struct trace_sink {
    const struct export_options *options;
    struct trace_cuts *cuts; /* NULL: all is one part */
    const struct cut_borders *borders;
    bool is_taken, is_wanted; /* by the options' taker */
    char *path;
    struct strbuf head, tail, rest; /* rest: an event whose end has not come */
    bool has_head, in_tail;
    struct event_text event; /* that is being taken */
    struct part parts[CUTS_AT_ONCE];
    size_t part_count;
    struct cut_bins *bins; /* of counting */
    struct err err;
};

/* ---- names ---- */

static bool is_json(const struct export_options *options)
{
    return options->trace_format == TRACE_JSON || options->trace_format == TRACE_JSON_GZ;
}

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
    static const char *const endings[] = {[TRACE_JSON] = ".json",
                                          [TRACE_JSON_GZ] = ".json.gz",
                                          [TRACE_PFTRACE] = ".pftrace",
                                          [TRACE_PFTRACE_RAW] = ".pftrace",
                                          [TRACE_SPEEDSCOPE] = ".speedscope.json",
                                          [TRACE_TAKEN] = ".json"};
    return endings[format];
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

static void part_abort(struct part *part)
{
    perfetto_free(part->writer);
    speedscope_free(part->speedscope);
    squeeze_abort(part->squeeze);
    outfile_abort(&part->file);
    *part = (struct part){.file = {.fd = -1, .lock_fd = -1}};
}

static int part_open(struct part *part, const struct trace_sink *sink, const char *path, struct err *err)
{
    const enum trace_format format = sink->options->trace_format;
    *part = (struct part){.out = &part->file};
    if (path == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for the name of a timeline");
    if (sink->is_taken) {
        part->file = (struct outfile){.fd = -1, .lock_fd = -1};
        return sink->is_wanted ? sink->options->taker->begin(sink->options->taker->arg, err) : 0;
    }
    if (format == TRACE_JSON_GZ || format == TRACE_PFTRACE) {
        part->squeeze = squeeze_open(path, format == TRACE_PFTRACE ? SQUEEZE_PACKETS : SQUEEZE_GZIP, err);
        part->out = part->squeeze != NULL ? squeeze_input(part->squeeze) : NULL;
    } else if (outfile_open(&part->file, path, err) < 0) {
        part->out = NULL;
    }
    if (part->out == NULL)
        return err_status(err);
    if (format == TRACE_SPEEDSCOPE)
        part->speedscope = speedscope_new(part->out, err);
    else if (!is_json(sink->options))
        part->writer = perfetto_new(part->out, err);
    return is_json(sink->options) || part->writer != NULL || part->speedscope != NULL ? 0 : err_status(err);
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
            part_abort(&sink->parts[sink->part_count]);
            return status;
        }
    }
    return 0;
}

/* Gives an event to a part; ret_bytes (may be NULL): how long it is as JSON. */
static int part_add(const struct trace_sink *sink, struct part *part, const struct event_text *event, const char *bytes,
                    size_t *ret_bytes, struct err *err)
{
    part->events += event->phase == 'X' || (part->speedscope == NULL && (event->phase == 'i' || event->phase == 'C'));
    if (sink->is_taken)
        return sink->is_wanted ? sink->options->taker->take(sink->options->taker->arg, event, err) : 0;
    if (part->speedscope != NULL)
        return speedscope_add(part->speedscope, event, err);
    if (part->writer != NULL)
        return perfetto_add(part->writer, event, err);
    if (!part->any)
        outfile_add(part->out, &sink->head);
    outfile_write(part->out, part->any ? ",\n" : "\n", part->any ? 2 : 1);
    const uint64_t before = part->out->written + part->out->used;
    event_text_write(part->out, &trace_style_msprof, bytes, bytes + event->length);
    if (ret_bytes != NULL)
        *ret_bytes = (size_t)(part->out->written + part->out->used - before);
    part->any = true;
    return outfile_failed(part->out) ? err_set(err, ERR_IO, "cannot write '%s'", sink->path) : 0;
}

/* ---- events ---- */

/* Whether something of an event is in the time that is asked for. */
static bool is_wanted(const struct export_options *options, const struct event_text *event)
{
    int64_t end_ns;
    if (__builtin_add_overflow(event->start_ns, event->duration_ns, &end_ns))
        end_ns = INT64_MAX;
    return (options->until_ns == 0 || event->start_ns < options->until_ns) &&
           (options->from_ns == 0 || event->start_ns >= options->from_ns || end_ns > options->from_ns);
}

static int count_event(struct trace_sink *sink, const struct event_text *event, const char *bytes, struct err *err)
{
    const size_t part = trace_cuts_part(sink->borders, sink->options, event->start_ns);
    size_t length = event->length;
    if (part >= sink->cuts->parts)
        sink->cuts->parts = part + 1;
    if (sink->options->split == SPLIT_TIME)
        return 0;
    if (part_add(sink, &sink->parts[0], event, bytes, &length, err) < 0)
        return err_status(err);
    cut_bins_add(sink->bins, event->start_ns, length);
    return 0;
}

/* Takes a coded event straight into the only file; NULL: it is none, or err is set. */
static const char *take_coded(struct trace_sink *sink, const char *event, const char *end, struct err *err)
{
    char phase;
    if (sink->parts[0].writer == NULL || sink->cuts != NULL || chooses(sink->options))
        return NULL;
    const char *stop = perfetto_take(sink->parts[0].writer, event, end, &phase, err);
    if (stop != NULL)
        sink->parts[0].events += phase == 'X' || phase == 'i';
    return stop;
}

static int take_event(struct trace_sink *sink, const struct event_text *event, const char *bytes, struct err *err)
{
    if (event->phase == 'M') {
        int status = 0;
        for (size_t i = 0; i < sink->part_count && status == 0; i++)
            status = part_add(sink, &sink->parts[i], event, bytes, NULL, err);
        return status;
    }
    if (!is_wanted(sink->options, event))
        return 0;
    if (sink->cuts == NULL)
        return part_add(sink, &sink->parts[0], event, bytes, NULL, err);
    if (sink->cuts->counting)
        return count_event(sink, event, bytes, err);
    const size_t part = trace_cuts_part(sink->borders, sink->options, event->start_ns);
    if (part < sink->cuts->first || part >= sink->cuts->first + sink->part_count)
        return 0;
    return part_add(sink, &sink->parts[part - sink->cuts->first], event, bytes, NULL, err);
}

static int keep(struct strbuf *text, const char *bytes, const char *end, struct err *err)
{
    return strbuf_add(text, bytes, (size_t)(end - bytes)) < 0
               ? err_set(err, ERR_LIMIT, "an event, or the text around the events, is too long for a timeline")
               : 0;
}

/* Takes the head, events, each behind a comma and the end of a line, and the tail; *at: what has not come as a whole.
 */
static int take_events(struct trace_sink *sink, const char **at, const char *end, struct err *err)
{
    static const char facts[] = TRACE_FACTS_BEGIN;
    if (!sink->has_head) {
        const char *line = memchr(*at, '\n', (size_t)(end - *at));
        if (line == NULL)
            return 0;
        sink->has_head = true;
        if (keep(&sink->head, *at, line, err) < 0)
            return err_status(err);
        *at = line;
    }
    while (!sink->in_tail) {
        const char *event = *at + (*at < end && **at == ',') + 1, *stop;
        if (event >= end)
            return 0;
        const size_t length = (size_t)(end - event), compared = length < sizeof facts - 1 ? length : sizeof facts - 1;
        if (memcmp(event, facts, compared) == 0) {
            if (compared < sizeof facts - 1)
                return 0;
            sink->in_tail = true;
            break;
        }
        if ((stop = take_coded(sink, event, end, err)) == NULL) {
            if (err->code != ERR_NONE)
                return err_status(err);
            if ((stop = event_text_read(event, end, &sink->event)) == NULL)
                return 0;
            if (take_event(sink, &sink->event, event, err) < 0)
                return err_status(err);
        }
        *at = stop;
    }
    const char *tail = *at;
    *at = end;
    return keep(&sink->tail, tail, end, err);
}

/* Takes the event whose beginning is kept, and gives back what follows it; *at: the end of what was taken. */
static int take_rest(struct trace_sink *sink, const char **at, const char *end, struct err *err)
{
    for (size_t piece = REST_PIECE; sink->rest.length > 0 && *at < end; piece *= 2) {
        const size_t length = piece < (size_t)(end - *at) ? piece : (size_t)(end - *at);
        if (keep(&sink->rest, *at, *at + length, err) < 0)
            return err_status(err);
        const char *taken = sink->rest.data, *stop = taken + sink->rest.length;
        if (take_events(sink, &taken, stop, err) < 0)
            return err_status(err);
        *at += length;
        if ((size_t)(stop - taken) <= length) {
            *at -= stop - taken;
            strbuf_clear(&sink->rest);
        } else if (taken > sink->rest.data) {
            sink->rest.length = (size_t)(stop - taken);
            memmove(sink->rest.data, taken, sink->rest.length);
        }
    }
    return 0;
}

static int take_bytes(struct trace_sink *sink, const char *bytes, size_t length, struct err *err)
{
    const char *at = bytes, *end = bytes + length;
    if (take_rest(sink, &at, end, err) < 0 || take_events(sink, &at, end, err) < 0)
        return err_status(err);
    return keep(&sink->rest, at, end, err);
}

/* Whether its bytes are compressed as they are. */
static bool is_plain(const struct trace_sink *sink)
{
    return sink->options->trace_format == TRACE_JSON_GZ && sink->options->split == SPLIT_NONE &&
           !chooses(sink->options);
}

bool trace_sink_codes(const struct trace_sink *sink)
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
    for (size_t i = 0; i < sink->part_count; i++) {
        if (sink->parts[i].writer != NULL)
            perfetto_forget_texts(sink->parts[i].writer);
    }
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
    sink->is_taken = options->trace_format == TRACE_TAKEN;
    sink->is_wanted = strcmp(report, "msprof") == 0;
    sink->cuts = options->split != SPLIT_NONE ? options->cuts : NULL;
    sink->err = (struct err)ERR_INIT;
    strbuf_init(&sink->head, TEXT_MAX);
    strbuf_init(&sink->tail, TEXT_MAX);
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

int trace_sink_failed(const struct trace_sink *sink, bool whole, struct err *err)
{
    if (sink->err.code != ERR_NONE)
        *err = sink->err;
    else if (whole && !is_plain(sink) && !sink->in_tail)
        return err_set(err, ERR_FORMAT, "cannot read back an event of a timeline: %.200s", sink->rest.data);
    return -(int)sink->err.code;
}

/* The facts of the trace, from the tail. */
static struct event_span about(const struct trace_sink *sink)
{
    static const char key[] = TRACE_FACTS_KEY, end[] = TRACE_FACTS_END;
    const char *text = strstr(sink->tail.data, key);
    if (text == NULL)
        return (struct event_span){"", 0};
    text += sizeof key - 1;
    return (struct event_span){text, strlen(text) - (sizeof end - 1)};
}

/* The name of a profile is that of its file, without the ending of JSON. */
static int end_speedscope(const struct trace_sink *sink, struct speedscope *writer, struct err *err)
{
    const char *file = path_name(sink->path);
    SCOPED_FREE char *name = scoped_text(file, strlen(file) - strlen(".json"));
    return name != NULL ? speedscope_end(writer, name, err) : err_no_memory(err);
}

/* Completes a file that has events; *ret_bytes: how long it is. */
static int part_commit(const struct trace_sink *sink, struct part *part, int64_t unix_ns, bool plain,
                       uint64_t *ret_bytes, struct err *err)
{
    *ret_bytes = 0;
    if (sink->is_taken)
        return 0;
    if (part->writer != NULL && perfetto_end(part->writer, about(sink), unix_ns, err) < 0)
        return err_status(err);
    if (part->speedscope != NULL && end_speedscope(sink, part->speedscope, err) < 0)
        return err_status(err);
    if (part->writer == NULL && part->speedscope == NULL && !plain)
        outfile_add(part->out, &sink->tail);
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

int trace_sink_commit(struct trace_sink *sink, uint64_t drawn, const char *report, int64_t unix_ns,
                      struct export_result *result, struct err *err)
{
    const bool counting = sink->cuts != NULL && sink->cuts->counting, plain = is_plain(sink);
    int status = 0;
    for (size_t i = 0; i < sink->part_count && status == 0; i++) {
        const uint64_t events = plain ? drawn : sink->parts[i].events;
        uint64_t bytes;
        if (events == 0)
            continue;
        if (part_commit(sink, &sink->parts[i], unix_ns, plain, &bytes, err) < 0)
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
        part_abort(&sink->parts[i]);
    strbuf_release(&sink->head);
    strbuf_release(&sink->tail);
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
