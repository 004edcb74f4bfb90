/* SPDX-License-Identifier: Apache-2.0 */
#include "features/answers/analysis/time_parts.h"
#include "base/file/large.h"
#include "base/language.h"
#include "base/words.h"

static ENUM_NAMES(
    time_part_name,
    enum time_part, [TIME_CUBE] = LANGUAGE_MARK("Cube operators"), [TIME_VECTOR] = LANGUAGE_MARK("Vector operators"),
    [TIME_AI_CPU] = LANGUAGE_MARK("AI CPU operators"), [TIME_EXPOSED] = LANGUAGE_MARK("Exposed communication"),
    [TIME_WAITING] = LANGUAGE_MARK("Waiting inside communication"), [TIME_COPIES] = LANGUAGE_MARK("Copies"),
    [TIME_OTHER] = LANGUAGE_MARK("Other tasks"), [TIME_UNRECORDED] = LANGUAGE_MARK("Not recorded"),
    [TIME_FREE] = LANGUAGE_MARK("Free"))

    const char *time_part_title(enum time_part part, const struct workload_facts *facts)
{
    return part == TIME_CUBE && !workload_knows_cores(facts) ? LANGUAGE_MARK("AI Core operators")
                                                             : time_part_name(part);
}

/* A united list, and where the sweep is in it. */
struct track {
    const struct intervals *list;
    size_t at;
};

struct sweep {
    size_t passed; /* executions */
    const struct execution *next, *end;
    const struct workload_operator *operators;
    int64_t ends[WORK_KINDS]; /* when the last of what began so far ends */
    struct track others, unrecorded;
};

/* Whether the list has this moment; *until becomes the next time at which that changes, if it is earlier. */
static bool is_within(struct track *track, int64_t now, int64_t *until)
{
    while (track->at < track->list->count && track->list->items[track->at].end_ns <= now)
        large_pass(track->at++);
    if (track->at == track->list->count)
        return false;
    const struct interval *it = &track->list->items[track->at];
    int64_t change = it->start_ns > now ? it->start_ns : it->end_ns;
    if (change < *until)
        *until = change;
    return it->start_ns <= now;
}

static void begin_executions(struct sweep *sweep, int64_t now, int64_t *until)
{
    for (; sweep->next < sweep->end && sweep->next->start_ns <= now; sweep->next++) {
        int64_t *end = &sweep->ends[sweep->operators[sweep->next->op].key.work];
        large_pass(sweep->passed++);
        int64_t end_ns = sweep->next->start_ns + sweep->next->duration_ns;
        *end = end_ns > *end ? end_ns : *end;
    }
    if (sweep->next < sweep->end && sweep->next->start_ns < *until)
        *until = sweep->next->start_ns;
    for (size_t work = 0; work < WORK_KINDS; work++)
        if (sweep->ends[work] > now && sweep->ends[work] < *until)
            *until = sweep->ends[work];
}

/* The part that a moment is of, and until when, at most the *until that it comes with. */
static enum time_part part_at(struct sweep *sweep, int64_t now, int64_t *until)
{
    static const enum time_part computing[] = {
        [WORK_CUBE] = TIME_CUBE, [WORK_VECTOR] = TIME_VECTOR, [WORK_AI_CPU] = TIME_AI_CPU};
    begin_executions(sweep, now, until);
    bool other = is_within(&sweep->others, now, until), dark = is_within(&sweep->unrecorded, now, until);
    bool copies = sweep->ends[WORK_COPY] > now;

    for (size_t work = 0; work < sizeof computing / sizeof *computing; work++)
        if (sweep->ends[work] > now)
            return computing[work];
    if (sweep->ends[WORK_COMMUNICATION] > now)
        return sweep->others.list->count == 0 || other || copies ? TIME_EXPOSED : TIME_WAITING;
    return copies ? TIME_COPIES : other ? TIME_OTHER : dark ? TIME_UNRECORDED : TIME_FREE;
}

void time_parts_at(const struct workload *workload, uint16_t device, const int64_t *times, size_t count,
                   struct time_parts *ret)
{
    static const struct intervals none = {.items = NULL};
    struct time_parts sum = {.ns = {0}};
    struct sweep sweep = {
        .next = workload->executions + workload_first_at(workload, device, INT64_MIN),
        .operators = workload->operators,
        .others = {workload->others != NULL ? &workload->others[device] : &none, 0},
        .unrecorded = {workload->unrecorded != NULL ? &workload->unrecorded[device] : &none, 0},
    };

    sweep.end = workload->executions + workload_first_at(workload, device, INT64_MAX);
    for (size_t work = 0; work < WORK_KINDS; work++)
        sweep.ends[work] = INT64_MIN;
    for (size_t i = 0; i < count; large_pass(i++)) {
        for (int64_t now = i > 0 ? times[i - 1] : times[0], until; now < times[i]; now = until) {
            until = times[i];
            enum time_part part = part_at(&sweep, now, &until);
            sum.ns[part] += until - now;
        }
        ret[i] = sum;
    }
}
