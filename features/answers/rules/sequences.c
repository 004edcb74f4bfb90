/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences of operators that come again and again, and between which the device waits more than it works. */
#include "base/array.h"
#include "base/map.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "features/answers/rules/rule.h"

#include <stdlib.h>

#define LONGEST_SEQUENCE 6
#define MOST_BUSY 0.4 /* of the time of a sequence: above that the device is not kept waiting */
#define LEAST_REPEATED 5

struct sequence {
    struct sequence_key {
        uint32_t ops[LONGEST_SEQUENCE]; /* NO_TEXT behind the last */
    } key;
    size_t length, count, next; /* next: the first execution that is not in the last one of them */
    double wall_ns, busy_ns;    /* of whole ticks */
    int64_t first_ns;
};

/* Adds a sequence that begins with an execution, unless the one before of the same operators reaches into it. */
static int add_sequence(const struct workload *workload, struct map *known, size_t first, size_t length, double wall_ns,
                        double busy_ns, struct err *err)
{
    struct sequence_key key;
    bool added;

    for (size_t k = 0; k < LONGEST_SEQUENCE; k++)
        key.ops[k] = k < length ? workload->executions[first + k].op : NO_TEXT;
    struct sequence *it = map_add(known, &key, &added, err);
    if (it == NULL)
        return err_status(err);
    if (added) {
        it->length = length;
        it->first_ns = workload->executions[first].start_ns;
    }
    if (first < it->next)
        return 0;
    it->next = first + length;
    it->count++;
    it->wall_ns += wall_ns;
    it->busy_ns += busy_ns;
    return 0;
}

/* Operators of one stream that compute on cores, one behind the other. */
static bool follows(const struct workload *workload, size_t i)
{
    const struct execution *before = &workload->executions[i - 1], *it = &workload->executions[i];
    const uint32_t work = workload->operators[it->op].key.work;

    return it->device == before->device && it->stream == before->stream &&
           it->start_ns >= number_add(before->start_ns, before->duration_ns) &&
           (work == WORK_CUBE || work == WORK_VECTOR);
}

/* Where the step ends that an execution is of: nothing is fused with what is behind it. *split goes on from one
 * execution to the next. */
static int64_t next_step_ns(const struct splits *splits, const struct execution *execution, size_t *split)
{
    while (
        !splits->whole && *split < splits->count &&
        (splits->items[*split].device < execution->device ||
         (splits->items[*split].device == execution->device && splits->items[*split].start_ns <= execution->start_ns)))
        large_pass((*split)++);
    return !splits->whole && *split < splits->count && splits->items[*split].device == execution->device
               ? splits->items[*split].start_ns
               : INT64_MAX;
}

/* Takes all that begin with an execution. */
static int take_sequences(const struct workload *workload, struct map *known, size_t first, int64_t until_ns,
                          struct err *err)
{
    const struct execution *begin = &workload->executions[first];
    double busy_ns = workload_length(workload, begin);

    for (size_t k = 1; k < LONGEST_SEQUENCE && first + k < workload->execution_count; k++) {
        const struct execution *it = &workload->executions[first + k];
        if (!follows(workload, first + k) || it->start_ns >= until_ns)
            return 0;
        busy_ns += workload_length(workload, it);
        const double wall_ns =
            ticks_exact_ns(workload->devices[it->device].hz, begin->start_ns,
                           number_subtract(number_add(it->start_ns, it->duration_ns), begin->start_ns));
        if (busy_ns < MOST_BUSY * wall_ns && add_sequence(workload, known, first, k + 1, wall_ns, busy_ns, err) < 0)
            return err_status(err);
    }
    return 0;
}

static double waited_ns(const struct sequence *it)
{
    return it->wall_ns - it->busy_ns;
}

static int by_waiting(const void *a, const void *b)
{
    const struct sequence *x = a, *y = b;

    return waited_ns(x) != waited_ns(y) ? array_order(waited_ns(y), waited_ns(x))
                                        : array_order(x->first_ns, y->first_ns);
}

static int name_sequence(const struct advice_look *look, const struct sequence *it, const char **ret, struct err *err)
{
    SCOPED(strbuf_release) struct strbuf name;

    strbuf_init(&name, 4096);
    for (size_t k = 0; k < it->length; k++)
        strbuf_addf(&name, "%s%.500s", k > 0 ? ", " : "",
                    workload_text(look->workload, look->workload->operators[it->key.ops[k]].key.name));
    return intern_keep(look->texts, name.data, ret, err);
}

/* The sequences that waited most are rows. */
static int tell_sequences(const struct advice_look *look, struct sequence *items, size_t count, struct finding *finding,
                          struct err *err)
{
    array_sort(items, count, sizeof *items, by_waiting);
    for (size_t i = 0; i < count && finding->row_count < FINDING_ROWS; i++) {
        const struct sequence *it = &items[i];
        struct finding_row *row = &finding->rows[finding->row_count];
        if (it->count <= LEAST_REPEATED)
            continue;
        *row = (struct finding_row){.time_ns = it->wall_ns,
                                    .share = rule_percent(it->busy_ns, it->wall_ns),
                                    .count = (int64_t)it->count,
                                    .at_ns = it->first_ns};
        if (name_sequence(look, it, &row->name, err) < 0)
            return err_status(err);
        if (finding->row_count++ > 0)
            continue;
        double value = rule_percent(it->wall_ns, look->elapsed_ns);
        rule_measured(finding, value, waited_ns(it), value > finding->threshold);
        finding->saves_ns = waited_ns(it);
        finding->time_ns = it->first_ns;
        rule_say(finding, "A sequence of %zu operators that repeats %zu times takes %s and runs for %.1f %% of it.",
                 it->length, it->count, RULE_TIME(it->wall_ns), row->share);
    }
    return 0;
}

static void check_sequences(const struct advice_look *look, struct finding *finding)
{
    SCOPED(map_release) struct map known = MAP_OF(struct sequence, key);
    struct err err = ERR_INIT;
    int status = 0;
    size_t split = 0;

    for (size_t i = 0; status == 0 && i + 1 < look->workload->execution_count; i++) {
        const int64_t until_ns = next_step_ns(look->splits, &look->workload->executions[i], &split);
        const uint32_t work = look->workload->operators[look->workload->executions[i].op].key.work;
        large_pass(i);
        if (work == WORK_CUBE || work == WORK_VECTOR)
            status = take_sequences(look->workload, &known, i, until_ns, &err);
    }
    struct sequence *items = status == 0 ? map_items(&known, &err) : NULL;
    if (items == NULL || tell_sequences(look, items, known.used, finding, &err) < 0)
        finding->not_checked = "memory ran out for sequences of operators";
    free(items);
}

const struct rule rule_fusible_sequence = {
    .order = 57,
    .id = "fusible-sequence",
    .rests_on = "when each operator ran, and on which stream",
    .formula = "time of sequences of 2 to 6 operators of a step that repeat over 5 times and run for less than 40 % of "
               "it / elapsed",
    .advice = "Write them as one operator, or use a fused one: launching costs more than running.",
    .threshold = 5,
    .of_gaps = true,
    .check = check_sequences,
};
