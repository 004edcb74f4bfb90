/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/advice.h"
#include "base/array.h"

#include "analysis/bound.h"
#include "analysis/compare/statistics.h"
#include "base/file/large.h"
#include "base/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

ENUM_NAMES(advice_severity_name, enum severity, "low", "medium", "high")

/* The facts that every rule looks at. */
struct advice_look {
    const struct workload *workload;
    const struct host_evidence *host;
    const struct splits *splits;
    const struct gaps *gaps;
    const struct advice *advice;
    double *united_ns; /* of each operator: when at least one of its executions ran */
    bool *wanted;      /* room for a choice of operators */
};

/* Adds up the time in which at least one execution of an operator ran, on each device by itself, in one pass: of the
 * operators that are wanted together, in sums[0], or where wanted is NULL of each. ends: room as sums has. */
static void unite(const struct workload *workload, const bool *wanted, int64_t *ends, double *sums)
{
    const size_t count = wanted != NULL ? 1 : workload->operator_count;
    uint16_t device = 0;

    for (size_t i = 0; i < workload->execution_count; i++) {
        const struct execution *execution = &workload->executions[i];
        large_pass(i);
        int64_t until_ns = execution->start_ns + execution->duration_ns;
        for (size_t k = 0; (i == 0 || execution->device != device) && k < count; k++)
            ends[k] = INT64_MIN;
        device = execution->device;
        if (wanted != NULL && !wanted[execution->op])
            continue;
        size_t at = wanted != NULL ? 0 : execution->op;
        sums[at] += (double)interval_length(execution->start_ns > ends[at] ? execution->start_ns : ends[at], until_ns);
        ends[at] = until_ns > ends[at] ? until_ns : ends[at];
    }
}

static double united_time(const struct advice_look *look)
{
    int64_t end_ns = INT64_MIN;
    double sum = 0;

    unite(look->workload, look->wanted, &end_ns, &sum);
    return sum;
}

static int unite_operators(struct advice_look *look, struct err *err)
{
    const size_t count = look->workload->operator_count + 1;
    SCOPED_FREE int64_t *ends = scoped_memory(count, sizeof *ends);

    look->united_ns = calloc(count, sizeof *look->united_ns);
    look->wanted = calloc(count, sizeof *look->wanted);
    bool failed = ends == NULL || look->united_ns == NULL || look->wanted == NULL;
    if (!failed)
        unite(look->workload, NULL, ends, look->united_ns);
    return failed ? err_no_memory(err) : 0;
}

/* Share of an operator in the time in which devices were busy. */
static double share_of_busy(const struct advice_look *look, size_t op)
{
    return look->advice->busy_ns > 0 ? 100 * look->united_ns[op] / look->advice->busy_ns : 0;
}

static void set_row(struct finding_row *row, const struct workload *workload, const struct workload_operator *op,
                    double time_ns, double share)
{
    *row = (struct finding_row){.time_ns = time_ns, .share = share, .count = op->count, .at_ns = INT64_MIN};
    row->name = workload_text(workload, op->key.name);
    if (op->first < workload->execution_count)
        row->at_ns = workload->executions[op->first].start_ns;
}

