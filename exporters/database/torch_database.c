/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of ascend_pytorch_profiler_<rank>.db that the capture's database does not have. */
#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/format/json_in.h"
#include "base/number.h"
#include "db/database.h"
#include "db/query/cann_version.h"
#include "db/table_rows.h"
#include "exporters/database/databases.h"
#include "exporters/json_text.h"
#include "exporters/reports/framework/analysis.h"
#include "exporters/reports/framework/torch_events.h"
#include "exporters/reports/framework/torch_relation.h"
#include "exporters/reports/framework/torch_tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- json out ---- */

static void put_text(struct strbuf *buf, const char *text)
{
    strbuf_addc(buf, '"');
    json_text_append(buf, text, strlen(text));
    strbuf_addc(buf, '"');
}

/* As short as it reads back the same. */
static void put_number(struct strbuf *buf, double number)
{
    char text[REAL_SHORTEST_MAX];
    if (number == floor(number) && fabs(number) < 9007199254740992.0) {
        strbuf_addf(buf, "%.0f", number);
        return;
    }
    strbuf_add(buf, text, number_print_real(text, number));
}

/* Parsing limits the depth. */
/* Appends a parsed value on one line, with a blank behind each comma and colon. */
static void json_out(struct strbuf *buf, const struct json *value) // NOLINT(misc-no-recursion)
{
    bool is_object = json_is_object(value), boolean;
    double number;
    if (is_object || json_is_array(value)) {
        strbuf_addc(buf, is_object ? '{' : '[');
        for (const struct json *item = json_first(value); item != NULL; item = json_next(item)) {
            strbuf_adds(buf, item != json_first(value) ? ", " : "");
            if (is_object) {
                put_text(buf, json_key(item));
                strbuf_adds(buf, ": ");
            }
            json_out(buf, item);
        }
        strbuf_addc(buf, is_object ? '}' : ']');
    } else if (json_string(value) != NULL) {
        put_text(buf, json_string(value));
    } else if (json_boolean(value, &boolean)) {
        strbuf_adds(buf, boolean ? "true" : "false");
    } else if (json_number(value, &number)) {
        put_number(buf, number);
    } else {
        strbuf_adds(buf, "null");
    }
}

#define FIRST_TEXT (INT64_C(1) << 28)       /* ids of texts */
#define FIRST_CONNECTION (INT64_C(5) << 28) /* the capture's own are calls in CANN_API */
#define NO_TEXT INT64_C(4294967295)
#define MARK_OP "mstx_mark_op"
#define METADATA_LIMIT ((size_t)64 * 1024 * 1024)

enum { TYPE_OP = 50001, TYPE_QUEUE, TYPE_TRACE, TYPE_MARK };

#define API_COLUMNS                                                                                                    \
    "globalTid INTEGER, connectionId INTEGER, name INTEGER, sequenceNumber INTEGER,"                                   \
    " fwdThreadId INTEGER, inputDtypes INTEGER, inputShapes INTEGER, callchainId INTEGER, type INTEGER"
#define RECORD_COLUMNS                                                                                                 \
    "component INTEGER, timestamp INTEGER, totalAllocated INTEGER, totalReserved INTEGER, totalActive INTEGER,"        \
    " streamPtr INTEGER, deviceId INTEGER"
#define PIECE_COLUMNS                                                                                                  \
    "name INTEGER, size INTEGER, allocationTime INTEGER, releaseTime INTEGER, activeReleaseTime INTEGER,"              \
    " duration INTEGER, activeDuration INTEGER, allocationTotalAllocated INTEGER, allocationTotalReserved INTEGER,"    \
    " allocationTotalActive INTEGER, releaseTotalAllocated INTEGER, releaseTotalReserved INTEGER,"                     \
    " releaseTotalActive INTEGER, streamPtr INTEGER, deviceId INTEGER"

/* A connection of an operator: to its backward one, or to a call of CANN that launched for it. */
struct tie {
    uint32_t op;
    int64_t connection;
};

struct torch_tables {
    const struct framework_analysis *analysis;
    sqlite3 *db;
    struct intern texts; /* their ids follow from FIRST_TEXT */
    struct table_rows rows, connections, stacks;
    int64_t connection_ids, stack_ids, next_connection;
    struct ties {
        struct tie *items;
        size_t count, capacity;
    } ties;
};

static void put_time(struct table_rows *rows, int64_t time)
{
    if (time != DB_NULL)
        table_put_integer(rows, time);
    else
        table_put_nothing(rows);
}

