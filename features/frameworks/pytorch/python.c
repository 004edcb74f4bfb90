/* SPDX-License-Identifier: Apache-2.0 */
/* torch.python_tracer_func, torch.python_tracer_hash, torch.gc_record: Python's calls and its collector. */
#include "base/number.h"
#include "features/frameworks/pytorch/torch.h"

#include "base/array.h"
#include "base/diag.h"
#include "base/map.h"
#include "features/frameworks/records.h"

#include <stdlib.h>

#define CALL_SIZE 33
#define GC_SIZE 24
#define NAME_FIXED 8

enum { CALL, RETURN, C_CALL, C_RETURN };
#define NO_CALL SIZE_MAX

/* ---- names ---- */

ARRAY_COMPARE(compare_names, struct torch_name, ARRAY_BY(key))

const char *torch_function_name(const struct framework *framework, uint64_t key)
{
    const struct torch_name wanted = {key, 0};
    const struct torch_names *names = &framework->torch->names;
    const struct torch_name *found =
        names->count > 0 ? bsearch(&wanted, names->items, names->count, sizeof wanted, compare_names) : NULL;
    return found != NULL ? framework_text(framework, found->text) : NULL;
}

static int take_name(void *arg, const struct framework_record *record, struct err *err)
{
    struct torch_reading *reading = arg;
    struct torch_names *names = &reading->torch->names;
    struct torch_name name = {bytes_load(record->value.data, 8, false), 0};
    const struct framework_texts where = {NAME_FIXED, 1, 1};
    struct framework_text text;
    framework_read_texts(record, &where, &text, 1, reading->diag);
    if (intern_add(&reading->framework->texts, text.text != NULL ? text.text : "", text.length, &name.text, err) < 0 ||
        array_reserve(names, 1, err) < 0)
        return err_status(err);
    names->items[names->count++] = name;
    return 0;
}

/* ---- calls ---- */

struct event {
    int64_t time_ns, thread, pid;
    uint64_t key;
    unsigned tag;
    size_t place;
};

struct events {
    struct torch_reading *reading;
    struct event *items;
    size_t count, capacity;
};

static int take_event(void *arg, const struct framework_record *record, struct err *err)
{
    struct events *events = arg;
    const unsigned char *p = record->value.data;
    const struct place place = framework_place(record);
    if (p[32] > C_RETURN) {
        diag_report(events->reading->diag, DIAG_RECORD_VALUE, &place, "tag %u", p[32]);
        return 0;
    }
    torch_check_process(events->reading, record, (int64_t)bytes_load(p + 16, 8, false));
    if (large_reserve(events, 1, err) < 0)
        return err_status(err);
    events->items[events->count] =
        (struct event){framework_clock_ns_cut(events->reading->clock, bytes_load(p, 8, false)),
                       (int64_t)bytes_load(p + 8, 8, false),
                       (int64_t)bytes_load(p + 16, 8, false),
                       bytes_load(p + 24, 8, false),
                       p[32],
                       events->count};
    large_pass(events->count++);
    return 0;
}

ARRAY_COMPARE(compare_events, struct event, ARRAY_BY(time_ns), ARRAY_BY(place))

/* The innermost open call of a thread. */
struct open_thread {
    int64_t thread;
    size_t event; /* counted from 1; 0: none */
};

static int add_call(struct torch *torch, const struct event *begin, size_t id, size_t parent, int64_t end_ns,
                    struct err *err)
{
    if (large_reserve(&torch->calls, 1, err) < 0)
        return err_status(err);
    torch->calls.items[torch->calls.count++] = (struct torch_call){
        begin->time_ns, end_ns, begin->pid, begin->thread, begin->key, id, parent != NO_CALL ? parent : 0};
    return 0;
}

