/* SPDX-License-Identifier: Apache-2.0 */
/* Operators by how long they were launched, waited and ran. */
#include "analysis/compare/statistics.h"
#include "base/array.h"
#include "base/file/large.h"
#include "base/map.h"
#include "base/number.h"
#include "base/search.h"
#include "db/query/query_scan.h"
#include "exporters/table/report.h"

#include <stddef.h>
#include <stdlib.h>

enum phase { PHASE_LAUNCH, PHASE_QUEUE, PHASE_KERNEL, PHASES };

/* Everything of one operator. */
struct phased {
    struct phase_key {
        int64_t name, type; /* ids */
    } key;
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

struct phases {
    struct ARRAY_OF(struct launch) launches; /* by connection */
    struct map known;
    struct phased *items; /* of known */
    double total_ns;
};

enum { CALL_CONNECTION, CALL_START, CALL_DURATION, CALL_LAUNCHES, CALL_VALUES };
static const struct scan_column call_values[] = {{"connection_id", CALL_CONNECTION, false},
                                                 {"start_ns", CALL_START, false},
                                                 {"duration_ns", CALL_DURATION, false},
                                                 {"launches", CALL_LAUNCHES, false}};
enum { TASK_NAME, TASK_TYPE, TASK_CONNECTION, TASK_START, TASK_DURATION, TASK_VALUES };
static const struct scan_column task_values[] = {{"op_name_id", TASK_NAME, false},
                                                 {"op_type_id", TASK_TYPE, false},
                                                 {"connection_id", TASK_CONNECTION, false},
                                                 {"start_ns", TASK_START, false},
                                                 {"duration_ns", TASK_DURATION, false}};

static int take_launch(void *arg, int64_t *row, struct err *err)
{
    struct phases *phases = arg;
    if (row[CALL_LAUNCHES] != 1 || row[CALL_DURATION] < 0)
        return 0;
    int status = large_reserve(&phases->launches, 1, err);

    if (status == 0)
        phases->launches.items[phases->launches.count++] =
            (struct launch){row[CALL_CONNECTION], row[CALL_START], number_add(row[CALL_START], row[CALL_DURATION])};
    large_pass(phases->launches.count);
    return status;
}

/* Puts the first call of each connection in front. */
ARRAY_COMPARE(by_connection, struct launch, ARRAY_BY(connection), ARRAY_BY(start_ns))

static const struct launch *find_launch(const struct phases *phases, int64_t connection)
{
    size_t low = search_from(phases->launches.items, phases->launches.count, sizeof *phases->launches.items,
                             offsetof(struct launch, connection), connection);
    bool found = low < phases->launches.count && phases->launches.items[low].connection == connection;
    return found ? &phases->launches.items[low] : NULL;
}

static int take_task(void *arg, int64_t *row, struct err *err)
{
    struct phases *phases = arg;
    const struct phase_key key = {row[TASK_NAME], row[TASK_TYPE]};
    int64_t start_ns = row[TASK_START], kernel_ns = row[TASK_DURATION];
    const struct launch *launch = kernel_ns >= 0 ? find_launch(phases, row[TASK_CONNECTION]) : NULL;

    if (launch == NULL || start_ns < launch->start_ns) /* a task that began before its call was launched by another */
        return 0;
    struct phased *it = map_add(&phases->known, &key, NULL, err);
    if (it == NULL)
        return err_status(err);
    int64_t launched_ns = launch->end_ns < start_ns ? launch->end_ns : start_ns;
    int64_t parts[PHASES] = {number_subtract(launched_ns, launch->start_ns), number_subtract(start_ns, launched_ns),
                             kernel_ns};
    it->count++;
    for (int phase = 0; phase < PHASES; phase++) {
        it->ns[phase] = number_add(it->ns[phase], parts[phase]);
        it->total_ns = number_add(it->total_ns, parts[phase]);
        phases->total_ns += (double)parts[phase];
    }
    return statistics_durations_add(&it->queued, parts[PHASE_QUEUE], err);
}

ARRAY_COMPARE(by_total, struct phased, ARRAY_BY_MOST(total_ns), ARRAY_BY(key.name), ARRAY_BY(key.type))

static int put_phases(struct report_run *run, struct phases *phases, struct err *err)
{
    const struct cann_texts *names = report_names(run->session, true, err);
    size_t count = phases->known.used;
    int status = 0;

    if (names == NULL)
        return err_status(err);
    array_sort(phases->items, count, sizeof *phases->items, by_total);
    for (size_t i = 0; status == 0 && i < count && !report_writer_leave_rest(&run->writer, count - i); i++) {
        struct phased *it = &phases->items[i];
        struct shown row = {.share = phases->total_ns > 0 ? (double)it->total_ns / phases->total_ns * 1e4 : 0,
                            .of = *it,
                            .name = cann_text(names, it->key.name, 0).text,
                            .type = cann_text(names, it->key.type, 0).text};
        status = series_make(&row.queue, it->queued.items, it->queued.count, err);
        if (status == 0)
            status = report_put(run, &row, err);
        series_release(&row.queue);
    }
    return status;
}

static int put_rows(struct report_run *run, struct err *err)
{
    static const char calls[] = "connection_id IS NOT NULL AND start_ns IS NOT NULL";
    static const char tasks[] = "op_name_id IS NOT NULL AND connection_id IS NOT NULL AND start_ns IS NOT NULL";
    struct phases phases = {.known = MAP_OF(struct phased, key)};
    sqlite3 *db = run->session->db;
    int status = query_scan_all(db, "host_call", calls, call_values, CALL_VALUES, take_launch, &phases, err);

    if (phases.launches.count > 0 && status == 0) {
        large_sort(phases.launches.items, phases.launches.count, sizeof *phases.launches.items, by_connection);
        status = query_scan_all(db, "device_task", tasks, task_values, TASK_VALUES, take_task, &phases, err);
    }
    bool done =
        status == 0 && (phases.items = map_items(&phases.known, err)) != NULL && put_phases(run, &phases, err) == 0;

    for (struct phased *it = NULL; (it = map_next(&phases.known, it)) != NULL;)
        large_free(it->queued.items);
    free(phases.items);
    large_free(phases.launches.items);
    map_release(&phases.known);
    return done ? 0 : err_status(err);
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
