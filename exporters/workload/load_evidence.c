#include "exporters/workload/load_evidence.h"

#include "base/array.h"
#include "base/number.h"
#include "db/database.h"
#include "db/query/query.h"
#include "db/query/query_records.h"
#include "exporters/workload/host_calls.h"
#include "exporters/workload/load_stages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the longest gaps ---- */

struct longest {
    struct gap items[LONGEST_GAPS]; /* the longest first */
    int64_t lengths[LONGEST_GAPS];
    size_t count;
};

static void keep_gap(struct longest *longest, const struct workload *workload, const struct gap *gap)
{
    int64_t length = gap_length_ns(workload, gap);
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
        keep_gap(ret, workload, &gaps.items[i]);
    if (status == 0)
        gaps_release(&gaps);
    return status;
}

static int by_place(const void *a, const void *b)
{
    const struct gap *x = a, *y = b;

    return (x->after > y->after) - (x->after < y->after);
}

/* ---- calls ---- */

struct evidence_load {
    struct host_evidence *evidence;
    struct intern names;
    bool *memory; /* whether each name is that of a memory call */
    size_t memory_count, memory_capacity;
    struct gap_calls calls;
    int64_t steady_ns; /* the end of the first step */
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
    if (call->start_ns >= load->steady_ns && load->memory[call->name]) {
        if (evidence->memory_calls++ == 0)
            evidence->first_memory_ns = call->start_ns;
        evidence->memory_ns = number_add(evidence->memory_ns, interval_length(call->start_ns, call->end_ns));
    }
    return 0;
}

static void tell_gap(struct gap_evidence *ret, const struct evidence_load *load, const struct workload *workload,
                     const struct gap *gap)
{
    size_t i = 0;

    *ret = (struct gap_evidence){.start_ns = gap_start_ns(workload, gap),
                                 .end_ns = gap_end_ns(workload, gap),
                                 .before = gap->before,
                                 .after = gap->after};
    while (load->calls.gaps->items[i].after != gap->after)
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
        tell_gap(&load->evidence->gaps[i], load, workload, &longest.items[i]);
    load->evidence->gap_count = longest.count;
    gap_calls_release(&load->calls);
    return status;
}

/* Frequency over time: each value counts until the next of its device. */
static int load_frequency(sqlite3 *db, struct host_evidence *evidence, struct err *err)
{
    struct cann_frequencies frequencies;
    double sum = 0, time = 0;
    int status = cann_frequencies_load(db, &frequencies, err);

    for (size_t i = 0; status == 0 && i + 1 < frequencies.count; i++) {
        const struct cann_frequency *now = &frequencies.items[i], *next = now + 1;
        if (now->device_id != next->device_id || !now->measured || now->mhz == DB_NULL)
            continue;
        sum += (double)now->mhz * (double)interval_length(now->time_ns, next->time_ns);
        time += (double)interval_length(now->time_ns, next->time_ns);
    }
    if (status == 0)
        cann_frequencies_release(&frequencies);
    evidence->mean_mhz = time > 0 ? sum / time : 0;
    return status;
}

int evidence_load(sqlite3 *db, const struct workload *workload, struct host_evidence *ret, struct err *err)
{
    struct evidence_load load = {.evidence = ret, .steady_ns = INT64_MIN};
    struct db_facts facts;
    int status = db_read_facts(db, &facts, err);

    *ret = (struct host_evidence){.first_memory_ns = INT64_MIN};
    ret->rated_mhz = (double)workload->facts.rated_khz / 1000;
    if (workload->step_count > 1)
        load.steady_ns = workload->steps[0].end_ns;
    if (status == 0)
        status = load_calls(db, workload, &load, err);
    if (status == 0 && facts.family != CAPTURE_SVP)
        status = load_frequency(db, ret, err);
    if (status == 0)
        status = evidence_load_stages(db, ret, err);
    intern_release(&load.names);
    free(load.memory);
    return status;
}
