/* SPDX-License-Identifier: Apache-2.0 */
#include "features/layouts/infer.h"

#include "base/array.h"
#include "base/search.h"
#include "features/layouts/problem.h"
#include "parsers/decode/decode.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows of tables beside the records that a layout gives: those of the inference and task that a row names, else those
 * that began at the same time, or that it sums up. */

/* A printed number as text, with as many decimals as are kept. */
#define CHECK_NUMBER_SIZE 40

#define DECIMALS_MOST 6

/* A record that was decoded. */
struct check_record {
    int64_t began_ns, inference_id, model_id, picture, task_id;
    int64_t values[PRINTED_MOST]; /* of the printed kind's fields; PRINTED_NONE: the layout does not give it */
    char word[PRINTED_WORD_SIZE];
    bool used; /* a row has been compared with it */
};

struct check_inference {
    int64_t id, device_id, model_id, batch_num, input_pic_num, picture;
    int64_t icache_miss_ppm; /* PRINTED_NONE: not known */
};

struct collector {
    struct row_sink sink; /* first, so that a sink is its collector */
    const struct capture *capture;
    const struct printed_form *form;
    struct check_record *items;
    size_t count, capacity;
    struct ARRAY_OF(struct check_inference) inferences;
    bool by_task; /* rows name their inference and task */
};

struct check_comparison {
    struct problem *problem;
    const struct printed_file *table;
    const struct check_inference *inference; /* of the table, when rows name their tasks; NULL: there is none */
    struct collector *collector;
    struct check_result *result;
    uint64_t row;
};

/* Values that a row sums up; least is INT64_MAX at first. */
struct check_sum {
    int64_t count, total, least, most;
};

/* ---- decoding ---- */

/* A batch for a sink that looks at rows in its commit and drops them; NULL with err set. */
static struct row_batch *check_begin_batch(struct row_sink *sink, const struct record_kind *kind, struct err *err)
{
    (void)sink;
    struct row_batch *batch = row_batch_new();
    if (batch != NULL && row_batch_begin(batch, kind))
        return batch;
    row_batch_free(batch);
    err_no_memory(err);
    return NULL;
}

/* A cell of a batch as a number; PRINTED_NONE: the layout does not give it. */
static int64_t check_cell(const struct row_batch *batch, size_t row, const char *name)
{
    int column = record_kind_column(batch->kind, name);
    if (column < 0 || (batch->present[row] >> column & 1) == 0)
        return PRINTED_NONE;
    return batch->cells[row * batch->kind->column_count + (size_t)column].integer;
}

static void take_word(const struct row_batch *batch, size_t row, const char *name, char word[PRINTED_WORD_SIZE])
{
    int column = record_kind_column(batch->kind, name);
    if (column < 0 || (batch->present[row] >> column & 1) == 0)
        return;
    const struct cell *cell = &batch->cells[row * batch->kind->column_count + (size_t)column];
    snprintf(word, PRINTED_WORD_SIZE, "%.*s", (int)cell->length, cell->text);
}

/* Takes the identity from the name of the record's file. */
static void take_identity(const struct collector *collector, int64_t file_id, struct check_record *decoded)
{
    for (size_t i = 0; file_id != PRINTED_NONE && i < collector->capture->file_count; i++) {
        if (collector->capture->files[i].id != file_id)
            continue;
        decoded->model_id = collector->capture->files[i].identity.model_id;
        decoded->picture = collector->capture->files[i].identity.current_pic_count;
    }
}

static int take_inference(struct collector *collector, const struct row_batch *batch, size_t row, struct err *err)
{
    return array_add(&collector->inferences, err,
                     (struct check_inference){.id = check_cell(batch, row, "inference_id"),
                                              .device_id = check_cell(batch, row, "device_id"),
                                              .model_id = check_cell(batch, row, "model_id"),
                                              .batch_num = check_cell(batch, row, "batch_num"),
                                              .input_pic_num = check_cell(batch, row, "input_pic_num"),
                                              .picture = check_cell(batch, row, "current_pic_count"),
                                              .icache_miss_ppm = check_cell(batch, row, "icache_miss_ppm")});
}

