/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of the kinds of Framework records about models: their first columns, of which the third is a mixed text,
 * and their hooks. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_HOST_MODEL_RECORD_H
#define MSPROF_PARSERS_KINDS_COMMON_HOST_MODEL_RECORD_H

#include "parsers/kinds/common/record_stream.h"
#include "parsers/kinds/common/text/mixed_text.h"

#define MODEL_RECORD(STORED, MADE, name, title, what)                                                                  \
    MADE(FILE_ID, "file_id", "File", INTEGER(NONE, FILE), "The file it came from (source_file.id).")                   \
    STORED(MODEL_ID, "model_id", "Model ID", NUMBER, "The model.", AT(4, 4))                                           \
    MIXED_TEXT(STORED, MODEL_TEXT, name, title, what, 8, 120)
enum { MODEL_RECORD(COLUMN_NUMBER, COLUMN_NUMBER, , , ) MODEL_RECORD_COLUMNS };

/* As COLUMN_TABLES, behind those of the kind's RECORD(STORED, MADE). */
#define MODEL_RECORD_TABLES                                                                                            \
    enum { LAST_SHARED = MODEL_RECORD_COLUMNS - 1, COLUMNS(COLUMN_NUMBER) };                                           \
    static const struct column columns[] = {RECORD(COLUMN_STORED, COLUMN_MADE) COLUMNS(COLUMN_STORED)};                \
    static const struct field fields[] = {RECORD(COLUMN_FIELD, COLUMN_NO_FIELD) COLUMNS(COLUMN_FIELD)}

/* Keeps what the mixed text is given as, and reports an id that no dictionary has. The columns behind
 * MODEL_RECORD_COLUMNS that are times are spans, start and end next to each other; one that cannot be rejects the
 * record. */
int model_record_take(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err);
extern const struct kind_hooks model_record_hooks;

#endif
