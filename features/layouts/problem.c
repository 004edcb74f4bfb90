/* SPDX-License-Identifier: Apache-2.0 */
#include "features/layouts/problem.h"

#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/format/json_in.h"
#include "base/strbuf.h"
#include "features/layouts/printed.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Tables that begin with a row of the whole network: its numbers are what the other rows add up to. */

struct totals {
    struct printed_row whole; /* of the table in hand */
    bool known;
    uint64_t rows;
    double sums[PRINTED_STORED]; /* of shares: each times its row's time */
    bool missing[PRINTED_STORED];
    uint8_t decimals[PRINTED_STORED]; /* the most of any row of any table */
    uint64_t wrong;                   /* tables whose rows do not add up */
    struct strbuf first;              /* what the first of them is */
};

static void totals_init(struct totals *totals)
{
    *totals = (struct totals){.known = false};
    strbuf_init(&totals->first, 8192);
}

static void totals_release(struct totals *totals)
{
    strbuf_release(&totals->first);
}

/* Before a table; its whole network; each of its rows; behind it. */
static void totals_begin(struct totals *totals)
{
    totals->known = false;
    totals->rows = 0;
    for (size_t i = 0; i < PRINTED_STORED; i++) {
        totals->sums[i] = 0;
        totals->missing[i] = false;
    }
}

static void note_decimals(struct totals *totals, const struct printed_row *row)
{
    for (size_t i = 0; i < PRINTED_STORED; i++)
        if (row->values[i] != PRINTED_NONE && row->decimals[i] > totals->decimals[i])
            totals->decimals[i] = row->decimals[i];
}

static void totals_set(struct totals *totals, const struct printed_row *whole)
{
    totals->known = true;
    totals->whole = *whole;
    note_decimals(totals, whole);
}

static bool is_share(size_t column)
{
    return printed_pmu.fields[column].role == PRINTED_SHARE;
}

static void totals_add(struct totals *totals, const struct printed_row *row)
{
    double time = (double)row->values[PRINTED_TIME];
    note_decimals(totals, row);
    totals->rows++;
    for (size_t i = 0; i < PRINTED_STORED; i++) {
        if (row->values[i] == PRINTED_NONE || row->values[PRINTED_TIME] == PRINTED_NONE)
            totals->missing[i] = true;
        else
            totals->sums[i] += (double)row->values[i] * (is_share(i) ? time : 1);
    }
}

/* Gives the worth of the last digit that is printed of a column. */
static double digit_of(const struct totals *totals, size_t column)
{
    return (double)printed_power(printed_pmu.fields[column].digits - totals->decimals[column]);
}

/* Whether the rows' numbers, each of which is rounded or cut at its last digit, make the whole's. */
static bool adds_up(const struct totals *totals, size_t column)
{
    double rows = (double)totals->rows, digit = digit_of(totals, column), time = totals->sums[PRINTED_TIME];
    double whole = (double)totals->whole.values[column];
    if (!is_share(column))
        return fabs(totals->sums[column] - whole) <= (rows + 1) * digit;
    /* A mean of shares, weighted by times that are rounded, too: no share is above the whole of 100 per cent by much.
     */
    double most = 100.0 * (double)printed_power(printed_pmu.fields[column].digits);
    double slack = 2 * digit * (time + rows) + digit_of(totals, PRINTED_TIME) * rows * (whole > most ? whole : most);
    return fabs(totals->sums[column] - whole * time) <= slack;
}

static bool is_summed(size_t column)
{
    return column == PRINTED_TIME || is_share(column) || printed_pmu.fields[column].role == PRINTED_AMOUNT;
}

static void totals_end(struct totals *totals, const char *path)
{
    if (!totals->known || totals->rows == 0)
        return;
    for (size_t i = 0; i < PRINTED_STORED; i++) {
        if (!is_summed(i) || totals->missing[i] || totals->whole.values[i] == PRINTED_NONE || adds_up(totals, i))
            continue;
        double one = (double)printed_power(printed_pmu.fields[i].digits) * (is_share(i) ? totals->sums[0] : 1);
        if (totals->wrong++ == 0)
            (void)strbuf_addf(&totals->first,
                              "'%s': the rows make %.2f of %s, and the row of the whole network has %.2f", path,
                              totals->sums[i] / one, printed_pmu.fields[i].name,
                              (double)totals->whole.values[i] / (double)printed_power(printed_pmu.fields[i].digits));
        return;
    }
}

