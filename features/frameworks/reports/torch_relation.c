/* SPDX-License-Identifier: Apache-2.0 */
#include "features/frameworks/reports/torch_relation.h"

#include "base/map.h"
#include "base/number.h"
#include "base/search.h"
#include "base/strbuf.h"

#include <stdlib.h>
#include <string.h>

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

/* hz: the rate of the clock of its device; as PyTorch adds the lengths that the trace shows. */
static void add_kernel(struct framework_analysis *analysis, int64_t connection_id, int64_t start_ns,
                       int64_t duration_ns, int64_t hz, bool on_core)
{
    const int64_t length_ns = ticks_span_ns(hz, start_ns, duration_ns);
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
        op->self_ns = number_add(op->self_ns, length_ns);
        op->self_core_ns = number_add(op->self_core_ns, on_core ? length_ns : 0);
    }
    for (; op != NULL; op = op->parent != TORCH_NONE ? &torch->ops.items[op->parent] : NULL) {
        op->total_ns = number_add(op->total_ns, length_ns);
        op->total_core_ns = number_add(op->total_core_ns, on_core ? length_ns : 0);
    }
}

struct taking {
    struct framework_analysis *analysis;
    const struct cann_clocks *clocks;
};

static int take_task(void *arg, const struct cann_task *task, struct err *err)
{
    const struct taking *taking = arg;
    (void)err;
    if (task->op_name_id != DB_NULL)
        add_kernel(taking->analysis, task->connection_id, task->start_ns, task->duration_ns,
                   cann_clock_hz(taking->clocks, task->device_id), task->op_task_type == AI_CORE);
    return 0;
}

