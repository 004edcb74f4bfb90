/* SPDX-License-Identifier: Apache-2.0 */
/* SQLite reads from pages of ours every row as it was given, finds them sound, and goes on with them as with its own.
 */
#include "base/bytes.h"
#include "db/pages/format.h"
#include "db/pages/write.h"
#include "tests/lib/scratch.h"

#include <setjmp.h>
#include <stdarg.h>

#include <fcntl.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define SCRATCH_TEST(test) cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)
#define TABLES 3
#define CELLS_MAX 9

static uint64_t state_of_random;

static uint64_t next_random(void)
{
    state_of_random ^= state_of_random << 13;
    state_of_random ^= state_of_random >> 7;
    state_of_random ^= state_of_random << 17;
    return state_of_random;
}

/* ---- a database whose tables are empty ---- */

struct database {
    size_t page_size;
    uint32_t roots[TABLES];
    struct pages pages;
    int fd;
};

static int64_t number_of(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int64_t number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return number;
}

static void run_sql(sqlite3 *db, const char *sql)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
}

static void make_tables(struct database *made, size_t page_size)
{
    sqlite3 *db;
    char sql[512];
    unlink(in_scratch("pages.db"));
    assert_int_equal(sqlite3_open(in_scratch("pages.db"), &db), SQLITE_OK);
    snprintf(sql, sizeof sql, "PRAGMA page_size = %zu; PRAGMA synchronous = OFF", page_size);
    run_sql(db, sql);
    made->page_size = page_size;
    for (int i = 0; i < TABLES; i++) {
        snprintf(sql, sizeof sql, "CREATE TABLE t%d(id INTEGER PRIMARY KEY, c0, c1, c2, c3, c4, c5, c6, c7, c8)", i);
        run_sql(db, sql);
        snprintf(sql, sizeof sql, "SELECT rootpage FROM sqlite_schema WHERE name = 't%d'", i);
        made->roots[i] = (uint32_t)number_of(db, sql);
    }
    uint32_t count = (uint32_t)number_of(db, "PRAGMA page_count");
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    made->fd = open(in_scratch("pages.db"), O_RDWR | O_CLOEXEC);
    assert_true(made->fd >= 0);
    pages_begin(&made->pages, made->fd, page_size, count);
}

static sqlite3 *finish(struct database *made)
{
    struct err err = ERR_INIT;
    sqlite3 *db;
    assert_int_equal(pages_finish(&made->pages, &err), 0);
    assert_int_equal(close(made->fd), 0);
    assert_int_equal(sqlite3_open(in_scratch("pages.db"), &db), SQLITE_OK);
    run_sql(db, "PRAGMA cell_size_check = ON; PRAGMA synchronous = OFF");
    return db;
}

static void assert_sound(sqlite3 *db)
{
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    assert_string_equal((const char *)sqlite3_column_text(statement, 0), "ok");
    sqlite3_finalize(statement);
}

/* ---- rows ---- */

struct given {
    int64_t id;
    uint64_t present;
    struct cell cells[CELLS_MAX];
};

struct table {
    uint8_t forms[CELLS_MAX];
    struct given *rows;
    size_t count;
};

static char bytes_of_cells[400000];

static int64_t some_integer(void)
{
    static const int64_t edges[] = {0,
                                    1,
                                    -1,
                                    127,
                                    128,
                                    -128,
                                    -129,
                                    32767,
                                    32768,
                                    -32768,
                                    -32769,
                                    8388607,
                                    8388608,
                                    -8388608,
                                    -8388609,
                                    2147483647,
                                    2147483648,
                                    INT32_MIN,
                                    -2147483649,
                                    INT64_MAX,
                                    INT64_MIN,
                                    INT64_MIN + 1,
                                    140737488355327,
                                    140737488355328,
                                    -140737488355328,
                                    -140737488355329};
    if (next_random() % 2 == 0)
        return edges[next_random() % (sizeof edges / sizeof *edges)];
    return (int64_t)(next_random() >> (next_random() % 64));
}

