/* SPDX-License-Identifier: Apache-2.0 */
#include "base/array.h"
#include "base/file/large.h"
#include "base/file/spool.h"
#include "base/search.h"
#include "db/query/clocks.h"
#include "db/query/query.h"
#include "db/query/query_cann.h"
#include "db/query/query_loop.h"
#include "db/query/query_records.h"
#include "exporters/cann_report.h"
#include "exporters/tree_outputs.h"
#include "features/answers/load/load.h"
#include "features/flame/flame.h"
#include "features/frameworks/reports/host_side.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct known_child {
    struct child_key {
        uint32_t parent, name;
    } key;
    uint32_t node;
};

static int flame_init(struct flame *flame, enum flame_weight weight, struct err *err)
{
    *flame = (struct flame){.weight = weight, .hz = TICKS_OF_NS, .known = MAP_OF(struct known_child, key)};
    return array_add(&flame->nodes, err, (struct flame_node){.parent = FLAME_ROOT});
}

void flame_release(struct flame *flame)
{
    map_release(&flame->known);
    intern_release(&flame->names);
    free(flame->nodes.items);
    *flame = (struct flame){.weight = FLAME_DEVICE};
}

/* The node of a frame inside of another, new or known; name: a number of flame->names. */
static int flame_child(struct flame *flame, uint32_t parent, uint32_t name, uint32_t *ret, struct err *err)
{
    const struct child_key key = {parent, name};
    const uint32_t depth = flame->nodes.items[parent].depth, latest = flame->nodes.items[parent].latest;
    bool added;

    *ret = parent;
    if (depth == FLAME_DEPTH_MAX)
        return 0;
    if (latest != 0 && flame->nodes.items[latest].name == name) {
        *ret = latest;
        return 0;
    }
    struct known_child *known = map_add(&flame->known, &key, &added, err);
    if (known == NULL)
        return err_status(err);
    if (added) {
        if (flame->nodes.count == UINT32_MAX)
            return err_set(err, ERR_LIMIT, "more than %u different stacks", UINT32_MAX);
        if (array_reserve(&flame->nodes, 1, err) != 0)
            return err_status(err);
        known->node = (uint32_t)flame->nodes.count;
        flame->nodes.items[flame->nodes.count++] =
            (struct flame_node){.parent = parent, .name = name, .depth = depth + 1};
    }
    flame->nodes.items[parent].latest = *ret = known->node;
    return 0;
}

/* Rounds the nodes' own times, and sums the nodes up. */
static void flame_finish(struct flame *flame)
{
    struct flame_node *nodes = flame->nodes.items;

    for (size_t i = flame->nodes.count; i-- > 0;) { /* children have greater numbers than their parents */
        nodes[i].self = flame->weight == FLAME_COUNT ? nodes[i].self : ticks_ns(flame->hz, nodes[i].self);
        nodes[i].total = number_add(nodes[i].total, nodes[i].self);
        if (i != FLAME_ROOT)
            nodes[nodes[i].parent].total = number_add(nodes[nodes[i].parent].total, nodes[i].total);
    }
}

#define SPOOL_MEMORY ((size_t)16 * 1024 * 1024)

/* ---- calls inside of each other ---- */

struct open_frame {
    int64_t thread, start_ns, end_ns;
    int64_t covered_ns; /* until when calls inside of it ran */
    uint32_t name, node;
    size_t below; /* the index behind the nearest one below that is not covered to its end; 0: there is none */
};

/* The calls that are open on a thread at a time. */
struct open_calls {
    struct open_frame *items;
    size_t count, capacity;
    bool ragged;             /* one ends behind the one around it */
    int64_t earliest_end_ns; /* of them; none ends before it */
};

/* Whether a call begins while another is made. */
static bool is_inside(const struct open_frame *outer, const struct open_frame *call)
{
    return outer->thread == call->thread && (call->start_ns < outer->end_ns || call->end_ns <= outer->end_ns);
}

/* Takes calls that have ended from between those that go on, which began inside of them. */
static int drop_ended(struct open_calls *open, struct flame *flame, const struct open_frame *call, uint32_t *ret_parent,
                      struct err *err)
{
    size_t kept = 0;
    int status = 0;

