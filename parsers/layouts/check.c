/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/layouts/check.h"

#include "base/array.h"
#include "parsers/decode/decode.h"
#include "parsers/layouts/check_records.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define COMPARED (PRINTED_DDR_WRITE + 1) /* ids are compared by finding the row */

struct decoded_task {
    int64_t inference_id, task_id;
    int64_t values[COMPARED]; /* PRINTED_NONE: the layout does not give it */
};

struct decoded_inference {
    int64_t id, device_id, model_id, batch_num, input_pic_num, current_pic_count;
    int64_t icache_miss_ppm; /* PRINTED_NONE: not known */
};

/* Takes the rows that are compared and drops all others. */
struct collector {
    struct row_sink sink; /* first, so that a sink is its collector */
    struct {
        struct decoded_task *items;
        size_t count, capacity;
    } tasks;
    struct {
        struct decoded_inference *items;
        size_t count, capacity;
    } inferences;
};

static int take_tasks(struct collector *collector, const struct row_batch *batch, struct err *err)
{
    if (array_reserve(&collector->tasks, batch->rows, err) < 0)
        return -(int)err->code;
    for (size_t i = 0; i < batch->rows; i++) {
        struct decoded_task *task = &collector->tasks.items[collector->tasks.count++];
        task->inference_id = check_cell(batch, i, "inference_id");
        task->task_id = check_cell(batch, i, "task_id");
        for (size_t c = 0; c < COMPARED; c++)
            task->values[c] = check_cell(batch, i, printed_pmu.fields[c].name);
    }
    return 0;
}

static int take_inferences(struct collector *collector, const struct row_batch *batch, struct err *err)
{
    if (array_reserve(&collector->inferences, batch->rows, err) < 0)
        return -(int)err->code;
    for (size_t i = 0; i < batch->rows; i++)
        collector->inferences.items[collector->inferences.count++] =
            (struct decoded_inference){.id = check_cell(batch, i, "inference_id"),
                                       .device_id = check_cell(batch, i, "device_id"),
                                       .model_id = check_cell(batch, i, "model_id"),
                                       .batch_num = check_cell(batch, i, "batch_num"),
                                       .input_pic_num = check_cell(batch, i, "input_pic_num"),
                                       .current_pic_count = check_cell(batch, i, "current_pic_count"),
                                       .icache_miss_ppm = check_cell(batch, i, "icache_miss_ppm")};
    return 0;
}

static int commit_batch(struct row_sink *sink, struct row_batch *batch, struct err *err)
{
    struct collector *collector = (struct collector *)sink;
    int status = 0;
    if (strcmp(batch->kind->name, "svp_pmu") == 0)
        status = take_tasks(collector, batch, err);
    else if (strcmp(batch->kind->name, "inference") == 0)
        status = take_inferences(collector, batch, err);
    row_batch_free(batch);
    return status;
}

/* ---- comparing ---- */

struct comparison {
    struct problem *problem;
    const struct printed_file *table;
    const struct decoded_inference *inference; /* of the table; NULL: there is none */
    const struct collector *collector;
    struct check_result *result;
    uint64_t row;
};

static int compare_tasks(const void *left, const void *right)
{
    const struct decoded_task *a = left, *b = right;
    if (a->inference_id != b->inference_id)
        return a->inference_id < b->inference_id ? -1 : 1;
    return (a->task_id > b->task_id) - (a->task_id < b->task_id);
}

static bool may_be(int64_t said, int64_t decoded)
{
    return said < 0 || said == decoded;
}

static const struct decoded_inference *inference_of(const struct collector *collector, const struct printed_file *table)
{
    for (size_t i = 0; i < collector->inferences.count; i++) {
        const struct decoded_inference *one = &collector->inferences.items[i];
        if (may_be(table->device_id, one->device_id) && may_be(table->model_id, one->model_id) &&
            may_be(table->batch_num, one->batch_num) && may_be(table->input_pic_num, one->input_pic_num) &&
            may_be(table->current_pic_count, one->current_pic_count))
            return one;
    }
    return NULL;
}

static void compare_cell(struct comparison *comparison, size_t column, const struct printed_row *row,
                         const struct decoded_task *task)
{
    struct check_result *result = comparison->result;
    if (row->values[column] == PRINTED_NONE || task->values[column] == PRINTED_NONE ||
        (printed_pmu.fields[column].role == PRINTED_SHARE && task->values[PRINTED_TIME] == PRINTED_NONE))
        return;
    int64_t one = printed_power(printed_pmu.fields[column].digits);
    result->cells++;
    if (check_is_inside(comparison->problem, column, row, task->values[PRINTED_TIME], task->values[column]))
        return;
    if (result->different++ == 0)
        (void)strbuf_addf(&result->first,
                          "'%s' row %" PRIu64 ": %s is printed as %" PRId64 ".%06d, and the layout gives %" PRId64,
                          comparison->table->path, comparison->row, printed_pmu.fields[column].name,
                          row->values[column] / one, (int)(row->values[column] % one), task->values[column]);
}

