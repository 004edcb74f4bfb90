/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the host, by thread, and where the arrows to what they launched begin. */
#include "base/number.h"
#include "exporters/timeline/tracks/put.h"
#include "parsers/record.h"

#include <pthread.h>
#include <stdlib.h>

struct calls {
    int64_t pid;
    struct trace_lanes lanes;
    pthread_mutex_t lock; /* of lanes: workers add threads */
    bool has_lock;
    struct placed_rows placed;
};

static int first_free_thread(void *db, int64_t *ret, struct err *err)
{
    int status = cann_largest_thread(db, ret, err);
    *ret = number_add(*ret, 1);
    return status;
}

static int begin(struct track_run *run, void *opaque, struct err *err)
{
    struct calls *calls = opaque;
    trace_lanes_init(&calls->lanes, &run->trace.style, "Thread ", first_free_thread, run->run->db);
    calls->has_lock = pthread_mutex_init(&calls->lock, NULL) == 0;
    if (!calls->has_lock)
        return err_set(err, ERR_NO_MEMORY, "out of memory for a lock");
    return track_process(run, LAYER_CANN, DB_NULL, "CANN", &calls->pid, err);
}

/* Only of captures whose calls are not all nested. */
static int take_call(struct track_run *run, void *opaque, const struct cann_span *span, struct err *err)
{
    struct calls *calls = opaque;
    (void)run;
    pthread_mutex_lock(&calls->lock);
    int status = placed_rows_take(&calls->placed, &calls->lanes, calls->pid, span, err);
    pthread_mutex_unlock(&calls->lock);
    return status;
}

static int take_range(struct track_run *run, void *opaque, int64_t first, int64_t end, struct err *err)
{
    struct calls *calls = opaque;
    return placed_rows_submit(&calls->placed, run, opaque, first, end, err);
}

static int name_threads(struct track_run *run, void *opaque, struct err *err)
{
    struct calls *calls = opaque;
    return trace_lanes_name(&calls->lanes, &run->trace, NULL, NULL, err);
}

static void release(void *opaque)
{
    struct calls *calls = opaque;
    if (!calls->has_lock)
        return;
    trace_lanes_release(&calls->lanes);
    pthread_mutex_destroy(&calls->lock);
}

/* ---- workers ---- */

#define PATH_DEPTH_MAX 128

struct worker {
    struct track_run *run;
    struct calls *calls;
    struct cann_reader *reader, *reader_around; /* around: while reader is being read */
    struct parallel_output *output;
    uint64_t drawn; /* events of the unit */
    const struct track_unit *unit;
    size_t next_placed;
    bool has_thread; /* added the last time */
    int64_t thread_id;
    struct cann_call path[PATH_DEPTH_MAX]; /* the calls around the last one, and it */
    size_t depth;
};

static void worker_free(void *opaque)
{
    struct worker *worker = opaque;
    cann_reader_free(worker->reader);
    cann_reader_free(worker->reader_around);
    free(worker);
}

static void *worker_new(struct track_run *run, void *calls, sqlite3 *db, struct err *err)
{
    struct worker *worker = calloc(1, sizeof *worker);
    if (worker == NULL) {
        err_no_memory(err);
        return NULL;
    }
    worker->run = run;
    worker->calls = calls;
    worker->reader = cann_reader_new(db, CANN_CALLS, err);
    worker->reader_around = worker->reader != NULL ? cann_reader_new(db, CANN_CALLS, err) : NULL;
    if (worker->reader_around == NULL) {
        worker_free(worker);
        return NULL;
    }
    return worker;
}

static int add_thread(struct worker *worker, int64_t thread_id, struct err *err)
{
    if (worker->has_thread && worker->thread_id == thread_id)
        return 0;
    pthread_mutex_lock(&worker->calls->lock);
    int status = trace_lanes_add(&worker->calls->lanes, worker->calls->pid, thread_id, NULL, err);
    pthread_mutex_unlock(&worker->calls->lock);
    worker->has_thread = status == 0;
    worker->thread_id = thread_id;
    return status;
}

/* The calls around one whose parent is not on the path: the outermost first. */
static int read_path(struct worker *worker, const struct cann_call *call, struct err *err)
{
    struct cann_call around = *call;
    bool found = true;
    worker->depth = 0;
    while (found && worker->depth < PATH_DEPTH_MAX - 1 && around.parent_id != DB_NULL && around.parent_id < around.id) {
        if (cann_get_call(worker->reader_around, around.parent_id, &around, &found, err) < 0)
            return -(int)err->code;
        if (found)
            worker->path[worker->depth++] = around;
    }
    for (size_t i = 0; i < worker->depth / 2; i++) {
        const struct cann_call inner = worker->path[i];
        worker->path[i] = worker->path[worker->depth - 1 - i];
        worker->path[worker->depth - 1 - i] = inner;
    }
    return 0;
}

