/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that come in as batches are in the table as they were given, whatever columns a batch has, repeats or leaves
 * out. */
#include "db/bulk.h"
#include "db/database.h"
#include "db/schema.h"
#include "parsers/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BATCHES 6
#define ROWS 7

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

static void give_cell(struct row_batch *batch, size_t row, size_t column, enum pattern pattern, int64_t constant)
{
    static const char text[] = "text";
    const struct column *of = &batch->kind->columns[column];
    struct cell *cell = &batch->cells[row * batch->kind->column_count + column];
    if (pattern == ABSENT || (pattern == SOMETIMES && next_random() % 2 == 0))
        return;
    batch->present[row] |= UINT64_C(1) << column;
    if (of->type == COLUMN_INTEGER) {
        cell->integer = pattern == CONSTANT ? constant : (int64_t)(next_random() % 1000) - 500;
    } else {
        cell->text = text;
        cell->length = pattern == CONSTANT ? 4 : (uint32_t)(next_random() % 5);
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

static void load_and_compare(sqlite3 *db, struct bulk *bulk, const struct record_kind *kind)
{
    struct err err = ERR_INIT;
    struct row_batch *batches[BATCHES];
    for (int i = 0; i < BATCHES; i++) {
        batches[i] = row_batch_new();
        assert_non_null(batches[i]);
        fill(batches[i], kind, 1 + (int64_t)i * ROWS);
        if (bulk_insert(bulk, batches[i], &err) < 0)
            fail_msg("%s: %s", kind->name, err_message(&err));
    }
    assert_stored(db, batches, kind);
    for (int i = 0; i < BATCHES; i++)
        row_batch_free(batches[i]);
}

static void rows_of_every_kind_are_stored_as_they_were_given(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    sqlite3 *db;
    state_of_random = 20221122;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    assert_int_equal(schema_create_tables(db, &err), 0);
    struct bulk *bulk = bulk_new(db, &err);
    assert_non_null(bulk);
    for (size_t i = 0; record_kinds[i] != NULL; i++) {
        if (record_kinds[i]->table != NULL)
            load_and_compare(db, bulk, record_kinds[i]);
    }
    bulk_free(bulk);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_every_kind_are_stored_as_they_were_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
