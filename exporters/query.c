/* SPDX-License-Identifier: Apache-2.0 */
/* The job table: which devices and models a capture has. */
#include "base/array.h"
#include "base/number.h"
#include "db/query/operators/query_steps.h"
#include "db/query/query_cann.h"
#include "exporters/cann_report.h"
#include "exporters/export.h"
#include "exporters/table/text_table.h"

#include <stdlib.h>

#define LONGEST_SHOWN 5

enum {
    JOB_INFO,
    DEVICE_ID,
    DIR_NAME,
    COLLECTION_TIME,
    MODEL_ID,
    ITERATION_NUMBER,
    TOP_TIME_ITERATION,
    RANK_ID,
    COLUMNS
};

static const struct text_column columns[COLUMNS] = {
    [JOB_INFO] = {.title = "Job Info", .kind = TEXT_COLUMN},
    [DEVICE_ID] = {.title = "Device ID", .kind = NUMBER_COLUMN},
    [DIR_NAME] = {.title = "Dir Name", .kind = TEXT_COLUMN},
    [COLLECTION_TIME] = {.title = "Collection Time", .kind = TEXT_COLUMN},
    [MODEL_ID] = {.title = "Model ID", .kind = NUMBER_COLUMN},
    [ITERATION_NUMBER] = {.title = "Iteration Number", .kind = NUMBER_COLUMN},
    [TOP_TIME_ITERATION] = {.title = "Top Time Iteration", .kind = TEXT_COLUMN},
    [RANK_ID] = {.title = "Rank ID", .kind = NUMBER_COLUMN},
};

/* The last part of a path. */
static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

struct part_table {
    struct text_table text;
    const struct cann_parts *parts;
    const char *capture;
    const struct query_choice *choice;
    struct cann_steps steps; /* of jobs: by_model_and_time */
    bool measuring;
};

static bool is_chosen(int64_t wanted, int64_t value)
{
    return wanted == DB_NULL || wanted == value;
}

static void put_cells(struct part_table *table, const struct table_cell *cells)
{
    if (table->measuring)
        text_table_measure(&table->text, cells);
    else
        text_table_row(&table->text, cells);
}

/* ---- jobs ---- */

static struct table_cell known_text(const char *text)
{
    return *text != '\0' ? cell_text(text) : cell_missing();
}

/* The iterations of one model on a device. */
struct model_iterations {
    int64_t model_id, count;
    char longest[LONGEST_SHOWN * (NUMBER_MAX + 1)]; /* numbers of the longest, "3,1,2" */
};

static void give_row(struct part_table *table, const struct cann_part *part, const struct model_iterations *iterations)
{
    const struct table_cell cells[COLUMNS] = {
        [JOB_INFO] = known_text(part->job),
        [DEVICE_ID] = cell_number(part->device_id, 0),
        [DIR_NAME] = cell_text(*part->directory != '\0' ? part->directory : table->capture),
        [COLLECTION_TIME] = known_text(part->begin_date),
        [MODEL_ID] = cell_number(iterations->model_id, 0),
        [ITERATION_NUMBER] = cell_number(iterations->count, 0),
        [TOP_TIME_ITERATION] = known_text(iterations->longest),
        [RANK_ID] = cell_number(part->rank_id, 0),
    };
    put_cells(table, cells);
}

/* By device and model, the longest first. */
static int by_model_and_time(const void *a, const void *b)
{
    const struct cann_step *x = a, *y = b;
    int64_t x_ns = number_subtract(x->end_ns, x->start_ns), y_ns = number_subtract(y->end_ns, y->start_ns);
    if (x->device_id != y->device_id)
        return x->device_id < y->device_id ? -1 : 1;
    if (x->model_id != y->model_id)
        return x->model_id < y->model_id ? -1 : 1;
    if (x_ns != y_ns)
        return x_ns > y_ns ? -1 : 1;
    return (x->iteration > y->iteration) - (x->iteration < y->iteration);
}

static bool is_of(const struct cann_step *step, int64_t device_id)
{
    return step->device_id == device_id && step->model_id != CANN_NO_ID;
}

/* The steps of one model from i on; returns where they end. */
static size_t sum_model(const struct cann_steps *steps, size_t i, struct model_iterations *ret)
{
    const struct cann_step *first = &steps->items[i];
    char *p = ret->longest;
    *ret = (struct model_iterations){.model_id = first->model_id, .longest = ""};
    for (; i < steps->count && is_of(&steps->items[i], first->device_id) && steps->items[i].model_id == first->model_id;
         i++) {
        if (ret->count > 0 && ret->count < LONGEST_SHOWN)
            *p++ = ',';
        if (ret->count++ < LONGEST_SHOWN)
            p = number_put_signed(p, steps->items[i].iteration);
    }
    *p = '\0';
    return i;
}

static void give_rows(struct part_table *table)
{
    static const struct model_iterations none = {.model_id = DB_NULL, .count = DB_NULL, .longest = ""};
    const struct cann_steps *steps = &table->steps;
    for (size_t i = 0; i < table->parts->count; i++) {
        const struct cann_part *part = &table->parts->parts[i];
        struct model_iterations iterations;
        bool given = false;
        if (part->is_host || !is_chosen(table->choice->device_id, part->device_id))
            continue;
        for (size_t k = 0; k < steps->count;) {
            if (!is_of(&steps->items[k], part->device_id)) {
                k++;
                continue;
            }
            k = sum_model(steps, k, &iterations);
            if (is_chosen(table->choice->model_id, iterations.model_id))
                give_row(table, part, &iterations);
            given = true;
        }
        if (!given && table->choice->model_id == DB_NULL)
            give_row(table, part, &none);
    }
}