/* Rows of a table that sums up tasks by the types of their layers. */
struct layer_sums ARRAY_OF(struct printed_row);

static void copy_text(const struct json *entry, const char *name, char text[PRINTED_WORD_SIZE])
{
    const char *value = json_string(json_member(entry, name));
    snprintf(text, PRINTED_WORD_SIZE, "%s", value != NULL ? value : "");
}

static int add_layers(struct layers *layers, const struct capture *capture, const struct capture_file *file,
                      struct err *err)
{
    struct err mistake = ERR_INIT;
    size_t length;
    SCOPED_FREE char *text = NULL;
    /* import reports one that cannot be read */
    int status = capture_file_read(capture, file->name, TEXT_FILE_LIMIT, &text, &length, &mistake);
    SCOPED_JSON struct json *root = status == 0 ? json_parse(text, length, &mistake) : NULL;
    status = 0;
    if (mistake.code == ERR_NO_MEMORY) {
        *err = mistake;
        status = -ERR_NO_MEMORY;
    }
    for (const struct json *entry = root != NULL && json_is_array(root) ? json_first(root) : NULL;
         entry != NULL && status == 0; entry = json_next(entry)) {
        struct layer_task layer = {.model_id = file->identity.model_id};
        const char *engine = json_string(json_member(entry, "engine"));
        if (!json_integer(json_member(entry, "layer_id"), &layer.layer_id) ||
            !json_integer(json_member(entry, "task_id"), &layer.task_id))
            continue;
        copy_text(entry, "ori_name", layer.name);
        copy_text(entry, "type", layer.type);
        layer.ai_cpu = engine != NULL && (strcmp(engine, "AI_CPU") == 0 || strcmp(engine, "AA_CPU") == 0);
        status = array_reserve(layers, 1, err);
        if (status == 0)
            layers->items[layers->count++] = layer;
    }
    return status;
}

ARRAY_COMPARE(compare_layers, struct layer_task, ARRAY_BY(model_id), ARRAY_BY(layer_id))

/* Adds the layers of every model; a layer table that cannot be read is left to import. */
static int layers_read(const struct capture *capture, struct layers *layers, struct err *err)
{
    for (size_t f = 0; f < capture->file_count; f++) {
        const struct capture_file *file = &capture->files[f];
        if (file->kind != NULL && strcmp(file->kind->name, "layer") == 0 && add_layers(layers, capture, file, err) < 0)
            return err_status(err);
    }
    array_sort(layers->items, layers->count, sizeof *layers->items, compare_layers);
    return 0;
}

static void layers_release(struct layers *layers)
{
    free(layers->items);
    *layers = (struct layers){.items = NULL};
}

/* The task of a layer by its name; NULL: there is none, or tasks of that name are several. */
static const struct layer_task *named_task(const struct layers *layers, int64_t model_id, const char *name)
{
    const struct layer_task *found = NULL;
    for (size_t i = 0; i < layers->count; i++) {
        const struct layer_task *layer = &layers->items[i];
        if (layer->model_id != model_id || strcmp(layer->name, name) != 0)
            continue;
        if (found != NULL && found->task_id != layer->task_id)
            return NULL;
        found = layer;
    }
    return found;
}

/* Many tables have the layers of a task, not its number. */
void layers_add_task(const struct layers *layers, const struct printed_form *form, struct printed_row *row)
{
    int column = printed_column(form, "task_id");
    const struct layer_task *found = NULL, wanted = {.model_id = row->model_id, .layer_id = row->layer_id};
    if (column < 0 || row->values[column] != PRINTED_NONE || row->model_id < 0 || layers->count == 0)
        return;
    if (row->layer_id >= 0)
        found = bsearch(&wanted, layers->items, layers->count, sizeof wanted, compare_layers);
    else if (row->word[0] != '\0')
        found = named_task(layers, row->model_id, row->word);
    if (found != NULL && found->task_id >= 0)
        row->values[column] = found->task_id;
}

/* ---- tasks of sums ---- */

/* For printed_reader: arg is a struct layer_sums. */
static int layers_collect(void *arg, const struct printed_row *row, struct err *err)
{
    struct layer_sums *sums = arg;
    return array_add(sums, err, *row);
}

