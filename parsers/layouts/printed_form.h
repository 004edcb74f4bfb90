/* SPDX-License-Identifier: Apache-2.0 */
/* The tables that tools print, as data: the names of their files, and which of their columns is which of a record's. */
#ifndef MSPROF_PARSERS_LAYOUTS_PRINTED_FORM_H
#define MSPROF_PARSERS_LAYOUTS_PRINTED_FORM_H

#include "parsers/layouts/printed.h"

/* Where a cell goes that is no field of the kind. */
enum printed_target {
    PRINTED_TO_LAYER = PRINTED_MOST, /* layer_id */
    PRINTED_TO_WORD,
    PRINTED_TO_FIRST_WORD, /* what is before the first comma */
    PRINTED_TO_MOST,
    PRINTED_TO_COUNT,
    PRINTED_TO_TOTAL,
    PRINTED_TO_FILTER, /* rows with another text than the form's are passed over */
    PRINTED_TO_NOTHING,
};

struct printed_title {
    const char *title; /* lower case, without blanks, unit and the word ratio; NULL ends the list */
    int target;        /* a field's index, or enum printed_target */
    bool needed;       /* a table without it is none of this form */
};

struct printed_form {
    const char *title; /* "op_summary", for messages */
    const struct printed_kind *kind;
    const char *directory;       /* below the capture: "summary" */
    const char *const *patterns; /* of file names: the first one that fits tells the identity; NULL ends the list */
    const char *prefix;          /* of names that say no more; NULL: only names of a pattern are taken */
    bool events;                 /* a trace of events, not a table of rows */
    bool sums;                   /* rows sum up many records */
    bool by_layers;              /* rows sum up the tasks of layers of a type: the word */
    bool joined;                 /* a table's rows are the records of all files that it belongs to */
    int64_t unit;                /* of PRINTED_AMOUNT where the titles do not say it */
    const char *filter;          /* see PRINTED_TO_FILTER */
    const struct printed_title *titles;
};

extern const struct printed_form *const printed_forms[]; /* those preferred first; ended by NULL */

/* Which title a column's heading is; NULL: none that counts. *ret_unit is what its unit stands for, 0: it has none that
 * matters. */
const struct printed_title *printed_title_of(const struct printed_form *form, const char *heading, int64_t *ret_unit);

#endif
