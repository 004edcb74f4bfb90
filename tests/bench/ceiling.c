/* SPDX-License-Identifier: Apache-2.0 */
/* ceiling: what this machine can do at most, beside which a benchmark's numbers mean something.
 *
 *   ceiling read FILE            reads a file from end to end; prints bytes per second
 *   ceiling write FILE BYTES     writes so many bytes to a new file and removes it; prints bytes per second
 *   ceiling direct FILE BYTES    the same past the page cache (O_DIRECT), as msprof writes long files
 *   ceiling insert FILE ROWS     inserts rows of the shape of device records into a new SQLite database as fast as
 * SQLite takes them, without decoding anything, and removes it; prints rows per second */
#include "base/number.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CHUNK 1048576 /* bytes */
#define COLUMNS 16    /* integers of one device record as it is stored */
#define ROWS_PER_INSERT 100L

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int fail(const char *doing)
{
    fprintf(stderr, "ceiling: %s: %s\n", doing, strerror(errno));
    return 1;
}

static int report(int64_t amount, double seconds)
{
    return printf("%.0f\n", (double)amount / seconds) < 0 ? 1 : 0;
}

static int measure_read(const char *path, char *buffer)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail(path);
    double start = now();
    int64_t total = 0;
    ssize_t n;
    while ((n = read(fd, buffer, CHUNK)) > 0)
        total += n;
    double seconds = now() - start;
    close(fd);
    return n < 0 ? fail(path) : report(total, seconds);
}

/* bytes are rounded down to whole chunks when flags have O_DIRECT. */
static int measure_write(const char *path, int64_t bytes, int flags, char *buffer)
{
    if ((flags & O_DIRECT) != 0)
        bytes -= bytes % CHUNK;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | flags, 0640);
    if (fd < 0)
        return fail(path);
    double start = now();
    int64_t left = bytes;
    while (left > 0) {
        ssize_t n = write(fd, buffer, left < CHUNK ? (size_t)left : CHUNK);
        if (n < 0)
            break;
        left -= n;
    }
    int failed = left > 0 || close(fd) < 0;
    double seconds = now() - start;
    if (failed)
        return fail(path);
    unlink(path);
    return report(bytes, seconds);
}

static int run_sql(sqlite3 *db, const char *sql)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK)
        return 0;
    fprintf(stderr, "ceiling: %s\n", sqlite3_errmsg(db));
    return 1;
}

/* "INSERT INTO record VALUES(?,...),(...)..." for a full batch */
static sqlite3_stmt *prepare_insert(sqlite3 *db)
{
    static char sql[64 + ROWS_PER_INSERT * (2 * COLUMNS + 2)];
    char *p = stpcpy(sql, "INSERT INTO record VALUES");
    for (int row = 0; row < ROWS_PER_INSERT; row++) {
        *p++ = row == 0 ? ' ' : ',';
        for (int column = 0; column < COLUMNS; column++) {
            *p++ = column == 0 ? '(' : ',';
            *p++ = '?';
        }
        *p++ = ')';
    }
    *p = '\0';
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        fprintf(stderr, "ceiling: %s\n", sqlite3_errmsg(db));
    return statement;
}

/* Values of about the magnitudes that device records hold. */
static void bind_batch(sqlite3_stmt *statement, int64_t first_row)
{
    for (int row = 0; row < ROWS_PER_INSERT; row++) {
        int64_t id = first_row + row, cycles = 20000 + id % 997 * 100;
        const int64_t head[] = {id / 1000, 68101320255350 + id * 60000, 60000 + id % 997, 0, id % 1000, cycles};
        for (int column = 0; column < COLUMNS; column++)
            sqlite3_bind_int64(statement, row * COLUMNS + column + 1,
                               column < 6 ? head[column] : cycles * (column + 3) / 20);
    }
}

static int insert_rows(sqlite3 *db, int64_t rows)
{
    if (run_sql(
            db,
            "PRAGMA page_size=65536; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;"
            "CREATE TABLE record(inference_id, start_ns, duration_ns, stream_id, task_id, total_cycle, c1, c2, c3, c4,"
            "c5, c6, c7, c8, ddr_read_bytes, ddr_write_bytes); BEGIN") != 0)
        return 1;
    sqlite3_stmt *statement = prepare_insert(db);
    if (statement == NULL)
        return 1;
    int failed = 0;
    for (int64_t row = 0; failed == 0 && row < rows; row += ROWS_PER_INSERT) {
        bind_batch(statement, row);
        failed = sqlite3_step(statement) != SQLITE_DONE || sqlite3_reset(statement) != SQLITE_OK;
    }
    if (failed != 0)
        fprintf(stderr, "ceiling: %s\n", sqlite3_errmsg(db));
    sqlite3_finalize(statement);
    return failed != 0 ? 1 : run_sql(db, "COMMIT");
}

static int measure_insert(const char *path, int64_t rows)
{
    sqlite3 *db = NULL;
    if (access(path, F_OK) == 0) {
        errno = EEXIST;
        return fail(path);
    }
    sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    int failed = sqlite3_open(path, &db) != SQLITE_OK;
    double start = now();
    if (failed == 0)
        failed = insert_rows(db, rows);
    if (sqlite3_close(db) != SQLITE_OK)
        failed = 1;
    double seconds = now() - start;
    unlink(path);
    rows = (rows + ROWS_PER_INSERT - 1) / ROWS_PER_INSERT * ROWS_PER_INSERT;
    return failed != 0 ? 1 : report(rows, seconds);
}

int main(int argc, char **argv)
{
    int64_t amount = 0;
    char *buffer = aligned_alloc(4096, CHUNK);
    int r = 2;
    if (buffer == NULL)
        return fail("memory");
    memset(buffer, 'x', CHUNK);
    if (argc == 4 && number_parse_integer(argv[3], strlen(argv[3]), &amount) < 0)
        argc = 0;
    if (argc == 3 && strcmp(argv[1], "read") == 0)
        r = measure_read(argv[2], buffer);
    else if (argc == 4 && strcmp(argv[1], "write") == 0)
        r = measure_write(argv[2], amount, 0, buffer);
    else if (argc == 4 && strcmp(argv[1], "direct") == 0)
        r = measure_write(argv[2], amount, O_DIRECT, buffer);
    else if (argc == 4 && strcmp(argv[1], "insert") == 0)
        r = measure_insert(argv[2], amount);
    else
        fputs("usage: ceiling read FILE | write FILE BYTES | direct FILE BYTES | insert FILE ROWS\n", stderr);
    free(buffer);
    return r;
}
