/* SPDX-License-Identifier: Apache-2.0 */
/* What limits each operator: calculating, moving data, or neither. */
#include "analysis/bound.h"
#include "base/number.h"
#include "exporters/load/answer.h"
#include "exporters/table/report.h"

#include <stdlib.h>

enum { SHARE, TOTAL, COUNT, BOUND, COMPUTE, MEMORY, CUBE, BYTES, RATE, TYPE, NAME, COLUMNS };

static const struct report_column columns[] = {
    [SHARE] = {"Share(%)", NULL, FORM_SCALED, 2, .doc = "Of the time of all operators."},
    [TOTAL] = {"Total(us)", NULL, FORM_SCALED, 3, .doc = "The time of all executions."},
    [COUNT] = {"Count", NULL, .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "How often it ran."},
    [BOUND] = {"Bound", .doc = "memory or compute: of which the busiest unit is; latency: none is busy for half of the "
                               "time."},
    [COMPUTE] = {"Compute(%)", NULL, FORM_SCALED, 2,
                 .doc = "How long the busiest unit that calculates was busy, weighted by time."},
    [MEMORY] = {"Memory(%)", NULL, FORM_SCALED, 2, .doc = "The same of the units that move data from and to memory."},
    [CUBE] = {"Cube(%)", NULL, FORM_SCALED, 2, .doc = "The matrix unit over all cores of the device."},
    [BYTES] = {"Moved(MB)", NULL, FORM_SHORTEST, 3, .flags = REPORT_NARROW, .doc = "Read and written outside."},
    [RATE] = {"Bandwidth(MB/s)", NULL, FORM_SHORTEST, 1, .flags = REPORT_NARROW, .doc = "Moved by the counted time."},
    [TYPE] = {"Type", .flags = REPORT_NARROW, .doc = "The type of the operator."},
    [NAME] = {"Name", .doc = "The operator."},
    {.title = NULL},
};

static struct report_value share_value(double share)
{
    return share < 0 ? value_none() : value_integer(number_from_real(share * 1e4 + 0.5));
}

static int put_operator(struct report_run *run, const struct workload *workload, const struct named_operator *named,
                        double all_ns, struct err *err)
{
    const struct unit_times *times = &named->times;
    double cube = times->units[UNIT_OCCUPIED] >= 0 && times->counted_ns > 0
                      ? times->units[UNIT_OCCUPIED] / times->counted_ns
                      : -1;
    bool bytes = named->bytes >= 0 && times->counted_ns > 0;
    const struct report_value values[COLUMNS] = {
        [SHARE] = share_value(all_ns > 0 ? named->total_ns / all_ns : 0),
        [TOTAL] = value_rounded(named->total_ns),
        [COUNT] = value_integer(named->count),
        [BOUND] = value_text(bound_name(unit_times_bound(times))),
        [COMPUTE] = share_value(unit_times_compute(times)),
        [MEMORY] = share_value(unit_times_memory(times)),
        [CUBE] = share_value(cube),
        [BYTES] = bytes ? value_real(named->bytes / (1024 * 1024)) : value_none(),
        [RATE] = bytes ? value_real(named->bytes / (1024 * 1024) / (times->counted_ns / 1e9)) : value_none(),
        [TYPE] = value_text(workload_text(workload, named->type)),
        [NAME] = value_text(workload_text(workload, named->name)),
    };
    return report_row(run, values, err);
}

static int put_all(struct report_run *run, const struct workload *workload, struct err *err)
{
    struct named_operators list;
    double all_ns = 0;
    int status = named_operators_make(workload, &list, err);

    if (status != 0)
        return status;
    for (size_t i = 0; i < list.count; i++)
        all_ns += list.items[i].total_ns;
    for (size_t i = 0; status == 0 && list.counted && i < list.count; i++)
        status = put_operator(run, workload, &list.items[i], all_ns, err);
    free(list.items);
    return status;
}

static int put_rows(struct report_run *run, struct err *err)
{
    struct workload workload;
    int status = answer_workload(run, WITH_COUNTERS, &workload, err);

    if (status != 0)
        return status;
    status = put_all(run, &workload, err);
    workload_release(&workload);
    return status;
}

const struct report report_bound = {
    .name = "bound",
    .title = "What limits operators",
    .doc = "What limits each operator, the largest total first. 'memory' or 'compute': of which its busiest "
           "unit is, weighted by time. 'latency': no unit is busy for half of the time.",
    .needs = "counters of the units of cores: those of PipeUtilization",
    .families = FAMILY_ANY,
    .shown_only = true,
    .columns = columns,
    .rows = put_rows,
};
