/* SPDX-License-Identifier: Apache-2.0 */
/* Timelines of SVP captures. */
#ifndef MSPROF_EXPORTERS_TIMELINE_TIMELINE_SVP_H
#define MSPROF_EXPORTERS_TIMELINE_TIMELINE_SVP_H

#include "base/err.h"
#include "base/strbuf.h"
#include "db/query/query.h"
#include "exporters/load/bounds.h"
#include "exporters/parallel.h"
#include "exporters/timeline/document.h"
#include "exporters/timeline/streams_svp.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes, for every model, task_time_* when it has tasks, acl_* when it has ACL calls and msprof_* of both; then
 * msprof.json of all of them, which Ascend's tool has nothing like. */
int svp_timeline(struct timeline_run *run, struct err *err);

/* ---- files ---- */

#define SVP_CLOCK "system monotonic"

/* As trace_open and trace_close for one report ("task_time", "acl") of a model. */
int svp_timeline_open(struct trace *trace, struct timeline_run *run, const char *report, const struct svp_model *model,
                      struct err *err);
int svp_timeline_close(struct trace *trace, int result, const struct svp_model *model, struct err *err);

/* Writes acl_*: the ACL calls of one model, a thread of the trace for each thread of the program; no file when none of
 * the calls has a time. */
int acl_timeline(struct timeline_run *run, const struct svp_model *model, struct err *err);

/* Puts what follows the name of a call, with arguments. */
char *acl_put_call(char *p, const struct trace_style *style, const struct acl_call *call,
                   const struct trace_slice *slice);

/* Writes task_time_*: the AI core and AI CPU tasks of one model; no file when none of the tasks has a time. */
int svp_task_timeline(struct timeline_run *run, const struct svp_model *model, struct err *err);

/* Writes msprof_<device>.<model>.<model id>.<batch>.json: the host's calls and the device's tasks as two processes,
 * inferences as slices, an arrow from a call of svp_acl_mdl_execute* to the inference it started where times decide
 * which that is, and counters of the utilisation of the AI core. */
int svp_merged_timeline(struct timeline_run *run, const struct svp_model *model, struct err *err);

/* Writes msprof.json: the same of all models, each a process of its device, with the calls of each process of the host
 * once. */
#define SVP_CAPTURE_TIMELINE "msprof.json"
int svp_capture_timeline(struct timeline_run *run, struct err *err);

/* ---- which call of svp_acl_mdl_execute* started which inference, as far as times decide it ---- */

struct execute_call {
    int64_t start_ns, end_ns;
    int64_t pid, tid;      /* where it is drawn */
    int64_t latest_end_ns; /* of it and those before it, once they are sorted */
    size_t started;        /* inferences that only it can have started */
};

/* All zero: empty. free(items). */
struct execute_calls {
    struct execute_call *items;
    size_t count, capacity;
};

bool is_execute_call(const char *name);
int execute_calls_add(struct execute_calls *calls, const struct execute_call *call, struct err *err);
/* After the last one was added: the starts of all inferences, ascending. */
void execute_calls_prepare(struct execute_calls *calls, const int64_t *starts_ns, size_t count);
/* The call that started the inference of this start; NULL: times do not decide it. A call that waits starts what begins
 * while it runs, if no other one runs then; what begins while none runs was started by the last call before, if nothing
 * else can have been. */
const struct execute_call *execute_calls_find(const struct execute_calls *calls, int64_t start_ns);

/* Drawing the tasks of SVP inferences: a unit of consecutive inferences, with the AI CPU tasks that started meanwhile,
 * into the events of a trace. Several workers draw units side by side, each with its own connection to the database. */
enum { TASK_WHOLE_NAME, TASK_LAYER_TYPE, TASK_BOUND, TASK_FACTS };

