/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that come in as batches are in the table as they were given, whatever columns a batch has, repeats or leaves
 * out. */
#include "db/bulk.h"
#include "db/database.h"
#include "db/schema.h"
#include "parsers/record.h"
#include "tests/lib/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SCRATCH_TEST(test) cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)
#define BATCHES 6
#define ROWS 7
#define TEXT_MAX 600

/* Patterns of a column; another one in each batch. */
enum pattern { ABSENT, CONSTANT, VARYING, SOMETIMES, PATTERNS };

static uint64_t state_of_random;

static uint64_t next_random(void)
{
    state_of_random ^= state_of_random << 13;
    state_of_random ^= state_of_random >> 7;
    state_of_random ^= state_of_random << 17;
    return state_of_random;
}

static int64_t some_integer(void)
{
    static const int64_t edges[] = {0, 1, 127, 128, -129, 32768, 8388608, INT32_MAX, INT64_MAX, INT64_MIN};
    return next_random() % 2 == 0 ? edges[next_random() % (sizeof edges / sizeof *edges)]
                                  : (int64_t)(next_random() % 1000) - 500;
}

static void give_cell(struct row_batch *batch, size_t row, size_t column, enum pattern pattern, int64_t constant)
{
    static char text[TEXT_MAX];
    const struct column *of = &batch->kind->columns[column];
    struct cell *cell = &batch->cells[row * batch->kind->column_count + column];
    memset(text, 't', sizeof text);
    if (pattern == ABSENT || (pattern == SOMETIMES && next_random() % 2 == 0))
        return;
    batch->present[row] |= UINT64_C(1) << column;
    if (of->type == COLUMN_INTEGER) {
        cell->integer = pattern == CONSTANT ? constant : some_integer();
    } else {
        cell->text = text;
        cell->length = pattern == CONSTANT ? 4 : (uint32_t)(next_random() % (next_random() % 2 == 0 ? TEXT_MAX : 5));
    }
}

static void fill(struct row_batch *batch, const struct record_kind *kind, int64_t first_key)
{
    assert_true(row_batch_begin(batch, kind));
    batch->rows = ROWS;
    memset(batch->present, 0, ROWS * sizeof *batch->present);
    memset(batch->cells, 0, ROWS * kind->column_count * sizeof *batch->cells);
    for (size_t column = 0; column < kind->column_count; column++) {
        const bool is_key = (kind->columns[column].flags & COLUMN_KEY) != 0;
        const enum pattern pattern = is_key ? CONSTANT : (enum pattern)(next_random() % PATTERNS);
        const int64_t constant = (int64_t)(next_random() % 1000);
        for (size_t row = 0; row < ROWS; row++)
            give_cell(batch, row, column, pattern, is_key ? first_key + (int64_t)row : constant);
    }
}

static void assert_cell(sqlite3_stmt *row, int index, const struct row_batch *batch, size_t number, size_t column)
{
    const struct cell *cell = &batch->cells[number * batch->kind->column_count + column];
    if ((batch->present[number] >> column & 1) == 0) {
        assert_int_equal(sqlite3_column_type(row, index), SQLITE_NULL);
    } else if (batch->kind->columns[column].type == COLUMN_INTEGER) {
        assert_int_equal(sqlite3_column_type(row, index), SQLITE_INTEGER);
        assert_int_equal(sqlite3_column_int64(row, index), cell->integer);
    } else {
        assert_int_equal(sqlite3_column_bytes(row, index), cell->length);
    }
}

static void assert_stored(sqlite3 *db, struct row_batch *const *batches, const struct record_kind *kind)
{
    struct err err = ERR_INIT;
    char sql[256];
    sqlite3_stmt *rows;
    snprintf(sql, sizeof sql, "SELECT * FROM \"%s\" ORDER BY rowid", kind->table);
    assert_int_equal(database_prepare(db, sql, &rows, &err), 0);
    for (size_t number = 0; number < (size_t)BATCHES * ROWS; number++) {
        assert_int_equal(sqlite3_step(rows), SQLITE_ROW);
        int index = strcmp(sqlite3_column_name(rows, 0), "id") == 0 && strcmp(kind->columns[0].name, "id") != 0;
        for (size_t column = 0; column < kind->column_count; column++) {
            if ((kind->columns[column].flags & COLUMN_TRANSIENT) == 0)
                assert_cell(rows, index++, batches[number / ROWS], number % ROWS, column);
        }
    }
    assert_int_equal(sqlite3_step(rows), SQLITE_DONE);
    sqlite3_finalize(rows);
}