/* Narrows the range of a task's row by the sum of a layer's type. */
static void narrow(const struct layer_sums *sums, const char *type, struct printed_row *row)
{
    for (size_t i = 0; i < sums->count; i++) {
        const struct printed_row *sum = &sums->items[i];
        if (strcmp(sum->word, type) != 0 || sum->values[0] == PRINTED_NONE || sum->most == PRINTED_NONE)
            continue;
        row->values[0] =
            row->values[0] == PRINTED_NONE || sum->values[0] > row->values[0] ? sum->values[0] : row->values[0];
        row->most = row->most == PRINTED_NONE || sum->most < row->most ? sum->most : row->most;
        row->decimals[0] = sum->decimals[0] > row->decimals[0] ? sum->decimals[0] : row->decimals[0];
    }
}

/* The next task of the model on the engine, behind one; INT64_MAX: there is none. */
static int64_t next_task(const struct layers *layers, int64_t model_id, bool ai_cpu, int64_t before)
{
    int64_t next = INT64_MAX;
    for (size_t i = 0; i < layers->count; i++) {
        const struct layer_task *layer = &layers->items[i];
        if (layer->model_id == model_id && layer->ai_cpu == ai_cpu && layer->task_id > before && layer->task_id < next)
            next = layer->task_id;
    }
    return next;
}

/* Calls the reader's row for each task of the model that the sums are of, in the order of task ids: a task lasts as
 * long as the types of all its layers allow. */
static int layers_each_task(const struct layers *layers, const struct printed_form *form, const struct layer_sums *sums,
                            struct printed_reader *reader, struct err *err)
{
    bool ai_cpu = form->filter != NULL && strcmp(form->filter, "AI_CPU") == 0;
    int status = 0;
    if (sums->count == 0)
        return 0;
    const struct printed_row *any = &sums->items[0];
    for (int64_t task = -1; status == 0 && (task = next_task(layers, any->model_id, ai_cpu, task)) < INT64_MAX;) {
        struct printed_row row = *any;
        row.values[0] = row.most = row.count = row.total = PRINTED_NONE;
        row.word[0] = '\0';
        for (size_t i = 0; i < layers->count; i++)
            if (layers->items[i].model_id == any->model_id && layers->items[i].task_id == task)
                narrow(sums, layers->items[i].type, &row);
        row.values[printed_column(form, "task_id")] = task;
        status = reader->row(reader->arg, &row, err);
    }
    return status;
}

/* ---- files ---- */

static bool may_be(int64_t said, int64_t known)
{
    return said < 0 || known < 0 || said == known;
}

static bool belongs(const struct printed_file *table, const struct file_identity *identity)
{
    return may_be(table->device_id, identity->device_id) && may_be(table->model_id, identity->model_id) &&
           may_be(table->batch_num, identity->batch_num) && may_be(table->input_pic_num, identity->input_pic_num) &&
           may_be(table->current_pic_count, identity->current_pic_count);
}

/* The first file of the kind, from an index on, that the table is of; file_count when there is none. */
static size_t next_file(const struct problem *problem, const struct printed_file *table, size_t at)
{
    const struct capture *capture = problem->capture;
    for (; at < capture->file_count; at++) {
        const struct capture_file *file = &capture->files[at];
        if (file->kind != NULL && strcmp(file->kind->name, printed_form_of(problem)->kind) == 0 && file->size > 0 &&
            belongs(table, &file->identity))
            break;
    }
    return at;
}

/* A stream of the table's files, from the first on; one that an earlier table has is shared. */
static int open_stream(struct problem *problem, const struct printed_file *table, size_t first, uint32_t *ret,
                       struct err *err)
{
    const struct capture *capture = problem->capture;
    for (size_t s = 0; s < problem->streams.count; s++) {
        if (problem->source.items[problem->streams.items[s].first].name == capture->files[first].name) {
            *ret = (uint32_t)s;
            return 0;
        }
    }
    struct source_stream stream = {.first = problem->source.count};
    for (size_t f = first; f < capture->file_count; f = next_file(problem, table, f + 1)) {
        if (source_add(&problem->source, capture, &capture->files[f], err) < 0)
            return err_status(err);
        stream.length += problem->source.items[problem->source.count - 1].length;
        stream.count++;
        if (!problem->tables->form->joined)
            break;
    }
    if (array_reserve(&problem->streams, 1, err) < 0)
        return err_status(err);
    *ret = (uint32_t)problem->streams.count;
    problem->streams.items[problem->streams.count++] = stream;
    return 0;
}

