/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/bound.h"
#include "analysis/rules/rule.h"

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
            look->cut[i] = 1 - fmax(unit_times_compute(&times), 0) / unit_times_memory(&times);
            rule_add_operator(finding, look->workload, op, op->counted_ns, moving);
        }
    }
    if (counted <= 0) {
        finding->not_checked = "no counters of memory units were collected (PipeUtilization has them)";
        return;
    }
    rule_measured(finding, rule_percent(bound, counted), bound, bound > 0);
    rule_say(finding, "Operators with %.1f %% of the counted time are bound by memory, over %.0f %% of it busy.",
             rule_percent(bound, counted), finding->threshold);
}

static void check_cube(const struct advice_look *look, struct finding *finding)
{
    double used = 0, counted = 0;
    bool held = false;

    for (size_t i = 0; i < look->workload->operator_count; i++) {
        const struct workload_operator *op = &look->workload->operators[i];
        held = held || op->units[UNIT_OCCUPIED] >= 0;
        if (op->units[UNIT_CUBE_ALL] < 0 || op->counted_ns <= 0 || rule_unit_ns(op, UNIT_CUBE) <= 0)
            continue;
        used += op->units[UNIT_CUBE_ALL];
        counted += op->counted_ns;
        look->cut[i] = fmax(1 - op->units[UNIT_CUBE_ALL] / op->counted_ns, 0);
        rule_add_operator(finding, look->workload, op, op->counted_ns,
                          rule_percent(op->units[UNIT_CUBE_ALL], op->counted_ns));
    }
    if (counted <= 0) {
        finding->not_checked =
            held ? "only how much of the cores operators held was collected, not how long the matrix units worked"
                 : "no counters of the matrix unit were collected (PipeUtilization has them)";
        return;
    }
    double value = rule_percent(used, counted);
    rule_measured(finding, value, counted - used,
                  value < finding->threshold && rule_percent(counted, look->busy_ns) > 5);
    rule_say(finding,
             "Matrix units work in %.1f %% of the time of the operators that use them (%.3f us), of all cores.", value,
             counted / 1e3);
}

static void check_blocks(const struct advice_look *look, struct finding *finding)
{
    double waste = 0, known = 0;

    for (size_t i = 0; i < look->workload->operator_count; i++) {
        const struct workload_operator *op = &look->workload->operators[i];
        waste += op->waste_ns;
        known += op->blocks_ns;
        look->wanted[i] = op->blocks_ns > 0;
        look->cut[i] = op->blocks_ns > 0 ? op->waste_ns / op->blocks_ns : 0;
        if (op->waste_ns > 0)
            rule_add_operator(finding, look->workload, op, op->waste_ns, rule_percent(op->waste_ns, op->blocks_ns));
    }
    if (known <= 0) {
        finding->not_checked = "the capture does not say the blocks of its operators, or the cores of the device";
        return;
    }
    waste *= rule_united_ns(look) / known; /* of operators that run beside each other */
    double value = rule_percent(waste, look->elapsed_ns);
    rule_measured(finding, value, waste, value > finding->threshold);
    rule_say(finding, "Cores that have no block to work on lose %.1f %% of the time (%.3f us).", value, waste / 1e3);
}

/* By the definition of table bound: no unit is busy for half of the time. */
static void check_unbound(const struct advice_look *look, struct finding *finding)
{
    const double least_ns = 20000; /* shorter ones are short, whatever they do */
    double counted = 0;

    for (size_t i = 0; i < look->workload->operator_count; i++) {
        const struct workload_operator *op = &look->workload->operators[i];
        struct unit_times times;
        look->wanted[i] = false;
        if (op->counted_ns <= 0)
            continue;
        unit_times_init(&times);
        unit_times_add(&times, op);
        double busiest = fmax(unit_times_compute(&times), unit_times_memory(&times));
        if (busiest <= 0) /* its counters were of something else */
            continue;
        counted += op->counted_ns;
        if (unit_times_bound(&times) != BOUND_LATENCY || op->total_ns < least_ns * (double)op->count)
            continue;
        look->wanted[i] = true;
        look->cut[i] = 1 - busiest;
        rule_add_operator(finding, look->workload, op, op->total_ns, 100 * busiest);
    }
    if (counted <= 0) {
        finding->not_checked = "no counters of the units of cores were collected (PipeUtilization has them)";
        return;
    }
    double sum = rule_united_ns(look), value = rule_percent(sum, look->busy_ns);
    rule_measured(finding, value, sum, value > finding->threshold);
    rule_say(finding,
             "Operators of 20 us and more that keep no unit busy for half of the time take %.1f %% of the busy time "
             "(%.3f us).",
             value, sum / 1e3);
}

static void check_uneven(const struct advice_look *look, struct finding *finding)
{
    const struct records_evidence *records = &look->host->records;

    if (records->block_tasks == 0) {
        finding->not_checked = "blocks were not recorded on each core (task_block; chips 15 and 16)";
        return;
    }
    double lost = records->longest_block_ns - records->mean_block_ns;
    double value = rule_percent(lost, records->longest_block_ns);
    rule_measured(finding, value, lost, value > finding->threshold);
    finding->saves_ns = lost;
    rule_say(finding,
             "Of %lld tasks on several cores the longest block takes %.3f us, the mean of their blocks %.3f us.",
             (long long)records->block_tasks, records->longest_block_ns / (double)records->block_tasks / 1e3,
             records->mean_block_ns / (double)records->block_tasks / 1e3);
}

const struct rule rule_memory_bound = {
    .order = 60,
    .id = "memory-bound",
    .rests_on = "counters of the units that move data (PipeUtilization)",
    .formula = "busy part of the busiest of load, weights and store, of operators that it binds (table bound)",
    .advice = "Tile so that data stay in the core, fuse with neighbours, or use a smaller data type.",
    .threshold = 80,
    .check = check_memory_bound,
    .told_by = "svp-memory-bound",
};

const struct rule rule_low_cube_use = {
    .order = 70,
    .id = "low-cube-use",
    .rests_on = "counters of the matrix units, of all cores",
    .formula = "time of the MACs over all cores / time, of operators that use them, with over 5 % of busy",
    .advice = "Make shapes multiples of 16, and inner axes of 256 elements; larger batches help.",
    .threshold = 50,
    .check = check_cube,
};

const struct rule rule_idle_cores = {
    .order = 80,
    .id = "idle-cores",
    .rests_on = "blocks of operators, and how many cores the device has",
    .formula = "1 - blocks / (rounds of the cores * cores), times time / elapsed",
    .advice = "Divide the operator into a multiple of the number of cores.",
    .threshold = 1,
    .check = check_blocks,
};

const struct rule rule_no_bound = {
    .order = 75,
    .id = "no-bound",
    .rests_on = "counters of the units of the cores (PipeUtilization)",
    .formula = "time of operators that are bound by latency (table bound) and take 20 us at least / busy",
    .advice = "Tile so that copies and computing overlap, or fuse them: they wait more than they work.",
    .threshold = 10,
    .check = check_unbound,
};

const struct rule rule_uneven_cores = {
    .order = 85,
    .id = "uneven-cores",
    .rests_on = "when each block ran on its core",
    .formula = "1 - mean time of the blocks of a task / that of its longest, weighted by time",
    .advice = "Divide the work into equal blocks: the longest one decides.",
    .threshold = 10,
    .check = check_uneven,
};
