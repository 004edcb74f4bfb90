/* SPDX-License-Identifier: Apache-2.0 */
/* Timelines of captures from before 2023. */
#ifndef MSPROF_EXPORTERS_TIMELINE_TIMELINE_EARLIER_H
#define MSPROF_EXPORTERS_TIMELINE_TIMELINE_EARLIER_H

#include "exporters/load/bounds.h"
#include "exporters/reports/earlier/device_2022.h"
#include "exporters/timeline/document.h"
#include "exporters/timeline/lanes.h"
#include "exporters/timeline/slice_operators.h"

/* Writes <timeline>_<device>[_<model>]_<iteration>.json for each that the capture has something for: with compat as
 * Ascend's tool of 2022 wrote them. */
int timeline_of_2022(struct timeline_run *run, struct err *err);

/* Writes task_time_<device>.json for each device of a capture of JOB that has tasks. */
int timeline_of_job(struct timeline_run *run, struct err *err);

/* ---- layers ---- */

/* A file is of one layer, but msprof, which has
 * several. With compat events, their order and numbers are those of Ascend's tool of 2022. */
struct begun_flow {
    int64_t id;
};

struct draw_2022 {
    struct timeline_run *run;
    const struct device_2022 *device;
    struct execution_counts counts;
    struct counters_2022 counters;
    struct plain_calls *calls;
    bool compat;              /* files of 2022 */
    bool facts;               /* slices say what operators are, which those of Ascend's tools do not */
    struct short_names names; /* of them; both empty without */
    struct operator_bounds bounds;
    /* The file that is open: */
    struct trace trace;
    int64_t layer; /* msprof: the place of what is being drawn, which the tool put before process numbers; 0: none */
    bool flows;    /* msprof: arrows from ACL calls to tasks */
    struct map begun_flows; /* which of them have a beginning: struct begun_flow */
    uint64_t tasks_before;  /* tasks before the origin, which are not drawn */
    /* The layer that is being drawn: */
    struct trace_lanes lanes;
    int64_t first_free; /* a number above all of its threads */
    struct strbuf text; /* of the event that is being written: its name, then its arguments */
};

/* Layers; each returns 0 or -code and writes nothing when there is nothing. */
int draw_2022_acl(struct draw_2022 *draw, struct err *err);
int draw_2022_runtime(struct draw_2022 *draw, struct err *err);
int draw_2022_thread_group(struct draw_2022 *draw, struct err *err); /* both, by thread */
int draw_2022_models(struct draw_2022 *draw, struct err *err);
int draw_2022_host_steps(struct draw_2022 *draw, struct err *err); /* ge_op_execute */
int draw_2022_tasks(struct draw_2022 *draw, struct err *err);
int draw_2022_stack(struct draw_2022 *draw, struct err *err); /* ai_stack_time: a thread for each layer */
/* Draw captures of JOB: the operators by stream, the other tasks in groups; iterations. */
int draw_job_tasks(struct draw_2022 *draw, struct err *err);
int draw_job_iterations(struct draw_2022 *draw, struct err *err);

/* Begins a layer whose threads are called "<word><number>", and ends it: with status 0 threads are named, by name when
 * it is not NULL (its arg is the draw), unless compat did it before. */
void draw_2022_begin_layer(struct draw_2022 *draw, const char *word);
int draw_2022_end_layer(struct draw_2022 *draw, int status,
                        void (*name)(void *arg, int64_t pid, int64_t number, struct strbuf *ret), struct err *err);
/* A thread of this number is going to be drawn. */
void draw_2022_count_thread(struct draw_2022 *draw, int64_t number);

/* The process id of a process of the layer. */
int64_t draw_2022_pid(const struct draw_2022 *draw, int64_t process);
void draw_2022_name_process(struct draw_2022 *draw, int64_t process, const char *name);
/* compat: threads are named before their events; placed: and have a place among the others. */
void draw_2022_name_thread(struct draw_2022 *draw, int64_t process, int64_t tid, const char *name, bool placed);

/* Writes the beginning and the name of an event, "<prefix><name>" (NULL: "N/A"), and empties text. */
int draw_2022_name(struct draw_2022 *draw, const char *prefix, const char *name, struct err *err);
/* Writes all up to the arguments of a slice whose pid and times are set, on a thread of these lanes. */
int draw_2022_begin(struct draw_2022 *draw, const char *name, struct trace_lanes *lanes, int64_t number,
                    struct trace_slice *slice, struct err *err);
/* Writes that of an operator's slice, called by its short name. */
int draw_2022_begin_operator(struct draw_2022 *draw, const char *name, struct trace_lanes *lanes, int64_t number,
                             struct trace_slice *slice, struct err *err);
/* Appends what is known of the operator of a task, behind other arguments; nothing without facts. */
void draw_2022_operator(struct draw_2022 *draw, const struct execution *task);
/* Appends the whole name of an operator where its slice has the short one. */
void draw_2022_whole_name(struct draw_2022 *draw, const char *name);
/* A whole slice of a call of the host, "<prefix><name>", without arguments (trace_end_call); category NULL: none. */
int draw_2022_call(struct draw_2022 *draw, const char *prefix, const char *name, const char *category, int64_t number,
                   struct trace_slice *slice, struct err *err);
/* Appends ,"key": and microseconds with all three decimals to text. */
void draw_2022_time(struct draw_2022 *draw, const char *key, int64_t nanoseconds);
/* Appends what tells a task, as the first arguments. */
void draw_2022_task(struct draw_2022 *draw, const char *type, int64_t stream_id, int64_t task_id);
/* key with its comma and quotes as it stands in JSON, and a number behind it. */
void draw_2022_integer(struct draw_2022 *draw, const char *key, int64_t value);
/* Appends ,"key":"text". */
void draw_2022_text(struct draw_2022 *draw, const char *key, const char *text);
/* Writes text, which are the arguments, and ends the slice. */
int draw_2022_end(struct draw_2022 *draw, const struct trace_slice *slice, struct err *err);
/* Writes text, which is the rest of the event. */
int draw_2022_finish(struct draw_2022 *draw, struct err *err);

/* One end of an arrow to a task: its end only where it has a beginning, unless compat. */
int draw_2022_flow(struct draw_2022 *draw, char phase, int64_t stream_id, int64_t task_id,
                   const struct trace_slice *slice, struct err *err);

#endif
