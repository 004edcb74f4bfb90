/* The job table: which devices and models a capture has. */
#include "base/array.h"
#include "base/number.h"
#include "db/query/operators/query_steps.h"
#include "db/query/query_cann.h"
#include "exporters/cann_report.h"
#include "exporters/export.h"
#include "exporters/show/text_table.h"

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
    struct cann_steps steps; /* by_model_and_time */
    bool measuring;
};

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
    if (table->measuring)
        text_table_measure(&table->text, cells);
    else
        text_table_row(&table->text, cells);
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
        for (size_t k = 0; !part->is_host && k < steps->count;) {
            if (!is_of(&steps->items[k], part->device_id)) {
                k++;
                continue;
            }
            k = sum_model(steps, k, &iterations);
            give_row(table, part, &iterations);
            given = true;
        }
        if (!part->is_host && !given)
            give_row(table, part, &none);
    }
}

int query_capture(sqlite3 *db, FILE *stream, const struct show_options *options, struct export_result *ret,
                  struct err *err)
{
    struct cann_parts parts;
    char *capture = NULL;
    *ret = (struct export_result){.files = 0};
    int status = cann_parts_load(db, &parts, err);
    if (status < 0)
        return status;
    status = database_meta(db, "capture_path", &capture, err);
    struct part_table table = {
        .parts = &parts, .capture = capture != NULL ? last_part(capture) : "", .measuring = true};
    text_table_init(&table.text, columns, COLUMNS);
    if (status == 0)
        status = cann_steps_load(db, &table.steps, err);
    if (status == 0) {
        array_sort(table.steps.items, table.steps.count, sizeof *table.steps.items, by_model_and_time);
        give_rows(&table);
        table.measuring = false;
        text_table_begin(&table.text, stream, options->width);
        give_rows(&table);
        status = text_table_end(&table.text, err);
    }
    ret->rows = table.text.rows;
    text_table_release(&table.text);
    cann_steps_release(&table.steps);
    cann_parts_release(&parts);
    free(capture);
    return status;
}
