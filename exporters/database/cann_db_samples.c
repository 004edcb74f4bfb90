/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/database/cann_db_samples.h"

#include "base/interrupt.h"
#include "base/strbuf.h"
#include "db/database.h"
#include "db/query/cann_version.h"
#include "exporters/query_compile.h"
#include "parsers/record.h"

static int copy_rows(struct unified *unified, sqlite3 *db, const struct exported_table *table, sqlite3_stmt *rows,
                     struct err *err)
{
    int status = 0, code = SQLITE_DONE;
    bool begun = false;
    while (status == 0 && (code = sqlite3_step(rows)) == SQLITE_ROW) {
        if (!begun)
            status = unified_begin_table(unified, table, err);
        begun = true;
        if (status == 0)
            status = unified_add_row(unified, rows, err);
        if (status == 0 && interrupted())
            status = interrupt_error(err);
        code = SQLITE_DONE;
    }
    return status == 0 && code != SQLITE_DONE ? database_error(err, db, "the database cannot be read") : status;
}

static int copy_table(struct unified *unified, sqlite3 *db, const struct record_kind *kind,
                      const struct exported_table *table, struct err *err)
{
    sqlite3_stmt *rows = NULL;
    struct strbuf sql;
    strbuf_init(&sql, QUERY_SQL_MAX);
    query_begin(&sql, &table->query);
    for (const struct exported_column *column = table->columns; column->name != NULL; column++)
        strbuf_addf(&sql, "%s%s", column > table->columns ? ", " : "", column->sql);
    query_end(&sql, &table->query, kind->table, NULL);
    int status = query_sql_prepare(db, &sql, &rows, err);
    if (status == 0)
        status = copy_rows(unified, db, table, rows, err);
    sqlite3_finalize(rows);
    strbuf_release(&sql);
    return status < 0 ? err_wrap(err, "cannot make table %s", table->name) : 0;
}

int cann_db_samples(struct unified *unified, sqlite3 *db, struct err *err)
{
    int status = query_functions_register(db, CANN_VERSION_NEWEST, err);
    for (size_t i = 0; record_kinds[i] != NULL && status == 0; i++) {
        const struct exported_table *table = record_kinds[i]->exported;
        for (; table != NULL && table->name != NULL && status == 0; table++)
            status = copy_table(unified, db, record_kinds[i], table, err);
    }
    return status;
}
