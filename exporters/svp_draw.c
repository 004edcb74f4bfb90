#include "exporters/svp_draw.h"

#include "base/interrupt.h"
#include "db/database.h"
#include "exporters/trace.h"

#include <stdlib.h>
#include <string.h>

#define NAMES_MAX ((size_t)512 * 1024 * 1024) /* bytes of all names of a model, escaped */
#define NAME_PIECE 65536                      /* longer names are written apart from the rest of their event */
#define ROWS_PER_POLL 4096
#define UNIT_ENDS 1 /* a callback's result that only ends the reading of one inference */

/* ---- names ---- */

/* Appends the joined original names of some layers to buf. */
static int join_names(struct strbuf *buf, const struct svp_layer *layers, size_t count)
{
    int result = 0;
    for (size_t i = 0; i < count && result == 0; i++) {
        const char *name = layers[i].ori_name;
        if (name == NULL || *name == '\0')
            continue;
        if (buf->length > 0)
            result = strbuf_addc(buf, ',');
        if (result == 0)
            result = strbuf_adds(buf, name);
    }
    if (result == 0 && buf->length == 0)
        result = strbuf_adds(buf, "N/A");
    return result;
}

static int add_name(struct task_names *names, struct task_name *name, const struct svp_layer *layers, size_t count)
{
    struct strbuf joined;
    strbuf_init(&joined, NAMES_MAX);
    name->offset = names->text.length;
    int result = join_names(&joined, layers, count);
    if (result == 0)
        result = trace_append_name(&names->text, joined.data, joined.length);
    name->length = names->text.length - name->offset;
    strbuf_release(&joined);
    return result;
}

int task_names_load(struct task_names *names, const struct svp_layers *layers, bool ai_cpu, struct err *err)
{
    *names = (struct task_names){.unknown = {.task_id = DB_NULL}};
    strbuf_init(&names->text, NAMES_MAX);
    names->names = calloc(layers->count + 1, sizeof(*names->names));
    if (names->names == NULL || add_name(names, &names->unknown, NULL, 0) < 0)
        return err_set(err, ERR_NO_MEMORY, "out of memory for the names of %zu layers", layers->count);
    for (size_t i = 0; i < layers->count; i++) {
        int64_t task_id = layers->layers[i].task_id;
        if (task_id == DB_NULL || (names->count > 0 && names->names[names->count - 1].task_id == task_id))
            continue;
        size_t first, count = svp_layers_of_task(layers, task_id, ai_cpu, &first);
        if (count == 0)
            continue;
        struct task_name *name = &names->names[names->count];
        name->task_id = task_id;
        if (add_name(names, name, &layers->layers[first], count) < 0)
            return err_set(err, ERR_NO_MEMORY, "out of memory for the names of %zu layers", layers->count);
        names->count++;
    }
    return 0;
}

void task_names_release(struct task_names *names)
{
    free(names->names);
    strbuf_release(&names->text);
    *names = (struct task_names){0};
}

static int compare_task_id(const void *key, const void *name)
{
    int64_t a = *(const int64_t *)key, b = ((const struct task_name *)name)->task_id;
    return (a > b) - (a < b);
}

/* *hint is where the last one was found: tasks mostly come in the order of their ids, inference after inference. */
static inline const struct task_name *find_name(const struct task_names *names, int64_t task_id, size_t *hint)
{
    size_t next = *hint + 1 < names->count ? *hint + 1 : 0;
    if (names->count > 0 && names->names[next].task_id == task_id) {
        *hint = next;
        return &names->names[next];
    }
    const struct task_name *found =
        bsearch(&task_id, names->names, names->count, sizeof(*names->names), compare_task_id);
    if (found == NULL)
        return &names->unknown;
    *hint = (size_t)(found - names->names);
    return found;
}

/* ---- units ---- */

void svp_unit_clear(struct svp_unit *unit)
{
    unit->inference_count = unit->ai_cpu_count = 0;
    unit->tasks = unit->first_index = 0;
    unit->after_ns = INT64_MIN;
    unit->limit_ns = INT64_MAX;
}

