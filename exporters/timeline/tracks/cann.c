/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the host, by thread, and where the arrows to what they launched begin. */
#include "base/number.h"
#include "exporters/timeline/track.h"
#include "parsers/record.h"

static int first_free_thread(void *db, int64_t *ret, struct err *err)
{
    int status = cann_largest_thread(db, ret, err);
    *ret = number_add(*ret, 1);
    return status;
}

static int begin(struct track_run *run, void *lanes, struct err *err)
{
    int64_t pid;
    (void)lanes;
    return track_process(run, LAYER_CANN, DB_NULL, "CANN", &pid, err);
}

/* ---- workers ---- */

#define PATH_DEPTH_MAX 128

/* State of a worker. */
struct path {
    int64_t first;                          /* of the unit that it is of */
    struct cann_call calls[PATH_DEPTH_MAX]; /* the calls around the last one, and it */
    size_t depth;
};

/* The calls around one whose parent is not on the path: the outermost first. */
static int read_path(struct track_worker *worker, const struct cann_call *call, struct err *err)
{
    struct path *path = worker->own;
    struct cann_call around = *call;
    bool found = true;
    path->depth = 0;
    while (found && path->depth < PATH_DEPTH_MAX - 1 && around.parent_id != DB_NULL && around.parent_id < around.id) {
        if (cann_get_call(worker->around, around.parent_id, &around, &found, err) < 0)
            return err_status(err);
        if (found)
            path->calls[path->depth++] = around;
    }
    for (size_t i = 0; i < path->depth / 2; i++) {
        const struct cann_call inner = path->calls[i];
        path->calls[i] = path->calls[path->depth - 1 - i];
        path->calls[path->depth - 1 - i] = inner;
    }
    return 0;
}

/* Puts a call on the path. */
static int enter(struct track_worker *worker, const struct cann_call *call, struct err *err)
{
    struct path *path = worker->own;
    if (path->first != worker->unit->first)
        path->depth = 0;
    path->first = worker->unit->first;
    while (path->depth > 0 && path->calls[path->depth - 1].id != call->parent_id)
        path->depth--;
    if (path->depth == PATH_DEPTH_MAX)
        path->depth = 0;
    if (path->depth == 0 && call->parent_id != DB_NULL && read_path(worker, call, err) < 0)
        return err_status(err);
    path->calls[path->depth++] = *call;
    return 0;
}

/* An operator's launch at the level of nodes. */
static bool is_launch(const struct cann_call *call)
{
    return call->level == HOST_LEVEL_NODE && call->type == HOST_NODE_LAUNCH;
}

/* Where the arrow to what the last call launched begins: at the launch around it, else at the call itself. */
static int64_t launch_start(const struct path *path)
{
    for (size_t i = path->depth; i > 0; i--) {
        if (is_launch(&path->calls[i - 1]))
            return path->calls[i - 1].start_ns;
    }
    return path->calls[path->depth - 1].start_ns;
}

/* ---- events ---- */

static const char *level_prefix(int64_t level)
{
    static const struct value_name prefixes[] = {
        {HOST_LEVEL_ACL, "AscendCL@"},    {HOST_LEVEL_MODEL, "Model@"},
        {HOST_LEVEL_NODE, "Node@"},       {HOST_LEVEL_COMMUNICATION, "Communication@"},
        {HOST_LEVEL_RUNTIME, "Runtime@"}, {0, NULL}};
    const char *name = value_name_find(prefixes, level);
    return name != NULL ? name : "Api@";
}

static const char *acl_mode(int64_t type)
{
    static const char *const modes[] = {NULL,          "ACL_OP",    "ACL_MODEL", "ACL_RTS",  "ACL_OTHERS", "ACL_NN",
                                        "ACL_ASCENDC", "HOST_HCCL", NULL,        "ACL_DVPP", "ACL_GRAPH"};
    int64_t mode = type >> 16;
    return mode > 0 && mode < (int64_t)(sizeof modes / sizeof *modes) && modes[mode] != NULL ? modes[mode]
                                                                                             : "ACL_OTHERS";
}

/* As records number a call that is of nothing. */
static bool is_no_item(struct cann_text item)
{
    return item.length == 3 && memcmp(item.text, "\"0\"", 3) == 0;
}

