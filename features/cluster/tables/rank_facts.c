/* SPDX-License-Identifier: Apache-2.0 */
#include "features/cluster/tables/rank_tables.h"

#include "db/database.h"

#include <math.h>
#include <strings.h>

const struct rank_table *const rank_tables[] = {
#define TABLE(name) &rank_table_##name,
    RANK_TABLES(TABLE)
#undef TABLE
        NULL,
};

const struct rank_table *rank_table_find(const char *name)
{
    const struct rank_table *const *table = rank_tables;
    while (*table != NULL && strcasecmp((*table)->report->name, name) != 0)
        table++;
    return *table;
}

static bool is_wanted_before(const struct rank_facts *facts, size_t i)
{
    size_t k = 0;
    while (k < i && facts->tables[k]->fact != facts->tables[i]->fact)
        k++;
    return k < i;
}

int rank_facts_open(struct rank_facts *facts, const struct rank_table *const *tables, size_t count, struct err *err)
{
    *facts = (struct rank_facts){.tables = tables, .count = count};
    /* The engine of tables reads the names of the database that it shows: here they stand in the rows. */
    if (database_open_scratch(&facts->db, err) < 0 ||
        database_exec(facts->db, "CREATE TABLE name(id INTEGER PRIMARY KEY, text TEXT)", err) < 0)
        return err_status(err);
    for (size_t i = 0; i < count; i++)
        if (!is_wanted_before(facts, i) && database_exec(facts->db, tables[i]->fact->create, err) < 0)
            return err_status(err);
    return 0;
}

static int add_all(struct rank_facts *facts, const struct rank_capture *capture, struct err *err)
{
    for (size_t i = 0; i < facts->count; i++)
        if (!is_wanted_before(facts, i) && facts->tables[i]->fact->add(facts->db, capture, err) < 0)
            return err_status(err);
    return 0;
}

int rank_facts_add(struct rank_facts *facts, int64_t rank, int64_t stage, sqlite3 *db, struct err *err)
{
    SCOPED(workload_release) struct workload workload = {.borrowed = true};
    const struct rank_capture capture = {.rank = rank, .stage = stage, .db = db, .workload = &workload};
    enum load_counters counters = WITHOUT_COUNTERS;

    for (size_t i = 0; i < facts->count; i++)
        counters = facts->tables[i]->fact->counters ? WITH_COUNTERS : counters;
    if (workload_load(db, counters, &workload, err) < 0) {
        workload = (struct workload){.borrowed = true};
        return err_status(err);
    }
    if (database_exec(facts->db, "BEGIN", err) < 0)
        return err_status(err);
    const bool failed = add_all(facts, &capture, err) < 0;
    struct err ignored = ERR_INIT;
    if (failed)
        database_exec(facts->db, "ROLLBACK", &ignored);
    return failed || database_exec(facts->db, "COMMIT", err) < 0 ? err_status(err) : 0;
}

void rank_facts_release(struct rank_facts *facts)
{
    database_close(facts->db);
    *facts = (struct rank_facts){.db = NULL};
}

static int bind(sqlite3_stmt *statement, int place, const struct rank_value *value)
{
    switch (value->kind) {
    case RANK_INTEGER:
        return value->integer == DB_NULL ? sqlite3_bind_null(statement, place)
                                         : sqlite3_bind_int64(statement, place, value->integer);
    case RANK_REAL:
        return isnan(value->real) ? sqlite3_bind_null(statement, place)
                                  : sqlite3_bind_double(statement, place, value->real);
    case RANK_TEXT:
        break;
    }
    return sqlite3_bind_text(statement, place, value->text, -1, SQLITE_STATIC);
}

static int run(sqlite3_stmt *statement, const struct rank_value *values, size_t count, int64_t *ret, struct err *err)
{
    int code = SQLITE_OK;
    for (size_t i = 0; i < count && code == SQLITE_OK; i++)
        code = bind(statement, (int)i + 1, &values[i]);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    const bool failed = code != (ret != NULL ? SQLITE_ROW : SQLITE_DONE);
    if (failed)
        database_error(err, sqlite3_db_handle(statement), "the ranks' facts cannot be kept");
    else if (ret != NULL)
        *ret = sqlite3_column_int64(statement, 0);
    sqlite3_reset(statement);
    return failed ? err_status(err) : 0;
}

int rank_insert_values(sqlite3_stmt *statement, const struct rank_value *values, size_t count, struct err *err)
{
    return run(statement, values, count, NULL, err);
}

int rank_ask(sqlite3_stmt *statement, const struct rank_value *values, size_t count, int64_t *ret, struct err *err)
{
    return run(statement, values, count, ret, err);
}
