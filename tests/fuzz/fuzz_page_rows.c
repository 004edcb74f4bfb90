/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of any kind, written as finished pages: SQLite finds the file sound, and reads from it what it has stored of the
 * same rows itself. The first bytes say how large pages are and which columns there are, each of the others how a row
 * is. The reader of pages and its copy, each through a connection of its own, give the integers that SQLite gives. */
#include "tests/fuzz/entries.h"
#include "tests/fuzz/sqlite_memory.h"

#include "db/pages/write.h"
#include "db/table_pages.h"

#define COLUMNS_MAX 12
#define ROWS_MAX 1000
#define BYTES_MAX ((size_t)1 << 18) /* of all texts of an input, again and again */

struct table {
    uint8_t forms[COLUMNS_MAX];
    size_t columns, own; /* own: the column that is the row's number; COLUMNS_MAX: one in front of all */
    size_t page_size, rows, bytes;
    int64_t id;
    struct page_table *pages;
    sqlite3_stmt *insert;
    char *texts;
};

static uint64_t take_number(struct input *input, size_t width)
{
    uint64_t number = 0;
    for (; width > 0; width--)
        number = number << 8 | take_byte(input);
    return number;
}

/* An integer of up to so many bytes, or one beside where those begin that need more. */
static int64_t take_integer(struct input *input)
{
    uint8_t how = take_byte(input);
    unsigned width = how & 7;
    if (how >= 0xc0)
        return (int64_t)((UINT64_C(1) << (8 * width + 7)) - (how >> 4 & 3) + 1);
    int64_t number = (int64_t)(take_number(input, width + 1) << (56 - 8 * width)) >> (56 - 8 * width);
    return (how & 0x40) != 0 ? ~number : number;
}

