/* Tables that sum up tasks by the types of their layers, beside the tasks that were decoded. */
#include "parsers/infer/check_records.h"

#include "base/array.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int compare_tasks(const void *left, const void *right)
{
    const struct check_record *a = left, *b = right;
    const int64_t keys[][2] = {{a->model_id, b->model_id}, {a->picture, b->picture}, {a->task_id, b->task_id}};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

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
            bsearch(&wanted, comparison->records, comparison->record_count, sizeof wanted, compare_tasks);
        if (task != NULL && task->values[0] != PRINTED_NONE)
            check_sum_add(&sum, task->values[0]);
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
    check_compare_sum(comparison, row, &sum);
    return 0;
}

int check_types(struct check_comparison *comparison, struct err *err)
{
    struct printed_reader reader = {.row = compare_type, .arg = comparison};
    array_sort(comparison->records, comparison->record_count, sizeof *comparison->records, compare_tasks);
    return check_each_table(comparison, &reader, err);
}
