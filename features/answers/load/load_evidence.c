/* SPDX-License-Identifier: Apache-2.0 */

#include "base/array.h"
#include "base/file/large.h"
#include "db/database.h"
#include "db/query/query.h"
#include "db/query/query_cann.h"
#include "db/query/query_loop.h"
#include "db/query/query_records.h"
#include "features/answers/load/load.h"
#include "features/frameworks/reports/host_side.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- of all calls ---- */

int host_calls_open(struct host_calls *calls, const struct workload *workload, const struct gaps *gaps, bool times,
                    struct err *err)
{
    *calls = (struct host_calls){.gaps = gaps};
    if ((gaps != NULL && gap_calls_open(&calls->gap_calls, workload, gaps, err) < 0) ||
        (times && coverage_of_idle(workload, 0, &calls->idle, err) < 0))
        return err_status(err);
    calls->times.idle = times ? &calls->idle : NULL;
    return 0;
}

static int take_host_call(void *arg, const struct host_call *call, struct err *err)
{
    struct host_calls *calls = arg;

    if (calls->gaps != NULL)
        gap_calls_take(&calls->gap_calls, call);
    return calls->times.idle != NULL ? call_times_take(&calls->times, call, err) : 0;
}

static int finish_host_calls(struct host_calls *calls, struct err *err)
{
    coverage_release(&calls->idle);
    if (calls->gaps != NULL)
        gap_calls_finish(&calls->gap_calls);
    return call_times_finish(&calls->times, err);
}

/* ---- work of a framework beside its calls ---- */

struct framework_waits {
    struct intern *names;
    struct gap_calls *calls;
};

static int take_wait(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct framework_waits *waits = arg;
    struct host_call wait = {.start_ns = sqlite3_column_int64(row, 1), .end_ns = sqlite3_column_int64(row, 2)};
    int status = intern_text(waits->names, (const char *)sqlite3_column_text(row, 0), &wait.name, err);

    if (status == 0)
        gap_calls_take(waits->calls, &wait);
    return status;
}

/* Gives gaps what a framework did without a call: it collected garbage, or waited for data. */
static int take_waits(sqlite3 *db, struct intern *names, struct gap_calls *calls, struct err *err)
{
    struct framework_waits waits = {names, calls};
    int64_t attached = 0;
    int status = query_number(db, "SELECT " FRAMEWORK_ATTACHED, &attached, err);

    return attached ? query_run(db, "SELECT name, start_ns, end_ns FROM temp.framework_wait ORDER BY start_ns, end_ns",
                                NULL, 0, take_wait, &waits, err)
                    : status;
}

int host_calls_load(sqlite3 *db, struct host_calls *calls, struct err *err)
{
    return host_calls_known(db, &calls->gap_calls.any, err) < 0 ||
                   host_calls_each(db, &calls->names, take_host_call, calls, err) < 0 ||
                   (calls->gaps != NULL && take_waits(db, &calls->names, &calls->gap_calls, err) < 0)
               ? err_status(err)
               : finish_host_calls(calls, err);
}

void host_calls_release(struct host_calls *calls)
{
    gap_calls_release(&calls->gap_calls);
    call_times_release(&calls->times);
    coverage_release(&calls->idle);
    intern_release(&calls->names);
}

/* ---- the longest gaps ---- */

struct longest {
    struct gap items[LONGEST_GAPS]; /* the longest first */
    int64_t lengths[LONGEST_GAPS];
    size_t count;
};

static void keep_gap(struct longest *longest, const struct gap *gap)
{
    int64_t length = gap_length_ns(gap);
    size_t at = longest->count;

    while (at > 0 && longest->lengths[at - 1] < length)
        at--;
    if (at == LONGEST_GAPS)
        return;
    if (longest->count < LONGEST_GAPS)
        longest->count++;
    memmove(&longest->items[at + 1], &longest->items[at], (longest->count - 1 - at) * sizeof longest->items[0]);
    memmove(&longest->lengths[at + 1], &longest->lengths[at], (longest->count - 1 - at) * sizeof longest->lengths[0]);
    longest->items[at] = *gap;
    longest->lengths[at] = length;
}

static int find_longest(const struct workload *workload, struct longest *ret, struct err *err)
{
    struct gaps gaps;
    int status = gaps_make(workload, &gaps, err);

    *ret = (struct longest){.count = 0};
    for (size_t i = 0; status == 0 && i < gaps.count; i++) {
        large_pass(i);
        keep_gap(ret, &gaps.items[i]);
    }
    if (status == 0)
        gaps_release(&gaps);
    return status;
}

