#include "parsers/infer/problem.h"

#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/format/json_in.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- files ---- */

static bool belongs(const struct printed_file *table, const struct file_identity *identity)
{
    return (table->device_id < 0 || table->device_id == identity->device_id) &&
           (table->batch_num < 0 || table->batch_num == identity->batch_num) &&
           (table->input_pic_num < 0 || table->input_pic_num == identity->input_pic_num);
}

/* Opens the record files that tables are of. */
static int open_files(struct problem *problem, struct err *err)
{
    const struct capture *capture = problem->capture;
    for (size_t t = 0; t < problem->tables->count; t++)
        problem->file_of_table[t] = UINT32_MAX;
    for (size_t f = 0; f < capture->file_count; f++) {
        const struct capture_file *file = &capture->files[f];
        bool wanted = false;
        if (file->kind == NULL || strcmp(file->kind->name, "svp_pmu") != 0 || file->size == 0)
            continue;
        for (size_t t = 0; t < problem->tables->count; t++) {
            if (problem->file_of_table[t] != UINT32_MAX || !belongs(&problem->tables->items[t], &file->identity))
                continue;
            problem->file_of_table[t] = (uint32_t)problem->source.count;
            wanted = true;
        }
        if (wanted && source_add(&problem->source, file->path, file->name, err) < 0)
            return -(int)err->code;
    }
    return 0;
}

/* ---- layers ---- */

static int add_layers(struct problem *problem, const struct capture_file *file, struct err *err)
{
    struct err mistake = ERR_INIT;
    size_t length;
    char *text;
    int status = read_whole_file(file->path, TEXT_FILE_LIMIT, &text, &length, &mistake);
    struct json *root = status == 0 ? json_parse(text, length, &mistake) : NULL;
    if (status < 0)
        text = NULL; /* import tells of it */
    status = 0;
    if (mistake.code == ERR_NO_MEMORY) {
        *err = mistake;
        status = -ERR_NO_MEMORY;
    }
    for (const struct json *entry = root != NULL && json_is_array(root) ? json_first(root) : NULL;
         entry != NULL && status == 0; entry = json_next(entry)) {
        struct layer_task layer = {.model_id = file->identity.model_id};
        if (!json_integer(json_member(entry, "layer_id"), &layer.layer_id) ||
            !json_integer(json_member(entry, "task_id"), &layer.task_id))
            continue;
        status = array_reserve(&problem->layers, 1, err);
        if (status == 0)
            problem->layers.items[problem->layers.count++] = layer;
    }
    json_free(root);
    free(text);
    return status;
}

static int compare_layers(const void *left, const void *right)
{
    const struct layer_task *a = left, *b = right;
    if (a->model_id != b->model_id)
        return a->model_id < b->model_id ? -1 : 1;
    return (a->layer_id > b->layer_id) - (a->layer_id < b->layer_id);
}

static int read_layers(struct problem *problem, struct err *err)
{
    for (size_t f = 0; f < problem->capture->file_count; f++) {
        const struct capture_file *file = &problem->capture->files[f];
        if (file->kind != NULL && strcmp(file->kind->name, "layer") == 0 && add_layers(problem, file, err) < 0)
            return -(int)err->code;
    }
    if (problem->layers.count > 1)
        array_sort(problem->layers.items, problem->layers.count, sizeof *problem->layers.items, compare_layers);
    return 0;
}

/* The guide's columns have the layers of a task, not its number. */
void problem_add_task_id(const struct problem *problem, struct printed_row *row)
{
    if (row->values[PRINTED_TASK_ID] != PRINTED_NONE || row->values[PRINTED_LAYER_ID] == PRINTED_NONE ||
        row->values[PRINTED_MODEL_ID] == PRINTED_NONE || problem->layers.count == 0)
        return;
    const struct layer_task wanted = {.model_id = row->values[PRINTED_MODEL_ID] / PRINTED_UNIT,
                                      .layer_id = row->values[PRINTED_LAYER_ID] / PRINTED_UNIT};
    const struct layer_task *found =
        bsearch(&wanted, problem->layers.items, problem->layers.count, sizeof wanted, compare_layers);
    if (found != NULL && found->task_id >= 0 && found->task_id < INT64_MAX / PRINTED_UNIT)
        row->values[PRINTED_TASK_ID] = found->task_id * PRINTED_UNIT;
}

