/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/compare/statistics.h"
#include "analysis/rules/rule.h"

#include <stdlib.h>

/* How the steps of a group scatter, when they do so more than those of the groups before. times: room for all. */
static void take_jitter(const struct advice_look *look, size_t group, int64_t *times, struct finding *finding)
{
    struct series series;
    struct err err = ERR_INIT;
    char name[GROUP_NAME_SIZE] = "";
    size_t n = 0, place = 0, slowest = 0, slowest_place = 0; /* place: in the group, from 1 */
    int64_t longest = -1;

    for (size_t i = 0; i < look->splits->count; i++) {
        place += look->splits->items[i].group == group;
        if (look->splits->items[i].group != group || !splits_counts(look->splits, i))
            continue;
        times[n++] = look->splits->items[i].own.time_ns;
        if (look->splits->items[i].own.time_ns > longest) {
            longest = look->splits->items[i].own.time_ns;
            slowest = i;
            slowest_place = place;
        }
    }
    if (n < 4 || series_make(&series, times, n, &err) != 0)
        return;
    double p95 = series.p95, value = rule_percent(p95 - series.median, series.median);
    if (finding->not_checked == NULL && value <= finding->value) {
        series_release(&series);
        return;
    }
    finding->not_checked = NULL;
    if (look->splits->groups.count > 1)
        splits_group_name(look->workload, look->splits, group, name);
    rule_measured(finding, value, fmax(series.total - (double)series.n * series.median, 0), value > finding->threshold);
    finding->saves_ns = finding->at_stake_ns;
    finding->time_ns = look->splits->items[slowest].start_ns;
    rule_say(finding, "Steps%s%.200s%s take %.3f us, 19 of 20 at most %.3f us; the slowest, number %zu, takes %.3f us.",
             name[0] != '\0' ? " (" : "", name, name[0] != '\0' ? ")" : "", series.median / 1e3, p95 / 1e3,
             slowest_place, series.maximum / 1e3);
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

/* How much longer the steps of warm-up of a group took than its median, where they are the most. */
static void take_warmup(const struct advice_look *look, size_t group, int64_t *times, struct finding *finding)
{
    struct series series;
    struct err err = ERR_INIT;
    double warm = 0;
    size_t n = 0, count = 0, first = SIZE_MAX;

    for (size_t i = 0; i < look->splits->count; i++) {
        const struct split *split = &look->splits->items[i];
        if (split->group != group)
            continue;
        if (splits_is_warmup(look->splits, i)) {
            first = first == SIZE_MAX ? i : first;
            warm += (double)split->own.time_ns;
            count++;
        } else if (splits_counts(look->splits, i)) {
            times[n++] = split->own.time_ns;
        }
    }
    if (n == 0 || series_make(&series, times, n, &err) != 0)
        return;
    double more = fmax(warm - (double)count * series.median, 0), value = rule_percent(more, look->elapsed_ns);
    bool shown = finding->not_checked != NULL || value > finding->value;
    finding->not_checked = NULL;
    if (shown) {
        rule_measured(finding, value, more, count > 0 && value > finding->threshold);
        finding->saves_ns = more;
        finding->time_ns = first != SIZE_MAX ? look->splits->items[first].start_ns : INT64_MIN;
        rule_say(finding, "The first %zu steps take %.3f us, those behind them %.3f us each: a cold start of %.3f us.",
                 count, warm / 1e3, series.median / 1e3, more / 1e3);
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
    .advice = "Compare the slowest step with one in the middle: which operator or gap grew?",
    .threshold = 5,
    .check = check_jitter,
};

const struct rule rule_cold_start = {
    .order = 105,
    .id = "cold-start",
    .rests_on = "when steps begin and end",
    .formula = "time of the steps of warm-up, without the median of the others for each / elapsed",
    .advice = "Run a step before it counts: load models, compile and allocate ahead.",
    .threshold = 10,
    .check = check_cold_start,
};
