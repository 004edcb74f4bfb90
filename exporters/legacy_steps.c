/* step_trace of captures of the layout of 2022: iterations of models by the step marks of the device. */
#include "db/query_steps.h"
#include "exporters/legacy_rows.h"

#include <stdio.h>

enum { LEADING = 9, REDUCE_CELLS = 2 };
#define MAX_REDUCES ((size_t)(TABLE_MAX_COLUMNS - LEADING) / REDUCE_CELLS) /* of one iteration that are shown */
#define TITLE_SIZE 40

static const char *const leading_titles[LEADING] = {"Iteration ID",           "FP Start",           "BP End",
                                                    "Iteration End",          "Iteration Time(us)", "FP to BP Time(us)",
                                                    "Grad Refresh Bound(us)", "Data Aug Bound(us)", "Model ID"};

static struct table_cell known(int64_t value, unsigned decimals)
{
    return value != DB_NULL ? cell_number(value, decimals) : cell_missing();
}

static int64_t between(int64_t start_ns, int64_t end_ns)
{
    return start_ns != DB_NULL && end_ns != DB_NULL ? end_ns - start_ns : DB_NULL;
}

static size_t most_reduces(const struct cann_steps *steps, int64_t device_id)
{
    size_t most = 0;
    for (size_t i = 0; i < steps->count; i++) {
        if (steps->items[i].device_id == device_id && steps->items[i].reduce_count > most)
            most = steps->items[i].reduce_count;
    }
    return most < MAX_REDUCES ? most : MAX_REDUCES;
}

/* The titles of all-reduce operations are the same again and again, but not as the names of JSON. */
static void make_titles(struct column_titles *titles, char (*texts)[TITLE_SIZE], size_t reduces, bool json)
{
    titles->count = LEADING + REDUCE_CELLS * reduces;
    for (size_t i = 0; i < LEADING; i++)
        titles->texts[i] = leading_titles[i];
    for (size_t i = 0; i < reduces; i++) {
        char *start = texts[REDUCE_CELLS * i], *duration = texts[REDUCE_CELLS * i + 1];
        snprintf(start, TITLE_SIZE, json ? "Reduce Start %zu" : "Reduce Start", i);
        snprintf(duration, TITLE_SIZE, json ? "Reduce Duration(us) %zu" : "Reduce Duration(us)", i);
        titles->texts[LEADING + REDUCE_CELLS * i] = start;
        titles->texts[LEADING + REDUCE_CELLS * i + 1] = duration;
    }
}

static int put_step(struct legacy_reports *run, const struct legacy_table *table, const struct cann_steps *steps,
                    const struct cann_step *step, size_t reduces, struct err *err)
{
    struct table_cell cells[TABLE_MAX_COLUMNS] = {
        cell_number(step->iteration, 0),
        known(step->forward_ns, 0),
        known(step->backward_ns, 0),
        cell_number(step->end_ns, 0),
        cell_number(step->end_ns - step->start_ns, 3),
        known(between(step->forward_ns, step->backward_ns), 3),
        known(between(step->backward_ns, step->end_ns), 3),
        known(step->augmentation_ns, 3),
        cell_number(step->model_id, 0),
    };
    for (size_t i = 0; i < reduces; i++) {
        const struct cann_step_span *reduce = i < step->reduce_count ? &steps->reduces[step->first_reduce + i] : NULL;
        struct table_cell *pair = &cells[LEADING + REDUCE_CELLS * i];
        pair[0] = reduce != NULL ? cell_number(reduce->start_ns, 0) : cell_missing();
        pair[1] = reduce != NULL ? cell_number(reduce->end_ns - reduce->start_ns, 3) : cell_missing();
    }
    return legacy_put_row(run, table, cells, err);
}

int legacy_step_trace(struct legacy_reports *run, struct err *err)
{
    int64_t device_id = run->device->part.device_id;
    struct legacy_table table = {.name = "step_trace"};
    char texts[REDUCE_CELLS * MAX_REDUCES][TITLE_SIZE];
    struct cann_steps steps;
    int status = cann_steps_load(run->db, &steps, err);
    if (status < 0)
        return status;
    size_t reduces = most_reduces(&steps, device_id);
    make_titles(&table.titles, texts, reduces, run->options->format == TABLE_JSON);
    for (size_t i = 0; i < steps.count && status == 0; i++) {
        if (steps.items[i].device_id == device_id)
            status = put_step(run, &table, &steps, &steps.items[i], reduces, err);
    }
    cann_steps_release(&steps);
    return legacy_close(run, status, err);
}
