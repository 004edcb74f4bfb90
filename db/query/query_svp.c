/* Models, inferences, AI CPU tasks, layers and ACL calls of SVP captures. */
#include "db/database.h"
#include "db/query/query.h"
#include "db/query/query_loop.h"

#include <stdlib.h>
#include <string.h>

/* ---- models ---- */

struct model_loop {
    int (*each)(void *arg, const struct svp_model *model, struct err *err);
    void *arg;
};

static int give_model(void *arg, sqlite3_stmt *row, struct err *err)
{
    const struct model_loop *loop = arg;
    const struct svp_model model = {
        .device_id = query_integer(row, 0),
        .name = query_text(row, 1),
        .model_id = query_integer(row, 2),
        .batch_num = query_integer(row, 3),
        .inferences = query_integer(row, 4),
        .ai_core_tasks = query_integer(row, 5),
        .ai_cpu_tasks = query_integer(row, 6),
        .acl_calls = query_integer(row, 7),
    };
    return loop->each(loop->arg, &model, err);
}

int svp_each_model(sqlite3 *db, int (*each)(void *arg, const struct svp_model *model, struct err *err), void *arg,
                   struct err *err)
{
    struct model_loop loop = {each, arg};
    return query_run(
        db,
        "SELECT device_id, model_name, model_id, batch_num, inferences, ai_core_tasks, ai_cpu_tasks, acl_calls"
        " FROM profiled_model ORDER BY device_id, model_name, model_id, batch_num",
        NULL, 0, give_model, &loop, err);
}

/* Prepares a statement whose parameters ?1 to ?4 are a model's device, name, id and batch number. */
static int prepare_for_model(sqlite3 *db, const char *sql, const struct svp_model *model, sqlite3_stmt **ret,
                             struct err *err)
{
    int status = database_prepare(db, sql, ret, err);
    if (status < 0)
        return status;
    query_bind(*ret, 1, model->device_id);
    sqlite3_bind_text(*ret, 2, model->name, -1, SQLITE_STATIC);
    query_bind(*ret, 3, model->model_id);
    query_bind(*ret, 4, model->batch_num);
    return 0;
}

/* ---- inferences ---- */

#define INFERENCE_COLUMNS                                                                                              \
    "SELECT inference_id, device_id, coalesce(model_name, 'unknown'), model_id, batch_num, input_pic_num,"             \
    " current_pic_count, start_ns, end_ns, start_known, tasks, icache_hit, icache_miss, core_khz,"                     \
    " total_cycle, mac_busy_cycle, mac_ppen_cycle, vec_busy_cycle, vec_ppen_cycle, dstr_cycle, dtrans_cycle, "         \
    "dld_cycle,"                                                                                                       \
    " wld_cycle, ddr_read_bytes, ddr_write_bytes FROM inference"
#define INFERENCE_ORDER                                                                                                \
    " ORDER BY device_id, 3, model_id, batch_num, input_pic_num, start_known DESC, start_ns, inference_id"
#define INFERENCE_ORDER_IN_MODEL " ORDER BY input_pic_num, start_known DESC, start_ns, inference_id"

struct inference_loop {
    int (*each)(void *arg, const struct svp_inference *inference, struct err *err);
    void *arg;
};

static int give_inference(void *arg, sqlite3_stmt *row, struct err *err)
{
    const struct inference_loop *loop = arg;
    struct svp_inference inference = {
        .id = query_integer(row, 0),
        .device_id = query_integer(row, 1),
        .model = query_text(row, 2),
        .model_id = query_integer(row, 3),
        .batch_num = query_integer(row, 4),
        .input_pic_num = query_integer(row, 5),
        .current_pic_count = query_integer(row, 6),
        .start_ns = query_integer(row, 7),
        .end_ns = query_integer(row, 8),
        .start_known = query_integer(row, 9),
        .tasks = query_integer(row, 10),
        .icache_hit = query_integer(row, 11),
        .icache_miss = query_integer(row, 12),
        .core_khz = query_integer(row, 13),
        .total_cycle = query_integer(row, 14),
        .ddr_read_bytes = query_integer(row, 15 + SVP_CYCLE_KINDS),
        .ddr_write_bytes = query_integer(row, 16 + SVP_CYCLE_KINDS),
    };
    for (int i = 0; i < SVP_CYCLE_KINDS; i++)
        inference.cycles[i] = query_integer(row, 15 + i);
    return loop->each(loop->arg, &inference, err);
}