void svp_unit_release(void *arg)
{
    struct svp_unit *unit = arg;
    free(unit->inferences);
    free(unit->ai_cpu_tasks);
    *unit = (struct svp_unit){0};
}

/* Makes room for one more item; NULL with err set when memory ran out. */
static void *grow(void *items, size_t *capacity, size_t count, size_t item_size, struct err *err)
{
    if (count < *capacity)
        return items;
    size_t larger = *capacity == 0 ? 64 : *capacity * 2;
    void *moved = reallocarray(items, larger, item_size);
    if (moved == NULL)
        err_set(err, ERR_NO_MEMORY, "out of memory for %zu items of a timeline", larger);
    else
        *capacity = larger;
    return moved;
}

int svp_unit_add_inference(struct svp_unit *unit, const struct drawn_inference *inference, struct err *err)
{
    struct drawn_inference *items =
        grow(unit->inferences, &unit->inference_capacity, unit->inference_count, sizeof(*items), err);
    if (items == NULL)
        return -(int)err->code;
    unit->inferences = items;
    items[unit->inference_count++] = *inference;
    unit->tasks += inference->tasks;
    return 0;
}

int svp_unit_add_ai_cpu_task(struct svp_unit *unit, const struct drawn_ai_cpu_task *task, struct err *err)
{
    struct drawn_ai_cpu_task *items =
        grow(unit->ai_cpu_tasks, &unit->ai_cpu_capacity, unit->ai_cpu_count, sizeof(*items), err);
    if (items == NULL)
        return -(int)err->code;
    unit->ai_cpu_tasks = items;
    items[unit->ai_cpu_count++] = *task;
    return 0;
}

/* ---- workers ---- */

struct svp_worker {
    struct svp_drawing *drawing;
    sqlite3 *db;
    struct svp_task_reader *reader;
    size_t core_hint, cpu_hint;
    /* the unit being drawn */
    const struct svp_unit *unit;
    const struct drawn_inference *inference;
    struct parallel_output *output;
    size_t next_ai_cpu;
    int64_t index; /* the next Task Id */
    int64_t after_ns, limit_ns;
    uint64_t events;
    unsigned rows;
    int64_t stream_id, tid; /* of the last task of this inference */
    bool stream_found;
};

void *svp_worker_new(void *drawing, struct err *err)
{
    struct svp_worker *worker = calloc(1, sizeof(*worker));
    if (worker == NULL) {
        err_set(err, ERR_NO_MEMORY, "out of memory for a worker");
        return NULL;
    }
    worker->drawing = drawing;
    if (database_open(worker->drawing->database, &worker->db, err) < 0)
        goto failed;
    worker->reader = svp_task_reader_new(worker->db, err);
    if (worker->reader != NULL)
        return worker;
    database_close(worker->db);
failed:
    free(worker);
    return NULL;
}

void svp_worker_free(void *arg)
{
    struct svp_worker *worker = arg;
    svp_task_reader_free(worker->reader);
    database_close(worker->db);
    free(worker);
}

/* Puts one event and counts it. */
static inline int draw_event(struct svp_worker *worker, const struct task_names *names, const struct task_name *name,
                             const struct trace_slice *slice, bool ai_cpu, int64_t stream_id, struct err *err)
{
    const char *text = names->text.data + name->offset;
    size_t length = name->length;
    if (length > NAME_PIECE) {
        if (parallel_write(worker->output, text, length, err) < 0)
            return -(int)err->code;
        length = 0;
    }
    char *start = parallel_reserve(worker->output, length + TRACE_SLICE_MAX, err);
    if (start == NULL)
        return -(int)err->code;
    char *p = trace_put_bytes(start, text, length);
    p = trace_put_slice(p, slice);
    p = trace_put_task_args(p, ai_cpu ? "AI_CPU" : "AI_CORE", stream_id, worker->index);
    p = trace_put_end(p, slice);
    parallel_advance(worker->output, (size_t)(p - start));
    worker->index++;
    worker->events++;
    return 0;
}

