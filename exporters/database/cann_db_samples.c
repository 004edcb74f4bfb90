/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/database/cann_db_samples.h"

#include "base/interrupt.h"
#include "base/strbuf.h"
#include "db/database.h"
#include "db/query/cann_version.h"
#include "exporters/table/functions.h"
#include "parsers/record.h"

#define SQL_MAX ((size_t)64 * 1024)

static void add_clause(struct strbuf *sql, const char *word, const char *clause)
{
    if (clause != NULL)
        strbuf_addf(sql, " %s %s", word, clause);
}

static void make_sql(const struct record_kind *kind, const struct exported_table *table, struct strbuf *sql)
{
    const struct report_query *query = &table->query;
    if (query->with != NULL)
        strbuf_addf(sql, "WITH %s ", query->with);
    strbuf_adds(sql, "SELECT ");
    for (const struct exported_column *column = table->columns; column->name != NULL; column++)
        strbuf_addf(sql, "%s%s", column > table->columns ? ", " : "", column->sql);
    add_clause(sql, "FROM", query->from != NULL ? query->from : kind->table);
    add_clause(sql, "WHERE", query->where);
    add_clause(sql, "GROUP BY", query->group_by);
    add_clause(sql, "ORDER BY", query->order_by);
}

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
    strbuf_init(&sql, SQL_MAX);
    make_sql(kind, table, &sql);
    int status = sql.failed ? err_set(err, ERR_LIMIT, "the query of table %s is too long", table->name)
                            : database_prepare(db, sql.data, &rows, err);
    if (status == 0)
        status = copy_rows(unified, db, table, rows, err);
    sqlite3_finalize(rows);
    strbuf_release(&sql);
    return status < 0 ? err_wrap(err, "cannot make table %s", table->name) : 0;
}

int cann_db_samples(struct unified *unified, sqlite3 *db, struct err *err)
{
    int status = report_functions_register(db, CANN_VERSION_NEWEST, err);
    for (size_t i = 0; record_kinds[i] != NULL && status == 0; i++) {
        const struct exported_table *table = record_kinds[i]->exported;
        for (; table != NULL && table->name != NULL && status == 0; table++)
            status = copy_table(unified, db, record_kinds[i], table, err);
    }
    return status;
}