int svp_each_inference(sqlite3 *db, const struct svp_model *model,
                       int (*each)(void *arg, const struct svp_inference *inference, struct err *err), void *arg,
                       struct err *err)
{
    struct inference_loop loop = {each, arg};
    sqlite3_stmt *statement = NULL;
    int status = model == NULL ? database_prepare(db, INFERENCE_COLUMNS INFERENCE_ORDER, &statement, err)
                               : prepare_for_model(db,
                                                   INFERENCE_COLUMNS
                                                   " WHERE device_id IS ?1 AND coalesce(model_name, 'unknown') = ?2"
                                                   " AND model_id IS ?3 AND batch_num IS ?4" INFERENCE_ORDER_IN_MODEL,
                                                   model, &statement, err);
    if (status == 0)
        status = query_loop(db, statement, give_inference, &loop, err);
    sqlite3_finalize(statement);
    return status;
}

/* ---- AI CPU tasks ---- */

struct ai_cpu_loop {
    int (*each)(void *arg, const struct svp_ai_cpu_task *task, struct err *err);
    int (*each_of_model)(void *arg, const char *model, const struct svp_ai_cpu_task *task, struct err *err);
    void *arg;
};

static int give_ai_cpu_task(void *arg, sqlite3_stmt *row, struct err *err)
{
    const struct ai_cpu_loop *loop = arg;
    const struct svp_ai_cpu_task task = {
        .start_ns = query_integer(row, 0),
        .duration_ns = query_integer(row, 1),
        .stream_id = query_integer(row, 2),
        .task_id = query_integer(row, 3),
        .input_pic_num = query_integer(row, 4),
        .current_pic_count = query_integer(row, 5),
        .touches = sqlite3_column_int(row, 7) != 0,
    };
    return loop->each != NULL ? loop->each(loop->arg, &task, err)
                              : loop->each_of_model(loop->arg, query_text(row, 6), &task, err);
}

#define FILES_OF_MODEL                                                                                                 \
    " FROM profiled_model p JOIN source_file f ON f.profiled_model_id = p.id AND f.kind = 'aicpu_task'"                \
    " JOIN ai_cpu_task t ON t.file_id = f.id"                                                                          \
    " WHERE p.device_id IS ?1 AND p.model_name = ?2 AND p.model_id IS ?3 AND p.batch_num IS ?4"

int svp_each_ai_cpu_task(sqlite3 *db, const struct svp_model *model, int64_t from_ns, int64_t until_ns,
                         int (*each)(void *arg, const struct svp_ai_cpu_task *task, struct err *err), void *arg,
                         struct err *err)
{
    struct ai_cpu_loop loop = {each, NULL, arg};
    sqlite3_stmt *statement = NULL;
    int status = prepare_for_model(
        db,
        "SELECT t.start_ns, t.duration_ns, t.stream_id, t.task_id, f.input_pic_num,"
        " f.current_pic_count, NULL, t.start_ns + t.duration_ns IN (SELECT start_ns FROM ai_cpu_task)" FILES_OF_MODEL
        " AND t.start_ns >= ?5 AND t.start_ns < ?6"
        " ORDER BY t.start_ns, t.id",
        model, &statement, err);
    if (status == 0) {
        sqlite3_bind_int64(statement, 5, from_ns);
        sqlite3_bind_int64(statement, 6, until_ns);
        status = query_loop(db, statement, give_ai_cpu_task, &loop, err);
    }
    sqlite3_finalize(statement);
    return status;
}

/* ---- reports that cover several inferences ---- */

struct report_loop {
    int (*each)(void *arg, const struct svp_report *report, struct err *err);
    void *arg;
};

static int give_report(void *arg, sqlite3_stmt *row, struct err *err)
{
    const struct report_loop *loop = arg;
    const struct svp_report report = {query_integer(row, 0), query_integer(row, 1), query_integer(row, 2)};
    return loop->each(loop->arg, &report, err);
}

int svp_each_report(sqlite3 *db, int (*each)(void *arg, const struct svp_report *report, struct err *err), void *arg,
                    struct err *err)
{
    struct report_loop loop = {each, arg};
    return query_run(
        db,
        "SELECT device_id, model_id, current_pic_count FROM inference UNION"
        " SELECT device_id, model_id, current_pic_count FROM source_file WHERE kind = 'aicpu_task' ORDER BY 1, 2, 3",
        NULL, 0, give_report, &loop, err);
}

