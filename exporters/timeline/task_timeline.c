/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of a model on an SVP board, as Ascend's tool shows them: task_time_*.json. They are put into one sequence by
 * their start, AI core before AI CPU, find their threads in it, and are drawn in units as those of tracks are. */
#include "exporters/timeline/timeline_svp.h"

#include "base/array.h"
#include "base/progress.h"
#include "db/database.h"
#include "exporters/parallel.h"
#include "exporters/timeline/lanes.h"

#include <stdlib.h>

#define SAMPLE_INFERENCES 16 /* looked through for numbers of streams before anything is drawn */
#define SAMPLE_ROWS 65536
#define KEPT_MAX 65536 /* tasks of inferences that overlap; of more of them, these come one after another */
#define READING_ENDS 1 /* a callback's result that only ends the reading */

/* Threads of lanes: AI core streams, then those of the AI CPU; of each what is not known, then the streams by their
 * numbers, then all whose numbers cannot be or are too many: damaged data. */
#define STREAMS_MAX 1024
#define CPU_STREAMS_MAX 64 /* at least, beside all that the AI core has */
#define CPU_BIT (INT64_C(1) << 40)
#define OTHER_STREAMS (CPU_BIT - 1)

/* A task on its way to the threads that draw. */
struct placed_task {
    int64_t start_ns, duration_ns, stream_id, task_id, tid, read_bytes, write_bytes;
    uint32_t order; /* among those that start at one time */
    bool ai_cpu, instant;
};

#define UNIT_TASKS 4096

/* A piece of the sequence for one worker: about 600 KB of events, less than its buffer. */
struct task_unit {
    int64_t first; /* place of its first task in the sequence */
    size_t count;
    struct placed_task tasks[UNIT_TASKS];
};

struct task_timeline {
    struct timeline_run *run;
    const struct svp_model *model;
    struct trace trace;
    struct svp_task_reader *reader;
    sqlite3_stmt *cpu_tasks;
    struct svp_ai_cpu_task cpu_task; /* the next one */
    bool has_cpu_task;
    struct svp_names names;
    struct svp_spans inferences; /* the only thing here that grows with the capture */
    struct trace_lanes lanes;
    struct map core_streams;                  /* numbers that AI CPU tasks do not take; STREAMS_MAX at most */
    int64_t largest_stream, first_further;    /* first_further: of the numbers of further lanes */
    struct ARRAY_OF(struct placed_task) kept; /* not in the sequence yet: what begins before may follow */
    uint32_t order;                           /* of the last of them */
    const struct svp_span *inference;         /* being read */
    struct trace_slice place;                 /* its own, where it overlaps another */
    bool has_place;
    int64_t stream_id; /* of its first task */
    int64_t latest_end_ns, index;
    struct parallel *parallel;
    struct task_unit *unit; /* being filled; NULL: none */
    size_t sampled;         /* tasks that were looked at */
};

/* ---- threads ---- */

static void note_stream(struct task_timeline *timeline, int64_t stream_id)
{
    /* Small numbers for viewers that keep them in 32 bits, whatever a damaged one says. */
    if (stream_id > timeline->largest_stream && stream_id < INT32_MAX / 2)
        timeline->largest_stream = stream_id;
}

static int64_t thread_of(const struct task_timeline *timeline, bool ai_cpu, int64_t stream_id)
{
    const int64_t kind = ai_cpu ? CPU_BIT : 0;
    int64_t number = stream_id >= 0 && stream_id < OTHER_STREAMS - 1 ? stream_id + 1 : OTHER_STREAMS;
    if (stream_id == DB_NULL)
        return kind;
    if (timeline->lanes.threads.used >= (ai_cpu ? STREAMS_MAX + CPU_STREAMS_MAX : STREAMS_MAX) &&
        !trace_lanes_has(&timeline->lanes, 0, kind | number))
        number = OTHER_STREAMS;
    return kind | number;
}

/* The stream's own, where nobody else has it. */
static int64_t own_number(void *arg, int64_t thread)
{
    const struct task_timeline *timeline = arg;
    const int64_t stream_id = (thread & OTHER_STREAMS) - 1;
    if (stream_id < 0 || stream_id == OTHER_STREAMS - 1 || trace_lanes_has(&timeline->lanes, 0, thread ^ CPU_BIT) ||
        ((thread & CPU_BIT) != 0 && map_get(&timeline->core_streams, &stream_id) != NULL))
        return -1;
    return timeline->first_further == 0 || stream_id < timeline->first_further ? stream_id : -1;
}

