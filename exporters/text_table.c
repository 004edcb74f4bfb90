#include "exporters/text_table.h"

#include "base/utf8.h"

#include <errno.h>
#include <wchar.h>

#define TEXT_MINIMUM_WIDTH 8 /* a text column is not shrunk below this */

void text_table_init(struct text_table *table, const struct text_column *columns, size_t count)
{
    *table = (struct text_table){.columns = columns, .count = count};
    table->locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    struct table_cell titles[TABLE_MAX_COLUMNS];
    for (size_t i = 0; i < count; i++)
        titles[i] = cell_text(columns[i].title);
    text_table_measure(table, titles);
}

void text_table_release(struct text_table *table)
{
    if (table->locale != (locale_t)0)
        freelocale(table->locale);
    table->locale = (locale_t)0;
}

/* ---- characters ---- */

/* Widths are asked for with the table's locale, whatever the user's is; leave_locale undoes it. */
static locale_t enter_locale(const struct text_table *table)
{
    return table->locale == (locale_t)0 ? (locale_t)0 : uselocale(table->locale);
}

static void leave_locale(locale_t previous)
{
    if (previous != (locale_t)0)
        uselocale(previous);
}

/* The code of a well-formed character of so many bytes. */
static uint32_t code_point(const char *text, size_t bytes)
{
    static const unsigned char lead_mask[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t code = (unsigned char)text[0] & lead_mask[bytes];
    for (size_t i = 1; i < bytes; i++)
        code = code << 6 | ((unsigned char)text[i] & 0x3f);
    return code;
}

struct character {
    size_t bytes;
    size_t width;
    bool shown; /* false: a '?' stands for it */
};

static struct character character_at(const struct text_table *table, const char *text, size_t length)
{
    size_t bytes = utf8_character(text, length);
    if (bytes == 0)
        return (struct character){1, 1, false};
    uint32_t code = code_point(text, bytes);
    if (code >= 0x20 && code < 0x7f)
        return (struct character){1, 1, true};
    bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    int width = table->locale == (locale_t)0 ? 1 : wcwidth((wchar_t)code);
    if (control || width < 0)
        return (struct character){bytes, 1, false};
    return (struct character){bytes, (size_t)width, true};
}

/* May a line of this column end after the first byte of text? Values are joined by '/', but "N/A" and "GB/s" are whole.
 */
static bool is_break(enum text_column_kind kind, const char *text, size_t length)
{
    if (text[0] == ' ')
        return kind != NUMBER_COLUMN;
    if (kind == TEXT_COLUMN)
        return text[0] == ',' || text[0] == '/' || text[0] == '_';
    return kind == VALUES_COLUMN && text[0] == '/' && length > 1 &&
           ((text[1] >= '0' && text[1] <= '9') || text[1] == '-' || text[1] == 'N');
}

/* ---- first pass ---- */

static void measure_cell(struct text_table *table, size_t column, const char *text, size_t length)
{
    enum text_column_kind kind = table->columns[column].kind;
    size_t line = 0, unbroken = 0, widest = table->widths[column], longest = table->pieces[column];
    for (size_t i = 0; i < length;) {
        if (text[i] == '\n') {
            line = unbroken = 0;
            i++;
            continue;
        }
        struct character character = character_at(table, text + i, length - i);
        line += character.width;
        unbroken += character.width;
        widest = line > widest ? line : widest;
        longest = unbroken > longest ? unbroken : longest;
        if (is_break(kind, text + i, length - i))
            unbroken = 0;
        i += character.bytes;
    }
    table->widths[column] = widest;
    table->pieces[column] = longest;
}

void text_table_measure(struct text_table *table, const struct table_cell *cells)
{
    char buffer[NUMBER_MAX];
    locale_t previous = enter_locale(table);
    for (size_t i = 0; i < table->count; i++) {
        size_t length;
        const char *text = cell_as_text(&cells[i], buffer, &length);
        measure_cell(table, i, text, length);
    }
    leave_locale(previous);
}

/* Makes the widest columns narrower, none below its minimum, until the table's total width is within the limit or
 * nothing more can be done; returns the total. */
static size_t shrink(struct text_table *table, size_t total, size_t limit, const size_t *minimum)
{
    while (total > limit) {
        size_t widest = table->count;
        for (size_t i = 0; i < table->count; i++)
            if (table->widths[i] > minimum[i] && (widest == table->count || table->widths[i] > table->widths[widest]))
                widest = i;
        if (widest == table->count)
            break;
        table->widths[widest]--;
        total--;
    }
    return total;
}

/* First by wrapping between words, and only when that is not enough inside words of text. */
static void fit(struct text_table *table, size_t limit)
{
    size_t minimum[TABLE_MAX_COLUMNS], total = 3 * table->count + 1; /* edges and blanks */
    for (size_t i = 0; i < table->count; i++) {
        bool text = table->columns[i].kind == TEXT_COLUMN;
        minimum[i] = text && table->pieces[i] > TEXT_MINIMUM_WIDTH ? TEXT_MINIMUM_WIDTH : table->pieces[i];
        /* No column of a table that fits is wider than the limit: spares a long way down. */
        if (table->widths[i] > limit)
            table->widths[i] = minimum[i] > limit ? minimum[i] : limit;
        total += table->widths[i];
    }
    total = shrink(table, total, limit, table->pieces);
    shrink(table, total, limit, minimum);
}

/* ---- second pass ---- */

static void put(struct text_table *table, const char *bytes, size_t length)
{
    if (table->failure == 0 && fwrite(bytes, 1, length, table->stream) != length)
        table->failure = errno != 0 ? errno : EIO;
}

static void put_repeated(struct text_table *table, const char *text, size_t times)
{
    size_t length = strlen(text);
    for (size_t i = 0; i < times; i++)
        put(table, text, length);
}

static void put_rule(struct text_table *table, const char *left, const char *line, const char *cross, const char *right)
{
    put(table, left, strlen(left));
    for (size_t i = 0; i < table->count; i++) {
        if (i > 0)
            put(table, cross, strlen(cross));
        put_repeated(table, line, table->widths[i] + 2);
    }
    put(table, right, strlen(right));
    put(table, "\n", 1);
}

/* The part of a cell that is not printed yet. */
struct remainder {
    char buffer[NUMBER_MAX]; /* of a number */
    const char *text;
    size_t length;
    bool done;
};

struct line {
    const char *text;
    size_t length, width;
};

/* Takes the next line of at most `width` columns from a cell. */
static struct line take_line(const struct text_table *table, size_t column, struct remainder *cell)
{
    struct line line = {.text = cell->text};
    size_t allowed = table->widths[column], break_length = 0, break_width = 0;
    bool overflow = false;
    while (line.length < cell->length && cell->text[line.length] != '\n') {
        struct character character = character_at(table, cell->text + line.length, cell->length - line.length);
        overflow = line.length > 0 && line.width + character.width > allowed;
        if (overflow)
            break;
        bool breakable = is_break(table->columns[column].kind, cell->text + line.length, cell->length - line.length);
        line.length += character.bytes;
        line.width += character.width;
        if (breakable) {
            break_length = line.length;
            break_width = line.width;
        }
    }
    if (overflow && break_length > 0) {
        line.length = break_length;
        line.width = break_width;
    }
    size_t taken = line.length;
    if (!overflow) {
        cell->done = taken == cell->length;
        taken += cell->done ? 0 : 1;
    }
    cell->text += taken;
    cell->length -= taken;
    return line;
}

static void put_masked(struct text_table *table, const char *text, size_t length)
{
    size_t begin = 0, i = 0;
    while (i < length) {
        struct character character = character_at(table, text + i, length - i);
        if (!character.shown) {
            put(table, text + begin, i - begin);
            put(table, "?", 1);
            begin = i + character.bytes;
        }
        i += character.bytes;
    }
    put(table, text + begin, length - begin);
}

static void put_line(struct text_table *table, size_t column, const struct line *line)
{
    size_t blanks = table->widths[column] > line->width ? table->widths[column] - line->width : 0;
    bool left = table->columns[column].kind == TEXT_COLUMN;
    put_repeated(table, " ", left ? 1 : blanks + 1);
    put_masked(table, line->text, line->length);
    put_repeated(table, " ", left ? blanks + 1 : 1);
}

static void put_row(struct text_table *table, const struct table_cell *cells)
{
    struct remainder rest[TABLE_MAX_COLUMNS];
    size_t open = table->count;
    locale_t previous = enter_locale(table);
    for (size_t i = 0; i < table->count; i++) {
        rest[i].text = cell_as_text(&cells[i], rest[i].buffer, &rest[i].length);
        rest[i].done = false;
    }
    while (open > 0) {
        for (size_t i = 0; i < table->count; i++) {
            struct line line = {.text = ""};
            if (!rest[i].done) {
                line = take_line(table, i, &rest[i]);
                open -= rest[i].done;
            }
            put(table, "│", strlen("│"));
            put_line(table, i, &line);
        }
        put(table, "│\n", strlen("│\n"));
    }
    leave_locale(previous);
}

void text_table_begin(struct text_table *table, FILE *stream, int width)
{
    table->stream = stream;
    table->rows = 0;
    if (width > 0)
        fit(table, (size_t)width);
    struct table_cell titles[TABLE_MAX_COLUMNS];
    for (size_t i = 0; i < table->count; i++)
        titles[i] = cell_text(table->columns[i].title);
    put_rule(table, "╒", "═", "╤", "╕");
    put_row(table, titles);
}

void text_table_row(struct text_table *table, const struct table_cell *cells)
{
    if (table->rows == 0)
        put_rule(table, "╞", "═", "╪", "╡");
    else
        put_rule(table, "├", "─", "┼", "┤");
    put_row(table, cells);
    table->rows++;
}

int text_table_end(struct text_table *table, struct err *err)
{
    put_rule(table, "╘", "═", "╧", "╛");
    if (table->failure != 0)
        return err_set_errno(err, table->failure, "cannot write a table");
    return 0;
}
