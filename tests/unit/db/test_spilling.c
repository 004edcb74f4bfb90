/* SPDX-License-Identifier: Apache-2.0 */
/* Captures that are larger than what is kept of them in memory: with room for next to nothing the rows are those that
 * there are with room for all, in whatever order the records come, and a disk without space is an error. */
#include "tests/lib/scratch.h"

#include "base/file/fsutil.h"
#include "db/database.h"
#include "db/import.h"
#include "parsers/decode/decode_ahead.h"
#include "parsers/join/association_data.h"

#include <errno.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- a disk without space for files that have no name ---- */

/* Parts are decoded side by side. */
static atomic_long writes_left = -1; /* -1: no limit */
static atomic_long writes_of_spools;

ssize_t write(int file, const void *bytes, size_t size)
{
    struct stat of;
    if (fstat(file, &of) == 0 && S_ISREG(of.st_mode) && of.st_nlink == 0) {
        writes_of_spools++;
        long left = writes_left;
        while (left > 0 && !atomic_compare_exchange_weak(&writes_left, &left, left - 1))
            continue;
        if (left == 0) {
            errno = ENOSPC;
            return -1;
        }
    }
    return syscall(SYS_write, file, bytes, size);
}

/* ---- imports ---- */

static const struct join_limits little = {.spool = 500, .window = 1};

static int import(const char *capture, const char *database, const struct join_limits *limits, struct err *err)
{
    const struct import_request request = {
        .directory = capture, .database = database, .tool_version = "1", .parameters = "none"};
    const struct join_limits usual = join_limits;
    struct diagnostics diag;
    struct import_result result;
    diag_init(&diag, false);
    *err = (struct err)ERR_INIT;
    join_limits = limits != NULL ? *limits : usual;
    int status = db_import(&request, &diag, &result, err);
    join_limits = usual;
    diag_release(&diag);
    return status;
}

static void assert_import(const char *capture, const char *database, const struct join_limits *limits)
{
    struct err err;
    alarm(SCRATCH_LONGEST_WAIT); /* for each, however slow the machine is */
    if (import(capture, database, limits, &err) < 0)
        fail_msg("%s: %s", capture, err_message(&err));
}

/* A database with both, as `main` and `other`. */
static sqlite3 *open_both(const char *a, const char *b)
{
    struct err err = ERR_INIT;
    sqlite3 *db;
    assert_int_equal(database_open(a, &db, &err), 0);
    char *sql = sqlite3_mprintf("ATTACH %Q AS other", b);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_free(sql);
    return db;
}

static int64_t number_of(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int64_t number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return number;
}

/* How many rows only one of both has; columns: of the table. */
static int64_t different_rows(sqlite3 *db, const char *table, const char *columns)
{
    char *sql = sqlite3_mprintf("SELECT count(*) FROM (SELECT * FROM (SELECT %s FROM main.\"%w\" EXCEPT"
                                " SELECT %s FROM other.\"%w\") UNION ALL SELECT * FROM (SELECT %s FROM other.\"%w\""
                                " EXCEPT SELECT %s FROM main.\"%w\"))",
                                columns, table, columns, table, columns, table, columns, table);
    int64_t count = number_of(db, sql);
    sqlite3_free(sql);
    return count;
}

/* Every table, diagnostics and what is known of files too; the rows have ids. */
static void assert_same_rows(const char *a, const char *b)
{
    sqlite3 *db = open_both(a, b);
    sqlite3_stmt *tables;
    assert_int_equal(
        sqlite3_prepare_v2(db, "SELECT name FROM main.sqlite_master WHERE type = 'table'", -1, &tables, NULL),
        SQLITE_OK);
    while (sqlite3_step(tables) == SQLITE_ROW) {
        const char *table = (const char *)sqlite3_column_text(tables, 0);
        if (different_rows(db, table, "*") != 0)
            fail_msg("%s and %s: table %s differs", a, b, table);
    }
    sqlite3_finalize(tables);
    database_close(db);
}