static int64_t take_real(struct input *input)
{
    uint8_t how = take_byte(input);
    double number = how < 0x80 ? (double)take_integer(input) / (how & 3 ? 1 : 4) : 0;
    int64_t bits = (int64_t)take_number(input, how < 0x80 ? 0 : 8);
    if (how < 0x80)
        memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* A text of one letter, or a blob. */
static void take_text(struct input *input, struct table *table, struct cell *cell)
{
    size_t length = take_byte(input);
    if (length >= 0xf0)
        length = take_number(input, 2);
    if (length > BYTES_MAX - table->bytes)
        length = BYTES_MAX - table->bytes;
    cell->text = table->texts + table->bytes;
    cell->length = (uint32_t)length;
    memset(table->texts + table->bytes, 'a' + take_byte(input) % 26, length);
    table->bytes += length;
}

static void bind_cell(const struct table *table, size_t column, const struct cell *cell)
{
    int place = (int)column + 1 + (table->own == COLUMNS_MAX);
    double real;
    switch (table->forms[column]) {
    case PAGE_INTEGER:
        sqlite3_bind_int64(table->insert, place, cell->integer);
        break;
    case PAGE_REAL:
    case PAGE_NUMERIC:
        memcpy(&real, &cell->integer, sizeof real);
        sqlite3_bind_double(table->insert, place, real);
        break;
    case PAGE_TEXT:
        sqlite3_bind_text(table->insert, place, cell->text, (int)cell->length, SQLITE_STATIC);
        break;
    default:
        sqlite3_bind_blob(table->insert, place, cell->length > 0 ? cell->text : "", (int)cell->length, SQLITE_STATIC);
        break;
    }
}

/* Puts a row into both, some of them as often as the input says. */
static void put_row(struct input *input, struct table *table)
{
    struct err err = ERR_INIT;
    struct cell cells[COLUMNS_MAX] = {{.integer = 0}};
    uint8_t how = take_byte(input);
    uint64_t present = take_number(input, 2) & ((UINT64_C(1) << table->columns) - 1);
    size_t before = table->bytes;
    int64_t gap = how < 0xf0 ? 1 + (how & 7) : take_integer(input);
    for (size_t i = 0; i < table->columns; i++) {
        if (i == table->own || (present >> i & 1) == 0)
            continue;
        if (table->forms[i] == PAGE_TEXT || table->forms[i] == PAGE_BLOB)
            take_text(input, table, &cells[i]);
        else
            cells[i].integer = table->forms[i] == PAGE_INTEGER ? take_integer(input) : take_real(input);
    }
    size_t texts = table->bytes - before;
    table->bytes = before;
    for (int again = how < 0xf0 && (how & 8) != 0 ? take_byte(input) : 0; again >= 0; again--) {
        if (table->rows == ROWS_MAX || gap < 1 || table->id > INT64_MAX - gap || table->bytes + texts > BYTES_MAX)
            return;
        table->bytes += texts;
        table->id += gap;
        table->rows++;
        EXPECT(page_table_add(table->pages, table->id, cells, present, &err) == 0);
        sqlite3_clear_bindings(table->insert);
        sqlite3_bind_int64(table->insert, table->own == COLUMNS_MAX ? 1 : (int)table->own + 1, table->id);
        for (size_t i = 0; i < table->columns; i++)
            if (i != table->own && (present >> i & 1) != 0)
                bind_cell(table, i, &cells[i]);
        EXPECT(sqlite3_step(table->insert) == SQLITE_DONE && sqlite3_reset(table->insert) == SQLITE_OK);
        for (size_t i = 0; i < table->columns; i++)
            if (table->forms[i] == PAGE_INTEGER)
                cells[i].integer = (int64_t)((uint64_t)cells[i].integer + (how >> 4));
    }
}

static void run_sql(sqlite3 *db, const char *sql)
{
    EXPECT(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK);
}

static sqlite3 *make_tables(struct input *input, struct table *table)
{
    static const char *const types[] = {"", "INTEGER", "REAL", "TEXT", "BLOB", "INTEGER PRIMARY KEY", "NUMERIC"};
    char sql[512];
    sqlite3 *db = NULL;
    uint8_t how = take_byte(input);
    table->page_size = (size_t)512 << (how & 7);
    table->columns = 1 + (how >> 3) % COLUMNS_MAX;
    table->own = COLUMNS_MAX;
    for (size_t i = 0; i < table->columns; i++) {
        table->forms[i] = 1 + take_byte(input) % PAGE_NUMERIC;
        if (table->forms[i] == PAGE_ROW_ID && table->own < COLUMNS_MAX)
            table->forms[i] = PAGE_INTEGER;
        if (table->forms[i] == PAGE_ROW_ID)
            table->own = i;
    }
    int length = snprintf(sql, sizeof sql, "PRAGMA page_size = %zu; CREATE TABLE t(%s", table->page_size,
                          table->own == COLUMNS_MAX ? "id INTEGER PRIMARY KEY, " : "");
    for (size_t i = 0; i < table->columns; i++)
        length += snprintf(sql + length, sizeof sql - (size_t)length, "%sc%zu %s", i > 0 ? ", " : "", i,
                           types[table->forms[i]]);
    snprintf(sql + length, sizeof sql - (size_t)length, ")");
    EXPECT(sqlite3_open(":memory:", &db) == SQLITE_OK);
    run_sql(db, sql);
    return db;
}

/* A file of the database as it is. */
static int write_file(sqlite3 *db, size_t page_size, uint32_t *ret_pages)
{
    sqlite3_int64 size = 0;
    char path[64];
    unsigned char *bytes = sqlite3_serialize(db, "main", &size, 0);
    EXPECT(bytes != NULL && size > 0);
    int fd = memory_file(bytes, (size_t)size, path);
    sqlite3_free(bytes);
    *ret_pages = (uint32_t)((size_t)size / page_size);
    return fd;
}

static sqlite3 *read_file(int fd)
{
    sqlite3 *db = NULL;
    off_t size = lseek(fd, 0, SEEK_END);
    unsigned char *bytes = sqlite3_malloc64((sqlite3_uint64)size);
    EXPECT(size > 0 && bytes != NULL && pread(fd, bytes, (size_t)size, 0) == size);
    EXPECT(sqlite3_open(":memory:", &db) == SQLITE_OK);
    EXPECT(sqlite3_deserialize(db, "main", bytes, size, size, SQLITE_DESERIALIZE_FREEONCLOSE) == SQLITE_OK);
    return db;
}

static bool same_value(sqlite3_stmt *one, sqlite3_stmt *other, int column)
{
    int type = sqlite3_column_type(one, column);
    if (type != sqlite3_column_type(other, column))
        return false;
    if (type == SQLITE_INTEGER)
        return sqlite3_column_int64(one, column) == sqlite3_column_int64(other, column);
    if (type == SQLITE_FLOAT)
        return sqlite3_column_double(one, column) == sqlite3_column_double(other, column);
    int length = sqlite3_column_bytes(one, column);
    return length == sqlite3_column_bytes(other, column) &&
           (length == 0 ||
            memcmp(sqlite3_column_blob(one, column), sqlite3_column_blob(other, column), (size_t)length) == 0);
}

static void compare_rows(sqlite3 *ours, sqlite3 *theirs)
{
    sqlite3_stmt *one = NULL, *other = NULL;
    int code;
    EXPECT(sqlite3_prepare_v2(ours, "SELECT * FROM t", -1, &one, NULL) == SQLITE_OK);
    EXPECT(sqlite3_prepare_v2(theirs, "SELECT * FROM t", -1, &other, NULL) == SQLITE_OK);
    while ((code = sqlite3_step(one)) == SQLITE_ROW) {
        EXPECT(sqlite3_step(other) == SQLITE_ROW);
        for (int i = 0; i < sqlite3_column_count(other); i++)
            EXPECT(same_value(one, other, i));
    }
    EXPECT(code == SQLITE_DONE && sqlite3_step(other) == SQLITE_DONE);
    sqlite3_finalize(one);
    sqlite3_finalize(other);
}

/* Rows of a reader, and the statement that gives the same ones. */
struct reading {
    struct page_reader *pages;
    struct reading *of_copy; /* reads a row behind each of this one; NULL: it is the copy */
    sqlite3_stmt *rows;
    size_t columns;
    int64_t next;
    bool once; /* a row a reading */
};

static int compare_row(void *arg, int64_t *row, struct err *err)
{
    struct reading *reading = arg;
    EXPECT(sqlite3_step(reading->rows) == SQLITE_ROW);
    for (size_t i = 0; i < reading->columns; i++) {
        bool none = sqlite3_column_type(reading->rows, (int)i) == SQLITE_NULL;
        EXPECT(row[i] == (none ? PAGE_NULL : sqlite3_column_int64(reading->rows, (int)i)));
    }
    struct reading *of_copy = reading->of_copy;
    if (of_copy != NULL)
        page_reader_read(of_copy->pages, &of_copy->next, INT64_MAX, compare_row, of_copy, err);
    return reading->once;
}

/* Reads the integers of a table through both connections by turns, a row at a time. */
static void compare_readers(sqlite3 *ours, sqlite3 *second, const struct table *table)
{
    char names[COLUMNS_MAX][8], sql[256] = "SELECT ";
    struct page_column columns[COLUMNS_MAX];
    struct reading one = {.next = 1}, other = {.next = 1, .once = true};
    struct err err = ERR_INIT;
    size_t length = strlen(sql);
    for (size_t i = 0; i < table->columns; i++) {
        if (table->forms[i] != PAGE_INTEGER)
            continue;
        snprintf(names[one.columns], sizeof names[0], "c%zu", i);
        columns[one.columns] = (struct page_column){.name = names[one.columns], .place = one.columns};
        length += (size_t)snprintf(sql + length, sizeof sql - length, "%sc%zu", one.columns > 0 ? "," : "", i);
        one.columns++;
    }
    other.columns = one.columns;
    if (one.columns == 0)
        return;
    snprintf(sql + length, sizeof sql - length, " FROM t");
    run_sql(ours, "BEGIN; SELECT count(*) FROM t");
    run_sql(second, "BEGIN; SELECT count(*) FROM t");
    EXPECT(sqlite3_prepare_v2(ours, sql, -1, &one.rows, NULL) == SQLITE_OK);
    EXPECT(sqlite3_prepare_v2(ours, sql, -1, &other.rows, NULL) == SQLITE_OK);
    one.pages = page_reader_open(ours, "t", columns, one.columns, one.columns, NULL, 0);
    other.pages = one.pages != NULL ? page_reader_share(one.pages, second) : NULL;
    EXPECT(one.pages != NULL && other.pages != NULL);
    one.of_copy = &other;
    EXPECT(page_reader_read(one.pages, &one.next, INT64_MAX, compare_row, &one, &err) == 0);
    page_reader_free(other.pages);
    page_reader_free(one.pages);
    sqlite3_finalize(other.rows);
    sqlite3_finalize(one.rows);
}

static void check_soundness(sqlite3 *db)
{
    sqlite3_stmt *statement = NULL;
    EXPECT(sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &statement, NULL) == SQLITE_OK);
    EXPECT(sqlite3_step(statement) == SQLITE_ROW);
    EXPECT(strcmp((const char *)sqlite3_column_text(statement, 0), "ok") == 0);
    sqlite3_finalize(statement);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { ROOT = 2 };
    struct input input = {data, data + size};
    struct table table = {.texts = malloc(BYTES_MAX)};
    struct err err = ERR_INIT;
    struct pages pages;
    char sql[64] = "INSERT INTO t VALUES(?";
    uint32_t count = 0;
    sqlite_memory_past_asan();
    sqlite3 *theirs = make_tables(&input, &table);
    int fd = write_file(theirs, table.page_size, &count);
    run_sql(theirs, "BEGIN");
    size_t length = strlen(sql);
    for (size_t i = table.own == COLUMNS_MAX ? 0 : 1; i < table.columns; i++)
        length += (size_t)snprintf(sql + length, sizeof sql - length, ",?");
    snprintf(sql + length, sizeof sql - length, ")");
    EXPECT(sqlite3_prepare_v2(theirs, sql, -1, &table.insert, NULL) == SQLITE_OK);
    pages_begin(&pages, fd, table.page_size, count);
    table.pages = page_table_new(&pages, ROOT, table.forms, table.columns, table.own == COLUMNS_MAX, &err);
    EXPECT(table.pages != NULL && table.texts != NULL);
    while (input.at < input.end && table.rows < ROWS_MAX)
        put_row(&input, &table);
    EXPECT(page_table_finish(table.pages, &err) == 0 && pages_finish(&pages, &err) == 0);
    sqlite3 *ours = read_file(fd);
    check_soundness(ours);
    compare_rows(ours, theirs);
    sqlite3_finalize(table.insert);
    sqlite3 *second = read_file(fd);
    compare_readers(ours, second, &table);
    sqlite3_close(second);
    sqlite3_close(ours);
    sqlite3_close(theirs);
    page_table_free(table.pages);
    free(table.texts);
    close(fd);
    return 0;
}