/* An empty text has the id of none. */
static int put_name(struct torch_tables *tables, struct table_rows *rows, const char *text, size_t length,
                    struct err *err)
{
    uint32_t number;
    if (length == 0) {
        table_put_integer(rows, NO_TEXT);
        return 0;
    }
    if (intern_add(&tables->texts, text, length, &number, err) < 0)
        return -(int)err->code;
    table_put_integer(rows, FIRST_TEXT + number);
    return 0;
}

static int64_t thread_id(int64_t pid, int64_t thread)
{
    return (int64_t)((uint64_t)pid << 32 | ((uint64_t)thread & UINT32_MAX));
}

static int add_connection(struct torch_tables *tables, int64_t connection, struct err *err)
{
    table_put_integer(&tables->connections, tables->connection_ids);
    table_put_integer(&tables->connections, connection);
    return table_end_row(&tables->connections, err);
}

/* ---- Python and the queue ---- */

static int add_call(void *arg, const struct torch_call *call, const char *name, int64_t module, struct err *err)
{
    struct torch_tables *tables = arg;
    struct table_rows *rows = &tables->rows;
    (void)module;
    table_put_integer(rows, call->start_ns);
    table_put_integer(rows, call->end_ns);
    table_put_integer(rows, thread_id(call->pid, call->thread));
    table_put_nothing(rows);
    int status = put_name(tables, rows, name, strlen(name), err);
    for (int i = 0; i < 5; i++)
        table_put_nothing(rows);
    table_put_integer(rows, TYPE_TRACE);
    return status == 0 ? table_end_row(rows, err) : status;
}

static int64_t queue_connection(uint64_t correlation)
{
    return (int64_t)((uint64_t)FIRST_CONNECTION + correlation);
}

static int add_queued(void *arg, const struct torch_range *range, bool taken, const char *name, struct err *err)
{
    struct torch_tables *tables = arg;
    struct table_rows *rows = &tables->rows;
    const struct torch_thread *by = torch_thread_of(tables->analysis->framework->torch, range);
    int64_t connection = queue_connection(range->correlation);
    (void)taken;
    if (connection >= tables->next_connection && connection < INT64_MAX)
        tables->next_connection = connection + 1;
    table_put_integer(rows, range->start_ns);
    table_put_integer(rows, range->end_ns);
    table_put_integer(rows, thread_id(by->pid, by->thread));
    table_put_integer(rows, tables->connection_ids);
    bool failed = put_name(tables, rows, name, strlen(name), err) < 0;
    for (int i = 0; i < 5; i++)
        table_put_nothing(rows);
    table_put_integer(rows, TYPE_QUEUE);
    failed = failed || table_end_row(rows, err) < 0 || add_connection(tables, connection, err) < 0;
    tables->connection_ids++;
    return failed ? -(int)err->code : 0;
}

/* ---- operators ---- */

static int add_tie(struct torch_tables *tables, const struct torch_op *op, int64_t connection, struct err *err)
{
    if (array_reserve(&tables->ties, 1, err) < 0)
        return -(int)err->code;
    tables->ties.items[tables->ties.count++] =
        (struct tie){(uint32_t)(op - tables->analysis->framework->torch->ops.items), connection};
    return 0;
}

static int tie_backward(void *arg, const struct torch_op *forward, const struct torch_op *backward, struct err *err)
{
    struct torch_tables *tables = arg;
    int64_t connection = tables->next_connection++;
    int status = add_tie(tables, forward, connection, err);
    return status == 0 ? add_tie(tables, backward, connection, err) : status;
}

/* Calls at CANN's level of nodes that launched something. */
static int tie_launches(struct torch_tables *tables, struct err *err)
{
    sqlite3_stmt *statement = NULL;
    int code = SQLITE_DONE, status = database_prepare(tables->db,
                                                      "SELECT c.connection_id, a.connectionId FROM capture.host_call c"
                                                      "  JOIN CANN_API a ON a.connectionId = launch(c.connection_id)"
                                                      "  WHERE c.launches > 0 AND a.type = 10000",
                                                      &statement, err);
    while (status == 0 && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        const struct torch_op *op = torch_op_of(tables->analysis, sqlite3_column_int64(statement, 0));
        if (op != NULL)
            status = add_tie(tables, op, sqlite3_column_int64(statement, 1), err);
    }
    if (status == 0 && code != SQLITE_DONE)
        status = database_error(err, tables->db, "the database cannot be read");
    sqlite3_finalize(statement);
    return status;
}

