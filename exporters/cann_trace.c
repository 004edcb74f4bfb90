#include "exporters/cann_trace.h"
#include "exporters/cann_put.h"

#include <stdlib.h>

/* ---- threads ---- */

void trace_threads_add(struct trace_threads *threads, int64_t pid, int64_t tid)
{
    pthread_mutex_lock(&threads->lock);
    size_t i = 0;
    while (i < threads->count && (threads->items[i].pid != pid || threads->items[i].tid != tid))
        i++;
    if (i == threads->count && threads->count == threads->capacity) {
        size_t capacity = threads->capacity != 0 ? threads->capacity * 2 : 64;
        struct trace_thread *larger = reallocarray(threads->items, capacity, sizeof *larger);
        threads->out_of_memory |= larger == NULL;
        if (larger != NULL) {
            threads->items = larger;
            threads->capacity = capacity;
        }
    }
    if (i == threads->count && threads->count < threads->capacity)
        threads->items[threads->count++] = (struct trace_thread){pid, tid};
    pthread_mutex_unlock(&threads->lock);
}

/* ---- the whole ---- */

int cann_trace_init(struct cann_trace *trace, sqlite3 *db, const struct export_options *options, struct err *err)
{
    static const char *const any_title[] = {""};
    struct row_format json;
    *trace = (struct cann_trace){.database = options->database,
                                 .compat = options->trace_compat,
                                 .hidden = options->hidden_layers,
                                 .first = true};
    pthread_mutex_init(&trace->threads.lock, NULL);
    int status = cann_parts_load(db, &trace->parts, err);
    if (status == 0)
        status = cann_names_load(db, &trace->names, err);
    if (status == 0)
        status = cann_communications_load(db, &trace->communications, err);
    if (status == 0)
        status = cann_frequencies_load(db, &trace->frequencies, err);
    if (status == 0)
        status = row_format_init(&json, TABLE_JSON, any_title, 1, err);
    if (status == 0) {
        status = row_format_encode(&json, &trace->names, NULL, err);
        row_format_release(&json);
    }
    for (size_t i = 0; i < trace->parts.count && trace->process_id <= 0; i++) {
        int64_t process_id = trace->parts.parts[i].process_id;
        if (process_id > 0 && process_id <= UINT32_MAX)
            trace->process_id = process_id;
    }
    trace->cann_pid = trace_pid(trace, LAYER_CANN, HOST_DEVICE);
    if (status < 0)
        cann_trace_release(trace);
    return status;
}

void cann_trace_release(struct cann_trace *trace)
{
    cann_parts_release(&trace->parts);
    cann_texts_release(&trace->names);
    cann_communications_release(&trace->communications);
    cann_frequencies_release(&trace->frequencies);
    free(trace->threads.items);
    pthread_mutex_destroy(&trace->threads.lock);
    *trace = (struct cann_trace){.events = 0};
}

/* ---- pieces of events ---- */

char *trace_put_place(char *p, bool compat, int64_t pid, int64_t tid, int64_t start_ns, int64_t duration_ns)
{
    p = put_ids(p, pid, tid);
    p = put_time(p, compat, start_ns);
    return duration_ns >= 0 ? put_duration(p, duration_ns) : p;
}

/* ---- calls ---- */

static const char *level_prefix(int64_t level)
{
    switch (level) {
    case 20000:
        return "AscendCL@";
    case 15000:
        return "Model@";
    case 10000:
        return "Node@";
    case 5500:
        return "Communication@";
    case 5000:
        return "Runtime@";
    default:
        return "Api@";
    }
}

static const char *acl_mode(int64_t type)
{
    static const char *const modes[] = {NULL,          "ACL_OP",    "ACL_MODEL", "ACL_RTS",  "ACL_OTHERS", "ACL_NN",
                                        "ACL_ASCENDC", "HOST_HCCL", NULL,        "ACL_DVPP", "ACL_GRAPH"};
    int64_t mode = type >> 16;
    return mode > 0 && mode < (int64_t)(sizeof modes / sizeof *modes) && modes[mode] != NULL ? modes[mode]
                                                                                             : "ACL_OTHERS";
}

