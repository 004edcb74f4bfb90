/* SPDX-License-Identifier: Apache-2.0 */
#include "db/query/query_cann.h"

#include "base/number.h"
#include "db/database.h"
#include "db/query/query_fields.h"
#include "db/query/query_loop.h"
#include "parsers/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- parts ---- */

static const struct query_field part_fields[] = {
    QUERY_MEMBERS(struct cann_part, "", device_id, is_host, chip, aic_hz, aiv_hz, ai_core_num, aiv_num, process_id),
    QUERY_MEMBERS(struct cann_part, "", rank_id, start_ns, end_ns, metrics, events, aiv_metrics, aiv_events, directory),
    QUERY_MEMBERS(struct cann_part, "", job, host_name, host_uid, begin_date, process_name),
    QUERY_FIELD(struct cann_part, host_monotonic_ns, "coalesce(host_monotonic_ns, 0)"),
    QUERY_FIELD(struct cann_part, unix_offset_ns, "unix_offset_ns"),
    QUERY_FIELD(struct cann_part, device_tick, "coalesce(device_tick, 0)"),
    QUERY_FIELD(struct cann_part, device_hz, "device_hz"),
    QUERY_FIELD(struct cann_part, samples_cores,
                "EXISTS (SELECT 1 FROM setting s WHERE s.part_id = capture_part.id AND s.name = "
                "'ai_core_profiling_mode' AND s.value = 'sample-based')"),
};
static const struct query_select parts = {QUERY_FIELDS(part_fields), .from = "FROM capture_part ORDER BY id"};

int cann_parts_load(sqlite3 *db, struct cann_parts *ret, struct err *err)
{
    *ret = (struct cann_parts){.parts = NULL};
    int status = query_select_all(db, &parts, &ret->parts, &ret->count, &ret->capacity, sizeof *ret->parts, err);
    if (status < 0)
        cann_parts_release(ret);
    return status;
}

void cann_parts_release(struct cann_parts *list)
{
    free(list->parts);
    *list = (struct cann_parts){.parts = NULL};
}

const struct cann_part *cann_part_of_device(const struct cann_parts *list, int64_t device_id)
{
    for (size_t i = 0; i < list->count; i++) {
        if (!list->parts[i].is_host && list->parts[i].device_id == device_id)
            return &list->parts[i];
    }
    return NULL;
}

/* ---- texts ---- */

static int take_texts(void *arg, int64_t *row, struct err *err)
{
    struct cann_texts *texts = arg;
    const struct scanned_text *columns = (const struct scanned_text *)(const void *)(row + 1);
    for (size_t i = 0; i < texts->column_count; i++) {
        if (columns[i].address == DB_NULL)
            continue;
        const size_t length = (size_t)columns[i].length;
        const char *copy = texts_add(&texts->kept, scanned_text(&columns[i]), length);
        if (copy == NULL)
            return err_no_memory(err);
        texts->items[(size_t)*row * texts->column_count + i] = (struct cann_text){copy, (uint32_t)length};
    }
    return 0;
}

#define MAX_TEXT_ROWS (1 << 28)

/* Loads columns of texts of a table, by id. */
static int load_texts(sqlite3 *db, const char *table, const char *const *sql, size_t count, struct cann_texts *ret,
                      struct err *err)
{
    struct scan_column columns[1 + CANN_TENSOR_COLUMNS] = {{"id", 0, false}};
    char count_sql[64];
    struct query_scan *scan;
    int64_t last;
    *ret = (struct cann_texts){.column_count = count};
    snprintf(count_sql, sizeof count_sql, "SELECT max(id) FROM %s", table);
    if (query_number(db, count_sql, &last, err) < 0)
        return err_status(err);
    if (last < 0 || last > MAX_TEXT_ROWS)
        return err_set(err, ERR_FORMAT, "the database's texts are numbered up to %lld", (long long)last);
    for (size_t i = 0; i < count; i++)
        columns[1 + i] = (struct scan_column){sql[i], 1 + 2 * i, true};
    if (query_scan_new(db, table, NULL, columns, 1 + count, 1 + 2 * count, &scan, err) < 0)
        return err_status(err);
    ret->rows = (size_t)last + 1;
    ret->items = calloc(ret->rows * count, sizeof *ret->items);
    int status = ret->items != NULL ? query_scan(scan, 0, last + 1, take_texts, ret, err) : err_no_memory(err);
    query_scan_free(scan);
    if (status < 0)
        cann_texts_release(ret);
    return status;
}

