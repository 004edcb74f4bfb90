/* SPDX-License-Identifier: Apache-2.0 */
/* A report's columns, compiled for one database and one format into a step for each column that is shown. */
#ifndef MSPROF_EXPORTERS_TABLE_PLAN_H
#define MSPROF_EXPORTERS_TABLE_PLAN_H

#include "base/err.h"
#include "base/map.h"
#include "exporters/row_format.h"
#include "exporters/table/value.h"
#include "parsers/series.h"

#include <sqlite3.h>

#define REPORT_MAX_COLUMNS TABLE_MAX_COLUMNS

/* The texts that columns of FORM_NAME and FORM_TENSORS show, encoded for the table's format. */
struct report_texts {
    const struct cann_texts *names, *tensors; /* NULL: no column needs them */
};

/* How one column is put. */
struct report_step {
    struct row_piece before; /* of the format */
    const struct cann_texts *texts, *names;
    struct words *words; /* of an enumeration; owned */
    uint16_t column;     /* of the plan */
    uint16_t value;      /* which value of the row */
    uint8_t form;        /* enum report_form; of an enumeration that of its other values */
    uint8_t decimals, text_column;
    uint8_t quick; /* integers are numbers with so many decimals, without zeros at the end; NOT_QUICK: or anything */
    char lead;     /* the only character before the value; 0: there are others */
    bool joined;   /* with the step before it */
};
#define NOT_QUICK UINT8_MAX

/* Whether its values are ids of texts. */
static inline bool report_step_has_texts(const struct report_step *step)
{
    return step->form == FORM_NAME || step->form == FORM_TENSORS;
}

/* A name that the first cells of rows get in front, and a colon: that of the capture which they are of, where others
 * have devices of the same number. */
struct row_owner {
    struct row_piece text; /* as it stands in a cell with quotes */
    bool quoted;           /* a cell with it needs them */
    bool device, host;     /* cells that name a device get it; cells that name the host do */
};

struct report_plan {
    enum table_format format;
    bool frames;         /* TABLE_TERMINAL: columns that are joined are one */
    bool looks_up;       /* a column has a lookup */
    size_t column_count; /* known ones: a row of the report has a value for each */
    struct known_column {
        struct report_column column;
        char *title, *id; /* owned */
        bool there;       /* its `when` is true, and the column set has it */
        struct map found; /* of its lookup: values by key */
    } * columns;
    size_t capacity;
    /* Made by report_plan_compile: */
    size_t step_count;
    struct report_step *steps;
    struct row_format pieces;
    const char **titles;           /* of the steps */
    size_t fixed_room;             /* bytes of a row without its texts */
    const struct row_owner *owner; /* CSV: whose rows they are; NULL: nobody asks */
};

/* Takes columns (an array ended by no title) over, as the database and the column set (COLUMNS_GUIDE or _VENDOR) want
 * them; without a database those that any can have. Zero the plan before; it needs report_plan_release whatever the
 * result. */
int report_plan_take(struct report_plan *plan, const struct report_column *columns, sqlite3 *db,
                     enum column_set column_set, struct err *err);
/* Adds a column that is known at run time only; its value stands behind those before it. The title is copied. */
int report_plan_add(struct report_plan *plan, const struct report_column *column, struct err *err);
/* Gives the columns the titles of a version of CANN, and leaves out what it has not. */
int report_plan_rename(struct report_plan *plan, int cann_version, struct err *err);
/* Which column has this id, written in any case; -1: none. A column of a title that comes again has _2 behind its id,
 * and so on. */
int report_plan_find(const struct report_plan *plan, const char *id, size_t length);
/* Likewise by its id or, where no id is that, by the title that is printed. */
int report_plan_find_typed(const struct report_plan *plan, const char *name, size_t length);
/* The id that a column has where no other one has it, too. */
#define REPORT_ID_MAX 256
void report_plan_id(const struct report_column *column, char id[REPORT_ID_MAX]);
/* Finds the unit in brackets of a column's title: "us", "%"; "" when there is none. *ret_length its bytes. */
const char *report_title_unit(const char *title, size_t *ret_length);

/* Whether a column holds texts, which stand to the left. */
bool report_holds_texts(const struct report_column *column);

/* Makes the steps of these columns, in their order (shown NULL: all that are there). */
int report_plan_compile(struct report_plan *plan, enum table_format format, const size_t *shown, size_t shown_count,
                        const struct report_texts *texts, struct err *err);
/* Puts one cell before the others of every row; after it is compiled. */
int report_plan_lead(struct report_plan *plan, const char *title, const char *text, struct err *err);
/* Gives the rows `count` cells: the i-th is that of step steps[i], each of which comes once, or missing where that is
 * SIZE_MAX. CSV only; after it is compiled, and the titles are as before. */
int report_plan_arrange(struct report_plan *plan, const size_t *steps, size_t count, struct err *err);
/* Names the rows after their owner, which must outlive them. CSV only; after it is compiled. */
void report_plan_name_owner(struct report_plan *plan, const struct row_owner *owner);
void report_plan_release(struct report_plan *plan);

int row_owner_init(struct row_owner *owner, const char *name, bool device, bool host, struct err *err);
void row_owner_release(struct row_owner *owner);

/* Appends to buf what the cells of the first `count` steps are in a row of these values: as a value, of the first
 * step, value_cells puts them at once into many rows. 0, or -1 with buf->failed set. */
int report_plan_encode(const struct report_plan *plan, const struct report_value *values, size_t count,
                       struct strbuf *buf);

/* Puts the row of these values (one for each known column) between p and end and returns its end. NULL: it needs
 * *ret_room bytes. first: no row stands before it in the table. */
char *report_plan_put(const struct report_plan *plan, const struct report_value *values, bool first, char *p, char *end,
                      size_t *ret_room);

/* The values of the steps in a row, as programs take them: a number is the one that is printed, but points in time are
 * integers in nanoseconds. Texts live as long as those of values. */
void report_plan_type(const struct report_plan *plan, const struct report_value *values, struct typed_value *ret);
/* What the values of a step are where none is a text that stands for a number; TYPED_MISSING: what the rows have. */
enum typed_kind report_step_kind(const struct report_plan *plan, const struct report_step *step);

/* A step of its own, for one column: pieces of TABLE_TERMINAL and texts for it give what people read. */
int report_step_init(struct report_step *step, const struct report_plan *plan, size_t column,
                     const struct row_format *pieces, const struct report_texts *texts, struct err *err);
void report_step_release(struct report_step *step);
/* Puts the value of its column into buf, which is cleared before; a text is not encoded. false: the value does not
 * exist. */
bool report_step_text(const struct report_step *step, const struct report_value *value, struct strbuf *buf);

#endif
