/* Records in. */
#include "base/array.h"
#include "base/strbuf.h"
#include "parsers/decode/decoder.h"
#include "parsers/join/execution_data.h"
#include "parsers/records/cann_rows.h"

#include <stdlib.h>
#include <string.h>

struct executions *decoder_executions(struct decoder *decoder)
{
    return decoder->association != NULL ? decoder->association->executions : NULL;
}

struct executions *executions_new(struct association *association, struct err *err)
{
    struct executions *executions = calloc(1, sizeof *executions);
    if (executions == NULL) {
        err_set(err, ERR_NO_MEMORY, "out of memory");
        return NULL;
    }
    *executions = (struct executions){
        .association = association,
        .tensors = MAP_OF(struct tensors_of, key),
        .task_operators = MAP_OF(struct operator_of_task, key),
        .operators = MAP_OF(struct operator_of_name, name),
    };
    return executions;
}

void executions_free(struct executions *executions)
{
    if (executions == NULL)
        return;
    for (size_t i = 0; i < executions->ai_cpu.count; i++)
        free(executions->ai_cpu.items[i].cells);
    free(executions->runs.items);
    free(executions->marks.items);
    free(executions->descriptions.items);
    free(executions->counters.items);
    free(executions->launches.items);
    free(executions->ai_cpu.items);
    map_release(&executions->tensors);
    map_release(&executions->task_operators);
    map_release(&executions->operators);
    intern_release(&executions->operator_texts);
    free(executions);
}

static struct numbers numbers_of(const struct task_numbers *task, size_t order)
{
    return (struct numbers){task->device_id >= 0 ? (uint32_t)task->device_id : NO_DEVICE, task->stream_id,
                            task->task_id, (uint32_t)order};
}

/* Room for one more, which NO_INDEX must be able to tell from none. */
#define NEXT(list, err)                                                                                                \
    ((list)->count >= NO_INDEX - 1 ? err_set((err), ERR_LIMIT, "more than 2^32 records")                               \
                                   : array_reserve((list), 1, (err)))

/* ---- of the device ---- */

int executions_add_run(struct executions *executions, const struct task_execution *run, struct err *err)
{
    int status = NEXT(&executions->runs, err);
    if (status < 0)
        return status;
    struct execution *copy = &executions->runs.items[executions->runs.count];
    *copy = (struct execution){
        .of = numbers_of(&run->task, executions->runs.count),
        .start_ns = run->start_ns,
        .end_ns = run->end_ns,
        .start_tick = run->start_tick,
        .end_tick = run->end_tick,
        .wait_tick = NO_TICK,
        .pending_tick = NO_TICK,
        .description = NO_INDEX,
        .counters = NO_INDEX,
        .launch = NO_INDEX,
        .type = (uint8_t)run->type,
    };
    executions->runs.count++;
    return 0;
}

int executions_add_state(struct executions *executions, const struct task_state *state, struct err *err)
{
    int status = NEXT(&executions->marks, err);
    if (status < 0)
        return status;
    executions->marks.items[executions->marks.count] = (struct mark){
        .of = numbers_of(&state->task, executions->marks.count),
        .tick = state->tick,
        .time_ns = state->time_ns,
        .type = (uint8_t)state->type,
        .state = (uint8_t)state->state,
    };
    executions->marks.count++;
    return 0;
}

int executions_add_counters(struct executions *executions, const struct task_counters *counters, struct err *err)
{
    const struct device_pmu *pmu = &counters->pmu;
    int status = NEXT(&executions->counters, err);
    if (status < 0)
        return status;
    struct counters *copy = &executions->counters.items[executions->counters.count];
    *copy = (struct counters){
        .of = {pmu->device_id, pmu->stream_id, pmu->task_id, (uint32_t)executions->counters.count},
        .total_cycle = pmu->total_cycle,
        .block_num = counters->block_num,
        .file_id = counters->file_id,
        .of_vector_core = pmu->core == PMU_CORE_AIV,
    };
    memcpy(copy->values, pmu->counters, sizeof copy->values);
    executions->counters.count++;
    return 0;
}

