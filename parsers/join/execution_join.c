/* SPDX-License-Identifier: Apache-2.0 */
/* Who belongs to whom: one task after the other, with all that was recorded of it. */
#include "base/array.h"
#include "base/diag.h"
#include "base/file/spool.h"
#include "base/number.h"
#include "base/progress.h"
#include "parsers/join/execution_data.h"
#include "parsers/kinds/common/core_pmu.h"

#include <stdlib.h>
#include <string.h>

/* Everything of one task. */
struct task_records {
    struct numbers of;
    struct ARRAY_OF(struct execution) runs;
    struct ARRAY_OF(struct mark) marks;
    struct ARRAY_OF(struct description) descriptions;
    struct ARRAY_OF(struct recorded_tensors) tensors;
    struct ARRAY_OF(struct counters) counters;
    struct ARRAY_OF(struct launch) launches;
    struct ARRAY_OF(struct ai_cpu_run) ai_cpu;
};

/* ---- orders inside of a task ---- */

ARRAY_COMPARE(by_end, struct execution, ARRAY_BY(end_tick), ARRAY_BY(order))
ARRAY_COMPARE(by_batch, struct description, ARRAY_BY(operator_.batch_id), ARRAY_BY(order))
ARRAY_COMPARE(by_core, struct counters, ARRAY_BY(of_vector_core), ARRAY_BY(order))
ARRAY_COMPARE(by_start_on_ai_cpu, struct ai_cpu_run, ARRAY_BY(start_tick), ARRAY_BY(order))
ARRAY_COMPARE(by_order, struct launch, ARRAY_BY(order))

ARRAY_COMPARE(by_state, struct mark, ARRAY_BY(tick), ARRAY_BY(state), ARRAY_BY(order))

/* When a description and its tensors were recorded. */
ARRAY_COMPARE(compare_times, struct recorded_tensors, ARRAY_BY(time_ns), ARRAY_BY(iteration), ARRAY_BY(batch_id),
              ARRAY_BY(model_id))
ARRAY_COMPARE(by_time, struct recorded_tensors, compare_times(left, right), ARRAY_BY(order))

/* ---- chip 0: executions of states ---- */

static void count_unpaired(struct unpaired *unpaired, const struct task_records *task)
{
    if (unpaired->count++ == 0)
        unpaired->first = task->of;
}

/* A task that ran and is complete was executed, with what it did before. */
static int take_mark(struct executions *executions, struct task_records *task, struct execution *run,
                     const struct mark *mark, struct err *err)
{
    switch (mark->state) {
    case TASK_WAITING:
        run->wait_tick = mark->tick;
        return 0;
    case TASK_PENDING:
        run->pending_tick = mark->tick;
        return 0;
    case TASK_RUNNING:
        if (run->start_tick != NO_TICK)
            count_unpaired(&executions->starts_without_end, task);
        run->start_tick = mark->tick;
        run->start_ns = mark->time_ns;
        return 0;
    case TASK_COMPLETE:
        break;
    default:
        return 0;
    }
    if (run->start_tick != NO_TICK && !span_is_sound(run->start_ns, mark->time_ns)) {
        count_unpaired(&executions->unsound, task);
    } else if (run->start_tick != NO_TICK) {
        run->end_tick = mark->tick;
        run->end_ns = mark->time_ns;
        run->type = mark->type;
        run->order = executions->added[RECORD_RUN]++;
        if (array_reserve(&task->runs, 1, err) < 0)
            return err_status(err);
        task->runs.items[task->runs.count++] = *run;
    } else {
        count_unpaired(&executions->ends_without_start, task);
    }
    run->wait_tick = run->pending_tick = run->start_tick = NO_TICK;
    return 0;
}

static int executions_of_states(struct executions *executions, struct task_records *task, struct err *err)
{
    struct execution run = {.accelerator_id = NO_ACCELERATOR,
                            .description = NO_INDEX,
                            .counters = NO_INDEX,
                            .launch = NO_INDEX,
                            .wait_tick = NO_TICK,
                            .pending_tick = NO_TICK,
                            .start_tick = NO_TICK};
    int status = 0;
    array_sort(task->marks.items, task->marks.count, sizeof *task->marks.items, by_state);
    for (size_t i = 0; i < task->marks.count && status == 0; i++)
        status = take_mark(executions, task, &run, &task->marks.items[i], err);
    return status;
}

