/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/row_format.h"

#include "base/utf8.h"
#include "exporters/json_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PIECE_MAX (64 * 1024 * JSON_TEXT_EXPANSION)

static int take_piece(struct row_piece *piece, struct strbuf *text, struct err *err)
{
    size_t length = text->length;
    piece->text = strbuf_detach(text);
    piece->length = length;
    return piece->text != NULL ? 0 : err_no_memory(err);
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

/* Makes the text that separates cells of the terminal: no text of a database holds it. */
static int make_cell_end(struct row_piece *piece, size_t count, struct err *err)
{
    struct strbuf text;
    strbuf_init(&text, PIECE_MAX);
    strbuf_add(&text, "", count);
    return take_piece(piece, &text, err);
}

/* Texts that stand around rows and cells; JSON has the titles as well. */
static const struct {
    const char *begin, *next, *end, *missing, *first_cell, *next_cell;
} frames[] = {
    [TABLE_CSV] = {"", "", "\n", TABLE_MISSING, "", ","},
    [TABLE_SPREADSHEET] = {"", "", "\n", TABLE_MISSING, "", ","},
    [TABLE_JSON] = {"\n    {", ",\n    {", "\n    }", "\"" TABLE_MISSING "\"", "\n        \"", ",\n        \""},
    [TABLE_TERMINAL] = {"", "", "", TABLE_MISSING, "", ""},
    [TABLE_MARKDOWN] = {"| ", "| ", " |\n", TABLE_MISSING, "", " | "},
    [TABLE_CELLS] = {"", "", "", TABLE_MISSING, "", ""},
};

int row_format_init(struct row_format *format, enum table_format kind, const char *const *titles, size_t columns,
                    struct err *err)
{
    *format = (struct row_format){.format = kind, .columns = columns};
    if (columns > TABLE_MAX_COLUMNS)
        return err_set(err, ERR_LIMIT, "a table of %zu columns; at most %d are supported", columns, TABLE_MAX_COLUMNS);
    bool failed = make_piece(&format->begin, frames[kind].begin, NULL, "", err) < 0 ||
                  make_piece(&format->head, frames[kind].begin, NULL, "", err) < 0 ||
                  make_piece(&format->next, frames[kind].next, NULL, "", err) < 0 ||
                  make_piece(&format->end, frames[kind].end, NULL, "", err) < 0 ||
                  make_piece(&format->missing, frames[kind].missing, NULL, "", err) < 0;
    for (size_t i = 0; !failed && i < columns; i++) {
        const char *before = i == 0 ? frames[kind].first_cell : frames[kind].next_cell;
        if (kind == TABLE_TERMINAL || kind == TABLE_CELLS) {
            failed = make_cell_end(&format->before[i], i > 0, err) < 0;
        } else {
            failed = make_piece(&format->before[i], before, kind == TABLE_JSON ? titles[i] : NULL,
                                kind == TABLE_JSON ? "\": " : "", err) < 0;
        }
    }
    if (failed)
        row_format_release(format);
    return failed ? err_status(err) : 0;
}

void row_format_release(struct row_format *format)
{
    for (size_t i = 0; i < format->columns && i < TABLE_MAX_COLUMNS; i++)
        free(format->before[i].text);
    free(format->begin.text);
    free(format->head.text);
    free(format->next.text);
    free(format->end.text);
    free(format->missing.text);
    *format = (struct row_format){.columns = 0};
}

static void put_title(const struct row_format *format, const char *title, struct outfile *out)
{
    struct strbuf text;
    strbuf_init(&text, PIECE_MAX);
    row_format_text(format, title, strlen(title), &text);
    outfile_add(out, &text);
    strbuf_release(&text);
}

void row_format_head(const struct row_format *format, const char *const *titles, struct outfile *out)
{
    bool markdown = format->format == TABLE_MARKDOWN;
    if (format->format == TABLE_JSON) {
        outfile_write(out, "[", 1);
        return;
    }
    if (format->format ==
        TABLE_SPREADSHEET) /* else spreadsheets take names of other letters than ASCII's for Latin-1 */
        outfile_write(out, "\xEF\xBB\xBF", 3);
    outfile_write(out, format->head.text, format->head.length);
    for (size_t i = 0; i < format->columns; i++) {
        outfile_write(out, format->before[i].text, format->before[i].length);
        put_title(format, titles[i], out);
    }
    outfile_write(out, format->end.text, format->end.length);
    for (size_t i = 0; markdown && i < format->columns + format->leads; i++)
        outfile_write(out, "|---", 4);
    if (markdown)
        outfile_write(out, "|\n", 2);
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

/* Appends a cell and what separates it from the first of the row. */
static int lead_piece(const struct row_format *format, struct row_piece *piece, const char *title, const char *text,
                      struct err *err)
{
    struct strbuf whole, cell;
    strbuf_init(&whole, PIECE_MAX);
    strbuf_init(&cell, PIECE_MAX);
    row_format_text(format, text, strlen(text), &cell);
    strbuf_add(&whole, piece->text, piece->length);
    if (format->format == TABLE_JSON) {
        strbuf_addf(&whole, "%s%s\": ", frames[TABLE_JSON].first_cell, title);
        strbuf_add(&whole, cell.data, cell.length);
        strbuf_addc(&whole, ',');
    } else {
        strbuf_add(&whole, cell.data, cell.length);
        strbuf_adds(&whole, frames[format->format].next_cell);
    }
    int status = cell.failed || whole.failed ? err_set(err, ERR_NO_MEMORY, "no room for the cell '%s'", text) : 0;
    strbuf_release(&cell);
    if (status < 0) {
        strbuf_release(&whole);
        return status;
    }
    free(piece->text);
    piece->text = NULL;
    return take_piece(piece, &whole, err);
}

int row_format_lead(struct row_format *format, const char *title, const char *text, struct err *err)
{
    bool failed = lead_piece(format, &format->begin, title, text, err) < 0 ||
                  lead_piece(format, &format->next, title, text, err) < 0 ||
                  lead_piece(format, &format->head, title, title, err) < 0;
    format->leads = true;
    return failed ? err_status(err) : 0;
}

int row_format_join(struct row_format *format, size_t column, struct err *err)
{
    free(format->before[column].text);
    format->before[column].text = NULL;
    return make_piece(&format->before[column], "/", NULL, "", err);
}

/* ---- texts ---- */

void row_cells(const char *row, const char *end, size_t count, struct table_cell *cells)
{
    for (size_t i = 0; i < count; i++) {
        const char *stop = i + 1 < count ? memchr(row, '\0', (size_t)(end - row)) : NULL;
        if (stop == NULL)
            stop = end;
        cells[i] = (struct table_cell){row, (size_t)(stop - row)};
        row = stop < end ? stop + 1 : end;
    }
}

bool row_format_spreadsheet_runs(const char *text, size_t length)
{
    if (length < 2 || memchr("=+-@\t\r", text[0], 6) == NULL)
        return false;
    size_t digits = 1;
    while (digits < length && ((text[digits] >= '0' && text[digits] <= '9') || text[digits] == '.'))
        digits++;
    return digits < length || text[0] == '=' || text[0] == '@';
}

static bool needs_quotes(const char *text, size_t length)
{
    return memchr(text, ',', length) != NULL || memchr(text, '"', length) != NULL ||
           memchr(text, '\n', length) != NULL || memchr(text, '\r', length) != NULL;
}

/* An import makes texts safe, but anybody may have written the database. JSON escapes them, the terminal's table masks
 * them; a carriage return alone is a matter of quotes. */
static bool is_unsafe(const struct row_format *format, const char *text, size_t length)
{
    if (format->format == TABLE_JSON || format->format == TABLE_TERMINAL)
        return false;
    size_t at = utf8_first_unsafe(text, length);
    while (at < length && text[at] == '\r')
        at += 1 + utf8_first_unsafe(text + at + 1, length - at - 1);
    return at < length;
}

size_t row_text_room(size_t length)
{
    return length * JSON_TEXT_EXPANSION + 3;
}

/* Whether eight bytes are printable characters of ASCII that CSV has as they are. */
static inline bool eight_are_plain(const char *text)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t word;
    memcpy(&word, text, sizeof word);
    const uint64_t commas = word ^ ',' * ones, quotes = word ^ '"' * ones; /* zero where one is */
    return utf8_eight_printable(text) && (((commas - ones) | (quotes - ones)) & 0x80 * ones) == 0;
}

/* Whether all bytes of a text are; most texts of tables are made of such. */
static bool is_plain(const char *text, size_t length)
{
    char rest[] = "        ";
    size_t at = 0;
    for (; length - at >= 8; at += 8)
        if (!eight_are_plain(text + at))
            return false;
    for (size_t i = 0; at + i < length; i++)
        rest[i] = text[at + i];
    return eight_are_plain(rest);
}

static char *put_csv(const char *text, size_t length, bool spreadsheet, char *p)
{
    bool runs = spreadsheet && row_format_spreadsheet_runs(text, length);
    if (!needs_quotes(text, length)) {
        if (runs)
            *p++ = '\'';
        memcpy(p, text, length);
        return p + length;
    }
    *p++ = '"';
    if (runs)
        *p++ = '\'';
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"')
            *p++ = '"';
        *p++ = text[i];
    }
    *p++ = '"';
    return p;
}

