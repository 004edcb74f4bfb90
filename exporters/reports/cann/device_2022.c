/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/reports/cann/device_2022.h"

#include "base/number.h"
#include "exporters/counters/pmu_rounding.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- iterations ---- */

struct range_search {
    struct range_2022 *range;
    int64_t model_id, last; /* wanted; -1: any */
    bool any;               /* the capture has marks */
};

static int take_end(void *arg, const struct iteration_end *end, struct err *err)
{
    (void)err;
    struct range_search *search = arg;
    struct range_2022 *range = search->range;
    search->any = true;
    if (search->model_id < 0)
        search->model_id = end->model_id;
    if (end->model_id != search->model_id || end->iteration > search->last)
        return 0;
    range->model_id = end->model_id;
    if (end->iteration < range->iteration) {
        range->ticks.after_tick = end->end_tick;
    } else {
        range->ticks.until_tick = end->end_tick;
        range->exists = true;
    }
    return 0;
}

static int find_range(struct range_2022 *range, sqlite3 *db, int64_t device_id, const struct export_options *options,
                      struct err *err)
{
    int64_t count = options->iteration_count > 0 ? options->iteration_count : 1;
    *range = (struct range_2022){.model_id = DB_NULL,
                                 .iteration = options->iteration_id > 0 ? options->iteration_id : 1,
                                 .ticks = {device_id, INT64_MIN, INT64_MIN}};
    struct range_search search = {.range = range,
                                  .model_id = options->model_id,
                                  .last =
                                      range->iteration <= INT64_MAX - count ? range->iteration + count - 1 : INT64_MAX};
    int status = iteration_each_end(db, device_id, take_end, &search, err);
    if (status == 0 && !search.any) {
        range->ticks.until_tick = INT64_MAX;
        range->exists = range->iteration == 1 && options->model_id < 0; /* nobody said of which model */
    }
    return status;
}

/* ---- counters ---- */

#define COUNTERS_2022 8

/* Columns of vector cores have the same titles: a task fills them wherever it ran. */
int counters_2022_init(struct counters_2022 *counters, const struct device_2022 *device, struct err *err)
{
    bool of_ai_cores, of_vector_cores;
    const struct cann_part *part = device->part;
    const struct pmu_setup setup = {.side = PMU_AIC,
                                    .chip = part->chip,
                                    .of_2022 = true,
                                    .group = part->metrics,
                                    .events = part->events,
                                    .frequency_hz = part->aic_hz,
                                    .core_num = part->ai_core_num};
    struct pmu_setup vector = setup;
    *counters = (struct counters_2022){.plan = {.count = 0}};
    if (execution_cores(device->db, device->part->device_id, &of_ai_cores, &of_vector_cores, err) < 0)
        return err_status(err);
    if (!of_ai_cores && !of_vector_cores)
        return 0;
    if (*part->aiv_metrics != '\0' || *part->aiv_events != '\0') {
        vector.group = part->aiv_metrics;
        vector.events = part->aiv_events;
    }
    if (part->aiv_hz > 0)
        vector.frequency_hz = part->aiv_hz;
    if (part->aiv_num > 0)
        vector.core_num = part->aiv_num;
    pmu_plan_init(&counters->vector_plan, &vector);
    pmu_plan_init(&counters->plan, of_ai_cores ? &setup : &vector);
    return 0;
}

static struct pmu_counts counts_of(const struct cann_task *task)
{
    struct pmu_counts counts = {.total_cycle = task->has_aic ? task->aic_total_cycle : task->aiv_total_cycle};
    memcpy(counts.counters, task->has_aic ? task->aic_counters : task->aiv_counters,
           COUNTERS_2022 * sizeof *counts.counters);
    counts.block_num = task->counted_blocks != DB_NULL ? task->counted_blocks
                       : task->op_name_id != DB_NULL   ? task->block_num
                                                       : 0;
    return counts;
}

void task_2022_values(const struct counters_2022 *counters, const struct cann_task *task, struct pmu_value *values)
{
    struct pmu_counts counts = counts_of(task);
    if (task->has_aic)
        pmu_plan_values(&counters->plan, &counts, values);
    else
        pmu_plan_values_of(&counters->plan, &counters->vector_plan, &counts, values);
}

double task_2022_milliseconds(const struct counters_2022 *counters, const struct cann_task *task)
{
    if (!task_2022_counted(task))
        return NAN;
    struct pmu_counts counts = counts_of(task);
    return pmu_2022_milliseconds(task->has_aic ? &counters->plan : &counters->vector_plan, &counts);
}

