/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/reports/framework/python_line.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

struct flow {
    uint64_t number;
    size_t range;
};

static int add_frame(struct python_lines *lines, int64_t thread, int64_t start_ns, int64_t end_ns, const char *text,
                     struct err *err)
{
    int status = array_reserve(&lines->frames, 1, err);
    if (status == 0)
        lines->frames.items[lines->frames.count++] = (struct python_frame){thread, start_ns, end_ns, 0, text};
    return status;
}

static int take_ranges(struct python_lines *lines, struct err *err)
{
    const struct framework *framework = lines->framework;
    int status = 0;
    for (size_t i = 0; status == 0 && i < framework->ranges.count; i++) {
        const struct framework_range *range = &framework->ranges.items[i];
        if ((range->flags & RANGE_STACK) != 0)
            status = add_frame(lines, range->thread, range->start_ns, range->end_ns,
                               framework_text(framework, range->name), err);
        if (status < 0 || (range->flags & RANGE_FLOW) == 0 || range->flow == FRAMEWORK_NO_FLOW)
            continue;
        struct flow *flow = map_add(&lines->flows, &range->flow, NULL, err);
        if (flow == NULL)
            status = -(int)err->code;
        else
            flow->range = i;
    }
    return status;
}

/* Modules and functions in C have no line. */
static bool is_line(const char *name)
{
    return strstr(name, "######") == NULL && strncmp(name, "<built-in", strlen("<built-in")) != 0;
}

static int take_calls(struct python_lines *lines, struct err *err)
{
    const struct torch_calls *calls = &lines->framework->torch->calls;
    int status = 0;
    for (size_t i = 0; status == 0 && i < calls->count; i++) {
        const struct torch_call *call = &calls->items[i];
        const char *name = torch_function_name(lines->framework, call->key);
        if (name != NULL && is_line(name))
            status = add_frame(lines, call->thread, call->start_ns, call->end_ns, name, err);
    }
    return status;
}

static int compare_frames(const void *a, const void *b)
{
    const struct python_frame *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return (x->end_ns < y->end_ns) - (x->end_ns > y->end_ns); /* the outer one first */
}

static void nest(struct python_frames *frames)
{
    size_t around = 0;
    for (size_t i = 0; i < frames->count; i++) {
        struct python_frame *frame = &frames->items[i];
        while (around > 0 && (frames->items[around - 1].thread != frame->thread ||
                              frames->items[around - 1].end_ns < frame->start_ns))
            around = frames->items[around - 1].parent;
        frame->parent = around;
        around = i + 1;
    }
}

int python_lines_make(struct python_lines *lines, const struct framework *framework, struct err *err)
{
    *lines = (struct python_lines){.framework = framework, .flows = MAP_OF(struct flow, number)};
    int status = framework->torch != NULL ? take_calls(lines, err) : take_ranges(lines, err);
    array_sort(lines->frames.items, lines->frames.count, sizeof *lines->frames.items, compare_frames);
    nest(&lines->frames);
    return status;
}

void python_lines_release(struct python_lines *lines)
{
    free(lines->frames.items);
    map_release(&lines->flows);
}

/* The innermost frame of a thread around a time; "" when there is none. */
static const char *line_at(const struct python_lines *lines, int64_t thread, int64_t time_ns)
{
    const struct python_frames *frames = &lines->frames;
    size_t low = 0, high = frames->count;
    while (low < high) { /* behind the last that begins until then */
        size_t middle = (low + high) / 2;
        const struct python_frame *frame = &frames->items[middle];
        if (frame->thread < thread || (frame->thread == thread && frame->start_ns <= time_ns))
            low = middle + 1;
        else
            high = middle;
    }
    while (low > 0 && frames->items[low - 1].thread == thread && frames->items[low - 1].end_ns < time_ns)
        low = frames->items[low - 1].parent;
    return low > 0 && frames->items[low - 1].thread == thread ? frames->items[low - 1].text : "";
}

const char *python_line_of_range(const struct python_lines *lines, const struct framework_range *range,
                                 size_t *ret_length)
{
    const char *line = line_at(lines, range->thread, range->start_ns);
    const struct flow *flow = range->flow != FRAMEWORK_NO_FLOW ? map_get(&lines->flows, &range->flow) : NULL;
    if (*line == '\0' && flow != NULL) {
        const struct framework_range *begin = &lines->framework->ranges.items[flow->range];
        line = line_at(lines, begin->thread, begin->start_ns);
    }
    *ret_length = strlen(line);
    return line;
}

const char *python_line_of_op(const struct python_lines *lines, const struct torch_op *op, size_t *ret_length)
{
    const struct torch_ops *ops = &lines->framework->torch->ops;
    const struct torch_op *around = op;
    while (around->stack == TORCH_NONE && around->parent != TORCH_NONE)
        around = &ops->items[around->parent];
    if (around->stack != TORCH_NONE) {
        const char *stack = framework_text(lines->framework, around->stack);
        stack += strspn(stack, " \r\n");
        *ret_length = strcspn(stack, ";\r\n");
        return stack;
    }
    const char *line = line_at(lines, op->thread, op->start_ns);
    *ret_length = strlen(line);
    return line;
}
