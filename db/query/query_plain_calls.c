/* SPDX-License-Identifier: Apache-2.0 */
#include "db/query/query_plain_calls.h"

#include "base/array.h"
#include "base/file/spool.h"
#include "base/intern.h"
#include "base/number.h"
#include "base/search.h"
#include "db/query/query_fields.h"
#include "db/query/query_loop.h"

#include <stdlib.h>
#include <string.h>

#define ACL_CALLS "FROM acl_call c JOIN source_file f ON f.id = c.file_id WHERE f.device_id = ?1"
#define RUNTIME_CALLS "FROM runtime_api c JOIN source_file f ON f.id = c.file_id WHERE f.device_id = ?1"

/* Calls in the order of their tables, with columns in the order of enum call_column. */
enum { ACL_LAYER = 1, RUNTIME_LAYER = 2 };
static const struct call_table {
    unsigned layer;
    const char *rows;
} call_tables[] = {
    {ACL_LAYER, "SELECT file_id, start_ns, end_ns, thread_id, name, process_id, api_type FROM acl_call ORDER BY id"},
    {RUNTIME_LAYER, "SELECT file_id, start_ns, end_ns, thread_id, name, NULL, NULL FROM runtime_api ORDER BY id"},
};
enum call_column { CALL_FILE, CALL_START, CALL_END, CALL_THREAD, CALL_NAME, CALL_PROCESS, CALL_TYPE };

#define SORT_MEMORY ((size_t)4 * 1024 * 1024)

/* The calls of a device on their way into order. */
struct sorting {
    struct {
        int64_t *items; /* files of the device, ascending */
        size_t count, capacity;
    } files;
    int64_t last_file; /* of which last_counts says whether it is one */
    bool last_counts;
    bool longest_first; /* of calls with the same start */
    struct intern names;
    struct spool *calls;
};

static int take_file(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct sorting *sorting = arg;
    if (array_reserve(&sorting->files, 1, err) < 0)
        return -(int)err->code;
    sorting->files.items[sorting->files.count++] = query_integer(row, 0);
    return 0;
}

static bool is_of_device(struct sorting *sorting, int64_t file)
{
    if (file != sorting->last_file) {
        size_t at = search_until(sorting->files.items, sorting->files.count, sizeof *sorting->files.items, 0, file);
        sorting->last_file = file;
        sorting->last_counts = at > 0 && sorting->files.items[at - 1] == file;
    }
    return sorting->last_counts;
}

static int keep_name(struct sorting *sorting, sqlite3_stmt *row, const char **ret, struct err *err)
{
    const char *text = query_text(row, CALL_NAME);
    uint32_t number;
    *ret = NULL;
    if (text == NULL)
        return 0;
    if (intern_add(&sorting->names, text, (size_t)sqlite3_column_bytes(row, CALL_NAME), &number, err) < 0)
        return -(int)err->code;
    *ret = sorting->names.items[number].bytes;
    return 0;
}

static int sort_call(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct sorting *sorting = arg;
    if (!is_of_device(sorting, query_integer(row, CALL_FILE)))
        return 0;
    struct plain_call call = {
        .start_ns = query_integer(row, CALL_START),
        .end_ns = query_integer(row, CALL_END),
        .process_id = query_integer(row, CALL_PROCESS),
        .thread_id = query_integer(row, CALL_THREAD),
        .api_type = query_integer(row, CALL_TYPE),
    };
    const struct spool_key key = {spool_key_part(call.start_ns),
                                  sorting->longest_first ? ~spool_key_part(call.end_ns) : 0};
    int status = keep_name(sorting, row, &call.name, err);
    return status == 0 ? spool_add(sorting->calls, &key, &call, sizeof call, err) : status;
}

static int give_calls(struct spool *calls, plain_call_each each, void *arg, struct err *err)
{
    struct spool_item item;
    int status = spool_finish(calls, err);
    while (status == 0 && (status = spool_next(calls, &item, err)) > 0)
        status = each(arg, item.record, err);
    return status;
}

/* Calls of these layers, by start, and by their tables and rows. */
static int each_call(sqlite3 *db, unsigned layers, int64_t device_id, plain_call_each each, void *arg, struct err *err)
{
    struct sorting sorting = {.last_file = DB_NULL, .longest_first = layers == (ACL_LAYER | RUNTIME_LAYER)};
    int status = query_run(db, "SELECT id FROM source_file WHERE device_id = ?1 ORDER BY id", &device_id, 1, take_file,
                           &sorting, err);
    if (status == 0 && (sorting.calls = spool_new(SORT_MEMORY, NULL, err)) == NULL)
        status = -(int)err->code;
    for (size_t i = 0; i < sizeof call_tables / sizeof *call_tables && status == 0; i++) {
        if ((layers & call_tables[i].layer) != 0)
            status = query_run(db, call_tables[i].rows, NULL, 0, sort_call, &sorting, err);
    }
    if (status == 0)
        status = give_calls(sorting.calls, each, arg, err);
    spool_free(sorting.calls);
    intern_release(&sorting.names);
    free(sorting.files.items);
    return status;
}