/* ---- tasks ---- */

/* On chip 0 the tool kept times as texts of 15 digits, which SQLite made. */
double time_2022(const struct device_2022 *device, int64_t tick)
{
    const struct cann_part *part = device->part;
    if (tick == DB_NULL)
        return NAN;
    double hertz = part->device_hz > 0 ? (double)part->device_hz : 1e9;
    double time = (double)number_subtract(tick, part->device_tick) / hertz * 1e9 + (double)part->host_monotonic_ns;
    return part->chip == 0 ? pmu_digits_2022(time) : time;
}

const char *task_2022_type(const struct device_2022 *device, const struct cann_task *task)
{
    /* Logs of hardware schedulers say it too, but the tool read it of chip 0 only. */
    int64_t type = task->op_name_id != DB_NULL ? task->op_task_type : device->part->chip == 0 ? task->type : -1;
    return value_name_find(core_names_2022, type);
}

/* ---- values ---- */

enum { DECIMALS = 4 };

struct report_value decimal_2022(double value)
{
    return isnan(value) ? value_none() : value_scaled(pmu_round_decimal(value, DECIMALS), DECIMALS);
}

struct report_value microseconds_2022(double nanoseconds)
{
    return decimal_2022(nanoseconds / 1000);
}

/* Rounded twice, as the tool did. */
struct report_value percent_2022(double part, double whole)
{
    return decimal_2022(pmu_round_binary(whole > 0 ? part / whole * 100 : 0, 6));
}

/* Hundredths of a nanosecond are all that chip 0's times have. */
struct report_value nanoseconds_2022(double time)
{
    return value_scaled(pmu_round_decimal(time, 2), 2);
}

const struct value_name api_types_2022[] = {{1, "ACL_OP"},     {2, "ACL_MODEL"},     {3, "ACL_RTS"},
                                            {4, "ACL_OTHERS"}, {VALUE_OTHER, "N/A"}, {0, NULL}};

/* ---- calls ---- */

bool device_2022_launches(const struct plain_call *call)
{
    static const char *const names[] = {"aclopExecute", "aclopExecuteV2", "aclopCompileAndExecute"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (call->name != NULL && call->api_type == 1 && strcmp(call->name, names[i]) == 0)
            return true;
    }
    return false;
}

const char *api_type_2022(int64_t api_type)
{
    const struct value_name *name = api_types_2022;
    while (name->text != NULL && name->value != api_type && name->value != VALUE_OTHER)
        name++;
    return name->text;
}

/* ---- devices ---- */