ARRAY_COMPARE(by_place, struct gap, ARRAY_BY(after), ARRAY_BY(start_ns))

/* ---- calls ---- */

/* Kinds of calls that count by themselves. */
enum call_kind { CALL_OF_MEMORY, CALL_THAT_COMPILES, CALL_THAT_SYNCHRONISES, CALL_KINDS };

struct evidence_load {
    struct host_evidence *evidence;
    struct host_calls *also; /* NULL: nobody takes part */
    struct intern names;
    uint8_t *kinds; /* of each name, a bit for each kind */
    size_t kinds_count, kinds_capacity;
    struct gap_calls calls;
    struct call_evidence *sums[CALL_KINDS];
    int64_t thread; /* of the last call */
    bool launched;  /* a launch was the last of it */
    struct {
        struct gap_evidence *items[LONGEST_GAPS];
        size_t count;
    } pauses;          /* gaps of LONG_PAUSE_NS at least */
    int64_t steady_ns; /* the end of the first step */
    int64_t end_ns;    /* of what was recorded */
    int64_t first_ns;  /* the begin of the first call */
};

static int judge_names(struct evidence_load *load, struct err *err)
{
    while (load->kinds_count < load->names.count) {
        const char *name = load->names.items[load->kinds_count].bytes;
        if (load->kinds_count == load->kinds_capacity &&
            array_grow(&load->kinds, &load->kinds_capacity, load->kinds_count, 1, sizeof *load->kinds, err) != 0)
            return err_status(err);
        load->kinds[load->kinds_count++] =
            (uint8_t)((unsigned)gap_call_is_memory(name) << CALL_OF_MEMORY |
                      (unsigned)gap_call_is_compiling(name) << CALL_THAT_COMPILES |
                      (unsigned)gap_call_is_synchronising(name) << CALL_THAT_SYNCHRONISES);
    }
    return 0;
}

/* Calls of a thread come by their starts, one before those inside of it. */
static void take_launch(struct evidence_load *load, const struct host_call *call, bool synchronises)
{
    struct host_evidence *evidence = load->evidence;

    if (call->thread != load->thread)
        load->launched = false;
    load->thread = call->thread;
    evidence->awaited_launches += synchronises && load->launched;
    evidence->launch_count += call->launches;
    load->launched = call->launches || (load->launched && !synchronises);
}

/* What calls do beside the gaps that may be collections of garbage. */
static void take_beside_pauses(struct evidence_load *load, const struct host_call *call)
{
    for (size_t i = 0; i < load->pauses.count; i++) {
        struct gap_evidence *gap = load->pauses.items[i];
        int64_t from_ns = call->start_ns > gap->start_ns ? call->start_ns : gap->start_ns;
        int64_t until_ns = call->end_ns < gap->end_ns ? call->end_ns : gap->end_ns;
        if (until_ns <= from_ns)
            continue;
        gap->calls++;
        gap->called_ns += until_ns - from_ns;
    }
}

/* Calls of a thread come one after another. */
static int add_call(struct call_evidence *sums, const struct host_call *call, int64_t end_ns, struct err *err)
{
    if ((sums->threads.count == 0 || sums->threads.items[sums->threads.count - 1].thread != call->thread) &&
        array_add(&sums->threads, err, (struct thread_times){.thread = call->thread}) < 0)
        return err_status(err);
    if (sums->calls++ == 0 || call->start_ns < sums->first_ns)
        sums->first_ns = call->start_ns;
    return intervals_extend(&sums->threads.items[sums->threads.count - 1].times, call->start_ns,
                            call->end_ns < end_ns ? call->end_ns : end_ns, err);
}

static int take_call(void *arg, const struct host_call *call, struct err *err)
{
    struct evidence_load *load = arg;

    if (call->name >= load->kinds_count && judge_names(load, err) != 0)
        return err_status(err);
    const unsigned kinds = call->communicates ? 0 : load->kinds[call->name];
    if (load->also != NULL && take_host_call(load->also, call, err) < 0)
        return err_status(err);
    gap_calls_take(&load->calls, call);
    load->first_ns = call->start_ns < load->first_ns ? call->start_ns : load->first_ns;
    take_beside_pauses(load, call);
    take_launch(load, call, (kinds >> CALL_THAT_SYNCHRONISES & 1) != 0);
    if (kinds == 0 || call->start_ns >= load->end_ns)
        return 0;
    for (int i = 0; i < CALL_KINDS; i++)
        if ((kinds >> i & 1) != 0 && (i == CALL_THAT_SYNCHRONISES || call->start_ns >= load->steady_ns) &&
            add_call(load->sums[i], call, load->end_ns, err) < 0)
            return err_status(err);
    return 0;
}