/* Opens the record files that tables are of. */
static int open_files(struct problem *problem, struct err *err)
{
    int status = 0;
    for (size_t t = 0; t < problem->tables->count && status == 0; t++) {
        const struct printed_file *table = &problem->tables->items[t];
        size_t first = next_file(problem, table, 0);
        problem->stream_of_table[t] = UINT32_MAX;
        if (first < problem->capture->file_count)
            status = open_stream(problem, table, first, &problem->stream_of_table[t], err);
    }
    return status;
}

/* ---- rows ---- */

struct walk {
    const struct problem *problem;
    uint64_t *next; /* of each stream */
    uint32_t stream;
    int (*row)(void *arg, uint32_t stream, uint64_t index, const struct printed_row *row, struct err *err);
    void *arg;
    struct totals *totals; /* NULL: rows are not added up */
};

static int walk_whole(void *arg, const struct printed_row *row, struct err *err)
{
    struct walk *walk = arg;
    (void)err;
    totals_set(walk->totals, row);
    return 0;
}

static int walk_row(void *arg, const struct printed_row *row, struct err *err)
{
    struct walk *walk = arg;
    struct printed_row with_task = *row;
    layers_add_task(&walk->problem->layers, printed_form_of(walk->problem), &with_task);
    if (walk->totals != NULL)
        totals_add(walk->totals, row);
    return walk->row(walk->arg, walk->stream, walk->next[walk->stream]++, &with_task, err);
}

/* The rows of one table; those that sum up the tasks of a layer's type become tasks. */
static int walk_table(const struct problem *problem, const struct printed_file *table, struct printed_reader *reader,
                      struct err *err)
{
    const struct printed_form *form = problem->tables->form;
    if (!form->by_layers)
        return printed_read(form, table, reader, err);
    SCOPED_FREE struct layer_sums sums = {.items = NULL};
    struct printed_reader collector = {.row = layers_collect, .arg = &sums};
    bool failed = printed_read(form, table, &collector, err) < 0 ||
                  layers_each_task(&problem->layers, form, &sums, reader, err) < 0;
    reader->skipped += collector.skipped;
    return failed ? err_status(err) : 0;
}

static int walk_tables(const struct problem *problem, struct walk *walk, uint64_t *ret_skipped, struct err *err)
{
    struct printed_reader reader = {.row = walk_row, .arg = walk, .whole = walk->totals != NULL ? walk_whole : NULL};
    int status = 0;
    walk->next = calloc(problem->streams.count + 1, sizeof *walk->next);
    if (walk->next == NULL)
        return err_no_memory(err);
    for (size_t t = 0; t < problem->tables->count && status == 0; t++) {
        walk->stream = problem->stream_of_table[t];
        if (walk->stream == UINT32_MAX)
            continue;
        if (walk->totals != NULL)
            totals_begin(walk->totals);
        status = walk_table(problem, &problem->tables->items[t], &reader, err);
        if (status == 0 && walk->totals != NULL)
            totals_end(walk->totals, problem->tables->items[t].path);
        progress_update(problem->options->progress, "tables", t + 1, problem->tables->count);
    }
    free(walk->next);
    *ret_skipped = reader.skipped;
    return status;
}

int problem_each_row(const struct problem *problem,
                     int (*row)(void *arg, uint32_t stream, uint64_t index, const struct printed_row *row,
                                struct err *err),
                     void *arg, struct err *err)
{
    struct walk walk = {.problem = problem, .row = row, .arg = arg};
    uint64_t skipped;
    return walk_tables(problem, &walk, &skipped, err);
}

/* A share's number is that of the first column. */
static double size_of(const struct printed_form *form, const struct printed_row *row, size_t column)
{
    double value = row->values[column] != PRINTED_NONE ? (double)row->values[column] : 0;
    return has_role(form, column, PRINTED_SHARE) && row->values[0] != PRINTED_NONE ? value * (double)row->values[0]
                                                                                   : value;
}

