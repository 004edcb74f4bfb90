/* SPDX-License-Identifier: Apache-2.0 */
/* Models, inferences, AI CPU tasks, layers and ACL calls of SVP captures. */
#include "db/query/query.h"
#include "db/query/query_fields.h"
#include "db/query/query_loop.h"

#include "base/array.h"
#include "base/search.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- models ---- */

static const struct query_field model_fields[] = {
    QUERY_MEMBERS(struct svp_model, "", id, device_id),
    QUERY_FIELD(struct svp_model, name, "model_name"),
    QUERY_MEMBERS(struct svp_model, "", model_id, batch_num, inferences, ai_core_tasks, ai_cpu_tasks, acl_calls),
};
static const struct query_select models = {
    QUERY_FIELDS(model_fields), .from = "FROM profiled_model ORDER BY device_id, model_name, model_id, batch_num"};

QUERY_EACH(svp_each_model, struct svp_model, models)

/* Prepares a statement whose parameters ?1 to ?4 are a model's device, name, id and batch number; NULL: it has none. */
static int prepare_for_model(sqlite3 *db, const struct query_select *select, const char *behind,
                             const struct svp_model *model, sqlite3_stmt **ret, struct err *err)
{
    int status = query_prepare(db, select, behind, ret, err);
    if (status < 0 || model == NULL)
        return status;
    query_bind(*ret, 1, model->device_id);
    sqlite3_bind_text(*ret, 2, model->name, -1, SQLITE_STATIC);
    query_bind(*ret, 3, model->model_id);
    query_bind(*ret, 4, model->batch_num);
    return 0;
}

/* Gives the rows of such a statement. */
static int run_for_model(sqlite3 *db, const struct query_select *select, const char *behind,
                         const struct svp_model *model, int (*give)(void *arg, sqlite3_stmt *row, struct err *err),
                         void *arg, struct err *err)
{
    SCOPED(statement_release) sqlite3_stmt *statement = NULL;
    int status = prepare_for_model(db, select, behind, model, &statement, err);
    return status == 0 ? query_loop(db, statement, give, arg, err) : status;
}

/* ---- inferences ---- */

#define MODEL_NAME "coalesce(model_name, 'unknown')"
static const struct query_field inference_fields[] = {
    QUERY_FIELD(struct svp_inference, id, "inference_id"),
    QUERY_FIELD(struct svp_inference, device_id, "device_id"),
    QUERY_FIELD(struct svp_inference, model, MODEL_NAME),
    QUERY_MEMBERS(struct svp_inference, "", model_id, batch_num, input_pic_num, current_pic_count, start_ns, end_ns,
                  start_known, tasks),
    QUERY_MEMBERS(struct svp_inference, "", icache_miss_ppm, core_khz, total_cycle),
    QUERY_FIELD(struct svp_inference, cycles[SVP_MAC_BUSY], "mac_busy_cycle"),
    QUERY_FIELD(struct svp_inference, cycles[SVP_MAC_PPEN], "mac_ppen_cycle"),
    QUERY_FIELD(struct svp_inference, cycles[SVP_VEC_BUSY], "vec_busy_cycle"),
    QUERY_FIELD(struct svp_inference, cycles[SVP_VEC_PPEN], "vec_ppen_cycle"),
    QUERY_FIELD(struct svp_inference, cycles[SVP_DSTR], "dstr_cycle"),
    QUERY_FIELD(struct svp_inference, cycles[SVP_DTRANS], "dtrans_cycle"),
    QUERY_FIELD(struct svp_inference, cycles[SVP_DLD], "dld_cycle"),
    QUERY_FIELD(struct svp_inference, cycles[SVP_WLD], "wld_cycle"),
    QUERY_MEMBERS(struct svp_inference, "", ddr_read_bytes, ddr_write_bytes),
};
static const struct query_select inferences = {QUERY_FIELDS(inference_fields), .from = "FROM inference"};

#define INFERENCE_ORDER                                                                                                \
    " ORDER BY device_id, " MODEL_NAME ", model_id, batch_num, input_pic_num, start_known DESC, start_ns, "            \
    "inference_id"
#define INFERENCE_ORDER_IN_MODEL " ORDER BY input_pic_num, start_known DESC, start_ns, inference_id"

