/* SPDX-License-Identifier: Apache-2.0 */
#include "db/query/query_fields.h"

#include "base/array.h"
#include "db/query/query_loop.h"

#include <stdio.h>
#include <string.h>

#define SQL_LIMIT ((size_t)64 * 1024)

static int write_select(const struct query_select *select, const char *behind, struct strbuf *sql, struct err *err)
{
    strbuf_init(sql, SQL_LIMIT);
    if (select->with != NULL)
        strbuf_addf(sql, "%s ", select->with);
    for (size_t i = 0; i < select->field_count; i++) {
        if (select->fields[i].type != FIELD_LENGTH)
            strbuf_addf(sql, "%s%s", i > 0 ? ", " : "SELECT ", select->fields[i].sql);
    }
    strbuf_addf(sql, " %s%s", select->from, behind != NULL ? behind : "");
    return sql->failed ? err_no_memory(err) : 0;
}

int query_prepare(sqlite3 *db, const struct query_select *select, const char *behind, sqlite3_stmt **ret,
                  struct err *err)
{
    struct strbuf sql;
    int status = write_select(select, behind, &sql, err);
    if (status == 0)
        status = database_prepare(db, sql.data, ret, err);
    strbuf_release(&sql);
    return status;
}

int query_select(sqlite3 *db, const struct query_select *select, const int64_t *parameters, size_t parameter_count,
                 int (*each)(void *arg, sqlite3_stmt *row, struct err *err), void *arg, struct err *err)
{
    struct strbuf sql;
    int status = write_select(select, NULL, &sql, err);
    if (status == 0)
        status = query_run(db, sql.data, parameters, parameter_count, each, arg, err);
    strbuf_release(&sql);
    return status;
}

void query_take(sqlite3_stmt *row, int first, const struct query_field *fields, size_t count, void *ret)
{
    int column = first - 1;
    for (size_t i = 0; i < count; i++) {
        void *member = (char *)ret + fields[i].offset;
        const char *text;
        switch (fields[i].type) {
        case FIELD_INTEGER:
            *(int64_t *)member = query_integer(row, ++column);
            break;
        case FIELD_FLAG:
            *(bool *)member = sqlite3_column_int64(row, ++column) != 0;
            break;
        case FIELD_TEXT:
            *(const char **)member = query_text(row, ++column);
            break;
        case FIELD_LENGTH:
            *(size_t *)member = (size_t)sqlite3_column_bytes(row, column);
            break;
        case FIELD_BUFFER:
            text = query_text(row, ++column);
            snprintf(member, fields[i].size, "%s", text != NULL ? text : "");
            break;
        case FIELD_SCANNED:
            break;
        }
    }
}

struct taking {
    const struct query_select *select;
    void *to; /* a struct, or a pointer to the first of them */
    size_t *count, *capacity, item_size;
};

static int take_row(void *arg, sqlite3_stmt *row, struct err *err)
{
    (void)err;
    const struct taking *taking = arg;
    query_take(row, 0, taking->select->fields, taking->select->field_count, taking->to);
    return 0;
}

int query_select_row(sqlite3 *db, const struct query_select *select, const int64_t *parameters, size_t parameter_count,
                     void *ret, struct err *err)
{
    struct taking taking = {.select = select, .to = ret};
    return query_select(db, select, parameters, parameter_count, take_row, &taking, err);
}

static int append_row(void *arg, sqlite3_stmt *row, struct err *err)
{
    const struct taking *taking = arg;
    char *first;
    if (*taking->count == *taking->capacity &&
        array_grow(taking->to, taking->capacity, *taking->count, 1, taking->item_size, err) < 0)
        return err_status(err);
    memcpy(&first, taking->to, sizeof first); /* through its bytes: it is a pointer to another type */
    query_take(row, 0, taking->select->fields, taking->select->field_count,
               first + (*taking->count)++ * taking->item_size);
    return 0;
}

int query_select_all(sqlite3 *db, const struct query_select *select, void *items, size_t *count, size_t *capacity,
                     size_t item_size, struct err *err)
{
    struct taking taking = {select, items, count, capacity, item_size};
    return query_select(db, select, NULL, 0, append_row, &taking, err);
}

int query_scan_fields(sqlite3 *db, const struct query_select *select, const struct query_select *also,
                      const char *table, size_t struct_size, struct query_scan **ret, struct err *err)
{
    struct scan_column columns[SCAN_COLUMNS_MAX];
    const char *key = select->key != NULL ? select->key : "id";
    size_t count = 0;
    for (; select != NULL; select = also, also = NULL) {
        for (size_t i = 0; i < select->field_count && count < SCAN_COLUMNS_MAX; i++) {
            const struct query_field *field = &select->fields[i];
            columns[count++] =
                (struct scan_column){field->sql, field->offset / sizeof(int64_t), field->type == FIELD_SCANNED};
        }
    }
    return query_scan_new_by(db, table, key, NULL, columns, count, struct_size / sizeof(int64_t), ret, err);
}
