/* SPDX-License-Identifier: Apache-2.0 */
#include "db/query/query_scan.h"

#include "base/number.h"
#include "base/strbuf.h"
#include "db/database.h"
#include "db/query/query_loop.h"
#include "db/query/take_row.h"
#include "db/table_pages.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SQL_LIMIT 8192
#define CONDITIONS_MAX 8

struct query_scan {
    sqlite3 *db;
    struct page_reader *pages; /* NULL: SQLite is asked */
    struct file_id file;       /* that they are of */
    bool shares;               /* that is known */
    sqlite3_stmt *statement;   /* NULL: it was not needed yet */
    char *sql;
    size_t count, width;
    uint16_t places[SCAN_COLUMNS_MAX]; /* of the statement's values */
    bool texts[SCAN_COLUMNS_MAX];
    int64_t row[];
};

/* ---- from pages ---- */

struct wanted {
    struct page_column columns[SCAN_COLUMNS_MAX + CONDITIONS_MAX];
    char names[CONDITIONS_MAX][64]; /* of columns that only conditions are about */
    struct page_condition conditions[CONDITIONS_MAX];
    size_t count, width, condition_count;
};

/* The place of a column, which gets one of its own if nobody wants it. */
static size_t place_of(struct wanted *wanted, const char *name)
{
    for (size_t i = 0; i < wanted->count; i++)
        if (strcmp(wanted->columns[i].name, name) == 0)
            return wanted->columns[i].place;
    char *copy = wanted->names[wanted->condition_count];
    snprintf(copy, sizeof *wanted->names, "%s", name);
    wanted->columns[wanted->count++] = (struct page_column){copy, wanted->width, false};
    return wanted->width++;
}

/* false: it is none of those that pages can be asked for. */
static bool take_conditions(struct wanted *wanted, const char *where)
{
    static const char and[] = " AND ";
    for (; where != NULL; where += strlen(and)) {
        char name[64];
        int64_t other = DB_NULL;
        int length = 0;
        bool known = sscanf(where, "%63[a-z0-9_] IS NOT NULL%n", name, &length) == 1 && length > 0;
        if (!known && sscanf(where, "%63[a-z0-9_] <> %n", name, &length) == 1 && length > 0) {
            size_t digits = strcspn(where + length, " ");
            known = number_parse_integer(where + length, digits, &other) == 0;
            length += (int)digits;
        }
        if (!known || wanted->condition_count == CONDITIONS_MAX)
            return false;
        size_t place = place_of(wanted, name);
        wanted->conditions[wanted->condition_count++] = (struct page_condition){place, other};
        where += length;
        if (*where == '\0')
            break;
        if (strncmp(where, and, strlen(and)) != 0)
            return false;
    }
    return true;
}

static struct page_reader *open_pages(sqlite3 *db, const char *table, const char *where,
                                      const struct scan_column *columns, size_t count, size_t width)
{
    struct wanted wanted = {.width = width};
    for (; wanted.count < count; wanted.count++)
        wanted.columns[wanted.count] =
            (struct page_column){columns[wanted.count].sql, columns[wanted.count].place, columns[wanted.count].is_text};
    return take_conditions(&wanted, where) ? page_reader_open(db, table, wanted.columns, wanted.count, wanted.width,
                                                              wanted.conditions, wanted.condition_count)
                                           : NULL;
}

/* ---- from SQLite ---- */

static int write_sql(struct query_scan *scan, const char *table, const char *key, const char *where,
                     const struct scan_column *columns, struct err *err)
{
    struct strbuf sql;
    strbuf_init(&sql, SQL_LIMIT);
    strbuf_addf(&sql, "SELECT 1 FROM %s WHERE %s >= ?2 AND %s < ?3 AND ", table, key, key);
    /* CASE keeps the order: a row that is not wanted is not given. */
    if (where != NULL)
        strbuf_addf(&sql, "CASE WHEN %s THEN ", where);
    strbuf_adds(&sql, "take_row(?1");
    for (size_t i = 0; i < scan->count; i++)
        strbuf_addf(&sql, ", %s", columns[i].sql);
    strbuf_addf(&sql, ")%s ORDER BY %s", where != NULL ? " END" : "", key);
    scan->sql = strbuf_detach(&sql);
    return scan->sql != NULL ? 0 : err_no_memory(err);
}

struct values_loop {
    struct query_scan *scan;
    int (*each)(void *arg, int64_t *row, struct err *err);
    void *arg;
};

static void take_text_value(sqlite3_value *value, int64_t *ret)
{
    const unsigned char *text = sqlite3_value_text(value);
    ret[0] = text != NULL ? (int64_t)(intptr_t)text : DB_NULL;
    ret[1] = sqlite3_value_bytes(value);
}

