/* SPDX-License-Identifier: Apache-2.0 */
#include "db/query/query_plain_calls.h"

#include "base/array.h"
#include "base/number.h"
#include "db/query/query_fields.h"
#include "db/query/query_loop.h"

#include <stdlib.h>
#include <string.h>

static const struct query_field acl_call_fields[] = {
    QUERY_FIELD(struct plain_call, name, "c.name"),
    QUERY_FIELD(struct plain_call, start_ns, "c.start_ns"),
    QUERY_FIELD(struct plain_call, end_ns, "c.end_ns"),
    QUERY_FIELD(struct plain_call, process_id, "c.process_id"),
    QUERY_FIELD(struct plain_call, thread_id, "c.thread_id"),
    QUERY_FIELD(struct plain_call, api_type, "c.api_type"),
};
static const struct query_field runtime_call_fields[] = {
    QUERY_FIELD(struct plain_call, name, "c.name"),           QUERY_FIELD(struct plain_call, start_ns, "c.start_ns"),
    QUERY_FIELD(struct plain_call, end_ns, "c.end_ns"),       QUERY_FIELD(struct plain_call, process_id, "NULL"),
    QUERY_FIELD(struct plain_call, thread_id, "c.thread_id"), QUERY_FIELD(struct plain_call, api_type, "NULL"),
};
static const struct query_field any_call_fields[] = {
    QUERY_FIELD(struct plain_call, name, "name"),           QUERY_FIELD(struct plain_call, start_ns, "start_ns"),
    QUERY_FIELD(struct plain_call, end_ns, "end_ns"),       QUERY_FIELD(struct plain_call, process_id, "process_id"),
    QUERY_FIELD(struct plain_call, thread_id, "thread_id"), QUERY_FIELD(struct plain_call, api_type, "api_type"),
};

#define ACL_CALLS "FROM acl_call c JOIN source_file f ON f.id = c.file_id WHERE f.device_id = ?1"
#define RUNTIME_CALLS "FROM runtime_api c JOIN source_file f ON f.id = c.file_id WHERE f.device_id = ?1"

static const struct query_select acl_calls = {QUERY_FIELDS(acl_call_fields),
                                              .from = ACL_CALLS " ORDER BY c.start_ns, c.id"};
static const struct query_select runtime_calls = {QUERY_FIELDS(runtime_call_fields),
                                                  .from = RUNTIME_CALLS " ORDER BY c.start_ns, c.id"};
static const struct query_select all_calls = {
    QUERY_FIELDS(any_call_fields),
    .from =
        "FROM (SELECT c.name, c.start_ns, c.end_ns, c.process_id, c.thread_id, c.api_type, 0 AS layer, c.id " ACL_CALLS
        " UNION ALL SELECT c.name, c.start_ns, c.end_ns, NULL, c.thread_id, NULL, 1, c.id " RUNTIME_CALLS
        ") ORDER BY start_ns, end_ns DESC, layer, id"};

struct call_loop {
    const struct query_select *select;
    plain_call_each each;
    void *arg;
};

static int give_call(void *arg, sqlite3_stmt *row, struct err *err)
{
    const struct call_loop *loop = arg;
    struct plain_call call;
    query_take(row, 0, loop->select->fields, loop->select->field_count, &call);
    return loop->each(loop->arg, &call, err);
}

static int each_call(sqlite3 *db, const struct query_select *select, int64_t device_id, plain_call_each each, void *arg,
                     struct err *err)
{
    struct call_loop loop = {select, each, arg};
    return query_select(db, select, &device_id, 1, give_call, &loop, err);
}

int plain_each_acl_call(sqlite3 *db, int64_t device_id, plain_call_each each, void *arg, struct err *err)
{
    return each_call(db, &acl_calls, device_id, each, arg, err);
}

int plain_each_runtime_call(sqlite3 *db, int64_t device_id, plain_call_each each, void *arg, struct err *err)
{
    return each_call(db, &runtime_calls, device_id, each, arg, err);
}

int plain_each_call(sqlite3 *db, int64_t device_id, plain_call_each each, void *arg, struct err *err)
{
    return each_call(db, &all_calls, device_id, each, arg, err);
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