static int64_t some_real(void)
{
    static const double edges[] = {0.0, -0.0, 1.0, -1.5, 1e308, -1e-308, 4.9e-324, HUGE_VAL, -HUGE_VAL, 0.1};
    double value = next_random() % 2 == 0 ? edges[next_random() % (sizeof edges / sizeof *edges)]
                                          : (double)(int64_t)next_random() / 1e6;
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Lengths around those at which a header or a page changes its shape, and any. */
static uint32_t some_length(size_t page_size)
{
    const size_t edges[] = {0,
                            1,
                            56,
                            57,
                            58,
                            59,
                            8184,
                            8185,
                            page_size - 36,
                            page_size - 35,
                            page_size - 34,
                            page_size - 4,
                            2 * page_size,
                            3 * (page_size - 4)};
    if (next_random() % 4 == 0)
        return (uint32_t)(edges[next_random() % (sizeof edges / sizeof *edges)]);
    return (uint32_t)(next_random() % (next_random() % 16 == 0 ? 3 * page_size : 40));
}

static struct cell some_cell(uint8_t form, size_t page_size)
{
    struct cell cell = {.integer = some_integer()};
    if (form == PAGE_REAL)
        cell.integer = some_real();
    if (form == PAGE_TEXT || form == PAGE_BLOB) {
        cell.length = some_length(page_size);
        cell.text = bytes_of_cells + next_random() % (sizeof bytes_of_cells - cell.length);
    }
    return cell;
}

static void make_rows(struct table *table, size_t count, size_t page_size)
{
    table->count = count;
    table->rows = calloc(count + 1, sizeof *table->rows);
    assert_non_null(table->rows);
    for (size_t i = 0; i < CELLS_MAX; i++)
        table->forms[i] = (uint8_t)(PAGE_INTEGER + next_random() % 4);
    int64_t id = next_random() % 2 == 0 ? 0 : INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        struct given *row = &table->rows[i];
        id += (int64_t)(1 + (next_random() % 8 == 0 ? next_random() >> 24 : 0));
        row->id = id;
        row->present = next_random() >> (next_random() % 64);
        for (size_t k = 0; k < CELLS_MAX; k++)
            row->cells[k] = some_cell(table->forms[k], page_size);
    }
}

static void store_rows(struct database *made, const struct table *table, uint32_t root)
{
    struct err err = ERR_INIT;
    struct page_table *pages = page_table_new(&made->pages, root, table->forms, CELLS_MAX, true, &err);
    assert_non_null(pages);
    for (size_t i = 0; i < table->count; i++) {
        const struct given *row = &table->rows[i];
        assert_int_equal(page_table_add(pages, row->id, row->cells, row->present, &err), 0);
    }
    assert_int_equal(page_table_finish(pages, &err), 0);
    page_table_free(pages);
}

static void assert_value(sqlite3_stmt *row, int index, uint8_t form, const struct cell *cell)
{
    if (form == PAGE_INTEGER) {
        assert_int_equal(sqlite3_column_type(row, index), SQLITE_INTEGER);
        assert_int_equal(sqlite3_column_int64(row, index), cell->integer);
    } else if (form == PAGE_REAL) {
        double value = sqlite3_column_double(row, index);
        assert_int_equal(sqlite3_column_type(row, index), SQLITE_FLOAT);
        assert_memory_equal(&value, &cell->integer, sizeof value);
    } else {
        assert_int_equal(sqlite3_column_type(row, index), form == PAGE_TEXT ? SQLITE_TEXT : SQLITE_BLOB);
        assert_int_equal(sqlite3_column_bytes(row, index), cell->length);
        if (cell->length > 0)
            assert_memory_equal(sqlite3_column_blob(row, index), cell->text, cell->length);
    }
}

static void assert_rows(sqlite3 *db, const struct table *table, int number)
{
    sqlite3_stmt *rows;
    char sql[64];
    snprintf(sql, sizeof sql, "SELECT * FROM t%d ORDER BY rowid", number);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &rows, NULL), SQLITE_OK);
    for (size_t i = 0; i < table->count; i++) {
        const struct given *given = &table->rows[i];
        assert_int_equal(sqlite3_step(rows), SQLITE_ROW);
        assert_int_equal(sqlite3_column_int64(rows, 0), given->id);
        for (int k = 0; k < CELLS_MAX; k++) {
            if ((given->present >> k & 1) != 0)
                assert_value(rows, k + 1, table->forms[k], &given->cells[k]);
            else
                assert_int_equal(sqlite3_column_type(rows, k + 1), SQLITE_NULL);
        }
    }
    assert_int_equal(sqlite3_step(rows), SQLITE_DONE);
    sqlite3_finalize(rows);
}

