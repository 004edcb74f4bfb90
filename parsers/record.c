/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/record.h"

#include <stdlib.h>
#include <string.h>

#define KIND(name) extern const struct record_kind kind_##name;
#include "kind_list.h"
#undef KIND

const struct record_kind *const record_kinds[] = {
#define KIND(name) &kind_##name,
#include "kind_list.h"
#undef KIND
    NULL,
};

const struct record_kind *record_kind_find(const char *name)
{
    for (size_t i = 0; record_kinds[i] != NULL; i++) {
        if (strcmp(record_kinds[i]->name, name) == 0)
            return record_kinds[i];
    }
    return NULL;
}

int record_kind_column(const struct record_kind *kind, const char *name)
{
    for (size_t i = 0; i < kind->column_count; i++) {
        if (strcmp(kind->columns[i].name, name) == 0)
            return (int)i;
    }
    return -1;
}

const char *column_unit_name(enum column_unit unit)
{
    switch (unit) {
    case UNIT_NS:
        return "ns";
    case UNIT_TICK:
        return "tick";
    case UNIT_CYCLE:
        return "cycle";
    case UNIT_BYTE:
        return "byte";
    case UNIT_NONE:
        break;
    }
    return "";
}

struct row_batch *row_batch_new(void)
{
    struct row_batch *batch = calloc(1, sizeof *batch);
    if (batch != NULL)
        batch->capacity = BATCH_ROWS;
    return batch;
}

static bool make_cell_room(struct row_batch *batch, size_t cells)
{
    if (batch->cell_room >= cells)
        return true;
    free(batch->cells);
    batch->cells = malloc(cells * sizeof *batch->cells);
    batch->cell_room = batch->cells != NULL ? cells : 0;
    return batch->cells != NULL;
}

static bool make_text_room(struct row_batch *batch)
{
    if (batch->texts == NULL)
        batch->texts = malloc(BATCH_TEXTS);
    batch->texts_capacity = batch->texts != NULL ? BATCH_TEXTS : 0;
    return batch->texts != NULL;
}

static bool has_texts(const struct record_kind *kind)
{
    for (size_t i = 0; i < kind->column_count; i++) {
        if (kind->columns[i].type == COLUMN_TEXT)
            return true;
    }
    return false;
}

bool row_batch_begin(struct row_batch *batch, const struct record_kind *kind)
{
    batch->kind = kind;
    batch->rows = batch->texts_used = 0;
    return make_cell_room(batch, BATCH_ROWS * kind->column_count) && (!has_texts(kind) || make_text_room(batch));
}

void row_batch_free(struct row_batch *batch)
{
    if (batch == NULL)
        return;
    free(batch->cells);
    free(batch->texts);
    free(batch);
}
