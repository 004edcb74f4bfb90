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