static int compare_ties(const void *a, const void *b)
{
    const struct tie *x = a, *y = b;
    return 2 * NUMBER_ORDER(x->op, y->op) + NUMBER_ORDER(x->connection, y->connection);
}

static int put_lines(struct torch_tables *tables, uint32_t text, struct strbuf *lines, struct err *err)
{
    strbuf_clear(lines);
    if (text != TORCH_NONE)
        torch_put_lines(lines, framework_text(tables->analysis->framework, text));
    return lines->failed ? err_set(err, ERR_NO_MEMORY, "out of memory for shapes")
                         : put_name(tables, &tables->rows, lines->data, lines->length, err);
}

/* The lines of Python that are around an operator, the innermost first. */
static int add_stack(struct torch_tables *tables, const char *stack, struct err *err)
{
    bool failed = false;
    int64_t depth = 0;
    for (const char *p = stack; !failed && p != NULL; depth++) {
        size_t length = strcspn(p, ";");
        table_put_integer(&tables->stacks, tables->stack_ids);
        failed = put_name(tables, &tables->stacks, p, length, err) < 0;
        table_put_integer(&tables->stacks, depth);
        failed = failed || table_end_row(&tables->stacks, err) < 0;
        p = p[length] == ';' ? p + length + 1 : NULL;
    }
    tables->stack_ids++;
    return failed ? -(int)err->code : 0;
}

/* Its ties are those from *tie on. */
static int add_op(struct torch_tables *tables, uint32_t number, size_t *tie, struct strbuf *lines, struct err *err)
{
    const struct framework *framework = tables->analysis->framework;
    const struct torch_op *op = &framework->torch->ops.items[number];
    const struct ties *ties = &tables->ties;
    struct table_rows *rows = &tables->rows;
    const char *name = framework_text(framework, op->name);
    bool tied = *tie < ties->count && ties->items[*tie].op == number;
    bool failed = false;
    for (; !failed && *tie < ties->count && ties->items[*tie].op == number; ++*tie)
        if (compare_ties(&ties->items[*tie], *tie > 0 ? &ties->items[*tie - 1] : &(struct tie){TORCH_NONE, 0}) != 0)
            failed = add_connection(tables, ties->items[*tie].connection, err) < 0;
    table_put_integer(rows, op->start_ns);
    table_put_integer(rows, op->end_ns);
    table_put_integer(rows, thread_id(op->pid, op->thread));
    put_time(rows, tied ? tables->connection_ids++ : DB_NULL);
    failed = failed || put_name(tables, rows, name, strlen(name), err) < 0;
    table_put_integer(rows, op->sequence);
    table_put_integer(rows, op->forward_thread);
    failed = failed || put_lines(tables, op->types, lines, err) < 0 || put_lines(tables, op->shapes, lines, err) < 0;
    put_time(rows, op->stack != TORCH_NONE ? tables->stack_ids : DB_NULL);
    failed = failed || (op->stack != TORCH_NONE && add_stack(tables, framework_text(framework, op->stack), err) < 0);
    table_put_integer(rows, strcmp(name, MARK_OP) == 0 ? TYPE_MARK : TYPE_OP);
    return failed ? -(int)err->code : table_end_row(rows, err);
}

static int add_ops(struct torch_tables *tables, struct err *err)
{
    const struct torch_ops *ops = &tables->analysis->framework->torch->ops;
    struct strbuf lines;
    size_t tie = 0;
    bool failed = torch_each_backward(tables->analysis, tie_backward, tables, err) < 0 ||
                  (tables->analysis->database != NULL && tie_launches(tables, err) < 0);
    array_sort(tables->ties.items, tables->ties.count, sizeof *tables->ties.items, compare_ties);
    strbuf_init(&lines, TORCH_TEXT_LIMIT);
    for (uint32_t i = 0; !failed && i < ops->count; i++) {
        while (tie < tables->ties.count && tables->ties.items[tie].op < i)
            tie++;
        if (framework_wants_time(tables->analysis, ops->items[i].start_ns))
            failed = add_op(tables, i, &tie, &lines, err) < 0;
    }
    strbuf_release(&lines);
    return failed ? -(int)err->code : 0;
}

