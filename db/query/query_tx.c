/* SPDX-License-Identifier: Apache-2.0 */
#include "db/query/query_tx.h"

#include "db/query/query_fields.h"
#include "db/query/query_loop.h"
#include "parsers/record.h"

int tx_largest_thread(sqlite3 *db, int64_t *ret, struct err *err)
{
    return query_number(db, "SELECT coalesce(max(thread_id), -1) FROM msproftx", ret, err);
}

/* ---- events ---- */

/* Fields of the program's record, then those known elsewhere: the domain's name, and the device that saw it.
 */
#define EVENT_FIELDS(domain_text, device_column, device_start, device_end)                                             \
    QUERY_FIELD(struct tx_event, process_id, "m.process_id"), QUERY_FIELD(struct tx_event, thread_id, "m.thread_id"),  \
        QUERY_FIELD(struct tx_event, category, "m.category"),                                                          \
        QUERY_FIELD(struct tx_event, event_type, "m.event_type"),                                                      \
        QUERY_FIELD(struct tx_event, payload_type, "m.payload_type"),                                                  \
        QUERY_FIELD(struct tx_event, payload_value, "m.payload_value"),                                                \
        QUERY_FIELD(struct tx_event, start_ns, "m.start_ns"), QUERY_FIELD(struct tx_event, end_ns, "m.end_ns"),        \
        QUERY_FIELD(struct tx_event, message_type, "m.message_type"),                                                  \
        QUERY_FIELD(struct tx_event, mark_id, "m.mark_id"),                                                            \
        QUERY_FIELD(struct tx_event, message, "coalesce(m.message, '')"),                                              \
        QUERY_LENGTH(struct tx_event, message_length), QUERY_FIELD(struct tx_event, domain, domain_text),              \
        QUERY_LENGTH(struct tx_event, domain_length), QUERY_FIELD(struct tx_event, device_id, device_column),          \
        QUERY_FIELD(struct tx_event, device_start_ns, device_start),                                                   \
        QUERY_FIELD(struct tx_event, device_end_ns, device_end)
static const struct query_field event_with_device_fields[] = {
    EVENT_FIELDS("n.text", "d.device_id", "d.start_ns", "d.end_ns")};
static const struct query_field event_fields[] = {EVENT_FIELDS("NULL", "NULL", "NULL", "NULL")};

#define EVENTS_WITH_DEVICES                                                                                            \
    "FROM msproftx m LEFT JOIN name n ON n.id = m.domain_id"                                                           \
    " LEFT JOIN device_mark d ON d.id = (SELECT min(id) FROM device_mark WHERE mark_id = m.mark_id)"
#define EVENTS "FROM msproftx m"
#define IN_ORDER_OF_START " ORDER BY m.start_ns, m.process_id, m.thread_id, m.end_ns DESC, m.id"
#define IN_ORDER_OF_THREADS " ORDER BY m.process_id, m.thread_id, m.start_ns, m.end_ns DESC, m.id"

static const struct query_select event_selects[2][2] = {
    [TX_BY_START] = {{QUERY_FIELDS(event_fields), .from = EVENTS IN_ORDER_OF_START},
                     {QUERY_FIELDS(event_with_device_fields), .from = EVENTS_WITH_DEVICES IN_ORDER_OF_START}},
    [TX_BY_THREAD] = {{QUERY_FIELDS(event_fields), .from = EVENTS IN_ORDER_OF_THREADS},
                      {QUERY_FIELDS(event_with_device_fields), .from = EVENTS_WITH_DEVICES IN_ORDER_OF_THREADS}},
};

struct event_loop {
    const struct query_select *select;
    int (*each)(void *arg, const struct tx_event *event, struct err *err);
    void *arg;
};

static int give_event(void *arg, sqlite3_stmt *row, struct err *err)
{
    const struct event_loop *loop = arg;
    struct tx_event event;
    query_take(row, 0, loop->select->fields, loop->select->field_count, &event);
    return loop->each(loop->arg, &event, err);
}

int tx_each_event(sqlite3 *db, enum tx_order order, bool with_devices,
                  int (*each)(void *arg, const struct tx_event *event, struct err *err), void *arg, struct err *err)
{
    struct event_loop loop = {&event_selects[order][with_devices], each, arg};
    return query_select(db, loop.select, NULL, 0, give_event, &loop, err);
}

/* ---- marks of devices ---- */

static const struct query_field mark_fields[] = {
    QUERY_FIELD(struct tx_device_mark, device_id, "d.device_id"),
    QUERY_FIELD(struct tx_device_mark, mark_id, "d.mark_id"),
    QUERY_FIELD(struct tx_device_mark, stream_id, "d.stream_id"),
    QUERY_FIELD(struct tx_device_mark, task_id, "d.task_id"),
    QUERY_FIELD(struct tx_device_mark, start_ns, "d.start_ns"),
    QUERY_FIELD(struct tx_device_mark, end_ns, "d.end_ns"),
    QUERY_FIELD(struct tx_device_mark, message, "m.message"),
    QUERY_LENGTH(struct tx_device_mark, message_length),
};
/* One of the program's marks for each: numbers that come twice must not show a mark twice. */
static const struct query_select marks = {
    QUERY_FIELDS(mark_fields),
    .from = "FROM device_mark d"
            " LEFT JOIN (SELECT mark_id, message, min(id) FROM msproftx WHERE mark_id IS NOT NULL GROUP BY mark_id) m"
            " ON m.mark_id = d.mark_id ORDER BY d.device_id, d.stream_id, d.start_ns, d.end_ns DESC, d.id"};

struct mark_loop {
    int (*each)(void *arg, const struct tx_device_mark *mark, struct err *err);
    void *arg;
};

static int give_mark(void *arg, sqlite3_stmt *row, struct err *err)
{
    const struct mark_loop *loop = arg;
    struct tx_device_mark mark;
    query_take(row, 0, marks.fields, marks.field_count, &mark);
    return loop->each(loop->arg, &mark, err);
}

int tx_each_device_mark(sqlite3 *db, int (*each)(void *arg, const struct tx_device_mark *mark, struct err *err),
                        void *arg, struct err *err)
{
    struct mark_loop loop = {each, arg};
    return query_select(db, &marks, NULL, 0, give_mark, &loop, err);
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
