/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file/large.h"
#include "base/number.h"
#include "base/statistics.h"
#include "features/answers/rules/rule.h"

#include <stdlib.h>

/* Whether steps of a group run at the same time: how much longer they took is no time of the device then. */
static bool overlap(const struct splits *splits, size_t group)
{
    int64_t end_ns = INT64_MIN;

    for (size_t k = 0; k < splits->groups.items[group].count; large_pass(k++)) {
        const struct split *split = &splits->items[splits_member(splits, group, k)];
        if (split->start_ns < end_ns)
            return true;
        end_ns = split->end_ns;
    }
    return false;
}

/* Says which time is at stake, and saved, if steps take no longer than their median. */
static void take_longer(const struct advice_look *look, size_t group, double value, double longer_ns, bool fired,
                        struct finding *finding)
{
    const bool known = !overlap(look->splits, group);

    rule_measured(finding, value, known ? longer_ns : fmin(longer_ns, look->elapsed_ns), fired);
    finding->saves_ns = known ? longer_ns : -1;
}

/* What times take beyond their median, of those that exceed it by more than so many percent. */
static double beyond(const int64_t *times, size_t n, double median, double percent)
{
    double sum = 0;

    for (size_t i = 0; i < n; large_pass(i++))
        sum += (double)times[i] > median * (1 + percent / 100) ? (double)times[i] - median : 0;
    return sum;
}

/* What the periods of a group's steps take beyond their median, all together; negative: fewer than four are known. A
 * step that is longer costs nothing where the next one begins when it would have: a host paces them. */
static double periods_beyond(const struct advice_look *look, size_t group, int64_t *times)
{
    struct series series;
    struct err err = ERR_INIT;
    size_t n = 0;

    for (size_t k = 0; k < look->splits->groups.items[group].count; large_pass(k++)) {
        const size_t i = splits_member(look->splits, group, k);
        const int64_t period_ns = look->splits->items[i].period.time_ns;
        if (splits_counts(look->splits, i) && period_ns != NO_PERIOD)
            times[n++] = period_ns;
    }
    if (n < 4 || series_make(&series, times, n, splits_hz(look->workload, look->splits, group), &err) != 0)
        return -1;
    const double rest_ns = series.total - (double)series.n * series.median;
    series_release(&series);
    return fmax(rest_ns, 0);
}

/* How the steps of a group scatter, when they do so more than those of the groups before. times: room for all. */
static void take_jitter(const struct advice_look *look, size_t group, int64_t *times, struct finding *finding)
{
    struct series series;
    struct err err = ERR_INIT;
    char name[GROUP_NAME_SIZE] = "";
    size_t n = 0, slowest = 0, slowest_place = 0; /* place: in the group, from 1 */
    int64_t longest = -1;

    for (size_t k = 0; k < look->splits->groups.items[group].count; large_pass(k++)) {
        const size_t i = splits_member(look->splits, group, k);
        if (!splits_counts(look->splits, i))
            continue;
        times[n++] = look->splits->items[i].own.time_ns;
        if (look->splits->items[i].own.time_ns > longest) {
            longest = look->splits->items[i].own.time_ns;
            slowest = i;
            slowest_place = k + 1;
        }
    }
    if (n < 4 || series_make(&series, times, n, splits_hz(look->workload, look->splits, group), &err) != 0)
        return;
    const double p95 = series.p95, value = rule_percent(p95 - series.median, series.median);
    /* a host that is ahead makes up for a long step in the next ones: at most what all together take beyond medians */
    const double longer_ns = fmin(beyond(times, n, series.median, finding->threshold),
                                  fmax(series.total - (double)series.n * series.median, 0));
    /* a group with nothing at stake does not stand for one that has */
    const bool counts = value > finding->threshold && longer_ns >= 1,
               counted = finding->fired && finding->at_stake_ns >= 1;
    if (finding->not_checked == NULL && (counted > counts || (counted == counts && value <= finding->value))) {
        series_release(&series);
        return;
    }
    finding->not_checked = NULL;
    if (look->splits->groups.count > 1)
        splits_group_name(look->workload, look->splits, group, name);
    take_longer(look, group, value, longer_ns, value > finding->threshold, finding);
    const double paced_ns = periods_beyond(look, group, times);
    if (finding->saves_ns >= 0 && paced_ns >= 0)
        finding->saves_ns = fmin(finding->saves_ns, paced_ns);
    finding->time_ns = look->splits->items[slowest].start_ns;
    rule_say(finding, "Steps%s%.200s%s take %s (p95 %s); the slowest, number %zu, takes %s.",
             name[0] != '\0' ? " (" : "", name, name[0] != '\0' ? ")" : "", RULE_TIME(series.median), RULE_TIME(p95),
             slowest_place, RULE_TIME(series.maximum));
    series_release(&series);
}

