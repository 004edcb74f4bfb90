/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of one table to where they go: a file (or several, of at most ROWS_PER_FILE rows, or for parts of the table), or
 * the terminal. */
#ifndef MSPROF_EXPORTERS_TABLE_WRITER_H
#define MSPROF_EXPORTERS_TABLE_WRITER_H

#include "base/err.h"
#include "base/file/outfile.h"
#include "exporters/export.h"
#include "exporters/row_format.h"
#include "exporters/table/choice.h"
#include "exporters/table/grid.h"
#include "exporters/table/merged_tables.h"
#include "exporters/table/plan.h"
#include "exporters/table/terminal.h"

/* Takes the rows of tables one by one, for a page that is made of them: options with format TABLE_CELLS and a sink. */

struct table_sink {
    /* Called before the first row; a table without rows never begins. */
    int (*begin)(void *arg, const struct report_plan *plan, struct err *err);
    /* Gives a cell for each step of the plan, all of them texts without control characters, as CSV has them before
     * they are quoted. They live until it returns. */
    int (*row)(void *arg, const struct table_cell *cells, struct err *err);
    /* Or, where it is set, a value for each step likewise. */
    int (*values)(void *arg, const struct typed_value *values, struct err *err);
    void *arg;
    uint64_t left; /* set at the end: rows that the choice's top left out, of those that were given */
    bool more;     /* set at the end: there are others, and nobody knows how many */
};

struct report_writer {
    const struct export_options *options;
    struct export_result *result;
    struct report_plan *plan;
    const char *name;          /* "op_summary" */
    struct strbuf suffix;      /* behind it in names of files, in front of ".csv" */
    struct row_choice *choice; /* NULL: all rows, as they come */
    struct sorter *sorter;
    struct table_file file; /* the one that is open */
    uint64_t rows;          /* of all files */
    uint64_t expected;      /* rows, about; 0: nobody knows */
    char *row;
    size_t row_size;
    struct terminal_table *terminal; /* TABLE_TERMINAL: where rows go; it is the caller's */
    bool is_plain; /* TABLE_TERMINAL without frames: rows go to the grid, and are printed at the end */
    struct grid grid;
    uint64_t passed; /* rows that passed the filters, before --top */
    bool more;       /* there are others that were not given */
};

/* Makes the writer of a table; nothing appears before the first row. It takes name, plan, choice, file.whole,
 * options, result and terminal from `wanted`; they must outlive it. It needs report_writer_close whatever the result.
 */
int report_writer_open(struct report_writer *writer, const struct report_writer *wanted, const char *suffix,
                       struct err *err);
/* The next rows belong to files with this suffix: those before are complete, unless theirs is the same. */
int report_writer_part(struct report_writer *writer, const char *suffix, struct err *err);
/* Completes the file that is open. */
int report_writer_end_part(struct report_writer *writer, struct err *err);
/* Takes the row of these values, one for each known column of the plan. */
int report_writer_row(struct report_writer *writer, const struct report_value *values, struct err *err);
/* Opens a file for rows that are put into it directly. *ret_room: how many it takes, UINT64_MAX: all of them;
 * report_writer_filled then gets their number. NULL with err set. */
struct outfile *report_writer_file(struct report_writer *writer, uint64_t *ret_room, struct err *err);
void report_writer_filled(struct report_writer *writer, uint64_t rows);
/* Whether no further row can be shown; who then gives no more says so with report_writer_leave. */
bool report_writer_is_full(const struct report_writer *writer);
/* ".csv" and so on. */
const char *report_suffix(enum table_format format);
/* Whether rows from here on are only counted: then says that `rows` more follow, which need not be made. */
bool report_writer_leave_rest(struct report_writer *writer, uint64_t rows);
/* The most rows that it takes of those that come in order; 0: all of them. */
uint64_t report_writer_top(const struct report_writer *writer);
/* So many rows are not given, because report_writer_is_full; UINT64_MAX: nobody knows how many. */
void report_writer_leave(struct report_writer *writer, uint64_t rows);
/* Completes what is open, or drops it when status < 0, and releases everything. Returns status, or a failure of its
 * own. */
int report_writer_close(struct report_writer *writer, int status, struct err *err);

/* "<directory>/<name>[_slice_<n>]<suffix>.csv", to be freed; slice < 0: not in slices. */
char *report_path(const struct export_options *options, const char *name, int64_t slice, const char *suffix,
                  struct err *err);

/* A table of the terminal without frames: what answers are printed as. */

/* The columns of its grid, in the order of the plan's steps, whose titles they have: for who keeps the rows of a sink.
 * free() them; NULL with err set. */
struct grid_column *report_grid_columns(const struct report_plan *plan, struct err *err);

/* One table of several captures or devices as one document: one head, the rows of all, one tail. */

/* Set path and capture; the rest is zero before the first table. */
struct table_stream {
    const char *path;    /* "/dev/stdout" */
    const char *capture; /* whose rows come now: the first cell of each; NULL: of no other */
    enum table_format format;
    uint64_t rows; /* of the tables so far */
    bool begun;    /* the head is written */
    char *titles;  /* of it */
};

/* Writes the tail where there is a head, and releases everything. */
int table_stream_end(struct table_stream *stream, struct err *err);

#endif
