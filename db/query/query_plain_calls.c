/* SPDX-License-Identifier: Apache-2.0 */
#include "db/query/query_plain_calls.h"

#include "base/array.h"
#include "base/file/spool.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/number.h"
#include "base/search.h"
#include "db/query/query_fields.h"
#include "db/query/query_loop.h"

#include <stdlib.h>
#include <string.h>

struct call_row {
    int64_t file_id, start_ns, end_ns, thread_id, process_id, api_type, stream_id;
    struct scanned_text name;
};
#define CALL_FIELDS                                                                                                    \
    QUERY_FIELD(struct call_row, file_id, "file_id"), QUERY_FIELD(struct call_row, start_ns, "start_ns"),              \
        QUERY_FIELD(struct call_row, end_ns, "end_ns"), QUERY_FIELD(struct call_row, thread_id, "thread_id"),          \
        QUERY_FIELD(struct call_row, name, "name")
static const struct query_field acl_fields[] = {
    CALL_FIELDS,
    QUERY_MEMBERS(struct call_row, "", process_id, api_type),
};
static const struct query_field runtime_fields[] = {
    CALL_FIELDS,
    QUERY_FIELD(struct call_row, stream_id, "stream_id"),
};

/* In the order of their calls where these begin and end together. */
static const struct call_table {
    enum plain_layers layer;
    const char *name;
    struct query_select select;
} call_tables[] = {
    {PLAIN_ACL, "acl_call", {QUERY_FIELDS(acl_fields)}},
    {PLAIN_RUNTIME, "runtime_api", {QUERY_FIELDS(runtime_fields)}},
};

#define SORT_MEMORY ((size_t)4 * 1024 * 1024)

struct named_total {
    const char *key; /* an interned name is in one place */
    struct call_total total;
};
struct totals {
    struct map by_name; /* struct named_total */
    int64_t all_ns;
    bool read;
};

struct call_kind {
    struct kind_key {
        int64_t name_number, process_id, thread_id, api_type;
    } key;
    uint32_t number;
};
/* In a spool by the start. */
struct sorted_call {
    int64_t end_ns;
    uint64_t kind;
};

struct first_call {
    struct thread_key {
        int64_t process_id, thread_id;
    } thread;
    struct plain_call call; /* the longest of those that begin first */
    uint64_t number, number_of_longest;
};

struct plain_calls {
    sqlite3 *db;
    struct totals totals[PLAIN_RUNTIME + 1]; /* by layer */
    bool adds_up;                            /* while calls are read to be sorted, too */
    struct ARRAY_OF(int64_t) files;          /* files of the device, ascending */
    int64_t last_file;                       /* of which last_counts says whether it is one */
    bool last_counts;
    struct intern names;
    uint32_t last_name;
    /* Facts of calls other than their times, which many calls share: */
    struct map kinds_by_key; /* struct call_kind */
    struct ARRAY_OF(struct plain_call) kinds;
    uint32_t last_kind;
    struct spool *sorted[PLAIN_RUNTIME + 1]; /* by layer; NULL: nobody asked */
    struct first_calls {
        struct map by_thread;    /* struct first_call */
        struct first_call *last; /* of the latest call, in the map; NULL: none */
        uint64_t calls;
    } threads[PLAIN_RUNTIME + 1]; /* likewise: the first calls of their threads */
    struct spool *operators;      /* by time; NULL: likewise */
    struct spool_item next_operator;
    bool after_operators;
    int64_t from_ns; /* of the latest question about operators */
};

static int take_file(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct plain_calls *calls = arg;
    return array_add(&calls->files, err, query_integer(row, 0));
}

struct plain_calls *plain_calls_new(sqlite3 *db, int64_t device_id, bool adds_up, struct err *err)
{
    struct plain_calls *calls = calloc(1, sizeof *calls);
    if (calls == NULL) {
        err_no_memory(err);
        return NULL;
    }
    calls->db = db;
    calls->adds_up = adds_up;
    calls->last_file = DB_NULL;
    calls->kinds_by_key = (struct map)MAP_OF(struct call_kind, key);
    for (size_t i = 0; i < sizeof calls->totals / sizeof *calls->totals; i++)
        calls->totals[i].by_name = (struct map)MAP_OF(struct named_total, key);
    for (size_t i = 0; i <= PLAIN_RUNTIME; i++)
        calls->threads[i].by_thread = (struct map)MAP_OF(struct first_call, thread);
    if (query_run(db, "SELECT id FROM source_file WHERE device_id = ?1 ORDER BY id", &device_id, 1, take_file, calls,
                  err) == 0)
        return calls;
    plain_calls_free(calls);
    return NULL;
}

