/* SPDX-License-Identifier: Apache-2.0 */
/* Rows read from a database's pages: those that SQLite gives, and where SQLite is to be asked instead. */
#include "tests/lib/scratch.h"

#include "db/database.h"
#include "db/query/query_scan.h"
#include "db/query/take_row.h"
#include "db/table_pages.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const struct page_column abc[] = {{"id", 0, false}, {"a", 1, false}, {"b", 2, false}, {"c", 3, false}};
#define WIDTH 4
#define NUMBERED "WITH n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 5000) "

static void execute(sqlite3 *db, const char *sql)
{
    char *message = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
}

/* A database that SQL made, opened for reading, in a transaction. */
static sqlite3 *made(int page_size, const char *sql)
{
    sqlite3 *db;
    char path[128], pragma[64];
    snprintf(path, sizeof path, "%s", in_scratch("x.db"));
    unlink(path);
    snprintf(pragma, sizeof pragma, "PRAGMA page_size = %d", page_size);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    execute(db, pragma);
    execute(db, sql);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(take_row_register(db), SQLITE_OK);
    execute(db, "BEGIN; SELECT count(*) FROM sqlite_schema");
    return db;
}

/* Rows of SQLite to compare with those that come. */
struct rows {
    sqlite3_stmt *expected;
    int64_t count, most; /* most: the reading is ended there */
};

static int compare_row(void *arg, int64_t *row, struct err *err)
{
    struct rows *rows = arg;
    (void)err;
    assert_int_equal(sqlite3_step(rows->expected), SQLITE_ROW);
    for (int i = 0; i < WIDTH; i++) {
        if (sqlite3_column_type(rows->expected, i) == SQLITE_NULL)
            assert_true(row[i] == PAGE_NULL);
        else
            assert_true(row[i] == sqlite3_column_int64(rows->expected, i));
    }
    return ++rows->count == rows->most ? 7 : 0;
}

static void begin(struct rows *rows, sqlite3 *db, const char *where)
{
    char sql[256];
    snprintf(sql, sizeof sql, "SELECT id, a, b, c FROM t WHERE %s ORDER BY id", where);
    *rows = (struct rows){.most = -1};
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &rows->expected, NULL), SQLITE_OK);
}

static void end(struct rows *rows)
{
    assert_int_equal(sqlite3_step(rows->expected), SQLITE_DONE);
    sqlite3_finalize(rows->expected);
}

static struct page_reader *opened(sqlite3 *db)
{
    return page_reader_open(db, "t", abc, 4, WIDTH, NULL, 0);
}

/* Reads the rows of a range from pages only. */
static void assert_range(struct page_reader *reader, sqlite3 *db, int64_t first, int64_t past)
{
    struct rows rows;
    struct err err = ERR_INIT;
    char where[128];
    int64_t next = first;
    snprintf(where, sizeof where, "id >= %" PRId64 " AND id < %" PRId64, first, past);
    begin(&rows, db, where);
    assert_int_equal(page_reader_read(reader, &next, past, compare_row, &rows, &err), 0);
    assert_true(next == (first < past ? past : first));
    end(&rows);
}

/* Every row comes once, in order, whoever reads it. */
static void assert_scan(sqlite3 *db)
{
    static const struct scan_column columns[] = {{"id", 0, false}, {"a", 1, false}, {"b", 2, false}, {"c", 3, false}};
    struct query_scan *scan = NULL;
    struct err err = ERR_INIT;
    struct rows rows;
    assert_int_equal(query_scan_new(db, "t", NULL, columns, 4, WIDTH, &scan, &err), 0);
    for (int again = 0; again < 2; again++) {
        begin(&rows, db, "1");
        assert_int_equal(query_scan(scan, INT64_MIN + 1, INT64_MAX, compare_row, &rows, &err), 0);
        end(&rows);
    }
    query_scan_free(scan);
}

