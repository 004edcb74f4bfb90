/* SPDX-License-Identifier: Apache-2.0 */
#include "features/answers/load/load.h"

#include "base/file/large.h"
#include "base/map.h"
#include "base/number.h"
#include "db/database.h"
#include "db/query/clocks.h"
#include "db/query/operators/query_steps.h"
#include "db/query/query_cann.h"
#include "db/query/query_loop.h"
#include "db/query/query_records.h"
#include "db/query/query_window.h"
#include "db/warm_up.h"
#include "exporters/cann_report.h"
#include "exporters/counters/pmu_metric.h"
#include "features/answers/analysis/splits.h"
#include "features/frameworks/reports/host_side.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TASK_AI_CPU = 1, TASK_VECTOR = 2, TASK_MIX_VECTOR = 5, TASK_SIMT = 13 }; /* op_task_type, core_names has them */

struct operator_ids {
    uint32_t name, type, tensors, work;
};

struct known_operator {
    struct operator_ids ids;
    uint32_t op;
};

/* Sums of the counters of an operator's tasks. Operators may be many, and most of them run on cores of one kind. */
struct counted {
    int64_t aic_time_ns, aiv_time_ns, duration_ns, block_sum, mix_block_sum, count;
    uint32_t aic, aiv; /* numbers of struct cycles, from 1; 0: it did not run there */
    uint32_t part;
    bool began_on_aiv;
};

struct cycles {
    int64_t total, counters[CANN_COUNTERS];
};

struct cann_load {
    struct workload *workload;
    struct cann_parts parts;
    struct cann_texts names, shapes;
    struct map known;
    const struct cann_part *part;            /* of the last task */
    struct ARRAY_OF(struct counted) counted; /* of each operator */
    struct ARRAY_OF(struct cycles) cycles;
    struct cann_communications communications;
    uint32_t op;      /* of the last task; NO_TEXT: it is none */
    bool tells_waits; /* the log of tasks says what each is; that of 2020 does not */
    sqlite3 *db;
    struct collection_start {
        bool known;
        int64_t device_id, start_ns;
    } collection; /* of the device of the last task */
};

static enum work work_of(const struct cann_task *task)
{
    if (task->collective == CANN_COLLECTIVE_ITSELF)
        return WORK_COMMUNICATION;
    if (task->op_task_type == TASK_AI_CPU)
        return WORK_AI_CPU;
    bool vector =
        task->op_task_type == TASK_VECTOR || task->op_task_type == TASK_MIX_VECTOR || task->op_task_type == TASK_SIMT;
    return vector ? WORK_VECTOR : WORK_CUBE;
}

/* Ids that are larger than any text has are one. */
static uint32_t short_id(int64_t id)
{
    return id >= 0 && id < UINT32_MAX ? (uint32_t)id : UINT32_MAX;
}

static struct operator_ids ids_of(int64_t name, int64_t type, int64_t tensors, enum work work)
{
    return (struct operator_ids){short_id(name), short_id(type), short_id(tensors), work};
}

static int find_operator(struct cann_load *load, const struct operator_ids *ids, const char *name, const char *type,
                         const char *shapes, uint32_t *ret, struct err *err)
{
    struct workload_key key = {.work = ids->work};
    bool added;
    struct known_operator *known = map_add(&load->known, ids, &added, err);

    if (known == NULL || (added && (workload_add_text(load->workload, name, &key.name, err) < 0 ||
                                    workload_add_text(load->workload, type, &key.type, err) < 0 ||
                                    workload_add_text(load->workload, shapes, &key.shapes, err) < 0 ||
                                    workload_add_operator(load->workload, &key, &known->op, err) < 0)))
        return err_status(err);
    *ret = known->op;
    return 0;
}

static const char *text_or_none(struct cann_text text)
{
    return text.text != NULL ? text.text : "N/A";
}

/* Room for the sums of an operator; the array has the members items, count and capacity. */
#define RESERVE_SUMS(array, op, err)                                                                                   \
    ((op) < (array)->count                                                                                             \
         ? 0                                                                                                           \
         : reserve_sums(&(array)->items, &(array)->count, &(array)->capacity, (op), sizeof *(array)->items, (err)))
static int reserve_sums(void *items, size_t *count, size_t *capacity, uint32_t op, size_t item_size, struct err *err)
{
    char *grown;

    if (op >= *capacity && array_grow(items, capacity, *count, op + 1 - *count, item_size, err) < 0)
        return err_status(err);
    memcpy(&grown, items, sizeof grown);
    memset(grown + *count * item_size, 0, (op + 1 - *count) * item_size);
    *count = (size_t)op + 1;
    return 0;
}

static void svp_add_known(int64_t *sum, int64_t value)
{
    *sum = number_add(*sum, value != DB_NULL ? value : 0);
}

static int add_cycles(struct cann_load *load, uint32_t *number, int64_t total, const int64_t counters[CANN_COUNTERS],
                      struct err *err)
{
    if (*number == 0) {
        if (RESERVE_SUMS(&load->cycles, (uint32_t)load->cycles.count, err) < 0)
            return err_status(err);
        *number = (uint32_t)load->cycles.count;
    }
    struct cycles *sums = &load->cycles.items[*number - 1];
    sums->total = number_add(sums->total, total);
    for (int i = 0; i < CANN_COUNTERS; i++)
        svp_add_known(&sums->counters[i], counters[i]);
    return 0;
}

