/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/reports/svp/svp_layer_table.h"

#include "base/number.h"
#include "exporters/export.h"

#include <stdlib.h>
#include <string.h>

#define TEXTS_MAX (1 << 20) /* bytes that are kept for one table; there are a few tables for every worker */

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_NO_MEMORY, "out of memory for a layer table");
}

static int find_tasks(struct svp_layer_table *table, struct err *err)
{
    const struct svp_layers *layers = &table->layers;
    table->tasks = calloc(layers->count + 1, sizeof *table->tasks);
    if (table->tasks == NULL)
        return out_of_memory(err);
    for (size_t i = 0; i < layers->count; i++) {
        struct svp_task_layers task = {.task_id = layers->layers[i].task_id};
        if (i > 0 && layers->layers[i - 1].task_id == task.task_id)
            continue;
        task.count = svp_layers_of_task(layers, task.task_id, false, &task.first);
        if (task.count > 0)
            table->tasks[table->task_count++] = task;
    }
    return 0;
}

/* Layers without a type come first. */
static int compare_types(const void *left, const void *right)
{
    const char *a = (*(const struct svp_layer *const *)left)->type;
    const char *b = (*(const struct svp_layer *const *)right)->type;
    return a == NULL || b == NULL ? (a != NULL) - (b != NULL) : strcmp(a, b);
}

static int number_types(struct svp_layer_table *table, struct err *err)
{
    const struct svp_layers *layers = &table->layers;
    const struct svp_layer **sorted = calloc(layers->count + 1, sizeof(*sorted));
    table->types = calloc(layers->count + 1, sizeof *table->types);
    if (sorted == NULL || table->types == NULL) {
        free(sorted);
        return out_of_memory(err);
    }
    for (size_t i = 0; i < layers->count; i++)
        sorted[i] = &layers->layers[i];
    qsort(sorted, layers->count, sizeof(*sorted), compare_types);
    for (size_t i = 0; i < layers->count; i++) {
        if (i == 0 || compare_types(&sorted[i - 1], &sorted[i]) != 0)
            table->type_count++;
        table->types[sorted[i] - layers->layers] = (uint32_t)(table->type_count - 1);
    }
    free(sorted);
    table->memos = calloc(table->type_count + 1, sizeof *table->memos);
    return table->memos == NULL ? out_of_memory(err) : 0;
}

int svp_layer_table_load(sqlite3 *db, const char *model, int64_t model_id, struct svp_layer_table *ret, struct err *err)
{
    struct svp_layer_table table = {.task_count = 0};
    strbuf_init(&table.texts, TEXTS_MAX);
    int result = svp_layers_load(db, model, model_id, &table.layers, err);
    if (result == 0 && table.layers.count >= UINT32_MAX)
        result = err_set(err, ERR_LIMIT, "a layer table of %zu layers", table.layers.count);
    if (result == 0)
        result = find_tasks(&table, err);
    if (result == 0)
        result = number_types(&table, err);
    if (result == 0)
        *ret = table;
    else
        svp_layer_table_release(&table);
    return result;
}

void svp_layer_table_release(struct svp_layer_table *table)
{
    svp_layers_release(&table->layers);
    free(table->tasks);
    free(table->types);
    free(table->memos);
    strbuf_release(&table->texts);
    *table = (struct svp_layer_table){.tasks = NULL};
}

static int compare_task_id(const void *key, const void *task)
{
    int64_t a = *(const int64_t *)key, b = ((const struct svp_task_layers *)task)->task_id;
    return (a > b) - (a < b);
}

struct svp_task_layers *svp_layer_table_find(struct svp_layer_table *table, int64_t task_id)
{
    if (table->task_count == 0)
        return NULL;
    size_t next = table->found + 1 < table->task_count ? table->found + 1 : 0;
    struct svp_task_layers *task = &table->tasks[next];
    if (task->task_id != task_id)
        task = bsearch(&task_id, table->tasks, table->task_count, sizeof *table->tasks, compare_task_id);
    if (task != NULL)
        table->found = (size_t)(task - table->tasks);
    return task;
}

void svp_layer_table_keep(struct svp_layer_table *table, struct svp_task_layers *task, const char *text, size_t length)
{
    size_t offset = table->texts.length;
    if (strbuf_add(&table->texts, text, length) < 0)
        return;
    task->text = offset;
    task->length = length;
}

