/* SPDX-License-Identifier: Apache-2.0 */
/* Whole captures: the input is a tree of files, which are imported into a database, and all reports are made of it.
 * tree.h has what it looks like. */
#include "tests/fuzz/sqlite_memory.h"
#include "tests/fuzz/tree.h"

#include "db/database.h"
#include "db/import.h"
#include "exporters/export.h"

/* Fresh memory costs most of the time that a small capture takes. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "quarantine_size_mb=4:malloc_context_size=1:max_malloc_fill_size=0";
}

/* Failures here have a reason. */
static void expect_reason(int status, const struct err *err)
{
    EXPECT(status == 0 || (status < 0 && err_message(err)[0] != '\0'));
}

static void show_all(sqlite3 *db, const char *database)
{
    struct err err = ERR_INIT;
    struct export_result result;
    const struct show_options show = {.database = database, .width = 80, .top = 5};
    FILE *nowhere = fopen("/dev/null", "we");
    EXPECT(nowhere != NULL);
    expect_reason(show_capture(db, nowhere, &show, &result, &err), &err);
    fclose(nowhere);
}

/* One of them, so that there is time for many captures: which, the capture's bytes say. */
static void report(const char *database, const char *results, unsigned which)
{
    struct err err = ERR_INIT;
    struct export_result result;
    sqlite3 *db;
    const struct export_options options = {
        .database = database, .directory = results, .timestamp = "20250101000000", .model_id = -1};
    EXPECT(database_open(database, &db, &err) == 0);
    switch (which % 4) {
    case 0:
        expect_reason(export_timeline(db, &options, &result, &err), &err);
        break;
    case 1:
        expect_reason(export_summary(db, &options, &result, &err), &err);
        break;
    case 2:
        expect_reason(export_database(db, &options, &result, &err), &err);
        break;
    default:
        show_all(db, database);
    }
    database_close(db);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {data, data + size};
    struct diagnostics diag;
    struct import_result result;
    struct err err = ERR_INIT;
    char capture[256], database[256], results[256];
    sqlite_memory_past_asan();
    EXPECT(database_setup(&err) == 0);
    fuzz_directory_make();
    fuzz_directory_clear();
    make_tree(&input);
    in_fuzz_directory(capture, CAPTURE);
    in_fuzz_directory(database, "runtime.db");
    in_fuzz_directory(results, "results");
    EXPECT(mkdir(results, 0700) == 0);
    const struct import_request request = {
        .directory = capture, .database = database, .tool_version = "fuzz", .parameters = ""};
    diag_init(&diag, false);
    int status = db_import(&request, &diag, &result, &err);
    expect_reason(status, &err);
    EXPECT(status != 0 || result.records_rejected == 0 || diag_reports(&diag) > 0);
    EXPECT((access(database, F_OK) == 0) == (status == 0));
    diag_release(&diag);
    /* Reading the schema to make a report of it takes as long as the import. */
    if (status == 0 && size % 8 == 0)
        report(database, results, (unsigned)size / 8);
    return 0;
}