struct svp_report_reader {
    sqlite3 *db;
    sqlite3_stmt *inferences, *ai_cpu_tasks;
};

struct svp_report_reader *svp_report_reader_new(sqlite3 *db, struct err *err)
{
    struct svp_report_reader *reader = calloc(1, sizeof *reader);
    int status = reader != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory");
    if (status == 0) {
        reader->db = db;
        status =
            database_prepare(db,
                             INFERENCE_COLUMNS " WHERE device_id IS ?1 AND model_id IS ?2 AND current_pic_count IS ?3"
                                               " ORDER BY 3, batch_num, input_pic_num, start_ns, inference_id",
                             &reader->inferences, err);
    }
    if (status == 0)
        status = database_prepare(db,
                                  "SELECT t.start_ns, t.duration_ns, t.stream_id, t.task_id, f.input_pic_num,"
                                  " f.current_pic_count, coalesce(f.model_name, 'unknown')"
                                  " FROM source_file f JOIN ai_cpu_task t ON t.file_id = f.id"
                                  " WHERE f.kind = 'aicpu_task' AND f.device_id IS ?1 AND f.model_id IS ?2"
                                  " AND f.current_pic_count IS ?3 ORDER BY 7, t.start_ns, t.id",
                                  &reader->ai_cpu_tasks, err);
    if (status < 0) {
        svp_report_reader_free(reader);
        return NULL;
    }
    return reader;
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
    struct ai_cpu_loop loop = {NULL, each, arg};
    bind_report(reader->ai_cpu_tasks, report);
    return query_loop(reader->db, reader->ai_cpu_tasks, give_ai_cpu_task, &loop, err);
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
    if (loop->texts_capacity - loop->texts_used < length) {
        size_t capacity = 2 * loop->texts_capacity + length + 4096;
        char *larger = realloc(loop->layers.texts, capacity);
        if (larger == NULL)
            return err_set(err, ERR_NO_MEMORY, "out of memory");
        loop->layers.texts = larger;
        loop->texts_capacity = capacity;
    }
    memcpy(loop->layers.texts + loop->texts_used, text, length);
    *ret_offset = (const char *)(uintptr_t)(loop->texts_used + 1);
    loop->texts_used += length;
    return 0;
}

static int add_layer(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct layer_loop *loop = arg;
    if (loop->layers.count == loop->capacity) {
        size_t capacity = loop->capacity != 0 ? 2 * loop->capacity : 64;
        struct svp_layer *larger = reallocarray(loop->layers.layers, capacity, sizeof *larger);
        if (larger == NULL)
            return err_set(err, ERR_NO_MEMORY, "out of memory");
        loop->layers.layers = larger;
        loop->capacity = capacity;
    }
    struct svp_layer *layer = &loop->layers.layers[loop->layers.count++];
    *layer = (struct svp_layer){
        .layer_id = query_integer(row, 0),
        .task_id = query_integer(row, 1),
        .ai_cpu = sqlite3_column_int(row, 5) != 0,
    };
    int status = add_text(loop, query_text(row, 2), &layer->name, err);
    if (status == 0)
        status = add_text(loop, query_text(row, 3), &layer->type, err);
    if (status == 0)
        status = add_text(loop, query_text(row, 4), &layer->ori_name, err);
    return status;
}

static void settle_text(const struct svp_layers *layers, const char **text)
{
    if (*text != NULL)
        *text = layers->texts + ((uintptr_t)*text - 1);
}

int svp_layers_load(sqlite3 *db, const char *model, int64_t model_id, struct svp_layers *ret, struct err *err)
{
    struct layer_loop loop = {.capacity = 0};
    sqlite3_stmt *statement = NULL;
    int status = database_prepare(db,
                                  "SELECT layer_id, task_id, name, type, ori_name, engine = 'AI_CPU' FROM layer"
                                  " WHERE model_name = ?1 AND model_id IS ?2 ORDER BY task_id, layer_id, id",
                                  &statement, err);
    if (status == 0) {
        sqlite3_bind_text(statement, 1, model, -1, SQLITE_STATIC);
        query_bind(statement, 2, model_id);
        status = query_loop(db, statement, add_layer, &loop, err);
    }
    sqlite3_finalize(statement);
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
    size_t low = 0, high = layers->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (layers->layers[middle].task_id < task_id)
            low = middle + 1;
        else
            high = middle;
    }
    while (low < layers->count && layers->layers[low].task_id == task_id && layers->layers[low].ai_cpu != ai_cpu)
        low++;
    size_t end = low;
    while (end < layers->count && layers->layers[end].task_id == task_id && layers->layers[end].ai_cpu == ai_cpu)
        end++;
    *ret_first = low;
    return end - low;
}

