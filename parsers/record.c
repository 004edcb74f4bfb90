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
    size_t columns = 0;
    for (size_t i = 0; record_kinds[i] != NULL; i++) {
        if (record_kinds[i]->column_count > columns)
            columns = record_kinds[i]->column_count;
    }
    struct row_batch *batch = calloc(1, sizeof *batch);
    if (batch == NULL)
        return NULL;
    batch->capacity = BATCH_ROWS;
    batch->cells = calloc(BATCH_ROWS * columns, sizeof *batch->cells);
    batch->present = calloc(BATCH_ROWS, sizeof *batch->present);
    batch->texts = malloc(BATCH_TEXTS);
    batch->texts_capacity = BATCH_TEXTS;
    if (batch->cells == NULL || batch->present == NULL || batch->texts == NULL) {
        row_batch_free(batch);
        return NULL;
    }
    return batch;
}

void row_batch_free(struct row_batch *batch)
{
    if (batch == NULL)
        return;
    free(batch->cells);
    free(batch->present);
    free(batch->texts);
    free(batch);
}