    *ret_parent = FLAME_ROOT;
    open->ragged = false;
    for (size_t i = 0; status == 0 && i < open->count; i++) {
        if (!is_inside(&open->items[i], call))
            continue;
        status = flame_child(flame, *ret_parent, open->items[i].name, ret_parent, err);
        open->ragged |= kept > 0 && open->items[i].end_ns > open->items[kept - 1].end_ns;
        open->items[kept] = open->items[i];
        open->items[kept].below = kept;
        kept++;
        if (kept == 1 || open->items[i].end_ns < open->earliest_end_ns)
            open->earliest_end_ns = open->items[kept - 1].end_ns;
    }
    open->count = kept;
    return status;
}

/* Opens a call inside of those that are made when it begins; sets its node. Calls come by thread and start, a call
 * before those inside of it. */
static int open_call(struct open_calls *open, struct flame *flame, struct open_frame *call, struct err *err)
{
    uint32_t parent = FLAME_ROOT;
    int status = 0;

    while (open->count > 0 && !is_inside(&open->items[open->count - 1], call))
        open->count--;
    if (open->count > 0)
        parent = open->items[open->count - 1].node;
    bool some_may_have_ended =
        open->count > 0 && (open->items[0].thread != call->thread || call->start_ns >= open->earliest_end_ns);
    if (open->ragged && some_may_have_ended)
        status = drop_ended(open, flame, call, &parent, err);
    if (status != 0 || flame_child(flame, parent, call->name, &call->node, err) != 0 ||
        array_reserve(open, 1, err) != 0)
        return err_status(err);
    call->covered_ns = call->start_ns;
    call->below = open->count;
    if (open->count == 0 || call->end_ns < open->earliest_end_ns)
        open->earliest_end_ns = call->end_ns;
    open->ragged |= open->count > 0 && call->end_ns > open->items[open->count - 1].end_ns;
    open->items[open->count++] = *call;
    return 0;
}

/* Gives a call its time, and takes what it covers away from the calls around it, each moment once: also where it ends
 * behind them. */
static void add_host_time(struct open_calls *open, struct flame *flame)
{
    const struct open_frame *call = &open->items[open->count - 1];

    flame_add_ns(flame, call->node, call->start_ns, number_subtract(call->end_ns, call->start_ns));
    for (size_t *above = &open->items[open->count - 1].below; *above > 0;) {
        struct open_frame *around = &open->items[*above - 1];
        if (around->covered_ns >= around->end_ns) { /* nothing is left of it to take away */
            *above = around->below;
            continue;
        }
        int64_t from_ns = call->start_ns > around->covered_ns ? call->start_ns : around->covered_ns;
        int64_t to_ns = call->end_ns < around->end_ns ? call->end_ns : around->end_ns;
        if (from_ns < to_ns) {
            flame_add_ns(flame, around->node, to_ns, -number_subtract(to_ns, from_ns));
            around->covered_ns = to_ns;
        }
        if (call->end_ns <= around->end_ns)
            break;
        above = &around->below;
    }
}

/* ---- Ascend ---- */

/* Records of the spool, by connection: who launched it, then what devices ran for it. */
enum joined_order { JOIN_STACK, JOIN_LAUNCH, JOIN_CALL }; /* the last with how far it is from the deepest */
#define JOIN_WORK UINT64_MAX
struct joined {
    int64_t weight;
    uint32_t node; /* of the stack, of the calls; of work its name */
};

struct ascend_load {
    struct flame *flame;
    struct flame calls; /* stacks of calls alone; unused where the host's time is wanted */
    struct open_calls open;
    struct cann_texts names;
    struct spool *spool;
    sqlite3_stmt *frames; /* around calls; NULL: there are none, or no more */
    uint32_t not_launched;
};

static const char *text_or_none(const struct ascend_load *load, int64_t id)
{
    struct cann_text text = cann_text(&load->names, id, 0);

    return text.text != NULL ? text.text : "N/A";
}

static int spool_joined(struct ascend_load *load, int64_t connection, uint64_t order, uint32_t node, int64_t weight,
                        struct err *err)
{
    const struct spool_key key = {spool_key_part(connection), order};
    const struct joined record = {weight, node};

    return spool_add(load->spool, &key, &record, sizeof record, err);
}

