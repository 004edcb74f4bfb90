#include "db/query/query_cann.h"

#include "base/interrupt.h"
#include "db/query/query_loop.h"
#include "db/query/query_scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- parts ---- */

static void copy_text(sqlite3_stmt *row, int column, char *buffer, size_t size)
{
    const char *text = query_text(row, column);
    snprintf(buffer, size, "%s", text != NULL ? text : "");
}

static int take_part(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct cann_parts *parts = arg;
    struct cann_part *larger = reallocarray(parts->parts, parts->count + 1, sizeof *larger);
    if (larger == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    parts->parts = larger;
    struct cann_part *part = &larger[parts->count++];
    *part = (struct cann_part){
        .device_id = query_integer(row, 0),
        .is_host = query_integer(row, 1) == 1,
        .chip = query_integer(row, 2),
        .aic_hz = query_integer(row, 3),
        .aiv_hz = query_integer(row, 4),
        .ai_core_num = query_integer(row, 5),
        .aiv_num = query_integer(row, 6),
        .process_id = query_integer(row, 7),
        .rank_id = query_integer(row, 8),
        .start_ns = query_integer(row, 9),
        .end_ns = query_integer(row, 10),
        .host_monotonic_ns = query_integer(row, 21),
        .device_tick = query_integer(row, 22),
        .device_hz = query_integer(row, 23),
    };
    copy_text(row, 11, part->metrics, sizeof part->metrics);
    copy_text(row, 12, part->events, sizeof part->events);
    copy_text(row, 13, part->aiv_metrics, sizeof part->aiv_metrics);
    copy_text(row, 14, part->aiv_events, sizeof part->aiv_events);
    copy_text(row, 15, part->directory, sizeof part->directory);
    copy_text(row, 16, part->job, sizeof part->job);
    copy_text(row, 17, part->host_name, sizeof part->host_name);
    copy_text(row, 18, part->host_uid, sizeof part->host_uid);
    copy_text(row, 19, part->begin_date, sizeof part->begin_date);
    copy_text(row, 20, part->process_name, sizeof part->process_name);
    return 0;
}

int cann_parts_load(sqlite3 *db, struct cann_parts *ret, struct err *err)
{
    *ret = (struct cann_parts){.parts = NULL};
    int status =
        query_run(db,
                  "SELECT device_id, is_host, chip, aic_hz, aiv_hz, ai_core_num, aiv_num, process_id, rank_id,"
                  " start_ns, end_ns, metrics, events, aiv_metrics, aiv_events, directory, job, host_name,"
                  " host_uid, begin_date, process_name, coalesce(host_monotonic_ns, 0), coalesce(device_tick, 0),"
                  " device_hz FROM capture_part ORDER BY id",
                  NULL, 0, take_part, ret, err);
    if (status < 0)
        cann_parts_release(ret);
    return status;
}

void cann_parts_release(struct cann_parts *parts)
{
    free(parts->parts);
    *parts = (struct cann_parts){.parts = NULL};
}

const struct cann_part *cann_part_of_device(const struct cann_parts *parts, int64_t device_id)
{
    for (size_t i = 0; i < parts->count; i++) {
        if (!parts->parts[i].is_host && parts->parts[i].device_id == device_id)
            return &parts->parts[i];
    }
    return NULL;
}

/* ---- texts ---- */

#define BLOCK_SIZE (256 * 1024)

struct cann_text_block {
    struct cann_text_block *next;
    size_t used, capacity;
    char bytes[];
};

static char *keep_text(struct cann_texts *texts, const char *text, size_t length)
{
    struct cann_text_block *block = texts->blocks;
    if (block == NULL || block->capacity - block->used < length + 1) {
        size_t capacity = length + 1 > BLOCK_SIZE ? length + 1 : BLOCK_SIZE;
        block = malloc(sizeof *block + capacity);
        if (block == NULL)
            return NULL;
        *block = (struct cann_text_block){.next = texts->blocks, .capacity = capacity};
        texts->blocks = block;
    }
    char *copy = block->bytes + block->used;
    memcpy(copy, text, length);
    copy[length] = '\0';
    block->used += length + 1;
    return copy;
}

/* The first column is the id. */
static int take_texts(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct cann_texts *texts = arg;
    int64_t id = query_integer(row, 0);
    if (id < 0 || (uint64_t)id >= texts->rows)
        return 0;
    for (size_t i = 0; i < texts->column_count; i++) {
        const char *text = query_text(row, (int)i + 1);
        size_t length = (size_t)sqlite3_column_bytes(row, (int)i + 1);
        char *copy = text != NULL ? keep_text(texts, text, length) : NULL;
        if (text != NULL && copy == NULL)
            return err_set(err, ERR_NO_MEMORY, "out of memory");
        texts->items[(size_t)id * texts->column_count + i] = (struct cann_text){copy, (uint32_t)length};
    }
    return 0;
}

#define MAX_TEXT_ROWS (1 << 28)

static int load_texts(sqlite3 *db, const char *count_sql, const char *sql, size_t columns, struct cann_texts *ret,
                      struct err *err)
{
    int64_t last = query_number(db, count_sql);
    *ret = (struct cann_texts){.column_count = columns};
    if (last < 0 || last > MAX_TEXT_ROWS)
        return err_set(err, ERR_FORMAT, "the database's texts are numbered up to %lld", (long long)last);
    ret->rows = (size_t)last + 1;
    ret->items = calloc(ret->rows * columns, sizeof *ret->items);
    int status = ret->items != NULL ? query_run(db, sql, NULL, 0, take_texts, ret, err)
                                    : err_set(err, ERR_NO_MEMORY, "out of memory");
    if (status < 0)
        cann_texts_release(ret);
    return status;
}

int cann_names_load(sqlite3 *db, struct cann_texts *ret, struct err *err)
{
    return load_texts(db, "SELECT max(id) FROM name", "SELECT id, text FROM name", 1, ret, err);
}

int cann_tensor_sets_load(sqlite3 *db, struct cann_texts *ret, struct err *err)
{
    return load_texts(db, "SELECT max(id) FROM tensor_set",
                      "SELECT id, input_shapes, input_data_types, input_formats, output_shapes, output_data_types,"
                      " output_formats FROM tensor_set",
                      CANN_TENSOR_COLUMNS, ret, err);
}

int cann_texts_replace(struct cann_texts *texts, size_t i, const char *text, size_t length, struct err *err)
{
    struct cann_text *item = &texts->items[i];
    if (item->text != NULL && item->length == length && memcmp(item->text, text, length) == 0)
        return 0;
    const char *copy = keep_text(texts, text, length);
    if (copy == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    *item = (struct cann_text){copy, (uint32_t)length};
    return 0;
}

void cann_texts_release(struct cann_texts *texts)
{
    for (struct cann_text_block *block = texts->blocks, *next; block != NULL; block = next) {
        next = block->next;
        free(block);
    }
    free(texts->items);
    *texts = (struct cann_texts){.items = NULL};
}

int64_t cann_task_count(sqlite3 *db)
{
    return query_number(db, "SELECT max(id) FROM device_task");
}

int64_t cann_call_count(sqlite3 *db)
{
    return query_number(db, "SELECT max(id) FROM host_call");
}

bool cann_calls_overlap(sqlite3 *db)
{
    return query_number(db, "SELECT (SELECT value FROM meta WHERE key = 'family') <> 'ascend-cann'"
                            " OR EXISTS(SELECT 1 FROM diagnostics WHERE code = 'call-overlap')") != 0;
}

int64_t cann_largest_stream(sqlite3 *db)
{
    return query_number(db, "SELECT max((SELECT coalesce(max(stream_id), -1) FROM device_mark),"
                            " (SELECT coalesce(max(stream_id), -1) FROM device_task))");
}

int64_t cann_largest_thread(sqlite3 *db)
{
    return query_number(db, "SELECT max((SELECT coalesce(max(thread_id), -1) FROM msproftx),"
                            " (SELECT coalesce(max(thread_id), -1) FROM host_call))");
}

/* ---- tasks ---- */

struct cann_task_reader {
    sqlite3 *db;
    sqlite3_stmt *range;
    bool with_counters;
};

#define TASK_COLUMNS                                                                                                   \
    "id, device_id, start_ns, duration_ns, stream_id, task_id, batch_id, context_id, type, connection_id, thread_id,"  \
    " host_type_id, kernel_name_id, op_name_id, op_type_id, op_task_type, op_state, op_flag, block_num,"               \
    " mix_block_num, tensor_set_id, attribute_id, model_id, copy_bytes, copy_direction"
#define COUNTER_COLUMNS(core)                                                                                          \
    ", " core "_total_cycle, " core "_event0, " core "_event1, " core "_event2, " core "_event3, " core                \
    "_event4, " core "_event5, " core "_event6, " core "_event7"

enum { FIRST_AIC = 25, FIRST_AIV = FIRST_AIC + 1 + CANN_COUNTERS };

struct cann_task_reader *cann_task_reader_new(sqlite3 *db, bool with_counters, struct err *err)
{
    struct cann_task_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) {
        err_set(err, ERR_NO_MEMORY, "out of memory");
        return NULL;
    }
    reader->db = db;
    reader->with_counters = with_counters;
    int status = query_scan_prepare(
        db, with_counters ? TASK_COLUMNS COUNTER_COLUMNS("aic") COUNTER_COLUMNS("aiv") : TASK_COLUMNS, "device_task",
        NULL, &reader->range, err);
    if (status < 0) {
        cann_task_reader_free(reader);
        return NULL;
    }
    return reader;
}

void cann_task_reader_free(struct cann_task_reader *reader)
{
    if (reader == NULL)
        return;
    sqlite3_finalize(reader->range);
    free(reader);
}

static void read_counters(sqlite3_value **row, bool *ret_has, int64_t *ret_total, int64_t counters[CANN_COUNTERS])
{
    *ret_has = sqlite3_value_type(row[0]) != SQLITE_NULL;
    *ret_total = sqlite3_value_int64(row[0]);
    for (int i = 0; *ret_has && i < CANN_COUNTERS; i++)
        counters[i] = sqlite3_value_int64(row[1 + i]);
}

static void read_task(sqlite3_value **row, bool with_counters, struct cann_task *ret)
{
    static const size_t targets[] = {
        offsetof(struct cann_task, id),
        offsetof(struct cann_task, device_id),
        offsetof(struct cann_task, start_ns),
        offsetof(struct cann_task, duration_ns),
        offsetof(struct cann_task, stream_id),
        offsetof(struct cann_task, task_id),
        offsetof(struct cann_task, batch_id),
        offsetof(struct cann_task, context_id),
        offsetof(struct cann_task, type),
        offsetof(struct cann_task, connection_id),
        offsetof(struct cann_task, thread_id),
        offsetof(struct cann_task, host_type_id),
        offsetof(struct cann_task, kernel_name_id),
        offsetof(struct cann_task, op_name_id),
        offsetof(struct cann_task, op_type_id),
        offsetof(struct cann_task, op_task_type),
        offsetof(struct cann_task, op_state),
        offsetof(struct cann_task, op_flag),
        offsetof(struct cann_task, block_num),
        offsetof(struct cann_task, mix_block_num),
        offsetof(struct cann_task, tensor_set_id),
        offsetof(struct cann_task, attribute_id),
        offsetof(struct cann_task, model_id),
        offsetof(struct cann_task, copy_bytes),
        offsetof(struct cann_task, copy_direction),
    };
    _Static_assert(sizeof targets / sizeof *targets == FIRST_AIC, "one target for each column of TASK_COLUMNS");
    for (int i = 0; i < FIRST_AIC; i++)
        *(int64_t *)(void *)((char *)ret + targets[i]) = scan_integer(row[i]);
    if (with_counters) {
        read_counters(row + FIRST_AIC, &ret->has_aic, &ret->aic_total_cycle, ret->aic_counters);
        read_counters(row + FIRST_AIV, &ret->has_aiv, &ret->aiv_total_cycle, ret->aiv_counters);
    }
}

struct task_loop {
    const struct cann_task_reader *reader;
    int (*each)(void *arg, const struct cann_task *task, struct err *err);
    void *arg;
    struct cann_task task;
};

static int give_task(void *arg, sqlite3_value **row, struct err *err)
{
    struct task_loop *loop = arg;
    read_task(row, loop->reader->with_counters, &loop->task);
    return loop->each(loop->arg, &loop->task, err);
}

int cann_read_tasks(struct cann_task_reader *reader, int64_t first, int64_t end,
                    int (*each)(void *arg, const struct cann_task *task, struct err *err), void *arg, struct err *err)
{
    struct task_loop loop = {.reader = reader, .each = each, .arg = arg};
    return query_scan(reader->db, reader->range, first, end, give_task, &loop, err);
}

/* ---- calls ---- */

struct cann_call_reader {
    sqlite3 *db;
    sqlite3_stmt *range;
};

struct cann_call_reader *cann_call_reader_new(sqlite3 *db, struct err *err)
{
    struct cann_call_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) {
        err_set(err, ERR_NO_MEMORY, "out of memory");
        return NULL;
    }
    reader->db = db;
    if (query_scan_prepare(db,
                           "id, thread_id, level, type, name_id, item_id, start_ns, duration_ns, parent_id,"
                           " connection_id, launches",
                           "host_call", NULL, &reader->range, err) < 0) {
        free(reader);
        return NULL;
    }
    return reader;
}

