/* SPDX-License-Identifier: Apache-2.0 */
/* Timelines of captures from before 2023. */
#ifndef MSPROF_FEATURES_EARLIER_TIMELINE_TIMELINE_EARLIER_H
#define MSPROF_FEATURES_EARLIER_TIMELINE_TIMELINE_EARLIER_H

#include "base/array.h"
#include "exporters/reports/cann/device_2022.h"
#include "exporters/timeline/document.h"
#include "exporters/timeline/lanes.h"
#include "exporters/timeline/slice_operators.h"
#include "exporters/timeline/track.h"

/* Writes <timeline>_<device>[_<model>]_<iteration>.json for each that the capture has something for: with compat as
 * Ascend's tool of 2022 wrote them. */
int timeline_of_2022(struct timeline_run *run, struct err *err);

/* Writes task_time_<device>.json for each device of a capture of JOB that has tasks. */
int timeline_of_job(struct timeline_run *run, struct err *err);

/* ---- inside ---- */

/* A file is of one layer, but msprof, which has several. With compat events, their order and numbers are those of
 * Ascend's tool of 2022. */
struct earlier {
    struct track_run file; /* that is open, of what series need; compat: as Ascend's tool of 2022 wrote it */
    const struct device_2022 *device;
    struct cann_texts names;          /* as JSON strings, with their quotes */
    struct slice_operators operators; /* all zero with --trace-compat */
    /* The file that is open: */
    uint64_t tasks_before; /* tasks before the origin, which are not drawn */
    /* The layer that is being drawn: */
    struct trace_lanes lanes;
    int64_t unnamed_thread; /* of JOB: of tasks without a name */
    /* Only of captures of 2022: */
    struct counters_2022 counters;
    bool ai_cpu_tasks, ai_cpu_runs;   /* tasks that ran there, and what it measured itself */
    struct ARRAY_OF(int64_t) streams; /* each once, ascending; of copies and of the tasks that were looked at */
    bool tasks_drawn;                 /* all of them were */
    struct plain_calls *calls;
    struct strbuf_list ARRAY_OF(struct strbuf) * call_names; /* by their number, as names; empty: not asked for yet */
    struct call_threads {
        struct call_thread {
            int64_t process, tid;
        } * items;
        size_t count, capacity;
    } threads[PLAIN_BOTH + 1], *listing; /* of calls, by layers, in the order of their first calls */
    bool grouped;                        /* calls of both layers are drawn together */
    bool in_model;                       /* ai_stack_time: the model's execution has begun */
    bool flows;                          /* msprof: arrows from ACL calls to tasks */
    struct map begun_flows;              /* which of them have a beginning: struct begun_flow */
    struct earlier *twin;                /* msprof, which gets a copy of each event; NULL: of none */
};

/* Loads what all files need. Close it also after a failure. */
int earlier_open(struct earlier *draw, struct timeline_run *run, struct err *err);
void earlier_close(struct earlier *draw);
/* suffix: of the file's name; clock: the clock of its times. */
int earlier_write_file(struct earlier *draw, const char *report, const char *suffix, const char *clock,
                       int (*draw_layer)(struct earlier *draw, struct err *err), struct err *err);

/* Begins a layer whose threads are called "<word><number>", and ends it: with status 0 threads are named, by name when
 * it is not NULL (its arg is the drawing), unless compat did it before. */
void earlier_begin_layer(struct earlier *draw, const char *word);
int earlier_end_layer(struct earlier *draw, int status,
                      void (*name)(void *arg, int64_t pid, int64_t number, struct strbuf *ret), struct err *err);
/* Draws a layer whose events are a table, of the device. */
int earlier_draw_series(struct earlier *draw, const struct track *track, struct err *err);
extern const struct track track_steps_job;
extern const struct track track_models_2022;     /* executions of models */
extern const struct track track_host_steps_2022; /* the host's steps for operators of dynamic shape */
/* A thread of this number is going to be drawn. */
void earlier_count_thread(struct earlier *draw, int64_t number);
/* The process id of a process of the layer. */
void earlier_name_process(struct earlier *draw, int64_t process, const char *name);

/* Begins the event of an operator, of a slice whose pid and times are set, on a thread of these lanes. */
int earlier_begin_operator(struct earlier *draw, int64_t name_id, struct trace_lanes *lanes, int64_t number,
                           struct trace_slice *slice, struct event *event, struct err *err);
/* Adds the identity of a task. */
void earlier_add_task(struct event *event, const char *type, int64_t stream_id, int64_t task_id);

#endif
