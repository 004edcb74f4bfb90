/* SPDX-License-Identifier: Apache-2.0 */
#include "db/query/same_files.h"

#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/library.h"
#include "base/words.h"
#include "db/database.h"

#include <string.h>

#define SUM_LENGTH 32

/* Checksums of its files with their paths behind them, ascending. */
static int list_sums(sqlite3 *db, struct words *sums, int64_t *ret_records, struct err *err)
{
    SCOPED(statement_release) sqlite3_stmt *statement = NULL;
    int status = database_prepare(
        db,
        "SELECT xxh128 || path, records_decoded FROM source_file WHERE records_decoded > 0"
        " AND length(xxh128) = " AS_TEXT(SUM_LENGTH) " AND kind NOT IN ('hash_dic', 'type_info_dic') ORDER BY 1",
        &statement, err);
    int code = SQLITE_DONE;
    while (status == 0 && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        status = words_add(sums, (const char *)sqlite3_column_text(statement, 0), err);
        *ret_records += sqlite3_column_int64(statement, 1);
    }
    return status == 0 && code != SQLITE_DONE ? database_error(err, db, "cannot read the database") : status;
}

static int open_file(const char *directory, const char *name)
{
    struct err ignored = ERR_INIT;
    SCOPED_FREE char *path = path_join(directory, name);
    return path != NULL ? path_open_regular(path, &ignored) : -1;
}

static bool have_same_bytes(const char *directory, const char *name, const char *other_directory,
                            const char *other_name)
{
    SCOPED_CLOSE int a = open_file(directory, name);
    SCOPED_CLOSE int b = open_file(other_directory, other_name);
    return a < 0 || b < 0 || file_same_bytes(a, b) != 0;
}

int same_files_count(struct made_of first, struct made_of second, struct same_files *ret, struct err *err)
{
    SCOPED(words_release) struct words a = {.items = NULL}, b = {.items = NULL};
    *ret = (struct same_files){.equal = 0};
    if (list_sums(first.db, &a, &ret->first_records, err) < 0 ||
        list_sums(second.db, &b, &ret->second_records, err) < 0)
        return err_status(err);
    ret->first = a.count;
    ret->second = b.count;
    for (size_t i = 0, k = 0; i < a.count && k < b.count;) {
        int order = strncmp(a.items[i], b.items[k], SUM_LENGTH);
        ret->equal += order == 0 && have_same_bytes(first.directory, a.items[i] + SUM_LENGTH, second.directory,
                                                    b.items[k] + SUM_LENGTH);
        i += order <= 0;
        k += order >= 0;
    }
    return 0;
}
