/* SPDX-License-Identifier: Apache-2.0 */
#include "db/table_rows.h"

#include "db/database.h"

#define SQL_LIMIT 4096

/* columns: with a comma between each two. */
static int prepare(struct table_rows *rows, sqlite3 *db, const char *into, const char *columns, struct err *err)
{
    struct strbuf sql;
    *rows = (struct table_rows){.db = db};
    strbuf_init(&sql, SQL_LIMIT);
    strbuf_addf(&sql, "INSERT INTO %s VALUES(?", into);
    for (const char *p = columns; *p != '\0'; p++)
        strbuf_adds(&sql, *p == ',' ? ", ?" : "");
    strbuf_addc(&sql, ')');
    int status = sql.failed ? err_no_memory(err) : database_prepare(db, sql.data, &rows->insert, err);
    strbuf_release(&sql);
    return status;
}

int table_rows_into(struct table_rows *rows, sqlite3 *db, const char *into, struct err *err)
{
    return prepare(rows, db, into, into, err);
}

int table_rows_open(struct table_rows *rows, sqlite3 *db, const char *table, const char *columns, struct err *err)
{
    struct strbuf sql;
    *rows = (struct table_rows){.db = db};
    strbuf_init(&sql, SQL_LIMIT);
    strbuf_addf(&sql, "CREATE TABLE IF NOT EXISTS %s(%s)", table, columns);
    int status = sql.failed ? err_no_memory(err) : database_exec(db, sql.data, err);
    strbuf_release(&sql);
    return status == 0 ? prepare(rows, db, table, columns, err) : status;
}

void table_put_integer(struct table_rows *rows, int64_t value)
{
    sqlite3_bind_int64(rows->insert, ++rows->next, value);
}

void table_put_real(struct table_rows *rows, double value)
{
    sqlite3_bind_double(rows->insert, ++rows->next, value);
}

void table_put_text(struct table_rows *rows, const char *text)
{
    sqlite3_bind_text(rows->insert, ++rows->next, text, -1, SQLITE_STATIC);
}

void table_put_built(struct table_rows *rows, const struct strbuf *text)
{
    rows->lost = rows->lost || text->failed;
    table_put_text(rows, text->data);
}

void table_put_nothing(struct table_rows *rows)
{
    rows->next++;
}

int table_end_row(struct table_rows *rows, struct err *err)
{
    int status = rows->lost ? err_set(err, ERR_NO_MEMORY, "out of memory for a text of the database") : 0;
    if (status == 0 && sqlite3_step(rows->insert) != SQLITE_DONE)
        status = database_error(err, rows->db, "the database cannot be written");
    sqlite3_reset(rows->insert);
    sqlite3_clear_bindings(rows->insert);
    rows->next = 0;
    rows->lost = false;
    return status;
}

void table_rows_close(struct table_rows *rows)
{
    sqlite3_finalize(rows->insert);
    *rows = (struct table_rows){.db = NULL};
}
