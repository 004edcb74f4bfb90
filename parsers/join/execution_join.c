/* Who belongs to whom. */
#include "base/array.h"
#include "base/number.h"
#include "parsers/join/execution_data.h"

#include <stdlib.h>
#include <string.h>

/* ---- orders ---- */

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

/* Whose record it is, not which one. */
static int compare_tasks(const struct numbers *a, const struct numbers *b)
{
    if (a->device_id != b->device_id)
        return COMPARE(a->device_id, b->device_id);
    return a->stream_id != b->stream_id ? COMPARE(a->stream_id, b->stream_id) : COMPARE(a->task_id, b->task_id);
}

static int compare_numbers(const struct numbers *a, const struct numbers *b)
{
    int order = compare_tasks(a, b);
    return order != 0 ? order : COMPARE(a->order, b->order);
}

/* Both begin with their numbers. */
static int by_numbers(const void *a, const void *b)
{
    return compare_numbers(a, b);
}

static int by_state(const void *a, const void *b)
{
    const struct mark *x = a, *y = b;
    int order = compare_tasks(&x->of, &y->of);
    if (order == 0)
        order = COMPARE(x->tick, y->tick);
    if (order == 0)
        order = COMPARE(x->state, y->state);
    return order != 0 ? order : COMPARE(x->of.order, y->of.order);
}

static int by_end(const void *a, const void *b)
{
    const struct execution *x = a, *y = b;
    int order = compare_tasks(&x->of, &y->of);
    if (order == 0)
        order = COMPARE(x->end_tick, y->end_tick);
    return order != 0 ? order : COMPARE(x->of.order, y->of.order);
}

static int by_batch(const void *a, const void *b)
{
    const struct description *x = a, *y = b;
    int order = compare_tasks(&x->of, &y->of);
    if (order == 0)
        order = COMPARE(x->batch_id, y->batch_id);
    return order != 0 ? order : COMPARE(x->of.order, y->of.order);
}

static int by_core(const void *a, const void *b)
{
    const struct counters *x = a, *y = b;
    int order = compare_tasks(&x->of, &y->of);
    if (order == 0)
        order = COMPARE(x->of_vector_core, y->of_vector_core);
    return order != 0 ? order : COMPARE(x->of.order, y->of.order);
}

static int by_start_on_ai_cpu(const void *a, const void *b)
{
    const struct ai_cpu_run *x = a, *y = b;
    int order = compare_tasks(&x->of, &y->of);
    if (order == 0)
        order = COMPARE(x->start_tick, y->start_tick);
    return order != 0 ? order : COMPARE(x->of.order, y->of.order);
}

/* As the reports of the era have them: of tasks that start at once, those of 2022 by their numbers, those of JOB as
 * they ended. */
static int by_start(const void *a, const void *b)
{
    const struct execution *x = a, *y = b;
    if (x->of.device_id != y->of.device_id)
        return COMPARE(x->of.device_id, y->of.device_id);
    if (x->start_tick != y->start_tick)
        return COMPARE(x->start_tick, y->start_tick);
    int order = compare_tasks(&x->of, &y->of);
    if (order == 0)
        order = COMPARE(x->end_tick, y->end_tick);
    return order != 0 ? order : COMPARE(x->of.order, y->of.order);
}

static int by_start_of_job(const void *a, const void *b)
{
    const struct execution *x = a, *y = b;
    if (x->of.device_id != y->of.device_id)
        return COMPARE(x->of.device_id, y->of.device_id);
    return x->start_tick != y->start_tick ? COMPARE(x->start_tick, y->start_tick) : COMPARE(x->of.order, y->of.order);
}

#define SORT(list, compare)                                                                                            \
    do {                                                                                                               \
        if ((list)->count > 1)                                                                                         \
            array_sort((list)->items, (list)->count, sizeof *(list)->items, (compare));                                \
    } while (0)

/* ---- chip 0: executions of states ---- */

