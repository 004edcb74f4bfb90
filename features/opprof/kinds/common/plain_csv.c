/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of 'msprof op' without blocks: texts and numbers by the names of their columns. */
#include "features/opprof/kinds/common/plain_csv.h"

#include "features/opprof/kinds/common/opprof_csv.h"
#include "features/opprof/kinds/common/opprof_tree.h"

#include <string.h>

struct reading {
    struct opprof_csv csv;
    const struct plain_table *table;
    const struct plain_column *columns[CSV_MAX_FIELDS]; /* NULL: not of the table */
};

static enum opprof_column take_column(void *arg, size_t place, const char *name)
{
    struct reading *reading = arg;
    for (const struct plain_column *column = reading->table->columns; column->name != NULL; column++) {
        if (strcmp(column->name, name) != 0)
            continue;
        reading->columns[place] = column;
        return OPPROF_VALUE;
    }
    return OPPROF_UNKNOWN;
}

static void put_value(struct reading *reading, struct row *row, size_t field, const char *text, uint64_t number)
{
    const struct plain_column *column = reading->columns[field];
    const struct record_kind *kind = reading->table->kind;
    int64_t value;
    bool missing;
    if (kind->columns[column->column].type == COLUMN_TEXT) {
        decoder_set_text(reading->csv.decoder, kind, row, column->column, text, strlen(text));
    } else if (!opprof_number(text, column->scale, &value, &missing)) {
        opprof_csv_report_value(&reading->csv, number, column->name, text);
    } else if (!missing) {
        row_set_integer(row, column->column, value);
    }
}

static int take_row(void *arg, const char *const *fields, uint64_t number, struct err *err)
{
    struct reading *reading = arg;
    struct decoder *decoder = reading->csv.decoder;
    const struct capture_file *file = reading->csv.file;
    struct row row;
    if (decoder_emit(decoder, reading->table->kind, &row, err) < 0)
        return err_status(err);
    row_set_integer(&row, PLAIN_FILE, file->id);
    row_set_integer(&row, PLAIN_LAUNCH, opprof_launch_id(decoder));
    for (size_t i = 0; i < reading->csv.count; i++)
        if (reading->columns[i] != NULL)
            put_value(reading, &row, i, fields[i], number);
    if (reading->table->row != NULL && reading->table->row(decoder, file, &row, err) < 0)
        return err_status(err);
    return opprof_csv_put_others(&reading->csv, NULL, fields, err);
}

int plain_put_core(struct decoder *decoder, const struct capture_file *file, struct row *row, struct err *err)
{
    const struct file_identity *it = &file->identity;
    (void)decoder;
    (void)err;
    row_set_integer(row, PLAIN_CORE_ID, it->core_id);
    row_set_integer(row, PLAIN_CORE, it->group_id >= 0 ? OPPROF_VECTOR : OPPROF_CUBE);
    row_set_integer(row, PLAIN_SUB_CORE, it->group_id >= 0 ? it->group_id : it->model_id);
    return 0;
}

int plain_csv_read(const struct plain_table *table, struct decoder *decoder, const struct capture_file *file,
                   const char *path, struct err *err)
{
    SCOPED_FREE struct reading *reading = scoped_memory(1, sizeof *reading);
    if (reading == NULL)
        return err_no_memory(err);
    *reading = (struct reading){.csv = {.kind = table->kind,
                                        .expected = table->columns[0].name,
                                        .column = take_column,
                                        .row = take_row,
                                        .arg = reading},
                                .table = table};
    return opprof_csv_read(&reading->csv, decoder, file, path, NULL, err);
}
