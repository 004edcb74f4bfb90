/* SPDX-License-Identifier: Apache-2.0 */
/* Communication operators and their tasks: for each group of each device a thread with its operators, and one for each
 * plane with their tasks. */
#include "features/communication/communication.h"
#include "base/array.h"
#include "base/map.h"
#include "base/number.h"
#include "base/search.h"
#include "db/query/cann_version.h"
#include "db/query/query_records.h"
#include "db/query/query_scan.h"
#include "exporters/cann_report.h"
#include "exporters/query_compile.h"
#include "exporters/timeline/track.h"

#include <stdlib.h>

#define NO_NOTIFICATION (-1) /* all bits of its number */
#define GROUP_ITSELF (-1)    /* as a plane: the thread of the operators */

/* A thread; sorted by all members. Its number is its place among those of its device. */
struct lane {
    int64_t device_id, group_id, plane;
};

struct layer {
    struct trace_lanes lanes;
    struct track_run *run;
    struct lane_list ARRAY_OF(struct lane) list;
    int64_t first_flow; /* arrows to operators have the numbers behind those to tasks */
    struct map runs;    /* of tasks that RDMA confirmed together */
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

static void unite_lanes(struct layer *layer)
{
    struct lane *lanes = layer->list.items;
    size_t kept = 0;
    array_sort(lanes, layer->list.count, sizeof *lanes, compare_lanes);
    for (size_t i = 0; i < layer->list.count; i++) {
        if (i == 0 || compare_lanes(&lanes[i], &lanes[kept - 1]) != 0)
            lanes[kept++] = lanes[i];
    }
    layer->list.count = kept;
    layer->lanes.own_next = (int64_t)kept;
}

/* There are few, but every task names one: the list does not grow with these. */
static int add_lane(struct layer *layer, const struct cann_communication *op, int64_t plane, struct err *err)
{
    struct lane_list *list = &layer->list;
    if (list->count == list->capacity) {
        unite_lanes(layer);
        if (array_reserve(list, list->count + 1, err) < 0)
            return err_status(err);
    }
    list->items[list->count++] = (struct lane){op->device_id, op->group_name_id, plane};
    return 0;
}

/* The operator of a task; NULL: there is none. */
static const struct cann_communication *op_of(const struct layer *layer, int64_t op_id)
{
    const struct cann_communications *ops = &layer->run->communications;
    const size_t place = cann_communication_place(ops, op_id);
    return place != SIZE_MAX ? &ops->items[place] : NULL;
}

/* Lanes need no more of tasks, and nothing of what the device did. */
enum { PLANE_OP, PLANE, PLANE_TASK, PLANE_COLUMNS };
static const struct scan_column plane_columns[PLANE_COLUMNS] = {
    {"op_id", PLANE_OP, false}, {"plane_id", PLANE, false}, {"task_row_id", PLANE_TASK, false}};

static int add_plane(void *arg, int64_t *row, struct err *err)
{
    struct layer *layer = arg;
    const struct cann_communication *op = op_of(layer, row[PLANE_OP]);
    if (op == NULL || row[PLANE_TASK] == DB_NULL || (row[PLANE] == DB_NULL && !layer->run->compat))
        return 0;
    /* Ascend's tool names plane 0 where nothing was reported of tasks, as at level 0, and leaves it empty. */
    return add_lane(layer, op, row[PLANE] != DB_NULL ? row[PLANE] : 0, err);
}

/* The number of a thread. */
static int64_t number_of(const struct layer *layer, const struct cann_communication *op, int64_t plane)
{
    const struct lane key = {op->device_id, op->group_name_id, plane};
    const struct lane *lane = bsearch(&key, layer->list.items, layer->list.count, sizeof key, compare_lanes);
    return lane != NULL ? lane - &layer->list.items[search_from(layer->list.items, layer->list.count, sizeof key,
                                                                offsetof(struct lane, device_id), op->device_id)]
                        : 0;
}

/* ---- events ---- */

/* The name of a number; the number itself, in room, when it has none. unknown: the name of none. */
static const char *enum_name(const struct value_name *names, int64_t id, int64_t unknown, char room[NUMBER_MAX])
{
    const char *name = value_name_find(names, id == DB_NULL ? unknown : id);
    if (name != NULL)
        return name;
    *number_put_signed(room, id) = '\0';
    return room;
}

/* Ascend's tool prints a number where there is no rank. */
static int64_t printed_rank(const struct track_run *run, int64_t rank)
{
    return rank == DB_NULL && run->compat ? CANN_NO_ID : rank;
}

static const char *yes_or_no(int64_t flag)
{
    return flag == DB_NULL ? "N/A" : flag != 0 ? "yes" : "no";
}

static const char *process_name(const struct track_run *run)
{
    return cann_version_has(run->run->options->cann_version, NAMING_HCCL) ? "HCCL" : "Communication";
}

static int name_thread(struct layer *layer, const struct cann_communication *op, int64_t plane, int64_t pid,
                       struct err *err)
{
    const struct cann_text group = cann_text(&layer->run->names, op->group_name_id, 0);
    char **name = trace_lanes_name_of(&layer->lanes, pid, number_of(layer, op, plane), err);
    if (name == NULL || *name != NULL)
        return name != NULL ? 0 : err_status(err);
    if ((plane != GROUP_ITSELF ? asprintf(name, "Plane %lld", (long long)plane)
         : group.text == NULL  ? asprintf(name, "Communication")
                              : asprintf(name, "Group %.*s Communication", (int)group.length - 2, group.text + 1)) >= 0)
        return 0;
    *name = NULL;
    return err_no_memory(err);
}

/* Where an event of an operator, or of a plane, is drawn. */
static int place(struct layer *layer, const struct cann_communication *op, int64_t plane, struct trace_slice *slice,
                 struct err *err)
{
    if (track_process(layer->run, LAYER_COMMUNICATION, op->device_id, process_name(layer->run), &slice->pid, err) < 0 ||
        name_thread(layer, op, plane, slice->pid, err) < 0)
        return err_status(err);
    return trace_lanes_place(&layer->lanes, number_of(layer, op, plane), slice, err);
}

/* Names planes as Ascend's tool does, whether anything stands on them or not. */
static int name_planes(struct layer *layer, struct err *err)
{
    for (size_t i = 0; i < layer->list.count; i++) {
        const struct lane *lane = &layer->list.items[i];
        const struct cann_communication op = {.device_id = lane->device_id, .group_name_id = lane->group_id};
        int64_t pid;
        if (lane->plane == GROUP_ITSELF)
            continue;
        if (track_process(layer->run, LAYER_COMMUNICATION, op.device_id, process_name(layer->run), &pid, err) < 0 ||
            name_thread(layer, &op, lane->plane, pid, err) < 0 ||
            trace_lanes_add(&layer->lanes, pid, number_of(layer, &op, lane->plane), NULL, err) < 0)
            return err_status(err);
    }
    return 0;
}

static int write_arrows(struct layer *layer, const struct cann_communication *op, const struct trace_slice *slice,
                        const struct trace_launch *launch, struct err *err)
{
    struct track_run *run = layer->run;
    const struct trace_style *style = &run->trace.style;
    struct event event;
    for (const char *phase = launch != NULL ? "sf" : ""; *phase != '\0'; phase++) {
        trace_guest_arrow(&event, run->guest, *phase, launch, slice, TRACE_ROW_COMMUNICATION, op->id);
        if (trace_put(&run->trace, &event, err) < 0)
            return err_status(err);
    }
    if (!track_shows_launch(run, op->connection_id))
        return 0;
    const int64_t flow = number_add(layer->first_flow, op->id);
    event_flow(&event, style, &host_to_device, 's', flow, track_pid(run, LAYER_CANN, DB_NULL), op->thread_id,
               op->host_start_ns);
    if (trace_put(&run->trace, &event, err) < 0)
        return err_status(err);
    event_flow(&event, style, &host_to_device, 'f', flow, slice->pid, slice->tid, op->start_ns);
    return trace_put(&run->trace, &event, err);
}

static int write_op(struct layer *layer, const struct cann_communication *op, struct err *err)
{
    struct track_run *run = layer->run;
    struct cann_text name = cann_text(&run->names, op->name_id, 0),
                     algorithm = cann_text(&run->names, op->algorithm_id, 0);
    struct trace_slice slice = {
        .start_ns = op->start_ns,
        .duration_ns = op->duration_ns,
        .exact_ns = ticks_span_ns(cann_clock_hz(&run->clocks, op->device_id), op->start_ns, op->duration_ns)};
    struct trace_launch launch;
    struct event event;
    char number[NUMBER_MAX];
    if (!trace_guest_shows(run->guest, op->start_ns))
        return 0;
    const bool launched = trace_guest_knows(run->guest, op->connection_id, &launch);
    if (place(layer, op, GROUP_ITSELF, &slice, err) < 0)
        return err_status(err);
    event_slice(&event, &slice);
    event_cann_name(&event, "", name);
    event_known(&event, "rank_size", op->rank_size);
    event_known(&event, "connection_id", track_connection(run, op->connection_id));
    event_known(&event, "model id", op->model_id);
    event_copy(&event, "data_type", enum_name(hccl_data_types, op->data_type, HCCL_NOT_GIVEN, number));
    event_cann(&event, "alg_type", algorithm);
    event_known(&event, "count", op->count);
    event_word(&event, "relay", yes_or_no(op->relay));
    event_word(&event, "retry", yes_or_no(op->retry));
    if (launched)
        trace_guest_argument(&event, run->guest, &launch);
    return trace_put(&run->trace, &event, err) < 0 ? err_status(err)
                                                   : write_arrows(layer, op, &slice, launched ? &launch : NULL, err);
}

/* Bytes in a nanosecond are GB in a second. Tasks that RDMA confirmed together have one bandwidth. An unknown size
 * has none. */
static void add_bandwidth(struct event *event, const struct layer *layer, const struct cann_transfer *transfer)
{
    const struct communication_run *run = map_get(&layer->runs, &transfer->task_row_id);
    const int64_t bytes = run != NULL ? run->bytes : transfer->bytes;
    const double ns = run != NULL ? run->ns : ticks_exact_ns(transfer->hz, transfer->start_ns, transfer->duration_ns);
    if (bytes >= 0)
        event_real(event, "bandwidth(GB/s)", ns > 0 ? (double)bytes / ns : 0);
    else
        event_word(event, "bandwidth(GB/s)", "N/A");
}

static void add_transfer(struct event *event, const struct track_run *run, const struct cann_transfer *transfer,
                         struct cann_text type)
{
    const int64_t unknown = run->compat ? HCCL_INVALID : HCCL_NOT_GIVEN;
    char number[NUMBER_MAX];
    *number_put_unsigned(number, (uint64_t)transfer->notify_id) = '\0';
    event_copy(event, "notify_id", run->compat || transfer->notify_id != NO_NOTIFICATION ? number : "N/A");
    event_decimals(event, "duration estimated(us)", transfer->estimated_ns, 3);
    event_integer(event, "stream id", transfer->stream_id);
    event_integer(event, "task id", transfer->task_id);
    event_integer(event, "context id", transfer->context_id != DB_NULL ? transfer->context_id : CANN_NO_ID);
    event_cann(event, "task type", type);
    event_known(event, "src rank", printed_rank(run, transfer->local_rank));
    event_known(event, "dst rank", printed_rank(run, transfer->remote_rank));
    event_copy(event, "transport type", enum_name(hccl_transport_types, transfer->transport_type, unknown, number));
    event_known(event, "size(Byte)", transfer->bytes);
    event_copy(event, "data type", enum_name(hccl_data_types, transfer->data_type, unknown, number));
    event_copy(event, "link type", enum_name(hccl_link_types, transfer->link_type, unknown, number));
}

static int write_transfer(void *arg, const struct cann_transfer *transfer, struct err *err)
{
    struct layer *layer = arg;
    struct track_run *run = layer->run;
    const struct cann_communication *op = op_of(layer, transfer->op_id);
    if (op == NULL || transfer->plane_id == DB_NULL || /* nothing was reported of it */
        !trace_guest_shows(run->guest, transfer->start_ns))
        return 0;
    struct cann_text type = cann_text(&run->names, transfer->type_id, 0);
    struct trace_slice slice = {.start_ns = transfer->start_ns,
                                .duration_ns = transfer->duration_ns,
                                .exact_ns = ticks_span_ns(cann_clock_hz(&run->clocks, transfer->device_id),
                                                          transfer->start_ns, transfer->duration_ns)};
    struct event event;
    if (place(layer, op, transfer->plane_id, &slice, err) < 0)
        return err_status(err);
    event_slice(&event, &slice);
    event_cann_name(&event, "", type);
    add_transfer(&event, run, transfer, type);
    add_bandwidth(&event, layer, transfer);
    event_known(&event, "model id", op->model_id);
    return trace_put(&run->trace, &event, err);
}

/* ---- the track ---- */

static int begin(struct track_run *run, void *opaque, struct err *err)
{
    struct layer *layer = opaque;
    const struct cann_communications *ops = &run->communications;
    if (ops->count == 0)
        return 0;
    layer->run = run;
    int status = run->compat ? cann_call_count(run->run->db, &layer->first_flow, err)
                             : cann_last_connection(run->run->db, &layer->first_flow, err);
    for (size_t i = 0; status == 0 && i < ops->count; i++)
        status = add_lane(layer, &ops->items[i], GROUP_ITSELF, err);
    if (status < 0 || query_scan_all(run->run->db, "communication_task", NULL, plane_columns, PLANE_COLUMNS, add_plane,
                                     layer, err) < 0)
        return err_status(err);
    unite_lanes(layer);
    status = communication_runs_load(run->run->db, &layer->runs, err);
    if (status < 0 || (run->compat && name_planes(layer, err) < 0))
        return err_status(err);
    for (size_t i = 0; status == 0 && i < ops->count; i++)
        status = write_op(layer, &ops->items[i], err);
    return status == 0 ? cann_each_transfer(run->run->db, write_transfer, layer, err) : status;
}

static void release(void *opaque)
{
    struct layer *layer = opaque;
    map_release(&layer->runs);
    free(layer->list.items);
}

const struct track track_communication = {
    .name = "communication",
    .also = "hccl",
    .process = "Communication",
    .doc = "Communication operators by group, and their tasks by plane.",
    .number = LAYER_COMMUNICATION,
    .state_size = sizeof(struct layer),
    .word = "",
    .begin = begin,
    .release = release,
};
