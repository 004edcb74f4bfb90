/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows and columns of a table are wanted: --columns, --filter, --sort, --top. */
#ifndef MSPROF_EXPORTERS_TABLE_CHOICE_H
#define MSPROF_EXPORTERS_TABLE_CHOICE_H

#include "base/err.h"
#include "exporters/table/plan.h"

#include <stdbool.h>
#include <stdint.h>

#define CHOICE_MAX_FILTERS 16

/* As the command line has it: columns by their ids or titles, in any case. */
struct table_choice {
    const char *columns; /* "name,task_duration": ids in the order wanted; NULL: those of the report */
    const char *sort; /* "task_duration", "task_duration,desc" or "-task_duration"; NULL: as the report orders them */
    const char *const *filters; /* each "COLUMN~GLOB", "COLUMN!~GLOB", or COLUMN, one of < <= > >= = == !=, and a number
                                   with a unit behind it or not, or a text: "task_duration > 100us". All must hold. */
    size_t filter_count;
    uint64_t top; /* at most so many rows; 0: all */
};

struct filter; /* inside */

struct row_choice {
    struct row_format plain; /* pieces for texts as people read them */
    struct filter *filters;
    size_t filter_count;
    struct report_step sort; /* by which column; sorted false: by none */
    bool sorted, descending;
    uint64_t top;
    struct strbuf text; /* of the value under test */
};

/* Which columns are shown: *ret_columns (to be freed) has *ret_count numbers for report_plan_compile, NULL for those of
 * the report. Fails (-ERR_USAGE) with the ids that there are. */
int row_choice_columns(const struct table_choice *wanted, const struct report_plan *plan, size_t **ret_columns,
                       size_t *ret_count, struct err *err);
/* Compiles the rest; texts are not encoded for any format. Release it whatever the result. */
int row_choice_compile(struct row_choice *choice, const struct table_choice *wanted, const struct report_plan *plan,
                       const struct report_texts *texts, struct err *err);
void row_choice_release(struct row_choice *choice);

/* Whether it looks at this value of a row. */
bool row_choice_needs(const struct row_choice *choice, size_t value);
/* Whether a row passes all filters. */
bool row_choice_passes(struct row_choice *choice, const struct report_value *values);

/* The key that a row is sorted by. */
struct sort_key {
    enum { KEY_NONE, KEY_INTEGER, KEY_NUMBER, KEY_TEXT } kind;
    int64_t integer;
    double number;    /* of an integer too */
    const char *text; /* lives until the next call */
    size_t length;
};
struct sort_key row_choice_key(struct row_choice *choice, const struct report_value *values);

/* Rows in another order than they come: kept in a temporary database, so that memory does not grow with them. */

struct sorter; /* opaque */

/* top: only so many rows are wanted; 0: all. NULL with err set. */
struct sorter *sorter_new(bool descending, uint64_t top, struct err *err);
void sorter_free(struct sorter *sorter); /* NULL is fine */

/* Whether a row with this key can still be among the first `top`. */
bool sorter_wants(const struct sorter *sorter, const struct sort_key *key);
int sorter_put(struct sorter *sorter, const struct sort_key *key, const char *row, size_t length, struct err *err);
/* Gives the rows in order; of equal keys the one that came first. Rows without a key come last. */
int sorter_each(struct sorter *sorter, int (*each)(void *arg, const char *row, size_t length, struct err *err),
                void *arg, struct err *err);

#endif