static char *put_arguments(char *p, const struct trace_style *style, const struct cann_call *call,
                           struct cann_text name, struct cann_text item, bool compat)
{
    const char *level = value_name_find(level_names, call->level);
    const bool acl = call->level == HOST_LEVEL_ACL;
    char number[NUMBER_MAX];
    *number_put_signed(number, call->level) = '\0';
    p = trace_put_integer(p, style, "\"Thread Id\":", call->thread_id);
    p = acl ? trace_put_value_word(p, style, ",\"Mode\":", acl_mode(call->type))
            : put_text_argument(p, style, ",\"Mode\":", name);
    p = trace_put_copy(p, style, ",\"level\":", level != NULL ? level : number);
    p = acl ? put_text_argument(p, style, ",\"id\":", name) : trace_put_value_word(p, style, ",\"id\":", "0");
    p = put_text_argument(p, style, ",\"item_id\":", item);
    if (compat)
        return trace_put_integer(p, style, ",\"connection_id\":", call->id);
    return call->connection_id != DB_NULL ? trace_put_integer(p, style, ",\"connection_id\":", call->connection_id) : p;
}

/* Beside the arguments, which would make a name for each call: no viewer shows these. */
static char *put_members(char *p, const struct trace_style *style, const struct cann_call *call, struct cann_text item)
{
    const char *level = value_name_find(level_names, call->level);
    if (level != NULL)
        p = trace_put_category(p, style, level);
    if (item.text != NULL && !is_no_item(item))
        p = trace_put_text(p, style, ",\"item_id\":", item.text, item.length);
    return call->connection_id != DB_NULL ? trace_put_integer(p, style, ",\"connection_id\":", call->connection_id) : p;
}

/* A call of communication is called by what it is of. */
static struct cann_text shown_name(const struct cann_call *call, struct cann_text name, struct cann_text item)
{
    return call->level == HOST_LEVEL_COMMUNICATION && item.text != NULL ? item : name;
}

static char *begin_call(char *p, const struct trace_style *style, const char *prefix, struct cann_text name)
{
    return name.text != NULL ? begin_named(p, style, prefix, name) : trace_begin_named(p, style, prefix, "", 0);
}

static int draw_call(void *arg, const struct cann_call *call, struct err *err)
{
    struct track_worker *worker = arg;
    const struct track_run *run = worker->run;
    const struct trace_style *style = &run->trace.style;
    struct cann_text name = cann_text(&run->names, call->name_id, 0), item = cann_text(&run->names, call->item_id, 0);
    if (enter(worker, call, err) < 0)
        return err_status(err);
    if (!trace_guest_shows(run->guest, call->start_ns))
        return 0;
    char *start = track_need_thread(worker, call->thread_id, err) == 0
                      ? parallel_reserve(worker->output,
                                         2 * TRACE_EVENT_MAX + (size_t)2 * name.length + (size_t)2 * item.length, err)
                      : NULL;
    if (start == NULL)
        return err_status(err);
    struct trace_slice slice = {.pid = worker->pid,
                                .tid = call->thread_id,
                                .start_ns = call->start_ns,
                                .duration_ns = call->duration_ns,
                                .exact_ns = ticks_span_ns(run->clocks.host_hz, call->start_ns, call->duration_ns)};
    track_place_row(worker, call->id, &slice);
    char *p = begin_call(start, style, level_prefix(call->level), shown_name(call, name, item));
    if (!run->facts) {
        p = trace_put_slice(p, style, &slice);
        p = put_arguments(p, style, call, name, item, run->compat);
        p = trace_end_slice(p, style, &slice);
    } else {
        p = trace_put_times(p, style, &slice);
        p = put_members(p, style, call, item);
        p = trace_end_call(p, style, &slice);
    }
    const bool launches = run->compat ? launch_calls_has(&run->launches, call->id) : call->launches > 0;
    if (launches && run->shows_tasks)
        p = trace_put_flow(p, style, &host_to_device, 's', run->compat ? call->id : call->connection_id, slice.pid,
                           slice.tid, run->compat ? call->start_ns : launch_start(worker->own));
    parallel_advance(worker->output, (size_t)(p - start));
    worker->drawn++;
    return 0;
}

const struct track track_cann = {
    .name = "cann",
    .process = "CANN",
    .doc = "Calls of the host's libraries, by thread.",
    .number = LAYER_CANN,
    .rows = TRACK_CALLS,
    .state_size = sizeof(struct trace_lanes),
    .word = "Thread ",
    .first_free = first_free_thread,
    .begin = begin,
    .worker_size = sizeof(struct path),
    .draw_call = draw_call,
};
