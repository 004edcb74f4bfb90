/* SPDX-License-Identifier: Apache-2.0 */
#include "features/page/slices.h"

#include "base/file/large.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "exporters/export.h"
#include "exporters/timeline/event.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIME_MAX (INT64_MAX / 4)       /* 73 years: sums and differences of such times are numbers, too */
#define TEXT_MAX ((size_t)1024 * 1024) /* bytes of a name while it is read */

void slices_init(struct slices *slices, const struct slice_stretch *stretches, size_t count)
{
    *slices = (struct slices){.lanes = MAP_OF(struct slice_lane, key),
                              .processes = MAP_OF(struct slice_process, key),
                              .width_ns = 1,
                              .first_ns = INT64_MAX,
                              .last_ns = INT64_MIN,
                              .device_first_ns = INT64_MAX,
                              .device_last_ns = INT64_MIN,
                              .whole = true};
    for (size_t i = 0; i < count && i < SLICE_STRETCHES; i++)
        slices->stretches[slices->stretch_count++] = stretches[i];
}

void slices_release(struct slices *slices)
{
    for (struct slice_lane *lane = NULL; (lane = map_next(&slices->lanes, lane)) != NULL;)
        free(lane->busy);
    map_release(&slices->lanes);
    map_release(&slices->processes);
    intern_release(&slices->texts);
    free(slices->list.items);
    free(slices->order.items);
    *slices = (struct slices){.width_ns = 1};
}

const char *slices_text(const struct slices *slices, uint32_t number)
{
    return number < slices->texts.count ? slices->texts.items[number].bytes : "";
}

int slices_keep(struct slices *slices, const char *text, size_t length, uint32_t *ret, struct err *err)
{
    if (slices->texts.count == 0 && intern_add(&slices->texts, "", 0, ret, err) < 0)
        return err_status(err);
    if (intern_find(&slices->texts, text, length, ret))
        return 0;
    *ret = 0;
    size_t bytes = length; /* as JSON has them inside of an element */
    for (size_t i = 0; i < length; i++)
        bytes += (unsigned char)text[i] < 0x20 || text[i] == '<' ? 5 : text[i] == '"' || text[i] == '\\';
    if (slices->text_bytes + bytes > SLICE_TEXTS_MAX)
        return 0;
    slices->text_bytes += bytes;
    return intern_add(&slices->texts, text, length, ret, err);
}

/* ---- names ---- */

/* The inside of a JSON string; text NULL: there is none. */
struct span {
    const char *text;
    size_t length;
};

/* The characters of a JSON string's inside, behind those of a prefix. */
static void read_text(struct span prefix, struct span text, struct strbuf *ret)
{
    strbuf_clear(ret);
    if (prefix.text != NULL)
        strbuf_add(ret, prefix.text, prefix.length);
    SCOPED_FREE char *plain = text.text != NULL ? malloc(text.length + 1) : NULL;
    if (plain != NULL)
        strbuf_add(ret, plain, event_text_characters(plain, text.text, text.length));
}

static int keep_text(struct slices *slices, struct span prefix, struct span text, uint32_t *ret, struct err *err)
{
    SCOPED(strbuf_release) struct strbuf plain;

    strbuf_init(&plain, TEXT_MAX);
    read_text(prefix, text, &plain);
    return slices_keep(slices, plain.data, plain.length, ret, err);
}

static struct slice_lane *lane_of(struct slices *slices, const struct event *event, struct err *err)
{
    const struct slice_lane_key key = {slices->timeline, event->head.pid, event->head.tid};
    bool added;
    struct slice_lane *lane = map_add(&slices->lanes, &key, &added, err);

    if (lane == NULL || !added)
        return lane;
    lane->number = (uint32_t)slices->lanes.used - 1;
    if (lane->number < SLICE_LANES_MAX && (lane->busy = calloc(SLICE_BINS, sizeof *lane->busy)) == NULL) {
        err_no_memory(err);
        return NULL;
    }
    return lane;
}

static int take_metadata(struct slices *slices, const struct event *event, struct err *err)
{
    static const struct span none = {NULL, 0};
    const struct event_arg *arg = event->args;
    const bool of_thread = strncmp(event->head.prefix, "thread", 6) == 0;
    const bool is_label = strcmp(event->head.prefix, "process_labels") == 0;
    const struct slice_process_key key = {slices->timeline, event->head.pid};
    struct slice_process *process = of_thread ? NULL : map_add(&slices->processes, &key, NULL, err);
    struct slice_lane *lane = of_thread ? lane_of(slices, event, err) : NULL;

    if (process == NULL && lane == NULL)
        return err_status(err);
    if (arg->type != EVENT_TEXT) {
        *(of_thread ? &lane->rank : &process->rank) = arg->integer;
        return 0;
    }
    return keep_text(slices, none, (struct span){arg->text, arg->length},
                     of_thread  ? &lane->name
                     : is_label ? &process->label
                                : &process->name,
                     err);
}

