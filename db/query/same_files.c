/* SPDX-License-Identifier: Apache-2.0 */
#include "db/query/same_files.h"

#include "base/array.h"
#include "base/words.h"
#include "db/database.h"

#include <string.h>

/* Checksums of its files, ascending. */
static int list_sums(sqlite3 *db, struct words *sums, int64_t *ret_records, struct err *err)
{
    SCOPED(statement_release) sqlite3_stmt *statement = NULL;
    int status =
        database_prepare(db,
                         "SELECT sha256, records_decoded FROM source_file WHERE records_decoded > 0 AND sha256 != ''"
                         " AND kind NOT IN ('hash_dic', 'type_info_dic') ORDER BY sha256",
                         &statement, err);
    int code = SQLITE_DONE;
    while (status == 0 && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        status = words_add(sums, (const char *)sqlite3_column_text(statement, 0), err);
        *ret_records += sqlite3_column_int64(statement, 1);
    }
    return status == 0 && code != SQLITE_DONE ? database_error(err, db, "the database cannot be read") : status;
}

int same_files_count(sqlite3 *first, sqlite3 *second, struct same_files *ret, struct err *err)
{
    SCOPED(words_release) struct words a = {.items = NULL}, b = {.items = NULL};
    *ret = (struct same_files){.equal = 0};
    if (list_sums(first, &a, &ret->first_records, err) < 0 || list_sums(second, &b, &ret->second_records, err) < 0)
        return err_status(err);
    ret->first = a.count;
    ret->second = b.count;
    for (size_t i = 0, k = 0; i < a.count && k < b.count;) {
        int order = strcmp(a.items[i], b.items[k]);
        ret->equal += order == 0;
        i += order <= 0;
        k += order >= 0;
    }
    return 0;
}
