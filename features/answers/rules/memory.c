/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of devices over the steps. Nothing of it is time: it is at stake when the memory is full. */
#include "features/answers/rules/rule.h"

static void check_fragmentation(const struct advice_look *look, struct finding *finding)
{
    const double reserved = (double)look->host->records.reserved_bytes;
    const double allocated = (double)look->host->records.allocated_bytes;

    if (reserved <= 0 || allocated <= 0) {
        finding->not_checked = "no allocations of operators were recorded (task_memory, profile_memory)";
        return;
    }
    double value = rule_percent(reserved - allocated, reserved);
    rule_measured(finding, value, 0, value > finding->threshold);
    rule_say(finding, "The allocator reserved up to %.1f MB of device memory; operators used at most %.1f MB.",
             reserved / 1e6, allocated / 1e6);
}

static void check_leak(const struct advice_look *look, struct finding *finding)
{
    const size_t least_steps = 4;
    const double most_of_steps = 0.9;
    const struct records_evidence *records = &look->host->records;

    if (records->held_most <= 0) {
        finding->not_checked = "no allocations of operators were recorded (task_memory, profile_memory)";
        return;
    }
    if (records->held_steps < least_steps) {
        finding->not_checked = "fewer than four steps are known";
        return;
    }
    double grew = (double)records->held_last - (double)records->held_first;
    double value = rule_percent(grew, (double)records->held_most);
    bool steadily = (double)records->held_grew >= most_of_steps * (double)(records->held_steps - 1);
    rule_measured(finding, value, 0, steadily && value > finding->threshold);
    rule_say(finding,
             "Memory in use grows from %.1f MB after the first step to %.1f MB after the last; %zu of %zu steps grew.",
             (double)records->held_first / 1e6, (double)records->held_last / 1e6, records->held_grew,
             records->held_steps - 1);
}

const struct rule rule_fragmentation = {
    .order = 300,
    .id = "fragmentation",
    .rests_on = "reserved and allocated memory at every allocation",
    .formula = "1 - peak of allocated memory / peak of reserved memory",
    .advice = "Let segments grow (expandable_segments), and allocate large blocks first.",
    .threshold = 30,
    .of_memory = true,
    .check = check_fragmentation,
};

const struct rule rule_memory_leak = {
    .order = 310,
    .id = "memory-leak",
    .rests_on = "allocations and releases of device memory by operators, and steps",
    .formula = "growth of the memory in use at the ends of steps / its peak; 9 of 10 steps grow",
    .advice = "Check the owners of memory at the peak (table memory_peak), and what a step does not free.",
    .threshold = 5,
    .of_memory = true,
    .check = check_leak,
};