static int add_counters(struct cann_load *load, uint32_t op, const struct cann_task *task, struct err *err)
{
    if (RESERVE_SUMS(&load->counted, op, err) < 0)
        return err_status(err);
    struct counted *counted = &load->counted.items[op];
    if ((task->has_aic && add_cycles(load, &counted->aic, task->aic_total_cycle, task->aic_counters, err) < 0) ||
        (task->has_aiv && add_cycles(load, &counted->aiv, task->aiv_total_cycle, task->aiv_counters, err) < 0))
        return err_status(err);
    svp_add_known(&counted->aic_time_ns, task->aic_time_ns);
    svp_add_known(&counted->aiv_time_ns, task->aiv_time_ns);
    counted->duration_ns = number_add(counted->duration_ns, task->duration_ns);
    counted->began_on_aiv = task->op_task_type == TASK_MIX_VECTOR;
    svp_add_known(&counted->block_sum, task->block_num);
    svp_add_known(&counted->mix_block_sum, task->mix_block_num);
    counted->count++;
    counted->part = (uint32_t)(load->part - load->parts.parts);
    return 0;
}

/* The time that cores wait for the last round of blocks. */
static void add_blocks(struct workload_operator *op, const struct cann_part *part, const struct cann_task *task,
                       double length)
{
    int64_t cores = op->key.work == WORK_CUBE ? part->ai_core_num : part->aiv_num, blocks = task->block_num;

    if (op->key.work == WORK_AI_CPU || cores <= 0 || blocks == DB_NULL || blocks <= 0)
        return;
    int64_t rounds = blocks / cores + (blocks % cores != 0);
    op->waste_ns += (1 - (double)blocks / ((double)rounds * (double)cores)) * length;
    op->blocks_ns += length;
}

static bool use_part(struct cann_load *load, int64_t device_id)
{
    if (load->part == NULL || load->part->device_id != device_id)
        load->part = cann_part_of_device(&load->parts, device_id);
    return load->part != NULL;
}

/* Communication has no shapes, as operators of the host have none. */
static struct operator_ids ids_of_task(const struct cann_task *task)
{
    const enum work work = work_of(task);

    return ids_of(task->op_name_id, task->op_type_id, work == WORK_COMMUNICATION ? DB_NULL : task->tensor_set_id, work);
}

static bool is_counted(struct cann_load *load, const struct cann_task *task)
{
    return (task->has_aic || task->has_aiv) && task->collective == DB_NULL && cann_is_operator(task) &&
           task->start_ns != DB_NULL && workload_takes(task->start_ns, task->duration_ns) &&
           workload_wants(load->workload, task->device_id, task->start_ns) && use_part(load, task->device_id);
}

static int count_task(struct cann_load *load, uint32_t op, const struct cann_task *task, struct err *err)
{
    load->workload->operators[op].counted_ns +=
        ticks_exact_ns(workload_clock_hz(load->workload, task->device_id), task->start_ns, task->duration_ns);
    return add_counters(load, op, task, err);
}

static int take_counters(void *arg, const struct cann_task *task, struct err *err)
{
    struct cann_load *load = arg;
    const struct operator_ids ids = ids_of_task(task);
    const struct known_operator *known = is_counted(load, task) ? map_get(&load->known, &ids) : NULL;

    return known != NULL ? count_task(load, known->op, task, err) : 0;
}

/* Whether a task that is no operator keeps the device busy: transfers and notifications between devices do, a place
 * that is held and an event that another stream waits for do not. */
static bool works(const struct cann_task *task)
{
    enum { TASK_PLACE = 3, TASK_RECORDS_EVENT, TASK_WAITS_FOR_EVENT }; /* device_task_names */

    return task->type != TASK_PLACE && task->type != TASK_RECORDS_EVENT && task->type != TASK_WAITS_FOR_EVENT;
}

/* Nothing but operators counts before the collection started: a task that it cuts bounds the time from there on. */
static int add_bounds(struct cann_load *load, const struct cann_task *task, struct err *err)
{
    struct collection_start *at = &load->collection;
    if (!at->known || at->device_id != task->device_id) {
        *at = (struct collection_start){true, task->device_id, INT64_MIN};
        if (warm_up_start_ns(load->db, task->device_id, &at->start_ns, err) < 0)
            return err_status(err);
    }
    const int64_t end_ns = number_add(task->start_ns, task->duration_ns);
    const int64_t start_ns = at->start_ns > task->start_ns && at->start_ns <= end_ns ? at->start_ns : task->start_ns;
    return workload_add_bounds(load->workload, task->device_id, start_ns, number_subtract(end_ns, start_ns), err);
}

