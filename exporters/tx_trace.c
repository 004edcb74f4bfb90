/* Marks and ranges of programs on the timeline of a new CANN capture, where Ascend's tool has them: those of the host
 * in a process above CANN's, those of devices with the device's tasks, but on threads of their own, because a range of
 * a stream begins and ends inside of the tasks that record it. */
#include "base/fsutil.h"
#include "db/query_tx.h"
#include "exporters/json_text.h"
#include "exporters/lanes.h"
#include "exporters/nesting.h"
#include "exporters/tx_report.h"

#include <stdio.h>
#include <stdlib.h>

#define TEXT_MAX ((size_t)1024 * 1024)       /* bytes of one escaped text */
#define FIRST_CONNECTION INT64_C(4000000001) /* of mark 0 */
#define PROCESS_NAME "MsprofTx"              /* when the capture does not name its program */

struct tx_trace {
    const struct cann_trace *trace; /* NULL: of a capture before 2023, whose devices' marks are not known */
    struct outfile *out;
    struct strbuf text;    /* escaped, of the event that is being written */
    struct strbuf process; /* the program's name, escaped */
    bool compat;
    bool first; /* nothing stands before the next event */
    bool alone; /* the file has no other events: nobody else names the devices */
    uint64_t events;
    /* the thread or stream whose events come now */
    bool started;
    int64_t pid, number;
    const char *lane_name; /* "Thread ", "Marks of stream " */
    bool own_number;       /* the first lane has the number of the thread */
    struct nesting nesting;
    int64_t tids[NESTING_LANES_MAX];
    size_t lane_count;
    int64_t next_tid; /* a number that nobody else has */
};

/* Where an event is drawn. */
struct tx_place {
    int64_t tid, start_ns, duration_ns;
    bool instant; /* it overlaps something on every lane: a point in time, its duration an argument */
};

static int escape(struct strbuf *buf, const char *text, size_t length, struct err *err)
{
    strbuf_clear(buf);
    json_text_append(buf, text, length);
    return buf->failed ? err_set(err, ERR_LIMIT, "a message of %zu bytes is too long for a timeline", length) : 0;
}

static void begin_process(struct tx_trace *tx, int64_t pid, int64_t layer, const char *name, int64_t device_id)
{
    if (!tx->started || tx->pid != pid)
        trace_write_process(tx->out, pid, layer, name, device_id, tx->first);
    tx->first = false;
}

/* Events come thread by thread; those of a process together. */
static void enter(struct tx_trace *tx, int64_t pid, int64_t number)
{
    if (tx->started && tx->pid == pid && tx->number == number)
        return;
    tx->started = true;
    tx->pid = pid;
    tx->number = number;
    tx->lane_count = 0;
    nesting_clear(&tx->nesting);
}

static void name_lane(struct tx_trace *tx)
{
    size_t lane = tx->lane_count++;
    char name[96], place[32] = "";
    if (lane > 0)
        snprintf(place, sizeof place, " (%zu)", lane + 1);
    snprintf(name, sizeof name, "%s%lld%s", tx->lane_name, (long long)tx->number, place);
    tx->tids[lane] = lane == 0 && tx->own_number ? tx->number : tx->next_tid++;
    trace_write_thread(tx->out, tx->pid, tx->tids[lane], tx->number, name, false);
}

static struct tx_place find_place(struct tx_trace *tx, int64_t start_ns, int64_t end_ns)
{
    unsigned shared_ends;
    size_t lane = nesting_place(&tx->nesting, start_ns, end_ns, &shared_ends);
    if (lane == tx->lane_count && lane < NESTING_LANES_MAX)
        name_lane(tx);
    return (struct tx_place){
        .tid = tx->tids[lane < NESTING_LANES_MAX ? lane : 0],
        .start_ns = start_ns,
        .duration_ns = time_since(end_ns, start_ns),
        .instant = lane == NESTING_LANES_MAX,
    };
}

/* Name, place and phase; args are open. */
static int begin_event(struct tx_trace *tx, const char *name, size_t length, const struct tx_place *place,
                       struct err *err)
{
    int status = escape(&tx->text, name, length, err);
    if (status < 0)
        return status;
    outfile_write(tx->out, ",\n{\"name\":\"", sizeof ",\n{\"name\":\"" - 1);
    outfile_write(tx->out, tx->text.data, tx->text.length);
    char *start = outfile_reserve(tx->out, TRACE_EVENT_MAX), *p = start;
    *p++ = '"';
    p = trace_put_place(p, tx->compat, tx->pid, place->tid, place->start_ns, place->instant ? -1 : place->duration_ns);
    p = stpcpy(p, place->instant ? ",\"ph\":\"i\",\"s\":\"t\",\"args\":{" : ",\"ph\":\"X\",\"args\":{");
    if (place->instant) {
        p = stpcpy(p, "\"Duration(us)\":");
        p = number_put_us(p, place->duration_ns);
        *p++ = ',';
    }
    outfile_advance(tx->out, (size_t)(p - start));
    tx->events++;
    return 0;
}

