/* SPDX-License-Identifier: Apache-2.0 */
/* PyTorch's tables of device memory: operator_memory.csv, memory_record.csv. */
#include "exporters/reports/framework/framework_tables.h"
#include "exporters/reports/framework/torch_memory_rows.h"

#include <stdio.h>

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

/* Of an engine's piece that was never released the release stands at its beginning. */
static int put_memory(void *arg, const struct torch_piece *piece, struct err *err)
{
    struct report_value values[COLUMNS];
    struct time_text times[5];
    char device[32];
    bool gives = piece->by_engine || piece->gave_ns != DB_NULL;
    int64_t gave_ns = piece->gave_ns != DB_NULL ? piece->gave_ns : piece->got_ns, kept_ns = gave_ns - piece->got_ns;
    struct strbuf name;
    for (size_t i = 0; i < COLUMNS; i++)
        values[i] = value_text("");
    strbuf_init(&name, TORCH_TEXT_LIMIT);
    strbuf_addf(&name, piece->by_engine ? "cann::%s" : "%s", piece->owner);
    snprintf(device, sizeof device, "NPU:%lld", (long long)piece->device);
    values[NAME] = value_text(name.data);
    values[SIZE] = value_real((double)piece->bytes / KB);
    values[GOT] = put_us(&times[0], piece->got_ns);
    values[GOT_ALLOCATED] = value_real((double)piece->at_got.allocated / MB);
    values[GOT_RESERVED] = value_real((double)piece->at_got.reserved / MB);
    if (gives) {
        values[GAVE] = put_us(&times[1], gave_ns);
        values[DURATION] = piece->by_engine ? value_scaled(kept_ns, 3) : put_us(&times[2], kept_ns);
        values[GAVE_ALLOCATED] = value_real((double)piece->at_gave.allocated / MB);
        values[GAVE_RESERVED] = value_real((double)piece->at_gave.reserved / MB);
    }
    if (!piece->by_engine) {
        values[GOT_ACTIVE] = value_real((double)piece->at_got.active / MB);
        values[STREAM] = value_integer((int64_t)piece->stream);
        if (gives)
            values[GAVE_ACTIVE] = value_real((double)piece->at_gave.active / MB);
    }
    if (piece->block_ns != DB_NULL) {
        values[ACTIVE_GAVE] = put_us(&times[3], piece->block_ns);
        values[ACTIVE_DURATION] = put_us(&times[4], piece->block_ns - piece->got_ns);
    }
    values[DEVICE] = value_text(device);
    int status = name.failed ? err_set(err, ERR_NO_MEMORY, "out of memory for the name of an operator")
                             : report_row(arg, values, err);
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

static int put_record(void *arg, const struct torch_record *record, struct err *err)
{
    char device[32];
    snprintf(device, sizeof device, "NPU:%lld", (long long)record->device);
    const struct report_value values[RECORD_COLUMNS] = {
        value_text(record->component),
        value_integer(record->time_ns),
        value_real((double)record->held.allocated / MB),
        value_real((double)record->held.reserved / MB),
        record->has_active ? value_real((double)record->held.active / MB) : value_text(""),
        record->has_stream ? value_integer((int64_t)record->stream) : value_text(""),
        value_text(device),
    };
    return report_row(arg, values, err);
}

static int put_application(struct report_run *run, sqlite3_stmt *row, struct err *err)
{
    char device[32];
    if (!framework_wants_time(report_analysis(run), sqlite3_column_int64(row, 0)))
        return 0;
    snprintf(device, sizeof device, "NPU:%lld", (long long)sqlite3_column_int64(row, 2));
    const struct report_value values[RECORD_COLUMNS] = {
        value_text("APP"),  value_integer(sqlite3_column_int64(row, 0)),
        value_text(""),     value_real((double)sqlite3_column_int64(row, 1) / KB),
        value_text(""),     value_text(""),
        value_text(device),
    };
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