static int take_task(void *arg, const struct cann_task *task, struct err *err)
{
    struct cann_load *load = arg;
    struct operator_ids ids = ids_of_task(task);
    bool is_operator = cann_is_operator(task) && task->collective != CANN_COLLECTIVE_IN_OPERATOR, taken;
    uint32_t op = 0;
    int status;

    if (task->start_ns == DB_NULL || task->duration_ns == DB_NULL)
        return 0;
    if (load->tells_waits && !task->profiles && add_bounds(load, task, err) < 0)
        return err_status(err);
    if (is_operator) {
        status = find_operator(
            load, &ids, text_or_none(cann_text(&load->names, task->op_name_id, 0)),
            text_or_none(cann_text(&load->names, task->op_type_id, 0)),
            ids.work == WORK_COMMUNICATION ? NULL : cann_text(&load->shapes, task->tensor_set_id, 0).text, &op, err);
    } else if (task->copy_bytes != DB_NULL && task->op_name_id == DB_NULL) {
        char name[64];
        snprintf(name, sizeof name, "copy %s", cann_copy_direction(task->copy_direction));
        ids = ids_of(DB_NULL, task->copy_direction, DB_NULL, WORK_COPY);
        status = find_operator(load, &ids, name, "copy", NULL, &op, err);
    } else {
        return load->tells_waits && works(task)
                   ? workload_add_other(load->workload, task->device_id, task->start_ns, task->duration_ns, err)
                   : 0;
    }
    if (status == 0)
        status = workload_add(load->workload, op, task->device_id, task->stream_id, task->start_ns, task->duration_ns,
                              &taken, err);
    if (status != 0 || !taken)
        return status;
    load->op = op;
    if (!is_operator)
        load->workload->operators[op].copy_bytes += (double)task->copy_bytes;
    else if (ids.work != WORK_COMMUNICATION && use_part(load, task->device_id))
        add_blocks(
            &load->workload->operators[op], load->part, task,
            ticks_exact_ns(workload_clock_hz(load->workload, task->device_id), task->start_ns, task->duration_ns));
    return 0;
}

static int take_counted_task(void *arg, const struct cann_task *task, struct err *err)
{
    struct cann_load *load = arg;

    load->op = NO_TEXT;
    if (take_task(load, task, err) < 0)
        return err_status(err);
    return load->op != NO_TEXT && is_counted(load, task) ? count_task(load, load->op, task, err) : 0;
}

const char *operator_unnumbered(const char *name, bool is_kernel, char buffer[OPERATOR_NAME_SIZE])
{
    const char *mark = strstr(name, "__"), *end = mark != NULL ? mark + 2 : NULL;

    if (is_kernel) { /* three numbers are behind its name */
        end = name + strlen(name);
        for (size_t i = 0; i < 3; i++) {
            do {
                end--;
            } while (end > name && *end != '_');
        }
    } else if (mark != NULL) {
        end += strspn(end, "0123456789");
        end = end == mark + 2 ? NULL : end;
    }
    if (end == NULL || end <= name || end[0] != '_' || end[1 + strspn(end + 1, "0123456789_")] != '\0' ||
        end - name >= OPERATOR_NAME_SIZE)
        return name;
    snprintf(buffer, OPERATOR_NAME_SIZE, "%.*s", (int)(end - name), name);
    return buffer;
}

static int add_communications(struct cann_load *load, sqlite3 *db, struct err *err)
{
    int status = cann_communications_load(db, &load->communications, err);

    for (size_t i = 0; status == 0 && i < load->communications.count; i++) {
        const struct cann_communication *item = &load->communications.items[i];
        struct operator_ids ids = ids_of(item->name_id, item->type_id, DB_NULL, WORK_COMMUNICATION);
        uint32_t op = 0;
        bool taken;
        char name[OPERATOR_NAME_SIZE];
        status = find_operator(load, &ids,
                               operator_unnumbered(text_or_none(cann_text(&load->names, item->name_id, 0)),
                                                   item->kernel_row_id != DB_NULL, name),
                               text_or_none(cann_text(&load->names, item->type_id, 0)), NULL, &op, err);
        if (status == 0 && item->start_ns != DB_NULL && item->duration_ns != DB_NULL)
            status =
                workload_add(load->workload, op, item->device_id, -1, item->start_ns, item->duration_ns, &taken, err);
    }
    return status;
}

static int read_tasks(struct cann_load *load, sqlite3 *db, bool with_counters,
                      int (*each)(void *arg, const struct cann_task *task, struct err *err), struct err *err)
{
    int64_t count; /* of a database in which rows are numbered as they are expected to be */

    if (cann_task_count(db, &count, err) < 0)
        return err_status(err);
    return cann_each_task(db, with_counters ? CANN_SUMS_COUNTED : CANN_SUMS, each, load, err);
}

static struct workload_step step_of(const struct cann_step *item)
{
    return (struct workload_step){.start_ns = item->start_ns,
                                  .end_ns = item->end_ns,
                                  .model_id = item->model_id != DB_NULL ? item->model_id : STEP_OF_NO_MODEL,
                                  .number = item->iteration,
                                  .model = NO_TEXT,
                                  .source = item->marked ? STEPS_MARKED : STEPS_ITERATIONS};
}

static int add_steps(struct workload *workload, sqlite3 *db, struct err *err)
{
    struct cann_steps steps;
    int status = cann_steps_load(db, &steps, err);

    if (status != 0)
        return status;
    for (size_t i = 0; status == 0 && i < steps.count; i++) {
        const struct workload_step step = step_of(&steps.items[i]);
        large_pass(i);
        status = workload_add_step(workload, steps.items[i].device_id, &step, err);
    }
    for (size_t i = 0; status == 0 && i < steps.begun.count; i++) {
        const struct workload_step step = step_of(&steps.begun.items[i]);
        status = workload_add_begun(workload, steps.begun.items[i].device_id, &step, err);
    }
    cann_steps_release(&steps);
    return status;
}

