/* A short table for people and their tools: no frames, numbers to the right, on a terminal long texts are cut in the
 * middle and columns that matter least go where the room is too narrow. */
#ifndef MSPROF_EXPORTERS_ANSWERS_GRID_H
#define MSPROF_EXPORTERS_ANSWERS_GRID_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define GRID_MAX_COLUMNS 24

struct grid_column {
    const char *title;
    bool number;     /* to the right */
    bool cut;        /* may be cut in the middle */
    int least_first; /* 0: always shown; else the column with the largest number goes first */
};

/* All zero but columns and count. */
struct grid {
    const struct grid_column *columns;
    size_t column_count;
    char **cells;           /* row by row */
    size_t count, capacity; /* of cells */
};

enum grid_format { GRID_TABLE, GRID_CSV, GRID_MARKDOWN };

/* Copies a row of texts, NULL is "". Control characters become '?'. */
int grid_row(struct grid *grid, const char *const *cells, struct err *err);
/* width: of the terminal; 0: nothing is cut. ascii: no other characters are added. */
void grid_print(const struct grid *grid, FILE *stream, enum grid_format format, int width, bool ascii);
void grid_release(struct grid *grid);

/* A text of Markdown in which nothing of `text` is markup. */
void put_markdown(FILE *stream, const char *text);
/* A string of JSON with its quotes. */
void put_json(FILE *stream, const char *text);

/* A time with the unit that fits the largest of a column: us, ms or s. */
struct time_unit {
    const char *name;
    double ns;
};
struct time_unit time_unit_for(double largest_ns);

#endif