int device_2022_each(sqlite3 *db, const struct export_options *options,
                     int (*each)(void *arg, const struct device_2022 *device, struct err *err), void *arg,
                     struct err *err)
{
    struct cann_parts parts;
    bool failed = false;
    if (cann_parts_load(db, &parts, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < parts.count && !failed; i++) {
        struct device_2022 device = {.db = db, .part = &parts.parts[i]};
        if (device.part->is_host || device.part->device_id == DB_NULL)
            continue;
        failed = find_range(&device.range, db, device.part->device_id, options, err) < 0 ||
                 (device.range.exists && each(arg, &device, err) < 0);
    }
    cann_parts_release(&parts);
    return failed ? err_status(err) : 0;
}

/* ---- what the tables of a device share ---- */

struct device_reading {
    struct device_2022 device;
    struct plain_calls *calls;
    bool summed;
    struct sums_2022 sums;
    struct spool *spans; /* struct span_2022 of each execution that was summed, for who reads them again */
};

static void free_reading(struct device_reading *reading)
{
    plain_calls_free(reading->calls);
    map_release(&reading->sums.groups);
    spool_free(reading->spans);
    free(reading);
}

static struct device_reading *reading_of(struct report_run *run, struct err *err)
{
    struct report_session *session = run->session;
    if (session->reading != NULL && session->reading->device.part->device_id == run->scope->device_id)
        return session->reading;
    const struct cann_parts *parts = report_parts(session, err);
    const struct cann_part *part = parts != NULL ? cann_part_of_device(parts, run->scope->device_id) : NULL;
    if (part == NULL) {
        if (parts != NULL)
            err_set(err, ERR_NOT_FOUND, "the capture has no device %lld", (long long)run->scope->device_id);
        return NULL;
    }
    struct device_reading *reading = calloc(1, sizeof *reading);
    if (reading == NULL) {
        err_no_memory(err);
        return NULL;
    }
    reading->device = (struct device_2022){.db = session->db, .part = part};
    reading->sums =
        (struct sums_2022){.first_tick = DB_NULL, .last_tick = DB_NULL, .groups = MAP_OF(struct core_group, key)};
    if (find_range(&reading->device.range, session->db, part->device_id, session->options, err) < 0) {
        free_reading(reading);
        return NULL;
    }
    if (session->reading != NULL)
        free_reading(session->reading);
    session->reading = reading;
    session->reading_free = free_reading;
    return reading;
}

int device_2022_of(struct device_2022 *device, struct report_run *run, struct err *err)
{
    const struct device_reading *reading = reading_of(run, err);
    if (reading == NULL)
        return err_status(err);
    *device = reading->device;
    return 0;
}

struct plain_calls *device_2022_calls(struct report_run *run, struct err *err)
{
    struct device_reading *reading = reading_of(run, err);
    if (reading != NULL && reading->calls == NULL)
        reading->calls = plain_calls_new(run->session->db, run->scope->device_id, true, err);
    return reading != NULL ? reading->calls : NULL;
}

#define SPAN_MEMORY ((size_t)4 * 1024 * 1024)

static int add_execution(void *arg, const struct cann_task *task, struct err *err)
{
    static const struct spool_key in_order = {0, 0};
    struct device_reading *reading = arg;
    struct sums_2022 *sums = &reading->sums;
    const struct core_key key = {task->op_type_id, task->op_task_type};
    const struct span_2022 span = {time_2022(&reading->device, task->start_tick),
                                   time_2022(&reading->device, task->end_tick)};
    const double duration = span.end - span.start;
    bool added;
    if (spool_add(reading->spans, &in_order, &span, sizeof span, err) < 0)
        return err_status(err);
    if (task->start_tick != DB_NULL && (sums->first_tick == DB_NULL || task->start_tick < sums->first_tick))
        sums->first_tick = task->start_tick;
    sums->last_tick = task->end_tick > sums->last_tick ? task->end_tick : sums->last_tick;
    sums->all_time += duration;
    if (task->op_name_id == DB_NULL)
        return 0;
    struct core_group *group = map_add(&sums->groups, &key, &added, err);
    if (group == NULL)
        return err_status(err);
    if (added)
        *group = (struct core_group){
            .key = key, .core = task_2022_type(&reading->device, task), .min = INFINITY, .max = -INFINITY};
    group->count++;
    group->total += duration;
    group->min = fmin(group->min, duration);
    group->max = fmax(group->max, duration);
    return 0;
}

const struct sums_2022 *device_2022_sums(struct report_run *run, struct err *err)
{
    struct device_reading *reading = reading_of(run, err);
    if (reading == NULL || reading->summed)
        return reading != NULL ? &reading->sums : NULL;
    if (reading->spans == NULL && (reading->spans = spool_new(SPAN_MEMORY, NULL, err)) == NULL)
        return NULL;
    if (execution_each(run->session->db, &reading->device.range.ticks, CANN_TICK_SUMS, add_execution, reading, err) <
            0 ||
        spool_finish(reading->spans, err) < 0)
        return NULL;
    reading->summed = true;
    return &reading->sums;
}

int device_2022_spans(struct spool **ret, struct report_run *run, struct err *err)
{
    const struct device_reading *reading = reading_of(run, err);
    *ret = reading != NULL && reading->summed ? reading->spans : NULL;
    int64_t tasks;
    if (reading == NULL || cann_task_count(run->session->db, &tasks, err) < 0)
        return err_status(err);
    run->writer.expected = (uint64_t)tasks;
    return *ret != NULL ? spool_rewind(*ret, err) : 0;
}

int span_2022_next(struct span_2022 *ret, struct spool *spans, const struct device_2022 *device,
                   const struct cann_task *task, struct err *err)
{
    struct spool_item item;
    const int any = spans != NULL ? spool_next(spans, &item, err) : 0;
    if (any > 0)
        *ret = *(const struct span_2022 *)item.record;
    else if (any == 0)
        *ret = (struct span_2022){time_2022(device, task->start_tick), time_2022(device, task->end_tick)};
    return any < 0 ? any : 0;
}

void device_2022_suffix(const struct device_2022 *device, char suffix[SUFFIX_2022_MAX])
{
    char model[32] = "";
    if (device->range.model_id != DB_NULL)
        snprintf(model, sizeof model, "_%lld", (long long)device->range.model_id);
    snprintf(suffix, SUFFIX_2022_MAX, "_%lld%s_%lld", (long long)device->part->device_id, model,
             (long long)device->range.iteration);
}
