/* SPDX-License-Identifier: Apache-2.0 */
/* What each function of libmsprof does with arguments that are wrong: a table of calls, each with the result and a part
 * of the message that it must have. usage: bad_input CAPTURE; prints the number of calls. */
#include <msprof/msprof.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *array);
    void *private_data;
};
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *stream, void *ret);
    int (*get_next)(struct ArrowArrayStream *stream, struct ArrowArray *ret);
    const char *(*get_last_error)(struct ArrowArrayStream *stream);
    void (*release)(struct ArrowArrayStream *stream);
    void *private_data;
};

static const char *path;
static struct msprof_capture *capture;
static struct msprof_error *error;
static struct msprof_table *table;
static const struct msprof_block *block;
static char *text;

static int each_path(void *arg, const char *found)
{
    return arg != NULL || found == NULL;
}
static int each_name(void *arg, const char *name, const char *title)
{
    return arg != NULL || name == NULL || title == NULL;
}
static int each_diagnostic(void *arg, const struct msprof_diagnostic *diagnostic)
{
    return arg != NULL || diagnostic == NULL;
}
static int each_piece(void *arg, const char *name, const void *bytes, size_t length)
{
    return arg != NULL || name == NULL || (bytes == NULL && length > 0);
}

static int open_with(struct msprof_open_options options)
{
    struct msprof_capture *other = NULL;
    const int status = msprof_open(path, &options, &other, &error);
    if ((status < 0) != (other == NULL))
        abort();
    msprof_close(other);
    return status;
}

static int table_with(const char *name, struct msprof_table_options options)
{
    const int status = msprof_table_open(capture, name, &options, &table, &error);
    if ((status < 0) != (table == NULL))
        abort();
    msprof_table_close(table);
    return status;
}

static int query(const char *sql)
{
    int status = msprof_sql(capture, sql, &table, &error);
    while (status == 0 && (status = msprof_table_next(table, &block, &error)) == 1)
        status = 0;
    if (status < 0 && block != NULL && table != NULL)
        abort(); /* no block comes with a failure */
    msprof_table_close(table);
    return status;
}

static int facts_with(size_t size)
{
    struct msprof_facts facts = {.size = size};
    return msprof_facts(capture, &facts, &error);
}

static int cluster_with(struct msprof_cluster_options options)
{
    return msprof_cluster(path, &options, &text, &error);
}

static int next_twice(void)
{
    struct msprof_table_options one = {.size = sizeof one, .top = 1};
    if (msprof_table_open(capture, "ops", &one, &table, &error) < 0 || msprof_table_next(table, &block, &error) != 1 ||
        msprof_table_next(table, &block, &error) != 0)
        return -100;
    const int status = msprof_table_next(table, &block, &error); /* after the end: the end */
    msprof_table_close(table);
    return status;
}

/* A failure stays. */
static int fail_twice(void)
{
    if (msprof_sql(capture,
                   "WITH RECURSIVE more(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more LIMIT 3000)"
                   " SELECT CASE n WHEN 2500 THEN abs(-9223372036854775808) ELSE n END FROM more",
                   &table, &error) < 0)
        return -100;
    int status;
    while ((status = msprof_table_next(table, &block, NULL)) == 1)
        if (block->rows == 0)
            return -101;
    if (status >= 0 || block != NULL)
        return -102;
    const int again = msprof_table_next(table, &block, &error);
    msprof_table_close(table);
    return again == status ? again : -103;
}

/* A stream owns its table, and is read on when the capture is closed; a column that nobody wants goes early. */
static int read_stream(void)
{
    struct msprof_capture *own;
    struct ArrowArrayStream stream;
    struct ArrowArray array;
    int64_t rows = 0;
    if (msprof_open(path, NULL, &own, &error) < 0 || msprof_table_open(own, "ops", NULL, &table, &error) < 0 ||
        msprof_table_arrow(table, &stream, &error) < 0)
        return -100;
    msprof_close(own);
    while (stream.get_next(&stream, &array) == 0 && array.release != NULL) {
        struct ArrowArray moved = *array.children[0]; /* as the specification has it */
        rows += array.length;
        array.children[0]->release = NULL;
        array.release(&array);
        moved.release(&moved);
    }
    stream.release(&stream);
    return rows > 0 ? 0 : -101;
}

static int interrupted_next(void)
{
    msprof_interrupt(NULL);
    msprof_interrupt(capture);
    const int status = facts_with(sizeof(struct msprof_facts)); /* too short to notice it */
    const int then = msprof_tables(capture, each_name, NULL, NULL);
    return status == 0 && then != 0 ? -100 : status == MSPROF_ERROR_INTERRUPTED && then != 0 ? -101 : then;
}

