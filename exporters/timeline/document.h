/* SPDX-License-Identifier: Apache-2.0 */
/* One timeline file: its head, the names of processes and threads, its end. Everything is a stream; the file appears
 * under its name when it is complete. */
#ifndef MSPROF_EXPORTERS_TIMELINE_DOCUMENT_H
#define MSPROF_EXPORTERS_TIMELINE_DOCUMENT_H

#include "base/file/outfile.h"
#include "base/strbuf.h"
#include "db/query/query.h"
#include "exporters/export.h"
#include "exporters/json_text.h"
#include "exporters/parallel.h"
#include "exporters/timeline/event.h"
#include "exporters/timeline/event_json.h"

#include <sqlite3.h>

struct operator_bounds;
struct trace_sink;

/* One run of export_timeline. */
struct timeline_run {
    sqlite3 *db;
    const struct export_options *options;
    struct export_result *result; /* counts what is complete */
    struct capture_origin origin;
    uint64_t done, total;                 /* events, for the progress */
    const struct operator_bounds *bounds; /* of SVP boards; NULL: slices say nothing of what operators are */
};

/* One file of it. */
struct trace {
    struct timeline_run *run;
    struct trace_style style;
    const char *report; /* "task_time", "msprof" */
    char *path;
    struct outfile out;      /* the file, or what goes to the sink */
    struct trace_sink *sink; /* of other formats than JSON, and of parts of it; NULL: none */
    bool named;              /* something has been written: mostly the name of a process */
    int64_t first_pid;       /* the process that was named first */
    uint64_t events;         /* written, without metadata and arrows; kept by the writers */
    bool tells_progress;     /* its events are those that the run's total has */
    char *start, *own;       /* the event that is being put; own: memory of those that the buffer has no room for */
    size_t own_size;
    struct trace_place place;
};

/* Facts of the last event, beside the origin. */
struct trace_info {
    const char *clock;                      /* "system monotonic" */
    int64_t device_id, model_id, batch_num; /* DB_NULL or -1: not known */
    const char *model;                      /* NULL: the trace is not of one model */
    uint64_t tasks_before;                  /* tasks before its origin, which it does not show */
};

/* Begins "<directory>/<name>". A process must be named before the first event (trace_name_process). */
int trace_open(struct trace *trace, struct timeline_run *run, const struct trace_style *style, const char *report,
               const char *name, struct err *err);
/* Begins one with the whole path, which it takes over. NULL fails as out of memory. */
int trace_open_path(struct trace *trace, struct timeline_run *run, const struct trace_style *style, const char *report,
                    char *path, struct err *err);
/* Ends it: with status 0 and events the trace is completed, appears under its name, is counted and passed to
 * options->written; with no events nothing appears; with another status nothing appears and it is passed on, err
 * untouched unless the output itself failed, which is then reported. */
int trace_close(struct trace *trace, int status, const struct trace_info *info, struct err *err);

/* Texts that events have by their address are about to go. */
void trace_forget_texts(struct trace *trace);

/* Names a process and places it among the others; label ("CPU", "NPU 0") may be NULL. */
void trace_name_process(struct trace *trace, int64_t pid, int64_t sort_index, const char *name, const char *label);
/* Names a thread and places it: threads are shown in the order of sort_index. A name is cut at TRACE_THREAD_NAME_MAX
 * bytes. */
#define TRACE_THREAD_NAME_MAX 256
void trace_name_thread(struct trace *trace, int64_t pid, int64_t tid, int64_t sort_index, const char *name);

/* Names a thread with the inside of a JSON string, of any length. */
void trace_name_thread_json(struct trace *trace, int64_t pid, int64_t tid, int64_t sort_index,
                            const struct strbuf *name);

enum { TRACE_EVENTS_PER_POLL = 4096 };
/* Puts an event, and looks from time to time whether it is time to stop. */
int trace_put(struct trace *trace, const struct event *event, struct err *err);
/* Puts one in the threads that draw beside each other, each of which has a place. */
int trace_put_long(struct parallel_output *output, const struct trace_style *style, const struct event *event,
                   struct trace_place *place, struct err *err);
static inline int trace_put_beside(struct parallel_output *output, const struct trace_style *style,
                                   const struct event *event, struct trace_place *place, struct err *err)
{
    const size_t room = event_room(event);
    if (room > OUTFILE_RESERVE_MAX)
        return trace_put_long(output, style, event, place, err);
    char *start = parallel_reserve(output, room, err);
    if (start == NULL)
        return err_status(err);
    parallel_advance(output, (size_t)(event_put(start, style, event, place) - start));
    return 0;
}

/* For lines of JSON of a framework's own, which no sink gets: room for an event whose texts have so many bytes, NULL
 * with err set; and the end of what was put there. counted: it is no arrow. */
char *trace_event_room(struct trace *trace, size_t texts, struct err *err);
int trace_event_done(struct trace *trace, const char *end, bool counted, struct err *err);

/* Reports that so many more events are done. */
void timeline_progress(struct timeline_run *run, uint64_t events);

/* ---- guests ---- */

/* Where an operator was launched. */
struct trace_launch {
    int64_t pid, tid, time_ns;
    const char *name; /* NUL-terminated, as recorded */
};

struct trace_guest {
    void *arg;
    const struct event_key *argument; /* of an operator's event, with the launch's name; NULL: none */
    struct trace_flow flow;
    bool flow_of_text; /* the arrow's number is its end as a text of microseconds, else its nanoseconds */
    /* Each returns 0 or -code: what stands before the tracks, and behind them (NULL: nothing does). */
    int (*begin)(void *arg, struct trace *trace, struct err *err);
    int (*end)(void *arg, struct trace *trace, struct err *err);
    /* Whether what begins then is drawn; NULL: everything is. In several threads at once. */
    bool (*shows)(void *arg, int64_t time_ns);
    /* Who launched an operator of a connection; false: not known. In several threads at once. */
    bool (*launch)(void *arg, int64_t connection_id, struct trace_launch *ret);
};

/* Whether the guest (NULL: there is none) knows it. */
static inline bool trace_guest_knows(const struct trace_guest *guest, int64_t connection_id, struct trace_launch *ret)
{
    return guest != NULL && guest->launch(guest->arg, connection_id, ret);
}

static inline bool trace_guest_shows(const struct trace_guest *guest, int64_t time_ns)
{
    return guest == NULL || guest->shows == NULL || guest->shows(guest->arg, time_ns);
}

/* The argument of the launch of an operator. */
void trace_guest_argument(struct event *event, const struct trace_guest *guest, const struct trace_launch *launch);
/* One end of the arrow from the launch to the operator's slice: phase 's', at the launch, or 'f'. row: of the task, or
 * of the communication operator, by which it is numbered: viewers calculate in doubles, in which times since 1970 are
 * not exact. */
enum trace_row { TRACE_ROW_TASK, TRACE_ROW_COMMUNICATION, TRACE_ROW_KINDS };
void trace_guest_arrow(struct event *event, const struct trace_guest *guest, char phase,
                       const struct trace_launch *launch, const struct trace_slice *slice, enum trace_row kind,
                       int64_t row);

#endif