/* From the end of the first step, when the program has what it needs, to the end of the last execution, or of the last
 * call that started one: what follows clears up. */
static void find_window(struct evidence_load *load, const struct workload *workload)
{
    const bool part = workload->window.any; /* then all of it counts */
    load->steady_ns = part ? workload->window.from_ns : INT64_MIN;
    load->end_ns = INT64_MIN;
    load->first_ns = INT64_MAX;
    for (size_t i = 0; i < workload->step_count && workload->step_count > 1 && !part; large_pass(i++))
        if (workload->steps[i].source == workload->step_source &&
            (load->steady_ns == INT64_MIN || workload->steps[i].end_ns < load->steady_ns))
            load->steady_ns = workload->steps[i].end_ns;
    for (size_t i = 0; i < workload->execution_count; i++) {
        int64_t end_ns = workload->executions[i].start_ns + workload->executions[i].duration_ns;
        large_pass(i);
        load->end_ns = end_ns > load->end_ns ? end_ns : load->end_ns;
    }
    for (size_t i = 0; i < workload->execute_starts.count; i++)
        if (workload->execute_starts.items[i].end_ns > load->end_ns)
            load->end_ns = workload->execute_starts.items[i].end_ns;
}

static int sum_calls(struct call_evidence *sums, const struct workload *workload, struct err *err)
{
    SCOPED(intervals_release) struct intervals times = {.items = NULL};

    for (size_t i = 0; i < sums->threads.count; i++)
        for (size_t k = 0; k < sums->threads.items[i].times.count; large_pass(k++))
            if (intervals_add(&times, sums->threads.items[i].times.items[k].start_ns,
                              sums->threads.items[i].times.items[k].end_ns, err) < 0)
                return err_status(err);
    return call_evidence_sum(sums, &times, workload, err);
}

/* Nothing is known before the first call: a log keeps the newest ones. */
static int sum_all_calls(struct evidence_load *load, const struct workload *workload, struct err *err)
{
    struct host_evidence *evidence = load->evidence;

    for (int i = 0; i < CALL_KINDS; i++)
        if (load->sums[i]->calls > 0 && sum_calls(load->sums[i], workload, err) < 0)
            return err_status(err);
    evidence->steady = load->steady_ns != INT64_MIN;
    evidence->memory_window_ns =
        interval_length(load->first_ns > load->steady_ns ? load->first_ns : load->steady_ns, load->end_ns);
    return 0;
}

static int tell_gap(struct gap_evidence *ret, const struct evidence_load *load, const struct gap *gap, struct err *err)
{
    size_t i = 0;

    while (load->calls.gaps->items[i].after != gap->after || load->calls.gaps->items[i].start_ns != gap->start_ns)
        i++;
    const struct gap_call *call = &load->calls.items[i];
    const uint32_t shown = gap_calls_name(&load->calls, i);
    const char *name = shown != NO_TEXT ? load->names.items[shown].bytes : NULL;
    ret->covered = name != NULL ? (double)call->covered_ns / (double)gap_length_ns(gap) : 0;
    ret->launched = call->launched;
    ret->cause = gap_calls_cause(&load->calls, i, name);
    return intern_keep(&load->evidence->texts, name, &ret->call, err);
}

static int load_calls(sqlite3 *db, const struct workload *workload, struct evidence_load *load, struct err *err)
{
    struct longest longest;
    struct gap placed[LONGEST_GAPS];
    int status = find_longest(workload, &longest, err);

    if (status != 0)
        return status;
    const struct gaps gaps = {.items = placed, .count = longest.count};
    memcpy(placed, longest.items, sizeof placed);
    for (size_t i = 0; i < longest.count; i++) {
        const struct gap *gap = &longest.items[i];
        load->evidence->gaps[i] = (struct gap_evidence){.start_ns = gap->start_ns,
                                                        .end_ns = gap->end_ns,
                                                        .length_ns = gap_whole_ns(workload, gap),
                                                        .before = gap->before,
                                                        .after = gap->after};
        if (gap_length_ns(gap) >= LONG_PAUSE_NS)
            load->pauses.items[load->pauses.count++] = &load->evidence->gaps[i];
    }
    array_sort(placed, longest.count, sizeof *placed, by_place);
    status = gap_calls_open(&load->calls, workload, &gaps, err);
    if (status == 0)
        status = host_calls_known(db, &load->evidence->known, err);
    load->calls.any = load->evidence->known;
    if (load->also != NULL)
        load->also->gap_calls.any = load->evidence->known;
    if (status == 0)
        status = host_calls_each(db, &load->names, take_call, load, err);
    const bool both = load->also != NULL && load->also->gaps != NULL;
    if (status == 0 && (take_waits(db, &load->names, &load->calls, err) < 0 ||
                        (both && take_waits(db, &load->names, &load->also->gap_calls, err) < 0)))
        status = err_status(err);
    if (load->calls.items != NULL)
        gap_calls_finish(&load->calls);
    for (size_t i = 0; status == 0 && i < longest.count; i++)
        status = tell_gap(&load->evidence->gaps[i], load, &longest.items[i], err);
    load->evidence->gap_count = longest.count;
    gap_calls_release(&load->calls);
    return status;
}