static int take_kernels(struct framework_analysis *analysis, struct err *err)
{
    const struct cann_communications *communications = report_communications(&analysis->session, err);
    struct taking taking = {analysis, report_clocks(&analysis->session, err)};
    if (communications == NULL || taking.clocks == NULL)
        return err_status(err);
    int status = cann_each_task(analysis->db, CANN_TASKS, take_task, &taking, err);
    for (size_t i = 0; status == 0 && i < communications->count; i++) {
        const struct cann_communication *item = &communications->items[i];
        add_kernel(analysis, item->connection_id, item->start_ns, item->duration_ns,
                   cann_clock_hz(taking.clocks, item->device_id), false);
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

/* ---- events ---- */

/* ---- the queue ---- */

struct queue {
    const struct framework_analysis *analysis;
    int (*each)(void *arg, const struct torch_range *range, bool taken, const char *name, struct err *err);
    void *arg;
    struct strbuf text;
};

static int take_queued(struct queue *queue, const struct torch_range *range, bool taken, uint32_t name, struct err *err)
{
    if (!framework_wants_time(queue->analysis, range->start_ns))
        return 0;
    strbuf_clear(&queue->text);
    strbuf_adds(&queue->text, taken ? "Dequeue@" : "Enqueue@");
    strbuf_adds(&queue->text, framework_text(queue->analysis->framework, name));
    return queue->text.failed ? err_set(err, ERR_NO_MEMORY, "out of memory for the name of a piece of work")
                              : queue->each(queue->arg, range, taken, queue->text.data, err);
}

static int each_queued(struct queue *queue, uint32_t *names, struct err *err)
{
    const struct torch *torch = queue->analysis->framework->torch;
    int status = 0;
    for (size_t i = 0; status == 0 && i < torch->dequeues.count; i++) {
        const struct torch_range *range = &torch->dequeues.items[i];
        large_pass(i);
        names[range->work] = range->name;
        status = take_queued(queue, range, true, range->name, err);
    }
    for (size_t i = 0; status == 0 && i < torch->enqueues.count; i++) {
        const struct torch_range *range = &torch->enqueues.items[i];
        large_pass(i);
        uint32_t taken_as = names[range->work];
        status = take_queued(queue, range, false, taken_as != TORCH_NONE ? taken_as : range->name, err);
    }
    return status;
}

int torch_each_queued(const struct framework_analysis *analysis,
                      int (*each)(void *arg, const struct torch_range *range, bool taken, const char *name,
                                  struct err *err),
                      void *arg, struct err *err)
{
    const struct torch *torch = analysis->framework->torch;
    struct queue queue = {.analysis = analysis, .each = each, .arg = arg};
    if (!torch->has_queue)
        return 0;
    uint32_t *names = malloc((torch->enqueues.count + 1) * sizeof *names); /* under which work is taken out */
    if (names == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for %zu pieces of work", torch->enqueues.count);
    for (size_t i = 0; i <= torch->enqueues.count; i++)
        names[i] = TORCH_NONE;
    strbuf_init(&queue.text, TORCH_TEXT_LIMIT);
    int status = each_queued(&queue, names, err);
    strbuf_release(&queue.text);
    free(names);
    return status;
}

/* ---- from an operator to its backward one ---- */

struct forward {
    struct {
        int64_t sequence, thread;
    } key;
    const struct torch_op *op;
};

int torch_each_backward(const struct framework_analysis *analysis,
                        int (*each)(void *arg, const struct torch_op *forward, const struct torch_op *backward,
                                    struct err *err),
                        void *arg, struct err *err)
{
    const struct torch_ops *ops = &analysis->framework->torch->ops;
    SCOPED(map_release) struct map forwards = MAP_OF(struct forward, key);
    int status = 0;
    for (size_t i = 0; status == 0 && i < ops->count; i++) {
        const struct torch_op *op = &ops->items[i];
        large_pass(i);
        bool is_forward = op->forward_thread == 0 || op->forward_thread == op->thread;
        const struct forward key = {{op->sequence, is_forward ? op->thread : op->forward_thread}, NULL};
        if (op->sequence < 0)
            continue;
        struct forward *forward = is_forward ? map_add(&forwards, &key, NULL, err) : map_get(&forwards, &key);
        if (is_forward && forward == NULL)
            status = err_status(err);
        else if (is_forward)
            forward->op = op;
        else if (forward != NULL && framework_wants_time(analysis, forward->op->start_ns))
            status = each(arg, forward->op, op, err);
    }
    return status;
}

/* ---- Python's calls ---- */

#define MODULE_MARK "######"

/* The modules of one class in the order of their first calls. */
struct module {
    uint64_t key; /* of the function */
    int64_t number;
};
struct module_class {
    uint32_t name; /* interned */
    uint32_t zero;
    int64_t count;
};

struct modules {
    struct intern classes;
    struct map counts, numbers;
};

static int number_module(struct modules *modules, uint64_t key, const char *name, size_t length, int64_t *ret,
                         struct err *err)
{
    uint32_t number;
    bool added;
    struct module *module = map_add(&modules->numbers, &key, &added, err);
    if (module == NULL || intern_add(&modules->classes, name, length, &number, err) < 0)
        return err_status(err);
    if (added) {
        struct module_class *of = map_add(&modules->counts, &number, NULL, err);
        if (of == NULL)
            return err_status(err);
        module->number = of->count++;
    }
    *ret = module->number;
    return 0;
}

static int name_call(struct modules *modules, const struct framework *framework, const struct torch_call *call,
                     struct strbuf *text, int64_t *ret_module, struct err *err)
{
    const char *name = torch_function_name(framework, call->key), *mark;
    bool failed = false;
    *ret_module = -1;
    strbuf_clear(text);
    name = name != NULL ? name : "";
    if ((mark = strstr(name, MODULE_MARK)) != NULL) {
        failed = number_module(modules, call->key, name, (size_t)(mark - name), ret_module, err) < 0;
        strbuf_addf(text, "nn.Module: %.*s_%lld", (int)(mark - name), name, (long long)*ret_module);
    } else {
        strbuf_adds(text, name);
    }
    return failed || (text->failed && err_set(err, ERR_NO_MEMORY, "out of memory for the name of a call") < 0)
               ? err_status(err)
               : 0;
}

int torch_each_call(const struct framework_analysis *analysis,
                    int (*each)(void *arg, const struct torch_call *call, const char *name, int64_t module,
                                struct err *err),
                    void *arg, struct err *err)
{
    struct modules modules = {.counts = MAP_OF(struct module_class, name), .numbers = MAP_OF(struct module, key)};
    const struct torch_calls *calls = &analysis->framework->torch->calls;
    struct strbuf text;
    int64_t module;
    bool failed = false;
    strbuf_init(&text, TORCH_TEXT_LIMIT);
    for (size_t i = 0; !failed && i < calls->count; i++) {
        large_pass(i);
        if (!framework_wants_time(analysis, calls->items[i].start_ns))
            continue;
        failed = name_call(&modules, analysis->framework, &calls->items[i], &text, &module, err) < 0 ||
                 each(arg, &calls->items[i], text.data != NULL ? text.data : "", module, err) < 0;
    }
    strbuf_release(&text);
    intern_release(&modules.classes);
    map_release(&modules.counts);
    map_release(&modules.numbers);
    return failed ? err_status(err) : 0;
}