/* Texts that slices have of a model's tasks on one engine, escaped once. */
struct task_name {
    int64_t task_id;
    struct task_text {
        size_t offset, length;            /* in text: a JSON string; 0: there is none */
    } name, facts[TASK_FACTS], all_facts; /* facts: arguments; all of them as JSON has them, with their keys */
};
struct task_names {
    struct task_name *names; /* by task id */
    size_t count;
    struct task_name unknown; /* for every other task: N/A */
    struct strbuf text;
};

/* Joins the original names of each task's layers. bounds NULL: whole names, and nothing else. names must be released
 * also after a failure. */
int task_names_load(struct task_names *names, const struct svp_layers *layers, bool ai_cpu,
                    const struct operator_bounds *bounds, struct err *err);
void task_names_release(struct task_names *names);
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
/* Bytes that the next one writes at most. */
size_t svp_task_room(const struct trace_style *style, const struct drawn_task *task);
char *svp_put_task(char *p, const struct trace_style *style, const struct drawn_task *task,
                   const struct trace_slice *slice);

/* State that all workers share and only read, but for the two results. */
struct svp_drawing {
    const char *database;                 /* path */
    const struct stream_threads *threads; /* of AI core tasks: their first threads are numbered */
    bool streams_complete;                /* no task has a stream that is not among them, unless the set overflowed */
    const struct task_names *core_names, *cpu_names;
    struct trace_style style;    /* ts 0 is that of units */
    bool facts;                  /* events say what tasks moved */
    atomic_uint_fast64_t events; /* drawn so far */
    atomic_bool unknown_stream;  /* drawing failed only because the streams were not complete */
};

#define THREAD_BY_STREAM (-1)

struct drawn_inference {
    int64_t id, tasks;
    int64_t end_ns;   /* since the origin, as all times of a unit */
    int64_t shift_ns; /* subtracted from its tasks' times */
    int64_t tid;      /* of all its tasks; THREAD_BY_STREAM: each goes to its stream's first thread */
    bool instants;    /* no lane was free */
    bool carried;     /* tasks before from_ns are in an earlier unit */
};

struct drawn_ai_cpu_task {
    int64_t start_ns, duration_ns, stream_id, task_id, tid;
    bool instant;
};

/* A piece of the sequence of all events, which is ordered by start time, AI core before AI CPU: the AI core tasks that
 * start at until_ns or later are in later units. Task Ids count along the sequence. */
struct svp_unit {
    struct drawn_inference *inferences; /* by start time */
    size_t inference_count, inference_capacity;
    struct drawn_ai_cpu_task *ai_cpu_tasks; /* by start time */
    size_t ai_cpu_count, ai_cpu_capacity;
    int64_t tasks;       /* of all inferences */
    int64_t first_index; /* events of earlier units, those of carried inferences not counted */
    int64_t from_ns, until_ns;
    bool interleaved; /* inferences overlap */
};

/* So many AI core tasks of a unit are interleaved at most; the inferences of one that has more stay one after another.
 */
#define UNIT_INTERLEAVED_MAX 32768

void svp_unit_clear(struct svp_unit *unit);
int svp_unit_add_inference(struct svp_unit *unit, const struct drawn_inference *inference, struct err *err);
int svp_unit_add_ai_cpu_task(struct svp_unit *unit, const struct drawn_ai_cpu_task *task, struct err *err);

/* Opens an own connection for one thread, with a small cache because it reads forwards, and in one read transaction to
 * its end because SQLite would look for a journal before each of many small queries. NULL with err set; free the
 * reader, then close *ret_db. */
struct svp_task_reader *svp_draw_open(const char *database, sqlite3 **ret_db, struct err *err);

/* For struct parallel_work: the argument of svp_worker_new is the struct svp_drawing. */
void *svp_worker_new(void *drawing, struct err *err);
void svp_worker_free(void *worker);
int svp_worker_draw(void *worker, void *unit, struct parallel_output *output, struct err *err);
void svp_unit_release(void *unit);

#endif
