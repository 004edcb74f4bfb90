/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/table/grid.h"

#include "base/array.h"
#include "base/language.h"
#include "base/utf8.h"
#include "base/words.h"
#include "exporters/table/terminal.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Columns of the terminal that a text keeps: first where other columns can be left out, then where none is left. */
#define LEAST_CUT 20
#define LEAST_OF_ALL 8

static int add_cell(struct grid *grid, const char *text, size_t length, struct err *err)
{
    if (grid->count == grid->capacity &&
        array_grow(&grid->cells, &grid->capacity, grid->count, grid->column_count, sizeof *grid->cells, err) < 0)
        return err_status(err);
    char *copy = strndup(text, length);
    if (copy == NULL)
        return err_no_memory(err);
    utf8_mask(copy);
    grid->cells[grid->count++] = copy;
    return 0;
}

int grid_cells(struct grid *grid, const struct table_cell *cells, struct err *err)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < grid->column_count; i++)
        status = add_cell(grid, cells[i].text, cells[i].length, err);
    return status;
}

int grid_row(struct grid *grid, const char *const *cells, struct err *err)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < grid->column_count; i++)
        status = add_cell(grid, cells[i] != NULL ? cells[i] : "", cells[i] != NULL ? strlen(cells[i]) : 0, err);
    return status;
}

void grid_release(struct grid *grid)
{
    for (size_t i = 0; i < grid->count; i++)
        free(grid->cells[i]);
    free(grid->cells);
    grid->cells = NULL;
    grid->count = grid->capacity = 0;
}

/* Measures of the columns that are shown. */
struct layout {
    size_t widths[GRID_MAX_COLUMNS];
    bool shown[GRID_MAX_COLUMNS];
    int ranks[GRID_MAX_COLUMNS]; /* least_first, larger for a column without a value in any row */
};

static size_t total_width(const struct grid *grid, const struct layout *layout)
{
    size_t sum = 0;

    for (size_t c = 0; c < grid->column_count; c++)
        if (layout->shown[c])
            sum += layout->widths[c] + (sum > 0 ? 2 : 0);
    return sum;
}

static bool drop_column(const struct grid *grid, struct layout *layout)
{
    size_t best = SIZE_MAX;

    for (size_t c = 0; c < grid->column_count; c++)
        if (layout->shown[c] && layout->ranks[c] > 0 && (best == SIZE_MAX || layout->ranks[c] > layout->ranks[best]))
            best = c;
    if (best != SIZE_MAX)
        layout->shown[best] = false;
    return best != SIZE_MAX;
}

/* Shows columns again that have room after all, the most important ones first: a wide one may have gone after them. */
static void show_again(const struct grid *grid, struct layout *layout, size_t width)
{
    bool tried[GRID_MAX_COLUMNS] = {false};

    for (;;) {
        size_t best = SIZE_MAX;
        for (size_t c = 0; c < grid->column_count; c++)
            if (!layout->shown[c] && !tried[c] && (best == SIZE_MAX || layout->ranks[c] < layout->ranks[best]))
                best = c;
        if (best == SIZE_MAX)
            return;
        tried[best] = layout->shown[best] = true;
        layout->shown[best] = total_width(grid, layout) <= width;
    }
}

/* Cuts the widest text as far as it may, then drops columns. */
static void fit(const struct grid *grid, struct layout *layout, size_t width, size_t least)
{
    size_t natural[GRID_MAX_COLUMNS];

    memcpy(natural, layout->widths, sizeof natural);
    do {
        memcpy(layout->widths, natural, sizeof natural);
        for (size_t over = total_width(grid, layout); over > width; over = total_width(grid, layout)) {
            size_t widest = SIZE_MAX;
            for (size_t c = 0; c < grid->column_count; c++)
                if (layout->shown[c] && grid->columns[c].cut && layout->widths[c] > least &&
                    (widest == SIZE_MAX || layout->widths[c] > layout->widths[widest]))
                    widest = c;
            if (widest == SIZE_MAX)
                break;
            size_t most = layout->widths[widest] - least, wanted = over - width;
            layout->widths[widest] -= wanted < most ? wanted : most;
        }
    } while (total_width(grid, layout) > width && drop_column(grid, layout));
}