static int note_task(void *arg, const struct svp_task *task, struct err *err)
{
    struct task_timeline *timeline = arg;
    const int64_t stream_id = task->stream_id;
    note_stream(timeline, stream_id);
    if (timeline->model->ai_cpu_tasks > 0 && stream_id >= 0 && timeline->core_streams.used < STREAMS_MAX &&
        map_add(&timeline->core_streams, &stream_id, NULL, err) == NULL)
        return err_status(err);
    return 0;
}

/* Finds the largest number by a reader of its own: the timeline's is in the middle of an inference. */
static int find_largest_stream(struct task_timeline *timeline, struct err *err)
{
    const struct svp_spans *list = &timeline->inferences;
    struct svp_task_reader *reader = svp_task_reader_new(timeline->run->db, false, err);
    bool failed = reader == NULL;
    for (size_t i = 0; !failed && i < list->count; i++)
        failed = svp_read_tasks(reader, list->items[i].id, note_task, timeline, err) < 0;
    svp_task_reader_free(reader);
    return failed ? err_status(err) : 0;
}

static int first_further(void *arg, int64_t *ret, struct err *err)
{
    struct task_timeline *timeline = arg;
    const bool known = timeline->model->ai_cpu_tasks > 0; /* find_streams went through all */
    if (!known && find_largest_stream(timeline, err) < 0)
        return err_status(err);
    *ret = timeline->first_further = timeline->largest_stream + 1;
    return 0;
}

static void name_thread(void *arg, int64_t pid, int64_t thread, struct strbuf *ret)
{
    const struct task_timeline *timeline = arg;
    const int64_t number = thread & OTHER_STREAMS;
    if (number == OTHER_STREAMS)
        strbuf_adds(ret, "Other streams");
    else if (number == 0)
        strbuf_adds(ret, "Stream N/A");
    else
        strbuf_addf(ret, "Stream %lld", (long long)(number - 1));
    if ((thread & CPU_BIT) != 0 && trace_lanes_has(&timeline->lanes, pid, thread ^ CPU_BIT))
        strbuf_adds(ret, " AI_CPU");
}

/* ---- numbers of streams ---- */

static int look_at_task(void *arg, const struct svp_task *task, struct err *err)
{
    struct task_timeline *timeline = arg;
    if (note_task(timeline, task, err) < 0 ||
        (task->stream_id != DB_NULL && task->stream_id >= 0 &&
         trace_lanes_add(&timeline->lanes, 0, thread_of(timeline, false, task->stream_id), NULL, err) < 0))
        return err_status(err);
    return timeline->model->ai_cpu_tasks <= 0 && ++timeline->sampled == SAMPLE_ROWS ? READING_ENDS : 0;
}

static int look_at_cpu_task(void *arg, const struct svp_ai_cpu_task *task, struct err *err)
{
    (void)err;
    note_stream(arg, task->stream_id);
    return 0;
}

/* Streams of the AI core have their own numbers. Where the AI CPU could take one before its stream comes, all are
 * looked for; else a few inferences are enough, and the others are looked through when a further lane is needed. */
static int find_streams(struct task_timeline *timeline, struct err *err)
{
    const struct svp_spans *list = &timeline->inferences;
    const bool shared = timeline->model->ai_cpu_tasks > 0;
    for (size_t i = 0; i < list->count && (shared || (i < SAMPLE_INFERENCES && timeline->sampled < SAMPLE_ROWS)); i++) {
        if (svp_read_tasks(timeline->reader, list->items[i].id, i < SAMPLE_INFERENCES ? look_at_task : note_task,
                           timeline, err) < 0)
            return err_status(err);
    }
    return shared ? svp_each_ai_cpu_task(timeline->run->db, timeline->model, look_at_cpu_task, timeline, err) : 0;
}

/* ---- the sequence ---- */

static void submit(struct task_timeline *timeline)
{
    if (timeline->unit == NULL)
        return;
    timeline_progress(timeline->run, timeline->unit->count);
    parallel_submit(timeline->parallel);
    timeline->unit = NULL;
}

