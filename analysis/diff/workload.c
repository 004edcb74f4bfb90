#include "analysis/diff/workload.h"

#include "analysis/period.h"
#include "base/array.h"

#include <stdlib.h>
#include <string.h>

const char *work_name(enum work work)
{
    static const char *const names[] = {"AI_CORE", "AI_VECTOR_CORE", "AI_CPU", "COMMUNICATION", "COPY"};

    return names[work];
}

const char *unit_name(enum unit unit)
{
    static const char *const names[] = {"cube", "vector", "scalar", "load", "weights", "inner", "store", "occupied"};

    return names[unit];
}

const char *step_source_name(enum step_source source)
{
    static const char *const names[] = {"none", "marked", "inferences", "period of the operators"};

    return names[source];
}

void workload_init(struct workload *workload)
{
    const struct map operators = {.key_size = sizeof(struct workload_key),
                                  .item_size = sizeof(struct workload_key) + sizeof(uint32_t)};

    *workload = (struct workload){.operator_index = operators, .facts = {.times_known = true}};
}

void workload_release(struct workload *workload)
{
    intern_release(&workload->texts);
    map_release(&workload->operator_index);
    free(workload->operators);
    free(workload->executions);
    free(workload->steps);
    free(workload->streams);
    free(workload->devices);
    workload_init(workload);
}

const char *workload_text(const struct workload *workload, uint32_t text)
{
    return text < workload->texts.count ? workload->texts.items[text].bytes : "";
}

int workload_add_text(struct workload *workload, const char *text, uint32_t *ret, struct err *err)
{
    *ret = NO_TEXT;
    return text != NULL ? intern_add(&workload->texts, text, strlen(text), ret, err) : 0;
}

struct indexed_operator {
    struct workload_key key;
    uint32_t index;
};

int workload_add_operator(struct workload *workload, const struct workload_key *key, uint32_t *ret, struct err *err)
{
    bool added;
    struct indexed_operator *item = map_add(&workload->operator_index, key, &added, err);

    if (item == NULL)
        return -(int)err->code;
    if (!added) {
        *ret = item->index;
        return 0;
    }
    if (workload->operator_count == workload->operator_capacity) {
        int status = array_grow(&workload->operators, &workload->operator_capacity, workload->operator_count, 1,
                                sizeof *workload->operators, err);
        if (status != 0) {
            map_remove(&workload->operator_index, item);
            return status;
        }
    }
    struct workload_operator *op = &workload->operators[workload->operator_count];
    *op = (struct workload_operator){
        .key = *key, .first = workload->execution_count, .read_bytes = -1, .write_bytes = -1};
    for (size_t i = 0; i < UNITS; i++)
        op->units[i] = -1;
    *ret = item->index = (uint32_t)workload->operator_count++;
    return 0;
}

/* The index of an id of a device; the last one used is the likeliest. */
static int find_id(struct workload_id **ids, size_t *count, size_t *capacity, int64_t device, int64_t id, uint16_t *ret,
                   struct err *err)
{
    for (size_t i = *count; i-- > 0;)
        if ((*ids)[i].id == id && (*ids)[i].device == device) {
            *ret = (uint16_t)i;
            return 0;
        }
    if (*count == UINT16_MAX)
        return err_set(err, ERR_LIMIT, "more than %d streams or devices", UINT16_MAX);
    if (*count == *capacity) {
        int status = array_grow(ids, capacity, *count, 1, sizeof **ids, err);
        if (status != 0)
            return status;
    }
    *ret = (uint16_t)*count;
    (*ids)[(*count)++] = (struct workload_id){id, device};
    return 0;
}

static int find_device(struct workload *workload, int64_t device_id, uint16_t *ret, struct err *err)
{
    return find_id(&workload->devices, &workload->device_count, &workload->device_capacity, 0, device_id, ret, err);
}

int workload_add(struct workload *workload, uint32_t op, int64_t device_id, int64_t stream_id, int64_t start_ns,
                 int64_t duration_ns, bool *ret_taken, struct err *err)
{
    struct execution execution = {start_ns, duration_ns, op, 0, 0};
    const struct execution *last =
        workload->execution_count > 0 ? &workload->executions[workload->execution_count - 1] : NULL;
    int64_t end_ns;
    int status;

    *ret_taken = false;
    if (duration_ns < 0 || start_ns == INT64_MIN || __builtin_add_overflow(start_ns, duration_ns, &end_ns)) {
        workload->refused++;
        return 0;
    }
    if (last != NULL && workload->devices[last->device].id == device_id &&
        workload->streams[last->stream].id == stream_id) {
        execution.device = last->device;
        execution.stream = last->stream;
    } else {
        status = find_device(workload, device_id, &execution.device, err);
        if (status == 0)
            status = find_id(&workload->streams, &workload->stream_count, &workload->stream_capacity, device_id,
                             stream_id, &execution.stream, err);
        if (status != 0)
            return status;
    }
    if (workload->execution_count == UINT32_MAX)
        return err_set(err, ERR_LIMIT, "more than %u executions", UINT32_MAX);
    if (workload->execution_count == workload->execution_capacity) {
        status = array_grow(&workload->executions, &workload->execution_capacity, workload->execution_count, 1,
                            sizeof *workload->executions, err);
        if (status != 0)
            return status;
    }
    workload->executions[workload->execution_count++] = execution;
    workload->operators[op].count++;
    workload->operators[op].total_ns += (double)duration_ns;
    *ret_taken = true;
    return 0;
}

