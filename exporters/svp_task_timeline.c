/* task_time_*: plans which inference and which AI CPU task goes where, and hands units of them to the workers that
 * draw. */
#include "base/interrupt.h"
#include "db/database.h"
#include "exporters/svp_draw.h"
#include "exporters/svp_timeline.h"

#include <stdlib.h>
#include <string.h>

#define UNIT_EVENTS 4096        /* about 600 KB: less than a worker's buffer */
#define UNIT_AI_CPU_TASKS 32768 /* more of them divide an inference among units */
#define SAMPLE_INFERENCES 16    /* looked through for stream ids before drawing */
#define SAMPLE_ROWS 65536
#define SAMPLE_ENDS 1 /* a callback's result that only ends the looking */

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
    struct timeline_file file;
    struct inference_list inferences;
    struct task_names core_names, cpu_names;
    struct stream_set core_streams, cpu_streams;
    bool streams_complete;
    struct svp_drawing drawing;
    struct tid_pool tids;
    struct lanes lanes;               /* of inferences */
    int64_t base_tids[LANES_MAX + 1]; /* of each lane, see struct drawn_inference; -1: not used so far */
    struct stream_threads cpu_threads;
    struct parallel *pipeline;
    struct svp_unit *unit; /* being filled */
    size_t next_inference;
    int64_t tasks_before; /* the unit: AI core and AI CPU tasks of all earlier ones */
    uint64_t rows;
};

/* ---- inferences ---- */

static int collect_inference(void *arg, const struct svp_inference *inference, struct err *err)
{
    struct inference_list *list = arg;
    if (inference->start_ns == DB_NULL || inference->end_ns == DB_NULL)
        return 0; /* without a known frequency nothing can be drawn */
    if (list->count == list->capacity) {
        size_t capacity = list->capacity == 0 ? 256 : list->capacity + list->capacity / 2;
        struct inference_span *spans = reallocarray(list->spans, capacity, sizeof(*spans));
        if (spans == NULL)
            return err_set(err, ERR_NO_MEMORY, "out of memory for %zu inferences", capacity);
        list->spans = spans;
        list->capacity = capacity;
    }
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
    list->origin_ns = timeline->run->origin_ns;
    int result = svp_each_inference(timeline->run->db, timeline->model, collect_inference, list, err);
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
    int result = svp_layers_load(timeline->run->db, model->name, model->model_id, &layers, err);
    if (result < 0)
        return result;
    result = task_names_load(&timeline->core_names, &layers, false, err);
    if (result == 0)
        result = task_names_load(&timeline->cpu_names, &layers, true, err);
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
    return interrupted() ? interrupt_error(err) : timeline->streams_complete ? 0 : SAMPLE_ENDS;
}

static int add_cpu_stream(void *arg, const struct svp_ai_cpu_task *task, struct err *err)
{
    struct task_timeline *timeline = arg;
    stream_set_add(&timeline->cpu_streams, task->stream_id);
    if (++timeline->rows % SAMPLE_ROWS != 0)
        return 0;
    return interrupted() ? interrupt_error(err) : timeline->streams_complete ? 0 : SAMPLE_ENDS;
}

/* Which numbers are taken must be known before the first event is drawn. Nearly always a few inferences name every
 * stream; looking through all of them (complete) takes half as long as drawing them. */
static int collect_streams(struct task_timeline *timeline, bool complete, struct err *err)
{
    timeline->streams_complete = complete;
    timeline->rows = 0;
    struct svp_task_reader *reader = svp_task_reader_new(timeline->run->db, err);
    if (reader == NULL)
        return -(int)err->code;
    int result = 0;
    const struct inference_list *list = &timeline->inferences;
    for (size_t i = 0; i < list->count && result == 0 && (complete || i < SAMPLE_INFERENCES); i++)
        result = svp_read_task_times(reader, list->spans[i].id, add_core_stream, timeline, err);
    svp_task_reader_free(reader);
    if (result < 0)
        return result;
    timeline->rows = 0;
    result =
        svp_each_ai_cpu_task(timeline->run->db, timeline->model, INT64_MIN, INT64_MAX, add_cpu_stream, timeline, err);
    return result < 0 ? result : 0;
}

