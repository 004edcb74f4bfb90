/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over ranks: of operators by type, of communication operators and of calls of the host by name. How long each
 * took is kept as how often each length occurred, so that medians are of all executions of all ranks. */
#include "features/cluster/tables/rank_tables.h"

#include "base/array.h"
#include "base/file/large.h"
#include "base/map.h"
#include "base/statistics.h"
#include "db/database.h"

#include <stdlib.h>

/* Kinds of subjects, as SQL has them. */
#define SUMS_OPERATORS 0
#define SUMS_COMMUNICATION 1
#define SUMS_CALLS 2

struct sum_key { /* without padding: it is hashed */
    uint32_t type, name, core;
};

struct sum {
    struct sum_key key;
    uint32_t place; /* in the items below */
};

/* All executions of one subject in a rank. */
struct summed {
    const char *type, *name, *core;
    double total_ns;
    struct durations lengths;
};

struct sums {
    struct map places; /* of struct sum */
    struct ARRAY_OF(struct summed) items;
};

static void sums_release(struct sums *sums)
{
    for (size_t i = 0; i < sums->items.count; i++)
        large_free(sums->items.items[i].lengths.items);
    free(sums->items.items);
    map_release(&sums->places);
}

/* The texts must stay. */
static int find(struct sums *sums, const struct sum_key *key, const struct summed *texts, uint32_t *ret,
                struct err *err)
{
    bool added;
    struct sum *sum = map_add(&sums->places, key, &added, err);

    if (sum == NULL || (added && array_add(&sums->items, err, *texts) < 0))
        return err_status(err);
    if (added)
        sum->place = (uint32_t)(sums->items.count - 1);
    *ret = sum->place;
    return 0;
}

/* ---- into the scratch database ---- */

struct statements {
    sqlite3_stmt *subject, *id, *rank, *length;
};

static void statements_release(struct statements *statements)
{
    sqlite3_finalize(statements->subject);
    sqlite3_finalize(statements->id);
    sqlite3_finalize(statements->rank);
    sqlite3_finalize(statements->length);
}

static int prepare(sqlite3 *facts, struct statements *ret, struct err *err)
{
    static const char subject[] = "INSERT OR IGNORE INTO sum_subject(kind, type, name, core) VALUES(?1, ?2, ?3, ?4)";
    static const char id[] = "SELECT id FROM sum_subject WHERE kind = ?1 AND type = ?2 AND name = ?3 AND core = ?4";
    static const char rank[] = "INSERT INTO sum_rank VALUES(?1, ?2, ?3, ?4, ?5, ?6)";
    static const char length[] =
        "INSERT INTO sum_length VALUES(?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET count = count + excluded.count";
    return database_prepare(facts, subject, &ret->subject, err) < 0 || database_prepare(facts, id, &ret->id, err) < 0 ||
                   database_prepare(facts, rank, &ret->rank, err) < 0 ||
                   database_prepare(facts, length, &ret->length, err) < 0
               ? err_status(err)
               : 0;
}

static int put_lengths(const struct statements *statements, int64_t subject, const struct durations *lengths,
                       struct err *err)
{
    for (size_t i = 0, end; i < lengths->count; i = end) {
        for (end = i; end < lengths->count && lengths->items[end] == lengths->items[i];)
            end++;
        if (rank_insert(statements->length, err, RANK_INTEGER(subject), RANK_INTEGER(lengths->items[i]),
                        RANK_INTEGER((int64_t)(end - i)), RANK_INTEGER(lengths->hz)) < 0)
            return err_status(err);
    }
    return 0;
}

static int put_sum(const struct statements *statements, int64_t kind, int64_t rank, const struct summed *item,
                   struct err *err)
{
    const struct durations *lengths = &item->lengths;
    const struct rank_value key[] = {RANK_INTEGER(kind), RANK_TEXT(item->type), RANK_TEXT(item->name),
                                     RANK_TEXT(item->core)};
    int64_t subject;