QUERY_GIVE(inference, struct svp_inference, inferences)

int svp_each_inference(sqlite3 *db, const struct svp_model *model,
                       int (*each)(void *arg, const struct svp_inference *inference, struct err *err), void *arg,
                       struct err *err)
{
    struct inference_loop loop = {each, arg};
    const char *behind = model == NULL ? INFERENCE_ORDER
                                       : " WHERE device_id IS ?1 AND " MODEL_NAME " = ?2 AND model_id IS ?3"
                                         " AND batch_num IS ?4" INFERENCE_ORDER_IN_MODEL;
    return run_for_model(db, &inferences, behind, model, give_inference, &loop, err);
}

/* ---- AI CPU tasks ---- */

struct ai_cpu_row {
    struct svp_ai_cpu_task task;
    const char *model;
};
#define AI_CPU_FIELDS                                                                                                  \
    QUERY_FIELD(struct ai_cpu_row, task.start_ns, "t.start_ns"),                                                       \
        QUERY_FIELD(struct ai_cpu_row, task.duration_ns, "t.duration_ns"),                                             \
        QUERY_FIELD(struct ai_cpu_row, task.stream_id, "t.stream_id"),                                                 \
        QUERY_FIELD(struct ai_cpu_row, task.task_id, "t.task_id"),                                                     \
        QUERY_FIELD(struct ai_cpu_row, task.input_pic_num, "f.input_pic_num"),                                         \
        QUERY_FIELD(struct ai_cpu_row, task.current_pic_count, "f.current_pic_count")
static const struct query_field ai_cpu_fields[] = {
    AI_CPU_FIELDS,
    QUERY_FIELD(struct ai_cpu_row, task.touches, "t.start_ns + t.duration_ns IN (SELECT start_ns FROM ai_cpu_task)"),
};
static const struct query_field named_ai_cpu_fields[] = {
    AI_CPU_FIELDS,
    QUERY_FIELD(struct ai_cpu_row, model, "coalesce(f.model_name, 'unknown')"),
};
static const struct query_select
    ai_cpu_tasks_of_model = {QUERY_FIELDS(ai_cpu_fields),
                             .from = "FROM profiled_model p JOIN source_file f ON f.profiled_model_id = p.id"
                                     " AND f.kind = 'aicpu_task' JOIN ai_cpu_task t ON t.file_id = f.id"
                                     " WHERE p.device_id IS ?1 AND p.model_name = ?2 AND p.model_id IS ?3"
                                     " AND p.batch_num IS ?4 AND t.start_ns IS NOT NULL"
                                     " ORDER BY t.start_ns, t.id"},
    ai_cpu_tasks_of_report = {QUERY_FIELDS(named_ai_cpu_fields),
                              .from = "FROM source_file f JOIN ai_cpu_task t ON t.file_id = f.id"
                                      " WHERE f.kind = 'aicpu_task' AND f.device_id IS ?1 AND f.model_id IS ?2"
                                      " AND f.current_pic_count IS ?3"
                                      " ORDER BY coalesce(f.model_name, 'unknown'), t.start_ns, t.id"};

struct ai_cpu_loop {
    int (*each)(void *arg, const struct svp_ai_cpu_task *task, struct err *err);
    void *arg;
};

static int give_ai_cpu_task(void *arg, sqlite3_stmt *row, struct err *err)
{
    const struct ai_cpu_loop *loop = arg;
    struct ai_cpu_row taken;
    query_take(row, 0, ai_cpu_tasks_of_model.fields, ai_cpu_tasks_of_model.field_count, &taken);
    return loop->each(loop->arg, &taken.task, err);
}

struct named_ai_cpu_loop {
    int (*each)(void *arg, const char *model, const struct svp_ai_cpu_task *task, struct err *err);
    void *arg;
};

static int give_named_ai_cpu_task(void *arg, sqlite3_stmt *row, struct err *err)
{
    const struct named_ai_cpu_loop *loop = arg;
    struct ai_cpu_row taken = {.task.touches = false};
    query_take(row, 0, ai_cpu_tasks_of_report.fields, ai_cpu_tasks_of_report.field_count, &taken);
    return loop->each(loop->arg, taken.model, &taken.task, err);
}

