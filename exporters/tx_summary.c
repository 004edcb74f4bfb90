/* The table of what programs say of themselves with msproftx. */
#include "base/number.h"
#include "db/query_tx.h"
#include "exporters/table.h"
#include "exporters/tx_report.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    DEVICE_ID,
    PID,
    TID,
    CATEGORY,
    EVENT_TYPE,
    PAYLOAD_TYPE,
    PAYLOAD_VALUE,
    START,
    END,
    MESSAGE_TYPE,
    MESSAGE,
    DOMAIN,
    MARK_ID,
    DEVICE_START,
    DEVICE_END,
    COLUMNS
};

static const char *const titles[COLUMNS] = {
    [DEVICE_ID] = "Device_id",
    [PID] = "pid",
    [TID] = "tid",
    [CATEGORY] = "category",
    [EVENT_TYPE] = "event_type",
    [PAYLOAD_TYPE] = "payload_type",
    [PAYLOAD_VALUE] = "payload_value",
    [START] = "Start_time(us)",
    [END] = "End_time(us)",
    [MESSAGE_TYPE] = "message_type",
    [MESSAGE] = "message",
    [DOMAIN] = "domain",
    [MARK_ID] = "mark_id",
    [DEVICE_START] = "Device Start_time(us)",
    [DEVICE_END] = "Device End_time(us)",
};

/* As Ascend's tool of 2022 has it. */
static const char *const legacy_titles[] = {"pid",          "tid",           "category",       "event_type",
                                            "payload_type", "payload_value", "Start_time(ns)", "End_time(ns)",
                                            "message_type", "message"};
#define LEGACY_COLUMNS (sizeof legacy_titles / sizeof *legacy_titles)

struct tx_table {
    sqlite3 *db;
    const struct export_options *options;
    struct export_result *result;
    bool legacy;
    uint64_t total, written;
    /* The file that is open: */
    char *path; /* NULL: none */
    struct table table;
};

/* ---- files ---- */

static char *file_path(const struct tx_table *tx, struct err *err)
{
    const char *suffix = table_suffix(tx->options->format);
    int64_t slice = tx->total > ROWS_PER_FILE ? (int64_t)(tx->written / ROWS_PER_FILE) : -1;
    return tx->legacy ? tx_legacy_path(tx->db, tx->options, suffix, err)
                      : cann_report_path(tx->options, "msprof_tx", slice, suffix, err);
}

static int open_file(struct tx_table *tx, struct err *err)
{
    char *path = file_path(tx, err);
    if (path == NULL)
        return -(int)err->code;
    int status = table_open(&tx->table, path, tx->options->format, tx->legacy ? legacy_titles : titles,
                            tx->legacy ? LEGACY_COLUMNS : COLUMNS, err);
    if (status < 0)
        free(path);
    else
        tx->path = path;
    return status;
}

static int close_file(struct tx_table *tx, int status, struct err *err)
{
    if (tx->path == NULL)
        return status;
    uint64_t rows = tx->table.rows;
    if (status < 0)
        table_abort(&tx->table);
    else
        status = table_commit(&tx->table, err);
    if (status == 0) {
        tx->result->files++;
        tx->result->rows += rows;
        if (tx->options->written != NULL)
            tx->options->written(tx->options->written_arg, "msprof_tx", tx->path);
    }
    free(tx->path);
    tx->path = NULL;
    return status;
}

static int put_row(struct tx_table *tx, const struct table_cell *cells, struct err *err)
{
    int status = 0;
    if (tx->path != NULL && !tx->legacy && tx->table.rows == ROWS_PER_FILE)
        status = close_file(tx, 0, err);
    if (status == 0 && tx->path == NULL)
        status = open_file(tx, err);
    if (status < 0)
        return status;
    table_row(&tx->table, cells);
    tx->written++;
    return 0;
}

/* ---- cells ---- */

#define CELL_TEXT_MAX (NUMBER_MAX + 1)

