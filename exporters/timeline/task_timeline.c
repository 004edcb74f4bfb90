/* SPDX-License-Identifier: Apache-2.0 */
/* Plans which inference and which AI CPU task goes where, and hands units of them to the workers that draw. */
#include "exporters/timeline/timeline_svp.h"

#include "base/array.h"
#include "base/progress.h"
#include "db/database.h"

#include <stdlib.h>

#define UNIT_EVENTS 4096        /* about 600 KB: less than a worker's buffer */
#define UNIT_AI_CPU_TASKS 32768 /* more of them divide an inference among units */
#define UNIT_CARRIED 64 /* when more inferences than this go on at the end of a unit, each is drawn whole instead */
#define SAMPLE_INFERENCES 16 /* looked through for stream ids before drawing */
#define SAMPLE_ROWS 65536
#define SAMPLE_AI_CPU_TASKS 1024
#define LOOKING_ENDS 1 /* a callback's result that only ends the looking */

struct inference_span {
    int64_t id, tasks;
    int64_t start_ns, end_ns; /* since the origin */
    bool start_known;         /* its tasks' times are absolute, else since the origin too */
};

/* The model's inferences by start time: 40 bytes each, the only thing here that grows with the capture. */
struct inference_list {
    struct inference_span *spans;
    size_t count, capacity;
    int64_t origin_ns;
};

struct task_timeline {
    struct timeline_run *run;
    const struct svp_model *model;
    sqlite3 *db; /* an own connection: the run's may be in the middle of a query */
    struct svp_task_reader *reader;
    struct trace trace;
    struct inference_list inferences;
    struct task_names core_names, cpu_names;
    struct stream_set core_streams, cpu_streams;
    bool streams_complete;
    struct svp_drawing drawing;
    struct tid_pool tids;
    struct stream_threads core_threads, cpu_threads;
    struct svp_ai_cpu_task sample[SAMPLE_AI_CPU_TASKS]; /* the first, held back until the pipeline starts */
    size_t sample_count;
    struct parallel *pipeline;
    struct svp_unit *unit;                        /* being filled */
    struct drawn_inference carried[UNIT_CARRIED]; /* from the unit before */
    int64_t carried_tasks;
    size_t next_inference;
    int64_t latest_end_ns; /* of the inferences before it */
    int64_t events_before; /* events of units before this one, see svp_unit.first_index */
    int64_t stream_id;     /* of the inference being looked at */
    uint64_t rows;
};

/* ---- inferences ---- */

static int collect_inference(void *arg, const struct svp_inference *inference, struct err *err)
{
    struct inference_list *list = arg;
    if (inference->start_ns == DB_NULL || inference->end_ns == DB_NULL)
        return 0; /* without a known frequency nothing can be drawn */
    if (list->count == list->capacity &&
        array_grow(&list->spans, &list->capacity, list->count, 1, sizeof *list->spans, err) < 0)
        return -(int)err->code;
    int64_t origin_ns = inference->start_known ? list->origin_ns : 0;
    list->spans[list->count++] = (struct inference_span){.id = inference->id,
                                                         .start_ns = time_since(inference->start_ns, origin_ns),
                                                         .end_ns = time_since(inference->end_ns, origin_ns),
                                                         .tasks = inference->tasks,
                                                         .start_known = inference->start_known != 0};
    return list->count % SAMPLE_ROWS == 0 && interrupted() ? interrupt_error(err) : 0;
}

