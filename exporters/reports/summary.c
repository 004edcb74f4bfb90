/* What this capture is, how its time divides, and what to look at first. */
#include "analysis/advice.h"
#include "analysis/bound.h"
#include "analysis/step_groups.h"
#include "exporters/report/report.h"
#include "exporters/workload/load.h"
#include "exporters/workload/load_evidence.h"

#include <stdio.h>

enum { ITEM, VALUE, COLUMNS };

#define LARGEST_FINDINGS 5
#define TEXT_SIZE 640

static const struct report_column columns[] = {
    [ITEM] = {"Item", .doc = "What is told."},
    [VALUE] = {"Value", .flags = REPORT_SENTENCES,
               .doc = "A text, or a number with its unit; of a finding its severity, rule and sentence."},
    {.title = NULL},
};

__attribute__((format(printf, 4, 5))) static int put_line(struct report_run *run, const char *item, struct err *err,
                                                          const char *format, ...)
{
    char text[TEXT_SIZE];
    va_list args;

    va_start(args, format);
    err_format(text, sizeof text, format, args);
    va_end(args);
    const struct report_value values[COLUMNS] = {value_text(item), value_text(text)};
    return text[0] != '\0' ? report_row(run, values, err) : 0;
}

static int put_facts(struct report_run *run, const struct workload *workload, struct err *err)
{
    const struct workload_facts *facts = &workload->facts;
    int status = put_line(run, "Capture", err, "%s", facts->family);

    if (status == 0 && facts->chip[0] != '\0')
        status = put_line(run, "Chip", err, "%s", facts->chip);
    if (status == 0 && facts->clock_khz > 0)
        status = put_line(run, "Clock", err, "%.3f MHz", (double)facts->clock_khz / 1000);
    if (status == 0 && facts->cube_cores > 0)
        status = facts->vector_cores > 0 ? put_line(run, "Cores", err, "%lld, and %lld for vectors",
                                                    (long long)facts->cube_cores, (long long)facts->vector_cores)
                                         : put_line(run, "Cores", err, "%lld", (long long)facts->cube_cores);
    if (status == 0)
        status = put_line(run, "Devices", err, "%zu", workload->device_count);
    if (status == 0)
        status = put_line(run, "Models", err, "%s", facts->models);
    if (status == 0)
        status = put_line(run, "Metrics", err, "%s", facts->metrics);
    if (status == 0)
        status = put_line(run, "Executions", err, "%zu of %zu operators", workload->execution_count,
                          workload->operator_count);
    if (status == 0 && workload->refused > 0)
        status = put_line(run, "Refused", err, "%llu executions whose times cannot be",
                          (unsigned long long)workload->refused);
    if (status == 0 && facts->problems > 0)
        status = put_line(run, "Problems", err, "%lld at import", (long long)facts->problems);
    return status;
}

/* Of the model that has most steps. */
static int put_steps(struct report_run *run, const struct workload *workload, const struct splits *splits,
                     struct err *err)
{
    struct step_groups groups;
    const struct step_group *most = NULL;
    int status = splits->whole ? 0 : step_groups_make(workload, splits, &groups, err);

    if (status != 0 || splits->whole)
        return status != 0 ? status : put_line(run, "Steps", err, "none are marked, and no sequence repeats");
    for (size_t i = 0; i < groups.count; i++)
        if (most == NULL || groups.items[i].times.n > most->times.n)
            most = &groups.items[i];
    if (most != NULL && most->times.n > 0) {
        const struct series *times = &most->times;
        char outside[96] = "";
        if (splits->inside < splits->count)
            snprintf(outside, sizeof outside, ", %zu with nothing recorded of the device",
                     splits->count - splits->inside);
        status = put_line(run, "Steps", err, "%zu (%s), %zu of them warm-up%s", splits->count,
                          step_source_name(workload->step_source), splits->warmup, outside);
        if (status == 0)
            status = put_line(run, "Step time", err, "median %.3f us, MAD %.3f us, p95 %.3f us, slowest %.3f us",
                              times->median / 1e3, times->mad / 1e3, series_percentile(times, 0.95) / 1e3,
                              times->maximum / 1e3);
    }
    step_groups_release(&groups);
    return status;
}

