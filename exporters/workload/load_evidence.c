#include "exporters/workload/load_evidence.h"

#include "db/query/query.h"
#include "db/query/query_cann.h"
#include "db/query/query_records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct evidence_load {
    struct host_evidence *evidence;
    const struct cann_texts *names;
    int64_t steady_ns; /* the end of the first step */
};

static void keep_gap(struct host_evidence *evidence, const struct gap *gap)
{
    const struct gap_evidence new_gap = {
        .start_ns = gap->start_ns, .end_ns = gap->end_ns, .before = gap->before, .after = gap->after};
    int64_t length = interval_length(gap->start_ns, gap->end_ns);
    size_t at = evidence->gap_count;

    while (at > 0 && interval_length(evidence->gaps[at - 1].start_ns, evidence->gaps[at - 1].end_ns) < length)
        at--;
    if (at == LONGEST_GAPS)
        return;
    if (evidence->gap_count < LONGEST_GAPS)
        evidence->gap_count++;
    memmove(&evidence->gaps[at + 1], &evidence->gaps[at], (evidence->gap_count - 1 - at) * sizeof evidence->gaps[0]);
    evidence->gaps[at] = new_gap;
}

/* The call that covers most of a gap; of equal ones the shortest, which is the innermost. */
static void hold_against(struct gap_evidence *gap, const char *name, int64_t start_ns, int64_t end_ns)
{
    int64_t from = start_ns > gap->start_ns ? start_ns : gap->start_ns;
    int64_t covered = interval_length(from, end_ns < gap->end_ns ? end_ns : gap->end_ns);
    int64_t length = interval_length(start_ns, end_ns);

    if (covered == 0 || covered < gap->covered_ns ||
        (covered == gap->covered_ns && gap->call_ns > 0 && length >= gap->call_ns))
        return;
    gap->covered_ns = covered;
    gap->call_ns = length;
    snprintf(gap->call, sizeof gap->call, "%s", name);
}

static bool is_memory_call(const char *name)
{
    return strcasestr(name, "malloc") != NULL || strcasestr(name, "free") != NULL ||
           (strcasestr(name, "memcpy") != NULL && strcasestr(name, "async") == NULL);
}

static void take_call(struct evidence_load *load, const char *name, int64_t start_ns, int64_t end_ns, bool launches)
{
    struct host_evidence *evidence = load->evidence;

    evidence->known = true;
    for (size_t i = 0; i < evidence->gap_count; i++) {
        struct gap_evidence *gap = &evidence->gaps[i];
        if (end_ns <= gap->start_ns || start_ns >= gap->end_ns)
            continue;
        hold_against(gap, name, start_ns, end_ns);
        gap->launched = gap->launched || (launches && start_ns > gap->start_ns);
    }
    if (start_ns >= load->steady_ns && is_memory_call(name)) {
        if (evidence->memory_calls++ == 0)
            evidence->first_memory_ns = start_ns;
        evidence->memory_ns += interval_length(start_ns, end_ns);
    }
}

static int take_host_call(void *arg, const struct cann_call *call, struct err *err)
{
    struct evidence_load *load = arg;
    struct cann_text name = cann_text(load->names, call->name_id, 0);
    int64_t end_ns;

    (void)err;
    if (call->start_ns == DB_NULL || call->duration_ns == DB_NULL ||
        __builtin_add_overflow(call->start_ns, call->duration_ns, &end_ns))
        return 0;
    take_call(load, name.text != NULL ? name.text : "N/A", call->start_ns, end_ns, call->launches > 0);
    return 0;
}

static int take_acl_call(void *arg, const struct acl_call *call, struct err *err)
{
    (void)err;
    take_call(arg, call->name, call->start_ns, call->end_ns, false);
    return 0;
}

struct model_load {
    struct evidence_load *load;
    sqlite3 *db;
};

static int take_model(void *arg, const struct svp_model *model, struct err *err)
{
    struct model_load *each = arg;

    return acl_each_call(each->db, model, take_acl_call, each->load, err);
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

static int load_calls(sqlite3 *db, struct evidence_load *load, struct err *err)
{
    struct cann_texts names = {.items = NULL};
    struct cann_call_reader *reader = NULL;
    int64_t count = 0;
    int status = cann_names_load(db, &names, err);

    load->names = &names;
    if (status == 0 && (reader = cann_call_reader_new(db, err)) == NULL)
        status = -(int)err->code;
    if (status == 0)
        status = cann_call_count(db, &count, err);
    if (status == 0)
        status = cann_read_calls(reader, 1, count + 1, take_host_call, load, err);
    cann_call_reader_free(reader);
    cann_texts_release(&names);
    load->names = NULL;
    return status;
}

int evidence_load(sqlite3 *db, const struct workload *workload, struct host_evidence *ret, struct err *err)
{
    struct evidence_load load = {.evidence = ret, .steady_ns = INT64_MIN};
    struct model_load each = {&load, db};
    struct db_facts facts;
    struct gaps gaps;
    int status = gaps_make(workload, &gaps, err);

    *ret = (struct host_evidence){.first_memory_ns = INT64_MIN};
    if (status != 0)
        return status;
    for (size_t i = 0; i < gaps.count; i++)
        keep_gap(ret, &gaps.items[i]);
    gaps_release(&gaps);
    if (workload->step_count > 1)
        load.steady_ns = workload->steps[0].end_ns;
    ret->rated_mhz = (double)workload->facts.rated_khz / 1000;
    status = db_read_facts(db, &facts, err);
    if (status == 0 && facts.family == DB_FAMILY_SVP)
        status = svp_each_model(db, take_model, &each, err);
    if (status == 0 && facts.family != DB_FAMILY_SVP)
        status = load_calls(db, &load, err);
    if (status == 0 && facts.family != DB_FAMILY_SVP)
        status = load_frequency(db, ret, err);
    return status;
}