int cann_names_load(sqlite3 *db, struct cann_texts *ret, struct err *err)
{
    return load_texts(db, "name", (const char *const[]){"text"}, 1, ret, err);
}

#define TENSOR_SETS(inputs, outputs)                                                                                   \
    (const char *const[CANN_TENSOR_COLUMNS])                                                                           \
    {                                                                                                                  \
        inputs, "input_data_types", "input_formats", outputs, "output_data_types", "output_formats"                    \
    }
#define QUOTED(column) "'\"' || " column " || '\"'"

int cann_tensor_sets_load(sqlite3 *db, struct cann_texts *ret, struct err *err)
{
    return load_texts(db, "tensor_set", TENSOR_SETS("input_shapes", "output_shapes"), CANN_TENSOR_COLUMNS, ret, err);
}

int cann_shapes_load(sqlite3 *db, struct cann_texts *ret, struct err *err)
{
    return load_texts(db, "tensor_set", (const char *const[]){"input_shapes"}, 1, ret, err);
}

int cann_quoted_tensor_sets_load(sqlite3 *db, struct cann_texts *ret, struct err *err)
{
    return load_texts(db, "tensor_set", TENSOR_SETS(QUOTED("input_shapes"), QUOTED("output_shapes")),
                      CANN_TENSOR_COLUMNS, ret, err);
}

int cann_texts_replace(struct cann_texts *texts, size_t i, const char *text, size_t length, struct err *err)
{
    struct cann_text *item = &texts->items[i];
    if (item->text != NULL && item->length == length && memcmp(item->text, text, length) == 0)
        return 0;
    const char *copy = texts_add(&texts->kept, text, length);
    if (copy == NULL)
        return err_no_memory(err);
    *item = (struct cann_text){copy, (uint32_t)length};
    return 0;
}

void cann_texts_release(struct cann_texts *texts)
{
    texts_release(&texts->kept);
    free(texts->items);
    *texts = (struct cann_texts){.items = NULL};
}

int cann_task_count(sqlite3 *db, int64_t *ret, struct err *err)
{
    return query_last_row(db, "device_task", ret, err);
}

int cann_first_task_of(sqlite3 *db, int64_t device_id, int64_t *ret, struct err *err)
{
    static const char sql[] = "SELECT device_id FROM device_task WHERE id >= ?1 ORDER BY id LIMIT 1";
    SCOPED(statement_release) sqlite3_stmt *probe = NULL;
    int64_t low = 1, high;

    if (cann_task_count(db, &high, err) < 0)
        return err_status(err);
    if (database_prepare(db, sql, &probe, err) < 0)
        return err_status(err);
    for (high++; low < high;) {
        const int64_t middle = low + (high - low) / 2;
        bool is_there;
        sqlite3_reset(probe);
        query_bind(probe, 1, middle);
        if (database_step(probe, &is_there, err) < 0)
            return err_status(err);
        if (is_there && query_integer(probe, 0) < device_id)
            low = middle + 1;
        else
            high = middle;
    }
    *ret = low;
    return 0;
}

static int count_one(void *arg, int64_t *row, struct err *err)
{
    (void)row;
    (void)err;
    ++*(int64_t *)arg;
    return 0;
}

int cann_operator_count(sqlite3 *db, int64_t *ret, struct err *err)
{
    static const struct scan_column id = {.sql = "id"};
    *ret = 0;
    return query_scan_all(db, "device_task", CANN_IS_OPERATOR, &id, 1, count_one, ret, err);
}

int cann_has_counters(sqlite3 *db, bool *ret, struct err *err)
{
    int64_t any = 0;
    int status = query_number(db,
                              "SELECT EXISTS (SELECT 1 FROM device_task WHERE aic_total_cycle IS NOT NULL"
                              " OR aiv_total_cycle IS NOT NULL)",
                              &any, err);
    *ret = any != 0;
    return status;
}

int cann_call_count(sqlite3 *db, int64_t *ret, struct err *err)
{
    return query_last_row(db, "host_call", ret, err);
}

int cann_last_name(sqlite3 *db, int64_t *ret, struct err *err)
{
    return query_number(db, "SELECT max(id) FROM name", ret, err);
}