/* A call with all times; false: it has none. */
static bool call_of(const struct cann_call *from, struct open_frame *ret)
{
    *ret = (struct open_frame){.thread = from->thread_id, .start_ns = from->start_ns};
    return from->start_ns != DB_NULL && from->duration_ns != DB_NULL && from->duration_ns >= 0 &&
           !__builtin_add_overflow(from->start_ns, from->duration_ns, &ret->end_ns);
}

static int64_t call_name(const struct cann_call *call)
{
    return call->level == HOST_LEVEL_COMMUNICATION && call->item_id != DB_NULL ? call->item_id : call->name_id;
}

/* ---- what stands around calls ---- */

/* Opens a call, or what stands around calls; where the host's time is wanted, it gets its time. */
static int add_call(struct ascend_load *load, struct open_frame *call, const char *text, struct err *err)
{
    const bool host = load->flame->weight == FLAME_HOST;
    struct flame *flame = host ? load->flame : &load->calls;

    if (intern_text(&flame->names, text, &call->name, err) != 0 || open_call(&load->open, flame, call, err) != 0)
        return err_status(err);
    if (host)
        add_host_time(&load->open, flame);
    return 0;
}

/* Whether what stands around calls stands in front of one. */
static bool stands_before(const struct open_frame *frame, const struct open_frame *call)
{
    if (frame->thread != call->thread)
        return frame->thread < call->thread;
    return frame->start_ns != call->start_ns ? frame->start_ns < call->start_ns : frame->end_ns >= call->end_ns;
}

/* Reads the next of load->frames; without one it is NULL. */
static int next_frame(struct ascend_load *load, struct err *err)
{
    sqlite3 *db = sqlite3_db_handle(load->frames);
    int code = sqlite3_step(load->frames);

    if (code == SQLITE_ROW)
        return 0;
    sqlite3_finalize(load->frames);
    load->frames = NULL;
    return code == SQLITE_DONE ? 0 : database_error(err, db, "cannot read stacks");
}

/* Adds frames until the one that stands behind a call; NULL: all. */
static int add_frames_before(struct ascend_load *load, const struct open_frame *call, struct err *err)
{
    while (load->frames != NULL) {
        struct open_frame frame = {.thread = query_integer(load->frames, 0),
                                   .start_ns = query_integer(load->frames, 1),
                                   .end_ns = query_integer(load->frames, 2)};
        if (call != NULL && !stands_before(&frame, call))
            return 0;
        if (add_call(load, &frame, query_text(load->frames, 3), err) != 0 || next_frame(load, err) != 0)
            return err_status(err);
    }
    return 0;
}

/* Opens what stands around calls, by thread and start: ranges that the program marked, and for the host's time what a
 * framework did. Its stacks of launches are put around those of calls, and have no ranges. */
static int open_frames(struct ascend_load *load, sqlite3 *db, bool framework, struct err *err)
{
    static const char *const queries[] = {
        "SELECT thread_id, start_ns, end_ns, name FROM temp.framework_frame ORDER BY id",
        "SELECT thread_id, start_ns, end_ns, message FROM msproftx WHERE end_ns > start_ns"
        " ORDER BY thread_id, start_ns, end_ns DESC, id",
        "SELECT thread_id, start_ns, end_ns, message, NULL AS id FROM msproftx WHERE end_ns > start_ns"
        " UNION ALL SELECT thread_id, start_ns, end_ns, name, id FROM temp.framework_frame"
        " ORDER BY thread_id, start_ns, end_ns DESC, id",
    };
    int64_t marked = 0;

    if (framework && load->flame->weight != FLAME_HOST)
        return 0;
    if (query_number(db, "SELECT EXISTS (SELECT 1 FROM msproftx WHERE end_ns > start_ns)", &marked, err) != 0)
        return err_status(err);
    if (marked == 0 && !framework)
        return 0;
    const char *query = queries[marked == 0 ? 0 : framework ? 2 : 1];
    return database_prepare(db, query, &load->frames, err) == 0 ? next_frame(load, err) : err_status(err);
}

/* ---- what launched ---- */

/* Keeps by which calls a connection was launched: the one that launched a task, else the deepest that has it. */
static int take_launching_call(void *arg, const struct cann_call *from, struct err *err)
{
    struct ascend_load *load = arg;
    struct open_frame call;

    if (!call_of(from, &call))
        return 0;
    if (add_frames_before(load, &call, err) != 0 ||
        add_call(load, &call, text_or_none(load, call_name(from)), err) != 0)
        return err_status(err);
    if (from->connection_id == DB_NULL)
        return 0;
    uint64_t order =
        from->launches > 0 ? JOIN_LAUNCH : JOIN_CALL + FLAME_DEPTH_MAX - load->calls.nodes.items[call.node].depth;
    return spool_joined(load, from->connection_id, order, call.node, 0, err);
}