/* Keeps the rows with most time. */
static void add_operator(struct finding *finding, const struct workload *workload, const struct workload_operator *op,
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

static double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

static void measured(struct finding *finding, double value, double at_stake_ns, bool fired)
{
    finding->value = value;
    finding->at_stake_ns = at_stake_ns;
    finding->fired = fired;
}

__attribute__((format(printf, 2, 3))) static void say(struct finding *finding, const char *format, ...)
{
    ERR_FORMAT(finding->sentence, format);
}

static void check_idle(const struct advice_look *look, struct finding *finding)
{
    double idle_ns = (double)look->splits->all.free_ns;
    double value = percent(idle_ns, look->advice->elapsed_ns);

    measured(finding, value, idle_ns, value > finding->threshold);
    say(finding, "The device does nothing in %.1f %% of the time (%.3f us).", value, idle_ns / 1e3);
}

/* Tells what the host did in a gap, and in how much of it. */
static void tell_gap(const struct host_evidence *host, const struct gap_evidence *gap, char why[256])
{
    const char *waits = gap->cause == CAUSE_SYNC ? "waited for the device in" : "was in";

    if (!host->known)
        snprintf(why, 256, "the capture has no calls of the host to say why");
    else if (gap->call[0] != '\0')
        snprintf(why, 256, "the host %s %.120s in %.0f %% of it", waits, gap->call, 100 * gap->covered);
    else
        snprintf(why, 256, "no call of the host covers a tenth of it%s",
                 gap->launched ? ", and the next task was launched late" : "");
}

static void check_gap(const struct advice_look *look, struct finding *finding)
{
    const struct gap_evidence *gap = look->host->gaps;
    double step_ns = splits_step_ns(look->splits, splits_longest_group(look->splits));

    if (look->host->gap_count == 0) {
        finding->not_checked = "there is no gap between two tasks";
        return;
    }
    double length = (double)interval_length(gap->start_ns, gap->end_ns), value = percent(length, step_ns);
    double all = 0;
    for (size_t i = 0; i < look->host->gap_count; i++)
        all += (double)interval_length(look->host->gaps[i].start_ns, look->host->gaps[i].end_ns);
    measured(finding, value, all, value > finding->threshold);
    finding->time_ns = gap->start_ns;
    char why[256];
    tell_gap(look->host, gap, why);
    say(finding, "The longest gap takes %.3f us between '%.80s' and '%.80s'; %s.", length / 1e3,
        execution_name(look->workload, gap->before), execution_name(look->workload, gap->after), why);
    for (size_t i = 0; i < look->host->gap_count && i < FINDING_ROWS; i++) {
        struct finding_row *row = &finding->rows[finding->row_count++];
        *row = (struct finding_row){
            .name = !look->host->known                    ? "(calls were not recorded)"
                    : look->host->gaps[i].call[0] == '\0' ? "(no call)"
                                                          : look->host->gaps[i].call,
            .time_ns = (double)interval_length(look->host->gaps[i].start_ns, look->host->gaps[i].end_ns),
            .count = 1,
            .at_ns = look->host->gaps[i].start_ns};
        row->share = percent(row->time_ns, step_ns);
    }
}

/* Takes the operators that are wanted as rows: the rule fires when they take more of the busy time than its limit.
 * Returns that time in nanoseconds. */
static double take_operators(const struct advice_look *look, struct finding *finding,
                             bool (*wanted)(const struct workload *, const struct workload_operator *))
{
    for (size_t i = 0; i < look->workload->operator_count; i++) {
        const struct workload_operator *op = &look->workload->operators[i];
        look->wanted[i] = wanted(look->workload, op);
        if (look->wanted[i])
            add_operator(finding, look->workload, op, op->total_ns, share_of_busy(look, i));
    }
    double sum = united_time(look), value = percent(sum, look->advice->busy_ns);
    measured(finding, value, sum, value > finding->threshold);
    return sum;
}

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
    double sum = take_operators(look, finding, is_ai_cpu), longest = 0, most = 0;

    for (size_t i = 0; i < look->workload->execution_count; i++) {
        const struct execution *execution = &look->workload->executions[i];
        large_pass(i);
        if (look->wanted[execution->op])
            longest = fmax(longest, (double)execution->duration_ns);
    }
    for (size_t i = 0; i < look->workload->operator_count; i++)
        most = look->wanted[i] ? fmax(most, share_of_busy(look, i)) : most;
    finding->fired = finding->fired && (longest >= least_ns || most >= MUCH_ON_AI_CPU);
    say(finding, "Operators on the AI CPU take %.1f %% of the busy time (%.3f us), the longest %.3f us.",
        finding->value, sum / 1e3, longest / 1e3);
}

static bool is_converting(const struct workload *workload, const struct workload_operator *op)
{
    return workload_is_conversion(workload_text(workload, op->key.type));
}

