/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"
#include "exporters/timeline/draw_earlier.h"

#include <math.h>
#include <string.h>

#define MODEL_CALL "aclmdlExecute" /* where the calls of an iteration begin */

/* Threads: the layers. */
enum { STACK_ACL, STACK_GE, STACK_RUNTIME, STACK_SCHEDULER, STACK_LAYERS };
static const char *const layers[] = {"AscendCL", "GE", "Runtime", "Task Scheduler"};

struct stack {
    struct draw_2022 *draw;
    bool in_model; /* the model's execution has begun */
};

/* The tool wrote whole microseconds, and the rest as arguments. */
static int begin_compat(struct draw_2022 *draw, const char *name, const struct trace_slice *slice, double start,
                        double end, struct err *err)
{
    int status = draw_2022_name(draw, "", name, err);
    strbuf_addf(&draw->text, ",\"pid\":%lld,\"tid\":%lld,\"ts\":%lld,\"dur\":%lld,\"args\":{", (long long)slice->pid,
                (long long)slice->tid, (long long)number_from_real(start / 1000),
                (long long)number_from_real((end - start) / 1000));
    return status;
}

/* Nearly all are whole numbers, and printf's %g is slow: it took a tenth of the time of a timeline. */
static void put_real(struct draw_2022 *draw, const char *key, double value, int digits)
{
    if (value > 0 && value < 1e15 && value == trunc(value)) {
        draw_2022_integer(draw, key, (int64_t)value);
        return;
    }
    strbuf_adds(&draw->text, key);
    strbuf_addf(&draw->text, "%.*g", digits, value);
}

static struct trace_slice slice_of(const struct draw_2022 *draw, int64_t layer, double start, double end)
{
    return (struct trace_slice){.pid = draw_2022_pid(draw, draw->device->part->process_id),
                                .tid = layer,
                                .start_ns = number_from_real(start),
                                .duration_ns = number_from_real(end - start)};
}

static int begin_event(struct draw_2022 *draw, const char *name, int64_t layer, double start, double end,
                       struct trace_slice *slice, struct err *err)
{
    *slice = slice_of(draw, layer, start, end);
    int status = draw->compat ? begin_compat(draw, name, slice, start, end, err)
                              : draw_2022_begin_operator(draw, name, &draw->lanes, layer, slice, err);
    draw_2022_integer(draw, "\"Iter ID\":", draw->device->range.iteration);
    put_real(draw, ",\"Start Time\":", start, 15);
    draw_2022_integer(draw, ",\"End Time\":", number_add(slice->start_ns, slice->duration_ns));
    put_real(draw, ",\"Duration Time(ns)\":", end - start, 17);
    return status;
}

static int draw_call(struct draw_2022 *draw, const struct plain_call *call, int64_t layer, struct err *err)
{
    struct trace_slice slice;
    if (!draw->compat) {
        slice = slice_of(draw, layer, (double)call->start_ns, (double)call->end_ns);
        return draw_2022_call(draw, "", call->name, NULL, layer, &slice, err);
    }
    int status = begin_event(draw, call->name, layer, (double)call->start_ns, (double)call->end_ns, &slice, err);
    return status == 0 ? draw_2022_end(draw, &slice, err) : status;
}

static int draw_acl(void *arg, const struct plain_call *call, struct err *err)
{
    struct stack *stack = arg;
    stack->in_model = stack->in_model || (call->name != NULL && strcmp(call->name, MODEL_CALL) == 0);
    return stack->in_model ? draw_call(stack->draw, call, STACK_ACL, err) : 0;
}

static int draw_runtime(void *arg, const struct plain_call *call, struct err *err)
{
    return draw_call(arg, call, STACK_RUNTIME, err);
}

static int draw_task(void *arg, const struct execution *execution, struct err *err)
{
    struct draw_2022 *draw = arg;
    const struct task_2022 task = task_2022_of(draw->device, execution);
    struct trace_slice slice;
    int status = begin_event(draw, execution->op_name, STACK_SCHEDULER, task.start, task.end, &slice, err);
    if (status < 0)
        return status;
    double time = task_2022_milliseconds(&draw->counters, execution);
    if (isnan(time))
        strbuf_adds(&draw->text, ",\"Total Time(ms)\":\"\"");
    else
        put_real(draw, ",\"Total Time(ms)\":", time, 17);
    draw_2022_operator(draw, execution);
    return draw_2022_end(draw, &slice, err);
}

static void name_layer(void *arg, int64_t pid, int64_t number, struct strbuf *ret)
{
    (void)arg;
    (void)pid;
    strbuf_adds(ret, layers[number]);
}

int draw_2022_stack(struct draw_2022 *draw, struct err *err)
{
    sqlite3 *db = draw->run->db;
    const struct device_2022 *device = draw->device;
    int64_t process = device->part->process_id;
    draw_2022_begin_layer(draw, NULL);
    draw_2022_count_thread(draw, STACK_LAYERS - 1);
    draw_2022_name_process(draw, process, "AI Stack Time");
    for (int i = 0; i < STACK_LAYERS && draw->compat; i++)
        draw_2022_name_thread(draw, process, i, layers[i], false);
    struct stack stack = {.draw = draw};
    int status = plain_each_acl_call(db, device->part->device_id, draw_acl, &stack, err);
    if (status == 0)
        status = plain_each_runtime_call(db, device->part->device_id, draw_runtime, draw, err);
    const struct execution_query query = {
        .range = device->range.ticks, .parts = draw->facts ? EXECUTION_COUNTED | EXECUTION_TENSORS : EXECUTION_COUNTED};
    if (status == 0)
        status = execution_each(db, &query, draw_task, draw, err);
    return draw_2022_end_layer(draw, status, name_layer, err);
}