static struct table_cell event_type_cell(const struct tx_event *event)
{
    const char *name = tx_event_type_name(event->event_type);
    return name != NULL ? cell_text(name) : cell_number(event->event_type, 0);
}

/* The program's own value, of stamps: 64 bits without a sign, and none of them means that there is no value. */
static struct table_cell payload_cell(const struct tx_event *event, char buffer[CELL_TEXT_MAX])
{
    if (event->category == DB_NULL)
        return cell_missing();
    if (event->payload_value >= 0)
        return cell_number(event->payload_value, 0);
    return cell_text_of_length(buffer, (size_t)(number_put_unsigned(buffer, (uint64_t)event->payload_value) - buffer));
}

/* A point in time; a tab after it keeps spreadsheets from rounding it. */
static struct table_cell time_cell(int64_t ns, enum table_format format, char buffer[CELL_TEXT_MAX])
{
    if (ns == DB_NULL || format == TABLE_JSON)
        return cell_microseconds(ns);
    char *end = number_put_us(buffer, ns);
    *end++ = '\t';
    return cell_text_of_length(buffer, (size_t)(end - buffer));
}

static int put_event(void *arg, const struct tx_event *event, struct err *err)
{
    struct tx_table *tx = arg;
    const enum table_format format = tx->options->format;
    char payload[CELL_TEXT_MAX], times[4][CELL_TEXT_MAX];
    const struct table_cell cells[COLUMNS] = {
        [DEVICE_ID] = event->device_id != DB_NULL ? cell_number(event->device_id, 0) : cell_text("host"),
        [PID] = cell_number(event->process_id, 0),
        [TID] = cell_number(event->thread_id, 0),
        [CATEGORY] = cell_number(event->category, 0),
        [EVENT_TYPE] = event_type_cell(event),
        [PAYLOAD_TYPE] = cell_number(event->payload_type, 0),
        [PAYLOAD_VALUE] = payload_cell(event, payload),
        [START] = time_cell(event->start_ns, format, times[0]),
        [END] = time_cell(event->end_ns, format, times[1]),
        [MESSAGE_TYPE] = cell_number(event->message_type, 0),
        [MESSAGE] = cell_text_of_length(event->message, event->message_length),
        [DOMAIN] = cell_text_of_length(event->domain, event->domain_length),
        [MARK_ID] = cell_number(event->mark_id, 0),
        [DEVICE_START] = time_cell(event->device_start_ns, format, times[2]),
        [DEVICE_END] = time_cell(event->device_end_ns, format, times[3]),
    };
    return put_row(tx, cells, err);
}

static int put_legacy_event(void *arg, const struct tx_event *event, struct err *err)
{
    char payload[CELL_TEXT_MAX];
    const struct table_cell cells[LEGACY_COLUMNS] = {
        cell_number(event->process_id, 0),   cell_number(event->thread_id, 0),
        cell_number(event->category, 0),     event_type_cell(event),
        cell_number(event->payload_type, 0), payload_cell(event, payload),
        cell_number(event->start_ns, 0),     cell_number(event->end_ns, 0),
        cell_number(event->message_type, 0), cell_text_of_length(event->message, event->message_length),
    };
    return put_row(arg, cells, err);
}

/* ---- all of it ---- */

int tx_summary(sqlite3 *db, const struct export_options *options, struct export_result *result, struct err *err)
{
    struct tx_table tx = {.db = db, .options = options, .result = result, .total = (uint64_t)tx_event_count(db)};
    return close_file(&tx, tx_each_event(db, TX_BY_START, true, put_event, &tx, err), err);
}

int tx_legacy_summary(sqlite3 *db, const struct export_options *options, struct export_result *result, struct err *err)
{
    struct tx_table tx = {.db = db, .options = options, .result = result, .legacy = true};
    return close_file(&tx, tx_each_event(db, TX_BY_START, false, put_legacy_event, &tx, err), err);
}
