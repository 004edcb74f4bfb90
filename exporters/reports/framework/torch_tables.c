/* SPDX-License-Identifier: Apache-2.0 */
/* PyTorch's operator_details.csv. */
#include "exporters/reports/framework/torch_tables.h"

#include "base/array.h"
#include "db/database.h"
#include "exporters/reports/framework/analysis.h"
#include "exporters/reports/framework/torch_relation.h"

#include <stdio.h>
#include <stdlib.h>

/* Device memory of PyTorch, from the framework's records and those of the capture's engine. */

/* ---- pieces ---- */

/* Numbers of records, which are by time; TORCH_NONE: not yet. */
struct piece {
    uint32_t got, gave, block;
};

static bool is_shown(const struct torch_memory *memory)
{
    return memory->device_type == TORCH_DEVICE_NPU && memory->allocator == 0;
}

static int compare_addresses(const void *a, const void *b)
{
    const struct torch_memory *x = *(const struct torch_memory *const *)a, *y = *(const struct torch_memory *const *)b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return (x > y) - (x < y); /* by time */
}

static int compare_pieces(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    return (x->got > y->got) - (x->got < y->got);
}

/* Gathers each allocation of an address and at most one release of each kind after it. */
static size_t gather(const struct torch_memories *memories, const struct torch_memory *const *sorted, size_t count,
                     struct piece *pieces)
{
    size_t used = 0;
    struct piece *open = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct torch_memory *memory = sorted[i];
        uint32_t number = (uint32_t)(memory - memories->items);
        if (memory->kind == TORCH_MALLOC) {
            open = &pieces[used++];
            *open = (struct piece){number, TORCH_NONE, TORCH_NONE};
        } else if (open != NULL && memories->items[open->got].address == memory->address) {
            uint32_t *place = memory->kind == TORCH_FREE ? &open->gave : &open->block;
            if (*place == TORCH_NONE)
                *place = number;
        }
    }
    return used;
}