/* ---- records in any order ---- */

/* Mixes the records of a file. */
static void shuffle(const char *path, size_t record_size)
{
    struct err err = ERR_INIT;
    char *bytes, record[256];
    size_t length;
    uint32_t random = 1;
    assert_int_equal(path_read_file(path, 1 << 20, &bytes, &length, &err), 0);
    for (size_t i = length / record_size; i > 1; i--) {
        random = random * 1664525 + 1013904223;
        char *a = bytes + (i - 1) * record_size, *b = bytes + (random >> 8) % i * record_size;
        memcpy(record, a, record_size);
        memcpy(a, b, record_size);
        memcpy(b, record, record_size);
    }
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
    free(bytes);
}

#define ORDERED "testdata/cann/prof-910b/PROF_000001_20250101000000000_AAAAAAAAAAAAAAAA"

static const char *copy_capture(void)
{
    static char path[160];
    char command[512];
    snprintf(path, sizeof path, "%s", in_scratch("PROF_000001_20250101000000000_AAAAAAAAAAAAAAAA"));
    snprintf(command, sizeof command, "cp -r '" ORDERED "' '%s' && chmod -R u+w '%s'", path, path);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c,concurrency-mt-unsafe)
    return path;
}

/* A copy of the shipped capture whose records of the host, and counters, come in any order. */
static const char *make_shuffled(void)
{
    static const struct {
        const char *name;
        size_t record_size;
    } files[] = {
        {"host/data/unaging.api_event.data.slice_0", 40},     {"host/data/unaging.compact.node_basic_info.slice_0", 64},
        {"host/data/unaging.compact.task_track.slice_0", 64}, {"host/data/unaging.additional.tensor_info.slice_0", 256},
        {"device_0/data/ffts_profile.data.0.slice_0", 128},
    };
    const char *path = copy_capture();
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char file[256];
        snprintf(file, sizeof file, "%s/%s", path, files[i].name);
        shuffle(file, files[i].record_size);
    }
    return path;
}

/* ---- tests ---- */

static void shipped_captures_have_the_same_rows_with_next_to_no_memory(void **state)
{
    (void)state;
    glob_t captures;
    assert_int_equal(glob("testdata/cann/*/PROF_*", 0, NULL, &captures), 0);
    for (size_t i = 0; i < captures.gl_pathc; i++) {
        assert_import(captures.gl_pathv[i], in_scratch("usual.db"), NULL);
        long before = writes_of_spools;
        assert_import(captures.gl_pathv[i], in_scratch("little.db"), &little);
        assert_true(writes_of_spools > before || strstr(captures.gl_pathv[i], "/prof-") == NULL);
        assert_same_rows(in_scratch("usual.db"), in_scratch("little.db"));
    }
    globfree(&captures);
}

static void records_in_any_order_make_the_calls_and_tasks_of_those_in_order(void **state)
{
    (void)state;
    const char *shuffled = make_shuffled();
    assert_import(ORDERED, in_scratch("ordered.db"), NULL);
    assert_import(shuffled, in_scratch("shuffled.db"), NULL);
    assert_import(shuffled, in_scratch("little.db"), &little);
    assert_same_rows(in_scratch("shuffled.db"), in_scratch("little.db"));
    sqlite3 *db = open_both(in_scratch("ordered.db"), in_scratch("shuffled.db"));
    assert_true(number_of(db, "SELECT count(*) FROM host_call WHERE parent_id IS NOT NULL") > 0);
    assert_int_equal(different_rows(db, "host_call", "*"), 0);
    /* Sets of tensors are numbered as they come. */
    assert_true(number_of(db, "SELECT count(*) FROM device_task WHERE aic_total_cycle > 0") > 0);
    assert_int_equal(different_rows(db, "device_task",
                                    "start_ns, duration_ns, stream_id, task_id, connection_id, thread_id, op_name_id,"
                                    " op_type_id, block_num, aic_total_cycle, aiv_total_cycle"),
                     0);
    database_close(db);
}