/* Puts a call on the path. */
static int enter(struct worker *worker, const struct cann_call *call, struct err *err)
{
    while (worker->depth > 0 && worker->path[worker->depth - 1].id != call->parent_id)
        worker->depth--;
    if (worker->depth == PATH_DEPTH_MAX)
        worker->depth = 0;
    if (worker->depth == 0 && call->parent_id != DB_NULL && read_path(worker, call, err) < 0)
        return -(int)err->code;
    worker->path[worker->depth++] = *call;
    return 0;
}

/* An operator's launch at the level of nodes. */
static bool is_launch(const struct cann_call *call)
{
    return call->level == HOST_LEVEL_NODE && call->type == HOST_NODE_LAUNCH;
}

/* Where the arrow to what the last call launched begins: at the launch around it, else at the call itself. */
static int64_t launch_start(const struct worker *worker)
{
    for (size_t i = worker->depth; i > 0; i--) {
        if (is_launch(&worker->path[i - 1]))
            return worker->path[i - 1].start_ns;
    }
    return worker->path[worker->depth - 1].start_ns;
}

/* ---- events ---- */

static const char *level_prefix(int64_t level)
{
    switch (level) {
    case HOST_LEVEL_ACL:
        return "AscendCL@";
    case HOST_LEVEL_MODEL:
        return "Model@";
    case HOST_LEVEL_NODE:
        return "Node@";
    case HOST_LEVEL_COMMUNICATION:
        return "Communication@";
    case HOST_LEVEL_RUNTIME:
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

/* As records number a call that is of nothing. */
static bool is_no_item(struct cann_text item)
{
    return item.length == 3 && memcmp(item.text, "\"0\"", 3) == 0;
}

static char *put_arguments(char *p, const struct trace_style *style, const struct cann_call *call,
                           struct cann_text name, struct cann_text item)
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
    struct worker *worker = arg;
    const struct track_run *run = worker->run;
    const struct trace_style *style = &run->trace.style;
    struct cann_text name = cann_text(&run->names, call->name_id, 0), item = cann_text(&run->names, call->item_id, 0);
    int status = enter(worker, call, err);
    if (status == 0 && !trace_guest_shows(run->guest, call->start_ns))
        return 0;
    if (status == 0)
        status = add_thread(worker, call->thread_id, err);
    char *start = status == 0
                      ? parallel_reserve(worker->output,
                                         2 * TRACE_EVENT_MAX + (size_t)2 * name.length + (size_t)2 * item.length, err)
                      : NULL;
    if (start == NULL)
        return -(int)err->code;
    struct trace_slice slice = {.pid = worker->calls->pid,
                                .tid = call->thread_id,
                                .start_ns = call->start_ns,
                                .duration_ns = call->duration_ns};
    placed_rows_find(worker->unit, &worker->next_placed, call->id, &slice);
    char *p = begin_call(start, style, level_prefix(call->level), shown_name(call, name, item));
    if (!run->facts) {
        p = trace_put_slice(p, style, &slice);
        p = put_arguments(p, style, call, name, item);
        p = trace_end_slice(p, style, &slice);
    } else {
        p = trace_put_times(p, style, &slice);
        p = put_members(p, style, call, item);
        p = trace_end_call(p, style, &slice);
    }
    if (call->launches > 0 && run->shows_tasks)
        p = trace_put_flow(p, style, &host_to_device, 's', call->connection_id, slice.pid, slice.tid,
                           launch_start(worker));
    parallel_advance(worker->output, (size_t)(p - start));
    worker->drawn++;
    return 0;
}

static int draw(void *opaque, const struct track_unit *unit, struct parallel_output *output, struct err *err)
{
    struct worker *worker = opaque;
    worker->unit = unit;
    worker->output = output;
    worker->next_placed = worker->depth = 0;
    worker->drawn = 0;
    int status = cann_read_calls(worker->reader, unit->first, unit->end, draw_call, worker, err);
    atomic_fetch_add(&worker->run->drawn, worker->drawn);
    return status;
}

const struct track track_cann = {
    .name = "cann",
    .process = "CANN",
    .doc = "Calls of the host's libraries, by thread.",
    .order = LAYER_CANN,
    .rows = TRACK_CALLS,
    .state_size = sizeof(struct calls),
    .begin = begin,
    .span = take_call,
    .range = take_range,
    .name_threads = name_threads,
    .release = release,
    .worker_new = worker_new,
    .worker_free = worker_free,
    .draw = draw,
};