int cann_calls_overlap(sqlite3 *db, bool *ret, struct err *err)
{
    int64_t overlap;
    int status = query_number(db,
                              "SELECT (SELECT value FROM meta WHERE key = 'family') <> 'ascend-cann'"
                              " OR EXISTS(SELECT 1 FROM diagnostics WHERE code = 'call-overlap')",
                              &overlap, err);
    *ret = overlap != 0;
    return status;
}

int cann_largest_stream(sqlite3 *db, int64_t *ret, struct err *err)
{
    return query_number(db,
                        "SELECT max((SELECT coalesce(max(stream_id), -1) FROM device_mark),"
                        " (SELECT coalesce(max(stream_id), -1) FROM device_task))",
                        ret, err);
}

int cann_largest_thread(sqlite3 *db, int64_t *ret, struct err *err)
{
    return query_number(db,
                        "SELECT max((SELECT coalesce(max(thread_id), -1) FROM msproftx),"
                        " (SELECT coalesce(max(thread_id), -1) FROM host_call))",
                        ret, err);
}

/* ---- rows ---- */

/* Readers take columns that stand together: those of captures from before 2023 up to the end of the sums, the others
 * from their first column on. */
static const struct query_field task_fields[] = {
    QUERY_MEMBERS(struct cann_task, "", start_tick, end_tick, wait_tick, pending_tick, counted_blocks, launch_name_id,
                  task_id, context_id),
    QUERY_MEMBERS(struct cann_task, "", model_id, device_id, start_ns, duration_ns, stream_id, type, op_name_id,
                  op_type_id),
    QUERY_MEMBERS(struct cann_task, "", op_task_type, block_num, tensor_set_id, mix_block_num, copy_bytes,
                  copy_direction, collective, host_type_id),
    QUERY_MEMBERS(struct cann_task, "", id, batch_id, connection_id, thread_id, kernel_name_id, op_state, op_flag,
                  attribute_id),
    QUERY_MEMBERS(struct cann_task, "", split, grid_dim_id, block_dim_id),
};
enum {
    FIRST_OF_TASK = 6,
    FIRST_OF_SUM = 9,
    END_OF_TICKS = 19,
    END_OF_SUM = 24,
    END_OF_TASK = sizeof task_fields / sizeof *task_fields
};

/* Fields of the AI cores, then of the vector cores: the cycles say whether there are counters. */
static const struct query_field counter_fields[] = {
    QUERY_FIELD(struct cann_task, aic_total_cycle, "aic_total_cycle"),
    QUERY_FIELD(struct cann_task, aic_counters[0], "aic_event0"),
    QUERY_FIELD(struct cann_task, aic_counters[1], "aic_event1"),
    QUERY_FIELD(struct cann_task, aic_counters[2], "aic_event2"),
    QUERY_FIELD(struct cann_task, aic_counters[3], "aic_event3"),
    QUERY_FIELD(struct cann_task, aic_counters[4], "aic_event4"),
    QUERY_FIELD(struct cann_task, aic_counters[5], "aic_event5"),
    QUERY_FIELD(struct cann_task, aic_counters[6], "aic_event6"),
    QUERY_FIELD(struct cann_task, aic_counters[7], "aic_event7"),
    QUERY_FIELD(struct cann_task, aic_counters[8], "aic_event8"),
    QUERY_FIELD(struct cann_task, aic_counters[9], "aic_event9"),
    QUERY_MEMBERS(struct cann_task, "", aic_time_ns, aiv_total_cycle),
    QUERY_FIELD(struct cann_task, aiv_counters[0], "aiv_event0"),
    QUERY_FIELD(struct cann_task, aiv_counters[1], "aiv_event1"),
    QUERY_FIELD(struct cann_task, aiv_counters[2], "aiv_event2"),
    QUERY_FIELD(struct cann_task, aiv_counters[3], "aiv_event3"),
    QUERY_FIELD(struct cann_task, aiv_counters[4], "aiv_event4"),
    QUERY_FIELD(struct cann_task, aiv_counters[5], "aiv_event5"),
    QUERY_FIELD(struct cann_task, aiv_counters[6], "aiv_event6"),
    QUERY_FIELD(struct cann_task, aiv_counters[7], "aiv_event7"),
    QUERY_FIELD(struct cann_task, aiv_counters[8], "aiv_event8"),
    QUERY_FIELD(struct cann_task, aiv_counters[9], "aiv_event9"),
    QUERY_FIELD(struct cann_task, aiv_time_ns, "aiv_time_ns"),
};
static const struct query_field cycle_fields[] = {
    QUERY_FIELD(struct cann_task, aic_total_cycle, "aic_total_cycle"),
    QUERY_FIELD(struct cann_task, aiv_total_cycle, "aiv_total_cycle"),
};
static const struct query_select counter_select = {QUERY_FIELDS(counter_fields)},
                                 cycle_select = {QUERY_FIELDS(cycle_fields)};