static int compare_row(void *arg, const struct printed_row *row, struct err *err)
{
    struct comparison *comparison = arg;
    struct printed_row with_task = *row;
    const struct decoded_task *task = NULL;
    (void)err;
    comparison->row++;
    comparison->result->rows++;
    layers_add_task(&comparison->problem->layers, &printed_pmu, &with_task);
    if (comparison->inference != NULL && with_task.values[PRINTED_TASK_ID] != PRINTED_NONE) {
        const struct decoded_task wanted = {.inference_id = comparison->inference->id,
                                            .task_id = with_task.values[PRINTED_TASK_ID]};
        task = bsearch(&wanted, comparison->collector->tasks.items, comparison->collector->tasks.count, sizeof wanted,
                       compare_tasks);
    }
    if (task == NULL) {
        if (comparison->result->unmatched++ == 0 && comparison->result->different == 0)
            (void)strbuf_addf(&comparison->result->first, "'%s' row %" PRIu64 ": the layout gives no such task",
                              comparison->table->path, comparison->row);
        return 0;
    }
    for (size_t c = 0; c < COMPARED; c++)
        compare_cell(comparison, c, &with_task, task);
    return 0;
}

/* The rate in the name of a table is a cell, too. */
static void compare_rate(struct comparison *comparison)
{
    struct check_result *result = comparison->result;
    int64_t printed = comparison->table->miss_ppm;
    if (comparison->inference == NULL || printed < 0 || comparison->inference->icache_miss_ppm == PRINTED_NONE)
        return;
    int64_t given = comparison->inference->icache_miss_ppm;
    result->cells++;
    if (given == printed || result->different++ > 0)
        return;
    (void)strbuf_addf(
        &result->first,
        "'%s': its name says an icache_miss_rate of %" PRId64 ".%06d, and the layout gives %" PRId64 ".%06d",
        comparison->table->path, printed / 1000000, (int)(printed % 1000000), given / 1000000, (int)(given % 1000000));
}

static int compare_all(struct problem *problem, struct collector *collector, struct check_result *result,
                       struct err *err)
{
    struct comparison comparison = {.problem = problem, .collector = collector, .result = result};
    struct printed_reader reader = {.row = compare_row, .arg = &comparison};
    int status = 0;
    if (collector->tasks.count > 1)
        array_sort(collector->tasks.items, collector->tasks.count, sizeof *collector->tasks.items, compare_tasks);
    for (size_t t = 0; t < problem->tables->count && status == 0; t++) {
        comparison.table = &problem->tables->items[t];
        comparison.inference = inference_of(collector, comparison.table);
        comparison.row = 0;
        compare_rate(&comparison);
        status = printed_read(problem->tables->form, comparison.table, &reader, err);
    }
    return status;
}

static int check_summaries(struct capture *capture, struct problem *problem, struct check_result *result,
                           struct err *err)
{
    struct collector collector = {.sink = {.begin = check_begin_batch, .commit = commit_batch}};
    int status = decode_capture(capture, &collector.sink, problem->options->progress, err);
    if (status == 0)
        status = compare_all(problem, &collector, result, err);
    free(collector.tasks.items);
    free(collector.inferences.items);
    return status;
}

int check_tables(struct capture *capture, const struct printed_files *tables, const struct infer_options *options,
                 struct check_result *result, struct err *err)
{
    struct problem problem = {.capture = capture, .tables = tables, .options = options};
    struct infer_result facts;
    if (tables->form == NULL || tables->count == 0)
        return 0;
    infer_result_init(&facts, tables->form->kind);
    int status = problem_open(&problem, &facts, err);
    bool clock = has_role(tables->form->kind, 0, PRINTED_CLOCK);
    if (status == 0 && clock)
        problem_settle_frequency(&problem, &facts);
    if (status == 0 && (!clock || problem.core_khz > 0))
        status = tables->form->kind == &printed_pmu ? check_summaries(capture, &problem, result, err)
                                                    : check_records(capture, &problem, result, err);
    infer_result_release(&facts);
    problem_release(&problem);
    return status;
}
