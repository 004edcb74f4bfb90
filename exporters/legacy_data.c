#include "exporters/legacy_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts, each kept once ---- */

struct text_pool {
    char **texts; /* open addressing, capacity a power of two */
    size_t capacity, used;
};

static struct text_pool *pool_new(void)
{
    struct text_pool *pool = calloc(1, sizeof *pool);
    if (pool == NULL)
        return NULL;
    pool->capacity = 1024;
    pool->texts = calloc(pool->capacity, sizeof *pool->texts);
    if (pool->texts == NULL) {
        free(pool);
        return NULL;
    }
    return pool;
}

static void pool_free(struct text_pool *pool)
{
    if (pool == NULL)
        return;
    for (size_t i = 0; i < pool->capacity; i++)
        free(pool->texts[i]);
    free(pool->texts);
    free(pool);
}

static char **pool_place(const struct text_pool *pool, const char *text)
{
    uint64_t hash = 0xcbf29ce484222325U;
    for (const char *p = text; *p != '\0'; p++)
        hash = (hash ^ (unsigned char)*p) * 0x100000001b3U;
    size_t i = (size_t)(hash >> 16) & (pool->capacity - 1);
    while (pool->texts[i] != NULL && strcmp(pool->texts[i], text) != 0)
        i = (i + 1) & (pool->capacity - 1);
    return &pool->texts[i];
}

static bool pool_grow(struct text_pool *pool)
{
    struct text_pool larger = {.capacity = pool->capacity * 2, .used = pool->used};
    larger.texts = calloc(larger.capacity, sizeof *larger.texts);
    if (larger.texts == NULL)
        return false;
    for (size_t i = 0; i < pool->capacity; i++) {
        if (pool->texts[i] != NULL)
            *pool_place(&larger, pool->texts[i]) = pool->texts[i];
    }
    free(pool->texts);
    *pool = larger;
    return true;
}

/* Replaces *text by the pool's copy; false: memory ran out. NULL stays NULL. */
static bool pool_keep(struct text_pool *pool, const char **text)
{
    if (*text == NULL)
        return true;
    char **place = pool_place(pool, *text);
    if (*place == NULL) {
        *place = strdup(*text);
        if (*place == NULL)
            return false;
        *text = *place;
        return ++pool->used * 2 <= pool->capacity || pool_grow(pool);
    }
    *text = *place;
    return true;
}

/* Of legacy_operator.task_type. */
enum { TASK_AI_CPU = 1, TASK_AIV = 2 };

/* ---- iterations ---- */

struct range_search {
    struct legacy_range *range;
    int64_t model_id, last; /* wanted; -1: any */
    bool any;               /* the capture has marks */
};

static int take_step(void *arg, const struct legacy_step *step, struct err *err)
{
    (void)err;
    struct range_search *search = arg;
    struct legacy_range *range = search->range;
    search->any = true;
    if (search->model_id < 0)
        search->model_id = step->model_id;
    if (step->model_id != search->model_id || step->iteration > search->last)
        return 0;
    range->model_id = step->model_id;
    if (step->iteration < range->iteration) {
        range->after_tick = step->end_tick;
    } else {
        range->until_tick = step->end_tick;
        range->exists = true;
    }
    return 0;
}

int legacy_range_find(struct legacy_range *range, sqlite3 *db, const struct legacy_part *part,
                      const struct export_options *options, struct err *err)
{
    int64_t count = options->iteration_count > 0 ? options->iteration_count : 1;
    *range = (struct legacy_range){.model_id = DB_NULL,
                                   .iteration = options->iteration_id > 0 ? options->iteration_id : 1,
                                   .after_tick = INT64_MIN,
                                   .until_tick = INT64_MIN};
    struct range_search search = {.range = range,
                                  .model_id = options->model_id,
                                  .last =
                                      range->iteration <= INT64_MAX - count ? range->iteration + count - 1 : INT64_MAX};
    int status = legacy_each_step(db, part->device_id, take_step, &search, err);
    if (status == 0 && !search.any) {
        range->until_tick = INT64_MAX;
        range->exists = range->iteration == 1;
    }
    return status;
}

/* ---- rows ---- */