int workload_add_step(struct workload *workload, int64_t device_id, int64_t model_id, int64_t start_ns, int64_t end_ns,
                      struct err *err)
{
    struct workload_step step = {start_ns, end_ns, model_id, 0};
    int status = find_device(workload, device_id, &step.device, err);

    if (end_ns < start_ns)
        return status;
    if (status == 0 && workload->step_count == workload->step_capacity)
        status = array_grow(&workload->steps, &workload->step_capacity, workload->step_count, 1,
                            sizeof *workload->steps, err);
    if (status == 0)
        workload->steps[workload->step_count++] = step;
    return status;
}

static int compare_executions(const void *a, const void *b)
{
    const struct execution *x = a, *y = b;

    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (x->stream != y->stream)
        return x->stream < y->stream ? -1 : 1;
    return (x->op > y->op) - (x->op < y->op);
}

static int compare_steps(const void *a, const void *b)
{
    const struct workload_step *x = a, *y = b;

    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
}

static void sort_executions(struct workload *workload)
{
    for (size_t i = 1; i < workload->execution_count; i++)
        if (compare_executions(&workload->executions[i - 1], &workload->executions[i]) > 0) {
            array_sort(workload->executions, workload->execution_count, sizeof *workload->executions,
                       compare_executions);
            break;
        }
    for (size_t i = 0; i < workload->operator_count; i++)
        workload->operators[i].first = UINT64_MAX;
    for (size_t i = workload->execution_count; i-- > 0;)
        workload->operators[workload->executions[i].op].first = i;
}

/* The steps of one device: from each execution of the divider to the next, the last one to the end. */
static int divide(struct workload *workload, size_t from, size_t until, uint32_t divider, struct err *err)
{
    int64_t device_id = workload->devices[workload->executions[from].device].id, start_ns = 0, end_ns = 0;
    bool open = false;
    int status = 0;

    for (size_t i = from; status == 0 && i < until; i++) {
        const struct execution *execution = &workload->executions[i];
        if (execution->op == divider) {
            if (open)
                status = workload_add_step(workload, device_id, 0, start_ns, execution->start_ns, err);
            open = true;
            start_ns = execution->start_ns;
        }
        if (execution->start_ns + execution->duration_ns > end_ns || i == from)
            end_ns = execution->start_ns + execution->duration_ns;
    }
    return status == 0 && open ? workload_add_step(workload, device_id, 0, start_ns, end_ns, err) : status;
}

static int find_steps(struct workload *workload, struct err *err)
{
    size_t *counts = calloc(workload->operator_count + 1, sizeof *counts);
    uint64_t *first = calloc(workload->operator_count + 1, sizeof *first);
    int status = counts == NULL || first == NULL ? err_set(err, ERR_NO_MEMORY, "out of memory") : 0;

    for (size_t from = 0, until; status == 0 && from < workload->execution_count; from = until) {
        struct period period;

        memset(counts, 0, workload->operator_count * sizeof *counts);
        for (until = from; until < workload->execution_count &&
                           workload->executions[until].device == workload->executions[from].device;
             until++)
            if (counts[workload->executions[until].op]++ == 0)
                first[workload->executions[until].op] = until;
        status = period_find(counts, first, workload->operator_count, &period, err);
        if (status == 0 && period.count >= 2) {
            status = divide(workload, from, until, period.divider, err);
            workload->step_source = STEPS_PERIOD;
        }
    }
    free(counts);
    free(first);
    return status;
}

int workload_finish(struct workload *workload, struct err *err)
{
    int status = 0;

    sort_executions(workload);
    if (workload->step_count == 0)
        status = find_steps(workload, err);
    array_sort(workload->steps, workload->step_count, sizeof *workload->steps, compare_steps);
    return status;
}

bool is_conversion(const char *type)
{
    static const char *const types[] = {"TransData", "Cast", "Transpose", "TransposeD", "Reformat"};

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(type, types[i]) == 0)
            return true;
    return false;
}