static int load_frequency(sqlite3 *db, const struct workload *workload, struct host_evidence *evidence, struct err *err)
{
    struct frequency_uses uses;
    int status = frequency_uses_load(db, workload, &uses, err);
    const struct frequency_mean mean = frequency_mean_of(&uses, 0, status == 0 ? uses.count : 0);

    evidence->mean_mhz = mean.mhz;
    evidence->rated_mhz = mean.rated_mhz;
    evidence->below_rated = mean.time_ns > 0 ? 100 * mean.below_ns / mean.time_ns : 0;
    free(uses.items);
    return status;
}

/* The facts that a framework's directory adds to answers: who launched what, and which stages of the data pipeline
 * starve. */

/* ---- advise ---- */

static int take_stage(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct host_evidence *evidence = arg;
    struct stage_evidence *stage = &evidence->stages[evidence->stage_count];
    evidence->stages_known = true;
    if (evidence->stage_count == FINDING_ROWS || sqlite3_column_type(row, 2) == SQLITE_NULL)
        return 0;
    if (intern_keep(&evidence->texts, (const char *)sqlite3_column_text(row, 0), &stage->name, err) < 0 ||
        intern_keep(&evidence->texts, (const char *)sqlite3_column_text(row, 1), &stage->input, err) < 0)
        return err_status(err);
    stage->empty = sqlite3_column_double(row, 2);
    evidence->stage_count++;
    return 0;
}

/* Who launched most of what has a name; communication operators count without their running numbers, and operators of a
 * call of aclnn, which stands in front of their names, as what it launched. */
#define LAUNCHER                                                                                                       \
    "SELECT o.name || iif(o.line = '', '', ' at ' || o.line) FROM temp.framework_work w JOIN name n"                   \
    " ON n.id = w.name_id JOIN temp.framework_op o ON o.id = w.op_id"                                                  \
    " WHERE n.text = ?1 OR ((w.communicates OR ?1 GLOB 'aclnn*') AND substr(n.text, 1, length(?1) + 1) = ?1 || '_')"   \
    " GROUP BY o.id"                                                                                                   \
    " ORDER BY sum(w.duration_ns) DESC, o.id LIMIT 1"

int evidence_name_launchers(sqlite3 *db, struct advice *advice, struct err *err)
{
    sqlite3_stmt *statement = NULL;
    int64_t attached = 0;
    int status = query_number(db, "SELECT " FRAMEWORK_ATTACHED, &attached, err);
    if (attached)
        status = database_prepare(db, LAUNCHER, &statement, err);
    for (size_t i = 0; statement != NULL && i < advice->rule_count && advice->findings[i].fired; i++) {
        for (size_t k = 0; status == 0 && k < advice->findings[i].row_count; k++) {
            struct finding_row *row = &advice->findings[i].rows[k];
            sqlite3_bind_text(statement, 1, row->name, -1, SQLITE_STATIC);
            bool there = false;
            status = database_step(statement, &there, err);
            if (there)
                status =
                    intern_keep(&advice->texts, (const char *)sqlite3_column_text(statement, 0), &row->launcher, err);
            sqlite3_reset(statement);
        }
    }
    sqlite3_finalize(statement);
    return status;
}

/* ---- load frequency ---- */

struct frequency_load {
    const struct workload *workload;
    struct cann_frequencies frequencies;
    struct cann_parts parts;
    struct frequency_uses *uses;
};

static int add_time(struct frequency_load *load, const struct execution *execution, struct err *err)
{
    int64_t device_id = load->workload->devices[execution->device].id;
    const struct cann_frequency *now = cann_frequency_at(&load->frequencies, device_id, execution->start_ns);
    struct frequency_uses *uses = load->uses;
    size_t at = 0;

    if (now == NULL)
        return 0;
    while (at < uses->count && (uses->items[at].device_id != device_id || uses->items[at].mhz != now->mhz))
        at++;
    if (at == uses->count) {
        const struct cann_part *part = cann_part_of_device(&load->parts, device_id);
        if (array_add(uses, err,
                      (struct frequency_use){device_id, now->mhz,
                                             part != NULL && part->aic_hz > 0 ? part->aic_hz / 1000000 : 0, 0, 0}) < 0)
            return err_status(err);
    }
    uses->items[at].tasks++;
    uses->items[at].time_ns += workload_length(load->workload, execution);
    return 0;
}

