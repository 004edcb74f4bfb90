/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/timeline/timeline_svp.h"

#include "base/array.h"
#include "base/progress.h"
#include "base/search.h"
#include "db/database.h"
#include "exporters/load/load.h"
#include "exporters/output_file.h"
#include "exporters/timeline/document.h"
#include "exporters/timeline/slice_operators.h"

#include <stdlib.h>
#include <string.h>

#define NAMES_MAX ((size_t)512 * 1024 * 1024) /* bytes of all names of a model, escaped */
#define EVENT_PIECE 65536                     /* longer events are made in memory of their own */
#define ROWS_PER_POLL 4096
#define READING_ENDS 1 /* a callback's result that only ends the reading of one inference */

/* ---- names ---- */

/* The original names of a model's layers, each of one or of several between commas; pieces NULL: as they are. */
struct layer_names {
    const struct svp_layers *layers;
    struct short_name *pieces; /* those of a layer together */
    size_t *ends;              /* of each layer's pieces */
};

static int append_piece(struct strbuf *buf, const char *text, size_t length)
{
    if (length == 0)
        return 0;
    if (buf->length > 0 && strbuf_addc(buf, ',') < 0)
        return -1;
    return strbuf_add(buf, text, length);
}

/* Appends the joined original names of some layers to buf, short or whole. */
static int join_names(struct strbuf *buf, const struct layer_names *from, size_t first, size_t count, bool whole)
{
    int result = 0;
    for (size_t i = first; i < first + count && result == 0; i++) {
        const char *name = from->layers->layers[i].ori_name;
        if (whole || from->pieces == NULL) {
            result = name != NULL ? append_piece(buf, name, strlen(name)) : 0;
            continue;
        }
        for (size_t k = i > 0 ? from->ends[i - 1] : 0; k < from->ends[i] && result == 0; k++) {
            const struct short_name *piece = &from->pieces[k];
            result = append_piece(buf, piece->text + piece->begin, piece->length - piece->begin);
        }
    }
    if (result == 0 && buf->length == 0)
        result = strbuf_adds(buf, "N/A");
    return result;
}

/* Appends the joined names as a JSON string. */
static int add_joined(struct strbuf *text, const struct layer_names *from, size_t first, size_t count, bool whole)
{
    struct strbuf joined;
    strbuf_init(&joined, NAMES_MAX);
    int result = join_names(&joined, from, first, count, whole);
    if (result == 0)
        result = trace_text(text, joined.data, joined.length);
    strbuf_release(&joined);
    return result;
}

static bool is_shortened(const struct layer_names *from, size_t first, size_t count)
{
    bool shortened = false;
    for (size_t k = first > 0 ? from->ends[first - 1] : 0; count > 0 && k < from->ends[first + count - 1]; k++)
        shortened |= from->pieces[k].begin > 0;
    return shortened;
}

/* A text that is being appended. */
static struct task_text begin_text(const struct strbuf *text)
{
    return (struct task_text){.offset = text->length};
}

static void end_text(struct task_text *ret, const struct strbuf *text)
{
    ret->length = text->length - ret->offset;
}

#define WHOLE_NAME_KEY ",\"Op Name\":"
#define LAYER_TYPE_KEY ",\"Layer Type\":"
#define BOUND_KEY ",\"Bound\":"

/* Appends a fact as a JSON string behind its key. */
static void add_fact(struct strbuf *text, struct task_text *ret, const char *key, const char *fact, size_t length)
{
    strbuf_adds(text, key);
    *ret = begin_text(text);
    trace_text(text, fact, length);
    end_text(ret, text);
}