static int compare_spans(const void *a, const void *b)
{
    const struct inference_span *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

static int load_inferences(struct task_timeline *timeline, struct err *err)
{
    struct inference_list *list = &timeline->inferences;
    list->origin_ns = timeline->run->origin.time_ns;
    int result = svp_each_inference(timeline->db, timeline->model, collect_inference, list, err);
    bool sorted = true;
    for (size_t i = 1; i < list->count && sorted; i++)
        sorted = compare_spans(&list->spans[i - 1], &list->spans[i]) < 0;
    if (!sorted)
        qsort(list->spans, list->count, sizeof(*list->spans), compare_spans);
    return result;
}

static int load_names(struct task_timeline *timeline, struct err *err)
{
    struct svp_layers layers;
    const struct svp_model *model = timeline->model;
    int result = svp_layers_load(timeline->db, model->name, model->model_id, &layers, err);
    if (result < 0)
        return result;
    result = task_names_load(&timeline->core_names, &layers, false, timeline->run->bounds, err);
    if (result == 0)
        result = task_names_load(&timeline->cpu_names, &layers, true, timeline->run->bounds, err);
    svp_layers_release(&layers);
    return result;
}

/* ---- streams ---- */

static int add_core_stream(void *arg, const struct svp_task *task, struct err *err)
{
    struct task_timeline *timeline = arg;
    stream_set_add(&timeline->core_streams, task->stream_id);
    if (++timeline->rows % SAMPLE_ROWS != 0)
        return 0;
    return interrupted() ? interrupt_error(err) : timeline->streams_complete ? 0 : LOOKING_ENDS;
}

static int add_cpu_stream(void *arg, const struct svp_ai_cpu_task *task, struct err *err)
{
    struct task_timeline *timeline = arg;
    stream_set_add(&timeline->cpu_streams, task->stream_id);
    return ++timeline->rows % SAMPLE_ROWS == 0 && interrupted() ? interrupt_error(err) : 0;
}

/* Which numbers are taken must be known before the first event is drawn. Nearly always a few inferences name every
 * stream, and the first AI CPU tasks theirs. */
static int sample_streams(struct task_timeline *timeline, struct err *err)
{
    const struct inference_list *list = &timeline->inferences;
    int result = 0;
    for (size_t i = 0; i < list->count && result == 0 && i < SAMPLE_INFERENCES; i++)
        result = svp_read_task_times(timeline->reader, list->spans[i].id, add_core_stream, timeline, err);
    return result < 0 ? result : 0;
}

/* When they do not, all tasks are looked through, which takes half as long as drawing them. */
static int collect_streams(struct task_timeline *timeline, struct err *err)
{
    const struct inference_list *list = &timeline->inferences;
    int result = 0;
    timeline->streams_complete = true;
    for (size_t i = 0; i < list->count && result == 0; i++)
        result = svp_read_task_times(timeline->reader, list->spans[i].id, add_core_stream, timeline, err);
    if (result == 0)
        result =
            svp_each_ai_cpu_task(timeline->db, timeline->model, INT64_MIN, INT64_MAX, add_cpu_stream, timeline, err);
    return result;
}

/* ---- units ---- */

static int begin_unit(struct task_timeline *timeline, int64_t from_ns, size_t carried, struct err *err)
{
    timeline->unit = parallel_unit(timeline->pipeline, err);
    if (timeline->unit == NULL)
        return -(int)err->code;
    svp_unit_clear(timeline->unit);
    timeline->unit->first_index = timeline->events_before;
    timeline->unit->from_ns = from_ns;
    timeline->unit->interleaved = carried > 1;
    for (size_t i = 0; i < carried; i++) {
        if (svp_unit_add_inference(timeline->unit, &timeline->carried[i], err) < 0)
            return -(int)err->code;
    }
    return 0;
}

/* Keeps aside what goes on after until_ns; returns how many, or UNIT_CARRIED + 1 when they are too many. */
static size_t carry_inferences(struct task_timeline *timeline, int64_t until_ns)
{
    size_t count = 0;
    for (size_t i = 0; i < timeline->unit->inference_count; i++) {
        if (timeline->unit->inferences[i].end_ns < until_ns)
            continue;
        if (count == UNIT_CARRIED)
            return UNIT_CARRIED + 1;
        timeline->carried[count] = timeline->unit->inferences[i];
        timeline->carried[count++].carried = true;
    }
    return count;
}

/* Hands the unit over and begins the next, which has what starts at until_ns or later. */
static int submit_unit(struct task_timeline *timeline, int64_t until_ns, struct err *err)
{
    struct svp_unit *unit = timeline->unit;
    size_t carried = carry_inferences(timeline, until_ns);
    if (carried > UNIT_CARRIED)
        carried = 0;
    else
        unit->until_ns = until_ns;
    timeline->carried_tasks = 0;
    for (size_t i = 0; i < carried; i++)
        timeline->carried_tasks += timeline->carried[i].tasks;
    int64_t events = unit->tasks + (int64_t)unit->ai_cpu_count - timeline->carried_tasks;
    timeline->events_before += events;
    parallel_submit(timeline->pipeline);
    timeline_progress(timeline->run, (uint64_t)events);
    return begin_unit(timeline, until_ns, carried, err);
}

static int take_stream(void *arg, const struct svp_task *task, struct err *err)
{
    struct task_timeline *timeline = arg;
    (void)err;
    timeline->stream_id = task->stream_id;
    return LOOKING_ENDS;
}

/* Whether another inference runs at the same time as the next one. */
static bool overlaps(const struct task_timeline *timeline, const struct inference_span *span)
{
    const struct inference_list *list = &timeline->inferences;
    size_t following = timeline->next_inference + 1;
    return span->start_ns < timeline->latest_end_ns ||
           (following < list->count && list->spans[following].start_ns < span->end_ns);
}

/* Inferences that overlap need lanes. One that does is drawn on one thread as a whole, that of its first task's stream:
 * on real devices it has no other. */
static int place_inference(struct task_timeline *timeline, const struct inference_span *span,
                           struct drawn_inference *inference, struct err *err)
{
    if (!overlaps(timeline, span))
        return 0;
    timeline->stream_id = DB_NULL;
    if (svp_read_task_times(timeline->reader, span->id, take_stream, timeline, err) < 0)
        return -(int)err->code;
    if (!timeline->streams_complete &&
        stream_set_index(&timeline->core_streams, timeline->stream_id) == timeline->core_streams.count) {
        atomic_store(&timeline->drawing.unknown_stream, true);
        return err_set(err, ERR_FAILED, "stream %lld was not expected", (long long)timeline->stream_id);
    }
    return stream_threads_place(&timeline->core_threads, timeline->stream_id, span->start_ns,
                                time_since(span->end_ns, span->start_ns), &inference->tid, &inference->instants, err);
}

static int add_inference(struct task_timeline *timeline, struct err *err)
{
    const struct inference_span *span = &timeline->inferences.spans[timeline->next_inference];
    const struct svp_unit *unit = timeline->unit;
    bool full = unit->tasks - timeline->carried_tasks + (int64_t)unit->ai_cpu_count >= UNIT_EVENTS ||
                unit->inference_count >= UNIT_EVENTS;
    if (full && submit_unit(timeline, span->start_ns, err) < 0)
        return -(int)err->code;
    struct drawn_inference inference = {.id = span->id,
                                        .tasks = span->tasks,
                                        .end_ns = span->end_ns,
                                        .shift_ns = span->start_known ? timeline->run->origin.time_ns : 0,
                                        .tid = THREAD_BY_STREAM};
    if (place_inference(timeline, span, &inference, err) < 0)
        return -(int)err->code;
    if (span->start_ns < timeline->latest_end_ns)
        timeline->unit->interleaved = true;
    if (span->end_ns > timeline->latest_end_ns)
        timeline->latest_end_ns = span->end_ns;
    timeline->next_inference++;
    return svp_unit_add_inference(timeline->unit, &inference, err);
}

static int add_ai_cpu_task(void *arg, const struct svp_ai_cpu_task *task, struct err *err)
{
    struct task_timeline *timeline = arg;
    if (task->start_ns == DB_NULL || task->duration_ns == DB_NULL || task->duration_ns < 0)
        return 0;
    const struct stream_set *streams = &timeline->cpu_streams;
    if (!timeline->streams_complete && stream_set_index(streams, task->stream_id) == streams->count) {
        atomic_store(&timeline->drawing.unknown_stream, true);
        return err_set(err, ERR_FAILED, "stream %lld was not expected", (long long)task->stream_id);
    }
    struct drawn_ai_cpu_task drawn = {.start_ns = time_since(task->start_ns, timeline->run->origin.time_ns),
                                      .duration_ns = task->duration_ns,
                                      .stream_id = task->stream_id,
                                      .task_id = task->task_id};
    const struct inference_list *list = &timeline->inferences;
    while (timeline->next_inference < list->count && list->spans[timeline->next_inference].start_ns <= drawn.start_ns) {
        if (add_inference(timeline, err) < 0)
            return -(int)err->code;
    }
    if (stream_threads_place(&timeline->cpu_threads, task->stream_id, drawn.start_ns, drawn.duration_ns, &drawn.tid,
                             &drawn.instant, err) < 0 ||
        svp_unit_add_ai_cpu_task(timeline->unit, &drawn, err) < 0)
        return -(int)err->code;
    return timeline->unit->ai_cpu_count < UNIT_AI_CPU_TASKS ? 0
                                                            : submit_unit(timeline, span_end(drawn.start_ns, 1), err);
}

/* ---- drawing ---- */

static int number_threads(struct task_timeline *timeline, struct err *err)
{
    tid_pool_init(&timeline->tids, &timeline->core_streams, &timeline->cpu_streams);
    int result = stream_threads_init(&timeline->core_threads, &timeline->core_streams, NULL, &timeline->tids, err);
    if (result == 0)
        result = stream_threads_number(&timeline->core_threads, err);
    if (result == 0)
        result = stream_threads_init(&timeline->cpu_threads, &timeline->cpu_streams, &timeline->core_streams,
                                     &timeline->tids, err);
    return result;
}

/* Starts the workers once the first AI CPU tasks have told their streams, and gives these tasks on. */
static int start_drawing(struct task_timeline *timeline, struct err *err)
{
    const struct parallel_work work = {.unit_size = sizeof(struct svp_unit),
                                       .arg = &timeline->drawing,
                                       .worker_new = svp_worker_new,
                                       .worker_free = svp_worker_free,
                                       .process = svp_worker_draw,
                                       .unit_release = svp_unit_release};
    for (size_t i = 0; i < timeline->sample_count; i++)
        stream_set_add(&timeline->cpu_streams, timeline->sample[i].stream_id);
    int result = number_threads(timeline, err);
    if (result < 0)
        return result;
    timeline->pipeline = parallel_new(&work, &timeline->trace.out, err);
    if (timeline->pipeline == NULL)
        return -(int)err->code;
    result = begin_unit(timeline, INT64_MIN, 0, err);
    for (size_t i = 0; i < timeline->sample_count && result == 0; i++)
        result = add_ai_cpu_task(timeline, &timeline->sample[i], err);
    return result;
}

static int take_ai_cpu_task(void *arg, const struct svp_ai_cpu_task *task, struct err *err)
{
    struct task_timeline *timeline = arg;
    if (timeline->pipeline == NULL && timeline->sample_count < SAMPLE_AI_CPU_TASKS) {
        timeline->sample[timeline->sample_count++] = *task;
        return 0;
    }
    if (timeline->pipeline == NULL && start_drawing(timeline, err) < 0)
        return -(int)err->code;
    return add_ai_cpu_task(timeline, task, err);
}

static int draw_units(struct task_timeline *timeline, struct err *err)
{
    int result = 0;
    timeline->sample_count = 0;
    if (timeline->model->ai_cpu_tasks > 0)
        result =
            svp_each_ai_cpu_task(timeline->db, timeline->model, INT64_MIN, INT64_MAX, take_ai_cpu_task, timeline, err);
    if (result == 0 && timeline->pipeline == NULL)
        result = start_drawing(timeline, err);
    while (result == 0 && timeline->next_inference < timeline->inferences.count)
        result = add_inference(timeline, err);
    if (result == 0)
        result = submit_unit(timeline, INT64_MAX, err);
    if (result == 0)
        result = parallel_finish(timeline->pipeline, err);
    parallel_free(timeline->pipeline);
    timeline->pipeline = NULL;
    return result;
}

/* ---- the file ---- */

static void write_threads(struct task_timeline *timeline)
{
    int64_t sort_index = stream_threads_write(&timeline->core_threads, &timeline->trace, 0, "");
    stream_threads_write(&timeline->cpu_threads, &timeline->trace, sort_index, " AI_CPU");
}

static int write_file(struct task_timeline *timeline, struct err *err)
{
    timeline->drawing = (struct svp_drawing){.database = timeline->run->options->database,
                                             .threads = &timeline->core_threads,
                                             .streams_complete = timeline->streams_complete,
                                             .core_names = &timeline->core_names,
                                             .cpu_names = &timeline->cpu_names,
                                             .style = trace_style_msprof,
                                             .facts = timeline->run->bounds != NULL};
    timeline->next_inference = 0;
    timeline->latest_end_ns = INT64_MIN;
    timeline->events_before = timeline->carried_tasks = 0;
    int result = svp_timeline_open(&timeline->trace, timeline->run, "task_time", timeline->model, err);
    if (result == 0) {
        timeline->drawing.style.coded = timeline->trace.style.coded;
        trace_name_process(&timeline->trace, 0, 0, "Task Scheduler", NULL);
        result = draw_units(timeline, err);
        if (result == 0)
            write_threads(timeline);
        timeline->trace.events = atomic_load(&timeline->drawing.events);
        result = svp_timeline_close(&timeline->trace, result, timeline->model, err);
    }
    stream_threads_release(&timeline->core_threads);
    stream_threads_release(&timeline->cpu_threads);
    return result;
}

static int load(struct task_timeline *timeline, struct err *err)
{
    timeline->reader = svp_draw_open(timeline->run->options->database, &timeline->db, err);
    if (timeline->reader == NULL)
        return -(int)err->code;
    int result = load_inferences(timeline, err);
    return result < 0 ? result : load_names(timeline, err);
}

int svp_task_timeline(struct timeline_run *run, const struct svp_model *model, struct err *err)
{
    struct task_timeline *timeline = calloc(1, sizeof(*timeline));
    if (timeline == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for a timeline");
    timeline->run = run;
    timeline->model = model;
    uint64_t done = run->done;
    int result = load(timeline, err);
    if (result == 0)
        result = sample_streams(timeline, err);
    if (result == 0)
        result = write_file(timeline, err);
    if (result < 0 && atomic_load(&timeline->drawing.unknown_stream)) {
        run->done = done;
        result = collect_streams(timeline, err);
        if (result == 0)
            result = write_file(timeline, err);
    }
    task_names_release(&timeline->core_names);
    task_names_release(&timeline->cpu_names);
    svp_task_reader_free(timeline->reader);
    database_close(timeline->db);
    free(timeline->inferences.spans);
    free(timeline);
    return result;
}