/* ---- units ---- */

static int begin_unit(struct task_timeline *timeline, struct err *err)
{
    timeline->unit = parallel_unit(timeline->pipeline, err);
    if (timeline->unit == NULL)
        return -(int)err->code;
    svp_unit_clear(timeline->unit);
    timeline->unit->first_index = timeline->tasks_before;
    return 0;
}

static int submit_unit(struct task_timeline *timeline, struct err *err)
{
    int64_t tasks = timeline->unit->tasks + (int64_t)timeline->unit->ai_cpu_count;
    timeline->tasks_before += tasks;
    parallel_submit(timeline->pipeline);
    timeline_progress(timeline->run, (uint64_t)tasks);
    return begin_unit(timeline, err);
}

/* Submits a unit that is full of AI CPU tasks in the middle of an inference; the next one goes on with the same. */
static int divide_inference(struct task_timeline *timeline, int64_t limit_ns, struct err *err)
{
    struct svp_unit *unit = timeline->unit;
    if (unit->inference_count == 0)
        return submit_unit(timeline, err);
    struct drawn_inference inference = unit->inferences[unit->inference_count - 1];
    unit->tasks -= inference.tasks; /* its tasks are counted from its first one, in each unit that has it */
    unit->limit_ns = limit_ns;
    if (submit_unit(timeline, err) < 0)
        return -(int)err->code;
    timeline->unit->after_ns = limit_ns;
    return svp_unit_add_inference(timeline->unit, &inference, err);
}

/* The number of the lane's first thread; the first lane needs it only for streams without a usable number. */
static int64_t lane_base_tid(struct task_timeline *timeline, size_t lane)
{
    const struct stream_set *streams = &timeline->core_streams;
    bool needed = lane > 0 || streams->overflowed || (streams->count > 0 && streams->ids[0] < 0);
    if (timeline->base_tids[lane] == -1 && needed)
        timeline->base_tids[lane] = tid_pool_take(&timeline->tids, streams->count + streams->overflowed);
    return timeline->base_tids[lane];
}