static int no_memory(struct err *err)
{
    return err_set(err, ERR_NO_MEMORY, "out of memory");
}

/* Room for one more element; NULL when memory ran out. */
static void *next_element(void **elements, size_t *count, size_t *capacity, size_t size)
{
    if (*count == *capacity) {
        size_t larger = *capacity == 0 ? 1024 : *capacity * 2;
        void *moved = reallocarray(*elements, larger, size);
        if (moved == NULL)
            return NULL;
        *elements = moved;
        *capacity = larger;
    }
    return (char *)*elements + (*count)++ * size;
}

static int keep_operator(void *arg, const struct legacy_operator *operator_, struct err *err)
{
    struct legacy_device *device = arg;
    void *elements = device->operators;
    struct legacy_operator *kept =
        next_element(&elements, &device->operator_count, &device->operator_capacity, sizeof *kept);
    device->operators = elements;
    if (kept == NULL)
        return no_memory(err);
    *kept = *operator_;
    const char **const texts[] = {&kept->name,         &kept->type,          &kept->input_shapes,
                                  &kept->input_types,  &kept->input_formats, &kept->output_shapes,
                                  &kept->output_types, &kept->output_formats};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (!pool_keep(device->texts, texts[i]))
            return no_memory(err);
    }
    return 0;
}

static int keep_counters(void *arg, const struct legacy_counters *counters, struct err *err)
{
    struct legacy_device *device = arg;
    void *elements = device->counters;
    struct legacy_counters *kept =
        next_element(&elements, &device->counter_count, &device->counter_capacity, sizeof *kept);
    device->counters = elements;
    if (kept == NULL)
        return no_memory(err);
    *kept = *counters;
    return 0;
}

/* A tick on the host's clock, in the tool's order of operations. On chip 0 it kept times as texts of 15 digits, which
 * SQLite makes. */
static double time_of(const struct legacy_part *part, int64_t tick)
{
    char text[64];
    if (tick == DB_NULL)
        return NAN;
    double hertz = part->device_hz > 0 ? (double)part->device_hz : 1e9;
    double time = (double)(tick - part->device_tick) / hertz * 1e9 + (double)part->host_monotonic_ns;
    if (part->chip != 0)
        return time;
    sqlite3_snprintf(sizeof text, text, "%!.15g", time);
    return strtod(text, NULL);
}

static bool is_outside(const struct legacy_range *range, int64_t end_tick)
{
    return end_tick <= range->after_tick || end_tick > range->until_tick;
}

static int keep_run(void *arg, const struct legacy_run *run, struct err *err)
{
    struct legacy_device *device = arg;
    void *elements = device->tasks;
    struct legacy_task *task = next_element(&elements, &device->task_count, &device->task_capacity, sizeof *task);
    device->tasks = elements;
    if (task == NULL)
        return no_memory(err);
    *task = (struct legacy_task){
        .stream_id = run->stream_id,
        .task_id = run->task_id,
        .type = run->task_type,
        .wait = time_of(&device->part, run->wait_tick),
        .pending = time_of(&device->part, run->pending_tick),
        .start = time_of(&device->part, run->start_tick),
        .end = time_of(&device->part, run->end_tick),
        .outside = is_outside(&device->range, run->end_tick),
    };
    return 0;
}

static int keep_copy(void *arg, const struct legacy_copy *copy, struct err *err)
{
    struct legacy_device *device = arg;
    if (is_outside(&device->range, copy->end_tick))
        return 0;
    void *elements = device->copies;
    struct legacy_copy_time *kept = next_element(&elements, &device->copy_count, &device->copy_capacity, sizeof *kept);
    device->copies = elements;
    if (kept == NULL)
        return no_memory(err);
    *kept = (struct legacy_copy_time){
        .stream_id = copy->stream_id,
        .task_id = copy->task_id,
        .receive = time_of(&device->part, copy->receive_tick),
        .start = time_of(&device->part, copy->start_tick),
        .end = time_of(&device->part, copy->end_tick),
    };
    return 0;
}