/* Calls that have not returned end with the last event. */
static int make_calls(const struct events *events, struct torch *torch, size_t *parents, struct map *threads,
                      struct err *err)
{
    int status = 0;
    if (events->count == 0 || events->items == NULL)
        return 0;
    for (size_t i = 0; status == 0 && i < events->count; i++) {
        large_pass(i);
        const struct event *event = &events->items[i];
        struct open_thread *thread = map_add(threads, &event->thread, NULL, err);
        if (thread == NULL)
            return err_status(err);
        size_t open = thread->event > 0 ? thread->event - 1 : NO_CALL;
        if (event->tag == CALL || event->tag == C_CALL) {
            parents[i] = open;
            thread->event = i + 1;
        } else if (open != NO_CALL) {
            status = add_call(torch, &events->items[open], open, parents[open], event->time_ns, err);
            thread->event = parents[open] != NO_CALL ? parents[open] + 1 : 0;
        }
    }
    int64_t last_ns = events->items[events->count - 1].time_ns;
    for (struct open_thread *thread = map_next(threads, NULL); status == 0 && thread != NULL;
         thread = map_next(threads, thread)) {
        for (size_t open = thread->event > 0 ? thread->event - 1 : NO_CALL; status == 0 && open != NO_CALL;
             open = parents[open])
            status = add_call(torch, &events->items[open], open, parents[open], last_ns, err);
    }
    return status;
}

ARRAY_COMPARE(compare_calls, struct torch_call, ARRAY_BY(id))

/* A call that ended since the start is inside of none that ended before it. */
static void drop_warm_up(const struct framework *framework, struct torch *torch)
{
    size_t kept = 0;
    for (size_t i = 0; i < torch->calls.count; large_pass(i++))
        if (!framework_is_warm_up(framework, torch->calls.items[i].end_ns))
            torch->calls.items[kept++] = torch->calls.items[i];
    torch->calls.count = kept;
}

static int pair_events(struct events *events, struct err *err)
{
    struct torch *torch = events->reading->torch;
    SCOPED(map_release) struct map threads = MAP_OF(struct open_thread, thread);
    size_t *parents = large_new(events->count + 1, sizeof *parents, err);
    large_sort(events->items, events->count, sizeof *events->items, compare_events);
    int status = parents != NULL ? make_calls(events, torch, parents, &threads, err) : err_status(err);
    drop_warm_up(events->reading->framework, torch);
    large_sort(torch->calls.items, torch->calls.count, sizeof *torch->calls.items, compare_calls);
    large_free(parents);
    return status;
}

static int take_gc(void *arg, const struct framework_record *record, struct err *err)
{
    struct torch_reading *reading = arg;
    struct torch_gcs *gcs = &reading->torch->gcs;
    const unsigned char *p = record->value.data;
    const struct place place = framework_place(record);
    const struct torch_gc gc = {(int64_t)bytes_load(p, 8, false),
                                framework_clock_ns_cut(reading->clock, bytes_load(p + 8, 8, false)),
                                framework_clock_ns_cut(reading->clock, bytes_load(p + 16, 8, false))};
    if (!diag_check_span(reading->diag, &place, "the collection", gc.start_ns, gc.end_ns))
        return 0;
    torch_check_process(reading, record, gc.pid);
    return framework_is_warm_up(reading->framework, gc.end_ns) ? 0 : array_add(gcs, err, gc);
}

int torch_read_python(struct torch_reading *reading, struct err *err)
{
    const char *directory = reading->directory;
    struct torch_names *names = &reading->torch->names;
    struct events events = {.reading = reading};
    bool failed = framework_read_tagged(directory, "FRAMEWORK/torch.python_tracer_hash",
                                        (struct framework_lengths){NAME_FIXED, "8 bytes and a text"}, take_name,
                                        reading, reading->diag, err) < 0;
    array_sort(names->items, names->count, sizeof *names->items, compare_names);
    failed = failed ||
             framework_read_plain(directory, "FRAMEWORK/torch.python_tracer_func", CALL_SIZE, take_event, &events,
                                  reading->diag, err) < 0 ||
             pair_events(&events, err) < 0;
    large_free(events.items);
    return failed ? err_status(err)
                  : framework_read_plain(directory, "FRAMEWORK/torch.gc_record", GC_SIZE, take_gc, reading,
                                         reading->diag, err);
}
