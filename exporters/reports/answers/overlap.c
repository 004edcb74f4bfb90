/* SPDX-License-Identifier: Apache-2.0 */
/* How each step divides into computing, communication, copies and nothing. */
#include "analysis/splits.h"
#include "exporters/load/answer.h"
#include "exporters/table/report.h"

struct shown {
    struct division it; /* of the period, or of the step */
    int64_t step, device, start_ns, time_ns, period_ns, free_ns, free_share, model, number;
    const char *source;
};

static const struct report_column columns[] = {
    {"Step", SHOWN(step), .flags = REPORT_NUMBER, .doc = "From 1; without steps the whole capture is one."},
    {"Device_id", SHOWN(device), .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "The device."},
    {"Start(us)", SHOWN(start_ns), FORM_TIME, .doc = "When it began."},
    {"Time(us)", SHOWN(time_ns), FORM_SCALED, 3, .id = "step_time", .doc = "How long it took."},
    {"Period(us)", SHOWN(period_ns), FORM_SCALED, 3,
     .doc = "From its begin to that of the next, where that was recorded. What follows is of the period, without one "
            "of the step."},
    {"Computing(us)", SHOWN(it.computing_ns), FORM_SCALED, 3, .doc = "When operators ran."},
    {"Communication(us)", SHOWN(it.communication_ns), FORM_SCALED, 3, .flags = REPORT_NARROW,
     .doc = "When the device communicated."},
    {"Exposed(us)", SHOWN(it.exposed_ns), FORM_SCALED, 3, .id = "exposed_comm",
     .doc = "When it communicated and did not compute."},
    {"Copies(us)", SHOWN(it.copy_ns), FORM_SCALED, 3, .flags = REPORT_NARROW, .doc = "When it copied."},
    {"Busy(us)", SHOWN(it.busy_ns), FORM_SCALED, 3, .flags = REPORT_NARROW, .doc = "When it did any of it."},
    {"Free(us)", SHOWN(free_ns), FORM_SCALED, 3,
     .doc = "When it did nothing; not known where a part of the step was not recorded."},
    {"Free share(%)", SHOWN(free_share), FORM_SCALED, 2, .doc = "Its share."},
    {"Source", SHOWN(source), .flags = REPORT_NARROW, .doc = "What told the steps apart."},
    {"Model_id", SHOWN(model), .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "The model; none of marked steps."},
    {"Number", SHOWN(number), .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "As the capture counts it."},
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
    const struct shown row = {
        .it = *it,
        .step = (int64_t)i + 1,
        .device = workload->devices[split->device].id,
        .start_ns = split->start_ns,
        .time_ns = split->own.time_ns,
        .period_ns = has_period ? it->time_ns : DB_NULL,
        .free_ns = known ? it->free_ns : DB_NULL,
        .free_share = known ? number_ratio(it->free_ns, it->time_ns, 4) : DB_NULL,
        .model = of_model ? split->step->model_id : DB_NULL,
        .number = split->step != NULL ? split->step->number : DB_NULL,
        .source = step_source_name((enum step_source)group->source),
    };
    return report_put(run, &row, err);
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