/* Bytes of a text that take at most `width` columns from its start; *ret_used: so many they take. */
static size_t bytes_from_start(const struct display *display, struct table_cell cell, size_t width, size_t *ret_used)
{
    size_t at = 0;

    *ret_used = 0;
    while (at < cell.length) {
        struct display_character character = display_character_at(display, cell.text + at, cell.length - at);
        if (*ret_used + character.width > width)
            break;
        *ret_used += character.width;
        at += character.bytes;
    }
    return at;
}

static void put_cell(FILE *stream, const struct display *display, const struct grid_column *column,
                     struct table_cell cell, size_t width, bool last, bool ascii)
{
    size_t natural = display_width(display, cell.text, cell.length), head, tail, used, skipped;

    if (natural <= width) {
        fprintf(stream, "%*s%.*s%*s", column->number ? (int)(width - natural) : 0, "", (int)cell.length, cell.text,
                column->number || last ? 0 : (int)(width - natural), "");
        return;
    }
    size_t dots = ascii ? 3 : 1, room = width > dots ? width - dots : 0;
    locale_t previous = display_enter(display);
    head = bytes_from_start(display, cell, room / 2, &used);
    tail = bytes_from_start(display, cell, natural - (room - used), &skipped);
    display_leave(previous);
    fprintf(stream, "%.*s%s%.*s", (int)head, cell.text, ascii ? "..." : "\xe2\x80\xa6", (int)(cell.length - tail),
            cell.text + tail);
    if (!last)
        fprintf(
            stream, "%*s",
            (int)(width - used - dots - (natural - skipped) < width ? width - used - dots - (natural - skipped) : 0),
            "");
}

static void print_line(const struct grid *grid, const struct layout *layout, const struct display *display,
                       FILE *stream, const struct table_cell *cells, bool ascii)
{
    size_t last = 0;
    bool any = false;

    for (size_t c = 0; c < grid->column_count; c++)
        if (layout->shown[c])
            last = c;
    for (size_t c = 0; c < grid->column_count; c++) {
        if (!layout->shown[c])
            continue;
        fputs(any ? "  " : "", stream);
        any = true;
        put_cell(stream, display, &grid->columns[c], cells[c], layout->widths[c], c == last, ascii);
    }
    fputc('\n', stream);
}

/* Bytes of the first line of a text, which ends where a word does, of at most so many columns. */
static size_t line_length(const struct display *display, const char *text, size_t width)
{
    const struct table_cell cell = {text, strlen(text)};
    size_t used;
    locale_t previous = display_enter(display);
    size_t length = bytes_from_start(display, cell, width, &used), end = length;
    display_leave(previous);

    while (length < cell.length && end > 0 && text[end] != ' ' && !utf8_may_break(text, end))
        end--;
    return end > 0 ? end : length > 0 ? length : cell.length;
}

/* Prints a row, whose texts that go on take as many lines as they need. */
static void print_row(const struct grid *grid, const struct layout *layout, const struct display *display, FILE *stream,
                      const char *const *cells, bool ascii)
{
    struct table_cell line[GRID_MAX_COLUMNS];
    const char *rest[GRID_MAX_COLUMNS];
    bool more = true;

    memcpy(rest, cells, grid->column_count * sizeof *rest);
    while (more) {
        more = false;
        for (size_t c = 0; c < grid->column_count; c++) {
            const bool goes_on = grid->columns[c].goes_on && layout->shown[c];
            const size_t length = goes_on ? line_length(display, rest[c], layout->widths[c]) : strlen(rest[c]);
            line[c] = (struct table_cell){rest[c], length};
            rest[c] += length;
            rest[c] += strspn(rest[c], " ");
            more |= *rest[c] != '\0';
        }
        print_line(grid, layout, display, stream, line, ascii);
    }
}

/* ---- titles ---- */

/* Whether a title may be broken between ideographs: two and more stay together. */
static bool may_end_ideographs(const char *title, size_t length)
{
    const size_t two = 6; /* bytes */

    return length >= two && utf8_may_break(title, length) && strcspn(title + length, "(") >= two;
}

/* The first piece of a title that no line may end in: up to a blank or '_', an ideograph, or the '(' of the unit. */
static size_t title_piece(const char *title)
{
    size_t length = title[0] != '\0';

    while (title[length] != '\0' && title[length] != '(' && title[length - 1] != ' ' && title[length - 1] != '_' &&
           !may_end_ideographs(title, length))
        length++;
    return length;
}

