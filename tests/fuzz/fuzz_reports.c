/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of a user's own: the input is the text of one; what is accepted is run on a small database, for a second at
 * most, in each format. Queries can read and nothing else: the database is the same afterwards. */
#include "tests/fuzz/directory.h"
#include "tests/fuzz/sqlite_memory.h"

#include "db/database.h"
#include "db/import.h"
#include "exporters/export.h"
#include "exporters/table/choice.h"
#include "exporters/table/report.h"
#include "exporters/table/writer.h"

#define CALLS 4
#define CALL_SIZE 128

/* A capture of a board with some calls of ACL. */
static void write_capture(void)
{
    static const char info[] = "{\"DeviceInfo\": [{\"id\": 0, \"aic_frequency\": \"600\"}]}";
    unsigned char calls[CALLS * CALL_SIZE] = {0};
    char path[128];
    snprintf(path, sizeof path, "%s/data", fuzz_directory);
    EXPECT(mkdir(path, 0700) == 0);
    for (size_t i = 0; i < CALLS; i++) {
        unsigned char *p = calls + i * CALL_SIZE;
        bytes_store(p, 2, false, 0x5a5a);
        bytes_store(p + 4, 4, false, 2);
        bytes_store(p + 8, 8, false, 1000 * i);
        bytes_store(p + 16, 8, false, 1000 * i + 500);
        memcpy(p + 32, "aclmdlExecute", 13);
    }
    EXPECT(fuzz_write_file("info.json.0", info, sizeof info - 1));
    EXPECT(fuzz_write_file("data/acl_api.0.net.1", calls, sizeof calls));
}

/* The one of every input. SQLite's memory is no sanitizer's, so it is closed before leaks are sought. */
static sqlite3 *db_of_all;

static void close_database(void)
{
    database_close(db_of_all);
}

static sqlite3 *the_database(char path[128])
{
    struct err err = ERR_INIT;
    struct diagnostics diag;
    struct import_result result;
    fuzz_directory_make();
    snprintf(path, 128, "%s/runtime.db", fuzz_directory);
    if (db_of_all != NULL)
        return db_of_all;
    sqlite_memory_past_asan();
    EXPECT(database_setup(&err) == 0 && atexit(close_database) == 0);
    write_capture();
    const struct import_request request = {
        .directory = fuzz_directory, .database = path, .tool_version = "fuzz", .parameters = ""};
    diag_init(&diag, false);
    EXPECT(db_import(&request, &diag, &result, &err) == 0);
    EXPECT(result.records_decoded == CALLS && result.records_rejected == 0);
    diag_release(&diag);
    EXPECT(database_open(path, &db_of_all, &err) == 0);
    return db_of_all;
}

/* Controls of a terminal, from a title or a cell, are in no output. */
static void expect_no_escapes(const char *path)
{
    FILE *file = fopen(path, "re");
    EXPECT(file != NULL);
    for (int c = getc(file); c != EOF; c = getc(file))
        EXPECT(c != '\033' && c != '\b' && c != 0x7f);
    fclose(file);
}

static void run(sqlite3 *db, const char *database, const struct report_files *files, enum table_format format)
{
    struct err err = ERR_INIT, end_err = ERR_INIT;
    struct export_result result = {.files = 0};
    const struct table_choice choice = {.columns = NULL};
    char path[128];
    snprintf(path, sizeof path, "%s/output", fuzz_directory);
    struct table_stream stream = {.path = path};
    const struct show_options show = {.database = database, .width = 80, .report_files = files, .stream = &stream};
    FILE *terminal = fopen(path, "we");
    EXPECT(terminal != NULL);
    const char *name = report_files_get(files, 0)->name;
    int status = show_one_table(db, terminal, name, format, &choice, &show, &result, &err);
    EXPECT(fclose(terminal) == 0);
    EXPECT(status == 0 || (status < 0 && err_message(&err)[0] != '\0'));
    EXPECT(table_stream_end(&stream, &end_err) == 0);
    expect_no_escapes(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum table_format formats[] = {TABLE_TERMINAL, TABLE_CSV, TABLE_JSON, TABLE_MARKDOWN};
    struct report_files files = {.seconds = 1};
    struct err err = ERR_INIT;
    char path[128];
    sqlite3 *db = the_database(path);
    char *text = malloc(size + 1); /* files are read with a NUL behind them */
    EXPECT(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    int status = report_files_parse(&files, "fuzz.report", text, size, &err);
    free(text);
    EXPECT((status == 0) == (files.count == 1));
    EXPECT(status == 0 || strncmp(err_message(&err), "fuzz.report:", 12) == 0);
    if (status == 0)
        run(db, path, &files, formats[size % 4]);
    report_files_release(&files);
    EXPECT(sqlite3_total_changes64(db) == 0);
    return 0;
}