static void note_largest(struct problem *problem, const struct sample_row *row)
{
    const struct printed_form *form = printed_form_of(problem);
    for (size_t i = 0; i < form->stored; i++) {
        double value = size_of(form, &row->printed, i);
        if (value <= problem->largest[i].value)
            continue;
        problem->largest[i].value = value;
        problem->largest[i].row = *row;
    }
}

/* Keeps, when the sample is a part of the rows, those with the largest numbers, too. */
static int keep_largest(struct problem *problem, struct err *err)
{
    if (problem->stride == 1)
        return 0;
    if (array_reserve(&problem->sample, PRINTED_MOST, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < PRINTED_MOST; i++)
        if (problem->largest[i].value > 0)
            problem->sample.items[problem->sample.count++] = problem->largest[i].row;
    return 0;
}

/* Whether a row is one of the sample: spread evenly, but in no step with the tasks of an inference. */
static bool is_sampled(const struct problem *problem, uint64_t number)
{
    return (number * UINT64_C(0x9e3779b97f4a7c15) >> 32) % problem->stride == 0;
}

static bool is_repeated(const struct printed_row *before, const struct printed_row *row)
{
    return memcmp(before->values, row->values, sizeof row->values) == 0 && strcmp(before->word, row->word) == 0 &&
           before->layer_id == row->layer_id;
}

/* One of stride rows is kept; when they are too many, about every second of them. */
static int keep_row(void *arg, uint32_t stream, uint64_t index, const struct printed_row *row, struct err *err)
{
    struct problem *problem = arg;
    for (size_t i = 0; i < PRINTED_MOST; i++) {
        if (row->values[i] == PRINTED_NONE)
            continue;
        problem->shown[i] = true;
        if (row->decimals[i] > problem->decimals[i])
            problem->decimals[i] = row->decimals[i];
    }
    problem->repeated += problem->rows > 0 && is_repeated(&problem->last, row);
    problem->last = *row;
    problem->rows_of_stream[stream] += problem->tables->form->sums && row->count > 0 ? (uint64_t)row->count : 1;
    const struct sample_row sampled = {.stream = stream, .index = index, .number = problem->rows++, .printed = *row};
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
    return array_add(&problem->sample, err, sampled);
}

/* The shares are printed alike: what one of them shows holds for all. */
static void settle_decimals(struct problem *problem)
{
    const struct printed_form *form = printed_form_of(problem);
    uint8_t most = 0;
    for (size_t i = 0; i < form->stored; i++)
        if (has_role(form, i, PRINTED_SHARE) && problem->decimals[i] > most)
            most = problem->decimals[i];
    for (size_t i = 0; i < form->stored; i++)
        if (has_role(form, i, PRINTED_SHARE))
            problem->decimals[i] = most;
}

/* The rows of all tables; those of op_summary must be what its row of the whole network adds up. */
static int read_rows(struct problem *problem, struct infer_result *result, struct err *err)
{
    const struct printed_form *form = problem->tables->form;
    SCOPED(totals_release) struct totals totals;
    struct walk walk = {.problem = problem, .row = keep_row, .arg = problem};
    totals_init(&totals);
    if (form == &printed_pmu && !form->by_layers && !form->events)
        walk.totals = &totals;
    int status = walk_tables(problem, &walk, &problem->skipped, err);
    if (status == 0 && totals.wrong > 0) {
        result->contradicted = true;
        (void)strbuf_addf(&result->notes, "the rows of %" PRIu64 " tables do not add up: %s\n", totals.wrong,
                          totals.first.data);
    }
    return status;
}

int problem_open(struct problem *problem, struct infer_result *result, struct err *err)
{
    problem->stride = 1;
    problem->stream_of_table = calloc(problem->tables->count + 1, sizeof *problem->stream_of_table);
    problem->rows_of_stream = calloc(problem->capture->file_count + 1, sizeof *problem->rows_of_stream);
    if (problem->stream_of_table == NULL || problem->rows_of_stream == NULL)
        return err_no_memory(err);
    if (open_files(problem, err) < 0 || layers_read(problem->capture, &problem->layers, err) < 0 ||
        read_rows(problem, result, err) < 0 || keep_largest(problem, err) < 0)
        return err_status(err);
    settle_decimals(problem);
    result->rows = problem->rows;
    if (problem->skipped > 0)
        (void)strbuf_addf(&result->notes, "%" PRIu64 " truncated rows of the tables are not used\n", problem->skipped);
    if (problem->repeated > 0)
        (void)strbuf_addf(&result->notes, "%" PRIu64 " of %" PRIu64 " rows repeat the previous row\n",
                          problem->repeated, problem->rows);
    if (problem->tables->duplicates > 0)
        (void)strbuf_addf(&result->notes, "%zu further tables of the same inference are not used\n",
                          problem->tables->duplicates);
    return 0;
}

void problem_release(struct problem *problem)
{
    source_release(&problem->source);
    free(problem->streams.items);
    free(problem->stream_of_table);
    free(problem->rows_of_stream);
    free(problem->sample.items);
    layers_release(&problem->layers);
}

void problem_settle_frequency(struct problem *problem, struct infer_result *result)
{
    int64_t info = -1, name = -1;
    for (size_t i = 0; i < problem->capture->device_count && info <= 0; i++)
        info = problem->capture->devices[i].core_khz;
    for (size_t i = 0; i < problem->tables->count && name <= 0; i++)
        name = problem->tables->items[i].core_khz;
    int64_t given = problem->options->core_khz;
    result->frequency_needed = info <= 0;
    int64_t layout =
        layout_frequency(problem->capture->options.layouts, record_kind_find(printed_form_of(problem)->kind));
    problem->core_khz = given > 0 ? given : info > 0 ? info : name > 0 ? name : layout;
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
                          "the frequency used is %" PRId64 ".%03d MHz, but %s has %" PRId64 ".%03d MHz\n",
                          problem->core_khz / 1000, (int)(problem->core_khz % 1000), others[i].what,
                          others[i].khz / 1000, (int)(others[i].khz % 1000));
    }
}

