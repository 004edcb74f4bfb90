/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of tables as bytes, made by several threads side by side: what stands before each value is prepared once, values
 * are put without looking at the format again. */
#ifndef MSPROF_EXPORTERS_ROW_FORMAT_H
#define MSPROF_EXPORTERS_ROW_FORMAT_H

#include "base/err.h"
#include "base/file/outfile.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "db/query/query_cann.h"
#include "exporters/export.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct row_format {
    enum table_format format;
    size_t columns;
    struct row_piece {
        char *text;
        size_t length;
    } before[TABLE_MAX_COLUMNS];       /* each value */
    struct row_piece begin, next, end; /* before the first row, before every other, after each */
    struct row_piece head;             /* before the titles */
    bool leads;                        /* begin, next and head hold a cell that is the same in all rows */
    struct row_piece missing;
};

/* Prepares rows with these column titles. */
int row_format_init(struct row_format *format, enum table_format kind, const char *const *titles, size_t columns,
                    struct err *err);
void row_format_release(struct row_format *format);
/* Write the text before the first and after the last row of a file. */
void row_format_head(const struct row_format *format, const char *const *titles, struct outfile *out);
void row_format_tail(const struct row_format *format, bool any_row, struct outfile *out);

/* All rows, and the titles, begin with this cell. For formats with titles, and JSON. */
int row_format_lead(struct row_format *format, const char *title, const char *text, struct err *err);

/* The value of this column, not the first, stands with that of the column before it in one cell, behind a '/'. */
int row_format_join(struct row_format *format, size_t column, struct err *err);

/* Texts of the database as values of this format: quoted and escaped once for all their uses. mark: a literal that
 * stands on both sides of every text (docs/formats/cann.md 5.4 writes shapes in quotes). texts is released and
 * replaced. */
int row_format_encode(const struct row_format *format, struct cann_texts *texts, const char *const *marks,
                      struct err *err);

/* Appends one text like this to buf; 0, or -1 with buf->failed set. */
int row_format_add(const struct row_format *format, const char *text, size_t length, struct strbuf *buf);
/* Puts it in place of what buf holds. */
void row_format_text(const struct row_format *format, const char *text, size_t length, struct strbuf *buf);

/* Bytes that a text of so many bytes takes at most, and the text at p as a value of this format; returns the end. */
size_t row_text_room(size_t length);
char *row_put_text(const struct row_format *format, const char *text, size_t length, char *p);

/* Bytes that a row of texts of so many bytes together takes at most. */
size_t row_room(const struct row_format *format, size_t text_bytes);

/* ---- cells of a table of the terminal ---- */

struct table_cell {
    const char *text; /* not necessarily NUL-terminated */
    size_t length;
};

/* The cells of a row for TABLE_TERMINAL and TABLE_CELLS: they are separated by NUL, which no text of a database holds.
 */
void row_cells(const char *row, const char *end, size_t count, struct table_cell *cells);

/* Whether a spreadsheet runs a cell with this text instead of showing it: what begins with = + - @ and is no number. */
bool row_format_spreadsheet_runs(const char *text, size_t length);

static inline char *put_piece(char *p, const struct row_piece *piece)
{
    if (piece->length == 1) /* a comma: a call would take longer than the copy */
        *p = *piece->text;
    else
        memcpy(p, piece->text, piece->length);
    return p + piece->length;
}

#endif
