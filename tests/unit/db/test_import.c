/* SPDX-License-Identifier: Apache-2.0 */
/* Import: a database that is whole, says what it was made from, and appears only when everything went well. */
#include "tests/lib/records.h"
#include "tests/lib/scratch.h"

#include "base/progress.h"
#include "db/database.h"
#include "db/import.h"
#include "db/query/query.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static struct import_request request_for(const char *path)
{
    return (struct import_request){
        .directory = in_scratch("J"), .database = path, .tool_version = "1.2", .parameters = "none"};
}

/* Imports J into path; problems may be NULL. */
static int import(const char *path, bool strict, uint64_t *ret_problems, struct err *err)
{
    const struct import_request request = request_for(path);
    struct diagnostics diag;
    struct import_result result;
    diag_init(&diag, strict);
    *err = (struct err)ERR_INIT;
    int status = db_import(&request, &diag, &result, err);
    if (ret_problems != NULL)
        *ret_problems = diag_problems(&diag);
    diag_release(&diag);
    return status;
}

static char database[128]; /* where the tests import to */

static void make_sound_job(void)
{
    unsigned char tasks[4 * PMU_SIZE], calls[2 * ACL_SIZE], cpu[AICPU_SIZE], *p = tasks;
    make_job();
    assert_int_equal(mkdir(in_scratch("out"), 0750), 0);
    snprintf(database, sizeof database, "%s", in_scratch("out/runtime.db"));
    for (unsigned i = 0; i < 4; i++)
        p = put_pmu(p, i % 2, 600, 1, i / 2);
    put_acl(put_acl(calls, "outer", 100, 900), "inner", 200, 300);
    put_aicpu(cpu, 0, 500, 700);
    put_file("aicore.0.1.1", tasks, sizeof tasks);
    put_file("acl_api.0.net.1", calls, sizeof calls);
    put_file("aicpu.0.net.1.1.1.0", cpu, sizeof cpu);
    put_text("aicore.0.net.1.1.1.0.done", "starttime:400\n");
    put_text("aicore.0.net.1.1.1.1.done", "starttime:9000\n");
    put_text("net.1.layer.info", "[{\"layer_id\":0,\"task_id\":0,\"name\":\"a\"},{\"layer_id\":1,\"task_id\":1}]");
}

/* The single integer or text that a query gives, as text. */
static void assert_query(const char *path, const char *sql, const char *expected)
{
    struct err err = ERR_INIT;
    sqlite3 *db;
    sqlite3_stmt *statement = NULL;
    if (database_open(path, &db, &err) < 0 || database_prepare(db, sql, &statement, &err) < 0)
        fail_msg("%s", err_message(&err));
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    const char *text = (const char *)sqlite3_column_text(statement, 0);
    assert_string_equal(text != NULL ? text : "NULL", expected);
    sqlite3_finalize(statement);
    database_close(db);
}

/* ---- what is in it ---- */

static void an_import_stores_every_row_and_says_what_it_was_made_from(void **state)
{
    (void)state;
    struct err err;
    uint64_t problems;
    make_sound_job();
    assert_int_equal(import(database, true, &problems, &err), 0);
    assert_int_equal(problems, 0);
    assert_query(database, "PRAGMA integrity_check", "ok");
    assert_query(database, "SELECT count(*) FROM ai_core_task", "4");
    assert_query(database, "SELECT count(*) FROM acl_call", "2");
    assert_query(database, "SELECT count(*) FROM ai_cpu_task", "1");
    assert_query(database,
                 "SELECT group_concat(value, ' ') FROM (SELECT value FROM meta WHERE key IN"
                 " ('family', 'parameters', 'problems', 'records_decoded', 'records_rejected', 'tool_version')"
                 " ORDER BY key)",
                 "svp none 0 9 0 1.2");
    assert_query(database, "SELECT value FROM meta WHERE key = 'clock'", "600.000 MHz from info.json");
    assert_query(database, "SELECT value FROM meta WHERE key = 'origin_ns'", "100");
    assert_query(database,
                 "SELECT size_bytes || ' ' || records_decoded || ' ' || records_rejected FROM source_file"
                 " WHERE path = 'data/aicore.0.1.1'",
                 "512 4 0");
    assert_query(database, "SELECT count(*) FROM source_file WHERE length(xxh128) != 32 OR xxh128 IS NULL", "0");
    assert_query(database, "SELECT printf('%x', application_id) FROM pragma_application_id", "6d737066");
}

