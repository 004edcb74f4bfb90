/* SPDX-License-Identifier: Apache-2.0 */
#include "features/opprof/kinds/common/plain_csv.h"

#include "base/format/csv_in.h"
#include "features/opprof/kinds/common/opprof_other.h"

#include <stdlib.h>
#include <string.h>

struct reading {
    const struct plain_table *table;
    struct decoder *decoder;
    const struct capture_file *file;
    const struct plain_column *columns[CSV_MAX_FIELDS]; /* NULL: empty, or of opprof_other */
    char *others[CSV_MAX_FIELDS];                       /* their names */
    size_t count;
    bool headed, comma;
};

static const struct plain_column *find_column(const struct plain_table *table, const char *name)
{
    for (const struct plain_column *column = table->columns; column->name != NULL; column++) {
        if (strcmp(column->name, name) == 0)
            return column;
    }
    return NULL;
}

static int take_header(struct reading *reading, const char *const *fields, size_t count, struct err *err)
{
    struct diagnostics *diag = decoder_diag(reading->decoder);
    size_t known = 0;
    opprof_check_width(reading->decoder, reading->file, count);
    reading->headed = true;
    reading->comma = *fields[count - 1] == '\0';
    for (size_t i = 0; i < count; i++) {
        reading->count = i + 1;
        reading->columns[i] = find_column(reading->table, fields[i]);
        known += reading->columns[i] != NULL;
        if (reading->columns[i] != NULL || *fields[i] == '\0')
            continue;
        diag_report(diag, DIAG_COLUMN_UNKNOWN, FILE_PLACE(reading->file->name, fields[i]),
                    "a column that this version does not know");
        if ((reading->others[i] = strdup(fields[i])) == NULL)
            return err_no_memory(err);
    }
    if (known > 0)
        return 0;
    diag_report(diag, DIAG_LAYOUT_MISMATCH, FILE_PLACE(reading->file->name, NULL),
                "the first row has none of the columns of %s; expected %s, %s, ...", reading->table->kind->name,
                reading->table->columns[0].name, reading->table->columns[1].name);
    return err_set(err, ERR_FORMAT, "no column is known");
}

static void put_value(struct reading *reading, struct row *row, size_t field, const char *text, uint64_t number)
{
    const struct plain_column *column = reading->columns[field];
    const struct record_kind *kind = reading->table->kind;
    const struct place place = {reading->file->name, (int64_t)number, -1, column->name};
    int64_t value;
    bool missing;
    if (kind->columns[column->column].type == COLUMN_TEXT) {
        decoder_set_text(reading->decoder, kind, row, column->column, text, strlen(text));
    } else if (!opprof_number(text, column->scale, &value, &missing)) {
        diag_report(decoder_diag(reading->decoder), DIAG_RECORD_ODD, &place,
                    "'%.40s'; expected a number or NA; the value is left out", text);
    } else if (!missing) {
        row_set_integer(row, column->column, value);
    }
}

static int take_row(void *arg, const char *const *fields, size_t count, uint64_t number, struct err *err)
{
    struct reading *reading = arg;
    struct decoder *decoder = reading->decoder;
    struct row row;
    if (!reading->headed)
        return take_header(reading, fields, count, err);
    if (count != reading->count || (reading->comma && *fields[count - 1] != '\0')) {
        const struct place place = {reading->file->name, (int64_t)number, -1, NULL};
        diag_report(decoder_diag(decoder), DIAG_TEXT_LINE, &place, "not as many values as the first row has names");
        decoder_reject(decoder, DIAG_TEXT_LINE);
        return 0;
    }
    if (decoder_emit(decoder, reading->table->kind, &row, err) < 0)
        return err_status(err);
    row_set_integer(&row, PLAIN_FILE, reading->file->id);
    row_set_integer(&row, PLAIN_LAUNCH, opprof_launch_id(decoder));
    for (size_t i = 0; i < count; i++) {
        if (reading->columns[i] != NULL)
            put_value(reading, &row, i, fields[i], number);
        else if (reading->others[i] != NULL && opprof_other_put(decoder, NULL, reading->others[i], fields[i], err) < 0)
            return err_status(err);
    }
    return reading->table->row != NULL ? reading->table->row(decoder, reading->file, &row, err) : 0;
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
    struct err mistake = ERR_INIT;
    if (opprof_is_outdated(decoder, file))
        return 0;
    SCOPED_FREE struct reading *reading = scoped_memory(1, sizeof *reading);
    if (reading == NULL)
        return err_no_memory(err);
    *reading = (struct reading){.table = table, .decoder = decoder, .file = file};
    const int status = csv_read(path, take_row, reading, &mistake);
    for (size_t i = 0; i < reading->count; i++)
        free(reading->others[i]);
    return opprof_settle(decoder, file, status, &mistake, err);
}
