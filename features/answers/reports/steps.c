/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of each model: how long they take, how much they scatter, which is the slowest and why. */
#include "base/file/large.h"
#include "exporters/table/report.h"
#include "features/answers/analysis/splits.h"
#include "features/answers/analysis/step_groups.h"
#include "features/answers/load/answer.h"

/* INT64_MIN, NAN and NULL: not known. */
struct shown {
    int64_t device, model, batch, steps, warmup, number, start_ns;
    double median_ns, mad_ns, p95_ns, slowest_ns, period_ns, busy_ns, free_ns, fps_milli, part_ns, op_ns;
    const char *part, *op, *source, *recorded;
};

static const struct report_column columns[] = {
    {"Median(us)", SHOWN(median_ns), FORM_SCALED, 3, .doc = "Median time of a step."},
    {"MAD(us)", SHOWN(mad_ns), FORM_SCALED, 3, .doc = "Half of the steps are no further from the median."},
    {"P95(us)", SHOWN(p95_ns), FORM_SCALED, 3, .doc = "95th percentile."},
    {"Slowest(us)", SHOWN(slowest_ns), FORM_SCALED, 3, .doc = "The longest step."},
    {"Steps", SHOWN(steps), .flags = REPORT_NUMBER, .doc = "Number of steps, without warm-up."},
    {"Period(us)", SHOWN(period_ns), FORM_SCALED, 3,
     .doc = "Median time between the starts of consecutive steps; N/A if none were recorded or steps of the model "
            "overlap."},
    {"Busy(us)", SHOWN(busy_ns), FORM_SCALED, 3, .flags = REPORT_NARROW, .doc = "Median busy time in a period."},
    {"Free(us)", SHOWN(free_ns), FORM_SCALED, 3, .doc = "Median idle time."},
    {"Fps", SHOWN(fps_milli), FORM_SCALED, 3,
     .doc = "Steps a second, from the begin of the first to the end of the last; of inferences pictures, as many as a "
            "batch has."},
    {"Grew", SHOWN(part), .doc = "Part that grew most in it: computing, exposed communication, copies or free time."},
    {"Grew by(us)", SHOWN(part_ns), FORM_SCALED, 3, .doc = "Increase over the median of this part."},
    {"Model_id", SHOWN(model), .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "The model; N/A for marked steps."},
    {"Batch", SHOWN(batch), .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "Pictures in an inference."},
    {"Device_id", SHOWN(device), .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "The device."},
    {"Warmup", SHOWN(warmup), .flags = REPORT_NUMBER | REPORT_NARROW,
     .doc = "Number of warm-up steps, which are excluded."},
    {"Slowest step", SHOWN(number), .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "Its number in table overlap."},
    {"At(us)", SHOWN(start_ns), FORM_TIME, .flags = REPORT_NARROW, .doc = "Start."},
    {"Source", SHOWN(source), .flags = REPORT_NARROW,
     .doc = "How the steps were identified, and the shapes of those that run the same operators with other ones."},
    {"Recorded", SHOWN(recorded), .flags = REPORT_NARROW,
     .doc = "Sampled inferences of all inferences, if not all were recorded."},
    {"Operator by(us)", SHOWN(op_ns), FORM_SCALED, 3, .flags = REPORT_NARROW,
     .doc = "Increase of this operator over the mean of the other steps."},
    {"Operator", SHOWN(op), .doc = "The operator with the largest increase in the slowest step."},
    {.title = NULL},
};