void plain_calls_free(struct plain_calls *calls)
{
    if (calls == NULL)
        return;
    for (size_t i = 0; i <= PLAIN_RUNTIME; i++) {
        spool_free(calls->sorted[i]);
        map_release(&calls->threads[i].by_thread);
    }
    for (size_t i = 0; i < sizeof calls->totals / sizeof *calls->totals; i++)
        map_release(&calls->totals[i].by_name);
    spool_free(calls->operators);
    intern_release(&calls->names);
    map_release(&calls->kinds_by_key);
    free(calls->kinds.items);
    free(calls->files.items);
    free(calls);
}

static bool is_of_device(struct plain_calls *calls, int64_t file)
{
    if (file != calls->last_file) {
        size_t at = search_until(calls->files.items, calls->files.count, sizeof *calls->files.items, 0, file);
        calls->last_file = file;
        calls->last_counts = at > 0 && calls->files.items[at - 1] == file;
    }
    return calls->last_counts;
}

struct reading {
    struct plain_calls *calls;
    struct spool *spool;         /* that is being filled; NULL: none */
    struct totals *totals;       /* that are added up; NULL: none */
    struct first_calls *threads; /* that are found */
};

/* Mostly it is that of the call before. */
static int find_name(struct plain_calls *calls, const struct scanned_text *text, struct err *err)
{
    const struct interned *last = calls->names.count > 0 ? &calls->names.items[calls->last_name] : NULL;
    return last != NULL && last->length == (uint64_t)text->length &&
                   memcmp(last->bytes, scanned_text(text), last->length) == 0
               ? 0
               : intern_add(&calls->names, scanned_text(text), (size_t)text->length, &calls->last_name, err);
}

/* ---- added up ---- */

static int add_call(struct totals *totals, const struct plain_call *call, int64_t stream_id, struct err *err)
{
    bool added;
    int64_t duration = number_subtract(call->end_ns, call->start_ns);
    struct named_total *named = map_add(&totals->by_name, &call->name, &added, err);
    if (named == NULL)
        return err_status(err);
    struct call_total *total = &named->total;
    if (added)
        *total = (struct call_total){.name = call->name,
                                     .min_ns = duration,
                                     .first_ns = call->start_ns,
                                     .first_end_ns = call->end_ns,
                                     .last_end_ns = call->end_ns};
    if (added || duration > total->max_ns) {
        total->api_type = call->api_type;
        total->process_id = call->process_id;
        total->thread_id = call->thread_id;
        total->stream_id = stream_id;
        total->max_ns = duration;
    }
    if (call->start_ns < total->first_ns) {
        total->first_ns = call->start_ns;
        total->first_end_ns = call->end_ns;
    }
    total->last_end_ns = call->end_ns > total->last_end_ns ? call->end_ns : total->last_end_ns;
    total->count++;
    total->total_ns = number_add(total->total_ns, duration);
    total->min_ns = duration < total->min_ns ? duration : total->min_ns;
    totals->all_ns = number_add(totals->all_ns, duration);
    return 0;
}

/* ---- sorted ---- */

static int note_thread(struct first_calls *threads, const struct plain_call *call, struct err *err)
{
    const struct thread_key thread = {call->process_id, call->thread_id};
    const uint64_t number = threads->calls++;
    bool added;
    struct first_call *first = threads->last;
    if (first != NULL && first->thread.process_id == thread.process_id && first->thread.thread_id == thread.thread_id &&
        first->call.start_ns < call->start_ns) /* mostly */
        return 0;
    first = threads->last = map_add(&threads->by_thread, &thread, &added, err);
    if (first == NULL)
        return err_status(err);
    if (added || call->start_ns < first->call.start_ns)
        *first = (struct first_call){thread, *call, number, number};
    else if (call->start_ns == first->call.start_ns && call->end_ns > first->call.end_ns)
        *first = (struct first_call){thread, *call, first->number, number};
    return 0;
}

ARRAY_COMPARE(by_first_call, struct first_call, ARRAY_BY(call.start_ns), ARRAY_BY(number))
ARRAY_COMPARE(by_longest, struct first_call, ARRAY_BY(call.start_ns), ARRAY_BY_MOST(call.end_ns),
              ARRAY_BY(number_of_longest))