static void a_database_is_sound_in_small_pages_and_in_those_of_a_large_capture(void **state)
{
    (void)state;
    struct err err;
    make_sound_job();
    assert_int_equal(import(database, false, NULL, &err), 0);
    assert_query(database, "SELECT page_size FROM pragma_page_size", "4096");
    assert_query(database, "PRAGMA integrity_check", "ok");
    assert_int_equal(truncate(in_scratch("J/data/aicore.0.1.1"), 4096 * 1024), 0);
    assert_int_equal(import(database, false, NULL, &err), 0);
    assert_query(database, "SELECT page_size FROM pragma_page_size", "32768");
    assert_query(database, "PRAGMA integrity_check", "ok");
}

static void checksums_are_those_of_the_whole_file(void **state)
{
    (void)state;
    struct err err;
    make_sound_job();
    put_text("net.1.layer.info", "[]");
    assert_int_equal(import(database, false, NULL, &err), 0);
    assert_query(database, "SELECT xxh128 FROM source_file WHERE path = 'data/net.1.layer.info'",
                 "39347ff402b6c53d831154110e30ac6a");
}

static void problems_are_stored_with_their_place(void **state)
{
    (void)state;
    struct err err;
    uint64_t problems;
    make_sound_job();
    unsigned char calls[3 * ACL_SIZE];
    put_acl(put_acl(put_acl(calls, "a", 1, 2), "b", 4, 3), "c", 5, 6);
    put_file("acl_api.0.net.1", calls, sizeof calls);
    assert_int_equal(import(database, false, &problems, &err), 0);
    assert_int_equal(problems, 1);
    assert_query(database,
                 "SELECT severity || ' ' || code || ' ' || file || ' ' || record || ' ' || byte_offset || ' ' ||"
                 " occurrences FROM diagnostics WHERE severity <> 'note'",
                 "warning record-value data/acl_api.0.net.1 1 128 1");
    assert_query(database,
                 "SELECT records_decoded || ' ' || records_rejected FROM source_file"
                 " WHERE path = 'data/acl_api.0.net.1'",
                 "2 1");
}

static void names_that_are_no_utf_8_get_the_replacement_character(void **state)
{
    (void)state;
    struct err err;
    make_sound_job();
    unsigned char call[ACL_SIZE];
    put_acl(call, "\xff\xfe'\"\n;--", 1, 2);
    put_file("acl_api.0.\xff\xfe'.7", call, sizeof call);
    assert_int_equal(import(database, false, NULL, &err), 0);
    assert_query(database, "SELECT hex(model_name) FROM source_file WHERE model_id = 7", "EFBFBDEFBFBD27");
    assert_query(database, "SELECT hex(name) FROM acl_call WHERE start_ns = 1", "EFBFBDEFBFBD27220A3B2D2D");
}

static void an_inference_in_parts_is_reported(void **state)
{
    (void)state;
    struct err err;
    uint64_t problems;
    const unsigned pics = 4097; /* one more than are followed at once */
    unsigned char *bytes = malloc(2 * (size_t)pics * PMU_SIZE), *p = bytes;
    assert_non_null(bytes);
    make_sound_job();
    for (unsigned i = 0; i < 2 * pics; i++)
        p = put_pmu(p, i / pics, 600, 1, i % pics);
    put_file("aicore.0.1.1", bytes, 2 * (size_t)pics * PMU_SIZE);
    free(bytes);
    assert_int_equal(import(database, false, &problems, &err), 0);
    assert_int_equal(problems, pics); /* taking the oldest away again and again splits them all */
    assert_query(database, "SELECT count(*) FROM ai_core_task", "8194");
    assert_query(database, "SELECT DISTINCT code FROM diagnostics WHERE severity = 'warning'", "inference-limit");
    assert_int_equal(import(database, true, &problems, &err), -ERR_STRICT);
}