static int put_group(struct report_run *run, const struct workload *workload, const struct splits *splits,
                     const struct step_group *group, struct err *err)
{
    const struct series *times = &group->times;
    const struct split_group *it = &splits->groups.items[group->group];
    bool grew = group->op != NO_TEXT, has_period = group->periods.n > 0 && group->periods.median > 0;
    bool has_stretch = group->free.n > 0;
    double fps = splits_fps(&it->throughput);
    char recorded[RECORDED_SIZE], source[GROUP_NAME_SIZE];
    workload_recorded_text(&workload->facts, recorded);
    snprintf(source, sizeof source, it->kind > 0 ? "%s (%s)" : "%s", step_source_name((enum step_source)it->source),
             it->kind > 0 ? workload_text(workload, workload->kinds.items[it->kind - 1]) : "");
    const struct shown row = {
        .device = workload->devices[it->device].id,
        .model = it->model_id == STEP_OF_NO_MODEL ? DB_NULL : it->model_id,
        .batch = it->batch > 0 ? it->batch : DB_NULL,
        .steps = times->n,
        .warmup = (int64_t)group->warmup,
        .number = (int64_t)splits_place(splits, group->slowest),
        .start_ns = splits->items[group->slowest].start_ns,
        .median_ns = times->median,
        .mad_ns = times->mad,
        .p95_ns = times->p95,
        .slowest_ns = times->maximum,
        .period_ns = has_period ? group->periods.median : NAN,
        .busy_ns = has_stretch ? group->busy.median : NAN,
        .free_ns = has_stretch ? group->free.median : NAN,
        .fps_milli = fps > 0 ? 1e3 * fps : NAN,
        .part = group->part_ns > 0 ? step_part_name(group->part) : NULL,
        .part_ns = group->part_ns > 0 ? group->part_ns : NAN,
        .op = grew ? workload_text(workload, workload->operators[group->op].key.name) : NULL,
        .op_ns = grew ? group->op_ns : NAN,
        .source = source,
        .recorded = recorded[0] != '\0' && it->source == STEPS_INFERENCES ? recorded : NULL,
    };
    return report_put(run, &row, err);
}

static int put_groups(struct report_run *run, const struct workload *workload, struct err *err)
{
    SCOPED(splits_release) struct splits splits;
    SCOPED(step_groups_release) struct step_groups groups = {.items = NULL};

    if (splits_make(workload, &splits, err) < 0 ||
        (!splits.whole && step_groups_make(workload, &splits, &groups, err) < 0))
        return err_status(err);
    for (size_t i = 0; i < groups.count; i++)
        if (groups.items[i].times.n > 0 && put_group(run, workload, &splits, &groups.items[i], err) < 0)
            return err_status(err);
    return 0;
}

const struct report report_steps = {
    .name = "steps",
    .title = "Steps",
    .doc = "Step times by device, family, model and batch: median, median absolute deviation, 95th percentile, and the "
           "slowest step with the part and the operator that grew most. Without marks, a step is a period of the "
           "operator sequence.",
    .needs = "marks of steps, or operators that repeat",
    .families = FAMILY_ANY,
    .is_short = true,
    .shown_only = true,
    .columns = columns,
    .of_workload = put_groups,
};

/* How each step divides into computing, communication, copies and nothing. */
#define SHOWN_OVERLAP(member) REPORT_FIELD(struct shown_overlap, member)
struct shown_overlap {
    struct division it; /* of the period, or of the step */
    int64_t step, device, start_ns, time_ns, period_ns, other_ns, free_ns, free_share, model, number;
    const char *source;
};

static int put_split(struct report_run *run, const struct workload *workload, const struct splits *splits, size_t i,
                     struct err *err)
{
    const struct split *split = &splits->items[i];
    const struct split_group *group = &splits->groups.items[split->group];
    bool has_period = split->period.time_ns != NO_PERIOD;
    const struct division *it = has_period ? &split->period : &split->own;
    bool known = (has_period || group->source != STEPS_INFERENCES) && splits_is_recorded(splits, i, it);
    bool of_model = split->step != NULL && split->step->model_id != STEP_OF_NO_MODEL;
    static const struct division unknown = {DB_NULL, DB_NULL, DB_NULL, DB_NULL, DB_NULL,
                                            DB_NULL, DB_NULL, DB_NULL, false};
    const bool empty = it->busy_ns == 0; /* what it was for is not known: its tasks may be lost */
    const struct shown_overlap row = {
        .it = empty ? unknown : *it,
        .step = (int64_t)splits_place(splits, i),
        .device = workload->devices[split->device].id,
        .start_ns = split->start_ns,
        .time_ns = split->own.time_ns,
        .period_ns = has_period ? it->time_ns : DB_NULL,
        .other_ns = empty ? DB_NULL : it->other_ns,
        .free_ns = known && !empty ? it->free_ns : DB_NULL,
        .free_share = known && !empty ? number_ratio(it->free_ns, it->time_ns, 4) : DB_NULL,
        .model = of_model ? split->step->model_id : DB_NULL,
        .number = split->step != NULL ? split->step->number : DB_NULL,
        .source = step_source_name((enum step_source)group->source),
    };
    return report_put(run, &row, err);
}