/* Whole name, types and bound of a task. */
static int add_facts(struct strbuf *text, const struct layer_names *from, struct task_name *name, size_t first,
                     size_t count, bool ai_cpu, const struct operator_bounds *bounds)
{
    struct task_text *whole = &name->facts[TASK_WHOLE_NAME];
    struct strbuf joined;
    int result = 0;
    if (is_shortened(from, first, count)) {
        strbuf_adds(text, WHOLE_NAME_KEY);
        *whole = begin_text(text);
        result = add_joined(text, from, first, count, true);
        end_text(whole, text);
    }
    strbuf_init(&joined, NAMES_MAX);
    if (result == 0 && svp_layers_join(from->layers, name->task_id, ai_cpu, true, &joined))
        add_fact(text, &name->facts[TASK_LAYER_TYPE], LAYER_TYPE_KEY, joined.data, joined.length);
    strbuf_clear(&joined);
    svp_layers_join(from->layers, name->task_id, ai_cpu, false, &joined);
    const char *bound = joined.failed ? NULL : operator_bounds_find(bounds, joined.data, joined.length);
    if (bound != NULL)
        add_fact(text, &name->facts[TASK_BOUND], BOUND_KEY, bound, strlen(bound));
    strbuf_release(&joined);
    return text->failed ? -1 : result;
}

static int add_name(struct task_names *names, struct task_name *name, const struct layer_names *from, size_t first,
                    size_t count, bool ai_cpu, const struct operator_bounds *bounds)
{
    name->name = begin_text(&names->text);
    int result = add_joined(&names->text, from, first, count, false);
    end_text(&name->name, &names->text);
    name->all_facts = begin_text(&names->text);
    if (result == 0 && bounds != NULL && count > 0)
        result = add_facts(&names->text, from, name, first, count, ai_cpu, bounds);
    end_text(&name->all_facts, &names->text);
    return result;
}

static int add_names(struct task_names *names, const struct layer_names *from, bool ai_cpu,
                     const struct operator_bounds *bounds)
{
    const struct svp_layers *layers = from->layers;
    int result = add_name(names, &names->unknown, from, 0, 0, ai_cpu, bounds);
    for (size_t i = 0; i < layers->count && result == 0; i++) {
        int64_t task_id = layers->layers[i].task_id;
        if (task_id == DB_NULL || (names->count > 0 && names->names[names->count - 1].task_id == task_id))
            continue;
        size_t first, count = svp_layers_of_task(layers, task_id, ai_cpu, &first);
        if (count == 0)
            continue;
        struct task_name *name = &names->names[names->count++];
        name->task_id = task_id;
        result = add_name(names, name, from, first, count, ai_cpu, bounds);
    }
    return result;
}

static size_t count_pieces(const struct svp_layers *layers)
{
    size_t count = 0;
    for (size_t i = 0; i < layers->count; i++) {
        const char *name = layers->layers[i].ori_name;
        for (count++; name != NULL && *name != '\0'; name++)
            count += *name == ',';
    }
    return count;
}

/* Returns how many there are now. */
static size_t add_pieces(struct short_name *pieces, size_t count, const char *name)
{
    while (name != NULL && *name != '\0') {
        size_t length = strcspn(name, ",");
        pieces[count++] = (struct short_name){.text = name, .length = length};
        name += length + (name[length] == ',');
    }
    return count;
}

