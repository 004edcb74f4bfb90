/* SPDX-License-Identifier: Apache-2.0 */
#include "db/schema_check.h"

#include "base/array.h"
#include "base/strbuf.h"
#include "db/made.h"
#include "db/schema.h"

#include <string.h>

/* Everything in a schema as struct made has it, in the order of names; false when it cannot be read, or is longer than
 * any of ours. */
static bool schema_text(sqlite3 *db, struct strbuf *text)
{
    sqlite3_stmt *statement;
    int code;
    if (sqlite3_prepare_v2(db, "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema ORDER BY 1, 2, 3", -1,
                           &statement, NULL) != SQLITE_OK)
        return false;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW && !text->failed) {
        for (int i = 0; i < 4; i++) {
            const void *bytes = sqlite3_column_blob(statement, i);
            size_t length = (size_t)sqlite3_column_bytes(statement, i);
            if (length > 0)
                strbuf_add(text, bytes, length);
            strbuf_addc(text, '\n');
        }
    }
    sqlite3_finalize(statement);
    return code == SQLITE_DONE && !text->failed;
}

struct made_list {
    struct made *items;
    size_t count, capacity;
};

static int by_type_and_name(const void *a, const void *b)
{
    const struct made *one = a, *other = b;
    int order = strncmp(one->type, other->type, 5); /* the shortest of the types and the blank behind it */
    if (order != 0)
        return order;
    int shorter = one->name_length < other->name_length ? one->name_length : other->name_length;
    order = strncmp(one->name, other->name, (size_t)shorter);
    return order != 0 ? order : one->name_length - other->name_length;
}

/* What import makes, from its statements: running them costs as much as all else that opens a small database. */
static bool expected_text(const struct strbuf *statements, struct strbuf *text)
{
    struct made_list list = {NULL, 0, 0};
    struct err ignored = ERR_INIT;
    int status = 0;
    struct made made;
    for (const char *script = statements->data; status == 0 && made_next(&script, &made);) {
        status = array_reserve(&list, 1, &ignored);
        if (status == 0)
            list.items[list.count++] = made;
    }
    array_sort(list.items, list.count, sizeof *list.items, by_type_and_name);
    for (size_t i = 0; i < list.count; i++) {
        made = list.items[i];
        for (int j = 0; j < made.type_length; j++)
            strbuf_addc(text, (char)(made.type[j] - 'A' + 'a'));
        strbuf_addf(text, "\n%.*s\n%.*s\n%.*s\n", made.name_length, made.name, made.table_length, made.table,
                    made.sql_length, made.sql);
    }
    free(list.items);
    return status == 0 && !statements->failed && !text->failed;
}

/* Import numbers the rows of a table from 1 on; those that know only the last number count on it. A row takes a byte at
 * least, so that numbers beyond the file's size have large gaps. */
static bool is_numbered(sqlite3 *db, const char *table, int64_t size)
{
    sqlite3_stmt *statement = NULL;
    char *sql =
        sqlite3_mprintf("SELECT (SELECT min(rowid) FROM \"%w\"), (SELECT max(rowid) FROM \"%w\")", table, table);
    bool numbered = sql != NULL && sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK;
    /* a table that cannot be read is told of by whoever reads it */
    if (numbered && sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_type(statement, 0) != SQLITE_NULL)
        numbered = sqlite3_column_int64(statement, 0) >= 1 && sqlite3_column_int64(statement, 1) <= size;
    sqlite3_finalize(statement);
    sqlite3_free(sql);
    return numbered;
}

static int64_t database_size(sqlite3 *db)
{
    sqlite3_stmt *statement = NULL;
    int64_t size = -1;
    if (sqlite3_prepare_v2(db, "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size", -1, &statement,
                           NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        size = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return size;
}

static bool rows_are_numbered(sqlite3 *db)
{
    sqlite3_stmt *tables;
    int code;
    int64_t size = database_size(db);
    if (size < 0 || sqlite3_prepare_v2(db,
                                       "SELECT name FROM sqlite_schema WHERE type = 'table' AND"
                                       " sql NOT LIKE '%WITHOUT ROWID'",
                                       -1, &tables, NULL) != SQLITE_OK)
        return false;
    bool numbered = true;
    while (numbered && (code = sqlite3_step(tables)) != SQLITE_DONE)
        numbered = code == SQLITE_ROW && is_numbered(db, (const char *)sqlite3_column_text(tables, 0), size);
    sqlite3_finalize(tables);
    return numbered;
}

bool schema_is_ours(sqlite3 *db)
{
    struct strbuf statements, expected, found;
    strbuf_init(&statements, SCHEMA_MAX);
    strbuf_init(&expected, SCHEMA_MAX);
    strbuf_init(&found, SCHEMA_MAX);
    schema_add_tables(&statements);
    schema_add_rest(&statements);
    bool ours = expected_text(&statements, &expected) && schema_text(db, &found) && expected.length == found.length &&
                memcmp(expected.data, found.data, found.length) == 0 && rows_are_numbered(db);
    strbuf_release(&statements);
    strbuf_release(&expected);
    strbuf_release(&found);
    return ours;
}
