/* Rows of tables as bytes, made by several threads side by side: what stands before each value is prepared once, values
 * are put without looking at the format again. */
#ifndef MSPROF_EXPORTERS_ROW_FORMAT_H
#define MSPROF_EXPORTERS_ROW_FORMAT_H

#include "base/err.h"
#include "base/number.h"
#include "base/outfile.h"
#include "base/strbuf.h"
#include "db/query_cann.h"
#include "exporters/export.h"
#include "exporters/parallel.h"
#include "exporters/table.h"

#include <string.h>

#define ROW_MAX_COLUMNS 224

struct row_format {
    enum table_format format;
    size_t columns;
    struct row_piece {
        char *text;
        size_t length;
    } before[ROW_MAX_COLUMNS];         /* each value */
    struct row_piece begin, next, end; /* before the first row, before every other, after each */
    struct row_piece missing;
};

/* Prepares rows with these column titles. */
int row_format_init(struct row_format *format, enum table_format kind, const char *const *titles, size_t columns,
                    struct err *err);
void row_format_release(struct row_format *format);
/* What comes before the first and after the last row of a file. */
void row_format_head(const struct row_format *format, const char *const *titles, struct outfile *out);
void row_format_tail(const struct row_format *format, bool any_row, struct outfile *out);

/* The cells of a row of TABLE_TERMINAL from there to its end; as many as the format has columns. */
void row_cells(const struct row_format *format, const char *row, const char *end, struct table_cell *cells);

/* Texts of the database as values of this format: quoted and escaped once for all their uses. mark: a literal that
 * stands on both sides of every text (cann-formats 5.4 writes shapes in quotes). texts is released and replaced. */
int row_format_encode(const struct row_format *format, struct cann_texts *texts, const char *const *marks,
                      struct err *err);

/* One text like this, in place of what buf holds; buf->failed tells that it did not fit. */
void row_format_text(const struct row_format *format, const char *text, size_t length, struct strbuf *buf);

/* A row that is being put together at p, where the caller made room: row_room tells how much. */
struct row_put {
    char *p;
    const struct row_format *format;
    size_t column;
};

/* Bytes that a row of texts of so many bytes together takes at most. */
size_t row_room(const struct row_format *format, size_t text_bytes);

static inline char *put_piece(char *p, const struct row_piece *piece)
{
    memcpy(p, piece->text, piece->length);
    return p + piece->length;
}

static inline struct row_put row_begin(const struct row_format *format, char *p, bool first)
{
    return (struct row_put){put_piece(p, first ? &format->begin : &format->next), format, 0};
}

static inline char *row_end(struct row_put *put)
{
    return put_piece(put->p, &put->format->end);
}

static inline void row_key(struct row_put *put)
{
    put->p = put_piece(put->p, &put->format->before[put->column++]);
}

static inline void row_missing(struct row_put *put)
{
    row_key(put);
    put->p = put_piece(put->p, &put->format->missing);
}

/* A text that row_format_encode has made. */
static inline void row_text(struct row_put *put, struct cann_text text)
{
    if (text.text == NULL) {
        row_missing(put);
        return;
    }
    row_key(put);
    memcpy(put->p, text.text, text.length);
    put->p += text.length;
}

/* A word of the program that needs no escaping. */
static inline void row_word(struct row_put *put, const char *word)
{
    row_key(put);
    if (put->format->format == TABLE_JSON)
        *put->p++ = '"';
    put->p = stpcpy(put->p, word);
    if (put->format->format == TABLE_JSON)
        *put->p++ = '"';
}

static inline void row_integer(struct row_put *put, int64_t value)
{
    if (value == DB_NULL) {
        row_missing(put);
        return;
    }
    row_key(put);
    put->p = number_put_signed(put->p, value);
}

/* value / 10^decimals without trailing zeros. */
static inline void row_decimal(struct row_put *put, int64_t value, unsigned decimals)
{
    if (value == DB_NULL) {
        row_missing(put);
        return;
    }
    row_key(put);
    put->p = number_put_shortest(put->p, value, decimals);
}

/* A point in time as microseconds with three decimals; a tab after it keeps spreadsheets from rounding it. */
static inline void row_time(struct row_put *put, int64_t ns)
{
    row_key(put);
    put->p = number_put_us(put->p, ns);
    if (put->format->format == TABLE_CSV)
        *put->p++ = '\t';
}

#endif