static void check_conversion(const struct advice_look *look, struct finding *finding)
{
    double sum = take_operators(look, finding, is_converting);

    say(finding, "Operators that only convert formats or types take %.1f %% of the busy time (%.3f us).",
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
    double value = percent(small, all), mean = small > 0 ? time_ns / small : 0;
    double mean_gap = all > 1 ? gaps_ns / (all - 1) : 0;
    measured(finding, value, mean_gap * small, value > finding->threshold && mean_gap > mean);
    say(finding, "%.1f %% of the operators take less than 10 us (%.2f us on average, and %.2f us of gap behind each).",
        value, mean / 1e3, mean_gap / 1e3);
}

static double unit_ns(const struct workload_operator *op, enum unit unit)
{
    return op->units[unit] > 0 ? op->units[unit] : 0;
}

/* By the definition of table bound: the busiest unit that moves data, where it is busier than those that calculate. */
static void check_memory_bound(const struct advice_look *look, struct finding *finding)
{
    double bound = 0, counted = 0;

    for (size_t i = 0; i < look->workload->operator_count; i++) {
        const struct workload_operator *op = &look->workload->operators[i];
        struct unit_times times;
        if (op->counted_ns <= 0)
            continue;
        unit_times_init(&times);
        unit_times_add(&times, op);
        double moving = 100 * unit_times_memory(&times);
        if (moving < 0)
            continue;
        counted += op->counted_ns;
        if (unit_times_bound(&times) == BOUND_MEMORY && moving > finding->threshold) {
            bound += op->counted_ns;
            add_operator(finding, look->workload, op, op->counted_ns, moving);
        }
    }
    if (counted <= 0) {
        finding->not_checked = "no counters of memory units were collected (PipeUtilization has them)";
        return;
    }
    measured(finding, percent(bound, counted), bound, bound > 0);
    say(finding, "Operators with %.1f %% of the counted time are bound by memory, over %.0f %% of it busy.",
        percent(bound, counted), finding->threshold);
}

static void check_cube(const struct advice_look *look, struct finding *finding)
{
    double used = 0, counted = 0;
    bool held = false;

    for (size_t i = 0; i < look->workload->operator_count; i++) {
        const struct workload_operator *op = &look->workload->operators[i];
        held = held || op->units[UNIT_OCCUPIED] >= 0;
        if (op->units[UNIT_CUBE_ALL] < 0 || op->counted_ns <= 0 || unit_ns(op, UNIT_CUBE) <= 0)
            continue;
        used += op->units[UNIT_CUBE_ALL];
        counted += op->counted_ns;
        add_operator(finding, look->workload, op, op->counted_ns, percent(op->units[UNIT_CUBE_ALL], op->counted_ns));
    }
    if (counted <= 0) {
        finding->not_checked =
            held ? "only how much of the cores operators held was collected, not how long the matrix units worked"
                 : "no counters of the matrix unit were collected (PipeUtilization has them)";
        return;
    }
    double value = percent(used, counted);
    measured(finding, value, counted - used, value < finding->threshold && percent(counted, look->advice->busy_ns) > 5);
    say(finding, "Matrix units work in %.1f %% of the time of the operators that use them (%.3f us), of all cores.",
        value, counted / 1e3);
}

static void check_blocks(const struct advice_look *look, struct finding *finding)
{
    double waste = 0, known = 0;

    for (size_t i = 0; i < look->workload->operator_count; i++) {
        const struct workload_operator *op = &look->workload->operators[i];
        waste += op->waste_ns;
        known += op->blocks_ns;
        look->wanted[i] = op->blocks_ns > 0;
        if (op->waste_ns > 0)
            add_operator(finding, look->workload, op, op->waste_ns, percent(op->waste_ns, op->blocks_ns));
    }
    if (known <= 0) {
        finding->not_checked = "the capture does not say the blocks of its operators, or the cores of the device";
        return;
    }
    waste *= united_time(look) / known; /* of operators that run beside each other */
    double value = percent(waste, look->advice->elapsed_ns);
    measured(finding, value, waste, value > finding->threshold);
    say(finding, "Cores that have no block to work on lose %.1f %% of the time (%.3f us).", value, waste / 1e3);
}

static void check_communication(const struct advice_look *look, struct finding *finding)
{
    double exposed = (double)look->splits->all.exposed_ns, all = (double)look->splits->all.communication_ns;

    if (all <= 0) {
        finding->not_checked = "the capture has no communication operators";
        return;
    }
    double value = percent(exposed, look->advice->elapsed_ns);
    for (size_t i = 0; i < look->workload->operator_count; i++)
        if (look->workload->operators[i].key.work == WORK_COMMUNICATION)
            add_operator(finding, look->workload, &look->workload->operators[i], look->workload->operators[i].total_ns,
                         percent(look->united_ns[i], look->advice->elapsed_ns));
    measured(finding, value, exposed, value > finding->threshold);
    say(finding, "Communication that no computing covers takes %.1f %% of the time (%.3f of %.3f us).", value,
        exposed / 1e3, all / 1e3);
}

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
    double p95 = series.p95, value = percent(p95 - series.median, series.median);
    if (finding->not_checked == NULL && value <= finding->value) {
        series_release(&series);
        return;
    }
    finding->not_checked = NULL;
    if (look->splits->groups.count > 1)
        splits_group_name(look->workload, look->splits, group, name);
    measured(finding, value, fmax(series.total - (double)series.n * series.median, 0), value > finding->threshold);
    finding->time_ns = look->splits->items[slowest].start_ns;
    say(finding, "Steps%s%.200s%s take %.3f us, 19 of 20 at most %.3f us; the slowest, number %zu, takes %.3f us.",
        name[0] != '\0' ? " (" : "", name, name[0] != '\0' ? ")" : "", series.median / 1e3, p95 / 1e3, slowest_place,
        series.maximum / 1e3);
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

static void check_frequency(const struct advice_look *look, struct finding *finding)
{
    if (look->host->mean_mhz <= 0 || look->host->rated_mhz <= 0) {
        finding->not_checked = "the frequency of the cores was not measured";
        return;
    }
    double value = percent(look->host->rated_mhz - look->host->mean_mhz, look->host->rated_mhz);
    measured(finding, value, value / 100 * look->advice->busy_ns, value >= finding->threshold);
    say(finding,
        "Operators on the cores run at %.0f MHz on average, %.0f MHz are rated; %.1f %% of their time is below that.",
        look->host->mean_mhz, look->host->rated_mhz, look->host->below_rated);
}

static void check_memory_calls(const struct advice_look *look, struct finding *finding)
{
    if (!look->host->known) {
        finding->not_checked = "the capture has no calls of the host";
        return;
    }
    double time_ns = (double)look->host->memory_ns, value = percent(time_ns, (double)look->host->memory_window_ns);
    measured(finding, value, time_ns, value > finding->threshold);
    finding->whole_ns = (double)look->host->memory_window_ns;
    finding->time_ns = look->host->first_memory_ns;
    say(finding, "%lld calls that allocate, free, or copy and wait take %.3f us, %.1f %% of the time.",
        (long long)look->host->memory_calls, time_ns / 1e3, value);
}

/* The guide's Memory Bound: max(dstr, dld, wld) / max(mac_busy, vec_ppen). */
static void check_svp_bound(const struct advice_look *look, struct finding *finding)
{
    double counted = 0;

    for (size_t i = 0; i < look->workload->operator_count; i++) {
        const struct workload_operator *op = &look->workload->operators[i];
        look->wanted[i] = false;
        if (op->units[UNIT_WEIGHTS] < 0 || op->counted_ns <= 0)
            continue;
        double moving = fmax(unit_ns(op, UNIT_STORE), fmax(unit_ns(op, UNIT_LOAD), unit_ns(op, UNIT_WEIGHTS)));
        counted += op->counted_ns;
        if (moving > fmax(unit_ns(op, UNIT_CUBE), unit_ns(op, UNIT_VECTOR))) {
            look->wanted[i] = true;
            add_operator(finding, look->workload, op, op->counted_ns, percent(moving, op->counted_ns));
        }
    }
    if (counted <= 0) {
        finding->not_checked = "only SVP captures have these counters";
        return;
    }
    double sum = united_time(look), value = percent(sum, look->advice->busy_ns);
    measured(finding, value, sum, value > finding->threshold);
    say(finding, "Layers that wait for memory longer than they calculate take %.1f %% of the busy time (%.3f us).",
        value, sum / 1e3);
}

/* Whether one of a layer group's types, between commas, is a part of an activation that the chip does not have. */
static bool is_slow_activation(const struct workload *workload, const struct workload_operator *op)
{
    static const char *const slow[] = {"softplus", "tanh", "sigmoid", "exp", "mish", "swish", "hardswish"};
    const char *types = workload_text(workload, op->key.type);

    while (*types != '\0') {
        size_t length = strcspn(types, ",");
        for (size_t i = 0; i < sizeof slow / sizeof *slow; i++)
            if (strlen(slow[i]) == length && strncasecmp(types, slow[i], length) == 0)
                return true;
        types += length + (types[length] == ',');
    }
    return false;
}

/* The guide's example of an analysis: an activation in pieces among the convolutions. */
static void check_svp_activation(const struct advice_look *look, struct finding *finding)
{
    if (strcmp(look->workload->facts.chip, "SVP") != 0) {
        finding->not_checked = "only SVP captures have layers";
        return;
    }
    double sum = take_operators(look, finding, is_slow_activation);
    say(finding, "Layers of activations that the chip does not have take %.1f %% of the busy time (%.3f us).",
        finding->value, sum / 1e3);
}

/* Devices can have waited for data at most while they did nothing. */
static void check_data_pipeline(const struct advice_look *look, struct finding *finding)
{
    const struct host_evidence *host = look->host;

    if (!host->stages_known) {
        finding->not_checked = "no data pipeline was recorded, or not the framework's directory was given";
        return;
    }
    for (size_t i = 0; i < host->stage_count; i++) {
        struct finding_row *row = &finding->rows[finding->row_count++];
        *row = (struct finding_row){.name = host->stages[i].name, .share = host->stages[i].empty, .at_ns = INT64_MIN};
    }
    double value = host->stage_count > 0 ? host->stages[0].empty : 0;
    double idle_ns = (double)look->splits->all.free_ns;
    measured(finding, value, idle_ns * value / 100, value > finding->threshold);
    if (host->stage_count > 0)
        say(finding, "The stage %s of the data pipeline had nothing to take in %.1f %% of the samples: %s is too slow.",
            host->stages[0].name, value, host->stages[0].input);
}

/* In the order in which findings of one weight are told. docs/adding-a-rule.md adds one. */
const struct rule advice_rules[] = {
    {.id = "idle",
     .formula = "1 - busy / elapsed, from the first task to the end of the last",
     .advice = "Look at what the host does in the longest gaps (rule gap): launch ahead, or run the model as a graph.",
     .threshold = 10,
     .of_gaps = true,
     .check = check_idle,
     .shows_gaps = true},
    {.id = "gap",
     .formula = "the longest gap / time of a step",
     .advice = "Remove the call that covers the gap from the loop, or let it run beside the device.",
     .threshold = 1,
     .of_gaps = true,
     .check = check_gap,
     .told_by = "idle",
     .of_step = true,
     .shows_gaps = true},
    {.id = "ai-cpu",
     .formula = "time on the AI CPU / busy; one execution of at least 20 us, or an operator of at least 5 %",
     .advice = "Avoid the operator, or change its data type to one that the AI Core has.",
     .threshold = 1,
     .check = check_ai_cpu},
    {.id = "conversion",
     .formula = "time of TransData, Cast, Transpose, Reformat / busy",
     .advice = "Keep one format and one data type between the neighbours of these operators.",
     .threshold = 5,
     .check = check_conversion},
    {.id = "small-operators",
     .formula = "share of operators below 10 us; the mean gap is longer than their mean time",
     .advice = "Fuse operators, or run the model as a graph, so that launching costs less.",
     .threshold = 50,
     .of_gaps = true,
     .check = check_small},
    {.id = "memory-bound",
     .formula = "busy part of the busiest of load, weights and store, of operators that it binds (table bound)",
     .advice = "Tile so that data stay in the core, fuse with neighbours, or use a smaller data type.",
     .threshold = 80,
     .check = check_memory_bound,
     .told_by = "svp-memory-bound"},
    {.id = "low-cube-use",
     .formula = "time of the MACs over all cores / time, of operators that use them, with over 5 % of busy",
     .advice = "Make shapes multiples of 16, and inner axes of 256 elements; larger batches help.",
     .threshold = 50,
     .check = check_cube},
    {.id = "idle-cores",
     .formula = "1 - blocks / (rounds of the cores * cores), times time / elapsed",
     .advice = "Divide the operator into a multiple of the number of cores.",
     .threshold = 1,
     .check = check_blocks},
    {.id = "exposed-communication",
     .formula = "communication that no computing covers / elapsed",
     .advice = "Overlap it with computing, use larger buckets; first see whether one rank is late.",
     .threshold = 10,
     .check = check_communication},
    {.id = "step-jitter",
     .formula = "(p95 - median) / median of the time of steps",
     .advice = "Compare the slowest step with one in the middle: which operator or gap grew?",
     .threshold = 5,
     .check = check_jitter},
    {.id = "frequency",
     .formula = "1 - mean / rated frequency, weighted by the time of operators on the cores",
     .advice = "Check power limits and cooling.",
     .threshold = 5,
     .check = check_frequency},
    {.id = "memory-calls",
     .formula = "time in calls that allocate, free or copy and wait / time of the host after step 1",
     .advice = "Allocate once before the loop; use pinned memory and asynchronous copies.",
     .threshold = 1,
     .check = check_memory_calls},
    {.id = "svp-memory-bound",
     .formula = "layers with max(dstr, dld, wld) / max(mac_busy, vec_ppen) above 1 / busy",
     .advice = "Compress weights, fuse layers, or cut their feature maps: they wait for memory.",
     .threshold = 30,
     .check = check_svp_bound},
    {.id = "svp-activation",
     .formula = "layers of the types Softplus, Tanh, Sigmoid, Exp, Mish, Swish, HardSwish / busy",
     .advice = "Replace the activation by one that the chip has: Relu, LeakyRelu, PRelu, Elu.",
     .threshold = 5,
     .check = check_svp_activation},
    {.id = "data-pipeline",
     .formula = "samples in which the queue before a stage was empty / samples",
     .advice = "Give the stage that fills the queue more workers, or make it cheaper.",
     .threshold = 60,
     .check = check_data_pipeline},
};
const size_t advice_rule_count = sizeof advice_rules / sizeof *advice_rules;
_Static_assert(sizeof advice_rules / sizeof *advice_rules <= ADVICE_MOST_RULES, "advice has room for its rules");

/* The severest first: time of the host is no time of devices, so that more of it may be less severe. */
static int by_severity(const void *a, const void *b)
{
    const struct finding *x = a, *y = b;

    if (x->fired != y->fired)
        return x->fired ? -1 : 1;
    if (x->fired && x->severity != y->severity)
        return x->severity > y->severity ? -1 : 1;
    if (x->fired && x->at_stake_ns != y->at_stake_ns)
        return x->at_stake_ns > y->at_stake_ns ? -1 : 1;
    return (x->rule > y->rule) - (x->rule < y->rule);
}

static enum severity severity_of(double share)
{
    return share >= 5 ? SEVERITY_HIGH : share >= 3 ? SEVERITY_MEDIUM : SEVERITY_LOW;
}

/* Leaves one of two rules that found one cause, with the evidence of both: gaps are what idle time is made of, and on
 * SVP waiting for memory is told by the layers' own counters. */
static void tell_causes_once(struct finding *findings)
{
    for (size_t i = 0; i < advice_rule_count; i++) {
        struct finding *other = &findings[i], *kept = NULL;
        for (size_t k = 0; k < advice_rule_count && other->fired && other->rule->told_by != NULL; k++)
            if (findings[k].fired && strcmp(advice_rules[k].id, other->rule->told_by) == 0)
                kept = &findings[k];
        if (kept == NULL)
            continue;
        other->fired = false;
        other->told_elsewhere = true;
        kept->same_cause = other->rule;
        if (kept->row_count == 0) { /* where to look */
            memcpy(kept->rows, other->rows, sizeof kept->rows);
            kept->row_count = other->row_count;
            kept->time_ns = other->time_ns;
            for (size_t k = 0; k < kept->row_count; k++) /* theirs are of a step */
                kept->rows[k].share = percent(kept->rows[k].time_ns, kept->whole_ns);
        }
        if (other->severity > kept->severity)
            kept->severity = other->severity;
    }
}

static void hold_rules(const struct advice_look *look, const double *thresholds, struct advice *ret)
{
    for (size_t i = 0; i < advice_rule_count; i++) {
        const struct rule *rule = &advice_rules[i];
        struct finding *finding = &ret->findings[i];
        *finding = (struct finding){.rule = rule,
                                    .threshold = thresholds != NULL ? thresholds[i] : rule->threshold,
                                    .whole_ns = ret->elapsed_ns,
                                    .time_ns = INT64_MIN};
        if (!look->workload->facts.times_known)
            finding->not_checked = "the capture has no times: the clock of the cores is not known";
        else if (ret->elapsed_ns <= 0)
            finding->not_checked = "nothing ran, or for no time";
        else if (rule->of_gaps && look->workload->facts.placed)
            finding->not_checked = "the capture does not say when each task ran";
        else
            rule->check(look, finding);
        double share = percent(finding->at_stake_ns, finding->whole_ns);
        finding->severity = severity_of(rule->of_step ? fmin(finding->value, share) : share);
    }
    tell_causes_once(ret->findings);
    array_sort(ret->findings, advice_rule_count, sizeof ret->findings[0], by_severity);
}

/* Copies the names of rows, which may outlive what they were found in. */
static int keep_names(struct advice *advice, struct err *err)
{
    for (size_t i = 0; i < advice_rule_count; i++) {
        for (size_t k = 0; k < advice->findings[i].row_count; k++) {
            struct finding_row *row = &advice->findings[i].rows[k];
            if (intern_keep(&advice->texts, row->name, &row->name, err) < 0)
                return err_status(err);
            row->launcher = "";
        }
    }
    return 0;
}

void advice_release(struct advice *advice)
{
    intern_release(&advice->texts);
}

void host_evidence_release(struct host_evidence *evidence)
{
    intern_release(&evidence->texts);
}

int advice_make(const struct workload *workload, const struct host_evidence *host, const double *thresholds,
                struct advice *ret, struct err *err)
{
    SCOPED(splits_release) struct splits splits = {.items = NULL};
    SCOPED(gaps_release) struct gaps gaps = {.items = NULL};
    struct advice_look look = {.workload = workload, .host = host, .splits = &splits, .gaps = &gaps, .advice = ret};
    bool failed = splits_make(workload, &splits, err) < 0;

    *ret = (struct advice){
        .elapsed_ns = (double)splits.all.time_ns, .busy_ns = (double)splits.all.busy_ns, .origin_ns = INT64_MIN};
    workload_recorded_text(&workload->facts, ret->recorded);
    if (!failed)
        cut_steps_text(splits.cuts, ret->cut_steps);
    failed = failed || gaps_make(workload, &gaps, err) < 0 || unite_operators(&look, err) < 0;
    if (!failed) {
        hold_rules(&look, thresholds, ret);
        failed = keep_names(ret, err) < 0;
    }
    free(look.united_ns);
    free(look.wanted);
    return failed ? err_status(err) : 0;
}