/* One end of the arrow from the program's mark to the device's: phase 's' or 'f'. */
static void put_arrow(struct tx_trace *tx, char phase, int64_t mark_id, int64_t tid, int64_t time_ns)
{
    uint64_t connection = (uint64_t)mark_id + FIRST_CONNECTION;
    if (tx->trace != NULL && !(trace_shows(tx->trace, TIMELINE_MARKS) && trace_shows(tx->trace, TIMELINE_DEVICE_MARKS)))
        return; /* there is only one end */
    char *start = outfile_reserve(tx->out, TRACE_EVENT_MAX), *p = start;
    p = stpcpy(p, ",\n{\"name\":\"MsTx_");
    p = number_put_unsigned(p, connection);
    *p++ = '"';
    p = trace_put_place(p, tx->compat, tx->pid, tid, time_ns, -1);
    p = stpcpy(p, ",\"ph\":\"");
    *p++ = phase;
    p = stpcpy(p, "\",\"cat\":\"MsTx\",\"id\":\"");
    p = number_put_unsigned(p, connection);
    p = stpcpy(p, phase == 'f' ? "\",\"bp\":\"e\"}" : "\"}");
    outfile_advance(tx->out, (size_t)(p - start));
}

/* ---- of the program ---- */

static char *put_number_or_none(char *p, int64_t value)
{
    return value == DB_NULL ? stpcpy(p, "\"N/A\"") : number_put_signed(p, value);
}

static char *put_event_type(char *p, int64_t event_type)
{
    const char *name = tx_event_type_name(event_type);
    p = stpcpy(p, "\"event_type\":\"");
    if (name != NULL)
        p = stpcpy(p, name);
    else
        p = event_type == DB_NULL ? stpcpy(p, "N/A") : number_put_signed(p, event_type);
    return stpcpy(p, "\"");
}

/* Stamps have a category, a payload and a type of message; ex records have a mark and a domain. */
static char *put_stamp_arguments(char *p, const struct tx_event *event)
{
    p = stpcpy(p, "\"Category\":\"");
    p = number_put_signed(p, event->category);
    p = stpcpy(p, "\",\"Payload_type\":");
    p = put_number_or_none(p, event->payload_type);
    p = stpcpy(p, ",\"Payload_value\":");
    p = number_put_unsigned(p, (uint64_t)event->payload_value);
    p = stpcpy(p, ",\"Message_type\":");
    p = put_number_or_none(p, event->message_type);
    return stpcpy(p, ",");
}

static int put_arguments(struct tx_trace *tx, const struct tx_event *event, struct err *err)
{
    int status = event->domain != NULL ? escape(&tx->text, event->domain, event->domain_length, err) : 0;
    if (status < 0)
        return status;
    char *start = outfile_reserve(tx->out, TRACE_EVENT_MAX), *p = start;
    if (event->category != DB_NULL)
        p = put_stamp_arguments(p, event);
    if (event->mark_id != DB_NULL) {
        p = stpcpy(p, "\"mark_id\":");
        p = number_put_signed(p, event->mark_id);
        *p++ = ',';
    }
    p = put_event_type(p, event->event_type);
    if (event->domain != NULL)
        p = stpcpy(p, ",\"domain\":\"");
    outfile_advance(tx->out, (size_t)(p - start));
    if (event->domain != NULL) {
        outfile_write(tx->out, tx->text.data, tx->text.length);
        outfile_write(tx->out, "\"", 1);
    }
    outfile_write(tx->out, "}}", 2);
    return 0;
}

static int draw_event(void *arg, const struct tx_event *event, struct err *err)
{
    struct tx_trace *tx = arg;
    /* What a layout does not give is process 0, thread 0, or not drawn when it is the time. */
    int64_t process_id = event->process_id != DB_NULL ? event->process_id : 0;
    int64_t pid = tx->trace != NULL ? process_id << 10 | LAYER_PROGRAM << 5 | HOST_DEVICE : process_id;
    if (event->start_ns == DB_NULL)
        return 0;
    begin_process(tx, pid, LAYER_PROGRAM, tx->process.data, -1);
    enter(tx, pid, event->thread_id != DB_NULL ? event->thread_id : 0);
    const struct tx_place place = find_place(tx, event->start_ns, event->end_ns);
    int status = begin_event(tx, event->message, event->message_length, &place, err);
    if (status == 0)
        status = put_arguments(tx, event, err);
    if (status == 0 && event->device_id != DB_NULL)
        put_arrow(tx, 's', event->mark_id, place.tid, place.start_ns);
    return status;
}

/* ---- of devices ---- */