static int add_interface(struct torch_tables *tables, struct err *err)
{
    bool texts = cann_version_has(tables->analysis->options->cann_version, NAMING_TEXT_TIMES);
    const char *columns =
        texts ? "startNs TEXT, endNs TEXT, " API_COLUMNS : "startNs INTEGER, endNs INTEGER, " API_COLUMNS;
    bool failed = table_rows_open(&tables->rows, tables->db, "PYTORCH_API", columns, err) < 0 ||
                  table_rows_open(&tables->connections, tables->db, "CONNECTION_IDS",
                                  "id INTEGER, connectionId INTEGER", err) < 0 ||
                  table_rows_open(&tables->stacks, tables->db, "PYTORCH_CALLCHAINS",
                                  "id INTEGER, stack INTEGER, stackDepth INTEGER", err) < 0 ||
                  torch_each_call(tables->analysis, add_call, tables, err) < 0 ||
                  torch_each_queued(tables->analysis, add_queued, tables, err) < 0 || add_ops(tables, err) < 0;
    table_rows_close(&tables->rows);
    table_rows_close(&tables->connections);
    table_rows_close(&tables->stacks);
    return failed ? -(int)err->code : 0;
}

/* ---- memory ---- */

static void put_held(struct table_rows *rows, const struct torch_held *held, bool known, bool active)
{
    put_time(rows, known ? held->allocated : DB_NULL);
    put_time(rows, known ? held->reserved : DB_NULL);
    put_time(rows, known && active ? held->active : DB_NULL);
}

static int add_record(void *arg, const struct torch_record *record, struct err *err)
{
    struct torch_tables *tables = arg;
    struct table_rows *rows = &tables->rows;
    int status = put_name(tables, rows, record->component, strlen(record->component), err);
    table_put_integer(rows, record->time_ns);
    put_held(rows, &record->held, true, true);
    put_time(rows, record->has_stream ? (int64_t)record->stream : DB_NULL);
    table_put_integer(rows, record->device);
    return status == 0 ? table_end_row(rows, err) : status;
}

static int add_piece(void *arg, const struct torch_piece *piece, struct err *err)
{
    struct torch_tables *tables = arg;
    struct table_rows *rows = &tables->rows;
    bool gave = piece->gave_ns != DB_NULL;
    int status = 0;
    if (piece->by_engine)
        table_put_integer(rows, piece->owner_id != DB_NULL ? piece->owner_id : NO_TEXT);
    else
        status = put_name(tables, rows, piece->owner, strlen(piece->owner), err);
    table_put_integer(rows, piece->bytes);
    table_put_integer(rows, piece->got_ns);
    put_time(rows, piece->gave_ns);
    put_time(rows, piece->block_ns);
    put_time(rows, gave ? piece->gave_ns - piece->got_ns : DB_NULL);
    put_time(rows, piece->block_ns != DB_NULL ? piece->block_ns - piece->got_ns : DB_NULL);
    put_held(rows, &piece->at_got, true, !piece->by_engine);
    put_held(rows, &piece->at_gave, gave, !piece->by_engine);
    put_time(rows, piece->by_engine ? DB_NULL : (int64_t)piece->stream);
    table_put_integer(rows, piece->device);
    return status == 0 ? table_end_row(rows, err) : status;
}

static int add_memory(struct torch_tables *tables, struct err *err)
{
    if (!tables->analysis->framework->info.memory)
        return 0;
    bool failed = table_rows_open(&tables->rows, tables->db, "MEMORY_RECORD", RECORD_COLUMNS, err) < 0 ||
                  torch_each_record(tables->analysis, add_record, tables, err) < 0;
    table_rows_close(&tables->rows);
    failed = failed || table_rows_open(&tables->rows, tables->db, "OP_MEMORY", PIECE_COLUMNS, err) < 0 ||
             torch_each_piece(tables->analysis, add_piece, tables, err) < 0;
    table_rows_close(&tables->rows);
    return failed ? -(int)err->code : 0;
}

/* ---- the rest ---- */

static int add_collections(struct torch_tables *tables, struct err *err)
{
    const struct torch_gcs *gcs = &tables->analysis->framework->torch->gcs;
    if (gcs->count == 0)
        return 0;
    int status = table_rows_open(&tables->rows, tables->db, "GC_RECORD",
                                 "startNs INTEGER, endNs INTEGER, globalTid INTEGER", err);
    for (size_t i = 0; status == 0 && i < gcs->count; i++) {
        const struct torch_gc *gc = &gcs->items[i];
        if (!framework_wants_time(tables->analysis, gc->start_ns))
            continue;
        table_put_integer(&tables->rows, gc->start_ns);
        table_put_integer(&tables->rows, gc->end_ns);
        table_put_integer(&tables->rows, thread_id(gc->pid, gc->pid));
        status = table_end_row(&tables->rows, err);
    }
    table_rows_close(&tables->rows);
    return status;
}