#define CALLS(X)                                                                                                       \
    X(msprof_find(NULL, 0, each_path, NULL, &error), -2, "'directory' is NULL")                                        \
    X(msprof_find(path, 0, NULL, NULL, &error), -2, "'each' is NULL")                                                  \
    X(msprof_find("/nonexistent", 0, each_path, NULL, &error), -3, "/nonexistent")                                     \
    X(msprof_find(path, -7, each_path, NULL, &error), 0, "")                                                           \
    X(msprof_find(path, 0, each_path, &error, &error), 1, "")                                                          \
    X(msprof_open(NULL, NULL, &(struct msprof_capture *){NULL}, &error), -2, "'path' is NULL")                         \
    X(msprof_open(path, NULL, NULL, &error), -2, "'ret' is NULL")                                                      \
    X(msprof_open("", NULL, &(struct msprof_capture *){NULL}, &error), -3, "''")                                       \
    X(msprof_open(path, NULL, NULL, NULL), -2, "")                                                                     \
    X(open_with((struct msprof_open_options){.size = 0}), -2, "size in the options is 0")                              \
    X(open_with((struct msprof_open_options){.size = 7}), -2, "size in the options is 7")                              \
    X(open_with((struct msprof_open_options){.size = 20}), -2, "size in the options is 20")                            \
    X(open_with((struct msprof_open_options){.size = 4096 * 4, .import = MSPROF_IMPORT_STALE}), 0, "")                 \
    X(open_with((struct msprof_open_options){.size = 16, .layouts = "/nonexistent"}), 0, "") /* beyond the size */     \
    X(open_with((struct msprof_open_options){.size = 56, .layouts = "/nonexistent"}), -3, "/nonexistent")              \
    X(open_with((struct msprof_open_options){.size = 56, .import = (enum msprof_import)77}), -2, "77")                 \
    X(open_with((struct msprof_open_options){.size = 56, .results = "/proc/none"}), -3, "/proc/none")                  \
    X(msprof_facts(NULL, &(struct msprof_facts){.size = sizeof(struct msprof_facts)}, &error), -2, "'capture'")        \
    X(msprof_facts(capture, NULL, &error), -2, "'ret'")                                                                \
    X(facts_with(0), -2, "size of struct msprof_facts is 0")                                                           \
    X(facts_with(13), -2, "size of struct msprof_facts is 13")                                                         \
    X(facts_with(16), 0, "")                                                                                           \
    X(msprof_diagnostics(NULL, each_diagnostic, NULL, &error), -2, "'capture'")                                        \
    X(msprof_diagnostics(capture, NULL, NULL, &error), -2, "'each'")                                                   \
    X(msprof_tables(NULL, each_name, NULL, &error), -2, "'capture'")                                                   \
    X(msprof_tables(capture, NULL, NULL, &error), -2, "'each'")                                                        \
    X(msprof_tables(capture, each_name, &error, &error), 1, "")                                                        \
    X(msprof_table_open(NULL, "ops", NULL, &table, &error), -2, "'capture'")                                           \
    X(msprof_table_open(capture, NULL, NULL, &table, &error), -2, "'name'")                                            \
    X(msprof_table_open(capture, "ops", NULL, NULL, &error), -2, "'ret'")                                              \
    X(table_with("", (struct msprof_table_options){.size = sizeof(struct msprof_table_options)}), -2, "no table ''")   \
    X(table_with("ops", (struct msprof_table_options){.size = 1}), -2, "size in the options is 1")                     \
    X(table_with("ops", (struct msprof_table_options){.size = 72, .columns = ","}), -2, "")                            \
    X(table_with("ops", (struct msprof_table_options){.size = 72, .columns = "name,nothing"}), -2, "'nothing'")        \
    X(table_with("ops", (struct msprof_table_options){.size = 72, .sort = "nothing"}), -2, "'nothing'")                \
    X(table_with("ops", (struct msprof_table_options){.size = 72, .filters = (const char *[]){"", NULL}}), -2, "")     \
    X(table_with("ops", (struct msprof_table_options){.size = 72, .filters = (const char *[]){"total >", NULL}}), -2,  \
      "")                                                                                                              \
    X(table_with("ops", (struct msprof_table_options){.size = 72, .step = "x"}), -3, "no step x")                      \
    X(table_with("ops", (struct msprof_table_options){.size = 72, .from = "yesterday"}), -2, "yesterday")              \
    X(table_with("ops", (struct msprof_table_options){.size = 72, .from = "2s", .until = "1s"}), -2, "")               \
    X(table_with("ops", (struct msprof_table_options){.size = 72, .block_rows = SIZE_MAX}), 0, "")                     \
    X(table_with("ops", (struct msprof_table_options){.size = 72, .top = UINT64_MAX}), 0, "")                          \
    X(msprof_sql(NULL, "SELECT 1", &table, &error), -2, "'capture'")                                                   \
    X(msprof_sql(capture, NULL, &table, &error), -2, "'query'")                                                        \
    X(msprof_sql(capture, "SELECT 1", NULL, &error), -2, "'ret'")                                                      \
    X(query(""), -8, "")                                                                                               \
    X(query("SELECT"), -8, "")                                                                                         \
    X(query("SELECT * FROM nothing"), -8, "nothing")                                                                   \
    X(query("DROP TABLE meta"), -8, "more than read")                                                                  \
    X(query("ATTACH '/tmp/x' AS x"), -8, "")                                                                           \
    X(query("PRAGMA writable_schema = 1"), -8, "")                                                                     \
    X(query("SELECT load_extension('x')"), -8, "")                                                                     \
    X(query("SELECT 1; SELECT 2"), -8, "")                                                                             \
    X(msprof_table_next(NULL, &block, &error), -2, "'table'")                                                          \
    X(msprof_table_columns(NULL, &block, &error), -2, "'table'")                                                       \
    X(msprof_table_arrow(NULL, NULL, &error), -2, "'table'")                                                           \
    X(msprof_answer(NULL, "summary", NULL, &text, &error), -2, "'capture'")                                            \
    X(msprof_answer(capture, NULL, NULL, &text, &error), -2, "'question'")                                             \
    X(msprof_answer(capture, "summary", NULL, NULL, &error), -2, "'ret'")                                              \
    X(msprof_answer(capture, "", NULL, &text, &error), -2, "unknown question ''")                                      \
    X(msprof_answer(capture, "diff", NULL, &text, &error), -2, "needs another capture")                                \
    X(msprof_answer(capture, "summary", capture, &text, &error), -2, "is about one capture")                           \
    X(msprof_export(NULL, "db", "out", NULL, NULL, &error), -2, "'capture'")                                           \
    X(msprof_export(capture, NULL, "out", NULL, NULL, &error), -2, "'what'")                                           \
    X(msprof_export(capture, "db", NULL, NULL, NULL, &error), -2, "'directory'")                                       \
    X(msprof_export(capture, "nothing", "out", NULL, NULL, &error), -2, "'nothing'")                                   \
    X(msprof_export(capture, "report", "/proc/none", NULL, NULL, &error), -3, "/proc/none")                            \
    X(msprof_export_bytes(NULL, "report", each_piece, NULL, &error), -2, "'capture'")                                  \
    X(msprof_export_bytes(capture, NULL, each_piece, NULL, &error), -2, "'what'")                                      \
    X(msprof_export_bytes(capture, "report", NULL, NULL, &error), -2, "'write'")                                       \
    X(msprof_export_bytes(capture, "report", each_piece, &error, &error), 1, "")                                       \
    X(msprof_cluster(NULL, NULL, &text, &error), -2, "'directory'")                                                    \
    X(msprof_cluster(path, NULL, NULL, &error), -2, "'ret'")                                                           \
    X(cluster_with((struct msprof_cluster_options){.size = 3}), -2, "size in the options is 3")                        \
    X(cluster_with((struct msprof_cluster_options){.size = 16, .table = "nothing"}), -2, "'nothing'")                  \
    X(next_twice(), 0, "")                                                                                             \
    X(fail_twice(), -8, "")                                                                                            \
    X(read_stream(), 0, "")                                                                                            \
    X(interrupted_next(), 0, "")                                                                                       \
    X((msprof_close(NULL), msprof_table_close(NULL), msprof_free(NULL), msprof_error_free(NULL), 0), 0, "")            \
    X(msprof_error_code(NULL) + msprof_error_message(NULL)[0] + msprof_error_hint(NULL)[0], 0, "")

static int calls, wrong;

static void check(const char *call, int status, int expected, const char *part)
{
    const char *message = error != NULL ? msprof_error_message(error) : "";
    const int told = error != NULL ? msprof_error_code(error) : 0;
    calls++;
    if (status != expected || (error != NULL && (*message == '\0' || told != status)) ||
        strstr(message, part) == NULL) {
        printf("%s: %d, expected %d: %s\n", call, status, expected, message);
        wrong++;
    }
    msprof_error_free(error);
    error = NULL;
}

int main(int argc, char **argv)
{
    path = argc == 2 ? argv[1] : "";
    if (msprof_open(path, NULL, &capture, &error) < 0)
        return 2;
#define CALL(call, expected, part)                                                                                     \
    block = NULL;                                                                                                      \
    table = NULL;                                                                                                      \
    text = NULL;                                                                                                       \
    check(#call, call, expected, part);
    CALLS(CALL)
    msprof_close(capture);
    printf("%d calls\n", calls);
    return wrong > 0;
}
