/* SPDX-License-Identifier: Apache-2.0 */
/* Records in. */
#include "base/array.h"
#include "base/strbuf.h"
#include "parsers/decode/decoder.h"
#include "parsers/join/execution_data.h"
#include "parsers/kinds/common/cann_rows.h"

#include <stdlib.h>
#include <string.h>

struct executions *decoder_executions(struct decoder *decoder)
{
    return decoder->association != NULL ? decoder->association->executions : NULL;
}

int executions_expect_names(struct decoder *decoder, const struct record_kind *kind, const struct row *row,
                            size_t first, size_t count, struct err *err)
{
    struct executions *executions = decoder_executions(decoder);
    int status = 0;
    for (size_t i = first; i < first + count && executions != NULL && status == 0; i++) {
        if (row_has(row, i))
            status =
                association_expect_name(executions->association, row->cells[i].integer, kind->columns[i].name, err);
    }
    return status;
}

/* Memory that a spool of each kind may take; together they are what an import of any size needs beside its rows. */
#define SPOOL_MEMORY ((size_t)1 * 1024 * 1024)

/* As the reports of the era have them: of tasks that start at once, those of 2022 by their numbers, those of JOB as
 * they ended. */
ARRAY_COMPARE(by_task_and_end, struct joined_task, ARRAY_BY(of.stream_id), ARRAY_BY(of.task_id), ARRAY_BY(run.end_tick),
              ARRAY_BY(run.order))

ARRAY_COMPARE(by_execution, struct joined_task, ARRAY_BY(run.order))

struct executions *executions_new(struct association *association, struct err *err)
{
    struct executions *executions = calloc(1, sizeof *executions);
    if (executions == NULL) {
        err_no_memory(err);
        return NULL;
    }
    bool of_job = decoder_capture(association->decoder)->family == CAPTURE_JOB;
    *executions = (struct executions){
        .association = association,
        .of_job = of_job,
        .tasks = spool_new(SPOOL_MEMORY, NULL, err),
        .joined = spool_new(SPOOL_MEMORY, of_job ? by_execution : by_task_and_end, err),
        .ai_cpu = spool_new(SPOOL_MEMORY, NULL, err),
        .marked = calloc(MARKED_TASKS, sizeof *executions->marked),
        .task_operators = MAP_OF(struct operator_of_task, key),
        .operators = MAP_OF(struct operator_of_name, name),
    };
    association->records = spool_new(SPOOL_MEMORY, join_outer_first, err);
    association->calls = spool_new(SPOOL_MEMORY, NULL, err);
    if (association->records == NULL || association->calls == NULL || executions->tasks == NULL ||
        executions->joined == NULL || executions->ai_cpu == NULL)
        goto fail;
    if (executions->marked != NULL)
        return executions;
    err_no_memory(err);
fail:
    executions_free(executions);
    return NULL;
}

void executions_free(struct executions *executions)
{
    if (executions == NULL)
        return;
    spool_free(executions->tasks);
    spool_free(executions->joined);
    spool_free(executions->ai_cpu);
    free(executions->marked);
    map_release(&executions->task_operators);
    map_release(&executions->operators);
    intern_release(&executions->operator_texts);
    free(executions);
}

static struct numbers numbers_of(const struct task_numbers *task)
{
    return (struct numbers){task->device_id >= 0 ? (uint32_t)task->device_id : NO_DEVICE, task->stream_id,
                            task->task_id, 0};
}

static uint32_t part_of(int64_t context_id)
{
    return context_id == NO_CONTEXT ? 0 : (uint32_t)context_id + 1;
}

int executions_add_record(struct executions *executions, const struct numbers *of, enum task_record kind,
                          const void *record, size_t size, struct err *err)
{
    const struct spool_key key = {(uint64_t)of->device_id << 32 | of->stream_id,
                                  (uint64_t)of->task_id << 32 | of->part << RECORD_BITS | (uint32_t)kind};
    executions->added[kind]++;
    return spool_add(executions->tasks, &key, record, size, err);
}

/* ---- of the device ---- */