/* ---- intervals ---- */

__extension__ typedef __int128 wide;

/* Gives the worth of the last digit that is printed of a column, in those that are kept. */
static int64_t unit_of(const struct problem *problem, size_t column)
{
    return printed_power(printed_form_of(problem)->fields[column].digits - problem->decimals[column]);
}

/* (2v - unit .. 2v + unit) * factor / (2 * divisor), or v .. v + unit when numbers are cut; v is least to most. */
static struct interval printed_range(const struct problem *problem, size_t column, int64_t least, int64_t most,
                                     int64_t factor, int64_t divisor)
{
    const struct interval none = {INT64_MAX / 4, INT64_MAX / 4}; /* no number of a record is that */
    const struct printed_field *field = &printed_form_of(problem)->fields[column];
    int64_t unit = unit_of(problem, column), slack = field->slack;
    if (field->from_first && unit > 1)
        slack += unit; /* two rounded numbers were added up */
    wide low = (problem->cut ? (wide)2 * least : (wide)2 * least - unit) - (wide)2 * slack;
    wide high = (problem->cut ? (wide)2 * most + 2 * unit - 1 : (wide)2 * most + unit) + (wide)2 * slack;
    wide by = (wide)2 * divisor;
    low = low < 0 ? 0 : (low * factor + by - 1) / by;
    high = high * factor / by;
    if (high > INT64_MAX / 4 || high < low)
        return none;
    return (struct interval){(int64_t)low, (int64_t)high};
}

struct interval problem_interval(const struct problem *problem, size_t column, const struct printed_row *row,
                                 int64_t first)
{
    const struct interval unknown = {1, 0};
    int64_t value = row->values[column], most = column == 0 && row->most != PRINTED_NONE ? row->most : value;
    int64_t divisor = printed_power(printed_form_of(problem)->fields[column].digits);
    if (value == PRINTED_NONE || most < value)
        return unknown;
    switch (printed_form_of(problem)->fields[column].role) {
    case PRINTED_CLOCK: /* us * kHz / 10^3 */
        return printed_range(problem, column, value, most, problem->core_khz, 1000 * divisor);
    case PRINTED_SHARE: /* per cent */
        return printed_range(problem, column, value, most, first, 100 * divisor);
    case PRINTED_AMOUNT:
        return printed_range(problem, column, value, most, row->unit, divisor);
    case PRINTED_IDENTITY:
        return (struct interval){value, value};
    case PRINTED_WORD:
    case PRINTED_OTHER:
    default:
        return unknown;
    }
}

