/* The layer of communication in the timeline of a new CANN capture: for each group of each device a thread with its
 * operators, and one for each plane with their tasks. */
#include "db/enum_names.h"
#include "exporters/cann_put.h"

#include <stdlib.h>

#define GROUP_ITSELF (-1) /* as a plane: the thread of the operators */

/* A thread; sorted by all members. Its number is its place among those of its device. */
struct lane {
    int64_t device_id, group_id, plane;
};

struct layer {
    struct cann_trace *trace;
    struct outfile *out;
    struct lane *lanes;
    size_t lane_count, lane_capacity;
    int64_t first_flow; /* arrows to operators have the numbers behind those to tasks */
    char *buffer;
    size_t buffer_size;
};

static int compare_lanes(const void *a, const void *b)
{
    const struct lane *x = a, *y = b;
    if (x->device_id != y->device_id)
        return x->device_id < y->device_id ? -1 : 1;
    if (x->group_id != y->group_id)
        return x->group_id < y->group_id ? -1 : 1;
    return (x->plane > y->plane) - (x->plane < y->plane);
}

static int add_lane(struct layer *layer, const struct cann_communication *op, int64_t plane, struct err *err)
{
    if (layer->lane_count == layer->lane_capacity) {
        size_t capacity = layer->lane_capacity != 0 ? 2 * layer->lane_capacity : 256;
        struct lane *larger = reallocarray(layer->lanes, capacity, sizeof *larger);
        if (larger == NULL)
            return err_set(err, ERR_NO_MEMORY, "out of memory");
        layer->lanes = larger;
        layer->lane_capacity = capacity;
    }
    layer->lanes[layer->lane_count++] = (struct lane){op->device_id, op->group_name_id, plane};
    return 0;
}

/* The operator of a task; NULL in a database that others changed. */
static const struct cann_communication *op_of(const struct layer *layer, const struct cann_transfer *transfer)
{
    const struct cann_communications *ops = &layer->trace->communications;
    int64_t place = transfer->op_id - 1;
    return place >= 0 && (uint64_t)place < ops->count ? &ops->items[place] : NULL;
}

static int add_plane(void *arg, const struct cann_transfer *transfer, struct err *err)
{
    struct layer *layer = arg;
    const struct cann_communication *op = op_of(layer, transfer);
    return op != NULL && transfer->plane_id != DB_NULL ? add_lane(layer, op, transfer->plane_id, err) : 0;
}

static void unite_lanes(struct layer *layer)
{
    size_t kept = 0;
    qsort(layer->lanes, layer->lane_count, sizeof *layer->lanes, compare_lanes);
    for (size_t i = 0; i < layer->lane_count; i++) {
        if (i == 0 || compare_lanes(&layer->lanes[i], &layer->lanes[kept - 1]) != 0)
            layer->lanes[kept++] = layer->lanes[i];
    }
    layer->lane_count = kept;
}

/* The number of a thread. */
static int64_t lane_of(const struct layer *layer, const struct cann_communication *op, int64_t plane)
{
    const struct lane key = {op->device_id, op->group_name_id, plane};
    const struct lane *lane = bsearch(&key, layer->lanes, layer->lane_count, sizeof key, compare_lanes);
    size_t low = 0, high = lane != NULL ? (size_t)(lane - layer->lanes) : 0;
    while (low < high) { /* the first of the device */
        size_t middle = (low + high) / 2;
        if (layer->lanes[middle].device_id < key.device_id)
            low = middle + 1;
        else
            high = middle;
    }
    return lane != NULL ? lane - &layer->lanes[low] : 0;
}

/* Room for events whose texts have so many bytes; NULL with err set. */
static char *reserve(struct layer *layer, size_t text_bytes, struct err *err)
{
    size_t size = 4 * TRACE_EVENT_MAX + text_bytes;
    if (size > layer->buffer_size) {
        char *larger = realloc(layer->buffer, size);
        if (larger == NULL) {
            err_set(err, ERR_NO_MEMORY, "out of memory");
            return NULL;
        }
        layer->buffer = larger;
        layer->buffer_size = size;
    }
    return layer->buffer;
}

