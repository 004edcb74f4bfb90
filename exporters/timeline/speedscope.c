/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/timeline/speedscope.h"

#include "base/array.h"
#include "base/file/large.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/number.h"
#include "base/progress.h"
#include "exporters/json_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define TEXT_MAX ((size_t)1024 * 1024) /* bytes of a name */
#define EVENT_ROOM 96                  /* bytes of an opening or a closing */

struct slice {
    int64_t start_ns, end_ns;
    uint32_t track, frame;
};

/* Names are as JSON has them inside quotes. */
struct process {
    int64_t pid;
    int64_t rank;
    char *name, *label;
};

struct track {
    struct track_key {
        int64_t pid, tid;
    } key;
    int64_t rank;
    uint32_t number; /* of slices */
    bool has_slices;
    char *name;
};

struct speedscope {
    struct outfile *out;
    struct map processes, tracks;
    struct intern frames;
    struct slices ARRAY_OF(struct slice) slices; /* freed with large_free */
    struct ends ARRAY_OF(struct slice) open;     /* of the profile that is written */
};

static void *speedscope_open(struct outfile *out, const struct export_options *options, struct err *err)
{
    struct speedscope *writer = calloc(1, sizeof *writer);
    (void)options;
    if (writer == NULL) {
        err_no_memory(err);
        return NULL;
    }
    *writer =
        (struct speedscope){.out = out, .processes = MAP_OF(struct process, pid), .tracks = MAP_OF(struct track, key)};
    return writer;
}

static void speedscope_free(void *opaque)
{
    struct speedscope *writer = opaque;
    if (writer == NULL)
        return;
    for (struct process *process = NULL; (process = map_next(&writer->processes, process)) != NULL;) {
        free(process->name);
        free(process->label);
    }
    for (struct track *track = NULL; (track = map_next(&writer->tracks, track)) != NULL;)
        free(track->name);
    map_release(&writer->processes);
    map_release(&writer->tracks);
    intern_release(&writer->frames);
    large_free(writer->slices.items);
    free(writer->open.items);
    free(writer);
}

static struct track *track_of(struct speedscope *writer, const struct event_head *event, struct err *err)
{
    const struct track_key key = {event->pid, event->tid};
    bool added;
    struct track *track = map_add(&writer->tracks, &key, &added, err);
    if (track != NULL && added)
        track->number = (uint32_t)writer->tracks.used - 1;
    return track;
}

static int set_text(char **text, const struct event_arg *arg, struct err *err)
{
    free(*text);
    *text = strndup(arg->text, arg->length);
    return *text != NULL ? 0 : err_no_memory(err);
}

static int add_metadata(struct speedscope *writer, const struct event *event, struct err *err)
{
    const struct event_head *head = &event->head;
    const bool of_thread = strncmp(head->prefix, "thread", 6) == 0;
    struct process *process = of_thread ? NULL : map_add(&writer->processes, &head->pid, NULL, err);
    struct track *track = of_thread ? track_of(writer, head, err) : NULL;
    if (process == NULL && track == NULL)
        return err_status(err);
    if (event->args->type != EVENT_TEXT) {
        *(of_thread ? &track->rank : &process->rank) = event->args->integer;
        return 0;
    }
    const bool is_label = strcmp(head->prefix, "process_labels") == 0;
    return set_text(of_thread ? &track->name : is_label ? &process->label : &process->name, event->args, err);
}

static int speedscope_add(void *opaque, const struct event *event, struct err *err)
{
    struct speedscope *writer = opaque;
    const struct event_head *head = &event->head;
    struct slice slice = {.start_ns = head->start_ns};
    if (head->phase == 'M')
        return add_metadata(writer, event, err);
    if (head->phase != 'X')
        return 0;
    struct track *track = track_of(writer, head, err);
    SCOPED(strbuf_release) struct strbuf name;
    strbuf_init(&name, TEXT_MAX);
    strbuf_add(&name, head->prefix, head->prefix_length);
    strbuf_add(&name, head->name, head->name_length);
    if (name.failed)
        return err_set(err, ERR_LIMIT, "a name is too long for a timeline");
    if (track == NULL || intern_add(&writer->frames, name.data, name.length, &slice.frame, err) < 0 ||
        large_reserve(&writer->slices, 1, err) < 0)
        return err_status(err);
    track->has_slices = true;
    slice.track = track->number;
    slice.end_ns = number_add(head->start_ns, head->duration_ns);
    writer->slices.items[writer->slices.count++] = slice;
    return 0;
}

/* ---- the document ---- */

/* Of a track, those that enclose others first. */
static int compare_slices(const void *left, const void *right)
{
    const struct slice *a = left, *b = right;
    int order = array_order(a->track, b->track);
    if (order == 0)
        order = array_order(a->start_ns, b->start_ns);
    return order != 0 ? order : array_order(b->end_ns, a->end_ns);
}

static void write_event(struct speedscope *writer, bool *first, char type, const struct slice *slice)
{
    char *p = outfile_reserve(writer->out, EVENT_ROOM);
    const int length =
        snprintf(p, EVENT_ROOM, "%s{\"type\":\"%c\",\"frame\":%" PRIu32 ",\"at\":%" PRId64 "}", *first ? "\n" : ",\n",
                 type, slice->frame, type == 'O' ? slice->start_ns : slice->end_ns);
    outfile_advance(writer->out, (size_t)length);
    *first = false;
}

/* Closes what ends before a time. */
static void close_until(struct speedscope *writer, bool *first, int64_t time_ns)
{
    while (writer->open.count > 0 && writer->open.items[writer->open.count - 1].end_ns <= time_ns)
        write_event(writer, first, 'C', &writer->open.items[--writer->open.count]);
}

