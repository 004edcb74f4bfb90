/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a table in a database that is being made. */
#ifndef MSPROF_DB_TABLE_ROWS_H
#define MSPROF_DB_TABLE_ROWS_H

#include "base/err.h"
#include "base/strbuf.h"
#include "db/database.h"

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

struct table_rows {
    sqlite3 *db;
    sqlite3_stmt *insert;
};

/* Makes the table unless it is there. columns: "a INTEGER, b TEXT". In a database that is built
 * (database_build_commit) it ends with that; else close it whatever the result. */
int table_rows_open(struct table_rows *rows, sqlite3 *db, const char *table, const char *columns, struct err *err);
/* For a table that is there. into: "model(model_name, model_id)". */
int table_rows_into(struct table_rows *rows, sqlite3 *db, const char *into, struct err *err);
void table_rows_close(struct table_rows *rows);

/* A value of a row. Texts stay until the row is added; one that lost a part (see strbuf.h) makes that fail. */
struct table_value {
    enum { TABLE_NOTHING, TABLE_INTEGER, TABLE_REAL, TABLE_TEXT, TABLE_LOST_TEXT, TABLE_COPY } type;
    union {
        int64_t integer;
        double real;
        const char *text;           /* NULL: NULL */
        const sqlite3_value *value; /* of a row that stays until then, too */
    };
};
static inline struct table_value table_integer(int64_t integer)
{
    return (struct table_value){.type = TABLE_INTEGER, .integer = integer};
}
static inline struct table_value table_real(double real)
{
    return (struct table_value){.type = TABLE_REAL, .real = real};
}
static inline struct table_value table_text(const char *text)
{
    return (struct table_value){.type = TABLE_TEXT, .text = text};
}
static inline struct table_value table_built(const struct strbuf *text)
{
    return (struct table_value){.type = text->failed ? TABLE_LOST_TEXT : TABLE_TEXT, .text = text->data};
}

static inline struct table_value table_copy(sqlite3_stmt *row, int column)
{
    return (struct table_value){.type = TABLE_COPY, .value = sqlite3_column_value(row, column)};
}

#ifdef CPPCHECK /* knows no _Generic */
#define V(value) table_integer(value)
#else
#define V(value)                                                                                                       \
    _Generic((value),                                                                                                  \
        double: table_real,                                                                                            \
        char *: table_text,                                                                                            \
        const char *: table_text,                                                                                      \
        struct strbuf *: table_built,                                                                                  \
        default: table_integer)(value)
#endif
#define NOTHING ((struct table_value){.type = TABLE_NOTHING})
/* An integer; DB_NULL is nothing. */
#define KNOWN(integer) ((integer) != DB_NULL ? table_integer(integer) : NOTHING)

/* Adds a row, the values in the order of the columns: table_add(&rows, err, V(name), KNOWN(end_ns), NOTHING). Those
 * behind the last column are left out. */
#define table_add(rows, err, ...)                                                                                      \
    table_add_values(rows, (const struct table_value[]){__VA_ARGS__},                                                  \
                     sizeof((const struct table_value[]){__VA_ARGS__}) / sizeof(struct table_value), err)
int table_add_values(struct table_rows *rows, const struct table_value *values, size_t count, struct err *err);

#endif
