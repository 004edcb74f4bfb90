/* SPDX-License-Identifier: Apache-2.0 */
#include "features/answers/rules/rule.h"

#include "base/number.h"

#include <stdlib.h>

/* Adds up the time in which at least one execution of an operator ran, on each device by itself, in one pass: of the
 * operators that are wanted together, in sums[0], or where wanted is NULL of each. ends: room as sums has. */
static void unite(const struct workload *workload, const bool *wanted, int64_t *ends, double *sums)
{
    const size_t count = wanted != NULL ? 1 : workload->operator_count;
    uint16_t device = 0;

    for (size_t i = 0; i < workload->execution_count; i++) {
        const struct execution *execution = &workload->executions[i];
        large_pass(i);
        int64_t until_ns = number_add(execution->start_ns, execution->duration_ns);
        for (size_t k = 0; (i == 0 || execution->device != device) && k < count; k++)
            ends[k] = INT64_MIN;
        device = execution->device;
        if (wanted != NULL && !wanted[execution->op])
            continue;
        size_t at = wanted != NULL ? 0 : execution->op;
        const int64_t from_ns = execution->start_ns > ends[at] ? execution->start_ns : ends[at];
        sums[at] += ticks_exact_ns(workload->devices[device].hz, from_ns, interval_length(from_ns, until_ns));
        ends[at] = until_ns > ends[at] ? until_ns : ends[at];
    }
}

double rule_long_gaps_ns(const struct advice_look *look)
{
    double sum = 0;

    for (size_t i = 0; i < look->gaps->count; i++) {
        const double length = gap_whole_ns(look->workload, &look->gaps->items[i]);
        large_pass(i);
        sum += fmax(length - QUEUE_GAP_NS, 0);
    }
    return sum;
}

double rule_gaps_ns(const struct advice_look *look)
{
    double sum = 0;

    for (size_t i = 0; i < look->gaps->count; i++) {
        large_pass(i);
        sum += gap_whole_ns(look->workload, &look->gaps->items[i]);
    }
    return sum;
}

double rule_united_ns(const struct advice_look *look)
{
    int64_t end_ns = INT64_MIN;
    double sum = 0;

    unite(look->workload, look->wanted, &end_ns, &sum);
    return sum;
}

int advice_look_at_operators(struct advice_look *look, struct err *err)
{
    const size_t count = look->workload->operator_count + 1;
    SCOPED_FREE int64_t *ends = scoped_memory(count, sizeof *ends);

    look->united_ns = calloc(count, sizeof *look->united_ns);
    look->wanted = calloc(count, sizeof *look->wanted);
    look->cut = calloc(count, sizeof *look->cut);
    bool failed = ends == NULL || look->united_ns == NULL || look->wanted == NULL || look->cut == NULL;
    if (!failed)
        unite(look->workload, NULL, ends, look->united_ns);
    return failed ? err_no_memory(err) : 0;
}

double rule_share_of_busy(const struct advice_look *look, size_t op)
{
    return look->busy_ns > 0 ? 100 * look->united_ns[op] / look->busy_ns : 0;
}

static void set_row(struct finding_row *row, const struct workload *workload, const struct workload_operator *op,
                    double time_ns, double share)
{
    *row = (struct finding_row){.time_ns = time_ns, .share = share, .count = op->count, .at_ns = INT64_MIN};
    row->name = workload_text(workload, op->key.name);
    if (op->first < workload->execution_count)
        row->at_ns = workload->executions[op->first].start_ns;
}

void rule_add_operator(struct finding *finding, const struct workload *workload, const struct workload_operator *op,
                       double time_ns, double share)
{
    size_t at = finding->row_count;

    while (at > 0 && finding->rows[at - 1].time_ns < time_ns)
        at--;
    if (at == FINDING_ROWS)
        return;
    if (finding->row_count < FINDING_ROWS)
        finding->row_count++;
    memmove(&finding->rows[at + 1], &finding->rows[at], (finding->row_count - 1 - at) * sizeof finding->rows[0]);
    set_row(&finding->rows[at], workload, op, time_ns, share);
    finding->time_ns = finding->rows[0].at_ns;
}

void rule_say(struct finding *finding, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    err_format(finding->sentence, sizeof finding->sentence, language_shown(format), arguments);
    va_end(arguments);
}

void rule_saves_communication(const struct advice_look *look, struct finding *finding, double saves_ns)
{
    finding->saves_ns = saves_ns;
    for (size_t i = 0; saves_ns >= 0 && i < look->workload->operator_count; i++)
        look->cut[i] = look->workload->operators[i].key.work == WORK_COMMUNICATION ? 1 : 0;
}

double rule_take_operators(const struct advice_look *look, struct finding *finding,
                           bool (*wanted)(const struct workload *, const struct workload_operator *))
{
    for (size_t i = 0; i < look->workload->operator_count; i++) {
        const struct workload_operator *op = &look->workload->operators[i];
        look->wanted[i] = wanted(look->workload, op);
        look->cut[i] = look->wanted[i] ? 1 : 0;
        if (look->wanted[i])
            rule_add_operator(finding, look->workload, op, op->total_ns, rule_share_of_busy(look, i));
    }
    double sum = rule_united_ns(look), value = rule_percent(sum, look->busy_ns);
    rule_measured(finding, value, sum, value > finding->threshold);
    return sum;
}
