/* SPDX-License-Identifier: Apache-2.0 */
/* Operators by how long they were launched, waited and ran. */
#include "analysis/compare/statistics.h"
#include "base/array.h"
#include "base/map.h"
#include "base/number.h"
#include "base/search.h"
#include "db/query/query_loop.h"
#include "exporters/table/report.h"

#include <stddef.h>
#include <stdlib.h>

enum phase { PHASE_LAUNCH, PHASE_QUEUE, PHASE_KERNEL, PHASES };

/* Everything of one operator. */
struct phased {
    int64_t name, type; /* ids */
    int64_t count, total_ns, ns[PHASES];
    struct durations queued;
};

struct shown {
    double share; /* of 10000 */
    struct phased of;
    struct series queue;
    const char *name, *type;
};

static const struct report_column columns[] = {
    {"Share(%)", SHOWN(share), FORM_SCALED, 2, .doc = "Share of the total of all rows."},
    {"Total(us)", SHOWN(of.total_ns), FORM_SCALED, 3,
     .doc = "From the begin of the call that launched a task to the task's end, all executions."},
    {"Launch(us)", SHOWN(of.ns[PHASE_LAUNCH]), FORM_SCALED, 3,
     .doc = "Part of the call, until it ended or the task began."},
    {"Queue(us)", SHOWN(of.ns[PHASE_QUEUE]), FORM_SCALED, 3, .doc = "From the end of the call to the task's begin."},
    {"Kernel(us)", SHOWN(of.ns[PHASE_KERNEL]), FORM_SCALED, 3, .doc = "The task itself."},
    {"Count", SHOWN(of.count), .flags = REPORT_NUMBER, .doc = "How often it ran and its launch is known."},
    {"Median queue(us)", SHOWN(queue.median), FORM_SCALED, 3, .doc = "Half of the executions waited no longer."},
    {"Longest queue(us)", SHOWN(queue.maximum), FORM_SCALED, 3, .flags = REPORT_NARROW, .doc = "The longest wait."},
    {"Type", SHOWN(type), .flags = REPORT_NARROW, .doc = "The type of the operator."},
    {"Name", SHOWN(name), .doc = "The operator."},
    {.title = NULL},
};

struct launch {
    int64_t connection, start_ns, end_ns;
};

struct known_operator {
    struct phase_key {
        int64_t name, type;
    } key;
    size_t index;
};

struct phases {
    struct {
        struct launch *items; /* by connection */
        size_t count, capacity;
    } launches;
    struct phased *items;
    size_t count, capacity;
    struct map known;
    double total_ns;
};

static int take_launch(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct phases *phases = arg;
    int64_t start_ns = query_integer(row, 1);
    if (array_reserve(&phases->launches, 1, err) < 0)
        return -(int)err->code;

    phases->launches.items[phases->launches.count++] =
        (struct launch){query_integer(row, 0), start_ns, number_add(start_ns, query_integer(row, 2))};
    return 0;
}

/* Puts the first call of each connection in front. */
static int by_connection(const void *a, const void *b)
{
    const struct launch *x = a, *y = b;

    return x->connection != y->connection ? array_order(x->connection, y->connection)
                                          : array_order(x->start_ns, y->start_ns);
}

static const struct launch *find_launch(const struct phases *phases, int64_t connection)
{
    size_t low = search_from(phases->launches.items, phases->launches.count, sizeof *phases->launches.items,
                             offsetof(struct launch, connection), connection);
    bool found = low < phases->launches.count && phases->launches.items[low].connection == connection;
    return found ? &phases->launches.items[low] : NULL;
}

static struct phased *find_operator(struct phases *phases, const struct phase_key *key, struct err *err)
{
    bool added;
    struct known_operator *known = map_add(&phases->known, key, &added, err);

    if (known == NULL)
        return NULL;
    if (added) {
        if (array_reserve(phases, 1, err) != 0)
            return NULL;
        known->index = phases->count;
        phases->items[phases->count++] = (struct phased){.name = key->name, .type = key->type};
    }
    return &phases->items[known->index];
}