static int take_row(struct collector *collector, const struct row_batch *batch, size_t row, struct err *err)
{
    if (array_reserve(collector, 1, err) < 0)
        return err_status(err);
    struct check_record *decoded = &collector->items[collector->count++];
    *decoded = (struct check_record){.began_ns = check_cell(batch, row, "start_ns"),
                                     .inference_id = check_cell(batch, row, "inference_id"),
                                     .task_id = check_cell(batch, row, "task_id"),
                                     .model_id = -1,
                                     .picture = -1};
    if (!collector->by_task)
        take_identity(collector, check_cell(batch, row, "file_id"), decoded);
    for (size_t c = 0; c < collector->form->stored; c++) {
        const char *name = collector->form->fields[c].name;
        decoded->values[c] = PRINTED_NONE;
        if (has_role(collector->form, c, PRINTED_WORD))
            take_word(batch, row, name, decoded->word);
        else
            decoded->values[c] = check_cell(batch, row, name);
    }
    if (collector->form->start_is_kept) /* the first is printed as a span */
        decoded->values[0] = decoded->values[0] != PRINTED_NONE && decoded->began_ns != PRINTED_NONE
                                 ? decoded->values[0] - decoded->began_ns
                                 : PRINTED_NONE;
    return 0;
}

static int commit_batch(struct row_sink *sink, struct row_batch *batch, struct err *err)
{
    struct collector *collector = (struct collector *)sink;
    int status = 0;
    for (size_t i = 0; strcmp(batch->kind->name, collector->form->kind) == 0 && i < batch->rows && status == 0; i++)
        status = take_row(collector, batch, i, err);
    for (size_t i = 0; strcmp(batch->kind->name, "inference") == 0 && i < batch->rows && status == 0; i++)
        status = take_inference(collector, batch, i, err);
    row_batch_free(batch);
    return status;
}

/* ---- comparing ---- */

static void check_format(int64_t value, unsigned digits, char text[CHECK_NUMBER_SIZE])
{
    int64_t one = printed_power(digits);
    snprintf(text, CHECK_NUMBER_SIZE, "%" PRId64 ".%06" PRId64, value / one,
             value % one * printed_power(DECIMALS_MOST - digits));
    text[strlen(text) - (DECIMALS_MOST - digits) - (digits == 0)] = '\0';
}

ARRAY_COMPARE(compare_began, struct check_record, ARRAY_BY(began_ns))

/* Whether the number is inside of what is printed, in any rounding that the options allow. */
static bool check_is_inside(struct problem *problem, size_t column, const struct printed_row *row, int64_t first,
                            int64_t value)
{
    for (int cut = 0; cut < 2; cut++) {
        if (problem->options->rounding == (cut ? ROUNDING_HALF : ROUNDING_CUT))
            continue;
        problem->cut = cut != 0;
        struct interval interval = problem_interval(problem, column, row, first);
        if (value >= interval.low && value <= interval.high)
            return true;
    }
    return false;
}

static void tell_first(struct check_comparison *comparison, const char *column, const char *printed, const char *given)
{
    if (comparison->result->first.length == 0)
        (void)strbuf_addf(&comparison->result->first,
                          "'%s' row %" PRIu64 ": %s is printed as %s, but the layout gives %s", comparison->table->path,
                          comparison->row, column, printed, given);
}

/* Compares a cell; reports the first difference when tell is set. */
static bool cell_agrees(struct check_comparison *comparison, size_t column, const struct printed_row *row,
                        const struct check_record *decoded, bool tell)
{
    const struct printed_field *field = &comparison->problem->tables->form->fields[column];
    char printed[CHECK_NUMBER_SIZE], given[CHECK_NUMBER_SIZE];
    if (field->role == PRINTED_WORD) {
        bool same = strcmp(row->word, decoded->word) == 0;
        if (!same && tell)
            tell_first(comparison, field->name, row->word, decoded->word);
        return same;
    }
    if (check_is_inside(comparison->problem, column, row, decoded->values[0], decoded->values[column]))
        return true;
    check_format(row->values[column], field->digits, printed);
    snprintf(given, sizeof given, "%" PRId64, decoded->values[column]);
    if (tell)
        tell_first(comparison, field->name, printed, given);
    return false;
}

static bool is_compared(const struct check_comparison *comparison, size_t column, const struct printed_row *row,
                        const struct check_record *decoded)
{
    if (has_role(comparison->problem->tables->form, column, PRINTED_WORD))
        return row->word[0] != '\0' && decoded->word[0] != '\0';
    if (comparison->collector->by_task && has_role(&printed_pmu, column, PRINTED_IDENTITY))
        return false; /* it has found the record */
    return row->values[column] != PRINTED_NONE && decoded->values[column] != PRINTED_NONE &&
           (!has_role(comparison->problem->tables->form, column, PRINTED_SHARE) || decoded->values[0] != PRINTED_NONE);
}

