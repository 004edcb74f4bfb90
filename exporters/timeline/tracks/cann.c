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

#define LEVELS 16

/* State of a worker. */
struct path {
    struct level {
        int64_t level;
        const char *prefix, *name; /* prefix NULL: it has not been met */
        uint32_t name_length;
    } levels[LEVELS];
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

/* The words of a level: there are few of them, a good deal apart. */
static const struct level *level_of(struct path *path, int64_t level)
{
    enum { APART = 256 };
    struct level *ret = &path->levels[(uint64_t)level / APART % LEVELS];
    if (ret->prefix == NULL || ret->level != level) {
        const char *name = value_name_find(level_names, level);
        *ret = (struct level){level, level_prefix(level), name, name != NULL ? (uint32_t)strlen(name) : 0};
    }
    return ret;
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

static void add_arguments(struct event *event, const struct cann_call *call, const char *level, struct cann_text name,
                          struct cann_text item, bool compat)
{
    const bool acl = call->level == HOST_LEVEL_ACL;
    char number[NUMBER_MAX];
    *number_put_signed(number, call->level) = '\0';
    event_integer(event, "Thread Id", call->thread_id);
    if (acl)
        event_word(event, "Mode", acl_mode(call->type));
    else
        event_cann(event, "Mode", name);
    event_copy(event, "level", level != NULL ? level : number);
    if (acl)
        event_cann(event, "id", name);
    else
        event_word(event, "id", "0");
    event_cann(event, "item_id", item);
    if (compat)
        event_integer(event, "connection_id", call->id);
    else if (call->connection_id != DB_NULL)
        event_integer(event, "connection_id", call->connection_id);
}

/* Beside the arguments, which would make a name for each call: no viewer shows these. */
static void add_members(struct event *event, const struct cann_call *call, const struct level *level,
                        struct cann_text item)
{
    event->head.flags |= EVENT_CALL;
    event->head.category = level->name;
    event->head.category_length = level->name_length;
    if (item.text != NULL && !is_no_item(item))
        event_cann(event, "item_id", item);
    if (call->connection_id != DB_NULL)
        event_integer(event, "connection_id", call->connection_id);
}

/* A call of communication is called by what it is of. */
static void set_name(struct event *event, const struct cann_call *call, const char *prefix, struct cann_text name,
                     struct cann_text item)
{
    const struct cann_text shown = call->level == HOST_LEVEL_COMMUNICATION && item.text != NULL ? item : name;
    if (shown.text != NULL)
        event_name(event, prefix, shown.text + 1, shown.length - 2);
    else
        event_name_word(event, prefix);
}

static int draw_call(void *arg, const struct cann_call *call, struct err *err)
{
    struct track_worker *worker = arg;
    const struct track_run *run = worker->run;
    const struct cann_text name = cann_text(&run->names, call->name_id, 0),
                           item = cann_text(&run->names, call->item_id, 0);
    struct event event;
    if (enter(worker, call, err) < 0)
        return err_status(err);
    if (!trace_guest_shows(run->guest, call->start_ns))
        return 0;
    if (track_need_thread(worker, call->thread_id, err) < 0)
        return err_status(err);
    struct trace_slice slice = {.pid = worker->pid,
                                .tid = call->thread_id,
                                .start_ns = call->start_ns,
                                .duration_ns = call->duration_ns,
                                .exact_ns = ticks_span_ns(run->clocks.host_hz, call->start_ns, call->duration_ns)};
    track_place_row(worker, call->id, &slice);
    const struct level *level = level_of(worker->own, call->level);
    event_slice(&event, &slice);
    set_name(&event, call, level->prefix, name, item);
    if (run->facts)
        add_members(&event, call, level, item);
    else
        add_arguments(&event, call, level->name, name, item, run->compat);
    worker->drawn++;
    if (track_put(worker, &event, err) < 0)
        return err_status(err);
    const bool launches = run->compat ? launch_calls_has(&run->launches, call->id) : call->launches > 0;
    if (!launches || !run->shows_tasks)
        return 0;
    event_flow(&event, &run->trace.style, &host_to_device, 's', run->compat ? call->id : call->connection_id, slice.pid,
               slice.tid, run->compat ? call->start_ns : launch_start(worker->own));
    return track_put(worker, &event, err);
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