/* ---- all or nothing ---- */

static void assert_nothing_but(const char *name)
{
    char command[256];
    snprintf(command, sizeof command, "test \"$(ls -A %s)\" = '%s'", in_scratch("out"), name);
    assert_int_equal(system(command), 0);
}

static void a_strict_import_with_a_problem_leaves_the_old_database_alone(void **state)
{
    (void)state;
    struct err err;
    struct stat before, after;
    make_sound_job();
    put_file("acl_api.0.net.1", "short", 5);
    assert_int_equal(import(database, true, NULL, &err), -ERR_STRICT);
    assert_nothing_but("");
    assert_int_equal(import(database, false, NULL, &err), 0);
    assert_int_equal(stat(database, &before), 0);
    assert_int_equal(import(database, true, NULL, &err), -ERR_STRICT);
    assert_non_null(strstr(err_message(&err), "acl_api.0.net.1"));
    assert_int_equal(stat(database, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_nothing_but("runtime.db");
}

/* Appends to a file of the capture, when the import has read some of it. */
static void write_meanwhile(void *arg, const char *what, uint64_t done, uint64_t total)
{
    (void)arg, (void)what, (void)done, (void)total;
    FILE *file = fopen(in_scratch("J/data/acl_api.0.net.1"), "a");
    assert_non_null(file);
    assert_int_equal(fputc('.', file), '.');
    assert_int_equal(fclose(file), 0);
}

static void assert_change_is_told(bool strict)
{
    static const struct progress writing = {.update = write_meanwhile};
    struct import_request request = request_for(database);
    struct import_result result;
    struct diagnostics diag;
    struct err err = ERR_INIT;
    unsigned char calls[2 * ACL_SIZE];
    put_acl(put_acl(calls, "outer", 100, 900), "inner", 200, 300);
    put_file("acl_api.0.net.1", calls, sizeof calls);
    if (import(database, strict, NULL, &err) < 0)
        fail_msg("%s", err_message(&err));
    diag_init(&diag, strict);
    request.progress = &writing;
    int status = db_import(&request, &diag, &result, &err);
    diag_release(&diag);
    if (strict) {
        assert_int_equal(status, -ERR_STRICT);
        assert_non_null(strstr(err_message(&err), "acl_api.0.net.1: "));
        assert_non_null(strstr(err_message(&err), "it was written meanwhile"));
    } else {
        assert_int_equal(status, 0);
        assert_query(database, "SELECT group_concat(file) FROM diagnostics WHERE code = 'file-changed'",
                     "data/acl_api.0.net.1");
    }
}

/* Long directories are looked at again by a thread. */
static void what_is_written_during_the_import_is_told_of_few_files_and_of_many(void **state)
{
    (void)state;
    make_sound_job();
    assert_change_is_told(false);
    assert_change_is_told(true);
    for (unsigned i = 1; i <= 5000; i++) {
        unsigned char cpu[AICPU_SIZE];
        char name[64];
        put_aicpu(cpu, 0, 1000 * i + 500, 1000 * i + 700);
        snprintf(name, sizeof name, "aicpu.0.net.1.1.1.%u", i);
        put_file(name, cpu, sizeof cpu);
    }
    assert_change_is_told(false);
    assert_change_is_told(true);
}

static void an_interrupted_import_leaves_nothing(void **state)
{
    (void)state;
    struct err err;
    make_sound_job();
    interrupt_signal = SIGINT;
    int status = import(in_scratch("out/runtime.db"), false, NULL, &err);
    interrupt_signal = 0;
    assert_int_equal(status, -ERR_INTERRUPTED);
    assert_nothing_but("");
}

static void a_long_statement_ends_at_an_interrupt(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct database_build build;
    assert_int_equal(mkdir(in_scratch("out"), 0750), 0);
    assert_int_equal(database_build_open(&build, in_scratch("out/runtime.db"), true, &err), 0);
    interrupt_signal = SIGINT;
    int status = database_exec(
        build.db, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n", &err);
    interrupt_signal = 0;
    assert_int_equal(status, -ERR_INTERRUPTED);
    database_build_abort(&build);
    assert_nothing_but("");
}

static void a_place_that_cannot_be_written_is_an_error_with_its_name(void **state)
{
    (void)state;
    struct err err;
    make_sound_job();
    assert_int_equal(import(in_scratch("nowhere/runtime.db"), false, NULL, &err), -ERR_NOT_FOUND);
    assert_non_null(strstr(err_message(&err), "nowhere"));
    assert_int_equal(mkdir(in_scratch("out/runtime.db"), 0750), 0);
    assert_true(import(in_scratch("out/runtime.db"), false, NULL, &err) < 0);
    assert_nothing_but("runtime.db");
    assert_int_equal(chmod(in_scratch("J"), 0755), 0);
    assert_int_equal(chmod(in_scratch("J/data"), 0755), 0);
    assert_int_equal(chmod(in_scratch("out"), 0555), 0);
    if (getuid() == 0 && seteuid(65534) != 0)
        skip(); /* permissions do not hold for root */
    int status = import(in_scratch("out/other.db"), false, NULL, &err);
    assert_int_equal(seteuid(getuid()), 0);
    assert_int_equal(chmod(in_scratch("out"), 0750), 0);
    assert_int_equal(status, -ERR_ACCESS);
}

static void a_full_disk_is_an_error_and_leaves_nothing(void **state)
{
    (void)state;
    struct err err;
    const unsigned count = 40000;
    make_sound_job();
    if (mount("tmpfs", in_scratch("out"), "tmpfs", 0, "size=1m") != 0)
        skip(); /* only root can */
    unsigned char *bytes = malloc((size_t)count * PMU_SIZE), *p = bytes;
    assert_non_null(bytes);
    for (unsigned i = 0; i < count; i++)
        p = put_pmu(p, i % 2, 600, 1, i / 2);
    put_file("aicore.0.1.1", bytes, (size_t)count * PMU_SIZE);
    free(bytes);
    int status = import(in_scratch("out/runtime.db"), false, NULL, &err);
    bool nothing = !scratch_exists("out/runtime.db");
    char command[256];
    snprintf(command, sizeof command, "test -z \"$(ls -A %s)\"", in_scratch("out"));
    int empty = system(command);
    assert_int_equal(umount(in_scratch("out")), 0);
    assert_int_equal(status, -ERR_NO_SPACE);
    assert_non_null(strstr(err.causes[0], "the disk is full"));
    assert_string_not_equal(err.hint, "");
    assert_true(nothing);
    assert_int_equal(empty, 0);
}

/* ---- current or not ---- */

static bool is_current(const struct import_request *request)
{
    sqlite3 *db = db_open_current(request);
    database_close(db);
    return db != NULL;
}

static void a_database_is_current_until_anything_it_was_made_from_changes(void **state)
{
    (void)state;
    struct err err;
    make_sound_job();
    struct import_request request = request_for(database);
    assert_false(is_current(&request));
    assert_int_equal(import(database, false, NULL, &err), 0);
    request.directory = in_scratch("J");
    assert_true(is_current(&request));
    request.parameters = "other";
    assert_false(is_current(&request));
    request.parameters = "none";
    request.tool_version = "1.3";
    assert_false(is_current(&request));
    request.tool_version = "1.2";
    put_text("new.5.layer.info", "[]");
    assert_false(is_current(&request));
    assert_int_equal(remove(in_scratch("J/data/new.5.layer.info")), 0);
    assert_true(is_current(&request));
    const struct timespec times[2] = {{1, 0}, {1, 0}};
    assert_int_equal(utimensat(AT_FDCWD, in_scratch("J/data/aicore.0.1.1"), times, 0), 0);
    assert_false(is_current(&request));
}

static void what_is_not_this_versions_database_is_not_opened(void **state)
{
    (void)state;
    struct err err;
    sqlite3 *db;
    make_sound_job();
    scratch_make_file("out/text", "this is no database, and it is long enough to be looked at as one ................");
    scratch_make_file("out/empty", "");
    err = (struct err)ERR_INIT;
    assert_int_equal(database_open(in_scratch("out/nothing"), &db, &err), -ERR_NOT_FOUND);
    assert_int_equal(database_open(in_scratch("out/empty"), &db, &err), -ERR_FORMAT);
    assert_int_equal(database_open(in_scratch("out/text"), &db, &err), -ERR_FORMAT);
    assert_non_null(strstr(err.hint, "msprof import"));
    assert_int_equal(import(database, false, NULL, &err), 0);
    assert_int_equal(sqlite3_open(database, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "PRAGMA user_version = 9999", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    assert_int_equal(database_open(database, &db, &err), -ERR_FORMAT);
    assert_non_null(strstr(err_message(&err), "9999"));
}

static void a_database_cut_at_any_length_is_not_current_and_not_opened(void **state)
{
    (void)state;
    struct err err;
    make_sound_job();
    assert_int_equal(import(database, false, NULL, &err), 0);
    struct stat info;
    sqlite3 *db;
    assert_int_equal(stat(database, &info), 0);
    const struct import_request request = request_for(database);
    for (int64_t size = info.st_size - 1; size > 0; size -= 10007) {
        assert_int_equal(truncate(database, size), 0);
        assert_false(is_current(&request));
        assert_int_equal(database_open(database, &db, &err), -ERR_FORMAT);
        assert_non_null(strstr(err.hint, "msprof import"));
    }
}

static void change_database(const char *sql)
{
    sqlite3 *db;
    char *message = NULL;
    assert_int_equal(sqlite3_open(database, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
    sqlite3_close(db);
}

/* Each change of a sound database makes it another than an import would. */
static void none_stays_current(const char *const *changes, size_t count)
{
    struct err err;
    make_sound_job();
    const struct import_request request = request_for(database);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(import(database, false, NULL, &err), 0);
        assert_true(is_current(&request));
        change_database(changes[i]);
        assert_false(is_current(&request));
    }
}

static void a_database_whose_schema_is_not_ours_is_not_current(void **state)
{
    (void)state;
    static const char *const changes[] = {
        ("DROP TABLE ai_cpu_task; CREATE VIEW ai_cpu_task AS WITH RECURSIVE n(i) AS "
         "(SELECT 1 UNION ALL SELECT i + 1 FROM n)  SELECT i AS id, 1 AS file_id, i AS start_ns FROM n"),
        "CREATE TRIGGER t AFTER INSERT ON meta BEGIN DELETE FROM meta; END",
        "CREATE TABLE more(a)",
        "CREATE INDEX more ON meta(upper(value))",
        "DROP INDEX ai_cpu_task_by_file",
    };
    none_stays_current(changes, sizeof changes / sizeof *changes);
}

/* A reader that knows only the last number of a table counts up to it. */
static void a_database_whose_rows_are_numbered_otherwise_is_not_current(void **state)
{
    (void)state;
    static const char *const changes[] = {
        "UPDATE ai_core_task SET id = 9223372036854775807 WHERE id = 4",
        "UPDATE acl_call SET id = 1 << 40 WHERE id = 2",
        "UPDATE layer SET id = -1 WHERE id = 1",
        "UPDATE inference SET inference_id = 0 WHERE inference_id = 1",
    };
    none_stays_current(changes, sizeof changes / sizeof *changes);
}

/* SQLite would undo, or do, what the journal says, and make files of its own beside it. */
static void a_database_with_a_journal_is_not_opened_and_an_import_removes_both(void **state)
{
    (void)state;
    static const char *const journals[] = {"out/runtime.db-journal", "out/runtime.db-wal", "out/runtime.db-shm"};
    struct err err;
    sqlite3 *db;
    make_sound_job();
    for (size_t i = 0; i < sizeof journals / sizeof *journals; i++) {
        assert_int_equal(import(database, false, NULL, &err), 0);
        scratch_make_file(journals[i], "anything");
        assert_int_equal(database_open(database, &db, &err), -ERR_FORMAT);
        assert_non_null(strstr(err.hint, "msprof import"));
        assert_true(scratch_exists(journals[i]));
        assert_int_equal(import(database, false, NULL, &err), 0);
        assert_false(scratch_exists(journals[i]));
        assert_query(database, "SELECT count(*) FROM ai_core_task", "4");
    }
    change_database("PRAGMA journal_mode = wal");
    assert_int_equal(database_open(database, &db, &err), -ERR_FORMAT);
    assert_false(scratch_exists("out/runtime.db-wal"));
    assert_int_equal(import(database, false, NULL, &err), 0);
    assert_query(database, "SELECT count(*) FROM ai_core_task", "4");
}

static void an_opened_database_is_not_written(void **state)
{
    (void)state;
    struct err err;
    sqlite3 *db;
    make_sound_job();
    assert_int_equal(import(database, false, NULL, &err), 0);
    assert_int_equal(database_open(database, &db, &err), 0);
    assert_true(database_exec(db, "DELETE FROM meta", &err) < 0);
    assert_true(database_exec(db, "CREATE TEMP TABLE t(a)", &err) < 0);
    database_close(db);
}

#define SCRATCH_TEST(test) cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)

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
        SCRATCH_TEST(an_import_stores_every_row_and_says_what_it_was_made_from),
        SCRATCH_TEST(a_database_is_sound_in_small_pages_and_in_those_of_a_large_capture),
        SCRATCH_TEST(checksums_are_those_of_the_whole_file),
        SCRATCH_TEST(problems_are_stored_with_their_place),
        SCRATCH_TEST(names_that_are_no_utf_8_get_the_replacement_character),
        SCRATCH_TEST(an_inference_in_parts_is_reported),
        SCRATCH_TEST(a_strict_import_with_a_problem_leaves_the_old_database_alone),
        SCRATCH_TEST(what_is_written_during_the_import_is_told_of_few_files_and_of_many),
        SCRATCH_TEST(an_interrupted_import_leaves_nothing),
        SCRATCH_TEST(a_long_statement_ends_at_an_interrupt),
        SCRATCH_TEST(a_place_that_cannot_be_written_is_an_error_with_its_name),
        SCRATCH_TEST(a_full_disk_is_an_error_and_leaves_nothing),
        SCRATCH_TEST(a_database_is_current_until_anything_it_was_made_from_changes),
        SCRATCH_TEST(what_is_not_this_versions_database_is_not_opened),
        SCRATCH_TEST(a_database_whose_schema_is_not_ours_is_not_current),
        SCRATCH_TEST(a_database_whose_rows_are_numbered_otherwise_is_not_current),
        SCRATCH_TEST(a_database_with_a_journal_is_not_opened_and_an_import_removes_both),
        SCRATCH_TEST(an_opened_database_is_not_written),
        SCRATCH_TEST(a_database_cut_at_any_length_is_not_current_and_not_opened),
    };
    return cmocka_run_group_tests_name("import", tests, set_up_databases, NULL);
}