/* Pages give what stands before a row, and nothing from it on; a scan goes on with SQLite. */
static void assert_pages_end_at(sqlite3 *db, int64_t id)
{
    struct page_reader *reader = opened(db);
    struct rows rows;
    struct err err = ERR_INIT;
    char where[64];
    int64_t next = 1;
    assert_non_null(reader);
    snprintf(where, sizeof where, "id < %" PRId64, id);
    begin(&rows, db, where);
    assert_int_equal(page_reader_read(reader, &next, INT64_MAX, compare_row, &rows, &err), 0);
    assert_int_equal(next, id);
    end(&rows);
    next = 1;
    assert_int_equal(page_reader_read(reader, &next, INT64_MAX, compare_row, NULL, &err), 0);
    assert_int_equal(next, 1);
    page_reader_free(reader);
    assert_scan(db);
}

#define PLAIN "CREATE TABLE t(id INTEGER PRIMARY KEY, a INTEGER, x TEXT, b INTEGER, c INTEGER, y);"

static void integers_of_every_size_are_what_sqlite_gives_at_every_page_size(void **state)
{
    static const char extremes[] = PLAIN
        "CREATE TEMP TABLE v(k INTEGER PRIMARY KEY, v INTEGER);"
        "INSERT INTO v(v) VALUES(NULL), (0), (1), (2), (-1), (127), (128), (-128), (-129), (32767), (32768), (-32768),"
        "(-32769), (8388607), (8388608), (-8388608), (-8388609), (2147483647), (2147483648), (-2147483648),"
        "(-2147483649), (140737488355327), (140737488355328), (-140737488355328), (-140737488355329),"
        "(9223372036854775807), (-9223372036854775807);"
        "INSERT INTO t SELECT NULL, p.v, substr('texttexttexttext', p.k % 15), q.v, r.v, NULL FROM v p, v q, v r "
        "WHERE (p.k + q.k + r.k) % 4 = 0";
    (void)state;
    for (int size = 512; size <= 65536; size *= 2) {
        sqlite3 *db = made(size, extremes);
        struct page_reader *reader = opened(db);
        assert_non_null(reader);
        assert_range(reader, db, 1, INT64_MAX);
        page_reader_free(reader);
        assert_scan(db);
        sqlite3_close(db);
    }
}

static void any_range_of_rows_with_gaps_and_negative_numbers_is_read(void **state)
{
    (void)state;
    sqlite3 *db = made(512, PLAIN NUMBERED "INSERT INTO t SELECT i * 7 - 9000, i, 'x', -i, i * i, NULL FROM n");
    struct page_reader *reader = opened(db);
    assert_non_null(reader);
    assert_range(reader, db, INT64_MIN + 1, INT64_MAX);
    for (int64_t first = -9100; first < 26100; first += 131) {
        assert_range(reader, db, first, first + 200);
        assert_range(reader, db, first, first + 1);
        assert_range(reader, db, first, first);
    }
    assert_range(reader, db, 5, 2);
    page_reader_free(reader);
    sqlite3_close(db);
    db = made(4096, PLAIN
              "INSERT INTO t VALUES(-9223372036854775807, 1, 'x', 2, 3, 4), (9223372036854775806, 5, '', 6, 7, 8)");
    assert_scan(db);
    sqlite3_close(db);
}

static void texts_blobs_reals_and_many_nulls_between_are_passed_over(void **state)
{
    char sql[4096] = "CREATE TABLE t(x, id INTEGER PRIMARY KEY, a INTEGER, y";
    (void)state;
    for (int i = 0; i < 40; i++)
        snprintf(sql + strlen(sql), sizeof sql - strlen(sql), ", n%d", i);
    snprintf(sql + strlen(sql), sizeof sql - strlen(sql), "%s",
             ", b INTEGER, z, c INTEGER, last);" NUMBERED
             "INSERT INTO t(x, id, a, y, n3, n20, n21, n39, b, z, c, last) SELECT"
             " substr(hex(zeroblob(40)), 1, i % 81), i, i, CASE i % 4 WHEN 0 THEN i / 3.0 WHEN 1 THEN zeroblob(i % 90)"
             " WHEN 2 THEN 'text' END, i % 2, CASE WHEN i % 3 = 0 THEN 1.5 END, i, nullif(i % 5, 0), -i, NULL,"
             " i * 3, hex(zeroblob(30)) FROM n");
    sqlite3 *db = made(1024, sql);
    struct page_reader *reader = opened(db);
    assert_non_null(reader);
    assert_range(reader, db, 1, INT64_MAX);
    page_reader_free(reader);
    sqlite3_close(db);
}