static void load(struct bulk *bulk, const struct record_kind *kind, struct row_batch **batches)
{
    struct err err = ERR_INIT;
    for (int i = 0; i < BATCHES; i++) {
        batches[i] = row_batch_new();
        assert_non_null(batches[i]);
        fill(batches[i], kind, 1 + (int64_t)i * ROWS);
    }
    bool keyed = false;
    for (size_t i = 0; i < kind->column_count; i++)
        keyed |= (kind->columns[i].flags & COLUMN_KEY) != 0;
    for (int i = 0; i < BATCHES; i++) { /* of kinds with keys not in their order */
        if (bulk_insert(bulk, batches[keyed ? i ^ 1 : i], &err) < 0)
            fail_msg("%s: %s", kind->name, err_message(&err));
    }
}

static void release(struct row_batch **batches)
{
    for (int i = 0; i < BATCHES; i++)
        row_batch_free(batches[i]);
}

static void rows_of_every_kind_are_stored_as_they_were_given(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    sqlite3 *db;
    struct row_batch *batches[BATCHES];
    state_of_random = 20221122;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    assert_int_equal(schema_create_tables(db, &err), 0);
    struct bulk *bulk = bulk_new(db, &err);
    assert_non_null(bulk);
    for (size_t i = 0; record_kinds[i] != NULL; i++) {
        if (record_kinds[i]->table == NULL)
            continue;
        load(bulk, record_kinds[i], batches);
        assert_stored(db, batches, record_kinds[i]);
        release(batches);
    }
    bulk_free(bulk);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void store_as_pages(uint64_t capture_bytes)
{
    static struct row_batch *batches[1024][BATCHES];
    struct err err = ERR_INIT;
    struct database_build build;
    struct schema_file file;
    sqlite3_stmt *check;
    assert_int_equal(schema_build_create(&build, in_scratch("runtime.db"), capture_bytes, &file, &err), 0);
    struct bulk *bulk = bulk_new_pages(build.fd, &file, &err);
    assert_non_null(bulk);
    for (size_t i = 0; record_kinds[i] != NULL; i++) {
        assert_true(i < 1024);
        if (record_kinds[i]->table != NULL)
            load(bulk, record_kinds[i], batches[i]);
    }
    assert_int_equal(bulk_end_pages(bulk, &err), 0);
    assert_int_equal(schema_build_connect(&build, &err), 0);
    if (bulk_connect(bulk, build.db, &err) < 0)
        fail_msg("%s", err_message(&err));
    for (size_t i = 0; record_kinds[i] != NULL; i++) {
        if (record_kinds[i]->table == NULL)
            continue;
        assert_stored(build.db, batches[i], record_kinds[i]);
        release(batches[i]);
    }
    bulk_free(bulk);
    assert_int_equal(database_prepare(build.db, "PRAGMA integrity_check", &check, &err), 0);
    assert_int_equal(sqlite3_step(check), SQLITE_ROW);
    assert_string_equal((const char *)sqlite3_column_text(check, 0), "ok");
    sqlite3_finalize(check);
    assert_int_equal(database_build_commit(&build, &err), 0);
}

static void so_they_are_as_pages_in_order_or_not(void **state)
{
    (void)state;
    state_of_random = 20231122;
    store_as_pages(0); /* small pages, and those of a large capture */
    store_as_pages(UINT64_C(1) << 30);
}

static void a_key_that_comes_again_is_an_error(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct database_build build;
    struct schema_file file;
    struct row_batch *batch = row_batch_new();
    const struct record_kind *kind = record_kind_find("inference");
    assert_non_null(batch);
    assert_non_null(kind);
    state_of_random = 20241122;
    assert_int_equal(schema_build_create(&build, in_scratch("runtime.db"), 0, &file, &err), 0);
    struct bulk *bulk = bulk_new_pages(build.fd, &file, &err);
    assert_non_null(bulk);
    fill(batch, kind, 1);
    assert_int_equal(bulk_insert(bulk, batch, &err), 0);
    fill(batch, kind, ROWS);
    assert_int_equal(bulk_insert(bulk, batch, &err), 0);
    assert_int_equal(bulk_end_pages(bulk, &err), 0);
    assert_int_equal(schema_build_connect(&build, &err), 0);
    assert_int_equal(bulk_connect(bulk, build.db, &err), -ERR_DATABASE);
    assert_non_null(strstr(err_message(&err), "UNIQUE"));
    bulk_free(bulk);
    row_batch_free(batch);
    database_build_abort(&build);
    assert_int_equal(scratch_count(), 0);
}

int main(void)
{
    struct err err = ERR_INIT;
    if (database_setup(&err) < 0)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_every_kind_are_stored_as_they_were_given),
        SCRATCH_TEST(so_they_are_as_pages_in_order_or_not),
        SCRATCH_TEST(a_key_that_comes_again_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