struct interval problem_share(const struct problem *problem, size_t column, const struct printed_row *row,
                              int64_t divide)
{
    const struct interval unknown = {1, 0};
    int64_t value = row->values[column], divisor = printed_power(printed_form_of(problem)->fields[column].digits);
    return value == PRINTED_NONE ? unknown : printed_range(problem, column, value, value, divide, 100 * divisor);
}

struct printed_row problem_sum_row(const struct problem *problem, const struct printed_row *row, int64_t printed,
                                   int64_t rounded)
{
    struct printed_row sum = *row;
    int64_t slack = INT64_MAX / 4;
    if (__builtin_mul_overflow(rounded, unit_of(problem, 0), &slack) || slack > INT64_MAX / 4)
        slack = INT64_MAX / 4;
    sum.values[0] = printed - slack / 2;
    sum.most = printed + slack / 2;
    return sum;
}

/* ---- what the tables say of themselves ---- */

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Memory Bound = max(Dstr, DLD, WLD) / max(Mac Busy, Vec Ppen), as far as the printed digits show. */
static bool memory_bound_agrees(const struct problem *problem, const int64_t *values)
{
    const enum printed_pmu_column needed[] = {PRINTED_DSTR,     PRINTED_DLD,      PRINTED_WLD,
                                              PRINTED_MAC_BUSY, PRINTED_VEC_PPEN, PRINTED_MEMORY_BOUND};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (values[needed[i]] == PRINTED_NONE)
            return true;
    double memory = (double)larger(larger(values[PRINTED_DSTR], values[PRINTED_DLD]), values[PRINTED_WLD]);
    double compute = (double)larger(values[PRINTED_MAC_BUSY], values[PRINTED_VEC_PPEN]);
    double unit = (double)unit_of(problem, PRINTED_MAC_BUSY);
    double bound = (double)values[PRINTED_MEMORY_BOUND], step = (double)unit_of(problem, PRINTED_MEMORY_BOUND);
    double one = (double)printed_power(printed_pmu.fields[PRINTED_MEMORY_BOUND].digits);
    if (compute <= unit)
        return true; /* nothing to divide by that shows */
    double least = (memory - unit) / (compute + unit) * one;
    double most = (memory + unit) / (compute - unit) * one;
    return bound >= least - step && bound <= most + step;
}

bool problem_row_agrees(const struct problem *problem, const struct printed_row *row)
{
    const int64_t *values = row->values;
    if (printed_form_of(problem) != &printed_pmu)
        return true;
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

int64_t place_value(const struct matrix *matrix, size_t row, const struct place_found *place, int64_t first)
{
    const unsigned char *bytes = matrix_row(matrix, row);
    uint64_t raw = matrix_bits(bytes, place->bit, place->bits);
    if (place->mode == PLACE_MINUS)
        raw -= matrix_bits(bytes, place->other_bit, place->whole_bits);
    if (place->mode == PLACE_DELTA && row > 0)
        raw = (raw - matrix_bits(matrix_row(matrix, row - 1), place->bit, place->whole_bits)) &
              (place->whole_bits >= 64 ? UINT64_MAX : (UINT64_C(1) << place->whole_bits) - 1);
    int64_t value;
    if (raw > INT64_MAX || __builtin_mul_overflow((int64_t)raw, place->scale, &value))
        return INT64_MAX;
    if (place->mode == PLACE_PLUS)
        return __builtin_add_overflow(value, first, &value) ? INT64_MAX : value;
    if (place->mode == PLACE_SHARE)
        return __builtin_mul_overflow(value, first, &value) ? INT64_MAX : (value + place->divide / 2) / place->divide;
    return value;
}

bool infer_knows(const struct printed_form *form, const char *column)
{
    for (size_t i = 0; i < form->stored; i++)
        if (strcmp(form->fields[i].name, column) == 0)
            return true;
    return false;
}

void infer_result_init(struct infer_result *result, const struct printed_form *form)
{
    *result = (struct infer_result){.found = false, .form = form};
    for (size_t i = 0; i < form->stored; i++)
        result->columns[i].name = form->fields[i].name;
    strbuf_init(&result->notes, (size_t)1024 * 1024);
}

void infer_result_release(struct infer_result *result)
{
    strbuf_release(&result->notes);
}
