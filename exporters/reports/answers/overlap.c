/* SPDX-License-Identifier: Apache-2.0 */
/* How each step divides into computing, communication, copies and nothing. */
#include "analysis/splits.h"
#include "exporters/load/answer.h"
#include "exporters/table/report.h"

enum {
    STEP,
    DEVICE,
    START,
    TIME,
    PERIOD,
    COMPUTING,
    COMMUNICATION,
    EXPOSED,
    COPIES,
    BUSY,
    FREE,
    FREE_SHARE,
    FAMILY,
    MODEL,
    NUMBER,
    COLUMNS
};

static const struct report_column columns[] = {
    [STEP] = {"Step", NULL, .flags = REPORT_NUMBER, .doc = "From 1; without steps the whole capture is one."},
    [DEVICE] = {"Device_id", NULL, .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "The device."},
    [START] = {"Start(us)", NULL, FORM_TIME, .doc = "When it began."},
    [TIME] = {"Time(us)", NULL, FORM_SCALED, 3, .id = "step_time", .doc = "How long it took."},
    [PERIOD] = {"Period(us)", NULL, FORM_SCALED, 3,
                .doc = "From its begin to that of the next, where that was recorded. "
                       "What follows is of the period, without one of the step."},
    [COMPUTING] = {"Computing(us)", NULL, FORM_SCALED, 3, .doc = "When operators ran."},
    [COMMUNICATION] = {"Communication(us)", NULL, FORM_SCALED, 3, .flags = REPORT_NARROW,
                       .doc = "When the device communicated."},
    [EXPOSED] = {"Exposed(us)", NULL, FORM_SCALED, 3, .id = "exposed_comm",
                 .doc = "When it communicated and did not compute."},
    [COPIES] = {"Copies(us)", NULL, FORM_SCALED, 3, .flags = REPORT_NARROW, .doc = "When it copied."},
    [BUSY] = {"Busy(us)", NULL, FORM_SCALED, 3, .flags = REPORT_NARROW, .doc = "When it did any of it."},
    [FREE] = {"Free(us)", NULL, FORM_SCALED, 3,
              .doc = "When it did nothing; not known where a part of the step was not recorded."},
    [FREE_SHARE] = {"Free share(%)", NULL, FORM_SCALED, 2, .doc = "Its share."},
    [FAMILY] = {"Source", .flags = REPORT_NARROW, .doc = "What told the steps apart."},
    [MODEL] = {"Model_id", NULL, .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "The model; none of marked steps."},
    [NUMBER] = {"Number", NULL, .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "As the capture counts it."},
    {.title = NULL},
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
    const struct report_value values[COLUMNS] = {
        [STEP] = value_integer((int64_t)i + 1),
        [DEVICE] = value_integer(workload->devices[split->device].id),
        [START] = value_integer(split->start_ns),
        [TIME] = value_integer(split->own.time_ns),
        [PERIOD] = has_period ? value_integer(it->time_ns) : value_none(),
        [COMPUTING] = value_integer(it->computing_ns),
        [COMMUNICATION] = value_integer(it->communication_ns),
        [EXPOSED] = value_integer(it->exposed_ns),
        [COPIES] = value_integer(it->copy_ns),
        [BUSY] = value_integer(it->busy_ns),
        [FREE] = known ? value_integer(it->free_ns) : value_none(),
        [FREE_SHARE] = known ? value_integer(number_ratio(it->free_ns, it->time_ns, 4)) : value_none(),
        [FAMILY] = value_text(step_source_name((enum step_source)group->source)),
        [MODEL] = of_model ? value_integer(split->step->model_id) : value_none(),
        [NUMBER] = split->step != NULL ? value_integer(split->step->number) : value_none(),
    };
    return report_row(run, values, err);
}

static int put_rows(struct report_run *run, struct err *err)
{
    struct workload workload;
    struct splits splits;
    int status = answer_workload(run, WITHOUT_COUNTERS, &workload, err);

    if (status != 0)
        return status;
    status = splits_make(&workload, &splits, err);
    for (size_t i = 0; status == 0 && i < splits.count; i++)
        status = put_split(run, &workload, &splits, i, err);
    splits_release(&splits);
    workload_release(&workload);
    return status;
}

const struct report report_overlap = {
    .name = "overlap",
    .title = "Computing, communication and nothing by step",
    .doc = "How each step divides into computing, communication, exposed communication, copies and nothing, from its "
           "begin to that of the next where that was recorded. Steps of different families (iterations, marks) overlap "
           "in time. Without marks steps are the period of the sequence of operators.",
    .needs = "tasks with times",
    .families = FAMILY_ANY,
    .shown_only = true,
    .columns = columns,
    .rows = put_rows,
};