/* ---- descriptions ---- */

/* The text of an id; of its number when no dictionary has it. */
static int text_of_id(struct executions *executions, int64_t id, uint32_t *ret, struct err *err)
{
    struct association *association = executions->association;
    char number[NUMBER_MAX];
    if (id_map_get(&association->name_ids, id, ret))
        return 0;
    const char *end = number_put_signed(number, id);
    return intern_add(&association->texts, number, (size_t)(end - number), ret, err);
}

/* The tensors that were recorded with a description are next to each other; those of the task are sorted by time. The
 * first, NULL: none; *ret_count: how many. */
static struct recorded_tensors *tensors_of(const struct task_records *task, const struct description *description,
                                           size_t *ret_count)
{
    const struct recorded_tensors sought = {.time_ns = description->time_ns,
                                            .iteration = description->iteration,
                                            .batch_id = description->operator_.batch_id,
                                            .model_id = description->operator_.model_id};
    struct recorded_tensors *tensors = task->tensors.items;
    size_t low = 0, high = task->tensors.count; /* the first that is not earlier */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_times(&tensors[middle], &sought) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *ret_count = 0;
    while (low + *ret_count < task->tensors.count && compare_times(&tensors[low + *ret_count], &sought) == 0)
        ++*ret_count;
    return *ret_count > 0 ? &tensors[low] : NULL;
}

/* All of them, in their order. */
static int join_tensors(struct executions *executions, const struct task_records *task, struct description *description,
                        struct err *err)
{
    size_t count;
    const struct recorded_tensors *tensors = tensors_of(task, description, &count);
    int status = 0;
    for (size_t i = 0; i < count && status == 0; i++) {
        if (description->operator_.tensor_set == NO_INDEX)
            description->operator_.tensor_set = tensors[i].set;
        else
            status = tensor_pool_join(&executions->association->tensor_sets, description->operator_.tensor_set,
                                      tensors[i].set, &description->operator_.tensor_set, err);
    }
    return status;
}

static int complete_descriptions(struct executions *executions, struct task_records *task, struct err *err)
{
    array_sort(task->tensors.items, task->tensors.count, sizeof *task->tensors.items, by_time);
    for (size_t i = 0; i < task->descriptions.count; i++) {
        struct description *description = &task->descriptions.items[i];
        if ((description->operator_.name == NO_INDEX &&
             text_of_id(executions, description->name_id, &description->operator_.name, err) < 0) ||
            (description->operator_.type == NO_INDEX &&
             text_of_id(executions, description->type_id, &description->operator_.type, err) < 0) ||
            join_tensors(executions, task, description, err) < 0)
            return err_status(err);
    }
    return 0;
}

/* The n-th execution to its n-th description, or the last one. */
static void match_descriptions(struct task_records *task)
{
    for (size_t i = 0; i < task->runs.count && task->descriptions.count > 0; i++)
        task->runs.items[i].description = (uint32_t)(i < task->descriptions.count ? i : task->descriptions.count - 1);
}

static int match_operator_of_task(struct executions *executions, struct task_records *task, struct err *err)
{
    const struct operator_key key = {task->of.device_id, task->of.task_id};
    struct operator_of_task *operator_ = map_get(&executions->task_operators, &key);
    if (operator_ == NULL)
        return 0;
    operator_->used |= task->runs.count > 0;
    if (array_add(&task->descriptions, err, operator_->description) < 0)
        return err_status(err);
    for (size_t i = 0; i < task->runs.count; i++)
        task->runs.items[i].description = 0;
    return 0;
}

/* The n-th run of a task on the AI CPU to its n-th operator there, or the last one. */
static void match_ai_cpu(struct task_records *task)
{
    enum { ON_AI_CPU = 1 };
    uint32_t last = NO_INDEX;
    array_sort(task->ai_cpu.items, task->ai_cpu.count, sizeof *task->ai_cpu.items, by_start_on_ai_cpu);
    for (size_t i = 0, next = 0; i < task->ai_cpu.count; i++) {
        while (next < task->descriptions.count && task->descriptions.items[next].operator_.task_type != ON_AI_CPU)
            next++;
        if (next < task->descriptions.count)
            last = (uint32_t)next++;
        task->ai_cpu.items[i].description = last;
    }
}