static int put_share(struct report_run *run, const char *item, double part_ns, double all_ns, struct err *err)
{
    return put_line(run, item, err, "%.2f %% (%.3f us)", all_ns > 0 ? 100 * part_ns / all_ns : 0, part_ns / 1e3);
}

static int put_times(struct report_run *run, const struct splits *splits, struct err *err)
{
    double time = 0, busy = 0, computing = 0, exposed = 0, copies = 0;
    int status;

    for (size_t i = 0; i < splits->count; i++) {
        const struct split *split = &splits->items[i];
        if (splits_is_outside(splits, i))
            continue;
        time += (double)split->time_ns;
        busy += (double)split->busy_ns;
        computing += (double)split->computing_ns;
        exposed += (double)split->exposed_ns;
        copies += (double)split->copy_ns;
    }
    status = put_share(run, "Busy", busy, time, err);
    if (status == 0)
        status = put_share(run, "Computing", computing, time, err);
    if (status == 0)
        status = put_share(run, "Exposed communication", exposed, time, err);
    if (status == 0)
        status = put_share(run, "Copies", copies, time, err);
    return status == 0 ? put_share(run, "Free", time - busy, time, err) : status;
}

/* How the counted time of operators divides by what limits them. */
static int put_bounds(struct report_run *run, const struct workload *workload, struct err *err)
{
    double sums[BOUND_LATENCY + 1] = {0}, all = 0;

    for (size_t i = 0; i < workload->operator_count; i++) {
        struct unit_times times;
        unit_times_init(&times);
        unit_times_add(&times, &workload->operators[i]);
        sums[unit_times_bound(&times)] += times.counted_ns;
        all += times.counted_ns;
    }
    if (all <= 0)
        return put_line(run, "Bound", err, "not known: the units of the cores were not counted");
    return put_line(run, "Bound", err, "compute %.1f %%, memory %.1f %%, latency %.1f %% of the counted time",
                    100 * sums[BOUND_COMPUTE] / all, 100 * sums[BOUND_MEMORY] / all, 100 * sums[BOUND_LATENCY] / all);
}

static int put_findings(struct report_run *run, const struct workload *workload, struct err *err)
{
    struct host_evidence evidence;
    struct advice advice;
    double thresholds[RULES];
    int status = evidence_load(run->session->db, workload, &evidence, err);

    for (size_t i = 0; i < RULES; i++)
        thresholds[i] = rules[i].threshold;
    if (status == 0)
        status = advice_make(workload, &evidence, thresholds, &advice, err);
    for (size_t i = 0; status == 0 && i < LARGEST_FINDINGS && advice.findings[i].fired; i++) {
        const struct finding *finding = &advice.findings[i];
        char item[32];
        snprintf(item, sizeof item, "Finding %zu", i + 1);
        status = put_line(run, item, err, "%s, %s: %s", severity_name(finding->severity), rules[finding->rule].id,
                          finding->sentence);
    }
    return status;
}

static int put_rows(struct report_run *run, struct err *err)
{
    struct workload workload;
    struct splits splits = {.items = NULL};
    int status = workload_load(run->session->db, WITH_COUNTERS, &workload, err);

    if (status != 0)
        return status;
    status = splits_make(&workload, &splits, err);
    if (status == 0)
        status = put_facts(run, &workload, err);
    if (status == 0 && workload.execution_count > 0)
        status = put_steps(run, &workload, &splits, err);
    if (status == 0 && workload.execution_count > 0)
        status = put_times(run, &splits, err);
    if (status == 0 && workload.execution_count > 0)
        status = put_bounds(run, &workload, err);
    if (status == 0 && workload.execution_count > 0)
        status = put_findings(run, &workload, err);
    splits_release(&splits);
    workload_release(&workload);
    return status;
}

const struct report report_summary = {
    .name = "summary",
    .title = "Summary",
    .doc = "What the capture is, its steps, how its time divides, and the five findings with most time at "
           "stake, of those that 'msprof advise' gives.",
    .families = FAMILY_ANY,
    .is_short = true,
    .shown_only = true,
    .columns = columns,
    .rows = put_rows,
};