/* A line break would end the row, a bar the cell. */
static char *put_markdown(const char *text, size_t length, char *p)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\n' || text[i] == '\r') {
            *p++ = ' ';
            continue;
        }
        if (text[i] == '|' || text[i] == '\\')
            *p++ = '\\';
        *p++ = text[i];
    }
    return p;
}

char *row_put_text(const struct row_format *format, const char *text, size_t length, char *p)
{
    _Static_assert(JSON_TEXT_EXPANSION >= 2 * UTF8_SAFE_EXPANSION, "a safe text fits behind half of the room");
    if (format->format == TABLE_CSV && is_plain(text, length)) {
        memcpy(p, text, length);
        return p + length;
    }
    if (is_unsafe(format, text, length)) {
        /* Written at the end of the room and read from there: each byte becomes two at most. */
        char *safe = p + row_text_room(length) - length * UTF8_SAFE_EXPANSION;
        length = utf8_make_safe(text, length, safe);
        text = safe;
    }
    switch (format->format) {
    case TABLE_CSV:
    case TABLE_SPREADSHEET:
        return put_csv(text, length, format->format == TABLE_SPREADSHEET, p);
    case TABLE_MARKDOWN:
        return put_markdown(text, length, p);
    case TABLE_JSON:
        *p++ = '"';
        p += json_text_escape(p, text, length);
        *p++ = '"';
        return p;
    case TABLE_TERMINAL:
    case TABLE_CELLS:
        break;
    }
    memcpy(p, text, length);
    return p + length;
}

