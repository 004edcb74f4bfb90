/* SPDX-License-Identifier: Apache-2.0 */
/* The summary of a capture: what it is, how its time divides, and what to look at first. */
#include "base/file/large.h"
#include "base/number.h"
#include "base/quantity.h"
#include "db/query/query.h"
#include "exporters/table/report.h"
#include "exporters/table/terminal.h"
#include "features/answers/analysis/advice.h"
#include "features/answers/analysis/bound.h"
#include "features/answers/analysis/splits.h"
#include "features/answers/analysis/step_groups.h"
#include "features/answers/load/load.h"

#include <stdio.h>
#include <string.h>

#define LARGEST_FINDINGS 5
#define BRIEF_FINDINGS 3
#define TEXT_SIZE 640

struct shown {
    const char *item, *value;
};

static const struct report_column columns[] = {
    {"Item", SHOWN(item), .doc = "Name of the item."},
    {"Value", SHOWN(value), .flags = REPORT_SENTENCES,
     .doc = "A text, or a number with its unit; of a finding its severity, rule and sentence."},
    {.title = NULL},
};

__attribute__((format(printf, 4, 5))) static int put_line(struct report_run *run, const char *item, struct err *err,
                                                          const char *format, ...)
{
    char text[TEXT_SIZE];
    va_list args;

    va_start(args, format);
    err_format(text, sizeof text, language_shown(format), args);
    va_end(args);
    return text[0] != '\0' ? report_put(run, (&(const struct shown){language_shown(item), text}), err) : 0;
}

static int put_list(struct report_run *run, const char *item, const char *list, struct err *err)
{
    return list != NULL && list[0] != '\0' ? report_put(run, (&(const struct shown){language_shown(item), list}), err)
                                           : 0;
}

static int put_facts(struct report_run *run, const struct workload *workload, struct err *err)
{
    const struct workload_facts *facts = &workload->facts;
    char problems[PROBLEMS_TEXT_SIZE];

    if (query_problems(run->session->db, problems, err) < 0 || put_list(run, "Problems", problems, err) < 0 ||
        put_line(run, "Capture", err, "%s", facts->family) < 0)
        return err_status(err);

    if ((facts->chip[0] != '\0' && put_line(run, "Chip", err, "%s", facts->chip) < 0) ||
        (facts->clock_khz > 0 && put_line(run, "Clock", err, "%.3f MHz", (double)facts->clock_khz / 1000) < 0) ||
        (facts->cube_cores > 0 &&
         (facts->vector_cores > 0 ? put_line(run, "Cores", err, "%lld, and %lld for vectors",
                                             (long long)facts->cube_cores, (long long)facts->vector_cores)
                                  : put_line(run, "Cores", err, "%lld", (long long)facts->cube_cores)) < 0) ||
        put_line(run, "Devices", err, "%lld", (long long)facts->devices) < 0 ||
        put_list(run, "Models", facts->models, err) < 0 || put_list(run, "Metrics", facts->metrics, err) < 0 ||
        put_line(run, "Executions", err, "%zu of %zu operators", workload->execution_count, workload->operator_count) <
            0 ||
        (workload->refused > 0 && put_line(run, "Refused", err, "%llu executions with impossible times",
                                           (unsigned long long)workload->refused) < 0))
        return err_status(err);
    return 0;
}

/* A time in the unit of its size on a terminal, exactly in files. */
static const char *time_text(const struct report_run *run, double ns, char text[QUANTITY_MAX])
{
    if (run->session->options->format == TABLE_TERMINAL)
        return quantity_time(ns, text);
    snprintf(text, QUANTITY_MAX, "%.3f us", number_us(ns));
    return text;
}

#define GROUPS_SHOWN 16
#define ITEM_SIZE (GROUP_NAME_SIZE + 32)

/* "Period", and of several groups which: "Period, inferences of model 3, batch 4". */
static const char *item_of(char text[ITEM_SIZE], const char *item, const char *name)
{
    snprintf(text, ITEM_SIZE, "%s%s%s", language_shown(item), name[0] != '\0' ? ", " : "", name);
    return text;
}