int executions_add_run(struct executions *executions, const struct device_task *task, struct err *err)
{
    const struct numbers of = {task->device_id, task->stream_id, task->task_id, part_of(task->context_id)};
    const struct execution record = {
        .start_ns = task->start_ns,
        .end_ns = task->end_ns,
        .start_tick = task->start_tick,
        .end_tick = task->end_tick,
        .wait_tick = NO_TICK,
        .pending_tick = NO_TICK,
        .description = NO_INDEX,
        .counters = NO_INDEX,
        .launch = NO_INDEX,
        .type = task->type & 0xff,
        .accelerator_id = task->has_accelerator ? (int32_t)task->accelerator_id : NO_ACCELERATOR,
        .order = executions->added[RECORD_RUN],
    };
    return executions_add_record(executions, &of, RECORD_RUN, &record, sizeof record, err);
}

static int spool_marks(struct executions *executions, struct marked_task *marked, struct err *err)
{
    size_t size = marked->count * sizeof *marked->marks;
    marked->count = 0;
    return size > 0 ? executions_add_record(executions, &marked->of, RECORD_STATE, marked->marks, size, err) : 0;
}

int executions_add_state(struct executions *executions, const struct task_state *state, struct err *err)
{
    const struct numbers of = numbers_of(&state->task);
    struct marked_task *marked = &executions->marked[(of.task_id ^ of.stream_id << 4) % MARKED_TASKS];
    if ((marked->count == MARKS_TOGETHER || !same_numbers(&marked->of, &of)) &&
        spool_marks(executions, marked, err) < 0)
        return err_status(err);
    marked->of = of;
    marked->marks[marked->count++] =
        (struct spooled_mark){state->tick, state->time_ns, state->type & 0xff, state->state & 0xff};
    return 0;
}

int executions_finish_states(struct executions *executions, struct err *err)
{
    int status = 0;
    for (size_t i = 0; i < MARKED_TASKS && status == 0; i++)
        status = spool_marks(executions, &executions->marked[i], err);
    return status;
}

int executions_add_counters(struct executions *executions, const struct device_pmu *pmu, struct err *err)
{
    const struct numbers of = {pmu->device_id, pmu->stream_id, pmu->task_id, part_of(pmu->context_id)};
    struct counters record = {
        .total_cycle = pmu->total_cycle,
        .block_num = pmu->block_num,
        .file_id = pmu->file_id,
        .of_vector_core = pmu->core == PMU_CORE_AIV,
    };
    if (pmu->block)
        return 0;
    memcpy(record.values, pmu->counters, sizeof record.values);
    return executions_add_record(executions, &of, RECORD_COUNTERS, &record, offsetof(struct counters, order), err);
}

int executions_add_ai_cpu(struct executions *executions, const struct task_numbers *task, int64_t start_tick,
                          const struct row *row, struct err *err)
{
    const struct numbers of = numbers_of(task);
    const struct ai_cpu_run record = {start_tick, executions->added[RECORD_AI_CPU], NO_INDEX};
    const struct spool_key key = {record.order, AI_CPU_CELLS};
    struct ai_cpu_cells cells = {.present = *row->present};
    size_t cells_size = kind_aicpu_node.column_count * sizeof *row->cells;
    memcpy(cells.cells, row->cells, cells_size);
    int status = spool_add(executions->ai_cpu, &key, &cells, offsetof(struct ai_cpu_cells, cells) + cells_size, err);
    return status == 0 ? executions_add_record(executions, &of, RECORD_AI_CPU, &record, sizeof record, err) : status;
}

/* ---- of the host ---- */

static int add_text(struct executions *executions, const char *text, size_t length, uint32_t *ret, struct err *err)
{
    *ret = NO_INDEX;
    return text != NULL ? intern_add(&executions->association->texts, text, length, ret, err) : 0;
}

/* Describes it by the known facts; its texts are numbered. */
static int describe(struct executions *executions, const struct task_description *description, struct description *ret,
                    struct err *err)
{
    uint32_t name, type;
    if (add_text(executions, description->name, description->name_length, &name, err) < 0 ||
        add_text(executions, description->type, description->type_length, &type, err) < 0)
        return err_status(err);
    *ret = (struct description){
        .time_ns = description->time_ns,
        .iteration = description->iteration,
        .name_id = description->name_id,
        .type_id = description->type_id,
        .operator_ = {.name = name,
                      .type = type,
                      .model_id = description->model_id,
                      .batch_id = description->batch_id,
                      .block_num = description->block_num,
                      .task_type = description->task_type,
                      .op_state = description->op_state,
                      .tensor_set = NO_INDEX},
    };
    return 0;
}