static void put_out(struct layer *layer, const char *end)
{
    outfile_write(layer->out, layer->buffer, (size_t)(end - layer->buffer));
}

/* ---- threads ---- */

static int write_lane_names(struct layer *layer, struct err *err)
{
    struct cann_trace *trace = layer->trace;
    for (size_t i = 0, first = 0; i < layer->lane_count; i++) {
        const struct lane *lane = &layer->lanes[i];
        struct cann_text group = cann_text(&trace->names, lane->group_id, 0);
        int64_t pid = trace_pid(trace, LAYER_COMMUNICATION, lane->device_id);
        if (i == 0 || lane->device_id != layer->lanes[first].device_id) {
            first = i;
            trace_name_process(layer->trace, layer->out, pid, LAYER_COMMUNICATION, "Communication", lane->device_id);
        }
        char *p = reserve(layer, group.length, err);
        if (p == NULL)
            return -(int)err->code;
        p = put_literal(p, ",\n");
        p = put_metadata(p, "thread_name", pid, (int64_t)(i - first));
        p = put_literal(p, "\"name\":\"");
        if (lane->plane != GROUP_ITSELF) {
            p = put_literal(p, "Plane ");
            p = number_put_signed(p, lane->plane);
        } else {
            p = group.text != NULL ? put_literal(p, "Group ") : p;
            p = put_inside(p, group);
            p = group.text != NULL ? put_literal(p, " Communication") : put_literal(p, "Communication");
        }
        p = put_literal(p, "\"}},\n");
        p = put_metadata(p, "thread_sort_index", pid, (int64_t)(i - first));
        p = put_literal(p, "\"sort_index\":");
        p = number_put_signed(p, (int64_t)(i - first));
        put_out(layer, put_literal(p, "}}"));
    }
    return 0;
}

/* ---- events ---- */

/* The name of a number as a JSON string; the number itself when it has none. */
static char *put_enum(char *p, const struct enum_name *names, int64_t id)
{
    const char *name = enum_name_find(names, id == DB_NULL ? HCCL_NOT_GIVEN : id);
    p = put_literal(p, "\"");
    p = name != NULL ? put_word(p, name) : number_put_signed(p, id);
    return put_literal(p, "\"");
}

static char *put_number(char *p, int64_t value)
{
    return value != DB_NULL ? number_put_signed(p, value) : put_literal(p, "\"N/A\"");
}

static int write_op(struct layer *layer, const struct cann_communication *op, struct err *err)
{
    const struct cann_trace *trace = layer->trace;
    struct cann_text name = cann_text(&trace->names, op->name_id, 0),
                     algorithm = cann_text(&trace->names, op->algorithm_id, 0);
    int64_t pid = trace_pid(trace, LAYER_COMMUNICATION, op->device_id), tid = lane_of(layer, op, GROUP_ITSELF);
    char *p = reserve(layer, name.length + algorithm.length, err);
    if (p == NULL)
        return -(int)err->code;
    p = put_literal(p, ",\n{\"name\":");
    p = put_string(p, name);
    p = put_ids(p, pid, tid);
    p = put_time(p, trace->compat, op->start_ns);
    p = put_duration(p, op->duration_ns);
    p = put_literal(p, ",\"ph\":\"X\",\"args\":{\"connection_id\":");
    p = put_number(p, op->connection_id);
    p = put_literal(p, ",\"model id\":");
    p = put_number(p, op->model_id);
    p = put_literal(p, ",\"data_type\":");
    p = put_enum(p, hccl_data_types, op->data_type);
    p = put_literal(p, ",\"alg_type\":");
    p = put_string(p, algorithm);
    p = put_literal(p, ",\"count\":");
    p = put_number(p, op->count);
    p = put_literal(p, "}}");
    if (trace_shows(trace, TIMELINE_CALLS)) {
        int64_t flow = layer->first_flow + op->id;
        p = trace_put_flow(p, trace, 's', flow, trace->cann_pid, op->thread_id, op->host_start_ns);
        p = trace_put_flow(p, trace, 'f', flow, pid, tid, op->start_ns);
    }
    put_out(layer, p);
    layer->trace->events++;
    return 0;
}