static void rows_that_fail_a_condition_are_left_out(void **state)
{
    static const struct scan_column columns[] = {{"id", 0, false}, {"a", 1, false}, {"c", 3, false}, {"b", 2, false}};
    static const char *const wheres[] = {"a IS NOT NULL",
                                         "a <> 2 AND b IS NOT NULL AND a <> -3",
                                         "y <> 1 AND b <> 0",
                                         "a > 2 AND b IS NOT NULL",
                                         "a IS NULL",
                                         "b <> 3 OR a <> 2",
                                         "y IS NOT NULL AND x IS NOT NULL"};
    (void)state;
    sqlite3 *db = made(512, PLAIN NUMBERED
                       "INSERT INTO t SELECT i, nullif(i % 9, 4) - 4, i, i % 7, nullif(i % 3, 1), i % 2 FROM n");
    for (size_t i = 0; i < sizeof wheres / sizeof *wheres; i++) {
        struct query_scan *scan = NULL;
        struct err err = ERR_INIT;
        struct rows rows;
        assert_int_equal(query_scan_new(db, "t", wheres[i], columns, 4, WIDTH, &scan, &err), 0);
        begin(&rows, db, wheres[i]);
        assert_int_equal(query_scan(scan, 1, INT64_MAX, compare_row, &rows, &err), 0);
        assert_true(rows.count > 0);
        end(&rows);
        query_scan_free(scan);
    }
    sqlite3_close(db);
}

static void sqlite_goes_on_at_a_row_that_is_not_as_expected(void **state)
{
    static const char *const odd[] = {"UPDATE t SET a = 'text' WHERE id = 3000", "UPDATE t SET c = 2.5 WHERE id = 3000",
                                      "UPDATE t SET b = zeroblob(3) WHERE id = 3000",
                                      "UPDATE t SET x = hex(zeroblob(4000)) WHERE id = 3000",
                                      "UPDATE t SET y = hex(zeroblob(40000)) WHERE id = 3000"};
    (void)state;
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        char sql[512];
        snprintf(sql, sizeof sql, PLAIN NUMBERED "INSERT INTO t SELECT i, i, 'x', i, i, NULL FROM n; %s", odd[i]);
        sqlite3 *db = made(1024, sql);
        assert_pages_end_at(db, 3000);
        sqlite3_close(db);
    }
}

static void columns_that_the_end_of_a_row_lacks_are_null(void **state)
{
    sqlite3 *db =
        made(1024, "CREATE TABLE t(id INTEGER PRIMARY KEY, a INTEGER, x TEXT); INSERT INTO t VALUES(1, 2, 'x'),"
                   "(2, NULL, hex(zeroblob(40))), (3, -5, NULL); ALTER TABLE t ADD COLUMN b INTEGER;"
                   "INSERT INTO t VALUES(4, 5, hex(zeroblob(90)), 6); ALTER TABLE t ADD COLUMN c INTEGER;"
                   "INSERT INTO t VALUES(5, 4, 'x', 5, 6)");
    struct page_reader *reader = opened(db);
    (void)state;
    assert_non_null(reader);
    assert_range(reader, db, 1, 6);
    page_reader_free(reader);
    assert_scan(db);
    sqlite3_close(db);
}

/* Texts of a row, each with integers beside it. */
struct text_row {
    int64_t id, a, c;
    struct scanned_text x, y;
};

static int compare_texts(void *arg, int64_t *row, struct err *err)
{
    struct rows *rows = arg;
    const struct text_row *read = (const struct text_row *)(void *)row;
    const struct scanned_text *texts[] = {&read->x, &read->y};
    (void)err;
    assert_int_equal(sqlite3_step(rows->expected), SQLITE_ROW);
    assert_true(read->id == sqlite3_column_int64(rows->expected, 0));
    assert_true(read->a == sqlite3_column_int64(rows->expected, 1));
    assert_true(read->c == sqlite3_column_int64(rows->expected, 2));
    for (int i = 0; i < 2; i++) {
        const void *expected = sqlite3_column_text(rows->expected, 3 + i);
        assert_true((expected == NULL) == (texts[i]->address == PAGE_NULL));
        if (expected == NULL)
            continue;
        assert_int_equal(texts[i]->length, sqlite3_column_bytes(rows->expected, 3 + i));
        assert_memory_equal(scanned_text(texts[i]), expected, (size_t)texts[i]->length);
    }
    rows->count++;
    return 0;
}