static size_t longest_piece(const struct display *display, const char *title)
{
    size_t longest = 0;

    for (size_t length; (length = title_piece(title)) > 0; title += length) {
        const size_t width = display_width(display, title, length);
        longest = width > longest ? width : longest;
    }
    return longest;
}

/* Takes the next line off a title, of at most width columns, or of one piece. */
static struct table_cell take_title_line(const struct display *display, const char **title, size_t width)
{
    struct table_cell line = {*title, 0};

    for (size_t length; (length = title_piece(*title)) > 0 &&
                        (line.length == 0 || display_width(display, line.text, line.length + length) <= width);
         *title += length)
        line.length += length;
    while (line.length > 0 && line.text[line.length - 1] == ' ')
        line.length--;
    return line;
}

static void print_titles(const struct grid *grid, const struct layout *layout, const struct display *display,
                         FILE *stream, bool ascii)
{
    struct table_cell cells[GRID_MAX_COLUMNS];
    const char *rest[GRID_MAX_COLUMNS];
    bool more = true;

    for (size_t c = 0; c < grid->column_count; c++)
        rest[c] = language_shown(grid->columns[c].title);
    while (more) {
        more = false;
        for (size_t c = 0; c < grid->column_count; c++) {
            cells[c] = take_title_line(display, &rest[c], layout->widths[c]);
            more |= layout->shown[c] && *rest[c] != '\0';
        }
        print_line(grid, layout, display, stream, cells, ascii);
    }
}

/* ---- tables ---- */

static bool has_a_value(const struct grid *grid, size_t column)
{
    size_t i = column;

    while (i < grid->count && strcmp(grid->cells[i], "N/A") == 0)
        i += grid->column_count;
    return i < grid->count || grid->count == 0;
}

static void measure(const struct grid *grid, const struct display *display, struct layout *layout, bool wrapped)
{
    for (size_t c = 0; c < grid->column_count; c++) {
        const char *title = language_shown(grid->columns[c].title);
        layout->shown[c] = true;
        layout->ranks[c] = grid->columns[c].least_first;
        if (layout->ranks[c] > 0 && !has_a_value(grid, c))
            layout->ranks[c] += GRID_MAX_COLUMNS;
        layout->widths[c] = wrapped ? longest_piece(display, title) : display_width(display, title, strlen(title));
    }
    for (size_t i = 0; i < grid->count; i++) {
        // NOLINTNEXTLINE(clang-analyzer-core.DivideZero)
        size_t cell = display_width(display, grid->cells[i], strlen(grid->cells[i])), c = i % grid->column_count;
        if (cell > layout->widths[c])
            layout->widths[c] = cell;
    }
}

static void tell_left_out(const struct grid *grid, const struct layout *layout, const struct display *display,
                          FILE *stream, size_t width)
{
    const char *begin = language_shown("(left out at this width: ");
    size_t at = 0;

    for (size_t c = 0; c < grid->column_count; c++) {
        const char *title = language_shown(grid->columns[c].title);
        size_t length = display_width(display, title, strlen(title));
        if (layout->shown[c])
            continue;
        if (at == 0) {
            at = display_width(display, begin, strlen(begin));
            fputs(begin, stream);
            if (at + length >= width) {
                fputs("\n  ", stream);
                at = 2;
            }
        } else if (at + 2 + length >= width) {
            fputs(",\n  ", stream);
            at = 2;
        } else {
            fputs(", ", stream);
            at += 2;
        }
        fputs(title, stream);
        at += length;
    }
    fputs(at > 0 ? ")\n" : "", stream);
}

static void keep_ascii(struct grid *grid)
{
    for (size_t i = 0; i < grid->count; i++)
        for (char *c = grid->cells[i]; *c != '\0'; c++)
            *c = (unsigned char)*c < 0x80 ? *c : '?';
}

static void print_table(struct grid *grid, FILE *stream, int width, bool ascii)
{
    struct layout layout;
    SCOPED(display_release) struct display display;

    if (ascii && width > 0)
        keep_ascii(grid);
    display_init(&display);
    measure(grid, &display, &layout, false);
    if (width > 0 && total_width(grid, &layout) > (size_t)width) {
        measure(grid, &display, &layout, true);
        fit(grid, &layout, (size_t)width, LEAST_CUT);
        fit(grid, &layout, (size_t)width, LEAST_OF_ALL);
        show_again(grid, &layout, (size_t)width);
    }
    print_titles(grid, &layout, &display, stream, ascii);
    for (size_t i = 0; i < grid->count; i += grid->column_count)
        print_row(grid, &layout, &display, stream, (const char *const *)grid->cells + i, ascii);
    tell_left_out(grid, &layout, &display, stream, (size_t)width);
}