/* Its n-th operator for the AI CPU, or the last one. */
static const struct legacy_operator *operator_of(const struct legacy_device *device,
                                                 const struct legacy_ai_cpu_run *run)
{
    const struct legacy_operator *operators = device->operators, *found = NULL;
    size_t low = 0, high = device->operator_count; /* the first of the stream and task */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (operators[middle].stream_id < run->stream_id ||
            (operators[middle].stream_id == run->stream_id && operators[middle].task_id < run->task_id))
            low = middle + 1;
        else
            high = middle;
    }
    int64_t number = 0;
    for (size_t i = low; i < device->operator_count && number < run->number; i++) {
        if (operators[i].stream_id != run->stream_id || operators[i].task_id != run->task_id)
            break;
        if (operators[i].task_type != TASK_AI_CPU)
            continue;
        found = &operators[i];
        number++;
    }
    return found;
}

static int keep_ai_cpu_run(void *arg, const struct legacy_ai_cpu_run *run, struct err *err)
{
    struct legacy_device *device = arg;
    if (is_outside(&device->range, run->end_tick))
        return 0;
    void *elements = device->ai_cpu_times;
    struct legacy_ai_cpu_time *kept =
        next_element(&elements, &device->ai_cpu_count, &device->ai_cpu_capacity, sizeof *kept);
    device->ai_cpu_times = elements;
    if (kept == NULL)
        return no_memory(err);
    *kept = (struct legacy_ai_cpu_time){*run, operator_of(device, run)};
    return 0;
}

/* ---- who belongs to whom ---- */

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_times(double a, double b)
{
    return (a > b) - (a < b);
}

static int compare_ids(const struct legacy_task *a, const struct legacy_task *b)
{
    int order = compare_numbers(a->stream_id, b->stream_id);
    return order != 0 ? order : compare_numbers(a->task_id, b->task_id);
}

static int by_start(const void *x, const void *y)
{
    const struct legacy_task *a = x, *b = y;
    int order = compare_times(a->start, b->start);
    return order != 0 ? order : compare_ids(a, b);
}

static int by_end(const void *x, const void *y)
{
    const struct legacy_task *a = x, *b = y;
    int order = compare_times(a->end, b->end);
    return order != 0 ? order : compare_ids(a, b);
}

static int by_ids(const void *x, const void *y)
{
    int order = compare_ids(x, y);
    return order != 0 ? order : by_end(x, y);
}

/* The counters of one stream and task: first those of the AI cores, then those of the vector cores, each in the order
 * of its executions. */
struct counter_walk {
    size_t ai_core, vector_core; /* the next */
    size_t first_vector, end;
    bool any_of_ai_core, any_of_vector_core;
};

static int compare_counters(const struct legacy_counters *counters, const struct legacy_task *task)
{
    int order = compare_numbers(counters->stream_id, task->stream_id);
    return order != 0 ? order : compare_numbers(counters->task_id, task->task_id);
}

static void counters_find(struct counter_walk *walk, const struct legacy_device *device, const struct legacy_task *task)
{
    const struct legacy_counters *counters = device->counters;
    size_t at = walk->end;
    while (at < device->counter_count && compare_counters(&counters[at], task) < 0)
        at++;
    walk->ai_core = at;
    while (at < device->counter_count && compare_counters(&counters[at], task) == 0 && !counters[at].of_vector_core)
        at++;
    walk->vector_core = at;
    while (at < device->counter_count && compare_counters(&counters[at], task) == 0)
        at++;
    walk->end = at;
    walk->any_of_ai_core = walk->ai_core < walk->vector_core;
    walk->any_of_vector_core = walk->vector_core < walk->end;
    walk->first_vector = walk->vector_core;
}

/* A task has the counters of the cores that its operator is said to run on, or of the others when only those counted
 * it. */
static const struct legacy_counters *counters_next(struct counter_walk *walk, const struct legacy_device *device,
                                                   const struct legacy_task *task)
{
    bool on_vector = task->op != NULL && task->op->task_type == TASK_AIV;
    if (on_vector ? walk->any_of_vector_core : !walk->any_of_ai_core)
        return walk->vector_core < walk->end ? &device->counters[walk->vector_core++] : NULL;
    return walk->ai_core < walk->first_vector ? &device->counters[walk->ai_core++] : NULL;
}

