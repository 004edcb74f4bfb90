/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/rules/rule.h"

static void check_memory_calls(const struct advice_look *look, struct finding *finding)
{
    if (!look->host->known) {
        finding->not_checked = "the capture has no calls of the host";
        return;
    }
    double time_ns = (double)look->host->memory_ns, value = rule_percent(time_ns, (double)look->host->memory_window_ns);
    rule_measured(finding, value, time_ns, value > finding->threshold);
    finding->whole_ns = (double)look->host->memory_window_ns;
    finding->time_ns = look->host->first_memory_ns;
    rule_say(finding, "%lld calls that allocate, free, or copy and wait take %.3f us, %.1f %% of the time.",
             (long long)look->host->memory_calls, time_ns / 1e3, value);
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
    rule_measured(finding, value, idle_ns * value / 100, value > finding->threshold);
    if (host->stage_count > 0)
        rule_say(finding,
                 "The stage %s of the data pipeline had nothing to take in %.1f %% of the samples: %s is too slow.",
                 host->stages[0].name, value, host->stages[0].input);
}

static void check_frequency(const struct advice_look *look, struct finding *finding)
{
    if (look->host->mean_mhz <= 0 || look->host->rated_mhz <= 0) {
        finding->not_checked = "the frequency of the cores was not measured";
        return;
    }
    double value = rule_percent(look->host->rated_mhz - look->host->mean_mhz, look->host->rated_mhz);
    rule_measured(finding, value, value / 100 * look->busy_ns, value >= finding->threshold);
    rule_say(
        finding,
        "Operators on the cores run at %.0f MHz on average, %.0f MHz are rated; %.1f %% of their time is below that.",
        look->host->mean_mhz, look->host->rated_mhz, look->host->below_rated);
}

const struct rule rule_memory_calls = {
    .order = 120,
    .id = "memory-calls",
    .rests_on = "the names of calls of the host",
    .formula = "time in calls that allocate, free or copy and wait / time of the host after step 1",
    .advice = "Allocate once before the loop; use pinned memory and asynchronous copies.",
    .threshold = 1,
    .check = check_memory_calls,
};

const struct rule rule_data_pipeline = {
    .order = 150,
    .id = "data-pipeline",
    .rests_on = "queues of the framework's data pipeline",
    .formula = "samples in which the queue before a stage was empty / samples",
    .advice = "Give the stage that fills the queue more workers, or make it cheaper.",
    .threshold = 60,
    .check = check_data_pipeline,
};

const struct rule rule_frequency = {
    .order = 110,
    .id = "frequency",
    .rests_on = "the measured and the rated frequency of the cores",
    .formula = "1 - mean / rated frequency, weighted by the time of operators on the cores",
    .advice = "Check power limits and cooling.",
    .threshold = 5,
    .check = check_frequency,
};