int plain_each_acl_call(sqlite3 *db, int64_t device_id, plain_call_each each, void *arg, struct err *err)
{
    return each_call(db, ACL_LAYER, device_id, each, arg, err);
}

int plain_each_runtime_call(sqlite3 *db, int64_t device_id, plain_call_each each, void *arg, struct err *err)
{
    return each_call(db, RUNTIME_LAYER, device_id, each, arg, err);
}

int plain_each_call(sqlite3 *db, int64_t device_id, plain_call_each each, void *arg, struct err *err)
{
    return each_call(db, ACL_LAYER | RUNTIME_LAYER, device_id, each, arg, err);
}

/* ---- totals ---- */

#define TOTAL_FIELDS                                                                                                   \
    QUERY_FIELD(struct call_total, name, "c.name"),                                                                    \
        QUERY_FIELD(struct call_total, total_ns, "sum(c.end_ns - c.start_ns)"),                                        \
        QUERY_FIELD(struct call_total, count, "count(*)"),                                                             \
        QUERY_FIELD(struct call_total, min_ns, "min(c.end_ns - c.start_ns)"),                                          \
        QUERY_FIELD(struct call_total, max_ns, "max(c.end_ns - c.start_ns)"),                                          \
        QUERY_FIELD(struct call_total, thread_id, "c.thread_id")

static const struct query_field acl_total_fields[] = {
    TOTAL_FIELDS,
    QUERY_FIELD(struct call_total, stream_id, "NULL"),
    QUERY_FIELD(struct call_total, api_type, "c.api_type"),
    QUERY_FIELD(struct call_total, process_id, "c.process_id"),
};
static const struct query_select acl_totals = {QUERY_FIELDS(acl_total_fields),
                                               .from = ACL_CALLS " GROUP BY c.name ORDER BY c.name"};

/* The stream and thread are those of the longest call. */
static const struct query_field runtime_total_fields[] = {
    TOTAL_FIELDS,
    QUERY_FIELD(struct call_total, stream_id, "c.stream_id"),
    QUERY_FIELD(struct call_total, api_type, "NULL"),
    QUERY_FIELD(struct call_total, process_id, "NULL"),
};
static const struct query_select runtime_totals = {QUERY_FIELDS(runtime_total_fields),
                                                   .from = RUNTIME_CALLS " GROUP BY c.name ORDER BY c.name"};

/* Import takes captures of at most 65536 functions. */
struct total_list {
    const struct query_select *select;
    struct kept_total {
        struct call_total total;
        char *name; /* total's */
    } * items;
    size_t count, capacity;
    int64_t all_ns;
};

static int keep_total(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct total_list *list = arg;
    if (array_reserve(list, 1, err) < 0)
        return -(int)err->code;
    struct kept_total *kept = &list->items[list->count];
    query_take(row, 0, list->select->fields, list->select->field_count, &kept->total);
    kept->name = kept->total.name != NULL ? strdup(kept->total.name) : NULL;
    if (kept->total.name != NULL && kept->name == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    kept->total.name = kept->name;
    list->all_ns = number_add(list->all_ns, kept->total.total_ns);
    list->count++;
    return 0;
}

static int each_total(sqlite3 *db, const struct query_select *select, int64_t device_id, call_total_each each,
                      void *arg, struct err *err)
{
    struct total_list list = {.select = select};
    int status = query_select(db, select, &device_id, 1, keep_total, &list, err);
    for (size_t i = 0; i < list.count && status == 0; i++) {
        list.items[i].total.all_ns = list.all_ns;
        status = each(arg, &list.items[i].total, err);
    }
    for (size_t i = 0; i < list.count; i++)
        free(list.items[i].name);
    free(list.items);
    return status;
}

int plain_each_acl_total(sqlite3 *db, int64_t device_id, call_total_each each, void *arg, struct err *err)
{
    return each_total(db, &acl_totals, device_id, each, arg, err);
}

int plain_each_runtime_total(sqlite3 *db, int64_t device_id, call_total_each each, void *arg, struct err *err)
{
    return each_total(db, &runtime_totals, device_id, each, arg, err);
}
