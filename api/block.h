/* SPDX-License-Identifier: Apache-2.0 */
/* Rows as columns on their way out. Each column has the type of its values: while the first block is filled an integer
 * gives way to a number, and a number to a text; from then on the types stay. */
#ifndef MSPROF_API_BLOCK_H
#define MSPROF_API_BLOCK_H

#include "api/internal.h"
#include "exporters/table/plan.h"

/* The columns of a table, which all of its blocks share. */
struct shape {
    atomic_uint users;
    size_t count;
    struct shape_column {
        char *id, *title;
        enum typed_kind kind; /* TYPED_MISSING: not known yet */
    } * columns;
    bool settled;
};
struct shape *shape_new(const struct report_plan *plan, struct err *err); /* NULL with err set */
void shape_release(struct shape *shape);                                  /* NULL is fine */
/* Whether the columns of another part of the table are the same. */
bool shape_fits(const struct shape *shape, const struct report_plan *plan);

struct block {
    struct msprof_block shown;
    struct shape *shape;
    struct msprof_column *columns;
    struct column_data {
        uint8_t *valid;
        void *numbers; /* int64_t, double or, with one more, int32_t */
        char *text;
        size_t length, capacity; /* of the text */
    } * data;
    size_t capacity;   /* rows */
    bool text_is_full; /* of a column */
};
struct block *block_new(struct shape *shape, size_t rows, struct err *err);
void block_free(struct block *block); /* NULL is fine */
/* Adds a row. */
int block_add(struct block *block, const struct typed_value *values, struct err *err);
bool block_is_full(const struct block *block);
/* Fixes the types, and sets what is shown. */
void block_finish(struct block *block);

#endif