int row_format_add(const struct row_format *format, const char *text, size_t length, struct strbuf *buf)
{
    char *p = strbuf_reserve(buf, row_text_room(length));
    if (p == NULL)
        return -1;
    strbuf_advance(buf, (size_t)(row_put_text(format, text, length, p) - p));
    return 0;
}

void row_format_text(const struct row_format *format, const char *text, size_t length, struct strbuf *buf)
{
    strbuf_clear(buf);
    row_format_add(format, text, length, buf);
}

#define TEXT_MAX (4 * 1024 * 1024)

int row_format_encode(const struct row_format *format, struct cann_texts *texts, const char *const *marks,
                      struct err *err)
{
    bool marked = marks != NULL && (format->format == TABLE_CSV || format->format == TABLE_SPREADSHEET);
    struct strbuf buf, whole;
    int status = 0;
    strbuf_init(&buf, TEXT_MAX * JSON_TEXT_EXPANSION);
    strbuf_init(&whole, TEXT_MAX);
    for (size_t i = 0; status == 0 && i < texts->rows * texts->column_count; i++) {
        struct cann_text *item = &texts->items[i];
        const char *mark = marked ? marks[i % texts->column_count] : "";
        if (item->text == NULL)
            continue;
        strbuf_clear(&whole);
        strbuf_adds(&whole, mark);
        strbuf_add(&whole, item->text, item->length);
        strbuf_adds(&whole, mark);
        row_format_text(format, whole.data, whole.length, &buf);
        status = buf.failed || whole.failed
                     ? err_set(err, ERR_LIMIT, "a text of %u bytes is too long for a table", item->length)
                     : cann_texts_replace(texts, i, buf.data, buf.length, err);
    }
    strbuf_release(&buf);
    strbuf_release(&whole);
    return status;
}