/* The operator around an allocation: through the queue of those who take work out of it. */
static const char *owner_of(const struct framework_analysis *analysis, const struct torch_memory *memory)
{
    const struct framework *framework = analysis->framework;
    const struct framework_launch *launch = framework_launch_at(framework, memory->thread, memory->time_ns);
    const struct torch_op *op = launch != NULL ? torch_op_of_dequeue(analysis, launch->range) : NULL;
    const struct torch_ops *ops = &framework->torch->ops;
    size_t low = 0, high = ops->count;
    while (low < high) { /* the last that begins until then */
        size_t middle = (low + high) / 2;
        if (ops->items[middle].start_ns <= memory->time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    for (uint32_t i = op == NULL && low > 0 ? (uint32_t)(low - 1) : TORCH_NONE; i != TORCH_NONE;
         i = ops->items[i].parent) {
        if (ops->items[i].thread == memory->thread && ops->items[i].end_ns >= memory->time_ns) {
            op = &ops->items[i];
            break;
        }
    }
    return op != NULL ? framework_text(framework, op->name) : "";
}

static int take_own(const struct framework_analysis *analysis, const struct piece *piece,
                    int (*each)(void *arg, const struct torch_piece *piece, struct err *err), void *arg,
                    struct err *err)
{
    const struct torch_memory *items = analysis->framework->torch->memories.items, *got = &items[piece->got];
    const struct torch_memory *gave = piece->gave != TORCH_NONE ? &items[piece->gave] : NULL;
    const struct torch_memory *block = piece->block != TORCH_NONE ? &items[piece->block] : NULL;
    struct torch_piece whole = {.owner = owner_of(analysis, got),
                                .owner_id = DB_NULL,
                                .bytes = got->size,
                                .got_ns = got->time_ns,
                                .gave_ns = gave != NULL ? gave->time_ns : DB_NULL,
                                .block_ns = block != NULL ? block->time_ns : DB_NULL,
                                .at_got = {got->allocated, got->reserved, got->active},
                                .stream = got->stream,
                                .device = got->device};
    if (gave != NULL)
        whole.at_gave = (struct torch_held){gave->allocated, gave->reserved, gave->active};
    return each(arg, &whole, err);
}

static int each_own(const struct framework_analysis *analysis,
                    int (*each)(void *arg, const struct torch_piece *piece, struct err *err), void *arg,
                    struct err *err)
{
    const struct torch_memories *memories = &analysis->framework->torch->memories;
    size_t most_pieces = 0, shown = 0;
    if (memories->count >= TORCH_NONE)
        return err_set(err, ERR_LIMIT, "more than %u records of memory", TORCH_NONE);
    for (size_t i = 0; i < memories->count; i++)
        most_pieces += is_shown(&memories->items[i]) && memories->items[i].kind == TORCH_MALLOC;
    const struct torch_memory **sorted = calloc(memories->count + 1, sizeof(const struct torch_memory *));
    struct piece *pieces = calloc(most_pieces + 1, sizeof *pieces);
    bool failed =
        !(sorted != NULL && pieces != NULL) && err_set(err, ERR_NO_MEMORY, "out of memory for allocations") < 0;
    for (size_t i = 0; !failed && i < memories->count; i++)
        if (is_shown(&memories->items[i]))
            sorted[shown++] = &memories->items[i];
    if (!failed) {
        array_sort(sorted, shown, sizeof(const struct torch_memory *), compare_addresses);
        size_t count = gather(memories, sorted, shown, pieces);
        array_sort(pieces, count, sizeof *pieces, compare_pieces);
        for (size_t i = 0; !failed && i < count; i++)
            if (framework_wants_time(analysis, memories->items[pieces[i].got].time_ns))
                failed = take_own(analysis, &pieces[i], each, arg, err) < 0;
    }
    free(sorted);
    free(pieces);
    return failed ? -(int)err->code : 0;
}

#define ALLOCATIONS                                                                                                    \
    "WITH r AS (SELECT *, lead(bytes) OVER w AS next_bytes, lead(id) OVER w AS next_id, lead(time_ns) OVER w AS"       \
    " next_ns, lead(allocated_bytes) OVER w AS next_allocated, lead(reserved_bytes) OVER w AS next_reserved"           \
    " FROM task_memory_info WINDOW w AS (PARTITION BY node_name_id, address, device_id ORDER BY id)),"                 \
    " a AS (SELECT *, coalesce(next_bytes, 0) < 0 AS released FROM r WHERE bytes > 0)"                                 \
    " SELECT coalesce((SELECT text FROM name WHERE name.id = node_name_id), ''), bytes, time_ns,"                      \
    " CASE WHEN released THEN next_ns END, allocated_bytes, reserved_bytes,"                                           \
    " CASE WHEN released THEN next_allocated ELSE 0 END, CASE WHEN released THEN next_reserved ELSE 0 END, device_id," \
    " node_name_id"                                                                                                    \
    " FROM a ORDER BY NOT released, CASE WHEN released THEN next_id ELSE id END"

static int64_t integer_at(sqlite3_stmt *row, int column)
{
    return sqlite3_column_type(row, column) != SQLITE_NULL ? sqlite3_column_int64(row, column) : DB_NULL;
}

static struct torch_piece engine_piece(sqlite3_stmt *row)
{
    enum { OWNER, BYTES, GOT, GAVE, ALLOCATED, RESERVED, GAVE_ALLOCATED, GAVE_RESERVED, DEVICE, OWNER_ID };
    return (struct torch_piece){
        .by_engine = true,
        .owner = (const char *)sqlite3_column_text(row, OWNER),
        .owner_id = integer_at(row, OWNER_ID),
        .bytes = sqlite3_column_int64(row, BYTES),
        .got_ns = sqlite3_column_int64(row, GOT),
        .gave_ns = integer_at(row, GAVE),
        .block_ns = DB_NULL,
        .at_got = {sqlite3_column_int64(row, ALLOCATED), sqlite3_column_int64(row, RESERVED), 0},
        .at_gave = {sqlite3_column_int64(row, GAVE_ALLOCATED), sqlite3_column_int64(row, GAVE_RESERVED), 0},
        .device = sqlite3_column_int64(row, DEVICE),
    };
}

int torch_each_piece(const struct framework_analysis *analysis,
                     int (*each)(void *arg, const struct torch_piece *piece, struct err *err), void *arg,
                     struct err *err)
{
    sqlite3_stmt *statement = NULL;
    int code = SQLITE_DONE, status = each_own(analysis, each, arg, err);
    if (status == 0)
        status = database_prepare(analysis->db, ALLOCATIONS, &statement, err);
    while (status == 0 && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        const struct torch_piece piece = engine_piece(statement);
        if (framework_wants_time(analysis, piece.got_ns))
            status = each(arg, &piece, err);
    }
    if (status == 0 && code != SQLITE_DONE)
        status = database_error(err, analysis->db, "the database cannot be read");
    sqlite3_finalize(statement);
    return status;
}

/* ---- records ---- */

struct merging {
    const struct framework_analysis *analysis;
    int (*each)(void *arg, const struct torch_record *record, struct err *err);
    void *arg;
    size_t next;                   /* of the framework's */
    struct torch_held own, engine; /* the last ones */
    uint64_t stream;
    bool has_stream;
};

static int take_record(const struct merging *merging, const struct torch_record *record, struct err *err)
{
    return framework_wants_time(merging->analysis, record->time_ns) ? merging->each(merging->arg, record, err) : 0;
}

static int take_both(struct merging *merging, int64_t time_ns, int64_t device, struct err *err)
{
    const struct torch_record both = {
        .component = TORCH_BOTH,
        .time_ns = time_ns,
        .held = {merging->own.allocated + merging->engine.allocated, merging->own.reserved + merging->engine.reserved,
                 merging->own.active},
        .has_active = true,
        .has_stream = merging->has_stream,
        .stream = merging->stream,
        .device = device,
    };
    return take_record(merging, &both, err);
}

static int take_own_until(struct merging *merging, int64_t until_ns, struct err *err)
{
    const struct torch_memories *memories = &merging->analysis->framework->torch->memories;
    bool failed = false;
    for (; !failed && merging->next < memories->count && memories->items[merging->next].time_ns <= until_ns;
         merging->next++) {
        const struct torch_memory *memory = &memories->items[merging->next];
        if (memory->device_type != TORCH_DEVICE_NPU)
            continue;
        bool caching = memory->component == TORCH_CACHING;
        const struct torch_record record = {.component = caching ? "PTA" : "WORKSPACE",
                                            .time_ns = memory->time_ns,
                                            .held = {memory->allocated, memory->reserved, memory->active},
                                            .has_active = true,
                                            .has_stream = true,
                                            .stream = memory->stream,
                                            .device = memory->device};
        failed = take_record(merging, &record, err) < 0;
        if (!caching)
            continue;
        merging->own = record.held;
        merging->stream = memory->stream;
        merging->has_stream = true;
        failed = failed || take_both(merging, memory->time_ns, memory->device, err) < 0;
    }
    return failed ? -(int)err->code : 0;
}

static int take_engine(struct merging *merging, sqlite3_stmt *row, struct err *err)
{
    const struct torch_record record = {.component = "GE",
                                        .time_ns = sqlite3_column_int64(row, 0),
                                        .held = {sqlite3_column_int64(row, 1), sqlite3_column_int64(row, 2), 0},
                                        .device = sqlite3_column_int64(row, 3)};
    bool failed = take_own_until(merging, record.time_ns, err) < 0;
    merging->engine = record.held;
    return failed || take_record(merging, &record, err) < 0 ? -(int)err->code
                                                            : take_both(merging, record.time_ns, record.device, err);
}

int torch_each_record(const struct framework_analysis *analysis,
                      int (*each)(void *arg, const struct torch_record *record, struct err *err), void *arg,
                      struct err *err)
{
    struct merging merging = {.analysis = analysis, .each = each, .arg = arg};
    sqlite3_stmt *statement = NULL;
    int code = SQLITE_DONE, status = database_prepare(analysis->db,
                                                      "SELECT time_ns, allocated_bytes, reserved_bytes, device_id"
                                                      " FROM task_memory_info ORDER BY time_ns, id",
                                                      &statement, err);
    while (status == 0 && (code = sqlite3_step(statement)) == SQLITE_ROW)
        status = take_engine(&merging, statement, err);
    if (status == 0 && code != SQLITE_DONE)
        status = database_error(err, analysis->db, "the database cannot be read");
    sqlite3_finalize(statement);
    return status == 0 ? take_own_until(&merging, INT64_MAX, err) : status;
}

struct shown {
    struct torch_op op;
    const char *name;
    struct report_value shapes, stack;
    int64_t self_ns, total_ns;
};

static const struct report_column columns[] = {
    {"Name", SHOWN(name), .doc = "The operator."},
    {"Input Shapes", SHOWN(shapes), .doc = "Shapes of its inputs."},
    {"Call Stack", SHOWN(stack), .doc = "The lines of Python that called it."},
    {"Host Self Duration(us)", SHOWN(self_ns), FORM_SCALED, 3, .doc = "Without what is inside of it."},
    {"Host Total Duration(us)", SHOWN(total_ns), FORM_SCALED, 3, .doc = "With it."},
    {"Device Self Duration(us)", SHOWN(op.self_ns), FORM_SCALED, 3,
     .doc = "Time of the tasks that it launched itself."},
    {"Device Total Duration(us)", SHOWN(op.total_ns), FORM_SCALED, 3, .doc = "And of what is inside of it."},
    {"Device Self Duration With AICore(us)", SHOWN(op.self_core_ns), FORM_SCALED, 3,
     .doc = "Part of that on AI cores."},
    {"Device Total Duration With AICore(us)", SHOWN(op.total_core_ns), FORM_SCALED, 3,
     .doc = "Part of that on AI cores."},
    {.title = NULL},
};

void torch_put_lines(struct strbuf *buf, const char *text)
{
    strbuf_clear(buf);
    for (const char *p = text; *p != '\0'; p++) {
        strbuf_addc(buf, *p);
        if (*p == ';')
            strbuf_adds(buf, "\r\n");
    }
}

static int put_ops(struct report_run *run, struct err *err)
{
    const struct framework *framework = report_analysis(run)->framework;
    struct strbuf shapes, stack;
    int status = 0;
    strbuf_init(&shapes, TORCH_TEXT_LIMIT);
    strbuf_init(&stack, TORCH_TEXT_LIMIT);
    for (size_t i = 0; status == 0 && i < framework->torch->ops.count; i++) {
        const struct torch_op *op = &framework->torch->ops.items[i];
        if (op->is_step || !framework_wants_time(report_analysis(run), op->start_ns))
            continue;
        torch_put_lines(&shapes, op->shapes != TORCH_NONE ? framework_text(framework, op->shapes) : "");
        torch_put_lines(&stack, op->stack != TORCH_NONE ? framework_text(framework, op->stack) : "");
        int64_t total_ns = op->end_ns - op->start_ns;
        const struct shown row = {
            .op = *op,
            .name = framework_text(framework, op->name),
            .shapes = value_text_of(shapes.data, shapes.length),
            .stack = value_text_of(stack.data, stack.length),
            .self_ns = total_ns - op->children_ns,
            .total_ns = total_ns,
        };
        status = shapes.failed || stack.failed ? err_set(err, ERR_NO_MEMORY, "out of memory for a call stack")
                                               : report_put(run, &row, err);
    }
    strbuf_release(&shapes);
    strbuf_release(&stack);
    return status;
}

static const struct report operator_details = {
    .name = "operator_details",
    .title = "Operators",
    .doc = "Time of each operator, on the host and on devices.",
    .columns = columns,
    .rows = put_ops,
};

int pytorch_write_tables(struct framework_analysis *analysis, struct err *err)
{
    return framework_write_report(analysis, &operator_details, err);
}

/* PyTorch's tables of device memory: operator_memory.csv, memory_record.csv. */

#define KB 1024.0
#define MB (1024.0 * 1024.0)

/* ---- operator_memory.csv ---- */

struct time_text {
    char text[48];
};

/* As the file has it: microseconds, with a tab behind them so that spreadsheets do not round. */
static struct report_value put_us(struct time_text *text, int64_t ns)
{
    char *p = number_put_us(text->text, ns);
    *p++ = '\t';
    return value_text_of(text->text, (size_t)(p - text->text));
}

/* Puts a row; an engine's piece that was never released has its release at its beginning. */
static int put_memory(void *arg, const struct torch_piece *piece, struct err *err)
{
    const struct report_value empty = value_text("");
    struct framework_memory row = {
        .kb = (double)piece->bytes / KB,
        .gave = empty,
        .active_gave = empty,
        .duration = empty,
        .active_duration = empty,
        .got_active = empty,
        .gave_allocated = empty,
        .gave_reserved = empty,
        .gave_active = empty,
        .stream = empty,
    };
    struct time_text times[5];
    char device[32];
    bool gives = piece->by_engine || piece->gave_ns != DB_NULL;
    int64_t gave_ns = piece->gave_ns != DB_NULL ? piece->gave_ns : piece->got_ns, kept_ns = gave_ns - piece->got_ns;
    struct strbuf name;
    strbuf_init(&name, TORCH_TEXT_LIMIT);
    strbuf_addf(&name, piece->by_engine ? "cann::%s" : "%s", piece->owner);
    snprintf(device, sizeof device, "NPU:%lld", (long long)piece->device);
    row.name = name.data;
    row.got = put_us(&times[0], piece->got_ns);
    row.got_allocated = value_real((double)piece->at_got.allocated / MB);
    row.got_reserved = value_real((double)piece->at_got.reserved / MB);
    if (gives) {
        row.gave = put_us(&times[1], gave_ns);
        row.duration = piece->by_engine ? value_scaled(kept_ns, 3) : put_us(&times[2], kept_ns);
        row.gave_allocated = value_real((double)piece->at_gave.allocated / MB);
        row.gave_reserved = value_real((double)piece->at_gave.reserved / MB);
    }
    if (!piece->by_engine) {
        row.got_active = value_real((double)piece->at_got.active / MB);
        row.stream = value_integer((int64_t)piece->stream);
        if (gives)
            row.gave_active = value_real((double)piece->at_gave.active / MB);
    }
    if (piece->block_ns != DB_NULL) {
        row.active_gave = put_us(&times[3], piece->block_ns);
        row.active_duration = put_us(&times[4], piece->block_ns - piece->got_ns);
    }
    row.device = device;
    int status = name.failed ? err_set(err, ERR_NO_MEMORY, "out of memory for the name of an operator")
                             : report_put((struct report_run *)arg, &row, err);
    strbuf_release(&name);
    return status;
}

static int put_operator_memory(struct report_run *run, struct err *err)
{
    return torch_each_piece(report_analysis(run), put_memory, run, err);
}

static const struct report operator_memory = {
    .name = "operator_memory",
    .title = "Memory of operators",
    .doc = "Every piece of device memory that an operator got.",
    .columns = framework_memory_columns,
    .rows = put_operator_memory,
};

/* ---- memory_record.csv ---- */

struct record {
    const char *component, *device;
    int64_t time_ns;
    double reserved;
    struct report_value allocated, active, stream; /* or nothing: empty */
};

static const struct report_column record_columns[] = {
    {"Component", REPORT_FIELD(struct record, component), .doc = "Whose memory."},
    {"Timestamp(us)", REPORT_FIELD(struct record, time_ns), FORM_TIME, .doc = "When."},
    {"Total Allocated(MB)", REPORT_FIELD(struct record, allocated), FORM_FLOAT, .doc = "In use."},
    {"Total Reserved(MB)", REPORT_FIELD(struct record, reserved), FORM_FLOAT, .doc = "Held."},
    {"Total Active(MB)", REPORT_FIELD(struct record, active), FORM_FLOAT, .doc = "Not free again."},
    {"Stream Ptr", REPORT_FIELD(struct record, stream), .flags = REPORT_NUMBER, .doc = "The stream."},
    {"Device Type", REPORT_FIELD(struct record, device), .doc = "The device."},
    {.title = NULL},
};

static int put_record(void *arg, const struct torch_record *record, struct err *err)
{
    char device[32];
    snprintf(device, sizeof device, "NPU:%lld", (long long)record->device);
    const struct record row = {
        .component = record->component,
        .device = device,
        .time_ns = record->time_ns,
        .reserved = (double)record->held.reserved / MB,
        .allocated = value_real((double)record->held.allocated / MB),
        .active = record->has_active ? value_real((double)record->held.active / MB) : value_text(""),
        .stream = record->has_stream ? value_integer((int64_t)record->stream) : value_text(""),
    };
    return report_put((struct report_run *)arg, &row, err);
}

static int put_application(struct report_run *run, sqlite3_stmt *row, struct err *err)
{
    char device[32];
    if (!framework_wants_time(report_analysis(run), sqlite3_column_int64(row, 0)))
        return 0;
    snprintf(device, sizeof device, "NPU:%lld", (long long)sqlite3_column_int64(row, 2));
    const struct record values = {
        .component = "APP",
        .device = device,
        .time_ns = sqlite3_column_int64(row, 0),
        .reserved = (double)sqlite3_column_int64(row, 1) / KB,
        .allocated = value_text(""),
        .active = value_text(""),
        .stream = value_text(""),
    };
    return report_put(run, &values, err);
}

static int each_row(struct report_run *run, const char *sql,
                    int (*each)(struct report_run *run, sqlite3_stmt *row, struct err *err), struct err *err)
{
    sqlite3 *db = report_analysis(run)->db;
    sqlite3_stmt *statement = NULL;
    int code = SQLITE_DONE, status = database_prepare(db, sql, &statement, err);
    while (status == 0 && (code = sqlite3_step(statement)) == SQLITE_ROW)
        status = each(run, statement, err);
    if (status == 0 && code != SQLITE_DONE)
        status = database_error(err, db, "the database cannot be read");
    sqlite3_finalize(statement);
    return status;
}

static int put_records(struct report_run *run, struct err *err)
{
    int status = each_row(run,
                          "SELECT time_ns, (ddr_bytes + hbm_bytes) / 1024, device_id FROM npu_mem WHERE user = 0"
                          " ORDER BY id",
                          put_application, err);
    return status == 0 ? torch_each_record(report_analysis(run), put_record, run, err) : status;
}

static const struct report memory_record = {
    .name = "memory_record",
    .title = "Memory in use",
    .doc = "Memory of the device that the framework and the capture's engine hold.",
    .columns = record_columns,
    .rows = put_records,
};

int pytorch_write_memory(struct framework_analysis *analysis, struct err *err)
{
    if (!analysis->framework->info.memory)
        return 0;
    int status = framework_write_report(analysis, &operator_memory, err);
    return status == 0 ? framework_write_report(analysis, &memory_record, err) : status;
}