static int put_series(struct report_run *run, const char *item, const struct series *series, struct err *err)
{
    char text[4][QUANTITY_MAX];

    return put_line(run, item, err, "median %s, MAD %s, p95 %s, slowest %s", time_text(run, series->median, text[0]),
                    time_text(run, series->mad, text[1]), time_text(run, series->p95, text[2]),
                    time_text(run, series->maximum, text[3]));
}

/* Why no period is reported. */
static const char *without_period(const struct split_group *group)
{
    return group->throughput.lost || group->throughput.steps < 2
               ? language_shown("unknown: no two consecutive inferences were recorded")
               : language_shown("none: inferences overlap");
}

static int put_fps(struct report_run *run, const char *item, const struct throughput *throughput, struct err *err)
{
    double fps = splits_fps(throughput);

    return fps > 0 ? put_line(run, item, err, "%.3f", fps) : 0;
}

static int put_group(struct report_run *run, const struct splits *splits, const struct step_group *group,
                     const char *name, struct err *err)
{
    const struct split_group *it = &splits->groups.items[group->group];
    char item[ITEM_SIZE];
    int status = group->times.n > 0 ? put_series(run, item_of(item, "Step time", name), &group->times, err) : 0;

    if (status != 0)
        return status;
    if (group->periods.n > 0)
        status = put_series(run, item_of(item, "Period", name), &group->periods, err);
    else if (it->source == STEPS_INFERENCES)
        status = put_line(run, item_of(item, "Period", name), err, "%s", without_period(it));
    return status == 0 ? put_fps(run, item_of(item, "Fps", name), &it->throughput, err) : status;
}

static int put_groups(struct report_run *run, const struct workload *workload, const struct splits *splits,
                      const struct step_groups *groups, struct err *err)
{
    int status = 0;

    for (size_t i = 0; status == 0 && i < groups->count && i < GROUPS_SHOWN; i++) {
        char name[GROUP_NAME_SIZE] = "";
        if (groups->count > 1)
            splits_group_name(workload, splits, groups->items[i].group, name);
        status = put_group(run, splits, &groups->items[i], name, err);
    }
    if (status == 0 && groups->count > GROUPS_SHOWN)
        status = put_line(run, "Step time", err, "%zu more groups of steps: table steps", groups->count - GROUPS_SHOWN);
    const struct throughput all = splits_throughput(splits);
    size_t leading = 0;
    for (size_t g = 0; g < splits->groups.count; g++)
        leading += splits->groups.items[g].source == splits->source;
    if (status == 0 && leading > 1)
        status = put_fps(run, "Fps, all together", &all, err);
    return status;
}

/* How many there are of a family, and of those how many do not count. */
static int put_family(struct report_run *run, const struct splits *splits, enum step_source source, struct err *err)
{
    size_t count = 0, warmup = 0, outside = 0;
    char text[96] = "";

    for (size_t i = 0; i < splits->count; large_pass(i++)) {
        if (splits->groups.items[splits->items[i].group].source != source)
            continue;
        count++;
        warmup += splits_is_warmup(splits, i);
        outside += splits_is_outside(splits, i);
    }
    if (outside > 0)
        snprintf(text, sizeof text, language_shown(", %zu with nothing recorded of the device"), outside);
    return count > 0 ? put_line(run, "Steps", err, "%zu (%s), %zu of them warm-up%s", count,
                                language_shown(step_source_name(source)), warmup, text)
                     : 0;
}

/* Steps of which a part was not recorded. */
static int put_cuts(struct report_run *run, const struct splits *splits, struct err *err)
{
    for (size_t i = 0; i < splits->cuts->count && i < GROUPS_SHOWN; i++) {
        char text[CUT_TEXT_SIZE];
        cut_step_text(&splits->cuts->items[i], text);
        if (put_line(run, "Cut", err, "%s", text) < 0)
            return err_status(err);
    }
    return 0;
}