/* Rows before this one come from pages, and all of them from a scan. */
static void assert_texts(sqlite3 *db, int64_t odd)
{
    enum { ID, A, C, X, Y = X + 2, TEXT_WIDTH = Y + 2 };
    static const struct page_column wanted[] = {
        {"id", ID, false}, {"x", X, true}, {"y", Y, true}, {"a", A, false}, {"c", C, false}};
    static const struct scan_column columns[] = {
        {"id", ID, false}, {"x", X, true}, {"y", Y, true}, {"a", A, false}, {"c", C, false}};
    struct page_reader *reader = page_reader_open(db, "t", wanted, 5, TEXT_WIDTH, NULL, 0);
    struct query_scan *scan = NULL;
    struct err err = ERR_INIT;
    struct rows rows = {.most = -1};
    int64_t next = 1;
    assert_non_null(reader);
    assert_int_equal(query_scan_new(db, "t", NULL, columns, 5, TEXT_WIDTH, &scan, &err), 0);
    for (int i = 0; i < 2; i++) {
        const char *sql = "SELECT id, a, c, x, y FROM t ORDER BY id";
        assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &rows.expected, NULL), SQLITE_OK);
        rows.count = 0;
        if (i == 0)
            assert_int_equal(page_reader_read(reader, &next, INT64_MAX, compare_texts, &rows, &err), 0);
        else
            assert_int_equal(query_scan(scan, 1, INT64_MAX, compare_texts, &rows, &err), 0);
        assert_int_equal(rows.count, i == 0 ? odd - 1 : 300);
        sqlite3_finalize(rows.expected);
    }
    assert_true(next == (odd <= 300 ? odd : INT64_MAX));
    query_scan_free(scan);
    page_reader_free(reader);
}

static void texts_come_with_their_lengths_whoever_reads_them(void **state)
{
    static const char *const odd[] = {"",
                                      "UPDATE t SET x = zeroblob(7) WHERE id = 200",
                                      "UPDATE t SET y = 5 WHERE id = 200",
                                      "UPDATE t SET x = 0 WHERE id = 200",
                                      "UPDATE t SET y = 2.5 WHERE id = 200",
                                      "UPDATE t SET y = hex(zeroblob(9000)) WHERE id = 200"};
    (void)state;
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        char sql[1024];
        snprintf(sql, sizeof sql,
                 "CREATE TABLE t(id INTEGER PRIMARY KEY, a INTEGER, x, b TEXT, y, c INTEGER, z TEXT);" NUMBERED
                 "INSERT INTO t SELECT i, i * 3, CASE WHEN i %% 4 > 0 THEN substr(hex(zeroblob(300)), 1, i) || 'x' END,"
                 " CASE WHEN i %% 3 > 0 THEN hex(zeroblob(i %% 90)) END, CASE WHEN i %% 5 > 0 THEN"
                 " char(i, 0x4eba) || substr(hex(zeroblob(80)), i %% 150) END, -i, 'z' FROM n WHERE i <= 300;%s",
                 odd[i]);
        sqlite3 *db = made(4096, sql);
        assert_texts(db, i == 0 ? 301 : 200);
        sqlite3_close(db);
    }
}

