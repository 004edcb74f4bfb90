/* A table written row by row to a CSV or JSON file; memory does not grow with the rows. Both back ends and the
 * terminal's tables (text_table.h) take the same cells. */
#ifndef MSPROF_EXPORTERS_SVP_TABLE_H
#define MSPROF_EXPORTERS_SVP_TABLE_H

#include "base/err.h"
#include "base/file/outfile.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "db/database.h"
#include "exporters/export.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TABLE_MAX_COLUMNS 224
#define TABLE_MISSING "N/A" /* how a value that does not exist is printed */

enum table_cell_kind { CELL_TEXT, CELL_NUMBER, CELL_MICROSECONDS };

/* One value. A text that is NULL and a number that is DB_NULL do not exist. */
struct table_cell {
    enum table_cell_kind kind;
    const char *text; /* CELL_TEXT; not necessarily NUL-terminated */
    size_t length;
    int64_t value;     /* CELL_NUMBER: in units of 10^-decimals; CELL_MICROSECONDS: nanoseconds */
    unsigned decimals; /* CELL_NUMBER: at most this many are printed, trailing zeros dropped */
};

static inline struct table_cell cell_text_of_length(const char *text, size_t length)
{
    return (struct table_cell){.kind = CELL_TEXT, .text = text, .length = length};
}

static inline struct table_cell cell_text(const char *text)
{
    return cell_text_of_length(text, text == NULL ? 0 : strlen(text));
}

static inline struct table_cell cell_number(int64_t value, unsigned decimals)
{
    return (struct table_cell){.kind = CELL_NUMBER, .value = value, .decimals = decimals};
}

/* Nanoseconds, printed as microseconds with all three decimals. */
static inline struct table_cell cell_microseconds(int64_t nanoseconds)
{
    return (struct table_cell){.kind = CELL_MICROSECONDS, .value = nanoseconds};
}

static inline struct table_cell cell_missing(void)
{
    return cell_text(NULL);
}

static inline bool cell_is_missing(const struct table_cell *cell)
{
    return cell->kind == CELL_TEXT ? cell->text == NULL : cell->value == DB_NULL;
}

/* Writes a number or a time that exists at p and returns the end; at most NUMBER_MAX bytes. */
static inline char *cell_put_number(char *p, const struct table_cell *cell)
{
    return cell->kind == CELL_NUMBER ? number_put_shortest(p, cell->value, cell->decimals)
                                     : number_put_us(p, cell->value);
}

/* The cell as text; *ret_length its bytes. Numbers are written into buffer; the result points to it, or to the cell's
 * own text, or to TABLE_MISSING. */
const char *cell_as_text(const struct table_cell *cell, char buffer[NUMBER_MAX], size_t *ret_length);

struct table_backend;

/* The first cells of a row as they stand in a file: rendered once for the many rows that begin with them. */
struct table_beginning {
    const char *text;
    size_t length;
    size_t cells; /* how many it stands for */
};

struct table {
    const struct table_backend *backend;
    struct outfile out;
    struct strbuf keys; /* JSON: what stands before each value of a row, one after another */
    size_t key_ends[TABLE_MAX_COLUMNS];
    struct strbuf field; /* a text as the file will hold it */
    size_t columns;
    uint64_t rows;
    bool out_of_memory;
};

/* Opens "<path>" for a table with these column titles (at most TABLE_MAX_COLUMNS). */
int table_open(struct table *table, const char *path, enum table_format format, const char *const *titles,
               size_t columns, struct err *err);
/* Appends a row of `columns` cells. Failures are kept and told by table_commit. */
void table_row(struct table *table, const struct table_cell *cells);
/* The same for a row whose beginning is rendered already: of cells only those after it are read. */
void table_row_after(struct table *table, const struct table_beginning *beginning, const struct table_cell *cells);
/* Appends to buf what a row begins with in a file of this format and with these titles when its first `count` cells are
 * these: for table_row_after. 0, or -1 with buf->failed set when it does not fit. */
int table_render(struct strbuf *buf, enum table_format format, const char *const *titles,
                 const struct table_cell *cells, size_t count);
/* Ends the table and puts the file in place; on failure nothing remains. Either this or table_abort ends an open table.
 */
int table_commit(struct table *table, struct err *err);
void table_abort(struct table *table);

/* Whether a spreadsheet runs a cell with this text instead of showing it: what begins with = + - @ and is no number. */
bool spreadsheet_runs(const char *text, size_t length);

/* ".csv" or ".json". */
const char *table_suffix(enum table_format format);

/* ---- what a file format must offer to table.c ---- */

/* All set table->out_of_memory when memory runs out; write errors stay in table->out. */
struct table_backend {
    void (*begin)(struct table *table, const char *const *titles);
    void (*row)(struct table *table, const struct table_beginning *beginning, const struct table_cell *cells);
    void (*end)(struct table *table);
    /* Appends one cell with what stands before it in a row; 0, or -1 with buf->failed set. */
    int (*render)(struct strbuf *buf, const char *title, const struct table_cell *cell, bool first);
};

extern const struct table_backend table_csv;         /* as Python's csv module writes it, with "\n" as line end */
extern const struct table_backend table_spreadsheet; /* the same for spreadsheets (TABLE_SPREADSHEET) */
extern const struct table_backend table_json;        /* as Python's json.dump(..., indent=4) writes a list of objects */

#endif
