/* SPDX-License-Identifier: Apache-2.0 */
#include "features/frameworks/reports/trace_view.h"

#include "base/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where times are texts, MindSpore's durations are, too. */
static char *put_duration(char *p, const struct trace_style *style, const struct trace_slice *slice, bool as_text)
{
    if (!as_text || !style->string_times)
        return trace_put_duration(p, style, slice);
    p = trace_put_literal(p, ",\"dur\":\"");
    p = number_put_us(p, slice->duration_ns);
    return trace_put_literal(p, "\"");
}

int framework_write_slice(struct framework_trace *view, struct trace *trace, const struct framework_event *event,
                          struct err *err)
{
    const struct trace_style *style = &trace->style;
    const struct trace_slice *slice = &event->slice;
    if (view->args.failed)
        return err_set(err, ERR_NO_MEMORY, "out of memory for an event");
    char *p = trace_event_room(trace, trace_string_room(event->name) + view->args.length, err);
    if (p == NULL)
        return err_status(err);
    p = trace_put_string(trace_begin_event(p), event->name);
    p = trace_put_phase(p, slice->instant ? 'i' : 'X');
    p = trace_put_place(p, style, slice->pid, slice->tid);
    p = trace_put_time(p, style, slice->start_ns);
    p = slice->instant ? trace_put_literal(p, ",\"s\":\"t\"") : put_duration(p, style, slice, event->texts);
    p = trace_put_literal(p, ",\"cat\":\"");
    p = trace_put_word(p, event->category);
    p = trace_put_literal(p, "\",\"args\":{");
    if (slice->instant) {
        p = trace_put_literal(p, "\"Duration(us)\":");
        p = number_put_us(p, slice->duration_ns);
        if (view->args.length > 0)
            *p++ = ',';
    }
    p = trace_put_bytes(p, view->args.length > 0 ? view->args.data : "", view->args.length);
    strbuf_clear(&view->args);
    return trace_event_done(trace, trace_put_literal(p, "}}"), true, err);
}

bool trace_shows(void *arg, int64_t time_ns)
{
    const struct framework_trace *view = arg;
    return framework_wants_time(view->analysis, time_ns);
}

/* ---- threads ---- */

struct thread {
    struct {
        int64_t pid, tid;
    } key;
};

struct process {
    int64_t pid;
};

struct framework_threads framework_threads_none(void)
{
    return (struct framework_threads){.threads = MAP_OF(struct thread, key), .processes = MAP_OF(struct process, pid)};
}

void framework_threads_release(struct framework_threads *threads)
{
    map_release(&threads->threads);
    map_release(&threads->processes);
}

int framework_name_thread(struct framework_threads *threads, struct trace *trace, struct framework_slice slice,
                          const char *process, int64_t place, const char *name, int64_t behind, struct err *err)
{
    const struct thread key = {{slice.pid, slice.thread}};
    char number[48];
    bool added, added_process;
    if (threads->any && threads->pid == slice.pid && threads->tid == slice.thread)
        return 0;
    threads->any = true;
    threads->pid = slice.pid;
    threads->tid = slice.thread;
    if (map_add(&threads->threads, &key, &added, err) == NULL)
        return err_status(err);
    if (!added)
        return 0;
    if (map_add(&threads->processes, &slice.pid, &added_process, err) == NULL)
        return err_status(err);
    if (added_process)
        trace_name_process(trace, slice.pid, place, process, place == PLACE_SCOPE ? NULL : "CPU");
    snprintf(number, sizeof number, "Thread %lld", (long long)slice.thread);
    trace_name_thread(trace, slice.pid, slice.thread, slice.thread + behind, name != NULL ? name : number);
    return 0;
}

/* ---- places ---- */

int places_add(struct framework_places *places, struct framework_slice slice, struct err *err)
{
    if (array_reserve(places, 1, err) < 0)
        return err_status(err);
    places->items[places->count++] = slice;
    if (places->largest_thread < slice.thread)
        places->largest_thread = slice.thread;
    if (places->place_count <= slice.number)
        places->place_count = slice.number + 1;
    return 0;
}