static int append(struct task_timeline *timeline, const struct placed_task *task, struct err *err)
{
    if (timeline->unit == NULL) {
        timeline->unit = parallel_unit(timeline->parallel, err);
        if (timeline->unit == NULL)
            return err_status(err);
        timeline->unit->first = timeline->index;
        timeline->unit->count = 0;
    }
    timeline->unit->tasks[timeline->unit->count++] = *task;
    timeline->index++;
    if (timeline->unit->count == UNIT_TASKS)
        submit(timeline);
    return 0;
}

static int next_cpu_task(struct task_timeline *timeline, struct err *err)
{
    struct svp_ai_cpu_task *task = &timeline->cpu_task;
    do {
        if (svp_next_ai_cpu_task(timeline->run->db, timeline->cpu_tasks, task, &timeline->has_cpu_task, err) < 0)
            return err_status(err);
    } while (timeline->has_cpu_task && (task->duration_ns == DB_NULL || task->duration_ns < 0));
    return 0;
}

/* Appends the AI CPU tasks that start before; all with INT64_MAX. */
static int append_cpu_tasks(struct task_timeline *timeline, int64_t until_ns, struct err *err)
{
    while (timeline->has_cpu_task && (timeline->cpu_task.start_ns < until_ns || until_ns == INT64_MAX)) {
        const struct svp_ai_cpu_task *task = &timeline->cpu_task;
        struct trace_slice slice = {.start_ns = task->start_ns, .duration_ns = task->duration_ns};
        note_stream(timeline, task->stream_id);
        if (trace_lanes_place(&timeline->lanes, thread_of(timeline, true, task->stream_id), &slice, err) < 0)
            return err_status(err);
        const struct placed_task placed = {.start_ns = task->start_ns,
                                           .duration_ns = task->duration_ns,
                                           .stream_id = task->stream_id,
                                           .task_id = task->task_id,
                                           .tid = slice.tid,
                                           .read_bytes = DB_NULL,
                                           .write_bytes = DB_NULL,
                                           .ai_cpu = true,
                                           .instant = slice.instant};
        if (append(timeline, &placed, err) < 0 || next_cpu_task(timeline, err) < 0)
            return err_status(err);
    }
    return 0;
}

ARRAY_COMPARE(compare_tasks, struct placed_task, ARRAY_BY(start_ns), ARRAY_BY(order))

/* Kept tasks are a heap: the first in the sequence is on top. */
static void keep(struct task_timeline *timeline, const struct placed_task *task)
{
    struct placed_task *items = timeline->kept.items;
    size_t at = timeline->kept.count++;
    for (; at > 0 && compare_tasks(task, &items[(at - 1) / 2]) < 0; at = (at - 1) / 2)
        items[at] = items[(at - 1) / 2];
    items[at] = *task;
}

static struct placed_task take_first(struct task_timeline *timeline)
{
    struct placed_task *items = timeline->kept.items;
    const size_t count = --timeline->kept.count;
    const struct placed_task first = items[0], last = items[count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && compare_tasks(&items[child + 1], &items[child]) < 0;
        if (compare_tasks(&last, &items[child]) <= 0)
            break;
        items[at] = items[child];
    }
    items[at] = last;
    return first;
}

/* Appends what starts before; everything with INT64_MAX. */
static int append_kept(struct task_timeline *timeline, int64_t until_ns, struct err *err)
{
    while (timeline->kept.count > 0 && (timeline->kept.items[0].start_ns < until_ns || until_ns == INT64_MAX)) {
        const struct placed_task first = take_first(timeline);
        if (append_cpu_tasks(timeline, first.start_ns, err) < 0 || append(timeline, &first, err) < 0)
            return err_status(err);
    }
    return append_cpu_tasks(timeline, until_ns, err);
}

/* ---- inferences ---- */

static int take_stream(void *arg, const struct svp_task *task, struct err *err)
{
    struct task_timeline *timeline = arg;
    (void)err;
    timeline->stream_id = task->stream_id;
    return READING_ENDS;
}

/* Inferences that overlap need lanes. One that does is drawn on one thread as a whole, that of its first task's stream:
 * on real devices it has no other. */