static int add_work(struct ascend_load *load, int64_t connection, const char *name, int64_t start_ns,
                    int64_t duration_ns, struct err *err)
{
    uint32_t number;

    if (intern_text(&load->flame->names, name, &number, err) < 0)
        return err_status(err);
    return spool_joined(load, connection, JOIN_WORK, number,
                        load->flame->weight == FLAME_COUNT ? 1 : ticks_of(load->flame->hz, start_ns, duration_ns), err);
}

/* Takes what the tables of operators count: operators and copies. */
static int take_task(void *arg, const struct cann_task *task, struct err *err)
{
    struct ascend_load *load = arg;
    char copy[64];

    if (task->start_ns == DB_NULL || task->start_ns < 0 || task->duration_ns == DB_NULL || task->duration_ns < 0)
        return 0;
    if (cann_is_operator(task) && task->collective == CANN_COLLECTIVE_IN_OPERATOR)
        return 0; /* its operator stands for it */
    if (cann_is_operator(task))
        return add_work(load, task->connection_id, text_or_none(load, task->op_name_id), task->start_ns,
                        task->duration_ns, err);
    if (task->copy_bytes == DB_NULL || task->op_name_id != DB_NULL)
        return 0;
    snprintf(copy, sizeof copy, "copy %s", cann_copy_direction(task->copy_direction));
    return add_work(load, task->connection_id, copy, task->start_ns, task->duration_ns, err);
}

static int add_communications(struct ascend_load *load, sqlite3 *db, struct err *err)
{
    SCOPED(cann_communications_release) struct cann_communications list;
    int status = cann_communications_load(db, &list, err);

    for (size_t i = 0; status == 0 && i < list.count; i++) {
        const struct cann_communication *item = &list.items[i];
        char name[OPERATOR_NAME_SIZE];
        if (item->start_ns != DB_NULL && item->start_ns >= 0 && item->duration_ns != DB_NULL && item->duration_ns >= 0)
            status =
                add_work(load, item->connection_id,
                         operator_unnumbered(text_or_none(load, item->name_id), item->kernel_row_id != DB_NULL, name),
                         item->start_ns, item->duration_ns, err);
    }
    return status;
}

/* ---- stacks of a framework ---- */

struct stack_load {
    struct ascend_load *load;
    uint32_t *nodes; /* of each stack, from 1 */
    size_t count;
};

static int take_stack_count(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct stack_load *stacks = arg;

    stacks->count = (size_t)query_integer(row, 0);
    stacks->nodes = calloc(stacks->count + 1, sizeof *stacks->nodes);
    return stacks->nodes != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory for %zu stacks", stacks->count);
}

/* Whether a frame is a step that its framework numbers. */
static bool is_numbered_step(const char *name)
{
    static const char step[] = "ProfilerStep#";
    const size_t length = sizeof step - 1;

    return strncmp(name, step, length) == 0 && name[length] != '\0' &&
           name[length + strspn(name + length, "0123456789")] == '\0';
}

static int take_stack(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct stack_load *stacks = arg;
    struct flame *flame = stacks->load->flame;
    size_t id = (size_t)query_integer(row, 0), parent = (size_t)query_integer(row, 1);
    uint32_t name;
    const char *text = query_text(row, 2);
    int status =
        intern_text(&flame->names, flame->together && is_numbered_step(text) ? "ProfilerStep#*" : text, &name, err);

    return status == 0 ? flame_child(flame, stacks->nodes[parent], name, &stacks->nodes[id], err) : status;
}

static int take_launch(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct stack_load *stacks = arg;
    size_t id = (size_t)query_integer(row, 1);

    return spool_joined(stacks->load, query_integer(row, 0), JOIN_STACK, stacks->nodes[id], 0, err);
}