int svp_each_ai_cpu_task(sqlite3 *db, const struct svp_model *model,
                         int (*each)(void *arg, const struct svp_ai_cpu_task *task, struct err *err), void *arg,
                         struct err *err)
{
    struct ai_cpu_loop loop = {each, arg};
    return run_for_model(db, &ai_cpu_tasks_of_model, NULL, model, give_ai_cpu_task, &loop, err);
}

int svp_ai_cpu_tasks(sqlite3 *db, const struct svp_model *model, sqlite3_stmt **ret, struct err *err)
{
    return prepare_for_model(db, &ai_cpu_tasks_of_model, NULL, model, ret, err);
}

int svp_next_ai_cpu_task(sqlite3 *db, sqlite3_stmt *tasks, struct svp_ai_cpu_task *ret, bool *ret_found,
                         struct err *err)
{
    struct ai_cpu_row taken = {.model = NULL};
    int code = sqlite3_step(tasks);
    *ret_found = code == SQLITE_ROW;
    if (code != SQLITE_ROW)
        return code == SQLITE_DONE ? 0 : database_error(err, db, "cannot read the database");
    query_take(tasks, 0, ai_cpu_tasks_of_model.fields, ai_cpu_tasks_of_model.field_count, &taken);
    *ret = taken.task;
    return 0;
}

/* ---- reports that cover several inferences ---- */

static const struct query_field report_fields[] = {
    QUERY_MEMBERS(struct svp_report, "", device_id, model_id, current_pic_count),
};
static const struct query_select reports = {
    QUERY_FIELDS(report_fields),
    .from = "FROM (SELECT device_id, model_id, current_pic_count FROM inference UNION"
            " SELECT device_id, model_id, current_pic_count FROM source_file WHERE kind = 'aicpu_task')"
            " ORDER BY device_id, model_id, current_pic_count"};

QUERY_EACH(svp_each_report, struct svp_report, reports)

struct svp_report_reader {
    sqlite3 *db;
    sqlite3_stmt *inferences, *ai_cpu_tasks;
};

struct svp_report_reader *svp_report_reader_new(sqlite3 *db, struct err *err)
{
    struct svp_report_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) {
        err_no_memory(err);
        return NULL;
    }
    reader->db = db;
    if (query_prepare(db, &inferences,
                      " WHERE device_id IS ?1 AND model_id IS ?2 AND current_pic_count IS ?3"
                      " ORDER BY " MODEL_NAME ", batch_num, input_pic_num, start_ns, inference_id",
                      &reader->inferences, err) == 0 &&
        query_prepare(db, &ai_cpu_tasks_of_report, NULL, &reader->ai_cpu_tasks, err) == 0)
        return reader;
    svp_report_reader_free(reader);
    return NULL;
}

void svp_report_reader_free(struct svp_report_reader *reader)
{
    if (reader == NULL)
        return;
    sqlite3_finalize(reader->inferences);
    sqlite3_finalize(reader->ai_cpu_tasks);
    free(reader);
}

static void bind_report(sqlite3_stmt *statement, const struct svp_report *report)
{
    query_bind(statement, 1, report->device_id);
    query_bind(statement, 2, report->model_id);
    query_bind(statement, 3, report->current_pic_count);
}

int svp_read_report_inferences(struct svp_report_reader *reader, const struct svp_report *report,
                               int (*each)(void *arg, const struct svp_inference *inference, struct err *err),
                               void *arg, struct err *err)
{
    struct inference_loop loop = {each, arg};
    bind_report(reader->inferences, report);
    return query_loop(reader->db, reader->inferences, give_inference, &loop, err);
}

int svp_read_report_ai_cpu_tasks(struct svp_report_reader *reader, const struct svp_report *report,
                                 int (*each)(void *arg, const char *model, const struct svp_ai_cpu_task *task,
                                             struct err *err),
                                 void *arg, struct err *err)
{
    struct named_ai_cpu_loop loop = {each, arg};
    bind_report(reader->ai_cpu_tasks, report);
    return query_loop(reader->db, reader->ai_cpu_tasks, give_named_ai_cpu_task, &loop, err);
}

