/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of each model: how long they take, how much they scatter, which is the slowest and why. */
#include "analysis/splits.h"
#include "analysis/step_groups.h"
#include "exporters/load/answer.h"
#include "exporters/table/report.h"

/* INT64_MIN, NAN and NULL: not known. */
struct shown {
    int64_t device, model, batch, steps, warmup, number, start_ns;
    double median_ns, mad_ns, p95_ns, slowest_ns, period_ns, busy_ns, free_ns, fps_milli, part_ns, op_ns;
    const char *part, *op, *source, *recorded;
};

static const struct report_column columns[] = {
    {"Median(us)", SHOWN(median_ns), FORM_SCALED, 3, .doc = "Half of the steps took no longer."},
    {"MAD(us)", SHOWN(mad_ns), FORM_SCALED, 3, .doc = "Half of the steps are no further from the median."},
    {"P95(us)", SHOWN(p95_ns), FORM_SCALED, 3, .doc = "19 of 20 steps took no longer."},
    {"Slowest(us)", SHOWN(slowest_ns), FORM_SCALED, 3, .doc = "The longest step."},
    {"Steps", SHOWN(steps), .flags = REPORT_NUMBER, .doc = "How many steps it made, without warm-up."},
    {"Period(us)", SHOWN(period_ns), FORM_SCALED, 3,
     .doc =
         "From begin to begin of neighbours, the median; N/A where none was recorded, or steps of the model overlap."},
    {"Busy(us)", SHOWN(busy_ns), FORM_SCALED, 3, .flags = REPORT_NARROW,
     .doc = "How long the device did anything in a period, the median."},
    {"Free(us)", SHOWN(free_ns), FORM_SCALED, 3, .doc = "How long it did nothing, the median."},
    {"Fps", SHOWN(fps_milli), FORM_SCALED, 3,
     .doc = "Steps a second, from the begin of the first to the end of the last; of inferences pictures, as many as a "
            "batch has."},
    {"Grew", SHOWN(part), .doc = "Part that grew most in it: computing, exposed communication, copies or free time."},
    {"Grew by(us)", SHOWN(part_ns), FORM_SCALED, 3, .doc = "By how much, from the median of this part."},
    {"Model_id", SHOWN(model), .flags = REPORT_NUMBER | REPORT_NARROW,
     .doc = "The model; none of steps that were marked by themselves."},
    {"Batch", SHOWN(batch), .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "Pictures in an inference."},
    {"Device_id", SHOWN(device), .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "The device."},
    {"Warmup", SHOWN(warmup), .flags = REPORT_NUMBER | REPORT_NARROW,
     .doc = "How many of the first steps are warm-up, and left out."},
    {"Slowest step", SHOWN(number), .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "Its number in table overlap."},
    {"At(us)", SHOWN(start_ns), FORM_TIME, .flags = REPORT_NARROW, .doc = "When it began."},
    {"Source", SHOWN(source), .flags = REPORT_NARROW, .doc = "Source that told the steps apart."},
    {"Recorded", SHOWN(recorded), .flags = REPORT_NARROW,
     .doc = "Inferences recorded of those that were made, where that is not all."},
    {"Operator by(us)", SHOWN(op_ns), FORM_SCALED, 3, .flags = REPORT_NARROW,
     .doc = "How much longer the operator took than in the mean of the other steps."},
    {"Operator", SHOWN(op), .doc = "The operator that took longer in it than elsewhere, most of all."},
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
    char recorded[RECORDED_SIZE];
    workload_recorded_text(&workload->facts, recorded);
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
        .source = step_source_name((enum step_source)it->source),
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
    .doc =
        "The time of steps by device, family, model and batch: median, median absolute deviation, 95th percentile, the "
        "slowest, which part of it grew most, and which operator. Without marks steps are the period of the "
        "sequence of operators.",
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

    for (size_t i = 0; status == 0 && i < splits.count; i++)
        status = put_split(run, workload, &splits, i, err);
    return status;
}

const struct report report_overlap = {
    .name = "overlap",
    .title = "Computing, communication and nothing by step",
    .doc = "How each step divides into computing, communication, exposed communication, copies and nothing, from its "
           "begin to that of the next where that was recorded. Steps of different families (iterations, marks) overlap "
           "in time. Without marks steps are the period of the sequence of operators. A step in which the device did "
           "nothing "
           "has times alone.",
    .needs = "tasks with times",
    .families = FAMILY_ANY,
    .shown_only = true,
    .columns = VALUE_LIST(
        {"Step", SHOWN_OVERLAP(step), .flags = REPORT_NUMBER, .doc = "From 1; without steps the whole capture is one."},
        {"Device_id", SHOWN_OVERLAP(device), .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "The device."},
        {"Start(us)", SHOWN_OVERLAP(start_ns), FORM_TIME, .doc = "When it began."},
        {"Time(us)", SHOWN_OVERLAP(time_ns), FORM_SCALED, 3, .id = "step_time", .doc = "How long it took."},
        {"Period(us)", SHOWN_OVERLAP(period_ns), FORM_SCALED, 3,
         .doc = "From its begin to that of the next, where that was recorded. The following columns are of the period, "
                "without one "
                "of the step."},
        {"Computing(us)", SHOWN_OVERLAP(it.computing_ns), FORM_SCALED, 3, .doc = "When operators ran."},
        {"Communication(us)", SHOWN_OVERLAP(it.communication_ns), FORM_SCALED, 3, .flags = REPORT_NARROW,
         .doc = "When the device communicated."},
        {"Exposed(us)", SHOWN_OVERLAP(it.exposed_ns), FORM_SCALED, 3, .id = "exposed_comm",
         .doc = "When it communicated and did not compute."},
        {"Copies(us)", SHOWN_OVERLAP(it.copy_ns), FORM_SCALED, 3, .flags = REPORT_NARROW,
         .doc = "When it copied, and neither computed nor communicated."},
        {"Other(us)", SHOWN_OVERLAP(other_ns), FORM_SCALED, 3, .flags = REPORT_NARROW,
         .doc = "When other tasks alone ran. Computing, Exposed, Copies, Other and Free are together the whole."},
        {"Busy(us)", SHOWN_OVERLAP(it.busy_ns), FORM_SCALED, 3, .flags = REPORT_NARROW,
         .doc = "When it did any of it."},
        {"Free(us)", SHOWN_OVERLAP(free_ns), FORM_SCALED, 3,
         .doc = "When it did nothing; not known where a part of the step was not recorded."},
        {"Free share(%)", SHOWN_OVERLAP(free_share), FORM_SCALED, 2, .doc = "Its share."},
        {"Source", SHOWN_OVERLAP(source), .flags = REPORT_NARROW, .doc = "Source that told the steps apart."},
        {"Model_id", SHOWN_OVERLAP(model), .flags = REPORT_NUMBER | REPORT_NARROW,
         .doc = "The model; none of marked steps."},
        {"Number", SHOWN_OVERLAP(number), .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "As the capture counts it."}),
    .of_workload = put_splits,
};