/* SQLite looks rows up by their ids, changes some, and adds others. */
static void go_on(sqlite3 *db)
{
    assert_int_equal(number_of(db, "SELECT count(*) FROM t0 a JOIN t0 b ON b.id = a.id WHERE a.c0 IS NOT b.c0"), 0);
    run_sql(db, "BEGIN; UPDATE t0 SET c3 = zeroblob(700) WHERE id % 3 = 0; DELETE FROM t0 WHERE id % 3 = 1;"
                "INSERT INTO t0(c0, c8) SELECT c8, c0 FROM t1 LIMIT 300; CREATE INDEX i ON t1(c1, c2);"
                "DELETE FROM t2; COMMIT; VACUUM");
    assert_sound(db);
}

static void sqlite_reads_every_row_as_it_was_given(void **state)
{
    (void)state;
    static const size_t page_sizes[] = {512, 1024, 4096, 32768, 65536};
    state_of_random = 20231109;
    for (size_t i = 0; i < sizeof bytes_of_cells; i++)
        bytes_of_cells[i] = (char)(' ' + next_random() % 90);
    for (int round = 0; round < 30; round++) {
        struct database made;
        struct table tables[TABLES];
        make_tables(&made, page_sizes[round % 5]);
        for (int i = 0; i < TABLES; i++) {
            make_rows(&tables[i], next_random() % (next_random() % 3 == 0 ? 2000 : 30), made.page_size);
            store_rows(&made, &tables[i], made.roots[i]);
        }
        sqlite3 *db = finish(&made);
        assert_sound(db);
        for (int i = 0; i < TABLES; i++)
            assert_rows(db, &tables[i], i);
        go_on(db);
        assert_int_equal(sqlite3_close(db), SQLITE_OK);
        for (int i = 0; i < TABLES; i++)
            free(tables[i].rows);
    }
}

/* ---- trees of every height and width ---- */

static void a_tree_is_sound_whatever_the_number_of_its_rows(void **state)
{
    (void)state;
    static const uint8_t forms[] = {PAGE_TEXT};
    const struct cell cell = {.text = bytes_of_cells, .length = 400}; /* one row in a page of 512 */
    const size_t fan_out = (512 - 12) / 15 + 1;
    const size_t counts[] = {0,
                             1,
                             2,
                             3,
                             fan_out - 1,
                             fan_out,
                             fan_out + 1,
                             fan_out + 2,
                             fan_out + 3,
                             2 * fan_out,
                             2 * fan_out + 1,
                             2 * fan_out + 2,
                             2 * fan_out + 3,
                             fan_out * fan_out,
                             fan_out * fan_out + 1,
                             fan_out * fan_out + fan_out,
                             fan_out * fan_out + fan_out + 1,
                             fan_out * fan_out + 2 * fan_out + 2,
                             3 * fan_out * fan_out,
                             41000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct err err = ERR_INIT;
        struct database made;
        make_tables(&made, 512);
        struct page_table *table = page_table_new(&made.pages, made.roots[0], forms, 1, true, &err);
        assert_non_null(table);
        for (size_t row = 1; row <= counts[i]; row++)
            assert_int_equal(page_table_add(table, (int64_t)row, &cell, 1, &err), 0);
        assert_int_equal(page_table_finish(table, &err), 0);
        page_table_free(table);
        sqlite3 *db = finish(&made);
        assert_sound(db);
        assert_int_equal(number_of(db, "SELECT count(*) FROM t0"), counts[i]);
        assert_int_equal(number_of(db, "SELECT count(*) FROM t0 a JOIN t0 b ON b.id = a.id - 1"),
                         counts[i] > 0 ? counts[i] - 1 : 0);
        assert_int_equal(sqlite3_close(db), SQLITE_OK);
    }
}

/* ---- NULLs that all rows have ---- */