/* Mostly it is that of the call before. */
static int find_kind(struct plain_calls *calls, const struct plain_call *call, struct err *err)
{
    const struct plain_call *last = calls->kinds.count > 0 ? &calls->kinds.items[calls->last_kind] : NULL;
    if (last != NULL && last->name == call->name && last->thread_id == call->thread_id &&
        last->process_id == call->process_id && last->api_type == call->api_type)
        return 0;
    const struct kind_key key = {call->name != NULL ? call->name_number : DB_NULL, call->process_id, call->thread_id,
                                 call->api_type};
    bool added;
    struct call_kind *kind = map_add(&calls->kinds_by_key, &key, &added, err);
    if (kind == NULL || (added && array_add(&calls->kinds, err, *call) < 0))
        return err_status(err);
    if (added)
        kind->number = (uint32_t)calls->kinds.count - 1;
    calls->last_kind = kind->number;
    return 0;
}

static int sort_call(const struct reading *reading, const struct plain_call *call, struct err *err)
{
    const struct spool_key key = {spool_key_part(call->start_ns), 0};
    if (note_thread(reading->threads, call, err) < 0 || find_kind(reading->calls, call, err) < 0)
        return err_status(err);
    const struct sorted_call sorted = {call->end_ns, reading->calls->last_kind};
    return spool_add(reading->spool, &key, &sorted, sizeof sorted, err);
}

/* The call until the next one is asked for. */
static const struct plain_call *call_of(struct plain_calls *calls, const struct spool_item *item)
{
    const struct sorted_call *sorted = item->record;
    struct plain_call *call = &calls->kinds.items[sorted->kind];
    call->start_ns = spool_key_value(item->key.major);
    call->end_ns = sorted->end_ns;
    return call;
}

/* ---- as the tables have them ---- */

static int take_call(void *arg, int64_t *row, struct err *err)
{
    const struct reading *reading = arg;
    struct plain_calls *calls = reading->calls;
    const struct call_row *read = (const struct call_row *)(void *)row;
    if (!is_of_device(calls, read->file_id))
        return 0;
    struct plain_call call = {
        .start_ns = read->start_ns,
        .end_ns = read->end_ns,
        .process_id = read->process_id,
        .thread_id = read->thread_id,
        .api_type = read->api_type,
    };
    if (read->name.address != DB_NULL) {
        if (find_name(calls, &read->name, err) < 0)
            return err_status(err);
        call.name = calls->names.items[calls->last_name].bytes;
        call.name_number = calls->last_name;
    }
    if (reading->totals != NULL && add_call(reading->totals, &call, read->stream_id, err) < 0)
        return err_status(err);
    return reading->spool != NULL ? sort_call(reading, &call, err) : 0;
}

static int read_calls(struct reading *reading, enum plain_layers layers, struct err *err)
{
    for (size_t i = 0; i < sizeof call_tables / sizeof *call_tables; i++) {
        const struct call_table *table = &call_tables[i];
        struct query_scan *scan = NULL;
        if ((layers & table->layer) == 0)
            continue;
        int status = query_scan_fields(reading->calls->db, &table->select, NULL, table->name, sizeof(struct call_row),
                                       &scan, err);
        status = status == 0 ? query_scan(scan, 1, INT64_MAX, take_call, reading, err) : status;
        query_scan_free(scan);
        if (status != 0)
            return status;
    }
    return 0;
}

static int sort_calls(struct plain_calls *calls, enum plain_layers layer, struct err *err)
{
    struct reading reading = {.calls = calls, .threads = &calls->threads[layer]};
    map_clear(&reading.threads->by_thread);
    reading.threads->last = NULL;
    if (calls->adds_up && !calls->totals[layer].read)
        reading.totals = &calls->totals[layer];
    reading.spool = spool_new(SORT_MEMORY, NULL, err);
    if (reading.spool != NULL && read_calls(&reading, layer, err) == 0 && spool_finish(reading.spool, err) == 0) {
        calls->sorted[layer] = reading.spool;
        if (reading.totals != NULL)
            reading.totals->read = true;
        return 0;
    }
    spool_free(reading.spool);
    return err_status(err);
}

static int begin_calls(struct plain_calls *calls, enum plain_layers layer, struct err *err)
{
    return calls->sorted[layer] == NULL ? sort_calls(calls, layer, err) : spool_rewind(calls->sorted[layer], err);
}

/* ---- of both layers ---- */

/* The first call of each that was not given yet. */
struct both {
    struct plain_calls *calls;
    struct spool *spools[2];
    struct spool_item items[2];
    bool any[2];
};

static int next_of(struct both *both, size_t i, struct err *err)
{
    const int any = spool_next(both->spools[i], &both->items[i], err);
    both->any[i] = any > 0;
    return any < 0 ? any : 0;
}

static bool begins_then(const struct both *both, size_t i, uint64_t start)
{
    return both->any[i] && both->items[i].key.major == start;
}