int executions_add_ai_cpu(struct executions *executions, const struct task_numbers *task, int64_t start_tick,
                          const struct row *row, struct err *err)
{
    size_t columns = kind_aicpu_node.column_count;
    int status = NEXT(&executions->ai_cpu, err);
    if (status < 0)
        return status;
    struct cell *cells = malloc(columns * sizeof *cells);
    if (cells == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    memcpy(cells, row->cells, columns * sizeof *cells);
    executions->ai_cpu.items[executions->ai_cpu.count] = (struct ai_cpu_run){
        .of = numbers_of(task, executions->ai_cpu.count),
        .start_tick = start_tick,
        .description = NO_INDEX,
        .present = *row->present,
        .cells = cells,
    };
    executions->ai_cpu.count++;
    return 0;
}

/* ---- of the host ---- */

static int add_text(struct executions *executions, const char *text, size_t length, uint32_t *ret, struct err *err)
{
    *ret = NO_INDEX;
    return text != NULL ? intern_add(&executions->association->texts, text, length, ret, err) : 0;
}

int executions_add_description(struct executions *executions, const struct task_description *description,
                               struct err *err)
{
    uint32_t name, type;
    int status = add_text(executions, description->name, description->name_length, &name, err);
    if (status == 0)
        status = add_text(executions, description->type, description->type_length, &type, err);
    if (status == 0)
        status = NEXT(&executions->descriptions, err);
    if (status < 0)
        return status;
    executions->descriptions.items[executions->descriptions.count] = (struct description){
        .of = numbers_of(&description->task, executions->descriptions.count),
        .time_ns = description->time_ns,
        .iteration = description->iteration,
        .name_id = description->name_id,
        .type_id = description->type_id,
        .name = name,
        .type = type,
        .model_id = description->model_id,
        .batch_id = description->batch_id,
        .block_num = description->block_num,
        .task_type = description->task_type,
        .op_state = description->op_state,
        .tensor_set = NO_INDEX,
    };
    executions->descriptions.count++;
    return 0;
}

int executions_add_tensors(struct executions *executions, const struct described_tensors *tensors, struct err *err)
{
    const struct numbers of = numbers_of(&tensors->task, 0);
    const struct tensors_key key = {
        .time_ns = tensors->time_ns,
        .iteration = tensors->iteration,
        .device_id = of.device_id,
        .stream_id = of.stream_id,
        .task_id = of.task_id,
        .batch_id = tensors->batch_id,
        .model_id = tensors->model_id,
    };
    struct tensor_pool *pool = &executions->association->tensor_sets;
    uint32_t set;
    bool added;
    int status = tensor_pool_add(pool, tensors->tensors, tensors->count, &set, err);
    if (status < 0)
        return status;
    struct tensors_of *item = map_add(&executions->tensors, &key, &added, err);
    if (item == NULL)
        return -(int)err->code;
    if (!added)
        return tensor_pool_join(pool, item->set, set, &item->set, err);
    item->set = set;
    return 0;
}

int executions_add_name(struct executions *executions, int64_t id, const char *text, size_t length, struct err *err)
{
    struct association *association = executions->association;
    uint32_t number;
    if (id_map_get(&association->name_ids, id, &number))
        return 0;
    int status = intern_add(&association->texts, text, length, &number, err);
    return status == 0 ? id_map_set(&association->name_ids, id, number, err) : status;
}

/* ---- of the host, JOB ---- */

int executions_add_operator_of_task(struct executions *executions, const struct task_description *description,
                                    struct err *err)
{
    const struct numbers of = numbers_of(&description->task, 0);
    const struct operator_key key = {of.device_id, of.task_id};
    bool added;
    struct operator_of_task *item = map_add(&executions->task_operators, &key, &added, err);
    if (item == NULL)
        return -(int)err->code;
    if (!added)
        return 0;
    item->description = (uint32_t)executions->descriptions.count;
    return executions_add_description(executions, description, err);
}

/* One after another, so that they are one string. */
static int add_operator_texts(struct executions *executions, const struct named_operator *operator_, uint32_t *ret,
                              struct err *err)
{
    static const char none[] = "\1";
    struct strbuf all;
    *ret = NO_INDEX;
    strbuf_init(&all, OPERATOR_TEXTS * (DECODED_TEXT_MAX + 1));
    bool any = false;
    for (size_t i = 0; i < OPERATOR_TEXTS; i++) {
        const char *text = operator_->texts[i] != NULL ? operator_->texts[i] : none;
        size_t length = strlen(text);
        strbuf_add(&all, text, length < DECODED_TEXT_MAX ? length : DECODED_TEXT_MAX);
        strbuf_addc(&all, '\0');
        any |= operator_->texts[i] != NULL;
    }
    int status = all.failed ? err_set(err, ERR_NO_MEMORY, "out of memory") : 0;
    if (status == 0 && any)
        status = intern_add(&executions->operator_texts, all.data, all.length, ret, err);
    strbuf_release(&all);
    return status;
}

int executions_add_operator(struct executions *executions, const struct named_operator *operator_, struct err *err)
{
    uint32_t name = NO_INDEX, type = NO_INDEX, texts = NO_INDEX;
    bool added;
    int status = add_text(executions, operator_->name, operator_->name_length, &name, err);
    if (status == 0)
        status = add_text(executions, operator_->type, operator_->type_length, &type, err);
    if (status == 0)
        status = add_operator_texts(executions, operator_, &texts, err);
    if (status < 0)
        return status;
    struct operator_of_name *item = map_add(&executions->operators, &name, &added, err);
    if (item == NULL)
        return -(int)err->code;
    if (added) {
        item->type = type;
        item->texts = texts;
    }
    return 0;
}

/* ---- calls ---- */

static int call_kind(struct association *association, const struct plain_call *call, uint16_t *ret, struct err *err)
{
    uint32_t name, index;
    int status = intern_add(&association->texts, call->name, call->name_length, &name, err);
    if (status < 0)
        return status;
    int64_t key = (int64_t)((uint64_t)call->level << 48 | (uint64_t)(call->type & 0xff) << 40 | name);
    if (!id_map_get(&association->call_kind_ids, key, &index)) {
        if (association->call_kind_count > UINT16_MAX)
            return err_set(err, ERR_LIMIT, "more than 65536 different functions");
        struct call_kind *kind =
            ARRAY_NEXT(association->call_kinds, association->call_kind_count, association->call_kind_capacity, err);
        if (kind == NULL)
            return -(int)err->code;
        *kind = (struct call_kind){.type = call->type, .level = call->level, .name = name};
        index = (uint32_t)(association->call_kind_count - 1);
        status = id_map_set(&association->call_kind_ids, key, index, err);
    }
    *ret = (uint16_t)index;
    return status;
}

/* A call that launches carries the launch's index as its item until its connection is known. */
int executions_add_call(struct executions *executions, const struct plain_call *call, struct err *err)
{
    struct association *association = executions->association;
    uint16_t kind = 0;
    uint32_t launch = NO_INDEX;
    int status = call_kind(association, call, &kind, err);
    struct thread *thread = status == 0 ? association_thread(association, call->thread_id, err) : NULL;
    struct call *copy =
        thread != NULL ? ARRAY_NEXT(thread->calls, thread->call_count, thread->call_capacity, err) : NULL;
    if (copy == NULL)
        return -(int)err->code;
    *copy = (struct call){
        .begin_ns = call->begin_ns, .end_ns = call->end_ns, .item = NO_INDEX, .parent = NO_INDEX, .kind = kind};
    if (call->task_count == 0)
        return 0;
    status = NEXT(&executions->launches, err);
    if (status < 0)
        return status;
    launch = (uint32_t)executions->launches.count;
    executions->launches.items[executions->launches.count++] =
        (struct launch){.of = numbers_of(&call->launched, launch), .thread_id = call->thread_id};
    copy->item = launch;
    copy->launches = call->task_count < UINT16_MAX ? (uint16_t)call->task_count : UINT16_MAX;
    return 0;
}

void executions_connect(struct executions *executions, struct thread *thread)
{
    struct association *association = executions->association;
    for (size_t i = 0; i < thread->call_count; i++) {
        struct call *call = &thread->calls[i];
        if (call->item == NO_INDEX)
            continue;
        struct launch *launch = &executions->launches.items[call->item];
        call->item = NO_INDEX;
        call->connection = launch->connection = ++association->connections;
        launch->call_row = executions->call_rows + (int64_t)i + 1;
        for (uint32_t k = call->parent; k != NO_INDEX && thread->calls[k].connection == 0; k = thread->calls[k].parent)
            thread->calls[k].connection = call->connection;
    }
    executions->call_rows += (int64_t)thread->call_count;
}
