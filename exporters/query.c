/* The job table: which devices and models a capture has. */
#include "db/query/query_cann.h"
#include "exporters/export.h"
#include "exporters/show/text_table.h"

#include <stdlib.h>

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
    bool measuring;
};

static struct table_cell known_text(const char *text)
{
    return *text != '\0' ? cell_text(text) : cell_missing();
}

static void give_row(struct part_table *table, const struct cann_part *part, const struct cann_iterations *iterations)
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

struct part_rows {
    struct part_table *table;
    const struct cann_part *part;
    size_t given;
};

static int give_model(void *arg, const struct cann_iterations *iterations, struct err *err)
{
    struct part_rows *rows = arg;
    (void)err;
    give_row(rows->table, rows->part, iterations);
    rows->given++;
    return 0;
}

static int give_rows(struct part_table *table, sqlite3 *db, struct err *err)
{
    const struct cann_iterations none = {.model_id = DB_NULL, .count = DB_NULL, .longest = ""};
    int status = 0;
    for (size_t i = 0; status == 0 && i < table->parts->count; i++) {
        struct part_rows rows = {table, &table->parts->parts[i], 0};
        if (rows.part->is_host)
            continue;
        status = cann_each_model(db, rows.part->device_id, give_model, &rows, err);
        if (status == 0 && rows.given == 0)
            give_row(table, rows.part, &none);
    }
    return status;
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
        status = give_rows(&table, db, err);
    if (status == 0) {
        table.measuring = false;
        text_table_begin(&table.text, stream, options->width);
        status = give_rows(&table, db, err);
        int ended = text_table_end(&table.text, err);
        status = status == 0 ? ended : status;
    }
    ret->rows = table.text.rows;
    text_table_release(&table.text);
    cann_parts_release(&parts);
    free(capture);
    return status;
}