/* Everything of a capture, as it is with the device's tasks behind the host's records, and beside them. */
static void assert_same_ahead(const char *capture, const struct join_limits *limits)
{
    const uint64_t usual = ahead_bytes_min;
    ahead_bytes_min = UINT64_MAX;
    assert_import(capture, in_scratch("behind.db"), limits);
    ahead_bytes_min = 0;
    assert_import(capture, in_scratch("beside.db"), limits);
    ahead_bytes_min = usual;
    assert_same_rows(in_scratch("behind.db"), in_scratch("beside.db"));
}

static void tasks_that_are_decoded_beside_the_host_are_those_decoded_behind_it(void **state)
{
    (void)state;
    glob_t captures;
    assert_int_equal(glob("testdata/cann/*/PROF_*", 0, NULL, &captures), 0);
    for (size_t i = 0; i < captures.gl_pathc; i++)
        assert_same_ahead(captures.gl_pathv[i], NULL);
    globfree(&captures);
    assert_same_ahead(make_shuffled(), &little);
}

static void damaged_tasks_are_told_in_their_place_when_they_are_decoded_beside_the_host(void **state)
{
    (void)state;
    static const char *const damages[] = {
        "printf x | dd of='%s/device_0/data/stars_soc.data.0.slice_0' bs=1 seek=6401 conv=notrunc 2>/dev/null",
        "truncate -s -100 '%s/device_0/data/ffts_profile.data.0.slice_0'",
        "truncate -s -64 '%s/host/data/unaging.api_event.data.slice_0'",
        "rm '%s/device_0/data/stars_soc.data.0.slice_0'",
    };
    const char *path = copy_capture();
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        char command[512];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(command, sizeof command, damages[i], path);
#pragma GCC diagnostic pop
        assert_int_equal(system(command), 0); // NOLINT(cert-env33-c,concurrency-mt-unsafe)
        assert_same_ahead(path, NULL);
    }
    sqlite3 *db = open_both(in_scratch("behind.db"), in_scratch("beside.db"));
    assert_true(number_of(db, "SELECT count(*) FROM diagnostics") > 0);
    database_close(db);
}

static void a_disk_without_space_is_an_error_and_leaves_no_database(void **state)
{
    (void)state;
    long failures = 0;
    assert_import(ORDERED, in_scratch("sound.db"), NULL);
    writes_of_spools = 0;
    assert_import(ORDERED, in_scratch("little.db"), &little);
    const long all = writes_of_spools, stride = all / 50 | 1;
    assert_true(all > 10);
    unlink(in_scratch("little.db"));
    for (long i = 0; i < all; i += stride) {
        struct err err;
        alarm(SCRATCH_LONGEST_WAIT);
        writes_left = i;
        int status = import(ORDERED, in_scratch("little.db"), &little, &err);
        writes_left = -1;
        failures++;
        assert_int_equal(status, -ERR_NO_SPACE);
        assert_non_null(strstr(err.causes[0], "cannot write a temporary file"));
        assert_int_equal(scratch_count(), 1); /* the sound one alone */
    }
    assert_true(failures > 0);
}

/* Before anything uses SQLite. */
static int set_up_databases(void **state)
{
    (void)state;
    struct err err;
    return database_setup(&err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(shipped_captures_have_the_same_rows_with_next_to_no_memory, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(records_in_any_order_make_the_calls_and_tasks_of_those_in_order, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(tasks_that_are_decoded_beside_the_host_are_those_decoded_behind_it,
                                        scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(damaged_tasks_are_told_in_their_place_when_they_are_decoded_beside_the_host,
                                        scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(a_disk_without_space_is_an_error_and_leaves_no_database, scratch_setup,
                                        scratch_teardown),
    };
    return cmocka_run_group_tests(tests, set_up_databases, NULL);
}