static int put_steps(struct report_run *run, const struct workload *workload, const struct splits *splits,
                     struct err *err)
{
    struct step_groups groups;
    char recorded[RECORDED_SIZE];
    int status = splits->whole ? 0 : step_groups_make(workload, splits, &groups, err);

    if (status == 0 && splits->whole)
        status = put_line(run, "Steps", err, "none: no steps are marked, and no sequence repeats");
    if (status != 0 || splits->whole)
        return status != 0 ? status : put_cuts(run, splits, err);
    for (int source = STEP_SOURCES - 1; status == 0 && source > STEPS_NONE; source--)
        status = put_family(run, splits, (enum step_source)source, err);
    if (status == 0)
        status = put_cuts(run, splits, err);
    workload_recorded_text(&workload->facts, recorded);
    if (status == 0 && recorded[0] != '\0')
        status = put_line(run, "Recorded", err, "%s; figures cover only those", recorded);
    if (status == 0)
        status = put_groups(run, workload, splits, &groups, err);
    step_groups_release(&groups);
    return status;
}

/* Whether it is to fit a screen. */
static bool is_brief(const struct report_run *run)
{
    const struct show *show = run->session->options->show;
    return show != NULL && show->options->brief;
}

static int put_share(struct report_run *run, const char *item, int64_t part_ns, int64_t all_ns, struct err *err)
{
    char text[QUANTITY_MAX];

    return put_line(run, item, err, "%.2f %% (%s)", all_ns > 0 ? 100 * (double)part_ns / (double)all_ns : 0,
                    time_text(run, (double)part_ns, text));
}

/* Puts the times of one device, from its first execution to the end of its last, without what was not recorded. */
static int put_device(struct report_run *run, const struct division *it, const char *name, struct err *err)
{
    const struct {
        const char *item;
        int64_t part_ns;
    } parts[] = {{LANGUAGE_MARK("Busy"), it->busy_ns},
                 {LANGUAGE_MARK("Computing"), it->computing_ns},
                 {LANGUAGE_MARK("Exposed communication"), it->exposed_ns},
                 {LANGUAGE_MARK("Copies"), it->copy_ns},
                 {LANGUAGE_MARK("Other tasks"), it->other_ns},
                 {LANGUAGE_MARK("Free"), it->free_ns}};
    char item[ITEM_SIZE];
    int status = 0;

    for (size_t i = 0; status == 0 && i < sizeof parts / sizeof *parts; i++)
        if (parts[i].part_ns > 0 ? !is_brief(run) || i != 1 || it->computing_ns != it->busy_ns
                                 : !is_brief(run) && strcmp(parts[i].item, "Other tasks") != 0)
            status = put_share(run, item_of(item, parts[i].item, name), parts[i].part_ns, it->time_ns, err);
    return status;
}

static int put_times(struct report_run *run, const struct workload *workload, const struct splits *splits,
                     struct err *err)
{
    for (size_t i = 0; i < workload->device_count; i++) {
        char name[32] = "";
        if (splits->devices[i].time_ns <= 0)
            continue;
        if (workload->device_count > 1)
            snprintf(name, sizeof name, language_shown("device %lld"), (long long)workload->devices[i].id);
        if (put_device(run, &splits->devices[i], name, err) < 0)
            return err_status(err);
    }
    return 0;
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
        return put_line(run, "Bound", err, "unknown: the units of the cores were not counted");
    return put_line(run, "Bound", err, "compute %.1f %%, memory %.1f %%, latency %.1f %% of the counted time",
                    100 * sums[BOUND_COMPUTE] / all, 100 * sums[BOUND_MEMORY] / all, 100 * sums[BOUND_LATENCY] / all);
}

