/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/table/terminal.h"

#include "base/utf8.h"

#include <errno.h>
#include <stdint.h>
#include <wchar.h>

/* ---- display ---- */

void display_init(struct display *display)
{
    display->locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

void display_release(struct display *display)
{
    if (display->locale != (locale_t)0)
        freelocale(display->locale);
    display->locale = (locale_t)0;
}

locale_t display_enter(const struct display *display)
{
    return display->locale == (locale_t)0 ? (locale_t)0 : uselocale(display->locale);
}

void display_leave(locale_t previous)
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

struct display_character display_character_at(const struct display *display, const char *text, size_t length)
{
    size_t bytes = utf8_character(text, length);
    if (bytes == 0)
        return (struct display_character){1, 1, false};
    uint32_t code = code_point(text, bytes);
    if (code >= 0x20 && code < 0x7f)
        return (struct display_character){1, 1, true};
    bool control = code < 0x20 || utf8_is_control(text, bytes);
    int width = display->locale != (locale_t)0 ? wcwidth((wchar_t)code) : utf8_is_ideograph(text) ? 2 : 1;
    if (control || width < 0)
        return (struct display_character){bytes, 1, false};
    return (struct display_character){bytes, (size_t)width, true};
}

size_t display_width(const struct display *display, const char *text, size_t length)
{
    size_t width = 0;
    locale_t previous = display_enter(display);
    for (size_t i = 0; i < length;) {
        struct display_character character = display_character_at(display, text + i, length - i);
        width += character.width;
        i += character.bytes;
    }
    display_leave(previous);
    return width;
}

/* ---- where lines may end ---- */

enum wrapping { WRAP_TITLE, WRAP_TEXT, WRAP_VALUES, WRAP_NEVER };

static enum wrapping cell_wrapping(enum text_column_kind kind)
{
    return kind == TEXT_COLUMN ? WRAP_TEXT : kind == VALUES_COLUMN ? WRAP_VALUES : WRAP_NEVER;
}

/* May a line end after the first character of text, which has so many bytes? Values are joined by '/', but "N/A" is
 * whole. */
static bool is_break(enum wrapping wrapping, const char *text, size_t bytes, size_t length)
{
    char next = length > bytes ? text[bytes] : '\0';
    switch (wrapping) {
    case WRAP_TITLE:
        return text[0] == ' ' || next == '(' || (length >= bytes + 6 && utf8_may_break(text, bytes));
    case WRAP_TEXT:
        return text[0] == ' ' || text[0] == ',' || text[0] == '/' || text[0] == '_';
    case WRAP_VALUES:
        return text[0] == '/' && ((next >= '0' && next <= '9') || next == '-' || next == 'N');
    case WRAP_NEVER:
        break;
    }
    return false;
}

/* ---- first pass ---- */

static struct text_extent measure(const struct text_table *table, enum wrapping wrapping, const char *text,
                                  size_t length)
{
    struct text_extent extent = {0};
    size_t line = 0, piece = 0;
    for (size_t i = 0; i < length;) {
        struct display_character character = display_character_at(&table->display, text + i, length - i);
        if (text[i] == '\n') {
            line = piece = 0;
        } else {
            bool breakable = is_break(wrapping, text + i, character.bytes, length - i);
            /* A blank that ends a line is not printed; one that begins it is. */
            bool vanishes = breakable && text[i] == ' ' && line > 0;
            line += character.width;
            piece += vanishes ? 0 : character.width;
            extent.line = line > extent.line ? line : extent.line;
            extent.piece = piece > extent.piece ? piece : extent.piece;
            if (vanishes || (breakable && text[i] != ' '))
                piece = 0;
        }
        i += character.bytes;
    }
    return extent;
}

void text_table_init(struct text_table *table, const struct text_column *columns, size_t count)
{
    *table = (struct text_table){.columns = columns, .count = count};
    display_init(&table->display);
    locale_t previous = display_enter(&table->display);
    for (size_t i = 0; i < count; i++) {
        table->extents[i] = measure(table, WRAP_TITLE, columns[i].title, strlen(columns[i].title));
        table->extents[i].title_word = table->extents[i].piece;
    }
    display_leave(previous);
}

void text_table_release(struct text_table *table)
{
    display_release(&table->display);
}

void text_table_measure(struct text_table *table, const struct table_cell *cells)
{
    locale_t previous = display_enter(&table->display);
    for (size_t i = 0; i < table->count; i++) {
        struct text_extent *extent = &table->extents[i];
        struct text_extent cell = measure(table, cell_wrapping(table->columns[i].kind), cells[i].text, cells[i].length);
        extent->line = cell.line > extent->line ? cell.line : extent->line;
        extent->piece = cell.piece > extent->piece ? cell.piece : extent->piece;
        extent->cell = cell.line > extent->cell ? cell.line : extent->cell;
        table->tall |= memchr(cells[i].text, '\n', cells[i].length) != NULL;
    }
    display_leave(previous);
}

/* ---- fitting into a width ---- */

/* From the most readable to the narrowest. */
static const struct way {
    size_t padding;
    bool stacked;
    size_t shortest; /* width of a text column whose words are broken */
} ways[] = {{1, false, 8}, {0, false, 8}, {1, true, 8}, {0, true, 8}, {0, true, 4}};

/* Text columns may become so narrow that words are broken, but not narrower than the way says, nor than a word of the
 * title. */
static size_t minimum_width(const struct text_table *table, size_t column, const struct way *way)
{
    const struct text_extent *extent = &table->extents[column];
    if (table->columns[column].kind != TEXT_COLUMN || extent->piece <= way->shortest)
        return extent->piece;
    return extent->title_word > way->shortest ? extent->title_word : way->shortest;
}

/* Makes the widest stacks narrower, none below its minimum, until the table's total width is within the limit or
 * nothing more can be done; returns the total. */
static size_t shrink(struct text_table *table, size_t total, size_t limit, const size_t *minimum)
{
    while (total > limit) {
        struct text_stack *widest = NULL;
        for (size_t i = 0; i < table->stack_count; i++) {
            struct text_stack *stack = &table->stacks[i];
            if (stack->width > minimum[i] && (widest == NULL || stack->width > widest->width))
                widest = stack;
        }
        if (widest == NULL)
            break;
        widest->width--;
        total--;
    }
    return total;
}

/* Lays the columns out, first by wrapping between words, and only when that is not enough inside words of text. Returns
 * the table's total width. */
static size_t lay_out(struct text_table *table, const struct way *way, size_t limit)
{
    size_t pieces[TABLE_MAX_COLUMNS] = {0}, minimum[TABLE_MAX_COLUMNS] = {0};
    table->padding = way->padding;
    table->stack_count = 0;
    for (size_t i = 0; i < table->count; i++) {
        if (i == 0 || !way->stacked || !table->columns[i].stackable)
            table->stacks[table->stack_count++] = (struct text_stack){.first = i};
        size_t last = table->stack_count - 1, least = minimum_width(table, i, way);
        struct text_stack *stack = &table->stacks[last];
        const struct text_extent *extent = &table->extents[i];
        stack->end = i + 1;
        stack->width = extent->line > stack->width ? extent->line : stack->width;
        pieces[last] = extent->piece > pieces[last] ? extent->piece : pieces[last];
        minimum[last] = least > minimum[last] ? least : minimum[last];
    }
    size_t total = table->stack_count + 1;
    for (size_t i = 0; i < table->stack_count; i++) {
        /* No column of a table that fits is wider than the limit: spares a long way down. */
        size_t most = minimum[i] > limit ? minimum[i] : limit;
        if (table->stacks[i].width > most)
            table->stacks[i].width = most;
        total += table->stacks[i].width + 2 * table->padding;
    }
    total = shrink(table, total, limit, pieces);
    return shrink(table, total, limit, minimum);
}

static void fit(struct text_table *table, size_t limit)
{
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (lay_out(table, &ways[i], limit) <= limit)
            return;
}

/* ---- second pass ---- */

static void put(struct text_table *table, const char *bytes, size_t length)
{
    if (table->failure == 0 && fwrite(bytes, 1, length, table->stream) != length)
        table->failure = errno != 0 ? errno : EIO;
}

static void put_repeated(struct text_table *table, const char *text, size_t times)
{
    char run[256];
    const size_t length = strlen(text), most = sizeof run / length, filled = times < most ? times : most;
    for (size_t i = 0; i < filled; i++)
        memcpy(run + i * length, text, length);
    for (size_t now; times > 0; times -= now) {
        now = times < filled ? times : filled;
        put(table, run, now * length);
    }
}

/* Parts of a rule: its ends, its line, and where columns meet. */
enum rule { RULE_TOP, RULE_HEAD, RULE_ROW, RULE_BOTTOM };
static const struct frame {
    const char *left, *line, *cross, *right;
} frames[][4] = {
    {{"╒", "═", "╤", "╕"}, {"╞", "═", "╪", "╡"}, {"├", "─", "┼", "┤"}, {"╘", "═", "╧", "╛"}},
    {{"+", "=", "+", "+"}, {"+", "=", "+", "+"}, {"+", "-", "+", "+"}, {"+", "=", "+", "+"}},
};

static void put_rule(struct text_table *table, enum rule rule)
{
    const struct frame *frame = &frames[table->ascii][rule];
    put(table, frame->left, strlen(frame->left));
    for (size_t i = 0; i < table->stack_count; i++) {
        if (i > 0)
            put(table, frame->cross, strlen(frame->cross));
        put_repeated(table, frame->line, table->stacks[i].width + 2 * table->padding);
    }
    put(table, frame->right, strlen(frame->right));
    put(table, "\n", 1);
}

/* Whether a row can take several lines. */
static bool has_tall_rows(const struct text_table *table)
{
    bool tall = table->tall;
    for (size_t i = 0; i < table->stack_count; i++) {
        const struct text_stack *stack = &table->stacks[i];
        tall |= stack->end > stack->first + 1 || table->extents[stack->first].cell > stack->width;
    }
    return tall;
}

/* The part of a cell that is not printed yet. */
struct remainder {
    enum wrapping wrapping;
    const char *text;
    size_t length;
    bool done;
};

struct line {
    const char *text;
    size_t length, width;
};

/* Takes what was printed, and the blanks or the end of line behind it, from a cell. */
static void take(struct remainder *cell, size_t taken, bool blanks)
{
    while (blanks && taken < cell->length && cell->text[taken] == ' ')
        taken++;
    cell->done = taken == cell->length;
    if (!cell->done && cell->text[taken] == '\n')
        taken++;
    cell->text += taken;
    cell->length -= taken;
}

/* Takes the next line of at most `allowed` columns from a cell. */
static struct line take_line(const struct text_table *table, size_t allowed, struct remainder *cell)
{
    struct line line = {.text = cell->text}, broken = {.text = cell->text};
    bool overflow = false;
    while (line.length < cell->length && cell->text[line.length] != '\n') {
        const char *text = cell->text + line.length;
        size_t length = cell->length - line.length;
        struct display_character character = display_character_at(&table->display, text, length);
        bool breakable = is_break(cell->wrapping, text, character.bytes, length);
        if (breakable && *text == ' ')
            broken = line;
        overflow = line.length > 0 && line.width + character.width > allowed;
        if (overflow)
            break;
        line.length += character.bytes;
        line.width += character.width;
        if (breakable && *text != ' ')
            broken = line;
    }
    bool wrapped = overflow && broken.length > 0;
    if (wrapped)
        line = broken;
    take(cell, line.length, wrapped);
    return line;
}

static void put_masked(struct text_table *table, const char *text, size_t length)
{
    size_t begin = 0, i = 0;
    while (i < length) {
        struct display_character character = display_character_at(&table->display, text + i, length - i);
        if (!character.shown) {
            put(table, text + begin, i - begin);
            put(table, "?", 1);
            begin = i + character.bytes;
        }
        i += character.bytes;
    }
    put(table, text + begin, length - begin);
}

static void put_line(struct text_table *table, enum text_column_kind kind, size_t width, const struct line *line)
{
    size_t blanks = width > line->width ? width - line->width : 0;
    put_repeated(table, " ", table->padding + (kind == TEXT_COLUMN ? 0 : blanks));
    put_masked(table, line->text, line->length);
    put_repeated(table, " ", table->padding + (kind == TEXT_COLUMN ? blanks : 0));
}

/* Prints cells, whose remainders are set, line by line. */
static void put_cells(struct text_table *table, struct remainder *cells)
{
    size_t columns[TABLE_MAX_COLUMNS] = {0}; /* of each stack: the column that is printed now */
    size_t open = table->stack_count;
    const char *edge = table->ascii ? "|" : "│";
    locale_t previous = display_enter(&table->display);
    for (size_t i = 0; i < table->stack_count; i++)
        columns[i] = table->stacks[i].first;
    while (open > 0) {
        for (size_t i = 0; i < table->stack_count; i++) {
            const struct text_stack *stack = &table->stacks[i];
            size_t column = columns[i];
            enum text_column_kind kind = TEXT_COLUMN;
            struct line line = {.text = ""};
            if (column < stack->end) {
                kind = table->columns[column].kind;
                line = take_line(table, stack->width, &cells[column]);
                columns[i] += cells[column].done;
                open -= columns[i] == stack->end;
            }
            put(table, edge, strlen(edge));
            put_line(table, kind, stack->width, &line);
        }
        put(table, edge, strlen(edge));
        put(table, "\n", 1);
    }
    display_leave(previous);
}

static void put_titles(struct text_table *table)
{
    struct remainder cells[TABLE_MAX_COLUMNS] = {0};
    for (size_t i = 0; i < table->count; i++) {
        const char *title = table->columns[i].title;
        cells[i] = (struct remainder){.wrapping = WRAP_TITLE, .text = title, .length = strlen(title)};
    }
    put_cells(table, cells);
}

static void put_row(struct text_table *table, const struct table_cell *cells)
{
    struct remainder rest[TABLE_MAX_COLUMNS] = {0};
    for (size_t i = 0; i < table->count; i++)
        rest[i] = (struct remainder){cell_wrapping(table->columns[i].kind), cells[i].text, cells[i].length, false};
    put_cells(table, rest);
}

void text_table_begin(struct text_table *table, FILE *stream, int width)
{
    table->stream = stream;
    table->rows = 0;
    fit(table, width > 0 ? (size_t)width : SIZE_MAX);
    table->ruled = !table->compact || has_tall_rows(table);
    put_rule(table, RULE_TOP);
    put_titles(table);
}

void text_table_row(struct text_table *table, const struct table_cell *cells)
{
    if (table->rows == 0 || table->ruled)
        put_rule(table, table->rows == 0 ? RULE_HEAD : RULE_ROW);
    put_row(table, cells);
    table->rows++;
}

int text_table_end(struct text_table *table, struct err *err)
{
    put_rule(table, RULE_BOTTOM);
    if (table->failure != 0)
        return err_set_errno(err, table->failure, "cannot write a table");
    return 0;
}
