/* SPDX-License-Identifier: Apache-2.0 */
/* What the ranges that programs mark (mstx) launch on devices: modules of a model, where a program marks these. */
#include "features/cluster/tables/rank_tables.h"

#include "base/array.h"
#include "base/file/large.h"
#include "base/search.h"
#include "db/database.h"
#include "db/query/query_loop.h"

#include <stddef.h>
#include <stdlib.h>

static const char create[] = "CREATE TABLE module(rank INTEGER, name TEXT, ranges INTEGER, count INTEGER, ns REAL,"
                             " own_count INTEGER, own_ns REAL)";

#define NO_RANGE SIZE_MAX

struct marked_range {
    int64_t start_ns, end_ns;
    uint32_t name;
    size_t around; /* the one before it on its thread that is still open when it begins; NO_RANGE */
};

/* The ranges of a thread stand together. */
struct range_thread {
    int64_t id;
    size_t first, count;
};

struct module {
    size_t ranges, count, own_count;
    double ns, own_ns;
    size_t seen; /* the execution that it has counted last, from 1 */
};

struct modules {
    const struct rank_capture *capture;
    struct intern names;
    struct ARRAY_OF(struct marked_range) ranges; /* by thread and start */
    struct ARRAY_OF(struct range_thread) threads;
    struct launches launches;
    struct module *items; /* of each name */
};

static void modules_release(struct modules *modules)
{
    intern_release(&modules->names);
    large_free(modules->ranges.items);
    free(modules->threads.items);
    launches_release(&modules->launches);
    free(modules->items);
}

/* ---- ranges ---- */

static size_t open_at(const struct modules *modules, size_t range, int64_t time_ns)
{
    while (range != NO_RANGE && modules->ranges.items[range].end_ns < time_ns)
        range = modules->ranges.items[range].around;
    return range;
}

static int take_range(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct modules *modules = arg;
    const int64_t thread = query_integer(row, 0);
    const char *message = query_text(row, 3);
    struct marked_range range = {query_integer(row, 1), query_integer(row, 2), 0, NO_RANGE};
    const bool begins = modules->threads.count == 0 || modules->threads.items[modules->threads.count - 1].id != thread;

    if (intern_text(&modules->names, message != NULL ? message : "N/A", &range.name, err) < 0 ||
        large_reserve(&modules->ranges, 1, err) < 0)
        return err_status(err);
    if (begins && array_add(&modules->threads, err, (struct range_thread){thread, modules->ranges.count, 0}) < 0)
        return err_status(err);
    if (!begins)
        range.around = open_at(modules, modules->ranges.count - 1, range.start_ns);
    modules->threads.items[modules->threads.count - 1].count++;
    modules->ranges.items[modules->ranges.count++] = range;
    return 0;
}

/* The last range of a thread that is open when a call begins; NO_RANGE: none is. */
static size_t range_of(const struct modules *modules, const struct path_call *call)
{
    const size_t thread = search_from(modules->threads.items, modules->threads.count, sizeof *modules->threads.items,
                                      offsetof(struct range_thread, id), modules->launches.thread_ids[call->thread]);
    if (thread == modules->threads.count ||
        modules->threads.items[thread].id != modules->launches.thread_ids[call->thread])
        return NO_RANGE;
    const struct range_thread *it = &modules->threads.items[thread];
    const size_t behind = search_until(modules->ranges.items + it->first, it->count, sizeof *modules->ranges.items,
                                       offsetof(struct marked_range, start_ns), call->start_ns);
    return behind > 0 ? open_at(modules, it->first + behind - 1, call->start_ns) : NO_RANGE;
}

/* ---- what they launch ---- */

/* A range of the same name around another counts once. */
static void count_execution(struct modules *modules, size_t i)
{
    const struct workload *workload = modules->capture->workload;
    const struct path_call *call = &modules->launches.calls[modules->launches.of[i]];
    const double ns = workload_length(workload, &workload->executions[i]);
    size_t range = range_of(modules, call);

    if (range != NO_RANGE) {
        struct module *own = &modules->items[modules->ranges.items[range].name];
        own->own_count++;
        own->own_ns += ns;
    }
    for (; range != NO_RANGE; range = open_at(modules, modules->ranges.items[range].around, call->start_ns)) {
        struct module *module = &modules->items[modules->ranges.items[range].name];
        if (module->seen == i + 1)
            continue;
        module->seen = i + 1;
        module->count++;
        module->ns += ns;
    }
}

