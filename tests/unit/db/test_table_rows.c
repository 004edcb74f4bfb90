/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a database that is being made. */
#include "db/query/query_loop.h"
#include "db/table_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void a_row_whose_text_lost_a_part_is_not_stored_and_the_next_one_is(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct table_rows rows;
    struct strbuf text;
    sqlite3 *db;
    int64_t count;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    assert_int_equal(table_rows_open(&rows, db, "names", "id INTEGER, name TEXT", &err), 0);
    strbuf_init(&text, 3);
    strbuf_adds(&text, "abc");
    strbuf_addc(&text, 'd');
    assert_int_equal(table_add(&rows, &err, V(1), V(&text)), -ERR_NO_MEMORY);
    strbuf_clear(&text);
    strbuf_adds(&text, "e");
    assert_int_equal(table_add(&rows, &err, V(2), V(&text)), 0);
    assert_int_equal(query_number(db, "SELECT sum(id * (name = 'e')) FROM names", &count, &err), 0);
    assert_int_equal(count, 2);
    assert_int_equal(query_number(db, "SELECT count(*) FROM names", &count, &err), 0);
    assert_int_equal(count, 1);
    table_rows_close(&rows);
    strbuf_release(&text);
    sqlite3_close(db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_whose_text_lost_a_part_is_not_stored_and_the_next_one_is),
    };
    return cmocka_run_group_tests_name("table_rows", tests, NULL, NULL);
}
