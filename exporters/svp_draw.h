/* Drawing the tasks of SVP inferences: a unit of consecutive inferences, with the AI CPU tasks that started meanwhile,
 * into the events of a trace. Several workers draw units side by side, each with its own connection to the database. */
#ifndef MSPROF_EXPORTERS_SVP_DRAW_H
#define MSPROF_EXPORTERS_SVP_DRAW_H

#include "base/err.h"
#include "base/strbuf.h"
#include "db/query.h"
#include "exporters/lanes.h"
#include "exporters/parallel.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The names of a model's tasks on one engine, escaped once. */
struct task_name {
    int64_t task_id;
    size_t offset, length; /* in text */
};
struct task_names {
    struct task_name *names; /* by task id */
    size_t count;
    struct task_name unknown; /* for every other task: N/A */
    struct strbuf text;
};

/* Joins the original names of each task's layers. names must be released also after a failure. */
int task_names_load(struct task_names *names, const struct svp_layers *layers, bool ai_cpu, struct err *err);
void task_names_release(struct task_names *names);

/* What all workers share and only read, but for the two results. */
struct svp_drawing {
    const char *database;             /* path */
    const struct stream_set *streams; /* of AI core tasks */
    bool streams_complete;            /* no task has another stream, unless the set overflowed */
    const struct task_names *core_names, *cpu_names;
    atomic_uint_fast64_t events; /* drawn so far */
    atomic_bool unknown_stream;  /* drawing failed only because streams was not complete */
};

/* One inference of a unit. Thread numbers: base_tid + index of the task's stream, but a stream that has a number of its
 * own keeps it in the first lane. */
struct drawn_inference {
    int64_t id, tasks;
    int64_t shift_ns; /* subtracted from its times */
    int64_t base_tid;
    bool first_lane;
    bool instants; /* no lane was free */
};

struct drawn_ai_cpu_task {
    int64_t start_ns, duration_ns, stream_id, task_id, tid;
    bool instant;
};

/* A piece of the sequence of all events: the inferences by start time, each with its tasks in execution order, and
 * every AI CPU task, by start time, before the first event that starts later. */
struct svp_unit {
    struct drawn_inference *inferences;
    size_t inference_count, inference_capacity;
    struct drawn_ai_cpu_task *ai_cpu_tasks;
    size_t ai_cpu_count, ai_cpu_capacity;
    int64_t tasks;       /* of all inferences */
    int64_t first_index; /* Task Id of the first inference's first task, or of the first AI CPU task */
    /* When an inference is divided among units: this one leaves out the first tasks of its first inference, up to and
     * with start after_ns, and ends its last inference before the first task that starts later than limit_ns. */
    int64_t after_ns, limit_ns;
};

void svp_unit_clear(struct svp_unit *unit);
int svp_unit_add_inference(struct svp_unit *unit, const struct drawn_inference *inference, struct err *err);
int svp_unit_add_ai_cpu_task(struct svp_unit *unit, const struct drawn_ai_cpu_task *task, struct err *err);

/* For struct parallel_work: the argument of svp_worker_new is the struct svp_drawing. */
void *svp_worker_new(void *drawing, struct err *err);
void svp_worker_free(void *worker);
int svp_worker_draw(void *worker, void *unit, struct parallel_output *output, struct err *err);
void svp_unit_release(void *unit);

#endif
