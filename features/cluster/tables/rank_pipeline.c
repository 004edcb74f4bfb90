/* SPDX-License-Identifier: Apache-2.0 */
/* Stages of a pipeline: how long each rank computes and how long it receives from other stages, with a chart of a step.
 */
#include "features/cluster/tables/rank_tables.h"

#include "base/file/large.h"
#include "base/number.h"
#include "db/database.h"
#include "features/answers/analysis/splits.h"

#include <string.h>

static const char create[] = "CREATE TABLE pipeline(rank INTEGER, stage INTEGER, time_ns INTEGER, computing_ns INTEGER,"
                             " bubble_ns INTEGER, step INTEGER, step_ns INTEGER, chart TEXT)";

/* What a part of the chart shows, the first of those that take most of it. */
enum part { PART_COMPUTING, PART_RECEIVE, PART_SEND, PART_COMMUNICATION, PART_NOTHING, PARTS };
static const char letters[PARTS + 1] = "#<>=.";
#define CHART_PARTS 40

struct parts {
    struct intervals of[PART_NOTHING];
    double received_ns; /* the bubble: each receive by itself */
};

static void parts_release(struct parts *parts)
{
    for (size_t i = 0; i < PART_NOTHING; i++)
        intervals_release(&parts->of[i]);
}

static enum part part_of(const struct workload *workload, const struct execution *execution)
{
    const struct workload_operator *op = &workload->operators[execution->op];
    const char *name = workload_text(workload, op->key.name);
    if (work_computes(op->key.work))
        return PART_COMPUTING;
    if (op->key.work != WORK_COMMUNICATION)
        return PART_NOTHING;
    return strcasestr(name, "receive") != NULL ? PART_RECEIVE
           : strcasestr(name, "send") != NULL  ? PART_SEND
                                               : PART_COMMUNICATION;
}

static int find_parts(const struct workload *workload, struct parts *parts, struct err *err)
{
    for (size_t i = 0; i < workload->execution_count; large_pass(i++)) {
        const struct execution *execution = &workload->executions[i];
        const enum part part = part_of(workload, execution);
        parts->received_ns += part == PART_RECEIVE ? workload_length(workload, execution) : 0;
        if (part != PART_NOTHING &&
            intervals_add(&parts->of[part], execution->start_ns, execution->start_ns + execution->duration_ns, err) < 0)
            return err_status(err);
    }
    for (size_t i = 0; i < PART_NOTHING; i++)
        intervals_unite(&parts->of[i]);
    return 0;
}

/* ---- the chart of a step ---- */

/* The one in the middle of those that count; NULL: there is none. */
static const struct split *middle_step(const struct splits *splits)
{
    const struct split *found = NULL;
    size_t count = 0, place = 0;

    for (size_t i = 0; !splits->whole && i < splits->count; large_pass(i++))
        count += splits_counts(splits, i);
    for (size_t i = 0; !splits->whole && i < splits->count && found == NULL; large_pass(i++))
        if (splits_counts(splits, i) && place++ == count / 2)
            found = &splits->items[i];
    return found;
}

static int64_t length_of(const struct split *step)
{
    return step->period.time_ns > 0 ? step->period.time_ns : interval_length(step->start_ns, step->end_ns);
}

/* What takes most of a stretch; that beside which something computes is not shown. */
static enum part largest(const struct parts *parts, int64_t from_ns, int64_t until_ns)
{
    int64_t rest_ns = until_ns - from_ns, most_ns = -1;
    enum part found = PART_NOTHING;

    for (size_t i = 0; i < PART_NOTHING; i++) {
        size_t cursor = 0;
        const int64_t all_ns = intervals_length_within(&parts->of[i], from_ns, until_ns, &cursor),
                      ns = all_ns < rest_ns ? all_ns : rest_ns;
        rest_ns -= ns;
        if (ns > most_ns) {
            most_ns = ns;
            found = (enum part)i;
        }
    }
    return rest_ns > most_ns ? PART_NOTHING : found;
}

static void draw(const struct parts *parts, const struct split *step, char chart[CHART_PARTS + 1])
{
    const int64_t length = length_of(step);
    for (int64_t i = 0; i < CHART_PARTS; i++)
        chart[i] = letters[largest(parts, step->start_ns + length * i / CHART_PARTS,
                                   step->start_ns + length * (i + 1) / CHART_PARTS)];
    chart[CHART_PARTS] = '\0';
}

/* ---- facts ---- */

static int put(sqlite3 *facts, const struct rank_capture *capture, const struct splits *splits,
               const struct parts *parts, struct err *err)
{
    SCOPED(statement_release) sqlite3_stmt *insert = NULL;
    const struct split *step = middle_step(splits);
    char chart[CHART_PARTS + 1];

    if (step != NULL)
        draw(parts, step, chart);
    return database_prepare(facts, "INSERT INTO pipeline VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)", &insert, err) < 0 ||
                   rank_insert(insert, err, RANK_INTEGER(capture->rank), RANK_INTEGER(capture->stage),
                               RANK_INTEGER(splits->all.time_ns), RANK_INTEGER(splits->all.computing_ns),
                               RANK_INTEGER(number_rounded(parts->received_ns)),
                               RANK_INTEGER(step != NULL ? step->step->number : DB_NULL),
                               RANK_INTEGER(step != NULL ? length_of(step) : DB_NULL),
                               RANK_TEXT(step != NULL ? chart : NULL)) < 0
               ? err_status(err)
               : 0;
}

static int add(sqlite3 *facts, const struct rank_capture *capture, struct err *err)
{
    SCOPED(splits_release) struct splits splits = {.borrowed = true};
    SCOPED(parts_release) struct parts parts = {0};

    if (find_parts(capture->workload, &parts, err) < 0)
        return err_status(err);
    if (splits_make(capture->workload, &splits, err) < 0) {
        splits = (struct splits){.borrowed = true};
        return err_status(err);
    }
    return put(facts, capture, &splits, &parts, err);
}

static const struct rank_fact fact = {.create = create, .add = add};

static const struct report report = {
    .name = "pipeline",
    .title = "Pipeline",
    .doc = "Computing time and pipeline bubble (time receiving from other stages) of each rank by stage, with a chart "
           "of the middle step: # computing, < receiving, > sending, = other communication, . idle. Stages come from "
           "the metadata; N/A without them.",
    .needs = "devices that ran something",
    .families = FAMILY_ANY,
    .is_short = true,
    .shown_only = true,
    .query = {.from = "pipeline", .where = "time_ns > 0", .order_by = "stage NULLS LAST, rank"},
    .columns = VALUE_LIST(
        {"Stage", "stage", .flags = REPORT_NUMBER, .doc = "The stage of the rank."},
        {"Rank", "rank", .flags = REPORT_NUMBER, .doc = "The rank."},
        {"Bubble(%)", "bubble_ns * 100.0 / time_ns", FORM_SHORTEST, 2, .doc = "The bubble by the time of the device."},
        {"Bubble(us)", "bubble_ns", FORM_SCALED, 3, .id = "bubble_time", .doc = "Time receiving from other stages."},
        {"Computing(us)", "computing_ns", FORM_SCALED, 3, .doc = "Computing time."},
        {"Time(us)", "time_ns", FORM_SCALED, 3, .doc = "The time of the device."},
        {"Step", "step", .flags = REPORT_NUMBER, .doc = "The number of the step that is drawn."},
        {"Step(us)", "step_ns", FORM_SCALED, 3, .id = "step_time", .doc = "Its time."},
        {"Chart", "chart", .doc = "The step in forty parts, each with its main activity."}),
};

const struct rank_table rank_table_pipeline = {&report, &fact};
