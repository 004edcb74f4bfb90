/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a table in a database that is being made. */
#ifndef MSPROF_DB_TABLE_ROWS_H
#define MSPROF_DB_TABLE_ROWS_H

#include "base/err.h"
#include "base/strbuf.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* The values of a row are put in the order of the columns; those that are not put are NULL. */
struct table_rows {
    sqlite3 *db;
    sqlite3_stmt *insert;
    int next;
    bool lost; /* a text of the row lost a part */
};

/* Makes the table unless it is there. columns: "a INTEGER, b TEXT". Close it whatever the result. */
int table_rows_open(struct table_rows *rows, sqlite3 *db, const char *table, const char *columns, struct err *err);
/* For a table that is there. into: "model(model_name, model_id)". */
int table_rows_into(struct table_rows *rows, sqlite3 *db, const char *into, struct err *err);
void table_put_integer(struct table_rows *rows, int64_t value);
void table_put_real(struct table_rows *rows, double value);
void table_put_text(struct table_rows *rows, const char *text); /* which stays until the row is ended; NULL: NULL */
/* A text that lost a part (see strbuf.h) makes table_end_row fail. It stays until then, too. */
void table_put_built(struct table_rows *rows, const struct strbuf *text);
void table_put_nothing(struct table_rows *rows);
int table_end_row(struct table_rows *rows, struct err *err);
void table_rows_close(struct table_rows *rows);

#endif
