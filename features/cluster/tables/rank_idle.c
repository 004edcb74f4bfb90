/* SPDX-License-Identifier: Apache-2.0 */
/* What each rank's device waited for: its gaps by cause, as the table 'gaps' of 'show' has them. */
#include "features/cluster/tables/rank_tables.h"

#include "base/file/large.h"
#include "db/database.h"
#include "features/answers/analysis/gap_calls.h"
#include "features/answers/analysis/splits.h"

static const char create[] =
    "CREATE TABLE idle_rank(rank INTEGER, time_ns INTEGER);"
    "CREATE TABLE idle_gap(rank INTEGER, cause TEXT, call TEXT, ns REAL, rounded_ns INTEGER, covered_ns REAL)";

/* A capture that does not say when each task ran has no gaps. */
static int put_gaps(sqlite3 *facts, const struct rank_capture *capture, const struct host_calls *calls, struct err *err)
{
    SCOPED(statement_release) sqlite3_stmt *insert = NULL;

    if (database_prepare(facts, "INSERT INTO idle_gap VALUES(?1, ?2, ?3, ?4, ?5, ?6)", &insert, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < calls->gaps->count; large_pass(i++)) {
        const struct gap *gap = &calls->gaps->items[i];
        const uint32_t number = gap_calls_name(&calls->gap_calls, i);
        const char *name = number != NO_TEXT ? calls->names.items[number].bytes : NULL;
        if (rank_insert(insert, err, RANK_INTEGER(capture->rank),
                        RANK_TEXT(gap_cause_name(gap_calls_cause(&calls->gap_calls, i, name))), RANK_TEXT(name),
                        RANK_REAL(gap_whole_ns(capture->workload, gap)),
                        RANK_INTEGER(gap_exact_ns(capture->workload, gap)),
                        RANK_REAL(name != NULL ? (double)calls->gap_calls.items[i].covered_ns : 0)) < 0)
            return err_status(err);
    }
    return 0;
}

static int put_time(sqlite3 *facts, const struct rank_capture *capture, struct err *err)
{
    SCOPED(splits_release) struct splits splits = {.borrowed = true};
    SCOPED(statement_release) sqlite3_stmt *insert = NULL;

    if (splits_make(capture->workload, &splits, err) < 0) {
        splits = (struct splits){.borrowed = true};
        return err_status(err);
    }
    return database_prepare(facts, "INSERT INTO idle_rank VALUES(?1, ?2)", &insert, err) < 0 ||
                   rank_insert(insert, err, RANK_INTEGER(capture->rank), RANK_INTEGER(splits.all.time_ns)) < 0
               ? err_status(err)
               : 0;
}

static int add(sqlite3 *facts, const struct rank_capture *capture, struct err *err)
{
    SCOPED(gaps_release) struct gaps gaps = {.items = NULL};
    SCOPED(host_calls_release) struct host_calls calls = {.gaps = NULL};

    return (!capture->workload->facts.placed && gaps_make(capture->workload, &gaps, err) < 0) ||
                   host_calls_open(&calls, capture->workload, &gaps, false, err) < 0 ||
                   host_calls_load(capture->db, &calls, err) < 0 || put_gaps(facts, capture, &calls, err) < 0 ||
                   put_time(facts, capture, err) < 0
               ? err_status(err)
               : 0;
}

static const struct rank_fact fact = {.create = create, .add = add};

/* Of a cause, the call that covers most of its gaps together. */
static const struct report report = {
    .name = "free",
    .title = "Free time of ranks by cause",
    .doc = "Idle time between two tasks of each rank's device by cause, as in the table gaps of msprof-show(1), the "
           "longest first.",
    .needs = "two tasks of a device, and the times when they ran",
    .families = FAMILY_ANY,
    .shown_only = true,
    .query = {.with = "causes AS (SELECT rank, cause, count(*) AS count, sum(ns) AS ns, max(rounded_ns) AS longest_ns"
                      " FROM idle_gap GROUP BY rank, cause),"
                      " calls AS (SELECT rank, cause, call, sum(covered_ns) AS covered_ns FROM idle_gap"
                      " WHERE call IS NOT NULL GROUP BY rank, cause, call),"
                      " ordered AS (SELECT rank, cause, call, covered_ns, row_number() OVER (PARTITION BY rank, cause"
                      " ORDER BY covered_ns DESC, call) AS place FROM calls)",
              .from = "causes c JOIN idle_rank r ON r.rank = c.rank"
                      " LEFT JOIN ordered o ON o.rank = c.rank AND o.cause = c.cause AND o.place = 1",
              .order_by = "c.ns DESC, c.rank, c.cause"},
    .columns = VALUE_LIST(
        {"Rank", "c.rank", .flags = REPORT_NUMBER, .doc = "The rank."},
        {"Cause", "c.cause",
         .doc = "sync: a call that waits or copies covers at least half of a gap; host: else, a launch began inside "
                "of it; queue: neither; unknown: no calls were recorded."},
        {"Free(us)", "CAST(round(c.ns) AS INTEGER)", FORM_SCALED, 3, .doc = "All its gaps of this cause."},
        {"Share(%)", "CASE WHEN r.time_ns > 0 THEN c.ns * 100.0 / r.time_ns END", FORM_SHORTEST, 2,
         .doc = "Their share of the time of the rank's device."},
        {"Gaps", "c.count", .flags = REPORT_NUMBER, .doc = "Count."},
        {"Longest(us)", "c.longest_ns", FORM_SCALED, 3, .doc = "The longest one."},
        {"Covered(us)", "CASE WHEN o.call IS NOT NULL THEN CAST(round(o.covered_ns) AS INTEGER) END", FORM_SCALED, 3,
         .flags = REPORT_NARROW, .doc = "Part of that time that the call covers."},
        {"Call", "o.call",
         .doc = "The call of the host, collection of garbage or wait for data that covers most of them."}),
};

const struct rank_table rank_table_free = {&report, &fact};
