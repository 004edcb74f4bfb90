/* SPDX-License-Identifier: Apache-2.0 */
#include "db/table_rows.h"

#define SQL_LIMIT 4096

/* columns: with a comma between each two. */
static int prepare(struct table_rows *rows, sqlite3 *db, const char *into, const char *columns, struct err *err)
{
    SCOPED(strbuf_release) struct strbuf sql;
    *rows = (struct table_rows){.db = db};
    strbuf_init(&sql, SQL_LIMIT);
    strbuf_addf(&sql, "INSERT INTO %s VALUES(?", into);
    for (const char *p = columns; *p != '\0'; p++)
        strbuf_adds(&sql, *p == ',' ? ", ?" : "");
    strbuf_addc(&sql, ')');
    return sql.failed ? err_no_memory(err) : database_prepare(db, sql.data, &rows->insert, err);
}

int table_rows_into(struct table_rows *rows, sqlite3 *db, const char *into, struct err *err)
{
    return prepare(rows, db, into, into, err);
}

int table_rows_open(struct table_rows *rows, sqlite3 *db, const char *table, const char *columns, struct err *err)
{
    SCOPED(strbuf_release) struct strbuf sql;
    *rows = (struct table_rows){.db = db};
    strbuf_init(&sql, SQL_LIMIT);
    strbuf_addf(&sql, "CREATE TABLE IF NOT EXISTS %s(%s)", table, columns);
    int status = sql.failed ? err_no_memory(err) : database_exec(db, sql.data, err);
    return status == 0 ? prepare(rows, db, table, columns, err) : status;
}

int table_add_values(struct table_rows *rows, const struct table_value *values, size_t count, struct err *err)
{
    int status = 0, columns = sqlite3_bind_parameter_count(rows->insert);
    for (size_t i = 0; i < count && (int)i < columns; i++) {
        int place = (int)i + 1;
        if (values[i].type == TABLE_INTEGER)
            sqlite3_bind_int64(rows->insert, place, values[i].integer);
        else if (values[i].type == TABLE_REAL)
            sqlite3_bind_double(rows->insert, place, values[i].real);
        else if (values[i].type == TABLE_TEXT)
            sqlite3_bind_text(rows->insert, place, values[i].text, -1, SQLITE_STATIC);
        else if (values[i].type == TABLE_COPY)
            sqlite3_bind_value(rows->insert, place, values[i].value);
        else if (values[i].type == TABLE_LOST_TEXT)
            status = err_set(err, ERR_NO_MEMORY, "out of memory for a text of the database");
    }
    if (status == 0 && sqlite3_step(rows->insert) != SQLITE_DONE)
        status = database_error(err, rows->db, "cannot write the database");
    sqlite3_reset(rows->insert);
    sqlite3_clear_bindings(rows->insert);
    return status;
}

void table_rows_close(struct table_rows *rows)
{
    sqlite3_finalize(rows->insert);
    *rows = (struct table_rows){.db = NULL};
}