static const enum unit units_of_counters[PMU_UNITS] = {
    [PMU_NO_UNIT] = UNITS,      [PMU_CUBE] = UNIT_CUBE,     [PMU_VECTOR] = UNIT_VECTOR,
    [PMU_SCALAR] = UNIT_SCALAR, [PMU_MTE1] = UNIT_INNER,    [PMU_MTE2] = UNIT_LOAD,
    [PMU_MTE3] = UNIT_STORE,    [PMU_FIXPIPE] = UNIT_STORE, [PMU_OCCUPIED] = UNIT_OCCUPIED,
};

/* Columns of counters of a part: many operators have the same. */
struct unit_plan {
    const struct cann_part *part; /* NULL: there is none yet */
    struct pmu_columns columns;
};

static void plan_units(struct unit_plan *plan, const struct cann_part *part)
{
    const struct pmu_input input = cann_pmu_input(part);
    if (plan->part == part)
        return;
    plan->part = part;
    pmu_columns_init(&plan->columns, &input);
}

static struct pmu_task sums_of(const struct cann_load *load, const struct counted *counted)
{
    struct pmu_task sums = {
        .has_aic = counted->aic != 0,
        .has_aiv = counted->aiv != 0,
        .block_num = counted->block_sum / counted->count,
        .mix_block_num = counted->mix_block_sum / counted->count,
        .began_on_aiv = counted->began_on_aiv,
        .duration_ns = counted->duration_ns,
        .aic_time_ns = counted->aic_time_ns,
        .aiv_time_ns = counted->aiv_time_ns,
    };

    if (sums.has_aic) {
        sums.aic_total_cycle = load->cycles.items[counted->aic - 1].total;
        memcpy(sums.aic_counters, load->cycles.items[counted->aic - 1].counters, sizeof sums.aic_counters);
    }
    if (sums.has_aiv) {
        sums.aiv_total_cycle = load->cycles.items[counted->aiv - 1].total;
        memcpy(sums.aiv_counters, load->cycles.items[counted->aiv - 1].counters, sizeof sums.aiv_counters);
    }
    return sums;
}