bool places_earliest(const struct framework_places *places, int64_t *ret_ns)
{
    for (size_t i = 0; i < places->count; i++) {
        if (i == 0 || places->items[i].start_ns < *ret_ns)
            *ret_ns = places->items[i].start_ns;
    }
    return places->count > 0;
}

/* As lanes want them: those of a thread by start, of the same start the longest first; then points. */
static int compare_slices(const void *a, const void *b)
{
    const struct framework_slice *x = a, *y = b;
    int order = array_order(x->pid, y->pid);
    if (order == 0)
        order = array_order(x->thread, y->thread);
    if (order == 0)
        order = array_order(x->start_ns, y->start_ns);
    if (order == 0)
        order = array_order(x->is_point, y->is_point);
    if (order == 0)
        order = array_order(y->end_ns, x->end_ns);
    return order != 0 ? order : array_order(x->number, y->number);
}

/* Slices of a thread that may still run, the last to begin on top. */
struct running {
    struct running_slice {
        int64_t end_ns, tid;
    } * items;
    size_t count, capacity;
};

static int place(struct framework_places *places, const struct framework_slice *item, struct running *running,
                 struct err *err)
{
    struct trace_slice slice = {
        .pid = item->pid, .start_ns = item->start_ns, .duration_ns = time_since(item->end_ns, item->start_ns)};
    while (running->count > 0 && running->items[running->count - 1].end_ns <= item->start_ns)
        running->count--;
    if (item->is_point && running->count == 0)
        return 0;
    if (item->is_point) {
        slice.tid = running->items[running->count - 1].tid;
    } else {
        if (trace_lanes_place(&places->lanes, item->thread, &slice, err) < 0 || array_reserve(running, 1, err) < 0)
            return err_status(err);
        running->items[running->count++] =
            (struct running_slice){span_end(item->start_ns, slice.duration_ns), slice.tid};
    }
    places->places[item->number] = (struct framework_place){slice.tid, (uint16_t)slice.short_ps, true, slice.instant};
    return 0;
}

int places_settle(struct framework_places *places, const struct trace_style *style, struct err *err)
{
    struct running running = {.count = 0};
    int status = 0;
    trace_lanes_init(&places->lanes, style, "Thread ", NULL, NULL);
    places->lanes.own_next = number_add(places->largest_thread, 1);
    places->lanes.own_named = true;
    if (places->count == 0)
        return 0;
    places->places = calloc(places->place_count, sizeof *places->places);
    if (places->places == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for the places of %zu slices", places->place_count);
    array_sort(places->items, places->count, sizeof *places->items, compare_slices);
    for (size_t i = 0; status == 0 && i < places->count; i++) {
        const struct framework_slice *item = &places->items[i];
        if (i > 0 && (item->pid != item[-1].pid || item->thread != item[-1].thread))
            running.count = 0;
        status = place(places, item, &running, err);
    }
    free(running.items);
    free(places->items);
    places->items = NULL;
    places->count = places->capacity = 0;
    return status;
}

int places_name(struct framework_places *places, struct trace *trace,
                void (*name)(void *arg, int64_t pid, int64_t number, struct strbuf *ret), struct err *err)
{
    int status = places->places != NULL ? trace_lanes_name(&places->lanes, trace, name, NULL, err) : 0;
    trace_lanes_release(&places->lanes);
    return status;
}

void places_release(struct framework_places *places)
{
    trace_lanes_release(&places->lanes);
    free(places->items);
    free(places->places);
    *places = (struct framework_places){.items = NULL};
}

struct trace_slice places_slice(const struct framework_places *places, struct framework_slice slice)
{
    struct trace_slice ret = {.pid = slice.pid,
                              .tid = slice.thread,
                              .start_ns = slice.start_ns,
                              .duration_ns = time_since(slice.end_ns, slice.start_ns)};
    if (places->places == NULL || slice.number >= places->place_count || !places->places[slice.number].placed)
        return ret;
    const struct framework_place *place = &places->places[slice.number];
    ret.tid = place->tid;
    ret.short_ps = place->short_ps;
    ret.instant = place->instant;
    return ret;
}
