/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of 'msprof op': their first row, the length of the others, and what no table knows. */
#include "features/opprof/kinds/common/opprof_csv.h"

#include <stdlib.h>
#include <string.h>

static int take_header(struct opprof_csv *csv, const char *const *fields, size_t count, struct err *err)
{
    struct diagnostics *diag = decoder_diag(csv->decoder);
    size_t values = 0;
    if (count == CSV_MAX_FIELDS)
        diag_report(diag, DIAG_FILE_LIMIT, FILE_PLACE(csv->file->name, NULL),
                    "%d columns or more; the others are ignored", CSV_MAX_FIELDS);
    csv->headed = true;
    csv->comma = *fields[count - 1] == '\0';
    for (size_t i = 0; i < count; i++) {
        csv->count = i + 1;
        const enum opprof_column known = csv->column(csv->arg, i, fields[i]);
        values += known == OPPROF_VALUE;
        if (known != OPPROF_UNKNOWN || *fields[i] == '\0')
            continue;
        diag_report(diag, DIAG_COLUMN_UNKNOWN, FILE_PLACE(csv->file->name, fields[i]),
                    "a column that this version does not know");
        if ((csv->others[i] = strdup(fields[i])) == NULL)
            return err_no_memory(err);
    }
    if (values > 0)
        return 0;
    diag_report(diag, DIAG_LAYOUT_MISMATCH, FILE_PLACE(csv->file->name, NULL),
                "the first row has none of the columns of %s; expected %s, ...", csv->kind->name, csv->expected);
    return err_set(err, ERR_FORMAT, "no known column");
}

static int take_row(void *arg, const char *const *fields, size_t count, uint64_t number, struct err *err)
{
    struct opprof_csv *csv = arg;
    if (!csv->headed)
        return take_header(csv, fields, count, err);
    if (count == csv->count && (!csv->comma || *fields[count - 1] == '\0'))
        return csv->row(csv->arg, fields, number, err);
    opprof_csv_reject(csv, number, NULL, "number of values differs from the number of columns");
    return 0;
}

void opprof_csv_reject(struct opprof_csv *csv, uint64_t number, const char *field, const char *problem)
{
    const struct place place = {csv->file->name, (int64_t)number, -1, field};
    diag_report(decoder_diag(csv->decoder), DIAG_TEXT_LINE, &place, "%s", problem);
    decoder_reject(csv->decoder, DIAG_TEXT_LINE);
}

void opprof_csv_report_value(struct opprof_csv *csv, uint64_t number, const char *field, const char *text)
{
    const struct place place = {csv->file->name, (int64_t)number, -1, field};
    diag_report(decoder_diag(csv->decoder), DIAG_RECORD_ODD, &place,
                "'%.40s'; expected a number or NA; the value is ignored", text);
}

int opprof_csv_put_others(struct opprof_csv *csv, const struct block_key *key, const char *const *fields,
                          struct err *err)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < csv->count; i++)
        if (csv->others[i] != NULL)
            status = opprof_other_put(csv->decoder, key, csv->others[i], fields[i], err);
    return status;
}

/* Whether another file of the same kind and directory is newer, which is reported: only the newest is read. */
static bool is_outdated(struct decoder *decoder, const struct capture_file *file)
{
    const struct capture *capture = decoder_capture(decoder);
    for (const struct capture_file *other = capture->files; other < capture->files + capture->file_count; other++) {
        if (other->kind != file->kind || other->part != file->part || other == file ||
            other->identity.core_id != file->identity.core_id || other->identity.model_id != file->identity.model_id ||
            other->identity.group_id != file->identity.group_id ||
            other->identity.process_id <= file->identity.process_id)
            continue;
        diag_report(decoder_diag(decoder), DIAG_FILE_DUPLICATE, FILE_PLACE(file->name, NULL),
                    "older than '%s', which is decoded", other->name);
        return true;
    }
    return false;
}

int opprof_settle(struct decoder *decoder, const struct capture_file *file, int status, struct err *mistake,
                  struct err *err)
{
    switch (status) {
    case 0:
        return 0;
    case -ERR_FORMAT:
    case -ERR_LIMIT:
    case -ERR_IO:
        break;
    default:
        *err = *mistake;
        return status;
    }
    if (decoder_diag(decoder)->latest_id != DIAG_LAYOUT_MISMATCH) /* reported by its own words */
        diag_report(decoder_diag(decoder), DIAG_FILE_UNREADABLE, FILE_PLACE(file->name, NULL), "%s",
                    err_message(mistake));
    return 0;
}

int opprof_csv_read(struct opprof_csv *csv, struct decoder *decoder, const struct capture_file *file, const char *path,
                    bool *ret_whole, struct err *err)
{
    struct err mistake = ERR_INIT;
    if (is_outdated(decoder, file)) {
        if (ret_whole != NULL)
            *ret_whole = false;
        return 0;
    }
    csv->decoder = decoder;
    csv->file = file;
    const int status = csv_read(path, take_row, csv, &mistake);
    for (size_t i = 0; i < csv->count; i++)
        free(csv->others[i]);
    if (ret_whole != NULL)
        *ret_whole = status == 0;
    return opprof_settle(decoder, file, status, &mistake, err);
}
