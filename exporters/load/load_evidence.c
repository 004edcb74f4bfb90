/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/load/load_evidence.h"

#include "base/array.h"
#include "base/number.h"
#include "db/database.h"
#include "db/query/query.h"
#include "exporters/load/host_calls.h"
#include "exporters/load/load_frequency.h"
#include "exporters/load/load_stages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    for (size_t i = 0; status == 0 && i < gaps.count; i++)
        keep_gap(ret, &gaps.items[i]);
    if (status == 0)
        gaps_release(&gaps);
    return status;
}

static int by_place(const void *a, const void *b)
{
    const struct gap *x = a, *y = b;

    if (x->after != y->after)
        return array_order(x->after, y->after);
    return array_order(x->start_ns, y->start_ns);
}

/* ---- calls ---- */

struct evidence_load {
    struct host_evidence *evidence;
    struct intern names;
    bool *memory; /* whether each name is that of a memory call */
    size_t memory_count, memory_capacity;
    struct gap_calls calls;
    struct intervals memory_calls;
    int64_t steady_ns; /* the end of the first step */
    int64_t end_ns;    /* of what was recorded */
    int64_t first_ns;  /* the begin of the first call */
};

static int judge_names(struct evidence_load *load, struct err *err)
{
    while (load->memory_count < load->names.count) {
        if (load->memory_count == load->memory_capacity &&
            array_grow(&load->memory, &load->memory_capacity, load->memory_count, 1, sizeof *load->memory, err) != 0)
            return -(int)err->code;
        load->memory[load->memory_count] = is_memory_call(load->names.items[load->memory_count].bytes);
        load->memory_count++;
    }
    return 0;
}

static int take_call(void *arg, const struct host_call *call, struct err *err)
{
    struct evidence_load *load = arg;
    struct host_evidence *evidence = load->evidence;

    if (call->name >= load->memory_count && judge_names(load, err) != 0)
        return -(int)err->code;
    evidence->known = true;
    gap_calls_take(&load->calls, call);
    load->first_ns = call->start_ns < load->first_ns ? call->start_ns : load->first_ns;
    if (!load->memory[call->name] || call->start_ns < load->steady_ns || call->start_ns >= load->end_ns)
        return 0;
    if (evidence->memory_calls++ == 0 || call->start_ns < evidence->first_memory_ns)
        evidence->first_memory_ns = call->start_ns;
    return intervals_add(&load->memory_calls, call->start_ns, call->end_ns < load->end_ns ? call->end_ns : load->end_ns,
                         err);
}

/* From the end of the first step, when the program has what it needs, to the end of the last execution, or of the last
 * call that started one: what follows clears up. */
static void find_window(struct evidence_load *load, const struct workload *workload)
{
    load->steady_ns = INT64_MIN;
    load->end_ns = INT64_MIN;
    load->first_ns = INT64_MAX;
    for (size_t i = 0; i < workload->step_count && workload->step_count > 1; i++)
        if (workload->steps[i].source == workload->step_source &&
            (load->steady_ns == INT64_MIN || workload->steps[i].end_ns < load->steady_ns))
            load->steady_ns = workload->steps[i].end_ns;
    for (size_t i = 0; i < workload->execution_count; i++) {
        int64_t end_ns = workload->executions[i].start_ns + workload->executions[i].duration_ns;
        load->end_ns = end_ns > load->end_ns ? end_ns : load->end_ns;
    }
    for (size_t i = 0; i < workload->execute_starts.count; i++)
        if (workload->execute_starts.items[i].end_ns > load->end_ns)
            load->end_ns = workload->execute_starts.items[i].end_ns;
}

/* Nothing is known before the first call: a log keeps the newest ones. */
static void sum_memory_calls(struct evidence_load *load)
{
    intervals_unite(&load->memory_calls);
    load->evidence->memory_ns = intervals_length(&load->memory_calls);
    load->evidence->memory_window_ns =
        interval_length(load->first_ns > load->steady_ns ? load->first_ns : load->steady_ns, load->end_ns);
}

static void tell_gap(struct gap_evidence *ret, const struct evidence_load *load, const struct gap *gap)
{
    size_t i = 0;

    *ret = (struct gap_evidence){
        .start_ns = gap->start_ns, .end_ns = gap->end_ns, .before = gap->before, .after = gap->after};
    while (load->calls.gaps->items[i].after != gap->after || load->calls.gaps->items[i].start_ns != gap->start_ns)
        i++;
    const struct gap_call *call = &load->calls.items[i];
    const char *name = call->name != NO_TEXT ? load->names.items[call->name].bytes : NULL;
    ret->launched = call->launched;
    ret->cause = gap_calls_cause(&load->calls, i, name);
    snprintf(ret->call, sizeof ret->call, "%s", name != NULL ? name : "");
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
    array_sort(placed, longest.count, sizeof *placed, by_place);
    status = gap_calls_open(&load->calls, workload, &gaps, err);
    if (status == 0)
        status = host_calls_each(db, &load->names, take_call, load, err);
    for (size_t i = 0; status == 0 && i < longest.count; i++)
        tell_gap(&load->evidence->gaps[i], load, &longest.items[i]);
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

int evidence_load(sqlite3 *db, const struct workload *workload, struct host_evidence *ret, struct err *err)
{
    struct evidence_load load = {.evidence = ret};
    struct db_facts facts;
    int status = db_read_facts(db, &facts, err);

    *ret = (struct host_evidence){.first_memory_ns = INT64_MIN};
    find_window(&load, workload);
    if (status == 0)
        status = load_calls(db, workload, &load, err);
    sum_memory_calls(&load);
    if (status == 0 && facts.family != CAPTURE_SVP)
        status = load_frequency(db, workload, ret, err);
    if (status == 0)
        status = evidence_load_stages(db, ret, err);
    intern_release(&load.names);
    free(load.memory);
    intervals_release(&load.memory_calls);
    return status;
}