static int add_stacks(struct ascend_load *load, sqlite3 *db, struct err *err)
{
    struct stack_load stacks = {.load = load};
    bool done =
        query_run(db, "SELECT count(*) FROM temp.framework_stack", NULL, 0, take_stack_count, &stacks, err) == 0 &&
        query_run(db, "SELECT id, parent, name FROM temp.framework_stack ORDER BY id", NULL, 0, take_stack, &stacks,
                  err) == 0 &&
        query_run(db, "SELECT connection_id, stack_id FROM temp.framework_launch_stack", NULL, 0, take_launch, &stacks,
                  err) == 0;

    free(stacks.nodes);
    return done ? 0 : err_status(err);
}

/* ---- both together ---- */

/* Puts a stack of calls below a stack of the framework. */
static int put_below(struct ascend_load *load, uint32_t stack, uint32_t call, uint32_t *ret, struct err *err)
{
    uint32_t frames[FLAME_DEPTH_MAX], name;
    size_t count = 0;

    *ret = stack;
    if (stack == FLAME_ROOT && call == FLAME_ROOT) {
        *ret = load->not_launched;
        return 0;
    }
    for (; call != FLAME_ROOT; call = load->calls.nodes.items[call].parent)
        frames[count++] = load->calls.nodes.items[call].name;
    while (count > 0)
        if (intern_text(&load->flame->names, load->calls.names.items[frames[--count]].bytes, &name, err) != 0 ||
            flame_child(load->flame, *ret, name, ret, err) != 0)
            return err_status(err);
    return 0;
}

/* The connection that records are read of. */
struct joining {
    uint64_t connection;
    uint32_t stack, call; /* until work comes; then stack is all of both */
    bool whole;
};

static int join_record(struct ascend_load *load, struct joining *joining, const struct spool_item *item,
                       struct err *err)
{
    const struct joined *record = item->record;
    uint32_t node;

    if (item->key.major != joining->connection)
        *joining = (struct joining){.connection = item->key.major, .stack = FLAME_ROOT, .call = FLAME_ROOT};
    if (item->key.minor == JOIN_STACK) {
        joining->stack = record->node;
        return 0;
    }
    if (item->key.minor != JOIN_WORK) {
        joining->call = joining->call == FLAME_ROOT ? record->node : joining->call;
        return 0;
    }
    if (!joining->whole && put_below(load, joining->stack, joining->call, &joining->stack, err) != 0)
        return err_status(err);
    joining->whole = true;
    if (flame_child(load->flame, joining->stack, record->node, &node, err) != 0)
        return err_status(err);
    flame_add(load->flame, node, record->weight);
    return 0;
}

static int join(struct ascend_load *load, struct err *err)
{
    struct joining joining = {.connection = spool_key_part(DB_NULL), .stack = FLAME_ROOT, .call = FLAME_ROOT};
    struct spool_item item;
    int found, status = spool_finish(load->spool, err);

    if (status != 0)
        return status;
    while ((found = spool_next(load->spool, &item, err)) == 1)
        if (join_record(load, &joining, &item, err) != 0)
            return err_status(err);
    return found;
}

static int make_device(struct ascend_load *load, sqlite3 *db, bool framework, struct err *err)
{
    uint32_t name;

    load->spool = spool_new(SPOOL_MEMORY, NULL, err);
    if (load->spool == NULL || flame_init(&load->calls, load->flame->weight, err) != 0 ||
        intern_text(&load->flame->names, FLAME_NOT_LAUNCHED, &name, err) != 0 ||
        flame_child(load->flame, FLAME_ROOT, name, &load->not_launched, err) != 0 ||
        (framework && add_stacks(load, db, err) != 0) || open_frames(load, db, framework, err) != 0 ||
        cann_each_call(db, CANN_CALLS, take_launching_call, load, err) != 0 ||
        cann_each_task(db, CANN_TASKS, take_task, load, err) != 0 || add_communications(load, db, err) != 0)
        return err_status(err);
    return join(load, err);
}

/* ---- the host's time ---- */

static int take_host_call(void *arg, const struct cann_call *from, struct err *err)
{
    struct ascend_load *load = arg;
    struct open_frame call;

    if (!call_of(from, &call))
        return 0;
    int status = add_frames_before(load, &call, err);
    return status == 0 ? add_call(load, &call, text_or_none(load, call_name(from)), err) : status;
}

static int make_host(struct ascend_load *load, sqlite3 *db, bool framework, struct err *err)
{
    if (open_frames(load, db, framework, err) != 0)
        return err_status(err);
    return cann_each_call(db, CANN_CALLS, take_host_call, load, err) == 0 ? add_frames_before(load, NULL, err)
                                                                          : err_status(err);
}