/* ---- layers ---- */

/* Texts grow and may move while they are read: until the end a layer holds offsets, one more than the text's, 0 for
 * none. */
struct layer_loop {
    struct svp_layers layers;
    size_t capacity, texts_used, texts_capacity;
};

static int add_text(struct layer_loop *loop, const char *text, const char **ret_offset, struct err *err)
{
    if (text == NULL)
        return 0;
    size_t length = strlen(text) + 1;
    if (loop->texts_capacity - loop->texts_used < length &&
        array_grow(&loop->layers.texts, &loop->texts_capacity, loop->texts_used, length, 1, err) < 0)
        return err_status(err);
    memcpy(loop->layers.texts + loop->texts_used, text, length);
    *ret_offset = (const char *)(uintptr_t)(loop->texts_used + 1);
    loop->texts_used += length;
    return 0;
}

static const struct query_field layer_fields[] = {
    QUERY_MEMBERS(struct svp_layer, "", layer_id, task_id, name, type, ori_name),
    QUERY_FIELD(struct svp_layer, ai_cpu, "engine = 'AI_CPU'"),
};
static const struct query_select layers_of_model = {
    QUERY_FIELDS(layer_fields),
    .from = "FROM layer WHERE model_name = ?1 AND model_id IS ?2 ORDER BY task_id, layer_id, id"};

static int add_layer(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct layer_loop *loop = arg;
    if (loop->layers.count == loop->capacity &&
        array_grow(&loop->layers.layers, &loop->capacity, loop->layers.count, 1, sizeof *loop->layers.layers, err) < 0)
        return err_status(err);
    struct svp_layer *layer = &loop->layers.layers[loop->layers.count++];
    struct svp_layer taken;
    query_take(row, 0, layers_of_model.fields, layers_of_model.field_count, &taken);
    *layer = (struct svp_layer){.layer_id = taken.layer_id, .task_id = taken.task_id, .ai_cpu = taken.ai_cpu};
    if (add_text(loop, taken.name, &layer->name, err) < 0 || add_text(loop, taken.type, &layer->type, err) < 0)
        return err_status(err);
    return add_text(loop, taken.ori_name, &layer->ori_name, err);
}

static void settle_text(const struct svp_layers *layers, const char **text)
{
    if (*text != NULL)
        *text = layers->texts + ((uintptr_t)*text - 1);
}

int svp_layers_load(sqlite3 *db, const char *model, int64_t model_id, struct svp_layers *ret, struct err *err)
{
    struct layer_loop loop = {.capacity = 0};
    SCOPED(statement_release) sqlite3_stmt *statement = NULL;
    int status = query_prepare(db, &layers_of_model, NULL, &statement, err);
    if (status == 0) {
        sqlite3_bind_text(statement, 1, model, -1, SQLITE_STATIC);
        query_bind(statement, 2, model_id);
        status = query_loop(db, statement, add_layer, &loop, err);
    }
    if (status != 0) {
        svp_layers_release(&loop.layers);
        return status;
    }
    for (size_t i = 0; i < loop.layers.count; i++) {
        settle_text(&loop.layers, &loop.layers.layers[i].name);
        settle_text(&loop.layers, &loop.layers.layers[i].type);
        settle_text(&loop.layers, &loop.layers.layers[i].ori_name);
    }
    *ret = loop.layers;
    return 0;
}

void svp_layers_release(struct svp_layers *layers)
{
    free(layers->layers);
    free(layers->texts);
    *layers = (struct svp_layers){.layers = NULL};
}

size_t svp_layers_of_task(const struct svp_layers *layers, int64_t task_id, bool ai_cpu, size_t *ret_first)
{
    size_t low = search_from(layers->layers, layers->count, sizeof *layers->layers, offsetof(struct svp_layer, task_id),
                             task_id);
    while (low < layers->count && layers->layers[low].task_id == task_id && layers->layers[low].ai_cpu != ai_cpu)
        low++;
    size_t end = low;
    while (end < layers->count && layers->layers[end].task_id == task_id && layers->layers[end].ai_cpu == ai_cpu)
        end++;
    *ret_first = low;
    return end - low;
}

/* ---- ACL calls ---- */

