/* How each step divides into computing, communication, copies and nothing. */
#include "analysis/splits.h"
#include "exporters/report/report.h"
#include "exporters/workload/load.h"

enum { STEP, DEVICE, START, TIME, COMPUTING, COMMUNICATION, EXPOSED, COPIES, FREE, FREE_SHARE, COLUMNS };

static const struct report_column columns[] = {
    [STEP] = {"Step", NULL, .flags = REPORT_NUMBER, .doc = "From 1; without steps the whole capture is one."},
    [DEVICE] = {"Device_id", NULL, .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "The device."},
    [START] = {"Start(us)", NULL, FORM_TIME, .doc = "When it began."},
    [TIME] = {"Time(us)", NULL, FORM_SCALED, 3, .doc = "How long it took."},
    [COMPUTING] = {"Computing(us)", NULL, FORM_SCALED, 3, .doc = "When operators ran."},
    [COMMUNICATION] = {"Communication(us)", NULL, FORM_SCALED, 3, .flags = REPORT_NARROW,
                       .doc = "When the device communicated."},
    [EXPOSED] = {"Exposed(us)", NULL, FORM_SCALED, 3, .doc = "When it communicated and did not compute."},
    [COPIES] = {"Copies(us)", NULL, FORM_SCALED, 3, .flags = REPORT_NARROW, .doc = "When it copied."},
    [FREE] = {"Free(us)", NULL, FORM_SCALED, 3, .doc = "When it did nothing."},
    [FREE_SHARE] = {"Free share(%)", NULL, FORM_SCALED, 2, .doc = "Its share of the step."},
    {.title = NULL},
};

static int put_split(struct report_run *run, const struct workload *workload, const struct splits *splits, size_t i,
                     struct err *err)
{
    const struct split *split = &splits->items[i];
    const struct report_value values[COLUMNS] = {
        [STEP] = value_integer((int64_t)i + 1),
        [DEVICE] = value_integer(workload->devices[split->device].id),
        [START] = value_integer(split->start_ns),
        [TIME] = value_integer(split->time_ns),
        [COMPUTING] = value_integer(split->computing_ns),
        [COMMUNICATION] = value_integer(split->communication_ns),
        [EXPOSED] = value_integer(split->exposed_ns),
        [COPIES] = value_integer(split->copy_ns),
        [FREE] = value_integer(split->free_ns),
        [FREE_SHARE] = value_integer(number_ratio(split->free_ns, split->time_ns, 4)),
    };
    return report_row(run, values, err);
}

static int put_rows(struct report_run *run, struct err *err)
{
    struct workload workload;
    struct splits splits;
    int status = workload_load(run->session->db, WITHOUT_COUNTERS, &workload, err);

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
    .doc = "How each step divides into computing, communication, exposed communication, copies and nothing. "
           "Without marks steps are the period of the sequence of operators.",
    .needs = "tasks with times",
    .families = FAMILY_ANY,
    .shown_only = true,
    .columns = columns,
    .rows = put_rows,
};