/* ---- rows ---- */

struct walk {
    const struct problem *problem;
    uint64_t *next; /* of each file */
    uint32_t file;
    int (*row)(void *arg, uint32_t file, uint64_t index, const struct printed_row *row, struct err *err);
    void *arg;
};

static int walk_row(void *arg, const struct printed_row *row, struct err *err)
{
    struct walk *walk = arg;
    struct printed_row with_task = *row;
    problem_add_task_id(walk->problem, &with_task);
    return walk->row(walk->arg, walk->file, walk->next[walk->file]++, &with_task, err);
}

static int walk_tables(const struct problem *problem, struct walk *walk, uint64_t *ret_skipped, struct err *err)
{
    struct printed_reader reader = {.row = walk_row, .arg = walk};
    int status = 0;
    walk->next = calloc(problem->source.count + 1, sizeof *walk->next);
    if (walk->next == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t t = 0; t < problem->tables->count && status == 0; t++) {
        walk->file = problem->file_of_table[t];
        if (walk->file == UINT32_MAX)
            continue;
        status = printed_read(&problem->tables->items[t], &reader, err);
        progress_update(problem->options->progress, "tables", t + 1, problem->tables->count);
    }
    free(walk->next);
    *ret_skipped = reader.skipped;
    return status;
}

int problem_each_row(const struct problem *problem,
                     int (*row)(void *arg, uint32_t file, uint64_t index, const struct printed_row *row,
                                struct err *err),
                     void *arg, struct err *err)
{
    struct walk walk = {.problem = problem, .row = row, .arg = arg};
    uint64_t skipped;
    return walk_tables(problem, &walk, &skipped, err);
}

/* A ratio's number is the time's share. */
static double size_of(const struct printed_row *row, enum printed_column column)
{
    double value = row->values[column] != PRINTED_NONE ? (double)row->values[column] : 0;
    return is_ratio(column) && row->values[PRINTED_TIME] != PRINTED_NONE ? value * (double)row->values[PRINTED_TIME]
                                                                         : value;
}

static void note_largest(struct problem *problem, const struct sample_row *row)
{
    for (size_t i = 0; i < PRINTED_STORED; i++) {
        double value = size_of(&row->printed, (enum printed_column)i);
        if (value <= problem->largest[i].value)
            continue;
        problem->largest[i].value = value;
        problem->largest[i].row = *row;
    }
}

/* Of a part of the rows: those with the largest numbers, too. */
static int keep_largest(struct problem *problem, struct err *err)
{
    if (problem->stride == 1)
        return 0;
    if (array_reserve(&problem->sample, PRINTED_STORED, err) < 0)
        return -(int)err->code;
    for (size_t i = 0; i < PRINTED_STORED; i++)
        if (problem->largest[i].value > 0)
            problem->sample.items[problem->sample.count++] = problem->largest[i].row;
    return 0;
}

/* Whether a row is one of the sample: spread evenly, but in no step with the tasks of an inference. */
static bool is_sampled(const struct problem *problem, uint64_t number)
{
    return (number * UINT64_C(0x9e3779b97f4a7c15) >> 32) % problem->stride == 0;
}

/* One of stride rows is kept; when they are too many, about every second of them. */
static int keep_row(void *arg, uint32_t file, uint64_t index, const struct printed_row *row, struct err *err)
{
    struct problem *problem = arg;
    for (size_t i = 0; i < PRINTED_COUNT; i++) {
        if (row->values[i] == PRINTED_NONE)
            continue;
        problem->shown[i] = true;
        if (row->decimals[i] > problem->decimals[i])
            problem->decimals[i] = row->decimals[i];
    }
    problem->rows_of_file[file]++;
    const struct sample_row sampled = {.file = file, .index = index, .number = problem->rows++, .printed = *row};
    note_largest(problem, &sampled);
    if (!is_sampled(problem, sampled.number))
        return 0;
    if (problem->sample.count >= SAMPLE_MAX) {
        size_t kept = 0;
        problem->stride *= 2;
        for (size_t i = 0; i < problem->sample.count; i++)
            if (is_sampled(problem, problem->sample.items[i].number))
                problem->sample.items[kept++] = problem->sample.items[i];
        problem->sample.count = kept;
        if (!is_sampled(problem, sampled.number))
            return 0;
    }
    if (array_reserve(&problem->sample, 1, err) < 0)
        return -(int)err->code;
    problem->sample.items[problem->sample.count++] = sampled;
    return 0;
}