/* Draws the AI CPU tasks that start before an event at before_ns; all when it is NULL. */
static int draw_ai_cpu_tasks(struct svp_worker *worker, const int64_t *before_ns, struct err *err)
{
    const struct svp_unit *unit = worker->unit;
    while (worker->next_ai_cpu < unit->ai_cpu_count) {
        const struct drawn_ai_cpu_task *task = &unit->ai_cpu_tasks[worker->next_ai_cpu];
        if (before_ns != NULL && task->start_ns >= *before_ns)
            break;
        const struct task_names *names = worker->drawing->cpu_names;
        struct trace_slice slice = {
            .tid = task->tid, .start_ns = task->start_ns, .duration_ns = task->duration_ns, .instant = task->instant};
        if (draw_event(worker, names, find_name(names, task->task_id, &worker->cpu_hint), &slice, true, task->stream_id,
                       err) < 0)
            return -(int)err->code;
        worker->next_ai_cpu++;
    }
    return 0;
}

/* Finds the thread of a stream in the current inference. */
static int choose_thread(struct svp_worker *worker, int64_t stream_id, struct err *err)
{
    const struct stream_set *streams = worker->drawing->streams;
    size_t index = stream_set_index(streams, stream_id);
    bool known = index < streams->count;
    if (!known && !worker->drawing->streams_complete) {
        atomic_store(&worker->drawing->unknown_stream, true);
        return err_set(err, ERR_FAILED, "stream %lld was not expected", (long long)stream_id);
    }
    bool own_number = known && worker->inference->first_lane && stream_id >= 0;
    worker->tid = own_number ? stream_id : worker->inference->base_tid + (int64_t)index;
    worker->stream_id = stream_id;
    worker->stream_found = true;
    return 0;
}

static int draw_task(void *arg, const struct svp_task *task, struct err *err)
{
    struct svp_worker *worker = arg;
    if (++worker->rows % ROWS_PER_POLL == 0 && interrupted())
        return interrupt_error(err);
    if (task->start_ns == DB_NULL || task->duration_ns == DB_NULL || task->duration_ns < 0) {
        worker->index++; /* it has its place in the execution order all the same */
        return 0;
    }
    int64_t start_ns = time_since(task->start_ns, worker->inference->shift_ns);
    if (start_ns <= worker->after_ns) {
        worker->index++;
        return 0;
    }
    worker->after_ns = INT64_MIN;
    if (start_ns > worker->limit_ns)
        return UNIT_ENDS;
    if (worker->next_ai_cpu < worker->unit->ai_cpu_count && draw_ai_cpu_tasks(worker, &start_ns, err) < 0)
        return -(int)err->code;
    if ((!worker->stream_found || task->stream_id != worker->stream_id) &&
        choose_thread(worker, task->stream_id, err) < 0)
        return -(int)err->code;
    const struct task_names *names = worker->drawing->core_names;
    struct trace_slice slice = {.tid = worker->tid,
                                .start_ns = start_ns,
                                .duration_ns = task->duration_ns,
                                .instant = worker->inference->instants};
    return draw_event(worker, names, find_name(names, task->task_id, &worker->core_hint), &slice, false,
                      task->stream_id, err);
}

int svp_worker_draw(void *arg, void *drawn, struct parallel_output *output, struct err *err)
{
    struct svp_worker *worker = arg;
    const struct svp_unit *unit = drawn;
    worker->unit = unit;
    worker->output = output;
    worker->next_ai_cpu = 0;
    worker->index = unit->first_index;
    worker->events = 0;
    for (size_t i = 0; i < unit->inference_count; i++) {
        worker->inference = &unit->inferences[i];
        worker->stream_found = false;
        worker->after_ns = i == 0 ? unit->after_ns : INT64_MIN;
        worker->limit_ns = i == unit->inference_count - 1 ? unit->limit_ns : INT64_MAX;
        int result = svp_read_task_times(worker->reader, worker->inference->id, draw_task, worker, err);
        if (result < 0)
            return result;
    }
    if (draw_ai_cpu_tasks(worker, NULL, err) < 0)
        return -(int)err->code;
    atomic_fetch_add(&worker->drawing->events, worker->events);
    return 0;
}
