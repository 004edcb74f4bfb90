/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/lib/recording.h"

#include "db/database.h"
#include "db/import.h"
#include "tests/lib/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

char recording_report[RECORDING_REPORT_MAX];
int recording_reports;

static void report(const char *text)
{
    snprintf(recording_report, sizeof recording_report, "%s", text);
    recording_reports++;
}

struct recorder_options recording_options(const char *name)
{
    return (struct recorder_options){.directory = in_scratch(name), .sample = {.acl_calls = true}, .report = report};
}

void recording_start(const struct recorder_options *options)
{
    struct err err = ERR_INIT;
    recording_reports = 0;
    assert_int_equal(recorder_name_type(RECORDER_LEVEL_ACL, TYPE_OUTER, "aclmdlExecute"), 0);
    assert_int_equal(recorder_name_type(RECORDER_LEVEL_ACL, TYPE_INNER, "aclrtMemcpy"), 0);
    if (recorder_start(options, &err) != 0)
        fail_msg("%s", err_message(&err));
}

void recording_stop(void)
{
    struct err err = ERR_INIT;
    if (recorder_stop(&err) != 0)
        fail_msg("%s", err_message(&err));
}

/* ---- reading captures ---- */

uint64_t expected_problems; /* that importing finds */

sqlite3 *recording_import(const char *capture)
{
    char database[256];
    snprintf(database, sizeof database, "%s", in_scratch("runtime.db"));
    struct import_request request = {
        .directory = capture, .database = database, .tool_version = "1", .parameters = "none"};
    struct import_result result;
    struct diagnostics diag;
    struct err err = ERR_INIT;
    sqlite3 *db = NULL;
    diag_init(&diag, false);
    unlink(database);
    if (database_setup(&err) < 0 || db_import(&request, &diag, &result, &err) < 0 ||
        database_open(database, &db, &err) < 0)
        fail_msg("%s", err_message(&err));
    assert_int_equal(diag_problems(&diag), expected_problems);
    assert_int_equal(result.records_rejected, 0);
    diag_release(&diag);
    return db;
}

int64_t recording_query(sqlite3 *db, const char *sql)
{
    struct err err = ERR_INIT;
    sqlite3_stmt *statement = NULL;
    if (database_prepare(db, sql, &statement, &err) < 0)
        fail_msg("%s", err_message(&err));
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int64_t value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

int64_t recording_count_calls(const char *capture)
{
    sqlite3 *db = recording_import(capture);
    int64_t count = recording_query(db, "SELECT count(*) FROM host_call");
    database_close(db);
    return count;
}

/* The path of a file of the running or last capture. */
const char *recording_file(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", recorder_capture_directory(), name);
    return path;
}

size_t recording_read(const char *path, unsigned char *bytes, size_t size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail_msg("cannot open %s", path);
    size_t length = fread(bytes, 1, size, file);
    fclose(file);
    return length;
}

uint64_t recording_little(const unsigned char *p, size_t width)
{
    uint64_t value = 0;
    for (size_t i = width; i-- > 0;)
        value = value << 8 | p[i];
    return value;
}

off_t recording_size(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? info.st_size : -1;
}
