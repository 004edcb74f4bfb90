/* SPDX-License-Identifier: Apache-2.0 */
#include "features/answers/rules/rule.h"

#include "base/language.h"
#include "base/number.h"

static void check_memory_calls(const struct advice_look *look, struct finding *finding)
{
    if (!look->host->known) {
        finding->not_checked = LANGUAGE_MARK("the capture has no calls of the host");
        return;
    }
    const struct call_evidence *memory = &look->host->memory;
    double time_ns = (double)memory->ns, value = rule_percent(time_ns, (double)look->host->memory_window_ns);
    rule_measured(finding, value, time_ns, value > finding->threshold);
    finding->whole_ns = (double)look->host->memory_window_ns;
    finding->saves_ns = (double)memory->saves_ns;
    finding->without = memory;
    finding->time_ns = memory->first_ns;
    rule_say(finding, "%lld calls that allocate, free, or copy and wait take %.3f us, %.1f %% of the time.",
             (long long)memory->calls, number_us(time_ns), value);
}

/* Devices can have waited for data at most while they did nothing. */
static void check_data_pipeline(const struct advice_look *look, struct finding *finding)
{
    const struct host_evidence *host = look->host;

    if (!host->stages_known) {
        finding->not_checked =
            "no data pipeline was recorded, or the capture was not given as the framework's directory";
        return;
    }
    for (size_t i = 0; i < host->stage_count; i++) {
        struct finding_row *row = &finding->rows[finding->row_count++];
        *row = (struct finding_row){.name = host->stages[i].name, .share = host->stages[i].empty, .at_ns = INT64_MIN};
    }
    double value = host->stage_count > 0 ? host->stages[0].empty : 0;
    double idle_ns = (double)look->splits->all.free_ns;
    rule_measured(finding, value, idle_ns * value / 100, value > finding->threshold);
    finding->saves_ns = finding->at_stake_ns;
    if (host->stage_count > 0)
        rule_say(finding,
                 "The input of stage %s of the data pipeline was empty in %.1f %% of the samples: %s is too slow.",
                 host->stages[0].name, value, host->stages[0].input);
}

static void check_frequency(const struct advice_look *look, struct finding *finding)
{
    if (look->host->mean_mhz <= 0 || look->host->rated_mhz <= 0) {
        finding->not_checked = "the frequency of the cores was not measured";
        return;
    }
    double value = rule_percent(look->host->rated_mhz - look->host->mean_mhz, look->host->rated_mhz);
    for (size_t i = 0; i < look->workload->operator_count; i++) {
        const uint32_t work = look->workload->operators[i].key.work;
        look->wanted[i] = work == WORK_CUBE || work == WORK_VECTOR;
        look->cut[i] = look->wanted[i] ? fmax(value / 100, 0) : 0;
    }
    rule_measured(finding, value, value / 100 * rule_united_ns(look), value >= finding->threshold);
    rule_say(finding,
             "Operators on the cores run at %.0f MHz on average (rated: %.0f MHz), and below the rated frequency for "
             "%.1f %% of the time.",
             look->host->mean_mhz, look->host->rated_mhz, look->host->below_rated);
}

static const char no_calls[] = LANGUAGE_MARK("the capture has no calls of the host");

static void check_compile(const struct advice_look *look, struct finding *finding)
{
    const struct call_evidence *compiles = &look->host->compiles;

    if (!look->host->known || !look->host->steady) {
        finding->not_checked = look->host->known ? "no step is known after which nothing should be compiled" : no_calls;
        return;
    }
    double value = rule_percent((double)compiles->ns, (double)look->host->memory_window_ns);
    rule_measured(finding, value, (double)compiles->ns, compiles->calls > 1 && value > finding->threshold);
    finding->whole_ns = (double)look->host->memory_window_ns;
    finding->saves_ns = (double)compiles->saves_ns;
    finding->without = compiles;
    finding->time_ns = compiles->first_ns;
    rule_say(finding, "%lld calls compile operators after the first step and take %.3f us, %.1f %% of the time.",
             (long long)compiles->calls, (double)compiles->ns / 1e3, value);
}

static void check_synchronise(const struct advice_look *look, struct finding *finding)
{
    const int64_t least_launches = 20;
    const struct host_evidence *host = look->host;

    if (!host->known || host->launch_count < least_launches) {
        finding->not_checked = host->known ? "fewer than 20 launches were recorded" : no_calls;
        return;
    }
    double value = rule_percent((double)host->awaited_launches, (double)host->launch_count);
    rule_measured(finding, value, (double)look->splits->all.free_ns, value > finding->threshold);
    finding->saves_ns = rule_long_gaps_ns(look);
    finding->without = &host->synchronises;
    finding->once_a_step = true;
    finding->time_ns = host->synchronises.first_ns;
    rule_say(finding, "%lld of %lld launches are followed by a call that waits for the device.",
             (long long)host->awaited_launches, (long long)host->launch_count);
}