void cann_call_reader_free(struct cann_call_reader *reader)
{
    if (reader != NULL)
        sqlite3_finalize(reader->range);
    free(reader);
}

struct call_loop {
    int (*each)(void *arg, const struct cann_call *call, struct err *err);
    void *arg;
};

static int give_call(void *arg, sqlite3_value **row, struct err *err)
{
    struct call_loop *loop = arg;
    const struct cann_call call = {
        .id = sqlite3_value_int64(row[0]),
        .thread_id = sqlite3_value_int64(row[1]),
        .level = sqlite3_value_int64(row[2]),
        .type = sqlite3_value_int64(row[3]),
        .name_id = scan_integer(row[4]),
        .item_id = scan_integer(row[5]),
        .start_ns = sqlite3_value_int64(row[6]),
        .duration_ns = sqlite3_value_int64(row[7]),
        .parent_id = scan_integer(row[8]),
        .connection_id = scan_integer(row[9]),
        .launches = sqlite3_value_int64(row[10]),
    };
    return loop->each(loop->arg, &call, err);
}

int cann_read_calls(struct cann_call_reader *reader, int64_t first, int64_t end,
                    int (*each)(void *arg, const struct cann_call *call, struct err *err), void *arg, struct err *err)
{
    struct call_loop loop = {each, arg};
    return query_scan(reader->db, reader->range, first, end, give_call, &loop, err);
}