static int add_inference(struct task_timeline *timeline, struct err *err)
{
    const struct svp_unit *unit = timeline->unit;
    bool full = unit->tasks + (int64_t)unit->ai_cpu_count >= UNIT_EVENTS || unit->inference_count >= UNIT_EVENTS;
    if (full && submit_unit(timeline, err) < 0)
        return -(int)err->code;
    const struct inference_span *span = &timeline->inferences.spans[timeline->next_inference++];
    size_t lane = lanes_take(&timeline->lanes, span->start_ns, span->end_ns);
    struct drawn_inference inference = {.id = span->id,
                                        .tasks = span->tasks,
                                        .shift_ns = span->start_known ? timeline->run->origin_ns : 0,
                                        .base_tid = lane_base_tid(timeline, lane),
                                        .first_lane = lane == 0,
                                        .instants = lane == LANES_MAX};
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
    struct drawn_ai_cpu_task drawn = {.start_ns = time_since(task->start_ns, timeline->run->origin_ns),
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
    return timeline->unit->ai_cpu_count < UNIT_AI_CPU_TASKS ? 0 : divide_inference(timeline, drawn.start_ns, err);
}

static int draw_units(struct task_timeline *timeline, struct err *err)
{
    const struct parallel_work work = {.unit_size = sizeof(struct svp_unit),
                                       .arg = &timeline->drawing,
                                       .worker_new = svp_worker_new,
                                       .worker_free = svp_worker_free,
                                       .process = svp_worker_draw,
                                       .unit_release = svp_unit_release};
    timeline->pipeline = parallel_new(&work, &timeline->file.out, err);
    if (timeline->pipeline == NULL)
        return -(int)err->code;
    int result = begin_unit(timeline, err);
    if (result == 0 && timeline->model->ai_cpu_tasks > 0)
        result = svp_each_ai_cpu_task(timeline->run->db, timeline->model, INT64_MIN, INT64_MAX, add_ai_cpu_task,
                                      timeline, err);
    while (result == 0 && timeline->next_inference < timeline->inferences.count)
        result = add_inference(timeline, err);
    if (result == 0)
        result = submit_unit(timeline, err);
    if (result == 0)
        result = parallel_finish(timeline->pipeline, err);
    parallel_free(timeline->pipeline);
    return result;
}

/* ---- the file ---- */

static void write_threads(struct task_timeline *timeline)
{
    const struct stream_set *streams = &timeline->core_streams;
    int64_t sort_index = 0;
    for (size_t i = 0; i < streams->count + streams->overflowed; i++) {
        for (size_t lane = 0; lane <= LANES_MAX; lane++) {
            bool own_number = lane == 0 && i < streams->count && streams->ids[i] >= 0;
            int64_t base_tid = timeline->base_tids[lane];
            if (own_number)
                stream_thread_write(&timeline->file.out, streams->ids[i], sort_index++, streams, i, "", lane);
            else if (base_tid != -1)
                stream_thread_write(&timeline->file.out, base_tid + (int64_t)i, sort_index++, streams, i, "", lane);
        }
    }
    stream_threads_write(&timeline->cpu_threads, &timeline->file.out, sort_index, " AI_CPU");
}

static int write_file(struct task_timeline *timeline, struct err *err)
{
    const struct timeline_run *run = timeline->run;
    timeline->drawing = (struct svp_drawing){.database = run->options->database,
                                             .streams = &timeline->core_streams,
                                             .streams_complete = timeline->streams_complete,
                                             .core_names = &timeline->core_names,
                                             .cpu_names = &timeline->cpu_names};
    tid_pool_init(&timeline->tids, &timeline->core_streams, &timeline->cpu_streams);
    timeline->lanes.count = 0;
    for (size_t lane = 0; lane <= LANES_MAX; lane++)
        timeline->base_tids[lane] = -1;
    timeline->next_inference = 0;
    timeline->tasks_before = 0;
    int result = stream_threads_init(&timeline->cpu_threads, &timeline->cpu_streams, &timeline->core_streams,
                                     &timeline->tids, err);
    if (result < 0)
        return result;
    result = svp_timeline_open(&timeline->file, timeline->run, "task_time", timeline->model, err);
    if (result == 0) {
        result = draw_units(timeline, err);
        if (result == 0)
            write_threads(timeline);
        result =
            svp_timeline_close(&timeline->file, result, timeline->model, atomic_load(&timeline->drawing.events), err);
    }
    stream_threads_release(&timeline->cpu_threads);
    return result;
}

int svp_task_timeline(struct timeline_run *run, const struct svp_model *model, struct err *err)
{
    struct task_timeline *timeline = calloc(1, sizeof(*timeline));
    if (timeline == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for a timeline");
    timeline->run = run;
    timeline->model = model;
    uint64_t done = run->done;
    int result = load_inferences(timeline, err);
    if (result == 0)
        result = load_names(timeline, err);
    if (result == 0)
        result = collect_streams(timeline, false, err);
    if (result == 0)
        result = write_file(timeline, err);
    if (result < 0 && atomic_load(&timeline->drawing.unknown_stream)) {
        run->done = done;
        result = collect_streams(timeline, true, err);
        if (result == 0)
            result = write_file(timeline, err);
    }
    task_names_release(&timeline->core_names);
    task_names_release(&timeline->cpu_names);
    free(timeline->inferences.spans);
    free(timeline);
    return result;
}
