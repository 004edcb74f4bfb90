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

struct long_text {
    struct long_text *next;
    char bytes[];
};

static char *new_long_text(struct row_batch *batch, size_t length)
{
    struct long_text *text = malloc(sizeof *text + length);
    if (text == NULL)
        return NULL;
    text->next = batch->long_texts;
    batch->long_texts = text;
    batch->long_bytes += length;
    return text->bytes;
}

static void free_long_texts(struct row_batch *batch)
{
    for (struct long_text *text = batch->long_texts, *next; text != NULL; text = next) {
        next = text->next;
        free(text);
    }
    batch->long_texts = NULL;
    batch->long_bytes = 0;
}

void row_batch_put_text(struct row_batch *batch, const char *text, size_t length, struct cell *ret)
{
    const size_t room = batch->texts_capacity - batch->texts_used;
    char *copy = length > BATCH_TEXT_MAX ? new_long_text(batch, length) : NULL;
    if (copy == NULL) {
        copy = batch->texts + batch->texts_used;
        const size_t most = room < BATCH_TEXT_MAX ? room : BATCH_TEXT_MAX;
        batch->incomplete |= length > most;
        length = length < most ? length : most;
        batch->texts_used += length;
    }
    memcpy(copy, text, length);
    ret->text = copy;
    ret->length = (uint32_t)length;
}

/* Rows of many columns are fewer: what one thread fills is to be in the cache when the other takes it. */
static size_t rows_of(const struct record_kind *kind)
{
    enum { CELLS = 8192 };
    size_t rows = CELLS / (kind->column_count + 1);
    return rows < BATCH_ROWS ? rows : BATCH_ROWS;
}

bool row_batch_begin(struct row_batch *batch, const struct record_kind *kind)
{
    batch->kind = kind;
    batch->rows = batch->texts_used = 0;
    batch->incomplete = false;
    batch->capacity = rows_of(kind);
    free_long_texts(batch);
    return make_cell_room(batch, batch->capacity * kind->column_count) && (!has_texts(kind) || make_text_room(batch));
}

void row_batch_free(struct row_batch *batch)
{
    if (batch == NULL)
        return;
    free(batch->cells);
    free(batch->texts);
    free_long_texts(batch);
    free(batch);
}
