/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of ascend_pytorch_profiler_<rank>.db that the capture's database does not have. */
#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/format/json_in.h"
#include "base/language.h"
#include "db/database.h"
#include "db/query/cann_version.h"
#include "db/query/query_loop.h"
#include "db/table_rows.h"
#include "exporters/json_text.h"
#include "features/frameworks/reports/memory.h"
#include "features/frameworks/reports/torch_relation.h"
#include "features/viewerdb/databases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parsing limits the depth. */
/* Writes a parsed value, with a blank behind each comma and colon. */
static void put_value(struct json_out *json, const struct json *value) // NOLINT(misc-no-recursion)
{
    bool is_object = json_is_object(value), boolean;
    double number;
    if (is_object || json_is_array(value)) {
        json_put_begin(json, NULL, is_object ? '{' : '[');
        for (const struct json *item = json_first(value); item != NULL; item = json_next(item)) {
            if (is_object)
                json_put_key(json, json_key(item), NULL);
            put_value(json, item);
        }
        json_put_end(json, is_object ? '}' : ']');
    } else if (json_boolean(value, &boolean)) {
        json_put_bool(json, NULL, boolean);
    } else if (!json_number(value, &number)) {
        json_put_text(json, NULL, json_string(value));
    } else if (number == floor(number) && fabs(number) < 9007199254740992.0) {
        json_put_format(json, NULL, "%.0f", number);
    } else {
        json_put_real(json, NULL, number);
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
    struct framework_analysis *analysis;
    sqlite3 *db;
    struct intern texts; /* their ids follow from FIRST_TEXT */
    struct err err;      /* of keeping these */
    struct table_rows rows, connections, stacks;
    int64_t connection_ids, stack_ids, next_connection;
    struct ties ARRAY_OF(struct tie) ties;
};

/* The id of a text, that of none for an empty one. */
static int64_t name_id(struct torch_tables *tables, const char *text, size_t length)
{
    uint32_t number = 0;
    if (length == 0)
        return NO_TEXT;
    intern_add(&tables->texts, text, length, &number, &tables->err);
    return FIRST_TEXT + number;
}

static int64_t thread_id(int64_t pid, int64_t thread)
{
    return (int64_t)((uint64_t)pid << 32 | ((uint64_t)thread & UINT32_MAX));
}

static int add_connection(struct torch_tables *tables, int64_t connection, struct err *err)
{
    return table_add(&tables->connections, err, V(tables->connection_ids), V(connection));
}

/* ---- Python and the queue ---- */

/* A row of PYTORCH_API of what has neither shapes nor a stack. */
static int add_plain(struct torch_tables *tables, int64_t start_ns, int64_t end_ns, int64_t thread,
                     struct table_value connection, const char *name, int type, struct err *err)
{
    return table_add(&tables->rows, err, V(start_ns), V(end_ns), V(thread), connection,
                     V(name_id(tables, name, strlen(name))), NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, V(type));
}

static int add_call(void *arg, const struct torch_call *call, const char *name, int64_t module, struct err *err)
{
    (void)module;
    return add_plain(arg, call->start_ns, call->end_ns, thread_id(call->pid, call->thread), NOTHING, name, TYPE_TRACE,
                     err);
}

static int64_t queue_connection(uint64_t correlation)
{
    return (int64_t)((uint64_t)FIRST_CONNECTION + correlation);
}

static int add_queued(void *arg, const struct torch_range *range, bool taken, const char *name, struct err *err)
{
    struct torch_tables *tables = arg;
    const struct torch_thread *by = torch_thread_of(tables->analysis->framework->torch, range);
    int64_t connection = queue_connection(range->correlation);
    (void)taken;
    if (connection >= tables->next_connection && connection < INT64_MAX)
        tables->next_connection = connection + 1;
    if (add_plain(tables, range->start_ns, range->end_ns, thread_id(by->pid, by->thread), V(tables->connection_ids),
                  name, TYPE_QUEUE, err) < 0 ||
        add_connection(tables, connection, err) < 0)
        return err_status(err);
    tables->connection_ids++;
    return 0;
}

/* ---- operators ---- */

static int add_tie(struct torch_tables *tables, const struct torch_op *op, int64_t connection, struct err *err)
{
    return array_add(&tables->ties, err,
                     (struct tie){(uint32_t)(op - tables->analysis->framework->torch->ops.items), connection});
}

static int tie_backward(void *arg, const struct torch_op *forward, const struct torch_op *backward, struct err *err)
{
    struct torch_tables *tables = arg;
    int64_t connection = tables->next_connection++;
    return add_tie(tables, forward, connection, err) < 0 ? err_status(err) : add_tie(tables, backward, connection, err);
}

static int take_launch(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct torch_tables *tables = arg;
    const struct torch_op *op = torch_op_of(tables->analysis, sqlite3_column_int64(row, 0));
    return op != NULL ? add_tie(tables, op, sqlite3_column_int64(row, 1), err) : 0;
}

/* Calls at CANN's level of nodes that launched something. */
static int tie_launches(struct torch_tables *tables, struct err *err)
{
    return query_run(tables->db,
                     "SELECT c.connection_id, a.connectionId FROM capture.host_call c"
                     "  JOIN CANN_API a ON a.connectionId = launch(c.connection_id)"
                     "  WHERE c.launches > 0 AND a.type = 10000",
                     NULL, 0, take_launch, tables, err);
}

ARRAY_COMPARE(compare_ties, struct tie, ARRAY_BY(op), ARRAY_BY(connection))

static int64_t lines_id(struct torch_tables *tables, uint32_t text, struct strbuf *lines)
{
    strbuf_clear(lines);
    if (text != TORCH_NONE)
        torch_put_lines(lines, framework_text(tables->analysis->framework, text));
    if (lines->failed)
        err_set(&tables->err, ERR_NO_MEMORY, "out of memory for shapes");
    return name_id(tables, lines->data, lines->length);
}

/* The lines of Python that are around an operator, the innermost first. */
static int add_stack(struct torch_tables *tables, const char *stack, struct err *err)
{
    int64_t depth = 0;
    for (const char *p = stack; p != NULL; depth++) {
        size_t length = strcspn(p, ";");
        if (table_add(&tables->stacks, err, V(tables->stack_ids), V(name_id(tables, p, length)), V(depth)) < 0)
            return err_status(err);
        p = p[length] == ';' ? p + length + 1 : NULL;
    }
    tables->stack_ids++;
    return 0;
}

/* Its ties are those from *tie on. */
static int add_op(struct torch_tables *tables, uint32_t number, size_t *tie, struct strbuf *lines, struct err *err)
{
    const struct framework *framework = tables->analysis->framework;
    const struct torch_op *op = &framework->torch->ops.items[number];
    const struct ties *ties = &tables->ties;
    const char *name = framework_text(framework, op->name);
    const bool tied = *tie < ties->count && ties->items[*tie].op == number, stacked = op->stack != TORCH_NONE;
    const int64_t connections = tied ? tables->connection_ids : DB_NULL, stack = stacked ? tables->stack_ids : DB_NULL;
    for (; *tie < ties->count && ties->items[*tie].op == number; ++*tie)
        if (compare_ties(&ties->items[*tie], *tie > 0 ? &ties->items[*tie - 1] : &(struct tie){TORCH_NONE, 0}) != 0 &&
            add_connection(tables, ties->items[*tie].connection, err) < 0)
            return err_status(err);
    tables->connection_ids += tied;
    const int64_t name_number = name_id(tables, name, strlen(name)), types = lines_id(tables, op->types, lines),
                  shapes = lines_id(tables, op->shapes, lines);
    if (stacked && add_stack(tables, framework_text(framework, op->stack), err) < 0)
        return err_status(err);
    return table_add(&tables->rows, err, V(op->start_ns), V(op->end_ns), V(thread_id(op->pid, op->thread)),
                     KNOWN(connections), V(name_number), V(op->sequence), V(op->forward_thread), V(types), V(shapes),
                     KNOWN(stack), V(strcmp(name, MARK_OP) == 0 ? TYPE_MARK : TYPE_OP));
}

static int add_ops(struct torch_tables *tables, struct err *err)
{
    const struct torch_ops *ops = &tables->analysis->framework->torch->ops;
    SCOPED(strbuf_release) struct strbuf lines;
    size_t tie = 0;
    strbuf_init(&lines, TORCH_TEXT_LIMIT);
    if (torch_each_backward(tables->analysis, tie_backward, tables, err) < 0 ||
        (tables->analysis->database != NULL && tie_launches(tables, err) < 0))
        return err_status(err);
    array_sort(tables->ties.items, tables->ties.count, sizeof *tables->ties.items, compare_ties);
    for (uint32_t i = 0; i < ops->count; i++) {
        while (tie < tables->ties.count && tables->ties.items[tie].op < i)
            tie++;
        if (framework_wants_time(tables->analysis, ops->items[i].start_ns) && add_op(tables, i, &tie, &lines, err) < 0)
            return err_status(err);
    }
    return 0;
}

static int add_interface(struct torch_tables *tables, struct err *err)
{
    bool texts = cann_version_has(tables->analysis->options->cann_version, NAMING_TEXT_TIMES);
    const char *columns =
        texts ? "startNs TEXT, endNs TEXT, " API_COLUMNS : "startNs INTEGER, endNs INTEGER, " API_COLUMNS;
    return table_rows_open(&tables->rows, tables->db, "PYTORCH_API", columns, err) < 0 ||
                   table_rows_open(&tables->connections, tables->db, "CONNECTION_IDS",
                                   "id INTEGER, connectionId INTEGER", err) < 0 ||
                   table_rows_open(&tables->stacks, tables->db, "PYTORCH_CALLCHAINS",
                                   "id INTEGER, stack INTEGER, stackDepth INTEGER", err) < 0 ||
                   torch_each_call(tables->analysis, add_call, tables, err) < 0 ||
                   torch_each_queued(tables->analysis, add_queued, tables, err) < 0 || add_ops(tables, err) < 0
               ? err_status(err)
               : 0;
}

/* ---- memory ---- */

static int add_record(void *arg, const struct framework_total *record, struct err *err)
{
    struct torch_tables *tables = arg;
    const struct framework_held *own = &record->own, *engine = &record->engine;
    return table_add(&tables->rows, err, V(name_id(tables, record->component, strlen(record->component))),
                     V(record->time_ns), KNOWN(own->allocated + engine->allocated),
                     KNOWN(own->reserved + engine->reserved), KNOWN(own->active),
                     KNOWN(record->has_stream ? (int64_t)record->stream : DB_NULL), V(record->device));
}

static int add_piece(void *arg, const struct framework_piece *piece, struct err *err)
{
    struct torch_tables *tables = arg;
    const bool gave = piece->gave_ns != DB_NULL, blocked = piece->block_ns != DB_NULL;
    const struct framework_held *got_held = &piece->at_got, *gave_held = &piece->at_gave;
    const int64_t owner = !piece->by_engine            ? name_id(tables, piece->owner, strlen(piece->owner))
                          : piece->owner_id != DB_NULL ? piece->owner_id
                                                       : NO_TEXT;
    return table_add(&tables->rows, err, V(owner), V(piece->bytes), V(piece->got_ns), KNOWN(piece->gave_ns),
                     KNOWN(piece->block_ns), KNOWN(gave ? piece->gave_ns - piece->got_ns : DB_NULL),
                     KNOWN(blocked ? piece->block_ns - piece->got_ns : DB_NULL), KNOWN(got_held->allocated),
                     KNOWN(got_held->reserved), KNOWN(piece->by_engine ? DB_NULL : got_held->active),
                     KNOWN(gave ? gave_held->allocated : DB_NULL), KNOWN(gave ? gave_held->reserved : DB_NULL),
                     KNOWN(gave && !piece->by_engine ? gave_held->active : DB_NULL),
                     KNOWN(piece->by_engine ? DB_NULL : (int64_t)piece->stream), V(piece->device));
}

static int add_memory(struct torch_tables *tables, struct err *err)
{
    return tables->analysis->framework->info.memory &&
                   (table_rows_open(&tables->rows, tables->db, "MEMORY_RECORD", RECORD_COLUMNS, err) < 0 ||
                    framework_each_total(tables->analysis, add_record, tables, err) < 0 ||
                    table_rows_open(&tables->rows, tables->db, "OP_MEMORY", PIECE_COLUMNS, err) < 0 ||
                    framework_each_piece(tables->analysis, add_piece, tables, err) < 0)
               ? err_status(err)
               : 0;
}

/* ---- the rest ---- */

static int add_collections(struct torch_tables *tables, struct err *err)
{
    const struct torch_gcs *gcs = &tables->analysis->framework->torch->gcs;
    if (gcs->count == 0)
        return 0;
    if (table_rows_open(&tables->rows, tables->db, "GC_RECORD", "startNs INTEGER, endNs INTEGER, globalTid INTEGER",
                        err) < 0)
        return err_status(err);
    for (size_t i = 0; i < gcs->count; i++) {
        const struct torch_gc *gc = &gcs->items[i];
        if (framework_wants_time(tables->analysis, gc->start_ns) &&
            table_add(&tables->rows, err, V(gc->start_ns), V(gc->end_ns), V(thread_id(gc->pid, gc->pid))) < 0)
            return err_status(err);
    }
    return 0;
}

static int add_steps(struct torch_tables *tables, struct err *err)
{
    const struct framework *framework = tables->analysis->framework;
    if (framework->steps.count == 0)
        return 0;
    if (table_rows_open(&tables->rows, tables->db, "STEP_TIME", "id INTEGER, startNs INTEGER, endNs INTEGER", err) < 0)
        return err_status(err);
    for (size_t i = 0; i < framework->steps.count; i++) {
        const struct framework_step *step = &framework->steps.items[i];
        const char *id = framework_text(framework, step->id); /* the column makes a number of it */
        if (framework_wants_step(tables->analysis, id) &&
            table_add(&tables->rows, err, V(id), V(step->start_ns), V(step->end_ns)) < 0)
            return err_status(err);
    }
    return 0;
}

static int add_member(struct torch_tables *tables, const struct json *member, struct err *err)
{
    SCOPED_FREE char *text = NULL;
    size_t length;
    struct json_out json = {.stream = open_memstream(&text, &length), .gap = " "};
    if (json.stream == NULL)
        return err_no_memory(err);
    put_value(&json, member);
    if (fclose(json.stream) != 0)
        return err_no_memory(err);
    return table_add(&tables->rows, err, V(json_key(member)), V(text));
}

static int add_members(struct torch_tables *tables, const struct json *root, struct err *err)
{
    if (table_rows_open(&tables->rows, tables->db, "META_DATA", "name TEXT, value TEXT", err) < 0)
        return err_status(err);
    for (const struct json *member = json_first(root); member != NULL; member = json_next(member))
        if (add_member(tables, member, err) < 0)
            return err_status(err);
    return 0;
}

/* Adds the metadata that the program itself set in its profiler. */
static int add_metadata(struct torch_tables *tables, struct err *err)
{
    SCOPED_FREE char *path = path_join(tables->analysis->directory, "profiler_metadata.json"), *text = NULL;
    size_t length = 0;
    if (path == NULL)
        return err_no_memory(err);
    if (path_read_file(path, METADATA_LIMIT, &text, &length, err) == 0) {
        SCOPED_JSON struct json *root = json_parse(text, length, err);
        if (root != NULL)
            return add_members(tables, root, err);
    }
    if (err->code == ERR_NO_MEMORY)
        return err_status(err);
    if (err->code != ERR_NOT_FOUND)
        tables->analysis->not_written(tables->analysis->not_written_arg, language_said("META_DATA of the database"),
                                      err_message(err));
    *err = (struct err)ERR_INIT;
    return 0;
}

static int add_texts(struct torch_tables *tables, struct err *err)
{
    if (table_rows_open(&tables->rows, tables->db, "STRING_IDS", "id INTEGER, value TEXT", err) < 0)
        return err_status(err);
    for (size_t i = 0; i < tables->texts.count; i++)
        if (table_add(&tables->rows, err, V(FIRST_TEXT + (int64_t)i), V(tables->texts.items[i].bytes)) < 0)
            return err_status(err);
    return 0;
}

/* Adds the types that CANN's own database does not have. */
static int add_api_types(struct torch_tables *tables, struct err *err)
{
    return database_exec(tables->db,
                         "INSERT INTO ENUM_API_TYPE VALUES(50001, 'op'), (50002, 'queue'), (50003, 'trace'), "
                         "(50004, 'mstx')",
                         err);
}

int torch_add_tables(struct framework_analysis *analysis, sqlite3 *db, struct err *err)
{
    static int (*const parts[])(struct torch_tables * tables, struct err * err) = {
        add_api_types, add_interface, add_memory, add_collections, add_steps, add_metadata, add_texts};
    struct torch_tables tables = {.analysis = analysis, .db = db, .next_connection = FIRST_CONNECTION};
    int status = 0;
    for (size_t i = 0; status == 0 && i < sizeof parts / sizeof *parts; i++)
        status = parts[i](&tables, err);
    if (status == 0 && tables.err.code != ERR_NONE) {
        *err = tables.err;
        status = err_status(err);
    }
    intern_release(&tables.texts);
    free(tables.ties.items);
    return status;
}