static void tables_that_are_not_plain_are_left_to_sqlite(void **state)
{
    static const char *const others[] = {
        "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b); INSERT INTO t VALUES(1, 2, 3); ALTER TABLE t ADD c DEFAULT 9",
        "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b AS (a + 1), c AS (a + 2) STORED); INSERT INTO t VALUES(1, 2)",
        "CREATE TABLE t(id INTEGER, a, b, c); INSERT INTO t VALUES(5, 2, 3, 4), (7, 3, 4, 5)",
        "PRAGMA encoding = 'UTF-16le'; CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, c); INSERT INTO t VALUES(5,2,3,4)"};
    static const char *const unnumbered[] = {
        "CREATE TABLE u(id INTEGER PRIMARY KEY, a, b, c); CREATE VIEW t AS SELECT * FROM u",
        "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, c) WITHOUT ROWID; INSERT INTO t VALUES(1, 2, 3, 4), (2, 3, 4, 5)",
        "CREATE TABLE t(id INTEGER PRIMARY KEY DESC, a, b, c); INSERT INTO t VALUES(5, 2, 3, 4), (2, 3, 4, 5)"};
    (void)state;
    for (size_t i = 0; i < sizeof unnumbered / sizeof *unnumbered; i++) {
        sqlite3 *db = made(4096, unnumbered[i]);
        struct page_reader *reader = opened(db);
        struct err err = ERR_INIT;
        int64_t next = 1;
        if (reader != NULL)
            assert_int_equal(page_reader_read(reader, &next, INT64_MAX, compare_row, NULL, &err), 0);
        assert_int_equal(next, 1);
        page_reader_free(reader);
        sqlite3_close(db);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        sqlite3 *db = made(4096, others[i]);
        assert_scan(db);
        sqlite3_close(db);
    }
    sqlite3 *db = made(4096, PLAIN "INSERT INTO t VALUES(1, 2, 'x', 3, 4, 5)");
    execute(db, "CREATE TEMP TABLE t(id INTEGER PRIMARY KEY, a, b, c); INSERT INTO temp.t VALUES(9, 8, 7, 6)");
    assert_null(opened(db));
    assert_scan(db);
    assert_null(page_reader_open(db, "nowhere", abc, 4, WIDTH, NULL, 0));
    assert_null(
        page_reader_open(db, "t", (const struct page_column[]){{"id", 0, false}, {"d", 1, false}}, 2, WIDTH, NULL, 0));
    sqlite3_close(db);
}

static void nobody_changes_what_is_being_read_and_changes_of_ones_own_are_seen(void **state)
{
    (void)state;
    sqlite3 *db = made(512, PLAIN NUMBERED "INSERT INTO t SELECT i, i, 'x', i, i, NULL FROM n"), *writer;
    struct page_reader *reader = opened(db);
    assert_non_null(reader);
    assert_range(reader, db, 1, 2500);
    assert_int_equal(sqlite3_open(in_scratch("x.db"), &writer), SQLITE_OK);
    assert_int_equal(sqlite3_exec(writer, "UPDATE t SET a = -a", NULL, NULL, NULL), SQLITE_BUSY);
    assert_range(reader, db, 2500, INT64_MAX);
    page_reader_free(reader);
    assert_int_equal(sqlite3_close(writer), SQLITE_OK);
    execute(db, "COMMIT");
    assert_null(opened(db));
    assert_scan(db);
    sqlite3_close(db);

    assert_int_equal(sqlite3_open(in_scratch("x.db"), &writer), SQLITE_OK);
    assert_int_equal(take_row_register(writer), SQLITE_OK);
    execute(writer, "BEGIN; UPDATE t SET a = -a WHERE id < 400");
    assert_null(opened(writer));
    assert_scan(writer);
    execute(writer, "COMMIT; PRAGMA journal_mode = WAL; BEGIN; SELECT count(*) FROM t");
    assert_null(opened(writer));
    assert_scan(writer);
    assert_int_equal(sqlite3_close(writer), SQLITE_OK);
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    execute(db, PLAIN "BEGIN; SELECT count(*) FROM t");
    assert_null(opened(db));
    sqlite3_close(db);
}

/* ---- files that lie ---- */

struct bytes {
    unsigned char *data;
    size_t size;
};

static bool read_bytes(void *arg, void *to, size_t size, uint64_t offset)
{
    const struct bytes *bytes = arg;
    if (offset > bytes->size || size > bytes->size - offset)
        return false;
    memcpy(to, bytes->data + offset, size);
    return true;
}

static struct bytes bytes_of(const char *path)
{
    struct bytes bytes = {NULL, 0};
    FILE *file = fopen(path, "rbe");
    assert_non_null(file);
    bytes.data = malloc(4 << 20);
    bytes.size = fread(bytes.data, 1, 4 << 20, file);
    fclose(file);
    return bytes;
}

static int count_row(void *arg, int64_t *row, struct err *err)
{
    int64_t *count = arg;
    (void)err;
    assert_int_equal(row[0], ++*count);
    return 0;
}