/* The rate of the clock that measured all times: that of the host's, without frames of a framework, which has another,
 * or of all devices. Nanoseconds where there are several. */
static int find_rate(sqlite3 *db, bool framework, struct flame *flame, struct err *err)
{
    SCOPED(cann_clocks_release) struct cann_clocks clocks;
    if (cann_clocks_load(db, &clocks, err) < 0)
        return err_status(err);
    if (flame->weight == FLAME_HOST && !framework)
        flame->hz = cann_clock_hz(&clocks, DB_NULL);
    if (flame->weight != FLAME_DEVICE)
        return 0;
    for (size_t i = 0; i < clocks.count; i++)
        flame->hz = i == 0 || clocks.items[i].hz == flame->hz ? clocks.items[i].hz : TICKS_OF_NS;
    if (clocks.count == 0 && clocks.any_hz > 0)
        flame->hz = clocks.any_hz;
    return 0;
}

static int make_ascend(sqlite3 *db, struct flame *flame, struct err *err)
{
    struct ascend_load load = {.flame = flame};
    int64_t framework = 0;
    bool done = query_number(db, "SELECT " FRAMEWORK_STACKS_ATTACHED, &framework, err) == 0 &&
                find_rate(db, framework != 0, flame, err) == 0 && cann_names_load(db, &load.names, err) == 0 &&
                (flame->weight == FLAME_HOST ? make_host(&load, db, framework != 0, err)
                                             : make_device(&load, db, framework != 0, err)) == 0;

    sqlite3_finalize(load.frames);
    spool_free(load.spool);
    cann_texts_release(&load.names);
    free(load.open.items);
    flame_release(&load.calls);
    return done ? 0 : err_status(err);
}

/* ---- SVP ---- */

/* A call that runs a model; operators of its device that begin while it is made are its. */
struct executing {
    int64_t start_ns, end_ns, device_id;
    uint32_t node;
};

struct svp_flame {
    struct flame *flame;
    struct open_calls open;
    struct ARRAY_OF(struct executing) executing; /* by start */
};

static int take_acl_call(void *arg, const struct acl_call *from, struct err *err)
{
    static const char execute[] = "svp_acl_mdl_execute";
    struct svp_flame *load = arg;
    struct open_frame call = {.thread = from->thread_id, .start_ns = from->start_ns, .end_ns = from->end_ns};

    if (call.start_ns == DB_NULL || call.end_ns == DB_NULL || call.end_ns < call.start_ns)
        return 0;
    if (intern_text(&load->flame->names, from->name, &call.name, err) != 0 ||
        open_call(&load->open, load->flame, &call, err) != 0)
        return err_status(err);
    if (load->flame->weight == FLAME_HOST)
        add_host_time(&load->open, load->flame);
    if (strncmp(from->name, execute, strlen(execute)) != 0)
        return 0;
    return array_add(&load->executing, err, (struct executing){call.start_ns, call.end_ns, from->device_id, call.node});
}

ARRAY_COMPARE(by_start, struct executing, ARRAY_BY(start_ns), ARRAY_BY(node))

/* The call of a device's model around a time; of several the one that began last. */
static uint32_t executing_at(const struct svp_flame *load, int64_t device_id, int64_t time_ns, uint32_t none)
{
    enum { LOOK_BACK = 64 }; /* calls that may overlap */
    const struct executing *items = load->executing.items;
    size_t low =
        search_until(items, load->executing.count, sizeof *items, offsetof(struct executing, start_ns), time_ns);

    for (size_t i = 0; i < LOOK_BACK && low > 0; i++, low--)
        if (time_ns <= items[low - 1].end_ns && items[low - 1].device_id == device_id)
            return items[low - 1].node;
    return none;
}

/* A unit of which cycles of the cores and nanoseconds, which AI CPUs count, are whole numbers. */
struct flame_unit {
    int64_t per_ns, per_cycle;
};

static struct flame_unit flame_unit_of(const struct workload *workload, struct flame *flame)
{
    const int64_t longest_hz = INT64_MAX / TICKS_OF_NS;
    int64_t common = TICKS_OF_NS, rest = workload->cycle_hz;