struct found_call {
    struct cann_call *call;
    bool found;
};

static int take_call(void *arg, const struct cann_call *call, struct err *err)
{
    struct found_call *found = arg;
    (void)err;
    *found->call = *call;
    found->found = true;
    return 0;
}

int cann_get_call(struct cann_call_reader *reader, int64_t id, struct cann_call *ret, bool *ret_found, struct err *err)
{
    struct found_call found = {ret, false};
    int status = cann_read_calls(reader, id, id + 1, take_call, &found, err);
    *ret_found = found.found;
    return status;
}

/* ---- spans ---- */

struct cann_span_reader {
    sqlite3 *db;
    sqlite3_stmt *range;
};

static struct cann_span_reader *span_reader_new(sqlite3 *db, const char *columns, const char *table, struct err *err)
{
    struct cann_span_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) {
        err_set(err, ERR_NO_MEMORY, "out of memory");
        return NULL;
    }
    reader->db = db;
    if (query_scan_prepare(db, columns, table, NULL, &reader->range, err) < 0) {
        free(reader);
        return NULL;
    }
    return reader;
}

struct cann_span_reader *cann_span_reader_new(sqlite3 *db, struct err *err)
{
    return span_reader_new(db, "device_id, start_ns, start_ns + duration_ns, " CANN_IS_OPERATOR ", stream_id, id",
                           "device_task", err);
}