static int write_transfer(void *arg, const struct cann_transfer *transfer, struct err *err)
{
    struct layer *layer = arg;
    const struct cann_trace *trace = layer->trace;
    const struct cann_communication *op = op_of(layer, transfer);
    if (op == NULL || transfer->plane_id == DB_NULL) /* nothing was reported of it */
        return 0;
    struct cann_text type = cann_text(&trace->names, transfer->type_id, 0);
    char *p = reserve(layer, 2 * (size_t)type.length, err);
    if (p == NULL)
        return -(int)err->code;
    p = put_literal(p, ",\n{\"name\":");
    p = put_string(p, type);
    p = put_ids(p, trace_pid(trace, LAYER_COMMUNICATION, op->device_id), lane_of(layer, op, transfer->plane_id));
    p = put_time(p, trace->compat, transfer->start_ns);
    p = put_duration(p, transfer->duration_ns);
    p = put_literal(p, ",\"ph\":\"X\",\"args\":{\"notify_id\":\"");
    p = number_put_unsigned(p, (uint64_t)transfer->notify_id);
    p = put_literal(p, "\",\"duration estimated(us)\":");
    p = number_put_shortest(p, transfer->estimated_ns, 3);
    p = put_literal(p, ",\"stream id\":");
    p = number_put_signed(p, transfer->stream_id);
    p = put_literal(p, ",\"task id\":");
    p = number_put_signed(p, transfer->task_id);
    p = put_literal(p, ",\"context id\":");
    p = number_put_signed(p, transfer->context_id != DB_NULL ? transfer->context_id : CANN_NO_ID);
    p = put_literal(p, ",\"task type\":");
    p = put_string(p, type);
    p = put_literal(p, ",\"src rank\":");
    p = put_number(p, transfer->local_rank);
    p = put_literal(p, ",\"dst rank\":");
    p = put_number(p, transfer->remote_rank);
    p = put_literal(p, ",\"transport type\":");
    p = put_enum(p, hccl_transport_types, transfer->transport_type);
    p = put_literal(p, ",\"size(Byte)\":");
    p = put_number(p, transfer->bytes);
    p = put_literal(p, ",\"data type\":");
    p = put_enum(p, hccl_data_types, transfer->data_type);
    p = put_literal(p, ",\"link type\":");
    p = put_enum(p, hccl_link_types, transfer->link_type);
    p = put_literal(p, ",\"bandwidth(GB/s)\":"); /* bytes a nanosecond */
    p = number_put_shortest(p, number_ratio(transfer->bytes, transfer->duration_ns, 3), 3);
    p = put_literal(p, ",\"model id\":");
    p = put_number(p, op->model_id);
    put_out(layer, put_literal(p, "}}"));
    layer->trace->events++;
    return 0;
}

int trace_write_communication(struct cann_trace *trace, sqlite3 *db, struct outfile *out, struct err *err)
{
    struct layer layer = {.trace = trace, .out = out};
    const struct cann_communications *ops = &trace->communications;
    int status = 0;
    if (ops->count == 0)
        return 0;
    layer.first_flow = cann_last_connection(db);
    for (size_t i = 0; status == 0 && i < ops->count; i++)
        status = add_lane(&layer, &ops->items[i], GROUP_ITSELF, err);
    if (status == 0)
        status = cann_each_transfer(db, add_plane, &layer, err);
    if (status == 0) {
        unite_lanes(&layer);
        status = write_lane_names(&layer, err);
    }
    for (size_t i = 0; status == 0 && i < ops->count; i++)
        status = write_op(&layer, &ops->items[i], err);
    if (status == 0)
        status = cann_each_transfer(db, write_transfer, &layer, err);
    free(layer.lanes);
    free(layer.buffer);
    return status;
}