static int add_all(struct frequency_load *load, struct err *err)
{
    const struct workload *workload = load->workload;
    int status = 0;

    for (size_t i = 0; status == 0 && i < workload->execution_count; i++) {
        const struct execution *execution = &workload->executions[i];
        const uint32_t work = workload->operators[execution->op].key.work;
        large_pass(i);
        if (work == WORK_CUBE || work == WORK_VECTOR)
            status = add_time(load, execution, err);
    }
    return status;
}

ARRAY_COMPARE(by_device_and_mhz, struct frequency_use, ARRAY_BY(device_id), ARRAY_BY(mhz))

int frequency_uses_load(sqlite3 *db, const struct workload *workload, struct frequency_uses *ret, struct err *err)
{
    struct frequency_load load = {.workload = workload, .uses = ret};
    struct db_facts facts;
    int status = db_read_facts(db, &facts, err);

    *ret = (struct frequency_uses){.items = NULL};
    if (status != 0 || facts.family == CAPTURE_SVP)
        return status;
    status = cann_frequencies_load(db, &load.frequencies, err);
    if (status == 0)
        status = cann_parts_load(db, &load.parts, err);
    if (status == 0)
        status = add_all(&load, err);
    if (ret->count > 1)
        array_sort(ret->items, ret->count, sizeof *ret->items, by_device_and_mhz);
    cann_parts_release(&load.parts);
    cann_frequencies_release(&load.frequencies);
    return status;
}

struct frequency_mean frequency_mean_of(const struct frequency_uses *uses, size_t from, size_t until)
{
    struct frequency_mean mean = {0, 0, 0, 0};
    double sum = 0, rated = 0, rated_ns = 0;

    for (size_t i = from; i < until; i++) {
        const struct frequency_use *use = &uses->items[i];
        mean.time_ns += use->time_ns;
        sum += (double)use->mhz * use->time_ns;
        if (use->rated_mhz <= 0)
            continue;
        rated += (double)use->rated_mhz * use->time_ns;
        rated_ns += use->time_ns;
        mean.below_ns += use->mhz < use->rated_mhz ? use->time_ns : 0;
    }
    mean.mhz = mean.time_ns > 0 ? sum / mean.time_ns : 0;
    mean.rated_mhz = rated_ns > 0 ? rated / rated_ns : 0;
    return mean;
}

static int evidence_load_stages(sqlite3 *db, struct host_evidence *evidence, struct err *err)
{
    static const char stages[] = "SELECT name, input, input_empty FROM temp.framework_stage"
                                 " ORDER BY input_empty DESC NULLS LAST, rowid";
    int64_t attached = 0;
    int status = query_number(db, "SELECT " FRAMEWORK_ATTACHED, &attached, err);
    return attached ? query_run(db, stages, NULL, 0, take_stage, evidence, err) : status;
}

int evidence_load(sqlite3 *db, const struct workload *workload, const struct launches *launches,
                  struct host_calls *calls, struct host_evidence *ret, struct err *err)
{
    struct evidence_load load = {.evidence = ret,
                                 .also = calls,
                                 .sums = {[CALL_OF_MEMORY] = &ret->memory,
                                          [CALL_THAT_COMPILES] = &ret->compiles,
                                          [CALL_THAT_SYNCHRONISES] = &ret->synchronises}};
    struct db_facts facts;

    *ret = (struct host_evidence){.launches = launches,
                                  .memory.first_ns = INT64_MIN,
                                  .compiles.first_ns = INT64_MIN,
                                  .synchronises.first_ns = INT64_MIN};
    find_window(&load, workload);
    bool failed = db_read_facts(db, &facts, err) < 0 || load_calls(db, workload, &load, err) < 0 ||
                  sum_all_calls(&load, workload, err) < 0 ||
                  (facts.family != CAPTURE_SVP && load_frequency(db, workload, ret, err) < 0) ||
                  evidence_load_stages(db, ret, err) < 0 ||
                  (facts.family == CAPTURE_CANN && records_evidence_load(db, workload, ret, err) < 0);
    if (calls != NULL) {
        calls->names = load.names;
        failed = failed || finish_host_calls(calls, err) < 0;
    } else {
        intern_release(&load.names);
    }
    free(load.kinds);
    return failed ? err_status(err) : 0;
}