int problem_open(struct problem *problem, struct infer_result *result, struct err *err)
{
    problem->stride = 1;
    problem->file_of_table = calloc(problem->tables->count + 1, sizeof *problem->file_of_table);
    problem->rows_of_file = calloc(problem->capture->file_count + 1, sizeof *problem->rows_of_file);
    if (problem->file_of_table == NULL || problem->rows_of_file == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    int status = open_files(problem, err);
    if (status == 0)
        status = read_layers(problem, err);
    struct walk walk = {.problem = problem, .row = keep_row, .arg = problem};
    if (status == 0)
        status = walk_tables(problem, &walk, &problem->skipped, err);
    if (status == 0)
        status = keep_largest(problem, err);
    if (status < 0)
        return status;
    /* the ratios are printed alike, and so are the amounts: what one row shows holds for all */
    for (size_t i = PRINTED_MAC_BUSY; i <= PRINTED_WLD; i++)
        problem->decimals[PRINTED_MAC_BUSY] = problem->decimals[i] > problem->decimals[PRINTED_MAC_BUSY]
                                                  ? problem->decimals[i]
                                                  : problem->decimals[PRINTED_MAC_BUSY];
    for (size_t i = PRINTED_MAC_BUSY; i <= PRINTED_WLD; i++)
        problem->decimals[i] = problem->decimals[PRINTED_MAC_BUSY];
    result->rows = problem->rows;
    if (problem->skipped > 0)
        (void)strbuf_addf(&result->notes, "%" PRIu64 " rows of the tables are cut short and left out\n",
                          problem->skipped);
    if (problem->tables->duplicates > 0)
        (void)strbuf_addf(&result->notes, "%zu tables of an inference that another is of, too, are left out\n",
                          problem->tables->duplicates);
    return 0;
}

void problem_release(struct problem *problem)
{
    source_release(&problem->source);
    free(problem->file_of_table);
    free(problem->rows_of_file);
    free(problem->sample.items);
    free(problem->layers.items);
}

void problem_settle_frequency(struct problem *problem, struct infer_result *result)
{
    int64_t info = -1, name = -1;
    for (size_t i = 0; i < problem->capture->device_count && info <= 0; i++)
        info = problem->capture->devices[i].core_khz;
    for (size_t i = 0; i < problem->tables->count && name <= 0; i++)
        name = problem->tables->items[i].core_khz;
    int64_t given = problem->options->core_khz;
    problem->core_khz = given > 0 ? given : info > 0 ? info : name;
    const struct {
        const char *what;
        int64_t khz;
    } others[] = {{"info.json", info}, {"the names of the tables", name}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        int64_t apart = others[i].khz - problem->core_khz;
        if (others[i].khz <= 0 || (apart < 1000 && apart > -1000))
            continue;
        result->frequency_doubted = true;
        (void)strbuf_addf(&result->notes,
                          "the frequency is taken as %" PRId64 ".%03d MHz, but %s says %" PRId64 ".%03d MHz\n",
                          problem->core_khz / 1000, (int)(problem->core_khz % 1000), others[i].what,
                          others[i].khz / 1000, (int)(others[i].khz % 1000));
    }
}

/* ---- intervals ---- */

__extension__ typedef __int128 wide;

/* (2v - unit .. 2v + unit) * factor / (2 * divisor), or v .. v + unit when numbers are cut. */
static struct interval printed_range(const struct problem *problem, enum printed_column column, int64_t value,
                                     int64_t factor, int64_t divisor)
{
    const struct interval none = {INT64_MAX / 4, INT64_MAX / 4}; /* no number of a record is that */
    int64_t unit = 1;
    for (unsigned i = problem->decimals[column]; i < 6; i++)
        unit *= 10;
    wide low = problem->cut ? (wide)2 * value : (wide)2 * value - unit;
    wide high = problem->cut ? (wide)2 * value + 2 * unit - 1 : (wide)2 * value + unit;
    wide by = (wide)2 * divisor;
    low = low < 0 ? 0 : (low * factor + by - 1) / by;
    high = high * factor / by;
    if (high > INT64_MAX / 4 || high < low)
        return none;
    return (struct interval){(int64_t)low, (int64_t)high};
}

struct interval problem_interval(const struct problem *problem, enum printed_column column,
                                 const struct printed_row *row, int64_t total)
{
    const struct interval unknown = {1, 0};
    int64_t value = row->values[column];
    if (value == PRINTED_NONE)
        return unknown;
    if (is_id(column))
        return (struct interval){value / PRINTED_UNIT, value / PRINTED_UNIT};
    if (column == PRINTED_TIME) /* us / 10^6 * kHz / 10^3 */
        return printed_range(problem, column, value, problem->core_khz, INT64_C(1000000000));
    if (is_ratio(column)) /* per cent / 10^6 */
        return printed_range(problem, column, value, total, INT64_C(100) * PRINTED_UNIT);
    return printed_range(problem, column, value, row->ddr_unit, PRINTED_UNIT);
}

struct interval problem_share(const struct problem *problem, enum printed_column column, const struct printed_row *row,
                              int64_t divide)
{
    const struct interval unknown = {1, 0};
    return row->values[column] == PRINTED_NONE
               ? unknown
               : printed_range(problem, column, row->values[column], divide, INT64_C(100) * PRINTED_UNIT);
}

/* ---- what the tables say of themselves ---- */

static int64_t unit_of(const struct problem *problem, enum printed_column column)
{
    int64_t unit = 1;
    for (unsigned i = problem->decimals[column]; i < 6; i++)
        unit *= 10;
    return unit;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Memory Bound = max(Dstr, DLD, WLD) / max(Mac Busy, Vec Ppen), as far as the printed digits tell. */
static bool memory_bound_agrees(const struct problem *problem, const int64_t *values)
{
    const enum printed_column needed[] = {PRINTED_DSTR,     PRINTED_DLD,      PRINTED_WLD,
                                          PRINTED_MAC_BUSY, PRINTED_VEC_PPEN, PRINTED_MEMORY_BOUND};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (values[needed[i]] == PRINTED_NONE)
            return true;
    double memory = (double)larger(larger(values[PRINTED_DSTR], values[PRINTED_DLD]), values[PRINTED_WLD]);
    double compute = (double)larger(values[PRINTED_MAC_BUSY], values[PRINTED_VEC_PPEN]);
    double unit = (double)unit_of(problem, PRINTED_MAC_BUSY);
    double bound = (double)values[PRINTED_MEMORY_BOUND], step = (double)unit_of(problem, PRINTED_MEMORY_BOUND);
    if (compute <= unit)
        return true; /* nothing to divide by that shows */
    double least = (memory - unit) / (compute + unit) * PRINTED_UNIT;
    double most = (memory + unit) / (compute - unit) * PRINTED_UNIT;
    return bound >= least - step && bound <= most + step;
}

bool problem_row_agrees(const struct problem *problem, const struct printed_row *row)
{
    const int64_t *values = row->values;
    if (!memory_bound_agrees(problem, values))
        return false;
    if (values[PRINTED_DDR_READ] == PRINTED_NONE || values[PRINTED_DDR_WRITE] == PRINTED_NONE ||
        values[PRINTED_DDR_TOTAL] == PRINTED_NONE)
        return true;
    int64_t sum = values[PRINTED_DDR_READ] + values[PRINTED_DDR_WRITE], apart = sum - values[PRINTED_DDR_TOTAL];
    int64_t most =
        unit_of(problem, PRINTED_DDR_READ) + unit_of(problem, PRINTED_DDR_WRITE) + unit_of(problem, PRINTED_DDR_TOTAL);
    return apart <= most && apart >= -most;
}
