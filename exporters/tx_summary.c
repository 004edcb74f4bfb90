/* The table of what programs say of themselves with msproftx. */
#include "base/number.h"
#include "db/query_tx.h"
#include "exporters/cann_table.h"
#include "exporters/summary_file.h"
#include "exporters/tx_report.h"

#define TEXT_MAX ((size_t)1024 * 1024) /* bytes of one text as the file has it */

static const char *const titles[] = {"Device_id",
                                     "pid",
                                     "tid",
                                     "category",
                                     "event_type",
                                     "payload_type",
                                     "payload_value",
                                     "Start_time(us)",
                                     "End_time(us)",
                                     "message_type",
                                     "message",
                                     "domain",
                                     "mark_id",
                                     "Device Start_time(us)",
                                     "Device End_time(us)"};
#define COUNT_OF_TITLES (sizeof titles / sizeof *titles)

struct tx_table {
    struct cann_table table;
    struct strbuf message, domain; /* of the row, as the file has them */
};

static void put_event_type(struct row_put *put, int64_t event_type)
{
    const char *name = tx_event_type_name(event_type);
    if (name != NULL)
        row_word(put, name);
    else
        row_integer(put, event_type);
}

/* The program's own value, of stamps: 64 bits without a sign, and none of them means that there is no value. */
static void put_payload(struct row_put *put, const struct tx_event *event)
{
    if (event->category == DB_NULL) {
        row_missing(put);
        return;
    }
    row_key(put);
    put->p = number_put_unsigned(put->p, (uint64_t)event->payload_value);
}

static void put_time(struct row_put *put, int64_t ns)
{
    if (ns == DB_NULL)
        row_missing(put);
    else
        row_time(put, ns);
}

static void put_columns(struct row_put *put, const struct tx_event *event, const struct tx_table *tx)
{
    if (event->device_id != DB_NULL)
        row_integer(put, event->device_id);
    else
        row_word(put, "host");
    row_integer(put, event->process_id);
    row_integer(put, event->thread_id);
    row_integer(put, event->category);
    put_event_type(put, event->event_type);
    row_integer(put, event->payload_type);
    put_payload(put, event);
    put_time(put, event->start_ns);
    put_time(put, event->end_ns);
    row_integer(put, event->message_type);
    row_text(put, (struct cann_text){tx->message.data, (uint32_t)tx->message.length});
    row_text(put, (struct cann_text){event->domain != NULL ? tx->domain.data : NULL, (uint32_t)tx->domain.length});
    row_integer(put, event->mark_id);
    put_time(put, event->device_start_ns);
    put_time(put, event->device_end_ns);
}

static int put_event(void *arg, const struct tx_event *event, struct err *err)
{
    struct tx_table *tx = arg;
    struct row_put put;
    strbuf_clear(&tx->domain);
    row_format_text(&tx->table.format, event->message, event->message_length, &tx->message);
    if (event->domain != NULL)
        row_format_text(&tx->table.format, event->domain, event->domain_length, &tx->domain);
    if (tx->message.failed || tx->domain.failed)
        return err_set(err, ERR_LIMIT, "a message of %zu bytes is too long for a table", event->message_length);
    int status = cann_table_begin(&tx->table, tx->message.length + tx->domain.length, &put, err);
    if (status < 0)
        return status;
    put_columns(&put, event, tx);
    cann_table_end(&tx->table, &put);
    return 0;
}

int tx_summary(sqlite3 *db, const struct export_options *options, struct export_result *result, struct err *err)
{
    struct tx_table tx;
    int status = cann_table_open(&tx.table, "msprof_tx", titles, COUNT_OF_TITLES, (uint64_t)tx_event_count(db), options,
                                 result, err);
    if (status < 0)
        return status;
    strbuf_init(&tx.message, TEXT_MAX);
    strbuf_init(&tx.domain, TEXT_MAX);
    status = cann_table_close(&tx.table, tx_each_event(db, TX_BY_START, true, put_event, &tx, err), err);
    strbuf_release(&tx.message);
    strbuf_release(&tx.domain);
    return status;
}

/* ---- captures before 2023 ---- */

/* As Ascend's tool of 2022 has it. */
static const struct column_titles legacy_titles = {10,
                                                   {"pid", "tid", "category", "event_type", "payload_type",
                                                    "payload_value", "Start_time(ns)", "End_time(ns)", "message_type",
                                                    "message"}};

struct legacy_table {
    sqlite3 *db;
    const struct export_options *options;
    struct export_result *result;
    struct summary_file file;
};

static int open_once(struct legacy_table *table, struct err *err)
{
    char name[TX_LEGACY_NAME_MAX];
    if (table->file.path != NULL)
        return 0;
    int status = tx_legacy_name(name, table->db, table->options, table_suffix(table->options->format), err);
    return status == 0
               ? summary_open(&table->file, table->options, table->result, "msprof_tx", name, &legacy_titles, err)
               : status;
}

static struct table_cell event_type_cell(int64_t event_type)
{
    const char *name = tx_event_type_name(event_type);
    return name != NULL ? cell_text(name) : cell_number(event_type, 0);
}

/* As put_payload. */
static struct table_cell payload_cell(const struct tx_event *event, char buffer[NUMBER_MAX])
{
    if (event->category == DB_NULL)
        return cell_missing();
    if (event->payload_value >= 0)
        return cell_number(event->payload_value, 0);
    return cell_text_of_length(buffer, (size_t)(number_put_unsigned(buffer, (uint64_t)event->payload_value) - buffer));
}

static int put_legacy_event(void *arg, const struct tx_event *event, struct err *err)
{
    struct legacy_table *table = arg;
    char payload[NUMBER_MAX];
    const struct table_cell cells[] = {
        cell_number(event->process_id, 0),   cell_number(event->thread_id, 0),
        cell_number(event->category, 0),     event_type_cell(event->event_type),
        cell_number(event->payload_type, 0), payload_cell(event, payload),
        cell_number(event->start_ns, 0),     cell_number(event->end_ns, 0),
        cell_number(event->message_type, 0), cell_text_of_length(event->message, event->message_length),
    };
    int status = open_once(table, err);
    if (status == 0)
        table_row(&table->file.table, cells);
    return status;
}

int tx_legacy_summary(sqlite3 *db, const struct export_options *options, struct export_result *result, struct err *err)
{
    struct legacy_table table = {.db = db, .options = options, .result = result};
    int status = tx_each_event(db, TX_BY_START, false, put_legacy_event, &table, err);
    if (status == 0 && table.file.path != NULL)
        return summary_commit(&table.file, err);
    summary_abort(&table.file);
    return status;
}