static int put_findings(struct report_run *run, const struct workload *workload, struct err *err)
{
    SCOPED(host_evidence_release) struct host_evidence evidence = {.known = false};
    SCOPED(advice_release) struct advice advice = {.findings = {{.fired = false}}};
    bool failed =
        evidence_load(run->session->db, workload, NULL, NULL, &evidence, err) < 0 ||
        advice_make(workload, &evidence, NULL, &advice, err) < 0 ||
        (evidence.mean_mhz > 0 && evidence.rated_mhz > 0 && (!is_brief(run) || evidence.below_rated > 0) &&
         put_line(run, "Frequency", err,
                  "%.2f MHz on average while operators ran on the cores, %.1f %% of their time below %.0f MHz",
                  evidence.mean_mhz, evidence.below_rated, evidence.rated_mhz) < 0);
    for (size_t i = 0; !failed && i < (is_brief(run) ? BRIEF_FINDINGS : LARGEST_FINDINGS) && advice.findings[i].fired;
         i++) {
        const struct finding *finding = &advice.findings[i];
        char item[32];
        snprintf(item, sizeof item, language_shown("Finding %zu"), i + 1);
        failed = put_line(run, item, err, "%s, %s: %s", language_shown(advice_severity_name(finding->severity)),
                          finding->rule->id, finding->sentence) < 0;
    }
    return failed ? err_status(err) : 0;
}

/* How often and how long the ranges or calls ran that took most time. */
static int put_names(struct report_run *run, const char *item, const struct named_times *times, struct err *err)
{
    struct named_series largest[NAMED_LARGEST];
    size_t count;
    bool failed = named_times_largest(times, largest, &count, err) < 0;

    for (size_t i = 0; i < count; i++) {
        struct series *series = &largest[i].times;
        char text[3][QUANTITY_MAX];
        failed =
            failed || put_line(run, item, err, "%.300s: %lld times, median %s, slowest %s, %s in all", largest[i].name,
                               (long long)series->n, time_text(run, series->median, text[0]),
                               time_text(run, series->maximum, text[1]), time_text(run, series->total, text[2])) < 0;
        series_release(series);
    }
    return failed ? err_status(err) : 0;
}

/* Puts the times of a program whose devices were not recorded: what it says it does, and the calls that it makes. */
static int put_host(struct report_run *run, struct err *err)
{
    SCOPED(named_times_release) struct named_times ranges = {.items = NULL};
    SCOPED(named_times_release) struct named_times calls = {.items = NULL};

    return named_times_of_ranges(run->session->db, &ranges, err) < 0 || put_names(run, "Range", &ranges, err) < 0 ||
                   named_times_of_calls(run->session->db, &calls, err) < 0
               ? err_status(err)
               : put_names(run, "Call", &calls, err);
}

static int put_rows(struct report_run *run, struct err *err)
{
    struct workload workload;
    struct splits splits = {.items = NULL};
    bool failed = workload_load(run->session->db, WITH_COUNTERS, &workload, err) < 0;

    if (failed)
        return err_status(err);
    failed =
        splits_make(&workload, &splits, err) < 0 || put_facts(run, &workload, err) < 0 ||
        ((workload.execution_count > 0 || workload.step_count > 0) && put_steps(run, &workload, &splits, err) < 0) ||
        (workload.execution_count > 0 && put_times(run, &workload, &splits, err) < 0) ||
        (workload.execution_count > 0 && put_bounds(run, &workload, err) < 0) ||
        (workload.execution_count > 0 && put_findings(run, &workload, err) < 0) ||
        (workload.execution_count == 0 && put_host(run, err) < 0);
    splits_release(&splits);
    workload_release(&workload);
    return failed ? err_status(err) : 0;
}

const struct report report_summary = {
    .name = "summary",
    .title = "Summary",
    .doc = "Kind of the capture, its steps, the parts of its time, and the five findings of 'msprof advise' with most "
           "time at stake.",
    .families = FAMILY_ANY,
    .is_short = true,
    .shown_only = true,
    .windowed = true,
    .columns = columns,
    .rows = put_rows,
};