static int place_inference(struct task_timeline *timeline, size_t i, struct err *err)
{
    const struct svp_spans *list = &timeline->inferences;
    const struct svp_span *span = &list->items[i];
    timeline->inference = span;
    timeline->has_place =
        span->start_ns < timeline->latest_end_ns || (i + 1 < list->count && list->items[i + 1].start_ns < span->end_ns);
    if (!timeline->has_place)
        return 0;
    timeline->stream_id = DB_NULL;
    if (svp_read_tasks(timeline->reader, span->id, take_stream, timeline, err) < 0)
        return err_status(err);
    timeline->place =
        (struct trace_slice){.start_ns = span->start_ns, .duration_ns = time_since(span->end_ns, span->start_ns)};
    note_stream(timeline, timeline->stream_id);
    return trace_lanes_place(&timeline->lanes, thread_of(timeline, false, timeline->stream_id), &timeline->place, err);
}

/* Goes on with less: what others may still begin before stays, unless that is too much. */
static int shed(struct task_timeline *timeline, int64_t until_ns, struct err *err)
{
    const struct svp_span *next = timeline->inference + 1;
    if (next < timeline->inferences.items + timeline->inferences.count && next->start_ns < until_ns)
        until_ns = next->start_ns;
    if (append_kept(timeline, until_ns, err) < 0)
        return err_status(err);
    return timeline->kept.count >= KEPT_MAX / 2 ? append_kept(timeline, INT64_MAX, err) : 0;
}

static int keep_task(void *arg, const struct svp_task *task, struct err *err)
{
    struct task_timeline *timeline = arg;
    const struct svp_span *inference = timeline->inference;
    if (task->start_ns == DB_NULL || task->duration_ns == DB_NULL || task->duration_ns < 0)
        return 0;
    struct placed_task placed = {.start_ns = svp_span_time(timeline->run, inference, task->start_ns),
                                 .duration_ns = task->duration_ns,
                                 .stream_id = task->stream_id,
                                 .task_id = task->task_id,
                                 .tid = timeline->place.tid,
                                 .read_bytes = task->ddr_read_bytes,
                                 .write_bytes = task->ddr_write_bytes,
                                 .instant = timeline->has_place && timeline->place.instant};
    note_stream(timeline, task->stream_id);
    if ((!timeline->has_place &&
         trace_lanes_add(&timeline->lanes, 0, thread_of(timeline, false, task->stream_id), &placed.tid, err) < 0) ||
        (timeline->kept.count >= KEPT_MAX && shed(timeline, placed.start_ns, err) < 0) ||
        array_reserve(&timeline->kept, 1, err) < 0)
        return err_status(err);
    timeline->order = timeline->kept.count > 0 ? timeline->order + 1 : 0;
    placed.order = timeline->order;
    keep(timeline, &placed);
    return 0;
}

static int draw_inferences(struct task_timeline *timeline, struct err *err)
{
    const struct svp_spans *list = &timeline->inferences;
    timeline->latest_end_ns = INT64_MIN;
    for (size_t i = 0; i < list->count; i++) {
        const struct svp_span *span = &list->items[i];
        if (append_kept(timeline, span->start_ns, err) < 0 || place_inference(timeline, i, err) < 0 ||
            svp_read_tasks(timeline->reader, span->id, keep_task, timeline, err) < 0)
            return err_status(err);
        if (span->end_ns > timeline->latest_end_ns)
            timeline->latest_end_ns = span->end_ns;
    }
    return append_kept(timeline, INT64_MAX, err);
}

/* ---- workers ---- */

struct worker {
    const struct task_timeline *timeline;
    size_t hints[2]; /* where the last name was found */
    struct trace_place place;
};

static int worker_open(void *worker, void *timeline, struct err *err)
{
    (void)err;
    ((struct worker *)worker)->timeline = timeline;
    return 0;
}

