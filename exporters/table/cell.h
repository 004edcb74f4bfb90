/* SPDX-License-Identifier: Apache-2.0 */
/* One value of a table of the terminal. */
#ifndef MSPROF_EXPORTERS_TABLE_CELL_H
#define MSPROF_EXPORTERS_TABLE_CELL_H

#include "base/number.h"
#include "db/database.h"
#include "exporters/export.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum table_cell_kind { CELL_TEXT, CELL_NUMBER };

/* A text that is NULL and a number that is DB_NULL do not exist. */
struct table_cell {
    enum table_cell_kind kind;
    const char *text; /* CELL_TEXT; not necessarily NUL-terminated */
    size_t length;
    int64_t value;     /* CELL_NUMBER: in units of 10^-decimals */
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

static inline struct table_cell cell_missing(void)
{
    return cell_text(NULL);
}

/* The cell as text; *ret_length its bytes. Numbers are written into buffer; the result points to it, or to the cell's
 * own text, or to TABLE_MISSING. */
const char *cell_as_text(const struct table_cell *cell, char buffer[NUMBER_MAX], size_t *ret_length);

#endif