static int draw_mark(void *arg, const struct tx_device_mark *mark, struct err *err)
{
    struct tx_trace *tx = arg;
    const char *message = mark->message != NULL ? mark->message : "N/A";
    size_t length = mark->message != NULL ? mark->message_length : strlen(message);
    int64_t pid = trace_pid(tx->trace, LAYER_HARDWARE, mark->device_id);
    if (tx->alone)
        begin_process(tx, pid, LAYER_HARDWARE, "Ascend Hardware", mark->device_id);
    enter(tx, pid, mark->stream_id);
    const struct tx_place place =
        find_place(tx, mark->start_ns, mark->end_ns != DB_NULL ? mark->end_ns : mark->start_ns);
    int status = begin_event(tx, message, length, &place, err);
    if (status < 0)
        return status;
    char *start = outfile_reserve(tx->out, TRACE_EVENT_MAX), *p = start;
    p = stpcpy(p, "\"Physic Stream Id\":");
    p = number_put_signed(p, mark->stream_id);
    p = stpcpy(p, ",\"Task Id\":");
    p = number_put_signed(p, mark->task_id);
    p = stpcpy(p, "}}");
    outfile_advance(tx->out, (size_t)(p - start));
    put_arrow(tx, 'f', mark->mark_id, place.tid, place.start_ns);
    return 0;
}

/* ---- all of it ---- */

static int write_events(struct tx_trace *tx, sqlite3 *db, struct err *err)
{
    tx->lane_name = "Thread ";
    tx->own_number = true;
    tx->next_tid = tx_largest_thread(db) + 1;
    int status = tx->trace == NULL || trace_shows(tx->trace, TIMELINE_MARKS)
                     ? tx_each_event(db, TX_BY_THREAD, tx->trace != NULL, draw_event, tx, err)
                     : 0;
    if (status < 0 || tx->trace == NULL || !trace_shows(tx->trace, TIMELINE_DEVICE_MARKS))
        return status;
    tx->lane_name = "Marks of stream ";
    tx->own_number = tx->started = false;
    tx->next_tid = tx_largest_stream(db) + 1;
    return tx_each_device_mark(db, draw_mark, tx, err);
}

static const char *program_name(const struct cann_trace *trace)
{
    for (size_t i = 0; trace != NULL && i < trace->parts.count; i++) {
        if (trace->parts.parts[i].process_name[0] != '\0')
            return trace->parts.parts[i].process_name;
    }
    return PROCESS_NAME;
}

static int write_trace(const struct cann_trace *trace, sqlite3 *db, struct outfile *out, bool first, bool alone,
                       uint64_t *ret_events, struct err *err)
{
    const char *name = program_name(trace);
    struct tx_trace *tx = calloc(1, sizeof *tx);
    if (tx == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    tx->trace = trace;
    tx->compat = trace != NULL && trace->compat;
    tx->out = out;
    tx->first = first;
    tx->alone = alone;
    strbuf_init(&tx->text, TEXT_MAX);
    strbuf_init(&tx->process, TEXT_MAX);
    int status = escape(&tx->process, name, strlen(name), err);
    if (status == 0)
        status = write_events(tx, db, err);
    if (status == 0)
        *ret_events = tx->events;
    strbuf_release(&tx->process);
    strbuf_release(&tx->text);
    free(tx);
    return status;
}

int tx_trace_write(sqlite3 *db, struct cann_trace *trace, struct outfile *out, uint64_t *ret_events, struct err *err)
{
    int status = write_trace(trace, db, out, trace->first, !trace_shows(trace, TIMELINE_TASKS), ret_events, err);
    trace->first = trace->first && *ret_events == 0;
    return status;
}

/* ---- files of their own ---- */

static int write_file(const struct cann_trace *trace, sqlite3 *db, const char *path,
                      const struct export_options *options, struct export_result *result, struct err *err)
{
    struct outfile out;
    uint64_t events = 0;
    int status = outfile_open(&out, path, err);
    if (status < 0)
        return status;
    outfile_write(&out, "[", 1);
    status = write_trace(trace, db, &out, true, true, &events, err);
    outfile_write(&out, "\n]\n", 3);
    if (status == 0 && events > 0)
        return cann_report_done(&out, "msprof_tx", path, events, options, result, err);
    outfile_abort(&out);
    return status;
}

int tx_timeline(sqlite3 *db, const struct cann_trace *trace, const struct export_options *options,
                struct export_result *result, struct err *err)
{
    char *path = cann_report_path(options, "msprof_tx", -1, ".json", err);
    int status = path != NULL ? write_file(trace, db, path, options, result, err) : -(int)err->code;
    free(path);
    return status;
}

int tx_legacy_name(char name[TX_LEGACY_NAME_MAX], sqlite3 *db, const struct export_options *options, const char *suffix,
                   struct err *err)
{
    char device[32] = "";
    int64_t device_id, iteration = options->iteration_id > 0 ? options->iteration_id : 1;
    int status = tx_recording_device(db, &device_id, err);
    if (status < 0)
        return status;
    if (device_id != DB_NULL)
        snprintf(device, sizeof device, "_%lld", (long long)device_id);
    snprintf(name, TX_LEGACY_NAME_MAX, "msprof_tx%s_%lld%s", device, (long long)iteration, suffix);
    return 0;
}

int tx_legacy_timeline(sqlite3 *db, const struct export_options *options, struct export_result *result, struct err *err)
{
    char name[TX_LEGACY_NAME_MAX];
    int status = tx_legacy_name(name, db, options, ".json", err);
    if (status < 0)
        return status;
    char *path = path_join(options->directory, name);
    if (path == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    status = write_file(NULL, db, path, options, result, err);
    free(path);
    return status;
}
