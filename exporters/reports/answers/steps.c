/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of each model: how long they take, how much they scatter, which is the slowest and why. */
#include "analysis/step_groups.h"
#include "exporters/load/answer.h"
#include "exporters/table/report.h"

enum {
    MEDIAN,
    MAD,
    P95,
    SLOWEST,
    STEPS,
    PERIOD,
    BUSY,
    FREE,
    FPS,
    PART,
    PART_BY,
    MODEL,
    BATCH,
    DEVICE,
    WARMUP,
    NUMBER,
    START,
    SOURCE,
    RECORDED,
    OP_BY,
    OP,
    COLUMNS
};

static const struct report_column columns[] = {
    [DEVICE] = {"Device_id", NULL, .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "The device."},
    [MODEL] = {"Model_id", NULL, .flags = REPORT_NUMBER | REPORT_NARROW,
               .doc = "The model; none of steps that were marked by themselves."},
    [PERIOD] = {"Period(us)", NULL, FORM_SCALED, 3,
                .doc = "From begin to begin of neighbours, the median; none was recorded: N/A."},
    [BUSY] = {"Busy(us)", NULL, FORM_SCALED, 3, .flags = REPORT_NARROW,
              .doc = "How long the device did anything in a period, the median."},
    [FREE] = {"Free(us)", NULL, FORM_SCALED, 3, .doc = "How long it did nothing, the median."},
    [FPS] = {"Fps", NULL, FORM_SCALED, 3,
             .doc = "Steps a second by the period; of inferences pictures, as many as a "
                    "batch has."},
    [BATCH] = {"Batch", NULL, .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "Pictures in an inference."},
    [STEPS] = {"Steps", NULL, .flags = REPORT_NUMBER, .doc = "How many steps it made, without warm-up."},
    [WARMUP] = {"Warmup", NULL, .flags = REPORT_NUMBER | REPORT_NARROW,
                .doc = "How many of the first steps are warm-up, and left out."},
    [MEDIAN] = {"Median(us)", NULL, FORM_SCALED, 3, .doc = "Half of the steps took no longer."},
    [MAD] = {"MAD(us)", NULL, FORM_SCALED, 3, .doc = "Half of the steps are no further from the median."},
    [P95] = {"P95(us)", NULL, FORM_SCALED, 3, .doc = "19 of 20 steps took no longer."},
    [SLOWEST] = {"Slowest(us)", NULL, FORM_SCALED, 3, .doc = "The longest step."},
    [NUMBER] = {"Slowest step", NULL, .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "Its number in table overlap."},
    [START] = {"At(us)", NULL, FORM_TIME, .flags = REPORT_NARROW, .doc = "When it began."},
    [PART] = {"Grew", .doc = "What grew most in it: computing, exposed communication, copies or free time."},
    [PART_BY] = {"Grew by(us)", NULL, FORM_SCALED, 3, .doc = "By how much, from the median of this part."},
    [OP_BY] = {"Operator by(us)", NULL, FORM_SCALED, 3, .flags = REPORT_NARROW,
               .doc = "How much longer the operator took than in the mean of the other steps."},
    [SOURCE] = {"Source", .flags = REPORT_NARROW, .doc = "What told the steps apart."},
    [RECORDED] = {"Recorded", .flags = REPORT_NARROW,
                  .doc = "Of the inferences that were made: how many were recorded, where that is not all."},
    [OP] = {"Operator", .doc = "The operator that took longer in it than elsewhere, most of all."},
    {.title = NULL},
};

static int put_group(struct report_run *run, const struct workload *workload, const struct splits *splits,
                     const struct step_group *group, struct err *err)
{
    const struct series *times = &group->times;
    const struct split_group *it = &splits->groups.items[group->group];
    bool grew = group->op != NO_TEXT, has_period = group->periods.n > 0 && group->periods.median > 0;
    bool has_stretch = group->free.n > 0;
    char recorded[RECORDED_SIZE];
    workload_recorded_text(&workload->facts, recorded);
    const struct report_value values[COLUMNS] = {
        [DEVICE] = value_integer(workload->devices[it->device].id),
        [MODEL] = it->model_id == STEP_OF_NO_MODEL ? value_none() : value_integer(it->model_id),
        [BATCH] = it->batch > 0 ? value_integer(it->batch) : value_none(),
        [PERIOD] = has_period ? value_rounded(group->periods.median) : value_none(),
        [BUSY] = has_stretch ? value_rounded(group->busy.median) : value_none(),
        [FREE] = has_stretch ? value_rounded(group->free.median) : value_none(),
        [FPS] = has_period ? value_rounded(1e12 * (double)(it->batch > 0 ? it->batch : 1) / group->periods.median)
                           : value_none(),
        [STEPS] = value_integer(times->n),
        [WARMUP] = value_integer((int64_t)group->warmup),
        [MEDIAN] = value_rounded(times->median),
        [MAD] = value_rounded(times->mad),
        [P95] = value_rounded(series_percentile(times, 0.95)),
        [SLOWEST] = value_rounded(times->maximum),
        [NUMBER] = value_integer((int64_t)group->slowest + 1),
        [START] = value_integer(splits->items[group->slowest].start_ns),
        [PART] = group->part_ns > 0 ? value_text(step_part_name(group->part)) : value_none(),
        [PART_BY] = group->part_ns > 0 ? value_rounded(group->part_ns) : value_none(),
        [OP_BY] = grew ? value_rounded(group->op_ns) : value_none(),
        [SOURCE] = value_text(step_source_name((enum step_source)it->source)),
        [RECORDED] = value_text(recorded[0] != '\0' && it->source == STEPS_INFERENCES ? recorded : NULL),
        [OP] = grew ? value_text(workload_text(workload, workload->operators[group->op].key.name)) : value_none(),
    };
    return report_row(run, values, err);
}

static int put_rows(struct report_run *run, struct err *err)
{
    struct workload workload;
    struct splits splits;
    struct step_groups groups = {.items = NULL};
    int status = answer_workload(run, WITHOUT_COUNTERS, &workload, err);

    if (status != 0)
        return status;
    status = splits_make(&workload, &splits, err);
    if (status == 0 && !splits.whole)
        status = step_groups_make(&workload, &splits, &groups, err);
    for (size_t i = 0; status == 0 && i < groups.count; i++)
        if (groups.items[i].times.n > 0)
            status = put_group(run, &workload, &splits, &groups.items[i], err);
    step_groups_release(&groups);
    splits_release(&splits);
    workload_release(&workload);
    return status;
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
    .rows = put_rows,
};