static void check_jitter(const struct advice_look *look, struct finding *finding)
{
    SCOPED_FREE int64_t *times = scoped_memory(look->splits->count + 1, sizeof *times);

    finding->not_checked = "fewer than four steps are known";
    for (size_t g = 0; times != NULL && !look->splits->whole && g < look->splits->groups.count; g++)
        if (look->splits->groups.items[g].source == look->splits->source)
            take_jitter(look, g, times, finding);
}

/* Cuts operators by what their executions before a time take longer than those behind it. false: there is no room. */
static bool cut_warmup(const struct advice_look *look, size_t group, int64_t until_ns)
{
    const struct workload *workload = look->workload;
    const uint16_t device = look->splits->groups.items[group].device;
    struct lengths {
        double warm_ns, later_ns;
        size_t warm, later;
    };
    SCOPED_FREE struct lengths *lengths = scoped_memory(workload->operator_count + 1, sizeof *lengths);

    for (size_t i = 0; lengths != NULL && i < workload->execution_count; i++) {
        const struct execution *it = &workload->executions[i];
        struct lengths *sums = &lengths[it->op];
        large_pass(i);
        if (it->device != device)
            continue;
        const bool warm = it->start_ns < until_ns;
        *(warm ? &sums->warm_ns : &sums->later_ns) += workload_length(workload, it);
        ++*(warm ? &sums->warm : &sums->later);
    }
    for (size_t i = 0; lengths != NULL && i < workload->operator_count; i++) {
        const struct lengths *sums = &lengths[i];
        const double later_ns = sums->later > 0 ? sums->later_ns / (double)sums->later : 0;
        look->cut[i] = sums->warm_ns > 0 ? fmax(1 - later_ns * (double)sums->warm / sums->warm_ns, 0) : 0;
    }
    return lengths != NULL;
}

/* How much longer the steps of warm-up of a group took than its median, where they are the most. */
static void take_warmup(const struct advice_look *look, size_t group, int64_t *times, struct finding *finding)
{
    struct series series;
    struct err err = ERR_INIT;
    double warm = 0, warm_free = 0, later_free = 0;
    int64_t warm_until_ns = INT64_MIN;
    size_t n = 0, count = 0, first = SIZE_MAX;

    for (size_t k = 0; k < look->splits->groups.items[group].count; large_pass(k++)) {
        const size_t i = splits_member(look->splits, group, k);
        const struct split *split = &look->splits->items[i];
        if (splits_is_warmup(look->splits, i)) {
            first = first == SIZE_MAX ? i : first;
            warm += (double)split->own.time_ns;
            warm_free += (double)split->own.free_ns;
            warm_until_ns = split_end_ns(split) > warm_until_ns ? split_end_ns(split) : warm_until_ns;
            count++;
        } else if (splits_counts(look->splits, i)) {
            later_free += (double)split->own.free_ns;
            times[n++] = split->own.time_ns;
        }
    }
    if (n == 0 || series_make(&series, times, n, splits_hz(look->workload, look->splits, group), &err) != 0)
        return;
    double more = fmax(warm - (double)count * series.median, 0), value = rule_percent(more, look->elapsed_ns);
    bool shown = finding->not_checked != NULL || value > finding->value;
    finding->not_checked = NULL;
    if (shown) {
        take_longer(look, group, value, more, count > 0 && value > finding->threshold, finding);
        finding->idle_ns = fmax(warm_free - (double)count * later_free / (double)n, 0);
        finding->of_warmup = finding->saves_ns > 0 && cut_warmup(look, group, warm_until_ns);
        finding->time_ns = first != SIZE_MAX ? look->splits->items[first].start_ns : INT64_MIN;
        rule_say(finding, "The first %zu steps take %s, later ones %s each: a cold start of %s.", count,
                 RULE_TIME(warm), RULE_TIME(series.median), RULE_TIME(more));
    }
    series_release(&series);
}

static void check_cold_start(const struct advice_look *look, struct finding *finding)
{
    SCOPED_FREE int64_t *times = scoped_memory(look->splits->count + 1, sizeof *times);

    finding->not_checked = "no steps are known";
    for (size_t g = 0; times != NULL && !look->splits->whole && g < look->splits->groups.count; g++)
        if (look->splits->groups.items[g].source == look->splits->source)
            take_warmup(look, g, times, finding);
}

const struct rule rule_step_jitter = {
    .order = 100,
    .id = "step-jitter",
    .rests_on = "when steps begin and end",
    .formula = "(p95 - median) / median of the time of steps",
    .advice = "Compare the slowest step with a typical one: find the operator or gap that grew.",
    .threshold = 5,
    .check = check_jitter,
};

const struct rule rule_cold_start = {
    .order = 105,
    .id = "cold-start",
    .rests_on = "when steps begin and end",
    .formula = "time of the warm-up steps beyond the median of the others / elapsed",
    .advice = "Run a warm-up step first: load models, compile and allocate in advance.",
    .threshold = 10,
    .check = check_cold_start,
};
