/* SPDX-License-Identifier: Apache-2.0 */
#include "features/answers/analysis/splits.h"

#include "base/array.h"
#include "base/file/large.h"

/* Whether something of a stretch was not recorded; *cursor as intervals_length_within has it. */
static bool is_dark(const struct workload *workload, uint16_t device, int64_t from_ns, int64_t until_ns, size_t *cursor)
{
    return workload->unrecorded != NULL &&
           intervals_length_within(&workload->unrecorded[device], from_ns, until_ns, cursor) > 0;
}

static int keep_gap(struct gaps *gaps, struct gap gap, int64_t start_ns, int64_t end_ns, struct err *err)
{
    int status = end_ns > start_ns ? large_reserve(gaps, 1, err) : 0;

    gap.start_ns = start_ns;
    gap.end_ns = end_ns;
    if (status == 0 && end_ns > start_ns)
        gaps->items[gaps->count++] = gap;
    return status;
}

/* Adds the time that other tasks leave of a stretch between two executions; *cursor is where to look first. */
static int add_gap(const struct workload *workload, uint16_t device, const struct gap *gap, size_t *cursor,
                   struct gaps *gaps, struct err *err)
{
    const struct intervals none = {.items = NULL},
                           *others = workload->others != NULL ? &workload->others[device] : &none;
    int64_t now_ns = gap->start_ns;
    int status = 0;

    while (*cursor < others->count && others->items[*cursor].end_ns <= now_ns)
        (*cursor)++;
    for (size_t i = *cursor; status == 0 && i < others->count && others->items[i].start_ns < gap->end_ns; i++) {
        status = keep_gap(gaps, *gap, now_ns, others->items[i].start_ns, err);
        now_ns = others->items[i].end_ns;
    }
    return status == 0 ? keep_gap(gaps, *gap, now_ns, gap->end_ns, err) : status;
}

int gaps_make(const struct workload *workload, struct gaps *ret, struct err *err)
{
    const struct execution *last = NULL; /* the one that ends last so far */
    size_t cursor = 0, others = 0;
    int status = 0;

    *ret = (struct gaps){.items = NULL};
    for (size_t i = 0; status == 0 && i < workload->execution_count; i++) {
        const struct execution *execution = &workload->executions[i];
        large_pass(i);
        int64_t end_ns = last != NULL ? last->start_ns + last->duration_ns : 0;

        if (last == NULL || last->device != execution->device)
            cursor = others = 0;
        else if (execution->start_ns > end_ns &&
                 !is_dark(workload, execution->device, end_ns, execution->start_ns, &cursor)) {
            const struct gap gap = {end_ns, execution->start_ns, (uint32_t)(last - workload->executions), (uint32_t)i};
            status = add_gap(workload, execution->device, &gap, &others, ret, err);
        }
        if (last == NULL || last->device != execution->device || execution->start_ns + execution->duration_ns >= end_ns)
            last = execution;
    }
    if (status != 0)
        gaps_release(ret);
    return status;
}

void gaps_release(struct gaps *gaps)
{
    large_free(gaps->items);
    *gaps = (struct gaps){.items = NULL};
}