static int add_steps(struct torch_tables *tables, struct err *err)
{
    const struct framework *framework = tables->analysis->framework;
    if (framework->steps.count == 0)
        return 0;
    int status =
        table_rows_open(&tables->rows, tables->db, "STEP_TIME", "id INTEGER, startNs INTEGER, endNs INTEGER", err);
    for (size_t i = 0; status == 0 && i < framework->steps.count; i++) {
        const struct framework_step *step = &framework->steps.items[i];
        const char *id = framework_text(framework, step->id);
        if (!framework_wants_step(tables->analysis, id))
            continue;
        table_put_text(&tables->rows, id); /* the column makes a number of it */
        table_put_integer(&tables->rows, step->start_ns);
        table_put_integer(&tables->rows, step->end_ns);
        status = table_end_row(&tables->rows, err);
    }
    table_rows_close(&tables->rows);
    return status;
}

static int add_members(struct torch_tables *tables, const struct json *root, struct err *err)
{
    struct strbuf text;
    int status = table_rows_open(&tables->rows, tables->db, "META_DATA", "name TEXT, value TEXT", err);
    strbuf_init(&text, METADATA_LIMIT);
    for (const struct json *member = json_first(root); status == 0 && member != NULL; member = json_next(member)) {
        strbuf_clear(&text);
        json_out(&text, member);
        table_put_text(&tables->rows, json_key(member));
        table_put_built(&tables->rows, &text);
        status = table_end_row(&tables->rows, err);
    }
    strbuf_release(&text);
    table_rows_close(&tables->rows);
    return status;
}

/* Adds what the program itself told its profiler. */
static int add_metadata(struct torch_tables *tables, struct err *err)
{
    char *path = path_join(tables->analysis->directory, "profiler_metadata.json"), *text = NULL;
    size_t length = 0;
    int status = path != NULL ? path_read_file(path, METADATA_LIMIT, &text, &length, err) : err_no_memory(err);
    if (status < 0 && err->code == ERR_NOT_FOUND) {
        *err = (struct err)ERR_INIT;
        free(path);
        return 0;
    }
    struct json *root = status == 0 ? json_parse(text, length, err) : NULL;
    if (root != NULL) {
        status = add_members(tables, root, err);
    } else if (err->code != ERR_NO_MEMORY) {
        tables->analysis->not_written(tables->analysis->not_written_arg, "META_DATA of the database", err_message(err));
        *err = (struct err)ERR_INIT;
        status = 0;
    } else {
        status = -(int)err->code;
    }
    json_free(root);
    free(text);
    free(path);
    return status;
}

static int add_texts(struct torch_tables *tables, struct err *err)
{
    int status = table_rows_open(&tables->rows, tables->db, "STRING_IDS", "id INTEGER, value TEXT", err);
    for (size_t i = 0; status == 0 && i < tables->texts.count; i++) {
        table_put_integer(&tables->rows, FIRST_TEXT + (int64_t)i);
        table_put_text(&tables->rows, tables->texts.items[i].bytes);
        status = table_end_row(&tables->rows, err);
    }
    table_rows_close(&tables->rows);
    return status;
}

/* Adds the types that CANN's own database does not have. */
static int add_api_types(struct torch_tables *tables, struct err *err)
{
    return database_exec(tables->db,
                         "INSERT INTO ENUM_API_TYPE VALUES(50001, 'op'), (50002, 'queue'), (50003, 'trace'), "
                         "(50004, 'mstx')",
                         err);
}

int pytorch_add_tables(struct framework_analysis *analysis, sqlite3 *db, struct err *err)
{
    static int (*const parts[])(struct torch_tables * tables, struct err * err) = {
        add_api_types, add_interface, add_memory, add_collections, add_steps, add_metadata, add_texts};
    struct torch_tables tables = {.analysis = analysis, .db = db, .next_connection = FIRST_CONNECTION};
    int status = 0;
    for (size_t i = 0; status == 0 && i < sizeof parts / sizeof *parts; i++)
        status = parts[i](&tables, err);
    intern_release(&tables.texts);
    free(tables.ties.items);
    return status;
}