struct cann_span_reader *cann_call_span_reader_new(sqlite3 *db, struct err *err)
{
    return span_reader_new(db, "NULL, start_ns, start_ns + duration_ns, 0, thread_id, id", "host_call", err);
}

void cann_span_reader_free(struct cann_span_reader *reader)
{
    if (reader != NULL)
        sqlite3_finalize(reader->range);
    free(reader);
}

struct span_loop {
    int (*each)(void *arg, const struct cann_span *span, struct err *err);
    void *arg;
};

static int give_span(void *arg, sqlite3_value **row, struct err *err)
{
    struct span_loop *loop = arg;
    const struct cann_span span = {
        .device_id = scan_integer(row[0]),
        .start_ns = sqlite3_value_int64(row[1]),
        .end_ns = sqlite3_value_int64(row[2]),
        .computing = sqlite3_value_int(row[3]) != 0,
        .number = scan_integer(row[4]),
        .id = sqlite3_value_int64(row[5]),
    };
    return loop->each(loop->arg, &span, err);
}

int cann_read_spans(struct cann_span_reader *reader, int64_t first, int64_t end,
                    int (*each)(void *arg, const struct cann_span *span, struct err *err), void *arg, struct err *err)
{
    struct span_loop loop = {each, arg};
    return query_scan(reader->db, reader->range, first, end, give_span, &loop, err);
}