static const struct query_field call_fields[] = {
    QUERY_MEMBERS(struct cann_call, "", id, type, parent_id, connection_id),
    QUERY_MEMBERS(struct cann_call, "", thread_id, start_ns, launches, duration_ns, level, name_id, item_id),
};
enum {
    FIRST_OF_CALL_LAUNCH = 3,
    FIRST_OF_TIMED_CALL = 4,
    FIRST_OF_CALL_DURATION = 7,
    END_OF_CALL = sizeof call_fields / sizeof *call_fields
};

static const struct query_field task_span_fields[] = {
    QUERY_MEMBERS(struct cann_task, "", device_id, start_ns, duration_ns, stream_id, id, op_name_id, op_task_type,
                  host_type_id),
    QUERY_MEMBERS(struct cann_task, "", collective),
};
static const struct query_field call_span_fields[] = {
    QUERY_MEMBERS(struct cann_call, "", start_ns, duration_ns, thread_id, id),
};
static const struct query_field tick_stream_fields[] = {
    QUERY_MEMBERS(struct cann_task, "", device_id, stream_id, context_id, type, end_tick),
};
static const struct query_field tick_sum_fields[] = {
    QUERY_MEMBERS(struct cann_task, "", device_id, context_id, type, start_tick, end_tick),
    QUERY_MEMBERS(struct cann_task, "", op_name_id, op_type_id, op_task_type),
};
static const struct query_field tick_state_fields[] = {
    QUERY_MEMBERS(struct cann_task, "", device_id, stream_id, task_id, context_id, type),
    QUERY_MEMBERS(struct cann_task, "", op_name_id, op_task_type, launch_name_id),
    QUERY_MEMBERS(struct cann_task, "", start_tick, end_tick, wait_tick, pending_tick),
};
static const struct query_field task_duration_fields[] = {
    QUERY_MEMBERS(struct cann_task, "", device_id, op_task_type, op_type_id, start_ns, duration_ns, op_name_id,
                  collective),
};
static const struct query_field task_launch_fields[] = {
    QUERY_MEMBERS(struct cann_task, "", device_id, stream_id, start_ns, duration_ns, connection_id),
};

int64_t cann_call_name_id(const struct cann_call *call)
{
    return call->level == HOST_LEVEL_COMMUNICATION && call->item_id != DB_NULL ? call->item_id : call->name_id;
}

/* One way through the rows; each of these is NULL but one. */
struct reading {
    bool counted;
    int (*task)(void *arg, const struct cann_task *task, struct err *err);
    int (*call)(void *arg, const struct cann_call *call, struct err *err);
    int (*span)(void *arg, const struct cann_span *span, struct err *err);
    void *arg;
    const struct profiler_types *profiler;
};

/* Types of tasks (name.id) that the profiler launches when it begins and ends. */
struct profiler_types {
    int64_t ids[2];
    size_t count;
};

static bool is_of_profiler(const struct profiler_types *types, int64_t host_type_id)
{
    for (size_t i = 0; i < types->count; i++) {
        if (types->ids[i] == host_type_id)
            return true;
    }
    return false;
}

static int give_task(void *arg, int64_t *row, struct err *err)
{
    const struct reading *reading = arg;
    struct cann_task *task = (struct cann_task *)(void *)row;
    task->has_aic = reading->counted && task->aic_total_cycle != DB_NULL;
    task->has_aiv = reading->counted && task->aiv_total_cycle != DB_NULL;
    return reading->task(reading->arg, task, err);
}

static int give_call(void *arg, int64_t *row, struct err *err)
{
    const struct reading *reading = arg;
    return reading->call(reading->arg, (const struct cann_call *)(void *)row, err);
}

static int give_sum(void *arg, int64_t *row, struct err *err)
{
    const struct reading *reading = arg;
    struct cann_task *task = (struct cann_task *)(void *)row;
    task->profiles = is_of_profiler(reading->profiler, task->host_type_id);
    return give_task(arg, row, err);
}

