/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of the tables of a connection: through SQLite's own handle of the file, because a file that is opened once
 * more drops the process's locks when it is closed. */
#include "db/table_pages.h"

#include "base/bytes.h"
#include "db/pages/format.h"

#include <string.h>
#include <sys/stat.h>

static bool read_file(void *arg, void *bytes, size_t size, uint64_t offset)
{
    sqlite3_file *file = arg;
    return file->pMethods->xRead(file, bytes, (int)size, (sqlite3_int64)offset) == SQLITE_OK;
}

/* Finds the file of a connection whose transaction keeps others from changing it, and that changed nothing itself. */
static bool find_source(sqlite3 *db, struct page_source *ret)
{
    sqlite3_file *file = NULL;
    sqlite3_int64 size = 0;
    if (sqlite3_get_autocommit(db) || sqlite3_txn_state(db, "main") != SQLITE_TXN_READ ||
        sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || file == NULL ||
        file->pMethods == NULL || file->pMethods->xFileSize(file, &size) != SQLITE_OK || size <= 0)
        return false;
    *ret = (struct page_source){read_file, file, (uint64_t)size};
    return true;
}

/* Finds where a table begins: a plain one of the database, and no view, nor hidden by a temporary table. */
static bool find_root(sqlite3 *db, const char *name, uint32_t *ret)
{
    static const char sql[] = "SELECT rootpage FROM main.sqlite_schema WHERE type = 'table' AND name = ?1"
                              " AND NOT EXISTS (SELECT 1 FROM sqlite_temp_schema WHERE name = ?1)";
    SCOPED(statement_release) sqlite3_stmt *statement = NULL;
    int64_t root = 0;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC) == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW)
        root = sqlite3_column_int64(statement, 0);
    *ret = root > 0 && root < UINT32_MAX ? (uint32_t)root : 0;
    return *ret != 0;
}

/* One row of table_xinfo. false: the column is calculated, or has a value where a row has none. */
static bool take_column(sqlite3_stmt *row, struct page_tree *table, const struct page_column *columns, size_t count,
                        size_t *found)
{
    enum { NAME = 1, TYPE = 2, DEFAULT = 4, KEY = 5, HIDDEN = 6 };
    const char *name = (const char *)sqlite3_column_text(row, NAME);
    const char *type = (const char *)sqlite3_column_text(row, TYPE);
    size_t column = table->column_count++;
    if (sqlite3_column_int(row, HIDDEN) != 0 || sqlite3_column_type(row, DEFAULT) != SQLITE_NULL || name == NULL ||
        type == NULL || column == PAGE_COLUMNS_MAX)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (sqlite3_stricmp(name, columns[i].name) != 0)
            continue;
        if (table->places[column] != 0)
            return false; /* wanted twice */
        table->places[column] = (uint16_t)(columns[i].place + 1);
        table->texts[column] = columns[i].is_text;
        ++*found;
    }
    if (sqlite3_column_int(row, KEY) == 1 && sqlite3_stricmp(type, "INTEGER") == 0 && table->places[column] != 0)
        table->id = (int)column;
    return true;
}

static bool find_columns(sqlite3 *db, const char *name, const struct page_column *columns, size_t count,
                         struct page_tree *ret)
{
    char sql[128];
    SCOPED(statement_release) sqlite3_stmt *statement = NULL;
    size_t found = 0;
    int code;
    sqlite3_snprintf(sizeof sql, sql, "PRAGMA main.table_xinfo(%Q)", name);
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        return false;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW)
        if (!take_column(statement, ret, columns, count, &found))
            break;
    return code == SQLITE_DONE && found == count;
}

struct page_reader *page_reader_open(sqlite3 *db, const char *name, const struct page_column *columns,
                                     size_t column_count, size_t width, const struct page_condition *conditions,
                                     size_t condition_count)
{
    struct page_source source;
    struct page_tree table = {.id = -1};
    if (strlen(name) > 64 || width >= UINT16_MAX || !find_source(db, &source) || !find_root(db, name, &table.root) ||
        !find_columns(db, name, columns, column_count, &table))
        return NULL;
    return page_reader_new(&source, &table, width, conditions, condition_count);
}

bool table_is_empty(sqlite3 *db, int64_t root, int64_t page_size)
{
    struct page_source source;
    unsigned char leaf[LEAF_HEADER];
    return root > 1 && root < UINT32_MAX && page_size >= PAGE_SIZE_MIN && page_size <= PAGE_SIZE_MAX &&
           find_source(db, &source) &&
           read_file(source.arg, leaf, sizeof leaf, (uint64_t)(root - 1) * (uint64_t)page_size) &&
           leaf[PAGE_KIND] == PAGE_LEAF && bytes_load(leaf + PAGE_CELLS, 2, true) == 0;
}

bool table_file(sqlite3 *db, struct file_id *ret)
{
    const char *path = sqlite3_db_filename(db, "main");
    struct stat info;
    int moved = 1;
    if (path == NULL || stat(path, &info) != 0 ||
        sqlite3_file_control(db, "main", SQLITE_FCNTL_HAS_MOVED, &moved) != SQLITE_OK || moved != 0)
        return false;
    *ret = (struct file_id){info.st_dev, info.st_ino};
    return true;
}

struct page_reader *page_reader_share(const struct page_reader *reader, sqlite3 *db)
{
    struct page_source source;
    return find_source(db, &source) ? page_reader_copy(reader, &source) : NULL;
}
