#include "exporters/answers/grid.h"

#include "base/array.h"
#include "exporters/json_text.h"
#include "exporters/show/display.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_CUT 12 /* columns that a text keeps */

int grid_row(struct grid *grid, const char *const *cells, struct err *err)
{
    if (grid->capacity - grid->count < grid->column_count) {
        int status =
            array_grow(&grid->cells, &grid->capacity, grid->count, grid->column_count, sizeof *grid->cells, err);
        if (status != 0)
            return status;
    }
    for (size_t i = 0; i < grid->column_count; i++) {
        char *copy = strdup(cells[i] != NULL ? cells[i] : "");
        if (copy == NULL)
            return err_set(err, ERR_NO_MEMORY, "out of memory");
        err_mask_text(copy);
        grid->cells[grid->count++] = copy;
    }
    return 0;
}

void grid_release(struct grid *grid)
{
    for (size_t i = 0; i < grid->count; i++)
        free(grid->cells[i]);
    free(grid->cells);
    grid->cells = NULL;
    grid->count = grid->capacity = 0;
}

/* What is measured of the columns that are shown. */
struct layout {
    size_t widths[GRID_MAX_COLUMNS];
    bool shown[GRID_MAX_COLUMNS];
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
        if (layout->shown[c] && grid->columns[c].least_first > 0 &&
            (best == SIZE_MAX || grid->columns[c].least_first > grid->columns[best].least_first))
            best = c;
    if (best != SIZE_MAX)
        layout->shown[best] = false;
    return best != SIZE_MAX;
}

/* Cuts the widest text as far as it may, then drops columns. */
static void fit(const struct grid *grid, struct layout *layout, size_t width)
{
    size_t natural[GRID_MAX_COLUMNS];

    memcpy(natural, layout->widths, sizeof natural);
    do {
        memcpy(layout->widths, natural, sizeof natural);
        for (size_t over = total_width(grid, layout); over > width; over = total_width(grid, layout)) {
            size_t widest = SIZE_MAX;
            for (size_t c = 0; c < grid->column_count; c++)
                if (layout->shown[c] && grid->columns[c].cut && layout->widths[c] > LEAST_CUT &&
                    (widest == SIZE_MAX || layout->widths[c] > layout->widths[widest]))
                    widest = c;
            if (widest == SIZE_MAX)
                break;
            size_t most = layout->widths[widest] - LEAST_CUT, wanted = over - width;
            layout->widths[widest] -= wanted < most ? wanted : most;
        }
    } while (total_width(grid, layout) > width && drop_column(grid, layout));
}

/* Bytes of text that take at most `width` columns from its start, or from its end. */
static size_t bytes_from_start(const struct display *display, const char *text, size_t width, size_t *ret_used)
{
    size_t at = 0, length = strlen(text);

    *ret_used = 0;
    while (at < length) {
        struct display_character character = display_character_at(display, text + at, length - at);
        if (*ret_used + character.width > width)
            break;
        *ret_used += character.width;
        at += character.bytes;
    }
    return at;
}

static void put_cell(FILE *stream, const struct display *display, const struct grid_column *column, const char *text,
                     size_t width, bool last, bool ascii)
{
    size_t natural = display_width(display, text, strlen(text)), head, tail, used, skipped;

    if (natural <= width) {
        fprintf(stream, "%*s%s%*s", column->number ? (int)(width - natural) : 0, "", text,
                column->number || last ? 0 : (int)(width - natural), "");
        return;
    }
    size_t dots = ascii ? 3 : 1, room = width > dots ? width - dots : 0;
    locale_t previous = display_enter(display);
    head = bytes_from_start(display, text, room / 2, &used);
    tail = bytes_from_start(display, text, natural - (room - used), &skipped);
    display_leave(previous);
    fprintf(stream, "%.*s%s%s", (int)head, text, ascii ? "..." : "\xe2\x80\xa6", text + tail);
    if (!last)
        fprintf(
            stream, "%*s",
            (int)(width - used - dots - (natural - skipped) < width ? width - used - dots - (natural - skipped) : 0),
            "");
}

static void print_line(const struct grid *grid, const struct layout *layout, const struct display *display,
                       FILE *stream, const char *const *cells, bool ascii)
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

static void print_table(const struct grid *grid, FILE *stream, int width, bool ascii)
{
    const char *titles[GRID_MAX_COLUMNS];
    struct layout layout;
    struct display display;

    display_init(&display);
    for (size_t c = 0; c < grid->column_count; c++) {
        titles[c] = grid->columns[c].title;
        layout.shown[c] = true;
        layout.widths[c] = strlen(titles[c]);
    }
    for (size_t i = 0; i < grid->count; i++) {
        // NOLINTNEXTLINE(clang-analyzer-core.DivideZero)
        size_t cell = display_width(&display, grid->cells[i], strlen(grid->cells[i])), c = i % grid->column_count;
        if (cell > layout.widths[c])
            layout.widths[c] = cell;
    }
    if (width > 0)
        fit(grid, &layout, (size_t)width);
    print_line(grid, &layout, &display, stream, titles, ascii);
    for (size_t i = 0; i < grid->count; i += grid->column_count)
        print_line(grid, &layout, &display, stream, (const char *const *)grid->cells + i, ascii);
    display_release(&display);
}

static void put_csv(FILE *stream, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, stream);
        return;
    }
    fputc('"', stream);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', stream);
        fputc(*text, stream);
    }
    fputc('"', stream);
}

static void print_csv_line(const struct grid *grid, FILE *stream, const char *const *cells)
{
    for (size_t c = 0; c < grid->column_count; c++) {
        fputs(c > 0 ? "," : "", stream);
        put_csv(stream, cells[c]);
    }
    fputc('\n', stream);
}

void put_markdown(FILE *stream, const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("\\`*_{}[]()#+-!|<>&~$@:", *text) != NULL)
            fputc('\\', stream);
        fputc(*text, stream);
    }
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
            put_markdown(stream, grid->cells[i]);
        fputs((i + 1) % grid->column_count == 0 ? " |\n" : " |", stream);
    }
}

void grid_print(const struct grid *grid, FILE *stream, enum grid_format format, int width, bool ascii)
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

void put_json(FILE *stream, const char *text)
{
    char escaped[256 * JSON_TEXT_EXPANSION];

    fputc('"', stream);
    for (size_t left = strlen(text); left > 0;) {
        size_t piece = json_text_piece(text, left, 256);
        size_t length = json_text_escape(escaped, text, piece);
        fwrite(escaped, 1, length, stream);
        text += piece;
        left -= piece;
    }
    fputc('"', stream);
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
