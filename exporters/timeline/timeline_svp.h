/* SPDX-License-Identifier: Apache-2.0 */
/* Timelines of SVP captures. */
#ifndef MSPROF_EXPORTERS_TIMELINE_TIMELINE_SVP_H
#define MSPROF_EXPORTERS_TIMELINE_TIMELINE_SVP_H

#include "base/array.h"
#include "base/err.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "db/query/query.h"
#include "exporters/timeline/document.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes for every model task_time_* when it has tasks, acl_* of its ACL calls, a thread of the trace for each thread
 * of the program, and msprof_<device>.<model>.<model id>.<batch>.json: the host's calls and the device's tasks as two
 * processes, inferences as slices, an arrow from a call of svp_acl_mdl_execute* to the inference it started where times
 * decide which that is, and counters of the utilisation of the AI core. Then, of several models, msprof.json, which
 * Ascend's tool has nothing like: the same of all models, each a process of its device, with the calls of each process
 * of the host once. */
int svp_timeline(struct timeline_run *run, struct err *err);

/* ---- files ---- */

#define SVP_CLOCK "system monotonic"

/* As trace_open and trace_close for one report ("task_time", "acl") of a model. */
int svp_timeline_open(struct trace *trace, struct timeline_run *run, const char *report, const struct svp_model *model,
                      struct err *err);
int svp_timeline_close(struct trace *trace, int result, const struct svp_model *model, struct err *err);

/* Writes task_time_*: the AI core and AI CPU tasks of one model; no file when none of the tasks has a time. */
int svp_task_timeline(struct timeline_run *run, const struct svp_model *model, struct err *err);

/* ---- which call of svp_acl_mdl_execute* started which inference, as far as times decide it ---- */

struct execute_call {
    int64_t start_ns, end_ns;
    int64_t pid, tid;      /* where it is drawn */
    int64_t latest_end_ns; /* of it and those before it, once they are sorted */
    size_t started;        /* inferences that only it can have started */
};

/* All zero: empty. free(items). */
struct execute_calls ARRAY_OF(struct execute_call);

bool execute_calls_has(const char *name);
int execute_calls_add(struct execute_calls *calls, const struct execute_call *call, struct err *err);
/* After the last one was added: the starts of all inferences, ascending. */
void execute_calls_prepare(struct execute_calls *calls, const int64_t *starts_ns, size_t count);
/* The call that started the inference of this start; NULL: times do not decide it. A call that waits starts what begins
 * while it runs, if no other one runs then; what begins while none runs was started by the last call before, if nothing
 * else can have been. */
const struct execute_call *execute_calls_find(const struct execute_calls *calls, int64_t start_ns);

/* ---- tasks ---- */

/* Texts that slices have of a model's tasks on one engine, escaped once. */
struct task_name {
    int64_t task_id;
    struct task_text {
        size_t offset, length; /* in text: a JSON string; 0: there is none */
    } name, whole, type;       /* whole: of a name that was shortened */
    const char *bound;         /* NULL: not known */
};
struct task_names {
    struct task_name *names; /* by task id */
    size_t count;
    struct task_name unknown; /* for every other task: N/A */
    struct strbuf text;
};

/* Those of both engines, shortened where the run has bounds. All zero: none; must be released also after a failure. */
struct svp_names {
    struct task_names core, cpu;
};
int svp_names_load(struct timeline_run *run, const struct svp_model *model, struct svp_names *ret, struct err *err);
void svp_names_release(struct svp_names *names);
/* Finds the texts of a task. *hint is where the last one was found; 0 at first. */
const struct task_name *task_names_find(const struct task_names *names, int64_t task_id, size_t *hint);

/* The task that a slice is of. */
struct drawn_task {
    const struct task_names *names;
    const struct task_name *name;
    const char *type; /* a word of the program */
    int64_t stream_id, task_id;
    int64_t read_bytes, write_bytes; /* DB_NULL: not shown */
};
void svp_task_event(struct event *event, const struct drawn_task *task, const struct trace_slice *slice);

/* ---- inferences ---- */

struct svp_span {
    int64_t id, start_ns, end_ns, tasks, input, batch;
    bool start_known;
};
/* Inferences of a model by start. All zero: empty; free(items). */
struct svp_spans ARRAY_OF(struct svp_span);
int svp_spans_load(struct timeline_run *run, const struct svp_model *model, struct svp_spans *ret, struct err *err);

/* A time of an inference or its tasks, which counts from the capture's start where nothing relates it to the host. */
static inline int64_t svp_span_time(const struct timeline_run *run, const struct svp_span *span, int64_t time_ns)
{
    return span->start_known ? time_ns : number_add(time_ns, run->origin.time_ns);
}

#endif