/* ---- bins ---- */

static void widen(struct slices *slices)
{
    for (struct slice_lane *lane = NULL; (lane = map_next(&slices->lanes, lane)) != NULL;) {
        if (lane->busy == NULL)
            continue;
        for (size_t i = 0; i < SLICE_BINS / 2; i++)
            lane->busy[i] = lane->busy[2 * i] + lane->busy[2 * i + 1];
        memset(lane->busy + SLICE_BINS / 2, 0, SLICE_BINS / 2 * sizeof *lane->busy);
    }
    slices->width_ns *= 2;
}

/* Slices of a lane come in the order of their starts, those around others first: a lane is as busy as their union. */
static void add_busy(struct slices *slices, struct slice_lane *lane, int64_t start_ns, int64_t end_ns)
{
    const bool in_order = start_ns >= lane->last_start_ns;
    const int64_t begin_ns = in_order && lane->covered_ns > start_ns ? lane->covered_ns : start_ns;
    const int64_t from_ns = begin_ns > 0 ? begin_ns : 0, until_ns = end_ns > from_ns ? end_ns : from_ns;

    lane->last_start_ns = start_ns;
    lane->covered_ns = end_ns > lane->covered_ns ? end_ns : lane->covered_ns;
    while (until_ns / slices->width_ns >= SLICE_BINS)
        widen(slices);
    if (lane->busy == NULL)
        return;
    const int64_t width_ns = slices->width_ns;
    for (int64_t bin = from_ns / width_ns; bin < SLICE_BINS && bin * width_ns < until_ns; bin++) {
        const int64_t begin = bin * width_ns > from_ns ? bin * width_ns : from_ns;
        const int64_t end = (bin + 1) * width_ns < until_ns ? (bin + 1) * width_ns : until_ns;
        lane->busy[bin] += end - begin;
    }
}

/* ---- slices ---- */

static struct span argument_text(const struct event *event, const char *key)
{
    for (size_t i = 0; i < event->head.arg_count; i++) {
        const struct event_arg *arg = &event->args[i];
        if (arg->type == EVENT_TEXT && event_is_key(arg, key))
            return (struct span){arg->text, arg->length};
    }
    return (struct span){NULL, 0};
}

static bool begins(struct span text, const char *word)
{
    const size_t length = strlen(word);
    return text.text != NULL && text.length >= length && memcmp(text.text, word, length) == 0;
}

static enum slice_class class_of(struct span type)
{
    if (type.text == NULL)
        return SLICE_HOST;
    if (begins(type, "AI_VECTOR_CORE") || begins(type, "AIV") || begins(type, "MIX_AIV"))
        return SLICE_VECTOR;
    if (begins(type, "AI_CORE") || begins(type, "AIC") || begins(type, "MIX_AIC") || begins(type, "KERNEL_AICORE"))
        return SLICE_CUBE;
    if (begins(type, "AI_CPU") || begins(type, "KERNEL_AICPU"))
        return SLICE_AI_CPU;
    return begins(type, "MEMCPY") || begins(type, "SDMA") || begins(type, "PCIE") ? SLICE_COPY : SLICE_OTHER;
}

/* What there is to say of an operator beside its name, a line each. */
static int take_detail(struct slices *slices, const struct event *event, uint32_t *ret, struct err *err)
{
    static const struct {
        const char *key, *title;
    } facts[] = {
        {"OP Type", "Type"},          {"Layer Type", "Type"}, {"Task Type", "Task"}, {"Input Shapes", "Inputs"},
        {"Output Shapes", "Outputs"}, {"Shapes", "Shapes"},   {"Bound", "Bound"},
    };
    SCOPED(strbuf_release) struct strbuf text;
    SCOPED(strbuf_release) struct strbuf plain;

    strbuf_init(&text, TEXT_MAX);
    strbuf_init(&plain, TEXT_MAX);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        const struct span value = argument_text(event, facts[i].key);
        if (value.text == NULL || value.length == 0 || (value.length == 3 && memcmp(value.text, "N/A", 3) == 0))
            continue;
        read_text((struct span){NULL, 0}, value, &plain);
        strbuf_addf(&text, "%s%s: ", text.length > 0 ? "\n" : "", facts[i].title);
        strbuf_add(&text, plain.data, plain.length);
    }
    return slices_keep(slices, text.data, text.length, ret, err);
}

