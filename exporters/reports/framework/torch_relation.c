/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/reports/framework/torch_relation.h"

#include "base/number.h"
#include "base/search.h"

#include <stdlib.h>

enum { AI_CORE = 0 };

static const struct torch_range *dequeue_of(const struct framework_analysis *analysis, int64_t connection_id)
{
    const struct framework_launch *launch = relation_launch(&analysis->relation, analysis->framework, connection_id);
    return launch != NULL ? &analysis->framework->torch->dequeues.items[launch->range] : NULL;
}

/* Finds the operator of a piece of work: torch_range.work. */
static const struct torch_op *op_of_work(const struct framework_analysis *analysis, uint32_t work)
{
    const struct torch *torch = analysis->framework->torch;
    uint32_t op = work > 0 ? torch->enqueues.items[work - 1].op : TORCH_NONE;
    return op != TORCH_NONE ? &torch->ops.items[op] : NULL;
}

const struct torch_op *torch_op_of(const struct framework_analysis *analysis, int64_t connection_id)
{
    const struct torch_range *dequeue = dequeue_of(analysis, connection_id);
    return dequeue != NULL ? op_of_work(analysis, dequeue->work) : NULL;
}

const struct torch_op *torch_op_of_dequeue(const struct framework_analysis *analysis, size_t dequeue)
{
    return op_of_work(analysis, analysis->framework->torch->dequeues.items[dequeue].work);
}

static void add_kernel(struct framework_analysis *analysis, int64_t connection_id, int64_t start_ns,
                       int64_t duration_ns, bool on_core)
{
    struct torch *torch = analysis->framework->torch;
    const struct torch_range *dequeue = dequeue_of(analysis, connection_id);
    if (dequeue == NULL || dequeue->work == 0)
        return;
    struct torch_work *work = &analysis->work[dequeue->work - 1];
    if (start_ns < work->first_ns)
        work->first_ns = start_ns;
    if (start_ns + duration_ns > work->last_end_ns)
        work->last_end_ns = start_ns + duration_ns;
    const struct torch_op *found = op_of_work(analysis, dequeue->work);
    struct torch_op *op = found != NULL ? &torch->ops.items[found - torch->ops.items] : NULL;
    if (op != NULL) {
        op->self_ns = number_add(op->self_ns, duration_ns);
        op->self_core_ns = number_add(op->self_core_ns, on_core ? duration_ns : 0);
    }
    for (; op != NULL; op = op->parent != TORCH_NONE ? &torch->ops.items[op->parent] : NULL) {
        op->total_ns = number_add(op->total_ns, duration_ns);
        op->total_core_ns = number_add(op->total_core_ns, on_core ? duration_ns : 0);
    }
}

static int take_task(void *arg, const struct cann_task *task, struct err *err)
{
    (void)err;
    if (task->op_name_id != DB_NULL)
        add_kernel(arg, task->connection_id, task->start_ns, task->duration_ns, task->op_task_type == AI_CORE);
    return 0;
}

static int take_kernels(struct framework_analysis *analysis, struct err *err)
{
    const struct cann_communications *communications = report_communications(&analysis->session, err);
    if (communications == NULL)
        return err_status(err);
    int status = cann_each_task(analysis->db, CANN_TASKS, take_task, analysis, err);
    for (size_t i = 0; status == 0 && i < communications->count; i++) {
        const struct cann_communication *item = &communications->items[i];
        add_kernel(analysis, item->connection_id, item->start_ns, item->duration_ns, false);
    }
    return status;
}

/* ---- steps ---- */

static const struct torch_op *step_around(const struct torch *torch, uint32_t op)
{
    while (op != TORCH_NONE && !torch->ops.items[op].is_step)
        op = torch->ops.items[op].parent;
    return op != TORCH_NONE ? &torch->ops.items[op] : NULL;
}

/* From the first to the last piece of its work, by their numbers, that devices did something for. */
static void set_step_times(struct framework_analysis *analysis, struct framework_step *step)
{
    const struct torch *torch = analysis->framework->torch;
    const struct torch_range *first = NULL, *last = NULL;
    const size_t begin = search_from(torch->enqueues.items, torch->enqueues.count, sizeof *torch->enqueues.items,
                                     offsetof(struct torch_range, start_ns), step->start_ns);
    for (size_t i = begin; i < torch->enqueues.count; i++) {
        const struct torch_range *range = &torch->enqueues.items[i];
        if (range->start_ns > step->end_ns)
            break;
        const struct torch_op *around = step_around(torch, range->op);
        if (around == NULL || around->start_ns != step->start_ns ||
            analysis->work[range->work - 1].first_ns == INT64_MAX)
            continue;
        if (first == NULL || range->correlation < first->correlation)
            first = range;
        if (last == NULL || range->correlation > last->correlation)
            last = range;
    }
    if (first == NULL)
        return;
    int64_t last_end_ns = analysis->work[last->work - 1].last_end_ns;
    step->device_start_ns = analysis->work[first->work - 1].first_ns;
    step->device_end_ns = last_end_ns > step->end_ns ? last_end_ns : step->end_ns;
}

int torch_relate(struct framework_analysis *analysis, struct err *err)
{
    size_t count = analysis->framework->torch->enqueues.count;
    analysis->work = large_new(count + 1, sizeof *analysis->work, err);
    if (analysis->work == NULL)
        return err_status(err);
    for (size_t i = 0; i < count; i++)
        analysis->work[i] = (struct torch_work){INT64_MAX, INT64_MIN};
    int status = take_kernels(analysis, err);
    for (size_t i = 0; status == 0 && i < analysis->framework->steps.count; i++)
        set_step_times(analysis, &analysis->framework->steps.items[i]);
    return status;
}