/* A slice that ends after the one around it, by rounding, ends with that. */
static int write_slices(struct speedscope *writer, size_t begin, size_t end, struct err *err)
{
    bool first = true;
    writer->open.count = 0;
    for (size_t i = begin; i < end; i++) {
        struct slice slice = writer->slices.items[i];
        large_pass(i);
        close_until(writer, &first, slice.start_ns);
        if (writer->open.count > 0 && slice.end_ns > writer->open.items[writer->open.count - 1].end_ns)
            slice.end_ns = writer->open.items[writer->open.count - 1].end_ns;
        write_event(writer, &first, 'O', &slice);
        if (array_add(&writer->open, err, slice) < 0)
            return err_status(err);
        if (interrupted())
            return interrupt_error(err);
    }
    close_until(writer, &first, INT64_MAX);
    return 0;
}

static int64_t last_end(const struct speedscope *writer, size_t begin, size_t end)
{
    int64_t last_ns = writer->slices.items[begin].end_ns;
    for (size_t i = begin; i < end; i++) {
        large_pass(i);
        if (writer->slices.items[i].end_ns > last_ns)
            last_ns = writer->slices.items[i].end_ns;
    }
    return last_ns;
}

/* "Ascend Hardware NPU 0, Stream 3" */
static void put_title(const struct speedscope *writer, const struct track *track, struct strbuf *text)
{
    const struct process *process = map_get(&writer->processes, &track->key.pid);
    if (process != NULL && process->name != NULL)
        strbuf_adds(text, process->name);
    if (process != NULL && process->label != NULL)
        strbuf_addf(text, "%s%s", text->length > 0 ? " " : "", process->label);
    strbuf_adds(text, text->length > 0 ? ", " : "");
    if (track->name != NULL)
        strbuf_adds(text, track->name);
    else
        strbuf_addf(text, "%" PRId64, track->key.tid);
}

static size_t first_of(const struct speedscope *writer, uint32_t track)
{
    size_t low = 0, high = writer->slices.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (writer->slices.items[middle].track < track)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int write_profile(struct speedscope *writer, const struct track *track, bool first, struct err *err)
{
    SCOPED(strbuf_release) struct strbuf text;
    const size_t begin = first_of(writer, track->number), end = first_of(writer, track->number + 1);
    strbuf_init(&text, 4 * TEXT_MAX);
    strbuf_addf(&text, "%s{\"type\":\"evented\",\"name\":\"", first ? "\n" : ",\n");
    put_title(writer, track, &text);
    strbuf_addf(&text, "\",\"unit\":\"nanoseconds\",\"startValue\":%" PRId64 ",\"endValue\":%" PRId64 ",\"events\":[",
                writer->slices.items[begin].start_ns, last_end(writer, begin, end));
    outfile_add(writer->out, &text);
    if (write_slices(writer, begin, end, err) < 0)
        return err_status(err);
    outfile_write(writer->out, "\n]}", 3);
    return 0;
}

/* A track in the order of viewers. */
struct placed {
    int64_t process_rank, pid, rank, tid;
    const struct track *track;
};

ARRAY_COMPARE(compare_places, struct placed, ARRAY_BY(process_rank), ARRAY_BY(pid), ARRAY_BY(rank), ARRAY_BY(tid))

static int write_profiles(struct speedscope *writer, struct err *err)
{
    size_t count = 0;
    SCOPED_FREE struct placed *places = scoped_memory(writer->tracks.used + 1, sizeof *places);
    if (places == NULL)
        return err_no_memory(err);
    for (const struct track *track = NULL; (track = map_next(&writer->tracks, track)) != NULL;) {
        const struct process *process = map_get(&writer->processes, &track->key.pid);
        if (track->has_slices)
            places[count++] = (struct placed){process != NULL ? process->rank : 0, track->key.pid, track->rank,
                                              track->key.tid, track};
    }
    array_sort(places, count, sizeof *places, compare_places);
    for (size_t i = 0; i < count; i++)
        if (write_profile(writer, places[i].track, i == 0, err) < 0)
            return err_status(err);
    return 0;
}

static int speedscope_end(void *opaque, const struct trace_about *about, const char *name, struct err *err)
{
    struct speedscope *writer = opaque;
    static const char frame[] = "{\"name\":\"", profiles[] = "\n]},\"profiles\":[";
    SCOPED(strbuf_release) struct strbuf head;
    (void)about;
    strbuf_init(&head, TEXT_MAX);
    strbuf_adds(
        &head,
        "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"msprof " MSPROF_VERSION
        "\",\"name\":");
    json_text_quote(&head, name, strlen(name));
    strbuf_adds(&head, ",\"activeProfileIndex\":0,\"shared\":{\"frames\":[");
    outfile_add(writer->out, &head);
    for (size_t i = 0; i < writer->frames.count; i++) {
        outfile_write(writer->out, i > 0 ? ",\n" : "\n", i > 0 ? 2 : 1);
        outfile_write(writer->out, frame, sizeof frame - 1);
        outfile_write(writer->out, writer->frames.items[i].bytes, writer->frames.items[i].length);
        outfile_write(writer->out, "\"}", 2);
    }
    outfile_write(writer->out, profiles, sizeof profiles - 1);
    large_sort(writer->slices.items, writer->slices.count, sizeof *writer->slices.items, compare_slices);
    if (write_profiles(writer, err) < 0)
        return err_status(err);
    outfile_write(writer->out, "\n]}\n", 4);
    return 0;
}

const struct event_writer speedscope_writer = {.open = speedscope_open,
                                               .add = speedscope_add,
                                               .end = speedscope_end,
                                               .free = speedscope_free,
                                               .slices_alone = true};