static int draw_task(struct worker *worker, const struct placed_task *task, int64_t index,
                     struct parallel_output *output, struct err *err)
{
    const struct task_timeline *timeline = worker->timeline;
    const struct trace_style *style = &timeline->trace.style;
    const struct task_names *names = task->ai_cpu ? &timeline->names.cpu : &timeline->names.core;
    const bool facts = timeline->run->bounds != NULL;
    const struct trace_slice slice = {
        .tid = task->tid,
        .start_ns = task->start_ns,
        .duration_ns = task->duration_ns,
        .instant = task->instant,
        .short_ps = task->instant
                        ? 0
                        : trace_shortening_anywhere(time_since(task->start_ns, style->origin_ns), task->duration_ns)};
    const struct drawn_task drawn = {.names = names,
                                     .name = task_names_find(names, task->task_id, &worker->hints[task->ai_cpu]),
                                     .type = task->ai_cpu ? "AI_CPU" : "AI_CORE",
                                     .stream_id = task->stream_id,
                                     .task_id = timeline->run->options->trace_compat ? index : task->task_id,
                                     .read_bytes = facts ? task->read_bytes : DB_NULL,
                                     .write_bytes = facts ? task->write_bytes : DB_NULL};
    struct event event;
    svp_task_event(&event, &drawn, &slice);
    return trace_put_beside(output, style, &event, &worker->place, err);
}

static int draw_unit(void *worker, void *opaque, struct parallel_output *output, struct err *err)
{
    const struct task_unit *unit = opaque;
    for (size_t i = 0; i < unit->count; i++) {
        if (draw_task(worker, &unit->tasks[i], unit->first + (int64_t)i, output, err) < 0)
            return err_status(err);
    }
    return 0;
}

/* ---- the file ---- */

static int load(struct task_timeline *timeline, struct err *err)
{
    sqlite3 *db = timeline->run->db;
    timeline->reader = svp_task_reader_new(db, false, err);
    if (timeline->reader == NULL || svp_spans_load(timeline->run, timeline->model, &timeline->inferences, err) < 0 ||
        svp_names_load(timeline->run, timeline->model, &timeline->names, err) < 0 || find_streams(timeline, err) < 0)
        return err_status(err);
    if (timeline->model->ai_cpu_tasks <= 0)
        return 0;
    if (svp_ai_cpu_tasks(db, timeline->model, &timeline->cpu_tasks, err) < 0)
        return err_status(err);
    return next_cpu_task(timeline, err);
}

static int draw(struct task_timeline *timeline, struct err *err)
{
    const struct parallel_work work = {.unit_size = sizeof(struct task_unit),
                                       .arg = timeline,
                                       .worker_size = sizeof(struct worker),
                                       .worker_open = worker_open,
                                       .process = draw_unit};
    trace_name_process(&timeline->trace, 0, 0, "Task Scheduler", NULL);
    timeline->parallel = parallel_new(&work, &timeline->trace.out, err);
    if (timeline->parallel == NULL)
        return err_status(err);
    int status = draw_inferences(timeline, err);
    if (status == 0) {
        submit(timeline);
        status = parallel_finish(timeline->parallel, err);
    }
    parallel_free(timeline->parallel);
    timeline->trace.events = (uint64_t)timeline->index;
    return status == 0 ? trace_lanes_name(&timeline->lanes, &timeline->trace, name_thread, timeline, err) : status;
}

int svp_task_timeline(struct timeline_run *run, const struct svp_model *model, struct err *err)
{
    struct task_timeline *timeline = calloc(1, sizeof *timeline);
    if (timeline == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for a timeline");
    timeline->run = run;
    timeline->model = model;
    timeline->largest_stream = -1;
    timeline->core_streams = (struct map){.key_size = sizeof(int64_t), .item_size = sizeof(int64_t)};
    trace_lanes_init(&timeline->lanes, &timeline->trace.style, "", first_further, timeline);
    timeline->lanes.own = own_number;
    timeline->lanes.in_turn = timeline->lanes.apart = true;
    int status = load(timeline, err);
    if (status == 0)
        status = svp_timeline_open(&timeline->trace, run, "task_time", model, err);
    if (status == 0)
        status = svp_timeline_close(&timeline->trace, draw(timeline, err), model, err);
    map_release(&timeline->core_streams);
    trace_lanes_release(&timeline->lanes);
    svp_names_release(&timeline->names);
    sqlite3_finalize(timeline->cpu_tasks);
    svp_task_reader_free(timeline->reader);
    free(timeline->kept.items);
    free(timeline->inferences.items);
    free(timeline);
    return status;
}
