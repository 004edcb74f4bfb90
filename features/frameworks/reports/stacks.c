/* SPDX-License-Identifier: Apache-2.0 */
#include "features/frameworks/reports/host_side.h"

#include "base/array.h"
#include "base/file/large.h"
#include "base/intern.h"
#include "db/table_rows.h"
#include "features/frameworks/reports/torch_relation.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 512 /* frames of a stack; of a deeper one the innermost stay */

struct known_stack {
    struct stack_key {
        uint32_t parent, name;
    } key;
    uint32_t id;
};

struct stacks {
    const struct framework_analysis *analysis;
    const struct python_lines *lines;
    struct host_frames frames;
    uint32_t *frame_of; /* of each operator or range, counted from 1; 0: none */
    struct intern names;
    struct map known;
    uint32_t stack_count;
    struct table_rows frame_rows, stack_rows, launch_rows;
};

/* ---- frames ---- */

int host_frames_add(struct host_frames *frames, const struct host_frame *frame, struct err *err)
{
    if (array_reserve(frames, 1, err) != 0)
        return err_status(err);
    if (frame->start_ns <= frame->end_ns)
        frames->items[frames->count++] = *frame;
    return 0;
}

static int take_torch(struct stacks *stacks, struct err *err)
{
    const struct framework *framework = stacks->analysis->framework;
    const struct torch *torch = framework->torch;
    int status = 0;

    for (size_t i = 0; status == 0 && i < torch->calls.count; i++) {
        const struct torch_call *call = &torch->calls.items[i];
        const char *name = torch_function_name(framework, call->key);
        const struct host_frame frame = {call->thread, call->start_ns, call->end_ns, 0, name, HOST_NO_SOURCE, true};
        if (name != NULL)
            status = host_frames_add(&stacks->frames, &frame, err);
    }
    for (size_t i = 0; status == 0 && i < torch->ops.count; i++) {
        const struct torch_op *op = &torch->ops.items[i];
        const struct host_frame frame = {op->thread,  op->start_ns, op->end_ns, 0, framework_text(framework, op->name),
                                         (uint32_t)i, false};
        status = host_frames_add(&stacks->frames, &frame, err);
    }
    return status;
}

static int take_mindspore(struct stacks *stacks, struct err *err)
{
    const struct framework *framework = stacks->analysis->framework;

    for (size_t i = 0; i < framework->ranges.count; i++) {
        const struct framework_range *range = &framework->ranges.items[i];
        large_pass(i);
        const struct host_frame frame = {range->thread,
                                         range->start_ns,
                                         range->end_ns,
                                         0,
                                         framework_text(framework, range->name),
                                         (uint32_t)i,
                                         (range->flags & RANGE_STACK) != 0};
        if ((range->flags & RANGE_FLOW) == 0 && host_frames_add(&stacks->frames, &frame, err) < 0)
            return err_status(err);
    }
    return 0;
}

/* Puts the outer one first; of those that are alike Python, then what was recorded first. */
ARRAY_COMPARE(compare_frames, struct host_frame, ARRAY_BY(thread), ARRAY_BY(start_ns), ARRAY_BY_MOST(end_ns),
              ARRAY_BY_MOST(python), ARRAY_BY(source))

/* Whether a frame begins inside of another. Calls that had not returned end with the last event, which is before the
 * end of some inside of them. */
static bool holds(const struct host_frame *outer, const struct host_frame *frame)
{
    return outer->thread == frame->thread && (frame->start_ns < outer->end_ns || frame->end_ns <= outer->end_ns);
}

void host_frames_nest(struct host_frames *frames)
{
    struct host_frame *items = frames->items;
    size_t around = 0;

    array_sort(items, frames->count, sizeof *items, compare_frames);
    for (size_t i = 0; i < frames->count; i++) {
        while (around > 0 && !holds(&items[around - 1], &items[i]))
            around = items[around - 1].parent;
        items[i].parent = around;
        around = i + 1;
    }
}