size_t trace_call_room(const struct cann_trace *trace, const struct cann_call *call)
{
    return 2 * TRACE_EVENT_MAX + (size_t)2 * cann_text(&trace->names, call->name_id, 0).length +
           cann_text(&trace->names, call->item_id, 0).length;
}

char *trace_put_call(char *p, const struct cann_trace *trace, const struct cann_call *call)
{
    enum { LEVEL_ACL = 20000 };
    struct cann_text name = cann_text(&trace->names, call->name_id, 0);
    const char *level = cann_level_name(call->level);
    p = put_literal(p, ",\n{\"name\":\"");
    p = put_word(p, level_prefix(call->level));
    p = put_inside(p, name);
    p = put_literal(p, "\"");
    p = put_ids(p, trace->cann_pid, call->thread_id);
    p = put_time(p, trace->compat, call->start_ns);
    p = put_duration(p, call->duration_ns);
    p = put_literal(p, ",\"ph\":\"X\",\"args\":{\"Thread Id\":");
    p = number_put_signed(p, call->thread_id);
    p = put_literal(p, ",\"Mode\":");
    if (call->level == LEVEL_ACL) {
        p = put_literal(p, "\"");
        p = put_word(p, acl_mode(call->type));
        p = put_literal(p, "\"");
    } else {
        p = put_string(p, name);
    }
    p = put_literal(p, ",\"level\":\"");
    if (level != NULL)
        p = put_word(p, level);
    else
        p = number_put_signed(p, call->level);
    p = put_literal(p, "\",\"id\":");
    p = call->level == LEVEL_ACL ? put_string(p, name) : put_literal(p, "\"0\"");
    p = put_literal(p, ",\"item_id\":");
    p = put_string(p, cann_text(&trace->names, call->item_id, 0));
    if (call->connection_id != DB_NULL) {
        p = put_literal(p, ",\"connection_id\":");
        p = number_put_signed(p, call->connection_id);
    }
    return put_literal(p, "}}");
}

char *trace_put_flow(char *p, const struct cann_trace *trace, char phase, int64_t id, int64_t pid, int64_t tid,
                     int64_t time_ns)
{
    p = put_literal(p, ",\n{\"name\":\"HostToDevice\",\"cat\":\"HostToDevice\",\"ph\":\"");
    *p++ = phase;
    p = put_literal(p, "\",\"id\":");
    p = number_put_signed(p, id);
    p = put_ids(p, pid, tid);
    p = put_time(p, trace->compat, time_ns);
    return phase == 'f' ? put_literal(p, ",\"bp\":\"e\"}") : put_literal(p, "}");
}

/* ---- tasks ---- */

size_t trace_task_room(const struct cann_trace *trace, const struct cann_task *task)
{
    return 2 * TRACE_EVENT_MAX + cann_text(&trace->names, task->op_name_id, 0).length +
           (size_t)2 * cann_text(&trace->names, task->host_type_id, 0).length;
}

/* As a JSON string: what the operator was compiled for, what the host launched, or what the device ran. */
static char *put_task_type(char *p, const struct cann_trace *trace, const struct cann_task *task)
{
    if (task->op_name_id == DB_NULL && task->host_type_id != DB_NULL)
        return put_string(p, cann_text(&trace->names, task->host_type_id, 0));
    p = put_literal(p, "\"");
    p = put_word(p, task->op_name_id != DB_NULL ? cann_core_type(task->op_task_type) : cann_device_type(task->type));
    return put_literal(p, "\"");
}

static char *put_copy(char *p, const struct cann_task *task)
{
    p = put_literal(p, ",\"size(B)\":");
    p = number_put_signed(p, task->copy_bytes);
    p = put_literal(p, ",\"bandwidth(GB/s)\":"); /* bytes a nanosecond */
    p = number_put_shortest(p, number_ratio(task->copy_bytes, task->duration_ns, 3), 3);
    p = put_literal(p, ",\"operation\":\"");
    p = put_word(p, cann_copy_direction(task->copy_direction));
    return put_literal(p, "\"");
}