/* How many cells differ. */
static size_t count_different(struct check_comparison *comparison, const struct printed_row *row,
                              const struct check_record *decoded, bool tell, size_t *ret_cells)
{
    size_t different = 0;
    *ret_cells = 0;
    for (size_t c = 0; c < comparison->problem->tables->form->stored; c++) {
        if (!is_compared(comparison, c, row, decoded))
            continue;
        ++*ret_cells;
        different += !cell_agrees(comparison, c, row, decoded, tell);
    }
    return different;
}

/* The first record that began at this time or later. */
static size_t first_since(const struct check_comparison *comparison, int64_t time_ns)
{
    return search_from(comparison->collector->items, comparison->collector->count, sizeof *comparison->collector->items,
                       offsetof(struct check_record, began_ns), time_ns);
}

/* Finds, among the records that began when the row says, the one that differs least. */
static struct check_record *record_of(struct check_comparison *comparison, const struct printed_row *row)
{
    const struct printed_form *form = comparison->problem->tables->form;
    size_t began = (size_t)printed_began(form), least = SIZE_MAX, cells;
    int64_t time_ns = row->values[began];
    int64_t apart = 2 * printed_power(form->fields[began].digits - row->decimals[began]);
    struct check_record *best = NULL;
    for (size_t i = first_since(comparison, time_ns - apart); i < comparison->collector->count; i++) {
        struct check_record *decoded = &comparison->collector->items[i];
        if (decoded->began_ns > time_ns + apart)
            break;
        size_t different = decoded->used ? SIZE_MAX : count_different(comparison, row, decoded, false, &cells);
        if (different < least) {
            best = decoded;
            least = different;
        }
    }
    return best;
}

ARRAY_COMPARE(by_inference, struct check_record, ARRAY_BY(inference_id), ARRAY_BY(task_id))

/* The record of the row's inference and task. */
static struct check_record *task_of(const struct check_comparison *comparison, const struct printed_row *row)
{
    if (comparison->inference == NULL || row->values[PRINTED_TASK_ID] == PRINTED_NONE)
        return NULL;
    const struct check_record wanted = {.inference_id = comparison->inference->id,
                                        .task_id = row->values[PRINTED_TASK_ID]};
    return bsearch(&wanted, comparison->collector->items, comparison->collector->count, sizeof wanted, by_inference);
}

static int compare_row(void *arg, const struct printed_row *row, struct err *err)
{
    struct check_comparison *comparison = arg;
    struct check_result *result = comparison->result;
    struct printed_row with_task = *row;
    bool by_task = comparison->collector->by_task;
    (void)err;
    comparison->row++;
    result->rows++;
    layers_add_task(&comparison->problem->layers, comparison->problem->tables->form, &with_task);
    struct check_record *decoded = by_task ? task_of(comparison, &with_task) : record_of(comparison, &with_task);
    if (decoded == NULL) {
        if (result->unmatched++ == 0 && result->different == 0)
            (void)strbuf_addf(&result->first, "'%s' row %" PRIu64 ": the layout gives %s", comparison->table->path,
                              comparison->row, by_task ? "no such task" : "nothing that began at this time");
        return 0;
    }
    size_t cells;
    result->different += count_different(comparison, &with_task, decoded, true, &cells);
    result->cells += cells;
    decoded->used = true;
    return 0;
}

/* ---- sums ---- */

static void add_to_sum(struct check_sum *sum, int64_t value)
{
    sum->count++;
    sum->least = value < sum->least ? value : sum->least;
    sum->most = value > sum->most ? value : sum->most;
    if (__builtin_add_overflow(sum->total, value, &sum->total))
        sum->total = INT64_MAX;
}

/* Whether the row sums up the record: its ids and its word. */
static bool is_summed(const struct printed_form *form, const struct printed_row *row,
                      const struct check_record *decoded)
{
    for (size_t c = 0; c < form->stored; c++)
        if (has_role(form, c, PRINTED_IDENTITY) && row->values[c] != PRINTED_NONE &&
            decoded->values[c] != PRINTED_NONE && row->values[c] != decoded->values[c])
            return false;
    return strcmp(row->word, decoded->word) == 0 && decoded->values[0] != PRINTED_NONE;
}