static void nulls_at_the_end_of_rows_take_no_room(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct database made;
    uint8_t forms[CELLS_MAX];
    struct cell cells[CELLS_MAX] = {{.integer = 1}}; /* which takes a byte of the head only */
    memset(forms, PAGE_INTEGER, sizeof forms);
    make_tables(&made, 4096);
    uint32_t before = made.pages.count;
    struct page_table *table = page_table_new(&made.pages, made.roots[0], forms, CELLS_MAX, true, &err);
    assert_non_null(table);
    for (int64_t id = 1; id <= 500; id++) /* with its pointer a row takes 8 bytes */
        assert_int_equal(page_table_add(table, id, cells, 1, &err), 0);
    assert_int_equal(page_table_finish(table, &err), 0);
    page_table_free(table);
    assert_int_equal(made.pages.count, before);
    sqlite3 *db = finish(&made);
    assert_sound(db);
    assert_int_equal(number_of(db, "SELECT sum(c0) FROM t0 WHERE c1 IS NULL AND c8 IS NULL"), 500);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* ---- the page at 1 GiB ---- */

static void put32(int fd, uint32_t value, off_t offset)
{
    unsigned char bytes[4];
    bytes_store(bytes, sizeof bytes, true, value);
    assert_int_equal(pwrite(fd, bytes, sizeof bytes, offset), sizeof bytes);
}

/* Makes the file as long as almost 1 GiB by free pages, which its first free page lists. */
static void add_free_pages(struct database *made, uint32_t last)
{
    enum { FREE = 32, FREE_COUNT = 36 };
    uint32_t trunk = made->pages.count + 1;
    off_t at = (off_t)((trunk - 1) * made->page_size);
    put32(made->fd, trunk, FREE);
    put32(made->fd, last - trunk + 1, FREE_COUNT);
    put32(made->fd, 0, at);
    put32(made->fd, last - trunk, at + 4);
    for (uint32_t page = trunk + 1; page <= last; page++)
        put32(made->fd, page, at + 4 + 4 * (off_t)(page - trunk));
    pages_begin(&made->pages, made->fd, made->page_size, last);
}

static void the_page_at_a_gibibyte_is_never_used(void **state)
{
    (void)state;
    static const uint8_t forms[] = {PAGE_INTEGER, PAGE_BLOB};
    const uint32_t lock = (UINT32_C(1) << 30) / 65536 + 1;
    /* The page's turn comes as a leaf, and inside of a chain of overflow pages. */
    for (uint32_t length = 100; length <= 300000; length += 299900) {
        struct err err = ERR_INIT;
        struct database made;
        unsigned char page[65536] = {1};
        const struct cell cells[] = {{.integer = 7}, {.text = bytes_of_cells, .length = length}};
        make_tables(&made, sizeof page);
        add_free_pages(&made, lock - 3);
        struct page_table *table = page_table_new(&made.pages, made.roots[1], forms, 2, true, &err);
        assert_non_null(table);
        for (int64_t id = 1; id <= 5000 / (length > 100 ? 1000 : 1); id++)
            assert_int_equal(page_table_add(table, id, cells, 3, &err), 0);
        assert_int_equal(page_table_finish(table, &err), 0);
        page_table_free(table);
        assert_true(made.pages.count > lock + 2);
        assert_int_equal(pread(made.fd, page, sizeof page, INT64_C(1) << 30), sizeof page);
        for (size_t i = 0; i < sizeof page; i++)
            assert_int_equal(page[i], 0);
        sqlite3 *db = finish(&made);
        assert_sound(db);
        assert_int_equal(number_of(db, "SELECT count(*) FROM t1 WHERE c0 = 7"), length > 100 ? 5 : 5000);
        assert_int_equal(number_of(db, "SELECT min(length(c1)) FROM t1"), length);
        assert_int_equal(number_of(db, "SELECT count(DISTINCT c1) FROM t1"), 1);
        assert_int_equal(sqlite3_close(db), SQLITE_OK);
    }
}

static void a_file_that_cannot_be_written_is_an_error(void **state)
{
    (void)state;
    static const uint8_t forms[] = {PAGE_BLOB};
    const struct cell cell = {.text = bytes_of_cells, .length = 3000};
    struct err err = ERR_INIT;
    struct pages pages;
    int fd = open("/dev/full", O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    pages_begin(&pages, fd, 1024, 2);
    struct page_table *table = page_table_new(&pages, 2, forms, 1, true, &err);
    assert_non_null(table);
    assert_int_equal(page_table_add(table, 1, &cell, 1, &err), -ERR_NO_SPACE);
    assert_string_not_equal(err.hint, "");
    page_table_free(table);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(sqlite_reads_every_row_as_it_was_given),
        SCRATCH_TEST(a_tree_is_sound_whatever_the_number_of_its_rows),
        SCRATCH_TEST(nulls_at_the_end_of_rows_take_no_room),
        SCRATCH_TEST(the_page_at_a_gibibyte_is_never_used),
        SCRATCH_TEST(a_file_that_cannot_be_written_is_an_error),
    };
    return cmocka_run_group_tests_name("pages_write", tests, NULL, NULL);
}
