/* SPDX-License-Identifier: Apache-2.0 */
/* PyTorch's tables of device memory: operator_memory.csv, memory_record.csv. */
#include "exporters/reports/framework/framework_tables.h"
#include "exporters/reports/framework/torch_memory_rows.h"

#include <stdio.h>

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

/* Of an engine's piece that was never released the release stands at its beginning. */
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