static int take_task(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct phases *phases = arg;
    const struct phase_key key = {query_integer(row, 0), query_integer(row, 1)};
    const struct launch *launch = find_launch(phases, query_integer(row, 2));
    int64_t start_ns = query_integer(row, 3), kernel_ns = query_integer(row, 4);

    if (launch == NULL || start_ns < launch->start_ns) /* a task that began before its call was launched by another */
        return 0;
    struct phased *it = find_operator(phases, &key, err);
    if (it == NULL)
        return -(int)err->code;
    int64_t launched_ns = launch->end_ns < start_ns ? launch->end_ns : start_ns;
    int64_t parts[PHASES] = {number_subtract(launched_ns, launch->start_ns), number_subtract(start_ns, launched_ns),
                             kernel_ns};
    it->count++;
    for (int phase = 0; phase < PHASES; phase++) {
        it->ns[phase] = number_add(it->ns[phase], parts[phase]);
        it->total_ns = number_add(it->total_ns, parts[phase]);
        phases->total_ns += (double)parts[phase];
    }
    return durations_add(&it->queued, parts[PHASE_QUEUE], err);
}

static int by_total(const void *a, const void *b)
{
    const struct phased *x = a, *y = b;

    if (x->total_ns != y->total_ns)
        return x->total_ns > y->total_ns ? -1 : 1;
    return x->name != y->name ? array_order(x->name, y->name) : array_order(x->type, y->type);
}

static int put_phases(struct report_run *run, struct phases *phases, struct err *err)
{
    const struct cann_texts *names = report_names(run->session, true, err);
    bool failed = false;

    if (names == NULL)
        return -(int)err->code;
    if (phases->count > 0)
        array_sort(phases->items, phases->count, sizeof *phases->items, by_total);
    for (size_t i = 0; !failed && i < phases->count; i++) {
        struct phased *it = &phases->items[i];
        struct shown row = {.share = phases->total_ns > 0 ? (double)it->total_ns / phases->total_ns * 1e4 : 0,
                            .of = *it,
                            .name = cann_text(names, it->name, 0).text,
                            .type = cann_text(names, it->type, 0).text};
        failed = series_make(&row.queue, it->queued.items, it->queued.count, err) < 0 || report_put(run, &row, err) < 0;
        series_release(&row.queue);
    }
    return failed ? -(int)err->code : 0;
}

static int put_rows(struct report_run *run, struct err *err)
{
    struct phases phases = {.known = MAP_OF(struct known_operator, key)};
    bool failed = query_run(run->session->db,
                            "SELECT connection_id, start_ns, duration_ns FROM host_call WHERE launches = 1"
                            " AND connection_id IS NOT NULL AND start_ns IS NOT NULL AND duration_ns >= 0",
                            NULL, 0, take_launch, &phases, err) < 0;

    if (!failed && phases.launches.count > 0) {
        array_sort(phases.launches.items, phases.launches.count, sizeof *phases.launches.items, by_connection);
        failed = query_run(run->session->db,
                           "SELECT op_name_id, op_type_id, connection_id, start_ns, duration_ns FROM device_task"
                           " WHERE op_name_id IS NOT NULL AND connection_id IS NOT NULL AND start_ns IS NOT NULL"
                           " AND duration_ns >= 0",
                           NULL, 0, take_task, &phases, err) < 0;
    }
    failed = failed || put_phases(run, &phases, err) < 0;
    for (size_t i = 0; i < phases.count; i++)
        free(phases.items[i].queued.items);
    free(phases.items);
    free(phases.launches.items);
    map_release(&phases.known);
    return failed ? -(int)err->code : 0;
}

const struct report report_phases = {
    .name = "phases",
    .title = "Operators by launch, queue and kernel",
    .doc = "How long operators were launched by the host, waited and ran: together from the begin of the call that "
           "launched a task to the task's end. The largest total first.",
    .needs = "tasks of operators whose calls were recorded",
    .families = FAMILY_OF(CAPTURE_CANN) | FAMILY_OF(CAPTURE_2022),
    .shown_only = true,
    .columns = columns,
    .rows = put_rows,
};