/* The n-th execution of a stream and task belongs to its n-th operator, or the last one: a loaded model runs the same
 * operators again and again; and to its n-th counters. */
static void join(struct legacy_device *device)
{
    size_t op = 0;
    struct counter_walk counters = {.end = 0};
    struct legacy_task *tasks = device->tasks;
    for (size_t i = 0; i < device->task_count; i++) {
        struct legacy_task *task = &tasks[i];
        while (op < device->operator_count &&
               (compare_numbers(device->operators[op].stream_id, task->stream_id) < 0 ||
                (device->operators[op].stream_id == task->stream_id && device->operators[op].task_id < task->task_id)))
            op++;
        bool again = i > 0 && compare_ids(&tasks[i - 1], task) == 0;
        const struct legacy_operator *operators = device->operators;
        if (op < device->operator_count && operators[op].stream_id == task->stream_id &&
            operators[op].task_id == task->task_id)
            task->op = &operators[op++];
        else if (again)
            task->op = tasks[i - 1].op;
        if (!again)
            counters_find(&counters, device, task);
        task->counters = counters_next(&counters, device, task);
    }
}

/* Launches come in the order of the tasks. */
struct launch_walk {
    struct legacy_device *device;
    size_t next;
};

static int take_launch(void *arg, const struct legacy_launch *launch, struct err *err)
{
    struct launch_walk *walk = arg;
    struct legacy_device *device = walk->device;
    const struct legacy_task wanted = {.stream_id = launch->stream_id, .task_id = launch->task_id};
    const char *name = launch->name;
    while (walk->next < device->task_count && compare_ids(&device->tasks[walk->next], &wanted) < 0)
        walk->next++;
    if (walk->next == device->task_count || compare_ids(&device->tasks[walk->next], &wanted) != 0)
        return 0;
    if (!pool_keep(device->texts, &name))
        return no_memory(err);
    device->tasks[walk->next++].launch = name;
    return 0;
}

/* Executions of other iterations count when the n-th has to be found, and are not needed afterwards. */
static void drop_outside(struct legacy_device *device)
{
    size_t kept = 0;
    for (size_t i = 0; i < device->task_count; i++) {
        if (!device->tasks[i].outside)
            device->tasks[kept++] = device->tasks[i];
    }
    device->task_count = kept;
}

/* Columns of vector cores have the same titles: a task fills them wherever it ran. */
static void plan_metrics(struct legacy_device *device)
{
    const struct legacy_part *part = &device->part;
    const struct pmu_setup setup = {.side = PMU_AIC,
                                    .chip = part->chip,
                                    .legacy = true,
                                    .group = part->metrics,
                                    .events = part->events,
                                    .frequency_hz = part->aic_hz,
                                    .core_num = part->ai_core_num};
    struct pmu_setup vector = setup;
    if (part->aiv_metrics != NULL || part->aiv_events != NULL) {
        vector.group = part->aiv_metrics;
        vector.events = part->aiv_events;
    }
    if (part->aiv_hz > 0)
        vector.frequency_hz = part->aiv_hz;
    if (part->aiv_num > 0)
        vector.core_num = part->aiv_num;
    bool ai_cores_counted = false;
    for (size_t i = 0; i < device->counter_count && !ai_cores_counted; i++)
        ai_cores_counted = !device->counters[i].of_vector_core;
    pmu_plan_init(&device->vector_pmu, &vector);
    pmu_plan_init(&device->pmu, ai_cores_counted ? &setup : &vector);
}

