/* SPDX-License-Identifier: Apache-2.0 */
/* Captures side by side, one thread each, and a table that is interrupted by another thread: for valgrind and for
 * ThreadSanitizer. usage: threads CAPTURE CAPTURE [DIRECTORY of ranks] */
#include <msprof/msprof.h>

#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                                    \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

static int count_table(void *arg, const char *name, const char *title)
{
    (void)name;
    (void)title;
    ++*(size_t *)arg;
    return 0;
}

static uint64_t count_rows(struct msprof_table *table)
{
    const struct msprof_block *block;
    uint64_t rows = 0;
    int status;
    while ((status = msprof_table_next(table, &block, NULL)) == 1)
        rows += block->rows;
    CHECK(status == 0);
    msprof_table_close(table);
    return rows;
}

static int count_diagnostic(void *arg, const struct msprof_diagnostic *diagnostic)
{
    (void)diagnostic;
    ++*(size_t *)arg;
    return 0;
}

static int count_bytes(void *arg, const char *name, const void *bytes, size_t length)
{
    (void)name;
    (void)bytes;
    *(size_t *)arg += length;
    return 0;
}

static void ask(struct msprof_capture *capture)
{
    static const char *const questions[] = {"summary", "advise"}, *const files[] = {"summary", "timeline", "report"};
    struct msprof_facts facts = {.size = sizeof facts};
    size_t diagnostics = 0, bytes = 0;
    char *text;
    CHECK(msprof_facts(capture, &facts, NULL) == 0);
    CHECK(msprof_diagnostics(capture, count_diagnostic, &diagnostics, NULL) == 0);
    for (int i = 0; i < 2; i++) {
        CHECK(msprof_answer(capture, questions[i], NULL, &text, NULL) == 0);
        msprof_free(text);
    }
    CHECK(msprof_answer(capture, "diff", capture, &text, NULL) == 0);
    msprof_free(text);
    for (int i = 0; i < 3; i++)
        CHECK(msprof_export_bytes(capture, files[i], count_bytes, &bytes, NULL) == 0);
    CHECK(bytes > 0);
}

static void *use_ranks(void *directory)
{
    struct msprof_cluster_options table = {.size = sizeof table, .table = "operator_sum"};
    char *text;
    CHECK(msprof_cluster(directory, NULL, &text, NULL) == 0);
    msprof_free(text);
    CHECK(msprof_cluster(directory, &table, &text, NULL) == 0);
    CHECK(strstr(text, "\"rows\":[{") != NULL);
    msprof_free(text);
    return NULL;
}

/* Another handle of a capture that is open in other threads, too. */
static void *use_again(void *path)
{
    struct msprof_capture *capture;
    CHECK(msprof_open(path, NULL, &capture, NULL) == 0);
    ask(capture);
    msprof_close(capture);
    return NULL;
}

static void *use(void *path)
{
    struct msprof_capture *capture;
    struct msprof_table *table, *other;
    struct msprof_error *error = NULL;
    struct msprof_table_options options = {.size = sizeof options, .sort = "-total", .block_rows = 3};
    struct msprof_open_options anew = {.size = sizeof anew, .import = MSPROF_IMPORT_ALWAYS};
    size_t tables = 0;

    CHECK(msprof_open(path, &anew, &capture, NULL) == 0);
    CHECK(msprof_tables(capture, count_table, &tables, NULL) == 0 && tables > 3);
    CHECK(msprof_table_open(capture, "ops", &options, &table, NULL) == 0);
    CHECK(msprof_sql(capture, "SELECT name FROM op", &other, NULL) == 0);
    CHECK(count_rows(table) > 3);
    CHECK(count_rows(other) > 3);
    ask(capture);
    CHECK(msprof_table_open(capture, "nothing", NULL, &table, &error) == MSPROF_ERROR_USAGE);
    CHECK(strstr(msprof_error_message(error), "nothing") != NULL);
    msprof_error_free(error);
    CHECK(msprof_table_open(capture, "ops", &options, &table, NULL) == 0);
    msprof_close(capture); /* the table goes on */
    CHECK(count_rows(table) > 3);
    return NULL;
}

static void *interrupt(void *capture)
{
    msprof_interrupt(capture);
    return NULL;
}

/* A query that does not end by itself. */
static void end_early(const char *path)
{
    struct msprof_capture *capture;
    struct msprof_table *table;
    pthread_t thread;
    CHECK(msprof_open(path, NULL, &capture, NULL) == 0);
    CHECK(pthread_create(&thread, NULL, interrupt, capture) == 0);
    CHECK(msprof_sql(capture,
                     "WITH RECURSIVE more(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more) SELECT sum(n) FROM more",
                     &table, NULL) == MSPROF_ERROR_INTERRUPTED);
    pthread_join(thread, NULL);
    CHECK(msprof_sql(capture, "SELECT name FROM op", &table, NULL) == 0);
    msprof_table_close(table); /* before its rows are read */
    msprof_close(capture);
}

int main(int argc, char **argv)
{
    pthread_t threads[5];
    CHECK(argc == 3 || argc == 4);
    CHECK(sqlite3_initialize() == SQLITE_OK); /* the program uses it, too */
    for (int i = 0; i < 2; i++)
        CHECK(pthread_create(&threads[i], NULL, use, argv[i + 1]) == 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&threads[i], NULL, use_again, argv[1 + i / 2]) == 0);
    if (argc == 4)
        CHECK(pthread_create(&threads[4], NULL, use_ranks, argv[3]) == 0);
    for (int i = 0; i < argc + 1; i++)
        pthread_join(threads[i], NULL);
    end_early(argv[1]);
    puts("done");
    return 0;
}