static int take_values(void *arg, sqlite3_value **values, struct err *err)
{
    const struct values_loop *loop = arg;
    struct query_scan *scan = loop->scan;
    for (size_t i = 0; i < scan->width; i++)
        scan->row[i] = DB_NULL;
    for (size_t i = 0; i < scan->count; i++) {
        if (scan->texts[i]) {
            take_text_value(values[i], &scan->row[scan->places[i]]);
            continue;
        }
        int64_t integer = sqlite3_value_int64(values[i]);
        bool none = integer == 0 && sqlite3_value_type(values[i]) == SQLITE_NULL;
        scan->row[scan->places[i]] = none ? DB_NULL : integer;
    }
    return loop->each(loop->arg, scan->row, err);
}

static int run_statement(struct query_scan *scan, int64_t first, int64_t end,
                         int (*each)(void *arg, int64_t *row, struct err *err), void *arg, struct err *err)
{
    struct values_loop loop = {scan, each, arg};
    struct row_scan rows = {.each = take_values, .arg = &loop, .err = err};
    if (scan->statement == NULL && database_prepare(scan->db, scan->sql, &scan->statement, err) < 0)
        return err_status(err);
    query_bind(scan->statement, 2, first);
    query_bind(scan->statement, 3, end);
    int code = sqlite3_bind_pointer(scan->statement, 1, &rows, TAKE_ROW_POINTER, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(scan->statement);
    int status = rows.status;
    if (status == 0 && code != SQLITE_DONE)
        status = database_error(err, scan->db, "cannot read the database");
    sqlite3_reset(scan->statement);
    sqlite3_bind_null(scan->statement, 1);
    return status;
}

/* ---- scans ---- */

int query_scan_new(sqlite3 *db, const char *table, const char *where, const struct scan_column *columns, size_t count,
                   size_t width, struct query_scan **ret, struct err *err)
{
    return query_scan_new_by(db, table, "id", where, columns, count, width, ret, err);
}

int query_scan_new_by(sqlite3 *db, const char *table, const char *key, const char *where,
                      const struct scan_column *columns, size_t count, size_t width, struct query_scan **ret,
                      struct err *err)
{
    if (count > SCAN_COLUMNS_MAX || width > UINT16_MAX - CONDITIONS_MAX)
        return err_set(err, ERR_LIMIT, "a scan of %zu columns; at most %d are possible", count, SCAN_COLUMNS_MAX);
    struct query_scan *scan = calloc(1, sizeof *scan + width * sizeof *scan->row);
    if (scan == NULL)
        return err_no_memory(err);
    scan->db = db;
    scan->count = count;
    scan->width = width;
    for (size_t i = 0; i < count; i++) {
        scan->places[i] = (uint16_t)columns[i].place;
        scan->texts[i] = columns[i].is_text;
    }
    if (write_sql(scan, table, key, where, columns, err) < 0 ||
        ((scan->pages = open_pages(db, table, where, columns, count, width)) == NULL &&
         database_prepare(db, scan->sql, &scan->statement, err) < 0)) {
        query_scan_free(scan);
        return err_status(err);
    }
    scan->shares = scan->pages != NULL && table_file(db, &scan->file);
    *ret = scan;
    return 0;
}

struct query_scan *query_scan_share(const struct query_scan *first, sqlite3 *db)
{
    struct file_id file;
    if (!first->shares || !table_file(db, &file) || file.device != first->file.device ||
        file.number != first->file.number)
        return NULL;
    struct query_scan *scan = calloc(1, sizeof *scan + first->width * sizeof *scan->row);
    if (scan == NULL)
        return NULL;
    memcpy(scan, first, offsetof(struct query_scan, row));
    scan->db = db;
    scan->statement = NULL;
    scan->sql = strdup(first->sql);
    scan->pages = page_reader_share(first->pages, db);
    if (scan->sql != NULL && scan->pages != NULL)
        return scan;
    query_scan_free(scan);
    return NULL;
}

void query_scan_free(struct query_scan *scan)
{
    if (scan == NULL)
        return;
    page_reader_free(scan->pages);
    sqlite3_finalize(scan->statement);
    free(scan->sql);
    free(scan);
}

int query_scan(struct query_scan *scan, int64_t first, int64_t end,
               int (*each)(void *arg, int64_t *row, struct err *err), void *arg, struct err *err)
{
    int status = scan->pages != NULL ? page_reader_read(scan->pages, &first, end, each, arg, err) : 0;
    return status == 0 && first < end ? run_statement(scan, first, end, each, arg, err) : status;
}

int query_scan_all(sqlite3 *db, const char *table, const char *where, const struct scan_column *columns, size_t count,
                   int (*each)(void *arg, int64_t *row, struct err *err), void *arg, struct err *err)
{
    struct query_scan *scan;
    int status = query_scan_new(db, table, where, columns, count, count, &scan, err);
    if (status < 0)
        return status;
    status = query_scan(scan, INT64_MIN + 1, INT64_MAX, each, arg, err);
    query_scan_free(scan);
    return status;
}