/* ---- numbers ---- */

static size_t decimals_of(const char *text)
{
    const char *point = strchr(text, '.');

    return point != NULL ? strlen(point + 1) : 0;
}

static bool is_number(const char *text)
{
    size_t digits = strspn(text + (text[0] == '-'), "0123456789.");

    return digits > 0 && text[(text[0] == '-') + digits] == '\0';
}

/* Rewrites a number with so many decimals, or a time in another unit. */
static int rewrite(char **cell, size_t decimals, bool time, double unit_us, struct err *err)
{
    char text[64];
    size_t given = decimals_of(*cell);

    if (time && unit_us > 1)
        snprintf(text, sizeof text, "%.3f", strtod(*cell, NULL) / unit_us);
    else
        snprintf(text, sizeof text, "%s%s%.*s", *cell, given == 0 && decimals > 0 ? "." : "", (int)(decimals - given),
                 "000000000000");
    char *copy = strdup(text);
    if (copy == NULL)
        return err_no_memory(err);
    free(*cell);
    *cell = copy;
    return 0;
}

/* The largest number of a column, and the most decimals. */
static double survey_column(const struct grid *grid, size_t c, size_t *ret_decimals)
{
    double largest = 0;

    *ret_decimals = 0;
    for (size_t i = c; i < grid->count; i += grid->column_count) {
        if (!is_number(grid->cells[i]) || decimals_of(grid->cells[i]) > 12)
            continue;
        *ret_decimals = decimals_of(grid->cells[i]) > *ret_decimals ? decimals_of(grid->cells[i]) : *ret_decimals;
        largest = fmax(largest, fabs(strtod(grid->cells[i], NULL)));
    }
    return largest;
}

/* The unit in which every time of a table can be read: that of the column whose times are shortest; microseconds where
 * a column stays in them, as points in time do. */
static struct time_unit unit_of_times(const struct grid *grid)
{
    double least = INFINITY;
    size_t ignored;

    for (size_t c = 0; c < grid->column_count; c++) {
        if (!grid->columns[c].time && words_end_in(grid->columns[c].title, "(us)"))
            return time_unit_for(0);
        double largest = grid->columns[c].number && grid->columns[c].time ? survey_column(grid, c, &ignored) : 0;
        if (largest > 0)
            least = fmin(least, largest * 1e3);
    }
    return time_unit_for(isfinite(least) ? least : 0);
}

static int unite_column(struct grid *grid, size_t c, struct time_unit unit, struct err *err)
{
    bool time = grid->columns[c].time;
    size_t decimals;
    int status = 0;

    survey_column(grid, c, &decimals);
    if (time)
        decimals = 3;
    for (size_t i = c; status == 0 && i < grid->count; i += grid->column_count)
        if (is_number(grid->cells[i]) && decimals_of(grid->cells[i]) <= decimals)
            status = rewrite(&grid->cells[i], decimals, time, unit.ns / 1e3, err);
    return status;
}

int grid_unite_numbers(struct grid *grid, struct grid_column *columns, char **titles, struct err *err)
{
    const struct time_unit unit = unit_of_times(grid);
    int status = 0;

    for (size_t c = 0; status == 0 && c < grid->column_count; c++) {
        if (!columns[c].number)
            continue;
        status = unite_column(grid, c, unit, err);
        const char *title = language_shown(columns[c].title);
        size_t length = strlen(title);
        if (status != 0 || !columns[c].time || length < sizeof "(us)" - 1)
            continue;
        if (asprintf(&titles[c], "%.*s(%s)", (int)(length - (sizeof "(us)" - 1)), title, unit.name) < 0) {
            titles[c] = NULL;
            return err_no_memory(err);
        }
        columns[c].title = titles[c];
    }
    return status;
}