static void use_tensors(const struct task_records *task, uint32_t description)
{
    size_t count;
    struct recorded_tensors *tensors = tensors_of(task, &task->descriptions.items[description], &count);
    for (size_t i = 0; i < count; i++)
        tensors[i].used = true;
}

/* Counts the tensors of operators that did not run, or that nothing describes. */
static void count_unused_tensors(struct executions *executions, const struct task_records *task)
{
    if (task->tensors.count == 0)
        return;
    for (size_t i = 0; i < task->runs.count; i++)
        if (task->runs.items[i].description != NO_INDEX)
            use_tensors(task, task->runs.items[i].description);
    for (size_t i = 0; i < task->tensors.count; i++)
        executions->tensors_unused += !task->tensors.items[i].used;
}

/* ---- counters and launches ---- */

/* Those of the AI cores come first, then those of the vector cores, each in the order of their executions. A task has
 * the counters of the cores that its operator is said to run on, or of the others when only those counted it. */
static void match_counters(struct task_records *task)
{
    enum { ON_VECTOR_CORE = 2 };
    struct counters *counters = task->counters.items;
    size_t count = task->counters.count, first_vector = 0;
    array_sort(counters, count, sizeof *counters, by_core);
    while (first_vector < count && !counters[first_vector].of_vector_core)
        first_vector++;
    size_t ai_core = 0, vector_core = first_vector;
    for (size_t i = 0; i < task->runs.count; i++) {
        struct execution *run = &task->runs.items[i];
        bool on_vector = run->description < task->descriptions.count &&
                         task->descriptions.items[run->description].operator_.task_type == ON_VECTOR_CORE;
        if (on_vector ? first_vector < count : first_vector == 0)
            run->counters = vector_core < count ? (uint32_t)vector_core++ : NO_INDEX;
        else
            run->counters = ai_core < first_vector ? (uint32_t)ai_core++ : NO_INDEX;
        if (run->counters != NO_INDEX)
            counters[run->counters].used = true;
    }
}

static void match_launches(struct task_records *task)
{
    array_sort(task->launches.items, task->launches.count, sizeof *task->launches.items, by_order);
    for (size_t i = 0; i < task->runs.count && i < task->launches.count; i++)
        task->runs.items[i].launch = (uint32_t)i;
}

static void count_unlaunched(struct executions *executions, const struct task_records *task)
{
    for (size_t i = task->launches.count; i < task->runs.count; i++)
        count_unpaired(&executions->unlaunched, task);
}

/* ---- out ---- */

static int add_joined(struct executions *executions, const struct task_records *task, const struct execution *run,
                      struct err *err)
{
    uint64_t start = spool_key_part(run->start_tick);
    const struct spool_key key = {(uint64_t)task->of.device_id << 32 | start >> 32, start << 32};
    struct joined_task joined = {
        .of = task->of,
        .described = run->description < task->descriptions.count,
        .launched = run->launch < task->launches.count,
        .counted = run->counters < task->counters.count,
        .run = *run,
    };
    if (joined.described)
        joined.operator_ = task->descriptions.items[run->description].operator_;
    if (joined.launched)
        joined.launch = task->launches.items[run->launch];
    if (joined.counted)
        joined.counters = task->counters.items[run->counters];
    return spool_add(
        executions->joined, &key, &joined,
        joined.counted ? offsetof(struct joined_task, counters.file_id) : offsetof(struct joined_task, counters), err);
}

/* Whether the task has counters of such cores more often than it ran; those of other cores than its operator's are
 * counters that its executions do not need. */
static bool is_one_more(const struct task_records *task, const struct counters *counters)
{
    bool same_cores = task->runs.count == 0;
    for (size_t i = 0; i < task->counters.count && !same_cores; i++)
        same_cores = task->counters.items[i].used && task->counters.items[i].of_vector_core == counters->of_vector_core;
    return same_cores;
}

/* Counters of tasks that did not run, as far as is known. */
static int emit_unused_counters(struct executions *executions, const struct task_records *task, struct err *err)
{
    for (size_t i = 0; i < task->counters.count; i++) {
        const struct counters *counters = &task->counters.items[i];
        if (counters->used)
            continue;
        if (is_one_more(task, counters))
            count_unpaired(&executions->more_counters, task);
        struct device_pmu row = {.device_id = task->of.device_id,
                                 .stream_id = task->of.stream_id,
                                 .task_id = task->of.task_id,
                                 .core = counters->of_vector_core ? PMU_CORE_AIV : PMU_CORE_AIC,
                                 .total_cycle = counters->total_cycle,
                                 .file_id = counters->file_id,
                                 .block_num = counters->block_num};
        memcpy(row.counters, counters->values, sizeof counters->values);
        if (core_pmu_emit(executions->association->decoder, &row, err) < 0)
            return err_status(err);
        decoder_store_after_all(executions->association->decoder, counters->file_id);
    }
    return 0;
}