    while (rest > 0) {
        const int64_t next = common % rest;
        common = rest;
        rest = next;
    }
    const int64_t per_ns = workload->cycle_hz / common;
    if (workload->cycle_hz <= 0 || per_ns > longest_hz / 1000000)
        return (struct flame_unit){1, 0};
    flame->hz = per_ns * TICKS_OF_NS;
    return (struct flame_unit){per_ns, TICKS_OF_NS / common};
}

static int64_t length_of(const struct flame_unit *unit, const struct workload *workload,
                         const struct execution *execution)
{
    if (unit->per_cycle > 0 && execution->cycles != 0)
        return number_multiply(workload_cycles(workload, execution), unit->per_cycle);
    return number_multiply(workload_length_ns(workload, execution), unit->per_ns);
}

static int add_executions(struct svp_flame *load, const struct workload *workload, struct err *err)
{
    struct flame *flame = load->flame;
    const struct flame_unit unit = flame_unit_of(workload, flame);
    uint32_t name, none, node;

    if (intern_text(&flame->names, FLAME_NOT_LAUNCHED, &name, err) != 0 ||
        flame_child(flame, FLAME_ROOT, name, &none, err) != 0)
        return err_status(err);
    for (size_t i = 0; i < workload->execution_count; large_pass(i++)) {
        const struct execution *execution = &workload->executions[i];
        const char *text = workload_text(workload, workload->operators[execution->op].key.name);
        int64_t device_id = workload->devices[execution->device].id;
        uint32_t call = workload->facts.placed ? none : executing_at(load, device_id, execution->start_ns, none);
        if (intern_text(&flame->names, text, &name, err) != 0 || flame_child(flame, call, name, &node, err) != 0)
            return err_status(err);
        flame_add(flame, node, flame->weight == FLAME_COUNT ? 1 : length_of(&unit, workload, execution));
    }
    return 0;
}

static int add_workload(struct svp_flame *load, sqlite3 *db, struct err *err)
{
    SCOPED(workload_release) struct workload workload = {.borrowed = true};

    array_sort(load->executing.items, load->executing.count, sizeof *load->executing.items, by_start);
    return workload_load(db, WITHOUT_COUNTERS, &workload, err) < 0 ? err_status(err)
                                                                   : add_executions(load, &workload, err);
}

static int make_svp(sqlite3 *db, struct flame *flame, struct err *err)
{
    struct svp_flame load = {.flame = flame};
    bool done = acl_each_call(db, NULL, take_acl_call, &load, err) == 0 &&
                (flame->weight == FLAME_HOST || add_workload(&load, db, err) == 0);

    free(load.open.items);
    free(load.executing.items);
    return done ? 0 : err_status(err);
}

/* ---- captures that are trees ---- */

static int take_tree_row(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct flame *flame = arg;
    uint32_t node = FLAME_ROOT, name;

    for (int i = 0; i < 3; i++)
        if (intern_text(&flame->names, query_text(row, i), &name, err) != 0 ||
            flame_child(flame, node, name, &node, err) != 0)
            return err_status(err);
    flame_add_ns(flame, node, 0, query_integer(row, 3));
    return 0;
}

static int make_family(sqlite3 *db, int family, struct flame *flame, struct err *err)
{
    const struct tree_outputs *tree = tree_outputs_of(family);

    if (tree != NULL)
        return flame->weight == FLAME_DEVICE ? query_run(db, tree->stacks, NULL, 0, take_tree_row, flame, err) : 0;
    return family == CAPTURE_SVP ? make_svp(db, flame, err) : make_ascend(db, flame, err);
}

static int make(sqlite3 *db, enum flame_weight weight, bool together, struct flame *ret, struct err *err)
{
    struct db_facts facts;

    if (flame_init(ret, weight, err) != 0)
        goto failed;
    ret->together = together;
    if (db_read_facts(db, &facts, err) != 0 || make_family(db, facts.family, ret, err) != 0)
        goto failed;
    flame_finish(ret);
    return 0;
failed:
    flame_release(ret);
    return err_status(err);
}

int flame_make(sqlite3 *db, enum flame_weight weight, struct flame *ret, struct err *err)
{
    return make(db, weight, false, ret, err);
}

int flame_make_together(sqlite3 *db, enum flame_weight weight, struct flame *ret, struct err *err)
{
    return make(db, weight, true, ret, err);
}