static int put_splits(struct report_run *run, const struct workload *workload, struct err *err)
{
    SCOPED(splits_release) struct splits splits;
    int status = splits_make(workload, &splits, err);

    for (size_t i = 0; status == 0 && i < splits.count; large_pass(i++))
        status = put_split(run, workload, &splits, i, err);
    return status;
}

const struct report report_overlap = {
    .name = "overlap",
    .title = "Computing, communication and nothing by step",
    .doc = "Parts of each step: computing, communication, exposed communication, copies and idle time, until the start "
           "of the next step if recorded. Steps of different families (iterations, marks) overlap in time. Without "
           "marks, a step is a period of the operator sequence. A step without device work has only times.",
    .needs = "tasks with times",
    .families = FAMILY_ANY,
    .shown_only = true,
    .columns = VALUE_LIST(
        {"Step", SHOWN_OVERLAP(step), .flags = REPORT_NUMBER,
         .doc = "Number of the step, from 1; without steps the whole capture is one."},
        {"Device_id", SHOWN_OVERLAP(device), .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "The device."},
        {"Start(us)", SHOWN_OVERLAP(start_ns), FORM_TIME, .flags = REPORT_NARROW, .doc = "Start of the step."},
        {"Time(us)", SHOWN_OVERLAP(time_ns), FORM_SCALED, 3, .id = "step_time", .doc = "Its time."},
        {"Period(us)", SHOWN_OVERLAP(period_ns), FORM_SCALED, 3,
         .doc = "Time from its start to the start of the next step, if recorded. The following columns refer to the "
                "period, else to the step."},
        {"Computing(us)", SHOWN_OVERLAP(it.computing_ns), FORM_SCALED, 3, .doc = "Time with operators running."},
        {"Communication(us)", SHOWN_OVERLAP(it.communication_ns), FORM_SCALED, 3, .flags = REPORT_NARROW,
         .doc = "Time with communication."},
        {"Exposed(us)", SHOWN_OVERLAP(it.exposed_ns), FORM_SCALED, 3, .id = "exposed_comm",
         .doc = "Exposed communication."},
        {"Copies(us)", SHOWN_OVERLAP(it.copy_ns), FORM_SCALED, 3, .flags = REPORT_NARROW,
         .doc = "Time with copies only."},
        {"Other(us)", SHOWN_OVERLAP(other_ns), FORM_SCALED, 3, .flags = REPORT_NARROW,
         .doc = "Time of other tasks alone. Computing, Exposed, Copies, Other and Free add up to the whole."},
        {"Busy(us)", SHOWN_OVERLAP(it.busy_ns), FORM_SCALED, 3, .flags = REPORT_NARROW,
         .doc = "Time with any of these."},
        {"Free(us)", SHOWN_OVERLAP(free_ns), FORM_SCALED, 3,
         .doc = "Idle time; unknown if a part of the step was not recorded."},
        {"Free share(%)", SHOWN_OVERLAP(free_share), FORM_SCALED, 2, .doc = "Its share."},
        {"Source", SHOWN_OVERLAP(source), .flags = REPORT_NARROW, .doc = "How the steps were identified."},
        {"Model_id", SHOWN_OVERLAP(model), .flags = REPORT_NUMBER | REPORT_NARROW,
         .doc = "The model; N/A for marked steps."},
        {"Number", SHOWN_OVERLAP(number), .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "As the capture counts it."}),
    .of_workload = put_splits,
};