static void fill_operator(const struct cann_load *load, struct workload_operator *op, const struct counted *counted,
                          struct unit_plan *plan)
{
    static const double powers[] = {1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
    struct pmu_value values[2 * PMU_MAX_COLUMNS + 1];
    const struct pmu_task sums = sums_of(load, counted);

    plan_units(plan, &load->parts.parts[counted->part]);
    pmu_columns_values(&plan->columns, &sums, values);
    for (size_t c = 0; c < plan->columns.count; c++) {
        const struct pmu_value *value = &values[c];
        const enum unit unit = units_of_counters[pmu_columns_unit(&plan->columns, c)];
        if (unit == UNITS || value->value == DB_NULL || value->decimals >= sizeof powers / sizeof *powers)
            continue;
        double share = (double)value->value / powers[value->decimals];
        if (unit == UNIT_OCCUPIED)
            share /= 100;
        if (share * op->counted_ns > op->units[unit])
            op->units[unit] = share * op->counted_ns;
    }
    if (op->counted_ns > 0 && op->units[UNIT_CUBE] >= 0 && op->units[UNIT_OCCUPIED] >= 0)
        op->units[UNIT_CUBE_ALL] = op->units[UNIT_CUBE] * op->units[UNIT_OCCUPIED] / op->counted_ns;
}

static void fill_operators(const struct cann_load *load)
{
    struct unit_plan plan = {.part = NULL};
    for (size_t i = 0; i < load->counted.count; i++)
        if (load->counted.items[i].count > 0)
            fill_operator(load, &load->workload->operators[i], &load->counted.items[i], &plan);
}

static int fill_facts(struct workload_facts *facts, const struct cann_parts *parts, struct err *err)
{
    for (size_t i = 0; i < parts->count; i++) {
        const struct cann_part *part = &parts->parts[i];
        if (part->is_host)
            continue;
        if (part->chip != DB_NULL)
            snprintf(facts->chip, sizeof facts->chip, "%" PRId64, part->chip);
        facts->cube_cores = part->ai_core_num > 0 ? part->ai_core_num : 0;
        facts->vector_cores = part->aiv_num > 0 ? part->aiv_num : 0;
        facts->clock_khz = facts->rated_khz = part->aic_hz > 0 ? part->aic_hz / 1000 : 0;
        if (workload_facts_append(&facts->metrics, part->metrics, err) < 0 ||
            workload_facts_append(&facts->metrics, part->aiv_metrics, err) < 0)
            return err_status(err);
    }
    return 0;
}

/* Sums of counters and the texts of many operators together are much memory: from here on counters are read by a walk
 * of their own, when the texts are gone. */
#define TEXTS_BESIDE_COUNTERS 65536

/* Hands over the rates of the clocks that are not of nanoseconds, before any time is. */
static int load_clocks(struct workload *workload, sqlite3 *db, struct err *err)
{
    SCOPED(cann_clocks_release) struct cann_clocks clocks;
    if (cann_clocks_load(db, &clocks, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < clocks.count; i++) {
        const struct workload_clock clock = {clocks.items[i].device_id, clocks.items[i].hz};
        if (clock.hz != TICKS_OF_NS && array_add(&workload->clocks, err, clock) < 0)
            return err_status(err);
    }
    const struct workload_clock any = {INT64_MIN, clocks.any_hz};
    return any.hz > 0 && any.hz != TICKS_OF_NS ? array_add(&workload->clocks, err, any) : 0;
}

/* Of communication operators those that began before are hidden, so what is left of a step may lack its middle. */
static int note_early_steps(struct workload *workload, sqlite3 *db, struct err *err)
{
    if (!warm_up_hides(db))
        return 0;
    for (size_t i = 0; i < workload->step_count; large_pass(i++)) {
        struct workload_step *step = &workload->steps[i];
        int64_t start_ns;
        if (warm_up_end_ns(db, workload->devices[step->device].id, &start_ns, err) < 0)
            return err_status(err);
        step->begins_early = step->start_ns < start_ns;
    }
    return 0;
}

static int workload_load_ascend(sqlite3 *db, enum load_counters counters, struct workload *workload, struct err *err)
{
    struct cann_load load = {.workload = workload, .db = db, .known = MAP_OF(struct known_operator, ids)};
    struct db_facts facts;
    bool failed = db_read_facts(db, &facts, err) < 0;

    load.tells_waits = facts.family != CAPTURE_JOB;
    failed = failed || load_clocks(workload, db, err) < 0 || cann_parts_load(db, &load.parts, err) < 0 ||
             cann_names_load(db, &load.names, err) < 0 || cann_shapes_load(db, &load.shapes, err) < 0;
    const bool beside = counters == WITH_COUNTERS && load.names.rows + load.shapes.rows <= TEXTS_BESIDE_COUNTERS;
    failed = failed || read_tasks(&load, db, beside, beside ? take_counted_task : take_task, err) < 0 ||
             (!workload->sums_only &&
              (add_communications(&load, db, err) < 0 || workload_load_framework_steps(db, workload, err) < 0 ||
               add_steps(workload, db, err) < 0 || note_early_steps(workload, db, err) < 0));
    cann_communications_release(&load.communications);
    cann_texts_release(&load.shapes);
    cann_texts_release(&load.names);
    map_release(&workload->operator_index);
    failed = failed || (counters == WITH_COUNTERS && !beside && read_tasks(&load, db, true, take_counters, err) < 0);
    failed = failed || fill_facts(&workload->facts, &load.parts, err) < 0;
    if (!failed)
        fill_operators(&load);
    cann_parts_release(&load.parts);
    map_release(&load.known);
    free(load.counted.items);
    free(load.cycles.items);
    return failed ? err_status(err) : 0;
}

/* The sums of an operator's counters. */
struct svp_counted {
    double total, cycles[SVP_CYCLE_KINDS], read_bytes, write_bytes;
};

struct known_task {
    int64_t task_id;
    uint32_t op;
};

/* The step of an inference, to find it by what the records of its AI CPU tasks say. */
struct known_inference {
    struct inference_key {
        int64_t device_id, model_id, batch, input, number;
        uint64_t model; /* text */
    } key;
    size_t step;
    bool several; /* it does not say which */
};

struct svp_load {
    sqlite3 *db;
    struct workload *workload;
    struct svp_task_reader *reader;
    struct svp_layers layers;
    char model[256]; /* of layers and known */
    int64_t model_id;
    bool any_model;
    uint32_t model_text;
    struct map known;      /* AI core tasks of the model */
    struct map inferences; /* steps */
    int64_t origin_ns;
    const struct svp_inference *inference;
    struct ARRAY_OF(struct svp_counted) counted; /* of each operator */
};

bool svp_layers_join(const struct svp_layers *layers, int64_t task_id, bool ai_cpu, bool types, struct strbuf *ret)
{
    size_t first, count = svp_layers_of_task(layers, task_id, ai_cpu, &first);

    for (size_t i = first; i < first + count; i++) {
        const char *text = types ? layers->layers[i].type : layers->layers[i].name;
        strbuf_adds(ret, ret->length > 0 ? "," : "");
        strbuf_adds(ret, text != NULL ? text : "");
    }
    if (ret->length > 0)
        return true;
    if (types)
        strbuf_adds(ret, "N/A");
    else
        strbuf_addf(ret, "task %lld", (long long)task_id);
    return false;
}

static int add_joined(struct svp_load *load, int64_t task_id, bool ai_cpu, bool types, uint32_t *ret, struct err *err)
{
    SCOPED(strbuf_release) struct strbuf joined;

    strbuf_init(&joined, SIZE_MAX / 2);
    svp_layers_join(&load->layers, task_id, ai_cpu, types, &joined);
    return joined.failed ? err_no_memory(err) : workload_add_text(load->workload, joined.data, ret, err);
}

static int operator_of_task(struct svp_load *load, int64_t task_id, bool ai_cpu, uint32_t *ret, struct err *err)
{
    struct workload_key key = {.shapes = NO_TEXT, .work = ai_cpu ? WORK_AI_CPU : WORK_CUBE};

    if (add_joined(load, task_id, ai_cpu, false, &key.name, err) != 0 ||
        add_joined(load, task_id, ai_cpu, true, &key.type, err) != 0)
        return err_status(err);
    return workload_add_operator(load->workload, &key, ret, err);
}

static int use_model(struct svp_load *load, const char *model, int64_t model_id, struct err *err)
{
    if (load->any_model && load->model_id == model_id && strncmp(load->model, model, sizeof load->model - 1) == 0)
        return 0;
    svp_layers_release(&load->layers);
    map_clear(&load->known);
    load->any_model = true;
    load->model_id = model_id;
    snprintf(load->model, sizeof load->model, "%s", model);
    load->layers = (struct svp_layers){.layers = NULL};
    if (workload_facts_append(&load->workload->facts.models, model, err) != 0 ||
        workload_add_text(load->workload, model, &load->model_text, err) != 0)
        return err_status(err);
    return svp_layers_load(load->db, model, model_id, &load->layers, err);
}

static int count_svp_task(struct svp_load *load, uint32_t op, const struct svp_task *task, struct err *err)
{
    if (RESERVE_SUMS(&load->counted, op, err) < 0)
        return err_status(err);
    struct svp_counted *counted = &load->counted.items[op];
    if (task->total_cycle == DB_NULL)
        return 0;
    const int64_t khz = load->inference->core_khz;
    const double length = workload_add_cycles(load->workload, op, task->duration_ns, task->total_cycle,
                                              khz != DB_NULL ? number_multiply(khz, 1000) : 0);
    counted->total += (double)task->total_cycle;
    for (int i = 0; i < SVP_CYCLE_KINDS; i++)
        counted->cycles[i] += task->cycles[i] != DB_NULL ? (double)task->cycles[i] : 0;
    counted->read_bytes += task->ddr_read_bytes != DB_NULL ? (double)task->ddr_read_bytes : 0;
    counted->write_bytes += task->ddr_write_bytes != DB_NULL ? (double)task->ddr_write_bytes : 0;
    load->workload->operators[op].counted_ns += length;
    return 0;
}

static int take_svp_task(void *arg, const struct svp_task *task, struct err *err)
{
    struct svp_load *load = arg;
    bool added, taken;
    int status = 0;
    struct known_task *known = map_add(&load->known, &task->task_id, &added, err);

    if (known == NULL)
        return err_status(err);
    if (added)
        status = operator_of_task(load, task->task_id, false, &known->op, err);
    if (status != 0 || task->start_ns == DB_NULL || task->duration_ns == DB_NULL)
        return status;
    status = workload_add(load->workload, known->op, load->inference->device_id, task->stream_id,
                          number_add(task->start_ns, load->inference->start_known ? 0 : load->origin_ns),
                          task->duration_ns, &taken, err);
    return status == 0 && taken ? count_svp_task(load, known->op, task, err) : status;
}

static int know_inference(struct svp_load *load, int64_t device_id, const struct workload_step *step, struct err *err)
{
    const struct inference_key key = {device_id, step->model_id, step->batch, step->input, step->number, step->model};
    bool added;
    struct known_inference *known = map_add(&load->inferences, &key, &added, err);

    if (known == NULL)
        return err_status(err);
    known->several = !added;
    known->step = load->workload->step_count - 1;
    return 0;
}

static int take_inference(void *arg, const struct svp_inference *inference, struct err *err)
{
    struct svp_load *load = arg;
    struct workload_facts *facts = &load->workload->facts;
    int64_t offset_ns = inference->start_known ? 0 : load->origin_ns;
    int status = use_model(load, inference->model, inference->model_id, err);

    if (status != 0)
        return status;
    if (inference->core_khz == DB_NULL)
        facts->times_known = false;
    else
        facts->clock_khz = inference->core_khz;
    if (!inference->start_known)
        facts->placed = true;
    load->inference = inference;
    status = svp_read_tasks(load->reader, inference->id, take_svp_task, load, err);
    if (status != 0 || load->workload->sums_only || inference->start_ns == DB_NULL || inference->end_ns == DB_NULL ||
        inference->core_khz == DB_NULL)
        return status;
    struct workload_step step = {.start_ns = number_add(inference->start_ns, offset_ns),
                                 .end_ns = number_add(inference->end_ns, offset_ns),
                                 .model_id = inference->model_id,
                                 .number = inference->current_pic_count,
                                 .batch = inference->batch_num,
                                 .input = inference->input_pic_num,
                                 .model = load->model_text,
                                 .source = STEPS_INFERENCES};
    step.work_start_ns = step.start_ns;
    step.work_end_ns = step.end_ns;
    size_t before = load->workload->step_count;
    status = workload_add_step(load->workload, inference->device_id, &step, err);
    return status == 0 && load->workload->step_count > before ? know_inference(load, inference->device_id, &step, err)
                                                              : status;
}

struct ai_cpu_load {
    struct svp_load *load;
    const struct svp_model *model;
};

/* An inference has begun when its first task did, on whichever processor. */
static void widen_inference(const struct svp_load *load, const struct svp_model *model,
                            const struct svp_ai_cpu_task *task)
{
    const struct inference_key key = {model->device_id,    model->model_id,         model->batch_num,
                                      task->input_pic_num, task->current_pic_count, load->model_text};
    const struct known_inference *known = map_get(&load->inferences, &key);
    int64_t end_ns = number_add(task->start_ns, task->duration_ns);

    if (known == NULL || known->several)
        return;
    struct workload_step *step = &load->workload->steps[known->step];
    if (task->start_ns < step->work_start_ns)
        step->work_start_ns = task->start_ns;
    if (end_ns > step->work_end_ns)
        step->work_end_ns = end_ns;
}

static int take_ai_cpu_task(void *arg, const struct svp_ai_cpu_task *task, struct err *err)
{
    struct ai_cpu_load *each = arg;
    uint32_t op;
    bool taken;
    int status = operator_of_task(each->load, task->task_id, true, &op, err);

    if (status != 0 || task->start_ns == DB_NULL || task->duration_ns == DB_NULL)
        return status;
    widen_inference(each->load, each->model, task);
    return workload_add(each->load->workload, op, each->model->device_id, task->stream_id, task->start_ns,
                        task->duration_ns, &taken, err);
}

static int take_model(void *arg, const struct svp_model *model, struct err *err)
{
    struct svp_load *load = arg;
    struct ai_cpu_load each = {load, model};
    int status = use_model(load, model->name, model->model_id, err);

    return status == 0 ? svp_each_ai_cpu_task(load->db, model, take_ai_cpu_task, &each, err) : status;
}

static int take_execute(void *arg, const struct svp_execute *call, struct err *err)
{
    struct svp_load *load = arg;
    struct execute_start start = {call->device_id, call->model_id, NO_TEXT, call->start_ns, call->end_ns};
    int status = workload_add_text(load->workload, call->model, &start.model, err);

    return status == 0 ? workload_add_execute_start(load->workload, &start, err) : status;
}

static void fill_units(const struct svp_load *load)
{
    static const struct {
        enum unit unit;
        int cycles;
    } units[] = {{UNIT_CUBE, SVP_MAC_BUSY},     {UNIT_VECTOR, SVP_VEC_PPEN}, {UNIT_STORE, SVP_DSTR},
                 {UNIT_INNER, SVP_DTRANS},      {UNIT_LOAD, SVP_DLD},        {UNIT_WEIGHTS, SVP_WLD},
                 {UNIT_CUBE_GAIN, SVP_MAC_PPEN}};

    for (size_t i = 0; i < load->counted.count; i++) {
        struct workload_operator *op = &load->workload->operators[i];
        const struct svp_counted *counted = &load->counted.items[i];
        if (counted->total <= 0)
            continue;
        for (size_t k = 0; k < sizeof units / sizeof *units; k++)
            op->units[units[k].unit] = counted->cycles[units[k].cycles] / counted->total * op->counted_ns;
        op->units[UNIT_CUBE_ALL] = op->units[UNIT_CUBE]; /* there is one core */
        op->read_bytes = counted->read_bytes;
        op->write_bytes = counted->write_bytes;
    }
}

static int workload_load_svp(sqlite3 *db, enum load_counters counters, struct workload *workload, struct err *err)
{
    struct svp_load load = {.db = db,
                            .workload = workload,
                            .known = MAP_OF(struct known_task, task_id),
                            .inferences = MAP_OF(struct known_inference, key)};
    struct db_facts facts;
    int status = db_read_facts(db, &facts, err);

    (void)counters; /* they stand in the same rows */
    snprintf(workload->facts.chip, sizeof workload->facts.chip, "SVP");
    workload->facts.cube_cores = 1;
    load.origin_ns = facts.origin_ns;
    load.reader = status == 0 ? svp_task_reader_new(db, true, err) : NULL;
    if (load.reader == NULL)
        return err_status(err);
    status = svp_each_inference(db, NULL, take_inference, &load, err);
    if (status == 0)
        status = svp_each_model(db, take_model, &load, err);
    if (status == 0 && !workload->sums_only)
        status = svp_each_execute(db, take_execute, &load, err);
    if (status == 0)
        fill_units(&load);
    svp_task_reader_free(load.reader);
    svp_layers_release(&load.layers);
    map_release(&load.known);
    map_release(&load.inferences);
    free(load.counted.items);
    return status;
}

static int load_family(sqlite3 *db, enum load_counters counters, struct workload *ret, struct err *err)
{
    static const struct {
        const char *name;
        int (*load)(sqlite3 *db, enum load_counters counters, struct workload *workload, struct err *err);
    } families[] = {
        [CAPTURE_SVP] = {"SVP", workload_load_svp},
        [CAPTURE_JOB] = {"Ascend JOB", workload_load_ascend},
        [CAPTURE_2022] = {"CANN 2022", workload_load_ascend},
        [CAPTURE_CANN] = {"CANN", workload_load_ascend},
    };
    struct db_facts facts;
    int status = db_read_facts(db, &facts, err);

    if (status != 0)
        return status;
    if (facts.family == CAPTURE_UNKNOWN)
        return err_set(err, ERR_NOT_FOUND, "the capture contains no data that this version decodes");
    if ((FAMILY_OF(facts.family) & FAMILY_TREES) != 0) {
        err_set(err, ERR_NOT_FOUND, "the capture is about one operator and has no tasks of a program");
        err_hint_caller(err, "msprof_tables, or .tables in Python, lists the tables that it has");
        return err_hint(err, "'msprof show --table list CAPTURE' lists the tables that it has");
    }
    snprintf(ret->facts.family, sizeof ret->facts.family, "%s", families[facts.family].name);
    struct first_problem first;
    if (facts.problems > 0) {
        if (query_first_problem(db, &first, err) != 0)
            return err_status(err);
        ret->facts.misses_half = first.id == DIAG_HALF_MISSING;
    }
    ret->facts.problems = facts.problems;
    ret->facts.tick_ns = 10;
    return families[facts.family].load(db, counters, ret, err);
}

/* whole: of which the workload is a part; NULL: it is all. */
static int finish_part(sqlite3 *db, const struct workload *whole, struct workload *ret, struct err *err)
{
    if ((whole == NULL ? workload_load_chosen_ranges(db, ret, err) : workload_inherit(ret, whole, err)) != 0 ||
        workload_finish(ret, err) != 0)
        return err_status(err);
    return whole == NULL ? splits_relate_steps(ret, err) : 0;
}

int workload_load_part(sqlite3 *db, enum load_counters counters, const struct workload_window *window,
                       const struct workload *whole, struct workload *ret, struct err *err)
{
    workload_init(ret);
    if (window != NULL)
        ret->window = *window;
    int status = load_family(db, counters, ret, err);

    ret->facts.devices = (int64_t)ret->device_count;
    if (status == 0)
        status = finish_part(db, whole, ret, err);
    if (status != 0)
        workload_release(ret);
    return status;
}

int workload_load_sums(sqlite3 *db, struct workload *ret, struct err *err)
{
    struct query_window window;

    workload_init(ret);
    ret->sums_only = true;
    if (query_window_read(db, &window, err) < 0)
        return err_status(err);
    ret->window = (struct workload_window){window.any, window.from_ns, window.until_ns, window.device_id, window.step};
    int status = load_family(db, WITH_COUNTERS, ret, err);

    if (status != 0)
        workload_release(ret);
    return status;
}

struct memory_load {
    struct intern *owners;
    struct memory_pieces *pieces;
    bool of_framework; /* whose pieces of no time are none */
    struct query_window window;
};

static int take_name(void *arg, sqlite3_stmt *row, struct err *err)
{
    uint32_t ignored;
    return intern_text(((struct memory_load *)arg)->owners, query_text(row, 0), &ignored, err);
}

static int take_piece(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct memory_load *load = arg;
    int64_t end_ns = query_integer(row, 3);
    struct memory_piece piece = {.device = query_integer(row, 1),
                                 .start_ns = query_integer(row, 2),
                                 .end_ns = end_ns != DB_NULL ? end_ns : MEMORY_KEPT,
                                 .bytes = query_integer(row, 4)};
    if (load->window.any && (piece.start_ns >= load->window.until_ns || piece.end_ns <= load->window.from_ns ||
                             (load->window.device_id != DB_NULL && load->window.device_id != piece.device)))
        return 0;
    int status = intern_text(load->owners, query_text(row, 0), &piece.owner, err);

    return status != 0 || (load->of_framework && (piece.bytes <= 0 || piece.end_ns <= piece.start_ns))
               ? status
               : array_add(load->pieces, err, piece);
}

/* Owners have numbers in the order of their names. Pieces end with the release behind their allocation. */
static const char names[] =
    "SELECT text FROM name WHERE id IN (SELECT node_name_id FROM main.task_memory_info) ORDER BY id";
static const char records[] =
    "SELECT n.text, m.device_id, m.time_ns, iif(m.next < 0, m.next_ns, NULL), m.bytes FROM"
    " (SELECT *, lead(bytes) OVER place AS next, lead(time_ns) OVER place AS next_ns, lead(id) OVER place AS next_id"
    "  FROM main.task_memory_info"
    "  WHERE time_ns IS NOT NULL AND bytes <> 0"
    "  WINDOW place AS (PARTITION BY node_name_id, address, device_id ORDER BY id)) m"
    " LEFT JOIN name n ON n.id = m.node_name_id WHERE m.bytes > 0"
    " AND (m.next IS NULL OR m.next >= 0 OR m.next_id IN (SELECT id FROM task_memory_info)) ORDER BY m.id";
static const char framework_pieces[] = "SELECT owner, device_id, got_ns, gave_ns, bytes FROM temp.framework_piece";

int memory_load(sqlite3 *db, struct intern *owners, struct memory_pieces *ret, struct err *err)
{
    struct memory_load load = {.owners = owners, .pieces = ret};
    int64_t attached = 0;

    if (query_number(db, "SELECT " FRAMEWORK_ATTACHED, &attached, err) < 0 ||
        query_window_read(db, &load.window, err) < 0 || query_run(db, names, NULL, 0, take_name, &load, err) < 0 ||
        query_run(db, records, NULL, 0, take_piece, &load, err) < 0)
        return err_status(err);
    load.of_framework = true;
    return attached ? query_run(db, framework_pieces, NULL, 0, take_piece, &load, err) : 0;
}