/* A pause of which hardly a call is known. */
static bool is_pause(const struct gap_evidence *gap)
{
    const double most_calls_ns = 1e-7, most_called = 0.01;
    const double length = gap->length_ns;

    return length >= (double)LONG_PAUSE_NS && (double)gap->calls < most_calls_ns * length &&
           (double)gap->called_ns < most_called * length;
}

static void tell_recorded_garbage(const struct advice_look *look, struct finding *finding)
{
    const struct call_evidence *garbage = &look->host->records.garbage;
    double value = rule_percent((double)garbage->idle_ns, look->elapsed_ns);

    rule_measured(finding, value, (double)garbage->idle_ns, value > finding->threshold);
    finding->saves_ns = (double)garbage->saves_ns;
    finding->time_ns = garbage->first_ns;
    rule_say(finding, "%lld garbage collections were recorded; the device was idle for %.3f us of them.",
             (long long)garbage->calls, (double)garbage->idle_ns / 1e3);
}

static void check_garbage(const struct advice_look *look, struct finding *finding)
{
    const struct host_evidence *host = look->host;
    double sum = 0;
    size_t count = 0;

    if (host->records.garbage.calls > 0) {
        tell_recorded_garbage(look, finding);
        return;
    }
    if (!host->known) {
        finding->not_checked = no_calls;
        return;
    }
    for (size_t i = 0; i < host->gap_count; i++) {
        if (!is_pause(&host->gaps[i]))
            continue;
        finding->time_ns = count++ == 0 ? host->gaps[i].start_ns : finding->time_ns;
        sum += host->gaps[i].length_ns;
    }
    double value = rule_percent(sum, look->elapsed_ns);
    rule_measured(finding, value, sum, value > finding->threshold);
    finding->saves_ns = sum - (double)count * QUEUE_GAP_NS;
    rule_say(finding,
             "In %zu pauses of at least 200 ms (%.3f us) the host makes no calls: it may be collecting garbage.", count,
             number_us(sum));
}

static void check_data_loader(const struct advice_look *look, struct finding *finding)
{
    const struct call_evidence *data = &look->host->records.data;

    if (!look->host->records.waits_known || data->calls == 0) {
        finding->not_checked = look->host->records.waits_known
                                   ? "no wait for data was recorded"
                                   : "the capture was not given as the framework's directory";
        return;
    }
    double value = rule_percent((double)data->idle_ns, look->elapsed_ns);
    rule_measured(finding, value, (double)data->idle_ns, value > finding->threshold);
    finding->saves_ns = (double)data->saves_ns;
    finding->time_ns = data->first_ns;
    rule_say(finding, "The program waits for data %lld times; the device is idle for %.3f us of it.",
             (long long)data->calls, (double)data->idle_ns / 1e3);
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
    .advice = "Use more workers for the stage that fills the queue, or reduce its work.",
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

const struct rule rule_repeated_compilation = {
    .order = 160,
    .id = "repeated-compilation",
    .rests_on = "the names of calls of the host, and steps",
    .formula = "time in calls that compile operators after the first step / time of the host after step 1",
    .advice = "Keep shapes constant, or use compiled kernels (jit_compile=False); cache compiled kernels.",
    .threshold = 1,
    .check = check_compile,
};

const struct rule rule_synchronise = {
    .order = 165,
    .id = "synchronise",
    .rests_on = "the order of calls of the host on each thread",
    .formula = "launches followed by a synchronising call on their thread / launches",
    .advice = "Wait once per step, not for each operator; check whether ASCEND_LAUNCH_BLOCKING is set.",
    .threshold = 50,
    .of_gaps = true,
    .check = check_synchronise,
};

const struct rule rule_garbage_collection = {
    .order = 170,
    .id = "garbage-collection",
    .rests_on = "garbage collections recorded by the framework; else pauses of the device without host calls",
    .formula = "idle time of the device during garbage collection / elapsed",
    .advice = "Collect at chosen times (gc.disable, gc.collect), or raise the thresholds (gc.set_threshold).",
    .threshold = 1,
    .of_gaps = true,
    .check = check_garbage,
};

const struct rule rule_data_loader = {
    .order = 175,
    .id = "data-loader",
    .rests_on = "waits for data, as recorded by the framework",
    .formula = "idle time of the device while the program waits for data / elapsed",
    .advice = "Use more workers and pinned memory for the loader, prefetch, or store the data in larger files.",
    .threshold = 1,
    .of_gaps = true,
    .check = check_data_loader,
};
