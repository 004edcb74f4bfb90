/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/rules/rule.h"

static bool is_ai_cpu(const struct workload *workload, const struct workload_operator *op)
{
    (void)workload;
    return op->key.work == WORK_AI_CPU && op->count > 0;
}

/* An operator of the AI CPU that takes more is worth a change however short its executions are: percent of busy. */
#define MUCH_ON_AI_CPU 5

static void check_ai_cpu(const struct advice_look *look, struct finding *finding)
{
    const double least_ns = 20000;
    double sum = rule_take_operators(look, finding, is_ai_cpu), longest = 0, most = 0;

    for (size_t i = 0; i < look->workload->execution_count; i++) {
        const struct execution *execution = &look->workload->executions[i];
        large_pass(i);
        if (look->wanted[execution->op])
            longest = fmax(longest, (double)execution->duration_ns);
    }
    for (size_t i = 0; i < look->workload->operator_count; i++)
        most = look->wanted[i] ? fmax(most, rule_share_of_busy(look, i)) : most;
    finding->fired = finding->fired && (longest >= least_ns || most >= MUCH_ON_AI_CPU);
    rule_say(finding, "Operators on the AI CPU take %.1f %% of the busy time (%.3f us), the longest %.3f us.",
             finding->value, sum / 1e3, longest / 1e3);
}

static bool is_converting(const struct workload *workload, const struct workload_operator *op)
{
    return workload_is_conversion(workload_text(workload, op->key.type));
}

static void check_conversion(const struct advice_look *look, struct finding *finding)
{
    double sum = rule_take_operators(look, finding, is_converting);

    rule_say(finding, "Operators that only convert formats or types take %.1f %% of the busy time (%.3f us).",
             finding->value, sum / 1e3);
}

static void check_small(const struct advice_look *look, struct finding *finding)
{
    const double small_ns = 10000;
    double small = 0, all = 0, time_ns = 0, gaps_ns = 0;

    for (size_t i = 0; i < look->workload->execution_count; i++) {
        const struct execution *execution = &look->workload->executions[i];
        large_pass(i);
        if (!work_computes(look->workload->operators[execution->op].key.work))
            continue;
        all++;
        if ((double)execution->duration_ns < small_ns) {
            small++;
            time_ns += (double)execution->duration_ns;
        }
    }
    for (size_t i = 0; i < look->gaps->count; i++) {
        large_pass(i);
        gaps_ns += (double)gap_length_ns(&look->gaps->items[i]);
    }
    double value = rule_percent(small, all), mean = small > 0 ? time_ns / small : 0;
    double mean_gap = all > 1 ? gaps_ns / (all - 1) : 0;
    rule_measured(finding, value, mean_gap * small, value > finding->threshold && mean_gap > mean);
    rule_say(finding,
             "%.1f %% of the operators take less than 10 us (%.2f us on average, and %.2f us of gap behind each).",
             value, mean / 1e3, mean_gap / 1e3);
}

const struct rule rule_ai_cpu = {
    .order = 30,
    .id = "ai-cpu",
    .rests_on = "the processor of each operator",
    .formula = "time on the AI CPU / busy; one execution of at least 20 us, or an operator of at least 5 %",
    .advice = "Avoid the operator, or change its data type to one that the AI Core has.",
    .threshold = 1,
    .check = check_ai_cpu,
};

const struct rule rule_conversion = {
    .order = 40,
    .id = "conversion",
    .rests_on = "the types of operators",
    .formula = "time of TransData, Cast, Transpose, Reformat / busy",
    .advice = "Keep one format and one data type between the neighbours of these operators.",
    .threshold = 5,
    .check = check_conversion,
};

const struct rule rule_small_operators = {
    .order = 50,
    .id = "small-operators",
    .rests_on = "when each operator ran",
    .formula = "share of operators below 10 us; the mean gap is longer than their mean time",
    .advice = "Fuse operators, or run the model as a graph, so that launching costs less.",
    .threshold = 50,
    .of_gaps = true,
    .check = check_small,
};
