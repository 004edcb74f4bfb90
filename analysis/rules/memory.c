/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of devices over the steps. Nothing of it is time: it is at stake when the memory is full. */
#include "analysis/rules/rule.h"

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
    rule_say(finding,
             "The allocator held up to %.1f MB of the device's memory, of which operators used %.1f MB at most.",
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
    rule_say(finding, "%.1f MB are held at the end of the first step and %.1f MB at that of the last; %zu of %zu grew.",
             (double)records->held_first / 1e6, (double)records->held_last / 1e6, records->held_grew,
             records->held_steps - 1);
}

const struct rule rule_fragmentation = {
    .order = 300,
    .id = "fragmentation",
    .rests_on = "what the allocator reserved and gave out, at every allocation",
    .formula = "1 - the most that was allocated / the most that was reserved",
    .advice = "Let segments grow (expandable_segments), and allocate large pieces first.",
    .threshold = 30,
    .check = check_fragmentation,
};

const struct rule rule_memory_leak = {
    .order = 310,
    .id = "memory-leak",
    .rests_on = "allocations and releases of device memory by operators, and steps",
    .formula = "growth of what is held at the ends of steps / the most that is held; 9 of 10 steps grow",
    .advice = "Look who holds memory at the peak (table memory_peak): what does a step keep?",
    .threshold = 5,
    .check = check_leak,
};
