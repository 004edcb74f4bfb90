#include "db/query/query_tx.h"

#include "db/database.h"
#include "db/query/query_loop.h"
#include "parsers/record.h"

int64_t tx_largest_thread(sqlite3 *db)
{
    return query_number(db, "SELECT coalesce(max(thread_id), -1) FROM msproftx");
}

int64_t tx_largest_stream(sqlite3 *db)
{
    /* Without marks nobody needs it, and it reads every task. */
    return query_number(db, "SELECT CASE WHEN EXISTS(SELECT 1 FROM device_mark) THEN"
                            " max((SELECT coalesce(max(stream_id), -1) FROM device_mark),"
                            " (SELECT coalesce(max(stream_id), -1) FROM device_task)) ELSE -1 END");
}

const char *tx_event_type_name(int64_t event_type)
{
    const struct record_kind *kind = record_kind_find("msproftx");
    int column = kind != NULL ? record_kind_column(kind, "event_type") : -1;
    const struct value_name *name = column >= 0 ? kind->columns[column].names : NULL;
    for (; name != NULL && name->text != NULL; name++) {
        if (name->value == event_type)
            return name->text;
    }
    return NULL;
}

/* ---- events ---- */

#define EVENT_COLUMNS                                                                                                  \
    "SELECT m.process_id, m.thread_id, m.category, m.event_type, m.payload_type, m.payload_value, m.start_ns, "        \
    "m.end_ns,"                                                                                                        \
    " m.message_type, m.mark_id, m.message"
#define DEVICE_COLUMNS                                                                                                 \
    EVENT_COLUMNS ", n.text, d.device_id, d.start_ns, d.end_ns FROM msproftx m LEFT JOIN name n ON n.id = m.domain_id" \
                  " LEFT JOIN device_mark d ON d.id = (SELECT min(id) FROM device_mark WHERE mark_id = m.mark_id)"
#define PLAIN_COLUMNS EVENT_COLUMNS ", NULL, NULL, NULL, NULL FROM msproftx m"

struct event_loop {
    int (*each)(void *arg, const struct tx_event *event, struct err *err);
    void *arg;
};

static int give_event(void *arg, sqlite3_stmt *row, struct err *err)
{
    const struct event_loop *loop = arg;
    const char *message = query_text(row, 10), *domain = query_text(row, 11);
    const struct tx_event event = {
        .process_id = query_integer(row, 0),
        .thread_id = query_integer(row, 1),
        .category = query_integer(row, 2),
        .event_type = query_integer(row, 3),
        .payload_type = query_integer(row, 4),
        .payload_value = query_integer(row, 5),
        .start_ns = query_integer(row, 6),
        .end_ns = query_integer(row, 7),
        .message_type = query_integer(row, 8),
        .mark_id = query_integer(row, 9),
        .message = message != NULL ? message : "",
        .message_length = (size_t)sqlite3_column_bytes(row, 10),
        .domain = domain,
        .domain_length = (size_t)sqlite3_column_bytes(row, 11),
        .device_id = query_integer(row, 12),
        .device_start_ns = query_integer(row, 13),
        .device_end_ns = query_integer(row, 14),
    };
    return loop->each(loop->arg, &event, err);
}

int tx_each_event(sqlite3 *db, enum tx_order order, bool with_devices,
                  int (*each)(void *arg, const struct tx_event *event, struct err *err), void *arg, struct err *err)
{
    static const char *const statements[2][2] = {
        [TX_BY_START] = {PLAIN_COLUMNS " ORDER BY m.start_ns, m.process_id, m.thread_id, m.end_ns DESC, m.id",
                         DEVICE_COLUMNS " ORDER BY m.start_ns, m.process_id, m.thread_id, m.end_ns DESC, m.id"},
        [TX_BY_THREAD] = {PLAIN_COLUMNS " ORDER BY m.process_id, m.thread_id, m.start_ns, m.end_ns DESC, m.id",
                          DEVICE_COLUMNS " ORDER BY m.process_id, m.thread_id, m.start_ns, m.end_ns DESC, m.id"},
    };
    struct event_loop loop = {each, arg};
    return query_run(db, statements[order][with_devices], NULL, 0, give_event, &loop, err);
}

/* ---- marks of devices ---- */

struct mark_loop {
    int (*each)(void *arg, const struct tx_device_mark *mark, struct err *err);
    void *arg;
};

static int give_mark(void *arg, sqlite3_stmt *row, struct err *err)
{
    const struct mark_loop *loop = arg;
    const struct tx_device_mark mark = {
        .device_id = query_integer(row, 0),
        .mark_id = query_integer(row, 1),
        .stream_id = query_integer(row, 2),
        .task_id = query_integer(row, 3),
        .start_ns = query_integer(row, 4),
        .end_ns = query_integer(row, 5),
        .message = query_text(row, 6),
        .message_length = (size_t)sqlite3_column_bytes(row, 6),
    };
    return loop->each(loop->arg, &mark, err);
}

int tx_each_device_mark(sqlite3 *db, int (*each)(void *arg, const struct tx_device_mark *mark, struct err *err),
                        void *arg, struct err *err)
{
    /* One of the program's marks for each: numbers that come twice must not show a mark twice. */
    static const char sql[] =
        "SELECT d.device_id, d.mark_id, d.stream_id, d.task_id, d.start_ns, d.end_ns, m.message FROM device_mark d"
        " LEFT JOIN (SELECT mark_id, message, min(id) FROM msproftx WHERE mark_id IS NOT NULL GROUP BY mark_id) m"
        " ON m.mark_id = d.mark_id ORDER BY d.device_id, d.stream_id, d.start_ns, d.end_ns DESC, d.id";
    struct mark_loop loop = {each, arg};
    return query_run(db, sql, NULL, 0, give_mark, &loop, err);
}

/* ---- where they come from ---- */

static int take_device(void *arg, sqlite3_stmt *row, struct err *err)
{
    (void)err;
    *(int64_t *)arg = query_integer(row, 0);
    return 0;
}

int tx_recording_device(sqlite3 *db, int64_t *ret_device_id, struct err *err)
{
    static const char sql[] =
        "SELECT CASE WHEN p.is_host THEN NULL ELSE coalesce(p.device_id, 0) END FROM source_file f"
        " JOIN capture_part p ON f.path LIKE p.directory || '/%' OR p.directory = '' WHERE f.kind = 'msproftx'"
        " ORDER BY length(p.directory) DESC LIMIT 1";
    *ret_device_id = DB_NULL;
    return query_run(db, sql, NULL, 0, take_device, ret_device_id, err);
}
