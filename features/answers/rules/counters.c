/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"
#include "features/answers/analysis/bound.h"
#include "features/answers/rules/rule.h"

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
    rule_say(finding,
             "Memory-bound operators take %.1f %% of the counted time, with memory units busy for over %.0f %%.",
             rule_percent(bound, counted), finding->threshold);
}

static void check_cube(const struct advice_look *look, struct finding *finding)
{
    double used = 0, counted = 0;
    bool held = false, known = false;

    for (size_t i = 0; i < look->workload->operator_count; i++) {
        const struct workload_operator *op = &look->workload->operators[i];
        held = held || op->units[UNIT_OCCUPIED] >= 0;
        known = known || op->units[UNIT_CUBE_ALL] >= 0;
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
            known  ? "no operator uses the matrix units"
            : held ? "the counters contain the occupancy of the cores, but not the busy time of the matrix units"
                   : "no counters of the matrix unit were collected (PipeUtilization has them)";
        return;
    }
    double value = rule_percent(used, counted);
    rule_measured(finding, value, counted - used,
                  value < finding->threshold && rule_percent(counted, look->busy_ns) > 5);
    rule_say(finding,
             "Matrix units are busy for %.1f %% of the time of the operators that use them (%s), over all cores.",
             value, RULE_TIME(counted));
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
        finding->not_checked = "the capture does not record the blocks of operators, or the cores of the device";
        return;
    }
    waste *= rule_united_ns(look) / known; /* of operators that run beside each other */
    double value = rule_percent(waste, look->elapsed_ns);
    rule_measured(finding, value, waste, value > finding->threshold);
    rule_say(finding, "Cores without a block waste %.1f %% of the time (%s).", value, RULE_TIME(waste));
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
             "Operators of at least 20 us with all units busy for less than half of it take %.1f %% of the busy time "
             "(%s).",
             value, RULE_TIME(sum));
}

static void check_uneven(const struct advice_look *look, struct finding *finding)
{
    const struct records_evidence *records = &look->host->records;

    if (records->block_tasks == 0 && records->busiest_core_ns > 0) {
        const double core_lost = records->busiest_core_ns - records->mean_core_ns;
        const double share = rule_percent(core_lost, records->busiest_core_ns);
        rule_measured(finding, share, core_lost, share > finding->threshold);
        rule_say(finding, "Of %lld sampled cores, the busiest worked %s and the mean core %s.",
                 (long long)records->sampled_cores, RULE_TIME(records->busiest_core_ns),
                 RULE_TIME(records->mean_core_ns));
        return;
    }
    if (records->block_tasks == 0) {
        finding->not_checked =
            "neither blocks (task_block; chips 15 and 16) nor samples (aic_mode = sample-based) of each core were "
            "recorded";
        return;
    }
    double lost = records->longest_block_ns - records->mean_block_ns;
    double value = rule_percent(lost, records->longest_block_ns);
    rule_measured(finding, value, lost, value > finding->threshold);
    for (size_t i = 0; records->uneven_ns != NULL && i < look->workload->operator_count; i++) {
        const double total_ns = look->workload->operators[i].total_ns;
        look->cut[i] = total_ns > 0 ? fmin(records->uneven_ns[i] / total_ns, 1) : 0;
    }
    rule_say(finding, "In %lld tasks on several cores, the longest blocks take %s and the mean blocks %s.",
             (long long)records->block_tasks, RULE_TIME(records->longest_block_ns / (double)records->block_tasks),
             RULE_TIME(records->mean_block_ns / (double)records->block_tasks));
}

const struct rule rule_memory_bound = {
    .order = 60,
    .id = "memory-bound",
    .rests_on = "counters of the units that move data (PipeUtilization)",
    .formula = "busy share of the busiest of load, weights and store, in operators bound by it (table bound)",
    .advice = "Tile so that data stay in the core, fuse with neighbouring operators, or use a smaller data type.",
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
    .rests_on = "blocks of operators, and the number of cores of the device",
    .formula = "1 - blocks / (rounds of the cores * cores), times time / elapsed",
    .advice = "Split the operator into a multiple of the number of cores.",
    .threshold = 1,
    .check = check_blocks,
};

const struct rule rule_no_bound = {
    .order = 75,
    .id = "no-bound",
    .rests_on = "counters of the units of the cores (PipeUtilization)",
    .formula = "time of latency-bound operators (table bound) of at least 20 us / busy",
    .advice = "These operators wait more than they work: tile so that copies and computing overlap, or fuse them.",
    .threshold = 10,
    .check = check_unbound,
};

const struct rule rule_uneven_cores = {
    .order = 85,
    .id = "uneven-cores",
    .rests_on = "when each block ran on its core, else samples of each core",
    .formula =
        "1 - mean time of a task's blocks / time of its longest block, weighted by time; of samples of cores / of "
        "the busiest core",
    .advice = "Split the work into equal blocks, as many as there are cores: the longest one determines the time.",
    .threshold = 10,
    .check = check_uneven,
};