/* Of a stretch that has too many the shorter half goes. */
static int compare_durations(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return array_order(a, b);
}

static int thin(struct slices *slices, size_t number, struct err *err)
{
    struct slice_stretch *stretch = &slices->stretches[number];
    SCOPED_FREE int64_t *durations = scoped_memory(stretch->count + 1, sizeof *durations);
    size_t count = 0, kept = 0;

    if (durations == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < slices->list.count; i++)
        if (slices->list.items[i].stretch == number)
            durations[count++] = slices->list.items[i].duration_ns;
    qsort(durations, count, sizeof *durations, compare_durations);
    stretch->shortest_ns = durations[count / 2] + 1;
    for (size_t i = 0; i < slices->list.count; i++) {
        const struct slice *slice = &slices->list.items[i];
        if (slice->stretch == number && slice->duration_ns < stretch->shortest_ns) {
            stretch->count--;
            stretch->left++;
        } else {
            slices->list.items[kept++] = *slice;
        }
    }
    slices->list.count = kept;
    return 0;
}

/* The stretch that a slice reaches into; SLICE_STRETCHES: none. */
static size_t stretch_of(const struct slices *slices, int64_t start_ns, int64_t end_ns)
{
    size_t i = 0;

    while (i < slices->stretch_count &&
           (start_ns >= slices->stretches[i].end_ns || end_ns <= slices->stretches[i].start_ns))
        i++;
    return i < slices->stretch_count ? i : SLICE_STRETCHES;
}

static int put_into_stretch(struct slices *slices, const struct slice *slice, struct err *err)
{
    struct slice_stretch *stretch = &slices->stretches[slice->stretch];

    if (slice->duration_ns < stretch->shortest_ns) {
        stretch->left++;
        return 0;
    }
    stretch->count++;
    if (array_add(&slices->list, err, *slice) < 0)
        return err_status(err);
    return stretch->count > SLICES_STRETCH ? thin(slices, slice->stretch, err) : 0;
}

/* The capture has more slices than there is room for: from here on those of stretches alone. */
static int leave_rest(struct slices *slices, struct err *err)
{
    struct slice_list all = slices->list;
    int status = 0;

    slices->whole = false;
    slices->list = (struct slice_list){.items = NULL};
    for (size_t i = 0; i < all.count && status == 0; i++) {
        struct slice slice = all.items[i];
        slice.stretch = (uint8_t)stretch_of(slices, slice.start_ns, number_add(slice.start_ns, slice.duration_ns));
        if (slice.stretch < SLICE_STRETCHES)
            status = put_into_stretch(slices, &slice, err);
    }
    free(all.items);
    return status;
}

static int take_slice(struct slices *slices, const struct event *event, struct err *err)
{
    const struct event_head *head = &event->head;
    struct slice_lane *lane = lane_of(slices, event, err);
    const int64_t end_ns = number_add(head->start_ns, head->duration_ns);

    if (lane == NULL)
        return err_status(err);
    if (head->start_ns < -TIME_MAX || end_ns > TIME_MAX || end_ns < head->start_ns) /* damaged: no place for it */
        return 0;
    slices->seen++;
    lane->slices++;
    slices->first_ns = head->start_ns < slices->first_ns ? head->start_ns : slices->first_ns;
    slices->last_ns = end_ns > slices->last_ns ? end_ns : slices->last_ns;
    add_busy(slices, lane, head->start_ns, end_ns);
    const struct span type = argument_text(event, "Task Type");
    if (type.text != NULL) {
        slices->device_first_ns = head->start_ns < slices->device_first_ns ? head->start_ns : slices->device_first_ns;
        slices->device_last_ns = end_ns > slices->device_last_ns ? end_ns : slices->device_last_ns;
    }
    struct slice slice = {
        .start_ns = head->start_ns, .duration_ns = head->duration_ns, .lane = lane->number, .stretch = SLICE_STRETCHES};
    if (lane->busy == NULL)
        return 0;
    if (!slices->whole) {
        slice.stretch = (uint8_t)stretch_of(slices, head->start_ns, end_ns);
        if (slice.stretch == SLICE_STRETCHES)
            return 0;
        if (slice.duration_ns < slices->stretches[slice.stretch].shortest_ns) {
            slices->stretches[slice.stretch].left++;
            return 0;
        }
    }
    slice.class = (uint8_t)class_of(type);
    const struct span prefix = {head->prefix, head->prefix_length}, name = {head->name, head->name_length};
    const struct span none = {NULL, 0}, whole = argument_text(event, "Op Name"); /* of a name that is shortened */
    if (keep_text(slices, whole.text != NULL ? none : prefix, whole.text != NULL ? whole : name, &slice.name, err) <
            0 ||
        take_detail(slices, event, &slice.detail, err) < 0)
        return err_status(err);
    if (!slices->whole)
        return put_into_stretch(slices, &slice, err);
    if (array_add(&slices->list, err, slice) < 0)
        return err_status(err);
    return slices->list.count > SLICES_WHOLE ? leave_rest(slices, err) : 0;
}