char *trace_put_task(char *p, const struct cann_trace *trace, const struct cann_task *task, int64_t pid)
{
    p = put_literal(p, ",\n{\"name\":");
    p = task->op_name_id != DB_NULL ? put_string(p, cann_text(&trace->names, task->op_name_id, 0))
                                    : put_task_type(p, trace, task);
    p = put_ids(p, pid, task->stream_id);
    p = put_time(p, trace->compat, task->start_ns);
    p = put_duration(p, task->duration_ns);
    p = put_literal(p, ",\"ph\":\"X\",\"args\":{\"Model Id\":");
    p = number_put_signed(p, task->model_id != DB_NULL ? task->model_id : CANN_NO_ID);
    p = put_literal(p, ",\"Task Type\":");
    p = put_task_type(p, trace, task);
    p = put_literal(p, ",\"Physic Stream Id\":");
    p = number_put_signed(p, task->stream_id);
    p = put_literal(p, ",\"Task Id\":");
    p = number_put_signed(p, task->task_id);
    p = put_literal(p, ",\"Batch Id\":");
    p = number_put_signed(p, task->batch_id);
    p = put_literal(p, ",\"Subtask Id\":");
    p = number_put_signed(p, task->context_id != DB_NULL ? task->context_id : CANN_NO_ID);
    if (task->connection_id != DB_NULL) {
        p = put_literal(p, ",\"connection_id\":");
        p = number_put_signed(p, task->connection_id);
    }
    if (task->copy_bytes != DB_NULL)
        p = put_copy(p, task);
    return put_literal(p, "}}");
}

/* ---- what a device did over time ---- */

static const char *const overlap_names[] = {
    [OVERLAP_COMPUTING] = "Computing",
    [OVERLAP_COMMUNICATION] = "Communication",
    [OVERLAP_COMMUNICATION_ONLY] = "Communication(Not Overlapped)",
    [OVERLAP_FREE] = "Free",
};

char *trace_put_overlap(char *p, const struct cann_trace *trace, const struct overlap_span *span)
{
    p = put_literal(p, ",\n{\"name\":\"");
    p = put_word(p, overlap_names[span->type]);
    p = put_literal(p, "\"");
    p = put_ids(p, trace_pid(trace, LAYER_OVERLAP, span->device_id), span->type);
    p = put_time(p, trace->compat, span->start_ns);
    p = put_duration(p, span->end_ns - span->start_ns);
    return put_literal(p, ",\"ph\":\"X\",\"args\":{}}");
}

/* ---- head and tail ---- */

void trace_write_process(struct outfile *out, int64_t pid, int64_t sort_index, const char *name, int64_t device_id,
                         bool first)
{
    char *start = outfile_reserve(out, 3 * TRACE_EVENT_MAX), *p = start;
    p = put_word(p, first ? "\n" : ",\n");
    p = put_metadata(p, "process_name", pid, 0);
    p = put_literal(p, "\"name\":\"");
    p = put_word(p, name);
    p = put_literal(p, "\"}},\n");
    p = put_metadata(p, "process_labels", pid, 0);
    p = put_literal(p, "\"labels\":\"");
    if (device_id < 0) {
        p = put_literal(p, "CPU");
    } else {
        p = put_literal(p, "NPU ");
        p = number_put_signed(p, device_id);
    }
    p = put_literal(p, "\"}},\n");
    p = put_metadata(p, "process_sort_index", pid, 0);
    p = put_literal(p, "\"sort_index\":");
    p = number_put_signed(p, sort_index);
    p = put_literal(p, "}}");
    outfile_advance(out, (size_t)(p - start));
}

void trace_name_process(struct cann_trace *trace, struct outfile *out, int64_t pid, int64_t sort_index,
                        const char *name, int64_t device_id)
{
    trace_write_process(out, pid, sort_index, name, device_id, trace->first);
    trace->first = false;
}