int legacy_device_load(struct legacy_device *device, sqlite3 *db, const struct legacy_part *part,
                       const struct legacy_range *range, struct err *err)
{
    device->part = *part;
    device->range = *range;
    device->texts = pool_new();
    if (device->texts == NULL || !pool_keep(device->texts, &device->part.metrics) ||
        !pool_keep(device->texts, &device->part.events) || !pool_keep(device->texts, &device->part.aiv_metrics) ||
        !pool_keep(device->texts, &device->part.aiv_events))
        return no_memory(err);
    int status = legacy_each_operator(db, part->device_id, !device->brief, keep_operator, device, err);
    if (status == 0 && !device->brief)
        status = legacy_each_counters(db, part->device_id, keep_counters, device, err);
    if (status == 0)
        status = legacy_each_run(db, &device->part, keep_run, device, err);
    if (status == 0)
        status = legacy_each_copy(db, part->device_id, keep_copy, device, err);
    if (status == 0 && !device->brief)
        status = legacy_each_ai_cpu_run(db, part->device_id, keep_ai_cpu_run, device, err);
    if (status != 0)
        return status;
    if (device->task_count > 0)
        qsort(device->tasks, device->task_count, sizeof *device->tasks, by_ids);
    join(device);
    struct launch_walk walk = {.device = device};
    if (!device->brief || part->chip == 0)
        status = legacy_each_launch(db, part->device_id, take_launch, &walk, err);
    drop_outside(device);
    if (status == 0 && device->counter_count > 0)
        plan_metrics(device);
    return status;
}

void legacy_device_release(struct legacy_device *device)
{
    free(device->tasks);
    free(device->copies);
    free(device->ai_cpu_times);
    free(device->operators);
    free(device->counters);
    pool_free(device->texts);
    *device = (struct legacy_device){.tasks = NULL};
}

void legacy_device_sort_by_start(struct legacy_device *device)
{
    if (device->task_count > 0)
        qsort(device->tasks, device->task_count, sizeof *device->tasks, by_start);
}

void legacy_device_sort_by_end(struct legacy_device *device)
{
    if (device->task_count > 0)
        qsort(device->tasks, device->task_count, sizeof *device->tasks, by_end);
}

static int by_report(const void *x, const void *y)
{
    const struct legacy_operator *a = *(const struct legacy_operator *const *)x,
                                 *b = *(const struct legacy_operator *const *)y;
    int order = compare_numbers(a->time_ns, b->time_ns);
    return order != 0 ? order : (a > b) - (a < b);
}

const struct legacy_operator **legacy_device_by_time(const struct legacy_device *device)
{
    const struct legacy_operator **list = calloc(device->operator_count + 1, sizeof *list);
    for (size_t i = 0; list != NULL && i < device->operator_count; i++)
        list[i] = &device->operators[i];
    if (list != NULL)
        qsort(list, device->operator_count, sizeof *list, by_report);
    return list;
}

const struct legacy_operator *legacy_device_operator_within(const struct legacy_operator *const *by_time, size_t count,
                                                            int64_t from_ns, int64_t until_ns)
{
    size_t low = 0, high = count; /* the first that is later than from_ns */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_time[middle]->time_ns > from_ns)
            high = middle;
        else
            low = middle + 1;
    }
    return low < count && by_time[low]->time_ns < until_ns ? by_time[low] : NULL;
}

static struct pmu_counts counts_of(const struct legacy_task *task)
{
    struct pmu_counts counts = {.total_cycle = task->counters->total_cycle};
    memcpy(counts.counters, task->counters->counters, sizeof counts.counters);
    counts.block_num = task->counters->block_num != DB_NULL ? task->counters->block_num
                       : task->op != NULL                   ? task->op->block_dim
                                                            : 0;
    return counts;
}

void legacy_task_values(const struct legacy_device *device, const struct legacy_task *task, struct pmu_value *values)
{
    struct pmu_counts counts = counts_of(task);
    if (task->counters->of_vector_core)
        pmu_plan_values_of(&device->pmu, &device->vector_pmu, &counts, values);
    else
        pmu_plan_values(&device->pmu, &counts, values);
}

double legacy_task_milliseconds(const struct legacy_device *device, const struct legacy_task *task)
{
    if (task->counters == NULL)
        return NAN;
    struct pmu_counts counts = counts_of(task);
    return pmu_legacy_milliseconds(task->counters->of_vector_core ? &device->vector_pmu : &device->pmu, &counts);
}

const char *legacy_task_type(const struct legacy_task *task)
{
    static const char *const names[] = {"AI_CORE", "AI_CPU", "AIV"};
    int64_t type = task->op != NULL ? task->op->task_type : task->type;
    return type >= 0 && (size_t)type < sizeof names / sizeof *names ? names[type] : NULL;
}