/* ---- numbers ---- */

#define MOST_ZEROS 30 /* that stand for an exponent */

static char *put_fixed(char *p, int64_t value, unsigned decimals)
{
    uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value, power = 1;
    for (unsigned i = 0; i < decimals; i++)
        power *= 10;
    if (value < 0)
        *p++ = '-';
    p = number_put_unsigned(p, magnitude / power);
    if (decimals == 0)
        return p;
    *p++ = '.';
    for (uint64_t rest = magnitude % power; power > 1; rest %= power) {
        power /= 10;
        *p++ = (char)('0' + rest / power);
    }
    return p;
}

static char *put_float(char *p, int64_t value, unsigned decimals)
{
    char *end = number_put_shortest(p, value, decimals);
    if (memchr(p, '.', (size_t)(end - p)) != NULL)
        return end;
    memcpy(end, ".0", 2);
    return end + 2;
}

char *form_put_integer(char *p, enum report_form form, unsigned decimals, int64_t value)
{
    switch (form) {
    case FORM_SCALED:
        return number_put_shortest(p, value, decimals);
    case FORM_SCALED_FIXED:
        return put_fixed(p, value, decimals);
    case FORM_SCALED_FLOAT:
        return put_float(p, value, decimals);
    case FORM_UNSIGNED:
        return number_put_unsigned(p, (uint64_t)value);
    case FORM_TIME:
        return number_put_us(p, value);
    case FORM_FIXED:
        p = number_put_signed(p, value);
        if (decimals > 0)
            *p++ = '.';
        memset(p, '0', decimals);
        return p + decimals;
    case FORM_FLOAT:
        p = number_put_signed(p, value);
        memcpy(p, ".0", 2);
        return p + 2;
    default:
        return number_put_signed(p, value);
    }
}

/* Prints the shortest number that reads back the same; readers of tables know no exponents. */
static char *put_without_exponent(char *p, double real)
{
    char digits[REAL_SHORTEST_MAX];
    const size_t length = number_print_float(p, real);
    const char *mark = memchr(p, 'e', length);
    const long exponent = mark != NULL ? strtol(mark + 1, NULL, 10) : 0;
    size_t count = 0;
    if (mark == NULL || exponent < -MOST_ZEROS || exponent > MOST_ZEROS)
        return p + length;
    const bool negative = *p == '-';
    for (const char *from = p + negative; from < mark; from++) {
        if (*from != '.')
            digits[count++] = *from;
    }
    p += negative;
    if (exponent < 0) {
        memcpy(p, "0.", 2);
        memset(p + 2, '0', (size_t)-exponent - 1);
        p += 1 - exponent;
        memcpy(p, digits, count);
        return p + count;
    }
    for (size_t i = 0; i <= (size_t)exponent || i < count; i++) {
        if (i == (size_t)exponent + 1)
            *p++ = '.';
        *p++ = i < count ? digits[i] : '0';
    }
    if (count <= (size_t)exponent + 1) {
        memcpy(p, ".0", 2);
        p += 2;
    }
    return p;
}

/* No locale in C17's "C". */
char *form_put_real(char *p, enum report_form form, unsigned decimals, double real)
{
    static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
    if (form != FORM_FIXED && form != FORM_SHORTEST)
        return put_without_exponent(p, real);
    if (form == FORM_SHORTEST && decimals < sizeof powers / sizeof *powers && fabs(real) < 1e9) {
        /* Prints as printf would, but leaves it numbers that are nearly half between two. */
        double scaled = real * powers[decimals], nearest = nearbyint(scaled);
        if (fabs(fabs(scaled - nearest) - 0.5) > 1e-6)
            return number_put_shortest(p, (int64_t)nearest, decimals);
    }
    const int length = snprintf(p, FORM_NUMBER_MAX, "%.*f", (int)decimals, real);
    char *end = p + (length > 0 && length < FORM_NUMBER_MAX ? length : 0);
    if (form == FORM_FIXED || decimals == 0)
        return end;
    while (end[-1] == '0')
        end--;
    end -= end[-1] == '.';
    if (end == p + 2 && memcmp(p, "-0", 2) == 0) {
        *p = '0';
        end--;
    }
    return end;
}