/* How many rows come of a file in memory before SQLite would be asked; -1: no reader is made. */
static int64_t rows_of(struct bytes *bytes)
{
    const struct page_source source = {read_bytes, bytes, bytes->size};
    const struct page_tree table = {.root = 2, .column_count = 6, .places = {1, 2, 0, 3, 4}, .id = 0};
    struct page_reader *reader = page_reader_new(&source, &table, WIDTH, NULL, 0);
    struct err err = ERR_INIT;
    int64_t count = 0, next = 1;
    if (reader == NULL)
        return -1;
    assert_int_equal(page_reader_read(reader, &next, INT64_MAX, count_row, &count, &err), 0);
    assert_true(next == INT64_MAX ? count == 5000 : next == count + 1);
    page_reader_free(reader);
    return count;
}

static void types_that_no_value_has_give_no_row(void **state)
{
    enum { ROW = 16 }; /* a byte for the length of the types, eight of them, and seven values */
    static const struct page_tree table = {.root = 2, .column_count = 8, .places = {1, 2, 3, 0, 0, 0, 0, 4}, .id = 0};
    (void)state;
    sqlite3_close(made(512, "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, c, d, e, f, g);"
                            "INSERT INTO t VALUES(1, 5, 5, 5, 5, 5, 5, 5)"));
    for (int type = 0; type < 256; type++) {
        struct bytes bytes = bytes_of(in_scratch("x.db"));
        const struct page_source source = {read_bytes, &bytes, bytes.size};
        struct page_reader *reader = page_reader_new(&source, &table, WIDTH, NULL, 0);
        struct err err = ERR_INIT;
        int64_t count = 0, next = 1;
        assert_non_null(reader);
        assert_int_equal(bytes.data[1024 - ROW], 9);
        memset(bytes.data + 1024 - ROW + 1, type, 8);
        assert_int_equal(page_reader_read(reader, &next, INT64_MAX, count_row, &count, &err), 0);
        assert_int_equal(count, type == 0);
        assert_true(next == (count == 1 ? INT64_MAX : 1));
        page_reader_free(reader);
        free(bytes.data);
    }
}

static void put32(unsigned char *to, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (unsigned char)(value >> (24 - 8 * i));
}

/* The page that the second page's last place, or its i-th cell, names. */
static unsigned char *place_below(struct bytes *bytes, int i)
{
    unsigned char *page = bytes->data + 1024, *cells = page + 12;
    return i < 0 ? page + 8 : page + cells[2 * i] * 256 + cells[2 * i + 1];
}

static void a_file_that_is_cut_off_or_leads_in_circles_ends_the_reading(void **state)
{
    (void)state;
    sqlite3_close(made(1024, PLAIN NUMBERED "INSERT INTO t SELECT i, i, 'x', i, i, NULL FROM n"));
    struct bytes bytes = bytes_of(in_scratch("x.db")), whole = bytes;
    assert_int_equal(rows_of(&bytes), 5000);
    assert_int_equal(bytes.data[1024], 5);
    while (bytes.size > 2024) {
        bytes.size -= 1000;
        assert_true(rows_of(&bytes) < 5000);
    }
    bytes.size = 50;
    assert_int_equal(rows_of(&bytes), -1);
    bytes = whole;
    /* the page itself, the first page, page 0, one behind the end, and one that was read before */
    const uint32_t wrong[] = {2, 1, 0, (uint32_t)(bytes.size / 1024 + 1), UINT32_MAX, 3};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        unsigned char before[4], *place = place_below(&bytes, i % 2 == 0 ? -1 : 4);
        memcpy(before, place, 4);
        put32(place, wrong[i]);
        assert_in_range(rows_of(&bytes), 1, 4999);
        memcpy(place, before, 4);
    }
    for (int header = 1024; header < 1024 + 12; header++) { /* of the page that is above all */
        unsigned char before = bytes.data[header];
        bytes.data[header] = 0xff;
        assert_true(rows_of(&bytes) <= 5000);
        bytes.data[header] = before;
    }
    bytes.data[1024] = 2; /* a page of an index */
    assert_int_equal(rows_of(&bytes), 0);
    bytes.data[1024] = 5;
    bytes.data[18] = 2; /* a log */
    assert_int_equal(rows_of(&bytes), -1);
    bytes.data[18] = 1;
    bytes.data[16] = 3; /* no page size */
    assert_int_equal(rows_of(&bytes), -1);
    free(bytes.data);
}