static int add_operators_of_ai_cpu(struct executions *executions, const struct task_records *task, struct err *err)
{
    int status = 0;
    for (size_t i = 0; i < task->ai_cpu.count && status == 0; i++) {
        const struct ai_cpu_run *run = &task->ai_cpu.items[i];
        const struct spool_key key = {run->order, AI_CPU_OPERATOR};
        if (run->description != NO_INDEX)
            status = spool_add(executions->ai_cpu, &key, &task->descriptions.items[run->description].operator_.name,
                               sizeof(uint32_t), err);
    }
    return status;
}

static void report_unpaired(const struct executions *executions, const struct unpaired *unpaired, enum diag_id id,
                            const char *what)
{
    if (unpaired->count > 0)
        diag_report(decoder_diag(executions->association->decoder), id, FILE_PLACE(NULL, NULL),
                    "%llu %s; the first is of stream %u task %u of device %u", (unsigned long long)unpaired->count,
                    what, unpaired->first.stream_id, unpaired->first.task_id, unpaired->first.device_id);
}

/* Adds the tasks of a device to what the capture has. */
static int end_half(struct executions *executions, struct err *err)
{
    const struct device_half *half = &executions->half;
    struct device_half *sum =
        half->launched + half->ran > 0 ? association_half(executions->association, half->device_id, err) : NULL;
    if (sum == NULL)
        return half->launched + half->ran > 0 ? err_status(err) : 0;
    sum->launched += half->launched;
    sum->ran += half->ran;
    executions->half = (struct device_half){.device_id = NO_DEVICE};
    return 0;
}

/* Counts what each half of the capture says of a task. */
static int count_halves(struct executions *executions, const struct task_records *task, struct err *err)
{
    struct device_half *half = &executions->half;
    if (task->of.device_id != half->device_id && end_half(executions, err) < 0)
        return err_status(err);
    half->device_id = task->of.device_id;
    half->launched += task->launches.count > task->descriptions.count ? task->launches.count : task->descriptions.count;
    half->ran += task->runs.count;
    return 0;
}

/* JOB: what the host says of tasks, once for all their runs. */
static int count_described(struct executions *executions, struct err *err)
{
    for (const struct operator_of_task *item = map_next(&executions->task_operators, NULL); item != NULL;
         item = map_next(&executions->task_operators, item)) {
        struct device_half *half = association_half(executions->association, item->key.device_id, err);
        if (half == NULL)
            return err_status(err);
        half->launched++;
    }
    return 0;
}

static int join_task(struct executions *executions, struct task_records *task, struct err *err)
{
    int status = executions_of_states(executions, task, err);
    if (status == 0)
        status = count_halves(executions, task, err);
    array_sort(task->runs.items, task->runs.count, sizeof *task->runs.items, by_end);
    if (status == 0 && executions->of_job) {
        status = match_operator_of_task(executions, task, err);
    } else if (status == 0) {
        status = complete_descriptions(executions, task, err);
        array_sort(task->descriptions.items, task->descriptions.count, sizeof *task->descriptions.items, by_batch);
        match_descriptions(task);
        match_ai_cpu(task);
        count_unused_tensors(executions, task);
    }
    match_counters(task);
    match_launches(task);
    count_unlaunched(executions, task);
    for (size_t i = 0; i < task->runs.count && status == 0; i++)
        status = add_joined(executions, task, &task->runs.items[i], err);
    if (status == 0)
        status = emit_unused_counters(executions, task, err);
    return status == 0 ? add_operators_of_ai_cpu(executions, task, err) : status;
}

/* ---- one task after the other ---- */

#define TAKE(list, item, err)                                                                                          \
    (array_reserve((list), 1, (err)) < 0                                                                               \
         ? -(int)(err)->code                                                                                           \
         : (memcpy(&(list)->items[(list)->count++], (item)->record, sizeof *(list)->items), 0))

