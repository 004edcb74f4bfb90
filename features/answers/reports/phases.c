/* SPDX-License-Identifier: Apache-2.0 */
/* Operators by how long they were launched, waited and ran. */
#include "base/array.h"
#include "base/file/large.h"
#include "base/map.h"
#include "base/number.h"
#include "base/search.h"
#include "base/statistics.h"
#include "db/query/query_scan.h"
#include "db/query/query_window.h"
#include "exporters/table/report.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum phase { PHASE_LAUNCH, PHASE_QUEUE, PHASE_KERNEL, PHASES };

/* Everything of one operator. A call that ended before its task began, and the task, are whole ticks of their clocks.
 */
struct phased {
    int64_t name, type; /* ids */
    int64_t count;
    double total_ns, ns[PHASES];
    uint32_t last; /* of its times in the queue */
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
     .doc = "Time from the start of the launching call to the end of the task, all executions."},
    {"Launch(us)", SHOWN(of.ns[PHASE_LAUNCH]), FORM_SCALED, 3,
     .doc = "Part of the call, until it ended or the task began."},
    {"Queue(us)", SHOWN(of.ns[PHASE_QUEUE]), FORM_SCALED, 3,
     .doc = "Time from the end of the call to the start of the task."},
    {"Kernel(us)", SHOWN(of.ns[PHASE_KERNEL]), FORM_SCALED, 3, .doc = "The task itself."},
    {"Count", SHOWN(of.count), .flags = REPORT_NUMBER, .doc = "Number of executions with a known launch."},
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
    struct ARRAY_OF(struct launch) launches; /* by connection */
    size_t next_launch;                      /* behind the last that was found */
    struct phased *items;
    size_t count, capacity;
    struct map known;
    double total_ns;
    const struct cann_clocks *clocks;
    struct grouped queued;
};

enum { CALL_CONNECTION, CALL_START, CALL_DURATION, CALL_LAUNCHES, CALL_VALUES };
static const struct scan_column call_values[] = {{"connection_id", CALL_CONNECTION, false},
                                                 {"start_ns", CALL_START, false},
                                                 {"duration_ns", CALL_DURATION, false},
                                                 {"launches", CALL_LAUNCHES, false}};
enum { TASK_NAME, TASK_TYPE, TASK_CONNECTION, TASK_START, TASK_DURATION, TASK_DEVICE, TASK_VALUES };
static const struct scan_column task_values[] = {
    {"op_name_id", TASK_NAME, false}, {"op_type_id", TASK_TYPE, false},      {"connection_id", TASK_CONNECTION, false},
    {"start_ns", TASK_START, false},  {"duration_ns", TASK_DURATION, false}, {"device_id", TASK_DEVICE, false}};

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

/* Most tasks come in the order of their connections. */
static const struct launch *find_launch(struct phases *phases, int64_t connection)
{
    const struct launch *items = phases->launches.items;
    size_t at = phases->next_launch;
    if (at == 0 || at >= phases->launches.count || items[at].connection != connection ||
        items[at - 1].connection == connection)
        at = search_from(items, phases->launches.count, sizeof *items, offsetof(struct launch, connection), connection);
    phases->next_launch = at + 1;
    return at < phases->launches.count && items[at].connection == connection ? &items[at] : NULL;
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

static int take_task(void *arg, int64_t *row, struct err *err)
{
    struct phases *phases = arg;
    const struct phase_key key = {row[TASK_NAME], row[TASK_TYPE]};
    int64_t start_ns = row[TASK_START], kernel_ns = row[TASK_DURATION];
    const struct launch *launch = kernel_ns >= 0 ? find_launch(phases, row[TASK_CONNECTION]) : NULL;

    if (launch == NULL || start_ns < launch->start_ns) /* a task that began before its call was launched by another */
        return 0;
    struct phased *it = find_operator(phases, &key, err);
    if (it == NULL)
        return err_status(err);
    const bool ended = launch->end_ns <= start_ns;
    const int64_t launched_ns = ended ? launch->end_ns : start_ns, queue_ns = number_subtract(start_ns, launched_ns);
    const double parts[PHASES] = {ticks_exact_ns(ended ? phases->clocks->host_hz : TICKS_OF_NS, launch->start_ns,
                                                 number_subtract(launched_ns, launch->start_ns)),
                                  (double)queue_ns,
                                  ticks_exact_ns(cann_clock_hz(phases->clocks, row[TASK_DEVICE]), start_ns, kernel_ns)};
    it->count++;
    for (int phase = 0; phase < PHASES; phase++) {
        it->ns[phase] += parts[phase];
        it->total_ns += parts[phase];
        phases->total_ns += parts[phase];
    }
    return grouped_add(&phases->queued, &it->last, queue_ns, err);
}

ARRAY_COMPARE(by_total, struct phased, ARRAY_BY_MOST(total_ns), ARRAY_BY(name), ARRAY_BY(type))

static int put_phases(struct report_run *run, struct phases *phases, struct err *err)
{
    const struct cann_texts *names = report_names(run->session, true, err);
    int status = 0;

    if (names == NULL)
        return err_status(err);
    if (phases->count > 0)
        array_sort(phases->items, phases->count, sizeof *phases->items, by_total);
    for (size_t i = 0; status == 0 && i < phases->count && !report_writer_leave_rest(&run->writer, phases->count - i);
         i++) {
        struct phased *it = &phases->items[i];
        struct shown row = {.share = phases->total_ns > 0 ? it->total_ns / phases->total_ns * 1e4 : 0,
                            .of = *it,
                            .name = cann_text(names, it->name, 0).text,
                            .type = cann_text(names, it->type, 0).text};
        status = grouped_series(&phases->queued, it->last, (size_t)it->count, TICKS_OF_NS, &row.queue, err);
        if (status == 0)
            status = report_put(run, &row, err);
        series_release(&row.queue);
    }
    return status;
}

static int put_rows(struct report_run *run, struct err *err)
{
    static const char all[] = "op_name_id IS NOT NULL AND connection_id IS NOT NULL AND start_ns IS NOT NULL";
    char wanted[sizeof all + QUERY_WINDOW_SIZE];
    struct phases phases = {.known = MAP_OF(struct known_operator, key), .clocks = report_clocks(run->session, err)};
    if (phases.clocks == NULL || query_window_condition(run->session->db, all, wanted, sizeof wanted, err) < 0)
        return err_status(err);
    int status = query_scan_all(run->session->db, "host_call", "connection_id IS NOT NULL AND start_ns IS NOT NULL",
                                call_values, CALL_VALUES, take_launch, &phases, err);

    if (status == 0 && phases.launches.count > 0) {
        large_sort(phases.launches.items, phases.launches.count, sizeof *phases.launches.items, by_connection);
        status =
            query_scan_all(run->session->db, "device_task", wanted, task_values, TASK_VALUES, take_task, &phases, err);
    }
    if (status == 0)
        status = put_phases(run, &phases, err);
    grouped_release(&phases.queued);
    free(phases.items);
    large_free(phases.launches.items);
    map_release(&phases.known);
    return status;
}

const struct report report_phases = {
    .name = "phases",
    .title = "Operators by launch, queue and kernel",
    .doc = "Launch, queue and run time of operators, which add up to the time from the start of the launching call to "
           "the end of the task. The largest total first.",
    .needs = "tasks of operators whose calls were recorded",
    .families = FAMILY_OF(CAPTURE_CANN) | FAMILY_OF(CAPTURE_2022),
    .shown_only = true,
    .windowed = true,
    .columns = columns,
    .rows = put_rows,
};