/* A number of a sum beside what is printed of it, which may have been added up from so many rounded numbers. */
static void compare_sum(struct check_comparison *comparison, const struct printed_row *row, const char *what,
                        int64_t printed, int64_t value, int64_t rounded)
{
    const struct printed_field *field = &comparison->problem->tables->form->fields[0];
    if (printed == PRINTED_NONE)
        return;
    struct printed_row as_first = problem_sum_row(comparison->problem, row, printed, rounded);
    comparison->result->cells++;
    if (check_is_inside(comparison->problem, 0, &as_first, 0, value))
        return;
    char printed_text[CHECK_NUMBER_SIZE], given[CHECK_NUMBER_SIZE];
    check_format(printed, field->digits, printed_text);
    snprintf(given, sizeof given, "%" PRId64, value);
    comparison->result->different++;
    tell_first(comparison, what, printed_text, given);
}

static void compare_row_sum(struct check_comparison *comparison, const struct printed_row *row,
                            const struct check_sum *sum)
{
    struct check_result *result = comparison->result;
    if (sum->count != row->count) {
        if (result->unmatched++ == 0 && result->different == 0)
            (void)strbuf_addf(&result->first,
                              "'%s' row %" PRIu64 ": '%s' is printed %" PRId64 " times, but the layout gives %" PRId64,
                              comparison->table->path, comparison->row, row->word, row->count, sum->count);
        return;
    }
    compare_sum(comparison, row, "the least", row->values[0], sum->least, 0);
    compare_sum(comparison, row, "the most", row->most, sum->most, 0);
    compare_sum(comparison, row, "the total", row->total, sum->total, sum->count);
}

static int compare_sums(void *arg, const struct printed_row *row, struct err *err)
{
    struct check_comparison *comparison = arg;
    struct check_sum sum = {.least = INT64_MAX};
    (void)err;
    comparison->row++;
    comparison->result->rows++;
    for (size_t i = 0; i < comparison->collector->count; i++)
        if (is_summed(comparison->problem->tables->form, row, &comparison->collector->items[i]))
            add_to_sum(&sum, comparison->collector->items[i].values[0]);
    compare_row_sum(comparison, row, &sum);
    return 0;
}

/* ---- sums by types of layers ---- */

ARRAY_COMPARE(compare_tasks, struct check_record, ARRAY_BY(model_id), ARRAY_BY(picture), ARRAY_BY(task_id))

/* Adds up what a row sums up: every layer of the type has the whole time of its task. */
static struct check_sum sum_of_type(const struct check_comparison *comparison, const char *type)
{
    const struct printed_form *form = comparison->problem->tables->form;
    const struct layers *layers = &comparison->problem->layers;
    bool ai_cpu = strcmp(form->filter, "AI_CPU") == 0;
    struct check_sum sum = {.least = INT64_MAX};
    for (size_t i = 0; i < layers->count; i++) {
        const struct layer_task *layer = &layers->items[i];
        const struct check_record wanted = {
            .model_id = layer->model_id, .picture = comparison->table->current_pic_count, .task_id = layer->task_id};
        if (layer->model_id != comparison->table->model_id || layer->ai_cpu != ai_cpu || strcmp(layer->type, type) != 0)
            continue;
        const struct check_record *task =
            bsearch(&wanted, comparison->collector->items, comparison->collector->count, sizeof wanted, compare_tasks);
        if (task != NULL && task->values[0] != PRINTED_NONE)
            add_to_sum(&sum, task->values[0]);
    }
    return sum;
}

static int compare_type(void *arg, const struct printed_row *row, struct err *err)
{
    struct check_comparison *comparison = arg;
    (void)err;
    comparison->row++;
    comparison->result->rows++;
    const struct check_sum sum = sum_of_type(comparison, row->word);
    compare_row_sum(comparison, row, &sum);
    return 0;
}

/* ---- all of it ---- */

static bool may_be(int64_t said, int64_t decoded)
{
    return said < 0 || said == decoded;
}

