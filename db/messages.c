/* SPDX-License-Identifier: Apache-2.0 */
#include "db/messages.h"

#include "base/utf8.h"
#include "db/database.h"
#include "db/query/query_loop.h"

#include <stddef.h>

/* Pieces may come in any order. A mark number that comes again begins a new message with each first piece. */
static const char find_pieces[] =
    "CREATE TEMP TABLE piece AS SELECT id, process_id, thread_id, coalesce(mark_id, 0) AS mark, segment, message"
    "  FROM msproftx WHERE segment > 0";
static const char join_pieces[] =
    "INSERT INTO piece SELECT id, process_id, thread_id, coalesce(mark_id, 0), segment, message FROM msproftx"
    "  WHERE segment = 0 AND (process_id, thread_id, coalesce(mark_id, 0)) IN"
    "  (SELECT process_id, thread_id, mark FROM piece);"
    "CREATE TEMP TABLE numbered AS SELECT *, max(1, sum(segment = 0) OVER"
    "  (PARTITION BY process_id, thread_id, mark ORDER BY id)) AS number FROM piece;"
    "CREATE TEMP TABLE whole AS SELECT id, mark, min(segment) AS first, last, count(*) AS pieces,"
    "  substr(group_concat(message, ''), 1, 16384) AS message FROM (SELECT *, max(segment) OVER"
    "    (PARTITION BY process_id, thread_id, mark, number) AS last FROM numbered"
    "    ORDER BY process_id, thread_id, mark, number, segment, id)"
    "  GROUP BY process_id, thread_id, mark, number;"
    "CREATE INDEX temp.whole_by_id ON whole(id);"
    "UPDATE msproftx SET message = (SELECT w.message FROM whole w WHERE w.id = msproftx.id)"
    "  WHERE id IN (SELECT id FROM whole);"
    "DELETE FROM msproftx WHERE id IN (SELECT id FROM numbered EXCEPT SELECT id FROM whole);";

static int report(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct diagnostics *diag = arg;
    (void)err;
    struct place place = {query_text(row, 0), -1, -1, NULL};
    diag_report(diag, DIAG_MESSAGE_INCOMPLETE, &place, "%lld pieces of the message of mark %lld; expected %lld",
                (long long)query_integer(row, 2), (long long)query_integer(row, 1), (long long)query_integer(row, 3));
    return 0;
}

/* SQL's safe_text(message): without what could drive a terminal or break a reader, as names are. */
static void safe_text(sqlite3_context *context, int count, sqlite3_value **values)
{
    const char *text = (const char *)sqlite3_value_text(values[0]);
    size_t length = (size_t)sqlite3_value_bytes(values[0]);
    (void)count;
    if (text == NULL || utf8_first_unsafe(text, length) == length) {
        sqlite3_result_value(context, values[0]);
        return;
    }
    char *safe = sqlite3_malloc64((sqlite3_uint64)length * UTF8_SAFE_EXPANSION);
    if (safe == NULL)
        sqlite3_result_error_nomem(context);
    else
        sqlite3_result_text(context, safe, (int)utf8_make_safe(text, length, safe), sqlite3_free);
}

/* Behind the joining, because two pieces may share a character. */
static int make_safe(sqlite3 *db, struct diagnostics *diag, struct err *err)
{
    if (sqlite3_create_function(db, "safe_text", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, safe_text, NULL, NULL) !=
        SQLITE_OK)
        return database_error(err, db, "cannot make the function safe_text");
    int status =
        database_exec(db, "UPDATE msproftx SET message = safe_text(message) WHERE message != safe_text(message)", err);
    int64_t changed = status == 0 ? sqlite3_changes64(db) : 0;
    if (changed > 0)
        diag_report(diag, DIAG_TEXT_UNSAFE, NULL, "table msproftx: %lld texts", (long long)changed);
    return status;
}

static int join_pieces_of(sqlite3 *db, struct diagnostics *diag, struct err *err)
{
    int64_t pieces = 0;
    int status = database_exec(db, find_pieces, err);
    if (status == 0)
        status = query_number(db, "SELECT count(*) FROM piece", &pieces, err);
    if (status == 0 && pieces == 0)
        return database_exec(db, "DROP TABLE piece", err);
    if (status == 0)
        status = database_exec(db, join_pieces, err);
    if (status == 0)
        status = query_run(db,
                           "SELECT f.path, w.mark, w.pieces, w.last + 1 FROM whole w JOIN msproftx m ON m.id = w.id"
                           "  JOIN source_file f ON f.id = m.file_id WHERE w.pieces != w.last + 1 ORDER BY w.id",
                           NULL, 0, report, diag, err);
    return status == 0 ? database_exec(db, "DROP TABLE whole; DROP TABLE numbered; DROP TABLE piece", err) : status;
}

int db_join_messages(sqlite3 *db, struct diagnostics *diag, struct err *err)
{
    int status = join_pieces_of(db, diag, err);
    if (status == 0)
        status = make_safe(db, diag, err);
    if (status == 0 && diag_is_fatal(diag))
        status = diag_fatal_error(diag, err);
    return status;
}