static int shorten(struct layer_names *from, struct err *err)
{
    const struct svp_layers *layers = from->layers;
    size_t count = 0;
    from->pieces = calloc(count_pieces(layers) + 1, sizeof *from->pieces);
    from->ends = calloc(layers->count + 1, sizeof *from->ends);
    if (from->pieces == NULL || from->ends == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for the names of %zu layers", layers->count);
    for (size_t i = 0; i < layers->count; i++)
        from->ends[i] = count = add_pieces(from->pieces, count, layers->layers[i].ori_name);
    return short_names_find(from->pieces, count, err);
}

int task_names_load(struct task_names *names, const struct svp_layers *layers, bool ai_cpu,
                    const struct operator_bounds *bounds, struct err *err)
{
    struct layer_names from = {.layers = layers};
    *names = (struct task_names){.unknown = {.task_id = DB_NULL}};
    strbuf_init(&names->text, NAMES_MAX);
    int result = bounds != NULL ? shorten(&from, err) : 0;
    names->names = calloc(layers->count + 1, sizeof(*names->names));
    if (result == 0 && (names->names == NULL || add_names(names, &from, ai_cpu, bounds) < 0))
        result = err_set(err, ERR_NO_MEMORY, "out of memory for the names of %zu layers", layers->count);
    free(from.pieces);
    free(from.ends);
    return result;
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
const struct task_name *task_names_find(const struct task_names *names, int64_t task_id, size_t *hint)
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

/* ---- events ---- */

size_t svp_task_room(const struct trace_style *style, const struct drawn_task *task)
{
    return TRACE_EVENT_MAX + (style->coded ? 0 : task->name->all_facts.length + task->name->name.length);
}

#define PUT_FACT(p, style, key, text, fact)                                                                            \
    ((fact).length > 0 ? trace_put_text((p), (style), key, (text) + (fact).offset, (fact).length) : (p))

char *svp_put_task(char *p, const struct trace_style *style, const struct drawn_task *task,
                   const struct trace_slice *slice)
{
    const char *text = task->names->text.data;
    const struct task_text *name = &task->name->name, *facts = task->name->facts;
    p = trace_begin_named(p, style, "", text + name->offset + 1, name->length - 2);
    p = trace_put_slice(p, style, slice);
    p = trace_put_value_word(p, style, "\"Task Type\":", task->type);
    p = put_number_argument(p, style, ",\"Stream Id\":", task->stream_id);
    p = put_number_argument(p, style, ",\"Task Id\":", task->task_id);
    if (!style->coded) {
        p = trace_put_bytes(p, text + task->name->all_facts.offset, task->name->all_facts.length);
    } else {
        p = PUT_FACT(p, style, WHOLE_NAME_KEY, text, facts[TASK_WHOLE_NAME]);
        p = PUT_FACT(p, style, LAYER_TYPE_KEY, text, facts[TASK_LAYER_TYPE]);
        p = PUT_FACT(p, style, BOUND_KEY, text, facts[TASK_BOUND]);
    }
    if (task->read_bytes != DB_NULL)
        p = trace_put_integer(p, style, ",\"DDR Read(B)\":", task->read_bytes);
    if (task->write_bytes != DB_NULL)
        p = trace_put_integer(p, style, ",\"DDR Write(B)\":", task->write_bytes);
    return trace_end_slice(p, style, slice);
}

char *acl_put_call(char *p, const struct trace_style *style, const struct acl_call *call,
                   const struct trace_slice *slice)
{
    p = trace_put_slice(p, style, slice);
    p = trace_put_value_word(p, style, "\"Mode\":", acl_mode_name(call->api_type));
    p = put_number_argument(p, style, ",\"Process_Id\":", call->process_id);
    p = put_number_argument(p, style, ",\"Thread_Id\":", call->thread_id);
    return trace_end_slice(p, style, slice);
}

/* ---- units ---- */

void svp_unit_clear(struct svp_unit *unit)
{
    unit->inference_count = unit->ai_cpu_count = 0;
    unit->tasks = unit->first_index = 0;
    unit->from_ns = INT64_MIN;
    unit->until_ns = INT64_MAX;
    unit->interleaved = false;
}

void svp_unit_release(void *arg)
{
    struct svp_unit *unit = arg;
    free(unit->inferences);
    free(unit->ai_cpu_tasks);
    *unit = (struct svp_unit){0};
}

int svp_unit_add_inference(struct svp_unit *unit, const struct drawn_inference *inference, struct err *err)
{
    if (unit->inference_count == unit->inference_capacity &&
        array_grow(&unit->inferences, &unit->inference_capacity, unit->inference_count, 1, sizeof *inference, err) < 0)
        return -(int)err->code;
    unit->inferences[unit->inference_count++] = *inference;
    unit->tasks += inference->tasks;
    return 0;
}

int svp_unit_add_ai_cpu_task(struct svp_unit *unit, const struct drawn_ai_cpu_task *task, struct err *err)
{
    if (unit->ai_cpu_count == unit->ai_cpu_capacity &&
        array_grow(&unit->ai_cpu_tasks, &unit->ai_cpu_capacity, unit->ai_cpu_count, 1, sizeof *task, err) < 0)
        return -(int)err->code;
    unit->ai_cpu_tasks[unit->ai_cpu_count++] = *task;
    return 0;
}

/* ---- workers ---- */

/* A task of an interleaved unit, kept until all are known. */
struct kept_task {
    int64_t start_ns, duration_ns, stream_id, task_id, read_bytes, write_bytes;
    uint32_t inference, order;
};

struct svp_worker {
    struct svp_drawing *drawing;
    sqlite3 *db;
    struct svp_task_reader *reader;
    size_t core_hint, cpu_hint;
    struct kept_task *kept;
    size_t kept_count, kept_capacity;
    /* the unit being drawn */
    const struct svp_unit *unit;
    const struct drawn_inference *inference;
    struct parallel_output *output;
    size_t next_ai_cpu;
    int64_t index; /* the next Task Id */
    uint64_t events;
    unsigned rows;
    bool has_stream; /* of the last task that was given its stream's thread */
    int64_t stream_id, stream_tid;
};

struct svp_task_reader *svp_draw_open(const char *database, sqlite3 **ret_db, struct err *err)
{
    sqlite3 *db;
    if (database_open(database, &db, err) < 0)
        return NULL;
    struct svp_task_reader *reader = svp_task_reader_new(db, err);
    if (reader != NULL)
        *ret_db = db;
    else
        database_close(db);
    return reader;
}

void *svp_worker_new(void *drawing, struct err *err)
{
    struct svp_worker *worker = calloc(1, sizeof(*worker));
    if (worker == NULL) {
        err_set(err, ERR_NO_MEMORY, "out of memory for a worker");
        return NULL;
    }
    worker->drawing = drawing;
    worker->reader = svp_draw_open(worker->drawing->database, &worker->db, err);
    if (worker->reader != NULL)
        return worker;
    free(worker);
    return NULL;
}

void svp_worker_free(void *arg)
{
    struct svp_worker *worker = arg;
    svp_task_reader_free(worker->reader);
    database_close(worker->db);
    free(worker->kept);
    free(worker);
}

/* Puts one event and counts it. */
static inline int draw_event(struct svp_worker *worker, const struct drawn_task *task, const struct trace_slice *slice,
                             struct err *err)
{
    const struct trace_style *style = &worker->drawing->style;
    const size_t room = svp_task_room(style, task);
    char *own = NULL, *start;
    if (room <= EVENT_PIECE) {
        start = parallel_reserve(worker->output, room, err);
        if (start == NULL)
            return -(int)err->code;
    } else if ((start = own = malloc(room)) == NULL) {
        return err_set(err, ERR_NO_MEMORY, "out of memory for an event of %zu bytes", room);
    }
    const size_t length = (size_t)(svp_put_task(start, style, task, slice) - start);
    int result = 0;
    if (own != NULL)
        result = parallel_write(worker->output, own, length, err);
    else
        parallel_advance(worker->output, length);
    free(own);
    worker->index++;
    worker->events++;
    return result;
}

/* Draws the AI CPU tasks that start before an event at before_ns; all when it is NULL. */
static int draw_ai_cpu_tasks(struct svp_worker *worker, const int64_t *before_ns, struct err *err)
{
    const struct svp_unit *unit = worker->unit;
    const struct task_names *names = worker->drawing->cpu_names;
    while (worker->next_ai_cpu < unit->ai_cpu_count) {
        const struct drawn_ai_cpu_task *task = &unit->ai_cpu_tasks[worker->next_ai_cpu];
        if (before_ns != NULL && task->start_ns >= *before_ns)
            break;
        const struct trace_slice slice = {
            .tid = task->tid,
            .start_ns = task->start_ns,
            .duration_ns = task->duration_ns,
            .instant = task->instant,
            .short_ps = task->instant ? 0 : trace_shortening_anywhere(task->start_ns, task->duration_ns)};
        const struct drawn_task drawn = {.names = names,
                                         .name = task_names_find(names, task->task_id, &worker->cpu_hint),
                                         .type = "AI_CPU",
                                         .stream_id = task->stream_id,
                                         .task_id = worker->index,
                                         .read_bytes = DB_NULL,
                                         .write_bytes = DB_NULL};
        if (draw_event(worker, &drawn, &slice, err) < 0)
            return -(int)err->code;
        worker->next_ai_cpu++;
    }
    return 0;
}

static int find_stream(struct svp_worker *worker, int64_t stream_id, struct err *err)
{
    const struct stream_threads *threads = worker->drawing->threads;
    size_t index = stream_set_index(threads->streams, stream_id);
    if (index == threads->streams->count && !worker->drawing->streams_complete) {
        atomic_store(&worker->drawing->unknown_stream, true);
        return err_set(err, ERR_FAILED, "stream %lld was not expected", (long long)stream_id);
    }
    worker->stream_tid = stream_threads_first(threads, index);
    worker->stream_id = stream_id;
    worker->has_stream = true;
    return 0;
}

/* Draws an AI core task, and before it the AI CPU tasks that started earlier. */
static inline int draw_core_task(struct svp_worker *worker, const struct drawn_inference *inference,
                                 const struct kept_task *task, struct err *err)
{
    if (worker->next_ai_cpu < worker->unit->ai_cpu_count && draw_ai_cpu_tasks(worker, &task->start_ns, err) < 0)
        return -(int)err->code;
    struct trace_slice slice = {
        .tid = inference->tid,
        .start_ns = task->start_ns,
        .duration_ns = task->duration_ns,
        .instant = inference->instants,
        .short_ps = inference->instants ? 0 : trace_shortening_anywhere(task->start_ns, task->duration_ns)};
    if (slice.tid == THREAD_BY_STREAM) {
        if ((!worker->has_stream || task->stream_id != worker->stream_id) &&
            find_stream(worker, task->stream_id, err) < 0)
            return -(int)err->code;
        slice.tid = worker->stream_tid;
    }
    const struct task_names *names = worker->drawing->core_names;
    const bool facts = worker->drawing->facts;
    const struct drawn_task drawn = {.names = names,
                                     .name = task_names_find(names, task->task_id, &worker->core_hint),
                                     .type = "AI_CORE",
                                     .stream_id = task->stream_id,
                                     .task_id = worker->index,
                                     .read_bytes = facts ? task->read_bytes : DB_NULL,
                                     .write_bytes = facts ? task->write_bytes : DB_NULL};
    return draw_event(worker, &drawn, &slice, err);
}

static inline struct kept_task kept_of(const struct svp_task *task, int64_t start_ns)
{
    return (struct kept_task){.start_ns = start_ns,
                              .duration_ns = task->duration_ns,
                              .stream_id = task->stream_id,
                              .task_id = task->task_id,
                              .read_bytes = task->ddr_read_bytes,
                              .write_bytes = task->ddr_write_bytes};
}

/* Whether a task can be drawn, and its start since the origin. */
static inline bool task_start(const struct svp_worker *worker, const struct svp_task *task, int64_t *ret_ns)
{
    if (task->start_ns == DB_NULL || task->duration_ns == DB_NULL || task->duration_ns < 0)
        return false;
    *ret_ns = time_since(task->start_ns, worker->inference->shift_ns);
    return true;
}

static inline int poll_interrupt(struct svp_worker *worker, struct err *err)
{
    return ++worker->rows % ROWS_PER_POLL == 0 && interrupted() ? interrupt_error(err) : 0;
}

/* Reads the tasks of one inference of the unit. Returns 0 or -code. */
static int read_inference(struct svp_worker *worker, size_t i,
                          int (*each)(void *arg, const struct svp_task *task, struct err *err), struct err *err)
{
    worker->inference = &worker->unit->inferences[i];
    int result = svp_read_task_times(worker->reader, worker->inference->id, each, worker, err);
    return result < 0 ? result : 0;
}

/* ---- one inference after another ---- */

static int skip_task(void *arg, const struct svp_task *task, struct err *err)
{
    struct svp_worker *worker = arg;
    int64_t start_ns;
    if (poll_interrupt(worker, err) < 0)
        return -(int)err->code;
    if (!task_start(worker, task, &start_ns))
        return 0;
    if (start_ns >= worker->unit->from_ns)
        return READING_ENDS;
    worker->index++;
    return 0;
}

static int draw_task(void *arg, const struct svp_task *task, struct err *err)
{
    struct svp_worker *worker = arg;
    int64_t start_ns;
    if (poll_interrupt(worker, err) < 0)
        return -(int)err->code;
    if (!task_start(worker, task, &start_ns) || (worker->inference->carried && start_ns < worker->unit->from_ns))
        return 0;
    if (start_ns >= worker->unit->until_ns)
        return READING_ENDS;
    const struct kept_task drawn = kept_of(task, start_ns);
    return draw_core_task(worker, worker->inference, &drawn, err);
}

static int draw_in_turn(struct svp_worker *worker, struct err *err)
{
    const struct svp_unit *unit = worker->unit;
    for (size_t i = 0; i < unit->inference_count; i++) {
        if (unit->inferences[i].carried && read_inference(worker, i, skip_task, err) < 0)
            return -(int)err->code;
    }
    for (size_t i = 0; i < unit->inference_count; i++) {
        if (read_inference(worker, i, draw_task, err) < 0)
            return -(int)err->code;
    }
    return draw_ai_cpu_tasks(worker, NULL, err);
}

/* ---- task by task, whichever inference each is of ---- */

static int keep_task(void *arg, const struct svp_task *task, struct err *err)
{
    struct svp_worker *worker = arg;
    int64_t start_ns;
    if (poll_interrupt(worker, err) < 0)
        return -(int)err->code;
    if (!task_start(worker, task, &start_ns))
        return 0;
    if (start_ns >= worker->unit->until_ns)
        return READING_ENDS;
    if (worker->inference->carried && start_ns < worker->unit->from_ns) {
        worker->index++;
        return 0;
    }
    if (worker->kept_count == worker->kept_capacity &&
        array_grow(&worker->kept, &worker->kept_capacity, worker->kept_count, 1, sizeof *worker->kept, err) < 0)
        return -(int)err->code;
    struct kept_task *kept = &worker->kept[worker->kept_count];
    *kept = kept_of(task, start_ns);
    kept->inference = (uint32_t)(worker->inference - worker->unit->inferences);
    kept->order = (uint32_t)worker->kept_count;
    worker->kept_count++;
    return worker->kept_count > UNIT_INTERLEAVED_MAX ? READING_ENDS : 0;
}

static int compare_kept(const void *a, const void *b)
{
    const struct kept_task *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Reads all tasks of the unit; *ret_fit tells whether they were few enough. */
static int keep_tasks(struct svp_worker *worker, bool *ret_fit, struct err *err)
{
    worker->kept_count = 0;
    for (size_t i = 0; i < worker->unit->inference_count && worker->kept_count <= UNIT_INTERLEAVED_MAX; i++) {
        if (read_inference(worker, i, keep_task, err) < 0)
            return -(int)err->code;
    }
    *ret_fit = worker->kept_count <= UNIT_INTERLEAVED_MAX;
    return 0;
}

static int draw_kept_tasks(struct svp_worker *worker, struct err *err)
{
    if (worker->kept_count > 0)
        qsort(worker->kept, worker->kept_count, sizeof(*worker->kept), compare_kept);
    for (size_t i = 0; i < worker->kept_count; i++) {
        const struct kept_task *task = &worker->kept[i];
        if (draw_core_task(worker, &worker->unit->inferences[task->inference], task, err) < 0)
            return -(int)err->code;
    }
    return draw_ai_cpu_tasks(worker, NULL, err);
}

int svp_worker_draw(void *arg, void *drawn, struct parallel_output *output, struct err *err)
{
    struct svp_worker *worker = arg;
    worker->unit = drawn;
    worker->output = output;
    worker->next_ai_cpu = 0;
    worker->events = 0;
    worker->index = worker->unit->first_index;
    bool fit = false;
    if (worker->unit->interleaved && keep_tasks(worker, &fit, err) < 0)
        return -(int)err->code;
    if (!fit)
        worker->index = worker->unit->first_index;
    if ((fit ? draw_kept_tasks(worker, err) : draw_in_turn(worker, err)) < 0)
        return -(int)err->code;
    atomic_fetch_add(&worker->drawing->events, worker->events);
    return 0;
}

/* ---- files ---- */

/* task_time_0.resnet50.6.1.json */
static void make_name(struct strbuf *name, const char *report, const struct svp_model *model)
{
    struct strbuf tail;
    strbuf_init(&tail, REPORT_NAME_MAX);
    strbuf_addc(&tail, '.');
    report_name_number(&tail, model->model_id);
    strbuf_addc(&tail, '.');
    report_name_number(&tail, model->batch_num);
    strbuf_adds(&tail, ".json");

    strbuf_addf(name, "%s_", report);
    report_name_number(name, model->device_id);
    strbuf_addc(name, '.');
    report_name_model(name, model->name, tail.length);
    strbuf_add_built(name, &tail);
    strbuf_release(&tail);
}

int svp_timeline_open(struct trace *trace, struct timeline_run *run, const char *report, const struct svp_model *model,
                      struct err *err)
{
    struct strbuf name;
    strbuf_init(&name, REPORT_NAME_MAX);
    make_name(&name, report, model);
    int result = name.failed ? err_set(err, ERR_NO_MEMORY, "out of memory for the name of a timeline")
                             : trace_open(trace, run, &trace_style_msprof, report, name.data, err);
    strbuf_release(&name);
    return result;
}

int svp_timeline_close(struct trace *trace, int result, const struct svp_model *model, struct err *err)
{
    const struct trace_info info = {.clock = SVP_CLOCK,
                                    .device_id = model->device_id,
                                    .model = model->name,
                                    .model_id = model->model_id,
                                    .batch_num = model->batch_num};
    return trace_close(trace, result, &info, err);
}

bool is_execute_call(const char *name)
{
    static const char prefix[] = "svp_acl_mdl_execute";
    return strncmp(name, prefix, sizeof prefix - 1) == 0;
}

int execute_calls_add(struct execute_calls *calls, const struct execute_call *call, struct err *err)
{
    if (array_reserve(calls, 1, err) < 0)
        return -(int)err->code;
    calls->items[calls->count++] = *call;
    return 0;
}

static int compare_calls(const void *a, const void *b)
{
    const struct execute_call *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
}

/* How many calls begin at this time or before. */
static size_t begun(const struct execute_calls *calls, int64_t time_ns)
{
    return search_until(calls->items, calls->count, sizeof *calls->items, offsetof(struct execute_call, start_ns),
                        time_ns);
}

/* The last call that began before, unless another one runs at the time too. */
static struct execute_call *last_call(const struct execute_calls *calls, int64_t start_ns)
{
    size_t count = begun(calls, start_ns);
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference)
    if (count == 0 || (count > 1 && calls->items[count - 2].latest_end_ns > start_ns))
        return NULL;
    return &calls->items[count - 1];
}

void execute_calls_prepare(struct execute_calls *calls, const int64_t *starts_ns, size_t count)
{
    int64_t latest_ns = INT64_MIN;
    if (calls->count > 0)
        qsort(calls->items, calls->count, sizeof *calls->items, compare_calls);
    for (size_t i = 0; i < calls->count; i++) {
        if (calls->items[i].end_ns > latest_ns)
            latest_ns = calls->items[i].end_ns;
        calls->items[i].latest_end_ns = latest_ns;
        calls->items[i].started = 0;
    }
    for (size_t i = 0; i < count; i++) {
        struct execute_call *call = last_call(calls, starts_ns[i]);
        if (call != NULL)
            call->started++;
    }
}

const struct execute_call *execute_calls_find(const struct execute_calls *calls, int64_t start_ns)
{
    const struct execute_call *call = last_call(calls, start_ns);
    return call != NULL && call->started == 1 ? call : NULL;
}