static void print_csv_line(const struct grid *grid, FILE *stream, const char *const *cells)
{
    static const struct row_format csv = {.format = TABLE_CSV};
    struct strbuf text;

    strbuf_init(&text, SIZE_MAX / 2);
    for (size_t c = 0; c < grid->column_count; c++) {
        row_format_text(&csv, cells[c], strlen(cells[c]), &text);
        fprintf(stream, "%s%s", c > 0 ? "," : "", text.data);
    }
    fputc('\n', stream);
    strbuf_release(&text);
}

void grid_put_safe_line(FILE *stream, const char *text, bool markdown)
{
    char *safe = strdup(text);
    if (safe != NULL)
        utf8_mask(safe);
    for (const char *p = safe; p != NULL && *p != '\0'; p++) {
        if (markdown && strchr("\\`*_{}[]()#+-!|<>&~$@:", *p) != NULL)
            fputc('\\', stream);
        fputc(*p, stream);
    }
    free(safe);
}

FILE *grid_wrap_begin(struct grid_wrap *wrap, FILE *stream, int width)
{
    *wrap = (struct grid_wrap){.stream = stream, .width = width};
    FILE *file = width > 0 ? open_memstream(&wrap->text, &wrap->length) : NULL;
    return file != NULL ? file : stream;
}

static void put_wrapped_line(const struct display *display, FILE *stream, char *line, size_t width)
{
    const size_t indent = strspn(line, " ");
    const size_t room = width > indent ? width - indent : 1;

    fprintf(stream, "%.*s", (int)indent, line);
    for (const char *rest = line + indent; *rest != '\0';) {
        const size_t length = line_length(display, rest, room);
        fprintf(stream, "%.*s", (int)length, rest);
        rest += length;
        rest += strspn(rest, " ");
        if (*rest != '\0')
            fprintf(stream, "\n%*s", (int)indent, "");
    }
    fputc('\n', stream);
}

void grid_wrap_end(struct grid_wrap *wrap, FILE *file)
{
    if (file == wrap->stream)
        return;
    SCOPED(display_release) struct display display;
    display_init(&display);
    fclose(file);
    for (char *line = wrap->text, *end; line != NULL && *line != '\0'; line = end) {
        end = line + strcspn(line, "\n");
        end += *end == '\n' ? (*end = '\0', 1) : 0;
        if (display_width(&display, line, strlen(line)) <= (size_t)wrap->width)
            fprintf(wrap->stream, "%s\n", line);
        else
            put_wrapped_line(&display, wrap->stream, line, (size_t)wrap->width);
    }
    free(wrap->text);
}

static void print_markdown(const struct grid *grid, FILE *stream)
{
    fputc('|', stream);
    for (size_t c = 0; c < grid->column_count; c++)
        fprintf(stream, " %s |", grid->columns[c].title);
    fputs("\n|", stream);
    for (size_t c = 0; c < grid->column_count; c++)
        fputs(grid->columns[c].number ? " ---: |" : " --- |", stream);
    fputc('\n', stream);
    for (size_t i = 0; i < grid->count; i++) {
        // NOLINTNEXTLINE(clang-analyzer-core.DivideZero)
        fputs(i % grid->column_count == 0 ? "| " : " ", stream);
        // NOLINTNEXTLINE(clang-analyzer-core.DivideZero)
        if (grid->columns[i % grid->column_count].number)
            fputs(grid->cells[i], stream);
        else
            grid_put_safe_line(stream, grid->cells[i], true);
        fputs((i + 1) % grid->column_count == 0 ? " |\n" : " |", stream);
    }
}

void grid_print(struct grid *grid, FILE *stream, enum grid_format format, int width, bool ascii)
{
    const char *titles[GRID_MAX_COLUMNS];

    if (format == GRID_TABLE) {
        print_table(grid, stream, width, ascii);
    } else if (format == GRID_MARKDOWN) {
        print_markdown(grid, stream);
    } else {
        for (size_t c = 0; c < grid->column_count; c++)
            titles[c] = grid->columns[c].title;
        print_csv_line(grid, stream, titles);
        for (size_t i = 0; i < grid->count; i += grid->column_count)
            print_csv_line(grid, stream, (const char *const *)grid->cells + i);
    }
}

struct time_unit time_unit_for(double largest_ns)
{
    static const struct time_unit units[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}};
    const double enough = 10; /* of a unit */

    for (size_t i = 0; i + 1 < sizeof units / sizeof *units; i++)
        if (fabs(largest_ns) >= enough * units[i].ns)
            return units[i];
    return units[2];
}
