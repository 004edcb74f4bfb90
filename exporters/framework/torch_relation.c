#include "exporters/framework/torch_relation.h"

#include "base/number.h"

#include <string.h>

enum { AI_CORE = 0 };

static const struct torch_range *dequeue_of(const struct framework_analysis *analysis, int64_t connection_id)
{
    const struct framework_launch *launch = relation_launch(&analysis->relation, analysis->framework, connection_id);
    return launch != NULL ? &analysis->framework->torch->dequeues.items[launch->range] : NULL;
}

static const struct torch_op *op_of_work(const struct framework_analysis *analysis, uint64_t correlation)
{
    const struct torch *torch = analysis->framework->torch;
    const struct torch_work *work = map_get(&analysis->work, &correlation);
    if (work == NULL || work->enqueue == 0)
        return NULL;
    uint32_t op = torch->enqueues.items[work->enqueue - 1].op;
    return op != TORCH_NONE ? &torch->ops.items[op] : NULL;
}

const struct torch_op *torch_op_of(const struct framework_analysis *analysis, int64_t connection_id)
{
    const struct torch_range *dequeue = dequeue_of(analysis, connection_id);
    return dequeue != NULL ? op_of_work(analysis, dequeue->correlation) : NULL;
}

const struct torch_op *torch_op_of_dequeue(const struct framework_analysis *analysis, size_t dequeue)
{
    return op_of_work(analysis, analysis->framework->torch->dequeues.items[dequeue].correlation);
}

static int add_kernel(struct framework_analysis *analysis, int64_t connection_id, int64_t start_ns, int64_t duration_ns,
                      bool on_core, struct err *err)
{
    struct torch *torch = analysis->framework->torch;
    const struct torch_range *dequeue = dequeue_of(analysis, connection_id);
    if (dequeue == NULL)
        return 0;
    struct torch_work *work = map_add(&analysis->work, &dequeue->correlation, NULL, err);
    if (work == NULL)
        return -(int)err->code;
    if (!work->has_kernels || start_ns < work->first_ns)
        work->first_ns = start_ns;
    if (!work->has_kernels || start_ns + duration_ns > work->last_end_ns)
        work->last_end_ns = start_ns + duration_ns;
    work->has_kernels = true;
    const struct torch_op *found = op_of_work(analysis, dequeue->correlation);
    struct torch_op *op = found != NULL ? &torch->ops.items[found - torch->ops.items] : NULL;
    if (op != NULL) {
        op->self_ns = number_add(op->self_ns, duration_ns);
        op->self_core_ns = number_add(op->self_core_ns, on_core ? duration_ns : 0);
    }
    for (; op != NULL; op = op->parent != TORCH_NONE ? &torch->ops.items[op->parent] : NULL) {
        op->total_ns = number_add(op->total_ns, duration_ns);
        op->total_core_ns = number_add(op->total_core_ns, on_core ? duration_ns : 0);
    }
    return 0;
}

static int take_task(void *arg, const struct cann_task *task, struct err *err)
{
    if (task->op_name_id == DB_NULL)
        return 0;
    return add_kernel(arg, task->connection_id, task->start_ns, task->duration_ns, task->op_task_type == AI_CORE, err);
}

static int take_kernels(struct framework_analysis *analysis, struct err *err)
{
    const struct cann_communications *communications = report_communications(&analysis->session, err);
    if (communications == NULL)
        return -(int)err->code;
    struct cann_task_reader *reader = cann_task_reader_new(analysis->db, false, err);
    int status = reader != NULL ? cann_read_tasks(reader, 1, INT64_MAX, take_task, analysis, err) : -(int)err->code;
    cann_task_reader_free(reader);
    for (size_t i = 0; status == 0 && i < communications->count; i++) {
        const struct cann_communication *item = &communications->items[i];
        status = add_kernel(analysis, item->connection_id, item->start_ns, item->duration_ns, false, err);
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

static size_t first_enqueue(const struct torch *torch, int64_t from_ns)
{
    size_t low = 0, high = torch->enqueues.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (torch->enqueues.items[middle].start_ns < from_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* From the first to the last piece of its work, by their numbers, that devices did something for. */
static void set_step_times(struct framework_analysis *analysis, struct framework_step *step)
{
    const struct torch *torch = analysis->framework->torch;
    const struct torch_work *first = NULL, *last = NULL;
    for (size_t i = first_enqueue(torch, step->start_ns); i < torch->enqueues.count; i++) {
        const struct torch_range *range = &torch->enqueues.items[i];
        if (range->start_ns > step->end_ns)
            break;
        const struct torch_op *around = step_around(torch, range->op);
        const struct torch_work *work = map_get(&analysis->work, &range->correlation);
        if (around == NULL || around->start_ns != step->start_ns || work == NULL || !work->has_kernels)
            continue;
        if (first == NULL || work->correlation < first->correlation)
            first = work;
        if (last == NULL || work->correlation > last->correlation)
            last = work;
    }
    if (first == NULL)
        return;
    step->device_start_ns = first->first_ns;
    step->device_end_ns = last->last_end_ns > step->end_ns ? last->last_end_ns : step->end_ns;
}

int torch_relate(struct framework_analysis *analysis, struct map *ret, struct err *err)
{
    const struct torch *torch = analysis->framework->torch;
    *ret = (struct map)MAP_OF(struct torch_work, correlation);
    for (size_t i = 0; i < torch->enqueues.count; i++) {
        struct torch_work *work = map_add(ret, &torch->enqueues.items[i].correlation, NULL, err);
        if (work == NULL)
            return -(int)err->code;
        work->enqueue = i + 1;
    }
    int status = take_kernels(analysis, err);
    for (size_t i = 0; status == 0 && i < analysis->framework->steps.count; i++)
        set_step_times(analysis, &analysis->framework->steps.items[i]);
    return status;
}