/* A tree of empty pages that all lead to the same one has more ways through it than can be walked. */
static void a_tree_with_more_pages_than_the_file_ends_the_reading(void **state)
{
    enum { SIZE = 512, PAGES = 20, FAN = 60 };
    struct bytes bytes = {calloc(PAGES, SIZE), (size_t)PAGES * SIZE};
    static const unsigned char header[] = "SQLite format 3\0\2\0\1\1\0\x40\x20\x20";
    (void)state;
    memcpy(bytes.data, header, sizeof header - 1);
    bytes.data[59] = 1;
    for (unsigned page = 2; page <= PAGES; page++) {
        unsigned char *p = bytes.data + (size_t)(page - 1) * SIZE;
        p[0] = page == PAGES ? 13 : 5;
        if (page == PAGES)
            break;
        p[4] = FAN;
        put32(p + 8, page + 1);
        for (int i = 0; i < FAN; i++) {
            int offset = SIZE - 5 * (FAN - i);
            p[12 + 2 * i] = (unsigned char)(offset >> 8);
            p[13 + 2 * i] = (unsigned char)offset;
            put32(p + offset, page + 1);
            p[offset + 4] = 100;
        }
    }
    assert_int_equal(rows_of(&bytes), 0);
    free(bytes.data);
}

/* The page that holds the byte at 1 GiB has no content, whatever stands there. */
struct sparse {
    unsigned char *first; /* two pages of 64 KiB */
    uint64_t asked;       /* the last offset */
};

static bool read_sparse(void *arg, void *to, size_t size, uint64_t offset)
{
    struct sparse *sparse = arg;
    sparse->asked = offset;
    if (offset + size <= 131072)
        memcpy(to, sparse->first + offset, size);
    else
        memset(to, 0, size), *(unsigned char *)to = 13;
    return true;
}

static void the_page_of_the_lock_byte_is_never_read(void **state)
{
    static const unsigned char header[] = "SQLite format 3\0\0\1\1\1\0\x40\x20\x20";
    (void)state;
    for (uint32_t page = 16384; page <= 16386; page++) {
        struct sparse sparse = {calloc(2, 65536), 0};
        memcpy(sparse.first, header, sizeof header - 1);
        sparse.first[59] = 1;
        sparse.first[65536] = 5;
        put32(sparse.first + 65536 + 8, page);
        const struct page_source source = {read_sparse, &sparse, UINT64_C(1) << 31};
        const struct page_tree table = {.root = 2, .column_count = 1, .places = {1}, .id = 0};
        struct page_reader *reader = page_reader_new(&source, &table, 1, NULL, 0);
        struct err err = ERR_INIT;
        int64_t next = 1;
        assert_non_null(reader);
        assert_int_equal(page_reader_read(reader, &next, 9, count_row, NULL, &err), 0);
        assert_int_equal(next, page == 16385 ? 1 : 9);
        assert_true(sparse.asked == (page == 16385 ? 65536 : (uint64_t)(page - 1) * 65536));
        page_reader_free(reader);
        free(sparse.first);
    }
}

static void the_reading_ends_when_a_row_says_so(void **state)
{
    (void)state;
    sqlite3 *db = made(512, PLAIN NUMBERED "INSERT INTO t SELECT i, i, 'x', i, i, NULL FROM n");
    struct page_reader *reader = opened(db);
    struct rows rows;
    struct err err = ERR_INIT;
    int64_t next = 10;
    assert_non_null(reader);
    begin(&rows, db, "id >= 10 AND id < 17");
    rows.most = 7;
    assert_int_equal(page_reader_read(reader, &next, INT64_MAX, compare_row, &rows, &err), 7);
    assert_int_equal(next, 17);
    end(&rows);
    assert_range(reader, db, 17, 4000);
    page_reader_free(reader);
    sqlite3_close(db);
}

static int sum_row(void *arg, int64_t *row, struct err *err)
{
    int64_t *sum = arg;
    (void)err;
    *sum += row[0];
    return 0;
}