static const struct query_field call_fields[] = {
    QUERY_FIELD(struct acl_call, model_row, "f.profiled_model_id"),
    QUERY_MEMBERS(struct acl_call, "p.", device_id),
    QUERY_MEMBERS(struct acl_call, "c.", start_ns, end_ns, process_id, thread_id, api_type),
    QUERY_FIELD(struct acl_call, name, "coalesce(c.name, 'N/A')"),
    QUERY_FIELD(struct acl_call, touches, "c.end_ns IN (SELECT start_ns FROM acl_call)"),
};
static const struct query_select calls_of_model = {
    QUERY_FIELDS(call_fields),
    .from = "FROM profiled_model p JOIN source_file f ON f.profiled_model_id = p.id AND f.kind = 'acl_call'"
            " JOIN acl_call c ON c.file_id = f.id WHERE p.device_id IS ?1 AND p.model_name = ?2 AND p.model_id IS ?3"
            " AND p.batch_num IS ?4 ORDER BY c.process_id, c.thread_id, c.start_ns, c.end_ns DESC, c.id"};
static const struct query_select calls_of_all = {
    QUERY_FIELDS(call_fields),
    .from = "FROM profiled_model p JOIN source_file f ON f.profiled_model_id = p.id AND f.kind = 'acl_call'"
            " JOIN acl_call c ON c.file_id = f.id ORDER BY c.process_id, c.thread_id, c.start_ns, c.end_ns DESC, c.id"};

QUERY_GIVE(acl, struct acl_call, calls_of_all)

int acl_each_call(sqlite3 *db, const struct svp_model *model,
                  int (*each)(void *arg, const struct acl_call *call, struct err *err), void *arg, struct err *err)
{
    struct acl_loop loop = {each, arg};
    return run_for_model(db, model != NULL ? &calls_of_model : &calls_of_all, NULL, model, give_acl, &loop, err);
}

static const struct query_field execute_fields[] = {
    QUERY_MEMBERS(struct svp_execute, "p.", device_id, model_id),
    QUERY_FIELD(struct svp_execute, model, "p.model_name"),
    QUERY_MEMBERS(struct svp_execute, "c.", start_ns, end_ns),
};
static const struct query_select executes = {
    QUERY_FIELDS(execute_fields),
    .from = "FROM profiled_model p JOIN source_file f ON f.profiled_model_id = p.id AND f.kind = 'acl_call'"
            " JOIN acl_call c ON c.file_id = f.id WHERE c.name GLOB 'svp_acl_mdl_execute*' AND c.start_ns IS NOT NULL"
            " AND c.end_ns IS NOT NULL"};

QUERY_EACH(svp_each_execute, struct svp_execute, executes)

static const struct query_field statistic_fields[] = {
    QUERY_MEMBERS(struct acl_statistic, "", device_id, model_id, process_id, thread_id, api_type, name),
    QUERY_FIELD(struct acl_statistic, count, "calls"),
    QUERY_MEMBERS(struct acl_statistic, "", total_ns, min_ns, max_ns),
    QUERY_FIELD(struct acl_statistic, report_total_ns, "sum(total_ns) OVER (PARTITION BY device_id, model_id)"),
};
static const struct query_select statistics = {
    QUERY_FIELDS(statistic_fields),
    .from = "FROM (SELECT p.device_id, p.model_id, c.process_id, c.thread_id, c.api_type,"
            " coalesce(c.name, 'N/A') AS name, count(*) AS calls, sum(c.end_ns - c.start_ns) AS total_ns,"
            " min(c.end_ns - c.start_ns) AS min_ns, max(c.end_ns - c.start_ns) AS max_ns"
            " FROM acl_call c JOIN source_file f ON f.id = c.file_id JOIN profiled_model p ON p.id ="
            " f.profiled_model_id GROUP BY 1, 2, 3, 4, 5, 6)"
            " ORDER BY device_id, model_id, process_id, thread_id, total_ns DESC, name"};

QUERY_EACH(acl_each_statistic, struct acl_statistic, statistics)

const char *acl_mode_name(int64_t api_type)
{
    const char *name = value_name_find(acl_part_names, api_type);
    return name != NULL ? name : "N/A";
}