/* Those that get their order here. */
#define TAKE_IN_ORDER(list, item, err)                                                                                 \
    (array_reserve((list), 1, (err)) < 0 ? -(int)(err)->code                                                           \
                                         : (memset(&(list)->items[(list)->count], 0, sizeof *(list)->items),           \
                                            memcpy(&(list)->items[(list)->count], (item)->record, (item)->size),       \
                                            (list)->items[(list)->count].order = (list)->count, (list)->count++, 0))

static int take_marks(struct task_records *task, const struct spool_item *item, struct err *err)
{
    const struct spooled_mark *marks = item->record;
    size_t count = item->size / sizeof *marks;
    if (array_reserve(&task->marks, count, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < count; i++, task->marks.count++)
        task->marks.items[task->marks.count] =
            (struct mark){marks[i].tick, marks[i].time_ns, marks[i].type, marks[i].state, task->marks.count};
    return 0;
}

static int take_record(struct task_records *task, const struct spool_item *item, struct err *err)
{
    switch ((enum task_record)(item->key.minor & ((1u << RECORD_BITS) - 1))) {
    case RECORD_RUN:
        return TAKE(&task->runs, item, err);
    case RECORD_STATE:
        return take_marks(task, item, err);
    case RECORD_DESCRIPTION:
        return TAKE_IN_ORDER(&task->descriptions, item, err);
    case RECORD_TENSORS:
        return TAKE_IN_ORDER(&task->tensors, item, err);
    case RECORD_COUNTERS:
        return TAKE_IN_ORDER(&task->counters, item, err);
    case RECORD_LAUNCH:
        return TAKE(&task->launches, item, err);
    case RECORD_AI_CPU:
        return TAKE(&task->ai_cpu, item, err);
    }
    return 0;
}

static void begin_task(struct task_records *task, const struct numbers *of)
{
    task->of = *of;
    task->runs.count = task->marks.count = task->descriptions.count = task->tensors.count = 0;
    task->counters.count = task->launches.count = task->ai_cpu.count = 0;
}

static void release_task(struct task_records *task)
{
    free(task->runs.items);
    free(task->marks.items);
    free(task->descriptions.items);
    free(task->tensors.items);
    free(task->counters.items);
    free(task->launches.items);
    free(task->ai_cpu.items);
}

int executions_match(struct executions *executions, struct err *err)
{
    struct task_records task = {.of = {NO_DEVICE, 0, 0, 0}};
    struct spool_item item;
    uint64_t records = 0;
    int status = executions_finish_states(executions, err);
    if (status == 0)
        status = spool_finish(executions->tasks, err);
    while (status == 0 && (status = spool_next(executions->tasks, &item, err)) > 0) {
        const struct numbers of = {(uint32_t)(item.key.major >> 32), (uint32_t)item.key.major,
                                   (uint32_t)(item.key.minor >> 32), (uint32_t)item.key.minor >> RECORD_BITS};
        status = 0;
        if (!same_numbers(&of, &task.of)) {
            status = join_task(executions, &task, err);
            begin_task(&task, &of);
        }
        if (status == 0)
            status = take_record(&task, &item, err);
        if (status == 0 && ++records % 4096 == 0 && interrupted())
            status = interrupt_error(err);
    }
    if (status == 0)
        status = join_task(executions, &task, err);
    if (status == 0)
        status = end_half(executions, err);
    if (status == 0)
        status = count_described(executions, err);
    if (status == 0) {
        association_report_halves(executions->association);
        report_unpaired(executions, &executions->starts_without_end, DIAG_TASK_END_LOST, "starts have no end");
        report_unpaired(executions, &executions->unsound, DIAG_RECORD_VALUE,
                        "executions of states end before they start, or last longer than 104 days");
        report_unpaired(executions, &executions->ends_without_start, DIAG_TASK_UNMATCHED_END, "ends have no start");
    }
    if (status == 0 && !executions->of_job) {
        report_unpaired(executions, &executions->more_counters,
                        association_misses_device(executions->association) ? DIAG_HALF_MISSING : DIAG_PMU_UNMATCHED,
                        "counters are of no execution");
        if (executions->launches > 0)
            report_unpaired(executions, &executions->unlaunched, DIAG_TASK_UNLAUNCHED, "executions have no launch");
    }
    release_task(&task);
    spool_free(executions->tasks);
    executions->tasks = NULL;
    return status;
}