/* A task that ran and is complete was executed, with what it did before. */
static int take_mark(struct executions *executions, struct execution *run, const struct mark *mark, struct err *err)
{
    switch (mark->state) {
    case TASK_WAITING:
        run->wait_tick = mark->tick;
        return 0;
    case TASK_PENDING:
        run->pending_tick = mark->tick;
        return 0;
    case TASK_RUNNING:
        run->start_tick = mark->tick;
        run->start_ns = mark->time_ns;
        return 0;
    case TASK_COMPLETE:
        break;
    default:
        return 0;
    }
    int status = 0;
    if (run->start_tick != NO_TICK) {
        run->end_tick = mark->tick;
        run->end_ns = mark->time_ns;
        run->type = mark->type;
        status = array_reserve(&executions->runs, 1, err);
        if (status == 0) {
            struct execution *copy = &executions->runs.items[executions->runs.count];
            *copy = *run;
            copy->of.order = (uint32_t)executions->runs.count++;
        }
    }
    run->wait_tick = run->pending_tick = run->start_tick = NO_TICK;
    return status;
}

static int executions_of_states(struct executions *executions, struct err *err)
{
    struct execution run = {.description = NO_INDEX, .counters = NO_INDEX, .launch = NO_INDEX};
    int status = 0;
    SORT(&executions->marks, by_state);
    for (size_t i = 0; i < executions->marks.count && status == 0; i++) {
        const struct mark *mark = &executions->marks.items[i];
        if (i == 0 || compare_tasks(&mark->of, &mark[-1].of) != 0) {
            run.of = mark->of;
            run.wait_tick = run.pending_tick = run.start_tick = NO_TICK;
        }
        status = take_mark(executions, &run, mark, err);
    }
    free(executions->marks.items);
    executions->marks.items = NULL;
    executions->marks.count = executions->marks.capacity = 0;
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

static int describe(struct executions *executions, struct description *description, struct err *err)
{
    const struct tensors_key key = {
        .time_ns = description->time_ns,
        .iteration = description->iteration,
        .device_id = description->of.device_id,
        .stream_id = description->of.stream_id,
        .task_id = description->of.task_id,
        .batch_id = description->batch_id,
        .model_id = description->model_id,
    };
    const struct tensors_of *tensors = map_get(&executions->tensors, &key);
    int status = 0;
    if (description->name == NO_INDEX)
        status = text_of_id(executions, description->name_id, &description->name, err);
    if (status == 0 && description->type == NO_INDEX)
        status = text_of_id(executions, description->type_id, &description->type, err);
    if (tensors != NULL)
        description->tensor_set = tensors->set;
    return status;
}

/* The n-th execution to its n-th description, or the last one. */
static void match_descriptions(struct executions *executions)
{
    const struct description *descriptions = executions->descriptions.items;
    struct execution *runs = executions->runs.items;
    for (size_t i = 0, next = 0; i < executions->runs.count; i++) {
        while (next < executions->descriptions.count && compare_tasks(&descriptions[next].of, &runs[i].of) < 0)
            next++;
        if (next < executions->descriptions.count && compare_tasks(&descriptions[next].of, &runs[i].of) == 0)
            runs[i].description = (uint32_t)next++;
        else if (i > 0 && compare_tasks(&runs[i - 1].of, &runs[i].of) == 0)
            runs[i].description = runs[i - 1].description;
    }
}

static void match_operators_of_tasks(struct executions *executions)
{
    for (size_t i = 0; i < executions->runs.count; i++) {
        struct execution *run = &executions->runs.items[i];
        const struct operator_key key = {run->of.device_id, run->of.task_id};
        const struct operator_of_task *operator_ = map_get(&executions->task_operators, &key);
        if (operator_ != NULL)
            run->description = operator_->description;
    }
}

/* The n-th run of a task on the AI CPU to its n-th operator there, or the last one. */
static void match_ai_cpu(struct executions *executions)
{
    enum { ON_AI_CPU = 1 };
    const struct description *descriptions = executions->descriptions.items;
    struct ai_cpu_run *runs = executions->ai_cpu.items;
    SORT(&executions->ai_cpu, by_start_on_ai_cpu);
    for (size_t i = 0, next = 0; i < executions->ai_cpu.count; i++) {
        while (next < executions->descriptions.count &&
               (compare_tasks(&descriptions[next].of, &runs[i].of) < 0 ||
                (compare_tasks(&descriptions[next].of, &runs[i].of) == 0 && descriptions[next].task_type != ON_AI_CPU)))
            next++;
        if (next < executions->descriptions.count && compare_tasks(&descriptions[next].of, &runs[i].of) == 0)
            runs[i].description = (uint32_t)next++;
        else if (i > 0 && compare_tasks(&runs[i - 1].of, &runs[i].of) == 0)
            runs[i].description = runs[i - 1].description;
    }
}

/* ---- counters and launches ---- */

/* The counters of one stream and task: first those of the AI cores, then those of the vector cores, each in the order
 * of its executions. */
struct counter_walk {
    size_t ai_core, vector_core; /* the next */
    size_t first_vector, end;
    bool any_of_ai_core, any_of_vector_core;
};

static void find_counters(struct counter_walk *walk, const struct executions *executions, const struct execution *run)
{
    const struct counters *counters = executions->counters.items;
    size_t at = walk->end, count = executions->counters.count;
    while (at < count && compare_tasks(&counters[at].of, &run->of) < 0)
        at++;
    walk->ai_core = at;
    while (at < count && compare_tasks(&counters[at].of, &run->of) == 0 && !counters[at].of_vector_core)
        at++;
    walk->vector_core = walk->first_vector = at;
    while (at < count && compare_tasks(&counters[at].of, &run->of) == 0)
        at++;
    walk->end = at;
    walk->any_of_ai_core = walk->ai_core < walk->vector_core;
    walk->any_of_vector_core = walk->vector_core < walk->end;
}

/* A task has the counters of the cores that its operator is said to run on, or of the others when only those counted
 * it. */
static uint32_t next_counters(struct counter_walk *walk, const struct executions *executions,
                              const struct execution *run)
{
    enum { ON_VECTOR_CORE = 2 };
    bool on_vector =
        run->description != NO_INDEX && executions->descriptions.items[run->description].task_type == ON_VECTOR_CORE;
    if (on_vector ? walk->any_of_vector_core : !walk->any_of_ai_core)
        return walk->vector_core < walk->end ? (uint32_t)walk->vector_core++ : NO_INDEX;
    return walk->ai_core < walk->first_vector ? (uint32_t)walk->ai_core++ : NO_INDEX;
}

static void match_counters(struct executions *executions)
{
    struct counter_walk walk = {.end = 0};
    SORT(&executions->counters, by_core);
    for (size_t i = 0; i < executions->runs.count; i++) {
        struct execution *run = &executions->runs.items[i];
        if (i == 0 || compare_tasks(&run[-1].of, &run->of) != 0)
            find_counters(&walk, executions, run);
        run->counters = next_counters(&walk, executions, run);
        if (run->counters != NO_INDEX)
            executions->counters.items[run->counters].used = true;
    }
}

static void match_launches(struct executions *executions)
{
    SORT(&executions->launches, by_numbers);
    size_t run = 0;
    for (size_t i = 0; i < executions->launches.count; i++) {
        const struct numbers *launched = &executions->launches.items[i].of;
        while (run < executions->runs.count && compare_tasks(&executions->runs.items[run].of, launched) < 0)
            run++;
        if (run < executions->runs.count && compare_tasks(&executions->runs.items[run].of, launched) == 0)
            executions->runs.items[run++].launch = (uint32_t)i;
    }
}

/* ---- all of it ---- */

int executions_match(struct executions *executions, struct err *err)
{
    bool job = decoder_capture(executions->association->decoder)->family == CAPTURE_JOB;
    int status = executions_of_states(executions, err);
    for (size_t i = 0; !job && i < executions->descriptions.count && status == 0; i++)
        status = describe(executions, &executions->descriptions.items[i], err);
    if (status < 0)
        return status;
    SORT(&executions->runs, by_end);
    if (job) {
        match_operators_of_tasks(executions);
    } else {
        SORT(&executions->descriptions, by_batch);
        match_descriptions(executions);
        match_ai_cpu(executions);
    }
    match_counters(executions);
    match_launches(executions);
    if (job)
        SORT(&executions->runs, by_start_of_job);
    else
        SORT(&executions->runs, by_start);
    return 0;
}
