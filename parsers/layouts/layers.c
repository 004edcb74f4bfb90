/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/layouts/layers.h"

#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/format/json_in.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void copy_text(const struct json *entry, const char *name, char text[PRINTED_WORD_SIZE])
{
    const char *value = json_string(json_member(entry, name));
    snprintf(text, PRINTED_WORD_SIZE, "%s", value != NULL ? value : "");
}

static int add_layers(struct layers *layers, const struct capture_file *file, struct err *err)
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

int layers_read(const struct capture *capture, struct layers *layers, struct err *err)
{
    for (size_t f = 0; f < capture->file_count; f++) {
        const struct capture_file *file = &capture->files[f];
        if (file->kind != NULL && strcmp(file->kind->name, "layer") == 0 && add_layers(layers, file, err) < 0)
            return -(int)err->code;
    }
    array_sort(layers->items, layers->count, sizeof *layers->items, compare_layers);
    return 0;
}

void layers_release(struct layers *layers)
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
void layers_add_task(const struct layers *layers, const struct printed_kind *kind, struct printed_row *row)
{
    int column = kind->task;
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

int layers_collect(void *arg, const struct printed_row *row, struct err *err)
{
    struct layer_sums *sums = arg;
    if (array_reserve(sums, 1, err) < 0)
        return -(int)err->code;
    sums->items[sums->count++] = *row;
    return 0;
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

int layers_each_task(const struct layers *layers, const struct printed_form *form, const struct layer_sums *sums,
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
        row.values[form->kind->task] = task;
        status = reader->row(reader->arg, &row, err);
    }
    return status;
}
