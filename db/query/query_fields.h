/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the queries: which column goes to which member of a struct, said once. A statement is made of such a table,
 * and its rows are read by the same. */
#ifndef MSPROF_DB_QUERY_QUERY_FIELDS_H
#define MSPROF_DB_QUERY_QUERY_FIELDS_H

#include "base/err.h"
#include "base/strbuf.h"
#include "db/database.h"
#include "db/query/query_scan.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum query_field_type {
    FIELD_INTEGER, /* int64_t; DB_NULL for NULL */
    FIELD_FLAG,    /* bool; false for NULL and 0 */
    FIELD_TEXT,    /* const char *; NULL for NULL; lives until the next row */
    FIELD_LENGTH,  /* size_t: bytes of the text of the field before, with sql NULL */
    FIELD_BUFFER,  /* char []; a text that is cut to fit, "" for NULL */
    FIELD_SCANNED  /* struct scanned_text, of a scan only */
};

struct query_field {
    const char *sql; /* an expression */
    size_t offset, size;
    enum query_field_type type;
};

/* The type of the member says how the column is read; a member of another type does not compile. */
#define QUERY_FIELD(type, member, sql)                                                                                   \
    {                                                                                                                    \
        (sql), offsetof(type, member), sizeof(((type *)0)->member), _Generic(((type *)0)->member,                      \
                                                                             int64_t                                   \
                                                                             : FIELD_INTEGER, bool                     \
                                                                             : FIELD_FLAG, const char *                \
                                                                             : FIELD_TEXT, char *                      \
                                                                             : FIELD_BUFFER, struct scanned_text       \
                                                                             : FIELD_SCANNED) \
    }
/* Up to eight members whose columns have their names; `table` is what stands before these: "t.", or "". */
#define QUERY_MEMBERS(type, table, ...)                                                                                \
    QUERY_MEMBERS_PICK(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1, 0)(type, table, __VA_ARGS__)
#define QUERY_MEMBERS_PICK(a, b, c, d, e, f, g, h, count, ...) QUERY_MEMBERS_##count
#define QUERY_MEMBERS_1(type, table, member) QUERY_FIELD(type, member, table #member)
#define QUERY_MEMBERS_2(type, table, member, ...)                                                                      \
    QUERY_MEMBERS_1(type, table, member), QUERY_MEMBERS_1(type, table, __VA_ARGS__)
#define QUERY_MEMBERS_3(type, table, member, ...)                                                                      \
    QUERY_MEMBERS_1(type, table, member), QUERY_MEMBERS_2(type, table, __VA_ARGS__)
#define QUERY_MEMBERS_4(type, table, member, ...)                                                                      \
    QUERY_MEMBERS_1(type, table, member), QUERY_MEMBERS_3(type, table, __VA_ARGS__)
#define QUERY_MEMBERS_5(type, table, member, ...)                                                                      \
    QUERY_MEMBERS_1(type, table, member), QUERY_MEMBERS_4(type, table, __VA_ARGS__)
#define QUERY_MEMBERS_6(type, table, member, ...)                                                                      \
    QUERY_MEMBERS_1(type, table, member), QUERY_MEMBERS_5(type, table, __VA_ARGS__)
#define QUERY_MEMBERS_7(type, table, member, ...)                                                                      \
    QUERY_MEMBERS_1(type, table, member), QUERY_MEMBERS_6(type, table, __VA_ARGS__)
#define QUERY_MEMBERS_8(type, table, member, ...)                                                                      \
    QUERY_MEMBERS_1(type, table, member), QUERY_MEMBERS_7(type, table, __VA_ARGS__)

#define QUERY_LENGTH(type, member)                                                                                     \
    {                                                                                                                  \
        NULL, offsetof(type, member), sizeof(((type *)0)->member),                                                     \
            _Generic(((type *)0)->member, size_t                                                                       \
                     : FIELD_LENGTH)                                                                                   \
    }

struct query_select {
    const struct query_field *fields;
    size_t field_count;
    const char *with; /* what stands before SELECT; NULL: nothing */
    const char *from; /* what stands behind the columns: FROM and so on */
    const char *key;  /* of a scan: the table's INTEGER PRIMARY KEY; NULL: id */
};
#define QUERY_FIELDS(array) .fields = (array), .field_count = sizeof(array) / sizeof *(array)

/* Prepares a select. `behind`, NULL for nothing, stands behind its `from`. The caller finalizes it. */
int query_prepare(sqlite3 *db, const struct query_select *select, const char *behind, sqlite3_stmt **ret,
                  struct err *err);
/* Prepares a select, binds integers (DB_NULL as NULL) and gives each row to each, as query_run does. */
int query_select(sqlite3 *db, const struct query_select *select, const int64_t *parameters, size_t parameter_count,
                 int (*each)(void *arg, sqlite3_stmt *row, struct err *err), void *arg, struct err *err);
/* Fills the struct at ret from a row whose columns of these fields begin at `first`. */
void query_take(sqlite3_stmt *row, int first, const struct query_field *fields, size_t count, void *ret);

/* Fills the struct at ret from the last row; without one it is left as it is. */
int query_select_row(sqlite3 *db, const struct query_select *select, const int64_t *parameters, size_t parameter_count,
                     void *ret, struct err *err);
/* Appends every row to an array: a struct whose members items, count and capacity these are. */
int query_select_all(sqlite3 *db, const struct query_select *select, void *items, size_t *count, size_t *capacity,
                     size_t item_size, struct err *err);
/* Defines give_NAME, which gives rows of a select as structs to the callback of a struct NAME_loop: {each, arg}. */
#define QUERY_GIVE(name, type, select)                                                                                 \
    struct name##_loop {                                                                                               \
        int (*each)(void *arg, const type *item, struct err *err);                                                     \
        void *arg;                                                                                                     \
    };                                                                                                                 \
    static int give_##name(void *arg, sqlite3_stmt *row, struct err *err)                                              \
    {                                                                                                                  \
        const struct name##_loop *loop = arg;                                                                          \
        type item;                                                                                                     \
        query_take(row, 0, (select).fields, (select).field_count, &item);                                              \
        return loop->each(loop->arg, &item, err);                                                                      \
    }
/* Defines a function that gives all rows of a select: of the whole capture, or of a device, which is its ?1. */
#define QUERY_EACH(function, type, select)                                                                             \
    QUERY_GIVE(function, type, select)                                                                                 \
    int function(sqlite3 *db, int (*each)(void *arg, const type *item, struct err *err), void *arg, struct err *err)   \
    {                                                                                                                  \
        struct function##_loop loop = {each, arg};                                                                     \
        return query_select(db, &(select), NULL, 0, give_##function, &loop, err);                                      \
    }
#define QUERY_EACH_OF_DEVICE(function, type, select)                                                                   \
    QUERY_GIVE(function, type, select)                                                                                 \
    int function(sqlite3 *db, int64_t device_id, int (*each)(void *arg, const type *item, struct err *err), void *arg, \
                 struct err *err)                                                                                      \
    {                                                                                                                  \
        struct function##_loop loop = {each, arg};                                                                     \
        return query_select(db, &(select), &device_id, 1, give_##function, &loop, err);                                \
    }

/* Makes a scan of these fields, which are integers and scanned texts: its rows are the structs, whose other members are
 * unset. `also`, NULL for none, are further fields. */
int query_scan_fields(sqlite3 *db, const struct query_select *select, const struct query_select *also,
                      const char *table, size_t struct_size, struct query_scan **ret, struct err *err);

#endif