static int64_t end_of(int64_t start_ns, int64_t duration_ns)
{
    return start_ns == DB_NULL || duration_ns == DB_NULL ? DB_NULL : number_add(start_ns, duration_ns);
}

static int give_task_span(void *arg, int64_t *row, struct err *err)
{
    const struct reading *reading = arg;
    const struct cann_task *task = (const struct cann_task *)(void *)row;
    const struct cann_span span = {.device_id = task->device_id,
                                   .start_ns = task->start_ns,
                                   .end_ns = end_of(task->start_ns, task->duration_ns),
                                   .number = task->stream_id,
                                   .id = task->id,
                                   .computing = task->op_task_type != DB_NULL && task->collective == DB_NULL &&
                                                cann_is_operator(task),
                                   .communicating = task->collective == CANN_COLLECTIVE_ITSELF,
                                   .profiles = is_of_profiler(reading->profiler, task->host_type_id)};
    return reading->span(reading->arg, &span, err);
}

static int give_call_span(void *arg, int64_t *row, struct err *err)
{
    const struct reading *reading = arg;
    const struct cann_call *call = (const struct cann_call *)(void *)row;
    const struct cann_span span = {.device_id = DB_NULL,
                                   .start_ns = call->start_ns,
                                   .end_ns = end_of(call->start_ns, call->duration_ns),
                                   .number = call->thread_id,
                                   .id = call->id};
    return reading->span(reading->arg, &span, err);
}

#define TASK_ROWS(first, end)                                                                                          \
    .select = {.fields = task_fields + (first), .field_count = (end) - (first)}, .give = give_task
#define SUM_ROWS                                                                                                       \
    .select = {.fields = task_fields + FIRST_OF_SUM, .field_count = END_OF_SUM - FIRST_OF_SUM}, .give = give_sum
#define CALL_ROWS(first)                                                                                               \
    .select = {.fields = call_fields + (first), .field_count = END_OF_CALL - (first)}, .give = give_call,              \
    .of_calls = true

static const struct rows {
    struct query_select select;
    int (*give)(void *arg, int64_t *row, struct err *err);
    const struct query_select *counters;
    bool of_calls;
} all_rows[] = {
    [CANN_TASKS] = {TASK_ROWS(FIRST_OF_TASK, END_OF_TASK)},
    [CANN_TASKS_COUNTED] = {TASK_ROWS(FIRST_OF_TASK, END_OF_TASK), .counters = &counter_select},
    [CANN_SUMS] = {SUM_ROWS},
    [CANN_SUMS_COUNTED] = {SUM_ROWS, .counters = &counter_select},
    [CANN_TICKS] = {TASK_ROWS(0, END_OF_TICKS)},
    [CANN_TICKS_CYCLES] = {TASK_ROWS(0, END_OF_TICKS), .counters = &cycle_select},
    [CANN_TICKS_COUNTED] = {TASK_ROWS(0, END_OF_TICKS), .counters = &counter_select},
    [CANN_TICK_STREAMS] = {.select = {QUERY_FIELDS(tick_stream_fields)}, .give = give_task},
    [CANN_TICK_SUMS] = {.select = {QUERY_FIELDS(tick_sum_fields)}, .give = give_task},
    [CANN_TICK_STATES] = {.select = {QUERY_FIELDS(tick_state_fields)}, .give = give_task},
    [CANN_TASK_DURATIONS] = {.select = {QUERY_FIELDS(task_duration_fields)}, .give = give_task},
    [CANN_TASK_LAUNCHES] = {.select = {QUERY_FIELDS(task_launch_fields)}, .give = give_task},
    [CANN_TASK_SPANS] = {.select = {QUERY_FIELDS(task_span_fields)}, .give = give_task_span},
    [CANN_CALLS] = {CALL_ROWS(0)},
    [CANN_TIMED_CALLS] = {CALL_ROWS(FIRST_OF_TIMED_CALL)},
    [CANN_CALL_LAUNCHES] = {CALL_ROWS(FIRST_OF_CALL_LAUNCH)},
    [CANN_CALL_DURATIONS] = {CALL_ROWS(FIRST_OF_CALL_DURATION)},
    [CANN_CALL_SPANS] = {.select = {QUERY_FIELDS(call_span_fields)}, .give = give_call_span, .of_calls = true},
};

struct cann_reader {
    const struct rows *rows;
    struct query_scan *scan;
    struct profiler_types profiler; /* of spans and sums of tasks */
};