size_t host_frames_at(const struct host_frames *frames, int64_t thread, int64_t time_ns)
{
    const struct host_frame *items = frames->items;
    size_t low = 0, high = frames->count;

    while (low < high) { /* behind the last that begins until then */
        size_t middle = low + (high - low) / 2;
        if (items[middle].thread < thread || (items[middle].thread == thread && items[middle].start_ns <= time_ns))
            low = middle + 1;
        else
            high = middle;
    }
    while (low > 0 && items[low - 1].thread == thread && items[low - 1].end_ns < time_ns)
        low = items[low - 1].parent;
    return low > 0 && items[low - 1].thread == thread ? low : 0;
}

/* Finds the frame of each operator or range. */
static int place_sources(struct stacks *stacks, struct err *err)
{
    const struct framework *framework = stacks->analysis->framework;
    size_t sources = framework->torch != NULL ? framework->torch->ops.count : framework->ranges.count;

    stacks->frame_of = calloc(sources + 1, sizeof *stacks->frame_of);
    if (stacks->frame_of == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for %zu frames", sources);
    for (size_t i = 0; i < stacks->frames.count; i++)
        if (stacks->frames.items[i].source != HOST_NO_SOURCE)
            stacks->frame_of[stacks->frames.items[i].source] = (uint32_t)i + 1;
    return 0;
}

static int put_frames(struct stacks *stacks, struct err *err)
{
    for (size_t i = 0; i < stacks->frames.count; i++) {
        const struct host_frame *frame = &stacks->frames.items[i];
        if (table_add(&stacks->frame_rows, err, V((int64_t)i + 1), V(frame->thread), V(frame->start_ns),
                      V(frame->end_ns), V(frame->text)) < 0)
            return err_status(err);
    }
    return 0;
}

/* ---- stacks ---- */

/* A stack on its way, the innermost frame first. */
struct path {
    struct path_frame {
        const char *text;
        size_t length;
    } frames[DEPTH_MAX];
    size_t count;
};

static void path_add(struct path *path, const char *text, size_t length)
{
    if (path->count < DEPTH_MAX && length > 0)
        path->frames[path->count++] = (struct path_frame){text, length};
}

/* Adds those frames from one outwards that go on at a time; false: none of them is Python. */
static bool path_add_frames(struct path *path, const struct stacks *stacks, size_t frame, int64_t time_ns, bool python)
{
    bool any = false;

    for (; frame > 0; frame = stacks->frames.items[frame - 1].parent) {
        const struct host_frame *item = &stacks->frames.items[frame - 1];
        if (item->end_ns < time_ns)
            continue;
        any |= item->python;
        if (python || !item->python)
            path_add(path, item->text, strlen(item->text));
    }
    return any;
}

/* Adds the lines of a recorded stack: "inner;\r\nouter". */
static void path_add_lines(struct path *path, const char *text)
{
    while (*text != '\0') {
        text += strspn(text, "; \r\n");
        size_t length = strcspn(text, ";\r\n");
        path_add(path, text, length);
        text += length;
    }
}

/* PyTorch's: the call stack that was recorded with the operator, or with the nearest around it; else the calls of
 * Python around it. */
static void find_torch_path(const struct stacks *stacks, const struct torch_op *op, struct path *ret)
{
    const struct framework *framework = stacks->analysis->framework;
    const struct torch_op *ops = framework->torch->ops.items, *around = op;

    while (around->stack == TORCH_NONE && around->parent != TORCH_NONE)
        around = &ops[around->parent];
    path_add_frames(ret, stacks, stacks->frame_of[op - ops], op->start_ns, around->stack == TORCH_NONE);
    if (around->stack != TORCH_NONE)
        path_add_lines(ret, framework_text(framework, around->stack));
}

/* MindSpore's: on its own thread; where that has no Python also what was run where the arrow to it begins. */
static void find_mindspore_path(const struct stacks *stacks, size_t number, struct path *ret)
{
    const struct framework_range *ranges = stacks->analysis->framework->ranges.items, *range = &ranges[number];
    bool python = path_add_frames(ret, stacks, stacks->frame_of[number], range->start_ns, true);
    const struct framework_range *begin = !python ? python_lines_flow(stacks->lines, range) : NULL;

    if (begin != NULL && begin->thread != range->thread)
        path_add_frames(ret, stacks, host_frames_at(&stacks->frames, begin->thread, begin->start_ns), begin->start_ns,
                        true);
}

/* The stack of a frame inside of another, which is stored when it comes first. */
static int put_stack(struct stacks *stacks, uint32_t parent, const struct path_frame *frame, uint32_t *ret,
                     struct err *err)
{
    struct stack_key key = {.parent = parent};
    bool added;
    int status = intern_add(&stacks->names, frame->text, frame->length, &key.name, err);
    struct known_stack *known = status == 0 ? map_add(&stacks->known, &key, &added, err) : NULL;

    if (known == NULL)
        return err_status(err);
    if (added)
        known->id = ++stacks->stack_count;
    *ret = known->id;
    if (!added)
        return 0;
    return table_add(&stacks->stack_rows, err, V(known->id), V(parent), V(stacks->names.items[key.name].bytes));
}

static int put_path(struct stacks *stacks, int64_t connection_id, const struct path *path, struct err *err)
{
    uint32_t stack = 0;
    int status = 0;

    for (size_t i = path->count; status == 0 && i-- > 0;)
        status = put_stack(stacks, stack, &path->frames[i], &stack, err);
    return status != 0 || path->count == 0 ? status : table_add(&stacks->launch_rows, err, V(connection_id), V(stack));
}

static int put_launches(struct stacks *stacks, struct err *err)
{
    const struct framework_analysis *analysis = stacks->analysis;
    const struct framework *framework = analysis->framework;
    SCOPED_FREE struct path *path = scoped_memory(1, sizeof *path);

    if (path == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < analysis->relation.count; i++) {
        const struct torch_op *op = framework->torch != NULL ? torch_op_of(analysis, (int64_t)i) : NULL;
        const struct framework_launch *launch =
            framework->torch == NULL ? relation_launch(&analysis->relation, framework, (int64_t)i) : NULL;
        path->count = 0;
        if (op != NULL)
            find_torch_path(stacks, op, path);
        else if (launch != NULL)
            find_mindspore_path(stacks, launch->range, path);
        if (put_path(stacks, (int64_t)i, path, err) < 0)
            return err_status(err);
    }
    return 0;
}

static int open_tables(struct stacks *stacks, struct err *err)
{
    sqlite3 *db = stacks->analysis->db;

    return table_rows_open(&stacks->frame_rows, db, "temp.framework_frame",
                           "id INTEGER PRIMARY KEY, thread_id INTEGER, start_ns INTEGER, end_ns INTEGER, name TEXT",
                           err) == 0 &&
                   table_rows_open(&stacks->stack_rows, db, "temp.framework_stack",
                                   "id INTEGER PRIMARY KEY, parent INTEGER, name TEXT", err) == 0 &&
                   table_rows_open(&stacks->launch_rows, db, "temp.framework_launch_stack",
                                   "connection_id INTEGER PRIMARY KEY, stack_id INTEGER", err) == 0
               ? 0
               : err_status(err);
}

static int make_stacks(struct stacks *stacks, struct err *err)
{
    if ((stacks->analysis->framework->torch != NULL ? take_torch(stacks, err) : take_mindspore(stacks, err)) != 0)
        return err_status(err);
    host_frames_nest(&stacks->frames);
    if (place_sources(stacks, err) != 0 || open_tables(stacks, err) != 0 || put_frames(stacks, err) != 0)
        return err_status(err);
    return put_launches(stacks, err);
}

int framework_add_stacks(const struct framework_analysis *analysis, const struct python_lines *lines, struct err *err)
{
    struct stacks stacks = {.analysis = analysis, .lines = lines, .known = MAP_OF(struct known_stack, key)};
    int status = make_stacks(&stacks, err);

    table_rows_close(&stacks.frame_rows);
    table_rows_close(&stacks.stack_rows);
    table_rows_close(&stacks.launch_rows);
    map_release(&stacks.known);
    intern_release(&stacks.names);
    free(stacks.frame_of);
    free(stacks.frames.items);
    return status;
}