static const struct check_inference *inference_of(const struct collector *collector, const struct printed_file *table)
{
    for (size_t i = 0; i < collector->inferences.count; i++) {
        const struct check_inference *one = &collector->inferences.items[i];
        if (may_be(table->device_id, one->device_id) && may_be(table->model_id, one->model_id) &&
            may_be(table->batch_num, one->batch_num) && may_be(table->input_pic_num, one->input_pic_num) &&
            may_be(table->current_pic_count, one->picture))
            return one;
    }
    return NULL;
}

/* The rate in the name of a table is a cell, too. */
static void compare_rate(struct check_comparison *comparison)
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
        &result->first, "'%s': icache_miss_rate in its name is %" PRId64 ".%06d, but the layout gives %" PRId64 ".%06d",
        comparison->table->path, printed / 1000000, (int)(printed % 1000000), given / 1000000, (int)(given % 1000000));
}

static int read_each_table(struct check_comparison *comparison, struct printed_reader *reader, struct err *err)
{
    const struct printed_files *tables = comparison->problem->tables;
    int status = 0;
    for (size_t t = 0; t < tables->count && status == 0; t++) {
        comparison->table = &tables->items[t];
        comparison->row = 0;
        if (comparison->collector->by_task)
            comparison->inference = inference_of(comparison->collector, comparison->table);
        compare_rate(comparison);
        status = printed_read(tables->form, comparison->table, reader, err);
    }
    return status;
}

ARRAY_COMPARE(compare_ids, struct check_inference, ARRAY_BY(id))

/* Gives the records of inferences their model and picture. */
static void name_inferences(struct collector *collector)
{
    array_sort(collector->inferences.items, collector->inferences.count, sizeof *collector->inferences.items,
               compare_ids);
    for (size_t i = 0; i < collector->count && collector->inferences.count > 0; i++) {
        const struct check_inference wanted = {.id = collector->items[i].inference_id};
        const struct check_inference *found =
            bsearch(&wanted, collector->inferences.items, collector->inferences.count, sizeof wanted, compare_ids);
        if (found == NULL)
            continue;
        collector->items[i].model_id = found->model_id;
        collector->items[i].picture = found->picture;
    }
}

static void sort_records(struct collector *collector, const struct printed_form *form)
{
    if (collector->by_task) {
        array_sort(collector->items, collector->count, sizeof *collector->items, by_inference);
        return;
    }
    name_inferences(collector);
    array_sort(collector->items, collector->count, sizeof *collector->items, compare_began);
    if (form->by_layers)
        array_sort(collector->items, collector->count, sizeof *collector->items, compare_tasks);
}

static int check_unchanged(const struct capture *capture, struct err *err)
{
    struct recheck *recheck = capture_recheck_begin(capture, err);
    return recheck != NULL ? capture_recheck_end(recheck, err) : err_status(err);
}

/* Decodes the capture and compares it with the tables of the problem. */
static int check_records(struct capture *capture, struct problem *problem, struct check_result *result, struct err *err)
{
    const struct printed_form *form = problem->tables->form;
    struct collector collector = {.sink = {.begin = check_begin_batch, .commit = commit_batch},
                                  .capture = capture,
                                  .form = form,
                                  .by_task = form == &printed_pmu};
    struct check_comparison comparison = {.problem = problem, .collector = &collector, .result = result};
    struct printed_reader reader = {.row = form->by_layers ? compare_type
                                           : form->sums    ? compare_sums
                                                           : compare_row,
                                    .arg = &comparison};
    int status = decode_capture(capture, &collector.sink, problem->options->progress, err);
    if (status == 0)
        status = check_unchanged(capture, err);
    sort_records(&collector, form);
    if (status == 0)
        status = read_each_table(&comparison, &reader, err);
    free(collector.items);
    free(collector.inferences.items);
    return status;
}

int check_tables(struct capture *capture, const struct printed_files *tables, const struct infer_options *options,
                 struct check_result *result, struct err *err)
{
    SCOPED(problem_release) struct problem problem = {.capture = capture, .tables = tables, .options = options};
    struct infer_result facts;
    if (tables->form == NULL || tables->count == 0)
        return 0;
    infer_result_init(&facts, tables->form);
    int status = problem_open(&problem, &facts, err);
    bool clock = has_role(tables->form, 0, PRINTED_CLOCK);
    if (status == 0 && clock)
        problem_settle_frequency(&problem, &facts);
    if (status == 0 && (!clock || problem.core_khz > 0))
        status = check_records(capture, &problem, result, err);
    infer_result_release(&facts);
    return status;
}