static int begin(void *arg, struct err *err)
{
    struct slices *slices = arg;

    (void)err;
    slices->timeline++;
    return 0;
}

static int take(void *arg, const struct event *event, struct err *err)
{
    if (event->head.phase == 'M')
        return take_metadata(arg, event, err);
    return event->head.phase == 'X' ? take_slice(arg, event, err) : 0;
}

int slices_draw(struct slices *slices, sqlite3 *db, const char *database, const struct progress *progress,
                struct err *err)
{
    static const char *const layers[] = {"ascend", "cann", "communication", "msproftx", NULL};
    const struct event_taker taker = {begin, take, slices};
    const struct export_options options = {.database = database,
                                           .directory = "",
                                           .model_id = -1,
                                           .layers = layers,
                                           .trace_format = TRACE_TAKEN,
                                           .taker = &taker,
                                           .progress = progress};
    struct export_result result;

    return export_timeline(db, &options, &result, err);
}

/* ---- order ---- */

struct placed_lane {
    int64_t timeline, process_rank, pid, rank, tid;
    struct slice_lane *lane;
};

ARRAY_COMPARE(by_place, struct placed_lane, ARRAY_BY(timeline), ARRAY_BY(process_rank), ARRAY_BY(pid), ARRAY_BY(rank),
              ARRAY_BY(tid))
ARRAY_COMPARE(by_lane, struct slice, ARRAY_BY(lane), ARRAY_BY(start_ns), ARRAY_BY_MOST(duration_ns), ARRAY_BY(name),
              ARRAY_BY(detail))

/* What is no task is of the layer of communication, of a device, or of the host, by the name of its process. */
static void set_classes(struct slices *slices)
{
    enum slice_class classes[SLICE_LANES_MAX] = {SLICE_OTHER};

    for (size_t i = 0; i < slices->order.count; i++) {
        const struct slice_lane *lane = slices->order.items[i];
        const struct slice_process *process =
            map_get(&slices->processes, &(const struct slice_process_key){lane->key.timeline, lane->key.pid});
        const char *name = process != NULL ? slices_text(slices, process->name) : "";
        const bool communicates = strcmp(name, "Communication") == 0 || strcmp(name, "HCCL") == 0;
        classes[lane->number] = communicates                       ? SLICE_COMMUNICATION
                                : strncmp(name, "Device ", 7) == 0 ? SLICE_OTHER
                                                                   : SLICE_HOST;
    }
    for (size_t i = 0; i < slices->list.count; i++)
        if (slices->list.items[i].class == SLICE_HOST)
            slices->list.items[i].class = (uint8_t)classes[slices->list.items[i].lane];
}

int slices_finish(struct slices *slices, struct err *err)
{
    SCOPED_FREE struct placed_lane *places = scoped_memory(slices->lanes.used + 1, sizeof *places);
    size_t count = 0;

    if (places == NULL || array_reserve(&slices->order, slices->lanes.used, err) < 0)
        return err_no_memory(err);
    for (struct slice_lane *lane = NULL; (lane = map_next(&slices->lanes, lane)) != NULL;) {
        const struct slice_process *process =
            map_get(&slices->processes, &(const struct slice_process_key){lane->key.timeline, lane->key.pid});
        if (lane->slices > 0 && lane->busy != NULL)
            places[count++] = (struct placed_lane){lane->key.timeline, process != NULL ? process->rank : 0,
                                                   lane->key.pid,      lane->rank,
                                                   lane->key.tid,      lane};
    }
    array_sort(places, count, sizeof *places, by_place);
    for (size_t i = 0; i < count; i++)
        slices->order.items[slices->order.count++] = places[i].lane;
    set_classes(slices);
    array_sort(slices->list.items, slices->list.count, sizeof *slices->list.items, by_lane);
    return 0;
}