/* ---- iterations ---- */

enum {
    AT_DEVICE,
    AT_MODEL,
    AT_ITERATION,
    AT_TIME,
    AT_PROPAGATION,
    AT_INTERVAL,
    AT_REFRESH,
    AT_START,
    AT_FORWARD,
    AT_BACKWARD,
    AT_END,
    AT_COLUMNS
};

static const struct text_column step_columns[AT_COLUMNS] = {
    [AT_DEVICE] = {.title = "ID", .kind = NUMBER_COLUMN},
    [AT_MODEL] = {.title = "Model ID", .kind = NUMBER_COLUMN},
    [AT_ITERATION] = {.title = "Iteration ID", .kind = NUMBER_COLUMN},
    [AT_TIME] = {.title = "Iteration Time(us)", .kind = NUMBER_COLUMN},
    [AT_PROPAGATION] = {.title = "FP to BP Time(us)", .kind = NUMBER_COLUMN},
    [AT_INTERVAL] = {.title = "Iteration Interval(us)", .kind = NUMBER_COLUMN},
    [AT_REFRESH] = {.title = "Iteration Refresh(us)", .kind = NUMBER_COLUMN},
    [AT_START] = {.title = "Iteration Start(us)", .kind = NUMBER_COLUMN},
    [AT_FORWARD] = {.title = "FP Start(us)", .kind = NUMBER_COLUMN},
    [AT_BACKWARD] = {.title = "BP End(us)", .kind = NUMBER_COLUMN},
    [AT_END] = {.title = "Iteration End(us)", .kind = NUMBER_COLUMN},
};

/* In microseconds, between two times that may not be known. */
static struct table_cell between(int64_t from_ns, int64_t to_ns)
{
    return from_ns == DB_NULL || to_ns == DB_NULL ? cell_missing() : cell_number(number_subtract(to_ns, from_ns), 3);
}

static void give_iterations(struct part_table *table)
{
    const struct query_choice *choice = table->choice;
    for (size_t i = 0; i < table->steps.count; i++) {
        const struct cann_step *step = &table->steps.items[i];
        const struct table_cell cells[AT_COLUMNS] = {
            [AT_DEVICE] = cell_number(step->device_id, 0),
            [AT_MODEL] = step->model_id != CANN_NO_ID ? cell_number(step->model_id, 0) : cell_missing(),
            [AT_ITERATION] = cell_number(step->iteration, 0),
            [AT_TIME] = between(step->start_ns, step->end_ns),
            [AT_PROPAGATION] = between(step->forward_ns, step->backward_ns),
            [AT_INTERVAL] = cell_number(step->augmentation_ns, 3),
            [AT_REFRESH] = between(step->backward_ns, step->end_ns),
            [AT_START] = cell_number(step->start_ns, 3),
            [AT_FORWARD] = cell_number(step->forward_ns, 3),
            [AT_BACKWARD] = cell_number(step->backward_ns, 3),
            [AT_END] = cell_number(step->end_ns, 3),
        };
        if (is_chosen(choice->device_id, step->device_id) && is_chosen(choice->model_id, step->model_id) &&
            is_chosen(choice->iteration_id, step->iteration))
            put_cells(table, cells);
    }
}

/* ---- both ---- */

int query_ranks(sqlite3 *db, int (*each)(void *arg, int64_t device_id, int64_t rank_id, struct err *err), void *arg,
                struct err *err)
{
    struct cann_parts parts;
    int status = cann_parts_load(db, &parts, err);
    if (status < 0)
        return status;
    for (size_t i = 0; status == 0 && i < parts.count; i++) {
        if (!parts.parts[i].is_host)
            status = each(arg, parts.parts[i].device_id, parts.parts[i].rank_id, err);
    }
    cann_parts_release(&parts);
    return status;
}

int query_capture(sqlite3 *db, FILE *stream, const struct query_choice *choice, const struct show_options *options,
                  struct export_result *ret, struct err *err)
{
    void (*give)(struct part_table * table) = choice->iterations ? give_iterations : give_rows;
    struct cann_parts parts;
    char *capture = NULL;
    *ret = (struct export_result){.files = 0};
    if (cann_parts_load(db, &parts, err) < 0)
        return -(int)err->code;
    bool failed = database_meta(db, "capture_path", &capture, err) < 0;
    struct part_table table = {
        .parts = &parts, .capture = capture != NULL ? last_part(capture) : "", .choice = choice, .measuring = true};
    text_table_init(&table.text, choice->iterations ? step_columns : columns,
                    choice->iterations ? AT_COLUMNS : COLUMNS);
    failed = failed || cann_steps_load(db, &table.steps, err) < 0;
    if (!failed) {
        if (!choice->iterations)
            array_sort(table.steps.items, table.steps.count, sizeof *table.steps.items, by_model_and_time);
        give(&table);
        table.measuring = false;
        text_table_begin(&table.text, stream, options->width);
        give(&table);
        failed = text_table_end(&table.text, err) < 0;
    }
    ret->rows = table.text.rows;
    text_table_release(&table.text);
    cann_steps_release(&table.steps);
    cann_parts_release(&parts);
    free(capture);
    return failed ? -(int)err->code : 0;
}
