/* PyTorch's tables of device memory: operator_memory.csv, memory_record.csv. */
#include "exporters/framework/framework_tables.h"
#include "exporters/framework/torch_relation.h"

#include "base/array.h"

#include <stdio.h>
#include <stdlib.h>

#define KB 1024.0
#define MB (1024.0 * 1024.0)

/* ---- operator_memory.csv ---- */

enum {
    NAME,
    SIZE,
    GOT,
    GAVE,
    ACTIVE_GAVE,
    DURATION,
    ACTIVE_DURATION,
    GOT_ALLOCATED,
    GOT_RESERVED,
    GOT_ACTIVE,
    GAVE_ALLOCATED,
    GAVE_RESERVED,
    GAVE_ACTIVE,
    STREAM,
    DEVICE,
    COLUMNS
};

struct piece {
    const struct torch_memory *got, *gave, *block; /* NULL: not yet */
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

/* Of one address an allocation, then at most one release of each kind. */
static size_t gather(const struct torch_memory *const *sorted, size_t count, struct piece *pieces)
{
    size_t used = 0;
    struct piece *open = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct torch_memory *memory = sorted[i];
        if (memory->kind == TORCH_MALLOC) {
            open = &pieces[used++];
            *open = (struct piece){.got = memory};
        } else if (open != NULL && open->got->address == memory->address) {
            const struct torch_memory **place = memory->kind == TORCH_FREE ? &open->gave : &open->block;
            if (*place == NULL)
                *place = memory;
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

static int put_own(struct report_run *run, const struct piece *piece, struct err *err)
{
    const struct torch_memory *got = piece->got, *gave = piece->gave, *block = piece->block;
    struct report_value values[COLUMNS];
    struct time_text times[5];
    char device[16];
    for (size_t i = 0; i < COLUMNS; i++)
        values[i] = value_text("");
    snprintf(device, sizeof device, "NPU:%u", got->device);
    values[NAME] = value_text(owner_of(report_analysis(run), got));
    values[SIZE] = value_real((double)got->size / KB);
    values[GOT] = put_us(&times[0], got->time_ns);
    values[GOT_ALLOCATED] = value_real((double)got->allocated / MB);
    values[GOT_RESERVED] = value_real((double)got->reserved / MB);
    values[GOT_ACTIVE] = value_real((double)got->active / MB);
    if (gave != NULL) {
        values[GAVE] = put_us(&times[1], gave->time_ns);
        values[DURATION] = put_us(&times[2], gave->time_ns - got->time_ns);
        values[GAVE_ALLOCATED] = value_real((double)gave->allocated / MB);
        values[GAVE_RESERVED] = value_real((double)gave->reserved / MB);
        values[GAVE_ACTIVE] = value_real((double)gave->active / MB);
    }
    if (block != NULL) {
        values[ACTIVE_GAVE] = put_us(&times[3], block->time_ns);
        values[ACTIVE_DURATION] = put_us(&times[4], block->time_ns - got->time_ns);
    }
    values[STREAM] = value_integer((int64_t)got->stream);
    values[DEVICE] = value_text(device);
    return report_row(run, values, err);
}

static int put_pieces(struct report_run *run, struct err *err)
{
    const struct torch_memories *memories = &report_analysis(run)->framework->torch->memories;
    const struct torch_memory **sorted = calloc(memories->count + 1, sizeof(const struct torch_memory *));
    struct piece *pieces = calloc(memories->count + 1, sizeof *pieces);
    size_t shown = 0;
    int status =
        sorted != NULL && pieces != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory for operator_memory");
    for (size_t i = 0; status == 0 && i < memories->count; i++) {
        if (is_shown(&memories->items[i]))
            sorted[shown++] = &memories->items[i];
    }
    if (status == 0) {
        array_sort(sorted, shown, sizeof(const struct torch_memory *), compare_addresses);
        size_t count = gather(sorted, shown, pieces);
        array_sort(pieces, count, sizeof *pieces, compare_pieces);
        for (size_t i = 0; status == 0 && i < count; i++)
            status = put_own(run, &pieces[i], err);
    }
    free(sorted);
    free(pieces);
    return status;
}

#define ALLOCATIONS                                                                                                    \
    "WITH r AS (SELECT *, lead(bytes) OVER w AS next_bytes, lead(id) OVER w AS next_id, lead(time_ns) OVER w AS"       \
    " next_ns, lead(allocated_bytes) OVER w AS next_allocated, lead(reserved_bytes) OVER w AS next_reserved"           \
    " FROM task_memory_info WINDOW w AS (PARTITION BY node_name_id, address, device_id ORDER BY id)),"                 \
    " a AS (SELECT *, coalesce(next_bytes, 0) < 0 AS released FROM r WHERE bytes > 0)"                                 \
    " SELECT 'cann::' || coalesce((SELECT text FROM name WHERE name.id = node_name_id), ''), bytes, time_ns,"          \
    " CASE WHEN released THEN next_ns ELSE time_ns END, allocated_bytes, reserved_bytes,"                              \
    " CASE WHEN released THEN next_allocated ELSE 0 END, CASE WHEN released THEN next_reserved ELSE 0 END, device_id"  \
    " FROM a ORDER BY NOT released, CASE WHEN released THEN next_id ELSE id END"

static int put_engine(struct report_run *run, sqlite3_stmt *row, struct err *err)
{
    enum { R_NAME, R_BYTES, R_TIME, R_END, R_ALLOCATED, R_RESERVED, R_END_ALLOCATED, R_END_RESERVED, R_DEVICE };
    struct report_value values[COLUMNS];
    struct time_text times[2];
    char device[32];
    int64_t got_ns = sqlite3_column_int64(row, R_TIME), gave_ns = sqlite3_column_int64(row, R_END);
    for (size_t i = 0; i < COLUMNS; i++)
        values[i] = value_text("");
    snprintf(device, sizeof device, "NPU:%lld", (long long)sqlite3_column_int64(row, R_DEVICE));
    values[NAME] = value_text((const char *)sqlite3_column_text(row, R_NAME));
    values[SIZE] = value_real((double)sqlite3_column_int64(row, R_BYTES) / KB);
    values[GOT] = put_us(&times[0], got_ns);
    values[GAVE] = put_us(&times[1], gave_ns);
    values[DURATION] = value_scaled(gave_ns - got_ns, 3);
    values[GOT_ALLOCATED] = value_real((double)sqlite3_column_int64(row, R_ALLOCATED) / MB);
    values[GOT_RESERVED] = value_real((double)sqlite3_column_int64(row, R_RESERVED) / MB);
    values[GAVE_ALLOCATED] = value_real((double)sqlite3_column_int64(row, R_END_ALLOCATED) / MB);
    values[GAVE_RESERVED] = value_real((double)sqlite3_column_int64(row, R_END_RESERVED) / MB);
    values[DEVICE] = value_text(device);
    return report_row(run, values, err);
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

static int put_operator_memory(struct report_run *run, struct err *err)
{
    int status = put_pieces(run, err);
    return status == 0 ? each_row(run, ALLOCATIONS, put_engine, err) : status;
}

static const struct report operator_memory = {
    .name = "operator_memory",
    .title = "Memory of operators",
    .doc = "Every piece of device memory that an operator got.",
    .columns = framework_memory_columns,
    .rows = put_operator_memory,
};

/* ---- memory_record.csv ---- */

enum { R_COMPONENT, R_TIME, R_ALLOCATED, R_RESERVED, R_ACTIVE, R_STREAM, R_DEVICE, RECORD_COLUMNS };

static const struct report_column record_columns[] = {
    [R_COMPONENT] = {"Component", .doc = "Whose memory."},
    [R_TIME] = {"Timestamp(us)", .form = FORM_TIME, .doc = "When."},
    [R_ALLOCATED] = {"Total Allocated(MB)", .form = FORM_FLOAT, .doc = "In use."},
    [R_RESERVED] = {"Total Reserved(MB)", .form = FORM_FLOAT, .doc = "Held."},
    [R_ACTIVE] = {"Total Active(MB)", .form = FORM_FLOAT, .doc = "Not free again."},
    [R_STREAM] = {"Stream Ptr", .flags = REPORT_NUMBER, .doc = "The stream."},
    [R_DEVICE] = {"Device Type", .doc = "The device."},
    {.title = NULL},
};

/* A row, with what is not known empty. */
struct record {
    const char *component;
    int64_t time_ns;
    double allocated, reserved, active;
    bool has_allocated, has_active, has_stream;
    uint64_t stream;
    int64_t device;
};

static int put_record(struct report_run *run, const struct record *record, struct err *err)
{
    char device[32];
    snprintf(device, sizeof device, "NPU:%lld", (long long)record->device);
    const struct report_value values[RECORD_COLUMNS] = {
        value_text(record->component),
        value_integer(record->time_ns),
        record->has_allocated ? value_real(record->allocated) : value_text(""),
        value_real(record->reserved),
        record->has_active ? value_real(record->active) : value_text(""),
        record->has_stream ? value_integer((int64_t)record->stream) : value_text(""),
        value_text(device),
    };
    return report_row(run, values, err);
}

static int put_application(struct report_run *run, sqlite3_stmt *row, struct err *err)
{
    const struct record record = {.component = "APP",
                                  .time_ns = sqlite3_column_int64(row, 0),
                                  .reserved = (double)sqlite3_column_int64(row, 1) / KB,
                                  .device = sqlite3_column_int64(row, 2)};
    return put_record(run, &record, err);
}

/* The framework's rows and the engine's by time, each followed by what both hold together. */
struct merging {
    struct report_run *run;
    size_t next;              /* of the framework's */
    double own[3], engine[2]; /* allocated, reserved, active: the last ones */
    uint64_t stream;
    bool has_stream;
};

static int put_both(struct merging *merging, int64_t time_ns, int64_t device, struct err *err)
{
    const struct record both = {"PTA+GE",
                                time_ns,
                                merging->own[0] + merging->engine[0],
                                merging->own[1] + merging->engine[1],
                                merging->own[2],
                                true,
                                true,
                                merging->has_stream,
                                merging->stream,
                                device};
    return put_record(merging->run, &both, err);
}

static int put_own_until(struct merging *merging, int64_t until_ns, struct err *err)
{
    const struct torch_memories *memories = &report_analysis(merging->run)->framework->torch->memories;
    int status = 0;
    for (; status == 0 && merging->next < memories->count && memories->items[merging->next].time_ns <= until_ns;
         merging->next++) {
        const struct torch_memory *memory = &memories->items[merging->next];
        if (memory->device_type != TORCH_DEVICE_NPU)
            continue;
        bool caching = memory->component == TORCH_CACHING;
        const struct record record = {caching ? "PTA" : "WORKSPACE",
                                      memory->time_ns,
                                      (double)memory->allocated / MB,
                                      (double)memory->reserved / MB,
                                      (double)memory->active / MB,
                                      true,
                                      true,
                                      true,
                                      memory->stream,
                                      memory->device};
        status = put_record(merging->run, &record, err);
        if (!caching)
            continue;
        merging->own[0] = record.allocated;
        merging->own[1] = record.reserved;
        merging->own[2] = record.active;
        merging->stream = memory->stream;
        merging->has_stream = true;
        if (status == 0)
            status = put_both(merging, memory->time_ns, memory->device, err);
    }
    return status;
}

static int take_engine(struct merging *merging, sqlite3_stmt *row, struct err *err)
{
    const struct record record = {.component = "GE",
                                  .time_ns = sqlite3_column_int64(row, 0),
                                  .allocated = (double)sqlite3_column_int64(row, 1) / MB,
                                  .reserved = (double)sqlite3_column_int64(row, 2) / MB,
                                  .has_allocated = true,
                                  .device = sqlite3_column_int64(row, 3)};
    int status = put_own_until(merging, record.time_ns, err);
    merging->engine[0] = record.allocated;
    merging->engine[1] = record.reserved;
    if (status == 0)
        status = put_record(merging->run, &record, err);
    return status == 0 ? put_both(merging, record.time_ns, record.device, err) : status;
}

static int merge(struct report_run *run, struct err *err)
{
    struct merging merging = {.run = run};
    sqlite3 *db = report_analysis(run)->db;
    sqlite3_stmt *statement = NULL;
    int code = SQLITE_DONE, status = database_prepare(db,
                                                      "SELECT time_ns, allocated_bytes, reserved_bytes, device_id"
                                                      " FROM task_memory_info ORDER BY time_ns, id",
                                                      &statement, err);
    while (status == 0 && (code = sqlite3_step(statement)) == SQLITE_ROW)
        status = take_engine(&merging, statement, err);
    if (status == 0 && code != SQLITE_DONE)
        status = database_error(err, db, "the database cannot be read");
    sqlite3_finalize(statement);
    return status == 0 ? put_own_until(&merging, INT64_MAX, err) : status;
}

static int put_records(struct report_run *run, struct err *err)
{
    int status = each_row(run,
                          "SELECT time_ns, (ddr_bytes + hbm_bytes) / 1024, device_id FROM npu_mem WHERE user = 0"
                          " ORDER BY id",
                          put_application, err);
    return status == 0 ? merge(run, err) : status;
}

static const struct report memory_record = {
    .name = "memory_record",
    .title = "Memory in use",
    .doc = "What the framework and the capture's engine hold of the device's memory.",
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
