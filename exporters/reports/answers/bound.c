/* SPDX-License-Identifier: Apache-2.0 */
/* What limits each operator: calculating, moving data, or neither. */
#include "analysis/bound.h"
#include "base/number.h"
#include "exporters/load/answer.h"
#include "exporters/table/report.h"

#include <stdlib.h>

struct shown {
    struct named_operator named;
    double share, compute, memory, cube; /* of 10000; NAN: not known */
    double mb, mb_s;
    const char *bound, *type, *name;
};

static const struct report_column columns[] = {
    {"Share(%)", SHOWN(share), FORM_SCALED, 2, .doc = "Of the time of all operators."},
    {"Total(us)", SHOWN(named.total_ns), FORM_SCALED, 3, .doc = "The time of all executions."},
    {"Count", SHOWN(named.count), .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "How often it ran."},
    {"Bound", SHOWN(bound),
     .doc = "memory or compute: of which the busiest unit is; latency: none is busy for half of the time."},
    {"Compute(%)", SHOWN(compute), FORM_SCALED, 2,
     .doc = "How long the busiest unit that calculates was busy, weighted by time."},
    {"Memory(%)", SHOWN(memory), FORM_SCALED, 2, .doc = "The same of the units that move data from and to memory."},
    {"Cube(%)", SHOWN(cube), FORM_SCALED, 2, .doc = "The matrix unit over all cores of the device."},
    {"Moved(MB)", SHOWN(mb), FORM_SHORTEST, 3, .flags = REPORT_NARROW, .doc = "Read and written outside."},
    {"Bandwidth(MB/s)", SHOWN(mb_s), FORM_SHORTEST, 1, .flags = REPORT_NARROW, .doc = "Moved by the counted time."},
    {"Type", SHOWN(type), .flags = REPORT_NARROW, .doc = "The type of the operator."},
    {"Name", SHOWN(name), .doc = "The operator."},
    {.title = NULL},
};

static double share_of(double share)
{
    return share < 0 ? NAN : share * 1e4;
}

static int put_operator(struct report_run *run, const struct workload *workload, const struct named_operator *named,
                        double all_ns, struct err *err)
{
    const struct unit_times *times = &named->times;
    double cube = times->units[UNIT_OCCUPIED] >= 0 && times->counted_ns > 0
                      ? times->units[UNIT_OCCUPIED] / times->counted_ns
                      : -1;
    bool bytes = named->bytes >= 0 && times->counted_ns > 0;
    const struct shown row = {
        .named = *named,
        .share = share_of(all_ns > 0 ? named->total_ns / all_ns : 0),
        .compute = share_of(unit_times_compute(times)),
        .memory = share_of(unit_times_memory(times)),
        .cube = share_of(cube),
        .mb = bytes ? named->bytes / (1024 * 1024) : NAN,
        .mb_s = bytes ? named->bytes / (1024 * 1024) / (times->counted_ns / 1e9) : NAN,
        .bound = bound_name(unit_times_bound(times)),
        .type = workload_text(workload, named->type),
        .name = workload_text(workload, named->name),
    };
    return report_put(run, &row, err);
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
