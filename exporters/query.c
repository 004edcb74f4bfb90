/* SPDX-License-Identifier: Apache-2.0 */
/* The job table: which devices and models a capture has. */
#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/number.h"
#include "db/query/operators/query_steps.h"
#include "db/query/query_cann.h"
#include "exporters/cann_report.h"
#include "exporters/export.h"
#include "exporters/table/text_table.h"

#include <stdlib.h>

#define LONGEST_SHOWN 5

static const struct text_column columns[] = {
    {"Job Info", .kind = TEXT_COLUMN},           {"Device ID", .kind = NUMBER_COLUMN},
    {"Dir Name", .kind = TEXT_COLUMN},           {"Collection Time", .kind = TEXT_COLUMN},
    {"Model ID", .kind = NUMBER_COLUMN},         {"Iteration Number", .kind = NUMBER_COLUMN},
    {"Top Time Iteration", .kind = TEXT_COLUMN}, {"Rank ID", .kind = NUMBER_COLUMN},
};

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
    const struct table_cell cells[] = {
        known_text(part->job),
        cell_number(part->device_id, 0),
        cell_text(*part->directory != '\0' ? part->directory : table->capture),
        known_text(part->begin_date),
        cell_number(iterations->model_id, 0),
        cell_number(iterations->count, 0),
        known_text(iterations->longest),
        cell_number(part->rank_id, 0),
    };
    put_cells(table, cells);
}

/* By device and model, the longest first. */
static int by_model_and_time(const void *a, const void *b)
{
    const struct cann_step *x = a, *y = b;
    int64_t x_ns = number_subtract(x->end_ns, x->start_ns), y_ns = number_subtract(y->end_ns, y->start_ns);
    return 8 * NUMBER_ORDER(x->device_id, y->device_id) + 4 * NUMBER_ORDER(x->model_id, y->model_id) +
           2 * NUMBER_ORDER(y_ns, x_ns) + NUMBER_ORDER(x->iteration, y->iteration);
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

static const struct text_column step_columns[] = {
    {"ID", .kind = NUMBER_COLUMN},
    {"Model ID", .kind = NUMBER_COLUMN},
    {"Iteration ID", .kind = NUMBER_COLUMN},
    {"Iteration Time(us)", .kind = NUMBER_COLUMN},
    {"FP to BP Time(us)", .kind = NUMBER_COLUMN},
    {"Iteration Interval(us)", .kind = NUMBER_COLUMN},
    {"Iteration Refresh(us)", .kind = NUMBER_COLUMN},
    {"Iteration Start(us)", .kind = NUMBER_COLUMN},
    {"FP Start(us)", .kind = NUMBER_COLUMN},
    {"BP End(us)", .kind = NUMBER_COLUMN},
    {"Iteration End(us)", .kind = NUMBER_COLUMN},
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
        const struct table_cell cells[] = {
            cell_number(step->device_id, 0),
            step->model_id != CANN_NO_ID ? cell_number(step->model_id, 0) : cell_missing(),
            cell_number(step->iteration, 0),
            between(step->start_ns, step->end_ns),
            between(step->forward_ns, step->backward_ns),
            cell_number(step->augmentation_ns, 3),
            between(step->backward_ns, step->end_ns),
            cell_number(step->start_ns, 3),
            cell_number(step->forward_ns, 3),
            cell_number(step->backward_ns, 3),
            cell_number(step->end_ns, 3),
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
        .parts = &parts, .capture = capture != NULL ? path_name(capture) : "", .choice = choice, .measuring = true};
    text_table_init(&table.text, choice->iterations ? step_columns : columns,
                    choice->iterations ? sizeof step_columns / sizeof *step_columns : sizeof columns / sizeof *columns);
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