static int put(sqlite3 *facts, const struct modules *modules, struct err *err)
{
    SCOPED(statement_release) sqlite3_stmt *insert = NULL;

    if (database_prepare(facts, "INSERT INTO module VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)", &insert, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < modules->names.count; i++) {
        const struct module *module = &modules->items[i];
        if (module->count > 0 &&
            rank_insert(insert, err, RANK_INTEGER(modules->capture->rank), RANK_TEXT(modules->names.items[i].bytes),
                        RANK_INTEGER((int64_t)module->ranges), RANK_INTEGER((int64_t)module->count),
                        RANK_REAL(module->ns), RANK_INTEGER((int64_t)module->own_count), RANK_REAL(module->own_ns)) < 0)
            return err_status(err);
    }
    return 0;
}

static int add(sqlite3 *facts, const struct rank_capture *capture, struct err *err)
{
    SCOPED(modules_release) struct modules modules = {.capture = capture};
    const struct workload *workload = capture->workload;

    if (query_run(capture->db,
                  "SELECT thread_id, start_ns, end_ns, message FROM msproftx WHERE end_ns > start_ns"
                  " ORDER BY thread_id, start_ns, end_ns DESC, id",
                  NULL, 0, take_range, &modules, err) < 0)
        return err_status(err);
    if (modules.ranges.count == 0)
        return 0;
    modules.items = scoped_memory(modules.names.count, sizeof *modules.items);
    if (modules.items == NULL)
        return err_no_memory(err);
    if (workload_load_launches(capture->db, workload, &modules.launches, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < modules.ranges.count; i++) {
        const struct workload_window *window = &workload->window;
        const int64_t start_ns = modules.ranges.items[i].start_ns;
        large_pass(i);
        modules.items[modules.ranges.items[i].name].ranges +=
            !window->any || (start_ns >= window->from_ns && start_ns < window->until_ns);
    }
    for (size_t i = 0; modules.launches.of != NULL && i < workload->execution_count; large_pass(i++))
        if (modules.launches.of[i] != LAUNCH_NONE)
            count_execution(&modules, i);
    return put(facts, &modules, err);
}

static const struct rank_fact fact = {.create = create, .add = add};

static const struct report report = {
    .name = "modules",
    .title = "Modules",
    .doc = "What the ranges that programs mark (mstx, aclprofRangeStart) launch on the devices of all ranks, by the "
           "message of the range, the largest time first. A range has what calls of its thread launch while it is "
           "open; all ranges around a call have it, each message once, and the innermost has it as its own.",
    .needs = "ranges that a program marks around its launches",
    .families = FAMILY_ANY,
    .shown_only = true,
    .query = {.with = "sums AS (SELECT name, sum(ranges) AS ranges, sum(count) AS count, sum(ns) AS ns,"
                      " sum(own_ns) AS own_ns, count(*) AS ranks FROM module GROUP BY name),"
                      " ordered AS (SELECT name, rank, ns,"
                      " row_number() OVER (PARTITION BY name ORDER BY ns DESC, rank) AS from_most,"
                      " row_number() OVER (PARTITION BY name ORDER BY ns, rank) AS from_least FROM module)",
              .from = "sums s JOIN ordered most ON most.name = s.name AND most.from_most = 1"
                      " JOIN ordered least ON least.name = s.name AND least.from_least = 1",
              .order_by = "s.ns DESC, s.name"},
    .columns =
        VALUE_LIST({"Device(us)", "CAST(round(s.ns) AS INTEGER)", FORM_SCALED, 3,
                    .doc = "The time of what it launched, added up over all ranks."},
                   {"Own(us)", "CAST(round(s.own_ns) AS INTEGER)", FORM_SCALED, 3, .id = "own_time",
                    .doc = "That without what ranges inside of it launched."},
                   {"Count", "s.count", .flags = REPORT_NUMBER, .doc = "How many operators and copies it launched."},
                   {"Ranges", "s.ranges", .flags = REPORT_NUMBER, .doc = "How many ranges have this message."},
                   {"Mean(us)", "CASE WHEN s.ranges > 0 THEN CAST(round(s.ns / s.ranges) AS INTEGER) END", FORM_SCALED,
                    3, .doc = "Device time by range."},
                   {"Ranks", "s.ranks", .flags = REPORT_NUMBER, .doc = "How many ranks have it."},
                   {"Most rank", "most.rank", .flags = REPORT_NUMBER, .doc = "The rank with the largest device time."},
                   {"Most(us)", "CAST(round(most.ns) AS INTEGER)", FORM_SCALED, 3, .doc = "Its device time."},
                   {"Least rank", "least.rank", .flags = REPORT_NUMBER,
                    .doc = "The rank with the smallest, of those that have it."},
                   {"Least(us)", "CAST(round(least.ns) AS INTEGER)", FORM_SCALED, 3, .doc = "Its device time."},
                   {"Module", "s.name", .doc = "The message of the range."}),
};

const struct rank_table rank_table_modules = {&report, &fact};