int executions_add_description(struct executions *executions, const struct task_description *description,
                               struct err *err)
{
    const struct numbers of = numbers_of(&description->task);
    struct description record;
    if (describe(executions, description, &record, err) < 0)
        return err_status(err);
    return executions_add_record(executions, &of, RECORD_DESCRIPTION, &record, offsetof(struct description, order),
                                 err);
}

int executions_add_tensors(struct executions *executions, const struct described_tensors *tensors, struct err *err)
{
    const struct numbers of = numbers_of(&tensors->task);
    struct recorded_tensors record = {
        .time_ns = tensors->time_ns,
        .iteration = tensors->iteration,
        .model_id = tensors->model_id,
        .batch_id = tensors->batch_id,
    };
    int status =
        tensor_pool_add(&executions->association->tensor_sets, tensors->tensors, tensors->count, &record.set, err);
    if (status < 0)
        return status;
    return executions_add_record(executions, &of, RECORD_TENSORS, &record, offsetof(struct recorded_tensors, order),
                                 err);
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

static int call_kind(struct association *association, const struct plain_call *call, uint16_t *ret, struct err *err)
{
    struct call_kind kind = {.type = call->type, .level = call->level};
    uint32_t index = 0;
    if (intern_add(&association->texts, call->name, call->name_length, &kind.name, err) < 0)
        return err_status(err);
    int64_t key = (int64_t)((uint64_t)call->level << 48 | (uint64_t)(call->type & 0xff) << 40 | kind.name);
    if (!id_map_get(&association->call_kind_ids, key, &index))
        return association_add_call_kind(association, key, &kind, ret, err);
    *ret = (uint16_t)index;
    return 0;
}

int executions_add_call(struct executions *executions, const struct plain_call *call, struct err *err)
{
    struct launching_call record = {
        .call = {.end_ns = call->end_ns, .item = NO_INDEX, .level = call->level},
        .launches = call->task_count < UINT16_MAX ? (uint16_t)call->task_count : UINT16_MAX,
        .first = numbers_of(&call->launched),
    };
    if (join_expect_span(call->begin_ns, call->end_ns, err) < 0 ||
        call_kind(executions->association, call, &record.call.kind, err) < 0)
        return err_status(err);
    if (record.launches > 0)
        record.order = executions->launches++;
    return association_add_thread_call(executions->association, call->thread_id, call->begin_ns, &record.call,
                                       record.launches > 0 ? sizeof record : sizeof record.call, err);
}

/* ---- of the host, JOB ---- */

int executions_add_operator_of_task(struct executions *executions, const struct task_description *description,
                                    struct err *err)
{
    const struct numbers of = numbers_of(&description->task);
    const struct operator_key key = {of.device_id, of.task_id};
    bool added;
    struct operator_of_task *item = map_add(&executions->task_operators, &key, &added, err);
    if (item == NULL)
        return err_status(err);
    return added ? describe(executions, description, &item->description, err) : 0;
}

/* One after another, so that they are one string. */
static int add_operator_texts(struct executions *executions, const struct named_operator *operator_, uint32_t *ret,
                              struct err *err)
{
    static const char none[] = "\1";
    SCOPED(strbuf_release) struct strbuf all;
    *ret = NO_INDEX;
    strbuf_init(&all, OPERATOR_TEXTS * (DECODED_TEXT_MAX + 1));
    bool any = false;
    for (size_t i = 0; i < OPERATOR_TEXTS; i++) {
        const char *text = operator_->texts[i] != NULL ? operator_->texts[i] : none;
        strbuf_adds(&all, text); /* its kind kept DECODED_TEXT_MAX bytes of it at most */
        strbuf_addc(&all, '\0');
        any |= operator_->texts[i] != NULL;
    }
    if (all.failed)
        return err_no_memory(err);
    return any ? intern_add(&executions->operator_texts, all.data, all.length, ret, err) : 0;
}

int executions_add_operator(struct executions *executions, const struct named_operator *operator_, struct err *err)
{
    uint32_t name = NO_INDEX, type = NO_INDEX, texts = NO_INDEX;
    bool added;
    if (add_text(executions, operator_->name, operator_->name_length, &name, err) < 0 ||
        add_text(executions, operator_->type, operator_->type_length, &type, err) < 0 ||
        add_operator_texts(executions, operator_, &texts, err) < 0)
        return err_status(err);
    struct operator_of_name *item = map_add(&executions->operators, &name, &added, err);
    if (item == NULL)
        return err_status(err);
    if (added) {
        item->type = type;
        item->texts = texts;
    }
    return 0;
}
