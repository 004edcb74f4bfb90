/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in columns of numeric affinity are stored in pages as SQLite would have stored them. */
#include "db/database.h"
#include "db/pages/write.h"
#include "db/schema.h"
#include "tests/lib/scratch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char script[] = "CREATE TABLE first(a INTEGER);CREATE TABLE number(id INTEGER, value NUMERIC);";

static const double numbers[] = {
    0,          -0.0,        1,      -1,       0.5,       127,    128,     -129,   1e9,
    4294967296, -4294967297, 0x1p53, 0x1p62,   -0x1p62,   0x1p63, -0x1p63, 0x1p64, 9223372036854774784.0,
    1e300,      -1e300,      5e-324, INFINITY, -INFINITY, NAN,    0.1};
#define NUMBERS (sizeof numbers / sizeof *numbers)

static void numbers_are_stored_as_sqlite_stores_them(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct database_build build;
    struct schema_file file;
    struct pages pages;
    const uint8_t forms[] = {PAGE_INTEGER, PAGE_NUMERIC};
    sqlite3_stmt *statement = NULL;
    assert_int_equal(database_setup(&err), 0);
    assert_int_equal(schema_script_create(&build, in_scratch("numbers.db"), script, 4096, &file, &err), 0);
    pages_begin(&pages, build.fd, file.page_size, file.pages);
    struct page_table *table = page_table_new(&pages, schema_script_root(script, "number"), forms, 2, false, &err);
    assert_non_null(table);
    for (size_t i = 0; i < NUMBERS; i++) {
        struct cell cells[2] = {{.integer = (int64_t)i}, {.integer = 0}};
        memcpy(&cells[1].integer, &numbers[i], sizeof numbers[i]);
        assert_int_equal(page_table_add(table, (int64_t)i + 1, cells, 3, &err), 0);
    }
    assert_int_equal(page_table_finish(table, &err), 0);
    page_table_free(table);
    assert_int_equal(pages_finish(&pages, &err), 0);
    assert_int_equal(schema_script_connect(&build, script, &err), 0);
    assert_int_equal(database_exec(build.db, "CREATE TEMP TABLE by_sqlite(id INTEGER, value NUMERIC)", &err), 0);
    assert_int_equal(database_prepare(build.db, "INSERT INTO by_sqlite VALUES(?1, ?2)", &statement, &err), 0);
    for (size_t i = 0; i < NUMBERS; i++) {
        sqlite3_bind_int64(statement, 1, (int64_t)i);
        sqlite3_bind_double(statement, 2, numbers[i]);
        assert_int_equal(sqlite3_step(statement), SQLITE_DONE);
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    assert_int_equal(database_prepare(build.db,
                                      "SELECT count(*) FROM number n JOIN by_sqlite s ON s.id = n.id"
                                      "  AND s.value IS n.value AND typeof(s.value) = typeof(n.value)",
                                      &statement, &err),
                     0);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    assert_int_equal(sqlite3_column_int64(statement, 0), NUMBERS);
    sqlite3_finalize(statement);
    database_build_abort(&build);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(numbers_are_stored_as_sqlite_stores_them, scratch_setup, scratch_teardown)};
    return cmocka_run_group_tests_name("numeric columns in pages", tests, NULL, NULL);
}