int svp_layer_table_credit(struct svp_layer_table *table, const struct svp_task_layers *task,
                           struct svp_statistic *statistic, int64_t stream_id, int64_t centi_us, struct err *err)
{
    if (task == NULL)
        return svp_statistic_credit(statistic, &table->memos[table->type_count], NULL, false, stream_id, centi_us, err);
    for (size_t i = task->first; i < task->first + task->count; i++) {
        if (svp_statistic_credit(statistic, &table->memos[table->types[i]], table->layers.layers[i].type, false,
                                 stream_id, centi_us, err) < 0)
            return -(int)err->code;
    }
    return 0;
}

/* ---- svp layer lists ---- */

#define LIST_MAX (16 << 20) /* bytes; a layer table itself is not read beyond a few megabytes */

void svp_layer_lists_init(struct svp_layer_lists *lists)
{
    strbuf_init(&lists->ids, LIST_MAX);
    strbuf_init(&lists->names, LIST_MAX);
    strbuf_init(&lists->types, LIST_MAX);
    strbuf_init(&lists->ori_names, LIST_MAX);
    lists->layers = 0;
    lists->first_id = DB_NULL;
}

void svp_layer_lists_release(struct svp_layer_lists *lists)
{
    strbuf_release(&lists->ids);
    strbuf_release(&lists->names);
    strbuf_release(&lists->types);
    strbuf_release(&lists->ori_names);
}

static void add_text(struct strbuf *list, const char *text)
{
    strbuf_adds(list, text == NULL ? TABLE_MISSING : text);
}

static void add_id(struct strbuf *list, int64_t id)
{
    char buffer[NUMBER_MAX];
    if (id == DB_NULL)
        strbuf_adds(list, TABLE_MISSING);
    else
        strbuf_add(list, buffer, (size_t)(number_put_signed(buffer, id) - buffer));
}

/* A name's own line break would look like the end of an item. */
static void add_line(struct strbuf *list, const char *text, bool split_commas)
{
    size_t begin = list->length;
    add_text(list, text);
    for (size_t i = begin; i < list->length; i++) {
        if (list->data[i] == '\n')
            list->data[i] = '?';
        else if (list->data[i] == ',' && split_commas)
            list->data[i] = '\n';
    }
}

int svp_layer_lists_set(struct svp_layer_lists *lists, const struct svp_layer *layers, size_t count, char separator,
                        struct err *err)
{
    struct strbuf *all[] = {&lists->ids, &lists->names, &lists->types, &lists->ori_names};
    bool failed = false;
    for (size_t list = 0; list < sizeof all / sizeof all[0]; list++)
        strbuf_clear(all[list]);
    lists->layers = count;
    lists->first_id = count == 0 ? DB_NULL : layers[0].layer_id;
    for (size_t i = 0; i < count; i++) {
        for (size_t list = 0; i > 0 && list < sizeof all / sizeof all[0]; list++)
            strbuf_addc(all[list], separator);
        add_id(&lists->ids, layers[i].layer_id);
        if (separator == '\n') {
            add_line(&lists->names, layers[i].name, false);
            add_line(&lists->types, layers[i].type, false);
            add_line(&lists->ori_names, layers[i].ori_name, true);
        } else {
            add_text(&lists->names, layers[i].name);
            add_text(&lists->types, layers[i].type);
            add_text(&lists->ori_names, layers[i].ori_name);
        }
    }
    for (size_t list = 0; list < sizeof all / sizeof all[0]; list++)
        failed = failed || all[list]->failed;
    if (failed)
        return err_set(err, ERR_LIMIT, "the names of the %zu layers of one task do not fit into %d bytes", count,
                       LIST_MAX);
    return 0;
}

struct report_value svp_layer_list_value(const struct svp_layer_lists *lists, const struct strbuf *list)
{
    return lists->layers == 0 ? value_none() : value_text_of(list->data, list->length);
}

struct report_value svp_layer_ids_value(const struct svp_layer_lists *lists)
{
    return lists->layers == 1 ? value_integer(lists->first_id) : svp_layer_list_value(lists, &lists->ids);
}