    if (lengths->count == 0)
        return 0;
    statistics_sort(lengths->items, lengths->count);
    return rank_insert_values(statements->subject, key, 4, err) < 0 ||
                   rank_ask(statements->id, key, 4, &subject, err) < 0 ||
                   rank_insert(statements->rank, err, RANK_INTEGER(subject), RANK_INTEGER(rank),
                               RANK_INTEGER((int64_t)lengths->count), RANK_REAL(item->total_ns),
                               RANK_INTEGER(lengths->items[0]), RANK_INTEGER(lengths->items[lengths->count - 1])) < 0 ||
                   put_lengths(statements, subject, lengths, err) < 0
               ? err_status(err)
               : 0;
}

static int put_sums(sqlite3 *facts, int64_t kind, int64_t rank, const struct sums *sums, struct err *err)
{
    SCOPED(statements_release) struct statements statements = {.subject = NULL};
    if (prepare(facts, &statements, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < sums->items.count; i++)
        if (put_sum(&statements, kind, rank, &sums->items.items[i], err) < 0)
            return err_status(err);
    return 0;
}

/* ---- what devices ran ---- */

static const char *core_of(const struct workload *workload, enum work work)
{
    if (work == WORK_AI_CPU)
        return "AI CPU";
    return !workload_knows_cores(&workload->facts) ? "AI core" : work == WORK_VECTOR ? "vector" : "cube";
}

/* A place among the sums for each operator of the workload; UINT32_MAX: it is of another kind. */
static int find_places(struct sums *sums, const struct workload *workload, int64_t kind, uint32_t *places,
                       struct err *err)
{
    for (size_t i = 0; i < workload->operator_count; i++) {
        const struct workload_key *key = &workload->operators[i].key;
        const bool computes = work_computes(key->work), communicates = key->work == WORK_COMMUNICATION;
        const struct sum_key operators = {key->type, NO_TEXT, key->work}, names = {key->type, key->name, 0};
        const struct summed texts = {.type = workload_text(workload, key->type),
                                     .name = computes ? "" : workload_text(workload, key->name),
                                     .core = computes ? core_of(workload, key->work) : ""};
        places[i] = UINT32_MAX;
        if (kind == SUMS_OPERATORS ? !computes : !communicates)
            continue;
        if (find(sums, computes ? &operators : &names, &texts, &places[i], err) < 0)
            return err_status(err);
    }
    return 0;
}

static int add_executions(sqlite3 *facts, const struct rank_capture *capture, int64_t kind, struct err *err)
{
    const struct workload *workload = capture->workload;
    SCOPED(sums_release) struct sums sums = {.places = MAP_OF(struct sum, key)};
    SCOPED_FREE uint32_t *places = scoped_memory(workload->operator_count + 1, sizeof *places);

    if (places == NULL)
        return err_no_memory(err);
    if (find_places(&sums, workload, kind, places, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < workload->execution_count; large_pass(i++)) {
        const struct execution *execution = &workload->executions[i];
        if (places[execution->op] == UINT32_MAX)
            continue;
        struct summed *item = &sums.items.items[places[execution->op]];
        item->total_ns += workload_length(workload, execution);
        if (statistics_durations_add(&item->lengths, workload_length_ns(workload, execution),
                                     workload_rate(workload, execution), err) < 0)
            return err_status(err);
    }
    return put_sums(facts, kind, capture->rank, &sums, err);
}

static int add_operators(sqlite3 *facts, const struct rank_capture *capture, struct err *err)
{
    return add_executions(facts, capture, SUMS_OPERATORS, err);
}

static int add_communication(sqlite3 *facts, const struct rank_capture *capture, struct err *err)
{
    return add_executions(facts, capture, SUMS_COMMUNICATION, err);
}

/* ---- what the host called ---- */

struct calls {
    struct intern names;
    struct sums sums;
};

static void calls_release(struct calls *calls)
{
    sums_release(&calls->sums);
    intern_release(&calls->names);
}

static int take_call(void *arg, const struct host_call *call, struct err *err)
{
    struct calls *calls = arg;
    const struct sum_key key = {NO_TEXT, call->name, 0};
    const struct summed texts = {.type = "", .name = calls->names.items[call->name].bytes, .core = ""};
    uint32_t place;

    if (find(&calls->sums, &key, &texts, &place, err) < 0)
        return err_status(err);
    struct summed *item = &calls->sums.items.items[place];
    item->total_ns += host_call_length(call);
    return statistics_durations_add(&item->lengths, host_call_length_ns(call), call->hz, err);
}

static int add_calls(sqlite3 *facts, const struct rank_capture *capture, struct err *err)
{
    SCOPED(calls_release) struct calls calls = {.sums = {.places = MAP_OF(struct sum, key)}};
    return host_calls_each(capture->db, &calls.names, take_call, &calls, err) < 0 ||
                   put_sums(facts, SUMS_CALLS, capture->rank, &calls.sums, err) < 0
               ? err_status(err)
               : 0;
}

/* ---- tables ---- */

/* One scratch table serves all three; a kind that nobody wants is not filled. */
#define CREATE                                                                                                         \
    "CREATE TABLE IF NOT EXISTS sum_subject(id INTEGER PRIMARY KEY, kind INTEGER, type TEXT, name TEXT, core TEXT,"    \
    " UNIQUE(kind, type, name, core));"                                                                                \
    "CREATE TABLE IF NOT EXISTS sum_rank(subject INTEGER, rank INTEGER, count INTEGER, total_ns REAL,"                 \
    " shortest_ns INTEGER, longest_ns INTEGER, PRIMARY KEY(subject, rank)) WITHOUT ROWID;"                             \
    "CREATE TABLE IF NOT EXISTS sum_length(subject INTEGER, ns INTEGER, count INTEGER, hz INTEGER,"                    \
    " PRIMARY KEY(subject, ns, hz)) WITHOUT ROWID;"

static const struct rank_fact operators = {.create = CREATE, .add = add_operators};
static const struct rank_fact communication = {.create = CREATE, .add = add_communication};
static const struct rank_fact calls = {.create = CREATE, .add = add_calls};

/* The ticks that a length was rounded from, and half so many of them in nanoseconds, rounded: no product is beyond 64
 * bits. */
#define TICKS(ns) "(" ns " / 1000000000 * hz + (" ns " % 1000000000 * hz + 500000000) / 1000000000)"
#define HALF_NS(ticks) "(" ticks " / (2 * hz) * 1000000000 + (" ticks " % (2 * hz) * 1000000000 + hz) / (2 * hz))"

/* All ranks of each subject together; the median, of an even number the mean of the two in the middle: of their ticks,
 * where the clocks of all tick alike. */
#define WITH(kind)                                                                                                     \
    "subjects AS (SELECT * FROM sum_subject WHERE kind = " SQL_NUMBER(                                                 \
        kind) "),"                                                                                                     \
              " sums AS (SELECT s.id, s.type, s.name, s.core, count(*) AS ranks, sum(r.count) AS count,"               \
              " sum(r.total_ns) AS total_ns, min(r.shortest_ns) AS shortest_ns, max(r.longest_ns) AS longest_ns"       \
              " FROM subjects s JOIN sum_rank r ON r.subject = s.id GROUP BY s.id),"                                   \
              " upto AS (SELECT l.subject, l.ns, l.hz, sum(l.count) OVER (PARTITION BY l.subject ORDER BY l.ns) AS "   \
              "upto"                                                                                                   \
              " FROM sum_length l JOIN subjects s ON s.id = l.subject),"                                               \
              " middles AS (SELECT s.id, min(CASE WHEN u.upto >= (s.count + 1) / 2 THEN u.ns END) AS low_ns,"          \
              " min(CASE WHEN u.upto >= s.count / 2 + 1 THEN u.ns END) AS high_ns,"                                    \
              " iif(min(u.hz) = max(u.hz), min(u.hz), 1000000000) AS hz"                                               \
              " FROM sums s JOIN upto u ON u.subject = s.id GROUP BY s.id),"                                           \
              " halves AS (SELECT id, hz, " TICKS("low_ns") " + " TICKS(                                               \
                  "high_ns") " AS ticks FROM middles),"                                                                \
                             " medians AS (SELECT id, " HALF_NS(                                                       \
                                 "ticks") " AS median_ns FROM halves),"                                                \
                                          " ordered AS (SELECT r.subject, r.rank, r.total_ns,"                         \
                                          " row_number() OVER (PARTITION BY r.subject ORDER BY r.total_ns DESC, "      \
                                          "r.rank) AS from_most,"                                                      \
                                          " row_number() OVER (PARTITION BY r.subject ORDER BY r.total_ns, r.rank) "   \
                                          "AS from_least"                                                              \
                                          " FROM sum_rank r JOIN subjects s ON s.id = r.subject)"
#define FROM                                                                                                           \
    "sums s JOIN medians m ON m.id = s.id JOIN ordered most ON most.subject = s.id AND most.from_most = 1"             \
    " JOIN ordered least ON least.subject = s.id AND least.from_least = 1"
#define ROUNDED(ns) "CAST(round(" ns ") AS INTEGER)"

#define SUM_COLUMNS                                                                                                    \
    {"Total(us)", ROUNDED("s.total_ns"), FORM_SCALED, 3, .doc = "The time of all of them, on all ranks."},             \
        {"Count", "s.count", .flags = REPORT_NUMBER, .doc = "Count on all ranks."},                                    \
        {"Mean(us)", ROUNDED("s.total_ns / s.count"), FORM_SCALED, 3, .doc = "Total by count."},                       \
        {"Median(us)", "m.median_ns", FORM_SCALED, 3, .doc = "Median."},                                               \
        {"Shortest(us)", "s.shortest_ns", FORM_SCALED, 3, .flags = REPORT_NARROW, .doc = "The shortest one."},         \
        {"Longest(us)", "s.longest_ns", FORM_SCALED, 3, .flags = REPORT_NARROW, .doc = "The longest one."},            \
        {"Ranks", "s.ranks", .flags = REPORT_NUMBER, .doc = "Number of ranks with it."},                               \
        {"Most rank", "most.rank", .flags = REPORT_NUMBER, .doc = "The rank with the largest total."},                 \
        {"Most(us)", ROUNDED("most.total_ns"), FORM_SCALED, 3, .doc = "Its total."},                                   \
        {"Least rank", "least.rank", .flags = REPORT_NUMBER,                                                           \
         .doc = "The rank with the smallest total, among ranks that have it."},                                        \
    {                                                                                                                  \
        "Least(us)", ROUNDED("least.total_ns"), FORM_SCALED, 3, .doc = "Its total."                                    \
    }

#define ORDER "s.total_ns DESC, s.type, s.name, s.core"

static const struct report operator_sum = {
    .name = "operator_sum",
    .title = "Operators over ranks",
    .doc = "Time of operators by type and core, added up over all ranks, the largest total first.",
    .needs = "operators",
    .families = FAMILY_ANY,
    .shown_only = true,
    .query = {.with = WITH(SUMS_OPERATORS), .from = FROM, .order_by = ORDER},
    .columns = VALUE_LIST(SUM_COLUMNS,
                          {"Core", "s.core",
                           .doc = "Kind of core: cube, vector, AI CPU; AI core where cores of a "
                                  "device are of one kind."},
                          {"Type", "s.type", .doc = "The type of the operators."}),
};

static const struct report communication_sum = {
    .name = "communication_sum",
    .title = "Communication over ranks",
    .doc = "Time of communication operators by name, without the number of the run, added up over all ranks, the "
           "largest total first. An operator counts from its begin to its end, also while it waits.",
    .needs = "communication operators",
    .families = FAMILY_ANY,
    .shown_only = true,
    .query = {.with = WITH(SUMS_COMMUNICATION), .from = FROM, .order_by = ORDER},
    .columns = VALUE_LIST(SUM_COLUMNS, {"Type", "s.type", .doc = "The type of the operator."},
                          {"Name", "s.name", .doc = "The operator, with the number of its group."}),
};

static const struct report api_sum = {
    .name = "api_sum",
    .title = "Calls of the host over ranks",
    .doc = "Time of host calls by function, summed over all ranks, the largest total first. A call includes its inner "
           "calls.",
    .needs = "calls of the host",
    .families = FAMILY_ANY,
    .shown_only = true,
    .query = {.with = WITH(SUMS_CALLS), .from = FROM, .order_by = ORDER},
    .columns = VALUE_LIST(SUM_COLUMNS, {"Function", "s.name", .doc = "The function."}),
};

const struct rank_table rank_table_operator_sum = {&operator_sum, &operators};
const struct rank_table rank_table_communication_sum = {&communication_sum, &communication};
const struct rank_table rank_table_api_sum = {&api_sum, &calls};