static int take_profiler_type(void *arg, int64_t id, struct err *err)
{
    struct profiler_types *types = arg;
    (void)err;
    if (types->count < sizeof types->ids / sizeof *types->ids)
        types->ids[types->count++] = id;
    return 0;
}

static int load_profiler_types(struct cann_reader *reader, const struct cann_reader *first, sqlite3 *db,
                               struct err *err)
{
    if (first != NULL)
        reader->profiler = first->profiler;
    if (first != NULL || (reader->rows->give != give_task_span && reader->rows->give != give_sum))
        return 0;
    return query_each_number(db, "SELECT id FROM name WHERE text IN ('PROFILING_ENABLE', 'PROFILING_DISABLE')",
                             take_profiler_type, &reader->profiler, err);
}

struct cann_reader *cann_reader_share(const struct cann_reader *first, sqlite3 *db, enum cann_rows which,
                                      struct err *err)
{
    const struct rows *rows = &all_rows[which];
    struct cann_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) {
        err_no_memory(err);
        return NULL;
    }
    reader->rows = rows;
    if ((first != NULL && (reader->scan = query_scan_share(first->scan, db)) != NULL) ||
        query_scan_fields(db, &rows->select, rows->counters, rows->of_calls ? "host_call" : "device_task",
                          rows->of_calls ? sizeof(struct cann_call) : sizeof(struct cann_task), &reader->scan,
                          err) == 0) {
        if (load_profiler_types(reader, first, db, err) == 0)
            return reader;
        query_scan_free(reader->scan);
    }
    free(reader);
    return NULL;
}

struct cann_reader *cann_reader_new(sqlite3 *db, enum cann_rows rows, struct err *err)
{
    return cann_reader_share(NULL, db, rows, err);
}

void cann_reader_free(struct cann_reader *reader)
{
    if (reader != NULL)
        query_scan_free(reader->scan);
    free(reader);
}

static int read_range(struct cann_reader *reader, int64_t first, int64_t end, struct reading reading, struct err *err)
{
    reading.counted = reader->rows->counters != NULL;
    reading.profiler = &reader->profiler;
    return query_scan(reader->scan, first, end, reader->rows->give, &reading, err);
}

int cann_read_tasks(struct cann_reader *reader, int64_t first, int64_t end,
                    int (*each)(void *arg, const struct cann_task *task, struct err *err), void *arg, struct err *err)
{
    return read_range(reader, first, end, (struct reading){.task = each, .arg = arg}, err);
}

int cann_read_calls(struct cann_reader *reader, int64_t first, int64_t end,
                    int (*each)(void *arg, const struct cann_call *call, struct err *err), void *arg, struct err *err)
{
    return read_range(reader, first, end, (struct reading){.call = each, .arg = arg}, err);
}

int cann_read_spans(struct cann_reader *reader, int64_t first, int64_t end,
                    int (*each)(void *arg, const struct cann_span *span, struct err *err), void *arg, struct err *err)
{
    return read_range(reader, first, end, (struct reading){.span = each, .arg = arg}, err);
}

static int read_all(sqlite3 *db, enum cann_rows rows, struct reading reading, struct err *err)
{
    struct cann_reader *reader = cann_reader_new(db, rows, err);
    int status = reader != NULL ? read_range(reader, 1, INT64_MAX, reading, err) : err_status(err);
    cann_reader_free(reader);
    return status;
}

int cann_each_task(sqlite3 *db, enum cann_rows rows,
                   int (*each)(void *arg, const struct cann_task *task, struct err *err), void *arg, struct err *err)
{
    return read_all(db, rows, (struct reading){.task = each, .arg = arg}, err);
}

int cann_each_call(sqlite3 *db, enum cann_rows rows,
                   int (*each)(void *arg, const struct cann_call *call, struct err *err), void *arg, struct err *err)
{
    return read_all(db, rows, (struct reading){.call = each, .arg = arg}, err);
}

int cann_each_span(sqlite3 *db, int (*each)(void *arg, const struct cann_span *span, struct err *err), void *arg,
                   struct err *err)
{
    return read_all(db, CANN_TASK_SPANS, (struct reading){.span = each, .arg = arg}, err);
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

int cann_get_call(struct cann_reader *reader, int64_t id, struct cann_call *ret, bool *ret_found, struct err *err)
{
    struct found_call found = {ret, false};
    int status = cann_read_calls(reader, id, id + 1, take_call, &found, err);
    *ret_found = found.found;
    return status;
}