static int add_by_end(struct spool *spool, const struct plain_call *call, struct err *err)
{
    const struct spool_key key = {~spool_key_part(call->end_ns), 0};
    return spool_add(spool, &key, call, sizeof *call, err);
}

static int sort_together(struct spool *spool, struct both *both, const struct plain_call *first, uint64_t start,
                         struct err *err)
{
    if (add_by_end(spool, first, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < 2; i++) {
        while (begins_then(both, i, start)) {
            if (add_by_end(spool, call_of(both->calls, &both->items[i]), err) < 0 || next_of(both, i, err) < 0)
                return err_status(err);
        }
    }
    return spool_finish(spool, err);
}

/* Gives calls that begin together, the longest first. */
static int give_together(struct both *both, const struct plain_call *first, uint64_t start,
                         int (*each)(void *arg, const struct plain_call *call, struct err *err), void *arg,
                         struct err *err)
{
    struct spool_item item;
    struct spool *spool = spool_new(SORT_MEMORY, NULL, err);
    int status = spool != NULL ? sort_together(spool, both, first, start, err) : err_status(err);
    while (status == 0 && (status = spool_next(spool, &item, err)) > 0)
        status = each(arg, item.record, err);
    spool_free(spool);
    return status;
}

static int each_of_both(struct plain_calls *calls,
                        int (*each)(void *arg, const struct plain_call *call, struct err *err), void *arg,
                        struct err *err)
{
    int status = begin_calls(calls, PLAIN_ACL, err);
    if (status < 0 || begin_calls(calls, PLAIN_RUNTIME, err) < 0)
        return err_status(err);
    struct both both = {.calls = calls, .spools = {calls->sorted[PLAIN_ACL], calls->sorted[PLAIN_RUNTIME]}};
    if (next_of(&both, 0, err) < 0 || next_of(&both, 1, err) < 0)
        return err_status(err);
    while (status == 0 && (both.any[0] || both.any[1])) {
        const size_t next = !both.any[0] || (both.any[1] && both.items[1].key.major < both.items[0].key.major);
        const uint64_t start = both.items[next].key.major;
        const struct plain_call *call = call_of(calls, &both.items[next]);
        if (next_of(&both, next, err) < 0)
            return err_status(err);
        status = begins_then(&both, 0, start) || begins_then(&both, 1, start)
                     ? give_together(&both, call, start, each, arg, err)
                     : each(arg, call, err);
    }
    return status;
}

int plain_calls_each(struct plain_calls *calls, enum plain_layers layers,
                     int (*each)(void *arg, const struct plain_call *call, struct err *err), void *arg, struct err *err)
{
    struct spool_item item;
    if (layers == PLAIN_BOTH)
        return each_of_both(calls, each, arg, err);
    int status = begin_calls(calls, layers, err);
    while (status == 0 && (status = spool_next(calls->sorted[layers], &item, err)) > 0)
        status = each(arg, call_of(calls, &item), err);
    return status;
}

uint64_t plain_calls_count(const struct plain_calls *calls, enum plain_layers layers)
{
    return ((layers & PLAIN_ACL) != 0 ? calls->threads[PLAIN_ACL].calls : 0) +
           ((layers & PLAIN_RUNTIME) != 0 ? calls->threads[PLAIN_RUNTIME].calls : 0);
}

int plain_calls_each_thread(struct plain_calls *calls, enum plain_layers layers,
                            int (*each)(void *arg, const struct plain_call *call, struct err *err), void *arg,
                            struct err *err)
{
    struct ARRAY_OF(struct first_call) threads = {.items = NULL};
    int status = 0;
    for (enum plain_layers layer = PLAIN_ACL; layer <= PLAIN_RUNTIME && status == 0; layer++) {
        if ((layers & layer) == 0)
            continue;
        if (calls->sorted[layer] == NULL)
            status = sort_calls(calls, layer, err);
        for (const struct first_call *of = NULL;
             status == 0 && (of = map_next(&calls->threads[layer].by_thread, of)) != NULL;) {
            struct first_call first = *of;
            first.number_of_longest |= layer == PLAIN_RUNTIME ? UINT64_C(1) << 63 : 0; /* behind those of ACL */
            status = array_add(&threads, err, first);
        }
    }
    if (threads.count > 1)
        array_sort(threads.items, threads.count, sizeof *threads.items,
                   layers == PLAIN_BOTH ? by_longest : by_first_call);
    for (size_t i = 0; i < threads.count && status == 0; i++)
        status = each(arg, &threads.items[i].call, err);
    free(threads.items);
    return status;
}

/* ---- operators ---- */

/* In the spool by time, then as here. */
struct timed_operator {
    int64_t stream_id, task_id, batch_id, id;
};
struct operator_row {
    int64_t file_id, time_ns;
    struct timed_operator of;
};
static const struct query_field operator_fields[] = {
    QUERY_MEMBERS(struct operator_row, "", file_id, time_ns),
    QUERY_FIELD(struct operator_row, of.stream_id, "stream_id"),
    QUERY_FIELD(struct operator_row, of.task_id, "task_id"),
    QUERY_FIELD(struct operator_row, of.batch_id, "batch_id"),
    QUERY_FIELD(struct operator_row, of.id, "id"),
};
static const struct query_select operator_select = {QUERY_FIELDS(operator_fields)};

#define FINDER_MEMORY ((size_t)1024 * 1024)

ARRAY_COMPARE(by_task, struct timed_operator, ARRAY_BY(stream_id), ARRAY_BY(task_id), ARRAY_BY(batch_id), ARRAY_BY(id))

static int add_operator(void *arg, int64_t *row, struct err *err)
{
    struct plain_calls *calls = arg;
    const struct operator_row *read = (const struct operator_row *)(void *)row;
    const struct spool_key key = {spool_key_part(read->time_ns), 0};
    return read->time_ns != DB_NULL && is_of_device(calls, read->file_id)
               ? spool_add(calls->operators, &key, &read->of, sizeof read->of, err)
               : 0;
}

static int sort_operators(struct plain_calls *calls, struct err *err)
{
    struct query_scan *scan = NULL;
    calls->operators = spool_new(FINDER_MEMORY, by_task, err);
    if (calls->operators == NULL)
        return err_status(err);
    int status =
        query_scan_fields(calls->db, &operator_select, NULL, "framework_task", sizeof(struct operator_row), &scan, err);
    status = status == 0 ? query_scan(scan, 1, INT64_MAX, add_operator, calls, err) : status;
    query_scan_free(scan);
    return status == 0 ? spool_finish(calls->operators, err) : status;
}

static int next_operator(struct plain_calls *calls, struct err *err)
{
    int any = spool_next(calls->operators, &calls->next_operator, err);
    calls->after_operators = any <= 0;
    return any < 0 ? any : 0;
}

static int begin_operators(struct plain_calls *calls, struct err *err)
{
    int status = calls->operators == NULL ? sort_operators(calls, err) : spool_rewind(calls->operators, err);
    return status == 0 ? next_operator(calls, err) : status;
}

static int64_t time_of_next(const struct plain_calls *calls)
{
    return spool_key_value(calls->next_operator.key.major);
}

int plain_calls_find_operator(struct plain_calls *calls, int64_t from_ns, int64_t until_ns, bool *ret_found,
                              struct reported_operator *ret, struct err *err)
{
    int status = calls->operators == NULL || from_ns < calls->from_ns ? begin_operators(calls, err) : 0;
    calls->from_ns = from_ns;
    while (status == 0 && !calls->after_operators && time_of_next(calls) <= from_ns)
        status = next_operator(calls, err);
    *ret_found = status == 0 && !calls->after_operators && time_of_next(calls) < until_ns;
    if (*ret_found) {
        const struct timed_operator *found = calls->next_operator.record;
        *ret = (struct reported_operator){found->stream_id, found->task_id};
    }
    return status;
}

/* ---- totals ---- */

/* Puts calls without a name first. */
static int by_name(const void *a, const void *b)
{
    const struct call_total *x = &((const struct named_total *)a)->total, *y = &((const struct named_total *)b)->total;
    if (x->name == NULL || y->name == NULL)
        return (x->name != NULL) - (y->name != NULL);
    return strcmp(x->name, y->name);
}

/* Import takes captures of at most 65536 functions. */
int plain_calls_each_total(struct plain_calls *calls, enum plain_layers layer,
                           int (*each)(void *arg, const struct call_total *total, struct err *err), void *arg,
                           struct err *err)
{
    struct totals *totals = &calls->totals[layer];
    struct reading reading = {.calls = calls, .totals = totals};
    int status = totals->read ? 0 : read_calls(&reading, layer, err);
    totals->read = true;
    struct named_total *list = status == 0 ? map_items(&totals->by_name, err) : NULL;
    size_t count = list != NULL ? totals->by_name.used : 0;
    if (list == NULL)
        status = err_status(err);
    array_sort(list, count, sizeof *list, by_name);
    for (size_t i = 0; i < count && status == 0; i++) {
        list[i].total.all_ns = totals->all_ns;
        status = each(arg, &list[i].total, err);
    }
    free(list);
    return status;
}