void trace_write_thread(struct outfile *out, int64_t pid, int64_t tid, int64_t sort_index, const char *name,
                        bool numbered)
{
    char *start = outfile_reserve(out, 2 * TRACE_EVENT_MAX), *p = start;
    p = put_literal(p, ",\n");
    p = put_metadata(p, "thread_name", pid, tid);
    p = put_literal(p, "\"name\":\"");
    p = put_word(p, name);
    if (numbered)
        p = number_put_signed(p, tid);
    p = put_literal(p, "\"}},\n");
    p = put_metadata(p, "thread_sort_index", pid, tid);
    p = put_literal(p, "\"sort_index\":");
    p = number_put_signed(p, sort_index);
    p = put_literal(p, "}}");
    outfile_advance(out, (size_t)(p - start));
}

static void write_frequency(struct cann_trace *trace, struct outfile *out, int64_t pid,
                            const struct cann_frequency *frequency)
{
    char *start = outfile_reserve(out, TRACE_EVENT_MAX), *p = start;
    p = put_literal(p, ",\n{\"name\":\"AI Core Freq\"");
    p = put_ids(p, pid, 0);
    p = put_time(p, trace->compat, frequency->time_ns);
    p = put_literal(p, ",\"ph\":\"C\",\"args\":{\"MHz\":");
    p = number_put_signed(p, frequency->mhz);
    p = put_literal(p, "}}");
    outfile_advance(out, (size_t)(p - start));
    trace->events++;
}

static void write_frequencies(struct cann_trace *trace, struct outfile *out, int64_t device_id)
{
    int64_t pid = trace_pid(trace, LAYER_FREQUENCY, device_id);
    bool named = false;
    for (size_t i = 0; i < trace->frequencies.count; i++) {
        const struct cann_frequency *frequency = &trace->frequencies.items[i];
        if (frequency->device_id != device_id)
            continue;
        if (!named)
            trace_name_process(trace, out, pid, LAYER_FREQUENCY, "AI Core Freq", device_id);
        named = true;
        write_frequency(trace, out, pid, frequency);
    }
}

static void write_device(struct cann_trace *trace, struct outfile *out, const struct cann_part *part, int64_t device_id)
{
    enum { CHIP_910B = 5, CHIP_310B = 7 };
    int64_t overlap = trace_pid(trace, LAYER_OVERLAP, device_id);
    if (trace_shows(trace, TIMELINE_TASKS))
        trace_name_process(trace, out, trace_pid(trace, LAYER_HARDWARE, device_id), LAYER_HARDWARE, "Ascend Hardware",
                           device_id);
    if (trace_shows(trace, TIMELINE_OVERLAP))
        trace_name_process(trace, out, overlap, LAYER_OVERLAP, "Overlap Analysis", device_id);
    for (int i = OVERLAP_COMPUTING; i <= OVERLAP_FREE && trace_shows(trace, TIMELINE_OVERLAP); i++)
        trace_write_thread(out, overlap, i, i, overlap_names[i], false);
    if ((part->chip == CHIP_910B || part->chip == CHIP_310B) && trace_shows(trace, TIMELINE_FREQUENCY))
        write_frequencies(trace, out, device_id);
}

void trace_write_head(struct cann_trace *trace, struct outfile *out)
{
    outfile_write(out, "[", 1);
    if (trace_shows(trace, TIMELINE_CALLS))
        trace_name_process(trace, out, trace->cann_pid, LAYER_CANN, "CANN", -1);
    for (size_t i = 0; i < trace->parts.count; i++) {
        const struct cann_part *part = &trace->parts.parts[i];
        if (!part->is_host)
            write_device(trace, out, part, part->device_id != DB_NULL ? part->device_id : 0);
    }
}

void trace_write_tail(struct cann_trace *trace, struct outfile *out)
{
    for (size_t i = 0; i < trace->threads.count; i++) {
        const struct trace_thread *thread = &trace->threads.items[i];
        trace_write_thread(out, thread->pid, thread->tid, thread->tid,
                           thread->pid == trace->cann_pid ? "Thread " : "Stream ", true);
    }
    outfile_write(out, "\n]\n", 3);
}