/* ---- ACL calls ---- */

struct acl_loop {
    int (*each)(void *arg, const struct acl_call *call, struct err *err);
    void *arg;
};

static int give_call(void *arg, sqlite3_stmt *row, struct err *err)
{
    const struct acl_loop *loop = arg;
    const struct acl_call call = {
        .start_ns = query_integer(row, 0),
        .end_ns = query_integer(row, 1),
        .process_id = query_integer(row, 2),
        .thread_id = query_integer(row, 3),
        .api_type = query_integer(row, 4),
        .name = query_text(row, 5),
        .touches = sqlite3_column_int(row, 6) != 0,
    };
    return loop->each(loop->arg, &call, err);
}

int acl_each_call(sqlite3 *db, const struct svp_model *model,
                  int (*each)(void *arg, const struct acl_call *call, struct err *err), void *arg, struct err *err)
{
    struct acl_loop loop = {each, arg};
    sqlite3_stmt *statement = NULL;
    int status =
        prepare_for_model(db,
                          "SELECT c.start_ns, c.end_ns, c.process_id, c.thread_id, c.api_type, coalesce(c.name, 'N/A'),"
                          " c.end_ns IN (SELECT start_ns FROM acl_call)"
                          " FROM profiled_model p JOIN source_file f ON f.profiled_model_id = p.id"
                          " AND f.kind = 'acl_call' JOIN acl_call c ON c.file_id = f.id WHERE p.device_id IS ?1"
                          " AND p.model_name = ?2 AND p.model_id IS ?3 AND p.batch_num IS ?4"
                          " ORDER BY c.process_id, c.thread_id, c.start_ns, c.end_ns DESC, c.id",
                          model, &statement, err);
    if (status == 0)
        status = query_loop(db, statement, give_call, &loop, err);
    sqlite3_finalize(statement);
    return status;
}

struct acl_statistic_loop {
    int (*each)(void *arg, const struct acl_statistic *row, struct err *err);
    void *arg;
};

static int give_acl_statistic(void *arg, sqlite3_stmt *row, struct err *err)
{
    const struct acl_statistic_loop *loop = arg;
    const struct acl_statistic statistic = {
        .device_id = query_integer(row, 0),
        .model_id = query_integer(row, 1),
        .process_id = query_integer(row, 2),
        .thread_id = query_integer(row, 3),
        .api_type = query_integer(row, 4),
        .name = query_text(row, 5),
        .count = query_integer(row, 6),
        .total_ns = query_integer(row, 7),
        .min_ns = query_integer(row, 8),
        .max_ns = query_integer(row, 9),
        .report_total_ns = query_integer(row, 10),
    };
    return loop->each(loop->arg, &statistic, err);
}

int acl_each_statistic(sqlite3 *db, int (*each)(void *arg, const struct acl_statistic *row, struct err *err), void *arg,
                       struct err *err)
{
    struct acl_statistic_loop loop = {each, arg};
    return query_run(
        db,
        "SELECT *, sum(total_ns) OVER (PARTITION BY device_id, model_id) FROM ("
        "  SELECT p.device_id, p.model_id, c.process_id, c.thread_id, c.api_type, coalesce(c.name, 'N/A') AS name,"
        "    count(*) AS calls, sum(c.end_ns - c.start_ns) AS total_ns, min(c.end_ns - c.start_ns),"
        "    max(c.end_ns - c.start_ns)"
        "  FROM acl_call c JOIN source_file f ON f.id = c.file_id JOIN profiled_model p ON p.id = f.profiled_model_id"
        "  GROUP BY 1, 2, 3, 4, 5, 6)"
        " ORDER BY device_id, model_id, process_id, thread_id, total_ns DESC, name",
        NULL, 0, give_acl_statistic, &loop, err);
}

const char *acl_mode_name(int64_t api_type)
{
    static const char *const names[] = {[1] = "op", [2] = "model", [3] = "runtime", [4] = "others"};
    return api_type >= 1 && api_type <= 4 ? names[api_type] : "N/A";
}
