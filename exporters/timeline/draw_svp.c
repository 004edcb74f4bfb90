/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/timeline/timeline_svp.h"

#include "base/array.h"
#include "base/progress.h"
#include "base/search.h"
#include "db/database.h"
#include "exporters/output_file.h"
#include "exporters/timeline/document.h"
#include "exporters/timeline/slice_operators.h"

#include <stdlib.h>
#include <string.h>

#define NAMES_MAX ((size_t)512 * 1024 * 1024) /* bytes of all names of a model, escaped */

/* ---- names ---- */

/* The original names of a model's layers, each of one or of several between commas; pieces NULL: as they are. */
struct layer_names {
    const struct svp_layers *layers;
    struct short_name *pieces; /* those of a layer together */
    size_t *ends;              /* of each layer's pieces */
};

static void append_piece(struct strbuf *buf, const char *text, size_t length)
{
    if (length > 0 && buf->length > 0)
        strbuf_addc(buf, ',');
    strbuf_add(buf, text, length);
}

/* Makes the joined original names of some layers, short or whole. */
static void join_names(struct strbuf *ret, const struct layer_names *from, size_t first, size_t count, bool whole)
{
    strbuf_clear(ret);
    for (size_t i = first; i < first + count; i++) {
        const char *name = from->layers->layers[i].ori_name;
        if (whole || from->pieces == NULL) {
            append_piece(ret, name != NULL ? name : "", name != NULL ? strlen(name) : 0);
            continue;
        }
        for (size_t k = i > 0 ? from->ends[i - 1] : 0; k < from->ends[i]; k++) {
            const struct short_name *piece = &from->pieces[k];
            append_piece(ret, piece->text + piece->begin, piece->length - piece->begin);
        }
    }
    if (ret->length == 0)
        strbuf_adds(ret, "N/A");
}

static bool is_shortened(const struct layer_names *from, size_t first, size_t count)
{
    bool shortened = false;
    for (size_t k = first > 0 ? from->ends[first - 1] : 0; count > 0 && k < from->ends[first + count - 1]; k++)
        shortened |= from->pieces[k].begin > 0;
    return shortened;
}

/* Keeps a text as a JSON string. */
static void keep_text(struct task_names *names, struct task_text *ret, const struct strbuf *plain)
{
    ret->offset = names->text.length;
    json_text_quote(&names->text, plain->data, plain->length);
    ret->length = names->text.length - ret->offset;
    names->text.failed |= plain->failed;
}

static int add_name(struct task_names *names, struct task_name *name, const struct layer_names *from, size_t first,
                    size_t count, bool ai_cpu, const struct operator_bounds *bounds)
{
    SCOPED(strbuf_release) struct strbuf joined;
    strbuf_init(&joined, NAMES_MAX);
    join_names(&joined, from, first, count, false);
    keep_text(names, &name->name, &joined);
    if (bounds != NULL && count > 0) {
        if (is_shortened(from, first, count)) {
            join_names(&joined, from, first, count, true);
            keep_text(names, &name->whole, &joined);
        }
        strbuf_clear(&joined);
        if (svp_layers_join(from->layers, name->task_id, ai_cpu, true, &joined))
            keep_text(names, &name->type, &joined);
        strbuf_clear(&joined);
        svp_layers_join(from->layers, name->task_id, ai_cpu, false, &joined);
        name->bound = joined.failed ? NULL : operator_bounds_find(bounds, joined.data, joined.length);
    }
    return names->text.failed ? -1 : 0;
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

/* Joins the original names of each task's layers. bounds NULL: whole names, and nothing else. names must be released
 * also after a failure. */
static int task_names_load(struct task_names *names, const struct svp_layers *layers, bool ai_cpu,
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

int svp_names_load(struct timeline_run *run, const struct svp_model *model, struct svp_names *ret, struct err *err)
{
    struct svp_layers layers;
    if (svp_layers_load(run->db, model->name, model->model_id, &layers, err) < 0)
        return err_status(err);
    int status = task_names_load(&ret->core, &layers, false, run->bounds, err);
    if (status == 0)
        status = task_names_load(&ret->cpu, &layers, true, run->bounds, err);
    svp_layers_release(&layers);
    return status;
}

void svp_names_release(struct svp_names *names)
{
    struct task_names *const each[] = {&names->core, &names->cpu};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        free(each[i]->names);
        strbuf_release(&each[i]->text);
    }
    *names = (struct svp_names){.core = {.names = NULL}};
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

/* The inside of a text. */
static void add_fact(struct event *event, struct event_key key, const char *text, struct task_text fact)
{
    if (fact.length > 0)
        (void)event_text_of(event, key, text + fact.offset + 1, fact.length - 2);
}

void svp_task_event(struct event *event, const struct drawn_task *task, const struct trace_slice *slice)
{
    const char *text = task->names->text.data;
    const struct task_name *name = task->name;
    event_slice(event, slice);
    event_name(event, "", text + name->name.offset + 1, name->name.length - 2);
    event_word(event, "Task Type", task->type);
    event_known(event, "Stream Id", task->stream_id);
    event_known(event, "Task Id", task->task_id);
    add_fact(event, EVENT_KEY("Op Name"), text, name->whole);
    add_fact(event, EVENT_KEY("Layer Type"), text, name->type);
    if (name->bound != NULL)
        event_word(event, "Bound", name->bound);
    if (task->read_bytes != DB_NULL)
        event_integer(event, "DDR Read(B)", task->read_bytes);
    if (task->write_bytes != DB_NULL)
        event_integer(event, "DDR Write(B)", task->write_bytes);
}

/* ---- inferences ---- */

struct collecting {
    const struct timeline_run *run;
    struct svp_spans *list;
};

static int collect_inference(void *arg, const struct svp_inference *inference, struct err *err)
{
    const struct collecting *collecting = arg;
    struct svp_spans *list = collecting->list;
    if (inference->start_ns == DB_NULL || inference->end_ns == DB_NULL)
        return 0; /* without a known frequency nothing can be drawn */
    if (array_reserve(list, 1, err) < 0)
        return err_status(err);
    struct svp_span *span = &list->items[list->count++];
    *span = (struct svp_span){.id = inference->id,
                              .tasks = inference->tasks,
                              .input = inference->input_pic_num,
                              .batch = inference->batch_num,
                              .start_known = inference->start_known != 0};
    span->start_ns = svp_span_time(collecting->run, span, inference->start_ns);
    span->end_ns = svp_span_time(collecting->run, span, inference->end_ns);
    return 0;
}

ARRAY_COMPARE(compare_spans, struct svp_span, ARRAY_BY(start_ns), ARRAY_BY(id))

int svp_spans_load(struct timeline_run *run, const struct svp_model *model, struct svp_spans *ret, struct err *err)
{
    struct collecting collecting = {run, ret};
    int status = svp_each_inference(run->db, model, collect_inference, &collecting, err);
    array_sort(ret->items, ret->count, sizeof *ret->items, compare_spans);
    return status;
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
    SCOPED(strbuf_release) struct strbuf name;
    strbuf_init(&name, REPORT_NAME_MAX);
    make_name(&name, report, model);
    int result = name.failed ? err_set(err, ERR_NO_MEMORY, "out of memory for the name of a timeline")
                             : trace_open(trace, run, &trace_style_msprof, report, name.data, err);
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

bool execute_calls_has(const char *name)
{
    static const char prefix[] = "svp_acl_mdl_execute";
    return strncmp(name, prefix, sizeof prefix - 1) == 0;
}

int execute_calls_add(struct execute_calls *calls, const struct execute_call *call, struct err *err)
{
    return array_add(calls, err, *call);
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