static void a_scan_is_shared_by_connections_to_one_file_until_another_takes_its_place(void **state)
{
    (void)state;
    static const struct scan_column columns[] = {{.sql = "a", .place = 0}};
    sqlite3 *first = made(512, PLAIN NUMBERED "INSERT INTO t SELECT i, i, 'x', i, i, NULL FROM n"), *second;
    struct query_scan *scan, *shared;
    struct err err = ERR_INIT;
    int64_t sum = 0;
    assert_int_equal(query_scan_new(first, "t", NULL, columns, 1, 1, &scan, &err), 0);
    assert_int_equal(sqlite3_open_v2(in_scratch("x.db"), &second, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    execute(second, "BEGIN; SELECT count(*) FROM sqlite_schema");
    assert_non_null(shared = query_scan_share(scan, second));
    assert_int_equal(query_scan(shared, 1, INT64_MAX, sum_row, &sum, &err), 0);
    assert_int_equal(sum, 5000 * 5001 / 2);
    sqlite3 *other = made(512, "CREATE TABLE first(a INTEGER); " PLAIN "INSERT INTO t(a) VALUES(7)");
    assert_null(query_scan_share(scan, other));
    assert_null(query_scan_share(scan, second));
    query_scan_free(shared);
    query_scan_free(scan);
    sqlite3_close(other);
    sqlite3_close(second);
    sqlite3_close(first);
}

static int64_t root_of(sqlite3 *db, const char *table)
{
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT rootpage FROM sqlite_schema WHERE name = ?1", -1, &statement, NULL),
                     SQLITE_OK);
    sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int64_t root = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return root;
}

static void a_table_is_known_to_be_empty_by_its_page_at_every_page_size(void **state)
{
    (void)state;
    for (int page_size = 512; page_size <= 65536; page_size *= 2) {
        sqlite3 *db = made(page_size, "CREATE TABLE none(a INTEGER); CREATE TABLE one(a INTEGER);"
                                      "CREATE TABLE many(a INTEGER); INSERT INTO one VALUES(1); " NUMBERED
                                      "INSERT INTO many SELECT i FROM n");
        assert_true(table_is_empty(db, root_of(db, "none"), page_size));
        assert_false(table_is_empty(db, root_of(db, "one"), page_size));
        assert_false(table_is_empty(db, root_of(db, "many"), page_size));
        assert_false(table_is_empty(db, 0, page_size));
        assert_false(table_is_empty(db, INT64_MAX, page_size));
        assert_false(table_is_empty(db, 1000000, page_size));
        sqlite3_close(db);
    }
}

#define SCRATCH_TEST(test) cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(integers_of_every_size_are_what_sqlite_gives_at_every_page_size),
        SCRATCH_TEST(any_range_of_rows_with_gaps_and_negative_numbers_is_read),
        SCRATCH_TEST(texts_blobs_reals_and_many_nulls_between_are_passed_over),
        SCRATCH_TEST(rows_that_fail_a_condition_are_left_out),
        SCRATCH_TEST(sqlite_goes_on_at_a_row_that_is_not_as_expected),
        SCRATCH_TEST(columns_that_the_end_of_a_row_lacks_are_null),
        SCRATCH_TEST(texts_come_with_their_lengths_whoever_reads_them),
        SCRATCH_TEST(tables_that_are_not_plain_are_left_to_sqlite),
        SCRATCH_TEST(nobody_changes_what_is_being_read_and_changes_of_ones_own_are_seen),
        SCRATCH_TEST(types_that_no_value_has_give_no_row),
        SCRATCH_TEST(a_file_that_is_cut_off_or_leads_in_circles_ends_the_reading),
        SCRATCH_TEST(a_tree_with_more_pages_than_the_file_ends_the_reading),
        SCRATCH_TEST(the_page_of_the_lock_byte_is_never_read),
        SCRATCH_TEST(the_reading_ends_when_a_row_says_so),
        SCRATCH_TEST(a_scan_is_shared_by_connections_to_one_file_until_another_takes_its_place),
        SCRATCH_TEST(a_table_is_known_to_be_empty_by_its_page_at_every_page_size),
    };
    return cmocka_run_group_tests_name("pages_read", tests, NULL, NULL);
}