/* ---- iterations ---- */

struct iterations_loop {
    int (*each)(void *arg, const struct cann_iterations *iterations, struct err *err);
    void *arg;
};

static int give_iterations(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct iterations_loop *loop = arg;
    const char *longest = query_text(row, 2);
    const struct cann_iterations iterations = {
        .model_id = query_integer(row, 0),
        .count = query_integer(row, 1),
        .longest = longest != NULL ? longest : "",
    };
    return loop->each(loop->arg, &iterations, err);
}

int cann_each_model(sqlite3 *db, int64_t device_id,
                    int (*each)(void *arg, const struct cann_iterations *iterations, struct err *err), void *arg,
                    struct err *err)
{
    /* Step marks: 0 begins an iteration of a model, 1 ends it. A capture without marks has no table, or no row. */
    static const char sql[] =
        "WITH step AS (SELECT model_id, index_id, max(time_ns) - min(time_ns) AS ns FROM ts_track"
        "   WHERE tag = 10 AND step_tag IN (0, 1) AND device_id = ?1 GROUP BY model_id, index_id),"
        " ranked AS (SELECT model_id, index_id, row_number() OVER (PARTITION BY model_id ORDER BY ns DESC, index_id)"
        "   AS place FROM step)"
        " SELECT s.model_id, count(*), (SELECT group_concat(index_id) FROM (SELECT index_id FROM ranked r"
        "   WHERE r.model_id = s.model_id AND r.place <= 5 ORDER BY r.place)) FROM step s GROUP BY s.model_id";
    struct iterations_loop loop = {each, arg};
    if (query_number(db, "SELECT count(*) FROM sqlite_schema WHERE name = 'ts_track'") == 0)
        return 0;
    return query_run(db, sql, &device_id, 1, give_iterations, &loop, err);
}
