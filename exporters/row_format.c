#include "exporters/row_format.h"

#include "base/strbuf.h"
#include "exporters/json_text.h"

#include <stdlib.h>

#define PIECE_MAX (64 * 1024)

static int take_piece(struct row_piece *piece, struct strbuf *text, struct err *err)
{
    size_t length = text->length;
    piece->text = strbuf_detach(text);
    piece->length = length;
    return piece->text != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory");
}

static int make_piece(struct row_piece *piece, const char *before, const char *title, const char *after,
                      struct err *err)
{
    struct strbuf text;
    strbuf_init(&text, PIECE_MAX);
    strbuf_adds(&text, before);
    if (title != NULL)
        json_text_append(&text, title, strlen(title));
    strbuf_adds(&text, after);
    return take_piece(piece, &text, err);
}

/* What separates the cells of the terminal: no text of a database holds it. */
static int make_cell_end(struct row_piece *piece, size_t count, struct err *err)
{
    struct strbuf text;
    strbuf_init(&text, PIECE_MAX);
    strbuf_add(&text, "", count);
    return take_piece(piece, &text, err);
}

int row_format_init(struct row_format *format, enum table_format kind, const char *const *titles, size_t columns,
                    struct err *err)
{
    bool json = kind == TABLE_JSON;
    *format = (struct row_format){.format = kind, .columns = columns};
    if (columns > ROW_MAX_COLUMNS)
        return err_set(err, ERR_LIMIT, "a table of %zu columns; at most %d are supported", columns, ROW_MAX_COLUMNS);
    int status = make_piece(&format->begin, json ? "\n    {" : "", NULL, "", err);
    if (status == 0)
        status = make_piece(&format->next, json ? ",\n    {" : "", NULL, "", err);
    if (status == 0)
        status = make_piece(&format->end, json ? "\n    }" : kind == TABLE_CSV ? "\n" : "", NULL, "", err);
    if (status == 0)
        status = make_piece(&format->missing, json ? "\"N/A\"" : "N/A", NULL, "", err);
    for (size_t i = 0; status == 0 && i < columns; i++) {
        if (json)
            status = make_piece(&format->before[i], i == 0 ? "\n        \"" : ",\n        \"", titles[i], "\": ", err);
        else if (kind == TABLE_CSV)
            status = make_piece(&format->before[i], i == 0 ? "" : ",", NULL, "", err);
        else
            status = make_cell_end(&format->before[i], i > 0, err);
    }
    if (status < 0)
        row_format_release(format);
    return status;
}

void row_format_release(struct row_format *format)
{
    for (size_t i = 0; i < format->columns && i < ROW_MAX_COLUMNS; i++)
        free(format->before[i].text);
    free(format->begin.text);
    free(format->next.text);
    free(format->end.text);
    free(format->missing.text);
    *format = (struct row_format){.columns = 0};
}

void row_format_head(const struct row_format *format, const char *const *titles, struct outfile *out)
{
    if (format->format == TABLE_JSON) {
        outfile_write(out, "[", 1);
        return;
    }
    for (size_t i = 0; i < format->columns; i++) {
        outfile_write(out, ",", i > 0);
        outfile_write(out, titles[i], strlen(titles[i]));
    }
    outfile_write(out, "\n", 1);
}

void row_format_tail(const struct row_format *format, bool any_row, struct outfile *out)
{
    if (format->format == TABLE_JSON)
        outfile_write(out, any_row ? "\n]\n" : "]\n", any_row ? 3 : 2);
}

size_t row_room(const struct row_format *format, size_t text_bytes)
{
    size_t room = text_bytes + format->next.length + format->begin.length + format->end.length;
    for (size_t i = 0; i < format->columns; i++)
        room += format->before[i].length + format->missing.length + NUMBER_MAX + 2;
    return room;
}

void row_cells(const struct row_format *format, const char *row, const char *end, struct table_cell *cells)
{
    for (size_t i = 0; i < format->columns; i++) {
        const char *stop = i + 1 < format->columns ? memchr(row, '\0', (size_t)(end - row)) : NULL;
        if (stop == NULL)
            stop = end;
        cells[i] = cell_text_of_length(row, (size_t)(stop - row));
        row = stop < end ? stop + 1 : end;
    }
}

/* ---- texts ---- */

static void encode_csv(struct strbuf *buf, const char *text, size_t length, const char *mark)
{
    bool quoted = *mark != '\0' || strcspn(text, ",\"\r\n") < length;
    if (quoted)
        strbuf_addc(buf, '"');
    for (const char *m = mark; *m != '\0'; m++)
        strbuf_addf(buf, *m == '"' ? "\"\"" : "%c", *m);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"')
            strbuf_addc(buf, '"');
        strbuf_addc(buf, text[i]);
    }
    for (const char *m = mark; *m != '\0'; m++)
        strbuf_addf(buf, *m == '"' ? "\"\"" : "%c", *m);
    if (quoted)
        strbuf_addc(buf, '"');
}

static void encode_json(struct strbuf *buf, const char *text, size_t length)
{
    strbuf_addc(buf, '"');
    json_text_append(buf, text, length);
    strbuf_addc(buf, '"');
}

static void encode(const struct row_format *format, struct strbuf *buf, const char *text, size_t length,
                   const char *mark)
{
    strbuf_clear(buf);
    switch (format->format) {
    case TABLE_CSV:
        encode_csv(buf, text, length, mark);
        break;
    case TABLE_JSON:
        encode_json(buf, text, length);
        break;
    case TABLE_TERMINAL:
        strbuf_add(buf, text, length);
        break;
    }
}

void row_format_text(const struct row_format *format, const char *text, size_t length, struct strbuf *buf)
{
    encode(format, buf, text, length, "");
}

#define TEXT_MAX (4 * 1024 * 1024)

int row_format_encode(const struct row_format *format, struct cann_texts *texts, const char *const *marks,
                      struct err *err)
{
    struct strbuf buf;
    int status = 0;
    strbuf_init(&buf, TEXT_MAX);
    for (size_t i = 0; status == 0 && i < texts->rows * texts->column_count; i++) {
        struct cann_text *item = &texts->items[i];
        const char *mark = marks != NULL ? marks[i % texts->column_count] : "";
        if (item->text == NULL)
            continue;
        encode(format, &buf, item->text, item->length, mark);
        status = buf.failed ? err_set(err, ERR_LIMIT, "a text of %u bytes is too long for a table", item->length)
                            : cann_texts_replace(texts, i, buf.data, buf.length, err);
    }
    strbuf_release(&buf);
    return status;
}
